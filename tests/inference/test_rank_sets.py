"""Rank sets under fixed weights, and conformal ranks on new data sets."""

import numpy as np
import pandas as pd

import deabench as db


def test_rank_sets_are_pairwise_and_simultaneous():
    counts = pd.DataFrame(
        {
            "tp": [180, 178, 150, 100],
            "fn": [20, 22, 50, 100],
            "fp": [20, 25, 40, 60],
            "tn": [380, 375, 360, 340],
        },
        index=list("abcd"),
    )
    samples = db.Samples.from_counts(counts)
    found = db.rank_sets(samples, {"TPR": 1, "TNR": 1})
    assert found.table["rank"].tolist() == [1, 2, 3, 4]
    assert found.table[["best", "worst"]].to_numpy().tolist() == [[1, 2], [1, 2], [3, 3], [4, 4]]
    wide = db.uncertainty(samples.weighted({"TPR": 1, "TNR": 1})).ranks
    assert (found.table["worst"] - found.table["best"] <= wide["worst"] - wide["best"]).all()


def test_conformal_ranks_hold_on_new_data_sets():
    """Of 600 new data sets drawn like the known ones, with heavy tails, at least 1 − α less 3
    errors have their ranks inside.
    """
    rng = np.random.default_rng(0)
    inside, together = np.zeros(5), 0
    for _ in range(600):
        drawn = rng.standard_t(2, (40, 5)) + np.arange(5)
        known = pd.DataFrame(drawn[:-1], columns=list("abcde"))
        rank = (-drawn[-1]).argsort().argsort() + 1
        each = db.conformal_ranks(known).table
        every = db.conformal_ranks(known, simultaneous=True).table
        inside += (each["best"].to_numpy() <= rank) & (rank <= each["worst"].to_numpy())
        together += ((every["best"].to_numpy() <= rank) & (rank <= every["worst"].to_numpy())).all()
    assert (inside / 600 >= 0.9 - 3 * np.sqrt(0.09 / 600)).all()
    assert together / 600 >= 0.9 - 3 * np.sqrt(0.09 / 600)


def test_too_few_data_sets_leave_every_rank_open():
    scores = pd.DataFrame(np.random.default_rng(1).random((5, 4)), columns=list("abcd"))
    assert db.conformal_ranks(scores).table[["best", "worst"]].to_numpy().tolist() == [[1, 4]] * 4
