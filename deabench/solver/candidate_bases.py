"""Guesses which basis is optimal for which program, and bases prepared for many tests at once.

A guess saves a solve. A wrong guess costs nothing but time: the signs of the basic variables tell.
"""

from __future__ import annotations

import numpy as np

from deabench.solver.family import FEASIBLE, Bases, Family
from deabench.utils.arrays import blocks, row_minima

NEIGHBOURHOOD = 4
"""Programs that are neighbours without being sorted further."""
STAGES = ((1 / 16, np.float32), (1 / 4, np.float32), (1, np.float32), (1, np.float64))
"""The share of the bases that is tried on the programs that are left, and the precision: single is
twice as fast, and what it guesses wrong is guessed again.
"""


def order_by_proximity(points: np.ndarray) -> np.ndarray:
    """Return an order of points (K, q) in which near ones follow each other.

    The set is halved along its widest coordinate again and again; the optimal basis of the program
    before is then a few pivots away.
    """
    order: list[np.ndarray] = []
    stack = [np.arange(len(points))]
    while stack:
        members = stack.pop()
        if len(members) <= NEIGHBOURHOOD:
            order.append(members)
            continue
        # Halving the widest coordinate keeps both halves compact, as in a k-d tree.
        widest = np.ptp(points[members], axis=0).argmax()
        members = members[np.argsort(points[members, widest], kind="stable")]
        middle = len(members) // 2
        stack.append(members[middle:])
        stack.append(members[:middle])
    return np.concatenate(order)


class DualPrices:
    """Dual solutions of a family, to find for each program the tightest dual bound.

    By weak duality every dual solution bounds the optimum, and the optimal one attains it: the
    basis with the highest dual objective is the best guess.
    """

    def __init__(self, family: Family, duals: np.ndarray, precision: type) -> None:
        self.family = family
        self.precision = precision
        transposed = np.ascontiguousarray(duals.T)
        self.cost = family.static_cost[family.theta] if family.theta >= 0 else 0.0
        value = family.rhs_constant @ transposed * self.cost
        one_sign = bool((value < 0).all() or (value > 0).all())
        self.is_ratio = family.theta >= 0 and not family.rhs_slope.any() and one_sign
        # The dual objective is value / scale. Where the value does not vary with the program, the
        # greatest objective has the least scale / value: one product and one argmin.
        if self.is_ratio:
            transposed /= value
        self.transposed: np.ndarray = transposed.astype(precision)
        if family.theta >= 0:  # the scale of data k is start + slope·k
            self.start = (family.static[family.theta] @ transposed).astype(precision)
            self.slope = (family.varying[family.theta].T @ transposed).astype(precision)

    def best_positions(self, tested: np.ndarray) -> np.ndarray:
        """Return the position of the best dual solution for each of the data (K, q)."""
        positions = np.empty(len(tested), dtype=np.intp)
        for rows in blocks(len(tested), self.transposed.shape[1]):
            positions[rows] = self._best_of_block(tested[rows])
        return positions

    def _best_of_block(self, tested: np.ndarray) -> np.ndarray:
        """Return `best_positions` for data whose products with all duals fit in memory."""
        family = self.family
        if self.is_ratio:
            return np.asarray(self._theta_scales(tested).argmin(axis=1))
        # The dual objective y·b(k); with θ the duals are first divided by y·a(k) / cost of θ.
        value = family.right_hand_sides(tested).astype(self.precision) @ self.transposed
        if family.theta >= 0:
            # Duals that price θ with the wrong sign bound nothing.
            scale = self._theta_scales(tested)
            with np.errstate(divide="ignore", invalid="ignore"):
                value = np.where(scale * self.cost > 0, value * self.cost / scale, -np.inf)
        return np.asarray(value.argmax(axis=1))

    def _theta_scales(self, tested: np.ndarray) -> np.ndarray:
        """Return y·a(k) of every dual solution for data (K, q): an array (K, B)."""
        scale = tested.astype(self.precision) @ self.slope
        if self.start.any():
            scale += self.start
        return np.asarray(scale)


def rank_by_hits(family: Family, duals: np.ndarray, sample: np.ndarray) -> np.ndarray:
    """Return the positions of the duals (B, m) by how many programs of a sample they bound best."""
    best = DualPrices(family, duals, np.float32).best_positions(sample)
    return np.argsort(-np.bincount(best, minlength=len(duals)), kind="stable")


class PreparedBases:
    """Bases that all have θ at one position, multiplied out to be tested on many programs at once.

    With b(k) = b₀ + B k and a(k) = a₀ + A k, a basis with the inverse V turns them into
    V b₀ + (V B) k and V a₀ + (V A) k. What is 0 in the whole family is left out.

    Parameters
    ----------
    theta : int
        The position of θ in every basis; -1: no basis holds θ.

    Attributes
    ----------
    members : list of int
        The positions of the other variables in a basis.
    needs_nonnegative : bool
        Whether θ is basic and the only condition on the other variables of every basis is that they
        are 0 or more.
    """

    def __init__(self, family: Family, bases: Bases, theta: int) -> None:
        self.family = family
        self.columns = bases.columns
        self.theta = theta
        self.rhs_constant = bases.inverse @ family.rhs_constant
        self.rhs_slope = bases.inverse @ family.rhs_slope if family.rhs_slope.any() else None
        if theta >= 0:
            start = family.static[family.theta]
            self.theta_constant = bases.inverse @ start if start.any() else None
            self.theta_slope = bases.inverse @ family.varying[family.theta]
        self.members = [k for k in range(family.m) if k != theta]
        members = bases.columns[:, self.members]
        self.needs_nonnegative = (
            theta >= 0
            and bool((family.sign[members] == 1.0).all())
            and not family.zero[members].any()
        )

    def basic_values(
        self, positions: np.ndarray, tested: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the basic variables (K, m) of data (K, q), one basis each, and their dual factors.

        `positions` (K,) are those of the bases. See `Family.basic_values` for the pivot on θ.
        """
        x = self.rhs_constant.take(positions, axis=0)
        if self.rhs_slope is not None:
            x += np.einsum("kij,kj->ki", self.rhs_slope.take(positions, axis=0), tested)
        if self.theta < 0:
            return x, np.ones(len(x))
        u = np.einsum("kij,kj->ki", self.theta_slope.take(positions, axis=0), tested)
        if self.theta_constant is not None:
            u += self.theta_constant.take(positions, axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            # One pivot on u[θ] turns V b(k) into the basic variables of program k.
            factor = 1.0 / u[:, self.theta]
            level = x[:, self.theta] * factor
            u *= level[:, None]
            x -= u
        x[:, self.theta] = level
        return x, factor

    def feasible_rows(self, positions: np.ndarray, x: np.ndarray, factor: np.ndarray) -> np.ndarray:
        """Return which rows of x (K, m) keep the signs of their columns, with a positive factor."""
        if not self.needs_nonnegative:
            return self.family.feasible_rows(self.columns[positions], x, factor)
        # Only the least of the variables has to be looked at, which is one reduction.
        with np.errstate(invalid="ignore"):
            nonnegative = row_minima(x[:, self.members]) >= -FEASIBLE
            return np.asarray(nonnegative & (factor > 0) & np.isfinite(factor))
