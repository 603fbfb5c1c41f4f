"""The nearest point of the region below hyperplanes, and of one of its facets, extended. All in
boxed metrics.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from deabench.geometry.nearest_points import SHORT, distance, dual_norm
from deabench.geometry.rational import least
from deabench.solver.highs import Infeasible, Solver, Undecided
from deabench.solver.template import Template, expand, template, whole

CUT = 1e-10
"""A facet that cuts a point off by no more than this holds it; a distance that is proved but for
this holds.
"""


def within(
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
        step, mu = _least_distance(normals / weights, 1.0 - normals @ point)
        return point - step / weights, mu / max(float(np.linalg.norm(step)), 1e-300)
    solver = Solver(expand(_halfspace_form(tuple(weights.tolist()), norm), normals, point))
    solver.run("a point outside")
    down, up = np.split(solver.values()[: 2 * len(point)], 2)
    held = np.array([name.startswith("within[") for name in solver.rows])
    found, mu = _in_ball(
        point + up - down, np.maximum(-solver.duals()[held], 0.0), normals, norm, weights
    )
    length = distance((found - point) * weights, norm)
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


def on_facet(
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
        step, _ = _least_distance(matrix, np.append(right, np.zeros(s if dominating else 0)))
        found = point - step / weights
        if np.isfinite(found).all() and not _inside(
            normals, facet, found, CUT
        ):  # what is left, in its own size
            off = np.append(1.0 - normals @ found, normals[facet] @ found - 1.0)
            again, _ = _least_distance(
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
        expand(whole(model, name="halfspaces", symbolic=False), np.zeros((0, 0)), np.zeros(0))
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
    found = least(cost, rows, right)
    if found is None:
        return None
    step, mu = found
    return step[:s] - (0.0 if dominating else step[s : 2 * s]), mu[: len(normals)]


def _inside(normals: np.ndarray, facet: int, point: np.ndarray, tolerance: float = SHORT) -> bool:
    reach = normals @ point
    return bool(reach.max() <= 1 + tolerance and abs(reach[facet] - 1) <= tolerance)


def _least_distance(normals: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The least z with normals·z ≥ -right, by non-negative least squares (Lawson and Hanson 1974,
    LDP), as Σ μ normals, and μ ≥ 0.

    Not finite where there is none.
    """
    from scipy.optimize import nnls

    size = max(
        float(-right.min()), 1e-300
    )  # a point far outside is scaled back: both rows are then about 1
    matrix = np.vstack([normals.T, -right / size])
    target = np.append(np.zeros(normals.shape[1]), 1.0)
    mu, _ = nnls(matrix, target)
    residual = matrix @ mu - target
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(-size * residual[:-1] / residual[-1]), np.asarray(
            -size * mu / residual[-1]
        )


def signed_distance(
    normals: np.ndarray, boxed: np.ndarray, unit: np.ndarray, norm: str
) -> np.ndarray:
    """Distance of boxed points (n, s) to the boundary of {z : normals·z ≤ 1} in the metrics' own
    units: below 0 inside.
    """
    room = (1.0 - boxed @ normals.T) / dual_norm(normals / unit, norm)
    out = -room.min(axis=1)
    size = float(unit.max())
    for k in np.flatnonzero(out > 0):
        move = within(normals, boxed[k], norm, unit / size)[0] - boxed[k]
        out[k] = distance(move * unit, norm)
    return np.asarray(out)


@lru_cache(maxsize=64)
def _halfspace_form(weights: tuple[float, ...], norm: str) -> Template:
    import deabench_models
    from deabench_models import norms

    s = len(weights)
    return template(
        deabench_models.halfspaces,
        {"W": range(s)},
        {"p_G": {("g", r): 1.0 for r in range(s)}},
        lambda m: getattr(norms, norm)(m, dict(enumerate(weights))),
    )
