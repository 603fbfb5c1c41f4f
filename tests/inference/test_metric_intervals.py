"""Intervals and paired differences: against closed forms, by design, perfect results, and a quick
look at coverage.
"""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from simulations.coverage_of_metrics import (
    of_counts,
    of_designs,
    of_differences,
    of_scores,
    of_two_test_sets,
    summed,
)
from statsmodels.stats.proportion import confint_proportions_2indep

from deabench import metrics as m
from deabench import tango
from deabench.inference.interval_methods import NO_VARIATION, NOT_SIMPLE, _quantile_of
from deabench.inference.resampling import (
    Design,
    _resampling_units,
    draw_cells,
    studentised_limits,
)


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
    table = m.intervals(
        y, labels, metrics=["TPR", "TNR", "prevalence"], design=design, draws=20_000
    ).table.loc["a"]
    for name, hits, misses in (("TPR", tp, fn), ("TNR", tn, fp)):
        exact = stats.beta.ppf([0.025, 0.975], hits + 0.5, misses + 0.5)
        assert table.loc[name, ["lower", "upper"]].tolist() == pytest.approx(exact, abs=0.005)
    if design == "rows":
        exact = stats.beta.ppf([0.025, 0.975], tp + fn + 1, fp + tn + 1)
        assert table.loc["prevalence", ["lower", "upper"]].tolist() == pytest.approx(
            exact, abs=0.005
        )
    else:
        assert table.loc["prevalence", ["lower", "upper"]].isna().all()


def test_predictive_values_of_a_sample_are_wilsons(data):
    """The posterior of the cells covered .977 where a tenth of 20 positives is missed, Wilson's
    .941 to .959.
    """
    y, scores = data
    predicted = _labels(scores)
    names = ["PPV", "NPV", "FDR", "FOR"]
    exact = m.proportion_intervals(m.count(y, predicted), metrics=names)
    intervals = m.intervals(y, predicted, metrics=names)
    assert set(intervals.table["method"]) == {"wilson"}
    for table in (
        intervals.table,
        m.bootstrap_counts(m.count(y, predicted), metrics=names, resamples=100),
    ):
        np.testing.assert_allclose(
            table[["estimate", "lower", "upper"]], exact[["estimate", "lower", "upper"]], atol=1e-12
        )
    assert set(
        m.intervals(y, predicted, metrics=names, design="classes", draws=100).table["method"]
    ) == {"jeffreys"}
    all_negative = np.zeros_like(y)
    assert m.intervals(y, {"none": all_negative}, metrics=["PPV"]).table["lower"].isna().all()


def test_a_random_sample_makes_accuracy_less_sure_than_fixed_classes():
    """TPR .3, TNR .95: of fixed classes accuracy is known to ± .03, of a sample to ± .06, as Wilson
    says.
    """
    counts = pd.DataFrame({"tp": [18], "fn": [42], "fp": [7], "tn": [133]}, index=["a"])
    width = {}
    for design in ("rows", "classes"):
        row = m.bootstrap_counts(counts, metrics=["accuracy"], design=design, resamples=5000).loc[
            ("a", "accuracy")
        ]
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
    intervals = m.intervals(y, {"a": y + 0.0}, metrics=["roc_auc", "pr_auc", "TPR@FPR=0.05"])
    positives = int(y.sum())
    assert intervals.table.loc[("a", "roc_auc"), "lower"] == pytest.approx(
        0.025 ** (1 / min(positives, 200 - positives))
    )
    assert intervals.table.loc[("a", "TPR@FPR=0.05"), "lower"] == pytest.approx(
        0.025 ** (1 / positives)
    )
    assert intervals.table.loc[("a", "pr_auc"), ["lower", "upper"]].isna().all()
    assert "pr_auc: it did not vary in the resamples" in intervals.notes


