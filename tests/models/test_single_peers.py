"""Slack models against single DMUs, and the Russell graph measure: published values, brute force,
theorems.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from dea_cases import examples, frame, oracle, tables
from hypothesis import given
from hypothesis import strategies as st
from model_options import rank_with
from quick_cases import mark_most_slow
from scipy.optimize import minimize_scalar

import deabench as db
from deabench.cli import main
from deabench.models.options import build_options

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def test_russells_measure_against_single_dmus() -> None:
    data, expected = (
        oracle("08_holder_output_8dmu_constant_input", kind) for kind in ("data", "expected")
    )
    ranking = db.rank(
        data, inputs=["x1"], outputs=["y1", "y2"], model=db.models.Russell(technology="fdh")
    )
    np.testing.assert_allclose(1 / ranking.scores, expected["russell_out_fdh"], rtol=1e-9)
    db.certify(ranking)


@pytest.mark.parametrize("model", mark_most_slow(["additive", "ram", "bam"], 1))
@examples(10)
@given(tables(rows=(2, 8), metrics=(2, 4), near=False))
def test_what_one_other_leaves_is_by_brute_force_and_no_more_than_a_mixture_does(
    model, values
) -> None:
    table = frame(values)
    ranking = rank_with(table, inputs=["m0"], model=model, technology="fdh")
    gain = np.column_stack([values[:, 1:], -values[:, :1]])
    for o in range(len(values)):
        differences = gain - gain[o]
        slacks = differences[(differences >= 0).all(axis=1)]
        largest = max(float(slack.sum()) for slack in slacks)
        if model == "additive":
            assert ranking.scores.iloc[o] == pytest.approx(largest, abs=1e-12)
        assert ranking.efficient.iloc[o] == (largest <= 1e-9)
    assert (ranking.scores <= db.rank(table, inputs=["m0"], model=model).scores + 1e-9).all()
    db.certify(ranking)


@examples(10)
@given(tables(rows=(2, 7), metrics=(2, 4), near=False), st.sampled_from(["input", "output"]))
def test_russell_against_single_dmus_is_no_better_than_fdh_and_no_worse_than_mixtures(
    values, orientation
) -> None:
    table = frame(np.where(values > 0, values, 0.01))
    options = {"inputs": ["m0"], "orientation": orientation}
    single = rank_with(table, model="russell", technology="fdh", **options)
    assert (single.scores <= rank_with(table, model="fdh", **options).scores + 1e-9).all()
    assert (
        single.scores >= rank_with(table, model="russell", returns="vrs", **options).scores - 1e-9
    ).all()
    db.certify(single)
    for field in ("scores", "slacks"):
        forged = getattr(single, field) + 1e-6
        with pytest.raises(db.CertificateError):
            db.certify(replace(single, **{field: forged}))


@examples(10)
@given(
    tables(rows=(2, 7), metrics=(2, 4), near=False), st.sampled_from(["none", "input", "output"])
)
def test_the_slacks_based_measure_against_single_dmus_is_by_brute_force(
    values, orientation
) -> None:
    """At least that against mixtures; of one side at most the factor of FDH."""
    values = np.column_stack(
        [values[:, :1] + 0.01, np.where(values[:, 1:].any(axis=1)[:, None], values[:, 1:], 0.01)]
    )
    table, options = frame(values), {"inputs": ["m0"], "orientation": orientation}
    single = rank_with(table, model="sbm", technology="fdh", **options)
    x, Y = values[:, 0], values[:, 1:]
    for o, score in enumerate(single.scores):
        positive = Y[o] > 0  # a metric of 0 leaves the mean
        spare, gain = (x[o] - x) / x[o], ((Y - Y[o])[:, positive] / Y[o, positive]).mean(axis=1)
        measure = (1 - spare * (orientation != "output")) / (1 + gain * (orientation != "input"))
        assert score == pytest.approx(
            measure[(x <= x[o]) & (Y[o] <= Y).all(axis=1)].min(), abs=1e-12
        )
    assert (
        single.scores >= rank_with(table, model="sbm", returns="vrs", **options).scores - 1e-9
    ).all()
    assert (
        orientation == "none"
        or (single.scores <= rank_with(table, model="fdh", **options).scores + 1e-9).all()
    )
    db.certify(single)
    for field in ("scores", "slacks"):
        with pytest.raises(db.CertificateError):
            db.certify(replace(single, **{field: getattr(single, field) + 1e-6}))


@examples(10)
@given(
    tables(rows=(2, 7), metrics=(2, 4), near=False), st.sampled_from(["none", "input", "output"])
)
def test_the_distance_to_single_dmus_is_by_brute_force_and_in_its_own_direction_the_factor_of_fdh(
    values, orientation
) -> None:
    values = np.column_stack(
        [values[:, :1] + 0.01, np.where(values[:, 1:].any(axis=1)[:, None], values[:, 1:], 0.01)]
    )
    table, options = frame(values), {"inputs": ["m0"], "orientation": orientation, "model": "ddf"}
    single = rank_with(table, technology="fdh", direction="ones", **options)
    goods = np.column_stack([values[:, 1:], -values[:, :1]])
    moves = np.append(np.full(values.shape[1] - 1, orientation != "input"), orientation != "output")
    for o, score in enumerate(single.scores):
        better = goods - goods[o]
        assert score == pytest.approx(
            better[(better[:, ~moves] >= 0).all(axis=1)][:, moves].min(axis=1).max(), abs=1e-12
        )
        assert single.efficient.iloc[o] == (
            not ((better >= 0).all(axis=1) & (better > 0).any(axis=1)).any()
        )
    assert (single.scores <= rank_with(table, direction="ones", **options).scores + 1e-9).all()
    db.certify(single)
    for field in ("scores", "slacks"):
        with pytest.raises(db.CertificateError):
            db.certify(replace(single, **{field: getattr(single, field) + 1e-6}))
    with pytest.raises(db.CertificateError):
        db.certify(replace(single, efficient=~single.efficient))
    if orientation != "none":
        ranking = rank_with(table, technology="fdh", direction="own", **options)
        factor = db.rank(table, inputs=["m0"], model="fdh", orientation=orientation)
        np.testing.assert_allclose(
            1 / (1 + ranking.scores) if orientation == "output" else 1 - ranking.scores,
            factor.scores,
            atol=1e-12,
        )
        assert ranking.efficient.tolist() == factor.efficient.tolist()


def test_no_single_dmu_is_as_good_where_nothing_may_change() -> None:
    """Outside of the reference the distance leads back, or there is none: a metric that is kept is
    not reached by anyone.
    """
    reference = pd.DataFrame({"x": [2.0, 4.0], "y": [1.0, 3.0]}, index=["a", "b"])
    points = pd.DataFrame({"x": [1.0, 3.0], "y": [2.0, 4.0]}, index=["cheap", "good"])
    options = {
        "inputs": ["x"],
        "outputs": ["y"],
        "model": "ddf",
        "technology": "fdh",
        "direction": "ones",
    }
    back = rank_with(points, reference=reference, **options)
    assert back.scores.to_dict() == {"cheap": -1.0, "good": -1.0}
    result = rank_with(points, reference=reference, orientation="output", **options)
    assert result.scores["good"] == -3.0
    assert result.reasons == {
        "cheap": "no single reference DMU is as good in the metrics that are not to change"
    }
    for ranking in (back, result):
        db.certify(ranking)
    assert (
        "single DMUs are taken as they are: returns to scale do not count"
        in db.rank(reference, inputs=["x"], model=db.models.SBM(technology="fdh")).notes
    )


def test_outside_of_the_reference_nobody_compares(tmp_path, capsys) -> None:
    data = oracle("10_charnes1994_additive_7dmu", "data")
    points = pd.DataFrame({"x": [1.0, 5.0], "y": [9.0, 3.0]}, index=["out", "in"])
    ranking = db.rank(
        points,
        reference=data,
        inputs=["x"],
        outputs=["y"],
        model=db.models.Additive(technology="fdh"),
    )
    assert ranking.reasons == {"out": "no single reference DMU uses as little and gives as much"}
    assert ranking.scores["in"] == 4.0
    db.certify(ranking)
    source = tmp_path / "table.csv"
    data.to_csv(source)
    assert (
        main(
            [
                "rank",
                str(source),
                "--inputs",
                "x",
                "--outputs",
                "y",
                "--model",
                "ram",
                "--option",
                "technology=fdh",
            ]
        )
        == 0
    )
    assert "by comparison of all pairs" in capsys.readouterr().err


def test_what_has_no_technology(refused) -> None:
    table = frame(np.array([[0.5, 0.7], [0.6, 0.4]]))
    with pytest.raises(db.DataError, match="model 'super-sbm' has no option 'technology'"):
        build_options("super-sbm", {"technology": "fdh"})
    with refused(
        "model 'russell' has technology 'fdh' for one side only; give an orientation, or leave "
        "technology out"
    ):
        db.rank(table, model=db.models.Russell(orientation="none", technology="fdh"))


def test_the_graph_measure_is_the_published_one_and_the_root_of_the_radial_one() -> None:
    data, expected = (oracle("09_erg_sbm_graph_8dmu", kind) for kind in ("data", "expected"))
    ranking = db.rank(
        data, inputs=["x1"], outputs=["y1"], model="russell", orientation="none", returns="crs"
    )
    np.testing.assert_allclose(
        ranking.scores, expected["russell_graph_crs_6dp"], atol=1e-6
    )  # two cells were printed short
    np.testing.assert_allclose(ranking.scores, np.sqrt(expected["ccr_in"]), rtol=1e-8)
    db.certify(ranking)


@pytest.mark.parametrize("returns", mark_most_slow(["crs", "vrs", "nirs", "ndrs"], 2))
@examples(4)
@given(tables(rows=(2, 6), metrics=(2, 4), near=False), st.integers(0, 99))
def test_no_mixture_makes_the_graph_measure_smaller(returns, values, seed) -> None:
    values = np.where(values > 0, values, 0.01)
    ranking = db.rank(
        frame(values), inputs=["m0"], model="russell", orientation="none", returns=returns
    )
    X, Y, rng = values[:, :1], values[:, 1:], np.random.default_rng(seed)
    for o in range(len(values)):
        for lam in np.vstack([np.eye(len(values)), rng.dirichlet(np.full(len(values), 0.5), 50)]):
            for t in {
                "crs": (0.5, 1.0, 2.0),
                "vrs": (1.0,),
                "nirs": (0.5, 1.0),
                "ndrs": (1.0, 2.0),
            }[returns]:
                used, made = t * lam @ X, t * lam @ Y
                if (used <= X[o] + 1e-12).all() and (made >= Y[o] - 1e-12).all():
                    assert (
                        np.append(used / X[o], Y[o] / made).mean() >= ranking.scores.iloc[o] - 1e-9
                    )
    db.certify(ranking)  # the bound from below is a theorem: see deabench.models.russell_graph
    sbm = db.rank(frame(values), inputs=["m0"], model="sbm", returns=returns)
    assert ranking.efficient.tolist() == sbm.efficient.tolist()


def test_the_graph_measure_of_one_input_and_one_output_by_a_search_along_the_frontier() -> None:
    """Between (1, 1) and (4, 3), for the DMU at (4, 1): the least mean of x/4 and 1/y over the
    segment.
    """
    table = pd.DataFrame({"x": [1.0, 4.0, 4.0], "y": [1.0, 3.0, 1.0]}, index=list("abo"))
    minimum = minimize_scalar(
        lambda t: ((1 + 3 * t) / 4 + 1 / (1 + 2 * t)) / 2,
        bounds=(0, 1),
        method="bounded",
        options={"xatol": 1e-12},
    ).fun
    ranking = db.rank(table, inputs=["x"], outputs=["y"], model="russell", orientation="none")
    assert ranking.scores["o"] == pytest.approx(minimum, abs=1e-9)


def test_explanations_speak_of_single_rows() -> None:
    table = pd.DataFrame({"TPR": [0.9, 0.5, 0.4], "TNR": [0.4, 0.9, 0.3]}, list("abc"))
    for model in ("fdh", db.models.SBM(technology="fdh")):
        ranking = db.rank(table, outputs=["TPR", "TNR"], inputs=[], model=model)
        for name in "ac":
            assert "mix" not in ranking.explain(name)
    assert "no mix of the others is better" in db.rank(table, outputs=["TPR", "TNR"]).explain("a")


def test_a_distance_of_millions_of_steps_along_the_means_leaves_proved_slack() -> None:
    """The means are the same in every order of the reference, to the last digit."""
    columns = ["y", "x"]
    reference = pd.DataFrame([[15.849, 0.95], [251.189, 0.356], [3981.072, 0.241]], columns=columns)
    table = pd.DataFrame([[3981.072, 0.241], [1e12, 0.864]], ["near", "far"], columns)
    model = db.models.DDF(direction="mean", technology="fdh")
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
        ranking = db.rank(
            table, outputs=["y"], inputs=["x"], reference=reference.iloc[order], model=model
        )
        db.certify(ranking)
        assert ranking.scores["far"] == pytest.approx(-7e8, rel=0.01)


def test_slack_that_rounding_of_a_far_projection_makes_negative_is_none() -> None:
    """80 million steps back along the means the peer and the projection are level in an output."""
    columns = ["y", "z"]
    reference = pd.DataFrame([[0.5116, 1.0], [0.3654, 11.0]], ["p", "q"], columns)
    rng = np.random.default_rng(5)
    far = pd.DataFrame({"y": 0.4474, "z": 1e8 * rng.uniform(1, 9, 40)}).assign(x=1.0)
    model = db.models.DDF(direction="mean", technology="fdh", orientation="output")
    ranking = db.rank(
        far, outputs=columns, inputs=["x"], reference=reference.assign(x=1.0), model=model
    )
    # The metric that the distance depends on has none.
    assert (ranking.slacks["z"] <= 1e-15 * far["z"].to_numpy()).all()
    db.certify(ranking)


SMALL_BESIDE_LARGE = pd.DataFrame(
    [[6e-6, 1e-6], [9e-6, 1e-6], [1e-6, 1e-6], [9e6, 5e6]],
    ["less", "more", "least", "large"],
    ["y", "x"],
)
"""A DMU that another one dominates, beside one that is 1e12 times as large."""


def rank_small_beside_large(model: str) -> db.Ranking:
    """Rank `SMALL_BESIDE_LARGE`; directions lead down in the input alone."""
    options = {"ddf": {"direction": {"y": 0.0, "x": 2.0}}}.get(model, {})
    return rank_with(SMALL_BESIDE_LARGE, inputs=["x"], model=model, technology="fdh", **options)


def test_slack_of_a_small_dmu_is_a_share_of_its_own_values() -> None:
    ranking = rank_small_beside_large("ddf")
    assert ranking.efficient.tolist() == [False, True, False, True]
    db.certify(ranking)
    with pytest.raises(db.CertificateError, match="efficient"):
        db.certify(replace(ranking, efficient=ranking.efficient | True))


@pytest.mark.parametrize(
    ("model", "peer", "claim"),
    [
        ("ddf", "less", "slack that is not the largest"),
        ("ddf", "least", "worse than where the distance leads"),
        ("additive", "less", "gap"),
        ("additive", "least", "worse than the dmu itself"),
    ],
)
def test_the_peer_of_a_small_dmu_is_no_other_than_the_best_one(model, peer, claim) -> None:
    """What others lack is 1e-13 of the largest DMU's values."""
    ranking = rank_small_beside_large(model)
    columns = ranking.intensities.columns.copy()
    columns[0] = SMALL_BESIDE_LARGE.index.get_loc(peer)
    slacks = ranking.slacks.copy()
    slacks.loc["less"] = 0.0
    scores = ranking.scores.copy()
    scores["less"] = 0.0
    forged = replace(ranking, intensities=replace(ranking.intensities, columns=columns))
    forged = replace(forged, slacks=slacks, scores=scores)
    violations = forged.proof().violations[claim.replace(" ", "_")]
    assert violations[0] > 1e-9
    with pytest.raises(db.CertificateError, match="'less'"):
        db.certify(forged)
