"""Tables of scores: checks, reshaping and clusters."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from compare_cases import untied

from deabench import compare, datasets
from deabench.datasets import keel
from deabench.errors import DataError

DEMSAR = datasets.load("demsar2006-auc")


TABLE = datasets.load("demsar2006-auc")


KEEL67 = [name for name in keel.table2().index if name != "echo"]


def test_rows_that_are_not_whole_repeats() -> None:
    with pytest.raises(DataError) as e:
        compare.compare(untied(12, 2), folds=10)
    assert (
        str(e.value)
        == "12 rows are not whole repeats of 10-fold cross-validation; give every fold a row"
    )


def test_long_tables_become_wide_or_are_refused() -> None:
    long = (
        DEMSAR.rename_axis("dataset")
        .reset_index()
        .melt("dataset", var_name="classifier", value_name="score")
    )
    pd.testing.assert_frame_equal(compare.from_long(long), DEMSAR, check_names=False)
    for frame, text in (
        (
            long.drop(columns="score"),
            "there is no column 'score' in the long table; it needs 'dataset', 'classifier' "
            "and 'score'",
        ),
        (
            pd.concat([long, long.iloc[:1]]),
            "'C4.5' has two scores on 'adult (sample)'; average them, or give each fold a name "
            "of its own",
        ),
        (long.iloc[1:], "'C4.5' has no score on 'adult (sample)'; give one, or leave the row out"),
    ):
        with pytest.raises(DataError) as e:
            compare.from_long(frame)
        assert str(e.value) == text


def test_keel_cuts_are_named_in_a_note() -> None:
    files = pd.Series(compare.keel_files(KEEL67))
    assert files[files.isin(["ecoli", "glass", "yeast"])].value_counts().to_dict() == {
        "ecoli": 18,
        "yeast": 14,
        "glass": 13,
    }
    table = pd.DataFrame(
        np.random.default_rng(0).normal(size=(67, 3)), index=KEEL67, columns=list("abc")
    )
    comparison = compare.compare(table)
    assert comparison.notes[-1] == (
        "59 of 67 data sets are cuts of 8 files (ecoli 18, yeast 14, glass 13 and 5 more) and "
        "not independent, so differences "
        "are found too often; clusters='keel' counts each file once"
    )
    clustered = compare.compare(table, clusters="keel")
    assert clustered.notes[-1] == "67 data sets count as 16 clusters, each with its mean scores"
    assert clustered.omnibus is not None
    assert len(clustered.omnibus.ranks) == 16


def test_cluster_means_by_hand() -> None:
    table = pd.DataFrame({"a": [1.0, 3.0, 5.0], "b": [0.0, 1.0, 2.0]}, index=["x1", "y", "x2"])
    means = compare.cluster_means(table, {"x1": "x", "x2": "x", "y": "y"})
    assert means.to_dict() == {"a": {"x": 3.0, "y": 3.0}, "b": {"x": 1.0, "y": 1.0}}


REFUSED = [
    (
        lambda: compare.cluster_means(TABLE, {}),
        "the data set 'adult (sample)' has no cluster; give every row of the table one",
    ),
    (
        lambda: compare.cluster_means(TABLE, dict.fromkeys(TABLE.index, "x")),
        "all data sets are in the cluster 'x'; give at least 2 clusters",
    ),
    (
        lambda: compare.cluster_means(TABLE, ["x"] * 14),
        "the clusters are a list; give a mapping of data set to cluster, or 'keel'",
    ),
    (
        lambda: compare.cluster_means(TABLE, "uci"),
        "the clusters are 'uci'; give a mapping of data set to cluster, or 'keel'",
    ),
    (lambda: compare.from_long([1]), "the long table is a list; give a DataFrame"),
]


@pytest.mark.parametrize(("call", "text"), REFUSED)
def test_refusals(call: object, text: str) -> None:
    with pytest.raises(DataError) as e:
        call()  # type: ignore[operator]
    assert str(e.value) == text