def test_the_area_is_near_delong_and_its_difference_too(data):
    y, scores = data
    delong = m.delong(y, scores)
    area = m.intervals(y, scores, metrics=["roc_auc"]).table.loc[("a", "roc_auc")]
    logit = delong.interval(method="logit").loc["a"]
    assert area[["lower", "upper"]].tolist() == pytest.approx(
        logit[["lower", "upper"]].tolist(), abs=0.012
    )
    gap = m.differences(y, scores, metrics=["roc_auc"]).table.loc[("a", "b", "roc_auc")]
    test = delong.test("a", "b")
    assert gap["estimate"] == pytest.approx(test["difference"], abs=1e-12)
    assert (gap["upper"] - gap["lower"]) / 2 == pytest.approx(1.96 * test["se"], rel=0.1)


def test_a_difference_has_its_sign_and_its_control(data):
    y, scores = data
    labels = _labels(scores)
    differences = m.differences(y, labels, metrics=["TPR", "F1"], draws=4000)
    back = m.differences(
        y, {name: labels[name] for name in "ba"}, metrics=["TPR", "F1"], draws=4000
    )
    single = m.from_predictions(y, labels, metrics=["TPR", "F1"])
    for name in ("TPR", "F1"):
        row, mirror = differences.table.loc[("a", "b", name)], back.table.loc[("b", "a", name)]
        assert row["estimate"] == pytest.approx(single.loc["a", name] - single.loc["b", name])
        assert [row["lower"], row["upper"]] == pytest.approx(
            [-mirror["upper"], -mirror["lower"]], abs=0.02
        )
    three = {**labels, "c": y}
    assert m.differences(y, three, metrics=["TPR"], control="b").table.index.tolist() == [
        ("a", "b", "TPR"),
        ("c", "b", "TPR"),
    ]
    same = m.differences(y, {"a": labels["a"], "b": labels["a"]}, metrics=["TPR"]).table.iloc[0]
    assert same["estimate"] == 0
    assert same["lower"] < 0 < same["upper"]


def test_clusters_of_copies_count_once(data):
    """Each instance ten times over is no more than the instance: clusters give its interval, rows
    one that is too narrow.
    """
    y, scores = data
    y10, p10 = np.repeat(y, 10), {"a": np.repeat(scores["a"], 10)}
    clusters = np.repeat(np.arange(200), 10)
    names = ["roc_auc", "TPR"]
    separate = m.intervals(
        y, {"a": scores["a"]}, metrics=names, threshold=0.5, draws=4000
    ).table.loc["a"]
    grouped = m.intervals(
        y10, p10, metrics=names, threshold=0.5, design="clusters", by=clusters, draws=1000
    ).table.loc["a"]
    rows = m.intervals(y10, p10, metrics=names, threshold=0.5, draws=500).table.loc["a"]
    width = {
        key: table["upper"] - table["lower"]
        for key, table in (("alone", separate), ("grouped", grouped), ("rows", rows))
    }
    assert (width["grouped"] / width["alone"]).tolist() == pytest.approx([1, 1], abs=0.08)
    assert (width["rows"] / width["alone"] < 0.4).all()


def test_folds_and_weights(data):
    y, scores = data
    fold = np.arange(200) % 5
    intervals = m.intervals(y, _labels(scores), metrics=["accuracy"], design="folds", by=fold)
    assert intervals.notes[0] == (
        "instances are redrawn within each of 5 folds; how models differ from training set to "
        "training set "
        "is not in the interval"
    )
    original = m.intervals(y, _labels(scores), metrics=["accuracy"], draws=8000).table
    table = m.intervals(
        y, _labels(scores), metrics=["accuracy"], sample_weight=np.full(200, 3.5), draws=8000
    ).table
    np.testing.assert_allclose(
        table[["lower", "upper"]], original[["lower", "upper"]], atol=0.01
    )  # equal weights are none
    half_weighted = m.intervals(
        y, _labels(scores), metrics=["accuracy"], sample_weight=(np.arange(200) < 100) + 1e-9
    ).table
    assert (
        half_weighted["upper"] - half_weighted["lower"]
        > 1.2 * (original["upper"] - original["lower"])
    ).all()


