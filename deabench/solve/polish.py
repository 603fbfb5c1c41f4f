"""Repair a basis that HiGHS calls optimal within its tolerances and that exact arithmetic does not.

With near-duplicate DMUs (1e-9 apart) a basis can be so ill-conditioned that an error of 1e-10 in a row is one of 0.1 in λ. A few
simplex pivots in numpy, over all columns and with refined solves, then reach a basis that is feasible and optimal to 1e-12.
"""

from __future__ import annotations

import numpy as np

from deabench.errors import SolveError
from deabench.solve.family import FEASIBLE, Family

PIVOTS = 500
OPTIMAL = 1e-11


def polish(family: Family, codes: np.ndarray, tested: np.ndarray, name: str) -> np.ndarray:
    """The column codes of a basis of DMU `tested` (q,) that is primal and dual feasible, from the nearly optimal `codes`.

    Raises
    ------
    SolveError
        Where no such basis is reached.
    """
    tableau = _Tableau(family, tested)
    codes = codes.copy()
    for _ in range(PIVOTS):
        if not tableau.pivot(codes):
            return codes
    raise SolveError(f"{family.template.name} for '{name}': no basis holds in exact arithmetic; the data are too near degenerate")


class _Tableau:
    """All columns of one DMU's program, with their costs and signs."""

    def __init__(self, family: Family, tested: np.ndarray) -> None:
        static = family.static + family.varying @ tested
        self.matrix = np.vstack([family.columns, static, np.diag(family.slack)]).T
        self.cost = np.concatenate([family.cost, family.static_cost, np.zeros(family.m)])
        self.b = family.right_hand_side(tested[None])[0]
        self.sign, self.zero = family.signs(np.arange(self.matrix.shape[1]))
        self.free = self.sign == 0

    def pivot(self, codes: np.ndarray) -> bool:
        """One exchange in `codes`, in place; False where the basis is already optimal."""
        basis = self.matrix[:, codes]
        inverse = np.linalg.inv(basis)
        x = _refined(basis, inverse, self.b)
        y = _refined(basis.T, inverse.T, self.cost[codes])
        reduced = self.cost - y @ self.matrix
        reduced[codes] = 0.0
        wrong = np.where(self.free, np.abs(reduced), np.maximum(-reduced * self.sign, 0.0))
        wrong[self.zero] = 0.0
        short = np.where(self.zero[codes], np.abs(x), np.maximum(-x * self.sign[codes], 0.0))
        if wrong.max() > OPTIMAL and (short.max() <= FEASIBLE or wrong.max() > short.max()):
            self._enter(codes, inverse, x, int(np.argmax(wrong)), reduced)
            return True
        if short.max() > FEASIBLE:
            self._leave(codes, inverse, x, int(np.argmax(short)), reduced)
            return True
        return False

    def _enter(self, codes: np.ndarray, inverse: np.ndarray, x: np.ndarray, q: int, reduced: np.ndarray) -> None:
        """A primal pivot: column q comes in, the first basic variable to reach its bound goes out."""
        step = -np.sign(reduced[q]) * (inverse @ self.matrix[:, q])
        sign = np.where(self.zero[codes], -np.sign(-step), self.sign[codes])
        falling = (step * sign > 1e-11) & (sign != 0)
        if not falling.any():
            raise SolveError("the program is unbounded")
        ratio = np.where(falling, np.maximum(x * sign, 0.0) / np.where(falling, step * sign, 1.0), np.inf)
        least = ratio <= ratio.min() + 1e-13
        codes[int(np.argmax(np.where(least, np.abs(step), 0.0)))] = q

    def _leave(self, codes: np.ndarray, inverse: np.ndarray, x: np.ndarray, p: int, reduced: np.ndarray) -> None:
        """A dual pivot: basic variable p goes out, the column that keeps all reduced costs feasible comes in."""
        row = inverse[p] @ self.matrix
        row[codes] = 0.0
        towards = np.sign(x[p])  # p must move against its sign: columns whose entry at p has the same direction help
        help_ = np.where(self.free, np.abs(row), row * self.sign * towards)
        help_[self.zero] = 0.0
        able = help_ > 1e-11
        if not able.any():
            raise SolveError("the program is infeasible")
        ratio = np.where(able, np.abs(reduced) / np.where(able, help_, 1.0), np.inf)
        least = ratio <= ratio.min() + 1e-13
        codes[p] = int(np.argmax(np.where(least, help_, 0.0)))


def _refined(matrix: np.ndarray, inverse: np.ndarray, right: np.ndarray) -> np.ndarray:
    """matrix⁻¹ right, with two steps of refinement whose residual is taken in extended precision."""
    x = (inverse @ right).astype(np.longdouble)
    exact = matrix.astype(np.longdouble)
    for _ in range(2):
        x += inverse @ (right - exact @ x).astype(float)
    return x.astype(float)
