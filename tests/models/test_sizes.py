"""Which DMUs and weights are small beside others, and who is alike in size, by loops."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.models.shared.scaled_data import metric_units, own_size_bands, small_rows
from deabench.models.shared.second_stage import rows_without_slack
from deabench.results.answer import Task
from deabench.tables.transforms import Data

SIZES = (0.0, 2.0**-13, 1 / 65, 1 / 64, 1 / 63, 0.5, 1.0, 3.0, 500.0)
"""Of the reference's largest values, next to a 64th of them."""
LARGEST = np.array([1.0, 8.0, 0.25])


def make_data(values: np.ndarray) -> Data:
    frame = pd.DataFrame(values, columns=list("abx"))
    return Data(frame[["a", "b"]], frame[["x"]])


def draw_task(seed: int, sizes: tuple[float, ...] = SIZES) -> Task:
    """Return a task whose reference has these powers of two as its largest values."""
    rng = np.random.default_rng(seed)
    tested = rng.choice(sizes, (9, 3)) * LARGEST
    reference = np.vstack([LARGEST, LARGEST * rng.uniform(0.1, 0.9, (4, 3))])
    return Task(make_data(tested), make_data(reference), db.models.CCR(returns="vrs"), False)


def is_small(value: float, largest: float) -> bool:
    return value != 0 and abs(value) * 64 <= largest


@pytest.mark.parametrize("seed", range(6))
def test_a_dmu_is_small_where_a_metric_of_it_is(seed) -> None:
    task = draw_task(seed, SIZES if seed % 2 else SIZES[4:])
    tested = np.column_stack([task.data.outputs, task.data.inputs])
    expected = [any(is_small(v, m) for v, m in zip(row, LARGEST, strict=True)) for row in tested]
    rows = np.arange(len(tested))
    assert small_rows(task, rows).tolist() == np.flatnonzero(expected).tolist()
    assert small_rows(task, rows[::2]).tolist() == rows[::2][expected[::2]].tolist()
    assert any(expected) == bool(seed % 2)


@pytest.mark.parametrize("seed", range(6))
def test_dmus_of_one_band_are_alike_in_every_metric(seed) -> None:
    task = draw_task(seed, SIZES if seed % 2 else SIZES[4:])
    tested = np.column_stack([task.data.outputs, task.data.inputs])
    bands: dict[tuple[int, ...], list[int]] = {}
    for k, row in enumerate(tested):
        band = tuple(
            0 if v == 0 else math.floor(max(math.log2(m / v), 0) / 6)
            for v, m in zip(row, LARGEST, strict=True)
        )
        bands.setdefault(band, []).append(k)
    expected = sorted((rows, any(band)) for band, rows in bands.items())
    bands_of_task = sorted((rows.tolist(), small) for rows, small in own_size_bands(task))
    assert bands_of_task == expected


def test_units_are_those_of_the_reference_or_of_all_that_are_tested() -> None:
    for sizes in ((0.0, 0.0), (1.0, 1e-9), (1 / 63, 1e-9), (1 / 64, 1e-9), (1 / 500, 1 / 400)):
        tested = np.array(sizes)[:, None] * LARGEST
        largest = max(sizes)
        own = LARGEST if largest == 0 else LARGEST * 2.0 ** math.floor(math.log2(largest))
        expected = own if own[0] * 64 <= LARGEST[0] else LARGEST
        assert metric_units(tested, LARGEST[None] * 1.5).tolist() == expected.tolist()


@pytest.mark.parametrize("share", [0.9e-5, 1.1e-5, 0.0, -1e-3])
@pytest.mark.parametrize("small", range(4))
def test_weights_leave_no_slack_where_all_are_a_share_of_the_largest(small, share) -> None:
    """Weights of metrics divided by their maxima, whatever the least values are."""
    table = np.array([[1.0, 20.0, 0.5, 4.0], [1e-3, 1.0, 0.4, 1e-6], [0.5, 1e-4, 1e-7, 2.0]])
    reference = pd.DataFrame(table, columns=list("abxz"))
    data = Data(reference[["a", "b"]], reference[["x", "z"]])
    worth = np.array([0.3, 1.0, 0.2, 0.5])
    worth[small] = share * max(np.delete(worth, small))
    weights = pd.DataFrame([worth / table.max(axis=0)], columns=list("abxz")).assign(u_0=-7.0)
    problem = SimpleNamespace(reference=data, data=data)
    assert rows_without_slack(problem, weights).tolist() == [share > 1e-5]
    # A metric that nobody can change may have any weight.
    given = replace(data, given=("abxz"[small],))
    problem = SimpleNamespace(reference=data, data=given)
    assert rows_without_slack(problem, weights).tolist() == [True]
