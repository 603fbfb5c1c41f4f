"""One picture for the curves of all classifiers of a file: one axes where they share it, a panel
each where not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deabench.curves import Segment, Segments
from deabench.plot.canvas import set_title
from deabench.plot.curves import (
    ConversionDisplay,
    CostCurveDisplay,
    GainDisplay,
    LiftDisplay,
    PrecisionRecallDisplay,
)
from deabench.plot.roc import RocDisplay
from deabench.plot.segment import SegmentsDisplay, TangoDisplay

MOST = 12
"""More panels than these are too small to read; the rest are counted in the picture's title."""


def draw_curves(kind: str, results: Mapping[str, Any], segments: Mapping[str, Segment]) -> Any:
    """The figure of one kind of curve.

    Parameters
    ----------
    kind : "roc", "summary", "lift", "pr", "cost" (one axes), "tango", "bands", "gain", "conversion"
    (a panel each) results : mapping of classifier to the kind's result segments : mapping of
    classifier to Segment

    Returns
    -------
    matplotlib.figure.Figure
    """
    if kind == "roc":
        return RocDisplay(segments).plot().figure_
    if kind == "summary":
        return SegmentsDisplay(Segments.of(segments)).plot().figure_
    if kind in ("lift", "pr", "cost"):
        shared = {"lift": LiftDisplay, "pr": PrecisionRecallDisplay, "cost": CostCurveDisplay}[kind]
        return shared(results).plot().figure_
    return _panels(kind, results, segments)


def _panels(kind: str, results: Mapping[str, Any], segments: Mapping[str, Segment]) -> Any:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    shown = list(results)[:MOST]
    across = min(len(shown), 3)
    down = -(-len(shown) // across)
    figure = Figure(figsize=(5.2 * across, 4.6 * down), layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.subplots(down, across, squeeze=False).ravel()
    for ax, name in zip(grid, shown, strict=False):
        _one(kind, name, results[name], segments[name]).plot(ax)
        if kind == "bands":
            set_title(ax, ax.get_title(loc="left").split("; ")[-1], name)
    for ax in grid[len(shown) :]:
        ax.remove()
    if len(results) > MOST:
        figure.suptitle(f"the first {MOST} of {len(results)} classifiers", fontsize=10)
    return figure


def _one(kind: str, name: str, result: Any, segment: Segment) -> Any:
    if kind == "bands":
        return RocDisplay({name: segment}, {name: result})
    if kind == "tango":
        return TangoDisplay(result, name)
    return {"gain": GainDisplay, "conversion": ConversionDisplay}[kind](result, name)
