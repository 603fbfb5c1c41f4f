"""The template, expanded, is Pyomo's own compilation of the full model: coefficient by coefficient,
exactly.
"""

from __future__ import annotations

import numpy as np
import pytest
from pyomo.core.base import Constraint, Objective, Var
from pyomo.repn import generate_standard_repn

import deabench_models as models
from deabench.solver.template import Program, compile_template, expand_template, read_model
from deabench_models import projection

N, M, S = 6, 2, 3
RNG = np.random.default_rng(0)
X, Y, W = RNG.uniform(1, 9, (N, M)), RNG.uniform(0.1, 1, (N, S)), RNG.uniform(0.1, 1, (N, S))
x, y = RNG.uniform(1, 9, M), RNG.uniform(0.1, 1, S)


def table(values: np.ndarray) -> dict:
    return {(j, r): float(v) for j, row in enumerate(values) for r, v in enumerate(row)}


def row(values: np.ndarray, *label: str) -> dict:
    return {(*label, r) if label else r: float(v) for r, v in enumerate(values)}


def pyomo_parts(model) -> dict:
    """Everything of a model by name, as Pyomo's `generate_standard_repn` gives it with all numbers
    put in.
    """
    entries, rows = {}, {}
    for constraint in model.component_data_objects(Constraint, active=True):
        repn = generate_standard_repn(constraint.body, compute_values=True)
        assert repn.is_linear()
        for variable, coefficient in zip(repn.linear_vars, repn.linear_coefs, strict=True):
            entries[constraint.name, variable.name] = coefficient
        low = -np.inf if constraint.lb is None else constraint.lb - repn.constant
        rows[constraint.name] = (
            low,
            np.inf if constraint.ub is None else constraint.ub - repn.constant,
        )
    columns = {
        v.name: (
            -np.inf if v.lb is None else v.lb,
            np.inf if v.ub is None else v.ub,
            not v.is_continuous(),
        )
        for v in model.component_data_objects(Var)
    }
    cost, quadratic, sense = {}, {}, 1
    for objective in model.component_data_objects(Objective, active=True):
        repn = generate_standard_repn(objective.expr, compute_values=True)
        sense = int(objective.sense)
        cost = {v.name: c for v, c in zip(repn.linear_vars, repn.linear_coefs, strict=True)}
        quadratic = {
            frozenset((a.name, b.name)): c
            for (a, b), c in zip(repn.quadratic_vars, repn.quadratic_coefs, strict=True)
        }
    return {
        "entries": entries,
        "rows": rows,
        "columns": columns,
        "cost": cost,
        "quadratic": quadratic,
        "sense": sense,
    }


def compiled_parts(template: Program) -> dict:
    """The same of an expanded template; zeros are dropped from what may hold structural zeros."""
    names, columns = template.row_names, template.column_names
    assert len(set(names)) == len(names)
    assert len(set(columns)) == len(columns)
    entries = {
        (names[template.index[e]], columns[j]): template.value[e]
        for j in range(len(columns))
        for e in range(template.start[j], template.start[j + 1])
    }
    assert len(entries) == len(template.value)
    return {
        "entries": entries,
        "rows": {
            name: pair for name, *pair in zip(names, template.lower, template.upper, strict=True)
        },
        "columns": {
            name: tuple(bounds)
            for name, *bounds in zip(
                columns, template.column_lower, template.column_upper, template.integer, strict=True
            )
        },
        "cost": {name: c for name, c in zip(columns, template.cost, strict=True) if c != 0},
        "quadratic": {frozenset((columns[a], columns[b])): c for a, b, c in template.hessian},
        "sense": template.sense,
    }


def assert_identical(template: Program, full) -> None:
    expected, compiled = pyomo_parts(full), compiled_parts(template)
    for component, values in expected.items():
        computed = compiled[component]
        if component == "rows":
            computed = {name: tuple(pair) for name, pair in computed.items()}
        if component in ("entries", "cost"):
            values = {name: c for name, c in values.items() if c != 0}
            computed = {name: c for name, c in computed.items() if c != 0}
        assert computed == values, component


