"""Solve any formulation for every row of data: sharing bases where it fits, otherwise one by one.

`solve_each` compiles the formulation once, expands it with the data of each program and gives it to
HiGHS: right for everything. `solve_shared` is faster and takes the formulations for which
`deabench.solver.family.unsupported_reason` is None. `solve_all` chooses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from deabench.solver.engine import solve_family
from deabench.solver.exact_programs import Optimum, solve_program_exactly
from deabench.solver.family import Family, unsupported_reason
from deabench.solver.highs import Infeasible, Solver, Unbounded, Undecided
from deabench.solver.template import REFERENCE, Expansion, Layout, Program, Template
from deabench.utils.arrays import Sparse

Entries = tuple[np.ndarray, np.ndarray]
"""Some columns of a row, and their values."""
NO_ENTRIES: Entries = (np.zeros(0, dtype=np.int32), np.zeros(0))


@dataclass(frozen=True, eq=False)
class Solutions:
    """The optima of K programs.

    Attributes
    ----------
    objective : array (K,)
        NaN where the program is infeasible or unbounded.
    values : mapping of column name to array (K,)
        The columns that are not repeated.
    duals : mapping of row name to array (K,)
        What the objective gains per unit of each row's bound; the rows that are not repeated.
    shared : mapping of name to Sparse (K, n)
        Repeated columns and rows (their duals), by the name of their component, as "lam".
    infeasible : dict of position to str
        HiGHS's sentence, of unbounded programs, too.
    unbounded : set of positions
    """

    objective: np.ndarray
    values: Mapping[str, np.ndarray]
    duals: Mapping[str, np.ndarray]
    shared: Mapping[str, Sparse]
    infeasible: Mapping[int, str]
    unbounded: Set[int] = frozenset()


def solve_all(
    form: Template,
    reference: np.ndarray,
    tested: np.ndarray,
    *,
    name: Callable[[int], str] = str,
    advance: Callable[[int], None] = lambda _: None,
) -> Solutions:
    """Solve the formulation for every row of `tested`; see `solve_each` for the arguments."""
    if unsupported_reason(form) is None:
        return solve_shared(form, reference, tested, name=name, advance=advance)
    return solve_each(form, reference, tested, name=name, advance=advance)


def solve_shared(
    form: Template,
    reference: np.ndarray,
    tested: np.ndarray,
    *,
    name: Callable[[int], str] = str,
    advance: Callable[[int], None] = lambda _: None,
) -> Solutions:
    """Solve the formulation as one family, its bases shared between the programs.

    Raises
    ------
    ValueError
        If the formulation does not fit.
    """
    family = Family(form, reference)
    solution = solve_family(family, tested, name=name, advance=advance)
    codes = solution.bases.columns[solution.basis_index]
    unsolved = np.flatnonzero(solution.basis_index < 0)
    # Each basic variable belongs to a column: its cost makes the objective, its code the value.
    sign = float(form.sense)
    objective = sign * (family.costs[codes] * solution.x).sum(axis=1)
    static_names, repeated_names = split_names(form.column_names, form.column_of_reference)
    values = {
        column: np.where(codes == family.n + k, solution.x, 0.0).sum(axis=1)
        for k, column in enumerate(static_names)
    }
    duals = sign * solution.duals
    for array in (objective, duals, *values.values()):
        array[unsolved] = np.nan
    # Repeated columns that are basic and not 0 are the peers with their intensities.
    used = (codes < family.n) & (solution.x != 0)
    used[unsolved] = False
    lam = Sparse(np.where(used, codes, -1).astype(np.int32), np.where(used, solution.x, 0.0))
    return Solutions(
        objective,
        values,
        dict(zip(form.row_names, duals.T, strict=True)),
        {repeated_names[0]: lam},
        solution.infeasible,
    )


def solve_each(
    form: Template,
    reference: np.ndarray,
    tested: np.ndarray,
    *,
    without: np.ndarray | None = None,
    equations: Sequence[np.ndarray] | None = None,
    exact: bool = False,
    name: Callable[[int], str] = str,
    advance: Callable[[int], None] = lambda _: None,
) -> Solutions:
    """Solve the formulation for every row of `tested`, one program after the other.

    Parameters
    ----------
    form : Template
    reference : array (n, p)
        The data of the repeated columns, scaled to about 1.
    tested : array (K, q)
        The data of the programs.
    without : int array (K,), optional
        The row of the reference that each program leaves out.
    equations : sequence of int arrays, optional
        The rows of the reference for which the repeated rows `<=` of each program are equations.
    exact : bool
        Whether the programs are solved in rational arithmetic.
    name, advance : functions
        The label of program k, for errors; called with how many programs more are done.

    Raises
    ------
    SolveError
        If a limit ends HiGHS, or a program with integers or squares is left open.
    """
    # Static columns and rows occur once in a program, repeated ones once per reference row.
    static_columns, repeated_columns = split_names(form.column_names, form.column_of_reference)
    static_rows, repeated_rows = split_names(form.row_names, form.row_of_reference)
    n = len(reference)
    count = len(tested)
    objective = np.full(count, np.nan)
    values = np.full((count, len(static_columns)), np.nan)
    duals = np.full((count, len(static_rows)), np.nan)
    shared: dict[str, list[Entries]] = {
        key: [NO_ENTRIES] * count for key in (*repeated_columns, *repeated_rows)
    }
    infeasible: dict[int, str] = {}
    unbounded: set[int] = set()
    rows = np.arange(n)
    solver: Solver | None = None
    # Programs without one row of the reference are alike in all but their numbers.
    layout = Layout(form, n if without is None else n - 1)
    for k in range(count):
        # In super-efficiency the tested row itself leaves the reference.
        if without is not None:
            rows = np.delete(np.arange(n), without[k])
        if without is not None or not k:
            expansion = Expansion(layout, reference[rows])
        program = expansion.program(tested[k])
        # Some of the repeated rows are to hold as equations.
        if equations is not None:
            repeated = len(static_rows) + np.arange(len(repeated_rows) * n).reshape(n, -1)
            holds = repeated[equations[k]].ravel()
            program.lower[holds] = program.upper[holds]
        try:
            # Cold: one program's answer does not depend on those solved before it.
            if solver is None and not exact:
                solver = Solver(program)
            elif solver is not None:
                solver.load(program)
            optimum = _solve_program(program, f"'{name(k)}'", solver)
        except (Infeasible, Unbounded) as error:
            infeasible[k] = str(error)
            if isinstance(error, Unbounded):
                unbounded.add(k)
        else:
            objective[k] = optimum.objective
            values[k], entries = _split_values(
                optimum.values, len(static_columns), repeated_columns, rows
            )
            duals[k], row_entries = _split_values(
                optimum.duals, len(static_rows), repeated_rows, rows
            )
            for key, nonzero in (entries | row_entries).items():
                shared[key][k] = nonzero
        advance(1)
    return Solutions(
        objective,
        dict(zip(static_columns, values.T, strict=True)),
        dict(zip(static_rows, duals.T, strict=True)),
        {key: stack_sparse_rows(entries) for key, entries in shared.items()},
        infeasible,
        unbounded,
    )


def _solve_program(program: Program, label: str, solver: Solver | None) -> Optimum:
    """Solve one program, by HiGHS, which has it, or in rational arithmetic."""
    if solver is None:
        return solve_program_exactly(program, label)
    try:
        solver.run(label)
    except Undecided as error:
        if isinstance(error, Unbounded) or solver.integer or solver.quadratic:
            raise
        # What floating point leaves open is decided in rational arithmetic.
        return solve_program_exactly(program, label)
    return Optimum(solver.objective(), solver.values(), solver.duals())


def split_names(names: tuple[str, ...], is_repeated: np.ndarray) -> tuple[list[str], list[str]]:
    """Return the names that stand once, and those that are repeated without their index.

    An expanded program has the former first, then the latter for each row of the reference.
    """
    pairs = list(zip(names, is_repeated, strict=True))
    static = [name for name, repeated in pairs if not repeated]
    return static, [component_name(name) for name, repeated in pairs if repeated]


def _split_values(
    values: np.ndarray, count: int, keys: list[str], rows: np.ndarray
) -> tuple[np.ndarray, dict[str, Entries]]:
    """Return the first `count` values, and the non-zero others by component with their rows."""
    # The others stand row after row of the reference, each with one value per component.
    table = values[count:].reshape(len(rows), len(keys))
    entries: dict[str, Entries] = {}
    for key, column in zip(keys, table.T, strict=True):
        nonzero = np.flatnonzero(column)
        entries[key] = (rows[nonzero], column[nonzero])
    return values[:count], entries


def component_name(name: str) -> str:
    """Return the name of a repeated row or column without its index: `lam` for the λ of each."""
    return name.replace(f"[{REFERENCE}]", "")


def stack_sparse_rows(rows: Sequence[Entries]) -> Sparse:
    """Return a matrix with few entries a row, each row given as (columns, values)."""
    width = max((len(columns) for columns, _ in rows), default=0) or 1
    columns = np.full((len(rows), width), -1, dtype=np.int32)
    values = np.zeros((len(rows), width))
    for k, (row_columns, row_values) in enumerate(rows):
        columns[k, : len(row_columns)] = row_columns
        values[k, : len(row_values)] = row_values
    return Sparse(columns, values)
