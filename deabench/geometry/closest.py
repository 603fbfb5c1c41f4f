"""Closest targets: the search over faces with its bounds, and the facets extended. All in boxed
metrics.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from deabench.geometry.faces import Hull
from deabench.geometry.nearest_facets import on_facet, within
from deabench.geometry.nearest_points import ORDER, SHORT, Faces, Projection, distance, dual_norm
from deabench.geometry.polar import TIGHT
from deabench.utils.threads import one_thread

SAME = 1e-12
"""Distances that differ by less are the same, in boxed metrics."""
ROUND = 16 * np.finfo(float).eps
"""What the products of a slope may be off by, as a share of the sum of their terms."""


@dataclass(frozen=True)
class Found:
    """One target: where, on which points of the frontier, with which λ, and the slopes (T, s) that
    prove it the closest.

    `point` is NaN where there is none.
    """

    point: np.ndarray
    face: tuple[int, ...]
    lam: np.ndarray
    normal: np.ndarray
    slopes: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))


def nowhere(s: int, slopes: np.ndarray) -> Found:
    """No target, and the slopes that prove it."""
    nan = np.full(s, np.nan)
    return Found(nan, (), np.zeros(0), nan, slopes)


def on_faces(
    hull: Hull,
    points: np.ndarray,
    names: Sequence[str],
    norm: str,
    weights: np.ndarray,
    *,
    dominating: bool,
    common: bool,
    advance: Callable[[int], None],
) -> list[Found]:
    """The closest point of the maximal Pareto-efficient faces, for each of `points` (g, s) or on
    one face for all.

    How much a change counts, metric by metric, is in `weights` (s,), at most about 1.
    """
    with one_thread(len(hull.points)):
        search = _Search(hull, norm, weights, dominating)
        tested = list(zip(points, names, strict=True))
        out = []
        for group in [tested] if common else [[one] for one in tested]:
            out += search.closest(group)
            advance(len(group))
        return out


class _Search:
    """Faces with their bounds: no face can be nearer than its box, than the hyperplane that holds
    it, or than the distance along the slope of a projection on another face.
    """

    def __init__(self, hull: Hull, norm: str, weights: np.ndarray, dominating: bool) -> None:
        self.hull, self.norm, self.weights, self.dominating = hull, norm, weights, dominating
        self.faces = [sorted(face) for face in hull.maximal]
        most = max(len(face) for face in self.faces)
        self.members = np.array(
            [(face * most)[:most] for face in self.faces]
        )  # a vertex twice changes no minimum
        corners = hull.points[self.members]
        self.low, self.high = corners.min(axis=1), corners.max(axis=1)
        self.normal = hull.mean_normals  # positive: from the cone's inside
        self.size = dual_norm(self.normal / weights, norm)
        self.project = Faces(hull.points, weights, norm, dominating)

    def bounds(self, point: np.ndarray) -> np.ndarray:
        """A lower bound on the distance to each face; infinite where the face has no point that
        dominates.
        """
        box = np.maximum(self.low - point, 0.0) + np.maximum(point - self.high, 0.0)
        beyond = self.normal @ point - 1.0
        bounds = np.maximum(
            np.linalg.norm(box * self.weights, ORDER[self.norm], axis=1), np.abs(beyond) / self.size
        )
        if not self.dominating:
            return np.asarray(bounds)
        return np.where((self.high < point - SHORT).any(axis=1) | (beyond > SHORT), np.inf, bounds)

    def along(self, slope: np.ndarray, point: np.ndarray) -> np.ndarray:
        """What a slope bounds the distance to each face by: the least slope·(v - point); a ray that
        all of it is beyond, by ∞.
        """
        least = ((self.hull.points - point) @ slope)[self.members].min(axis=1)
        least -= ROUND * (np.abs(slope) * (3.0 + np.abs(point))).sum()
        return (
            np.where(least > 0, np.inf, least)
            if slope.max() <= 0 and self.dominating
            else np.asarray(least)
        )

    def closest(self, tested: list[tuple[np.ndarray, str]]) -> list[Found]:
        """The face with the least total distance of the tested points (s,), each with its name; the
        nearest point of it to each.
        """
        bounds = np.array([self.bounds(point) for point, _ in tested])
        slopes: list[list[np.ndarray]] = [[] for _ in tested]
        best, at, chosen = np.inf, -1, [np.zeros(0)] * len(tested)
        while True:
            totals = bounds.sum(axis=0)
            f = int(np.argmin(totals))
            if totals[f] >= best - SAME:
                break
            results = [
                self.on(f, point, name, bounds[k], slopes[k])
                for k, (point, name) in enumerate(tested)
            ]
            total = sum(result.distance for result in results)
            if total < best:
                best, at, chosen = total, f, [result.lam for result in results]
            bounds[:, f] = np.inf
        return [
            self.found(at, lam, np.array(own).reshape(-1, len(point)))
            for lam, own, (point, _) in zip(chosen, slopes, tested, strict=True)
        ]

    def on(
        self, f: int, point: np.ndarray, name: str, bounds: np.ndarray, slopes: list[np.ndarray]
    ) -> Projection:
        """Project a point on face f, raise the bounds (f,) of its distance to the others, and keep
        what raised them.
        """
        self.project.start(point, name)
        result = self.project.nearest(np.array(self.faces[f]))
        if result.slope is not None:
            slopes.append(result.slope)
            np.maximum(bounds, self.along(result.slope, point), out=bounds)
        return result

    def found(self, f: int, lam: np.ndarray, slopes: np.ndarray) -> Found:
        if f < 0:
            return nowhere(slopes.shape[1], slopes)
        face = self.faces[f]
        return Found(lam @ self.hull.points[face], tuple(face), lam, self.normal[f], slopes)


def on_facets(
    normals: np.ndarray,
    members: np.ndarray,
    points: np.ndarray,
    norm: str,
    weights: np.ndarray,
    *,
    dominating: bool,
    common: bool,
) -> list[Found]:
    """The closest point of the boundary of {y : w·y ≤ 1} over full-dimensional Pareto-efficient
    facets, extended.

    From inside it lies on the nearest hyperplane; from outside it is the projection, and nothing
    dominates. `common`: on the one facet, no further than the others let it reach, that is nearest
    to all tested DMUs together."""
    if common:
        return _shared(normals, members, points, norm, weights, dominating)
    out = []
    for point in points:
        room = 1.0 - normals @ point
        slopes = np.zeros((0, len(point)))
        f = int(np.argmin(np.abs(room) / dual_norm(normals / weights, norm)))
        if room.min() >= -SAME:
            target = point + room[f] * _step(normals[f], norm, weights)
        elif dominating and room.min() < -SHORT:
            out.append(nowhere(len(point), slopes))
            continue
        else:
            target, mu = within(normals, point, norm, weights)
            f = int(np.argmax(normals @ target))
            slopes = -(mu[:, None] * normals)[mu > 0]
        out.append(_at(f, target, normals, members, slopes))
    return out


def _at(
    f: int, target: np.ndarray, normals: np.ndarray, members: np.ndarray, slopes: np.ndarray
) -> Found:
    face = np.flatnonzero(members[f])
    return Found(target, tuple(face.tolist()), np.zeros(len(face)), normals[f], slopes)


def _shared(
    normals: np.ndarray,
    members: np.ndarray,
    points: np.ndarray,
    norm: str,
    weights: np.ndarray,
    dominating: bool,
) -> list[Found]:
    """The facet with the least total distance, in the order of the hyperplanes' distances, which
    bound it.
    """
    none = np.zeros((0, points.shape[1]))
    lengths = np.abs(1.0 - points @ normals.T) / dual_norm(normals / weights, norm)
    best, chosen = np.inf, [nowhere(points.shape[1], none)] * len(points)
    for f in np.argsort(lengths.sum(axis=0), kind="stable").tolist():
        if lengths[:, f].sum() >= best - SAME:
            break
        targets = [_reachable(normals, f, point, norm, weights, dominating) for point in points]
        if any(target is None for target in targets):
            continue
        total = sum(
            distance((t - p) * weights, norm)
            for t, p in zip(targets, points, strict=True)
            if t is not None
        )
        if total < best:
            best, chosen = (
                total,
                [_at(f, t, normals, members, none) for t in targets if t is not None],
            )
    return chosen


def _reachable(
    normals: np.ndarray, f: int, point: np.ndarray, norm: str, weights: np.ndarray, dominating: bool
) -> np.ndarray | None:
    """The nearest point of facet f, extended to where another facet cuts it off."""
    target = point + (1.0 - normals[f] @ point) * _step(normals[f], norm, weights)
    if (normals @ target).max() <= 1.0 + TIGHT and not (
        dominating and (target < point - SHORT).any()
    ):
        return np.asarray(target)
    return on_facet(normals, f, point, norm, weights, dominating)


def _step(normal: np.ndarray, norm: str, weights: np.ndarray) -> np.ndarray:
    """The shortest step with normal·step = 1."""
    own = normal / weights
    if norm == "l2":
        return np.asarray(own / (own @ own) / weights)
    if norm == "linf":
        return np.asarray(1.0 / own.sum() / weights)
    step = np.zeros(len(normal))
    r = int(np.argmax(own))
    step[r] = 1.0 / normal[r]
    return step
