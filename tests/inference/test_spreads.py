"""Spreads of samples: sums of squares divided by one less than their number, as `statistics` has
it.
"""

from __future__ import annotations

import statistics
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench import compare, curves
from deabench.analysis.weightings import shares
from deabench.curves.learning import LearningCurve
from deabench.inference import simar_wilson
from deabench.inference.block_limits import ridge_limits
from deabench.inference.samples.combinations import _read_cost
from deabench.inference.samples.influence import _skewness_flips

VALUES = [0.62, 0.71, 0.55, 0.9, 0.68]
OTHERS = [0.6, 0.75, 0.5, 0.8, 0.7]
GAPS = [a - b for a, b in zip(VALUES, OTHERS, strict=True)]


def test_differences_are_counted_in_their_standard_deviations() -> None:
    effect = statistics.mean(GAPS) / statistics.stdev(GAPS)
    assert compare.permutation(VALUES, OTHERS).effect == pytest.approx(effect)
    assert compare.paired_t(VALUES, OTHERS).effect == pytest.approx(effect)
    ten = [*GAPS, 0.03, -0.01, 0.02, 0.05, 0.01]
    result = compare.five_by_two_f(np.reshape(ten, (5, 2)))
    assert result.effect == pytest.approx(statistics.mean(ten) / statistics.stdev(ten))


def test_folds_of_a_learning_curve() -> None:
    curve = LearningCurve(
        scores=pd.DataFrame([VALUES, OTHERS], index=[10, 20]),
        training_scores=pd.DataFrame([OTHERS, VALUES], index=[10, 20]),
        stopped_at=None,
        schedule=curves.arithmetic(10, 10),
    )
    assert curve.means["sd"].tolist() == pytest.approx(
        [statistics.stdev(VALUES), statistics.stdev(OTHERS)]
    )
    assert curve.means["training_mean"].tolist() == pytest.approx(
        [statistics.mean(OTHERS), statistics.mean(VALUES)]
    )


def test_timings_have_the_variance_of_their_mean() -> None:
    mean, variance, degrees = _read_cost(
        "ms", pd.DataFrame({"a": VALUES, "b": OTHERS}), pd.Index(["b", "a"])
    )
    assert mean.tolist() == pytest.approx([statistics.mean(OTHERS), statistics.mean(VALUES)])
    assert variance.tolist() == pytest.approx(
        [statistics.variance(OTHERS) / 5, statistics.variance(VALUES) / 5]
    )
    assert degrees == 4


def test_limits_of_blocks_are_the_variance_of_a_mean_and_a_ridge() -> None:
    lower, upper = ridge_limits(np.array([VALUES, OTHERS]), 2.0)
    deviations = [abs(value - statistics.mean(row)) for row in (VALUES, OTHERS) for value in row]
    # The size of a deviation, Σ|d|³ / Σd² over both rows, counts once more in the mean of five.
    ridge = sum(d**3 for d in deviations) / sum(d**2 for d in deviations) / 5
    for row, low, high in zip((VALUES, OTHERS), lower, upper, strict=True):
        mean = statistics.mean(row)
        margin = 2 * (statistics.variance(row) / 5 + ridge**2) ** 0.5
        # The logarithms of failures and of successes are wider than the numbers themselves.
        assert low == pytest.approx(1 - (1 - mean) * np.exp(margin / (1 - mean)))
        assert high == pytest.approx(mean * np.exp(margin / mean))


def test_silvermans_bandwidth_takes_the_smaller_spread() -> None:
    """Distances of 1 and 2, half of them each: the quartiles are wider apart than the spread."""
    distances = [1.0] * 5 + [2.0] * 5
    width = simar_wilson._choose_bandwidth(1 / np.array(distances), None)
    assert width == pytest.approx(0.9 * statistics.stdev(distances) * 10**-0.2)


def test_smoothed_distances_keep_their_variance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise of a standard deviation h around points of variance v is shrunk by √(1 + h²/v)."""
    score = np.array([1.0, 0.8, 0.5])
    distances = (1 / score).tolist()
    mirrored = [*distances, *(2 - distance for distance in distances)]
    taken: list[np.ndarray] = []

    class Draws:
        def choice(self, values: np.ndarray, n: int) -> np.ndarray:
            assert values.tolist() == pytest.approx(mirrored)
            return values[:n]

        def standard_normal(self, n: int) -> np.ndarray:
            return np.arange(1.0, n + 1)

    def moved_scores(y: object, x: object, factors: np.ndarray) -> np.ndarray:
        taken.append(factors)
        return np.ones((len(factors), 3))

    monkeypatch.setattr(simar_wilson, "_moved_scores", moved_scores)
    draws: Any = Draws()
    simar_wilson._smooth_bootstrap(
        np.ones((3, 1)), np.ones((3, 0)), score, h=0.2, alpha=0.05, draws=2, rng=draws
    )
    inflation = (1 + 0.2**2 / statistics.variance(mirrored)) ** 0.5
    expected = [
        (1 + abs(distance + 0.2 * (k + 1) - 1) / inflation) / distance
        for k, distance in enumerate(distances)
    ]
    factors = np.concatenate(taken)
    assert factors.shape == (2, 1, 3, 1)
    assert factors[0, 0, :, 0].tolist() == pytest.approx(expected)


def test_errors_of_shares_are_those_of_means_over_the_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Row a is first in all sets but one, in which b is."""
    table = pd.DataFrame({"x": [1.0, 0.0], "y": [0.0, 1.0]}, index=["a", "b"])
    sides = db.weightings(table, outputs=["x", "y"], model="value").sides
    first = int(sides[0].corners[0].argmax())
    a_is_first = np.eye(2)[[first]]
    sets = [(a_is_first,)] * (shares.SETS - 1) + [(1 - a_is_first,)]
    monkeypatch.setattr(shares, "draw_mixtures", lambda *_: iter(sets))
    result = shares.draw_rank_shares(sides, 1, 0)
    counts = [1.0] * (shares.SETS - 1) + [0.0]
    mean = statistics.mean(counts)
    assert result.shares.tolist() == [[mean, 1 - mean], [1 - mean, mean]]
    error = statistics.stdev(counts) / shares.SETS**0.5
    assert np.ravel(result.errors).tolist() == pytest.approx([error] * 4)


def test_a_classifier_without_spread_has_the_largest_flip_of_the_others() -> None:
    """Two classes of four and two instances; in the second nobody deviates."""
    classes = np.array([0, 0, 0, 0, 1, 1])
    answers: Any = SimpleNamespace(classes=classes, class_names=("p", "n"))
    values = np.array(
        [
            [1.0, 2.0, 3.0, 4.0, 5.0, 5.0],
            [7.0, 7.0, 7.0, 7.0, 1.0, 1.0],
            [0.0, 0.0, 0.0, 4.0, 2.0, 2.0],
        ]
    )
    # Σ|d|³ / Σd² is (2 · 1.5³ + 2 · 0.5³) / 5 = 1.4 and (3³ + 3 · 1³) / 12 = 2.5, over six.
    flips = _skewness_flips(values, answers)
    assert flips[0].tolist() == pytest.approx([1.4 / 6, 2.5 / 6, 2.5 / 6])
    # One whole instance of the two.
    assert flips[1].tolist() == [0.5, 0.5, 0.5]
