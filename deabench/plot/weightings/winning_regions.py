"""Draw the weights under which each row is first: as a strip, a triangle, or intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import to_rgb
from scipy.spatial import ConvexHull

from deabench.errors import DataError
from deabench.plot.canvas import (
    COLOURS,
    GREY,
    apply_style,
    background_colour,
    draw_grid,
    escape_label,
    make_axes,
    text_colour,
)
from deabench.plot.display import Display
from deabench.results.weightings import Weightings

MAX_NAMED = 12
"""Regions that are named; the others are drawn without a name."""
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
"""The triangle of three weights."""
LEAST_NAMED_SHARE = 0.02
"""A smaller region has no room for a name."""


@dataclass(repr=False)
class WinningRegionsDisplay(Display):
    """Winning regions: a strip for two metrics, a triangle for three, intervals for more.

    Attributes
    ----------
    vertices : dict of label to DataFrame, vertices x metrics
        The corners of each region, largest first.
    shares : Series
        The share of each region.
    outline : DataFrame
        The vertices of all admissible weights.
    ax_, figure_, regions_ : artists, once drawn

    Examples
    --------
    >>> from deabench import plot
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> plot.WinningRegionsDisplay.from_result(db.weightings(wine, outputs=["TPR", "TNR"])).plot()
    WinningRegionsDisplay: drawn; figure_ is its figure, deabench.plot.save_figure writes it
    """

    vertices: dict[Any, pd.DataFrame]
    shares: pd.Series
    outline: pd.DataFrame

    @classmethod
    def from_result(cls, result: Weightings) -> WinningRegionsDisplay:
        """Show the regions of all rows that can be first, ties left out.

        Raises
        ------
        DataError
            If the weights have no regions: ratios of outputs to inputs, and more than six metrics.
        """
        regions = {
            name: region for name, region in result.winning_regions.items() if region.share > 0
        }
        if not regions or len(result.metrics) < 2:
            raise DataError(
                "there are no winning regions to draw; they exist for 2 to 6 metrics in "
                "model='value', or without inputs"
            )
        shares = pd.Series({name: region.share for name, region in regions.items()}, dtype=float)
        shares = shares.sort_values(ascending=False, kind="stable")
        vertices = {name: regions[name].vertices for name in shares.index}
        side = result.sides[0]
        return cls(vertices, shares, pd.DataFrame(side.polytope.shares, columns=list(side.names)))

    def plot(self, ax: Any = None, **style: Any) -> WinningRegionsDisplay:
        """Draw on `ax`, or on a new figure, with matplotlib's keywords for the regions."""
        metrics = self.outline.shape[1]
        if metrics == 2:
            self._plot_strip(ax)
        elif metrics == 3:
            self._plot_triangle(ax)
        else:
            self._plot_intervals(ax)
        apply_style(self.ax_, self.regions_, style)
        return self

    def _plot_strip(self, ax: Any) -> None:
        """Draw what the first metric counts from 0 to 100 %."""
        self.ax_ = ax = make_axes(ax, size=(6.4, 1.9))
        self.figure_ = ax.figure
        first, second = self.outline.columns
        self.regions_ = []
        order = sorted(self.vertices, key=lambda name: self.vertices[name][first].min())
        for k, name in enumerate(order):
            weights = 100 * self.vertices[name][first]
            low, high = weights.min(), weights.max()
            self.regions_ += list(
                ax.barh(
                    0,
                    high - low,
                    left=low,
                    height=0.8,
                    color=_pale(k),
                    edgecolor=text_colour(),
                    linewidth=0.8,
                )
            )
            is_wide = high - low > 1.1 * len(escape_label(name))
            ax.text(
                (low + high) / 2,
                0,
                f"{escape_label(name)}\n{100 * self.shares[name]:.0f} %",
                ha="center",
                va="center",
                fontsize=8,
                rotation=0 if is_wide else 90,
                color="black",
            )
        ax.set(xlim=(0, 100), ylim=(-0.5, 0.5), yticks=[])
        ax.set_xlabel(f"what {escape_label(first)} counts, % (the rest: {escape_label(second)})")
        ax.set_title("first under which weights", fontsize=9, loc="left")
        for side in ("top", "right", "left"):
            ax.spines[side].set_visible(False)

    def _plot_triangle(self, ax: Any) -> None:
        """Draw three weights as a point of a triangle: each corner is one metric alone."""
        self.ax_ = ax = make_axes(ax, size=(6.2, 5.6))
        self.figure_ = ax.figure
        self.regions_ = []
        for k, (name, vertices) in enumerate(self.vertices.items()):
            polygon = _outline_of(vertices.to_numpy() @ CORNERS)
            self.regions_ += ax.fill(
                *polygon.T, facecolor=_pale(k), edgecolor=text_colour(), linewidth=0.8
            )
            if k < MAX_NAMED and self.shares[name] >= LEAST_NAMED_SHARE:
                # The names stand beside: few regions are wide enough for theirs.
                ax.text(
                    *polygon.mean(axis=0),
                    str(k + 1),
                    ha="center",
                    va="center",
                    fontsize=8,
                    color="black",
                )
        # The triangle, and the admissible part of it.
        ax.fill(*CORNERS.T, facecolor="none", edgecolor=GREY, linewidth=0.8)
        admissible = _outline_of(self.outline.to_numpy() @ CORNERS)
        ax.fill(*admissible.T, facecolor="none", edgecolor=text_colour(), linewidth=1.6)
        for corner, name, vertical in zip(
            CORNERS, self.outline.columns, ("top", "top", "bottom"), strict=True
        ):
            ax.annotate(
                f"{escape_label(name)} alone",
                corner,
                (0, -6 if vertical == "top" else 6),
                textcoords="offset points",
                ha="center",
                va=vertical,
                fontsize=8,
            )
        names = [
            f"{k + 1}  {escape_label(name)}, {100 * share:.2g} %"
            for k, (name, share) in enumerate(self.shares.items())
        ]
        if len(names) > MAX_NAMED:
            names = [*names[:MAX_NAMED], f"and {len(names) - MAX_NAMED} more"]
        ax.text(0.72, 0.86, "\n".join(names), fontsize=7.5, va="top", color=text_colour())
        ax.set(aspect="equal", xlim=(-0.12, 1.3), ylim=(-0.1, 0.94))
        ax.set_axis_off()
        title = "first under which weights; a corner is one metric alone"
        ax.set_title(title, fontsize=9, loc="left")

    def _plot_intervals(self, ax: Any) -> None:
        """Draw between which weights of each metric a row can be first."""
        names = list(self.vertices)[:MAX_NAMED]
        metrics = list(self.outline.columns)
        height = 1.6 + 0.16 * len(names) * (len(metrics) + 1)
        self.ax_ = ax = make_axes(ax, size=(6.4, height))
        self.figure_ = ax.figure
        self.regions_ = []
        ticks = []
        for k, name in enumerate(names):
            for r, metric in enumerate(metrics):
                weights = 100 * self.vertices[name][metric]
                y = k * (len(metrics) + 1) + r
                line = ax.hlines(
                    y,
                    weights.min(),
                    weights.max(),
                    color=COLOURS[r % 6],
                    linewidth=4,
                    label=escape_label(metric) if k == 0 else None,
                )
                self.regions_.append(line)
            ticks.append(k * (len(metrics) + 1) + (len(metrics) - 1) / 2)
        labels = [f"{escape_label(name)} ({100 * self.shares[name]:.0f} %)" for name in names]
        ax.set_yticks(ticks, labels, fontsize=8)
        ax.set_ylim(len(names) * (len(metrics) + 1) - 0.5, -1)
        ax.set_xlim(0, 100)
        draw_grid(ax)
        ax.grid(False, axis="y")
        label = "what a metric counts where the row is first, %"
        if len(self.vertices) > len(names):
            label += f"; the largest {len(names)} of {len(self.vertices)} regions"
        ax.set_xlabel(label)
        ax.legend(
            loc="lower left",
            bbox_to_anchor=(0, 1.0),
            ncols=min(len(metrics), 4),
            fontsize=8,
            frameon=False,
            title="first only between these weights",
            title_fontsize=9,
            alignment="left",
        )


def _outline_of(points: np.ndarray) -> np.ndarray:
    """Return the corners of a convex polygon in order."""
    return np.asarray(points[ConvexHull(points).vertices])


def _pale(k: int) -> Any:
    """Return the k-th colour halfway to the background, so that words show on it."""
    colour = to_rgb(COLOURS[k % 6])
    background = to_rgb(background_colour())
    return tuple(0.5 * a + 0.5 * b for a, b in zip(colour, background, strict=True))
