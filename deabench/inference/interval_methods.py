"""How one interval is made: the method that covers, metric by metric.

Metrics of counts: quantiles of the posterior of the cells, but Wilson's of predictive values;
differences of rates: Tango's. Rankings: the bootstrap's standard deviation on the log odds
(differences: as it is), for percentiles fall short near 1. Mean losses: bootstrap-t. A TPR at a
given FPR, and one's own: percentiles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from deabench import tango
from deabench.errors import DataError
from deabench.inference.resampling import Design, draw_cells, draw_weights, studentised_limits
from deabench.metrics import labels
from deabench.metrics.counts import compute_metrics
from deabench.metrics.formulas import CELLS, canonical_name
from deabench.metrics.metric import Metric, check_probabilities
from deabench.metrics.predictions import FEW_INSTANCES, at_or_above, label_metrics, split_metrics
from deabench.metrics.score_metrics import (
    BUILT_IN,
    MeanLoss,
    RankingMetric,
    SortedScores,
    placements,
    sort_scores,
)
from deabench.utils import instances

Floats = NDArray[np.float64]

NONE = {
    "KS": "it is a maximum and biased upward, so that no bootstrap interval of it covers",
    "ece": "it is biased upward, so that no bootstrap interval of it covers; brier has one",
    "null_error_rate": "it describes the data and has no interval",
    "null_accuracy": "it describes the data and has no interval",
}


def metric_interval(
    asked: IntervalRequest, name: str, column: str, design: Design, alpha: float
) -> MetricLimits:
    """The interval of one metric of one classifier."""
    metric = asked.metrics[column]
    estimate = _estimate(asked, name, column, design)
    reason = NONE.get(canonical_name(column)) or _undefined(estimate)
    if metric is None and canonical_name(column) == "prevalence" and design.kind == "classes":
        reason = "it is fixed by design"
    if reason:
        return no_limits(estimate, reason)
    if metric is None:
        exact = predictive_value_limits(column, asked.hits[name], design, alpha)
        if exact is not None:
            return exact
        drawn = _counts_of(
            asked, column, draw_cells(design, _pattern(asked, name), 4, asked.draws, asked.seed)
        )
        low, high = _quantiles(drawn, alpha)
        return estimate, min(low, estimate), max(high, estimate), "jeffreys", ""
    if _at_k(metric):
        return precision_limits(estimate, _k(metric), design, alpha)
    if isinstance(metric.function, MeanLoss):
        found = _of_means(
            _losses(asked, name, metric.function), asked, design, alpha=alpha, metric=metric
        )
        if found is not None:
            return estimate, *found
    if metric is BUILT_IN["roc_auc"] and drawn_one_by_one(design) and 0 < estimate < 1:
        return area_limits(
            sort_scores(design.positive, asked.values[name]), _t(asked, metric, alpha)
        )
    drawn = _redrawn(asked, [name], metric, design)[0]
    if np.ptp(drawn[np.isfinite(drawn)], axis=None) <= 0:
        return perfect_limits(estimate, column, design, alpha)
    return _around(estimate, drawn, metric, len(design.positive), (_t(asked, metric, alpha), alpha))


def difference_interval(
    asked: IntervalRequest, pair: tuple[str, str], column: str, design: Design, alpha: float
) -> MetricLimits:
    """The interval of the difference of two classifiers in one metric, on the same draws."""
    metric = asked.metrics[column]
    first, second = (_estimate(asked, name, column, design) for name in pair)
    estimate = first - second
    reason = NONE.get(canonical_name(column)) or _undefined(first, second, estimate)
    if reason:
        return no_limits(estimate, reason)
    if metric is None:
        return _of_counts(asked, pair, column, design, alpha=alpha, estimate=estimate)
    if _at_k(metric) and _k(metric) < FEW_INSTANCES:
        values = asked.values[pair[0]], asked.values[pair[1]]
        return estimate, *precision_difference_limits(values, _k(metric), design, alpha)[1:]
    if isinstance(metric.function, MeanLoss):
        gaps = _losses(asked, pair[0], metric.function) - _losses(asked, pair[1], metric.function)
        found = _of_means(gaps, asked, design, alpha=alpha)
        if found is not None:
            return estimate, *found
    one, two = _redrawn(asked, list(pair), metric, design)
    gap = one - two
    if not np.nanstd(gap) > 0:
        return no_limits(estimate, "it did not vary in the resamples")
    if isinstance(metric.function, RankingMetric):
        width = _t(asked, metric, alpha) * float(np.nanstd(gap))
        return estimate, estimate - width, estimate + width, "normal", ""
    low, high = _quantiles(gap, alpha)
    return estimate, low, high, "percentile", ""


def _of_counts(
    asked: IntervalRequest,
    pair: tuple[str, str],
    column: str,
    design: Design,
    *,
    alpha: float,
    estimate: float,
) -> MetricLimits:
    """The difference of a metric of counts: Tango's interval of a rate, else the posterior of both
    classifiers' cells.
    """
    a, b = (asked.hits[name] for name in pair)
    exact = rate_difference_limits(column, (a, b), design, alpha)
    if exact is not None:
        return exact
    pattern = np.where(asked.true.is_positive, 0, 4) + 2 * ~a + ~b
    drawn = draw_cells(design, pattern, 8, asked.draws, asked.seed)
    gap = _counts_of(asked, column, drawn[:, [0, 2, 4, 6]] + drawn[:, [1, 3, 5, 7]]) - _counts_of(
        asked, column, drawn[:, [0, 1, 4, 5]] + drawn[:, [2, 3, 6, 7]]
    )
    low, high = _quantiles(gap, alpha)
    return estimate, min(low, estimate), max(high, estimate), "jeffreys", ""


def _of_means(
    loss: Floats,
    asked: IntervalRequest,
    design: Design,
    *,
    alpha: float,
    metric: Metric | None = None,
) -> tuple[float, float, str, str] | None:
    """The interval of a mean loss within the metric's range, or of the mean of a difference; None
    where it needs another way.
    """
    if not np.isfinite(loss).all():
        return (
            *no_limits(0, "it is infinite: something was said to be certain, and was not so")[1:],
        )
    found = studentised_limits(
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
    return isinstance(metric.function, RankingMetric) and metric.name.startswith("precision@")


def _k(metric: Metric) -> int:
    return int(metric.name.partition("@")[2])


def _losses(asked: IntervalRequest, name: str, function: MeanLoss) -> Floats:
    return np.asarray(
        function.loss(asked.true.is_positive.astype(int), asked.values[name]), dtype=float
    )


def _pattern(asked: IntervalRequest, name: str) -> NDArray[np.intp]:
    """The cell of each instance: tp, fn, fp, tn."""
    return np.where(asked.true.is_positive, 0, 2) + ~asked.hits[name]


def _counts_of(asked: IntervalRequest, column: str, drawn: Floats) -> Floats:
    frame = pd.DataFrame(drawn, columns=list(CELLS))
    values: Floats = compute_metrics(frame, metrics=[column], **asked.options)[column].to_numpy(
        dtype=float
    )
    return values


def _estimate(asked: IntervalRequest, name: str, column: str, design: Design) -> float:
    metric = asked.metrics[column]
    if metric is None:
        sums = np.bincount(_pattern(asked, name), design.weight, 4).astype(float)
        return float(_counts_of(asked, column, sums[None, :])[0])
    given = asked.hits[name].astype(int) if metric.needs == "labels" else asked.values[name]
    return metric.value(asked.true.is_positive, given, design.weight)


def _redrawn(
    asked: IntervalRequest, names: list[str], metric: Metric, design: Design
) -> list[Floats]:
    """The metric of each classifier in every resample, the same resamples for all."""
    if isinstance(metric.function, RankingMetric):
        samples = [sort_scores(asked.true.is_positive, asked.values[name]) for name in names]
        of = metric.function.of
        makers: list[Callable[[Floats], Floats]] = [lambda w, s=s: of(*s.steps(w)) for s in samples]  # type: ignore[misc]
    elif isinstance(metric.function, MeanLoss):
        losses = [_losses(asked, name, metric.function) for name in names]
        makers = [lambda w, x=x: w @ x / w.sum(axis=1) for x in losses]  # type: ignore[misc]
    else:
        makers = [lambda w, k=name: _one_by_one(asked, k, metric, w) for name in names]  # type: ignore[misc]
    with np.errstate(invalid="ignore", divide="ignore"):  # a resample may lack a class
        blocks = [
            [make(block) for make in makers]
            for block in draw_weights(design, asked.draws, asked.seed)
        ]
        return [np.concatenate([block[k] for block in blocks]) for k in range(len(names))]


def _one_by_one(asked: IntervalRequest, name: str, metric: Metric, drawn: Floats) -> Floats:
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
) -> MetricLimits:
    from scipy.special import expit, logit

    drawn, (quantile, alpha) = drawn[np.isfinite(drawn)], level
    if isinstance(metric.function, RankingMetric) and not metric.name.startswith("TPR@"):
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


def _t(asked: IntervalRequest, metric: Metric, alpha: float) -> float:
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


Bools = NDArray[np.bool_]
MetricLimits: TypeAlias = tuple[float, float, float, str, str]
"""Estimate, lower, upper, method, and why there is no interval."""
ALONE = "its interval is for instances drawn one by one, without weights"
PREDICTIVE = ("PPV", "NPV", "FDR", "FOR")
OF_LABELS = {"TPR": True, "FPR": True, "queue_rate": True, "FNR": False, "TNR": False}
"""The shares of a class, or of all, that are labelled positive (True) or negative."""


def no_limits(estimate: float, reason: str) -> MetricLimits:
    """No interval, and why."""
    return estimate, np.nan, np.nan, "none", reason


def drawn_one_by_one(design: Design) -> bool:
    """Whether every instance counts one and was drawn by itself."""
    return design.kind in ("rows", "classes") and design.weight is None


def perfect_limits(estimate: float, column: str, design: Design, alpha: float) -> MetricLimits:
    """Where every resample is alike: a bound for disjoint independent pairs (or positives), all of
    them right.
    """
    name = canonical_name(column)
    if drawn_one_by_one(design) and estimate in (0.0, 1.0):
        positives, negatives = int(design.positive.sum()), int((~design.positive).sum())
        trials = {"roc_auc": min(positives, negatives)}.get(
            name, positives if name.startswith("TPR@") else 0
        )
        if trials:
            bound = float((alpha / 2) ** (1 / trials))
            low, high = (bound, 1.0) if estimate == 1 else (0.0, 1 - bound)
            return estimate, low, high, "pairs" if name == "roc_auc" else "exact", ""
    return no_limits(estimate, "it did not vary in the resamples")


def area_limits(ranked: SortedScores, quantile: float) -> MetricLimits:
    """The area under the ROC curve with DeLong's standard error, on the log odds."""
    from scipy.special import (
        expit,
        logit,
    )  # here: Pyomo, where it finds scipy, loads scipy.stats too, which takes a second

    placed = placements(ranked)[ranked.order]
    sides = placed[ranked.positive], placed[~ranked.positive]
    found = float(sides[0].mean())
    if min(len(side) for side in sides) < 2:
        return no_limits(found, "it takes two instances of each class")
    variance = sum(float(side.var(ddof=1)) / len(side) for side in sides)
    middle, width = logit(found), quantile * np.sqrt(variance) / (found * (1 - found))
    return found, float(expit(middle - width)), float(expit(middle + width)), "logit", ""


