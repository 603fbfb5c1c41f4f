"""The simplex method in rational arithmetic, for where floating point ends undecided.

Floats are rational numbers, so every question about them has an exact answer. Three problems are
solved here, each with the form that suits its size:

- `find_optimal_basis`: one program of a family, from any basis, by the revised simplex method.
  With columns 1e-9 apart a basis can be so ill-conditioned that floating point cannot tell an
  optimal basis from its neighbours; from HiGHS's last basis the exact answer takes a few pivots.
- `minimize_exactly`: a small program with many rows, by the dual simplex method on a tableau.
- `solve_complementarity`: the optimality conditions of a small quadratic program, by the
  criss-cross method on the same tableau.

Bland's rule makes all of them end.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from deabench.errors import SolveError
from deabench.solver.exact_elimination import (
    Column,
    FactoredBasis,
    Matrix,
    price_column,
    sparse_column,
)
from deabench.solver.family import Family
from deabench.solver.highs import Infeasible, Unbounded
from deabench.utils.progress import check_time
from deabench.utils.rational import to_floats, to_fractions

GREEDY = 60
"""Pivots by steepest reduced cost before Bland's rule takes over."""
PIVOTS = 2000
ROUNDING = 1e-13
"""What rounding makes of a reduced cost, as a share of its terms: one that floating point puts
above it needs no exact check.
"""


class ProvedInfeasible(Infeasible):
    """No feasible point, in exact arithmetic; `ray` (m,) are row duals that prove it (Farkas)."""

    def __init__(self, text: str, ray: np.ndarray) -> None:
        super().__init__(text)
        self.ray = ray


class SingularBasis(SolveError):
    """The columns to start from are no basis."""


