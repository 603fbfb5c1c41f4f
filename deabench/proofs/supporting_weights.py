"""Weights, exact, under which a DMU is worth as much as anything that the reference can do.

Floats that stand for the weights of a hyperplane through several reference DMUs miss these by their
last digits, and where values span many orders of magnitude these digits are worth more than a
small metric. Moved by shares of themselves until the DMUs that they miss are met exactly, they
prove in fractions that no metric of the tested DMU has slack.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from deabench.proofs.exact_repair import (
    POLISH,
    Limits,
    Technology,
    Vector,
    keep_limits,
    polished_weights,
    settle_at_limits,
    solve,
)
from deabench.utils.arrays import ROUND, Sparse
from deabench.utils.rational import inner_product, to_fractions

NEAR = 1e-6
"""A constraint that weights hold by more than this share of its terms is held after the repair."""
MOVE = Fraction(1, 10**7)
"""The weights move by no more than this share of themselves."""


def has_supporting_weights(
    points: np.ndarray,
    supported: np.ndarray,
    weights: np.ndarray,
    returns: str,
) -> bool:
    """Return whether weights near some give no combination more than each of some points.

    Parameters
    ----------
    points : array (n, c)
        Of the reference: outputs, then inputs with their sign turned.
    supported : array (c,) or (k, c)
        A tested point, or those of a mixture.
    weights : array (c,)
        Not negative; one that is 0 stays 0, the others stay positive.
    returns : {"crs", "vrs", "nirs", "ndrs"}
    """
    rows: list[Vector] = []
    for point in np.atleast_2d(supported):
        constraints = _near_constraints(points, point, weights, returns)
        if constraints is None:
            return False
        rows += constraints
    # By shares of themselves weights of 0 do not move, and no weight becomes 0.
    is_free = np.ones(len(weights), dtype=bool)
    return _move_to_hold(rows, to_fractions(weights), is_free) is not None


def free_term_errors(
    technology: Technology,
    tested: np.ndarray,
    lam: Sparse,
    weights: np.ndarray,
    support: np.ndarray,
    distance: np.ndarray,
    left_out: np.ndarray | None = None,
) -> np.ndarray:
    """Return by how much u_0 is not what the weights allow, beyond rounding, (K,).

    Parameters
    ----------
    support : array (K,)
        What the weights give to any combination at most.
    distance : array (K,)
        By how much u_0 differs from it.
    left_out : int array (K,), optional
        The point that each is not compared with; all others are listed then.
    """
    # It is what the peers are worth, and rounded as the terms of that are.
    peers = np.abs(technology.points[np.maximum(lam.columns, 0)])
    peer_terms = np.einsum("kpc,kc->kp", peers, weights) * (lam.values > 0)
    terms = np.abs(support) + (weights * np.abs(tested)).sum(axis=1) + peer_terms.max(axis=1)
    # Weights that allow anything have no free term.
    rounding = np.where(np.isfinite(support), ROUND * terms, 0.0)
    errors: np.ndarray = np.maximum(distance - rounding, 0.0)
    # Other points that are worth as much may have larger terms.
    points = technology.bounding_points
    for k in np.flatnonzero((errors > 0) & np.isfinite(errors)).tolist():
        roundings = ROUND * (np.abs(points) @ weights[k])
        values = points @ weights[k]
        if left_out is not None:
            values[left_out[k]] = -np.inf
        is_best = values + roundings >= (values - roundings).max()
        errors[k] = max(errors[k] - 2 * roundings[is_best].max(), 0.0)
    return errors


def tighten_weights(
    technology: Technology,
    compared: Technology,
    weights: np.ndarray,
    lam: Sparse,
    k: int,
    least_weights: np.ndarray,
    trade_offs: Sequence[Vector] = (),
    largest_weights: Limits | None = None,
) -> Vector | None:
    """Return weights near some under which nothing is worth more than DMU k's peers; None if none.

    Those at their least, or their largest, stay there. The peers are points of `technology`; the
    DMU is compared with `compared`, perhaps without one of them. Weights that are not negative move
    by too little to become so. Under them no trade-off (c,) is worth more than nothing.
    """
    values = lam.values[k]
    is_peer = values > 0
    if not is_peer.any():
        return None
    # All peers are worth the same, and nothing where Σ λ is between its bounds. At the greatest sum
    # they are not worth less than nothing, at the least one not more.
    least_sum, greatest_sum = technology.sums
    total = values[is_peer].sum()
    is_least = least_sum > 0 and abs(total / least_sum - 1) <= POLISH
    is_greatest = abs(total / greatest_sum - 1) <= POLISH
    returns = {
        (False, False): "crs",
        (True, False): "ndrs",
        (False, True): "nirs",
        (True, True): "vrs",
    }[is_least, is_greatest]
    peer = technology.points[lam.columns[k][int(np.argmax(values))]]
    rows = _near_constraints(compared.bounding_points, peer, weights, returns)
    if rows is None:
        return None
    rows += [[-value for value in trade_off] for trade_off in trade_offs]
    exact, is_free = settle_at_limits(weights, least_weights, largest_weights)
    moved = _move_to_hold(rows, exact, is_free)
    if moved is None:
        return None
    return keep_limits(moved, least_weights, largest_weights)


def exact_candidates(
    technology: Technology,
    weights: np.ndarray,
    lam: Sparse,
    k: int,
    least_weights: np.ndarray,
    largest_weights: Limits | None,
    left_out: int | None,
) -> list[tuple[Technology, Vector]]:
    """Return weights in fractions that keep their limits and may bound DMU k's score.

    They are those that it has, those at their limits, those under which its peers are worth exactly
    the most, and those under which nothing that it is compared with is worth more than its peers.
    With each stands what combinations they are to bound.
    """
    compared = technology
    if left_out is not None:
        listed = technology.listed
        if listed is None:
            listed = np.arange(len(technology.points))
        compared = replace(technology, listed=listed[listed != left_out])
    candidates = [keep_limits(to_fractions(weights), least_weights, largest_weights)]
    if largest_weights is not None:
        candidates.append(settle_at_limits(weights, least_weights, largest_weights)[0])
    polished = polished_weights(
        technology, weights, lam, k, least_weights, largest_weights=largest_weights
    )
    tightened = tighten_weights(
        technology, compared, weights, lam, k, least_weights, largest_weights=largest_weights
    )
    candidates += [repaired for repaired in (polished, tightened) if repaired is not None]
    pairs = [(compared, candidate) for candidate in candidates]
    if not compared.can_be_multiplied and lam.values[k].sum() < compared.sums[1]:
        # Where Σ λ is below its greatest value, more of it gains nothing: weights under which no
        # DMU is worth more than 0, however often it is taken, are as good.
        cone = replace(compared, sums=(0.0, np.inf))
        pairs += [(cone, candidate) for candidate in candidates]
    return pairs


def _near_constraints(
    points: np.ndarray, tested: np.ndarray, weights: np.ndarray, returns: str
) -> list[Vector] | None:
    """Return the exact rows r of r·w >= 0 that floats leave open; None where one does not hold."""
    own_factors, positions = _constraint_rows(len(points), returns)
    # The point behind the last is 0.
    padded = np.vstack([points, np.zeros(points.shape[1])])
    terms = (own_factors[:, None] * tested - padded[positions]) * weights
    value = terms.sum(axis=1)
    size = np.abs(terms).sum(axis=1)
    if (value < -NEAR * size).any():
        return None
    # The few that rounding leaves open are computed from the values as they are.
    own = to_fractions(tested)
    return [
        [
            int(own_factors[i]) * y - z
            for y, z in zip(own, to_fractions(padded[positions[i]]), strict=True)
        ]
        for i in np.flatnonzero(value <= NEAR * size).tolist()
    ]


def _constraint_rows(count: int, returns: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the constraints f·tested - point, by f and the position of the point (-1: none).

    No reference DMU is worth more than the tested point. Where combinations can be multiplied none
    is worth more than 0, and where they can be shrunk the tested point is not worth less than 0.
    """
    everyone = np.arange(count)
    own_factors = []
    positions = []
    if returns != "crs":
        own_factors.append(np.ones(count))
        positions.append(everyone)
    if returns in ("crs", "ndrs"):
        own_factors.append(np.zeros(count))
        positions.append(everyone)
    if returns in ("crs", "nirs"):
        own_factors.append(np.ones(1))
        positions.append(np.array([-1]))
    return np.concatenate(own_factors), np.concatenate(positions)


