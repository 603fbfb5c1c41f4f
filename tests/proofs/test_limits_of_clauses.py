"""Clauses of provers, each with what it refuses and, just beside that, what it lets pass."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from model_options import rank_with
from quick_cases import mark_most_slow

import deabench as db
import deabench.proofs.targets as targets_module
from deabench.errors import CertificateError
from deabench.models import holder
from deabench.models.shared import radial
from deabench.proofs.bounds import RESIDUAL, _bound_moves, bound_scores
from deabench.proofs.exact_repair import Technology, exact_gains, raise_input_weights
from deabench.proofs.radial import radial_frame
from deabench.proofs.ranking import SlackProof, dominated_by_mixtures
from deabench.proofs.reasons import proved_extreme_factors
from deabench.proofs.supporting_weights import (
    _move_to_hold,
    _near_constraints,
    _nearest_solution,
    free_term_errors,
)
from deabench.proofs.targets import _BoxedTargets
from deabench.proofs.weightings import LEAF, MAX_DEPTH, _Differences, _list_edges, prove_weightings
from deabench.utils import arrays
from deabench.utils.arrays import ROUND, Sparse, positive_products, scale

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
RNG = np.random.default_rng(5)
TABLE = pd.DataFrame(RNG.uniform(0.3, 1, (8, 4)).round(2), list("pqrstuvw"), list("abxz"))
SHARES = {"a": (0.3, 0.6)}
MODELS: list[dict[str, Any]] = [
    {"model": "wei", "inputs": None},
    {"model": "score", "inputs": None},
    {"model": "common", "inputs": None},
    *({"model": "ccr", "returns": returns} for returns in ("crs", "vrs", "nirs", "ndrs")),
    {"model": "ccr", "returns": "vrs", "shares": SHARES},
    {"model": "ccr", "orientation": "input", "ratios": {("x", "z"): (0.5, 1.5)}},
    {"model": "super"},
    {"model": "fdh"},
    {"model": "fdh", "orientation": "input"},
    {"model": "sbm"},
    {"model": "sbm", "technology": "fdh"},
    {"model": "super-sbm", "orientation": "output"},
    {"model": "russell", "orientation": "none"},
    {"model": "russell", "technology": "fdh"},
    {"model": "additive"},
    {"model": "additive", "technology": "fdh"},
    {"model": "bam"},
    {"model": "ddf", "direction": "own"},
    {"model": "ddf", "direction": "ones", "technology": "fdh"},
    {"model": "rdm"},
    {"model": "rdm", "technology": "fdh"},
    {"model": "holder", "norm": "linf"},
]


def rank_case(options: dict[str, Any]) -> db.Ranking:
    options = {"inputs": ["x", "z"], **options}
    columns = ["a", "b", *(options["inputs"] or [])]
    return rank_with(TABLE[columns], outputs=["a", "b"], **options)


@pytest.mark.parametrize(
    "options", mark_most_slow(MODELS, 13), ids=lambda options: " ".join(map(str, options.values()))
)
def test_bounds_are_told_as_scores_and_a_score_is_as_far_from_them_as_it_was_moved(options) -> None:
    honest = rank_case(options)
    frame = db.certify(honest)
    for column in ("primal", "dual"):
        if options["model"] == "common":
            expected = np.full(len(TABLE), honest.scores.mean())
        else:
            expected = honest.scores.to_numpy()
        assert frame[column].to_numpy() == pytest.approx(expected, abs=2e-9)
    assert frame["gap"].max() <= 1e-9
    # All scores are moved away from their bounds, by shares of themselves where these are above 1.
    change = 1e-6 * np.maximum(honest.scores, 1.0)
    for sign in (1, -1) if options["model"] in ("wei", "score", "common", "ccr", "super") else ():
        forged = replace(honest, scores=honest.scores + sign * change)
        violations = forged.options.prove(forged).violations
        distances = [
            misses for claim, misses in violations.items() if claim.startswith("distance_of_the_sc")
        ]
        # λ that does not reach so far proves nothing.
        off = np.nan_to_num(np.max(distances, axis=0), nan=1e-6)
        assert off == pytest.approx(np.full(len(TABLE), 1e-6), rel=5e-3)


@pytest.mark.parametrize(
    "options",
    [
        options
        for options in MODELS
        if options["model"] in ("wei", "score", "ccr", "super")
        and not options.keys() & {"shares", "ratios"}
    ],
    ids=lambda options: " ".join(map(str, options.values())),
)
def test_rows_are_proved_by_chunks_as_all_at_once(options, monkeypatch) -> None:
    honest = rank_case(options)
    # Weights of 1 leave slack open, which is told of each DMU by itself.
    weights = replace(honest.slack_weights, rows=np.ones((1, honest.slacks.shape[1])))
    weights = replace(weights, of=np.zeros(len(TABLE), dtype=np.int32))
    forged = replace(honest, slack_weights=weights)
    supported = TABLE.index[::2]
    monkeypatch.setattr(
        SlackProof, "is_supported", lambda self, k: self.result.scores.index[k] in supported
    )
    for result in (honest, forged):
        whole = result.proof()
        with monkeypatch.context() as patch:
            patch.setattr(arrays, "CHUNK", 3)
            parts = result.proof()
        pd.testing.assert_frame_equal(parts.frame, whole.frame, check_exact=True)
        for claim, misses in whole.violations.items():
            assert parts.violations[claim].tolist() == pytest.approx(
                misses.tolist(), rel=0, abs=0, nan_ok=True
            )
    # Beyond the first chunk, too, some are open.
    slack_left = whole.violations["slack_that_is_left"]
    assert (slack_left[3:] > 1e-9).any()


@pytest.mark.parametrize(
    "options", MODELS, ids=lambda options: " ".join(map(str, options.values()))
)
def test_a_score_that_is_off_by_less_than_the_tolerance_is_proved(options) -> None:
    """λ and weights are to reach nearly what they are said to, and not all of it."""
    honest = rank_case(options)
    for share in (6e-10, -6e-10):
        forged = replace(honest, scores=honest.scores * (1 + share))
        for claim, misses in forged.options.prove(forged).violations.items():
            assert ((misses >= 0) & (misses <= 1e-9)).all(), claim


@pytest.mark.parametrize(
    "options", MODELS, ids=lambda options: " ".join(map(str, options.values()))
)
def test_less_than_none_of_a_dmu_is_no_share_of_it(options) -> None:
    """Beyond a DMU's own peers lies what reaches more, away from the DMU: λ of it are below 0."""
    honest = rank_case(options)
    k = TABLE.index.get_loc("u")
    if honest.efficient.iloc[k] or options["model"] == "common":
        return
    lam = honest.intensities
    columns = np.column_stack([lam.columns, np.full(len(TABLE), -1)]).astype(np.int32)
    values = np.column_stack([lam.values, np.zeros(len(TABLE))])
    values[k] *= 1.125
    columns[k, -1] = k
    values[k, -1] = -0.125
    forged = replace(honest, intensities=Sparse(columns, values))
    missed = forged.options.prove(forged).violations["primal_infeasibility"]
    assert missed == pytest.approx(np.where(np.arange(len(TABLE)) == k, 0.125, 0.0), abs=1e-9)


