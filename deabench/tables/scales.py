"""Measure columns: their scale, as a share or percent, and how they rise with another column."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

SAMPLED_ROWS = 2000
"""A direction is told by about so many rows of a longer table."""
LEAST_RATIO = 8.0
"""Columns that are no rates are alike where their medians are within this ratio."""

MAX_DECIMALS = 6


MIN_ROWS = 8
"""So many rows are needed before their order, or a correlation, tells a direction."""


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


def pooled_percent(frame: pd.DataFrame) -> float:
    """Return the median of all cells of rates, in percent; the first column tells their scale."""
    is_share = measure_scale(frame.iloc[:, 0])[0] == "share"
    return float(np.nanmedian(frame.to_numpy(dtype=float))) * (100 if is_share else 1)


def is_sorted_downwards(values: pd.Series) -> bool:
    """Return whether the rows of a long table are sorted from the greatest value down."""
    if len(values) < MIN_ROWS or not (np.diff(values.to_numpy(dtype=float)) <= 0).all():
        return False
    return bool(values.nunique() > len(values) / 2)


def are_alike(scale: tuple[str, float], other_scale: tuple[str, float]) -> bool:
    """Return whether two scales are alike: rates by their range, others by their size."""
    if scale[0] != other_scale[0] or scale[0] == "empty":
        return False
    if scale[0] in ("share", "percent"):
        return True
    return max(scale[1], other_scale[1]) <= LEAST_RATIO * min(scale[1], other_scale[1])


def rounding_of(values: np.ndarray) -> float:
    """Return by how much numbers with so few decimals may be rounded."""
    for decimals in range(MAX_DECIMALS):
        if (np.round(values, decimals) == values).all():
            return 0.5 * 10.0**-decimals
    return 0.5 * 10.0**-MAX_DECIMALS


def sample_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Return about `SAMPLED_ROWS` rows of a longer table, in their order."""
    return frame.iloc[:: max(len(frame) // SAMPLED_ROWS, 1)]


def rank_correlations(frame: pd.DataFrame, names: Sequence[str], metric: str) -> np.ndarray:
    """Return Spearman's correlation of columns with a metric; of a long table by a sample."""
    rows = sample_rows(frame)
    members = rows[list(names)]
    is_filled = members.notna().all() & bool(rows[metric].notna().all())
    correlations = pd.Series(np.nan, index=members.columns)
    # Ranks of complete columns are correlated in one product.
    ranks = members.loc[:, is_filled].rank().to_numpy()
    if ranks.size:
        metric_ranks = rows[metric].rank().to_numpy()
        centred = ranks - ranks.mean(axis=0)
        metric_centred = metric_ranks - metric_ranks.mean()
        scales = np.sqrt((centred**2).sum(axis=0) * (metric_centred**2).sum())
        # A constant column correlates with nothing.
        with np.errstate(invalid="ignore", divide="ignore"):
            correlations[is_filled] = metric_centred @ centred / scales
    # Systems lack different members: each is compared on the systems that have it.
    for name in members.columns[~is_filled]:
        pairs = pd.DataFrame({"member": rows[name], "metric": rows[metric]}).dropna().rank()
        if (pairs.nunique() > 1).all():
            correlations[name] = pairs["member"].corr(pairs["metric"])
    values: np.ndarray = correlations.to_numpy()
    return values
