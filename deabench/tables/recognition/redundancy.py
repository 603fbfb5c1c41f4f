"""Leave out what repeats other columns or is not known, and guess where nothing is known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from deabench.tables.naming.parsing import parse_name
from deabench.tables.naming.vocabulary import look_up_metric
from deabench.tables.recognition.columns import COUNTS_ROWS, GUESSED, Column, check_range
from deabench.tables.scales import finite_values, rounding_of
from deabench.utils.lazy import lazy_pattern
from deabench.utils.text import quote_names

MEAN_WORDS = ("average", "avg", "mean", "overall", "macro", "total score")
MEAN_ROUNDING = 0.051
"""What a mean may be off by, in percent, because it was rounded."""
MAX_AVERAGED = 40
"""Of more outputs no run of neighbours is tried: there are too many runs."""
LEAST_WEIGHT = 0.02
"""A part of a weighted mean has at least this weight, and so exact is the sum of its weights."""
PROBED_ROWS = 1000
"""So many rows show whether a column is a weighted mean."""
SPARE_ROWS = 3
"""So many rows more than parts show that a weighted mean is no accident."""
COMPLEMENT_ROUNDING = 1e-6
MULTIPLE_ROWS = 4
LEAST_RANGE = 1.5
"""Of a multiple the greatest value is so many times the least one: constants are near to any."""
LEAST_STEPS = 20
"""So many times what rounding changes lies between the least and the greatest value of a multiple.
"""
LEAST_CONDITIONS = 2
"""Metrics by training data stand beside another of its kind."""
_TRAINING_DATA = lazy_pattern(r"\W*(\w.*?)\W+training data\b", re.IGNORECASE)
IS_SHARE = "it is the share of "
LEAST_SHARES = 2
"""So many shares of counts show what is called by percent beside them."""
LEAST_FILLED = 0.4
"""A column with fewer filled cells than this share is like no other."""
_MEAN_OF = lazy_pattern(r"(mean|avg\.?|average|median)[\s_]+(?!of\b)\w", re.IGNORECASE)
UNINFORMATIVE = (
    "identifier",
    "date",
    "run",
    "description",
    "count",
    "confusion count",
    "row count",
    "empty",
)
"""Kinds of columns that tell nothing about the others: any table has identifiers."""


def leave_out_redundant(column: Column, columns: Sequence[Column], frame: pd.DataFrame) -> Column:
    """Leave a column out that repeats others: 100 - top1, a mean of others, a multiple of one."""
    if column.name not in frame:
        return column
    if column.role in ("unknown", "conditional"):
        reason = _weighted_mean_reason(column.name, columns, frame)
        if reason:
            return column.with_role("left_out", reason, "averaged")
        reason = _multiple_reason(column.name, columns, frame)
        if reason:
            return column.with_role("left_out", reason, "comparison")
    # What rises in step with a cost is no quality, as "multiple" beside the time of each.
    if column.role == "output" and column.kind in ("benchmark", "data set score", "score"):
        costs = [cost for cost in columns if cost.role == "cost"]
        reason = _multiple_reason(column.name, costs, frame)
        if reason:
            return column.with_role("left_out", reason, "comparison")
    if not (column.metric or column.role == "conditional"):
        return column
    may_be_mean = is_called_mean(column.name) and column.direction != "lower"
    if not (column.complemented or may_be_mean):
        return column
    outputs = [
        other
        for other in columns
        if other.name != column.name and other.name in frame and other.role == "output"
    ]
    same_unit = [other.name for other in outputs if other.unit == column.unit]
    values = frame[column.name].to_numpy()
    if column.complemented:
        reason = _complement_reason(column, values, frame[same_unit])
    elif column.role == "output":
        reason = _mean_reason(values, frame[same_unit])
    else:
        reason = _mean_reason(values, frame[[other.name for other in outputs]])
        # A mean of errors has no direction by itself.
        if not reason and column.role == "conditional":
            errors = [c.name for c in columns if c.role == "lower_rate" and c.name in frame]
            reason = _mean_reason(values, frame[errors])
    if not reason:
        return column
    return column.with_role("left_out", reason, "complement" if column.complemented else "mean")


def take_training_as_condition(columns: Sequence[Column], frame: pd.DataFrame) -> list[Column]:
    """Take metrics by training data where all metrics are: on what systems were trained.

    "Original training data UAR" beside "Augmented training data UAR" are measured on other data.
    """
    trained = [c.name for c in columns if c.kind == "training" and c.name in frame]
    measures = [c for c in columns if c.role in ("output", "lower_rate", "unknown", "conditional")]
    conditions = {name: _TRAINING_DATA.match(name) for name in trained}
    named = {match[1].lower() for match in conditions.values() if match is not None}
    if measures or None in conditions.values() or len(named) < LEAST_CONDITIONS:
        return list(columns)
    judged_columns = []
    for column in columns:
        condition = conditions.get(column.name)
        metric = None
        if condition is not None:
            metric = look_up_metric(column.name[condition.end() :])
        if metric is not None and metric.better != "neither":
            reason = f"the training data is a condition; {metric.reason}"
            column = column.with_role(
                metric.role, reason, metric.kind, low=metric.low, high=metric.high, unit=metric.unit
            )
            column = check_range(column, finite_values(frame[column.name]))
        judged_columns.append(column)
    return judged_columns


def _complement_reason(column: Column, values: np.ndarray, outputs: pd.DataFrame) -> str:
    """Say of which output a column is the complement; empty where of none."""
    # The complement repeats the output exactly, apart from the rounding of both columns.
    tolerance = COMPLEMENT_ROUNDING * column.high
    for name, output in outputs.items():
        complement = column.high - output.to_numpy()
        if np.allclose(values, complement, atol=tolerance, rtol=0, equal_nan=True):
            return f"it is {column.high:g} - '{name}', which is taken"
    return ""


def _mean_reason(values: np.ndarray, outputs: pd.DataFrame) -> str:
    """Say of which outputs a column is the mean, up to rounding; empty where it is none.

    The outputs are all others, or a run of neighbours; of many outputs all others alone.
    """
    averaged = [name for name in outputs if not is_called_mean(name)]
    factor = 1.0 if np.nanmax(np.abs(values), initial=0) > 1 else 100.0
    cells = outputs[averaged].to_numpy()
    smallest = 2 if len(averaged) <= MAX_AVERAGED else len(averaged)
    for size in range(len(averaged), smallest - 1, -1):
        for start in range(len(averaged) - size + 1):
            part = cells[:, start : start + size]
            if np.isnan(part).all(axis=1).any():
                continue
            # An infinite cell is no mean.
            with np.errstate(invalid="ignore"):
                difference = factor * np.abs(np.nanmean(part, axis=1) - values)
                if np.isnan(difference).all():
                    continue
                # A few typing errors in a long table do not make another metric of the mean.
                largest = np.nanquantile(difference, 0.95)
            if largest <= MEAN_ROUNDING:
                names = averaged[start : start + size]
                return f"it is the mean of {quote_names(names, 4)}, which are taken"
    return ""


def _weighted_mean_reason(name: str, columns: Sequence[Column], frame: pd.DataFrame) -> str:
    """Say of which metrics of one direction a column is a weighted mean; empty where of none."""
    for role in ("output", "lower_rate"):
        parts = [c.name for c in columns if c.role == role and c.name in frame and c.name != name]
        if not 2 <= len(parts) <= MAX_AVERAGED:
            continue
        # The first rows of a long table show it, and cost little.
        cells = frame[[*parts, name]].head(PROBED_ROWS).to_numpy(dtype=float)
        cells = cells[np.isfinite(cells).all(axis=1)]
        if len(cells) < len(parts) + SPARE_ROWS:
            continue
        from scipy.optimize import nnls  # loading it takes longer than a ranking

        weights, _ = nnls(cells[:, :-1], cells[:, -1])
        averaged = [part for part, weight in zip(parts, weights, strict=True) if weight > 0]
        # The weights of a mean sum to one; a part with hardly any is none.
        if len(averaged) < 2 or weights[weights > 0].min() < LEAST_WEIGHT:
            continue
        factor = 1.0 if np.abs(cells[:, -1]).max() > 1 else 100.0
        differences = factor * np.abs(cells[:, :-1] @ weights - cells[:, -1])
        is_exact = np.quantile(differences, 0.95) <= MEAN_ROUNDING
        if abs(weights.sum() - 1) <= LEAST_WEIGHT and is_exact:
            return f"it is a weighted mean of {quote_names(averaged, 4)}, which are taken"
    return ""


def take_rates_of_counts(columns: Sequence[Column], frame: pd.DataFrame) -> list[Column]:
    """Take what is called a percentage and is a multiple of a count, and leave the count out.

    "overall_pct" beside "overall_pass" of 90 has its direction, and a range that a count has not.
    """
    columns_by_name = {column.name: column for column in columns}
    rates = [c for c in columns if c.role == "unknown" and c.name in frame and _is_percent_name(c)]
    for rate in rates:
        values = frame[rate.name].to_numpy(dtype=float)
        for count in columns:
            if count.role != "output" or count.unit == "percent" or count.name not in frame:
                continue
            count_values = frame[count.name].to_numpy(dtype=float)
            if (count_values % 1 != 0).any() or not _is_multiple(values, count_values):
                continue
            reason = f"{IS_SHARE}'{count.name}': higher is better"
            columns_by_name[rate.name] = check_range(
                rate.with_role("output", reason, "quality", unit="share", low=0.0, high=1.0), values
            )
            reason = f"it is counted, and '{rate.name}' is its share"
            columns_by_name[count.name] = count.with_role("left_out", reason, "count")
            break
    # "td_pct" beside "overall_pct" and "sp_pct" is a rate of the same kind.
    shares = [c.name for c in columns_by_name.values() if c.reason.startswith(IS_SHARE)]
    for rate in rates:
        if columns_by_name[rate.name].role == "unknown" and len(shares) >= LEAST_SHARES:
            reason = f"it is called as '{shares[0]}': higher is better"
            column = rate.with_role("output", reason, "quality", unit="share", low=0.0, high=1.0)
            columns_by_name[rate.name] = check_range(column, finite_values(frame[rate.name]))
    return [*columns_by_name.values()]


def _is_percent_name(column: Column) -> bool:
    return re.search(r"_(pct|percent|rate|share)_", parse_name(column.name).all_words) is not None


def _is_multiple(values: np.ndarray, metric: np.ndarray) -> bool:
    """Return whether a column of positive values is a multiple of another, but for rounding."""
    if len(values) < MULTIPLE_ROWS or not ((values > 0) & (metric > 0)).all():
        return False
    # Rounding changes the greatest values the least.
    factor = values[metric.argmax()] / metric.max()
    range_of_values = values.max() - values.min()
    difference = np.abs(values - factor * metric).max()
    # Most columns differ by more than any rounding.
    if difference > 2 * range_of_values / LEAST_STEPS:
        return False
    tolerance = rounding_of(values) + factor * rounding_of(metric)
    is_varied = values.max() >= LEAST_RANGE * values.min()
    is_fine = range_of_values >= LEAST_STEPS * tolerance
    return bool(is_varied and is_fine and difference <= 2 * tolerance)


def _multiple_reason(name: str, columns: Sequence[Column], frame: pd.DataFrame) -> str:
    """Say of which metric a column is a multiple, as of the shortest time; empty where of none."""
    values = frame[name].to_numpy(dtype=float)
    for column in columns:
        if not column.metric or column.name == name or column.name not in frame:
            continue
        if _is_multiple(values, frame[column.name].to_numpy(dtype=float)):
            return f"it is a multiple of '{column.name}', which is taken"
    return ""


def do_vary(values: np.ndarray) -> bool:
    """Return whether most cells of a column are filled, and they differ and count no rows."""
    filled = values[~np.isnan(values)]
    is_varying = bool((filled != filled[:1]).any())
    return is_varying and len(filled) / len(values) >= LEAST_FILLED and not counts_rows(values)


def is_mean_of_amounts(name: str) -> bool:
    """Return whether a name says of what it is the mean, as "Mean clips" and not "Average".

    Examples
    --------
    >>> is_mean_of_amounts("Avg. turns"), is_mean_of_amounts("Average")
    (True, False)
    """
    return _MEAN_OF.match(name) is not None


def is_called_mean(name: str) -> bool:
    """Return whether a name says that a column is the mean of others."""
    words = parse_name(name).all_words
    return any(f"_{word.replace(' ', '_')}_" in words for word in MEAN_WORDS)


def leave_out_unknown(column: Column, frame: pd.DataFrame) -> Column:
    """Leave an unknown column out in a table where other names are known."""
    if column.role != "unknown":
        return column
    if column.name in frame and counts_rows(frame[column.name]):
        return column.with_role("left_out", COUNTS_ROWS, "row count")
    reason = "its name is not known, so which way is better is not known either; say it"
    return column.with_role(column.role, reason)


def counts_rows(numbers: pd.Series | np.ndarray) -> bool:
    """Return whether a column numbers the rows: each cell is one more than the cell above."""
    values = np.asarray(numbers)
    # The first two cells mostly show that it does not.
    if len(values) < 3 or values[1] != values[0] + 1:
        return False
    with np.errstate(invalid="ignore"):  # infinite cells
        return bool((values[1:] - values[:-1] == 1).all())


def needs_guesses(columns: Sequence[Column], frame: pd.DataFrame, *, made_to_rank: bool) -> bool:
    """Return whether unknown names must be guessed: no name tells what the table is about.

    A metric whose direction is not known tells it, and so does a setting, a spread or a size in a
    table that was not made to be ranked.
    """
    roles = [column.role for column in columns]
    if any(role in ("output", "lower_rate", "cost", "conditional") for role in roles):
        return False
    if made_to_rank:
        return "unknown" in roles
    informative = any(
        column.role == "left_out" and column.name in frame and column.kind not in UNINFORMATIVE
        for column in columns
    )
    return "unknown" in roles and not informative


def guess_output(column: Column, frame: pd.DataFrame, *, made_to_rank: bool) -> Column:
    """Take an unknown column of measurements as an output, where no name of the table is known."""
    if column.role != "unknown":
        return column
    if made_to_rank:
        return column.with_role("guess", GUESSED, low=0.0)
    if column.name not in frame:
        return column
    values = frame[column.name].to_numpy(dtype=float)
    values = values[np.isfinite(values)]
    if column.name in frame and counts_rows(frame[column.name]):
        return column.with_role("left_out", COUNTS_ROWS, "row count")
    # Metrics of quality are rarely negative; differences and logarithms are, in both directions.
    if (values < 0).any():
        reason = "its name is not known and it holds negative values; say what it is"
        return column.with_role(column.role, reason)
    # Beside fractions, whole numbers are counts and settings more often than measurements.
    has_fractions = any((frame[name].dropna() % 1 != 0).any() for name in frame)
    is_whole = (values == np.round(values)).all() and len(np.unique(values)) > 1
    if has_fractions and is_whole:
        reason = (
            "its name is not known and it holds whole numbers only, as counts and settings do; "
            "say what it is"
        )
        return column.with_role(column.role, reason)
    guess = column.with_role("guess", GUESSED, low=0.0)
    if values.max(initial=0) <= 1:
        guess = replace(guess, high=1.0)
    return guess
