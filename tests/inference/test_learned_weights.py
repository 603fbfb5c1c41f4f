"""Weights of metrics that show a candidate to be good enough."""

import numpy as np
import pytest
from scipy.optimize import linprog
from simulations.decisions import outcomes, units_of_outcomes

from deabench.inference.decisions.learned_weights import (
    WEIGHT_SOFTNESS,
    choose_softness,
    lower_limit,
    soft_weights,
)


def test_weights_are_those_of_the_game_where_leads_are_clear():
    """With leads of many standard errors the soft game is the game: max over w of min over j."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        leads = 40 * rng.normal(size=(4, 3))
        weights, mix = soft_weights(leads)
        # max t subject to leads w ≥ t, Σw = 1.
        solution = linprog(
            [0, 0, 0, -1],
            A_ub=np.hstack([-leads, np.ones((4, 1))]),
            b_ub=np.zeros(4),
            A_eq=[[1, 1, 1, 0]],
            b_eq=[1],
            bounds=[(0, None)] * 3 + [(None, None)],
        )
        value = -solution.fun
        assert weights.sum() == pytest.approx(1)
        assert mix.sum() == pytest.approx(1)
        assert (leads @ weights).min() <= value + 1e-9
        assert (leads @ weights).min() >= value - 0.2 * np.abs(leads).max()


def test_equal_leads_have_equal_weights():
    weights, mix = soft_weights(np.zeros((3, 4)))
    np.testing.assert_allclose(weights, 0.25)
    np.testing.assert_allclose(mix, 1 / 3)


def test_one_metric_has_all_the_weight():
    weights, _ = soft_weights(np.array([[1.0], [-2.0]]))
    np.testing.assert_allclose(weights, 1.0)


def test_the_limit_of_one_metric_and_one_rival_by_hand():
    """Σ(a − q b) = z √(Σ(a − q b)² + c²): one draw or five give the same, there is nothing to
    learn.
    """
    values = outcomes(np.random.default_rng(1), np.array([[0.9], [0.85]]), 400, 0.5)
    units = units_of_outcomes(values)
    limits = [
        lower_limit(units, 1, 0.95, 1.96, np.array([1.96**2]), folds=10, seed=0, draws=draws)
        for draws in (1, 5)
    ]
    a, b = values[:, 1, 0], values[:, 0, 0]
    for q in (limits[0] - 0.004, limits[0] + 0.004):
        differences = a - q * b
        statistic = differences.sum() / np.sqrt((differences**2).sum() + 1.96**2)
        assert (statistic > 1.96) == (q < limits[0])
    assert limits[0] == pytest.approx(limits[1], abs=0.002)


def test_the_limit_uses_the_metric_that_is_ahead():
    """Ahead in one metric and far behind in the other: efficient all the same."""
    truth = np.array([[0.9, 0.7], [0.6, 0.9]])
    units = units_of_outcomes(outcomes(np.random.default_rng(2), truth, 400, 0.3))
    for row in (0, 1):
        limit = lower_limit(units, row, 0.95, 1.96, np.full(2, 1.96**2), folds=10, seed=0)
        assert limit == pytest.approx(1.0)


def draw_limit_law(rng, correlations, softness, draws, folds=10):
    """Statistics of metrics (s) that tie, one rival: fold sums are normal, and the weights are the
    softmax of the other folds' leads.
    """
    root = np.linalg.cholesky(correlations)
    sums = rng.standard_normal((draws, folds, len(root))) @ root.T / np.sqrt(folds)
    leads = (sums.sum(axis=1, keepdims=True) - sums) / np.sqrt(1 - 1 / folds)
    weights = np.exp(softness * leads)
    weights /= weights.sum(axis=2, keepdims=True)
    mean = weights.mean(axis=1)
    slope = mean[:, :, None] * np.eye(len(root)) - mean[:, :, None] * mean[:, None]
    product = slope @ correlations
    extra = softness**2 * (1 - 1 / folds) * np.trace(product @ product, axis1=1, axis2=2)
    variance = ((weights @ correlations) * weights).sum(axis=(1, 2)) / folds + extra
    return (weights * sums).sum(axis=(1, 2)) / np.sqrt(variance)


def test_weights_against_one_rival_are_a_softmax():
    leads = np.array([[0.3, -1.2, 0.8]])
    powers = np.exp(WEIGHT_SOFTNESS * leads[0])
    np.testing.assert_allclose(soft_weights(leads)[0], powers / powers.sum(), rtol=1e-12)


@pytest.mark.parametrize("s", [1, 2, 5, 10])
def test_the_limit_law_of_ties_keeps_the_level(s):
    """2.5 % of one side, by 100,000 draws; twice as steep a softmax exceeds it in .035 and more."""
    rng = np.random.default_rng(s)
    statistics = draw_limit_law(rng, np.eye(s), WEIGHT_SOFTNESS, 100_000 // s)
    assert (statistics > 1.96).mean() < 0.03
    if s == 5:
        steep = draw_limit_law(rng, np.eye(s), 2 * WEIGHT_SOFTNESS, 20_000)
        assert (steep > 1.96).mean() > 0.035


def equal_correlations(s, rho):
    return np.eye(s) * (1 - rho) + rho


@pytest.mark.parametrize(("s", "rho"), [(2, -0.5), (2, -0.9), (2, -0.99), (3, -0.45), (2, 0.7)])
def test_metrics_whose_leads_oppose_each_other_keep_the_level(s, rho):
    """A softmax as steep as that of independent metrics exceeds 2.5 % in .039 at -.9."""
    correlations = equal_correlations(s, rho)
    rng = np.random.default_rng(s)
    softness = float(choose_softness(correlations))
    statistics = draw_limit_law(rng, correlations, softness, 30_000)
    assert (statistics > 1.96).mean() < 0.0275
    if rho == -0.9:
        steep = draw_limit_law(rng, correlations, WEIGHT_SOFTNESS, 30_000)
        assert (steep > 1.96).mean() > 0.036


def test_softness_by_hand():
    """√((s − 1)/s · w'Rw / tr(BRBR)); one metric and metrics that go together keep the steepest."""
    for rho in (-0.9, -0.5):
        expected = np.sqrt(0.5 * (1 + rho) / 2 / ((1 - rho) / 2) ** 2)
        assert choose_softness(equal_correlations(2, rho)) == pytest.approx(expected)
    stacked = np.stack([equal_correlations(4, rho) for rho in (0.0, 0.5, 1.0)])
    np.testing.assert_allclose(choose_softness(stacked), WEIGHT_SOFTNESS)
    assert choose_softness(np.ones((1, 1))) == WEIGHT_SOFTNESS
    assert choose_softness(equal_correlations(2, -1.0)) == pytest.approx(0.0, abs=1e-7)


@pytest.mark.slow
def test_ties_of_metrics_do_not_raise_the_limit():
    """At the edge in five metrics at once the candidate passes in no more than 2.5 %, within four
    standard errors of 300 runs.
    """
    rng = np.random.default_rng(3)
    truth = np.array([[0.9] * 5, [0.855] * 5])
    passes = 0
    for run in range(300):
        units = units_of_outcomes(outcomes(rng, truth, 300, 0.8))
        ridge = np.full(5, 1.96**2)
        passes += lower_limit(units, 1, 0.95, 1.96, ridge, folds=10, seed=run, draws=1) >= 0.95
    assert passes / 300 <= 0.025 + 4 * np.sqrt(0.025 * 0.975 / 300)
