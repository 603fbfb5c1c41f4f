"""Metrics of one's own, those of scores and probabilities that are shipped, calibration, .632+,
impurity.
"""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from mlxtend.evaluate import bootstrap_point632_score
from sklearn import metrics as sk
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from deabench import metrics as m
from deabench.metrics.formulas import ALIASES, DIRECTION, MORE_METRICS
from deabench.metrics.score_metrics import BUILT_IN, precision_of_top, roc_auc, sort_scores


@pytest.fixture(scope="module", params=range(4))
def scored(request):
    rng = np.random.default_rng(request.param)
    y = (rng.random(150) < 0.3).astype(int)
    return y, np.clip(rng.normal(0.3 + 0.3 * y, 0.2), 0.01, 0.99).round(2), rng.random(150)


def test_shipped_metrics_are_scikit_learns(scored):
    y, p, w = scored
    for weight in (None, w):
        computed = m.from_scores(
            y,
            {"p": p},
            sample_weight=weight,
            metrics=["log_loss", "brier", "partial_auc@0.1", "TPR@FPR=0.2", "roc_auc", "pr_auc"],
        ).loc["p"]
        assert computed["log_loss"] == pytest.approx(
            sk.log_loss(y, p, sample_weight=weight), abs=1e-12
        )
        assert computed["brier"] == pytest.approx(
            sk.brier_score_loss(y, p, sample_weight=weight), abs=1e-12
        )
        assert computed["partial_auc@0.1"] == pytest.approx(
            sk.roc_auc_score(y, p, max_fpr=0.1, sample_weight=weight), abs=1e-12
        )
        fpr, tpr, _ = sk.roc_curve(y, p, sample_weight=weight, drop_intermediate=False)
        assert computed["TPR@FPR=0.2"] == pytest.approx(tpr[fpr <= 0.2].max(), abs=1e-12)


def test_net_benefit_and_ece_by_their_definitions(scored):
    y, p, _ = scored
    computed = m.from_scores(y, {"p": p}, metrics=["net_benefit@0.2", "ece"]).loc["p"]
    predicted = p >= 0.2
    assert computed["net_benefit@0.2"] == pytest.approx(
        (predicted & (y == 1)).mean() - (predicted & (y == 0)).mean() * 0.25, abs=1e-12
    )
    gaps = [
        (group == k).mean() * abs(p[group == k].mean() - y[group == k].mean())
        for group in [np.minimum((p * 15).astype(int), 14)]
        for k in np.unique(group)
    ]
    assert computed["ece"] == pytest.approx(sum(gaps), abs=1e-12)


def test_precision_at_k_is_the_mean_over_the_orders_of_equal_scores():
    y, s = np.array([1, 0, 1, 0, 1]), np.array([3, 2, 2, 2, 1])
    rng = np.random.default_rng(0)
    precisions = [y[np.lexsort((rng.random(5), -s))][:2].mean() for _ in range(4000)]
    computed = m.from_scores(y, {"s": s}, metrics=["precision@2", m.precision_at(5)]).loc["s"]
    assert (
        computed["precision@2"]
        == pytest.approx((1 + 1 / 3) / 2)
        == pytest.approx(np.mean(precisions), abs=0.02)
    )
    assert computed["precision@5"] == 0.6


def test_one_sort_gives_every_weighting():
    """Weights of a bootstrap on the sorted score are the metric of the redrawn rows."""
    rng = np.random.default_rng(3)
    y, s = rng.random(40) < 0.4, rng.integers(0, 9, 40)
    weights = rng.multinomial(40, np.full(40, 1 / 40), 20)
    areas = roc_auc(*sort_scores(y, s).steps(weights))
    for weight, value in zip(weights, areas, strict=True):
        rows = np.repeat(np.arange(40), weight)
        assert value == pytest.approx(sk.roc_auc_score(y[rows], s[rows]), abs=1e-14)
    assert precision_of_top(*sort_scores(y, s).steps(weights), k=7).shape == (20,)


