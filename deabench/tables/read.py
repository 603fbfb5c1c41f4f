"""`read`: any table, as people have them, with what each of its columns is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.tables import layout, pivot
from deabench.tables.cells import Numbers, is_empty, is_numeric_dtype, parse_numbers
from deabench.tables.columns import (
    Column,
    check_range,
    infer_column,
    infer_direction_from_rank,
    mixes_share_and_percent,
)
from deabench.tables.names import parse_name
from deabench.tables.proposal import propose_roles
from deabench.tables.readers import sources
from deabench.tables.readers.source import Declared, Source
from deabench.tables.roles import Roles
from deabench.tables.vocabulary import look_up_metric
from deabench.utils.checks import choice, did_you_mean
from deabench.utils.result import Result

DECLARED = ("output", "lower_rate", "cost", "label", "dataset", "left_out")


@dataclass(frozen=True, eq=False, repr=False)
class Table(Result):
    """A table with what its columns measure.

    Attributes
    ----------
    table : DataFrame, systems x columns
        In the user's own names and units: every metric, and what is left out but numeric. NaN where
        a cell is empty.
    roles : Roles
        What every column is taken for, and why.
    layout : "wide" or "long"
        Whether the source had a row per system, or one per system and data set or fold.
    per_dataset : DataFrame or None
        (data set, system) x the columns of `table`, where there are data sets.
    missing : mapping of column to number
        Empty cells and cells that hold a text (failures), by metric.
    title : str
    texts : DataFrame or None
        The columns of text of a table with a row per system: what groups systems, as their family.

    Examples
    --------
    >>> import deabench as db
    >>> reading = db.read({"a": {"accuracy": .9, "latency_ms": 3.0}, "b": {"accuracy": .8, "latency_ms": 1.0}})
    >>> reading.outputs, reading.inputs
    (['accuracy'], ['latency_ms'])
    """

    table: pd.DataFrame
    roles: Roles
    layout: str
    per_dataset: pd.DataFrame | None
    missing: Mapping[str, int]
    title: str
    notes: tuple[str, ...] = ()
    texts: pd.DataFrame | None = None

    def to_frame(self) -> pd.DataFrame:
        """What every column is taken for: the frame of `roles`."""
        return self.roles.to_frame()

    def summary(self) -> str:
        """What was read, and what for."""
        return f"{len(self.table)} systems; {self.roles.summary()}"

    @property
    def outputs(self) -> list[str]:
        """What rank takes as outputs: what is better high, and rates that are complemented to their
        greatest value.
        """
        return self.roles.outputs + [
            c.name for c in self.roles.metrics if c.role == "lower_rate" and c.bounded
        ]

    @property
    def inputs(self) -> list[str]:
        """What rank takes as inputs: costs, and losses without a greatest value."""
        return [
            c.name for c in self.roles.metrics if c.role == "lower_rate" and not c.bounded
        ] + self.roles.costs

    @property
    def lower_is_better(self) -> dict[str, float]:
        """What rank complements: rates that are better low, with their greatest value."""
        return {c.name: c.high for c in self.roles.metrics if c.role == "lower_rate" and c.bounded}

    def column(self, name: str) -> Column | None:
        """What one column is taken for."""
        return next((c for c in self.roles.columns if c.name == name), None)


def read(
    source: Any,
    *,
    label: str | Sequence[str] | None = None,
    roles: Mapping[str, Declared] | None = None,
) -> Table:
    """Read a table whatever it is and say what each of its columns measures.

    Parameters
    ----------
    source : str, Path, DataFrame of any library, dict, list of records, fitted search,
    `cv_results_`, Optuna study, ...
        A file may be CSV with any usual separator and decimal sign, .gz, .xlsx, Parquet or JSON
        (records, columns, and the results of lm-evaluation-harness and HELM); `"-"` is standard
        input. A list of files, or a mapping of names to tables, is one table for each metric with
        the systems in common.
    label : str or sequence of str, optional
        The column, or columns, that name the systems.
    roles : mapping of column to role, optional
        What the user knows better: "output", "lower_rate", "cost", "label", "dataset" or
        "left_out".

    Returns
    -------
    Reading

    Raises
    ------
    DataError
        Where it is no table, or a column that is named is not there.

    Examples
    --------
    >>> import deabench as db
    >>> reading = db.read({"model": ["A", "B"], "accuracy": [0.9, 0.8], "latency_ms": [20, 5], "seed": [1, 1]})
    >>> reading.roles.outputs, reading.roles.costs, list(reading.roles.left_out)
    (['accuracy'], ['latency_ms'], ['seed'])
    """
    if isinstance(source, Table):
        return (
            source
            if label is None and not roles
            else interpret_source(_again(source), label, roles or {})
        )
    return interpret_source(sources.of(source), label, roles or {})


def _again(reading: Table) -> Source:
    """A reading as the source of another, with other roles."""
    found = sources.of(reading.table)
    said: dict[str, tuple[Declared, str]] = {
        c.name: (c.role, c.reason)  # type: ignore[misc]
        for c in reading.roles.metrics
        if c.role != "guess"
    }
    return replace(found, said=said, title=reading.title)


def interpret_source(
    source: Source, label: str | Sequence[str] | None, roles: Mapping[str, Declared]
) -> Table:
    """What `read` does once the source is a frame of cells."""
    frame = source.frame
    if frame.shape[0] == 0 or frame.shape[1] == 0:
        raise DataError(
            f"the table is empty ({frame.shape[0]} rows, {frame.shape[1]} columns); give at least one row"
        )
    given = _declared(frame, label, roles, source.label)
    if any(is_numeric_dtype(frame[name].dtype) for name in (*given, *roles)):
        source = source.as_text()
        frame = source.frame
    said = {
        **source.said,
        **{name: (role, "you say so") for name, role in roles.items() if role != "label"},
    }
    dataset = next((name for name, role in roles.items() if role == "dataset"), None)
    numbers = {
        name: None if name in given else _numbers(frame[name], source.comma)
        for name in map(str, frame.columns)
    }
    columns = [infer_column(name, numbers[name], said) for name in numbers]
    found = layout.keys(frame, columns, given, dataset)
    numbers = {name: None if name in found.label else value for name, value in numbers.items()}
    pair = layout.metric_and_value(columns) if not roles else None
    if pair is not None:
        return _of_pairs(source.as_text(), found, *pair)
    matrix = _matrix(source, columns, found)
    if matrix is not None:
        return matrix
    return _of_columns(source, numbers, columns, found)


def _numbers(column: pd.Series, comma: bool) -> Numbers | None:
    """The numbers of a column; none of them where every cell is empty."""
    found = parse_numbers(column, comma=comma)
    if (
        found is not None
        or pd.api.types.is_bool_dtype(column)
        or pd.api.types.is_datetime64_any_dtype(column)
        or not is_empty(column)
    ):
        return found
    return Numbers(np.full(len(column), np.nan), np.zeros(len(column), dtype=bool))


def _declared(
    frame: pd.DataFrame,
    label: str | Sequence[str] | None,
    roles: Mapping[str, Declared],
    own: tuple[str, ...],
) -> tuple[str, ...]:
    """The label that is declared; every name and role is checked."""
    names = [] if label is None else [label] if isinstance(label, str) else list(label)
    names += [name for name, role in roles.items() if role == "label" and name not in names]
    for name in [*names, *roles]:
        if name not in frame.columns:
            raise DataError(
                f"there is no column '{name}' in the table; {did_you_mean(name, list(frame.columns))}"
            )
    for name, role in roles.items():
        choice(f"the role of '{name}'", role, DECLARED)
    return tuple(names) or own


def _of_columns(
    source: Source,
    numbers: Mapping[str, Numbers | None],
    columns: Sequence[Column],
    found: layout.Keys,
) -> Table:
    """The usual table: metrics in columns."""
    frame = source.frame
    notes = list(source.notes)
    values = pd.DataFrame(
        {name: n.values for name, n in numbers.items() if n is not None}, index=frame.index
    )
    cells = [(name, n.note) for name, n in numbers.items() if n is not None and n.note]
    cells += [
        (name, f"{int(n.failed.sum())} cells are no numbers and count as missing")
        for name, n in numbers.items()
        if n is not None and n.failed.any()
    ]
    long = layout.is_long(frame, found)
    if long:
        keys = pd.Index(
            frame[list(found.label)].astype(str).agg(", ".join, axis=1), name=found.label[0]
        )
        sets = (
            None
            if found.dataset is None
            else pd.Index(frame[found.dataset].astype(str), name=found.dataset)
        )
        wide = pivot.of_rows(values, keys, sets)
        label = found.label
    else:
        index, kept, label, said = layout.unique_rows(
            frame, found, columns, lambda: source.as_text().frame
        )
        notes += said
        table = values[kept.to_numpy()].set_axis(index, axis=0)
        missing = {
            str(name): int(table[name].isna().sum()) for name in table if table[name].isna().any()
        }
        wide = pivot.Wide(table, None, missing, ())
    units = {name: n.unit for name, n in numbers.items() if n is not None}
    wide = replace(wide, notes=(*cells, *wide.notes))
    reading = _finished(
        source, wide, columns, replace(found, label=label), notes, "long" if long else "wide", units
    )
    texts = [name for name, n in numbers.items() if n is None and name not in label]
    return (
        reading
        if long
        else replace(reading, texts=frame.loc[kept.to_numpy(), texts].set_axis(index, axis=0))
    )


def _finished(
    source: Source,
    wide: pivot.Wide,
    columns: Sequence[Column],
    found: layout.Keys,
    notes: Sequence[str],
    how: str,
    units: Mapping[str, str],
) -> Table:
    """Roles for the table as it is now, and the reading."""
    table = wide.table
    ranks = next(
        (table[c.name] for c in columns if "rank among" in c.reason and c.name in table), None
    )
    final = []
    for column in columns:
        if column.name in found.label or column.name == found.dataset or column.name not in table:
            if column.name not in found.label and column.name != found.dataset:
                final.append(
                    column
                    if column.role not in ("label", "dataset")
                    else replace(column, role="text")
                )
            continue
        values = table[column.name].to_numpy()
        if np.isfinite(values).any() and column.metric:
            column = check_range(column, values[np.isfinite(values)], units.get(column.name, ""))
        final.append(
            infer_direction_from_rank(column, table[column.name], ranks)
            if column.name in table
            else column
        )
    final, said = propose_roles(final, table)
    confused = [
        c.name
        for c in final
        if c.name in table and mixes_share_and_percent(c, table[c.name].to_numpy())
    ]
    said = [
        *said,
        *(
            f"'{name}' holds values up to 1 beside values above 10: are some shares and some percent?"
            for name in confused
        ),
    ]
    roles = Roles(
        found.label,
        tuple(final),
        found.dataset if wide.per_dataset is not None else None,
        found.repeats,
    )
    used = [c.name for c in final if c.metric]
    about = pivot.said(wide.notes, used)
    missing = {name: count for name, count in wide.missing.items() if name in used}
    return Table(
        table, roles, how, wide.per_dataset, missing, source.title, (*notes, *about, *said)
    )


def _lone(title: str) -> str:
    """The metric that a file's name tells: results_AUCROC is AUCROC; empty where it tells none."""
    found = look_up_metric(title)
    return title if found is not None and found.role in ("output", "lower_rate", "cost") else ""


