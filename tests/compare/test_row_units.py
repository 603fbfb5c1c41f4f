"""Rows that are called folds or runs are no independent data sets."""

from __future__ import annotations

import io
import warnings

import numpy as np
import pandas as pd
import pytest

from deabench import compare
from deabench.cli import main
from deabench.compare.row_units import find_row_unit

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
NOTE = "the rows are runs on one test set: the test speaks of other runs alone, not of other data"


def draw_scores(rows: int = 10, k: int = 3) -> pd.DataFrame:
    values = np.random.default_rng(7).normal(0.8, 0.03, size=(rows, k)).round(4)
    return pd.DataFrame(values + 0.02 * np.arange(k), columns=list("abcdef")[:k])


REPEATED = pd.MultiIndex.from_product([range(2), range(5)], names=["repeat", "fold"])


@pytest.mark.parametrize(
    ("index", "noun", "folds"),
    [
        (pd.RangeIndex(10), "data set", None),
        (pd.RangeIndex(10, name="dataset"), "data set", None),
        (pd.RangeIndex(10, name="problem"), "data set", None),
        (pd.RangeIndex(10, name="fold"), "fold", 10),
        (pd.RangeIndex(10, name="CV fold"), "fold", 10),
        (REPEATED, "fold", 5),
        (REPEATED.rename(["seed", "fold"]), "fold", 5),
        (REPEATED.rename(["dataset", "fold"]), "data set", None),
        (REPEATED.rename(["repeat", "seed"]), "run", None),
        (pd.RangeIndex(10, name="seed"), "run", None),
        (pd.RangeIndex(10, name="run"), "run", None),
        (pd.RangeIndex(10, name="repeat"), "run", None),
        (pd.Index([f"fold {k}" for k in range(10)]), "fold", 10),
        (pd.Index([f"Run_{k}" for k in range(10)]), "run", None),
        (pd.Index(["fold 1", *"bcdefghij"]), "data set", None),
        (pd.Index(["train", *"bcdefghij"], name="split"), "data set", None),
        (pd.MultiIndex.from_product([[0], range(10)], names=["fold", "seed"]), "run", None),
    ],
)
def test_rows_are_known_by_their_names(index, noun, folds) -> None:
    unit = find_row_unit(draw_scores().set_axis(index))
    assert (unit.noun, unit.folds) == (noun, folds)


@pytest.mark.parametrize("index", [pd.RangeIndex(10, name="fold"), REPEATED])
def test_rows_called_folds_are_compared_as_with_folds(index, refused) -> None:
    folds = index.get_level_values("fold").nunique()
    table = draw_scores()
    result = compare.compare(table.set_axis(index))
    expected = compare.compare(table, folds=folds)
    pd.testing.assert_frame_equal(result.pairs, expected.pairs)
    assert (result.test, result.reason, result.notes) == (
        expected.test,
        expected.reason,
        expected.notes,
    )
    assert result.unit == "fold"
    # Not the tests of data sets, whose p values are too small on folds.
    assert not result.pairs["p_value"].equals(compare.compare(table).pairs["p_value"])
    bayes = compare.bayesian(table.set_axis(index), rope=0.01)
    pd.testing.assert_frame_equal(
        bayes.pairs, compare.bayesian(table, rope=0.01, folds=folds).pairs
    )
    with refused(
        "the rows are called folds, and folds of one data set are compared by the corrected t "
        "test, all scores present; leave test, clusters and missing out"
    ):
        compare.compare(table.set_axis(index), test="wilcoxon")


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("test", ["auto", "wilcoxon", "permutation", "t"])
def test_runs_have_the_figures_of_data_sets_and_words_of_their_own(k, test) -> None:
    table = draw_scores(k=k)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        runs = compare.compare(table.rename_axis("seed"), test=test)
    datasets = compare.compare(table, test=test)
    pd.testing.assert_frame_equal(runs.pairs, datasets.pairs)
    assert runs.unit == "run"
    assert NOTE in runs.notes
    assert NOTE not in datasets.notes
    said = "\n".join([runs.summary(), *(str(warning.message) for warning in caught)])
    assert "data set" not in said
    assert f"{k} systems over 10 runs" in said
    assert "data set" in datasets.summary()
    assert "data set" not in runs.report()


