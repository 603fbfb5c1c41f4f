"""Closest targets: the search over faces with its bounds, and the facets extended. All in boxed
metrics.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from deabench.errors import SolveError
from deabench.geometry.faces import Hull
from deabench.geometry.facets import TIGHT
from deabench.geometry.nearest_points import NORM_ORDERS, dual_norm, gap_norm
from deabench.geometry.projections import (
    SHORT,
    FaceProjector,
    Projection,
    project_onto_facet,
    project_onto_region,
)
from deabench.solver.highs import Infeasible, Limit, Solver
from deabench.solver.template import expand_template, read_model
from deabench.utils.threads import one_thread

SUPPORT = 1e-7
"""A λ above this is in use."""
ON_HYPERPLANE = 1e-9
"""A point is on the hyperplane of a face within this."""

SAME = 1e-12
"""Distances that differ by less are the same, in boxed metrics."""
ROUND = 16 * np.finfo(float).eps
"""What the products of a slope may be off by, as a share of the sum of their terms."""


@dataclass(frozen=True)
class ClosestPoint:
    """One target: where, on which points of the frontier, with which λ, and the slopes (T, s) that
    prove it the closest.

    `point` is NaN where there is none.
    """

    point: np.ndarray
    face: tuple[int, ...]
    lam: np.ndarray
    normal: np.ndarray
    slopes: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))


def no_closest_point(s: int, slopes: np.ndarray) -> ClosestPoint:
    """No target, and the slopes that prove it."""
    nan = np.full(s, np.nan)
    return ClosestPoint(nan, (), np.zeros(0), nan, slopes)


def closest_on_faces(
    hull: Hull,
    points: np.ndarray,
    names: Sequence[str],
    norm: str,
    weights: np.ndarray,
    *,
    dominating: bool,
    common: bool,
    advance: Callable[[int], None],
) -> list[ClosestPoint]:
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
        self.faces = [sorted(face) for face in hull.maximal_faces]
        most = max(len(face) for face in self.faces)
        self.members = np.array(
            [(face * most)[:most] for face in self.faces]
        )  # a vertex twice changes no minimum
        corners = hull.points[self.members]
        self.low, self.high = corners.min(axis=1), corners.max(axis=1)
        self.normal = hull.mean_normals  # positive: from the cone's inside
        self.size = dual_norm(self.normal / weights, norm)
        self.project = FaceProjector(hull.points, weights, norm, dominating)

    def bounds(self, point: np.ndarray) -> np.ndarray:
        """A lower bound on the distance to each face; infinite where the face has no point that
        dominates.
        """
        box = np.maximum(self.low - point, 0.0) + np.maximum(point - self.high, 0.0)
        beyond = self.normal @ point - 1.0
        bounds = np.maximum(
            np.linalg.norm(box * self.weights, NORM_ORDERS[self.norm], axis=1),
            np.abs(beyond) / self.size,
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

    def closest(self, tested: list[tuple[np.ndarray, str]]) -> list[ClosestPoint]:
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

    def found(self, f: int, lam: np.ndarray, slopes: np.ndarray) -> ClosestPoint:
        if f < 0:
            return no_closest_point(slopes.shape[1], slopes)
        face = self.faces[f]
        return ClosestPoint(lam @ self.hull.points[face], tuple(face), lam, self.normal[f], slopes)


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
            out.append(no_closest_point(len(point), slopes))
            continue
        else:
            target, mu = project_onto_region(normals, point, norm, weights)
            f = int(np.argmax(normals @ target))
            slopes = -(mu[:, None] * normals)[mu > 0]
        out.append(_at(f, target, normals, members, slopes))
    return out


def _at(
    f: int, target: np.ndarray, normals: np.ndarray, members: np.ndarray, slopes: np.ndarray
) -> ClosestPoint:
    face = np.flatnonzero(members[f])
    return ClosestPoint(target, tuple(face.tolist()), np.zeros(len(face)), normals[f], slopes)


def _shared(
    normals: np.ndarray,
    members: np.ndarray,
    points: np.ndarray,
    norm: str,
    weights: np.ndarray,
    dominating: bool,
) -> list[ClosestPoint]:
    """The facet with the least total distance, in the order of the hyperplanes' distances, which
    bound it.
    """
    none = np.zeros((0, points.shape[1]))
    lengths = np.abs(1.0 - points @ normals.T) / dual_norm(normals / weights, norm)
    best, chosen = np.inf, [no_closest_point(points.shape[1], none)] * len(points)
    for f in np.argsort(lengths.sum(axis=0), kind="stable").tolist():
        if lengths[:, f].sum() >= best - SAME:
            break
        targets = [_reachable(normals, f, point, norm, weights, dominating) for point in points]
        if any(target is None for target in targets):
            continue
        total = sum(
            gap_norm((t - p) * weights, norm)
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
    return project_onto_facet(normals, f, point, norm, weights, dominating)


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


class Deadline:
    """The seconds left of a time limit, which covers all solves of one call together."""

    def __init__(self, limit: float | None) -> None:
        self.end = None if limit is None else time.monotonic() + limit

    def left(self) -> float | None:
        """At least a little, so that a solve states its bound."""
        return None if self.end is None else max(self.end - time.monotonic(), 1e-3)


def closest_by_milp(
    points: np.ndarray,
    tested: np.ndarray,
    norm: str,
    weights: np.ndarray,
    *,
    dominating: bool,
    clock: Deadline,
    name: str,
    unit: float = 1.0,
) -> list[ClosestPoint]:
    """The normalised (11) for a group of tested DMUs on one face: solve, check the face by its LP,
    cut, again.

    `unit` is what a distance of 1 in these coordinates is in the caller's, for the bound that an
    error states.

    Raises
    ------
    SolveError
        With the bound proved so far, where the time is up.
    """
    problem = _Milp(points, tested, norm, weights, dominating, name)
    while True:
        lam = problem.solve(clock, unit)
        if lam is None:
            return _none(points, tested, weights, name)
        used = np.flatnonzero((lam > SUPPORT).any(axis=0))
        normal = problem.supporting(used)
        if normal is None:
            problem.forbid(used)
            continue
        face = np.union1d(np.flatnonzero(np.abs(points @ normal - 1.0) <= ON_HYPERPLANE), used)
        project = FaceProjector(points[face], weights, norm, dominating)
        found = []
        for point in tested:
            result = _on(project, face, point, name)
            found.append(
                ClosestPoint(result.lam @ points[face], tuple(face.tolist()), result.lam, normal)
            )
        return found


def _on(project: FaceProjector, face: np.ndarray, point: np.ndarray, name: str) -> Projection:
    project.start(point, name)
    return project.nearest(np.arange(len(face)))


def _none(
    points: np.ndarray, tested: np.ndarray, weights: np.ndarray, name: str
) -> list[ClosestPoint]:
    """No target: of one tested DMU, which no combination of the points dominates, with the ray that
    proves it.
    """
    if len(tested) > 1:
        return [no_closest_point(points.shape[1], np.zeros((0, points.shape[1])))] * len(tested)
    result = _on(
        FaceProjector(points, weights, "l1", True), np.arange(len(points)), tested[0], name
    )
    if np.isfinite(result.distance) or result.slope is None:
        raise SolveError(
            f"normalised for {name}: HiGHS calls it infeasible, and some combination dominates it; "
            "use method 'faces'"
        )
    return [no_closest_point(points.shape[1], result.slope[None])]


class _Milp:
    def __init__(
        self,
        points: np.ndarray,
        tested: np.ndarray,
        norm: str,
        weights: np.ndarray,
        dominating: bool,
        name: str,
    ) -> None:
        import deabench_models
        from deabench_models import norms

        self.points, self.name = points, name
        e, s = points.shape
        spread = np.ptp(points, axis=0)
        self.ranges = dict(enumerate(np.where(spread > 0, spread, 1.0).tolist()))
        self.table = {(k, r): float(points[k, r]) for k in range(e) for r in range(s)}
        group = {(g, r): float(tested[g, r]) for g in range(len(tested)) for r in range(s)}
        model = deabench_models.normalised(self.table, group, self.ranges)
        getattr(norms, norm)(model, dict(enumerate(weights.tolist())))
        if dominating:
            norms.dominating(model)
        self.model, self.e, self.groups = model, e, len(tested)

    def solve(self, clock: Deadline, unit: float) -> np.ndarray | None:
        """λ (g, e) at the optimum; None where the model is infeasible."""
        t = read_model(self.model, name="normalised", symbolic=False)
        program = expand_template(t, np.zeros((0, 0)), np.zeros(0))
        solver = Solver(program, time_limit=clock.left())
        try:
            solver.run(self.name)
        except Infeasible:
            return None
        except Limit as limit:
            bound = max(limit.bound, 0.0) * unit  # HiGHS knows none before its first relaxation
            raise SolveError(
                f"{limit}; proved so far: the distance is at least {bound:.6g}; give it more time, "
                "or use method 'faces'"
            ) from None
        at = [i for i, column in enumerate(program.column_names) if column.startswith("lam[")]
        return solver.values()[at].reshape(self.groups, self.e)

    def supporting(self, used: Sequence[int] | np.ndarray) -> np.ndarray | None:
        """A positive normal, with normal·y = 1, of the face that the points span; None where there
        is none.
        """
        import deabench_models

        model = deabench_models.supports(self.table, [int(k) for k in used], self.ranges)
        program = expand_template(
            read_model(model, name="supports", symbolic=False), np.zeros((0, 0)), np.zeros(0)
        )
        solver = Solver(program)
        try:
            solver.run(self.name)
        except Infeasible:
            return None
        if solver.objective() <= 1e-9:
            return None
        s = self.points.shape[1]
        u = solver.values()[:s]
        return np.asarray(u / (self.points[used] @ u).mean())

    def forbid(self, used: np.ndarray) -> None:
        """A no-good cut on a minimal subset of the points that is still on no efficient face."""
        bad = [int(k) for k in used]
        for k in list(bad):
            rest = [j for j in bad if j != k]
            if rest and self.supporting(rest) is None:
                bad = rest
        self.model.cuts.add(sum(self.model.b[k] for k in bad) >= 1)
