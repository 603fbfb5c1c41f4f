"""Influence values against finite differences, jackknives, copies, DeLong and R's pROC."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench import metrics
from deabench.errors import DataError
from deabench.inference.moments import mean_covariance
from deabench.inference.samples.influence import (
    Answers,
    count_influence,
    misplacement_size,
    placement_values,
    precision_area_influence,
)
from deabench.metrics.formulas import METRICS
from deabench.metrics.multiclass import OVERALL_METRICS

ORACLES = Path(__file__).parents[1] / "oracles"
COUNTS = np.array([[45, 5, 90, 360], [31, 19, 13, 437], [28, 22, 225, 225]], float).T
JUDGING = [name for name in METRICS if METRICS[name].better != "neither"]


def values_of(name, cells):
    table = pd.DataFrame(cells.T, columns=["tp", "fn", "fp", "tn"], index=["a", "b", "c"])
    table.attrs["weighted"] = "cells that are no whole numbers"
    return metrics.from_counts(table, metrics=[name])[name].to_numpy()


@pytest.mark.parametrize("name", JUDGING)
def test_values_and_derivatives_of_counts(name):
    """Values are those of `deabench.metrics`; derivatives by the classes' rates and shares those of
    finite differences.
    """
    influence = count_influence(name, COUNTS)
    np.testing.assert_allclose(influence.value, values_of(name, COUNTS), rtol=1e-13)
    step = 1e-5
    positives = COUNTS[0] + COUNTS[1]
    negatives = COUNTS[2] + COUNTS[3]
    zero = np.zeros(3)
    for c, moved in (
        (0, np.array([positives, -positives, zero, zero])),
        (1, np.array([zero, zero, -negatives, negatives])),
    ):
        difference = values_of(name, COUNTS + step * moved) - values_of(name, COUNTS - step * moved)
        np.testing.assert_allclose(
            influence.slopes["right"][c], difference / (2 * step), rtol=1e-6, atol=1e-6
        )
    n = COUNTS.sum(axis=0)
    for c, members in ((0, slice(0, 2)), (1, slice(2, 4))):
        moved = np.zeros_like(COUNTS)
        moved[members] = COUNTS[members] / COUNTS[members].sum(axis=0) * n
        difference = values_of(name, COUNTS + step * moved) - values_of(name, COUNTS - step * moved)
        np.testing.assert_allclose(
            influence.by_share[c], difference / (2 * step), rtol=1e-6, atol=1e-5
        )


def answers(n=60, k=3, seed=0, classes=2):
    """Labels, scores that are probabilities, and true classes of n instances."""
    rng = np.random.default_rng(seed)
    y = np.r_[np.arange(classes).repeat(4), rng.integers(0, classes, n - 4 * classes)]
    scores = {f"c{i}": np.clip(0.3 * (y == 1) + rng.random(n) * 0.7, 0, 1) for i in range(k)}
    return y, scores


NAMES = ["accuracy", "F1", "kappa", "mcc", "G-mean", "precision", "TPR", "roc_auc", "pr_auc"]


@pytest.mark.parametrize(
    "name", [*NAMES, "F2", "brier", "log_loss", "net_benefit@0.3", "partial_auc@0.5"]
)
@pytest.mark.parametrize("design", ["rows", "classes"])
def test_units_average_to_the_metrics(name, design):
    y, scores = answers()
    samples = db.Samples.from_scores(
        y, scores, positive=1, threshold=0.4, metrics=[name], design=design
    )
    units = samples.unit_data
    means = (units.values.sum(axis=2, dtype=float) / units.sizes).ravel()
    np.testing.assert_allclose(means, samples.values[name], rtol=1e-6)


def leave_out_each(values):
    """The answers of 400 instances without the first, without the second, and so on."""
    for t in range(400):
        rest = np.arange(400) != t
        yield rest, {label: value[rest] for label, value in values.items()}


@pytest.fixture(scope="module")
def without_each():
    """All metrics of the scores where one instance is left out, (instances, classifiers) each."""
    y, scores = answers(n=400)
    options = {"positive": 1, "threshold": 0.45, "metrics": list(NAMES)}
    tables = [
        metrics.from_scores(y[rest], part, **options) for rest, part in leave_out_each(scores)
    ]
    return {name: np.array([table[name] for table in tables]) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_influence_values_are_a_jackknifes(name, without_each):
    """Variances by rows are those of leaving out every instance in turn, to O(1/n)."""
    y, scores = answers(n=400)
    samples = db.Samples.from_scores(y, scores, positive=1, threshold=0.45, metrics=[name])
    expected = np.cov(np.log(without_each[name]).T) * 399**2 / 400
    np.testing.assert_allclose(samples.moments.sampling[0], expected, rtol=0.04, atol=2e-6)


CLASS_NAMES = ["macro_F1", "weighted_F1", "MCC", "kappa", "precision[2]"]


def answers_of_three_classes():
    y, _ = answers(n=400, classes=3)
    rng = np.random.default_rng(1)
    predicted = {
        f"c{i}": np.where(rng.random(400) < 0.7, y, rng.integers(0, 3, 400)) for i in range(3)
    }
    return y, predicted


@pytest.fixture(scope="module")
def classes_without_each():
    """All metrics of the labels where one instance is left out, (instances, classifiers) each."""
    y, predicted = answers_of_three_classes()
    names = [name.split("[")[0] for name in CLASS_NAMES]
    tables = [
        metrics.from_classes(y[rest], part, metrics=names)
        for rest, part in leave_out_each(predicted)
    ]
    return {name: np.array([table[name] for table in tables]) for name in CLASS_NAMES}


@pytest.mark.parametrize("name", CLASS_NAMES)
def test_metrics_of_three_classes_have_a_jackknifes_variance(name, classes_without_each):
    y, predicted = answers_of_three_classes()
    samples = db.Samples.from_predictions(y, predicted, metrics=[name])
    metric = name.split("[")[0]
    full = metrics.from_classes(y, predicted, metrics=[metric])[name]
    np.testing.assert_allclose(samples.values[name], full, rtol=1e-12)
    expected = np.cov(np.log(classes_without_each[name]).T) * 399**2 / 400
    np.testing.assert_allclose(samples.moments.sampling[0], expected, rtol=0.04, atol=2e-6)


OF_SCORES = ["roc_auc", "pr_auc", "brier", "log_loss"]
OF_CLASSES = ["recall", "precision", "F1", *OVERALL_METRICS]


def influence_of_units(samples):
    """n ψ_t of each classifier and metric, (k, s, n), from the units' values."""
    units = samples.unit_data
    n = units.values.shape[2]
    values = units.values.astype(float) - samples.values.to_numpy()[:, :, None]
    return values * units.counts * (n / units.sizes)[:, None]


