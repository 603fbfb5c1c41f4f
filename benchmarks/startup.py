"""Whole processes, by the clock: the command against bare Python and against the naive script."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
from simulations.tables import frame, metrics

NAIVE = """
import sys
import pandas as pd, pyomo.environ as pyo
table = pd.read_csv(sys.argv[1], index_col=0)
solver, scores = pyo.SolverFactory("appsi_highs"), {}
for k in table.index:
    m = pyo.ConcreteModel()
    m.lam, m.theta = pyo.Var(list(table.index), domain=pyo.NonNegativeReals), pyo.Var()
    m.objective = pyo.Objective(expr=m.theta, sense=pyo.maximize)
    m.outputs = pyo.Constraint(list(table.columns), rule=lambda m, r: sum(
        table.loc[j, r] * m.lam[j] for j in table.index) >= m.theta * table.loc[k, r])
    m.convexity = pyo.Constraint(expr=sum(m.lam.values()) == 1)
    solver.solve(m)
    scores[k] = 1 / pyo.value(m.theta)
pd.Series(scores, name="efficiency").to_csv(sys.stdout)
"""


def start_up(repeats: int) -> pd.DataFrame:
    """Wall milliseconds: medians of processes in turns."""
    with TemporaryDirectory() as folder:
        path = str(Path(folder) / "eight.csv")
        frame(metrics(8)).rename_axis("classifier").to_csv(path)
        commands = {
            "bare python": ["-c", "pass"],
            "deabench --help": ["-m", "deabench", "--help"],
            "naive script, 8 DMUs": ["-c", NAIVE, path],
            "deabench rank, 8 DMUs": ["-m", "deabench", "rank", path, "--format", "csv"],
        }
        seconds: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(repeats + 1):  # the first turn writes and reads the caches
            for name, arguments in commands.items():
                start = time.perf_counter()
                subprocess.run([sys.executable, *arguments], capture_output=True, check=True)
                seconds[name].append(time.perf_counter() - start)
    wall = {name: 1e3 * statistics.median(spent[1:]) for name, spent in seconds.items()}
    against = {"deabench --help": "bare python", "deabench rank, 8 DMUs": "naive script, 8 DMUs"}
    return pd.DataFrame(
        {
            "wall_ms": wall,
            "ratio": {
                name: wall[name] / wall[against[name]] if name in against else float("nan")
                for name in commands
            },
            "against": {name: against.get(name, "") for name in commands},
        }
    ).rename_axis("process")