@pytest.mark.parametrize("size", [3.0, 0.25])
def test_a_weight_below_0_counts_as_a_share_of_the_largest_one(size) -> None:
    """Beside shares of outputs, of an input: in its own sign it may be the largest."""
    honest = rank_case({"model": "ccr", "returns": "vrs", "shares": SHARES})
    forged = replace(honest, weights=honest.weights.assign(z=-size * honest.weights.max(axis=1)))
    missed = forged.options.prove(forged).violations["dual_infeasibility"]
    weights = forged.weights[TABLE.columns].to_numpy() * scale(TABLE.to_numpy())
    share = -weights[:, 3] / np.abs(weights).max(axis=1)
    assert missed == pytest.approx(share, rel=1e-12)


@pytest.mark.parametrize("side", [0, 1])
def test_simplices_are_halved_as_often_as_floats_hold_the_shares(side) -> None:
    table = TABLE.iloc[:3]
    result = db.weightings(table, outputs=["a", "b"], inputs=["x", "z"], model="ratio", draws=64)
    differences = _Differences(result.sides)
    assert [len(cells) for cells in differences.cells] == [1, 1]
    edge = 0
    if side == 1:
        edge = len(_list_edges(len(differences.cells[0][0])))
    for depth, is_tree in ((MAX_DEPTH, True), (MAX_DEPTH + 1, False)):
        # The first half, or the second, is halved again each time; the others are leaves.
        firsts = np.array([edge] * depth + [LEAF] * (depth + 1))
        seconds = np.array([edge, LEAF] * depth + [LEAF])
        for tree in (firsts, seconds):
            assert (differences._leaves(tree) is not None) == is_tree
    # An edge that neither simplex has.
    edges = sum(len(_list_edges(len(cells[0]))) for cells in differences.cells)
    for last, is_tree in ((edges - 1, True), (edges, False)):
        assert (differences._leaves(np.array([last, LEAF, LEAF])) is not None) == is_tree


