"""Files: CSV in its many habits, gz, xlsx, Parquet and JSON."""

from __future__ import annotations

import gzip
import io
import json
import re
import sys
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from deabench.errors import DataError
from deabench.files import contents
from deabench.tables.cells import of_numbers
from deabench.tables.readers.source import Source
from deabench.tables.vocabulary import meaning
from deabench.text import unguarded

SEPARATORS = (",", ";", "\t", "|")
WIDEST = 2_000
"""Columns that a table may have: no comparison has as many metrics, and each is looked at by name and by value."""
LARGEST = 2**32
"""Bytes that a compressed file may unpack to."""
NAMES = ("label", "dataset", "left_out")
"""Roles of columns that may tell rows apart: their cells stay text."""
SAME: dict[str, Any] = {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1) else {"float_precision": "high"}
"""What makes `read_csv` convert as `to_numeric` does; from pandas 3.1 on it always does."""


def of_file(path: str | Path) -> Source:
    """Read a file whatever its format; its content decides, not its name. `-` is standard input.

    Raises
    ------
    DataError
        Where the file is missing, empty, damaged or of no known format.
    """
    name = "standard input" if str(path) == "-" else str(path)
    data = _unpacked(_bytes(path, name), name)
    title = "" if str(path) == "-" else Path(path).name.split(".")[0]
    if data[:4] == b"PAR1":
        return Source(_parquet(data, name), title)
    if data[:4] == b"PK\x03\x04":
        return _xlsx(data, name, title)
    if data.startswith(b"version https://git-lfs"):
        raise DataError(f"'{name}' is a Git LFS pointer, not the file itself; fetch it with git lfs pull")
    text, notes = _decoded(data, name)
    if text.lstrip()[:1] in ("{", "["):
        from deabench.tables.readers.evaluations import of_json

        return of_json(_json(text, name), name, title)
    return _delimited(text, name, title, notes)


def _bytes(path: str | Path, name: str) -> bytes:
    try:
        if str(path) != "-":
            return contents(path)
        stream = getattr(sys.stdin, "buffer", None)
        return stream.read() if stream is not None else sys.stdin.read().encode()
    except OSError as error:
        raise DataError(f"cannot read '{name}': {error.strerror}; name a file with a table") from None


def _unpacked(data: bytes, name: str) -> bytes:
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        with gzip.open(io.BytesIO(data)) as stream:
            unpacked = stream.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error):
        raise DataError(f"'{name}' is a damaged gzip file; make it again") from None
    if len(unpacked) > LARGEST:
        raise DataError(f"'{name}' unpacks to more than {LARGEST:,} bytes; read a part of it")
    return unpacked


def _decoded(data: bytes, name: str) -> tuple[str, tuple[str, ...]]:
    """The text: UTF-8, UTF-16 with or without its mark, or else Latin-1, which is said."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", errors="replace"), ()
    if b"\x00" in data[:200]:
        return data.decode("utf-16-le" if data[1:2] == b"\x00" else "utf-16-be", errors="replace"), ()
    try:
        return data.decode("utf-8-sig"), ()
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace"), (f"'{name}' is not UTF-8; it is read as Latin-1 (Windows-1252)",)


def _delimited(text: str, name: str, title: str, notes: tuple[str, ...]) -> Source:
    data, separator = text.encode(), _separator(text)
    cells = partial(_cells, data, separator)
    try:
        header = [str(cell) for cell in cells(dtype=str, header=None, index_col=False, nrows=1).iloc[0]]
        if len(header) > WIDEST:
            raise DataError(f"'{name}' has {len(header):,} columns, more than {WIDEST:,}; give the metrics that classifiers are "
                            "compared by, and transpose a table whose classifiers are columns")
        frame = _measured(cells, header)
    except pd.errors.EmptyDataError:
        raise DataError(f"'{name}' is empty; give a header line and at least one row") from None
    except pd.errors.ParserError as error:
        raise DataError(f"'{name}' is not a CSV table: {_ragged(str(error))}") from None
    header = [cell.strip() for cell in header]
    _named(header, name)
    named = partial(_named_columns, names=_headed(header, name), guarded=b"'" in data)
    comma = separator == ";" and _commas(named(cells(dtype=str, nrows=200)))
    return Source(named(frame), title, comma=comma, notes=notes, text=lambda: named(cells(dtype=str)))


def _cells(data: bytes, separator: str, **how: Any) -> pd.DataFrame:
    """The cells of a CSV file: an empty one, NA and the like are text, for `deabench.tables.cells` to judge."""
    return pd.read_csv(io.BytesIO(data), sep=separator, keep_default_na=False, skipinitialspace=True, **how)


def _measured(cells: Callable[..., pd.DataFrame], header: list[str]) -> pd.DataFrame:
    """All cells, those of a column of plain numbers as numbers at once: a million cells of text take many times as long.

    One cell that is no plain number, as "90 %" or an empty one, leaves its column text, and so does a name of what tells rows
    apart: of a system or a setting "007" and "0.50" are more than numbers.
    """
    names = {cell: str for cell in header if (known := meaning(unguarded(cell.strip()))) is not None and known.role in NAMES}
    frame = cells(dtype=names, low_memory=False, **SAME)
    truths = [name for name, dtype in frame.dtypes.items() if dtype == bool]
    return cells(dtype=names | dict.fromkeys(truths, str), low_memory=False, **SAME) if truths else frame


def _named_columns(frame: pd.DataFrame, names: list[str], guarded: bool) -> pd.DataFrame:
    """The frame under its header's names; no cell of the first column is guarded against a spreadsheet any more."""
    if len(names) == len(frame.columns):
        frame.columns = pd.Index(names)
    first = frame.columns[0] if len(frame.columns) else ""
    if guarded and len(frame) and not of_numbers(frame[first].dtype):
        frame[first] = [unguarded(cell) for cell in frame[first].to_numpy(dtype=object).tolist()]
    return frame


