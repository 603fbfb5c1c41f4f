"""List all facets of a technology, under any returns to scale.

They are hyperplanes u·y - v·x = h that no possible production is beyond. With a coordinate more
they are the facets of one cone, made of (y_j, -x_j, -1) for every DMU, of a loss in each metric,
and of what the returns to scale add: nothing at all (nirs), more of the same (ndrs), or both, where
the coordinate goes (crs). A plane cuts the cone in a polytope, whose facets Qhull lists. Their
number explodes with the metrics.
"""

from __future__ import annotations

import numpy as np

from deabench.geometry.facets import convex_hull
from deabench.utils.arrays import blocks

FLAT = 1e-9
"""A weight below this share of the largest is 0: Qhull's own rounding."""
TIGHT = 1e-8
"""A ray lies on a facet within this, in metrics of about 1."""
INNER = 2.0
"""How far the cutting plane keeps off, in metrics of about 1."""


def technology_facets(X: np.ndarray, Y: np.ndarray, returns: str) -> tuple[np.ndarray, np.ndarray]:
    """List the facets of inputs X (n, m) and outputs Y (n, s), in metrics of about 1.

    Returns
    -------
    array (f, s + m), array (f,)
        Weights w = (u, v) ≥ 0, the largest 1, and h: no possible production has u·y - v·x > h, and
        some on each facet has = h.
    """
    rays, middle = _cone_rays(X, Y, returns)
    # Scaled to middle·ray = -1, all rays lie in the cutting plane.
    cut = rays / (-rays @ middle)[:, None]
    # Coordinates in the plane, in which the cuts are a full-dimensional polytope.
    plane_basis = np.linalg.svd(middle[None])[2][1:].T
    equations = _hull_equations(cut @ plane_basis)
    # a·(basis' z) + b ≤ 0 on the plane is (basis a - b middle)·z ≤ 0 on the cone.
    facets = equations[:, :-1] @ plane_basis.T - equations[:, -1:] * middle
    d = Y.shape[1] + X.shape[1]
    # The facet of all losses bounds nothing.
    largest = facets[:, :d].max(axis=1)
    facets = facets[largest > FLAT * np.abs(facets).max(axis=1)]
    facets = _refine_facets(rays, facets, d)
    h = facets[:, d] if facets.shape[1] > d else np.zeros(len(facets))
    return facets[:, :d], h


def _cone_rays(X: np.ndarray, Y: np.ndarray, returns: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the rays of the cone, (n + ..., s + m (+ 1)), and weights that make all negative."""
    gains = np.column_stack([Y, -X])
    losses = -np.eye(gains.shape[1])
    if returns in ("crs", "ndrs"):
        # Steep in the inputs: every DMU needs some, which outweighs all its outputs.
        least_input = np.where(X > 0, X, 0.0).sum(axis=1).min()
        steep = np.full(X.shape[1], (INNER + Y.sum(axis=1).max()) / least_input)
        weights = np.append(np.ones(Y.shape[1]), steep)
    else:
        weights = np.ones(gains.shape[1])
    if returns == "crs":
        return np.vstack([gains, losses]), weights
    h = -INNER / 2 if returns == "ndrs" else INNER + max((gains @ weights).max(), 0.0)
    rays = [
        np.column_stack([gains, -np.ones(len(gains))]),
        np.column_stack([losses, np.zeros(len(losses))]),
    ]
    extra = {"nirs": -1.0, "ndrs": 1.0}.get(returns)
    if extra is not None:
        rays.append(np.append(np.zeros(gains.shape[1]), extra)[None])
    return np.vstack(rays), np.append(weights, h)


def _hull_equations(points: np.ndarray) -> np.ndarray:
    """Return the facets a·z + b ≤ 0 of the hull of points (n, k), each once up to rounding."""
    if points.shape[1] == 1:
        return np.array([[1.0, -points.max()], [-1.0, points.min()]])
    return np.asarray(np.unique(convex_hull(points)[1], axis=0))


def _refine_facets(rays: np.ndarray, facets: np.ndarray, d: int) -> np.ndarray:
    """Solve facets again from the rays that lie on them, with a largest weight of 1; each once."""
    facets = facets / facets[:, :d].max(axis=1, keepdims=True)
    facets[:, :d][np.abs(facets[:, :d]) < FLAT] = 0.0
    # Facets that hold the same rays are the same.
    refined: dict[bytes, np.ndarray] = {}
    for rows in blocks(len(facets), len(rays)):
        is_on = np.abs(facets[rows] @ rays.T) <= TIGHT
        for facet, on in zip(facets[rows], is_on, strict=True):
            key = np.packbits(on).tobytes()
            if key not in refined:
                refined[key] = _solve_facet(rays[on], facet, d)
    distinct = np.array(list(refined.values()))
    return np.asarray(distinct[(distinct @ rays.T).max(axis=1) <= TIGHT])


def _solve_facet(rays: np.ndarray, facet: np.ndarray, d: int) -> np.ndarray:
    """Return the facet that holds its rays best, if it is next to the one given."""
    is_free = facet != 0
    is_free[d:] = True
    # The normal is the direction in which the rays extend least.
    normal = np.linalg.svd(rays[:, is_free], full_matrices=True)[2][-1]
    if normal @ facet[is_free] < 0:
        normal = -normal
    solved = np.zeros(len(facet))
    solved[is_free] = normal
    solved[:d] = np.maximum(solved[:d], 0.0)
    largest = solved[:d].max()
    if largest > 0 and np.abs(solved / largest - facet).max() <= 1e-6:
        return np.asarray(solved / largest)
    return facet


def attainable_outline(points: np.ndarray) -> np.ndarray:
    """Return the outline (k, 2) of what mixtures of the points (n, 2) and less than them attain.

    It leads from the second axis over the extreme points to the first axis.
    """
    order = np.lexsort((points[:, 1], points[:, 0]))
    extreme: list[np.ndarray] = []
    for point in points[order]:
        # Points come by rising first coordinate. The last point is not extreme if the new one is
        # at least as high, or if it lies on or below the line from the point before it.
        while extreme:
            is_dominated = point[1] >= extreme[-1][1]
            if not is_dominated and not (
                len(extreme) > 1 and _is_below_line(extreme[-1], extreme[-2], point)
            ):
                break
            extreme.pop()
        extreme.append(point)
    path = np.array(extreme)
    return np.vstack([[0.0, path[0, 1]], path, [path[-1, 0], 0.0]])


def _is_below_line(point: np.ndarray, start: np.ndarray, end: np.ndarray) -> bool:
    """Return whether a point lies on or below the line from `start` to `end`."""
    cross = (point[0] - start[0]) * (end[1] - start[1]) - (point[1] - start[1]) * (
        end[0] - start[0]
    )
    return bool(cross >= 0)