@pytest.mark.parametrize("model", ["value", "ratio"])
def test_scores_over_weightings_are_proved_by_all_that_proves_a_score(model) -> None:
    inputs = {"value": [], "ratio": ["x", "z"]}[model]
    result = db.weightings(
        TABLE[["a", "b", *inputs]], outputs=["a", "b"], inputs=inputs, model="ratio", draws=64
    )
    ranking = result.score_ranking
    claims = {claim for claim in prove_weightings(result).violations if claim.startswith("score: ")}
    assert claims == {
        "score: gap",
        "score: primal_infeasibility",
        "score: dual_infeasibility",
        "score: distance_of_the_score_from_its_proof",
    }
    # A weight below 0 of a metric in which nothing is lost: only the weights' own claim tells.
    weights = ranking.weights - 1e-3 * ranking.weights.max().max()
    forged = replace(result, score_ranking=replace(ranking, weights=weights))
    misses = ranking.options.prove(forged.score_ranking).violations["dual_infeasibility"]
    assert prove_weightings(forged).violations["score: dual_infeasibility"].tolist() == (
        np.nan_to_num(misses).tolist()
    )
    assert misses.max() > 1e-9


@pytest.mark.parametrize(
    ("orientation", "weights"),
    [
        ("input", [1.0, np.inf, 0.0]),
        ("output", [np.inf, 0.0, 1.0]),
        ("output", [1.0, np.inf, 1.0]),
        ("output", [1.0, 1.0, np.inf]),
        ("output", [0.25, np.nan, 1.0]),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_weights_that_are_no_finite_numbers_prove_no_reason(orientation, weights) -> None:
    reference = pd.DataFrame({"a": [1.0, 4.0], "b": [4.0, 1.0], "x": [2.0, 1.0]}, list("pq"))
    tested = pd.DataFrame({"a": [6.0], "b": [1.0], "x": [0.25]}, ["o"])
    ranking = rank_with(
        tested, reference=reference, outputs=["a", "b"], inputs=["x"], model="ccr", returns="vrs",
        orientation=orientation,
    )  # fmt: skip
    certificates = pd.DataFrame([weights], ["o"], ["a", "b", "x"])
    forged = replace(ranking, infeasibility_certificates=certificates)
    assert not np.any(proved_extreme_factors(forged))


@pytest.mark.parametrize("share", [0.5, 1.5, 2.5, -0.5])
@pytest.mark.parametrize("metric", [0, 1, 2])
def test_a_row_may_exceed_its_mixture_by_the_rounding_of_both(metric, share) -> None:
    table = np.array([[0.5, 0.75, 0.5], [0.5, 0.75, 0.5], [0.5, 0.75, 0.5]])
    worse = [1.0, 1.0, -1.0]
    table[2, metric] *= 1 + worse[metric] * share * ROUND
    outputs = pd.DataFrame(table[:, :2], columns=["a", "b"])
    result = SimpleNamespace(
        reference=SimpleNamespace(outputs=outputs, inputs=pd.DataFrame({"x": table[:, 2]})),
        frontier=np.arange(2),
        intensities=Sparse(np.array([[0, 1]] * 3, dtype=np.int32), np.full((3, 2), 0.5)),
        own_reference=True,
        scores=np.zeros(3),
        returns="vrs",
    )
    assert dominated_by_mixtures(result, np.array([2])).tolist() == [share < 2]


@pytest.mark.parametrize(
    ("scores", "violations", "slack_misses", "rows"),
    [
        ([1.0, 1.0, 1.0], [0.0, 0.4e-9, 0.6e-9], [0.0, 0.0, 0.0], [2]),
        ([1.0, 1.0, 1.0], [0.5e-9, 0.0, 0.5e-9], [0.0, 0.5e-9, 0.5e-9], []),
        ([1.0, 1.0, 1.0], [0.0, 0.0, np.nan], [0.0, 0.0, 0.0], [2]),
        ([1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [0.6e-9, 0.4e-9, 0.0], [0]),
        ([1.0, 2 * radial.FAR, 0.5 / radial.FAR], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1, 2]),
        ([1.0, 0.5 * radial.FAR, 2 / radial.FAR], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], []),
        ([1.0, radial.FAR, 1 / radial.FAR], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], []),
        ([1.0, np.nan, 1.0], [0.0, np.nan, 0.0], [0.0, np.nan, 0.0], [1]),
    ],
)
def test_scores_that_miss_are_far_or_stand_apart_from_their_slacks_are_solved_exactly(
    monkeypatch, scores, violations, slack_misses, rows
) -> None:
    monkeypatch.setattr(radial, "_certificate_violations", lambda *_: np.array(violations))
    monkeypatch.setattr(radial, "slack_errors", lambda *_: np.array(slack_misses))
    answer = SimpleNamespace(scores=pd.Series(scores))
    assert radial._unproved_rows(answer, np.zeros((3, 1))).tolist() == rows


