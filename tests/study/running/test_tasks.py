"""Folds and seeds: the same for every classifier, whatever the order."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deabench.study.data.columns import DataSpec
from deabench.study.data.loaders import load_dataset
from deabench.study.data.splits import SplitSpec, count_folds, derive_seed, split_rows
from deabench.study.learners import LearnerSpec
from deabench.study.running import tasks
from deabench.study.running.predictions import (
    count_confusion,
    pack_predictions,
    unpack_predictions,
)
from deabench.study.running.tasks import Outcome, run_task
from deabench.study.spec.tasks import Task, TaskLimits

SPEC = DataSpec("ecoli4", "table2")


@pytest.fixture(scope="module")
def ecoli4():
    return load_dataset(SPEC)


def test_a_seed_is_what_the_documents_say():
    """SeedSequence([root, CRC-32 of the name, numbers]); CRC-32 of `123456789` is the standard's
    check value.
    """
    assert (
        derive_seed(7, "123456789", 2)
        == np.random.SeedSequence([7, 0xCBF43926, 2]).generate_state(1)[0] >> 1
    )


@pytest.mark.parametrize("repeat", [0, 1])
def test_kfold_tests_every_row_once_and_keeps_the_classes_shares(ecoli4, repeat):
    splits = [split_rows(ecoli4, SplitSpec(), repeat, fold, 1) for fold in range(10)]
    assert np.sort(np.concatenate([test for _, test in splits])).tolist() == list(range(336))
    for train, test in splits:
        assert not set(train) & set(test)
        assert len(train) + len(test) == 336
        assert ecoli4.y[test].sum() == 2


def test_repeats_differ_and_seeds_differ(ecoli4):
    def test_rows(repeat: int, seed: int) -> list[int]:
        return split_rows(ecoli4, SplitSpec(), repeat, 0, seed)[1].tolist()

    assert test_rows(0, 1) == test_rows(0, 1)
    assert test_rows(0, 1) != test_rows(1, 1)
    assert test_rows(0, 1) != test_rows(0, 2)


def test_holdout_and_bootstrap(ecoli4):
    train, test = split_rows(ecoli4, SplitSpec("holdout", test_size=0.25), 0, 0, 1)
    assert (len(train), len(test), ecoli4.y[test].sum()) == (252, 84, 5)
    first_train, out = split_rows(ecoli4, SplitSpec("bootstrap"), 0, 0, 1)
    assert (len(first_train), ecoli4.y[first_train].sum()) == (336, 20)
    assert set(first_train) | set(out) == set(range(336))
    assert not set(first_train) & set(out)
    assert 0.3 < len(out) / 336 < 0.45  # 1/e = 0.368 are expected to stay out
    second_train, _ = split_rows(ecoli4, SplitSpec("bootstrap"), 0, 1, 1)
    assert first_train.tolist() != second_train.tolist()


def test_own_folds_are_used_as_they_are(ecoli4):
    parted = replace(ecoli4, partition=np.where(np.arange(336) < 300, -1, np.arange(336) % 2))
    assert count_folds(parted, SplitSpec(repeats=5)) == (1, 2)
    train, test = split_rows(parted, SplitSpec(), 0, 1, 1)
    assert test.tolist() == list(range(301, 336, 2))
    assert len(train) == 336 - len(test)


def test_a_task_is_the_same_wherever_it_runs():
    job = Task(SPEC, LearnerSpec("SENC", "SENC"), SplitSpec(), 0, 3, 1, "key")
    np.random.seed(1)  # noqa: NPY002
    first = run_task(job)
    run_task(replace(job, fold=4))
    np.random.seed(2)  # noqa: NPY002
    second = run_task(job)
    assert (first.counts, first.rows_sha256) == (second.counts, second.rows_sha256)
    assert run_task(replace(job, seed=2)).rows_sha256 != first.rows_sha256


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1))
def test_counts_against_scikit_learn(pairs):
    from sklearn.metrics import confusion_matrix

    y, predicted = np.array(pairs).T
    tn, fp, fn, tp = confusion_matrix(y, predicted, labels=[0, 1]).ravel()
    assert count_confusion(y, predicted) == (tp, fn, fp, tn)


@given(st.lists(st.floats(allow_nan=True), min_size=1, max_size=30))
def test_packed_rows_come_back_as_they_were(scores):

    n = len(scores)
    rows, y, predicted = np.arange(n) * 7, np.arange(n) % 2, np.arange(n) % 3 % 2
    back = unpack_predictions(pack_predictions(rows, y, predicted, np.array(scores)))
    for name, sent in (("row", rows), ("y_true", y), ("y_pred", predicted), ("score", scores)):
        np.testing.assert_array_equal(back[name], sent)


def test_the_warnings_of_a_learner_are_recorded():
    learner = LearnerSpec("MLP", "MLP", (("epochs", 2),))
    notes = run_task(Task(SPEC, learner, SplitSpec(), 0, 0, 1, "key")).notes
    assert [text.split(":")[0] for text in notes["warnings"]] == ["ConvergenceWarning"]


def test_a_task_is_marked_while_it_runs_and_no_longer(tmp_path, monkeypatch):
    marked = []
    monkeypatch.setattr(
        tasks,
        "_run_guarded",
        lambda *_: marked.append(tasks.running_keys(tmp_path)) or Outcome("done"),
    )
    # A shorter key stands in the place of a longer one.
    for key in ("a longer key", "key"):
        tasks._run_and_clean_up(SimpleNamespace(key=key, limits=TaskLimits()), str(tmp_path), {})
        assert tasks.running_keys(tmp_path) == set()
    assert marked == [{"a longer key"}, {"key"}]


def test_only_a_task_with_limits_leaves_a_trace(tmp_path, monkeypatch):
    traces = []
    monkeypatch.setattr(
        tasks, "_run_guarded", lambda task, trace: traces.append(trace) or Outcome("done")
    )
    for limits in (TaskLimits(), TaskLimits(wall=1)):
        tasks._run_and_clean_up(SimpleNamespace(key="k", limits=limits), str(tmp_path), {})
    tasks._run_and_clean_up(SimpleNamespace(key="k", limits=TaskLimits(wall=1)), None, {})
    assert traces == [None, tmp_path / "k.trace", None]
