"""Read the logs of evaluation harnesses, whole or sample by sample.

These are the files of Every Eval Ever (the common evaluation schema), Inspect's logs and the
samples of lm-evaluation-harness. A row of samples holds the results of one model on one instance
of a task.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from deabench.errors import DataError
from deabench.tables.naming.vocabulary import look_up_metric
from deabench.tables.readers.frames import Source
from deabench.tables.readers.limits import Limits
from deabench.tables.readers.objects import parse_json
from deabench.tables.recognition.columns import DeclaredRole

DECLARED = "declared by the evaluation"
INSPECT_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Inspect's grades: correct, partial, incorrect, no answer."""
ARCHIVE_HEADER = "header.json"
ARCHIVE_HEADERS = {ARCHIVE_HEADER, "_journal/start.json"}
"""Documents by which an archive of Inspect is known; the first is written at the end of a run."""
UNKNOWN_SCORE = -1
"""The score of an unknown level in the common evaluation schema."""
SAMPLE_COSTS = ("latency_ms", "total_tokens")
HARNESS_SAMPLE_KEYS = {"doc_id", "filtered_resps"}
Declarations = dict[str, tuple[DeclaredRole, str]]


def is_common_evaluation(data: object) -> bool:
    """Return whether data is one model's results in the common evaluation schema."""
    return (
        isinstance(data, Mapping)
        and isinstance(data.get("model_info"), Mapping)
        and isinstance(data.get("evaluation_results"), list)
    )


def read_common_evaluations(records: Sequence[Any], title: str) -> Source:
    """Read results in the common evaluation schema: a row per model, a column per evaluation.

    The schema states which way is better, standard errors and intervals.
    """
    rows = []
    declarations: Declarations = {}
    errors: dict[str, tuple[str, ...]] = {}
    for record in records:
        model = record["model_info"]
        row: dict[str, Any] = {"model": str(model.get("name") or model.get("id"))}
        for result in record["evaluation_results"]:
            name = _evaluation_name(result)
            config = result.get("metric_config") or {}
            details = result.get("score_details") or {}
            score = details.get("score")
            if config.get("has_unknown_level") and score == UNKNOWN_SCORE:
                score = None
            row[name] = score
            role: DeclaredRole = "lower_rate" if config.get("lower_is_better") else "output"
            declarations[name] = (role, DECLARED)
            stated = _stated_errors(name, details.get("uncertainty") or {})
            row |= stated
            if stated:
                errors[name] = tuple(stated)
        rows.append(row)
    frame = pd.DataFrame(rows)
    declarations |= {
        column: ("left_out", "it is the error of another column")
        for columns in errors.values()
        for column in columns
    }
    # The results of one model may stand in several files.
    frame = frame.groupby("model", sort=False).first().reset_index()
    return Source(frame, title, ("model",), declarations, stacked=True, errors=errors)


def _evaluation_name(result: Mapping[str, Any]) -> str:
    """Return an evaluation's name, with the metric where the evaluation has several."""
    config = result.get("metric_config") or {}
    name = str(result.get("evaluation_name", "score"))
    metric = config.get("metric_name") or config.get("metric_id")
    return f"{name} ({metric})" if metric and str(metric) not in name else name


def _stated_errors(name: str, uncertainty: Mapping[str, Any]) -> dict[str, float]:
    """Return the columns of the standard error, or else of the interval, of a score."""
    error = (uncertainty.get("standard_error") or {}).get("value")
    if error is not None:
        return {f"{name}_stderr": error}
    interval = uncertainty.get("confidence_interval") or {}
    if interval.get("lower") is None or interval.get("upper") is None:
        return {}
    level = round(100 * interval.get("confidence_level", 0.95))
    return {
        f"{name}_ci{level}_lower": interval["lower"],
        f"{name}_ci{level}_upper": interval["upper"],
    }


def is_common_sample(data: object) -> bool:
    """Return whether data is the result of one instance in the common evaluation schema."""
    return (
        isinstance(data, Mapping)
        and {"model_id", "sample_id"} <= set(data)
        and isinstance(data.get("evaluation"), Mapping)
    )


