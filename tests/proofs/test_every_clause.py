"""For every claim of every model's proof: a forgery that this claim alone refuses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
import pytest
from forgeries import forgeries
from model_options import rank_with

import deabench as db
from deabench.errors import CertificateError
from deabench.models import holder
from deabench.models.cross import _judge_all
from deabench.proofs.certify import FAULTS
from deabench.utils.arrays import TOLERANCE, Sparse

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
TABLE = pd.DataFrame(
    {
        "a": [2.0, 4.0, 3.0, 3.5, 1.5, 3.0, 3.0, 1.0],
        "b": [5.0, 2.0, 4.0, 3.0, 1.0, 4.0, 4.0, 0.5],
        "x": [4.0, 5.0, 3.0, 6.0, 5.0, 3.0, 7.0, 3.0],
    },
    index=list("pqrstuvw"),
)
"""With duplicates, and with rows that are as good on one side and worse on the other."""
SINGLE = TABLE.drop(index="u")
"""Without duplicates, so that "r" is more than efficient."""
PEERS = pd.DataFrame(
    {"a": [1.0, 2.5, 2.0, 1.8, 3.0, 0.5], "b": [1.0, 2.0, 2.5, 3.0, 0.5, 3.0]}, list("opqtuv")
)
"""Peers that lead "o" as far, with other slacks; "t" leads less far, with more slack in all."""
TIES = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [1.0, 1.0, 0.0]}, index=list("opq"))
"""To "o" a peer that is worse in one metric leaves as much to gain as the one that is not."""
SHARE = 1e-6
SHARES = np.geomspace(1e-10, 1e-7, 25)
"""By what weights grow so that bounds of a score are one to two tolerances apart."""


def broken_claims(ranking: db.Ranking) -> list[str]:
    """Return the claims that a ranking's proof shows to be broken; none where it has no proof."""
    try:
        proof = ranking.proof()
    except (CertificateError, *FAULTS):
        return []
    has_reason = proof.frame.index.isin(list(ranking.reasons))
    return [
        claim
        for claim, misses in proof.violations.items()
        if (~(misses <= TOLERANCE) & ~(np.isnan(misses) & has_reason)).any()
    ]


def reached_slacks(ranking: db.Ranking) -> pd.DataFrame:
    """Return the slacks that fit to a ranking's λ and scores."""
    reference = np.column_stack([ranking.reference.outputs, ranking.reference.inputs])
    reached = ranking.intensities.dot(reference)
    s = ranking.data.outputs.shape[1]
    y = ranking.data.outputs.to_numpy()
    x = ranking.data.inputs.to_numpy()
    if ranking.options.name in ("wei", "score", "ccr", "super", "fdh", "cross", "common"):
        factors = ranking.scores
        if "cross" in ranking.tables:
            factors = pd.Series(np.diag(ranking.tables["cross"]))
        elif "common" in ranking.tables:
            factors = ranking.tables["common"]["own"]
        y = y / factors.to_numpy()[:, None]
    slacks = np.column_stack([reached[:, :s] - y, x - reached[:, s:]])
    return pd.DataFrame(slacks, ranking.slacks.index, ranking.slacks.columns)


def without_slack_proof(ranking: db.Ranking, k: int) -> db.Ranking:
    """Return a ranking that does not claim that the slacks of DMU k are the largest."""
    weights = ranking.slack_weights
    if weights is None:
        return ranking
    of = np.where(np.arange(len(weights.of)) == k, -2, weights.of).astype(np.int32)
    return replace(ranking, slack_weights=replace(weights, of=of))


def with_lambda(ranking: db.Ranking, k: int, columns: np.ndarray, values: np.ndarray) -> db.Ranking:
    """Return a ranking with other λ of DMU k, and the slacks that fit to them."""
    moved = replace(without_slack_proof(ranking, k), intensities=Sparse(columns, values))
    return replace(moved, slacks=reached_slacks(moved) - steps(ranking))


def steps(ranking: db.Ranking) -> pd.DataFrame:
    """Return how far the scores of distances lead, in each metric; 0 in the other models."""
    return reached_slacks(ranking) - ranking.slacks


