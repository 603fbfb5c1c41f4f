"""Small linear programs in rational arithmetic, for where HiGHS ends undecided: the dual simplex method from its slacks.

Floats are rational numbers, so that the answer is exact; with few variables a pivot costs little, however many rows there are.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np


def least(cost: np.ndarray, rows: np.ndarray, right: np.ndarray) -> np.ndarray | None:
    """The z (n,) with the least cost·z, rows·z ≥ right and z ≥ 0, by Bland's rule; None where there is none. Costs are ≥ 0."""
    m, n = rows.shape
    table = [[Fraction(v) for v in row] for row in rows.tolist()]  # basic variable i is table[i]·nonbasic + value[i]
    value = [-Fraction(v) for v in right.tolist()]
    price = [Fraction(v) for v in cost.tolist()]
    nonbasic, basic = list(range(n)), list(range(n, n + m))
    while True:
        short = [i for i in range(m) if value[i] < 0]
        if not short:
            out = np.zeros(n + m)
            out[basic] = [float(v) for v in value]
            return out[:n]
        i = min(short, key=lambda k: basic[k])
        rising = [j for j in range(n) if table[i][j] > 0]
        if not rising:
            return None
        j = min(rising, key=lambda k: (price[k] / table[i][k], nonbasic[k]))
        _exchange(table, value, price, i, j)
        basic[i], nonbasic[j] = nonbasic[j], basic[i]


def _exchange(table: list[list[Fraction]], value: list[Fraction], price: list[Fraction], i: int, j: int) -> None:
    """Solve row i for nonbasic variable j, and put that in everywhere."""
    lead = table[i][j]
    own = [-v / lead for v in table[i]]
    own[j] = 1 / lead
    level = -value[i] / lead
    for k, row in enumerate(table):
        factor = row[j]
        if k != i and factor:
            table[k] = [factor * b if c == j else a + factor * b for c, (a, b) in enumerate(zip(row, own, strict=True))]
            value[k] += factor * level
    factor = price[j]
    price[:] = [factor * b if c == j else a + factor * b for c, (a, b) in enumerate(zip(price, own, strict=True))]
    table[i], value[i] = own, level
