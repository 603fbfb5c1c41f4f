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
from typing import Literal

import numpy as np

from deabench.inference.moments import Moments
from deabench.inference.technology import Technology

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


def critical(tail: float, degrees: Array) -> Array:
    """The point that a normal (or t, where the degrees of freedom are finite) error exceeds with
    probability `tail`: (s,).
    """
    from scipy.special import ndtri, stdtrit

    finite = np.isfinite(degrees)
    return np.asarray(
        np.where(finite, -stdtrit(np.where(finite, degrees, 1.0), tail), -ndtri(tail))
    )


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
