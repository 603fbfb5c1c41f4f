"""Pictures of a ranking: scores with their peers as a dot chart, and shares of the weights as bars.

A dot is a value, so the axis of the scores need not start at 0 and no bar misleads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import to_rgb

from deabench.errors import DataError
from deabench.plot.canvas import (
    COLOURS,
    GREY,
    annotate_rows,
    apply_style,
    background_colour,
    count_rows_with_room,
    draw_grid,
    draw_tier_lines,
    escape_label,
    font_size,
    has_layout_engine,
    is_lower_better,
    is_narrow,
    make_axes,
    row_font_size,
    set_title,
    text_colour,
)
from deabench.plot.display import Display
from deabench.results.ranking import Ranking, order_by_merit, peers_text

MAX_ROWS = 40
"""More rows cannot be read one by one: all are drawn as a curve, and some are named."""
NAMED_ROWS = 26
"""So many names have room beside the curve."""
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "+++", "ooo")


@dataclass(repr=False)
class RankingDisplay(Display):
    """Efficiencies, best first, with their intervals if there are any, and the peers of each row.

    More than `MAX_ROWS` rows are drawn as a curve over the ranks with their distribution above it;
    the ends and some rows between are named. A line separates tiers.

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
        cls,
        ranking: Ranking,
        intervals: pd.DataFrame | None = None,
        *,
        max_rows: int | None = None,
    ) -> RankingDisplay:
        """Show the DMUs of a ranking, or the best `max_rows` of them.

        Parameters
        ----------
        ranking : Ranking
        intervals : DataFrame, optional
            Columns lower and upper, efficiencies, by label. Default: those of the ranking's
            samples, if it has any.
        max_rows : int, optional
        """
        ranked = ranking.to_frame().loc[order_by_merit(ranking)[:max_rows]]
        # The column is named efficiency for both measures.
        frame = ranked[[ranking.measure, "efficient"]].set_axis(["efficiency", "efficient"], axis=1)
        rows = ranking.scores.index.get_indexer(ranked.index)
        frame["peers"] = [peers_text(ranking, row).replace("$", r"\$") for row in rows]
        has_samples = "tier" in ranked
        if intervals is None and has_samples:
            intervals = ranked
        bounds = pd.DataFrame(index=frame.index, columns=["lower", "upper"], dtype=float)
        if intervals is not None:
            bounds = intervals[["lower", "upper"]].reindex(frame.index).astype(float)
        tier: Any = np.nan
        if has_samples:
            tier = ranked["tier"].astype(float)
        return cls(frame.join(bounds).assign(tier=tier), len(ranking.scores), ranking.measure)

    def plot(self, ax: Any = None, **style: Any) -> RankingDisplay:
        """Draw on `ax`, or on a new figure, with matplotlib's keywords for the dots."""
        frame = self.frame
        y = np.arange(len(frame))
        is_curve = len(frame) > MAX_ROWS
        height = 6.6
        # A curve has small dots and thin, pale intervals.
        size = {"dot": 6, "line": 0.6, "alpha": 0.6, "font": 7}
        if not is_curve:
            height = 1.2 + 0.24 * len(frame)
            size = {"dot": 38, "line": 2.2, "alpha": 1.0, "font": 8}
        self.ax_ = ax = make_axes(ax, size=(7.0, height))
        ax.axvline(self.best_score, color=text_colour(), linewidth=0.8)
        has_interval = frame["upper"].notna().to_numpy()
        self.intervals_ = ax.hlines(
            y[has_interval],
            frame["lower"][has_interval],
            frame["upper"][has_interval],
            color=GREY,
            linewidth=size["line"],
            alpha=size["alpha"],
        )
        is_efficient = frame["efficient"].to_numpy(dtype=bool)
        self.dots_ = [
            ax.scatter(
                frame["efficiency"][rows],
                y[rows],
                s=size["dot"],
                zorder=3,
                color=edge,
                marker=marker,
                facecolors=face,
                label=label,
            )
            for rows, marker, edge, face, label in (
                (is_efficient, "o", COLOURS[0], COLOURS[0], "efficient"),
                (~is_efficient, "D", COLOURS[1], background_colour(), "not efficient"),
            )
        ]
        # The first, the last, and rows at equal distances between them.
        named = min(NAMED_ROWS if is_curve else len(y), count_rows_with_room(ax, len(y), 7))
        named_rows = np.unique(np.linspace(0, len(y) - 1, named).round().astype(int))
        names = [escape_label(name) for name in frame.index[named_rows]]
        ax.set_yticks(named_rows, names, fontsize=row_font_size(ax, len(names), size["font"]))
        ax.set_ylim(len(frame) - 0.5, -0.5)
        draw_grid(ax)
        ax.set_xlim(self._limits())
        self.tiers_ = draw_tier_lines(ax, frame["tier"])
        self._draw_surroundings(ax, is_curve)
        ax.set_xlabel(self._axis_label(len(names)))
        apply_style(ax, self.dots_, style)
        return self

    @property
    def best_score(self) -> float:
        """Return the score of the frontier."""
        return 1.0 if self.measure == "efficiency" else 0.0

    # The title stands above the distribution, if there is one.
    def _draw_surroundings(self, ax: Any, is_curve: bool) -> None:
        """Draw the distribution above a curve, or the peers beside rows."""
        title = f"{self.measure}, best first\n● efficient   ◇ not"
        if self.tiers_:
            title += "   - - between tiers"
        self.peers_: list[Any] = []
        self.counts_: list[Any] = []
        if is_curve:
            above = ax.inset_axes((0, 1.02, 1, 0.14), sharex=ax)
            scores = self.frame["efficiency"].dropna()
            self.counts_ = list(above.hist(scores, bins=40, color=GREY, alpha=0.6)[2])
            above.tick_params(labelbottom=False, labelsize=font_size(7), length=0)
            # One number: below it stands the first name.
            above.set_yticks([max(bar.get_height() for bar in self.counts_)])
            if not is_narrow(ax):
                above.set_ylabel("how many", fontsize=font_size(7))
            draw_grid(above)
            set_title(above, title)
            return
        set_title(ax, title)
        # A narrow figure has no room for a column of names beside the dots.
        if has_layout_engine(ax) and not is_narrow(ax):
            self.peers_ = annotate_rows(ax, list(self.frame["peers"]), "peers and their shares λ")

    def _limits(self) -> tuple[float, float]:
        # Limits of intervals may lie beyond the scores; missing ones are ignored.
        values = self.frame[["efficiency", "lower", "upper"]].to_numpy(dtype=float)
        low = np.nanmin(values, initial=self.best_score)
        high = np.nanmax(values, initial=self.best_score)
        margin = max(0.04 * (high - low), 0.005)
        return low - margin, high + margin

    def _axis_label(self, named: int) -> str:
        better = "higher" if self.measure == "efficiency" else "lower"
        label = f"{self.measure} ({self.best_score:g}: on the frontier; {better} is better)"
        remarks = []
        if self.total > len(self.frame):
            remarks.append(f"the best {len(self.frame)} of {self.total}")
        if named < len(self.frame):
            remarks.append(f"{named} are named")
        missing = int(self.frame["efficiency"].isna().sum())
        if missing:
            remarks.append(f"{missing} without a score")
        # Remarks stand on a line of their own below the axis.
        if not remarks:
            return label
        return f"{label}\n{', '.join(remarks)}"


