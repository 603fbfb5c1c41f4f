"""CPU time, in turns."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of this process (all its threads, and the solvers that it starts), and what the
    work returns.
    """
    start = _spent()
    value = work()
    return _spent() - start, value


def _spent() -> float:
    spent = os.times()
    return spent.children_user + spent.children_system + time.process_time()


def peak() -> float:
    """The most memory that this process has held, in MiB."""
    status = Path("/proc/self/status")
    if status.exists():  # getrusage counts what the parent held before this process was its own
        return (
            next(
                int(line.split()[1])
                for line in status.read_text().splitlines()
                if line.startswith("VmHWM")
            )
            / 1024
        )
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1 << 20 if sys.platform == "darwin" else 1 << 10
    )


def in_turns(ways: Mapping[str, Callable[[], Any]], repeats: int) -> dict[str, tuple[float, Any]]:
    """The median CPU seconds of each way and its last value; the ways take turns, so that a busy
    machine is busy for all.
    """
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    values: dict[str, Any] = {}
    for _ in range(repeats):
        for name, work in ways.items():
            spent, values[name] = cpu(work)
            seconds[name].append(spent)
    return {name: (statistics.median(seconds[name]), values[name]) for name in ways}


def exponent(sizes: list[int], seconds: list[float]) -> float:
    """The slope of log time over log size, by least squares."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
