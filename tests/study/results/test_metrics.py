"""Which way a study's metrics are better: as the user's own says, else as the vocabulary knows the
name.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from deabench.errors import DataError
from deabench.metrics import DIRECTION, METRICS, SCORE_METRICS, Metric
from deabench.metrics.score_metrics import BUILT_IN
from deabench.study.results.metrics import (
    MULTICLASS_METRICS,
    MULTICLASS_SCORES,
    TIMES,
    StudyMetrics,
    _problem_of_probabilities,
    _value_on_fold,
    average_over_folds,
)


def zero_metric(y_true, y_pred) -> float:
    return 0.0


def test_a_study_asks_the_vocabulary() -> None:
    two = StudyMetrics()
    for name in (*METRICS, *SCORE_METRICS):
        assert two.better(name) == DIRECTION[name]
    assert {two.better(name) for name in TIMES} == {"lower"}
    assert all(two.is_cost(name) for name in TIMES)
    assert {StudyMetrics(classes="all").better(name) for name in MULTICLASS_METRICS} == {"higher"}
    assert two.complemented_outputs(["TPR", "FPR"]) == {"FPR": 1.0}


def test_a_function_of_ones_own_goes_by_its_name_and_is_never_ranked_the_wrong_way(refused) -> None:
    measures = StudyMetrics(
        user_metrics={
            "log_loss": zero_metric,
            "my_error_rate": zero_metric,
            "flux": zero_metric,
            "accuracy_gain": zero_metric,
        }
    )
    assert [measures.better(name) for name in measures.user_metrics] == [
        "lower",
        "lower",
        "higher",
        "higher",
    ]
    assert measures.complemented_outputs(["my_error_rate", "flux"]) == {"my_error_rate": 1.0}
    assert np.isinf(measures.highest("flux"))
    with refused(
        "dea: metric 'log_loss' is better low and has no greatest value; name it among the inputs"
    ):
        measures.check_output("dea", "log_loss")
    measures.check_output("dea", "flux")
    declared = StudyMetrics(
        user_metrics={
            "log_loss": Metric("log_loss", zero_metric, range=(0, 5), higher_is_better=True)
        }
    )
    assert (declared.better("log_loss"), declared.highest("log_loss")) == ("higher", 5.0)


@pytest.mark.parametrize("name", ["TPR", "accuracy", "roc_auc"])
def test_ranges_are_the_catalogues(name) -> None:
    assert StudyMetrics().highest(name) == 1.0


def test_a_mean_counts_the_folds_that_define_it() -> None:
    """A fold without a positive row has no AUC."""
    counts = pd.DataFrame({"dataset": "d", "classifier": "c", "key": ["both", "negatives"]})
    scores = np.array([0.9, 0.4, 0.6, 0.2])
    rows = {
        "both": {"y_true": np.array([1, 1, 0, 0]), "score": scores},
        "negatives": {"y_true": np.zeros(4, dtype=int), "score": scores},
    }
    table = average_over_folds(counts, {"roc_auc": "roc_auc"}, rows)
    # Of the four pairs of a positive and a negative one is in the wrong order.
    assert table.loc[("d", "c"), "roc_auc"] == 0.75
    assert table.attrs["notes"] == ("roc_auc of 'c' on 'd' is defined in 1 of 2 folds",)


def test_scores_of_three_classes_by_hand() -> None:
    probabilities = np.array([[0.5, 0.3, 0.2], [0.2, 0.6, 0.2], [0.1, 0.1, 0.8]])
    y = np.array([0, 1, 2])
    scores = {name: metric.function for name, metric in MULTICLASS_SCORES.items()}
    # Every row has the greatest probability of its class in the column: each area is 1.
    assert scores["roc_auc"](y, probabilities) == 1
    assert scores["log_loss"](y, probabilities) == pytest.approx(-np.log(0.5 * 0.6 * 0.8) / 3)
    brier = (0.25 + 0.09 + 0.04) + (0.04 + 0.16 + 0.04) + (0.01 + 0.01 + 0.04)
    assert scores["brier"](y, probabilities) == pytest.approx(brier / 3)
    # Without a row of a class, or with scores that are no probabilities, there is no value.
    assert np.isnan(scores["roc_auc"](np.array([0, 1, 1]), probabilities))
    assert np.isnan(scores["roc_auc"](y, np.full((3, 3), np.nan)))
    for name in ("log_loss", "brier"):
        assert np.isnan(scores[name](y, 2 * probabilities))
        assert np.isnan(scores[name](y, probabilities - [0.3, 0, -0.3]))


def test_metrics_on_a_fold_by_hand() -> None:
    fold = {
        "y_true": np.array([1, 1, 0, 0]),
        "y_pred": np.array([1, 0, 1, 0]),
        "score": np.array([0.9, 0.4, 0.5, 0.1]),
    }
    # Between .4 and .5 one of two positives lies below, as does one of two negatives: at .5 the
    # distribution functions differ by 1/2. Of four pairs three are in order.
    assert _value_on_fold("KS", "KS", fold) == pytest.approx(0.5)
    assert _value_on_fold("roc_auc", "roc_auc", fold) == pytest.approx(0.75)
    for damaged in ({"y_true": np.ones(4, int)}, {"score": np.array([0.9, np.nan, 0.5, 0.1])}):
        assert np.isnan(_value_on_fold("roc_auc", "roc_auc", fold | damaged))
    brier = Metric("brier", lambda y, p: float(((y - p) ** 2).mean()), False, needs="probabilities")
    assert _value_on_fold("brier", brier, fold) == pytest.approx(0.1575)
    assert np.isnan(_value_on_fold("brier", brier, fold | {"score": np.full(4, np.nan)}))


def test_folds_without_a_value_are_counted() -> None:
    """One of two folds has positives: the mean is that of the other, and a note says so."""
    rows = {
        "1": {
            "y_true": np.array([1, 0]),
            "y_pred": np.array([1, 0]),
            "score": np.array([0.9, 0.1]),
        },
        "2": {
            "y_true": np.array([0, 0]),
            "y_pred": np.array([1, 0]),
            "score": np.array([0.9, 0.1]),
        },
    }
    counts = pd.DataFrame({"dataset": "d", "classifier": "c", "key": ["1", "2"]})
    table = average_over_folds(counts, {"roc_auc": "roc_auc"}, rows)
    assert table.loc[("d", "c"), "roc_auc"] == 1
    assert table.attrs["notes"] == ("roc_auc of 'c' on 'd' is defined in 1 of 2 folds",)


def test_an_unlike_name_points_to_the_page(refused) -> None:
    with refused(
        "study: there is no metric 'zzzzzz'; see docs/study.md for those there are", DataError
    ):
        StudyMetrics().check_name("study", "zzzzzz")


def test_metrics_of_rows_alone_need_no_counts() -> None:
    fold = {"y_true": np.array([1, 0]), "y_pred": np.array([1, 0]), "score": np.array([0.9, 0.1])}
    counts = pd.DataFrame(
        [("d", "c", "k", 1, 0, 0, 1)],
        columns=["dataset", "classifier", "key", "tp", "fn", "fp", "tn"],
    )
    table = StudyMetrics().compute(counts, ["roc_auc"], lambda: {"k": fold})
    assert table.loc[("d", "c")].to_dict() == {"roc_auc": 1.0}
    # Without rows there is nothing to say of probabilities, and no value.
    brier = Metric("brier", lambda y, p: 0.0, False, needs="probabilities")
    means = average_over_folds(counts, {"brier": brier}, {})
    assert np.isnan(means.loc[("d", "c"), "brier"])
    assert means.attrs["notes"] == ("brier of 'c' on 'd' is defined in 0 of 1 folds",)


def test_probabilities_that_one_fold_lacks_are_left_to_that_fold() -> None:
    folds = [{"probability": np.array([0.2, 0.9])}, {"probability": np.array([np.nan, np.nan])}]
    metric = BUILT_IN["brier"]
    assert _problem_of_probabilities(metric, folds) == ""
    assert _problem_of_probabilities(metric, folds[1:]) == (
        "the classifier has no predict_proba that gives some"
    )
