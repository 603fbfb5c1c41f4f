"""Standard errors by influence values against the spread of many draws, metric by metric."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import ndtr

from deabench.errors import DataWarning
from deabench.inference.samples import Samples
from simulations.samples import latent
from simulations.verdict_cells import measure_runs

Array = np.ndarray
OF_TWO_CLASSES = (
    *("accuracy", "balanced_accuracy", "G-mean", "F1", "F2", "PPV", "NPV", "MCC", "kappa"),
    *("Youden", "roc_auc", "pr_auc", "brier", "log_loss"),
)
OF_THREE_CLASSES = ("macro_F1", "balanced_accuracy", "kappa", "MCC")
SIZE = 100
Z = 1.959963984540054


def draw_two_classes(rng: np.random.Generator) -> Samples:
    """Draw probabilities of two equally good classifiers, a fifth of the instances positive."""
    positive = rng.random(SIZE) < 0.2
    positive[:2] = True
    shift = np.where(positive, 0.7, -1.5)
    scores = dict(zip("ab", ndtr(latent(rng, 2, SIZE, 0.5) * 0.8 + shift), strict=True))
    return Samples.from_scores(
        positive.astype(int), scores, positive=1, threshold=0.4, metrics=OF_TWO_CLASSES
    )


def draw_three_classes(rng: np.random.Generator) -> Samples:
    """Draw labels of two equally good classifiers of three classes, right in seven of ten."""
    y = np.r_[0, 0, 1, 1, 2, 2, rng.integers(0, 3, SIZE - 6)]
    right = ndtr(latent(rng, 2, SIZE, 0.5)) < 0.7
    wrong = (y + rng.integers(1, 3, (2, SIZE))) % 3
    predicted = dict(zip("ab", np.where(right, y, wrong), strict=True))
    return Samples.from_classes(y, predicted, metrics=OF_THREE_CLASSES)


def measure_errors(number: int) -> dict[str, float]:
    """Return the log ratio of both classifiers and its standard error, metric by metric."""
    rng = np.random.default_rng([11, number])
    result = {}
    for classes, draw in (("2", draw_two_classes), ("3", draw_three_classes)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            samples = draw(rng)
        gap, variance, _ = samples.moments.pairs(np.array([0]))
        for r, name in enumerate(samples.values.columns):
            result[f"{name}, {classes} classes|ratio"] = gap[0, 1, r]
            result[f"{name}, {classes} classes|se"] = np.sqrt(variance[0, 1, r])
    return result


def influence_errors(runs: int, kept: Path | None = None) -> pd.DataFrame:
    """Return se/SD of the log ratio, and the coverage of its interval; the true one is 0."""
    table = measure_runs("influence errors", measure_errors, runs, kept)
    rows = {}
    for name in dict.fromkeys(column.split("|")[0] for column in table):
        # A metric of 0 or less by chance has no logarithm.
        pair = table[[f"{name}|ratio", f"{name}|se"]].dropna()
        ratio = pair.iloc[:, 0]
        error = pair.iloc[:, 1]
        share = np.sqrt((error**2).mean()) / ratio.std(ddof=1)
        rows[name] = {
            "se/SD": share,
            # Of the standard deviation of normal ratios, to first order.
            "error": share / np.sqrt(2 * len(pair)),
            "covered": (ratio.abs() <= Z * error).mean(),
            "runs": len(pair),
        }
    return pd.DataFrame(rows).T.rename_axis("metric")
