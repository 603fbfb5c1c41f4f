"""The last resort: the simplex method in rational arithmetic, for one DMU, from any basis.

With near-duplicate DMUs (1e-9 apart) a basis can be so ill-conditioned that an error of 1e-10 in a
row is one of 0.1 in λ, and floating point cannot tell an optimal basis from its neighbours. Floats
are rational numbers, so the question has an exact answer; from HiGHS's last basis it takes a few
pivots. Phase 1 (least sum of infeasibilities) runs while a sign is broken, then phase 2; Bland's
rule takes over after a while, so it ends."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from deabench.errors import SolveError
from deabench.solver.family import Family
from deabench.solver.highs import Infeasible

GREEDY = 60
"""Pivots by steepest reduced cost before Bland's rule takes over."""
PIVOTS = 2000
NEAR = 1e-5
"""Reduced costs that floating point puts above this need no exact check."""


def find_optimal_basis(
    family: Family, codes: np.ndarray, tested: np.ndarray, name: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """An optimal basis of the DMU `tested` (q,), its basic variables and its row duals, rounded to
    floats at the end.

    Raises
    ------
    Infeasible
        Where the program has no feasible point, in exact arithmetic.
    """
    program = _Rational(family, tested, name)
    basis = codes.tolist()
    for pivot in range(PIVOTS):
        if program.exchange(basis, bland=pivot >= GREEDY):
            continue
        return (
            np.array(basis),
            np.array([float(v) for v in program.x]),
            np.array([float(v) for v in program.y]),
        )
    raise SolveError(
        f"{family.template.name} for '{name}': no optimal basis after {PIVOTS} exact pivots"
    )


class ProvedInfeasible(Infeasible):
    """No feasible point, in exact arithmetic; `ray` (m,) are the row duals that prove it (Farkas)."""

    def __init__(self, text: str, ray: np.ndarray) -> None:
        super().__init__(text)
        self.ray = ray


class _Rational:
    """One DMU's program with all its columns, in fractions where it matters."""

    def __init__(self, family: Family, tested: np.ndarray, name: str) -> None:
        self.table = family.table.copy()
        self.table[family.n : family.n + family.statics] += family.varying @ tested
        self.cost, self.sign, self.zero = family.costs, family.sign, family.zero
        self.b = [Fraction(v) for v in family.right_hand_side(tested[None])[0].tolist()]
        self.words = f"{family.template.name} for '{name}': infeasible, in exact arithmetic"
        self.x: list[Fraction] = []
        self.y: list[Fraction] = []

    def column(self, j: int) -> list[Fraction]:
        return [Fraction(v) for v in self.table[j].tolist()]

    def exchange(self, basis: list[int], *, bland: bool) -> bool:
        """One pivot, in place; False where the basis is optimal."""
        inverse = _inverse([self.column(j) for j in basis])
        self.x = [_dot(row, self.b) for row in inverse]
        costs = [self._infeasibility(j, value) for j, value in zip(basis, self.x, strict=True)]
        feasible = not any(costs)
        if feasible:
            costs = [Fraction(self.cost[j]) for j in basis]
        self.y = [_dot(costs, [row[i] for row in inverse]) for i in range(len(basis))]
        q, direction = self._entering(basis, bland, feasible)
        if q < 0:
            if not feasible:
                raise ProvedInfeasible(self.words, np.array([float(v) for v in self.y]))
            return False
        step = [-direction * _dot(row, self.column(q)) for row in inverse]
        p = self._leaving(basis, step, bland)
        if p < 0:
            raise SolveError(self.words.replace("infeasible", "unbounded"))
        basis[p] = q
        return True

    def _infeasibility(self, j: int, value: Fraction) -> Fraction:
        """The phase 1 cost of a basic variable: the slope of its infeasibility."""
        if self.zero[j]:
            return Fraction((value > 0) - (value < 0))
        sign = int(self.sign[j])
        return Fraction(-sign) if sign * value < 0 else Fraction(0)

    def _entering(self, basis: list[int], bland: bool, feasible: bool) -> tuple[int, int]:
        """The column to come in and its direction, or -1: floating point shortlists, fractions
        decide.
        """
        cost = self.cost if feasible else np.zeros(len(self.cost))
        reduced = cost - self.table @ np.array([float(v) for v in self.y])
        size = 1.0 + max(abs(float(v)) for v in self.y)
        wrong = np.where(self.sign == 0, np.abs(reduced), -reduced * self.sign)
        wrong[self.zero] = -np.inf
        wrong[basis] = -np.inf
        near = np.flatnonzero(wrong > -NEAR * size)
        order = near if bland else near[np.argsort(-wrong[near], kind="stable")]
        for j in order.tolist():
            exactly = (Fraction(self.cost[j]) if feasible else 0) - _dot(self.y, self.column(j))
            sign = int(self.sign[j])
            if (sign == 0 and exactly != 0) or exactly * sign < 0:
                return j, (1 if exactly < 0 else -1)
        return -1, 0

    def _leaving(self, basis: list[int], step: list[Fraction], bland: bool) -> int:
        """The basic variable that first meets its bound on the way, or -1; an infeasible one is
        stopped where it gets feasible.
        """
        best, chosen = None, -1
        for i, (j, move) in enumerate(zip(basis, step, strict=True)):
            if move == 0 or (self.sign[j] == 0 and not self.zero[j]):
                continue
            away = (
                move * self.x[i] > 0
                if self.x[i] != 0
                else not self.zero[j] and int(self.sign[j]) * move > 0
            )
            if away:
                continue
            ratio = -self.x[i] / move
            if (
                best is None
                or ratio < best
                or (
                    ratio == best
                    and (j < basis[chosen] if bland else abs(move) > abs(step[chosen]))
                )
            ):
                best, chosen = ratio, i
        return chosen


def _dot(a: list[Fraction], b: list[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True) if x and y), Fraction(0))


