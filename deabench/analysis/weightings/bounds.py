"""Find and prove the best and the worst rank and score of each row over all weightings."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pandas as pd

from deabench.analysis.ranking import rank_completely
from deabench.errors import DataWarning, SolveError
from deabench.geometry.share_polytopes import Ray
from deabench.geometry.subdivision import Cell, Point, Subdivision
from deabench.results.ranking import Ranking
from deabench.results.weightings import RankEvidence, WeightedSide
from deabench.solver.highs import Limit, Solver
from deabench.solver.template import Template, compile_template, expand_template
from deabench.utils.progress import check_time

FIRST_NODES = 2_000
"""All ends are searched so far before one is searched further."""
MAX_NODES = 100_000
"""After so many nodes the mixed-integer program takes over."""
MAX_PROOF_NODES = 200_000
"""With the optimum known the proof may take so many nodes in all."""
STEP = 1_000
"""Nodes between two looks at the clock."""
MILP_SECONDS = 5.0
LEAST_SECONDS = 0.01
IN_USE = 0.5
"""A binary above this is 1."""


@dataclass
class RankBound:
    """How few rows are above a row (or below it): attained and proved numbers, and their proofs."""

    attained: int
    proved: int
    weights: tuple[Ray, ...]
    tree: np.ndarray


class RankSearch:
    """The searches of all rows of a table.

    Parameters
    ----------
    sides : sequence of WeightedSide
    end : float
        The time, of `time.monotonic`, after which only what was seen is returned.
    """

    def __init__(self, sides: Sequence[WeightedSide], end: float) -> None:
        self.sides = sides
        self.end = end
        self.is_ratio = len(sides) > 1
        alpha_vertices = np.eye(len(sides[0].polytope.rays))
        alpha_cells = [alpha_vertices[list(simplex)] for simplex in sides[0].polytope.simplices]
        self.shares = (sides[0].polytope.shares, np.ones((1, 1)))
        beta_cells = [np.ones((1, 1))]
        if self.is_ratio:
            beta_vertices = np.eye(len(sides[1].polytope.rays))
            beta_cells = [beta_vertices[list(simplex)] for simplex in sides[1].polytope.simplices]
            self.shares = (sides[0].polytope.shares, sides[1].polytope.shares)
        self.cells = [Cell(alpha, beta) for alpha in alpha_cells for beta in beta_cells]

    def exact_differences(self, k: int) -> np.ndarray:
        """Return by how much each row is above row k at the pairs of vertices, object (n, P)."""
        first = self.sides[0].corner_values
        if not self.is_ratio:
            return np.asarray(first - first[k])
        second = self.sides[1].corner_values
        # (u·y_l)(v·x_k) − (u·y_k)(v·x_l), whose sign tells which ratio is higher.
        above = first[:, :, None] * second[k][None, None, :]
        below = first[k][None, :, None] * second[:, None, :]
        return np.asarray((above - below).reshape(len(first), -1))

    def bound_all(
        self,
        highest: Sequence[Point],
        lowest: Sequence[Point],
        first: Mapping[int, Ray],
        advance: Callable[[int], None],
    ) -> tuple[list[RankBound], list[RankBound]]:
        """Return how few rows are above, and how few below, each row.

        Parameters
        ----------
        highest, lowest : sequences of Point
            Mixtures at which few rows are above each, and below.
        first : mapping of row to ray
            Weights at which no row is above it.
        advance : function of int
            Is called with the number of ends that are settled.
        """
        n = len(highest)
        ends = [_End(self, k, 1, highest[k]) for k in range(n)]
        ends += [_End(self, k, -1, lowest[k]) for k in range(n)]
        for k, ray in first.items():
            ends[k].take((ray,))
        waiting = ends
        # Easy ends first: whatever the time, they are settled.
        for max_nodes in (FIRST_NODES, MAX_NODES):
            for end in waiting:
                end.search_until(max_nodes)
            unsettled = [end for end in waiting if not end.is_settled]
            advance(len(waiting) - len(unsettled))
            waiting = unsettled
        for end in waiting:
            if time.monotonic() < self.end:
                end.solve_by_milp()
            advance(1)
        bounds = [end.bound() for end in ends]
        return bounds[:n], bounds[n:]

    def differences(self, k: int, sign: int) -> np.ndarray:
        """Return by how much the other rows are above row k, or below it, at pairs of vertices."""
        scale = math.prod(side.corner_scale for side in self.sides)
        exact = sign * np.delete(self.exact_differences(k), k, axis=0)
        return np.asarray((exact / scale).astype(float))

    def solve_milp(
        self, k: int, sign: int, values: np.ndarray, seconds: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """Return which other rows are not above, and the weights, by the mixed-integer program."""
        p = len(self.sides[0].polytope.rays)
        if not self.is_ratio:
            largest = np.maximum(values.max(axis=1), 0.0)
            data = np.column_stack([values, largest])
            template = _rows_above_template(p)
            q = 0
        else:
            ratios = self._own_ratios(k, sign)
            if ratios is None:
                return None
            data, p, q, template = ratios
        solver = Solver(expand_template(template, data, np.zeros(0)), time_limit=seconds)
        try:
            solver.run(f"row {k}")
        except Limit as limit:
            if not math.isfinite(limit.objective):
                return None
        except SolveError:
            return None
        solution = solver.values()
        if len(solution) < p + q:
            return None
        mu = np.clip(solution[: p + q], 0.0, None)
        is_above = solution[p + q :] > IN_USE
        if not self.is_ratio:
            return ~is_above, mu, np.ones(1)
        alpha, beta = self._to_mixtures(k, sign, mu[:p], mu[p:])
        return ~is_above, alpha, beta

    def _own_ratios(self, k: int, sign: int) -> tuple[np.ndarray, int, int, Template] | None:
        """Return the data of `ratio_above`; None where a vertex makes row k worth nothing."""
        first, second = (side.corners for side in self._ordered_sides(sign))
        if (first[k] <= 0).any() or (second[k] <= 0).any():
            return None
        outputs = np.delete(first / first[k], k, axis=0)
        inputs = np.delete(second / second[k], k, axis=0)
        largest = np.maximum(outputs.max(axis=1) - inputs.min(axis=1), 0.0)
        p, q = outputs.shape[1], inputs.shape[1]
        return np.column_stack([inputs, outputs, largest]), p, q, _ratio_above_template(p, q)

    def _ordered_sides(self, sign: int) -> tuple[WeightedSide, ...]:
        # Below row k are the rows whose ratio of inputs to outputs is higher.
        return tuple(self.sides) if sign > 0 else tuple(reversed(self.sides))

    def _to_mixtures(
        self, k: int, sign: int, first: np.ndarray, second: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return mixtures of the vertices from weights that make row k worth 1 at each."""
        ordered = self._ordered_sides(sign)
        alpha = first / ordered[0].corners[k]
        beta = second / ordered[1].corners[k]
        return (alpha, beta) if sign > 0 else (beta, alpha)

    def solve_tie(self, k: int, sign: int, not_above: np.ndarray) -> Ray | None:
        """Return weights at which none of some other rows is above row k; None: there are none."""
        if self.is_ratio:
            return None
        side = self.sides[0]
        rivals = np.delete(side.values, k, axis=0)
        polytope = side.polytope
        for row in rivals[not_above]:
            check_time()
            polytope = polytope.cut((sign * (row - side.values[k])).tolist())
            if not polytope.rays:
                return None
        return polytope.middle

    def weights(self, alpha: np.ndarray, beta: np.ndarray) -> tuple[Ray, ...]:
        """Return the weights of mixtures of vertices, in whole numbers."""
        mixtures = (alpha, beta)[: len(self.sides)]
        return tuple(
            _mix_exactly(side.polytope.rays, mixture)
            for side, mixture in zip(self.sides, mixtures, strict=True)
        )

    def count_above(self, k: int, sign: int, weights: Sequence[Ray]) -> int:
        """Return how many rows are above row k (or below it) at weights, in whole numbers."""
        scores = [
            side.values @ np.array(ray, dtype=object)
            for side, ray in zip(self.sides, weights, strict=True)
        ]
        if not self.is_ratio:
            return int((sign * (scores[0] - scores[0][k]) > 0).sum())
        return int((sign * (scores[0] * scores[1][k] - scores[0][k] * scores[1]) > 0).sum())


