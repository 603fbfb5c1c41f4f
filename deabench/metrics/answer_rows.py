"""Match answers of classifiers, one per row, by instance, and compute their metrics.

The rows have the columns `classifier`, `y_true` and `y_pred`, `score` or both (or `tp`, `fn`, `fp`
and `tn`), and where there are any `dataset`, `fold`, `instance`, `cluster` and `weight`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError, DataWarning
from deabench.metrics.counts import from_counts, pooled
from deabench.metrics.labels import GroundTruth, against_rest, ground_truth, two_class_truth
from deabench.metrics.multiclass import from_classes
from deabench.metrics.predictions import from_predictions, from_scores
from deabench.utils.instances import to_python_scalar

INSTANCE_COLUMNS = ["y_true", "instance", "dataset", "fold", "repeat", "cluster", "weight"]
"""Columns that describe an instance; every other column of a wide file is a classifier."""
LABEL_METRICS = ("TPR", "TNR")
"""The default metrics of predicted labels and of counts."""
SCORE_METRICS = ("roc_auc",)
"""The default metrics of scores."""
MAX_CLASSES = 5
"""With more classes the accuracy is the metric, and not the recall of each class."""


def default_metrics(
    rows: pd.DataFrame, positive: object = None, threshold: float | None = None
) -> tuple[str, ...]:
    """Return the metrics of rows of answers or counts that a ranking takes without names.

    Two classes (also one against the rest) have TPR and TNR, with scores the AUC, too; up to
    `MAX_CLASSES` classes have the recall of each, and more, or classes that differ between data
    sets, the accuracy.
    """
    if "y_true" not in rows:
        return LABEL_METRICS
    classes = rows["y_true"].nunique()
    if classes > 2 and positive is None:
        # A data set's own classes: two data sets of other classes have no common recalls.
        is_common = "dataset" not in rows or rows.groupby("dataset")["y_true"].nunique().eq(classes)
        return ("recall",) if classes <= MAX_CLASSES and np.all(is_common) else ("accuracy",)
    metrics: tuple[str, ...] = ()
    if "y_pred" in rows or threshold is not None:
        metrics = LABEL_METRICS
    return (*metrics, *SCORE_METRICS) if "score" in rows else metrics


def metrics_of_rows(
    rows: pd.DataFrame,
    *,
    positive: object = None,
    threshold: float | None = None,
    metrics: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Compute the metrics of each classifier from rows of answers or counts.

    Folds are pooled; each data set is judged by itself.

    Parameters
    ----------
    rows : DataFrame
        As at the top of this module.
    positive : label, optional
        The positive class; by default 1 of {0, 1} and the like, otherwise the rarer class.
    threshold : number, optional
        Labels are positive where the score is >= threshold, instead of `y_pred`.
    metrics : sequence of names, optional
        By default those of `default_metrics`.

    Returns
    -------
    DataFrame, classifiers x metrics, or (data set, classifier) x metrics
        `attrs["notes"]` says which class is positive.
    """
    names = list(metrics or default_metrics(rows, positive, threshold))
    if "y_true" not in rows:
        keys: list[Any] = [key for key in ("dataset", "classifier") if key in rows]
        return from_counts(pooled(rows, keys), metrics=names)
    if "dataset" not in rows:
        return _metrics_of_test(rows, names, positive, threshold)
    parts = {
        name: _metrics_of_test(part, names, positive, threshold)
        for name, part in rows.groupby("dataset", sort=False)
    }
    table = pd.concat(parts, names=["dataset"])
    notes = [note for part in parts.values() for note in part.attrs["notes"]]
    table.attrs = {"notes": tuple(dict.fromkeys(notes))}
    return table


def _metrics_of_test(
    rows: pd.DataFrame, metrics: list[str], positive: object, threshold: float | None
) -> pd.DataFrame:
    """Compute the metrics of one data set, each classifier on its own rows."""
    if is_multiclass(rows, positive) or metrics == ["accuracy"]:
        return _metrics_of_classes(rows, metrics)
    # An instance that several classifiers answered counts once.
    keys = [key for key in ("fold", "repeat", "instance") if key in rows]
    instances = rows.drop_duplicates(keys) if "instance" in keys else rows
    truth = find_classes(instances["y_true"], positive, scores="y_pred" not in rows)
    of_scores = [name for name in metrics if name in SCORE_METRICS]
    of_labels = [name for name in metrics if name not in SCORE_METRICS]
    tables = []
    for name, answers in rows.groupby("classifier", sort=False):
        classes = classes_of_rows(truth, answers["y_true"])
        parts: list[pd.DataFrame] = []
        if of_labels and threshold is None:
            parts.append(from_predictions(classes, {name: answers["y_pred"]}, metrics=of_labels))
        elif of_labels:
            scores = {name: answers["score"]}
            parts.append(from_scores(classes, scores, metrics=of_labels, threshold=threshold))
        if of_scores:
            parts.append(from_scores(classes, {name: answers["score"]}, metrics=of_scores))
        tables.append(pd.concat(parts, axis=1)[metrics])
    table = pd.concat(tables).rename_axis("classifier")
    table.attrs = {"notes": (truth.note,)}
    return table


def is_multiclass(rows: pd.DataFrame, positive: object = None) -> bool:
    """Return whether the true labels have more than two classes, and none is named as positive."""
    return positive is None and rows["y_true"].nunique() > 2


