"""How often gates and verdicts at any time are wrong, and what they save."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from simulations.decisions import (
    DOMINATED,
    EDGE_CELLS,
    OPPOSED,
    TIED,
    false_at_any_time,
    gate_shares,
    planned,
    pull_requests,
    sequential_gate,
    stopping,
)


def decisions(
    runs: int, quick: bool, kept: Path | None = None
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Tables of false verdicts, of stopping, of gates and of plans, with standard errors.

    Parameters
    ----------
    runs : int
        Streams of the false verdicts at any time; gates at the edge have twice as many.
    quick : bool
    kept : Path, optional
        A folder of runs, to go on after a stop.
    """
    streams = 2 if quick else runs
    few = 2 if quick else max(runs // 20, 20)
    some = 2 if quick else max(runs // 5, 50)
    yield (
        "False verdicts at any of 1,000 instances (tied, k=10: 500)",
        pd.DataFrame({name: false_at_any_time(name, streams, kept) for name in TIED}).T,
    )
    yield (
        "Stopping: the share of the dominated that is decided",
        pd.DataFrame({name: stopping(cell, few) for name, cell in DOMINATED.items()}).T,
    )
    edge = {
        (name, n): gate_shares(name, 0.95, n, 2 if quick else 2 * runs, kept=kept)
        for name in [*EDGE_CELLS, *OPPOSED]
        for n in ([100] if quick else [100, 500])
    }
    yield "Gates of candidates at the edge of .95", _by_cell(edge, ["cell", "n"])
    sizes = [(0.97, 500), (0.97, 1000), (0.97, 2000), (0.97, 4000), (0.98, 500), (1.0, 500)]
    power = {
        (score, n): gate_shares(
            "k=2, s=1" if score == 0.97 else "k=5, s=2", score, n, some, kept=kept
        )
        for score, n in [*sizes, (0.9, 500)]
        if not quick or n == 500
    }
    yield "Gates at .95 by the candidate's score and the instances", _by_cell(power, ["score", "n"])
    sequential = {
        (score, rounds): sequential_gate(score, 50 if quick else rounds, few if score < 1 else some)
        for score, rounds in [(0.95, 2000), (1.0, 2000), (0.85, 2000), (0.97, 4000)]
    }
    yield "Sequential gates at .95, k=5, s=2", _by_cell(sequential, ["score", "rounds"])
    gates = 5 if quick else 500
    requests = {
        "no ledger, no feedback used": ("none", None),
        "ledger, no feedback used": ("none", "none"),
        "no ledger, built on passes": ("status", None),
        "ledger, built on passes": ("status", "status"),
        "no ledger, built on scores": ("scores", None),
        "ledger, built on scores": ("scores", "scores"),
    }
    yield (
        f"Some false pass of {gates} pull requests at the edge on one test set of 1,000",
        pd.DataFrame(
            {
                name: pull_requests(strategy, gates, 1000, some, feedback, kept)
                for name, (strategy, feedback) in requests.items()
            }
        ).T,
    )
    yield "Plans for a power of .8", planned(some)


def _by_cell(columns: dict[tuple[object, int], pd.Series], names: list[str]) -> pd.DataFrame:
    """Return one row for each cell, named by the parts of its key."""
    table = pd.DataFrame(columns).T
    return table.rename_axis(names)
