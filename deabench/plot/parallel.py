"""Parallel coordinates of actual and target, for three metrics or more."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from deabench.plot.canvas import (
    COLOURS,
    GREY,
    MARKERS,
    add_legend,
    apply_style,
    draw_grid,
    escape_label,
    label_with_direction,
    line_style,
    make_axes,
    style_numbers,
)
from deabench.plot.display import Display
from deabench.tables.transforms import Transforms

if TYPE_CHECKING:
    from deabench.results.targets import Targets

MOST = 10


@dataclass(repr=False)
class ParallelDisplay(Display):
    """One vertical line per metric, the better end above; the tested DMUs full, their targets
    dashed, the frontier's DMUs faint.

    Attributes
    ----------
    actual, target : DataFrame, n x metrics
    frontier : DataFrame, e x metrics
    total : int
        Tested DMUs in all; the first of them are drawn.
    transforms : mapping of metric to AffineTransform
        Which metrics are better low: their lines run from the greatest value below to the least
        above.
    ax_, figure_, faint_, lines_, targets_ : artists, once drawn

    Examples
    --------
    >>> from deabench import plot
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> plot.ParallelDisplay.from_result(db.targets(wine, wine, outputs=["TPR", "TNR"]))
    ParallelDisplay: not drawn yet; plot() draws it
    """

    actual: pd.DataFrame
    target: pd.DataFrame
    frontier: pd.DataFrame
    total: int
    transforms: Transforms = field(default_factory=dict)

    @classmethod
    def from_result(cls, found: Targets, *, most: int = MOST) -> ParallelDisplay:
        """The first `most` of the targets."""
        return cls(
            found.actual.iloc[:most],
            found.targets.iloc[:most],
            found.frontier.points,
            len(found.actual),
            found.frontier.data.transforms,
        )

    def plot(self, ax: Any = None, **look: Any) -> ParallelDisplay:
        """Draw on `ax`, or on a figure of its own, with matplotlib's keywords for its marks."""
        from matplotlib.collections import LineCollection

        s = self.actual.shape[1]
        self.ax_ = ax = make_axes(ax, size=(2.4 + 1.3 * s, 4.4))
        self.figure_ = ax.figure
        every = np.vstack([self.actual, self.target.dropna(), self.frontier])
        low = np.array(
            [getattr(self.transforms.get(name), "sign", 1.0) < 0 for name in self.actual.columns]
        )
        self.low = np.where(low, every.max(axis=0), every.min(axis=0))
        self.high = np.where(low, every.min(axis=0), every.max(axis=0))
        x = np.arange(s)
        faint = [np.column_stack([x, row]) for row in self._shares(self.frontier)]
        self.faint_ = ax.add_collection(
            LineCollection(faint, colors=GREY, alpha=0.4, linewidths=0.8, zorder=1)
        )
        self.lines_, self.targets_, turn = [], [], style_numbers(self.actual.index)
        for row, name in enumerate(self.actual.index):
            k = turn[name]
            own = {
                "color": line_style(k)["color"],
                "zorder": 3,
            }  # with more names than colours the markers tell them apart
            mark = MARKERS[(k + k // len(COLOURS)) % len(MARKERS)]
            self.lines_ += ax.plot(
                x,
                self._shares(self.actual.iloc[[row]])[0],
                linewidth=1.7,
                marker=mark,
                markersize=5,
                label=escape_label(name),
                **own,
            )
            self.targets_ += ax.plot(
                x,
                self._shares(self.target.iloc[[row]])[0],
                linewidth=1.4,
                linestyle=(0, (4, 2)),
                marker="x",
                markersize=6,
                **own,
            )
        self._scales(ax, x)
        add_legend(ax, self.lines_, loc="center left", bbox_to_anchor=(1.01, 0.5))
        more = (
            f"; the first {len(self.actual)} of {self.total}"
            if self.total > len(self.actual)
            else ""
        )
        ax.set_title(
            f"full: actual, × dashed: target, grey: the frontier's DMUs{more}",
            fontsize=9,
            loc="left",
        )
        apply_style(ax, self.lines_, look)
        return self

    def _shares(self, frame: pd.DataFrame) -> np.ndarray:
        """Each metric from its worst (0) to its best value (1) in the picture; in the middle where
        it is constant.
        """
        width = self.high - self.low
        return np.where(
            width != 0, (frame.to_numpy() - self.low) / np.where(width != 0, width, 1.0), 0.5
        )

    def _scales(self, ax: Any, x: np.ndarray) -> None:
        draw_grid(ax)
        ax.grid(False, axis="y")
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
        ax.set(xlim=(-0.3, len(x) - 0.7), ylim=(-0.09, 1.09))
        ax.set_xticks(
            x,
            [
                label_with_direction(name, self.transforms.get(name)).replace(" (", "\n(")
                for name in self.actual.columns
            ],
        )
        for k in x:
            ax.axvline(k, color=GREY, linewidth=0.8, zorder=0)
            ax.annotate(
                f"{self.high[k]:.4g}",
                (k, 1),
                (0, 5),
                textcoords="offset points",
                ha="center",
                fontsize=7,
            )
            ax.annotate(
                f"{self.low[k]:.4g}",
                (k, 0),
                (0, -5),
                textcoords="offset points",
                ha="center",
                va="top",
                fontsize=7,
            )
