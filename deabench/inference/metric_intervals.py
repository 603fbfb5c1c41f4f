"""Compute intervals for every metric, and for paired differences of classifiers."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference.interval_methods import (
    IntervalRequest,
    MetricLimits,
    difference_interval,
    metric_interval,
)
from deabench.inference.resampling import DesignName, make_design
from deabench.metrics import labels
from deabench.metrics.formulas import canonical_name
from deabench.metrics.metric import Metric, check_probabilities
from deabench.metrics.predictions import (
    FEW_INSTANCES,
    at_or_above,
    label_metrics,
    split_metrics,
)
from deabench.metrics.score_metrics import RankingMetric
from deabench.utils import instances
from deabench.utils.checks import share
from deabench.utils.result import Result

COLUMNS = ["estimate", "lower", "upper", "method"]
MIN_DRAWS = 100


@dataclass(frozen=True, eq=False, repr=False)
class Intervals(Result):
    """Metrics with their intervals, or differences with theirs.

    Attributes
    ----------
    table : DataFrame, (classifier, metric) or (first, second, metric) x (estimate, lower, upper,
    method)
        For a difference the estimate is first − second. NaN limits have their reason in `notes`.
        Methods: 'jeffreys' (posterior of the cells), 'tango' (paired rates), 'wilson' (predictive
        values of a sample, precision at k), 'newcombe' (differences of precision at k), 'logit'
        (bootstrap, on the log odds), 'normal' and 'percentile' (bootstrap), 'bootstrap-t' (mean
        losses), 'pairs' and 'exact' (a perfect result), 'none'.
    alpha : float
    notes : tuple of str
        The design, the positive class, what has no interval and why.

    Examples
    --------
    >>> from deabench import metrics
    >>> found = metrics.intervals([1] * 20 + [0] * 30, {"a": [1] * 15 + [0] * 35}, metrics=["TPR"])
    >>> found.table[["lower", "upper"]].round(2).iloc[0].tolist()
    [0.54, 0.9]
    """

    table: pd.DataFrame
    alpha: float
    notes: tuple[str, ...] = ()

    _frame = "table"
    _text = "curves"


def intervals(
    y_true: instances.Values | labels.GroundTruth,
    predictions: instances.Predictions,
    *,
    metrics: Sequence[str | Metric] | None = None,
    threshold: float | None = None,
    design: DesignName = "rows",
    by: instances.Values | None = None,
    **options: Any,
) -> Intervals:
    """Compute intervals for metrics of labels or of scores, by the design of the instances.

    Parameters
    ----------
    y_true : labels, one per instance
    predictions : mapping or DataFrame
        {name: labels}, or scores where one of the metrics needs scores or there is a threshold.
    metrics : sequence of names and `Metric`s, optional
        As for `from_predictions` and `from_scores`; by default all of the catalogue, or 'roc_auc'
        and 'pr_auc'.
    threshold : float, optional
        Scores at or above it are labelled positive.
    design : 'rows', 'classes', 'clusters', 'folds'
        rows: the instances are a sample, the number of positives random. classes: the numbers of
        positives and negatives were fixed. clusters: `by` names the patient, file ... of each
        instance. folds: `by` names the fold.
    by : one value per instance, optional
    **options
        `positive`, `sample_weight`, `alpha` (0.05), `draws` (2000), `seed` (0), and as for
        `from_counts`.

    Returns
    -------
    Intervals

    Notes
    -----
    Coverage at nominal 95 %, simulated case by case at 200 rows, prevalence .1 to .5
    (docs/metrics.md): .93 to .97, except for what the notes name (precision@k of few k; with few
    positives TPR at an FPR, pr_auc and partial areas); the percentiles of a user-defined metric are
    not known. KS and ece have no interval: both are biased upward, and no bootstrap of them covers.

    Examples
    --------
    >>> y = [1] * 40 + [0] * 60
    >>> found = intervals(y, {"a": [1] * 30 + [0] * 70}, metrics=["TPR", "accuracy"])
    >>> found.table[["lower", "upper"]].round(2).to_numpy().tolist()
    [[0.6, 0.86], [0.83, 0.95]]
    """
    request, note = _make_request(
        y_true, predictions, metrics, design, by, {**options, "threshold": threshold}
    )
    rows = {
        (name, column): metric_interval(request, name, column)
        for name in request.values
        for column in request.metrics
    }
    return _collect_limits(rows, ["classifier", "metric"], request, note)


def differences(
    y_true: instances.Values | labels.GroundTruth,
    predictions: instances.Predictions,
    *,
    metrics: Sequence[str | Metric] | None = None,
    control: str | None = None,
    design: DesignName = "rows",
    by: instances.Values | None = None,
    **options: Any,
) -> Intervals:
    """Compute intervals for the paired differences of every two classifiers on the same instances.

    Parameters
    ----------
    y_true, predictions, metrics, design, by
        As for `intervals`.
    control : str, optional
        Compare the others with this one only; it is the second.
    **options
        As for `intervals`, and `threshold`.

    Returns
    -------
    Intervals
        Each interval is for itself: nothing is corrected for their number.

    Examples
    --------
    >>> y = [1] * 40 + [0] * 60
    >>> a, b = [1] * 30 + [0] * 70, [1] * 20 + [0] * 80
    >>> found = differences(y, {"a": a, "b": b}, metrics=["TPR"])
    >>> found.table[["estimate", "lower", "upper"]].round(2).to_numpy().tolist()
    [[0.25, 0.14, 0.4]]
    """
    request, note = _make_request(y_true, predictions, metrics, design, by, options)
    names = list(request.values)
    if control is None:
        pairs = list(itertools.combinations(names, 2))
    elif control in names:
        pairs = [(name, control) for name in names if name != control]
    else:
        raise DataError(
            f"there is no classifier '{control}'; there are {instances.format_labels(names)}"
        )
    if not pairs:
        raise DataError("there is one classifier only; a difference takes two")
    rows = {
        (first, second, column): difference_interval(request, (first, second), column)
        for first, second in pairs
        for column in request.metrics
    }
    return _collect_limits(rows, ["first", "second", "metric"], request, note)


def _make_request(
    y_true: instances.Values | labels.GroundTruth,
    predictions: instances.Predictions,
    metrics: Sequence[str | Metric] | None,
    design: DesignName,
    by: instances.Values | None,
    options: Mapping[str, Any],
) -> tuple[IntervalRequest, str]:
    """Check the arguments of `intervals`; return the request and the note on the positive class."""
    count_options = dict(options)
    alpha = share("alpha", count_options.pop("alpha", 0.05))
    positive = count_options.pop("positive", None)
    sample_weight = count_options.pop("sample_weight", None)
    threshold = count_options.pop("threshold", None)
    draws = count_options.pop("draws", 2000)
    seed = count_options.pop("seed", 0)
    if draws < MIN_DRAWS:
        raise DataError(f"draws is {draws}; an interval needs at least {MIN_DRAWS}")
    # Metrics decide what the predictions are: labels or scores.
    score_metrics, label_names = _split_by_need(metrics, threshold, count_options)
    has_scores = bool(score_metrics) or threshold is not None
    true = labels.two_class_truth(y_true, positive, scores=has_scores)
    read = labels.read_scores if has_scores else labels.predicted_positive
    values = {
        name: read(prediction, true, name=name)
        for name, prediction in instances.predictions_by_name(predictions).items()
    }
    # Labels are their own answers; scores give labels only by a threshold.
    labelled = {} if has_scores else values
    if threshold is not None:
        labelled = {name: at_or_above(score, threshold) for name, score in values.items()}
    for metric in score_metrics.values():
        for name, score in values.items():
            if metric.needs == "probabilities":
                check_probabilities(score, name, metric.name)
    columns: dict[str, Metric | None] = dict(score_metrics)
    if labelled and label_names != []:
        # The columns are those that `from_predictions` would give, checked the same way.
        table = label_metrics(true, labelled, None, label_names, count_options)
        user_defined = {
            metric.name: metric for metric in label_names or () if isinstance(metric, Metric)
        }
        columns |= {name: user_defined.get(name) for name in table.columns}
    weight = labels.read_weights(sample_weight, true)
    request = IntervalRequest(
        make_design(true, design, by, weight),
        values,
        labelled,
        columns,
        count_options,
        alpha,
        draws,
        seed,
    )
    return request, true.note


def _split_by_need(
    metrics: Sequence[str | Metric] | None, threshold: float | None, options: Mapping[str, Any]
) -> tuple[dict[str, Metric], Sequence[str | Metric] | None]:
    """Return the metrics of scores, and those of labels; None for all of the catalogue."""
    if metrics is None and threshold is None:
        return {}, None
    beta = float(options.get("beta", 1.0))
    score_metrics, label_names = split_metrics(
        metrics, 0.0 if threshold is None else threshold, beta
    )
    if score_metrics and label_names and threshold is None:
        # Scores without a threshold have no labels: this raises the error of `from_scores`.
        split_metrics(metrics, None, beta)
    return score_metrics, label_names


def _collect_limits(
    rows: Mapping[Any, MetricLimits],
    names: list[str],
    request: IntervalRequest,
    note: str,
) -> Intervals:
    index = pd.MultiIndex.from_tuples(list(rows), names=names)
    table = pd.DataFrame([limits[:4] for limits in rows.values()], index, COLUMNS)
    # How well an interval covers depends on the positives and on pairing.
    positives = int(np.sum(request.design.positive))
    is_paired = "second" in names
    # A reason is written once for each metric, also where many classifiers share it.
    reasons = []
    for key, limits in rows.items():
        column = key[-1]
        reason = limits.reason or _coverage_caveat(
            column, request.metrics[column], positives, is_paired=is_paired
        )
        if reason:
            reasons.append(f"{column}: {reason}")
    notes = (request.design.describe(), note, *dict.fromkeys(reasons))
    return Intervals(table, request.alpha, notes)


def _coverage_caveat(column: str, metric: Metric | None, positives: int, *, is_paired: bool) -> str:
    """Return where simulated intervals do not cover .93 to .97 (docs/metrics.md); else ''."""
    is_few = positives < FEW_INSTANCES
    wide = (
        f"with {positives} positives its interval is wide: at nominal 95 % such intervals cover up "
        "to "
    )
    if metric is None:
        if is_paired and is_few and canonical_name(column) in ("TPR", "FNR"):
            return f"{wide}.973"
        return ""
    if not isinstance(metric.function, RankingMetric):
        return ""
    kind, _, value = metric.name.partition("@")
    if kind == "precision" and int(value) < FEW_INSTANCES:
        coverage = ".88 to 1" if is_paired else ".92 to .99"
        return f"it rests on few instances: at nominal 95 % such intervals cover {coverage}"
    if kind == "pr_auc" and is_paired:
        return "at nominal 95 % intervals of its differences cover .91 to .95"
    coverages = {"pr_auc": ".98", "TPR": ".98", "partial_auc": ".985"}
    if is_paired:
        coverages = {"partial_auc": ".98"}
    coverage = coverages.get(kind, "")
    return f"{wide}{coverage}" if coverage and is_few else ""
