"""Pictures: Display objects whose numbers are computed first and drawn by `plot(ax=None)`; one module per topic."""

from __future__ import annotations

import importlib
from typing import Any

_HOME = {
    "FrontierDisplay": "frontier.plane",
    "FacetGraphDisplay": "frontier.facets",
    "TargetsDisplay": "frontier.targets",
    "ParallelDisplay": "frontier.parallel",
    "RankingDisplay": "ranking.scores",
    "PeerNetworkDisplay": "ranking.peers",
    "WeightsDisplay": "ranking.weights",
    "UncertaintyDisplay": "ranking.uncertainty",
    "FrontierBandDisplay": "ranking.uncertainty",
    "GroupsDisplay": "comparisons.groups",
    "CostRangeDisplay": "frontier.costs",
    "RocDisplay": "curves.roc",
    "MeanRocDisplay": "curves.roc",
    "TangoDisplay": "curves.segment",
    "SegmentsDisplay": "curves.segment",
    "GainDisplay": "curves.lines",
    "LiftDisplay": "curves.lines",
    "ConversionDisplay": "curves.lines",
    "PrecisionRecallDisplay": "curves.lines",
    "CostCurveDisplay": "curves.lines",
    "LearningCurveDisplay": "curves.lines",
    "CriticalDifferenceDisplay": "comparisons.critical",
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
