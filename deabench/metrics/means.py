"""Intervals of the mean of a loss by the bootstrap-t: how far off each resample's mean is, in
standard errors of its own.

Losses are skewed (most small, some large), so that limits at equal distances miss on one side; the
bootstrap-t learns the skewness from the data. Where a resample may have no spread at all, there is
no such interval.

References
----------
Efron and Tibshirani (1993), An Introduction to the Bootstrap, section 12.5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deabench.metrics.draws import Design, counts

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Units:
    """What is drawn: instances or clusters, their weights and weighted losses, and the strata they
    are drawn within.
    """

    first: NDArray[np.intp]
    weight: Floats
    loss: Floats
    strata: NDArray[np.intp]

    def of(self, drawn: Floats) -> tuple[Floats, Floats]:
        """Mean and standard error of each resample, shape (B, units)."""
        total = drawn @ self.weight
        mean = drawn @ self.loss / total
        variance = np.zeros(len(drawn))
        for stratum in np.unique(self.strata):
            inside = self.strata == stratum
            c, v, s = drawn[:, inside], self.weight[inside], self.loss[inside]
            n = int(inside.sum())
            squares = c @ s**2 - 2 * mean * (c @ (s * v)) + mean**2 * (c @ v**2)
            variance += (
                np.maximum(squares - (c @ s - mean * (c @ v)) ** 2 / n, 0.0) * n / max(n - 1, 1)
            )
        return mean, np.sqrt(variance) / total


def studentised(
    loss: Floats, design: Design, draws: int, seed: int, *, alpha: float, positive: bool
) -> tuple[float, float] | None:
    """The bootstrap-t limits of the mean loss; None where too many resamples have no spread.

    Parameters
    ----------
    loss : array, n
        Finite.
    positive : bool
        Whether a mean can only be positive: the distances are then those of its logarithm.
        Otherwise, as for differences, both limits are at the distance that a share `alpha` of the
        resamples exceeds on either side, which covers better there.
    """
    units = _units(loss, design)
    whole = np.ones((1, len(units.first)))
    (mean,), (error,) = units.of(whole)
    if not error > 1e-12 * np.abs(loss).max() or (positive and mean <= 0):
        return None
    parts = [units.of(block[:, units.first]) for block in counts(design, draws, seed)]
    means, errors = (np.concatenate(part) for part in zip(*parts, strict=True))
    with np.errstate(divide="ignore", invalid="ignore"):
        far = (
            (np.log(means) - np.log(mean)) * means / errors if positive else (means - mean) / errors
        )
    far[errors <= 1e-9 * error] = np.nan
    if np.isnan(far).mean() > alpha / 10:
        return None
    known = far[~np.isnan(far)]
    if positive:
        low, high = np.quantile(known, [alpha / 2, 1 - alpha / 2])
        return float(mean * np.exp(-high * error / mean)), float(mean * np.exp(-low * error / mean))
    reach = float(np.quantile(np.abs(known), 1 - alpha)) * error
    return float(mean - reach), float(mean + reach)


def _units(loss: Floats, design: Design) -> _Units:
    weight = np.ones(len(loss)) if design.weight is None else design.weight
    if design.kind != "clusters":
        return _Units(np.arange(len(loss)), weight, weight * loss, design.strata)
    first = np.unique(design.groups, return_index=True)[1]
    sums = [
        np.asarray(np.bincount(design.groups, each), dtype=float)
        for each in (weight, weight * loss)
    ]
    return _Units(first, sums[0], sums[1], np.zeros_like(first))
