"""What a study costs beyond its learners: CPU time of a task, less that of fitting and predicting
alone.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from simulations.cpu_time import cpu

from deabench.study.running.limits import child_processes
from deabench.study.running.tasks import run_batch

if TYPE_CHECKING:
    from deabench.study import Study

FOLDS = 10
SLICE = 50
"""Tasks that are timed together: the least of many short times is that of a quiet machine, or
nearly.
"""


def overhead(tasks: int = 4000) -> pd.DataFrame:
    """CPU milliseconds per task of naive Bayes on 200 rows of 5 columns: alone, in a worker, and
    the parent's beside it.

    Parameters
    ----------
    tasks : int
        Of the larger of two runs; the smaller has a quarter, and their difference leaves starting
        and ending out.
    """
    with tempfile.TemporaryDirectory() as folder:
        jobs = _study(folder, SLICE).plan.tasks()
        turns = [
            (cpu(_bare)[0], cpu(lambda: run_batch(jobs, folder))[0])
            for _ in range(max(1, tasks // SLICE))
        ]
    separate, worker = (1e3 * min(turn[k] for turn in turns) / SLICE for k in (0, 1))
    parent = 1e3 * (_parent(tasks) - _parent(tasks // 4)) / (tasks - tasks // 4)
    rows = {
        "fit, predict and score alone": separate,
        "the task in a worker": worker,
        "the parent, beside it": parent,
        "overhead": worker - separate + parent,
    }
    return pd.DataFrame({"ms": pd.Series(rows)}).rename_axis("CPU of a task")


STATUS = """
import sys, tempfile, time
from simulations.cpu_time import peak
from benchmarks.studies import _study
from deabench.study.results.store import Store
with tempfile.TemporaryDirectory() as folder:
    _study(folder, 10).status()  # what is imported once
before = peak()
for what in ("is as a run left it", "has changed since"):
    start = time.process_time()
    study = _study(sys.argv[1], int(sys.argv[2]))
    done = study.status().done
    print(what, time.process_time() - start, peak() - before, done, sep=",")
    with Store(study.plan.store) as store:
        store.begin_run("", {}, "")
"""


def status_of(tasks: int) -> pd.DataFrame:
    """What `Study.status` costs in a fresh process, of a store with so many tasks, all done: CPU
    seconds for the study, its keys and its store, and the most memory above the imports.
    """
    from deabench.study.results.status import study_status
    from deabench.study.results.store import Store
    from deabench.study.running.tasks import Outcome

    with tempfile.TemporaryDirectory() as folder:
        plan = _study(folder, tasks).plan
        with Store(plan.store) as store:
            for position, job in enumerate(plan.tasks()):
                store.write_outcome(
                    job,
                    Outcome(
                        "done",
                        (5, 1, 2, 12),
                        (position / 3e6, position / 7e6),
                        rows_sha256=f"{position:064x}",
                    ),
                )
        study_status(plan, save=True)  # as every run ends
        command = [sys.executable, "-c", STATUS, folder, str(tasks)]
        stdout = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    frame = pd.read_csv(
        StringIO(stdout), names=["the store", "cpu_s", "MiB_above_imports", "tasks"]
    )
    return frame.assign(asked_s=3.0, asked_MiB=477.0).set_index("the store")


TRIVIAL = """
import resource, sys, tempfile
from benchmarks.studies import trivial_study
own, children = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        trivial_study(folder, int(sys.argv[1])).run(workers=1, show_progress=False)
    usages = [resource.getrusage(who) for who in (own, children)]
    seconds = sum(usage.ru_utime + usage.ru_stime for usage in usages)
    print(seconds, *(usage.ru_maxrss / 1024 for usage in usages))
