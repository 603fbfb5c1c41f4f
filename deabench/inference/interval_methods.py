"""Choose and compute the interval of a metric, or of a difference, by the method that covers.

Metrics of counts: quantiles of the posterior of the cells, but Wilson's interval of predictive
values; differences of rates: Tango's. Rankings: the bootstrap's standard deviation on the log odds
(differences: as it is), because percentiles fall short near 1; the area under the ROC curve:
DeLong's standard error. Mean losses: bootstrap-t. A TPR at a fixed FPR, and user-defined metrics:
percentiles of the bootstrap.

References
----------
Tango (1998) Statistics in Medicine 17:891-908; Newcombe (1998) Statistics in Medicine 17:873-890.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy
from numpy.typing import NDArray

from deabench import tango
from deabench.inference.resampling import (
    Design,
    draw_cells,
    draw_weights,
    quantile_limits,
    studentised_limits,
)
from deabench.metrics.counts import compute_metrics
from deabench.metrics.formulas import CELLS, canonical_name
from deabench.metrics.metric import Metric
from deabench.metrics.predictions import FEW_INSTANCES
from deabench.metrics.roc_area import logit_limits, perfect_bound
from deabench.metrics.score_metrics import (
    BUILT_IN,
    MeanLoss,
    RankingMetric,
    placements,
    sort_scores,
    top_shares,
)

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

NO_INTERVAL = {
    "KS": "it is a maximum and biased upward, so that no bootstrap interval of it covers",
    "ece": "it is biased upward, so that no bootstrap interval of it covers; brier has one",
    **dict.fromkeys(("null_error_rate", "null_accuracy"), "it describes the data alone"),
}
"""Metrics without an interval, and why."""
NOT_SIMPLE = "its interval is for instances drawn one by one, without weights"
NO_VARIATION = "it did not vary in the resamples"
PREDICTIVE_VALUES = ("PPV", "NPV", "FDR", "FOR")
LABELLED_POSITIVE = {"TPR": True, "FPR": True, "queue_rate": True, "FNR": False, "TNR": False}
"""Whether a rate is the share labelled positive or negative; of a class, or of all instances."""


class MetricLimits(NamedTuple):
    """An estimate with its interval; `reason` says why there is none."""

    estimate: float
    lower: float
    upper: float
    method: str
    reason: str = ""


@dataclass(frozen=True)
class IntervalRequest:
    """The metrics, of which predictions, by which design.

    Attributes
    ----------
    design : Design
    values : {name: scores, or bool array: labelled positive}
    labelled : {name: bool array}
        Where each classifier labels positive; empty for scores without a threshold.
    metrics : {column: Metric of scores, or user-defined; None for one of the catalogue}
    options : mapping, of `from_counts`
    alpha : float
    draws, seed : int
    """

    design: Design
    values: Mapping[str, np.ndarray]
    labelled: Mapping[str, Bools]
    metrics: Mapping[str, Metric | None]
    options: Mapping[str, Any]
    alpha: float
    draws: int
    seed: int

    def losses(self, name: str, function: MeanLoss) -> Floats:
        """Return the loss of each instance."""
        true = self.design.positive.astype(int)
        return np.asarray(function.loss(true, self.values[name]), dtype=float)

    def cells(self, name: str) -> NDArray[np.intp]:
        """Return the cell of each instance: 0 to 3 for tp, fn, fp, tn."""
        return np.where(self.design.positive, 0, 2) + ~self.labelled[name]


def metric_interval(request: IntervalRequest, name: str, column: str) -> MetricLimits:
    """Compute the interval of one metric of one classifier."""
    design = request.design
    metric = request.metrics[column]
    estimate = _estimate(request, name, column)
    # Some metrics have no interval that covers; NaN has none either.
    reason = NO_INTERVAL.get(canonical_name(column), "")
    if not reason and np.isnan(estimate):
        reason = "it is undefined in the data"
    if metric is None and canonical_name(column) == "prevalence" and design.kind == "classes":
        reason = "it is fixed by design"
    if reason:
        return no_limits(estimate, reason)
    if metric is None:
        return _count_limits(request, name, column, estimate)
    k = _precision_k(metric)
    if k and not design.is_simple:
        return no_limits(estimate, NOT_SIMPLE)
    if k:
        limits = wilson_limits(estimate, min(k, len(design.positive)), request.alpha)
        return MetricLimits(estimate, *limits, "wilson")
    if isinstance(metric.function, MeanLoss):
        loss = request.losses(name, metric.function)
        loss_limits = _mean_loss_limits(estimate, loss, request, metric.range)
        if loss_limits is not None:
            return loss_limits
    if metric is BUILT_IN["roc_auc"] and design.is_simple and 0 < estimate < 1:
        return _area_limits(request, name, _quantile_of(metric, request))
    # All other metrics are resampled: user-defined ones, rankings, designs with groups.
    (values,) = _resampled_values(request, [name], metric)
    if np.ptp(values[np.isfinite(values)], axis=None) <= 0:
        return _constant_limits(estimate, column, design, request.alpha)
    return _bootstrap_limits(estimate, values, metric, request)


def difference_interval(
    request: IntervalRequest, pair: tuple[str, str], column: str
) -> MetricLimits:
    """Compute the interval of the difference of two classifiers in one metric."""
    metric = request.metrics[column]
    first, second = (_estimate(request, name, column) for name in pair)
    estimate = first - second
    reason = NO_INTERVAL.get(canonical_name(column), "")
    if not reason and np.isnan([first, second, estimate]).any():
        reason = "it is undefined in the data"
    if reason:
        return no_limits(estimate, reason)
    if metric is None:
        return _count_difference_limits(request, pair, column, estimate)
    k = _precision_k(metric)
    if 0 < k < FEW_INSTANCES:
        return _precision_difference_limits(request, pair, k, estimate)
    if isinstance(metric.function, MeanLoss):
        losses = [request.losses(name, metric.function) for name in pair]
        limits = _mean_loss_limits(estimate, losses[0] - losses[1], request, None)
        if limits is not None:
            return limits
    # Both classifiers are evaluated on the same resamples, which keeps their correlation.
    first_values, second_values = _resampled_values(request, list(pair), metric)
    differences = first_values - second_values
    deviation = float(np.nanstd(differences))
    if not deviation > 0:
        return no_limits(estimate, NO_VARIATION)
    if isinstance(metric.function, RankingMetric):
        width = _quantile_of(metric, request) * deviation
        return MetricLimits(estimate, estimate - width, estimate + width, "normal")
    return MetricLimits(estimate, *quantile_limits(differences, request.alpha), "percentile")


def no_limits(estimate: float, reason: str) -> MetricLimits:
    """Return an estimate without interval, and why it has none."""
    return MetricLimits(estimate, np.nan, np.nan, "none", reason)


def wilson_limits(rate: float, trials: float, alpha: float) -> tuple[float, float]:
    """Return Wilson's interval of a share of `trials` instances; trials need not be whole."""
    from statsmodels.stats.proportion import proportion_confint

    lower, upper = proportion_confint(rate * trials, trials, alpha, "wilson")
    return float(lower), float(upper)


