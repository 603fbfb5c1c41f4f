"""What the proof of each model claims, by name: a claim that is not made refuses nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from model_options import rank_with

import deabench as db
from deabench.errors import CertificateError
from deabench.proofs.ranking import NO_PROOF, unproved_claims

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
RNG = np.random.default_rng(5)
TABLE = pd.DataFrame(RNG.uniform(0.3, 1, (8, 4)).round(2), list("pqrstuvw"), list("abxz"))
SLACKS = "distance_of_the_slacks_from_their_proof"
BOTH_SIDES = {"gap", "primal_infeasibility", "dual_infeasibility", "efficient", SLACKS}
RADIAL = BOTH_SIDES | {
    "distance_of_the_score_from_its_proof",
    "reason",
    "reference_DMUs_that_no_listed_one_dominates",
    "slack_that_is_left",
}
RESTRICTED = BOTH_SIDES | {"distance_of_the_score_from_its_bounds"}
BOUNDED = RESTRICTED | {"reason"}
SINGLE = {"gap", "peers_that_are_not_one", "efficient", SLACKS, "reason"}
COMMON = BOTH_SIDES | {
    "distance_of_the_score_from_its_proof",
    "distance_of_the_table_from_the_scores",
    "weights_that_are_not_common",
}
MEASURED = SINGLE | {"distance_of_the_score_from_its_proof", "worse_than_the_dmu_itself"}
STEPS = SINGLE | {"slack_that_is_not_the_largest", "worse_than_where_the_distance_leads"}
CLAIMS: list[tuple[dict[str, Any], set[str]]] = [
    ({"model": "wei", "inputs": None}, RADIAL),
    ({"model": "ccr", "returns": "vrs"}, RADIAL),
    ({"model": "super"}, RADIAL | {"share_of_itself_among_its_peers"}),
    ({"model": "ccr", "returns": "vrs", "shares": {"a": (0.3, 0.6)}}, RESTRICTED),
    ({"model": "common", "inputs": None}, COMMON),
    ({"model": "fdh"}, SINGLE | {"slack_that_is_not_the_largest"}),
    ({"model": "sbm"}, BOUNDED),
    ({"model": "russell", "orientation": "none"}, BOUNDED),
    ({"model": "additive"}, BOUNDED),
    ({"model": "ddf", "direction": "own"}, BOUNDED),
    ({"model": "rdm"}, BOUNDED),
    (
        {"model": "holder", "norm": "linf"},
        BOUNDED | {"length_of_the_way_beside_1", "score_from_outside"},
    ),
    (
        {"model": "super-sbm", "orientation": "output"},
        BOUNDED
        | {
            "multipliers_that_are_too_large",
            "share_of_itself_among_its_peers",
            "slacks_of_a_dmu_that_has_none",
        },
    ),
    ({"model": "sbm", "technology": "fdh"}, MEASURED),
    ({"model": "russell", "technology": "fdh"}, MEASURED),
    ({"model": "additive", "technology": "fdh"}, MEASURED),
    ({"model": "ddf", "direction": "ones", "technology": "fdh"}, STEPS),
    ({"model": "rdm", "technology": "fdh"}, STEPS),
]


@pytest.mark.parametrize(("options", "claims"), CLAIMS)
def test_a_proof_makes_all_claims_of_its_model(options, claims) -> None:
    options = {"inputs": ["x", "z"], **options}
    columns = ["a", "b", *(options["inputs"] or [])]
    ranking = rank_with(TABLE[columns], outputs=["a", "b"], **options)
    assert set(ranking.options.prove(ranking).violations) == claims
    # With what holds of every model.
    general = {
        "reason",
        "reference_DMUs_that_no_listed_one_dominates",
        "row_of_the_reference_that_it_is",
    }
    assert set(ranking.proof().violations) == claims | general


def test_a_proof_of_a_frontier_and_of_targets_has_all_its_columns() -> None:
    table = TABLE[["a", "b"]]
    front = db.frontier(table)
    assert list(db.certify(front)) == [
        "box",
        "dominated",
        "malformed",
        "below",
        "above",
        "open_ridges",
        "on",
        "points",
        "extreme",
        "faces",
    ]
    targets = db.targets(table, table)
    columns = [
        "lambda_error",
        "beyond",
        "off",
        "gap_error",
        "distance_error",
        "face_error",
        "closest",
        "position",
        "frontier",
    ]
    assert set(db.certify(targets)) == {*columns, "least_weight"}
    claims = {*columns, "weight_that_is_not_positive", "reason_without_cause"}
    assert set(targets.proof().violations) == claims


SINGLE_PEERS = [
    {"model": "fdh"},
    {"model": "fdh", "orientation": "input"},
    {"model": "rdm", "technology": "fdh"},
    *(
        {"model": model, "technology": "fdh", "returns": "vrs"}
        for model in ("sbm", "additive", "russell")
    ),
]


@pytest.mark.parametrize(
    "options", SINGLE_PEERS, ids=lambda options: " ".join(map(str, options.values()))
)
def test_who_has_no_peer_has_no_score(options) -> None:
    reference = pd.DataFrame(
        {"a": [4.0, 1.0], "b": [1.0, 4.0], "x": [2.0, 2.0], "z": [1.0, 3.0]}, list("pq")
    )
    tested = pd.DataFrame(
        {"a": [1.0, 9.0], "b": [1.0, 9.0], "x": [3.0, 1.0], "z": [3.0, 1.0]}, ["inside", "beyond"]
    )
    honest = rank_with(
        tested, reference=reference, outputs=["a", "b"], inputs=["x", "z"], **options
    )
    assert list(honest.reasons) == ["beyond"]
    db.certify(honest)
    forged = replace(honest, scores=honest.scores.fillna(1.0), reasons={})
    assert (forged.options.prove(forged).violations["gap"] > 1).tolist() == [False, True]


def test_of_slacks_without_weights_nothing_is_told() -> None:
    """Only radial models have weights for slacks alone."""
    for model in ("sbm", "additive", "fdh"):
        ranking = rank_with(TABLE, outputs=["a", "b"], inputs=["x", "z"], model=model)
        assert ranking.slack_weights is None
        assert unproved_claims(ranking) == ()
    radial = rank_with(TABLE, outputs=["a", "b"], inputs=["x", "z"], model="ccr")
    assert radial.slack_weights is not None
    unproved = np.full_like(radial.slack_weights.of, NO_PROOF)
    weights = replace(radial.slack_weights, of=unproved)
    sentences = unproved_claims(replace(radial, slack_weights=weights))
    assert sentences[0].startswith("the slacks of 8 DMUs are those of one optimum")


@pytest.mark.parametrize("names", [["zzz", "second"], ["first", "zzz"], ["first", "first"]])
def test_the_mean_has_peers_of_the_reference_each_once(names) -> None:
    table = pd.DataFrame({"a": [1.0, 4.0, 2.0], "b": [4.0, 1.0, 2.0]}, list("pqr"))
    honest = db.rank(table, model="common")
    peers = honest.tables["mean"]
    assert len(peers.columns) == 2
    known = dict(zip(["first", "second"], peers.columns, strict=True))
    renamed = peers.set_axis([known.get(name, name) for name in names], axis=1)
    forged = replace(honest, tables={**honest.tables, "mean": renamed})
    with pytest.raises(CertificateError, match="the table 'mean' names a DMU"):
        db.certify(forged)


def test_the_table_of_the_mean_has_its_row_alone() -> None:
    table = pd.DataFrame({"a": [1.0, 4.0, 2.0], "b": [4.0, 1.0, 2.0]}, list("pqr"))
    honest = db.rank(table, model="common")
    peers = honest.tables["mean"]
    for rows in (peers.set_axis(["p"]), pd.concat([peers, peers.set_axis(["p"])]), peers.iloc[:0]):
        forged = replace(honest, tables={**honest.tables, "mean": rows})
        with pytest.raises(CertificateError, match="has no table 'mean' with the rows and columns"):
            db.certify(forged)


def test_the_direction_of_a_holder_distance_has_the_metrics_of_the_data() -> None:
    table = pd.DataFrame({"a": [1.0, 4.0, 2.0], "b": [4.0, 1.0, 2.0]}, list("pqr"))
    honest = db.rank(table, model="holder")
    direction = honest.tables["direction"]
    assert list(direction.columns) == ["a", "b"]
    for other in (direction.set_axis(["a", "c"], axis=1), direction[["b", "a"]], direction[["a"]]):
        forged = replace(honest, tables={**honest.tables, "direction": other})
        with pytest.raises(CertificateError, match="has no table 'direction' with the rows and"):
            db.certify(forged)
