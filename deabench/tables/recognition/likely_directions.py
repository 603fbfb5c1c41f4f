"""Find the likeliest direction of each column that is asked about.

Nothing of this is certain enough to rank a table without a question. In this order a column is
likely

1. no metric, where it holds 0 and 1 alone and metrics are known;
2. better as the known metrics of like scale whose names differ from its own in the last word alone;
3. a cost, where its name ends with a unit of time or size, or counts what is spent, as tokens;
4. better as the known metrics of like scale whose names begin with its first word;
5. a cost, where it rises with a known one;
6. a time, where it grows with the size of the problem that it is called by;
7. better high where it rises with the known qualities, and low where it falls as they rise;
8. as all other columns of the question together are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from deabench.tables.naming.name_patterns import search_name
from deabench.tables.naming.parsing import parse_name
from deabench.tables.naming.prose import speaks_of_errors
from deabench.tables.naming.vocabulary import has_name, is_error_set
from deabench.tables.recognition.blocks import STATED_UNIT
from deabench.tables.recognition.columns import Column
from deabench.tables.recognition.layout import are_languages
from deabench.tables.scales import MIN_ROWS, are_alike, measure_scale, rank_correlations
from deabench.tables.table import Table
from deabench.utils.lazy import lazy_pattern

TIMES = lazy_pattern(
    r"\b(elapsed|(run(ning)?|execution|wall|cpu|user|response)[- ]?(clock )?times?"
    r"|in (milli)?seconds)\b",
    re.IGNORECASE,
)
"""What the text around a table of times says."""
LIKELY_CORRELATION = 0.6
"""So far columns go with the known metrics that their direction is likely."""
LEAST_OWN_CORRELATION = 0.8
"""So far a single column goes with the known qualities that it has a direction of its own."""
LEAST_COST_CORRELATION = 0.7
"""So far a column goes with a known cost that it is likely one."""
LEAST_SIZES = 3
"""So many sizes show that columns grow with them."""
LEAST_GROWTH = 0.5
"""Times grow at least with the root of the size."""
_PROCESSORS = "_(np|p|t|threads?|cores?|cpus?|gpus?|nodes?|workers?|process(es)?|ranks?)_"
"""What a table is called by whose numbers may be speeds."""
LEAST_CORRELATED = 5
"""So many rows are needed before a correlation makes anything likely."""


def find_likely_directions(
    table: Table, names: Sequence[str], metrics: Sequence[Column]
) -> dict[str, str]:
    """Return "higher", "lower" or "ignore" for each column of a question.

    Parameters
    ----------
    table : Table
    names : sequence of column names
        The columns that are asked about.
    metrics : sequence of Column
        The known metrics beside them.
    """
    metrics = [column for column in metrics if column.name in table.frame]
    directions = {name: _direction_of_column(table.frame, name, metrics) for name in names}
    undirected = [name for name in names if not directions[name]]
    if undirected:
        directions |= dict.fromkeys(undirected, _direction_of_block(table, undirected, metrics))
    return directions


def _direction_of_column(frame: pd.DataFrame, name: str, metrics: Sequence[Column]) -> str:
    """Return the direction that a column's own name and values make likely; "" without any."""
    values = frame[name].dropna()
    # Where nothing else is known, marks are all that can be ranked.
    if metrics and values.isin((0, 1)).all():
        return "ignore"
    words = _split_words(name)
    scale = measure_scale(values)
    split_names = [
        (_split_words(column.name), column.direction)
        for column in metrics
        if are_alike(measure_scale(frame[column.name]), scale)
    ]
    directions_by_stem = {
        direction
        for metric_words, direction in split_names
        if words[1:] and metric_words[:-1] == words[:-1]
    }
    if len(directions_by_stem) == 1:
        return directions_by_stem.pop()
    if STATED_UNIT.search(name) or has_name(name, "likely_cost"):
        return "lower"
    directions_by_first_word = {
        direction
        for metric_words, direction in split_names
        if words[1:] and metric_words[0] == words[0]
    }
    if len(directions_by_first_word) == 1:
        return directions_by_first_word.pop()
    # What producers use and make grows with their size, and tells nothing.
    if any(column.production for column in metrics):
        return ""
    costs = [column.name for column in metrics if column.role == "cost"]
    with_costs = [_correlations(frame, [name], cost).max(initial=0.0) for cost in costs]
    if max(with_costs, default=0.0) >= LEAST_COST_CORRELATION:
        return "lower"
    goodness = _correlation_with_quality(frame, [name], metrics)
    if abs(goodness) >= LEAST_OWN_CORRELATION:
        return "higher" if goodness > 0 else "lower"
    return ""


def _split_words(name: str) -> list[str]:
    return re.findall(r"[^\s_-]+", name.lower()) or [""]


def _correlations(frame: pd.DataFrame, names: Sequence[str], metric: str) -> np.ndarray:
    """Return the rank correlations of columns with a metric on complete rows, if there are enough.

    Constant columns, which correlate with nothing, are left out.
    """
    # Complete rows need no library of statistics, whose loading takes longer than the answer.
    rows = frame[[*names, metric]].dropna()
    if len(rows) < LEAST_CORRELATED:
        return np.zeros(0)
    correlations = rank_correlations(rows, names, metric)
    return np.asarray(correlations[np.isfinite(correlations)])