def test_the_face_of_intervals(data):
    y, scores = data
    differences = m.differences(y, scores, metrics=["roc_auc", "KS"])
    assert differences.summary().startswith(
        "1 of 1 intervals of a difference exclude 0. roc_auc: a − b = "
    )
    assert differences.table.loc[("a", "b", "KS"), "method"] == "none"
    assert (
        "KS: it is a maximum and biased upward, so that no bootstrap interval of it covers"
        in differences.notes
    )
    assert len(repr(differences).splitlines()) <= 15
    assert differences.to_csv().splitlines()[0] == "first,second,metric,estimate,lower,upper,method"
    assert (
        m.intervals(y, _labels(scores), metrics=["TPR"])
        .summary()
        .startswith("2 of 2 values have an interval of 95 %")
    )


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"design": "cluster"},
            "design 'cluster' is not known; it is one of 'rows', 'classes', 'clusters', 'folds'",
        ),
        (
            {"design": "clusters"},
            "design 'clusters' needs by=; give the cluster or fold of each instance with "
            "design='clusters' or "
            "'folds'",
        ),
        (
            {"by": [1] * 200},
            "design 'rows' takes no by=; give the cluster or fold of each instance with "
            "design='clusters' or 'folds'",
        ),
        (
            {"design": "folds", "by": [1] * 200},
            "by names one group only; give at least two clusters or folds",
        ),
        ({"design": "folds", "by": [1, 2]}, "by has 2 values for 200 instances; give one for each"),
        (
            {"design": "folds", "by": [None] + [1] * 199},
            "by is missing for instance 1; name its cluster or fold",
        ),
        ({"alpha": 2}, "alpha is 2; give a number between 0 and 1, both excluded, as 0.05"),
        ({"draws": 5}, "draws is 5; an interval needs at least 100"),
        (
            {"metrics": ["roc_auc", "TPR"]},
            "metric 'TPR' needs labels; give a threshold on the scores",
        ),
        ({"metrics": ["TPRR"]}, "there is no metric 'TPRR'; did you mean 'TPR'?"),
    ],
)
def test_bad_input_is_named(data, options, text, refused):
    y, scores = data
    with refused(text):
        m.intervals(
            y, scores if "roc_auc" in options.get("metrics", []) else _labels(scores), **options
        )
    if options == {"alpha": 2}:
        with refused("there is one classifier only; a difference takes two"):
            m.differences(y, {"a": y})


@pytest.mark.slow
def test_coverage_is_near_nominal():
    """A quick form of the benchmark's simulation: .95 within four standard errors of the runs, for
    every metric on average.
    """
    small = {"draws": 150, "large": 20_000}
    for coverages, runs in (
        (of_counts("rows", 18, resamples=300), 18 * 18),
        (of_scores(5, **small), 30),
        (of_differences(3, **small), 18),
        (of_designs("clusters", 6, **small), 18),
    ):
        table = summed(coverages)
        assert (abs(table["mean"] - 0.95) < 4 * np.sqrt(0.95 * 0.05 / runs)).all(), table


def test_two_test_sets_are_covered_exactly():
    table = summed(of_two_test_sets())
    assert table.iloc[0][["min", "max"]].tolist() == pytest.approx([0.9472, 0.9511], abs=2e-4)
    outside = pd.DataFrame(
        [("x", "y", "one", 0.92), ("x", "y", "two", 0.95)],
        columns=["method", "metric", "case", "coverage"],
    )
    assert summed(outside)["outside"].tolist() == ["one: 0.920"]


