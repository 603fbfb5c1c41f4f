"""Tables as CSV, to the last digit and never a formula, and as Markdown; printable names."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionArray

from deabench.utils.frames import index_to_columns

UNSEEN = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f"  # control characters
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"  # direction of writing, ends of lines
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065"  # invisible
    "\u206a-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff"
    "\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd\U00013430-\U0001343f"  # format
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\ud800-\udfff\ufffe\uffff]"  # no characters
)
"""Characters that control a terminal, turn the direction of the text after them, or are invisible.

The signs that make a character an emoji (U+FE0E, U+FE0F) stay.
"""

FORMULA_SIGNS = ("=", "+", "-", "@", "|", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""A text cell that begins with one of these could run as a formula in a spreadsheet; the last four
are the full-width =, +, - and @.
"""
MARKDOWN_SIGNS = re.compile(r"([\\`*_{}\[\]()#+!|~<>$&-])")
Cells: TypeAlias = np.ndarray | ExtensionArray
ROWS = 1 << 14
"""Rows written at a time: their cells stay in the processor's cache."""


def escape_formula(cell: str) -> str:
    """Return a text cell that cannot start a formula; `unescape_formula` is its inverse."""
    if cell.startswith(FORMULA_SIGNS):
        return f"'{cell}"
    return cell


def printable(text: object) -> str:
    """Return a text with a visible mark for characters that control, turn or hide others.

    The page does the same: see `seen` in dom.ts.
    """
    return UNSEEN.sub("\ufffd", str(text))


def shorten_middle(text: str, length: int) -> str:
    """Return a text of at most `length` characters: the ends stay, where most names differ.

    >>> shorten_middle("random forest, balanced", 15)
    'random …alanced'
    """
    if len(text) <= length:
        return text
    tail = (length - 1) // 2
    return f"{text[: length - 1 - tail]}…{text[len(text) - tail :]}"


def name_type(value: object) -> str:
    """Return the type of a value with its article, as "an int" and "a list".

    >>> name_type(3), name_type("x")
    ('an int', 'a str')
    """
    name = type(value).__name__
    return f"an {name}" if name[0].lower() in "aeiou" else f"a {name}"


def quote_names(names: Iterable[object], max_names: int = 8) -> str:
    """Join names in quotes, as `'A', 'B' and 3 more`."""
    # A name is one line, as in tables: files may hold line breaks.
    quoted = [f"'{' '.join(str(name).splitlines())}'" for name in names]
    shown = ", ".join(quoted[:max_names])
    if len(quoted) > max_names:
        shown += f" and {len(quoted) - max_names} more"
    return shown


def two_digits(value: float) -> str:
    """Write a number with two significant digits, without an exponent: 150, 0.034, 1,200,000."""
    return f"{float(f'{value:.2g}'):,.15g}"


def unescape_formula(cell: str) -> str:
    """Return a text cell as it was before `escape_formula`."""
    if cell.startswith("'") and cell[1:].startswith(FORMULA_SIGNS):
        return cell[1:]
    return cell


def csv_text(frame: pd.DataFrame) -> str:
    """Return the frame as CSV: its index first, formulas escaped, numbers to their last digit."""
    flat = index_to_columns(frame)
    names = [escape_formula(str(name)) for name in flat.columns]
    columns = [flat.iloc[:, k].values for k in range(len(names))]
    # Blank lines are quoted in a frame of one column only; pandas does that.
    # Cells of other types are left to pandas.
    if len(columns) == 1 or not all(map(_is_fast, columns)):
        return _to_csv_with_pandas(flat.set_axis(names, axis=1))
    lines = [_join_row(names), "\n"]
    for start in range(0, len(flat), ROWS):
        cells = [_format_cells(column[start : start + ROWS]) for column in columns]
        lines += ["\n".join(map(",".join, zip(*cells, strict=True))), "\n"]
    return "".join(lines)


def _to_csv_with_pandas(flat: pd.DataFrame) -> str:
    """Return a frame of cells of any type as CSV."""
    for k in range(flat.shape[1]):
        if not pd.api.types.is_numeric_dtype(flat.dtypes.iloc[k]):
            # The cells of a frame are slow to go through; those of a list are not.
            cells = flat.iloc[:, k].to_numpy(dtype=object).tolist()
            flat.isetitem(
                k, [escape_formula(cell) if isinstance(cell, str) else cell for cell in cells]
            )
    return str(flat.to_csv(index=False, lineterminator="\n"))


def _is_fast(column: Cells) -> bool:
    """Return whether a column has floats, or integers, booleans or texts without a gap.

    `_format_cells` writes those as pandas does, in half the time.
    """
    if column.dtype == np.float64:
        return True
    is_known = (
        column.dtype.kind in "iub" or pd.api.types.infer_dtype(column, skipna=False) == "string"
    )
    return is_known and not pd.isna(column).any()


def _format_cells(column: Cells) -> list[str]:
    """Return the cells of a column as CSV text."""
    cells = np.asarray(column).tolist()
    if column.dtype.kind in "iub":
        return list(map(str, cells))
    if column.dtype.kind != "f":
        return _quote_cells(cells)
    texts = list(map(repr, cells))
    # pandas writes a gap as an empty cell.
    if np.isnan(column).any():
        return ["" if text == "nan" else text for text in texts]
    return texts


def _quote_cells(cells: list[str]) -> list[str]:
    """Escape formulas, and quote the cells with a special character of CSV.

    All cells are searched as one text, because few have any.
    """
    text = "\n" + "\n".join(cells)
    if any(f"\n{sign}" in text for sign in FORMULA_SIGNS):
        cells = [escape_formula(cell) for cell in cells]
    # An unexpected line end inside a cell shows as one line end too many.
    if '"' in text or "\r" in text or text.count("\n") > len(cells):
        return [_join_row([cell, ""])[:-1] for cell in cells]
    if "," not in text:
        return cells
    return [f'"{cell}"' if "," in cell else cell for cell in cells]


def _join_row(cells: list[str]) -> str:
    """Return a row of CSV without its line end."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerow(cells)
    return stream.getvalue()[:-1]


def escape_markdown(text: object) -> str:
    """Escape a text on one line, with a visible mark for characters that cannot be seen."""
    # A line end would end a row of a table or a heading.
    return MARKDOWN_SIGNS.sub(r"\\\1", printable(" ".join(str(text).split())))


def markdown_table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], numeric: Sequence[bool]
) -> list[str]:
    """Return the lines of a table in Markdown; columns of numbers are aligned right."""
    rule = "|".join("---:" if is_number else "---" for is_number in numeric)
    return [_markdown_row(columns), f"|{rule}|", *map(_markdown_row, rows)]


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(escape_markdown, cells)) + " |"
