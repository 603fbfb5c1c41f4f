"""Pictures: Display objects whose numbers are computed first and drawn by `plot(ax=None)`; one module per topic."""

from __future__ import annotations

import importlib
from typing import Any

_HOME = {
    "FrontierDisplay": "frontier",
    "FacetGraphDisplay": "graph",
    "TargetsDisplay": "targets",
    "ParallelDisplay": "parallel",
    "RankingDisplay": "ranking",
    "PeerNetworkDisplay": "network",
    "WeightsDisplay": "weights",
    "GroupsDisplay": "groups",
    "CostRangeDisplay": "cost",
    "RocDisplay": "curves_roc",
    "MeanRocDisplay": "curves_roc",
    "TangoDisplay": "curves_segment",
    "SegmentsDisplay": "curves_segment",
    "GainDisplay": "curves",
    "LiftDisplay": "curves",
    "ConversionDisplay": "curves",
    "PrecisionRecallDisplay": "curves",
    "CostCurveDisplay": "curves",
    "LearningCurveDisplay": "curves",
    "CriticalDifferenceDisplay": "compare",
    "save_figure": "curves_canvas",
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
