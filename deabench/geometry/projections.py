"""The nearest point of the region below hyperplanes, and of one of its facets, extended. All in
boxed metrics.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

from deabench.geometry.nearest_points import (
    dual_norm,
    gap_norm,
    least_distance,
    least_norm_point,
    nearest_exactly,
    nearest_in_hull_l2,
)
from deabench.solver.highs import Infeasible, Solver, Undecided
from deabench.solver.rational_simplex import minimize_exactly
from deabench.solver.template import Template, compile_template, expand_template, read_model

SHORT = 1e-9
"""A face that falls short of the point by no more than this still dominates it."""
LOOSE = 1e-10
"""A projection whose slope proves less than its distance by more than this is settled in rational
arithmetic.
"""

CUT = 1e-10
"""A facet that cuts a point off by no more than this holds it; a distance that is proved but for
this holds.
"""


def project_onto_region(
    normals: np.ndarray, point: np.ndarray, norm: str, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The nearest point of {y : normals·y ≤ 1} to a point outside of it, in the norm of weights
    times the change.

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
    solver = Solver(expand_template(_halfspace_form(tuple(weights.tolist()), norm), normals, point))
    solver.run("a point outside")
    down, up = np.split(solver.values()[: 2 * len(point)], 2)
    held = np.array([name.startswith("within[") for name in solver.rows])
    found, mu = _in_ball(
        point + up - down, np.maximum(-solver.duals()[held], 0.0), normals, norm, weights
    )
    length = gap_norm((found - point) * weights, norm)
    if (
        mu @ (normals @ point - 1.0) >= length - CUT * max(length, 1.0)
        and (normals @ found).max() <= 1.0 + CUT
    ):
        return found, mu
    step, mu = _least(normals, None, point, norm, weights, False) or (found - point, mu)
    return _in_ball(point + step, mu, normals, norm, weights)


def _in_ball(
    found: np.ndarray, mu: np.ndarray, normals: np.ndarray, norm: str, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What was found, and μ brought to a dual norm of Σ μ_f w_f of at most 1."""
    return found, mu / max(float(dual_norm(mu @ normals / weights, norm)), 1.0)


def project_onto_facet(
    normals: np.ndarray,
    facet: int,
    point: np.ndarray,
    norm: str,
    weights: np.ndarray,
    dominating: bool,
) -> np.ndarray | None:
    """The nearest point of {y : normals·y ≤ 1} on one of its facets, nowhere below the point if
    `dominating`; None without one.
    """
    import deabench_models
    from deabench_models import norms

    s = len(point)
    if norm == "l2":
        matrix = np.vstack(
            [normals / weights, -normals[facet] / weights, *([-np.eye(s)] if dominating else [])]
        )
        right = np.append(1.0 - normals @ point, normals[facet] @ point - 1.0)
        step, _ = least_distance(matrix, np.append(right, np.zeros(s if dominating else 0)))
        found = point - step / weights
        if np.isfinite(found).all() and not _inside(
            normals, facet, found, CUT
        ):  # what is left, in its own size
            off = np.append(1.0 - normals @ found, normals[facet] @ found - 1.0)
            again, _ = least_distance(
                matrix, np.append(off, (found - point) * weights if dominating else np.zeros(0))
            )
            found = found - again / weights if np.isfinite(again).all() else found
        return found if np.isfinite(found).all() and _inside(normals, facet, found) else None
    table = {(j, r): float(w) for j, row in enumerate(normals) for r, w in enumerate(row)}
    model = deabench_models.halfspaces(table, {("g", r): float(v) for r, v in enumerate(point)})
    deabench_models.projection.touching(model, table, facet)
    getattr(norms, norm)(model, dict(enumerate(weights.tolist())))
    if dominating:
        norms.dominating(model)
    solver = Solver(
        expand_template(
            read_model(model, name="halfspaces", symbolic=False), np.zeros((0, 0)), np.zeros(0)
        )
    )
    try:
        solver.run("a point")
    except Infeasible:
        return None
    except Undecided:
        return _exactly(normals, facet, point, norm, weights, dominating)
    down, up = np.split(solver.values()[: 2 * s], 2)
    found = np.asarray(point + up - down)
    if _inside(normals, facet, found, CUT) and not (dominating and (found < point - CUT).any()):
        return found
    return _exactly(normals, facet, point, norm, weights, dominating)


