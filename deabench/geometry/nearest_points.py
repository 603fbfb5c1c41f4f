"""The nearest point of a face: linear programs (L1, L∞) by HiGHS, L2 by non-negative least squares.

Coordinates are boxed metrics, about 1 in size; how much a change counts, metric by metric, is in
the weights of the norm, so that units 1e10 apart stay out of the constraints. The linear programs
are the formulations of `deabench_models.projection`. For L2 without `dominating` non-negative least
squares is exact on its final support; with it, `wolfe` needs linear programs only. What does not
prove itself, as where one metric counts 1e8 times another, is settled in rational arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from deabench.solver.rational_simplex import minimize_exactly, solve_complementarity

REACHED = 5e-11
"""A point that combinations of others miss by no more than this is not extreme, but as one of its
near-duplicates: what holds it then holds them, within `TIGHT`.
"""
STEPS = 500
SAME = 1e-13
"""The norm is least where no point is shorter along it by more than this share of it."""

NORM_ORDERS = {"l1": 1, "l2": 2, "linf": np.inf}
"""The norms, as numpy numbers them."""


def gap_norm(gap: np.ndarray, norm: str) -> float:
    """The plain norm of a gap (s,)."""
    return float(np.linalg.norm(gap, NORM_ORDERS[norm]))


def dual_norm(normals: np.ndarray, norm: str) -> np.ndarray:
    """The dual norm of each normal (..., s): distance to a hyperplane is the residual over it."""
    return np.asarray(np.linalg.norm(normals, {"l1": np.inf, "l2": 2, "linf": 1}[norm], axis=-1))


def nearest_in_hull_l2(vertices: np.ndarray, point: np.ndarray) -> np.ndarray:
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


def nearest_exactly(
    gaps: np.ndarray, weights: np.ndarray, norm: str, dominating: bool
) -> tuple[np.ndarray, np.ndarray] | None:
    """The nearest point of a hull, given by the gaps (k, s) from a point to its vertices, each
    change times its weight.

    Returns
    -------
    (array (k,), array (s,)) or None
        λ, and the slope that proves it: see `points.Projection`; 0 where the point is in the hull.
        With `dominating` among points that are nowhere below; None where there are none.
    """
    exact = [[Fraction(v) for v in row] for row in gaps.tolist()]
    return (
        _euclidean(exact, weights, dominating)
        if norm == "l2"
        else _linear(gaps, weights, norm, dominating)
    )


def _linear(
    gaps: np.ndarray, weights: np.ndarray, norm: str, dominating: bool
) -> tuple[np.ndarray, np.ndarray] | None:
    """In L1 or L∞: λ, what rises, what falls, and for L∞ the largest change."""
    k, s = gaps.shape
    moves = -np.eye(s) if dominating else np.hstack([-np.eye(s), np.eye(s)])
    count = moves.shape[1]
    rows = np.block([[gaps.T, moves], [np.ones((1, k)), np.zeros((1, count))]])
    rows, right = (
        np.vstack([rows, -rows]),
        np.concatenate([np.zeros(s), [1.0], np.zeros(s), [-1.0]]),
    )
    cost = np.concatenate([np.zeros(k), np.tile(weights, count // s)])
    if norm == "linf":
        change = np.hstack(
            [np.zeros((s, k)), np.tile(-np.diag(weights), count // s), np.ones((s, 1))]
        )
        rows = np.vstack([np.hstack([rows, np.zeros((len(rows), 1))]), change])
        right, cost = np.append(right, np.zeros(s)), np.append(np.zeros(k + count), 1.0)
    found = minimize_exactly(cost, rows, right)
    return None if found is None else (found[0][:k], found[1][s + 1 : 2 * s + 1] - found[1][:s])


def _euclidean(
    gaps: list[list[Fraction]], weights: np.ndarray, dominating: bool
) -> tuple[np.ndarray, np.ndarray] | None:
    """In L2, as in `points.closest_l2`: min ‖W G'μ‖² + (Σμ - 1)², μ ≥ 0, where G are the gaps; G'μ
    ≥ 0 does not see the size of μ either. Its optimality conditions are a linear complementarity
    problem with a semidefinite matrix; the slope is W² gap less the multipliers of G'μ ≥ 0, over
    the distance.
    """
    square = [Fraction(w) ** 2 for w in weights.tolist()]
    k, s = len(gaps), len(square) if dominating else 0
    table = [
        [
            sum((a * b * w for a, b, w in zip(one, other, square, strict=True)), Fraction(1))
            for other in gaps
        ]
        + [-v for v in one[:s]]
        for one in gaps
    ]
    table += [[one[r] for one in gaps] + [Fraction(0)] * s for r in range(s)]
    found = solve_complementarity(table, [Fraction(-1)] * k + [Fraction(0)] * s)
    total = sum(found[:k], Fraction(0))
    if not total:
        return None
    lam = [v / total for v in found[:k]]
    gap = [
        sum((v * one[r] for v, one in zip(lam, gaps, strict=True)), Fraction(0))
        for r in range(len(square))
    ]
    slope = [w * v for w, v in zip(square, gap, strict=True)]
    length = float(sum((y * v for y, v in zip(slope, gap, strict=True)), Fraction(0))) ** 0.5
    slope = (
        [v - nu / total for v, nu in zip(slope, found[k:], strict=True)] if dominating else slope
    )
    return np.array([float(v) for v in lam]), np.array([float(v) for v in slope]) / (length or 1.0)


def least_norm_point(
    least: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]], first: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The point x (s,) of least norm, and its description.

    Parameters
    ----------
    least : function of a cost (s,)
        A point (s,) of the polytope with the least cost, preceded by its description (k,), linear
        in the point; the last call is for the x that is returned, so that its duals prove it.
    first : array (s,)
        The cost of the point to start from.
    """
    described, point = least(first)
    what, points, share = described[None], point[None], np.ones(1)
    for _ in range(STEPS):
        x = share @ points
        described, point = least(x)
        if (
            not x.any()
            or x @ point >= x @ x - SAME * max(float(x @ x), np.sqrt(x @ x))
            or (points == point).all(axis=1).any()
        ):
            break
        what, points, share = (
            np.vstack([what, described]),
            np.vstack([points, point]),
            np.append(share, 0.0),
        )
        while True:
            flat = _affine(points)
            if flat.min() > 0:
                share = flat
                break
            falling = flat <= 0
            step = (share[falling] / np.maximum(share[falling] - flat[falling], 1e-300)).min()
            share = np.maximum(share + min(step, 1.0) * (flat - share), 0.0)
            keep = share > 1e-14
            what, points, share = what[keep], points[keep], share[keep] / share[keep].sum()
    return share @ what, share @ points


def _affine(points: np.ndarray) -> np.ndarray:
    """The shares of the points in the point of least norm of their affine hull."""
    basis = (points[1:] - points[0]).T
    step = np.linalg.lstsq(basis, -points[0], rcond=None)[0] if len(points) > 1 else np.zeros(0)
    return np.append(1.0 - step.sum(), step)


def least_distance(normals: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
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


def is_reached(others: np.ndarray, point: np.ndarray) -> bool:
    """Whether a combination of the others dominates the point, or is as good: non-negative least
    squares with slacks.
    """
    from scipy.optimize import nnls

    s = len(point)
    matrix = np.vstack(
        [np.hstack([others.T, -np.eye(s)]), np.append(np.ones(len(others)), np.zeros(s))]
    )
    _, miss = nnls(matrix, np.append(point, 1.0))
    return bool(miss <= REACHED)
