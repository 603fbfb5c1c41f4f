"""Parse the cells of a column as numbers.

Cells may hold percent signs, thousands separators, decimal commas, durations or spreads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

EMPTY_WORDS = {
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
"""Words for an empty cell, in lower case."""
LEAST_SHARE = 0.5
"""A column is numeric where at least this share of its filled cells are numbers."""
LONG_COLUMN = 2000
"""In a column with more cells than this that are no plain numbers, a sample is looked at first."""
SAMPLE_SIZE = 200
_NUMBER = r"[+-]?(\d[\d.,'’\u00a0\u202f ]*\d|\d)?([.,]\d+)?([eE][+-]?\d+)?"
_SPREAD = re.compile(r"\s*(±|\+/-|\+-|\\pm|\().*$")
_MARKUP = re.compile(r"<[^>]*>|\*\*|__|`")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_CLOCK = re.compile(r"^(?:(\d+) days? )?(\d+):(\d\d)(?::(\d\d(?:\.\d+)?))?$")
_GROUPED_BY_DOTS = re.compile(r"-?\d{1,3}(\.\d{3})+")
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
_MULTIPLES = {"k": 1e3, "m": 1e6, "b": 1e9, "g": 1e9, "t": 1e12}
_WITH_UNIT = re.compile(r"^(.*?\d)\s*(ms|secs?|seconds|s|mins?|hrs|h|[kKmMbBgGtT])$")


@dataclass(frozen=True)
class Numbers:
    """The numbers of a column.

    Attributes
    ----------
    values : float array (n,)
        NaN where a cell is empty or no number.
    failed : bool array (n,)
        Cells that hold a text in a column of numbers, as an error message.
    unit : str
        "percent", "seconds" or "": what the cells themselves state.
    note : str
        How the cells were parsed; empty where they are plain numbers.
    """

    values: np.ndarray
    failed: np.ndarray
    unit: str = ""
    note: str = ""


def parse_numbers(column: pd.Series, *, decimal_comma: bool = False) -> Numbers | None:
    """Return the numbers of a column, or None for a column of text.

    Parameters
    ----------
    column : Series of numbers or of text
    decimal_comma : bool
        Whether the decimal sign of the file is a comma: "1,014" is then 1.014.
    """
    none_failed = np.zeros(len(column), dtype=bool)
    # Plain dtypes first: most columns have one, and the checks below take time.
    if is_numeric_dtype(column.dtype):
        return Numbers(column.to_numpy(dtype=float), none_failed)
    if _holds_truths_or_dates(column):
        return None
    if pd.api.types.is_timedelta64_dtype(column):
        return Numbers(column.dt.total_seconds().to_numpy(dtype=float), none_failed, "seconds")
    if pd.api.types.is_numeric_dtype(column):
        values = pd.to_numeric(column).to_numpy(dtype=float, na_value=np.nan)
        return Numbers(values, none_failed)
    cells = column.to_numpy(dtype=object)
    numeric = _parse_plain_numbers(column, cells)
    # pandas parses plain numbers fast; only the other cells are parsed one by one.
    unparsed = np.flatnonzero(np.isnan(numeric) & column.notna().to_numpy())
    # A long column of text is recognised by a sample of its cells.
    if len(unparsed) > max(LONG_COLUMN, LEAST_SHARE * len(numeric)):
        sample = cells[unparsed[:: len(unparsed) // SAMPLE_SIZE]]
        if _are_all_text(sample):
            return None
    # Cells without their markup, by row; what stands for an empty cell is no text.
    texts = {int(row): _clean(cells[row]) for row in unparsed}
    texts = {row: text for row, text in texts.items() if text.lower() not in EMPTY_WORDS}
    if texts:
        numeric = _ungroup_by_dots(numeric, column, texts.values())
        return _parse_texts(numeric, texts, decimal_comma)
    if np.isnan(numeric).all():
        return None
    return Numbers(numeric, none_failed)


def parse_or_empty(column: pd.Series, *, decimal_comma: bool = False) -> Numbers | None:
    """Return the numbers of a column; all NaN where every cell is empty, None for text."""
    numbers = parse_numbers(column, decimal_comma=decimal_comma)
    if numbers is not None or _holds_truths_or_dates(column):
        return numbers
    # NaN, the only value that differs from itself, is empty in a column of any type.
    if all(_clean(cell).lower() in EMPTY_WORDS for cell in column if cell is None or cell == cell):
        return Numbers(np.full(len(column), np.nan), np.zeros(len(column), dtype=bool))
    return None


def is_numeric_dtype(dtype: object) -> bool:
    """Return whether cells of this dtype are plain integers or floats."""
    return isinstance(dtype, np.dtype) and dtype.kind in "fiu"


def is_empty_word(cell: str) -> bool:
    """Return whether a cell's text stands for an empty cell."""
    return cell.strip().lower() in EMPTY_WORDS


def _holds_truths_or_dates(column: pd.Series) -> bool:
    is_truth = pd.api.types.is_bool_dtype(column)
    return bool(is_truth or pd.api.types.is_datetime64_any_dtype(column))


def _parse_plain_numbers(column: pd.Series, cells: np.ndarray) -> np.ndarray:
    """Return what pandas parses as numbers, NaN elsewhere.

    A column of words, as names, needs no parsing: the first characters of its cells show it.
    """
    # "inf" and "nan" are the only numbers that begin with a letter.
    if pd.api.types.infer_dtype(cells, skipna=False) == "string":
        starts = {cell[:3] for cell in cells.tolist()}
        if all(start[:1].isalpha() and start.lower() not in ("inf", "nan") for start in starts):
            return np.full(len(cells), np.nan)
    return np.asarray(pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=np.nan))


