"""Scores of a table with empty cells: between the worst and the best that the cells may be.

A score does not fall where a DMU's own outputs rise, and does not rise where those of the others
do. Over all completions inside the metrics' ranges it is therefore least where the DMU's own empty
cells are at their worst and all others' at their best, and greatest the other way round: two
completions bound it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from deabench.errors import DataError, DataWarning
from deabench.tables.cells import parse_numbers
from deabench.tables.columns import check_range, infer_column
from deabench.tables.roles import quote_names
from deabench.tables.selection import SelectedTable

Scores = Callable[[SelectedTable], pd.Series]


def completed(ready: SelectedTable) -> tuple[SelectedTable, SelectedTable]:
    """The table with every empty cell at its worst, and at its best.

    Raises
    ------
    DataError
        Where a metric with empty cells has no known range.
    """
    worst, best = ready.table.copy(), ready.table.copy()
    empty = []
    for name in dict.fromkeys(
        [*ready.given["outputs"], *ready.given["inputs"], *ready.given["lower_is_better"]]
    ):
        found = parse_numbers(worst[name])
        values = np.full(len(worst), np.nan) if found is None else found.values
        if np.isfinite(values).all():
            continue
        low, high = _range(ready, name, values)
        empty.append(f"'{name}' ({int((~np.isfinite(values)).sum())}, from {low:g} to {high:g})")
        rising = name not in ready.given["lower_is_better"] and name not in ready.given["inputs"]
        for table, end in ((worst, low if rising else high), (best, high if rising else low)):
            table[name] = np.where(np.isfinite(values), values, end)
    note = f"empty cells are bounded: {', '.join(empty)}; the scores shown are for the worst, lower and upper bound all completions"
    notes = (*ready.notes, note) if empty else ready.notes
    return replace(ready, table=worst, notes=notes), replace(ready, table=best, notes=notes)


def _range(ready: SelectedTable, name: str, values: np.ndarray) -> tuple[float, float]:
    known = ready.given["lower_is_better"].get(name)
    if isinstance(known, int | float):
        return 0.0, float(known)
    column = infer_column(name, parse_numbers(ready.table[name]), {})
    finite = values[np.isfinite(values)]
    column = check_range(column, finite) if len(finite) else column
    if not (np.isfinite(column.low) and np.isfinite(column.high)):
        raise DataError(
            f"'{name}' has empty cells and no known range, so missing='bounds' cannot bound them; "
            "say missing='drop-systems' or 'drop-metrics'"
        )
    return column.low, column.high


def bounds(ready: SelectedTable, scores: Scores) -> pd.DataFrame:
    """`lower` and `upper` of every system's score over all completions; `scores` ranks a complete
    table.
    """
    worst, best = completed(ready)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the ranking itself has warned
        frame = pd.DataFrame({"lower": scores(best), "upper": scores(worst)})
        differs = (worst.table != best.table).any(axis=1)
        for label in worst.table.index[differs]:
            for own, others, side in ((worst, best, "lower"), (best, worst, "upper")):
                table = others.table.copy()
                table.loc[label] = own.table.loc[label]
                frame.loc[label, side] = scores(replace(ready, table=table)).loc[label]
    return frame


def said(frame: pd.DataFrame) -> str:
    """Which systems' scores hang on an empty cell."""
    open_ = frame.index[(frame["upper"] - frame["lower"]) > 1e-9]
    return (
        f"{len(open_)} scores depend on empty cells: {quote_names([str(label) for label in open_], 5)}"
        if len(open_)
        else ("no score depends on an empty cell")
    )
