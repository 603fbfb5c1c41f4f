"""Compare `rank` with an own implementation of BuildHull, the frame algorithm of large-scale DEA.

BuildHull (Dulá 2011, doi:10.1287/ijoc.1100.0400; compared with others by Koronakos, Dulá and
Despotis 2024, arXiv 2407.15585) finds the frame, that is the extreme efficient DMUs, one after the
other: a DMU is tested by a linear program over the part of the frame that is known by then. Inside
the hull of that part, it is no member. Outside, the program's dual is a hyperplane between the two,
and the DMU farthest beyond it is a new member. At the end every other DMU is scored against the
frame alone. So no program is larger than the frame, and there are about two for each DMU.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import highspy
import numpy as np
import pandas as pd
from simulations.cpu_time import in_turns

from deabench.analysis.ranking import rank
from deabench.errors import DataWarning, SolveError
from deabench.geometry.dominance import undominated_rows
from deabench.models import CCR
from deabench.results.ranking import Ranking
from deabench.solver.candidate_bases import order_by_proximity

DIMENSIONS = (5, 10, 15, 20)
"""Inputs and outputs together, as in the published designs."""
DENSITIES = (0.01, 0.1, 0.25, 0.5)
"""The share of the DMUs that are extreme efficient, as in the published designs."""
SIZES = (2_500, 10_000)
OUTSIDE = 1e-9
"""A DMU farther than this beyond the hull of a part of the frame is outside it."""
TIED = 1e-12
"""DMUs whose inner products with a normal differ by less lie on one hyperplane."""
INFINITE = highspy.kHighsInf


def draw_design(n: int, dimension: int, density: float, seed: int = 0) -> np.ndarray:
    """Draw DMUs of which exactly a given share is extreme efficient, all metrics higher better.

    The extreme ones lie on a sphere's part of positive directions: at each, the plane that touches
    the sphere supports it alone. The others are mixtures of as many of them as there are metrics,
    drawn towards the origin by up to three tenths.

    Returns
    -------
    array (n, dimension)
        Values in [0.3, 1], in random order.
    """
    rng = np.random.default_rng([seed, n, dimension, round(100 * density)])
    extreme_count = max(round(density * n), dimension)
    directions = np.abs(rng.normal(size=(extreme_count, dimension)))
    extreme = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    inner_count = n - extreme_count
    members = rng.integers(0, extreme_count, (inner_count, dimension))
    shares = rng.dirichlet(np.ones(dimension), inner_count)
    mixtures = np.einsum("km,kmr->kr", shares, extreme[members])
    inner = rng.uniform(0.7, 0.99, (inner_count, 1)) * mixtures
    return np.asarray(0.3 + 0.7 * rng.permutation(np.vstack([extreme, inner])))


def split_metrics(values: np.ndarray, input_count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return inputs (n, m), lower better, and outputs (n, s): the first m metrics are turned."""
    return 1.3 - values[:, :input_count], values[:, input_count:]