def _of_pairs(source: Source, found: layout.Keys, metric: str, value: str) -> Table:
    """The longest layout: (system, data set, metric, value)."""
    frame = source.frame
    keys = list(
        dict.fromkeys(
            [
                *(name for name in found.label if name != metric),
                *([found.dataset] if found.dataset not in (None, metric) else []),
                *found.repeats,
            ]
        )
    )
    if not keys:
        raise DataError(
            f"'{metric}' and '{value}' hold metrics by name, but no column names the systems; give label"
        )
    wide = pivot.of_metric_and_value(frame, metric, value, [str(key) for key in keys])
    numbers = {
        str(name): None if name in keys else parse_numbers(wide[name], comma=source.comma)
        for name in wide.columns
    }
    columns = [infer_column(name, numbers[name], source.said) for name in numbers]
    again = layout.keys(
        wide, columns, tuple(name for name in found.label if name != metric), found.dataset
    )
    note = f"'{metric}' names the metrics and '{value}' holds their values"
    return _of_columns(
        replace(source, frame=wide, notes=(*source.notes, note)), numbers, columns, again
    )


def _matrix(source: Source, columns: Sequence[Column], found: layout.Keys) -> Table | None:
    """A matrix of one metric that only the file's name tells: systems in rows or in columns, data
    sets the other way.
    """
    metric = _lone(source.title)
    numeric = [
        c
        for c in columns
        if c.role not in ("text", "label", "dataset") and c.name not in found.label
    ]
    unknown = [
        c for c in numeric if c.role == "unknown" or c.reason.startswith("a benchmark's score")
    ]
    if not metric or len(unknown) < 2 or len(unknown) < 0.6 * len(numeric):
        return None
    names = [c.name for c in numeric if "count" not in c.reason or c.role == "unknown"]
    label = found.label[0] if found.label else None
    frame = source.frame
    read_ = {name: parse_numbers(frame[name], comma=source.comma) for name in names}
    values = pd.DataFrame(
        {name: n.values for name, n in read_.items() if n is not None}, index=frame.index
    )
    rows = pd.Index(
        frame[label].astype(str)
        if label is not None
        else [f"row {k + 1}" for k in range(len(frame))]
    )
    down = layout.systems_in_columns(frame, columns, label)
    stacked = values.set_axis(rows, axis=0).stack(future_stack=True)
    sets, systems = stacked.index.get_level_values(0), stacked.index.get_level_values(1)
    if not down:
        sets, systems = systems, sets
    dataset = (label if label is not None else "row") if down else "columns"
    wide = pivot.of_rows(
        stacked.to_frame(_short(metric)).reset_index(drop=True),
        systems.rename("system"),
        sets.rename(dataset),
    )
    side = "columns are the systems" if down else "rows are the systems"
    note = f"the file's name says that every cell is '{_short(metric)}'; {side}"
    column = infer_column(
        _short(metric),
        Numbers(wide.table.iloc[:, 0].to_numpy(), np.zeros(len(wide.table), dtype=bool)),
        {},
    )
    keys = layout.Keys(() if down or label is None else (label,), dataset)
    return _finished(source, wide, [column], keys, (*source.notes, note), "wide", {})


def _short(title: str) -> str:
    """The word of a file's name that is the metric: adbench_AUCROC is AUCROC."""
    parts = [part for part in title.replace("-", "_").split("_") if part]
    for k in range(len(parts)):
        tail = "_".join(parts[k:])
        shorter = "_".join(parts[k + 1 :])
        if (
            not shorter
            or look_up_metric(shorter) != look_up_metric(tail)
            or parse_name(shorter).words == "__"
        ):
            return tail
    return title
