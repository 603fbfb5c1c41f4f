"""Write tables and messages of the command line: for a person or for a program."""

from __future__ import annotations

import enum
import json
import math
import re
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import zip_longest
from pathlib import Path
from typing import Any, TextIO

import pandas as pd

from deabench.errors import UsageError
from deabench.utils.files import write_whole
from deabench.utils.frames import index_to_columns
from deabench.utils.text import csv_text, markdown_table, printable

MAX_TEXT_WIDTH = 72
"""Columns of text are broken into lines of this width, or less where the terminal is narrow."""
LEAST_TEXT_WIDTH = 12
"""A column of text gets no narrower than this, or than its longest word."""
GAP = "   "
"""What stands between two columns."""
MAX_ROWS = 60
"""Rows of a table that are printed to a terminal."""
P_VALUES = ("p_value", "adjusted", "p")
"""Columns of p values."""
LEAST_P = 0.00005
"""A smaller p value would be printed as 0.0000."""
_prints_all_notes: ContextVar[bool] = ContextVar("_prints_all_notes", default=False)
UNSUPPORTED_SUFFIXES = (
    ".xlsx",
    ".xls",
    ".ods",
    ".parquet",
    ".feather",
    ".tsv",
    ".html",
    ".tex",
    ".pdf",
    ".png",
    ".svg",
    ".toml",
    ".yaml",
)
"""File names with these ends promise a format that tables are not written in."""


class Format(enum.StrEnum):
    """The form in which a table is printed."""

    table = "table"
    csv = "csv"
    json = "json"
    md = "md"


class PrintableStream:
    """A stream on which control, bidirectional and invisible characters are replaced.

    Texts from data (names of columns and rows, cells, errors) can steer a terminal.

    Attributes
    ----------
    terminal : text stream
        The stream itself, for the program's own colours and cursor.
    """

    def __init__(self, stream: TextIO) -> None:
        self.terminal = stream

    def write(self, text: str) -> int:
        """Write a text, and return its length."""
        if not isinstance(text, str):
            raise TypeError("a text is needed")  # typer asks in this way whether bytes will do
        return self.terminal.write(printable(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.terminal, name)


@contextmanager
def printable_streams() -> Iterator[None]:
    """Replace stderr, and stdout if it is a terminal, by streams that are safe to look at.

    A file or a program gets names on stdout as they are. Characters that the stream's encoding
    lacks are written as numbers.
    """
    streams = (sys.stdout, sys.stderr)
    for stream in streams:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    sys.stderr = PrintableStream(sys.stderr)
    if sys.stdout.isatty():
        sys.stdout = PrintableStream(sys.stdout)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams


def print_message(text: str) -> None:
    """Write one message to stderr, with the options of the command line in it.

    Lines are broken at the width of a terminal; commands, which are indented, stay whole.
    """
    lines = with_option_names(text).split("\n")
    if sys.stderr.isatty():
        width = shutil.get_terminal_size().columns
        lines = [line if line.startswith("  ") else _break_line(line, width) for line in lines]
    sys.stderr.write("\n".join(lines) + "\n")


def _break_line(line: str, width: int) -> str:
    """Return a line in lines of at most this width; words, as paths and names, stay whole."""
    return textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False)


def print_messages(texts: Iterable[str]) -> None:
    """Write notes to stderr: one per line, or as one line to a terminal unless -v is typed."""
    messages = list(texts)
    # A message of several lines says what to type next: it stays.
    notes = [text for text in messages if "\n" not in text]
    if notes and sys.stderr.isatty() and not _prints_all_notes.get():
        steps = [text for text in messages if "\n" in text]
        messages = [_shorten_notes(notes, shutil.get_terminal_size().columns), *steps]
    for text in messages:
        print_message(text)


def _shorten_notes(notes: list[str], width: int) -> str:
    """Return the notes, or as much of them as one line holds and how to read all.

    Which systems are left out comes first, for nothing else on the screen says it.
    """
    ordered = sorted(notes, key=lambda note: not note.startswith("left out for"))
    text = " ".join(with_option_names("; ".join(ordered)).split())
    if len(text) <= width:
        return text
    remedy = " (-v: all notes)"
    room = max(width - len(remedy), LEAST_TEXT_WIDTH)
    return textwrap.shorten(text, room, placeholder=" ...") + remedy


@contextmanager
def all_notes() -> Iterator[None]:
    """Print each note on a line of its own, also to a terminal."""
    token = _prints_all_notes.set(True)
    try:
        yield
    finally:
        _prints_all_notes.reset(token)


