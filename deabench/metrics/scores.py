"""From scores to metrics, one row per classifier."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.metrics import labels, ranking
from deabench.metrics.areas import of_sorted
from deabench.metrics.closed import FEW
from deabench.metrics.counts import chosen
from deabench.metrics.declared import Metric, probabilities
from deabench.metrics.formulas import SCORE_METRICS
from deabench.metrics.predictions import labelled
from deabench.metrics.shipped import AT_A_VALUE, SHIPPED, OfRanking, of_scores
from deabench.utils import instances

INTERVAL = ("roc_auc_lower", "roc_auc_upper")
"""The columns of DeLong's interval."""


def from_scores(
    y_true: instances.Values | labels.Truth,
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
    ranked, at = split(metrics, threshold, float(options.get("beta", 1.0)))
    true = labels.two_classes(y_true, positive, scores=True)
    weight = labels.weights_of(sample_weight, true)
    values = {
        name: labels.scores_of(score, true, name=name)
        for name, score in instances.named(scores).items()
    }
    table = _scored(true, values, weight, ranked)
    if at:
        limits = thresholds(threshold, list(values))
        hits = {name: at_least(score, limits[name]) for name, score in values.items()}
        second = labelled(true, hits, weight, at, options)
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


def split(
    metrics: Sequence[str | Metric] | None, threshold: object, beta: float
) -> tuple[dict[str, Metric], list[str | Metric]]:
    """The metrics of scores, by column, and those of the labels at the threshold."""
    if metrics is None:
        return {name: SHIPPED[name] for name in SCORE_METRICS}, list(
            chosen(None, beta)
        ) if threshold is not None else []
    if isinstance(metrics, str) or not len(metrics):
        chosen(metrics, beta)  # type: ignore[arg-type]  # refuses both
    ranked: dict[str, Metric] = {}
    at: list[str | Metric] = []
    for one in metrics:
        found = one if isinstance(one, Metric) else of_scores(str(one))
        if found is not None and found.needs != "labels":
            ranked[one.name if isinstance(one, Metric) else one] = found
        else:
            at.append(one)
    names = [one for one in at if isinstance(one, str)]
    if names:
        chosen(names, beta, also=[*SHIPPED, *AT_A_VALUE])
    if at and threshold is None:
        name = at[0] if isinstance(at[0], str) else at[0].name
        raise DataError(f"metric '{name}' needs labels; give a threshold on the scores")
    return ranked, at


def _scored(
    true: labels.Truth,
    values: Mapping[str, np.ndarray],
    weight: np.ndarray | None,
    metrics: Mapping[str, Metric],
) -> pd.DataFrame:
    samples = {name: ranking.falling(true.is_positive, score) for name, score in values.items()}
    steps = {name: sample.steps(weight) for name, sample in samples.items()}
    table = pd.DataFrame(index=pd.Index(list(values), name="classifier"))
    told: tuple[str, ...] = ()
    for column, metric in metrics.items():
        table[column] = [
            _value(metric, true, score, name, weight, steps[name]) for name, score in values.items()
        ]
        if metric is SHIPPED["roc_auc"] and weight is None:
            limits = of_sorted(samples).interval(method="logit")  # Wald's covers .87 near 1
            table[INTERVAL[0]], table[INTERVAL[1]] = limits["lower"], limits["upper"]
        elif metric is SHIPPED["roc_auc"]:
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


def _few(true: labels.Truth, table: pd.DataFrame) -> tuple[str, ...]:
    """What is known of the limits of an area with few instances of a class."""
    fewest = min(int(true.is_positive.sum()), int((~true.is_positive).sum()))
    if INTERVAL[0] not in table or not 2 <= fewest < FEW or table[INTERVAL[0]].isna().all():
        return ()
    return (
        f"with {fewest} instances of a class the limits of 'roc_auc' hold a little less often than 95 % (.93 with 20); those "
        "of deabench.metrics.intervals ('deabench metrics --intervals') hold .94",
    )


def _value(
    metric: Metric,
    true: labels.Truth,
    score: np.ndarray,
    name: str,
    weight: np.ndarray | None,
    steps: tuple[np.ndarray, np.ndarray],
) -> float:
    if metric.needs == "probabilities":
        probabilities(score, name, metric.name)
    if isinstance(metric.function, OfRanking):
        return float(metric.function.of(*steps))
    return metric.value(true.is_positive, score, weight)


def _columns(
    metrics: Sequence[str | Metric] | None, ranked: Mapping[str, Metric], at: Sequence[str | Metric]
) -> list[str]:
    """The order asked for, with the interval beside its area."""
    order: list[str] = []
    for one in [*ranked, *at] if metrics is None else dict.fromkeys(metrics):
        name = one.name if isinstance(one, Metric) else one
        order += [name, *INTERVAL] if ranked.get(name) is SHIPPED["roc_auc"] else [name]
    return order


def at_least(score: np.ndarray, limit: float) -> np.ndarray:
    """Where score >= limit, exactly also for whole numbers beyond 2⁵³."""
    return np.asarray(score >= (limit if score.dtype.kind == "f" else math.ceil(limit)))


def thresholds(
    threshold: float | Mapping[str, float] | None, names: Sequence[str]
) -> dict[str, float]:
    limits = dict(threshold) if isinstance(threshold, Mapping) else dict.fromkeys(names, threshold)
    for name in names:
        value = limits.get(name)
        if value is None or not np.isfinite(value):
            raise DataError(f"the threshold of '{name}' is {value}; give a finite number")
    return {name: limits[name] for name in names}  # type: ignore[misc]
