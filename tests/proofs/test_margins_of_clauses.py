"""Margins within which proofs move λ, weights and scores, from both of their sides."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from model_options import rank_with

from deabench.proofs.bounds import FINEST_LAMBDA, bound_scores
from deabench.proofs.exact_repair import Technology
from deabench.utils.arrays import Sparse

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
RNG = np.random.default_rng(5)
TABLE = pd.DataFrame(RNG.uniform(0.3, 1, (8, 4)).round(2), list("pqrstuvw"), list("abxz"))


@pytest.mark.parametrize(
    ("share", "is_reached"), [(0.0, True), (0.5, True), (0.9, True), (1.1, False), (1e3, False)]
)
def test_lambda_reaches_a_distance_that_is_too_large_by_less_than_the_margin(
    share, is_reached
) -> None:
    """One peer has nowhere to move: it reaches a little before the projection, or nothing."""
    table = pd.DataFrame([[1.0, 2.0], [0.5, 1.0]], list("po"), list("ab"))
    honest = rank_with(table, model="ddf", direction="own", returns="vrs")
    assert honest.scores["o"] == pytest.approx(1.0, abs=1e-12)
    forged = replace(honest, scores=honest.scores + share * 9e-10)
    proof = forged.options.prove(forged)
    assert np.isfinite(proof.frame.loc["o", "primal"]) == is_reached
    if is_reached:
        assert proof.frame.loc["o", "primal"] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("orientation", ["none", "input", "output"])
def test_weights_of_super_efficiencies_are_lowered_to_what_they_may_be(orientation) -> None:
    """A score is not proved by weights that are too large by less than the tolerance."""
    options = {"model": "super-sbm", "returns": "vrs", "orientation": orientation}
    honest = rank_with(TABLE, outputs=["a", "b"], inputs=["x", "z"], **options)
    is_above = (honest.scores > 1.01).to_numpy()
    assert is_above.any()
    scores = honest.scores * (1 + 8e-10)
    weights = honest.weights * (1 + 8e-10)
    # v x ≤ 1/m, and u y ≤ ξ/s, of the metrics that may change.
    largest = 0.5 / TABLE[["x", "z"]]
    if orientation == "output":
        largest[:] = np.inf
    if orientation != "input":
        largest = largest.join(0.5 * TABLE[["a", "b"]].rdiv(scores, axis=0))
    lowered = weights.copy()
    lowered[largest.columns] = np.minimum(weights[largest.columns], largest)
    assert (lowered < weights)[is_above].any(axis=None)
    duals = []
    for proving in (weights, lowered):
        forged = replace(honest, scores=scores, weights=proving)
        duals.append(forged.options.prove(forged).frame["dual"].to_numpy()[is_above])
    assert duals[0] == pytest.approx(duals[1], rel=1e-14)


def test_lambda_that_is_feasible_is_not_rounded() -> None:
    """Both bounds agree either way, so that no fractions have the last word."""
    share = 1 - FINEST_LAMBDA / 4
    bounds = bound_scores(
        Technology(np.array([[3.0], [1.0]]), 0, (1.0, 1.0)),
        np.array([[1.0]]),
        Sparse(np.array([[0, 1]], dtype=np.int32), np.array([[share, 1 - share]])),
        np.ones((1, 1)),
        np.zeros((1, 1), dtype=bool),
        lambda gains, _: np.asarray(gains[:, 0]),
        lambda excess, _weights, _rows: np.asarray(excess),
        np.ones(1),
        np.ones(1, dtype=bool),
    )
    assert bounds.primal[0] == pytest.approx(2 * share, abs=1e-13)
    assert bounds.dual[0] == pytest.approx(2.0, abs=1e-13)