@pytest.mark.parametrize("returns", ["nirs", "ndrs"])
@pytest.mark.parametrize("total", [0.5, 1.0, 1 + 0.5e-9, 1 + 2e-9, 1.5])
def test_peers_beyond_the_reference_are_supported_as_their_sum_allows(returns, total) -> None:
    """With Σ λ at its bound of 1 they may be worth something, between its bounds nothing."""
    reference = pd.DataFrame({"a": [4.0, 1.0], "x": [2.0, 1.0]}, list("pq"))
    if returns == "ndrs":
        reference = pd.DataFrame({"a": [4.0, 1.0], "x": [3.0, 1.0]}, list("pq"))
    tested = pd.DataFrame({"a": [9.0], "x": [2.0]}, ["o"])
    ranking = rank_with(
        tested, reference=reference, outputs=["a"], inputs=["x"], model="ccr", returns=returns
    )
    assert ranking.scores["o"] > 1
    # Under weights a - 2x + c the peer is worth the most; 0 it is under none of these.
    slope = {"nirs": 1.0, "ndrs": 1.4}[returns]
    proof = SlackProof(
        replace(
            ranking,
            intensities=Sparse(np.array([[0, -1]], dtype=np.int32), np.array([[total, 0.0]])),
            slacks=ranking.slacks * 0,
        ),
        replace(
            ranking.slack_weights,
            rows=np.array([[1.0, slope]]) * [4.0, reference["x"].max()],
            of=np.zeros(1, dtype=np.int32),
        ),
    )
    assert proof._has_support(0) == (abs(total - 1) <= 1e-9)


def test_a_term_is_best_within_its_own_rounding_and_that_of_the_best() -> None:
    """The second point is worth less than the first by more than what its terms leave open."""
    points = np.array([[1.0, 1.0, -1.0], [4.0, 1.5, -4.5 - 8 * ROUND]])
    technology = Technology(points, 1, (1.0, 1.0))
    lam = Sparse(np.array([[0]], dtype=np.int32), np.ones((1, 1)))
    errors = free_term_errors(
        technology, points[:1], lam, np.ones((1, 3)), np.ones(1), np.array([1e-6])
    )
    own = ROUND * (1.0 + 3.0 + 3.0)
    assert errors[0] == pytest.approx(1e-6 - own - 2 * ROUND * 10, abs=2 * ROUND)


@pytest.mark.parametrize(("distance", "is_moved"), [(0.5e-7, True), (2e-7, False)])
@pytest.mark.parametrize("sums", [(0.0, 1.0), (1.0, np.inf)])
def test_a_sum_that_all_but_reaches_its_bound_is_moved_to_it(sums, distance, is_moved) -> None:
    """More of both peers would break the bound, and more of the better one does not."""
    sign = 1.0 if sums[1] == 1 else -1.0
    lam = Sparse(np.array([[0, 1]], dtype=np.int32), np.array([[0.5, 0.5 - sign * distance]]))
    technology = Technology(sign * np.array([[1.0], [3.0]]), int(sign < 0), sums)
    held = np.ones(1, dtype=bool)
    gains = list(exact_gains(technology, sign * np.array([2.0]), lam, 0, held, np.zeros(1)))
    assert gains == ([[0]] if is_moved else [])


@pytest.mark.parametrize(
    ("short", "is_near"),
    [(0.5e-7, True), (2e-7, False), (-0.5e-7, True), (-2e-7, False)],
)
def test_no_weight_moves_far_beside_others_that_stay(short, is_near) -> None:
    """The first of three weights alone misses its constraint."""
    weights = [Fraction(1), Fraction(1), Fraction(5)]
    # The constraint is met where the first is smaller by `short`; it has no other terms.
    row = [Fraction(1), Fraction(0), Fraction(-1, 5) * (1 - Fraction(short))]
    moved = _nearest_solution([row], weights, np.array([True, True, False]))
    assert (moved is not None) == is_near


@pytest.mark.parametrize("size", [1e6, 1.0, 1e-6])
@pytest.mark.parametrize(
    ("share", "count"), [(-2e-6, None), (-0.5e-6, 1), (0.0, 1), (0.5e-6, 1), (2e-6, 0)]
)
def test_constraints_are_near_by_shares_of_their_terms(size, share, count) -> None:
    """Of what the tested point is worth more than another one: what that has more and less."""
    tested = np.ones(2) * size
    points = size * np.array([[2.0, -2.0 * share]])
    rows = _near_constraints(points, tested, np.ones(2), "vrs")
    assert count == (None if rows is None else len(rows))


