"""Arguments that name columns mean the same for rows in a file and for rows in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from deabench.study import Study
from deabench.study.data.dataset import Dataset


@pytest.fixture
def rows() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    n = 24
    return pd.DataFrame(
        {
            "x": rng.normal(size=n).round(3),
            "person": np.arange(n) // 3,
            "day": np.arange(n)[::-1],
            "trust": rng.integers(1, 4, n),
            "price": rng.integers(1, 9, n),
            "ill": np.arange(n) % 3 // 2,
        }
    )


def dataset_of(data: Any, tmp_path: Path, **options: Any) -> Dataset:
    study = Study(
        {"d": data}, {"m": "majority"}, split=3, store=tmp_path / "store.sqlite", **options
    )
    return study.plan.datasets()[0]


def test_columns_of_a_file_are_those_of_the_table(rows: pd.DataFrame, tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    rows.to_csv(file, index=False)
    options = {
        "target": "ill",
        "groups": "person",
        "time": {"d": "day"},
        "weights": "trust",
        "costs": {"d": "price"},
        "positive": 1,
    }
    for data in (dataset_of(file, tmp_path, **options), dataset_of(rows, tmp_path, **options)):
        assert data.y.tolist() == rows["ill"].tolist()
        assert np.ravel(data.X).tolist() == rows["x"].tolist()
        assert data.groups is not None
        assert len(set(zip(data.groups, rows["person"], strict=True))) == 8
        assert np.argsort(data.times).tolist() == rows["day"].argsort().tolist()
        assert data.weights.tolist() == rows["trust"].tolist()
        assert data.costs.tolist() == rows["price"].tolist()


def test_costs_of_classes_are_costs_of_their_rows(rows: pd.DataFrame, tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    rows[["x", "ill"]].to_csv(file, index=False)
    for costs in ({"FP": 1, "FN": 5}, {"d": {"FP": 1, "FN": 5}}):
        data = dataset_of(file, tmp_path, target="ill", costs=costs)
        assert data.costs.tolist() == np.where(rows["ill"] == 1, 5, 1).tolist()


def test_rows_in_a_file_have_their_values_there(
    rows: pd.DataFrame, tmp_path: Path, refused: Any
) -> None:
    file = tmp_path / "rows.csv"
    rows.to_csv(file, index=False)
    with refused(
        "the groups of data set 'd' are an array, but its rows are in a file; name the file's "
        "column"
    ):
        dataset_of(file, tmp_path, groups=np.arange(len(rows)))
    with refused(
        "data set 'ecoli4' is known by that name; give {'ecoli4': 'ecoli4'} instead of 'd'"
    ):
        dataset_of("ecoli4", tmp_path)
    with refused("weights of data set 'd' has shape (3,) for 24 rows; give one per row"):
        dataset_of(rows, tmp_path, target="ill", weights=[1, 2, 3])
