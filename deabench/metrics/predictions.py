"""From predicted labels or scores to metrics, one row per classifier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from deabench import labels
from deabench.errors import DataError
from deabench.metrics.catalogue import CELLS, SCORE_METRICS
from deabench.metrics.counts import chosen, table_of
from deabench.metrics.delong import delong

INTERVAL = ("roc_auc_lower", "roc_auc_upper")
"""The columns of DeLong's interval."""


def count(
    y_true: labels.Values,
    predictions: labels.Predictions,
    *,
    positive: object = None,
    sample_weight: labels.Values | None = None,
) -> pd.DataFrame:
    """The 2x2 table of each classifier.

    Parameters
    ----------
    y_true : labels, one per instance
        Of any kind; two classes, or one (a fold without positives) where `positive` is named.
    predictions : mapping or DataFrame
        {name: predicted labels}, one per instance, of the labels of `y_true`.
    positive : label, optional
        The positive class; by default the minority, which `attrs["positive"]` and `attrs["note"]` say.
    sample_weight : numbers >= 0, optional
        One per instance; the cells are then sums of weights.

    Returns
    -------
    DataFrame, classifiers x (tp, fn, fp, tn)
        Whole numbers, or sums of weights; the index is named 'classifier'.

    Raises
    ------
    DataError
        Three classes, one class only, a missing label, a label that y_true does not know, lengths that differ, an
        unknown positive label.
    """
    return _count(labels.truth(y_true, positive), predictions, sample_weight)