def find_optimal_basis(
    family: Family, codes: np.ndarray, tested: np.ndarray, name: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return an optimal basis of one program, its basic variables and its row duals.

    Parameters
    ----------
    codes : int array (m,)
        The basis to start from.
    tested : array (q,)
        The data of the program.
    name : str
        Of the program, for errors.

    Returns
    -------
    tuple of arrays (m,)
        The codes, the variables and the duals; rounded to floats once, at the end.

    Raises
    ------
    ProvedInfeasible
        If the program has no feasible point.
    """
    optimum = optimize(standard_form(family, tested, name), codes)
    return optimum.basis, to_floats(optimum.x), to_floats(optimum.y)


@dataclass(frozen=True, eq=False)
class StandardForm:
    """The program min c·x with A x = b, each variable with a sign.

    Attributes
    ----------
    table : array (columns, m)
        The columns of A, slacks included.
    cost : array (columns,)
    sign : array (columns,)
        1 for x ≥ 0, -1 for x ≤ 0, 0 for a free variable.
    zero : bool array (columns,)
        Which variables must be 0: the slacks of equations.
    right : list of Fraction (m,)
    label : str
        For errors.
    """

    table: np.ndarray
    cost: np.ndarray
    sign: np.ndarray
    zero: np.ndarray
    right: list[Fraction]
    label: str

    def reduced_costs(self, costs: np.ndarray, y: list[Fraction]) -> list[Fraction]:
        """Return c_j - y·A_j of every column under some costs, exactly."""
        return [
            Fraction(cost) - price_column(y, sparse_column(column))
            for cost, column in zip(costs.tolist(), self.table, strict=True)
        ]


def standard_form(family: Family, tested: np.ndarray, name: str) -> StandardForm:
    """Return one program of a family, by its data (q,); `name` is for errors."""
    table = family.table.copy()
    table[family.n : family.n + family.statics] += family.varying @ tested
    return StandardForm(
        table,
        family.costs,
        family.sign,
        family.zero,
        to_fractions(family.right_hand_sides(tested[None])[0]),
        f"{family.template.name} for '{name}'",
    )


@dataclass(frozen=True, eq=False)
class OptimalBasis:
    """An optimal basis, its variables and its row duals, as lists of fractions."""

    basis: np.ndarray
    x: list[Fraction]
    y: list[Fraction]


def optimize(form: StandardForm, codes: np.ndarray) -> OptimalBasis:
    """Return the optimum of a program in standard form, from the basis `codes` (m,).

    Raises
    ------
    ProvedInfeasible
        If the program has no feasible point.
    Unbounded
        If it has no finite optimum.
    """
    state = _Simplex(form)
    basis = codes.tolist()
    for pivot in range(PIVOTS):
        check_time()
        if state.pivot(basis, bland=pivot >= GREEDY):
            continue
        return OptimalBasis(np.array(basis), state.x, state.y)
    raise SolveError(f"{form.label}: no optimal basis after {PIVOTS} exact pivots")


class _Simplex:
    """A program in standard form and the point of its last basis."""

    def __init__(self, form: StandardForm) -> None:
        self.table = form.table
        self.magnitudes = np.abs(form.table)
        self.cost = form.cost
        self.sign = form.sign
        self.zero = form.zero
        self.b = {i: value for i, value in enumerate(form.right) if value}
        self.label = form.label
        self.x: list[Fraction] = []
        self.y: list[Fraction] = []
        self._columns: dict[int, Column] = {}

    def column(self, j: int) -> Column:
        """Return column j exactly."""
        if j not in self._columns:
            self._columns[j] = sparse_column(self.table[j])
        return self._columns[j]

    def pivot(self, basis: list[int], *, bland: bool) -> bool:
        """Exchange one basic column, in place; False where the basis is optimal."""
        # The basis is factored anew in each pivot: from a good start few pivots are needed.
        factored = FactoredBasis([self.column(j) for j in basis])
        if factored.is_singular:
            raise SingularBasis(f"{self.label}: the basis is singular, in exact arithmetic")
        self.x = factored.solve(self.b)
        # Phase 1 minimises the sum of infeasibilities, phase 2 the costs; y prices either.
        costs = [
            self._infeasibility_slope(j, value) for j, value in zip(basis, self.x, strict=True)
        ]
        feasible = not any(costs)
        if feasible:
            costs = [Fraction(self.cost[j]) for j in basis]
        self.y = factored.price(costs)
        entering, direction = self._entering_column(basis, bland, feasible)
        if entering < 0:
            if not feasible:  # the least infeasibility is positive, and y proves it
                text = f"{self.label}: infeasible, in exact arithmetic"
                raise ProvedInfeasible(text, to_floats(self.y))
            return False
        # Along the ray on which the entering column rises (or falls), x moves by `step`.
        step = [-direction * move for move in factored.solve(self.column(entering))]
        leaving = self._leaving_position(basis, step, bland)
        if leaving < 0:
            raise Unbounded(f"{self.label}: unbounded, in exact arithmetic")
        basis[leaving] = entering
        return True

    def _infeasibility_slope(self, j: int, value: Fraction) -> Fraction:
        """Return the phase 1 cost of a basic variable: the slope of its infeasibility."""
        if self.zero[j]:
            return Fraction((value > 0) - (value < 0))
        sign = int(self.sign[j])
        if sign * value < 0:  # the variable is infeasible: it costs 1 per unit on the wrong side
            return Fraction(-sign)
        return Fraction(0)

    def _entering_column(self, basis: list[int], bland: bool, feasible: bool) -> tuple[int, int]:
        """Return a column that improves the objective and its direction, or -1.

        Floating point makes a list of all columns that may have a reduced cost of the wrong sign,
        fractions decide on each.
        """
        # In phase 1 only basic variables have a cost, that of their infeasibility.
        cost = self.cost
        if not feasible:
            cost = np.zeros(len(cost))
        duals = to_floats(self.y)
        reduced = cost - self.table @ duals
        margin = ROUNDING * (np.abs(cost) + self.magnitudes @ np.abs(duals))
        # A free variable gains in either direction, another only in the direction of its sign.
        # Basic variables and slacks of equations never enter.
        gain = np.where(self.sign == 0, np.abs(reduced), -reduced * self.sign)
        gain[self.zero] = -np.inf
        gain[basis] = -np.inf
        # The margin is above the rounding of the products, so no improving column is missed.
        candidates = np.flatnonzero(gain >= -margin)
        if not bland:  # the steepest first
            candidates = candidates[np.argsort(-gain[candidates], kind="stable")]
        for j in candidates.tolist():
            exact = Fraction(cost[j]) - price_column(self.y, self.column(j))
            sign = int(self.sign[j])
            if (sign == 0 and exact != 0) or exact * sign < 0:
                return j, (1 if exact < 0 else -1)
        return -1, 0

    def _leaving_position(self, basis: list[int], step: list[Fraction], bland: bool) -> int:
        """Return the position of the basic variable that first meets its bound, or -1.

        An infeasible variable is stopped where it becomes feasible.
        """
        best = None
        leaving = -1
        for i, (j, move) in enumerate(zip(basis, step, strict=True)):
            if move == 0 or (self.sign[j] == 0 and not self.zero[j]):
                continue  # it does not move, or has no bound
            if self.x[i] != 0:
                moves_away = move * self.x[i] > 0
            else:
                moves_away = not self.zero[j] and int(self.sign[j]) * move > 0
            if moves_away:
                continue
            # The step at which variable i is 0; the least of all steps keeps every bound.
            ratio = -self.x[i] / move
            if best is None or ratio != best:
                better = best is None or ratio < best
            elif bland:  # among ties the smallest code, which excludes cycles
                better = j < basis[leaving]
            else:  # or the largest pivot
                better = abs(move) > abs(step[leaving])
            if better:
                best = ratio
                leaving = i
        return leaving


def minimize_exactly(
    cost: np.ndarray, rows: np.ndarray, right: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the z (n,) with the least cost·z, rows·z ≥ right and z ≥ 0, and the duals of the rows.

    The dual simplex method from the slack basis, which is dual feasible as all costs are ≥ 0. With
    few variables a pivot costs little, however many rows there are. None where there is no z.
    """
    m, n = rows.shape
    # Basic variable i is table[i]·nonbasic + value[i]; at first these are the slacks.
    table = [to_fractions(row) for row in rows]
    value = [-v for v in to_fractions(right)]
    price = to_fractions(cost)
    nonbasic = list(range(n))
    basic = list(range(n, n + m))
    while True:
        check_time()
        negative = [i for i in range(m) if value[i] < 0]
        if not negative:  # primal feasible, and dual feasible all along: optimal
            primal = np.zeros(n + m)
            dual = np.zeros(n + m)
            primal[basic] = to_floats(value)
            dual[nonbasic] = to_floats(price)
            return primal[:n], dual[n:]
        # Bland's rule: the first negative variable leaves, the ratio test keeps all prices ≥ 0.
        i = min(negative, key=lambda k: basic[k])
        rising = [j for j in range(n) if table[i][j] > 0]
        if not rising:
            return None  # the row says that a negative number is at least 0
        j = min(rising, key=lambda k: (price[k] / table[i][k], nonbasic[k]))
        _exchange(table, value, price, i, j)
        basic[i], nonbasic[j] = nonbasic[j], basic[i]


def solve_complementarity(table: Matrix, value: list[Fraction]) -> list[Fraction]:
    """Return z ≥ 0 with w = table·z + value ≥ 0 and w·z = 0, for a positive semidefinite table.

    The criss-cross method, which ends (den Hertog, Roos and Terlaky 1993, Linear Algebra and its
    Applications 187:1-14). `table` and `value` are changed.
    """
    n = len(value)
    is_swapped = [False] * n  # whether z_i stands where w_i began
    no_price = [Fraction(0)] * n
    while True:
        check_time()
        i = next((k for k in range(n) if value[k] < 0), -1)
        if i < 0:
            return [
                v if swapped else Fraction(0) for v, swapped in zip(value, is_swapped, strict=True)
            ]
        # A diagonal pivot where there is one; otherwise a pair of pivots, across the diagonal.
        j = i if table[i][i] > 0 else next(c for c in range(n) if table[i][c] > 0)
        _exchange(table, value, no_price, i, j)
        if j != i:
            _exchange(table, value, no_price, j, i)
            table[i], table[j] = table[j], table[i]
            value[i], value[j] = value[j], value[i]
        for k in {i, j}:
            is_swapped[k] = not is_swapped[k]


def _exchange(table: Matrix, value: list[Fraction], price: list[Fraction], i: int, j: int) -> None:
    """Solve row i for nonbasic variable j, and substitute it in all rows and prices."""
    pivot = table[i][j]
    # From x_i = Σ t_ik z_k + v: z_j = x_i / t_ij - Σ_{k ≠ j} t_ik z_k / t_ij - v / t_ij.
    solved = [-v / pivot for v in table[i]]
    solved[j] = 1 / pivot
    level = -value[i] / pivot

    def substitute(row: list[Fraction]) -> list[Fraction]:
        # z_j leaves the row; its coefficient times its new expression is added.
        remaining = [*row[:j], Fraction(0), *row[j + 1 :]]
        return [a + row[j] * b for a, b in zip(remaining, solved, strict=True)]

    for k, row in enumerate(table):
        if k != i and row[j]:
            value[k] += row[j] * level
            table[k] = substitute(row)
    price[:] = substitute(price)
    table[i] = solved
    value[i] = level
