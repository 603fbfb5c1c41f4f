"""Measure `deabench.weightings`: whole calls, bounds beside their integer programs, memory."""

from __future__ import annotations

import itertools
import math
import resource
import time
from collections.abc import Iterator

import numpy as np
import pandas as pd
from simulations.weightings import compare_ways, coverage, search_of, settings

import deabench as db
from deabench.geometry.subdivision import Point, Subdivision

SIZES = ((30, 5), (100, 3), (100, 5), (300, 3), (300, 5))
"""Rows and metrics of whole calls."""
GRID = tuple((n, s) for n in (8, 30, 100, 300) for s in (2, 3, 4, 5, 6))
"""Rows and metrics of single bounds."""
MAX_VERTICES = 200_000
"""More vertices of an arrangement are not enumerated."""
NODES = 20_000
SECONDS = 5.0


def table(n: int, s: int, *, correlated: bool, seed: int = 0) -> pd.DataFrame:
    """Metrics with four decimals, uniform or with one skill behind all."""
    generator = np.random.default_rng(seed)
    if correlated:
        skill = 0.8 * generator.normal(size=(n, 1))
        values = 1 / (1 + np.exp(-(1 + skill + 0.6 * generator.normal(size=(n, s)))))
    else:
        values = generator.uniform(0.3, 1, (n, s))
    return pd.DataFrame(values.round(4), columns=[f"m{r}" for r in range(s)])


def whole_calls(sizes: tuple[tuple[int, int], ...] = SIZES) -> pd.DataFrame:
    """CPU seconds of whole calls, how many ends of intervals are not proved, and peak memory.

    A first call loads the solver and compiles formulations, which takes .2 s more.
    """
    first = table(8, 3, correlated=True)
    db.weightings(first, outputs=list(first))
    rows = []
    for n, s in sizes:
        for correlated in (True, False):
            data = table(n, s, correlated=correlated)
            started = time.process_time()
            ranks = db.weightings(data, outputs=list(data), time_limit=300).ranks
            seconds = time.process_time() - started
            open_ends = int((ranks["best"] != ranks["best_proved"]).sum())
            open_ends += int((ranks["worst"] != ranks["worst_proved"]).sum())
            rows.append(
                {
                    "table": f"{n} x {s}, {'correlated' if correlated else 'uniform'}",
                    "CPU s": seconds,
                    "ends": 2 * n,
                    "not proved": open_ends,
                    "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
                }
            )
    return pd.DataFrame(rows).set_index("table")


def enumerate_vertices(values: np.ndarray) -> int:
    """The fewest positive functions, at all vertices of their arrangement; ties up to rounding."""
    s = values.shape[1]
    planes = np.vstack([values, np.eye(s)])
    subsets = np.array(list(itertools.combinations(range(len(planes)), s - 1)))
    fewest = len(values)
    for chunk in np.array_split(subsets, max(len(subsets) // 20_000, 1)):
        systems = np.concatenate([planes[chunk], np.ones((len(chunk), 1, s))], axis=1)
        is_regular = np.abs(np.linalg.det(systems)) > 1e-12
        right = np.zeros((is_regular.sum(), s, 1))
        right[:, -1] = 1.0
        points = np.linalg.solve(systems[is_regular], right)[:, :, 0]
        points = points[(points >= -1e-12).all(axis=1)]
        fewest = min(fewest, int((points @ values.T > 1e-9).sum(axis=1).min(initial=fewest)))
    return fewest


def single_bounds(grid: tuple[tuple[int, int], ...] = GRID, bounds: int = 16) -> pd.DataFrame:
    """CPU milliseconds of a bound by subdivision, mixed-integer program and enumeration; means."""
    rows = []
    for n, s in grid:
        data = table(n, s, correlated=False)
        search = search_of(data)
        weights = np.random.default_rng(1).dirichlet(np.ones(s), 256)
        times = {"subdivision": 0.0, "MILP": 0.0, "enumeration": 0.0}
        unproved = {"subdivision": 0, "MILP": 0}
        for k in range(min(bounds // 2, n)):
            for sign in (1, -1):
                values = search.differences(k, sign)
                counts = (values @ weights.T > 0).sum(axis=0)
                start = Point(int(counts.min()), weights[counts.argmin()], np.ones(1))
                started = time.process_time()
                proof = Subdivision(values, search.cells, search.shares, start)
                proof.run(NODES)
                times["subdivision"] += time.process_time() - started
                unproved["subdivision"] += not proof.is_finished
                started = time.process_time()
                optimum = search.solve_milp(k, sign, values, SECONDS)
                spent = time.process_time() - started
                times["MILP"] += spent
                unproved["MILP"] += optimum is None or spent > 0.98 * SECONDS
                if math.comb(n - 1 + s, s - 1) <= MAX_VERTICES:
                    started = time.process_time()
                    fewest = enumerate_vertices(values)
                    times["enumeration"] += time.process_time() - started
                    # Between vertices fewer may be above only by rounding.
                    assert fewest <= proof.lower_bound or not proof.is_finished
                else:
                    times["enumeration"] = np.nan
        count = 2 * min(bounds // 2, n)
        rows.append(
            {
                "table": f"{n} x {s}",
                "subdivision, ms": 1e3 * times["subdivision"] / count,
                "MILP, ms": 1e3 * times["MILP"] / count,
                "enumeration, ms": 1e3 * times["enumeration"] / count,
                "subdivision, not proved": unproved["subdivision"],
                "MILP, not proved": unproved["MILP"],
            }
        )
    return pd.DataFrame(rows).set_index("table")


def limits(runs: int) -> pd.DataFrame:
    """Coverage of the limits under noise."""
    return pd.DataFrame(
        {name: coverage(*setting, runs=runs) for name, setting in settings().items()}
    ).T


def three_ways(tables: int) -> pd.DataFrame:
    """On how many tables of each kind all ways give the same ranks."""
    return compare_ways(tables)


def weightings(runs: int, quick: bool) -> Iterator[tuple[str, pd.DataFrame]]:
    """Each table with its title."""
    small = ((30, 5),)
    yield "Weightings, whole calls", whole_calls(small if quick else SIZES)
    yield "Weightings, one bound", single_bounds(small if quick else GRID)
    yield "Weightings, coverage of limits", limits(2 if quick else runs)
    yield "Weightings, three ways to the ranks", three_ways(8 if quick else 1000)
