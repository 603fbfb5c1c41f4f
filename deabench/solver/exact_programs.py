"""Solve programs in rational arithmetic: one of a family, or any expanded formulation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from deabench.errors import SolveError
from deabench.solver.engine import Solution
from deabench.solver.family import Bases, Family
from deabench.solver.highs import Solver
from deabench.solver.rational_simplex import (
    OptimalBasis,
    ProvedInfeasible,
    SingularBasis,
    StandardForm,
    optimize,
    standard_form,
)
from deabench.solver.template import Program
from deabench.utils.rational import to_floats, to_fractions


@dataclass(frozen=True, eq=False)
class Optimum:
    """The optimum of a program.

    Attributes
    ----------
    objective : float
    values : array (columns,)
    duals : array (rows,)
        What the objective gains per unit of each row's bound.
    """

    objective: float
    values: np.ndarray
    duals: np.ndarray


def solve_exactly(
    family: Family, tested: np.ndarray, name: str, *, start: np.ndarray | None = None
) -> Solution:
    """Solve one program (q,) in rational arithmetic; round once at the end.

    From the basis `start` (m,), if there is one, or from the slacks. Where the program is
    infeasible, the duals are the ray that proves it (Farkas).
    """
    form = standard_form(family, tested, name)
    slacks = family.slack_codes()
    try:
        optimum = _optimize_from(form, slacks if start is None else start, slacks)
    except ProvedInfeasible as error:
        inverse = np.full((1, family.m, family.m), np.inf)
        ray = Bases(slacks[None], inverse, error.ray[None], np.array([-1]))
        no_values = np.zeros((1, family.m))
        return Solution(np.array([-1]), no_values, np.ones(1), ray, 0, {0: str(error)})
    basis = family.exact_basis(optimum.basis, to_floats(optimum.y))
    return Solution(np.array([0]), to_floats(optimum.x)[None], np.ones(1), basis, 0, {})


def _optimize_from(form: StandardForm, start: np.ndarray, slacks: np.ndarray) -> OptimalBasis:
    """Return the optimum from a basis, or from that of the slacks where it is none."""
    try:
        return optimize(form, start)
    except SingularBasis:  # as near-duplicates can make it; the slacks never are
        return optimize(form, slacks)


def solve_lexicographically(
    family: Family, tested: np.ndarray, second_costs: np.ndarray, name: str
) -> tuple[Solution, np.ndarray]:
    """Solve one program (q,) in rational arithmetic, and find its best optimum by other costs.

    Parameters
    ----------
    second_costs : array (n + statics + m,)
        Of the columns by code.

    Returns
    -------
    Solution
    weights : array (m,)
        Duals that prove both: those of the second costs and a multiple of the first ones.

    Raises
    ------
    Infeasible, Unbounded
        If it is proved to have no feasible point, or the second costs no finite optimum.
    """
    form = standard_form(family, tested, name)
    first = optimize(form, family.slack_codes())
    first_reduced = form.reduced_costs(form.cost, first.y)
    # Where a reduced cost is not 0 the column is 0 in every optimum.
    is_fixed = np.array([value != 0 for value in first_reduced])
    is_fixed[first.basis] = False
    second_form = replace(form, cost=second_costs, zero=form.zero | is_fixed)
    second = optimize(second_form, first.basis)
    # Outside, y₂ + M y₁ has no reduced cost below 0 for the least M that is large enough.
    second_reduced = form.reduced_costs(second_costs, second.y)
    multiple = max(
        (-second_reduced[j] / first_reduced[j] for j in np.flatnonzero(is_fixed & ~form.zero)),
        default=Fraction(0),
    )
    multiple = max(multiple, Fraction(0))
    weights = to_floats([b + multiple * a for a, b in zip(first.y, second.y, strict=True)])
    basis = family.exact_basis(second.basis, to_floats(first.y))
    x = to_floats(second.x)
    return Solution(np.array([0]), x[None], np.ones(1), basis, 0, {}), weights


def solve_program_exactly(program: Program, label: str) -> Optimum:
    """Solve a linear program in rational arithmetic.

    Parameters
    ----------
    program : Program
        Each column bounded on one side at most, or fixed. A row with two different bounds is two
        rows here.
    label : str
        For errors.

    Raises
    ------
    Infeasible, Unbounded
        If it is proved to have no feasible point, or no finite optimum.
    ValueError
        If a column has two different bounds.
    """
    offset = _finite_bounds(program)
    has_least = np.isfinite(program.lower)
    is_range = has_least & np.isfinite(program.upper) & (program.lower != program.upper)
    # The upper bounds of ranges stand in rows of their own, behind the others.
    row_of = np.append(np.arange(len(program.lower)), np.flatnonzero(is_range))
    is_copy = np.arange(len(row_of)) >= len(program.lower)
    columns = len(program.cost)
    rows = len(row_of)
    dense = _dense_columns(program)[:, row_of]
    bound = np.where(has_least[row_of] & ~is_copy, program.lower[row_of], program.upper[row_of])
    is_equation = (program.lower == program.upper)[row_of]
    is_at_least = has_least[row_of] & ~is_copy & ~is_equation

    # Variables are counted from their bound; each row has a slack, 0 in an equation.
    slack = np.diag(np.where(is_at_least, -1.0, 1.0))
    has_lower = np.isfinite(program.column_lower)
    has_upper = np.isfinite(program.column_upper)
    sign = np.where(has_lower, 1.0, np.where(has_upper, -1.0, 0.0))
    moved = [j for j in range(columns) if offset[j]]
    right = [
        value - sum((Fraction(float(dense[j, i])) * offset[j] for j in moved), Fraction(0))
        for i, value in enumerate(to_fractions(bound))
    ]
    form = StandardForm(
        table=np.vstack([dense, slack]),
        cost=np.append(float(program.sense) * program.cost, np.zeros(rows)),
        sign=np.append(sign, np.ones(rows)),
        zero=np.append(has_lower & has_upper, is_equation),
        right=right,
        label=f"{program.name} for {label}",
    )
    optimum = _optimize_from(form, _last_basis(program, label, rows), columns + np.arange(rows))

    values = [offset[j] for j in range(columns)]
    for code, value in zip(optimum.basis.tolist(), optimum.x, strict=True):
        if code < columns:
            values[code] += value
    objective = sum(
        (Fraction(c) * v for c, v in zip(program.cost.tolist(), values, strict=True) if c and v),
        Fraction(0),
    )
    duals = np.zeros(len(program.lower))
    np.add.at(duals, row_of, float(program.sense) * to_floats(optimum.y))
    return Optimum(float(objective), to_floats(values), duals)


def _dense_columns(program: Program) -> np.ndarray:
    """Return the columns of the matrix, (columns, rows)."""
    dense = np.zeros((len(program.cost), len(program.lower)))
    column = np.repeat(np.arange(len(program.cost)), np.diff(program.start))
    dense[column, program.index] = program.value
    return dense


def _finite_bounds(program: Program) -> list[Fraction]:
    """Return the finite bound of each column; 0 where it has none.

    Raises
    ------
    ValueError
        If a column has two different ones.
    """
    lower, upper = program.column_lower, program.column_upper
    if (np.isfinite(lower) & np.isfinite(upper) & (lower != upper)).any():
        raise ValueError(f"{program.name}: a column has two different bounds")
    bound = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper, 0.0))
    return to_fractions(bound)


def _last_basis(program: Program, label: str, rows: int) -> np.ndarray:
    """Return the basis (rows,) that HiGHS ends with, or that of the slacks where it has none.

    Rows that HiGHS does not have stand behind the others, with their slacks.
    """
    columns = len(program.cost)
    slacks = columns + np.arange(rows)
    try:
        solver = Solver(program)
        solver.run(label)
        basis = solver.basis()
    except SolveError:
        return slacks
    # HiGHS numbers the slack of row i as -1 - i.
    codes = np.where(basis >= 0, basis, columns - 1 - basis)
    return np.append(codes, slacks[len(codes) :])
