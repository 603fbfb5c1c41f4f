"""Large tables in memory: what each line costs, beside what was asked. CPU seconds of one call,
warm.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from simulations.cpu_time import cpu
from simulations.tables import KINDS, frame, sphere, unif

from benchmarks.studies import in_flight, status_of
from deabench.analysis.frontier import frontier
from deabench.analysis.ranking import rank
from deabench.analysis.targets import targets
from deabench.errors import DataWarning, SolveError
from deabench.proofs.certify import certify
from deabench.results.ranking import Ranking


def shell(n: int, s: int) -> np.ndarray:
    """Points of which hardly one dominates another: mixtures of the metrics' corners, up to 2 %
    short of them.
    """
    rng = np.random.default_rng(0)
    return np.asarray(rng.dirichlet(np.ones(s), n) * rng.uniform(0.98, 1, (n, 1)))


def rankings(n: int) -> pd.DataFrame:
    """`rank` with weights, peers, slacks and proofs."""
    limits = {("unif", 5): 2.5, ("metrics", 5): 2.5, ("unif", 6): 5.0}
    rows = []
    for (kind, s), seconds in limits.items():
        rows.append(_ranked(f"rank, {kind}, s = {s}", KINDS[kind](n, s), seconds))
    rows.append(_ranked("rank, shell of a simplex, s = 4", shell(max(n // 10, 100), 4), 2.0))
    return pd.DataFrame(rows).set_index("what")


def _ranked(what: str, values: np.ndarray, asked: float) -> dict[str, Any]:
    table = frame(values)
    _quiet(partial(rank, frame(values[:300])))  # what is imported and compiled once
    spent, ranking = _quiet(partial(rank, table))
    assert isinstance(ranking, Ranking)
    return {
        "what": what,
        "n": len(values),
        "cpu_s": spent,
        "asked_s": asked,
        "certify_s": cpu(partial(certify, ranking))[0],
        "path": ranking.path,
    }


def frontiers(share: float) -> pd.DataFrame:
    """`frontier`, its faces, a comparison of many classifiers, and targets beyond six metrics."""
    angle = np.linspace(0, np.pi / 2, round(3000 * share) + 2)[1:-1]
    circle = frame(np.column_stack([np.sin(angle), np.cos(angle)]))
    ball = frontier(frame(sphere(round(1500 * share), 3)))
    cases: list[tuple[str, float, Callable[[], Any]]] = [
        ("frontier, points of a circle", 1.0, partial(frontier, circle)),
        ("Frontier.faces, sphere, s = 3", 1.0, lambda: ball.faces),
        (
            "frontier, shell of a simplex, s = 4",
            2.0,
            partial(frontier, frame(shell(round(100_000 * share), 4))),
        ),
        (
            "compare, 300 classifiers x 40 data sets",
            10.0,
            partial(_compared, round(300 * share) + 3),
        ),
    ]
    rows = [
        {"what": case, "cpu_s": _quiet(work)[0], "asked_s": limit} for case, limit, work in cases
    ]
    return pd.DataFrame(rows).set_index("what")


def _compared(classifiers: int) -> object:
    from deabench.compare import compare

    rng = np.random.default_rng(0)
    scores = (
        rng.uniform(0.6, 0.9, (40, 1))
        + rng.normal(0, 0.03, (40, classifiers))
        + np.linspace(0, 0.05, classifiers)
    )
    return compare(pd.DataFrame(scores, columns=[f"c{k}" for k in range(classifiers)]))


def limited(extreme: int, seconds: float) -> pd.DataFrame:
    """A target in ten metrics, all DMUs efficient, under a time limit: wall seconds, and what is
    proved by then.
    """
    table, inside = frame(sphere(extreme, 10)), frame(0.8 * unif(1, 10))
    start = time.monotonic()
    try:
        outcome = f"distance {targets(inside, table, time_limit=seconds).distance.iloc[0]:.4g}"
    except SolveError as error:
        outcome = str(error).split("; ")[1]
    spent = time.monotonic() - start
    return pd.DataFrame(
        {
            "what": ["a target in ten metrics"],
            "extreme": [extreme],
            "limit_s": [seconds],
            "wall_s": [spent],
            "said": [outcome],
        }
    ).set_index("what")


def command(n: int) -> pd.DataFrame:
    """`deabench rank` beside `rank` (asked: at most 1.5 times), from a CSV file to a CSV file, in
    this process.
    """
    from deabench.cli import main

    table = frame(KINDS["metrics"](n)).rename_axis("classifier")
    table.index, table.columns = (
        [f"c{k}" for k in range(n)],
        ["accuracy", "recall", "precision", "f1", "auc"],
    )
    _quiet(partial(rank, table.iloc[:300]))
    called, _ = _quiet(partial(rank, table))
    with TemporaryDirectory() as folder:
        path = Path(folder)
        table.rename_axis("classifier").to_csv(path / "in.csv")
        table.iloc[:300].rename_axis("classifier").to_csv(path / "few.csv")
        main(["rank", str(path / "few.csv"), "-o", str(path / "out.csv")])
        spent, _ = cpu(lambda: main(["rank", str(path / "in.csv"), "-o", str(path / "out.csv")]))
    return pd.DataFrame(
        {
            "what": ["deabench rank"],
            "n": [n],
            "cpu_s": [spent],
            "rank_s": [called],
            "times": [spent / called],
        }
    ).set_index("what")


def in_memory(quick: bool) -> Iterator[tuple[str, pd.DataFrame]]:
    """Each table with its title."""
    yield "Large tables in memory", rankings(2_000 if quick else 1_000_000)
    yield "Frontiers and comparisons", frontiers(0.02 if quick else 1.0)
    yield "Beyond six metrics", limited(*((12, 5.0) if quick else (300, 10.0)))
    yield "The command line", command(500 if quick else 1_000_000)
    yield "Studies", status_of(200 if quick else 1_000_000)
    yield "Studies on a cluster, simulated", in_flight(2_000 if quick else 200_000)


def _quiet(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds and the value, with warnings of weak data kept quiet."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return cpu(work)