def test_runs_with_gaps_are_called_runs() -> None:
    table = draw_scores().rename_axis("run")
    table.iloc[0, 0] = np.nan
    summary = compare.compare(table, missing="skillings-mack").summary()
    assert "data set" not in summary
    assert "3 systems over 10 runs with scores missing" in summary


def test_a_posterior_over_runs_says_so() -> None:
    assert NOTE in compare.bayesian(draw_scores().rename_axis("seed"), rope=0.01).notes


@pytest.mark.parametrize("layout", ["wide", "numbered", "long"])
@pytest.mark.parametrize("keys", [["fold"], ["repeat", "fold"], ["cv_fold"]])
def test_a_file_of_folds_is_compared_as_with_folds(keys, layout, tmp_path, capsys) -> None:
    table = draw_scores()
    index = REPEATED if len(keys) == 2 else pd.RangeIndex(10, name=keys[0])
    frame = table.set_axis(index).reset_index()
    file = tmp_path / "folds.csv"
    if layout == "long":
        frame = frame.melt(keys, var_name="model", value_name="accuracy")
    frame.to_csv(file, index=layout == "numbered")
    assert main(["compare", str(file), "--format", "csv"]) == 0
    out, err = capsys.readouterr()
    expected = compare.compare(table, folds=10 // (index.nlevels))
    assert f"{expected.reason}\n" in err
    pairs = pd.read_csv(io.StringIO(out))
    assert pairs["p_value"].to_numpy() == pytest.approx(expected.pairs["p_value"], rel=1e-12)
    assert main(["compare", str(file), "--test", "tost", "--margin", "0.1", "--format", "csv"]) == 0
    assert "corrected for folds" in capsys.readouterr().err


@pytest.mark.parametrize("word", ["seed", "run", "repeat", "random_state", "trial"])
def test_a_file_of_runs_is_called_so(word, tmp_path, capsys) -> None:
    frame = draw_scores(6, 2).rename_axis(word).reset_index()
    file = tmp_path / "runs.csv"
    frame.melt(word, var_name="model", value_name="accuracy").to_csv(file, index=False)
    assert main(["compare", str(file)]) == 0
    err = capsys.readouterr().err
    assert "2 systems over 6 runs: " in err
    assert NOTE in err
    assert "data set" not in err


def test_folds_of_several_data_sets_are_averaged(tmp_path, capsys) -> None:
    rows = pd.MultiIndex.from_product([list("uvwxyz"), range(3)], names=["dataset", "fold"])
    frame = draw_scores(18).set_axis(rows)
    frame.to_csv(tmp_path / "both.csv")
    frame.groupby("dataset").mean().to_csv(tmp_path / "means.csv")
    answers = []
    for name in ("both.csv", "means.csv"):
        assert main(["compare", str(tmp_path / name), "--format", "csv"]) == 0
        answers.append(capsys.readouterr())
    assert answers[0].out == answers[1].out
    assert answers[0].err == answers[1].err
    assert "3 systems over 6 data sets" in answers[0].err


def test_rows_that_are_declared_data_sets_are_data_sets(tmp_path, capsys) -> None:
    draw_scores().rename_axis("fold").to_csv(tmp_path / "folds.csv")
    assert main(["compare", str(tmp_path / "folds.csv"), "--dataset", "fold"]) == 0
    assert "3 systems over 10 data sets" in capsys.readouterr().err


def test_what_has_no_index_is_taken_for_data_sets() -> None:
    assert find_row_unit({"a": [0.1, 0.2]}).noun == "data set"
