"""Rank those that keep to a budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from deabench.analysis.ranking import rank_selected
from deabench.errors import DataError
from deabench.models import ModelName
from deabench.models.options import ModelRequest
from deabench.results.model import Model
from deabench.results.ranking import Ranking
from deabench.tables.selection import Missing, SelectedTable, select_table
from deabench.tables.table import TableLike
from deabench.utils.checks import did_you_mean


def best(
    table: TableLike,
    *,
    within: Mapping[str, float],
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    model: ModelName | Model | None = None,
    missing: Missing = "refuse",
) -> Ranking:
    """The ranking among the systems that keep to a budget.

    Parameters
    ----------
    table, outputs, inputs, model, missing
        As for `deabench.rank`.
    within : mapping of column to limit
        At most so much of what is better low, at least so much of what is better high, in the
        column's own unit. The columns need not be metrics of the ranking.

    Returns
    -------
    Ranking
        Its notes say how many systems were left out.

    Raises
    ------
    DataError
        Where a column is not there or holds no numbers, or where no system keeps to the budget.

    Examples
    --------
    >>> import deabench as db
    >>> table = {"model": ["A", "B", "C"], "accuracy": [0.9, 0.8, 0.7], "latency_ms": [50, 20, 5]}
    >>> db.best(table, within={"latency_ms": 20}, outputs=["accuracy"]).scores.round(3).to_dict()
    {'B': 1.0, 'C': 0.875}
    """
    request = ModelRequest(model)
    ready = select_table(table, outputs=outputs, inputs=inputs, missing=missing)
    return rank_selected(keep_within(ready, within), request, bounded=missing == "bounds")


def keep_within(ready: SelectedTable, within: Mapping[str, float]) -> SelectedTable:
    """The systems that keep to a budget, and how many do not."""
    keep = np.ones(len(ready.frame), dtype=bool)
    said = []
    for name, limit in within.items():
        values, high = _column(ready, name), ready.higher_is_better(name)
        keep &= values >= limit if high else values <= limit
        said.append(f"'{name}' at {'least' if high else 'most'} {limit:g}")
    if not keep.any():
        raise DataError(f"no system has {' and '.join(said)}; widen the budget")
    note = (
        f"{int(keep.sum())} of {len(keep)} systems have {' and '.join(said)}; only they are ranked"
    )
    return replace(ready, frame=ready.frame[keep], notes=(*ready.notes, note))


def _column(ready: SelectedTable, name: str) -> np.ndarray:
    if name in ready.frame:
        return np.asarray(ready.frame[name].to_numpy())
    if ready.table.texts is not None and name in ready.table.texts:
        raise DataError(f"within names '{name}', which holds text; name a column of numbers")
    raise DataError(
        f"within names '{name}', which is no column of numbers; {did_you_mean(name, list(ready.frame.columns))}"
    )
