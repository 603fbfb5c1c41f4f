from __future__ import annotations

import pytest

from deabench.geometry import facet_walk
from deabench.streaming import batches, files


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts and batches of a few rows, so that small tables have many of each; walks that begin in
    cells.
    """
    monkeypatch.setattr(files, "PARTITION_ROWS", 700)
    monkeypatch.setattr(batches, "BATCH_ROWS", 300)
    monkeypatch.setattr(facet_walk, "FEW", 8)
