"""Radial efficiencies in exact arithmetic, of one DMU or of weights that are shared."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from benchmarks.exact.simplex import Number, Optimum, maximize, minimize
from benchmarks.exact.table import (
    Exact,
    Row,
    Table,
    Vector,
    fraction,
    metric_names,
    project,
    share,
    slack_shares,
    tables_of,
)


def radial(table: Table, orientation: str, trades: Sequence[Sequence[Number]] = ()) -> Optimum:
    """Return the largest factor of outputs, or the least of inputs."""
    n, count = len(table.Y), len(trades)
    rows: list[Row] = []
    for r, value in enumerate(table.y):
        traded = [trade[r] for trade in trades]
        line = [*[row[r] for row in table.Y], *traded]
        rows.append(
            ([*line, -value], ">=", 0) if orientation == "output" else ([*line, 0], ">=", value)
        )
    for i, value in enumerate(table.x):
        traded = [-trade[table.s + i] for trade in trades]
        line = [*[row[i] for row in table.X], *traded]
        rows.append(
            ([*line, -value], "<=", 0) if orientation == "input" else ([*line, 0], "<=", value)
        )
    rows += table.sum_rows(count + 1)
    factor: list[Number] = [*[0] * (n + count), 1]
    return maximize(factor, rows) if orientation == "output" else minimize(factor, rows)


def radial_score(table: Table, orientation: str, trades: Sequence[Sequence[Number]] = ()) -> Exact:
    """Return the radial efficiency, and the slack at the projection where it is 1 or more."""
    optimum = radial(table, orientation, trades)
    if optimum.value is None or optimum.value == 0:
        return Exact(None, may_lack=True)
    score = 1 / optimum.value if orientation == "output" else optimum.value
    slack = None
    if score >= 1 - Fraction(1, 10**7):
        slack = slack_shares(table.at(project(table, optimum.value, orientation)), trades)
    return Exact(score, max(1.0, float(score)), slack=slack, shortfall=1 - score)


def exact_radial(ranking: Any) -> list[Exact]:
    """Do `wei`, `score`, `ccr`, with restricted weights and bounds of Σ λ."""
    options = ranking.options
    sums = getattr(options, "sums", None)
    names = metric_names(ranking)
    answers = []
    for table in tables_of(ranking):
        trades = restrictions(table, options, names)
        if sums is not None:
            table = Bounded(*vars(table).values(), sums=sums)
        answers.append(radial_score(table, options.orientation, trades))
    return answers


@dataclass(frozen=True)
class Bounded(Table):
    """A table whose Σ λ lies between two numbers."""

    sums: tuple[float, float] = (0.0, math.inf)

    def at(self, values: Sequence[Fraction]) -> Table:
        """Return the same with another DMU."""
        return Bounded(*vars(super().at(values)).values(), sums=self.sums)

    def sum_rows(self, extra: int, right: Sequence[Number] = ()) -> list[Row]:  # noqa: ARG002 - overridden
        """Return the rows of both bounds."""
        ones: list[Number] = [*[1] * len(self.Y), *[0] * extra]
        least, most = self.sums
        rows: list[Row] = [(ones, ">=", fraction(least))] if least > 0 else []
        return rows + ([(ones, "<=", fraction(most))] if most < math.inf else [])


def restrictions(table: Table, options: Any, names: Sequence[str]) -> list[list[Fraction]]:
    """Return the restrictions of weights as rows R of R · (u, v) ≤ 0."""
    rows = []
    place = {name: k for k, name in enumerate(names)}
    for name, (least, most) in (getattr(options, "shares", None) or {}).items():
        metric = place[name]
        side = [(c < table.s) == (metric < table.s) for c in range(len(table.values))]
        whole = [value * is_in for value, is_in in zip(table.values, side, strict=True)]
        alone = [value * (c == metric) for c, value in enumerate(table.values)]
        pairs = list(zip(whole, alone, strict=True))
        if least > 0:
            rows.append([fraction(least) * a - b for a, b in pairs])
        if most < 1:
            rows.append([b - fraction(most) * a for a, b in pairs])
    for (first, second), (least, most) in (getattr(options, "ratios", None) or {}).items():
        for bound, sign in ((least, 1), (most, -1)):
            if bound == math.inf or (bound == 0 and sign > 0):
                continue
            row = [Fraction(0)] * len(table.values)
            row[place[second]] = sign * fraction(bound)
            row[place[first]] = Fraction(-sign)
            rows.append(row)
    return rows


def exact_super(ranking: Any) -> list[Exact]:
    """Do `super`: the others alone; efficient by the whole table."""
    orientation = ranking.options.orientation
    alone = [radial_score(table, orientation) for table in tables_of(ranking, without_itself=True)]
    whole = [radial_score(table, orientation) for table in tables_of(ranking)]
    return [
        Exact(a.score, a.unit, True, b.slack, b.shortfall)
        for a, b in zip(alone, whole, strict=True)
    ]


def exact_fdh(ranking: Any) -> list[Exact]:
    """Do `fdh`: every reference DMU alone."""
    answers = []
    for table in tables_of(ranking):
        orientation = ranking.options.orientation
        if orientation == "output" and not any(table.y):  # any factor makes nothing of nothing
            answers.append(Exact(None))
            continue
        best: Fraction | None = None
        peers = []
        for Y, X in zip(table.Y, table.X, strict=True):
            if orientation == "output":
                if not all(a <= b for a, b in zip(X, table.x, strict=True)):
                    continue
                level = min(a / b for a, b in zip(Y, table.y, strict=True) if b)
            else:
                if not all(a >= b for a, b in zip(Y, table.y, strict=True)):
                    continue
                if any(a and not b for a, b in zip(X, table.x, strict=True)):
                    continue
                level = -max(a / b for a, b in zip(X, table.x, strict=True) if b)
            best = level if best is None else max(best, level)
            peers.append((level, Y, X))
        if not best:
            answers.append(Exact(None, may_lack=True))
            continue
        score = 1 / best if orientation == "output" else -best
        point = table.at(project(table, abs(best), orientation))
        slack = max(single_share(point, Y, X) for level, Y, X in peers if level == best)
        answers.append(Exact(score, max(1.0, float(score)), slack=slack, shortfall=1 - score))
    return answers


def single_share(table: Table, Y: Vector, X: Vector) -> Fraction:
    """Return the largest share that one reference DMU gains in a metric."""
    shares = [share(max(a - b, Fraction(0)), b) for a, b in zip(Y, table.y, strict=True)]
    if table.has_inputs:
        shares += [share(max(b - a, Fraction(0)), b) for a, b in zip(X, table.x, strict=True)]
    return max(shares)


def exact_cross(ranking: Any) -> list[Exact]:
    """Do `cross`: the goal that the weights of each reach, beside their own efficiency.

    The score is the mean of what all weights give a DMU, and weights may not be unique; so what the
    answer's weights reach of the goal takes the place of the score, see `goal_reached`.
    """
    answers = []
    for table in tables_of(ranking):
        own = radial_score(table, "output")
        if own.score is None:
            answers.append(own)
            continue
        value = goal_of_weights(table, Fraction(own.score), ranking.options.goal)
        answers.append(replace(own, score=value, unit=1.0))
    return answers


def goal_of_weights(table: Table, own: Fraction, goal: str) -> Fraction:
    """Return the least, or most, of the others' outputs that optimal weights give, over inputs."""
    others = len(table.Y) - 1
    if not others:
        return own
    X_sum = [
        (sum(c, Fraction(0)) - x) / others
        for c, x in zip(zip(*table.X, strict=True), table.x, strict=True)
    ]
    Y_sum = [
        (sum(c, Fraction(0)) - y) / others
        for c, y in zip(zip(*table.Y, strict=True), table.y, strict=True)
    ]
    rows: list[Row] = [([*[0] * table.s, *X_sum], "==", 1)]
    rows.append(([*table.y, *(-own * value for value in table.x)], "==", 0))
    rows += [
        ([*Y, *(-value for value in X)], "<=", 0) for Y, X in zip(table.Y, table.X, strict=True)
    ]
    find = minimize if goal == "aggressive" else maximize
    value = find([*Y_sum, *[0] * len(X_sum)], rows).value
    assert value is not None
    return value


def exact_common(ranking: Any) -> list[Exact]:
    """Do `common`: the goal that the weights reach, in the place of every score."""
    tables = tables_of(ranking)
    own = [radial_score(table, "output") for table in tables]
    scored = [table for table in tables if any(table.y)]
    Y = tables[0].Y
    s = tables[0].s
    bounded: list[Row] = [([*row, 0], "<=", 1) for row in Y]
    if ranking.options.goal == "sum":
        total = [sum((table.y[r] for table in scored), Fraction(0)) for r in range(s)]
        value = maximize([*total, 0], bounded).value
        assert value is not None
        value /= len(scored)
    else:
        losses: list[Row] = [
            ([*table.y, 1], ">=", exact.score)
            for table, exact in zip(tables, own, strict=True)
            if exact.score is not None
        ]
        value = minimize([*[0] * s, 1], bounded + losses).value
    # Sums and losses are as large as the largest score.
    unit = max(exact.unit for exact in own)
    return [
        exact if exact.score is None else replace(exact, score=value, unit=unit) for exact in own
    ]
