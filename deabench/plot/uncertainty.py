"""Uncertainty of efficiencies: intervals with verdicts and tiers, and the frontier's band."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.geometry.technology import attainable_outline
from deabench.plot.canvas import (
    COLOURS,
    GREY,
    annotate_rows,
    apply_style,
    background_colour,
    count_rows_with_room,
    draw_grid,
    draw_tier_lines,
    escape_label,
    font_size,
    has_layout_engine,
    label_with_direction,
    make_axes,
    set_title,
    text_colour,
)
from deabench.plot.display import Display
from deabench.plot.placement import dots_along, place_names

if TYPE_CHECKING:
    from deabench.inference.uncertainty import Uncertainty

MAX_ROWS = 40
"""More rows cannot be read in one picture."""
VERDICT_MARKS = {
    "efficient": ("o", COLOURS[0], COLOURS[0]),
    "undecided": ("D", COLOURS[1], ""),
    "dominated": ("v", GREY, GREY),
}
"""Marker, edge and face of each verdict (empty: the background's): told apart without colour."""


@dataclass(repr=False)
class UncertaintyDisplay(Display):
    """Intervals of the scores, best first, with verdicts, ranks, and lines between tiers.

    Attributes
    ----------
    frame : DataFrame
        As `Uncertainty.to_frame`, the first rows.
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
    def from_result(cls, result: Uncertainty, *, max_rows: int = MAX_ROWS) -> UncertaintyDisplay:
        """Show the best `max_rows` classifiers of a result."""
        scope = "all at once" if result.simultaneous else "each by itself"
        frame = result.to_frame().iloc[:max_rows]
        return cls(frame, len(result.scores), result.level, scope)

    def plot(self, ax: Any = None, **style: Any) -> UncertaintyDisplay:
        """Draw on `ax`, or on a new figure, with matplotlib's keywords for the dots."""
        self.ax_ = ax = make_axes(ax, size=(7.0, 1.3 + 0.24 * len(self.frame)))
        # As many rows as the figure has room for, the best first.
        frame = self.frame.iloc[: count_rows_with_room(ax, len(self.frame))]
        y = np.arange(len(frame))
        ax.axvline(1, color=text_colour(), linewidth=0.8)
        self.intervals_ = ax.hlines(y, frame["lower"], frame["upper"], color=GREY, linewidth=2.2)
        # Each verdict has its own mark, so that the picture also works without colours.
        self.dots_ = {}
        for verdict, (marker, edge, face) in VERDICT_MARKS.items():
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
        self.tiers_ = draw_tier_lines(ax, frame["tier"])
        ax.set_yticks(y, [escape_label(name) for name in frame.index], fontsize=font_size(8))
        ax.set_ylim(len(frame) - 0.5, -0.5)
        draw_grid(ax)
        # The range of ranks stands at the right of each row, where the figure can make room.
        self.ranks_ = []
        if has_layout_engine(ax):
            ranks = []
            for best, worst in zip(frame["best_rank"], frame["worst_rank"], strict=True):
                text = f"{best} to {worst}"
                if best == worst:
                    text = str(best)
                ranks.append(text)
            self.ranks_ = annotate_rows(ax, ranks, "ranks")
        label = (
            f"efficiency with its interval ({100 * self.level:g} %, {self.scope}; "
            "1: on the frontier)"
        )
        if self.total > len(frame):
            label += f"\nthe best {len(frame)} of {self.total}"
        ax.set_xlabel(label)
        title = "● efficient   ◇ undecided   ▼ dominated"
        if self.tiers_:
            title += "   - - between tiers shown to differ"
        if self.ranks_:
            # The line below the title has the head of the ranks.
            title += "\n"
        set_title(ax, title)
        apply_style(ax, list(self.dots_.values()), style)
        return self


@dataclass(repr=False)
class FrontierBandDisplay(Display):
    """The frontier of two metrics with the band that holds the true one, and every classifier.

    Attributes
    ----------
    band : DataFrame
        Columns (metric, [lower, value, upper]).
    metrics : tuple of two str
    level : float
    ax_, figure_, area_, line_, dots_, texts_ : artists, once drawn
    unnamed_ : int
        How many names found no room.

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
        """Show the band of a result with two metrics and no input.

        Raises
        ------
        DataError
            If there are more metrics, or fewer, or inputs.
        """
        if len(result.metrics) != 2 or result.problem.inputs:
            raise DataError(
                "the band of a frontier is drawn for two metrics to be high and there are "
                f"{len(result.metrics)} columns; name two in outputs"
            )
        # As in the table: the result itself has its metrics in canonical order.
        across, up = [name for name in result.samples.values if name in result.metrics]
        return cls(result.band, (across, up), result.level)

    def plot(self, ax: Any = None, **style: Any) -> FrontierBandDisplay:
        """Draw on `ax`, or on a new figure, with matplotlib's keywords for the line."""
        self.ax_ = ax = make_axes(ax)
        first, second = self.metrics
        outlines = {
            end: attainable_outline(self.band[[(first, end), (second, end)]].to_numpy())
            for end in ("lower", "value", "upper")
        }
        # The area runs along the upper outline and back along the lower one.
        band = np.vstack([outlines["upper"], outlines["lower"][::-1]])
        self.area_ = ax.fill(band[:, 0], band[:, 1], color=COLOURS[4], alpha=0.3, linewidth=0)[0]
        self.line_ = ax.plot(*outlines["value"].T, color=COLOURS[0], linewidth=1.4)[0]
        self.dots_ = ax.scatter(
            self.band[first, "value"],
            self.band[second, "value"],
            s=18,
            color=text_colour(),
            zorder=3,
        )
        ax.set(xlabel=label_with_direction(first, None), ylabel=label_with_direction(second, None))
        set_title(ax, f"frontier, and where the true one lies ({100 * self.level:g} %)")
        draw_grid(ax)
        # The outlines run on to 0; the picture ends beside the lowest limits.
        for metric, set_limits in ((first, ax.set_xlim), (second, ax.set_ylim)):
            lowest = self.band[metric, "lower"].min()
            highest = self.band[metric, "upper"].max()
            margin = 0.04 * (highest - lowest) + 1e-9
            set_limits(lowest - margin, highest + margin)
        points = self.band[[(first, "value"), (second, "value")]].to_numpy()
        self.texts_, self.unnamed_ = place_names(
            ax,
            points,
            self.band.index,
            avoid=dots_along(np.stack([outlines["value"][:-1], outlines["value"][1:]], axis=1)),
        )
        apply_style(ax, [self.line_], style)
        return self
