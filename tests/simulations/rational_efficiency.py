"""Radial efficiencies by a simplex method of its own, in rational arithmetic: an oracle that shares
nothing with the software.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from deabench.proofs import reasons

Row = list[Fraction]


def efficiency(
    X: np.ndarray, Y: np.ndarray, x: np.ndarray, y: np.ndarray, *, orientation: str, returns: str
) -> Fraction | None:
    """θ of (3), input-oriented, or 1/φ; None where it is undefined: infeasible, unbounded, or a
    factor of 0.

    X (n, m) and Y (n, s) are the reference's inputs and outputs, x (m,) and y (s,) the tested
    DMU's."""
    best = factor(X, Y, x, y, orientation=orientation, returns=returns)
    if best is None or best == 0:
        return None
    return best if orientation == "input" else 1 / best


def factor(
    X: np.ndarray, Y: np.ndarray, x: np.ndarray, y: np.ndarray, *, orientation: str, returns: str
) -> Fraction | None:
    """The least θ, input-oriented, or the largest φ; None where the program is infeasible or
    unbounded.
    """
    inward = orientation == "input"
    rows = [
        ([*a, -Fraction(x[i])], Fraction(0))
        if inward
        else ([*a, Fraction(0)], b)  # Σ λ X ≤ x, or ≤ θ x
        for i, (a, b) in enumerate(_inputs(X, x))
    ]
    for r in range(len(y)):  # Σ λ Y ≥ y, or ≥ φ y
        own_coefficient = Fraction(0) if inward else Fraction(y[r])
        rows.append(
            (
                [-Fraction(v) for v in Y[:, r]] + [own_coefficient],
                -Fraction(y[r]) if inward else Fraction(0),
            )
        )
    rows += [([*a, Fraction(0)], b) for a, b in _sums(len(X), returns)]
    best = maximise([Fraction(0)] * len(X) + [Fraction(-1 if inward else 1)], rows)
    return -best if inward and best is not None else best


def true_reasons(
    X: np.ndarray, Y: np.ndarray, x: np.ndarray, y: np.ndarray, *, orientation: str, returns: str
) -> set[str]:
    """Of the reasons that a DMU can have for no score, in the words of `deabench.proofs.reasons`,
    those that are true of it.
    """
    best = factor(X, Y, x, y, orientation=orientation, returns=returns)
    if orientation == "input":
        return (
            {reasons.INFEASIBLE}
            if best is None
            else {reasons.NO_INPUT_NEEDED}
            if best == 0
            else set()
        )
    no_output = {reasons.NO_OUTPUT} if not y.any() else set()
    if best is None:
        return no_output or {reasons.INFEASIBLE}
    has = np.flatnonzero(y > 0).tolist()
    out = no_output | ({reasons.NO_METRIC} if any(not Y[:, r].any() for r in has) else set())
    rows = [*_inputs(X, x), *_sums(len(X), returns)]
    return out | (
        {reasons.NO_MIX}
        if any(maximise([Fraction(v) for v in Y[:, r]], rows) == 0 for r in has)
        else set()
    )


def _inputs(X: np.ndarray, x: np.ndarray) -> list[tuple[Row, Fraction]]:
    return [([Fraction(v) for v in X[:, i]], Fraction(x[i])) for i in range(len(x))]


def _sums(n: int, returns: str) -> list[tuple[Row, Fraction]]:
    """The bounds of Σ λ."""
    above, below = ([Fraction(1)] * n, Fraction(1)), ([Fraction(-1)] * n, Fraction(-1))
    return [above] * (returns in ("vrs", "nirs")) + [below] * (returns in ("vrs", "ndrs"))


def maximise(cost: Row, rows: list[tuple[Row, Fraction]]) -> Fraction | None:
    """max cost·z, a·z ≤ b for every row (a, b), z ≥ 0, by Bland's rule; None where it is infeasible
    or unbounded.
    """
    n, m = len(cost), len(rows)
    table = []
    for i, (a, b) in enumerate(rows):
        sign = -1 if b < 0 else 1
        slack = [Fraction(sign * (k == i)) for k in range(m)]
        artificial = [Fraction(int(k == i)) if sign < 0 else Fraction(0) for k in range(m)]
        table.append([sign * v for v in a] + slack + artificial + [sign * b])
    basis = [n + m + i if b < 0 else n + i for i, (_, b) in enumerate(rows)]
    artificials = [Fraction(0)] * (n + m) + [Fraction(-1)] * m
    if any(j >= n + m for j in basis):
        if _run(table, basis, artificials, n + 2 * m) != 0:
            return None
        for i, j in enumerate(basis):
            if (
                j >= n + m
                and (q := next((q for q in range(n + m) if table[i][q] != 0), None)) is not None
            ):
                _pivot(table, basis, i, q)
    return _run(table, basis, cost + [Fraction(0)] * (2 * m), n + m)


def _run(table: list[Row], basis: list[int], cost: Row, allowed: int) -> Fraction | None:
    while True:
        prices = [cost[j] for j in basis]
        entering = next(
            (
                q
                for q in range(allowed)
                if q not in basis
                and cost[q]
                > sum(
                    (p * row[q] for p, row in zip(prices, table, strict=True) if p and row[q]),
                    Fraction(0),
                )
            ),
            None,
        )
        if entering is None:
            return sum((p * row[-1] for p, row in zip(prices, table, strict=True)), Fraction(0))
        ratios = [
            (row[-1] / row[entering], basis[i], i)
            for i, row in enumerate(table)
            if row[entering] > 0
        ]
        if not ratios:
            return None
        _pivot(table, basis, min(ratios)[2], entering)


def _pivot(table: list[Row], basis: list[int], i: int, q: int) -> None:
    lead = table[i][q]
    table[i] = [v / lead for v in table[i]]
    for k, row in enumerate(table):
        if k != i and row[q]:
            factor = row[q]
            table[k] = [a - factor * b if b else a for a, b in zip(row, table[i], strict=True)]
    basis[i] = q
