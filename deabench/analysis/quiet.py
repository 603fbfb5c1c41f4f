"""Rankings of parts of a table that was ranked, and warned of, as a whole."""

from __future__ import annotations

import warnings
from typing import Any

import pandas as pd

from deabench.analysis.ranking import Ranking, rank
from deabench.errors import DataWarning


def quietly(table: pd.DataFrame, **options: Any) -> Ranking:
    """`rank` on a part of what was warned of before."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return rank(table, **options)
