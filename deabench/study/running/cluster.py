"""Run what is missing of a study on a Dask cluster, an existing one or one started for the run.

Dask restarts dead workers and runs their tasks again; each result is stored and let go as it arrives, so that nothing
is computed twice. A task that killed more workers than the cluster allows (`allowed-failures`, 3) comes back as
KilledWorker and is recorded as crashed. Tasks and seeds are those of `deabench.study.running.local`, and so are the results.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from deabench.errors import DataError
from deabench.study.running.local import Results, killed_by_limit, result_of
from deabench.study.running.tasks import Job, Outcome, run_job

ANSWER = 10.0
"""Seconds to wait for the scheduler's answer."""


def on_cluster(jobs: list[Job], address: str, workers: int) -> Results:
    """Run tasks on the cluster at `address` (`local` starts one of `workers` processes on this machine).

    Data sets are loaded by the workers: their files must be readable there under the same path, and deabench installed.

    Raises
    ------
    DataError
        Where `distributed` is not installed, or nothing answers at the address.
    """
    if find_spec("distributed") is None:
        raise DataError("a cluster needs the package distributed: pip install 'deabench[dask]'")
    from distributed import as_completed

    with TemporaryDirectory(prefix="deabench-") as scratch, _client(address, workers) as client:
        shared = scratch if address == "local" else None  # a cluster's machines do not see this one's folders
        queue = iter(jobs)
        first = [job for _, job in zip(range(_width(client, workers)), queue, strict=False)]
        running = {_submit(client, job, shared): job for job in first}
        arriving = as_completed(list(running))
        for future in arriving:
            job = running.pop(future)
            yield _result(future, job, Path(scratch))
            future.release()
            following = next(queue, None)
            if following is not None:
                new = _submit(client, following, shared)
                running[new] = following
                arriving.add(new)


def _submit(client: Any, job: Job, scratch: str | None) -> Any:
    return client.submit(run_job, job, scratch, key=f"deabench-{job.key}", pure=False)


def _width(client: Any, workers: int) -> int:
    """Tasks handed out at a time: one for each thread of the cluster, as a dead worker's queue is blamed with it."""
    return sum(client.nthreads().values()) or workers


def _result(future: Any, job: Job, scratch: Path) -> tuple[Job, Outcome]:
    from distributed import KilledWorker

    if not isinstance(future.exception(), KilledWorker):
        return result_of(future, job)
    known = killed_by_limit(job, scratch)
    if known is not None:
        return job, known
    text = "its worker process died each time it ran (of itself, or ended at the time limit)"
    return job, Outcome("crashed", error=("KilledWorker", text, str(future.exception())))


@contextmanager
def _client(address: str, workers: int) -> Iterator[Any]:
    import dask
    from distributed import Client, LocalCluster

    if address == "local":
        with (dask.config.set({"distributed.scheduler.allowed-failures": 1}),
              LocalCluster(n_workers=workers, threads_per_worker=1, host="127.0.0.1", dashboard_address=None,
                           silence_logs=50) as cluster, Client(cluster) as client):
            yield client
        return
    try:
        client = Client(address, timeout=ANSWER)
    except (OSError, ValueError) as error:
        raise DataError(f"no Dask scheduler answers at '{address}': {error}") from None
    with client:
        yield client
