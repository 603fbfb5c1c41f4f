"""A DMU beside a reference as fractions, and what the exact models share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks.exact.simplex import Number, maximize

DECIMAL_DIGITS = 12
"""A number of more significant digits is no decimal that anyone wrote, but a float."""
LARGEST_DENOMINATOR = 10**6
"""Of a quotient of two metrics that a float stands for."""
QUOTIENT_ROUNDING = 2.0**-51
"""By what share floats of decimals make their quotient another one."""
Row = tuple[list[Number], str, Number]
Vector = tuple[Fraction, ...]


@dataclass(frozen=True)
class Exact:
    """What is exactly so of one DMU.

    Attributes
    ----------
    score : Fraction, float or None
        None where there is none: no factor, or none that is finite and above 0.
    unit : float
        A score that is off by 1e-9 of this is wrong.
    may_lack : bool
        Whether "no score" is right, too, by a convention of the package.
    slack : Fraction or None
        The largest share of a metric that is left to gain where the score is the best one; None
        where the score says that the DMU is not efficient.
    shortfall : Fraction or float
        How far the score is from the best one; at most 0 where it is that.
    """

    score: Fraction | float | None
    unit: float = 1.0
    may_lack: bool = False
    slack: Fraction | None = None
    shortfall: Fraction | float = Fraction(0)


@dataclass(frozen=True)
class Table:
    """One DMU against a reference, as fractions."""

    Y: list[Vector]
    X: list[Vector]
    y: Vector
    x: Vector
    returns: str
    has_inputs: bool

    @property
    def s(self) -> int:
        """The number of outputs."""
        return len(self.y)

    @property
    def values(self) -> Vector:
        """The DMU's metrics, outputs first."""
        return self.y + self.x

    def at(self, values: Sequence[Fraction]) -> Table:
        """Return the same with another DMU."""
        return Table(
            self.Y,
            self.X,
            tuple(values[: self.s]),
            tuple(values[self.s :]),
            self.returns,
            self.has_inputs,
        )

    def sum_rows(self, extra: int, right: Sequence[Number] = ()) -> list[Row]:
        """Return the rows of Σ λ, with `extra` other columns; `right` moves 1 to their side."""
        sense = {"vrs": "==", "nirs": "<=", "ndrs": ">="}.get(self.returns)
        if sense is None:
            return []
        others: list[Number] = [-value for value in right] or [0] * extra
        return [([*[1] * len(self.Y), *others], sense, 0 if right else 1)]

    def mixtures(self) -> list[Row]:
        """Return rows under which λ alone reaches the DMU, as coefficients of λ."""
        rows: list[Row] = [
            ([row[r] for row in self.Y], ">=", self.y[r]) for r in range(len(self.y))
        ]
        rows += [([row[i] for row in self.X], "<=", self.x[i]) for i in range(len(self.x))]
        return rows


def fraction(value: float, rounding: float = 0.0) -> Fraction:
    """Return a number as the decimal that it prints as, or as the simple quotient that it rounds.

    Of too many digits and no simple quotient it is the float itself. A quotient of floats may be
    rounded by a share of itself.
    """
    if count_digits(value) <= DECIMAL_DIGITS:
        return Fraction(repr(float(value)))
    quotient = simple_quotient(value, rounding)
    return Fraction(float(value)) if quotient is None else quotient


def simple_quotient(value: float, rounding: float = 0.0) -> Fraction | None:
    """Return the quotient of small numbers that a float stands for; None where there is none."""
    quotient = Fraction(value).limit_denominator(LARGEST_DENOMINATOR)
    is_near = abs(float(quotient) - value) <= rounding * abs(value)
    return quotient if is_near else None


def vectors(
    reference: Any, tested: Any, *, are_quotients: bool = False
) -> tuple[list[Vector], list[Vector]]:
    """Return the rows of two frames with the same metrics as fractions.

    A metric with one number that nobody wrote is one of floats: that another one happens to have
    few digits makes it no decimal. Quotients of a table's decimals are rounded more than once.
    """
    rounding = QUOTIENT_ROUNDING if are_quotients else 0.0
    values = np.vstack([reference.to_numpy(dtype=float), tested.to_numpy(dtype=float)])
    columns = []
    for column in values.T.tolist():
        fractions = [fraction(value, rounding) for value in column]
        if any(is_float(value, rounding) for value in column):
            fractions = [Fraction(value) for value in column]
        columns.append(fractions)
    rows = list(zip(*columns, strict=True))
    return rows[: len(reference)], rows[len(reference) :]


def is_float(value: float, rounding: float = 0.0) -> bool:
    """Return whether a number has too many digits for a decimal and is no simple quotient."""
    return count_digits(value) > DECIMAL_DIGITS and simple_quotient(value, rounding) is None


