"""from_predictions and from_scores: labels of any kind, the positive class, refusals, and DeLong's
interval.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from statsmodels.stats.proportion import proportion_confint

from deabench import metrics as m
from deabench.errors import DataWarning

ORACLES = Path(__file__).parents[1] / "oracles"


@pytest.mark.parametrize(
    ("positive", "negative"),
    [
        (1, 0),
        (0, 1),
        (True, False),
        (1, -1),
        ("ill", "well"),
        (2.5, 1.5),
        (np.str_("a"), "b"),
    ],
)
def test_labels_of_any_kind_give_one_table(positive, negative, net):
    y = [positive if t else negative for t in net["target"]]
    p = [positive if s > 0.5 else negative for s in net["output"]]
    t = m.from_predictions(y, {"net": p}, positive=positive)
    reference = m.from_counts(
        pd.DataFrame({"tp": [6], "fn": [2], "fp": [3], "tn": [9]}, index=["net"])
    )
    pd.testing.assert_frame_equal(t, reference, check_names=False)
    assert t.attrs["positive"] == positive
    assert t.attrs["note"] == f"{positive!r} is the positive class, as asked".replace(
        "np.str_('a')", "'a'"
    )
    assert t.index.name == "classifier"
    categorical = m.from_predictions(
        pd.Series(y).astype("category"), pd.DataFrame({"net": p}), positive=positive
    )
    pd.testing.assert_frame_equal(categorical, t)


def test_the_positive_class_named_and_of_equal_classes():
    named = m.from_predictions([0, 0, 1], {"p": [0, 1, 1]}, positive=0)
    assert named.attrs["note"] == "0 is the positive class, as asked"
    assert named.loc["p", "TPR"] == 0.5
    equal = m.from_predictions([0, 1], {"p": [0, 0]}, metrics=["TPR"])
    assert equal.attrs["note"] == "1 is the positive class by convention, 1 of 2 instances"
    assert equal.loc["p", "TPR"] == 0


def test_count_of_a_fold_of_one_class():
    counts = m.count([0, 0, 0], {"p": [0, 1, 0]}, positive=1)
    assert counts.loc["p"].tolist() == [0, 0, 1, 2]


def test_thresholds_by_classifier():
    y, s = [1, 1, 0, 0, 0], {"a": [0.9, 0.4, 0.5, 0.2, 0.1], "b": [9, 4, 5, 2, 1]}
    t = m.from_scores(y, s, threshold={"a": 0.4, "b": 4}, metrics=["TPR", "roc_auc", "FPR"])
    assert list(t.columns) == ["TPR", "roc_auc", "roc_auc_lower", "roc_auc_upper", "FPR"]
    assert t.loc["a"].equals(t.loc["b"])
    assert t.loc["a", "TPR"] == 1  # a score at the threshold is labelled positive
    assert t.attrs["threshold"] == "positive where score >= threshold"
    assert list(m.from_scores(y, s).columns) == [
        "roc_auc",
        "roc_auc_lower",
        "roc_auc_upper",
        "pr_auc",
        "KS",
    ]


Y, P, S = ["a", "b", "b"], {"p": ["a", "b", "a"]}, {"s": [0.1, 0.2, 0.3]}
KNOWN = "y_true knows only 'b', 'a'"


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: m.from_predictions(["a", "b", "c"], P),
            "y_true holds 3 classes ('a', 'b', 'c'); merge some, take one against the rest "
            "(metrics.against_rest) or compare "
            "them all (metrics.from_classes)",
        ),
        (
            lambda: m.from_predictions(["a"] * 3, P),
            "y_true holds one class only ('a'); give instances of both classes",
        ),
        (
            lambda: m.from_predictions(["a"] * 3, P, positive="b"),
            "y_true holds no positive instance ('b' is the positive class); give instances of "
            "both classes",
        ),
        (
            lambda: m.from_predictions(["a"] * 3, P, positive="a"),
            "y_true holds no negative instance ('a' is the positive class); give instances of "
            "both classes",
        ),
        (
            lambda: m.from_predictions([], P),
            "y_true is empty; give at least one instance of each class",
        ),
        (
            lambda: m.from_predictions(["a", None, "b"], P),
            "y_true is missing for instance 2; leave the instance out",
        ),
        (
            lambda: m.from_predictions(["a", np.nan, "b"], P),
            "y_true is missing for instance 2; leave the instance out",
        ),
        (
            lambda: m.from_predictions(Y, P, positive=np.int64(3)),
            "there is no class 3 in y_true; its classes are 'a', 'b'",
        ),
        (
            lambda: m.from_predictions(Y, P, positive="z"),
            "there is no class 'z' in y_true; its classes are 'a', 'b'",
        ),
        (
            lambda: m.from_predictions(["a", "b"], {"p": ["a", "b"]}),
            "the classes 'a', 'b' have 1 instances each, so neither is the minority; name the "
            "positive class",
        ),
        (
            lambda: m.from_predictions(Y, {"p": ["a", "b"]}, positive="a"),
            "'p' has 2 predictions and y_true has 3 instances; give one for each",
        ),
        (
            lambda: m.from_predictions(Y, {"p": ["a", "c", "b"]}, positive="a"),
            f"'p' predicts the label 'c' for instance 2; {KNOWN}",
        ),
        (
            lambda: m.from_predictions(Y, {"p": [1, 0, 0]}, positive="a"),
            f"'p' predicts the label 1 for instance 1; {KNOWN}",
        ),
        (
            lambda: m.from_predictions(Y, {"p": ["a", "b", None]}, positive="a"),
            "the prediction of 'p' for instance 3 is missing; give a label",
        ),
        (
            lambda: m.from_predictions(Y, {"p": ["a", "b", np.nan]}, positive="a"),
            "the prediction of 'p' for instance 3 is missing; give a label",
        ),
        (
            lambda: m.from_predictions(Y, {"p": [["a"], ["b"], ["a"]]}, positive="a"),
            "the prediction of 'p' has 2 dimensions; give one value per instance",
        ),
        (
            lambda: m.from_predictions(Y, ["a", "b", "a"], positive="a"),
            "the predictions are a list; give {name: predictions} or a DataFrame, a column per "
            "classifier",
        ),
        (
            lambda: m.from_predictions(Y, {}, positive="a"),
            "there is no classifier; give {name: predictions} with at least one name",
        ),
        (
            lambda: m.from_predictions([["a"], ["b"]], P),
            "y_true has 2 dimensions; give one value per instance",
        ),
        (
            lambda: m.from_predictions(Y, P, sample_weight=[1, 2], positive="a"),
            "2 sample weights for 3 instances; give one for each",
        ),
        (
            lambda: m.from_predictions(Y, P, sample_weight=[1, -2, 1], positive="a"),
            "the sample weight of instance 2 is -2; weights are numbers >= 0",
        ),
        (
            lambda: m.from_predictions(Y, P, sample_weight=[0, 1, 1], positive="a"),
            "every positive instance has the sample weight 0; give one of them a weight > 0",
        ),
        (
            lambda: m.from_scores(Y, {"s": [0.1, np.nan, 0.3]}, positive="a"),
            "the score of 's' for instance 2 is missing; give a finite number",
        ),
        (
            lambda: m.from_scores(Y, {"s": [0.1, 0.2, np.inf]}, positive="a"),
            "the score of 's' for instance 3 is inf; give a finite number",
        ),
        (
            lambda: m.from_scores(Y, {"s": [0.1, "x", 0.3]}, positive="a"),
            "the score of 's' for instance 2 is 'x'; give a finite number",
        ),
        (
            lambda: m.from_scores(Y, {"s": [[0.1], [0.2], [0.3]]}, positive="a"),
            "the score of 's' has 2 dimensions; give one value per instance",
        ),
        (
            lambda: m.from_scores(Y, {"s": [0.1, 0.2]}, positive="a"),
            "'s' has 2 scores and y_true has 3 instances; give one for each",
        ),
        (
            lambda: m.from_scores(Y, S, metrics=["TPR"], positive="a"),
            "metric 'TPR' needs labels; give a threshold on the scores",
        ),
        (
            lambda: m.from_scores(Y, S, metrics=["roc-auc"], positive="a"),
            "there is no metric 'roc-auc'; did you mean 'roc_auc'?",
        ),
        (
            lambda: m.from_scores(Y, S, threshold=np.nan, metrics=["TPR"], positive="a"),
            "the threshold of 's' is nan; give a finite number",
        ),
        (
            lambda: m.from_scores(Y, S, threshold={}, metrics=["TPR"], positive="a"),
            "the threshold of 's' is None; give a finite number",
        ),
        (
            lambda: m.delong(Y, S, positive="a").interval(0),
            "alpha is 0; an interval needs an alpha between 0 and 1, as 0.05",
        ),
        (
            lambda: m.delong(Y, S, positive="a").interval(method="wilson"),
            "there is no method 'wilson'; the methods are auto, wald and logit",
        ),
        (
            lambda: m.delong(Y, S, positive="a").test("s", "t"),
            "there is no classifier 't'; there are 's'",
        ),
    ],
)
def test_bad_input_is_named(call, text, refused):
    with refused(text):
        call()


@pytest.fixture(scope="module")
def two():
    data = pd.read_csv(ORACLES / "delong_data.csv")
    expected = pd.read_csv(ORACLES / "delong_expected.csv", index_col="quantity")["value"]
    return m.delong(data["y"], data[["score_a", "score_b"]], positive=1), expected


def test_delong_is_r_proc_s(two):
    """R pROC (auc, var, ci.auc, roc.test), to 12 digits and more; the logit interval is arithmetic
    on those.
    """
    computed, expected = two
    assert computed.auc["score_a"] == pytest.approx(float(expected["auc_a"]), abs=1e-12)
    assert computed.auc["score_b"] == pytest.approx(float(expected["auc_b"]), abs=1e-12)
    wald, logit = computed.interval(method="wald"), computed.interval(method="logit")
    assert wald.loc["score_a", "se"] == pytest.approx(float(expected["se_a"]), abs=1e-12)
    for name, row in (
        ("ci_a_95", wald.loc["score_a"]),
        ("ci_b_95", wald.loc["score_b"]),
        ("logit_ci_a_95", logit.loc["score_a"]),
    ):
        limits = [float(number) for number in expected[name].split()]
        assert [row["lower"], row["upper"]] == pytest.approx(limits, abs=1e-12), name
    test = computed.test("score_a", "score_b")
    assert test["z"] == pytest.approx(float(expected["delong_test_z"]), abs=1e-12)
    assert test["p"] == pytest.approx(float(expected["delong_test_p"]), abs=1e-12)
    assert (computed.interval()["method"] == "wald").all()


def test_the_interval_beside_the_area_is_on_the_logit(two):
    """Wald's covers .87 for an area of .94 of 20 positives and 180 negatives; the logit's covers
    there.
    """
    data = pd.read_csv(ORACLES / "delong_data.csv")
    row = m.from_scores(data["y"], data[["score_a"]], positive=1).loc["score_a"]
    limits = [float(number) for number in two[1]["logit_ci_a_95"].split()]
    assert row[["roc_auc_lower", "roc_auc_upper"]].tolist() == pytest.approx(limits, abs=1e-12)


def test_delong_against_its_definition():
    """Ties and all: the structural components as means of the kernel over pairs."""
    rng = np.random.default_rng(7)
    y = np.r_[np.ones(9, int), np.zeros(14, int)]
    scores = {name: (rng.normal(size=23) + y).round(0) for name in "ab"}
    kernel = {
        k: (np.subtract.outer(s[y == 1], s[y == 0]) > 0)
        + (np.subtract.outer(s[y == 1], s[y == 0]) == 0) / 2
        for k, s in scores.items()
    }
    v10, v01 = (np.array([kernel[k].mean(axis=axis) for k in "ab"]) for axis in (1, 0))
    computed = m.delong(y, scores, positive=1)
    np.testing.assert_allclose(computed.auc, v10.mean(axis=1), atol=1e-15)
    np.testing.assert_allclose(computed.covariance, np.cov(v10) / 9 + np.cov(v01) / 14, atol=1e-16)


def test_delong_of_few_positives_is_on_the_logit():
    """Wald's limits cover .87 to .93 there, with an area of .92 of 20 positives."""
    rng = np.random.default_rng(2)
    for positives, method in ((20, "logit"), (60, "wald")):
        y = np.r_[np.ones(positives, int), np.zeros(100, int)]
        computed = m.delong(y, {"s": rng.normal(size=len(y)) + y}, positive=1)
        assert computed.interval()["method"].tolist() == [method]
        pd.testing.assert_frame_equal(computed.interval(), computed.interval(method=method))


