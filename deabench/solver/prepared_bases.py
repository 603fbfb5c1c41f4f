"""Bases made ready to be tried on many DMUs at once, one each: what each basis makes of a DMU's
data, multiplied out beforehand.
"""

from __future__ import annotations

import numpy as np

from deabench.solver.family import FEASIBLE, Bases, Family
from deabench.utils.arrays import least


class Ready:
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
