"""Published scores of the free disposal hull, super-efficiency and the slacks-based measure; and
each against its definition.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from dea_cases import examples, oracle, tables
from hypothesis import given
from hypothesis import strategies as st
from model_options import rank_with

import deabench as db
from deabench.models import MODELS, ModelName
from deabench.solver.solve_all import solve_each
from deabench.solver.template import compile_template

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")

FLS, PLANTS = (
    ("01_fls2008_11dmu", ["x1", "x2"], ["y1"]),
    ("04_tone2002_power_plants_super", ["X1", "X2", "X3", "X4"], ["Y1", "Y2"]),
)
# data, column, model, options, whether the oracle prints φ, of which the score is the inverse
CASES = [
    (FLS, "fdh_in", "fdh", {"orientation": "input"}, False),
    (FLS, "fdh_out", "fdh", {"orientation": "output"}, True),
    (FLS, "super_ccr_in", "super", {"orientation": "input"}, False),
    (FLS, "super_bcc_out", "super", {"orientation": "output", "returns": "vrs"}, True),
    (PLANTS, "super_ccr_in", "super", {"orientation": "input"}, False),
    (PLANTS, "super_bcc_in", "super", {"orientation": "input", "returns": "vrs"}, False),
    (PLANTS, "super_bcc_out", "super", {"orientation": "output", "returns": "vrs"}, True),
    (FLS, "sbm_crs", "sbm", {}, False),
    (FLS, "sbm_vrs", "sbm", {"returns": "vrs"}, False),
    (
        ("03_tone2001_sbm_5dmu", ["Input1", "Input2"], ["Output1", "Output2"]),
        "sbm_crs",
        "sbm",
        {},
        False,
    ),
    (
        ("03_tone2001_sbm_5dmu", ["Input1", "Input2"], ["Output1", "Output2"]),
        "sbm_vrs",
        "sbm",
        {"returns": "vrs"},
        False,
    ),
    (
        ("06_aparicio2007_airlines_closest", ["Lab", "Fuel", "Matl", "Cap"], ["Pass", "Cargo"]),
        "sbm_crs",
        "sbm",
        {},
        False,
    ),
    (("09_erg_sbm_graph_8dmu", ["x1"], ["y1"]), "erg_crs", "sbm", {}, False),
    (("09_erg_sbm_graph_8dmu", ["x1"], ["y1"]), "erg_vrs", "sbm", {"returns": "vrs"}, False),
]


@pytest.mark.parametrize(
    ("data", "column", "model", "options", "is_phi"),
    CASES,
    ids=[f"{c[0][0][:2]}-{c[1]}" for c in CASES],
)
def test_the_published_scores(data, column, model, options, is_phi) -> None:
    name, inputs, outputs = data
    expected = oracle(name, "expected")[column]
    ranking = rank_with(
        oracle(name, "data"), inputs=inputs, outputs=outputs, model=model, **options
    )
    np.testing.assert_allclose(ranking.scores, 1 / expected if is_phi else expected, rtol=1e-9)
    assert set(ranking.reasons) == set(
        expected.index[expected.isna()]
    )  # infeasible: NaN with its reason
    db.certify(ranking)


def test_the_names_for_type_checkers_are_the_dictionary() -> None:
    from typing import get_args

    assert set(get_args(ModelName)) == set(MODELS)


@examples(12)
@given(
    tables(rows=(2, 7), metrics=(2, 4), near=False), st.sampled_from(["input", "output"]), st.data()
)
def test_fdh_is_its_program(Y, orientation, data) -> None:
    import deabench_models

    m = data.draw(st.integers(1, Y.shape[1] - 1))
    X, Y = 1.01 - Y[:, :m], np.where(Y[:, m:].any(axis=1)[:, None], Y[:, m:], 0.01)
    table = (
        pd.DataFrame(np.column_stack([X, Y]))
        .rename(columns=lambda k: f"m{k}")
        .rename(index=lambda k: f"c{k}")
    )
    inputs = list(table.columns[:m])
    ranking = db.rank(table, inputs=inputs, model="fdh", orientation=orientation)
    own_weights = {
        "x_o": dict.fromkeys(range(m), 1.0),
        "y_o": dict.fromkeys(range(Y.shape[1]), 1.0),
    }
    form = compile_template(
        getattr(deabench_models, f"free_disposal_{orientation}"),
        {"X": range(m), "Y": range(Y.shape[1])},
        own_weights,
    )
    values = np.column_stack([X, Y])
    factor = solve_each(form, values, values).objective
    np.testing.assert_allclose(
        ranking.scores, 1 / factor if orientation == "output" else factor, atol=1e-8
    )
    db.certify(ranking)
    mixed = db.rank(table, inputs=inputs, model="ccr", returns="vrs", orientation=orientation)
    assert (ranking.scores >= mixed.scores - 1e-9).all()  # mixtures can only be better


@examples(12)
@given(tables(rows=(2, 8), metrics=(2, 4), near=False), st.sampled_from(["crs", "vrs"]), st.data())
def test_super_efficiency_is_the_score_against_the_others(Y, returns, data) -> None:
    m = data.draw(st.integers(1, Y.shape[1] - 1))
    X, Y = 1.01 - Y[:, :m], np.where(Y[:, m:].any(axis=1)[:, None], Y[:, m:], 0.01)
    table = (
        pd.DataFrame(np.column_stack([X, Y]))
        .rename(columns=lambda k: f"m{k}")
        .rename(index=lambda k: f"c{k}")
    )
    options = {"inputs": list(table.columns[:m]), "returns": returns, "orientation": "input"}
    ranking = rank_with(table, model="super", **options)
    for label in table.index:
        separate = rank_with(
            table.loc[[label]], reference=table.drop(label), model="ccr", **options
        ).scores[label]
        np.testing.assert_allclose(ranking.scores[label], separate, atol=1e-8)
    ordinary = rank_with(table, model="ccr", **options)
    assert (ranking.efficient == ordinary.efficient).all()
    is_below = ranking.scores < 1 - 1e-9
    np.testing.assert_allclose(ranking.scores[is_below], ordinary.scores[is_below], rtol=1e-12)
    db.certify(ranking)


@examples(12)
@given(
    tables(rows=(2, 8), metrics=(2, 4), near=False),
    st.sampled_from(["crs", "vrs", "nirs", "ndrs"]),
    st.data(),
)
def test_the_slacks_based_measure_is_below_the_radial_one_and_one_exactly_for_the_efficient(
    Y, returns, data
) -> None:
    m = data.draw(st.integers(1, Y.shape[1] - 1))
    X, Y = 1.01 - Y[:, :m], np.where(Y[:, m:].any(axis=1)[:, None], Y[:, m:], 0.01)
    table = (
        pd.DataFrame(np.column_stack([X, Y]))
        .rename(columns=lambda k: f"m{k}")
        .rename(index=lambda k: f"c{k}")
    )
    options = {"inputs": list(table.columns[:m]), "returns": returns}
    ranking = rank_with(table, model="sbm", **options)
    db.certify(ranking)
    for orientation in ("input", "output"):
        radial = rank_with(table, model="ccr", orientation=orientation, **options)
        result = rank_with(table, model="sbm", orientation=orientation, **options)
        db.certify(result)
        assert (result.scores <= radial.scores + 1e-8).all()
        assert (ranking.scores <= result.scores + 1e-8).all()
        assert (result.efficient == ranking.efficient).all()
    assert (ranking.efficient == radial.efficient).all()
    scaled = rank_with(table * np.geomspace(1e-3, 1e4, table.shape[1]), model="sbm", **options)
    np.testing.assert_allclose(scaled.scores, ranking.scores, atol=1e-8)


@pytest.mark.parametrize("model", ["fdh", "super", "sbm"])
def test_without_inputs_everybody_has_the_same_one(model) -> None:
    table = db.datasets.load("chao2022-wine1")[["TPR", "TNR"]]
    ranking, unit = (
        db.rank(table, model=model),
        rank_with(
            table.assign(one=1.0),
            inputs=["one"],
            model=model,
            **({"returns": "vrs"} if model != "fdh" else {}),
        ),
    )
    np.testing.assert_allclose(ranking.scores, unit.scores, atol=1e-10)
    db.certify(ranking)


@pytest.mark.parametrize("model", ["fdh", "super", "sbm"])
def test_a_forged_score_slack_or_verdict_is_refused(model) -> None:
    name, inputs, outputs = FLS
    ranking = db.rank(oracle(name, "data"), inputs=inputs, outputs=outputs, model=model)
    for field in ("scores", "slacks"):
        forged = getattr(ranking, field).copy()
        forged.iloc[2] = forged.iloc[2] + 1e-6
        with pytest.raises(db.CertificateError):
            db.certify(replace(ranking, **{field: forged}))
    if model != "super":
        with pytest.raises(db.CertificateError):
            db.certify(replace(ranking, efficient=~ranking.efficient))


def test_a_score_near_0_is_as_exact_as_one_near_1() -> None:
    """Two copies of q reach p: θ = max(2 · 4 / 3e11, 2 · 7 / 6e11), below every tolerance."""
    table = pd.DataFrame(
        {"a": [8.0, 4.0, 4.0], "x": [3e11, 4.0, 4.0], "z": [6e11, 9.0, 7.0]}, index=["p", "o", "q"]
    )
    ranking = rank_with(table, inputs=["x", "z"], model="ccr", returns="crs", orientation="input")
    assert ranking.scores.tolist() == pytest.approx([8 / 3e11, 1.0, 1.0], rel=1e-12, abs=0)
    db.certify(ranking)
