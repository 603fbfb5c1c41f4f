"""Which formulations the shared path may take: its conditions, checked on the compiled template.

A family repeats one column per reference DMU, changes one column (θ) and the right-hand sides from
tested DMU to tested DMU, and shares bases between them. What does not have that shape would be
answered wrongly, so it is refused here and solved by `deabench.solver.solve_each`."""

from __future__ import annotations

import numpy as np

from deabench.solver.template import Template


def misfit(form: Template) -> str | None:
    """Why the shared path must not take this formulation; None where it may."""
    for holds, words in _conditions(form):
        if not holds:
            return f"{form.name}: {words}"
    return None


def _conditions(form: Template) -> list[tuple[bool, str]]:
    own, static = form.column_of_reference, ~form.column_of_reference
    entry_own = own[form.entry_column]
    varying = np.unique(form.entry_column[~entry_own & form.entry.tested.any(axis=1)])
    low, high = form.lower, form.upper
    both = np.isfinite(low.const) & np.isfinite(high.const)
    equal = (low.const == high.const) & (low.tested == high.tested).all(axis=1)
    bounds = np.concatenate([form.column_lower[static], form.column_upper[static]])
    return [
        (int(own.sum()) == 1, "it has not exactly one column per reference DMU"),
        (not form.row_of_reference.any(), "it has rows of the reference DMUs"),
        (not form.integer.any(), "it has integer columns"),
        (not form.hessian, "its objective is quadratic"),
        (
            bool((form.column_lower[own] == 0).all() and (form.column_upper[own] == np.inf).all()),
            "the columns of the reference DMUs are not from 0 to infinity",
        ),
        (
            bool(np.isin(bounds, (0.0, np.inf, -np.inf)).all()),
            "a column has a bound that is neither 0 nor infinite",
        ),
        (not (form.column_lower[static] == form.column_upper[static]).any(), "a column is fixed"),
        (not form.cost.tested.any(), "its costs depend on the tested DMU"),
        (
            not form.cost.reference[static].any(),
            "the cost of a column of its own depends on the reference DMUs",
        ),
        (
            not form.entry.tested[entry_own].any(),
            "the columns of the reference DMUs depend on the tested DMU",
        ),
        (
            not form.entry.reference[~entry_own].any(),
            "a column of its own depends on the reference DMUs",
        ),
        (len(varying) <= 1, "more than one column depends on the tested DMU"),
        (
            not (low.reference.any() or high.reference.any()),
            "a bound depends on the reference DMUs",
        ),
        (bool((~both | equal).all()), "a row is bounded on both sides"),
        (bool((np.isfinite(low.const) | np.isfinite(high.const)).all()), "a row is free"),
    ]
