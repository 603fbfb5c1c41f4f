"""Actual and target per metric, and the gaps between them, as dumb-bells: a length is a change, in
the metric's own unit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from deabench.plot.canvas import (
    COLOURS,
    GREY,
    apply_style,
    draw_grid,
    escape_label,
    label_with_direction,
    make_axes,
)
from deabench.plot.display import Display
from deabench.tables.transforms import Transforms

if TYPE_CHECKING:
    from deabench.results.targets import Targets

MOST = 40


@dataclass(repr=False)
class TargetsDisplay(Display):
    """One panel per metric: where each tested DMU is, where its target is, and the gap.

    Attributes
    ----------
    actual, target : DataFrame, n x metrics
    distance : Series (n,)
    norm : str
    total : int
        Tested DMUs in all; the first of them are drawn.
    transforms : mapping of metric to AffineTransform
        Which metrics are better low.
    ax_, figure_ : once drawn; ax_ holds the place of all panels
    axes_, lines_, dots_, texts_ : artists, one list entry per metric

    Examples
    --------
    >>> from deabench import plot
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> plot.TargetsDisplay.from_result(db.targets(wine, wine, outputs=["TPR", "TNR"]))
    TargetsDisplay: not drawn yet; plot() draws it
    """

    actual: pd.DataFrame
    target: pd.DataFrame
    distance: pd.Series
    norm: str
    total: int
    transforms: Transforms = field(default_factory=dict)

    @classmethod
    def from_result(cls, found: Targets, *, most: int = MOST) -> TargetsDisplay:
        """The first `most` of the targets."""
        return cls(
            found.actual.iloc[:most],
            found.targets.iloc[:most],
            found.distance.iloc[:most],
            found.norm,
            len(found.actual),
            found.frontier.data.transforms,
        )

    def plot(self, ax: Any = None, **look: Any) -> TargetsDisplay:
        """Draw on `ax` (metrics side by side in its place), or on a figure of its own, with
        matplotlib's keywords for its marks.
        """
        n, s = self.actual.shape
        own = make_axes(ax, size=(1.6 + 2.5 * s, 1.4 + 0.3 * n))
        self.figure_ = own.figure
        own.set_axis_off()
        grid = (
            own.get_subplotspec().subgridspec(1, s) if own.get_subplotspec() is not None else None
        )
        self.axes_, self.lines_, self.dots_, self.texts_ = (
            list[Any](),
            list[Any](),
            list[Any](),
            list[Any](),
        )
        for k, metric in enumerate(self.actual.columns):
            panel = (
                self.figure_.add_subplot(grid[k])
                if grid is not None
                else own.inset_axes([k / s + 0.02, 0, 1 / s - 0.04, 1])
            )
            self._panel(panel, metric, first=k == 0)
        self.ax_ = own
        more = f"; the first {n} of {self.total}" if self.total > n else ""
        self.axes_[0].set_title(
            f"▲ actual, × closest target ({self.norm}){more}\n", fontsize=9, loc="left"
        )
        apply_style(self.axes_[0], [dot for dots in self.dots_ for dot in dots], look)
        return self

    def _panel(self, ax: Any, metric: str, *, first: bool) -> None:
        actual, target = self.actual[metric].to_numpy(), self.target[metric].to_numpy()
        y = np.arange(len(actual))
        self.axes_.append(ax)
        self.lines_.append(ax.hlines(y, actual, target, color=GREY, linewidth=1.6, zorder=1))
        self.dots_.append(
            [
                ax.scatter(actual, y, marker="^", s=34, color=COLOURS[1], zorder=3),
                ax.scatter(target, y, marker="x", s=34, color=COLOURS[0], zorder=3),
            ]
        )
        self.texts_.append(
            [
                ax.annotate(
                    _signed(b - a),
                    (np.nanmax([a, b]), k),
                    (7, 0),
                    textcoords="offset points",
                    va="center",
                    fontsize=7,
                )
                for k, (a, b) in enumerate(zip(actual, target, strict=True))
            ]
        )
        every = np.append(actual, target[~np.isnan(target)])
        width = max(np.ptp(every), 1e-3 * np.abs(every).max(), 1e-12)
        ax.set(
            xlim=(every.min() - 0.08 * width, every.max() + 0.34 * width), ylim=(len(y) - 0.5, -0.5)
        )
        ax.set_yticks(
            y,
            [escape_label(name) for name in self.actual.index] if first else [""] * len(y),
            fontsize=8,
        )
        ax.tick_params(axis="x", labelsize=8)
        ax.xaxis.set_major_locator(_few())
        ax.set_xlabel(
            f"{label_with_direction(metric, self.transforms.get(metric))}\n(gap beside)", fontsize=8
        )
        draw_grid(ax)


def _few() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(4)


def _signed(gap: float) -> str:
    return "no target" if np.isnan(gap) else "0" if abs(gap) < 5e-10 else f"{gap:+.4g}"
