"""Entropy and information gain, as decision trees use them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deabench.errors import DataError


def entropy(counts: Sequence[float]) -> float:
    """−Σ p log₂ p of class counts, in bits; 0 log 0 = 0.

    Examples
    --------
    >>> round(entropy([3, 7]), 4)
    0.8813
    """
    values = np.asarray(counts, dtype=float)
    if values.ndim != 1 or not (np.isfinite(values) & (values >= 0)).all() or not values.sum() > 0:
        raise DataError("the counts of an entropy are numbers >= 0, not all 0")
    shares = values[values > 0] / values.sum()
    return float(-(shares * np.log2(shares)).sum()) + 0.0


def information_gain(
    children: Sequence[Sequence[float]], missing: Sequence[float] | None = None
) -> float:
    """The entropy that a split takes away: of the parent less the children's, weighted by their
    sizes.

    Parameters
    ----------
    children : class counts of each branch
    missing : class counts of the records whose attribute is missing, optional
        C4.5: the gain is that of the known records, times their share of all.

    Examples
    --------
    >>> round(information_gain([[0, 3], [2, 4]], missing=[1, 0]), 4)
    0.1368
    """
    branches = np.asarray(children, dtype=float)
    known = branches.sum(axis=0)
    inside = sum(branch.sum() / known.sum() * entropy(branch) for branch in branches)
    share = 1.0 if missing is None else known.sum() / (known.sum() + np.sum(missing))
    return float(share * (entropy(known) - inside))
