"""Prove rank intervals over all weightings, dominance and score bounds, by the table's decimals.

A rank is attained if it is counted at weights that keep the bounds. No weighting goes further if
the simplices of a subdivision fill the weights, and in each of them enough rows are above (or
below) at all corners: a linear function that is positive at the corners is positive between them.
On a segment the crossings of all rows tell the least number. Values are the decimals of the table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from deabench.results.proof import Proof
from deabench.results.weightings import WeightedSide
from deabench.tables.transforms import AffineTransform
from deabench.utils.rational import inner_product

LEAF = -1
UNCLAIMED = (
    "not certified: shares of weightings and mean ranks, which are volumes in floating point",
)
SCORE_CLAIMS = (
    "gap",
    "primal_infeasibility",
    "dual_infeasibility",
    "distance_of_the_score_from_its_proof",
)
"""What the proof of efficiencies says about scores."""
ROUNDING = 1e-14
"""What a mixture of values may be off by, as a share of the largest: products and sums of a few."""
MAX_DEPTH = 48
"""A float holds shares that were halved so often without rounding."""
BLOCK = 512
"""Leaves that are examined at a time."""


def prove_weightings(result: Any) -> Proof:
    """Recompute the claims of weightings; one row per row of the table."""
    n = len(result.ranks)
    violations: dict[str, np.ndarray] = {"value": np.full(n, 0.0), "weight_set": np.full(n, 0.0)}
    for number, side in enumerate(result.sides):
        violations["value"] += _value_errors(result, side, number)
        violations["weight_set"] += 0.0 if _is_filled(result, side) else 1.0
    differences = _Differences(result.sides)
    attained = {}
    for end, sign in (("best", 1), ("worst", -1)):
        evidence = result.evidence[end]
        counts = np.array(
            [differences.count_above(k, sign, evidence.weights[k]) for k in range(n)], dtype=float
        )
        ranks = 1 + counts if end == "best" else n - counts
        attained[end] = ranks
        inside = [_keep_bounds(result, weights) for weights in evidence.weights]
        misses = np.abs(ranks - result.ranks[end].to_numpy())
        violations[f"{end}_attained"] = np.where(inside, misses, 1.0)
        claimed = result.ranks[f"{end}_proved"].to_numpy()
        needed = claimed - 1 if end == "best" else n - claimed
        violations[f"{end}_proved"] = np.array(
            [
                0.0 if differences.is_proved(k, sign, evidence.trees[k], int(needed[k])) else 1.0
                for k in range(n)
            ]
        )
    violations["dominance"] = np.array(
        [
            float((differences.dominated_by(k) != result.dominance.iloc[k].to_numpy()).any())
            for k in range(n)
        ]
    )
    violations |= _score_violations(result)
    frame = pd.DataFrame(attained, index=result.ranks.index)
    unclaimed = list(UNCLAIMED)
    open_ends = int((result.ranks["best"] != result.ranks["best_proved"]).sum())
    open_ends += int((result.ranks["worst"] != result.ranks["worst_proved"]).sum())
    if open_ends:
        unclaimed.append(f"not certified: that {open_ends} ranks are the extreme ones")
    return Proof(frame, violations, tuple(unclaimed))


def _value_errors(result: Any, side: WeightedSide, number: int) -> np.ndarray:
    """Return 1 for each row whose values over the units are not those of the table."""
    wrong = np.zeros(len(side.values))
    for r, name in enumerate(side.names):
        column = _model_values(result, name)
        is_cost = result.model == "value" and name in result.costs
        if result.model == "value":
            unit = max(column) - min(column) or Fraction(1)
            origin = min(column)
        else:
            positive = [value for value in column if value > 0]
            unit = min(positive) if number == 1 else max(positive)
            origin = Fraction(0)
        sign = -1 if is_cost else 1
        expected = [sign * (value - origin) / unit * side.scale for value in column]
        wrong += [float(a != b) for a, b in zip(side.values[:, r], expected, strict=True)]
        wrong += float(unit != side.units[r])
    return wrong


def _model_values(result: Any, name: str) -> list[Fraction]:
    """Return a metric in the model's direction."""
    transform = result.transforms.get(name, AffineTransform())
    sign = int(transform.sign)
    if name in result.logarithmic:
        return [Fraction(math.log(value)) * sign for value in result.values[name]]
    shift = Fraction(repr(float(transform.shift)))
    return [shift + sign * Fraction(repr(float(value))) for value in result.values[name]]


