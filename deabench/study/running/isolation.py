"""Keep what a learner does to its process from the tasks after it.

numpy, scikit-learn, Python and the system have state that belongs to the whole process: how errors
are treated, generators of random numbers, configurations, the environment, the working directory.
A task finds them as a new process has them, its generators seeded, and they are put back after it.
So a result does not depend on who shares a worker.
"""

from __future__ import annotations

import io
import os
import random
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from importlib import import_module
from typing import Any

import numpy as np

LARGEST_OUTPUT = 2000
"""Characters of a learner's output that are kept, half of them from its end."""


@contextmanager
def leave_no_trace(environment: Mapping[str, str]) -> Iterator[None]:
    """Put back what the block changes of the process: environment, folder, settings.

    Parameters
    ----------
    environment : mapping of str to str
        The environment as it is to be after the block; a batch of tasks copies it once.
    """
    import sklearn

    folder = os.getcwd()
    configuration = sklearn.get_config()
    try:
        # numpy's own defaults
        with np.errstate(divide="warn", over="warn", under="ignore", invalid="warn"):
            yield
    finally:
        sklearn.set_config(**configuration)
        _set_folder(folder)
        _set_environment(environment)


@contextmanager
def keep_generators() -> Iterator[None]:
    """Put back the global generators of random numbers, which tasks seed and draw from.

    That takes a tenth of a small task, so a batch of tasks does it once.
    """
    with ExitStack() as stack:
        stack.callback(random.setstate, random.getstate())
        # A learner may draw from the global state.
        stack.callback(np.random.set_state, np.random.get_state())  # noqa: NPY002 - learners use it
        torch = sys.modules.get("torch")
        if torch is not None:
            stack.callback(torch.set_rng_state, torch.get_rng_state())
        yield


def seed_generators(seed: int, packages: set[str]) -> None:
    """Seed every global generator: Python's, numpy's, and torch's where it is used.

    Parameters
    ----------
    seed : int
    packages : set of str
        Those that the learner uses. A learner may import torch while it fits, which is too late.
    """
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - for a learner that draws from the global state
    torch = sys.modules.get("torch")
    if torch is None and "torch" in packages:
        torch = import_module("torch")
    if torch is not None:
        torch.manual_seed(seed)


def _set_environment(environment: Mapping[str, str]) -> None:
    # Name by name: a copy of the environment takes twice as long.
    is_same = len(os.environ) == len(environment) and all(
        os.environ.get(name) == value for name, value in environment.items()
    )
    if not is_same:
        os.environ.clear()
        os.environ.update(environment)


def _set_folder(folder: str) -> None:
    with suppress(OSError):  # the folder has been deleted
        os.chdir(folder)


class Output:
    """Collect what a learner prints.

    Parameters
    ----------
    whole_process : bool
        Whether the output of C code and of child processes counts, too: in a worker whose streams
        belong to the task alone.
    """

    def __init__(self, *, whole_process: bool) -> None:
        self.whole_process = whole_process
        self.text = ""

    @contextmanager
    def collect(self) -> Iterator[None]:
        """Send standard output and error of the block to a file; keep the file's text."""
        with _output_file() as file:
            # a descriptor of its own, which a learner may close
            raw = os.fdopen(os.dup(file.fileno()), "wb", buffering=0)
            stream = io.TextIOWrapper(raw, "utf-8", "backslashreplace", write_through=True)
            with ExitStack() as stack:
                stack.callback(self._read, file)
                stack.callback(stream.close)
                if self.whole_process:
                    for descriptor in (1, 2):
                        _redirect(stack, descriptor, file.fileno())
                stack.enter_context(redirect_stdout(stream))
                stack.enter_context(redirect_stderr(stream))
                yield

    def _read(self, file: Any) -> None:
        size = file.seek(0, os.SEEK_END)
        if not size:
            return
        file.seek(0)
        content = file.read(LARGEST_OUTPUT)
        # of a long output the beginning and the end
        if size > LARGEST_OUTPUT:
            half_size = LARGEST_OUTPUT // 2
            file.seek(size - half_size)
            omitted = f"\n... {size - LARGEST_OUTPUT} bytes ...\n".encode()
            content = content[:half_size] + omitted + file.read()
        self.text = content.decode("utf-8", "backslashreplace")


_OUTPUT_FILES: dict[int, Any] = {}
"""The file for the output of this process's tasks, by its id: opened once, emptied for each."""


@contextmanager
def _output_file() -> Iterator[Any]:
    if os.getpid() not in _OUTPUT_FILES:
        _OUTPUT_FILES.clear()
        _OUTPUT_FILES[os.getpid()] = tempfile.TemporaryFile("w+b")  # noqa: SIM115 - it stays open
    file = _OUTPUT_FILES[os.getpid()]
    yield file
    # only where something was printed
    if file.seek(0, os.SEEK_END):
        file.seek(0)
        file.truncate()


def _redirect(stack: ExitStack, descriptor: int, target: int) -> None:
    """Let a descriptor of the process lead to a file until the stack is left."""
    before = os.dup(descriptor)
    stack.callback(os.close, before)
    stack.callback(os.dup2, before, descriptor)
    os.dup2(target, descriptor)
