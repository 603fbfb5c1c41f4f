"""Bayesian tests against baycomp."""

from __future__ import annotations

import numpy as np
import pytest

from deabench import compare, datasets
from deabench.errors import DataError

TABLE = datasets.load("demsar2006-auc")


def test_bayesian_signed_rank_is_baycomps_and_turns_with_the_direction() -> None:
    from baycomp import SignedRankTest

    x, y = TABLE["C4.5+m+cf"].to_numpy(), TABLE["C4.5"].to_numpy()
    # Between thousandths: on an edge of the region the library goes by rounding.
    rope = 0.0102
    result = compare.bayesian_signed_rank(x, y, rope=rope, samples=2000, seed=7)
    assert (result.first_better, result.equivalent, result.second_better) == SignedRankTest.probs(
        x, y, rope=rope, nsamples=2000, random_state=7
    )
    assert result.first_better + result.equivalent + result.second_better == pytest.approx(1)
    assert result.first_better > 0.5 > result.second_better
    reversed_result = compare.bayesian_signed_rank(
        x, y, rope=rope, samples=2000, seed=7, higher_is_better=False
    )
    assert reversed_result.first_better == result.second_better
    without = compare.bayesian_signed_rank(x, y, rope=0, samples=500)
    assert without.equivalent == 0
    assert without.first_better + without.second_better == pytest.approx(1)
    assert compare.bayesian_signed_rank(x, x + 1e-6, rope=0.01, samples=500).equivalent > 0.99


@pytest.mark.parametrize("unit", [1.0, 0.01, 1 / 3])
def test_means_on_the_edge_of_the_region_count_half_in_any_unit(unit) -> None:
    """By the sums of the weights' products, in whole numbers; equal shares have no winner."""
    rng = np.random.default_rng(0)
    for _ in range(4):
        x, y = rng.integers(-3, 4, (2, 7))
        rope = int(rng.integers(1, 3))
        values = np.append(0, x - y)
        sums = values[:, None] + values
        weights = np.random.RandomState(5).dirichlet([0.5, *np.ones(7)], 300)
        first, second = (
            np.einsum("di,ij,dj->d", weights, (side > 2 * rope) + 0.5 * (side == 2 * rope), weights)
            for side in (sums, -sums)
        )
        middle = 1 - first - second
        wins = (first > np.maximum(middle, second) + 1e-12).mean()
        losses = (second > np.maximum(middle, first) + 1e-12).mean()
        result = compare.bayesian_signed_rank(
            x * unit, y * unit, rope=rope * unit, samples=300, seed=5
        )
        assert (result.first_better, result.second_better) == (wins, losses)


def test_bayesian_tests_need_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "baycomp", None)
    assert (
        compare.bayesian_signed_rank([1, 2, 3], [2, 3, 4], rope=0.1, samples=500).second_better
        > 0.9
    )


def test_bayesian_correlated_t_is_baycomps() -> None:
    from baycomp import CorrelatedTTest

    rng = np.random.default_rng(3)
    x, y = rng.normal(0.80, 0.02, 20), rng.normal(0.79, 0.02, 20)
    result = compare.bayesian_correlated_t(x, y, rope=0.01, ratio=1 / 9)
    assert (result.first_better, result.equivalent, result.second_better) == pytest.approx(
        CorrelatedTTest.probs(x, y, rope=0.01, runs=2), rel=1e-9
    )
    reversed_result = compare.bayesian_correlated_t(
        x, y, rope=0.01, ratio=1 / 9, higher_is_better=False
    )
    assert reversed_result.first_better == pytest.approx(result.second_better)
    point = compare.bayesian_correlated_t([0.5, 0.6], [0.4, 0.5], rope=0.01, ratio=1)
    assert (point.first_better, point.notes) == (
        1.0,
        ("the difference is 0.1 on every fold: the posterior is that one point",),
    )


def test_two_classifiers_that_are_equal_everywhere_are_equivalent() -> None:
    result = compare.bayesian_signed_rank([0.5] * 20, [0.5] * 20, rope=0)
    assert (result.first_better, result.equivalent, result.second_better) == (0, 1, 0)
    assert result.notes == ("the two are equal on every data set",)


def test_bayesian_pairs_of_a_table() -> None:
    comparison = compare.bayesian(TABLE, rope=0.01, control="C4.5", threshold=0.6)
    result = compare.bayesian_signed_rank(TABLE["C4.5"], TABLE["C4.5+m"], rope=0.01)
    assert comparison.pairs["second_better"].iloc[0] == result.second_better
    assert (
        comparison.summary()
        .splitlines()[0]
        .startswith("3 of 3 pairs decided with probability 0.6 or more: 'C4.5+m' is better")
    )
    folds = compare.bayesian(TABLE.iloc[:10], rope=0.01, folds=10)
    assert folds.test == "Bayesian correlated t test"


@pytest.mark.parametrize("unit", [1.0, 1e-9, 1e12])
def test_folds_that_differ_by_the_region_are_equivalent_in_any_unit(unit: float) -> None:
    """.81 - .80 is .01 and rounding noise, which is no difference above a region of .01."""
    first, second = np.array([0.81, 0.75, 0.92]) * unit, np.array([0.80, 0.74, 0.91]) * unit
    for x, y in ((first, second), (second, first)):
        result = compare.bayesian_correlated_t(x, y, rope=0.01 * unit, ratio=0.5)
        assert (result.first_better, result.equivalent, result.second_better) == (0, 1, 0)
    beyond = compare.bayesian_correlated_t(first, second, rope=0.0099 * unit, ratio=0.5)
    assert (beyond.first_better, beyond.equivalent, beyond.second_better) == (1, 0, 0)


def test_the_verdict_is_the_most_probable_outcome() -> None:
    """Below a threshold of one half the first of the three outcomes is not favoured."""
    pairs = compare.bayesian(TABLE, rope=0.01, threshold=0.05).pairs
    outcomes = pairs[["first_better", "equivalent", "second_better"]].to_numpy()
    names = pairs.assign(equivalent="equivalent")[["first", "equivalent", "second"]].to_numpy()
    assert pairs["verdict"].tolist() == names[range(len(pairs)), outcomes.argmax(axis=1)].tolist()


REFUSED = [
    (
        lambda: compare.bayesian_signed_rank([1, 2], [2, 1], rope=-1),
        "the region of practical equivalence is -1; give a half-width of 0 or more",
    ),
    (
        lambda: compare.bayesian_signed_rank([1, 2], [2, 1], rope=0, samples=0),
        "the number of samples is 0; give a whole number of samples, 1 or more",
    ),
    (
        lambda: compare.bayesian(TABLE, rope=0.1, folds=4),
        "14 rows are not whole repeats of 4-fold cross-validation; give every fold a row",
    ),
]


@pytest.mark.parametrize(("call", "text"), REFUSED)
def test_refusals(call: object, text: str) -> None:
    with pytest.raises(DataError) as e:
        call()  # type: ignore[operator]
    assert str(e.value) == text