def _gap(y, p, sample_weight=None):
    return float(np.average(p != y, weights=sample_weight))


def test_a_metric_of_ones_own_goes_everywhere(scored):
    y, p, w = scored
    metric = m.Metric("error", _gap, higher_is_better=False, range=(0, 1))
    assert pickle.loads(pickle.dumps(metric)) == metric
    labels = (p >= 0.5).astype(int)
    table = m.from_predictions(y, {"a": labels}, metrics=["TPR", metric, "TNR"])
    assert list(table.columns) == ["TPR", "error", "TNR"]
    assert table.loc["a", "error"] == pytest.approx(np.mean(labels != y))
    assert table.attrs["better"] == {"TPR": "higher", "error": "lower", "TNR": "higher"}
    assert m.from_predictions(y, {"a": labels}, metrics=[metric], sample_weight=w).loc[
        "a", "error"
    ] == pytest.approx(1 - sk.accuracy_score(y, labels, sample_weight=w))
    both_metrics = m.from_scores(y, {"a": p}, threshold=0.5, metrics=["roc_auc", metric])
    assert both_metrics.loc["a", "error"] == table.loc["a", "error"]
    values = m.intervals(
        y, {"a": labels}, metrics=[metric, "misclassification_rate"], draws=400
    ).table.loc["a"]
    assert values.loc["error", "method"] == "percentile"
    assert values["lower"].tolist() == pytest.approx(
        [values.loc["misclassification_rate", "lower"]] * 2, abs=0.03
    )
    assert (
        m.from_classes(y, {"a": labels}, metrics=[metric]).loc["a", "error"]
        == table.loc["a", "error"]
    )


@pytest.mark.parametrize(
    "name", ["neg_brier_score", "neg_log_loss", "roc_auc", "average_precision", "accuracy", "f1"]
)
def test_scikit_learns_scorers(scored, name):
    y, p, w = scored
    needs = "labels" if name in ("accuracy", "f1") else "probabilities"
    values = (p >= 0.5).astype(int) if needs == "labels" else p
    expected = {
        "neg_brier_score": lambda: -sk.brier_score_loss(y, p, sample_weight=w),
        "neg_log_loss": lambda: -sk.log_loss(y, p, sample_weight=w),
        "roc_auc": lambda: sk.roc_auc_score(y, p, sample_weight=w),
        "average_precision": lambda: sk.average_precision_score(y, p, sample_weight=w),
        "accuracy": lambda: sk.accuracy_score(y, values, sample_weight=w),
        "f1": lambda: sk.f1_score(y, values, sample_weight=w),
    }[name]
    for scorer in (name, sk.get_scorer(name)):
        metric = m.Metric("mine", scorer, needs=needs)
        make = m.from_predictions if needs == "labels" else m.from_scores
        assert make(y, {"a": values}, metrics=[metric], sample_weight=w).loc[
            "a", "mine"
        ] == pytest.approx(expected(), abs=1e-12)


def _unweighted(y, p):
    return 1.0


