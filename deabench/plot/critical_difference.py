"""The critical-difference diagram of Demšar (2006), drawn by scikit-posthocs."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from deabench.compare import pairwise
from deabench.compare.pairwise import symmetric_matrix
from deabench.errors import DataError
from deabench.plot.canvas import (
    apply_style,
    background_colour,
    font_size,
    make_axes,
    save_figure,
    text_colour,
)
from deabench.plot.display import Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
    figure_: Figure = field(init=False, repr=False)
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
                "a critical-difference diagram needs three or more classifiers over data sets"
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

        ax = make_axes(ax, size=(8, 1.6 + 0.2 * len(self.mean_ranks)))
        p_values = self.p_values
        if self.control is not None:
            # Against a control no bar joins classifiers: all other pairs count as different.
            names = self.mean_ranks.index
            p_values = pd.DataFrame(np.eye(len(names)), index=names, columns=names)
        self.artists_ = critical_difference_diagram(
            self.mean_ranks,
            p_values,
            alpha=self.alpha,
            ax=ax,
            label_fmt_left="{label} ({rank:.2f})",
            label_fmt_right="({rank:.2f}) {label}",
            elbow_props={"color": text_colour(), "linewidth": 0.8},
            marker_props={"color": text_colour(), "s": 22},
            crossbar_props={"color": text_colour(), "linewidth": 4},
        )
        if self.control is not None:
            self._mark_differences_from_control(ax)
        ax.set_title(self.caption(), fontsize=font_size(9), pad=14)
        apply_style(ax, self.artists_["markers"], style)
        self.ax_ = ax
        self.figure_ = ax.get_figure()  # type: ignore[assignment]  # of axes on a figure
        return self

    def caption(self) -> str:
        """Return what the diagram shows, in a line."""
        level = f"α = {self.alpha:g}, {self.adjust.capitalize()}"
        if self.control is None:
            return f"Mean rank (1 = best); a bar joins classifiers not found different ({level})"
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

    def _mark_differences_from_control(self, ax: Axes) -> None:
        # Replace the library's markers, which do not tell differences from the control.
        for marker in self.artists_["markers"]:
            marker.remove()
        self.artists_["markers"] = []
        ink = text_colour()
        for name, value in self.mean_ranks.items():
            if name == self.control:
                marks: dict[str, Any] = {"marker": "o", "facecolor": ink, "edgecolor": ink}
            elif self.p_values.loc[self.control, name] < self.alpha:
                marks = {"marker": "x", "color": ink}
            else:
                marks = {"marker": "o", "facecolor": background_colour(), "edgecolor": ink}
            dot = ax.scatter(value, 0, s=40, zorder=4, clip_on=False, **marks)
            self.artists_["markers"].append(dot)
