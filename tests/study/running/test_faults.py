"""A worker that reads other data, code edited in the middle, a flipped bit: refused by name, and
the next run mends it.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
import tempfile
import threading
from contextlib import closing

import numpy as np
import poison
import pytest
from distributed import LocalCluster
from study_runs import run_here

from deabench.study import Study

STUDY = """
allow_imports = true
[[data.set]]
name = "edited"
file = "edited.csv"
[[data.set]]
name = "left"
file = "left.csv"
[split]
folds = 2
[classifiers]
mine = {{import = "{module}.Mine"}}
majority = {{}}
"""
MODULE = """
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

class Mine(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), 1)
"""


@pytest.fixture(params=["processes", pytest.param("dask", marks=pytest.mark.slow)])
def engine(request, tmp_path):
    """How `Study.run` is called: processes of this machine, or a cluster whose worker lives through
    all runs.
    """
    if request.param == "processes":
        yield {"workers": 1}
    else:
        with LocalCluster(
            n_workers=1, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as local_cluster:
            yield {"scheduler": local_cluster.scheduler_address}
    sys.path[:] = [folder for folder in sys.path if folder != str(tmp_path)]


@pytest.mark.slow
def test_what_changes_under_a_run_is_refused_and_run_again(engine, tmp_path):
    module = f"faulty_{'dask' if 'scheduler' in engine else 'local'}"
    (tmp_path / f"{module}.py").write_text(MODULE)
    path = tmp_path / "study.toml"
    path.write_text(STUDY.format(module=module))
    for name in ("edited", "left"):
        (tmp_path / f"{name}.csv").write_text(
            "x,c\n" + "".join(f"{k},{'yes' if k % 4 == 0 else 'no'}\n" for k in range(24))
        )

    def edit(total: int, to_do: int) -> None:
        """After the run has looked at data and code, before a worker does."""
        rows, code = tmp_path / "edited.csv", tmp_path / f"{module}.py"
        rows.write_text(rows.read_text().replace("5,no", "5,yes"))
        code.write_text(MODULE.replace("len(X), 1", "len(X), 0"))

    first = Study.from_toml(path, allow_imports=True).run(**engine, begin=edit)
    # processes get the rows that the run began with, workers of a cluster read the file themselves
    of_edited = {"mine": ("failed", "OtherCodeError"), "majority": ("done", "")}
    if "scheduler" in engine:
        of_edited = dict.fromkeys(of_edited, ("failed", "OtherDataError"))
    assert results(path) == {
        **{("edited", learner): status for learner, status in of_edited.items()},
        ("left", "mine"): ("failed", "OtherCodeError"),
        ("left", "majority"): ("done", ""),
    }
    done = 2 + 2 * ("workers" in engine)
    assert (first.total, first.done, first.failed, first.missing) == (8, done, 8 - done, 0)
    flip_a_bit(path)
    repeated = Study.from_toml(path, allow_imports=True).run(**engine)
    assert (repeated.done, repeated.digest) == (8, undisturbed(path, "second"))
    if "workers" in engine:
        return
    code = tmp_path / f"{module}.py"
    code.write_text(
        MODULE.replace("len(X), 1", "len(X), 1 * 1")
    )  # a worker of a cluster lives on, and has imported the former
    last = Study.from_toml(path, allow_imports=True).run(**engine)
    assert (last.done, last.digest) == (8, undisturbed(path, "third"))
    assert last.digest != repeated.digest


def results(path):
    """Status and kind of error of each pair of data set and classifier."""
    with closing(sqlite3.connect(path.with_suffix(".sqlite"))) as db:
        rows = db.execute("SELECT dataset, classifier, status, error_type FROM results").fetchall()
    return {(data, learner): (status, kind) for data, learner, status, kind in rows}


def flip_a_bit(path):
    """In the predictions of a finished task: its next reader must not take them."""
    with closing(sqlite3.connect(path.with_suffix(".sqlite"))) as db, db:
        sound = "status = 'done' AND dataset = 'left'"
        key, tn = db.execute(f"SELECT key, tn FROM results WHERE {sound}").fetchone()
        db.execute("UPDATE results SET tn = ? WHERE key = ?", (tn ^ 1, key))
    assert Study.from_toml(path, allow_imports=True).status().missing == 7


def undisturbed(path, name):
    """The digest of the study as it is now, run here into a store of its own."""
    copy = path.with_name(f"{name}.toml")
    copy.write_text(path.read_text())
    return run_here(Study.from_toml(copy, allow_imports=True)).digest


@pytest.mark.slow
@pytest.mark.parametrize(
    "scheduler",
    [None, "local"],
    ids=["processes", "dask"],
)
def test_a_killed_worker_loses_no_task_whose_data_come_from_code(scheduler, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    rows = np.random.default_rng(0).normal(size=(40, 2))
    study = Study(
        {"d": (rows, np.arange(40) % 4 // 3)},
        {"slow": poison.Waits(), "tree": "C4.5"},
        split=5,
        positive=1,
        store=tmp_path / "study.sqlite",
    )
    killed = []

    def kill_a_worker():
        while not killed and not ended.wait(0.005):
            marks = [
                mark
                for mark in tmp_path.glob("deabench-*/*.running")
                if mark.read_text().strip("\0")
            ]
            if marks:
                os.kill(int(marks[0].stem), signal.SIGKILL)
                killed.append(marks[0])
        opened.write_text("go on")

    # the slow learner waits until a worker was killed
    opened = tmp_path / "opened"
    monkeypatch.setenv(poison.WAIT_FOR, str(opened))
    ended = threading.Event()
    killer = threading.Thread(target=kill_a_worker)
    killer.start()
    try:
        done = study.run(workers=1, scheduler=scheduler)
    finally:
        ended.set()
        killer.join()
    assert killed
    assert (done.done, done.failed) == (10, 0)
    study.plan.store.unlink()
    assert run_here(study).digest == done.digest
    assert not list(tmp_path.glob("deabench-*"))
