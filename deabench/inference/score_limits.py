"""A2: score intervals without resampling, from the two corners of a box of ratios.

θ falls in every ratio ρ_jr = y_jr / y_ir and rises in every ratio of inputs ξ_jm = x_jm / x_im, so
over a box of ratios its extremes are at two corners, each one DEA solve (Despotis and Smirlis
2002). The upper limit needs, of each rival, only the one combination of metrics at the true
weights; the lower limit, of each metric, only the one combination of rivals at the true mix; and
the standard deviation of a sum is at most the sum of the standard deviations. So k − 1 and s
statements are made, and Bonferroni's division pays for those alone.

Despotis, Smirlis (2002), EJOR 140, 24-36, doi:10.1016/S0377-2217(01)00200-4; Salo, Punkka (2011),
Management Science 57, 200-214, doi:10.1287/mnsc.1100.1265; ridge: Agresti, Coull (1998), The
American Statistician 52, 119-126, doi:10.2307/2685469."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from deabench.inference import max_t
from deabench.inference.delta_method import Moments, critical
from deabench.inference.dominance_games import Technology

Array = np.ndarray
Side = Literal["lower", "upper"]

ENTRIES = 1 << 22
"""Ratios held at a time: a thousand classifiers in 30 MB or so."""


@dataclass(frozen=True)
class Problem:
    """Moments with what is output and what input.

    Attributes
    ----------
    moments : Moments
        The outputs first, then the inputs.
    technology : Technology
        How many of the columns are inputs, and which mixes count.
    """

    moments: Moments
    technology: Technology

    @property
    def inputs(self) -> int:
        """How many of the columns are inputs."""
        return self.technology.inputs

    @property
    def size(self) -> tuple[int, int]:
        """k classifiers, s columns."""
        k, s = self.moments.logs.shape
        return k, s

    @property
    def noisy(self) -> int:
        """Columns that carry an error; an exact cost is no statement."""
        known = np.any(
            [
                part.gradient.any(axis=(0, 2)) | part.flips.any(axis=0)
                for part in self.moments.parts
            ],
            axis=0,
        )
        return max(int(np.sum(known)), 1)


@dataclass(frozen=True)
class Limits:
    """One side of the intervals.

    Attributes
    ----------
    value : array (k,)
    mix : array (k, k)
        The rivals' mix λ at that corner, of sum 1 but for constant returns.
    """

    value: Array
    mix: Array


def tails(k: int, s: int, alpha: float, *, every: bool) -> tuple[float, float]:
    """The tail probabilities of the lower and the upper limit: of all scores at once, or of one
    classifier.
    """
    if every:
        return alpha / (2 * k * s), alpha / (2 * k * (k - 1))
    return alpha / (2 * s), alpha / (2 * (k - 1))


def limits(
    problem: Problem,
    side: Side,
    c: Array,
    h: Array,
    *,
    shrink: Array | float = 1.0,
    rows: list[int] | None = None,
) -> Limits:
    """One corner's scores.

    Parameters
    ----------
    problem : Problem
    side : {"lower", "upper"}
    c : array (s,)
        Standard errors of each metric's log ratio to move by.
    h : array (s,)
        The ridge's weight: z²/4 for A2 at its own c, 1 for A.
    shrink : array (k,) or number
        Instances today over instances thought of, per classifier.
    rows : list of int, optional
        Only these classifiers.
    """
    k = problem.size[0]
    wanted = np.arange(k) if rows is None else np.asarray(rows, dtype=int)
    share = np.broadcast_to(shrink, (k,))
    return _solved(problem, wanted, lambda part: corner(problem, part, side, c, h, share[part]))


def corner(problem: Problem, rows: Array, side: Side, c: Array, h: Array, shrink: Array) -> Array:
    """The ratios [ρ, ξ] at one corner of the box, (rows, k, s)."""
    gap, spread, ridge = problem.moments.pairs(rows)
    g = shrink[:, None, None]
    move = c * np.sqrt(g * spread + g**2 * h * ridge)
    outputs = problem.size[1] - problem.inputs
    if side == "upper":
        move = -move
    move[:, :, outputs:] *= -1
    return np.asarray(np.exp(np.clip(gap + move, -600.0, 600.0)))


def scores(problem: Problem) -> Limits:
    """The scores at the point estimates of the logarithms (half a success where there is none)."""
    nothing = np.zeros(problem.size[1])
    return _solved(
        problem,
        np.arange(problem.size[0]),
        lambda part: corner(problem, part, "lower", nothing, nothing, np.ones(len(part))),
    )


def decided_by(
    problem: Problem, side: Side, c: Array, h: Array, rows: list[int], edge: float
) -> Array:
    """How many times the instances of today would decide the classifiers `rows`, were the figures
    to stay: (rows,), inf if none.

    The upper limit falls below `edge`, or the lower one reaches it, once the errors have shrunk
    enough; bisection on a logarithmic scale between as many instances as today and 10⁸ times as
    many."""
    low, high = np.zeros(len(rows)), np.full(len(rows), np.log(1e8))

    def decided(growth: Array) -> Array:
        share = np.ones(problem.size[0])
        share[rows] = np.exp(-growth)
        value = limits(problem, side, c, h, shrink=share, rows=rows).value
        return value < edge if side == "upper" else value >= edge

    never = ~decided(high) if rows else np.zeros(0, dtype=bool)
    for _ in range(
        16 if rows else 0
    ):  # to a third of a thousandth: the answer is rounded to two digits
        middle = (low + high) / 2
        yes = decided(middle)
        low, high = np.where(yes, low, middle), np.where(yes, middle, high)
    return np.where(never, np.inf, np.exp(high))


def _solved(problem: Problem, rows: Array, ratios: Callable[[Array], Array]) -> Limits:
    """The scores of some classifiers at the ratios that a function gives, a few at a time."""
    k, s = problem.size
    own = np.ones(s - problem.inputs)
    found = [
        problem.technology.scores(np.broadcast_to(own, (len(part), len(own))), ratios(part))
        for part in _blocks(rows, k * (s + 1))
    ]
    return Limits(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def _blocks(rows: Array, width: int) -> Iterator[Array]:
    step = max(ENTRIES // max(width, 1), 1)
    return (rows[low : low + step] for low in range(0, len(rows), step))


if TYPE_CHECKING:
    from deabench.inference.uncertainty import Uncertainty


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