def test_limits_of_an_area_say_where_they_are_a_little_short():
    """Simulated: .93 with 20 positives at nominal .95, where `intervals` covers .94."""
    rng = np.random.default_rng(0)
    for positives, has_note in ((20, True), (60, False)):
        y = np.repeat([1, 0], [positives, 140])
        score = rng.normal(size=len(y)) + y
        for options in ({}, {"threshold": 0.5, "metrics": ["roc_auc", "TPR"]}):
            notes = m.from_scores(y, {"a": score}, **options).attrs["notes"]
            assert bool(notes) == has_note
        assert not has_note or notes[0].startswith(
            "with 20 instances of a class the limits of 'roc_auc' hold a little less often"
        )
    assert m.from_scores(y[:100], {"a": score[:100]}, metrics=["pr_auc"]).attrs["notes"] == ()


def test_delong_near_one_is_logit():
    y = [1] * 10 + [0] * 10
    computed = m.delong(y, {"s": [*range(10, 19), 8.5, *range(10)]}, positive=1)
    row = computed.interval().loc["s"]
    assert row["method"] == "logit"
    assert 0 < row["lower"] < row["auc"] < row["upper"] < 1
    z, (a, se) = norm.ppf(0.975), row[["auc", "se"]]
    assert a + z * se > 1
    assert np.log(row["upper"] / (1 - row["upper"])) == pytest.approx(
        np.log(a / (1 - a)) + z * se / (a * (1 - a))
    )


