"""Draw the weights under which each row is first: as a strip, a triangle, or intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import to_rgb

from deabench.errors import DataError
from deabench.plot.canvas import (
    COLOURS,
    GREY,
    apply_style,
    background_colour,
    count_rows_with_room,
    draw_grid,
    escape_label,
    font_size,
    is_narrow,
    make_axes,
    set_title,
    text_colour,
)
from deabench.plot.display import Display
from deabench.results.weightings import Weightings
from deabench.utils.text import two_digits

MAX_NAMED = 12
"""Regions that are named; the others are drawn without a name."""
FIGURE_WIDTH = 76
"""The width of a picture in characters."""
LEGEND_MARK = 8
"""The mark of a label is as wide as so many characters."""
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
"""The triangle of three weights."""
CHARACTER_WIDTH = 1.1
"""What a character takes of a strip, in percent."""
LEAST_NAMED_SHARE = 0.01
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
        return cls(vertices, shares, result.admissible_vertices)

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
        first, second = self.outline.columns
        order = sorted(self.vertices, key=lambda name: self.vertices[name][first].min())
        ends = {name: 100 * self.vertices[name][first].agg(["min", "max"]) for name in order}
        # Names that have no room in their region stand in a legend above.
        narrow = [name for name in order if np.ptp(ends[name]) <= CHARACTER_WIDTH * _width(name)]
        columns = _count_columns([f"{escape_label(name)}, 99 %" for name in narrow], FIGURE_WIDTH)
        legend_rows = math.ceil(len(narrow) / columns)
        self.ax_ = ax = make_axes(ax, size=(6.4, 1.9 + 0.2 * legend_rows))
        self.regions_ = []
        handles = []
        for k, name in enumerate(order):
            start, end = ends[name]
            label = escape_label(name)
            bars = ax.barh(
                0,
                end - start,
                left=start,
                height=0.8,
                color=_pale_colour(k),
                edgecolor=text_colour(),
                linewidth=0.8,
                label=f"{label}, {two_digits(100 * self.shares[name])} %",
            )
            self.regions_ += list(bars)
            if name in narrow:
                handles.append(bars)
            else:
                text = f"{label}\n{100 * self.shares[name]:.0f} %"
                middle = (start + end) / 2
                ax.text(
                    middle, 0, text, ha="center", va="center", fontsize=font_size(8), color="black"
                )
        if handles:
            ax.legend(
                handles=handles,
                loc="upper left",
                borderaxespad=0,
                ncols=columns,
                fontsize=font_size(8),
                frameon=False,
            )
        ax.set(xlim=(0, 100), ylim=(-0.5, 0.5 + 0.2 * legend_rows), yticks=[])
        ax.set_xlabel(f"what {escape_label(first)} counts, % (the rest: {escape_label(second)})")
        set_title(ax, "first under which weights")
        for side in ("top", "right", "left"):
            ax.spines[side].set_visible(False)

    def _plot_triangle(self, ax: Any) -> None:
        """Draw three weights as a point of a triangle: each corner is one metric alone."""
        self.ax_ = ax = make_axes(ax, size=(6.2, 5.6))
        self.regions_ = []
        # The names stand beside the upper half of the triangle.
        named = min(MAX_NAMED, max(1, count_rows_with_room(ax, 2 * MAX_NAMED, 7.5) // 2))
        for k, (name, vertices) in enumerate(self.vertices.items()):
            polygon = vertices.to_numpy() @ CORNERS
            self.regions_ += ax.fill(
                *polygon.T, facecolor=_pale_colour(k), edgecolor=text_colour(), linewidth=0.8
            )
            if k < named and self.shares[name] >= LEAST_NAMED_SHARE:
                # The names stand beside: few regions are wide enough for theirs.
                ax.text(
                    *polygon.mean(axis=0),
                    str(k + 1),
                    ha="center",
                    va="center",
                    fontsize=font_size(8),
                    color="black",
                )
        # The triangle, and the admissible part of it.
        ax.fill(*CORNERS.T, facecolor="none", edgecolor=GREY, linewidth=0.8)
        admissible = self.outline.to_numpy() @ CORNERS
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
                fontsize=font_size(8),
            )
        names = [
            f"{k + 1}  {escape_label(name)}, {two_digits(100 * share)} %"
            for k, (name, share) in enumerate(self.shares.items())
        ]
        if len(names) > named:
            names = [*names[:named], f"and {len(names) - named} more"]
        # The names stand at the right of the triangle; their letters take more of a narrow figure.
        left, right = (0.95, 1.6) if is_narrow(ax) else (0.72, 1.3)
        legend = "\n".join(names)
        ax.text(left, 0.86, legend, fontsize=font_size(7.5), va="top", color=text_colour())
        ax.set(aspect="equal", xlim=(-0.12, right), ylim=(-0.1, 0.94))
        ax.set_axis_off()
        set_title(ax, "first under which weights (a corner: one metric)")

    def _plot_intervals(self, ax: Any) -> None:
        """Draw between which weights of each metric a row can be first."""
        names = list(self.vertices)[:MAX_NAMED]
        metrics = list(self.outline.columns)
        height = 1.6 + 0.16 * len(names) * (len(metrics) + 1)
        self.ax_ = ax = make_axes(ax, size=(6.4, height))
        self.regions_ = []
        ticks = []
        for k, name in enumerate(names):
            # A group of lines for each row, one line for each metric.
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
        ax.set_yticks(ticks, labels, fontsize=font_size(8))
        # The legend has as many columns as fit beside the names.
        room = FIGURE_WIDTH - max(map(len, labels))
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
            ncols=_count_columns([escape_label(metric) for metric in metrics], room),
            fontsize=font_size(8),
            frameon=False,
            title="first only between these weights",
            title_fontsize=font_size(9),
            alignment="left",
        )


def _width(name: Any) -> int:
    """Return the number of characters of a label."""
    return len(escape_label(name))


def _count_columns(labels: list[str], characters: int) -> int:
    """Return how many columns of a legend are no wider than so many characters."""
    longest = max(map(len, labels), default=0) + LEGEND_MARK
    return int(np.clip(characters // longest, 1, max(len(labels), 1)))


def _pale_colour(k: int) -> Any:
    """Return the k-th colour halfway to the background, so that words show on it."""
    colour = to_rgb(COLOURS[k % 6])
    background = to_rgb(background_colour())
    return tuple(0.5 * a + 0.5 * b for a, b in zip(colour, background, strict=True))
