"""Learn the mix that beats a classifier on some units, and test it on the others.

Classifier i is not dominated exactly if there are weights w ≥ 0 with Σ_r w_r (μ_jr − μ_ir) ≤ 0 for
every rival j. So for every mix λ that was chosen without looking at a unit t, Σ_r w_r D_rt has a
mean of at most 0, where D_rt = Σ_j λ_j P_jrt − P_irt. If Σ_t D_rt exceeds z √Σ_t D_rt² in every
metric r, so does Σ_t w'D_t for every w, because a standard deviation of a sum is at most the sum of
the standard deviations. No correction for rivals or metrics is due, only one for classifiers.

The mix is learned by a soft game: the rivals answer weights on the metrics by a softmax of their
advantage, and the weights move to where the advantage is least. Units are dealt into folds; the mix
of each fold is learned from the others (cross-fitting). A softmax of moderate size, in standard
errors of the weighted advantage, and `e` of `cross_fit` in the variance keep the test valid where
many rivals tie.

For a fixed mix this is the central limit theorem; for the learned one it is proved for one metric
under the conditions of the papers below, and measured, not proved, for several.

References
----------
Zhang, Lee, Lei, arXiv 2408.02060; Kim, Ramdas, arXiv 2503.21639 (one metric).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from deabench.inference.moments import RatioStatistics, largest_ratio

Array = np.ndarray

FOLDS = 10
DRAWS = 5
"""Draws of folds whose statistics are averaged; one draw more changes under 1 % of the verdicts."""
SOFTNESS = 2.0
"""The softmax takes so many times a rival's weighted advantage in its standard errors."""
STEPS = 40
RATE = 1.5
"""The first step of the weights, divided by √step later."""
LEAST_SPREAD = 0.5
"""A standard deviation is at least that of half a differing unit."""
MAX_ADVANTAGES = 1 << 18
"""Numbers of games that are played together: 2 MB, which a processor's cache holds."""
MAX_HELD = 1 << 26
"""Numbers of computed units that are held from the first use on: 256 MB."""
MAX_SLAB = 1 << 23
"""Numbers of units that are computed together: 32 MB."""