def count_digits(value: float) -> int:
    """Return how many significant digits a number prints with."""
    return len(repr(float(value)).partition("e")[0].replace(".", "").strip("-0"))


def tables_of(ranking: Any, *, without_itself: bool = False) -> list[Table]:
    """Return the table of each DMU of a ranking."""
    data, reference = ranking.data, ranking.reference
    has_inputs = bool(data.inputs.shape[1])

    Y, y = vectors(reference.outputs, data.outputs, are_quotients=data.has_quotients)
    X, x = [(Fraction(1),)] * len(Y), [(Fraction(1),)] * len(y)
    if has_inputs:
        X, x = vectors(reference.inputs, data.inputs)
    returns = ranking.options.returns if has_inputs else "vrs"
    at = [-1] * len(y)
    if without_itself and ranking.own_reference:
        at = reference.labels.get_indexer(data.labels).tolist()
    return [
        Table(
            [row for j, row in enumerate(Y) if j != at[k]],
            [row for j, row in enumerate(X) if j != at[k]],
            y[k],
            x[k],
            returns,
            has_inputs,
        )
        for k in range(len(y))
    ]


def metric_names(ranking: Any) -> list[str]:
    """Return the names of the outputs, then of the inputs."""
    return [*ranking.data.outputs.columns, *ranking.data.inputs.columns]


def share(slack: Fraction, value: Fraction) -> Fraction:
    """Return a slack as a share of what it leads to, or leads from, whichever is larger."""
    return slack / (slack + abs(value)) if slack else Fraction(0)


def slack_shares(table: Table, rows: Sequence[Sequence[Number]] = ()) -> Fraction | None:
    """Return the largest share that a metric can gain at the DMU itself; None if it is not reached.

    `rows` are trade-offs: what each adds to the outputs, and takes from the inputs.
    """
    n, count = len(table.Y), len(table.values)
    width = n + count + len(rows)
    constraints: list[Row] = []
    gains: list[Number] = [0] * width
    for c, value in enumerate(table.values):
        is_output = c < table.s
        made = [
            row[c] if is_output else row[c - table.s] for row in (table.Y if is_output else table.X)
        ]
        line: list[Number] = [*made, *[0] * (width - n)]
        line[n + c] = -1 if is_output else 1
        for k, trade in enumerate(rows):
            line[n + count + k] = trade[c] if is_output else -trade[c]
        constraints.append((line, "==", value))
        if is_output or table.has_inputs:
            gains[n + c] = 1 / abs(value) if value else 1
    constraints += table.sum_rows(width - n)
    optimum = maximize(gains, constraints)
    if optimum.status == "infeasible":
        return None
    if optimum.status == "unbounded":
        return Fraction(1)
    return max(
        share(optimum.point[n + c], value)
        for c, value in enumerate(table.values)
        if c < table.s or table.has_inputs
    )


def dominating(table: Table) -> list[tuple[list[Fraction], list[Fraction]]]:
    """Return what each single reference DMU that is nowhere worse gains, and spares."""
    pairs = []
    for Y, X in zip(table.Y, table.X, strict=True):
        gained = [a - b for a, b in zip(Y, table.y, strict=True)]
        spared = [b - a for a, b in zip(X, table.x, strict=True)]
        if min(gained + spared) >= 0:
            pairs.append((gained, spared))
    return pairs


def single_slack(table: Table) -> Fraction | None:
    """Return the largest share that a single reference DMU gains; None where none reaches it."""
    shares = [
        share(slack, value)
        for gained, spared in dominating(table)
        for slack, value in zip(
            gained + (spared if table.has_inputs else []), table.values, strict=False
        )
    ]
    return max(shares, default=None)


def slack_of(table: Table, technology: str) -> Fraction | None:
    """Return the largest share to gain at the DMU itself, by mixtures or by single DMUs."""
    return single_slack(table) if technology == "fdh" else slack_shares(table)


def project(table: Table, factor: Fraction, orientation: str) -> list[Fraction]:
    """Return the metrics with outputs, or inputs, times a factor."""
    grown = factor if orientation == "output" else 1
    shrunk = factor if orientation == "input" else 1
    return [*(value * grown for value in table.y), *(value * shrunk for value in table.x)]


def dot(a: Sequence[Number], b: Sequence[Number]) -> Fraction:
    """Return the inner product."""
    return sum((Fraction(x) * y for x, y in zip(a, b, strict=True)), Fraction(0))


def square_root(value: Fraction) -> Fraction:
    """Return a square root to about 40 digits."""
    scale = 10**40
    while 0 < value * scale < 10**40:
        scale *= 10**20
    return Fraction(math.isqrt(int(value * scale * scale)), scale)
