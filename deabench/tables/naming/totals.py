"""Find rows that sum up the others, by what they are called and by their values."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from deabench.tables.markup import strip_markup
from deabench.tables.naming.parsing import parse_name
from deabench.tables.naming.vocabulary import has_name
from deabench.tables.scales import finite_values, rounding_of
from deabench.utils.text import quote_names

STATISTIC_WORD = re.compile(
    "total|sum|overall|average|avg|mean|median|min|max|best|worst|st|sd|dev|var|count"
    "|improv|gain|delta|diff|δ|∆"
)
"""A word of a statistic, in a text in lower case: a search without regard to case is slow."""
TOTAL_ROUNDING = 0.01
"""Sums and means of a table are those of its rows up to this share, for both are rounded."""
LEAST_AVERAGED_ROWS = 3
"""So many named rows stand above one without a name that is their mean or sum."""
LEAST_SPREAD = 20
"""So many times what rounding changes the values of a column differ by."""


def find_totals(names: pd.Series, values: pd.DataFrame) -> np.ndarray:
    """Return which rows are totals or other statistics of the others, by names and values.

    Parameters
    ----------
    names : Series
        What the rows are called.
    values : DataFrame, rows x numeric columns

    Returns
    -------
    bool array (rows,)
    """
    texts = [str(name).strip() for name in names]
    if len(texts) > LEAST_AVERAGED_ROWS and _is_last_nameless(names):
        return _find_last_row(values)
    # One search tells that most tables have none.
    if not _may_be_statistic("\n".join(texts)):
        return np.zeros(len(values), dtype=bool)
    rows = [row for row, text in enumerate(texts) if _may_be_statistic(text)]
    is_change = np.zeros(len(values), dtype=bool)
    is_change[[row for row in rows if is_called_change(texts[row])]] = True
    is_called = is_change.copy()
    is_called[[row for row in rows if is_called_statistic(texts[row])]] = True
    totals = np.zeros(len(values), dtype=bool)
    systems = values[~is_called]
    if len(systems) < 2:
        return totals
    for row in np.flatnonzero(is_called):
        cells = values.iloc[row]
        agrees = np.zeros(len(cells), dtype=bool)
        for statistic in _statistics_of(texts[row], systems):
            agrees |= np.isclose(cells, statistic, rtol=TOTAL_ROUNDING)
        # A gain on another row is smaller than what is measured.
        if is_change[row]:
            agrees = (cells < systems.min()).to_numpy()
        # Empty cells, as of a column that cannot be summed, contradict nothing.
        filled = int(cells.notna().sum())
        totals[row] = filled > 0 and 2 * int(agrees.sum()) >= filled
    return totals


def _is_last_nameless(names: pd.Series) -> bool:
    """Return whether the last row has no name, and all others have one."""
    last = names.iloc[-1]
    if not (pd.isna(last) or not str(last).strip()):
        return False
    return bool((names.iloc[:-1].notna() & (names.iloc[:-1].astype(str).str.strip() != "")).all())


def _find_last_row(values: pd.DataFrame) -> np.ndarray:
    """Return the last row, which has no name, where it is the mean or the sum of all others.

    It agrees as far as it is written, in columns of which it can tell: their values differ by many
    times what rounding changes.
    """
    systems = values.iloc[:-1]
    last = values.iloc[-1].dropna()
    halves = pd.Series({name: rounding_of(finite_values(values[name])) for name in last.index})
    spreads = (systems.max() - systems.min())[last.index]
    is_statistic = len(last) > 1 and bool((spreads >= LEAST_SPREAD * halves).all())
    is_statistic &= any(
        ((last - statistic[last.index]).abs() <= halves * (1 + 1e-9)).all()
        for statistic in (systems.mean(), systems.sum())
    )
    totals = np.zeros(len(values), dtype=bool)
    totals[-1] = is_statistic
    return totals


def is_called_statistic(text: str) -> bool:
    """Return whether a row has the name of a statistic of other rows, as "Average" and "Best"."""
    if not _may_be_statistic(text):
        return False
    name = strip_markup(text)
    return has_name(name, "total") or has_name(name, "row_statistic")


def rows_called_statistics(names: pd.Series, label: str) -> pd.Series:
    """Return the names of rows that are called as statistics of others.

    "MIN" between "BOS" and "NYY" is the code of a team.
    """
    called = names[names.map(is_called_statistic)]
    if not has_name(label, "coded"):
        return called
    systems = names.drop(called.index)
    if systems.empty or not systems.map(_is_code).all():
        return called
    return called[~called.map(_is_code).astype(bool)]


def _is_code(name: str) -> bool:
    """Return whether a name is a code of letters, as that of a team or a country."""
    return re.fullmatch("[A-Z]{2,4}", name) is not None


def _may_be_statistic(text: str) -> bool:
    """Return whether a text holds what names of statistics hold: a fast search before others."""
    return STATISTIC_WORD.search(text.lower()) is not None


def is_called_change(text: str) -> bool:
    """Return whether a row is called as the difference of others, as "Improvement" and "Δ"."""
    name = strip_markup(text)
    return re.fullmatch(r"[Δ∆]\W*", name) is not None or has_name(name, "row_change")


def _statistics_of(text: str, systems: pd.DataFrame) -> list[pd.Series]:
    """Return the statistics of the systems that the name of a row may stand for."""
    word = parse_name(strip_markup(text)).words
    if re.search("_(max|min|maximum|minimum|best|worst)_", word):
        # The best error is the least one.
        return [systems.max(), systems.min()]
    if "_median_" in word:
        return [systems.median()]
    if re.search("_(var|variance)_", word):
        return [systems.var(ddof=0), systems.var(ddof=1)]
    if re.search("_(count|n)_", word):
        return [systems.count()]
    if has_name(strip_markup(text), "total"):
        return [systems.sum(), systems.mean()]
    return [systems.std(ddof=0), systems.std(ddof=1)]


def describe_totals(names: pd.Series, label: str) -> str:
    """Say which rows sum up the others and are left out."""
    if len(names) == 1 and (pd.isna(names.iloc[0]) or not str(names.iloc[0]).strip()):
        return f"the last row, without a name in '{label}', sums up the others and is left out"
    quoted = quote_names([str(name) for name in names], 3)
    if len(names) > 1:
        return f"{quoted} of '{label}' are statistics of the other rows and are left out"
    return f"{quoted} of '{label}' sums up the other rows, is no system and is left out"
