"""Measures of slacks in exact arithmetic: `sbm`, `super-sbm`, `russell`, additive models."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from benchmarks.exact.simplex import Number, maximize, minimize
from benchmarks.exact.table import (
    Exact,
    Row,
    Table,
    Vector,
    dominating,
    dot,
    fraction,
    metric_names,
    single_slack,
    slack_of,
    slack_shares,
    square_root,
    tables_of,
)

TANGENT_BITS = 40
"""Tangents of Russell's graph measure touch at numbers with so many binary digits."""
TANGENT_ROUNDS = 60
CLOSE = Fraction(1, 10**11)
"""Russell's graph measure and its bound agree within this."""


def mean_shares(table: Table, orientation: str, *, inverse: bool) -> tuple[Vector, Vector]:
    """Return p and q: 1 over the number of inputs, and outputs, above 0 that may change.

    With `inverse` over their values, too.
    """

    def of(values: Vector, may_change: bool) -> Vector:
        count = sum(value > 0 for value in values)
        return tuple(
            Fraction(1, count) / (value if inverse else 1)
            if may_change and value > 0
            else Fraction(0)
            for value in values
        )

    p = of(table.x, orientation != "output" and table.has_inputs)
    return p, of(table.y, orientation != "input")


def at_best_one(score: Fraction | float | None, slack: Fraction | None) -> Exact:
    """Return an efficiency of at most 1 with the slack at the DMU itself."""
    if score is None:
        return Exact(None)
    return Exact(score, slack=slack, shortfall=1 - score)


def sbm(table: Table, orientation: str) -> Fraction | None:
    """Return the slacks-based measure by the transformation of Charnes and Cooper."""
    p, q = mean_shares(table, orientation, inverse=True)
    n, m, s = len(table.Y), len(table.x), table.s
    # Λ, s⁻, s⁺, t
    width = n + m + s + 1
    rows: list[Row] = []
    for i in range(m):
        line: list[Number] = [*[row[i] for row in table.X], *[0] * (m + s), -table.x[i]]
        line[n + i] = 1
        rows.append((line, "==", 0))
    for r in range(s):
        line = [*[row[r] for row in table.Y], *[0] * (m + s), -table.y[r]]
        line[n + m + r] = -1
        rows.append((line, "==", 0))
    rows += table.sum_rows(width - n, [*[0] * (m + s), 1])
    rows.append(([*[0] * (n + m), *q, 1], "==", 1))
    optimum = minimize([*[0] * n, *[-value for value in p], *[0] * s, 1], rows)
    return optimum.value


def super_sbm(table: Table, orientation: str) -> Fraction | None:
    """Return the least δ by which the metrics must change for the others to reach the DMU."""
    side = orientation if table.has_inputs else "output"
    p, q = mean_shares(table, side, inverse=False)
    n, m, s = len(table.Y), len(table.x), table.s
    width = n + m + s + 1
    rows: list[Row] = []
    for i in range(m):
        line: list[Number] = [*[row[i] for row in table.X], *[0] * (m + s), -table.x[i]]
        line[n + i] = -table.x[i] if p[i] else 0
        rows.append((line, "<=", 0))
    for r in range(s):
        line = [*[row[r] for row in table.Y], *[0] * (m + s), -table.y[r]]
        line[n + m + r] = table.y[r] if q[r] else 0
        rows.append((line, ">=", 0))
    rows += table.sum_rows(width - n, [*[0] * (m + s), 1])
    rows.append(([*[0] * (n + m), *[-value for value in q], 1], "==", 1))
    return minimize([*[0] * n, *p, *[0] * s, 1], rows).value


def exact_sbm(ranking: Any) -> list[Exact]:
    """Do `sbm`, against mixtures or single DMUs."""
    orientation = ranking.options.orientation
    answers = []
    for table in tables_of(ranking):
        if ranking.options.technology == "fdh":
            p, q = mean_shares(table, orientation, inverse=True)
            values = [
                (1 - dot(p, spared)) / (1 + dot(q, gained)) for gained, spared in dominating(table)
            ]
            score = min(values, default=None)
            slack = single_slack(table)
        else:
            score = sbm(table, orientation)
            slack = slack_shares(table)
        answers.append(at_best_one(score, slack))
    return answers


def exact_super_sbm(ranking: Any) -> list[Exact]:
    """Do `super-sbm`: where the measure is 1, the others alone."""
    orientation = ranking.options.orientation
    answers = []
    alone = tables_of(ranking, without_itself=True)
    for table, others in zip(tables_of(ranking), alone, strict=True):
        score = sbm(table, orientation)
        if score != 1 or not ranking.own_reference:
            answers.append(at_best_one(score, slack_shares(table)))
            continue
        above = super_sbm(others, orientation)
        slack = slack_shares(table)
        unit = max(1.0, float(above or 1))
        answers.append(Exact(above, unit, slack=slack))
    return answers


def largest_slack(table: Table, weights: Sequence[Fraction], technology: str) -> Fraction | None:
    """Return the largest weighted sum of slacks, weights of outputs first."""
    if technology == "fdh":
        sums = [dot(weights, gained + spared) for gained, spared in dominating(table)]
        return max(sums, default=None)
    n = len(table.Y)
    signs = [1] * table.s + [-1] * len(table.x)
    columns = list(zip(*table.Y, strict=True)) + list(zip(*table.X, strict=True))
    gains = [
        sum(
            (w * sign * column[j] for w, sign, column in zip(weights, signs, columns, strict=True)),
            Fraction(0),
        )
        for j in range(n)
    ]
    optimum = maximize(gains, table.mixtures() + table.sum_rows(0))
    if optimum.value is None:
        return None
    return optimum.value - dot(
        [w * sign for w, sign in zip(weights, signs, strict=True)], table.values
    )


