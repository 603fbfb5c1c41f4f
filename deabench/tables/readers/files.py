"""Read files: CSV, gz, xlsx, Parquet and JSON."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
import zlib
from pathlib import Path

import pandas as pd

from deabench.errors import DataError
from deabench.tables.readers.delimited import name_columns, read_bytes, read_delimited
from deabench.tables.readers.evaluations import read_json
from deabench.tables.readers.frames import Source
from deabench.tables.readers.grids import read_grids
from deabench.tables.readers.markdown import find_markdown_tables, has_markdown_table

MAX_UNPACKED_BYTES = 2**32
"""Bytes that a compressed file may unpack to."""


def read_file(path: str | Path, *, sheet: str | None = None) -> Source:
    """Read a file; its content decides on the format, not its name. `-` is standard input.

    Parameters
    ----------
    path : str or Path
    sheet : str, optional
        The sheet of a workbook or the table of a document, by its name or its number from 1.

    Raises
    ------
    DataError
        Where the file is missing, empty, damaged or of no known format.
    """
    data, file = read_bytes(path)
    data = _unpack(data, file)
    title = ""
    if str(path) != "-":
        title = Path(path).name.split(".")[0]
    # The first bytes tell the format: names end in .csv whatever the content is.
    if data[:4] == b"PAR1":
        return Source(_read_parquet(data, file), title)
    if data[:4] == b"PK\x03\x04":
        return _read_xlsx(data, file, title)
    if data.startswith(b"version https://git-lfs"):
        raise DataError(
            f"'{file}' is a Git LFS pointer, not the file itself; fetch it with git lfs pull"
        )
    text, notes = _decode(data, file)
    if text.lstrip()[:1] in ("{", "["):
        return read_json(_parse_json(text, file), file, title)
    if has_markdown_table(text):
        grids, prose = find_markdown_tables(text)
        if grids:
            return read_grids(grids, file, title, sheet=sheet, prose=prose)
    return read_delimited(text, file, title, notes)


def _unpack(data: bytes, file: str) -> bytes:
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        with gzip.open(io.BytesIO(data)) as stream:
            unpacked = stream.read(MAX_UNPACKED_BYTES + 1)
    except (OSError, EOFError, zlib.error):
        raise DataError(f"'{file}' is a damaged gzip file; make it again") from None
    if len(unpacked) > MAX_UNPACKED_BYTES:
        raise DataError(
            f"'{file}' unpacks to more than {MAX_UNPACKED_BYTES:,} bytes; read a part of it"
        )
    return unpacked


def _decode(data: bytes, file: str) -> tuple[str, tuple[str, ...]]:
    """Return the text and notes: UTF-8, UTF-16 with or without its mark, else Latin-1."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", errors="replace"), ()
    # In UTF-16 every second byte of a Latin letter is zero: the second one, or the first.
    if data[1:2] == b"\x00":
        return data.decode("utf-16-le", errors="replace"), ()
    if b"\x00" in data[:200]:
        return data.decode("utf-16-be", errors="replace"), ()
    try:
        return data.decode("utf-8-sig"), ()
    except UnicodeDecodeError:
        note = f"'{file}' is not UTF-8; it is read as Latin-1 (Windows-1252)"
        return data.decode("cp1252", errors="replace"), (note,)


def _parse_json(text: str, file: str) -> object:
    """Parse JSON, or JSON lines."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        try:
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        except json.JSONDecodeError:
            raise DataError(f"'{file}' is not JSON: {error}") from None


def _read_parquet(data: bytes, file: str) -> pd.DataFrame:
    try:
        frame = pd.read_parquet(io.BytesIO(data))
    except ImportError:
        raise DataError(
            f"'{file}' is a Parquet file; install pyarrow to read it, or save it as CSV"
        ) from None
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise DataError(f"'{file}' is a damaged Parquet file: {reason}") from None
    if isinstance(frame.index, pd.RangeIndex):
        return frame
    return frame.reset_index()


def _read_xlsx(data: bytes, file: str, title: str) -> Source:
    """Read the first sheet of a workbook: values, not formulas."""
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise DataError(
            f"'{file}' is an Excel workbook; install openpyxl to read it, or save it as CSV"
        ) from None
    try:
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    except (KeyError, ValueError, OSError, zipfile.BadZipFile):
        raise DataError(f"'{file}' is no Excel workbook; save it as .xlsx or CSV") from None
    sheet = book.worksheets[0]
    rows = [list(row) for row in sheet.iter_rows(values_only=True)]
    rows = [row for row in rows if any(cell is not None for cell in row)]
    if len(rows) < 2:
        raise DataError(
            f"the first sheet of '{file}' is empty; give a header line and at least one row"
        )
    header = name_columns(["" if cell is None else str(cell).strip() for cell in rows[0]], file)
    frame = pd.DataFrame([row[: len(header)] for row in rows[1:]], columns=header, dtype=object)
    notes: tuple[str, ...] = ()
    if len(book.worksheets) > 1:
        notes = (f"of {len(book.worksheets)} sheets the first, '{sheet.title}', is read",)
    return Source(frame.where(frame.notna(), ""), title, notes=notes)