@pytest.mark.parametrize(
    ("scores", "auc"), [([4, 5, 6, 0, 1, 2, 3], 1), ([0, 1, 2, 4, 5, 6, 7], 0)]
)
def test_a_perfect_ranking_falls_back_on_independent_pairs(scores, auc):
    """Three disjoint pairs, all in order: Clopper and Pearson's limits of 3 (0) successes of 3."""
    note = (
        f"roc_auc of 's' is {auc}, where DeLong's variance is 0: its interval is Clopper and "
        "Pearson's for 3 "
        "independent pairs"
    )
    with pytest.warns(DataWarning) as caught:
        row = m.delong([1] * 3 + [0] * 4, {"s": scores}, positive=1).interval().loc["s"]
    assert [str(w.message) for w in caught] == [note]
    assert row["method"] == "pairs"
    assert [row["lower"], row["upper"]] == pytest.approx(
        proportion_confint(3 * auc, 3, 0.05, "beta"), abs=1e-12
    )


@pytest.mark.parametrize(
    ("y", "scores", "why"),
    [
        ([1, 1, 0, 0], [1, 1, 1, 1], "0 (every instance ranks alike)"),
        ([1, 0, 0, 0], [2, 1, 2, 3], "unknown (a class has one instance)"),
    ],
)
def test_no_variance_no_interval(y, scores, why):
    with pytest.warns(DataWarning) as caught:
        row = m.delong(y, {"s": scores}, positive=1).interval().loc["s"]
    assert (
        str(caught[0].message)
        == f"DeLong's variance of roc_auc of 's' is {why}: it has no interval"
    )
    assert row[["lower", "upper"]].isna().all()
    assert np.isnan(m.delong(y, {"s": scores}, positive=1).test("s", "s")["p"])


def test_walds_limits_are_cut_to_shares():
    y = np.repeat([1, 0], 10)
    scores = np.r_[np.arange(10) + 5.5, np.arange(10)]
    areas = m.delong(y, {"good": scores, "bad": -scores}, positive=1)
    limits = areas.interval(method="wald")
    assert limits.loc["good", "upper"] == 1
    assert limits.loc["bad", "lower"] == 0
