"""Gradients against finite differences, covariances against a jackknife, DeLong and R's pROC."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench import metrics
from deabench.inference.moments import (
    LOG_METRICS,
    Rates,
    mean_covariance,
    misplacement_size,
    placement_values,
)

ORACLES = Path(__file__).parents[1] / "oracles"
RATES = Rates(np.array([0.9, 0.62, 0.55]), np.array([0.8, 0.97, 0.5]), 50, 450)


def counts(rates):
    tp, tn = rates.positives * rates.t, rates.negatives * rates.u
    return pd.DataFrame(
        {"tp": tp, "fn": rates.positives - tp, "fp": rates.negatives - tn, "tn": tn},
        index=["a", "b", "c"],
    )


@pytest.mark.parametrize("name", sorted(LOG_METRICS))
def test_values_and_gradients(name):
    """Values are those of `deabench.metrics`; derivatives of the logarithm those of finite
    differences.
    """
    value, by_t, by_u = LOG_METRICS[name](RATES)
    integer_counts = counts(RATES).round().astype(int)
    rates = Rates(
        (integer_counts["tp"] / 50).to_numpy(), (integer_counts["tn"] / 450).to_numpy(), 50, 450
    )
    np.testing.assert_allclose(
        LOG_METRICS[name](rates)[0],
        metrics.from_counts(integer_counts, metrics=[name])[name],
        rtol=1e-13,
    )
    step = 1e-6
    for derivative, (dt, du) in ((by_t, (step, 0)), (by_u, (0, step))):
        up = LOG_METRICS[name](Rates(RATES.t + dt, RATES.u + du, 50, 450))[0]
        down = LOG_METRICS[name](Rates(RATES.t - dt, RATES.u - du, 50, 450))[0]
        np.testing.assert_allclose(
            derivative, (np.log(up) - np.log(down)) / (2 * step), rtol=1e-6, atol=1e-8
        )
    assert (value > 0).all()


def test_the_covariance_of_means_is_numpys():
    rng = np.random.default_rng(0)
    hits = rng.random((4, 1, 60)) < 0.7
    covariance = mean_covariance(hits)[:, 0, :, 0]
    np.testing.assert_allclose(covariance, np.cov(hits[:, 0]) / 60, rtol=1e-12, atol=1e-17)
    values = rng.normal(size=(3, 2, 40))
    np.testing.assert_allclose(
        mean_covariance(values).reshape(6, 6), np.cov(values.reshape(6, 40)) / 40, rtol=1e-12
    )


def test_areas_and_their_errors_are_pROCs():
    data = pd.read_csv(ORACLES / "delong_data.csv")
    y, scores = data.iloc[:, 0], data.iloc[:, 1:]
    samples = db.Samples.from_scores(y, scores, positive=1)
    reference = metrics.delong(y, scores, positive=1)
    np.testing.assert_allclose(samples.values["roc_auc"], reference.auc, rtol=1e-13)
    np.testing.assert_allclose(
        samples.to_frame()["roc_auc_se"], np.sqrt(np.diag(reference.covariance)), rtol=1e-12
    )
    a = reference.auc.to_numpy()
    np.testing.assert_allclose(
        samples.moments.sampling[0], reference.covariance / np.outer(a, a), rtol=1e-12
    )


def test_placements_have_the_area_as_their_mean():
    rng = np.random.default_rng(1)
    ups, downs = (
        rng.integers(0, 6, (2, 30)).astype(float),
        rng.integers(0, 6, (2, 50)).astype(float),
    )
    brute = ((ups[:, :, None] > downs[:, None]) + 0.5 * (ups[:, :, None] == downs[:, None])).mean(
        axis=(1, 2)
    )
    for placed in placement_values(np.arange(80) < 30, np.hstack([ups, downs])):
        np.testing.assert_allclose(placed.mean(axis=1), brute, rtol=1e-13)


@pytest.mark.parametrize("name", ["F1", "G-mean", "MCC", "accuracy"])
def test_the_delta_method_is_what_many_draws_show(name):
    """The standard error of a log metric beside the spread of 4,000 binomial draws."""
    rng = np.random.default_rng(2)
    tp, tn = rng.binomial(400, 0.8, 4000), rng.binomial(900, 0.9, 4000)
    log_values = LOG_METRICS[name](Rates(tp / 400, tn / 900, 400, 900))[0]
    table = pd.DataFrame(
        {"tp": [320, 320], "fn": [80, 80], "fp": [90, 90], "tn": [810, 810]}, index=["a", "b"]
    )
    error = np.sqrt(db.Samples.from_counts(table, metrics=[name]).moments.sampling[0, 0, 0])
    assert error == pytest.approx(np.log(log_values).std(), rel=0.05)


def test_one_flip():
    """Recall moves by 1/x, G-mean by .5/x, the area by 1/(n · AUC) times the size of a
    misplacement; no success is half a one.
    """
    table = pd.DataFrame(
        {"tp": [8, 0], "fn": [2, 10], "fp": [5, 0], "tn": [45, 50]}, index=["a", "b"]
    )
    moments = db.Samples.from_counts(table, metrics=["TPR", "G-mean"]).moments
    np.testing.assert_allclose(moments.sources[0].flips, [[1 / 8, 0.5 / 8], [2, 1]])
    np.testing.assert_allclose(moments.sources[1].flips, [[0, 0.5 / 45], [0, 0.5 / 50]])
    y = [1] * 3 + [0] * 4
    scores = {"a": [3, 4, 1, 0, 2, 1.5, 0.5], "b": [1, 2, 3, 0, 0, 0, 2.5]}
    moments = db.Samples.from_scores(y, scores, positive=1).moments
    area = np.exp(moments.logs[:, 0])
    sizes = [
        (1 / 8 + 0.5) / (1 / 4 + 0.5),
        (2 / 64 + 0.5) / (2 / 16 + 0.5),
    ]  # losses of the positives: 0, 0, 1/2 and 1/4, 1/4, 0
    np.testing.assert_allclose(moments.sources[0].flips[:, 0], sizes / (3 * area))
    sizes = [
        (2 / 27 + 0.5) / (2 / 9 + 0.5),
        (8 / 27 + 0.5) / (4 / 9 + 0.5),
    ]  # of the negatives: 0, 1/3, 1/3, 0 and 0, 0, 0, 2/3
    np.testing.assert_allclose(moments.sources[1].flips[:, 0], sizes / (4 * area))


def test_the_size_of_a_misplacement():
    """1 where the area is a recall or nothing is misplaced; else that of the losses, with half a
    whole one added.
    """
    placed = np.array([[1.0] * 8, [0.0, 0.0] + [1.0] * 6, [0.5] * 8])
    assert misplacement_size(placed).tolist() == [1, 1, (8 / 8 + 0.5) / (8 / 4 + 0.5)]
    rng = np.random.default_rng(0)
    smooth = rng.beta(6, 1, (3, 400))
    loss = 1 - smooth
    np.testing.assert_allclose(
        misplacement_size(smooth), ((loss**3).sum(axis=1) + 0.5) / ((loss**2).sum(axis=1) + 0.5)
    )
    assert (misplacement_size(smooth) < 0.6).all()


def test_an_area_that_is_a_recall_has_the_recalls_ridge():
    """Positives above all negatives or below all: the area's errors are those of the recall, the
    small-sample rule included.
    """
    y = np.repeat([1, 0], [40, 60])
    rng = np.random.default_rng(1)
    hits = rng.random((2, 40)) < 0.8
    scores = {
        name: np.r_[np.where(hits[i], 2.0, -2.0), rng.uniform(-1, 1, 60)]
        for i, name in enumerate("ab")
    }
    samples = db.Samples.from_scores(
        y, scores, positive=1, threshold=0.0, metrics=("TPR", "roc_auc")
    )
    np.testing.assert_allclose(samples.values["TPR"], samples.values["roc_auc"])
    positives = samples.moments.sources[0]
    np.testing.assert_allclose(positives.flips[:, 0], positives.flips[:, 1])
