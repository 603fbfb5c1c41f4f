"""How often an interval holds the true value: simulated case by case, at 200 instances and
prevalence .1 to .5.

The truth of counts is their formula at the true shares; that of scores the metric of a sample of
half a million. Scores are normal, one or two standard deviations apart; probabilities are the right
ones. Two classifiers share half of their noise; the second is a little worse ("near") or knows
nothing of three in ten instances ("far"). Clusters are 40 of five instances that share half of
their noise."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit, logit
from scipy.stats import binom

from deabench.compare import two_error_rates
from deabench.metrics import (
    bootstrap_counts,
    delong,
    differences,
    from_scores,
    intervals,
    proportion_intervals,
)
from deabench.metrics.counts import compute_metrics
from deabench.metrics.formulas import CELLS

ROWS = 200
PREVALENCES = (0.1, 0.3, 0.5)
COUNTED = [
    "TPR",
    "TNR",
    "PPV",
    "NPV",
    "accuracy",
    "queue_rate",
    "prevalence",
    "balanced_accuracy",
    "G-mean",
    "F1",
    "IBA",
    "MCC",
    "kappa",
    "LR+",
    "LR-",
    "DOR",
    "balancing_cost",
]
"""The others are complements, multiples or other monotone functions of these, and so are their
intervals.
"""
SCORED = [
    "roc_auc",
    "pr_auc",
    "partial_auc@0.1",
    "TPR@FPR=0.05",
    "precision@10",
    "precision@40",
    "brier",
    "log_loss",
    "net_benefit@0.2",
]
PAIRED = [
    "TPR",
    "TNR",
    "accuracy",
    "PPV",
    "NPV",
    "balanced_accuracy",
    "G-mean",
    "F1",
    "IBA",
    "MCC",
    "kappa",
    "balancing_cost",
    *SCORED,
]
DESIGNED = ["TPR", "TNR", "accuracy", "PPV", "F1", "MCC", "roc_auc", "pr_auc", "brier", "log_loss"]
LOW, HIGH = 0.93, 0.97
LARGE = 500_000
"""Instances that the truth of scores is taken from."""
Floats = NDArray[np.float64]
Sample = tuple[NDArray[np.int_], dict[str, Floats], NDArray[np.int_]]
"""Classes, the probabilities of one classifier or two, clusters."""


def of_counts(
    design: Literal["rows", "classes"], runs: int, seed: int = 0, resamples: int = 1000
) -> pd.DataFrame:
    """`bootstrap_counts` (and so `intervals`), and Wilson's intervals, of 18 kinds of tables."""
    rng = np.random.default_rng(seed)
    names = [name for name in COUNTED if (name, design) != ("prevalence", "classes")]
    coverage_rows = []
    for case in itertools.product(PREVALENCES, (0.3, 0.7, 0.9), (0.8, 0.95)):
        counts, shares = _counts(rng, design, runs, *case)
        truth = from_counts_at(shares)
        computed = bootstrap_counts(
            counts, design=design, metrics=names, resamples=resamples, seed=int(rng.integers(2**31))
        )
        tables = {
            "jeffreys": computed,
            "wilson": proportion_intervals(counts) if design == "rows" else computed.iloc[:0],
        }
        case_name = "π {:g}, TPR {:g}, TNR {:g}".format(*case)
        coverage_rows += [
            (method, name, case_name, _holds(group, truth[name]))
            for method, table in tables.items()
            for name, group in table.groupby(level=-1)
        ]
    return pd.DataFrame(coverage_rows, columns=["method", "metric", "case", "coverage"])


def of_scores(runs: int, seed: int = 0, *, draws: int = 500, large: int = LARGE) -> pd.DataFrame:
    """`intervals` of metrics of scores and of probabilities, and DeLong's three of the area, in six
    cases.
    """

    def tables(sample: Sample, number: int) -> Iterable[pd.DataFrame]:
        y, scores, _ = sample
        yield intervals(y, scores, metrics=SCORED, draws=draws, seed=number).table.droplevel(0)
        area = delong(y, scores)
        for method in ("wald", "logit", "auto"):
            row = area.interval(method=method).iloc[[0]].rename(columns={"auc": "estimate"})
            yield row.set_axis(["roc_auc"]).assign(method=f"delong, {method}")

    cases = {
        f"π {p:g}, {separation:g} apart": (p, separation)
        for p, separation in itertools.product(PREVALENCES, (1.0, 2.0))
    }
    return _simulated(cases, _one, tables, SCORED, (runs, large, seed))


