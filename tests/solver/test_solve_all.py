"""Every formulation by every way there is: the shared path where it fits, DMU by DMU, and Pyomo's
own interface to HiGHS.
"""

from __future__ import annotations

import inspect
import itertools
from dataclasses import replace

import numpy as np
import pytest
from dea_cases import lp, radial
from pyomo.contrib.appsi.solvers import Highs
from pyomo.core.base import Constraint, Objective, Var, maximize

import deabench_models as models
from deabench.solver.family import Family, unsupported_reason
from deabench.solver.highs import Infeasible, Solver, Undecided
from deabench.solver.solve_all import solve_all, solve_each, solve_shared
from deabench.solver.template import Template, compile_template, expand_template, read_model
from deabench_models import projection

N, M, S, K = 7, 2, 2, 4
RNG = np.random.default_rng(4)
X, Y = RNG.integers(1, 9, (N, M)) / 8, RNG.integers(1, 9, (N, S)) / 8
x, y = (
    np.vstack([X[:2], RNG.integers(2, 9, (K - 2, M)) / 8]),
    np.vstack([Y[:2], RNG.integers(1, 7, (K - 2, S)) / 8]),
)
ONES_M, ONES_S = dict.fromkeys(range(M), 1.0), dict.fromkeys(range(S), 1.0)
BOTH = ({"X": range(M), "Y": range(S)}, {"x_o": ONES_M, "y_o": ONES_S})
RETURNS = ("crs", "vrs", "nirs", "ndrs")
SHARED = {
    "envelopment_input",
    "envelopment_output",
    "slacks",
    "wei",
    "directional",
    "face",
    "depth",
}
"""The formulations that fit the shared path."""
NORMED = {"normalised", "face", "halfspaces"}
"""Those whose objective is one of the norms."""
AS_THEY_STAND = {"normalised", "supports"}
"""Those that make constants of the data, and are built with them: M, and the face that is asked
about.
"""
REFERENCE = {
    "X": X,
    "Y": Y,
    "Z": Y,
    "E": Y,
    "P": Y,
    "W": Y,
    "e": np.array([[0.9, 1.0, 0.7, 0.8, 1.0, 0.6, 0.5]]).T,
}
PAIRS = [(k, c) for k in range(2) for c in range(2)]
E_O = np.array(
    [[radial(X, Y, a, b, orientation="input", returns="crs")] for a, b in zip(x, y, strict=True)]
)
TESTED = {
    "x_o": (range(M), x),
    "y_o": (range(S), y),
    "e_o": (range(S), y),
    "p_o": (range(S), y),
    "p": (range(M), 0.5 / x),
    "q": (range(S), 0.5 / y),
    "w_minus": (range(M), 1 / x),
    "w_plus": (range(S), 2 / y),
    "g_x": (range(M), x / 2),
    "g_y": (range(S), y),
    "p_G": ([("g", r) for r in range(S)], y),
    "A": (PAIRS, np.tile([-1.0, 0.5, 0.25, -1.0], (K, 1))),
    "B": (PAIRS, np.tile([0.0, 0.0, 0.5, -0.5], (K, 1))),
    "slope": (PAIRS, np.tile([1.0, 0.25, 1.0, 1 / 16], (K, 1))),
    "level": (PAIRS, np.tile([2.0, 1.0, 2.0, 0.5], (K, 1))),
    "z_o": (range(M), x * E_O),
    "X_sum": (range(M), X.sum(axis=0) - x),
    "Y_sum": (range(S), Y.sum(axis=0) - y),
}
"""What a tested DMU brings, by the name of the argument: its keys, and the values of K of them."""
CONSTANTS = {
    "returns": RETURNS,
    "change": ("none", "input", "output"),
    "sums": ((None, None), (0.8, 1.2), (None, 1.0)),
    "M": (20.0,),
    "ranges": (dict(enumerate(np.ptp(Y, axis=0).tolist())),),
    "given_inputs": ((), (0,)),
    "given_outputs": ((), (0,)),
    "T": ([int(np.argmax(Y.sum(axis=1)))], [1, 2]),
}
"""What does not depend on a DMU, by the name of the argument: the values to try."""