def test_the_constraint_that_is_broken_by_the_largest_share_is_met_first() -> None:
    """The other one, broken by more in larger units, is met then, too; one weight is free."""
    weights = [Fraction(1), Fraction(1)]
    most = Fraction(4, 10**8)
    rows = [
        [Fraction(1000), -1000 * (1 + most / 4)],
        [Fraction(1, 1000), -(1 + most) / 1000],
    ]
    for order in (rows, rows[::-1]):
        moved = _move_to_hold(order, weights, np.array([True, False]))
        assert moved == [1 + most, 1]


def test_multiples_that_agree_with_a_normal_in_one_metric_alone_bound_nothing() -> None:
    table = pd.DataFrame(np.eye(3) * 0.8 + 0.2, list("pqr"), list("abc"))
    outside = pd.DataFrame([[0.9, 0.8, 0.9]], ["o"], list("abc"))
    targets = db.targets(outside, table, on="facets")
    boxed = _BoxedTargets(targets)
    normals = boxed._efficient_normals()
    boxed.slope_owner = np.zeros(1, dtype=int)
    for turn in ([0.0, 0.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, -1.0], [-1.0, 0.0, 1.0]):
        for size, is_multiple in ((1e-11, True), (1e-7, False)):
            for factor in (1e-4, 0.5, 1e4):
                boxed.slopes = -factor * (normals[:1] + size * np.array([turn]))
                bound = boxed._bound_from_outside(0, boxed.actual[0], normals)
                assert (bound > 0) == (is_multiple or not any(turn))


def test_the_mean_dmu_has_peers() -> None:
    ranking = rank_case({"model": "common", "inputs": None})
    db.certify(ranking)
    tables = {**ranking.tables, "mean": ranking.tables["mean"].iloc[:, :0]}
    with pytest.raises(CertificateError, match="the table 'mean' names a DMU"):
        db.certify(replace(ranking, tables=tables))


@pytest.mark.parametrize("share", [4e-9, 4e-10])
@pytest.mark.parametrize(
    "options",
    [
        {"model": "sbm", "returns": "vrs"},
        {"model": "russell", "orientation": "none"},
    ],
)
def test_who_falls_short_of_1_by_more_than_the_tolerance_is_not_efficient(options, share) -> None:
    """Even where each of its slacks is small enough: the score itself tells."""
    best = pd.DataFrame([[0.5, 0.5, 0.5]], ["best"], list("abx"))
    nearly = pd.DataFrame([[0.5 * (1 - share), 0.5 * (1 - share), 0.5]], ["o"], list("abx"))
    table = pd.concat([best, nearly])
    ranking = rank_with(table, outputs=["a", "b"], inputs=["x"], **options)
    forged = replace(ranking, efficient=ranking.efficient | True)
    wrong = forged.options.prove(forged).violations["efficient"]
    assert wrong.tolist() == [0.0, float(share > 1e-9)]


@pytest.mark.parametrize("less", [0.5e-9, 1.5e-9])
@pytest.mark.parametrize(
    "options",
    [
        {"model": "wei", "inputs": None},
        {"model": "ccr", "returns": "vrs"},
        {"model": "ccr", "returns": "vrs", "shares": SHARES},
        {"model": "sbm", "returns": "vrs"},
        {"model": "sbm", "returns": "crs", "orientation": "input"},
        {"model": "russell", "orientation": "none"},
    ],
    ids=lambda options: " ".join(map(str, options.values())),
)
def test_a_score_is_1_within_the_tolerance(options, less) -> None:
    honest = rank_case(options)
    is_efficient = honest.efficient.to_numpy()
    assert is_efficient.any()
    forged = replace(honest, scores=honest.scores - less * is_efficient)
    wrong = forged.options.prove(forged).violations["efficient"]
    assert wrong.tolist() == (is_efficient & (less > 1e-9)).astype(float).tolist()


@pytest.mark.parametrize("share", [1e-3, 1e-8, 1e-10, 0.0])
def test_a_projection_with_slack_is_not_efficient_however_far_beyond_it_lies(share) -> None:
    """The weights that are worth less at the projection than at "p" leave slack there."""
    reference = pd.DataFrame({"a": [4.0, 1.0], "b": [1.0, 4.0]}, list("pq"))
    tested = pd.DataFrame({"a": [8.0], "b": [2.0 * (1 - share)]}, ["o"])
    ranking = db.rank(tested, outputs=["a", "b"], reference=reference)
    assert ranking.scores["o"] == pytest.approx(2.0)
    weights = replace(ranking.slack_weights, rows=np.ones((1, 2)), of=np.zeros(1, dtype=np.int32))
    proof = SlackProof(ranking, weights)
    assert proof.has_no_own_slack(np.array([0])).tolist() == [share < 1e-9]


