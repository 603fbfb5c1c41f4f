"""The free disposal hull {z : z ≤ P_k for some k}, what is there and no mixtures: its closest
points, and where a point lies to it.

Its Pareto-efficient boundary is the points that no other dominates, so that a closest one is found
by comparing them all. Its whole boundary is a staircase. From outside the nearest point of the set
lies below the P_k with the least norm of the positive part of p - P_k; from inside the least step t
≥ 0 out of it reaches, for every k, P_k in some metric. By best first search: the row that is
dearest to satisfy is satisfied in each metric in turn, and what it costs at least bounds what is
left (exact; in L∞ that bound is the answer at once)."""

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
    """The closest of the undominated P (e, s) to each of `points` (g, s), or to all of them
    together: of several the first.

    The `point` of one that has none is NaN: with `dominating` none that is nowhere below it.
    """
    none = np.full(P.shape[1], np.nan)
    lengths = [_lengths(P, point, norm, weights, dominating=dominating) for point in points]
    if common:
        lengths = [np.sum(lengths, axis=0)] * len(points)
    found = []
    for row in lengths:
        k = int(row.argmin())
        found.append(
            ClosestPoint(P[k], (k,), np.ones(1), none)
            if np.isfinite(row[k])
            else ClosestPoint(none, (), np.zeros(0), none)
        )
    return found


def _lengths(
    P: np.ndarray, point: np.ndarray, norm: str, weights: np.ndarray, *, dominating: bool
) -> np.ndarray:
    """How far each of P is from a point; infinitely where it falls below and must not."""
    length = np.linalg.norm((P - point) * weights, NORM_ORDERS[norm], axis=1)
    if dominating:
        length[(point > P).any(axis=1)] = np.inf
    return np.asarray(length)


def classify_positions(P: np.ndarray, boxed: np.ndarray) -> np.ndarray:
    """ "inside", "on" or "outside" of the hull of P, for boxed points."""
    out = [
        (P - point).min(axis=1).max() for point in boxed
    ]  # how far it could rise in all metrics together
    return np.where(np.abs(out) <= ON, "on", np.where(np.array(out) < 0, "outside", "inside"))


def signed_distances(P: np.ndarray, points: np.ndarray, norm: str) -> np.ndarray:
    """Distance of points (n, s) to the boundary of the hull of P, weakly efficient parts included:
    below 0 inside.
    """
    out = np.empty(len(points))
    for k, point in enumerate(points):
        room = P - point
        over = room[(room > 0).all(axis=1)]
        out[k] = (
            -least_exit_norm(over, norm)
            if len(over)
            else np.linalg.norm(np.minimum(room, 0.0), NORM_ORDERS[norm], axis=1).min()
        )
    return out


def least_exit_norm(room: np.ndarray, norm: str) -> float:
    """The least norm of a step t ≥ 0 that reaches, for every row of `room` (k, s) > 0, its value in
    some metric.
    """
    if norm == "linf":
        return float(room.min(axis=1).max())
    power, order = (1.0 if norm == "l1" else 2.0), count()
    parts = room**power  # steps are kept as powers too: a norm is then a sum
    start = np.zeros(room.shape[1])
    bound, row = _dearest(parts, start)
    queue, seen = [(bound, -next(order), row, start)], {start.tobytes()}
    while queue[0][2] >= 0:
        bound, _, row, step = heapq.heappop(queue)
        for metric, value in enumerate(parts[row]):
            further = step.copy()
            further[metric] = value
            if further.tobytes() not in seen:
                seen.add(further.tobytes())
                least, dearest = _dearest(parts, further)
                heapq.heappush(queue, (max(bound, least), -next(order), dearest, further))
    return float(queue[0][0] ** (1 / power))


def _dearest(parts: np.ndarray, step: np.ndarray) -> tuple[float, int]:
    """What a step costs at least once the row that is dearest to satisfy is; (its cost, -1) where
    none is left.
    """
    left = np.flatnonzero((step < parts).all(axis=1))
    if not len(left):
        return float(step.sum()), -1
    least = (parts[left] - step).min(axis=1)
    return float(step.sum() + least.max()), int(left[least.argmax()])
