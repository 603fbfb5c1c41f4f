"""Programs that end without an optimum, in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from deabench.solver.highs import Unbounded
from deabench.solver.rational_simplex import SingularBasis, StandardForm, optimize


def form_of(columns: list[list[float]], costs: list[float]) -> StandardForm:
    """A program with variables x ≥ 0 and right-hand sides of 1."""
    table = np.array(columns)
    count = len(table)
    return StandardForm(
        table,
        np.array(costs),
        np.ones(count),
        np.zeros(count, dtype=bool),
        [Fraction(1)] * table.shape[1],
        "program",
    )


def test_equal_columns_are_no_basis() -> None:
    form = form_of([[1.0, 1.0], [1.0, 1.0], [0.0, 1.0]], [0.0, 0.0, 0.0])
    with pytest.raises(SingularBasis) as caught:
        optimize(form, np.array([0, 1]))
    assert str(caught.value) == "program: the basis is singular, in exact arithmetic"
    assert optimize(form, np.array([0, 2])).x == [1, 0]


def test_a_column_that_no_row_holds_back_has_no_optimum() -> None:
    """Max x with slack - x = 1: the slack grows with x."""
    with pytest.raises(Unbounded) as caught:
        optimize(form_of([[-1.0], [1.0]], [-1.0, 0.0]), np.array([1]))
    assert str(caught.value) == "program: unbounded, in exact arithmetic"
