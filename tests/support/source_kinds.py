"""One small source of each kind that `deabench read` recognises, made of one random generator.

The answers are known by construction: 'strong' is better than 'weak' in every metric.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

SYSTEMS = {"strong": 0.95, "middle": 0.8, "weak": 0.65}


def _predictions(rng: np.random.Generator, *, as_scores: bool) -> pd.DataFrame:
    """Return a long file of labels or of scores."""
    y = np.tile([1, 0, 0, 1, 0], 12)
    parts = []
    for name, share in SYSTEMS.items():
        labels = np.where(rng.random(60) < share, y, 1 - y)
        columns = {"model": name, "instance": range(60), "y_true": y}
        if as_scores:
            columns["score"] = np.round(0.6 * labels + 0.4 * rng.random(60), 3)
        else:
            columns["y_pred"] = labels
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts)


def _long(rng: np.random.Generator) -> pd.DataFrame:
    rows = [
        (name, task, seed, round(share - 0.02 * rng.random(), 4), round(0.9 * share, 3))
        for name, share in SYSTEMS.items()
        for task in ("math", "code")
        for seed in range(5)
    ]
    return pd.DataFrame(rows, columns=["model", "task", "seed", "accuracy", "F1"])


def _counts() -> pd.DataFrame:
    rows = [
        (name, round(100 * share), 100 - round(100 * share), 200 - round(200 * share))
        for name, share in SYSTEMS.items()
    ]
    frame = pd.DataFrame(rows, columns=["classifier", "tp", "fn", "fp"])
    return frame.assign(tn=200 - frame["fp"])


def _matrix(rng: np.random.Generator, rows: list[str], name: str) -> pd.DataFrame:
    """Return one metric: data sets or folds x systems."""
    columns = {
        system: np.round(share - 0.03 * rng.random(len(rows)), 4)
        for system, share in SYSTEMS.items()
    }
    return pd.DataFrame({name: rows, **columns})


def make_sources() -> dict[str, pd.DataFrame]:
    """Return {kind: table}; the kind is the one that `read` gives it."""
    rng = np.random.default_rng(7)
    metrics = pd.DataFrame(
        {
            "model": [*SYSTEMS, "cheap"],
            "accuracy": [0.95, 0.8, 0.65, 0.6],
            "F1": [0.94, 0.79, 0.6, 0.55],
            "latency_ms": [20, 25, 30, 5],
        }
    )
    in_rows = metrics.set_index("model").T.rename_axis("metric").reset_index()
    return {
        "metrics": metrics,
        "metrics-in-rows": in_rows,
        "long": _long(rng),
        "predictions": _predictions(rng, as_scores=False),
        "scores": _predictions(rng, as_scores=True),
        "counts": _counts(),
        "folds": _matrix(rng, [str(k) for k in range(1, 11)], "fold"),
        "datasets": _matrix(rng, ["iris", "wine", "glass", "heart", "sonar", "yeast"], "dataset"),
    }


def write_sources(folder: Path) -> dict[str, Path]:
    """Write the source of each kind as CSV; return {kind: file}."""
    files = {}
    for kind, frame in make_sources().items():
        # A file's name must not tell a kind apart from the others.
        files[kind] = folder / f"{kind}.csv"
        frame.to_csv(files[kind], index=False)
    return files
