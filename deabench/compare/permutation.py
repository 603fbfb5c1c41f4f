"""The paired permutation test: how large could the mean difference be by chance alone?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from deabench.compare._result import Comparison
from deabench.compare._validation import differences, level, pair, whole

Floats = NDArray[np.float64]
LISTED = 17
"""Up to so many pairs all 2^n signs are listed (131,072); above, signs are drawn."""
AT_ONCE = 4_000_000
"""Random signs, or sums, held at a time."""


def permutation(
    first: Sequence[float] | pd.Series | ArrayLike,
    second: Sequence[float] | pd.Series | ArrayLike,
    *,
    draws: int = 20_000,
    seed: int = 0,
    alpha: float = 0.05,
) -> Comparison:
    """Fisher's randomisation test of the mean difference of two classifiers over independent data
    sets.

    Where the two are alike, each difference is as likely to have the other sign. p is the share of
    all 2ⁿ signs under which the mean difference is at least as far from 0 as the observed one;
    above 17 pairs it is estimated from random signs as (1 + as far)/(1 + draws), which never
    rejects too often.

    Parameters
    ----------
    first, second : sequences of N floats
        Scores on the same N data sets; not on folds of one, which share training data (take
        `corrected_t`).
    draws, seed : int
        Random signs above 17 pairs, and the seed of their generator.
    alpha : float
        Level of the test; it gives no interval.

    Returns
    -------
    Comparison
        Statistic and difference: the mean; effect: Cohen's d_z = d̄/s.

    Raises
    ------
    DataError
        As `paired_t`, but not where all differences are equal.

    Notes
    -----
    Fisher (1935), The Design of Experiments, section 21; Phipson, Smyth (2010),
    doi:10.2202/1544-6115.1585 (the + 1).

    Examples
    --------
    >>> from deabench import compare
    >>> found = compare.permutation([.81, .75, .92, .66, .88, .79], [.79, .74, .90, .68, .85, .71])
    >>> found.p_value  # of 64 changes of sign
    0.15625
    """
    level(alpha)
    whole(draws, "the number of draws", 1, "draws")
    d = differences(*pair(first, second))
    p = float(sign_flips(d[:, None], draws=draws, seed=seed)[0])
    return _told(d, p, alpha, draws, seed)


def _told(d: Floats, p: float, alpha: float, draws: int, seed: int) -> Comparison:
    """The result, from the differences and their p value."""
    mean, s = float(d.mean()), float(d.std(ddof=1))
    listed = len(d) <= LISTED
    how = "all signs listed" if listed else f"{draws} random signs"
    notes = () if listed else (f"the p value comes from {how} (seed {seed})",)
    return Comparison(
        "permutation test of the mean difference",
        mean,
        how,
        p,
        mean,
        np.nan,
        np.nan,
        alpha,
        mean / s if s > 0 else 0.0,
        "Cohen's d_z",
        notes if d.any() else (*notes, "the two are equal on every pair"),
    )


def sign_flips(d: Floats, *, draws: int = 20_000, seed: int = 0) -> Floats:
    """p values of the mean of each column of differences (N x m); all columns share the signs."""
    listed = len(d) <= LISTED
    total = 2 ** len(d) if listed else draws
    observed, far = np.abs(d.sum(axis=0)) - _noise(d), np.zeros(d.shape[1])
    rng = np.random.default_rng(seed)
    step = max(1, AT_ONCE // max(d.shape))
    for start in range(0, total, step):
        size = min(step, total - start)
        if listed:
            flips = (np.arange(start, start + size)[:, None] >> np.arange(len(d))) & 1
        else:
            flips = rng.integers(0, 2, size=(size, len(d)))
        far += (np.abs((1.0 - 2.0 * flips) @ d) >= observed).sum(axis=0)
    return np.asarray(far / total if listed else (1 + far) / (1 + draws))


def _noise(d: Floats) -> Floats:
    """Sums that differ by less are equal: the signs are added in another order."""
    return np.asarray(1e-11 * np.abs(d).sum(axis=0))
