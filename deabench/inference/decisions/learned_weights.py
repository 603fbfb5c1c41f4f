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
its limiting law; at 1 in .020 to .028 (two to twenty). Where leads oppose each other their weighted
sum varies little, and what learning adds would outweigh it (.039 at a correlation of −.9): there
the softmax is so much flatter that learning adds no larger share than with independent metrics.
"""

from __future__ import annotations

import numpy as np

from deabench.inference.learned_mix import (
    DRAWS,
    LEAST_SPREAD,
    RATE,
    STEPS,
    Units,
    deal_folds,
)
from deabench.inference.moments import RatioStatistics, largest_ratio

Array = np.ndarray

WEIGHT_SOFTNESS = 1.0
"""The softmax takes at most so many times the lead in standard errors."""


def choose_softness(correlations: Array) -> Array:
    """Return the steepness of the softmax by the correlations (..., s, s) of the leads: (...,).

    At equal weights w learning adds c² tr(B R B R) to the variance w'Rw, B = diag w − w w'. Their
    ratio is at most that of independent metrics at c = `WEIGHT_SOFTNESS`.
    """
    s = correlations.shape[-1]
    slope = (np.eye(s) - 1 / s) / s
    product = slope @ correlations
    added = np.trace(product @ product, axis1=-2, axis2=-1)
    variance = correlations.mean(axis=(-2, -1))
    # Independent metrics have (s − 1)/s² beside 1/s.
    ratio = np.divide((s - 1) / s * variance, added, out=np.ones_like(added), where=added > 0)
    return np.asarray(WEIGHT_SOFTNESS * np.sqrt(np.clip(ratio, 0.0, 1.0)))


def soft_weights(leads: Array, softness: Array | float = WEIGHT_SOFTNESS) -> tuple[Array, Array]:
    """Return weights of the metrics (..., s) and mixes of the rivals (..., m) that oppose them.

    Parameters
    ----------
    leads : array (..., m, s)
        Of the classifier over each rival in each metric, in standard errors; the games of several
        folds are played together.
    softness : array (...,) or float
        The softmax takes so many times the lead.
    """
    m, s = leads.shape[-2:]
    mix = np.full(leads.shape[:-1], 1 / m)
    weight_sum = np.zeros((*leads.shape[:-2], s))
    mix_sum = np.zeros(leads.shape[:-1])
    for step in range(1, STEPS + 1):
        exponent = np.asarray(softness)[..., None] * (mix[..., None, :] @ leads)[..., 0, :]
        weights = np.exp(exponent - exponent.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        weight_sum += weights
        mix_sum += mix
        # The mix moves to the rivals that are the least behind.
        gain = (leads @ weights[..., None])[..., 0]
        gain -= gain.min(axis=-1, keepdims=True)
        largest = gain.max(axis=-1, keepdims=True)
        scaled = np.divide(gain, largest, out=np.zeros_like(gain), where=largest > 0)
        mix = mix * np.exp(-RATE * scaled / np.sqrt(step))
        mix /= mix.sum(axis=-1, keepdims=True)
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
    products = np.zeros((folds, s, s))
    overlaps = np.zeros((folds, s, s))
    for f in range(folds):
        for members, values in units.slabs(np.flatnonzero(fold == f)):
            # Units on which a metric is not measured are 0 for everyone.
            leads = values[row].astype(float) - at_least * values[rivals]
            sums[f] += leads.sum(axis=2)
            by_metric = leads.swapaxes(0, 1).reshape(s, -1)
            products[f] += by_metric @ by_metric.T
            measured = units.counts[:, members].astype(float)
            overlaps[f] += measured @ measured.T
    # Means (folds, rivals, s) and covariances, of all rivals together, of all other folds.
    overlaps = overlaps.sum(axis=0) - overlaps
    n = np.diagonal(overlaps, axis1=1, axis2=2)
    mean = (sums.sum(axis=0) - sums) / n[:, None]
    covariance = products.sum(axis=0) - products - overlaps * (mean.swapaxes(1, 2) @ mean)
    variance = np.diagonal(covariance, axis1=1, axis2=2) / ((k - 1) * n)
    spread = np.sqrt(np.maximum(variance, LEAST_SPREAD**2 / n))
    size = spread * np.sqrt((k - 1) * n)
    softness = choose_softness(covariance / (size[:, :, None] * size[:, None]))
    weights, mixes = soft_weights(mean * (np.sqrt(n) / spread)[:, None], softness)
    # In units of each metric's standard error over all units.
    scale = 1 / (spread * np.sqrt(units.sizes))
    totals = np.zeros((6, k - 1))
    for f, scaled in enumerate(weights * scale):
        for _, values in units.slabs(np.flatnonzero(fold == f)):
            combined = np.einsum("r,krt->kt", scaled, values, dtype=float)
            combined_rivals = combined[rivals]
            totals[0] += combined[row].sum()
            totals[1] += combined_rivals.sum(axis=1)
            totals[2] += combined[row] @ combined[row]
            totals[3] += combined_rivals @ combined[row]
            totals[4] += (combined_rivals**2).sum(axis=1)
        totals[5] += (ridge * scaled**2).max() / folds
    # e = c² (1 − 1/K) tr(B Σ B Σ), B = diag w − w w' the slope of the softmax.
    weight = weights.mean(axis=0)
    slope = np.diag(weight) - np.outer(weight, weight)
    mix = mixes.mean(axis=0)
    mean_leads = (sums.sum(axis=0).T @ mix / units.sizes)[:, None]
    covariance = np.zeros((s, s))
    for members, values in units.slabs(np.arange(len(fold))):
        mixed = np.einsum("j,jrt->rt", mix, values[rivals], dtype=float)
        leads = values[row] - at_least * mixed - units.counts[:, members] * mean_leads
        leads *= scale.mean(axis=0)[:, None]
        covariance += leads @ leads.T
    product = slope @ covariance
    totals[5] += (softness**2).mean() * (1 - 1 / folds) * np.trace(product @ product)
    return totals
