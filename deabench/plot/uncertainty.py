"""How sure efficiencies are: intervals with verdicts and tiers, and the frontier's band."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.plot.canvas import (
    COLOURS,
    GREY,
    apply_style,
    background_colour,
    draw_grid,
    escape_label,
    has_layout_engine,
    label_with_direction,
    make_axes,
    text_colour,
)
from deabench.plot.display import Display

if TYPE_CHECKING:
    from deabench.inference.uncertainty import Uncertainty

MOST = 40
"""More rows than these cannot be read in one picture."""
LOOKS = {
    "efficient": ("o", COLOURS[0], COLOURS[0]),
    "undecided": ("D", COLOURS[1], ""),
    "dominated": ("v", GREY, GREY),
}
"""Marker, edge and face of each verdict (none: the paper's colour): told apart without colour."""


@dataclass(repr=False)
class UncertaintyDisplay(Display):
    """Intervals of the scores, best first, the verdict by marker, the ranks at the right, a line
    between tiers.

    Attributes
    ----------
    frame : DataFrame
        As `Uncertainty.to_frame`, the first `MOST` rows.
    total : int
        Classifiers in all.
    level : float
    scope : str
        What the intervals hold for together.
    ax_, figure_, dots_, intervals_, tiers_, ranks_ : artists, once drawn

    Examples
    --------
    >>> from deabench import plot
    >>> import deabench as db
    >>> y, a, b = [1] * 40 + [0] * 60, [1] * 35 + [0] * 65, [1] * 30 + [0] * 70
    >>> samples = db.Samples.from_predictions(y, {"a": a, "b": b})
    >>> plot.UncertaintyDisplay.from_result(db.uncertainty(samples))
    UncertaintyDisplay: not drawn yet; plot() draws it
    """

    frame: pd.DataFrame
    total: int
    level: float
    scope: str

    @classmethod
    def from_result(cls, result: Uncertainty, *, most: int = MOST) -> UncertaintyDisplay:
        """The best `most` classifiers of a result."""
        scope = "all at once" if result.simultaneous else "each by itself"
        return cls(result.to_frame().iloc[:most], len(result.scores), result.level, scope)

    def plot(self, ax: Any = None, **look: Any) -> UncertaintyDisplay:
        """Draw on `ax`, or on a figure of its own, with matplotlib's keywords for its marks."""
        self.ax_ = ax = make_axes(ax, size=(7.0, 1.3 + 0.24 * len(self.frame)))
        self.figure_ = ax.figure
        frame, y = self.frame, np.arange(len(self.frame))
        ax.axvline(1, color=text_colour(), linewidth=0.8)
        self.intervals_ = ax.hlines(y, frame["lower"], frame["upper"], color=GREY, linewidth=2.2)
        self.dots_ = {}
        for verdict, (marker, edge, face) in LOOKS.items():
            rows = (frame["verdict"] == verdict).to_numpy()
            if rows.any():
                self.dots_[verdict] = ax.scatter(
                    frame["score"][rows],
                    y[rows],
                    s=36,
                    zorder=3,
                    marker=marker,
                    edgecolors=edge,
                    facecolors=face or background_colour(),
                    label=verdict,
                )
        ends = np.flatnonzero(np.diff(frame["tier"])) + 0.5
        self.tiers_ = [
            ax.axhline(end, color=text_colour(), linewidth=0.8, linestyle=(0, (4, 2)))
            for end in ends
        ]
        ax.set_yticks(y, [escape_label(name) for name in frame.index], fontsize=8)
        ax.set_ylim(len(frame) - 0.5, -0.5)
        draw_grid(ax)
        self._beside(ax)
        apply_style(ax, list(self.dots_.values()), look)
        return self

    def _beside(self, ax: Any) -> None:
        pairs = zip(self.frame["best_rank"], self.frame["worst_rank"], strict=True)
        ranks = (
            [f"{best} to {worst}" if best != worst else str(best) for best, worst in pairs]
            if has_layout_engine(ax)
            else []
        )
        self.ranks_ = [
            ax.annotate(
                text,
                (1, k),
                (6, 0),
                xycoords=("axes fraction", "data"),
                textcoords="offset points",
                va="center",
                fontsize=7,
                color=text_colour(),
                annotation_clip=False,
            )
            for k, text in enumerate(ranks)
        ]
        head = "ranks" if ranks else ""
        self.ranks_.append(
            ax.annotate(
                head,
                (1, 1),
                (6, 6),
                xycoords="axes fraction",
                fontsize=8,
                textcoords="offset points",
                va="bottom",
                annotation_clip=False,
            )
        )
        more = (
            f"\nthe best {len(self.frame)} of {self.total}" if self.total > len(self.frame) else ""
        )
        ax.set_xlabel(
            f"efficiency with its interval ({100 * self.level:g} %, {self.scope}; 1: on the frontier){more}"
        )
        lines = "   - - between tiers proved apart" if self.tiers_ else ""
        ax.set_title(f"● efficient   ◇ undecided   ▼ dominated{lines}", fontsize=9, loc="left")


@dataclass(repr=False)
class FrontierBandDisplay(Display):
    """The frontier of two metrics with the band that holds the true one, and every classifier with
    its two intervals.

    Attributes
    ----------
    band : DataFrame
        Columns (metric, [lower, value, upper]).
    metrics : tuple of two str
    level : float
    ax_, figure_, area_, line_, dots_ : artists, once drawn

    Examples
    --------
    >>> from deabench import plot
    >>> import deabench as db
    >>> y, a, b = [1] * 40 + [0] * 60, [1] * 35 + [0] * 65, [1] * 30 + [0] * 70
    >>> samples = db.Samples.from_predictions(y, {"a": a, "b": b})
    >>> plot.FrontierBandDisplay.from_result(db.uncertainty(samples, method="max-t"))
    FrontierBandDisplay: not drawn yet; plot() draws it
    """

    band: pd.DataFrame
    metrics: tuple[str, str]
    level: float

    @classmethod
    def from_result(cls, result: Uncertainty) -> FrontierBandDisplay:
        """The band of a result with two metrics and no input.

        Raises
        ------
        DataError
            Where there are more or fewer.
        """
        if len(result.metrics) != 2 or result.problem.inputs:
            raise DataError(
                "the band of a frontier is drawn for two metrics to be high and there are "
                f"{len(result.metrics)} columns; name two in outputs"
            )
        return cls(result.band, (result.metrics[0], result.metrics[1]), result.level)

    def plot(self, ax: Any = None, **look: Any) -> FrontierBandDisplay:
        """Draw on `ax`, or on a figure of its own, with matplotlib's keywords for its marks."""
        self.ax_ = ax = make_axes(ax)
        self.figure_ = ax.figure
        first, second = self.metrics
        chains = {
            end: staircase(self.band[[(first, end), (second, end)]].to_numpy())
            for end in ("lower", "value", "upper")
        }
        outline = np.vstack([chains["upper"], chains["lower"][::-1]])
        self.area_ = ax.fill(
            outline[:, 0], outline[:, 1], color=COLOURS[4], alpha=0.3, linewidth=0
        )[0]
        self.line_ = ax.plot(*chains["value"].T, color=COLOURS[0], linewidth=1.4)[0]
        self.dots_ = ax.scatter(
            self.band[first, "value"],
            self.band[second, "value"],
            s=18,
            color=text_colour(),
            zorder=3,
        )
        ax.set(xlabel=label_with_direction(first, None), ylabel=label_with_direction(second, None))
        ax.set_title(
            f"frontier, and where the true one lies ({100 * self.level:g} %)",
            fontsize=9,
            loc="left",
        )
        draw_grid(ax)
        apply_style(ax, [self.line_], look)
        return self


def staircase(points: np.ndarray) -> np.ndarray:
    """The outline of what mixtures of the points, and anything below them, attain: from the second
    axis to the first.
    """
    order = np.lexsort((points[:, 1], points[:, 0]))
    chain: list[np.ndarray] = []
    for point in points[order]:
        while chain and (
            point[1] >= chain[-1][1] or (len(chain) > 1 and _left(chain[-2], chain[-1], point))
        ):
            chain.pop()
        chain.append(point)
    hull = np.array(chain)
    return np.vstack([[0.0, hull[0, 1]], hull, [hull[-1, 0], 0.0]])


def _left(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> bool:
    """Whether b lies on or below the line from a to c."""
    return bool((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) >= 0)
