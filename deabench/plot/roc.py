"""ROC curves with confident segments dark, bands, means over folds; pictures of several curves.

Figures 3 and 4 of Elazmeh, Japkowicz and Matwin (2006), doi:10.1007/11871842_16.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from deabench.curves import Band, MeanRoc, Roc, Segment, Segments, bands, compare_segments
from deabench.curves.segment import segment_from_roc
from deabench.plot.canvas import (
    DOTTED,
    GREY,
    add_legend,
    apply_style,
    draw_unit_square,
    escape_label,
    font_size,
    line_style,
    make_axes,
    set_title,
    style_numbers,
)
from deabench.plot.curves import (
    ConversionDisplay,
    CostCurveDisplay,
    GainDisplay,
    LiftDisplay,
    PrecisionRecallDisplay,
)
from deabench.plot.display import Display
from deabench.plot.segment import SegmentsDisplay, TangoDisplay

ROC_LABELS = ("false positive rate", "true positive rate")
MAX_PANELS = 12
"""More panels are too small to read; the rest are counted in the picture's title."""
SHARED_AXES = {"lift": LiftDisplay, "pr": PrecisionRecallDisplay, "cost": CostCurveDisplay}


@dataclass(repr=False)
class RocDisplay(Display):
    """ROC curves with their confident segments dark (Figure 4), and bands if given (Figure 3).

    Attributes
    ----------
    segments : mapping of name to Segment
    bands : mapping of name to Band
    ax_, figure_, lines_, dark_, areas_ : artists, once drawn
        lines_ and dark_ (the confident segments) are lists in the order of `segments`, areas_ in
        that of `bands`.

    Examples
    --------
    >>> from deabench import plot
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> plot.RocDisplay.from_predictions(y, {"net": score})
    RocDisplay: not drawn yet; plot() draws it
    """

    segments: Mapping[str, Segment]
    bands: Mapping[str, Band] = field(default_factory=dict)

    @classmethod
    def from_result(
        cls, result: Roc, *, name: str = "classifier", alpha: float = 0.05
    ) -> RocDisplay:
        """Draw one curve and its confident segment at level 1 − alpha."""
        return cls({name: segment_from_roc(result, alpha)})

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        scores: Mapping[str, ArrayLike],
        alpha: float = 0.05,
        *,
        positive: object = None,
        band: Any = None,
    ) -> RocDisplay:
        """Compute the curves; band is None, "fixed-width" or "simultaneous"."""
        segments = compare_segments(y_true, scores, alpha, positive=positive).segments
        if not band:
            return cls(segments)
        roc_bands = {
            name: bands(segment.roc, band, alpha=alpha) for name, segment in segments.items()
        }
        return cls(segments, roc_bands)

    def plot(self, ax: Any = None, **style: Any) -> RocDisplay:
        """Draw on `ax`, or on a new figure, with matplotlib's keywords for the curves."""
        self.ax_ = ax = make_axes(ax)
        self.lines_: list[Any] = []
        self.dark_: list[Any] = []
        self.areas_: list[Any] = []
        ax.plot([0, 1], [0, 1], **DOTTED)
        # One numbering for both, so that band and curve of a classifier have one colour.
        numbers = style_numbers(dict.fromkeys([*self.segments, *self.bands]))
        for name, band in self.bands.items():
            area = ax.fill_between(
                band.points["FPR"],
                band.points["lower"],
                band.points["upper"],
                alpha=0.18,
                linewidth=0.6,
                color=line_style(numbers[name])["color"],
            )
            self.areas_.append(area)
        for name, segment in self.segments.items():
            own_style = line_style(numbers[name])
            points = segment.points
            confident = segment.confident
            label = f"{escape_label(name)} (AUC {segment.roc.auc:.3f})"
            self.lines_ += ax.plot(
                points["FPR"], points["TPR"], linewidth=1.1, label=label, **own_style
            )
            # The confident segment is thick, with a dot at each end; without points there is none.
            self.dark_ += ax.plot(
                confident["FPR"],
                confident["TPR"],
                color=own_style["color"],
                linewidth=4.5,
                alpha=0.9,
                solid_capstyle="round",
                marker="o",
                markersize=4.5,
                markevery=[0, len(confident) - 1][: len(confident)],
            )
        draw_unit_square(ax, *ROC_LABELS)
        areas_under_curves = [segment.roc.auc for segment in self.segments.values()]
        add_legend(ax, self.lines_, merit=areas_under_curves, loc="lower right")
        # Of curves that the legend does not name only the thin line is left.
        for line, dark in zip(self.lines_, self.dark_, strict=True):
            dark.set_visible(line.get_color() != GREY)
        first = next(iter(self.segments.values()))
        level = 100 * (1 - first.alpha)
        title = f"thick: 0 inside {escape_label(first.test)} {level:g} % interval"
        if self.bands:
            methods = {f"{b.method} {100 * (1 - b.alpha):g} % band" for b in self.bands.values()}
            title += f"; shaded: {', '.join(sorted(methods))}"
        set_title(ax, title)
        apply_style(ax, self.lines_, style)
        return self


