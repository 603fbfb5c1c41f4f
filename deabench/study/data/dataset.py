"""The data sets of a study: a table of features and classes as a matrix of numbers and codes, and
its digest.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.study.data.encode import Column, columns_of, encode, read_features

TWO = ("0", "1")
"""The classes of a two-class data set: 1 is positive."""


@dataclass(frozen=True)
class DataSpec:
    """Where a data set comes from; small, hashable and picklable, so that a worker loads the data
    itself.
    """

    name: str
    source: str
    options: tuple[tuple[str, Any], ...] = ()

    def get(self, key: str, default: Any = None) -> Any:
        return dict(self.options).get(key, default)


@dataclass(frozen=True, eq=False)
class Dataset:
    """A data set, ready for any learner.

    Attributes
    ----------
    name : str
    X : ndarray, rows x columns, float64
        Numeric features as they are (NaN where missing), a nominal one as one column per category
        (one column where there are two); the categories come from the file's header or its values,
        nothing is learnt from the rows.
    y : ndarray of whole numbers
        Two classes: 1 = positive, the class named as such, otherwise the minority. More: the places
        of `classes`.
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
        What the codes in `y` stand for, where every class is kept; otherwise ("0", "1").
    columns : tuple of Column
        Where each feature stands in X.
    frame : DataFrame or None
        The features before they were encoded, for learners that take columns by name.
    groups : ndarray of int or None
        Rows of one number (a patient, a site) are never split between training and test by a split
        of groups.
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
    classes: tuple[str, ...] = TWO
    columns: tuple[Column, ...] = ()
    frame: pd.DataFrame | None = field(default=None, repr=False)
    groups: np.ndarray | None = None
    notes: tuple[str, ...] = ()

    @property
    def imbalance_ratio(self) -> float:
        """Rows of the largest class for each of the smallest."""
        counts = np.bincount(self.y, minlength=len(self.classes))
        return float(counts.max() / counts.min())

    @cached_property
    def sha256(self) -> str:
        """Of the numbers that the learners see: matrix, classes and own folds."""
        own = b"" if self.partition is None else self.partition.astype("<i8").tobytes()
        parts = [
            self.X.astype("<f8").tobytes(),
            self.y.astype("i1").tobytes(),
            str(self.X.shape).encode(),
            own,
        ]
        if self.classes != TWO:
            parts.append(repr(self.classes).encode())
        if self.groups is not None:
            parts += [b"groups", self.groups.astype("<i8").tobytes()]
        return hashlib.sha256(b"".join(parts)).hexdigest()

    @cached_property
    def head_sha256(self) -> str:
        """Of the columns' names, kinds and categories: what a learner that takes them by name
        depends on besides.
        """
        kinds = (
            []
            if self.frame is None
            else [
                (
                    str(name),
                    list(map(str, values.cat.categories))
                    if hasattr(values, "cat")
                    else str(values.dtype),
                )
                for name, values in self.frame.items()
            ]
        )
        return hashlib.sha256(repr(kinds).encode()).hexdigest()

    @property
    def identity(self) -> str:
        """Of everything in it, for a data set given from code."""
        return self.sha256[:32] + self.head_sha256[:32]


def classified(spec: DataSpec, frame: pd.DataFrame, target: str, **extra: Any) -> Dataset:
    """Classes and numbers of a table; see `Dataset` for the encoding.

    Rows without a class are left out, and said in `notes`; with the option `classes = "all"` every
    class is kept."""
    if target not in frame.columns:
        raise DataError(
            f"data set '{spec.name}' has no column '{target}'; name its class column as target"
        )
    known = frame[target].notna().to_numpy()
    notes = (
        ()
        if known.all()
        else (
            f"data set '{spec.name}': {int((~known).sum())} of {len(frame)} rows have no class in "
            f"'{target}' and are left out",
        )
    )
    classes = frame[target].where(known, "").map(_plain)
    if spec.get("classes") == "all":
        keep, codes, names = known, *_all_classes(spec, classes[known])
    else:
        keep, codes = _two_classes(spec, classes, known, target)
        names = TWO
    rest = {}
    for key, role in (("fold_column", _folds), ("groups", _groups)):
        if spec.get(key):
            rest["partition" if role is _folds else "groups"] = role(spec, frame)[keep]
    drop = [target, *(spec.get(key) for key in ("fold_column", "groups") if spec.get(key))]
    features, said = read_features(
        spec.name, frame.loc[keep].drop(columns=drop), spec.get("nominal", ())
    )
    return Dataset(
        spec.name,
        encode(features),
        codes,
        features.shape[1],
        classes=names,
        columns=columns_of(features),
        frame=features.reset_index(drop=True),
        notes=(*notes, *said),
        **{**rest, **extra},
    )


