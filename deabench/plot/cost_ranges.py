"""Which classifier for which cost ratio: the ranges in which each has the least expected cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from deabench.plot.canvas import (
    COLOURS,
    apply_style,
    draw_grid,
    escape_label,
    has_layout_engine,
    make_axes,
    text_colour,
)
from deabench.plot.display import Display

if TYPE_CHECKING:
    from deabench.results.frontier import Frontier


@dataclass(repr=False)
class CostRangeDisplay(Display):
    """One bar per classifier of the frontier, from the lowest to the highest cost ratio at which it
    is the best.

    Attributes
    ----------
    ranges : DataFrame
        Index: the classifier; from_ratio, to_ratio: cost of a false negative over that of a false
        positive; may be 0, inf.
    prevalence : float
        The share of positives that the ranges hold for.
    ax_, figure_, bars_, texts_ : artists, once drawn

    Examples
    --------
    >>> from deabench import plot
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> plot.CostRangeDisplay.from_result(db.frontier(wine, outputs=["TPR", "TNR"]))
    CostRangeDisplay: not drawn yet; plot() draws it
    """

    ranges: pd.DataFrame
    prevalence: float

    @classmethod
    def from_result(cls, front: Frontier, *, prevalence: float = 0.5) -> CostRangeDisplay:
        """The ranges of a frontier in TPR and TNR; see `Frontier.cost_ranges`."""
        return cls(front.cost_ranges(prevalence=prevalence), prevalence)

    def plot(self, ax: Any = None, **look: Any) -> CostRangeDisplay:
        """Draw on `ax`, or on a figure of its own, with matplotlib's keywords for its marks; the
        axis is logarithmic.
        """
        from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

        count = len(self.ranges)
        self.ax_ = ax = make_axes(ax, size=(7.4, 1.4 + 0.34 * count))
        self.figure_ = ax.figure
        inner = self.ranges.to_numpy().ravel()
        inner = np.append(inner[(inner > 0) & np.isfinite(inner)], 1.0)
        low, high = inner.min() / 4, inner.max() * 4
        start, end = (
            self.ranges["from_ratio"].clip(lower=low),
            self.ranges["to_ratio"].clip(upper=high),
        )
        y = np.arange(count)
        self.bars_ = ax.barh(
            y,
            end - start,
            left=start,
            height=0.66,
            color=COLOURS[4],
            edgecolor=COLOURS[0],
            zorder=2,
        )
        self.texts_ = [
            ax.annotate(
                _words(a, b),
                (1, k),
                (6, 0),
                xycoords=("axes fraction", "data"),
                va="center",
                textcoords="offset points",
                fontsize=8,
                annotation_clip=False,
            )
            for k, (a, b) in enumerate(self.ranges.to_numpy() if has_layout_engine(ax) else [])
        ]
        ax.axvline(1, color=text_colour(), linewidth=0.8, zorder=3)
        ax.set_xscale("log")
        ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high / low < 200 else (1,)))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        ax.xaxis.set_minor_formatter(NullFormatter())
        draw_grid(ax)
        ax.set(
            xlim=(low, high),
            ylim=(count - 0.5, -0.5),
            xlabel="cost of a false negative : cost of a false positive (logarithmic; line: equal costs)",
        )
        ax.set_yticks(y, [escape_label(name) for name in self.ranges.index], fontsize=8)
        ax.set_title(
            f"the classifier with the least expected cost, at {self.prevalence:.3g} positives",
            fontsize=9,
            loc="left",
        )
        apply_style(ax, [self.bars_], look)
        return self


def _words(low: float, high: float) -> str:
    if low == 0 and np.isinf(high):
        return "every ratio"
    if low == 0:
        return f"below {high:.3g}"
    return f"above {low:.3g}" if np.isinf(high) else f"{low:.3g} to {high:.3g}"
