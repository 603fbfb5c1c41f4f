"""Data from code are written once, and mapped by every worker."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from deabench.study import Study
from deabench.study.data.loaders import IN_MEMORY
from deabench.study.data.shared import read_dataset, write_dataset


def study_data(X):
    y = np.arange(len(X)) % 3 // 2
    study = Study({"d": (X, y)}, {"m": "majority"}, split=2, positive=1)
    return study.plan.datasets()[0]


@pytest.mark.parametrize("kind", ["numbers", "texts", "one row each"])
def test_data_come_back_as_they_were(kind, tmp_path):
    X = pd.DataFrame({"a": np.linspace(0, 1, 12), "b": [1.0, np.nan, 3.0] * 4})
    if kind == "texts":
        X["town"] = pd.Categorical(["x", "y", None, "x"] * 3)
    if kind == "one row each":
        X = X[["a"]]
    data = study_data(X)
    write_dataset(data, tmp_path)
    copy = read_dataset(data.identity, tmp_path)
    np.testing.assert_array_equal(copy.X, data.X)
    np.testing.assert_array_equal(copy.y, data.y)
    pd.testing.assert_frame_equal(copy.frame, data.frame)
    # the digests are computed again, not read
    for name in ("sha256", "head_sha256"):
        copy.__dict__.pop(name, None)
    assert copy.identity == data.identity


def test_workers_map_the_rows_and_hold_them_once(tmp_path):
    data = study_data(np.random.default_rng(0).normal(size=(20_000, 5)))
    assert np.shares_memory(data.X, data.frame.to_numpy(copy=False))
    write_dataset(data, tmp_path)
    size = (tmp_path / f"{data.identity}.rows").stat().st_size
    assert size < 1.3 * data.X.nbytes
    copy = read_dataset(data.identity, tmp_path)
    assert not copy.X.flags.writeable  # the file's own pages
    assert np.shares_memory(copy.X, copy.frame.to_numpy(copy=False))
    # what a task gets is its own
    rows = copy.frame.iloc[np.arange(5)]
    rows.iloc[0, 0] = 99.0
    assert copy.frame.iloc[0, 0] == data.X[0, 0]


def test_what_is_not_there_is_not_read(tmp_path):
    assert read_dataset("none", tmp_path) is None


def test_a_data_set_is_written_once(tmp_path):
    data = study_data(np.arange(24.0).reshape(12, 2))
    assert IN_MEMORY[data.identity] is data
    write_dataset(data, tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert len(before) == 2
    write_dataset(data, tmp_path)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before
