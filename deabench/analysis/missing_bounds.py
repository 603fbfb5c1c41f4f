"""Bound the scores of a table with empty cells over all values that the cells may have.

A score does not fall where a DMU's own outputs rise, and does not rise where those of the others
do. Over all completions inside the metrics' ranges it is therefore lowest where the DMU's own empty
cells are at their worst and all others' at their best, and highest the other way round: two
completions bound it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from deabench.errors import DataError, DataWarning
from deabench.tables.selected_table import SelectedTable
from deabench.utils.text import quote_names

DIFFERENCE = 1e-9
"""Bounds that differ by less are equal."""


def complete_cells(selected: SelectedTable) -> tuple[SelectedTable, SelectedTable]:
    """Return the table with every empty cell at its worst value, and at its best.

    Raises
    ------
    DataError
        If a metric with empty cells has no known range.
    """
    worst = selected.frame.copy()
    best = selected.frame.copy()
    completed = []
    for name in selected.metrics:
        values = worst[name].to_numpy().copy()
        is_filled = np.isfinite(values)
        if is_filled.all():
            continue
        low, high = _finite_range(selected, name)
        completed.append(f"'{name}' ({int((~is_filled).sum())}, from {low:g} to {high:g})")
        # The worst value is the lowest of an output, and the highest of a cost.
        is_higher_better = name in selected.outputs and name not in selected.maxima
        worst[name] = np.where(is_filled, values, low if is_higher_better else high)
        best[name] = np.where(is_filled, values, high if is_higher_better else low)
    notes = selected.notes
    if completed:
        note = (
            f"empty cells are bounded: {', '.join(completed)}; the scores shown are for the worst, "
            "lower and upper bound all completions"
        )
        notes = (*notes, note)
    return replace(selected, frame=worst, notes=notes), replace(selected, frame=best, notes=notes)


def _finite_range(selected: SelectedTable, name: str) -> tuple[float, float]:
    """Return the least and the greatest value that a metric may have."""
    low, high = selected.range_of(name)
    if not (np.isfinite(low) and np.isfinite(high)):
        raise DataError(
            f"'{name}' has empty cells and no known range, so missing='bounds' cannot bound them; "
            "pass missing='drop-systems' or 'drop-metrics'"
        )
    return low, high


def bound_scores(
    selected: SelectedTable, score_table: Callable[[SelectedTable], pd.Series]
) -> pd.DataFrame:
    """Return `lower` and `upper` of every system's score over all completions.

    Parameters
    ----------
    selected : SelectedTable
    score_table : function of SelectedTable to Series
        Scores a table without empty cells.
    """
    worst, best = complete_cells(selected)
    with warnings.catch_warnings():
        # The ranking itself has warned of weak data.
        warnings.simplefilter("ignore", DataWarning)
        # A system without empty cells has its bounds where all others are best, or worst.
        bounds = pd.DataFrame({"lower": score_table(best), "upper": score_table(worst)})
        has_empty_cell = (worst.frame != best.frame).any(axis=1)
        for label in worst.frame.index[has_empty_cell]:
            # The system itself is completed the other way than the others.
            for own_cells, rival_cells, side in ((worst, best, "lower"), (best, worst, "upper")):
                frame = rival_cells.frame.copy()
                frame.loc[label] = own_cells.frame.loc[label]
                scores = score_table(selected.with_frame(frame))
                bounds.loc[label, side] = scores.loc[label]
    return bounds


def describe_bounds(bounds: pd.DataFrame) -> str:
    """Say which systems' scores depend on an empty cell."""
    # Bounds that differ by rounding only are one.
    depends = (bounds["upper"] - bounds["lower"]) > DIFFERENCE
    labels = [str(label) for label in bounds.index[depends]]
    if not labels:
        return "no score depends on an empty cell"
    return f"{len(labels)} scores depend on empty cells: {quote_names(labels, 5)}"