def _count_limits(
    request: IntervalRequest, name: str, column: str, estimate: float
) -> MetricLimits:
    """Return Wilson's interval of a predictive value, else quantiles of the cells' posterior."""
    design = request.design
    metric = canonical_name(column)
    if metric in PREDICTIVE_VALUES and design.kind == "rows" and design.weight is None:
        # The posterior of the cells covers .977 where a tenth of 20 positives is missed.
        labelled = request.labelled[name]
        trials = labelled if metric in ("PPV", "FDR") else ~labelled
        successes = design.positive if metric in ("PPV", "FOR") else ~design.positive
        rate = float(successes[trials].mean())
        limits = wilson_limits(rate, float(trials.sum()), request.alpha)
        return MetricLimits(rate, *limits, "wilson")
    cells = draw_cells(design, request.cells(name), 4, request.draws, request.seed)
    lower, upper = quantile_limits(_metric_of_cells(request, column, cells), request.alpha)
    # The estimate is inside: a rate of 0 or 1 is the end of its interval.
    return MetricLimits(estimate, min(lower, estimate), max(upper, estimate), "jeffreys")


def _count_difference_limits(
    request: IntervalRequest, pair: tuple[str, str], column: str, estimate: float
) -> MetricLimits:
    """Return Tango's interval of a paired rate, else quantiles of the joint posterior."""
    design = request.design
    first, second = (request.labelled[name] for name in pair)
    limits = _tango_limits(column, first, second, design, request.alpha)
    if limits is not None:
        return limits
    # Eight cells: by class, then by the labels of the first and of the second classifier.
    pattern = np.where(design.positive, 0, 4) + 2 * ~first + ~second
    cells = draw_cells(design, pattern, 8, request.draws, request.seed)
    first_cells = cells[:, [0, 2, 4, 6]] + cells[:, [1, 3, 5, 7]]
    second_cells = cells[:, [0, 1, 4, 5]] + cells[:, [2, 3, 6, 7]]
    first_values = _metric_of_cells(request, column, first_cells)
    differences = first_values - _metric_of_cells(request, column, second_cells)
    lower, upper = quantile_limits(differences, request.alpha)
    return MetricLimits(estimate, min(lower, estimate), max(upper, estimate), "jeffreys")


