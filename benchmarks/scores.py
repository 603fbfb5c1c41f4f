"""Compare the time of efficiencies with rival libraries, as tables grow to a million DMUs."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from simulations.cpu_time import cpu, exponent, in_turns
from simulations.reference_solvers import PEERS, PLAIN, WHOLE
from simulations.tables import KINDS, frame

from deabench.analysis.ranking import rank
from deabench.errors import DataWarning
from deabench.models import WEI
from deabench.models.shared.radial_problems import WEIProblem
from deabench.results.answer import Task
from deabench.results.ranking import Ranking
from deabench.solver.engine import solve_family
from deabench.tables.selection import select_table
from deabench.tables.validation import validate
from deabench.utils.arrays import one_thread

WRONG = 1e-6
"""A score that is off by more than this is wrong; some peers round to six digits."""


def ranked(values: np.ndarray) -> Ranking:
    """`deabench.rank` as anyone calls it, with its warnings of weak data kept quiet."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return rank(frame(values))


def engine(values: np.ndarray) -> np.ndarray:
    """The scores by HiGHS alone: the symbolic template, the active set and shared bases, without
    Qhull and certificates.
    """
    data = validate(select_table(frame(values)), warn=False)
    problem = WEIProblem(Task(data, data, WEI(), own_reference=True))
    with one_thread(len(values)):
        solution = solve_family(problem.family, problem.tested)
    return np.asarray(problem.read(solution)[0] * problem.size)


def beside(kind: str, n: int, *, repeats: int, s: int = 5) -> pd.DataFrame:
    """deabench and every other way on one table: CPU time per DMU, ratios, and how well the scores
    agree.
    """
    values = KINDS[kind](n, s)
    solvers: dict[str, Callable[[], Any]] = {
        "deabench.rank": lambda: ranked(values),
        "deabench, HiGHS alone": lambda: engine(values),
    }
    tested_rows = {}
    for name, (solver, max_programs) in PLAIN.items():
        tested_rows[name] = _sample(n, int(max_programs / n))
        solvers[name] = partial(solver, values, tested_rows[name])
    for name in solvers:  # what is imported or compiled once is not measured
        solvers[name]() if name not in tested_rows else PLAIN[name][0](values[:20], np.arange(20))
    timed = in_turns(solvers, repeats)
    truth = timed["deabench.rank"][1].scores.to_numpy()
    rows = [
        _row(kind, n, "deabench.rank", timed["deabench.rank"][0], np.arange(n), truth, truth),
        _row(
            kind,
            n,
            "deabench, HiGHS alone",
            timed["deabench, HiGHS alone"][0],
            np.arange(n),
            timed["deabench, HiGHS alone"][1],
            truth,
        ),
    ]
    rows += [
        _row(kind, n, name, timed[name][0], rows_of_solver, timed[name][1], truth)
        for name, rows_of_solver in tested_rows.items()
    ]
    rows += [_peer(kind, values, name, truth) for name in PEERS]
    table = pd.DataFrame(rows).set_index("table")
    base, engine_time = table["us_per_dmu"].iloc[0], table["us_per_dmu"].iloc[1]
    table.insert(4, "x_rank", table["us_per_dmu"] / base)
    table.insert(5, "x_engine", table["us_per_dmu"] / engine_time)
    return table


def _peer(kind: str, values: np.ndarray, name: str, truth: np.ndarray) -> dict[str, Any]:
    solver, module, max_programs = PEERS[name]
    n = len(values)
    if not _installed(module):
        return _row(kind, n, name, np.nan, np.zeros(0, int), np.zeros(0), truth) | {
            "note": "not installed"
        }
    tested_rows = np.arange(n) if name in WHOLE else _sample(n, int(max_programs / n))
    if len(tested_rows) * n > 20 * max_programs:
        return _row(kind, n, name, np.nan, np.zeros(0, int), np.zeros(0), truth) | {
            "note": "left out: it would take hours"
        }
    try:
        solver(values[:20], np.arange(20))
        spent, scores = cpu(lambda: solver(values, tested_rows))
    except Exception as error:  # whatever a peer ends with is its result
        return _row(kind, n, name, np.nan, np.zeros(0, int), np.zeros(0), truth) | {
            "note": repr(error)[:60]
        }
    return _row(kind, n, name, spent, tested_rows, scores, truth)


