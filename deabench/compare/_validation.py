"""The gate of the tests: what cannot be compared is refused by row, column and value before
anything runs.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import ParamSpec, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from deabench.errors import DataError, DataWarning
from deabench.utils.checks import did_you_mean, share

Floats = NDArray[np.float64]
P = ParamSpec("P")
R = TypeVar("R")
NOISE_DIGITS = 12
"""Differences equal to so many digits of the largest score are ties: 0.9 - 0.8 and 0.7 - 0.6 differ
by rounding.
"""


def scores(table: pd.DataFrame, least: int = 2, *, gaps: bool = False) -> pd.DataFrame:
    """A table of scores as floats: data sets (or folds) in rows, at least `least` classifiers in
    columns.

    With `gaps` a missing score stays missing.
    """
    if not isinstance(table, pd.DataFrame):
        raise DataError(
            f"the scores are a {type(table).__name__}; give a DataFrame, data sets in rows, "
            "classifiers in columns"
        )
    for labels, what in ((table.index, "row"), (table.columns, "classifier")):
        names = [
            str(label) for label in labels
        ]  # 1 and '1' would be one name in every file that is written
        if len(set(names)) < len(names):
            twice = next(name for place, name in enumerate(names) if name in names[:place])
            raise DataError(f"the {what} '{twice}' stands twice; give each a name of its own")
    if table.shape[1] < least:
        raise DataError(f"there are {table.shape[1]} classifiers (columns); give at least {least}")
    if table.shape[0] < 2:
        raise DataError(
            f"there are {table.shape[0]} rows of scores; give at least 2 data sets or folds"
        )
    plain = all(isinstance(kind, np.dtype) and kind.kind in "fiu" for kind in table.dtypes)
    numeric = (table if plain else table.apply(pd.to_numeric, errors="coerce")).astype(float)
    bad = ~np.isfinite(numeric.to_numpy())
    if gaps:
        bad &= table.notna().to_numpy()
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise DataError(
            f"the score of '{table.columns[column]}' on '{table.index[row]}' is "
            f"'{table.iloc[row, column]}'; give a finite number, or leave the row or the column out"
        )
    return numeric


def pair(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    """Two equally long columns of at least two finite scores, as float arrays; two Series must have
    one index.
    """
    same_index(first, second, "the scores")
    try:
        x, y = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    except (TypeError, ValueError):
        raise DataError(
            "the scores are not all numbers; give two sequences of finite numbers"
        ) from None
    if x.ndim != 1 or y.ndim != 1 or len(x) != len(y):
        raise DataError(
            f"the scores have shapes {x.shape} and {y.shape}; give two sequences of the same length"
        )
    if len(x) < 2:
        raise DataError(f"there is {len(x)} pair of scores; give at least 2")
    bad = ~(np.isfinite(x) & np.isfinite(y))
    if bad.any():
        i = int(np.argmax(bad))
        raise DataError(f"pair {i} of the scores is ({x[i]:g}, {y[i]:g}); give finite numbers")
    return x, y


def same_index(first: object, second: object, what: str) -> None:
    """Two Series are compared row by row, so their indexes must be the same, in the same order."""
    if (
        isinstance(first, pd.Series)
        and isinstance(second, pd.Series)
        and not first.index.equals(second.index)
    ):
        raise DataError(
            f"{what} are Series with different indexes; bring them in one order "
            "(second.reindex(first.index)), or give plain arrays"
        )


def differences(x: Floats, y: Floats) -> Floats:
    """x - y with the rounding noise taken off, so that equal differences are equal and zeros are
    zero.
    """
    scale = max(np.abs(x).max(), np.abs(y).max())
    return np.asarray(np.round((x - y) / scale, NOISE_DIGITS) * scale if scale > 0 else x - y)


def level(alpha: float) -> float:
    """alpha in (0, 1)."""
    return share("alpha", alpha)


def number(value: object, what: str) -> float:
    """A finite number, whatever its type; `what` names it in the message."""
    try:
        found = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise DataError(f"{what} is {value!r}; give a number") from None
    if isinstance(value, str) or not np.isfinite(found):
        raise DataError(f"{what} is {value!r}; give a finite number")
    return found


def whole(value: object, what: str, least: int = 0, unit: str = "instances") -> int:
    """A whole number of instances (or of `unit`), `least` or more."""
    numeric = isinstance(value, int | float | np.integer | np.floating)
    size = float(value) if isinstance(value, int | float | np.integer | np.floating) else np.nan
    if not (size >= least and size.is_integer()):
        raise DataError(
            f"{what} is {f'{size:g}' if numeric else repr(value)}; give a whole number of {unit}, {least} or more"
        )
    return int(size) if not isinstance(value, int | np.integer) else int(value)


def repeats(rows: int, folds: int) -> int:
    """How often the rows hold a k-fold cross-validation whole."""
    if whole(folds, "the number of folds", unit="folds") < 2 or rows % folds:
        raise DataError(
            f"{rows} rows are not whole repeats of {folds}-fold cross-validation; give every fold a row"
        )
    return rows // int(folds)


def known_control(control: str | None, columns: Sequence[str] | pd.Index) -> None:
    if control is not None and control not in columns:
        raise DataError(
            f"the control '{control}' is not a column of the table; {did_you_mean(control, list(columns))}"
        )


def warn(text: str) -> None:
    warnings.warn(text, DataWarning, stacklevel=3)


def old_direction(function: Callable[P, R]) -> Callable[P, R]:
    """Let `lower_is_better=True` be said for one release: elsewhere in deabench that name takes
    metrics, not a bool.
    """

    @functools.wraps(function)
    def renamed(*args: P.args, **kwargs: P.kwargs) -> R:
        if "lower_is_better" in kwargs:
            old = kwargs.pop("lower_is_better")
            if not isinstance(old, bool | np.bool_):
                raise DataError(
                    f"lower_is_better is {old!r}; here the columns are classifiers and the scores one metric: "
                    "say higher_is_better=False where a low score is good"
                )
            warnings.warn(
                f"lower_is_better={old} is now called higher_is_better={not old}",
                FutureWarning,
                stacklevel=2,
            )
            kwargs["higher_is_better"] = not old
        return function(*args, **kwargs)

    return renamed
