"""One weighting for all: what no order of the columns may choose."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

import deabench as db

# Exchanging m1 and m2 exchanges r4 and r5, and gives the same table.
ROWS = {
    "r0": [1.0, 2.0, 2.0],
    "r1": [2.0, 3.0, 3.0],
    "r2": [1.0, 2.0, 2.0],
    "r3": [3.0, 2.0, 2.0],
    "r4": [1.0, 2.0, 1.0],
    "r5": [1.0, 1.0, 2.0],
}


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
@pytest.mark.parametrize("goal", ["sum", "largest"])
def test_metrics_that_could_change_places_have_one_weight(goal) -> None:
    table = pd.DataFrame.from_dict(ROWS, orient="index", columns=["m0", "m1", "m2"])
    for columns in itertools.permutations(table):
        ranking = db.rank(table, outputs=list(columns), model=db.models.Common(goal=goal))
        weights = ranking.weights.iloc[0]
        assert weights["m1"] == pytest.approx(weights["m2"], abs=1e-12)
        assert ranking.scores["r4"] == pytest.approx(ranking.scores["r5"], abs=1e-12)
        assert ranking.ranks["r4"] == ranking.ranks["r5"]
        db.certify(ranking)


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_equal_columns_of_other_rows_keep_their_own_weights() -> None:
    # The same values in both columns, but no exchange of the columns gives the same rows.
    rows = np.array([[1.0, 2.0, 4.0], [2.0, 1.0, 1.0], [3.0, 4.0, 2.0], [4.0, 3.0, 3.5]])
    table = pd.DataFrame(rows, index=list("abcd"), columns=["m0", "m1", "m2"])
    ranking = db.rank(table, outputs=list(table), model=db.models.Common(goal="sum"))
    db.certify(ranking)
    assert ranking.scores.max() == pytest.approx(1.0)
    # The sum is that of the best weights of the mean, which averaged ones may not reach.
    mean = pd.DataFrame([rows.mean(axis=0)], index=["mean"], columns=table.columns)
    best = db.rank(mean, outputs=list(table), reference=table, model="score")
    assert ranking.scores.mean() == pytest.approx(best.scores["mean"], abs=1e-9)
