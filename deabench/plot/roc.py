"""ROC curves with their confident segments dark, with bands, and as means over folds.

Figures 3 and 4 of Elazmeh, Japkowicz and Matwin (2006), doi:10.1007/11871842_16.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from deabench.curves import Band, MeanRoc, Segment, bands, compare_segments
from deabench.plot.canvas import (
    DOTTED,
    GREY,
    add_legend,
    apply_style,
    draw_unit_square,
    escape_label,
    line_style,
    make_axes,
    set_title,
    style_numbers,
)
from deabench.plot.display import Display

ROC_LABELS = ("false positive rate", "true positive rate")


@dataclass(repr=False)
class RocDisplay(Display):
    """ROC curves of several classifiers, their confident segments dark (Figure 4), with bands if
    given (Figure 3).

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
        around = (
            {name: bands(one.roc, band, alpha=alpha) for name, one in segments.items()}
            if band
            else {}
        )
        return cls(segments, around)

    def plot(self, ax: Any = None, **look: Any) -> RocDisplay:
        """Draw on `ax`, or on a figure of its own, with matplotlib's keywords for its marks."""
        self.ax_ = ax = make_axes(ax)
        self.figure_ = ax.figure
        self.lines_, self.dark_, self.areas_ = [], [], []
        ax.plot([0, 1], [0, 1], **DOTTED)
        turn = style_numbers(
            [*self.segments, *(name for name in self.bands if name not in self.segments)]
        )
        for name in self.bands:
            shade = self.bands[name].points
            self.areas_.append(
                ax.fill_between(
                    shade["FPR"],
                    shade["lower"],
                    shade["upper"],
                    alpha=0.18,
                    linewidth=0.6,
                    color=line_style(turn[name])["color"],
                )
            )
        for name, segment in self.segments.items():
            own, points, run = line_style(turn[name]), segment.points, segment.confident
            label = f"{escape_label(name)} (AUC {segment.roc.auc:.3f})"
            self.lines_ += ax.plot(points["FPR"], points["TPR"], linewidth=1.1, label=label, **own)
            self.dark_ += ax.plot(
                run["FPR"],
                run["TPR"],
                color=own["color"],
                linewidth=4.5,
                alpha=0.9,
                solid_capstyle="round",
                marker="o",
                markersize=4.5,
                markevery=_ends(len(run)),
            )
        draw_unit_square(ax, *ROC_LABELS)
        add_legend(
            ax,
            self.lines_,
            merit=[one.roc.auc for one in self.segments.values()],
            loc="lower right",
        )
        level = 100 * (1 - next(iter(self.segments.values())).alpha)
        set_title(ax, f"thick: 0 inside Tango's {level:g} % interval" + self._said())
        apply_style(ax, self.lines_, look)
        return self

    def _said(self) -> str:
        methods = sorted(
            {f"{band.method} {100 * (1 - band.alpha):g} % band" for band in self.bands.values()}
        )
        return f"; shaded: {', '.join(methods)}" if methods else ""


@dataclass(repr=False)
class MeanRocDisplay(Display):
    """The mean of several ROC curves with its pointwise intervals: a band where FPR is fixed, boxes
    at thresholds.

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

    def plot(self, ax: Any = None, **look: Any) -> MeanRocDisplay:
        """Draw on `ax`, or on a figure of its own, with matplotlib's keywords for its marks."""
        self.ax_ = ax = make_axes(ax)
        self.figure_ = ax.figure
        points, blue = self.mean.points, line_style(0)["color"]
        ax.plot([0, 1], [0, 1], **DOTTED)
        self.curves_ = [
            ax.plot(curve.points["FPR"], curve.points["TPR"], color=GREY, linewidth=0.6)[0]
            for curve in self.mean.curves
        ]
        fixed = points.index.name == "fixed_FPR"
        if fixed:
            self.intervals_ = ax.fill_between(
                points["FPR"],
                points["TPR_lower"],
                points["TPR_upper"],
                color=blue,
                alpha=0.2,
                linewidth=0,
            )
        else:
            bars = [
                np.abs(
                    points[[f"{axis}_lower", f"{axis}_upper"]].to_numpy().T
                    - points[axis].to_numpy()
                )
                for axis in ("FPR", "TPR")
            ]
            self.intervals_ = ax.errorbar(
                points["FPR"],
                points["TPR"],
                xerr=bars[0],
                yerr=bars[1],
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
            marker=None if fixed else "o",
            markersize=4,
            label=f"mean of {len(self.curves_)} curves",
        )
        self.curves_[0].set_label("the curves")
        draw_unit_square(ax, *ROC_LABELS)
        add_legend(ax, [self.line_, self.curves_[0]], loc="lower right")
        set_title(
            ax,
            f"{100 * (1 - self.mean.alpha):g} % pointwise at fixed {'FPR' if fixed else 'thresholds'}",
        )
        apply_style(ax, [self.line_], look)
        return self


def _ends(n: int) -> list[int]:
    return [0, n - 1] if n else []
