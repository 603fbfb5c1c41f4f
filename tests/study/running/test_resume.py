"""A run that is killed, stopped or resumed gives the results of an undisturbed run."""

from __future__ import annotations

import os
import signal
import sqlite3
from contextlib import closing

import pytest
from study_runs import SLOW, Running, alive, all_ended, run_here, without_processes

from deabench.cli import main
from deabench.study import Study

DASK = ("--scheduler", "local")


def count_sound_results(store) -> int:
    """The results of a store that must be sound and must hold nothing but finished tasks."""
    with closing(sqlite3.connect(store)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert db.execute("SELECT count(*) FROM results WHERE status != 'done'").fetchone() == (0,)
        return db.execute("SELECT count(*) FROM results").fetchone()[0]


def kill_the_parent(run: Running) -> None:
    family = run.family()
    os.kill(run.process.pid, signal.SIGKILL)
    run.process.join()
    assert all_ended(family), f"processes outlive their parent: {alive(family)}"


@pytest.mark.slow
def test_a_second_run_is_refused_and_kill_9_of_a_worker_loses_nothing(
    study_file, undisturbed, capsys
):
    path = study_file(SLOW)
    run = Running(path, "--workers", "1")
    run.wait_for_rows(1)
    assert main(["study", "run", "--allow-imports", str(path)]) == 1
    store = path.with_suffix(".sqlite")
    assert capsys.readouterr().err.splitlines() == [
        f"deabench: another run is writing the store '{store}'; wait for it, or stop it first"
    ]
    assert main(["study", "status", str(path), "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("total,done,failed,missing,digest\n50,")
    run.wait_for_rows(5)
    os.kill(run.busy_worker(), signal.SIGKILL)
    assert run.finish() == {
        "total": 50,
        "done": 50,
        "failed": 0,
        "missing": 0,
        "digest": undisturbed,
    }


@pytest.mark.slow
def test_kill_9_of_the_parent_then_resume(study_file, undisturbed, capsys):
    path = study_file(SLOW)
    run = Running(path, "--workers", "1")
    run.wait_for_rows(5)
    kill_the_parent(run)
    before = count_sound_results(path.with_suffix(".sqlite"))
    assert 5 <= before < 50
    with without_processes():
        assert main(["study", "run", "--allow-imports", str(path), "--workers", "1"]) == 0
    assert f"{before} of 50 tasks are in the store, {50 - before} to do" in capsys.readouterr().err
    assert Study.from_toml(path, allow_imports=True).status().digest == undisturbed


@pytest.mark.slow
def test_kill_9_of_a_worker_and_of_the_parent_with_dask(study_file, undisturbed):
    path = study_file(SLOW)
    run = Running(path, "--workers", "2", *DASK)
    run.wait_for_rows(3)
    os.kill(run.busy_worker(), signal.SIGKILL)
    run.wait_for_rows(25)  # it goes on
    kill_the_parent(run)
    before = count_sound_results(path.with_suffix(".sqlite"))
    assert 25 <= before < 50
    done = run_here(Study.from_toml(path, allow_imports=True))
    assert (done.total, done.done, done.failed, done.missing, done.digest) == (
        50,
        50,
        0,
        0,
        undisturbed,
    )


@pytest.mark.parametrize(
    ("number", "engine"),
    [
        pytest.param(signal.SIGINT, (), id="SIGINT-joblib"),
        pytest.param(signal.SIGTERM, (), id="SIGTERM-joblib", marks=pytest.mark.slow),
        pytest.param(signal.SIGTERM, DASK, id="SIGTERM-dask", marks=pytest.mark.slow),
    ],
)
def test_a_signal_leaves_a_clean_store_and_no_orphan(study_file, number, engine):
    path = study_file(SLOW)
    run = Running(path, "--workers", "1", *engine)
    run.wait_for_rows(3)
    family = run.family()
    os.killpg(run.process.pid, number)  # as a terminal does: parent and workers alike
    status, output = run.end()
    assert status == 1, output
    sentence = (
        f"deabench: stopped by {number.name}; what was done is in the store, run again to go on"
    )
    assert sentence in output.splitlines(), output
    assert engine or "Traceback" not in output  # Dask logs its closing connections
    assert all_ended(family), f"orphans: {alive(family)}"
    assert 3 <= count_sound_results(path.with_suffix(".sqlite")) < 50
    assert not list(path.parent.glob("*-journal"))