def with_weights(ranking: db.Ranking, weights: pd.DataFrame) -> db.Ranking:
    """Return a ranking with other weights, and what is computed from them."""
    forged = replace(ranking, weights=weights)
    if "cross" not in ranking.tables:
        return forged
    matrix = _judge_all(forged, weights)
    scores = matrix.mean(axis=0).rename("efficiency")
    return replace(forged, scores=scores, tables={"cross": matrix})


def consistent_forgeries(ranking: db.Ranking) -> Iterator[db.Ranking]:
    """Change λ, weights or a score, and whatever has to fit to it."""
    lam = ranking.intensities
    scores = ranking.scores
    count = len(scores)
    for k in range(count):
        for share in (SHARE, -SHARE):
            factor = 1 + share * (np.arange(count) == k)
            yield with_lambda(ranking, k, lam.columns, lam.values * factor[:, None])
            better = replace(without_slack_proof(ranking, k), scores=scores * factor)
            # The score of "rdm" is what its distance leaves of 1.
            base = float(ranking.options.name == "rdm")
            further = steps(ranking).mul((base - better.scores) / (base - scores), axis=0)
            yield replace(better, slacks=reached_slacks(better) - further.fillna(0.0))
            yield replace(ranking, weights=ranking.weights.mul(factor, axis=0))
    for k in range(count):
        # An entry of λ becomes a negative one, and another what it was and as much more.
        extra = np.zeros((count, 2))
        extra[k] = [SHARE, -SHARE]
        first = np.where(np.arange(count) == k, lam.columns[:, 0], -1).astype(np.int32)
        columns = np.column_stack([lam.columns, first, first])
        yield replace(ranking, intensities=Sparse(columns, np.column_stack([lam.values, extra])))
        # Another DMU is its only peer.
        for peer in range(len(ranking.reference.labels)):
            columns = lam.columns.copy()
            values = lam.values.copy()
            columns[k] = -1
            values[k] = 0.0
            columns[k, 0] = peer
            values[k, 0] = 1.0
            yield with_lambda(ranking, k, columns, values)
    # λ is shared out between two entries of the same peer.
    columns = np.column_stack([lam.columns, lam.columns])
    yield replace(
        ranking, intensities=Sparse(columns, np.column_stack([lam.values, lam.values]) / 2)
    )
    # Weights turn about the DMU itself, and each alone grows.
    first, second = ranking.data.outputs.columns[:2]
    if {first, second} <= set(ranking.weights.columns):
        for share in (0.05, -0.05):
            weights = ranking.weights.copy()
            step = share * weights[first]
            weights[first] += step
            weights[second] -= step * ranking.data.outputs[first] / ranking.data.outputs[second]
            yield with_weights(ranking, weights)
    for name in ranking.weights.columns:
        for share in (0.5, -0.5, SHARE):
            for label in scores.index:
                weights = ranking.weights.copy()
                weights.loc[label, name] *= 1 + share
                yield with_weights(ranking, weights)


def scores_between_bounds(ranking: db.Ranking) -> Iterator[db.Ranking]:
    """Move weights or λ so little that a score half-way between its bounds is near both."""
    if "distance_of_the_score_from_its_bounds" not in ranking.proof().violations:
        return
    scores = ranking.scores
    names = list(ranking.weights.columns)
    # Shares in the middle are mostly those that part the bounds by the right distance.
    for share in sorted(SHARES, key=lambda share: abs(np.log(share / SHARES[12]))):
        count = len(scores)
        for k, label in enumerate(scores.index):
            is_moved = (np.arange(count) == k)[:, None]
            lam = ranking.intensities
            # All DMUs become its peers, which is hard to repair, or the DMU itself does.
            for added in (list(range(count)), [k]):
                added_columns = np.where(is_moved, added, -1)
                added_values = np.where(is_moved, np.full(len(added), share / len(added)), 0.0)
                columns = np.column_stack([lam.columns, added_columns]).astype(np.int32)
                values = np.column_stack([lam.values * (1 - share * is_moved), added_values])
                yield with_score_between_bounds(with_lambda(ranking, k, columns, values), label)
        for label in scores.index:
            # All weights of a DMU grow together, or one of them alone.
            for moved in (names, *([name] for name in names)):
                weights = ranking.weights.copy()
                weights.loc[label, moved] *= 1 + share
                forged = with_weights(ranking, weights)
                yield with_score_between_bounds(forged, label)


