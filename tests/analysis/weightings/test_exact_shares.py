"""Which drawn shares are replaced by exact ones."""

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.analysis.weightings import shares


@pytest.mark.parametrize(("spare", "is_exact"), [(0, True), (-1, False)])
def test_rows_that_are_equal_at_a_vertex_cut_no_weights(monkeypatch, spare, is_exact):
    """Each row is above the next at one vertex and equal to it at the other: three calls without a
    crossing, which the limit just allows.
    """
    table = pd.DataFrame({"a": [1.0, 1.0, 0.5], "b": [1.0, 0.5, 0.5]}, list("xyz"))
    result = db.weightings(table, outputs=["a", "b"])
    monkeypatch.setattr(shares, "MAX_CROSSINGS", 3 * shares.CROSSINGS_OF_A_CALL + spare)
    drawn = shares.RankShares(np.zeros((3, 3)), np.ones((3, 3)), np.zeros(3, dtype=bool), [], [])
    shares.replace_exact_shares(result.sides[0], drawn, np.array([1.0, 2.0, 3.0]))
    assert drawn.exact.tolist() == [is_exact] * 3
    assert np.array_equal(drawn.shares, np.eye(3)) == is_exact
