"""Read Excel workbooks and Parquet files."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pandas as pd

from deabench.errors import DataError
from deabench.tables.estimates import parse_estimate
from deabench.tables.naming.vocabulary import look_up_metric
from deabench.tables.readers.frames import Source
from deabench.tables.readers.grids import Grid, find_named, read_grids
from deabench.tables.readers.limits import Limits
from deabench.utils.text import quote_names

ENOUGH_NUMBERS = 4
"""A sheet with fewer numbers than this has no results."""
MAX_TITLES = 6
"""A header stands in one of so many rows."""
PROBED_ROWS = 20


def read_workbook(
    data: bytes, file: str, title: str, limits: Limits, sheet: str | None = None
) -> Source:
    """Read a sheet of a workbook, by its name or its number, or the first one with results.

    Cells are values, not formulas.
    """
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise DataError(
            f"'{file}' is an Excel workbook; install openpyxl to read it, or save it as CSV"
        ) from None
    try:
        # The sizes that the archive states bound what is read of each of its files.
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        limits.check_bytes(size, file)
        sheets = load_workbook(io.BytesIO(data), read_only=True, data_only=True).worksheets
    except (KeyError, OSError, zipfile.BadZipFile):
        raise DataError(f"'{file}' is no Excel workbook; save it as .xlsx or CSV") from None
    names = [opened.title for opened in sheets]
    if sheet is not None:
        grid = _read_sheet(sheets[find_named(names, sheet, file)], file, limits)
    else:
        grid = _first_with_results(sheets, file, limits)
    source = read_grids([grid], file, title)
    others = [name for name in names if name != grid.name]
    if not others:
        return source
    reason = "" if sheet is not None else ", the first with results"
    note = (
        f"of the {len(names)} sheets of '{file}', '{grid.name}'{reason}, is read; pass "
        f"sheet='{others[0]}' to read another: {quote_names(others)}"
    )
    return replace(source, notes=(note, *source.notes))


def _first_with_results(sheets: list[Any], file: str, limits: Limits) -> Grid:
    """Return the first sheet that has numbers, else the first that has rows."""
    filled = []
    for sheet in sheets:
        grid = _read_sheet(sheet, file, limits)
        if grid.count_numbers(ENOUGH_NUMBERS) >= ENOUGH_NUMBERS:
            return grid
        if len(grid.rows) > 1:
            filled.append(grid)
    if not filled:
        raise DataError(
            f"no sheet of '{file}' has a table; give a header line and at least one row"
        )
    return max(filled, key=Grid.count_numbers)


def _read_sheet(sheet: Any, file: str, limits: Limits) -> Grid:
    """Return the rows of a sheet that are not empty, as text."""
    # The size that a file states may be made up; the rows themselves are counted.
    sheet.reset_dimensions()
    rows: list[list[str]] = []
    cell_count = 0
    for cells in _trimmed_rows(sheet):
        limits.check_columns(len(cells), file)
        cell_count += len(cells)
        limits.check_cells(cell_count, file)
        rows.append([_cell_text(cell) for cell in cells])
        limits.check_rows(len(rows) - 1, file)
    # A title stands alone in its row, above the header.
    while len(rows) > 2 and sum(map(bool, rows[0])) == 1 < max(map(len, rows)):
        rows = rows[1:]
    grid = _drop_titles(rows)
    if grid is not None:
        return replace(grid, name=sheet.title)
    return Grid(_move_index_name(rows), 1, sheet.title)


def _drop_titles(rows: list[list[str]]) -> Grid | None:
    """Return a sheet without the titles above its two header rows; None where it has no such.

    The second header names every column, and numbers stand below it. The row above names groups of
    columns that hold the same. Rows further up are titles where they have at most one cell beside
    the labels, and none that is a metric: they are a level of the header otherwise.
    """
    width = max(map(len, rows), default=0)
    named = [k for k, row in enumerate(rows[:MAX_TITLES]) if len(row) == width and all(row)]
    # A group of columns has two at least.
    if not named or named[0] < 2 or width < 5 or len(rows) < named[0] + 2:
        return None
    header = named[0]
    groups, *titles = reversed([[cell for cell in row if cell] for row in rows[:header]])
    body = rows[header + 1 :][:PROBED_ROWS]
    is_header = not any(parse_estimate(cell, False) for cell in [*rows[header], *groups])
    has_numbers = all(any(parse_estimate(cell, False) for cell in row) for row in body)
    # Groups stand above the metrics alone, and each above the same ones.
    names = rows[header][1:]
    are_groups = len(groups) > 1 and not rows[header - 1][0] and len({*names}) < len(names)
    if not (is_header and has_numbers and are_groups):
        return None
    if not all(map(_is_title, rows[: header - 1])):
        return None
    introduction = "\n".join(" ".join(title) for title in reversed(titles))
    return Grid(rows[header - 1 :], 2, introduction=introduction)


def _is_title(row: list[str]) -> bool:
    """Return whether a row above two headers tells no columns apart and names no metric."""
    further = [cell for cell in row[1:] if cell]
    meanings = map(look_up_metric, further)
    roles = {meaning.role for meaning in meanings if meaning is not None}
    return len(further) < 2 and not roles & {"output", "cost", "lower_rate"}


def _move_index_name(rows: list[list[str]]) -> list[list[str]]:
    """Return rows with the name of an index, which pandas writes below two headers, in the header.

    It is a word for systems that stands alone in its row, as no row below it does.
    """
    if len(rows) < 4 or rows[0][0] or rows[1][0] or len(rows[2]) > 1:
        return rows
    meaning = look_up_metric(rows[2][0])
    is_name = meaning is not None and meaning.role == "label"
    if not is_name or any(sum(map(bool, row)) == 1 for row in rows[3:]):
        return rows
    return [rows[0], [rows[2][0], *rows[1][1:]], *rows[3:]]


def _trimmed_rows(sheet: Any) -> Iterator[list[Any]]:
    """Yield the cells of each row up to the last one that is filled; empty rows are passed over."""
    for row in sheet.iter_rows(values_only=True):
        width = len(row)
        while width and row[width - 1] is None:
            width -= 1
        if width:
            yield list(row[:width])


def _cell_text(cell: object) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    return str(cell).strip()


def read_parquet(data: bytes, file: str, limits: Limits) -> pd.DataFrame:
    """Read a Parquet file whose metadata keep to the limits."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise DataError(
            f"'{file}' is a Parquet file; install pyarrow to read it, or save it as CSV"
        ) from None
    metadata = pyarrow.parquet.ParquetFile(io.BytesIO(data)).metadata
    limits.check_columns(metadata.num_columns, file)
    limits.check_rows(metadata.num_rows, file)
    limits.check_cells(metadata.num_rows * metadata.num_columns, file)
    groups = range(metadata.num_row_groups)
    limits.check_bytes(sum(metadata.row_group(k).total_byte_size for k in groups), file)
    frame = pd.read_parquet(io.BytesIO(data), engine="pyarrow")
    if isinstance(frame.index, pd.RangeIndex):
        return frame
    return frame.reset_index()
