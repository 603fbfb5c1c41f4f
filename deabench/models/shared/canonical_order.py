"""A task in an order of rows and metrics that its values alone decide.

Where a program has several optima, the solver's choice depends on the order of rows and columns. In
a canonical order the choice depends on the values alone: a table with its rows or columns permuted,
or its units changed by powers of two, has the same answer to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from deabench.results.answer import Answer, Task
from deabench.results.proof import SlackWeights
from deabench.tables.transforms import Data
from deabench.utils.arrays import Sparse, scale

KEY_SHARES = np.sqrt(np.arange(64) + 2.5) % 1
"""What each of the first metrics counts in the key by which rows are sorted: numbers in which
different decimals have different sums.
"""


@dataclass(frozen=True, eq=False)
class CanonicalTask:
    """A task in canonical order, and where its parts stood.

    Attributes
    ----------
    task : Task
    original : Task
    rows, reference_rows : int arrays (K,) and (n,)
        The original position of each tested and of each reference DMU.
    metrics : list of int
        The original position of each metric, outputs first.
    """

    task: Task
    original: Task
    rows: np.ndarray
    reference_rows: np.ndarray
    metrics: list[int]

    @classmethod
    def of(cls, task: Task) -> CanonicalTask:
        """Return a task in canonical order."""
        reference_values = _metrics_of(task.reference)
        units = [scale(side.T) for side in reference_values]
        reference_sides = _divide(reference_values, units)
        data_values, data_sides = reference_values, reference_sides
        if task.data is not task.reference:
            data_values = _metrics_of(task.data)
            data_sides = _divide(data_values, units)
        orders = _metric_order(data_sides, reference_sides)
        outputs, inputs = orders
        reference_rows = _row_order(reference_sides, outputs, inputs)
        reference = _arrange(task.reference, reference_values, reference_rows, orders)
        data = reference
        rows = reference_rows
        if task.data is not task.reference:
            rows = _row_order(data_sides, outputs, inputs)
            data = _arrange(task.data, data_values, rows, orders)
        arranged = replace(
            task, data=data, reference=reference, options=task.options.with_checked_options(data)
        )
        metrics = [*outputs, *(len(outputs) + position for position in inputs)]
        return cls(arranged, task, rows, reference_rows, metrics)

    def restore(self, answer: Answer) -> Answer:
        """Return an answer to the canonical task in the order of the original one."""
        task = self.original
        labels = task.data.labels
        # Where each row and each metric of the original task stands in the canonical one.
        rows = np.empty_like(self.rows)
        rows[self.rows] = np.arange(len(rows))
        if not answer.data.labels.is_(self.task.data.labels):  # bands of sizes, one after another
            rows = answer.data.labels.get_indexer(labels)
        columns = np.argsort(self.metrics)
        slack_weights = answer.slack_weights
        if slack_weights is not None:
            slack_weights = SlackWeights(slack_weights.rows[:, columns], slack_weights.of[rows])
        return replace(
            answer,
            scores=_restore_rows(answer.scores, labels, rows),
            slacks=_restore_metrics(answer.slacks, labels, rows, columns),
            weights=_restore_metrics(answer.weights, labels, rows, columns),
            intensities=self._restore_intensities(answer.intensities[rows]),
            efficient=_restore_rows(answer.efficient, labels, rows),
            data=replace(task.data, notes=answer.data.notes),
            reference=task.reference,
            options=task.options,
            frontier=np.sort(self.reference_rows[answer.frontier]),
            tables={name: self._restore_frame(table) for name, table in answer.tables.items()},
            slack_weights=slack_weights,
            infeasibility_certificates=(
                None
                if answer.infeasibility_certificates is None
                else self._restore_frame(answer.infeasibility_certificates)
            ),
        )

    def _restore_intensities(self, lam: Sparse) -> Sparse:
        """Return λ by the original positions of the reference DMUs."""
        positions = np.append(self.reference_rows, -1).astype(np.int32)
        return Sparse(positions.take(lam.columns), lam.values)

    def _restore_frame(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return a frame whose rows and columns are DMUs or metrics in their original order."""
        rows = self._original_positions(frame.index.tolist())
        columns = self._original_positions(frame.columns.tolist())
        # By positions: selecting by labels takes longer than solving a small table.
        if (np.diff(rows) < 0).any():
            frame = frame.take(rows)
        if (np.diff(columns) < 0).any():
            frame = frame.take(columns, axis=1)
        return frame

    @cached_property
    def _positions(self) -> list[dict[object, int]]:
        """The original positions of the labels of DMUs, of reference DMUs and of metrics."""
        data = self.original.data
        metrics = [*data.outputs.columns, *data.inputs.columns]
        axes = (data.labels.tolist(), self.original.reference.labels.tolist(), metrics)
        return [{label: position for position, label in enumerate(axis)} for axis in axes]

    def _original_positions(self, labels: list[object]) -> np.ndarray:
        """Return where labels of DMUs or of metrics stand, in their original order.

        Others stand behind them, as u_0 behind the metrics.
        """
        # Names of metrics may be names of DMUs, too: an axis of the same length is the one.
        positions = max(
            self._positions,
            key=lambda axis: (len(axis.keys() & labels), len(axis) == len(labels)),
        )
        original = [positions.get(label, len(positions)) for label in labels]
        return np.argsort(original, kind="stable")


def _restore_rows(values: pd.Series, labels: pd.Index, rows: np.ndarray) -> pd.Series:
    """Return one value for each DMU in the original order."""
    return pd.Series(values.to_numpy()[rows], labels, name=values.name, copy=False)


