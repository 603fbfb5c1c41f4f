"""Interpret tables of one metric: folds x systems, and data sets x systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.tables.cells import Numbers
from deabench.tables.naming.titles import metric_of_title
from deabench.tables.recognition.columns import Column, infer_column
from deabench.tables.recognition.layout import Keys, find_matrix_columns, has_systems_in_columns
from deabench.tables.recognition.parsed_source import (
    ParsedSource,
    UserRoles,
    assign_and_note,
    open_table,
)
from deabench.tables.rows import Systems, average_rows
from deabench.tables.table import Kind, Table
from deabench.tables.vocabulary import is_known_by_unit
from deabench.utils.text import quote_names

UNNAMED_METRIC = "score"
"""What the cells of a matrix are called where nothing says what they measure."""


@dataclass(frozen=True)
class Matrix:
    """One metric of systems and data sets.

    Attributes
    ----------
    metric : str
        Its name; "score" where nothing tells it.
    columns : list of column names
    rows : str or None
        The column that names the rows.
    systems_in_columns : bool
    """

    metric: str
    columns: list[str]
    rows: str | None
    systems_in_columns: bool


def interpret_folds(parsed: ParsedSource, repetitions: Mapping[str, str], user: UserRoles) -> Table:
    """Interpret a table of folds x classifiers: one metric, which only the file's name may tell."""
    frame = parsed.source.frame
    names = [name for name in map(str, frame.columns) if name not in repetitions.values()]
    metric = metric_of_title(parsed.source.title) or UNNAMED_METRIC
    rows = pd.DataFrame({word: frame[name].tolist() for word, name in repetitions.items()})
    results = []
    for name in names:
        numbers = parsed.numbers[name]
        if numbers is not None:
            result = rows.assign(**{metric: numbers.values})
            result.insert(0, "classifier", name)
            results.append(result)
    single = pd.concat(results, ignore_index=True)
    systems = average_rows(single[[metric]], pd.Index(single["classifier"], name="system"), None)
    note = (
        f"every row is one {next(iter(repetitions))} and every column a system: "
        f"{quote_names(names, 4)}"
    )
    return _interpret_one_metric(parsed, metric, systems, Keys(()), note, single, user, "folds")


def find_matrix(parsed: ParsedSource, *, one_metric: bool) -> Matrix | None:
    """Return where a table is one metric of systems and data sets; None where it is not.

    Systems in rows are a matrix only where somebody says so, for their data sets may be ranked by.
    """
    frame = parsed.source.frame
    columns = find_matrix_columns(parsed.columns, parsed.keys)
    metric = metric_of_title(parsed.source.title)
    if not columns:
        return None
    rows = next((c.name for c in parsed.columns if c.role == "dataset" and c.name in frame), None)
    if parsed.keys.label:
        rows = parsed.keys.label[0]
    in_columns = has_systems_in_columns(frame, parsed.columns, columns, rows)
    if not in_columns and not (one_metric and metric):
        return None
    return Matrix(metric or UNNAMED_METRIC, columns, rows, in_columns)


def columns_as_systems(parsed: ParsedSource, dataset: str) -> Matrix:
    """Return the matrix of a table whose rows are data sets and whose columns are systems.

    The unit that most columns state names the metric; metrics by name are no systems.

    Raises
    ------
    DataError
        Where no columns of one measure are left.
    """
    # The unit of a column is that of its name, else of its cells.
    units = {
        column.name: column.unit or numbers.unit
        for column in parsed.columns
        if (numbers := parsed.numbers[column.name]) is not None
        and column.name != dataset
        and is_known_by_unit(column.name)
    }
    stated = list(units.values())
    unit = max(stated, key=stated.count, default="")
    names = [name for name in units if units[name] == unit]
    if len(names) < 2:
        raise DataError(
            f"'{dataset}' names data sets, and no column of '{parsed.source.title}' names the "
            "systems; name it in label"
        )
    metric = metric_of_title(parsed.source.title) or unit or UNNAMED_METRIC
    return Matrix(metric, names, dataset, True)


def interpret_matrix(parsed: ParsedSource, matrix: Matrix, user: UserRoles) -> Table:
    """Interpret a matrix of one metric: systems stand on one side, data sets on the other."""
    frame = parsed.source.frame
    rows = [f"row {k + 1}" for k in range(len(frame))]
    if matrix.rows is not None:
        rows = frame[matrix.rows].astype(str).tolist()
    values = parsed.values().set_axis(rows, axis=0)
    filled = [name for name in matrix.columns if name in values and values[name].notna().any()]
    cells = values[filled].stack(future_stack=True)
    row_names = cells.index.get_level_values(0)
    column_names = cells.index.get_level_values(1)
    stacked = cells.to_frame(matrix.metric).reset_index(drop=True)
    # The mean of each system is over the data sets, which stand on the other side.
    if matrix.systems_in_columns:
        side = "columns"
        dataset = matrix.rows or "row"
        keys = Keys((), dataset)
        names, dataset_names = column_names, row_names
    else:
        side = "rows"
        dataset = "columns"
        keys = Keys(parsed.keys.label[:1], dataset)
        names, dataset_names = row_names, column_names
    systems = average_rows(stacked, names.rename("system"), dataset_names.rename(dataset))
    single = stacked.assign(classifier=names.astype(str), dataset=dataset_names.astype(str))
    single = single[["classifier", "dataset", matrix.metric]]
    note = f"every cell is a '{matrix.metric}'; {side} are the systems"
    if matrix.metric != UNNAMED_METRIC:
        note = f"the file's name says that every cell is '{matrix.metric}'; {side} are the systems"
    return _interpret_one_metric(
        parsed, matrix.metric, systems, keys, note, single, user, "datasets"
    )


def _interpret_one_metric(
    parsed: ParsedSource,
    metric: str,
    systems: Systems,
    keys: Keys,
    note: str,
    rows: pd.DataFrame,
    user: UserRoles,
    kind: Kind,
) -> Table:
    """Return the table of one metric whose name the columns do not tell."""
    means = systems.frame.iloc[:, 0].to_numpy()
    column = infer_column(metric, Numbers(means, np.zeros(len(means), dtype=bool)), {})
    if metric == UNNAMED_METRIC:
        column = Column(metric, "unknown", reason="nothing says what the cells measure")
    source = replace(parsed.source, notes=(*parsed.source.notes, note))
    single = ParsedSource(source, {metric: None}, [column], keys)
    table = open_table(single, systems, keys, source.notes)
    return replace(assign_and_note(table, single, systems, user), kind=kind, rows=rows)
