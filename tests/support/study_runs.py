"""Studies run as a user runs them: a process that can be disturbed, and who is alive after it."""

from __future__ import annotations

import json
import multiprocessing
import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import poison

from deabench.study import Study
from deabench.study.data.columns import DataSpec
from deabench.study.data.dataset import Dataset
from deabench.study.data.loaders import IN_MEMORY
from deabench.study.results.status import StudyStatus, missing_tasks
from deabench.study.results.store import Store
from deabench.study.running.local import Results
from deabench.study.running.tasks import run_batch, run_task
from deabench.study.spec.tasks import Task

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PATHS = [str(ROOT), str(ROOT / "models"), str(HERE)]

SLOW = """
seed = 7
allow_imports = true
[data]
names = ["glass-0-4_vs_5", "new-thyroid1"]
[split]
folds = 5
[classifiers]
"C4.5" = {}
SMC = {}
RUS = {}
slow = {import = "poison.Good", seconds = 0.25}
noisy = {import = "poison.Noisy"}
"""
"""50 tasks, of which ten take a quarter of a second."""

ENGINES = {"processes": None, "dask": "local"}
CLOCK = """
import time
now, begin = time.time, time.monotonic()
# an hour back, two seconds after a process has begun
time.time = lambda: now() - 3600 * (time.monotonic() - begin > 2)
"""


def make_study(folder: Path | str, source: str, store: str = "study.sqlite") -> Study:
    """24 tasks on two equal data sets, half of them of a fifth of a second.

    `source` says whether the data set that is run first is a file or comes from code; the other
    data set has the other source.
    """
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3 // 2
    features = pd.DataFrame(rng.normal(size=(90, 3)) + y[:, None], columns=["a", "b", "c"])
    frame = features.assign(y=y)
    file = Path(folder) / "rows.csv"
    if not file.exists():
        frame.to_csv(file, index=False)
    sources = {"file": file, "code": frame}
    second = "code" if source == "file" else "file"
    return Study(
        {"first": sources[source], "second": sources[second]},
        {"slow": poison.Good(seconds=0.15), "tree": "C4.5"},
        split=6,
        seed=3,
        store=Path(folder) / store,
    )


def run_as_script(folder: str, source: str, engine: str, path: str | None) -> None:
    """The run of a script, in a session of its own."""
    os.setsid()
    os.dup2(os.open(f"{folder}/err.txt", os.O_WRONLY | os.O_CREAT), 2)
    sys.stderr = os.fdopen(2, "w")
    if path is not None:
        exec(Path(path, "sitecustomize.py").read_text(), {})
        PATHS.insert(0, path)
    os.environ["PYTHONPATH"] = os.pathsep.join(PATHS)
    sys.path[:0] = PATHS
    make_study(folder, source).run(workers=1, scheduler=ENGINES[engine], show_progress=False)


def run_here(study: Study) -> StudyStatus:
    """Do what is missing in this process, one task after the other: the results of a run without
    its processes.
    """
    with Store(study.plan.store) as store:
        for job in missing_tasks(study.plan):
            store.write_outcome(job, run_task(job))
    return study.status()


@contextmanager
def without_processes() -> Iterator[None]:
    """Let `Study.run` and `deabench study run` do their tasks in this process: for tests of what a
    run says and leaves. A process and its imports take two seconds.
    """
    with patch("deabench.study.running.run.run_locally", _run_tasks_here):
        yield


def _run_tasks_here(
    tasks: Sequence[Task], workers: int, datasets: Mapping[DataSpec, Dataset]
) -> Results:
    """Stand in for `run_locally`: one task after the other."""
    with tempfile.TemporaryDirectory() as scratch:
        for task in tasks:
            outcomes, _ = run_batch([task], scratch)
            yield task, outcomes[0]


