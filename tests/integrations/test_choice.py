"""The sentences on why a candidate of a search was taken."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pandas as pd

from deabench.integrations.choice import _describe_choice

FRAME = pd.DataFrame(
    {
        "within_budget": [True, True, True, False, True],
        "efficient": [True, False, True, False, False],
        "verdict": ["undecided", "dominated", "undecided", "", ""],
    }
)
VALUES = pd.Series({"accuracy": 0.91234, "time": 2.0})


def test_a_choice_counts_who_took_part_and_who_is_efficient() -> None:
    """Of five one is beyond the budget, one has no scores, and two of three are efficient."""
    counts = [
        "Of 5 candidates m is taken: accuracy 0.9123, time 2.",
        "Beyond the budget: 1.",
        "Without all scores, or out of the race before the end: 1.",
        "2 of 3 are efficient.",
    ]
    assert _describe_choice("m", VALUES, FRAME, 3, None, 0.95) == [
        *counts,
        "It is the efficient one with the best sum of all metrics, each from its worst to its best "
        "value.",
    ]
    preference: Any = SimpleNamespace(words="the least time")
    assert _describe_choice("m", VALUES, FRAME, 3, preference, 0.9) == [
        *counts,
        "Shown at 90 % to be worse than a mix of others: 1. Of the others it has the least time.",
    ]
    complete = FRAME.iloc[:3]
    assert len(_describe_choice("m", VALUES, complete, 3, None, 0.95)) == 3
