"""Columns of a data set: features, and what says something about its rows.

Features are numbers, dates and categories, and become a matrix. The others are its classes' labels,
folds, groups, times, weights and costs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Number
from typing import Any, Literal

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.utils.checks import did_you_mean

MANY_CATEGORIES = 20
"""A nominal feature with more categories than these, and than half of its rows, gets a note."""
TWO_CLASSES = ("0", "1")
"""The classes of a two-class data set: 1 is positive."""


@dataclass(frozen=True)
class Feature:
    """Locate one feature in the matrix: its columns are `first` to `first + width - 1`."""

    name: str
    kind: Literal["numeric", "nominal"]
    first: int
    width: int


def parse_dates(values: pd.Series) -> pd.Series | None:
    """Return dates and durations as days, NaN where missing; None where they are neither.

    Texts are dates where all of them are written as ISO 8601 has it (2026-12-31, 2026-12-31 23:59).
    """
    if pd.api.types.is_timedelta64_dtype(values):
        return values / pd.Timedelta(days=1)
    dates = values
    if not pd.api.types.is_datetime64_any_dtype(values):
        texts = values.dropna().astype(str).str.strip()
        # 20261231 and 2026 are numbers, 2026-12 may be one
        if not len(texts) or not texts.str.match(r"\d{4}-\d{2}-\d{2}").all():
            return None
        dates = pd.to_datetime(values.astype(object), errors="coerce", format="ISO8601", utc=True)
        if dates.notna().sum() != len(texts):
            return None
    dates = pd.to_datetime(dates, utc=True)
    return (dates - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(days=1)


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
        For text in a column whose other cells are mostly numbers, a nominal column that does not
        exist.
    """
    for column in nominal:
        if column not in features.columns:
            raise DataError(f"data set '{name}' has no column '{column}' to take as nominal")
    columns = {}
    notes = []
    for column in features.columns:
        values = features[column]
        if column not in nominal:
            values = _read_numbers(values)
        if column not in nominal and pd.api.types.is_numeric_dtype(values):
            if pd.api.types.is_complex_dtype(values):
                raise DataError(
                    f"data set '{name}': column '{column}' holds complex numbers; give its real "
                    "and its imaginary part as two columns"
                )
            columns[column] = values.astype("float64")
            continue
        # of a frame and of a file alike
        days = None if column in nominal else parse_dates(values)
        if days is not None:
            columns[column] = days.astype("float64")
            notes.append(
                f"data set '{name}': column '{column}' holds dates or durations, which become "
                "numbers of days (dates since 1970); name it as time to split by it"
            )
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


def _read_numbers(values: pd.Series) -> pd.Series:
    """Return a column of Python's numbers (Decimals, too) as numbers, any other as it is."""
    if values.dtype != object or not values.notna().any():
        return values
    if not values.map(lambda cell: isinstance(cell, Number), na_action="ignore").dropna().all():
        return values
    if values.map(lambda cell: isinstance(cell, complex), na_action="ignore").dropna().any():
        return values.astype(complex)
    return values.astype("float64")


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
