"""How far a radial score is from its certificate, and which weights prove nothing of its slacks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from deabench.models.shared import radial
from deabench.proofs.ranking import NO_PROOF, OWN_WEIGHTS
from deabench.results.proof import SlackWeights


def test_a_gap_counts_in_units_of_scores_above_1_and_of_1_below(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The largest of the two sides' gap, what λ and the weights break, and the score's distance."""
    scores = pd.Series([0.5, 0.5, 1.2, 4.0, 4.0, 2.0])
    # The score by λ, that by the weights, their gap, and what either breaks.
    certificates = np.array(
        [
            [0.5, 0.5, 3e-3, 0.0, 0.0],
            [0.4, 0.5, 0.0, 0.0, 0.0],
            [1.2, 1.2, 0.3, 0.0, 0.0],
            [4.0, 4.0, 0.2, 0.02, 0.0],
            [3.0, 4.0, 0.2, 0.0, 0.1],
            [2.0, 2.0, 0.2, 0.0, 0.3],
        ]
    )
    monkeypatch.setattr(radial, "radial_certificates", lambda *_: certificates)
    answer: Any = SimpleNamespace(scores=scores)
    violations = radial._certificate_violations(answer, np.zeros((6, 1)))
    assert violations.tolist() == pytest.approx([3e-3, 0.1, 0.25, 0.05, 0.25, 0.3])
    # A row without a score proves nothing, and is no score that fails.
    answer = SimpleNamespace(scores=scores.where(scores < 4))
    assert radial._is_unproved(answer, np.zeros((6, 1)), 0.29)
    assert not radial._is_unproved(answer, np.zeros((6, 1)), 0.3)


@pytest.mark.parametrize("may_have_none", [True, False])
def test_steep_weights_prove_slacks_in_fractions_alone(may_have_none) -> None:
    """Two DMUs have steep weights, which hold for the second, and the last two have no row."""
    discarded: list[bool] = []
    proof: Any = SimpleNamespace(
        weights=SlackWeights(
            np.array([[1.0, 2e6], [1.0, 1e6], [3e6, 1.0]]),
            np.array([0, 2, 1, OWN_WEIGHTS, NO_PROOF], dtype=np.int32),
        ),
        is_supported=lambda k: k == 1,
        discard=lambda is_discarded: discarded.extend(is_discarded.tolist()),
    )
    radial._discard_steep_weights(proof, np.full(5, may_have_none))
    assert discarded == [True, not may_have_none, False, False, False]
