"""Run the missing tasks of a study on a Dask cluster, an existing one or one started for the run.

Dask restarts dead workers and runs their tasks again; each result is stored and released as it
arrives, so that nothing is computed twice. Tasks travel in batches, several for each thread of the
cluster, so that no worker waits for the parent. A batch that killed more workers than the cluster
allows (`allowed-failures`, 3) comes back as KilledWorker: its tasks are run one by one with nothing
else under way, and the one that dies again is recorded as crashed. Tasks and seeds are those of
`deabench.study.running.local`, and so are the results.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent import futures
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

from deabench.errors import DataError
from deabench.study.data.columns import DataSpec
from deabench.study.data.dataset import Dataset
from deabench.study.data.shared import SharedDatasets, share_datasets
from deabench.study.running.local import (
    Interrupted,
    Results,
    TaskQueue,
    failed_batch,
    timeout_outcome,
)
from deabench.study.running.tasks import Outcome, run_batch
from deabench.study.spec.tasks import Task
from deabench.utils.dask_client import connect_client, require_dask, silence_dask

CANCELLED = (asyncio.CancelledError, futures.CancelledError)
"""Errors of every future of a client that lost its scheduler."""
ANSWER_SECONDS = 10.0
"""How long to wait for the scheduler's answer, and for a worker where there is none."""
RESTART_SECONDS = 120.0
"""How long the workers of a local cluster may take to come back after a death."""
LOCAL_SETTINGS = {
    # a task that kills its worker is reported at once
    "distributed.scheduler.allowed-failures": 0,
    # Dask gives up, 15 s after a death, a worker that it has started again and that has died once
    # more: its nanny would never start another
    "distributed.deploy.lost-worker-timeout": "1 day",
}
BATCHES_AHEAD = 3
"""Batches under way for each thread of the cluster."""


def run_on_cluster(
    tasks: Sequence[Task], address: str, workers: int, datasets: Mapping[DataSpec, Dataset]
) -> Results:
    """Run tasks on the cluster at `address`; `local` starts one of `workers` processes here.

    Another cluster's workers load the data sets: their files must be readable there under the same
    path, and deabench installed; those given from code travel with the run.

    Raises
    ------
    DataError
        Where `distributed` is not installed, nothing answers at the address, the scheduler is lost,
        or there is no worker.
    """
    require_dask()
    with (
        TemporaryDirectory(prefix="deabench-") as scratch,
        share_datasets(datasets) as shared,
        _open_client(address, workers) as client,
    ):
        # machines of another cluster do not see the folders of this one
        if address != "local":
            yield from _ClusterRun(client, address, None, datasets).run(tasks, workers)
        else:
            yield from _ClusterRun(client, address, scratch, {}).run(tasks, workers, shared)


