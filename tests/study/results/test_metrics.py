"""Which way a study's metrics are better: as the user's own says, else as the vocabulary knows the
name.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from deabench.metrics import DIRECTION, METRICS, SCORE_METRICS, Metric
from deabench.study.results.metrics import (
    MULTICLASS_METRICS,
    TIMES,
    StudyMetrics,
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