def _tango_limits(
    column: str, first: Bools, second: Bools, design: Design, alpha: float
) -> MetricLimits | None:
    """Return Tango's interval of the paired difference of two rates; None for other metrics."""
    metric = canonical_name(column)
    trials = np.ones_like(design.positive)
    if metric in ("TPR", "FNR"):
        trials = design.positive
    elif metric in ("FPR", "TNR"):
        trials = ~design.positive
    if not design.is_simple or (design.kind == "classes" and trials.all()):
        return None
    if metric in ("accuracy", "misclassification_rate"):
        counts_correct = metric == "accuracy"
        first = (first == design.positive) == counts_correct
        second = (second == design.positive) == counts_correct
    elif metric in LABELLED_POSITIVE:
        # A success is an instance labelled positive, or negative for FNR and TNR.
        first = first == LABELLED_POSITIVE[metric]
        second = second == LABELLED_POSITIVE[metric]
    else:
        return None
    # b and c are the discordant pairs: a success of one classifier alone.
    b = int((first & ~second & trials).sum())
    c = int((second & ~first & trials).sum())
    n = int(trials.sum())
    lower, upper = tango.interval(b, c, n, alpha=alpha)
    return MetricLimits((b - c) / n, float(lower), float(upper), "tango")


def _precision_difference_limits(
    request: IntervalRequest, pair: tuple[str, str], k: int, estimate: float
) -> MetricLimits:
    """Return Newcombe's interval of two precisions at k, of what only one of the two takes."""
    design = request.design
    if not design.is_simple:
        return no_limits(estimate, NOT_SIMPLE)
    size = min(k, len(design.positive))
    first, second = (top_shares(request.values[name], size) for name in pair)
    # What both take cancels; the rest are two disjoint sets of m instances.
    # Ties at the cut make shares between 0 and 1, so m need not be whole.
    only_first = np.maximum(first - second, 0.0)
    only_second = np.maximum(second - first, 0.0)
    trials = float(only_first.sum())
    if trials < 1e-9:
        return no_limits(estimate, "both take the same instances")
    p1 = float(only_first[design.positive].sum()) / trials
    p2 = float(only_second[design.positive].sum()) / trials
    low1, high1 = wilson_limits(p1, trials, request.alpha)
    low2, high2 = wilson_limits(p2, trials, request.alpha)
    # Newcombe's hybrid score interval, scaled from m trials to k instances.
    share = trials / size
    lower = share * (p1 - p2 - np.hypot(p1 - low1, high2 - p2))
    upper = share * (p1 - p2 + np.hypot(high1 - p1, p2 - low2))
    return MetricLimits(estimate, float(lower), float(upper), "newcombe")


def _area_limits(request: IntervalRequest, name: str, quantile: float) -> MetricLimits:
    """Return the area under the ROC curve with DeLong's standard error, on the log odds."""
    positive = request.design.positive
    placed = placements(sort_scores(positive, request.values[name]))
    sides = placed[positive], placed[~positive]
    area = float(sides[0].mean())
    if min(len(side) for side in sides) < 2:
        return no_limits(area, "it takes two instances of each class")
    # DeLong: the two classes are independent, so the variances of their means add up.
    variance = sum(float(side.var(ddof=1)) / len(side) for side in sides)
    width = float(quantile * np.sqrt(variance) / (area * (1 - area)))
    return MetricLimits(area, *logit_limits(area, width), "logit")


def _constant_limits(estimate: float, column: str, design: Design, alpha: float) -> MetricLimits:
    """Return an exact bound where every resample is alike, as for a perfect ranking.

    Disjoint pairs of a positive and a negative (for a TPR: positives) are independent trials.
    """
    metric = canonical_name(column)
    positives = int(design.positive.sum())
    trials = 0
    if metric == "roc_auc":
        trials = min(positives, len(design.positive) - positives)
    elif metric.startswith("TPR@"):
        trials = positives
    if not (design.is_simple and estimate in (0.0, 1.0) and trials):
        return no_limits(estimate, NO_VARIATION)
    limits = perfect_bound(estimate, trials, alpha)
    return MetricLimits(estimate, *limits, "pairs" if metric == "roc_auc" else "exact")


def _mean_loss_limits(
    estimate: float,
    loss: Floats,
    request: IntervalRequest,
    metric_range: tuple[float, float] | None,
) -> MetricLimits | None:
    """Return the bootstrap-t interval of a mean loss, or None where it needs another method.

    The range of the metric is None for a difference.
    """
    if not np.isfinite(loss).all():
        return no_limits(
            estimate, "it is infinite: something was said to be certain, and was not so"
        )
    limits = studentised_limits(
        loss,
        request.design,
        request.draws,
        request.seed,
        alpha=request.alpha,
        positive=metric_range is not None and metric_range[0] == 0,
    )
    if limits is None:
        return None
    lower, upper = limits
    if metric_range is not None:
        lower = max(lower, metric_range[0])
        upper = min(upper, metric_range[1])
    return MetricLimits(estimate, lower, upper, "bootstrap-t")


