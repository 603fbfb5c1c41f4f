"""Designs: class counts at random or chosen, clusters, weights, several classes."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import deabench as db
from deabench.inference import learned_mix

Y = np.r_[np.ones(530, int), np.zeros(470, int)]
ALL = {"all-pos": np.ones(1000, int), "all-neg": np.zeros(1000, int)}


def predictions(y, k=3, seed=0):
    rng = np.random.default_rng(seed)
    return {f"c{i}": np.where(rng.random(len(y)) < 0.8, y, 1 - y) for i in range(k)}


def test_random_class_counts_are_part_of_the_error():
    """Accuracies of .53 and .47 that differ by the class counts alone are not told apart."""
    by_rows = db.Samples.from_predictions(Y, ALL, positive=1, metrics=["accuracy"])
    outcomes = {name: (labels == Y) * 1.0 for name, labels in ALL.items()}
    same = db.Samples.from_outcomes({"accuracy": pd.DataFrame(outcomes)})
    np.testing.assert_allclose(by_rows.moments.sampling, same.moments.sampling, rtol=0.005)
    assert (db.uncertainty(by_rows).verdicts == "undecided").all()
    assert "Class counts are taken as random (design='rows')." in by_rows.summary()
    chosen = db.Samples.from_predictions(Y, ALL, positive=1, metrics=["accuracy"], design="classes")
    assert db.uncertainty(chosen).verdicts.to_dict() == {
        "all-pos": "efficient",
        "all-neg": "dominated",
    }


def test_rates_of_a_class_are_the_same_by_both_designs():
    y = np.repeat([1, 0], [60, 140])
    rows = db.Samples.from_predictions(y, predictions(y), positive=1)
    classes = db.Samples.from_predictions(y, predictions(y), positive=1, design="classes")
    np.testing.assert_array_equal(rows.moments.sampling, classes.moments.sampling)


def test_clusters_sum_influence_values():
    """The covariance of recalls from sums over clusters, and Student's degrees of freedom."""
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], [90, 110])
    groups = rng.integers(0, 25, 200)
    labels = predictions(y)
    samples = db.Samples.from_predictions(y, labels, positive=1, clusters=groups)
    right = np.array([labels[name] == y for name in labels])[:, :90].astype(float)
    centred = (right - right.mean(axis=1, keepdims=True)) * 200 / 90
    totals = np.array([centred[:, groups[:90] == g].sum(axis=1) for g in range(25)])
    recall = right.mean(axis=1)
    expected = totals.T @ totals * 25 / 24 / 200**2 / np.outer(recall, recall)
    np.testing.assert_allclose(samples.moments.sampling[0], expected, rtol=1e-9)
    sizes = np.bincount(groups)
    degrees = sizes.sum() ** 2 / (sizes**2).sum() - 1
    assert degrees < 24
    np.testing.assert_allclose(samples.moments.degrees, degrees)
    assert samples.design == "clusters"
    assert samples.unit_data.values.shape == (3, 2, 25)


def test_clusters_of_copies_raise_the_flips_by_the_design_effect():
    """Ten copies of each instance: the variance and the flips are those of single instances."""
    y = np.repeat([1, 0], [40, 60])
    labels = predictions(y, seed=2)
    single = db.Samples.from_predictions(y, labels, positive=1)
    copies = {name: np.repeat(values, 10) for name, values in labels.items()}
    copied = db.Samples.from_predictions(
        np.repeat(y, 10), copies, positive=1, clusters=np.repeat(np.arange(100), 10)
    )
    np.testing.assert_allclose(copied.moments.sampling, single.moments.sampling, rtol=0.02)
    np.testing.assert_allclose(copied.moments.ridge, single.moments.ridge, rtol=0.05)


def test_few_effective_clusters_are_warned_of(warned):
    y = np.repeat([1, 0], [60, 60])
    groups = np.r_[np.zeros(60, int), np.arange(1, 61)]
    with warned(
        "61 clusters are worth 3.9 of equal size, which are few: their spread is hardly known, and "
        "the intervals are wide for it"
    ):
        db.Samples.from_predictions(y, predictions(y), positive=1, clusters=groups)


def test_three_classes_have_the_recall_of_each():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 300)
    labels = {name: np.where(rng.random(300) < 0.7, y, (y + 1) % 3) for name in "ab"}
    samples = db.Samples.from_predictions(y, labels)
    assert list(samples.values.columns) == ["recall[0]", "recall[1]", "recall[2]"]
    expected = db.metrics.from_classes(y, labels, metrics=["recall", "macro_F1"])
    np.testing.assert_allclose(samples.values, expected.iloc[:, :3], rtol=1e-12)
    named = db.Samples.from_predictions(y, labels, positive=1, metrics=["recall", "precision"])
    assert list(named.values.columns) == ["recall", "precision"]
    scores = {
        name: pd.DataFrame({c: (values == c) + rng.random(300) for c in range(3)})
        for name, values in labels.items()
    }
    areas = db.Samples.from_class_scores(y, scores, metrics=["macro_roc_auc", "weighted_roc_auc"])
    table = db.metrics.from_class_scores(y, scores)
    np.testing.assert_allclose(
        areas.values, table[["macro_roc_auc", "weighted_roc_auc"]], rtol=1e-12
    )


