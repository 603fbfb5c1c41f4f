"""One value per instance, from any container: of one dimension, in one order, gaps kept, every
classifier once.

Every message counts the instances from 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from deabench.errors import DataError

Values: TypeAlias = ArrayLike | Iterable[object]
"""One value per instance: a list, an array, a Series, categories. Series must have one index; the
rest goes by position.
"""
Predictions: TypeAlias = Mapping[str, Values] | pd.DataFrame
"""{name: one value per instance}; a DataFrame has a column per classifier."""
Array: TypeAlias = NDArray[np.generic]


def predictions_by_name(predictions: Predictions) -> dict[str, Values]:
    """{name: predictions} from a mapping or from a frame with a column per classifier.

    Raises
    ------
    DataError
        No classifier, two of one name, or Series whose indexes differ.
    """
    if not isinstance(predictions, Mapping | pd.DataFrame):
        raise DataError(
            f"the predictions are a {type(predictions).__name__}; give {{name: predictions}} or a DataFrame, "
            "a column per classifier"
        )
    pairs: dict[str, Values] = {}
    index: pd.Index | None = None
    for name, values in predictions.items():
        if str(name) in pairs:
            raise DataError(f"two classifiers are named '{name}'; give each a name of its own")
        pairs[str(name)] = values
        check_same_index(values, index, f"'{name}'", f"'{next(iter(pairs))}'")
        index = series_index(values) if index is None else index
    if not pairs:
        raise DataError("there is no classifier; give {name: predictions} with at least one name")
    return pairs


def as_vector(values: Values, what: str) -> Array:
    """The values as an array of one dimension; what is masked, or NaN among text, stays a gap."""
    if isinstance(values, np.ma.MaskedArray):
        gone, values = np.ma.getmaskarray(values), np.array(values, dtype=object)
        values[gone] = None
    array: Array = (
        values.to_numpy() if isinstance(values, pd.Series | pd.Index) else np.asarray(values)
    )
    if array.dtype.kind in "US" and not isinstance(values, np.ndarray):
        array = np.asarray(
            values, dtype=object
        )  # a NaN among text stays a gap and is not the text 'nan'
    if array.dtype.kind == "S":
        array = array.astype(object)  # bytes are labels as in a list; pandas knows no such array
    if array.ndim != 1:
        raise DataError(f"{what} has {array.ndim} dimensions; give one value per instance")
    return array


def series_index(values: object) -> pd.Index | None:
    """The index of a Series; None for what goes by position."""
    return values.index if isinstance(values, pd.Series) else None


def check_same_index(
    values: object, index: pd.Index | None, who: str, other: str = "y_true"
) -> None:
    """Refuse a Series whose index is another than the one already seen.

    It is not aligned: labels out of order may name the instances, or be left over from a shuffle,
    and nobody can tell."""
    mine = series_index(values)
    if mine is None or index is None or len(mine) != len(index) or mine.equals(index):
        return
    where = int(np.argmax(np.asarray(mine != index, dtype=bool)))
    raise DataError(
        f"the index of {who} is not that of {other} (instance {where + 1}: {to_python_scalar(mine[where])!r}, not "
        f"{to_python_scalar(index[where])!r}); reorder it with .loc, or give .to_numpy() where the rows are in one order"
    )


def to_python_scalar(label: object) -> object:
    """A numpy scalar as Python's own, so that 1 is said and not np.int64(1)."""
    return label.item() if isinstance(label, np.generic) else label


def format_labels(labels: Iterable[object]) -> str:
    """The first labels in words."""
    names = [repr(to_python_scalar(name)) for name in labels]
    return ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")


def read_true_labels(y_true: Values) -> Array:
    """The true labels, at least one and none missing."""
    labels = as_vector(y_true, "y_true")
    if not len(labels):
        raise DataError("y_true is empty; give at least one instance of each class")
    gone = pd.isna(labels)
    if gone.any():
        raise DataError(
            f"y_true is missing for instance {int(np.argmax(gone)) + 1}; leave the instance out"
        )
    return labels


def count_classes(labels: Array) -> tuple[list[object], list[int]]:
    """The classes, in order, and how many instances each has."""
    counts = pd.Series(labels).value_counts(sort=False)
    pairs = sorted(
        zip(map(to_python_scalar, counts.index), counts, strict=True),
        key=lambda pair: (str(type(pair[0])), pair[0]),
    )
    return [name for name, _ in pairs], [int(count) for _, count in pairs]


def equals_label(labels: Array, label: object) -> np.ndarray:
    """Which labels equal the one given; text and numbers never do."""
    alike = labels.dtype.kind in "biuf" and isinstance(label, bool | int | float)
    return np.asarray((labels if alike else labels.astype(object)) == label, dtype=bool)
