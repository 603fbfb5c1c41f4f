"""What may happen to a run, with data from code and from a file, on processes and on Dask.

Each fault happens once on processes and once on Dask, once while the data set from a file is run
and once while the data set from code is: every pair of fault, engine and source, not every triple;
and each study holds data sets of both sources, so that the next run has to do tasks of both. After
each fault the next run does what is missing: no innocent task is lost, and the digest is that
of an undisturbed run.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from study_runs import (
    CLOCK,
    ENGINES,
    all_ended,
    descendants,
    make_study,
    run_as_script,
    run_here,
    warm,
)

from deabench.errors import DataError
from deabench.study.results.store import Store

TASKS = 24


@pytest.fixture(scope="module")
def digest(tmp_path_factory):
    """The digest of an undisturbed run: the same for both sources."""
    folder = tmp_path_factory.mktemp("undisturbed")
    digests = set()
    for source in ("file", "code"):
        status = run_here(make_study(folder, source, f"{source}.sqlite"))
        assert status.done == TASKS
        digests.add(status.digest)
    assert len(digests) == 1
    return digests.pop()


class Script:
    """The run of a script whose first data set comes from code, or from a file."""

    def __init__(self, folder: Path, source: str, engine: str, path: str | None = None) -> None:
        self.store = folder / "study.sqlite"
        self.errors = folder / "err.txt"
        make_study(folder, source)
        self.process = warm().Process(
            target=run_as_script, args=(str(folder), source, engine, path)
        )
        self.process.start()

    def end(self) -> str:
        """Wait for the end; what was said on standard error."""
        self.process.join(120)
        assert not self.process.is_alive(), "the run goes on for ever"
        return self.errors.read_text()

    def rows(self) -> list[str]:
        """The status of each result in the store."""
        if not self.store.exists():
            return []
        with closing(sqlite3.connect(f"file:{self.store}?mode=ro", uri=True, timeout=10)) as db:
            return [status for (status,) in db.execute("SELECT status FROM results")]

    def wait_for_rows(self, least: int) -> None:
        until = time.monotonic() + 120
        while len(self.rows()) < least:
            assert self.process.is_alive(), self.errors.read_text()
            assert time.monotonic() < until
            time.sleep(0.05)


FILE_ON_PROCESSES = pytest.mark.parametrize(
    ("source", "engine"), [("file", "processes"), ("code", "dask")]
)
FILE_ON_DASK = pytest.mark.parametrize(
    ("source", "engine"), [("code", "processes"), ("file", "dask")]
)


def check_and_resume(folder: Path, source: str, digest: str) -> None:
    """Nothing but finished tasks is in a sound store, and the next run ends like an undisturbed."""
    study = make_study(folder, source)
    assert study.verify().sound
    status = run_here(study)
    assert (status.done, status.failed, status.missing) == (TASKS, 0, 0)
    assert status.digest == digest
    assert study.verify().sound


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "source", "engine"),
    [
        (signal.SIGINT, "file", "processes"),
        (signal.SIGINT, "code", "dask"),
        (signal.SIGTERM, "code", "processes"),
        (signal.SIGTERM, "file", "dask"),
        (signal.SIGKILL, "file", "processes"),
        (signal.SIGKILL, "code", "dask"),
    ],
)
def test_a_run_that_is_ended_loses_nothing(fault, source, engine, tmp_path, digest):
    script = Script(tmp_path, source, engine)
    script.wait_for_rows(3)
    family = descendants(script.process.pid)
    os.kill(script.process.pid, fault)
    message = script.end()
    assert script.process.exitcode != 0
    if fault != signal.SIGKILL:
        assert f"stopped by {fault.name}; what was done is in the store" in message
    assert all_ended(family, 20), "processes outlive their run"
    assert 3 <= len(script.rows()) < TASKS
    assert set(script.rows()) == {"done"}
    check_and_resume(tmp_path, source, digest)


@pytest.mark.slow
@FILE_ON_DASK
def test_a_clock_that_is_set_back_and_a_refused_second_run_change_nothing(
    source, engine, tmp_path, digest
):
    (tmp_path / "clock").mkdir()
    clock = CLOCK
    if engine == "dask":
        # Dask keeps a message until its own clock has passed a deadline. A clock that goes back
        # between the two delays the run by as much; so here it goes back before the first message.
        clock = CLOCK.replace("> 2", ">= 0")
        assert clock != CLOCK
    (tmp_path / "clock" / "sitecustomize.py").write_text(clock)
    script = Script(tmp_path, source, engine, str(tmp_path / "clock"))
    script.wait_for_rows(1)
    with pytest.raises(DataError, match="another run is writing the store"):
        make_study(tmp_path, source).run(workers=1, show_progress=False)
    error = script.end()
    assert script.process.exitcode == 0, error
    study = make_study(tmp_path, source)
    assert study.status().digest == digest
    assert study.verify().sound


@pytest.mark.slow
@FILE_ON_PROCESSES
def test_a_full_disk_keeps_what_was_committed(source, engine, tmp_path, digest, monkeypatch):
    write = Store.write_outcome
    written = []

    def write_on_a_small_disk(store, task, outcome):
        written.append(task)
        if len(written) == 4:
            store.commit()
            pages = store._db.execute("PRAGMA page_count").fetchone()[0]
            store._db.execute(f"PRAGMA max_page_count = {pages}")
            store._db.execute("BEGIN IMMEDIATE")
        write(store, task, outcome)

    monkeypatch.setattr(Store, "write_outcome", write_on_a_small_disk)
    study = make_study(tmp_path, source)
    with pytest.raises(DataError, match="database or disk is full"):
        study.run(workers=1, scheduler=ENGINES[engine], show_progress=False)
    monkeypatch.undo()
    assert 3 <= study.status().done < TASKS
    assert study.status().failed == 0
    check_and_resume(tmp_path, source, digest)


@pytest.mark.slow
@pytest.mark.parametrize("source", ["file", "code"])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_folder_that_cannot_be_written_is_said_before_anything_runs(source, engine, tmp_path):
    study = make_study(tmp_path, source, "/proc/study.sqlite")
    with pytest.raises(DataError, match=r"cannot write the store '/proc/study\.sqlite': "):
        study.run(workers=1, scheduler=ENGINES[engine], show_progress=False)
