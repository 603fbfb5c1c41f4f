"""Learned verdicts of many runs at once: the package's steps on the moments of all runs together.

One run costs 5 to 20 ms of CPU time, of which numpy's arithmetic is the least part.
"""

from __future__ import annotations

import numpy as np
from scipy.special import stdtr

from deabench.inference.learned_mix import (
    DRAWS,
    FOLDS,
    MAX_ADVANTAGES,
    FoldMoments,
    deal_folds,
    holm_rejections,
    learn_mixes,
    mix_statistics,
)

Array = np.ndarray


def runs_together(k: int, s: int) -> int:
    """Return how many runs of k classifiers and s metrics memory should hold."""
    return int(np.clip(MAX_ADVANTAGES // (DRAWS * FOLDS * k * k * s), 1, 200))


def dominated_in_runs(hits: Array, *, shared: bool, alpha: float = 0.05) -> Array:
    """Return who is called dominated in each run, as `deabench.uncertainty` says: bool (runs, k).

    Parameters
    ----------
    hits : bool array (runs, k, s, n)
        Right answers.
    shared : bool
        Whether all metrics are of the same instances.
    alpha : float
    """
    runs, k, s, n = hits.shape
    moments = stack_moments(hits, deal_default_folds(s, n, shared=shared), shared=shared)
    is_cost = np.zeros(s, dtype=bool)
    ratios = mix_statistics(moments, learn_mixes(moments, is_cost), is_cost)
    statistic = ratios.statistic().min(axis=-1).reshape(runs, DRAWS, k).mean(axis=1)
    units = n if shared else n * s
    p_values = stdtr(float(units - 1), -statistic)
    return np.array([holm_rejections(p, alpha) for p in p_values])


def deal_default_folds(s: int, n: int, *, shared: bool) -> Array:
    """Return the folds that the package deals with its default seed: (draws, s, n)."""
    strata = np.zeros(n, dtype=int) if shared else np.repeat(np.arange(s), n)
    generator = np.random.default_rng(0)
    dealt = np.array([deal_folds(strata, FOLDS, generator) for _ in range(DRAWS)])
    return np.broadcast_to(dealt.reshape(DRAWS, -1, n), (DRAWS, s, n))


def stack_moments(hits: Array, fold: Array, *, shared: bool) -> FoldMoments:
    """Return the moments of all runs and draws, runs first: (runs · draws, folds, ...)."""
    runs, k, s, _ = hits.shape
    sums = np.zeros((runs, DRAWS, FOLDS, s, k))
    products = np.zeros((runs, DRAWS, FOLDS, s, k, k))
    overlaps = np.zeros((runs, DRAWS, FOLDS, s, s))
    metric_products = np.zeros((runs, DRAWS, FOLDS, s, s))
    values = hits.astype(float)
    deviations = values - values.mean(axis=1, keepdims=True)
    for d, f in np.ndindex(DRAWS, FOLDS):
        for r in range(s):
            members = fold[d, r] == f
            slab = values[:, :, r, members]
            sums[:, d, f, r] = slab.sum(axis=2)
            products[:, d, f, r] = slab @ slab.swapaxes(1, 2)
            # Metrics of instances of their own have none in common.
            others = range(s) if shared else [r]
            for q in others:
                overlaps[:, d, f, r, q] = members.sum()
                pair = deviations[:, :, r, members] * deviations[:, :, q, members]
                metric_products[:, d, f, r, q] = pair.sum(axis=(1, 2))
    shape = (runs * DRAWS, FOLDS)
    return FoldMoments(
        sums.reshape(*shape, s, k),
        products.reshape(*shape, s, k, k),
        overlaps.reshape(*shape, s, s),
        metric_products.reshape(*shape, s, s),
    )
