"""Closest targets by the normalised MILP with its cuts, for more metrics than have a list of faces.
All in boxed metrics.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from deabench.errors import SolveError
from deabench.geometry.closest import Found, nowhere
from deabench.geometry.nearest_points import Faces, Projection
from deabench.solver.highs import Infeasible, Limit, Solver
from deabench.solver.template import expand, whole

SUPPORT = 1e-7
"""A λ above this is in use."""
TIGHT = 1e-9
"""A point is on the hyperplane of a face within this."""


class Clock:
    """The seconds left of a time limit, which covers all solves of one call together."""

    def __init__(self, limit: float | None) -> None:
        self.end = None if limit is None else time.monotonic() + limit

    def left(self) -> float | None:
        """At least a little, so that a solve states its bound."""
        return None if self.end is None else max(self.end - time.monotonic(), 1e-3)


def by_milp(
    points: np.ndarray,
    tested: np.ndarray,
    norm: str,
    weights: np.ndarray,
    *,
    dominating: bool,
    clock: Clock,
    name: str,
    unit: float = 1.0,
) -> list[Found]:
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
        face = np.union1d(np.flatnonzero(np.abs(points @ normal - 1.0) <= TIGHT), used)
        project = Faces(points[face], weights, norm, dominating)
        found = []
        for point in tested:
            result = _on(project, face, point, name)
            found.append(Found(result.lam @ points[face], tuple(face.tolist()), result.lam, normal))
        return found


def _on(project: Faces, face: np.ndarray, point: np.ndarray, name: str) -> Projection:
    project.start(point, name)
    return project.nearest(np.arange(len(face)))


def _none(points: np.ndarray, tested: np.ndarray, weights: np.ndarray, name: str) -> list[Found]:
    """No target: of one tested DMU, which no combination of the points dominates, with the ray that
    proves it.
    """
    if len(tested) > 1:
        return [nowhere(points.shape[1], np.zeros((0, points.shape[1])))] * len(tested)
    result = _on(Faces(points, weights, "l1", True), np.arange(len(points)), tested[0], name)
    if np.isfinite(result.distance) or result.slope is None:
        raise SolveError(
            f"normalised for {name}: HiGHS calls it infeasible, and some combination dominates it; "
            "use method 'faces'"
        )
    return [nowhere(points.shape[1], result.slope[None])]


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

    def solve(self, clock: Clock, unit: float) -> np.ndarray | None:
        """λ (g, e) at the optimum; None where the model is infeasible."""
        t = whole(self.model, name="normalised", symbolic=False)
        program = expand(t, np.zeros((0, 0)), np.zeros(0))
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
        program = expand(
            whole(model, name="supports", symbolic=False), np.zeros((0, 0)), np.zeros(0)
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
