"""Interpret the columns of a source: each is parsed once and gets its role."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.tables.cells import Numbers, is_numeric_dtype, parse_numbers
from deabench.tables.matrices.metric_rows import turn_rows
from deabench.tables.matrices.one_metric import (
    ask_about_matrix,
    columns_as_systems,
    find_matrix,
    interpret_folds,
    interpret_matrix,
)
from deabench.tables.naming.data_sets import find_data_set
from deabench.tables.naming.error_columns import find_error_columns, measure_error_bars
from deabench.tables.naming.totals import describe_totals, find_totals
from deabench.tables.naming.vocabulary import has_name
from deabench.tables.readers.frames import (
    Source,
    check_unique_names,
    declared_roles,
    name_levels,
    read_simple_frame,
    simplify_cells,
)
from deabench.tables.recognition.assignment import assign_roles
from deabench.tables.recognition.columns import (
    USER_SAYS,
    Declaration,
    Declarations,
    DeclaredRole,
    infer_column,
)
from deabench.tables.recognition.kinds import (
    may_hold_instances,
    recognise_folds,
    recognise_instances,
    refuse_missing_header,
    refuse_predicted_numbers,
    refuse_rows_of_one_system,
    repetition_word,
    table_of_instances,
)
from deabench.tables.recognition.layout import find_metric_and_value, is_long
from deabench.tables.recognition.metrics_in_rows import may_name_metrics, transpose_metrics
from deabench.tables.recognition.parsed_source import (
    ParsedSource,
    UserRoles,
    assign_and_note,
    cell_notes,
    check_declared,
    failed_cells,
    open_table,
    parse_source,
)
from deabench.tables.recognition.row_evidence import ask_for_evidence
from deabench.tables.recognition.row_questions import ask_about_rows, merge_questions
from deabench.tables.rows import (
    Systems,
    average_rows,
    count_empty,
    join_labels,
    name_rows,
    pivot_metrics,
)
from deabench.tables.table import Kind, LowerIsBetter, Table

MAX_SUMMED_ROWS = 20_000
"""Longer frames are not searched for rows of statistics, which people add to what they look at."""
MADE_LABEL = ("system",)
"""What readers call keys and columns that may be systems."""


def interpret_source(
    source: Source,
    label: str | Sequence[str] | None = None,
    roles: Mapping[str, DeclaredRole] | None = None,
    lower_is_better: LowerIsBetter = (),
    ignore: Sequence[str] = (),
    *,
    one_metric: bool = False,
) -> Table:
    """Interpret a frame of raw cells: what it holds, what names its rows, what columns measure.

    Parameters
    ----------
    one_metric : bool
        Whether the source is one of several, each of one metric and called by it.

    Raises
    ------
    DataError
        Where it is empty, or a column that is named is not there.
    """
    frame = source.frame
    check_not_empty(frame)
    roles = roles or {}
    # A reader's own name for columns or keys as systems says that they are.
    declared = (label,) if isinstance(label, str) else tuple(label or ())
    is_confirmed = declared == MADE_LABEL and MADE_LABEL[0] not in frame.columns
    if is_confirmed:
        label = None
    labels = check_declared(frame, label, roles) or source.label
    kind: Kind = "metrics"
    # What is declared by hand settles the kind, too; else names, values and structure tell it.
    is_undeclared = label is None and not roles and not source.declarations
    if is_undeclared:
        refuse_missing_header(source)
        refuse_predicted_numbers(source)
    # Who names the systems or the data sets of predictions does not make metrics of them.
    if is_undeclared or set(roles.values()) <= {"label", "dataset"}:
        instances = recognise_instances(frame)
        if instances is not None:
            dataset = next((name for name, role in roles.items() if role == "dataset"), None)
            keys = {"classifier": next(iter(labels), None), "dataset": dataset}
            return table_of_instances(source, instances.with_declared(keys, ignore))
    systems_in_rows = turn_rows(source) if is_undeclared else None
    if systems_in_rows is not None:
        source, kind = systems_in_rows
        return replace(interpret_source(source, source.label), kind=kind)
    if is_undeclared:
        transposed = transpose_metrics(source)
        if transposed is not None:
            # Several columns beside one that is called "metric" are those of systems.
            is_confirmed |= len(transposed.frame) > 1 and any(
                has_name(name, "metric") for name in frame.columns
            )
            source = transposed
            kind = "metrics-in-rows"
            frame = source.frame
            labels = source.label
    # As a label or a setting "0.50" is not "0.5": such cells are read as they stand.
    if any(is_numeric_dtype(frame[name].dtype) for name in (*labels, *roles)):
        source = source.as_text()
        frame = source.frame
    declarations = _declare_data_set([str(name) for name in frame.columns])
    declarations |= source.declarations
    declarations |= {
        name: (role, USER_SAYS, "user") for name, role in roles.items() if role != "label"
    }
    dataset = next((name for name, role in roles.items() if role == "dataset"), None)
    parsed = _leave_out_totals(parse_source(source, declarations, labels, dataset), declarations)
    user = UserRoles(lower_is_better, tuple(ignore))
    if not roles:
        # Rows of (metric, value) are the one layout that declared roles contradict.
        pair = find_metric_and_value(parsed.columns)
        if pair is not None:
            return _interpret_columns(_pivot_source(parsed, *pair), user, "long")
        repetitions = None if labels else recognise_folds(frame)
        if repetitions is not None:
            return interpret_folds(parsed, repetitions, user)
        # Data sets x systems are one metric, which only the file's name may tell.
        matrix = find_matrix(parsed, one_metric=one_metric)
        if matrix is not None:
            return interpret_matrix(parsed, matrix, user)
        if label is None:
            refuse_rows_of_one_system(source, parsed.keys.label)
    # Where every row is a data set of its own, the columns are systems.
    elif dataset is not None and _are_data_sets(parsed, roles, labels):
        return interpret_matrix(parsed, columns_as_systems(parsed, dataset), user)
    table = _interpret_columns(parsed, user, kind)
    # Who names a column of any role has seen the rows, and so has a producer.
    if is_undeclared and source.label in ((), MADE_LABEL) and not is_confirmed:
        return _ask_about_rows(table, parsed)
    return table


def _declare_data_set(names: Sequence[str]) -> dict[str, Declaration]:
    """Return the roles of the columns of a published data set; none of any other table."""
    data_set = find_data_set(names)
    if data_set is None:
        return {}
    reason = f"as in the data set '{data_set.name}' ({data_set.source})"
    return {name: (role, reason) for name, role in data_set.roles.items()}


def _are_data_sets(
    parsed: ParsedSource, roles: Mapping[str, DeclaredRole], labels: Sequence[str]
) -> bool:
    """Return whether every row is one declared data set, and no column names a system."""
    dataset = next(iter(roles))
    is_alone = len(roles) == 1 and not labels
    no_systems = all(column.role != "label" for column in parsed.columns)
    return is_alone and no_systems and bool(parsed.source.frame[dataset].is_unique)


def _leave_out_totals(parsed: ParsedSource, declarations: Declarations) -> ParsedSource:
    """Leave out rows that sum up the others, with a note."""
    keys = parsed.keys
    if len(keys.label) != 1:
        return parsed
    source = parsed.source
    names = source.frame[keys.label[0]]
    totals = find_totals(names, parsed.values())
    if not totals.any():
        return parsed
    note = describe_totals(names[totals], keys.label[0])
    text = source.as_text().frame[~totals].reset_index(drop=True)
    without_totals = replace(
        source,
        frame=source.frame[~totals].reset_index(drop=True),
        notes=(*source.notes, note),
        read_text=lambda: text,
    )
    return parse_source(without_totals, declarations, keys.label, keys.dataset)


def _ask_about_rows(table: Table, parsed: ParsedSource) -> Table:
    """Return a table with a question about its rows, if they may be no systems."""
    frame = parsed.source.frame
    metrics = [column.name for column in table.metrics]
    if parsed.source.label:
        question = ask_for_evidence(frame[MADE_LABEL[0]], MADE_LABEL, table.title, is_named=False)
    else:
        question = ask_about_rows(frame, parsed.columns, parsed.keys, metrics, table.title)
    if question is None:
        return table
    matrix_question = ask_about_matrix(parsed, table, question)
    if matrix_question is not None:
        return replace(table, question=matrix_question)
    metric_question = table.question
    label = question.answers.get("label", {}).get("label", ())
    # What names the rows is no metric.
    if metric_question is not None and {*label} & {*metric_question.columns}:
        metric_question = interpret_source(parsed.source, label).question
    return replace(table, question=merge_questions(question, metric_question))


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
    ignore: Sequence[str] = (),
    *,
    may_be_turned: bool = True,
) -> Table:
    """Interpret a DataFrame whose rows are systems already, named by its index.

    It was made to be ranked: its cells must be numbers, every column counts where no name is
    known, and labels stay as they are. Names of metrics may turn it if it `may_be_turned`.
    """
    names = [str(name) for name in frame.columns]
    check_unique_names(names)
    declarations = declared_roles(frame)
    frame = simplify_cells(frame)
    # Names in the index may be those of metrics.
    levels = name_levels(frame.index, names)
    is_undeclared = not roles and not declarations
    may_be_turned = may_be_turned and is_undeclared and len(levels) == 1
    may_be_turned = may_be_turned and may_name_metrics(frame, levels[0])
    if may_be_turned or (is_undeclared and may_hold_instances([*names, *levels])):
        source = read_simple_frame(frame)
        instances = recognise_instances(source.frame)
        if instances is not None:
            return table_of_instances(source, instances)
        transposed = transpose_metrics(source) if may_be_turned else None
        if transposed is not None:
            table = interpret_source(transposed, transposed.label, None, lower_is_better, ignore)
            return replace(table, kind="metrics-in-rows")
    declarations |= {name: (role, USER_SAYS, "user") for name, role in (roles or {}).items()}
    numbers = {str(name): parse_numbers(column) for name, column in frame.items()}
    inferred = [infer_column(name, numbers[name], declarations, names) for name in names]
    texts = [k for k, name in enumerate(names) if numbers[name] is None]
    parsed = {name: column for name, column in numbers.items() if column is not None}
    values = pd.DataFrame(
        np.array([column.values for column in parsed.values()]).reshape(-1, len(frame)).T,
        frame.index,
        frame.columns.take([k for k, name in enumerate(names) if numbers[name] is not None]),
        copy=False,
    )
    # A mean or a standard deviation of the other rows is no system, whoever made the frame.
    is_named = not (is_numeric_dtype(frame.index.dtype) or frame.index.nlevels > 1)
    if is_named and len(frame) <= MAX_SUMMED_ROWS:
        # As objects: pandas' own texts cannot hold half a sign.
        row_names = pd.Series(frame.index.to_numpy(dtype=object), dtype=object)
        totals = find_totals(row_names, values)
        if totals.any():
            systems = frame[~totals]
            table = interpret_frame(systems, roles, lower_is_better, ignore)
            note = describe_totals(row_names[totals], str(frame.index.name or "index"))
            return replace(table, reading_notes=(*table.reading_notes, note))
    failures = {}
    for name, column in parsed.items():
        if column.failed.any():
            cells = frame.iloc[:, names.index(name)][column.failed]
            failures[name] = {row: cell for row, cell in cells.items() if isinstance(cell, str)}
    label: tuple[str, ...] = ()
    if not isinstance(frame.index, pd.RangeIndex):
        label = tuple(str(name or "index") for name in frame.index.names)
    table = Table(
        values,
        (),
        label=label,
        texts=frame.take(texts, axis=1),
        inferred=tuple(inferred),
        labelled=True,
        failures=failures,
    )
    units = {name: column.unit for name, column in parsed.items()}
    table = assign_roles(_with_error_bars(table, {}, parsed), lower_is_better, units, ignore)
    metrics = {column.name for column in table.metrics}
    empty = count_empty(values)
    return replace(table, missing={name: empty[name] for name in empty if name in metrics})


def _with_error_bars(
    table: Table,
    declared: Mapping[str, Sequence[str]],
    numbers: Mapping[str, Numbers | None],
    stays: np.ndarray | None = None,
) -> Table:
    """Give error columns to their metrics, and keep the errors that cells state.

    Parameters
    ----------
    declared : mapping of metric to its error columns
    numbers : mapping of column to Numbers
    stays : bool array (rows,), optional
        The rows of the source that are systems of the table.
    """
    numeric = [column.name for column in table.inferred if column.name in table.frame]
    error_columns = find_error_columns(numeric, declared)
    bars = measure_error_bars(error_columns, table.frame)
    for name, cells in numbers.items():
        if cells is None or name not in table.frame or name in bars:
            continue
        stated = {"low": cells.lows, "high": cells.highs}
        if cells.lows is None or cells.highs is None:
            stated = {"standard_error": cells.spreads}
        if all(array is not None for array in stated.values()):
            bar = pd.DataFrame(stated)
            stated_bar = bar if stays is None else bar[stays]
            bars[name] = stated_bar.set_axis(table.frame.index, axis=0)
    owner = {error.name: error.metric for error in error_columns}
    inferred = [
        column.with_role("left_out", f"it says how exact '{owner[column.name]}' is", "spread")
        if column.name in owner
        else column
        for column in table.inferred
    ]
    errors: dict[str, tuple[str, ...]] = {}
    for error in error_columns:
        errors[error.metric] = (*errors.get(error.metric, ()), error.name)
    return replace(table, inferred=tuple(inferred), errors=errors, error_bars=bars)


def _pivot_source(parsed: ParsedSource, metric: str, value: str) -> ParsedSource:
    """Give every metric a column of its own, from rows of (system, data set, metric, value).

    Data sets are systems only where somebody says so.
    """
    source = parsed.source.as_text()
    label = tuple(name for name in parsed.keys.label if name != metric)
    dataset = parsed.keys.dataset if parsed.keys.dataset != metric else None
    keys = [*label, *([dataset] if dataset is not None else []), *parsed.keys.repeats]
    keys = list(dict.fromkeys(keys))
    if not label:
        raise DataError(
            f"'{metric}' and '{value}' hold metrics by name, but no column names the systems; "
            "give label"
        )
    # The values are parsed after the pivot, for each metric has its own unit.
    wide = pivot_metrics(source.frame, metric, value, keys)
    note = f"'{metric}' names the metrics and '{value}' holds their values"
    source = replace(source, frame=wide, notes=(*source.notes, note))
    return parse_source(source, source.declarations, label, parsed.keys.dataset, keys)


def _interpret_columns(parsed: ParsedSource, user: UserRoles, kind: Kind) -> Table:
    """Interpret the usual table, with metrics in columns."""
    frame = parsed.source.frame
    keys = parsed.keys
    values = parsed.values()
    if is_long(frame, keys):
        return _interpret_repeated(parsed, values, user)
    # Every row is a system of its own and needs a unique name.
    rows = name_rows(frame, keys, parsed.columns, lambda: parsed.source.as_text().frame)
    keys = replace(keys, label=rows.label)
    wide = values[rows.stays].set_axis(rows.index, axis=0)
    systems = Systems(wide, None, count_empty(wide), tuple(cell_notes(parsed)))
    table = open_table(parsed, systems, keys, (*parsed.source.notes, *rows.notes))
    table = _with_error_bars(table, parsed.source.errors, parsed.numbers, rows.stays)
    text_names = [
        name for name, n in parsed.numbers.items() if n is None and name not in rows.label
    ]
    texts = frame.loc[rows.stays, text_names].set_axis(rows.index, axis=0)
    table = replace(table, failures=failed_cells(parsed, rows), texts=texts)
    table = assign_and_note(table, parsed, systems, user)
    if kind == "long":
        return replace(table, kind=kind, rows=_result_rows(parsed, values))
    return replace(table, kind=kind)


def _interpret_repeated(parsed: ParsedSource, values: pd.DataFrame, user: UserRoles) -> Table:
    """Interpret a table in which systems repeat over data sets or folds: rows are averaged."""
    frame = parsed.source.frame
    keys = parsed.keys
    names = pd.Index(join_labels(frame, keys.label), name=keys.label[0])
    datasets = None
    if keys.dataset is not None:
        datasets = pd.Index(frame[keys.dataset].astype(str), name=keys.dataset)
    words = list(dict.fromkeys(repetition_word(name) for name in keys.repeats))
    systems = average_rows(values, names, datasets, words or ("fold", "seed"))
    systems = replace(systems, notes=(*cell_notes(parsed), *systems.notes))
    table = open_table(parsed, systems, keys, parsed.source.notes)
    table = _with_error_bars(table, parsed.source.errors, {})
    table = assign_and_note(replace(table, error_bars={}, layout="long"), parsed, systems, user)
    kind: Kind = "folds"
    if keys.dataset is not None or {"seed", "instance"} & {*words}:
        kind = "long"
    return replace(table, kind=kind, rows=_result_rows(parsed, values))


def _result_rows(parsed: ParsedSource, values: pd.DataFrame) -> pd.DataFrame:
    """Return one result per row: classifier, data set and repetition, then the numbers."""
    frame = parsed.source.frame
    keys = parsed.keys
    columns: dict[str, object] = {"classifier": list(join_labels(frame, keys.label))}
    if keys.dataset is not None:
        columns["dataset"] = frame[keys.dataset].astype(str).tolist()
    for name in keys.repeats:
        columns.setdefault(repetition_word(name), frame[name].tolist())
    names = [name for name in values if name not in (*keys.repeats, keys.dataset)]
    rows = pd.DataFrame(columns)
    return pd.concat([rows, values[names].reset_index(drop=True)], axis=1)


def is_labelled(frame: pd.DataFrame) -> bool:
    """Return whether the rows of a frame are systems: named by its index, or with numbers alone."""
    if not isinstance(frame.index, pd.RangeIndex) or not len(frame) or not len(frame.columns):
        return True
    return all(
        is_numeric_dtype(column.dtype) or parse_numbers(column) is not None
        for _, column in frame.items()
    )