def _move_to_hold(rows: list[Vector], weights: Vector, is_free: np.ndarray) -> Vector | None:
    """Return weights near some with row·weights >= 0 for each row; None if none are met with.

    Only those that are free, bool (c,), move.

    The constraint that is broken most, as a share of its terms, becomes an equation, until none is.
    What is broken does not follow from the equations before: there are no more than free weights.
    """
    moved = weights
    active: list[Vector] = []
    while True:
        worst = None
        largest_share = Fraction(0)
        for row in rows:
            value = inner_product(row, moved)
            if value < 0:
                share = -value / sum(abs(r * w) for r, w in zip(row, moved, strict=True))
                if share > largest_share:
                    largest_share = share
                    worst = row
        if worst is None:
            return moved
        active.append(worst)
        nearest = _nearest_solution(active, weights, is_free)
        if nearest is None:
            return None
        moved = nearest


def _nearest_solution(rows: list[Vector], weights: Vector, is_free: np.ndarray) -> Vector | None:
    """Return the weights with row·weights = 0 for each row that move by the least shares."""
    movable = [w if free else Fraction(0) for w, free in zip(weights, is_free, strict=True)]
    scaled = [[r * w for r, w in zip(row, movable, strict=True)] for row in rows]
    gram = [[inner_product(first, second) for second in scaled] for first in scaled]
    prices = solve(gram, [inner_product(row, weights) for row in rows])
    if prices is None:
        return None
    shares = [inner_product(prices, [row[c] for row in scaled]) for c in range(len(weights))]
    if max(abs(share) for share in shares) > MOVE:
        return None
    return [w * (1 - share) for w, share in zip(weights, shares, strict=True)]
