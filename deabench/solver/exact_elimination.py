"""Elimination in rational arithmetic: linear systems, and bases of linear programs."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from deabench.utils.rational import inner_product

Matrix = list[list[Fraction]]
Column = dict[int, Fraction]
"""The entries of a column that are not 0, by row."""

ZERO = Fraction(0)


def sparse_column(values: np.ndarray) -> Column:
    """Return the floats (m,) that are not 0 as the rational numbers that they are."""
    rows = np.flatnonzero(values)
    return {i: Fraction(v) for i, v in zip(rows.tolist(), values[rows].tolist(), strict=True)}


def price_column(y: list[Fraction], column: Column) -> Fraction:
    """Return the inner product of row duals (m,) and a column."""
    return inner_product([y[i] for i in column], list(column.values()))


class FactoredBasis:
    """The columns (m) of a basis B, with what solves B x = b and y B = c.

    Most columns are those of slacks, with a single entry: each settles the variable of its row once
    the other columns are known. Only these, over the rows without such a column, are inverted.
    """

    def __init__(self, columns: list[Column]) -> None:
        self.columns = columns
        # The position of the single-entry column of each row that has one.
        self.single: dict[int, int] = {}
        for position, column in enumerate(columns):
            if len(column) == 1:
                self.single.setdefault(next(iter(column)), position)
        self.rows = sorted(set(range(len(columns))) - set(self.single))
        self.others = sorted(set(range(len(columns))) - set(self.single.values()))
        core = [[columns[position].get(i, ZERO) for position in self.others] for i in self.rows]
        identity = [[Fraction(int(i == k)) for k in self.rows] for i in self.rows]
        inverse = solve_linear_system(core, identity)
        self.is_singular = inverse is None
        self.inverse: Matrix = inverse or []

    def solve(self, right: Column) -> list[Fraction]:
        """Return the x (m,) with B x = right."""
        x = [ZERO] * len(self.columns)
        core_right = [right.get(i, ZERO) for i in self.rows]
        for position, row in zip(self.others, self.inverse, strict=True):
            x[position] = inner_product(row, core_right)
        # The entries and variables of the other columns in each row with a single-entry column.
        entries: dict[int, list[Fraction]] = {i: [] for i in self.single}
        moves: dict[int, list[Fraction]] = {i: [] for i in self.single}
        for position in self.others:
            if not x[position]:
                continue
            for i, entry in self.columns[position].items():
                if i in self.single:
                    entries[i].append(entry)
                    moves[i].append(x[position])
        for i, position in self.single.items():
            # What the other columns leave of the row.
            remainder = right.get(i, ZERO) - inner_product(entries[i], moves[i])
            if remainder:
                x[position] = remainder / self.columns[position][i]
        return x

    def price(self, costs: list[Fraction]) -> list[Fraction]:
        """Return the y (m,) with y B = costs."""
        y = [ZERO] * len(self.columns)
        for i, position in self.single.items():
            if costs[position]:
                y[i] = costs[position] / self.columns[position][i]
        # What these rows leave of the costs of the other columns.
        remaining_costs = [
            costs[position] - price_column(y, self.columns[position]) for position in self.others
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
