"""Which metrics carry each score: the share of every weighted metric, as stacked bars from 0 to 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.plot.canvas import (
    COLOURS,
    apply_style,
    background_colour,
    draw_grid,
    escape_label,
    make_axes,
)
from deabench.plot.display import Display
from deabench.plot.merit import order_by_merit

if TYPE_CHECKING:
    from deabench.analysis.ranking import Ranking

HATCHES = ("", "///", "...", "xxx", "\\\\\\", "+++", "ooo")
MOST = 40


@dataclass(repr=False)
class WeightsDisplay(Display):
    """Virtual outputs: weight times metric, as a share of the DMU's score.

    Attributes
    ----------
    shares : DataFrame, DMU x output
        Rows add up to 1; best first. Weights are not unique: another optimal solution may share out
        differently. Columns are the metrics' own names; one that is better low says so, for it
        counts by what it lacks to its greatest value.
    total : int
        DMUs in all; `shares` holds the best of them.
    ax_, figure_, bars_, legend_ : artists, once drawn

    Examples
    --------
    >>> from deabench import plot
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> plot.WeightsDisplay.from_result(db.rank(wine, outputs=["TPR", "TNR"]))
    WeightsDisplay: not drawn yet; plot() draws it
    """

    shares: pd.DataFrame
    total: int

    @classmethod
    def from_result(cls, ranking: Ranking, *, most: int = MOST) -> WeightsDisplay:
        """The best `most` DMUs of a ranking; those without a score are left out."""
        outputs = ranking.data.outputs
        if not ranking.weights.shape[1]:
            raise DataError(
                f"model '{ranking.record.name}' has no weights to draw; use 'wei', 'ccr' or 'sbm'"
            )
        virtual = ranking.weights[outputs.columns] * outputs
        order = order_by_merit(ranking)
        order = order[ranking.scores.loc[order].notna()]
        shares = virtual.div(virtual.sum(axis=1), axis=0).loc[order[:most]]
        transforms = ranking.data.transforms
        low = {
            name: f"{name} (lower is better)"
            for name in shares
            if name in transforms and transforms[name].sign < 0
        }
        return cls(shares.rename(columns=low), len(order))

    def plot(self, ax: Any = None, **look: Any) -> WeightsDisplay:
        """Draw on `ax`, or on a figure of its own, with matplotlib's keywords for its marks."""
        self.ax_ = ax = make_axes(ax, size=(7.0, 1.6 + 0.24 * len(self.shares)))
        self.figure_ = ax.figure
        y, left = np.arange(len(self.shares)), np.zeros(len(self.shares))
        self.bars_ = []
        for k, name in enumerate(self.shares.columns):
            values = self.shares[name].to_numpy(dtype=float)
            self.bars_.append(
                ax.barh(
                    y,
                    values,
                    left=left,
                    height=0.72,
                    color=_pale(COLOURS[k % 7]),
                    edgecolor=background_colour(),
                    hatch=HATCHES[k // 7 % 7 or k % 7],
                    linewidth=0.6,
                    label=escape_label(name),
                )
            )
            left = left + values
        ax.set_yticks(y, [escape_label(name) for name in self.shares.index], fontsize=8)
        ax.set_ylim(len(self.shares) - 0.5, -0.5)
        draw_grid(ax)
        ax.grid(False, axis="y")
        more = (
            f"; the best {len(self.shares)} of {self.total}"
            if self.total > len(self.shares)
            else ""
        )
        ax.set(xlim=(0, 1), xlabel="share of the score" + more)
        longest = max(
            (len(escape_label(name)) for name in self.shares.columns), default=0
        )  # 84 signs have room
        self.legend_ = ax.legend(
            loc="lower left",
            bbox_to_anchor=(0, 1.0),
            fontsize=8,
            ncols=max(1, min(len(self.bars_), 4, 84 // (longest + 8))),
            frameon=False,
            title="which metrics carry each score",
            title_fontsize=9,
            alignment="left",
            borderaxespad=0.2,
        )
        apply_style(ax, self.bars_, look)
        return self


def _pale(colour: str) -> Any:
    """The colour half-way to white, so that a hatch shows on it in grey too."""
    from matplotlib.colors import to_rgb

    return tuple(0.35 + 0.65 * part for part in to_rgb(colour))