def ways(formulation) -> list[dict]:
    """Every combination of the constants that a formulation takes; an argument that no table above
    knows fails by its name.
    """
    names = list(inspect.signature(formulation).parameters)
    unknown = [name for name in names if name not in REFERENCE | TESTED | CONSTANTS]
    assert not unknown, (
        f"{formulation.__name__} takes {unknown}: give them values in REFERENCE, TESTED or "
        "CONSTANTS"
    )
    held = [name for name in names if name in CONSTANTS]
    return [
        dict(zip(held, constants, strict=True))
        for constants in itertools.product(*(CONSTANTS[name] for name in held))
    ]


EVERY = [
    pytest.param(
        formulation,
        constants,
        norm,
        id="-".join([formulation.__name__, *map(str, constants.values()), norm]),
    )
    for formulation in models.FORMULATIONS
    # Weightings have one set of weights for all DMUs: tests/analysis/weightings solves them.
    if formulation.__module__ != "deabench_models.weightings"
    for constants in ways(formulation)
    for norm in (("l1", "linf") if formulation.__name__ in NORMED else ("",))
]
"""Every formulation that is solved DMU by DMU, in every way."""


def mark_further_ways_slow() -> list:
    """Return `EVERY`, the first of each formulation's ways quick, and so of each with a norm."""
    seen = set()
    cases = []
    for case in EVERY:
        formulation, _, norm = case.values
        is_first = (formulation, norm) not in seen
        seen.add((formulation, norm))
        marks = () if is_first else pytest.mark.slow
        cases.append(pytest.param(*case.values, marks=marks, id=case.id))
    return cases


def rows(values: np.ndarray) -> dict:
    return {(j, r): float(v) for j, row in enumerate(values) for r, v in enumerate(row)}


def pyomos(model) -> float:
    """Return the optimum of Pyomo's own interface to HiGHS; NaN where there is none."""
    solver = Highs()
    solver.config.load_solution = False
    solution = solver.solve(model)
    return (
        np.nan
        if solution.best_feasible_objective is None
        else float(solution.best_feasible_objective)
    )


def normed(norm: str) -> list:
    return [lambda m: getattr(projection, norm)(m, {0: 1.0, 1: 0.5})] if norm else []


def full(formulation, constants: dict, norm: str, k: int):
    """The model of DMU k with all its data."""
    names = inspect.signature(formulation).parameters
    reference_data = {name: rows(REFERENCE[name]) for name in names if name in REFERENCE}
    reference_data |= {
        name: dict(zip(TESTED[name][0], TESTED[name][1][k].tolist(), strict=True))
        for name in names
        if name in TESTED
    }
    model = formulation(**reference_data, **constants)
    if not list(model.component_objects(Objective)) and not norm:
        model.nothing = Objective(expr=0.0)
    for step in normed(norm):
        step(model)
    return model


def compiled(formulation, constants: dict, norm: str) -> tuple[Template, np.ndarray, np.ndarray]:
    """The formulation's template, and what the reference and the tested DMUs bring."""
    names = inspect.signature(formulation).parameters
    tables, tested_names = (
        [name for name in names if name in REFERENCE],
        [name for name in names if name in TESTED],
    )
    form = compile_template(
        formulation,
        {name: range(REFERENCE[name].shape[1]) for name in tables},
        {name: dict.fromkeys(TESTED[name][0], 1.0) for name in tested_names},
        *normed(norm),
        **constants,
    )
    tested = np.column_stack([np.zeros((K, 0)), *(TESTED[name][1] for name in tested_names)])
    return form, np.column_stack([REFERENCE[name] for name in tables]), tested


def standing(form: Template) -> float:
    """The optimum of a model that has all its data; NaN where there is none."""
    solver = Solver(expand_template(form, np.zeros((0, 0)), np.zeros(0)))
    try:
        solver.run("it")
    except Infeasible:
        return np.nan
    return solver.objective()


