"""Elimination in rational arithmetic: linear systems, and bases of linear programs."""

from __future__ import annotations

import math
from fractions import Fraction

from deabench.utils.rational import inner_product

Matrix = list[list[Fraction]]


class FactoredBasis:
    """The columns (m) of a basis B, with what solves B x = b and y B = c.

    Most columns are those of slacks, with a single entry: each settles the variable of its row once
    the other columns are known. Only these, over the rows without such a column, are inverted.
    """

    def __init__(self, columns: list[list[Fraction]]) -> None:
        self.columns = columns
        # The position of the single-entry column of each row that has one.
        self.single: dict[int, int] = {}
        for position, column in enumerate(columns):
            entry_rows = [i for i, entry in enumerate(column) if entry]
            if len(entry_rows) == 1:
                self.single.setdefault(entry_rows[0], position)
        self.rows = sorted(set(range(len(columns))) - set(self.single))
        self.others = sorted(set(range(len(columns))) - set(self.single.values()))
        core = [[columns[position][i] for position in self.others] for i in self.rows]
        identity = [[Fraction(int(i == k)) for k in self.rows] for i in self.rows]
        inverse = solve_linear_system(core, identity)
        self.is_singular = inverse is None
        self.inverse: Matrix = inverse or []

    def solve(self, right: list[Fraction]) -> list[Fraction]:
        """Return the x (m,) with B x = right."""
        x = [Fraction(0)] * len(self.columns)
        core_right = [right[i] for i in self.rows]
        for position, row in zip(self.others, self.inverse, strict=True):
            x[position] = inner_product(row, core_right)
        moving = [position for position in self.others if x[position]]
        for i, position in self.single.items():
            # What the other columns leave of the row.
            remainder = right[i]
            for moving_position in moving:
                if self.columns[moving_position][i]:
                    remainder -= self.columns[moving_position][i] * x[moving_position]
            x[position] = remainder / self.columns[position][i]
        return x

    def price(self, costs: list[Fraction]) -> list[Fraction]:
        """Return the y (m,) with y B = costs."""
        y = [Fraction(0)] * len(self.columns)
        for i, position in self.single.items():
            if costs[position]:
                y[i] = costs[position] / self.columns[position][i]
        # What these rows leave of the costs of the other columns.
        remaining_costs = [
            costs[position] - inner_product(y, self.columns[position]) for position in self.others
        ]
        for k, i in enumerate(self.rows):
            y[i] = inner_product(remaining_costs, [row[k] for row in self.inverse])
        return y


def solve_linear_system(matrix: Matrix, right: Matrix) -> Matrix | None:
    """Return X with matrix · X = right, by Gauss-Jordan elimination; None if it is singular.

    Rows are multiplied to whole numbers: products of fractions would be shortened one by one.
    """
    m = len(matrix)
    rows = [_to_integers([*row, *extra]) for row, extra in zip(matrix, right, strict=True)]
    for i in range(m):
        pivot = next((r for r in range(i, m) if rows[r][i]), None)
        if pivot is None:
            return None
        # Any pivot that is not 0 will do: whole numbers have no rounding to keep small.
        rows[i], rows[pivot] = rows[pivot], rows[i]
        # Clear column i in all other rows, above and below.
        for r in range(m):
            if r != i and rows[r][i]:
                rows[r] = _clear_column(rows[r], rows[i], i)
    return [[Fraction(entry, row[i]) for entry in row[m:]] for i, row in enumerate(rows)]


def _to_integers(row: list[Fraction]) -> list[int]:
    """Return a row times its common denominator."""
    scale = math.lcm(*(entry.denominator for entry in row))
    return [entry.numerator * (scale // entry.denominator) for entry in row]


def _clear_column(row: list[int], pivot_row: list[int], i: int) -> list[int]:
    """Return a multiple of a row, less one of the pivot's row, that has 0 in column i."""
    scale = pivot_row[i]
    factor = row[i]
    # Most columns of a basis are those of slacks, so that most products are 0.
    cleared = [
        scale * a - factor * b if b else scale * a for a, b in zip(row, pivot_row, strict=True)
    ]
    divisor = math.gcd(*cleared) or 1
    return [entry // divisor for entry in cleared]
