"""Directional and Hölder distances in exact arithmetic: `ddf`, `rdm`, `holder`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from benchmarks.exact.simplex import maximize
from benchmarks.exact.slacks import slack_weights
from benchmarks.exact.table import (
    Exact,
    Row,
    Table,
    dot,
    fraction,
    metric_names,
    share,
    slack_of,
    slack_shares,
    square_root,
    tables_of,
)


def directions(table: Table, options: Any, names: Sequence[str]) -> list[Fraction]:
    """Return the step of each metric, outputs first; inputs move downwards."""
    choice = options.direction
    columns = list(zip(*table.Y, strict=True)) + list(zip(*table.X, strict=True))
    steps: list[Fraction] = []
    for c, (value, column) in enumerate(zip(table.values, columns, strict=True)):
        if choice == "own":
            steps.append(value)
        elif choice == "ones":
            steps.append(Fraction(1))
        elif choice == "mean":
            steps.append(sum(column, Fraction(0)) / len(column))
        elif choice == "range":
            steps.append(max(column) - min(column))
        elif choice == "ideal":
            way = max(column) - value if c < table.s else value - min(column)
            steps.append(max(way, Fraction(0)))
        else:
            steps.append(fraction(choice[names[c]]) if c < len(names) else Fraction(0))
    return [
        step
        if (c < table.s or table.has_inputs)
        and options.orientation in ("none", "output" if c < table.s else "input")
        else Fraction(0)
        for c, step in enumerate(steps)
    ]


def steps_of_the_best(table: Table, orientation: str) -> list[Fraction]:
    """Return the step of a DMU with the best value of every metric: one power of two for each.

    The one next below the reference's largest value, or below the DMU's own where that is 0, so
    that no unit changes the distance. Where both are 0 there is no unit and no step, unless that
    holds for every metric.
    """
    columns = list(zip(*table.Y, strict=True)) + list(zip(*table.X, strict=True))
    moves = [(c < table.s) == (orientation != "input") for c in range(len(columns))]
    sizes = [
        (max(map(abs, column)) or abs(value)) * is_moved
        for value, column, is_moved in zip(table.values, columns, moves, strict=True)
    ]
    if not any(sizes):
        sizes = [Fraction(is_moved) for is_moved in moves]
    return [Fraction(2) ** math.floor(math.log2(size)) if size else Fraction(0) for size in sizes]


def distance(
    table: Table, steps: Sequence[Fraction], technology: str = "convex"
) -> Fraction | None:
    """Return how many steps lead to the frontier, below 0 from outside; None where none does."""
    if technology == "fdh":
        return max(single_distances(table, steps), default=None)
    n = len(table.Y)
    rows: list[Row] = []
    for coefficients, sense, right in table.mixtures():
        step = steps[len(rows)]
        sign = -1 if sense == ">=" else 1
        rows.append(([*coefficients, sign * step, -sign * step], sense, right))
    rows += table.sum_rows(2)
    return maximize([*[0] * n, 1, -1], rows).value


def single_distances(table: Table, steps: Sequence[Fraction]) -> list[Fraction]:
    """Return how many steps lead to each single reference DMU that can be reached."""
    distances = []
    for Y, X in zip(table.Y, table.X, strict=True):
        gains = [a - b for a, b in zip(Y, table.y, strict=True)]
        gains += [b - a for a, b in zip(X, table.x, strict=True)]
        pairs = list(zip(gains, steps, strict=True))
        if all(gain >= 0 for gain, step in pairs if not step):
            distances.append(min(gain / step for gain, step in pairs if step))
    return distances


def moved(table: Table, steps: Sequence[Fraction], beta: Fraction) -> Table:
    """Return the table with the DMU so many steps further."""
    signs = [1] * table.s + [-1] * len(table.x)
    return table.at(
        [
            value + sign * beta * step
            for value, sign, step in zip(table.values, signs, steps, strict=True)
        ]
    )


def exact_directional(ranking: Any) -> list[Exact]:
    """Do `ddf` and `rdm`."""
    options = ranking.options
    names = metric_names(ranking)
    answers = []
    for table in tables_of(ranking):
        steps = directions(table, options, names)
        if not any(steps):  # at the best value of all: any direction leads nowhere
            steps = steps_of_the_best(table, options.orientation)
        beta = distance(table, steps, options.technology)
        if beta is None:
            answers.append(Exact(None))
            continue
        share_of_step = float(
            max(
                step / (step + abs(value))
                for step, value in zip(steps, table.values, strict=True)
                if step
            )
        )
        # In the metrics' own units a step may be any share of a DMU's values.
        is_own_unit = options.direction == "ones" or not isinstance(options.direction, str)
        answers.append(
            Exact(
                1 - beta if options.name == "rdm" else beta,
                max(abs(float(beta)), 1 / share_of_step if is_own_unit else 1.0),
                slack=slack_of(moved(table, steps, beta), options.technology),
                shortfall=beta
                * max(share(step, value) for step, value in zip(steps, table.values, strict=True)),
            )
        )
    return answers


def exact_holder(ranking: Any) -> list[Exact]:
    """Do `holder`: the least change in a norm that reaches the weakly efficient frontier."""
    options = ranking.options
    names = metric_names(ranking)
    answers = []
    for table in tables_of(ranking):
        weights = slack_weights(table, options, names)
        inverse = [1 / weight if weight else Fraction(0) for weight in weights]
        if slack_shares(table) is None:
            answers.append(Exact(None))
            continue
        if options.norm in ("linf", math.inf):
            score: Fraction | None = distance(table, inverse)
        elif options.norm in ("l1", 1):
            ways = [
                distance(table, [step if c == k else Fraction(0) for c, step in enumerate(inverse)])
                for k in range(len(inverse))
                if inverse[k]
            ]
            score = min((way for way in ways if way is not None), default=None)
        else:
            score = nearest_plane(table, inverse)
        own = float(sum(w * abs(value) for w, value in zip(weights, table.values, strict=True)))
        unit = max(float(score or 0), own)
        shortfall = (score or 0) / Fraction(max(own, 1.0))
        answers.append(Exact(score, unit, slack=slack_shares(table), shortfall=shortfall))
    return answers


def nearest_plane(table: Table, inverse: Sequence[Fraction]) -> Fraction | None:
    """Return the distance in L2 to the nearest hyperplane that bounds the technology."""
    best: Fraction | None = None
    point = [*table.y, *(-value for value in table.x)]
    for normal, offset in supporting_planes(table):
        length = sum(
            ((w * step) ** 2 for w, step in zip(normal, inverse, strict=True)), Fraction(0)
        )
        if not length:
            continue
        squared = (offset - dot(normal, point)) ** 2 / length
        best = squared if best is None else min(best, squared)
    return None if best is None else square_root(best)


def supporting_planes(table: Table) -> list[tuple[list[Fraction], Fraction]]:
    """Return the hyperplanes w·z = c through enough points and rays, with all on one side."""
    d = len(table.values)
    rows = [[*Y, *(-value for value in X)] for Y, X in zip(table.Y, table.X, strict=True)]
    nothing = [Fraction(0)] * d
    # Points are bounded by c, rays by 0; both as rows (z, 1) and (z, 0) of (w, -c).
    points = {"vrs": rows, "crs": [nothing], "nirs": [*rows, nothing], "ndrs": rows}[table.returns]
    rays = rows if table.returns in ("crs", "ndrs") else []
    disposal = [[Fraction(-(c == k)) for c in range(d)] for k in range(d)]
    generators = [[*row, Fraction(1)] for row in points]
    generators += [[*row, Fraction(0)] for row in [*rays, *disposal]]
    planes = []
    for chosen in itertools.combinations(generators, d):
        plane = null_vector(list(chosen))
        if plane is None:
            continue
        for sign in (1, -1):
            turned = [sign * value for value in plane]
            if all(dot(turned, row) <= 0 for row in generators):
                planes.append((turned[:d], -turned[d]))
    return planes


def null_vector(rows: list[list[Fraction]]) -> list[Fraction] | None:
    """Return a vector that is 0 on d rows of d + 1 numbers; None where there are several."""
    rows = [list(row) for row in rows]
    width = len(rows[0])
    pivots: list[int] = []
    for column in range(width):
        i = len(pivots)
        found = next((k for k in range(i, len(rows)) if rows[k][column]), None)
        if found is None:
            continue
        rows[i], rows[found] = rows[found], rows[i]
        pivot = rows[i][column]
        rows[i] = [value / pivot for value in rows[i]]
        for k in range(len(rows)):
            if k != i and rows[k][column]:
                factor = rows[k][column]
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i], strict=True)]
        pivots.append(column)
    if len(pivots) < width - 1:
        return None
    free = next(c for c in range(width) if c not in pivots)
    vector = [Fraction(0)] * width
    vector[free] = Fraction(1)
    for i, column in enumerate(pivots):
        vector[column] = -rows[i][free]
    return vector
