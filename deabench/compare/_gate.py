"""The gate of the tests: what cannot be compared is refused by row, column and value before anything runs."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import pandas as pd

from deabench.checks import did_you_mean
from deabench.errors import DataError, DataWarning

NOISE_DIGITS = 12
"""Differences equal to so many digits of the largest score are ties: 0.9 - 0.8 and 0.7 - 0.6 differ by rounding."""


def scores(table: pd.DataFrame, least: int = 2) -> pd.DataFrame:
    """A table of scores as floats: data sets (or folds) in rows, at least `least` classifiers in columns."""
    if not isinstance(table, pd.DataFrame):
        raise DataError(f"the scores are a {type(table).__name__}; give a DataFrame, data sets in rows, "
                        "classifiers in columns")
    for labels, what in ((table.index, "row"), (table.columns, "classifier")):
        if not labels.is_unique:
            raise DataError(f"the {what} '{labels[labels.duplicated()][0]}' stands twice; give each a name of its own")
    if table.shape[1] < least:
        raise DataError(f"there are {table.shape[1]} classifiers (columns); give at least {least}")
    if table.shape[0] < 2:
        raise DataError(f"there are {table.shape[0]} rows of scores; give at least 2 data sets or folds")
    numeric = table.apply(pd.to_numeric, errors="coerce").astype(float)
    bad = ~np.isfinite(numeric.to_numpy())
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise DataError(f"the score of '{table.columns[column]}' on '{table.index[row]}' is "
                        f"'{table.iloc[row, column]}'; give a finite number, or leave the row or the column out")
    return numeric


def pair(first: Sequence[float], second: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Two equally long columns of at least two finite scores, as float arrays."""
    x, y = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if x.ndim != 1 or y.ndim != 1 or len(x) != len(y):
        raise DataError(f"the scores have shapes {x.shape} and {y.shape}; give two sequences of the same length")
    if len(x) < 2:
        raise DataError(f"there is {len(x)} pair of scores; give at least 2")
    bad = ~(np.isfinite(x) & np.isfinite(y))
    if bad.any():
        i = int(np.argmax(bad))
        raise DataError(f"pair {i} of the scores is ({x[i]:g}, {y[i]:g}); give finite numbers")
    return x, y


def differences(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """x - y with the rounding noise taken off, so that equal differences are equal and zeros are zero."""
    scale = max(np.abs(x).max(), np.abs(y).max())
    return np.round((x - y) / scale, NOISE_DIGITS) * scale if scale > 0 else x - y


def level(alpha: float) -> float:
    """alpha in (0, 1)."""
    if not 0 < alpha < 1:
        raise DataError(f"alpha is {alpha:g}; give a level between 0 and 1, as 0.05")
    return float(alpha)


def one_of(value: str, allowed: Sequence[str], what: str) -> str:
    if value not in allowed:
        raise DataError(f"there is no {what} '{value}'; {did_you_mean(value, list(allowed))}")
    return value


def known_control(control: str | None, columns: pd.Index) -> None:
    if control is not None and control not in columns:
        raise DataError(f"the control '{control}' is not a column of the table; {did_you_mean(control, list(columns))}")


def warn(text: str) -> None:
    warnings.warn(text, DataWarning, stacklevel=3)
