"""Find closest targets on extended facets: on the boundary of the region below their hyperplanes.

All in boxed metrics.
"""

from __future__ import annotations

import numpy as np

from deabench.geometry.closest import SAME, ClosestPoint, no_closest_point
from deabench.geometry.facets import TIGHT
from deabench.geometry.nearest_points import dual_norm, gap_norm
from deabench.geometry.projections import SHORT, project_onto_facet, project_onto_region


def closest_on_facets(
    normals: np.ndarray,
    members: np.ndarray,
    points: np.ndarray,
    norm: str,
    weights: np.ndarray,
    *,
    dominating: bool,
    common: bool,
) -> list[ClosestPoint]:
    """Find the closest point of the boundary of {y : w·y ≤ 1} over efficient facets, extended.

    With `common`, on the one facet, as far as the others let it reach, with the least total
    distance of all tested points (g, s). `normals` (f, s) are those of the full-dimensional
    Pareto-efficient facets, `members` (f, e) tells which points of the frontier are on which.
    """
    if common:
        return _closest_common_facet(normals, members, points, norm, weights, dominating)
    targets = []
    lengths = dual_norm(normals / weights, norm)
    for point in points:
        room = 1.0 - normals @ point
        slopes = np.zeros((0, len(point)))
        if room.min() >= -SAME:
            # From inside the nearest boundary point lies on the nearest hyperplane.
            f = int(np.argmin(np.abs(room) / lengths))
            target = point + room[f] * _shortest_step(normals[f], norm, weights)
        elif dominating and room.min() < -SHORT:
            # From outside nothing in the region dominates.
            targets.append(no_closest_point(len(point), slopes))
            continue
        else:
            # From outside it is the projection on the region.
            target, mu = project_onto_region(normals, point, norm, weights)
            f = int(np.argmax(normals @ target))
            slopes = -(mu[:, None] * normals)[mu > 0]
        targets.append(_point_of_facet(f, target, normals, members, slopes))
    return targets


def _point_of_facet(
    f: int, target: np.ndarray, normals: np.ndarray, members: np.ndarray, slopes: np.ndarray
) -> ClosestPoint:
    face = np.flatnonzero(members[f])
    return ClosestPoint(target, tuple(face.tolist()), np.zeros(len(face)), normals[f], slopes)


def _closest_common_facet(
    normals: np.ndarray,
    members: np.ndarray,
    points: np.ndarray,
    norm: str,
    weights: np.ndarray,
    dominating: bool,
) -> list[ClosestPoint]:
    """Find the facet with the least total distance.

    Facets are taken in the order of their hyperplanes' distances, which bound theirs from below.
    """
    # The distance from a point to a facet's hyperplane is a quotient with the dual norm.
    no_slopes = np.zeros((0, points.shape[1]))
    lengths = np.abs(1.0 - points @ normals.T) / dual_norm(normals / weights, norm)
    best = np.inf
    best_points = [no_closest_point(points.shape[1], no_slopes)] * len(points)
    for f in np.argsort(lengths.sum(axis=0), kind="stable").tolist():
        if lengths[:, f].sum() >= best - SAME:
            break
        # A facet serves if each point has a nearest point on it.
        targets: list[np.ndarray] = []
        for point in points:
            target = _nearest_of_facet(normals, f, point, norm, weights, dominating)
            if target is not None:
                targets.append(target)
        if len(targets) < len(points):
            continue
        distance = sum(
            gap_norm((target - point) * weights, norm)
            for target, point in zip(targets, points, strict=True)
        )
        if distance < best:
            best = distance
            best_points = [
                _point_of_facet(f, target, normals, members, no_slopes) for target in targets
            ]
    return best_points


def _nearest_of_facet(
    normals: np.ndarray, f: int, point: np.ndarray, norm: str, weights: np.ndarray, dominating: bool
) -> np.ndarray | None:
    """Return the nearest point of facet f, extended to where another facet cuts it off."""
    # Mostly the nearest point of its hyperplane is on the facet already.
    target = point + (1.0 - normals[f] @ point) * _shortest_step(normals[f], norm, weights)
    is_below = dominating and (target < point - SHORT).any()
    if (normals @ target).max() <= 1.0 + TIGHT and not is_below:
        return np.asarray(target)
    return project_onto_facet(normals, f, point, norm, weights, dominating)


def _shortest_step(normal: np.ndarray, norm: str, weights: np.ndarray) -> np.ndarray:
    """Return the shortest step with normal·step = 1, by Hölder's inequality."""
    scaled = normal / weights
    if norm == "l2":
        return np.asarray(scaled / (scaled @ scaled) / weights)
    if norm == "linf":
        return np.asarray(1.0 / scaled.sum() / weights)
    step = np.zeros(len(normal))
    r = int(np.argmax(scaled))
    step[r] = 1.0 / normal[r]
    return step
