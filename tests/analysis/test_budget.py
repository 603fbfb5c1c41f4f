"""A budget ranks what keeps to it, as if there were nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.errors import DataError

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
RANKINGS: list[dict[str, Any]] = [
    {"outputs": ["accuracy", "recall"]},
    {"outputs": ["accuracy"], "inputs": ["cost"], "model": "ccr", "returns": "crs"},
    {"outputs": ["accuracy", "recall"], "inputs": ["cost"], "model": "ccr", "returns": "vrs"},
]


@pytest.mark.parametrize("options", RANKINGS, ids=["outputs", "crs", "vrs"])
@pytest.mark.parametrize("seed", range(6))
def test_who_keeps_to_a_budget_is_ranked_as_in_a_table_of_its_own(options, seed) -> None:
    """At a limit a row is within it; ties and a row that stands twice are ranked as they are."""
    rng = np.random.default_rng(seed)
    values = rng.integers(1, 6, (9, 4)) / 5
    values[-1] = values[0]
    columns = ["accuracy", "recall", "cost", "latency_ms"]
    table = pd.DataFrame(values, [f"r{k}" for k in range(9)], columns)
    within = {"latency_ms": values[2, 3], "recall": values[3, 1], "cost": values[0, 2]}
    keeps = (
        (table["latency_ms"] <= within["latency_ms"])
        & (table["recall"] >= within["recall"])
        & (table["cost"] <= within["cost"])
    )
    if not keeps.any():
        with pytest.raises(DataError, match="no system has"):
            db.best(table, within=within, **options)
        return
    answer = db.best(table, within=within, **options)
    alone = db.rank(table[keeps], **options)
    pd.testing.assert_series_equal(answer.scores, alone.scores)
    pd.testing.assert_series_equal(answer.efficient, alone.efficient)
    db.certify(answer)