def _row(
    kind: str,
    n: int,
    name: str,
    spent: float,
    who: np.ndarray,
    scores: np.ndarray,
    truth: np.ndarray,
) -> dict[str, Any]:
    off = np.abs(scores - truth[who])
    wrong = who[off > WRONG]
    return {
        "table": kind,
        "n": n,
        "way": name,
        "us_per_dmu": 1e6 * spent / max(len(who), 1),
        "timed": len(who),
        "max_difference": off.max(initial=0.0) if len(who) else np.nan,
        "note": ""
        if not len(wrong)
        else f"wrong: DMU {', '.join(map(str, wrong[:5]))}{' ...' if len(wrong) > 5 else ''} "
        f"({len(wrong)})",
    }


def _sample(n: int, count: int) -> np.ndarray:
    return (
        np.arange(n)
        if count >= n
        else np.sort(np.random.default_rng(1).choice(n, max(count, 5), replace=False))
    )


def _installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def growth(kind: str, sizes: list[int], *, repeats: int, s: int = 5) -> pd.DataFrame:
    """`deabench.rank`, and its solves by HiGHS alone, over n: CPU seconds, the path, and the
    exponents of the times in n.
    """
    rows = []
    for n in sizes:
        values = KINDS[kind](n, s)
        models: dict[str, Callable[[], Any]] = {
            "rank": partial(ranked, values),
            "alone": partial(engine, values),
        }
        timed = in_turns(models, repeats if n < 50_000 else 1)
        rows.append(
            {
                "table": kind,
                "n": n,
                "s": s,
                "cpu_s": timed["rank"][0],
                "path": timed["rank"][1].model.split(", ", 1)[1],
                "HiGHS_alone_s": timed["alone"][0],
            }
        )
    table = pd.DataFrame(rows)
    for column in ("cpu_s", "HiGHS_alone_s"):
        exponents = exponent(sizes, table[column].tolist()) if len(sizes) > 1 else np.nan
        table[f"exponent_of_{column}"] = exponents
    return table.set_index("table")


def wide(kind: str, n: int, counts: list[int]) -> pd.DataFrame:
    """`deabench.rank` over the number of metrics."""
    rows = []
    for s in counts:
        values = KINDS[kind](n, s)
        spent, ranking = cpu(partial(ranked, values))
        rows.append(
            {"table": kind, "n": n, "s": s, "cpu_s": spent, "path": ranking.model.split(", ", 1)[1]}
        )
    return pd.DataFrame(rows).set_index("table")


MEMORY = """
import sys, time
import scipy.spatial, deabench.models
from simulations.tables import KINDS
from simulations.cpu_time import peak
from benchmarks.scores import ranked
kind, n = sys.argv[1], int(sys.argv[2])
ranked(KINDS[kind](100)); before = peak(); values = KINDS[kind](n); start = time.process_time()
ranked(values); print(time.process_time() - start, peak() - before)
"""


def memory(kind: str, n: int) -> pd.DataFrame:
    """One call in a fresh process: CPU seconds, and its peak of memory above the imports (the table
    itself included).
    """
    stdout = subprocess.run(
        [sys.executable, "-c", MEMORY, kind, str(n)], capture_output=True, text=True, check=True
    ).stdout
    spent, mebibytes = map(float, stdout.split())
    return pd.DataFrame(
        {"table": [kind], "n": [n], "cpu_s": [spent], "MiB_above_imports": [mebibytes]}
    ).set_index("table")
