"""What is solved for a ranking: (5), and (3), of one table against its reference, in scaled data."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import pandas as pd

from deabench.arrays import Sparse, scale
from deabench.solve.shared.engine import Solution
from deabench.solve.shared.family import Bases, Family
from deabench.solve.shared.pareto import undominated
from deabench.solve.template import Template, template
from deabench.tables.gate import Data

FACETS = {2: 1, 3: 2, 4: 7, 5: 26, 6: 150}
"""Facets per reference DMU by the number of metrics, where every DMU is extreme: the most there are, about."""
FACETS_SAMPLED = (7, 8)
"""Numbers of metrics for which the facets are estimated from those of a part of the DMUs: the most there are would forbid all."""
PART = 60
"""DMUs in that part."""
FACETS_WORTH = 70
"""Facets that Qhull lists in the time that HiGHS takes for one solve, about; one solve per tested DMU is the most there are."""
FACETS_HELD = 500_000
"""Most facets that are listed: they take about 0.5 kB each."""
FACETS_DMUS = 60
"""Fewest DMUs for which that pays: below, loading Qhull takes longer than the solves."""


def _facets_like(points: np.ndarray) -> float:
    """Twice the facets that the points (n, s) have if they have as many per point as a part of them: mostly enough.

    Infinite where the points lie in a hyperplane (a constant metric, two that add up): Qhull takes long over what is flat.
    """
    if np.linalg.matrix_rank(points - points[0], tol=1e-9) < points.shape[1]:
        return np.inf
    from deabench.solve.shared import polar

    part = np.random.default_rng(0).permutation(len(points))[:PART]
    members, _ = polar.simplices(points[np.union1d(part, points.argmax(axis=0))])
    return 2 * len(members) / min(PART, len(points)) * len(points)


class Wei:
    """(5), and (6) as its dual: outputs only. Every tested DMU is scaled to a largest metric of about 1; (5) allows it."""

    returns, orientation = "vrs", "output"
    sum_lambda = "vrs"

    def __init__(self, data: Data, reference: Data) -> None:
        self.data, self.reference = data, reference
        Y, y = reference.outputs.to_numpy(), data.outputs.to_numpy()
        self.unit = scale(Y)
        self.size = scale((y / self.unit).T)
        self.frontier = undominated(Y)
        self.points = (Y / self.unit)[self.frontier]
        self.tested = y / self.unit / self.size[:, None]
        self.family = Family(_wei_form(Y.shape[1]), self.points)

    def facets(self) -> Bases | None:
        """All facets, where listing them pays."""
        n, s = self.points.shape
        tested = len(self.tested)
        if tested < FACETS_DMUS or n <= s or not (self.points.max(axis=0) > 0).all():
            return None
        most = n * FACETS[s] if s in FACETS else _facets_like(self.points) if s in FACETS_SAMPLED else np.inf
        if most > min(FACETS_WORTH * tested, FACETS_HELD):
            return None
        from deabench.solve.shared import polar

        return polar.bases(self.family, self.points)

    def read(self, solution: Solution) -> tuple[np.ndarray, pd.DataFrame]:
        level = theta(solution)
        with np.errstate(divide="ignore", invalid="ignore"):
            weights = solution.duals[:, :-1] / level[:, None]
            weights /= self.unit
            scores = np.where(level > 0, 1.0 / level, np.nan)
        return scores, pd.DataFrame(weights, columns=self.data.outputs.columns, copy=False)


class Ccr:
    """(3), by orientation and returns to scale."""

    def __init__(self, data: Data, reference: Data, returns: str, orientation: str) -> None:
        self.data, self.reference = data, reference
        self.returns = self.sum_lambda = returns
        self.orientation = orientation
        X, Y = reference.inputs.to_numpy(), reference.outputs.to_numpy()
        self.unit_x, self.unit_y = scale(X), scale(Y)
        self.frontier = undominated(np.column_stack([Y, -X]))
        self.tested = np.column_stack([data.inputs.to_numpy() / self.unit_x, data.outputs.to_numpy() / self.unit_y])
        form = _ccr_form(X.shape[1], Y.shape[1], returns, orientation)
        self.size = np.ones(len(self.tested))
        self.family = Family(form, np.column_stack([X / self.unit_x, Y / self.unit_y])[self.frontier])

    def facets(self) -> Bases | None:
        return None

    def read(self, solution: Solution) -> tuple[np.ndarray, pd.DataFrame]:
        level = theta(solution)
        outward = self.orientation == "output"
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = np.where(level > 0, 1.0 / level if outward else level, np.nan)
        s, m = len(self.unit_y), len(self.unit_x)
        duals = solution.duals
        weights = pd.DataFrame(
            np.column_stack([duals[:, :s] / self.unit_y, -duals[:, s : s + m] / self.unit_x]),
            columns=[*self.data.outputs.columns, *self.data.inputs.columns],
        )
        if self.returns != "crs":
            weights["u_0"] = -duals[:, -1] if outward else duals[:, -1]
        return scores, weights


def name_of(problem: Wei | Ccr, first: int = 0) -> Callable[[int], str]:
    return lambda k: str(problem.data.labels[first + k])


def theta(solution: Solution) -> np.ndarray:
    """The level of θ of each DMU; NaN where its program is infeasible."""
    place = solution.bases.theta[solution.which]
    level = np.where(place >= 0, solution.x[np.arange(len(place)), place], 0.0)
    return np.where(solution.which >= 0, level, np.nan)


def intensities(problem: Wei | Ccr, family: Family, solution: Solution) -> Sparse:
    codes = solution.bases.columns.astype(np.int32)[solution.which]
    none = (codes >= family.n) | (solution.which < 0)[:, None]
    codes[none] = 0
    columns = problem.frontier.astype(np.int32)[codes]
    columns[none] = -1
    values = np.maximum(solution.x, 0.0)
    values[none] = 0.0
    return Sparse(columns, values)


@lru_cache(maxsize=64)
def _wei_form(s: int) -> Template:
    import deabench_models

    return template(deabench_models.wei, {"Y": range(s)}, {"y_o": dict.fromkeys(range(s), 1.0)})


@lru_cache(maxsize=64)
def _ccr_form(m: int, s: int, returns: str, orientation: str) -> Template:
    import deabench_models

    return template(
        getattr(deabench_models, f"envelopment_{orientation}"),
        {"X": range(m), "Y": range(s)},
        {"x_o": dict.fromkeys(range(m), 1.0), "y_o": dict.fromkeys(range(s), 1.0)},
        returns=returns,
    )
