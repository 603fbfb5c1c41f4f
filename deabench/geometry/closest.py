"""Find closest targets: on efficient faces, on extended facets, or by a mixed-integer program.

`closest_on_faces` searches the maximal Pareto-efficient faces, nearest bound first; for few
metrics. `closest_on_facets` takes the boundary of the region below the full-dimensional efficient
facets. `closest_by_milp` needs no list of faces and is for more metrics. All in boxed metrics.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from deabench.errors import SolveError, TimeLimitError
from deabench.geometry.faces import Hull
from deabench.geometry.facets import FACETS_PER_POINT, TIGHT
from deabench.geometry.nearest_points import NORM_ORDERS, dual_norm, gap_norm
from deabench.geometry.projections import (
    SHORT,
    FaceProjector,
    Projection,
    project_onto_facet,
    project_onto_region,
)
from deabench.solver.highs import Infeasible, Limit, Solver
from deabench.solver.template import Program, expand_template, read_model
from deabench.utils.arrays import one_thread
from deabench.utils.progress import check_time

SAME = 1e-12
"""Distances that differ by less are the same, in boxed metrics."""
ROUND = 16 * np.finfo(float).eps
"""What the products of a slope may be off by, as a share of the sum of their terms."""
ON_HYPERPLANE = 1e-9
"""A point is on the hyperplane of a face within this."""


@dataclass(frozen=True)
class ClosestPoint:
    """One target, NaN where there is none, and what proves it the closest.

    `face` are the points of the frontier that span its face, `lam` the λ over them, `normal` (s,)
    is the face's, and each of the `slopes` (T, s) bounds the distance to faces from below.
    """

    point: np.ndarray
    face: tuple[int, ...]
    lam: np.ndarray
    normal: np.ndarray
    slopes: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))


def no_closest_point(s: int, slopes: np.ndarray) -> ClosestPoint:
    """Return that there is no target, with the slopes that prove it."""
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
    """Find the closest point of the maximal Pareto-efficient faces for each of `points` (g, s).

    With `common`, on the one face with the least total distance. How much a change counts, metric
    by metric, is in `weights` (s,), at most about 1. After the time limit the list ends with the
    last point that was solved.
    """
    with one_thread(len(hull.points)):
        search = _FaceSearch(hull, norm, weights, dominating)
        tested = list(zip(points, names, strict=True))
        groups = [tested] if common else [[pair] for pair in tested]
        targets: list[ClosestPoint] = []
        try:
            for group in groups:
                targets += search.closest(group)
                advance(len(group))
        except TimeLimitError:
            # What was found by then is proved; without anything there is no answer.
            if not targets:
                raise
        return targets


class _FaceSearch:
    """Faces with lower bounds on their distance.

    No face can be nearer than its box, than the hyperplane that holds it, or than the distance
    along the slope of a projection on another face.
    """

    def __init__(self, hull: Hull, norm: str, weights: np.ndarray, dominating: bool) -> None:
        self.hull = hull
        self.norm = norm
        self.weights = weights
        self.dominating = dominating
        self.faces = [sorted(face) for face in hull.maximal_faces]
        # Padded with vertices of its own, which change no minimum, every face has equally many.
        width = max(len(face) for face in self.faces)
        self.members = np.array([(face * width)[:width] for face in self.faces])
        corners = hull.points[self.members]
        self.low = corners.min(axis=1)
        self.high = corners.max(axis=1)
        # The mean of a cone's normals lies inside the cone: it is positive.
        self.normal = hull.mean_normals
        self.size = dual_norm(self.normal / weights, norm)
        self.projector = FaceProjector(hull.points, weights, norm, dominating)

    def first_bounds(self, point: np.ndarray) -> np.ndarray:
        """Return a lower bound on the distance to each face; infinite where nothing dominates."""
        box = np.maximum(self.low - point, 0.0) + np.maximum(point - self.high, 0.0)
        excess = self.normal @ point - 1.0
        box_distance = np.linalg.norm(box * self.weights, NORM_ORDERS[self.norm], axis=1)
        bounds = np.maximum(box_distance, np.abs(excess) / self.size)
        if not self.dominating:
            return np.asarray(bounds)
        # A face below the point in some metric, or on whose far side the point lies, has no point
        # that dominates it.
        is_below = (self.high < point - SHORT).any(axis=1)
        return np.where(is_below | (excess > SHORT), np.inf, bounds)

    def slope_bounds(self, slope: np.ndarray, point: np.ndarray) -> np.ndarray:
        """Return by what a slope bounds the distance to each face: the least slope·(v - point).

        A ray (all entries ≤ 0, with `dominating`) under which all of a face is positive shows that
        nothing on it dominates: the bound is infinite.
        """
        bounds = ((self.hull.points - point) @ slope)[self.members].min(axis=1)
        bounds -= ROUND * (np.abs(slope) * (3.0 + np.abs(point))).sum()
        if slope.max() <= 0 and self.dominating:
            return np.where(bounds > 0, np.inf, bounds)
        return np.asarray(bounds)

    def closest(self, tested: list[tuple[np.ndarray, str]]) -> list[ClosestPoint]:
        """Find the face with the least total distance of the tested points, each with its name."""
        bounds = np.array([self.first_bounds(point) for point, _ in tested])
        slopes: list[list[np.ndarray]] = [[] for _ in tested]
        best = np.inf
        best_face = -1
        best_lam = [np.zeros(0)] * len(tested)
        # Best first: once the least bound is no less than the best distance, no face is nearer.
        while True:
            check_time()
            totals = bounds.sum(axis=0)
            f = int(np.argmin(totals))
            if totals[f] >= best - SAME:
                break
            projections = [
                self.project(f, point, name, bounds[k], slopes[k])
                for k, (point, name) in enumerate(tested)
            ]
            distance = sum(projection.distance for projection in projections)
            if distance < best:
                best = distance
                best_face = f
                best_lam = [projection.lam for projection in projections]
            bounds[:, f] = np.inf
        return [
            self.to_closest_point(best_face, lam, np.array(proofs).reshape(-1, len(point)))
            for lam, proofs, (point, _) in zip(best_lam, slopes, tested, strict=True)
        ]

    def project(
        self, f: int, point: np.ndarray, name: str, bounds: np.ndarray, slopes: list[np.ndarray]
    ) -> Projection:
        """Project a point on face f; raise its bounds (f,) on the others, and note the slope."""
        self.projector.start(point, name)
        projection = self.projector.project(np.array(self.faces[f]))
        if projection.slope is not None:
            slopes.append(projection.slope)
            np.maximum(bounds, self.slope_bounds(projection.slope, point), out=bounds)
        return projection

    def to_closest_point(self, f: int, lam: np.ndarray, slopes: np.ndarray) -> ClosestPoint:
        """Return the point of face f with these λ; f = -1: there is none."""
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


def closest_by_milp(
    points: np.ndarray,
    tested: np.ndarray,
    norm: str,
    weights: np.ndarray,
    *,
    dominating: bool,
    name: str,
    unit: float = 1.0,
) -> list[ClosestPoint]:
    """Find the closest points of one face for a group of tested DMUs, by the normalised (11).

    Solve, check by a linear program that the points used span an efficient face, cut them off if
    they do not, and solve again.

    Parameters
    ----------
    unit : float
        What a distance of 1 in these coordinates is in the caller's, for the bound in an error.

    Raises
    ------
    SolveError
        With the bound proved so far, where the time is up.
    """
    problem = _Milp(points, tested, norm, weights, dominating, name)
    while True:
        used = problem.solve(unit)
        if used is None:
            return _prove_none_dominates(points, tested, weights, name)
        normal = problem.supporting_normal(used)
        if normal is None:
            problem.forbid(used)
            continue
        # The face is all that lies on its hyperplane; on it the target is solved again, exactly.
        on_hyperplane = np.abs(points @ normal - 1.0) <= ON_HYPERPLANE
        face = np.union1d(np.flatnonzero(on_hyperplane), used)
        projector = FaceProjector(points[face], weights, norm, dominating)
        whole_face = np.arange(len(face))
        targets = []
        for point in tested:
            projector.start(point, name)
            projection = projector.project(whole_face)
            if not np.isfinite(projection.distance):
                cause = "ended with a face of which no point dominates it"
                raise SolveError(f"model 'normalised' for {name} {cause}. Pass method='faces'.")
            target = projection.lam @ points[face]
            targets.append(ClosestPoint(target, tuple(face.tolist()), projection.lam, normal))
        return targets


def _prove_none_dominates(
    points: np.ndarray, tested: np.ndarray, weights: np.ndarray, name: str
) -> list[ClosestPoint]:
    """Return that there is no target, for one tested DMU with the ray that proves it."""
    s = points.shape[1]
    if len(tested) > 1:
        return [no_closest_point(s, np.zeros((0, s)))] * len(tested)
    projector = FaceProjector(points, weights, "l1", True)
    projector.start(tested[0], name)
    projection = projector.project(np.arange(len(points)))
    if np.isfinite(projection.distance) or projection.slope is None:
        raise SolveError(
            f"HiGHS calls model 'normalised' infeasible for {name}, but some combination dominates "
            "it. Pass method='faces'."
        )
    return [no_closest_point(s, projection.slope[None])]


class _Milp:
    """The normalised model (11) of one group of tested DMUs, with the cuts made so far."""

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

        self.points = points
        self.name = name
        self.e, s = points.shape
        self.groups = len(tested)
        spread = np.ptp(points, axis=0)
        self.ranges = dict(enumerate(np.where(spread > 0, spread, 1.0).tolist()))
        self.table = {(k, r): float(points[k, r]) for k in range(self.e) for r in range(s)}
        group = {(g, r): float(tested[g, r]) for g in range(self.groups) for r in range(s)}
        self.model = deabench_models.normalised(self.table, group, self.ranges)
        getattr(deabench_models.projection, norm)(self.model, dict(enumerate(weights.tolist())))
        if dominating:
            deabench_models.projection.dominating(self.model)

    def solve(self, unit: float) -> np.ndarray | None:
        """Return the points in use at the optimum; None where the model is infeasible."""
        program = _to_program(self.model, "normalised")
        solver = Solver(program)
        try:
            solver.run(self.name)
        except Infeasible:
            return None
        except Limit as limit:
            # HiGHS has a bound of -infinity before its first relaxation; a distance is at least 0.
            bound = max(limit.bound, 0.0) * unit
            remedy = "use method 'faces'"
            if self.points.shape[1] > max(FACETS_PER_POINT):
                remedy = f"name at most {max(FACETS_PER_POINT)} metrics in outputs"
            raise TimeLimitError(
                f"{limit}; proved so far: the distance is at least {bound:.6g}; give it more time, "
                f"or {remedy}"
            ) from None
        kinds = np.array([name.split("[")[0] for name in program.column_names])
        lam = solver.values()[kinds == "lam"].reshape(self.groups, self.e)
        # However small, λ of a point on the facet counts; one off the facet is a tolerance.
        on_facet = solver.values()[kinds == "b"] < 0.5
        return np.flatnonzero((lam > 0).any(axis=0) & on_facet)

    def supporting_normal(self, used: Sequence[int] | np.ndarray) -> np.ndarray | None:
        """Return a positive normal, normal·y = 1, of the face of some points; None: none."""
        import deabench_models

        model = deabench_models.supports(self.table, [int(k) for k in used], self.ranges)
        solver = Solver(_to_program(model, "supports"))
        try:
            solver.run(self.name)
        except Infeasible:
            return None
        if solver.objective() <= 1e-9:  # the least weight is 0: the face is only weakly efficient
            return None
        u = solver.values()[: self.points.shape[1]]
        return np.asarray(u / (self.points[used] @ u).mean())

    def forbid(self, used: np.ndarray) -> None:
        """Cut off a minimal subset of the points that still spans no efficient face."""
        subset = [int(k) for k in used]
        for k in list(subset):
            smaller = [j for j in subset if j != k]
            if smaller and self.supporting_normal(smaller) is None:
                subset = smaller
        self.model.cuts.add(sum(self.model.b[k] for k in subset) >= 1)


def _to_program(model: object, name: str) -> Program:
    """Return a model that is built with all its data as a program."""
    template = read_model(model, name=name, symbolic=False)
    return expand_template(template, np.zeros((0, 0)), np.zeros(0))
