"""The optima of any formulation for every DMU: by the shared path where the formulation fits it,
otherwise DMU by DMU.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from deabench.solver.engine import solve_family
from deabench.solver.family import Family, unsupported_reason
from deabench.solver.highs import Infeasible, Solver, Unbounded
from deabench.solver.template import REFERENCE, Program, Template, expand_template
from deabench.utils.arrays import Sparse

Entries = tuple[np.ndarray, np.ndarray]
"""Some columns of a row, and their values."""


NONE: Entries = (np.zeros(0, dtype=np.int32), np.zeros(0))


def solve_all(
    form: Template,
    reference: np.ndarray,
    tested: np.ndarray,
    *,
    name: Callable[[int], str] = str,
    advance: Callable[[int], None] = lambda _: None,
) -> Solutions:
    """Solve the formulation for every tested DMU; see `deabench.solver.solve_all.solve_each` for the
    arguments.
    """
    way = solve_shared if unsupported_reason(form) is None else solve_each
    return way(form, reference, tested, name=name, advance=advance)


def solve_shared(
    form: Template,
    reference: np.ndarray,
    tested: np.ndarray,
    *,
    name: Callable[[int], str] = str,
    advance: Callable[[int], None] = lambda _: None,
) -> Solutions:
    """By one family, its bases shared between the DMUs.

    Raises
    ------
    ValueError
        Where the formulation does not fit.
    """
    family = Family(form, reference)
    found = solve_family(family, tested, name=name, advance=advance)
    codes, none = found.bases.columns[found.basis_index], (found.basis_index < 0)[:, None]
    sign = float(form.sense)
    objective = sign * (family.costs[codes] * found.x).sum(axis=1)
    fixed = [
        k for k, own in zip(form.column_names, form.column_of_reference, strict=True) if not own
    ]
    values = {
        key: np.where(codes == family.n + k, found.x, 0.0).sum(axis=1)
        for k, key in enumerate(fixed)
    }
    out = np.flatnonzero(none[:, 0])
    for array in (objective, *values.values()):
        array[out] = np.nan
    duals = sign * found.duals
    duals[out] = np.nan
    held = (codes < family.n) & ~none & (found.x != 0)
    lam = Sparse(np.where(held, codes, -1).astype(np.int32), np.where(held, found.x, 0.0))
    own = form.column_names[int(np.flatnonzero(form.column_of_reference)[0])]
    return Solutions(
        objective,
        values,
        dict(zip(form.row_names, duals.T, strict=True)),
        {component_name(own): lam},
        found.infeasible,
    )


@dataclass(frozen=True, eq=False)
class Solutions:
    """The optima of K programs.

    Attributes
    ----------
    objective : array (K,)
        NaN where the program is infeasible or unbounded.
    values : mapping of column name to array (K,)
        The columns that are not of a reference DMU.
    duals : mapping of row name to array (K,)
        What the objective gains per unit of each row's bound; the rows that are not of a reference
        DMU.
    shared : mapping of name to Sparse (K, n)
        Columns and rows (their duals) with one for each reference DMU, by the name of their
        component, as "lam".
    infeasible : dict of position to str
        HiGHS's words.
    """

    objective: np.ndarray
    values: Mapping[str, np.ndarray]
    duals: Mapping[str, np.ndarray]
    shared: Mapping[str, Sparse]
    infeasible: Mapping[int, str]


def solve_each(
    form: Template,
    reference: np.ndarray,
    tested: np.ndarray,
    *,
    without: np.ndarray | None = None,
    name: Callable[[int], str] = str,
    advance: Callable[[int], None] = lambda _: None,
) -> Solutions:
    """Solve the formulation for every tested DMU.

    Parameters
    ----------
    form : Template
    reference : array (n, p)
        The data of the reference DMUs, scaled to about 1.
    tested : array (K, q)
    without : int array (K,), optional
        The reference DMU that is left out for each tested one.
    name, advance : functions
        The DMU's label, for errors; told how many DMUs more are done.

    Raises
    ------
    SolveError
        Where HiGHS ends neither optimal nor infeasible nor unbounded.
    """
    at = _Places(form)
    n, count = len(reference), len(tested)
    objective = np.full(count, np.nan)
    values, duals = (
        np.full((count, len(at.columns)), np.nan),
        np.full((count, len(at.rows)), np.nan),
    )
    shared: dict[str, list[Entries]] = {
        key: [NONE] * count for key in (*at.shared_columns, *at.shared_rows)
    }
    infeasible: dict[int, str] = {}
    for k in range(count):
        rows = np.arange(n) if without is None else np.delete(np.arange(n), without[k])
        try:
            solver = _solved(expand_template(form, reference[rows], tested[k]), f"'{name(k)}'")
        except (Infeasible, Unbounded) as error:
            infeasible[k] = str(error)
        else:
            objective[k] = solver.objective()
            values[k], entries = _parts(solver.values(), len(at.columns), at.shared_columns, rows)
            duals[k], more = _parts(solver.duals(), len(at.rows), at.shared_rows, rows)
            for key, found in (entries | more).items():
                shared[key][k] = found
        advance(1)
    return Solutions(
        objective,
        dict(zip(at.columns, values.T, strict=True)),
        dict(zip(at.rows, duals.T, strict=True)),
        {key: stack_sparse_rows(found) for key, found in shared.items()},
        infeasible,
    )


def _solved(program: Program, what: str) -> Solver:
    solver = Solver(program)
    solver.run(what)
    return solver


class _Places:
    """Where the rows and columns of a template stand in its expansion: the fixed ones first, then
    reference DMU by DMU.
    """

    def __init__(self, form: Template) -> None:
        self.columns, self.shared_columns = _split(form.column_names, form.column_of_reference)
        self.rows, self.shared_rows = _split(form.row_names, form.row_of_reference)


def _parts(
    found: np.ndarray, fixed: int, keys: list[str], who: np.ndarray
) -> tuple[np.ndarray, dict[str, Entries]]:
    """What HiGHS found, apart: the fixed ones, and by component the non-zero ones of the reference
    DMUs `who`.
    """
    parts = found[fixed:].reshape(len(who), len(keys)) if keys else np.zeros((len(who), 0))
    held = {key: np.flatnonzero(part) for key, part in zip(keys, parts.T, strict=True)}
    return found[:fixed], {
        key: (who[held[key]], part[held[key]]) for key, part in zip(keys, parts.T, strict=True)
    }


def _split(names: tuple[str, ...], of_reference: np.ndarray) -> tuple[list[str], list[str]]:
    """The names that are not of a reference DMU, and those that are without its index, both in
    order.
    """
    pairs = list(zip(names, of_reference, strict=True))
    return [name for name, repeated in pairs if not repeated], [
        component_name(name) for name, repeated in pairs if repeated
    ]


def component_name(name: str) -> str:
    """The name of a row or column of a reference DMU without its index: `lam` for the λ of each."""
    return name.replace(f"[{REFERENCE}]", "")


def stack_sparse_rows(rows: Sequence[Entries]) -> Sparse:
    """A matrix with few entries a row, each row given as (columns, values)."""
    width = max((len(columns) for columns, _ in rows), default=0) or 1
    columns = np.full((len(rows), width), -1, dtype=np.int32)
    values = np.zeros((len(rows), width))
    for k, (where, what) in enumerate(rows):
        columns[k, : len(where)], values[k, : len(what)] = where, what
    return Sparse(columns, values)