def with_option_names(text: str) -> str:
    """Replace the library's arguments in a message by options of the command line.

    Examples
    --------
    >>> with_option_names("pass missing='drop-systems'")
    'pass --missing drop-systems'
    """
    # Lists become options with one name; words and numbers follow their option.
    text = re.sub(r"\b(outputs|inputs)=\['([^']*)'\]", r"--\1 '\2'", text)
    text = re.sub(
        r"\b(missing|technology|model|returns|orientation|on)='([\w-]+)'", r"--\1 \2", text
    )
    text = re.sub(r"\bweights='([\w-]+)'", r"--weights \1", text)
    text = re.sub(
        r"lower_is_better=\{'([^']*)': '?(\w[\w.]*)'?\}", r"--lower-is-better '\1=\2'", text
    )
    text = re.sub(r"within=\{'([^']*)': ([^}]*)\} of deabench.best", r"--within '\1=\2'", text)
    text = re.sub(
        r"model=deabench\.models\.WEI\(ratios=\{\('([^']*)', '([^']*)'\): \(([^,]*), ([^)]*)\)\}\)",
        r"--model wei --option 'ratios=\1/\2=\3:\4'",
        text,
    )
    text = re.sub(r"\blimits=\{'(\w+)': (\d+)\}", r"--limit \1=\2", text)
    text = re.sub(r"\bscale=\{'([^']*)': 'log'\}", r"--log '\1'", text)
    text = re.sub(r"\bsheet='([^']*)'", r"--sheet '\1'", text)
    text = re.sub(r"\bmissing_code=(-?[\d.]+)", r"--missing-code \1", text)
    text = re.sub(r"\btime_limit=(\d+)", r"--time-limit \1", text)
    # An installed package has its pages inside.
    return re.sub(r"\bdocs/(\w+)\.md", r"'deabench docs \1'", text)


def parse_output_path(text: str) -> Path:
    """Return the file of -o, where `-` is stdout.

    Raises
    ------
    UsageError
        If the name ends like a format that tables are not written in.
    """
    path = Path(text)
    if path.suffix.lower() in UNSUPPORTED_SUFFIXES:
        raise UsageError(
            f"cannot write '{text}': tables are written as CSV, or as JSON or Markdown if the name "
            f"ends in .json or .md; type -o '{path.with_suffix('.csv')}'"
        )
    return path


def is_stdout(path: Path | None) -> bool:
    """Return whether the output goes to stdout: without a file, or with the file `-`."""
    return path is None or str(path) == "-"


def writes_json(form: Format, path: Path | None) -> bool:
    """Return whether a table is written as JSON, by its format or by the name of its file."""
    # `--format` comes first; without it the name of the file decides.
    named_json = path is not None and path.suffix == ".json"
    return form is Format.json or (form is Format.table and named_json)


def write_text(text: str, path: Path | None) -> None:
    """Write a text to stdout, or to a file as a whole."""
    if path is None or is_stdout(path):
        sys.stdout.write(text)
    else:
        write_whole(path, text)


def write_table(
    frame: pd.DataFrame,
    *,
    form: Format,
    path: Path | None = None,
    title: str = "",
    row_name: str = "",
) -> None:
    """Write a frame to stdout, or as a whole to a file.

    Parameters
    ----------
    frame : DataFrame
        Its index becomes the first column.
    form : Format
        A table and Markdown are rounded to four decimals; CSV and JSON are not rounded.
    path : Path, optional
        The format of a file is CSV, or JSON or Markdown if the name ends in .json or .md, unless
        `form` names another.
    title : str
        The line above a table.
    row_name : str
        What the source calls its systems. A table and Markdown are headed by it; in CSV and JSON
        the column is always called "classifier".
    """
    is_classifier = list(frame.index.names) == ["classifier"]
    named = frame.rename_axis(row_name) if row_name and is_classifier else frame
    if form is Format.table and path is None:
        _print_table(named, title)
    elif writes_json(form, path):
        write_text(json_records(frame), path)
    elif form is Format.md or (form is Format.table and path is not None and path.suffix == ".md"):
        write_text(markdown_text(named), path)
    else:
        write_text(csv_text(frame), path)


def markdown_text(frame: pd.DataFrame) -> str:
    """Return a frame as a Markdown table, rounded to four decimals."""
    flat = index_to_columns(frame)
    names = [str(name) for name in flat.columns]
    formats = [_p_value_text if name in P_VALUES else _cell_text for name in names]
    columns = (map(text_of, flat.iloc[:, k]) for k, text_of in enumerate(formats))
    rows = zip(*columns, strict=True)
    return "\n".join(markdown_table(names, rows, _numeric_columns(flat))) + "\n"


def json_records(frame: pd.DataFrame) -> str:
    """Return a frame as a JSON list with one object per row; NaN and infinities become null."""
    records = [
        {key: _json_value(value) for key, value in row.items()}
        for row in index_to_columns(frame).to_dict(orient="records")
    ]
    return json.dumps(records, indent=1, ensure_ascii=False) + "\n"


