"""Compute the metrics of a table of predictions, scores or counts, so that it can be ranked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from deabench.tables.cells import Numbers
from deabench.tables.recognition.columns import infer_column
from deabench.tables.rows import average_datasets, merge_notes
from deabench.tables.table import Table
from deabench.utils.text import quote_names

ANSWER_KINDS = ("predictions", "scores", "counts")
"""Kinds of tables that hold answers, or counts of them, and no metrics."""


def with_metrics(
    table: Table,
    metrics: Sequence[str] | None = None,
    *,
    positive: object = None,
    threshold: float | None = None,
) -> Table:
    """Return a table of predictions, scores or counts with its metrics; any other as it is.

    Parameters
    ----------
    table : Table
    metrics : sequence of names, optional
        Metrics of `deabench.metrics`; by default TPR and TNR, of scores the AUC, and of more than
        two classes the recall of each, or the accuracy.
    positive : label, optional
        The positive class; by default 1 of {0, 1} and the like, otherwise the rarer class.
    threshold : number, optional
        Of scores: labels are positive where the score is >= threshold.
    """
    if table.kind not in ANSWER_KINDS or table.rows is None:
        return table
    # The metrics import libraries that a ranking does not wait for.
    from deabench.metrics.answer_rows import metrics_of_rows

    options: dict[str, Any] = {"positive": positive, "threshold": threshold}
    if positive is None and threshold is None:
        options |= table.rows.attrs
    if metrics is None and len(table.frame.columns) and table.rows.attrs == options:
        return table
    # The samples of the table take the same class and threshold from its rows.
    rows = table.rows.copy(deep=False)
    rows.attrs = options
    frame = metrics_of_rows(rows, metrics=metrics, **options)
    notes = [f"{quote_names(list(frame.columns))}: computed from the {table.kind}"]
    notes += frame.attrs.get("notes", ())
    per_dataset = None
    if frame.index.nlevels > 1:
        per_dataset = frame
        means, dataset_notes = average_datasets(frame)
        frame = means
        notes += merge_notes(dataset_notes, list(frame.columns))
    frame = frame.reindex(table.frame.index)
    columns = []
    for name in map(str, frame.columns):
        values = frame[name].to_numpy()
        column = infer_column(name, Numbers(values, np.zeros(len(values), dtype=bool)), {})
        columns.append(column.with_role(column.role, f"computed from the {table.kind}"))
    source_columns = [column for column in table.columns if not column.metric]
    missing = frame.isna().sum()
    return replace(
        table,
        frame=frame,
        columns=(*columns, *source_columns),
        inferred=(*columns, *source_columns),
        per_dataset=per_dataset,
        reading_notes=(*table.reading_notes, *notes),
        rows=rows,
        missing={str(name): int(count) for name, count in missing.items() if count},
    )