def coverage_caveat(column: str, metric: Metric | None, positives: int, *, paired: bool) -> str:
    """Where simulated intervals of a metric do not cover .93 to .97 (docs/metrics.md); empty
    elsewhere.
    """
    few = f"with {positives} positives its interval is wide: at nominal 95 % such intervals cover up to "
    if metric is None:
        return (
            f"{few}.973"
            if paired and positives < FEW_INSTANCES and canonical_name(column) in ("TPR", "FNR")
            else ""
        )
    if not isinstance(metric.function, RankingMetric):
        return ""
    name = metric.name
    if name.startswith("precision@") and int(name.partition("@")[2]) < FEW_INSTANCES:
        return f"it rests on few instances: at nominal 95 % such intervals cover {'.88 to 1' if paired else '.92 to .99'}"
    if name == "pr_auc" and paired:
        return "at nominal 95 % intervals of its differences cover .91 to .95"
    wide = (
        {"partial_auc": ".98"} if paired else {"pr_auc": ".98", "TPR": ".98", "partial_auc": ".985"}
    )
    most = wide.get(name.partition("@")[0], "")
    return f"{few}{most}" if most and positives < FEW_INSTANCES else ""


def predictive_value_limits(
    column: str, hits: Bools, design: Design, alpha: float
) -> MetricLimits | None:
    """Wilson's interval of a predictive value of a sample; None for other metrics and designs.

    The posterior of the cells covers .977 where a tenth of 20 positives is missed.
    """
    name = canonical_name(column)
    if name not in PREDICTIVE or design.kind != "rows" or design.weight is not None:
        return None
    among = hits if name in ("PPV", "FDR") else ~hits
    counted = design.positive if name in ("PPV", "FOR") else ~design.positive
    rate = float(counted[among].mean())
    return rate, *wilson_limits(rate, float(among.sum()), alpha), "wilson", ""