@dataclass(repr=False)
class MeanRocDisplay(Display):
    """The mean of several ROC curves with pointwise intervals: a band, or crosses at thresholds.

    Attributes
    ----------
    mean : MeanRoc
    ax_, figure_, line_, curves_, intervals_ : artists, once drawn

    Examples
    --------
    >>> from deabench import plot
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> plot.MeanRocDisplay(curves.average_vertical([curves.roc(y, score), curves.roc(y, score)]))
    MeanRocDisplay: not drawn yet; plot() draws it
    """

    mean: MeanRoc

    @classmethod
    def from_result(cls, result: MeanRoc) -> MeanRocDisplay:
        """Show the mean of several ROC curves."""
        return cls(result)

    def plot(self, ax: Any = None, **style: Any) -> MeanRocDisplay:
        """Draw on `ax`, or on a new figure, with matplotlib's keywords for the mean."""
        self.ax_ = ax = make_axes(ax)
        points = self.mean.points
        blue = line_style(0)["color"]
        ax.plot([0, 1], [0, 1], **DOTTED)
        self.curves_ = [
            ax.plot(curve.points["FPR"], curve.points["TPR"], color=GREY, linewidth=0.6)[0]
            for curve in self.mean.curves
        ]
        # Vertical averaging has limits of TPR only; threshold averaging limits of both rates.
        is_vertical = points.index.name == "fixed_FPR"
        if is_vertical:
            self.intervals_ = ax.fill_between(
                points["FPR"],
                points["TPR_lower"],
                points["TPR_upper"],
                color=blue,
                alpha=0.2,
                linewidth=0,
            )
        else:
            self.intervals_ = ax.errorbar(
                points["FPR"],
                points["TPR"],
                xerr=self._distances_to_limits("FPR"),
                yerr=self._distances_to_limits("TPR"),
                fmt="none",
                ecolor=blue,
                elinewidth=1,
                capsize=2,
            )
        (self.line_,) = ax.plot(
            points["FPR"],
            points["TPR"],
            color=blue,
            linewidth=2,
            marker=None if is_vertical else "o",
            markersize=4,
            label=f"mean of {len(self.curves_)} curves",
        )
        # One label stands for all single curves in the legend.
        self.curves_[0].set_label("the curves")
        draw_unit_square(ax, *ROC_LABELS)
        add_legend(ax, [self.line_, self.curves_[0]], loc="lower right")
        level = 100 * (1 - self.mean.alpha)
        averaging = "FPR" if is_vertical else "thresholds"
        set_title(ax, f"{level:g} % pointwise at fixed {averaging}")
        apply_style(ax, [self.line_], style)
        return self

    def _distances_to_limits(self, rate: str) -> np.ndarray:
        """Return how far the limits of a rate lie below and above the mean, (2, points)."""
        # Error bars are drawn from distances, not from limits.
        limits = self.mean.points[[f"{rate}_lower", f"{rate}_upper"]].to_numpy().T
        return np.asarray(np.abs(limits - self.mean.points[rate].to_numpy()))


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
