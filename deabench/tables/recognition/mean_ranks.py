"""Recognise mean ranks below the names of metrics: of ranks less is better, whatever was ranked.

The ranks of n systems on one data set are 1 to n, with the mean (n + 1) / 2, and so are means of
ranks over many data sets. No other measurement has this mean in one column after the other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from deabench.tables.recognition.columns import Column
from deabench.tables.recognition.directions import Context

MIN_ROWS_ASKED = 4
"""So many systems are needed for the question whether numbers are ranks."""
MIN_ROWS_RANKED = 6
"""Of fewer systems a mean of (n + 1) / 2 may be chance, as in an example of small numbers."""
LEAST_COLUMNS = 2
ROUNDING = 0.002
"""The share by which rounded ranks may miss their mean."""
LARGEST_SHIFT = 0.5
"""The share by which the mean ranks of a part of the systems may miss that mean."""
_SPEAKS_OF_RANKS = re.compile(
    r"\b(mean|average|avg\.?)\s+ranks?\b|\branks? (of|over|across|per)\b", re.IGNORECASE
)


def find_mean_ranks(
    columns: Sequence[Column], frame: pd.DataFrame, context: Context
) -> list[Column]:
    """Take columns for mean ranks where their means tell it, and ask where the text does."""
    candidates = [column for column in columns if _may_hold_ranks(column, frame)]
    count = len(frame)
    mean = (count + 1) / 2
    is_mean = [abs(frame[c.name].mean() - mean) <= ROUNDING * mean for c in candidates]
    ranked = {c.name for c in candidates}
    if count >= MIN_ROWS_RANKED and len(candidates) >= LEAST_COLUMNS and all(is_mean):
        reason = f"it is a mean rank of {count} systems, for its mean is {mean:g}: lower is better"
        return [
            Column(c.name, "lower_rate", low=1.0, high=float(count), reason=reason, kind="loss")
            if c.name in ranked
            else c
            for c in columns
        ]
    # A part of the systems has mean ranks about that mean, and no other rates beside them.
    rates = [c for c in columns if c.role == "output" and c.unit == "percent"]
    is_near = [abs(frame[c.name].mean() - mean) <= LARGEST_SHIFT * mean for c in candidates]
    may_be = all(is_near) and all(c.name in ranked for c in rates)
    if may_be and _SPEAKS_OF_RANKS.search(f"{context.heading} {context.prose}"):
        reason = "the text speaks of ranks, and its values may be ranks"
        return [
            c.with_role("conditional", reason, "rank") if c.name in ranked else c for c in columns
        ]
    return list(columns)


def _may_hold_ranks(column: Column, frame: pd.DataFrame) -> bool:
    """Return whether a column of unknown name, or of a rate, holds numbers from 1 to n only."""
    is_rate = column.role == "output" and column.unit == "percent"
    if not (is_rate or column.role == "unknown") or column.name not in frame:
        return False
    values = frame[column.name].to_numpy(dtype=float)
    # Most columns have a value below 1; NaN is not at least 1, and infinity beyond all ranks.
    return len(values) >= MIN_ROWS_ASKED and bool(
        values.min() >= 1 and 1 < values.max() <= len(values)
    )
