"""Elimination in rational arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from deabench.models.shared.scaled_data import compile_program
from deabench.solver import rational_simplex
from deabench.solver.exact_elimination import solve_linear_system
from deabench.solver.exact_programs import solve_lexicographically
from deabench.solver.family import Family
from deabench.utils.rational import to_fractions


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


def test_of_all_optima_the_best_by_other_costs_is_found_and_its_duals_prove_both() -> None:
    """Output 1 of 3 at input 1: the factor is 1, and 1, 2 or 3 of output 2 are left to gain."""
    family = Family(
        compile_program("envelopment_output", 1, 2, returns="vrs"),
        np.array([[1.0, 3.0, 1.0], [1.0, 3.0, 4.0], [1.0, 3.0, 2.0]]),
    )
    costs = np.zeros(len(family.table))
    rows = [i for i, name in enumerate(family.template.row_names) if name.startswith("outputs")]
    costs[family.n + family.statics + np.array(rows)] = -1.0
    tested = np.array([1.0, 3.0, 1.0])
    solution, weights = solve_lexicographically(family, tested, costs, "tested")
    values = dict(zip(solution.bases.columns[0].tolist(), solution.x[0].tolist(), strict=True))
    assert values[family.n + family.theta] == 1
    assert values[1] == 1
    assert values[family.n + family.statics + rows[1]] == 3
    # Weights of at least 1 of each output under which no other is worth more than the second.
    u = weights[rows]
    assert u.min() >= 1
    assert (family.reference[:, 1:] @ u).max() == family.reference[1, 1:] @ u


def test_the_column_with_most_to_gain_enters_first(monkeypatch) -> None:
    """Of max Σ j x_j with Σ x_j ≤ 1 the last column is the optimum: one pivot, one check."""
    n = 9
    form = rational_simplex.StandardForm(
        table=np.ones((n + 1, 1)),
        cost=np.append(-np.arange(1.0, n + 1), 0.0),
        sign=np.ones(n + 1),
        zero=np.zeros(n + 1, dtype=bool),
        right=[Fraction(1)],
        label="shares",
    )
    monkeypatch.setattr(rational_simplex, "PIVOTS", 2)
    optimum = rational_simplex.optimize(form, np.array([n]))
    assert optimum.basis.tolist() == [n - 1]
    assert optimum.x == [1]
    assert optimum.y == [-n]