def _inverse(columns: list[list[Fraction]]) -> list[list[Fraction]]:
    """Rows of the inverse of the matrix with these columns, by Gauss and Jordan."""
    m = len(columns)
    rows = [
        [columns[j][i] for j in range(m)] + [Fraction(int(i == k)) for k in range(m)]
        for i in range(m)
    ]
    for i in range(m):
        pivot = next((r for r in range(i, m) if rows[r][i] != 0), None)
        if pivot is None:
            raise SolveError("the basis is singular in exact arithmetic")
        rows[i], rows[pivot] = rows[pivot], rows[i]
        scale = rows[i][i]
        rows[i] = [v / scale for v in rows[i]]
        for r in range(m):
            if r != i and rows[r][i]:
                factor = rows[r][i]
                rows[r] = [
                    a - factor * b if b else a for a, b in zip(rows[r], rows[i], strict=True)
                ]
    return [row[m:] for row in rows]


def minimize_exactly(
    cost: np.ndarray, rows: np.ndarray, right: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """The z (n,) with the least cost·z, rows·z ≥ right and z ≥ 0, and the duals of the rows, by
    Bland's rule; None where there is none. Costs are ≥ 0.
    """
    m, n = rows.shape
    table = [
        [Fraction(v) for v in row] for row in rows.tolist()
    ]  # basic variable i is table[i]·nonbasic + value[i]
    value = [-Fraction(v) for v in right.tolist()]
    price = [Fraction(v) for v in cost.tolist()]
    nonbasic, basic = list(range(n)), list(range(n, n + m))
    while True:
        short = [i for i in range(m) if value[i] < 0]
        if not short:
            out, dual = np.zeros(n + m), np.zeros(n + m)
            out[basic], dual[nonbasic] = [float(v) for v in value], [float(v) for v in price]
            return out[:n], dual[n:]
        i = min(short, key=lambda k: basic[k])
        rising = [j for j in range(n) if table[i][j] > 0]
        if not rising:
            return None
        j = min(rising, key=lambda k: (price[k] / table[i][k], nonbasic[k]))
        _exchange(table, value, price, i, j)
        basic[i], nonbasic[j] = nonbasic[j], basic[i]


def _exchange(
    table: list[list[Fraction]], value: list[Fraction], price: list[Fraction], i: int, j: int
) -> None:
    """Solve row i for nonbasic variable j, and put that in everywhere."""
    lead = table[i][j]
    own = [-v / lead for v in table[i]]
    own[j] = 1 / lead
    level = -value[i] / lead
    for k, row in enumerate(table):
        factor = row[j]
        if k != i and factor:
            table[k] = [
                factor * b if c == j else a + factor * b
                for c, (a, b) in enumerate(zip(row, own, strict=True))
            ]
            value[k] += factor * level
    factor = price[j]
    price[:] = [
        factor * b if c == j else a + factor * b
        for c, (a, b) in enumerate(zip(price, own, strict=True))
    ]
    table[i], value[i] = own, level


def solve_complementarity(table: list[list[Fraction]], value: list[Fraction]) -> list[Fraction]:
    """z ≥ 0 with w = table·z + value ≥ 0 and w·z = 0, for a semidefinite table: the criss-cross
    method, which ends (den Hertog, Roos, Terlaky 1993, Linear Algebra and its Applications
    187:1-14).
    """
    n = len(value)
    swapped = [False] * n  # whether z_i stands where w_i began
    none = [Fraction(0)] * n
    while True:
        i = next((k for k in range(n) if value[k] < 0), -1)
        if i < 0:
            return [v if there else Fraction(0) for v, there in zip(value, swapped, strict=True)]
        j = i if table[i][i] > 0 else next(c for c in range(n) if table[i][c] > 0)
        _exchange(table, value, none, i, j)
        if j != i:
            _exchange(table, value, none, j, i)
            table[i], table[j], value[i], value[j] = table[j], table[i], value[j], value[i]
        for k in {i, j}:
            swapped[k] = not swapped[k]
