"""Extreme ranks by rational enumeration of an arrangement: for small tables, without deabench."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np

Row = tuple[Fraction, ...]


def to_integers(row: Row) -> tuple[int, ...]:
    """Return a positive multiple of a row in whole numbers."""
    scale = math.lcm(*(entry.denominator for entry in row))
    return tuple(int(entry * scale) for entry in row)


def weights_on(planes: tuple[tuple[int, ...], ...]) -> tuple[int, ...] | None:
    """Return the one point on s − 1 planes, in whole numbers with a positive sum, or None.

    Elimination without fractions: every entry is a minor of the system (Bareiss 1968).
    """
    s = len(planes) + 1
    rows = [*([*plane, 0] for plane in planes), [1] * (s + 1)]
    last = 1
    for i in range(s):
        pivot = next((k for k in range(i, s) if rows[k][i]), None)
        if pivot is None:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        scale = rows[i][i]
        for k in range(s):
            if k != i:
                factor = rows[k][i]
                rows[k] = [
                    (scale * a - factor * b) // last for a, b in zip(rows[k], rows[i], strict=True)
                ]
        last = scale
    point = [row[-1] * (1 if last > 0 else -1) for row in rows]
    divisor = math.gcd(*point)
    return tuple(value // divisor for value in point)


def dot(a: Row, b: Row) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def weighted_sum(row: tuple[int, ...], weights: tuple[int, ...]) -> int:
    return sum(x * w for x, w in zip(row, weights, strict=True))


def points_within(gaps: list[tuple[int, ...]], bounds: list[tuple[int, ...]]) -> set[Any]:
    """All points on s − 1 hyperplanes of gaps or bounds that keep the bounds g·w ≤ 0."""
    planes = list(dict.fromkeys([*(g for g in gaps if any(g)), *bounds]))
    points = map(weights_on, itertools.combinations(planes, len(bounds[0]) - 1))
    return {
        point
        for point in points
        if point is not None and all(weighted_sum(bound, point) <= 0 for bound in bounds)
    }


def arrangement_vertices(bounds: list[Row]) -> list[Row]:
    """All weights with a sum of 1 on s − 1 of the bounds that keep the others."""
    points = points_within([], list(map(to_integers, bounds)))
    return [tuple(Fraction(value, sum(point)) for value in point) for point in points]


def fewest_above(gaps: list[Row], bounds: list[Row]) -> int:
    """The fewest gaps that are positive at any weights within the bounds.

    The number at a vertex is at most that of the cells around it, and each cell has a vertex.
    """
    rows = list(map(to_integers, gaps))
    points = points_within(rows, list(map(to_integers, bounds)))
    return min(sum(weighted_sum(row, point) > 0 for row in rows) for point in points)


def extreme_ranks(values: np.ndarray, bounds: list[Row] | None = None) -> np.ndarray:
    """Best and worst rank of each row (n, 2) of values in hundredths over their largest (n, s)."""
    exact = [tuple(Fraction(str(cell)) for cell in row) for row in values.tolist()]
    best = [max(column) for column in zip(*exact, strict=True)]
    scaled = [tuple(c / b for c, b in zip(row, best, strict=True)) for row in exact]
    return extreme_ranks_of_scaled(scaled, bounds)


def extreme_ranks_of_scaled(scaled: list[Row], bounds: list[Row] | None = None) -> np.ndarray:
    """Best and worst rank of each row (n, 2) of what a weight of 1 gives (n, s)."""
    n, s = len(scaled), len(scaled[0])
    limits = weight_bounds(s) + (bounds or [])
    ranks = []
    for k, own in enumerate(scaled):
        gaps = [
            tuple(a - b for a, b in zip(row, own, strict=True))
            for j, row in enumerate(scaled)
            if j != k
        ]
        below = [tuple(-entry for entry in gap) for gap in gaps]
        ranks.append((1 + fewest_above(gaps, limits), n - fewest_above(below, limits)))
    return np.array(ranks)


def weight_bounds(s: int) -> list[Row]:
    """−w_r ≤ 0 for every weight."""
    return [tuple(Fraction(-int(q == r)) for q in range(s)) for r in range(s)]
