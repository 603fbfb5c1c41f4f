"""Tango's interval at 10,000 triples: the closed form against a plain inversion with SciPy's
brentq.

    python benchmarks/tango_intervals.py [REPEATS]

CPU time, the two interleaved, medians; the two must agree to 1e-9 and the ratio be at least 100
(exit 1 otherwise)."""

from __future__ import annotations

import math
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtri

from deabench import tango


def triples(rows: int = 10_000) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Half from sweeps along ROC curves, two fifths at random, a tenth on the boundary (b, c or
    both 0, b or c = n).
    """
    rng = np.random.default_rng(0)
    sweep = []
    while len(sweep) < rows // 2:
        positives, negatives = int(rng.integers(5, 200)), int(rng.integers(200, 2000))
        y = np.repeat([1, 0], [positives, negatives])
        y = y[np.argsort(-(rng.normal(size=len(y)) + 1.5 * y))]
        b, c = positives - np.cumsum(y), np.cumsum(1 - y)
        sweep += [(int(b[k]), int(c[k]), len(y)) for k in rng.integers(0, len(y), 50)]
    n = rng.integers(1, 5001, rows * 2 // 5)
    b = rng.integers(0, n + 1)
    c = rng.integers(0, n - b + 1)
    edge = [
        [(0, 0, m), (k, 0, m), (0, k, m), (m, 0, m), (0, m, m)][m % 5]
        for m in map(int, rng.integers(1, 5001, rows // 10))
        for k in [int(rng.integers(0, m + 1))]
    ]
    return tuple(np.array([*sweep[: rows // 2], *zip(b, c, n, strict=True), *edge]).T)  # type: ignore[return-value]  # of four columns


def inverted(b: float, c: float, n: float, z: float) -> tuple[float, float]:
    """Both limits by root-finding on Tango's statistic, in plain Python."""

    def T(delta: float) -> float:
        w = (2 * n - b + c) * delta - b - c
        q21 = (math.sqrt(max(0.0, w * w + 8 * n * c * delta * (1 - delta))) - w) / (4 * n)
        spread = n * (2 * q21 + delta * (1 - delta))
        gap = b - c - n * delta
        return gap / math.sqrt(spread) if spread > 0 else math.copysign(1e9, gap) if gap else 0.0

    d, hair = (b - c) / n, 1e-12
    lower = (
        -1.0
        if c == n
        else brentq(lambda x: T(x) - z, -1 + hair, max(d - hair, -1 + 2 * hair), xtol=1e-14)
    )
    upper = (
        1.0
        if b == n
        else brentq(lambda x: T(x) + z, min(d + hair, 1 - 2 * hair), 1 - hair, xtol=1e-14)
    )
    return float(lower), float(upper)


def main(repeats: int = 5) -> int:
    b, c, n = triples()
    z = -float(ndtri(0.025))
    methods: dict[str, Callable[[], object]] = {
        "deabench.tango.interval": lambda: tango.interval(b, c, n),
        "loop over scipy.optimize.brentq": lambda: [
            inverted(*triple, z) for triple in zip(*_floats(b, c, n), strict=True)
        ],
    }
    seconds: dict[str, list[float]] = {name: [] for name in methods}
    for _ in range(repeats):
        for name, method in methods.items():
            start = time.process_time()
            method()
            seconds[name].append(time.process_time() - start)
    median = {name: statistics.median(times) for name, times in seconds.items()}
    for name, value in median.items():
        sys.stdout.write(
            f"{name:<34} {value * 1e3:10.3f} ms for {len(n):,} triples (median of {repeats}, CPU)\n"
        )
    closed, loop = median.values()
    error = np.abs(
        np.array(tango.interval(b, c, n)).T
        - [inverted(*t, z) for t in zip(*_floats(b, c, n), strict=True)]
    )
    sys.stdout.write(f"ratio {loop / closed:.0f}, largest difference {error.max():.1e}\n")
    return int(loop / closed < 100 or error.max() > 1e-9)


def _floats(*arrays: np.ndarray) -> list[list[float]]:
    return [array.astype(float).tolist() for array in arrays]


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
