"""Tables as CSV text, to the last digit and never a formula in a spreadsheet; and names as they can be shown."""

from __future__ import annotations

import re

import pandas as pd

UNSEEN = re.compile("[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""Signs that are no text, or turn the direction of what follows them."""

FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")
"""A text cell that starts so could run as a formula in a spreadsheet."""


def guarded(cell: str) -> str:
    """A text cell that cannot start a formula in a spreadsheet; `unguarded` is its inverse."""
    return f"'{cell}" if cell.startswith(FORMULA_SIGNS) else cell


def seen(text: object) -> str:
    """A name as it can be shown: signs that are no text or turn its direction become a visible mark; see `seen` of dom.ts."""
    return UNSEEN.sub("\ufffd", str(text))


def unguarded(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA_SIGNS) else cell


def csv_text(frame: pd.DataFrame) -> str:
    """The frame as CSV with its index as first column, text cells guarded, numbers to their last digit."""
    flat = frame.reset_index()
    for name in flat.columns:
        if not pd.api.types.is_numeric_dtype(flat[name]):
            cells = flat[name].to_numpy(dtype=object).tolist()  # a frame's own cells are slow to go through
            flat[name] = [guarded(cell) if isinstance(cell, str) else cell for cell in cells]
    flat.columns = [guarded(str(name)) for name in flat.columns]
    return str(flat.to_csv(index=False, lineterminator="\n"))
