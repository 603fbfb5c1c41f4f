"""Run the tasks of a pass over files: in this process, or on a Dask cluster.

A pass submits the same tasks to either, so that the answer has the same bits. Dask gives the tasks
of a worker that died to another.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent import futures
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from deabench.errors import DataError
from deabench.streaming.files import ParquetFiles
from deabench.utils.dask_client import connect_client
from deabench.utils.progress import progress

PATIENCE = 10.0
"""Seconds to wait for the scheduler's answer, and for a worker where there is none."""
CANCELLED = (asyncio.CancelledError, futures.CancelledError)
Value = TypeVar("Value")


class Executor(Protocol):
    """What runs tasks; a task's result may be an argument of another task."""

    def share_files(self, files: ParquetFiles) -> Any:
        """Return the files as an argument of tasks."""

    def share(self, value: Any) -> Any:
        """Return a large value as an argument of tasks, sent once."""

    def submit(self, function: Callable[..., Any], *arguments: Any, rows: int = 0) -> Any:
        """Run a task; `rows` is how far it advances the progress bar."""

    def gather(self, results: Sequence[Any]) -> list[Any]:
        """Return the values of results; the first that failed, in their order, raises."""


@contextmanager
def open_executor(
    scheduler: str | None, title: str = "names", rows: int | None = None
) -> Iterator[Executor]:
    """Open the executor of a pass: the cluster at an address, or this process without one.

    Parameters
    ----------
    scheduler : str or None
    title, rows
        The title and the length of the progress bar.

    Raises
    ------
    DataError
        If the cluster cannot be reached.
    """
    with progress(title, rows) as advance:
        if scheduler is None:
            yield LocalExecutor(advance)
            return
        with connect_client(scheduler, PATIENCE) as client:
            yield DaskExecutor(client, scheduler, advance)


class LocalExecutor:
    """Run each task in this process when it is submitted."""

    def __init__(self, advance: Callable[[int], None]) -> None:
        self.advance = advance

    def share_files(self, files: ParquetFiles) -> Any:
        return files

    def share(self, value: Any) -> Any:
        return value

    def submit(self, function: Callable[..., Any], *arguments: Any, rows: int = 0) -> Any:
        result = function(*arguments)
        self.advance(rows)
        return result

    def gather(self, results: Sequence[Any]) -> list[Any]:
        return list(results)


class DaskExecutor:
    """Run tasks on the workers of a Dask scheduler."""

    def __init__(self, client: Any, address: str, advance: Callable[[int], None]) -> None:
        self.client = client
        self.address = address
        self.advance = advance
        self.rows = dict[str, int]()

    def share_files(self, files: ParquetFiles) -> Any:
        # Workers may run in another folder.
        return self.share(replace(files, root=os.getcwd()))

    def share(self, value: Any) -> Any:
        # A task, not a scattered value: a worker that joins later gets it too.
        return self.submit(_identity, value)

    def submit(self, function: Callable[..., Any], *arguments: Any, rows: int = 0) -> Any:
        future = self.client.submit(function, *arguments, pure=False)
        self.rows[future.key] = rows
        return future

    def gather(self, results: Sequence[Any]) -> list[Any]:
        from distributed import KilledWorker

        try:
            self._wait(results)
            return list(self.client.gather(list(results)))
        except CANCELLED:
            raise self._connection_error() from None
        except KilledWorker:
            raise DataError(
                f"a part of the files killed the workers of '{self.address}' again and again; give "
                "them more memory"
            ) from None

    def _wait(self, results: Sequence[Any]) -> None:
        """Wait for all results, looking at the cluster each second."""
        import distributed

        wait: Callable[..., Any] = distributed.wait
        pending = set(results)
        last_alive = time.monotonic()
        while pending:
            try:
                # A second at a time: a scheduler that dies does not wake a longer wait.
                done = wait(list(pending), timeout=1.0, return_when="FIRST_COMPLETED").done
            except (TimeoutError, futures.TimeoutError):
                # A cluster without workers may get new ones; it has PATIENCE seconds for that.
                if self._count_threads():
                    last_alive = time.monotonic()
                if time.monotonic() - last_alive > PATIENCE:
                    raise self._connection_error() from None
                continue
            pending -= done
            for future in done:
                if future.status == "finished":
                    self.advance(self.rows.pop(future.key, 0))

    def _count_threads(self) -> int:
        """Return the threads of the cluster; 0 where it does not answer."""
        try:
            threads = self.client.nthreads().values() if self.client.status == "running" else ()
            return int(sum(threads))
        except Exception:  # a connection that is closing raises errors of any kind
            return 0

    def _connection_error(self) -> DataError:
        if self.client.status == "running" and not self._count_threads():
            return DataError(
                f"the cluster at '{self.address}' has had no worker for {PATIENCE:g} s; start "
                "workers, and run again"
            )
        return DataError(
            f"the Dask scheduler at '{self.address}' is gone; start it again, and run again: "
            "finished parts are in the folder given as kept"
        )


def _identity(value: Value) -> Value:
    return value
