"""What routers and mixtures refuse, sentence by sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import deabench as db


def test_models_and_shares_that_have_no_name(refused: Any) -> None:
    twice = pd.DataFrame(np.ones((4, 2)), columns=["a", "a"])
    with refused("outcomes have two columns 'a'; give each model one"):
        db.Router(twice, twice)
    once = twice.set_axis(["a", "b"], axis=1)
    with refused("costs have two columns 'a'; give each model one"):
        db.Router(once, twice)
    with refused("give shares as a dictionary by name"):
        db.Mixture({}, [("a", 1.0)]).fit([[0], [1]], [0, 1])  # type: ignore[arg-type]  # the test
