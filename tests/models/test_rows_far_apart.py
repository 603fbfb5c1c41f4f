"""Tables whose rows differ in size by ten decades: every score is there, right, and proved."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.errors import CertificateError
from deabench.proofs.exact_repair import Technology, polished_weights
from deabench.proofs.supporting_weights import exact_candidates, tighten_weights
from deabench.results.proof import SlackWeights
from deabench.utils.arrays import Sparse

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
M = db.models
# The range directional model takes the best of each metric, at the DMU itself its power of two.
CASES: list[tuple[str, Any, list[list[float]], int, int, dict[str, float]]] = [
    (
        "three outputs keep 1e-10 of themselves",
        M.SuperSBM(orientation="output"),
        [[3e6, 4e6, 7e6], [5e-4, 6e-4, 1e-4]],
        0,
        0,
        {
            "A": float(
                3 / (Fraction("5e-4") / 3000000 + Fraction("1.5e-10") + Fraction("1e-4") / 7000000)
            )
        },
    ),
    (
        "a mixture of one DMU under variable returns",
        M.SuperSBM(orientation="output", returns="ndrs"),
        [[7e-5, 6e-5, 4e-5], [6e-5, 3e-5, 1e-5], [2e4, 2e4, 5e4]],
        0,
        0,
        {"C": float(3 / Fraction("7.3e-9"))},
    ),
    (
        "Σ λ within HiGHS's tolerance of its bound",
        M.SuperSBM(orientation="output", returns="nirs"),
        [
            [0.8, 0.2, 0.9, 0.3],
            [6e-5, 8e-5, 9e-5, 4e-5],
            [9e6, 8e6, 8e6, 4e6],
            [7e5, 7e5, 5e5, 6e5],
        ],
        1,
        0,
        {"C": 540 / 41},
    ),
    (
        "inputs that grow by 7e8 beside outputs that need not shrink",
        M.SuperSBM(returns="ndrs"),
        [[1e4, 6e4, 6e4, 5e4], [5e-4, 8e-4, 1e-4, 5e-4], [6e4, 5e4, 8e4, 1e4]],
        2,
        0,
        {"B": 3.5e8},
    ),
    (
        "the least multipliers make the only peer worth 0",
        M.SBM(returns="nirs"),
        [[2e-3, 2e-3, 6e-3, 8e-3], [4e6, 6e6, 5e6, 2e6]],
        1,
        0,
        {"A": 9 / 70},
    ),
    (
        "a peer of an intensity of 1e-9",
        M.CCR(returns="crs", orientation="input", sums=(0.5, 2.0)),
        [[2e-5, 8e-5], [9e-6, 3e-6], [7e5, 3e5], [8e-4, 8e-4]],
        1,
        0,
        {"A": 3 / 35, "D": 0.42642857143},
    ),
    (
        "ten billion of a peer leave slack",
        M.Additive(returns="crs", weights="normalized"),
        [[3e-5, 7e-5, 1e-5], [3e6, 9e6, 5e6], [0.07, 0.02, 0.03], [1e5, 7e5, 1e5]],
        1,
        0,
        {"D": 2e5 / float(np.std([3e-5, 3e6, 0.07, 1e5], ddof=1))},
    ),
    (
        "twenty million of two peers leave slack",
        M.SuperSBM(returns="ndrs"),
        [[1e4, 2e4, 2e4, 2e4], [4e-4, 6e-4, 9e-4, 3e-4], [0.2, 0.5, 0.2, 0.8]],
        2,
        0,
        {"A": 22 / 23},
    ),
    (
        "weakly efficient beside a peer that HiGHS leaves out",
        M.SuperSBM(orientation="output"),
        [[1e6, 2e6, 2e6, 8e6], [3e-6, 4e-6, 5e-6, 9e-6], [30, 40, 60, 20], [1e6, 5e6, 7e6, 5e6]],
        3,
        0,
        {"A": 5 / 6},
    ),
    (
        "5e-10 of the way to the best",
        M.RDM(orientation="output"),
        [[3e5, 6e5], [4e-6, 1e-6], [9e-4, 5e-4], [2e-5, 9e-5]],
        1,
        0,
        {"D": 1 - (4e-6 + 89 / 499 * 8.96e-4 - 2e-5) / 3e5},
    ),
    (
        "beyond the reference by 1e-8 of a step",
        M.RDM(orientation="input"),
        [[6e6, 9e6, 7e6, 3e6], [0.03, 0.04, 0.06, 0.04], [6e-5, 7e-5, 5e-5, 7e-5], [2, 4, 2, 7]],
        2,
        2,
        {"C": 1 + 0.03993 / 2**21},
    ),
    (
        "the one left out is worth more than its peers",
        M.Super(returns="vrs"),
        [
            [4e-5, 9e-5, 6e-5, 2e-5],
            [200, 800, 700, 600],
            [20, 80, 80, 80],
            [4e-5, 8e-5, 4e-5, 2e-5],
            [30, 50, 50, 70],
        ],
        1,
        0,
        {"A": 1.5},
    ),
]


@pytest.mark.parametrize(
    ("model", "rows", "inputs", "reference", "scores"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_scores_of_rows_that_are_far_apart_are_right_and_proved(
    model, rows, inputs, reference, scores
) -> None:
    """The scores are worked out by hand."""
    columns = [f"m{k}" for k in range(len(rows[0]))]
    table = pd.DataFrame(rows, list("ABCDE")[: len(rows)], columns, dtype=float)
    ranking = db.rank(
        table,
        outputs=columns[: len(columns) - inputs],
        inputs=columns[len(columns) - inputs :] or None,
        reference=table.iloc[:reference] if reference else None,
        model=model,
    )
    assert ranking.reasons == {}
    for label, score in scores.items():
        assert ranking.scores[label] == pytest.approx(score, rel=1e-10)
    db.certify(ranking)


def test_bounds_of_super_slacks_do_not_hide_a_score_that_is_too_large() -> None:
    """What weights miss is missed of the outputs that are kept, of which there are few."""
    table = pd.DataFrame({"a": [1e4, 1.0, 2.0], "b": [1e4, 2.0, 1.0]}, list("pqr"))
    honest = db.rank(table, outputs=["a", "b"], model=M.SuperSBM(orientation="output"))
    db.certify(honest)
    # The mean of both peers keeps 1.5e-4 of each output.
    assert honest.scores["p"] == pytest.approx(1e4 / 1.5, rel=1e-12)
    # A mixture that keeps 1e-8 less, and weights under which it would be the best.
    share = 1 + 1e-8
    scores = honest.scores.where(honest.scores.index != "p", honest.scores["p"] * share)
    weights = honest.weights.copy()
    weights.loc["p", ["a", "b"]] *= share
    forged = replace(honest, scores=scores, weights=weights)
    with pytest.raises(CertificateError, match="'p'"):
        db.certify(forged)
    dual = forged.proof().frame["dual"]["p"]
    assert dual <= honest.scores["p"] * (1 + 1e-13)


def test_inputs_weights_that_are_raised_over_their_limit_prove_less() -> None:
    """Free outputs, raised inputs: the worth of nothing is 0, but inputs may cost p alone."""
    table = pd.DataFrame({"a": [2.0, 2.0], "x": [1.0, 4.0]}, list("pq"))
    honest = db.rank(table, outputs=["a"], inputs=["x"], model=M.SuperSBM())
    assert honest.scores["p"] == pytest.approx(4.0)
    weights = honest.weights.copy()
    weights.loc["p"] = [10.0, 1.0]
    forged = replace(honest, scores=honest.scores * 5, weights=weights)
    assert forged.proof().frame["dual"]["p"] <= 4.0 * (1 + 1e-12)


def test_far_beyond_a_reference_slack_is_a_share_of_the_projection() -> None:
    """5e6 and 7e6 project to the 7e-4 of the only peer, of which half is slack."""
    reference = pd.DataFrame({"a": [8e-4], "b": [5e-4]}, ["A"])
    tested = pd.DataFrame({"a": [5e6], "b": [7e6]}, ["D"])
    model = M.FDH(returns="vrs", orientation="output")
    ranking = db.rank(tested, reference=reference, outputs=["a", "b"], model=model)
    assert not ranking.efficient["D"]
    claimed = replace(ranking, efficient=ranking.efficient | True)
    assert claimed.proof().violations["efficient"].tolist() == [1.0]


def test_slack_of_moving_inwards_along_a_steep_edge_is_none() -> None:
    """On the edge from (0.75, 0.25) to (0.75 + 7.4e-10, 0.75): no input is to spare beyond it."""
    reference = pd.DataFrame(
        {
            "y": [0.7499999997985565, 0.7500000005375677],
            "x": [0.2500000000187636, 0.7499999998995494],
        },
        list("st"),
    )
    tested = pd.DataFrame({"y": [0.750000000474337], "x": [0.4999999984734672]}, ["o"])
    ranking = db.rank(
        tested,
        reference=reference,
        outputs=["y"],
        inputs=["x"],
        model=M.DDF(returns="vrs", orientation="output", direction={"y": 3.0, "x": 0.0}),
    )
    assert ranking.scores["o"] < 0
    assert ranking.efficient["o"]
    assert ranking.slacks.loc["o"].tolist() == [0.0, 0.0]
    db.certify(ranking)


# repairs of weights


@pytest.mark.parametrize(
    ("total", "other", "weights"),
    [(2.0, [1.5, 2.0**-30 - 0.5], [1.0, 1.0]), (0.5, [1.0, 2.0**-30 - 2 / 3], [1.0, 3.0])],
)
def test_weights_are_tightened_at_any_bound_of_the_sum(total, other, weights) -> None:
    """At the greatest sum the peer is worth 1, at the least one -1, the other 2^-30 more."""
    points = np.array([[2.0, -1.0], other])
    technology = Technology(points, 1, (0.5, 2.0))
    lam = Sparse(np.array([[0]], dtype=np.int32), np.array([[total]]))
    moved = tighten_weights(technology, technology, np.array(weights), lam, 0, np.zeros(2))
    assert moved is not None
    worth = [sum(w * Fraction(z) for w, z in zip(moved, point, strict=True)) for point in points]
    assert worth[0] >= worth[1]
    # Between its bounds a peer would have to be worth nothing, which is too far away.
    lam = Sparse(np.array([[0]], dtype=np.int32), np.array([[1.0]]))
    assert tighten_weights(technology, technology, np.array(weights), lam, 0, np.zeros(2)) is None


def test_a_large_peer_of_a_small_intensity_is_met() -> None:
    points = np.array([[1.0, -1.0], [1e9, -2e9]])
    technology = Technology(points, 1, (1.0, 1.0))
    lam = Sparse(np.array([[0, 1]], dtype=np.int32), np.array([[1 - 1e-9, 1e-9]]))
    weights = np.array([2.0 + 1e-15, 1.0])
    polished = polished_weights(technology, weights, lam, 0, np.zeros(2))
    assert polished is not None
    first, second = (
        sum(w * Fraction(z) for w, z in zip(polished, point, strict=True)) for point in points
    )
    assert first == second


def test_weights_at_their_largest_are_exactly_that() -> None:
    limit = Fraction(1, 3)
    technology = Technology(np.array([[1.0, 1.0]]), 0, (1.0, 1.0))
    lam = Sparse(np.zeros((1, 1), dtype=np.int32), np.ones((1, 1)))
    pairs = exact_candidates(
        technology, np.array([1 / 3, 0.5]), lam, 0, np.zeros(2), [limit, None], None
    )
    candidates = [candidate for _, candidate in pairs]
    assert all(candidate[0] <= limit for candidate in candidates)
    assert candidates[1] == [limit, Fraction(1, 2)]


# common weights


def test_common_weights_of_dmus_far_beyond_the_reference_are_proved() -> None:
    """What the tested DMUs have too much of is rounding of numbers 1e7 times the reference."""
    rows = [[0.06, 0.01, 0.03], [0.09, 0.06, 0.04], [8e5, 8e5, 5e5], [2e-4, 3e-4, 7e-4]]
    rows.append([8e5, 2e5, 8e5])
    table = pd.DataFrame(rows, list("ABCDE"), ["a", "b", "c"])
    ranking = db.rank(table, reference=table.iloc[:2], model=M.Common(goal="largest"))
    # By the simplex method in fractions.
    assert ranking.tables["common"]["lost"].max() == pytest.approx(5e7 / 63, rel=1e-9)
    db.certify(ranking)


def test_common_weights_beyond_what_highs_takes_are_solved_in_fractions() -> None:
    rows = [[1e-9, 2e-9, 6e-9, 8e-9], [8e5, 1e5, 9e5, 1e5], [4e7, 9e7, 9e7, 4e7]]
    table = pd.DataFrame(rows, list("ABC"), ["a", "b", "c", "d"])
    ranking = db.rank(table, reference=table.iloc[:1], model=M.Common(goal="largest"))
    assert ranking.scores["A"] == pytest.approx(1.0, rel=1e-12)
    db.certify(ranking)


# slacks of multiples


@pytest.mark.parametrize("returns", ["crs", "ndrs"])
def test_multiples_of_a_dmu_1e12_times_smaller_leave_slack(returns) -> None:
    """1e12 times "small" needs half of an input of "large" and gives three times an output."""
    columns = ["y1", "y2", "x1", "x2"]
    rows = np.array([[1.0, 3.0, 2.0, 1.0], [1e12, 1e12, 2e12, 2e12]])
    table = pd.DataFrame(rows, ["small", "large"], columns)
    model = M.CCR(returns=returns)
    ranking = db.rank(table, outputs=columns[:2], inputs=columns[2:], model=model)
    assert ranking.scores.tolist() == [1.0, 1.0]
    assert ranking.efficient.tolist() == [True, False]
    assert ranking.slacks.loc["large"].tolist() == pytest.approx([0, 2e12, 0, 1e12])
    db.certify(ranking)
    # Weights of 1 give "small" 2.5e-12 of the largest values, and as many multiples as one likes.
    forged = replace(
        ranking,
        efficient=ranking.efficient | True,
        slacks=ranking.slacks * 0.0,
        intensities=Sparse(np.arange(2)[:, None], np.ones((2, 1))),
        slack_weights=SlackWeights(np.ones((1, 4)), np.array([-1, 0])),
    )
    with pytest.raises(CertificateError, match="slack that is left"):
        db.certify(forged)


@pytest.mark.parametrize("orientation", ["output", "none"])
def test_the_score_of_a_large_dmu_that_multiples_of_a_small_one_dominate_is_below_1(
    orientation,
) -> None:
    """As large as "large", "small" gives twice one of three outputs."""
    columns = ["y1", "y2", "y3", "x"]
    rows = np.array([[100, 200, 100, 100], [2e7, 2e7, 2e7, 2e7], [1e12, 1e12, 1e12, 1e12]])
    table = pd.DataFrame(rows, ["small", "middle", "large"], columns)
    model = M.SuperSBM(returns="ndrs", orientation=orientation)
    ranking = db.rank(table, outputs=columns[:3], inputs=["x"], model=model)
    assert ranking.scores[["middle", "large"]].tolist() == pytest.approx([0.75, 0.75], rel=1e-9)
    db.certify(ranking)
    # "middle" reaches "large" without a change, and no weights say more than that.
    is_large = table.index == "large"
    lam = ranking.intensities
    columns_of_lam = np.where(is_large[:, None], -1, lam.columns)
    columns_of_lam[2, 0] = 1
    values = np.where(is_large[:, None], 0.0, lam.values)
    values[2, 0] = 5e4
    forged = replace(
        ranking,
        scores=ranking.scores.mask(is_large, 1.0),
        efficient=ranking.efficient | is_large,
        slacks=ranking.slacks.mul(~is_large, axis=0),
        weights=ranking.weights.mul(~is_large, axis=0),
        intensities=Sparse(columns_of_lam, values),
    )
    with pytest.raises(CertificateError, match="'large'"):
        db.certify(forged)


@pytest.mark.parametrize("returns", ["crs", "ndrs"])
@pytest.mark.parametrize("model", [M.Additive, M.RAM, M.SBM])
def test_what_one_orientation_does_not_count_may_be_slack_of_small_multiples(
    model, returns
) -> None:
    """1.5e9 times "small" is as "large", with more of two outputs."""
    columns = ["y1", "y2", "y3", "x"]
    rows = np.array([[300.0, 200.0, 300.0, 200.0], [3e11, 3e11, 1e11, 3e11]])
    table = pd.DataFrame(rows, ["small", "large"], columns)
    ranking = db.rank(
        table,
        outputs=columns[:3],
        inputs=["x"],
        model=model(orientation="input", returns=returns),
    )
    assert ranking.efficient.tolist() == [True, False]
    assert ranking.scores["large"] == (model is M.SBM)
    db.certify(ranking)


@pytest.mark.parametrize("option", ["ratios", "shares", "sums"])
def test_restricted_weights_do_not_hide_slack_of_small_multiples(option) -> None:
    """3e9 times "small" needs as much as "large", and gives nine times one of the outputs."""
    columns = ["y1", "y2", "x"]
    table = pd.DataFrame([[3e11, 1e11, 3e11], [100, 300, 100]], ["large", "small"], columns)
    bounds = {
        "ratios": {("y1", "y2"): (0.5, np.inf)},
        "shares": {"y1": (0.25, 1.0)},
        "sums": (1.0, np.inf),
    }
    model = M.CCR(**{option: bounds[option]})
    ranking = db.rank(table, outputs=columns[:2], inputs=["x"], model=model)
    assert ranking.scores["large"] == pytest.approx(1.0, abs=1e-9)
    assert ranking.efficient.tolist() == [False, True]
    db.certify(ranking)
