"""Route instances over models with a price: the cheapest mixture for a quality, and deferral.

Of a model's mean quality and mean cost per instance, every mixture has the mixed values, so that
what can be had is the area below the non-decreasing concave hull of the models (the "zero router"
of RouterBench): for a budget, one or two neighbouring vertices of the hull answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from deabench.errors import DataError
from deabench.geometry.rising_hull import rising_hull
from deabench.integrations.mixture import LEAST_SHARE, Routing, checked_shares
from deabench.tables.read import as_table
from deabench.tables.table import TableLike
from deabench.utils.checks import did_you_mean, share
from deabench.utils.frames import pandas_or_same
from deabench.utils.instances import as_vector
from deabench.utils.result import Result
from deabench.utils.text import quote_names

GRID = 101
"""Costs at which the curve is shown, beside those of the hull's vertices."""
DRAWS = 4000
"""Draws of the largest error along the curve."""
QUANTILES = tuple(np.arange(1, 20) / 20)
"""The shares of instances below the thresholds of a deferral."""


@dataclass(frozen=True, eq=False, repr=False)
class Router(Result):
    """Models with outcomes and costs per instance, and what their mixtures reach.

    Parameters
    ----------
    outcomes : DataFrame, instances x models
        The quality of each answer, higher better: right or wrong, a share, a grade.
    costs : DataFrame of the same shape, or mapping of model to its price per instance
        Numbers >= 0.
    level : number between 0 and 1
        Of the intervals.
    seed : int
        Of the draws behind the band.

    Raises
    ------
    DataError
        With the model and the instance of what cannot be used.

    Notes
    -----
    Hu et al. (2024), RouterBench, arXiv 2403.12031, for the hull and AIQ.

    Examples
    --------
    >>> import pandas as pd
    >>> import deabench as db
    >>> right = pd.DataFrame({"small": [1, 0, 1, 0, 1], "large": [1, 1, 1, 0, 1]})
    >>> router = db.Router(right, {"small": 1, "large": 5})
    >>> routing = router.best(3)
    >>> routing.shares, round(routing.quality, 3)
    ({'small': 0.5, 'large': 0.5}, 0.7)
    """

    outcomes: pd.DataFrame
    costs: pd.DataFrame
    level: float = 0.95
    seed: int = 0
    notes: tuple[str, ...] = ("the instances are taken as drawn independently",)

    _frame = "points"
    _text = "frontier"
    _display = "RouterDisplay"

    def __post_init__(self) -> None:
        share("level", self.level)
        outcomes = _read_values("outcomes", self.outcomes)
        object.__setattr__(self, "outcomes", outcomes)
        object.__setattr__(self, "costs", _read_costs(self.costs, outcomes))

    @classmethod
    def from_logs(
        cls, source: TableLike, *, outcome: str | None = None, cost: str | None = None
    ) -> Router:
        """Read results of single instances: logs of an evaluation, or a long table.

        Parameters
        ----------
        source : anything that `deabench.read` takes
            A row per model and instance.
        outcome, cost : str, optional
            The columns; by default the only metric that is better high, and the only cost.

        Raises
        ------
        DataError
            If the results are not per instance, or an answer is missing.
        """
        table = as_table(source)
        if table.rows is None or "instance" not in table.rows:
            raise DataError(
                f"'{table.title}' has no results of single instances; give a table with the "
                "columns model, instance, a metric and a cost"
            )
        rows = table.rows
        quality_column = _only_column("outcome", outcome, table.outputs)
        cost_column = _only_column("cost", cost, table.costs)
        keys = [key for key in ("dataset", "instance") if key in rows]
        values = rows.pivot_table(
            index=keys, columns="classifier", values=[quality_column, cost_column]
        )
        return cls(values[quality_column], values[cost_column])

    @cached_property
    def points(self) -> pd.DataFrame:
        """The mean quality and cost of each model, and whether it is a vertex of the hull."""
        points = pd.DataFrame({"quality": self.outcomes.mean(), "cost": self.costs.mean()})
        points.index.name = "model"
        vertices = rising_hull(points["cost"].to_numpy(), points["quality"].to_numpy())
        points["on_hull"] = np.isin(np.arange(len(points)), vertices)
        return points

    @cached_property
    def hull(self) -> pd.DataFrame:
        """The vertices from the cheapest to the best: quality, cost, and the price to the next.

        `price` is what a unit of quality costs beyond the vertex; infinite at the last.
        """
        hull = self.points[self.points["on_hull"]].sort_values("cost")[["quality", "cost"]]
        steps = hull.shift(-1) - hull
        hull["price"] = (steps["cost"] / steps["quality"]).fillna(np.inf)
        return hull

    def best(self, budget: float) -> Routing:
        """Return the mixture of the highest quality for a cost per instance.

        Parameters
        ----------
        budget : number
            At least the cost of the cheapest model.
        """
        cheapest = self.hull.iloc[0]
        if not budget >= cheapest["cost"] * (1 - LEAST_SHARE):
            raise DataError(
                f"the budget is {budget:g}, and the cheapest model, '{self.hull.index[0]}', costs "
                f"{cheapest['cost']:.4g} per instance; give at least that"
            )
        return self._route(self._shares_at([budget])[0], f"for a cost of {budget:g}")

    def cheapest(self, quality: float) -> Routing:
        """Return the cheapest mixture that has a quality.

        Parameters
        ----------
        quality : number
            At most that of the best model.
        """
        best = self.hull.iloc[-1]
        if not quality <= best["quality"]:
            raise DataError(
                f"the quality is {quality:g}, and the best model, '{self.hull.index[-1]}', has "
                f"{best['quality']:.4g}; give at most that"
            )
        # Along the hull the cost of a quality is as piecewise linear as the quality of a cost.
        cost = np.interp(quality, self.hull["quality"], self.hull["cost"])
        return self._route(self._shares_at([cost])[0], f"of a quality of {quality:g}")

    def mix(self, shares: Mapping[str, float]) -> Routing:
        """Return what a mixture chosen elsewhere has on these instances.

        Parameters
        ----------
        shares : mapping of model to number >= 0
            Of sum 1, as `Routing.shares` of other instances.
        """
        names = [str(name) for name in self.outcomes.columns]
        used = checked_shares(names, shares)
        return self._route(np.array([used.get(name, 0.0) for name in names]), "of given shares")

    def defer(
        self,
        score: Any,
        small: str,
        large: str,
        *,
        thresholds: Sequence[float] | None = None,
        pay_both: bool = True,
    ) -> Router:
        """Add policies that ask a small model first and a large one where a score is low.

        Parameters
        ----------
        score : one number per instance
            How sure the small model is; an instance below the threshold goes to the large model.
        small, large : str
            Models of this router.
        thresholds : sequence of numbers, optional
            By default the twentieths of the scores.
        pay_both : bool
            Whether a deferred instance has paid for the small model, too; not where the score is
            known before any model is asked.

        Returns
        -------
        Router
            With a model more for each threshold.
        """
        for name in (small, large):
            if name not in self.outcomes:
                hint = did_you_mean(name, list(self.outcomes.columns))
                raise DataError(f"there is no model '{name}'; {hint}")
        values = as_vector(score, "the score").astype(float)
        if len(values) != len(self.outcomes) or not np.isfinite(values).all():
            raise DataError(
                f"the score has {int(np.isfinite(values).sum())} numbers, and there are "
                f"{len(self.outcomes)} instances; give one number for each"
            )
        if thresholds is None:
            thresholds = np.unique(np.quantile(values, QUANTILES)).tolist()
        outcomes = self.outcomes.copy()
        costs = self.costs.copy()
        for threshold in thresholds:
            name = f"{small}, below {threshold:.4g} {large}"
            deferred = values < threshold
            outcomes[name] = self.outcomes[small].where(~deferred, self.outcomes[large])
            dear = self.costs[large] + self.costs[small] * pay_both
            costs[name] = self.costs[small].where(~deferred, dear)
        return Router(outcomes, costs, self.level, self.seed, self.notes)

    def curve(self, costs: Sequence[float] | None = None) -> pd.DataFrame:
        """Return the best quality for each cost, with a band.

        Parameters
        ----------
        costs : sequence of numbers, optional
            By default from the cheapest model's cost to the dearest one's.

        Returns
        -------
        DataFrame
            Index cost; quality, lower and upper. The band holds at all costs at once, for the
            mixtures shown: those chosen on the same instances look better than they are, see `mix`.
        """
        if costs is None:
            lowest, highest = self._cost_range(None)
            costs = np.union1d(np.linspace(lowest, highest, GRID), self.hull["cost"]).tolist()
        grid = np.asarray(costs, dtype=float)
        quality = self._quality_at(grid)
        weights = self._curve_weights(grid)
        # The errors along the curve are linear in those of the means: draw these, take the largest.
        errors = np.sqrt(
            np.maximum(np.einsum("ij,jk,ik->i", weights, self._covariance, weights), 0)
        )
        is_random = errors > 1e-12
        largest = np.zeros(1)
        if is_random.any():
            drawn_errors = self._draw_errors() @ weights[is_random].T
            largest = np.abs(drawn_errors / errors[is_random]).max(axis=1)
        half_width = np.quantile(largest, self.level) * errors
        frame = {"quality": quality, "lower": quality - half_width, "upper": quality + half_width}
        return pd.DataFrame(frame, pd.Index(grid, name="cost"))

    def aiq(self, cost_range: tuple[float, float] | None = None) -> pd.Series:
        """Return the average improvement in quality: the mean of the curve over a range of costs.

        Parameters
        ----------
        cost_range : (least, greatest), optional
            The same for all routers that are compared; by default from the cheapest model's mean
            cost to the dearest one's. Beyond the best model the curve is flat.

        Returns
        -------
        Series
            aiq, lower and upper; the range is taken as fixed.
        """
        lowest, highest = self._cost_range(cost_range)
        is_inner = self.hull["cost"].between(lowest, highest)
        grid = np.union1d([lowest, highest], self.hull["cost"][is_inner])
        # Between neighbouring costs the curve is straight, and its middle is its mean.
        middles = np.array([lowest])
        lengths = np.ones(1)
        if highest > lowest:
            middles = (grid[:-1] + grid[1:]) / 2
            lengths = np.diff(grid) / (highest - lowest)
        area = float(lengths @ self._quality_at(middles))
        weights = lengths @ self._curve_weights(middles)
        return pd.Series({"aiq": area, **self._interval(area, weights)})

    def _cost_range(self, cost_range: tuple[float, float] | None) -> tuple[float, float]:
        cheapest = float(self.hull["cost"].iloc[0])
        if cost_range is None:
            return cheapest, float(self.points["cost"].max())
        lowest, highest = cost_range
        if not cheapest * (1 - LEAST_SHARE) <= lowest <= highest < np.inf:
            raise DataError(
                f"the range of costs is {lowest:g} to {highest:g}; give two numbers, the first at "
                f"least {cheapest:.4g}, what the cheapest model costs"
            )
        return float(lowest), float(highest)

    def _quality_at(self, costs: np.ndarray) -> np.ndarray:
        """Return the hull's quality at costs; flat beyond the best model."""
        return np.asarray(np.interp(costs, self.hull["cost"], self.hull["quality"]))

    def _shares_at(self, costs: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return the shares of all models in the best mixture at each cost: (costs, models)."""
        vertices = self.points.index.get_indexer(self.hull.index)
        # The share of each vertex is a tent over its neighbours, and flat beyond the ends.
        tents = [np.interp(costs, self.hull["cost"], row) for row in np.eye(len(vertices))]
        shares = np.zeros((len(costs), len(self.points)))
        shares[:, vertices] = np.transpose(tents)
        return shares

    def _curve_weights(self, costs: np.ndarray) -> np.ndarray:
        """Return the influence of the mean outcomes, then costs, on the curve: (costs, 2 models).

        At a fixed cost c on an edge with slope s the quality is that of the mixture less s times
        what the mixture's mean cost misses c by (envelope theorem).
        """
        shares = self._shares_at(costs)
        hull = self.hull
        position = np.searchsorted(hull["cost"], costs, side="right") - 1
        slopes = (1 / hull["price"]).to_numpy()[np.clip(position, 0, len(hull) - 1)]
        return np.hstack([shares, -slopes[:, None] * shares])

    @cached_property
    def _covariance(self) -> np.ndarray:
        """The covariance of the mean outcomes and the mean costs: (2 models, 2 models)."""
        values = np.hstack([self.outcomes.to_numpy(), self.costs.to_numpy()])
        return np.atleast_2d(np.cov(values, rowvar=False)) / len(values)

    def _draw_errors(self) -> np.ndarray:
        """Draw errors of the means: (DRAWS, 2 models), alike in any order and unit of the table."""
        order = np.argsort(self.points.index.to_numpy(dtype=str), kind="stable")
        order = np.append(order, order + len(order))
        spread = np.sqrt(np.diag(self._covariance)[order])
        scale = np.where(spread > 0, spread, 1.0)
        correlation = self._covariance[np.ix_(order, order)] / np.outer(scale, scale)
        # The symmetric root is unique, so that rounding in the correlations stays small.
        values, vectors = np.linalg.eigh(correlation)
        root = vectors * np.sqrt(values.clip(0)) @ vectors.T
        normal = np.random.default_rng(self.seed).standard_normal((DRAWS, len(order)))
        draws = np.empty_like(normal)
        draws[:, order] = normal @ root * spread
        return draws

    def _interval(self, value: float, weights: np.ndarray) -> dict[str, float]:
        """Return Student's interval of a linear function of the means."""
        error = np.sqrt(max(weights @ self._covariance @ weights, 0.0))
        half_width = error * stats.t.ppf((1 + self.level) / 2, len(self.outcomes) - 1)
        return {"lower": float(value - half_width), "upper": float(value + half_width)}

    def _route(self, shares: np.ndarray, goal: str) -> Routing:
        """Measure a mixture, beside the best single model that costs no more."""
        zero = np.zeros_like(shares)
        quality = float(self.points["quality"] @ shares)
        cost = float(self.points["cost"] @ shares)
        rows = {
            "quality": {"value": quality, **self._interval(quality, np.r_[shares, zero])},
            "cost": {"value": cost, **self._interval(cost, np.r_[zero, shares])},
        }
        affordable = self.points["cost"] <= cost * (1 + LEAST_SHARE)
        rival = None
        if affordable.any():
            rival = str(self.points["quality"][affordable].idxmax())
            difference = shares - (self.points.index == rival)
            gain = float(self.points["quality"] @ difference)
            rows["gain"] = {"value": gain, **self._interval(gain, np.r_[difference, zero])}
        by_model = pd.Series(shares, self.points.index)
        used = by_model[by_model > LEAST_SHARE].to_dict()
        table = pd.DataFrame.from_dict(rows, orient="index")
        return Routing(used, table, rival, goal, self.level, self.notes)


def _read_values(role: str, values: Any) -> pd.DataFrame:
    """Return a frame of finite numbers, instances x models."""
    frame = pandas_or_same(values)
    if not isinstance(frame, pd.DataFrame):
        raise DataError(
            f"{role} are a {type(values).__name__}; give a DataFrame, a row per instance and a "
            "column per model"
        )
    frame = frame.rename(columns=str)
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise DataError(f"{role} have two columns '{repeated[0]}'; give each model one")
    if frame.shape[0] < 2 or frame.shape[1] < 1:
        raise DataError(
            f"{role} have {frame.shape[0]} rows and {frame.shape[1]} columns; give at least two "
            "instances and a model"
        )
    numbers = frame.apply(pd.to_numeric, errors="coerce").astype(float)
    bad = ~np.isfinite(numbers.to_numpy())
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise DataError(
            f"{role} of '{frame.columns[column]}' have '{frame.iloc[row, column]}' for instance "
            f"'{frame.index[row]}'; give a number for every instance, or leave it out"
        )
    return numbers


def _read_costs(costs: Any, outcomes: pd.DataFrame) -> pd.DataFrame:
    """Return the costs as a frame like the outcomes; a price is every instance's."""
    if isinstance(costs, Mapping):
        missing = [name for name in outcomes if name not in costs]
        if missing:
            raise DataError(f"costs lack {quote_names(missing)}; give {{model: price}}")
        costs = pd.DataFrame(
            {name: np.full(len(outcomes), costs[name]) for name in outcomes}, outcomes.index
        )
    frame = _read_values("costs", costs)
    if set(frame.columns) != set(outcomes.columns) or not frame.index.equals(outcomes.index):
        raise DataError(
            "costs and outcomes have different instances or models; give both the same rows and "
            "columns"
        )
    frame = frame[outcomes.columns]
    if (frame < 0).to_numpy().any():
        name = str(frame.columns[(frame < 0).any()][0])
        raise DataError(f"a cost of '{name}' is {frame[name].min():g}; give numbers >= 0")
    return frame


def _only_column(argument: str, name: str | None, names: Sequence[str]) -> str:
    """Return the named column, or the only one."""
    if name is None:
        if len(names) != 1:
            raise DataError(
                f"there are {len(names)} columns for the {argument} ({quote_names(names)}); name "
                f"one, as {argument}='{names[0] if names else 'score'}'"
            )
        return names[0]
    if name not in names:
        raise DataError(f"{argument} '{name}' is no such column; {did_you_mean(name, names)}")
    return name
