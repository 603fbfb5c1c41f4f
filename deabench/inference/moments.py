"""Hold log metrics with the covariances of their errors, which all intervals start from.

A metric is a function of means over units (instances, blocks); the covariance of these means and
the gradient of the log metric by them give the covariance of the log metrics: `Moments`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

Array = np.ndarray

ROUNDING_ERROR = 1e-13
"""A variance below this share of the terms it is the difference of is nothing but rounding."""


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
