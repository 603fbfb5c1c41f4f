"""One picture for the curves of several classifiers: on the same axes, or in a panel each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from deabench.curves import Segment, Segments
from deabench.plot.canvas import font_size, set_title
from deabench.plot.curves import (
    ConversionDisplay,
    CostCurveDisplay,
    GainDisplay,
    LiftDisplay,
    PrecisionRecallDisplay,
)
from deabench.plot.roc import RocDisplay
from deabench.plot.segment import SegmentsDisplay, TangoDisplay

MAX_PANELS = 12
"""More panels are too small to read; the rest are counted in the picture's title."""
SHARED_AXES = {"lift": LiftDisplay, "pr": PrecisionRecallDisplay, "cost": CostCurveDisplay}


def draw_curves(kind: str, results: Mapping[str, Any], segments: Mapping[str, Segment]) -> Any:
    """Draw one kind of curve for several classifiers.

    Parameters
    ----------
    kind : str
        "roc", "summary", "lift", "pr" or "cost" (on the same axes), "tango", "bands", "gain" or
        "conversion" (a panel each).
    results : mapping of classifier to the result of this kind
    segments : mapping of classifier to Segment

    Returns
    -------
    matplotlib.figure.Figure
    """
    if kind == "roc":
        return RocDisplay(segments).plot().figure_
    if kind == "summary":
        return SegmentsDisplay(Segments.from_segments(segments)).plot().figure_
    if kind in SHARED_AXES:
        return SHARED_AXES[kind](results).plot().figure_
    return _draw_panels(kind, results, segments)


def _draw_panels(kind: str, results: Mapping[str, Any], segments: Mapping[str, Segment]) -> Any:
    names = list(results)[:MAX_PANELS]
    column_count = min(len(names), 3)
    # Division, rounded up.
    row_count = -(-len(names) // column_count)
    size = (5.2 * column_count, 4.6 * row_count)
    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(row_count, column_count, squeeze=False).ravel()
    for ax, name in zip(panels, names, strict=False):
        _make_display(kind, name, results[name], segments[name]).plot(ax)
        # The panel's title keeps its words on the band and gets the classifier's name.
        if kind == "bands":
            set_title(ax, ax.get_title(loc="left").split("; ")[-1], name)
    # The last row may have empty panels.
    for ax in panels[len(names) :]:
        ax.remove()
    if len(results) > MAX_PANELS:
        figure.suptitle(
            f"the first {MAX_PANELS} of {len(results)} classifiers", fontsize=font_size(10)
        )
    return figure


def _make_display(kind: str, name: str, result: Any, segment: Segment) -> Any:
    if kind == "bands":
        return RocDisplay({name: segment}, {name: result})
    displays = {"tango": TangoDisplay, "gain": GainDisplay, "conversion": ConversionDisplay}
    return displays[kind](result, name)
