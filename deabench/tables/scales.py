"""Tell the scale of a column: a share, percent, or the size of its numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd

LEAST_RATIO = 8.0
"""Columns that are no rates are alike where their medians are within this ratio."""


def finite_values(values: pd.Series) -> np.ndarray:
    array: np.ndarray = values.to_numpy(dtype=float)
    finite: np.ndarray = array[np.isfinite(array)]
    return finite


def measure_scale(values: pd.Series) -> tuple[str, float]:
    """Return the kind of scale of a column and its median size; 0 of rates, which are all alike."""
    finite = finite_values(values)
    if not len(finite):
        return "empty", 0.0
    is_signed = bool(finite.min() < 0)
    largest = finite.max()
    if not is_signed and largest <= 1:
        return "share", 0.0
    if not is_signed and largest <= 100:
        return "percent", 0.0
    return "signed" if is_signed else "large", float(np.median(np.abs(finite)))


def are_alike(scale: tuple[str, float], other_scale: tuple[str, float]) -> bool:
    """Return whether two scales are alike: rates by their range, others by their size."""
    if scale[0] != other_scale[0] or scale[0] == "empty":
        return False
    if scale[0] in ("share", "percent"):
        return True
    return max(scale[1], other_scale[1]) <= LEAST_RATIO * min(scale[1], other_scale[1])
