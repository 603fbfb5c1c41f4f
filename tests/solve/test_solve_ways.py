"""Every formulation by every way there is: the shared path where it fits, DMU by DMU, and Pyomo's own interface to HiGHS."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from pyomo.contrib.appsi.solvers import Highs
from pyomo.core.base import Constraint, Objective, Var, maximize

import deabench_models as models
from deabench.solve.each import each
from deabench.solve.highs import Infeasible
from deabench.solve.optima import optima, shared
from deabench.solve.shared.family import Family
from deabench.solve.shared.fits import misfit
from deabench.solve.template import Template, template

N, M, S, K = 9, 2, 2, 7
RNG = np.random.default_rng(4)
X, Y = RNG.integers(1, 9, (N, M)) / 8, RNG.integers(1, 9, (N, S)) / 8
x, y = np.vstack([X[:4], RNG.integers(2, 9, (K - 4, M)) / 8]), np.vstack([Y[:4], RNG.integers(1, 7, (K - 4, S)) / 8])
ONES_M, ONES_S = dict.fromkeys(range(M), 1.0), dict.fromkeys(range(S), 1.0)
BOTH = ({"X": range(M), "Y": range(S)}, {"x_o": ONES_M, "y_o": ONES_S})
RETURNS = ("crs", "vrs", "nirs", "ndrs")
EVERY = [
    *[(f, BOTH, {"returns": r}, ("x", "y")) for r in RETURNS for f in (
        models.envelopment_input, models.envelopment_output, models.multiplier_input, models.multiplier_output, models.slacks)],
    *[(models.slacks_based, (BOTH[0], BOTH[1] | {"p": ONES_M, "q": ONES_S}), {"returns": r}, ("x", "y", "p", "q"))
      for r in RETURNS],
    (models.free_disposal_output, BOTH, {}, ("x", "y")), (models.free_disposal_input, BOTH, {}, ("x", "y")),
    (models.wei, ({"Y": range(S)}, {"y_o": ONES_S}), {}, ("y",)), (models.score, ({"E": range(S)}, {"e_o": ONES_S}), {}, ("y",)),
]
"""Formulation, arguments of the symbolic model, parameters, and which data the tested DMU has."""
DATA = {"x": x, "y": y, "p": 0.5 / x, "q": 0.5 / y}
SHARED = {"envelopment_input", "envelopment_output", "slacks", "wei"}
"""The formulations that fit the shared path."""


def rows(values: np.ndarray) -> dict:
    return {(j, r): float(v) for j, row in enumerate(values) for r, v in enumerate(row)}


def pyomos(model) -> float:
    """The optimum as Pyomo's own interface to HiGHS finds it; NaN where it says that there is none."""
    solver = Highs()
    solver.config.load_solution = False
    found = solver.solve(model)
    if found.best_feasible_objective is None:
        return np.nan
    return float(found.best_feasible_objective)


def full(formulation, form: Template, parameters: dict, kinds: tuple, k: int):
    tables = [rows(X), rows(Y)] if "x" in kinds else [rows(Y)]
    own = [dict(enumerate(DATA[kind][k].tolist())) for kind in kinds]
    return formulation(*tables, *own, **parameters)


@pytest.mark.parametrize(("formulation", "arguments", "parameters", "kinds"), EVERY,
                         ids=[f"{case[0].__name__}-{case[2].get('returns', '')}" for case in EVERY])
def test_every_way_gives_the_same_optimum(formulation, arguments, parameters, kinds) -> None:
    form = template(formulation, *arguments, **parameters)
    reference = np.column_stack([X, Y]) if "x" in kinds else Y
    tested = np.column_stack([DATA[kind] for kind in kinds])
    truth = [pyomos(full(formulation, form, parameters, kinds, k)) for k in range(K)]
    one = each(form, reference, tested)
    np.testing.assert_allclose(one.objective, truth, atol=1e-8)
    assert set(one.infeasible) == set(np.flatnonzero(np.isnan(truth)))
    assert (misfit(form) is None) == (formulation.__name__ in SHARED)
    if formulation.__name__ not in SHARED:
        with pytest.raises(ValueError, match="the shared path does not take"):
            Family(form, reference)
        np.testing.assert_allclose(optima(form, reference, tested).objective, truth, atol=1e-8)
        return
    both = shared(form, reference, tested)
    np.testing.assert_allclose(both.objective, truth, atol=1e-8)
    assert set(both.infeasible) == set(one.infeasible)
    bounded = [form.lower, form.upper]
    for found in (one, both):  # λ gives what the rows ask for, and duals times bounds give the objective
        duals = np.column_stack([found.duals[name] for name in form.row_names])
        right = np.where(np.isfinite(bounded[0].const), bounded[0].at(np.zeros(reference.shape[1]), tested),
                         bounded[1].at(np.zeros(reference.shape[1]), tested))
        good = ~np.isnan(truth)
        np.testing.assert_allclose((duals * right).sum(axis=1)[good], np.array(truth)[good], atol=1e-8)


