"""Scores under restricted weights are bounded in floating point wherever that is certain."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.models import CCR
from deabench.models.shared import restricted_bounds

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


@pytest.mark.parametrize("orientation", ["output", "input"])
@pytest.mark.parametrize("returns", ["crs", "vrs"])
def test_an_ordinary_table_needs_no_fractions(
    orientation: Any, returns: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Restrictions that are met with equality hold for weights that are moved by a little."""
    values = np.random.default_rng(4).uniform(0.3, 1, (20, 4))
    table = pd.DataFrame(values, columns=["a", "b", "x", "z"])
    model = CCR(
        returns=returns,
        orientation=orientation,
        ratios={("a", "b"): (0.5, 2), ("x", "z"): (0.5, 2)},
    )
    ranking = db.rank(table, outputs=["a", "b"], inputs=["x", "z"], model=model)

    def refuse(*_: object) -> Any:
        raise AssertionError("fractions were asked")

    monkeypatch.setattr(restricted_bounds, "exact_excesses_with_restrictions", refuse)
    db.certify(ranking)
