"""The critical-difference diagram of Demšar (2006), drawn by scikit-posthocs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.ticker import MaxNLocator

from deabench.compare.pairwise import pairwise, symmetric_matrix
from deabench.errors import DataError
from deabench.plot.canvas import (
    apply_style,
    background_colour,
    count_rows_with_room,
    escape_label,
    font_size,
    is_narrow,
    make_axes,
    row_font_size,
    save_figure,
    text_colour,
)
from deabench.plot.display import Display
from deabench.utils.text import shorten_middle

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from deabench.compare import ComparisonResult, Pairwise
    from deabench.compare.adjustment import Adjustment


@dataclass(repr=False)
class CriticalDifferenceDisplay(Display):
    """Mean ranks on a line, best at the left; a bar joins classifiers that are not found different.

    Against a control no bars are drawn: a filled marker is the control, an open one is not found
    different from it, a cross is.

    Attributes
    ----------
    mean_ranks : Series
    p_values : DataFrame
        Adjusted p values, symmetric; NaN for pairs that were not compared.
    alpha : float
    control : str or None
    adjust : str
        The adjustment, for the caption.
    figure_, ax_, artists_ :
        After `plot`: the figure, the axes, and the lists of artists by kind.

    Examples
    --------
    >>> from deabench import plot
    >>> import deabench as db
    >>> plot.CriticalDifferenceDisplay.from_table(db.datasets.load("demsar2006-auc"))
    CriticalDifferenceDisplay: not drawn yet; plot() draws it
    """

    mean_ranks: pd.Series
    p_values: pd.DataFrame
    alpha: float
    control: str | None = None
    adjust: str = "shaffer"
    ax_: Axes = field(init=False, repr=False)
    artists_: dict[str, list[Any]] = field(init=False, repr=False)

    @classmethod
    def from_table(
        cls,
        table: pd.DataFrame,
        *,
        control: str | None = None,
        adjust: Adjustment | None = None,
        higher_is_better: bool = True,
        alpha: float = 0.05,
    ) -> CriticalDifferenceDisplay:
        """Rank the table and test its pairs; see `deabench.compare.pairwise`.

        Raises
        ------
        DataError
            As `pairwise`, or if there are fewer than 3 classifiers.
        """
        # Shaffer's procedure is for all pairs, Holm's for comparisons with a control.
        if adjust is None:
            adjust = "shaffer" if control is None else "holm"
        pairs = pairwise(
            table,
            control=control,
            adjust=adjust,
            higher_is_better=higher_is_better,
            alpha=alpha,
        )
        return cls.from_result(pairs)

    @classmethod
    def from_result(cls, result: Pairwise | ComparisonResult) -> CriticalDifferenceDisplay:
        """Show the pairs that differ, by `deabench.compare.pairwise` or `compare`.

        Where the omnibus test does not reject, no pair is drawn as different. A pair that could
        not be tested is not drawn as different either.

        Raises
        ------
        DataError
            If the result is not about three or more classifiers over data sets.
        """
        # `compare` has no omnibus test for fewer than three or for other data; `pairwise` has no
        # field.
        over_datasets = getattr(result, "omnibus", result) is not None
        if not over_datasets or len(result.mean_ranks) < 3:
            raise DataError(
                "a critical-difference diagram needs three or more systems over data sets"
            )
        if not hasattr(result, "omnibus"):
            p_values = result.matrix()
        else:
            # Picture and words agree: a pair that is not reported as different is not drawn as
            # different, even if its own p value is below alpha.
            adjusted = result.pairs["adjusted"].fillna(1.0)
            shown = adjusted.where(result.pairs["different"], adjusted.clip(lower=result.alpha))
            p_values = symmetric_matrix(result.pairs, result.mean_ranks.index, shown)
        return cls(result.mean_ranks, p_values, result.alpha, result.control, result.adjust)

    def plot(self, ax: Axes | None = None, **style: Any) -> CriticalDifferenceDisplay:
        """Draw on `ax`, or on a new figure, with matplotlib's keywords for the markers."""
        from scikit_posthocs import critical_difference_diagram

        # Each name has a line on its side of the figure, twelve inches at most.
        ax = make_axes(ax, size=(8, min(1.6 + 0.2 * len(self.mean_ranks), 12)))
        names = self._names_with_room(ax)
        # The library writes numbers instead of names, which may hold mathematics, or be alike.
        numbers = range(len(names))
        p_values = self.p_values.loc[names, names].to_numpy()
        if self.control is not None:
            # Against a control no bar joins classifiers: all other pairs count as different.
            p_values = np.eye(len(names))
        self.artists_ = critical_difference_diagram(
            pd.Series(self.mean_ranks[names].to_numpy(), index=numbers),
            pd.DataFrame(p_values, index=numbers, columns=numbers),
            alpha=self.alpha,
            ax=ax,
            label_fmt_left="{label}",
            label_fmt_right="{label}",
            elbow_props={"color": text_colour(), "linewidth": 0.8},
            marker_props={"color": text_colour(), "s": 22},
            crossbar_props={"color": text_colour(), "linewidth": 4},
        )
        self._write_names(ax, names)
        ax.xaxis.set_major_locator(MaxNLocator(4 if is_narrow(ax) else 9))
        if self.control is not None:
            self._mark_differences_from_control(ax, names)
        caption = self.caption()
        if len(names) < len(self.mean_ranks):
            left_out = len(self.mean_ranks) - len(names)
            caption += f"; {left_out} in the middle left out for want of room"
        ax.set_title(caption, fontsize=font_size(9), pad=14)
        apply_style(ax, self.artists_["markers"], style)
        self.ax_ = ax
        return self

    def caption(self) -> str:
        """Return what the diagram shows, in a line."""
        level = f"α = {self.alpha:g}, {self.adjust.capitalize()}"
        if self.control is None:
            return f"Mean rank (1 = best); a bar joins systems not found different ({level})"
        return (
            f"Mean rank (1 = best) against {self.control} (filled); "
            f"× differs, ○ not found different ({level})"
        )

    def save(self, path: str | Path) -> None:
        """Write the drawn figure whole as .png, .svg or .pdf.

        Raises
        ------
        DataError
            If the name has another ending, or the folder is missing.
        """
        save_figure(self.figure_, path)

    def _names_with_room(self, ax: Axes) -> pd.Index:
        """Return the names that have room, best first: the best, the worst and the control."""
        order = self.mean_ranks.sort_values(kind="stable").index
        # Bars take about a third of the height, beside it the names stand in two columns.
        room = 2 * count_rows_with_room(ax, math.ceil(len(order) / 2), 10)
        is_shown = np.ones(len(order), dtype=bool)
        is_shown[math.ceil(room / 2) : len(order) - room // 2] = False
        return order[is_shown | (order == self.control)]

    def _write_names(self, ax: Axes, names: pd.Index) -> None:
        """Write names and mean ranks where the library wrote numbers."""
        lowest, highest = ax.get_ylim()
        size = row_font_size(ax, int(highest - lowest), 7 if is_narrow(ax) else 10)
        # Names on each side take about a third of the width; a letter is 0.55 as wide as high.
        width = 72 * ax.figure.bbox.width / ax.figure.dpi
        characters = int(0.36 * width / (0.55 * size))
        for text in self.artists_["labels"]:
            name = names[int(text.get_text())]
            rank = f"({self.mean_ranks[name]:.2f})"
            label = shorten_middle(escape_label(name), characters - len(rank))
            on_left = text.get_ha() == "right"
            text.set_text(f"{label} {rank}" if on_left else f"{rank} {label}")
            text.set_fontsize(size)

    def _mark_differences_from_control(self, ax: Axes, names: pd.Index) -> None:
        # Replace the library's markers, which do not tell differences from the control.
        for marker in self.artists_["markers"]:
            marker.remove()
        self.artists_["markers"] = []
        ink = text_colour()
        for name, value in self.mean_ranks[names].items():
            if name == self.control:
                marks: dict[str, Any] = {"marker": "o", "facecolor": ink, "edgecolor": ink}
            elif self.p_values.loc[self.control, name] < self.alpha:
                marks = {"marker": "x", "color": ink}
            else:
                marks = {"marker": "o", "facecolor": background_colour(), "edgecolor": ink}
            dot = ax.scatter(value, 0, s=40, zorder=4, clip_on=False, **marks)
            self.artists_["markers"].append(dot)
