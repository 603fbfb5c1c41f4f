"""Read one value per instance from any container, for every classifier exactly once.

Values have one dimension and one order, and missing ones stay missing. Messages count the instances
from 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from deabench.errors import DataError
from deabench.utils.frames import pandas_or_same

Values: TypeAlias = ArrayLike | Iterable[object]
"""One value per instance: a list, an array, a Series, categories. All Series must have one index;
other containers are matched by position.
"""
Predictions: TypeAlias = Mapping[str, Values] | pd.DataFrame
"""{name: one value per instance}; a DataFrame has a column per classifier."""
Array: TypeAlias = NDArray[np.generic]
MAX_LABELS = 5
"""Longer lists of labels end in "..."."""


def take_instances(X: Any, rows: NDArray[np.intp]) -> Any:
    """Return the rows of features at some positions: of a frame, an array, or a list."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X[rows] if hasattr(X, "shape") else [X[row] for row in rows]


def predictions_by_name(predictions: Predictions) -> dict[str, Values]:
    """Return {name: predictions} from a mapping or from a frame with a column per classifier.

    Raises
    ------
    DataError
        No classifier, two of one name, or Series whose indexes differ.
    """
    predictions = pandas_or_same(predictions)
    if not isinstance(predictions, Mapping | pd.DataFrame):
        raise DataError(
            f"the predictions are a {type(predictions).__name__}; give {{name: predictions}} or a "
            "DataFrame, a column per classifier"
        )
    by_name: dict[str, Values] = {}
    index: pd.Index | None = None
    for name, values in predictions.items():
        if str(name) in by_name:
            raise DataError(f"two classifiers are named '{name}'; give each a name of its own")
        by_name[str(name)] = values
        check_same_index(values, index, f"'{name}'", f"'{next(iter(by_name))}'")
        if index is None:
            index = series_index(values)
    if not by_name:
        raise DataError("there is no classifier; give {name: predictions} with at least one name")
    return by_name


def as_vector(values: Values, description: str) -> Array:
    """Return the values as an array of one dimension; missing values stay missing.

    Parameters
    ----------
    description : str
        The subject of an error message, as "the labels of 'net'".
    """
    if isinstance(values, np.ma.MaskedArray):
        # A masked cell is a missing value: keep it missing when the mask is lost.
        masked = np.ma.getmaskarray(values)
        values = np.array(values, dtype=object)
        values[masked] = None
    if isinstance(values, pd.Series | pd.Index):
        array: Array = values.to_numpy()
    else:
        array = np.asarray(values)
    if array.dtype.kind in "US" and not isinstance(values, np.ndarray):
        # As text a NaN would become the label 'nan'.
        array = np.asarray(values, dtype=object)
    if array.dtype.kind == "S":
        # pandas knows no arrays of bytes; as objects they are labels.
        array = array.astype(object)
    if array.ndim != 1:
        raise DataError(f"{description} has {array.ndim} dimensions; give one value per instance")
    return array


def series_index(values: object) -> pd.Index | None:
    """Return the index of a Series; None for what is matched by position."""
    return values.index if isinstance(values, pd.Series) else None


def check_same_index(
    values: object, index: pd.Index | None, owner: str, owner_of_index: str = "y_true"
) -> None:
    """Refuse a Series whose index differs from the one before.

    It is not aligned: labels out of order may name the instances, or be left over from a shuffle,
    and the data do not tell which.
    """
    own_index = series_index(values)
    if own_index is None or index is None or len(own_index) != len(index):
        return
    if own_index.equals(index):
        return
    row = int(np.argmax(np.asarray(own_index != index, dtype=bool)))
    raise DataError(
        f"the index of {owner} is not that of {owner_of_index} (instance {row + 1}: "
        f"{to_python_scalar(own_index[row])!r}, not {to_python_scalar(index[row])!r}); reorder it "
        "with .loc, or give .to_numpy() where the rows are in one order"
    )


def to_python_scalar(label: object) -> object:
    """Return a numpy scalar as Python's own, so that a message shows 1 and not np.int64(1)."""
    return label.item() if isinstance(label, np.generic) else label


def format_labels(labels: Iterable[object]) -> str:
    """Join the first labels by commas."""
    names = [repr(to_python_scalar(label)) for label in labels]
    if len(names) > MAX_LABELS:
        names = [*names[:MAX_LABELS], "..."]
    return ", ".join(names)


def read_true_labels(y_true: Values) -> Array:
    """Return the true labels, at least one and none missing."""
    labels = as_vector(y_true, "y_true")
    if not len(labels):
        raise DataError("y_true is empty; give at least one instance of each class")
    missing = pd.isna(labels)
    if missing.any():
        instance = int(np.argmax(missing)) + 1
        raise DataError(f"y_true is missing for instance {instance}; leave the instance out")
    return labels


def count_classes(labels: Array) -> tuple[list[object], list[int]]:
    """Return the classes, sorted, and how many instances each has."""
    counts = pd.Series(labels).value_counts(sort=False)
    classes = [(to_python_scalar(label), int(count)) for label, count in counts.items()]
    # Labels of different types do not compare: sort by type first.
    classes.sort(key=lambda pair: (str(type(pair[0])), pair[0]))
    return [label for label, _ in classes], [count for _, count in classes]


def equals_label(labels: Array, label: object) -> np.ndarray:
    """Return which labels equal the label; text and numbers never do."""
    # numpy compares numbers and text only with a warning; as objects they are unequal.
    is_numeric = labels.dtype.kind in "biuf" and isinstance(label, bool | int | float)
    if not is_numeric:
        labels = labels.astype(object)
    return np.asarray(labels == label, dtype=bool)
