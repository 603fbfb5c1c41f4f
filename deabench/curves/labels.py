"""Labels of any kind to true and false, and scores to floats: what every curve asks of its data, in one place."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from deabench.errors import DataError, DataWarning


@dataclass(frozen=True)
class Binary:
    """Two-class labels with the positive class told apart.

    Attributes
    ----------
    truth : bool array, n
        True where the row is positive.
    positive, negative : object
        The two labels.
    note : str
        Why that one is positive, as a sentence for the reader.
    """

    truth: NDArray[np.bool_]
    positive: object
    negative: object
    note: str


def binary(y_true: ArrayLike, positive: object = None) -> Binary:
    """Labels of two classes as booleans.

    Parameters
    ----------
    y_true : array_like, n
        Labels of any one kind: text, whole numbers, booleans, categories.
    positive : object, optional
        The positive label. Without it the minority class is positive; where both classes have as many rows it is the
        one that sorts last (1 of 0 and 1, "yes" of "no" and "yes"), with a warning.

    Raises
    ------
    DataError
        Where y_true is empty, not one column, has a missing label, one class or more than two, or lacks `positive`.
    """
    labels = pd.Series(_column(y_true, "y_true"))
    if labels.isna().any():
        raise DataError(f"the label at position {int(np.argmax(labels.isna()))} of y_true is missing; "
                        "give it or leave the row out")
    counts = labels.value_counts(sort=False)
    classes = _in_order(list(counts.index[counts > 0]))
    _two(classes, len(labels))
    if positive is not None:
        if positive not in classes:
            raise DataError(f"there is no label {positive!r} in y_true; the labels are {_said(classes)}")
        chosen, note = positive, f"positive is {positive!r}, as given"
    else:
        chosen, note = _minority(classes, [int(counts[label]) for label in classes])
    (other,) = (label for label in classes if label != chosen)
    return Binary((labels == chosen).to_numpy(dtype=bool), chosen, other, note)


def floats(score: ArrayLike, n: int, name: str = "score") -> NDArray[np.float64]:
    """One score per row as floats; NaN, infinity, text and another length than `n` are refused."""
    column = _column(score, name)
    try:
        values = np.asarray(column, dtype=float)
    except (TypeError, ValueError):
        where, bad = next((k, cell) for k, cell in enumerate(column.tolist()) if not _is_number(cell))
        raise DataError(f"{name} at position {where} is {bad!r}; give a number for every row") from None
    if len(values) != n:
        raise DataError(f"y_true has {n} rows and {name} has {len(values)}; give one score for each label")
    if not np.isfinite(values).all():
        where = int(np.argmin(np.isfinite(values)))
        said = "missing" if np.isnan(values[where]) else f"{values[where]:g}"
        raise DataError(f"{name} at position {where} is {said}; give a finite number, or leave the row out")
    return values


def _column(values: ArrayLike, name: str) -> np.ndarray:
    array = np.asarray(values)
    if array.ndim != 1:
        raise DataError(f"{name} has {array.ndim} dimensions; give one column")
    if not len(array):
        raise DataError(f"{name} is empty; give at least one row of each class")
    return array


def _two(classes: list[object], n: int) -> None:
    if len(classes) == 1:
        raise DataError(f"all {n} rows of y_true are {classes[0]!r}; a curve needs rows of both classes")
    if len(classes) > 2:
        more = f", ... ({len(classes)} in all)" if len(classes) > 5 else ""
        raise DataError(f"y_true has {len(classes)} classes, {_said(classes[:5])}{more}; a curve is for two, "
                        "set one class against the rest")


def _minority(classes: list[object], counts: list[int]) -> tuple[object, str]:
    if counts[0] == counts[1]:
        note = (f"both classes have {counts[0]} rows; {classes[1]!r} is taken as positive, the one that sorts last: "
                "give positive= to choose")
        warnings.warn(note, DataWarning, stacklevel=5)
        return classes[1], note
    least = int(np.argmin(counts))
    return classes[least], f"positive is {classes[least]!r}, the minority with {min(counts)} of {sum(counts)} rows"


def _in_order(classes: list[object]) -> list[object]:
    plain = [label.item() if isinstance(label, np.generic) else label for label in classes]
    try:
        return sorted(plain)  # type: ignore[type-var]
    except TypeError:
        return sorted(plain, key=str)


def _said(classes: list[object]) -> str:
    return ", ".join(map(repr, classes))


def _is_number(cell: object) -> bool:
    try:
        float(cell)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return True
