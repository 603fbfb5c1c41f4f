"""A linear program in whole numbers: the exact optimum, independent of the package's own solvers.

A tableau of integers over one common denominator: every pivot divides without a remainder (Edmonds
1967, Bareiss 1968), so numbers stay as short as determinants of the data. The rule of Dantzig picks
the columns, after `PATIENCE` pivots that of Bland, which does not cycle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

PATIENCE = 40
"""Pivots by Dantzig's rule in each phase before Bland's takes its place."""
Number = Fraction | int


@dataclass(frozen=True)
class Optimum:
    """What a linear program came to.

    Attributes
    ----------
    status : {"optimal", "infeasible", "unbounded"}
    value : Fraction or None
        The least value of the objective, where there is one.
    point : tuple of Fraction
        Where it is reached; empty where there is none.
    """

    status: str
    value: Fraction | None = None
    point: tuple[Fraction, ...] = ()


def minimize(
    costs: Sequence[Number], rows: Sequence[tuple[Sequence[Number], str, Number]]
) -> Optimum:
    """Minimize costs · z over z ≥ 0 under rows (coefficients, "<=", ">=" or "==", right side)."""
    return _Tableau(costs, rows).solve()


def maximize(
    gains: Sequence[Number], rows: Sequence[tuple[Sequence[Number], str, Number]]
) -> Optimum:
    """Maximize gains · z over z ≥ 0 under rows."""
    least = minimize([-gain for gain in gains], rows)
    if least.value is None:
        return least
    return Optimum(least.status, -least.value, least.point)


def _integers(values: Sequence[Number]) -> tuple[list[int], int]:
    """Return the values times their least common denominator, and that denominator."""
    fractions = [Fraction(value) for value in values]
    denominator = lcm(*(value.denominator for value in fractions))
    return [
        value.numerator * (denominator // value.denominator) for value in fractions
    ], denominator


class _Tableau:
    """Rows of integers over the common denominator `divisor`; the last column is the right side."""

    def __init__(
        self, costs: Sequence[Number], rows: Sequence[tuple[Sequence[Number], str, Number]]
    ) -> None:
        self.count = len(costs)
        self.divisor = 1
        prepared = []
        for coefficients, sense, right in rows:
            scaled, _ = _integers([*coefficients, right])
            turned = sense
            if scaled[-1] < 0:
                scaled = [-value for value in scaled]
                turned = {"<=": ">=", ">=": "<=", "==": "=="}[sense]
            prepared.append((scaled, turned))
        # A slack for every inequality, an artificial variable where a row has no slack to start at.
        slack_count = sum(sense != "==" for _, sense in prepared)
        artificial_count = sum(sense != "<=" for _, sense in prepared)
        self.artificial_start = self.count + slack_count
        width = self.artificial_start + artificial_count
        self.rows: list[list[int]] = []
        self.basis: list[int] = []
        slack = self.count
        artificial = self.artificial_start
        for scaled, sense in prepared:
            row = [*scaled[:-1], *[0] * (width - self.count), scaled[-1]]
            if sense != "==":
                row[slack] = 1 if sense == "<=" else -1
                slack += 1
            if sense == "<=":
                self.basis.append(slack - 1)
            else:
                row[artificial] = 1
                self.basis.append(artificial)
                artificial += 1
            self.rows.append(row)
        integer_costs, self.cost_denominator = _integers(costs)
        self.costs = [*integer_costs, *[0] * (width - self.count + 1)]
        # The sum of the artificial variables, in terms of the others.
        self.phase_one = [0] * (width + 1)
        for row, basic in zip(self.rows, self.basis, strict=True):
            if basic >= self.artificial_start:
                self.phase_one = [a - b for a, b in zip(self.phase_one, row, strict=True)]
        for column in range(self.artificial_start, width):
            self.phase_one[column] = 0

    def solve(self) -> Optimum:
        """Run both phases."""
        self._descend("phase_one")
        if self.phase_one[-1] != 0:
            return Optimum("infeasible")
        self._expel_artificials()
        if not self._descend("costs"):
            return Optimum("unbounded")
        point = [Fraction(0)] * self.count
        for row, basic in zip(self.rows, self.basis, strict=True):
            if basic < self.count:
                point[basic] = Fraction(row[-1], self.divisor)
        value = Fraction(-self.costs[-1], self.divisor * self.cost_denominator)
        return Optimum("optimal", value, tuple(point))

    def _descend(self, objective: str) -> bool:
        """Pivot until no column lowers the objective; False where it has no least value."""
        pivots = 0
        while True:
            prices = getattr(self, objective)[: self.artificial_start]
            least = min(prices, default=0)
            if least >= 0:
                return True
            if pivots < PATIENCE:
                column = prices.index(least)
            else:
                column = next(c for c, price in enumerate(prices) if price < 0)
            leaving = self._leaving_row(column)
            if leaving is None:
                return False
            self._pivot(leaving, column)
            pivots += 1

    def _leaving_row(self, column: int) -> int | None:
        """Return the row of the least ratio, among equal ones that of the first variable."""
        best = None
        for i, row in enumerate(self.rows):
            if row[column] <= 0:
                continue
            if best is None:
                best = i
                continue
            # right_i / row_i < right_best / row_best, without a division.
            difference = row[-1] * self.rows[best][column] - self.rows[best][-1] * row[column]
            if difference < 0 or (difference == 0 and self.basis[i] < self.basis[best]):
                best = i
        return best

    def _expel_artificials(self) -> None:
        """Take the artificial variables, all 0 now, out of the basis; drop empty rows."""
        for i in reversed(range(len(self.rows))):
            if self.basis[i] < self.artificial_start:
                continue
            columns = [c for c in range(self.artificial_start) if self.rows[i][c]]
            if not columns:
                del self.rows[i], self.basis[i]
                continue
            if self.rows[i][columns[0]] < 0:  # its right side is 0: the row may be turned
                self.rows[i] = [-value for value in self.rows[i]]
            self._pivot(i, columns[0])

    def _pivot(self, i: int, column: int) -> None:
        """Make a column basic in row i; every division leaves no remainder."""
        pivot_row = self.rows[i]
        pivot = pivot_row[column]
        divisor = self.divisor

        def reduced(row: list[int]) -> list[int]:
            factor = row[column]
            if not factor:
                return [value * pivot // divisor for value in row]
            return [
                (value * pivot - factor * other) // divisor
                for value, other in zip(row, pivot_row, strict=True)
            ]

        self.rows = [row if k == i else reduced(row) for k, row in enumerate(self.rows)]
        self.costs = reduced(self.costs)
        self.phase_one = reduced(self.phase_one)
        self.basis[i] = column
        self.divisor = pivot
