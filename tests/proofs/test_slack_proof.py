"""What is left open of slacks, and how it is told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.proofs.ranking import NO_PROOF, OWN_WEIGHTS, SlackProof, unproved_slack_claims

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
TABLE = pd.DataFrame({"a": [1.0, 4.0, 2.0], "b": [4.0, 1.0, 2.0]}, index=list("pqr"))


def test_only_scored_dmus_without_a_proof_are_told() -> None:
    ranking = db.rank(TABLE)
    proof = SlackProof(ranking, ranking.slack_weights)
    assert unproved_slack_claims(proof) == ()
    proof.discard(np.array([False, False, True]))
    assert proof.weights.of[2] == NO_PROOF
    assert unproved_slack_claims(proof) == (
        "the slacks of 1 DMUs are those of one optimum, not proved the largest",
    )
    proof.has_no_score = np.array([False, False, True])
    assert unproved_slack_claims(proof) == ()


def test_own_positive_weights_leave_no_slack_at_all() -> None:
    """Slack that is claimed beside them, 0.5 of a metric whose maximum is 4, is left in full."""
    ranking = db.rank(TABLE)
    assert ranking.slack_weights.of[2] == OWN_WEIGHTS
    slacks = ranking.slacks.copy()
    slacks.loc["r", "a"] = 0.5
    forged = replace(ranking, slacks=slacks)
    left = SlackProof(forged, ranking.slack_weights).all_slack_left()
    assert left.tolist() == pytest.approx([0.0, 0.0, 0.125], abs=1e-12)
