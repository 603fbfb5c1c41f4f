"""Turn tables whose rows are called by metrics, or have the best of several systems in bold.

1. A row for each system and metric, with a column for each data set, is stacked.
2. Rows that mark their best column, some the greatest and some the least value, are metrics.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pandas as pd

from deabench.tables.cells import is_empty_word, parse_numbers
from deabench.tables.estimates import is_estimate
from deabench.tables.naming.prose import direction_of_words
from deabench.tables.naming.vocabulary import has_name, look_up_metric
from deabench.tables.readers.frames import Source
from deabench.tables.recognition.bold_cells import direction_of_bold_rows, find_bold_cells
from deabench.tables.recognition.layout import are_benchmarks
from deabench.tables.recognition.metrics_in_rows import is_metric
from deabench.tables.rows import pivot_metrics
from deabench.tables.table import Kind
from deabench.utils.lazy import lazy_pattern
from deabench.utils.text import quote_names

SYSTEM = "system"
VALUE = "value of the metric"
DATA_SET = "data set"
"""What the column is called that holds the names of the columns."""
_STATISTIC = lazy_pattern(r"(min|max|estimate)\.?", re.IGNORECASE)
MOST_ROWS = 1_000
"""Longer tables have a row for each system, or for each of its results."""
MOST_METRICS = 8
LEAST_DATA_SETS = 2
LEAST_SYSTEMS = 2


def turn_rows(source: Source) -> tuple[Source, Kind] | None:
    """Return a source with systems in rows and metrics in columns, and its kind; None if it is."""
    if len(source.frame) > MOST_ROWS:
        return None
    stacked = stack_data_sets(source)
    if stacked is not None:
        return stacked, "long"
    transposed = transpose_marked_rows(source)
    if transposed is not None:
        return transposed, "metrics-in-rows"
    return None


def transpose_marked_rows(source: Source) -> Source | None:
    """Return a source whose rows are systems where bold shows that its columns are.

    None where the rows agree on which way is better: they may be data sets of one metric then.
    """
    frame = source.frame
    rows, *systems = map(str, frame.columns)
    if not find_bold_cells(frame, systems).any():
        return None
    names = frame[rows].astype(str)
    numbers = {name: parse_numbers(frame[name]) for name in systems}
    are_numbers = len(systems) > 1 and None not in numbers.values()
    are_called = any(is_metric(name, benchmarks=False) for name in systems)
    if not are_numbers or names.duplicated().any() or are_called or not name_data_sets(frame[rows]):
        return None
    direction = direction_of_bold_rows(frame, systems, numbers, source.texts)
    if direction != "open" or direction_of_words("\n".join(source.texts)):
        return None
    transposed = frame[systems].set_axis(names, axis=0).T
    transposed = transposed.rename_axis(None, axis=1).rename_axis(SYSTEM).reset_index()
    note = f"systems are the columns {quote_names(systems, 4)}, for each row has its best in bold"
    notes = (*source.notes, note)
    return replace(source, frame=transposed, label=(SYSTEM,), notes=notes, read_text=None)


def stack_data_sets(source: Source) -> Source | None:
    """Return a source with a row for each system and data set, and a column for each metric.

    None where the rows are not called by a system and by one of a few metrics, each pair once, or
    where a column is called by a metric: its data sets are then no columns.
    """
    frame = source.frame
    names = list(map(str, frame.columns))
    texts = [name for name in names if not _holds_numbers(frame[name])]
    metrics = next((name for name in texts if _names_metrics(frame[name])), None)
    data_sets = [name for name in names if name not in texts]
    if metrics is None or len(texts) != 2 or len(data_sets) < LEAST_DATA_SETS or DATA_SET in names:
        return None
    label = next(name for name in texts if name != metrics)
    systems = frame[label].astype(str)
    # Rows that are called otherwise may be data sets, with their systems in columns.
    is_told = _names_systems(label) and not any(map(is_empty_word, systems))
    is_repeated = frame.duplicated([label, metrics]).any() or not systems.duplicated().any()
    if not is_told or is_repeated or systems.nunique() < LEAST_SYSTEMS:
        return None
    if not all(map(_may_be_data_set, data_sets)):
        return None
    long = frame.melt([label, metrics], data_sets, DATA_SET, VALUE)
    wide = pivot_metrics(long.astype(object), metrics, VALUE, [label, DATA_SET])
    # A pivot sorts its rows; the systems stay in the order of the table.
    order = wide[label].map({name: k for k, name in enumerate(frame[label].unique())})
    wide = wide.iloc[order.argsort(kind="stable")].reset_index(drop=True)
    note = (
        f"'{metrics}' names the metric of each row, and the columns are data sets: "
        f"{quote_names(data_sets, 4)}"
    )
    declarations = {**source.declarations, DATA_SET: ("dataset", "its names head the columns")}
    return replace(
        source,
        frame=wide,
        label=(label,),
        declarations=declarations,
        notes=(*source.notes, note),
        read_text=None,
    )


def _may_be_data_set(name: str) -> bool:
    """Return whether a column of numbers may be a data set: its name is unknown, or that of one."""
    if has_name(name, "value") or _STATISTIC.fullmatch(name):
        return False
    meaning = look_up_metric(name)
    return meaning is None or meaning.kind in ("benchmark", "data set score")


def _names_systems(name: str) -> bool:
    """Return whether a column is called as the systems are, "Method" or "Model"."""
    meaning = look_up_metric(name)
    return has_name(name, "method") or (meaning is not None and meaning.role == "label")


def name_data_sets(column: pd.Series) -> bool:
    """Return whether a column is called as data sets are, or holds the names of some."""
    meaning = look_up_metric(column.name)
    is_called = meaning is not None and meaning.role == "dataset"
    return is_called or are_benchmarks(column)


def _holds_numbers(column: pd.Series) -> bool:
    """Return whether the filled cells of a column are numbers."""
    cells = [cell for cell in map(str, column) if not is_empty_word(cell)]
    return bool(cells) and all(map(is_estimate, cells))


def _names_metrics(column: pd.Series) -> bool:
    """Return whether the cells of a column are the names of a few metrics."""
    names = [*map(str, column.unique())]
    return 1 < len(names) <= MOST_METRICS and all(
        is_metric(name, benchmarks=False) for name in names
    )
