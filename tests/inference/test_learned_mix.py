"""Cross-fitted statistics against their definition, and the dominated ones that they find."""

import numpy as np
import pytest
from scipy import stats

from deabench.inference import learned_mix
from deabench.inference.learned_mix import Units


def hits(rng, recalls, n):
    """Answers of classifiers with given recalls, each metric on instances of its own."""
    k, s = recalls.shape
    values = np.zeros((k, s, n * s), np.float32)
    counts = np.zeros((s, n * s), bool)
    for r in range(s):
        block = slice(r * n, (r + 1) * n)
        values[:, r, block] = rng.random((k, n)) < recalls[:, [r]]
        counts[r, block] = True
    return Units(values, counts, np.repeat(np.arange(s), n), np.zeros(s, bool))


def test_the_statistic_is_that_of_its_definition():
    """T of one draw from loops over folds, units and metrics, with the variance of learning."""
    units = hits(np.random.default_rng(0), np.array([[0.8, 0.7], [0.7, 0.8], [0.6, 0.5]]), 40)
    fit = learned_mix.cross_fit(units, folds=4, draws=1, seed=3)
    fold = learned_mix.deal_folds(units.strata, 4, np.random.default_rng(3))
    moments = learned_mix.fold_moments(units, fold[None], 4)
    mixes = learned_mix.learn_mixes(moments, units.is_cost)[0]
    mean_mix = np.mean(mixes, axis=0)
    np.testing.assert_allclose(fit.mixes, mean_mix, rtol=1e-12)
    for i in range(3):
        by_metric = []
        for r in range(2):
            selected = units.counts[r]
            P = units.values[:, r, selected].astype(float)
            D = np.empty(P.shape[1])
            for f, mix in enumerate(mixes):
                part = fold[selected] == f
                D[part] = mix[i] @ P[:, part] - P[i, part]
            sigma = np.cov(P, bias=True)
            B = np.diag(mean_mix[i]) - np.outer(mean_mix[i], mean_mix[i])
            variance = np.mean([np.var(P[j] - P[i]) for j in range(3) if j != i])
            spread = max(variance, 0.25 * (P**2).mean() / 40)
            extra = 40 * (1 - 1 / 4) * 4 / spread * np.trace(B @ sigma @ B @ sigma)
            by_metric.append(D.sum() / np.sqrt((D**2).sum() + extra))
        assert fit.statistic[i] == pytest.approx(min(by_metric), rel=1e-9)


def test_products_of_metrics_are_those_of_deviations_from_the_mean_classifier():
    rng = np.random.default_rng(4)
    values = rng.random((3, 2, 12)).astype(np.float32)
    units = Units(values, np.ones((2, 12), bool), np.zeros(12, int), np.zeros(2, bool))
    fold = np.arange(12) % 3
    products = learned_mix.fold_moments(units, fold[None], 3).metric_products[0]
    for f in range(3):
        expected = np.zeros((2, 2))
        for t in np.flatnonzero(fold == f):
            for j in range(3):
                deviation = values[j, :, t] - values[:, :, t].mean(axis=0)
                expected += np.outer(deviation, deviation)
        np.testing.assert_allclose(products[f], expected, rtol=1e-5)


def test_folds_take_every_stratum_in_proportion():
    strata = np.repeat([0, 1, 2], [50, 30, 23])
    fold = learned_mix.deal_folds(strata, 10, np.random.default_rng(0))
    for stratum, size in enumerate((50, 30, 23)):
        counts = np.bincount(fold[strata == stratum], minlength=10)
        assert counts.max() - counts.min() <= 1
        assert counts.sum() == size
    assert np.ptp(np.bincount(fold)) <= 1


def test_a_mix_that_no_single_rival_replaces_is_found():
    """Half of 'a' and half of 'b' beat 'c' in both metrics; neither does alone."""
    units = hits(np.random.default_rng(1), np.array([[0.95, 0.5], [0.5, 0.95], [0.6, 0.6]]), 600)
    fit = learned_mix.cross_fit(units)
    p = learned_mix.tail_probability(fit.statistic, 599)
    assert learned_mix.holm_rejections(p, 0.05).tolist() == [False, False, True]
    np.testing.assert_allclose(fit.mixes[2], [0.5, 0.5, 0], atol=0.1)
    ratio = fit.secure_ratio(stats.norm.ppf(1 - 0.05 / 3))[2]
    assert 1 < ratio < 0.725 / 0.6


def test_equal_units_show_nothing():
    """Ten equal units cap the statistic at √10, however large the gap is."""
    values = np.ones((2, 1, 10), np.float32) * np.array([0.9, 0.5], np.float32)[:, None, None]
    units = Units(values, np.ones((1, 10), bool), np.zeros(10, int), np.zeros(1, bool))
    fit = learned_mix.cross_fit(units)
    assert fit.statistic.max() == pytest.approx(np.sqrt(10), rel=1e-6)


def test_a_cost_counts_the_other_way_round():
    units = hits(np.random.default_rng(2), np.array([[0.8], [0.6]]), 300)
    costs = Units(units.values, units.counts, units.strata, np.ones(1, bool))
    gains = learned_mix.cross_fit(units).statistic
    losses = learned_mix.cross_fit(costs).statistic
    np.testing.assert_allclose(losses, gains[::-1], rtol=0.2)
    assert gains[1] > 3
    assert losses[0] > 3


def test_units_do_not_depend_on_a_scale():
    """Other units of measurement change no statistic."""
    units = hits(np.random.default_rng(3), np.array([[0.8, 0.7], [0.7, 0.7], [0.7, 0.6]]), 60)
    scaled = Units(units.values * 1024, units.counts, units.strata, units.is_cost)
    np.testing.assert_allclose(
        learned_mix.cross_fit(scaled).statistic,
        learned_mix.cross_fit(units).statistic,
        rtol=1e-9,
    )


def test_holm():
    p = np.array([0.011, 0.02, 0.001, 0.9])
    assert learned_mix.holm_rejections(p, 0.05).tolist() == [True, True, True, False]
    assert learned_mix.holm_rejections(np.array([0.02, 0.02]), 0.03).tolist() == [False, False]