class _End:
    """The search of one end of a row's rank interval."""

    def __init__(self, table: RankSearch, k: int, sign: int, start: Point) -> None:
        self.table = table
        self.k = k
        self.sign = sign
        self.values = table.differences(k, sign)
        self.weights = table.weights(start.alpha, start.beta)
        self.attained = table.count_above(k, sign, self.weights)
        # What is tied up to rounding is counted in whole numbers.
        first = Point(self.attained, start.alpha, start.beta)
        self.search = Subdivision(self.values, table.cells, table.shares, first)

    @property
    def is_settled(self) -> bool:
        """Whether the attained count is proved the least."""
        return self.search.lower_bound >= self.attained

    def search_until(self, max_nodes: int) -> None:
        """Go on until it is settled, so many nodes were examined, or the time is up."""
        while (
            not self.search.is_exhausted
            and self.search.nodes < max_nodes
            and time.monotonic() < self.table.end
        ):
            self.search.run(min(self.search.nodes + STEP, max_nodes))
        if self.search.best.count < self.attained:
            self.take(self.table.weights(self.search.best.alpha, self.search.best.beta))
        if self.search.is_exhausted:
            self._solve_stalled()

    def _solve_stalled(self) -> None:
        """Try the ties that halving cannot reach: where rows are tied, or nearly so, in a point."""
        nodes = list(self.search.stalled.values())
        if self.search.best.count < self.attained:
            # Up to rounding the best point has fewer rows above than in whole numbers.
            nodes.append((self.search.best.count, self.search.is_positive_at_best()))
        for count, is_above in sorted(nodes, key=lambda node: node[0]):
            if count < self.attained and not self.is_settled:
                tied = self.table.solve_tie(self.k, self.sign, ~is_above)
                if tied is not None:
                    self.take((tied,))

    def solve_by_milp(self) -> None:
        """Improve the attained count by the mixed-integer program, and prove it."""
        seconds = min(MILP_SECONDS, max(self.table.end - time.monotonic(), LEAST_SECONDS))
        optimum = self.table.solve_milp(self.k, self.sign, self.values, seconds)
        if optimum is None:
            return
        before = self.attained
        not_above, alpha, beta = optimum
        self.take(self.table.weights(alpha, beta))
        # Where the fewest are above only on a tie, the tie is solved in whole numbers.
        tied = self.table.solve_tie(self.k, self.sign, not_above)
        if tied is not None:
            self.take((tied,))
        if self.attained < before:
            # With the lower count known a new search proves it by a smaller tree.
            start = Point(self.attained, self.search.best.alpha, self.search.best.beta)
            self.search = Subdivision(self.values, self.table.cells, self.table.shares, start)
        self.search_until(MAX_PROOF_NODES)

    def take(self, weights: tuple[Ray, ...]) -> None:
        """Keep weights at which fewer rows are above."""
        count = self.table.count_above(self.k, self.sign, weights)
        if count < self.attained:
            self.attained = count
            self.weights = weights
            # The search then closes what cannot have fewer.
            self.search.offer(count, self.search.best.alpha, self.search.best.beta)

    def bound(self) -> RankBound:
        """Return what is attained and what is proved."""
        proved = min(self.search.lower_bound, self.attained)
        return RankBound(self.attained, proved, self.weights, self.search.tree())


