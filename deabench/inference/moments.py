"""Hold log metrics with the covariances of their errors, which all intervals start from.

A metric is a function of means over units (instances, blocks); the covariance of these means and
the gradient of the log metric by them give the covariance of the log metrics: `Moments`.
`RatioStatistics` hold sums of a − q b over units, whose ratio is tested at any q.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

Array = np.ndarray

ROUNDING_ERROR = 1e-13
"""A variance below this share of the terms it is the difference of is nothing but rounding."""

MAX_RATIO = 1e6
BISECTIONS = 40


@dataclass(frozen=True)
class ErrorSource:
    """One class of instances, or one set of blocks, whose errors are independent of the others'.

    Attributes
    ----------
    gradient : array (k, s, b)
        Derivative of each log metric by the b means it is made of; 0 where it does not depend on
        them.
    covariance : array (k, b, k, b)
        Of those means.
    flips : array (k, s)
        The change of each log metric when one instance is answered the other way; 0 where that is
        unknown.
    """

    gradient: Array
    covariance: Array
    flips: Array


@dataclass(frozen=True)
class Moments:
    """Log metrics of k classifiers with the covariances of their errors.

    Attributes
    ----------
    logs : array (k, s)
    sources : tuple of ErrorSource
        Their covariances add up.
    degrees : array (s,)
        Degrees of freedom of each metric's error; inf where it is normal.
    has_unit_ridge : bool
        Whether the ridge has the weight 1 at every critical value, as that of blocks.
    """

    logs: Array
    sources: tuple[ErrorSource, ...]
    degrees: Array
    has_unit_ridge: bool = False

    def ridge_weight(self, h: Array | float) -> Array | float:
        """Return the ridge's weight where the rule of instances gives it the weight h."""
        return 1.0 if self.has_unit_ridge else h

    @cached_property
    def sampling(self) -> Array:
        """Return the covariances between classifiers, metric by metric: (s, k, k)."""
        k, s = self.logs.shape
        total = np.zeros((s, k, k))
        for source in self.sources:
            for r in range(s):
                # Means that no classifier's metric depends on contribute nothing; leaving them out
                # keeps a metric of one mean free of the rounding of the others.
                used = source.gradient[:, r].any(axis=0)
                gradient = source.gradient[:, r][:, used]
                covariance = source.covariance[:, used][..., used]
                total[r] += np.einsum(
                    "ib,ibjd,jd->ij", gradient, covariance, gradient, optimize=True
                )
        return total

    @cached_property
    def ridge(self) -> Array:
        """Return the squared one-flip changes, summed over the sources: (k, s)."""
        return np.asarray(
            sum((source.flips**2 for source in self.sources), np.zeros_like(self.logs))
        )

    def pairs(self, rows: Array) -> tuple[Array, Array, Array]:
        """Return the log ratios of classifiers in `rows` to every j with their variances.

        Returns
        -------
        gap, spread, ridge : arrays (rows, k, s)
            log y_j − log y_i, its sampling variance, and its ridge.
        """
        if len(rows) == len(self.logs) and np.array_equal(rows, np.arange(len(rows))):
            return self._all_pairs
        return self._pairs(rows)

    def joint(self, h: float) -> Array:
        """Return the covariance of all log metrics with h times the ridge, classifiers first.

        Returns
        -------
        array (k·s, k·s)
        """
        k, s = self.logs.shape
        total = np.zeros((k, s, k, s))
        for source in self.sources:
            # G C Gᵀ, first over the means of one classifier, then over those of the other.
            spread = np.einsum("irb,ibjd->jird", source.gradient, source.covariance, optimize=True)
            products = np.matmul(spread.reshape(k, k * s, -1), source.gradient.transpose(0, 2, 1))
            total += products.reshape(k, k, s, s).transpose(1, 2, 0, 3)
            # A flipped instance moves all metrics of one classifier together.
            flips = h * source.flips[:, :, None] * source.flips[:, None, :]
            total[np.arange(k), :, np.arange(k), :] += flips
        return total.reshape(k * s, k * s)

    def take(self, rows: list[int], columns: list[int]) -> Moments:
        """Return the moments of some classifiers and metrics, in the order of the arguments."""
        sources = tuple(
            ErrorSource(
                source.gradient[np.ix_(rows, columns)],
                source.covariance[rows][:, :, rows],
                source.flips[np.ix_(rows, columns)],
            )
            for source in self.sources
        )
        logs = self.logs[np.ix_(rows, columns)]
        return Moments(logs, sources, self.degrees[columns], self.has_unit_ridge)

    @cached_property
    def _all_pairs(self) -> tuple[Array, Array, Array]:
        return self._pairs(np.arange(len(self.logs)))

    def _pairs(self, rows: Array) -> tuple[Array, Array, Array]:
        # gap[i, j, r] = log y_jr − log y_ir: above 0 where the rival j is better.
        gap = self.logs[None] - self.logs[rows, None]
        # Var(ε_j − ε_i) = Var ε_j + Var ε_i − 2 Cov(ε_i, ε_j).
        variance = np.diagonal(self.sampling, axis1=1, axis2=2).T
        total = variance[rows, None] + variance[None]
        spread = total - 2 * self.sampling[:, rows].transpose(1, 2, 0)
        # Classifiers with equal answers have equal errors: only rounding is left of the variance.
        spread[spread <= ROUNDING_ERROR * total] = 0.0
        ridge = self.ridge[rows, None] + self.ridge[None]
        # A ratio of a classifier to itself is 1 and has no error.
        ridge[np.arange(len(rows)), rows] = 0.0
        return gap, spread, ridge


def mean_covariance(features: Array) -> Array:
    """Return the covariance of means over independent instances.

    Parameters
    ----------
    features : array (k, b, n)
        n >= 2 instances; booleans are added exactly.

    Returns
    -------
    array (k, b, k, b)
        With ddof = 1, divided by n.
    """
    k, b, n = features.shape
    flat = features.reshape(k * b, n)
    if flat.dtype == bool:
        # Products of 0/1 are whole numbers, which float32 adds exactly up to 2^24 instances.
        flat = flat.astype(np.float32)
        means = flat.mean(axis=1, dtype=float)
        products = (flat @ flat.T).astype(float) / n - np.outer(means, means)
    else:
        # Centring first avoids the difference of two large numbers.
        centred = flat - flat.mean(axis=1, keepdims=True)
        products = centred @ centred.T / n
    return np.asarray(products / (n - 1)).reshape(k, b, k, b)


def critical_values(tail: float, degrees: Array) -> Array:
    """Return the points that standardised errors exceed with probability `tail`: (s,).

    Quantiles of the normal distribution, of Student's t where the degrees of freedom are finite.
    """
    finite = np.isfinite(degrees)
    # Student's quantiles where a spread is estimated from few blocks or timings.
    student = -scipy.special.stdtrit(np.where(finite, degrees, 1.0), tail)
    return np.asarray(np.where(finite, student, -scipy.special.ndtri(tail)))


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
    lower = np.full(n, -np.log(MAX_RATIO))
    upper = np.full(n, np.log(MAX_RATIO))
    possible = exceeds(lower)
    for _ in range(BISECTIONS):
        middle = (lower + upper) / 2
        above = exceeds(middle)
        lower = np.where(above, middle, lower)
        upper = np.where(above, upper, middle)
    return np.where(possible, np.exp(lower), 0.0)
