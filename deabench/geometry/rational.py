"""Small programs in rational arithmetic, for where floating point ends undecided: linear ones by
the dual simplex method from its slacks, and the Euclidean projection on a hull by the criss-cross
method.

Floats are rational numbers, so that the answer is exact; with few variables a pivot costs little,
however many rows there are."""

from __future__ import annotations

from fractions import Fraction

import numpy as np


def least(
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


def nearest(
    gaps: np.ndarray, weights: np.ndarray, norm: str, dominating: bool
) -> tuple[np.ndarray, np.ndarray] | None:
    """The nearest point of a hull, given by the gaps (k, s) from a point to its vertices, each
    change times its weight.

    Returns
    -------
    (array (k,), array (s,)) or None
        λ, and the slope that proves it: see `points.Projection`; 0 where the point is in the hull.
        With `dominating` among points that are nowhere below; None where there are none.
    """
    exact = [[Fraction(v) for v in row] for row in gaps.tolist()]
    return (
        _euclidean(exact, weights, dominating)
        if norm == "l2"
        else _linear(gaps, weights, norm, dominating)
    )


def _linear(
    gaps: np.ndarray, weights: np.ndarray, norm: str, dominating: bool
) -> tuple[np.ndarray, np.ndarray] | None:
    """In L1 or L∞: λ, what rises, what falls, and for L∞ the largest change."""
    k, s = gaps.shape
    moves = -np.eye(s) if dominating else np.hstack([-np.eye(s), np.eye(s)])
    count = moves.shape[1]
    rows = np.block([[gaps.T, moves], [np.ones((1, k)), np.zeros((1, count))]])
    rows, right = (
        np.vstack([rows, -rows]),
        np.concatenate([np.zeros(s), [1.0], np.zeros(s), [-1.0]]),
    )
    cost = np.concatenate([np.zeros(k), np.tile(weights, count // s)])
    if norm == "linf":
        change = np.hstack(
            [np.zeros((s, k)), np.tile(-np.diag(weights), count // s), np.ones((s, 1))]
        )
        rows = np.vstack([np.hstack([rows, np.zeros((len(rows), 1))]), change])
        right, cost = np.append(right, np.zeros(s)), np.append(np.zeros(k + count), 1.0)
    found = least(cost, rows, right)
    return None if found is None else (found[0][:k], found[1][s + 1 : 2 * s + 1] - found[1][:s])


def _euclidean(
    gaps: list[list[Fraction]], weights: np.ndarray, dominating: bool
) -> tuple[np.ndarray, np.ndarray] | None:
    """In L2, as in `points.closest_l2`: min ‖W G'μ‖² + (Σμ - 1)², μ ≥ 0, where G are the gaps; G'μ
    ≥ 0 does not see the size of μ either. Its optimality conditions are a linear complementarity
    problem with a semidefinite matrix; the slope is W² gap less the multipliers of G'μ ≥ 0, over
    the distance.
    """
    square = [Fraction(w) ** 2 for w in weights.tolist()]
    k, s = len(gaps), len(square) if dominating else 0
    table = [
        [
            sum((a * b * w for a, b, w in zip(one, other, square, strict=True)), Fraction(1))
            for other in gaps
        ]
        + [-v for v in one[:s]]
        for one in gaps
    ]
    table += [[one[r] for one in gaps] + [Fraction(0)] * s for r in range(s)]
    found = _complementary(table, [Fraction(-1)] * k + [Fraction(0)] * s)
    total = sum(found[:k], Fraction(0))
    if not total:
        return None
    lam = [v / total for v in found[:k]]
    gap = [
        sum((v * one[r] for v, one in zip(lam, gaps, strict=True)), Fraction(0))
        for r in range(len(square))
    ]
    slope = [w * v for w, v in zip(square, gap, strict=True)]
    length = float(sum((y * v for y, v in zip(slope, gap, strict=True)), Fraction(0))) ** 0.5
    slope = (
        [v - nu / total for v, nu in zip(slope, found[k:], strict=True)] if dominating else slope
    )
    return np.array([float(v) for v in lam]), np.array([float(v) for v in slope]) / (length or 1.0)


def _complementary(table: list[list[Fraction]], value: list[Fraction]) -> list[Fraction]:
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
