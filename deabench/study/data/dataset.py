"""The data sets of a study: a table of features and classes as a matrix of numbers, 1 = positive, and its digest."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError


@dataclass(frozen=True)
class DataSpec:
    """Where a data set comes from; small, hashable and picklable, so that a worker loads the data itself."""

    name: str
    source: str
    options: tuple[tuple[str, Any], ...] = ()

    def get(self, key: str, default: Any = None) -> Any:
        return dict(self.options).get(key, default)


@dataclass(frozen=True)
class Dataset:
    """A two-class data set, ready for any learner.

    Attributes
    ----------
    name : str
    X : ndarray, rows x features, float64
        Numeric features as they are (NaN where missing), a nominal one as one column per category (one column where
        there are two); the categories come from the file's header or its values, nothing is learnt from the rows.
    y : ndarray of 0 and 1
        1 = positive: the class named as such, otherwise the minority.
    features : int
        Features before nominal ones were spread over columns.
    partition : ndarray of int or None
        The fold in which each row is tested, -1 = never, where the data come with their own folds or test set.
    type : str
        The label of the data's type that came with them, "" where there is none.
    paper_ir : float
        The imbalance ratio that the 2022 paper prints, NaN where it has none.
    source : str
        Where the rows come from, for the manifest.
    """

    name: str
    X: np.ndarray
    y: np.ndarray
    features: int
    partition: np.ndarray | None = None
    type: str = ""
    paper_ir: float = float("nan")
    source: str = ""

    @property
    def imbalance_ratio(self) -> float:
        """Rows of the larger class for each of the smaller."""
        positives = int(self.y.sum())
        return max(positives, len(self.y) - positives) / min(positives, len(self.y) - positives)

    @property
    def sha256(self) -> str:
        """Of the numbers that the learners see: matrix, classes and own folds."""
        own = b"" if self.partition is None else self.partition.astype("<i8").tobytes()
        parts = [self.X.astype("<f8").tobytes(), self.y.astype("i1").tobytes(), str(self.X.shape).encode(), own]
        return hashlib.sha256(b"".join(parts)).hexdigest()


def two_classes(spec: DataSpec, frame: pd.DataFrame, target: str, **extra: Any) -> Dataset:
    """Classes and numbers of a table; see `Dataset` for the encoding."""
    if target not in frame.columns:
        raise DataError(f"data set '{spec.name}' has no column '{target}'; name its class column as target")
    classes = frame[target].astype(str).str.strip()
    negative = spec.get("negative")
    positive = str(spec.get("positive", "")) or _minority(spec.name, classes)
    for label in [positive] + ([str(negative)] if negative is not None else []):
        if label not in set(classes):
            raise DataError(f"data set '{spec.name}' has no class '{label}' in its column '{target}'; it has "
                            + ", ".join(f"'{c}'" for c in sorted(set(classes))[:8]))
    keep = (classes == positive) | (classes == str(negative)) if negative is not None else classes == classes
    partition = None
    if spec.get("fold_column"):
        partition = _folds(spec, frame)[keep.to_numpy()]
        frame = frame.drop(columns=spec.get("fold_column"))
    features = frame.loc[keep].drop(columns=target)
    return Dataset(spec.name, encode(features), (classes[keep] == positive).to_numpy().astype(int), features.shape[1],
                   **{"partition": partition, **extra})


def encode(features: pd.DataFrame) -> np.ndarray:
    """Numbers as they are; each nominal feature as one column per category, NaN in all of them where it is missing."""
    blocks = []
    for name in features.columns:
        column = features[name]
        if pd.api.types.is_numeric_dtype(column):
            blocks.append(column.to_numpy(dtype=float, na_value=np.nan)[:, None])
            continue
        if not isinstance(column.dtype, pd.CategoricalDtype):
            column = pd.Categorical(column, categories=sorted(column.dropna().unique()))
        codes = pd.Series(column).cat.codes.to_numpy()
        width = len(pd.Series(column).cat.categories)
        chosen = [1] if width == 2 else range(width)
        block = np.column_stack([(codes == k).astype(float) for k in chosen]) if width else np.empty((len(codes), 0))
        block[codes < 0] = np.nan
        blocks.append(block)
    return np.ascontiguousarray(np.hstack(blocks)) if blocks else np.empty((len(features), 0))


def _minority(name: str, classes: pd.Series) -> str:
    counts = classes.value_counts()
    if len(counts) != 2:
        raise DataError(f"data set '{name}' has {len(counts)} classes; name the positive one (the others are pooled, "
                        "or name the negative one as well)")
    if counts.iloc[0] == counts.iloc[1]:
        raise DataError(f"data set '{name}' has two classes of {counts.iloc[0]} rows; name the positive one")
    return str(counts.index[-1])


def _folds(spec: DataSpec, frame: pd.DataFrame) -> np.ndarray:
    column = spec.get("fold_column")
    if column not in frame.columns:
        raise DataError(f"data set '{spec.name}' has no column '{column}' to take its folds from")
    folds = pd.to_numeric(frame[column], errors="coerce")
    if folds.isna().any() or (folds != folds.round()).any():
        raise DataError(f"data set '{spec.name}': column '{column}' must hold whole numbers, the fold of each row")
    return folds.to_numpy(dtype=int)
