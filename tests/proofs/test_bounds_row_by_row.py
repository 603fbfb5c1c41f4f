"""Bounds of several DMUs in fractions: those of each DMU alone, whatever stands in other rows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from deabench.proofs import bounds, exact_repair
from deabench.proofs.exact_repair import Technology, exact_gains, move_to_held, polished_weights
from deabench.proofs.supporting_weights import exact_candidates, free_term_errors, tighten_weights
from deabench.utils.arrays import Sparse

POINTS = np.array([[1.0, 4.0, -1.0], [4.0, 1.0, -2.0], [3.0, 3.0, -2.0], [1.0, 1.0, -1.5]])
LAM = Sparse(
    np.array([[0, 1, 2], [2, -1, -1], [0, 1, -1], [1, 2, 3]], dtype=np.int32),
    np.array([[0.5, 0.25, 0.25], [1.0, 0.0, 0.0], [0.25, 0.75, 0.0], [0.0, 0.75, 0.25]]),
)
WEIGHTS = np.array([[1.0, 1.0, 2.0], [0.5, 1.5, 1.0], [1.0, 1.0 + 1e-10, 4.0], [2.0, 1.0, 3.0]])
LEAST = np.array([[0.0, 0.5, 0.0], [0.25, 1.6, 0.5], [1.0, 0.0, 0.0], [0.0, 0.0, 3.5]])
LARGEST = [[None, Fraction(2), None], [Fraction(3, 4), None, None], [None] * 3, [Fraction(1)] * 3]
TESTED = np.array([[1.0, 2.0, -1.5], [2.0, 2.0, -3.0], [3.0, 1.0, -2.0], [1.5, 1.5, -2.5]])
SUMS = {"crs": (0.0, np.inf), "vrs": (1.0, 1.0), "nirs": (0.0, 1.0), "ndrs": (1.0, np.inf)}
LEFT_OUT = np.array([3, 1, 2, 0], dtype=np.int32)


def bound(rows: np.ndarray, returns: str, left_out: np.ndarray | None) -> bounds.ScoreBounds:
    """Return the bounds of some DMUs, whose scores have their own sizes."""
    sizes = np.array([1.0, 3.0, 5.0, 7.0])[rows]
    held = np.array([[1, 1, 1], [1, 0, 1], [0, 1, 1], [1, 1, 0]], dtype=bool)[rows]
    moved = np.array([[0.25, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.0], [0.5, 0.0, 0.0]])[rows]
    return bounds.bound_scores(
        Technology(POINTS, 1, SUMS[returns]),
        TESTED[rows],
        LAM[rows],
        WEIGHTS[rows],
        held,
        lambda gains, positions: gains.sum(axis=1) * -sizes[positions].astype(int),
        lambda excess, _, positions: excess * sizes[positions].astype(int),
        np.ones(len(rows)),
        np.ones(len(rows), dtype=bool),
        aims=TESTED[rows] / 2,
        moved=moved,
        moved_farther=moved / 4,
        least_weights=LEAST[rows],
        largest_weights=lambda k: LARGEST[rows[k]],
        left_out=None if left_out is None else left_out[rows],
    )


@pytest.mark.parametrize("is_met", [True, False])
@pytest.mark.parametrize("left_out", [None, LEFT_OUT])
@pytest.mark.parametrize("returns", SUMS)
def test_bounds_are_those_of_each_dmu_alone(returns, left_out, is_met, monkeypatch) -> None:
    monkeypatch.setattr(bounds, "_is_settled", lambda bound, *_: np.zeros(len(bound), dtype=bool))
    if not is_met:
        repair = bounds.repaired_gains
        monkeypatch.setattr(
            bounds,
            "repaired_gains",
            lambda *values: (*repair(*values)[:2], *[np.zeros(len(values[1]), dtype=bool)] * 2),
        )
    together = bound(np.arange(4), returns, left_out)
    for k in range(4):
        alone = bound(np.array([k]), returns, left_out)
        for name in ("primal", "dual", "support"):
            np.testing.assert_array_equal(getattr(together, name)[[k]], getattr(alone, name))


@pytest.mark.parametrize("returns", SUMS)
def test_of_all_gains_those_count_that_are_closest_to_the_dmus_own_bound(
    returns, monkeypatch
) -> None:
    """Each of its repairs gains from -40 to 40, and starts from what the DMU is to reach."""
    calls: list[tuple[list[float], ...]] = []

    def gain_anything(technology, aim, lam, k, held, moved):
        calls.append(tuple(part.tolist() for part in (aim, lam.values[k], held, moved)))
        return [[Fraction(step, 3)] * 3 for step in range(-40, 41)]

    monkeypatch.setattr(bounds, "exact_gains", gain_anything)
    monkeypatch.setattr(bounds, "_is_settled", lambda bound, *_: np.zeros(len(bound), dtype=bool))
    together = bound(np.arange(4), returns, None)
    calls_together = calls.copy()
    calls.clear()
    alone = [bound(np.array([k]), returns, None).primal[0] for k in range(4)]
    assert together.primal.tolist() == alone
    assert calls_together == calls


def test_entries_and_sums_of_repairs_are_those_of_the_dmu(monkeypatch) -> None:
    """The second has a sum of all but 1, and two peers, one of which rounding left at 0."""
    calls: list[tuple[list[int], bool]] = []
    monkeypatch.setattr(
        exact_repair, "_exact_gains", lambda *values: calls.append((values[6].tolist(), values[8]))
    )
    technology = Technology(POINTS, 1, SUMS["ndrs"])
    lam = Sparse(
        np.array([[-1, 2], [0, 1], [0, -1]], dtype=np.int32),
        np.array([[0.0, 2.0], [1 + 2.0**-30, 0.0], [3.0, 0.0]]),
    )
    expected = [
        [([1], False), ([1], False)],
        [([0], False), ([0, 1], False), ([0], True)],
        [([0], False), ([0], False)],
    ]
    for k in range(3):
        calls.clear()
        assert not list(exact_gains(technology, TESTED[0], lam, k, np.ones(3), np.zeros(3)))
        assert calls == 2 * expected[k]


@pytest.mark.parametrize(("share", "counts"), [(1e-12, False), (1e-10, True), (1e-8, True)])
def test_peers_count_by_their_own_sizes(share, counts) -> None:
    """A small share of a peer that is 1e4 times as large, whoever the peers of other DMUs are."""
    technology = Technology(np.array([[1.0, -1.0], [1e4, -1e4 - 1e-5]]), 1, (0.0, np.inf))
    lam = Sparse(np.array([[0, 0], [0, 1]], dtype=np.int32), np.array([[1.0, share]] * 2))
    polished = polished_weights(technology, np.ones(2), lam, 1, np.zeros(2))
    assert polished == ([0, 0] if counts else [1, 1])
    assert polished_weights(technology, np.ones(2), lam, 0, np.zeros(2)) == [1, 1]


@pytest.mark.parametrize(("metric", "is_met"), [(0, True), (1, False)])
def test_a_gain_is_rounding_beside_the_terms_of_its_own_metric(metric, is_met) -> None:
    moves = [[Fraction(1), Fraction(1, 10**6)], [Fraction(2), Fraction(1, 10**6)]]
    gains = [Fraction(1, 10**13)] * 2
    repaired = move_to_held(moves, gains, [metric], is_polished=True)
    assert (repaired is not None) == is_met
    if repaired is not None:
        assert repaired[1][metric] == 0


@pytest.mark.parametrize("returns", SUMS)
@pytest.mark.parametrize("size", [1.0, 1.0 + 2.0**-30, 0.5])
def test_repairs_in_fractions_are_those_of_each_dmu_alone(returns, size) -> None:
    technology = Technology(POINTS, 1, SUMS[returns])
    lam = Sparse(LAM.columns, LAM.values * np.array([2.0, size, 3.0, size])[:, None])
    for k in range(4):
        alone = lam[np.array([k])]
        aim = alone.dot(POINTS)[0] * (1 - 1e-12)
        held = np.array([True, k % 2 == 0, True])
        for repair in (
            lambda lam, k, aim=aim, held=held: list(
                exact_gains(technology, aim, lam, k, held, np.zeros(3))
            ),
            lambda lam, k, w=WEIGHTS[k], least=LEAST[k] / 4: [
                polished_weights(technology, w, lam, k, least),
                tighten_weights(technology, technology, w, lam, k, least),
                [pair[1] for pair in exact_candidates(technology, w, lam, k, least, None, None)],
            ],
        ):
            assert repair(lam, k) == repair(alone, 0)


@pytest.mark.parametrize("left_out", [None, LEFT_OUT])
def test_free_terms_are_off_by_the_rounding_of_each_dmu_alone(left_out) -> None:
    technology = Technology(POINTS * np.array([[1.0], [1e3], [1e2], [1e5]]), 1, (1.0, 1.0))
    support = np.array([1.0, 2.0, 3.0, 4.0])
    distance = np.array([1e-13, 1e-8, 3.0, 1e-10])
    together = free_term_errors(technology, TESTED, LAM, WEIGHTS, support, distance, left_out)
    for k in range(4):
        alone = free_term_errors(
            technology,
            TESTED[[k]],
            LAM[np.array([k])],
            WEIGHTS[[k]],
            support[[k]],
            distance[[k]],
            None if left_out is None else left_out[[k]],
        )
        assert together[k] == alone[0]
