"""Gaps, targets and the frontier's band with intervals: what needs every ratio, or every metric, at
once (method A).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from deabench.inference import max_t
from deabench.inference.analytic import Problem, critical, scores

if TYPE_CHECKING:
    from deabench.inference.result import Uncertainty

Array = np.ndarray


def gaps(result: Uncertainty) -> pd.DataFrame:
    """By how much today's mix of peers is better in each metric, as a share of the classifier's own
    value.

    The mix is the one that the scores rest on, held fixed; an input's gap is negative where the mix
    takes less of it.

    Returns
    -------
    DataFrame, k x (metric, [lower, gap, upper])
        All at once at the result's level.
    """
    problem = result.problem
    c, _ = max_t.constant(problem.moments, 1 - result.level, draws=result.draws, seed=result.seed)
    gap, spread, ridge = problem.moments.pairs(np.arange(problem.size[0]))
    move = c * np.sqrt(spread + max_t.ratio_ridge(c) * ridge)
    mix = scores(problem).mix
    ends = [np.einsum("ij,ijr->ir", mix, np.exp(gap + sign * move)) - 1 for sign in (-1, 0, 1)]
    return _frame(result, ends, "gap")


def targets(result: Uncertainty) -> pd.DataFrame:
    """The same mix of peers in the metrics' own units.

    Returns
    -------
    DataFrame, k x (metric, [lower, target, upper])
        All at once at the result's level.
    """
    mix = scores(result.problem).mix
    return _frame(result, [mix @ end for end in _ends(result)], "target")


def band(result: Uncertainty) -> pd.DataFrame:
    """Every metric with an interval, all at once: the true frontier lies between those that the two
    ends span.

    Returns
    -------
    DataFrame, k x (metric, [lower, value, upper])
    """
    return _frame(result, _ends(result), "value")


def _ends(result: Uncertainty) -> list[Array]:
    moments = result.problem.moments
    c = level_constant(result.problem, 1 - result.level, draws=result.draws, seed=result.seed)
    sampling = np.diagonal(moments.sampling, axis1=1, axis2=2).T
    move = c * np.sqrt(sampling + max_t.ratio_ridge(c) * moments.ridge)
    value = np.exp(moments.logs)
    lower, upper = value * np.exp(-move), value * np.exp(move)
    flips = np.max([part.flips for part in moments.parts], axis=0)
    shares = (value <= 1).all(axis=0) & (flips > 0).all(axis=0)
    lower[:, shares], upper[:, shares] = _of_shares(
        value[:, shares], sampling[:, shares], flips[:, shares], c[shares]
    )
    return [lower, value, upper]


def _of_shares(value: Array, sampling: Array, flips: Array, c: Array) -> tuple[Array, Array]:
    """Clopper and Pearson's limits of shares whose variance is that of so many instances (Korn and
    Graubard 1998).

    A variance y²·`sampling` is that of (1 − y)/(y · `sampling`) instances, but of no more than one
    flip speaks for. The symmetric limits of the logarithm were too high below a share that came out
    near 1: with recalls of .9 to .99 on 200 instances all of them together held in .88 of runs.

    Korn, Graubard (1998), Survey Methodology 24, 193-201.
    """
    from scipy.special import betaincinv, ndtr

    most = 1 / (value * flips)
    known = (sampling > 0) & (value < 1)
    count = np.where(
        known, np.minimum((1 - value) / (value * np.where(known, sampling, 1.0)), most), most
    )
    hits, tail = count * value, ndtr(-c)
    misses = np.maximum(count - hits, 0.0)
    upper = 1 - betaincinv(np.maximum(misses, 1e-12), hits + 1, tail)
    return betaincinv(hits, misses + 1, tail), np.where(misses > 0, upper, 1.0)


def level_constant(problem: Problem, alpha: float, *, draws: int, seed: int) -> Array:
    """The critical value of all metrics of all classifiers at once, (s,)."""
    k, s = problem.size
    if np.isfinite(problem.moments.degrees).any():
        return critical(alpha / (2 * k * s), problem.moments.degrees)
    return np.full(s, max_t.quantile(max_t.levels(problem.moments, draws=draws, seed=seed), alpha))


def _frame(result: Uncertainty, ends: list[Array], name: str) -> pd.DataFrame:
    """Columns (metric, end), rows in the user's order."""
    index = result.samples.values.index
    labels = index[list(result.order)]
    parts = {
        metric: pd.DataFrame(
            {key: end[:, r] for key, end in zip(("lower", name, "upper"), ends, strict=True)},
            labels,
        )
        for r, metric in enumerate(result.metrics)
    }
    return pd.concat(parts, axis=1, names=["metric", None]).loc[index]
