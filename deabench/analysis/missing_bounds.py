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
from deabench.tables.selection import SelectedTable
from deabench.utils.text import quote_names

Scores = Callable[[SelectedTable], pd.Series]


def completed(ready: SelectedTable) -> tuple[SelectedTable, SelectedTable]:
    """The table with every empty cell at its worst, and at its best.

    Raises
    ------
    DataError
        Where a metric with empty cells has no known range.
    """
    worst, best = ready.frame.copy(), ready.frame.copy()
    empty = []
    for name in ready.metrics:
        values = worst[name].to_numpy().copy()
        if np.isfinite(values).all():
            continue
        low, high = _range(ready, name)
        empty.append(f"'{name}' ({int((~np.isfinite(values)).sum())}, from {low:g} to {high:g})")
        rising = name in ready.outputs and name not in ready.maxima
        for table, end in ((worst, low if rising else high), (best, high if rising else low)):
            table[name] = np.where(np.isfinite(values), values, end)
    note = f"empty cells are bounded: {', '.join(empty)}; the scores shown are for the worst, lower and upper bound all completions"
    notes = (*ready.notes, note) if empty else ready.notes
    return replace(ready, frame=worst, notes=notes), replace(ready, frame=best, notes=notes)


def _range(ready: SelectedTable, name: str) -> tuple[float, float]:
    low, high = ready.range_of(name)
    if not (np.isfinite(low) and np.isfinite(high)):
        raise DataError(
            f"'{name}' has empty cells and no known range, so missing='bounds' cannot bound them; "
            "say missing='drop-systems' or 'drop-metrics'"
        )
    return low, high


def bounds(ready: SelectedTable, scores: Scores) -> pd.DataFrame:
    """`lower` and `upper` of every system's score over all completions; `scores` ranks a complete
    table.
    """
    worst, best = completed(ready)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the ranking itself has warned
        frame = pd.DataFrame({"lower": scores(best), "upper": scores(worst)})
        differs = (worst.frame != best.frame).any(axis=1)
        for label in worst.frame.index[differs]:
            for own, others, side in ((worst, best, "lower"), (best, worst, "upper")):
                table = others.frame.copy()
                table.loc[label] = own.frame.loc[label]
                frame.loc[label, side] = scores(ready.with_frame(table)).loc[label]
    return frame


def said(frame: pd.DataFrame) -> str:
    """Which systems' scores hang on an empty cell."""
    open_ = frame.index[(frame["upper"] - frame["lower"]) > 1e-9]
    return (
        f"{len(open_)} scores depend on empty cells: {quote_names([str(label) for label in open_], 5)}"
        if len(open_)
        else ("no score depends on an empty cell")
    )
