"""Find closest points and positions in the free disposal hull {z : z ≤ P_k for some k}.

It is what is there, without mixtures. Its Pareto-efficient boundary is the points that no other
dominates, so a closest one is found by comparing them all. Its whole boundary is a staircase. From
outside the nearest point of the set lies below the P_k with the least norm of the positive part of
p - P_k. From inside the least step t ≥ 0 out of it reaches, for every k, P_k in some metric: see
`least_exit_norm`.
"""

from __future__ import annotations

import heapq
from itertools import count

import numpy as np

from deabench.geometry.closest import ClosestPoint
from deabench.geometry.nearest_points import NORM_ORDERS

ON = 1e-9
"""A point is on the boundary within this, in boxed metrics."""


def closest_vertices(
    P: np.ndarray,
    points: np.ndarray,
    norm: str,
    weights: np.ndarray,
    *,
    dominating: bool,
    common: bool,
) -> list[ClosestPoint]:
    """Find the closest of the undominated P (e, s) to each of `points` (g, s).

    With `common`, to all of them together. The `point` of one that has none is NaN: with
    `dominating`, where all of P are somewhere below it.
    """
    nan = np.full(P.shape[1], np.nan)
    lengths = np.array(
        [_distances(P, point, norm, weights, dominating=dominating) for point in points]
    )
    if common:
        lengths = np.tile(np.sum(lengths, axis=0), (len(points), 1))
    targets = []
    for row in lengths:
        k = int(row.argmin())
        if np.isfinite(row[k]):
            targets.append(ClosestPoint(P[k], (k,), np.ones(1), nan))
        else:
            targets.append(ClosestPoint(nan, (), np.zeros(0), nan))
    return targets


def _distances(
    P: np.ndarray, point: np.ndarray, norm: str, weights: np.ndarray, *, dominating: bool
) -> np.ndarray:
    """Return the distances of P to a point; infinite where one falls below and must not."""
    distances = np.linalg.norm((P - point) * weights, NORM_ORDERS[norm], axis=1)
    if dominating:
        distances[(point > P).any(axis=1)] = np.inf
    return np.asarray(distances)


def classify_positions(P: np.ndarray, boxed: np.ndarray) -> np.ndarray:
    """Return "inside", "on" or "outside" of the hull of P, for each boxed point (n, s)."""
    # How far a point could rise in all metrics together and still be dominated.
    rise = np.array([(P - point).min(axis=1).max() for point in boxed])
    return np.where(np.abs(rise) <= ON, "on", np.where(rise < 0, "outside", "inside"))


def signed_distances(P: np.ndarray, points: np.ndarray, norm: str) -> np.ndarray:
    """Return the distances of points (n, s) to the boundary of the hull of P: below 0 inside.

    The weakly efficient parts of the boundary count.
    """
    distances = np.empty(len(points))
    for k, point in enumerate(points):
        room = P - point
        dominating = room[(room > 0).all(axis=1)]
        if len(dominating):
            distances[k] = -least_exit_norm(dominating, norm)
        else:
            distances[k] = np.linalg.norm(np.minimum(room, 0.0), NORM_ORDERS[norm], axis=1).min()
    return distances


def least_exit_norm(room: np.ndarray, norm: str) -> float:
    """Return the least norm of a step t ≥ 0 that leaves the hull.

    For every row of `room` (k, s) > 0 the step reaches the row's value in some metric. Best first
    search, exact: the row that is dearest to reach is reached in each metric in turn, and its least
    cost bounds what is still to come. In L∞ that bound is the answer at once.
    """
    if norm == "linf":
        return float(room.min(axis=1).max())
    # Values and steps are kept as powers, so that a norm is a sum.
    power = 1.0 if norm == "l1" else 2.0
    powers = room**power
    start = np.zeros(room.shape[1])
    bound, row = _dearest_row(powers, start)
    order = count()  # of equal bounds the last first: depth before breadth
    queue = [(bound, -next(order), row, start)]
    visited = {start.tobytes()}
    # The first step of least bound that reaches all rows is the shortest.
    while queue[0][2] >= 0:
        bound, _, row, step = heapq.heappop(queue)
        for metric, value in enumerate(powers[row]):
            longer = step.copy()
            longer[metric] = value
            if longer.tobytes() not in visited:
                visited.add(longer.tobytes())
                cost, dearest = _dearest_row(powers, longer)
                heapq.heappush(queue, (max(bound, cost), -next(order), dearest, longer))
    return float(queue[0][0] ** (1 / power))


def _dearest_row(powers: np.ndarray, step: np.ndarray) -> tuple[float, int]:
    """Return what a step costs at least once the dearest row is reached, and the row; -1: none."""
    unreached = np.flatnonzero((step < powers).all(axis=1))
    if not len(unreached):
        return float(step.sum()), -1
    cost = (powers[unreached] - step).min(axis=1)
    return float(step.sum() + cost.max()), int(unreached[cost.argmax()])
