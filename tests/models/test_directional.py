"""The directional distance, RDM and Russell's measures: published values, SciPy, their
formulations, and theorems.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from dea_cases import RETURNS, examples, frame, lp, oracle, scales, tables
from hypothesis import given
from hypothesis import strategies as st
from model_options import rank_with
from quick_cases import mark_most_slow

import deabench as db
import deabench_models
from deabench.errors import CertificateError
from deabench.solver.solve_all import solve_each
from deabench.solver.template import compile_template

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
PRINTED = 1e-9


@pytest.mark.parametrize("returns", ["crs", "vrs"])
def test_fried_lovell_schmidts_directional_columns(returns) -> None:
    data, expected = oracle("01_fls2008_11dmu", "data"), oracle("01_fls2008_11dmu", "expected")
    ranking = db.rank(data, inputs=["x1", "x2"], outputs=["y1"], model="ddf", returns=returns)
    np.testing.assert_allclose(
        ranking.scores, expected[f"ddf_observed_{returns}"], rtol=PRINTED, atol=1e-10
    )
    additive = db.rank(data, inputs=["x1", "x2"], outputs=["y1"], model="additive", returns=returns)
    assert ranking.efficient.tolist() == additive.efficient.tolist()  # DMU11 reaches 0 with slack
    db.certify(ranking)


@pytest.mark.parametrize(
    ("name", "inputs", "outputs", "orientation", "column"),
    [
        ("07_holder_input_8dmu", ["x1", "x2"], ["y1"], "input", "russell_in_vrs"),
        ("08_holder_output_8dmu_constant_input", ["x1"], ["y1", "y2"], "output", "russell_out_vrs"),
    ],
)
def test_russells_measures(name, inputs, outputs, orientation, column) -> None:
    data, expected = oracle(name, "data"), oracle(name, "expected")[column]
    ranking = db.rank(
        data,
        inputs=inputs,
        outputs=outputs,
        model="russell",
        returns="vrs",
        orientation=orientation,
    )
    np.testing.assert_allclose(
        ranking.scores, expected if orientation == "input" else 1 / expected, rtol=PRINTED
    )
    if orientation == "output":
        np.testing.assert_allclose(
            db.rank(data, outputs=outputs, model="russell").scores, ranking.scores, rtol=1e-12
        )
    db.certify(ranking)


@pytest.mark.parametrize("orientation", ["input", "output"])
@pytest.mark.parametrize("returns", ["crs", "vrs", "nirs", "ndrs"])
def test_russell_is_its_formulation_and_the_oriented_sbm(orientation, returns) -> None:
    values = np.random.default_rng(2).uniform(0.1, 1, (9, 4))
    table, options = (
        frame(values),
        {"inputs": ["m0", "m1"], "returns": returns, "orientation": orientation},
    )
    scores = rank_with(table, model="russell", **options).scores
    sizes = {"X": range(2), "Y": range(2)}
    own_weights = {"x_o": dict.fromkeys(range(2), 1.0), "y_o": dict.fromkeys(range(2), 1.0)}
    form = compile_template(
        getattr(deabench_models, f"russell_{orientation}"), sizes, own_weights, returns=returns
    )
    factor = solve_each(form, values, values).objective
    np.testing.assert_allclose(scores, factor if orientation == "input" else 1 / factor, rtol=1e-9)
    np.testing.assert_allclose(scores, rank_with(table, model="sbm", **options).scores, rtol=1e-9)


@examples(15)
@given(tables(rows=(2, 7), metrics=(2, 4), near=False))
def test_russell_stands_zeros_ties_and_duplicates(values) -> None:
    for options in (
        {},
        {"inputs": ["m0"], "orientation": "output"},
        {"inputs": ["m0"], "orientation": "input"},
    ):
        table = frame(values).assign(m0=np.where(values[:, 0] > 0, values[:, 0], 0.01))
        ranking, ccr = (
            rank_with(
                table,
                model=model,
                returns="vrs" if options or model == "russell" else None,
                **options,
            )
            for model in ("russell", "ccr" if options else "wei")
        )
        db.certify(ranking)
        assert (ranking.scores <= ccr.scores + 1e-9).all()
        assert ranking.efficient.tolist() == ccr.efficient.tolist()


def distance(
    X: np.ndarray, Y: np.ndarray, x: np.ndarray, y: np.ndarray, direction: np.ndarray, returns: str
) -> float:
    """max β by SciPy; `way` is outputs first."""
    n, s, (low, high) = len(X), Y.shape[1], RETURNS[returns]
    A = np.vstack([np.column_stack([-Y.T, direction[:s]]), np.column_stack([X.T, direction[s:]])])
    b = np.append(-y, x)
    for row, bound in [(np.ones(n), high)] * int(np.isfinite(high)) + [(-np.ones(n), -low)] * (
        low > 0
    ):
        A, b = np.vstack([A, np.append(row, 0.0)]), np.append(b, bound)
    return -lp(np.append(np.zeros(n), -1.0), A, b, bounds=[(0, None)] * n + [(None, None)])


@pytest.mark.parametrize("returns", mark_most_slow(["crs", "vrs", "nirs", "ndrs"], 2))
@examples(8)
@given(
    tables(rows=(2, 7), metrics=(2, 4), near=False),
    st.sampled_from(["own", "mean", {"m0": 0.5, "m1": 2.0}]),
)
def test_the_distance_is_scipys(returns, values, options) -> None:
    values = np.where(values > 0, values, 0.01)
    table = frame(values)
    ranking = db.rank(table, inputs=["m0"], model=db.models.DDF(returns=returns, direction=options))
    X, Y = values[:, :1], values[:, 1:]
    for o in range(len(values)):
        direction = {
            "own": np.append(Y[o], X[o]),
            "mean": np.append(Y.mean(axis=0), X.mean(axis=0)),
        }.get(
            options if isinstance(options, str) else "",
            np.append([2.0] + [0.0] * (Y.shape[1] - 1), 0.5),
        )
        assert ranking.scores.iloc[o] == pytest.approx(
            distance(X, Y, X[o], Y[o], direction, returns), abs=1e-8
        )
    db.certify(ranking)


@pytest.mark.parametrize("orientation", mark_most_slow(["input", "output"], 1))
@examples(8)
@given(tables(rows=(2, 7), metrics=(2, 4), near=False))
def test_in_its_own_direction_it_is_the_radial_factor(orientation, values) -> None:
    table, options = (
        frame(np.where(values > 0, values, 0.01)),
        {"inputs": ["m0"], "orientation": orientation, "returns": "vrs"},
    )
    ddf, ccr = rank_with(table, model="ddf", **options), rank_with(table, model="ccr", **options)
    np.testing.assert_allclose(
        1 / (1 + ddf.scores) if orientation == "output" else 1 - ddf.scores, ccr.scores, atol=1e-8
    )
    assert ddf.efficient.tolist() == ccr.efficient.tolist()


@pytest.mark.parametrize(
    "model", mark_most_slow([{"model": "rdm"}, {"model": "ddf", "direction": "range"}], 1)
)
@examples(6)
@given(tables(rows=(2, 7), metrics=(2, 3), near=False), st.data())
def test_neither_units_nor_the_place_of_zero_change_the_score(model, values, data) -> None:
    values = np.vstack([values, values[0] / 2, values[0] / 3])  # no metric is constant
    table, unit = frame(values), data.draw(scales(values.shape[1]))
    shift = np.array(
        data.draw(
            st.lists(
                st.sampled_from([-3.0, -0.5, 0.0, 2.0]),
                min_size=values.shape[1],
                max_size=values.shape[1],
            )
        )
    )
    original = rank_with(table, inputs=["m0"], **model)
    np.testing.assert_allclose(
        rank_with(table * unit, inputs=["m0"], **model).scores, original.scores, atol=1e-8
    )
    moved = rank_with(table + shift, inputs=["m0"], **model)
    np.testing.assert_allclose(moved.scores, original.scores, atol=1e-8)
    db.certify(original)
    db.certify(moved)
    ram = db.rank(table, inputs=["m0"], model="ram")
    assert original.efficient.tolist() == ram.efficient.tolist()


def test_the_best_of_all_has_a_direction_too() -> None:
    table = pd.DataFrame({"y": [-1.0, -3.0, -2.0], "z": [4.0, 1.0, 2.5]}, index=["a", "b", "c"])
    ranking = db.rank(table, model="rdm")
    assert ranking.scores.tolist() == pytest.approx(
        [1.0, 0.0, 0.0], abs=1e-12
    )  # the others' way to the best is open
    assert (
        "'a' has the best value of every metric that is to change: its direction is the same "
        "step in each" in ranking.notes
    )
    db.certify(ranking)


def test_outside_of_the_reference_it_leads_back() -> None:
    data = oracle("09_erg_sbm_graph_8dmu", "data")
    outside = pd.DataFrame({"x1": [3.0, 1.0], "y1": [6.0, 1.0]}, index=["up", "left"])
    ranking = db.rank(
        outside,
        reference=data,
        inputs=["x1"],
        outputs=["y1"],
        model=db.models.DDF(direction={"y1": 1.0}),
    )
    assert ranking.scores["up"] == pytest.approx(-3.0, abs=1e-12)
    assert np.isnan(ranking.scores["left"])
    assert ranking.reasons == {
        "left": "no step in its direction, forwards or back, comes to what the reference can do"
    }
    db.certify(ranking)


def test_a_changed_number_does_not_pass() -> None:
    data = oracle("01_fls2008_11dmu", "data")
    for changed in ("scores", "slacks", "efficient"):
        for model in ("ddf", "russell", "rdm"):
            ranking = db.rank(data, inputs=["x1", "x2"], outputs=["y1"], model=model)
            if changed == "efficient":
                ranking.efficient.iloc[4] = True
            else:
                getattr(ranking, changed).iloc[4] += 0.01
            with pytest.raises(CertificateError):
                db.certify(ranking)


def test_what_it_refuses(refused) -> None:
    data = oracle("10_charnes1994_additive_7dmu", "data")
    with refused(
        "the direction of 'a' is 0 in every metric that is to change; give one that is above 0 "
        "in one of them"
    ):
        db.rank(
            data,
            inputs=["x"],
            outputs=["y"],
            model=db.models.DDF(direction={"x": 1.0}, orientation="output"),
        )
    with refused("direction of 'y' is nan; give a finite number, 0 or more"):
        db.rank(
            data, inputs=["x"], outputs=["y"], model=db.models.DDF(direction={"y": float("nan")})
        )
    with refused(
        "model 'ddf' has no direction 'up'; write 'own' or 'ones' or 'mean' or 'range' or 'ideal'"
    ):
        db.rank(data, inputs=["x"], outputs=["y"], model=db.models.DDF(direction="up"))
