"""Find closest targets on Pareto-efficient faces, by a list of them or by a mixed-integer program.

`closest_on_faces` searches the maximal Pareto-efficient faces, nearest bound first; for few
metrics. `closest_by_milp` needs no list of faces and is for more metrics. All in boxed metrics.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

import deabench_models
from deabench.errors import SolveError, TimeLimitError
from deabench.geometry.faces import Hull
from deabench.geometry.facets import FACETS_PER_POINT
from deabench.geometry.nearest_points import NORM_ORDERS, dual_norm
from deabench.geometry.projections import (
    SHORT,
    FaceProjector,
    Projection,
)
from deabench.solver.highs import Infeasible, Limit, Solver, Undecided
from deabench.solver.template import Program, expand_template, read_model
from deabench.utils.arrays import one_thread
from deabench.utils.progress import check_time

SAME = 1e-12
"""Distances that differ by less are the same, in boxed metrics."""
SAME_LENGTH = 1e-8
"""The same of distances that different programs have, as a share where they are above 1."""
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


@dataclass(frozen=True, eq=False)
class ConeMultiples:
    """Multiples of tested points where a hull stands for the cone of all multiples of its points.

    What a face of the cone has that dominates a point it has of each multiple, times as large. Of
    multiples alike in size no tolerance hides what is missing.

    Attributes
    ----------
    points : array (n, s)
        The multiples, as large as the hull: all that needs no more than they do is in it.
    factors : array (n,)
        Of the tested points.
    apex : int
        The vertex of the hull that is zero.
    zero : array (s,)
        That vertex, boxed.
    """

    points: np.ndarray
    factors: np.ndarray
    apex: int
    zero: np.ndarray

    def halve(self) -> ConeMultiples:
        """Return half of each multiple; for these the hull is the cone, with room beyond them."""
        points = self.zero + (self.points - self.zero) / 2
        return replace(self, points=points, factors=self.factors / 2)

    def shrink(self, closest: ClosestPoint, k: int) -> ClosestPoint:
        """Return the target of tested point k from that of its multiple, on the same face."""
        if not closest.face:
            return closest
        lam = closest.lam / self.factors[k]
        lam[closest.face.index(self.apex)] += 1.0 - lam.sum()
        point = self.zero + (closest.point - self.zero) / self.factors[k]
        return replace(closest, point=point, lam=lam)


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
    cone: ConeMultiples | None = None,
) -> list[ClosestPoint]:
    """Find the closest point of the maximal Pareto-efficient faces for each of `points` (g, s).

    With `common`, on the one face with the least total distance. How much a change counts, metric
    by metric, is in `weights` (s,), at most about 1. Points of a `cone` may differ much in size:
    their multiples are projected in their place. After the time limit the list ends with the last
    point that was solved.
    """
    with one_thread(len(hull.points)):
        factors = np.ones(len(points)) if cone is None else cone.factors
        search = _FaceSearch(hull, norm, weights, dominating)
        tested = list(zip(points if cone is None else cone.points, names, strict=True))
        groups = [(tested, factors)]
        if not common:
            groups = [([pair], factors[[k]]) for k, pair in enumerate(tested)]
        targets: list[ClosestPoint] = []
        try:
            for group, factors_of_group in groups:
                targets += search.closest(group, factors_of_group)
                advance(len(group))
        except TimeLimitError:
            # What was found by then is proved; without anything there is no answer.
            if not targets:
                raise
        if cone is None:
            return targets
        return [cone.shrink(target, k) for k, target in enumerate(targets)]


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

    def closest(
        self, tested: list[tuple[np.ndarray, str]], factors: np.ndarray
    ) -> list[ClosestPoint]:
        """Find the face with the least total distance of the tested points, each with its name.

        Each distance counts over its point's factor, (g,).
        """
        bounds = np.array([self.first_bounds(point) for point, _ in tested])
        slopes: list[list[np.ndarray]] = [[] for _ in tested]
        best = np.inf
        best_face = -1
        best_lam = [np.zeros(0)] * len(tested)
        # Best first: once the least bound is no less than the best distance, no face is nearer.
        while True:
            check_time()
            totals = (bounds / factors[:, None]).sum(axis=0)
            f = int(np.argmin(totals))
            if totals[f] >= best - SAME:
                break
            projections = [
                self.project(f, point, name, bounds[k], slopes[k])
                for k, (point, name) in enumerate(tested)
            ]
            distance = sum(
                projection.distance / factor
                for projection, factor in zip(projections, factors, strict=True)
            )
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


def closest_by_milp(
    points: np.ndarray,
    tested: np.ndarray,
    norm: str,
    weights: np.ndarray,
    *,
    dominating: bool,
    name: str,
    unit: float = 1.0,
    cone: ConeMultiples | None = None,
) -> list[ClosestPoint]:
    """Find the closest points of one face for a group of tested DMUs, by the normalised (11).

    Solve, check by a linear program that the points used span an efficient face, cut them off if
    they do not, and solve again.

    Parameters
    ----------
    unit : float
        What a distance of 1 in these coordinates is in the caller's, for the bound in an error.
    cone : ConeMultiples, optional
        Of the tested points: on the face these are projected in their place.

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
        for k, point in enumerate(tested if cone is None else cone.points):
            projector.start(point, name)
            projection = projector.project(whole_face)
            if not np.isfinite(projection.distance):
                cause = "ended with a face of which no point dominates it"
                raise SolveError(f"model 'normalised' for {name} {cause}. Pass method='faces'.")
            target = ClosestPoint(
                projection.lam @ points[face], tuple(face.tolist()), projection.lam, normal
            )
            targets.append(target if cone is None else cone.shrink(target, k))
        return targets


def refuse_other_distances(
    closest: Sequence[ClosestPoint],
    expected: Sequence[ClosestPoint],
    tested: np.ndarray,
    names: Sequence[str],
    norm: str,
    weights: np.ndarray,
) -> None:
    """Refuse the points of the model (11) where those of listed faces have other distances.

    With one name for several points their sum counts.

    Raises
    ------
    SolveError
    """
    lengths = np.array(
        [
            [np.linalg.norm((end.point - start) * weights, NORM_ORDERS[norm]) for end in (a, b)]
            for a, b, start in zip(closest, expected, tested, strict=False)
        ]
    ).reshape(-1, 2)
    if len(names) < len(tested):
        lengths = lengths.sum(axis=0, keepdims=True)
    both_missing = np.isnan(lengths).all(axis=1)
    difference = np.abs(lengths[:, 0] - lengths[:, 1])
    is_same = difference <= SAME_LENGTH * np.maximum(lengths[:, 1], 1.0)
    wrong = np.flatnonzero(~is_same & ~both_missing)
    if len(wrong):
        raise SolveError(
            f"model 'normalised' for {names[wrong[0]]} ended with another distance than that of "
            "the listed faces. Pass method='faces'."
        )


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
        except Undecided as error:
            raise SolveError(f"{error}. Pass method='faces'.") from None
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
        model = deabench_models.supports(self.table, [int(k) for k in used], self.ranges)
        solver = Solver(_to_program(model, "supports"))
        try:
            solver.run(self.name)
        except Infeasible:
            return None
        except Undecided as error:
            raise SolveError(f"{error}. Pass method='faces'.") from None
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