def _exactly(
    normals: np.ndarray,
    facet: int,
    point: np.ndarray,
    norm: str,
    weights: np.ndarray,
    dominating: bool,
) -> np.ndarray | None:
    """The same in rational arithmetic, L1 or L∞."""
    found = _least(normals, facet, point, norm, weights, dominating)
    return None if found is None else point + found[0]


def _least(
    normals: np.ndarray,
    facet: int | None,
    point: np.ndarray,
    norm: str,
    weights: np.ndarray,
    dominating: bool,
) -> tuple[np.ndarray, np.ndarray] | None:
    """The least step to {y : normals·y ≤ 1}, to one of its facets where one is given, and μ ≥ 0 of
    the hyperplanes, exactly, L1 or L∞: what rises, what falls, and for L∞ the largest change.
    """
    s, room = len(point), 1.0 - normals @ point
    moves = normals if dominating else np.hstack([normals, -normals])
    rows, right = -moves, -room
    if facet is not None:
        rows, right = np.vstack([rows, moves[facet]]), np.append(right, room[facet])
    cost = np.tile(weights, moves.shape[1] // s)
    if norm == "linf":
        change = np.tile(-np.diag(weights), moves.shape[1] // s)
        rows = np.block([[rows, np.zeros((len(rows), 1))], [change, np.ones((s, 1))]])
        right, cost = np.append(right, np.zeros(s)), np.append(np.zeros(moves.shape[1]), 1.0)
    found = minimize_exactly(cost, rows, right)
    if found is None:
        return None
    step, mu = found
    return step[:s] - (0.0 if dominating else step[s : 2 * s]), mu[: len(normals)]


def _inside(normals: np.ndarray, facet: int, point: np.ndarray, tolerance: float = SHORT) -> bool:
    reach = normals @ point
    return bool(reach.max() <= 1 + tolerance and abs(reach[facet] - 1) <= tolerance)


def signed_distances(
    normals: np.ndarray, boxed: np.ndarray, unit: np.ndarray, norm: str
) -> np.ndarray:
    """Distance of boxed points (n, s) to the boundary of {z : normals·z ≤ 1} in the metrics' own
    units: below 0 inside.
    """
    room = (1.0 - boxed @ normals.T) / dual_norm(normals / unit, norm)
    out = -room.min(axis=1)
    size = float(unit.max())
    for k in np.flatnonzero(out > 0):
        move = project_onto_region(normals, boxed[k], norm, unit / size)[0] - boxed[k]
        out[k] = gap_norm(move * unit, norm)
    return np.asarray(out)


@lru_cache(maxsize=64)
def _halfspace_form(weights: tuple[float, ...], norm: str) -> Template:
    import deabench_models
    from deabench_models import norms

    s = len(weights)
    return compile_template(
        deabench_models.halfspaces,
        {"W": range(s)},
        {"p_G": {("g", r): 1.0 for r in range(s)}},
        lambda m: getattr(norms, norm)(m, dict(enumerate(weights))),
    )


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
    """Projections on the faces of one set of vertices (e, s), in the norm of the weights (s,) times
    the change.
    """

    def __init__(
        self, vertices: np.ndarray, weights: np.ndarray, norm: str, dominating: bool
    ) -> None:
        self.vertices, self.weights, self.norm, self.dominating = (
            vertices,
            weights,
            norm,
            dominating,
        )
        form = (
            None
            if norm == "l2" and not dominating
            else _face_form(tuple(weights.tolist()), norm, dominating)
        )
        self.program = None if form is None else _Linear(vertices, form)
        self.shortfall: _Linear | None = None

    def start(self, point: np.ndarray, name: str) -> None:
        """Project `point` (s,) from here on; `name` is the DMU's in errors. What is found does not
        depend on the points before.
        """
        self.point, self.name = point, name
        for program in (self.program, self.shortfall):
            if program is not None:
                program.start(point, name)

    def nearest(self, face: np.ndarray) -> Projection:
        """The nearest point of the face with the vertices `face` (k,)."""
        if self.program is None:
            return self._least_squares(face)
        try:
            if self.norm == "l2":
                return self._least_norm(face, self.program)
            lam, slope = self.program.solved(face, patient=not self.dominating)
        except Infeasible:
            ray = self._ray(face)
            if ray is not None:
                return Projection(np.inf, np.zeros(len(face)), ray)
            lam, slope = self.program.solved(face, patient=True)  # short by a rounding error only
        except Undecided:
            return self._undecided(face)
        length = gap_norm((lam @ self.vertices[face] - self.point) * self.weights, self.norm)
        return self._settled(
            face,
            Projection(
                length, lam, scale_into_dual_ball(slope, self.weights, self.norm, self.dominating)
            ),
        )

    def _least_squares(self, face: np.ndarray) -> Projection:
        lam = nearest_in_hull_l2(self.vertices[face] * self.weights, self.point * self.weights)
        gap = (lam @ self.vertices[face] - self.point) * self.weights
        length = float(np.linalg.norm(gap))
        return self._settled(
            face, Projection(length, lam, gap * self.weights / length if length > 0 else None)
        )

    def _least_norm(self, face: np.ndarray, program: _Linear) -> Projection:
        """With `dominating`: the least norm over the points of the face that are nowhere below the
        point.
        """
        vertices = self.vertices[face]
        slope = np.zeros(len(self.point))

        def least(cost: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            program.set_costs(cost * self.weights)
            lam, slope[:] = program.solved(face, patient=False)
            return lam, (lam @ vertices - self.point) * self.weights

        lam, gap = least_norm_point(least, np.ones(len(self.point)))
        length = float(np.linalg.norm(gap))
        proof = (
            scale_into_dual_ball(slope / length, self.weights, "l2", True) if length > 0 else None
        )
        return self._settled(face, Projection(length, lam, proof))

    def _settled(self, face: np.ndarray, found: Projection) -> Projection:
        """The projection as it was found, where its slope proves it; else from fractions."""
        gaps = self.vertices[face] - self.point
        if found.slope is None or (gaps @ found.slope).min() >= found.distance - LOOSE * max(
            found.distance, 1.0
        ):
            return found
        return self._exactly(face) or found  # none: short of the point by a rounding error only

    def _undecided(self, face: np.ndarray) -> Projection:
        """The projection where HiGHS gives up."""
        found = self._exactly(face)
        if found is not None:
            return found
        ray = self._ray(face)
        if ray is None:
            raise Undecided(
                f"face for {self.name}: it falls short of the point by no more than {SHORT:g}"
            )
        return Projection(np.inf, np.zeros(len(face)), ray)

    def _exactly(self, face: np.ndarray) -> Projection | None:
        """The projection in fractions; None where the face has no point."""
        exact = nearest_exactly(
            self.vertices[face] - self.point, self.weights, self.norm, self.dominating
        )
        if exact is None:
            return None
        lam, slope = exact
        length = gap_norm((lam @ self.vertices[face] - self.point) * self.weights, self.norm)
        return Projection(
            length,
            lam,
            scale_into_dual_ball(slope, self.weights, self.norm, self.dominating)
            if slope.any()
            else None,
        )

    def _ray(self, face: np.ndarray) -> np.ndarray | None:
        """y ≤ 0 under which all of the face falls short of the point; None where it falls short by
        a rounding error only.
        """
        if self.shortfall is None:
            form = _face_form((1.0,) * len(self.point), "shortfall", False)
            self.shortfall = _Linear(self.vertices, form)
            self.shortfall.start(self.point, self.name)
        lam, slope = self.shortfall.solved(face, patient=True)
        short = np.maximum(self.point - lam @ self.vertices[face], 0.0).max()
        return np.minimum(slope, 0.0) if short > SHORT else None


class _Linear:
    """One model with all λ, those outside of the face held at 0."""

    def __init__(self, vertices: np.ndarray, form: Template) -> None:
        e, s = vertices.shape
        program = expand_template(form, vertices, np.zeros(s))
        self.first = len(program.cost) - e
        self.rows = np.array([name.startswith("target[") for name in program.row_names])
        self.gains = np.array(
            [k for k, name in enumerate(program.column_names) if name.startswith("l[")]
        )
        self.lower, self.upper = program.lower, program.upper
        self.solver = Solver(program)
        self.solver.set_column_bounds(self.first + np.arange(e), np.zeros(e), np.zeros(e))
        self.open = np.zeros(0, dtype=int)

    def start(self, point: np.ndarray, name: str) -> None:
        self.name = name
        self.lower[self.rows] = self.upper[self.rows] = point
        self.solver.set_row_bounds(self.lower, self.upper)
        self.solver.clear_basis()

    def set_costs(self, values: np.ndarray) -> None:
        """What a gain in each metric costs."""
        self.solver.set_costs(self.gains, values)

    def solved(self, face: np.ndarray, *, patient: bool) -> tuple[np.ndarray, np.ndarray]:
        """λ over the face, and the slope that proves it."""
        free = np.isin(both := np.union1d(self.open, face), face)
        self.solver.set_column_bounds(
            self.first + both, np.zeros(len(both)), np.where(free, np.inf, 0.0)
        )
        self.open = face
        self.solver.run(self.name, patient=patient)
        lam = np.maximum(self.solver.values()[self.first + face], 0.0)
        return lam / lam.sum(), -self.solver.duals()[self.rows]


def scale_into_dual_ball(
    slope: np.ndarray, weights: np.ndarray, norm: str, dominating: bool
) -> np.ndarray:
    """The slope brought to a dual norm of at most 1, which solvers exceed by their tolerance; if
    `dominating` what is above 0.
    """
    if norm == "l1":
        return np.asarray(np.clip(slope, -np.inf if dominating else -weights, weights))
    size = float(dual_norm((np.maximum(slope, 0.0) if dominating else slope) / weights, norm))
    return np.asarray(slope / max(size, 1.0))


def common_rises(vertices: np.ndarray, points: np.ndarray, names: pd.Index) -> np.ndarray:
    """How far each point could rise in all metrics together and still be dominated by a mixture of
    the vertices.
    """
    import deabench_models

    s = vertices.shape[1]
    form = compile_template(
        deabench_models.depth, {"P": range(s)}, {"p_o": dict.fromkeys(range(s), 1.0)}
    )
    out = np.empty(len(points))
    for k, point in enumerate(points):
        solver = Solver(expand_template(form, vertices, point))
        solver.run(f"'{names[k]}'")
        out[k] = solver.objective()
    return out


@lru_cache(maxsize=64)
def _face_form(weights: tuple[float, ...], norm: str, dominating: bool) -> Template:
    import deabench_models
    from deabench_models import norms

    s = len(weights)
    linear = (
        "l1" if norm == "l2" else norm
    )  # the least norm asks for linear costs, one after another
    steps = [norms.dominating] if dominating else []
    return compile_template(
        deabench_models.face,
        {"P": range(s)},
        {"p_G": {("g", r): 1.0 for r in range(s)}},
        lambda m: getattr(norms, linear)(m, dict(enumerate(weights))),
        *steps,
    )
