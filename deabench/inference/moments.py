"""What an interval needs of the samples: log ratios of all pairs, their variances, and what one
flipped instance moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

Array = np.ndarray


@dataclass(frozen=True)
class Part:
    """One class, or one set of blocks: independent of the other parts.

    Attributes
    ----------
    gradient : array (k, s, b)
        Derivative of each log metric by the b means it is made of; 0 where it does not depend on
        them.
    covariance : array (k, b, k, b)
        Of those means.
    flips : array (k, s)
        The change of each log metric when one instance of the part is answered the other way; 0
        where that is unknown.
    """

    gradient: Array
    covariance: Array
    flips: Array


@dataclass(frozen=True)
class Moments:
    """Log metrics of k classifiers with their errors.

    Attributes
    ----------
    logs : array (k, s)
    parts : tuple of Part
    degrees : array (s,)
        Degrees of freedom of each metric's error; inf where it is normal.
    """

    logs: Array
    parts: tuple[Part, ...]
    degrees: Array

    @cached_property
    def sampling(self) -> Array:
        """Covariances between classifiers, metric by metric: (s, k, k)."""
        total = np.zeros((self.logs.shape[1], len(self.logs), len(self.logs)))
        for part in self.parts:
            for r in range(len(total)):
                used = part.gradient[:, r].any(axis=0)
                g, c = part.gradient[:, r][:, used], part.covariance[:, used][..., used]
                total[r] += np.einsum("ib,ibjd,jd->ij", g, c, g, optimize=True)
        return total

    @cached_property
    def ridge(self) -> Array:
        """The squared one-flip changes, summed over the parts: (k, s)."""
        return np.asarray(sum((part.flips**2 for part in self.parts), np.zeros_like(self.logs)))

    def pairs(self, rows: Array) -> tuple[Array, Array, Array]:
        """For classifiers i in `rows` and every j: log y_j − log y_i, its sampling variance, its
        ridge, each (rows, k, s).
        """
        if len(rows) == len(self.logs) and np.array_equal(rows, np.arange(len(rows))):
            return self._every
        return self._pairs(rows)

    @cached_property
    def _every(self) -> tuple[Array, Array, Array]:
        return self._pairs(np.arange(len(self.logs)))

    def _pairs(self, rows: Array) -> tuple[Array, Array, Array]:
        variance = np.diagonal(self.sampling, axis1=1, axis2=2).T
        gap = self.logs[None] - self.logs[rows, None]
        both = variance[rows, None] + variance[None]
        spread = both - 2 * self.sampling[:, rows].transpose(1, 2, 0)
        spread[spread <= 1e-13 * both] = 0.0  # equal answers: nothing but rounding is left
        ridge = self.ridge[rows, None] + self.ridge[None]
        ridge[np.arange(len(rows)), rows] = 0.0
        return gap, spread, ridge

    def joint(self, h: float) -> Array:
        """The covariance of all log metrics with h times the ridge, (k·s, k·s), classifiers first."""
        k, s = self.logs.shape
        total = np.zeros((k, s, k, s))
        for part in self.parts:
            spread = np.einsum("irb,ibjd->jird", part.gradient, part.covariance, optimize=True)
            both = np.matmul(spread.reshape(k, k * s, -1), part.gradient.transpose(0, 2, 1))
            total += both.reshape(k, k, s, s).transpose(1, 2, 0, 3)
            total[np.arange(k), :, np.arange(k), :] += (
                h * part.flips[:, :, None] * part.flips[:, None, :]
            )
        return total.reshape(k * s, k * s)

    def take(self, rows: list[int], columns: list[int]) -> Moments:
        """Some of the classifiers and metrics, in the order given."""
        parts = tuple(
            Part(
                p.gradient[np.ix_(rows, columns)],
                p.covariance[rows][:, :, rows],
                p.flips[np.ix_(rows, columns)],
            )
            for p in self.parts
        )
        return Moments(self.logs[np.ix_(rows, columns)], parts, self.degrees[columns])
