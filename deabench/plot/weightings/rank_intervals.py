"""Draw the ranks that each row takes over all weightings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from deabench.plot.canvas import (
    COLOURS,
    GREY,
    apply_style,
    count_rows_with_room,
    draw_grid,
    escape_label,
    font_size,
    make_axes,
    set_title,
)
from deabench.plot.display import Display
from deabench.results.weightings import Weightings

USUAL = 0.9
"""The thick line holds the ranks of so many of the weightings."""
MAX_ROWS = 60
"""More rows are left out, the last by their mean rank."""


@dataclass(repr=False)
class RankIntervalDisplay(Display):
    """Rank intervals: thin from best to worst, thick for 90 % of the weightings, a dot: the mean.

    Attributes
    ----------
    frame : DataFrame
        By row, best mean rank first: best, worst, low, high (the ranks of 90 % of the weightings),
        mean, and with samples best_limit and worst_limit.
    total : int
        Rows in all.
    ax_, figure_, dots_, intervals_, usual_, limits_ : artists, once drawn

    Examples
    --------
    >>> from deabench import plot
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> plot.RankIntervalDisplay.from_result(db.weightings(wine, outputs=["TPR", "TNR"])).plot()
    RankIntervalDisplay: drawn; figure_ is its figure, deabench.plot.save_figure writes it
    """

    frame: pd.DataFrame
    total: int

    @classmethod
    def from_result(cls, result: Weightings, *, max_rows: int = MAX_ROWS) -> RankIntervalDisplay:
        """Show the `max_rows` rows with the best mean ranks."""
        ranks = result.to_frame().iloc[:max_rows]
        frame = ranks[["best", "worst"]].astype(float)
        shares = result.acceptability.loc[ranks.index].to_numpy().cumsum(axis=1)
        tail = (1 - USUAL) / 2
        # The first rank that leaves at most a tail below it, and the last one above it.
        frame["low"] = 1 + (shares > tail).argmax(axis=1)
        frame["high"] = 1 + (shares >= 1 - tail).argmax(axis=1)
        frame["mean"] = ranks["mean_rank"]
        for name in ("best_limit", "worst_limit"):
            frame[name] = ranks.get(name, np.nan)
        return cls(frame, len(result.ranks))

    def plot(self, ax: Any = None, **style: Any) -> RankIntervalDisplay:
        """Draw on `ax`, or on a new figure, with matplotlib's keywords for the dots."""
        self.ax_ = ax = make_axes(ax, size=(6.4, 1.5 + 0.24 * len(self.frame)))
        self.figure_ = ax.figure
        frame = self.frame.iloc[: count_rows_with_room(ax, len(self.frame))]
        y = np.arange(len(frame))
        has_limits = frame["best_limit"].notna()
        self.limits_ = ax.hlines(
            y[has_limits],
            frame["best_limit"][has_limits],
            frame["worst_limit"][has_limits],
            color=GREY,
            linewidth=7,
            alpha=0.35,
        )
        self.intervals_ = ax.hlines(
            y, frame["best"], frame["worst"], color=COLOURS[0], linewidth=1.1
        )
        # The ends are marked: a row of one rank has an interval, too.
        ax.scatter(frame["best"], y, marker="|", s=40, color=COLOURS[0])
        ax.scatter(frame["worst"], y, marker="|", s=40, color=COLOURS[0])
        self.usual_ = ax.hlines(y, frame["low"], frame["high"], color=COLOURS[0], linewidth=4)
        self.dots_ = ax.scatter(
            frame["mean"], y, s=26, zorder=3, color=COLOURS[1], edgecolors="white", linewidths=0.6
        )
        ax.set_yticks(y, [escape_label(name) for name in frame.index], fontsize=font_size(8))
        ax.set_ylim(len(frame) - 0.5, -0.5)
        ax.set_xlim(0.5, self.total + 0.5)
        ax.xaxis.get_major_locator().set_params(integer=True)
        draw_grid(ax)
        label = "rank (1: first)"
        if self.total > len(frame):
            label += f"; the best {len(frame)} of {self.total}"
        ax.set_xlabel(label)
        title = "ranks over all weightings\n— all   ▬ 90 % of them   ● mean"
        if has_limits.any():
            title += "   grey: limits of the samples"
        set_title(ax, title)
        apply_style(ax, [self.dots_], style)
        return self
