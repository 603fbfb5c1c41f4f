"""Samples of a study with one data set: its folds, in the metrics that are ranked."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from deabench.report.study_sections import _study_samples
from deabench.study.results.significance import samples_of_folds


@pytest.fixture
def counts() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    rows = [
        (dataset, classifier, 0, fold, tp, 20 - tp, fp, 30 - fp)
        for dataset in ("d", "e")
        for classifier, least in (("a", 12), ("b", 8))
        for fold in range(10)
        for tp, fp in [(int(rng.integers(least, 18)), int(rng.integers(2, 10)))]
    ]
    columns = ["dataset", "classifier", "repeat", "fold", "tp", "fn", "fp", "tn"]
    return pd.DataFrame(rows, columns=columns)


def test_samples_are_of_the_data_set_and_the_metrics_that_are_named(
    counts: pd.DataFrame, refused: Any
) -> None:
    samples = samples_of_folds(counts, "e", ["TNR", "accuracy"])
    rows = counts[counts["dataset"] == "e"].set_index("classifier")
    means = (
        pd.DataFrame({"TNR": rows["tn"] / 30, "accuracy": (rows["tp"] + rows["tn"]) / 50})
        .groupby("classifier")
        .mean()
    )
    pd.testing.assert_frame_equal(samples.values, means, check_names=False)
    with refused("there is no data set 'f' in the study; there are 'd', 'e'"):
        samples_of_folds(counts, "f", ["TNR"])


def test_a_study_of_one_data_set_has_samples_of_its_folds(counts: pd.DataFrame) -> None:
    one = counts[counts["dataset"] == "d"]
    metrics = pd.DataFrame(
        {"TPR": [0.5, 0.6], "TNR": [0.7, 0.8]},
        index=pd.MultiIndex.from_product([["d"], ["a", "b"]], names=["dataset", "classifier"]),
    )
    ranking: Any = SimpleNamespace(
        scores=pd.Series([1.0, 1.0], index=["a", "b"]),
        data=SimpleNamespace(
            outputs=metrics.droplevel("dataset"), inputs=metrics[[]], transforms={}
        ),
    )
    samples = _study_samples({"metrics": metrics, "counts": one}, ranking)
    rates = one.assign(TPR=one["tp"] / 20, TNR=one["tn"] / 30).groupby("classifier")
    expected = rates[["TPR", "TNR"]].mean()
    pd.testing.assert_frame_equal(samples.values, expected, check_names=False)
    assert samples.design == "folds"