@pytest.mark.parametrize(("formulation", "constants", "norm"), mark_further_ways_slow())
def test_every_way_gives_the_same_optimum(formulation, constants, norm) -> None:
    if formulation.__name__ in AS_THEY_STAND:
        form = read_model(model := full(formulation, constants, norm, 0), symbolic=False)
        assert standing(form) == pytest.approx(pyomos(model), abs=1e-8, nan_ok=True)
        assert unsupported_reason(form) is not None
        return
    truth = [pyomos(full(formulation, constants, norm, k)) for k in range(K)]
    form, reference, tested = compiled(formulation, constants, norm)
    solutions = solve_each(form, reference, tested)
    np.testing.assert_allclose(solutions.objective, truth, atol=1e-8)
    assert set(solutions.infeasible) == set(np.flatnonzero(np.isnan(truth)))
    assert (unsupported_reason(form) is None) == (formulation.__name__ in SHARED)
    if formulation.__name__ not in SHARED:
        with pytest.raises(ValueError, match="The shared path does not solve"):
            Family(form, reference)
        np.testing.assert_allclose(solve_all(form, reference, tested).objective, truth, atol=1e-8)
        return
    shared = solve_shared(form, reference, tested)
    np.testing.assert_allclose(shared.objective, truth, atol=1e-8)
    assert set(shared.infeasible) == set(solutions.infeasible)
    bounded = [form.lower, form.upper]
    for solution in (
        solutions,
        shared,
    ):  # λ gives what the rows ask for, and duals times bounds give the objective
        duals = np.column_stack([solution.duals[name] for name in form.row_names])
        right = np.where(
            np.isfinite(bounded[0].const),
            bounded[0].evaluate(np.zeros(reference.shape[1]), tested),
            bounded[1].evaluate(np.zeros(reference.shape[1]), tested),
        )
        feasible = ~np.isnan(truth)
        np.testing.assert_allclose(
            (duals * right).sum(axis=1)[feasible], np.array(truth)[feasible], atol=1e-8
        )


def test_a_new_formulation_is_tested_and_cannot_bring_an_unknown_argument() -> None:
    of_one_dmu = {
        formulation
        for formulation in models.FORMULATIONS
        if formulation.__module__ != "deabench_models.weightings"
    }
    assert {case.values[0] for case in EVERY} == of_one_dmu
    with pytest.raises(AssertionError, match=r"newcomer takes \['z'\]: give them values"):
        ways(newcomer)


def newcomer(Y, z):
    """A formulation with an argument of its own."""


def two_factors(X, Y, x_o, y_o):
    """An output and an input factor at once: two columns depend on the tested DMU."""
    m = models.envelopment_output(X, Y, x_o, y_o, "vrs")
    m.del_component(m.inputs)
    m.del_component(m.expansion)
    m.theta = Var()
    m.shrunk = Constraint(
        m.I, rule=lambda m, i: sum(X[j, i] * m.lam[j] for j in m.J) - m.x_o[i] * m.theta <= 0
    )
    m.both = Objective(expr=m.phi - m.theta, sense=maximize)
    return m


def bounded_sum(X, Y, x_o, y_o):
    """.8 ≤ Σ λ ≤ 1.2: a row that is bounded on both sides."""
    m = models.envelopment_input(X, Y, x_o, y_o, "crs")
    m.total = Constraint(expr=(0.8, sum(m.lam[j] for j in m.J), 1.2))
    return m


def test_a_formulation_that_does_not_fit_is_solved_dmu_by_dmu() -> None:
    for formulation, reason in (
        (two_factors, "more than one column depends on the tested data"),
        (bounded_sum, "a row has two different bounds"),
    ):
        form = compile_template(formulation, *BOTH)
        assert unsupported_reason(form) == f"{formulation.__name__}: {reason}."
        truth = [pyomos(full(formulation, {}, "", k)) for k in range(K)]
        solutions = solve_all(form, np.column_stack([X, Y]), np.column_stack([x, y]))
        np.testing.assert_allclose(solutions.objective, truth, atol=1e-8)


