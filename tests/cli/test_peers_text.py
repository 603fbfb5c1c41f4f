"""Peers as text, made column by column: the same as cell by cell."""

from __future__ import annotations

import numpy as np
import pandas as pd

from deabench.cli.rank import listed
from deabench.utils.arrays import Sparse


def naive(columns: list[int], values: list[float], labels: list[str]) -> str:
    shown = {
        labels[j]: value
        for j, value in zip(columns, values, strict=True)
        if j >= 0 and value >= 0.005
    }
    return ", ".join(
        f"{label} {value:.2f}" for label, value in sorted(shown.items(), key=lambda pair: -pair[1])
    )


def test_peers_are_listed_largest_first_and_rounded_as_python_rounds() -> None:
    rng = np.random.default_rng(0)
    columns = np.array([rng.permutation(9)[:4] for _ in range(500)])
    values = rng.dirichlet(np.ones(4), 500).round(
        3
    )  # thousandths: many lie half-way between two texts
    values[:, 1] = np.where(rng.uniform(size=500) < 0.3, 0.0, values[:, 1])
    columns[::7, 2] = -1
    values[::7, 2] = 0.0
    values[0] = [1.0000000000000027, 0.0, 0.0, 0.0]
    values[1] = [-1e-17, 1.0, 0.0, 0.0049999]
    labels = [f"c{k}" for k in range(9)]
    found = listed(Sparse(columns.astype(np.int32), values), pd.Index(labels))
    assert found == [
        naive(*row, labels) for row in zip(columns.tolist(), values.tolist(), strict=True)
    ]


def test_nobody_has_an_empty_list() -> None:
    assert listed(
        Sparse(np.full((2, 3), -1, dtype=np.int32), np.zeros((2, 3))), pd.Index(["a"])
    ) == ["", ""]


def test_a_huge_lambda_is_written_as_python_writes_it() -> None:
    values = np.array([[123456789012345.67, 1e17], [3e22, 0.125], [0.375, 0.0]])
    columns = np.array([[0, 1], [1, 0], [1, -1]], dtype=np.int32)
    assert listed(Sparse(columns, values), pd.Index(["a", "b"])) == [
        naive(*row, ["a", "b"]) for row in zip(columns.tolist(), values.tolist(), strict=True)
    ]
