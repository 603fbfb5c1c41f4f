"""Closest targets: enumeration of faces with bounds, the facets extended, and the normalised MILP with its cuts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from deabench.errors import SolveError
from deabench.solve.highs import Infeasible, Limit, Solver
from deabench.solve.nearest.faces import TIGHT, Hull
from deabench.solve.nearest.points import ORDER, Faces, Projection, dual_norm, within
from deabench.solve.template import expand, whole

SUPPORT = 1e-7
"""A λ above this is in use."""
SAME = 1e-12
"""Distances that differ by less are the same, in metrics scaled to about 1."""


@dataclass(frozen=True)
class Found:
    """One target: where, on which points of the frontier, with which λ; `point` is NaN where there is none."""

    point: np.ndarray
    face: tuple[int, ...]
    lam: np.ndarray
    normal: np.ndarray


def on_faces(hull: Hull, points: np.ndarray, names: Sequence[str], norm: str, *, dominating: bool, common: bool,
             advance: Callable[[int], None]) -> list[Found]:
    """The closest point of the maximal Pareto-efficient faces, for each of `points` (g, s) or on one face for all."""
    search = _Search(hull, norm, dominating)
    tested = list(zip(points, names, strict=True))
    out = []
    for group in [tested] if common else [[one] for one in tested]:
        out += search.closest(group)
        advance(len(group))
    return out


class _Search:
    """Faces with their bounds: no face can be nearer than its box, than the hyperplane that holds it, or than the distance along
    the slope of a projection on another face."""

    def __init__(self, hull: Hull, norm: str, dominating: bool) -> None:
        self.hull, self.norm, self.dominating = hull, norm, dominating
        self.faces = [np.array(sorted(face)) for face in hull.maximal]
        most = max(len(face) for face in self.faces)
        self.members = np.array([np.resize(face, most) for face in self.faces])  # a vertex twice changes no minimum
        corners = hull.points[self.members]
        self.low, self.high = corners.min(axis=1), corners.max(axis=1)
        self.normal = np.array([hull.cone(face).mean(axis=0) for face in hull.maximal])  # positive: from the cone's inside
        self.size = dual_norm(self.normal, norm)
        self.project = Faces(hull.points, norm, dominating)

    def bounds(self, point: np.ndarray) -> np.ndarray:
        """A lower bound on the distance to each face; infinite where the face has no point that dominates."""
        box = np.maximum(self.low - point, 0.0) + np.maximum(point - self.high, 0.0)
        plane = np.abs(1.0 - self.normal @ point) / self.size
        bounds = np.maximum(np.linalg.norm(box, ORDER[self.norm], axis=1), plane)
        return np.where((self.high < point - TIGHT).any(axis=1), np.inf, bounds) if self.dominating else bounds

    def along(self, slope: np.ndarray, point: np.ndarray) -> np.ndarray:
        """The least slope·(v - point) of each face."""
        return np.asarray(((self.hull.points - point) @ slope)[self.members].min(axis=1))

    def closest(self, tested: list[tuple[np.ndarray, str]]) -> list[Found]:
        """The face with the least total distance of the tested points (s,), each with its name; the nearest point of it to each."""
        bounds = np.array([self.bounds(point) for point, _ in tested])
        best, at, chosen = np.inf, -1, [np.zeros(0)] * len(tested)
        while True:
            totals = bounds.sum(axis=0)
            f = int(np.argmin(totals))
            if totals[f] >= best - SAME:
                break
            results = [self.on(f, point, name, bounds[k]) for k, (point, name) in enumerate(tested)]
            total = sum(result.distance for result in results)
            if total < best:
                best, at, chosen = total, f, [result.lam for result in results]
            bounds[:, f] = np.inf
        return [self.found(at, lam, point) for lam, (point, _) in zip(chosen, tested, strict=True)]

    def on(self, f: int, point: np.ndarray, name: str, bounds: np.ndarray) -> Projection:
        """Project a point on face f, and raise the bounds (f,) of its distance to the others."""
        self.project.start(point, name)
        result = self.project.nearest(self.faces[f])
        if result.slope is not None:
            np.maximum(bounds, self.along(result.slope, point), out=bounds)
        return result

    def found(self, f: int, lam: np.ndarray, point: np.ndarray) -> Found:
        if f < 0:
            nan = np.full(len(point), np.nan)
            return Found(nan, (), np.zeros(0), nan)
        face = self.faces[f]
        return Found(lam @ self.hull.points[face], tuple(face.tolist()), lam, self.normal[f])


def on_facets(normals: np.ndarray, members: np.ndarray, points: np.ndarray, norm: str, *, dominating: bool,
              common: bool) -> list[Found]:
    """The closest point of the boundary of {y : w·y ≤ 1} over full-dimensional Pareto-efficient facets, extended.

    From inside it lies on the nearest hyperplane; from outside it is the projection. `common`: on the one hyperplane that is
    nearest to all tested DMUs together.
    """
    residual = 1.0 - points @ normals.T
    lengths = np.abs(residual) / dual_norm(normals, norm)
    shared = int(np.argmin(lengths.sum(axis=0))) if common else -1
    out = []
    for k, point in enumerate(points):
        outside = residual[k].min() < -1e-12
        f = shared if common else int(np.argmin(lengths[k]))
        if common or not outside:
            target = point + residual[k, f] * _step(normals[f], norm)
        else:
            target = within(normals, point, norm)
            f = int(np.argmax(normals @ target))
        if dominating and (target < point - 1e-9).any():
            target = np.full(len(point), np.nan)
            out.append(Found(target, (), np.zeros(0), target))
            continue
        face = np.flatnonzero(members[f])
        out.append(Found(target, tuple(face.tolist()), np.zeros(len(face)), normals[f]))
    return out


def _step(normal: np.ndarray, norm: str) -> np.ndarray:
    """The shortest step with normal·step = 1."""
    if norm == "l2":
        return normal / (normal @ normal)
    if norm == "linf":
        return np.full(len(normal), 1.0 / normal.sum())
    step = np.zeros(len(normal))
    step[int(np.argmax(normal))] = 1.0 / normal.max()
    return step


def by_milp(points: np.ndarray, tested: np.ndarray, norm: str, *, dominating: bool, time_limit: float | None,
            name: str, unit: float = 1.0) -> list[Found]:
    """The normalised (11) for a group of tested DMUs on one face: solve, check the face by its LP, cut, again.

    `unit` is what a distance of 1 in these coordinates is in the caller's, for the bound that an error states.

    Raises
    ------
    SolveError
        With the bound proved so far, where the time is up.
    """
    problem = _Milp(points, tested, norm, dominating, time_limit, name)
    problem.unit = unit
    while True:
        lam = problem.solve()
        if lam is None:
            nan = np.full(points.shape[1], np.nan)
            return [Found(nan, (), np.zeros(0), nan)] * len(tested)
        used = np.flatnonzero((lam > SUPPORT).any(axis=0))
        normal = problem.supporting(used)
        if normal is None:
            problem.forbid(used)
            continue
        face = np.flatnonzero(np.abs(points @ normal - 1.0) <= 1e-9)
        face = np.union1d(face, used)
        project = Faces(points[face], norm, dominating)
        best = []
        for point in tested:
            project.start(point, name)
            best.append(project.nearest(np.arange(len(face))).lam)
        return [Found(x @ points[face], tuple(face.tolist()), x, normal) for x in best]


class _Milp:
    def __init__(self, points: np.ndarray, tested: np.ndarray, norm: str, dominating: bool, time_limit: float | None,
                 name: str) -> None:
        import deabench_models
        from deabench_models import norms

        self.points, self.name, self.time_limit = points, name, time_limit
        e, s = points.shape
        spread = np.ptp(points, axis=0)
        self.ranges = dict(enumerate(np.where(spread > 0, spread, 1.0).tolist()))
        self.table = {(k, r): float(points[k, r]) for k in range(e) for r in range(s)}
        group = {(g, r): float(tested[g, r]) for g in range(len(tested)) for r in range(s)}
        model = deabench_models.normalised(self.table, group, self.ranges)
        getattr(norms, norm)(model, dict.fromkeys(range(s), 1.0))
        if dominating:
            norms.dominating(model)
        self.model, self.e, self.groups, self.unit = model, e, len(tested), 1.0

    def solve(self) -> np.ndarray | None:
        """λ (g, e) at the optimum; None where the model is infeasible."""
        t = whole(self.model, name="normalised", symbolic=False)
        program = expand(t, np.zeros((0, 0)), np.zeros(0))
        solver = Solver(program, time_limit=self.time_limit)
        try:
            solver.run(self.name)
        except Infeasible:
            return None
        except Limit as limit:
            raise SolveError(f"{limit}; proved so far: the distance is at least {limit.bound * self.unit:.6g}; give it more time, "
                             "or use method 'faces'") from None
        at = [i for i, column in enumerate(program.column_names) if column.startswith("lam[")]
        return solver.values()[at].reshape(self.groups, self.e)

    def supporting(self, used: Sequence[int] | np.ndarray) -> np.ndarray | None:
        """A positive normal, with normal·y = 1, of the face that the points span; None where there is none."""
        import deabench_models

        model = deabench_models.supports(self.table, [int(k) for k in used], self.ranges)
        program = expand(whole(model, name="supports", symbolic=False), np.zeros((0, 0)), np.zeros(0))
        solver = Solver(program)
        try:
            solver.run(self.name)
        except Infeasible:
            return None
        if solver.objective() <= 1e-9:
            return None
        s = self.points.shape[1]
        u = solver.values()[:s]
        return u / (self.points[used] @ u).mean()

    def forbid(self, used: np.ndarray) -> None:
        """A no-good cut on a minimal subset of the points that is still on no efficient face."""
        bad = [int(k) for k in used]
        for k in list(bad):
            rest = [j for j in bad if j != k]
            if rest and self.supporting(rest) is None:
                bad = rest
        self.model.cuts.add(sum(self.model.b[k] for k in bad) >= 1)