def _mix_exactly(rays: Sequence[Ray], mixture: np.ndarray) -> Ray:
    """Return a mixture of vertices as a ray; floats are taken as they are."""
    shares = [Fraction(share) / sum(ray) for share, ray in zip(mixture.tolist(), rays, strict=True)]
    common = math.lcm(*(share.denominator for share in shares))
    factors = [int(share * common) for share in shares]
    mixed = [
        sum(w * ray[r] for w, ray in zip(factors, rays, strict=True)) for r in range(len(rays[0]))
    ]
    divisor = math.gcd(*mixed)
    return tuple(entry // divisor for entry in mixed)


@lru_cache(maxsize=8)
def _rows_above_template(p: int) -> Template:
    return compile_template("rows_above", {"D": range(p), "M": ["most"]}, {})


@lru_cache(maxsize=8)
def _ratio_above_template(p: int, q: int) -> Template:
    reference = {"X": range(q), "Y": range(p), "M": ["most"]}
    return compile_template("ratio_above", reference, {})


def collect_evidence(bounds: Sequence[RankBound]) -> RankEvidence:
    """Return the proofs of one end of all rows."""
    return RankEvidence(
        tuple(bound.weights for bound in bounds), tuple(bound.tree for bound in bounds)
    )


def bound_scores(sides: Sequence[WeightedSide]) -> tuple[np.ndarray, Ranking]:
    """Return the least score over that of the best row, (n,), and a ranking by the greatest."""
    corners = sides[0].corners
    if len(sides) == 1:
        # A quotient of linear functions is extreme at a vertex.
        lowest = (corners / corners.max(axis=0)).min(axis=1)
    else:
        lowest = _lowest_ratio_scores(corners, sides[1].corners)
    return lowest, _rank_greatest_scores(sides)


def _lowest_ratio_scores(outputs: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """Return the least of E_k / E_l over all rows l and weights, (n,)."""
    lowest = np.empty(len(outputs))
    for k in range(len(outputs)):
        with np.errstate(divide="ignore", invalid="ignore"):
            # Outputs and inputs have weights of their own: the product of both extremes.
            output_ratios = (outputs[k] / outputs).min(axis=1)
            input_ratios = (inputs / inputs[k]).min(axis=1)
        lowest[k] = np.nanmin(output_ratios * input_ratios)
    return lowest


def _rank_greatest_scores(sides: Sequence[WeightedSide]) -> Ranking:
    """Rank by the greatest score over the best row's: the efficiency at the vertices' values.

    Weights within the bounds are mixtures of their vertices, so that the values there are metrics
    with free weights.
    """
    # The values at each vertex of the weights become the metrics of a table of their own.
    metrics = pd.DataFrame(sides[0].corners).add_prefix("output ")
    outputs = list(metrics)
    # The user's own metrics were checked before; these are mixtures of them.
    with warnings.catch_warnings(action="ignore", category=DataWarning):
        if len(sides) == 1:
            return rank_completely(metrics, outputs=outputs, model="wei")
        costs = pd.DataFrame(sides[1].corners).add_prefix("input ")
        return rank_completely(
            metrics.join(costs), outputs=outputs, inputs=list(costs), model="ccr", returns="crs"
        )


@dataclass
class LossBounds:
    """The least and greatest distance of each row to the best one, in shares of the ranges.

    Attributes
    ----------
    smallest, greatest : arrays (n,)
    weights : array (n, p)
        Mixtures of the vertices at which the distance is least.
    mixes : array (n, n)
        A mix of rows that is above each row by its least distance at every vertex: the dual.
    """

    smallest: np.ndarray
    greatest: np.ndarray
    weights: np.ndarray
    mixes: np.ndarray


def bound_losses(side: WeightedSide) -> LossBounds:
    """Return the least and greatest distance of each row to the best one."""
    corners = side.corners
    # The distance is convex in the weights: it is greatest at a vertex.
    greatest = (corners.max(axis=0) - corners).max(axis=1)
    n, p = corners.shape
    smallest = np.zeros(n)
    weights = np.zeros((n, p))
    mixes = np.zeros((n, n))
    template = _least_loss_template(p)
    for k in range(n):
        # min ε over weights w ≥ 0, Σ w = 1, such that no row l is ahead of row k by more than ε.
        solver = Solver(expand_template(template, corners - corners[k], np.zeros(0)))
        solver.run(f"row {k}")
        weights[k] = np.clip(solver.values()[:p], 0.0, None)
        # The dual of "row l is ahead by at most ε" is the share of l in the mix.
        mixes[k] = np.clip(-solver.duals()[1:], 0.0, None)
        smallest[k] = max(solver.objective(), 0.0)
    weights /= weights.sum(axis=1, keepdims=True)
    mixes /= mixes.sum(axis=1, keepdims=True)
    return LossBounds(smallest, greatest, weights, mixes)


@lru_cache(maxsize=8)
def _least_loss_template(p: int) -> Template:
    return compile_template("least_loss", {"D": range(p)}, {})
