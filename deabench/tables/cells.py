"""Parse the cells of a column as numbers.

Cells may hold percent signs, thousands separators, decimal commas, durations or spreads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from operator import itemgetter

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.tables.estimates import (
    CURRENCY_CODES,
    Estimate,
    clean_cell,
    counts_operations,
    find_currency,
    parse_duration,
    parse_estimate,
    strip_currency,
    unit_factor,
)
from deabench.tables.naming.vocabulary import holds_bytes
from deabench.utils.lazy import lazy_pattern
from deabench.utils.text import quote_names

EMPTY_WORDS = {
    "",
    "nan",
    "na",
    "n/a",
    "none",
    "null",
    "?",
    ".",
    "nil",
    "missing",
    "inf?",
    "<na>",
}
"""Words for an empty cell, in lower case; dashes of any number are one, too."""
_BARE_BYTES = lazy_pattern(r"([\d.,]+)\s*B")
_BARE_MINUTES = lazy_pattern(r"^([\d.,]+)\s*m$")
_DASHES = lazy_pattern(r"[-–—―−]*")
LEAST_SHARE = 0.5
"""A column is numeric where at least this share of its filled cells are numbers."""
OTHER_MAGNITUDE = 30
"""A size that is so many times further from zero, or nearer, is in another unit."""
LONG_COLUMN = 2000
"""In a column with more cells than this that are no plain numbers, a sample is looked at first."""
SAMPLE_SIZE = 200
_GROUPED_BY_DOTS = lazy_pattern(r"-?\d{1,3}(\.\d{3})+")
MISSING_CODES = (-1.0, -9.0, -99.0, -999.0, -9999.0)
"""Negative numbers that stand for empty cells more often than for measurements."""


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
        What the cells themselves state: "percent", "seconds", a unit as it is written ("MB/s"), or
        "" where they state none or not all the same.
    note : str
        How the cells were parsed; empty where they are plain numbers.
    lows, highs : float array (n,), optional
        The intervals that cells state, as `0.91 [0.81, 0.93]`; NaN where a cell states none.
    spreads : float array (n,), optional
        What stands behind ± in the cells, as `66.1 ± 3.1` or `66.1 (3.1)`.
    """

    values: np.ndarray
    failed: np.ndarray
    unit: str = ""
    note: str = ""
    lows: np.ndarray | None = None
    highs: np.ndarray | None = None
    spreads: np.ndarray | None = None


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
    if _are_words(cells):
        return None
    numeric = np.asarray(
        pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    )
    # pandas parses plain numbers fast; only the other cells are parsed one by one.
    unparsed = np.flatnonzero(np.isnan(numeric) & column.notna().to_numpy())
    # A long column of text is recognised by a sample of its cells.
    if len(unparsed) > max(LONG_COLUMN, LEAST_SHARE * len(numeric)):
        sample = cells[unparsed[:: len(unparsed) // SAMPLE_SIZE]]
        if _are_all_text(sample):
            return None
    # Cells without their markup, by row; what stands for an empty cell is no text.
    texts = {int(row): clean_cell(cells[row]) for row in unparsed}
    texts = {row: text for row, text in texts.items() if not is_empty_word(text)}
    if _holds_bytes(str(column.name), texts.values()):
        texts = {row: _BARE_BYTES.sub(r"\1 bytes", text) for row, text in texts.items()}
    # Beside "1h 2m", "45m" is no 45 million.
    if any(parse_duration(text) is not None for text in texts.values()):
        texts = {row: _BARE_MINUTES.sub(r"\1 min", text) for row, text in texts.items()}
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
    if all(is_empty_word(clean_cell(cell)) for cell in column if cell is None or cell == cell):
        return Numbers(np.full(len(column), np.nan), np.zeros(len(column), dtype=bool))
    return None


def is_numeric_dtype(dtype: object) -> bool:
    """Return whether cells of this dtype are plain integers or floats."""
    return isinstance(dtype, np.dtype) and dtype.kind in "fiu"


def is_empty_word(cell: str) -> bool:
    """Return whether a cell's text stands for an empty cell."""
    # "$--" is an empty price.
    word = cell.strip().lower().lstrip("$€£ ")
    return word in EMPTY_WORDS or _DASHES.fullmatch(word) is not None


def _holds_truths_or_dates(column: pd.Series) -> bool:
    is_truth = pd.api.types.is_bool_dtype(column)
    return bool(is_truth or pd.api.types.is_datetime64_any_dtype(column))


def _are_words(cells: np.ndarray) -> bool:
    """Return whether every cell of a column is a text that begins with a letter, as names do.

    No number does but "inf", "nan" and "USD 9", so that such a column needs no parsing.
    """
    if pd.api.types.infer_dtype(cells, skipna=False) != "string":
        return False
    starts = set(map(itemgetter(slice(3)), cells.tolist()))
    numbers = {"inf", "nan", *map(str.lower, CURRENCY_CODES)}
    return all(start[:1].isalpha() and start.lower() not in numbers for start in starts)


def _are_all_text(cells: np.ndarray) -> bool:
    """Return whether no cell of a sample is a number or empty."""
    texts = [clean_cell(cell) for cell in cells]
    return all(parse_estimate(text, False) is None and not is_empty_word(text) for text in texts)


def _holds_bytes(name: str, texts: Iterable[str]) -> bool:
    """Return whether B stands for bytes in a column; parameters are counted in billions.

    It does where the name speaks of memory, and beside KB and MB.
    """
    if not any(_BARE_BYTES.fullmatch(text) for text in texts):
        return False
    if holds_bytes(name):
        return True
    return any(re.search(r"\d\s*[kKMGT]i?B$", text) for text in texts)


def _ungroup_by_dots(numeric: np.ndarray, column: pd.Series, texts: Iterable[str]) -> np.ndarray:
    """Read "2.500" as 2500 in a column that also holds "1.014,45"."""
    if not any(re.fullmatch(_GROUPED_BY_DOTS.pattern + r",\d+", text) for text in texts):
        return numeric
    values = numeric.copy()
    for row, cell in enumerate(column):
        if isinstance(cell, str) and _GROUPED_BY_DOTS.fullmatch(cell.strip()):
            values[row] = float(cell.replace(".", ""))
    return values


def _parse_texts(numeric: np.ndarray, texts: Mapping[int, str], comma: bool) -> Numbers | None:
    """Parse the cells that are no plain numbers, by the habits of their column."""
    decimal_comma = comma or _has_decimal_commas(list(texts.values()))
    currencies = {row: find_currency(text) for row, text in texts.items() if find_currency(text)}
    is_mixed = len(set(currencies.values())) > 1
    if is_mixed:
        texts = {row: strip_currency(text) for row, text in texts.items()}
    estimates: dict[int, Estimate] = {}
    for row, text in texts.items():
        estimate = parse_estimate(text, decimal_comma)
        if estimate is not None:
            estimates[row] = estimate
    plain_count = int((~np.isnan(numeric)).sum())
    filled = plain_count + len(texts)
    estimates = _agree_on_units(estimates, len(estimates) == filled, plain_count > 0)
    estimates = _drop_other_magnitudes(estimates, numeric[~np.isnan(numeric)])
    # Mostly text: a number here and there does not make a column of measurements.
    if plain_count + len(estimates) < max(LEAST_SHARE * filled, 1):
        return None
    # A unit holds for the column only where every filled cell states the same one.
    units = {estimate.unit for estimate in estimates.values()}
    unit = ""
    # A unit is exact where every number has it, whatever texts stand beside them.
    if len(units) == 1 and (len(estimates) == filled or not plain_count):
        unit = next(iter(units))
    if "percent" in units and unit != "percent":
        bare = [e.value for e in estimates.values() if e.unit != "percent"]
        bare_values = np.array([*numeric[~np.isnan(numeric)], *bare])
        if units <= {"", "percent"} and _are_surely_percent(bare_values):
            # The sign was left out of some cells, as of 3.6 next to "1.77 %".
            unit = "percent"
        else:
            # "90 %" next to 0.9: one of the two is in another unit, and nothing tells which.
            estimates = {row: e for row, e in estimates.items() if e.unit != "percent"}
    # Prices in several currencies cannot be compared: those unlike the first are no numbers.
    if is_mixed:
        first = currencies[min(currencies)]
        estimates = {row: e for row, e in estimates.items() if currencies.get(row, first) == first}
    estimates = _drop_other_brackets(estimates)
    values = numeric.copy()
    failed = np.zeros(len(numeric), dtype=bool)
    failed[[row for row in texts if row not in estimates]] = True
    for row, estimate in estimates.items():
        values[row] = estimate.value
    return Numbers(
        values,
        failed,
        unit,
        _describe_parsing(texts, estimates),
        *(_collect(estimates, name, len(numeric)) for name in ("lows", "highs", "spreads")),
    )


def _are_surely_percent(values: np.ndarray) -> bool:
    """Return whether bare numbers beside percentages are no shares: above 1, and at most 100."""
    return bool(((values > 1) & (values <= 100)).all())


def _agree_on_units(
    estimates: Mapping[int, Estimate], is_complete: bool, has_bare: bool
) -> dict[int, Estimate]:
    """Convert bytes and operations to the first cell's unit, and drop cells of other units.

    Parameters
    ----------
    is_complete : bool
        Whether every filled cell is one of the estimates.
    has_bare : bool
        Whether other cells are plain numbers: of which unit of operations, nothing tells.
    """
    units = {estimate.unit for estimate in estimates.values()}
    free = {"", "percent", "seconds", "x"}
    if units <= free or (len(units) == 1 and is_complete):
        return dict(estimates)
    first = next(e.unit for e in estimates.values() if e.unit not in free)
    agreed = {}
    for row, estimate in estimates.items():
        factor = unit_factor(estimate.unit, first)
        if factor is not None and not (has_bare and counts_operations(first)):
            agreed[row] = estimate.scale(factor, first)
        elif estimate.unit in free:
            agreed[row] = estimate
    return agreed


def _drop_other_magnitudes(
    estimates: dict[int, Estimate], bare_values: np.ndarray
) -> dict[int, Estimate]:
    """Drop sizes whose unit is not that of the bare numbers, as "2 GB" beside 300.

    Nothing states the unit of bare numbers; where most cells are bare, a value that is far from all
    of them is in another unit.
    """
    sizes = np.abs(bare_values[bare_values != 0])
    if len(sizes) <= len(estimates):
        return estimates
    smallest = sizes.min() / OTHER_MAGNITUDE
    return {
        row: estimate
        for row, estimate in estimates.items()
        if unit_factor(estimate.unit, "B") is None
        or estimate.value == 0
        or (
            smallest <= abs(estimate.value) and abs(estimate.value) / OTHER_MAGNITUDE <= sizes.max()
        )
    }


def _drop_other_brackets(estimates: dict[int, Estimate]) -> dict[int, Estimate]:
    """Drop bare numbers in brackets that are no spreads: a second metric, a change, a rank.

    Spreads are smaller than half of their values.
    """
    bracketed = [estimate for estimate in estimates.values() if estimate.bracketed]
    if all(estimate.spread < abs(estimate.value) / 2 for estimate in bracketed):
        return estimates
    return {
        row: replace(estimate, spread=np.nan) if estimate.bracketed else estimate
        for row, estimate in estimates.items()
    }


def _collect(estimates: Mapping[int, Estimate], name: str, size: int) -> np.ndarray | None:
    """Return what the cells state about their errors as an array; None where no cell does."""
    attribute = {"lows": "low", "highs": "high", "spreads": "spread"}[name]
    values = np.full(size, np.nan)
    for row, estimate in estimates.items():
        values[row] = getattr(estimate, attribute)
    return None if np.isnan(values).all() else values


def _describe_parsing(texts: Mapping[int, str], estimates: Mapping[int, Estimate]) -> str:
    """Show how the first cell that does not speak for itself was read."""
    for row, text in texts.items():
        if row not in estimates or re.fullmatch(r"[\d.%$+\s-]*", text):
            continue
        description = estimates[row].describe()
        if description.replace(" ", "") != text.replace("bytes", "B").replace(" ", ""):
            return f"'{text}' is read as {description}"
    return ""


def _has_decimal_commas(texts: Sequence[str]) -> bool:
    """Return whether the commas of a column are decimal signs.

    They are where some comma is not followed by exactly three digits, or follows a single 0
    ("0,851"), and no dot stands after a comma.
    """
    with_comma = [
        text
        for text in texts
        if "," in text and re.match(r"^[\s$€£+-]*[\d.,'\s]+\s*(%|[A-Za-zµ]{1,3})?$", text)
    ]
    if not with_comma or any(re.search(r",.*\.", text) for text in with_comma):
        return False
    return any(
        not re.search(r",\d{3}(?!\d)", text) or re.match(r"^-?0,", text) for text in with_comma
    )


def blank_codes(
    frame: pd.DataFrame, missing_code: float | Sequence[float]
) -> tuple[pd.DataFrame, str]:
    """Return a frame whose cells with a code are empty, and a note on which columns had some.

    Parameters
    ----------
    frame : DataFrame
        Raw cells, numbers or texts.
    missing_code : number or sequence of numbers

    Raises
    ------
    DataError
        If a code is no number, or no cell holds one.
    """
    # mypy does not count the numbers of numpy, which are Real, as floats, and narrows nothing.
    is_single = isinstance(missing_code, Real)
    codes = [missing_code] if is_single else list(missing_code)  # type: ignore[arg-type]  # see above
    if not codes or not all(isinstance(code, Real) for code in codes):
        raise DataError(f"missing_code is {missing_code!r}; give a number, as -1, or several")
    # Texts are compared by the number that they write: "-1.0" is -1.
    is_code = frame.apply(lambda column: pd.to_numeric(column, errors="coerce").isin(codes))
    words = " or ".join(f"{code:g}" for code in codes)
    if not is_code.any(axis=None):
        raise DataError(f"missing_code is {words}, and no cell holds it; leave it out")
    columns = [str(name) for name in frame.columns[is_code.any()]]
    count = int(is_code.to_numpy().sum())
    note = f"{words} stands for an empty cell ({count} in {quote_names(columns)})"
    return frame.mask(is_code), note
