"""How one interval is made: the method that covers, metric by metric.

Metrics of counts: quantiles of the posterior of the cells, but Wilson's of predictive values;
differences of rates: Tango's. Rankings: the bootstrap's standard deviation on the log odds
(differences: as it is), for percentiles fall short near 1. Mean losses: bootstrap-t. A TPR at a
given FPR, and one's own: percentiles."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from deabench.metrics import closed, ranking
from deabench.metrics.asked import Asked
from deabench.metrics.closed import Limits, none
from deabench.metrics.counts import table_of
from deabench.metrics.declared import Metric
from deabench.metrics.draws import Design, cells, weights
from deabench.metrics.formulas import CELLS, canonical
from deabench.metrics.means import studentised
from deabench.metrics.shipped import SHIPPED, OfRanking, OfRows

Floats = NDArray[np.float64]

NONE = {
    "KS": "it is a maximum and biased upward, so that no bootstrap interval of it covers",
    "ece": "it is biased upward, so that no bootstrap interval of it covers; brier has one",
    "null_error_rate": "it describes the data and has no interval",
    "null_accuracy": "it describes the data and has no interval",
}


def single(asked: Asked, name: str, column: str, design: Design, alpha: float) -> Limits:
    """The interval of one metric of one classifier."""
    metric = asked.metrics[column]
    estimate = _estimate(asked, name, column, design)
    reason = NONE.get(canonical(column)) or _undefined(estimate)
    if metric is None and canonical(column) == "prevalence" and design.kind == "classes":
        reason = "it is fixed by design"
    if reason:
        return none(estimate, reason)
    if metric is None:
        exact = closed.predictive(column, asked.hits[name], design, alpha)
        if exact is not None:
            return exact
        drawn = _counts_of(
            asked, column, cells(design, _pattern(asked, name), 4, asked.draws, asked.seed)
        )
        low, high = _quantiles(drawn, alpha)
        return estimate, min(low, estimate), max(high, estimate), "jeffreys", ""
    if _at_k(metric):
        return closed.precision(estimate, _k(metric), design, alpha)
    if isinstance(metric.function, OfRows):
        found = _of_means(
            _losses(asked, name, metric.function), asked, design, alpha=alpha, metric=metric
        )
        if found is not None:
            return estimate, *found
    if metric is SHIPPED["roc_auc"] and closed.drawn_one_by_one(design) and 0 < estimate < 1:
        return closed.area(
            ranking.falling(design.positive, asked.values[name]), _t(asked, metric, alpha)
        )
    drawn = _redrawn(asked, [name], metric, design)[0]
    if np.ptp(drawn[np.isfinite(drawn)], axis=None) <= 0:
        return closed.perfect(estimate, column, design, alpha)
    return _around(estimate, drawn, metric, len(design.positive), (_t(asked, metric, alpha), alpha))


def difference(
    asked: Asked, pair: tuple[str, str], column: str, design: Design, alpha: float
) -> Limits:
    """The interval of the difference of two classifiers in one metric, on the same draws."""
    metric = asked.metrics[column]
    first, second = (_estimate(asked, name, column, design) for name in pair)
    estimate = first - second
    reason = NONE.get(canonical(column)) or _undefined(first, second, estimate)
    if reason:
        return none(estimate, reason)
    if metric is None:
        return _of_counts(asked, pair, column, design, alpha=alpha, estimate=estimate)
    if _at_k(metric) and _k(metric) < closed.FEW:
        values = asked.values[pair[0]], asked.values[pair[1]]
        return estimate, *closed.precision_gap(values, _k(metric), design, alpha)[1:]
    if isinstance(metric.function, OfRows):
        gaps = _losses(asked, pair[0], metric.function) - _losses(asked, pair[1], metric.function)
        found = _of_means(gaps, asked, design, alpha=alpha)
        if found is not None:
            return estimate, *found
    one, two = _redrawn(asked, list(pair), metric, design)
    gap = one - two
    if not np.nanstd(gap) > 0:
        return none(estimate, "it did not vary in the resamples")
    if isinstance(metric.function, OfRanking):
        width = _t(asked, metric, alpha) * float(np.nanstd(gap))
        return estimate, estimate - width, estimate + width, "normal", ""
    low, high = _quantiles(gap, alpha)
    return estimate, low, high, "percentile", ""


def _of_counts(
    asked: Asked,
    pair: tuple[str, str],
    column: str,
    design: Design,
    *,
    alpha: float,
    estimate: float,
) -> Limits:
    """The difference of a metric of counts: Tango's interval of a rate, else the posterior of both
    classifiers' cells.
    """
    a, b = (asked.hits[name] for name in pair)
    exact = closed.rate_gap(column, (a, b), design, alpha)
    if exact is not None:
        return exact
    pattern = np.where(asked.true.is_positive, 0, 4) + 2 * ~a + ~b
    drawn = cells(design, pattern, 8, asked.draws, asked.seed)
    gap = _counts_of(asked, column, drawn[:, [0, 2, 4, 6]] + drawn[:, [1, 3, 5, 7]]) - _counts_of(
        asked, column, drawn[:, [0, 1, 4, 5]] + drawn[:, [2, 3, 6, 7]]
    )
    low, high = _quantiles(gap, alpha)
    return estimate, min(low, estimate), max(high, estimate), "jeffreys", ""


def _of_means(
    loss: Floats, asked: Asked, design: Design, *, alpha: float, metric: Metric | None = None
) -> tuple[float, float, str, str] | None:
    """The interval of a mean loss within the metric's range, or of the mean of a difference; None
    where it needs another way.
    """
    if not np.isfinite(loss).all():
        return (*none(0, "it is infinite: something was said to be certain, and was not so")[1:],)
    found = studentised(
        loss,
        design,
        asked.draws,
        asked.seed,
        alpha=alpha,
        positive=metric is not None and metric.range[0] == 0,
    )
    if found is None:
        return None
    low, high = (
        found
        if metric is None
        else (max(found[0], metric.range[0]), min(found[1], metric.range[1]))
    )
    return low, high, "bootstrap-t", ""


def _undefined(*estimates: float) -> str:
    """Why there is no interval where a value is undefined; an infinite one, as LR+ can be, has one."""
    return "it is undefined in the data" if np.isnan(estimates).any() else ""


def _at_k(metric: Metric) -> bool:
    return isinstance(metric.function, OfRanking) and metric.name.startswith("precision@")


def _k(metric: Metric) -> int:
    return int(metric.name.partition("@")[2])


def _losses(asked: Asked, name: str, function: OfRows) -> Floats:
    return np.asarray(
        function.loss(asked.true.is_positive.astype(int), asked.values[name]), dtype=float
    )


def _pattern(asked: Asked, name: str) -> NDArray[np.intp]:
    """The cell of each instance: tp, fn, fp, tn."""
    return np.where(asked.true.is_positive, 0, 2) + ~asked.hits[name]


def _counts_of(asked: Asked, column: str, drawn: Floats) -> Floats:
    frame = pd.DataFrame(drawn, columns=list(CELLS))
    values: Floats = table_of(frame, metrics=[column], **asked.options)[column].to_numpy(
        dtype=float
    )
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
        losses = [_losses(asked, name, metric.function) for name in names]
        makers = [lambda w, x=x: w @ x / w.sum(axis=1) for x in losses]  # type: ignore[misc]
    else:
        makers = [lambda w, k=name: _one_by_one(asked, k, metric, w) for name in names]  # type: ignore[misc]
    with np.errstate(invalid="ignore", divide="ignore"):  # a resample may lack a class
        blocks = [
            [make(block) for make in makers] for block in weights(design, asked.draws, asked.seed)
        ]
        return [np.concatenate([block[k] for block in blocks]) for k in range(len(names))]


def _one_by_one(asked: Asked, name: str, metric: Metric, drawn: Floats) -> Floats:
    """A metric of one's own, resample by resample: rows repeated, or weights where the data have
    them.
    """
    given = asked.hits[name].astype(int) if metric.needs == "labels" else asked.values[name]
    out = np.full(len(drawn), np.nan)
    for k, weight in enumerate(drawn):
        if np.array_equal(weight, np.floor(weight)):
            rows = np.repeat(np.arange(len(weight)), weight.astype(int))
            out[k] = metric.value(asked.true.is_positive[rows], given[rows])
        else:
            out[k] = metric.value(asked.true.is_positive, given, weight)
    return out


def _around(
    estimate: float, drawn: Floats, metric: Metric, n: int, level: tuple[float, float]
) -> Limits:
    from scipy.special import expit, logit

    drawn, (quantile, alpha) = drawn[np.isfinite(drawn)], level
    if isinstance(metric.function, OfRanking) and not metric.name.startswith("TPR@"):
        hair = 0.25 / n
        middle = float(logit(np.clip(estimate, hair, 1 - hair)))
        width = quantile * float(np.std(logit(np.clip(drawn, hair, 1 - hair))))
        return (
            estimate,
            min(float(expit(middle - width)), estimate),
            max(float(expit(middle + width)), estimate),
            "logit",
            "",
        )
    low, high = _quantiles(drawn, alpha)
    return estimate, low, high, "percentile", ""


def _quantiles(drawn: Floats, alpha: float) -> tuple[float, float]:
    known = drawn[~np.isnan(drawn)]
    if not len(known):
        return np.nan, np.nan
    low, high = np.quantile(known, [alpha / 2, 1 - alpha / 2], method="inverted_cdf")
    return float(low), float(high)


def _t(asked: Asked, metric: Metric, alpha: float) -> float:
    """Student's quantile for the rarer class, whose few instances carry most of the spread; the
    normal's for a share.

    Of a partial area the negatives up to twice its FPR count: with those up to its FPR alone the
    intervals cover .98."""
    from scipy.special import ndtri, stdtrit

    negatives = float((~asked.true.is_positive).sum())
    if metric.name.startswith("partial_auc@"):
        negatives *= min(1.0, 2 * float(metric.name.partition("@")[2]))
    rarer = min(float(asked.true.is_positive.sum()), negatives)
    normal = metric.name.startswith("TPR@") or rarer < 3
    return -float(ndtri(alpha / 2)) if normal else float(stdtrit(rarer - 1, 1 - alpha / 2))