def test_a_mean_loss_has_the_standard_error_of_its_design(data):
    """The spread that the bootstrap-t studentises by, against the textbook's formulas; weights as a
    ratio of sums.
    """
    y, scores = data
    x = (scores["a"] - y) ** 2
    rng = np.random.default_rng(0)
    groups, weight = rng.integers(0, 20, 200), rng.random(200) + 0.5

    def error(kind, groups=None, weight=None):
        groups = np.zeros(200, dtype=int) if groups is None else groups
        units = _resampling_units(x, Design(kind, y == 1, groups, weight))
        mean, standard_error = units.mean_and_error(np.ones((1, len(units.first))))
        assert mean[0] == pytest.approx(np.average(x, weights=weight), rel=1e-12)
        return standard_error[0]

    assert error("rows") == pytest.approx(x.std(ddof=1) / 200**0.5, rel=1e-12)
    class_losses = [x[y == k] for k in (0, 1)]
    assert error("classes") == pytest.approx(
        sum(len(p) * p.var(ddof=1) for p in class_losses) ** 0.5 / 200, rel=1e-12
    )
    residual = weight * (x - np.average(x, weights=weight))
    assert error("rows", weight=weight) == pytest.approx(
        (residual @ residual * 200 / 199) ** 0.5 / weight.sum(), rel=1e-12
    )
    sums = np.bincount(groups, x - x.mean())
    assert error("clusters", groups) == pytest.approx(
        (sums @ sums * 20 / 19) ** 0.5 / 200, rel=1e-12
    )


def test_the_bootstrap_t_of_normal_losses_is_students_interval():
    x = np.random.default_rng(1).normal(size=200)
    design = Design("rows", np.arange(200) < 60, np.zeros(200, dtype=int), None)
    studentised = studentised_limits(x, design, 20_000, 0, alpha=0.05, positive=False)
    expected = stats.t.interval(0.95, 199, x.mean(), x.std(ddof=1) / 200**0.5)
    assert studentised == pytest.approx(expected, abs=0.06 * (expected[1] - expected[0]))
    assert (
        studentised_limits(np.r_[1.0, np.zeros(199)], design, 200, 0, alpha=0.05, positive=True)
        is None
    )  # no spread in a third


def test_the_difference_of_two_mean_losses_pairs_the_instances(data):
    """The bootstrap-t interval is close to Student's of the differences of 200 paired losses."""
    y, scores = data
    gap = m.differences(y, scores, metrics=["brier"], draws=2000).table.loc[("a", "b", "brier")]
    difference = (scores["a"] - y) ** 2 - (scores["b"] - y) ** 2
    error = difference.std(ddof=1) / 200**0.5
    expected = stats.t.interval(0.95, 199, difference.mean(), error)
    assert gap["estimate"] == pytest.approx(difference.mean(), rel=1e-12)
    assert gap[["lower", "upper"]].tolist() == pytest.approx(expected, abs=0.3 * error)


def test_a_certainty_that_was_wrong_has_no_interval(data):
    y, scores = data
    certain_scores = {
        "a": np.where(np.arange(200) == int(np.argmax(y)), 0.0, scores["a"]),
        "b": scores["b"],
    }
    intervals = m.intervals(y, certain_scores, metrics=["log_loss", "brier"])
    assert intervals.table.loc[("a", "log_loss"), "estimate"] == np.inf
    assert intervals.table.loc[("a", "log_loss"), ["lower", "upper"]].isna().all()
    assert (
        "log_loss: it is infinite: something was said to be certain, and was not so"
        in intervals.notes
    )
    assert intervals.table.loc["b", "method"].tolist() == ["bootstrap-t", "bootstrap-t"]
    gap = m.differences(y, certain_scores, metrics=["log_loss"]).table.iloc[0]
    assert gap[["lower", "upper"]].isna().all()


