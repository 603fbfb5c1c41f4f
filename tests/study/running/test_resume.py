"""Killed, stopped, resumed: whatever happens to a run, the results are those of an undisturbed one."""

from __future__ import annotations

import os
import signal
import sqlite3
from contextlib import closing

import pytest
from study_runs import SLOW, Running, alive, gone

from deabench.cli import main

ENGINES = [pytest.param((), id="joblib"), pytest.param(("--scheduler", "local"), id="dask")]


@pytest.mark.parametrize("engine", ENGINES)
def test_kill_9_of_a_worker_loses_nothing(study_file, undisturbed, engine):
    run = Running(study_file(SLOW), *engine)
    run.wait_for_rows(5)
    os.kill(run.busy_worker(), signal.SIGKILL)
    done = run.finish()
    assert done == {"total": 50, "done": 50, "failed": 0, "missing": 0, "digest": undisturbed}


@pytest.mark.parametrize("engine", ENGINES)
def test_kill_9_of_the_parent_then_resume(study_file, undisturbed, engine):
    path = study_file(SLOW)
    run = Running(path, *engine)
    run.wait_for_rows(5)
    family = run.family()
    os.kill(run.process.pid, signal.SIGKILL)
    run.process.communicate()
    assert gone(family), f"processes outlive their parent: {alive(family)}"
    with closing(sqlite3.connect(path.with_suffix(".sqlite"))) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        before = db.execute("SELECT count(*) FROM results").fetchone()[0]
    assert 5 <= before < 50
    resumed = Running(path, *engine)
    assert resumed.finish()["digest"] == undisturbed
    assert f"{before} of 50 tasks are in the store, {50 - before} to do" in resumed.said


@pytest.mark.parametrize(("number", "engine"), [
    pytest.param(signal.SIGINT, (), id="SIGINT-joblib"), pytest.param(signal.SIGTERM, (), id="SIGTERM-joblib"),
    pytest.param(signal.SIGTERM, ("--scheduler", "local"), id="SIGTERM-dask")])
def test_a_signal_leaves_a_clean_store_and_no_orphan(study_file, number, engine):
    path = study_file(SLOW)
    run = Running(path, *engine)
    run.wait_for_rows(3)
    family = run.family()
    os.killpg(run.process.pid, number)  # as a terminal does: parent and workers alike
    _, said = run.process.communicate(timeout=30)
    assert run.process.returncode == 1, said
    sentence = f"deabench: stopped by {number.name}; what was done is in the store, run again to go on"
    assert sentence in said.splitlines(), said
    assert engine or "Traceback" not in said  # Dask logs its closing connections
    assert gone(family), f"orphans: {alive(family)}"
    with closing(sqlite3.connect(path.with_suffix(".sqlite"))) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert db.execute("SELECT count(*) FROM results WHERE status != 'done'").fetchone() == (0,)
    assert not list(path.parent.glob("*-journal"))


def test_a_second_run_on_the_same_store_is_refused(study_file, capsys):
    path = study_file(SLOW)
    first = Running(path)
    first.wait_for_rows(1)
    assert main(["study", "run", str(path)]) == 1
    store = path.with_suffix(".sqlite")
    assert capsys.readouterr().err.splitlines() == [
        f"deabench: another run is writing the store '{store}'; wait for it, or stop it first"]
    assert main(["study", "status", str(path), "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("total,done,failed,missing,digest\n50,")
    assert first.finish()["done"] == 50
