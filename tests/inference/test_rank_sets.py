"""Rank sets under fixed weights, and conformal ranks on new data sets."""

import numpy as np
import pandas as pd

import deabench as db
from deabench.inference.rank_sets import _range, _simultaneous_range


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
    rank_sets = db.rank_sets(samples, {"TPR": 1, "TNR": 1})
    assert rank_sets.table["rank"].tolist() == [1, 2, 3, 4]
    assert rank_sets.table[["best", "worst"]].to_numpy().tolist() == [
        [1, 2],
        [1, 2],
        [3, 3],
        [4, 4],
    ]
    wide = db.uncertainty(samples.weighted({"TPR": 1, "TNR": 1})).ranks
    assert (
        rank_sets.table["worst"] - rank_sets.table["best"] <= wide["worst"] - wide["best"]
    ).all()


def test_conformal_ranks_hold_on_new_data_sets():
    """Of 600 new data sets drawn like the known ones, with heavy tails, at least 1 − α less 3
    errors have their ranks inside.
    """
    rng = np.random.default_rng(0)
    inside, covered_together = np.zeros(5), 0
    for _ in range(600):
        new_scores = rng.standard_t(2, (40, 5)) + np.arange(5)
        past_scores = pd.DataFrame(new_scores[:-1], columns=list("abcde"))
        rank = (-new_scores[-1]).argsort().argsort() + 1
        separate_ranks = db.conformal_ranks(past_scores).table
        simultaneous_ranks = db.conformal_ranks(past_scores, simultaneous=True).table
        inside += (separate_ranks["best"].to_numpy() <= rank) & (
            rank <= separate_ranks["worst"].to_numpy()
        )
        covered_together += (
            (simultaneous_ranks["best"].to_numpy() <= rank)
            & (rank <= simultaneous_ranks["worst"].to_numpy())
        ).all()
    assert (inside / 600 >= 0.9 - 3 * np.sqrt(0.09 / 600)).all()
    assert covered_together / 600 >= 0.9 - 3 * np.sqrt(0.09 / 600)


def test_too_few_data_sets_leave_every_rank_open():
    scores = pd.DataFrame(np.random.default_rng(1).random((5, 4)), columns=list("abcd"))
    assert db.conformal_ranks(scores).table[["best", "worst"]].to_numpy().tolist() == [[1, 4]] * 4


def test_conformal_ranks_hold_at_every_place_among_the_known_ones():
    """Whichever of J + 1 exchangeable ranks is the new one, enough of them lie inside: exactly."""
    for datasets, alpha in ((9, 0.2), (9, 0.1), (19, 0.1), (19, 0.15), (20, 0.3)):
        ranks = np.arange(1.0, datasets + 2)
        inside = 0
        for place in range(datasets + 1):
            known = np.delete(ranks, place)[:, None]
            best, worst = _range(known, alpha)
            # one column: the limits of a rank that cannot be excluded are 1 and k = 1
            low = best[0]
            high = worst[0] if alpha * (datasets + 1) >= 1 else np.inf
            inside += low <= ranks[place] <= high
        assert inside >= (1 - alpha) * (datasets + 1)


def test_simultaneous_ranks_are_the_median_and_the_largest_distances_of_the_other_half():
    """The first, third, ... data sets have medians 1, 2 and 4; the others are off by 0, 1, 1, 2."""
    ranks = np.empty((8, 4))
    ranks[::2] = [1, 2, 3, 4]
    ranks[1::2] = [[1, 2, 3, 4], [2, 1, 3, 4], [1, 2, 4, 3], [3, 2, 1, 4]]
    for alpha, reach in ((0.21, 2.0), (0.39, 2.0), (0.41, 1.0), (0.79, 1.0), (0.81, 0.0)):
        best, worst = _simultaneous_range(ranks, alpha)
        # The k-th of four distances, where k = ⌈5 (1 − α)⌉.
        assert best.tolist() == np.maximum(np.arange(1, 5) - reach, 1).tolist()
        assert worst.tolist() == np.minimum(np.arange(1, 5) + reach, 4).tolist()
    # Four data sets tell nothing at 5 %: all ranks are possible.
    best, worst = _simultaneous_range(ranks, 0.05)
    assert best.tolist() == [1, 1, 1, 1]
    assert worst.tolist() == [4, 4, 4, 4]


def test_a_level_that_the_data_sets_just_allow_leaves_one_of_them_out():
    """Of 9 data sets a level of .9 excludes one rank, though (1 − .9) · 10 rounds below 1."""
    scores = pd.DataFrame({"a": [3.0] * 9, "b": [2.0] * 9, "c": [1.0] * 9})
    table = db.conformal_ranks(scores, level=0.9).table
    assert table["worst"].tolist() == [1, 2, 3]
    # Among 19 calibrating data sets .55 · 20 = 11 distances hold the level, not 12.
    ranks = np.tile([1.0, 2.0, 3.0], (39, 1))
    for row, calibrating in enumerate(range(1, 39, 2)):
        ranks[calibrating] += row + 1
    best, _ = _simultaneous_range(ranks + 20, 1 - 0.55)
    assert best.tolist() == [10, 11, 12]
