"""The nearest point of a face, and of a polyhedron: linear programs (L1, L∞) by HiGHS, L2 by non-negative least squares.

Everything is in coordinates in which the norm is plain: metrics times their weights. The linear programs are the formulations
of `deabench_models.projection`. For L2 they are convex QPs that non-negative least squares solves exactly on its final support;
only `dominating` needs HiGHS's QP. The tests hold both ways against each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from deabench.solve.highs import Infeasible, Solver
from deabench.solve.nearest.faces import Hull
from deabench.solve.template import Template, expand, template

ORDER = {"l1": 1, "l2": 2, "linf": np.inf}
"""The norms, as numpy numbers them."""
STEEP = 1e3
"""A slope above this bounds no distance: in metrics of about 1 its products may be off by 1e-12."""


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
        y with dual norm at most 1 under which the distance is the least y·(v - point) over the face; for every other face that
        is a lower bound. With `dominating`, only the positive part of y has to have that norm. None where there is no point, or
        where y is so steep that its products round to more than distances differ by.
    """

    distance: float
    lam: np.ndarray
    slope: np.ndarray | None


class Faces:
    """Projections on the faces of one set of vertices (e, s): one model with all λ, those outside of the face held at 0."""

    def __init__(self, vertices: np.ndarray, norm: str, dominating: bool) -> None:
        self.vertices, self.norm, self.dominating = vertices, norm, dominating
        e, s = vertices.shape
        self.form = _face_form(s, norm, dominating)
        self.solver: Solver | None = None
        if norm != "l2":
            program = expand(self.form, vertices, np.zeros(s))
            self.first = len(program.cost) - e
            self.rows = np.array([name.startswith("target[") for name in program.row_names])
            self.lower, self.upper = program.lower, program.upper
            self.solver = Solver(program)
            self.solver.column_bounds(self.first + np.arange(e), np.zeros(e), np.zeros(e))
            self.open = np.zeros(0, dtype=int)

    def start(self, point: np.ndarray, name: str) -> None:
        """Project `point` (s,) from here on; `name` is the DMU's in errors. What is found does not depend on the points before."""
        self.point, self.name = point, name
        if self.solver is not None:
            self.lower[self.rows] = self.upper[self.rows] = point
            self.solver.bounds(self.lower, self.upper)
            self.solver.forget()

    def nearest(self, face: np.ndarray) -> Projection:
        """The nearest point of the face with the vertices `face` (k,)."""
        vertices, point = self.vertices[face], self.point
        if self.norm == "l2":
            lam = self._quadratic(vertices) if self.dominating else closest_l2(vertices, point)
            if lam is None:
                return Projection(np.inf, np.zeros(len(face)), None)
            gap = lam @ vertices - point
            length = float(np.linalg.norm(gap))
            return Projection(length, lam, gap / length if length > 0 else None)
        assert self.solver is not None
        self._hold(face)
        try:
            self.solver.run(self.name)
        except Infeasible:
            return Projection(np.inf, np.zeros(len(face)), None)
        lam = np.maximum(self.solver.values()[self.first + face], 0.0)
        lam /= lam.sum()
        slope = -self.solver.duals()[self.rows]
        slope /= max(dual_norm(np.maximum(slope, 0.0) if self.dominating else slope, self.norm), 1.0)
        length = distance(lam @ vertices - point, self.norm)
        return Projection(length, lam, slope if np.abs(slope).max() <= STEEP else None)

    def _hold(self, face: np.ndarray) -> None:
        """Free the λ of the face, hold those of the last at 0."""
        assert self.solver is not None
        free = np.isin(both := np.union1d(self.open, face), face)
        self.solver.column_bounds(self.first + both, np.zeros(len(both)), np.where(free, np.inf, 0.0))
        self.open = face

    def _quadratic(self, vertices: np.ndarray) -> np.ndarray | None:
        """λ by HiGHS's QP, made exact; None where no point of the face will do."""
        solver = Solver(expand(self.form, vertices, self.point))
        try:
            solver.run(self.name)
        except Infeasible:
            return None
        lam = np.maximum(solver.values()[-len(vertices):], 0.0)
        return _settled(vertices, self.point, lam / lam.sum())


def distance(gap: np.ndarray, norm: str) -> float:
    """The plain norm of a gap (s,)."""
    return float(np.linalg.norm(gap, ORDER[norm]))