def read_common_samples(records: Sequence[Any], title: str) -> Source:
    """Read results of single instances in the common evaluation schema, with their costs."""
    rows = []
    for record in records:
        row = {
            "model": record["model_id"],
            "task": record.get("evaluation_name", title),
            "instance": str(record["sample_id"]),
            "score": record["evaluation"].get("score"),
        }
        costs = {**(record.get("performance") or {}), **(record.get("token_usage") or {})}
        row |= {name: costs[name] for name in SAMPLE_COSTS if costs.get(name) is not None}
        rows.append(row)
    return _source_of_samples(pd.DataFrame(rows), title, ["score"])


def is_inspect_log(data: object) -> bool:
    """Return whether data is a log of Inspect."""
    if not isinstance(data, Mapping) or not isinstance(data.get("eval"), Mapping):
        return False
    return {"model", "task"} <= set(data["eval"]) and {"results", "samples"} & set(data) != set()


def read_inspect_logs(logs: Sequence[Any], title: str) -> Source:
    """Read logs of Inspect: single samples where the logs have them, else the metrics."""
    finished = [log for log in logs if log.get("status", "success") == "success"]
    if not finished:
        raise DataError(
            f"no log of '{title}' has the status success; run the evaluation to its end"
        )
    notes: tuple[str, ...] = ()
    if len(finished) < len(logs):
        notes = (f"{len(logs) - len(finished)} logs that did not finish are left out",)
    if all(log.get("samples") for log in finished):
        rows = [row for log in finished for row in _inspect_samples(log)]
        frame = pd.DataFrame(rows)
        keys = ("model", "task", "instance", "repeat", *SAMPLE_COSTS, "seconds")
        scores = [str(name) for name in frame.columns if name not in keys]
        return _source_of_samples(frame, title, scores, notes)
    rows = []
    errors: dict[str, tuple[str, ...]] = {}
    for log in finished:
        row, row_errors = _inspect_metrics(log)
        rows.append(row)
        errors |= row_errors
    return Source(pd.DataFrame(rows), title, ("model",), notes=notes, stacked=True, errors=errors)


def is_inspect_archive(data: bytes) -> bool:
    """Return whether the bytes of a zip archive are a log of Inspect (`.eval`)."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return not ARCHIVE_HEADERS.isdisjoint(archive.namelist())
    except zipfile.BadZipFile:
        return False


def read_inspect_archive(data: bytes, file: str, title: str, limits: Limits) -> Source:
    """Read a log of Inspect that is an archive: a JSON document per sample beside a header.

    Raises
    ------
    DataError
        Where the run did not finish, or the archive is damaged or unpacks to too much.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = [
            entry
            for entry in archive.infolist()
            if entry.filename == ARCHIVE_HEADER or entry.filename.startswith("samples/")
        ]
        # The sizes that the archive states bound what is unpacked of it.
        limits.check_bytes(sum(entry.file_size for entry in entries), file)
        limits.check_rows(len(entries) - 1, file)
        if ARCHIVE_HEADER not in archive.namelist():
            raise DataError(f"'{file}' is a log of a run that did not finish; run it to its end")
        try:
            documents = {
                entry.filename: parse_json(archive.read(entry).decode("utf-8"), file, limits)
                for entry in entries
            }
        # zipfile unpacks Deflate; a newer method needs a newer Python.
        except NotImplementedError:
            raise DataError(
                f"'{file}' is compressed by a method that this Python does not know; write it as "
                "JSON with `inspect log convert --to json`"
            ) from None
    header: Any = documents.pop(ARCHIVE_HEADER)
    log = header | {"samples": list(documents.values())} if documents else header
    if not is_inspect_log(log):
        raise DataError(f"'{file}' is an archive without the results of Inspect; give its log")
    return read_inspect_logs([log], title)