def with_data_from_code(study: Study, names: Sequence[str] | None = None) -> Study:
    """The same study whose data were given from code: workers have no file of theirs.

    With `names` those data sets alone were.
    """
    specs = []
    for spec, data in zip(study.plan.data, study.plan.datasets(), strict=True):
        if names is None or data.name in names:
            IN_MEMORY[data.identity] = data
            spec = DataSpec(data.name, "memory", (("sha256", data.identity),))
        specs.append(spec)
    return Study.from_plan(replace(study.plan, data=tuple(specs)))


def warm() -> Any:
    """Where processes are forked from one that has imported what a study needs: a run begins at
    once, not after seconds.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        [
            "deabench.study.learners.estimators",
            "deabench.study.spec.study_file",
            "deabench.cli.study",
            "deabench.study.running.local",
            "imblearn.over_sampling",
            "sklearn.pipeline",
        ]
    )
    return context


def _as_user(arguments: list[str], scratch: str, out: str, err: str, paths: list[str]) -> None:
    """`deabench study run`, in a session of its own, as a terminal starts it."""
    os.setsid()
    for path, stream in ((out, 1), (err, 2)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), stream)
    sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
    os.environ.update(TMPDIR=scratch, PYTHONPATH=os.pathsep.join(paths))
    tempfile.tempdir = None
    sys.path[:0] = paths
    from deabench.cli import main

    sys.exit(main(["study", "run", "--allow-imports", *arguments]))


class Running:
    """A study run as a process of its own, whose temporary folder the test can look into."""

    def __init__(self, file: Path, *options: str) -> None:
        self.file = file
        self.scratch = file.parent / "scratch"
        self.scratch.mkdir(exist_ok=True)
        self.streams = [file.parent / "out.txt", file.parent / "err.txt"]
        for stream in self.streams:
            stream.unlink(missing_ok=True)
        arguments = [str(file), "--format", "json", *options]
        self.process = warm().Process(
            target=_as_user, args=(arguments, str(self.scratch), *map(str, self.streams), PATHS)
        )
        self.process.start()

    def wait_for_rows(self, least: int) -> None:
        """Until the store holds so many committed results."""
        store = self.file.with_suffix(".sqlite")
        for _ in range(2400):
            if store.exists():
                with closing(
                    sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True, timeout=10)
                ) as db:
                    try:
                        if db.execute("SELECT count(*) FROM results").fetchone()[0] >= least:
                            return
                    except sqlite3.OperationalError:  # the tables are not there yet
                        pass
            time.sleep(0.05)
        raise TimeoutError(f"the store never held {least} rows")

    def busy_worker(self) -> int:
        """The process id of a worker that is in the middle of a task."""
        for _ in range(6000):
            marks = list(self.scratch.glob("deabench-*/*.running"))
            if marks:
                return int(marks[0].stem)
            time.sleep(0.01)
        raise TimeoutError("no worker was ever busy")

    def family(self) -> set[int]:
        """The ids of the run's process and of all its descendants."""
        return descendants(self.process.pid)

    def end(self) -> tuple[int, str]:
        """Wait for the end; the exit status, and what was said on standard error."""
        self.process.join(120)
        assert not self.process.is_alive(), "the run goes on for ever"
        return self.process.exitcode, self.streams[1].read_text()

    def finish(self) -> dict:
        """Wait for an orderly end; the status that the command wrote."""
        status, output = self.end()
        assert status == 0, output
        return json.loads(self.streams[0].read_text())[0]


def descendants(pid: int) -> set[int]:
    """The ids of a process and of all its descendants."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int(
                    (entry / "stat").read_text().rpartition(")")[2].split()[1]
                )
            except OSError:
                continue
    pids = {pid}
    while children := {child for child, parent in parents.items() if parent in pids} - pids:
        pids |= children
    return pids


def alive(pids: set[int]) -> set[int]:
    """Those that still run (a zombie does not)."""
    alive_pids = set()
    for pid in pids:
        try:
            state = (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if state != "Z":
            alive_pids.add(pid)
    return alive_pids


def all_ended(pids: set[int], seconds: float = 60.0) -> bool:
    """Whether all of them end within the time."""
    until = time.monotonic() + seconds
    while alive(pids) and time.monotonic() < until:
        time.sleep(0.1)
    return not alive(pids)
