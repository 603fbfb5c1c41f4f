"""Progress and time limits of long computations.

On a terminal a bar appears after a second; elsewhere a line is written to stderr now and then, also
while one step takes long.
`check_time` stands in the loops of solvers and of geometry, and ends them when the time is up.
"""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from deabench.errors import DataError, TimeLimitError

PATIENCE = 1.0
"""Seconds before a bar appears."""
LINE_EVERY = 10.0
"""Seconds between two lines where stderr is no terminal."""
LOOK_EVERY = 0.2
"""Seconds between two looks whether a line is due."""
LEAST_SOLVE = 5.0
"""Seconds that one more solve gets in a task that may go on."""


@dataclass
class _Task:
    """What is being computed: its name, its steps, and how many of them are done."""

    name: str
    total: int | None
    done: int = 0
    start: float = field(default_factory=time.monotonic)

    def seconds_needed(self) -> float:
        """Return the seconds of all steps, if the others take as long as those done."""
        if not self.done or self.total is None:
            return math.inf
        return (time.monotonic() - self.start) * self.total / self.done

    def describe(self) -> str:
        """Return how far the task is and how long it takes, as `rank: 12 of 40 done after 3 s`."""
        seconds = time.monotonic() - self.start
        text = f"{self.name}: "
        if self.total is not None:
            text += f"{self.done:,} of {self.total:,} done after {seconds:,.0f} s"
        else:
            text += f"not done after {seconds:,.0f} s"
        if math.isfinite(self.seconds_needed()) and self.total != self.done:
            text += f", {self.seconds_needed() - seconds:,.0f} s more at this speed"
        return text


@dataclass(frozen=True)
class _Deadline:
    """When a computation ends, and how long a task may take that is known to end."""

    seconds: float
    end: float
    longest: float


_task: ContextVar[_Task | None] = ContextVar("task", default=None)
_deadline: ContextVar[_Deadline | None] = ContextVar("deadline", default=None)


@contextmanager
def time_limit(seconds: float | None, *, longest: float = 0.0) -> Iterator[None]:
    """Limit the time of what is computed inside the `with` block.

    Parameters
    ----------
    seconds : float or None
        None sets no limit. A limit around the block stays in force.
    longest : float
        A task that counts its steps may take this many seconds in all, if it is on the way to.

    Raises
    ------
    TimeLimitError
        From the computation when the time is up; it tells how far it came and what to change.

    Examples
    --------
    >>> import deabench as db
    >>> table = db.datasets.load("chao2022-wine1")
    >>> with db.time_limit(60):
    ...     ranking = db.rank(table, outputs=["TPR", "TNR"])
    """
    if seconds is None:
        yield
        return
    if not seconds > 0:
        raise DataError(f"time_limit is {seconds:g}; give a number of seconds above 0")
    deadline = _Deadline(seconds, time.monotonic() + seconds, longest)
    outer = _deadline.get()
    if outer is not None and outer.end < deadline.end:
        deadline = outer
    token = _deadline.set(deadline)
    try:
        yield
    finally:
        _deadline.reset(token)


def check_time(*, is_over: bool = False) -> None:
    """End the computation with an error if its time limit has passed.

    Parameters
    ----------
    is_over : bool
        Whether one solve took all the time that it had, so that none is left for the rest.

    Raises
    ------
    TimeLimitError
    """
    deadline = _deadline.get()
    if deadline is None or (time.monotonic() < deadline.end and not is_over):
        return
    task = _task.get()
    if not is_over and task is not None and task.seconds_needed() <= deadline.longest:
        return
    progress_text = f"; {task.describe()}" if task is not None else ""
    raise TimeLimitError(
        f"the time limit of {deadline.seconds:g} s has passed{progress_text}. Name fewer metrics "
        f"in outputs, take fewer rows, or allow more time, as time_limit={_round_up(task)}"
    )


def _round_up(task: _Task | None) -> int:
    """Return a time limit that should be enough, with one digit."""
    needed = 600.0 if task is None else task.seconds_needed()
    if not math.isfinite(needed):
        needed = 600.0
    digit: int = 10 ** math.floor(math.log10(max(needed, 1.0)))
    return math.ceil(1.2 * needed / digit) * digit


def seconds_left() -> float | None:
    """Return the seconds that one solve may take: at least a little, so that it states a bound."""
    deadline = _deadline.get()
    if deadline is None:
        return None
    min_seconds = 1e-3
    if deadline.longest:
        min_seconds = LEAST_SOLVE
    return max(deadline.end - time.monotonic(), min_seconds)


