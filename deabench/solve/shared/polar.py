"""All facets at once, for few metrics: the vertices of the polytope of (6), by Qhull.

A facet of the frontier is a weight vector w ≥ 0 with max_j w·Y_j = 1, and s reference DMUs (or axes, where w_r = 0) that reach
it: a basis of (5). Qhull lists them all, and scoring every DMU is one matrix product. Their number explodes with the metrics,
so this is for s ≤ 6 or so; each basis is checked for dual feasibility here and for primal feasibility, DMU by DMU, in
`engine.solve`, which also solves by HiGHS what none of them certifies.
"""

from __future__ import annotations

import numpy as np

from deabench.arrays import blocks
from deabench.solve.shared.engine import ACCURATE
from deabench.solve.shared.family import Bases, Family

DUAL = 1e-12
"""How far a facet may cut into a reference DMU, in data scaled to about 1."""


def simplices(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The facets of {Y ≤ a convex combination of points, Y ≥ 0}, triangulated.

    Parameters
    ----------
    points : array (n, s), s ≥ 2
        Non-negative, each metric positive somewhere, scaled to about 1.

    Returns
    -------
    members : int array (F, s)
        Points 0..n-1, or n + r for the axis r (the facet is flat in metric r: w_r = 0).
    normals : array (F, s)
        w ≥ 0 with w·Y ≤ 1 everywhere and = 1 on the members.
    """
    from scipy.spatial import ConvexHull

    n, s = points.shape
    inner = np.full(s, 0.5 / points.sum(axis=1).max())
    planes = np.vstack([points / (1.0 - points @ inner)[:, None], -np.eye(s) / inner])
    members = ConvexHull(planes, qhull_options="Qt").simplices
    rows = np.vstack([points, np.eye(s)])[members]
    right = (members < n).astype(float)
    sound = (np.abs(np.linalg.det(rows)) > 1e-13) & right.any(axis=1)  # w = 0 is a vertex too, and no facet
    members, rows, right = members[sound], rows[sound], right[sound]
    normals = np.linalg.solve(rows, right[:, :, None])[:, :, 0]
    normals[np.abs(normals) < DUAL] = 0.0
    holds = np.asarray((normals >= 0).all(axis=1))
    for part in blocks(len(normals), n):
        holds[part] &= (normals[part] @ points.T).max(axis=1) <= 1.0 + DUAL
    return members[holds], normals[holds]


def bases(family: Family, points: np.ndarray) -> Bases:
    """The bases of a family of (5) over `points` (n, s): the simplices' members with θ."""
    members, _ = simplices(points)
    n, s = points.shape
    count = len(members)
    codes = np.empty((count, family.m), dtype=int)
    codes[:, :s] = np.where(members < n, members, members - n + family.n + family.statics)
    codes[:, s] = family.n + family.theta
    matrix = np.zeros((count, family.m, family.m))
    own = members < n
    matrix[:, :, :s] = np.where(own[:, None, :], family.columns[np.where(own, members, 0)].transpose(0, 2, 1), 0.0)
    flat, place = np.nonzero(~own)
    row = members[flat, place] - n
    matrix[flat, row, place] = family.slack[row]
    matrix[:, :, s] = family.theta_column(np.ones((1, s)))[0]
    inverse = np.linalg.inv(matrix)
    duals = family.static_cost[family.theta] * inverse[:, s, :]
    good = np.abs(inverse).max(axis=(1, 2)) <= ACCURATE
    return Bases(codes[good], inverse[good], duals[good], np.full(int(good.sum()), s))
