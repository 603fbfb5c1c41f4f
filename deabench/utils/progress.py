"""A progress bar for work over a second, on terminals only; silent otherwise."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 1.0
"""Seconds before a bar appears."""


@contextmanager
def progress(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Give a function to be told of each step done; a bar is on standard error from a second on
    until the work ends.

    Parameters
    ----------
    what : str
        What is being done.
    total : int or None
        How many steps there are; None where that is not known, and only the time that has passed is
        shown.

    Examples
    --------
    >>> with progress("targets", 3) as advance:
    ...     for _ in range(3):
    ...         advance(1)
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    bar = _Bar(what, total)
    try:
        yield bar.advance
    finally:
        bar.close()


class _Bar:
    def __init__(self, what: str, total: int | None) -> None:
        self.what, self.total, self.done = what, total, 0
        self.rich: Any = None
        self.lock = threading.Lock()
        self.timer = threading.Timer(PATIENCE, self._open)  # one long step must not put it off
        self.timer.daemon = True
        self.timer.start()

    def advance(self, steps: int) -> None:
        self.done += steps
        if self.rich is not None:
            self.rich.update(self.task, completed=self.done)

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        counted = (
            (MofNCompleteColumn(), TimeRemainingColumn())
            if self.total is not None
            else (TimeElapsedColumn(),)
        )
        rich = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            *counted,
            console=Console(stderr=True),
            transient=True,
        )
        self.task = rich.add_task(self.what, total=self.total, completed=self.done)
        with self.lock:
            if not self.timer.finished.is_set():
                rich.start()
                self.rich = rich
                rich.update(self.task, completed=self.done)  # steps taken while it opened

    def close(self) -> None:
        with self.lock:
            self.timer.cancel()
            if self.rich is not None:
                self.rich.stop()
                self.rich = None
