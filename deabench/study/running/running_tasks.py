"""What each worker has in its hands: a file of its own, named after the process, that holds the key
of the running task.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_OPEN: dict[str, int] = {}
"""The descriptor of this process's own mark, by its path: it is opened once and written for each
task.
"""


@contextmanager
def marked(key: str, scratch: str | None) -> Iterator[None]:
    """Let the parent see that this process runs the task; the file is empty between tasks."""
    if scratch is None:
        yield
        return
    path = os.path.join(scratch, f"{os.getpid()}.running")
    if path not in _OPEN:
        while _OPEN:
            os.close(_OPEN.popitem()[1])
        _OPEN[path] = os.open(
            path, os.O_WRONLY | os.O_CREAT
        )  # not inherited by what the task starts
    mark = _OPEN[path]
    os.lseek(mark, 0, os.SEEK_SET)
    os.write(mark, key.encode())
    try:
        yield
    finally:
        os.ftruncate(mark, 0)


def begun(scratch: Path) -> set[str]:
    """The keys of the tasks that were running when they were last seen."""
    return {mark.read_text() for mark in scratch.glob("*.running")} - {""}
