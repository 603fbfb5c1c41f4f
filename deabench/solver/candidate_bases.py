"""Which basis to try on which DMU: guesses that save solves. What they get wrong the signs of the
basic variables tell.
"""

from __future__ import annotations

import numpy as np

from deabench.solver.family import FEASIBLE, Bases, Family
from deabench.utils.arrays import blocks, least

ALIKE = 4
"""DMUs that are neighbours without being sorted further."""
STAGES = ((1 / 16, np.float32), (1 / 4, np.float32), (1, np.float32), (1, np.float64))
"""Which share of the bases is tried on what is left, and in which precision: single is twice as
fast, and what it guesses wrong is guessed again.
"""


def order_by_proximity(points: np.ndarray) -> np.ndarray:
    """An order of points (K, q) in which near ones follow each other, by halves along the widest
    coordinate.

    The basis of the DMU before is then a few pivots away.
    """
    out, parts = [], [np.arange(len(points))]
    while parts:
        part = parts.pop()
        if len(part) <= ALIKE:
            out.append(part)
            continue
        widest = np.ptp(points[part], axis=0).argmax()
        part = part[np.argsort(points[part, widest], kind="stable")]
        parts += [part[len(part) // 2 :], part[: len(part) // 2]]
    return np.concatenate(out)


class DualPrices:
    """Dual solutions of a family, to find for each DMU the one with the highest dual objective, the
    tightest bound.
    """

    def __init__(self, family: Family, duals: np.ndarray, precision: type) -> None:
        self.family, self.precision = family, precision
        transposed = np.ascontiguousarray(duals.T)
        self.cost = family.static_cost[family.theta] if family.theta >= 0 else 0.0
        value = family.bound[0] @ transposed * self.cost
        one_sign = bool((value < 0).all() or (value > 0).all())
        self.ratio = family.theta >= 0 and not family.bound[1].any() and one_sign
        # the objective is value / scale with a fixed value: the best has the least scale / value
        if self.ratio:
            transposed /= value
        self.transposed: np.ndarray = transposed.astype(precision)
        if family.theta >= 0:  # the scale of data k is start + slope k
            self.start = (family.static[family.theta] @ transposed).astype(precision)
            self.slope = (family.varying[family.theta].T @ transposed).astype(precision)

    def best(self, tested: np.ndarray) -> np.ndarray:
        """The position of the best for each of the tested data (K, q)."""
        out = np.empty(len(tested), dtype=np.intp)
        for part in blocks(len(tested), self.transposed.shape[1]):
            out[part] = self._best(tested[part])
        return out

    def _best(self, tested: np.ndarray) -> np.ndarray:
        family = self.family
        if self.ratio:
            return np.asarray(self._scale(tested).argmin(axis=1))
        value = family.right_hand_side(tested).astype(self.precision) @ self.transposed
        if family.theta >= 0:
            scale = self._scale(tested)
            with np.errstate(divide="ignore", invalid="ignore"):
                value = np.where(scale * self.cost > 0, value * self.cost / scale, -np.inf)
        return np.asarray(value.argmax(axis=1))

    def _scale(self, tested: np.ndarray) -> np.ndarray:
        """What the column of θ of data (K, q) is worth by each dual solution: (K, B)."""
        scale = tested.astype(self.precision) @ self.slope
        return np.asarray(scale + self.start if self.start.any() else scale)


def rank_by_hits(family: Family, duals: np.ndarray, sample: np.ndarray) -> np.ndarray:
    """The positions of the dual solutions (B, m) by how many of a sample of DMUs (K, q) have the
    best bound there, most first.
    """
    hits = np.bincount(DualPrices(family, duals, np.float32).best(sample), minlength=len(duals))
    return np.argsort(-hits, kind="stable")


class PreparedBases:
    """Bases of a family that all have θ in the place `theta` (-1: none has it).

    With b(k) = b₀ + B k and a(k) = a₀ + A k the right-hand side and the column of θ for data k, a
    basis with the inverse V makes of them V b₀ + (V B) k and V a₀ + (V A) k; what is 0 in the whole
    family is left out.

    Attributes
    ----------
    members : list of int
        The places of the variables but θ in a basis.
    plain : bool
        Whether θ is basic and every other variable of every basis is to be 0 or more, and nothing
        else.
    """

    def __init__(self, family: Family, bases: Bases, theta: int) -> None:
        self.family, self.columns, self.theta = family, bases.columns, theta
        b, moves = family.bound
        self.fixed = bases.inverse @ b
        self.moving = bases.inverse @ moves if moves.any() else None
        if theta >= 0:
            a, turns = family.static[family.theta], family.varying[family.theta]
            self.start = bases.inverse @ a if a.any() else None
            self.turning = bases.inverse @ turns
        self.members = [k for k in range(family.m) if k != theta]
        members = bases.columns[:, self.members]
        self.plain = (
            theta >= 0
            and bool((family.sign[members] == 1.0).all())
            and not family.zero[members].any()
        )

    def values(self, which: np.ndarray, tested: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The basic variables (K, m) of the data (K, q) in the bases `which` (K,), and the factor
        (K,) that their duals take.
        """
        x = self.fixed.take(which, axis=0)
        if self.moving is not None:
            x += np.einsum("kij,kj->ki", self.moving.take(which, axis=0), tested)
        if self.theta < 0:
            return x, np.ones(len(x))
        u = np.einsum("kij,kj->ki", self.turning.take(which, axis=0), tested)
        if self.start is not None:
            u += self.start.take(which, axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            factor = 1.0 / u[:, self.theta]
            level = x[:, self.theta] * factor
            u *= level[:, None]
            x -= u
        x[:, self.theta] = level
        return x, factor

    def feasible(self, which: np.ndarray, x: np.ndarray, factor: np.ndarray) -> np.ndarray:
        """Which of the rows of x (K, m) satisfy the signs of their columns, with a positive dual
        factor.
        """
        if not self.plain:
            return self.family.feasible(self.columns[which], x, factor)
        with np.errstate(invalid="ignore"):
            return np.asarray(
                (least(x[:, self.members]) >= -FEASIBLE) & (factor > 0) & np.isfinite(factor)
            )
