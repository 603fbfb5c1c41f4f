"""The same two passes on a Dask cluster that is there: a tree of joins over parts, and a map of
scores.

Dask gives the work of a worker that died to another; the tree is that of one process, and so are
the bits."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent import futures
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from deabench.errors import DataError
from deabench.results.frontier import Frontier
from deabench.streaming.candidates import Kept
from deabench.streaming.files import Files
from deabench.streaming.labels import Reader, of_file
from deabench.streaming.reduce import TOGETHER, joined, of_part
from deabench.streaming.statistics import keep_part
from deabench.utils.dask_client import connected
from deabench.utils.progress import progress

if TYPE_CHECKING:
    from deabench.streaming.frontier import StreamOptions

ANSWER = 10.0
"""Seconds to wait for the scheduler's answer, and for a worker where there is none."""
LOST = (asyncio.CancelledError, futures.CancelledError)
Same = TypeVar("Same")


def candidates(files: Files, tolerance: float, way: StreamOptions) -> Kept:
    """The candidates of all parts: see `gather.here`.

    Raises
    ------
    DataError
        Where the cluster cannot be reached or is lost, or a part is refused.
    """
    with connected(str(way.scheduler), ANSWER) as client:
        shared = client.submit(_itself, replace(files, root=os.getcwd()), pure=False)
        level = parts = [
            client.submit(_candidates, shared, k, tolerance, way.kept, pure=False)
            for k in range(len(files.parts))
        ]
        while len(level) > 1:
            level = [
                client.submit(joined, level[k : k + TOGETHER], tolerance, pure=False)
                for k in range(0, len(level), TOGETHER)
            ]
        with progress("rows", files.rows) as advance:
            _wait(client, str(way.scheduler), parts, files, advance)
            found: Kept = _wait(client, str(way.scheduler), level, files)[0]
        return found


def scores(files: Files, front: Frontier, way: StreamOptions) -> None:
    """Every part's scores, each written by a worker to the folder that is kept.

    Raises
    ------
    DataError
    """
    with connected(str(way.scheduler), ANSWER) as client:
        shared = client.submit(_itself, replace(files, root=os.getcwd()), pure=False)
        known = client.submit(_itself, front, pure=False)
        parts = [
            client.submit(_scores, shared, k, known, way.kept, pure=False)
            for k in range(len(files.parts))
        ]
        with progress("scores of rows", files.rows) as advance:
            _wait(client, str(way.scheduler), parts, files, advance)


def names(files: Files, way: StreamOptions) -> Reader:
    """What has the cluster read the names of rows, file by file."""

    def read(rows: Mapping[int, np.ndarray]) -> list[list[str]]:
        with connected(str(way.scheduler), ANSWER) as client:
            shared = client.submit(_itself, replace(files, root=os.getcwd()), pure=False)
            read_there = [client.submit(of_file, shared, *one, pure=False) for one in rows.items()]
            return _wait(client, str(way.scheduler), read_there, files)

    return read


def _candidates(files: Files, part: int, tolerance: float, kept: Any) -> Kept:
    return of_part(files, files.parts[part], tolerance, kept)


def _scores(files: Files, part: int, front: Frontier, kept: Any) -> None:
    keep_part(files, files.parts[part], front, kept)


def _itself(value: Same) -> Same:
    """What all tasks need, as a task: a worker that joins later, or instead of another, gets it
    too.
    """
    return value


def _wait(
    client: Any,
    address: str,
    waited: Sequence[Any],
    files: Files,
    advance: Callable[[int], None] = lambda _: None,
) -> list[Any]:
    """What futures bring, with a look at the cluster each second; the first that fails, by the
    files' order, is told.
    """
    from distributed import KilledWorker, wait

    left, well = dict(enumerate(waited)), time.monotonic()
    while left:
        try:
            wait(list(left.values()), timeout=1.0, return_when="FIRST_COMPLETED")
        except (TimeoutError, futures.TimeoutError):
            if _workers(client):
                well = time.monotonic()
            if time.monotonic() - well > ANSWER:
                raise _lost(client, address) from None
            continue
        except LOST:
            raise _lost(client, address) from None
        for k in [k for k, future in left.items() if future.done()]:
            if left.pop(k).status == "finished":
                advance(
                    sum(piece.rows for piece in files.parts[k])
                    if len(waited) == len(files.parts)
                    else 0
                )
    try:
        return list(client.gather(list(waited)))
    except LOST:
        raise _lost(client, address) from None
    except KilledWorker:
        raise DataError(
            f"a part of the files killed the workers of '{address}' again and again; give them more memory"
        ) from None


def _workers(client: Any) -> int:
    """The threads of the cluster; 0 where it does not say."""
    try:
        return int(sum(client.nthreads().values())) if client.status == "running" else 0
    except Exception:  # whatever a connection that is going away raises
        return 0


def _lost(client: Any, address: str) -> DataError:
    if client.status == "running" and not _workers(client):
        return DataError(
            f"the cluster at '{address}' has had no worker for {ANSWER:g} s; start workers, and run again"
        )
    return DataError(
        f"the Dask scheduler at '{address}' is gone; start it again, and run again: what was done is where kept says"
    )