def _json_value(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _print_table(frame: pd.DataFrame, title: str) -> None:
    """Print a table; on a terminal its first rows, in as many parts as its width asks for.

    No number is cut: it would be another number.
    """
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    shown = frame if width is None else frame.head(MAX_ROWS)
    flat = index_to_columns(shown)
    columns = [
        _Column(str(flat.columns[k]), flat.iloc[:, k], is_numeric, width or MAX_TEXT_WIDTH)
        for k, is_numeric in enumerate(_numeric_columns(flat))
    ]
    lines = textwrap.wrap(title, width) if width else [title] * bool(title)
    for part in _split_columns(columns, frame.index.nlevels, width):
        # One empty line between two parts.
        if lines and not lines[-1]:
            lines.pop()
        lines += _table_lines(part)
    sys.stdout.write("\n".join(lines) + "\n")
    if len(shown) < len(frame):
        print_message(
            f"the first {len(shown)} of {len(frame):,} rows; type -o FILE.csv to write all, or "
            "--format csv to print them"
        )


class _Column:
    """A column as it is printed: its name and cells, each in lines."""

    def __init__(self, name: str, cells: pd.Series, is_numeric: bool, width: int) -> None:
        self.is_numeric = is_numeric
        is_p_value = name in P_VALUES
        cell_texts = (_p_value_text(cell) if is_p_value else _cell_text(cell) for cell in cells)
        # A cell that holds line breaks is one line, for its rows would fall apart.
        self.texts = [" ".join(printable(text).splitlines()) for text in (name, *cell_texts)]
        words = [word for text in self.texts for word in text.split()]
        if is_numeric:
            words = self.texts
        self.least_width = max((LEAST_TEXT_WIDTH, *map(_text_width, words)))
        self.width = max(map(_text_width, self.texts))
        self.least_width = min(self.least_width, self.width, width - 2)
        self.width = min(self.width, max(MAX_TEXT_WIDTH, self.least_width))
        # Names are broken, too, where even a part of one column would be too wide; numbers never.
        numbers = map(_text_width, self.texts[1:]) if is_numeric else ()
        self.shortest_width = min(max((LEAST_TEXT_WIDTH, *numbers)), self.least_width)

    def cells(self) -> Iterator[list[str]]:
        """Return the lines of each cell, all as wide as the column."""
        for text in self.texts:
            lines = [text]
            if _text_width(text) > self.width:
                lines = textwrap.wrap(text, self.width) or [""]
            yield [self.pad(line) for line in lines]

    def pad(self, text: str) -> str:
        """Fill a line with blanks to the column's width."""
        blanks = " " * (self.width - _text_width(text))
        return blanks + text if self.is_numeric else text + blanks


def _split_columns(
    columns: list[_Column], labels: int, width: int | None
) -> Iterator[list[_Column]]:
    """Split columns into parts that fit the width; each part begins with the columns of labels."""
    part = columns[:labels]
    for column in columns[labels:]:
        total = _total_width(c.least_width for c in (*part, column))
        if width is not None and total > width and len(part) > labels:
            yield _fit_widths(part, width)
            part = columns[:labels]
        part = [*part, column]
    yield _fit_widths(part, width)


def _fit_widths(part: list[_Column], width: int | None) -> list[_Column]:
    """Make the widest columns of text narrower until the part fits the width."""
    if width is None:
        return part
    while _total_width(column.width for column in part) > width:
        column = max(part, key=lambda c: c.width - c.least_width)
        if column.width <= column.least_width:
            column = max(part, key=lambda c: c.width - c.shortest_width)
        if column.width <= column.shortest_width:
            break
        column.width -= 1
    return part


def _total_width(widths: Iterable[int]) -> int:
    """Return the width of a table of these columns, with gaps and margins."""
    return sum(width + len(GAP) for width in widths) - len(GAP) + 4


def _table_lines(columns: list[_Column]) -> list[str]:
    """Return the lines of a table, with a rule below the names."""
    lines = []
    for number, row in enumerate(zip(*(column.cells() for column in columns), strict=True)):
        for cells in zip_longest(*row):
            filled = [
                cell if cell is not None else column.pad("")
                for cell, column in zip(cells, columns, strict=True)
            ]
            lines.append(("  " + GAP.join(filled)).rstrip())
        if number == 0:
            lines.append(" " + _rule_sign() * (_total_width(c.width for c in columns) - 2))
    return ["", *lines, ""]


def _rule_sign() -> str:
    """Return the sign of a rule; a hyphen where the stream cannot write a line."""
    try:
        "─".encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return "-"
    return "─"


def _text_width(text: str) -> int:
    """Return how many places of a terminal a text takes: signs of East Asia take two."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(sign) else 1 + (unicodedata.east_asian_width(sign) in "WF")
        for sign in text
    )


def _numeric_columns(flat: pd.DataFrame) -> list[bool]:
    """Return which columns hold numbers, and no truth values."""
    return [
        pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)
        for dtype in flat.dtypes
    ]


def _p_value_text(cell: object) -> str:
    """Return a p value with four decimals; one that is rounded to 0 is a bound."""
    if isinstance(cell, float) and 0 <= cell < LEAST_P:
        return "< 0.0001"
    return _cell_text(cell)


def _cell_text(cell: object) -> str:
    # numpy's truth values are no `bool`.
    if isinstance(cell, bool) or type(cell).__name__ == "bool":
        return "yes" if cell else ""
    if isinstance(cell, float):
        return "" if math.isnan(cell) else f"{cell:z.4f}"
    return str(cell)