def of_differences(
    runs: int, seed: int = 0, *, draws: int = 500, large: int = LARGE
) -> pd.DataFrame:
    """`differences` of two correlated scores, and of their labels at one half, in six cases."""

    def tables(sample: Sample, number: int) -> Iterable[pd.DataFrame]:
        y, scores, _ = sample
        yield differences(
            y, scores, metrics=PAIRED, threshold=0.5, draws=draws, seed=number
        ).table.droplevel([0, 1])

    cases = {
        f"π {p:g}, {far}": (p, far) for p, far in itertools.product(PREVALENCES, ("near", "far"))
    }
    return _simulated(cases, _two, tables, PAIRED, (runs, large, seed))


def of_designs(
    design: Literal["classes", "clusters", "folds"],
    runs: int,
    seed: int = 0,
    *,
    draws: int = 500,
    large: int = LARGE,
) -> pd.DataFrame:
    """`intervals` where classes are fixed, instances come in clusters, or are redrawn within five
    folds.
    """

    def tables(sample: Sample, number: int) -> Iterable[pd.DataFrame]:
        y, scores, clusters = sample
        by = {"classes": None, "clusters": clusters, "folds": np.arange(len(y)) % 5}[design]
        limits = intervals(
            y,
            scores,
            metrics=DESIGNED,
            threshold=0.5,
            design=design,
            by=by,
            draws=draws,
            seed=number,
        )
        yield limits.table.droplevel(0)

    cases = {f"π {p:g}": (p, design) for p in PREVALENCES}
    return _simulated(cases, _by_design, tables, DESIGNED, (runs, large, seed))