def test_a_declared_metric_is_jackknifed_by_groups():
    """Half the recall plus half the specificity: the variance of the balanced accuracy."""
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 3000)
    labels = predictions(y, seed=5)

    def balanced(true, values):
        return (values[true == 1].mean() + 1 - values[true == 0].mean()) / 2

    declared = db.metrics.Metric("mine", balanced, range=(0, 1))
    samples = db.Samples.from_predictions(y, labels, positive=1, metrics=[declared])
    known = db.Samples.from_predictions(y, labels, positive=1, metrics=["balanced_accuracy"])
    np.testing.assert_allclose(samples.values["mine"], known.values["balanced_accuracy"])
    ratio = np.diag(samples.moments.sampling[0]) / np.diag(known.moments.sampling[0])
    # A variance from 50 groups is known to 20 %.
    assert (ratio > 0.5).all()
    assert (ratio < 1.7).all()
    assert samples.moments.degrees.tolist() == [49]
    assert "without each of 50 random groups" in samples.summary()


def test_metrics_that_are_better_low_become_costs():
    rng = np.random.default_rng(6)
    y = rng.integers(0, 2, 200)
    scores = {name: np.clip(0.5 * y + rng.random(200) / 2, 0, 1) for name in "ab"}
    samples = db.Samples.from_scores(y, scores, positive=1, metrics=["brier", "roc_auc"])
    assert list(samples.values.columns) == ["roc_auc", "brier"]
    assert samples.costs == ("brier",)
    assert db.uncertainty(samples).scores.between(0, 1).all()


@pytest.mark.parametrize("name", ["prevalence", "null_accuracy"])
def test_metrics_that_judge_nothing_are_refused(refused, name):
    with refused(f"metric '{name}' describes the data and judges no classifier; choose another"):
        db.Samples.from_predictions(Y, ALL, positive=1, metrics=[name])


def test_samples_and_answers_go_to_other_processes():
    """Units that are computed on demand are pickled as what they are computed from."""
    y = np.r_[np.ones(40, int), np.zeros(40, int)]
    samples = db.Samples.from_predictions(y, {"a": y, "b": 1 - y}, positive=1)
    answer = db.uncertainty(samples)
    copied = pickle.loads(pickle.dumps(answer))
    assert copied.verdicts.tolist() == answer.verdicts.tolist() == ["undecided", "dominated"]
    np.testing.assert_array_equal(copied.samples.units, samples.units)
    again = pickle.loads(pickle.dumps(samples.unit_data))
    members = np.array([3, 41])
    np.testing.assert_array_equal(again.source(members), samples.units[:, :, members])


def test_units_computed_in_pieces_give_the_same(monkeypatch):
    """Large test sets are computed piece by piece: same verdicts, and same limits of a gate."""
    y = np.repeat([1, 0], [60, 90])
    labels = predictions(y)
    metrics = ["TPR", "TNR", "F1", "MCC"]

    def judge():
        samples = db.Samples.from_predictions(y, labels, positive=1, metrics=metrics)
        gate = db.gate(samples, "c0")
        return db.uncertainty(samples).evidence, (gate.lower, gate.upper)

    evidence, limits = judge()
    monkeypatch.setattr(learned_mix, "MAX_HELD", 0)
    monkeypatch.setattr(learned_mix, "MAX_SLAB", 3 * len(metrics) * 20)
    evidence_in_pieces, limits_in_pieces = judge()
    pd.testing.assert_frame_equal(evidence_in_pieces, evidence, rtol=1e-5)
    assert limits_in_pieces == pytest.approx(limits, rel=1e-5)


def test_clusters_may_be_named_as_the_design():
    y = np.repeat([1, 0], 30)
    clusters = np.arange(60) // 3
    named, implied = (
        db.Samples.from_predictions(y, predictions(y), positive=1, clusters=clusters, **options)
        for options in ({"design": "clusters"}, {})
    )
    assert named.design == implied.design == "clusters"
    pd.testing.assert_frame_equal(named.to_frame(), implied.to_frame())


