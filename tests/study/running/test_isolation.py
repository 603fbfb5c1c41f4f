"""A task leaves no trace: what one learner does to its process, no other notices."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import warnings
from types import SimpleNamespace

import numpy as np
import poison
import pytest
import sklearn
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV

from deabench.study import Study
from deabench.study.running.isolation import (
    LARGEST_OUTPUT,
    Output,
    leave_no_trace,
    seed_generators,
)
from deabench.study.running.limits import cpu_seconds
from deabench.study.running.tasks import run_batch, run_task

X = np.random.default_rng(0).normal(size=(40, 3))
Y = np.arange(40) % 4 // 3


def tasks_of(learners, folder, **arguments):
    arguments = {"split": 2, "positive": 1, **arguments}
    return list(Study({"d": (X, Y)}, learners, store=folder / "s.sqlite", **arguments).plan.tasks())


class Spoils(poison.Good):
    """Changes all that a process has."""

    def harm(self) -> None:
        np.seterr(all="raise")
        np.random.seed(3)  # noqa: NPY002
        random.seed(3)
        sklearn.set_config(transform_output="pandas", enable_metadata_routing=True)
        os.chdir("/")
        os.environ["HOME"] = "elsewhere"
        os.environ.pop("PATH", None)
        warnings.simplefilter("error")


class Draws(poison.Good):
    """Answers by what the process is like."""

    def predict(self, X):
        assert np.isneginf(np.log(np.zeros(1))[0])
        drawn = (random.random(), np.random.random())  # noqa: NPY002
        state = (drawn, os.getcwd(), os.environ["PATH"])
        return (np.arange(len(X)) + hash(str((state, sklearn.get_config())))) % 2


def test_state_of_the_process_is_put_back(tmp_path):
    before = (
        np.geterr(),
        random.getstate(),
        np.random.get_state()[1].tolist(),  # noqa: NPY002
        sklearn.get_config(),
        os.getcwd(),
        dict(os.environ),
        list(warnings.filters),
    )
    for task in tasks_of({"spoils": Spoils()}, tmp_path):
        assert run_task(task).status == "done"
    assert before == (
        np.geterr(),
        random.getstate(),
        np.random.get_state()[1].tolist(),  # noqa: NPY002
        sklearn.get_config(),
        os.getcwd(),
        dict(os.environ),
        list(warnings.filters),
    )


def test_variables_that_a_task_sets_changes_or_deletes_are_put_back(monkeypatch):
    monkeypatch.setenv("DEABENCH_CHANGED", "before")
    monkeypatch.setenv("DEABENCH_DELETED", "before")
    before = dict(os.environ)
    with leave_no_trace(before):
        os.environ["DEABENCH_CHANGED"] = "after"
        os.environ["DEABENCH_SET"] = "after"
        del os.environ["DEABENCH_DELETED"]
    assert dict(os.environ) == before


def test_a_batch_puts_back_once_what_each_of_its_tasks_changes(tmp_path):
    tasks = tasks_of({"draws": Draws(), "spoils": Spoils()}, tmp_path)
    alone = [run_task(task).rows_sha256 for task in tasks]
    before = (
        random.getstate(),
        np.random.get_state()[1].tolist(),  # noqa: NPY002
        os.getcwd(),
        dict(os.environ),
    )
    outcomes, _ = run_batch([*tasks, *reversed(tasks)])
    assert before == (
        random.getstate(),
        np.random.get_state()[1].tolist(),  # noqa: NPY002
        os.getcwd(),
        dict(os.environ),
    )
    assert [outcome.rows_sha256 for outcome in outcomes] == [*alone, *reversed(alone)]


def test_what_stands_before_a_task_changes_nothing_in_it(tmp_path):
    tasks = tasks_of({"draws": Draws(), "spoils": Spoils()}, tmp_path)
    alone = {task.key: run_task(task).rows_sha256 for task in tasks}
    np.seterr(all="ignore")
    random.seed(9)
    after = {task.key: run_task(task).rows_sha256 for task in reversed(tasks)}
    np.seterr(divide="warn", over="warn", under="ignore", invalid="warn")
    assert "" not in alone.values()
    assert after == alone


@pytest.mark.slow
def test_workers_and_their_number_change_no_digit(tmp_path):
    """Python's generator, numpy's, and the hash of a text."""
    learners = {"draws": Draws(), "spoils": Spoils(), "tree": "C4.5"}
    digests = set()
    for workers, names in ((1, ["draws", "spoils", "tree"]), (2, ["tree", "spoils", "draws"])):
        study = Study(
            {"d": (X, Y)},
            {name: learners[name] for name in names},
            split=4,
            positive=1,
            store=tmp_path / f"{workers}.sqlite",
        )
        done = study.run(workers=workers)
        assert (done.done, done.failed) == (12, 0), study.status().failures
        digests.add(done.digest)
    assert len(digests) == 1


def test_torch_is_seeded_where_a_learner_uses_it(monkeypatch):
    seeds = []
    torch = SimpleNamespace(manual_seed=seeds.append)
    monkeypatch.setattr("deabench.study.running.isolation.import_module", lambda name: torch)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    seed_generators(7, {"numpy"})
    assert seeds == []
    seed_generators(7, {"torch"})
    monkeypatch.setitem(sys.modules, "torch", torch)
    seed_generators(8, set())
    assert seeds == [7, 8]


class Prints(poison.Good):
    def harm(self) -> None:
        sys.stdout.write("learning\n")
        sys.stderr.write("a complaint\n")


class Floods(poison.Good):
    def harm(self) -> None:
        sys.stdout.write("begin" + "x" * 2_000_000 + "end\n")
        sys.stdout.close()


def test_what_a_learner_prints_is_in_its_notes(tmp_path, capfd):
    prints, floods = tasks_of({"prints": Prints(), "floods": Floods()}, tmp_path)[:2]
    assert run_task(prints).notes["output"] == "learning\na complaint\n"
    text = run_task(floods).notes["output"]
    assert len(text) < LARGEST_OUTPUT + 50
    assert text.startswith("beginxxx")
    assert text.endswith("xxxend\n")
    assert "\n... 1998009 bytes ...\n" in text
    assert capfd.readouterr() == ("", "")


def test_a_worker_collects_what_its_children_print():
    output = Output(whole_process=True)
    with output.collect():
        subprocess.run([sys.executable, "-c", "print('from a child')"], check=True)
    assert output.text == "from a child\n"


@pytest.mark.slow
def test_times_count_whatever_n_jobs_is(tmp_path):
    """A search over two processes had a quarter of its time, and so the first rank."""
    forest = RandomForestClassifier(20, random_state=0)
    learners = {
        str(jobs): GridSearchCV(forest, {"max_depth": [2, 3, 4]}, cv=3, n_jobs=jobs)
        for jobs in (None, 2)
    }
    tasks = tasks_of(learners, tmp_path)[:2]
    run_task(tasks[0])
    seconds = [run_task(task).seconds[0] for task in tasks]
    assert seconds[1] > 0.6 * seconds[0]


class Delegates(poison.Good):
    """Works in a process of its own."""

    def harm(self) -> None:
        code = "import time\nwhile time.process_time() < 1: pass"
        subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.slow
def test_the_time_of_processes_that_a_learner_starts_counts(tmp_path):
    task = tasks_of({"delegates": Delegates()}, tmp_path)[0]
    before = cpu_seconds()
    assert run_task(task).seconds[0] > 1
    assert cpu_seconds() - before > 1
    limited = tasks_of({"delegates": Delegates()}, tmp_path, cpu_limit=0.5)[0]
    assert run_task(limited).error[:2] == ("OutOfTime", "took longer than 0.5 s of CPU time")


class Unreadable(poison.Good):
    """Arrives in no worker."""

    def __init__(self, seconds: float = 0.0, parent: int = 0) -> None:
        super().__init__(seconds)
        self.parent = parent

    def __setstate__(self, state):
        if os.getpid() != state["parent"]:
            raise ValueError("not here")
        self.__dict__.update(state)


@pytest.mark.slow
def test_a_classifier_that_no_worker_can_read_costs_its_own_tasks(tmp_path):
    study = Study(
        {"d": (X, Y)},
        {"unreadable": Unreadable(parent=os.getpid()), "tree": "C4.5"},
        split=2,
        positive=1,
        store=tmp_path / "study.sqlite",
    )
    done = study.run(workers=1)
    assert (done.done, done.failed) == (2, 2)
    assert done.failures.to_dict() == {("unreadable", "crashed"): 2}


def free_descriptors() -> list[int]:
    """Return the first numbers that files opened now would have."""
    descriptors = [os.dup(0) for _ in range(9)]
    for descriptor in descriptors:
        os.close(descriptor)
    return descriptors


def test_output_that_is_collected_leaves_no_descriptor_open() -> None:
    with Output(whole_process=True).collect():
        pass  # the file for all outputs is opened once
    before = free_descriptors()
    output = Output(whole_process=True)
    with output.collect():
        os.write(1, b"of the process\n")
    assert output.text == "of the process\n"
    assert free_descriptors() == before
