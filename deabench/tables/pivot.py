"""Long tables and matrices as systems x metrics: means over data sets, and the tables of every data
set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

FEW = 0.5
"""Where the data sets that all systems have are fewer than this share, it is said loudly."""


@dataclass(frozen=True)
class Wide:
    """Systems x metrics.

    Attributes
    ----------
    table : DataFrame, systems x metrics
    per_dataset : DataFrame or None
        (data set, system) x metrics, means over folds and seeds; None where there are no data sets.
    missing : mapping of metric to the number of empty cells in the source
    notes : tuple of (metric, sentence)
        What was done to get each metric's values; "" stands for all.
    """

    table: pd.DataFrame
    per_dataset: pd.DataFrame | None
    missing: Mapping[str, int]
    notes: tuple[tuple[str, str], ...]


def of_rows(values: pd.DataFrame, systems: pd.Index, datasets: pd.Index | None) -> Wide:
    """Means of repeated rows: over folds first, then over the data sets that every system has a
    value for.

    Parameters
    ----------
    values : DataFrame, rows x metrics
    systems, datasets : Index
        The system and the data set of each row.
    """
    empty = {
        str(name): int(values[name].isna().sum()) for name in values if values[name].isna().any()
    }
    order = list(dict.fromkeys(systems))
    name = systems.name if systems.name is not None else "system"
    if datasets is None:
        table = (
            values.groupby(np.asarray(systems), sort=False).mean().reindex(order).rename_axis(name)
        )
        return Wide(
            table, None, empty, (("", "repeated rows of a system (folds, seeds) are averaged"),)
        )
    each = values.groupby([np.asarray(datasets), np.asarray(systems)], sort=False).mean()
    each.index = each.index.set_names([str(datasets.name), name])
    columns, notes = {}, []
    for metric in each.columns:
        matrix = each[metric].unstack(0)
        columns[metric], about = _mean(matrix, str(metric))
        notes += about
    return Wide(pd.DataFrame(columns).reindex(order).rename_axis(name), each, empty, tuple(notes))


def _mean(matrix: pd.DataFrame, metric: str) -> tuple[pd.Series, list[tuple[str, str]]]:
    """The mean over the data sets that all systems have; over what each has where there is none in
    common.
    """
    whole = matrix.dropna(axis="columns", how="all")
    whole = whole.dropna(axis="index", how="all")
    common = whole.dropna(axis="columns")
    of = f"{common.shape[1]} of {matrix.shape[1]} data sets"
    if common.shape[1] == matrix.shape[1]:
        return common.mean(axis=1), [(metric, f"means over {matrix.shape[1]} data sets")]
    if common.shape[1]:
        return common.mean(axis=1), [
            (metric, f"means over the {of} that every system has a value for")
        ]
    return matrix.mean(axis=1), [
        (
            metric,
            "no data set has a value for every system; each mean is over the data sets that its "
            "system has, so systems are compared on different data",
        )
    ]


def said(notes: Sequence[tuple[str, str]], used: Sequence[str]) -> tuple[str, ...]:
    """One sentence for all metrics in use of which the same is to be said."""
    gathered: dict[str, list[str]] = {}
    for metric, text in notes:
        if not metric or metric in used:
            gathered.setdefault(text, []).append(f"'{metric}'" if metric else "")
    return tuple(
        f"{', '.join(metrics)}: {text}" if metrics[0] else text
        for text, metrics in gathered.items()
    )


def of_metric_and_value(
    frame: pd.DataFrame, metric: str, value: str, keys: Sequence[str]
) -> pd.DataFrame:
    """One row per key and one column per metric, from rows of (key, metric, value); repeated ones
    stay apart as rows.
    """
    names = frame[metric].astype(str).str.strip()
    count = frame.groupby([*keys, metric], dropna=False).cumcount()
    flat = frame[list(keys)].assign(_again=count, _metric=names, _value=frame[value].to_numpy())
    wide = (
        flat.pivot(index=[*keys, "_again"], columns="_metric", values="_value")
        .reset_index()
        .drop(columns="_again")
    )
    wide.columns.name = None
    return wide[[*keys, *dict.fromkeys(names)]]