def two_factors(X, Y, x_o, y_o):
    """An output and an input factor at once: two columns depend on the tested DMU."""
    m = models.envelopment_output(X, Y, x_o, y_o, "vrs")
    m.del_component(m.inputs)
    m.del_component(m.expansion)
    m.theta = Var()
    m.shrunk = Constraint(m.I, rule=lambda m, i: sum(X[j, i] * m.lam[j] for j in m.J) - m.x_o[i] * m.theta <= 0)
    m.both = Objective(expr=m.phi - m.theta, sense=maximize)
    return m


def bounded_sum(X, Y, x_o, y_o):
    """.8 ≤ Σ λ ≤ 1.2: a row that is bounded on both sides."""
    m = models.envelopment_input(X, Y, x_o, y_o, "crs")
    m.total = Constraint(expr=(0.8, sum(m.lam[j] for j in m.J), 1.2))
    return m


def test_a_formulation_that_does_not_fit_is_solved_dmu_by_dmu() -> None:
    for formulation, words in ((two_factors, "more than one column depends on the tested DMU"),
                               (bounded_sum, "a row is bounded on both sides")):
        form = template(formulation, *BOTH)
        assert misfit(form) == f"{formulation.__name__}: {words}"
        truth = [pyomos(full(formulation, form, {}, ("x", "y"), k)) for k in range(K)]
        found = optima(form, np.column_stack([X, Y]), np.column_stack([x, y]))
        np.testing.assert_allclose(found.objective, truth, atol=1e-8)


def test_the_sum_of_lambda_between_two_bounds_by_hand() -> None:
    """X = (2, 4, 6), one output each (1, 2.8, 3): three values checked by hand and by SciPy."""
    table = np.array([[2.0, 1.0], [4.0, 2.8], [6.0, 3.0]])
    form = template(bounded_sum, {"X": range(1), "Y": range(1)}, {"x_o": {0: 1.0}, "y_o": {0: 1.0}})
    from scipy.optimize import linprog

    for k, (a, b) in enumerate(table):
        rows_ = np.array([[-1.0, -2.8, -3.0, 0.0], [2.0, 4.0, 6.0, -a], [1, 1, 1, 0], [-1, -1, -1, 0]])
        best = linprog([0, 0, 0, 1], rows_, [-b, 0, 1.2, -0.8], bounds=[(0, None)] * 3 + [(None, None)]).fun
        assert optima(form, table, table[[k]]).objective[0] == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize(("change", "words"), [
    ({"integer": True}, "it has integer columns"), ({"hessian": ((0, 0, 1.0),)}, "its objective is quadratic"),
    ({"column_lower": 0.5}, "a column has a bound that is neither 0 nor infinite"),
    ({"cost": "tested"}, "its costs depend on the tested DMU"),
    ({"entry": "two"}, "more than one column depends on the tested DMU"),
])
def test_each_condition_of_the_shared_path_is_checked(change, words) -> None:
    form = template(models.slacks, *BOTH, returns="vrs")
    fixed = int(np.flatnonzero(~form.column_of_reference)[0])
    for key, what in change.items():
        if key == "integer":
            form = replace(form, integer=~form.integer)
        elif key == "hessian":
            form = replace(form, hessian=what)
        elif key == "column_lower":
            low = form.column_lower.copy()
            low[fixed] = what
            form = replace(form, column_lower=low)
        elif key == "cost":
            cost = replace(form.cost, tested=form.cost.tested.copy())
            cost.tested[0, 0] = 1.0
            form = replace(form, cost=cost)
        else:
            entry = replace(form.entry, tested=form.entry.tested.copy())
            own = np.flatnonzero(~form.column_of_reference[form.entry_column])
            entry.tested[own[:2], 0] = 1.0
            form = replace(form, entry=entry)
    assert misfit(form) == f"slacks: {words}"


def test_infeasible_is_said_for_its_own_dmu_only() -> None:
    form = template(models.envelopment_input, *BOTH, returns="vrs")
    tested = np.vstack([np.append(x[0], y[0]), [1.0, 1.0, 99.0, 1.0]])
    found = each(form, np.column_stack([X, Y]), tested)
    assert list(found.infeasible) == [1]
    assert np.isnan(found.objective[1])
    assert not np.isnan(found.objective[0])
    assert issubclass(Infeasible, Exception)


def test_leaving_out_is_the_reference_without_that_dmu() -> None:
    form = template(models.envelopment_input, *BOTH, returns="crs")
    data = np.column_stack([X, Y])
    found = each(form, data, data, without=np.arange(N))
    for k in range(N):
        alone = each(form, np.delete(data, k, axis=0), data[[k]])
        assert found.objective[k] == pytest.approx(alone.objective[0], abs=1e-12)
        assert k not in found.shared["lam"].columns[k]
