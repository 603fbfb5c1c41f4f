"""Run the missing tasks of a study on this machine, in joblib's (loky's) worker processes.

loky ends all its workers when one of them dies. So a run is a loop: the tasks of a dead worker are
run again one at a time, each in a new worker; a task whose worker dies a second time is recorded as
crashed, and the others go on. loky's executor is used without `joblib.Parallel` around it, which
gives up on the first dead worker, runs a single task inside the parent, where a hang cannot be
ended, and cannot end its workers on a signal.
"""

from __future__ import annotations

import logging
import os
import signal
import tempfile
import threading
import traceback
from collections import deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from joblib.externals.loky import ProcessPoolExecutor

from deabench.errors import DeabenchError
from deabench.study.data.columns import DataSpec
from deabench.study.data.dataset import Dataset
from deabench.study.data.shared import SharedDatasets, share_datasets
from deabench.study.running.limits import end_group, prepare_worker
from deabench.study.running.tasks import Outcome, describe_limits, run_batch, running_keys
from deabench.study.spec.tasks import Task
from deabench.utils.files import one_line

log = logging.getLogger(__name__)

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
)
WORKER_ENVIRONMENT = {**dict.fromkeys(THREAD_VARIABLES, "1"), "PYTHONHASHSEED": "6640"}
"""One thread, and the hashes of texts that Dask's workers have: sets of texts have one order."""
BATCH_SECONDS = 0.25
"""What a batch should take: long beside a message, short beside what a killed run loses."""
LARGEST_BATCH = 200

Results = Generator[tuple[Task, Outcome], None, None]


class Interrupted(DeabenchError):
    """Ctrl-C or SIGTERM ended the run; finished tasks are in the store."""


