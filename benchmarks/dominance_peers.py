"""False verdicts and power of other packages on the same simulated answers.

`pip install evalstats honestboard autorank` first; a package that is missing is left out. Each is
asked in its own words who is worse than some other: honestboard which systems its exact frontier
set leaves out (at equal costs), evalstats which pairs differ after its correction (in every metric
at once where there are several), autorank which mean ranks or means are apart.
"""

from __future__ import annotations

import contextlib
import io
import time
import warnings
import zlib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from simulations.decisions import outcomes, standard_error, with_first
from simulations.verdict_cells import measure_runs

import deabench as db
from deabench.inference.decisions.finished_samples import play_samples

Array = np.ndarray
Judge = Callable[[Array], Array]
"""From outcomes (n, k, s) of the same instances to who is called dominated, bool (k,)."""

CELLS: dict[str, tuple[Array, float, int]] = {
    "tied .8, k=5, s=1": (np.full((5, 1), 0.8), 0.5, 200),
    "tied .8, k=5, s=2": (np.full((5, 2), 0.8), 0.5, 200),
    ".9 v .8, k=10, s=1": (with_first(0.9, 0.8, 10, 1), 0.5, 200),
    ".9 v .8, k=10, s=2": (with_first(0.9, 0.8, 10, 2), 0.5, 200),
    "best is a mix, k=3, s=2": (np.array([[0.95, 0.6], [0.6, 0.95], [0.68, 0.68]]), 0.5, 400),
}


def names_of(values: Array) -> list[str]:
    """One name for each classifier."""
    return [f"c{i}" for i in range(values.shape[1])]


def samples_of(values: Array) -> db.Samples:
    """Samples of outcomes of shared instances."""
    frames = {
        f"m{r}": pd.DataFrame(values[:, :, r], columns=names_of(values))
        for r in range(values.shape[2])
    }
    return db.Samples.from_outcomes(frames, shared=True)


def judge_learned(values: Array) -> Array:
    """Verdicts of `db.uncertainty`."""
    return np.asarray(db.uncertainty(samples_of(values)).verdicts == "dominated")


def judge_anytime(values: Array) -> Array:
    """Verdicts at any time."""
    played = play_samples(samples_of(values), [f"m{r}" for r in range(values.shape[2])], 0.95, 0)
    return np.asarray(played.verdicts == "dominated")


def judge_honestboard(values: Array) -> Array:
    """Systems that the exact frontier set at equal costs leaves out; for one metric."""
    import honestboard

    names = names_of(values)
    board = honestboard.Board(names, values[:, :, 0].T)
    answer = honestboard.exact_frontier_set(board, dict.fromkeys(names, 1.0), draws=5000)
    # The joint set keeps all systems of the frontier at once.
    return np.array([name not in answer["frontier_set_exact_joint"] for name in names])


def judge_evalstats(values: Array) -> Array:
    """Whoever is worse than one other in every metric, with p values corrected for all pairs."""
    import evalstats

    k = values.shape[1]
    beaten = np.ones((k, k), dtype=bool)
    for r in range(values.shape[2]):
        answer = evalstats.all_pairwise(
            values[:, :, r].T, names_of(values), n_bootstrap=1000, rng=np.random.default_rng(0)
        )
        worse = np.zeros((k, k), dtype=bool)
        for (a, b), pair in answer.results.items():
            i = int(a[1:])
            j = int(b[1:])
            if pair.p_value < 0.05:
                worse[i, j] = pair.point_diff < 0
                worse[j, i] = pair.point_diff > 0
        beaten &= worse
    return np.asarray(beaten.any(axis=1))


def judge_autorank(values: Array) -> Array:
    """Whoever is apart from a better one in every metric, by autorank's choice of test."""
    import autorank

    k = values.shape[1]
    beaten = np.ones((k, k), dtype=bool)
    for r in range(values.shape[2]):
        table = pd.DataFrame(values[:, :, r], columns=names_of(values))
        with contextlib.redirect_stdout(io.StringIO()):
            answer = autorank.autorank(table, alpha=0.05)
        ranks = answer.rankdf["meanrank"].reindex(table.columns).to_numpy()
        gaps = ranks[:, None] - ranks[None]
        apart = gaps > (answer.cd if answer.cd is not None else 0)
        beaten &= apart & (answer.pvalue < 0.05)
    return np.asarray(beaten.any(axis=1))


JUDGES: dict[str, tuple[Judge, str, int]] = {
    "deabench": (judge_learned, "deabench", 9),
    "deabench, at any time": (judge_anytime, "deabench", 9),
    "evalstats": (judge_evalstats, "evalstats", 9),
    "honestboard, exact set": (judge_honestboard, "honestboard", 1),
    "autorank": (judge_autorank, "autorank", 9),
}
"""Judge, package, and how many metrics it takes."""


def peers(runs: int, kept: Path | None = None) -> pd.DataFrame:
    """Shares of runs with a false verdict, and of the dominated that are called so.

    Every judge sees the same answers; seconds are CPU seconds of one call.
    """
    rows = []
    for cell, (truth, rho, n) in CELLS.items():
        # All others are dominated where one of them, or a mix, is ahead in every metric.
        dominated = np.zeros(len(truth), dtype=bool)
        if cell.startswith(".9"):
            dominated[1:] = True
        elif cell.startswith("best"):
            dominated[-1] = True
        for name, (judge, package, most) in JUDGES.items():
            if find_spec(package) is None or truth.shape[1] > most:
                continue

            def measure(number: int, cell: str = cell, judge: Judge = judge) -> dict[str, float]:
                rng = np.random.default_rng([zlib.crc32(cell.encode()), number])
                truth, rho, n = CELLS[cell]
                values = outcomes(rng, truth, n, rho)
                start = time.process_time()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    called = judge(values)
                seconds = time.process_time() - start
                return {f"c{i}": float(is_called) for i, is_called in enumerate(called)} | {
                    "seconds": seconds
                }

            table = measure_runs(f"peers, {cell}, {name}", measure, runs, kept)
            called = table.iloc[:, :-1].to_numpy()
            false = float((called[:, ~dominated] > 0).any(axis=1).mean())
            rows.append(
                {
                    "cell": cell,
                    "by": name,
                    "false": false,
                    "se": standard_error(false, runs),
                    "shown": called[:, dominated].mean() if dominated.any() else np.nan,
                    "seconds": table["seconds"].mean(),
                    "runs": runs,
                }
            )
    return pd.DataFrame(rows).set_index(["cell", "by"])
