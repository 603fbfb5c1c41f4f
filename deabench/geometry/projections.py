"""Project points on faces, on facets and on the region below hyperplanes, each with its proof.

The linear programs (L1, L∞) are the formulations of `deabench_models.projection`, solved by HiGHS;
L2 goes by non-negative least squares, or, on faces with `dominating`, by Wolfe's method over linear
programs. What does not prove itself, as where one metric counts 1e8 times another, is settled in
rational arithmetic. All in boxed metrics, see `deabench.geometry.nearest_points`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

from deabench.geometry.nearest_points import (
    change_columns,
    dual_norm,
    gap_norm,
    least_distance,
    least_norm_point,
    minimize_change,
    nearest_exactly,
    nearest_in_hull_l2,
)
from deabench.solver.highs import Infeasible, Solver, Undecided
from deabench.solver.template import Template, compile_template, expand_template, read_model
from deabench_models import projection

SHORT = 1e-9
"""A face that falls short of the point by no more than this still dominates it."""
ROUNDED = 1e-13
"""A face that falls short of the point by no more than this may do so by rounding."""
LOOSE = 1e-10
"""A projection whose slope proves less than its distance by more than this is settled in rational
arithmetic.
"""
CUT = 1e-10
"""A facet that cuts a point off by no more than this holds it; a distance that is proved but for
this holds.
"""


@dataclass(frozen=True)
class Projection:
    """The nearest point of one face.

    Attributes
    ----------
    distance : float
        Infinite where `dominating` leaves no point of the face.
    lam : array (k,)
        λ over the face's vertices.
    slope : array (s,) or None
        y with dual norm at most 1 under which the distance is the least y·(v - point) over the
        face; for every other face that is a lower bound. With `dominating`, only the positive part
        of y has to have that norm; where no point of the face dominates, y ≤ 0 with y·(v - point) >
        0 on all of it. None where the distance is 0.
    """

    distance: float
    lam: np.ndarray
    slope: np.ndarray | None


class FaceProjector:
    """Projects points on the faces of one set of vertices (e, s).

    Distances are in the norm of the weights (s,) times the change.
    """

    def __init__(
        self, vertices: np.ndarray, weights: np.ndarray, norm: str, dominating: bool
    ) -> None:
        self.vertices = vertices
        self.weights = weights
        self.norm = norm
        self.dominating = dominating
        self.program: _FaceProgram | None = None
        if norm != "l2" or dominating:
            form = _face_form(tuple(weights.tolist()), norm, dominating)
            self.program = _FaceProgram(vertices, form)
        self.shortfall: _FaceProgram | None = None

    def start(self, point: np.ndarray, name: str) -> None:
        """Project `point` (s,) from now on; no result depends on the points before it.

        `name` is the DMU's, for errors.
        """
        self.point = point
        self.name = name
        for program in (self.program, self.shortfall):
            if program is not None:
                program.start(point, name)

    def project(self, face: np.ndarray) -> Projection:
        """Return the nearest point of the face with the vertices `face` (k,)."""
        if self.program is None:
            return self._by_least_squares(face)
        try:
            if self.norm == "l2":
                return self._by_least_norm(face, self.program)
            lam, slope = self.program.solve(face, patient=not self.dominating)
        except Infeasible:
            return self._prove_none(face, SHORT) or self._settle_undecided(face)
        except Undecided:
            return self._settle_undecided(face)
        return self._settle(face, self._projection(face, lam, slope))

    def _projection(self, face: np.ndarray, lam: np.ndarray, slope: np.ndarray) -> Projection:
        """Return the projection with these λ, its slope scaled to prove as much as it can."""
        gap = (lam @ self.vertices[face] - self.point) * self.weights
        proof = scale_into_dual_ball(slope, self.weights, self.norm, self.dominating)
        return Projection(gap_norm(gap, self.norm), lam, proof)

    def _by_least_squares(self, face: np.ndarray) -> Projection:
        lam = nearest_in_hull_l2(self.vertices[face] * self.weights, self.point * self.weights)
        gap = (lam @ self.vertices[face] - self.point) * self.weights
        length = float(np.linalg.norm(gap))
        # The direction of the gap, back in the units of the metrics, is the slope.
        slope = gap * self.weights / length if length > 0 else None
        return self._settle(face, Projection(length, lam, slope))

    def _by_least_norm(self, face: np.ndarray, program: _FaceProgram) -> Projection:
        """Find the least L2 norm over the points of the face that are nowhere below the point."""
        vertices = self.vertices[face]
        slope = np.zeros(len(self.point))

        def minimize(cost: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            program.set_costs(cost * self.weights)
            lam, slope[:] = program.solve(face, patient=False)
            return lam, (lam @ vertices - self.point) * self.weights

        lam, gap = least_norm_point(minimize, np.ones(len(self.point)))
        length = float(np.linalg.norm(gap))
        proof = None
        if length > 0:
            proof = scale_into_dual_ball(slope / length, self.weights, "l2", True)
        return self._settle(face, Projection(length, lam, proof))

    def _settle(self, face: np.ndarray, projection: Projection) -> Projection:
        """Return the projection where its slope proves it; otherwise that from fractions."""
        if projection.slope is None:
            return projection
        gaps = self.vertices[face] - self.point
        proved = (gaps @ projection.slope).min()
        if proved >= projection.distance - LOOSE * max(projection.distance, 1.0):
            return projection
        return self._settle_exactly(face) or projection

    def _settle_undecided(self, face: np.ndarray) -> Projection:
        """Return the projection where HiGHS gives up, or all but reaches the face."""
        projection = self._settle_exactly(face)
        if projection is not None:
            return projection
        # The face falls short of the point by rounding alone: HiGHS may take its time.
        assert self.program is not None
        return self._projection(face, *self.program.solve(face, patient=True))

    def _settle_exactly(self, face: np.ndarray) -> Projection | None:
        """Return the projection in fractions; None: the face falls short by rounding alone."""
        return self._by_fractions(face) or self._prove_none(face, ROUNDED)

    def _by_fractions(self, face: np.ndarray) -> Projection | None:
        """Return the projection in fractions; None where no point of the face is allowed."""
        exact = nearest_exactly(
            self.vertices[face] - self.point, self.weights, self.norm, self.dominating
        )
        if exact is None:
            return None
        projection = self._projection(face, *exact)
        if exact[1].any():
            return projection
        return Projection(projection.distance, projection.lam, None)

    def _prove_none(self, face: np.ndarray, shortfall: float) -> Projection | None:
        """Return y ≤ 0 that is beyond all of the face; None: it falls short by at most that."""
        if self.shortfall is None:
            form = _face_form((1.0,) * len(self.point), "shortfall", False)
            self.shortfall = _FaceProgram(self.vertices, form)
            self.shortfall.start(self.point, self.name)
        lam, slope = self.shortfall.solve(face, patient=True)
        gaps = self.vertices[face] - self.point
        if np.maximum(-lam @ gaps, 0.0).max() <= shortfall:
            return None
        ray = np.minimum(slope, 0.0)
        # Within rounding of the face it proves nothing.
        if (gaps @ ray).min() <= ROUNDED * np.abs(ray).sum():
            return None
        return Projection(np.inf, np.zeros(len(face)), ray)


class _FaceProgram:
    """One model with the λ of all vertices; those outside of the face are held at 0."""

    def __init__(self, vertices: np.ndarray, form: Template) -> None:
        e, s = vertices.shape
        program = expand_template(form, vertices, np.zeros(s))
        self.first = len(program.cost) - e
        self.rows = np.array([name.startswith("target[") for name in program.row_names])
        self.gains = np.array(
            [k for k, name in enumerate(program.column_names) if name.startswith("l[")]
        )
        self.lower = program.lower
        self.upper = program.upper
        self.solver = Solver(program)
        self.solver.set_column_bounds(self.first + np.arange(e), np.zeros(e), np.zeros(e))
        self.open_face = np.zeros(0, dtype=int)

    def start(self, point: np.ndarray, name: str) -> None:
        """Put a point into the model."""
        self.name = name
        self.lower[self.rows] = point
        self.upper[self.rows] = point
        self.solver.set_row_bounds(self.lower, self.upper)
        self.solver.clear_basis()

    def set_costs(self, values: np.ndarray) -> None:
        """Set what a gain in each metric costs."""
        self.solver.set_costs(self.gains, values)

    def solve(self, face: np.ndarray, *, patient: bool) -> tuple[np.ndarray, np.ndarray]:
        """Return λ over the face, and the slope that proves it."""
        # Close the last face and open this one, in one call.
        changed = np.union1d(self.open_face, face)
        upper = np.where(np.isin(changed, face), np.inf, 0.0)
        self.solver.set_column_bounds(self.first + changed, np.zeros(len(changed)), upper)
        self.open_face = face
        self.solver.run(self.name, patient=patient)
        lam = np.maximum(self.solver.values()[self.first + face], 0.0)
        return lam / lam.sum(), -self.solver.duals()[self.rows]


def scale_into_dual_ball(
    slope: np.ndarray, weights: np.ndarray, norm: str, dominating: bool
) -> np.ndarray:
    """Return the slope with a dual norm of at most 1, which solvers exceed by their tolerance.

    If `dominating`, only its positive part counts.
    """
    if norm == "l1":
        return np.asarray(np.clip(slope, -np.inf if dominating else -weights, weights))
    # With `dominating` t - p ≥ 0, so that only the positive part of the slope adds to the bound.
    priced = np.maximum(slope, 0.0) if dominating else slope
    return np.asarray(slope / max(float(dual_norm(priced / weights, norm)), 1.0))


def project_onto_region(
    normals: np.ndarray, point: np.ndarray, norm: str, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the nearest point of {y : normals·y ≤ 1} to a point outside of it.

    Returns
    -------
    array (s,)
        The nearest point.
    array (f,)
        μ ≥ 0: Σ μ_f w_f has dual norm at most 1, and falls by the distance from the point to the
        nearest one.
    """
    if norm == "l2":
        step, mu = least_distance(normals / weights, 1.0 - normals @ point)
        return point - step / weights, mu / max(float(np.linalg.norm(step)), 1e-300)

    def scale_multipliers(mu: np.ndarray) -> np.ndarray:
        return mu / max(float(dual_norm(mu @ normals / weights, norm)), 1.0)

    form = _halfspace_form(tuple(weights.tolist()), norm)
    solver = Solver(expand_template(form, normals, point))
    solver.run("a point outside")
    fall, rise = np.split(solver.values()[: 2 * len(point)], 2)
    is_halfspace = np.array([name.startswith("within[") for name in solver.rows])
    target = point + rise - fall
    mu = scale_multipliers(np.maximum(-solver.duals()[is_halfspace], 0.0))
    # The multipliers prove a distance; where that is short of the target's, fractions decide.
    length = gap_norm((target - point) * weights, norm)
    is_proved = mu @ (normals @ point - 1.0) >= length - CUT * max(length, 1.0)
    if is_proved and (normals @ target).max() <= 1.0 + CUT:
        return target, mu
    exact = _step_exactly(normals, None, point, norm, weights, False)
    if exact is None:
        return target, scale_multipliers(mu)
    return point + exact[0], scale_multipliers(exact[1])