@pytest.mark.parametrize(
    "name",
    ["TPR", "FNR", "TNR", "FPR", "accuracy", "misclassification_rate", "queue_rate", "recall"],
)
def test_the_difference_of_two_rates_is_tangos(data, name):
    y, scores = data
    labels = _labels(scores)
    a, b = (labels[key] == 1 for key in "ab")
    of = {
        "TPR": (y == 1, a, b),
        "recall": (y == 1, a, b),
        "FNR": (y == 1, ~a, ~b),
        "TNR": (y == 0, ~a, ~b),
        "FPR": (y == 0, a, b),
        "accuracy": (y >= 0, a == y, b == y),
        "misclassification_rate": (y >= 0, a != y, b != y),
        "queue_rate": (y >= 0, a, b),
    }
    members, first, second = of[name]
    row = m.differences(y, labels, metrics=[name]).table.iloc[0]
    expected = tango.interval(
        (first & ~second & members).sum(), (second & ~first & members).sum(), members.sum()
    )
    assert [row["lower"], row["upper"]] == [float(limit) for limit in expected]
    assert row["method"] == "tango"
    single = m.from_predictions(y, labels, metrics=[name])[name]
    assert row["estimate"] == pytest.approx(single["a"] - single["b"], abs=1e-15)
    weighed = m.differences(y, labels, metrics=[name], sample_weight=np.ones(200)).table.iloc[0]
    assert weighed["method"] == "jeffreys"


def test_the_difference_of_two_precisions_at_k_is_newcombes_of_what_only_one_takes(data):
    y, scores = data
    row = m.differences(y, scores, metrics=["precision@20"]).table.iloc[0]
    tops = [set(np.argsort(-scores[key])[:20]) for key in "ab"]
    exclusive = [list(tops[0] - tops[1]), list(tops[1] - tops[0])]
    trials = len(exclusive[0])
    hits = [int(y[rows].sum()) for rows in exclusive]
    low, high = confint_proportions_2indep(
        hits[0], trials, hits[1], trials, method="newcomb", compare="diff"
    )
    assert [row["lower"], row["upper"]] == pytest.approx(
        [low * trials / 20, high * trials / 20], abs=1e-12
    )
    assert row["estimate"] == pytest.approx((hits[0] - hits[1]) / 20)
    assert row["method"] == "newcombe"
    large = m.differences(y, scores, metrics=["precision@30"])
    assert large.table.iloc[0]["method"] == "normal"
    assert (
        large.table.iloc[0]["lower"]
        < large.table.iloc[0]["estimate"]
        < large.table.iloc[0]["upper"]
    )
    same = m.differences(y, {"a": scores["a"], "b": 2 * scores["a"]}, metrics=["precision@20"])
    assert same.table["lower"].isna().all()
    assert "precision@20: both take the same instances" in same.notes
    tied = m.differences(
        y, {"a": np.round(scores["a"], 1), "b": scores["b"]}, metrics=["precision@20"]
    ).table.iloc[0]
    precisions = m.from_scores(
        y, {"a": np.round(scores["a"], 1), "b": scores["b"]}, metrics=["precision@20"]
    )["precision@20"]
    assert tied["estimate"] == pytest.approx(precisions["a"] - precisions["b"], abs=1e-12)
    assert tied["lower"] < tied["estimate"] < tied["upper"]
    fewer = m.differences(
        y, scores, metrics=["precision@20"], design="folds", by=np.arange(200) % 4
    )
    assert (
        "precision@20: its interval is for instances drawn one by one, without weights"
        in fewer.notes
    )


def test_tables_at_once_are_tables_one_by_one(monkeypatch):
    counts = pd.DataFrame(
        {"tp": [6, 9, 1], "fn": [2, 0, 3], "fp": [3, 1, 0], "tn": [9, 8, 8]}, index=list("abc")
    )
    joint = m.bootstrap_counts(counts, metrics=["TPR", "MCC"], resamples=200)
    monkeypatch.setattr(sys.modules["deabench.inference.count_intervals"], "MAX_TABLES", 1)
    pd.testing.assert_frame_equal(
        m.bootstrap_counts(counts, metrics=["TPR", "MCC"], resamples=200), joint
    )
    assert m.bootstrap_counts(counts.iloc[:0], metrics=["TPR", "MCC"]).empty


