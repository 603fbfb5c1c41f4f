"""Intervals and paired differences: against closed forms, by design, perfect results, and a quick look at coverage."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from deabench import metrics as m
from deabench.bench.coverage import of_counts, of_differences, of_scores


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(2)
    y = (rng.random(200) < 0.3).astype(int)
    latent = rng.normal(size=(2, 200)) + np.array([[1.5], [0.4]]) * y
    return y, {"a": 1 / (1 + np.exp(1 - latent[0])), "b": 1 / (1 + np.exp(1 - latent[1]))}


def _labels(scores):
    return {name: (p >= 0.5).astype(int) for name, p in scores.items()}


@pytest.mark.parametrize("design", ["rows", "classes"])
def test_rates_are_jeffreys_beta_quantiles(data, design):
    """The posterior of TPR is Beta(tp + ½, fn + ½), whatever becomes of the prevalence."""
    y, scores = data
    labels = _labels(scores)
    tp, fn, fp, tn = m.count(y, labels).loc["a"]
    table = m.intervals(y, labels, metrics=["TPR", "TNR", "prevalence"], design=design, draws=20_000).table.loc["a"]
    for name, hits, misses in (("TPR", tp, fn), ("TNR", tn, fp)):
        exact = stats.beta.ppf([0.025, 0.975], hits + 0.5, misses + 0.5)
        assert table.loc[name, ["lower", "upper"]].tolist() == pytest.approx(exact, abs=0.005)
    if design == "rows":
        exact = stats.beta.ppf([0.025, 0.975], tp + fn + 1, fp + tn + 1)
        assert table.loc["prevalence", ["lower", "upper"]].tolist() == pytest.approx(exact, abs=0.005)
    else:
        assert table.loc["prevalence", ["lower", "upper"]].isna().all()


def test_a_random_sample_makes_accuracy_less_sure_than_fixed_classes():
    """TPR .3, TNR .95: of fixed classes accuracy is known to ± .03, of a sample to ± .06, as Wilson says."""
    counts = pd.DataFrame({"tp": [18], "fn": [42], "fp": [7], "tn": [133]}, index=["a"])
    width = {}
    for design in ("rows", "classes"):
        row = m.bootstrap_counts(counts, metrics=["accuracy"], design=design, resamples=5000).loc[("a", "accuracy")]
        width[design] = row["upper"] - row["lower"]
    wilson = m.proportion_intervals(counts, metrics=["accuracy"]).loc[("a", "accuracy")]
    assert width["rows"] == pytest.approx(wilson["upper"] - wilson["lower"], rel=0.05)
    assert width["classes"] < 0.85 * width["rows"]


def test_a_perfect_result_is_not_certain(data):
    y, _ = data
    table = m.intervals(y, {"a": y}, metrics=["TPR", "accuracy", "MCC", "FPR"]).table.loc["a"]
    assert table.loc[["TPR", "accuracy", "MCC"], "upper"].tolist() == [1, 1, 1]
    assert (table.loc[["TPR", "accuracy", "MCC"], "lower"] < 0.99).all()
    assert table.loc["FPR", "lower"] == 0 < table.loc["FPR", "upper"]
    found = m.intervals(y, {"a": y + 0.0}, metrics=["roc_auc", "pr_auc", "TPR@FPR=0.05"])
    positives = int(y.sum())
    assert found.table.loc[("a", "roc_auc"), "lower"] == pytest.approx(0.025 ** (1 / min(positives, 200 - positives)))
    assert found.table.loc[("a", "TPR@FPR=0.05"), "lower"] == pytest.approx(0.025 ** (1 / positives))
    assert found.table.loc[("a", "pr_auc"), ["lower", "upper"]].isna().all()
    assert "pr_auc: it did not vary in the resamples" in found.notes


def test_the_area_is_near_delong_and_its_difference_too(data):
    y, scores = data
    delong = m.delong(y, scores)
    one = m.intervals(y, scores, metrics=["roc_auc"]).table.loc[("a", "roc_auc")]
    logit = delong.interval(method="logit").loc["a"]
    assert one[["lower", "upper"]].tolist() == pytest.approx(logit[["lower", "upper"]].tolist(), abs=0.012)
    gap = m.differences(y, scores, metrics=["roc_auc"]).table.loc[("a", "b", "roc_auc")]
    test = delong.test("a", "b")
    assert gap["estimate"] == pytest.approx(test["difference"], abs=1e-12)
    assert (gap["upper"] - gap["lower"]) / 2 == pytest.approx(1.96 * test["se"], rel=0.1)


def test_a_difference_has_its_sign_and_its_control(data):
    y, scores = data
    labels = _labels(scores)
    found = m.differences(y, labels, metrics=["TPR", "F1"], draws=4000)
    back = m.differences(y, {name: labels[name] for name in "ba"}, metrics=["TPR", "F1"], draws=4000)
    single = m.from_predictions(y, labels, metrics=["TPR", "F1"])
    for name in ("TPR", "F1"):
        row, mirror = found.table.loc[("a", "b", name)], back.table.loc[("b", "a", name)]
        assert row["estimate"] == pytest.approx(single.loc["a", name] - single.loc["b", name])
        assert [row["lower"], row["upper"]] == pytest.approx([-mirror["upper"], -mirror["lower"]], abs=0.02)
    three = {**labels, "c": y}
    assert m.differences(y, three, metrics=["TPR"], control="b").table.index.tolist() == [("a", "b", "TPR"), ("c", "b", "TPR")]
    same = m.differences(y, {"a": labels["a"], "b": labels["a"]}, metrics=["TPR"]).table.iloc[0]
    assert same["estimate"] == 0
    assert same["lower"] < 0 < same["upper"]


def test_clusters_of_copies_count_once(data):
    """Each instance ten times over is no more than the instance: clusters give its interval, rows one that is too narrow."""
    y, scores = data
    y10, p10 = np.repeat(y, 10), {"a": np.repeat(scores["a"], 10)}
    who = np.repeat(np.arange(200), 10)
    names = ["roc_auc", "TPR"]
    alone = m.intervals(y, {"a": scores["a"]}, metrics=names, threshold=0.5, draws=4000).table.loc["a"]
    grouped = m.intervals(y10, p10, metrics=names, threshold=0.5, design="clusters", by=who, draws=1000).table.loc["a"]
    rows = m.intervals(y10, p10, metrics=names, threshold=0.5, draws=500).table.loc["a"]
    width = {key: table["upper"] - table["lower"] for key, table in (("alone", alone), ("grouped", grouped), ("rows", rows))}
    assert (width["grouped"] / width["alone"]).tolist() == pytest.approx([1, 1], abs=0.08)
    assert (width["rows"] / width["alone"] < 0.4).all()


def test_folds_and_weights(data):
    y, scores = data
    fold = np.arange(200) % 5
    found = m.intervals(y, _labels(scores), metrics=["accuracy"], design="folds", by=fold)
    assert found.notes[0] == ("instances are redrawn within each of 5 folds; how models differ from training set to training set "
                              "is not in the interval")
    plain = m.intervals(y, _labels(scores), metrics=["accuracy"], draws=8000).table
    one = m.intervals(y, _labels(scores), metrics=["accuracy"], sample_weight=np.full(200, 3.5), draws=8000).table
    np.testing.assert_allclose(one[["lower", "upper"]], plain[["lower", "upper"]], atol=0.01)  # equal weights are none
    half = m.intervals(y, _labels(scores), metrics=["accuracy"], sample_weight=(np.arange(200) < 100) + 1e-9).table
    assert (half["upper"] - half["lower"] > 1.2 * (plain["upper"] - plain["lower"])).all()


def test_the_face_of_intervals(data):
    y, scores = data
    found = m.differences(y, scores, metrics=["roc_auc", "KS"])
    assert found.summary().startswith("1 of 1 intervals of a difference exclude 0. roc_auc: a − b = ")
    assert found.table.loc[("a", "b", "KS"), "method"] == "none"
    assert "KS: it is a maximum and biased upward, so that no bootstrap interval of it covers" in found.notes
    assert len(repr(found).splitlines()) <= 15
    assert found.to_csv().splitlines()[0] == "first,second,metric,estimate,lower,upper,method"
    assert m.intervals(y, _labels(scores), metrics=["TPR"]).summary().startswith("2 of 2 values have an interval of 95 %")


@pytest.mark.parametrize(("options", "text"), [
    ({"design": "cluster"}, "design 'cluster' is not known; it is one of 'rows', 'classes', 'clusters', 'folds'"),
    ({"design": "clusters"}, "design 'clusters' needs by=; give the cluster or fold of each instance with design='clusters' or "
     "'folds'"),
    ({"by": [1] * 200}, "design 'rows' takes no by=; give the cluster or fold of each instance with design='clusters' or 'folds'"),
    ({"design": "folds", "by": [1] * 200}, "by names one group only; give at least two clusters or folds"),
    ({"design": "folds", "by": [1, 2]}, "by has 2 values for 200 instances; give one for each"),
    ({"design": "folds", "by": [None] + [1] * 199}, "by is missing for instance 1; name its cluster or fold"),
    ({"alpha": 2}, "alpha is 2; give a number between 0 and 1, both excluded, as 0.05"),
    ({"draws": 5}, "draws is 5; an interval needs at least 100"),
    ({"metrics": ["roc_auc", "TPR"]}, "metric 'TPR' needs labels; give a threshold on the scores"),
    ({"metrics": ["TPRR"]}, "there is no metric 'TPRR'; did you mean 'TPR'?"),
])
def test_bad_input_is_named(data, options, text, refused):
    y, scores = data
    with refused(text):
        m.intervals(y, scores if "roc_auc" in options.get("metrics", []) else _labels(scores), **options)
    if options == {"alpha": 2}:
        with refused("there is one classifier only; a difference takes two"):
            m.differences(y, {"a": y})


def test_coverage_is_near_nominal():
    """A quick form of the benchmark's simulation: .95 within four standard errors of 324, 60 and 60 runs."""
    for found, runs in ((of_counts("rows", 18, resamples=300), 18 * 18), (of_scores(10, draws=150), 60),
                        (of_differences(20, draws=150), 60)):
        assert (abs(found["mean"] - 0.95) < 4 * np.sqrt(0.95 * 0.05 / runs)).all(), found