def project_onto_facet(
    normals: np.ndarray,
    facet: int,
    point: np.ndarray,
    norm: str,
    weights: np.ndarray,
    dominating: bool,
) -> np.ndarray | None:
    """Return the nearest point of {y : normals·y ≤ 1} on one of its facets; None: there is none.

    With `dominating`, nowhere below the point.
    """
    if norm == "l2":
        return _project_onto_facet_l2(normals, facet, point, weights, dominating)
    s = len(point)
    # The point's distance is minimised over the polyhedron, with equality on the facet.
    table = {(j, r): float(w) for j, row in enumerate(normals) for r, w in enumerate(row)}
    model = projection.halfspaces(table, {("g", r): float(v) for r, v in enumerate(point)})
    projection.touching(model, table, facet)
    getattr(projection, norm)(model, dict(enumerate(weights.tolist())))
    if dominating:
        projection.dominating(model)
    form = read_model(model, name="halfspaces", symbolic=False)
    # The point moves by a rise and a fall, separate columns of the program.
    solver = Solver(expand_template(form, np.zeros((0, 0)), np.zeros(0)))
    try:
        solver.run("a point")
    except Infeasible:
        return None
    except Undecided:
        pass
    else:
        fall, rise = np.split(solver.values()[: 2 * s], 2)
        target = np.asarray(point + rise - fall)
        is_below = dominating and (target < point - CUT).any()
        if _is_on_facet(normals, facet, target, CUT) and not is_below:
            return target
    # Otherwise rational arithmetic decides.
    exact = _step_exactly(normals, facet, point, norm, weights, dominating)
    return None if exact is None else point + exact[0]


