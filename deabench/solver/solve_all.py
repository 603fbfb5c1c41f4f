"""The optima of any formulation for every DMU: by the shared path where the formulation fits it,
otherwise DMU by DMU.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from deabench.solver.conditions import misfit
from deabench.solver.engine import solve
from deabench.solver.family import Family
from deabench.solver.solve_each import Solved, component, each
from deabench.solver.template import Template
from deabench.utils.arrays import Sparse


def optima(
    form: Template,
    reference: np.ndarray,
    tested: np.ndarray,
    *,
    name: Callable[[int], str] = str,
    advance: Callable[[int], None] = lambda _: None,
) -> Solved:
    """Solve the formulation for every tested DMU; see `deabench.solver.solve_each.each` for the
    arguments.
    """
    way = shared if misfit(form) is None else each
    return way(form, reference, tested, name=name, advance=advance)


def shared(
    form: Template,
    reference: np.ndarray,
    tested: np.ndarray,
    *,
    name: Callable[[int], str] = str,
    advance: Callable[[int], None] = lambda _: None,
) -> Solved:
    """By one family, its bases shared between the DMUs.

    Raises
    ------
    ValueError
        Where the formulation does not fit.
    """
    family = Family(form, reference)
    found = solve(family, tested, name=name, advance=advance)
    codes, none = found.bases.columns[found.which], (found.which < 0)[:, None]
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
    return Solved(
        objective,
        values,
        dict(zip(form.row_names, duals.T, strict=True)),
        {component(own): lam},
        found.infeasible,
    )
