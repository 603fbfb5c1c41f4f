"""Elimination in rational arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from deabench.solver.rational_simplex import solve_linear_system, to_fractions


@pytest.mark.parametrize("decades", [0, 150])
@pytest.mark.parametrize("size", [1, 2, 5, 9])
def test_the_solution_solves_the_system_exactly(size, decades) -> None:
    rng = np.random.default_rng((size, decades))
    values = rng.normal(size=(size, size + 2)) * 10.0 ** rng.integers(
        -decades, decades + 1, (size, size + 2)
    )
    # Columns of slacks, as in a basis.
    values[:, : size // 2] = np.eye(size)[:, : size // 2]
    matrix = [to_fractions(row) for row in values[:, :size]]
    right = [to_fractions(row) for row in values[:, size:]]
    solution = solve_linear_system(matrix, right)
    assert solution is not None
    columns = list(zip(*solution, strict=True))
    products = [
        [sum(a * b for a, b in zip(row, column, strict=True)) for column in columns]
        for row in matrix
    ]
    assert products == right


def test_a_singular_system_has_no_solution() -> None:
    rows = [[Fraction(1), Fraction(2)], [Fraction(2), Fraction(4)]]
    for right in (0, 1):
        assert solve_linear_system(rows, [[Fraction(0)], [Fraction(right)]]) is None
    assert solve_linear_system([[Fraction(0), Fraction(1)]] * 2, [[Fraction(0)]] * 2) is None