@pytest.mark.parametrize("share", [1e-3, 1e-8, 1e-10, 0.0])
def test_inputs_that_are_stretched_to_the_reference_have_slack_there(share) -> None:
    """Twice the inputs of "o" are those of "p", and a little more of z."""
    reference = pd.DataFrame({"a": [1.0, 1.0], "x": [1.0, 4.0], "z": [4.0, 1.0]}, list("pq"))
    tested = pd.DataFrame({"a": [1.0], "x": [0.5], "z": [2.0 * (1 + share)]}, ["o"])
    ranking = rank_with(
        tested, reference=reference, outputs=["a"], inputs=["x", "z"], model="ccr",
        returns="vrs", orientation="input",
    )  # fmt: skip
    assert ranking.scores["o"] == pytest.approx(2.0)
    weights = replace(ranking.slack_weights, rows=np.ones((1, 3)), of=np.zeros(1, dtype=np.int32))
    proof = SlackProof(ranking, weights)
    assert proof.has_no_own_slack(np.array([0])).tolist() == [share < 1e-9]


@pytest.mark.parametrize("held", [True, False])
@pytest.mark.parametrize("free", [0.5, 2.0])
@pytest.mark.parametrize("price", [1.0, 1e3])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_last_digits_that_are_missed_are_worth_what_the_weights_say(
    price, free, held, sign
) -> None:
    """A peer has nowhere to go from 1, and misses 1e-15 more of what is held.

    Whether scores rise with what is missed, or fall.
    """
    miss = 8 * 2.0**-53
    points = np.array([[1.0, 1.0]])
    tested = np.array([[free, 1.0 + miss]])
    unit = 1e-3 if price == 1.0 else 1e-5
    bounds = bound_scores(
        Technology(points, 0, (1.0, 1.0)),
        tested,
        Sparse(np.zeros((1, 1), dtype=np.int32), np.ones((1, 1))),
        np.array([[1.0, price]]),
        np.array([[False, held]]),
        lambda gains, _: np.asarray(gains[:, 0]),
        lambda excess, _weights, _rows: np.asarray(sign * excess),
        np.array([unit]),
        np.ones(1, dtype=bool),
    )
    # It is worth 9e-16 times the price, of which 1e-10 units may be missed.
    is_known = not held or miss * price <= 1e-10 * unit
    assert np.isfinite(bounds.primal).tolist() == [is_known]


def test_raised_weights_give_nothing_a_worth_above_0_in_fractions() -> None:
    rng = np.random.default_rng(3)
    points = rng.uniform(0.1, 1.0, (6, 4)) * [1, 1, -1, -1]
    technology = Technology(points, 2, (0.0, np.inf))
    weights = rng.uniform(0.5, 1.0, (40, 4))
    _, rows, columns = positive_products(weights, np.ascontiguousarray(points.T), None)
    raised = raise_input_weights(technology, weights, rows, columns)
    is_raised = np.isin(np.arange(len(weights)), rows)
    assert is_raised.all()
    for row, before in zip(raised, weights, strict=True):
        worth = [
            sum(Fraction(w) * Fraction(z) for w, z in zip(row.tolist(), point, strict=True))
            for point in points.tolist()
        ]
        assert max(worth) <= 0
        assert float(max(worth)) >= -1e-12
        assert row[:2].tolist() == before[:2].tolist()


@pytest.mark.parametrize("factor", [1.0, 1e6])
def test_the_score_of_one_peer_is_off_by_shares_of_itself(factor) -> None:
    reference = TABLE.assign(a=TABLE["a"] / factor, b=TABLE["b"] / factor)
    honest = rank_with(
        TABLE, reference=reference, outputs=["a", "b"], inputs=["x", "z"], model="fdh"
    )
    scores = honest.scores
    for share in (1e-6, 1e-3):
        forged = replace(honest, scores=scores * (1 + share))
        gap = forged.options.prove(forged).violations["gap"]
        expected = share * scores / np.maximum(scores, 1.0)
        assert gap == pytest.approx(expected.to_numpy(), rel=1e-6)


