"""Compute limits of efficiencies without resampling, from the corners of a box of ratios.

An efficiency θ falls in every ratio ρ_jr = y_jr / y_ir and rises in every ratio of inputs
ξ_jm = x_jm / x_im, so over a box of ratios its extremes are at two corners, each one DEA solve
(Despotis and Smirlis 2002). The upper limit needs, of each rival, only the one combination of
metrics at the true weights; the lower limit, of each metric, only the one combination of rivals at
the true mix; and the standard deviation of a sum is at most the sum of the standard deviations. So
k − 1 and s statements are made, and Bonferroni's division pays for those alone (method A2,
"analytic").

References
----------
Despotis, Smirlis (2002), EJOR 140, 24-36, doi:10.1016/S0377-2217(01)00200-4. Salo, Punkka (2011),
Management Science 57, 200-214, doi:10.1287/mnsc.1100.1265. Ridge: Agresti, Coull (1998), The
American Statistician 52, 119-126, doi:10.2307/2685469.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from deabench.inference.dominance_games import Orientation, Returns, Technology, make_technology
from deabench.inference.moments import Moments
from deabench.inference.samples import Samples, select_columns

Array = np.ndarray
Side = Literal["lower", "upper"]

EDGE = 1e-9
"""A score within this of 1 is on the frontier; limits that differ by less are equal."""
MAX_RATIOS = 1 << 22
"""Ratios held at a time: about 30 MB."""
MAX_LOG_RATIO = 600.0
"""Logarithms of ratios are cut here, so that no ratio is infinite."""
MAX_LOG_GROWTH = np.log(1e8)
"""More than 10⁸ times the instances count as no number of instances."""
BISECTIONS = 16
"""They determine the growth to a third of a thousandth; it is shown with two digits."""


@dataclass(frozen=True)
class Problem:
    """Log metrics with their errors, and which of them are inputs.

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
        """Return how many of the columns are inputs."""
        return self.technology.inputs

    @property
    def size(self) -> tuple[int, int]:
        """Return k classifiers and s columns."""
        k, s = self.moments.logs.shape
        return k, s

    @property
    def noisy(self) -> int:
        """Return the number of columns that carry an error; an exact cost is no statement."""
        # A column has errors where any source of errors moves it.
        has_error = np.zeros(self.size[1], dtype=bool)
        for source in self.moments.sources:
            has_error |= source.gradient.any(axis=(0, 2)) | source.flips.any(axis=0)
        return max(int(has_error.sum()), 1)


@dataclass(frozen=True)
class ScoreLimits:
    """One side of the intervals.

    Attributes
    ----------
    value : array (k,)
    mix : array (k, k)
        The rivals' mix λ at that corner, of sum 1 except for constant returns.
    """

    value: Array
    mix: Array


@dataclass(frozen=True)
class CriticalValues:
    """The critical values of one side or claim, and the ridge's weight with them, each (s,)."""

    c: Array
    h: Array

    def limits(self, problem: Problem, side: Side, rows: list[int] | None = None) -> ScoreLimits:
        """Solve the scores at this corner of the box of ratios."""
        return solve_limits(problem, side, self.c, self.h, rows=rows)


def make_problem(
    samples: Samples,
    outputs: Sequence[str] | None,
    inputs: Sequence[str] | None,
    returns: Returns = "vrs",
    orientation: Orientation = "output",
) -> tuple[Problem, tuple[str, ...], tuple[int, ...]]:
    """Return the problem in an order that does not depend on how the table was sorted.

    Returns
    -------
    problem : Problem
        Classifiers sorted by label, outputs and inputs by name.
    metrics : tuple of str
        Its columns.
    rows : tuple of int
        The table's row of each of its classifiers.
    """
    # Sorting makes draws and pivots independent of the order of the user's table.
    output_names, input_names = select_columns(samples, outputs, inputs)
    # Inputs alone can only shrink, and multiples of a constant output are no others.
    if not output_names:
        returns = "vrs"
        orientation = "input"
    technology = make_technology(len(input_names), returns, orientation)
    labels = [str(label) for label in samples.values.index]
    rows = sorted(range(len(labels)), key=labels.__getitem__)
    metrics = (*sorted(output_names), *sorted(input_names))
    columns = [list(samples.values.columns).index(name) for name in metrics]
    return Problem(samples.moments.take(rows, columns), technology), metrics, tuple(rows)


