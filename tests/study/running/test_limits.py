"""On a system without POSIX's signals and resources a study runs all the same: limits and
interrupts by other means.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest
from study_runs import HERE, ROOT

from deabench.study.running import limits
from deabench.study.running.limits import enforce_limits

TAKEN = """
import os, signal, sys
for name in ("setitimer", "getitimer", "pthread_sigmask", "pthread_kill", "SIGALRM", "SIGPROF",
             "SIGVTALRM", "SIGKILL", "ITIMER_REAL", "ITIMER_PROF", "ITIMER_VIRTUAL"):
    if hasattr(signal, name):
        delattr(signal, name)
for name in ("setpgid", "killpg", "getpgid", "getpgrp"):
    if hasattr(os, name):
        delattr(os, name)
sys.modules["resource"] = None
"""

STUDY = """
time_limit = 1
cpu_limit = 0.5
allow_imports = true
[data]
names = ["glass-0-4_vs_5"]
[split]
kind = "holdout"
folds = 1
[classifiers]
good = {import = "poison.Good"}
hangs = {import = "poison.Hangs"}
burns = {import = "poison.Burns"}
deadlocks = {import = "poison.Deadlocks"}
tree = {use = "C4.5"}
"""


@pytest.mark.slow
def test_a_study_runs_without_posix_signals(tmp_path, study_file):
    path = study_file(STUDY)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "sitecustomize.py").write_text(TAKEN)
    paths = [str(tmp_path / "taken"), str(ROOT), str(ROOT / "models"), str(HERE)]
    check = subprocess.run(
        [sys.executable, "-c", "import signal; signal.SIGKILL"],
        env={**os.environ, "PYTHONPATH": paths[0]},
        capture_output=True,
        check=False,
    )
    assert b"AttributeError" in check.stderr, "the functions are still there"
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "deabench",
            "study",
            "run",
            "--allow-imports",
            str(path),
            "--workers",
            "1",
            "--format",
            "json",
        ],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == 1
    status = json.loads(done.stdout)[0]
    assert (status["total"], status["done"], status["failed"]) == (5, 2, 3)
    assert (
        done.stderr.splitlines()[-1]
        == "3 of 5 tasks failed: burns timeout 1, deadlocks timeout 1, hangs timeout 1"
    )


def test_a_limit_of_memory_is_refused_where_it_cannot_be_kept(study_file, monkeypatch, refused):
    from deabench.study import Study
    from deabench.study.spec import settings

    monkeypatch.setattr(settings, "memory_can_be_limited", lambda: False)
    with refused(
        "'study.toml': memory_limit cannot be kept on this system, which has no limits of a "
        "process's memory; "
        "leave it out"
    ):
        Study.from_toml(study_file("memory_limit = 100\n" + STUDY), allow_imports=True)


@pytest.mark.parametrize("name", ["setitimer", "SIGALRM"])
def test_the_clock_is_watched_where_there_is_no_alarm(monkeypatch, name):
    import signal
    import time

    from deabench.study.running.limits import OutOfTime, enforce_limits

    monkeypatch.delattr(signal, name)

    def wait() -> None:
        while True:
            time.sleep(0.01)

    with pytest.raises(OutOfTime), enforce_limits(None, wall=0.1):
        wait()


UNINTERRUPTIBLE = """
import os, sys
from collections import deque
from itertools import repeat
from pathlib import Path
from deabench.study.running import limits
limits.GRACE = 0.2
with limits.enforce_limits(Path(sys.argv[1]), cpu=0.1):
    {}
"""
IN_C = {
    "the process's own time": "sum(range(10**12))",
    "the system's time": "deque(map(os.urandom, repeat(1 << 20)), maxlen=0)",
}


@pytest.mark.parametrize("code", IN_C.values(), ids=IN_C)
def test_code_in_c_ends_with_its_process_and_a_traceback(code, tmp_path):
    ended = subprocess.run(
        [sys.executable, "-c", UNINTERRUPTIBLE.format(code), str(tmp_path / "trace")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "models")])},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode == -signal.SIGPROF, ended.stderr
    assert 'File "<string>", line 9' in (tmp_path / "trace").read_text()


@pytest.mark.parametrize("limit", ["wall", "cpu"])
def test_a_limit_that_comes_while_it_is_undone_leaves_no_second_stage(limit, monkeypatch):
    def run_out() -> None:
        raise limits.OutOfTime

    cancelled = []
    monkeypatch.setattr(limits, "_raise_by_signal", lambda *_: run_out)
    monkeypatch.setattr(
        limits.faulthandler, "cancel_dump_traceback_later", lambda: cancelled.append("wall")
    )
    with pytest.raises(limits.OutOfTime), enforce_limits(None, **{limit: 60.0}):
        pass
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert cancelled == ["wall"] * (limit == "wall")
    monkeypatch.undo()
    limits.faulthandler.cancel_dump_traceback_later()


def test_a_limit_of_cpu_time_leaves_the_limits_of_the_process():
    # that limit counts from the start of the process, in ticks that drift from its clock
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_CPU)
    with enforce_limits(None, cpu=10.0):
        assert resource.getrlimit(resource.RLIMIT_CPU) == before


@pytest.mark.parametrize("group", [True, False])
def test_a_worker_looks_twice_a_second_until_its_parent_has_ended(group, monkeypatch) -> None:
    running = iter([True, True, False])
    calls = []

    def leave(status: int) -> None:
        calls.append(("exit", status))

    monkeypatch.setattr(limits, "_is_running", lambda parent: (parent == 123) & next(running))
    monkeypatch.setattr(limits.time, "sleep", lambda seconds: calls.append(("sleep", seconds)))
    monkeypatch.setattr(limits, "end_group", lambda leader: calls.append(("group", leader)))
    monkeypatch.setattr(limits.os, "_exit", leave)
    limits._end_with_parent(123, group)
    ends = [("group", os.getpid())] if group else []
    assert calls == [("sleep", 0.5), ("sleep", 0.5), *ends, ("exit", 1)]
