"""Tango's intervals along the threshold, and SAUC against AveD.

Figures 1, 5, 6 and 7 of Elazmeh et al. (2006), doi:10.1007/11871842_16.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from deabench.curves import Segment, Segments, balanced_segment, compare_segments
from deabench.curves.segment import CAUTION
from deabench.plot.canvas import (
    add_caption,
    add_legend,
    apply_style,
    draw_grid,
    escape_label,
    is_narrow,
    make_axes,
    marker_style,
    set_title,
    style_numbers,
    text_colour,
)
from deabench.plot.display import Display
from deabench.plot.placement import place_names


@dataclass(repr=False)
class TangoDisplay(Display):
    """(b − c)/n with Tango's interval along the threshold (Figures 1, 6 and 7).

    Attributes
    ----------
    segment : Segment
    name : str
        The classifier's.
    ax_, figure_, bars_, dots_ : artists, once drawn
        bars_ and dots_: the points that are not confident, then the confident ones.

    Examples
    --------
    >>> from deabench import plot
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> plot.TangoDisplay.from_predictions(y, score)
    TangoDisplay: not drawn yet; plot() draws it
    """

    segment: Segment
    name: str = ""

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        score: ArrayLike,
        alpha: float = 0.05,
        *,
        positive: object = None,
        name: str = "",
    ) -> TangoDisplay:
        """Compute the segment."""
        return cls(balanced_segment(y_true, score, alpha, positive=positive), name)

    @classmethod
    def from_result(cls, result: Segment, *, name: str = "") -> TangoDisplay:
        """Show one segment, with the name of its classifier."""
        return cls(result, name)

    def plot(self, ax: Any = None, *, only_confident: bool = False, **style: Any) -> TangoDisplay:
        """Draw on `ax`, or on a new figure, with matplotlib's keywords for the dots.

        `only_confident` leaves the other points out (Figure 1, right).
        """
        self.ax_ = ax = make_axes(ax, size=(6.4, 4.2))
        points = self.segment.points
        x = _finite_thresholds(points["at_least"])
        is_confident = points["confident"].to_numpy()
        self.bars_: list[Any] = []
        self.dots_: list[Any] = []
        ax.axhline(0, color=text_colour(), linewidth=0.8)
        # The pale points first, so that the dark ones lie above them.
        for rows, look in ((~is_confident, PALE), (is_confident, DARK)):
            if only_confident:
                # Nothing is left of the pale points.
                rows = rows & is_confident
            count = int(rows.sum())
            bars = ax.vlines(
                x[rows],
                points["lower"][rows],
                points["upper"][rows],
                color=look["color"],
                linewidth=look["width"],
                zorder=look["zorder"],
            )
            self.bars_.append(bars)
            self.dots_ += ax.plot(
                x[rows],
                points["difference"][rows],
                look["marker"],
                color=look["color"],
                # Many points are drawn smaller, or they would merge.
                markersize=3.2 if count < 150 else 1.6,
                label=f"{look['label']} ({count} points)",
                zorder=look["zorder"] + 1,
            )
        draw_grid(ax)
        ax.set(xlabel="threshold: positive where score >= threshold", ylabel="(FN − FP) / n")
        # FN − FP rises with the threshold, so that the upper left is free.
        handles = [dots for dots in self.dots_ if len(dots.get_xdata())]
        add_legend(ax, handles, loc="upper left")
        level = 100 * (1 - self.segment.alpha)
        test = escape_label(self.segment.test)
        set_title(ax, f"{test} {level:g} % intervals, n = {self.segment.roc.n}", self.name)
        apply_style(ax, self.dots_, style)
        return self


@dataclass(repr=False)
class SegmentsDisplay(Display):
    """SAUC against the absolute AveD of several classifiers (Figure 5), with a caution below.

    Attributes
    ----------
    segments : Segments
    unnamed_ : int, once drawn
        How many names found no room; a note in the picture gives the number.
    ax_, figure_, points_, texts_, caption_ : artists, once drawn

    Examples
    --------
    >>> from deabench import plot
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> plot.SegmentsDisplay.from_predictions(y, {"net": score})
    SegmentsDisplay: not drawn yet; plot() draws it
    """

    segments: Segments

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        scores: Mapping[str, ArrayLike],
        alpha: float = 0.05,
        *,
        positive: object = None,
    ) -> SegmentsDisplay:
        """Compute the segments."""
        return cls(compare_segments(y_true, scores, alpha, positive=positive))

    @classmethod
    def from_result(cls, result: Segments) -> SegmentsDisplay:
        """Show the segments of several classifiers."""
        return cls(result)

    def plot(self, ax: Any = None, **style: Any) -> SegmentsDisplay:
        """Draw on `ax`, or on a new figure, with matplotlib's keywords for the points."""
        self.ax_ = ax = make_axes(ax, size=(6.0, 5.0))
        table = self.segments.table.drop(index=list(self.segments.excluded))
        positions = list(zip(table["AveD"].astype(float), table["SAUC"].astype(float), strict=True))
        numbers = style_numbers(table.index)
        self.points_ = [
            ax.scatter(x, y, s=42, **marker_style(numbers[name]))
            for name, (x, y) in zip(table.index, positions, strict=True)
        ]
        draw_grid(ax)
        ax.set(
            xlabel="AveD: mean |FN − FP| / n over the confident points",
            ylabel="SAUC: area under the segment",
        )
        ax.margins(0.18)
        if is_narrow(ax):
            ax.locator_params(axis="x", nbins=5)
        sizes = sorted({segment.roc.n for segment in self.segments.segments.values()})
        sample = f"n = {sizes[0]}"
        if len(sizes) > 1:
            sample += f" to {sizes[-1]}: SAUC is not comparable"
        set_title(ax, f"balanced misclassification segments, {sample} (better: up and left)")
        self.caption_ = add_caption(ax, self._caption())
        self.texts_, self.unnamed_ = place_names(ax, positions, list(table.index))
        apply_style(ax, self.points_, style)
        return self

    def _caption(self) -> str:
        sentences = [f"{CAUTION}."]
        excluded = self.segments.excluded
        if excluded:
            names = ", ".join(map(escape_label, excluded[:5]))
            if len(excluded) > 5:
                names += f" and {len(excluded) - 5} more"
            sentences.append(f"No confident point: {names}.")
        return " ".join(sentences)


PALE: dict[str, Any] = {
    "color": "#B5B5B5",
    "width": 0.8,
    "marker": "s",
    "zorder": 2,
    "label": "0 outside",
}
DARK: dict[str, Any] = {
    "color": "#0072B2",
    "width": 1.5,
    "marker": "o",
    "zorder": 4,
    "label": "0 inside: confident",
}


def _finite_thresholds(at_least: pd.Series) -> np.ndarray:
    """Return the thresholds with a finite first one.

    The first threshold is infinite: nothing is positive. It is drawn a twentieth of the range above
    the highest score.
    """
    thresholds = at_least.to_numpy(dtype=float).copy()
    thresholds[0] = thresholds[1] + (0.05 * (thresholds[1] - thresholds[-1]) or 1.0)
    return np.asarray(thresholds)
