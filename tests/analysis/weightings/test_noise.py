"""Limits of true ranks: they hold the sample's, and cover the truth."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.errors import DataError

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def test_limits_hold_the_ranks_of_the_sample_and_shrink_with_more_of_it() -> None:
    rng = np.random.default_rng(1)
    widths = []
    for size in (100, 10_000):
        y = np.repeat([1, 0], size)
        answers = {
            f"c{k}": np.where(rng.random(2 * size) < 0.6 + 0.05 * k, y, 1 - y) for k in range(5)
        }
        samples = db.Samples.from_predictions(y, answers, positive=1)
        result = db.weightings(
            samples.values, outputs=["TPR", "TNR"], uncertainty=samples, draws=64
        )
        ranks = result.ranks
        assert (ranks["best_limit"] <= ranks["best"]).all()
        assert (ranks["worst_limit"] >= ranks["worst"]).all()
        widths.append((ranks["worst_limit"] - ranks["best_limit"]).sum())
        assert "no weighting puts the true metrics" in result.notes[-1]
        assert result.notes[-1].startswith("at 95 %, for all rows together, ")
        assert f"above rank {ranks.loc['c2', 'best_limit']}" in result.explain("c2")
    assert widths[1] < widths[0]


def test_one_metric_gives_the_limits_of_pairwise_differences() -> None:
    """With one metric there is one weighting: l is above k where d > c se, with c by hand."""
    table = pd.DataFrame({"acc": [0.9, 0.8, 0.7]}, index=list("abc"))
    for error, expected in ((0.001, [[1, 1], [2, 2], [3, 3]]), (0.2, [[1, 3]] * 3)):
        samples = db.Samples.from_table(table, {"acc": error})
        ranks = db.weightings(table, outputs=["acc"], uncertainty=samples, draws=64).ranks
        assert ranks[["best_limit", "worst_limit"]].to_numpy().tolist() == expected
    # c = z(1 − .05/(2·3·2)) = 2.638; a difference of .1 is c se at se = .1/(2.638 √2) = .02680.
    for error, is_apart in ((0.0267, True), (0.0269, False)):
        samples = db.Samples.from_table(table, {"acc": error})
        ranks = db.weightings(table, outputs=["acc"], uncertainty=samples, draws=64).ranks
        assert (ranks.loc["a", "worst_limit"] == 1) == is_apart


def test_samples_of_another_table_and_of_ratios_are_refused() -> None:
    table = pd.DataFrame({"acc": [0.9, 0.8], "ms": [3.0, 2.0]}, index=list("ab"))
    samples = db.Samples.from_table(table[["acc"]], {"acc": 0.01})
    with pytest.raises(DataError, match="do not hold metric 'ms'"):
        db.weightings(table, outputs=["acc"], inputs=["ms"], uncertainty=samples)
    samples = samples.with_costs({"ms": table["ms"]})
    ranks = db.weightings(table, outputs=["acc"], inputs=["ms"], uncertainty=samples).ranks
    assert ranks["best_limit"].tolist() == [1, 1]
    with pytest.raises(DataError, match="one sum of all metrics"):
        db.weightings(table, outputs=["acc"], inputs=["ms"], model="ratio", uncertainty=samples)