class TaskQueue:
    """Waiting tasks, cut into batches whose size follows the time of the last ones.

    A task is taken from the sequence when its batch is made: one that makes its tasks on access
    holds none that waits.

    Parameters
    ----------
    tasks : sequence of Task
    workers : int
    shared : SharedDatasets, optional
        Where the workers find the data sets; without, they read them themselves.
    """

    def __init__(
        self, tasks: Sequence[Task], workers: int, shared: SharedDatasets | None = None
    ) -> None:
        self.tasks = tasks
        self.workers = max(1, workers)
        self.shared = shared
        self.size = 1
        self._next_position = 0
        self._returned = deque[Task]()
        self._mean_seconds = 0.0

    def __len__(self) -> int:
        return len(self._returned) + len(self.tasks) - self._next_position

    def next_batch(self) -> list[Task]:
        """Return the next tasks; fewer near the end, so that all workers finish together."""
        # four batches for each worker are left, so that none waits long
        share = max(1, len(self) // (4 * self.workers))
        size = min(self.size, share, len(self))
        # returned tasks first
        batch = [self._returned.popleft() for _ in range(min(size, len(self._returned)))]
        first = self._next_position
        self._next_position += size - len(batch)
        new_tasks = [self.tasks[position] for position in range(first, self._next_position)]
        if self.shared is not None:
            new_tasks = [task.with_changes(data=self.shared.share(task.data)) for task in new_tasks]
        return batch + new_tasks

    def record_time(self, tasks: int, seconds: float) -> None:
        """Learn the size of the next batches from one that ended."""
        mean = max(seconds, 1e-6) / max(tasks, 1)
        # a moving mean, so that one slow batch does not decide alone
        if self._mean_seconds:
            self._mean_seconds = 0.7 * self._mean_seconds + 0.3 * mean
        else:
            self._mean_seconds = mean
        fitting = int(BATCH_SECONDS / max(self._mean_seconds, mean))
        # at most twice the last size: later tasks may be slower
        self.size = max(1, min(LARGEST_BATCH, 2 * self.size, fitting))

    def put_back(self, tasks: list[Task]) -> None:
        """Return tasks to the front of the queue."""
        self._returned.extendleft(reversed(tasks))


def run_locally(
    tasks: Sequence[Task], workers: int, datasets: Mapping[DataSpec, Dataset]
) -> Results:
    """Run tasks in worker processes; yield each with its outcome as it ends, in no fixed order.

    Leaving the generator early (an exception, `close`) ends the workers at once, with what they
    have started.
    """
    suspects = deque[Task]()
    with (
        tempfile.TemporaryDirectory(prefix="deabench-") as folder,
        share_datasets(datasets) as shared,
    ):
        scratch = Path(folder)
        queue = TaskQueue(tasks, workers, shared)
        while queue or suspects:
            # suspects of having killed a worker run last, one at a time
            single_suspect = not queue
            current = queue
            if single_suspect:
                current = TaskQueue([suspects.popleft()], 1)
            pool_size = min(workers, len(current))
            # tasks that were running when a worker died
            interrupted = yield from _run_pool(current, pool_size, scratch)
            for task in interrupted:
                outcome = timeout_outcome(task, scratch)
                if outcome is None and single_suspect:
                    text = "its worker process died twice while running it"
                    outcome = Outcome("crashed", error=("WorkerDied", text, ""))
                if outcome is not None:
                    yield task, outcome
                elif any(trace.stat().st_size for trace in scratch.glob("*.trace")):
                    # another task is known to have ended the pool
                    queue.put_back([task])
                else:
                    suspects.append(task)
            for mark in scratch.iterdir():
                mark.unlink(missing_ok=True)


Batches = dict[Future[tuple[list[Outcome], float]], list[Task]]


def _run_pool(
    queue: TaskQueue, workers: int, scratch: Path
) -> Generator[tuple[Task, Outcome], None, list[Task]]:
    """Run the queue until it is empty or a worker dies; return the tasks that were running then.

    Tasks that had been sent but had not begun, or whose results had not come back, go to the front
    of the queue.
    """
    pool = ProcessPoolExecutor(workers, env=WORKER_ENVIRONMENT, initializer=prepare_worker)
    batches: Batches = {}
    try:
        while queue or batches:
            _submit_batches(pool, queue, batches, 2 * workers, scratch)
            finished, _ = wait(batches, return_when=FIRST_COMPLETED)
            yield from _collect_results(queue, batches, finished)
            if any(_is_broken(future) for future in finished):
                # loky ends all workers: collect what had finished, sort out the rest
                wait(batches)
                yield from _collect_results(queue, batches, set(batches))
                unfinished = [task for batch in batches.values() for task in batch]
                running = running_keys(scratch)
                # no task had begun: one that cannot be read ends its worker, too
                if not running:
                    return unfinished
                queue.put_back([task for task in unfinished if task.key not in running])
                return [task for task in unfinished if task.key in running]
    finally:
        _end_pool(pool)
    return []


def _submit_batches(
    pool: Any, queue: TaskQueue, batches: Batches, max_batches: int, scratch: Path
) -> None:
    while queue and len(batches) < max_batches:
        batch = queue.next_batch()
        try:
            with _signals_blocked():
                future = pool.submit(run_batch, batch, str(scratch), group=True)
        except BrokenProcessPool:
            queue.put_back(batch)
            return
        batches[future] = batch


def _collect_results(queue: TaskQueue, batches: Batches, finished: set[Any]) -> Results:
    for future in [future for future in finished if not _is_broken(future)]:
        batch = batches.pop(future)
        error = future.exception()
        if error is not None:
            yield from failed_batch(batch, error)
            continue
        outcomes, seconds = future.result()
        queue.record_time(len(batch), seconds)
        yield from zip(batch, outcomes, strict=True)


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Start workers that inherit blocked SIGINT and SIGTERM, and leave both to the parent.

    A terminal sends Ctrl-C to all of them; a signal that comes meanwhile reaches the parent when
    the block is left. Where signals cannot be blocked, a worker ignores Ctrl-C once it has started
    (`limits.prepare_worker`).
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_pool(pool: Any) -> None:
    """End the workers and what they have started, in whatever state the pool is.

    loky's own thread may fail over workers that die while it ends them; that is only logged, and
    what it could not end is ended here.
    """
    # process groups first: the children of a worker outlive it otherwise
    workers = list((pool._processes or {}).values())
    for worker in workers:
        if worker.is_alive():
            end_group(worker.pid)
    before = threading.excepthook
    threading.excepthook = _log_exception
    try:
        pool.shutdown(wait=True, kill_workers=True)
    finally:
        threading.excepthook = before
    for worker in workers:
        end_group(worker.pid)  # children of a worker that died before
        if worker.is_alive():
            os.kill(worker.pid, getattr(signal, "SIGKILL", signal.SIGTERM))


def _log_exception(arguments: threading.ExceptHookArgs) -> None:
    log.debug("while the workers were ended: %s", arguments.exc_value)


def failed_batch(batch: list[Task], error: BaseException) -> Results:
    """Yield the failure of each task of a batch that could not be sent or read back."""
    text = "".join(traceback.format_exception(error))
    outcome = Outcome("failed", error=(type(error).__name__, one_line(error), text))
    for task in batch:
        yield task, outcome


def _is_broken(future: Future[Any]) -> bool:
    if future.cancelled():
        return True
    return isinstance(future.exception(), BrokenProcessPool | CancelledError)


def timeout_outcome(task: Task, scratch: Path) -> Outcome | None:
    """Return the outcome of a task whose worker ended itself at a time limit, else None.

    The worker left a traceback in the folder.
    """
    trace = scratch / f"{task.key}.trace"
    text = trace.read_text(errors="replace") if trace.exists() else ""
    if not text.strip():
        return None
    reason = (
        f"took longer than {describe_limits(task.limits)} in code that cannot be interrupted; its "
        "worker was ended"
    )
    return Outcome("timeout", error=("OutOfTime", reason, text))


@contextmanager
def stop_on_signals() -> Iterator[None]:
    """Turn SIGINT and SIGTERM into `Interrupted`: workers are ended and the store is closed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, _: object) -> None:
        # a second signal must not interrupt the clean-up
        for handled in before:
            signal.signal(handled, signal.SIG_IGN)
        name = signal.Signals(number).name
        raise Interrupted(f"stopped by {name}; what was done is in the store, run again to go on")

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