Y, P = [1, 1, 0, 0], {"a": [0.9, 0.4, 0.6, 0.2]}


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: m.Metric(" ", max), "the metric's name is ' '; give it one, as text"),
        (
            lambda: m.Metric("a", 3),
            "the function of metric 'a' is a int; give a function of (y_true, values), a "
            "scikit-learn scorer "
            "or a scorer's name",
        ),
        (
            lambda: m.Metric("a", max, needs="score"),
            "needs 'score' is not known; it is one of 'labels', 'scores', 'probabilities'",
        ),
        (
            lambda: m.Metric("a", max, range=(1, 0)),
            "the range of metric 'a' is (1, 0); give the least and the greatest value",
        ),
        (
            lambda: m.from_scores(
                Y, P, metrics=[m.Metric("two", lambda y, p: 2.0, range=(0, 1), needs="scores")]
            ),
            "metric 'two' is 2, outside its range 0 to 1; declare its range",
        ),
        (
            lambda: m.from_scores(
                Y, P, metrics=[m.Metric("bad", lambda y, p: 1 / 0, needs="scores")]
            ),
            "metric 'bad' failed: ZeroDivisionError: division by zero",
        ),
        (
            lambda: m.from_scores(
                Y,
                P,
                metrics=[m.Metric("w", _unweighted, needs="scores")],
                sample_weight=[1, 1, 1, 2],
            ),
            "metric 'w' failed: TypeError: _unweighted() got an unexpected keyword argument "
            "'sample_weight'",
        ),
        (
            lambda: m.from_predictions(Y, {"a": Y}, metrics=["brier"]),
            "metric 'brier' needs probabilities; give them to from_scores",
        ),
        (
            lambda: m.from_predictions(Y, {"a": Y}, metrics=["roc_auc"]),
            "metric 'roc_auc' needs scores; give them to from_scores",
        ),
        (
            lambda: m.from_scores(Y, {"a": [2, 1, 0, 0]}, metrics=["log_loss"]),
            "the score of 'a' for instance 1 is 2; metric 'log_loss' needs probabilities, from 0 "
            "to 1",
        ),
        (
            lambda: m.from_scores(Y, P, metrics=["precision@0"]),
            "k is 0; precision at k takes a whole number of instances, at least 1",
        ),
        (
            lambda: m.from_scores(Y, P, metrics=["precision@0.5"]),
            "the value of metric 'precision@0.5' is '0.5'; write it as partial_auc@0.1, "
            "TPR@FPR=0.05, precision@10, net_benefit@0.2",
        ),
        (
            lambda: m.from_scores(Y, P, metrics=["partial_auc@2"]),
            "max_fpr is 2; give a number between 0 and 1",
        ),
        (lambda: m.entropy([0, 0]), "the counts of an entropy are numbers >= 0, not all 0"),
        (
            lambda: m.brier_decomposition(Y, P, bins=0),
            "bins is 0; give at least 1, or leave it out for a group per distinct probability",
        ),
        (lambda: m.seconds({}, [[0]], [0], repeats=0), "repeats is 0; give at least 1"),
    ],
)
def test_bad_input_is_named(call, text, refused):
    with refused(text):
        call()


def test_directions_of_all_words():
    assert {name: m.direction_of(name) for name in DIRECTION} == DIRECTION
    assert all(m.direction_of(word) == DIRECTION[name] for word, name in ALIASES.items())
    names = ("F2", "F0.5", "precision@10", "TPR@FPR=0.05", "net_benefit@0.3", "brier", "what")
    assert [m.direction_of(name) for name in names] == [*["higher"] * 5, "lower", None]
    assert {name: metric.better for name, metric in BUILT_IN.items()}.items() <= {
        **m.SCORE_METRICS,
        **MORE_METRICS,
    }.items()


def test_a_certainty_that_was_wrong_costs_infinity():
    assert (
        m.from_scores(Y, {"a": [0.0, 1, 0, 0]}, metrics=["log_loss"]).loc["a", "log_loss"]
        == math.inf
    )


@pytest.mark.parametrize("bins", [None, 1, 4, 10])
def test_the_parts_of_briers_score_are_the_whole(scored, bins):
    y, p, w = scored
    for weight in (None, w):
        row = m.brier_decomposition(y, {"p": p}, bins=bins, sample_weight=weight).loc["p"]
        assert row["brier"] == pytest.approx(
            sk.brier_score_loss(y, p, sample_weight=weight), abs=1e-14
        )
        total = row["reliability"] - row["resolution"] + row["uncertainty"] + row["within_bins"]
        assert row["brier"] == pytest.approx(total, abs=1e-14)
    if bins is None:
        assert row["within_bins"] == pytest.approx(0, abs=1e-15)
        right = m.brier_decomposition([1, 0, 0, 1], {"p": [0.5, 0.5, 0, 1]}).loc["p"]
        assert right[["reliability", "resolution", "uncertainty"]].tolist() == [0, 0.125, 0.25]


