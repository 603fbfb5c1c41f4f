"""What a worker process does to be well behaved: a time limit on each task, no life after its parent.

Two limits, because one cannot do both: at the limit SIGALRM raises `OutOfTime` in Python code (in the main thread; in
another thread Python raises it at its next instruction); code that cannot be interrupted (a C loop that never returns,
with or without Python's lock) is ended a little later by faulthandler's watchdog, which needs no lock: it writes the
traceback and ends the process. The parent reads that traceback and records the task.
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
from contextlib import contextmanager, nullcontext
from pathlib import Path

GRACE = 2.0
"""Seconds between the limit that raises and the limit that ends the process."""


class OutOfTime(BaseException):
    """Not an Exception: a learner that catches those (GridSearchCV does) must not swallow it."""


@contextmanager
def time_limit(seconds: float, trace: Path | None) -> Iterator[None]:
    """Raise `OutOfTime` in the block after `seconds`; end the process `GRACE` seconds later, if that did not help.

    Parameters
    ----------
    seconds : float
        Of wall time; 0 means no limit.
    trace : Path or None
        Where faulthandler writes the traceback before it ends the process (None: standard error).
    """
    if not seconds:
        yield
        return
    with trace.open("w") if trace is not None else nullcontext(sys.stderr) as stream:
        faulthandler.dump_traceback_later(seconds + GRACE, exit=True, file=stream)
        stop = _alarm(seconds) if threading.current_thread() is threading.main_thread() else _interrupt(seconds)
        try:
            yield
        finally:
            stop()
            faulthandler.cancel_dump_traceback_later()


def _alarm(seconds: float) -> Callable[[], None]:
    def raise_it(*_: object) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, raise_it)
    signal.setitimer(signal.ITIMER_REAL, seconds)

    def stop() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

    return stop


def _interrupt(seconds: float) -> Callable[[], None]:
    """For a task that does not run in the main thread (Dask's do not): the exception is set from a timer's thread."""
    thread = threading.get_ident()
    lock = threading.Lock()
    over = False

    def raise_it() -> None:
        with lock:
            if not over:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(OutOfTime))

    timer = threading.Timer(seconds, raise_it)
    timer.daemon = True
    timer.start()

    def stop() -> None:
        nonlocal over
        timer.cancel()
        with lock:
            over = True

    return stop


_ready = False


def settle() -> None:
    """Once per worker process: see to it that it ends when its parent has gone."""
    global _ready
    if _ready:
        return
    _ready = True
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
