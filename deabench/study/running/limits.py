"""Limit a task: wall time, CPU time, memory, and no child process of a learner outlives it.

Each time limit has two stages, because no single one can do both: at the limit `OutOfTime` is
raised in Python code (by a signal in the main thread; in another thread, and where the system has
no such signals, Python raises it at its next instruction); code that cannot be interrupted (a C
loop that never returns, with or without Python's lock) ends with its process a little later.
faulthandler writes the traceback then, without needing the lock: at the wall limit by its own
watchdog, at the CPU limit when a timer sends SIGPROF. The parent reads that traceback and records
the task.
"""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any, TextIO

from deabench.errors import DataError

try:
    import resource as _resource
except ImportError:  # Windows
    _resource = None  # type: ignore[assignment]  # a module elsewhere

resource: Any = _resource

GRACE = 2.0
"""Seconds between the limit that raises and the limit that ends the process."""

Stop = Callable[[], None]


class OutOfTime(BaseException):
    """Not an Exception: a learner that catches those (GridSearchCV does) must not swallow it."""


@contextmanager
def enforce_limits(
    trace: Path | None, *, wall: float = 0.0, cpu: float = 0.0, memory: float = 0.0
) -> Iterator[None]:
    """Raise `OutOfTime` in the block at a limit, and end the process `GRACE` seconds later.

    Parameters
    ----------
    trace : Path or None
        Where faulthandler writes the traceback before the process ends (None: standard error).
    wall, cpu : float
        Seconds of wall time, seconds of the process's CPU time; 0 means no limit.
    memory : float
        Megabytes that the block may take beyond what the process has; `MemoryError` is raised in
        it. 0 means no limit.
    """
    with ExitStack() as stack:
        if wall or cpu:
            stream = stack.enter_context(
                trace.open("w") if trace is not None else nullcontext(sys.stderr)
            )
            # each limit is undone on leaving the block, the last one first
            if wall:
                stack.callback(_limit_wall_time(wall, stream))
            if cpu:
                stack.callback(_limit_cpu_time(cpu, stream))
        if memory:
            stack.callback(_limit_memory(memory))
        yield


def _limit_wall_time(seconds: float, stream: TextIO) -> Stop:
    # second stage: faulthandler's own thread ends the process without Python's lock
    faulthandler.dump_traceback_later(seconds + GRACE, exit=True, file=stream)
    if _can_use_signal("SIGALRM"):
        cancel_exception = _raise_by_signal("ITIMER_REAL", "SIGALRM", seconds)
    else:
        cancel_exception = _raise_by_thread(seconds, time.monotonic)

    return lambda: _call_both(cancel_exception, faulthandler.cancel_dump_traceback_later)


def _limit_cpu_time(seconds: float, stream: TextIO) -> Stop:
    if _can_use_signal("SIGVTALRM"):
        # this timer leaves the system's time out: what it misses the second stage ends
        cancel_exception = _raise_by_signal("ITIMER_VIRTUAL", "SIGVTALRM", seconds)
    else:
        cancel_exception = _raise_by_thread(seconds, time.process_time)
    cancel_end = _end_process_by_signal(seconds + GRACE, stream)
    return lambda: _call_both(cancel_exception, cancel_end)


def _call_both(cancel_exception: Stop, cancel_end: Stop) -> None:
    """Undo both stages of a limit, also where the exception is raised while they are undone."""
    try:
        cancel_exception()
    finally:
        cancel_end()


def _end_process_by_signal(seconds: float, stream: TextIO) -> Stop:
    """Let a signal end the process, with a traceback; without such signals a thread does.

    The timer counts from now, all threads, with the system's time. RLIMIT_CPU counts from the start
    of the process, in clock ticks that drift from `time.process_time` by seconds in a worker that
    has run for minutes.
    """
    if not hasattr(signal, "setitimer") or not hasattr(signal, "SIGPROF"):
        return _end_process_by_thread(seconds, stream)
    # after the traceback the signal does what it does by default: it ends the process
    faulthandler.register(signal.SIGPROF, file=stream, all_threads=True, chain=True)
    signal.setitimer(signal.ITIMER_PROF, seconds)

    def stop() -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        faulthandler.unregister(signal.SIGPROF)

    return stop


def _end_process_by_thread(seconds: float, stream: TextIO) -> Stop:
    stopped = threading.Event()
    deadline = time.process_time() + seconds

    def watch() -> None:
        while not stopped.wait(0.2):
            if time.process_time() > deadline:
                faulthandler.dump_traceback(file=stream)
                os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    return stopped.set


def _can_use_signal(name: str) -> bool:
    """Whether the limit can be a signal: only in the main thread, and not on every system."""
    return (
        hasattr(signal, "setitimer")
        and hasattr(signal, name)
        and threading.current_thread() is threading.main_thread()
    )


def _raise_by_signal(timer_name: str, signal_name: str, seconds: float) -> Stop:
    def raise_out_of_time(*_: object) -> None:
        raise OutOfTime

    number = getattr(signal, signal_name)
    timer = getattr(signal, timer_name)
    # the handler that was there returns when the block ends
    before = signal.signal(number, raise_out_of_time)
    signal.setitimer(timer, seconds)

    def stop() -> None:
        signal.setitimer(timer, 0)
        signal.signal(number, before)

    return stop


