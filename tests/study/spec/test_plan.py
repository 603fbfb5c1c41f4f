"""The tasks of a study: each is made when it is asked for, with the key that it has always had."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from deabench.study import Study
from deabench.study.data.columns import DataSpec
from deabench.study.data.loaders import load_dataset
from deabench.study.data.splits import SplitSpec
from deabench.study.learners import LearnerSpec
from deabench.study.spec.tasks import Task, key_base, task_key


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Two data sets of different numbers of folds, two classifiers."""
    y = (np.arange(24) % 3 == 0).astype(int)
    sets = {"a": (np.arange(48.0).reshape(24, 2), y), "b": (np.arange(18.0).reshape(9, 2), y[:9])}
    return Study(
        sets,
        {"one": "majority", "other": "stump"},
        split="leave-one-out",
        store=tmp_path_factory.mktemp("jobs") / "s.sqlite",
    )


def test_keys_are_those_of_the_stores_there_are():
    """Keys keep these bytes: others would run every study again."""
    spec, learner = (
        DataSpec("ecoli4", "table2"),
        LearnerSpec("SENC", "SENC", fingerprint=(("numpy", "2"), ("parameters", "ä"))),
    )
    job = Task(spec, learner, SplitSpec(), 0, 0, 7, "", data_sha256="00")
    base = (
        b'[4, "ecoli4", "00", "", "SENC", [["numpy", "2"], ["parameters", "\\u00e4"]], "", '
        b'["kfold", 10, 0, ""], 7]'
    )
    assert key_base(job, load_dataset(spec)) == base
    assert task_key(hashlib.sha256(base), 3, 12) == hashlib.sha256(base + b" 3 12").hexdigest()


def test_the_order_is_that_of_data_sets_then_folds_then_classifiers(study):
    assert [job.label for job in study.plan.tasks()] == [
        f"{data} / {learner} / repeat 0 / fold {fold}"
        for data, folds in (("a", 24), ("b", 9))
        for fold in range(folds)
        for learner in ("one", "other")
    ]


def test_however_a_task_is_asked_for_it_is_the_same(study):
    jobs = study.plan.tasks()
    listed_tasks = list(jobs)
    assert len(jobs) == len(listed_tasks) == 66
    assert [job.key for job in listed_tasks] == list(jobs.keys())
    assert len(set(jobs.keys())) == 66
    assert (
        [jobs[position] for position in range(66)]
        == [jobs[position - 66] for position in range(66)]
        == listed_tasks
    )
    assert jobs[40:3:-7] == listed_tasks[40:3:-7]
    done = bytearray([1] * 66)
    done[50] = done[2] = 0
    selection = jobs.without(done)
    assert list(selection) == [listed_tasks[2], listed_tasks[50]]
    assert (len(selection), selection[-1], list(selection[:1])) == (
        2,
        listed_tasks[50],
        [listed_tasks[2]],
    )
    assert not jobs.without(bytearray([1] * 66))
    for position, job in enumerate(listed_tasks):
        names = (job.data.name, job.learner.name, job.repeat, job.fold)
        assert jobs.find(job.key, *names) == position
        for other in ((*names[:3], -1), (*names[:3], "0"), (*names[:2], 99, 0), ("?", *names[1:])):
            assert jobs.find(job.key, *other) is None
        assert jobs.find(jobs[position - 1].key, *names) is None
    for position in (66, -67):
        with pytest.raises(IndexError):
            jobs[position]


def test_a_task_holds_what_its_data_set_and_classifier_are(study):
    jobs, names = study.plan.tasks(), [data.sha256 for data in study.plan.datasets()]
    for job, whose in ((jobs[47], 0), (jobs[48], 1)):
        assert job.data == study.plan.data[whose]
        assert job.data_sha256 == names[whose]
        assert (
            job.key
            == hashlib.sha256(
                key_base(job, study.plan.datasets()[whose]) + b" 0 %d" % job.fold
            ).hexdigest()
        )


def test_studies_of_the_same_tasks_have_one_identity(study, tmp_path):
    plan = study.plan

    def identity(seed: int = 0, **learners: str) -> str:
        sets = {"a": (np.arange(48.0).reshape(24, 2), np.arange(24) % 3 // 2)}
        return (
            Study(sets, learners, split=3, seed=seed, store=tmp_path / "s.sqlite")
            .plan.tasks()
            .identity()
        )

    same = {identity(one="majority"), identity(one="majority")}
    assert len(same) == 1
    assert (
        len(
            same
            | {
                identity(1, one="majority"),
                identity(two="majority"),
                identity(one="stump"),
                plan.tasks().identity(),
                identity(one="majority", two="stump"),
                identity(two="stump", one="majority"),
            }
        )
        == 7
    )
