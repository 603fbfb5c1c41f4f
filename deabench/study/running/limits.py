"""The limits of a task: wall time, CPU time, memory, and no child of a learner that outlives it.

Two means for each time, because one cannot do both: at the limit `OutOfTime` is raised in Python
code (by a signal in the main thread; in another thread, and where the system has no such signals,
Python raises it at its next instruction); code that cannot be interrupted (a C loop that never
returns, with or without Python's lock) ends with its process a little later. faulthandler writes
the traceback then, without needing the lock: at the wall limit by its own watchdog, at the CPU
limit where the kernel sends SIGXCPU. The parent reads that traceback and records the task."""

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
from typing import TextIO

from deabench.errors import DataError

GRACE = 2.0
"""Seconds between the limit that raises and the limit that ends the process."""

Stop = Callable[[], None]


class OutOfTime(BaseException):
    """Not an Exception: a learner that catches those (GridSearchCV does) must not swallow it."""


@contextmanager
def limits(
    trace: Path | None, *, wall: float = 0.0, cpu: float = 0.0, memory: float = 0.0
) -> Iterator[None]:
    """Raise `OutOfTime` in the block after so many seconds, end the process `GRACE` later if that
    did not help.

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
            for start, seconds in ((_wall, wall), (_cpu, cpu)):
                if seconds:
                    stack.callback(start(seconds, stream))
        if memory:
            stack.callback(_memory(memory))
        yield


def _wall(seconds: float, stream: TextIO) -> Stop:
    faulthandler.dump_traceback_later(seconds + GRACE, exit=True, file=stream)
    stop = (
        _alarm("ITIMER_REAL", "SIGALRM", seconds)
        if _signals("SIGALRM")
        else _interrupt(seconds, time.monotonic)
    )

    def both() -> None:
        stop()
        faulthandler.cancel_dump_traceback_later()

    return both


def _cpu(seconds: float, stream: TextIO) -> Stop:
    stop = (
        _alarm("ITIMER_PROF", "SIGPROF", seconds)
        if _signals("SIGPROF")
        else _interrupt(seconds, time.process_time)
    )
    undo = _cpu_watchdog(seconds, stream)

    def both() -> None:
        stop()
        undo()

    return both


def _cpu_watchdog(seconds: float, stream: TextIO) -> Stop:
    """The kernel ends the process, with a traceback; where it cannot, a thread of the process does."""
    try:
        import resource
    except ImportError:
        return _end_after(seconds + GRACE, stream)
    before = resource.getrlimit(resource.RLIMIT_CPU)
    faulthandler.register(signal.SIGXCPU, file=stream, all_threads=True, chain=True)
    resource.setrlimit(
        resource.RLIMIT_CPU, (int(time.process_time() + seconds + GRACE) + 1, before[1])
    )

    def undo() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, before)
        faulthandler.unregister(signal.SIGXCPU)

    return undo


def _end_after(seconds: float, stream: TextIO) -> Stop:
    over = threading.Event()
    until = time.process_time() + seconds

    def watch() -> None:
        while not over.wait(0.2):
            if time.process_time() > until:
                faulthandler.dump_traceback(file=stream)
                os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    return over.set


def _signals(name: str) -> bool:
    """Whether the limit can be a signal: only in the main thread, and not on every system."""
    return (
        hasattr(signal, "setitimer")
        and hasattr(signal, name)
        and threading.current_thread() is threading.main_thread()
    )


def _alarm(timer: str, name: str, seconds: float) -> Stop:
    def raise_it(*_: object) -> None:
        raise OutOfTime

    number, which = getattr(signal, name), getattr(signal, timer)
    before = signal.signal(number, raise_it)
    signal.setitimer(which, seconds)

    def stop() -> None:
        signal.setitimer(which, 0)
        signal.signal(number, before)

    return stop


def _interrupt(seconds: float, clock: Callable[[], float]) -> Stop:
    """Without a signal the exception is set from a thread that looks at the clock."""
    thread, until = threading.get_ident(), clock() + seconds
    lock, over = threading.Lock(), threading.Event()

    def watch() -> None:
        while not over.wait(max(0.005, min(0.1, until - clock()))):
            with lock:
                if clock() >= until and not over.is_set():
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(
                        ctypes.c_ulong(thread), ctypes.py_object(OutOfTime)
                    )
                    return

    threading.Thread(target=watch, daemon=True).start()

    def stop() -> None:
        with lock:
            over.set()

    return stop


def memory_can_be_limited() -> bool:
    """Whether this system lets a process limit its own memory (Windows does not)."""
    try:
        import resource
    except ImportError:
        return False
    return hasattr(resource, "RLIMIT_AS") and Path("/proc/self/statm").exists()


def _memory(megabytes: float) -> Stop:
    if not memory_can_be_limited():
        raise DataError(
            "memory_limit cannot be kept on this system, which has no limits of a process's memory; leave it out"
        )
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    most = taken + int(megabytes * 1e6)
    resource.setrlimit(
        resource.RLIMIT_AS, (most if before[1] < 0 else min(most, before[1]), before[1])
    )
    return lambda: resource.setrlimit(resource.RLIMIT_AS, before)


_ready = False


def settle(*, group: bool = True) -> None:
    """Once per worker process: see to it that it ends when its parent has gone, with its own
    children.

    Parameters
    ----------
    group : bool
        Whether the worker leads a process group of its own, so that what it started can be ended
        with it.
    """
    global _ready
    if _ready:
        return
    _ready = True
    if group and hasattr(os, "setpgid") and os.getpgrp() != os.getpid():
        os.setpgid(0, 0)
    if group and threading.current_thread() is threading.main_thread():
        signal.signal(
            signal.SIGINT, signal.SIG_IGN
        )  # Ctrl-C is the parent's, which ends the workers
    threading.Thread(target=_end_with, args=(os.getppid(), group), daemon=True).start()


def _end_with(parent: int, group: bool) -> None:
    while _lives(parent):
        time.sleep(0.5)
    if group:
        end_group(os.getpid())
    os._exit(1)


def _lives(parent: int) -> bool:
    """Whether the parent is still there; on Windows its number stays, so the system is asked for
    it.
    """
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
    try:
        if leader not in (0, 1) and (leader != os.getpgrp() or leader == os.getpid()):
            os.killpg(leader, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def children() -> set[int]:
    """The processes that this one has started and that still run; empty where the system does not
    tell.
    """
    found: set[int] = set()
    if hasattr(os, "waitid"):
        try:
            os.waitid(
                os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT
            )  # takes nothing away, and is quick to say "none"
        except ChildProcessError:
            return found
    try:
        for thread in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{thread}/children") as stream:
                found.update(map(int, stream.read().split()))
    except OSError:  # no /proc here, or a thread that has just ended
        return found
    return found


def end_children(before: set[int]) -> None:
    """End what a task has started and left behind; a learner's own pool is closed first, as it
    would miss its workers.
    """
    if not (left := children() - before - _trackers()):
        return
    pools = sys.modules.get("joblib.externals.loky.reusable_executor")
    if pools is not None and getattr(pools, "_executor", None) is not None:
        pools._executor.shutdown(wait=True, kill_workers=True)
    for pid in left:
        try:
            os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))
            os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError, PermissionError):
            continue


def _trackers() -> set[int]:
    """Python's and joblib's own watchers of shared memory: they serve the worker, and end with it."""
    names = ("multiprocessing.resource_tracker", "joblib.externals.loky.backend.resource_tracker")
    found = [
        getattr(getattr(sys.modules.get(name), "_resource_tracker", None), "_pid", None)
        for name in names
    ]
    return {pid for pid in found if pid}
