"""The progress bar: on a terminal, after a second, and gone afterwards; otherwise silence."""

from __future__ import annotations

import io
import os
import sys
import threading
import time
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.utils import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch) -> Terminal:
    """Standard error from here on; not a fixture, for pytest puts its own in place before the test
    begins.
    """
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    return terminal


class Timer:
    """A second that has passed at once, or never does."""

    passes = True

    def __init__(self, _: float, function: Callable[[], None]) -> None:
        self.function, self.finished = function, threading.Event()

    def start(self) -> None:
        if self.passes:
            self.function()

    def cancel(self) -> None:
        self.finished.set()


class Never(Timer):
    passes = False


def table(n: int) -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(0).uniform(0.3, 1, (n, 3)), columns=["a", "b", "c"])


CALLS = {
    "rank": (lambda: db.rank(table(30)), "0/30"),
    "frontier": (lambda: db.frontier(table(30)), "0:00:00"),
    "targets": (lambda: db.targets(table(30) * 0.9, table(30)), "0/30"),
}


@pytest.mark.parametrize("work", CALLS)
def test_slow_work_on_a_terminal_shows_how_far_it_is(work, monkeypatch) -> None:
    terminal = on_terminal(monkeypatch)
    monkeypatch.setattr(threading, "Timer", Timer)
    call, count = CALLS[work]
    call()
    assert work in terminal.getvalue()
    assert count in terminal.getvalue()


@pytest.mark.parametrize("work", CALLS)
def test_quick_work_is_silent(work, monkeypatch) -> None:
    terminal = on_terminal(monkeypatch)
    monkeypatch.setattr(threading, "Timer", Never)
    CALLS[work][0]()
    assert terminal.getvalue() == ""


def test_a_timer_opens_the_bar_and_steps_move_it(monkeypatch) -> None:
    terminal = on_terminal(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", 0.001)
    with progress.progress("work", 2) as advance:
        end = time.monotonic() + 60
        while "0/2" not in terminal.getvalue() and time.monotonic() < end:
            time.sleep(0.01)
        advance(2)
    assert "2/2" in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b[2K")  # the line is cleared


def test_off_a_terminal_nothing_is_said(monkeypatch, capsys) -> None:
    monkeypatch.setattr(threading, "Timer", Timer)
    with progress.progress("work", 2) as advance:
        advance(2)
    assert capsys.readouterr().err == ""


def test_an_interrupt_takes_the_bar_down(monkeypatch) -> None:
    terminal = on_terminal(monkeypatch)
    monkeypatch.setattr(threading, "Timer", Timer)

    def interrupted() -> None:
        with progress.progress("work", 2):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert "work" in terminal.getvalue()
    assert "\x1b[?25h" in terminal.getvalue()  # the cursor is back


def test_many_short_tasks_share_one_thread(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    before = threading.active_count()
    for _ in range(200):
        with progress.progress("outer", 2) as outer, progress.progress("inner", 1) as inner:
            inner(1)
            outer(1)
        assert threading.active_count() <= before + 1
    end = time.monotonic() + 60
    while threading.active_count() > before and time.monotonic() < end:
        time.sleep(0.02)
    assert threading.active_count() <= before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_fork_within_a_task_leaves_both_processes_working(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress.progress("parent", 1) as advance:
        child = os.fork()
        if child == 0:
            with progress.progress("child", 1) as own:
                own(1)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        advance(1)
