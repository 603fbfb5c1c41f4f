"""Tango's intervals along the threshold, and SAUC against AveD: Figures 1, 5, 6 and 7 of Elazmeh et
al. (2006).

doi:10.1007/11871842_16
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
    make_axes,
    marker_style,
    name_points,
    set_title,
    style_numbers,
    text_colour,
)
from deabench.plot.display import Display


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

    def plot(self, ax: Any = None, *, only_confident: bool = False, **look: Any) -> TangoDisplay:
        """Draw on `ax`, or on a figure of its own, with matplotlib's keywords for its dots;
        only_confident leaves the other points out (Figure 1, right).
        """
        self.ax_ = ax = make_axes(ax, size=(6.4, 4.2))
        self.figure_ = ax.figure
        x, points = _finite(self.segment.points["at_least"]), self.segment.points
        self.bars_, self.dots_ = [], []
        ax.axhline(0, color=text_colour(), linewidth=0.8)
        for confident, kind in ((False, _FAINT), (True, _DARK)):
            chosen = points["confident"].to_numpy() == confident
            if only_confident:
                chosen &= confident
            part, size = points[chosen], 3.2 if chosen.sum() < 150 else 1.6
            self.bars_.append(
                ax.vlines(
                    x[chosen],
                    part["lower"],
                    part["upper"],
                    color=kind["color"],
                    linewidth=kind["width"],
                    zorder=kind["zorder"],
                )
            )
            self.dots_ += ax.plot(
                x[chosen],
                part["difference"],
                kind["marker"],
                color=kind["color"],
                markersize=size,
                label=f"{kind['label']} ({chosen.sum()} points)",
                zorder=kind["zorder"] + 1,
            )
        draw_grid(ax)
        ax.set(xlabel="threshold: positive where score >= threshold", ylabel="(FN − FP) / n")
        add_legend(
            ax, [dots for dots in self.dots_ if len(dots.get_xdata())], loc="upper left"
        )  # FN − FP rises: free
        set_title(
            ax,
            f"Tango's {100 * (1 - self.segment.alpha):g} % intervals, n = {self.segment.roc.n}",
            self.name,
        )
        apply_style(ax, self.dots_, look)
        return self


@dataclass(repr=False)
class SegmentsDisplay(Display):
    """SAUC against the absolute AveD of several classifiers (Figure 5), with what SAUC does not say
    below.

    Attributes
    ----------
    segments : Segments
    left_out : list of str, once drawn
        Names for which there was no room; the points are drawn and the caption counts them.
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

    def plot(self, ax: Any = None, **look: Any) -> SegmentsDisplay:
        """Draw on `ax`, or on a figure of its own, with matplotlib's keywords for its points."""
        own, self.ax_ = ax is None, make_axes(ax, size=(6.0, 5.0))
        ax = self.ax_
        self.figure_ = ax.figure
        table = self.segments.table.drop(index=list(self.segments.excluded))
        spots = list(zip(table["AveD"].astype(float), table["SAUC"].astype(float), strict=True))
        turn = style_numbers(table.index)
        self.points_ = [
            ax.scatter(x, y, s=42, **marker_style(turn[name]))
            for name, (x, y) in zip(table.index, spots, strict=True)
        ]
        draw_grid(ax)
        ax.set(
            xlabel="AveD: mean |FN − FP| / n over the confident points",
            ylabel="SAUC: area under the segment",
        )
        ax.margins(0.18)
        n = sorted({segment.roc.n for segment in self.segments.segments.values()})
        said = f"n = {n[0]}" if len(n) == 1 else f"n = {n[0]} to {n[-1]}: SAUC is not comparable"
        set_title(ax, f"balanced misclassification segments, {said} (better: up and left)")
        self.left_out = list(
            table.index
        )  # the longest caption: the axes keep their place whatever is left out
        self.caption_ = add_caption(ax, self._beside())
        self.texts_, self.left_out = name_points(ax, spots, self.left_out) if spots else ([], [])
        if own:
            ax.figure.set_layout_engine("none")
        self.caption_.remove()
        self.caption_ = add_caption(ax, self._beside())
        apply_style(ax, self.points_, look)
        return self

    def _beside(self) -> str:
        without, said = self.segments.excluded, [CAUTION + "."]
        if without:
            named = ", ".join(map(escape_label, without[:5])) + (
                f" and {len(without) - 5} more" if len(without) > 5 else ""
            )
            said.append(f"No confident point: {named}.")
        if self.left_out:
            k = len(self.left_out)
            said.append(f"{k} name{' is' if k == 1 else 's are'} left out for want of room.")
        return " ".join(said)


_FAINT: dict[str, Any] = {
    "color": "#B5B5B5",
    "width": 0.8,
    "marker": "s",
    "zorder": 2,
    "label": "0 outside",
}
_DARK: dict[str, Any] = {
    "color": "#0072B2",
    "width": 1.5,
    "marker": "o",
    "zorder": 4,
    "label": "0 inside: confident",
}


def _finite(at_least: pd.Series) -> np.ndarray:
    """Thresholds with the infinite one, "nothing is positive", set a twentieth of the range above
    the highest.
    """
    x = at_least.to_numpy(dtype=float).copy()
    x[0] = x[1] + (0.05 * (x[1] - x[-1]) or 1.0)
    return np.asarray(x)
