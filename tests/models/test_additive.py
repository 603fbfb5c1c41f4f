"""The additive model, its weights, RAM and BAM: published values, SciPy, and theorems."""

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
from deabench.errors import CertificateError

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
PRINTED = 1e-9

FLS = {
    f"additive_{weights}_{returns}": {"model": "additive", "weights": weights, "returns": returns}
    for weights in ("ones", "mip", "normalized")
    for returns in ("crs", "vrs")
}
FLS |= {
    f"ram_inefficiency_{returns}": {"model": "ram", "returns": returns}
    for returns in ("crs", "vrs")
}


@pytest.mark.parametrize("column", FLS)
def test_fried_lovell_schmidts_additive_columns(column) -> None:
    data, expected = (
        oracle("01_fls2008_11dmu", "data"),
        oracle("01_fls2008_11dmu", "expected")[column],
    )
    ranking = rank_with(data, inputs=["x1", "x2"], outputs=["y1"], **FLS[column])
    np.testing.assert_allclose(ranking.scores, expected, rtol=PRINTED, atol=1e-9)
    assert ranking.measure == "inefficiency"
    assert ranking.efficient.tolist() == (expected < 1e-9).tolist()
    db.certify(ranking)


def test_charnes_seven() -> None:
    data, expected = (
        oracle("10_charnes1994_additive_7dmu", "data"),
        oracle("10_charnes1994_additive_7dmu", "expected"),
    )
    ranking = db.rank(data, inputs=["x"], outputs=["y"], model="additive")
    np.testing.assert_allclose(ranking.scores, expected["additive_vrs"], atol=1e-12)
    for column, orientation in (("bcc_in", "input"), ("bcc_out", "output")):
        scores = db.rank(
            data, inputs=["x"], outputs=["y"], model="ccr", returns="vrs", orientation=orientation
        ).scores
        np.testing.assert_allclose(
            scores if orientation == "input" else 1 / scores, expected[column], rtol=PRINTED
        )


def test_with_one_input_and_one_output_the_modified_directional_distance_is_the_sum_of_slacks() -> (
    None
):
    data, expected = (
        oracle("09_erg_sbm_graph_8dmu", "data"),
        oracle("09_erg_sbm_graph_8dmu", "expected"),
    )
    scores = db.rank(data, inputs=["x1"], outputs=["y1"], model="additive").scores
    np.testing.assert_allclose(scores, expected["modified_ddf_ones_vrs"], rtol=PRINTED, atol=1e-12)


def direct(X: np.ndarray, Y: np.ndarray, o: int, w: np.ndarray, returns: str) -> float:
    """max w·s, by SciPy: over λ alone, the slacks put in."""
    n, (low, high) = len(X), RETURNS[returns]
    gain = np.column_stack([Y, -X])
    A, b = -gain.T, -gain[o]
    total = [(np.ones(n), high)] if np.isfinite(high) else []
    total += [(-np.ones(n), -low)] if low else []
    for row, bound in total:
        A, b = np.vstack([A, row]), np.append(b, bound)
    return -lp(-gain @ w, A, b) - float(gain[o] @ w)


@pytest.mark.parametrize("returns", mark_most_slow(["crs", "vrs", "nirs", "ndrs"], 2))
@examples(12)
@given(tables(rows=(2, 7), metrics=(2, 4), near=False), st.data())
def test_the_sum_is_scipys(returns, values, data) -> None:
    table, m = frame(np.where(values > 0, values, 0.01)), 1
    w = np.array(
        data.draw(
            st.lists(
                st.sampled_from([0.0, 0.5, 1.0, 3.0]),
                min_size=values.shape[1],
                max_size=values.shape[1],
            )
        )
    )
    w[-1] = 1.0
    ranking = db.rank(
        table,
        inputs=["m0"],
        model=db.models.Additive(
            returns=returns, weights={f"m{k}": float(value) for k, value in enumerate(w)}
        ),
    )
    X, Y = table.to_numpy()[:, :m], table.to_numpy()[:, m:]
    for o in range(len(table)):
        assert ranking.scores.iloc[o] == pytest.approx(
            direct(X, Y, o, np.append(w[m:], w[:m]), returns), abs=1e-8
        )
    db.certify(ranking)