@contextmanager
def progress(
    task: str, total: int | None, *, seconds: float | None = None
) -> Iterator[Callable[[int], None]]:
    """Show on stderr how far a computation is, if it takes long.

    On a terminal a bar appears after a second; elsewhere a line is written every ten seconds, also
    while one step takes longer. The context is a function to call with the number of steps that
    were completed; where the time limit has passed, it raises `TimeLimitError`.

    Parameters
    ----------
    task : str
        Its name.
    total : int or None
        The number of steps; None if it is not known, and only the elapsed time is shown.
    seconds : float, optional
        The time limit of the computation.

    Examples
    --------
    >>> with progress("targets", 3) as advance:
    ...     for _ in range(3):
    ...         advance(1)
    """
    current = _Task(task, total)
    shown = _Bar(current) if sys.stderr.isatty() else _Lines(current)

    def advance(steps: int) -> None:
        current.done += steps
        shown.advance()
        check_time()

    token = _task.set(current)
    try:
        with time_limit(seconds):
            yield advance
    finally:
        _task.reset(token)
        shown.close()


class _Lines:
    """Lines that say every `LINE_EVERY` seconds how far a task is."""

    def __init__(self, task: _Task) -> None:
        self.task = task
        # The stream of now: a later one may be that of another command.
        self.stream = sys.stderr
        self.due = time.monotonic() + LINE_EVERY
        _WATCHER.add(self)

    def advance(self) -> None:
        """Write nothing: the watcher looks at the task itself."""

    def write_if_due(self) -> None:
        if time.monotonic() < self.due:
            return
        self.due = time.monotonic() + LINE_EVERY
        # A stream that is closed by now has no reader.
        with suppress(OSError, ValueError):
            self.stream.write(f"{self.task.describe()}\n")
            self.stream.flush()

    def close(self) -> None:
        _WATCHER.remove(self)


class _Watcher:
    """A thread that writes the lines of all tasks, because one long step must not delay them.

    It is started for the first task and ends where none is left: a thread for each of many short
    tasks would cost more than they do.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Begin without tasks: a process may fork while another of its threads has the lock."""
        self.lock = threading.Lock()
        self.active: list[_Lines] = []
        self.thread: threading.Thread | None = None

    def add(self, lines: _Lines) -> None:
        with self.lock:
            # Remembered only once it runs: a system may have no room for one more thread.
            if self.thread is None:
                thread = threading.Thread(target=self._watch, daemon=True)
                thread.start()
                self.thread = thread
            self.active.append(lines)

    def remove(self, lines: _Lines) -> None:
        # No line is written after this: the lock is held while lines are.
        with self.lock:
            # After a fork the child does not know the parent's tasks.
            if lines in self.active:
                self.active.remove(lines)

    def _watch(self) -> None:
        while True:
            time.sleep(min(LOOK_EVERY, LINE_EVERY))
            with self.lock:
                if not self.active:
                    self.thread = None
                    return
                for lines in self.active:
                    lines.write_if_due()


_WATCHER = _Watcher()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_WATCHER.reset)


class _Bar:
    """A bar that opens after `PATIENCE` seconds."""

    def __init__(self, task: _Task) -> None:
        self.task = task
        self.rich: Any = None
        self.lock = threading.Lock()
        # A timer, because one long step must not delay the bar.
        self.timer = threading.Timer(PATIENCE, self._open)
        self.timer.daemon = True
        self.timer.start()

    def advance(self) -> None:
        if self.rich is not None:
            self.rich.update(self.row, completed=self.task.done)

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            ProgressColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        columns: list[ProgressColumn] = [TextColumn("{task.description}"), BarColumn()]
        if self.task.total is None:
            columns.append(TimeElapsedColumn())
        else:
            columns += [MofNCompleteColumn(), TimeRemainingColumn()]
        # The command line replaces control characters on stderr; the bar needs its own.
        console = Console(file=getattr(sys.stderr, "terminal", sys.stderr))
        rich = Progress(*columns, console=console, transient=True, redirect_stderr=False)
        self.row = rich.add_task(self.task.name, total=self.task.total, completed=self.task.done)
        # `close` may have cancelled the timer while rich was imported.
        with self.lock:
            if not self.timer.finished.is_set():
                rich.start()
                self.rich = rich
                # Steps that were completed while it opened.
                rich.update(self.row, completed=self.task.done)

    def close(self) -> None:
        with self.lock:
            self.timer.cancel()
            if self.rich is not None:
                self.rich.stop()
                self.rich = None
