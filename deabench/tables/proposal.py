"""The proposal: what enters, what repeats another column, what is asked for, what is guessed where
nothing is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd

from deabench.tables.columns import Column
from deabench.tables.roles import quote_names

GUESSED = "a guess, for its name is not known: higher is better"
NOTHING_TOLD = (
    "every cell is empty",
    "it only counts the rows",
    "it is an identifier, a setting, a count or a description",
)
"""Reasons to leave a column out that say nothing of the others: an identifier stands in any table.
"""
ROUNDED = 0.051
"""What a mean or a complement may be off by, in percent, for having been rounded."""


def propose_roles(
    columns: Sequence[Column], table: pd.DataFrame, *, chosen: bool = False
) -> tuple[list[Column], list[str]]:
    """The columns with their final roles, and what has to be said of them.

    `chosen` says that somebody has made this table to be ranked, as a DataFrame with its systems in
    the index: where no name is known every column of numbers is then a guess, counts and all."""
    columns = _doubted(columns)
    final = [_redundant(column, columns, table) for column in columns]
    known = [c for c in final if c.role in ("output", "lower_rate")]
    costs = [c for c in final if c.role == "cost"]
    asked = [c for c in final if c.role in ("unknown", "conditional")]
    notes: list[str] = []
    if not known and not costs and asked and not _told(columns, table, chosen=chosen):
        final = [
            replace(c, role="guess", low=0.0, reason=GUESSED)
            if chosen and c.role == "unknown"
            else _guess(c, table)
            for c in final
        ]
        guessed = [c.name for c in final if c.role == "guess"]
        if guessed:
            notes.append(
                f"no column has a name that is known: higher is taken as better in {quote_names(guessed)}; "
                "say which are with outputs, and which are better low with lower_is_better"
            )
    else:
        final = [_asked(c, table) for c in final]
        asked_for = [c.name for c in final if c.role in ("unknown", "conditional")]
        if asked_for:
            notes.append(
                f"left out, for nobody knows which way is better: {quote_names(asked_for)}; name them in outputs "
                "or lower_is_better to take them in"
            )
    return final, notes


def _told(columns: Sequence[Column], table: pd.DataFrame, *, chosen: bool) -> bool:
    """Whether some name tells what the table is about, so that its other columns need not be
    metrics: a metric whose direction is not known, and in a table that nobody has made to be ranked
    a setting, a spread or a size.
    """
    if any(c.role == "conditional" for c in columns):
        return True
    return not chosen and any(
        c.name in table and c.role == "left_out" and c.reason not in NOTHING_TOLD for c in columns
    )


def _doubted(columns: Sequence[Column]) -> list[Column]:
    """A mean, or a column called as a data set is, may hold errors where the table has some."""
    errors = any(c.role == "lower_rate" for c in columns)
    vague = ("a data set's score", "a mean of scores")
    sure = any(c.role == "output" and not c.reason.startswith(vague) for c in columns)
    return [
        replace(c, role="conditional", reason="its name does not say which way is better")
        if c.role == "output"
        and c.reason.startswith(vague)
        and (errors or (not sure and "mean" in c.reason))
        else c
        for c in columns
    ]


def _redundant(column: Column, columns: Sequence[Column], table: pd.DataFrame) -> Column:
    """A column that says what others say: 100 - top1, or the mean of all the others."""
    if column.name not in table or not column.metric:
        return column
    values = table[column.name].to_numpy()
    outputs = [
        c
        for c in columns
        if c.role == "output"
        and c.name in table
        and c.name != column.name
        and c.unit == column.unit
    ]
    if column.role == "lower_rate" and column.bounded:
        for other in outputs:
            if np.allclose(
                values,
                column.high - table[other.name].to_numpy(),
                atol=1e-6 * column.high,
                rtol=0,
                equal_nan=True,
            ):
                return replace(
                    column,
                    role="left_out",
                    reason=f"it is {column.high:g} - '{other.name}', which is taken",
                )
    called = any(word in column.name.lower() for word in ("average", "avg", "mean", "overall"))
    if column.role == "output" and called and len(outputs) > 1:
        others = [
            c.name
            for c in outputs
            if not any(w in c.name.lower() for w in ("average", "avg", "mean", "overall"))
        ]
        if len(others) > 1:
            mean = table[others].mean(axis=1).to_numpy()
            off = np.abs(mean - values)
            if np.nanquantile(off, 0.95) <= ROUNDED * (1 if column.unit == "percent" else 0.01):
                return replace(
                    column,
                    role="left_out",
                    reason=f"it is the mean of {quote_names(others, 4)}, which are taken",
                )
    return column


def _asked(column: Column, table: pd.DataFrame) -> Column:
    """An unknown column beside known ones: no metric by itself."""
    if column.role == "unknown":
        return (
            replace(column, role="left_out", reason="it only counts the rows")
            if _counts(column, table)
            else replace(
                column, reason="its name is not known, so nobody knows which way is better; say it"
            )
        )
    return column


def _counts(column: Column, table: pd.DataFrame) -> bool:
    """Row numbers: whole numbers, each one more than the one before."""
    if column.name not in table:
        return False
    values = table[column.name].to_numpy()
    return len(values) > 2 and bool(all(b - a == 1 for a, b in pairwise(values.tolist())))


def _guess(column: Column, table: pd.DataFrame) -> Column:
    """Where no name is known: a column of measurements is taken as better high, and that is said."""
    if column.role == "conditional":
        return column
    if column.role != "unknown" or column.name not in table:
        return column
    values = table[column.name].to_numpy()
    values = values[np.isfinite(values)]
    if _counts(column, table):
        return replace(column, role="left_out", reason="it only counts the rows")
    if (values < 0).any():
        return replace(
            column, reason="its name is not known and it holds negative values; say what it is"
        )
    others_measure = any((table[name].dropna() % 1 != 0).any() for name in table)
    if others_measure and (values == np.round(values)).all() and len(np.unique(values)) > 1:
        return replace(
            column,
            reason="its name is not known and it holds whole numbers only, as counts and settings do; "
            "say what it is",
        )
    low, high = (0.0, 1.0) if values.max(initial=0) <= 1 else (0.0, np.inf)
    return replace(column, role="guess", low=low, high=high, reason=GUESSED)
