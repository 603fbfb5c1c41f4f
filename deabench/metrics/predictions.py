"""From predicted labels to metrics, one row per classifier."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.metrics import labels
from deabench.metrics.counts import compute_metrics, select_metrics
from deabench.metrics.formulas import CELLS, SCORE_METRICS, direction_of
from deabench.metrics.metric import Metric, check_probabilities
from deabench.metrics.roc_area import delong_of_sorted
from deabench.metrics.score_metrics import (
    AT_A_VALUE,
    BUILT_IN,
    RankingMetric,
    find_score_metric,
    sort_scores,
)
from deabench.utils import instances


def count(
    y_true: instances.Values | labels.GroundTruth,
    predictions: instances.Predictions,
    *,
    positive: object = None,
    sample_weight: instances.Values | None = None,
) -> pd.DataFrame:
    """The 2x2 table of each classifier.

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
        One per instance; the cells are then sums of weights, and `attrs["weighted"]` says so, which
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
    return _count(labels.ground_truth(y_true, positive), predictions, sample_weight)


def from_predictions(
    y_true: instances.Values | labels.GroundTruth,
    predictions: instances.Predictions,
    *,
    positive: object = None,
    sample_weight: instances.Values | None = None,
    metrics: Sequence[str | Metric] | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Metrics of predicted labels, one row per classifier: `from_counts` of `count`.

    Parameters
    ----------
    y_true, predictions, positive, sample_weight
        As for `count`; both classes must occur.
    metrics : sequence of names and `Metric`s, optional
        Names of `catalogue()` or the usual other words for them ('recall', 'precision'); metrics of
        labels of one's own. By default all of the catalogue.
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
    hits = {
        name: labels.predicted_positive(said, true, name=name)
        for name, said in instances.predictions_by_name(predictions).items()
    }
    return label_metrics(true, hits, weight, metrics, options)


def _count(
    true: labels.GroundTruth,
    predictions: instances.Predictions,
    sample_weight: instances.Values | None,
) -> pd.DataFrame:
    weight = labels.read_weights(sample_weight, true)
    pairs = instances.predictions_by_name(predictions)
    return count_cells(
        true,
        {name: labels.predicted_positive(said, true, name=name) for name, said in pairs.items()},
        weight,
    )


def count_cells(
    true: labels.GroundTruth, hits: Mapping[str, np.ndarray], weight: np.ndarray | None
) -> pd.DataFrame:
    cells = np.where(
        true.is_positive, 0, 2
    )  # tp, fn, fp, tn: plus one where it is not labelled positive
    rows = {name: np.bincount(cells + ~hit, weight, 4) for name, hit in hits.items()}
    table = pd.DataFrame.from_dict(rows, orient="index", columns=list(CELLS)).rename_axis(
        "classifier"
    )
    table.attrs = {"positive": true.positive, "note": true.note}
    if weight is not None:
        table.attrs["weighted"] = "the cells are sums of sample weights"
    return table


def label_metrics(
    true: labels.GroundTruth,
    hits: Mapping[str, np.ndarray],
    weight: np.ndarray | None,
    metrics: Sequence[str | Metric] | None,
    options: Mapping[str, Any],
) -> pd.DataFrame:
    """The metrics of labels: those of the catalogue from the counts, one's own from the labels."""
    asked = [metrics] if isinstance(metrics, str) else list(metrics or ())
    own = {one.name: one for one in asked if isinstance(one, Metric)}
    for one in asked:
        needs = (
            one.needs
            if isinstance(one, Metric)
            else getattr(find_score_metric(one), "needs", "labels")
        )
        if needs != "labels":
            raise DataError(
                f"metric '{one.name if isinstance(one, Metric) else one}' needs {needs}; give them to from_scores"
            )
    counts = count_cells(true, hits, weight)
    names = (
        metrics
        if isinstance(metrics, str) or not own
        else [one for one in asked if isinstance(one, str)]
    )
    table = (
        compute_metrics(counts, metrics=names, **options)
        if names or not own
        else pd.DataFrame(index=counts.index)
    )
    told = table.attrs.get("undefined", ())
    for name, metric in own.items():
        table[name] = [
            metric.value(true.is_positive, hit.astype(int), weight) for hit in hits.values()
        ]
    if own:
        table = table[
            [one.name if isinstance(one, Metric) else one for one in dict.fromkeys(asked)]
        ]
    better = {
        name: own[name].better if name in own else str(direction_of(name)) for name in table.columns
    }
    table.attrs = {
        "positive": true.positive,
        "note": true.note,
        "undefined": told,
        "better": better,
    }
    return table


FEW_INSTANCES = 30
"""With fewer instances of a class the intervals of areas, rates and ranking metrics cover a
little less, or more, than their nominal level."""
INTERVAL = ("roc_auc_lower", "roc_auc_upper")
"""The columns of DeLong's interval."""


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
    """Metrics of scores, one row per classifier: those of the ranking, and with a threshold those
    of the labels too.

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
        'TPR@FPR=0.05', 'precision@10', 'net_benefit@0.2', metrics of one's own, and with a
        threshold those of `catalogue()`.
    **options
        As for `from_counts`.

    Returns
    -------
    DataFrame, classifiers x metrics
        'roc_auc' has DeLong's 95% interval beside it, on the logit ('roc_auc_lower',
        'roc_auc_upper'; see `delong`); 'pr_auc' is average precision (step-wise, scikit-learn's),
        'KS' the greatest TPR − FPR. Sample weights leave the interval undefined, for DeLong's
        variance takes none.

    Warns
    -----
    DataWarning
        Where DeLong's variance is 0 or unknown (a perfect ranking, one instance of a class); see
        `delong`.

    Examples
    --------
    >>> from deabench import metrics
    >>> table = metrics.from_scores([1, 1, 0, 0], {"net": [.9, .4, .6, .1]}, threshold=.5, metrics=["roc_auc", "TPR"])
    >>> table[["roc_auc", "TPR"]].loc["net"].tolist()
    [0.75, 0.5]
    """
    ranked, at = split_metrics(metrics, threshold, float(options.get("beta", 1.0)))
    true = labels.two_class_truth(y_true, positive, scores=True)
    weight = labels.read_weights(sample_weight, true)
    values = {
        name: labels.read_scores(score, true, name=name)
        for name, score in instances.predictions_by_name(scores).items()
    }
    table = _scored(true, values, weight, ranked)
    if at:
        limits = thresholds_by_name(threshold, list(values))
        hits = {name: at_or_above(score, limits[name]) for name, score in values.items()}
        second = label_metrics(true, hits, weight, at, options)
        told = (*table.attrs["undefined"], *second.attrs["undefined"])
        better = {**table.attrs["better"], **second.attrs["better"]}
        attrs = {
            **second.attrs,
            "better": better,
            "undefined": told,
            "notes": table.attrs["notes"],
            "threshold": "positive where score >= threshold",
        }
        table = pd.concat([table, second], axis=1)
        table.attrs = attrs
        table = table[[name for name in _columns(metrics, ranked, at) if name in table.columns]]
    return table


def split_metrics(
    metrics: Sequence[str | Metric] | None, threshold: object, beta: float
) -> tuple[dict[str, Metric], list[str | Metric]]:
    """The metrics of scores, by column, and those of the labels at the threshold."""
    if metrics is None:
        return {name: BUILT_IN[name] for name in SCORE_METRICS}, list(
            select_metrics(None, beta)
        ) if threshold is not None else []
    if isinstance(metrics, str) or not len(metrics):
        select_metrics(metrics, beta)  # type: ignore[arg-type]  # refuses both
    ranked: dict[str, Metric] = {}
    at: list[str | Metric] = []
    for one in metrics:
        found = one if isinstance(one, Metric) else find_score_metric(str(one))
        if found is not None and found.needs != "labels":
            ranked[one.name if isinstance(one, Metric) else one] = found
        else:
            at.append(one)
    names = [one for one in at if isinstance(one, str)]
    if names:
        select_metrics(names, beta, also=[*BUILT_IN, *AT_A_VALUE])
    if at and threshold is None:
        name = at[0] if isinstance(at[0], str) else at[0].name
        raise DataError(f"metric '{name}' needs labels; give a threshold on the scores")
    return ranked, at


def _scored(
    true: labels.GroundTruth,
    values: Mapping[str, np.ndarray],
    weight: np.ndarray | None,
    metrics: Mapping[str, Metric],
) -> pd.DataFrame:
    samples = {name: sort_scores(true.is_positive, score) for name, score in values.items()}
    steps = {name: sample.steps(weight) for name, sample in samples.items()}
    table = pd.DataFrame(index=pd.Index(list(values), name="classifier"))
    told: tuple[str, ...] = ()
    for column, metric in metrics.items():
        table[column] = [
            _value(metric, true, score, name, weight, steps[name]) for name, score in values.items()
        ]
        if metric is BUILT_IN["roc_auc"] and weight is None:
            limits = delong_of_sorted(samples).interval(method="logit")  # Wald's covers .87 near 1
            table[INTERVAL[0]], table[INTERVAL[1]] = limits["lower"], limits["upper"]
        elif metric is BUILT_IN["roc_auc"]:
            table[INTERVAL[0]], table[INTERVAL[1]] = np.nan, np.nan
            told = (
                "the interval of roc_auc is undefined: DeLong's variance takes no sample weights",
            )
    better = {column: metric.better for column, metric in metrics.items()}
    table.attrs = {
        "positive": true.positive,
        "note": true.note,
        "undefined": told,
        "better": better,
        "notes": _few(true, table),
    }
    return table


def _few(true: labels.GroundTruth, table: pd.DataFrame) -> tuple[str, ...]:
    """What is known of the limits of an area with few instances of a class."""
    fewest = min(int(true.is_positive.sum()), int((~true.is_positive).sum()))
    if (
        INTERVAL[0] not in table
        or not 2 <= fewest < FEW_INSTANCES
        or table[INTERVAL[0]].isna().all()
    ):
        return ()
    return (
        f"with {fewest} instances of a class the limits of 'roc_auc' hold a little less often than 95 % (.93 with 20); those "
        "of deabench.metrics.intervals ('deabench metrics --intervals') hold .94",
    )


def _value(
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


def _columns(
    metrics: Sequence[str | Metric] | None, ranked: Mapping[str, Metric], at: Sequence[str | Metric]
) -> list[str]:
    """The order asked for, with the interval beside its area."""
    order: list[str] = []
    for one in [*ranked, *at] if metrics is None else dict.fromkeys(metrics):
        name = one.name if isinstance(one, Metric) else one
        order += [name, *INTERVAL] if ranked.get(name) is BUILT_IN["roc_auc"] else [name]
    return order


def at_or_above(score: np.ndarray, limit: float) -> np.ndarray:
    """Where score >= limit, exactly also for whole numbers beyond 2⁵³."""
    return np.asarray(score >= (limit if score.dtype.kind == "f" else math.ceil(limit)))


def thresholds_by_name(
    threshold: float | Mapping[str, float] | None, names: Sequence[str]
) -> dict[str, float]:
    limits = dict(threshold) if isinstance(threshold, Mapping) else dict.fromkeys(names, threshold)
    for name in names:
        value = limits.get(name)
        if value is None or not np.isfinite(value):
            raise DataError(f"the threshold of '{name}' is {value}; give a finite number")
    return {name: limits[name] for name in names}  # type: ignore[misc]