def dual_norm(normals: np.ndarray, norm: str) -> np.ndarray:
    """The dual norm of each normal (..., s): distance to a hyperplane is the residual over it."""
    return np.linalg.norm(normals, {"l1": np.inf, "l2": 2, "linf": 1}[norm], axis=-1)


def closest_l2(vertices: np.ndarray, point: np.ndarray) -> np.ndarray:
    """λ of the Euclidean projection on a hull: min ‖(V−p)'μ‖² + (Σμ − 1)², μ ≥ 0, whose μ is λ up to its sum.

    For a direction λ the best multiple t of it gives d²/(1 + d²), which rises with the distance d; so the least of it is at
    the nearest point. The shift is scaled so that d is about 1.
    """
    from scipy.optimize import nnls

    shifted = vertices - point
    size = max(np.abs(shifted).max(), 1e-300)
    mu, _ = nnls(np.vstack([shifted.T / size, np.ones(len(vertices))]), np.append(np.zeros(len(point)), 1.0))
    return mu / mu.sum()


def within(normals: np.ndarray, point: np.ndarray, norm: str) -> np.ndarray:
    """The nearest point of {y : normals·y ≤ 1} to a point outside of it."""
    if norm == "l2":
        return point - _least_distance(normals, 1.0 - normals @ point)
    form = _halfspace_form(len(point), norm)
    solver = Solver(expand(form, normals, point))
    solver.run("a point outside")
    down, up = np.split(solver.values()[: 2 * len(point)], 2)
    return point + up - down


def _least_distance(normals: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The least z with normals·z ≥ -right, by non-negative least squares (Lawson and Hanson 1974, LDP)."""
    from scipy.optimize import nnls

    need = -right
    matrix = np.vstack([normals.T, need])
    target = np.append(np.zeros(normals.shape[1]), 1.0)
    mu, _ = nnls(matrix, target)
    residual = matrix @ mu - target
    return -residual[:-1] / residual[-1]


def signed_distance(hull: Hull, unit: np.ndarray, values: np.ndarray, norm: str) -> np.ndarray:
    """Distance to the boundary of the attainable set in the metrics' own units: below 0 inside, above 0 outside."""
    normals = hull.normals / unit
    room = (1.0 - values @ normals.T) / dual_norm(normals, norm)
    out = -room.min(axis=1)
    for k in np.flatnonzero(out > 0):
        out[k] = distance(within(normals, values[k], norm) - values[k], norm)
    return out


@lru_cache(maxsize=64)
def _face_form(s: int, norm: str, dominating: bool) -> Template:
    import deabench_models
    from deabench_models import norms

    steps = [norms.dominating] if dominating else []
    weights = dict.fromkeys(range(s), 1.0)
    return template(deabench_models.face, {"P": range(s)}, {"p_G": {("g", r): 1.0 for r in range(s)}},
                    lambda m: getattr(norms, norm)(m, weights), *steps)


@lru_cache(maxsize=64)
def _halfspace_form(s: int, norm: str) -> Template:
    import deabench_models
    from deabench_models import norms

    weights = dict.fromkeys(range(s), 1.0)
    return template(deabench_models.halfspaces, {"W": range(s)}, {"p_G": {("g", r): 1.0 for r in range(s)}},
                    lambda m: getattr(norms, norm)(m, weights))


def _settled(vertices: np.ndarray, point: np.ndarray, lam: np.ndarray) -> np.ndarray:
    """The QP's λ made exact on its final support: equality-constrained least squares over the vertices in use and the
    metrics that are held at the point."""
    used = lam > 1e-7
    held = np.abs(lam @ vertices - point) <= 1e-7
    rows = vertices[used]
    k, h = int(used.sum()), int(held.sum())
    system = np.zeros((k + 1 + h, k + 1 + h))
    system[:k, :k] = rows @ rows.T
    fixed = np.column_stack([np.ones(k), rows[:, held]])
    system[:k, k:], system[k:, :k] = fixed, fixed.T
    right = np.concatenate([rows @ point, [1.0], point[held]])
    better = np.linalg.lstsq(system, right, rcond=None)[0][:k]
    out = np.zeros(len(lam))
    out[used] = better
    sound = better.min() >= 0 and ((out @ vertices - point) >= -1e-9).all() and np.linalg.norm(
        out @ vertices - point) <= np.linalg.norm(lam @ vertices - point) + 1e-7
    return out if sound else lam
