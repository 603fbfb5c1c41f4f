"""JSON: records or columns, and the results of lm-evaluation-harness and HELM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from deabench.errors import DataError
from deabench.tables.readers.frames import of_mapping, of_records
from deabench.tables.readers.source import Declared, Source


def of_json(data: object, name: str, title: str) -> Source:
    """A JSON document of one of the known shapes."""
    if isinstance(data, list) and data and all(_is_harness(one) for one in data):
        return _stacked(data, [f"{title} {k}" for k in range(1, len(data) + 1)], title)
    if _is_harness(data):
        return _stacked([data], [title or "model"], title)
    if _is_helm_table(data):
        return _of_helm_table(data, title)  # type: ignore[arg-type]
    if isinstance(data, list) and data and all(_is_helm_table(one) for one in data):
        tables = [_of_helm_table(one, title).frame for one in data]
        merged = tables[0]
        for table in tables[1:]:
            merged = merged.merge(
                table, how="outer", on=merged.columns[0], suffixes=("", " (again)")
            )
        return Source(merged, title, (str(merged.columns[0]),))
    if isinstance(data, list) and data and all(_is_helm_stat(one) for one in data):
        raise DataError(
            f"'{name}' holds HELM's statistics of one run; give the table of the leaderboard (groups/*.json)"
        )
    if isinstance(data, Mapping):
        if {"columns", "data"} <= set(data):  # pandas' orient="split"
            frame = pd.DataFrame(data["data"], columns=data["columns"])
            return Source(frame.assign(index=data["index"]) if "index" in data else frame, title)
        lists = [value for value in data.values() if isinstance(value, list)]
        if len(lists) == 1 and lists[0] and all(isinstance(record, Mapping) for record in lists[0]):
            return _titled(of_records(lists[0]), title)  # {"results": [{...}, ...]}
        return _titled(of_mapping(data), title)
    if isinstance(data, list):
        return _titled(of_records(data), title)
    raise DataError(
        f"'{name}' is JSON but no table; give a list of records, or a dictionary of columns"
    )


def _titled(source: Source, title: str) -> Source:
    return Source(source.frame, title, source.label, source.said, source.comma, source.notes)


def _is_harness(data: object) -> bool:
    """lm-evaluation-harness: {"results": {task: {metric: value}}, "config": {...}}."""
    if not isinstance(data, Mapping) or not isinstance(data.get("results"), Mapping):
        return False
    tasks = data["results"].values()
    return bool(tasks) and all(isinstance(task, Mapping) for task in tasks)


def _model(data: Mapping[str, Any], fallback: str) -> str:
    """The name of a run's model: as it stands, else among its arguments (a mapping, or
    pretrained=NAME,...), else the file's.
    """
    config = data.get("config") or {}
    said = config.get("model_args") or {}
    if isinstance(said, str):
        said = dict(part.split("=", 1) for part in said.split(",") if "=" in part) or {
            "model": said
        }
    names = (
        data.get("model_name"),
        data.get("model_name_sanitized"),
        *(said.get(key) for key in ("pretrained", "model", "path")),
    )
    for name in names:
        if name:
            return str(name)
    return fallback


def _of_harness(data: Mapping[str, Any], fallback: str) -> list[dict[str, Any]]:
    """A run's records: model, task and each metric of it; "acc,none" is acc with no filter."""
    model, rows = _model(data, fallback), []
    for task, metrics in data["results"].items():
        row: dict[str, Any] = {"model": model, "task": str(metrics.get("alias", task)).strip(" -")}
        for metric, value in metrics.items():
            plain, _, filtered = str(metric).partition(",")
            if isinstance(value, int | float) and not isinstance(value, bool):
                row[plain if filtered in ("", "none") else f"{plain} ({filtered})"] = float(value)
        rows.append(row)
    return rows


def _stacked(runs: Sequence[Any], names: Sequence[str], title: str) -> Source:
    """The records of all runs, with the directions that they state."""
    rows = [row for run, name in zip(runs, names, strict=True) for row in _of_harness(run, name)]
    ways: dict[str, set[bool]] = {}
    for run in runs:
        for metrics in (run.get("higher_is_better") or {}).values():
            for metric, high in (metrics or {}).items():
                if isinstance(high, bool):
                    ways.setdefault(str(metric), set()).add(high)
    said: dict[str, tuple[Declared, str]] = {
        metric: ("output" if True in way else "lower_rate", "the evaluation says so")
        for metric, way in ways.items()
        if len(way) == 1
    }
    frame = pd.DataFrame(rows)
    said = {
        column: said[plain]
        for column in map(str, frame.columns)
        if (plain := column.partition(" (")[0]) in said
    }
    return Source(frame, title, ("model",), said, stacked=True)


def _is_helm_table(data: object) -> bool:
    """A table of HELM's leaderboard: {"title", "header": [{"value"}], "rows": [[{"value"}]]}."""
    return (
        isinstance(data, Mapping)
        and isinstance(data.get("header"), list)
        and isinstance(data.get("rows"), list)
    )


def _of_helm_table(data: Mapping[str, Any], title: str) -> Source:
    header = [
        str(cell.get("value", "")) if isinstance(cell, Mapping) else str(cell)
        for cell in data["header"]
    ]
    arrows = [
        _arrow(cell.get("lower_is_better")) if isinstance(cell, Mapping) else ""
        for cell in data["header"]
    ]
    rows = [
        [cell.get("value") if isinstance(cell, Mapping) else cell for cell in row]
        for row in data["rows"]
    ]
    names = [
        name if any(mark in name for mark in "↑↓") else f"{name}{arrow}"
        for name, arrow in zip(header, arrows, strict=True)
    ]
    return Source(pd.DataFrame(rows, columns=pd.Index(names)), title, (names[0],))


def _arrow(lower: object) -> str:
    return "" if lower is None else " ↓" if lower else " ↑"


def _is_helm_stat(data: object) -> bool:
    return (
        isinstance(data, Mapping)
        and isinstance(data.get("name"), Mapping)
        and "sum" in data
        and "count" in data
    )
