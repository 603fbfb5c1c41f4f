"""Find the metric of a table with systems in columns whose cells nothing names.

Also find the columns of which a table names the winner on each row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

import numpy as np
import pandas as pd

from deabench.tables.cells import Numbers
from deabench.tables.naming.prose import direction_of_words, speaks_of_amounts, states_directions
from deabench.tables.naming.titles import meaning_of_stated_unit, meaning_with_unit
from deabench.tables.naming.vocabulary import (
    BETTER_ROLES,
    has_name,
    is_benchmark,
    is_error_set,
    look_up_measure,
)
from deabench.tables.recognition.columns import Column
from deabench.tables.recognition.directions import Block, Context, decide_matrix
from deabench.tables.scales import finite_values, measure_scale, rounding_of

LEAST_RETURNS = 0.5
"""More than this share of the rows are environments where the cells are returns in these."""
NO_MEASURE = "nothing says what the cells measure"
UNNAMED_METRIC = "score"
"""What the cells of a matrix are called where nothing says what they measure."""
LEAST_COMPARED = 4
"""So many rows show that a column compares two others."""
COMPARED_ROUNDING = 0.02
LEAST_ROUNDING = 0.006
"""So far a comparison may be rounded: as a share of it, and to two decimals."""
LEAST_WON_ROWS = 3
"""So many rows show which way the winners of all rows are better."""


def find_winners(
    frame: pd.DataFrame, numbers: Mapping[str, Numbers | None], columns: Sequence[str]
) -> tuple[str, str]:
    """Return which way the columns that win on each row are better, and why; "" without one.

    A column of winners names them, and shows that the columns are systems.

    Parameters
    ----------
    columns : sequence of str
        Numeric columns whose names tell no direction.
    """
    if len(columns) < 2 or len(frame) < LEAST_WON_ROWS:
        return "", ""
    cells = [numbers[name] for name in columns]
    values = np.array([column.values for column in cells if column is not None])
    if len(values) < len(columns) or np.isnan(values).all(axis=0).any():
        return "", ""
    for name in map(str, frame.columns):
        if numbers.get(name) is None and has_name(name, "winner"):
            better = _direction_of_winners(frame[name], columns, values)
            if better:
                return better, f"the winners in '{name}' say that {better} is better"
    return "", ""


def _direction_of_winners(winners: pd.Series, columns: Sequence[str], values: np.ndarray) -> str:
    """Return which way the columns that are named on each row are better; "" without one.

    Parameters
    ----------
    values : ndarray (columns, rows)
    """
    positions = {str(name).strip().lower(): k for k, name in enumerate(columns)}
    named = [positions.get(str(cell).strip().lower()) for cell in winners]
    is_tie = winners.isna() | winners.astype(str).str.strip().str.lower().isin(("", "tie", "-"))
    pairs = [(k, row) for row, k in enumerate(named) if k is not None]
    if len(pairs) < LEAST_WON_ROWS or len(pairs) + is_tie.sum() < len(winners):
        return ""
    # Rows whose cells are all equal tell nothing.
    minima, maxima = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
    pairs = [(k, row) for k, row in pairs if minima[row] < maxima[row]]
    if pairs and all(values[k, row] == minima[row] for k, row in pairs):
        return "lower"
    if pairs and all(values[k, row] == maxima[row] for k, row in pairs):
        return "higher"
    return ""


def is_comparison(comparison: pd.Series, first: pd.Series, second: pd.Series) -> bool:
    """Return whether a column is the difference or the ratio of two others, or their change."""
    rows = pd.concat([comparison, first, second], axis=1).to_numpy(dtype=float)
    rows = rows[np.isfinite(rows).all(axis=1)]
    if len(rows) < LEAST_COMPARED or (rows[:, 1:] == 0).any() or not np.ptp(rows[:, 0]):
        return False
    result, a, b = rows.T
    with np.errstate(divide="ignore", invalid="ignore"):
        forms = [b - a, a - b, b / a, a / b, b / a - 1, a / b - 1, 1 - b / a, 1 - a / b]
        forms += [100 * form for form in forms[2:]]
    # What is written with one or two decimals is rounded.
    return any(
        bool(
            (np.abs(result - form) <= COMPARED_ROUNDING * np.abs(form) + LEAST_ROUNDING).mean()
            > 0.9
        )
        and float(np.abs(form).max()) > 10 * LEAST_ROUNDING
        for form in forms
    )


def is_rate(metric: str, texts: str) -> bool:
    """Return whether a metric, or else what the text around its table speaks of, is a rate."""
    meaning = look_up_measure(metric)
    if meaning is not None and metric != UNNAMED_METRIC:
        return meaning.role == "output" and meaning.unit == "share"
    return direction_of_words(texts) == "higher" and not speaks_of_amounts(texts)


def find_shares_beside_percent(values: pd.Series, data_sets: pd.Index) -> list[str]:
    """Return the data sets whose rates are shares where those of the others are percent.

    0.852 beside 90.0 has two more decimals, and so has every share that is a percentage elsewhere;
    0.9 beside 45.3 is a low percentage.

    Parameters
    ----------
    values : Series
        A value of one metric for each system and data set, NaN where there is none.
    data_sets : Index
        The data set of each value.
    """
    groups = {
        str(name): finite_values(group)
        for name, group in values.groupby(np.asarray(data_sets), sort=False)
    }
    groups = {name: group for name, group in groups.items() if len(group)}
    shares = [name for name, group in groups.items() if group.min() >= 0 and group.max() <= 1]
    percent = [group for name, group in groups.items() if name not in shares]
    if not shares or not percent or min(map(np.min, percent)) <= 1:
        return []
    rounding = min(map(rounding_of, percent))
    are_finer = all(100 * rounding_of(groups[name]) <= 1.01 * rounding for name in shares)
    return shares if are_finer and max(map(np.max, percent)) <= 100 else []


def metric_of_benchmarks(rows: pd.DataFrame) -> Column:
    """Return the metric that no name tells: the score of benchmarks, where data sets are some.

    Parameters
    ----------
    rows : DataFrame
        A row for each system and data set, as in `Table.rows`.
    """
    scale, _ = measure_scale(rows[UNNAMED_METRIC])
    names = _data_sets(rows)
    benchmarks = [name for name in names if is_benchmark(name)]
    # "ImageNet-C (error rate)" is measured the other way round.
    meanings = [look_up_measure(name) for name in names]
    has_errors = any(map(is_error_set, names)) or any(
        meaning is not None and meaning.better == "lower" for meaning in meanings
    )
    # One name may be that of a method, too, as "AMC".
    if len(benchmarks) < 2 or has_errors or scale not in ("share", "percent"):
        return Column(UNNAMED_METRIC, "unknown", reason=NO_MEASURE)
    return _score(benchmarks)


def metric_of_surroundings(rows: pd.DataFrame, context: Context) -> Column:
    """Return the metric that neither a name nor the text tells, with the direction of its rows.

    A heading with a unit tells it, and a line of the text that states one. So do the rows where
    most of them are environments, whose returns may be of any size, where one system is called by
    chance, and where they are data sets of speech recognition.
    """
    named = meaning_with_unit(context.heading)
    if named is not None and set(states_directions(context.prose)) <= {named.better}:
        reason = f"the table is called by its metric, '{context.heading}'"
        return Column(UNNAMED_METRIC, named.role, named.unit, reason=reason)
    texts = f"{context.title}\n{context.heading}\n{context.introduction}\n{context.prose}"
    stated = meaning_of_stated_unit(texts)
    if stated is not None and set(states_directions(texts)) <= {stated.better}:
        reason = f"the text states the unit; {stated.reason}"
        return Column(UNNAMED_METRIC, stated.role, stated.unit, reason=reason)
    names = _data_sets(rows)
    environments = [name for name in names if _is_unbounded(name)]
    are_returns = len(environments) > LEAST_RETURNS * len(names)
    if are_returns and not (speaks_of_amounts(texts) or states_directions(texts)):
        return _score(environments)
    if not names:
        return Column(UNNAMED_METRIC, "unknown", reason=NO_MEASURE)
    # The data sets are columns of the transpose.
    wide = rows.pivot_table(UNNAMED_METRIC, "classifier", "dataset", sort=False)
    names = [str(name) for name in wide.columns]
    wide = wide.set_axis(names, axis=1)
    columns = [Column(name, "unknown") for name in names]
    direction, reason = decide_matrix(Block(names, columns, wide, columns), context)
    role = BETTER_ROLES.get(direction, "unknown")
    return Column(UNNAMED_METRIC, role, reason=reason or NO_MEASURE)


def _data_sets(rows: pd.DataFrame) -> list[str]:
    """Return the names of the data sets; none of a table of folds."""
    return rows["dataset"].unique().tolist() if "dataset" in rows else []


def _is_unbounded(name: str) -> bool:
    """Return whether a benchmark's score has no greatest value, as a return in an environment."""
    meaning = look_up_measure(name)
    return meaning is not None and is_benchmark(name) and meaning.high == inf


def _score(benchmarks: list[str]) -> Column:
    named = " and ".join(f"'{name}'" for name in benchmarks[:2])
    reason = f"{named} are benchmarks, on which higher is better"
    return Column(UNNAMED_METRIC, "output", reason=reason, kind="benchmark")
