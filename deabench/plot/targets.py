"""Actual values and targets: as dumbbells per metric, and as parallel coordinates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.collections import LineCollection
from matplotlib.ticker import MaxNLocator

from deabench.plot.canvas import (
    COLOURS,
    GREY,
    MARKERS,
    add_legend,
    apply_style,
    count_rows_with_room,
    draw_grid,
    escape_label,
    font_size,
    is_lower_better,
    is_narrow,
    label_with_direction,
    line_style,
    make_axes,
    row_font_size,
    set_title,
    style_numbers,
)
from deabench.plot.display import Display
from deabench.tables.transforms import Transforms

if TYPE_CHECKING:
    from deabench.results.targets import Targets

MAX_ROWS = 40
MAX_LINES = 10


@dataclass(repr=False)
class TargetsDisplay(Display):
    """One panel per metric: each tested DMU, its target, and the gap in the metric's own unit.

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
    def from_result(cls, targets: Targets, *, max_rows: int = MAX_ROWS) -> TargetsDisplay:
        """Show the first `max_rows` of the targets."""
        return cls(
            targets.actual.iloc[:max_rows],
            targets.targets.iloc[:max_rows],
            targets.distance.iloc[:max_rows],
            targets.norm,
            len(targets.actual),
            targets.frontier.data.transforms,
        )

    def plot(self, ax: Any = None, **style: Any) -> TargetsDisplay:
        """Draw the panels where `ax` is, or on a new figure; keywords are for the dots."""
        count, metric_count = self.actual.shape
        self.ax_ = frame = make_axes(ax, size=(1.6 + 2.5 * metric_count, 1.4 + 0.3 * count))
        count = count_rows_with_room(frame, count, 9)
        frame.set_axis_off()
        grid = None
        # In a grid of axes the panels share the place of `ax`; elsewhere they are inset.
        if frame.get_subplotspec() is not None:
            grid = frame.get_subplotspec().subgridspec(1, metric_count)
        self.axes_: list[Any] = []
        self.lines_: list[Any] = []
        self.dots_: list[Any] = []
        self.texts_: list[Any] = []
        for k, metric in enumerate(self.actual.columns):
            if grid is not None:
                panel = self.figure_.add_subplot(grid[k])
            else:
                left = k / metric_count + 0.02
                panel = frame.inset_axes([left, 0, 1 / metric_count - 0.04, 1])
            self._draw_panel(panel, metric, count, show_names=k == 0)
        title = f"▲ actual, × closest target ({self.norm})"
        remarks = []
        if self._is_crowded():
            remarks.append("gap beside")
        if self.total > count:
            remarks.append(f"the first {count} of {self.total}")
        if remarks:
            title += f"\n{'; '.join(remarks)}"
        set_title(self.axes_[0], title + "\n")
        apply_style(self.axes_[0], [dot for dots in self.dots_ for dot in dots], style)
        return self

    def _draw_panel(self, ax: Any, metric: str, count: int, *, show_names: bool) -> None:
        actual = self.actual[metric].to_numpy()[:count]
        target = self.target[metric].to_numpy()[:count]
        y = np.arange(len(actual))
        self.axes_.append(ax)
        self.lines_.append(ax.hlines(y, actual, target, color=GREY, linewidth=1.6, zorder=1))
        triangles = ax.scatter(actual, y, marker="^", s=34, color=COLOURS[1], zorder=3)
        crosses = ax.scatter(target, y, marker="x", s=34, color=COLOURS[0], zorder=3)
        self.dots_.append([triangles, crosses])
        gaps = [
            ax.annotate(
                _gap_text(b - a, 2 if self._is_crowded() else 4),
                # At the right of the rightmost of the two marks; a missing target is NaN.
                (np.nanmax([a, b]), row),
                (7, 0),
                textcoords="offset points",
                va="center",
                fontsize=font_size(7),
            )
            for row, (a, b) in enumerate(zip(actual, target, strict=True))
        ]
        self.texts_.append(gaps)
        values = np.append(actual, target[~np.isnan(target)])
        # A metric that is constant still gets a width.
        width = max(np.ptp(values), 1e-3 * np.abs(values).max(), 1e-12)
        # The gaps are written at the right of the dots; they take more of a narrow panel.
        room = 1.2 if self._is_crowded() else 0.34
        ax.set_xlim(values.min() - 0.08 * width, values.max() + room * width)
        ax.set_ylim(len(y) - 0.5, -0.5)
        # Only the leftmost panel names the rows.
        names = [""] * len(y)
        if show_names:
            names = [escape_label(name) for name in self.actual.index[:count]]
        ax.set_yticks(y, names, fontsize=row_font_size(ax, len(names)))
        ax.tick_params(axis="x", labelsize=font_size(7.5))
        # A narrow panel has room for two numbers and short lines.
        is_crowded = self._is_crowded()
        ax.xaxis.set_major_locator(MaxNLocator(2 if is_crowded else 4))
        label = label_with_direction(metric, self.transforms.get(metric))
        label = _in_short_lines(label) if is_crowded else f"{label}\n(gap beside)"
        ax.set_xlabel(label, fontsize=font_size(8))
        draw_grid(ax)

    def _is_crowded(self) -> bool:
        """Return whether the panels are too narrow for their labels in one line."""
        return bool(self.figure_.get_size_inches()[0] < 1.8 * self.actual.shape[1])