def precision_limits(estimate: float, k: int, design: Design, alpha: float) -> MetricLimits:
    """Precision at k as a share of k instances: Wilson's interval."""
    if not drawn_one_by_one(design):
        return no_limits(estimate, ALONE)
    low, high = wilson_limits(estimate, min(k, len(design.positive)), alpha)
    return estimate, low, high, "wilson", ""


def precision_difference_limits(
    scores: tuple[np.ndarray, np.ndarray], k: int, design: Design, alpha: float
) -> MetricLimits:
    """The difference of two precisions at k: Newcombe's interval of the instances that only one of
    the two takes.

    What both take counts in both and cancels; the others are two sets of m instances without one in
    common."""
    if not drawn_one_by_one(design):
        return no_limits(np.nan, ALONE)
    size = min(k, len(design.positive))
    gap = _taken(scores[0], size) - _taken(scores[1], size)
    only = [np.maximum(gap, 0.0), np.maximum(-gap, 0.0)]
    trials = float(only[0].sum())
    if trials < 1e-9:
        return no_limits(0.0, "both take the same instances")
    hits = [float(part[design.positive].sum()) / trials for part in only]
    (low1, high1), (low2, high2) = (wilson_limits(hit, trials, alpha) for hit in hits)
    down, up = np.hypot(hits[0] - low1, high2 - hits[1]), np.hypot(high1 - hits[0], hits[1] - low2)
    share, estimate = trials / size, hits[0] - hits[1]
    return (
        share * estimate,
        float(share * (estimate - down)),
        float(share * (estimate + up)),
        "newcombe",
        "",
    )