"""


def trivial_tasks(tasks: int = 100_000) -> pd.DataFrame:
    """CPU milliseconds of a trivial task (60 rows, a constant answer), workers and parent together,
    and the most memory of each: a tenth of the tasks, and all of them.

    The start of a run is left out by the difference from one of 20 tasks.
    """
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "run.py"
        script.write_text(TRIVIAL)
        # The script imports this module, which is installed nowhere.
        root = str(Path(__file__).parents[1])
        paths = [root, os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        start = 0.0
        for count in (20, tasks // 10, tasks):
            command = [sys.executable, str(script), str(count)]
            output = subprocess.run(
                command, capture_output=True, text=True, check=True, env=environment
            ).stdout
            seconds, parent, worker = map(float, output.split())
            if count == 20:
                start = seconds
                continue
            rows[count] = {
                "ms": 1e3 * (seconds - start) / (count - 20),
                "parent_MiB": parent,
                "worker_MiB": worker,
            }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("tasks")


def trivial_study(folder: str, tasks: int) -> Study:
    """A study of a constant answer on 60 rows."""
    from sklearn.dummy import DummyClassifier

    from deabench.study import Study

    X, y = _data()
    return Study(
        {"d": (X[:60, :2], y[:60])},
        {"none": DummyClassifier()},
        store=Path(folder) / "study.sqlite",
        split={"folds": FOLDS, "repeats": tasks // FOLDS},
    )


def shared_rows(rows: int = 1_000_000, columns: int = 20, workers: int = 4) -> pd.DataFrame:
    """MiB that the workers of a run hold of its data, given from code and in a Parquet file: their
    shares of the mapped file (proportional set size), and of all of their memory beyond that of
    a run of few rows.

    Each task learns from 500 rows, so that its own copies count little.
    """
    figures = {}
    for source in ("code", "file"):
        few = _memory_of_run(1000, columns, workers, source)
        many = _memory_of_run(rows, columns, workers, source)
        figures[source] = {
            "the matrix": rows * columns * 8 / 2**20,
            "all workers together, mapped": many.mapped,
            "all workers together, beyond a run of 1,000 rows": many.total - few.total,
            "workers that map it": float(many.workers),
        }
    return pd.DataFrame(figures).rename_axis("MiB of a run with its data from")


class FirstRows:
    """Four folds of few rows each, made by a look at every cell."""

    def split(self, X: pd.DataFrame, *_: Any) -> Iterator[Any]:
        # a page of a mapped file is in memory once it was read
        float(X.to_numpy(copy=False).sum())
        for fold in range(4):
            yield np.arange(500) + fold, np.arange(500, 990) + fold


class _Memory(NamedTuple):
    """What the workers of a run hold together: MiB mapped, and in all."""

    mapped: float = 0.0
    total: float = 0.0
    workers: int = 0


def _memory_of_run(rows: int, columns: int, workers: int, source: str) -> _Memory:
    from sklearn.dummy import DummyClassifier

    from deabench.study import Study

    X = np.random.default_rng(0).normal(size=(rows, columns))
    y = np.arange(rows) % 3 // 2
    most = _Memory()

    def measure(*_: object) -> None:
        nonlocal most
        memory = _Memory()
        for worker in child_processes():
            maps = Path(f"/proc/{worker}/smaps")
            try:
                blocks = maps.read_text().split("VmFlags")
                total = _proportional_set_size(maps.with_name("smaps_rollup").read_text())
            except OSError:  # a process that has ended
                continue
            mapped = [block for block in blocks if "deabench-data-" in block]
            if mapped:
                sizes = sum(map(_proportional_set_size, mapped))
                memory = _Memory(memory.mapped + sizes, memory.total + total, memory.workers + 1)
        # the last figures: while workers read their pages for the first time these count twice
        if memory.workers >= most.workers:
            most = memory

    with tempfile.TemporaryDirectory() as folder:
        data: object = (X, y)
        if source == "file":
            data = Path(folder) / "rows.parquet"
            pd.DataFrame(X, columns=[f"x{k}" for k in range(columns)]).assign(y=y).to_parquet(data)
        del X, y
        study = Study(
            {"d": data},
            {f"none {k}": DummyClassifier() for k in range(2 * workers)},
            store=Path(folder) / "study.sqlite",
            split=FirstRows(),
            keep_predictions=False,
        )
        study.run(workers=workers, watch=measure, show_progress=False)
    return most


def _proportional_set_size(text: str) -> float:
    """Return the MiB of a block of /proc's smaps, or of its rollup."""
    return int(text.split("\nPss:")[1].split()[0]) / 1024


def in_flight(tasks: int, trip: float = 0.05) -> pd.DataFrame:
    """How busy the threads of a cluster are kept where a message takes `trip` seconds there and
    back: the run's own batches (`Batches`, `AHEAD` for each thread), sent to simulated workers with
    tasks of three lengths.
    """
    rows = [
        {"threads": width, "task_s": seconds_each, "busy": _busy(width, seconds_each, trip, tasks)}
        for width in (8, 64)
        for seconds_each in (0.002, 0.02, 0.2)
    ]
    return pd.DataFrame(rows).set_index(["threads", "task_s"])


def _busy(width: int, each: float, trip: float, tasks: int) -> float:
    """The share of the run in which the threads work: a batch goes to the thread that is free
    first, its answer comes back.
    """
    from heapq import heappop, heappush

    from deabench.study.running.cluster import BATCHES_AHEAD
    from deabench.study.running.local import TaskQueue

    job: Any = None  # they are only counted
    waiting, now, work = TaskQueue([job] * tasks, width), 0.0, 0.0
    free, answers = [0.0] * width, list[tuple[float, int]]()
    while waiting or answers:
        while waiting and len(answers) < BATCHES_AHEAD * width:
            size = len(waiting.next_batch())
            end = max(heappop(free), now + trip / 2) + size * each
            heappush(free, end)
            heappush(answers, (end + trip / 2, size))
            work += size * each
        now, size = heappop(answers)
        waiting.record_time(size, size * each)
    return work / (width * now)


def _parent(tasks: int) -> float:
    """CPU seconds of this process for a run of so many tasks by one worker."""
    with tempfile.TemporaryDirectory() as folder:
        study, before = _study(folder, tasks), time.process_time()
        study.run(workers=1)
        return time.process_time() - before


def _study(folder: str, tasks: int) -> Study:
    from sklearn.naive_bayes import GaussianNB

    from deabench.study import Study

    return Study(
        {"d": _data()},
        {"bayes": GaussianNB()},
        store=Path(folder) / "study.sqlite",
        split={"kind": "kfold", "folds": FOLDS, "repeats": tasks // FOLDS},
    )


def _data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.arange(200) % 3 // 2
    return rng.normal(size=(200, 5)) + y[:, None], y


def _bare() -> None:
    from sklearn.model_selection import RepeatedStratifiedKFold
    from sklearn.naive_bayes import GaussianNB

    X, y = _data()
    for train, test in RepeatedStratifiedKFold(
        n_splits=FOLDS, n_repeats=SLICE // FOLDS, random_state=0
    ).split(X, y):
        model = GaussianNB().fit(X[train], y[train])
        model.predict(X[test])
        model.predict_proba(X[test])
