"""A table of features as a matrix of numbers: nothing is learnt from the rows, and nothing is
guessed from a stray cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from deabench.errors import DataError

MANY = 20
"""Categories from which on a nominal feature that has more of them than half its rows is told of.
"""


@dataclass(frozen=True)
class Column:
    """One feature in the matrix: its columns are `first` to `first + width - 1`."""

    name: str
    kind: Literal["numeric", "nominal"]
    first: int
    width: int


def read_features(
    name: str, features: pd.DataFrame, nominal: Sequence[str] = ()
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Features as float columns and Categoricals, and what is to be said of them.

    Parameters
    ----------
    name : str
        The data set's, for the messages.
    nominal : sequence of str
        Columns that are nominal although their cells look like numbers.

    Raises
    ------
    DataError
        For text in a column whose other cells are mostly numbers, a column of dates, a nominal
        column that is not there.
    """
    for column in nominal:
        if column not in features.columns:
            raise DataError(f"data set '{name}' has no column '{column}' to take as nominal")
    parts, notes = {}, []
    for column in features.columns:
        values = features[column]
        if pd.api.types.is_datetime64_any_dtype(values) or pd.api.types.is_timedelta64_dtype(
            values
        ):
            raise DataError(
                f"data set '{name}': column '{column}' holds dates; make numbers of them, or leave it out"
            )
        if column not in nominal and pd.api.types.is_numeric_dtype(values):
            parts[column] = (
                values.astype("float64") if values.dtype != object else pd.to_numeric(values)
            )
            continue
        if not isinstance(values.dtype, pd.CategoricalDtype):
            if column not in nominal:
                _no_stray_text(name, column, values)
            values = _categorical(values)
        parts[column] = values
        width = len(values.cat.categories)
        if width > MANY and width > len(values) / 2:
            notes.append(
                f"data set '{name}': column '{column}' has {width} distinct texts in {len(values)} rows and becomes "
                "as many features; leave it out if it is a name or a number of the row"
            )
    return pd.DataFrame(parts, index=features.index, columns=features.columns), tuple(notes)


def _no_stray_text(name: str, column: object, values: pd.Series) -> None:
    """Refuse text among numbers: one cell would turn the column into a feature for each of its
    values.
    """
    known = values.dropna()
    numbers = pd.to_numeric(known.astype(str).str.strip(), errors="coerce")
    stray = known[numbers.isna()]
    if len(stray) and len(stray) * 2 < len(known):
        cell = str(stray.iloc[0])
        shown = cell if len(cell) <= 40 else cell[:37] + "..."
        place = int(values.index.get_indexer([stray.index[0]])[0]) + 1
        raise DataError(
            f"data set '{name}': column '{column}' is '{shown}' in row {place} and in {len(stray)} of {len(known)} "
            "known cells no number; leave such a cell empty, write ? for it, or name the column under nominal"
        )


def _categorical(values: pd.Series) -> pd.Series:
    texts = (
        values.map(str, na_action="ignore").str.strip()
        if len(values.dropna())
        else values.astype(object)
    )
    return pd.Series(
        pd.Categorical(texts, categories=sorted(texts.dropna().unique())), index=values.index
    )


def encode(features: pd.DataFrame) -> np.ndarray:
    """Numbers as they are; each nominal feature as one column per category, NaN in all of them
    where it is missing.
    """
    blocks = []
    for name in features.columns:
        column = features[name]
        if pd.api.types.is_numeric_dtype(column):
            blocks.append(column.to_numpy(dtype=float, na_value=np.nan)[:, None])
            continue
        column = column if isinstance(column.dtype, pd.CategoricalDtype) else _categorical(column)
        codes = column.cat.codes.to_numpy()
        width = len(column.cat.categories)
        chosen = [1] if width == 2 else range(width)
        block = (
            np.column_stack([(codes == k).astype(float) for k in chosen])
            if width
            else np.empty((len(codes), 0))
        )
        block[codes < 0] = np.nan
        blocks.append(block)
    return np.ascontiguousarray(np.hstack(blocks)) if blocks else np.empty((len(features), 0))


def columns_of(features: pd.DataFrame) -> tuple[Column, ...]:
    """Where each feature stands in `encode(features)`."""
    found, first = [], 0
    for name in features.columns:
        numeric = pd.api.types.is_numeric_dtype(features[name])
        categories = 0 if numeric else len(features[name].cat.categories)
        width = 1 if numeric or categories == 2 else categories
        found.append(Column(str(name), "numeric" if numeric else "nominal", first, width))
        first += width
    return tuple(found)