def _halfspaces(result: Any, side: WeightedSide) -> list[list[Fraction]]:
    """Return the bounds of a side's weights as rows g of g·w ≤ 0."""
    s = len(side.names)
    position = {name: r for r, name in enumerate(side.names)}
    # No weight is negative; two bounds of each ratio; two bounds of each share.
    rows = [[Fraction(-int(q == r)) for q in range(s)] for r in range(s)]
    for (first, second), (lower, upper) in result.ratios.items():
        if first not in position:
            continue
        for bound, sign in ((lower, 1), (upper, -1)):
            if bound == math.inf:
                continue
            row = [Fraction(0)] * s
            # lower ≤ w_first / w_second ≤ upper, in the metrics' own units.
            row[position[first]] -= sign / side.units[position[first]]
            row[position[second]] += sign * Fraction(repr(bound)) / side.units[position[second]]
            rows.append(row)
    for name, (lower, upper) in result.shares.items():
        if name not in position:
            continue
        for bound, sign in ((lower, 1), (upper, -1)):
            row = [sign * Fraction(repr(bound))] * s
            # lower ≤ w_name / Σ w ≤ upper.
            row[position[name]] -= sign
            rows.append(row)
    return rows


def _keep_bounds(result: Any, weights: Sequence[Sequence[int]]) -> bool:
    """Return whether weights are not all 0 and keep the bounds."""
    return all(
        any(ray) and all(inner_product(row, ray) <= 0 for row in _halfspaces(result, side))
        for side, ray in zip(result.sides, weights, strict=True)
    )


def _is_filled(result: Any, side: WeightedSide) -> bool:
    """Return whether the simplices fill the weights that keep the bounds.

    Each face of a simplex either lies on a bound, or another simplex stands on its other side: who
    walks within the bounds from simplex to simplex never leaves them.
    """
    rays = side.polytope.rays
    rows = _halfspaces(result, side)
    # A simplex without volume fills nothing; of the others each face is noted with its apex.
    faces: dict[tuple[int, ...], list[int]] = {}
    for simplex in side.polytope.simplices:
        if not _determinant([rays[k] for k in simplex]):
            return False
        for apex in simplex:
            faces.setdefault(tuple(k for k in simplex if k != apex), []).append(apex)
    for face, apexes in faces.items():
        corners = [rays[k] for k in face]
        # A face with one simplex must lie on a bound; with two they lie on opposite sides.
        if len(apexes) == 1:
            if not any(all(inner_product(row, ray) == 0 for ray in corners) for row in rows):
                return False
        elif len(apexes) > 2:
            return False
        else:
            sides = [_determinant([*corners, rays[apex]]) for apex in apexes]
            if sides[0] * sides[1] >= 0:
                return False
    # And no vertex breaks a bound.
    inside = all(inner_product(row, ray) <= 0 for row in rows for ray in rays)
    return bool(side.polytope.simplices) and inside


def _determinant(rows: Sequence[Sequence[int]]) -> Fraction:
    """Return the determinant of whole numbers, by elimination."""
    matrix = [[Fraction(entry) for entry in row] for row in rows]
    value = Fraction(1)
    for i in range(len(matrix)):
        pivot = next((k for k in range(i, len(matrix)) if matrix[k][i]), None)
        if pivot is None:
            return Fraction(0)
        if pivot != i:
            matrix[i], matrix[pivot] = matrix[pivot], matrix[i]
            value = -value
        value *= matrix[i][i]
        for k in range(i + 1, len(matrix)):
            factor = matrix[k][i] / matrix[i][i]
            if factor:
                matrix[k] = [a - factor * b for a, b in zip(matrix[k], matrix[i], strict=True)]
    return value


