"""Read JSON: records or columns, and the results of lm-evaluation-harness and HELM."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from deabench.errors import DataError
from deabench.tables.readers import harness_logs, trackers
from deabench.tables.readers.benchmark_logs import is_jmh_result, read_jmh_results
from deabench.tables.readers.frames import (
    Source,
    read_frame,
    read_mapping,
    read_records,
    simplify_cells,
)
from deabench.tables.readers.grids import find_named, note_choice
from deabench.tables.readers.limits import current_options
from deabench.tables.readers.objects import (
    count_numbers,
    find_nested_table,
    find_tables,
    have_metrics_in_common,
    is_grouped,
)
from deabench.tables.recognition.columns import DeclaredRole

UNNAMED_FILTERS = ("", "none")
"""Filters of lm-evaluation-harness that are no part of a metric's name."""
HARNESS_ROLES: dict[bool, DeclaredRole] = {True: "output", False: "lower_rate"}
"""The role of a metric for which higher is better, and of one for which it is not."""
ARROWS: dict[object, str] = {True: " ↓", False: " ↑"}
"""What states in a column's name whether lower is better."""


def read_json(data: Any, file: str, title: str) -> Source:
    """Read a JSON document of one of the known shapes; `file` is its name in errors."""
    source = _read_document(data, file, title)
    return replace(source, frame=simplify_cells(source.frame))


def _read_document(data: Any, file: str, title: str) -> Source:
    if _is_harness_run(data):
        return _read_harness([data], [title or "model"], title)
    if _is_list_of(_is_harness_run, data):
        runs = list(data)
        return _read_harness(runs, [f"{title} {k + 1}" for k in range(len(runs))], title)
    # Formats that come as one record or as a list of them.
    for is_record, read_records_of in (
        (harness_logs.is_common_evaluation, harness_logs.read_common_evaluations),
        (harness_logs.is_common_sample, harness_logs.read_common_samples),
        (harness_logs.is_inspect_log, harness_logs.read_inspect_logs),
    ):
        if is_record(data):
            return read_records_of([data], title)
        if _is_list_of(is_record, data):
            return read_records_of(list(data), title)
    if _is_list_of(harness_logs.is_harness_sample, data):
        return harness_logs.read_harness_samples(list(data), file, title)
    if _is_list_of(is_jmh_result, data):
        return read_jmh_results(list(data), title)
    if trackers.is_price_list(data):
        return trackers.read_price_list(data, title)
    # HELM writes tables, and statistics of single runs, which are no table.
    if _is_helm_table(data):
        return _read_helm_tables([data], title)
    if _is_list_of(_is_helm_table, data):
        return _read_helm_tables(list(data), title)
    if _is_list_of(_is_helm_statistic, data):
        raise DataError(
            f"'{file}' holds HELM's statistics of one run; "
            "give the table of the leaderboard (groups/*.json)"
        )
    # No producer is known: plain records, or columns.
    if isinstance(data, Mapping):
        return _read_object(data, file, title)
    if isinstance(data, list):
        inner = _read_inner_table(data, file, title) if len(data) == 1 else None
        return inner or replace(read_records(data), title=title)
    raise DataError(
        f"'{file}' holds neither records nor columns; give a list of records, or a dictionary of "
        "columns"
    )


def _is_list_of(predicate: Callable[[object], bool], data: object) -> bool:
    return isinstance(data, list) and bool(data) and all(predicate(item) for item in data)


def _read_object(data: Mapping[str, Any], file: str, title: str) -> Source:
    """Read pandas' orient="split", a table within the object, or columns and systems by name."""
    if {"columns", "data"} <= set(data):
        frame = pd.DataFrame(data["data"], columns=data["columns"])
        if "index" in data:
            frame = frame.assign(index=data["index"])
        return replace(read_frame(frame), title=title)
    is_table = is_grouped(data) or have_metrics_in_common(data)
    inner = None
    if current_options().sheet is not None or not (is_table or find_nested_table(data)):
        inner = _read_inner_table(data, file, title)
    if inner is not None:
        return inner
    lists = [value for value in data.values() if isinstance(value, list)]
    is_record_list = find_nested_table(data) is None and len(lists) == 1
    if is_record_list and _is_list_of(lambda item: isinstance(item, Mapping), lists[0]):
        return replace(read_records(lists[0]), title=title)
    return replace(read_mapping(data), title=title)


def _read_inner_table(document: object, file: str, title: str) -> Source | None:
    """Read the table within a document that `sheet` names, else the one with the most numbers.

    None of a document without any.
    """
    tables = dict(find_tables(document))
    if not tables:
        return None
    names = list(tables)
    sheet = current_options().sheet
    position = max(range(len(names)), key=lambda k: count_numbers(tables[names[k]]))
    if sheet is not None and len(names) > 1:
        position = find_named(names, sheet, file)
    rows = tables[names[position]]
    source = read_records(rows) if isinstance(rows, list) else read_mapping(rows)
    note = f"the table under '{names[position]}' is read"
    if len(names) > 1:
        counts = [len(table) for table in tables.values()]
        note = note_choice(names, counts, position, file, is_named=sheet is not None)
    return replace(source, title=title, notes=(note, *source.notes))