def _are_all_text(cells: np.ndarray) -> bool:
    """Return whether no cell of a sample is a number or empty."""
    texts = [_clean(cell) for cell in cells]
    return all(
        _parse_cell(text, False) is None and text.lower() not in EMPTY_WORDS for text in texts
    )


def _ungroup_by_dots(numeric: np.ndarray, column: pd.Series, texts: Iterable[str]) -> np.ndarray:
    """Read "2.500" as 2500 in a column that also holds "1.014,45"."""
    if not any(re.fullmatch(_GROUPED_BY_DOTS.pattern + r",\d+", text) for text in texts):
        return numeric
    values = numeric.copy()
    for row, cell in enumerate(column):
        if isinstance(cell, str) and _GROUPED_BY_DOTS.fullmatch(cell.strip()):
            values[row] = float(cell.replace(".", ""))
    return values


def _clean(cell: object) -> str:
    """Return a cell's text without markup and links."""
    if cell is None:
        return ""
    if not isinstance(cell, str):
        return str(cell)
    return _MARKUP.sub("", _LINK.sub(r"\1", cell)).strip()


def _parse_texts(numeric: np.ndarray, texts: Mapping[int, str], comma: bool) -> Numbers | None:
    """Parse the cells that are no plain numbers, by the habits of their column."""
    decimal_comma = comma or _has_decimal_commas(list(texts.values()))
    parsed = {}
    for row, text in texts.items():
        number = _parse_cell(text, decimal_comma)
        if number is not None:
            parsed[row] = number
    plain_count = int((~np.isnan(numeric)).sum())
    filled = plain_count + len(texts)
    # Mostly text: a number here and there does not make a column of measurements.
    if plain_count + len(parsed) < max(LEAST_SHARE * filled, 1):
        return None
    values = numeric.copy()
    failed = np.zeros(len(numeric), dtype=bool)
    for row, (value, _) in parsed.items():
        values[row] = value
    failed[[row for row in texts if row not in parsed]] = True
    # A unit holds for the column only where every filled cell states the same one.
    units = {unit for _, unit in parsed.values()}
    unit = ""
    if len(units) == 1 and len(parsed) == filled:
        unit = next(iter(units))
    if "percent" in units and unit != "percent":
        # "90 %" next to 0.9: one of the two is in another unit, and nothing tells which.
        failed[[row for row, (_, stated) in parsed.items() if stated == "percent"]] = True
        values[failed] = np.nan
    return Numbers(values, failed, unit, _describe_parsing(texts, parsed))


def _describe_parsing(texts: Mapping[int, str], parsed: Mapping[int, tuple[float, str]]) -> str:
    """Show how the first cell with a spread, a comma or a unit was read."""
    for row, text in texts.items():
        if row not in parsed:
            continue
        value, unit = parsed[row]
        if _SPREAD.search(text) or "," in text or unit == "seconds" or _WITH_UNIT.match(text):
            return f"'{text}' is read as {value:.15g}"
    return ""


def _has_decimal_commas(texts: Sequence[str]) -> bool:
    """Return whether the commas of a column are decimal signs.

    They are where some comma is not followed by exactly three digits, or follows a single 0
    ("0,851"), and no dot stands after a comma.
    """
    with_comma = [
        text for text in texts if "," in text and re.match(r"^[\s$€£+-]*[\d.,'\s]+\s*%?$", text)
    ]
    if not with_comma or any(re.search(r",.*\.", text) for text in with_comma):
        return False
    return any(
        not re.search(r",\d{3}(?!\d)", text) or re.match(r"^-?0,", text) for text in with_comma
    )


def _parse_cell(cell: str, decimal_comma: bool) -> tuple[float, str] | None:
    """Return a cell as (value, unit), or None for a text."""
    clock = _CLOCK.match(cell)
    if clock:
        return _clock_seconds(clock), "seconds"
    # What follows the estimate (± spread, brackets) and currency signs around it are no part of it.
    text = _SPREAD.sub("", cell).strip().lstrip("$€£≈~").strip().replace("−", "-")
    unit = ""
    factor = 1.0
    if text.endswith("%"):
        text = text[:-1].strip()
        unit = "percent"
    # A unit of time converts to seconds; k, M and the like multiply a number without a unit.
    with_unit = _WITH_UNIT.match(text)
    if with_unit:
        text = with_unit[1]
        word = with_unit[2].lower()
        if word in _SECONDS:
            unit = "seconds"
            factor = _SECONDS[word]
        else:
            unit = ""
            factor = _MULTIPLES[word]
    # What remains must be a number as a whole: "3 of 5" and "v2.1" are text.
    if not re.fullmatch(_NUMBER, text) or not any(sign.isdigit() for sign in text):
        return None
    # Apostrophes and blanks within a number can only group thousands.
    text = re.sub(r"['’\u00a0\u202f ]", "", text)
    # The sign that is not decimal groups thousands.
    if decimal_comma:
        text = text.replace(".", "").replace(",", ".")
    text = text.replace(",", "")
    try:
        return float(text) * factor, unit
    except ValueError:
        return None


def _clock_seconds(clock: re.Match[str]) -> float:
    """Return the seconds of "1:02:03", "2 days 1:02:03" or, without hours, "02:03"."""
    days, first, second, third = (float(group or 0) for group in clock.groups())
    if clock[4]:
        return days * 86400 + first * 3600 + second * 60 + third
    return first * 60 + second