@pytest.mark.parametrize("part", ["loss_mixes", "loss_weights"])
@pytest.mark.parametrize("k", range(3))
def test_a_mix_with_a_share_below_0_is_off_in_its_own_row(part, k) -> None:
    result = db.weightings(TABLE[["a", "b"]], outputs=["a", "b"], model="value", draws=64)
    shares = getattr(result, part).copy()
    lowest = int(shares[k].argmin())
    highest = int(shares[k].argmax())
    shares[k, lowest] -= 1e-3
    shares[k, highest] += 1e-3
    off = prove_weightings(replace(result, **{part: shares})).violations["loss_min"]
    assert off[k] >= 1e-3 - shares[k, lowest] - 1e-3 - 1e-12
    assert np.delete(off, k).max() <= 1e-9


def test_all_of_a_frontier_is_proved_beside_its_targets() -> None:
    table = TABLE[["a", "b"]]
    targets = db.targets(table, table)
    hull = targets.frontier.hull
    incidence = hull.incidence.copy()
    incidence[0] = ~incidence[0]
    forged = replace(targets.frontier, precomputed_hull=replace(hull, incidence=incidence))
    violations = replace(targets, frontier=forged).proof().violations
    assert (violations["frontier"] >= incidence.shape[1]).all()


def test_the_free_term_of_a_distance_is_off_in_the_worth_of_a_step() -> None:
    honest = rank_case({"model": "ddf", "direction": "own", "returns": "vrs"})
    worth = (honest.weights[TABLE.columns] * TABLE).sum(axis=1)
    assert worth.to_numpy() == pytest.approx(np.ones(len(TABLE)), rel=1e-9)
    for size in (1e-6, 1e-3):
        for factor in (1.0, 1e3):
            weights = honest.weights * factor
            weights["u_0"] += size * factor
            off = honest.options.prove(replace(honest, weights=weights)).frame["dual_infeasibility"]
            assert off.to_numpy() == pytest.approx(np.full(len(TABLE), size), rel=1e-5)


@pytest.mark.parametrize(("share", "is_repaired"), [(0.45, True), (0.55, False), (0.7, False)])
def test_intensities_move_by_less_than_half_of_themselves(share, is_repaired) -> None:
    """One peer is to gain a share of what it would if it were doubled."""
    short = share / (1 + 2 * RESIDUAL)
    widened, repaired = _bound_moves(
        np.array([[-short]]),
        np.zeros((1, 1)),
        np.ones((1, 1, 1)),
        np.ones((1, 1), dtype=bool),
        np.zeros((1, 1)),
        np.zeros(1),
    )
    assert repaired.tolist() == [is_repaired]
    if is_repaired:
        assert widened.tolist() == [[-short]]


@pytest.mark.parametrize(
    ("sums", "sign", "share", "aim", "expected"),
    [
        ((0.0, 1.0), 1.0, 0.75, 2.0, [[0]]),
        ((0.0, 1.0), 1.0, 0.75, 2.0 + 2.0**-20, []),
        ((1.0, np.inf), -1.0, 1.5, 2.0, [[0]]),
        ((1.0, np.inf), -1.0, 1.5, 2.0 - 2.0**-20, []),
    ],
)
def test_intensities_move_up_to_the_bounds_of_their_sum(sums, sign, share, aim, expected) -> None:
    technology = Technology(np.array([[2.0 * sign]]), int(sign < 0), sums)
    lam = Sparse(np.zeros((1, 1), dtype=np.int32), np.array([[share]]))
    held = np.ones(1, dtype=bool)
    gains = exact_gains(technology, np.array([aim * sign]), lam, 0, held, np.zeros(1))
    assert list(gains) == expected


@pytest.mark.parametrize(
    "options", [{"model": "wei", "inputs": None}, {"model": "ccr", "returns": "vrs"}], ids=str
)
def test_nothing_is_computed_of_a_dmu_without_a_score(options) -> None:
    honest = rank_case(options)
    scores = honest.scores.where(honest.scores.index != "q")
    forged = replace(honest, scores=scores)
    for frame in (radial_frame(forged), forged.options.prove(forged).frame):
        assert frame.isna().all(axis=1).tolist() == scores.isna().tolist()
        assert frame.notna().all(axis=1).tolist() == scores.notna().tolist()


@pytest.mark.parametrize("size", [1e-3, -1e-3])
@pytest.mark.parametrize(
    "options",
    [
        {"model": "wei", "inputs": None},
        *(
            {"model": model, "returns": "crs", "orientation": orientation}
            for model in ("ccr", "super")
            for orientation in ("output", "input")
        ),
    ],
    ids=lambda options: " ".join(map(str, options.values())),
)
def test_outputs_alone_and_multiples_have_no_free_term(options, size) -> None:
    honest = rank_case(options)
    forged = replace(honest, weights=honest.weights.assign(u_0=size))
    off = forged.options.prove(forged).frame["dual_infeasibility"]
    # A share of what the DMU and its weights are worth, or what that is of the score.
    assert off.between(0.2 * abs(size), 2 * abs(size)).all()


