"""Which way a study's metrics are better: as the user's own says, else as the vocabulary knows the
name.
"""

from __future__ import annotations

import numpy as np
import pytest

from deabench.metrics import DIRECTION, METRICS, SCORE_METRICS, Metric
from deabench.study.results.measures import MANY, TIMES, Measures


def own(y_true, y_pred) -> float:
    return 0.0


def test_a_study_asks_the_vocabulary() -> None:
    two = Measures()
    for name in (*METRICS, *SCORE_METRICS):
        assert two.better(name) == DIRECTION[name]
    assert {two.better(name) for name in TIMES} == {"lower"}
    assert all(two.cost(name) for name in TIMES)
    assert {Measures(classes="all").better(name) for name in MANY} == {"higher"}
    assert two.complemented(["TPR", "FPR"]) == {"FPR": 1.0}


def test_a_function_of_ones_own_goes_by_its_name_and_is_never_ranked_the_wrong_way(refused) -> None:
    measures = Measures(
        declared={"log_loss": own, "my_error_rate": own, "flux": own, "accuracy_gain": own}
    )
    assert [measures.better(name) for name in measures.declared] == [
        "lower",
        "lower",
        "higher",
        "higher",
    ]
    assert measures.complemented(["my_error_rate", "flux"]) == {"my_error_rate": 1.0}
    assert np.isinf(measures.highest("flux"))
    with refused(
        "dea: metric 'log_loss' is better low and has no greatest value; name it among the inputs"
    ):
        measures.ranks("dea", "log_loss")
    measures.ranks("dea", "flux")
    said = Measures(
        declared={"log_loss": Metric("log_loss", own, range=(0, 5), higher_is_better=True)}
    )
    assert (said.better("log_loss"), said.highest("log_loss")) == ("higher", 5.0)


@pytest.mark.parametrize("name", ["TPR", "accuracy", "roc_auc"])
def test_ranges_are_the_catalogues(name) -> None:
    assert Measures().highest(name) == 1.0
