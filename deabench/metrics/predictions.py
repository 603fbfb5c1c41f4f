"""Compute metrics of predicted labels and of scores, one row per classifier."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.metrics import labels
from deabench.metrics.counts import WEIGHTED_CELLS, compute_metrics, select_metrics
from deabench.metrics.formulas import CELLS, SCORE_METRICS, direction_of
from deabench.metrics.metric import Metric, check_probabilities, metric_name
from deabench.metrics.roc_area import delong_of_sorted
from deabench.metrics.score_metrics import (
    AT_A_VALUE,
    BUILT_IN,
    RankingMetric,
    find_score_metric,
    sort_scores,
)
from deabench.utils import instances

FEW_INSTANCES = 30
"""With fewer instances of a class the intervals of areas, rates and ranking metrics cover a
little less, or more, than their nominal level."""
AREA_LIMITS = ("roc_auc_lower", "roc_auc_upper")
"""The columns of DeLong's interval."""


def count(
    y_true: instances.Values | labels.GroundTruth,
    predictions: instances.Predictions,
    *,
    positive: object = None,
    sample_weight: instances.Values | None = None,
) -> pd.DataFrame:
    """Count the 2x2 table of each classifier.

    Parameters
    ----------
    y_true : labels, one per instance
        Of any kind; two classes, or one (a fold without positives) where `positive` is named; or
        `against_rest(...)`.
    predictions : mapping or DataFrame
        {name: predicted labels}, one per instance, of the labels of `y_true`.
    positive : label, optional
        The positive class; by default 1 of {0, 1} and {-1, 1} and True of booleans, and of other
        labels the minority, with a warning. `attrs["positive"]` and `attrs["note"]` say which.
    sample_weight : numbers >= 0, optional
        One per instance; the cells are then sums of weights, and `attrs["weighted"]` is True, which
        lets `from_counts`, `pooled` and `usefulness` take them.

    Returns
    -------
    DataFrame, classifiers x (tp, fn, fp, tn)
        Whole numbers, or sums of weights; the index is named 'classifier'.

    Raises
    ------
    DataError
        Three classes, one class only, a missing label, a label that y_true does not know, lengths
        or indexes that differ, two classifiers of one name, an unknown positive label.

    Examples
    --------
    >>> from deabench import metrics
    >>> metrics.count([1, 1, 0, 0], {"a": [1, 0, 0, 0]}).loc["a"].tolist()  # tp, fn, fp, tn
    [1, 1, 0, 2]
    """
    true = labels.ground_truth(y_true, positive)
    weight = labels.read_weights(sample_weight, true)
    return count_cells(true, _read_labelled(predictions, true), weight)


