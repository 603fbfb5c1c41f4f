"""What wei, score, ccr and super share: (5) and (3) of one table against its reference, in scaled
data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

from deabench.geometry.dominance import undominated_rows
from deabench.geometry.facet_bases import should_enumerate_facets
from deabench.models.weight_restrictions import read_ratios, read_shares
from deabench.results.answer import Task
from deabench.results.model import BOUNDS_BY_METRIC, BOUNDS_BY_PAIR, Model, option
from deabench.solver.engine import Solution
from deabench.solver.family import Bases, Family
from deabench.solver.template import Template, compile_template
from deabench.tables.validation import Allowed
from deabench.utils.arrays import Sparse, scale

MANY = 1000
"""Undominated DMUs from which on those that facets are made of stand for all."""


Bounds = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class RadialModel(Model):
    """Base class of the models whose score is one factor for all outputs, or for all inputs."""

    def allows(self) -> tuple[Allowed, ...]:
        """Return the data that a radial model takes.

        With Σ λ = 1 the origin of the side that does not change is arbitrary, and where inputs are
        not scaled a DMU may need none.
        """
        if self.orientation == "input":
            if self.returns == "vrs":
                return ("zero outputs", "negative outputs")
            return ("zero outputs",)
        if self.returns == "vrs":
            return ("zero inputs", "negative inputs", "zero outputs")
        if self.returns == "nirs":
            return ("zero inputs", "zero outputs")
        return ("zero outputs",)

    def meaning(self, score: float) -> str:
        """Say what a radial efficiency means."""
        if self.orientation == "input":
            percent = 100 * (1 - score)
            if percent >= 0:
                return f"every input could shrink by {percent:.1f} % together"
            return f"every input could grow by {-percent:.1f} % together before the others reach it"
        percent = 100 * (1 / score - 1) if score > 0 else np.inf
        if percent >= 0:
            return f"every output could grow by {percent:.1f} % together"
        return f"every output could shrink by {-percent:.1f} % together before the others reach it"


@dataclass(frozen=True, kw_only=True)
class RestrictableModel(RadialModel):
    """Base class of the radial models whose weights can be restricted."""

    shares: Mapping[str, Bounds] | None = option(
        None,
        "Bounds of each metric's share of the weighted sum of outputs (or of inputs), in [0, 1].",
        form=BOUNDS_BY_METRIC,
        reader=read_shares,
    )
    ratios: Mapping[tuple[str, str], Bounds] | None = option(
        None,
        "Bounds of the weight of one metric divided by that of another: (2, inf) is at least 2.",
        form=BOUNDS_BY_PAIR,
        reader=read_ratios,
    )

    @property
    def is_restricted(self) -> bool:
        """Whether weights are restricted."""
        return self.shares is not None or self.ratios is not None


class Wei:
    """(5), and (6) as its dual: outputs only. Every tested DMU is scaled to a largest metric of
    about 1; (5) allows it.
    """

    returns, orientation = "vrs", "output"
    listed: np.ndarray | None
    """The simplices of the facets, where those that facets are made of stand for all."""
    inner: np.ndarray
    """The others that nobody dominates."""

    def __init__(self, task: Task) -> None:
        self.data, self.reference, self.options, self.own_reference = (
            task.data,
            task.reference,
            task.options,
            task.own_reference,
        )
        data, reference = task.data, task.reference
        Y, y = reference.outputs.to_numpy(), data.outputs.to_numpy()
        self.unit = scale(Y)
        self.size = scale((y / self.unit).T)
        self.frontier = undominated_rows(Y)
        self.points = (Y / self.unit)[self.frontier]
        self.listed, self.inner = None, self.frontier[:0]
        self.tested = y / self.unit / self.size[:, None]
        if (
            self.own_reference
            and len(self.frontier) > MANY
            and should_enumerate_facets(self.points, len(self.tested))
        ):
            self._outer()
        self.family = Family(wei_form(Y.shape[1]), self.points)
        self.tops = tops(Y / self.unit)

    def _outer(self) -> None:
        """Keep of many that nobody dominates those that facets are made of: mixtures of these reach
        the others, as their λ show.
        """
        from deabench.geometry import facet_bases

        used, self.listed = facet_bases.facet_vertices(self.points)
        self.inner = np.delete(self.frontier, used)
        self.frontier, self.points = self.frontier[used], self.points[used]

    def facets(self) -> Bases | None:
        """All facets, where listing them pays."""
        if self.listed is None and not should_enumerate_facets(self.points, len(self.tested)):
            return None
        from deabench.geometry import facet_bases

        return facet_bases.list_facet_bases(self.family, self.points, self.listed)

    def read(self, solution: Solution) -> tuple[np.ndarray, pd.DataFrame]:
        level, duals = theta(solution), solution.bases.duals
        with np.errstate(divide="ignore", invalid="ignore"):
            facets = (
                duals[:, :-1] / np.abs(duals[:, -1:]) / self.unit
            )  # of a basis, to the bit the same for all that it scores
            scores = np.where(level > 0, 1.0 / level, np.nan)
        return scores, pd.DataFrame(
            facets[solution.basis_index], columns=self.data.outputs.columns, copy=False
        )


class Ccr:
    """(3), by orientation and returns to scale."""

    inner = np.zeros(0, dtype=np.intp)

    def __init__(self, task: Task) -> None:
        self.data, self.reference, self.options, self.own_reference = (
            task.data,
            task.reference,
            task.options,
            task.own_reference,
        )
        data, reference = task.data, task.reference
        self.returns, self.orientation = returns, orientation = (
            task.options.returns,
            task.options.orientation,
        )
        X, Y = reference.inputs.to_numpy(), reference.outputs.to_numpy()
        self.unit_x, self.unit_y = scale(X), scale(Y)
        self.frontier = undominated_rows(np.column_stack([Y, -X]))
        self.tested = np.column_stack(
            [data.inputs.to_numpy() / self.unit_x, data.outputs.to_numpy() / self.unit_y]
        )
        form = ccr_form(X.shape[1], Y.shape[1], returns, orientation)
        self.size = np.ones(len(self.tested))
        self.family = Family(
            form, np.column_stack([X / self.unit_x, Y / self.unit_y])[self.frontier]
        )
        self.tops = tops(np.column_stack([Y / self.unit_y, X / self.unit_x]))

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


def tops(values: np.ndarray) -> np.ndarray:
    """The maximum of each metric; 1 where it is 0."""
    top = values.max(axis=0)
    return np.asarray(np.where(top > 0, top, 1.0))


def name_of(problem: Wei | Ccr, first: int = 0) -> Callable[[int], str]:
    return lambda k: str(problem.data.labels[first + k])


def theta(solution: Solution) -> np.ndarray:
    """The level of θ of each DMU; NaN where its program is infeasible."""
    place = solution.bases.theta[solution.basis_index]
    level = np.where(place >= 0, solution.x[np.arange(len(place)), place], 0.0)
    return np.where(solution.basis_index >= 0, level, np.nan)


def intensities(problem: Wei | Ccr, family: Family, solution: Solution) -> Sparse:
    codes = solution.bases.columns
    known = np.append(problem.frontier, -1).astype(np.int32)[np.minimum(codes, family.n)]
    columns = known.take(solution.basis_index, axis=0)
    columns[solution.basis_index < 0] = -1
    values = np.maximum(solution.x, 0.0)
    np.copyto(values, 0.0, where=columns < 0)
    return Sparse(columns, values)


@lru_cache(maxsize=64)
def wei_form(s: int) -> Template:
    import deabench_models

    return compile_template(
        deabench_models.wei, {"Y": range(s)}, {"y_o": dict.fromkeys(range(s), 1.0)}
    )


@lru_cache(maxsize=64)
def ccr_form(m: int, s: int, returns: str, orientation: str) -> Template:
    import deabench_models

    return compile_template(
        getattr(deabench_models, f"envelopment_{orientation}"),
        {"X": range(m), "Y": range(s)},
        {"x_o": dict.fromkeys(range(m), 1.0), "y_o": dict.fromkeys(range(s), 1.0)},
        returns=returns,
    )