def test_where_intervals_do_not_cover_is_said(data):
    y, scores = data
    small = "it rests on few instances: at nominal 95 % such intervals cover "
    assert (
        f"precision@10: {small}.92 to .99"
        in m.intervals(y, scores, metrics=["precision@10", "roc_auc"]).notes
    )
    notes = m.differences(y, scores, metrics=["precision@10", "pr_auc", "brier"]).notes
    assert notes[2:] == (
        f"precision@10: {small}.88 to 1",
        "pr_auc: at nominal 95 % intervals of its differences cover .91 to .95",
    )
    rare = np.where(np.cumsum(y) <= 20, y, 0)
    assert m.intervals(rare, scores, metrics=["TPR@FPR=0.05"]).notes[2:] == (
        "TPR@FPR=0.05: with 20 positives its interval is wide: at nominal 95 % such intervals "
        "cover up to .98",
    )
    wide = "with 20 positives its interval is wide: at nominal 95 % such intervals cover up to "
    assert m.intervals(rare, scores, metrics=["pr_auc", "partial_auc@0.1", "roc_auc"]).notes[
        2:
    ] == (f"pr_auc: {wide}.98", f"partial_auc@0.1: {wide}.985")
    assert m.differences(
        rare, scores, metrics=["partial_auc@0.1", "TPR", "TNR"], threshold=0.5
    ).notes[2:] == (f"partial_auc@0.1: {wide}.98", f"TPR: {wide}.973")
    assert m.differences(y, scores, metrics=["brier"], threshold=0.5).table.index.tolist() == [
        ("a", "b", "brier")
    ]
    metric = m.Metric("precision@top", lambda y, p: float(p.mean()), needs="scores")
    assert m.intervals(y, scores, metrics=[metric], draws=100).notes[2:] == ()


def test_the_areas_interval_is_delongs_on_the_log_odds_with_students_quantile(data):
    y, scores = data
    row = m.intervals(y, scores, metrics=["roc_auc"]).table.loc[("a", "roc_auc")]
    delong = m.delong(y, scores)
    area, se = delong.auc["a"], np.sqrt(delong.covariance.loc["a", "a"])
    width = stats.t.ppf(0.975, min(y.sum(), (1 - y).sum()) - 1) * se / (area * (1 - area))
    middle = np.log(area / (1 - area))
    assert [row["lower"], row["upper"]] == pytest.approx(
        [1 / (1 + np.exp(-middle - k * width)) for k in (-1, 1)], abs=1e-12
    )
    one_positive = np.r_[1, np.zeros(9, dtype=int)]
    assert m.intervals(one_positive, {"a": np.arange(10.0) % 7}, metrics=["roc_auc"]).notes[-1] == (
        "roc_auc: it takes two instances of each class"
    )


def test_the_quantile_of_a_partial_area_counts_the_negatives_to_twice_its_fpr():
    """Of 30 negatives up to FPR .1 six count, so Student's t has five degrees of freedom."""
    y_true = np.repeat([1, 0], 30)
    score = y_true + np.random.default_rng(0).normal(size=60)
    interval = m.from_scores(y_true, {"a": score}, metrics=["partial_auc@0.1"])
    request = SimpleNamespace(design=SimpleNamespace(positive=y_true.astype(bool)), alpha=0.05)
    metric = SimpleNamespace(name="partial_auc@0.1")
    assert _quantile_of(metric, request) == pytest.approx(stats.t.ppf(0.975, 5))
    metric = SimpleNamespace(name="partial_auc@0.6")
    assert _quantile_of(metric, request) == pytest.approx(stats.t.ppf(0.975, 29))
    assert interval.shape == (1, 1)


