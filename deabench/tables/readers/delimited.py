"""Read CSV as it is written: separators, decimal commas, escaped formulas, headers."""

from __future__ import annotations

import csv
import io
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd

from deabench.errors import DataError
from deabench.tables.aligned_text import PROBED_CHARACTERS, PROBED_LINES, split_aligned
from deabench.tables.cells import is_numeric_dtype
from deabench.tables.estimates import parse_estimate
from deabench.tables.markup import strip_markup
from deabench.tables.naming.vocabulary import look_up_metric
from deabench.tables.readers.frames import Source
from deabench.tables.readers.grids import (
    Grid,
    choose_section,
    has_second_header,
    is_section,
    make_unique,
    read_grids,
)
from deabench.tables.readers.limits import Limits
from deabench.utils.checks import find_close
from deabench.utils.files import read_bounded, read_contents
from deabench.utils.text import quote_names, unescape_formula

MAX_SIBLINGS = 10_000
"""So many names of a folder are compared with one that is not there."""
SEPARATORS = (",", ";", "\t", "|")
DEFAULT_LIMITS = Limits()
MAX_EXACT_INTEGER = 2**53
"""Whole numbers up to this size are floats without rounding."""
NAMING_ROLES = ("label", "dataset", "left_out")
"""Roles of columns that may tell rows apart: their cells stay text."""
MAX_PARSED_CELLS = 100_000
"""Separators in a line up to which its cells are parsed to be counted."""
MAX_SECTIONS = 1 << 20
"""A file with more characters is one table."""
MAX_PREAMBLE = 6
"""Lines of prose that may stand above a header."""
PROBED_ROWS = 200
_MARKUP = re.compile(r"\*\*\S|\]\(\S|</?[A-Za-z][^<>\n]*>|\\text|\\[a-z]+\{")
"""Markup that is no part of a name."""
NUMERIC_OPTIONS: dict[str, Any] = {"low_memory": False}
"""Options under which `read_csv` converts as `to_numeric` does, as pandas 3.1 always does."""
if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1):
    NUMERIC_OPTIONS["float_precision"] = "high"


def read_delimited(
    text: str, file: str, title: str, notes: tuple[str, ...] = (), limits: Limits = DEFAULT_LIMITS
) -> Source:
    """Read the text of a CSV file with any usual separator; `file` is its name in errors.

    Raises
    ------
    DataError
        Where it is empty, no table, or without names for its columns.
    """
    sections = _split_sections(text)
    if len(sections) > 1:
        return choose_section(sections, file, title, notes)
    text, preamble = _split_preamble(text)
    separator = _find_separator(text)
    _check_size(text, separator, file, limits)
    if header_rows := _read_two_headers(text, separator):
        grid = Grid(header_rows, 2)
        source = read_grids([grid], file, title, prose=preamble)
        return replace(source, notes=(*notes, *source.notes))
    if blank_rows := split_aligned(text, separator):
        return replace(read_grids([Grid(blank_rows)], file, title, prose=preamble), notes=notes)
    data = text.encode()
    read_cells = partial(_read_cells, data, separator)
    with _csv_errors(file):
        # The header as it is written: pandas renames columns that occur twice.
        first_line = read_cells(dtype=str, header=None, index_col=False, nrows=1).iloc[0]
        header = [str(cell) for cell in first_line]
        limits.check_columns(len(header), file)
        frame = _read_numbers(read_cells, header)
    header = [cell.strip() for cell in header]
    _refuse_numbers_as_header(header, file)
    names = list(frame.columns)
    # Lines longer than the header make pandas take an index from them.
    if len(header) == len(names):
        written = [unescape_formula(strip_markup(cell)) for cell in header]
        names = make_unique(written)
        renamed = [name for name, cell in zip(names, written, strict=True) if cell and name != cell]
        if renamed:
            notes = (*notes, f"names of columns appear more than once: {quote_names(renamed, 3)}")
    rename = partial(_set_names, names=names, has_escapes=b"'" in data)
    # Programs that write decimal commas separate cells by semicolons.
    decimal_comma = separator == ";" and _has_decimal_commas(
        rename(read_cells(dtype=str, nrows=PROBED_ROWS))
    )
    return Source(
        rename(frame),
        title,
        decimal_comma=decimal_comma,
        notes=notes,
        prose=preamble,
        read_text=lambda: rename(read_cells(dtype=str)),
    )


