"""Gaps, targets and the frontier's band with intervals: what needs every ratio, or every metric, at once (method A)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from deabench.dea.uncertainty import maxt
from deabench.dea.uncertainty.analytic import Problem, critical, scores

if TYPE_CHECKING:
    from deabench.dea.uncertainty.result import Uncertainty

Array = np.ndarray


def gaps(result: Uncertainty) -> pd.DataFrame:
    """By how much today's mix of peers is better in each metric, as a share of the classifier's own value.

    The mix is the one that the scores rest on, held fixed; an input's gap is negative where the mix takes less of it.

    Returns
    -------
    DataFrame, k x (metric, [lower, gap, upper])
        All at once at the result's level.
    """
    problem = result.problem
    c, _ = maxt.constant(problem.moments, 1 - result.level, draws=result.draws, seed=result.seed)
    gap, spread, ridge = problem.moments.pairs(np.arange(problem.size[0]))
    move = c * np.sqrt(spread + maxt.ratio_ridge(c) * ridge)
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
    """Every metric with an interval, all at once: the true frontier lies between those that the two ends span.

    Returns
    -------
    DataFrame, k x (metric, [lower, value, upper])
    """
    return _frame(result, _ends(result), "value")


def _ends(result: Uncertainty) -> list[Array]:
    moments = result.problem.moments
    c = level_constant(result.problem, 1 - result.level, draws=result.draws, seed=result.seed)
    variance = np.diagonal(moments.sampling, axis1=1, axis2=2).T + maxt.ratio_ridge(c) * moments.ridge
    move = c * np.sqrt(variance)
    return [np.exp(moments.logs + sign * move) for sign in (-1, 0, 1)]


def level_constant(problem: Problem, alpha: float, *, draws: int, seed: int) -> Array:
    """The critical value of all metrics of all classifiers at once, (s,)."""
    k, s = problem.size
    if np.isfinite(problem.moments.degrees).any():
        return critical(alpha / (2 * k * s), problem.moments.degrees)
    return np.full(s, maxt.quantile(maxt.levels(problem.moments, draws=draws, seed=seed), alpha))


def _frame(result: Uncertainty, ends: list[Array], name: str) -> pd.DataFrame:
    """Columns (metric, end), rows in the user's order."""
    index = result.samples.values.index
    labels = index[list(result.order)]
    parts = {metric: pd.DataFrame({key: end[:, r] for key, end in zip(("lower", name, "upper"), ends, strict=True)}, labels)
             for r, metric in enumerate(result.metrics)}
    return pd.concat(parts, axis=1, names=["metric", None]).loc[index]