def sample_scores(
    samples: Samples, problem: Problem, metrics: tuple[str, ...], rows: tuple[int, ...]
) -> Array:
    """Solve the efficiencies of the values as they stand, zeros among them: (k,)."""
    values = samples.values[list(metrics)].to_numpy(dtype=float)[list(rows)]
    outputs = len(metrics) - problem.inputs
    # Costs of 0 count as half a failure, as in their logarithms.
    costs = values[:, outputs:]
    values[:, outputs:] = np.where(costs > 0, costs, np.exp(problem.moments.logs[:, outputs:]))
    # Dividing a column by its maximum changes no ratio and keeps numbers near 1.
    y, x = np.split(values / values.max(axis=0), [outputs], axis=1)
    # Outputs may be 0, so they are passed as values and not as ratios.
    rivals = np.broadcast_to(y, (len(y), *y.shape))
    ratios = np.concatenate([rivals, x[None] / x[:, None]], axis=2)
    return problem.technology.scores(y, ratios)[0]


def tail_probabilities(k: int, s: int, alpha: float, *, every: bool) -> tuple[float, float]:
    """Return the tail probabilities of each statement of lower and of upper limits.

    Parameters
    ----------
    k, s : int
        Classifiers, and columns with errors.
    alpha : float
    every : bool
        Whether the limits hold for all scores at once, or for one classifier.
    """
    # All k s lower and k (k − 1) upper statements share α, half of it on either side.
    if every:
        return alpha / (2 * k * s), alpha / (2 * k * (k - 1))
    return alpha / (2 * s), alpha / (2 * (k - 1))


def solve_limits(
    problem: Problem,
    side: Side,
    c: Array,
    h: Array,
    *,
    shrink: Array | float = 1.0,
    rows: list[int] | None = None,
) -> ScoreLimits:
    """Solve the scores at one corner of the box of ratios.

    Parameters
    ----------
    problem : Problem
    side : {"lower", "upper"}
    c : array (s,)
        Half the width of the box, in standard errors of each metric's log ratio.
    h : array (s,)
        The ridge's weight: c²/4 for the analytic method, 1 for max-t.
    shrink : array (k,) or number
        Today's instances over the instances assumed, per classifier.
    rows : list of int, optional
        Only these classifiers.
    """
    k = problem.size[0]
    selected = np.arange(k) if rows is None else np.asarray(rows, dtype=int)
    # One factor for each classifier; it scales the variances of all its ratios.
    shrinkage = np.broadcast_to(shrink, (k,))
    return _solve_scores(
        problem,
        selected,
        lambda block: corner_ratios(problem, block, side, c, h, shrinkage[block]),
    )


def corner_ratios(
    problem: Problem, rows: Array, side: Side, c: Array, h: Array, shrink: Array
) -> Array:
    """Return the ratios [ρ, ξ] at one corner of the box: (rows, k, s)."""
    gap, spread, ridge = problem.moments.pairs(rows)
    # g times the variance is that of 1/g times the instances; a squared flip shrinks by g².
    g = shrink[:, None, None]
    weight = problem.moments.ridge_weight(h)
    move = c * np.sqrt(g * spread + g**2 * weight * ridge)
    # The lower limit takes the largest ratios of the rivals' outputs and the smallest of their
    # inputs; the upper limit the opposite.
    outputs = problem.size[1] - problem.inputs
    if side == "upper":
        move = -move
    move[:, :, outputs:] *= -1
    return np.asarray(np.exp(np.clip(gap + move, -MAX_LOG_RATIO, MAX_LOG_RATIO)))


def point_scores(problem: Problem) -> ScoreLimits:
    """Solve the scores at the point estimates; metrics without a success count half a success."""
    k, s = problem.size
    zeros = np.zeros(s)
    return solve_limits(problem, "lower", zeros, zeros, rows=list(range(k)))