def read_labelled_csv(path: str | Path) -> pd.DataFrame:
    """Read CSV with labels in the first column as a frame; `-` is standard input.

    A column is numeric where every cell is a number or empty; all others stay text.

    Raises
    ------
    DataError
        Where the file is missing, empty or not CSV.
    """
    data, file = read_bytes(path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"'{file}' is not UTF-8 text; save it as CSV in UTF-8") from None
    with _csv_errors(file):
        frame = _read_cells(text.encode(), ",", dtype=str)
    # Labels are escaped by `csv_text`, so that no spreadsheet runs them as formulas.
    frame = frame.set_index(frame.columns[0])
    frame.index = frame.index.map(unescape_formula)
    columns = {name: _parse_complete(column) for name, column in frame.items()}
    return pd.DataFrame(columns, index=frame.index, columns=frame.columns)


def read_bytes(path: str | Path, limits: Limits = DEFAULT_LIMITS) -> tuple[bytes, str]:
    """Return the bytes of a file and its name for messages; `-` is standard input."""
    file = str(path)
    if file == "-":
        file = "standard input"
        # Tests and notebooks replace standard input by a stream of text, which has no buffer.
        stream = getattr(sys.stdin, "buffer", None)
        if stream is None:
            return sys.stdin.read().encode(), file
        # One byte more than allowed tells that there is more.
        data = read_bounded(stream, limits.bytes + 1)
        limits.check_bytes(len(data), file)
        return data, file
    try:
        # The size is known before a regular file is read.
        limits.check_bytes(os.stat(path).st_size, file)
        data = read_contents(path, limits.bytes + 1)
        limits.check_bytes(len(data), file)
        return data, file
    except OSError as error:
        remedy = "name a file with a table"
        similar = find_similar_file(Path(path))
        if isinstance(error, FileNotFoundError) and similar is not None:
            remedy = f"did you mean '{similar}'?"
        raise DataError(f"cannot read '{path}': {error.strerror}; {remedy}") from None


def find_similar_file(path: Path) -> str | None:
    """Return the path of a file beside this one whose name is similar; None where none is."""
    try:
        with os.scandir(path.parent) as entries:
            names = [entry.name for entry in islice(entries, MAX_SIBLINGS) if entry.is_file()]
    except OSError:
        return None
    # Endings are alike among all files.
    by_stem = {Path(name).stem: name for name in names}
    stem = find_close(path.stem, by_stem)
    return None if stem is None else str(path.with_name(by_stem[stem]))


def _check_size(text: str, separator: str, file: str, limits: Limits) -> None:
    """Refuse a text with more columns, rows or cells than allowed before it is parsed."""
    end = text.find("\n")
    first_line = text if end < 0 else text[:end]
    columns = first_line.count(separator) + 1
    # Separators within quotes are no limits of cells; a line that is far too long is not parsed.
    if limits.columns < columns <= MAX_PARSED_CELLS:
        columns = _count_cells(first_line, separator)
    limits.check_columns(columns, file)
    rows = text.count("\n")
    limits.check_rows(rows, file)
    limits.check_cells(rows * columns, file)


def _split_sections(text: str) -> list[Grid]:
    """Return the tables of a file that holds several below each other, called by their titles.

    Empty lines or lines of prose stand between them, and each begins with a header of its own.
    """
    # Most files have neither, and a search is far faster than to read all lines.
    if not re.search(r"\n[^\n,;\t|]*\n", text) or len(text) > MAX_SECTIONS:
        return []
    split = re.compile("[" + "".join(SEPARATORS) + "]")
    separator = _find_separator("\n".join(filter(split.search, text.splitlines())))
    grids: list[Grid] = []
    title = ""
    rows: list[list[str]] = []
    # A last empty row ends the last section.
    for row in [*csv.reader(text.splitlines(), delimiter=separator), []]:
        cells = [cell.strip() for cell in row]
        if sum(map(bool, cells)) > 1:
            rows.append(cells)
            continue
        if rows:
            grids.append(Grid(rows, name=title))
            title = ""
        rows = []
        title = next(filter(None, cells), title)
    # Sections without titles may have theirs above the systems, where others have "model".
    corners = [grid.rows[0][0] for grid in grids]
    are_titles = len({*corners} - {""}) == len(grids) and not any(map(look_up_metric, corners))
    if are_titles and not any(grid.name for grid in grids):
        grids = [replace(grid, name=corner) for grid, corner in zip(grids, corners, strict=True)]
    return grids if all(map(is_section, grids)) else []


