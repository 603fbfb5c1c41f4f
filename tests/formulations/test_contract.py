"""One contract over all formulations: text and components agree, it builds and solves, its
certificate holds.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

import deabench_models as models
from deabench.errors import SolveError
from deabench.solver.highs import Infeasible, Solver
from deabench.solver.template import Program, expand_template, read_model
from deabench_models import FORMULATIONS, projection

ROW = re.compile(r"\[(\w+(?:, \w+)*)\]$", re.MULTILINE)
X, Y = {("a", "x"): 2.0}, {("a", "y"): 3.0}
ONE = (X, Y, {"x": 4.0}, {"y": 3.0})
P, p = {("a", "y"): 3.0}, {("g", "y"): 1.0}
SMALLEST = {
    "multiplier_input": (ONE, 0.5),
    "multiplier_output": (ONE, 2.0),
    "envelopment_input": (ONE, 0.5),
    "envelopment_output": (ONE, 2.0),
    "slacks": (ONE, 3.0),
    "free_disposal_output": (ONE, 1.0),
    "free_disposal_input": (ONE, 0.5),
    "slacks_based": ((*ONE, {"x": 0.25}, {"y": 1 / 3}), 0.5),
    "super_slacks_based": ((X, Y, {"x": 1.0}, {"y": 3.0}, {"x": 1.0}, {"y": 1.0}), 2.0),
    "additive": ((*ONE, {"x": 2.0}, {"y": 1.0}), 4.0),
    "russell_input": (ONE, 0.5),
    "russell_output": (ONE, 2.0),
    "russell_graph": ((*ONE, {"x": 0.5}, {"y": 0.5}, {("y", 0): 0.5}, {("y", 0): 2**0.5}), 2**-0.5),
    "directional": ((*ONE, {"x": 4.0}, {"y": 0.0}), 0.5),
    "restricted_output": ((*ONE, {("k", "y"): -1.0}, {("k", "x"): 0.0}, (None, 1.5)), 1.5),
    "restricted_input": ((*ONE, {("k", "y"): -1.0}, {("k", "x"): 0.0}, (0.8, 1.5)), 0.5),
    "restricted_slacks": ((*ONE, {("k", "y"): -1.0}, {("k", "x"): -0.5}, (0.8, 1.0)), 2.0),
    "aggressive": ((X, Y, {"y": 3.0}, {"x": 2.0}, {"x": 1.0}, {"y": 4.0}), 8 / 3),
    "benevolent": ((X, Y, {"y": 3.0}, {"x": 2.0}, {"x": 1.0}, {"y": 4.0}), 8 / 3),
    "largest_loss": ((Y, Y, {("a", "e"): 1.5}), 0.5),
    "wei": ((Y, {"y": 1.5}), 2.0),
    "score": ((Y, {"y": 1.5}), 0.5),
    "pareto_frontier": ((P, p, 10.0), 0.0),
    "closest_change": ((P, p, 10.0), 2.0),
    "closest_split": ((P, p, 10.0), 2.0),
    "closest": ((P, p, 10.0), 2.0),
    "closest_as_printed": ((P, p, 10.0), 0.0),
    "depth": ((P, {"y": 1.0}), 2.0),
    "normalised": ((P, p, {"y": 1.0}), 2.0),
    "supports": ((P, ["a"], {"y": 1.0}), 1.0),
    "face": ((P, p), 2.0),
    "halfspaces": (({("f", "y"): 0.5}, {("g", "y"): 3.0}), 1.0),
    "rows_above": (({("a", "p"): 0.5}, {("a", "M"): 0.5}), 1.0),
    "ratio_above": (({("a", "q"): 2.0}, {("a", "p"): 3.0}, {("a", "M"): 1.0}), 1.0),
    "mix_above": (({("a", "p"): 0.5},), 0.5),
    "least_loss": (({("a", "p"): 0.5},), 0.5),
    "largest_ratio": (({("g", "y"): -1.0}, {"y": 3.0}, {"y": 1.5}), 2.0),
    "inner_ball": (
        (
            {("low", "w"): -1.0, ("high", "w"): 1.0},
            {("low", "h"): 0.0, ("high", "h"): 1.0},
            {("low", "n"): 1.0, ("high", "n"): 1.0},
        ),
        0.5,
    ),
}
"""Arguments of the smallest model (one DMU, one metric), and its optimum by hand."""
TRIANGLE = {
    (k, r): v
    for k, row in zip("abc", ([1.0, 0.2], [0.7, 0.8], [0.1, 1.0]), strict=True)
    for r, v in zip("xy", row, strict=True)
}
GROUP = {("g", "x"): 0.4, ("g", "y"): 0.5, ("h", "x"): 1.1, ("h", "y"): 0.9}
OWN = {"x": 0.4, "y": 0.5}
INPUTS = {
    (k, i): v
    for k, row in zip("abc", ([1.0, 3.0], [2.0, 1.0], [2.5, 2.5]), strict=True)
    for i, v in zip("uv", row, strict=True)
}
FULL = (INPUTS, TRIANGLE, {"u": 3.0, "v": 2.8}, OWN)
SLOPES = {"x": 1.0, "y": 1.0}
GAPS = {(k, r): v - OWN[r] for (k, r), v in TRIANGLE.items()}
SLOPE_X = {"x": -1.0, "y": 0.0}
SLOPE_Y = {"x": 0.0, "y": -1.0}
SMALL = {
    "multiplier_input": FULL,
    "multiplier_output": FULL,
    "envelopment_input": FULL,
    "envelopment_output": FULL,
    "slacks": FULL,
    "free_disposal_output": FULL,
    "free_disposal_input": FULL,
    "slacks_based": (*FULL, {"u": 0.5 / 3.0, "v": 0.5 / 2.8}, {"x": 0.5 / 0.4, "y": 0.5 / 0.5}),
    "super_slacks_based": (
        INPUTS,
        TRIANGLE,
        {"u": 0.8, "v": 1.2},
        OWN,
        {"u": 0.5, "v": 0.5},
        {"x": 0.5, "y": 0.5},
    ),
    "additive": (*FULL, {"u": 1.0, "v": 0.7}, {"x": 0.9, "y": 2.0}),
    "russell_input": FULL,
    "russell_output": FULL,
    "russell_graph": (
        *FULL,
        {"u": 0.25, "v": 0.25},
        {"x": 0.25, "y": 0.25},
        *(
            {("x", 0): a, ("x", 1): b, ("y", 0): a, ("y", 1): b}
            for a, b in ((1.0, 0.25), (2.0, 1.0))
        ),
    ),
    "directional": (*FULL, {"u": 0.5, "v": 1.0}, {"x": 0.3, "y": 0.4}),
    **dict.fromkeys(
        ["restricted_output", "restricted_input", "restricted_slacks"],
        (
            *FULL,
            {("k", "x"): -1.0, ("k", "y"): 0.5},
            {("k", "u"): 0.0, ("k", "v"): 0.0},
            (0.8, 1.2),
        ),
    ),
    **dict.fromkeys(
        ["aggressive", "benevolent"],
        (
            INPUTS,
            TRIANGLE,
            {"x": 1.0, "y": 0.2},
            {"u": 1.0, "v": 3.0},
            {"u": 4.5, "v": 3.5},
            {"x": 0.8, "y": 1.8},
        ),
    ),
    "largest_loss": (TRIANGLE, TRIANGLE, {("a", "e"): 1.0, ("b", "e"): 0.9, ("c", "e"): 1.0}),
    "wei": (TRIANGLE, OWN),
    "score": (TRIANGLE, OWN),
    **dict.fromkeys(
        ["pareto_frontier", "closest_change", "closest_split", "closest", "closest_as_printed"],
        (TRIANGLE, GROUP, 20.0),
    ),
    "normalised": (TRIANGLE, GROUP, SLOPES),
    "supports": (TRIANGLE, ["a", "b"], SLOPES),
    "face": (TRIANGLE, GROUP),
    "depth": (TRIANGLE, OWN),
    "rows_above": (GAPS, {(k, "M"): v for k, v in zip("abc", (0.6, 0.3, 0.6), strict=True)}),
    "ratio_above": (
        INPUTS,
        TRIANGLE,
        {(k, "M"): v for k, v in zip("abc", (0.0, 0.0, 0.0), strict=True)},
    ),
    "mix_above": (GAPS,),
    "least_loss": (GAPS,),
    "largest_ratio": ({("g", "x"): -1.0, ("g", "y"): 0.5}, OWN, {"x": 0.7, "y": 0.8}),
    "inner_ball": (
        {
            **{("low x", r): v for r, v in SLOPE_X.items()},
            **{("low y", r): v for r, v in SLOPE_Y.items()},
            **{("sum", r): 1.0 for r in "xy"},
        },
        {("low x", "h"): 0.0, ("low y", "h"): 0.0, ("sum", "h"): 1.0},
        {("low x", "n"): 1.0, ("low y", "n"): 1.0, ("sum", "n"): 2**0.5},
    ),
    "halfspaces": ({("f", "x"): 0.8, ("f", "y"): 0.5, ("e", "x"): 0.2, ("e", "y"): 1.0}, GROUP),
}
"""Arguments of a small model in which nothing is trivial: three DMUs, two metrics, a group of two.
"""
WITH_NORM = ("normalised", "face", "halfspaces")


def program(model) -> Program:
    return expand_template(
        read_model(model), np.zeros((0, 0)), np.array([float(v.value) for v in parameters(model)])
    )


def parameters(model) -> list:
    from pyomo.core.base import Param

    return [v for c in model.component_objects(Param) if c.mutable for v in c.values()]


def build(formulation, arguments, norm="l1", dominating=False):
    model = formulation(*arguments)
    if formulation.__name__ in WITH_NORM:
        metrics = {key[1] for key in arguments[1]}
        getattr(projection, norm)(model, dict.fromkeys(sorted(metrics), 1.0))
        if dominating:
            projection.dominating(model)
    return model


def matrix(template: Program) -> np.ndarray:
    dense = np.zeros((len(template.lower), len(template.cost)))
    for j in range(len(template.cost)):
        low, high = template.start[j], template.start[j + 1]
        dense[template.index[low:high], j] = template.value[low:high]
    return dense


def misses(template: Program, x: np.ndarray) -> float:
    """By how much x breaks a row or a bound."""
    rows = matrix(template) @ x
    broken = [
        template.lower - rows,
        rows - template.upper,
        template.column_lower - x,
        x - template.column_upper,
    ]
    return float(max(np.max(equation, initial=-np.inf) for equation in broken))


def dual_bound(template: Program, cost: np.ndarray) -> float:
    """The best dual objective of min cost·x over the program's rows and bounds, from the dual
    written out.
    """
    A, unit = matrix(template), np.eye(len(cost))
    sides = [
        (A.T, template.lower),
        (-A.T, -template.upper),
        (unit, template.column_lower),
        (-unit, -template.column_upper),
    ]
    columns = np.hstack([values[:, np.isfinite(bound)] for values, bound in sides])
    value = np.concatenate([bound[np.isfinite(bound)] for _, bound in sides])
    solution = linprog(-value, A_eq=columns, b_eq=cost, method="highs")
    assert solution.status == 0, solution.message
    return -float(solution.fun)


def fixed(template: Program, choice: tuple[int, ...]) -> Program:
    """The program with its binaries fixed."""
    low, high = template.column_lower.copy(), template.column_upper.copy()
    low[template.integer] = high[template.integer] = choice
    return replace(
        template, column_lower=low, column_upper=high, integer=np.zeros(len(low), dtype=bool)
    )


def proved_quadratic(template: Program, x: np.ndarray) -> float:
    """The bound that x itself gives: f is convex, so f(z) >= f(x) + gradient·(z - x) for every
    feasible z.
    """
    gradient, value = template.cost.copy(), float(template.cost @ x)
    for a, b, c in template.hessian:
        gradient[a] += c * x[b]
        gradient[b] += c * x[a]
        value += c * x[a] * x[b]
    return value + dual_bound(template, gradient) - float(gradient @ x)


def proved_integer(template: Program) -> float:
    """The least optimum over all choices of the binaries, each by SciPy."""
    A, best = matrix(template), np.inf
    up, low = np.isfinite(template.upper), np.isfinite(template.lower)
    rows, right = (
        np.vstack([A[up], -A[low]]),
        np.concatenate([template.upper[up], -template.lower[low]]),
    )
    for choice in itertools.product((0, 1), repeat=int(template.integer.sum())):
        restricted = fixed(template, choice)
        bounds = np.column_stack([restricted.column_lower, restricted.column_upper])
        solution = linprog(
            template.sense * restricted.cost, rows, right, bounds=bounds, method="highs"
        )
        best = min(best, solution.fun if solution.status == 0 else np.inf)
    return template.sense * best


def proved(template: Program, x: np.ndarray) -> float:
    """The optimum as others prove it: by a dual (LP), by trying all binaries (MILP), by convexity
    (QP).
    """
    if template.hessian:
        return proved_quadratic(template, x)
    if template.integer.any():
        return proved_integer(template)
    return template.sense * dual_bound(template, template.sense * template.cost)


def certified(model) -> float:
    template = program(model)
    solver = Solver(template)
    solver.run("test")
    assert misses(template, solver.values()) <= 1e-8
    assert solver.objective() == pytest.approx(proved(template, solver.values()), abs=1e-7)
    return solver.objective()


def components(model) -> set[str]:
    from pyomo.core.base import Constraint, ConstraintList, Objective, Var

    kinds = (Var, Constraint, ConstraintList, Objective)
    return {c.local_name for kind in kinds for c in model.component_objects(kind)}


def row_names(text: str) -> set[str]:
    return {word for row in ROW.findall(text) for word in row.split(", ")}


def test_every_formulation_is_listed_and_tested() -> None:
    names = [formulation.__name__ for formulation in FORMULATIONS]
    assert set(names) == set(SMALLEST) == set(SMALL)
    assert len(set(names)) == len(names)
    assert set(models.__all__) == {"FORMULATIONS", "quotients", *names}


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=lambda f: f.__name__)
def test_the_rows_of_the_docstring_are_the_components(formulation) -> None:
    text = inspect.getdoc(formulation)
    names = row_names(text)
    if "s.t. (7), and" in text:
        names |= row_names(inspect.getdoc(models.pareto_frontier))
    model = formulation(*SMALL[formulation.__name__])
    assert names == components(model)


def test_the_rows_of_the_norms_are_the_components() -> None:
    for norm in ("l1", "l2", "linf"):
        bare = models.face(*SMALL["face"])
        before = components(bare)
        added = components(getattr(projection, norm)(bare, SLOPES)) - before
        assert added == {"distance"} | ({"t", "largest_gap"} if norm == "linf" else set())
    assert row_names(projection.__doc__) == {"distance", "largest_gap"}
    bare = models.face(*SMALL["face"])
    before = components(bare)
    assert components(projection.dominating(bare)) - before == {"no_worse"}
    assert "[no_worse]" in projection.dominating.__doc__


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=lambda f: f.__name__)
def test_the_smallest_model_builds_and_solves_to_its_optimum_by_hand(formulation) -> None:
    arguments, optimum = SMALLEST[formulation.__name__]
    assert certified(build(formulation, arguments)) == pytest.approx(optimum, abs=1e-9)


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=lambda f: f.__name__)
def test_the_optimum_of_a_small_model_is_proved(formulation) -> None:
    certified(build(formulation, SMALL[formulation.__name__]))


@pytest.mark.parametrize("norm", ["l2", "linf"])
@pytest.mark.parametrize("dominating", [False, True])
@pytest.mark.parametrize("name", WITH_NORM)
def test_the_optimum_in_the_other_norms_is_proved(name, dominating, norm) -> None:
    if name == "normalised" and norm == "l2":
        model = build(models.normalised, SMALL[name], norm)
        assert program(
            model
        ).integer.any()  # a mixed-integer QP, which HiGHS refuses: no number comes out of it
        with pytest.raises(SolveError):
            Solver(program(model)).run("test")
        return
    arguments = SMALL[name]
    if dominating:
        arguments = (
            arguments[0],
            {key: 0.3 * value for key, value in GROUP.items()},
            *arguments[2:],
        )
    certified(build(getattr(models, name), arguments, norm, dominating))


@pytest.mark.parametrize("returns", ["crs", "vrs", "nirs", "ndrs"])
def test_multiplier_and_envelopment_forms_are_duals(returns) -> None:
    for orientation in ("input", "output"):
        multiplier, envelopment = (
            getattr(models, f"{form}_{orientation}") for form in ("multiplier", "envelopment")
        )
        assert certified(multiplier(*FULL, returns)) == pytest.approx(
            certified(envelopment(*FULL, returns)), abs=1e-9
        )
    certified(models.slacks(*FULL, returns))


def test_the_slack_model_needs_a_point_that_the_reference_reaches() -> None:
    with pytest.raises(Infeasible) as caught:
        Solver(program(models.slacks(INPUTS, TRIANGLE, {"u": 0.1, "v": 0.1}, OWN, "vrs"))).run(
            "'o'"
        )
    assert str(caught.value) == "model for 'o': HiGHS ended with 'Infeasible'"


def test_returns_are_nested() -> None:
    """Fewer combinations can only leave a DMU more efficient: crs <= nirs, ndrs <= vrs."""
    theta = {
        returns: certified(models.envelopment_input(*FULL, returns))
        for returns in ("crs", "vrs", "nirs", "ndrs")
    }
    assert theta["crs"] <= min(theta["nirs"], theta["ndrs"]) + 1e-9
    assert max(theta["nirs"], theta["ndrs"]) <= theta["vrs"] + 1e-9
    assert min(theta["nirs"], theta["ndrs"]) == pytest.approx(theta["crs"], abs=1e-9)


def test_quotients_are_every_output_over_every_input() -> None:
    quotients = models.quotients({("a", "x"): 2.0, ("a", "z"): 4.0}, {("a", "y"): 3.0})
    assert quotients == {("a", ("y", "x")): 1.5, ("a", ("y", "z")): 0.75}


def test_the_big_m_of_the_normalised_form_is_what_d_can_reach() -> None:
    from deabench_models.normalised import big_m

    rng = np.random.default_rng(4)
    points = rng.uniform(0.2, 1, (7, 3))
    ranges = np.ptp(points, axis=0)
    table = {(k, r): points[k, r] for k in range(7) for r in range(3)}
    M = big_m(table, dict(enumerate(ranges)))
    u = rng.dirichlet(np.ones(3), 2000) / ranges
    d = (u @ points.T).max(axis=1)[:, None] - u @ points.T
    assert (d <= np.array([M[k] for k in range(7)]) + 1e-12).all()
    assert max(M.values()) <= 1 + 1e-12
    for k in range(7):  # tight: reached at a u with all its weight on one metric
        corner = np.diag(1 / ranges)
        reached = ((corner @ points.T).max(axis=1) - corner @ points[k]).max()
        assert M[k] == pytest.approx(reached, abs=1e-12)


def test_no_solver_is_imported_by_the_models() -> None:
    allowed = {"pyomo", "pandas", "deabench_models", "collections", "typing", "__future__"}
    for file in Path(models.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else ([node.module] if isinstance(node, ast.ImportFrom) else [])
            )
            for name in names:
                assert name.split(".")[0] in allowed, (file.name, name)
                assert "solver" not in name


def test_the_index_data_of_5_can_be_built() -> None:
    """The quotients of outputs over inputs, by hand: b's are 2 and 4, o's 1 and 1, so all could
    double.
    """
    X, Y = (
        {("a", "x"): 2.0, ("b", "x"): 1.0},
        {("a", "u"): 1.0, ("a", "v"): 1.0, ("b", "u"): 2.0, ("b", "v"): 4.0},
    )
    index = models.quotients(X, Y)
    assert index["b", ("v", "x")] == 4.0
    model = models.wei(index, {("u", "x"): 1.0, ("v", "x"): 1.0})
    solver = Solver(expand_template(read_model(model), np.zeros((0, 0)), np.ones(2)))
    solver.run("test")
    assert solver.objective() == pytest.approx(2.0, abs=1e-12)


def test_the_printed_form_of_9_to_11_puts_everybody_at_distance_0() -> None:
    far = {("g", "x"): 0.01, ("g", "y"): 0.01}
    for formulation, zero in ((models.closest_as_printed, True), (models.closest_split, False)):
        solver = Solver(
            expand_template(
                read_model(formulation(TRIANGLE, far, 100.0), symbolic=False),
                np.zeros((0, 0)),
                np.zeros(0),
            )
        )
        solver.run("test")
        assert (abs(solver.objective()) <= 1e-9) == zero
