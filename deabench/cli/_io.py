"""What the verbs share: reading a table, writing a frame for a person or a program."""

from __future__ import annotations

import enum
import json
import math
import re
import sys
from pathlib import Path

import pandas as pd

from deabench.errors import UsageError
from deabench.utils.files import write_whole
from deabench.utils.text import csv_text

WIDE = 1000
"""Characters that a table may take."""
OTHERS = (
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
"""Ends of names that promise what is not written."""


class Format(enum.StrEnum):
    """How data are written: for a person, or for a program."""

    table = "table"
    csv = "csv"
    json = "json"


def names(text: str | None) -> list[str] | None:
    """`A,B` from the command line as ["A", "B"], a doubled comma is a comma of a name; None stays
    None.
    """
    if text is None:
        return None
    parts = [part.replace("\0", ",").strip() for part in text.replace(",,", "\0").split(",")]
    return [part for part in parts if part]


def say(text: str) -> None:
    """One line for the person, on standard error, in the words of the command line."""
    sys.stderr.write(f"{as_options(text)}\n")


def as_options(text: str) -> str:
    """A sentence of the library in the words of the command line: missing='drop-systems' is
    --missing drop-systems.
    """
    text = re.sub(r"\b(outputs|inputs)=\['([^']*)'\]", r"--\1 '\2'", text)
    text = re.sub(r"\b(missing|technology|model|weights|on)='([\w-]+)'", r"--\1 \2", text)
    text = re.sub(
        r"lower_is_better=\{'([^']*)': '?(\w[\w.]*)'?\}", r"--lower-is-better '\1=\2'", text
    )
    return text.encode("utf-8", "backslashreplace").decode(
        "utf-8"
    )  # a word from the command line may be no text


def target(text: str) -> Path:
    """The file of -o; `-` is standard output.

    Raises
    ------
    UsageError
        Where the name's end promises another format than CSV or JSON.
    """
    path = Path(text)
    if path.suffix.lower() in OTHERS:
        raise UsageError(
            f"cannot write '{text}': tables are written as CSV, or as JSON where the name ends in .json; "
            f"say -o '{path.with_suffix('.csv')}'"
        )
    return path


def write(out: Path, text: str) -> None:
    """Write a text whole to a file, or to standard output where it is called `-`."""
    if str(out) == "-":
        sys.stdout.write(text)
    else:
        write_whole(out, text)


def emit(frame: pd.DataFrame, *, form: Format, out: Path | None = None, title: str = "") -> None:
    """Write a frame to standard output, or whole to the file `out` (CSV, or JSON where its name
    ends so; `-` is standard output).

    The index is the first column. A table for people is rounded to four decimals; CSV and JSON are
    not."""
    if out is not None and form is Format.table:
        form = Format.json if out.suffix == ".json" else Format.csv
    if out is not None:
        write(out, _text(frame, form))
    elif form is Format.table:
        _print(frame, title)
    else:
        sys.stdout.write(_text(frame, form))


def _text(frame: pd.DataFrame, form: Format) -> str:
    if form is Format.csv:
        return csv_text(frame)
    records = frame.reset_index().to_dict(orient="records")
    return (
        json.dumps(
            [{k: _plain(v) for k, v in r.items()} for r in records], indent=1, ensure_ascii=False
        )
        + "\n"
    )


def _plain(value: object) -> object:
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _print(frame: pd.DataFrame, title: str) -> None:
    """A table as wide as it must be: a number that is cut is another number."""
    from rich import box  # here, for programs that ask for CSV need not wait for it
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title) if title else None, title_justify="left", box=box.SIMPLE_HEAD)
    flat = frame.reset_index()
    for name in flat.columns:
        numeric = pd.api.types.is_numeric_dtype(flat[name]) and not pd.api.types.is_bool_dtype(
            flat[name]
        )
        table.add_column(
            Text(str(name)),
            justify="right" if numeric else "left",
            no_wrap=numeric,
            overflow="fold",
            max_width=None if numeric else 72,
        )
    for row in flat.itertuples(index=False):
        table.add_row(*(Text(_shown(cell)) for cell in row))
    console = Console()
    console.width = max(
        console.width,
        console.measure(table, options=console.options.update(max_width=WIDE)).maximum,
    )
    console.print(table)


def _shown(cell: object) -> str:
    if isinstance(cell, bool) or type(cell).__name__ == "bool":
        return "yes" if cell else ""
    if isinstance(cell, float):
        return "" if cell != cell else f"{cell:.4f}"
    return str(cell)