def test_the_sum_of_lambda_between_two_bounds_by_hand() -> None:
    """X = (2, 4, 6), one output each (1, 2.8, 3): three values checked by hand and by SciPy."""
    table = np.array([[2.0, 1.0], [4.0, 2.8], [6.0, 3.0]])
    form = compile_template(
        bounded_sum, {"X": range(1), "Y": range(1)}, {"x_o": {0: 1.0}, "y_o": {0: 1.0}}
    )
    for k, (a, b) in enumerate(table):
        rows_ = np.array(
            [[-1.0, -2.8, -3.0, 0.0], [2.0, 4.0, 6.0, -a], [1, 1, 1, 0], [-1, -1, -1, 0]]
        )
        best = lp(
            np.array([0, 0, 0, 1]),
            rows_,
            np.array([-b, 0, 1.2, -0.8]),
            bounds=[(0, None)] * 3 + [(None, None)],
        )
        assert solve_all(form, table, table[[k]]).objective[0] == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"integer": True}, "it has integer columns"),
        ({"hessian": ((0, 0, 1.0),)}, "its objective is quadratic"),
        ({"column_lower": 0.5}, "a column has a bound that is neither 0 nor infinite"),
        ({"cost": "tested"}, "its costs depend on the tested data"),
        ({"entry": "two"}, "more than one column depends on the tested data"),
    ],
)
def test_each_condition_of_the_shared_path_is_checked(change, reason) -> None:
    form = compile_template(models.slacks, *BOTH, returns="vrs")
    fixed = int(np.flatnonzero(~form.column_of_reference)[0])
    for key, changed_value in change.items():
        if key == "integer":
            form = replace(form, integer=~form.integer)
        elif key == "hessian":
            form = replace(form, hessian=changed_value)
        elif key == "column_lower":
            low = form.column_lower.copy()
            low[fixed] = changed_value
            form = replace(form, column_lower=low)
        elif key == "cost":
            cost = replace(form.cost, tested=form.cost.tested.copy())
            cost.tested[0, 0] = 1.0
            form = replace(form, cost=cost)
        else:
            entry = replace(form.entry, tested=form.entry.tested.copy())
            indices = np.flatnonzero(~form.column_of_reference[form.entry_column])
            entry.tested[indices[:2], 0] = 1.0
            form = replace(form, entry=entry)
    assert unsupported_reason(form) == f"slacks: {reason}."


def test_infeasible_is_said_for_its_own_dmu_only() -> None:
    form = compile_template(models.envelopment_input, *BOTH, returns="vrs")
    tested = np.vstack([np.append(x[0], y[0]), [1.0, 1.0, 99.0, 1.0]])
    solutions = solve_each(form, np.column_stack([X, Y]), tested)
    assert list(solutions.infeasible) == [1]
    assert np.isnan(solutions.objective[1])
    assert not np.isnan(solutions.objective[0])
    assert issubclass(Infeasible, Exception)


def test_leaving_out_is_the_reference_without_that_dmu() -> None:
    form = compile_template(models.envelopment_input, *BOTH, returns="crs")
    data = np.column_stack([X, Y])
    solutions = solve_each(form, data, data, without=np.arange(N))
    for k in range(N):
        separate = solve_each(form, np.delete(data, k, axis=0), data[[k]])
        assert solutions.objective[k] == pytest.approx(separate.objective[0], abs=1e-12)
        assert k not in solutions.shared["lam"].columns[k]


def test_what_floating_point_leaves_open_is_solved_in_fractions(monkeypatch) -> None:
    form = compile_template(models.wei, {"Y": range(2)}, {"y_o": dict.fromkeys(range(2), 1.0)})
    Y = np.array([[0.5, 1.0], [1.0, 0.25], [0.5, 0.5]])
    expected = solve_each(form, Y, Y)
    run = Solver.run

    def undecided_once(self: Solver, label: str, **options: bool) -> None:
        run(self, label, **options)
        if "'2'" in label:
            raise Undecided(label)

    monkeypatch.setattr(Solver, "run", undecided_once)
    np.testing.assert_allclose(solve_each(form, Y, Y).objective, expected.objective, rtol=1e-12)
