"""Run what is missing of a study on this machine, in joblib's (loky's) worker processes.

loky ends all its workers when one of them dies. So a run is a loop: what was in a dead worker's
hands is run again alone, in a worker of its own; a task whose worker dies a second time is recorded
as crashed, and the others go on. loky's executor is used without `joblib.Parallel` around it, which
gives up on the first dead worker, runs a single job inside the parent, where a hang cannot be
ended, and has no way to end its workers on a signal."""

from __future__ import annotations

import logging
import os
import signal
import tempfile
import threading
import traceback
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from deabench.errors import DeabenchError
from deabench.study.running.batches import Batches, carried
from deabench.study.running.limits import end_group, settle
from deabench.study.running.running_tasks import begun
from deabench.study.running.tasks import Job, Outcome, allowed, run_batch
from deabench.utils.files import one_line

log = logging.getLogger(__name__)

ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"), "1"
)

Results = Generator[tuple[Job, Outcome], None, None]


class Interrupted(DeabenchError):
    """Ctrl-C or SIGTERM ended the run; what was done is in the store."""


def local(jobs: list[Job], workers: int) -> Results:
    """Run tasks in `workers` processes; yields each with its outcome as it ends, in no fixed order.

    Leaving the generator early (an exception, `close`) ends the workers at once, with what they
    have started."""
    suspects = deque[Job]()
    with tempfile.TemporaryDirectory(prefix="deabench-") as scratch:
        waiting = Batches(carried(jobs, Path(scratch)), workers)
        while waiting or suspects:
            alone = not waiting
            queue = Batches([suspects.popleft()], 1) if alone else waiting
            ended = yield from _pool(
                queue, 1 if alone else min(workers, len(queue.waiting)), scratch
            )
            for job in ended:
                verdict = _verdict(job, Path(scratch), alone)
                if verdict is not None:
                    yield job, verdict
                elif any(trace.stat().st_size for trace in Path(scratch).glob("*.trace")):
                    waiting.waiting.append(job)  # another task is known to have ended the pool
                else:
                    suspects.append(job)
            _clear(Path(scratch))


Running = dict[Future[tuple[list[Outcome], float]], list[Job]]


def _pool(
    queue: Batches, workers: int, scratch: str
) -> Generator[tuple[Job, Outcome], None, list[Job]]:
    """Run the queue until it is empty or a worker dies; returns the tasks that were in the workers'
    hands then.

    What had been handed to the pool but had not begun, or was done and not yet told, goes back to
    the front of the queue."""
    from joblib.externals.loky import ProcessPoolExecutor

    pool = ProcessPoolExecutor(workers, env=ONE_THREAD, initializer=settle)
    running: Running = {}
    try:
        while queue or running:
            _hand_out(pool, queue, running, 2 * workers, scratch)
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            yield from _collect(queue, running, finished)
            if any(_broken(future) for future in finished):
                wait(running)
                yield from _collect(queue, running, set(running))
                left = [job for jobs in running.values() for job in jobs]
                held = begun(Path(scratch))
                queue.back([job for job in left if job.key not in held])
                return [job for job in left if job.key in held]
    finally:
        _end(pool)
    return []


def _hand_out(pool: Any, queue: Batches, running: Running, most: int, scratch: str) -> None:
    while queue and len(running) < most:
        jobs = queue.next()
        try:
            with _sheltered():
                running[pool.submit(run_batch, jobs, scratch, group=True)] = jobs
        except BrokenProcessPool:
            queue.back(jobs)
            return


def _collect(queue: Batches, running: Running, finished: set[Any]) -> Results:
    for future in [future for future in finished if not _broken(future)]:
        jobs = running.pop(future)
        error = future.exception()
        outcomes, took = ((), 0.0) if error else future.result()
        if error is None:
            queue.took(len(jobs), took)
        yield from results_of(jobs, outcomes, error)


@contextmanager
def _sheltered() -> Iterator[None]:
    """Start workers here: they inherit that Ctrl-C and SIGTERM are held back, and leave both to the
    parent.

    A terminal sends Ctrl-C to all of them; what comes meanwhile reaches the parent when the block
    is left. Where the system cannot hold signals back, a worker turns a deaf ear to Ctrl-C once it
    has started (`limits.settle`)."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end(pool: Any) -> None:
    """End the workers and what they have started, whatever state a signal or a death has left the
    pool in.

    loky's own thread may stumble over workers that die while it ends them; that is not news to the
    user, and what it could not end is ended here."""
    workers = list((pool._processes or {}).values())
    for worker in workers:
        if worker.is_alive():
            end_group(worker.pid)
    before, threading.excepthook = threading.excepthook, _to_the_log
    try:
        pool.shutdown(wait=True, kill_workers=True)
    finally:
        threading.excepthook = before
    for worker in workers:
        end_group(worker.pid)  # children of a worker that died before
        if worker.is_alive():
            os.kill(worker.pid, getattr(signal, "SIGKILL", signal.SIGTERM))


def _to_the_log(stumble: threading.ExceptHookArgs) -> None:
    log.debug("while the workers were ended: %s", stumble.exc_value)


def results_of(jobs: list[Job], outcomes: Any, error: BaseException | None) -> Results:
    """What a batch brought; an error outside the tasks themselves (they could not be sent, or read
    back) is their failure.
    """
    if error is None:
        yield from zip(jobs, outcomes, strict=True)
        return
    said = Outcome(
        "failed",
        error=(type(error).__name__, one_line(error), "".join(traceback.format_exception(error))),
    )
    for job in jobs:
        yield job, said


def _broken(future: Future[Any]) -> bool:
    if future.cancelled():
        return True
    return isinstance(future.exception(), BrokenProcessPool | CancelledError)


def _verdict(job: Job, scratch: Path, alone: bool) -> Outcome | None:
    """What to record of a task whose worker died: None where it may have been another's doing."""
    if alone:
        died = Outcome(
            "crashed", error=("WorkerDied", "its worker process died twice while running it", "")
        )
        return killed_by_limit(job, scratch) or died
    return killed_by_limit(job, scratch)


def killed_by_limit(job: Job, scratch: Path) -> Outcome | None:
    """The outcome of a task whose worker ended itself at the time limit, with the traceback it
    left; otherwise None.
    """
    trace = scratch / f"{job.key}.trace"
    said = trace.read_text(errors="replace") if trace.exists() else ""
    if not said.strip():
        return None
    text = f"took longer than {allowed(job.bounds)} in code that cannot be interrupted; its worker was ended"
    return Outcome("timeout", error=("OutOfTime", text, said))


def _clear(scratch: Path) -> None:
    for mark in scratch.iterdir():
        mark.unlink(missing_ok=True)


@contextmanager
def stopping() -> Iterator[None]:
    """Turn SIGINT and SIGTERM into `Interrupted`, so that workers are ended and the store is closed
    on the way out.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, _: object) -> None:
        for each in before:
            signal.signal(each, signal.SIG_IGN)
        name = signal.Signals(number).name
        raise Interrupted(f"stopped by {name}; what was done is in the store, run again to go on")

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
