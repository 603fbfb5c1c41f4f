"""Show where DMUs are under constant returns, by multiples that are as large as the hull.

The hull of zero and of multiples of the reference stands for a cone: a multiple of a DMU is inside,
on or outside it as the DMU is. What needs no more than such a multiple is in the hull, so that what
dominates the DMU has a multiple there that dominates its own: where there is none of that, nothing
dominates the DMU.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from deabench.proofs.fdh import ON
from deabench.results.targets import factors_into_cone

ROUND = 16 * np.finfo(float).eps
"""What the products of a ray may be off by, as a share of the sum of their terms."""


def boxed_multiples(front: Any, actual: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return boxed multiples of DMUs (n, s) as large as the hull, and their rounding (n,)."""
    zero = front.data.outputs.iloc[0].to_numpy()
    changes = actual - zero
    factors = factors_into_cone(changes, front.vertex_outputs.to_numpy() - zero)[:, None]
    points = front.to_boxed(zero + factors * changes)
    # What rounding left of an input beside its origin is multiplied, too.
    return points, (ROUND * factors * (3.0 + np.abs(points))).max(axis=1)


def faces_that_dominate_none(
    corners: np.ndarray,
    normals: np.ndarray,
    levels: np.ndarray,
    point: np.ndarray,
    rounding: float,
    slopes: np.ndarray,
) -> np.ndarray:
    """Return which faces have nothing that dominates a point, bool (f,).

    Parameters
    ----------
    corners : array (f, width, s)
        Of the faces, in boxed metrics.
    normals, levels : arrays (f, s), (f,)
        normal·corner is the level on all corners of a face.
    rounding : float
        What each metric of the point may be off by.
    slopes : array (T, s)
        Under y ≤ 0 with y·(v - p) > 0 on all corners nothing on the face dominates p.
    """
    margin = ON + rounding
    is_below = (corners.max(axis=1) < point - margin).any(axis=1)
    is_beyond = normals @ point - levels > margin * (1.0 + normals.sum(axis=1))
    rays = slopes[slopes.max(axis=1) <= 0]
    is_excluded = np.zeros(len(corners), dtype=bool)
    if len(rays):
        size = np.abs(rays)
        lost = rounding * size.sum(axis=1) + ROUND * (size * (3.0 + np.abs(point))).sum(axis=1)
        reach = ((corners - point) @ rays.T).min(axis=1) - lost
        is_excluded = (reach > 0).any(axis=1)
    return np.asarray(is_below | is_beyond | is_excluded)
