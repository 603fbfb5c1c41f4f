"""DataFrames with labels and cells of unusual types: the same answers, or a refusal by name."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.errors import DataError, SolveError

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")

BOARD = pd.DataFrame(
    {"accuracy": [0.9, 0.8, 0.7], "f1": [0.5, 0.75, 0.5], "latency_ms": [1.0, 2.0, 4.0]},
    index=list("abc"),
)
COLUMNS = {"outputs": ["accuracy", "f1"], "inputs": ["latency_ms"]}


@cache
def expected_scores(model: str) -> np.ndarray:
    return db.rank(BOARD, model=model, **COLUMNS).scores.to_numpy()


@cache
def expected_text() -> str:
    return db.rank(BOARD, **COLUMNS).explain("c")


@pytest.mark.parametrize(
    "labels",
    [
        pd.Index([("a", 1), ("b", 2), ("c", 3)], tupleize_cols=False),
        pytest.param(pd.Index([True, False, "c"], dtype=object), marks=pytest.mark.slow),
        pd.interval_range(0, 3),
        pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)], names=["system", "seed"]),
        pytest.param(pd.date_range("2026-01-01", periods=3), marks=pytest.mark.slow),
        pd.Index(list("abc"), name="accuracy"),
        pd.CategoricalIndex(list("abc"), categories=list("zcba")),
    ],
    ids=["tuples", "truths", "intervals", "levels", "dates", "named-as-a-metric", "categories"],
)
def test_labels_of_any_type_name_the_rows(labels, undrawn) -> None:
    table = BOARD.set_axis(labels, axis=0)
    for model in ("ccr", "cross"):
        scores = db.rank(table, model=model, **COLUMNS).scores
        np.testing.assert_array_equal(scores, expected_scores(model))
    ranking = db.rank(table, **COLUMNS)
    name = ranking.scores.index[2]
    assert len(ranking.explain(name)) >= len(expected_text())
    assert db.targets(table, table, outputs=["accuracy", "f1"]).distance.notna().all()
    assert db.layers(table, **COLUMNS).frame["layer"].tolist() == [1, 1, 2]
    assert db.weightings(table, draws=64, **COLUMNS).ranks["best"].tolist() == [1, 1, 2]
    assert "accuracy" in db.report(table, **COLUMNS).to_html()


def test_two_truths_as_labels_are_no_mask() -> None:
    table = BOARD.iloc[:2].set_axis([True, False], axis=0)
    targets = db.targets(table, table, outputs=["accuracy", "f1"])
    assert targets.distance.to_dict() == {"True": 0.0, "False": 0.0}
    assert db.layers(table, **COLUMNS).frame["layer"].tolist() == [1, 1]


def test_labels_that_are_written_alike_are_refused(refused) -> None:
    with refused(
        "the label '1' stands on more than one row; give every classifier a name of its own"
    ):
        db.rank(BOARD.set_axis(pd.Index([1, "1", "c"], dtype=object), axis=0))
    levels = pd.MultiIndex.from_tuples([("a", 1), ("a", 1), ("b", 1)])
    with refused(
        "the label 'a, 1' stands on more than one row; give every classifier a name of its own"
    ):
        db.rank(BOARD.set_axis(levels, axis=0))


def test_a_frame_that_takes_no_duplicate_labels_is_read() -> None:
    table = BOARD.copy().set_flags(allows_duplicate_labels=False)
    assert db.rank(table, **COLUMNS).scores.equals(db.rank(BOARD, **COLUMNS).scores)
    assert not table.flags.allows_duplicate_labels


def test_fractions_are_numbers() -> None:
    table = BOARD.map(lambda value: Fraction(str(value)))
    assert db.rank(table).scores.equals(db.rank(BOARD).scores)
    beyond = table.copy()
    beyond.loc["a", "latency_ms"] = Fraction(10**400)
    with pytest.raises(DataError, match="metric 'latency_ms' of 'a' is inf"):
        db.rank(beyond)


def test_complex_numbers_count_where_they_are_real(refused) -> None:
    table = BOARD.astype(complex)
    assert db.rank(table).scores.equals(db.rank(BOARD).scores)
    table.loc["b", "f1"] = 0.75 + 0.5j
    with refused("metric 'f1' of 'b' is the text '(0.75+0.5j)'; DEA needs a number"):
        db.rank(table, outputs=["accuracy", "f1"])


@pytest.mark.parametrize("value", [5e-324, 1e-305, 1.1e304, 1.7976931348623157e308])
@pytest.mark.parametrize("analyse", [db.rank, db.frontier, db.weightings, db.layers])
def test_numbers_at_the_ends_of_floats_are_refused_by_name(refused, value, analyse) -> None:
    table = BOARD[["accuracy", "f1"]].copy()
    table.loc["b", "f1"] = value
    with refused(
        f"metric 'f1' of 'b' is {value:g}; give the metric in another unit, in which numbers are 0 "
        "or from 1e-304 to 1e+304 in size"
    ):
        analyse(table, outputs=["accuracy", "f1"])


@pytest.mark.parametrize("factor", [1e-303, 1e303])
def test_metrics_within_these_ends_are_computed_with(factor) -> None:
    table = BOARD.assign(f1=BOARD["f1"] * factor, latency_ms=BOARD["latency_ms"] * factor)
    for model in ("ccr", "sbm", "cross", "additive", "ddf", "super"):
        db.rank(table, model=model, **COLUMNS)


def test_values_too_far_apart_for_the_solver_are_named() -> None:
    table = BOARD.copy()
    table.loc["b", "latency_ms"] = 1e60
    with pytest.raises(SolveError, match="leave out the row or the metric whose values are so far"):
        db.scale_efficiency(table, **COLUMNS)


def test_groups_and_samples_of_another_type_are_refused(refused) -> None:
    with refused(
        "by is a list; give the column of groups, or a mapping of each label to its group"
    ):
        db.groups(BOARD, ["x", "x", "y"])  # type: ignore[arg-type]
    with refused(
        "samples is a DataFrame; give deabench.Samples, as "
        "deabench.Samples.from_predictions(y, predictions) returns them"
    ):
        db.rank_sets(BOARD, {"accuracy": 1.0})  # type: ignore[arg-type]


def test_recommend_refuses_data_without_columns(refused) -> None:
    with refused(
        "data set 'the new data' has no columns; give its features and the class, the class last"
    ):
        db.recommend(pd.DataFrame(index=range(3)))


@pytest.mark.parametrize("labels", [["near", "far", "r2"], ["recall", "f1", "auc"]])
def test_systems_may_be_called_like_metrics_where_the_metrics_are_named(labels) -> None:
    expected = db.rank(BOARD.set_axis(list("xyz"), axis="columns"), outputs=["x", "y"]).scores
    table = BOARD.set_axis(labels).set_axis(list("xyz"), axis="columns")
    ranking = db.rank(table, outputs=["x", "y"])
    assert ranking.scores.index.tolist() == labels
    np.testing.assert_array_equal(ranking.scores, expected)
    # Names of rows are metrics in rows, as before.
    turned = db.rank(table, outputs=labels[1:])
    assert turned.scores.index.tolist() == list("xyz")


def test_rows_of_a_reference_that_are_called_as_metrics_are_no_metrics() -> None:
    columns = ["m0", "m1"]
    table = pd.DataFrame([[0.5, 0.7], [0.8, 0.6]], ["ours", "theirs"], columns)
    # R1, R2 and R5 are usual names of metrics; the named columns are those of the table.
    rows = ["r0", "r1", "r2", "r3", "r5"]
    reference = pd.DataFrame(np.linspace(0.3, 0.9, 10).reshape(5, 2), rows, columns)
    ranking = db.rank(table, outputs=columns, reference=reference)
    assert ranking.reference.labels.tolist() == rows
    targets = db.targets(reference, table, outputs=columns)
    assert targets.gaps.index.tolist() == rows
    assert list(db.malmquist(reference, reference * 1.1, outputs=columns).frame.index) == rows
