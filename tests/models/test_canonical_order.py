"""The canonical order of rows and metrics: one for all orders and units of the same table."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.models.shared.canonical_order import CanonicalTask, _row_order
from deabench.results.answer import Task
from deabench.tables.transforms import Data


def draw_table(kind: str, n: int) -> np.ndarray:
    """Return a table of n rows, two outputs and two inputs, in which rows or metrics are alike."""
    rng = np.random.default_rng(5)
    values = rng.uniform(0.1, 1.0, (n, 4))
    if kind == "equal rows":
        values = values[rng.integers(0, n // 3, n)]
    elif kind == "few digits":
        values = rng.integers(1, 3, (n, 4)) / 4
    elif kind == "beyond the key":
        # What is too small to change a sum of all metrics tells these rows apart.
        values[:, :2] = 0.75
        values[:, 2] = rng.integers(1, 9, n) * 1e-20
        values[:, 3] = rng.integers(1, 3, n) * 1e-20
        values[0, 2:] = 1.0
    elif kind == "metrics of the same values":
        values[:, 1] = rng.permutation(values[:, 0])
        values[:, 3] = rng.permutation(values[:, 2])
    return values


def make_data(values: np.ndarray, labels: list[int], columns: list[int]) -> Data:
    frame = pd.DataFrame(values, labels, [f"m{c}" for c in columns])
    return Data(frame.iloc[:, :2], frame.iloc[:, 2:])


KINDS = ["", "equal rows", "few digits", "beyond the key", "metrics of the same values"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_own", [True, False])
def test_any_order_and_unit_of_a_table_has_the_same_canonical_one(kind, is_own) -> None:
    n = 40
    values = draw_table(kind, n)
    tested = values if is_own else values[::3] * 0.5
    options = db.models.CCR(returns="vrs")

    def arrange(rows, tested_rows, columns, units) -> list[np.ndarray]:
        reference = make_data((values * units)[np.ix_(rows, columns)], list(rows), columns)
        data = reference
        if not is_own:
            data = make_data(
                (tested * units)[np.ix_(tested_rows, columns)], list(tested_rows), columns
            )
        canonical = CanonicalTask.of(Task(data, reference, options, is_own))
        parts = [canonical.task.data, canonical.task.reference]
        # A position leads back to the row that stood there.
        moved = data.outputs.to_numpy()[canonical.rows]
        assert (np.sort(moved, axis=1) == np.sort(parts[0].outputs.to_numpy(), axis=1)).all()
        sides = [side.to_numpy() for part in parts for side in (part.outputs, part.inputs)]
        units_of_sides = [
            np.array([units[int(name[1:])] for name in side.columns])
            for part in parts
            for side in (part.outputs, part.inputs)
        ]
        return [side / unit for side, unit in zip(sides, units_of_sides, strict=True)]

    expected = arrange(np.arange(n), np.arange(len(tested)), [0, 1, 2, 3], np.ones(4))
    for seed in range(4):
        rng = np.random.default_rng(seed)
        columns = [*rng.permutation(2).tolist(), *(2 + rng.permutation(2)).tolist()]
        arranged = arrange(
            rng.permutation(n),
            rng.permutation(len(tested)),
            columns,
            2.0 ** rng.integers(-9, 9, 4),
        )
        for side, other in zip(expected, arranged, strict=True):
            assert (side == other).all()


@pytest.mark.parametrize("kind", KINDS)
def test_equal_rows_stay_in_their_order(kind) -> None:
    values = draw_table(kind, 60)
    data = make_data(values, list(range(60)), [0, 1, 2, 3])
    sides = [data.outputs.to_numpy().T, data.inputs.to_numpy().T]
    order = _row_order(sides, [0, 1], [0, 1]).tolist()
    assert sorted(order) == list(range(60))
    for first, second in pairwise(order):
        assert first < second or (values[first] != values[second]).any()
