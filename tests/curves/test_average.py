"""Means of ROC curves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm, t
from sklearn.metrics import roc_curve

from deabench import curves
from deabench.curves.bands import interpolate_tpr


@pytest.fixture(scope="module")
def curve(normal):
    return curves.roc(*normal)


def folds(normal, k=5):
    y, s = normal
    p = norm.cdf(s - 0.75)
    return [curves.roc(y[i::k], p[i::k]) for i in range(k)]


def test_vertical_averaging_is_the_mean_and_t_interval(normal):
    fold_data, grid = folds(normal), 11
    average = curves.average_vertical(fold_data, alpha=0.1, grid=grid)
    heights = np.array(
        [
            [
                max(
                    h
                    for x, h in zip(*roc_curve(*data, drop_intermediate=False)[:2], strict=True)
                    if x <= f
                )
                for f in (0.0, 0.5, 1.0)
            ]
            for data in ((normal[0][i::5], norm.cdf(normal[1][i::5] - 0.75)) for i in range(5))
        ]
    )
    computed = average.points.loc[[0.0, 0.5, 1.0]]
    np.testing.assert_allclose(computed["TPR"], heights.mean(axis=0), atol=1e-14)
    half_width = t.ppf(0.95, 4) * heights.std(axis=0, ddof=1) / np.sqrt(5)
    np.testing.assert_allclose(
        computed["TPR_lower"], np.clip(heights.mean(axis=0) - half_width, 0, 1), atol=1e-14
    )
    np.testing.assert_allclose(
        computed["TPR_upper"], np.clip(heights.mean(axis=0) + half_width, 0, 1), atol=1e-14
    )
    assert (average.points["FPR_lower"] == average.points["FPR"]).all()
    assert len(average.points) == grid


def test_threshold_averaging_averages_the_rates_of_one_rule(normal):
    y, s = normal
    p = norm.cdf(s - 0.75)
    average = curves.average_threshold(folds(normal), grid=15)
    for at_least, row in average.points.iterrows():
        fpr, tpr = np.array(
            [
                (
                    (p[i::5] >= at_least)[y[i::5] == 0].mean(),
                    (p[i::5] >= at_least)[y[i::5] == 1].mean(),
                )
                for i in range(5)
            ]
        ).T
        assert row["FPR"] == pytest.approx(fpr.mean(), abs=1e-14)
        assert row["TPR"] == pytest.approx(tpr.mean(), abs=1e-14)
        half_width = t.ppf(0.975, 4) * fpr.std(ddof=1) / np.sqrt(5)
        assert row["FPR_upper"] == pytest.approx(min(1, fpr.mean() + half_width), abs=1e-14)
    assert average.points.index[0] == np.inf
    assert average.points.iloc[-1][["FPR", "TPR"]].tolist() == [1, 1]


def test_the_mean_of_one_curve_twice_is_that_curve(curve):
    average = curves.average_vertical([curve, curve])
    assert (average.points["TPR_lower"] == average.points["TPR_upper"]).all()
    assert (
        average.points["TPR"] == interpolate_tpr(curve, average.points["FPR"].to_numpy(), top=True)
    ).all()
