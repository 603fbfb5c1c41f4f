"""Many data sets: means, every data set by itself, one frontier of all, each held against `rank` on
the table it is of.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.cli import main

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def long(seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    rows = [
        (name, system, fold, *rng.random(2).round(3), round(rng.random(), 3) + 0.1)
        for name in ("iris", "wine", "glass")
        for system in "abcd"
        for fold in (0, 1)
    ]
    return pd.DataFrame(
        rows, columns=["dataset", "classifier", "fold", "accuracy", "error_rate", "fit_time"]
    )


LOWER = {"error_rate": 1.0}


@pytest.mark.parametrize(
    ("costs", "model"), [([], None), (["fit_time"], None), (["fit_time"], "fdh")]
)
def test_every_number_is_that_of_rank_on_its_own_table(costs, model) -> None:
    table = db.read(long(), lower_is_better=LOWER)
    options = {
        "outputs": ["accuracy", "error_rate"],
        "inputs": costs,
        "model": model,
    }
    rankings = db.by_dataset(table, **options)
    folds = long().drop(columns="fold").groupby(["dataset", "classifier"]).mean()
    for name in ("iris", "wine", "glass"):
        scores = db.rank(db.read(folds.loc[name], lower_is_better=LOWER), **options).scores
        np.testing.assert_allclose(
            rankings.each.loc[name, scores.index].astype(float), scores, atol=1e-9
        )
    pairs = folds.set_axis([f"{system}/{name}" for name, system in folds.index])
    pooled = db.rank(db.read(pairs, lower_is_better=LOWER), **options).scores
    for name, system in folds.index:
        assert rankings.pooled.loc[name, system] == pytest.approx(
            pooled[f"{system}/{name}"], abs=1e-9
        )
    np.testing.assert_allclose(
        rankings.frame["means"], db.rank(table, **options).scores, atol=1e-12
    )
    np.testing.assert_allclose(
        rankings.frame["each"], rankings.each.mean().astype(float), atol=1e-12
    )
    assert (rankings.frame["gap"] <= 1 + 1e-9).all()
    assert (rankings.pooled <= rankings.each.loc[rankings.pooled.index] + 1e-9).all(axis=None)
    assert rankings.frame["efficient_on"].sum() == (rankings.each > 1 - 1e-9).to_numpy().sum()


def test_a_metric_that_a_data_set_lacks_is_left_out_there_with_a_note() -> None:
    table = (
        long()
        .query("fold == 0")
        .drop(columns=["fold", "fit_time"])
        .set_index(["dataset", "classifier"])
    )
    table.loc["glass", "error_rate"] = np.nan
    table.loc[("wine", "b"), "accuracy"] = np.nan
    rankings = db.by_dataset(
        db.read(table.reset_index(), lower_is_better=LOWER),
        outputs=["accuracy", "error_rate"],
    )
    assert (
        "no system has 'error_rate' on data set 'glass'; ranked without it there" in rankings.notes
    )
    assert "1 pairs of a system and a data set lack a metric and have no score" in rankings.notes
    assert (
        "'each' is the mean over the 2 of 3 data sets on which all have a score" in rankings.notes
    )
    assert np.isnan(rankings.each.loc["wine", "b"])
    np.testing.assert_allclose(
        rankings.frame["each"], rankings.each.loc[["iris", "glass"]].astype(float).mean()
    )
    assert rankings.frame["datasets"].to_dict() == {"a": 3, "b": 2, "c": 3, "d": 3}
    assert (
        "one frontier of all data sets is without 'error_rate', which some data sets lack"
        in rankings.notes
    )
    complete = table.reset_index().dropna(subset="accuracy")
    np.testing.assert_allclose(
        rankings.pooled.stack().dropna().sort_index(),
        (
            complete.set_index(["dataset", "classifier"])["accuracy"] / complete["accuracy"].max()
        ).sort_index(),
    )


def test_tables_without_data_sets_and_inefficiencies_are_refused(refused) -> None:
    with refused(
        "the table has no data sets: no column names them, or no system stands on several rows; "
        "name the column with "
        "--dataset, or roles={'task': 'dataset'} of deabench.read"
    ):
        db.by_dataset({"model": ["a", "b"], "accuracy": [0.1, 0.2]})
    with refused(
        "missing='bounds' bounds the scores of deabench.rank; pass missing='drop-systems' or "
        "'drop-metrics'"
    ):
        db.by_dataset(long(), missing="bounds")
    with refused(
        "model 'additive' gives inefficiencies, which have no common measure; use another model"
    ):
        db.by_dataset(long(), model="additive")


def test_the_command_puts_them_side_by_side(tmp_path, capsys) -> None:
    path = tmp_path / "long.csv"
    long().to_csv(path, index=False)
    assert main(["rank", str(path), "--by-dataset", "--format", "csv"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == (
        "classifier,means,means_rank,each,each_rank,pooled,pooled_rank,gap,efficient_on,datasets"
    )
    assert len(out.splitlines()) == 5
    assert "means over 3 data sets" in err
    assert main(["rank", str(path), "--by-dataset", "--within", "fit_time=1"]) == 2
    assert (
        capsys.readouterr().err
        == "deabench: --within cannot be used with --by-dataset; leave it out\n"
    )
    assert "3 data sets, 4 systems." in db.by_dataset(path).summary()
    shipped = db.by_dataset(db.datasets.board("amlb-small"))
    assert (shipped.frame["gap"].dropna() <= 1 + 1e-9).all()


@pytest.mark.parametrize("model", ["wei", "score", "common"])
def test_quotients_of_outputs_and_inputs_are_ranked_over_data_sets(model) -> None:
    options = {"outputs": ["TPR", "TNR"], "inputs": ["seconds"], "model": model}
    rng = np.random.default_rng(3)
    keys = pd.MultiIndex.from_product([list("abcd"), list("xyz")], names=["classifier", "dataset"])
    table = pd.DataFrame(
        rng.uniform(0.5, 1, (12, 3)), keys, ["TPR", "TNR", "seconds"]
    ).reset_index()
    rankings = db.by_dataset(table, **options)
    wine = table[table["dataset"] == "x"].drop(columns="dataset")
    scores = db.rank(wine, **options).scores
    np.testing.assert_allclose(rankings.each.loc["x", scores.index].astype(float), scores)
    # The means have no samples of their quotients, and say so.
    assert any("is a quotient of metrics" in note for note in db.rank(table, **options).notes)


@pytest.mark.parametrize("model", ["rdm", "cross", "common"])
def test_scores_that_may_rise_with_the_reference_have_no_gap(model) -> None:
    table = db.read(long(), lower_is_better=LOWER)
    rankings = db.by_dataset(table, outputs=["accuracy", "error_rate"], model=model)
    assert rankings.frame["gap"].isna().all()
    assert any("it has no technology gap ratio" in note for note in rankings.notes)


def test_a_data_set_without_a_complete_system_is_left_out() -> None:
    """On y each system lacks another metric; on x alone, "a" and "b" are each best in one."""
    rows = [("x", "a", 0.9, 0.5), ("x", "b", 0.6, 0.8)]
    rows += [("y", "a", 0.7, np.nan), ("y", "b", np.nan, 0.6)]
    table = pd.DataFrame(rows, columns=["dataset", "classifier", "accuracy", "recall"])
    columns = ["accuracy", "recall"]
    rankings = db.by_dataset(table, outputs=columns)
    assert "no system has all metrics on data set 'y'; left out" in rankings.notes
    assert list(rankings.each.index) == ["x"]
    assert rankings.frame["datasets"].to_dict() == {"a": 1, "b": 1}
    weighted = db.weightings_by_dataset(table, outputs=columns, draws=64)
    assert "no system has all metrics on 'y'; left out" in weighted.notes
    assert weighted.frame["datasets"].to_dict() == {"a": 1, "b": 1}


def test_data_sets_without_a_common_metric_have_no_common_frontier() -> None:
    """One metric each: scores are shares of the best, 2/3 of .9 on x and half of .8 on y."""
    rows = [("x", "a", 0.9, np.nan), ("x", "b", 0.6, np.nan)]
    rows += [("y", "a", np.nan, 0.4), ("y", "b", np.nan, 0.8)]
    table = pd.DataFrame(rows, columns=["dataset", "classifier", "accuracy", "recall"])
    rankings = db.by_dataset(table, outputs=["accuracy", "recall"])
    assert rankings.notes[-1] == (
        "no frontier is common to all data sets, because they have too few metrics in common"
    )
    assert rankings.pooled.isna().all(axis=None)
    assert list(rankings.pooled.index) == ["x", "y"]
    np.testing.assert_allclose(rankings.each.astype(float), [[1, 2 / 3], [0.5, 1]])
    np.testing.assert_allclose(rankings.frame["each"].loc[["a", "b"]], [0.75, 5 / 6])


def test_means_over_data_sets_that_differ_are_noted() -> None:
    """a stands on x alone and c on y alone: b is half of a there, and ahead of c by 4/3 here."""
    rows = [
        ("x", "a", 0.9, 0.5),
        ("x", "b", 0.45, 0.25),
        ("y", "b", 0.8, 0.8),
        ("y", "c", 0.4, 0.6),
    ]
    table = pd.DataFrame(rows, columns=["dataset", "classifier", "accuracy", "recall"])
    rankings = db.by_dataset(table, outputs=["accuracy", "recall"])
    assert (
        "'each' is the mean over the data sets that each system has a score on, which differ"
        in rankings.notes
    )
    # c has .75 of b's recall and half of its accuracy: the weight is on the recall.
    np.testing.assert_allclose(rankings.frame["each"].loc[list("abc")], [1, 0.75, 0.75])
