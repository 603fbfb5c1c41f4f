"""Repair λ and weights in fractions, from the floats as they are: no solver, linear equations only.

See `deabench.proofs.bounds` for what is repaired and why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from deabench.utils.arrays import ROUND, Sparse
from deabench.utils.rational import inner_product, to_fractions

Vector = list[Fraction]
Limits = Sequence[Fraction | None]
"""What each weight is to be at most; None where it may be anything."""
MET = Fraction(1, 10**12)
"""A gain below this share of its terms may be rounding."""
POLISH = 1e-7
"""λ below this share of the largest, and weights so near to their least, do not count in a polish.
"""


@dataclass(frozen=True, eq=False)
class Technology:
    """What combinations of reference DMUs can do.

    Attributes
    ----------
    points : array (n, c)
        Outputs, then inputs with their sign turned.
    inputs : int
        The number of inputs.
    sums : (float, float)
        The bounds of Σ λ.
    listed : int array, optional
        Points that bound all others, for weights that are not negative; all without it.
    """

    points: np.ndarray
    inputs: int
    sums: tuple[float, float]
    listed: np.ndarray | None = None

    @property
    def bounding_points(self) -> np.ndarray:
        """The points that bound all others."""
        return self.points if self.listed is None else self.points[self.listed]

    @property
    def can_be_multiplied(self) -> bool:
        """Whether Σ λ has no upper bound."""
        return bool(np.isinf(self.sums[1]))


def exact_gains(
    technology: Technology,
    tested: np.ndarray,
    lam: Sparse,
    k: int,
    held: np.ndarray,
    moved: np.ndarray,
) -> Iterator[Vector]:
    """Yield exact gains (c,) of DMU k's λ, repaired in fractions; none where it cannot be.

    What is held is met exactly where λ meets it but for rounding, and then where λ falls short of
    it alone. The entries above 0 are moved; where that fails those, too, that rounding left at 0.
    Where Σ λ is free, and all but at its bound of 1, λ is last moved to that.
    """
    attempts = [(lam.values[k] > 0, False), (lam.columns[k] >= 0, False)]
    # Floats may add up to 1 where their sum is not quite that.
    distance_from_bound = abs(sum(to_fractions(lam.values[k]), Fraction(0)) - 1)
    if 1.0 in technology.sums and 0 < distance_from_bound <= POLISH:
        attempts.append((lam.values[k] > 0, True))
    for is_polished in (True, False):
        for entries, keeps_sum in attempts:
            rows = np.flatnonzero(entries)
            gains = _exact_gains(
                technology, tested, lam, k, held, moved, rows, is_polished, keeps_sum
            )
            if gains is not None:
                yield gains
                break


def _exact_gains(
    technology: Technology,
    tested: np.ndarray,
    lam: Sparse,
    k: int,
    held: np.ndarray,
    moved: np.ndarray,
    entries: np.ndarray,
    is_polished: bool,
    keeps_sum: bool,
) -> Vector | None:
    """Do `exact_gains` by moves of some entries of λ; `keeps_sum` takes Σ λ for one at a bound."""
    least_sum, greatest_sum = technology.sums
    tested_point = to_fractions(tested)
    lam_values = to_fractions(lam.values[k][entries])
    points = [to_fractions(technology.points[j]) for j in lam.columns[k][entries]]
    total = sum(lam_values, Fraction(0))
    is_at_bound = keeps_sum or not least_sum < total < greatest_sum
    aim = [z + w for z, w in zip(tested_point, to_fractions(moved), strict=True)]
    # At a bound of Σ λ, or beyond it, moved λ are divided by their sum: each counts from what it is
    # to reach.
    is_one = is_at_bound and bool(total)
    zero = [Fraction(0)] * len(aim)
    origin = zero
    if is_one:
        origin = aim
    differences = [[z - o for z, o in zip(point, origin, strict=True)] for point in points]
    # An entry moves by shares of itself; one of 0 by shares of 1.
    scales = [value or Fraction(1) for value in lam_values]
    moves = [
        [scale * d for d in difference]
        for scale, difference in zip(scales, differences, strict=True)
    ]
    # What the point is beyond Σ moves; at a bound Σ λ is 1, or nothing is reached.
    shift = [o - z for o, z in zip(origin, aim, strict=True)]
    unmoved_gains = [
        inner_product(lam_values, [d[c] for d in differences]) + shift[c] for c in range(len(aim))
    ]
    repaired = move_to_held(moves, unmoved_gains, np.flatnonzero(held).tolist(), is_polished)
    if repaired is None:
        return None
    eta, gains = repaired
    changed = [v + e * scale for v, e, scale in zip(lam_values, eta, scales, strict=True)]
    if min(changed, default=Fraction(0)) < 0:
        return None
    moved_total = sum(changed, Fraction(0))
    if is_one:
        # Moved λ are divided by their sum, which changes no sign.
        if not moved_total:
            return None
        return [gain / moved_total for gain in gains]
    if least_sum <= moved_total <= greatest_sum:
        return gains
    return None


def move_to_held(
    moves: list[Vector], unmoved_gains: Vector, held: list[int], is_polished: bool
) -> tuple[Vector, Vector] | None:
    """Return the least shares by which entries move until nothing that is held falls short.

    Parameters
    ----------
    moves : list of Vector (c,)
        What each entry gains by a move of 1.
    unmoved_gains : Vector (c,)
        What falls short is below 0.
    held : list of int
    is_polished : bool
        Whether what is met but for rounding is met exactly, too.

    Returns
    -------
    tuple of Vector or None
        The shares (entries,) and the gains (c,) after the move; None where there is no such move.
    """
    eta = [Fraction(0)] * len(moves)
    gains = unmoved_gains
    met: list[int] = []
    if is_polished:
        met = [c for c in held if abs(gains[c]) <= MET * sum(abs(move[c]) for move in moves)]
        if not met:
            return None
    # Each round adds a metric or ends: then no gain that is held is below 0.
    short: list[int] = []
    for _ in range(len(unmoved_gains) + 1):
        broken = [c for c in held if (gains[c] < 0 or c in met) and c not in short]
        if not broken:
            break
        short += broken
        # η = Mᵀ μ with M Mᵀ μ = - what falls short: the least shares that make it 0.
        rows = [[move[c] for move in moves] for c in short]
        gram = [[inner_product(a, b) for b in rows] for a in rows]
        solved = solve(gram, [-unmoved_gains[c] for c in short])
        if solved is None:
            return None
        eta = [inner_product(solved, [row[p] for row in rows]) for p in range(len(moves))]
        gains = [
            inner_product(eta, [move[c] for move in moves]) + unmoved_gains[c]
            for c in range(len(gains))
        ]
    return eta, gains


def polished_weights(
    technology: Technology,
    weights: np.ndarray,
    lam: Sparse,
    k: int,
    least_weights: np.ndarray,
    trade_offs: Sequence[Vector] = (),
    largest_weights: Limits | None = None,
) -> Vector | None:
    """Return weights under which DMU k's peers are worth exactly the most; None if there are none.

    Weights move by shares of themselves, as little as possible; those at their least, or their
    largest, stay there. Under them the `trade_offs` (c,) that the DMU makes are worth nothing.
    """
    exact, is_free = settle_at_limits(weights, least_weights, largest_weights)
    values = lam.values[k]
    # A small share of a large peer may be most of a small DMU's metric.
    parts = np.abs(technology.points[np.maximum(lam.columns[k], 0)]) * values[:, None]
    is_part = (parts > POLISH * parts.max(axis=0, initial=0.0)).any(axis=1)
    used = np.flatnonzero(is_part | (values > POLISH * values.max(initial=0.0)))
    peers = [to_fractions(technology.points[j]) for j in lam.columns[k][used]]
    if not peers:
        return None
    least_sum, greatest_sum = technology.sums
    total = values[used].sum()
    # Peers are worth the same; nothing, where Σ λ is between its bounds.
    is_between = total > least_sum * (1 + POLISH) and total < greatest_sum * (1 - POLISH)
    origin = [Fraction(0)] * len(exact)
    if not is_between:
        origin = peers.pop(0)
    rows = [[w * (z - o) for w, z, o in zip(exact, peer, origin, strict=True)] for peer in peers]
    rows += [[w * z for w, z in zip(exact, trade_off, strict=True)] for trade_off in trade_offs]
    if not rows:
        return None
    free_rows = [[v for v, free in zip(row, is_free, strict=True) if free] for row in rows]
    gram = [[inner_product(a, b) for b in free_rows] for a in free_rows]
    solved = solve(gram, [-sum(row, Fraction(0)) for row in rows])
    if solved is None:
        return None
    eta = iter(
        [inner_product(solved, [row[c] for row in free_rows]) for c in range(int(is_free.sum()))]
    )
    polished = [w * (1 + next(eta)) if free else w for w, free in zip(exact, is_free, strict=True)]
    if min(polished) < 0:
        return None
    return keep_limits(polished, least_weights, largest_weights)


def settle_at_limits(
    weights: np.ndarray, least_weights: np.ndarray, largest_weights: Limits | None
) -> tuple[Vector, np.ndarray]:
    """Return weights in fractions, and which of them, bool (c,), are at neither of their limits.

    Those that rounding keeps from their largest are exactly that.
    """
    exact = to_fractions(weights)
    is_free = weights > least_weights * (1 + POLISH)
    for c, limit in enumerate(largest_weights or ()):
        if limit is not None and weights[c] >= limit * (1 - Fraction(POLISH)):
            exact[c] = limit
            is_free[c] = False
    return exact, is_free


def keep_limits(
    weights: Vector, least_weights: np.ndarray, largest_weights: Limits | None
) -> Vector:
    """Return weights that are nowhere below their least and above their largest."""
    bounded = [max(a, b) for a, b in zip(weights, to_fractions(least_weights), strict=True)]
    for c, limit in enumerate(largest_weights or ()):
        if limit is not None:
            bounded[c] = min(bounded[c], limit)
    return bounded


def exact_excess(
    technology: Technology, tested: np.ndarray, exact: Vector
) -> tuple[Fraction, Vector] | None:
    """Return the exact h - w·tested and the weights, inputs' raised; None if nothing bounds it.

    The weights are not negative.
    """
    outputs = len(exact) - technology.inputs
    least_sum, greatest_sum = technology.sums
    bounding_points = technology.bounding_points
    if not len(bounding_points):
        return None
    # Floats rule out most points: those that are worth less than another one, and no more than 0.
    weights = np.array(exact, dtype=float)
    worth = bounding_points @ weights
    error = ROUND * (np.abs(bounding_points) @ weights)
    least_worth = (worth - error).max()
    if technology.can_be_multiplied:
        least_worth = min(least_worth, 0.0)
    points = [to_fractions(row) for row in bounding_points[worth + error >= least_worth]]
    if technology.can_be_multiplied:
        factor = Fraction(1)
        for point in points:
            gain = inner_product(exact[:outputs], point[:outputs])
            cost = -inner_product(exact[outputs:], point[outputs:])
            if gain > factor * cost:
                if not cost:
                    return None
                factor = gain / cost
        exact = exact[:outputs] + [value * factor for value in exact[outputs:]]
    best = max(inner_product(exact, point) for point in points)
    value = Fraction(least_sum) * min(best, Fraction(0))
    if not technology.can_be_multiplied:
        value += Fraction(greatest_sum) * max(best, Fraction(0))
    return value - inner_product(exact, to_fractions(tested)), exact


def raise_input_weights(
    technology: Technology, weights: np.ndarray, rows: np.ndarray, columns: np.ndarray
) -> np.ndarray:
    """Return weights under which no reference DMU is worth more than 0; infinite where none are.

    `rows` and `columns` (p,) are the weights and the bounding points that may be worth more.
    """
    outputs = technology.points.shape[1] - technology.inputs
    points = technology.bounding_points[columns]
    gain = (weights[rows, :outputs] * points[:, :outputs]).sum(axis=1)
    cost = -(weights[rows, outputs:] * points[:, outputs:]).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        # What costs nothing is worth more than 0 however weights are raised: 0 has two signs.
        ratio = np.where(cost > 0, gain / cost, np.inf)
        ratio = np.where(gain > 0, ratio, 0.0)
    factor = np.ones(len(weights))
    np.maximum.at(factor, rows, ratio)
    # What is raised at all is raised beyond the rounding of its ratio.
    is_raised = np.zeros(len(weights), dtype=bool)
    is_raised[rows] = True
    factor = np.where(is_raised, factor * (1 + 4 * ROUND), 1.0)
    raised = weights.copy()
    is_unbounded = np.isinf(factor)
    raised[:, outputs:] *= np.where(is_unbounded, 1.0, factor)[:, None]
    raised[is_unbounded] = np.inf
    return raised


def solve(matrix: Sequence[Vector], right: Vector) -> Vector | None:
    """Return a solution of linear equations in fractions; None where there is none."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    width = len(matrix[0])
    pivots: list[int] = []
    for column in range(width):
        i = len(pivots)
        # Gauss-Jordan: the first row with an entry in this column becomes its pivot row.
        pivot_row = next((k for k in range(i, len(rows)) if rows[k][column]), None)
        if pivot_row is None:
            continue
        rows[i], rows[pivot_row] = rows[pivot_row], rows[i]
        pivot = rows[i][column]
        rows[i] = [value / pivot for value in rows[i]]
        for k, row in enumerate(rows):
            if k != i and row[column]:
                factor = row[column]
                rows[k] = [a - factor * b for a, b in zip(row, rows[i], strict=True)]
        pivots.append(column)
    # A row without coefficients and with a right side contradicts the others.
    if any(row[-1] for row in rows[len(pivots) :]):
        return None
    # Columns without a pivot are free and stay 0.
    solution = [Fraction(0)] * width
    for i, column in enumerate(pivots):
        solution[column] = rows[i][-1]
    return solution


def match_numbers(values: np.ndarray, like: np.ndarray) -> np.ndarray:
    """Return floats (k, c) as fractions where an array that they are computed with has these."""
    if like.dtype != object:
        return values
    return np.array([to_fractions(row) for row in values], dtype=object)


def exact_products(points: np.ndarray, origin: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return weights·(point - origin), in fractions, for points (n, c) and weights (T, c): (n, T).

    Nothing is rounded before the products are floats.
    """
    start = to_fractions(origin)
    exact_weights = [to_fractions(row) for row in weights]
    products = np.empty((len(points), len(weights)))
    for k, point in enumerate(points):
        change = [p - q for p, q in zip(to_fractions(point), start, strict=True)]
        products[k] = [float(inner_product(row, change)) for row in exact_weights]
    return products
