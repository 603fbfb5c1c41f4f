"""Intervals for every metric, and for the difference of two classifiers on the same instances."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from deabench.errors import DataError
from deabench.inference.interval_methods import (
    IntervalRequest,
    MetricLimits,
    coverage_caveat,
    difference_interval,
    make_request,
    metric_interval,
)
from deabench.inference.resampling import Design, DesignName, make_design
from deabench.metrics import labels
from deabench.metrics.metric import Metric
from deabench.utils import instances
from deabench.utils.checks import share
from deabench.utils.result import Result

COLUMNS = ["estimate", "lower", "upper", "method"]


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

    _text = "metrics"

    table: pd.DataFrame
    alpha: float
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """The table, as a frame of its own."""
        return self.table.copy()


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
    """Intervals for metrics of labels or of scores, by the design that made the instances.

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
    Coverage at nominal 95 %, simulated case by case at 200 rows, prevalence .1 to .5 (`python -m
    benchmarks coverage`, docs/metrics.md): .93 to .97, but for what the notes name (precision@k of
    few k; with few positives TPR at an FPR, pr_auc and partial areas); the percentiles of a metric
    of one's own are not known. KS and ece have no interval: both are biased upward, and no
    bootstrap of them covers.

    Examples
    --------
    >>> found = intervals([1] * 40 + [0] * 60, {"a": [1] * 30 + [0] * 70}, metrics=["TPR", "accuracy"])
    >>> found.table[["lower", "upper"]].round(2).to_numpy().tolist()
    [[0.6, 0.86], [0.83, 0.95]]
    """
    asked, setting, alpha = _asked(y_true, predictions, metrics, threshold, design, by, options)
    rows = {
        (name, column): metric_interval(asked, name, column, setting, alpha)
        for name in asked.values
        for column in asked.metrics
    }
    return _result(rows, ["classifier", "metric"], asked, setting, alpha)


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
    """Paired differences first − second, for every two classifiers on the same instances, with
    intervals.

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
        Intervals are one by one: nothing is corrected for their number.

    Examples
    --------
    >>> y = [1] * 40 + [0] * 60
    >>> found = differences(y, {"a": [1] * 30 + [0] * 70, "b": [1] * 20 + [0] * 80}, metrics=["TPR"])
    >>> found.table[["estimate", "lower", "upper"]].round(2).to_numpy().tolist()
    [[0.25, 0.14, 0.4]]
    """
    threshold = options.pop("threshold", None)
    asked, setting, alpha = _asked(y_true, predictions, metrics, threshold, design, by, options)
    names = list(asked.values)
    if control is not None and control not in names:
        raise DataError(
            f"there is no classifier '{control}'; there are {instances.format_labels(names)}"
        )
    pairs = (
        [(name, control) for name in names if name != control]
        if control is not None
        else list(itertools.combinations(names, 2))
    )
    if not pairs:
        raise DataError("there is one classifier only; a difference takes two")
    rows = {
        (first, second, column): difference_interval(asked, (first, second), column, setting, alpha)
        for first, second in pairs
        for column in asked.metrics
    }
    return _result(rows, ["first", "second", "metric"], asked, setting, alpha)


def _asked(
    y_true: instances.Values | labels.GroundTruth,
    predictions: instances.Predictions,
    metrics: Sequence[str | Metric] | None,
    threshold: float | None,
    design: DesignName,
    by: instances.Values | None,
    options: dict[str, Any],
) -> tuple[IntervalRequest, Design, float]:
    rest = dict(options)
    alpha = share("alpha", rest.pop("alpha", 0.05))
    positive, weight = rest.pop("positive", None), rest.pop("sample_weight", None)
    asked = make_request(y_true, predictions, metrics, threshold, positive=positive, options=rest)
    return (
        asked,
        make_design(asked.true, design, by, labels.read_weights(weight, asked.true)),
        alpha,
    )


def _result(
    rows: Mapping[Any, MetricLimits],
    names: list[str],
    asked: IntervalRequest,
    setting: Design,
    alpha: float,
) -> Intervals:
    index = pd.MultiIndex.from_tuples(list(rows), names=names)
    table = pd.DataFrame([row[:4] for row in rows.values()], index, COLUMNS)
    positives, paired = int(asked.true.is_positive.sum()), "second" in names
    reasons = dict.fromkeys(
        f"{key[-1]}: {said}"
        for key, row in rows.items()
        if (
            said := row[4]
            or coverage_caveat(key[-1], asked.metrics[key[-1]], positives, paired=paired)
        )
    )
    return Intervals(table, alpha, (setting.said(), asked.true.note, *reasons))
