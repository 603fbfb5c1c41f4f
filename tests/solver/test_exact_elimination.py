"""Bases of linear programs in rational arithmetic."""

from __future__ import annotations

import numpy as np
import pytest

from deabench.solver.exact_elimination import FactoredBasis, sparse_column
from deabench.utils.rational import to_fractions


@pytest.mark.parametrize("singles", range(7))
def test_a_factored_basis_solves_its_rows_and_prices_its_columns_exactly(singles) -> None:
    rng = np.random.default_rng(singles)
    values = rng.normal(size=(6, 6))
    # Columns of slacks, some of them negative, in rows of any order and at any place of the basis.
    values[:singles] = np.diag([1.0, -1.0, 1.0, -2.0, 1.0, -1.0])[:singles][:, rng.permutation(6)]
    columns = [sparse_column(column) for column in rng.permutation(values)]
    right = sparse_column(rng.normal(size=6))
    costs = to_fractions(rng.normal(size=6) * (rng.random(6) < 0.5))
    basis = FactoredBasis(columns)
    x = basis.solve(right)
    y = basis.price(costs)
    products = [
        sum(value * column.get(i, 0) for value, column in zip(x, columns, strict=True))
        for i in range(6)
    ]
    prices = [sum(y[i] * entry for i, entry in column.items()) for column in columns]
    assert products == [right[i] for i in range(6)]
    assert prices == costs


def test_a_basis_with_two_slacks_of_one_row_is_singular() -> None:
    columns = [sparse_column(np.array(column)) for column in ([1.0, 0.0], [-1.0, 0.0])]
    assert FactoredBasis(columns).is_singular
