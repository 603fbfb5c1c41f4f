"""How sure is an efficiency: from samples to an `Uncertainty`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from deabench.inference import max_t, sentences
from deabench.inference.analytic import Problem, critical, tails
from deabench.inference.max_t import Cluster
from deabench.inference.result import EDGE, Array, Constants, Method, Uncertainty, in_order
from deabench.inference.samples import Samples, chosen
from deabench.inference.technology import Orientation, Returns, technology_of
from deabench.utils.checks import choice, share


def uncertainty(
    samples: Samples,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    level: float = 0.95,
    method: Method = "analytic",
    simultaneous: bool = True,
    seed: int = 0,
    returns: Returns = "vrs",
    orientation: Orientation = "output",
    client: Cluster | None = None,
) -> Uncertainty:
    """How sure the efficiencies are, given the samples that the metrics come from.

    Parameters
    ----------
    samples : Samples
    outputs, inputs : sequences of metrics, optional
        To be high and to be low; by default all metrics, and all costs.
    level : number between 0 and 1
    method : {"analytic", "max-t"}
        "analytic" claims the scores alone, without resampling. "max-t" claims every ratio of two
        classifiers in every metric at once, by draws from the joint normal distribution of the
        errors.
    simultaneous : bool
        Whether `lower` and `upper` hold for all classifiers at once, or for one asked for
        beforehand. Verdicts, ranks and tiers always hold at once.
    seed : int
        Of the draws.
    returns : {"vrs", "crs"}
        With inputs: whether mixes alone count, or their multiples too. Metrics do not scale with
        costs: "vrs" without a reason.
    orientation : {"output", "input"}
        With inputs: whether the score says how much more, or at how much less cost.
    client : distributed.Client, optional
        Workers that take the draws of "max-t"; they are the same bits without it.

    Examples
    --------
    >>> import deabench as db
    >>> y = [1] * 100 + [0] * 100
    >>> a, b = [1] * 95 + [0] * 105, [1] * 60 + [0] * 80 + [1] * 60
    >>> answer = uncertainty(db.Samples.from_predictions(y, {"a": a, "b": b}))
    >>> answer.verdicts.tolist()
    ['efficient', 'dominated']
    """
    choice("method", method, ("analytic", "max-t"))
    alpha = 1 - share("level", level)
    problem, metrics, order = problem_of(samples, outputs, inputs, returns, orientation)
    lower, upper, listed, how = _constants(problem, alpha, method, seed, client)
    score = scores_of(samples, problem, metrics, order)
    low, up, verdict = (
        lower.limits(problem, "lower"),
        upper.limits(problem, "upper"),
        listed.limits(problem, "upper"),
    )
    lows, ups = np.minimum(low.value, score), np.minimum(np.maximum(up.value, score), 1.0)
    best, worst = _ranks(lows, ups)
    dominated = verdict.value < 1 - EDGE
    named = np.select([dominated, lows >= 1 - EDGE], ["dominated", "efficient"], "undecided")
    index = samples.values.index
    labels = index[list(order)]

    def series(values: Array, name: str) -> pd.Series:
        return pd.Series(in_order(values, order), index, name=name)

    result = Uncertainty(
        series(score, "score"),
        series(lows, "lower"),
        series(ups, "upper"),
        series(named, "verdict"),
        series(np.where(dominated, problem.technology.gap(verdict.value), np.nan), "secure_gap"),
        pd.DataFrame(verdict.mix, labels, labels).loc[index, index],
        pd.DataFrame({"best": in_order(best, order), "worst": in_order(worst, order)}, index),
        series(_tiers(lows, ups), "tier"),
        samples,
        level,
        method,
        simultaneous,
        lower,
        upper,
        listed,
        problem,
        metrics,
        order,
        seed,
        max_t.DRAWS,
        (*samples.notes, *sentences.assumed(problem, upper, how)),
    )
    if simultaneous:
        return result
    return replace(result, lower=result.each["lower"], upper=result.each["upper"])


def problem_of(
    samples: Samples,
    outputs: Sequence[str] | None,
    inputs: Sequence[str] | None,
    returns: Returns = "vrs",
    orientation: Orientation = "output",
) -> tuple[Problem, tuple[str, ...], tuple[int, ...]]:
    """The moments in an order that is not the user's: what is drawn and pivoted does not depend on
    how a table was sorted.
    """
    high, low = chosen(samples, outputs, inputs)
    technology = technology_of(len(low), returns, orientation)
    names = [str(label) for label in samples.values.index]
    order = sorted(range(len(names)), key=names.__getitem__)
    metrics = (*sorted(high), *sorted(low))
    columns = [list(samples.values.columns).index(name) for name in metrics]
    return Problem(samples.moments.take(order, columns), technology), metrics, tuple(order)


def _constants(
    problem: Problem, alpha: float, method: Method, seed: int, client: Cluster | None
) -> tuple[Constants, Constants, Constants, str]:
    """Of the lower limits, the upper limits and the verdicts, and how they were had."""
    k, s = problem.size[0], problem.noisy
    df = problem.moments.degrees
    one_sided = critical(alpha / (k * (k - 1)), df)
    if method == "analytic":
        ends = [critical(tail, df) for tail in tails(k, s, alpha, every=True)]
        return (
            Constants(ends[0], ends[0] ** 2 / 4),
            Constants(ends[1], ends[1] ** 2 / 4),
            Constants(one_sided, one_sided**2 / 4),
            "Bonferroni over the statements made",
        )
    unit = np.full(len(df), max_t.RIDGE)
    if np.isfinite(df).any():
        c, how = max_t.constant(problem.moments, alpha, draws=max_t.DRAWS, seed=seed)
        return Constants(c, unit), Constants(c, unit), Constants(one_sided, unit), how
    found = max_t.maxima(problem.moments, draws=max_t.DRAWS, seed=seed, client=client)
    both = Constants(np.full(len(df), max_t.quantile(found.metrics.max(axis=0), alpha)), unit)
    within = max(max_t.quantile(row, alpha) for row in found.metrics)
    how = f"the largest of all |t| in {max_t.DRAWS:,} draws; verdicts by the largest within a metric (measured, not proved)"
    return both, both, Constants(np.full(len(df), within), unit), how


def scores_of(
    samples: Samples, problem: Problem, metrics: tuple[str, ...], order: tuple[int, ...]
) -> Array:
    """The efficiencies of the values as they stand, zeros among them."""
    values = samples.values[list(metrics)].to_numpy(dtype=float)[list(order)]
    y, x = np.split(values / values.max(axis=0), [len(metrics) - problem.inputs], axis=1)
    ratios = np.concatenate([np.broadcast_to(y, (len(y), *y.shape)), x[None] / x[:, None]], axis=2)
    return problem.technology.scores(y, ratios)[0]


def _ranks(lower: Array, upper: Array) -> tuple[Array, Array]:
    """best = 1 + #{j : L_j > U_i}, worst = k − #{j : U_j < L_i}; by more than rounding: an upper
    limit of 1 may be 1 − 2e-16.
    """
    over = lower[None] > upper[:, None] + EDGE
    return 1 + over.sum(axis=1), len(lower) - over.sum(axis=0)


def _tiers(lower: Array, upper: Array) -> Array:
    """One more than the highest tier of those proved above."""
    tiers = np.ones(len(lower), dtype=int)
    for i in np.argsort(-upper, kind="stable"):
        above = lower > upper[i] + EDGE
        tiers[i] = 1 + tiers[above].max(initial=0)
    return tiers