def _bootstrap_limits(
    estimate: float, values: Floats, metric: Metric, request: IntervalRequest
) -> MetricLimits:
    """Return the bootstrap's deviation on the log odds for rankings, else its percentiles."""
    values = values[np.isfinite(values)]
    if not isinstance(metric.function, RankingMetric) or metric.name.startswith("TPR@"):
        return MetricLimits(estimate, *quantile_limits(values, request.alpha), "percentile")
    # A quarter of an instance keeps the log odds of 0 and 1 finite.
    margin = 0.25 / len(request.design.positive)
    centre = float(np.clip(estimate, margin, 1 - margin))
    deviation = float(np.std(scipy.special.logit(np.clip(values, margin, 1 - margin))))
    lower, upper = logit_limits(centre, _quantile_of(metric, request) * deviation)
    return MetricLimits(estimate, min(lower, estimate), max(upper, estimate), "logit")


def _resampled_values(request: IntervalRequest, names: list[str], metric: Metric) -> list[Floats]:
    """Return the metric of each classifier in every resample; the same resamples for all."""
    samples: dict[str, Any] = {}
    for name in names:
        if isinstance(metric.function, RankingMetric):
            samples[name] = sort_scores(request.design.positive, request.values[name])
        elif isinstance(metric.function, MeanLoss):
            samples[name] = request.losses(name, metric.function)

    def evaluate(name: str, weights: Floats) -> Floats:
        if isinstance(metric.function, RankingMetric):
            return np.asarray(metric.function.of(*samples[name].steps(weights)))
        if isinstance(metric.function, MeanLoss):
            return np.asarray(weights @ samples[name] / weights.sum(axis=1))
        return _one_by_one(request, name, metric, weights)

    values: dict[str, list[Floats]] = {name: [] for name in names}
    # A resample may lack a class: its value is NaN.
    with np.errstate(invalid="ignore", divide="ignore"):
        for weights in draw_weights(request.design, request.draws, request.seed):
            for name in names:
                values[name].append(evaluate(name, weights))
    return [np.concatenate(values[name]) for name in names]


def _one_by_one(request: IntervalRequest, name: str, metric: Metric, weights: Floats) -> Floats:
    """Return a user-defined metric of each resample: rows are repeated, or weights passed on."""
    positive = request.design.positive
    predictions = _predictions_for(request, name, metric)
    values = np.full(len(weights), np.nan)
    for draw, weight in enumerate(weights):
        # Whole weights are repetitions: the function needs to take no weights.
        if np.array_equal(weight, np.floor(weight)):
            rows = np.repeat(np.arange(len(weight)), weight.astype(int))
            values[draw] = metric.value(positive[rows], predictions[rows])
        else:
            values[draw] = metric.value(positive, predictions, weight)
    return values


def _estimate(request: IntervalRequest, name: str, column: str) -> float:
    metric = request.metrics[column]
    design = request.design
    if metric is None:
        cells = np.bincount(request.cells(name), design.weight, 4).astype(float)
        return float(_metric_of_cells(request, column, cells[None, :])[0])
    return metric.value(design.positive, _predictions_for(request, name, metric), design.weight)


def _predictions_for(request: IntervalRequest, name: str, metric: Metric) -> np.ndarray:
    """Return the labels or the scores of a classifier, as the metric needs them."""
    if metric.needs == "labels":
        return request.labelled[name].astype(int)
    return request.values[name]


def _metric_of_cells(request: IntervalRequest, column: str, cells: Floats) -> Floats:
    frame = pd.DataFrame(cells, columns=list(CELLS))
    values = compute_metrics(frame, metrics=[column], **request.options)[column]
    return np.asarray(values, dtype=float)


def _precision_k(metric: Metric) -> int:
    """Return the k of precision at k; 0 for other metrics."""
    if isinstance(metric.function, RankingMetric) and metric.name.startswith("precision@"):
        return int(metric.name.removeprefix("precision@"))
    return 0


def _quantile_of(metric: Metric, request: IntervalRequest) -> float:
    """Return Student's quantile for the rarer class, which carries most of the spread.

    Of a partial area the negatives up to twice its FPR count: with those up to its FPR alone the
    intervals cover .98. A share has the normal's quantile.
    """
    positives = float(request.design.positive.sum())
    negatives = len(request.design.positive) - positives
    if metric.name.startswith("partial_auc@"):
        negatives *= min(1.0, 2 * float(metric.name.partition("@")[2]))
    rarer = min(positives, negatives)
    if metric.name.startswith("TPR@") or rarer < 3:
        return -float(scipy.special.ndtri(request.alpha / 2))
    return float(scipy.special.stdtrit(rarer - 1, 1 - request.alpha / 2))
