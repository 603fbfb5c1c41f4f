"""Extreme ranks by rational enumeration of an arrangement: for small tables, without deabench."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np

Row = tuple[Fraction, ...]


def solve_exactly(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """Solve a square system by Gauss' elimination; None where it is singular."""
    size = len(matrix)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for i in range(size):
        pivot = next((k for k in range(i, size) if rows[k][i]), None)
        if pivot is None:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [entry / rows[i][i] for entry in rows[i]]
        for k in range(size):
            if k != i and rows[k][i]:
                factor = rows[k][i]
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i], strict=True)]
    return [row[-1] for row in rows]


def dot(a: Row, b: Row) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def arrangement_vertices(gaps: list[Row], bounds: list[Row]) -> list[Row]:
    """All weights on s − 1 hyperplanes of gaps or bounds that keep the bounds g·w ≤ 0."""
    s = len(bounds[0])
    found = set()
    planes = list(dict.fromkeys([*(g for g in gaps if any(g)), *bounds]))
    for chosen in itertools.combinations(planes, s - 1):
        point = solve_exactly(
            [*map(list, chosen), [Fraction(1)] * s], [Fraction(0)] * (s - 1) + [Fraction(1)]
        )
        if point is not None and all(dot(g, tuple(point)) <= 0 for g in bounds):
            found.add(tuple(point))
    return list(found)


def fewest_above(gaps: list[Row], bounds: list[Row]) -> int:
    """The fewest gaps that are positive at any weights within the bounds.

    The number at a vertex is at most that of the cells around it, and each cell has a vertex.
    """
    return min(
        sum(dot(gap, vertex) > 0 for gap in gaps) for vertex in arrangement_vertices(gaps, bounds)
    )


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
