"""Columns that say something about the rows of a data set and are no features.

They are its classes' labels, folds, groups, times, weights and costs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.study.data.features import parse_dates
from deabench.utils.checks import did_you_mean

TWO_CLASSES = ("0", "1")
"""The classes of a two-class data set: 1 is positive."""


@dataclass(frozen=True)
class DataSpec:
    """Describe where a data set comes from; workers get it and load the data themselves."""

    name: str
    source: str
    options: tuple[tuple[str, Any], ...] = ()

    def get(self, key: str, default: Any = None) -> Any:
        """Return the option of this name, or the default."""
        return dict(self.options).get(key, default)


def format_class(value: object) -> str:
    """Return a class as text: 1, 1.0 and " 1" are one class."""
    # a class read as 1.0 is the class "1"
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    text = str(value).strip()
    return text.split(".")[0] if re.fullmatch(r"-?\d+\.0+", text) else text


def read_fold_column(spec: DataSpec, frame: pd.DataFrame) -> np.ndarray:
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


def read_group_column(spec: DataSpec, frame: pd.DataFrame) -> np.ndarray:
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


def read_time_column(spec: DataSpec, frame: pd.DataFrame) -> np.ndarray:
    """Return the times of the rows as numbers; dates as days since 1970."""
    column = spec.get("time")
    if column not in frame.columns:
        raise DataError(f"data set '{spec.name}' has no column '{column}' to take its times from")
    values = frame[column]
    if not pd.api.types.is_numeric_dtype(values):
        values = parse_dates(values)
    if values is None or not np.isfinite(np.asarray(values, dtype=float)).all():
        cells = frame[column]
        times = values
        if times is None:
            times = pd.to_datetime(cells, errors="coerce", format="ISO8601", utc=True).map(
                pd.Timestamp.timestamp, na_action="ignore"
            )
        row = int((~np.isfinite(np.asarray(times, dtype=float))).argmax())
        raise DataError(
            f"data set '{spec.name}': column '{column}' is '{cells.iloc[row]}' in row {row + 1}; a "
            "time is a number, or a date written as 2026-12-31"
        )
    return np.asarray(values, dtype=float)


def read_number_column(spec: DataSpec, frame: pd.DataFrame, option: str) -> np.ndarray:
    """Return the weights or costs of the rows: numbers >= 0, not all of them 0."""
    column = spec.get(option)
    if column not in frame.columns:
        raise DataError(
            f"data set '{spec.name}' has no column '{column}' to take its {option} from"
        )
    numbers = np.asarray(pd.to_numeric(frame[column], errors="coerce"), dtype=float)
    wrong = ~(np.isfinite(numbers) & (numbers >= 0))
    if wrong.any() or not numbers.any():
        row = int(wrong.argmax())
        raise DataError(
            f"data set '{spec.name}': {option} is '{frame[column].iloc[row]}' in row {row + 1}; "
            "give numbers >= 0, not all of them 0"
        )
    return numbers


def costs_of_classes(spec: DataSpec, codes: np.ndarray, class_names: tuple[str, ...]) -> np.ndarray:
    """Return the cost of each row by its class: FN and FP of two classes, else the classes' names.

    A class that is not named costs 1.
    """
    names = ["FP", "FN"] if class_names == TWO_CLASSES else list(class_names)
    costs = {format_class(name): cost for name, cost in dict(spec.get("costs")).items()}
    for name, cost in costs.items():
        if name not in names:
            raise DataError(
                f"data set '{spec.name}': costs has no '{name}'; {did_you_mean(name, names)}"
            )
        if not isinstance(cost, int | float) or not 0 <= cost < np.inf:
            raise DataError(
                f"data set '{spec.name}': the cost of '{name}' is {cost!r}; give a number >= 0"
            )
    of_codes = np.asarray([float(costs.get(name, 1)) for name in names])
    return np.asarray(of_codes[codes])
