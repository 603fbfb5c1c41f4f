"""From predicted labels to metrics, one row per classifier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.metrics import labels
from deabench.metrics.counts import table_of
from deabench.metrics.declared import Metric
from deabench.metrics.formulas import CELLS, direction_of
from deabench.metrics.shipped import of_scores
from deabench.utils import instances


def count(
    y_true: instances.Values | labels.Truth,
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
    return _count(labels.truth(y_true, positive), predictions, sample_weight)


def from_predictions(
    y_true: instances.Values | labels.Truth,
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
    true = labels.two_classes(y_true, positive)
    weight = labels.weights_of(sample_weight, true)
    hits = {
        name: labels.predicted_positive(said, true, name=name)
        for name, said in instances.named(predictions).items()
    }
    return labelled(true, hits, weight, metrics, options)


def _count(
    true: labels.Truth, predictions: instances.Predictions, sample_weight: instances.Values | None
) -> pd.DataFrame:
    weight = labels.weights_of(sample_weight, true)
    pairs = instances.named(predictions)
    return counted(
        true,
        {name: labels.predicted_positive(said, true, name=name) for name, said in pairs.items()},
        weight,
    )


def counted(
    true: labels.Truth, hits: Mapping[str, np.ndarray], weight: np.ndarray | None
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


def labelled(
    true: labels.Truth,
    hits: Mapping[str, np.ndarray],
    weight: np.ndarray | None,
    metrics: Sequence[str | Metric] | None,
    options: Mapping[str, Any],
) -> pd.DataFrame:
    """The metrics of labels: those of the catalogue from the counts, one's own from the labels."""
    asked = [metrics] if isinstance(metrics, str) else list(metrics or ())
    own = {one.name: one for one in asked if isinstance(one, Metric)}
    for one in asked:
        needs = one.needs if isinstance(one, Metric) else getattr(of_scores(one), "needs", "labels")
        if needs != "labels":
            raise DataError(
                f"metric '{one.name if isinstance(one, Metric) else one}' needs {needs}; give them to from_scores"
            )
    counts = counted(true, hits, weight)
    names = (
        metrics
        if isinstance(metrics, str) or not own
        else [one for one in asked if isinstance(one, str)]
    )
    table = (
        table_of(counts, metrics=names, **options)
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