def from_predictions(
    y_true: instances.Values | labels.GroundTruth,
    predictions: instances.Predictions,
    *,
    positive: object = None,
    sample_weight: instances.Values | None = None,
    metrics: Sequence[str | Metric] | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Compute metrics of predicted labels, one row per classifier: `from_counts` of `count`.

    Parameters
    ----------
    y_true, predictions, positive, sample_weight
        As for `count`; both classes must occur.
    metrics : sequence of names and `Metric`s, optional
        Names of `catalogue()` or the usual other words for them ('recall', 'precision');
        user-defined metrics of labels. By default all of the catalogue.
    **options
        As for `from_counts`.

    Returns
    -------
    DataFrame, classifiers x metrics
        As `from_counts` gives it; `attrs["positive"]` is the positive label, `attrs["note"]` says
        why, `attrs["better"]` which way each column is better.

    Examples
    --------
    >>> from_predictions([1, 1, 0, 0, 0], {"a": [1, 0, 0, 0, 1]}, metrics=["TPR", "TNR"]).round(3)
                TPR    TNR
    classifier
    a           0.5  0.667
    """
    true = labels.two_class_truth(y_true, positive)
    weight = labels.read_weights(sample_weight, true)
    return label_metrics(true, _read_labelled(predictions, true), weight, metrics, options)


def from_scores(
    y_true: instances.Values | labels.GroundTruth,
    scores: instances.Predictions,
    *,
    threshold: float | Mapping[str, float] | None = None,
    positive: object = None,
    sample_weight: instances.Values | None = None,
    metrics: Sequence[str | Metric] | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Compute metrics of scores, and with a threshold those of the labels, one row per classifier.

    Parameters
    ----------
    y_true, positive, sample_weight
        As for `count`; both classes must occur, and without `positive` the labels must be {0, 1},
        {-1, 1} or booleans.
    scores : mapping or DataFrame
        {name: scores}, one finite number per instance; the higher, the more positive.
    threshold : float or {name: float}, optional
        An instance is labelled positive where its score is >= threshold, as in scikit-learn's
        curves. Without one, only the metrics of the scores are given.
    metrics : sequence of names and `Metric`s, optional
        'roc_auc', 'pr_auc', 'KS' (the default), 'log_loss', 'brier', 'ece', 'partial_auc@0.1',
        'TPR@FPR=0.05', 'precision@10', 'net_benefit@0.2', user-defined metrics, and with a
        threshold those of `catalogue()`.
    **options
        As for `from_counts`.

    Returns
    -------
    DataFrame, classifiers x metrics
        'roc_auc' has DeLong's 95% interval beside it, on the logit ('roc_auc_lower',
        'roc_auc_upper'; see `delong`); 'pr_auc' is average precision (step-wise, scikit-learn's),
        'KS' the greatest TPR − FPR. Sample weights leave the interval undefined, because DeLong's
        variance takes none.

    Warns
    -----
    DataWarning
        Where DeLong's variance is 0 or unknown (a perfect ranking, one instance of a class); see
        `delong`.

    Examples
    --------
    >>> from deabench import metrics
    >>> y, scores = [1, 1, 0, 0], {"net": [.9, .4, .6, .1]}
    >>> table = metrics.from_scores(y, scores, threshold=.5, metrics=["roc_auc", "TPR"])
    >>> table[["roc_auc", "TPR"]].loc["net"].tolist()
    [0.75, 0.5]
    """
    # The names are checked first, because scores may take long to read.
    beta = float(options.get("beta", 1.0))
    score_metrics, label_names = split_metrics(metrics, threshold, beta)
    true = labels.two_class_truth(y_true, positive, scores=True)
    weight = labels.read_weights(sample_weight, true)
    values = {
        name: labels.read_scores(score, true, name=name)
        for name, score in instances.predictions_by_name(scores).items()
    }
    table = _score_table(true, values, weight, score_metrics)
    if not label_names:
        return table
    # The labels at the thresholds have metrics of their own.
    thresholds = thresholds_by_name(threshold, list(values))
    labelled = {name: at_or_above(score, thresholds[name]) for name, score in values.items()}
    label_table = label_metrics(true, labelled, weight, label_names, options)
    attrs = {
        **label_table.attrs,
        "better": {**table.attrs["better"], **label_table.attrs["better"]},
        "undefined": (*table.attrs["undefined"], *label_table.attrs["undefined"]),
        "notes": table.attrs["notes"],
        "threshold": "positive where score >= threshold",
    }
    # The request may mix metrics of scores and of labels in any order.
    order = _column_order(metrics, score_metrics, label_names)
    table = pd.concat([table, label_table], axis=1)
    table = table[[name for name in order if name in table.columns]]
    table.attrs = attrs
    return table


def count_cells(
    true: labels.GroundTruth, labelled: Mapping[str, np.ndarray], weight: np.ndarray | None
) -> pd.DataFrame:
    """Count tp, fn, fp and tn of each classifier, from where it labels positive."""
    # Cells are numbered tp, fn, fp, tn: one more where an instance is not labelled positive.
    first_cell = np.where(true.is_positive, 0, 2)
    rows = {
        name: np.bincount(first_cell + ~positive, weight, 4) for name, positive in labelled.items()
    }
    table = pd.DataFrame.from_dict(rows, orient="index", columns=list(CELLS))
    table = table.rename_axis("classifier")
    table.attrs = {"positive": true.positive, "note": true.note}
    if weight is not None:
        table.attrs["weighted"] = WEIGHTED_CELLS
    return table


def label_metrics(
    true: labels.GroundTruth,
    labelled: Mapping[str, np.ndarray],
    weight: np.ndarray | None,
    metrics: Sequence[str | Metric] | None,
    options: Mapping[str, Any],
) -> pd.DataFrame:
    """Compute metrics of labels: the catalogue's from counts, user-defined ones from labels."""
    if metrics is None or isinstance(metrics, str):
        # A text is refused with the counts; None stands for all of the catalogue.
        requested: list[str | Metric] = []
        names: Sequence[str] | None = metrics
    else:
        requested = list(dict.fromkeys(metrics))
        names = [metric for metric in requested if isinstance(metric, str)]
    for metric in requested:
        _require_labels(metric)
    user_defined = {metric.name: metric for metric in requested if isinstance(metric, Metric)}
    counts = count_cells(true, labelled, weight)
    table = pd.DataFrame(index=counts.index)
    # With user-defined metrics only, the catalogue is not computed.
    if names is None or names or not user_defined:
        table = compute_metrics(counts, metrics=names, **options)
    # User-defined metrics follow; the table is put in the requested order at the end.
    undefined = table.attrs.get("undefined", ())
    for name, metric in user_defined.items():
        table[name] = [
            metric.value(true.is_positive, positive.astype(int), weight)
            for positive in labelled.values()
        ]
    if user_defined:
        table = table[[metric_name(metric) for metric in requested]]
    better = {
        name: user_defined[name].better if name in user_defined else str(direction_of(name))
        for name in table.columns
    }
    table.attrs = {
        "positive": true.positive,
        "note": true.note,
        "undefined": undefined,
        "better": better,
    }
    return table


def split_metrics(
    metrics: Sequence[str | Metric] | None, threshold: object, beta: float
) -> tuple[dict[str, Metric], list[str | Metric]]:
    """Return the metrics of scores, by column, and those of the labels at the threshold."""
    if metrics is None:
        defaults = {name: BUILT_IN[name] for name in SCORE_METRICS}
        return defaults, [] if threshold is None else list(select_metrics(None, beta))
    if isinstance(metrics, str) or not len(metrics):
        select_metrics(metrics, beta)  # type: ignore[arg-type]  # raises: a text, or empty
    # A metric of scores keeps the user's name of it as its column.
    score_metrics: dict[str, Metric] = {}
    label_names: list[str | Metric] = []
    for requested in metrics:
        metric = requested if isinstance(requested, Metric) else find_score_metric(str(requested))
        # A metric of labels needs the threshold.
        if metric is not None and metric.needs != "labels":
            score_metrics[metric_name(requested)] = metric
        else:
            label_names.append(requested)
    # Unknown names are refused with the metrics of scores among the suggestions.
    names = [name for name in label_names if isinstance(name, str)]
    if names:
        select_metrics(names, beta, also=[*BUILT_IN, *AT_A_VALUE])
    if label_names and threshold is None:
        name = metric_name(label_names[0])
        raise DataError(f"metric '{name}' needs labels; give a threshold on the scores")
    return score_metrics, label_names


def at_or_above(score: np.ndarray, threshold: float) -> np.ndarray:
    """Return where score >= threshold, exactly also for whole numbers beyond 2⁵³."""
    # For whole numbers score >= t is score >= ⌈t⌉, without rounding to floats.
    limit = threshold if score.dtype.kind == "f" else math.ceil(threshold)
    return np.asarray(score >= limit)


def thresholds_by_name(
    threshold: float | Mapping[str, float] | None, names: Sequence[str]
) -> dict[str, float]:
    """Return the threshold of each classifier, finite."""
    thresholds = {}
    for name in names:
        value = threshold.get(name) if isinstance(threshold, Mapping) else threshold
        if value is None or not np.isfinite(value):
            raise DataError(f"the threshold of '{name}' is {value}; give a finite number")
        thresholds[name] = value
    return thresholds


def _read_labelled(
    predictions: instances.Predictions, true: labels.GroundTruth
) -> dict[str, np.ndarray]:
    """Return where each classifier labels positive."""
    return {
        name: labels.predicted_positive(predicted, true, name=name)
        for name, predicted in instances.predictions_by_name(predictions).items()
    }


def _require_labels(metric: str | Metric) -> None:
    declared = metric if isinstance(metric, Metric) else find_score_metric(metric)
    if declared is not None and declared.needs != "labels":
        raise DataError(
            f"metric '{metric_name(metric)}' needs {declared.needs}; give them to from_scores"
        )


def _score_table(
    true: labels.GroundTruth,
    values: Mapping[str, np.ndarray],
    weight: np.ndarray | None,
    metrics: Mapping[str, Metric],
) -> pd.DataFrame:
    """Compute the metrics of scores, with DeLong's interval beside the area."""
    # Each score is sorted once for all metrics of its ranking.
    samples = {name: sort_scores(true.is_positive, score) for name, score in values.items()}
    steps = {name: sample.steps(weight) for name, sample in samples.items()}
    lower, upper = AREA_LIMITS
    table = pd.DataFrame(index=pd.Index(list(values), name="classifier"))
    undefined: tuple[str, ...] = ()
    for column, metric in metrics.items():
        table[column] = [
            _score_value(metric, true, score, name, weight, steps[name])
            for name, score in values.items()
        ]
        if metric is not BUILT_IN["roc_auc"]:
            continue
        if weight is None:
            # Wald's interval covers .87 near 1; that on the logit .93.
            limits = delong_of_sorted(samples).interval(method="logit")
            table[lower] = limits["lower"]
            table[upper] = limits["upper"]
        else:
            table[[lower, upper]] = np.nan
            undefined = (
                "the interval of roc_auc is undefined: DeLong's variance takes no sample weights",
            )
    table.attrs = {
        "positive": true.positive,
        "note": true.note,
        "undefined": undefined,
        "better": {column: metric.better for column, metric in metrics.items()},
        "notes": _area_notes(true, table),
    }
    return table


def _area_notes(true: labels.GroundTruth, table: pd.DataFrame) -> tuple[str, ...]:
    """Return a note on the coverage of an area's limits with few instances of a class."""
    positives = int(true.is_positive.sum())
    # The rarer class decides how well the limits hold.
    fewest = min(positives, len(true.is_positive) - positives)
    lower = AREA_LIMITS[0]
    if lower not in table or not 2 <= fewest < FEW_INSTANCES or table[lower].isna().all():
        return ()
    return (
        f"with {fewest} instances of a class the limits of 'roc_auc' hold a little less often than "
        "95 % (.93 with 20); those of deabench.metrics.intervals ('deabench metrics --intervals') "
        "hold .94",
    )


def _score_value(
    metric: Metric,
    true: labels.GroundTruth,
    score: np.ndarray,
    name: str,
    weight: np.ndarray | None,
    steps: tuple[np.ndarray, np.ndarray],
) -> float:
    if metric.needs == "probabilities":
        check_probabilities(score, name, metric.name)
    if isinstance(metric.function, RankingMetric):
        return float(metric.function.of(*steps))
    return metric.value(true.is_positive, score, weight)


def _column_order(
    metrics: Sequence[str | Metric] | None,
    score_metrics: Mapping[str, Metric],
    label_names: Sequence[str | Metric],
) -> list[str]:
    """Return the columns in the order of the request, with the interval beside its area."""
    # Without a request: metrics of scores first, then those of labels.
    requested = [*score_metrics, *label_names] if metrics is None else dict.fromkeys(metrics)
    order: list[str] = []
    for metric in requested:
        name = metric_name(metric)
        order.append(name)
        if score_metrics.get(name) is BUILT_IN["roc_auc"]:
            order.extend(AREA_LIMITS)
    return order