def _project_onto_facet_l2(
    normals: np.ndarray, facet: int, point: np.ndarray, weights: np.ndarray, dominating: bool
) -> np.ndarray | None:
    """Do `project_onto_facet` for L2, by least distance programming."""
    s = len(point)
    # The rows of the region, the facet's once more with the other sign, and those of `dominating`.
    lower_rows = [-np.eye(s)] if dominating else []
    matrix = np.vstack([normals / weights, -normals[facet] / weights, *lower_rows])
    no_change = np.zeros(s if dominating else 0)

    def rooms(position: np.ndarray) -> np.ndarray:
        return np.append(1.0 - normals @ position, normals[facet] @ position - 1.0)

    step, _ = least_distance(matrix, np.append(rooms(point), no_change))
    target = point - step / weights
    if not np.isfinite(target).all():
        return None
    if not _is_on_facet(normals, facet, target, CUT):
        # Solve for what is still missing, which is then seen in its own size.
        gap = (target - point) * weights if dominating else no_change
        correction, _ = least_distance(matrix, np.append(rooms(target), gap))
        if np.isfinite(correction).all():
            target = target - correction / weights
    return target if _is_on_facet(normals, facet, target) else None


def _step_exactly(
    normals: np.ndarray,
    facet: int | None,
    point: np.ndarray,
    norm: str,
    weights: np.ndarray,
    dominating: bool,
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the least step to {y : normals·y ≤ 1}, or a facet of it, and μ ≥ 0 that prove it.

    In rational arithmetic, L1 or L∞.
    """
    s = len(point)
    room = 1.0 - normals @ point
    moves = normals if dominating else normals @ change_columns(s, dominating)
    rows = -moves
    right = -room
    if facet is not None:  # the point reaches the facet, too
        rows = np.vstack([rows, moves[facet]])
        right = np.append(right, room[facet])
    solution = minimize_change(rows, right, 0, weights, norm)
    if solution is None:
        return None
    z, mu = solution
    step = z[:s] if dominating else z[:s] - z[s : 2 * s]
    return step, mu[: len(normals)]


def _is_on_facet(
    normals: np.ndarray, facet: int, point: np.ndarray, tolerance: float = SHORT
) -> bool:
    reach = normals @ point
    return bool(reach.max() <= 1 + tolerance and abs(reach[facet] - 1) <= tolerance)


def signed_distances(
    normals: np.ndarray, boxed: np.ndarray, unit: np.ndarray, norm: str
) -> np.ndarray:
    """Return the distances of boxed points (n, s) to the boundary of {z : normals·z ≤ 1}.

    In the metrics' own units, below 0 inside.
    """
    # From inside the nearest boundary point lies on the nearest hyperplane.
    room = (1.0 - boxed @ normals.T) / dual_norm(normals / unit, norm)
    distances = -room.min(axis=1)
    size = float(unit.max())
    for k in np.flatnonzero(distances > 0):
        target, _ = project_onto_region(normals, boxed[k], norm, unit / size)
        distances[k] = gap_norm((target - boxed[k]) * unit, norm)
    return np.asarray(distances)


def common_rises(vertices: np.ndarray, points: np.ndarray, names: pd.Index) -> np.ndarray:
    """Return how far each point could rise in all metrics together and still be dominated.

    By a combination of the vertices (e, s).
    """
    s = vertices.shape[1]
    form = compile_template("depth", {"P": range(s)}, {"p_o": dict.fromkeys(range(s), 1.0)})
    rises = np.empty(len(points))
    for k, point in enumerate(points):
        solver = Solver(expand_template(form, vertices, point))
        solver.run(f"'{names[k]}'")
        rises[k] = solver.objective()
    return rises


@lru_cache(maxsize=64)
def _face_form(weights: tuple[float, ...], norm: str, dominating: bool) -> Template:
    s = len(weights)
    # Wolfe's method for L2 sets linear costs itself, one after another.
    linear_norm = "l1" if norm == "l2" else norm
    steps = [projection.dominating] if dominating else []
    return compile_template(
        "face",
        {"P": range(s)},
        {"p_G": {("g", r): 1.0 for r in range(s)}},
        lambda model: getattr(projection, linear_norm)(model, dict(enumerate(weights))),
        *steps,
    )


@lru_cache(maxsize=64)
def _halfspace_form(weights: tuple[float, ...], norm: str) -> Template:
    s = len(weights)
    return compile_template(
        "halfspaces",
        {"W": range(s)},
        {"p_G": {("g", r): 1.0 for r in range(s)}},
        lambda model: getattr(projection, norm)(model, dict(enumerate(weights))),
    )
