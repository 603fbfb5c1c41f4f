"""Rank the systems that keep to a budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from deabench.analysis.ranking import rank_selected
from deabench.errors import DataError
from deabench.models import ModelName
from deabench.models.options import ModelRequest
from deabench.results.model import Model, Orientation, Returns
from deabench.results.ranking import Ranking
from deabench.tables.selected_table import Missing, SelectedTable
from deabench.tables.selection import select_table
from deabench.tables.table import TableLike
from deabench.utils.checks import did_you_mean


def best(
    table: TableLike,
    *,
    within: Mapping[str, float],
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    model: ModelName | Model | None = None,
    returns: Returns | None = None,
    orientation: Orientation | None = None,
    missing: Missing = "refuse",
) -> Ranking:
    """Rank the systems that keep to a budget.

    Parameters
    ----------
    table, outputs, inputs, model, returns, orientation, missing
        As for `deabench.rank`.
    within : mapping of column to limit
        The greatest value of a column where lower is better, the least value of one where higher
        is better, in the column's own unit. The columns need not be metrics of the ranking.

    Returns
    -------
    Ranking
        Its notes say how many systems keep to the budget.

    Raises
    ------
    DataError
        If a column is missing or holds no numbers, or if no system keeps to the budget.

    Examples
    --------
    >>> import deabench as db
    >>> table = {"model": ["A", "B", "C"], "accuracy": [0.9, 0.8, 0.7], "latency_ms": [50, 20, 5]}
    >>> db.best(table, within={"latency_ms": 20}, outputs=["accuracy"]).scores.round(3).to_dict()
    {'B': 1.0, 'C': 0.875}
    """
    request = ModelRequest(model, returns, orientation)
    selected = select_table(table, outputs=outputs, inputs=inputs, missing=missing)
    affordable = select_within_budget(selected, within)
    return rank_selected(affordable, request, bounded=missing == "bounds")


def select_within_budget(selected: SelectedTable, within: Mapping[str, float]) -> SelectedTable:
    """Return the rows of a table that keep to a budget, with a note on how many they are."""
    is_within = within_budget(selected, within)
    limits = []
    for name, limit in within.items():
        bound = "at least" if selected.higher_is_better(name) else "at most"
        limits.append(f"'{name}' {bound} {limit:g}")
    budget = " and ".join(limits)
    if not is_within.any():
        raise DataError(f"no system has {budget}; widen the budget")
    count = f"{int(is_within.sum())} of {len(is_within)}"
    note = f"{count} systems have {budget}; only they are ranked"
    # A budget within a budget keeps to both.
    limits_by_name = {**selected.selected_by.get("within", {}), **within}
    return replace(
        selected,
        frame=selected.frame[is_within],
        notes=(*selected.notes, note),
        selected_by={**selected.selected_by, "within": limits_by_name},
    )


def within_budget(selected: SelectedTable, within: Mapping[str, float]) -> np.ndarray:
    """Return which rows of a table keep to a budget (n,)."""
    is_within = np.ones(len(selected.frame), dtype=bool)
    for name, limit in within.items():
        values = _numeric_column(selected, name)
        # A budget of what is better high is a floor.
        if selected.higher_is_better(name):
            is_within &= values >= limit
        else:
            is_within &= values <= limit
    return is_within


def _numeric_column(selected: SelectedTable, name: str) -> np.ndarray:
    """Return a column of numbers (n,), which may be no metric of the ranking."""
    if name in selected.frame:
        return np.asarray(selected.frame[name].to_numpy())
    if selected.table.texts is not None and name in selected.table.texts:
        raise DataError(f"within names '{name}', which holds text; name a column of numbers")
    hint = did_you_mean(name, list(selected.frame.columns))
    raise DataError(f"within names '{name}', which is no column of numbers; {hint}")