def test_point632_plus_sees_what_was_learnt_by_heart():
    """Labels that are noise: one neighbour errs nowhere on its own rows and half the time elsewhere
    (Efron and Tibshirani).
    """
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    estimate = m.bootstrap_632(KNeighborsClassifier(1), x, y)
    assert estimate["apparent"] == 0
    assert estimate["left_out"] == pytest.approx(0.5, abs=0.08)
    assert estimate[".632"] == pytest.approx(0.632 * estimate["left_out"])
    assert estimate[".632+"] == pytest.approx(0.5, abs=0.08)


def test_point632_is_mlxtends():
    x, y = load_breast_cancer(return_X_y=True)
    computed = m.bootstrap_632(GaussianNB(), x, y, resamples=15)
    for method in (".632", ".632+"):
        expected = bootstrap_point632_score(
            GaussianNB(), x, y, n_splits=15, random_seed=1, method=method
        )
        assert 1 - computed[method] == pytest.approx(
            np.mean(expected), abs=4 * np.std(expected) / np.sqrt(15)
        )
    assert computed[".632"] == pytest.approx(computed[".632+"], abs=0.002)  # hardly overfitted


def test_the_lectures_entropy_and_gain():
    """.8813 of the parent, .9183 of Refund = No, .551 of the children; the printed gain .2417 is
    .2973 as written.
    """
    assert round(m.entropy([3, 7]), 4) == 0.8813
    assert round(m.entropy([2, 4]), 4) == 0.9183
    assert round(0.6 * m.entropy([2, 4]), 3) == 0.551
    assert round(0.9 * (m.entropy([3, 7]) - 0.6 * m.entropy([2, 4])), 4) == 0.2973
    assert (
        round(0.9 * m.entropy([3, 7]) - 0.551, 4) == 0.2422
    )  # what was computed, but for a slip to .2417
    assert round(m.information_gain([[0, 3], [2, 4]], missing=[1, 0]), 4) == 0.1368  # C4.5's own


def test_seconds():
    table = m.seconds(
        {"bayes": GaussianNB(), "neighbours": KNeighborsClassifier()}, np.eye(30), np.arange(30) % 2
    )
    assert table.columns.tolist() == ["fit_seconds", "predict_seconds"]
    assert (table > 0).all(axis=None)
    assert table.attrs["better"] == {"fit_seconds": "lower", "predict_seconds": "lower"}


def test_metrics_of_scores_are_a_list_and_need_both_classes(refused):
    y, scores = [1, 0, 1, 0], {"a": [0.9, 0.2, 0.6, 0.4]}
    with refused("metrics is the text 'roc_auc'; give a list of names, as ['roc_auc']"):
        m.from_scores(y, scores, metrics="roc_auc")
    with refused("metrics is empty; name at least one metric, or leave it out for all of them"):
        m.from_scores(y, scores, metrics=[])
    area = BUILT_IN["roc_auc"].function
    assert area([1, 0], [0.9, 0.1]) == 1
    # Without both classes there is no order to judge.
    assert np.isnan(area([1, 1], [0.9, 0.1]))
    assert np.isnan(area([0, 0], [0.9, 0.1]))


def test_errors_without_information_count_each_label_as_often_as_it_is_predicted():
    """A row at distance 0 has its own label: of 20 and 80 per cent 2 x .2 x .8 differ by chance."""
    x = np.random.default_rng(0).normal(size=(50, 3))
    estimate = m.bootstrap_632(KNeighborsClassifier(1), x, np.repeat([1, 0], [10, 40]))
    assert estimate["no_information"] == pytest.approx(0.32)


@pytest.mark.parametrize(
    ("rows", "y", "message"),
    [
        (5, [0, 1, 0], "X has 5 rows and y has 3; give one label for each row"),
        (3, [0, 0, 0], "y holds one class only (0); give instances of both classes"),
    ],
)
def test_bootstrap_needs_a_label_for_each_row_and_two_classes(refused, rows, y, message):
    with refused(message):
        m.bootstrap_632(GaussianNB(), np.ones((rows, 2)), y)
