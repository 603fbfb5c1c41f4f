"""The kinds of tables that models are compared on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Generator = np.random.Generator


def _uniform(rng: Generator, n: int, count: int) -> np.ndarray:
    return rng.uniform(0.2, 1, (n, count)).round(int(rng.integers(2, 16)))


def _with_zeros(rng: Generator, n: int, count: int) -> np.ndarray:
    values = _uniform(rng, n, count)
    values[rng.random(values.shape) < 0.3] = 0.0
    return values


def _grid(rng: Generator, n: int, count: int) -> np.ndarray:
    return rng.integers(1, 4, (n, count)).astype(float)


def _duplicates(rng: Generator, n: int, count: int) -> np.ndarray:
    values = _uniform(rng, n, count)
    return values[rng.integers(0, max(n // 2, 1), n)]


def _constant(rng: Generator, n: int, count: int) -> np.ndarray:
    values = _uniform(rng, n, count)
    values[:, rng.integers(count)] = 0.5
    return values


def _collinear(rng: Generator, n: int, count: int) -> np.ndarray:
    direction = _grid(rng, 1, count)[0]
    return direction + np.outer(rng.integers(0, 5, n), rng.integers(-1, 2, count)) / 8


def _units(rng: Generator, n: int, count: int) -> np.ndarray:
    return _uniform(rng, n, count) * 10.0 ** rng.integers(-9, 10, count)


def _ranges(rng: Generator, n: int, count: int) -> np.ndarray:
    values = _uniform(rng, n, count)
    column = int(rng.integers(count))
    most = float(rng.integers(2, 13))
    values[:, column] = (10 ** rng.uniform(0, most, n)).round(3)
    values[rng.integers(n), column] = 10**most
    return values


def _leaderboard(rng: Generator, n: int, count: int) -> np.ndarray:
    values = _uniform(rng, n, count).round(3)
    values[:, -1] = np.round(10.0 ** rng.integers(1, 13, n) * rng.integers(1, 10, n))
    return values


def _noise(rng: Generator, n: int, count: int) -> np.ndarray:
    values = _grid(rng, n, count) / 4
    return values + 10.0 ** -rng.integers(6, 13) * rng.standard_normal(values.shape)


def _close(rng: Generator, n: int, count: int) -> np.ndarray:
    spread = 10.0 ** -int(rng.integers(2, 5))
    return (0.9 + spread * rng.standard_normal((n, count))).round(int(rng.integers(3, 6)))


def _integers(rng: Generator, n: int, count: int) -> np.ndarray:
    return np.floor(10 ** rng.uniform(0, 6, (n, count)))


def _one_row(rng: Generator, n: int, count: int) -> np.ndarray:  # noqa: ARG001 - called as all kinds are
    return _uniform(rng, 1, count)


def _one_metric(rng: Generator, n: int, count: int) -> np.ndarray:  # noqa: ARG001 - called as all kinds are
    return _uniform(rng, n, 1)


def _negative(rng: Generator, n: int, count: int) -> np.ndarray:
    return rng.normal(0, 1, (n, count)).round(3)


def _identical(rng: Generator, n: int, count: int) -> np.ndarray:
    return np.tile(_uniform(rng, 1, count), (n, 1))


def _twelve_decades(rng: Generator, n: int, count: int) -> np.ndarray:
    values = _uniform(rng, n, count)
    values[:, rng.integers(count)] = np.round(10 ** np.linspace(0, 12, n), 3)
    return values


def _near_multiple(rng: Generator, n: int, count: int) -> np.ndarray:
    # No decimals: between a float and a decimal that it rounds all would be lost.
    values = rng.uniform(0.2, 1, (n, count))
    factor = float(10.0 ** rng.integers(-3, 4)) * float(rng.uniform(1, 9))
    error = 10.0 ** -float(rng.integers(3, 14)) * rng.standard_normal(n)
    values[:, -1] = values[:, 0] * factor * (1 + error)
    return values


def _ties(rng: Generator, n: int, count: int) -> np.ndarray:
    return rng.integers(0, 3, (n, count)).astype(float) * 10.0 ** rng.integers(0, 6, count)


KINDS: dict[str, Callable[[Generator, int, int], np.ndarray]] = {
    "uniform": _uniform,
    "zeros": _with_zeros,
    "grid": _grid,
    "duplicates": _duplicates,
    "constant": _constant,
    "collinear": _collinear,
    "units": _units,
    "ranges": _ranges,
    "leaderboard": _leaderboard,
    "noise": _noise,
    "close": _close,
    "integers": _integers,
    "one row": _one_row,
    "one metric": _one_metric,
    "negative": _negative,
}
"""The kinds of tables: (rng, rows, metrics) to values."""
ONE_REFERENCE = "one reference"
"""The kind whose separate reference is one DMU."""
MORE_KINDS: dict[str, Callable[[Generator, int, int], np.ndarray]] = {
    "identical": _identical,
    "twelve decades": _twelve_decades,
    "near multiple": _near_multiple,
    "ties": _ties,
    ONE_REFERENCE: _uniform,
}
"""Kinds that came later: a seed of `KINDS` alone draws the same table as before."""
ALL_KINDS = KINDS | MORE_KINDS