def _is_harness_run(data: object) -> bool:
    """Return whether data is {"results": {task: {metric: value}}, "config": {...}}."""
    if not isinstance(data, Mapping) or not isinstance(data.get("results"), Mapping):
        return False
    tasks = data["results"].values()
    if not tasks or not all(isinstance(task, Mapping) for task in tasks):
        return False
    # A tree of groups has no numbers of its own.
    return any(isinstance(value, int | float) for task in tasks for value in task.values())


def _model_name(run: Mapping[str, Any], default: str) -> str:
    """Return the name of a run's model: stated, or among its arguments, or the default."""
    arguments = (run.get("config") or {}).get("model_args") or {}
    if isinstance(arguments, str):
        pairs = [argument.split("=", 1) for argument in arguments.split(",") if "=" in argument]
        arguments = dict(pairs) or {"model": arguments}
    candidates = [run.get("model_name"), run.get("model_name_sanitized")]
    candidates += [arguments.get(key) for key in ("pretrained", "model", "path")]
    return next((str(name) for name in candidates if name), default)


def _harness_records(run: Mapping[str, Any], default_name: str) -> list[dict[str, Any]]:
    """Return one record per task: model, task and its metrics; "acc,none" is acc, unfiltered."""
    model = _model_name(run, default_name)
    records = []
    for task, metrics in run["results"].items():
        record: dict[str, Any] = {
            "model": model,
            "task": str(metrics.get("alias", task)).strip(" -"),
        }
        for key, value in metrics.items():
            if not isinstance(value, int | float) or isinstance(value, bool):
                continue
            name, _, filter_name = str(key).partition(",")
            if filter_name not in UNNAMED_FILTERS:
                name = f"{name} ({filter_name})"
            record[name] = float(value)
        records.append(record)
    return records


def _read_harness(runs: Sequence[Any], names: Sequence[str], title: str) -> Source:
    """Read the records of all runs, with the directions that they state."""
    records = []
    for run, name in zip(runs, names, strict=True):
        records += _harness_records(run, name)
    frame = pd.DataFrame(records)
    # "acc_stderr (strict)" is the standard error of "acc (strict)".
    errors = {}
    for column in map(str, frame.columns):
        error = re.sub(r"( \(|$)", r"_stderr\1", column, count=1)
        if error in frame:
            errors[column] = (error,)
    roles = _harness_roles(runs)
    declarations: dict[str, tuple[DeclaredRole, str]] = {}
    for column in map(str, frame.columns):
        metric = column.partition(" (")[0]
        if metric in roles:
            declarations[column] = (roles[metric], "declared by the evaluation")
    return Source(frame, title, ("model",), declarations, stacked=True, errors=errors)


def _harness_roles(runs: Sequence[Any]) -> dict[str, DeclaredRole]:
    """Return the role of each metric on whose direction all runs and tasks agree."""
    stated: dict[str, set[DeclaredRole]] = {}
    for run in runs:
        for metrics in (run.get("higher_is_better") or {}).values():
            for metric, higher in (metrics or {}).items():
                if isinstance(higher, bool):
                    stated.setdefault(str(metric), set()).add(HARNESS_ROLES[higher])
    return {metric: roles.pop() for metric, roles in stated.items() if len(roles) == 1}


def _is_helm_table(data: object) -> bool:
    """Return whether data is {"title", "header": [{"value"}], "rows": [[{"value"}]]}."""
    return (
        isinstance(data, Mapping)
        and isinstance(data.get("header"), list)
        and isinstance(data.get("rows"), list)
    )


def _read_helm_tables(tables: Sequence[Any], title: str) -> Source:
    """Read tables of HELM's leaderboard, joined on their first column, the model."""
    frames = [_read_helm_table(table) for table in tables]
    merged = frames[0]
    label = str(merged.columns[0])
    for frame in frames[1:]:
        merged = merged.merge(frame, how="outer", on=label, suffixes=("", " (again)"))
    return Source(merged, title, (label,))


def _read_helm_table(data: Mapping[str, Any]) -> pd.DataFrame:
    """Return the cells of a table, with an arrow in the name of a column of stated direction."""
    names = []
    for cell in data["header"]:
        name = str(_helm_value(cell, ""))
        if isinstance(cell, Mapping) and not any(arrow in name for arrow in "↑↓"):
            name += ARROWS.get(cell.get("lower_is_better"), "")
        names.append(name)
    rows = [[_helm_value(cell) for cell in row] for row in data["rows"]]
    return pd.DataFrame(rows, columns=pd.Index(names))


def _helm_value(cell: Any, default: object = None) -> Any:
    if isinstance(cell, Mapping):
        return cell.get("value", default)
    return cell


def _is_helm_statistic(data: object) -> bool:
    return (
        isinstance(data, Mapping)
        and isinstance(data.get("name"), Mapping)
        and "sum" in data
        and "count" in data
    )