def _restore_metrics(
    frame: pd.DataFrame, labels: pd.Index, rows: np.ndarray, columns: np.ndarray
) -> pd.DataFrame:
    """Return a frame, DMUs x metrics and perhaps more, in the original order of both."""
    if not frame.shape[1]:
        return pd.DataFrame(index=labels)
    # What stands behind the metrics, as u_0, stays there.
    positions = [*columns, *range(len(columns), frame.shape[1])]
    values = _permute(np.ascontiguousarray(frame.to_numpy().T), positions, rows).T
    return pd.DataFrame(values, labels, frame.columns.take(positions), copy=False)


def _permute(values: np.ndarray, metrics: Sequence[int], rows: np.ndarray) -> np.ndarray:
    """Return metrics and rows of values (k, n) in other orders, metric after metric.

    That takes half the time of both at once. No row is beyond the table: `clip` looks at none, and
    writes into `permuted` without a copy.
    """
    permuted = np.empty((len(metrics), len(rows)))
    for position, metric in enumerate(metrics):
        values[metric].take(rows, out=permuted[position], mode="clip")
    return permuted


def _metrics_of(data: Data) -> list[np.ndarray]:
    """Return outputs (s, n) and inputs (m, n), a metric's values side by side."""
    return [np.ascontiguousarray(side.to_numpy().T) for side in (data.outputs, data.inputs)]


def _divide(sides: list[np.ndarray], units: list[np.ndarray]) -> list[np.ndarray]:
    """Return outputs and inputs in other units."""
    return [side / unit[:, None] for side, unit in zip(sides, units, strict=True)]


def _metric_order(
    data_sides: list[np.ndarray], reference_sides: list[np.ndarray]
) -> tuple[list[int], list[int]]:
    """Return the canonical order of the outputs and of the inputs, by their values."""
    sides = reference_sides
    if data_sides is not reference_sides:
        sides = [np.hstack(pair) for pair in zip(data_sides, reference_sides, strict=True)]
    ordered = [_order_by_sorted_values(side) for side in sides]
    if all(is_strict for _, is_strict in ordered):
        return ordered[0][0], ordered[1][0]
    # Metrics with the same values in other rows are told apart by a key for each row that no order
    # of metrics changes.
    keys = np.column_stack([np.sort(side.T, axis=1) for side in sides])
    row_rank = np.unique(keys, axis=0, return_inverse=True)[1].ravel()
    return _order_by_ranked_values(sides[0], row_rank), _order_by_ranked_values(sides[1], row_rank)


def _order_by_sorted_values(side: np.ndarray) -> tuple[list[int], bool]:
    """Return the metrics in the order of their sorted values, and whether no two are equal."""
    # The ends of a metric mostly tell it apart, without sorting it.
    ends = list(zip(side.min(axis=1, initial=0), side.max(axis=1, initial=0), strict=True))
    if len(set(ends)) == len(ends):
        return sorted(range(len(ends)), key=ends.__getitem__), True
    columns = [(*end, *np.sort(values).tolist()) for end, values in zip(ends, side, strict=True)]
    is_strict = len(set(columns)) == len(columns)
    return sorted(range(len(columns)), key=columns.__getitem__), is_strict


def _order_by_ranked_values(side: np.ndarray, row_rank: np.ndarray) -> list[int]:
    """Return the metrics in the order of their sorted values, each with the ranks of their rows."""
    sorted_rows = [np.lexsort((row_rank, values)) for values in side]
    keys = [
        (values[rows].tolist(), row_rank[rows].tolist())
        for values, rows in zip(side, sorted_rows, strict=True)
    ]
    return sorted(range(len(keys)), key=keys.__getitem__)


def _row_order(sides: list[np.ndarray], outputs: list[int], inputs: list[int]) -> np.ndarray:
    """Return the canonical order of the rows, by their values; equal ones stay in theirs.

    To sort one key of all metrics takes a fifth of the time of sorting metric after metric.
    """
    metrics = [*(sides[0][r] for r in outputs), *(sides[1][i] for i in inputs)]
    # Summed metric by metric: a matrix product may round a row by where it stands.
    key = np.zeros(sides[0].shape[1])
    for share, values in zip(KEY_SHARES, metrics, strict=False):
        key += share * values
    order = key.argsort()
    # Most rows differ in the key; the others are ordered by all metrics.
    sorted_key = key[order]
    is_tied = sorted_key[1:] == sorted_key[:-1]
    if is_tied.any():
        tied = np.flatnonzero(np.append(is_tied, False) | np.append(False, is_tied))
        rows = order[tied]
        tied_values = [values[rows] for values in reversed(metrics)]
        order[tied] = rows[np.lexsort((rows, *tied_values, sorted_key[tied]))]
    return order


def _arrange(
    data: Data, sides: list[np.ndarray], rows: np.ndarray, orders: tuple[list[int], list[int]]
) -> Data:
    """Return data with its rows and metrics in some order, a metric's values side by side.

    `sides` are the values of `data` by `_metrics_of`.
    """
    labels = data.labels.take(rows)
    frames = []
    for frame, side, order in zip((data.outputs, data.inputs), sides, orders, strict=True):
        values = _permute(side, order, rows)
        frames.append(pd.DataFrame(values.T, labels, frame.columns.take(order), copy=False))
    return replace(data, outputs=frames[0], inputs=frames[1])
