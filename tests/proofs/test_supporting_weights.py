"""Weights that are moved, in fractions, to where no combination is worth more than a DMU."""

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.proofs import supporting_weights
from deabench.proofs.exact_repair import Technology
from deabench.proofs.supporting_weights import free_term_errors, has_supporting_weights
from deabench.utils.arrays import Sparse

POINTS = np.array([[0.9, 1.0], [0.3, 1e12], [0.6, 4e11]])
"""The third is below the line through the others."""
SLOPE = np.array([(1e12 - 1.0) / 0.6, 1.0])
"""The weights of that line, rounded."""


@pytest.mark.parametrize("k", [0, 1])
def test_the_ends_of_a_line_are_supported_by_its_rounded_weights(k):
    assert has_supporting_weights(POINTS, POINTS[k], SLOPE, "vrs")


def test_a_point_below_the_line_is_not_supported():
    assert not has_supporting_weights(POINTS, POINTS[2], SLOPE, "vrs")
    just_below = np.array([0.9, 1.0 - 2**-40])
    assert not has_supporting_weights(POINTS, just_below, SLOPE, "vrs")


def test_multiples_need_weights_that_are_worth_nothing():
    # One output per unit of input: (1, -1) and (2, -2) lie on the same ray.
    points = np.array([[1.0, -1.0], [2.0, -2.0], [1.0, -3.0]])
    weights = np.array([1.0, 1.0])
    assert has_supporting_weights(points, points[0], weights, "crs")
    assert not has_supporting_weights(points, points[2], weights, "crs")
    assert not has_supporting_weights(points, points[0], np.array([1.0, 0.5]), "crs")
    # What can be shrunk to nothing is worth 0, so that nothing below 0 is supported.
    assert not has_supporting_weights(points[:1], points[0], np.array([1.0, 2.0]), "nirs")
    assert has_supporting_weights(points[:1], points[0], np.array([1.0, 2.0]), "vrs")


@pytest.mark.filterwarnings("ignore:8 rows for 4 metrics")
def test_efficiency_is_decided_beside_twelve_orders_of_magnitude_in_any_order_of_rows():
    table = pd.DataFrame(
        {
            "accuracy": [0.424, 0.909, 0.574, 0.774, 0.913, 0.811, 0.415, 0.808],
            "recall": [0.254, 0.464, 0.571, 0.819, 0.312, 0.791, 0.469, 0.759],
            "precision": [0.748, 0.578, 0.863, 0.205, 0.591, 0.206, 0.328, 0.663],
            "downloads": [3e3, 7e9, 6e12, 1e7, 2e9, 8e6, 7e9, 3e1],
        }
    )
    first = db.rank(table, outputs=list(table), model="score")
    second = db.rank(table.iloc[::-1], outputs=list(table), model="score")
    assert not first.undecided.any()
    assert not second.undecided.any()
    pd.testing.assert_series_equal(first.ranks, second.ranks.sort_index())


def test_no_weights_support_what_another_point_dominates_by_a_little() -> None:
    points = np.array([[1.0, 1.0], [1.0 + 1e-8, 1.0]])
    assert not has_supporting_weights(points, points[0], np.ones(2), "vrs")
    assert has_supporting_weights(points, points[1], np.ones(2), "vrs")


@pytest.mark.parametrize("huge", [None, 0, 1])
def test_a_free_term_misses_by_what_rounding_does_not_explain(huge) -> None:
    """By loops: of what the peers, the DMU and all that is worth as much consist of."""
    rng = np.random.default_rng(4)
    points = rng.uniform(0.3, 1.0, (5, 3)) * [1, 1, -1]
    if huge is not None:
        points[huge] = [1e9, 1e9, -2e9]
    technology = Technology(points, 1, (1.0, 1.0))
    tested = rng.uniform(0.3, 1.0, (4, 3)) * [1, 1, -1]
    weights = rng.uniform(0.5, 1.0, (4, 3))
    weights[0] = 1.0  # under which huge terms cancel
    columns = np.array([[2, -1], [3, 4], [0, 2], [1, 1]], dtype=np.int32)
    lam = Sparse(columns, np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [0.5, 0.5]]))
    support = np.array([0.4, 0.7, np.inf, 0.5])
    epsilon = 64 * 2.0**-52
    for distance in (1e-15, 1e-13, 1e-6, 3e-5, 1.0):
        expected = []
        for k in range(4):
            peer_terms = [
                sum(weights[k] * abs(points[j]))
                for j, share in zip(columns[k], lam.values[k], strict=True)
                if share > 0
            ]
            own_terms = sum(weights[k] * abs(tested[k]))
            error = distance
            if np.isfinite(support[k]):
                error -= epsilon * (abs(support[k]) + own_terms + max(peer_terms))
            error = max(error, 0.0)
            if error:
                roundings = [epsilon * sum(weights[k] * abs(point)) for point in points]
                values = [weights[k] @ point for point in points]
                lowest = max(v - r for v, r in zip(values, roundings, strict=True))
                best = [r for v, r in zip(values, roundings, strict=True) if v + r >= lowest]
                error = max(error - 2 * max(best), 0.0)
            expected.append(error)
        errors = free_term_errors(technology, tested, lam, weights, support, np.full(4, distance))
        assert errors == pytest.approx(expected, rel=1e-9, abs=1e-20)


def test_each_constraint_has_its_own_factor() -> None:
    """Under constant returns the point is worth nothing, and the tested one not less."""
    points = np.array([[1.0, -1.0]])
    rows = supporting_weights._near_constraints(points, points[0], np.ones(2), "crs")
    assert rows == [[-1, 1], [1, -1]]
