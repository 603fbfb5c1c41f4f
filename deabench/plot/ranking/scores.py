"""Efficiencies with their peers, as a dot chart: a dot is a value, so the axis need not start at 0 and no bar misleads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from deabench.plot.canvas import COLOURS, GREY, axes, plain, tidy
from deabench.plot.drawn import Drawn

if TYPE_CHECKING:
    from deabench.dea.ranking import Ranking

LEAST = 0.005
"""A λ below this would be written 0.00."""
MOST = 40
"""More rows than these cannot be read in one picture; the best are drawn and the rest are counted."""


@dataclass(repr=False)
class RankingDisplay(Drawn):
    """Efficiencies, best first, with intervals where there are any and the peers of each at the right.

    Attributes
    ----------
    frame : DataFrame
        Index: the label; efficiency (1 = on the frontier; NaN where undefined), efficient (bool), peers (text), lower and
        upper (NaN without an interval); best first.
    total : int
        DMUs in all; `frame` holds the best of them.
    measure : {"efficiency", "inefficiency"}
        What the column efficiency holds: 1 is best, or 0.
    ax_, figure_, dots_, intervals_, peers_ : artists, once drawn

    Examples
    --------
    >>> from deabench import plot
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> plot.RankingDisplay.from_ranking(db.rank(wine, outputs=["TPR", "TNR"])).plot()
    RankingDisplay: drawn; figure_ is its figure, deabench.plot.save_figure writes it
    """

    frame: pd.DataFrame
    total: int
    measure: str = "efficiency"

    @classmethod
    def from_ranking(cls, ranking: Ranking, intervals: pd.DataFrame | None = None, *, most: int = MOST) -> RankingDisplay:
        """The best `most` DMUs of a ranking.

        Parameters
        ----------
        ranking : Ranking
        intervals : DataFrame, optional
            Columns lower and upper, efficiencies, by label; those of the ranking's samples without it, where it has any.
        most : int
            How many to draw.
        """
        best = ranking.to_frame().iloc[:most]
        places = ranking.scores.index.get_indexer(best.index)
        frame = best[[ranking.measure, "efficient"]].set_axis(["efficiency", "efficient"], axis=1)
        frame["peers"] = [peers_text(ranking, place) for place in places]
        bounds = pd.DataFrame(index=frame.index, columns=["lower", "upper"], dtype=float)
        if intervals is None and ranking.uncertainty is not None:
            known = ranking.uncertainty.to_frame()[["lower", "upper"]]
            bounds = known.reindex([str(label) for label in frame.index]).set_axis(frame.index)
        elif intervals is not None:
            bounds = intervals[["lower", "upper"]].reindex(frame.index).astype(float)
        return cls(frame.join(bounds), len(ranking.scores), ranking.measure)

    def plot(self, ax: Any = None) -> RankingDisplay:
        """Draw on `ax`, or on a figure of its own."""
        self.ax_ = ax = axes(ax, size=(7.0, 1.2 + 0.24 * len(self.frame)))
        self.figure_ = ax.figure
        frame, y = self.frame, np.arange(len(self.frame))
        ax.axvline(self.best, color="black", linewidth=0.8)
        width = frame["upper"].notna().to_numpy()
        self.intervals_ = ax.hlines(y[width], frame["lower"][width], frame["upper"][width], color=GREY, linewidth=2.2)
        on = frame["efficient"].to_numpy(dtype=bool)
        self.dots_ = [ax.scatter(frame["efficiency"][rows], y[rows], s=38, zorder=3, color=COLOURS[k], marker=marker,
                                 facecolors=COLOURS[k] if k == 0 else "white", label=label)
                      for k, (rows, marker, label) in enumerate(((on, "o", "efficient"), (~on, "D", "not efficient")))]
        ax.set_yticks(y, [plain(name) for name in frame.index], fontsize=8)
        ax.set_ylim(len(frame) - 0.5, -0.5)
        tidy(ax)
        ax.set_xlim(self._limits())
        self.peers_ = [ax.annotate(peers, (1, k), (6, 0), xycoords=("axes fraction", "data"), textcoords="offset points",
                                   va="center", fontsize=7, color="#444444", annotation_clip=False)
                       for k, peers in enumerate(frame["peers"])]
        ax.set_title(f"{self.measure}, best first\n● efficient   ◇ not", fontsize=9, loc="left")
        self.peers_.append(ax.annotate("peers and their shares λ", (1, 1), (6, 6), xycoords="axes fraction", fontsize=8,
                                       textcoords="offset points", va="bottom", annotation_clip=False))
        self._finish(ax)
        return self

    @property
    def best(self) -> float:
        """The score of the frontier."""
        return 1.0 if self.measure == "efficiency" else 0.0

    def _limits(self) -> tuple[float, float]:
        values = self.frame[["efficiency", "lower", "upper"]].to_numpy(dtype=float)
        low, high = np.nanmin(values, initial=self.best), np.nanmax(values, initial=self.best)
        pad = max(0.04 * (high - low), 0.005)
        return low - pad, high + pad

    def _finish(self, ax: Any) -> None:
        missing = int(self.frame["efficiency"].isna().sum())
        said = [f"the best {len(self.frame)} of {self.total}"] if self.total > len(self.frame) else []
        said += [f"{missing} without a score"] if missing else []
        better = "higher" if self.measure == "efficiency" else "lower"
        label = f"{self.measure} ({self.best:g}: on the frontier; {better} is better)"
        ax.set_xlabel("\n".join([label, ", ".join(said)] if said else [label]))


def peers_text(ranking: Ranking, place: int, most: int = 3) -> str:
    """`A 0.70, B 0.30`: the largest shares first; more than `most` are counted."""
    columns, values = ranking.intensities.columns[place], ranking.intensities.values[place]
    keep = np.flatnonzero((columns >= 0) & (values >= LEAST))
    keep = keep[np.argsort(-values[keep], kind="stable")]
    labels = ranking.reference.labels
    shown = ", ".join(f"{_short(labels[columns[k]])} {values[k]:.2f}" for k in keep[:most])
    return shown + (f", +{len(keep) - most}" if len(keep) > most else "")


def _short(label: object) -> str:
    text = plain(label)
    return text if len(text) <= 16 else text[:15] + "…"
