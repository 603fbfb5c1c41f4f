"""CPU time, in turns."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of this process (all its threads), and what the work returns."""
    start = time.process_time()
    value = work()
    return time.process_time() - start, value


def in_turns(ways: Mapping[str, Callable[[], Any]], repeats: int) -> dict[str, tuple[float, Any]]:
    """The median CPU seconds of each way and its last value; the ways take turns, so that a busy machine is busy for all."""
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