def test_a_users_metric_of_labels_is_resampled_with_its_weights(data):
    """The share of positive answers, by hand: its interval is that of a mean, ± 1.96 s/√n, and of
    the difference the interval of the paired differences.
    """
    y, scores = data
    predicted = _labels(scores)

    def mean_answer(true, answers, sample_weight=None):
        return float(np.average(answers, weights=sample_weight))

    share = m.Metric("share", mean_answer, range=(0, 1))
    weight = np.random.default_rng(0).integers(1, 4, 200) / 2
    for sample_weight in (None, weight):
        table = m.intervals(
            y, {"a": predicted["a"]}, metrics=[share], sample_weight=sample_weight, draws=500
        ).table
        w = np.ones(200) if sample_weight is None else sample_weight
        mean = np.average(predicted["a"], weights=w)
        error = np.sqrt((w**2 * (predicted["a"] - mean) ** 2).sum()) / w.sum()
        row = table.loc[("a", "share")]
        assert row["method"] == "percentile"
        assert row["estimate"] == pytest.approx(mean, rel=1e-12)
        expected = [mean - 1.96 * error, mean + 1.96 * error]
        assert row[["lower", "upper"]].tolist() == pytest.approx(expected, abs=0.4 * error)
    gaps = m.differences(y, predicted, metrics=[share], draws=500).table.loc[("a", "b", "share")]
    paired = predicted["a"] - predicted["b"]
    error = paired.std() / 200**0.5
    assert gaps["method"] == "percentile"
    assert gaps[["lower", "upper"]].tolist() == pytest.approx(
        [paired.mean() - 1.96 * error, paired.mean() + 1.96 * error], abs=0.4 * error
    )


def test_differences_without_a_value_or_variation_have_no_interval(data):
    y, scores = data
    never = np.zeros(200, dtype=int)
    undefined = m.differences(y, {"a": _labels(scores)["a"], "never": never}, metrics=["PPV"])
    assert undefined.table["method"].tolist() == ["none"]
    assert undefined.notes[-1] == "PPV: it is undefined in the data"
    share = m.Metric("share", lambda true, answers: float(np.mean(answers)), range=(0, 1))
    same = m.differences(y, {"a": never, "b": never}, metrics=[share])
    row = same.table.iloc[0]
    assert (row["estimate"], row["method"]) == (0, "none")
    assert same.notes[-1] == f"share: {NO_VARIATION}"


def test_the_first_k_of_clusters_have_no_interval(data):
    y, scores = data
    clusters = np.arange(200) // 4
    intervals = m.intervals(y, scores, metrics=["precision@5"], design="clusters", by=clusters)
    assert intervals.table["method"].tolist() == ["none", "none"]
    assert intervals.notes[-1] == f"precision@5: {NOT_SIMPLE}"


def test_a_loss_of_one_instance_is_the_binomials():
    """Of 40 instances one is wrong for sure: a resample holds it Bin(40, 1/40) times."""
    y = np.arange(40) % 2
    probability = y.astype(float)
    probability[0] = 0.5
    row = m.intervals(y, {"a": probability}, metrics=["brier"], draws=4000).table.iloc[0]
    assert row["method"] == "percentile"
    counts = stats.binom.ppf([0.025, 0.975], 40, 1 / 40)
    assert row[["lower", "upper"]].tolist() == pytest.approx((counts * 0.25 / 40).tolist())


def test_fixed_classes_keep_their_weights_in_every_draw(data):
    y, _ = data
    weight = np.random.default_rng(0).random(200) + 0.5
    design = Design("classes", y == 1, np.zeros(200, dtype=int), weight)
    pattern = np.where(y == 1, 0, 2) + np.arange(200) % 2
    sums = draw_cells(design, pattern, 4, 300, 0)
    np.testing.assert_allclose(sums[:, :2].sum(axis=1), weight[y == 1].sum())
    np.testing.assert_allclose(sums[:, 2:].sum(axis=1), weight[y == 0].sum())
    assert sums[:, 0].std() > 0


def test_the_difference_of_equal_answers_is_near_0(data):
    """Of eight cells the four of equal answers are filled; the others have half an instance."""
    y, scores = data
    same = dict.fromkeys("ab", _labels(scores)["a"])
    row = m.differences(y, same, metrics=["F1"]).table.iloc[0]
    assert (row["method"], row["estimate"]) == ("jeffreys", 0)
    assert -0.05 < row["lower"] <= 0 <= row["upper"] < 0.05
