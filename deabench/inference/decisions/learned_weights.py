"""Learn weights of the metrics that show one classifier to be good enough.

Classifier i has an efficiency of at least q if there are weights w ≥ 0 with Σ_r w_r (μ_ir − q μ_jr)
≥ 0 for every rival j; for weights that were chosen without looking at a unit, the least statistic
over the rivals needs no correction for them. The weights come from a soft game, as the mixes of
`learned_mix`: a softmax of the classifier's lead in each metric, against rivals that move to where
the lead is least. Where metrics tie, learning makes the statistic vary more; `e` below is that, to
first order, and is added to the variance. This is measured, not proved, for several metrics.

The softmax is half as steep as that of mixes. Advantages of two rivals over one classifier share
its noise; leads in two metrics share nothing and differ by more. At the steepness of mixes the
statistic of independent metrics that tie exceeds 1.96 in .035 (two) to .041 (five) of draws from
its limiting law; at 1 in .020 to .028 (two to twenty).
"""

from __future__ import annotations

import numpy as np

from deabench.inference.verdicts.learned_mix import (
    DRAWS,
    LEAST_SPREAD,
    RATE,
    STEPS,
    Units,
    deal_folds,
)
from deabench.inference.verdicts.ratio_statistics import RatioStatistics, largest_ratio

Array = np.ndarray

WEIGHT_SOFTNESS = 1.0
"""The softmax takes so many times the lead in standard errors."""


def soft_weights(leads: Array) -> tuple[Array, Array]:
    """Return weights of the metrics (s,) and a mix of the rivals (m,) that oppose each other.

    Parameters
    ----------
    leads : array (m, s)
        Of the classifier over each rival in each metric, in standard errors.
    """
    m, s = leads.shape
    mix = np.full(m, 1 / m)
    weight_sum = np.zeros(s)
    mix_sum = np.zeros(m)
    for step in range(1, STEPS + 1):
        exponent = WEIGHT_SOFTNESS * (mix @ leads)
        weights = np.exp(exponent - exponent.max())
        weights /= weights.sum()
        weight_sum += weights
        mix_sum += mix
        # The mix moves to the rivals that are the least behind.
        gain = leads @ weights
        gain = gain - gain.min()
        if gain.max() > 0:
            mix = mix * np.exp(-RATE * gain / (gain.max() * np.sqrt(step)))
            mix /= mix.sum()
    return weight_sum / STEPS, mix_sum / STEPS


def lower_limit(
    units: Units,
    row: int,
    at_least: float,
    critical: float,
    ridge: Array,
    *,
    folds: int,
    seed: int,
    draws: int = DRAWS,
) -> float:
    """Return the largest q at which a classifier is shown to score at least q.

    Parameters
    ----------
    units : Units
    row : int
    at_least : float
        The efficiency for which the weights are learned.
    critical : float
    ridge : array (s,)
        Squared differences that are added to the variance: where none was seen the limit is not 1.
    folds, seed, draws : int
    """
    generator = np.random.default_rng(seed)
    statistics = [
        _statistics_of_draw(units, row, at_least, ridge, folds, generator) for _ in range(draws)
    ]
    stacked = np.stack(statistics, axis=1)[:, :, None]
    ratios = RatioStatistics(stacked[0], stacked[1], stacked[2:5], stacked[5])
    return float(min(largest_ratio(ratios, critical)[0], 1.0))


def _statistics_of_draw(
    units: Units,
    row: int,
    at_least: float,
    ridge: Array,
    folds: int,
    generator: np.random.Generator,
) -> Array:
    """Return Σa, Σb, Σa², Σab, Σb² and the added variance of one draw of folds, (6, rivals)."""
    k, s, _ = units.shape
    rivals = np.delete(np.arange(k), row)
    fold = deal_folds(units.strata, folds, generator)
    sums = np.zeros((folds, k - 1, s))
    squares = np.zeros((folds, k - 1, s))
    sizes = np.zeros((folds, 1, s))
    for f in range(folds):
        for members, values in units.slabs(np.flatnonzero(fold == f)):
            measured = units.counts[:, members]
            # Units on which a metric is not measured are 0 for everyone.
            leads = values[row].astype(float) - at_least * values[rivals]
            sums[f] += leads.sum(axis=2)
            squares[f] += (leads**2).sum(axis=2)
            sizes[f, 0] += measured.sum(axis=1)
    totals = np.zeros((6, k - 1))
    weight_sum = np.zeros(s)
    mix_sum = np.zeros(k - 1)
    scale_sum = np.zeros(s)
    for f in range(folds):
        # Means and deviations of all other folds.
        n = (sizes.sum(axis=0) - sizes[f])[0]
        mean = (sums.sum(axis=0) - sums[f]) / n
        variance = (squares.sum(axis=0) - squares[f]) / n - mean**2
        spread = np.sqrt(np.maximum(variance.mean(axis=0), LEAST_SPREAD**2 / n))
        weights, mix = soft_weights(np.sqrt(n) * mean / spread)
        weight_sum += weights
        mix_sum += mix
        # In units of each metric's standard error over all units.
        scale = 1 / (spread * np.sqrt(units.sizes))
        scale_sum += scale
        scaled = weights * scale
        for _, values in units.slabs(np.flatnonzero(fold == f)):
            combined = np.einsum("r,krt->kt", scaled, values, dtype=float)
            others = combined[rivals]
            totals[0] += combined[row].sum()
            totals[1] += others.sum(axis=1)
            totals[2] += combined[row] @ combined[row]
            totals[3] += others @ combined[row]
            totals[4] += (others**2).sum(axis=1)
        totals[5] += (ridge * scaled**2).max() / folds
    # e = c² (1 − 1/K) tr(B Σ B Σ), B = diag w − w w' the slope of the softmax.
    weights = weight_sum / folds
    slope = np.diag(weights) - np.outer(weights, weights)
    mix = mix_sum / folds
    mean_leads = (sums.sum(axis=0).T @ mix / units.sizes)[:, None]
    covariance = np.zeros((s, s))
    for members, values in units.slabs(np.arange(len(fold))):
        mixed = np.einsum("j,jrt->rt", mix, values[rivals], dtype=float)
        leads = values[row] - at_least * mixed - units.counts[:, members] * mean_leads
        leads *= (scale_sum / folds)[:, None]
        covariance += leads @ leads.T
    product = slope @ covariance
    totals[5] += WEIGHT_SOFTNESS**2 * (1 - 1 / folds) * np.trace(product @ product)
    return totals
