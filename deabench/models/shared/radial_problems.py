"""The programs (3) and (5) of a task in scaled data, and how their solutions are read."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd

from deabench.geometry import facet_bases
from deabench.geometry.dominance import undominated_rows
from deabench.geometry.facet_bases import should_enumerate_facets
from deabench.models.shared.scaled_data import compile_program
from deabench.models.shared.second_stage import RadialProblem
from deabench.results.answer import Task
from deabench.solver.engine import Solution
from deabench.solver.family import Bases, Family
from deabench.solver.template import Template, compile_template
from deabench.utils.arrays import largest_sizes, scale

MANY = 1000
"""Undominated DMUs from which on those at the corners of facets stand for all."""


class WEIProblem(RadialProblem):
    """(5), and (6) as its dual: outputs only.

    Every tested DMU is scaled to a largest metric of about 1, which (5) allows.

    Attributes
    ----------
    undominated : int array
        Positions of all undominated DMUs of the reference.
    facet_simplices : int array or None
        The simplices of the facets, where only the DMUs at their corners are candidates.
    inner : int array
        Positions of the undominated DMUs that are no candidates.
    """

    returns = "vrs"
    orientation = "output"

    def __init__(self, task: Task, undominated: np.ndarray | None = None) -> None:
        self.data = task.data
        self.reference = task.reference
        self.task = task
        Y = task.reference.outputs.to_numpy()
        y = task.data.outputs.to_numpy()
        # Scale metrics and tested DMUs by powers of two, which round nothing.
        self.unit = scale(Y)
        scaled_reference = Y / self.unit
        scaled = scaled_reference
        if task.data is not task.reference:
            scaled = y / self.unit
        self.size = scale(scaled.T)
        # Dominated DMUs are no peers: they are left out of the program.
        if undominated is None:
            undominated = undominated_rows(Y)
        self.frontier = undominated
        self.undominated = undominated
        self.points = scaled_reference[self.frontier]
        self.tested = scaled / self.size[:, None]
        self.facet_simplices: np.ndarray | None = None
        self.inner = self.frontier[:0]
        # Where listing facets pays, only the DMUs at their corners are candidates.
        is_large = task.own_reference and len(self.frontier) > MANY
        if is_large and should_enumerate_facets(self.points, len(self.tested)):
            self._keep_facet_corners()
        self.family = Family(wei_form(Y.shape[1]), self.points)
        self.maxima = column_maxima(scaled_reference)

    def _keep_facet_corners(self) -> None:
        """Keep the DMUs at the corners of facets: mixtures of these reach the others.

        The λ of the others show it.
        """
        corners, self.facet_simplices = facet_bases.facet_vertices(self.points)
        self.inner = np.delete(self.frontier, corners)
        self.frontier = self.frontier[corners]
        self.points = self.points[corners]

    def facets(self) -> Bases | None:
        """Return the bases of all facets, where it pays to list them."""
        if self.facet_simplices is None and not should_enumerate_facets(
            self.points, len(self.tested)
        ):
            return None
        return facet_bases.list_facet_bases(self.family, self.points, self.facet_simplices)

    def read(self, solution: Solution) -> tuple[np.ndarray, pd.DataFrame]:
        """Return scores and multipliers of a solution."""
        level = expansion_levels(solution)
        duals = solution.bases.duals
        with np.errstate(divide="ignore", invalid="ignore"):
            # The multipliers of a basis are the same, to the bit, for all DMUs that it scores.
            facets = duals[:, :-1] / np.abs(duals[:, -1:]) / self.unit
            scores = np.where(level > 0, 1.0 / level, np.nan)
        # The weights of a metric stand side by side.
        weights = facets.T.take(solution.basis_index, axis=1).T
        return scores, pd.DataFrame(weights, columns=self.data.outputs.columns, copy=False)


class CCRProblem(RadialProblem):
    """(3), by orientation and returns to scale."""

    inner = np.zeros(0, dtype=np.intp)

    def __init__(self, task: Task) -> None:
        self.data = task.data
        self.reference = task.reference
        self.task = task
        self.returns = task.options.returns
        self.orientation = task.options.orientation
        X = task.reference.inputs.to_numpy()
        Y = task.reference.outputs.to_numpy()
        self.unit_x = scale(X)
        self.unit_y = scale(Y)
        # Dominated DMUs are no peers: they are left out of the program.
        self.frontier = undominated_rows(np.column_stack([Y, -X]))
        x = task.data.inputs.to_numpy() / self.unit_x
        y = task.data.outputs.to_numpy() / self.unit_y
        self.tested = np.column_stack([x, y])
        self.size = np.ones(len(self.tested))
        # One program serves all DMUs: only the numbers of the tested DMU change.
        form = ccr_form(X.shape[1], Y.shape[1], self.returns, self.orientation)
        table = np.column_stack([X / self.unit_x, Y / self.unit_y])
        self.family = Family(form, table[self.frontier])
        self.maxima = column_maxima(np.column_stack([Y / self.unit_y, X / self.unit_x]))

    def facets(self) -> Bases | None:
        """Return None: with inputs facets are not listed."""
        return None

    def read(self, solution: Solution) -> tuple[np.ndarray, pd.DataFrame]:
        """Return scores and multipliers of a solution."""
        level = expansion_levels(solution)
        is_output_oriented = self.orientation == "output"
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = np.where(level > 0, 1.0 / level if is_output_oriented else level, np.nan)
        # The row duals are the multipliers of scaled metrics: divide by the units.
        s = len(self.unit_y)
        m = len(self.unit_x)
        duals = solution.duals
        columns = self.metrics
        weights = [duals[:, :s] / self.unit_y, -duals[:, s : s + m] / self.unit_x]
        if self.returns != "crs":
            columns = pd.Index([*columns, "u_0"])
            weights.append(-duals[:, -1] if is_output_oriented else duals[:, -1])
        return scores, pd.DataFrame(np.column_stack(weights), columns=columns, copy=False)


Problem = WEIProblem | CCRProblem


def column_maxima(values: np.ndarray) -> np.ndarray:
    """Return the maximum of each metric, without signs; 1 where it is 0."""
    largest = largest_sizes(values)
    return np.asarray(np.where(largest > 0, largest, 1.0))


def expansion_levels(solution: Solution) -> np.ndarray:
    """Return the level of θ of each DMU; NaN where its program is infeasible."""
    columns = solution.bases.theta[solution.basis_index]
    level = np.where(columns >= 0, solution.x[np.arange(len(columns)), columns], 0.0)
    return np.where(solution.basis_index >= 0, level, np.nan)


@lru_cache(maxsize=64)
def wei_form(s: int) -> Template:
    """Compile (5) for s outputs."""
    tested = {"y_o": dict.fromkeys(range(s), 1.0)}
    return compile_template("wei", {"Y": range(s)}, tested)


def ccr_form(m: int, s: int, returns: str, orientation: str) -> Template:
    """Compile (3) for m inputs and s outputs."""
    return compile_program(f"envelopment_{orientation}", m, s, returns=returns)
