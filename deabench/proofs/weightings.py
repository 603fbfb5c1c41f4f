"""Prove rank intervals over all weightings, dominance and score bounds, in whole numbers.

A rank is attained if it is counted at weights that keep the bounds. No weighting goes further if
the simplices of a subdivision fill the weights, and in each of them enough rows are above (or
below) at all corners: a linear function that is positive at the corners is positive between them.
Values are the decimals of the table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from deabench.results.proof import Proof
from deabench.results.weightings import WeightedSide
from deabench.tables.transforms import AffineTransform

LEAF = -1
UNCLAIMED = (
    "not certified: shares of weightings and mean ranks, which are volumes in floating point",
)
Vector = tuple[np.ndarray, int]
"""Whole numbers, and the power of 2 that they are multiplied by."""


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
    rows = [[Fraction(-int(q == r)) for q in range(s)] for r in range(s)]
    for (first, second), (least, most) in result.ratios.items():
        if first not in position:
            continue
        for bound, sign in ((least, 1), (most, -1)):
            if bound == math.inf:
                continue
            row = [Fraction(0)] * s
            row[position[first]] -= sign / side.units[position[first]]
            row[position[second]] += sign * Fraction(repr(bound)) / side.units[position[second]]
            rows.append(row)
    for name, (least, most) in result.shares.items():
        if name not in position:
            continue
        for bound, sign in ((least, 1), (most, -1)):
            row = [sign * Fraction(repr(bound))] * s
            row[position[name]] -= sign
            rows.append(row)
    return rows


def _dot(row: Sequence[Any], ray: Sequence[int]) -> Any:
    return sum(a * b for a, b in zip(row, ray, strict=True))


def _keep_bounds(result: Any, weights: Sequence[Sequence[int]]) -> bool:
    """Return whether weights are not all 0 and keep the bounds."""
    return all(
        any(ray) and all(_dot(row, ray) <= 0 for row in _halfspaces(result, side))
        for side, ray in zip(result.sides, weights, strict=True)
    )


def _is_filled(result: Any, side: WeightedSide) -> bool:
    """Return whether the simplices fill the weights that keep the bounds.

    Each face of a simplex either lies on a bound, or another simplex stands on its other side: who
    walks within the bounds from simplex to simplex never leaves them.
    """
    rays = side.polytope.rays
    rows = _halfspaces(result, side)
    faces: dict[tuple[int, ...], list[int]] = {}
    for simplex in side.polytope.simplices:
        if not _determinant([rays[k] for k in simplex]):
            return False
        for apex in simplex:
            faces.setdefault(tuple(k for k in simplex if k != apex), []).append(apex)
    for face, apexes in faces.items():
        corners = [rays[k] for k in face]
        if len(apexes) == 1:
            is_bound = any(all(_dot(row, ray) == 0 for ray in corners) for row in rows)
            if not is_bound and len(rays) > 1:
                return False
        elif len(apexes) > 2:
            return False
        else:
            sides = [_determinant([*corners, rays[apex]]) for apex in apexes]
            if sides[0] * sides[1] >= 0:
                return False
    inside = all(_dot(row, ray) <= 0 for row in rows for ray in rays)
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


@dataclass
class _Node:
    """A pair of simplices: the rows' values at the corners, and who is above at each pair."""

    first: list[Vector]
    second: list[Vector]
    above: list[list[np.ndarray]]