def _inspect_samples(log: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return one record per sample and epoch; a score is called by its scorer."""
    rows = []
    for sample in log["samples"]:
        row: dict[str, Any] = {
            "model": str(log["eval"]["model"]),
            "task": str(log["eval"]["task"]),
            "instance": str(sample.get("id")),
            "repeat": sample.get("epoch", 1),
        }
        for scorer, score in (sample.get("scores") or {}).items():
            value = score.get("value") if isinstance(score, Mapping) else score
            values = value if isinstance(value, Mapping) else {"": value}
            for part, number in values.items():
                name = f"{scorer} ({part})" if part else str(scorer)
                row[name] = (
                    INSPECT_GRADES.get(number, number) if isinstance(number, str) else number
                )
        usage = (sample.get("model_usage") or {}).get(log["eval"]["model"]) or {}
        if usage.get("total_tokens") is not None:
            row["total_tokens"] = usage["total_tokens"]
        if sample.get("total_time") is not None:
            row["seconds"] = sample["total_time"]
        rows.append(row)
    return rows


def _inspect_metrics(
    log: Mapping[str, Any],
) -> tuple[dict[str, Any], dict[str, tuple[str, ...]]]:
    """Return the metrics of a log as a record, and the columns of their standard errors."""
    row: dict[str, Any] = {"model": str(log["eval"]["model"]), "task": str(log["eval"]["task"])}
    errors: dict[str, tuple[str, ...]] = {}
    scores = (log.get("results") or {}).get("scores") or []
    for score in scores:
        suffix = f" ({score.get('name')})" if len(scores) > 1 else ""
        metrics = {name: item.get("value") for name, item in (score.get("metrics") or {}).items()}
        row |= {f"{name}{suffix}": value for name, value in metrics.items()}
        if "stderr" in metrics:
            others = [name for name in metrics if name not in ("stderr", "std", "var")]
            errors |= {f"{name}{suffix}": (f"stderr{suffix}",) for name in others[:1]}
    return row, errors


def is_harness_sample(data: object) -> bool:
    """Return whether data is one sample of lm-evaluation-harness (--log_samples)."""
    return isinstance(data, Mapping) and set(data) >= HARNESS_SAMPLE_KEYS


def read_harness_samples(records: Sequence[Any], file: str, title: str) -> Source:
    """Read samples of lm-evaluation-harness, samples_TASK_DATE.jsonl in a folder of the model."""
    path = Path(file)
    # The harness writes the samples of a model into a folder that is called after it.
    model = path.parent.name.replace("__", "/") or title or "model"
    task = title.removeprefix("samples_").partition("_20")[0] or "task"
    metrics = list(
        dict.fromkeys(name for record in records for name in record.get("metrics") or ())
    )
    rows = []
    for record in records:
        row = {"model": model, "task": task, "instance": str(record["doc_id"])}
        # Several filters of one answer are metrics of their own.
        name = record.get("filter", "none")
        suffix = "" if name in ("", "none") else f" ({name})"
        names = metrics or [key for key, value in record.items() if _is_score(key, value)]
        rows.append(row | {f"{key}{suffix}": record.get(key) for key in names})
    frame = pd.DataFrame(rows).groupby(["model", "task", "instance"], sort=False).first()
    frame = frame.reset_index()
    return _source_of_samples(frame, title, [str(name) for name in frame.columns[3:]])


def _is_score(key: str, value: object) -> bool:
    return key != "doc_id" and isinstance(value, int | float) and not key.endswith("_hash")


def _source_of_samples(
    frame: pd.DataFrame, title: str, scores: Sequence[str], notes: tuple[str, ...] = ()
) -> Source:
    """Return single results whose scores are better high, unless their names say otherwise."""
    declarations: Declarations = {"instance": ("left_out", "it names the instances")}
    for name in scores:
        meaning = look_up_metric(name)
        if meaning is None or meaning.better == "neither":
            declarations[name] = ("output", DECLARED)
    return Source(frame, title, ("model",), declarations, notes=notes, stacked=True, kind="long")