def from_predictions(
    y_true: labels.Values,
    predictions: labels.Predictions,
    *,
    positive: object = None,
    sample_weight: labels.Values | None = None,
    metrics: Sequence[str] | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Metrics of predicted labels, one row per classifier: `from_counts` of `count`.

    Parameters
    ----------
    y_true, predictions, positive, sample_weight
        As for `count`; both classes must occur.
    metrics, **options
        As for `from_counts`.

    Returns
    -------
    DataFrame, classifiers x metrics
        `attrs["positive"]` is the positive class, `attrs["note"]` says why, `attrs["undefined"]` what is undefined.

    Examples
    --------
    >>> from_predictions(["ill", "well", "well"], {"all": ["ill", "ill", "ill"]}, metrics=["TPR", "TNR"])
                TPR  TNR
    classifier          
    all         1.0  0.0
    """  # noqa: W291 - pandas writes the spaces
    true = labels.two_classes(y_true, positive)
    counts = _count(true, predictions, sample_weight)
    table = table_of(counts, metrics=metrics, **options)
    table.attrs = {**counts.attrs, **table.attrs}
    return table


def from_scores(
    y_true: labels.Values,
    scores: labels.Predictions,
    *,
    threshold: float | Mapping[str, float] | None = None,
    positive: object = None,
    sample_weight: labels.Values | None = None,
    metrics: Sequence[str] | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Metrics of scores, one row per classifier: those of the whole ranking, and those at a threshold.

    Parameters
    ----------
    y_true, positive, sample_weight
        As for `count`; both classes must occur.
    scores : mapping or DataFrame
        {name: scores}, one finite number per instance; the higher, the more positive.
    threshold : float or {name: float}, optional
        An instance is labelled positive where its score is >= threshold, as in scikit-learn's curves. Without one,
        only the metrics of the ranking are given.
    metrics : sequence of names, optional
        Of `catalogue()`, and 'roc_auc', 'pr_auc', 'KS'; by default all that can be had.
    **options
        As for `from_counts`.

    Returns
    -------
    DataFrame, classifiers x metrics
        First 'roc_auc' with DeLong's 95% interval ('roc_auc_lower', 'roc_auc_upper'; see `delong`), 'pr_auc' (average
        precision: the step-wise area, scikit-learn's) and 'KS' (the greatest TPR − FPR); then those of the labels.
        Sample weights leave the interval undefined, for DeLong's variance takes none.

    Warns
    -----
    DataWarning
        Where DeLong's variance is 0 or unknown (a perfect ranking, one instance of a class); see `delong`.
    """
    ranking, at = _split(metrics, threshold, float(options.get("beta", 1.0)))
    pairs = labels.named(scores)
    true = labels.two_classes(y_true, positive)
    weight = labels.weights_of(sample_weight, true)
    values = {name: labels.scores_of(score, true, name=name) for name, score in pairs.items()}
    table = _ranking(true, values, weight, ranking)
    if at:
        limits = _thresholds(threshold, list(values))
        counts = _counted(true, {name: score >= limits[name] for name, score in values.items()}, weight)
        labelled = table_of(counts, metrics=at, **options)
        told = (*table.attrs["undefined"], *labelled.attrs["undefined"])
        table = pd.concat([table, labelled], axis=1)
        table.attrs = {**counts.attrs, "undefined": told, "threshold": "positive where score >= threshold"}
        table = table[[name for name in _columns(metrics, ranking, at) if name in table.columns]]
    return table


def _count(
    true: labels.Truth, predictions: labels.Predictions, sample_weight: labels.Values | None
) -> pd.DataFrame:
    weight = labels.weights_of(sample_weight, true)
    pairs = labels.named(predictions)
    return _counted(true, {name: labels.predicted_positive(said, true, name=name) for name, said in pairs.items()}, weight)


def _counted(true: labels.Truth, hits: Mapping[str, np.ndarray], weight: np.ndarray | None) -> pd.DataFrame:
    each: np.ndarray = np.ones(len(true.is_positive), dtype=np.int64) if weight is None else weight
    rows = {
        name: [each[true.is_positive == actual][hit[true.is_positive == actual] == said].sum()
               for actual, said in ((True, True), (True, False), (False, True), (False, False))]
        for name, hit in hits.items()
    }
    table = pd.DataFrame.from_dict(rows, orient="index", columns=list(CELLS)).rename_axis("classifier")
    table.attrs = {"positive": true.positive, "note": true.note}
    return table


def _ranking(
    true: labels.Truth, values: Mapping[str, np.ndarray], weight: np.ndarray | None, names: Sequence[str]
) -> pd.DataFrame:
    from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

    def ks(y: np.ndarray, score: np.ndarray) -> float:
        fpr, tpr, _ = roc_curve(y, score, sample_weight=weight)
        return float(np.max(tpr - fpr))

    areas = {
        "roc_auc": lambda y, score: roc_auc_score(y, score, sample_weight=weight),
        "pr_auc": lambda y, score: average_precision_score(y, score, sample_weight=weight),
        "KS": ks,
    }
    table = pd.DataFrame(index=pd.Index(list(values), name="classifier"))
    told: tuple[str, ...] = ()
    for name in names:
        table[name] = [float(areas[name](true.is_positive, score)) for score in values.values()]
        if name == "roc_auc" and weight is None:
            limits = delong(true.is_positive, values, positive=True).interval()
            table[INTERVAL[0]], table[INTERVAL[1]] = limits["lower"], limits["upper"]
        elif name == "roc_auc":
            table[INTERVAL[0]], table[INTERVAL[1]] = np.nan, np.nan
            told = ("the interval of roc_auc is undefined: DeLong's variance takes no sample weights",)
    table.attrs = {"positive": true.positive, "note": true.note, "undefined": told}
    return table


def _split(metrics: Sequence[str] | None, threshold: object, beta: float) -> tuple[list[str], list[str]]:
    """The names that need the scores, and those that need the labels at the threshold."""
    if metrics is None:
        return list(SCORE_METRICS), chosen(None, beta) if threshold is not None else []
    if isinstance(metrics, str) or not len(metrics):
        chosen(metrics, beta)  # refuses both
    ranking = [name for name in metrics if name in SCORE_METRICS]
    rest = [name for name in metrics if name not in SCORE_METRICS]
    at = chosen(rest, beta, also=SCORE_METRICS) if rest else []
    if at and threshold is None:
        raise DataError(f"metric '{at[0]}' needs labels; give a threshold on the scores")
    return ranking, at


def _columns(metrics: Sequence[str] | None, ranking: Sequence[str], at: Sequence[str]) -> list[str]:
    """The order asked for, with the interval beside its area."""
    order = []
    for name in [*ranking, *at] if metrics is None else list(dict.fromkeys(metrics)):
        order += [name, *INTERVAL] if name == "roc_auc" else [name]
    return order


def _thresholds(threshold: float | Mapping[str, float] | None, names: Sequence[str]) -> dict[str, float]:
    limits = dict(threshold) if isinstance(threshold, Mapping) else dict.fromkeys(names, threshold)
    for name in names:
        value = limits.get(name)
        if value is None or not np.isfinite(value):
            raise DataError(f"the threshold of '{name}' is {value}; give a finite number")
    return {name: float(limits[name]) for name in names}  # type: ignore[arg-type]
