"""Files: CSV, gz, xlsx, Parquet and JSON."""

from __future__ import annotations

import gzip
import io
import json
import sys
import zlib
from pathlib import Path

import pandas as pd

from deabench.errors import DataError
from deabench.tables.readers.delimited import headed, of_csv
from deabench.tables.readers.source import Source
from deabench.utils.files import read_contents

LARGEST = 2**32
"""Bytes that a compressed file may unpack to."""


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
        raise DataError(
            f"'{name}' is a Git LFS pointer, not the file itself; fetch it with git lfs pull"
        )
    text, notes = _decoded(data, name)
    if text.lstrip()[:1] in ("{", "["):
        from deabench.tables.readers.evaluations import of_json

        return of_json(_json(text, name), name, title)
    return of_csv(text, name, title, notes)


def _bytes(path: str | Path, name: str) -> bytes:
    try:
        if str(path) != "-":
            return read_contents(path)
        stream = getattr(sys.stdin, "buffer", None)
        return stream.read() if stream is not None else sys.stdin.read().encode()
    except OSError as error:
        raise DataError(
            f"cannot read '{name}': {error.strerror}; name a file with a table"
        ) from None


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
        return data.decode(
            "utf-16-le" if data[1:2] == b"\x00" else "utf-16-be", errors="replace"
        ), ()
    try:
        return data.decode("utf-8-sig"), ()
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace"), (
            f"'{name}' is not UTF-8; it is read as Latin-1 (Windows-1252)",
        )


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
        raise DataError(
            f"'{name}' is a Parquet file; install pyarrow to read it, or save it as CSV"
        ) from None
    except (OSError, ValueError) as error:
        raise DataError(
            f"'{name}' is a damaged Parquet file: {str(error).splitlines()[0]}"
        ) from None
    return frame.reset_index() if not isinstance(frame.index, pd.RangeIndex) else frame


def _xlsx(data: bytes, name: str, title: str) -> Source:
    """The first sheet of a workbook; values, not formulas."""
    import zipfile

    try:
        from openpyxl import load_workbook
    except ImportError:
        raise DataError(
            f"'{name}' is an Excel workbook; install openpyxl to read it, or save it as CSV"
        ) from None
    try:
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    except (KeyError, ValueError, OSError, zipfile.BadZipFile):
        raise DataError(f"'{name}' is no Excel workbook; save it as .xlsx or CSV") from None
    sheet = book.worksheets[0]
    rows = [
        list(row)
        for row in sheet.iter_rows(values_only=True)
        if any(cell is not None for cell in row)
    ]
    if len(rows) < 2:
        raise DataError(
            f"the first sheet of '{name}' is empty; give a header line and at least one row"
        )
    header = headed([str(cell).strip() if cell is not None else "" for cell in rows[0]], name)
    frame = pd.DataFrame([row[: len(header)] for row in rows[1:]], columns=header, dtype=object)
    more = len(book.worksheets) - 1
    notes = (f"of {more + 1} sheets the first, '{sheet.title}', is read",) if more else ()
    return Source(frame.where(frame.notna(), ""), title, notes=notes)
