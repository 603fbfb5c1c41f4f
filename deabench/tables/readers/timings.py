"""Read the results of JMH, the Java harness for microbenchmarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from deabench.tables.readers.frames import Source
from deabench.tables.recognition.columns import Declaration


def is_jmh_result(record: object) -> bool:
    """Return whether a record is a benchmark of JMH's JSON: a score with its unit and mode."""
    if not isinstance(record, Mapping) or not {"benchmark", "mode"} <= set(record):
        return False
    metric = record.get("primaryMetric")
    return isinstance(metric, Mapping) and {"score", "scoreUnit"} <= set(metric)


def read_jmh_results(records: Sequence[Mapping[str, Any]], title: str) -> Source:
    """Read one row for each benchmark and its parameters.

    A score has its unit in its column's name, for the unit tells whether it is a time or a
    throughput. How long a run took to warm up and to measure is a setting. Percentiles and raw
    data of the scores are not read.
    """
    rows = []
    for record in records:
        row: dict[str, Any] = {"benchmark": str(record["benchmark"]), "mode": str(record["mode"])}
        row |= {f"params.{name}": value for name, value in (record.get("params") or {}).items()}
        metrics = {"primaryMetric": record["primaryMetric"]}
        for name, metric in (record.get("secondaryMetrics") or {}).items():
            if is_jmh_result({**record, "primaryMetric": metric}):
                metrics[f"secondaryMetrics.{name}"] = metric
        for name, metric in metrics.items():
            row[f"{name}.score ({metric['scoreUnit']})"] = metric["score"]
        rows.append(row)
    frame = pd.DataFrame(rows)
    # All that differs between the runs of one benchmark is a part of its name.
    parameters = [str(name) for name in frame if str(name).startswith("params.")]
    label = ("benchmark", *(name for name in parameters if frame[name].nunique() > 1))
    declarations: dict[str, Declaration] = {}
    if frame["mode"].nunique() == 1:
        declarations["mode"] = ("left_out", "it is the same in all rows")
    notes = ("percentiles and raw data of the scores are not read",)
    return Source(frame, title, label, declarations, notes=notes)
