"""Real results against their held-out half: the folds and the files of the shipped study.

Half of the ten folds of a data set (or of the files) are the samples; what they show is compared
with the means over the other half. Nothing is simulated but the halves.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from scipy.special import stdtrit

import deabench as db
from deabench.compare import keel_files
from deabench.errors import DataError, DataWarning
from deabench.inference.dominance_games import Technology

Array = np.ndarray
EDGE = 1e-9
METRICS = ["TPR", "TNR"]
FOLD_RATIO = 1 / 9
"""n_test / n_train of ten folds."""


def shipped_rates() -> pd.DataFrame:
    """TPR and TNR of each classifier, data set and fold."""
    counts = db.datasets.load("keel67").reset_index()
    counts["TPR"] = counts.tp / (counts.tp + counts.fn)
    counts["TNR"] = counts.tn / (counts.tn + counts.fp)
    return counts[["dataset", "classifier", "fold", *METRICS]]


def true_scores(means: pd.DataFrame) -> Array:
    """The efficiencies of the means of the held-out half."""
    values = means.to_numpy() / means.to_numpy().max(axis=0)
    rivals = np.broadcast_to(values, (len(values), *values.shape))
    return np.asarray(Technology(0).scores(values, rivals)[0])


def compare_halves(
    samples: db.Samples, held_out: pd.DataFrame, inflation: float
) -> dict[str, float]:
    """Return what the samples show that the held-out means contradict.

    `inflation` is by how much a difference between the halves varies more than the sample's error.
    """
    answer = db.uncertainty(samples)
    if answer.scores.isna().any():
        return {}
    score = true_scores(held_out.loc[answer.scores.index])
    dominated = (answer.verdicts == "dominated").to_numpy()
    efficient = (answer.verdicts == "efficient").to_numpy()
    limits = answer.individual_limits
    is_inside = (limits["lower"] <= score + EDGE) & (score <= limits["upper"] + EDGE)
    all_inside = (answer.lower <= score + EDGE) & (score <= answer.upper + EDGE)
    # Log ratios of all pairs: 95 % of the held-out ones should lie within t standard errors.
    gap, spread, ridge = samples.moments.pairs(np.arange(len(score)))
    variance = spread + samples.moments.ridge_weight(np.ones(spread.shape[2])) * ridge
    logs = np.log(held_out.loc[samples.values.index].to_numpy())
    distance = np.abs(gap - (logs[None] - logs[:, None]))
    critical = stdtrit(samples.moments.degrees, 0.975)
    varies = np.triu(np.ones(gap.shape[:2], dtype=bool), 1)[:, :, None] & (variance > 0)
    is_close = distance <= inflation * critical * np.sqrt(variance)
    return {
        "dominated": dominated.sum(),
        "dominated, but first in the other half": (dominated & (score >= 1 - EDGE)).sum(),
        "efficient": efficient.sum(),
        "efficient, but not in the other half": (efficient & (score < 1 - EDGE)).sum(),
        "all intervals hold the other half": float(all_inside.all()),
        "each interval": float(is_inside.mean()),
        "ratio of a pair": float(is_close[varies].mean()),
    }


def folds_of_sets(splits: int, seed: int = 0) -> pd.DataFrame:
    """Five of the ten folds of every data set against the other five, both ways."""
    rng = np.random.default_rng(seed)
    rates = shipped_rates()
    rows = []
    for _ in range(splits):
        for _, part in rates.groupby("dataset", sort=False):
            order = rng.permutation(10)
            for half in (order[:5], order[5:]):
                is_used = part["fold"].isin(half)
                held_out = part[~is_used].groupby("classifier")[METRICS].mean()
                folds = part[is_used].drop(columns="dataset")
                if (held_out <= 0).any(axis=None) or folds[METRICS].isna().any(axis=None):
                    # Folds without a positive instance, or classifiers that find none.
                    continue
                rows.append(_measure_half(folds, held_out, None))
    return pd.DataFrame([row for row in rows if row])


def halves_of_files(splits: int, seed: int = 0) -> pd.DataFrame:
    """Half of KEEL's files against the other half, both ways; each file counts once."""
    rng = np.random.default_rng(seed)
    rates = shipped_rates().groupby(["classifier", "dataset"])[METRICS].mean().reset_index()
    rates["file"] = rates["dataset"].map(keel_files(rates["dataset"].unique().tolist()))
    files = np.array(sorted(rates["file"].unique()))
    rows = []
    for _ in range(splits):
        chosen = rng.permutation(files)[: len(files) // 2]
        for is_used in (rates["file"].isin(chosen), ~rates["file"].isin(chosen)):
            by_file = rates[~is_used].groupby(["classifier", "file"])[METRICS].mean()
            held_out = by_file.groupby("classifier").mean()
            rows.append(_measure_half(rates[is_used].drop(columns="file"), held_out, "keel"))
    return pd.DataFrame([row for row in rows if row])


def _measure_half(
    values: pd.DataFrame, held_out: pd.DataFrame, clusters: str | None
) -> dict[str, float]:
    """Make the samples of one half, and compare; nothing where a metric has no ratios."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        try:
            if clusters is None:
                samples = db.Samples.from_folds(values, ratio=FOLD_RATIO)
            else:
                samples = db.Samples.from_datasets(values, clusters="keel")
        except DataError:
            return {}
        # Halves of independent files err alike. Folds of one data set share what the correlation
        # of Nadeau and Bengio adds: s² (1/5 + 1/5) is left beside s² (1/5 + 1/9).
        inflation = np.sqrt(2.0 if clusters else 0.4 / (0.2 + FOLD_RATIO))
        return compare_halves(samples, held_out, inflation)


def held_out_halves(splits: int) -> pd.DataFrame:
    """Means over all halves, and how many there were."""
    columns = {
        "five folds of a data set": folds_of_sets(splits),
        "half of the files": halves_of_files(20 * splits),
    }
    means = {
        name: pd.concat([table.mean(), pd.Series({"halves": len(table)})])
        for name, table in columns.items()
    }
    return pd.DataFrame(means).T
