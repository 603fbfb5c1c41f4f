"""Data sets of a study: tables of features and classes as matrices of numbers and codes.

Nothing is learnt from the rows here: categories come from the header or the values of a column, and
a column is numeric or nominal as a whole. What must be learnt (medians, scales) is learnt inside
each fold, by `deabench.study.learners.pipelines`.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.study.data.columns import (
    TWO_CLASSES,
    DataSpec,
    Feature,
    costs_of_classes,
    encode_features,
    feature_layout,
    format_class,
    read_features,
    read_fold_column,
    read_group_column,
    read_number_column,
    read_time_column,
)


@dataclass(frozen=True, eq=False)
class Dataset:
    """Hold a data set in the form that every learner takes.

    Attributes
    ----------
    name : str
    X : ndarray, rows x columns, float64
        Numeric features as they are (NaN where missing), a nominal one as one column per category
        (one column where there are two).
    y : ndarray of int
        Two classes: 1 = positive, the class named as such, otherwise the minority. More: positions
        in `classes`.
    features : int
        Features before nominal ones were spread over columns.
    partition : ndarray of int or None
        The fold in which each row is tested, -1 = never, where the data come with their own folds
        or test set.
    type : str
        The label of the data's type that came with them, "" where there is none.
    paper_ir : float
        The imbalance ratio that the 2022 paper prints, NaN where it has none.
    source : str
        Where the rows come from, for the manifest.
    classes : tuple of str
        Names of the codes in `y` where every class is kept; otherwise ("0", "1").
    columns : tuple of Feature
        Where each feature stands in X.
    frame : DataFrame or None
        The features before encoding, for learners that take columns by name.
    groups : ndarray of int or None
        Rows of one number (a patient, a site) are kept together by a split of groups.
    times : ndarray of float or None
        The time of each row, in days where the column holds dates: a split by time follows them.
    weights : ndarray of float or None
        What each row weighs in training.
    costs : ndarray of float or None
        What it costs to misclassify each row.
    notes : tuple of str
        What was left out or looks wrong.
    """

    name: str
    X: np.ndarray
    y: np.ndarray
    features: int
    partition: np.ndarray | None = None
    type: str = ""
    paper_ir: float = float("nan")
    source: str = ""
    classes: tuple[str, ...] = TWO_CLASSES
    columns: tuple[Feature, ...] = ()
    frame: pd.DataFrame | None = field(default=None, repr=False)
    groups: np.ndarray | None = None
    times: np.ndarray | None = None
    weights: np.ndarray | None = None
    costs: np.ndarray | None = None
    notes: tuple[str, ...] = ()

    @property
    def imbalance_ratio(self) -> float:
        """Return the rows of the largest class for each row of the smallest."""
        counts = np.bincount(self.y, minlength=len(self.classes))
        return float(counts.max() / counts.min())

    @cached_property
    def has_missing(self) -> bool:
        """Whether a cell of the matrix is missing."""
        return bool(np.isnan(self.X).any())

    @cached_property
    def sha256(self) -> str:
        """Return the digest of what results depend on: matrix, classes, folds, groups and so on.

        Costs are no part of it: they are counted after the results.
        """
        # read where it is, without a copy
        digest = hashlib.sha256(np.ascontiguousarray(self.X, dtype="<f8").data)
        digest.update(self.y.astype("i1").tobytes())
        digest.update(str(self.X.shape).encode())
        if self.partition is not None:
            digest.update(self.partition.astype("<i8").tobytes())
        if self.classes != TWO_CLASSES:
            digest.update(repr(self.classes).encode())
        if self.groups is not None:
            digest.update(b"groups" + self.groups.astype("<i8").tobytes())
        for name in ("times", "weights"):
            values = getattr(self, name)
            if values is not None:
                digest.update(name.encode() + values.astype("<f8").tobytes())
        return digest.hexdigest()

    @cached_property
    def head_sha256(self) -> str:
        """Return the digest of the columns' names, kinds and categories.

        A learner that takes columns by name depends on them, too.
        """
        header = []
        for name, values in self.frame.items() if self.frame is not None else ():
            categories = getattr(getattr(values, "cat", None), "categories", None)
            kind: object = str(values.dtype)
            if categories is not None:
                kind = list(map(str, categories))
            header.append((str(name), kind))
        return hashlib.sha256(repr(header).encode()).hexdigest()

    @property
    def identity(self) -> str:
        """Return one name for all that results depend on, its name too: seeds come from it."""
        content = [self.name, self.sha256, self.head_sha256]
        if self.costs is not None:
            content.append(hashlib.sha256(self.costs.astype("<f8").tobytes()).hexdigest())
        return hashlib.sha256(repr(content).encode()).hexdigest()


def make_dataset(spec: DataSpec, frame: pd.DataFrame, target: str, **attributes: Any) -> Dataset:
    """Make a data set of a table with its class column; see `Dataset` for the encoding.

    Rows without a class are left out with a note. The options of the spec are read: positive,
    negative, classes ("all" keeps every class), fold_column, groups, time, weights, costs, nominal.

    Raises
    ------
    DataError
        For a column that does not exist, classes that cannot be told apart, features that cannot
        be read.
    """
    if target not in frame.columns:
        raise DataError(
            f"data set '{spec.name}' has no column '{target}'; name its class column as target"
        )
    if not len(frame):
        raise DataError(f"data set '{spec.name}' has no rows; give a table with rows")
    # a row without a class can neither train nor test
    has_class = frame[target].notna().to_numpy()
    notes: tuple[str, ...] = ()
    if not has_class.all():
        notes = (
            f"data set '{spec.name}': {int((~has_class).sum())} of {len(frame)} rows have no class "
            f"in '{target}' and are left out",
        )
    labels = frame[target].where(has_class, "").map(format_class)
    # codes of the classes, and the rows that have one of them
    class_names: tuple[str, ...] = TWO_CLASSES
    if spec.get("classes") == "all":
        selected_rows = has_class
        codes, class_names = _encode_all_classes(spec, labels[has_class])
    else:
        selected_rows, codes = _encode_two_classes(spec, labels, has_class, target)
    # columns that say something about the rows are no features
    dropped = [target]
    if spec.get("fold_column"):
        attributes["partition"] = read_fold_column(spec, frame)[selected_rows]
        dropped.append(spec.get("fold_column"))
    if spec.get("groups"):
        attributes["groups"] = read_group_column(spec, frame)[selected_rows]
        dropped.append(spec.get("groups"))
    if spec.get("time"):
        attributes["times"] = read_time_column(spec, frame)[selected_rows]
        dropped.append(spec.get("time"))
    for option in ("weights", "costs"):
        if isinstance(spec.get(option), str):
            attributes[option] = read_number_column(spec, frame, option)[selected_rows]
            dropped.append(spec.get(option))
    if spec.get("costs") and "costs" not in attributes:
        attributes["costs"] = costs_of_classes(spec, codes, class_names)
    features, feature_notes = read_features(
        spec.name, frame.loc[selected_rows].drop(columns=dropped), spec.get("nominal", ())
    )
    if not len(features.columns):
        raise DataError(
            f"data set '{spec.name}' has no features besides its class '{target}'; give at least "
            "one"
        )
    X = encode_features(features)
    frame = features.reset_index(drop=True)
    # of numbers alone the frame is a view of the matrix
    if len(features.columns) and all(features.dtypes == np.float64):
        frame = pd.DataFrame(X, columns=features.columns, copy=False)
    return Dataset(
        spec.name,
        X,
        codes,
        features.shape[1],
        classes=class_names,
        columns=feature_layout(features),
        frame=frame,
        notes=(*notes, *feature_notes),
        **attributes,
    )


def _encode_all_classes(spec: DataSpec, labels: pd.Series) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the codes 0 to k - 1 of the rows, and the classes: numbers first, in order."""
    class_names = sorted(set(labels), key=_class_order)
    if not 2 <= len(class_names) <= 127:
        raise DataError(
            f"data set '{spec.name}' has {len(class_names)} classes; a study takes 2 to 127"
        )
    codes = {name: code for code, name in enumerate(class_names)}
    return labels.map(codes).to_numpy(dtype=int), tuple(class_names)