class _Differences:
    """Which rows are above a row, at weights and everywhere in a simplex."""

    def __init__(self, sides: Sequence[WeightedSide]) -> None:
        self.sides = sides
        self.corners = [_corner_values(side) for side in sides]
        self.cells: list[Sequence[Sequence[int]]] = [side.polytope.simplices for side in sides]
        if len(sides) == 1:
            # Without inputs every row is divided by 1.
            self.corners.append(np.ones((len(sides[0].values), 1), dtype=object))
            self.cells.append([(0,)])

    def count_above(self, k: int, sign: int, weights: Sequence[Sequence[int]]) -> int:
        """Return how many rows are above row k, or below it with sign −1."""
        scores = [
            side.values @ np.array(ray, dtype=object)
            for side, ray in zip(self.sides, weights, strict=True)
        ]
        if len(scores) == 1:
            scores.append(np.ones(len(scores[0]), dtype=object))
        gaps = scores[0] * scores[1][k] - scores[0][k] * scores[1]
        return int((sign * gaps > 0).sum())

    def exact(self, k: int) -> np.ndarray:
        """Return by how much each row is above row k at pairs of vertices, whole numbers (n, P)."""
        first, second = self.corners
        gaps = (
            first[:, :, None] * second[k][None, None, :] - first[k][None, :, None] * second[:, None]
        )
        return np.asarray(gaps.reshape(len(first), -1))

    def dominated_by(self, k: int) -> np.ndarray:
        """Return which rows are nowhere above row k."""
        return np.asarray((self.exact(k) <= 0).all(axis=1))

    def is_proved(self, k: int, sign: int, tree: np.ndarray, needed: int) -> bool:
        """Return whether a tree proves that at least `needed` rows are above row k everywhere."""
        if needed <= 0:
            return True
        leaves = self._leaves(tree)
        if leaves is None:
            return False
        # Whole numbers are scaled to floats of at most 1, whose rounding is known.
        exact = sign * self.exact(k)
        scale = max(1, max(map(abs, exact.ravel())))
        values = (exact / scale).astype(float)
        # Rounding moves a mixture by less than this; what is nearer to 0 is mixed in fractions.
        rounding = ROUNDING * np.abs(values).max(axis=1)
        for alpha, beta in leaves:
            mixtures = (alpha[:, :, None, :, None] * beta[:, None, :, None, :]).reshape(
                len(alpha), -1, values.shape[1]
            )
            at_corners = mixtures @ values.T
            is_positive = at_corners > rounding
            for leaf, corner, row in np.argwhere(np.abs(at_corners) <= rounding):
                mixture = [Fraction(share) for share in mixtures[leaf, corner].tolist()]
                is_positive[leaf, corner, row] = inner_product(mixture, exact[row]) > 0
            # What is positive at all corners is positive between them.
            for leaf in np.flatnonzero(is_positive.all(axis=1).sum(axis=1) < needed):
                if len(mixtures[leaf]) != 2 or _count_on_segment(mixtures[leaf], exact) < needed:
                    return False
        return True

    def _leaves(self, tree: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]] | None:
        """Return the corners of the leaves, as mixtures of vertices, in blocks; None: no tree."""
        vertices = [np.eye(corners.shape[1]) for corners in self.corners]
        stack = [
            (vertices[0][list(alpha)], vertices[1][list(beta)], 0)
            for alpha in self.cells[0]
            for beta in self.cells[1]
        ][::-1]
        leaves = []
        for edge in tree.tolist():
            if not stack:
                return None
            alpha, beta, depth = stack.pop()
            if edge == LEAF:
                leaves.append((alpha, beta))
                continue
            edges = _list_edges(len(alpha))
            beta_edges = _list_edges(len(beta))
            # Halved so often, shares are no longer exact floats.
            if not 0 <= edge < len(edges) + len(beta_edges) or depth >= MAX_DEPTH:
                return None
            if edge < len(edges):
                first, second = _halves(alpha, *edges[edge])
                stack += [(second, beta, depth + 1), (first, beta, depth + 1)]
            else:
                first, second = _halves(beta, *beta_edges[edge - len(edges)])
                stack += [(alpha, second, depth + 1), (alpha, first, depth + 1)]
        if stack:
            return None
        return [
            (
                np.stack([alpha for alpha, _ in leaves[low : low + BLOCK]]),
                np.stack([beta for _, beta in leaves[low : low + BLOCK]]),
            )
            for low in range(0, len(leaves), BLOCK)
        ]


