"""How often an interval holds the true value: simulated, at 200 instances and prevalence .1 to .5.

The truth of counts is their formula at the true shares; that of scores the metric of a sample of half a million. Scores are
normal, one or two standard deviations apart; probabilities are the right ones, or the same pushed to the ends.
"""

from __future__ import annotations

import itertools
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit, logit

from deabench.metrics import METRICS, bootstrap_counts, differences, from_scores, intervals, proportion_intervals
from deabench.metrics.catalogue import CELLS

ROWS = 200
PREVALENCES = (0.1, 0.3, 0.5)
COUNTED = [name for name in METRICS if not name.startswith("null")]
SCORED = ["roc_auc", "pr_auc", "partial_auc@0.1", "TPR@FPR=0.05", "precision@10", "brier", "log_loss", "net_benefit@0.2"]
Floats = NDArray[np.float64]


def of_counts(design: Literal["rows", "classes"], runs: int, seed: int = 0, resamples: int = 1000) -> pd.DataFrame:
    """Coverage of `bootstrap_counts` (and so of `intervals`) and of Wilson's interval: least, mean and greatest of 18 cases."""
    rng = np.random.default_rng(seed)
    found = []
    for case in itertools.product(PREVALENCES, (0.3, 0.7, 0.9), (0.8, 0.95)):
        counts, shares = _counts(rng, design, runs, *case)
        truth = from_counts_at(shares)
        ours = bootstrap_counts(counts, design=design, metrics=COUNTED, resamples=resamples, seed=int(rng.integers(2**31)))
        found += [("jeffreys", name, _holds(table, truth[name])) for name, table in ours.groupby(level=-1)]
        if design == "rows":
            wilson = proportion_intervals(counts)
            found += [("wilson", name, _holds(table, truth[name])) for name, table in wilson.groupby(level=-1)]
    return _summed(pd.DataFrame(found, columns=["method", "metric", "coverage"]))


def of_scores(runs: int, seed: int = 0, draws: int = 500) -> pd.DataFrame:
    """Coverage of `intervals` for metrics of scores and of probabilities, in six cases."""
    rng = np.random.default_rng(seed)
    found = []
    for prevalence, apart in itertools.product(PREVALENCES, (1.0, 2.0)):
        truth = _population(rng, prevalence, apart)
        for _ in range(runs):
            y, p = _sample(rng, ROWS, prevalence, apart)
            table = intervals(y, {"s": p}, metrics=SCORED, draws=draws, seed=int(rng.integers(2**31))).table
            for (_, name), row in table.iterrows():
                found.append((prevalence, apart, row["method"], name, row["lower"] <= truth[name] <= row["upper"]))
    frame = pd.DataFrame(found, columns=["prevalence", "apart", "method", "metric", "coverage"])
    cases = frame.groupby(["metric", "prevalence", "apart"], sort=False)["coverage"].mean().reset_index()
    return _summed(cases.assign(method=cases["metric"].map(frame.groupby("metric")["method"].agg(lambda m: m.mode()[0]))))


def of_differences(runs: int, seed: int = 0, draws: int = 500) -> pd.DataFrame:
    """Coverage of `differences` of two correlated scores, and of their labels at one half, in three cases."""
    rng = np.random.default_rng(seed)
    names = ["TPR", "TNR", "accuracy", "F1", "MCC", "PPV", "roc_auc", "pr_auc", "brier"]
    found = []
    for prevalence in PREVALENCES:
        y, (first, second) = _pair(rng, 500_000, prevalence)
        at = [from_scores(y, {"s": p}, metrics=names, threshold=0.5).loc["s", names] for p in (first, second)]
        truth = at[0] - at[1]
        for _ in range(runs):
            y, (a, b) = _pair(rng, ROWS, prevalence)
            table = differences(y, {"a": a, "b": b}, metrics=names, threshold=0.5, draws=draws).table
            found += [(prevalence, row["method"], key[-1], row["lower"] <= truth[key[-1]] <= row["upper"])
                      for key, row in table.dropna().iterrows()]
    frame = pd.DataFrame(found, columns=["prevalence", "method", "metric", "coverage"])
    return _summed(frame.groupby(["method", "metric", "prevalence"], sort=False)["coverage"].mean().reset_index())


def from_counts_at(shares: Floats) -> pd.Series:
    """The metrics at given shares of the four cells, of 200 instances."""
    from deabench.metrics.counts import table_of

    return table_of(pd.DataFrame([shares * ROWS], columns=list(CELLS))).iloc[0]


def _counts(
    rng: np.random.Generator, design: str, runs: int, prevalence: float, tpr: float, tnr: float
) -> tuple[pd.DataFrame, Floats]:
    """Tables of 200 instances and the true shares of their cells."""
    shares = np.array([prevalence * tpr, prevalence * (1 - tpr), (1 - prevalence) * (1 - tnr), (1 - prevalence) * tnr])
    if design == "rows":
        drawn = rng.multinomial(ROWS, shares, runs)
    else:
        p = round(ROWS * prevalence)
        hits, rights = rng.binomial(p, tpr, runs), rng.binomial(ROWS - p, tnr, runs)
        drawn = np.column_stack([hits, p - hits, ROWS - p - rights, rights])
    return pd.DataFrame(drawn, columns=list(CELLS)), shares


def _holds(table: pd.DataFrame, truth: float) -> float:
    """The share of intervals that hold the truth; a metric that was undefined in a run has none there and does not count."""
    known = table.dropna(subset=["estimate", "lower", "upper"])
    return float(((known["lower"] <= truth + 1e-9) & (truth <= known["upper"] + 1e-9)).mean())


def _sample(rng: np.random.Generator, n: int, prevalence: float, apart: float) -> tuple[NDArray[np.int_], Floats]:
    """Classes and their probabilities by Bayes' theorem."""
    y = (rng.random(n) < prevalence).astype(int)
    x = rng.normal(size=n) + apart * y
    return y, np.asarray(expit(apart * x - apart**2 / 2 + logit(prevalence)))


def _population(rng: np.random.Generator, prevalence: float, apart: float) -> pd.Series:
    y, p = _sample(rng, 500_000, prevalence, apart)
    names = [f"precision@{len(y) // 20}" if name == "precision@10" else name for name in SCORED]
    return from_scores(y, {"s": p}, metrics=names).loc["s", names].set_axis(SCORED)


def _pair(rng: np.random.Generator, n: int, prevalence: float) -> tuple[NDArray[np.int_], tuple[Floats, Floats]]:
    """Classes and two classifiers' probabilities that err together: half of their noise is one."""
    y = (rng.random(n) < prevalence).astype(int)
    shared, own = rng.normal(size=n), rng.normal(size=(2, n))
    x = [gap * y + (shared + noise) / np.sqrt(2) for gap, noise in zip((2.0, 1.5), own, strict=True)]
    first, second = (expit(gap * z - gap**2 / 2) for gap, z in zip((2.0, 1.5), x, strict=True))
    return y, (first, second)


def _summed(found: pd.DataFrame) -> pd.DataFrame:
    return found.groupby(["method", "metric"], sort=False)["coverage"].agg(["min", "mean", "max"])