class GrowingProgram:
    """A linear program over the frame in HiGHS, which keeps its basis from solve to solve.

    Parameters
    ----------
    lower, upper : arrays (rows,)
    first_column : array (rows,)
        The one column that is no member of the frame; None: there is none.
    cost : float
        Of each member.
    """

    def __init__(
        self,
        lower: np.ndarray,
        upper: np.ndarray,
        first_column: np.ndarray | None,
        cost: float = 0.0,
    ) -> None:
        self.rows = np.arange(len(lower), dtype=np.int32)
        self.cost = cost
        self.highs: Any = highspy.Highs()
        self.highs.setOptionValue("output_flag", False)
        self.highs.setOptionValue("threads", 1)
        self.highs.setOptionValue("presolve", "off")
        self.highs.setOptionValue("primal_feasibility_tolerance", 1e-10)
        self.highs.setOptionValue("dual_feasibility_tolerance", 1e-10)
        none = np.zeros(0, dtype=np.int32)
        self.highs.addRows(len(lower), lower, upper, 0, none, none, np.zeros(0))
        if first_column is not None:
            self.highs.addCol(1.0, -INFINITE, INFINITE, len(self.rows), self.rows, first_column)

    def add_members(self, columns: np.ndarray) -> None:
        """Add members of the frame (k, rows), each with an intensity of at least 0."""
        k = len(columns)
        start = np.arange(k, dtype=np.int32) * len(self.rows)
        self.highs.addCols(
            k,
            np.full(k, self.cost),
            np.zeros(k),
            np.full(k, INFINITE),
            columns.size,
            start,
            np.tile(self.rows, k),
            np.ascontiguousarray(columns).ravel(),
        )

    def set_bounds(self, lower: np.ndarray, upper: np.ndarray) -> None:
        """Replace the bounds of all rows."""
        self.highs.changeRowsBounds(len(self.rows), self.rows, lower, upper)

    def set_first_column(self, rows: np.ndarray, values: np.ndarray) -> None:
        """Replace some coefficients of the first column."""
        for row, value in zip(rows.tolist(), values.tolist(), strict=True):
            self.highs.changeCoeff(row, 0, value)

    def minimise(self) -> float:
        """Solve the program from the last basis and return its minimum."""
        self.highs.run()
        if self.highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            self.highs.clearSolver()
            self.highs.run()
        status = self.highs.getModelStatus()
        if status != highspy.HighsModelStatus.kOptimal:
            raise SolveError(f"HiGHS ended with '{self.highs.modelStatusToString(status)}'")
        return float(self.highs.getObjectiveValue())

    def duals(self) -> np.ndarray:
        """Return the row duals of the last solve."""
        return np.asarray(self.highs.getSolution().row_dual)


def find_frame(values: np.ndarray) -> np.ndarray:
    """Return the positions of the extreme efficient rows of `values` (n, d), all higher better.

    The hull is that of variable returns to scale with free disposal.
    """
    # Dominated DMUs are dropped first, by the same function as in `rank`.
    candidates = undominated_rows(values)
    points = values[candidates]
    n, d = points.shape
    # min θ with Σ λ a + θ ≥ p and Σ λ = 1: p is outside where it must come down by some θ > 0.
    lower = np.ones(d + 1)
    upper = np.append(np.full(d, INFINITE), 1.0)
    program = GrowingProgram(lower, upper, np.append(np.ones(d), 0.0))
    # The best in each metric are members of the frame from the start.
    is_member = np.zeros(n, dtype=bool)
    for normal in np.eye(d):
        is_member[_farthest(points, normal)] = True
    columns = np.column_stack([points, np.ones(n)])
    program.add_members(columns[is_member])
    # Neighbours follow each other: the last basis is then a few pivots from the next one.
    for k in order_by_proximity(points).tolist():
        lower[:d] = points[k]
        while not is_member[k]:
            program.set_bounds(lower, upper)
            if program.minimise() <= OUTSIDE:
                break
            # The farthest DMU in the direction of the dual normal is new, and extreme.
            new = _farthest(points, program.duals()[:d])
            if is_member[new]:
                raise SolveError(f"DMU {k} is beyond a hyperplane that no new DMU supports")
            is_member[new] = True
            program.add_members(columns[[new]])
    return np.asarray(candidates[is_member])


def _farthest(points: np.ndarray, normal: np.ndarray) -> int:
    """Return the point farthest in a direction; of tied ones the largest, metric by metric."""
    products = points @ normal
    tied = np.flatnonzero(products >= products.max() - TIED)
    return int(tied[np.lexsort(points[tied, ::-1].T)[-1]])


