"""The frontier of two metrics: Figures 1 and 5 of Chao et al. (2022), with targets and iso-cost
lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.plot.canvas import (
    COLOURS,
    GREY,
    add_legend,
    apply_style,
    background_colour,
    draw_grid,
    label_with_direction,
    make_axes,
    text_colour,
)
from deabench.plot.display import Display
from deabench.plot.placement import along, place_names
from deabench.results.targets import Targets
from deabench.tables.transforms import Transforms, to_user_values

if TYPE_CHECKING:
    from deabench.results.frontier import Frontier


@dataclass(repr=False)
class FrontierDisplay(Display):
    """All DMUs on two metrics, the extreme ones named, the attainable area, facets and their
    extensions, targets.

    Attributes
    ----------
    points : DataFrame, n x 2
        Every DMU, in the user's own metrics and directions.
    chain : DataFrame, e x 2
        The extreme DMUs by rising first metric; consecutive ones span a facet.
    actual, target : DataFrames, t x 2
        Tested DMUs and their targets (empty without any).
    slopes : sequence of (slope, words)
        Iso-cost lines: what one unit of the first metric is worth in the second.
    transforms : mapping of metric to AffineTransform
        Which metrics are better low: the attainable area lies beyond them.
    mixed : bool
        Whether mixtures of DMUs are on the frontier; without, it is a staircase and nothing is
        extended.
    ax_, figure_, cloud_, area_, facets_, extended_, arrows_, lines_, texts_, unnamed_ : artists,
    once drawn

    Examples
    --------
    >>> from deabench import plot
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> plot.FrontierDisplay.from_result(db.frontier(wine, outputs=["TPR", "TNR"]))
    FrontierDisplay: not drawn yet; plot() draws it
    """

    points: pd.DataFrame
    chain: pd.DataFrame
    actual: pd.DataFrame
    target: pd.DataFrame
    slopes: Sequence[tuple[float, str]] = ()
    transforms: Transforms = field(default_factory=dict)
    mixed: bool = True

    @classmethod
    def from_result(
        cls,
        result: Frontier | Targets,
        *,
        cost_ratio: float | None = None,
        prevalence: float = 0.5,
    ) -> FrontierDisplay:
        """Show a frontier of two metrics, and for targets an arrow from each DMU to its target.

        Parameters
        ----------
        result : Frontier or Targets
        cost_ratio : float, optional
            The cost of a false negative over that of a false positive: draws the iso-cost line
            through the best classifier (metrics TPR and TNR).
        prevalence : float in (0, 1)
            The share of positives where it will be used.

        Raises
        ------
        DataError
            Where the frontier is not of two metrics, or a cost ratio is given and they are not TPR
            and TNR.
        """
        front = result.frontier if isinstance(result, Targets) else result
        if len(front.outputs) != 2:
            raise DataError(
                f"the picture of a frontier needs two metrics and there are {len(front.outputs)}; "
                "name two in outputs"
            )
        actual = front.points.iloc[:0]
        targets = front.points.iloc[:0]
        if isinstance(result, Targets):
            actual = result.actual
            targets = result.targets
        lines = [] if cost_ratio is None else [_iso_cost(front.outputs, cost_ratio, prevalence)]
        points, transforms = (
            to_user_values(front.data.outputs, front.data.transforms),
            front.data.transforms,
        )
        return cls(
            points,
            front.points.sort_values(front.outputs[0]),
            actual,
            targets,
            lines,
            transforms,
            front.technology == "convex",
        )

    @classmethod
    def from_table(
        cls, table: pd.DataFrame, first: str, second: str, **options: Any
    ) -> FrontierDisplay:
        """Any two metrics of a table, both to be high."""
        from deabench.analysis.frontier import frontier

        return cls.from_result(frontier(table, outputs=[first, second]), **options)

    def plot(self, ax: Any = None, **look: Any) -> FrontierDisplay:
        """Draw on `ax`, or on a figure of its own, with matplotlib's keywords for its marks."""
        self.ax_ = ax = make_axes(ax, size=(6.4, 5.4))
        self.figure_ = ax.figure
        low, high = self._limits()
        first, second = (
            label_with_direction(name, self.transforms.get(name)) for name in self.points.columns
        )
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xlabel=first, ylabel=second)
        draw_grid(ax)
        self._frontier(ax, low, high)
        self._dmus(ax)
        self._arrows(ax)
        self.lines_ = [self._iso(ax, slope, words) for slope, words in self.slopes]
        seen = [
            dots
            for dots in (self.cloud_[1], self.cloud_[0], *self.cloud_[2:])
            if len(dots.get_offsets())
        ]
        handles = [self.area_, self.facets_, *self.extended_[:1], *seen, *self.lines_]
        add_legend(ax, handles, below=True, fontsize=7.5, ncols=3, frameon=False)
        named = pd.concat([self.actual, self.chain.drop(self.actual.index, errors="ignore")])
        avoid = [along(self._outline(low, high)), self.points.to_numpy()]
        if len(self.actual):
            avoid += [along(np.stack([self.actual.to_numpy(), self.target.to_numpy()], axis=1))]
        self.texts_, self.unnamed_ = place_names(
            ax, named.to_numpy(), named.index, avoid=np.vstack(avoid)
        )
        apply_style(ax, self.cloud_, look)
        return self

    def _limits(self) -> tuple[np.ndarray, np.ndarray]:
        every = np.vstack([self.points, self.actual, self.target.dropna()])
        low, high = every.min(axis=0), every.max(axis=0)
        pad = np.maximum(0.12 * (high - low), 0.01 * np.maximum(np.abs(high), 1e-9))
        return np.where(low >= 0, np.maximum(low - pad, 0.0), low - pad), high + pad

    def _worst(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """The corner of the picture where both metrics are at their worst."""
        turned = np.array(
            [getattr(self.transforms.get(name), "sign", 1.0) < 0 for name in self.points.columns]
        )
        return np.where(turned, high, low)

    def _path(self) -> np.ndarray:
        """The frontier from the DMU that is worst in the first metric to the best one; a staircase
        where nothing is mixed.
        """
        c: np.ndarray = np.asarray(self.chain)
        if getattr(self.transforms.get(self.points.columns[0]), "sign", 1.0) < 0:
            c = np.flipud(c)
        if self.mixed or len(c) < 2:
            return np.asarray(c)
        inner = np.column_stack(
            [c[:-1, 0], c[1:, 1]]
        )  # what lies below one of two neighbours is worse than it in both
        return np.asarray(np.vstack([c[:1], np.stack([inner, c[1:]], axis=1).reshape(-1, 2)]))

    def _outline(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """The frontier as line pieces (k, 2, 2), the flat ends of free disposal included."""
        c, worst = self._path(), self._worst(low, high)
        path = np.vstack([[worst[0], c[0, 1]], c, [c[-1, 0], worst[1]]])
        return np.stack([path[:-1], path[1:]], axis=1)

    def _frontier(self, ax: Any, low: np.ndarray, high: np.ndarray) -> None:
        c, worst = self._path(), self._worst(low, high)
        corner = np.vstack([worst, [worst[0], c[0, 1]], c, [c[-1, 0], worst[1]]])
        (self.area_,) = ax.fill(
            corner[:, 0],
            corner[:, 1],
            color=COLOURS[4],
            alpha=0.22,
            linewidth=0,
            zorder=0,
            label="attainable (with free disposal)",
        )
        words = "frontier (its facets)" if self.mixed else "frontier (no mixtures)"
        (self.facets_,) = ax.plot(
            c[:, 0], c[:, 1], color=text_colour(), linewidth=1.6, zorder=2, label=words
        )
        outline = self._outline(low, high)
        ax.plot(*outline[0].T, color=text_colour(), linewidth=0.7, zorder=2)
        ax.plot(*outline[-1].T, color=text_colour(), linewidth=0.7, zorder=2)
        self.extended_ = []
        for a, b in pairwise(c) if self.mixed else ():
            size = (b - a) / (
                high - low
            )  # as long as the picture allows, shorter where many would cross
            reach = (b - a) * min(2.0, max(0.3, 3.0 / len(c))) / np.linalg.norm(size)
            for start, end in ((a, a - reach), (b, b + reach)):
                self.extended_ += ax.plot(
                    [start[0], end[0]],
                    [start[1], end[1]],
                    color=GREY,
                    linewidth=0.8,
                    linestyle=(0, (4, 3)),
                    zorder=1,
                    label="facets, extended",
                )

    def _dmus(self, ax: Any) -> None:
        inner = self.points.drop(self.chain.index)
        small = 26 if len(inner) <= 100 else 8
        self.cloud_ = [
            ax.scatter(
                *inner.to_numpy().T,
                s=small,
                marker="o",
                facecolors=background_colour(),
                edgecolors=GREY,
                linewidths=0.8,
                zorder=3,
                label=f"other DMUs ({len(inner)})",
            ),
            ax.scatter(
                *self.chain.to_numpy().T,
                s=42,
                marker="o",
                color=COLOURS[0],
                zorder=4,
                label=f"extreme DMUs ({len(self.chain)})",
            ),
        ]
        if len(self.actual):
            self.cloud_ += [
                ax.scatter(
                    *self.actual.to_numpy().T,
                    s=50,
                    marker="^",
                    color=COLOURS[1],
                    zorder=5,
                    label="tested",
                ),
                ax.scatter(
                    *self.target.to_numpy().T,
                    s=46,
                    marker="x",
                    color=COLOURS[1],
                    zorder=5,
                    label="its target",
                ),
            ]

    def _arrows(self, ax: Any) -> None:
        """An arrow where the target is another point than the actual one."""
        moved = (self.target - self.actual).abs().max(axis=1) > 1e-9
        self.arrows_ = [
            ax.annotate(
                "",
                target,
                start,
                zorder=4,
                arrowprops={"arrowstyle": "->", "color": COLOURS[1], "linewidth": 1.2},
            )
            for start, target in zip(
                self.actual[moved].to_numpy(), self.target[moved].to_numpy(), strict=True
            )
        ]

    def _iso(self, ax: Any, slope: float, words: str) -> Any:
        """The line of equal expected cost through the best extreme DMU; what is above it would be
        cheaper.
        """
        values = self.chain.iloc[:, 0] * slope + self.chain.iloc[:, 1]
        best = self.chain.loc[values.idxmax()]
        return ax.axline(
            (best.iloc[0], best.iloc[1]),
            slope=-slope,
            color=COLOURS[3],
            linewidth=1.3,
            linestyle=(0, (1.2, 1.2)),
            zorder=2,
            label=words,
        )


def _iso_cost(outputs: list[str], cost_ratio: float, prevalence: float) -> tuple[float, str]:
    if set(outputs) != {"TPR", "TNR"}:
        raise DataError(
            f"an iso-cost line needs the metrics TPR and TNR; this frontier is in {', '.join(outputs)}"
        )
    if not (np.isfinite(cost_ratio) and cost_ratio > 0):
        raise DataError(
            f"the cost ratio is {cost_ratio:g}; give a number above 0, false negative over false positive"
        )
    if not 0 < prevalence < 1:
        raise DataError(
            f"the prevalence is {prevalence:g}; give a share between 0 and 1, both excluded"
        )
    worth = cost_ratio * prevalence / (1 - prevalence)
    return worth if outputs[
        0
    ] == "TPR" else 1 / worth, f"equal cost, {cost_ratio:g} : 1 at {prevalence:g} positives"