def rate_difference_limits(
    column: str, hits: tuple[Bools, Bools], design: Design, alpha: float
) -> MetricLimits | None:
    """Tango's interval of the paired difference of two rates of one set of instances; None where
    the metric is none.
    """
    name = canonical_name(column)
    among = {
        "TPR": design.positive,
        "FNR": design.positive,
        "FPR": ~design.positive,
        "TNR": ~design.positive,
    }.get(name, np.ones_like(design.positive))
    if not drawn_one_by_one(design) or (design.kind == "classes" and among.all()):
        return None
    if name in ("accuracy", "misclassification_rate"):
        first, second = ((hit == design.positive) == (name == "accuracy") for hit in hits)
    elif name in OF_LABELS:
        first, second = (hit == OF_LABELS[name] for hit in hits)
    else:
        return None
    b, c, n = (
        int((first & ~second & among).sum()),
        int((second & ~first & among).sum()),
        int(among.sum()),
    )
    low, high = tango.interval(b, c, n, alpha=alpha)
    return (b - c) / n, float(low), float(high), "tango", ""


def wilson_limits(rate: float, trials: float, alpha: float) -> tuple[float, float]:
    """{p : |rate − p| <= z √(p (1 − p) / trials)}."""
    from scipy.special import ndtri

    z = -float(ndtri(alpha / 2))
    middle, half = (
        rate + z * z / (2 * trials),
        z * np.sqrt(rate * (1 - rate) / trials + (z / (2 * trials)) ** 2),
    )
    return float((middle - half) / (1 + z * z / trials)), float(
        (middle + half) / (1 + z * z / trials)
    )