def growth_to_decide(
    problem: Problem, side: Side, c: Array, h: Array, rows: list[int], edge: float
) -> Array:
    """Return how many times today's instances would decide the classifiers, at today's figures.

    With more instances the errors shrink, until the upper limit falls below `edge`, or the lower
    limit reaches it. Bisection on a logarithmic scale, from 1 to 10⁸ times the instances.

    Returns
    -------
    array (rows,)
        inf where no number of instances decides.
    """
    if not rows:
        return np.zeros(0)

    def is_decided(log_growth: Array) -> Array:
        shrink = np.ones(problem.size[0])
        shrink[rows] = np.exp(-log_growth)
        limit = solve_limits(problem, side, c, h, shrink=shrink, rows=rows).value
        return limit < edge if side == "upper" else limit >= edge

    # At log growth 0 they are undecided, at the upper end decided or never.
    low = np.zeros(len(rows))
    high = np.full(len(rows), MAX_LOG_GROWTH)
    # What 10⁸ times the instances leave open, no number of instances decides.
    never = ~is_decided(high)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        decided = is_decided(middle)
        low = np.where(decided, low, middle)
        high = np.where(decided, middle, high)
    return np.where(never, np.inf, np.exp(high))


def possible_ranks(lower: Array, upper: Array) -> tuple[Array, Array]:
    """Return best = 1 + #{j : L_j > U_i} and worst = 1 + #{j ≠ i : U_j > L_i}.

    Equal scores share a rank: whoever surely has the score 1 has rank 1. Limits must differ by more
    than rounding: an upper limit of 1 may be 1 − 2e-16.
    """
    # is_above[i, j]: the interval of j lies above that of i; may_be_above: it reaches beyond it.
    is_above = lower[None] > upper[:, None] + EDGE
    may_be_above = upper[None] > lower[:, None] + EDGE
    np.fill_diagonal(may_be_above, False)
    return 1 + is_above.sum(axis=1), 1 + may_be_above.sum(axis=1)


def assign_tiers(lower: Array, upper: Array) -> Array:
    """Return for each classifier one more than the highest tier of those shown to be above it."""
    tiers = np.ones(len(lower), dtype=int)
    # Whatever is shown above i has the larger upper limit, so its tier is known by then.
    for i in np.argsort(-upper, kind="stable"):
        is_above = lower > upper[i] + EDGE
        tiers[i] = 1 + tiers[is_above].max(initial=0)
    return tiers


def restore_order(values: Array, rows: tuple[int, ...]) -> Array:
    """Return values in the order of the problem in the order of the table."""
    restored = np.empty_like(values)
    restored[list(rows)] = values
    return restored


def ridge_share(problem: Problem, critical: CriticalValues) -> float:
    """Return the mean share of the ridge in the variances of all log ratios that have one."""
    # The ridge of a pair is a share of its variance; pairs without errors do not count.
    _, spread, ridge = problem.moments.pairs(np.arange(problem.size[0]))
    ridge = problem.moments.ridge_weight(critical.h) * ridge
    variance = spread + ridge
    shares = np.divide(ridge, variance, out=np.zeros_like(variance), where=variance > 0)
    return float(shares.sum() / max(np.count_nonzero(variance), 1))


def _solve_scores(problem: Problem, rows: Array, ratios: Callable[[Array], Array]) -> ScoreLimits:
    """Solve the scores of some classifiers at the ratios of a function, a block at a time."""
    k, s = problem.size
    outputs = s - problem.inputs
    solutions = [
        problem.technology.scores(np.ones((len(block), outputs)), ratios(block))
        for block in _split_rows(rows, k * (s + 1))
    ]
    values, mixes = zip(*solutions, strict=True)
    return ScoreLimits(np.concatenate(values), np.concatenate(mixes))


def _split_rows(rows: Array, width: int) -> Iterator[Array]:
    """Yield the rows in blocks of at most MAX_RATIOS numbers, `width` for each row."""
    step = max(MAX_RATIOS // max(width, 1), 1)
    return (rows[start : start + step] for start in range(0, len(rows), step))
