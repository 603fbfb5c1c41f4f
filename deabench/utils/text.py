"""Tables as CSV text, to the last digit and never a formula in a spreadsheet; and names as they can
be shown.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionArray

UNSEEN = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
"""Signs that are no text, or turn the direction of what follows them."""

FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")
"""A text cell that starts so could run as a formula in a spreadsheet."""
Cells: TypeAlias = np.ndarray | ExtensionArray
ROWS = 1 << 14
"""So many rows are written at a time: their cells stay in the processor's cache."""


def escape_formula(cell: str) -> str:
    """A text cell that cannot start a formula in a spreadsheet; `unguarded` is its inverse."""
    return f"'{cell}" if cell.startswith(FORMULA_SIGNS) else cell


def printable(text: object) -> str:
    """A name as it can be shown: signs that are no text or turn its direction become a visible
    mark; see `seen` of dom.ts.
    """
    return UNSEEN.sub("\ufffd", str(text))


def quote_names(names: Iterable[object], most: int = 8) -> str:
    """Join names in quotes, as `'A', 'B' and 3 more`."""
    quoted = [f"'{name}'" for name in names]
    shown = ", ".join(quoted[:most])
    return shown if len(quoted) <= most else f"{shown} and {len(quoted) - most} more"


def unescape_formula(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA_SIGNS) else cell


def csv_text(frame: pd.DataFrame) -> str:
    """The frame as CSV with its index as first column, text cells guarded, numbers to their last
    digit.
    """
    flat = frame.reset_index()
    names = [escape_formula(str(name)) for name in flat.columns]
    columns = [flat.iloc[:, k].values for k in range(len(names))]
    if len(columns) == 1 or not all(map(_plain, columns)):
        return _of_any(flat.set_axis(names, axis=1))
    parts = [_row(names), "\n"]
    for start in range(0, len(flat), ROWS):
        cells = [_cells(column[start : start + ROWS]) for column in columns]
        parts += ["\n".join(map(",".join, zip(*cells, strict=True))), "\n"]
    return "".join(parts)


def _of_any(flat: pd.DataFrame) -> str:
    """A frame of cells of any type as CSV."""
    for k in range(flat.shape[1]):
        if not pd.api.types.is_numeric_dtype(flat.dtypes.iloc[k]):
            cells = (
                flat.iloc[:, k].to_numpy(dtype=object).tolist()
            )  # a frame's own cells are slow to go through
            flat.isetitem(
                k, [escape_formula(cell) if isinstance(cell, str) else cell for cell in cells]
            )
    return str(flat.to_csv(index=False, lineterminator="\n"))


def _plain(column: Cells) -> bool:
    """Whether a column holds floats, whole numbers, truths or texts without a gap: those `_cells`
    writes as pandas does, in half the time.
    """
    if column.dtype == np.float64:
        return True
    known = column.dtype.kind in "iub" or pd.api.types.infer_dtype(column, skipna=False) == "string"
    return known and not pd.isna(column).any()


def _cells(column: Cells) -> list[str]:
    """The cells of a plain column as they stand in CSV."""
    cells, kind = np.asarray(column).tolist(), column.dtype.kind
    if kind == "f":
        texts = list(map(repr, cells))
        return (
            ["" if cell == "nan" else cell for cell in texts] if np.isnan(column).any() else texts
        )
    return list(map(str, cells)) if kind in "iub" else _quoted(cells)


def _quoted(cells: list[str]) -> list[str]:
    """Text cells guarded, and in quotes where they hold a sign of CSV: all are looked at together,
    for few hold any.
    """
    text = "\n" + "\n".join(cells)
    if any(f"\n{sign}" in text for sign in FORMULA_SIGNS):
        cells = [escape_formula(cell) for cell in cells]
    if '"' in text or "\r" in text or text.count("\n") > len(cells):
        return [_row([cell, ""])[:-1] for cell in cells]
    return [f'"{cell}"' if "," in cell else cell for cell in cells] if "," in text else cells


def _row(cells: list[str]) -> str:
    """A row of CSV without its end."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerow(cells)
    return stream.getvalue()[:-1]
