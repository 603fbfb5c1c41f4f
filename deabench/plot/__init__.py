"""Pictures: Display objects, one module per topic.

The numbers of a Display are computed first and drawn by `plot(ax=None)`. The names are imported
when first used; `__init__.pyi` tells type checkers what they are.
"""

from deabench.utils.lazy import make_lazy

_HOME = {
    "ConversionDisplay": "deabench.plot.curves",
    "CostCurveDisplay": "deabench.plot.curves",
    "CostRangeDisplay": "deabench.plot.facets",
    "CriticalDifferenceDisplay": "deabench.plot.critical_difference",
    "DominanceGraphDisplay": "deabench.plot.weightings.ranks",
    "FacetGraphDisplay": "deabench.plot.facets",
    "FrontierBandDisplay": "deabench.plot.uncertainty",
    "FrontierDisplay": "deabench.plot.frontier",
    "GainDisplay": "deabench.plot.curves",
    "GroupsDisplay": "deabench.plot.studies",
    "LearningCurveDisplay": "deabench.plot.curves",
    "LiftDisplay": "deabench.plot.curves",
    "MeanRocDisplay": "deabench.plot.roc",
    "ParallelDisplay": "deabench.plot.targets",
    "PeerNetworkDisplay": "deabench.plot.peers",
    "PrecisionRecallDisplay": "deabench.plot.curves",
    "RankIntervalDisplay": "deabench.plot.weightings.ranks",
    "RankingDisplay": "deabench.plot.ranking",
    "RocDisplay": "deabench.plot.roc",
    "RouterDisplay": "deabench.plot.frontier",
    "SegmentsDisplay": "deabench.plot.segment",
    "TangoDisplay": "deabench.plot.segment",
    "TargetsDisplay": "deabench.plot.targets",
    "TypeMapDisplay": "deabench.plot.studies",
    "UncertaintyDisplay": "deabench.plot.uncertainty",
    "WeightsDisplay": "deabench.plot.ranking",
    "WinningRegionsDisplay": "deabench.plot.weightings.winning_regions",
    "save_figure": "deabench.plot.canvas",
}

__all__ = sorted(_HOME)
make_lazy(__name__, _HOME)