def test_a_coefficient_of_0_has_no_logarithm_and_a_loss_is_a_cost():
    """MCC is 0 where right and wrong answers are as many; of 9, 1, 2 and 8 it is 70 / √9900."""
    counts = pd.DataFrame(
        {"tp": [5, 9], "fn": [5, 1], "fp": [5, 2], "tn": [5, 8]}, index=["even", "good"]
    )
    with warnings.catch_warnings():
        # No warning of numpy's speaks of the logarithm.
        warnings.simplefilter("error", RuntimeWarning)
        logs = db.Samples.from_counts(counts, metrics=["MCC"]).moments.logs
    assert np.isnan(logs[0, 0])
    assert logs[1, 0] == pytest.approx(np.log(70 / np.sqrt(9900)))
    # Without a false alarm half of one counts: FPR is .5 of 10, and a cost comes last.
    counts = counts.assign(fp=[0, 2], tn=[10, 8])
    rates = db.Samples.from_counts(counts, metrics=["FPR", "TPR"])
    assert (list(rates.values), rates.costs) == (["TPR", "FPR"], ("FPR",))
    np.testing.assert_allclose(np.exp(rates.moments.logs), [[0.5, 0.05], [0.9, 0.2]])
    y = np.repeat([1, 0], 20)
    scores = {name: np.random.default_rng(k).random(40) for k, name in enumerate("ab")}
    losses = db.Samples.from_scores(y, scores, metrics=["brier", "roc_auc"], positive=1)
    assert list(losses.values.columns) == ["roc_auc", "brier"]
    assert losses.unit_data.is_cost.tolist() == [False, True]
    assert losses.costs == ("brier",)


def test_units_carry_the_weights_of_their_instances():
    """Ten instances of either class: their weighted hits add up to ten times the weighted rate."""
    y = np.array([1, 0] * 10)
    answers = {"a": y, "b": np.where(np.arange(20) < 14, y, 1 - y)}
    weight = np.random.default_rng(0).random(20) + 0.5
    samples = db.Samples.from_predictions(y, answers, positive=1, sample_weight=weight)
    hits = [weight[(y == c) & (answers["b"] == y)].sum() / weight[y == c].sum() for c in (1, 0)]
    np.testing.assert_allclose(samples.values, [[1, 1], hits])
    sums = samples.unit_data.take(np.arange(20)).sum(axis=2)
    np.testing.assert_allclose(sums / 10, samples.values, rtol=1e-6)


def test_areas_of_classes_are_the_metrics_where_none_is_named():
    y = np.array(list("abc") * 6)
    shares = np.random.default_rng(0).dirichlet([1, 1, 1], 18)
    scores = {
        "m": pd.DataFrame(shares, columns=list("abc")),
        "n": pd.DataFrame(shares[::-1], columns=list("abc")),
    }
    values = db.Samples.from_class_scores(y, scores).values
    assert list(values) == ["roc_auc[a]", "roc_auc[b]", "roc_auc[c]"]
    assert values.loc["m", "roc_auc[b]"] == pytest.approx(roc_auc_score(y == "b", shares[:, 1]))


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_counts_of_folds_and_of_data_sets_are_blocks():
    rows = [(d, c, f, 8, 2, 1, 9 - k) for d in "xy" for k, c in enumerate("ab") for f in (0, 1)]
    columns = ["dataset", "classifier", "fold", "tp", "fn", "fp", "tn"]
    counts = pd.DataFrame(rows, columns=columns)
    assert db.uncertainty(counts).samples.sizes == {"data sets": 2}
    folds = counts[counts["dataset"] == "x"].drop(columns="dataset")
    assert db.uncertainty(folds).samples.sizes == {"folds": 2}


def test_multiples_of_systems_take_the_limits():
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], 40)
    answers = {name: np.where(rng.random(80) < 0.8, y, 1 - y) for name in "abc"}
    samples = db.Samples.from_predictions(y, answers, positive=1, metrics=["TPR", "FPR"])
    notes = db.uncertainty(samples, inputs=["FPR"], returns="crs").notes
    assert notes[-1] == (
        "verdicts: by the upper limits of the scores, because multiples of systems count, and a "
        "learned mix is none"
    )


def test_a_coefficient_of_0_has_no_logarithm_beside_paired_answers_either():
    y = np.repeat([1, 0], 10)
    labels = {"even": np.tile([1, 0], 10), "good": y}
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        moments = db.Samples.from_predictions(y, labels, positive=1, metrics=["MCC"]).moments
        assert np.isnan(moments.logs[:, 0]).tolist() == [True, False]
        assert np.isnan(moments.ridge[:, 0]).tolist() == [True, False]


def test_clusters_of_one_instance_are_no_clusters():
    y = np.repeat([1, 0], [8, 12])
    labels = predictions(y, seed=2)
    single = db.Samples.from_predictions(y, labels, positive=1)
    alone = db.Samples.from_predictions(y, labels, positive=1, clusters=np.arange(20))
    np.testing.assert_allclose(alone.moments.ridge, single.moments.ridge, rtol=1e-12)
