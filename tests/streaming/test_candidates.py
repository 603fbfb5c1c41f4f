"""Rows that can still be extreme are never dropped, and too many facets are refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sweeps import METRICS, sweep, written

import deabench as db
from deabench.geometry import faces
from deabench.streaming import candidates
from deabench.utils.arrays import box

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


@pytest.mark.parametrize("spread", [1e-7, 1e-4, 1.0])
def test_no_row_beyond_the_candidates_is_dropped(
    spread: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nearly in one direction from 0, coordinates from there are rounded to 1e-9: enough to lose a
    row of the frontier.
    """
    monkeypatch.setattr(candidates, "FIRST_CHUNK", 64)
    monkeypatch.setattr(candidates, "MIN_WAITING", 16)
    for seed in range(18):
        rng = np.random.default_rng(seed)
        s = 2 + seed % 3
        rows = 0.9 + spread / (
            1 + np.exp(-(0.3 * rng.normal(size=(400, 1)) + rng.normal(size=(400, s))))
        )
        stream = candidates.CandidateFilter(s)
        stream.add_rows(np.ascontiguousarray(rows.T), np.arange(400))
        values, positions = stream.finish()
        np.testing.assert_array_equal(values, rows[positions])
        origin, unit = box(rows)
        hull = faces.build_hull(((rows - origin) / unit)[np.sort(positions)])
        assert ((rows - origin) / unit @ hull.normals.T).max() <= 1 + 1e-10


def test_too_many_facets_are_counted_and_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "MAX_FACETS", 40)
    with pytest.raises(db.DataError) as caught:
        db.frontier(written(sweep("shell of a simplex"), tmp_path), outputs=METRICS)
    assert " facets at row " in str(caught.value)
    assert str(caught.value).endswith(
        "give a tolerance, as tolerance=0.01: no row's efficiency is then above 1.01"
    )
