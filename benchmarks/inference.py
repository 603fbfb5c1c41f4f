"""`python -m benchmarks.inference SECTION`: verdicts and limits in cells of known truth.

Sections: designs (random class counts, clusters), verdicts (learned mixes: power, false verdicts,
cells that nobody designed for), blocks (few or skewed data sets), influence (standard errors of
every kind of metric against many draws), halves (the shipped folds against held-out ones), cost
(CPU time and memory).
"""

from __future__ import annotations

import argparse
import resource
import time
from pathlib import Path

import numpy as np
import pandas as pd
from simulations import block_verdicts, learned_verdicts, sampling_designs
from simulations.held_out_halves import held_out_halves
from simulations.influence_errors import influence_errors
from simulations.verdict_cells import run_cells

from deabench.cli._io import print_message
from deabench.inference.samples import Samples
from deabench.inference.uncertainty import uncertainty

SECTIONS = {
    "designs": sampling_designs.CELLS,
    "verdicts": learned_verdicts.CELLS,
    "blocks": block_verdicts.CELLS,
}


def measure_cost(k: int, n: int) -> pd.DataFrame:
    """Return CPU seconds of samples, of analytic and of learned verdicts, and the peak memory."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    # Classifier by classifier and in bytes, so that the peak is not that of drawing.
    labels = np.empty((n, k), dtype=np.int8)
    for i in range(k):
        labels[:, i] = y ^ (rng.random(n) < 0.2)
    predictions = pd.DataFrame(labels, columns=[f"c{i:03d}" for i in range(k)])
    metrics = ["TPR", "TNR", "accuracy", "F1", "MCC"]
    # The imports and the first call are not counted.
    small = Samples.from_predictions(y[:100], predictions[:100], positive=1, metrics=metrics)
    uncertainty(small)
    rows = []
    start = time.process_time()
    samples = Samples.from_predictions(y, predictions, positive=1, metrics=metrics)
    rows.append(("samples", time.process_time() - start))
    for verdicts in ("analytic", "learned"):
        start = time.process_time()
        uncertainty(samples, verdicts=verdicts)  # type: ignore[arg-type]  # of a tuple of literals
        rows.append((verdicts, time.process_time() - start))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    table = pd.DataFrame(rows, columns=["step", "CPU s"])
    return table.assign(k=k, n=n, s=len(metrics), peak_MB=round(peak))


def main() -> None:
    """Run one section and print its table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("section", choices=[*SECTIONS, "influence", "halves", "cost"])
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--kept", type=Path, help="folder of the runs, to go on after a stop")
    parser.add_argument("--only", nargs="*", default=[], help="cells whose names contain a text")
    parser.add_argument("--size", nargs=2, type=int, default=(100, 10_000), help="k and n of cost")
    arguments = parser.parse_args()
    if arguments.section == "cost":
        print_message(measure_cost(*arguments.size).to_string(index=False))
        return
    if arguments.section == "influence":
        table = influence_errors(arguments.runs, arguments.kept)
        print_message(table.to_string(float_format="{:.3f}".format))
        return
    if arguments.section == "halves":
        table = held_out_halves(max(arguments.runs // 500, 1))
        print_message(table.T.to_string(float_format="{:.3f}".format))
        return
    cells = SECTIONS[arguments.section]
    for name in cells:
        if arguments.only and not any(text in name for text in arguments.only):
            continue
        table = run_cells({name: cells[name]}, runs=arguments.runs, kept=arguments.kept)
        print_message(table.to_string(index=False, float_format="{:.4f}".format))


if __name__ == "__main__":
    main()