class _Differences:
    """Which rows are above a row, at weights and everywhere in a simplex; all in whole numbers."""

    def __init__(self, sides: Sequence[WeightedSide]) -> None:
        self.sides = sides
        self.corners = [_corner_values(side) for side in sides]
        ones = np.ones((len(sides[0].values), 1), dtype=object)
        if len(sides) == 1:
            self.corners.append(ones)

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

    def dominated_by(self, k: int) -> np.ndarray:
        """Return which rows are nowhere above row k."""
        first, second = self.corners
        is_below = np.ones(len(first), dtype=bool)
        for p in range(first.shape[1]):
            for q in range(second.shape[1]):
                gaps = first[:, p] * second[k, q] - first[k, p] * second[:, q]
                is_below &= gaps <= 0
        return is_below

    def is_proved(self, k: int, sign: int, tree: np.ndarray, needed: int) -> bool:
        """Return whether a tree proves that at least `needed` rows are above row k everywhere."""
        if needed <= 0:
            return True
        steps = iter(tree.tolist())
        first_cells = self.sides[0].polytope.simplices
        second_cells: Sequence[Sequence[int]] = [(0,)]
        if len(self.sides) > 1:
            second_cells = self.sides[1].polytope.simplices
        stack = [
            self._root(k, sign, alpha, beta) for alpha in first_cells for beta in second_cells
        ][::-1]
        for edge in steps:
            if not stack:
                return False
            node = stack.pop()
            if edge == LEAF:
                everywhere = np.logical_and.reduce([a for row in node.above for a in row])
                if int(everywhere.sum()) < needed:
                    return False
            else:
                stack += reversed(self._halves(k, sign, node, edge))
        return not stack

    def _root(self, k: int, sign: int, alpha: Sequence[int], beta: Sequence[int]) -> _Node:
        first = [(self.corners[0][:, p], 0) for p in alpha]
        second = [(self.corners[1][:, q], 0) for q in beta]
        above = [[self._above(k, sign, a, b) for b in second] for a in first]
        return _Node(first, second, above)

    def _above(self, k: int, sign: int, first: Vector, second: Vector) -> np.ndarray:
        """Return which rows are above row k at a pair of corners; powers of 2 do not matter."""
        a, b = first[0], second[0]
        if len(self.sides) == 1:
            # Without inputs all values of b are 1.
            return np.asarray(a > a[k] if sign > 0 else a < a[k], dtype=bool)
        gaps = a * b[k] - a[k] * b
        return np.asarray(gaps > 0 if sign > 0 else gaps < 0, dtype=bool)

    def _halves(self, k: int, sign: int, node: _Node, edge: int) -> list[_Node]:
        """Return both halves of a node at an edge, in the order of the proof."""
        edges = _list_edges(len(node.first))
        if edge < len(edges):
            i, j = edges[edge]
            middle = _middle(node.first[i], node.first[j])
            row = [self._above(k, sign, middle, b) for b in node.second]
            halves = []
            for lost in (i, j):
                first = [*node.first]
                above = [*node.above]
                first[lost], above[lost] = middle, row
                halves.append(_Node(first, node.second, above))
            return halves
        i, j = _list_edges(len(node.second))[edge - len(edges)]
        middle = _middle(node.second[i], node.second[j])
        column = [self._above(k, sign, a, middle) for a in node.first]
        halves = []
        for lost in (i, j):
            second = [*node.second]
            second[lost] = middle
            above = [
                [*row[:lost], new, *row[lost + 1 :]]
                for row, new in zip(node.above, column, strict=True)
            ]
            halves.append(_Node(node.first, second, above))
        return halves


def _corner_values(side: WeightedSide) -> np.ndarray:
    """Return the rows' values at the vertices of the weights, which add up to the same there."""
    rays = side.polytope.rays
    common = math.lcm(*(sum(ray) for ray in rays))
    weights = [[entry * (common // sum(ray)) for entry in ray] for ray in rays]
    return np.asarray(side.values @ np.array(weights, dtype=object).T)


def _middle(a: Vector, b: Vector) -> Vector:
    """Return the values in the middle of an edge."""
    exponent = max(a[1], b[1])
    total = a[0] * (1 << (exponent - a[1])) + b[0] * (1 << (exponent - b[1]))
    return total, exponent + 1


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
        least = ranks["loss_min"].to_numpy()
        return {
            "loss_max": np.abs(greatest - ranks["loss_max"].to_numpy()),
            "loss_min": np.maximum.reduce(
                [upper - least, least - np.maximum(lower, 0.0), feasible]
            ),
        }
    if len(corners) == 1:
        least = (corners[0] / corners[0].max(axis=0)).min(axis=1)
    else:
        least = np.array([_least_ratio(k, *corners) for k in range(len(ranks))])
    ranking = result.score_ranking
    violations = {f"score: {name}": v for name, v in ranking.proof().violations.items()}
    metrics = np.column_stack(corners)
    solved = np.column_stack([ranking.data.outputs, ranking.data.inputs])
    sizes = metrics.max(axis=0) / solved.max(axis=0)
    violations["score_metrics"] = np.abs(solved * sizes - metrics).max(axis=1)
    scores = ranking.scores.fillna(0.0).to_numpy()
    violations["score_max"] = np.abs(scores - ranks["score_max"].to_numpy())
    violations["score_min"] = np.abs(least - ranks["score_min"].to_numpy())
    return {name: np.nan_to_num(v, nan=0.0) for name, v in violations.items()}


def _largest(values: np.ndarray) -> int:
    return max(int(values.max()), -int(values.min()), 1)


def _least_ratio(k: int, outputs: np.ndarray, inputs: np.ndarray) -> float:
    """Return the least ratio of row k's score to another's: the product of both extremes."""
    with np.errstate(divide="ignore", invalid="ignore"):
        products = (outputs[k] / outputs).min(axis=1) * (inputs / inputs[k]).min(axis=1)
    return float(np.nanmin(products))