def check_influence(make_samples, n, instances, tolerance):
    """Compare n ψ_t with the derivative by an instance's weight, and with leaving it out."""
    samples = make_samples(None)
    influence = influence_of_units(samples)
    size = np.abs(influence).max(axis=2)
    for t in instances:
        moved = []
        for weight in (1 + 1e-5, 1 - 1e-5, 0.0):
            weights = np.ones(n)
            weights[t] = weight
            moved.append(make_samples(weights).values[samples.values.columns].to_numpy())
        derivative = (moved[0] - moved[1]) / 2e-5 * n
        np.testing.assert_allclose(derivative / size, influence[:, :, t] / size, atol=tolerance)
        without = (n - 1) * (samples.values.to_numpy() - moved[2])
        # The jackknife differs by O(1/n); ratios of small shares the most.
        np.testing.assert_allclose(without / size, influence[:, :, t] / size, atol=20 / n)


def test_the_catalogue_against_derivatives_and_leaving_out():
    """Every metric of counts and scores: its influence is the derivative by a weight to 1e-5 of its
    largest value, and the jackknife's.
    """
    y, scores = answers(n=90)
    scores = {name: 0.02 + 0.96 * values for name, values in scores.items()}

    def make_samples(weight):
        return db.Samples.from_scores(
            y,
            scores,
            positive=1,
            threshold=0.45,
            metrics=[*JUDGING, *OF_SCORES],
            sample_weight=weight,
        )

    check_influence(make_samples, 90, [0, 7, 31], 1e-5)