def _read_two_headers(text: str, separator: str) -> list[list[str]]:
    """Return the cells of a table whose header has two rows; an empty list for any other."""
    probe = list(islice(csv.reader(text[:PROBED_CHARACTERS].splitlines(), delimiter=separator), 24))
    width = max(map(len, probe), default=0)
    rows = [[cell.strip() for cell in row] + [""] * (width - len(row)) for row in probe if row]
    # Most headers have no empty and no repeated name, and need no further look.
    if len(rows) < 4 or len({*rows[0]} - {""}) == width or not has_second_header(rows):
        return []
    return [
        [cell.strip() for cell in row] for row in csv.reader(text.splitlines(), delimiter=separator)
    ]


def _split_preamble(text: str) -> tuple[str, str]:
    """Return the text from its header on, and the lines of prose that stand above it.

    Prose has no separator and no quotes, but for empty cells at its end, as a spreadsheet writes a
    title; below it all lines have the same number of cells, and the first of them are names.
    """
    lines = text[:PROBED_CHARACTERS].splitlines(keepends=True)[:PROBED_LINES]
    split = re.compile("[" + "".join(SEPARATORS) + '"]')
    titles = [line.strip().rstrip("".join(SEPARATORS)) for line in lines]
    start = next((k for k, line in enumerate(titles) if split.search(line)), 0)
    if not 0 < start <= MAX_PREAMBLE:
        return text, ""
    table = [line.strip() for line in lines[start:] if line.strip()]
    for separator in SEPARATORS:
        counts = {_count_cells(line, separator) for line in table}
        if len(table) < 3 or len(counts) > 1 or counts == {1}:
            continue
        if not any(parse_estimate(cell.strip(), False) for cell in table[0].split(separator)):
            above = "".join(lines[:start])
            return text[len(above) :], above.strip()
    return text, ""


def _read_cells(data: bytes, separator: str, **options: Any) -> pd.DataFrame:
    """Read the cells of a CSV file; empty ones, NA and the like stay text."""
    return pd.read_csv(
        io.BytesIO(data), sep=separator, keep_default_na=False, skipinitialspace=True, **options
    )


@contextmanager
def _csv_errors(file: str) -> Iterator[None]:
    """Translate the errors of pandas."""
    try:
        yield
    except pd.errors.EmptyDataError:
        raise DataError(f"'{file}' is empty; give a header line and at least one row") from None
    except pd.errors.ParserError as error:
        raise DataError(f"'{file}' is not a CSV table: {_locate_error(str(error))}") from None


def _read_numbers(read_cells: Callable[..., pd.DataFrame], header: Sequence[str]) -> pd.DataFrame:
    """Read columns of plain numbers as numbers at once; a million cells of text take far longer.

    One cell that is no plain number ("90 %", an empty one) leaves its column text. So does a name
    of what tells rows apart: as labels "007" and "0.50" are more than numbers. Truths and integers
    that no float holds are read again as text, and so is a table whose lines are longer than its
    header.
    """
    text_columns = {}
    for cell in header:
        meaning = look_up_metric(unescape_formula(cell.strip()))
        if meaning is not None and meaning.role in NAMING_ROLES:
            text_columns[cell] = str
    frame = read_cells(dtype=text_columns, **NUMERIC_OPTIONS)
    # Longer lines shift the columns, so the names above do not belong to them.
    if len(frame.columns) != len(header) or not isinstance(frame.index, pd.RangeIndex):
        return read_cells(dtype=str)
    inexact = {str(name): str for name, column in frame.items() if not _is_exact(column)}
    if not inexact:
        return frame
    return read_cells(dtype=text_columns | inexact, **NUMERIC_OPTIONS)


def _is_exact(column: pd.Series) -> bool:
    """Return whether a column is text, or numbers that no way of reading rounds."""
    if is_numeric_dtype(column.dtype):
        return bool(-MAX_EXACT_INTEGER < column.min() <= column.max() < MAX_EXACT_INTEGER)
    return not len(column) or isinstance(column.iloc[0], str)


