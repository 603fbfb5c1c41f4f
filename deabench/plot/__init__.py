"""Pictures: Display objects, one module per topic.

The numbers of a Display are computed first and drawn by `plot(ax=None)`.
"""

from __future__ import annotations

import importlib
from typing import Any

_HOME = {
    "FrontierDisplay": "frontier",
    "FacetGraphDisplay": "facets",
    "TargetsDisplay": "targets",
    "ParallelDisplay": "targets",
    "RankingDisplay": "ranking",
    "PeerNetworkDisplay": "peers",
    "WeightsDisplay": "ranking",
    "UncertaintyDisplay": "uncertainty",
    "FrontierBandDisplay": "uncertainty",
    "GroupsDisplay": "studies",
    "TypeMapDisplay": "studies",
    "CostRangeDisplay": "facets",
    "RocDisplay": "roc",
    "RouterDisplay": "frontier",
    "MeanRocDisplay": "roc",
    "TangoDisplay": "segment",
    "SegmentsDisplay": "segment",
    "GainDisplay": "curves",
    "LiftDisplay": "curves",
    "ConversionDisplay": "curves",
    "PrecisionRecallDisplay": "curves",
    "CostCurveDisplay": "curves",
    "LearningCurveDisplay": "curves",
    "CriticalDifferenceDisplay": "critical_difference",
    "RankIntervalDisplay": "weightings.ranks",
    "WinningRegionsDisplay": "weightings.winning_regions",
    "DominanceGraphDisplay": "weightings.ranks",
    "save_figure": "canvas",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'deabench.plot' has no attribute '{name}'")
    value = getattr(importlib.import_module(f"deabench.plot.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
