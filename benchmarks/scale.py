"""Tables beyond memory: one pass and two over generated files, in a process of its own each, and
workers of a cluster.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

FILE = 1 << 22
"""Rows of a file."""
METRICS = ("TPR", "TNR", "AUC", "F1")
Draw = Callable[[np.random.Generator, int, int], np.ndarray]


def logistic(rng: np.random.Generator, n: int, s: int) -> np.ndarray:
    """Correlated metrics: one skill behind all of them."""
    return np.asarray(1.0 / (1.0 + np.exp(-(rng.normal(size=(n, 1)) + rng.normal(size=(n, s))))))


def independent(rng: np.random.Generator, n: int, s: int) -> np.ndarray:
    """Metrics that know nothing of each other."""
    return rng.uniform(0.3, 1.0, (n, s))


def simplex(rng: np.random.Generator, n: int, s: int) -> np.ndarray:
    """The outermost 2 % of a simplex: nearly nobody dominates anybody."""
    share = rng.exponential(size=(n, s))
    return np.asarray(
        share / share.sum(axis=1, keepdims=True) * (1.0 - 0.02 * rng.uniform(size=(n, 1)))
    )


def sphere(rng: np.random.Generator, n: int, s: int) -> np.ndarray:
    """The outermost 2 % of a ball: a large part of all is extreme."""
    direction = np.abs(rng.normal(size=(n, s)))
    return np.asarray(
        direction
        / np.linalg.norm(direction, axis=1, keepdims=True)
        * (1.0 - 0.02 * rng.uniform(size=(n, 1)))
    )


DRAWS: dict[str, Draw] = {
    "logistic": logistic,
    "independent": independent,
    "simplex": simplex,
    "sphere": sphere,
}


def files(folder: Path, kind: str, n: int, each: int = FILE) -> Path:
    """`n` rows of four metrics in Parquet files of `each` rows, drawn in pieces."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    schema = pa.schema([("model", pa.string()), *((name, pa.float64()) for name in METRICS)])
    for number, start in enumerate(range(0, n, each)):
        with pq.ParquetWriter(
            folder / f"{kind}-{number:03}.parquet", schema, use_dictionary=["model"]
        ) as writer:
            for low in range(start, min(start + each, n), 1 << 20):
                rows = min(1 << 20, min(start + each, n) - low)
                values = DRAWS[kind](rng, rows, len(METRICS))
                model = pa.array([f"model {k}" for k in range(50)]).take(
                    pa.array(np.arange(low, low + rows) % 50)
                )
                writer.write_table(
                    pa.table([model, *map(pa.array, values.T.copy())], schema=schema)
                )
    return folder


ONE_PASS = """
import sys, time
import scipy.spatial, scipy.optimize, pyarrow.parquet, deabench as db, deabench.streaming.rank_files
from simulations.cpu_time import peak
folder, tolerance, out = sys.argv[1], float(sys.argv[2]), sys.argv[3]
given = {"outputs": ["TPR", "TNR", "AUC", "F1"], "tolerance": tolerance}
before, start = peak(), time.process_time()
front = db.frontier(folder, **given) if not out else db.rank_files(folder, out, **given).frontier
seconds, memory = time.process_time() - start, peak() - before
facets = len(front.facets) if front.precomputed_hull else 0
print(seconds, memory, len(front.extreme), facets)
"""


def passed(folder: Path, tolerance: float = 0.0, out: str = "") -> dict[str, float]:
    """CPU seconds and memory above the imports of a frontier of files, or of the scores too, in a
    fresh process.
    """
    command = [sys.executable, "-c", ONE_PASS, str(folder), str(tolerance), out]
    completed = subprocess.run(command, capture_output=True, text=True, check=True)
    cpu, memory, extreme, facets = map(float, completed.stdout.split())
    return {"cpu_s": cpu, "MiB_above_imports": memory, "extreme": extreme, "facets": facets}


def one_pass(quick: bool) -> pd.DataFrame:
    """Frontiers of files, beside what was asked; one data set of files at a time is on the disk."""
    cases = [
        ("logistic", 100_000_000, 0.0, 20.0, 256.0),
        ("independent", 20_000_000, 0.0, np.nan, np.nan),
        ("simplex", 20_000_000, 0.0, 40.0, np.nan),
        ("sphere", 20_000_000, 0.01, np.nan, np.nan),
    ]
    rows = []
    for kind, n, tolerance, seconds, memory in cases:
        n = 20_000 if quick else n
        with TemporaryDirectory(prefix="deabench-") as folder:
            measured = passed(files(Path(folder), kind, n), tolerance)
        rows.append(
            {
                "data": kind,
                "rows": n,
                "tolerance": tolerance,
                "asked_cpu_s": seconds,
                "asked_MiB": memory,
                **measured,
            }
        )
    return pd.DataFrame(rows).set_index("data")


def two_passes(quick: bool) -> pd.DataFrame:
    """The frontier and all scores, proved and written."""
    n = 20_000 if quick else 10_000_000
    with (
        TemporaryDirectory(prefix="deabench-") as folder,
        TemporaryDirectory(prefix="deabench-") as out,
    ):
        measured = passed(files(Path(folder), "logistic", n), out=f"{out}/scores.parquet")
    return pd.DataFrame([{"data": "logistic", "rows": n, **measured}]).set_index("data")


def workers(quick: bool) -> pd.DataFrame:
    """Wall seconds of one and of two Dask workers of one thread over the same files, in turns; the
    better of two turns.
    """
    from distributed import Client, LocalCluster

    import deabench as db
    from deabench.streaming.files import PARTITION_ROWS

    n, counts = 20_000 if quick else 8 * PARTITION_ROWS, (1, 2)
    best = dict.fromkeys(counts, np.inf)
    with TemporaryDirectory(prefix="deabench-") as folder:
        files(Path(folder), "independent", n, 5_000 if quick else PARTITION_ROWS)
        for _ in range(1 if quick else 2):
            for count in counts:
                with (
                    LocalCluster(
                        n_workers=count,
                        threads_per_worker=1,
                        host="127.0.0.1",
                        dashboard_address=None,
                    ) as cluster,
                    Client(cluster) as client,
                ):
                    client.run(_warm)
                    start = time.perf_counter()
                    db.frontier(folder, outputs=METRICS, scheduler=cluster.scheduler_address)
                    best[count] = min(best[count], time.perf_counter() - start)
    return pd.DataFrame(
        [
            {
                "workers": count,
                "rows": n,
                "wall_s": best[count],
                "times_as_fast": best[1] / best[count],
                "asked": 1.6 if count == 2 else np.nan,
            }
            for count in counts
        ]
    ).set_index("workers")


def _warm() -> None:
    """What a worker imports once."""
    for name in ("pyarrow.parquet", "scipy.spatial", "deabench.streaming.rank_files"):
        import_module(name)


def scale(quick: bool) -> Iterator[tuple[str, pd.DataFrame]]:
    """Each table with its title."""
    yield "Files: their frontier in one pass", one_pass(quick)
    yield "Files: frontier and scores, proved and written", two_passes(quick)
    yield "Files: workers of a cluster", workers(quick)
