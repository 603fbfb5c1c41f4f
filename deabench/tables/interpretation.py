"""Interpret the columns of a source: each is parsed once and gets its role."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.tables.cells import Numbers, is_numeric_dtype, parse_numbers, parse_or_empty
from deabench.tables.columns import (
    Column,
    Declarations,
    DeclaredRole,
    check_range,
    infer_column,
    infer_direction_from_rank,
    mixes_share_and_percent,
)
from deabench.tables.layout import (
    Keys,
    find_keys,
    find_matrix_columns,
    find_metric_and_value,
    has_systems_in_columns,
    is_long,
    metric_of_title,
)
from deabench.tables.readers.frames import Source, check_unique_names, declared_roles
from deabench.tables.rows import (
    Systems,
    average_rows,
    count_empty,
    merge_notes,
    name_rows,
    pivot_metrics,
)
from deabench.tables.table import USER_SAYS, Layout, LowerIsBetter, Table, assign_roles
from deabench.utils.checks import choice, did_you_mean

DECLARED_ROLES = ("output", "lower_rate", "cost", "label", "dataset", "left_out")


@dataclass(frozen=True)
class ParsedSource:
    """A source with its cells parsed.

    Attributes
    ----------
    source : Source
    numbers : mapping of column to Numbers, or None for text and labels
    columns : list of Column
        What each column is by itself.
    keys : Keys
        What names the rows.
    """

    source: Source
    numbers: Mapping[str, Numbers | None]
    columns: list[Column]
    keys: Keys

    def values(self) -> pd.DataFrame:
        """Return the numeric columns, rows x columns."""
        columns = {name: n.values for name, n in self.numbers.items() if n is not None}
        return pd.DataFrame(columns, index=self.source.frame.index)

    def units(self) -> dict[str, str]:
        """Return the units that the cells state, by column."""
        return {name: n.unit for name, n in self.numbers.items() if n is not None}


def interpret_source(
    source: Source,
    label: str | Sequence[str] | None = None,
    roles: Mapping[str, DeclaredRole] | None = None,
    lower_is_better: LowerIsBetter = (),
) -> Table:
    """Interpret a frame of raw cells: what names its rows, and what each column measures.

    Raises
    ------
    DataError
        Where it is empty, or a column that is named is not there.
    """
    frame = source.frame
    check_not_empty(frame)
    roles = roles or {}
    labels = _check_declared(frame, label, roles) or source.label
    # As a label or a setting "0.50" is not "0.5": such cells are read as they stand.
    if any(is_numeric_dtype(frame[name].dtype) for name in (*labels, *roles)):
        source = source.as_text()
    declarations = dict(source.declarations)
    declarations |= {name: (role, USER_SAYS) for name, role in roles.items() if role != "label"}
    dataset = next((name for name, role in roles.items() if role == "dataset"), None)
    parsed = _parse_source(source, declarations, labels, dataset)
    # Rows of (metric, value) are the one layout that declared roles contradict.
    pair = find_metric_and_value(parsed.columns)
    if pair is not None and not roles:
        return _interpret_columns(_pivot_source(parsed, *pair), lower_is_better)
    # A file called by its metric may be a matrix of systems x data sets.
    metric = metric_of_title(source.title)
    matrix_columns = find_matrix_columns(parsed.columns, parsed.keys)
    if metric and matrix_columns:
        return _interpret_matrix(parsed, metric, matrix_columns, lower_is_better)
    return _interpret_columns(parsed, lower_is_better)


def check_not_empty(frame: pd.DataFrame) -> None:
    """Refuse a frame without rows or columns."""
    if 0 in frame.shape:
        raise DataError(
            f"the table is empty ({frame.shape[0]} rows, {frame.shape[1]} columns); "
            "give at least one row"
        )


def interpret_frame(
    frame: pd.DataFrame,
    roles: Mapping[str, DeclaredRole] | None = None,
    lower_is_better: LowerIsBetter = (),
) -> Table:
    """Interpret a DataFrame whose rows are systems already, named by its index.

    Somebody made it to be ranked: its cells must be numbers, and where no name is known every
    column counts. Its labels stay as they are.
    """
    names = [str(name) for name in frame.columns]
    check_unique_names(names)
    declarations = declared_roles(frame)
    declarations |= {name: (role, USER_SAYS) for name, role in (roles or {}).items()}
    numbers = {name: parse_numbers(frame.iloc[:, k]) for k, name in enumerate(names)}
    inferred = [infer_column(name, numbers[name], declarations) for name in names]
    texts = [k for k, name in enumerate(names) if numbers[name] is None]
    parsed = {name: column for name, column in numbers.items() if column is not None}
    values = pd.DataFrame(
        {name: column.values for name, column in parsed.items()}, index=frame.index
    )
    failures = {}
    for name, column in parsed.items():
        cells = frame.iloc[:, names.index(name)][column.failed]
        if len(cells):
            failures[name] = {row: cell for row, cell in cells.items() if isinstance(cell, str)}
    label: tuple[str, ...] = ()
    if not isinstance(frame.index, pd.RangeIndex):
        label = tuple(str(name or "index") for name in frame.index.names)
    table = Table(
        values,
        (),
        label=label,
        texts=frame.iloc[:, texts].set_axis([names[k] for k in texts], axis=1),
        inferred=tuple(inferred),
        labelled=True,
        failures=failures,
    )
    units = {name: column.unit for name, column in parsed.items()}
    table = assign_roles(table, lower_is_better, units)
    metrics = [column.name for column in table.metrics if column.name in values]
    return replace(table, missing=count_empty(values[metrics]))


def _check_declared(
    frame: pd.DataFrame, label: str | Sequence[str] | None, roles: Mapping[str, DeclaredRole]
) -> tuple[str, ...]:
    """Check every name and role that the user declares, and return the declared label."""
    labels = [label] if isinstance(label, str) else list(label or ())
    labels += [name for name, role in roles.items() if role == "label" and name not in labels]
    for name in [*labels, *roles]:
        if name not in frame.columns:
            raise DataError(
                f"there is no column '{name}' in the table; "
                f"{did_you_mean(name, list(frame.columns))}"
            )
    for name, role in roles.items():
        choice(f"the role of '{name}'", role, DECLARED_ROLES)
    return tuple(labels)


def _parse_source(
    source: Source,
    declarations: Declarations,
    label: tuple[str, ...],
    dataset: str | None,
    texts: Sequence[str] = (),
) -> ParsedSource:
    """Parse the columns of a source and infer what each is by itself.

    Parameters
    ----------
    texts : sequence of column names
        Columns besides the label that are not parsed.
    """
    frame = source.frame
    numbers: dict[str, Numbers | None] = dict.fromkeys(map(str, frame.columns))
    for name in numbers:
        if name not in label and name not in texts:
            numbers[name] = parse_or_empty(frame[name], decimal_comma=source.decimal_comma)
    # The keys depend on what the columns are; the cells of a label are then names, no numbers.
    columns = [infer_column(name, numbers[name], declarations) for name in numbers]
    keys = find_keys(frame, columns, label, dataset)
    for name in keys.label:
        numbers[name] = None
    return ParsedSource(source, numbers, columns, keys)


def _pivot_source(parsed: ParsedSource, metric: str, value: str) -> ParsedSource:
    """Give every metric a column of its own, from rows of (system, data set, metric, value)."""
    source = parsed.source.as_text()
    label = tuple(name for name in parsed.keys.label if name != metric)
    dataset = parsed.keys.dataset if parsed.keys.dataset != metric else None
    keys = [*label, *([dataset] if dataset is not None else []), *parsed.keys.repeats]
    keys = list(dict.fromkeys(keys))
    if not keys:
        raise DataError(
            f"'{metric}' and '{value}' hold metrics by name, but no column names the systems; "
            "give label"
        )
    # The values are parsed after the pivot, for each metric has its own unit.
    wide = pivot_metrics(source.frame, metric, value, keys)
    note = f"'{metric}' names the metrics and '{value}' holds their values"
    source = replace(source, frame=wide, notes=(*source.notes, note))
    return _parse_source(source, source.declarations, label, parsed.keys.dataset, keys)


def _interpret_columns(parsed: ParsedSource, lower_is_better: LowerIsBetter) -> Table:
    """Interpret the usual table, with metrics in columns."""
    frame = parsed.source.frame
    keys = parsed.keys
    values = parsed.values()
    notes = list(parsed.source.notes)
    texts = None
    layout: Layout = "wide"
    if is_long(frame, keys):
        layout = "long"
        # Systems repeat over data sets or folds: their rows are averaged.
        names = frame[list(keys.label)].astype(str).agg(", ".join, axis=1)
        datasets = None
        if keys.dataset is not None:
            datasets = pd.Index(frame[keys.dataset].astype(str), name=keys.dataset)
        systems = average_rows(values, pd.Index(names, name=keys.label[0]), datasets)
    else:
        # Every row is a system of its own and needs a unique name.
        rows = name_rows(frame, keys, parsed.columns, lambda: parsed.source.as_text().frame)
        notes += rows.notes
        keys = replace(keys, label=rows.label)
        wide = values[rows.stays].set_axis(rows.index, axis=0)
        systems = Systems(wide, None, count_empty(wide))
        text_names = [
            name for name, n in parsed.numbers.items() if n is None and name not in rows.label
        ]
        texts = frame.loc[rows.stays, text_names].set_axis(rows.index, axis=0)
    systems = replace(systems, notes=(*_cell_notes(parsed), *systems.notes))
    table = _build_table(parsed, systems, keys, notes, layout, lower_is_better)
    return replace(table, texts=texts)


def _cell_notes(parsed: ParsedSource) -> list[tuple[str, str]]:
    """Say how cells were read, and how many are no numbers."""
    numeric = [(name, numbers) for name, numbers in parsed.numbers.items() if numbers is not None]
    notes = [(name, numbers.note) for name, numbers in numeric if numbers.note]
    for name, numbers in numeric:
        failed = int(numbers.failed.sum())
        if failed:
            notes.append((name, f"{failed} cells are no numbers and count as missing"))
    return notes


def _interpret_matrix(
    parsed: ParsedSource, metric: str, names: Sequence[str], lower_is_better: LowerIsBetter
) -> Table:
    """Interpret a matrix of one metric, which only the file's name tells.

    Systems stand in its rows or its columns, data sets on the other side.
    """
    frame = parsed.source.frame
    label = parsed.keys.label[0] if parsed.keys.label else None
    rows = [f"row {k + 1}" for k in range(len(frame))]
    if label is not None:
        rows = frame[label].astype(str).tolist()
    values = parsed.values().set_axis(rows, axis=0)
    filled = [name for name in names if name in values and values[name].notna().any()]
    cells = values[filled].stack(future_stack=True)
    row_names = cells.index.get_level_values(0)
    column_names = cells.index.get_level_values(1)
    stacked = cells.to_frame(metric).reset_index(drop=True)
    # The mean of each system is over the data sets, which stand on the other side.
    if has_systems_in_columns(frame, parsed.columns, label):
        side = "columns"
        dataset = label or "row"
        keys = Keys((), dataset)
        systems = average_rows(stacked, column_names.rename("system"), row_names.rename(dataset))
    else:
        side = "rows"
        dataset = "columns"
        keys = Keys(parsed.keys.label[:1], dataset)
        systems = average_rows(stacked, row_names.rename("system"), column_names.rename(dataset))
    means = systems.frame.iloc[:, 0].to_numpy()
    column = infer_column(metric, Numbers(means, np.zeros(len(means), dtype=bool)), {})
    note = f"the file's name says that every cell is '{metric}'; {side} are the systems"
    matrix = ParsedSource(parsed.source, {metric: None}, [column], keys)
    return _build_table(
        matrix, systems, keys, [*parsed.source.notes, note], "wide", lower_is_better
    )


def _build_table(
    parsed: ParsedSource,
    systems: Systems,
    keys: Keys,
    notes: Sequence[str],
    layout: Layout,
    lower_is_better: LowerIsBetter,
) -> Table:
    """Infer the columns again on the values of the systems, and give them their roles."""
    frame = systems.frame
    units = parsed.units()
    inferred = _infer_columns(parsed.columns, frame, keys, units)
    table = Table(
        frame,
        (),
        label=keys.label,
        layout=layout,
        dataset=keys.dataset if systems.per_dataset is not None else None,
        per_dataset=systems.per_dataset,
        title=parsed.source.title,
        inferred=tuple(inferred),
    )
    # The roles come last: they depend on all columns and on what the user declares.
    table = assign_roles(table, lower_is_better, units)
    metrics = [column.name for column in table.metrics]
    mixed = [
        f"'{column.name}' holds values up to 1 beside values above 10: "
        "are some shares and some percent?"
        for column in table.columns
        if column.name in frame and mixes_share_and_percent(column, frame[column.name].to_numpy())
    ]
    return replace(
        table,
        missing={name: count for name, count in systems.missing.items() if name in metrics},
        reading_notes=(
            *notes,
            *merge_notes(systems.notes, metrics),
            *table.reading_notes,
            *mixed,
        ),
    )


def _infer_columns(
    columns: Sequence[Column], frame: pd.DataFrame, keys: Keys, units: Mapping[str, str]
) -> list[Column]:
    """Check the columns against the values of the systems, which may be means of rows."""
    # The first rank column of the table tells the direction of bare scores.
    ranks = next(
        (frame[c.name] for c in columns if "rank among" in c.reason and c.name in frame), None
    )
    inferred = []
    for column in columns:
        if column.name in keys.label or column.name == keys.dataset:
            continue
        if column.name not in frame:
            # A further column that could name systems or data sets is text like any other.
            if column.role in ("label", "dataset"):
                column = replace(column, role="text")
            inferred.append(column)
            continue
        values = frame[column.name]
        finite = values.to_numpy()[np.isfinite(values.to_numpy())]
        if len(finite) and column.metric:
            column = check_range(column, finite, units.get(column.name, ""))
        inferred.append(infer_direction_from_rank(column, values, ranks))
    return inferred


def is_labelled(frame: pd.DataFrame) -> bool:
    """Return whether the rows of a frame are systems: named by its index, or with numbers alone."""
    if not isinstance(frame.index, pd.RangeIndex) or not len(frame) or not len(frame.columns):
        return True
    return all(
        is_numeric_dtype(dtype) or parse_numbers(frame.iloc[:, k]) is not None
        for k, dtype in enumerate(frame.dtypes)
    )
