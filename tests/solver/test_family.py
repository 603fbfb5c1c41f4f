"""Families of linear programs: which bases count as feasible."""

from __future__ import annotations

import numpy as np

from deabench.models.shared.scaled_data import compile_program
from deabench.solver.family import FEASIBLE, Family


def test_signs_equations_and_factors_decide_what_is_feasible_to_the_tolerance() -> None:
    """A variable may be wrong by FEASIBLE itself; a factor of the duals is finite and above 0."""
    reference = np.array([[1.0, 3.0, 1.0], [1.0, 1.0, 3.0]])
    family = Family(compile_program("envelopment_output", 1, 2, returns="vrs"), reference)
    equation = int(np.flatnonzero(family.zero)[0])
    codes = np.array([0, 1, equation])
    rows = {
        (0.5, 0.5, 0.0): True,
        (-FEASIBLE, 1.0, 0.0): True,
        (-2 * FEASIBLE, 1.0, 0.0): False,
        (1.0, -2 * FEASIBLE, 0.0): False,
        (1.0, 0.0, FEASIBLE): True,
        (1.0, 0.0, -FEASIBLE): True,
        (1.0, 0.0, 2 * FEASIBLE): False,
    }
    x = np.array(list(rows))
    assert family.feasible_rows(codes, x, np.ones(len(x))).tolist() == list(rows.values())
    factors = {1e-300: True, 0.0: False, -1.0: False, np.inf: False, np.nan: False}
    x = np.tile([0.5, 0.5, 0.0], (len(factors), 1))
    feasible = family.feasible_rows(codes, x, np.array(list(factors)))
    assert feasible.tolist() == list(factors.values())
