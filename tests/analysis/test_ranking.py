"""Efficiencies against published values, against the equations solved directly by SciPy, and
against theorems.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from dea_cases import clear, examples, frame, lp, oracle, radial, scales, score6, tables, theta5
from hypothesis import given
from hypothesis import strategies as st
from model_options import rank_with
from quick_cases import mark_most_slow

import deabench as db

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")

PRINTED = 1e-9
"""The oracles give 10 significant digits."""

PROJECTS = ["Indirect_economic", "Direct_economic", "Technical", "Social", "Scientific"]
PLANTS = "04_tone2002_power_plants_super"
CCR = [
    # oracle, inputs, outputs, {column: (returns, orientation)}
    (
        "01_fls2008_11dmu",
        ["x1", "x2"],
        ["y1"],
        {
            "ccr_in": ("crs", "input"),
            "ccr_out": ("crs", "output"),
            "bcc_in": ("vrs", "input"),
            "bcc_out": ("vrs", "output"),
            "nirs_in": ("nirs", "input"),
            "ndrs_in": ("ndrs", "input"),
        },
    ),
    (
        "03_tone2001_sbm_5dmu",
        ["Input1", "Input2"],
        ["Output1", "Output2"],
        {"ccr_in": ("crs", "input")},
    ),
    (
        "06_aparicio2007_airlines_closest",
        ["Lab", "Fuel", "Matl", "Cap"],
        ["Pass", "Cargo"],
        {"ccr_in": ("crs", "input")},
    ),
    (
        "07_holder_input_8dmu",
        ["x1", "x2"],
        ["y1"],
        {"ccr_in": ("crs", "input"), "bcc_in": ("vrs", "input")},
    ),
    ("08_holder_output_8dmu_constant_input", ["x1"], ["y1", "y2"], {"bcc_out": ("vrs", "output")}),
    (
        "09_erg_sbm_graph_8dmu",
        ["x1"],
        ["y1"],
        {"ccr_in": ("crs", "input"), "bcc_in": ("vrs", "input"), "bcc_out": ("vrs", "output")},
    ),
    (
        "11_lim_zhu_2015_rd_projects",
        ["Budget"],
        PROJECTS,
        {
            "crs_in": ("crs", "input"),
            "crs_out": ("crs", "output"),
            "vrs_in": ("vrs", "input"),
            "vrs_out": ("vrs", "output"),
        },
    ),
    (
        "12_simar_wilson_1998_electric",
        ["Labor", "Fuel", "Capital"],
        ["Output"],
        {"bcc_in": ("vrs", "input")},
    ),
    (
        "14_cst_branches_outputs_only",
        ["employees"],
        ["customers", "sales"],
        {"ccr_efficiency": ("crs", "input")},
    ),
    ("15_cst_six_stores_inputs_only", ["x1", "x2"], ["y"], {"ccr_in": ("crs", "input")}),
]
CCR_CASES = [
    pytest.param(name, inputs, outputs, column, *how, id=f"{name[:2]}-{column}")
    for name, inputs, outputs, columns in CCR
    for column, how in columns.items()
]


@pytest.mark.parametrize(
    ("name", "inputs", "outputs", "column", "returns", "orientation"), CCR_CASES
)
def test_ccr_and_bcc_give_the_published_scores(
    name, inputs, outputs, column, returns, orientation
) -> None:
    expected = oracle(name, "expected")[column]
    ranking = db.rank(
        oracle(name, "data"),
        inputs=inputs,
        outputs=outputs,
        model="ccr",
        returns=returns,
        orientation=orientation,
    )
    published = expected if orientation == "input" else 1 / expected
    np.testing.assert_allclose(ranking.scores, published, rtol=PRINTED)
    assert list(ranking.scores.index) == list(expected.index)
    assert db.certify(ranking).notna().all(axis=None)


WEI = [
    ("08_holder_output_8dmu_constant_input", ["y1", "y2"], "dea_wei_score", False),
    ("11_lim_zhu_2015_rd_projects", PROJECTS, "dea_wei_phi_outputs_only", True),
    ("14_cst_branches_outputs_only", ["customers", "sales"], "dea_wei_phi", True),
    ("18a_synthetic_seed0_n30_outputs3_closest", ["y1", "y2", "y3"], "dea_wei_phi", True),
    ("18c_synthetic_seed0_n100_outputs3_closest", ["y1", "y2", "y3"], "dea_wei_phi", True),
]


@pytest.mark.parametrize("model", ["wei", "score"])
@pytest.mark.parametrize(
    ("name", "outputs", "column", "is_phi"), WEI, ids=[case[0][:3] for case in WEI]
)
def test_dea_without_inputs_gives_the_published_scores(
    name, outputs, column, is_phi, model
) -> None:
    expected = oracle(name, "expected")[column]
    ranking = db.rank(oracle(name, "data"), outputs=outputs, model=model)
    np.testing.assert_allclose(ranking.scores, 1 / expected if is_phi else expected, rtol=PRINTED)
    db.certify(ranking)


@pytest.mark.parametrize(
    ("column", "returns", "orientation"),
    [
        ("super_ccr_in", "crs", "input"),
        ("super_bcc_in", "vrs", "input"),
        ("super_bcc_out", "vrs", "output"),
    ],
)
def test_power_plants_against_the_others_give_tones_super_efficiencies(
    column, returns, orientation
) -> None:
    plants, expected = oracle(PLANTS, "data"), oracle(PLANTS, "expected")
    options = {
        "inputs": ["X1", "X2", "X3", "X4"],
        "outputs": ["Y1", "Y2"],
        "model": "ccr",
        "returns": returns,
        "orientation": orientation,
    }
    reason = f"envelopment_{orientation} for '{{}}': HiGHS ended with 'Infeasible'"
    for plant, value in expected[column].items():
        ranking = rank_with(plants.loc[[plant]], reference=plants.drop(plant), **options)
        if np.isnan(value):
            assert np.isnan(ranking.scores[plant])
            assert ranking.reasons == {plant: reason.format(plant)}
            assert not ranking.efficient[plant]
        else:
            score = value if orientation == "input" else 1 / value
            np.testing.assert_allclose(ranking.scores[plant], score, rtol=PRINTED)
        db.certify(ranking)
    ordinary = rank_with(plants, **options).scores
    np.testing.assert_allclose(
        ordinary, 1.0, rtol=1e-12
    )  # all have super-efficiencies of 1 or more


def test_the_weakly_efficient_store_has_its_slack_and_is_not_efficient() -> None:
    stores = oracle("15_cst_six_stores_inputs_only", "data")
    ranking = db.rank(stores, inputs=["x1", "x2"], outputs=["y"], model="ccr", orientation="input")
    assert ranking.scores["F"] == pytest.approx(1.0, abs=1e-12)
    assert ranking.slacks.loc["F"].to_dict() == pytest.approx(
        {"y": 0.0, "x1": 2.0, "x2": 0.0}, abs=1e-9
    )
    assert ranking.peers.loc["F"].to_dict()["C"] == pytest.approx(1.0, abs=1e-9)
    assert ranking.projections.loc["F"].tolist() == pytest.approx([1.0, 8.0, 1.0], abs=1e-9)
    assert ranking.efficient.to_dict() == {
        "A": False,
        "B": False,
        "C": True,
        "D": True,
        "E": True,
        "F": False,
    }
    assert ranking.ranks.tolist() == [
        5,
        6,
        1,
        1,
        1,
        4,
    ]  # F is on the frontier with slack: after the efficient ones
    book = oracle("15_cst_six_stores_inputs_only", "expected")["ccr_in_book_4dp"]
    assert ranking.scores.round(4).tolist() == book.tolist()


@examples(60)
@given(tables())
def test_score_times_theta_is_one_and_both_are_the_equations(Y) -> None:
    table = frame(Y)
    wei, score = db.rank(table, model="wei").scores, db.rank(table, model="score").scores
    for j, y in enumerate(Y):
        theta, performance = theta5(Y, y), score6(Y, y)
        assert performance * theta == pytest.approx(
            1.0, abs=1e-8
        )  # SciPy against SciPy: its own tolerance
        assert score.iloc[j] * theta == pytest.approx(1.0, abs=1e-8)
        assert wei.iloc[j] == pytest.approx(score.iloc[j], abs=1e-10)


def test_the_score_is_the_performance_under_its_weights() -> None:
    Y = np.random.default_rng(3).uniform(0.3, 1, (40, 4))
    ranking = db.rank(frame(Y), model="score")
    weights = ranking.weights.to_numpy()
    np.testing.assert_allclose((weights * Y).sum(axis=1), ranking.scores, rtol=1e-12)
    assert (Y @ weights.T).max() <= 1 + 1e-12
    assert ranking.model.startswith("score (6), the dual of (5), by HiGHS (")
    result = db.rank(frame(np.vstack([Y, Y * 0.9])), model="score")
    assert result.model.startswith("score (6), the dual of (5), by ")
    assert "facets" in result.model


@examples(25)
@given(tables(metrics=(1, 3)), st.integers(0, 10**6))
def test_ccr_with_one_input_is_wei_on_the_quotients(Y, seed) -> None:
    table = frame(Y).assign(x=np.random.default_rng(seed).integers(1, 100, len(Y)) / 100)
    wei = db.rank(table, inputs=["x"], model="wei")
    for orientation in ("input", "output"):
        ccr = db.rank(table, inputs=["x"], model="ccr", orientation=orientation)
        np.testing.assert_allclose(wei.scores, ccr.scores, rtol=1e-9)
    quotients = table.filter(like="m").div(table["x"], axis=0)
    np.testing.assert_allclose(db.rank(quotients).scores, wei.scores, rtol=1e-12)
    assert wei.data.notes[-1] == "outputs are quotients: " + ", ".join(
        f"{name}/x" for name in table.filter(like="m")
    )


def test_with_two_inputs_wei_takes_all_quotients() -> None:
    rng = np.random.default_rng(11)
    values = rng.uniform(0.3, 1, (12, 4))
    table = pd.DataFrame(
        values, columns=["y1", "y2", "x1", "x2"], index=[f"c{j}" for j in range(12)]
    )
    ranking = db.rank(table, inputs=["x1", "x2"], model="wei")
    quotients = np.column_stack([values[:, r] / values[:, i] for r in (0, 1) for i in (2, 3)])
    assert list(ranking.weights.columns) == ["y1/x1", "y1/x2", "y2/x1", "y2/x2"]
    np.testing.assert_allclose(
        1 / ranking.scores, [theta5(quotients, q) for q in quotients], rtol=1e-9
    )


@pytest.mark.parametrize("returns", ["crs", "vrs", "nirs", "ndrs"])
@pytest.mark.parametrize("orientation", mark_most_slow(["input", "output"], 1))
@examples(12)
@given(tables(rows=(2, 8), metrics=(2, 4), near=False), st.data())
def test_ccr_is_the_linear_program_of_the_paper(orientation, returns, Y, data) -> None:
    m = data.draw(st.integers(1, Y.shape[1] - 1))
    X, Y = 1.01 - Y[:, :m], Y[:, m:]
    Y = np.where(Y.any(axis=1)[:, None], Y, 0.01)
    table = pd.concat([frame(X).add_prefix("x"), frame(Y)], axis=1)
    ranking = db.rank(
        table,
        inputs=[f"xm{i}" for i in range(m)],
        model="ccr",
        returns=returns,
        orientation=orientation,
    )
    factor = [
        radial(X, Y, x, y, orientation=orientation, returns=returns)
        for x, y in zip(X, Y, strict=True)
    ]
    np.testing.assert_allclose(
        ranking.scores, factor if orientation == "input" else 1 / np.array(factor), rtol=1e-8
    )
    db.certify(ranking)


@examples(40)
@given(tables(), st.data())
def test_units_change_no_score_and_scale_the_slacks_and_weights(Y, data) -> None:
    unit = data.draw(scales(Y.shape[1]))
    original, scaled = db.rank(frame(Y)), db.rank(frame(Y * unit))
    np.testing.assert_allclose(scaled.scores, original.scores, rtol=1e-9)
    np.testing.assert_allclose(
        (scaled.slacks / unit).sum(axis=1), original.slacks.sum(axis=1), atol=1e-8
    )
    assert scaled.efficient.tolist() == original.efficient.tolist() or not clear(Y)
    np.testing.assert_allclose(
        (scaled.weights.to_numpy() * unit * Y).sum(axis=1), original.scores, rtol=1e-9
    )
    db.certify(scaled)


@pytest.mark.parametrize("returns", mark_most_slow(["crs", "vrs"], 1))
@examples(15)
@given(tables(rows=(2, 7), metrics=(2, 3)), st.data())
def test_units_change_no_ccr_score(returns, Y, data) -> None:
    table = frame(np.where(Y > 0, Y, 0.01))
    unit = data.draw(scales(Y.shape[1]))
    options = {"inputs": ["m0"], "model": "ccr", "returns": returns, "orientation": "input"}
    original, scaled = rank_with(table, **options), rank_with(table * unit, **options)
    np.testing.assert_allclose(scaled.scores, original.scores, rtol=1e-9)
    assert scaled.efficient.tolist() == original.efficient.tolist() or not clear(Y)
    db.certify(scaled)


@examples(30)
@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_columns_does_not_matter(Y, random) -> None:
    table = frame(Y)
    rows, columns = list(table.index), list(table.columns)
    random.shuffle(rows)
    random.shuffle(columns)
    original, shuffled = db.rank(table), db.rank(table.loc[rows, columns])
    np.testing.assert_allclose(shuffled.scores[table.index], original.scores, rtol=1e-9)
    assert shuffled.efficient[table.index].tolist() == original.efficient.tolist() or not clear(Y)
    assert list(shuffled.scores.index) == rows


@examples(30)
@given(tables(), st.data())
def test_a_dominated_dmu_or_a_duplicate_changes_nobody(Y, data) -> None:
    table = frame(Y)
    copied_row = data.draw(st.integers(0, len(Y) - 1))
    share = data.draw(st.sampled_from([1.0, 0.9, 1 - 1e-9]))
    wider = pd.concat([table, frame(Y[[copied_row]] * share, "new")])
    original, after = db.rank(table), db.rank(wider)
    np.testing.assert_allclose(after.scores[table.index], original.scores, rtol=1e-9)
    assert after.efficient[table.index].tolist() == original.efficient.tolist() or not clear(
        wider.to_numpy()
    )
    assert after.scores["new0"] == pytest.approx(share * original.scores.iloc[copied_row], rel=1e-9)
    if share == 1.0:
        assert after.efficient["new0"] == original.efficient.iloc[copied_row]


@examples(40)
@given(tables(), st.data())
def test_a_projection_is_efficient(Y, data) -> None:
    table = frame(Y)
    ranking = db.rank(table)
    assert ranking.projections.to_numpy() == pytest.approx(
        Y / ranking.scores.to_numpy()[:, None] + ranking.slacks.to_numpy(), abs=1e-8
    )
    projected = db.rank(ranking.projections, reference=table)
    np.testing.assert_allclose(projected.scores, 1.0, rtol=1e-8)
    assert projected.slacks.to_numpy().max() <= 1e-7 or not clear(
        Y
    )  # a lead of 1e-11 hides any slack within 1e-15


@pytest.mark.parametrize("returns", ["crs", "vrs", "nirs", "ndrs"])
@pytest.mark.parametrize("orientation", ["input", "output"])
def test_a_ccr_projection_is_efficient(orientation, returns) -> None:
    plants = oracle("12_simar_wilson_1998_electric", "data")
    options = {
        "inputs": ["Labor", "Fuel", "Capital"],
        "outputs": ["Output"],
        "model": "ccr",
        "returns": returns,
        "orientation": orientation,
    }
    projected = rank_with(rank_with(plants, **options).projections, reference=plants, **options)
    np.testing.assert_allclose(projected.scores, 1.0, rtol=1e-9)
    assert (projected.slacks / plants[projected.slacks.columns].max()).to_numpy().max() <= 1e-9


@examples(30)
@given(tables(rows=(2, 8), metrics=(2, 3), near=False))
def test_efficient_means_that_no_mixture_dominates(Y) -> None:
    """Pareto-efficiency by a linear program of its own: the most that a mixture gains without
    losing anywhere.
    """
    ranking = db.rank(frame(Y))
    n = len(Y)
    for j, y in enumerate(Y):
        gain = -lp(-Y.sum(axis=1), -Y.T, -y, equal=(np.ones((1, n)), [1.0])) - y.sum()
        assert ranking.efficient.iloc[j] == (gain < 1e-8), (j, gain)


def test_one_dmu_is_its_own_frontier() -> None:
    ranking = db.rank(frame(np.array([[0.4, 0.0, 0.9]])))
    assert ranking.scores.tolist() == [1.0]
    assert ranking.efficient.tolist() == [True]
    assert ranking.peers.to_numpy().tolist() == [[1.0]]


def test_a_constant_metric_at_its_maximum_makes_all_weakly_efficient_only() -> None:
    ranking = db.rank(frame(np.array([[1.0, 0.5], [1.0, 0.7], [1.0, 0.9]])))
    assert ranking.scores.tolist() == pytest.approx([1.0, 1.0, 1.0], abs=1e-12)
    assert ranking.efficient.tolist() == [False, False, True]
    assert ranking.slacks["m1"].tolist() == pytest.approx([0.4, 0.2, 0.0], abs=1e-12)


def test_of_equal_scores_the_pareto_efficient_come_first_and_then_those_with_less_slack() -> None:
    table = pd.DataFrame(
        {"TPR": [0.0, 0.5, 0.7, 0.5], "TNR": [1.0, 1.0, 0.9, 1.0]},
        index=["never", "good", "keen", "twin"],
    )
    ranking = db.rank(pd.concat([table, table.loc[["never"]].assign(TPR=0.2).set_axis(["nearly"])]))
    assert ranking.scores.tolist() == [1.0] * 5
    assert ranking.ranks.to_dict() == {"never": 5, "good": 1, "keen": 1, "twin": 1, "nearly": 4}
    separate = db.rank(pd.concat([table * 0.9, table.loc[["never"]].set_axis(["top"])]))
    assert (
        "'top' is efficient although its 'TPR' is 0: weights may leave a metric out"
        in separate.notes
    )


def test_scores_against_another_reference() -> None:
    rng = np.random.default_rng(5)
    reference, tested = rng.uniform(0.3, 1, (30, 3)), rng.uniform(0.3, 1.4, (15, 3))
    ranking = db.rank(frame(tested, "t"), reference=frame(reference, "r"))
    np.testing.assert_allclose(
        1 / ranking.scores, [theta5(reference, y) for y in tested], rtol=1e-9
    )
    assert (ranking.scores > 1).any()
    assert set(ranking.peers.columns) <= {f"r{j}" for j in range(30)}
    lam = ranking.peers.to_numpy()
    np.testing.assert_allclose(lam.sum(axis=1), 1.0, atol=1e-12)
    assert (
        lam @ frame(reference, "r").loc[ranking.peers.columns].to_numpy()
        >= tested / ranking.scores.to_numpy()[:, None] - 1e-12
    ).all()
    db.certify(ranking)


def test_outside_a_vrs_reference_the_score_is_nan_with_its_reason() -> None:
    table = pd.DataFrame({"x": [1.0, 2.0], "y": [1.0, 3.0]}, index=["a", "b"])
    outside = pd.DataFrame({"x": [1.0, 1.0], "y": [4.0, 2.0]}, index=["high", "fine"])
    ranking = db.rank(
        outside, reference=table, inputs=["x"], model="ccr", returns="vrs", orientation="input"
    )
    assert np.isnan(ranking.scores["high"])
    assert ranking.scores["fine"] == pytest.approx(1.5, rel=1e-12)
    assert ranking.reasons == {
        "high": "envelopment_input for 'high': HiGHS ended with 'Infeasible'"
    }
    assert ranking.weights.loc["high"].isna().all()
    assert ranking.slacks.loc["high"].isna().all()
    assert ranking.projections.loc["high"].isna().all()
    assert ranking.certificate.loc["high"].isna().all()
    assert ranking.ranks.tolist() == [pd.NA, 1]
    assert ranking.efficient.tolist() == [False, True]
    assert ranking.to_frame().index.tolist() == ["fine", "high"]
    db.certify(ranking)


@pytest.mark.parametrize("model", ["wei", "ccr"])
def test_a_metric_that_no_reference_dmu_has_leaves_the_score_undefined(model) -> None:
    reference = pd.DataFrame(
        {"y1": [1.0, 2.0], "y2": [0.0, 0.0], "x": [1.0, 1.0]}, index=["a", "b"]
    )
    tested = pd.DataFrame(
        {"y1": [1.0, 1.0], "y2": [1.0, 0.0], "x": [1.0, 1.0]}, index=["new", "old"]
    )
    ranking = db.rank(tested, reference=reference, inputs=["x"], model=model)
    assert np.isnan(ranking.scores["new"])
    assert ranking.scores["old"] == pytest.approx(0.5, rel=1e-12)
    assert ranking.reasons == {
        "new": "its factor is 0: no reference DMU has any of one of its metrics"
    }
    db.certify(ranking)


def test_to_frame_to_csv_and_html(tmp_path) -> None:
    table = pd.DataFrame(
        {"TPR": [0.5, 0.9, 0.9, 0.7], "TNR": [0.9, 0.5, 0.5, 0.6]}, index=["a", "=b", "<c>", "d"]
    )
    ranking = db.rank(table)
    shown = ranking.to_frame()
    assert list(shown.columns) == ["efficiency", "rank", "efficient"]
    assert shown.index.tolist() == ["a", "=b", "<c>", "d"]
    assert shown["rank"].tolist() == [1, 1, 1, 4]
    text = ranking.to_csv()
    assert text.splitlines()[0] == "classifier,efficiency,rank,efficient"
    assert [line.split(",")[0] for line in text.splitlines()[1:]] == ["a", "'=b", "<c>", "d"]
    assert ranking.to_csv(tmp_path / "r.csv") is None
    assert (tmp_path / "r.csv").read_text() == text
    assert "&lt;c&gt;" in ranking._repr_html_()
    assert "<c>" not in ranking._repr_html_()


REFUSED = [
    (
        {"model": "nonsense"},
        "model 'nonsense' is not known; it is one of "
        "'wei', 'score', 'ccr', 'fdh', 'super', 'sbm', 'super-sbm', 'russell', 'additive', "
        "'ram', 'bam', 'ddf', 'rdm', 'holder', "
        "'cross', 'common'",
    ),
    ({"model": "BCC"}, "model 'BCC' is not known; write model 'ccr' with returns 'vrs'"),
    ({"returns": "drs"}, "model 'wei' has no returns 'drs'; write 'crs'"),
    (
        {"returns": "rising"},
        "model 'wei' has no returns 'rising'; write 'crs'",
    ),
    (
        {"orientation": "both"},
        "model 'wei' has no orientation 'both'; write 'output'",
    ),
    (
        {"model": "ccr"},
        "model 'ccr' needs an input and none is given; name one in inputs, or use model 'wei'",
    ),
    (
        {"returns": "ndrs"},
        "model 'wei' has no returns 'ndrs'; write 'crs', or use model 'ccr' or 'super' or 'sbm'",
    ),
    (
        {"model": "score", "orientation": "input"},
        "model 'score' has no orientation 'input'; write 'output', or use model 'ccr' or 'fdh' "
        "or 'super'",
    ),
    (
        {"model": "fdh", "orientation": "input"},
        "orientation 'input' needs an input and none is given; name one in inputs",
    ),
    (
        {"inputs": ["cost", "time"], "model": "wei"},
        "input 'cost' of 'b' is 0; a quotient over it is infinite, leave the row out or use "
        "model 'ccr'",
    ),
]


@pytest.mark.parametrize(("options", "text"), REFUSED)
def test_rank_refuses(options, text, refused) -> None:
    table = pd.DataFrame(
        {"TPR": [0.5, 0.9], "cost": [1.0, 0.0], "time": [1.0, 2.0]}, index=["a", "b"]
    )
    with refused(text):
        rank_with(table, outputs=["TPR"], **options)


def test_rank_refuses_a_reference_by_its_own_row(refused) -> None:
    table = pd.DataFrame({"TPR": [0.5, 0.9]}, index=["a", "b"])
    with refused("there is no column 'TPR' in the table; did you mean 'TNR'?"):
        db.rank(table, reference=table.rename(columns={"TPR": "TNR"}))
    with refused("metric 'TPR' of 'b' is -0.9; 'TPR' cannot be below 0, correct it"):
        db.rank(table, reference=table.mul([1, -1], axis=0))


def test_a_lower_is_better_metric_is_complemented_and_said() -> None:
    table = pd.DataFrame({"TPR": [0.5, 0.9, 0.7], "error": [0.1, 0.4, 0.3]}, index=["a", "b", "c"])
    ranking = db.rank(db.read(table, lower_is_better={"error": 1.0}))
    same = db.rank(table.assign(error=1 - table["error"]), outputs=["TPR", "error"])
    assert ranking.scores.tolist() == same.scores.tolist()
    assert ranking.data.notes == ("'error' stands for its complement 1 - error: lower is better",)
    by_name = db.rank(
        db.read(table, lower_is_better=["error"])
    )  # a rate, whose greatest value is known
    assert by_name.scores.tolist() == ranking.scores.tolist()
    assert "lower_is_better={'error': 'input'}" in " ".join(by_name.notes)
    as_input = db.rank(db.read(table, lower_is_better={"error": "input"}))
    assert as_input.scores.tolist() == db.rank(table, inputs=["error"]).scores.tolist()
    assert as_input.notes == (
        "'error' is an input: lower is better",
        "model 'ccr' was chosen, for 'error' is an input; "
        "rates do not scale with costs, so returns to scale are variable",
    )
    quotients = db.rank(db.read(table, lower_is_better={"error": "input"}), model="wei")
    assert quotients.notes == (
        "outputs are quotients: TPR/error",
        "'error' is an input: lower is better",
        "returns to scale are constant (model 'wei')",
    )


@pytest.mark.parametrize("unit", [1.0, 1e4])
def test_where_a_dual_is_steep_rounding_does_not_decide_the_score(unit) -> None:
    """The third DMU makes 1e-9 more of m2 than anyone, so it is efficient; a peer with λ = 2e-9
    would say otherwise.
    """
    table = frame(
        np.array(
            [
                [0.01, 0.01, 0.75],
                [0.36, 0.01, 0.75],
                [0.36000000036, 0.00999999999, 0.7500000007500001],
            ]
        )
    )
    table["m2"] *= unit
    scores = db.rank(table, inputs=["m0"], model="ccr", returns="vrs", orientation="input").scores
    np.testing.assert_allclose(scores, [1.0, 0.01 / 0.36, 1.0], atol=1e-12)


def test_what_rounding_adds_to_a_projection_is_no_peer() -> None:
    """An efficient system is its own peer alone, whatever the solver left of others."""
    ranking = db.rank(db.read("examples/leaderboard.csv"))
    found = ranking.peers.sparse.to_dense()
    for name in ranking.scores.index[ranking.efficient]:
        assert found.loc[name][found.loc[name] > 0].to_dict() == {name: 1.0}
    assert (ranking.intensities.values[ranking.intensities.values > 0] < 1e-12).any()


def test_a_small_share_of_a_huge_peer_is_a_peer() -> None:
    """λ = 1e-13 of a system that is 1e13 times larger is all that its projection consists of."""
    data = pd.DataFrame({"hits": [1.0, 1e13], "cost": [2.0, 1e13]}, index=["small", "huge"])
    ranking = db.rank(data, model="ccr", outputs=["hits"], inputs=["cost"], returns="crs")
    assert ranking.peers.loc["small"].to_dict() == {"huge": pytest.approx(1e-13)}


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_a_peer_of_zeros_is_a_peer() -> None:
    data = pd.DataFrame({"a": [0.0, 0.0], "b": [0.0, 0.0]}, index=["x", "y"])
    ranking = db.rank(data, model="additive", outputs=["a", "b"])
    assert ranking.peers["x"].tolist() == [1.0, 1.0]


def test_frames_of_a_result_do_not_rename_its_labels():
    """`to_frame` names the index of the frame, not that of the scores, which share it."""
    rates = {"TPR": [0.9, 0.8, 0.6, 0.3], "TNR": [0.6, 0.8, 0.7, 0.2]}
    table = pd.DataFrame(rates, index=list("abcd"))
    ranking = db.rank(table, outputs=["TPR", "TNR"])
    targets = db.targets(table, table, outputs=["TPR", "TNR"])
    stability = db.stability(table, outputs=["TPR", "TNR"])
    named = [ranking.scores, targets.position, targets.targets, stability.radius, table]
    before = [result.index.name for result in named]
    assert ranking.to_frame().index.name == "classifier"
    assert targets.to_frame().index.name == "classifier"
    assert stability.to_frame().index.name == "classifier"
    assert [result.index.name for result in named] == before


def test_levels_of_an_index_keep_their_names() -> None:
    index = pd.MultiIndex.from_product([["a", "b"], [1, 2]], names=["model", "seed"])
    rates = {"TPR": [0.9, 0.8, 0.6, 0.3], "TNR": [0.6, 0.8, 0.7, 0.2]}
    table = pd.DataFrame(rates, index=index)
    for result in (
        db.rank(table, outputs=["TPR", "TNR"]),
        db.frontier(table, outputs=["TPR", "TNR"]),
        db.targets(table, table, outputs=["TPR", "TNR"]),
        db.stability(table, outputs=["TPR", "TNR"]),
        db.layers(table, outputs=["TPR", "TNR"]),
    ):
        assert list(result.to_frame().index.names) == ["model", "seed"]
