"""How often recommended names hold an efficient classifier: one file left out after the other.

    python -m benchmarks.recommendations [FLOOR] [SEED]

Each file of the shipped study is left out in turn, and names are recommended for each of its data
sets from the others; their number is the mean over its draws. Beside it stand the `conservative`
number, without a draw, the classifier that is efficient most often, and names drawn at random, as
many as the conservative rule lists. SEED draws the folds otherwise (0 as shipped). Takes a minute.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pandas as pd

from deabench.study.evidence import (
    Evidence,
    count_needed,
    order_names,
    shipped_evidence,
    similarity,
)

LEVEL = 0.9
DRAWS = (np.arange(100) + 0.5) / 100


def select_sets(evidence: Evidence, rows: np.ndarray) -> Evidence:
    """Return the evidence of some data sets."""
    return replace(
        evidence,
        facts=evidence.facts[rows],
        efficient=evidence.efficient[rows],
        worlds=evidence.worlds[rows],
        scores=evidence.scores[rows],
        rates=evidence.rates[rows],
        files=evidence.files[rows],
    )


def chance_of_names(efficient: np.ndarray, count: int) -> float:
    """Return the probability that names drawn at random hold an efficient one."""
    misses = np.array([len(efficient) - efficient.sum() - k for k in range(count)]).clip(0)
    return float(1 - np.prod(misses / (len(efficient) - np.arange(count))))


def leave_files_out(evidence: Evidence, level: float = LEVEL) -> pd.DataFrame:
    """Return by data set: names recommended, whether they hold an efficient one, and the rivals."""
    rows = []
    for file in sorted(set(evidence.files)):
        is_other = evidence.files != file
        others = select_sets(evidence, is_other)
        of_files = pd.DataFrame(others.efficient).groupby(others.files).mean().mean()
        needed = count_needed(others, level)
        drawn = np.array([count_needed(others, level, uniform) for uniform in DRAWS])
        for k in np.flatnonzero(~is_other):
            characteristics = evidence.characteristics[k]
            order, _ = order_names(others.worlds, similarity(others, characteristics))
            efficient = evidence.efficient[k]
            first_rank = np.flatnonzero(efficient[order]).min(initial=len(order)) + 1
            rows.append(
                {
                    "dataset": evidence.facts.index[k],
                    "file": file,
                    "names": drawn.mean(),
                    "holds": (drawn >= first_rank).mean(),
                    "names, conservative": needed,
                    "holds, conservative": efficient[order[:needed]].any(),
                    "first four hold": efficient[order[:4]].any(),
                    "always the best": efficient[int(of_files.to_numpy().argmax())],
                    "chance": chance_of_names(efficient, needed),
                    "chance of one": efficient.mean(),
                }
            )
    return pd.DataFrame(rows).set_index("dataset")


def main(floor: float = 0.0, seed: float = 0) -> None:
    """Print the means over data sets, and with every file weighing the same."""
    table = leave_files_out(shipped_evidence(floor, int(seed)))
    figures = pd.DataFrame(
        {
            "data sets": table.drop(columns="file").astype(float).mean(),
            "files": table.astype({"holds": float}).groupby("file").mean().mean(),
        }
    )
    sys.stdout.write(f"{figures.round(3).to_string()}\n")


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