def _in_short_lines(label: str) -> str:
    """Break the label of a metric where its direction stands: panels stand close together."""
    return label.replace(" (", "\n(").replace(" is better", "\nis better")


def _gap_text(gap: float, digits: int) -> str:
    if np.isnan(gap):
        return "no target"
    if abs(gap) < 5e-10:
        return "0"
    return f"{gap:+.{digits}g}"


@dataclass(repr=False)
class ParallelDisplay(Display):
    """One vertical line per metric, its better end above, for three metrics or more.

    Full lines are tested DMUs, dashed ones their targets, faint ones the DMUs of the frontier.

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
    def from_result(cls, targets: Targets, *, max_rows: int = MAX_LINES) -> ParallelDisplay:
        """Show the first `max_rows` of the targets."""
        return cls(
            targets.actual.iloc[:max_rows],
            targets.targets.iloc[:max_rows],
            targets.frontier.points,
            len(targets.actual),
            targets.frontier.data.transforms,
        )

    def plot(self, ax: Any = None, **style: Any) -> ParallelDisplay:
        """Draw on `ax`, or on a new figure, with matplotlib's keywords for the full lines."""
        count, metric_count = self.actual.shape
        self.ax_ = ax = make_axes(ax, size=(2.4 + 1.3 * metric_count, 4.4))
        values = np.vstack([self.actual, self.target.dropna(), self.frontier])
        lower_is_better = [is_lower_better(self.transforms.get(name)) for name in self.actual]
        self.worst = np.where(lower_is_better, values.max(axis=0), values.min(axis=0))
        self.best = np.where(lower_is_better, values.min(axis=0), values.max(axis=0))
        x = np.arange(metric_count)
        faint = [np.column_stack([x, heights]) for heights in self._heights(self.frontier)]
        self.faint_ = ax.add_collection(
            LineCollection(faint, colors=GREY, alpha=0.4, linewidths=0.8, zorder=1)
        )
        self.lines_: list[Any] = []
        self.targets_: list[Any] = []
        numbers = style_numbers(self.actual.index)
        actual_heights = self._heights(self.actual)
        target_heights = self._heights(self.target)
        for row, name in enumerate(self.actual.index):
            k = numbers[name]
            # With more names than colours the markers tell them apart.
            own_style = {"color": line_style(k)["color"], "zorder": 3}
            self.lines_ += ax.plot(
                x,
                actual_heights[row],
                linewidth=1.7,
                marker=MARKERS[(k + k // len(COLOURS)) % len(MARKERS)],
                markersize=5,
                label=escape_label(name),
                **own_style,
            )
            self.targets_ += ax.plot(
                x,
                target_heights[row],
                linewidth=1.4,
                linestyle=(0, (4, 2)),
                marker="x",
                markersize=6,
                **own_style,
            )
        self._draw_scales(ax, x)
        add_legend(ax, self.lines_, loc="center left", bbox_to_anchor=(1.01, 0.5))
        title = "full: actual, × dashed: target, grey: the frontier's systems"
        if self.total > count:
            title += f"; the first {count} of {self.total}"
        set_title(ax, title)
        apply_style(ax, self.lines_, style)
        return self

    def _heights(self, frame: pd.DataFrame) -> np.ndarray:
        """Return each metric from its worst (0) to its best value (1) in the picture.

        A metric that is constant stands in the middle.
        """
        width = self.best - self.worst
        is_constant = width == 0
        # Divide by 1 where the width is 0.
        shares = (frame.to_numpy() - self.worst) / np.where(is_constant, 1.0, width)
        return np.where(is_constant, 0.5, shares)

    def _draw_scales(self, ax: Any, x: np.ndarray) -> None:
        draw_grid(ax)
        ax.grid(False, axis="y")
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
        ax.set(xlim=(-0.3, len(x) - 0.7), ylim=(-0.09, 1.09))
        labels = [label_with_direction(name, self.transforms.get(name)) for name in self.actual]
        if is_narrow(ax):
            # The numbers at the ends take more of a low figure.
            ax.set_ylim(-0.25, 1.25)
            labels = [_in_short_lines(label) for label in labels]
        ax.set_xticks(x, [label.replace(" (", "\n(") for label in labels])
        for k in x:
            ax.axvline(k, color=GREY, linewidth=0.8, zorder=0)
            for value, height, offset, vertical in (
                (self.best[k], 1, 5, "baseline"),
                (self.worst[k], 0, -5, "top"),
            ):
                ax.annotate(
                    f"{value:.4g}",
                    (k, height),
                    (0, offset),
                    textcoords="offset points",
                    ha="center",
                    va=vertical,
                    fontsize=font_size(7),
                )
