"""CSV in its many habits: separators, decimal commas, guards, headers."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd

from deabench.errors import DataError
from deabench.tables.cells import is_numeric_dtype
from deabench.tables.readers.source import Source
from deabench.tables.vocabulary import look_up_metric
from deabench.utils.text import unescape_formula

SEPARATORS = (",", ";", "\t", "|")
WIDEST = 2_000
"""Columns that a table may have: no comparison has as many metrics, and each is looked at by name
and by value.
"""
EXACT = 2**53
"""The whole numbers up to here are floats."""
NAMES = ("label", "dataset", "left_out")
"""Roles of columns that may tell rows apart: their cells stay text."""
SAME: dict[str, Any] = (
    {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1) else {"float_precision": "high"}
)
"""What makes `read_csv` convert as `to_numeric` does; from pandas 3.1 on it always does."""


def of_csv(text: str, name: str, title: str, notes: tuple[str, ...]) -> Source:
    """The table of a CSV file's text; `name` is what the file is called in errors.

    Raises
    ------
    DataError
        Where it is empty, no table, or without names for its columns.
    """
    data, separator = text.encode(), _separator(text)
    cells = partial(_cells, data, separator)
    try:
        header = [
            str(cell) for cell in cells(dtype=str, header=None, index_col=False, nrows=1).iloc[0]
        ]
        if len(header) > WIDEST:
            raise DataError(
                f"'{name}' has {len(header):,} columns, more than {WIDEST:,}; give the metrics that classifiers are "
                "compared by, and transpose a table whose classifiers are columns"
            )
        frame = _measured(cells, header)
    except pd.errors.EmptyDataError:
        raise DataError(f"'{name}' is empty; give a header line and at least one row") from None
    except pd.errors.ParserError as error:
        raise DataError(f"'{name}' is not a CSV table: {_ragged(str(error))}") from None
    header = [cell.strip() for cell in header]
    _named(header, name)
    names = headed(header, name) if len(header) == len(frame.columns) else list(frame.columns)
    named = partial(_under, names=names, guarded=b"'" in data)
    comma = separator == ";" and _commas(named(cells(dtype=str, nrows=200)))
    return Source(
        named(frame), title, comma=comma, notes=notes, text=lambda: named(cells(dtype=str))
    )


def _cells(data: bytes, separator: str, **how: Any) -> pd.DataFrame:
    """The cells of a CSV file: an empty one, NA and the like are text, for `deabench.tables.cells`
    to judge.
    """
    return pd.read_csv(
        io.BytesIO(data), sep=separator, keep_default_na=False, skipinitialspace=True, **how
    )


def _measured(cells: Callable[..., pd.DataFrame], header: list[str]) -> pd.DataFrame:
    """All cells, those of a column of plain numbers as numbers at once: a million cells of text
    take many times as long.

    One cell that is no plain number, as "90 %" or an empty one, leaves its column text, and so does
    a name of what tells rows apart: of a system or a setting "007" and "0.50" are more than
    numbers. Truths and whole numbers that no float holds are read again, as text, and so is a table
    whose lines are longer than its header."""
    texts = {
        cell: str
        for cell in header
        if (known := look_up_metric(unescape_formula(cell.strip()))) is not None
        and known.role in NAMES
    }
    frame = cells(dtype=texts, low_memory=False, **SAME)
    if len(frame.columns) != len(header) or not isinstance(frame.index, pd.RangeIndex):
        return cells(dtype=str)
    again = {str(name): str for name, column in frame.items() if not _sure(column)}
    return cells(dtype=texts | again, low_memory=False, **SAME) if again else frame


def _sure(column: pd.Series) -> bool:
    """Whether a column is of text, or of numbers that are the same however they are read."""
    if is_numeric_dtype(column.dtype):
        return bool(-EXACT < column.min() <= column.max() < EXACT)
    return not len(column) or isinstance(column.iloc[0], str)


def _under(frame: pd.DataFrame, names: list[str], guarded: bool) -> pd.DataFrame:
    """The frame under its header's names; no cell of the first column is guarded against a
    spreadsheet any more.
    """
    frame.columns = pd.Index(names)
    first = names[0] if names else ""
    if guarded and len(frame) and not is_numeric_dtype(frame[first].dtype):
        frame[first] = [
            unescape_formula(cell) for cell in frame[first].to_numpy(dtype=object).tolist()
        ]
    return frame


def _commas(frame: pd.DataFrame) -> bool:
    """Whether a file parted by semicolons writes decimals with commas: some cell has one and none a
    dot after it.
    """
    cells = [cell for name in frame for cell in frame[name] if isinstance(cell, str)]
    dots = any(re.fullmatch(r"-?\d+\.\d{1,2}|-?\d+\.\d{4,}", cell) for cell in cells)
    return not dots and any(re.fullmatch(r"-?\d+,\d+", cell) for cell in cells)


def _separator(text: str) -> str:
    """The sign that parts the first lines into the same number of columns, the most columns first."""
    size = 1 << 14
    while size < len(text) and len(text[:size].splitlines()) <= 20:
        size *= 2
    lines = [line for line in text[:size].splitlines()[:20] if line.strip()]
    best, most = ",", 1
    for separator in SEPARATORS:
        counts = [_parts(line, separator) for line in lines]
        common = max(set(counts), key=counts.count) if counts else 1
        if (
            counts
            and counts[0] == common
            and counts.count(common) >= 0.8 * len(counts)
            and common > most
        ):
            best, most = separator, common
    return best


def _parts(line: str, separator: str) -> int:
    try:
        return len(next(csv.reader([line], delimiter=separator)))
    # a line of 20,000 columns is one field of more than the reader takes where the separator is
    # another
    except csv.Error:
        return line.count(separator) + 1


def _ragged(error: str) -> str:
    """Where the lines of a file differ in length, and what to do."""
    found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", error)
    if found is None:
        return error.strip()
    return (
        f"line {found[2]} has {found[3]} cells and those before {found[1]}; put a cell that holds the separator in quotes, or "
        "give lines of another table a file of their own"
    )


def _named(header: list[str], name: str) -> None:
    """Refuse a first line of measurements: a file without a header would lose a row, and its
    columns their meaning.
    """
    measured = [cell for cell in header if re.fullmatch(r"[+-]?\d*\.\d{3,}([eE][+-]?\d+)?", cell)]
    if len(measured) > 1:
        raise DataError(
            f"the first line of '{name}' holds numbers ({', '.join(measured[:2])}), no names; put a header line "
            "above it"
        )


def headed(header: list[str], name: str) -> list[str]:
    """The header's names: an empty one is called as pandas calls it, one that comes twice is
    refused.
    """
    header = [
        unescape_formula(cell)
        or (f"Unnamed: {k}" if f"Unnamed: {k}" not in header else f"Unnamed: {k}.1")
        for k, cell in enumerate(header)
    ]
    for cell in header:
        if header.count(cell) > 1:
            raise DataError(
                f"the column '{cell}' appears more than once in '{name}'; give every column a name of its own"
            )
    return header