def of_two_test_sets() -> pd.DataFrame:
    """The z interval of two error rates on test sets of 200, exactly: a sum over both binomial
    distributions.
    """
    coverage_rows = []
    hits = np.arange(ROWS + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rates of few errors say so
        for first, second in itertools.combinations_with_replacement((0.05, 0.1, 0.3, 0.5), 2):
            weight = np.outer(binom.pmf(hits, ROWS, first), binom.pmf(hits, ROWS, second))
            total, held = 0.0, 0.0
            for i, j in zip(*np.nonzero(weight > 1e-7), strict=True):
                row = two_error_rates(i / ROWS, ROWS, j / ROWS, ROWS)
                total += weight[i, j]
                held += weight[i, j] * (row.lower <= first - second <= row.upper)
            coverage_rows.append(
                ("two_error_rates", "difference", f"errors {first:g}, {second:g}", held / total)
            )
    return pd.DataFrame(coverage_rows, columns=["method", "metric", "case", "coverage"])


def summed(found: pd.DataFrame) -> pd.DataFrame:
    """Least, mean and greatest coverage by method and metric, and the cases outside .93 to .97."""
    outside = found[(found["coverage"] < LOW) | (found["coverage"] > HIGH)]
    case_shares = [
        f"{case}: {share:.3f}"
        for case, share in zip(outside["case"], outside["coverage"], strict=True)
    ]
    groups = pd.Series(case_shares, outside.index, dtype=object).groupby(
        [outside["method"], outside["metric"]]
    )
    table = found.groupby(["method", "metric"], sort=False)["coverage"].agg(
        ["min", "mean", "max", "count"]
    )
    return (
        table.rename(columns={"count": "cases"})
        .join(groups.agg("; ".join).rename("outside"))
        .fillna({"outside": ""})
    )


def from_counts_at(shares: Floats) -> pd.Series:
    """The metrics at given shares of the four cells, of 200 instances."""
    return compute_metrics(pd.DataFrame([shares * ROWS], columns=list(CELLS))).iloc[0]


def _simulated(
    cases: dict[str, tuple[Any, ...]],
    draw: Callable[..., Sample],
    tables: Callable[[Sample, int], Iterable[pd.DataFrame]],
    names: Sequence[str],
    sizes: tuple[int, int, int],
) -> pd.DataFrame:
    """The coverage of every (method, metric) of the tables in every case; the method is that of
    most runs.

    `sizes` are the runs of each case, the instances that the truth is taken from, and the seed.
    """
    (runs, large, seed), coverage_rows = sizes, []
    rng = np.random.default_rng(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # DeLong's of few positives
        for case, values in cases.items():
            truth = _truth(draw(rng, large, *values), names)
            for _ in range(runs):
                for table in tables(draw(rng, ROWS, *values), int(rng.integers(2**31))):
                    complete = table.dropna(subset=["estimate", "lower", "upper"])
                    true_values = truth[complete.index]
                    held = (complete["lower"] <= true_values + 1e-9) & (
                        true_values <= complete["upper"] + 1e-9
                    )
                    coverage_rows += list(
                        zip(
                            complete["method"],
                            complete.index,
                            [case] * len(complete),
                            held,
                            strict=True,
                        )
                    )
    frame = pd.DataFrame(coverage_rows, columns=["method", "metric", "case", "coverage"])
    frame["method"] = frame["method"].where(
        frame["method"].str.startswith("delong"),
        frame.groupby("metric")["method"].transform(
            lambda m: m[~m.str.startswith("delong")].mode()[0]
        ),
    )
    return frame.groupby(["method", "metric", "case"], sort=False)["coverage"].mean().reset_index()


def _truth(sample: Sample, names: Sequence[str]) -> pd.Series:
    """The metrics of a large sample, or their difference; precision at k where k is the same share
    of it.
    """
    y, scores, _ = sample
    large = [
        f"precision@{len(y) * int(name[10:]) // ROWS}" if name.startswith("precision@") else name
        for name in names
    ]
    table = from_scores(y, scores, metrics=large, threshold=0.5)[large].set_axis(
        list(names), axis=1
    )
    costs = [name for name in names if name == "balancing_cost"]  # a sum over instances
    table[costs] *= ROWS / len(y)
    return table.iloc[0] - table.iloc[1] if len(table) > 1 else table.iloc[0]


def _counts(
    rng: np.random.Generator, design: str, runs: int, prevalence: float, tpr: float, tnr: float
) -> tuple[pd.DataFrame, Floats]:
    """Tables of 200 instances and the true shares of their cells."""
    shares = np.array(
        [
            prevalence * tpr,
            prevalence * (1 - tpr),
            (1 - prevalence) * (1 - tnr),
            (1 - prevalence) * tnr,
        ]
    )
    if design == "rows":
        cell_counts = rng.multinomial(ROWS, shares, runs)
    else:
        p = round(ROWS * prevalence)
        hits, rights = rng.binomial(p, tpr, runs), rng.binomial(ROWS - p, tnr, runs)
        cell_counts = np.column_stack([hits, p - hits, ROWS - p - rights, rights])
    return pd.DataFrame(cell_counts, columns=list(CELLS)), shares


def _holds(table: pd.DataFrame, truth: float) -> float:
    """The share of intervals that hold the truth; a metric that was undefined in a run has none
    there and does not count.
    """
    complete = table.dropna(subset=["estimate", "lower", "upper"])
    return float(((complete["lower"] <= truth + 1e-9) & (truth <= complete["upper"] + 1e-9)).mean())


def _one(rng: np.random.Generator, n: int, prevalence: float, apart: float) -> Sample:
    """Classes and their probabilities by Bayes' theorem."""
    y = (rng.random(n) < prevalence).astype(int)
    x = rng.normal(size=n) + apart * y
    return y, {"s": np.asarray(expit(apart * x - apart**2 / 2 + logit(prevalence)))}, np.arange(n)


def _by_design(rng: np.random.Generator, n: int, prevalence: float, design: str) -> Sample:
    """The same, 1.5 standard deviations apart and labelled at the prevalence's odds, in fixed
    classes or in clusters of five.
    """
    y = (rng.random(n) < prevalence).astype(int)
    if design == "classes":
        y = (np.arange(n) < round(n * prevalence)).astype(int)
    clusters = np.arange(n) // 5
    noise = rng.normal(size=n)
    if design == "clusters":
        noise = (noise + rng.normal(size=clusters[-1] + 1)[clusters]) / np.sqrt(2)
    return y, {"s": np.asarray(expit(1.5 * (noise + 1.5 * y) - 1.5**2 / 2))}, clusters


def _two(rng: np.random.Generator, n: int, prevalence: float, far: str) -> Sample:
    """Classes and two classifiers' probabilities that err together."""
    y = (rng.random(n) < prevalence).astype(int)
    shared, own_noise = rng.normal(size=n), rng.normal(size=(2, n))
    x = [
        gap * y + (shared + noise) / np.sqrt(2)
        for gap, noise in zip((2.0, 1.5), own_noise, strict=True)
    ]
    first, second = (expit(gap * z - gap**2 / 2) for gap, z in zip((2.0, 1.5), x, strict=True))
    if far == "far":
        second = np.where(rng.random(n) < 0.3, rng.random(n), second)
    return y, {"a": np.asarray(first), "b": np.asarray(second)}, np.arange(n)
