"""Predictions are the data's labels, one per row, or the task failed and says why."""

from __future__ import annotations

import numpy as np
import pytest

from deabench.study.data.columns import DataSpec
from deabench.study.data.splits import SplitSpec
from deabench.study.learners import LearnerSpec
from deabench.study.running.limits import enforce_limits
from deabench.study.running.predictions import (
    PredictionError,
    check_labels,
    pack_predictions,
    predict_scores,
    unpack_predictions,
)
from deabench.study.running.tasks import run_task
from deabench.study.spec.tasks import Task, TaskLimits

HAVE = "a study trains on 0 and 1 (1 = positive) and takes those"


def task(learner: str, **changes: object) -> Task:
    spec = LearnerSpec("m", f"poison.{learner}", imported=True)
    return Task(
        DataSpec("glass-0-4_vs_5", "table2"), spec, SplitSpec(folds=2), 0, 0, 1, "key", **changes
    )


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        ("Minus", f"predict answered -1 for 23 of 46 rows, which is no class of the data; {HAVE}"),
        (
            "Between",
            f"predict answered 0.99 for 46 of 46 rows, which is no class of the data; {HAVE}",
        ),
        (
            "Nothing",
            f"predict answered nan for 46 of 46 rows, which is no class of the data; {HAVE}",
        ),
        (
            "Scalar",
            "predict gave an answer of shape () for 46 rows; it must give one label per row",
        ),
        ("Few", "predict gave an answer of shape (1,) for 46 rows; it must give one label per row"),
        ("Words", f"predict answered 'yes', which is no number; {HAVE}"),
    ],
)
def test_an_answer_that_is_no_prediction_fails_the_task(learner, message):
    outcome = run_task(task(learner))
    assert (outcome.status, outcome.error[:2], outcome.counts) == (
        "failed",
        ("PredictionError", message),
        (0, 0, 0, 0),
    )


def test_an_outlier_detector_does_not_win():
    spec = LearnerSpec("m", "sklearn.ensemble.IsolationForest", imported=True)
    outcome = run_task(
        Task(DataSpec("haberman", "table2"), spec, SplitSpec(folds=5), 0, 0, 1, "key")
    )
    assert outcome.status == "failed"
    assert (
        "which is no class of the data" in outcome.error[1]
        or "not a scikit-learn classifier" in outcome.error[1]
    )


@pytest.mark.parametrize(
    "answer",
    [[1, 0, 1], [True, False, True], [1.0, 0.0, 1.0], [[1], [0], [1]], np.array([1, 0, 1], "u1")],
)
def test_labels_of_any_kind_are_taken(answer):
    assert check_labels(answer, 3, ("0", "1")).tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    "answer",
    [
        [1, 0, 256],
        [1, 0, 2],
        [1, 0, -1],
        [1, 0, np.inf],
        [1, 0],
        [[1, 0, 1]],
        ["1", "0", "x"],
        None,
    ],
)
def test_other_labels_are_refused(answer):
    with pytest.raises(PredictionError):
        check_labels(answer, 3, ("0", "1"))


def test_scores_of_many_classes_are_kept_by_class():
    class Model:
        classes_ = np.array([2, 0])

        def predict_proba(self, X):
            return np.column_stack([X, 1 - X])

    scores = predict_scores(Model(), np.array([0.2, 0.7]), 3)
    assert scores.tolist() == [[0.8, 0, 0.2], [pytest.approx(0.3), 0, 0.7]]
    back = unpack_predictions(
        pack_predictions(np.arange(2), np.array([0, 2]), np.array([2, 2]), scores), 3
    )
    np.testing.assert_array_equal(back["score"], scores)
    assert back["y_pred"].tolist() == [2, 2]


@pytest.mark.parametrize(
    ("learner", "kind", "text"),
    [("Mumbles", "OSError", "caf\\udce9"), ("Mute", "Silent", "Silent")],
)
def test_an_error_of_any_bytes_can_be_stored(learner, kind, text, tmp_path):
    from deabench.study.results.store import Store
    from deabench.study.results.stored_rows import read_rows

    job = task(learner)
    outcome = run_task(job)
    assert outcome.error[:2] == (kind, text)
    with Store(tmp_path / "s.sqlite") as store:
        store.write_outcome(job, outcome)
    assert read_rows(tmp_path / "s.sqlite")["error"].tolist() == [text]


def test_a_limit_of_cpu_time_is_not_a_limit_of_waiting():
    burns = run_task(task("Burns", limits=TaskLimits(cpu=0.3)))
    assert (burns.status, burns.error[1]) == ("timeout", "took longer than 0.3 s of CPU time")
    import time

    with enforce_limits(None, cpu=0.2):
        time.sleep(0.5)


def test_a_limit_of_memory_costs_its_own_task():
    outcome = run_task(task("Hoards", limits=TaskLimits(memory=300)))
    assert (outcome.status, outcome.error[0]) == ("failed", "MemoryError")
    assert run_task(task("Good", limits=TaskLimits(memory=300))).status == "done"


def test_a_child_of_a_learner_ends_with_its_task(tmp_path, monkeypatch):
    from study_runs import all_ended

    monkeypatch.setenv("DEABENCH_TEST_CHILDREN", str(tmp_path / "pids"))
    assert run_task(task("Begets")).status == "done"
    assert all_ended({int(pid) for pid in (tmp_path / "pids").read_text().split()}, 1.0)


def test_decision_values_of_three_classes_count_in_the_order_of_the_codes():
    class Machine:
        def __init__(self, classes, width=3):
            self.classes_ = np.array(classes)
            self.width = width

        def decision_function(self, X):
            return np.arange(float(len(X) * self.width)).reshape(len(X), self.width)

    X = np.zeros((2, 1))
    assert predict_scores(Machine([0, 1, 2]), X, 3).tolist() == [[0, 1, 2], [3, 4, 5]]
    # Columns of other classes, of pairs of classes, or none at all, are no scores.
    for estimator in (Machine([2, 1, 0]), Machine([0, 1, 2], 6), object()):
        scores = predict_scores(estimator, X, 3)
        assert scores.shape == (2, 3)
        assert np.isnan(scores).all()
    with pytest.raises(PredictionError, match=r"an answer of shape \(2, 3\) for 2 rows"):
        predict_scores(Machine([0, 1]), X, 2)
