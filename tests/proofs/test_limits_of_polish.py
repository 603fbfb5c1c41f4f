"""What counts in the repair of weights: λ, distances from the least weights and sums, by share."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from model_options import rank_with

from deabench.models.shared.restricted_bounds import (
    RestrictedScores,
    exact_excesses_with_restrictions,
)
from deabench.proofs.bounds import _scaled_error, repaired_gains
from deabench.proofs.exact_repair import Technology, polished_weights
from deabench.proofs.supporting_weights import tighten_weights
from deabench.utils.arrays import Sparse
from deabench.utils.rational import inner_product, to_fractions

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
PEERS = np.array([[1.0, 2.0], [2.0, 1.0]])
"""Worth the same under equal weights."""
NEARLY = np.array([1.0, 1.0 + 2.0**-30])
"""Weights under which the first of them is worth a little more."""
NOTHING = np.zeros(2)


def polish(share=0.5, total=1.0, least=NOTHING, sums=(1.0, 1.0), weights=NEARLY):
    """Return the polished weights where the second peer has some share of λ."""
    lam = Sparse(
        np.array([[0, 1]], dtype=np.int32), np.array([[(1 - share) * total, share * total]])
    )
    return polished_weights(Technology(PEERS, 0, sums), weights, lam, 0, least)


@pytest.mark.parametrize(
    ("share", "counts"), [(2e-8, False), (5e-7, True), (2e-5, True), (0.5, True)]
)
def test_peers_count_by_their_share_of_the_largest_intensity(share, counts) -> None:
    polished = polish(share)
    assert (polished is not None) == counts
    if polished is not None:
        values = [inner_product(polished, to_fractions(peer)) for peer in PEERS]
        assert values[0] == values[1]


@pytest.mark.parametrize("repair", ["polish", "tighten"])
@pytest.mark.parametrize("above", [0.0, 2e-8, 5e-7, 2e-5])
def test_weights_next_to_their_least_stay_there(repair, above) -> None:
    least = np.array([0.0, NEARLY[1] / (1 + above)])
    if repair == "polish":
        moved = polish(least=least)
    else:
        technology = Technology(PEERS, 0, (1.0, 1.0))
        # The second peer, of the larger λ, is worth less than the first.
        lam = Sparse(np.array([[0, 1]], dtype=np.int32), np.array([[0.25, 0.75]]))
        moved = tighten_weights(technology, technology, NEARLY, lam, 0, least)
    assert moved is not None
    assert inner_product(moved, to_fractions(PEERS[0])) == inner_product(
        moved, to_fractions(PEERS[1])
    )
    # One of two weights moves all the way, or both move half of it.
    assert (moved[1] == Fraction(float(NEARLY[1]))) == (above < 1e-7)
    assert moved[0] > 1


@pytest.mark.parametrize("sums", [(0.0, 1.0), (1.0, np.inf)])
@pytest.mark.parametrize("distance", [2e-8, 5e-7, 2e-5])
def test_peers_are_worth_nothing_where_their_sum_is_between_its_bounds(sums, distance) -> None:
    """Weights near 0 for both: a peer of one metric and one of two that nearly cancel."""
    points = np.array([[1.0, -1.0], [2.0, -2.0]])
    total = 1 - distance if sums[1] == 1 else 1 + distance
    lam = Sparse(np.array([[0, 1]], dtype=np.int32), np.array([[0.5 * total, 0.5 * total]]))
    weights = np.array([1.0, 1.0 + 2.0**-30])
    moved = polished_weights(Technology(points, 1, sums), weights, lam, 0, NOTHING)
    assert moved is not None
    # Worth as much as one another they are at worth 0 alone; between the bounds both count.
    assert [inner_product(moved, to_fractions(point)) for point in points] == [0, 0]
    # One peer alone is held to nothing only where its sum is between the bounds.
    alone = Sparse(np.zeros((1, 1), dtype=np.int32), np.array([[total]]))
    moved = polished_weights(Technology(points, 1, sums), weights, alone, 0, NOTHING)
    assert (moved is not None) == (distance > 1e-7)


@pytest.mark.parametrize("distance", [2e-8, 5e-7, 2e-5])
@pytest.mark.parametrize("sums", [(0.0, 1.0), (1.0, np.inf)])
def test_weights_are_tightened_as_the_sum_allows(sums, distance) -> None:
    """A peer that is worth something is the best one at a sum of 1, and no sum between."""
    points = np.array([[2.0, -1.0], [1.0, -1.0]])
    weights = np.array([1.0, 1.0])
    if sums[1] > 1:  # what can be multiplied is worth less than nothing
        weights = np.array([1.0, 2.5])
    total = 1 - distance if sums[1] == 1 else 1 + distance
    lam = Sparse(np.zeros((1, 1), dtype=np.int32), np.array([[total]]))
    technology = Technology(points, 1, sums)
    moved = tighten_weights(technology, technology, weights, lam, 0, NOTHING)
    assert (moved is not None) == (distance < 1e-7)


@pytest.mark.parametrize("held", [True, False])
@pytest.mark.parametrize("other", [1.0, 0.0, -1.0])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_intensities_shrink_or_grow_as_the_metric_that_is_short_asks(sign, other, held) -> None:
    """Less of all frees an input, more of it adds an output, whatever stands beside it."""
    gains = np.array([[0.5, -1e-12]])
    error = np.full((1, 2), 1e-15)
    moves = np.array([[[other, sign]]])
    is_held = np.array([[held, True]])
    scaled = _scaled_error(gains, error, moves, is_held, np.ones(1))
    # Twice of what it is short by is added to it, and lost in the other metric.
    assert (gains - scaled)[0].tolist() == pytest.approx([0.5, 1e-12], rel=1e-2, abs=0)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_intensities_that_are_scaled_round_what_they_add_or_take(monkeypatch, sign) -> None:
    """Twice of what the metric is short by, of which a quarter may be rounding."""
    monkeypatch.setattr("deabench.proofs.bounds.GAMMA", 0.25)
    gains = np.array([[0.5, -(2.0**-40)]])
    moves = np.array([[[-sign, sign]]])
    held = np.ones((1, 2), dtype=bool)
    scaled = _scaled_error(gains, np.zeros((1, 2)), moves, held, np.ones(1))
    # What is added to one metric is taken from the other, and rounding takes from both.
    change = 2.0**-39 * np.array([-1.0, 1.0])
    lost = (gains - scaled)[0] - gains[0]
    assert lost.tolist() == pytest.approx(change - np.abs(change) / 4, rel=1e-3, abs=0)


@pytest.mark.parametrize("orientation", ["output", "input"])
def test_peers_of_restricted_scores_miss_by_the_metric_that_is_missed_most(
    monkeypatch, orientation
) -> None:
    """Of those that stay as they are, one at a time."""
    table = pd.DataFrame(
        {"a": [2.0, 4.0, 3.0, 2.0], "b": [5.0, 2.0, 4.0, 2.0], "x": [4.0, 5.0, 3.0, 6.0],
         "z": [3.0, 2.0, 4.0, 5.0]},
        list("pqrs"),
    )  # fmt: skip
    honest = rank_with(
        table, outputs=["a", "b"], inputs=["x", "z"], model="ccr", returns="vrs",
        orientation=orientation, ratios={("a", "b"): (0.5, 2.0)},
    )  # fmt: skip
    missed = []
    reached = RestrictedScores.reached
    monkeypatch.setattr(
        RestrictedScores,
        "reached",
        lambda self, shares: missed.append(shares) or reached(self, shares),
    )
    honest.options.prove(honest)
    assert missed.pop() == pytest.approx(np.zeros(4), abs=1e-11)
    side, names = ("inputs", ["x", "z"]) if orientation == "output" else ("outputs", ["a", "b"])
    for name in names:
        # "p" is its own peer; with more of an output or less of an input it misses itself.
        values = getattr(honest.data, side).copy()
        factor = 1.0 - 1e-6 if side == "inputs" else 1.0 + 1e-6
        values.loc["p", name] *= factor
        forged = replace(honest, data=replace(honest.data, **{side: values}))
        honest.options.prove(forged)
        assert missed.pop()[0] == pytest.approx(0.5e-6, rel=1e-3)


@pytest.mark.parametrize("sums", [(1.0, 1.0), (0.0, 1.0), (1.0, np.inf), (0.0, np.inf)])
@pytest.mark.parametrize("more", [1e-13, -1e-13])
def test_a_sum_at_its_bound_leaves_mixtures_to_move_to(sums, more) -> None:
    """More of the better peer and less of the other one meets what both together miss."""
    gains, error, is_feasible, _ = repaired_gains(
        Technology(np.array([[1.0], [3.0]]), 0, sums),
        np.array([[2.0 + more]]),
        Sparse(np.array([[0, 1]], dtype=np.int32), np.array([[0.5, 0.5]])),
        np.ones((1, 1), dtype=bool),
        np.zeros((1, 1)),
    )
    assert is_feasible.tolist() == [True]
    assert gains[0, 0] == pytest.approx(-more, abs=1e-15)
    assert 0 <= (gains - error)[0, 0] <= 2e-13


@pytest.mark.parametrize(
    ("sums", "level"),
    [((1.0, 1.0), 0.2), ((0.0, 1.0), 0.1), ((1.0, np.inf), -0.1), ((0.0, np.inf), 0.0)],
)
@pytest.mark.parametrize("sign", [1, -1])
def test_trade_offs_that_are_made_are_worth_nothing_under_polished_weights(
    sums, level, sign
) -> None:
    """Of weights that are off by 1e-9 of themselves, keeping the restriction or breaking it."""
    unrepaired = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        exact = rng.uniform(0.5, 1, 4)
        points = np.column_stack([rng.uniform(0.5, 1, (3, 2)), -rng.uniform(0.5, 1, (3, 2))])
        # The first two are worth as much as one another, and the third less.
        for point, worth in zip(points, (level, level, level - 0.3), strict=True):
            point[3] = (worth - point[:3] @ exact[:3]) / exact[3]
        # The first trade-off, which the DMU does not make, is worth less than nothing.
        restrictions = np.array([[0.0, -1.0, 0.0, 0.0], [1.0, -exact[0] / exact[1], 0.0, 0.0]])
        amounts = np.array([0.0, 0.25])
        weights = exact * (1 + 1e-9 * np.array([sign, -sign, *rng.uniform(-1, 1, 2)]))
        lam = Sparse(np.array([[0, 1]], dtype=np.int32), np.array([[0.25, 0.75]]))
        technology = Technology(points, 2, sums)
        unmade, made = (to_fractions(row) for row in restrictions)
        for used in ([], [made]):
            polished = polished_weights(technology, weights, lam, 0, np.zeros(4), used)
            assert polished is not None
            assert (inner_product(made, polished) == 0) == bool(used)
            values = [inner_product(polished, to_fractions(point)) for point in points[:2]]
            assert values[0] == values[1]
        # A DMU that peers and trade-offs make is worth as much as its peers: no excess is left.
        tested = lam.values[0] @ points[:2] + amounts @ restrictions
        outcomes = exact_excesses_with_restrictions(
            technology, tested, weights, lam, 0, amounts, restrictions
        )
        own, repaired, tightened = list(outcomes)
        unrepaired.append(own[0])
        assert 0 <= tightened[0] <= own[0]
        assert max(inner_product(made, tightened[1]), inner_product(unmade, tightened[1])) <= 0
        assert abs(repaired[0]) < 1e-15
        assert inner_product(made, repaired[1]) == 0
        assert inner_product(unmade, repaired[1]) < 0
    assert max(unrepaired) > 1e-12