@pytest.mark.parametrize(
    "model",
    mark_most_slow(
        [{"model": "ram"}, {"model": "bam"}, {"model": "additive", "weights": "normalized"}], 1
    ),
)
@examples(10)
@given(tables(rows=(2, 7), metrics=(2, 3), near=False), st.data())
def test_neither_units_nor_the_place_of_zero_change_the_score(model, values, data) -> None:
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
    assert model.get("weights") == "normalized" or (original.scores <= 1 + 1e-9).all()
    db.certify(moved)


@examples(12)
@given(tables(rows=(2, 7), metrics=(2, 3), near=False))
def test_bam_lies_above_ram_and_both_are_0_for_the_same(values) -> None:
    ram, bam = (db.rank(frame(values), inputs=["m0"], model=model) for model in ("ram", "bam"))
    assert (bam.scores >= ram.scores - 1e-9).all()
    assert ram.efficient.tolist() == bam.efficient.tolist()
    ccr = db.rank(
        frame(np.where(values > 0, values, 0.01)), inputs=["m0"], model="ccr", returns="vrs"
    ).efficient
    assert (values > 0).all() <= (ccr.tolist() == ram.efficient.tolist())


def test_a_changed_score_or_weight_does_not_pass() -> None:
    data = oracle("01_fls2008_11dmu", "data")
    for changed in ("scores", "slacks", "weights", "efficient"):
        ranking = db.rank(
            data, inputs=["x1", "x2"], outputs=["y1"], model=db.models.Additive(weights="ram")
        )
        values = getattr(ranking, changed)
        if changed == "efficient":
            values.iloc[1] = True
        elif changed == "weights":
            values.iloc[1, 0] *= 0.5
        else:
            values.iloc[1] += 0.01
        with pytest.raises(CertificateError):
            db.certify(ranking)


def test_outside_of_the_reference_there_is_no_sum() -> None:
    data = oracle("10_charnes1994_additive_7dmu", "data")
    ranking = db.rank(
        pd.DataFrame({"x": [1.0, 5.0], "y": [9.0, 3.0]}, index=["out", "in"]),
        reference=data,
        inputs=["x"],
        outputs=["y"],
        model="additive",
    )
    assert ranking.reasons == {"out": "no mix of the reference uses as little and gives as much"}
    assert ranking.scores["in"] == pytest.approx(4.0, abs=1e-12)
    assert ranking.explain("in").startswith(
        "in is not efficient (inefficiency 4, rank 1 of 2): 4 is left to gain"
    )
    db.certify(ranking)


REFUSED = [
    (
        {"weights": "bam", "returns": "crs"},
        "weights 'bam' have a bound for returns 'vrs' only, and returns is 'crs'; "
        "leave returns out, or use weights 'ram'",
    ),
    (
        {"weights": "range"},
        "model 'additive' has no weights 'range'; write 'ram'",
    ),
    ({"weights": {"z": 1.0}}, "weights names 'z', which is no metric here; there are 'y', 'x'"),
    ({"weights": {"y": -1.0}}, "weights of 'y' is -1.0; give a finite number, 0 or more"),
    (
        {"weights": {"y": 0}},
        "weights is 0 for every metric; give at least one of them a number above 0",
    ),
    (
        {"weights": 3},
        "weights is 3; give a mapping of metric to number, as {'TPR': 2.0, 'TNR': 1.0}",
    ),
    (
        {"orientation": "both"},
        "model 'additive' has no orientation 'both'; write 'none' or 'input' or 'output'",
    ),
    (
        {"direction": {"y": 1.0}},
        "model 'additive' has no option 'direction'; did you mean 'orientation'?",
    ),
    (
        {"weights": "mip", "table": "negative"},
        "metric 'y' of 'a' is -2, metric 'y' of 'b' is -5, metric 'y' of 'c' is -7 and 4 more; "
        "this model needs values >= 0; model='rdm', model='ram' and model='additive' take any "
        "value",
    ),
]


@pytest.mark.parametrize(("options", "text"), REFUSED)
def test_what_it_refuses(options, text, refused) -> None:
    data = oracle("10_charnes1994_additive_7dmu", "data")
    if options.get("table"):
        data = data.assign(y=-data["y"])
    with refused(text):
        rank_with(
            data,
            inputs=["x"],
            outputs=["y"],
            model="additive",
            **{k: v for k, v in options.items() if k != "table"},
        )