def find_classes(
    y_true: pd.Series, positive: object = None, *, scores: bool = False
) -> GroundTruth:
    """Return the true classes; of more than two the positive one stands against the rest.

    Parameters
    ----------
    scores : bool
        Whether there are scores and no labels: then the rarer class is no default.
    """
    if positive is not None and y_true.nunique() > 2:
        return against_rest(y_true, positive)
    with warnings.catch_warnings():
        # Which class is positive becomes a note, and needs no warning besides.
        warnings.simplefilter("ignore", DataWarning)
        return ground_truth(y_true, positive, scores=scores)


def _metrics_of_classes(rows: pd.DataFrame, metrics: list[str]) -> pd.DataFrame:
    """Compute metrics of more than two classes."""
    if "y_pred" not in rows:
        raise DataError(
            f"y_true holds {rows['y_true'].nunique()} classes, and one score per instance tells "
            "two apart; give predicted labels in 'y_pred'"
        )
    names: Any = metrics
    tables = [
        from_classes(answers["y_true"], {name: answers["y_pred"]}, metrics=names)
        for name, answers in rows.groupby("classifier", sort=False)
    ]
    table = pd.concat(tables)
    table.attrs = {"notes": (tables[0].attrs["note"],)}
    return table


def align_classifiers(
    frame: pd.DataFrame,
    value: str,
    keys: Sequence[str],
    advice: str = "give all classifiers the same instances",
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return what is known of each instance, and the classifiers' answers side by side.

    Parameters
    ----------
    frame : DataFrame
        A wide file, or a long one with the columns classifier, y_true, `value` and `keys`.
    value : str
        The column of labels or scores of a long file.
    keys : sequence of str
        The columns that identify an instance of a long file.
    advice : str
        The end of the error message if the classifiers have different instances.

    Returns
    -------
    instances : DataFrame, instances x those of `INSTANCE_COLUMNS` that there are
    answers : DataFrame, instances x classifiers, in the order of the file

    Raises
    ------
    DataError
        If a classifier has an instance twice or lacks one, or an instance has two classes.
    """
    known_columns = [name for name in INSTANCE_COLUMNS if name in frame.columns]
    if "classifier" not in frame.columns:
        return frame[known_columns], frame.drop(columns=known_columns).rename(columns=str)
    _check_no_repeated_instance(frame, keys)
    check_one_class_per_instance(frame)
    classifiers = list(dict.fromkeys(frame["classifier"]))
    # `pivot` sorts the classifiers; the list brings back the order of the file.
    answers = frame.pivot(index=list(keys), columns="classifier", values=value)[classifiers]
    missing = answers.isna().to_numpy()
    if missing.any():
        row, column = np.argwhere(missing)[0]
        instance = _describe_instance(keys, answers.index[row])
        raise DataError(f"'{answers.columns[column]}' has no {value} for {instance}; {advice}")
    # The rows of one instance agree in what is known of it: take the first of them.
    instances = frame.set_index(list(keys), drop=False)[known_columns]
    instances = instances[~instances.index.duplicated()].loc[answers.index]
    return (
        instances.reset_index(drop=True),
        answers.reset_index(drop=True).rename_axis(columns=None).rename(columns=str),
    )


def _check_no_repeated_instance(frame: pd.DataFrame, keys: Sequence[str]) -> None:
    repeated = frame.duplicated(["classifier", *keys])
    if repeated.any():
        row = frame[repeated].iloc[0]
        instance = _describe_instance(keys, tuple(row[key] for key in keys))
        raise DataError(f"'{row['classifier']}' has {instance} twice; leave one row out")


def check_one_class_per_instance(frame: pd.DataFrame) -> None:
    """Refuse a long file in which an instance has different classes for two classifiers."""
    if not {"classifier", "instance", "y_true"} <= set(frame.columns):
        return
    keys = [name for name in ("dataset", "fold", "instance") if name in frame.columns]
    counts = frame.groupby(keys, sort=False)["y_true"].nunique()
    if not (counts > 1).any():
        return
    instance = counts.index[int((counts > 1).argmax())]
    # The first two rows of that instance that contradict each other.
    rows = frame.set_index(keys).loc[[instance]]
    first = rows.iloc[0]
    second = rows[rows["y_true"] != first["y_true"]].iloc[0]
    labels = [to_python_scalar(row["y_true"]) for row in (first, second)]
    raise DataError(
        f"{_describe_instance(keys, instance)} has the class {labels[0]!r} for "
        f"'{first['classifier']}' and {labels[1]!r} for '{second['classifier']}'; "
        "an instance has one class"
    )


def _describe_instance(keys: Sequence[str], values: Any) -> str:
    """Return the cells that identify an instance, as `fold '1', instance '7'`."""
    # A single key is no tuple.
    cells = values if isinstance(values, tuple) else (values,)
    return ", ".join(f"{key} '{cell}'" for key, cell in zip(keys, cells, strict=True))


def classes_of_rows(file_classes: GroundTruth, y_true: pd.Series | np.ndarray) -> GroundTruth:
    """Return the true classes of some rows, with the positive class of the whole file."""
    # The class is chosen in the whole file: a fold may have the other one as its minority.
    if file_classes.rest:
        return against_rest(y_true, file_classes.positive)
    return replace(two_class_truth(y_true, file_classes.positive), note=file_classes.note)
