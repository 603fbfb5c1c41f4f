"""The frontier of two metrics, with targets and iso-cost lines; of a router: quality against cost.

Figures 1 and 5 of Chao et al. (2022).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from deabench.analysis.frontier import frontier
from deabench.errors import DataError
from deabench.plot.canvas import (
    COLOURS,
    GREY,
    add_legend,
    apply_style,
    background_colour,
    draw_grid,
    font_size,
    is_lower_better,
    label_with_direction,
    make_axes,
    set_title,
    text_colour,
)
from deabench.plot.display import Display
from deabench.plot.placement import dots_along, place_names
from deabench.results.targets import Targets
from deabench.tables.transforms import Transforms, to_user_values

if TYPE_CHECKING:
    from deabench.integrations.router import Router
    from deabench.results.frontier import Frontier


@dataclass(repr=False)
class FrontierDisplay(Display):
    """All DMUs on two metrics: extreme DMUs, attainable area, facets and their extensions, targets.

    Attributes
    ----------
    points : DataFrame, n x 2
        Every DMU, in the user's own metrics and directions.
    extreme : DataFrame, e x 2
        The extreme DMUs by rising first metric; consecutive ones span a facet.
    actual, target : DataFrames, t x 2
        Tested DMUs and their targets (empty without any).
    slopes : sequence of (slope, label)
        Iso-cost lines: how many units of the second metric one unit of the first is worth.
    transforms : mapping of metric to AffineTransform
        Which metrics are better low: the attainable area lies beyond them.
    convex : bool
        Whether mixtures of DMUs are on the frontier; if not, it is a staircase without extensions.
    ax_, figure_, dots_, area_, facets_, extensions_, arrows_, lines_, texts_, unnamed_ : artists,
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
    extreme: pd.DataFrame
    actual: pd.DataFrame
    target: pd.DataFrame
    slopes: Sequence[tuple[float, str]] = ()
    transforms: Transforms = field(default_factory=dict)
    convex: bool = True

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
            If the frontier is not of two metrics, or a cost ratio is given and they are not TPR
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
        slopes = []
        if cost_ratio is not None:
            slopes.append(_iso_cost_slope(front.outputs, cost_ratio, prevalence))
        transforms = front.data.transforms
        return cls(
            points=to_user_values(front.data.outputs, transforms),
            extreme=front.points.sort_values(front.outputs[0]),
            actual=actual,
            target=targets,
            slopes=slopes,
            transforms=transforms,
            convex=front.technology == "convex",
        )

    @classmethod
    def from_table(
        cls, table: pd.DataFrame, first: str, second: str, **options: Any
    ) -> FrontierDisplay:
        """Show two metrics of a table, of which more is better."""
        return cls.from_result(frontier(table, outputs=[first, second]), **options)

    def plot(self, ax: Any = None, **style: Any) -> FrontierDisplay:
        """Draw on `ax`, or on a new figure, with matplotlib's keywords for the dots."""
        self.ax_ = ax = make_axes(ax, size=(6.4, 5.4))
        low, high = self._limits()
        labels = [label_with_direction(name, self.transforms.get(name)) for name in self.points]
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xlabel=labels[0], ylabel=labels[1])
        draw_grid(ax)
        self._draw_frontier(ax, low, high)
        self._draw_dots(ax)
        self._draw_arrows(ax)
        self.lines_ = [self._draw_iso_cost_line(ax, slope, label) for slope, label in self.slopes]
        # The legend names extreme DMUs before the others, and leaves out what is not there.
        inner, extreme, *targets = self.dots_
        dots = [artist for artist in (extreme, inner, *targets) if len(artist.get_offsets())]
        handles = [self.area_, self.facets_, *self.extensions_[:1], *dots, *self.lines_]
        add_legend(ax, handles, below=True, fontsize=font_size(7.5), ncols=3, frameon=False)
        # Names of tested DMUs come first; a DMU that is also extreme is named once.
        named = pd.concat([self.actual, self.extreme.drop(self.actual.index, errors="ignore")])
        avoid = [dots_along(self._outline(low, high)), self.points.to_numpy()]
        if len(self.actual):
            arrows = np.stack([self.actual.to_numpy(), self.target.to_numpy()], axis=1)
            avoid.append(dots_along(arrows))
        self.texts_, self.unnamed_ = place_names(
            ax, named.to_numpy(), named.index, avoid=np.vstack(avoid)
        )
        apply_style(ax, self.dots_, style)
        return self

    def _limits(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the lower and upper limits of both axes; no margin below 0 where nothing is."""
        values = np.vstack([self.points, self.actual, self.target.dropna()])
        low = values.min(axis=0)
        high = values.max(axis=0)
        # At least 1 % of the value itself, for metrics that hardly differ.
        margin = np.maximum(0.12 * (high - low), 0.01 * np.maximum(np.abs(high), 1e-9))
        return np.where(low >= 0, np.maximum(low - margin, 0.0), low - margin), high + margin

    def _worst_corner(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Return the corner of the picture where both metrics have their worst value."""
        lower_is_better = [is_lower_better(self.transforms.get(name)) for name in self.points]
        return np.where(lower_is_better, high, low)

    def _frontier_path(self) -> np.ndarray:
        """Return the frontier (k, 2) from the worst extreme DMU in the first metric to the best."""
        path: np.ndarray = np.asarray(self.extreme)
        # Points are sorted by the first metric; reversed, where the smallest value is its best.
        if is_lower_better(self.transforms.get(self.points.columns[0])):
            path = np.flipud(path)
        if self.convex or len(path) < 2:
            return np.asarray(path)
        # Without mixtures the frontier is a staircase. Its inner corners combine the worse values
        # of two neighbours.
        inner_corners = np.column_stack([path[:-1, 0], path[1:, 1]])
        steps = np.stack([inner_corners, path[1:]], axis=1).reshape(-1, 2)
        return np.asarray(np.vstack([path[:1], steps]))

    def _outline(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Return the frontier as segments (k, 2, 2), with the flat ends of free disposal."""
        path = self._frontier_path()
        worst = self._worst_corner(low, high)
        path = np.vstack([[worst[0], path[0, 1]], path, [path[-1, 0], worst[1]]])
        return np.stack([path[:-1], path[1:]], axis=1)

    def _draw_frontier(self, ax: Any, low: np.ndarray, high: np.ndarray) -> None:
        path = self._frontier_path()
        label = "frontier (no mixtures)"
        if self.convex:
            label = "frontier (its facets)"
        outline = self._outline(low, high)
        # The attainable area is bounded by the outline and the worst corner.
        corners = np.vstack([self._worst_corner(low, high), outline[:, 0], outline[-1:, 1]])
        (self.area_,) = ax.fill(
            corners[:, 0],
            corners[:, 1],
            color=COLOURS[4],
            alpha=0.22,
            linewidth=0,
            zorder=0,
            label="attainable (with free disposal)",
        )
        (self.facets_,) = ax.plot(
            path[:, 0],
            path[:, 1],
            color=text_colour(),
            linewidth=1.6,
            zorder=2,
            label=label,
        )
        for flat_end in (outline[0], outline[-1]):
            ax.plot(*flat_end.T, color=text_colour(), linewidth=0.7, zorder=2)
        self.extensions_: list[Any] = []
        if not self.convex:
            return
        # A facet is extended on both sides: targets may lie on the extensions.
        for a, b in pairwise(path):
            # Extensions are as long as the picture allows, shorter where many would cross.
            size_in_picture = np.linalg.norm((b - a) / (high - low))
            extension = (b - a) * min(2.0, max(0.3, 3.0 / len(path))) / size_in_picture
            for start, end in ((a, a - extension), (b, b + extension)):
                self.extensions_ += ax.plot(
                    [start[0], end[0]],
                    [start[1], end[1]],
                    color=GREY,
                    linewidth=0.8,
                    linestyle=(0, (4, 3)),
                    zorder=1,
                    label="facets, extended",
                )

    def _draw_dots(self, ax: Any) -> None:
        inner = self.points.drop(self.extreme.index)
        self.dots_ = [
            ax.scatter(
                *inner.to_numpy().T,
                s=26 if len(inner) <= 100 else 8,
                marker="o",
                facecolors=background_colour(),
                edgecolors=GREY,
                linewidths=0.8,
                zorder=3,
                label=f"other systems ({len(inner)})",
            ),
            ax.scatter(
                *self.extreme.to_numpy().T,
                s=42,
                marker="o",
                color=COLOURS[0],
                zorder=4,
                label=f"extreme systems ({len(self.extreme)})",
            ),
        ]
        # The tested systems and their targets.
        if not len(self.actual):
            return
        for frame, marker, label in (
            (self.actual, "^", "tested"),
            (self.target, "x", "its target"),
        ):
            dots = ax.scatter(
                *frame.to_numpy().T,
                s=48 * self._thinning(),
                marker=marker,
                color=COLOURS[1],
                zorder=5,
                label=label,
            )
            self.dots_.append(dots)

    def _thinning(self) -> float:
        """Return the share of their size that marks and arrows of many tested DMUs keep."""
        return min(1.0, max(0.15, 30 / max(len(self.actual), 1)))

    def _draw_arrows(self, ax: Any) -> None:
        """Draw an arrow to each target that differs from the actual values."""
        has_moved = (self.target - self.actual).abs().max(axis=1) > 1e-9
        starts = self.actual[has_moved].to_numpy()
        ends = self.target[has_moved].to_numpy()
        arrow = {"arrowstyle": "->", "color": COLOURS[1], "linewidth": 1.2}
        if self._thinning() < 1:
            # The heads of many arrows would hide the frontier.
            arrow |= {"arrowstyle": "-", "linewidth": 0.5, "alpha": 0.35}
        self.arrows_ = [
            ax.annotate(
                "",
                end,
                start,
                zorder=4,
                arrowprops=arrow,
            )
            for start, end in zip(starts, ends, strict=True)
        ]

    def _draw_iso_cost_line(self, ax: Any, slope: float, label: str) -> Any:
        """Draw the line of equal expected cost through the best extreme DMU."""
        # The best DMU has the largest value of slope times first metric plus second.
        values = self.extreme.iloc[:, 0] * slope + self.extreme.iloc[:, 1]
        best = self.extreme.loc[values.idxmax()]
        return ax.axline(
            (best.iloc[0], best.iloc[1]),
            slope=-slope,
            color=COLOURS[3],
            linewidth=1.3,
            linestyle=(0, (1.2, 1.2)),
            zorder=2,
            label=label,
        )


def _iso_cost_slope(outputs: list[str], cost_ratio: float, prevalence: float) -> tuple[float, str]:
    """Return the slope of an iso-cost line, in units of the second metric, and its label.

    The expected cost is c_FN π (1 − TPR) + c_FP (1 − π) (1 − TNR), so one unit of TPR is worth
    (c_FN / c_FP) π / (1 − π) units of TNR.
    """
    if set(outputs) != {"TPR", "TNR"}:
        raise DataError(
            "an iso-cost line needs the metrics TPR and TNR; this frontier is in "
            f"{', '.join(outputs)}"
        )
    if not (np.isfinite(cost_ratio) and cost_ratio > 0):
        raise DataError(
            f"the cost ratio is {cost_ratio:g}; give a number above 0, "
            "false negative over false positive"
        )
    if not 0 < prevalence < 1:
        raise DataError(
            f"the prevalence is {prevalence:g}; give a share between 0 and 1, both excluded"
        )
    slope = cost_ratio * prevalence / (1 - prevalence)
    label = f"equal cost, {cost_ratio:g} : 1 at {prevalence:g} positives"
    # The slope is in units of TNR per TPR; with the metrics swapped it is the inverse.
    if outputs[0] == "TNR":
        slope = 1 / slope
    return slope, label


@dataclass(repr=False)
class RouterDisplay(Display):
    """Quality against cost: models as points, what mixtures reach as a line with its band.

    Attributes
    ----------
    points : DataFrame
        Models x (quality, cost, on_hull).
    curve : DataFrame
        Index cost; quality, lower and upper.
    title : str
    unnamed_ : int, once drawn
        How many names found no room; a note in the picture gives the number.
    line_, band_, points_, texts_, figure_, ax_ : artists, once drawn

    Examples
    --------
    >>> import pandas as pd
    >>> import deabench as db
    >>> right = pd.DataFrame({"small": [1, 0, 1, 0, 1], "large": [1, 1, 1, 0, 1]})
    >>> db.Router(right, {"small": 1, "large": 5}).plot()
    RouterDisplay: drawn; figure_ is its figure, deabench.plot.save_figure writes it
    """

    points: pd.DataFrame
    curve: pd.DataFrame
    title: str

    @classmethod
    def from_result(cls, result: Router) -> RouterDisplay:
        """Show a router's models and curve."""
        area = result.aiq()["aiq"]
        return cls(result.points, result.curve(), f"AIQ {area:.4g}")

    def plot(self, ax: Any = None, **style: Any) -> RouterDisplay:
        """Draw on `ax`, or on a new figure, with matplotlib's keywords for the line."""
        self.ax_ = ax = make_axes(ax)
        curve, points = self.curve, self.points
        self.band_ = ax.fill_between(
            curve.index, curve["lower"], curve["upper"], color=COLOURS[0], alpha=0.2, linewidth=0
        )
        (self.line_,) = ax.plot(curve.index, curve["quality"], color=COLOURS[0])
        colours = points["on_hull"].map({True: COLOURS[0], False: GREY})
        self.points_ = ax.scatter(points["cost"], points["quality"], c=colours, zorder=3)
        ax.set_xlabel("cost per instance")
        ax.set_ylabel("quality")
        set_title(ax, self.title)
        draw_grid(ax)
        positions = points[["cost", "quality"]].to_numpy()
        line = np.column_stack([curve.index, curve["quality"]])
        self.texts_, self.unnamed_ = place_names(ax, positions, list(points.index), avoid=line)
        apply_style(ax, [self.line_], style)
        return self
