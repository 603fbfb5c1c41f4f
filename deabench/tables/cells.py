"""The text of a table's cells as numbers: percent signs, thousands, decimal commas, durations,
spreads in brackets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

MISSING = {
    "",
    "nan",
    "na",
    "n/a",
    "none",
    "null",
    "-",
    "--",
    "—",
    "–",
    "?",
    ".",
    "nil",
    "missing",
    "inf?",
    "<na>",
}
"""What people write where there is no value, in lower case."""
MOSTLY = 0.5
"""A column is one of numbers where at least this share of its filled cells are."""
MANY, SAMPLE = 2000, 200
"""Of a column with more cells than `MANY` that are no plain numbers, so many are looked at before
all are.
"""
_NUMBER = r"[+-]?(\d[\d.,'’\u00a0\u202f ]*\d|\d)?([.,]\d+)?([eE][+-]?\d+)?"
_SPREAD = re.compile(r"\s*(±|\+/-|\+-|\\pm|\().*$")
_MARKS = re.compile(r"<[^>]*>|\*\*|__|`")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_CLOCK = re.compile(r"^(?:(\d+) days? )?(\d+):(\d\d)(?::(\d\d(?:\.\d+)?))?$")
_SECONDS = {
    "ms": 1e-3,
    "s": 1.0,
    "sec": 1.0,
    "secs": 1.0,
    "seconds": 1.0,
    "min": 60.0,
    "mins": 60.0,
    "h": 3600.0,
    "hrs": 3600.0,
}
_TIMES = {"k": 1e3, "m": 1e6, "b": 1e9, "g": 1e9, "t": 1e12}
_WITH_UNIT = re.compile(r"^(.*?\d)\s*(ms|secs?|seconds|s|mins?|hrs|h|[kKmMbBgGtT])$")


@dataclass(frozen=True)
class Numbers:
    """A column of text as numbers.

    Attributes
    ----------
    values : float array (n,)
        NaN where a cell is empty or no number.
    failed : bool array (n,)
        Cells that hold a text in a column of numbers, as an error message does.
    unit : str
        "percent", "seconds" or "" - what the cells themselves state.
    note : str
        What was done to the cells; empty where nothing was.
    """

    values: np.ndarray
    failed: np.ndarray
    unit: str = ""
    note: str = ""


def parse_numbers(column: pd.Series, *, comma: bool = False) -> Numbers | None:
    """The numbers of a column, or None where it is one of text.

    Parameters
    ----------
    column : Series of numbers or of text
    comma : bool
        Whether the file's decimal sign is a comma, as where semicolons part its columns: "1,014" is
        then 1.014.
    """
    if is_numeric_dtype(column.dtype):  # as in most tables; the questions below take their time
        return Numbers(column.to_numpy(dtype=float), np.zeros(len(column), dtype=bool))
    if pd.api.types.is_bool_dtype(column) or pd.api.types.is_datetime64_any_dtype(column):
        return None
    if pd.api.types.is_timedelta64_dtype(column):
        return Numbers(
            column.dt.total_seconds().to_numpy(dtype=float),
            np.zeros(len(column), dtype=bool),
            "seconds",
        )
    if pd.api.types.is_numeric_dtype(column):
        values = pd.to_numeric(column).to_numpy(dtype=float, na_value=np.nan)
        return Numbers(values, np.zeros(len(values), dtype=bool))
    raw = column.to_numpy(dtype=object)
    plain = _plain(column, raw)
    rest = np.flatnonzero(np.isnan(plain) & column.notna().to_numpy())
    if (
        len(rest) > MANY
        and len(rest) > MOSTLY * len(plain)
        and _all_text(raw[rest[:: len(rest) // SAMPLE]])
    ):
        return None
    cells = {int(k): _clean(raw[k]) for k in rest}
    cells = {k: cell for k, cell in cells.items() if cell.lower() not in MISSING}
    if not cells:
        return (
            Numbers(plain, np.zeros(len(plain), dtype=bool)) if not np.isnan(plain).all() else None
        )
    return _of_text(_dots(plain, column, list(cells.values())), cells, comma)


def _plain(column: pd.Series, cells: np.ndarray) -> np.ndarray:
    """The cells that pandas takes for numbers, NaN where it takes none; words, as names are, need
    not be tried one by one.
    """
    if pd.api.types.infer_dtype(cells, skipna=False) == "string":
        starts = {cell[:3] for cell in cells.tolist()}
        if all(start[:1].isalpha() and start.lower() not in ("inf", "nan") for start in starts):
            return np.full(len(cells), np.nan)
    return np.asarray(pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=np.nan))


def is_numeric_dtype(dtype: object) -> bool:
    """Whether cells of this type are numbers, and numbers alone."""
    return isinstance(dtype, np.dtype) and dtype.kind in "fiu"


def is_empty(column: pd.Series) -> bool:
    """Whether a column holds nothing at all: neither numbers nor text."""
    return all(
        _clean(cell).lower() in MISSING for cell in column if cell is not None and cell == cell
    )


def _all_text(cells: np.ndarray) -> bool:
    """Whether no cell of a sample is a number: a column of names need not be read to its end."""
    return all(
        _number(cell, False) is None and cell.lower() not in MISSING for cell in map(_clean, cells)
    )


def _dots(plain: np.ndarray, column: pd.Series, cells: list[str]) -> np.ndarray:
    """Where "1.014,45" stands in the column, "2.500" beside it is 2500."""
    if not any(re.fullmatch(r"-?\d{1,3}(\.\d{3})+,\d+", cell) for cell in cells):
        return plain
    whole = [
        isinstance(cell, str) and bool(re.fullmatch(r"-?\d{1,3}(\.\d{3})+", cell.strip()))
        for cell in column
    ]
    return np.array(
        [
            float(str(cell).replace(".", "")) if is_whole else value
            for cell, value, is_whole in zip(column, plain, whole, strict=True)
        ]
    )


def _clean(cell: object) -> str:
    if not isinstance(cell, str):
        return "" if cell is None else str(cell)
    text = _LINK.sub(r"\1", cell)
    return _MARKS.sub("", text).strip()


def _of_text(plain: np.ndarray, cells: dict[int, str], comma: bool) -> Numbers | None:
    """Cells that pandas does not take for numbers, read with the column's own habits."""
    decimal = comma or _decimal_comma(list(cells.values()))
    read = {k: _number(cell, decimal) for k, cell in cells.items()}
    good = {k: value for k, value in read.items() if value is not None}
    filled = int((~np.isnan(plain)).sum()) + len(cells)
    if (filled - len(cells) + len(good)) < max(MOSTLY * filled, 1):
        return None
    values, failed = plain.copy(), np.zeros(len(plain), dtype=bool)
    for k, (value, _) in good.items():
        values[k] = value
    failed[[k for k in cells if k not in good]] = True
    units = {unit for _, unit in good.values()}
    unit = next(iter(units)) if len(units) == 1 and len(good) == filled else ""
    if (
        "percent" in units and unit != "percent"
    ):  # 90 % beside 0.9: one of them is in another unit, and nobody knows which
        failed[[k for k, (_, its) in good.items() if its == "percent"]] = True
        values[failed] = np.nan
    return Numbers(values, failed, unit, _said(cells, good))


