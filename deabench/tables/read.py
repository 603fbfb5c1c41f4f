"""Read a table from any source."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
from pandas.api.types import is_integer_dtype, is_numeric_dtype

from deabench.errors import DataError
from deabench.tables.answers import ANSWER_KINDS
from deabench.tables.cells import blank_codes
from deabench.tables.interpretation import (
    check_not_empty,
    interpret_frame,
    interpret_source,
    is_labelled,
)
from deabench.tables.readers import frames, learners
from deabench.tables.readers.evaluations import read_json
from deabench.tables.readers.files import read_file
from deabench.tables.readers.frames import Source
from deabench.tables.readers.limits import Limits, reading_options
from deabench.tables.readers.trackers import adapt_tool_table
from deabench.tables.recognition.assignment import (
    Role,
    assign_roles,
    declare_special_roles,
    to_plain_roles,
)
from deabench.tables.recognition.columns import Declaration, DeclaredRole
from deabench.tables.table import LowerIsBetter, Table, TableLike
from deabench.utils.text import name_type


def read(
    source: TableLike,
    *,
    label: str | Sequence[str] | None = None,
    roles: Mapping[str, Role] | None = None,
    lower_is_better: LowerIsBetter = (),
    ignore: Sequence[str] = (),
    sheet: str | int | None = None,
    limits: Limits | Mapping[str, int] | None = None,
    missing_code: float | Sequence[float] | None = None,
) -> Table:
    """Read a table of any kind and find what each of its columns measures.

    Parameters
    ----------
    source : TableLike
        A file's name, a DataFrame of any library, a mapping or a list of records, a fitted search
        or its `cv_results_`, an Optuna study. A file may be CSV with any usual separator and
        decimal sign, .gz, .xlsx, Parquet, JSON or YAML (records, columns, systems by name, and the
        results of evaluation harnesses), or a document with a table in Markdown, HTML, LaTeX or
        reStructuredText;
        `"-"` is standard input. A list of files, or a mapping of
        names to tables, is one table for each metric with the systems in common. A Table that needs
        no change passes through.
    label : str or sequence of str, optional
        The column, or columns, that name the systems.
    roles : mapping of column to role, optional
        Roles that the names do not tell: "output", "lower_rate", "cost", "label", "dataset",
        "left_out", "undesirable" (an output of which less is better, as CO2: it enters as an
        input) or "non_discretionary" (given, not to be changed).
    lower_is_better : mapping or sequence of column names
        Metrics for which lower is better, whatever their names say. `{"error": 1.0}` complements
        the metric to its known maximum, an output; `{"logloss": "input"}` makes it an input. Of a
        bare sequence, rates whose greatest value is known are complemented and all others are
        inputs. These columns take part in every ranking of the table.
    ignore : sequence of column names
        Columns that are no metrics. Here as in `lower_is_better`, and in `outputs` and `inputs` of
        the functions that take a table, a name may be a pattern (`mmlu_*`), a range of columns
        (`coding:arc_agi`), or `rest`: all columns that nothing else names.
    sheet : str or int, optional
        The sheet of a workbook, or the table of a document by its heading or caption; or its number
        from 1. By default the first sheet with results, and the table with the most numbers.
    limits : mapping of str to int, optional
        How large a file and its table may be: "bytes" (after decompression), "rows", "columns",
        "cells" and "depth" (of JSON and YAML); `{"columns": 5000}` raises one of them.
    missing_code : number or sequence of numbers, optional
        What stands for an empty cell, as -1 for "not measured".

    Returns
    -------
    Table

    Raises
    ------
    DataError
        Where the source is no table, or a column that is named is not there.

    Examples
    --------
    >>> import deabench as db
    >>> columns = {"model": ["A", "B"], "accuracy": [0.9, 0.8], "latency_ms": [20, 5]}
    >>> table = db.read(columns | {"seed": [1, 1]})
    >>> table.outputs, table.costs, list(table.left_out)
    (['accuracy'], ['latency_ms'], ['seed'])
    >>> db.read(columns, lower_is_better=["accuracy"]).complemented
    {'accuracy': 1.0}
    """
    plain_roles = to_plain_roles(roles)
    if isinstance(source, Table):
        if missing_code is not None:
            raise DataError("the table is read already; give missing_code where its source is read")
        return declare_special_roles(
            _read_again(source, label, plain_roles, lower_is_better, ignore), roles
        )
    notes: list[str] = []
    if missing_code is not None and isinstance(source, pd.DataFrame):
        source, *notes = blank_codes(source, missing_code)
    keys_declared = label is not None or bool({"label", "dataset"} & {*plain_roles.values()})
    if isinstance(source, pd.DataFrame) and not keys_declared and _has_plain_labels(source):
        table = interpret_frame(source, plain_roles, lower_is_better, ignore)
    else:
        with reading_options(sheet, limits):
            opened = open_source(source)
        if missing_code is not None and not notes:
            frame, *notes = blank_codes(opened.frame, missing_code)
            opened = replace(opened, frame=frame, read_text=None)
        table = interpret_source(opened, label, plain_roles, lower_is_better, ignore)
    if notes:
        table = replace(table, reading_notes=(*table.reading_notes, *notes))
    return declare_special_roles(table, roles)


def _read_again(
    table: Table,
    label: str | Sequence[str] | None,
    roles: Mapping[str, DeclaredRole],
    lower_is_better: LowerIsBetter,
    ignore: Sequence[str],
) -> Table:
    """Return a Table with other labels, roles or directions; itself where there are none."""
    if label is not None or roles:
        return interpret_source(_reopen(table), label, roles, lower_is_better, ignore)
    # Nothing to change; an empty text is still refused below.
    if not isinstance(lower_is_better, str) and not len(lower_is_better) and not ignore:
        return table
    units = {column.name: column.unit for column in table.inferred if column.unit == "percent"}
    return assign_roles(table, lower_is_better, units, ignore)


def as_table(source: TableLike, metrics: Sequence[str] = ()) -> Table:
    """Return an argument of a function as a Table; a Table passes through unchanged.

    The rows of a DataFrame with an index, or with numbers alone, are systems: its labels must be
    unique and its cells numbers. Where its columns are the named metrics, no name in the index
    makes systems of them.
    """
    if not isinstance(source, pd.DataFrame):
        return read(source)
    frame = _simplify_labels(source)
    if _has_repeated_numbers(frame):
        frame = frame.reset_index(drop=True)
    check_shape(frame)
    if is_labelled(frame):
        are_columns = bool(metrics) and {*map(str, metrics)} <= {*map(str, frame.columns)}
        return interpret_frame(frame, may_be_turned=not are_columns)
    return read(frame)


def _has_repeated_numbers(frame: pd.DataFrame) -> bool:
    """Return whether the index is the row numbers of frames put together, beside texts."""
    index = frame.index
    is_numbered = index.name is None and is_integer_dtype(index.dtype) and not index.is_unique
    return is_numbered and not all(is_numeric_dtype(dtype) for dtype in frame.dtypes)


def check_shape(frame: pd.DataFrame) -> None:
    """Refuse a frame without rows or columns, or in which a name or a label occurs twice."""
    check_not_empty(frame)
    labels = frame.index
    if labels.nlevels == 1 and labels.dtype == object:
        # The number 1 and the text "1" are one name wherever they are printed.
        # As objects: pandas' own texts cannot hold half a sign.
        labels = pd.Index([str(label) for label in labels], dtype=object)
    if not labels.is_unique:
        label = labels[labels.duplicated()][0]
        if isinstance(label, tuple):
            label = ", ".join(map(str, label))
        raise DataError(
            f"the label '{label}' stands on more than one row; "
            "give every classifier a name of its own"
        )
    frames.check_unique_names(list(frame.columns))


def open_source(source: Any) -> Source:
    """Read the cells of a source with the reader for it.

    Raises
    ------
    DataError
        Where no reader takes it.
    """
    return _adapt(_open_source(source))


def _adapt(source: Source) -> Source:
    """Return a source with a column for each number, and without what tools write beside it."""
    return adapt_tool_table(frames.split_columns(source))


def _open_source(source: Any) -> Source:
    # Names of files and patterns, which may stand for many.
    if isinstance(source, str | os.PathLike):
        paths = _expand_pattern(os.fspath(source))
        return read_file(paths[0]) if len(paths) == 1 else _open_files(paths)
    if isinstance(source, pd.DataFrame):
        if learners.is_cv_results(dict.fromkeys(source.columns)):
            return learners.read_cv_results(source.to_dict(orient="list"))
        return frames.read_frame(source)
    if isinstance(source, np.ndarray):
        raise DataError("the table is an ndarray; give a pandas DataFrame, classifiers in rows")
    if learners.is_search(source):
        return learners.read_cv_results(source.cv_results_)
    if learners.is_study(source):
        return learners.read_study(source)
    if isinstance(source, Mapping):
        return _open_mapping(source)
    # A list holds names of files, results of runs or plain records.
    if isinstance(source, Sequence) and not isinstance(source, bytes):
        if source and all(isinstance(item, str | os.PathLike) for item in source):
            return _open_files([path for item in source for path in _expand_pattern(item)])
        if source and all(_is_nested(item) for item in source):
            return read_json(list(source), "the list", "")
        return frames.read_records(source)
    # Frames of polars, pyarrow and others.
    opened = frames.read_other_library(source)
    if opened is None:
        raise DataError(
            f"the table is {name_type(source)}; give a file's name, a DataFrame, "
            "a dictionary, a list of records, a fitted search or an Optuna study"
        )
    return opened


def _expand_pattern(path: str | os.PathLike[str]) -> list[str]:
    """Return the files that a pattern matches, as `runs/*.json`; any other path is itself."""
    text = os.fspath(path)
    if text == "-" or os.path.exists(text) or not glob.has_magic(text):
        return [text]
    return sorted(match for match in glob.glob(text, recursive=True) if os.path.isfile(match)) or [
        text
    ]


def _open_files(paths: Sequence[str]) -> Source:
    """Read several files as one source; files of one name are told apart by their folders."""
    titles = [Path(path).name.split(".")[0] for path in paths]
    sources: dict[str, Source] = {}
    for path, title in zip(paths, titles, strict=True):
        name = title if titles.count(title) == 1 else f"{Path(path).parent.name}/{title}"
        if name in sources:
            name = str(path)
        sources[name] = _adapt(read_file(path))
    return join_sources(sources)


def join_sources(sources: Mapping[str, Source]) -> Source:
    """Join several tables, one for each metric, on the systems that all have.

    Results of runs that belong below each other are concatenated.

    Raises
    ------
    DataError
        Where they have no system in common, or nothing tells what the cells of one measure.
    """
    if all(source.stacked for source in sources.values()):
        return _concatenate_runs(list(sources.values()))
    tables = {
        name: interpret_source(replace(source, title=name), one_metric=True)
        for name, source in sources.items()
    }
    if all(table.kind in ANSWER_KINDS for table in tables.values()):
        return _concatenate_answers(tables)
    frames: list[pd.DataFrame] = []
    declarations: dict[str, Declaration] = {}
    notes: list[str] = []
    for name, table in tables.items():
        columns = [column for column in table.metrics if column.role != "guess"]
        if not columns:
            raise DataError(
                f"nothing tells what the cells of '{name}' measure; "
                "call the file by its metric, as accuracy.csv"
            )
        # Two files may hold the same metric; the name of the file tells its columns apart.
        used = {column for frame in frames for column in frame.columns}
        renamed = {c.name: f"{c.name} ({name})" if c.name in used else c.name for c in columns}
        frames.append(table.frame[list(renamed)].rename(columns=renamed))
        for column in columns:
            role = cast(DeclaredRole, column.role)
            declarations[renamed[column.name]] = (role, column.reason, column.kind)
        notes += [f"{name}: {note}" for note in table.notes]
    # Systems are compared only if every table has them, in the order of the first table.
    common = frames[0].index
    for frame in frames[1:]:
        common = common[common.isin(frame.index)]
    if not len(common):
        raise DataError(
            f"the tables {', '.join(sources)} have no system in common; "
            "name the systems alike in all of them"
        )
    systems = {str(system) for frame in frames for system in frame.index}
    dropped = sorted(systems - {str(system) for system in common})
    if dropped:
        notes.append(f"not in every table and left out: {', '.join(dropped)}")
    label = str(common.name or "system")
    joined = pd.concat([frame.loc[common] for frame in frames], axis=1)
    return Source(
        joined.rename_axis(label).reset_index(),
        " and ".join(sources),
        (label,),
        declarations,
        notes=tuple(notes),
    )


def _concatenate_answers(tables: Mapping[str, Table]) -> Source:
    """Put predictions of several files below each other; a file may be a classifier or a data set.

    Files of the same classifiers hold data sets of their own.
    """
    results = {name: table.rows for name, table in tables.items() if table.rows is not None}
    names = [name for result in results.values() for name in result["classifier"].unique()]
    notes: tuple[str, ...] = ()
    if len(set(names)) < len(names) and not any("dataset" in result for result in results.values()):
        results = {name: result.assign(dataset=name) for name, result in results.items()}
        notes = ("the files hold the same classifiers: each file is a data set",)
    return Source(pd.concat(results.values(), ignore_index=True), "", notes=notes)


def _concatenate_runs(runs: Sequence[Source]) -> Source:
    declarations: dict[str, Declaration] = {}
    errors: dict[str, tuple[str, ...]] = {}
    for run in runs:
        declarations |= run.declarations
        errors |= run.errors
    return Source(
        pd.concat([run.frame for run in runs], ignore_index=True),
        "",
        ("model",),
        declarations,
        notes=tuple(note for run in runs for note in run.notes),
        stacked=True,
        errors=errors,
        kind=runs[0].kind,
    )


def _open_mapping(source: Mapping[Any, Any]) -> Source:
    if learners.is_cv_results(source):
        return learners.read_cv_results(source)
    if learners.is_cross_validate(source):
        return learners.read_cross_validate(source)
    # Values that are tables themselves make one table for each metric.
    kinds = str | os.PathLike | pd.DataFrame
    if source and all(isinstance(item, kinds) for item in source.values()):
        return join_sources({str(name): open_source(item) for name, item in source.items()})
    if _is_nested(source):
        return read_json(source, "the mapping", "")
    return frames.read_mapping(source)


def _is_nested(source: object) -> bool:
    """Return whether an object is what a file of results holds, as json.load returns it."""
    if not isinstance(source, Mapping):
        return False
    inner = [item for item in source.values() if isinstance(item, Mapping)]
    return any(isinstance(value, Mapping) for item in inner for value in item.values())


def _has_plain_labels(frame: pd.DataFrame) -> bool:
    """Return whether a frame's index, or its lack of text, makes its rows systems.

    An index of several levels may hold data sets, and a frame of one stated metric is a matrix.
    """
    if not len(frame) or frame.index.nlevels > 1 or frame.attrs.get("metric"):
        return False
    if learners.is_cv_results(dict.fromkeys(frame.columns)):
        return False
    return frame.index.is_unique and is_labelled(frame)


def _simplify_labels(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose labels are text where they are parameters, tuples, truths or intervals.

    pandas takes a tuple as the labels of several axes, truths as a mask of rows, and a number as
    the interval around it.
    """
    index = frame.index
    is_interval = isinstance(index, pd.IntervalIndex)
    if index.nlevels > 1 or not (is_interval or index.dtype == bool or index.dtype == object):
        return frame
    unsuitable = (dict, list, set, tuple, bool, np.bool_)
    if is_interval or any(isinstance(label, unsuitable) for label in index):
        return frame.set_axis(pd.Index([str(label) for label in index], name=index.name))
    return frame


def _reopen(table: Table) -> Source:
    """Return the source of a table that is interpreted again; its metrics stay declared."""
    declarations: dict[str, Declaration] = {
        column.name: (cast(DeclaredRole, column.role), column.reason, column.kind)
        for column in table.metrics
        if column.role != "guess"
    }
    return replace(frames.read_frame(table.frame), declarations=declarations, title=table.title)