def _direction_of_block(table: Table, names: Sequence[str], metrics: Sequence[Column]) -> str:
    """Return the likeliest answer to whether higher or lower is better in some columns.

    Columns that are called by data sets of speech are error rates; others go with the known metrics
    of quality, if they go with any. Else rates are better high, unless the rows are sorted by them
    upwards; other numbers, and whole ones, may be no metrics.
    """
    values = table.frame[list(names)]
    means = values.mean(axis=1)
    if len(values) >= MIN_ROWS and means.is_monotonic_increasing:
        return "lower"
    # What left a direction open is what speaks for the answer.
    asked_columns = [column for column in table.columns if column.name in names]
    speak_for_lower = [
        column.kind in ("ascending score", "rank") or column.role == "cost"
        for column in asked_columns
    ]
    if asked_columns and all(speak_for_lower):
        return "lower"
    if speaks_of_errors(f"{table.heading} {table.prose}"):
        return "lower"
    if sum(map(is_error_set, names)) > len(names) / 2:
        return "lower"
    if any(column.production for column in metrics):
        return _likely_side(table, names, metrics)
    if _speaks_of_times(table):
        return "lower"
    if _grow_with_size(table, names):
        return "lower"
    goodness = _correlation_with_quality(table.frame, names, metrics)
    if abs(goodness) >= LIKELY_CORRELATION:
        return "higher" if goodness > 0 else "lower"
    is_whole = not (values % 1 > 0).any(axis=None)
    is_rate = measure_scale(means)[0] in ("share", "percent")
    # Beside benchmarks further measurements are benchmarks.
    are_benchmarks = any(column.kind == "benchmark" for column in metrics)
    is_measured = (is_rate or are_benchmarks) and not is_whole
    return "higher" if is_measured or not metrics else "ignore"


def _likely_side(table: Table, names: Sequence[str], metrics: Sequence[Column]) -> str:
    """Return whether columns of producers are likely outputs or inputs, by what stands beside.

    Tables of producers have their inputs side by side, and so their outputs.
    """
    order = [column.name for column in table.columns]
    sides = {order.index(c.name): "lower" if c.input else "higher" for c in metrics}
    # Deposits may be either, and many unknown columns describe the producers, as their households.
    is_ambiguous = any(column.ambiguous for column in table.columns if column.name in names)
    if is_ambiguous or len(names) > 2 * len(sides):
        return "ignore"
    votes = []
    for name in names:
        position = order.index(name)
        # Of two neighbours at the same distance the left one counts.
        nearest = min(sides, key=lambda neighbour: (abs(neighbour - position), neighbour))
        votes.append(sides[nearest])
    if len(set(sides.values())) == 1:
        # Only inputs are known, or only outputs: the others follow or precede them.
        return "higher" if "lower" in sides.values() else "lower"
    return max(sorted(set(votes)), key=votes.count)


def _speaks_of_times(table: Table) -> bool:
    """Return whether the text around a table speaks of times, or its rows are languages."""
    if TIMES.search(f"{table.heading} {table.prose}"):
        return True
    columns = [table.frame.index.to_series()]
    if table.texts is not None:
        columns += [table.texts[name] for name in table.texts]
    return any(are_languages(column) for column in columns)


def _grow_with_size(table: Table, names: Sequence[str]) -> bool:
    """Return whether columns are called by rising sizes and grow with them, as times do.

    Qualities and speeds hardly grow with the size of a problem; speed-ups grow with the number of
    threads.
    """
    matches = [re.fullmatch(r"(\D*?)(\d[\d,_]*)\D*", name) for name in names]
    if len(names) < LEAST_SIZES or not all(matches):
        return False
    words = {parse_name(match[1]).words for match in matches if match}
    if "_" in words or any(search_name(_PROCESSORS, word) for word in words):
        return False
    sizes = np.array([float(re.sub("[,_]", "", match[2])) for match in matches if match])
    medians = table.frame[list(names)].median().to_numpy(dtype=float)
    if not (np.diff(sizes) > 0).all() or sizes[0] <= 0 or not (np.diff(medians) > 0).all():
        return False
    return bool(
        medians[0] > 0 and medians[-1] / medians[0] >= (sizes[-1] / sizes[0]) ** LEAST_GROWTH
    )


def _correlation_with_quality(
    frame: pd.DataFrame, names: Sequence[str], metrics: Sequence[Column]
) -> float:
    """Return the median rank correlation of columns with known qualities, and losses turned round.

    What producers use and make grows with their size, and tells nothing.
    """
    qualities = [
        column
        for column in metrics
        if column.role in ("output", "lower_rate") and column.kind != "throughput"
    ]
    signed = [
        _correlations(frame, names, column.name) * (1 if column.role == "output" else -1)
        for column in qualities
    ]
    correlations = np.concatenate([np.zeros(0), *signed])
    return float(np.median(correlations)) if len(correlations) else 0.0