def _taken(score: np.ndarray, k: int) -> Floats:
    """The share of each instance among the k highest scores: 1, 0, or at a tied cut in between."""
    ranked = sort_scores(np.ones(len(score), dtype=bool), score)
    lengths = np.diff(ranked.ends, prepend=-1)
    room = np.clip(k - (ranked.ends - lengths + 1), 0, lengths) / lengths
    out = np.empty(len(score))
    out[ranked.order] = np.repeat(room, lengths)
    return out


@dataclass(frozen=True)
class IntervalRequest:
    """What is wanted of which predictions.

    Attributes
    ----------
    values : {name: scores, or bool array: labelled positive}
    hits : {name: bool array}
        Where each labels positive; empty for scores without a threshold.
    metrics : {column: Metric of scores, or of labels of one's own; None for one of the catalogue}
    """

    true: labels.GroundTruth
    values: Mapping[str, np.ndarray]
    hits: Mapping[str, NDArray[np.bool_]]
    metrics: Mapping[str, Metric | None]
    options: Mapping[str, Any]
    draws: int
    seed: int


def make_request(
    y_true: instances.Values | labels.GroundTruth,
    predictions: instances.Predictions,
    metrics: Sequence[str | Metric] | None,
    threshold: float | None,
    *,
    positive: object,
    options: dict[str, Any],
) -> IntervalRequest:
    """Check what is asked against what is given."""
    draws, seed = options.pop("draws", 2000), options.pop("seed", 0)
    if draws < 100:
        raise DataError(f"draws is {draws}; an interval needs at least 100")
    beta = float(options.get("beta", 1.0))
    if metrics is None and threshold is None:
        ranked, at = dict[str, Metric](), None
    else:
        asked = metrics if metrics is None or threshold is not None else [*metrics]
        ranked, at = split_metrics(asked, 0.0 if threshold is None else threshold, beta)
        if ranked and at and threshold is None:
            split_metrics(metrics, None, beta)  # refuses
    scored = bool(ranked) or threshold is not None
    true = labels.two_class_truth(y_true, positive, scores=scored)
    pairs = instances.predictions_by_name(predictions)
    read = labels.read_scores if scored else labels.predicted_positive
    values = {name: read(given, true, name=name) for name, given in pairs.items()}
    hits = (
        values
        if not scored
        else {}
        if threshold is None
        else {name: at_or_above(score, threshold) for name, score in values.items()}
    )
    for metric in ranked.values():
        for name, score in values.items():
            if metric.needs == "probabilities":
                check_probabilities(score, name, metric.name)
    columns = (
        list(label_metrics(true, hits, None, at, options).columns) if hits and at != [] else []
    )
    own = {one.name: one for one in at or () if isinstance(one, Metric)}
    wanted: dict[str, Metric | None] = {**ranked, **{name: own.get(name) for name in columns}}
    return IntervalRequest(true, values, hits, wanted, options, draws, seed)
