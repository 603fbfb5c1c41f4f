"""A: the largest standardised error of all log ratios at once, drawn from their joint normal distribution.

Where every ratio is claimed together - targets, gaps, a mix that beats, the frontier's band - one critical value holds for all:
c is the 1 − α quantile of max over i, j, r of |t*_ijr|, t* = (ε_ir − ε_jr) / se_ijr, ε ~ N(0, S).

The draws are float32 in an array (k, s, draws); pairs i < j are visited row by row, so nothing of k² · s · draws is ever held. They
are made in the order of the labels, on one thread: the same seed gives the same bits, whatever the order and the threads.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deabench.dea.uncertainty.analytic import critical
from deabench.dea.uncertainty.moments import Moments
from deabench.threads import one_thread

Array = np.ndarray

DRAWS = 2000
"""400 gave coverages of .91 to .94 where 2,000 gave .95."""
RIDGE = 1.0
"""The ridge's weight for A."""


@dataclass(frozen=True)
class Maxima:
    """The largest |t*| of each draw.

    Attributes
    ----------
    classifiers : array (k, draws)
        Over the pairs of one classifier and all metrics.
    metrics : array (s, draws)
        Over all pairs, metric by metric.
    """

    classifiers: Array
    metrics: Array


def maxima(moments: Moments, *, draws: int, seed: int) -> Maxima:
    """Draw the errors and take the maxima.

    Parameters
    ----------
    moments : Moments
        In an order that does not depend on the user's.
    draws : int
    seed : int
        Of numpy's default generator.
    """
    k, s = moments.logs.shape
    errors = _errors(moments, draws, seed)
    _, spread, ridge = moments.pairs(np.arange(k))
    variance = spread + RIDGE * ridge
    precision = np.divide(1.0, np.sqrt(variance), out=np.zeros_like(variance), where=variance > 0).astype(np.float32)
    classifiers = np.zeros((k, draws), dtype=np.float32)
    metrics = np.zeros((s, draws), dtype=np.float32)
    for i in range(k - 1):
        t = errors[i + 1:] - errors[i]
        t *= precision[i, i + 1:, :, None]
        np.abs(t, out=t)
        np.maximum(metrics, t.max(axis=0), out=metrics)
        each = t.max(axis=1)
        np.maximum(classifiers[i + 1:], each, out=classifiers[i + 1:])
        np.maximum(classifiers[i], each.max(axis=0), out=classifiers[i])
    return Maxima(classifiers, metrics)


def levels(moments: Moments, *, draws: int, seed: int) -> Array:
    """The largest standardised error of all metrics themselves (not their ratios), per draw: (draws,)."""
    variance = np.diagonal(moments.sampling, axis1=1, axis2=2).T + RIDGE * moments.ridge
    precision = np.divide(1.0, np.sqrt(variance), out=np.zeros_like(variance), where=variance > 0)
    return np.asarray(np.abs(_errors(moments, draws, seed) * precision[:, :, None].astype(np.float32)).max(axis=(0, 1)))


def quantile(largest: Array, alpha: float) -> float:
    """The 1 − α quantile along the last axis as an order statistic, rounded up: never too small for its number of draws."""
    place = min(int(np.ceil((1 - alpha) * (largest.shape[-1] + 1))), largest.shape[-1]) - 1
    return float(np.partition(largest, place)[place])


def constant(moments: Moments, alpha: float, *, draws: int, seed: int) -> tuple[Array, str]:
    """The critical value of all log ratios at once, per metric (s,), and how it was had.

    Where an error has finite degrees of freedom (blocks, few timings) a joint normal is not to be had, and Bonferroni's division
    over all pairs and metrics takes the place of the draws.
    """
    k, s = moments.logs.shape
    if np.isfinite(moments.degrees).any():
        return critical(alpha / (k * (k - 1) * s), moments.degrees), "Bonferroni over all pairs and metrics, Student's t"
    found = maxima(moments, draws=draws, seed=seed)
    return np.full(s, quantile(found.metrics.max(axis=0), alpha)), f"the largest of all |t| in {draws:,} draws"


def _errors(moments: Moments, draws: int, seed: int) -> Array:
    """ε ~ N(0, S): float32 (k, s, draws)."""
    k, s = moments.logs.shape
    with one_thread(1 << 20):
        joint = moments.joint(RIDGE)
        size = np.sqrt(np.diagonal(joint))
        unit = np.where(size > 0, size, 1.0)
        root = np.linalg.cholesky(joint / np.outer(unit, unit) + 1e-9 * np.eye(k * s)) * unit[:, None]
        normal = np.random.default_rng(seed).standard_normal((k * s, draws), dtype=np.float32)
        return (root.astype(np.float32) @ normal).reshape(k, s, draws)
