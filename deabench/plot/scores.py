"""Efficiencies with their peers, as a dot chart: a dot is a value, so the axis need not start at 0
and no bar misleads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from deabench.plot.canvas import (
    COLOURS,
    GREY,
    apply_style,
    background_colour,
    draw_grid,
    escape_label,
    has_layout_engine,
    make_axes,
    text_colour,
)
from deabench.plot.display import Display
from deabench.plot.merit import order_by_merit

if TYPE_CHECKING:
    from deabench.analysis.ranking import Ranking

LEAST = 0.005
"""A λ below this would be written 0.00."""
MOST = 40
"""More rows than these cannot be read one by one: then all are drawn as a curve, and some are
named.
"""
NAMED = 26
"""So many names have room beside the curve."""


@dataclass(repr=False)
class RankingDisplay(Display):
    """Efficiencies, best first, with intervals where there are any and the peers of each at the
    right.

    More than `MOST` are drawn as a curve over the ranks, with their distribution above it, the ends
    and every so many between them named, and a line between tiers where there are any.

    Attributes
    ----------
    frame : DataFrame
        Index: the label; efficiency (1 = on the frontier; NaN where undefined), efficient (bool),
        peers (text), lower and upper (NaN without an interval), tier (NaN without samples); best
        first, of equal ranks those that most others are measured against.
    total : int
        DMUs in all; `frame` holds the best of them.
    measure : {"efficiency", "inefficiency"}
        What the column efficiency holds: 1 is best, or 0.
    ax_, figure_, dots_, intervals_, peers_, counts_, tiers_ : artists, once drawn
        counts_: the bars of the distribution, above a curve.

    Examples
    --------
    >>> from deabench import plot
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> plot.RankingDisplay.from_result(db.rank(wine, outputs=["TPR", "TNR"])).plot()
    RankingDisplay: drawn; figure_ is its figure, deabench.plot.save_figure writes it
    """

    frame: pd.DataFrame
    total: int
    measure: str = "efficiency"

    @classmethod
    def from_result(
        cls, ranking: Ranking, intervals: pd.DataFrame | None = None, *, most: int | None = None
    ) -> RankingDisplay:
        """The DMUs of a ranking, or the best `most`.

        Parameters
        ----------
        ranking : Ranking
        intervals : DataFrame, optional
            Columns lower and upper, efficiencies, by label; those of the ranking's samples without
            it, where it has any.
        most : int, optional
            How many to draw; all without it.
        """
        best = ranking.to_frame().loc[order_by_merit(ranking)[:most]]
        places = ranking.scores.index.get_indexer(best.index)
        frame = best[[ranking.measure, "efficient"]].set_axis(["efficiency", "efficient"], axis=1)
        frame["peers"] = [peers_text(ranking, place) for place in places]
        bounds = pd.DataFrame(index=frame.index, columns=["lower", "upper"], dtype=float)
        given = best if intervals is None and "tier" in best else intervals
        if given is not None:
            bounds = given[["lower", "upper"]].reindex(frame.index).astype(float)
        tier = best["tier"].astype(float) if "tier" in best else np.nan
        return cls(frame.join(bounds).assign(tier=tier), len(ranking.scores), ranking.measure)

    def plot(self, ax: Any = None, **look: Any) -> RankingDisplay:
        """Draw on `ax`, or on a figure of its own, with matplotlib's keywords for its marks."""
        many = len(self.frame) > MOST
        self.ax_ = ax = make_axes(ax, size=(7.0, 6.6 if many else 1.2 + 0.24 * len(self.frame)))
        self.figure_ = ax.figure
        frame, y = self.frame, np.arange(len(self.frame))
        ax.axvline(self.best, color=text_colour(), linewidth=0.8)
        width = frame["upper"].notna().to_numpy()
        self.intervals_ = ax.hlines(
            y[width],
            frame["lower"][width],
            frame["upper"][width],
            color=GREY,
            linewidth=0.6 if many else 2.2,
            alpha=0.6 if many else 1.0,
        )
        on = frame["efficient"].to_numpy(dtype=bool)
        self.dots_ = [
            ax.scatter(
                frame["efficiency"][rows],
                y[rows],
                s=6 if many else 38,
                zorder=3,
                color=COLOURS[k],
                marker=marker,
                facecolors=COLOURS[k] if k == 0 else background_colour(),
                label=label,
            )
            for k, (rows, marker, label) in enumerate(
                ((on, "o", "efficient"), (~on, "D", "not efficient"))
            )
        ]
        named = np.unique(np.linspace(0, len(y) - 1, NAMED).round().astype(int)) if many else y
        ax.set_yticks(
            named, [escape_label(name) for name in frame.index[named]], fontsize=7 if many else 8
        )
        ax.set_ylim(len(frame) - 0.5, -0.5)
        draw_grid(ax)
        ax.set_xlim(self._limits())
        ends = np.flatnonzero(np.diff(frame["tier"].to_numpy()) > 0) + 0.5
        self.tiers_ = [
            ax.axhline(end, color=text_colour(), linewidth=0.8, linestyle=(0, (4, 2)))
            for end in ends
        ]
        self._beside(ax, many)
        self._finish(ax)
        apply_style(ax, self.dots_, look)
        return self

    def _beside(self, ax: Any, many: bool) -> None:
        """The distribution above a curve; beside rows their peers, where the figure makes room for
        them.
        """
        frame = self.frame
        self.peers_, self.counts_ = list[Any](), list[Any]()
        said = f"{self.measure}, best first\n● efficient   ◇ not" + (
            "   - - between tiers" if self.tiers_ else ""
        )
        if many:
            above = ax.inset_axes((0, 1.02, 1, 0.14), sharex=ax)
            self.counts_ = list(
                above.hist(frame["efficiency"].dropna(), bins=40, color=GREY, alpha=0.6)[2]
            )
            above.tick_params(labelbottom=False, labelsize=7, length=0)
            above.set_ylabel("how many", fontsize=7)
            draw_grid(above)
            above.set_title(said, fontsize=9, loc="left")
            return
        ax.set_title(said, fontsize=9, loc="left")
        if not has_layout_engine(ax):
            return
        self.peers_ = [
            ax.annotate(
                peers,
                (1, k),
                (6, 0),
                xycoords=("axes fraction", "data"),
                textcoords="offset points",
                va="center",
                fontsize=7,
                color=text_colour(),
                annotation_clip=False,
            )
            for k, peers in enumerate(frame["peers"])
        ]
        self.peers_.append(
            ax.annotate(
                "peers and their shares λ",
                (1, 1),
                (6, 6),
                xycoords="axes fraction",
                fontsize=8,
                textcoords="offset points",
                va="bottom",
                annotation_clip=False,
            )
        )

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
        said = (
            [f"the best {len(self.frame)} of {self.total}"] if self.total > len(self.frame) else []
        )
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
    text = escape_label(label)
    return text if len(text) <= 16 else text[:15] + "…"