def _commas(frame: pd.DataFrame) -> bool:
    """Whether a file parted by semicolons writes decimals with commas: some cell has one and none a dot after it."""
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
        if counts and counts[0] == common and counts.count(common) >= 0.8 * len(counts) and common > most:
            best, most = separator, common
    return best


def _parts(line: str, separator: str) -> int:
    import csv

    try:
        return len(next(csv.reader([line], delimiter=separator)))
    except csv.Error:  # a line of 20,000 columns is one field of more than the reader takes where the separator is another
        return line.count(separator) + 1


def _ragged(error: str) -> str:
    """Where the lines of a file differ in length, and what to do."""
    found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", error)
    if found is None:
        return error.strip()
    return (f"line {found[2]} has {found[3]} cells and those before {found[1]}; put a cell that holds the separator in quotes, or "
            "give lines of another table a file of their own")


def _named(header: list[str], name: str) -> None:
    """Refuse a first line of measurements: a file without a header would lose a row, and its columns their meaning."""
    measured = [cell for cell in header if re.fullmatch(r"[+-]?\d*\.\d{3,}([eE][+-]?\d+)?", cell)]
    if len(measured) > 1:
        raise DataError(f"the first line of '{name}' holds numbers ({', '.join(measured[:2])}), no names; put a header line "
                        "above it")


def _headed(header: list[str], name: str) -> list[str]:
    """The header's names: an empty one is called as pandas calls it, one that comes twice is refused."""
    header = [unguarded(cell) or (f"Unnamed: {k}" if f"Unnamed: {k}" not in header else f"Unnamed: {k}.1")
              for k, cell in enumerate(header)]
    for cell in header:
        if header.count(cell) > 1:
            raise DataError(f"the column '{cell}' appears more than once in '{name}'; give every column a name of its own")
    return header


def _json(text: str, name: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        lines = [line for line in text.splitlines() if line.strip()]
        try:
            return [json.loads(line) for line in lines]
        except json.JSONDecodeError:
            raise DataError(f"'{name}' is not JSON: {error}") from None


def _parquet(data: bytes, name: str) -> pd.DataFrame:
    try:
        frame = pd.read_parquet(io.BytesIO(data))
    except ImportError:
        raise DataError(f"'{name}' is a Parquet file; install pyarrow to read it, or save it as CSV") from None
    except (OSError, ValueError) as error:
        raise DataError(f"'{name}' is a damaged Parquet file: {str(error).splitlines()[0]}") from None
    return frame.reset_index() if not isinstance(frame.index, pd.RangeIndex) else frame


def _xlsx(data: bytes, name: str, title: str) -> Source:
    """The first sheet of a workbook; values, not formulas."""
    import zipfile

    try:
        from openpyxl import load_workbook
    except ImportError:
        raise DataError(f"'{name}' is an Excel workbook; install openpyxl to read it, or save it as CSV") from None
    try:
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    except (KeyError, ValueError, OSError, zipfile.BadZipFile):
        raise DataError(f"'{name}' is no Excel workbook; save it as .xlsx or CSV") from None
    sheet = book.worksheets[0]
    rows = [list(row) for row in sheet.iter_rows(values_only=True) if any(cell is not None for cell in row)]
    if len(rows) < 2:
        raise DataError(f"the first sheet of '{name}' is empty; give a header line and at least one row")
    header = _headed([str(cell).strip() if cell is not None else "" for cell in rows[0]], name)
    frame = pd.DataFrame([row[: len(header)] for row in rows[1:]], columns=header, dtype=object)
    more = len(book.worksheets) - 1
    notes = (f"of {more + 1} sheets the first, '{sheet.title}', is read",) if more else ()
    return Source(frame.where(frame.notna(), ""), title, notes=notes)
