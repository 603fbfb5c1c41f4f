"""deabench compares classifiers by data envelopment analysis (DEA).

>>> import deabench as db
>>> table = db.datasets.load("chao2022-wine1")
>>> db.rank(table, outputs=["TPR", "TNR"]).efficient.sum()
np.int64(1)

The public names below are imported when first used, so that `import deabench` costs nothing;
`__init__.pyi` tells type checkers and editors what they are.
"""

from __future__ import annotations

from deabench.utils.lazy import make_lazy

__version__ = "0.2.0"

_HOME = {
    "read": "deabench.tables.read",
    "Table": "deabench.tables.table",
    "TableLike": "deabench.tables.table",
    "rank": "deabench.analysis.ranking",
    "best": "deabench.analysis.budget",
    "Mixture": "deabench.integrations.mixture",
    "CostStack": "deabench.integrations.cost_stack",
    "CostComparison": "deabench.integrations.cost_stack",
    "Router": "deabench.integrations.router",
    "Routing": "deabench.integrations.mixture",
    "refit": "deabench.integrations.search",
    "Refit": "deabench.integrations.search",
    "Choice": "deabench.integrations.choice",
    "pick": "deabench.integrations.trials",
    "by_dataset": "deabench.analysis.by_dataset",
    "ByDataset": "deabench.analysis.by_dataset",
    "Ranking": "deabench.results.ranking",
    "frontier": "deabench.analysis.frontier",
    "Frontier": "deabench.results.frontier",
    "rank_files": "deabench.streaming.rank_files",
    "FilesRanking": "deabench.streaming.rank_files",
    "targets": "deabench.analysis.targets",
    "Targets": "deabench.results.targets",
    "certify": "deabench.proofs.certify",
    "uncertainty": "deabench.inference.uncertainty",
    "Uncertainty": "deabench.inference.uncertainty",
    "Samples": "deabench.inference.samples",
    "gate": "deabench.inference.decisions.release_gate",
    "Anytime": "deabench.inference.decisions.anytime",
    "AnytimeVerdicts": "deabench.inference.decisions.anytime",
    "NextRound": "deabench.inference.decisions.anytime",
    "plan": "deabench.inference.decisions.planning",
    "Plan": "deabench.inference.decisions.planning",
    "stability": "deabench.analysis.stability",
    "rank_sets": "deabench.inference.rank_sets",
    "conformal_ranks": "deabench.inference.rank_sets",
    "simar_wilson": "deabench.inference.simar_wilson",
    "Gate": "deabench.inference.decisions.release_gate",
    "Stability": "deabench.analysis.stability",
    "RankSets": "deabench.inference.rank_sets",
    "ConformalRanks": "deabench.inference.rank_sets",
    "FirmsBootstrap": "deabench.inference.simar_wilson",
    "scale_efficiency": "deabench.analysis.scale",
    "ScaleEfficiency": "deabench.analysis.scale",
    "advise": "deabench.analysis.advise",
    "Advice": "deabench.analysis.advise",
    "layers": "deabench.analysis.layers",
    "Layers": "deabench.analysis.layers",
    "groups": "deabench.analysis.metafrontier",
    "Groups": "deabench.analysis.metafrontier",
    "malmquist": "deabench.analysis.malmquist",
    "Malmquist": "deabench.analysis.malmquist",
    "order_m": "deabench.analysis.partial_frontiers",
    "order_alpha": "deabench.analysis.partial_frontiers",
    "Partial": "deabench.analysis.partial_frontiers",
    "weightings": "deabench.analysis.weightings.analysis",
    "Weightings": "deabench.results.weightings",
    "weightings_by_dataset": "deabench.analysis.weightings.over_datasets",
    "WeightingsByDataset": "deabench.analysis.weightings.over_datasets",
    "Study": "deabench.study.study",
    "recommend": "deabench.study.recommend",
    "Recommendation": "deabench.study.recommend",
    "report": "deabench.report.build",
    "explore": "deabench.report.notebook_widget",
    "Report": "deabench.report",
    "reproduce": "deabench.analysis.reproduction",
    "Reproduction": "deabench.analysis.reproduction",
    "time_limit": "deabench.utils.progress",
    "DataError": "deabench.errors",
    "DataWarning": "deabench.errors",
    "DeabenchError": "deabench.errors",
    "SolveError": "deabench.errors",
    "TimeLimitError": "deabench.errors",
    "CertificateError": "deabench.errors",
}
_MODULES = {
    "models": "deabench.models",
    "datasets": "deabench.datasets",
    "metrics": "deabench.metrics",
    "tango": "deabench.tango",
    "curves": "deabench.curves",
    "compare": "deabench.compare",
    "plot": "deabench.plot",
}

__all__ = sorted([*_HOME, *_MODULES, "__version__"])
make_lazy(__name__, _HOME | {name: f"{module}:" for name, module in _MODULES.items()})
