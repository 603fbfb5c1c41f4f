"""deabench compares classifiers by data envelopment analysis (DEA).

>>> import deabench as db
>>> table = db.datasets.load("chao2022-wine1")
>>> db.rank(table, outputs=["TPR", "TNR"]).efficient.sum()
np.int64(1)

The public names below are imported when first used, so that `import deabench` costs nothing; `__init__.pyi` tells type
checkers and editors what they are.
"""

from __future__ import annotations

from deabench.ondemand import on_demand

__version__ = "0.1.0"

_HOME = {
    "read": "deabench.tables.reading",
    "Reading": "deabench.tables.reading",
    "rank": "deabench.dea.ranking",
    "best": "deabench.dea.best",
    "by_dataset": "deabench.dea.pooled",
    "ByDataset": "deabench.dea.pooled",
    "Ranking": "deabench.dea.ranking",
    "frontier": "deabench.dea.frontier",
    "Frontier": "deabench.dea.frontier",
    "rank_files": "deabench.dea.streaming.rank",
    "FilesRanking": "deabench.dea.streaming.rank",
    "targets": "deabench.dea.targets",
    "Targets": "deabench.dea.targets",
    "certify": "deabench.dea.certify",
    "uncertainty": "deabench.dea.uncertainty.estimate",
    "Uncertainty": "deabench.dea.uncertainty.result",
    "Samples": "deabench.dea.uncertainty.samples",
    "gate": "deabench.dea.uncertainty.gate",
    "stability": "deabench.dea.uncertainty.radius",
    "rank_sets": "deabench.dea.uncertainty.ranksets",
    "conformal_ranks": "deabench.dea.uncertainty.ranksets",
    "simar_wilson": "deabench.dea.uncertainty.firms",
    "Gate": "deabench.dea.uncertainty.gate",
    "Stability": "deabench.dea.uncertainty.radius",
    "RankSets": "deabench.dea.uncertainty.ranksets",
    "ConformalRanks": "deabench.dea.uncertainty.ranksets",
    "FirmsBootstrap": "deabench.dea.uncertainty.firms",
    "scale_efficiency": "deabench.dea.scale",
    "ScaleEfficiency": "deabench.dea.scale",
    "advise": "deabench.dea.advice",
    "Advice": "deabench.dea.advice",
    "layers": "deabench.dea.contexts.peeled",
    "Layers": "deabench.dea.contexts.peeled",
    "groups": "deabench.dea.contexts.families",
    "Groups": "deabench.dea.contexts.families",
    "malmquist": "deabench.dea.contexts.periods",
    "Malmquist": "deabench.dea.contexts.periods",
    "order_m": "deabench.dea.partial",
    "order_alpha": "deabench.dea.partial",
    "Partial": "deabench.dea.partial",
    "Study": "deabench.study",
    "report": "deabench.reports",
    "explore": "deabench.reports.explore",
    "Report": "deabench.reports",
    "reproduce": "deabench.reproduction",
    "Reproduction": "deabench.reproduction",
    "DataError": "deabench.errors",
    "DataWarning": "deabench.errors",
    "DeabenchError": "deabench.errors",
    "SolveError": "deabench.errors",
    "CertificateError": "deabench.errors",
}
_MODULES = {
    "models": "deabench_models",
    "datasets": "deabench.datasets",
    "metrics": "deabench.metrics",
    "tango": "deabench.tango",
    "curves": "deabench.curves",
    "compare": "deabench.compare",
    "plot": "deabench.plot",
}

__all__ = sorted([*_HOME, *_MODULES, "__version__"])
__getattr__ = on_demand(__name__, _HOME | {name: f"{module}:" for name, module in _MODULES.items()})


def __dir__() -> list[str]:
    return __all__
