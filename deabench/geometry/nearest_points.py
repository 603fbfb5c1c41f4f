"""The nearest point of a face: linear programs (L1, L∞) by HiGHS, L2 by non-negative least squares.

Coordinates are boxed metrics, about 1 in size; how much a change counts, metric by metric, is in
the weights of the norm, so that units 1e10 apart stay out of the constraints. The linear programs
are the formulations of `deabench_models.projection`. For L2 without `dominating` non-negative least
squares is exact on its final support; with it, `wolfe` needs linear programs only. What does not
prove itself, as where one metric counts 1e8 times another, is settled in rational arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

from deabench.geometry.rational import nearest
from deabench.geometry.wolfe import least_norm
from deabench.solver.highs import Infeasible, Solver, Undecided
from deabench.solver.template import Template, expand, template

ORDER = {"l1": 1, "l2": 2, "linf": np.inf}
"""The norms, as numpy numbers them."""
SHORT = 1e-9
"""A face that falls short of the point by no more than this still dominates it."""
LOOSE = 1e-10
"""A projection whose slope proves less than its distance by more than this is settled in rational
arithmetic.
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


class Faces:
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
        length = distance((lam @ self.vertices[face] - self.point) * self.weights, self.norm)
        return self._settled(
            face,
            Projection(length, lam, within_ball(slope, self.weights, self.norm, self.dominating)),
        )

    def _least_squares(self, face: np.ndarray) -> Projection:
        lam = closest_l2(self.vertices[face] * self.weights, self.point * self.weights)
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
            program.costs(cost * self.weights)
            lam, slope[:] = program.solved(face, patient=False)
            return lam, (lam @ vertices - self.point) * self.weights

        lam, gap = least_norm(least, np.ones(len(self.point)))
        length = float(np.linalg.norm(gap))
        proof = within_ball(slope / length, self.weights, "l2", True) if length > 0 else None
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
        exact = nearest(self.vertices[face] - self.point, self.weights, self.norm, self.dominating)
        if exact is None:
            return None
        lam, slope = exact
        length = distance((lam @ self.vertices[face] - self.point) * self.weights, self.norm)
        return Projection(
            length,
            lam,
            within_ball(slope, self.weights, self.norm, self.dominating) if slope.any() else None,
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
        program = expand(form, vertices, np.zeros(s))
        self.first = len(program.cost) - e
        self.rows = np.array([name.startswith("target[") for name in program.row_names])
        self.gains = np.array(
            [k for k, name in enumerate(program.column_names) if name.startswith("l[")]
        )
        self.lower, self.upper = program.lower, program.upper
        self.solver = Solver(program)
        self.solver.column_bounds(self.first + np.arange(e), np.zeros(e), np.zeros(e))
        self.open = np.zeros(0, dtype=int)

    def start(self, point: np.ndarray, name: str) -> None:
        self.name = name
        self.lower[self.rows] = self.upper[self.rows] = point
        self.solver.bounds(self.lower, self.upper)
        self.solver.forget()

    def costs(self, values: np.ndarray) -> None:
        """What a gain in each metric costs."""
        self.solver.costs(self.gains, values)

    def solved(self, face: np.ndarray, *, patient: bool) -> tuple[np.ndarray, np.ndarray]:
        """λ over the face, and the slope that proves it."""
        free = np.isin(both := np.union1d(self.open, face), face)
        self.solver.column_bounds(
            self.first + both, np.zeros(len(both)), np.where(free, np.inf, 0.0)
        )
        self.open = face
        self.solver.run(self.name, patient=patient)
        lam = np.maximum(self.solver.values()[self.first + face], 0.0)
        return lam / lam.sum(), -self.solver.duals()[self.rows]


def within_ball(slope: np.ndarray, weights: np.ndarray, norm: str, dominating: bool) -> np.ndarray:
    """The slope brought to a dual norm of at most 1, which solvers exceed by their tolerance; if
    `dominating` what is above 0.
    """
    if norm == "l1":
        return np.asarray(np.clip(slope, -np.inf if dominating else -weights, weights))
    size = float(dual_norm((np.maximum(slope, 0.0) if dominating else slope) / weights, norm))
    return np.asarray(slope / max(size, 1.0))


def distance(gap: np.ndarray, norm: str) -> float:
    """The plain norm of a gap (s,)."""
    return float(np.linalg.norm(gap, ORDER[norm]))


def dual_norm(normals: np.ndarray, norm: str) -> np.ndarray:
    """The dual norm of each normal (..., s): distance to a hyperplane is the residual over it."""
    return np.asarray(np.linalg.norm(normals, {"l1": np.inf, "l2": 2, "linf": 1}[norm], axis=-1))


def closest_l2(vertices: np.ndarray, point: np.ndarray) -> np.ndarray:
    """λ of the Euclidean projection on a hull: min ‖(V−p)'μ‖² + (Σμ − 1)², μ ≥ 0, whose μ is λ up
    to its sum.

    For a direction λ the best multiple t of it gives d²/(1 + d²), which rises with the distance d;
    so the least of it is at the nearest point. The shift is scaled so that d is about 1."""
    from scipy.optimize import nnls

    shifted = vertices - point
    size = max(np.abs(shifted).max(), 1e-300)
    mu, _ = nnls(
        np.vstack([shifted.T / size, np.ones(len(vertices))]), np.append(np.zeros(len(point)), 1.0)
    )
    return np.asarray(mu / mu.sum())


def depths(vertices: np.ndarray, points: np.ndarray, names: pd.Index) -> np.ndarray:
    """How far each point could rise in all metrics together and still be dominated by a mixture of
    the vertices.
    """
    import deabench_models

    s = vertices.shape[1]
    form = template(deabench_models.depth, {"P": range(s)}, {"p_o": dict.fromkeys(range(s), 1.0)})
    out = np.empty(len(points))
    for k, point in enumerate(points):
        solver = Solver(expand(form, vertices, point))
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
    return template(
        deabench_models.face,
        {"P": range(s)},
        {"p_G": {("g", r): 1.0 for r in range(s)}},
        lambda m: getattr(norms, linear)(m, dict(enumerate(weights))),
        *steps,
    )
