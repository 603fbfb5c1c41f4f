"""Data sets of a study: tables of features and classes as matrices of numbers and codes.

Nothing is learnt from the rows here: categories come from the header or the values of a column, and
a column is numeric or nominal as a whole. What must be learnt (medians, scales) is learnt inside
each fold, by `deabench.study.learners.pipelines`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd

from deabench.errors import DataError

TWO_CLASSES = ("0", "1")
"""The classes of a two-class data set: 1 is positive."""
MANY_CATEGORIES = 20
"""A nominal feature with more categories than these, and than half of its rows, gets a note."""


@dataclass(frozen=True)
class DataSpec:
    """Describe where a data set comes from; workers get it and load the data themselves."""

    name: str
    source: str
    options: tuple[tuple[str, Any], ...] = ()

    def get(self, key: str, default: Any = None) -> Any:
        """Return the option of this name, or the default."""
        return dict(self.options).get(key, default)


@dataclass(frozen=True)
class Feature:
    """Locate one feature in the matrix: its columns are `first` to `first + width - 1`."""

    name: str
    kind: Literal["numeric", "nominal"]
    first: int
    width: int


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
    notes: tuple[str, ...] = ()

    @property
    def imbalance_ratio(self) -> float:
        """Return the rows of the largest class for each row of the smallest."""
        counts = np.bincount(self.y, minlength=len(self.classes))
        return float(counts.max() / counts.min())

    @cached_property
    def sha256(self) -> str:
        """Return the digest of the numbers that learners see: matrix, classes, folds and groups."""
        digest = hashlib.sha256(self.X.astype("<f8").tobytes())
        digest.update(self.y.astype("i1").tobytes())
        digest.update(str(self.X.shape).encode())
        if self.partition is not None:
            digest.update(self.partition.astype("<i8").tobytes())
        if self.classes != TWO_CLASSES:
            digest.update(repr(self.classes).encode())
        if self.groups is not None:
            digest.update(b"groups" + self.groups.astype("<i8").tobytes())
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
        """Return one name for all of its content, for data sets that are given from code."""
        return self.sha256[:32] + self.head_sha256[:32]


def make_dataset(spec: DataSpec, frame: pd.DataFrame, target: str, **attributes: Any) -> Dataset:
    """Make a data set of a table with its class column; see `Dataset` for the encoding.

    Rows without a class are left out with a note. The options of the spec are read: positive,
    negative, classes ("all" keeps every class), fold_column, groups, nominal.

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
    # a row without a class can neither train nor test
    has_class = frame[target].notna().to_numpy()
    notes: tuple[str, ...] = ()
    if not has_class.all():
        notes = (
            f"data set '{spec.name}': {int((~has_class).sum())} of {len(frame)} rows have no class "
            f"in '{target}' and are left out",
        )
    labels = frame[target].where(has_class, "").map(_class_label)
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
        attributes["partition"] = _read_fold_column(spec, frame)[selected_rows]
        dropped.append(spec.get("fold_column"))
    if spec.get("groups"):
        attributes["groups"] = _read_group_column(spec, frame)[selected_rows]
        dropped.append(spec.get("groups"))
    features, feature_notes = read_features(
        spec.name, frame.loc[selected_rows].drop(columns=dropped), spec.get("nominal", ())
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


def _class_label(value: object) -> str:
    """Return a class as text: 1, 1.0 and " 1" are one class."""
    # a class read as 1.0 is the class "1"
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    text = str(value).strip()
    return text.split(".")[0] if re.fullmatch(r"-?\d+\.0+", text) else text


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
        return (1, 0.0, label)
    # NaN is unequal to itself; as a class it is a text
    # a label "nan" is a text as any other
    if number != number:
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
        positive = _class_label(spec.get("positive"))
    named = [positive]
    if spec.get("negative") is not None:
        named.append(_class_label(spec.get("negative")))
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


def _read_fold_column(spec: DataSpec, frame: pd.DataFrame) -> np.ndarray:
    column = spec.get("fold_column")
    if column not in frame.columns:
        raise DataError(f"data set '{spec.name}' has no column '{column}' to take its folds from")
    # text becomes NaN and is refused
    folds = pd.to_numeric(frame[column], errors="coerce")
    if folds.isna().any() or (folds != folds.round()).any():
        raise DataError(
            f"data set '{spec.name}': column '{column}' must hold whole numbers, the fold of each "
            "row"
        )
    return np.asarray(folds.to_numpy(dtype=int))


def _read_group_column(spec: DataSpec, frame: pd.DataFrame) -> np.ndarray:
    column = spec.get("groups")
    if column not in frame.columns:
        raise DataError(f"data set '{spec.name}' has no column '{column}' to take its groups from")
    missing = frame[column].isna().to_numpy()
    if missing.any():
        raise DataError(
            f"data set '{spec.name}': column '{column}' has no group in row "
            f"{int(missing.argmax()) + 1}; give every row one"
        )
    # groups are numbered in order of appearance
    return np.asarray(pd.factorize(frame[column], sort=False)[0], dtype=int)


def read_features(
    name: str, features: pd.DataFrame, nominal: Sequence[str] = ()
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return features as float columns and Categoricals, and notes about them.

    Parameters
    ----------
    name : str
        The data set's name, for the messages.
    nominal : sequence of str
        Columns that are nominal although their cells look like numbers.

    Raises
    ------
    DataError
        For text in a column whose other cells are mostly numbers, a column of dates, a nominal
        column that does not exist.
    """
    for column in nominal:
        if column not in features.columns:
            raise DataError(f"data set '{name}' has no column '{column}' to take as nominal")
    columns = {}
    notes = []
    for column in features.columns:
        values = features[column]
        is_date = pd.api.types.is_datetime64_any_dtype(values)
        if is_date or pd.api.types.is_timedelta64_dtype(values):
            raise DataError(
                f"data set '{name}': column '{column}' holds dates; make numbers of them, or leave "
                "it out"
            )
        if column not in nominal and pd.api.types.is_numeric_dtype(values):
            if values.dtype == object:
                columns[column] = pd.to_numeric(values)
            else:
                columns[column] = values.astype("float64")
            continue
        if not isinstance(values.dtype, pd.CategoricalDtype):
            if column not in nominal:
                _refuse_stray_text(name, column, values)
            values = _to_categorical(values)
        columns[column] = values
        # as many categories as rows: a name of the row, most likely
        categories = len(values.cat.categories)
        if categories > MANY_CATEGORIES and categories > len(values) / 2:
            notes.append(
                f"data set '{name}': column '{column}' has {categories} distinct texts in "
                f"{len(values)} rows and becomes as many features; leave it out if it is a name or "
                "a number of the row"
            )
    return pd.DataFrame(columns, index=features.index, columns=features.columns), tuple(notes)


def _refuse_stray_text(name: str, column: object, values: pd.Series) -> None:
    """Refuse text among numbers: one cell would make a category of every value of the column."""
    # a column is numeric where most of its cells are
    cells = values.dropna()
    numbers = pd.to_numeric(cells.astype(str).str.strip(), errors="coerce")
    stray = cells[numbers.isna()]
    if len(stray) and len(stray) * 2 < len(cells):
        text = str(stray.iloc[0])
        excerpt = text if len(text) <= 40 else text[:37] + "..."
        row = int(values.index.get_indexer([stray.index[0]])[0]) + 1
        raise DataError(
            f"data set '{name}': column '{column}' is '{excerpt}' in row {row} and in {len(stray)} "
            f"of {len(cells)} known cells no number; leave such a cell empty, write ? for it, or "
            "name the column under nominal"
        )


def _to_categorical(values: pd.Series) -> pd.Series:
    texts = values.astype(object)
    if values.notna().any():
        # "a" and "a " are one category
        texts = values.map(str, na_action="ignore").str.strip()
    categories = sorted(texts.dropna().unique())
    return pd.Series(pd.Categorical(texts, categories=categories), index=values.index)


def encode_features(features: pd.DataFrame) -> np.ndarray:
    """Return the matrix of the features, rows x columns.

    Numbers stay; a nominal feature becomes one column per category (one where there are two), NaN
    in all of them where the cell is missing.
    """
    blocks = []
    for name in features.columns:
        column = features[name]
        if pd.api.types.is_numeric_dtype(column):
            blocks.append(column.to_numpy(dtype=float, na_value=np.nan)[:, None])
            continue
        if not isinstance(column.dtype, pd.CategoricalDtype):
            column = _to_categorical(column)
        codes = column.cat.codes.to_numpy()
        categories = len(column.cat.categories)
        # of two categories one column says all
        shown = np.arange(categories)
        if categories == 2:
            shown = np.array([1])
        block = (codes[:, None] == shown).astype(float)
        block[codes < 0] = np.nan
        blocks.append(block)
    if not blocks:
        return np.empty((len(features), 0))
    return np.ascontiguousarray(np.hstack(blocks))


def feature_layout(features: pd.DataFrame) -> tuple[Feature, ...]:
    """Return where each feature stands in `encode_features(features)`."""
    layout = []
    first = 0
    for name in features.columns:
        width = 1
        numeric = pd.api.types.is_numeric_dtype(features[name])
        if not numeric and len(features[name].cat.categories) != 2:
            width = len(features[name].cat.categories)
        layout.append(Feature(str(name), "numeric" if numeric else "nominal", first, width))
        first += width
    return tuple(layout)