def _parse_complete(column: pd.Series) -> pd.Series:
    """Return a column of text as numbers where every cell is one or empty, else unchanged."""
    is_blank = column.str.strip() == ""
    numeric = pd.to_numeric(column.where(~is_blank), errors="coerce")
    if numeric.isna().equals(is_blank) and numeric.notna().any():
        return numeric
    return column


def _set_names(frame: pd.DataFrame, names: Sequence[str], has_escapes: bool) -> pd.DataFrame:
    """Set the columns' names, strip the cells of markup, and unescape the first column.

    `csv_text` has escaped that.
    """
    frame.columns = pd.Index(names)
    for name in names:
        if not is_numeric_dtype(frame[name].dtype):
            cells = frame[name].to_numpy(dtype=object)[:PROBED_ROWS]
            if _MARKUP.search("\n".join(map(str, cells))):
                stripped = [strip_markup(str(cell)) for cell in frame[name]]
                if name == names[0]:
                    # A name that is nothing but markup stays: two such names are two systems.
                    texts = map(str, frame[name])
                    stripped = [plain or raw for plain, raw in zip(stripped, texts, strict=True)]
                frame[name] = stripped
    if has_escapes and len(frame) and not is_numeric_dtype(frame[names[0]].dtype):
        frame[names[0]] = [
            unescape_formula(cell) for cell in frame[names[0]].to_numpy(dtype=object).tolist()
        ]
    return frame


def _has_decimal_commas(frame: pd.DataFrame) -> bool:
    """Return whether some cell has a decimal comma and none a decimal dot."""
    cells = [cell for name in frame for cell in frame[name] if isinstance(cell, str)]
    # "1.500" may be grouped thousands, so three digits behind a dot decide nothing.
    has_dots = any(re.fullmatch(r"-?\d+\.(\d{1,2}|\d{4,})", cell) for cell in cells)
    return not has_dots and any(re.fullmatch(r"-?\d+,\d+", cell) for cell in cells)


def _find_separator(text: str) -> str:
    """Return the separator that splits the first lines into the same number of columns.

    Of several the one with the most columns wins; a comma where none does.
    """
    size = PROBED_CHARACTERS
    while size < len(text) and len(text[:size].splitlines()) <= PROBED_LINES:
        size *= 2
    lines = [line for line in text[:size].splitlines()[:PROBED_LINES] if line.strip()]
    columns = {",": 1}
    has_quotes = any(line.count('"') % 2 for line in lines)
    for separator in SEPARATORS:
        cell_counts = [[_count_cells(line, separator) for line in lines]]
        if has_quotes:
            # A quote may hold ends of lines, or have lost its other one.
            cell_counts.append(_count_record_cells(text, separator))
        # A separator must split the header like four in five of the lines.
        for counts in cell_counts:
            if counts and counts.count(counts[0]) >= 0.8 * len(counts):
                columns[separator] = max(counts[0], columns.get(separator, 1))
    return max(columns, key=columns.__getitem__)


def _count_record_cells(text: str, separator: str) -> list[int]:
    """Return how many cells the first records have where quoted cells hold ends of lines."""
    try:
        reader = csv.reader(io.StringIO(text), delimiter=separator)
        return [len(record) for record in islice(reader, PROBED_LINES) if record]
    except csv.Error:
        return []


def _count_cells(line: str, separator: str) -> int:
    if line.count(separator) > MAX_PARSED_CELLS:
        return line.count(separator) + 1
    try:
        return len(next(csv.reader([line], delimiter=separator)))
    except csv.Error:
        # Where another separator splits the line, it is one field, longer than the reader takes.
        return line.count(separator) + 1


def _locate_error(error: str) -> str:
    """Say which line has another length, and what to do."""
    lengths = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", error)
    if lengths is None:
        return error.strip()
    expected, line, actual = lengths.groups()
    return (
        f"line {line} has {actual} cells and those before {expected}; "
        "put a cell that holds the separator in quotes, "
        "or give lines of another table a file of their own"
    )


def _refuse_numbers_as_header(header: Sequence[str], file: str) -> None:
    """Refuse a first line of measurements: a file without a header would lose a row."""
    numbers = [cell for cell in header if re.fullmatch(r"[+-]?\d*\.\d{3,}([eE][+-]?\d+)?", cell)]
    if len(numbers) > 1:
        raise DataError(
            f"the first line of '{file}' holds numbers ({', '.join(numbers[:2])}), no names; "
            "put a header line above it"
        )
