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
def progress(task: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on standard error for work that takes over a second.

    The context is a function to call with the number of steps that were completed.

    Parameters
    ----------
    task : str
        Its name.
    total : int or None
        The number of steps; None if it is not known, and only the elapsed time is shown.

    Examples
    --------
    >>> with progress("targets", 3) as advance:
    ...     for _ in range(3):
    ...         advance(1)
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    bar = _Bar(task, total)
    try:
        yield bar.advance
    finally:
        bar.close()


class _Bar:
    """A bar that opens after `PATIENCE` seconds."""

    def __init__(self, name: str, total: int | None) -> None:
        self.name = name
        self.total = total
        self.done = 0
        self.rich: Any = None
        self.lock = threading.Lock()
        # A timer, because one long step must not delay the bar.
        self.timer = threading.Timer(PATIENCE, self._open)
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
            ProgressColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        columns: list[ProgressColumn] = [TextColumn("{task.description}"), BarColumn()]
        if self.total is None:
            columns.append(TimeElapsedColumn())
        else:
            columns += [MofNCompleteColumn(), TimeRemainingColumn()]
        rich = Progress(*columns, console=Console(stderr=True), transient=True)
        self.task = rich.add_task(self.name, total=self.total, completed=self.done)
        # `close` may have cancelled the timer while rich was imported.
        with self.lock:
            if not self.timer.finished.is_set():
                rich.start()
                self.rich = rich
                # Steps that were completed while it opened.
                rich.update(self.task, completed=self.done)

    def close(self) -> None:
        with self.lock:
            self.timer.cancel()
            if self.rich is not None:
                self.rich.stop()
                self.rich = None