def _raise_by_thread(seconds: float, clock: Callable[[], float]) -> Stop:
    """Set the exception from a thread that looks at the clock, where no signal can."""
    thread = threading.get_ident()
    deadline = clock() + seconds
    lock = threading.Lock()
    stopped = threading.Event()

    def watch() -> None:
        while not stopped.wait(max(0.005, min(0.1, deadline - clock()))):
            # under the lock: no exception is set once `stop` has returned
            with lock:
                if clock() >= deadline and not stopped.is_set():
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(
                        ctypes.c_ulong(thread), ctypes.py_object(OutOfTime)
                    )
                    return

    threading.Thread(target=watch, daemon=True).start()

    def stop() -> None:
        with lock:
            stopped.set()

    return stop


def cpu_seconds() -> float:
    """Return the CPU time of this process and of its children that have ended."""
    seconds = time.process_time()
    if resource is not None:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds += children.ru_utime + children.ru_stime
    return seconds


def memory_can_be_limited() -> bool:
    """Whether this system lets a process limit its own memory (Windows does not)."""
    return hasattr(resource, "RLIMIT_AS") and Path("/proc/self/statm").exists()


def _limit_memory(megabytes: float) -> Stop:
    if not memory_can_be_limited():
        raise DataError(
            "memory_limit cannot be kept on this system, which has no limits of a process's "
            "memory; leave it out"
        )
    before = resource.getrlimit(resource.RLIMIT_AS)
    # the limit is on the address space: it starts from what the process has
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + int(megabytes * 1e6)
    if before[1] >= 0:  # a negative one is none
        limit = min(limit, before[1])
    resource.setrlimit(resource.RLIMIT_AS, (limit, before[1]))
    return lambda: resource.setrlimit(resource.RLIMIT_AS, before)


_worker_is_prepared = False


def prepare_worker(*, group: bool = True) -> None:
    """Prepare a worker process, once: it ends with its parent, and its children end with it.

    Parameters
    ----------
    group : bool
        Whether the worker leads a process group, so that what it started can be ended with it.
    """
    global _worker_is_prepared
    if _worker_is_prepared:
        return
    _worker_is_prepared = True
    # a group of its own, so that its children can be ended with it
    if group and hasattr(os, "setpgid") and os.getpgrp() != os.getpid():
        os.setpgid(0, 0)
    if group and threading.current_thread() is threading.main_thread():
        # Ctrl-C is for the parent, which ends the workers
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, args=(os.getppid(), group), daemon=True).start()


def _end_with_parent(parent: int, group: bool) -> None:
    # a parent that was killed cannot end its workers
    while _is_running(parent):
        time.sleep(0.5)
    if group:
        end_group(os.getpid())
    os._exit(1)


def _is_running(parent: int) -> bool:
    """Whether the parent still runs; on Windows its number stays, so that the system must tell."""
    if sys.platform != "win32":
        return os.getppid() == parent
    kernel = ctypes.windll.kernel32
    handle = kernel.OpenProcess(0x00100000, False, parent)  # SYNCHRONIZE
    if not handle:
        return False
    ended = kernel.WaitForSingleObject(handle, 0) == 0
    kernel.CloseHandle(handle)
    return not ended


def end_group(leader: int) -> None:
    """End a worker with all that it started, where the system has process groups."""
    if not hasattr(os, "killpg") or not hasattr(signal, "SIGKILL"):
        return
    # never the group of this process, unless this process leads it
    if leader in (0, 1) or (leader == os.getpgrp() and leader != os.getpid()):
        return
    try:
        os.killpg(leader, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def child_processes() -> set[int]:
    """Return the running children of this process; none where the system does not tell."""
    children: set[int] = set()
    if hasattr(os, "waitid"):
        try:
            # takes nothing away, and finds quickly that there is none
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return children
    try:
        for thread in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{thread}/children") as stream:
                children.update(map(int, stream.read().split()))
    except OSError:  # no /proc here, or a thread that has just ended
        return children
    return children


def end_children(before: set[int]) -> None:
    """End the processes that a task has started and left running.

    A learner's pool of joblib is closed first: it would miss its workers.
    """
    # what was there before the task, and what serves the worker, stays
    remaining = child_processes() - before - _resource_trackers()
    if not remaining:
        return
    pools = sys.modules.get("joblib.externals.loky.reusable_executor")
    if pools is not None and getattr(pools, "_executor", None) is not None:
        pools._executor.shutdown(wait=True, kill_workers=True)
    for pid in remaining:
        try:
            os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))
            os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError, PermissionError):
            continue


def _resource_trackers() -> set[int]:
    """Return Python's and joblib's trackers of shared memory, which end with the worker."""
    names = ("multiprocessing.resource_tracker", "joblib.externals.loky.backend.resource_tracker")
    trackers = [
        getattr(getattr(sys.modules.get(name), "_resource_tracker", None), "_pid", None)
        for name in names
    ]
    return {pid for pid in trackers if pid}