def _said(cells: dict[int, str], good: dict[int, tuple[float, str]]) -> str:
    for k, cell in cells.items():
        if k in good and (
            _SPREAD.search(cell)
            or ("," in cell)
            or good[k][1] == "seconds"
            or _WITH_UNIT.match(cell)
        ):
            return f"'{cell}' is read as {good[k][0]:.15g}"
    return ""


def _decimal_comma(cells: list[str]) -> bool:
    """Whether commas part decimals: some comma is not followed by three digits, and no dot stands
    after one.
    """
    commas = [
        cell for cell in cells if "," in cell and re.match(r"^[\s$€£+-]*[\d.,'\s]+\s*%?$", cell)
    ]
    if not commas or any(re.search(r",.*\.", cell) for cell in commas):
        return False
    return any(not re.search(r",\d{3}(?!\d)", cell) or re.match(r"^-?0,", cell) for cell in commas)


def _number(cell: str, decimal: bool) -> tuple[float, str] | None:
    """A cell as (value, unit); None where it is text."""
    clock = _CLOCK.match(cell)
    if clock:
        days, first, second, third = (float(part or 0) for part in clock.groups())
        return (
            (days * 86400 + first * 3600 + second * 60 + third, "seconds")
            if clock[4]
            else (first * 60 + second, "seconds")
        )
    text = _SPREAD.sub("", cell).strip().lstrip("$€£≈~").strip().replace("−", "-")
    unit = ""
    if text.endswith("%"):
        text, unit = text[:-1].strip(), "percent"
    factor = 1.0
    ending = _WITH_UNIT.match(text)
    if ending:
        text, word = ending[1], ending[2].lower()
        unit, factor = ("seconds", _SECONDS[word]) if word in _SECONDS else ("", _TIMES[word])
    if not re.fullmatch(_NUMBER, text) or not any(c.isdigit() for c in text):
        return None
    text = re.sub(r"['’\u00a0\u202f ]", "", text)
    text = text.replace(".", "").replace(",", ".") if decimal else text.replace(",", "")
    try:
        return float(text) * factor, unit
    except ValueError:
        return None