def build_hull(inputs: np.ndarray, outputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the frame, and the efficiencies (n,) under variable returns to scale, by BuildHull.

    They are output-oriented: one divided by the factor by which all outputs can grow.
    """
    frame = find_frame(np.column_stack([outputs, -inputs]))
    scores = np.ones(len(outputs))
    others = np.setdiff1d(np.arange(len(outputs)), frame)
    others = others[order_by_proximity(np.column_stack([outputs, inputs])[others])]
    if inputs.shape[1]:
        scores[others] = _score_with_inputs(inputs, outputs, frame, others)
    else:
        scores[others] = _score_outputs(outputs, frame, others)
    return frame, scores


def _score_outputs(outputs: np.ndarray, frame: np.ndarray, tested: np.ndarray) -> np.ndarray:
    """Score DMUs without inputs: the least Σ λ for which the frame reaches their outputs.

    Without inputs a factor on the outputs is one on λ, so only right-hand sides change.
    """
    s = outputs.shape[1]
    upper = np.full(s, INFINITE)
    program = GrowingProgram(np.zeros(s), upper, None, cost=1.0)
    program.add_members(outputs[frame])
    scores = np.empty(len(tested))
    for i, k in enumerate(tested.tolist()):
        program.set_bounds(outputs[k], upper)
        scores[i] = program.minimise()
    return scores


def _score_with_inputs(
    inputs: np.ndarray, outputs: np.ndarray, frame: np.ndarray, tested: np.ndarray
) -> np.ndarray:
    """Score DMUs with inputs: the largest factor on their outputs that the frame reaches."""
    s = outputs.shape[1]
    m = inputs.shape[1]
    # min -φ with Σ λ y + (-φ) y_o ≥ 0, -Σ λ x ≥ -x_o and Σ λ = 1.
    lower = np.append(np.zeros(s + m), 1.0)
    upper = np.append(np.full(s + m, INFINITE), 1.0)
    program = GrowingProgram(lower, upper, np.append(np.ones(s), np.zeros(m + 1)))
    columns = np.column_stack([outputs, -inputs, np.ones(len(outputs))])
    program.add_members(columns[frame])
    output_rows = np.arange(s)
    scores = np.empty(len(tested))
    for i, k in enumerate(tested.tolist()):
        lower[s : s + m] = -inputs[k]
        program.set_bounds(lower, upper)
        program.set_first_column(output_rows, outputs[k])
        scores[i] = -1.0 / program.minimise()
    return scores


def rank_design(inputs: np.ndarray, outputs: np.ndarray) -> Ranking:
    """Rank a design as anyone would: with weights, peers, slacks and the proof of every score."""
    input_names = [f"x{i}" for i in range(inputs.shape[1])]
    output_names = [f"y{r}" for r in range(outputs.shape[1])]
    table = pd.DataFrame(np.column_stack([inputs, outputs]), columns=input_names + output_names)
    model = CCR(returns="vrs", orientation="output") if input_names else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return rank(table, outputs=output_names, inputs=input_names or None, model=model)


def compare_design(
    n: int, dimension: int, density: float, *, has_inputs: bool, repeats: int = 1
) -> dict[str, Any]:
    """Measure both ways on one design, in turns, and how far their answers differ."""
    values = draw_design(n, dimension, density)
    inputs, outputs = split_metrics(values, dimension // 2 if has_inputs else 0)
    timed = in_turns(
        {
            "deabench": lambda: rank_design(inputs, outputs),
            "BuildHull": lambda: build_hull(inputs, outputs),
        },
        repeats,
    )
    seconds, ranking = timed["deabench"]
    peer_seconds, (frame, scores) = timed["BuildHull"]
    efficient = np.flatnonzero(ranking.efficient.to_numpy())
    return {
        "n": n,
        "dimension": dimension,
        "density": density,
        "inputs": inputs.shape[1],
        "frame": len(frame),
        "cpu_s": seconds,
        "BuildHull_s": peer_seconds,
        "times": peer_seconds / seconds,
        "largest_difference": float(np.abs(ranking.scores.to_numpy() - scores).max()),
        "efficient_differ": len(np.setxor1d(efficient, frame)),
        "path": ranking.model.split(", ", 1)[1],
    }


def compare_designs(quick: bool, repeats: int = 1) -> Iterator[tuple[str, pd.DataFrame]]:
    """Compare both ways on all designs, the small ones first."""
    for input_count in (2, 0):  # what is imported once is not measured
        rank_design(*split_metrics(draw_design(60, 4, 0.2), input_count))
    for n in (60,) if quick else SIZES:
        for has_inputs in (True, False):
            kind = "inputs and outputs, variable returns" if has_inputs else "outputs only"
            rows = [
                compare_design(n, dimension, density, has_inputs=has_inputs, repeats=repeats)
                for dimension in ((4,) if quick else DIMENSIONS)
                for density in ((0.2,) if quick else DENSITIES)
            ]
            yield f"rank beside BuildHull, n = {n:,}, {kind}", pd.DataFrame(rows).set_index("n")