def test_metrics_of_classes_against_derivatives_and_leaving_out():
    """Those without a formula are jackknifed: their derivatives agree to O(1/n)."""
    y, _ = answers(n=90, classes=3)
    rng = np.random.default_rng(4)
    predicted = {
        f"c{i}": np.where(rng.random(90) < 0.7, y, rng.integers(0, 3, 90)) for i in range(2)
    }

    def make_samples(weight):
        return db.Samples.from_classes(y, predicted, metrics=OF_CLASSES, sample_weight=weight)

    check_influence(make_samples, 90, [0, 31], 10 / 90)


def test_weights_are_repeated_instances():
    """Whole weights count like copies: same metrics, and the variance of clusters of copies."""
    y, scores = answers(n=80)
    weight = np.random.default_rng(2).integers(1, 4, 80)
    copies = np.repeat(np.arange(80), weight)
    names = ["accuracy", "F1", "TPR", "roc_auc", "pr_auc", "brier"]
    options = {"positive": 1, "threshold": 0.4, "metrics": names}
    weighted = db.Samples.from_scores(y, scores, sample_weight=weight, **options)
    copied = {label: score[copies] for label, score in scores.items()}
    clustered = db.Samples.from_scores(y[copies], copied, clusters=copies, **options)
    np.testing.assert_allclose(weighted.values, clustered.values, rtol=1e-12)
    np.testing.assert_allclose(
        weighted.moments.joint(0.0), clustered.moments.joint(0.0), rtol=1e-9, atol=1e-15
    )


def test_average_precision_moves_as_its_influence_says():
    y, scores = answers(n=30)
    values = np.round(np.array(list(scores.values())), 1)  # with ties
    classes = np.where(y == 1, 0, 1)
    features = {}
    base = precision_area_influence(Answers(classes, ("1", "0"), None, features, scores=values))
    step = 1e-6
    for t in (0, 5, 11, 29):
        weight = np.ones(30)
        weight[t] += step
        raised = precision_area_influence(Answers(classes, ("1", "0"), weight, {}, scores=values))
        expected = features["pr_auc"][:, t] - base.value
        np.testing.assert_allclose((raised.value - base.value) / step * 30, expected, atol=1e-3)


@pytest.mark.parametrize("name", ["KS", "ece", "TPR@FPR=0.1", "precision@10"])
def test_what_is_not_smooth_is_refused(name):
    y, scores = answers()
    with pytest.raises(DataError, match="is not smooth, so no sampling error of it holds"):
        db.Samples.from_scores(y, scores, positive=1, metrics=[name])


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


@pytest.mark.parametrize("design", ["rows", "classes"])
@pytest.mark.parametrize("name", ["F1", "G-mean", "MCC", "accuracy"])
def test_the_delta_method_is_what_many_draws_show(name, design):
    """The standard error of a log metric beside the spread of 4,000 draws of the design."""
    rng = np.random.default_rng(2)
    positives = np.full(4000, 400) if design == "classes" else rng.binomial(1300, 400 / 1300, 4000)
    tp = rng.binomial(positives, 0.8)
    tn = rng.binomial(1300 - positives, 0.9)
    cells = np.array([tp, positives - tp, 1300 - positives - tn, tn])
    drawn = np.log(count_influence(name, cells.astype(float)).value)
    table = pd.DataFrame(
        {"tp": [320, 320], "fn": [80, 80], "fp": [90, 90], "tn": [810, 810]}, index=["a", "b"]
    )
    samples = db.Samples.from_counts(table, metrics=[name], design=design)
    assert np.sqrt(samples.moments.sampling[0, 0, 0]) == pytest.approx(drawn.std(), rel=0.05)


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
