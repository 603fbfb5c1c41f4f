"""Write tables and messages of the command line: for a person or for a program."""

from __future__ import annotations

import enum
import json
import math
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from deabench.errors import UsageError
from deabench.utils.files import write_whole
from deabench.utils.text import csv_text

if TYPE_CHECKING:
    from rich.table import Table

MAX_WIDTH = 1000
"""The width of a table in characters; none is cut below it."""
MAX_TEXT_WIDTH = 72
"""Columns of text are broken into lines of this width."""
UNSUPPORTED_SUFFIXES = (
    ".xlsx",
    ".xls",
    ".ods",
    ".parquet",
    ".feather",
    ".tsv",
    ".html",
    ".md",
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


def print_message(text: str) -> None:
    """Write one message to stderr, with the options of the command line in it."""
    sys.stderr.write(f"{with_option_names(text)}\n")


def print_messages(texts: Iterable[str]) -> None:
    """Write messages to stderr, one per line."""
    for text in texts:
        print_message(text)


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
    text = re.sub(r"\bsheet='([^']*)'", r"--sheet '\1'", text)
    text = re.sub(r"\bmissing_code=(-?[\d.]+)", r"--missing-code \1", text)
    # A word of the command line may hold bytes that are no text.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


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
            f"cannot write '{text}': tables are written as CSV, or as JSON if the name ends in "
            f".json; type -o '{path.with_suffix('.csv')}'"
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
    frame: pd.DataFrame, *, form: Format, path: Path | None = None, title: str = ""
) -> None:
    """Write a frame to stdout, or as a whole to a file.

    Parameters
    ----------
    frame : DataFrame
        Its index becomes the first column.
    form : Format
        A table is rounded to four decimals; CSV and JSON are not rounded.
    path : Path, optional
        The format of a file is CSV, or JSON if the name ends in .json, unless `form` names another.
    title : str
        The line above a table.
    """
    if form is Format.table and path is None:
        _print_table(frame, title)
    elif writes_json(form, path):
        write_text(json_records(frame), path)
    else:
        write_text(csv_text(frame), path)


def json_records(frame: pd.DataFrame) -> str:
    """Return a frame as a JSON list with one object per row; NaN and infinities become null."""
    records = [
        {key: _json_value(value) for key, value in row.items()}
        for row in frame.reset_index().to_dict(orient="records")
    ]
    return json.dumps(records, indent=1, ensure_ascii=False) + "\n"


def _json_value(value: Any) -> Any:
    # numpy's scalars are unknown to `json`.
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _print_table(frame: pd.DataFrame, title: str) -> None:
    """Print a table at its full width: a number that is cut is another number."""
    from rich.console import Console

    table = _rich_table(frame.reset_index(), title)
    console = Console()
    # Measure without a limit: rich would cut numbers to the width of the terminal.
    unlimited = console.options.update(max_width=MAX_WIDTH)
    console.width = max(console.width, console.measure(table, options=unlimited).maximum)
    console.print(table)


def _rich_table(frame: pd.DataFrame, title: str) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title_justify="left", box=box.SIMPLE_HEAD)
    if title:
        table.title = Text(title)
    for name, column in frame.items():
        is_boolean = pd.api.types.is_bool_dtype(column)
        if pd.api.types.is_numeric_dtype(column) and not is_boolean:
            table.add_column(Text(str(name)), justify="right", no_wrap=True, overflow="fold")
        else:
            table.add_column(Text(str(name)), overflow="fold", max_width=MAX_TEXT_WIDTH)
    # `Text` keeps brackets of names from being read as rich's markup.
    for row in frame.itertuples(index=False):
        table.add_row(*(Text(_cell_text(cell)) for cell in row))
    return table


def _cell_text(cell: object) -> str:
    # numpy's truth values are no `bool`.
    if isinstance(cell, bool) or type(cell).__name__ == "bool":
        return "yes" if cell else ""
    if isinstance(cell, float):
        return "" if math.isnan(cell) else f"{cell:.4f}"
    return str(cell)
