"""Super-efficiency by slacks against Tone's values and SciPy; and what else the slacks-based
measure's oracles print.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from dea_cases import RETURNS, examples, frame, lp, oracle, tables
from hypothesis import given
from hypothesis import strategies as st
from model_options import rank_with
from quick_cases import mark_most_slow

import deabench as db
from deabench.errors import CertificateError

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
PLANTS = ("04_tone2002_power_plants_super", ["X1", "X2", "X3", "X4"], ["Y1", "Y2"])
CASES = [
    (*PLANTS, "super_sbm_in_crs", {"model": "super-sbm", "orientation": "input"}),
    (*PLANTS, "super_sbm_nonoriented_crs_deaR", {"model": "super-sbm"}),
]


@pytest.mark.parametrize(
    ("name", "inputs", "outputs", "column", "options"),
    CASES,
    ids=[f"{c[0][:2]}-{c[3]}" for c in CASES],
)
def test_published_columns(name, inputs, outputs, column, options) -> None:
    expected = oracle(name, "expected")[column]
    ranking = rank_with(oracle(name, "data"), inputs=inputs, outputs=outputs, **options)
    np.testing.assert_allclose(ranking.scores, expected, rtol=1e-9)
    db.certify(ranking)


def test_tones_slacks_based_measures_as_printed() -> None:
    name = "03_tone2001_sbm_5dmu"
    scores = db.rank(
        oracle(name, "data"),
        inputs=["Input1", "Input2"],
        outputs=["Output1", "Output2"],
        model="sbm",
    ).scores
    assert scores.round(3).tolist() == oracle(name, "expected")["sbm_crs_published_3dp"].tolist()


def test_the_factor_of_a_graph_with_one_input_and_one_output_is_the_root() -> None:
    """Russell's graph measure with m = s = 1 and crs is the square root of the radial efficiency
    (oracle: 6 digits).
    """
    name = "09_erg_sbm_graph_8dmu"
    ccr = db.rank(
        oracle(name, "data"), inputs=["x1"], outputs=["y1"], model="ccr", orientation="input"
    ).scores
    np.testing.assert_allclose(
        np.sqrt(ccr), oracle(name, "expected")["russell_graph_crs_6dp"], atol=6e-7
    )


def super_sbm(X: np.ndarray, Y: np.ndarray, o: int, returns: str, orientation: str) -> float:
    """Tone's super-efficiency by slacks, for positive data, by SciPy: (Λ, x̄, ȳ, t)."""
    (n, m), s, (low, high) = X.shape, Y.shape[1], RETURNS[returns]
    x, y, remaining = X[o], Y[o], np.delete(np.arange(n), o)
    k, size = n - 1, n - 1 + m + s + 1
    rows, right = [], []

    def add(right_side: float = 0.0, **blocks: object) -> None:
        row = np.zeros(size)
        for block, value in (
            ("lam", slice(0, k)),
            ("x", slice(k, k + m)),
            ("y", slice(k + m, k + m + s)),
            ("t", k + m + s),
        ):
            row[value] = blocks.get(block, 0.0)
        rows.append(row)
        right.append(right_side)

    for i in range(m):
        add(lam=X[remaining, i], x=-np.eye(m)[i])
        add(x=-np.eye(m)[i], t=x[i])
        if orientation == "output":
            add(x=np.eye(m)[i], t=-x[i])
    for r in range(s):
        add(lam=-Y[remaining, r], y=np.eye(s)[r])
        add(y=np.eye(s)[r], t=-y[r])
        if orientation == "input":
            add(y=-np.eye(s)[r], t=y[r])
    if np.isfinite(high):
        add(lam=1.0, t=-high)
    if low:
        add(lam=-1.0, t=low)
    cost = np.concatenate([np.zeros(k), 1 / (m * x), np.zeros(s + 1)])
    normalization = np.concatenate([np.zeros(k + m), 1 / (s * y), [0.0]])
    return lp(cost, np.array(rows), np.array(right), equal=(normalization[None], [1.0]))


@pytest.mark.parametrize("orientation", mark_most_slow(["none", "input", "output"], 1))
@examples(12)
@given(
    tables(rows=(3, 7), metrics=(2, 4), near=False), st.sampled_from(["crs", "vrs", "nirs", "ndrs"])
)
def test_super_sbm_is_scipys_and_above_1_exactly_for_the_efficient(
    orientation, values, returns
) -> None:
    values = np.where(values > 0, values, 0.01)
    options = {"inputs": ["m0"], "returns": returns, "orientation": orientation}
    ranking, ordinary = (
        rank_with(frame(values), model=model, **options) for model in ("super-sbm", "sbm")
    )
    for o in range(len(values)):
        score = ranking.scores.iloc[o]
        if ordinary.scores.iloc[o] < 1 - 1e-9:
            assert score == ordinary.scores.iloc[o]
        else:
            expected = super_sbm(values[:, :1], values[:, 1:], o, returns, orientation)
            assert score == pytest.approx(expected, rel=1e-7, nan_ok=True)
            assert np.isnan(score) or score >= 1 - 1e-9
    db.certify(ranking)


def test_super_sbm_stands_zeros_and_no_inputs() -> None:
    table = pd.DataFrame(
        {"x": [0.0, 2.0, 3.0], "z": [2.0, 1.0, 4.0], "y": [1.0, 2.0, 0.0], "w": [1.0, 0.5, 3.0]},
        index=["a", "b", "c"],
    )
    ranking = db.rank(table, inputs=["x", "z"], model="super-sbm", returns="vrs")
    assert ranking.reasons == {
        "a": "the others do not reach it by changes in its metrics"
    }  # none lives without x
    db.certify(ranking)
    original = db.rank(table[["z", "w"]], model="super-sbm")
    assert original.scores["a"] < 1 < original.scores["c"]
    db.certify(original)


def test_a_changed_super_sbm_does_not_pass() -> None:
    name, inputs, outputs = PLANTS
    for changed in ("scores", "weights"):
        ranking = db.rank(oracle(name, "data"), inputs=inputs, outputs=outputs, model="super-sbm")
        getattr(ranking, changed).iloc[1] *= 1.001
        with pytest.raises(CertificateError):
            db.certify(ranking)


def test_who_alone_has_none_of_an_input_is_reached_by_no_other() -> None:
    """Without `none` no mix leaves out `x`, but the one of nothing, which has no output."""
    table = pd.DataFrame(
        {"a": [0.9, 0.5, 0.4], "x": [0.0, 0.2, 0.3], "z": [2.0, 1.0, 1.5]}, ["none", "some", "more"]
    )
    ranking = db.rank(
        table, outputs=["a"], inputs=["x", "z"], model=db.models.SuperSBM(returns="crs")
    )
    assert ranking.reasons == {"none": "the others do not reach it by changes in its metrics"}
    db.certify(ranking)
    # Of two that have none, each is reached by the other.
    both = table.assign(x=[0.0, 0.0, 0.3])
    ranking = db.rank(
        both, outputs=["a"], inputs=["x", "z"], model=db.models.SuperSBM(returns="crs")
    )
    assert not ranking.reasons
    with pytest.raises(CertificateError):
        db.certify(
            replace(
                ranking,
                scores=ranking.scores.where(ranking.scores.index != "none"),
                reasons={"none": "the others do not reach it by changes in its metrics"},
            )
        )
