"""Run what is missing of a study on a Dask cluster, an existing one or one started for the run.

Dask restarts dead workers and runs their tasks again; each result is stored and let go as it
arrives, so that nothing is computed twice. Tasks travel in batches, several for each thread of the
cluster, so that no worker waits for the parent. A batch that killed more workers than the cluster
allows (`allowed-failures`, 3) comes back as KilledWorker: its tasks are run one by one with nothing
else on the way, and the one that dies again is recorded as crashed. Tasks and seeds are those of
`deabench.study.running.local`, and so are the results."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Iterator
from concurrent import futures
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

from deabench.errors import DataError
from deabench.study.data.dataset import Dataset
from deabench.study.running.batches import Batches, held_by
from deabench.study.running.local import Interrupted, Results, killed_by_limit, results_of
from deabench.study.running.tasks import Job, Outcome, run_batch
from deabench.utils.dask_client import connected, quiet, required

CANCELLED = (asyncio.CancelledError, futures.CancelledError)
"""What a client that lost its scheduler answers for every future."""
ANSWER = 10.0
"""Seconds to wait for the scheduler's answer, and for a worker where there is none."""
RESTART = 120.0
"""Seconds that the workers of a cluster of this machine's own may take to come back after a death.
"""
LOCAL = {
    "distributed.scheduler.allowed-failures": 0,
    "distributed.deploy.lost-worker-timeout": "1 day",
}
"""Settings of a cluster of this machine's own: a task that kills its worker is told at once; and
Dask does not give up, 15 s after a death, a worker that it has started again and that has died once
more (its nanny would never start another).
"""
AHEAD = 3
"""Batches on the way for each thread of the cluster."""


def on_cluster(jobs: list[Job], address: str, workers: int) -> Results:
    """Run tasks on the cluster at `address` (`local` starts one of `workers` processes on this
    machine).

    Data sets are loaded by the workers: their files must be readable there under the same path, and
    deabench installed; those given from code travel with the run.

    Raises
    ------
    DataError
        Where `distributed` is not installed, nothing answers at the address, the scheduler is lost,
        or there is no worker.
    """
    required()
    with TemporaryDirectory(prefix="deabench-") as scratch, _client(address, workers) as client:
        shared = (
            scratch if address == "local" else None
        )  # a cluster's machines do not see this one's folders
        yield from _Cluster(client, address, shared).run(jobs, workers)


class _Cluster:
    """The batches on their way to a cluster."""

    def __init__(self, client: Any, address: str, shared: str | None) -> None:
        self.client, self.address, self.shared = client, address, shared
        self.running: dict[str, tuple[Any, list[Job]]] = {}
        self.arrived: SimpleQueue[Any] = SimpleQueue()
        self.held: dict[str, Any] = {}
        self.run_id, self.sent = uuid4().hex[:8], 0
        self.well = time.monotonic()

    def run(self, jobs: list[Job], workers: int) -> Results:
        width = self._width() or workers
        waiting, suspects = Batches(jobs, width), deque[Job]()
        while waiting or suspects or self.running:
            alone = not waiting and not self.running
            if alone:
                self._send([suspects.popleft()])
            while waiting and len(self.running) < AHEAD * width:
                self._send(waiting.next())
            future = self._next()
            if future is None:
                width = self._width() or width
                continue
            _, batch = self.running.pop(future.key)
            yield from self._results(future, batch, waiting, None if alone else suspects)
            future.release()

    def _send(self, batch: list[Job]) -> None:
        self.sent += 1
        key = f"deabench_{self.run_id}-{self.sent}"
        held = [self._holding(digest, data) for digest, data in held_by(batch).items()]
        try:
            future = self.client.submit(
                run_batch, batch, self.shared, held=held, key=key, pure=False
            )
            future.add_done_callback(self.arrived.put)
        except (OSError, RuntimeError, ValueError) as error:
            raise self._lost(error) from None
        self.running[key] = (future, batch)

    def _holding(self, digest: str, data: Dataset) -> Any:
        """A data set given from code as a task of its own: a worker that joins later, or instead of
        another, gets it too.
        """
        if digest not in self.held:
            self.held[digest] = self.client.submit(
                _itself, data, key=f"deabench_{self.run_id}_data-{digest[:12]}", pure=False
            )
        return self.held[digest]

    def _next(self) -> Any:
        """The next future that is settled; None after a second without one, in which the cluster
        was asked how it is.
        """
        try:
            future = self.arrived.get(timeout=1.0)
        except Empty:
            if self.client.status == "running" and self._width():
                self.well = time.monotonic()
            if time.monotonic() - self.well > (RESTART if self.shared else ANSWER - 2.0):
                raise self._lost() from None
            return None
        if future.status in ("cancelled", "lost"):
            raise self._lost()
        self.well = time.monotonic()
        return future

    def _answer(self, future: Any) -> tuple[Any, Exception | None]:
        """What a future brought, and its error. Asked once: a result can be lost with its worker
        between two questions.
        """
        try:
            return future.result(), None
        except CANCELLED:
            raise self._lost() from None
        except Interrupted:  # our own signal, while we waited
            raise
        except Exception as error:
            return (None, 0.0), error

    def _width(self) -> int:
        """The threads of the cluster; 0 where it does not say."""
        try:
            return (
                int(sum(self.client.nthreads().values())) if self.client.status == "running" else 0
            )
        except Exception:  # whatever a connection that is going away raises
            return 0

    def _lost(self, error: Exception | None = None) -> DataError:
        if error is None and self.client.status == "running":
            said = (
                f"the cluster at '{self.address}' has had no worker for {ANSWER:g} s; start workers"
            )
            if self.shared:
                said = f"the workers of the local cluster did not come back within {RESTART:g} s; make room for them"
        else:
            said = f"the Dask scheduler at '{self.address}' is gone; start it again"
        return DataError(f"{said}, and run again: what was done is in the store")

    def _results(
        self, future: Any, batch: list[Job], waiting: Batches, suspects: deque[Job] | None
    ) -> Results:
        """What a batch brought; the tasks of one that killed its workers go to the suspects, unless
        it was alone.
        """
        from distributed import KilledWorker

        (outcomes, took), error = self._answer(future)
        if not isinstance(error, KilledWorker):
            if error is None:
                waiting.took(len(batch), took)
            yield from results_of(batch, outcomes, error)
            return
        for job in batch:
            known = killed_by_limit(job, Path(self.shared)) if self.shared else None
            if known is not None:
                yield job, known
            elif suspects is not None:
                suspects.append(job)
            else:
                text = "its worker process died each time it ran (of itself, or ended at a limit)"
                yield job, Outcome("crashed", error=("KilledWorker", text, str(error)))


def _itself(data: Dataset) -> Dataset:
    return data


@contextmanager
def _client(address: str, workers: int) -> Iterator[Any]:
    if address != "local":
        with connected(address, ANSWER) as client:
            yield client
        return
    import dask
    from distributed import Client, LocalCluster

    with (
        quiet(),
        dask.config.set(LOCAL),
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
            silence_logs=50,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client