def _count_on_segment(ends: np.ndarray, exact: np.ndarray) -> int:
    """Return how many rows are above at least, at any point between two mixtures (2, P)."""
    mixtures = [[Fraction(share) for share in mixture] for mixture in ends.tolist()]
    always = 0
    crossings = []
    for row in exact:
        first, second = (inner_product(mixture, row) for mixture in mixtures)
        always += first > 0 and second > 0
        if (first > 0) != (second > 0):
            crossings.append((first / (first - second), second > 0))
    # At its own crossing a row is not above: there those that fall are left before others rise.
    count = always + sum(not is_rising for _, is_rising in crossings)
    fewest = count
    for _, is_rising in sorted(crossings):
        count += 1 if is_rising else -1
        fewest = min(fewest, count)
    return fewest


def _halves(corners: np.ndarray, i: int, j: int) -> tuple[np.ndarray, np.ndarray]:
    """Return both halves of a simplex at an edge: the first loses its first end."""
    middle = (corners[i] + corners[j]) / 2
    first = corners.copy()
    second = corners.copy()
    first[i] = middle
    second[j] = middle
    return first, second


def _corner_values(side: WeightedSide) -> np.ndarray:
    """Return the rows' values at the vertices of the weights, which add up to the same there."""
    rays = side.polytope.rays
    common = math.lcm(*(sum(ray) for ray in rays))
    weights = [[entry * (common // sum(ray)) for entry in ray] for ray in rays]
    return np.asarray(side.values @ np.array(weights, dtype=object).T)


@cache
def _list_edges(corners: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(corners) for j in range(i + 1, corners)]


def _score_violations(result: Any) -> dict[str, np.ndarray]:
    """Return by how much the bounds of scores or losses are off."""
    corners = [
        (values / _largest(values)).astype(float) for values in map(_corner_values, result.sides)
    ]
    ranks = result.ranks
    if result.model == "value":
        side = result.sides[0]
        scale = side.scale * math.lcm(*(sum(ray) for ray in side.polytope.rays))
        values = (_corner_values(side) / scale).astype(float)
        greatest = (values.max(axis=0) - values).max(axis=1)
        # Weights show that the loss is no more, a mix of rows that it is no less.
        mixtures = result.loss_weights
        at_weights = values @ mixtures.T
        upper = at_weights.max(axis=0) - np.diagonal(at_weights)
        mixes = result.loss_mixes
        lower = (mixes @ values - values).min(axis=1)
        feasible = np.maximum.reduce(
            [
                np.abs(mixtures.sum(axis=1) - 1),
                np.abs(mixes.sum(axis=1) - 1),
                -mixtures.min(axis=1),
                -mixes.min(axis=1),
            ]
        )
        smallest = ranks["loss_min"].to_numpy()
        return {
            "loss_max": np.abs(greatest - ranks["loss_max"].to_numpy()),
            "loss_min": np.maximum.reduce(
                [upper - smallest, smallest - np.maximum(lower, 0.0), feasible]
            ),
        }
    if len(corners) == 1:
        lowest = (corners[0] / corners[0].max(axis=0)).min(axis=1)
    else:
        lowest = np.array([_lowest_ratio(k, *corners) for k in range(len(ranks))])
    ranking = result.score_ranking
    # Of slacks and peers nothing is claimed.
    score_violations = ranking.proof().violations
    violations = {f"score: {name}": score_violations[name] for name in SCORE_CLAIMS}
    metrics = np.column_stack(corners)
    solved = np.column_stack([ranking.data.outputs, ranking.data.inputs])
    sizes = metrics.max(axis=0) / solved.max(axis=0)
    violations["score_metrics"] = np.abs(solved * sizes - metrics).max(axis=1)
    scores = ranking.scores.fillna(0.0).to_numpy()
    violations["score_max"] = np.abs(scores - ranks["score_max"].to_numpy())
    violations["score_min"] = np.abs(lowest - ranks["score_min"].to_numpy())
    return {name: np.nan_to_num(v, nan=0.0) for name, v in violations.items()}


def _largest(values: np.ndarray) -> int:
    return max(int(values.max()), -int(values.min()), 1)


def _lowest_ratio(k: int, outputs: np.ndarray, inputs: np.ndarray) -> float:
    """Return the least ratio of row k's score to another's: the product of both extremes."""
    with np.errstate(divide="ignore", invalid="ignore"):
        products = (outputs[k] / outputs).min(axis=1) * (inputs / inputs[k]).min(axis=1)
    return float(np.nanmin(products))
