"""Frames of polars and pyarrow are taken wherever pandas frames are."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import deabench as db
from deabench.utils.frames import index_to_columns, to_pandas, with_named_rows

LIBRARIES = {"polars": pl.DataFrame, "lazy": pl.LazyFrame, "pyarrow": pa.table}


def _labels(rng: np.random.Generator) -> tuple[list[int], dict[str, list[int]]]:
    """Return true labels and those of two classifiers."""
    y = [1] * 40 + [0] * 60
    return y, {
        name: (rng.random(100) < 0.3 + 0.4 * np.array(y)).astype(int).tolist() for name in "ab"
    }


@pytest.fixture(params=LIBRARIES)
def foreign(request):
    """Make a frame of another library of a dictionary of columns."""
    return LIBRARIES[request.param]


def test_a_frame_of_any_library_becomes_pandas_and_other_data_none(foreign):
    columns = {"a": [1.5, None], "b": ["x", "y"]}
    assert to_pandas(foreign(columns)).equals(pd.DataFrame(columns))
    assert to_pandas([1, 2]) is None
    assert to_pandas({"a": [1]}) is None


def test_a_first_column_of_text_or_of_a_key_names_the_rows(foreign):
    frame = with_named_rows(foreign({"data": ["x", "y"], "a": [1, 2]}))
    assert frame.index.tolist() == ["x", "y"]
    frame = with_named_rows(foreign({"Fold": [1, 2], "a": [1, 2]}))
    assert frame.index.tolist() == [1, 2]
    # Numbers written as text are scores; a pandas frame names its rows by its index.
    frame = with_named_rows(foreign({"a": ["1", "2"], "b": [1, 2]}))
    assert frame.columns.tolist() == ["a", "b"]
    frame = pd.DataFrame({"a": ["x", "y"], "b": [1, 2]})
    assert with_named_rows(frame) is frame


def test_metrics_take_frames_of_any_library(foreign):
    y, labels = _labels(np.random.default_rng(0))
    expected = db.metrics.from_predictions(y, labels)
    assert db.metrics.from_predictions(y, foreign(labels)).equals(expected)
    assert db.metrics.from_predictions(pl.Series(y), foreign(labels)).equals(expected)
    counts = db.metrics.count(y, labels)
    columns = counts.reset_index().to_dict(orient="list")
    assert db.metrics.from_counts(foreign(columns)).equals(db.metrics.from_counts(counts))
    assert db.metrics.undefined(foreign(columns)).equals(db.metrics.undefined(counts))
    pooled = db.metrics.pooled(foreign(columns), "classifier")
    assert pooled.equals(db.metrics.pooled(counts, "classifier"))
    averaged = db.metrics.averaged(foreign(columns), "classifier", metrics=["TPR"])
    assert averaged.equals(db.metrics.averaged(counts, "classifier", metrics=["TPR"]))
    intervals = db.metrics.intervals(y, foreign(labels), metrics=["TPR"])
    assert intervals.table.equals(db.metrics.intervals(y, labels, metrics=["TPR"]).table)


def test_scores_of_classes_take_frames_of_any_library(foreign):
    scores = {"a": [0.8, 0.3, 0.1], "b": [0.1, 0.5, 0.3], "c": [0.1, 0.2, 0.6]}
    classes = ["a", "b", "c"]
    expected = db.metrics.from_class_scores(classes, {"net": pd.DataFrame(scores)})
    assert db.metrics.from_class_scores(classes, {"net": foreign(scores)}).equals(expected)
    curves = db.curves.per_class(db.curves.roc, classes, foreign(scores))
    assert [curve.auc for curve in curves.values()] == [1, 1, 1]
    curve = db.curves.roc(pl.Series([1, 0, 1]), pl.Series([0.9, 0.1, 0.8]))
    assert curve.auc == 1


def test_samples_take_frames_of_any_library(foreign):
    y, labels = _labels(np.random.default_rng(1))
    expected = db.Samples.from_predictions(y, labels).to_frame()
    assert db.Samples.from_predictions(y, foreign(labels)).to_frame().equals(expected)
    scores = {name: np.random.default_rng(k).random(100).tolist() for k, name in enumerate("ab")}
    assert (
        db.Samples.from_scores(y, foreign(scores))
        .to_frame()
        .equals(db.Samples.from_scores(y, scores).to_frame())
    )
    counts = db.metrics.count(y, labels)
    columns = counts.reset_index().to_dict(orient="list")
    assert (
        db.Samples.from_counts(foreign(columns))
        .to_frame()
        .equals(db.Samples.from_counts(counts).to_frame())
    )
    outcomes = {"right": {"a": [1, 0, 1, 1], "b": [0, 0, 1, 1]}}
    assert (
        db.Samples.from_outcomes({"right": foreign(outcomes["right"])})
        .to_frame()
        .equals(db.Samples.from_outcomes({"right": pd.DataFrame(outcomes["right"])}).to_frame())
    )


@pytest.mark.parametrize("word", ["classifier", "model", "system"])
@pytest.mark.parametrize("block", ["fold", "dataset", "task"])
def test_samples_of_blocks_take_any_library_and_the_words_of_the_field(foreign, word, block):
    rng = np.random.default_rng(2)
    columns = {
        word: ["a"] * 12 + ["b"] * 12,
        block: [*range(12)] * 2,
        "acc": rng.uniform(0.6, 0.9, 24).tolist(),
    }
    frame = pd.DataFrame(columns).rename(columns={word: "classifier", "task": "dataset"})
    make = db.Samples.from_folds if block == "fold" else db.Samples.from_datasets
    assert make(foreign(columns)).to_frame().equals(make(frame).to_frame())


def test_a_table_with_standard_errors_and_costs_may_be_of_any_library(foreign):
    table = {"model": ["a", "b"], "acc": [0.8, 0.7], "f1": [0.6, 0.65]}
    errors = {"model": ["a", "b"], "acc": [0.01, 0.02], "f1": [0.02, 0.02]}
    samples = db.Samples.from_table(foreign(table), foreign(errors))
    expected = db.Samples.from_table(
        pd.DataFrame(table).set_index("model"), pd.DataFrame(errors).set_index("model")
    )
    assert samples.to_frame().equals(expected.to_frame())
    timings = {"a": [1.0, 1.2, 1.1], "b": [2.0, 2.1, 2.2]}
    with_costs = samples.with_costs({"seconds": foreign(timings)})
    assert with_costs.values["seconds"].tolist() == pytest.approx([1.1, 2.1])


def test_comparisons_take_frames_of_any_library(foreign):
    rng = np.random.default_rng(3)
    scores = {"dataset": [f"d{k}" for k in range(12)]}
    scores |= {name: rng.uniform(0.5, 1, 12).tolist() for name in "abc"}
    table = pd.DataFrame(scores).set_index("dataset")
    compare = db.compare
    assert compare.compare(foreign(scores)).pairs.equals(compare.compare(table).pairs)
    friedman = compare.friedman(foreign(scores))
    assert friedman.tests.equals(compare.friedman(table).tests)
    groups = {"a": [1, 2, 3], "b": [2, 3, 5]}
    assert compare.anova(foreign(groups)).table.equals(compare.anova(groups).table)
    ranks = db.conformal_ranks(foreign(scores), level=0.8)
    assert ranks.table.equals(db.conformal_ranks(table, level=0.8).table)
    long = table.stack().rename("score").rename_axis(["task", "model"]).reset_index()
    wide = compare.from_long(foreign(long.to_dict(orient="list")))
    assert wide.equals(table)


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")  # three folds
def test_keys_may_be_index_levels_and_columns_at_once():
    """set_index(drop=False) leaves the keys among the columns."""
    folds = pd.DataFrame(
        {"classifier": ["a", "b"] * 3, "fold": [0, 0, 1, 1, 2, 2], "acc": [5, 4, 6, 4, 7, 4]}
    )
    indexed = folds.set_index(["classifier", "fold"], drop=False)
    expected = db.Samples.from_folds(folds).to_frame()
    assert db.Samples.from_folds(indexed).to_frame().equals(expected)


def test_an_index_level_with_the_name_of_a_column_is_its_label():
    frame = pd.DataFrame({"rank": [1, 2]}, pd.Index(["a", "b"], name="rank"))
    assert index_to_columns(frame).columns.tolist() == ["rank_label", "rank"]
    assert frame.index.name == "rank"
    assert index_to_columns(frame.rename_axis(None)).columns.tolist() == ["index", "rank"]
