"""Find the columns that state how exact another column is: standard errors, spreads, intervals."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from deabench.tables.naming.name_patterns import search_name
from deabench.tables.naming.parsing import parse_name
from deabench.tables.naming.vocabulary import ERROR_WORDS, look_up_beside

STATISTICS = r"_(mean|avg|average|median|value|estimate|score)(?=_)"
"""Words of a metric's name that its error columns leave out."""
KINDS = ("low", "high", "standard_error", "half_width", "spread")


@dataclass(frozen=True)
class ErrorColumn:
    """A column that states how exact a metric is.

    Attributes
    ----------
    name : str
    metric : str
    kind : str
        "low" or "high" (an end of an interval), "minus" or "plus" (the distance to it),
        "standard_error", "half_width" or "spread".
    """

    name: str
    metric: str
    kind: str


def find_error_columns(
    names: Sequence[str], declared: Mapping[str, Sequence[str]] | None = None
) -> list[ErrorColumn]:
    """Return the error columns among the names of numeric columns, with the metric of each.

    Parameters
    ----------
    names : sequence of column names
        In the table's order.
    declared : mapping of metric to its error columns
        What the source states.
    """
    error_columns = []
    bases: dict[str, list[str]] = {}
    for name in names:
        bases.setdefault(_base(parse_name(name).all_words), []).append(name)
    owners = {error: metric for metric, errors in (declared or {}).items() for error in errors}
    for name in names:
        signed = _signed(name, names)
        kind, base = signed or _error_kind(name)
        if name in owners:
            error_columns.append(ErrorColumn(name, owners[name], kind or "standard_error"))
            continue
        if not kind:
            continue
        # "SE" beside "SP" is the sensitivity.
        meaning = look_up_beside(name, names)
        if meaning is not None and meaning.better == "higher":
            continue
        metric = _find_metric(name, base, bases, names)
        if metric:
            error_columns.append(ErrorColumn(name, metric, kind))
    # A column is no metric of its own where it is the error of another.
    errors = {column.name for column in error_columns}
    return [column for column in error_columns if column.metric not in errors]


def _signed(name: str, names: Sequence[str]) -> tuple[str, str] | None:
    """Return the kind of "elo+" and "elo-" beside "elo"."""
    match = re.fullmatch(r"(.*\S)\s*([+−-])", name)
    if match is None or match[1] not in names:
        return None
    return ("plus" if match[2] == "+" else "minus"), match[1]


def _error_kind(name: str) -> tuple[str, str]:
    """Return the kind of error that a name states and the rest of the name; empty without."""
    words = parse_name(name).all_words
    for kind in KINDS:
        match = search_name(ERROR_WORDS[kind], words)
        if match is not None:
            return kind, _base(words[: match.start()] + words[match.end() :])
    return "", ""


def _base(words: str) -> str:
    return re.sub(STATISTICS, "", words).strip("_")


def _find_metric(
    name: str, base: str, bases: Mapping[str, Sequence[str]], names: Sequence[str]
) -> str:
    """Return the column of the same base, or without a base the one on the left."""
    candidates = [other for other in bases.get(base, ()) if other != name]
    if candidates:
        # Of "accuracy_mean" and "accuracy_median" the mean has the standard deviation.
        return next((other for other in candidates if "mean" in other.lower()), candidates[0])
    # "lo" and "hi" alone are languages.
    if base or parse_name(name).all_words in ("_lo_", "_hi_"):
        return ""
    before = [other for other in names[: names.index(name)] if not _error_kind(other)[0]]
    return before[-1] if before else ""


def measure_error_bars(
    errors: Sequence[ErrorColumn], frame: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    """Return metric to its error bars, systems x (low, high) or (standard_error,).

    A standard deviation of an unknown number of runs is no error of their mean.
    """
    bars: dict[str, pd.DataFrame] = {}
    for metric in dict.fromkeys(error.metric for error in errors):
        if metric not in frame:
            continue
        columns = {
            error.kind: frame[error.name]
            for error in errors
            if error.metric == metric and error.name in frame
        }
        values = frame[metric]
        if "plus" in columns and "minus" in columns:
            columns |= {"low": values - columns["minus"].abs(), "high": values + columns["plus"]}
        elif "half_width" in columns:
            columns |= {
                "low": values - columns["half_width"],
                "high": values + columns["half_width"],
            }
        for kinds in (["low", "high"], ["standard_error"]):
            if set(kinds) <= set(columns):
                bars[metric] = pd.DataFrame({kind: columns[kind] for kind in kinds}).replace(
                    [np.inf, -np.inf], np.nan
                )
                break
    return bars