def with_score_between_bounds(ranking: db.Ranking, label: str) -> db.Ranking:
    """Return a ranking with the mean of its bounds as the score of a DMU."""
    bounds = ranking.proof().frame.loc[label, ["primal", "dual"]]
    return replace(
        ranking, scores=ranking.scores.where(ranking.scores.index != label, bounds.mean())
    )


def draw_forgeries(rankings: list[db.Ranking]) -> Iterator[db.Ranking]:
    """Forge rankings one at a time, in an order in which few are drawn before all claims refuse.

    There are many ways to score between bounds, of which one of the first mostly suffices.
    """
    for ranking in rankings:
        yield from consistent_forgeries(ranking)
    for ranking in rankings:
        changed = (forge() for _, forge in forgeries(ranking, np.random.default_rng(0)))
        between = scores_between_bounds(ranking)
        while drawn := [*islice(changed, 3), *islice(between, 1)]:
            yield from drawn


def find_sole_refusals(rankings: list[db.Ranking], sole: set[str]) -> tuple[set[str], set[str]]:
    """Return all claims of some rankings, and those that alone refuse one of their forgeries.

    Those of `sole` are known to do so, and not looked for.
    """
    claims = {claim for ranking in rankings for claim in ranking.proof().violations}
    sole = set(sole)
    for ranking in rankings:
        assert not broken_claims(ranking)
    for forged in draw_forgeries(rankings):
        broken = broken_claims(forged)
        if len(broken) == 1:
            sole.update(broken)
        if sole == claims:
            break
    return claims, sole


ALONE = {"technology": "fdh", "inputs": None}
CASES: dict[str, list[dict[str, Any]]] = {
    "wei": [{"inputs": None}, {"inputs": None, "table": PEERS}],
    "score": [{"inputs": None}, {"inputs": None, "table": PEERS}],
    "ccr": [{"returns": "vrs"}, {"returns": "crs"}],
    "super": [{"returns": "vrs"}, {"returns": "crs"}],
    "fdh": [{}],
    "sbm": [{"returns": "vrs"}, {"technology": "fdh", "orientation": "input"}],
    "super-sbm": [{}, {"table": SINGLE}],
    "russell": [{}, {"technology": "fdh"}],
    "additive": [{}, {"technology": "fdh"}, {**ALONE, "table": TIES, "weights": "ones"}],
    "ddf": [{}, {"technology": "fdh"}, {**ALONE, "table": PEERS, "direction": "ones"}],
    "rdm": [{}, {"technology": "fdh"}, {**ALONE, "table": PEERS}],
    "holder": [{"norm": "linf"}, {"norm": "l1"}],
    "cross": [{"inputs": None}, {}],
}


def claims_broken_from_outside(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what refuses a way back to the frontier from beyond it: all else is consistent."""
    tested = pd.DataFrame({"a": [4.5], "b": [5.5]}, index=["o"])
    with monkeypatch.context() as patch:
        patch.setattr(holder, "_is_worth_more", lambda *_: np.zeros(1, dtype=bool))
        patch.setattr(holder, "_rows_all_but_at_frontier", lambda *_: np.zeros(0, dtype=int))
        reference = TABLE[["a", "b"]]
        forged = rank_with(tested, reference=reference, model="holder", norm="linf")
    assert forged.scores["o"] < 0
    return broken_claims(forged)


@pytest.mark.slow
@pytest.mark.parametrize("model", list(CASES))
def test_every_claim_alone_refuses_a_forgery(model, monkeypatch) -> None:
    rankings = []
    for options in CASES[model]:
        keywords: dict[str, Any] = {"inputs": ["x"], "table": TABLE, **options}
        metrics = ["a", "b", *(keywords["inputs"] or ())]
        table = keywords.pop("table")[metrics]
        rankings.append(rank_with(table, model=model, outputs=["a", "b"], **keywords))
    broken_from_outside = []
    if model == "holder":
        broken_from_outside = claims_broken_from_outside(monkeypatch)
        assert len(broken_from_outside) == 1
    claims, sole = find_sole_refusals(rankings, set(broken_from_outside))
    assert sole == claims
