"""A progress bar for work over a second, on terminals only; silent otherwise."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 1.0
"""Seconds before a bar appears."""


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Give a function to be told of each step done; it draws a bar on standard error once a second has passed.

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
    def __init__(self, what: str, total: int) -> None:
        self.what, self.total, self.done = what, total, 0
        self.start = time.monotonic()
        self.rich: Any = None

    def advance(self, steps: int) -> None:
        self.done += steps
        if self.rich is None and time.monotonic() - self.start > PATIENCE:
            self._open()
        if self.rich is not None:
            self.rich.update(self.task, completed=self.done)

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self.rich = Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
            console=Console(stderr=True), transient=True,
        )
        self.task = self.rich.add_task(self.what, total=self.total, completed=self.done)
        self.rich.start()

    def close(self) -> None:
        if self.rich is not None:
            self.rich.stop()
