"""Programs with bounds on columns, in rational arithmetic."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from deabench.solver.exact_programs import solve_program_exactly
from deabench.solver.template import Program

# min x + 10 y with 3 x + 5 y ≥ 20, x ≥ 1 and y ≥ 2.
PROGRAM = Program(
    name="bounds",
    sense=1,
    cost=np.array([1.0, 10.0]),
    column_lower=np.array([1.0, 2.0]),
    column_upper=np.array([np.inf, np.inf]),
    integer=np.zeros(2, dtype=bool),
    lower=np.array([20.0]),
    upper=np.array([np.inf]),
    start=np.array([0, 1, 2], dtype=np.int32),
    index=np.array([0, 0], dtype=np.int32),
    value=np.array([3.0, 5.0]),
    hessian=(),
    row_names=("sum",),
    column_names=("x", "y"),
)


def test_what_the_bounds_of_columns_take_of_a_row_is_in_each_columns_own_numbers() -> None:
    optimum = solve_program_exactly(PROGRAM, "it")
    assert optimum.values.tolist() == [10 / 3, 2.0]
    assert optimum.duals.tolist() == [1 / 3]


def test_a_column_between_two_bounds_is_refused() -> None:
    program = replace(PROGRAM, column_upper=np.array([np.inf, 3.0]))
    with pytest.raises(ValueError, match="bounds: a column has two different bounds"):
        solve_program_exactly(program, "it")
