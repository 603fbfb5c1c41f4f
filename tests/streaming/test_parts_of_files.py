"""How files are cut into parts, and which candidates all rows are compared with first."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sweeps import METRICS, sweep, written

from deabench.streaming import candidates, files


def test_a_part_that_is_full_is_the_last_where_no_row_follows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of three files of 30 rows a part takes as many as it needs to have its size."""
    folder = written(sweep(n=90), tmp_path, [30, 60])
    cuts = {30: [30, 30, 30], 31: [60, 30], 60: [60, 30], 61: [90], 90: [90], 91: [90]}
    for size, counts in cuts.items():
        monkeypatch.setattr(files, "PARTITION_ROWS", size)
        parts = files.select_files(folder, outputs=METRICS).partitions
        assert [sum(groups.rows for groups in part) for part in parts] == counts


def test_champions_are_the_rows_that_dominate_most_of_what_others_leave(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of 100 rows A dominates the first 60, B the next 30 and C, behind A, 50 of A's."""
    sample = np.array([[1.0] * 50 + [3.0] * 10 + [0.1] * 40, [1.0] * 60 + [5.0] * 30 + [9.0] * 10])
    values = np.array([[2.0, 2.0], [4.0, 2.5], [0.5, 6.0]])
    champions = candidates._choose_champions(values, sample)
    assert champions.tolist() == [[4.0, 2.5], [0.5, 6.0]]
    monkeypatch.setattr(candidates, "CHAMPIONS", 1)
    assert candidates._choose_champions(values, sample).tolist() == [[4.0, 2.5]]
