"""The data of a run are written once, and mapped by every worker."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier
from study_runs import run_here

from deabench.study import Study
from deabench.study.data.loaders import IN_MEMORY, load_dataset
from deabench.study.data.shared import SharedDatasets, read_dataset, write_dataset


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


def test_two_data_sets_of_the_same_rows_keep_their_names(tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = np.arange(60) % 3 // 2
    # each split considers one column, which the seed draws, and the seed comes from the name
    tree = DecisionTreeClassifier(max_features=1)
    counts = {}
    for names in (("a", "b"), ("a",), ("b",)):
        store = tmp_path / f"{names}.sqlite"
        study = Study(dict.fromkeys(names, (X, y)), {"tree": tree}, split=3, store=store)
        assert [data.name for data in study.plan.datasets()] == list(names)
        run_here(study)
        counts[names] = study.results()[["tp", "fn", "fp", "tn"]]
    alone = pd.concat([counts["a",], counts["b",]])
    pd.testing.assert_frame_equal(counts["a", "b"], alone)
    assert not counts["a",].droplevel("dataset").equals(counts["b",].droplevel("dataset"))


@pytest.fixture
def file_study(tmp_path):
    """A study of one file, and what a run is given of its data."""
    frame = pd.DataFrame({"x": np.arange(24.0), "class": ["a", "b", "b"] * 8})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    return Study(
        {"rows": tmp_path / "rows.csv"},
        {"none": "majority"},
        split=2,
        store=tmp_path / "study.sqlite",
    )


def datasets_of(study):
    return dict(zip(study.plan.data, study.plan.datasets(), strict=True))


def test_a_file_is_written_once_and_read_by_no_worker(file_study, tmp_path):
    (tmp_path / "shared").mkdir()
    shared = SharedDatasets(datasets_of(file_study), tmp_path / "shared")
    spec = shared.share(file_study.plan.data[0])
    assert shared.share(file_study.plan.data[0]) is spec
    assert len(list((tmp_path / "shared").iterdir())) == 2
    (tmp_path / "rows.csv").unlink()
    copy = load_dataset(spec)
    assert copy.sha256 == file_study.plan.datasets()[0].sha256
    # mapped, not copied: the array cannot be written
    assert not copy.X.flags.writeable


@pytest.mark.slow
def test_a_file_that_is_deleted_during_a_run_changes_no_digest(file_study, tmp_path):
    undisturbed = run_here(file_study).digest
    file_study.plan.store.unlink()
    status = file_study.run(
        workers=1, begin=lambda *_: (tmp_path / "rows.csv").unlink(), show_progress=False
    )
    assert (status.done, status.digest) == (2, undisturbed)


def test_a_full_disk_is_named(file_study, tmp_path, refused):
    shared = SharedDatasets(datasets_of(file_study), tmp_path / "absent")
    with refused(
        f"data set 'rows' cannot be written to '{tmp_path / 'absent'}', from where the workers "
        "read it: No such file or directory; make room, or name another folder in the environment "
        "variable TMPDIR, and run again"
    ):
        shared.share(file_study.plan.data[0])