@dataclass(repr=False)
class WeightsDisplay(Display):
    """Virtual outputs: weight times metric, as a share of the DMU's score, as stacked bars.

    Attributes
    ----------
    shares : DataFrame, DMU x output
        Rows add up to 1; best first. Weights are not unique: another optimal solution may have
        other shares. A column's name tells if lower is better: the metric then counts by what it
        lacks to its greatest value.
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
    def from_result(cls, ranking: Ranking, *, max_rows: int = MAX_ROWS) -> WeightsDisplay:
        """Show the best `max_rows` DMUs of a ranking; those without a score are left out."""
        if not ranking.weights.shape[1]:
            raise DataError(
                f"model '{ranking.options.name}' has no weights to draw; use 'wei', 'ccr' or 'sbm'"
            )
        order = order_by_merit(ranking)
        # Rows without a score have no weights.
        order = order[ranking.scores.loc[order].notna()]
        shares = ranking.weight_shares.loc[order[:max_rows]]
        transforms = ranking.data.transforms
        # The metrics that are better low entered the model as their distance from the maximum.
        names = {
            name: f"{name} (lower is better)"
            for name in shares
            if is_lower_better(transforms.get(name))
        }
        return cls(shares.rename(columns=names), len(order))

    def plot(self, ax: Any = None, **style: Any) -> WeightsDisplay:
        """Draw on `ax`, or on a new figure, with matplotlib's keywords for the bars."""
        count = len(self.shares)
        self.ax_ = ax = make_axes(ax, size=(7.0, 1.6 + 0.24 * count))
        count = count_rows_with_room(ax, count)
        shares = self.shares.iloc[:count]
        y = np.arange(count)
        bar_starts = np.zeros(count)
        self.bars_ = []
        for k, name in enumerate(self.shares.columns):
            values = shares[name].to_numpy(dtype=float)
            bars = ax.barh(
                y,
                values,
                left=bar_starts,
                height=0.72,
                color=_lighten(COLOURS[k % 7]),
                edgecolor=background_colour(),
                # Colours repeat after seven outputs; from then on a hatch tells them apart.
                hatch=HATCHES[k // 7 % 7 or k % 7],
                linewidth=0.6,
                label=escape_label(name),
            )
            self.bars_.append(bars)
            bar_starts = bar_starts + values
        names = [escape_label(name) for name in shares.index]
        ax.set_yticks(y, names, fontsize=row_font_size(ax, len(names)))
        ax.set_ylim(count - 0.5, -0.5)
        draw_grid(ax)
        ax.grid(False, axis="y")
        label = "share of the score"
        if self.total > count:
            label += f"; the best {count} of {self.total}"
        ax.set(xlim=(0, 1), xlabel=label)
        # About 84 letters have room in a row of the legend.
        longest = max((len(escape_label(name)) for name in self.shares.columns), default=0)
        self.legend_ = ax.legend(
            loc="lower left",
            bbox_to_anchor=(0, 1.0),
            fontsize=font_size(8),
            ncols=max(1, min(len(self.bars_), 4, 84 // (longest + 8))),
            frameon=False,
            title="which metrics carry each score",
            title_fontsize=font_size(9),
            alignment="left",
            borderaxespad=0.2,
        )
        apply_style(ax, self.bars_, style)
        return self


def _lighten(colour: str) -> Any:
    """Return the colour halfway to white, so that a hatch shows on it in greyscale, too."""
    return tuple(0.35 + 0.65 * channel for channel in to_rgb(colour))