@pytest.mark.parametrize("returns", ["crs", "vrs", "nirs", "ndrs"])
@pytest.mark.parametrize(
    "formulation",
    [
        models.multiplier_input,
        models.multiplier_output,
        models.envelopment_input,
        models.envelopment_output,
        models.slacks,
    ],
    ids=lambda f: f.__name__,
)
def test_ccr(formulation, returns) -> None:
    form = compile_template(
        formulation, {"X": range(M), "Y": range(S)}, {"x_o": row(x), "y_o": row(y)}, returns=returns
    )
    template = expand_template(form, np.column_stack([X, Y]), np.append(x, y))
    assert_identical(template, formulation(table(X), table(Y), row(x), row(y), returns))
    assert form.tested_names == (*(f"x_o[{i}]" for i in range(M)), *(f"y_o[{r}]" for r in range(S)))


@pytest.mark.parametrize(
    ("formulation", "reference", "tested"), [(models.wei, "Y", "y_o"), (models.score, "E", "e_o")]
)
def test_wei_and_score(formulation, reference, tested) -> None:
    form = compile_template(formulation, {reference: range(S)}, {tested: row(y)})
    assert_identical(expand_template(form, Y, y), formulation(table(Y), row(y)))


@pytest.mark.parametrize("steps", [(), (projection.dominating,)], ids=["free", "dominating"])
@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
@pytest.mark.parametrize(
    ("formulation", "reference"), [(models.face, "P"), (models.halfspaces, "W")]
)
def test_projections(formulation, reference, norm, steps) -> None:
    weights = row(np.array([1.0, 0.5, 3.0]))

    def finish(model):
        getattr(projection, norm)(model, weights)
        for step in steps:
            step(model)
        return model

    form = compile_template(formulation, {reference: range(S)}, {"p_G": row(y, "g")}, finish)
    assert_identical(expand_template(form, Y, y), finish(formulation(table(Y), row(y, "g"))))


def test_one_template_serves_every_size_and_every_dmu() -> None:
    form = compile_template(models.wei, {"Y": range(S)}, {"y_o": row(y)})
    for n in (1, 2, N):
        for tested in Y:
            assert_identical(
                expand_template(form, Y[:n], tested), models.wei(table(Y[:n]), row(tested))
            )


@pytest.mark.parametrize("symbolic", [True, False])
@pytest.mark.parametrize(
    "formulation",
    [
        models.pareto_frontier,
        models.closest_change,
        models.closest_split,
        models.closest,
        models.normalised,
    ],
    ids=lambda f: f.__name__,
)
def test_the_group_models_read_as_they_stand(formulation, symbolic) -> None:
    group = row(y, "g") | row(y * 0.5, "h")
    last = row(np.ptp(Y, axis=0)) if formulation is models.normalised else 50.0
    model = formulation(table(Y), group, last)
    if formulation is models.normalised:
        projection.linf(model, row(np.ones(S)))
        model.cuts.add(model.b[0] + model.b[3] >= 1)
    tested = np.append(y, y * 0.5) if symbolic else np.zeros(0)
    assert_identical(
        expand_template(read_model(model, symbolic=symbolic), np.zeros((0, 0)), tested), model
    )


def test_supports_reads_as_it_stands() -> None:
    model = models.supports(table(Y), [0, 2], row(np.ptp(Y, axis=0)))
    assert_identical(expand_template(read_model(model), np.zeros((0, 0)), np.zeros(0)), model)


def test_a_coefficient_that_is_not_affine_is_refused() -> None:
    def squared(Y, y_o):
        model = models.wei(Y, y_o)
        model.add_component("more", Constraint(expr=model.theta * model.y_o[0] * model.y_o[0] >= 0))
        return model

    with pytest.raises(ValueError) as caught:
        compile_template(squared, {"Y": range(S)}, {"y_o": row(y)})
    assert str(caught.value).endswith("is not affine in the data.")