def _class_order(label: str) -> tuple[int, float, str]:
    try:
        number = float(label)
    except ValueError:
        number = math.nan
    # the label "nan" is a text as any other
    if math.isnan(number):
        return (1, 0.0, label)
    return (0, number, label)


def _encode_two_classes(
    spec: DataSpec, labels: pd.Series, has_class: np.ndarray, target: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return which rows are kept, and their codes: 1 = positive."""
    # the positive class as named, otherwise the smaller of two
    present = sorted(set(labels[has_class]))
    if spec.get("positive", "") == "":
        positive = _minority_class(spec.name, labels[has_class])
    else:
        positive = format_class(spec.get("positive"))
    named = [positive]
    if spec.get("negative") is not None:
        named.append(format_class(spec.get("negative")))
    for label in named:
        if label not in present:
            raise DataError(
                f"data set '{spec.name}' has no class '{label}' in its column '{target}'; it has "
                + ", ".join(f"'{name}'" for name in present[:8])
            )
    # with a negative class the rows of all others are left out
    selected_rows = has_class
    if len(named) == 2:
        selected_rows = has_class & labels.isin(named).to_numpy()
    return selected_rows, (labels[selected_rows] == positive).to_numpy().astype(int)


def _minority_class(name: str, labels: pd.Series) -> str:
    counts = labels.value_counts()
    if len(counts) != 2:
        raise DataError(
            f"data set '{name}' has {len(counts)} classes; name the positive one (the others are "
            "pooled, or name the negative one as well)"
        )
    if counts.iloc[0] == counts.iloc[1]:
        raise DataError(
            f"data set '{name}' has two classes of {counts.iloc[0]} rows; name the positive one"
        )
    # value_counts sorts by falling size: the last class is the smaller one
    return str(counts.index[-1])
