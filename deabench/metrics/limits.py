"""How one interval is made: the method that covers, metric by metric.

Metrics of counts: quantiles of the posterior of the cells. Rankings: the bootstrap's standard deviation on the log odds
(differences: as it is), for percentiles fall short near 1. Mean losses: on the logarithm. One's own: percentiles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from deabench import instances, labels
from deabench.errors import DataError
from deabench.metrics import ranking
from deabench.metrics.catalogue import CELLS, canonical
from deabench.metrics.counts import table_of
from deabench.metrics.declared import Metric, probabilities
from deabench.metrics.draws import Design, cells, weights
from deabench.metrics.predictions import labelled
from deabench.metrics.scores import at_least, split
from deabench.metrics.shipped import SHIPPED, OfRanking, OfRows

Floats = NDArray[np.float64]
Limits: TypeAlias = tuple[float, float, float, str, str]
"""Estimate, lower, upper, method, and why there is no interval."""

NONE = {
    "KS": "it is a maximum and biased upward, so that no bootstrap interval of it covers",
    "ece": "it is biased upward, so that no bootstrap interval of it covers; brier has one",
    "null_error_rate": "it describes the data and has no interval", "null_accuracy": "it describes the data and has no interval",
}


@dataclass(frozen=True)
class Asked:
    """What is wanted of which predictions.

    Attributes
    ----------
    values : {name: scores, or bool array: labelled positive}
    hits : {name: bool array}
        Where each labels positive; empty for scores without a threshold.
    metrics : {column: Metric of scores, or of labels of one's own; None for one of the catalogue}
    """

    true: labels.Truth
    values: Mapping[str, np.ndarray]
    hits: Mapping[str, NDArray[np.bool_]]
    metrics: Mapping[str, Metric | None]
    options: Mapping[str, Any]
    draws: int
    seed: int


def ask(
    y_true: instances.Values | labels.Truth, predictions: instances.Predictions, metrics: Sequence[str | Metric] | None,
    threshold: float | None, *, positive: object, options: dict[str, Any],
) -> Asked:
    """Check what is asked against what is given."""
    draws, seed = options.pop("draws", 2000), options.pop("seed", 0)
    if draws < 100:
        raise DataError(f"draws is {draws}; an interval needs at least 100")
    beta = float(options.get("beta", 1.0))
    if metrics is None and threshold is None:
        ranked, at = dict[str, Metric](), None
    else:
        asked = metrics if metrics is None or threshold is not None else [*metrics]
        ranked, at = split(asked, 0.0 if threshold is None else threshold, beta)
        if ranked and at and threshold is None:
            split(metrics, None, beta)  # refuses
    scored = bool(ranked) or threshold is not None
    true = labels.two_classes(y_true, positive, scores=scored)
    pairs = instances.named(predictions)
    read = labels.scores_of if scored else labels.predicted_positive
    values = {name: read(given, true, name=name) for name, given in pairs.items()}
    hits = values if not scored else {} if threshold is None else \
        {name: at_least(score, threshold) for name, score in values.items()}
    for metric in ranked.values():
        for name, score in values.items():
            if metric.needs == "probabilities":
                probabilities(score, name, metric.name)
    columns = list(labelled(true, hits, None, at, options).columns) if hits else []
    own = {one.name: one for one in at or () if isinstance(one, Metric)}
    wanted: dict[str, Metric | None] = {**ranked, **{name: own.get(name) for name in columns}}
    return Asked(true, values, hits, wanted, options, draws, seed)


def single(asked: Asked, name: str, column: str, design: Design, alpha: float) -> Limits:
    """The interval of one metric of one classifier."""
    metric = asked.metrics[column]
    estimate = _estimate(asked, name, column, design)
    reason = NONE.get(canonical(column))
    if metric is None and canonical(column) == "prevalence" and design.kind == "classes":
        reason = "it is fixed by design"
    if reason is not None or np.isnan(estimate):
        return estimate, np.nan, np.nan, "none", reason or "it is undefined in the data"
    if metric is None:
        drawn = _counts_of(asked, column, cells(design, _pattern(asked, name), 4, asked.draws, asked.seed))
        low, high = _quantiles(drawn, alpha)
        return estimate, min(low, estimate), max(high, estimate), "jeffreys", ""
    if column.startswith("precision@"):
        return _wilson(estimate, metric, design, alpha)
    drawn = _redrawn(asked, [name], metric, design)[0]
    if np.ptp(drawn[np.isfinite(drawn)], axis=None) <= 0:
        return _perfect(estimate, column, design, alpha)
    return _around(estimate, drawn, metric, len(design.positive), (_t(asked, column, alpha), alpha))


def difference(asked: Asked, pair: tuple[str, str], column: str, design: Design, alpha: float) -> Limits:
    """The interval of the difference of two classifiers in one metric, on the same draws."""
    metric = asked.metrics[column]
    first, second = (_estimate(asked, name, column, design) for name in pair)
    estimate, reason = first - second, NONE.get(canonical(column))
    if column.startswith("precision@"):
        reason = "the difference of two precisions at k has no interval that covers"
    if reason is not None or np.isnan(estimate):
        return estimate, np.nan, np.nan, "none", reason or "it is undefined in the data"
    if metric is None:
        a, b = (asked.hits[name] for name in pair)
        pattern = np.where(asked.true.is_positive, 0, 4) + 2 * ~a + ~b
        drawn = cells(design, pattern, 8, asked.draws, asked.seed)
        gap = _counts_of(asked, column, drawn[:, [0, 2, 4, 6]] + drawn[:, [1, 3, 5, 7]]) - \
            _counts_of(asked, column, drawn[:, [0, 1, 4, 5]] + drawn[:, [2, 3, 6, 7]])
        low, high = _quantiles(gap, alpha)
        return estimate, min(low, estimate), max(high, estimate), "jeffreys", ""
    one, two = _redrawn(asked, list(pair), metric, design)
    gap = one - two
    if not np.nanstd(gap) > 0:
        return estimate, np.nan, np.nan, "none", "it did not vary in the resamples"
    if isinstance(metric.function, OfRanking | OfRows):
        width = _t(asked, column, alpha) * float(np.nanstd(gap))
        return estimate, estimate - width, estimate + width, "normal", ""
    low, high = _quantiles(gap, alpha)
    return estimate, low, high, "percentile", ""


def _pattern(asked: Asked, name: str) -> NDArray[np.intp]:
    """The cell of each instance: tp, fn, fp, tn."""
    return np.where(asked.true.is_positive, 0, 2) + ~asked.hits[name]


def _counts_of(asked: Asked, column: str, drawn: Floats) -> Floats:
    frame = pd.DataFrame(drawn, columns=list(CELLS))
    values: Floats = table_of(frame, metrics=[column], **asked.options)[column].to_numpy(dtype=float)
    return values


def _estimate(asked: Asked, name: str, column: str, design: Design) -> float:
    metric = asked.metrics[column]
    if metric is None:
        sums = np.bincount(_pattern(asked, name), design.weight, 4).astype(float)
        return float(_counts_of(asked, column, sums[None, :])[0])
    given = asked.hits[name].astype(int) if metric.needs == "labels" else asked.values[name]
    return metric.value(asked.true.is_positive, given, design.weight)


def _redrawn(asked: Asked, names: list[str], metric: Metric, design: Design) -> list[Floats]:
    """The metric of each classifier in every resample, the same resamples for all."""
    if isinstance(metric.function, OfRanking):
        samples = [ranking.falling(asked.true.is_positive, asked.values[name]) for name in names]
        of = metric.function.of
        makers: list[Callable[[Floats], Floats]] = [lambda w, s=s: of(*s.steps(w)) for s in samples]  # type: ignore[misc]
    elif isinstance(metric.function, OfRows):
        y = asked.true.is_positive.astype(int)
        losses = [metric.function.loss(y, asked.values[name]) for name in names]
        makers = [lambda w, x=x: w @ x / w.sum(axis=1) for x in losses]  # type: ignore[misc]
    else:
        makers = [lambda w, k=name: _one_by_one(asked, k, metric, w) for name in names]  # type: ignore[misc]
    with np.errstate(invalid="ignore", divide="ignore"):  # a resample may lack a class
        blocks = [[make(block) for make in makers] for block in weights(design, asked.draws, asked.seed)]
        return [np.concatenate([block[k] for block in blocks]) for k in range(len(names))]


def _one_by_one(asked: Asked, name: str, metric: Metric, drawn: Floats) -> Floats:
    """A metric of one's own, resample by resample: rows repeated, or weights where the data have them."""
    given = asked.hits[name].astype(int) if metric.needs == "labels" else asked.values[name]
    out = np.full(len(drawn), np.nan)
    for k, weight in enumerate(drawn):
        if np.array_equal(weight, np.floor(weight)):
            rows = np.repeat(np.arange(len(weight)), weight.astype(int))
            out[k] = metric.value(asked.true.is_positive[rows], given[rows])
        else:
            out[k] = metric.value(asked.true.is_positive, given, weight)
    return out


def _around(estimate: float, drawn: Floats, metric: Metric, n: int, level: tuple[float, float]) -> Limits:
    from scipy.special import expit, logit

    drawn, (quantile, alpha) = drawn[np.isfinite(drawn)], level
    if isinstance(metric.function, OfRanking):
        hair = 0.25 / n
        middle = float(logit(np.clip(estimate, hair, 1 - hair)))
        width = quantile * float(np.std(logit(np.clip(drawn, hair, 1 - hair))))
        return estimate, min(float(expit(middle - width)), estimate), max(float(expit(middle + width)), estimate), "logit", ""
    if isinstance(metric.function, OfRows) and metric is SHIPPED.get(metric.name) and np.isfinite(estimate):
        factor = float(np.exp(quantile * np.std(np.log(drawn[drawn > 0]))))
        return estimate, estimate / factor, estimate * factor, "log", ""
    low, high = _quantiles(drawn, alpha)
    return estimate, low, high, "percentile", ""


def _perfect(estimate: float, column: str, design: Design, alpha: float) -> Limits:
    """Where every resample is alike: a bound for disjoint independent pairs (or positives), all of them right."""
    name = canonical(column)
    if design.kind in ("rows", "classes") and design.weight is None and estimate in (0.0, 1.0):
        positives, negatives = int(design.positive.sum()), int((~design.positive).sum())
        trials = {"roc_auc": min(positives, negatives)}.get(name, positives if name.startswith("TPR@") else 0)
        if trials:
            bound = float((alpha / 2) ** (1 / trials))
            low, high = (bound, 1.0) if estimate == 1 else (0.0, 1 - bound)
            return estimate, low, high, "pairs" if name == "roc_auc" else "exact", ""
    return estimate, np.nan, np.nan, "none", "it did not vary in the resamples"


def _wilson(estimate: float, metric: Metric, design: Design, alpha: float) -> Limits:
    """Precision at k as a share of k instances."""
    if design.kind not in ("rows", "classes") or design.weight is not None:
        return estimate, np.nan, np.nan, "none", "its interval is for instances drawn one by one, without weights"
    k = min(int(metric.name.partition("@")[2]), len(design.positive))
    z2 = _z(alpha) ** 2
    middle, half = estimate + z2 / (2 * k), _z(alpha) * np.sqrt(estimate * (1 - estimate) / k + z2 / (4 * k * k))
    return estimate, float((middle - half) / (1 + z2 / k)), float((middle + half) / (1 + z2 / k)), "wilson", ""


def _quantiles(drawn: Floats, alpha: float) -> tuple[float, float]:
    known = drawn[~np.isnan(drawn)]
    if not len(known):
        return np.nan, np.nan
    low, high = np.quantile(known, [alpha / 2, 1 - alpha / 2], method="inverted_cdf")
    return float(low), float(high)


def _t(asked: Asked, column: str, alpha: float) -> float:
    """Student's quantile for the rarer class, whose few instances carry most of the spread; the normal's for a share."""
    from scipy.special import stdtrit

    rarer = int(min(asked.true.is_positive.sum(), (~asked.true.is_positive).sum()))
    return _z(alpha) if column.startswith("TPR@") or rarer < 3 else float(stdtrit(rarer - 1, 1 - alpha / 2))


def _z(alpha: float) -> float:
    from scipy.special import ndtri

    return -float(ndtri(alpha / 2))
