"""Rank shares of ratios of outputs to inputs, whose weights are points of two polytopes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.errors import DataError

TABLE = pd.DataFrame(
    {"y": [1.0, 2.0, 3.0], "z": [3.0, 2.0, 1.0], "x": [1.0, 2.0, 2.0], "w": [2.0, 1.0, 2.0]},
    index=list("abc"),
)


def shares_on_a_grid(points: int) -> np.ndarray:
    """Return the shares of ranks (3, 3) on a grid of midpoints of both weights."""
    shares = (np.arange(points) + 0.5) / points
    weights = np.column_stack([shares, 1 - shares])
    metrics = TABLE.to_numpy() / TABLE.to_numpy().max(axis=0)
    outputs = metrics[:, :2] @ weights.T
    inputs = metrics[:, 2:] @ weights.T
    scores = outputs[:, :, None] / inputs[:, None, :]
    ranks = 1 + (scores[None] > scores[:, None]).sum(axis=1)
    return np.array([[(row == rank).mean() for rank in (1, 2, 3)] for row in ranks])


@pytest.mark.parametrize("seed", range(3))
def test_drawn_rank_shares_are_those_of_a_grid_of_both_weights(seed) -> None:
    result = db.weightings(
        TABLE, outputs=["y", "z"], inputs=["x", "w"], model="ratio", seed=seed, time_limit=None
    )
    expected = shares_on_a_grid(600)
    # Independent draws alone have a standard error of 0.004 (16,384 of a share of one half).
    assert result.standard_error.to_numpy().max() < 0.002
    assert np.abs(result.acceptability.to_numpy() - expected).max() < 0.006
    mean_ranks = expected @ [1, 2, 3]
    assert np.abs(result.ranks["mean_rank"].to_numpy() - mean_ranks).max() < 0.012


def test_ratios_are_extreme_at_the_ends_of_the_weights() -> None:
    """o: a has twice as much as b; i and j: a needs between half and twice what b does."""
    table = pd.DataFrame({"o": [1.0, 0.5], "i": [1.0, 2.0], "j": [2.0, 1.0]}, index=list("ab"))
    result = db.weightings(table, outputs=["o"], inputs=["i", "j"], model="ratio", draws=64)
    np.testing.assert_allclose(result.ratio_bounds.loc[("a", "b")], [1, 4])
    np.testing.assert_allclose(result.ratio_bounds.loc[("b", "a")], [0.25, 1])
    with pytest.raises(DataError, match="a ratio of outputs to inputs has no differences"):
        _ = result.differences