def test_weights_that_are_not_filled_are_counted_once_a_side() -> None:
    table = TABLE.iloc[:3]
    result = db.weightings(table, outputs=["a", "b"], inputs=["x", "z"], model="ratio", draws=64)
    for count in (0, 1, 2):
        sides = [
            replace(side, polytope=SimpleNamespace(rays=side.polytope.rays, simplices=()))
            if k < count
            else side
            for k, side in enumerate(result.sides)
        ]
        off = prove_weightings(replace(result, sides=tuple(sides))).violations["weight_set"]
        assert off.tolist() == [count] * 3


@pytest.mark.parametrize("size", [1e4, 1.0, 1e-4])
@pytest.mark.parametrize(("share", "is_supported"), [(0.5e-9, True), (2e-9, False)])
def test_peers_beyond_the_reference_may_leave_slack_of_a_share_of_what_they_reach(
    size, share, is_supported
) -> None:
    reference = pd.DataFrame({"a": [4.0, 1.0], "b": [1.0, 4.0]}, list("pq")) * size
    tested = pd.DataFrame({"a": [8.0], "b": [2.0]}, ["o"]) * size
    ranking = db.rank(tested, outputs=["a", "b"], reference=reference)
    weights = replace(ranking.slack_weights, rows=np.ones((1, 2)), of=np.zeros(1, dtype=np.int32))
    for metric, reached in (("a", 4.0), ("b", 1.0)):
        slacks = ranking.slacks * 0
        slacks[metric] = share * reached * size
        proof = SlackProof(replace(ranking, slacks=slacks), weights)
        assert proof._has_support(0) == is_supported


def test_a_frontier_without_a_list_of_facets_is_proved_by_dominators_alone(monkeypatch) -> None:
    front = replace(db.frontier(TABLE[["a", "b"]]), precomputed_hull=None)
    monkeypatch.setattr(targets_module, "certify_frontier", None)
    assert targets_module._greatest_violation(front) == 0
    forged = replace(front, dominator=np.roll(front.dominator, 1))
    assert targets_module._greatest_violation(forged) > 0


@pytest.mark.parametrize("options", [{"shares": SHARES}, {}], ids=["restricted", "plain"])
@pytest.mark.parametrize("orientation", ["output", "input"])
def test_scores_far_above_1_are_off_by_shares_of_themselves(options, orientation) -> None:
    """Beside a reference that is a thousand times worse, also in the margin that λ may use."""
    worse = {"output": [1e-3, 1e-3, 1.0, 1.0], "input": [1.0, 1.0, 1e3, 1e3]}[orientation]
    honest = rank_with(
        TABLE, reference=TABLE * worse, outputs=["a", "b"], inputs=["x", "z"], model="ccr",
        returns="vrs", orientation=orientation, **options,
    )  # fmt: skip
    scores = honest.scores[honest.scores > 100]
    assert len(scores)
    db.certify(honest)
    for share in (2e-10, -2e-10, 1e-6, -1e-6):
        forged = replace(honest, scores=honest.scores * (1 + share))
        violations = forged.options.prove(forged).violations
        distances = [
            misses for claim, misses in violations.items() if claim.startswith("distance_of_the_sc")
        ]
        off = np.max(distances, axis=0)[(honest.scores > 100).to_numpy()]
        if abs(share) < 1e-9:
            assert (off < 1e-9).all()
        else:
            # λ that does not reach so far proves nothing.
            assert (np.isnan(off) | np.isclose(off, 1e-6, rtol=1e-2)).all()


@pytest.mark.parametrize(("level", "is_beyond"), [(3.0, True), (1.0, False)])
def test_weights_of_any_metrics_show_that_a_dmu_is_beyond_the_reference(level, is_beyond) -> None:
    """Also of those that may change, and without the weights that stand beside scores."""
    reference = pd.DataFrame({"a": [1.0, 4.0], "b": [4.0, 1.0]}, list("pq"))
    tested = pd.DataFrame({"a": [level], "b": [level]}, ["o"])
    ranking = rank_with(tested, reference=reference, model="holder", norm="linf")
    forged = replace(
        ranking,
        scores=ranking.scores * np.nan,
        weights=ranking.weights * np.nan,
        infeasibility_certificates=pd.DataFrame([[1.0, 1.0]], ["o"], ["a", "b"]),
        reasons={"o": holder.OUTSIDE},
    )
    assert forged.options.prove(forged).violations["reason"].tolist() == [float(not is_beyond)]