class _ClusterRun:
    """Send batches to a cluster and collect their results."""

    def __init__(
        self,
        client: Any,
        address: str,
        shared_folder: str | None,
        datasets: Mapping[DataSpec, Dataset],
    ) -> None:
        self.client = client
        self.address = address
        self.shared_folder = shared_folder
        self.datasets = datasets
        self.batches: dict[str, tuple[Any, list[Task]]] = {}
        self.finished: SimpleQueue[Any] = SimpleQueue()
        self.lost: list[Any] = []
        self.sent_datasets: dict[DataSpec, Any] = {}
        # keys differ from those of other runs on the same scheduler
        self.run_id = uuid4().hex[:8]
        self.batches_sent = 0
        self.last_sign_of_life = time.monotonic()

    def run(
        self, tasks: Sequence[Task], workers: int, shared: SharedDatasets | None = None
    ) -> Results:
        """Run the tasks; yield each with its outcome as it ends."""
        # a worker may have several threads
        threads = self._count_threads() or workers
        queue = TaskQueue(tasks, threads, shared)
        suspects = deque[Task]()
        while queue or suspects or self.batches:
            # suspects of having killed a worker run last, one at a time
            single_suspect = not queue and not self.batches
            if single_suspect:
                self._send([suspects.popleft()])
            # batches ahead of the threads, so that none waits for this process
            while queue and len(self.batches) < BATCHES_AHEAD * threads:
                self._send(queue.next_batch())
            future = self._next_future()
            # nothing came: the cluster may have grown or shrunk
            if future is None:
                threads = self._count_threads() or threads
                continue
            _, batch = self.batches.pop(future.key)
            yield from self._collect(future, batch, queue, None if single_suspect else suspects)
            future.release()

    def _send(self, batch: list[Task]) -> None:
        self.batches_sent += 1
        key = f"deabench_{self.run_id}-{self.batches_sent}"
        specs = {task.data for task in batch if task.data.source == "memory"}
        datasets = [self._send_dataset(spec) for spec in specs if spec in self.datasets]
        try:
            future = self.client.submit(
                run_batch, batch, self.shared_folder, datasets=datasets, key=key, pure=False
            )
            # called in the client's thread, so that the queue hands it over
            future.add_done_callback(self.finished.put)
        except (OSError, RuntimeError, ValueError) as error:
            raise self._lost_cluster(error) from None
        self.batches[key] = (future, batch)

    def _send_dataset(self, spec: DataSpec) -> Any:
        """Return a data set given from code as a future, sent once.

        A worker that joins later, or instead of another, gets it too.
        """
        if spec not in self.sent_datasets:
            data = self.datasets[spec]
            key = f"deabench_{self.run_id}_data-{data.identity[:12]}"
            self.sent_datasets[spec] = self.client.submit(_return_data, data, key=key, pure=False)
        return self.sent_datasets[spec]

    def _next_future(self) -> Any:
        """Return the next finished future, or None after a second without one.

        After such a second it checks that the cluster still works.
        """
        # what was lost comes again when the scheduler has computed it again
        for future in [future for future in self.lost if future.status != "lost"]:
            self.lost.remove(future)
            self.finished.put(future)
        try:
            # after a second without a result the cluster is asked whether it works
            future = self.finished.get(timeout=1.0)
        except Empty:
            if self.client.status == "running" and self._count_threads():
                self.last_sign_of_life = time.monotonic()
            patience = ANSWER_SECONDS - 2.0
            if self.shared_folder:  # the nannies of a local cluster start workers again
                patience = RESTART_SECONDS
            if time.monotonic() - self.last_sign_of_life > patience:
                raise self._lost_cluster() from None
            return None
        if future.status == "cancelled":
            raise self._lost_cluster()
        # its worker died before the result was fetched: the scheduler lets another compute it
        if future.status == "lost":
            self.lost.append(future)
            return None
        self.last_sign_of_life = time.monotonic()
        return future

    def _count_threads(self) -> int:
        """Return the threads of the cluster; 0 where it does not tell."""
        try:
            if self.client.status == "running":
                return int(sum(self.client.nthreads().values()))
        except Exception:  # a connection that is going away may raise anything
            return 0
        return 0

    def _lost_cluster(self, error: Exception | None = None) -> DataError:
        if error is not None or self.client.status != "running":
            reason = f"the Dask scheduler at '{self.address}' is gone; start it again"
        elif self.shared_folder:
            reason = (
                "the workers of the local cluster did not come back within "
                f"{RESTART_SECONDS:g} s; make room for them"
            )
        else:
            reason = (
                f"the cluster at '{self.address}' has had no worker for {ANSWER_SECONDS:g} s; "
                "start workers"
            )
        return DataError(f"{reason}, and run again: what was done is in the store")

    def _collect(
        self, future: Any, batch: list[Task], queue: TaskQueue, suspects: deque[Task] | None
    ) -> Results:
        """Yield the results of a batch; tasks of one that killed its workers become suspects."""
        from distributed import KilledWorker

        try:
            # asked once: a result can be lost with its worker between two questions
            outcomes, seconds = future.result()
        except CANCELLED:
            raise self._lost_cluster() from None
        except Interrupted:  # a signal to this process, while it waited
            raise
        except KilledWorker as error:
            for task in batch:
                outcome = None
                # a worker that ended itself at a limit has left a traceback
                if self.shared_folder:
                    outcome = timeout_outcome(task, Path(self.shared_folder))
                if outcome is None and suspects is not None:
                    suspects.append(task)
                    continue
                text = "its worker process died each time it ran (of itself, or ended at a limit)"
                yield task, outcome or Outcome("crashed", error=("KilledWorker", text, str(error)))
        except Exception as error:
            yield from failed_batch(batch, error)
        else:
            queue.record_time(len(batch), seconds)
            yield from zip(batch, outcomes, strict=True)


def _return_data(data: Dataset) -> Dataset:
    return data


@contextmanager
def _open_client(address: str, workers: int) -> Iterator[Any]:
    if address != "local":
        with connect_client(address, ANSWER_SECONDS) as client:
            yield client
        return
    import dask
    from distributed import Client, LocalCluster

    with (
        silence_dask(),
        dask.config.set(LOCAL_SETTINGS),
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