@dataclass(frozen=True)
class Units:
    """What is drawn independently: instances, clusters or data sets.

    Attributes
    ----------
    source : float32 array (k, s, n), or a function of some units' numbers (m,) that computes theirs
        P: the mean over the units that a metric is measured on is the metric; 0 for other units.
    counts : bool array (s, n)
        Which units a metric is measured on.
    strata : int array (n,)
        The class or metric of each unit; folds take them in proportion.
    is_cost : bool array (s,)
        Which metrics are better low.
    """

    source: Array | Callable[[Array], Array]
    counts: Array
    strata: Array
    is_cost: Array

    @cached_property
    def values(self) -> Array:
        """Return P of all units: float32 (k, s, n)."""
        if callable(self.source):
            return self.source(np.arange(len(self.strata)))
        return self.source

    @cached_property
    def shape(self) -> tuple[int, int, int]:
        """Return k, s and n."""
        k = len(self.source(np.arange(1)) if callable(self.source) else self.source)
        return k, len(self.is_cost), len(self.strata)

    def take(self, members: Array) -> Array:
        """Return P of some units: float32 (k, s, members)."""
        if callable(self.source) and math.prod(self.shape) > MAX_HELD:
            return self.source(members)
        return np.asarray(self.values[:, :, members])

    def slabs(self, members: Array) -> Iterator[tuple[Array, Array]]:
        """Yield the numbers of some units and their P, so many at a time as memory should hold."""
        k, s, _ = self.shape
        pieces = -(-k * s * len(members) // MAX_SLAB)
        for piece in np.array_split(members, max(pieces, 1)):
            yield piece, self.take(piece)

    @property
    def sizes(self) -> Array:
        """Return the number of units of each metric: (s,)."""
        return np.asarray(self.counts.sum(axis=1))


@dataclass(frozen=True)
class FoldMoments:
    """Sums and products of the units' values, fold by fold, of several draws of folds.

    Attributes
    ----------
    sums : array (draws, folds, s, k)
    products : array (draws, folds, s, k, k)
        Σ_t P_t P_t'.
    overlaps : array (draws, folds, s, s)
        Units that two metrics have in common; the diagonal has the units of each metric.
    metric_products : array (draws, folds, s, s)
        Σ_t Σ_j d_jrt d_jqt of two metrics, where d is P less its mean over the classifiers.
    """

    sums: Array
    products: Array
    overlaps: Array
    metric_products: Array

    @cached_property
    def totals(self) -> tuple[Array, Array, Array, Array]:
        """Return sums, products, overlaps and metric products over all folds (draws, 1, ...)."""
        return (
            self.sums.sum(axis=1, keepdims=True),
            self.products.sum(axis=1, keepdims=True),
            self.overlaps.sum(axis=1, keepdims=True),
            self.metric_products.sum(axis=1, keepdims=True),
        )


@dataclass(frozen=True)
class CrossFit:
    """Learned mixes with their statistics.

    Attributes
    ----------
    statistic : array (k,)
        T: the least over the metrics, its mean over the draws of folds.
    mixes : array (k, k)
        λ, the mean over folds and draws; 0 for the classifier itself.
    ratios : RatioStatistics of arrays (draws, k, s)
        Of the mix against q times the classifier, or the opposite where a metric is a cost.
    """

    statistic: Array
    mixes: Array
    ratios: RatioStatistics

    def secure_ratio(self, critical: Array | float) -> Array:
        """Return the largest q >= 1 at which the statistic still exceeds `critical`: (k,)."""
        return np.asarray(np.maximum(largest_ratio(self.ratios, critical), 1.0))


def deal_folds(strata: Array, folds: int, generator: np.random.Generator) -> Array:
    """Deal units into folds at random, every stratum in proportion: int array (n,)."""
    shuffled = generator.permutation(len(strata))
    # Sorted by stratum, random within: dealing in turn gives each fold its share of every stratum.
    order = shuffled[np.argsort(strata[shuffled], kind="stable")]
    fold = np.empty(len(strata), dtype=np.intp)
    fold[order] = np.arange(len(strata)) % folds
    return fold


def fold_moments(units: Units, fold: Array, folds: int) -> FoldMoments:
    """Return the sums and products of each fold; all statistics are functions of them.

    Parameters
    ----------
    units : Units
    fold : int array (draws, n)
        The fold of each unit.
    folds : int
    """
    k, s, _ = units.shape
    draws = len(fold)
    moments = FoldMoments(
        np.zeros((draws, folds, s, k)),
        np.zeros((draws, folds, s, k, k)),
        np.zeros((draws, folds, s, s)),
        np.zeros((draws, folds, s, s)),
    )
    for d, f in np.ndindex(draws, folds):
        for members, values in units.slabs(np.flatnonzero(fold[d] == f)):
            counts = units.counts[:, members]
            moments.overlaps[d, f] += counts.astype(float) @ counts.T
            for r in range(s):
                # Units on which a metric is not measured are 0, and may be left out.
                slab = values[:, r] if counts[r].all() else values[:, r, counts[r]]
                moments.sums[d, f, r] += slab.sum(axis=1, dtype=float)
                moments.products[d, f, r] += _exact_products(slab)
            if s > 1:
                deviations = (values - values.mean(axis=0)).transpose(1, 0, 2).reshape(s, -1)
                moments.metric_products[d, f] += deviations @ deviations.T
    return moments


def soft_game(advantages: Array, correlations: Array) -> tuple[Array, Array]:
    """Play the soft game of every classifier against its rivals.

    Parameters
    ----------
    advantages : array (..., s, k, k)
        Of rival j over classifier i in each metric, in standard errors: rivals before classifiers.
        Games of several folds are played together.
    correlations : array (..., s, s)
        Of the advantages in two metrics, at least 0.

    Returns
    -------
    mixes (..., k, k), weights (..., s, k)
        Means over the steps, rivals and metrics before classifiers; both of sum 1. A classifier is
        no rival of its own.
    """
    s, k = advantages.shape[-3:-1]
    weights = np.full((*advantages.shape[:-3], s, k), 1 / s)
    mix_sum = np.zeros((*advantages.shape[:-3], k, k))
    weight_sum = np.zeros_like(weights)
    # With one metric there is nothing to learn about weights.
    steps = STEPS if s > 1 else 1
    diagonal = np.arange(k)
    for step in range(1, steps + 1):
        # The weighted advantage has a standard error of √(w'Rw): 1 for one metric, 1/√s for equal
        # weights of independent ones.
        error = np.sqrt(((correlations @ weights) * weights).sum(axis=-2, keepdims=True))
        slopes = SOFTNESS * weights / error
        exponent = (slopes[..., None, :] * advantages).sum(axis=-3)
        exponent[..., diagonal, diagonal] = -np.inf
        # The largest exponent is subtracted, so that no power overflows.
        mixes = np.exp(exponent - exponent.max(axis=-2, keepdims=True))
        mixes /= mixes.sum(axis=-2, keepdims=True)
        mix_sum += mixes
        weight_sum += weights
        # Weights leave the metrics in which the mix is far ahead for those where it is least so.
        gain = (mixes[..., None, :, :] * advantages).sum(axis=-2)
        gain -= gain.min(axis=-2, keepdims=True)
        largest = gain.max(axis=-2, keepdims=True)
        scaled = np.divide(gain, largest, out=np.zeros_like(gain), where=largest > 0)
        weights = weights * np.exp(-RATE * scaled / np.sqrt(step))
        weights /= weights.sum(axis=-2, keepdims=True)
    return mix_sum / steps, weight_sum / steps


def cross_fit(units: Units, *, folds: int = FOLDS, draws: int = DRAWS, seed: int = 0) -> CrossFit:
    """Learn the mix against each classifier and test it on the units it was not learned from.

    Parameters
    ----------
    units : Units
    folds, draws : int
        Folds of a draw; draws whose statistics are averaged.
    seed : int

    Notes
    -----
    The variance is that of the mixes as they are, plus what learning adds where rivals tie, to
    first order: e_ir = n_r (1 − 1/K)(c²/sd²) tr(B Σ B Σ), with B = diag λ − λλ' and Σ the
    covariance of the rivals in metric r. The mix follows metric r by the factor (Rw)_r/√(w'Rw),
    which is at most 1 (Cauchy and Schwarz), and 1 is taken.
    """
    k, s, _ = units.shape
    generator = np.random.default_rng(seed)
    # Several draws are computed together where they are small.
    draws_at_once = max(MAX_ADVANTAGES // (folds * k * k * s), 1)
    mixes = []
    parts = []
    for first in range(0, draws, draws_at_once):
        number = min(draws_at_once, draws - first)
        learned, part = _fit_draws(units, folds, number, generator)
        mixes.append(learned)
        parts.append(part)
    ratios = RatioStatistics(
        np.concatenate([part.first for part in parts]),
        np.concatenate([part.second for part in parts]),
        np.concatenate([part.squares for part in parts], axis=1),
        np.concatenate([part.extra for part in parts]),
    )
    statistic = ratios.statistic().min(axis=2).mean(axis=0)
    return CrossFit(statistic, np.concatenate(mixes).mean(axis=0), ratios)


def _fit_draws(
    units: Units, folds: int, draws: int, generator: np.random.Generator
) -> tuple[Array, RatioStatistics]:
    """Return the mean mixes (draws, k, k) and the statistics of some draws of folds.

    Their moments, which may take 100 MB, are freed before those of the next draws are computed.
    """
    fold = [deal_folds(units.strata, folds, generator) for _ in range(draws)]
    moments = fold_moments(units, np.array(fold), folds)
    learned = learn_mixes(moments, units.is_cost)
    return learned.mean(axis=1), mix_statistics(moments, learned, units.is_cost)


def holm_rejections(p_values: Array, alpha: float) -> Array:
    """Return which hypotheses Holm's procedure rejects at the level `alpha`."""
    order = np.argsort(p_values, kind="stable")
    hypotheses = len(p_values)
    passes = p_values[order] <= alpha / (hypotheses - np.arange(hypotheses))
    # The first that fails ends the procedure.
    rejected = np.zeros(hypotheses, dtype=bool)
    rejected[order] = np.logical_and.accumulate(passes)
    return rejected


def tail_probability(statistic: Array, degrees: float) -> Array:
    """Return the upper tail of Student's t with `degrees` degrees of freedom."""
    return np.asarray(scipy.special.stdtr(degrees, -statistic))


def learn_mixes(moments: FoldMoments, is_cost: Array) -> Array:
    """Return the mixes learned from all folds but one: array (draws, folds, k, k)."""
    draws, folds, s, k = moments.sums.shape
    # As many games at a time as memory should hold.
    step = max(MAX_ADVANTAGES // (draws * k * k * s), 1)
    mixes = [
        soft_game(*_games(moments, slice(start, start + step), is_cost))[0].swapaxes(-1, -2)
        for start in range(0, folds, step)
    ]
    return np.concatenate(mixes, axis=1)


def mix_statistics(moments: FoldMoments, mixes: Array, is_cost: Array) -> RatioStatistics:
    """Return the statistics (draws, k, s) of mixes on the folds that they were not learned from."""
    draws, folds, s, k = moments.sums.shape
    # Σ_t λ'P_t, Σ_t (λ'P_t)² and Σ_t λ'P_t P_it from the sums and products of the folds.
    mixed = np.zeros((draws, k, s))
    mixed_squares = np.zeros((draws, s, k))
    cross = np.zeros((draws, s, k))
    for f in range(folds):
        mix = mixes[:, f]
        mixed += mix @ moments.sums[:, f].swapaxes(1, 2)
        weighted = mix[:, None] @ moments.products[:, f]
        mixed_squares += (weighted * mix[:, None]).sum(axis=-1)
        cross += np.diagonal(weighted, axis1=-2, axis2=-1)
    sums, products, _, _ = moments.totals
    tested = sums[:, 0].swapaxes(1, 2)
    tested_squares = np.diagonal(products[:, 0], axis1=-2, axis2=-1).swapaxes(1, 2)
    mixed_squares = mixed_squares.swapaxes(1, 2)
    # For a cost the classifier's own values stand first: a mix that is better is lower.
    return RatioStatistics(
        np.where(is_cost, tested, mixed),
        np.where(is_cost, mixed, tested),
        np.stack(
            [
                np.where(is_cost, tested_squares, mixed_squares),
                cross.swapaxes(1, 2),
                np.where(is_cost, mixed_squares, tested_squares),
            ]
        ),
        _learning_variance(moments, mixes.mean(axis=1)) * (1 - 1 / folds),
    )


def _games(moments: FoldMoments, part: slice, is_cost: Array) -> tuple[Array, Array]:
    """Return the advantages outside each fold, and their correlations.

    Returns
    -------
    arrays (draws, folds, s, k, k) and (draws, folds, s, s)
    """
    sums, products, overlaps, metric_products = moments.totals
    overlaps = overlaps - moments.overlaps[:, part]
    sizes = np.diagonal(overlaps, axis1=-2, axis2=-1)
    mean, _, spread = _means_and_spreads(
        sums - moments.sums[:, part], products - moments.products[:, part], sizes
    )
    sign = np.where(is_cost, -1.0, 1.0)
    # advantages[..., r, j, i] = √n_r (M_jr − M_ir) / sd_ir, turned round for costs.
    scale = (sign * np.sqrt(sizes))[..., None] / spread
    advantages = (mean[..., None] - mean[..., None, :]) * scale[..., None, :]
    # Over all classifiers together: the covariance of deviations from the units' means.
    deviations = mean - mean.mean(axis=-1, keepdims=True)
    covariance = metric_products - moments.metric_products[:, part]
    covariance = covariance - overlaps * (deviations @ deviations.swapaxes(-1, -2))
    size = np.sqrt(np.maximum(np.diagonal(covariance, axis1=-2, axis2=-1), 0.0))
    scales = size[..., None] * size[..., None, :]
    uncorrelated = np.broadcast_to(np.eye(len(sign)), scales.shape).copy()
    correlations = np.divide(covariance, scales, out=uncorrelated, where=scales > 0)
    correlations = np.clip(correlations * np.outer(sign, sign), 0.0, 1.0)
    correlations[..., np.arange(len(sign)), np.arange(len(sign))] = 1.0
    return advantages, correlations


def _learning_variance(moments: FoldMoments, mixes: Array) -> Array:
    """Return n_r (c²/sd²) tr(B Σ B Σ) with B = diag λ − λλ': (draws, k, s)."""
    sums, products, overlaps, _ = (total[:, 0] for total in moments.totals)
    sizes = np.diagonal(overlaps, axis1=-2, axis2=-1)
    _, covariance, spread = _means_and_spreads(sums, products, sizes)
    # tr(BΣBΣ) = λ'(Σ∘Σ)λ − 2 Σ_j λ_j v_j² + (λ'v)², v = Σλ; arrays (draws, s, k, k).
    mixes = mixes[:, None]
    v = mixes @ covariance
    trace = ((mixes @ covariance**2) * mixes).sum(axis=-1)
    trace += (mixes * v).sum(axis=-1) ** 2 - 2 * (mixes * v**2).sum(axis=-1)
    extra = sizes[..., None] * SOFTNESS**2 / spread**2 * np.maximum(trace, 0.0)
    return np.asarray(extra.swapaxes(1, 2))


def _means_and_spreads(sums: Array, products: Array, sizes: Array) -> tuple[Array, Array, Array]:
    """Return means (..., s, k), covariances (..., s, k, k), and spreads of differences (..., s, k).

    The spread is the root mean variance of P_j − P_i over the rivals j, at least that of half a
    differing unit.
    """
    k = sums.shape[-1]
    n = sizes[..., None]
    mean = sums / n
    covariance = products / n[..., None] - mean[..., :, None] * mean[..., None, :]
    variance = np.diagonal(covariance, axis1=-2, axis2=-1)
    # The mean over j of Σ_ii + Σ_jj − 2 Σ_ij; the term j = i is 0.
    total = variance.sum(axis=-1, keepdims=True) + k * variance - 2 * covariance.sum(axis=-1)
    # The size of the values themselves makes the least spread independent of units.
    size = np.diagonal(products, axis1=-2, axis2=-1).mean(axis=-1) / sizes
    smallest_variance = LEAST_SPREAD**2 * np.where(size > 0, size, 1.0) / sizes
    spread = np.sqrt(np.maximum(total / (k - 1), smallest_variance[..., None]))
    return mean, covariance, spread


def _exact_products(slab: Array) -> Array:
    """Return Σ_t P_t P_t' (k, k) in double precision."""
    is_binary = slab.shape[1] < 1 << 24 and bool(((slab == 0) | (slab == 1)).all())
    # Products of 0 and 1 are whole numbers, which float32 adds exactly up to 2^24.
    exact = slab if is_binary else slab.astype(float)
    return np.asarray(exact @ exact.T, dtype=float)
