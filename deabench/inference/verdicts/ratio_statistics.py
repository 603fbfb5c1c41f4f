"""Hold sums of a − q b over units, whose ratio is tested at any q."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Array = np.ndarray

MAX_RATIO = 1e6
BISECTIONS = 40


@dataclass(frozen=True)
class RatioStatistics:
    """The statistic of Σ_t (a_t − q b_t) as a function of q, for arrays of any shape.

    Attributes
    ----------
    first, second : arrays
        Σ a and Σ b.
    squares : arrays (3, ...)
        Σ a², Σ a b, Σ b².
    extra : array
        Added to the variance.
    """

    first: Array
    second: Array
    squares: Array
    extra: Array

    def statistic(self, q: Array | float = 1.0) -> Array:
        """Return Σ(a − q b) / √(Σ(a − q b)² + extra); 0 where both are 0."""
        total = self.first - q * self.second
        square = self.squares[0] - 2 * q * self.squares[1] + q * q * self.squares[2] + self.extra
        # Rounding may leave a sum of squares of zeros below 0.
        root = np.sqrt(np.maximum(square, 0.0))
        return np.asarray(np.divide(total, root, out=np.zeros_like(total), where=root > 0))


def largest_ratio(ratios: RatioStatistics, critical: Array | float) -> Array:
    """Return the largest q whose statistic exceeds `critical`, by bisection of log q.

    The statistic is the least over the last axis, averaged over the first; it falls in q.

    Returns
    -------
    array (n,)
        Of the middle axis; 0 where no q is large enough.
    """

    def exceeds(log_q: Array) -> Array:
        q = np.exp(log_q)[None, :, None]
        return np.asarray(ratios.statistic(q).min(axis=2).mean(axis=0) > critical)

    n = ratios.first.shape[1]
    low = np.full(n, -np.log(MAX_RATIO))
    high = np.full(n, np.log(MAX_RATIO))
    possible = exceeds(low)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        above = exceeds(middle)
        low = np.where(above, middle, low)
        high = np.where(above, high, middle)
    return np.where(possible, np.exp(low), 0.0)