def slack_weights(table: Table, options: Any, names: Sequence[str]) -> list[Fraction]:
    """Return what a unit of slack counts in each metric, outputs first."""
    choice = options.weights
    values = table.values
    columns = list(zip(*table.Y, strict=True)) + list(zip(*table.X, strict=True))
    count = len(values) if table.has_inputs else table.s
    units: list[Fraction] = []
    for c, (value, column) in enumerate(zip(values, columns, strict=True)):
        spread = max(column) - min(column)
        if choice == "ones":
            units.append(Fraction(1))
        elif choice == "mip":
            units.append(value)
        elif choice == "ram":
            units.append(count * spread)
        elif choice == "bam":
            way = max(column) - value if c < table.s else value - min(column)
            units.append(count * max(way, Fraction(0)))
        elif choice == "normalized":
            units.append(deviation(column) if spread else Fraction(0))
        else:
            number = choice[names[c]] if c < len(names) else 0.0
            units.append(1 / fraction(number) if number else Fraction(0))
    may_change = [
        (c < table.s or table.has_inputs)
        and options.orientation in ("none", "output" if c < table.s else "input")
        for c in range(len(values))
    ]
    return [
        1 / unit if unit > 0 and free else Fraction(0)
        for unit, free in zip(units, may_change, strict=True)
    ]


def deviation(column: Sequence[Fraction]) -> Fraction:
    """Return the standard deviation of a sample, to 30 digits."""
    if len(column) < 2:
        return Fraction(0)
    mean = sum(column, Fraction(0)) / len(column)
    variance = sum(((value - mean) ** 2 for value in column), Fraction(0)) / (len(column) - 1)
    return square_root(variance)


def exact_additive(ranking: Any) -> list[Exact]:
    """Do `additive`, `ram` and `bam`."""
    options = ranking.options
    names = metric_names(ranking)
    answers = []
    for table in tables_of(ranking):
        weights = slack_weights(table, options, names)
        score = largest_slack(table, weights, options.technology)
        own = dot(weights, [abs(value) for value in table.values])
        unit = max(float(own), float(score or 0), 0.0)
        if options.weights in ("ram", "bam"):
            unit = max(1.0, float(score or 0))
        slack = slack_of(table, options.technology)
        answers.append(Exact(score, unit, slack=slack, shortfall=0))
    return answers


def exact_russell(ranking: Any) -> list[Exact]:
    """Do `russell` for one side, or both."""
    options = ranking.options
    answers = []
    for table in tables_of(ranking):
        if options.orientation == "none":
            graph = russell_graph(table)
            answers.append(at_best_one(graph, slack_shares(table)))
            continue
        p, q = mean_shares(table, options.orientation, inverse=True)
        total = largest_slack(table, [*q, *p], options.technology)
        score = total
        if total is not None:
            score = 1 / (1 + total) if options.orientation == "output" else 1 - total
        answers.append(at_best_one(score, slack_of(table, options.technology)))
    return answers


def russell_graph(table: Table) -> Fraction | None:
    """Return the mean of θ and 1/φ, with tangents to 1/φ until they agree with it."""
    p, q = mean_shares(table, "none", inverse=False)
    parts = sum(value > 0 for value in p) + sum(value > 0 for value in q)
    p = tuple(Fraction(bool(value), parts) for value in p)
    q = tuple(Fraction(bool(value), parts) for value in q)
    n, m, s = len(table.Y), len(table.x), table.s
    # λ, θ, φ - 1, and what stands for 1/φ
    width = n + m + s + s
    base: list[Row] = []
    for i in range(m):
        line: list[Number] = [*[row[i] for row in table.X], *[0] * (width - n)]
        if p[i]:
            line[n + i] = -table.x[i]
            base.append(([*[0] * (n + i), 1, *[0] * (width - n - i - 1)], "<=", 1))
        base.append((line, "<=", 0 if p[i] else table.x[i]))
    for r in range(s):
        line = [*[row[r] for row in table.Y], *[0] * (width - n)]
        if q[r]:
            line[n + m + r] = -table.y[r]
        base.append((line, ">=", table.y[r]))
    base += table.sum_rows(width - n)
    costs: list[Number] = [*[0] * n, *p, *[0] * s, *q]
    touching: list[set[Fraction]] = [{Fraction(1), Fraction(2), Fraction(16)} for _ in range(s)]
    for _ in range(TANGENT_ROUNDS):
        rows = list(base)
        for r, points in enumerate(touching):
            for phi in points:
                # 1/φ ≥ 2/φ₀ - φ/φ₀², and φ is 1 + its column.
                line = [0] * width
                line[n + m + r] = 1 / phi**2
                line[n + m + s + r] = 1
                rows.append((line, ">=", 2 / phi - 1 / phi**2))
        optimum = minimize(costs, rows)
        if optimum.value is None:
            return None
        factors = [1 + value for value in optimum.point[n + m : n + m + s]]
        thetas = optimum.point[n : n + m]
        measure = dot(p, thetas) + dot(q, [1 / phi for phi in factors])
        if measure - optimum.value <= CLOSE:
            return measure
        for points, phi in zip(touching, factors, strict=True):
            points.add(Fraction(int(phi * 2**TANGENT_BITS), 2**TANGENT_BITS))
    raise ArithmeticError("the tangents do not come close")