def _plain(label: object) -> str:
    """A class as text: 1, 1.0 and " 1" are one class."""
    if isinstance(label, float | np.floating) and float(label).is_integer():
        return str(int(label))
    text = str(label).strip()
    return text.split(".")[0] if re.fullmatch(r"-?\d+\.0+", text) else text


def _all_classes(spec: DataSpec, classes: pd.Series) -> tuple[np.ndarray, tuple[str, ...]]:
    names = sorted(set(classes), key=lambda c: (0, float(c), c) if _is_number(c) else (1, 0.0, c))
    if not 2 <= len(names) <= 127:
        raise DataError(f"data set '{spec.name}' has {len(names)} classes; a study takes 2 to 127")
    place = {name: k for k, name in enumerate(names)}
    return classes.map(place).to_numpy(dtype=int), tuple(names)


def _is_number(text: str) -> bool:
    try:
        return float(text) == float(text)
    except ValueError:
        return False


def _two_classes(
    spec: DataSpec, classes: pd.Series, known: np.ndarray, target: str
) -> tuple[np.ndarray, np.ndarray]:
    present = sorted(set(classes[known]))
    negative = None if spec.get("negative") is None else _plain(spec.get("negative"))
    positive = (
        _minority(spec.name, classes[known])
        if spec.get("positive", "") == ""
        else _plain(spec.get("positive"))
    )
    for label in [positive] + ([negative] if negative is not None else []):
        if label not in present:
            raise DataError(
                f"data set '{spec.name}' has no class '{label}' in its column '{target}'; it has "
                + ", ".join(f"'{c}'" for c in present[:8])
            )
    keep = known if negative is None else known & classes.isin([positive, negative]).to_numpy()
    return keep, (classes[keep] == positive).to_numpy().astype(int)


def _minority(name: str, classes: pd.Series) -> str:
    counts = classes.value_counts()
    if len(counts) != 2:
        raise DataError(
            f"data set '{name}' has {len(counts)} classes; name the positive one (the others are pooled, "
            "or name the negative one as well)"
        )
    if counts.iloc[0] == counts.iloc[1]:
        raise DataError(
            f"data set '{name}' has two classes of {counts.iloc[0]} rows; name the positive one"
        )
    return str(counts.index[-1])


def _folds(spec: DataSpec, frame: pd.DataFrame) -> np.ndarray:
    column = spec.get("fold_column")
    if column not in frame.columns:
        raise DataError(f"data set '{spec.name}' has no column '{column}' to take its folds from")
    folds = pd.to_numeric(frame[column], errors="coerce")
    if folds.isna().any() or (folds != folds.round()).any():
        raise DataError(
            f"data set '{spec.name}': column '{column}' must hold whole numbers, the fold of each row"
        )
    return np.asarray(folds.to_numpy(dtype=int))


def _groups(spec: DataSpec, frame: pd.DataFrame) -> np.ndarray:
    column = spec.get("groups")
    if column not in frame.columns:
        raise DataError(f"data set '{spec.name}' has no column '{column}' to take its groups from")
    if frame[column].isna().any():
        raise DataError(
            f"data set '{spec.name}': column '{column}' has no group in row "
            f"{int(frame[column].isna().to_numpy().argmax()) + 1}; give every row one"
        )
    return np.asarray(pd.factorize(frame[column], sort=False)[0], dtype=int)
