"""Nearest points without a solver: non-negative least squares, Wolfe's method and fractions.

Coordinates are boxed metrics, about 1 in size; how much a change counts, metric by metric, is in
the weights of the norm, so that units 1e10 apart stay out of the constraints. This is the only
module that calls non-negative least squares (NNLS). `deabench.geometry.projections` chooses between
these methods and linear programs.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from deabench.solver.rational_simplex import minimize_exactly, solve_complementarity
from deabench.utils.rational import inner_product, to_floats, to_fractions

REACHED = 5e-11
"""A point that combinations of others miss by no more than this is not extreme, but as one of its
near-duplicates: what holds it then holds them, within `deabench.geometry.facets.TIGHT`.
"""
STEPS = 500
"""Steps of Wolfe's method, at most."""
SAME = 1e-13
"""The norm is least where no point is shorter along it by more than this share of it."""
NORM_ORDERS = {"l1": 1, "l2": 2, "linf": np.inf}
"""The norms, as numpy numbers them."""
DUAL_NORM_ORDERS = {"l1": np.inf, "l2": 2, "linf": 1}
"""Their dual norms."""


def gap_norm(gap: np.ndarray, norm: str) -> float:
    """Return the norm of a gap (s,)."""
    return float(np.linalg.norm(gap, NORM_ORDERS[norm]))


def dual_norm(normals: np.ndarray, norm: str) -> np.ndarray:
    """Return the dual norm of each normal (..., s): the residual over it is a distance."""
    return np.asarray(np.linalg.norm(normals, DUAL_NORM_ORDERS[norm], axis=-1))


def _solve_nnls(matrix: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, float]:
    """Minimize ‖matrix·x - target‖ over x ≥ 0; return x and the residual's length."""
    from scipy.optimize import nnls  # a ranking imports this module, and needs no scipy

    x, length = nnls(matrix, target)
    return np.asarray(x), float(length)


def is_reached(members: np.ndarray, point: np.ndarray) -> bool:
    """Return whether a combination of the members (k, s) is nowhere below the point (s,)."""
    # Σ λ_k y_k - slack = point and Σ λ_k = 1 with λ, slack ≥ 0, in the least squares sense.
    s = len(point)
    metric_rows = np.hstack([members.T, -np.eye(s)])
    sum_row = np.append(np.ones(len(members)), np.zeros(s))
    _, residual = _solve_nnls(np.vstack([metric_rows, sum_row]), np.append(point, 1.0))
    return bool(residual <= REACHED)


def nearest_in_hull_l2(vertices: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Return λ (k,) of the Euclidean projection of a point (s,) on the hull of vertices (k, s).

    NNLS solves min ‖(V - p)'μ‖² + (Σμ - 1)², μ ≥ 0. For a direction λ the best multiple t λ gives
    d² / (1 + d²), which rises with the distance d = ‖(V - p)'λ‖; so μ is λ up to its sum.
    """
    shifted = vertices - point
    size = max(np.abs(shifted).max(), 1e-300)  # d is then about 1, and both terms count alike
    matrix = np.vstack([shifted.T / size, np.ones(len(vertices))])
    mu, _ = _solve_nnls(matrix, np.append(np.zeros(len(point)), 1.0))
    return np.asarray(mu / mu.sum())


def least_distance(normals: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the least z with normals·z ≥ -right, as Σ μ normals, and μ ≥ 0; not finite if none.

    Least distance programming by NNLS (Lawson and Hanson 1974, chapter 23): with the residual r of
    min ‖[normals'; -right'] μ - (0, 1)‖, μ ≥ 0, the answer is -r[:-1] / r[-1].
    """
    # A point far outside is scaled back, so that both parts of the rows are about 1.
    size = max(float(-right.min()), 1e-300)
    matrix = np.vstack([normals.T, -right / size])
    target = np.append(np.zeros(normals.shape[1]), 1.0)
    mu, _ = _solve_nnls(matrix, target)
    residual = matrix @ mu - target
    with np.errstate(divide="ignore", invalid="ignore"):
        z = -size * residual[:-1] / residual[-1]
        return np.asarray(z), np.asarray(-size * mu / residual[-1])


def least_norm_point(
    minimize: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]], first: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the point x (s,) of least norm of a polytope that only a linear program describes.

    Wolfe (1976), Mathematical Programming 11:128-149.

    Parameters
    ----------
    minimize : function of a cost (s,)
        A point (s,) of the polytope with the least cost, preceded by its description (k,), linear
        in the point. The last call is for the x that is returned, so that its duals prove it.
    first : array (s,)
        The cost of the point to start from.

    Returns
    -------
    tuple of array (k,) and array (s,)
        The description of x, and x.
    """
    description, point = minimize(first)
    descriptions = description[None]
    corners = point[None]
    share = np.ones(1)
    for _ in range(STEPS):
        # x has the least norm of the hull of the corners; it has that of the polytope if no point
        # of this is shorter along x.
        x = share @ corners
        description, point = minimize(x)
        square = float(x @ x)
        is_least = x @ point >= square - SAME * max(square, np.sqrt(square))
        if not x.any() or is_least or (corners == point).all(axis=1).any():
            break
        descriptions = np.vstack([descriptions, description])
        corners = np.vstack([corners, point])
        share = np.append(share, 0.0)
        while True:
            # Go to the least norm of the affine hull if that is inside the hull of the corners.
            affine = _affine_shares(corners)
            if affine.min() > 0:
                share = affine
                break
            # Otherwise go as far as all shares stay ≥ 0, and drop the corners that reach 0.
            falling = affine <= 0
            drop = np.maximum(share[falling] - affine[falling], 1e-300)
            step = (share[falling] / drop).min()
            share = np.maximum(share + min(step, 1.0) * (affine - share), 0.0)
            positive = share > 1e-14
            descriptions = descriptions[positive]
            corners = corners[positive]
            share = share[positive] / share[positive].sum()
    return share @ descriptions, share @ corners


def _affine_shares(points: np.ndarray) -> np.ndarray:
    """Return the shares of points in the point of least norm of their affine hull."""
    if len(points) == 1:
        return np.ones(1)
    edges = (points[1:] - points[0]).T
    step = np.linalg.lstsq(edges, -points[0], rcond=None)[0]
    return np.append(1.0 - step.sum(), step)


def nearest_exactly(
    gaps: np.ndarray, weights: np.ndarray, norm: str, dominating: bool
) -> tuple[np.ndarray, np.ndarray] | None:
    """Find the nearest point of a hull, given by the gaps (k, s) from a point to its vertices.

    Parameters
    ----------
    weights : array (s,)
        The norm is that of weights times the change.
    dominating : bool
        Only points nowhere below the given one.

    Returns
    -------
    (array (k,), array (s,)) or None
        λ, and the slope that proves it (see `deabench.geometry.projections.Projection`), 0 where
        the point is in the hull. None where no point is allowed.
    """
    if norm == "l2":
        return _nearest_l2_exactly(gaps, weights, dominating)
    k, s = gaps.shape
    # gaps'λ = rises - falls and Σ λ = 1, each equation as two inequalities.
    moves = change_columns(s, dominating)
    equations = np.block([[gaps.T, -moves], [np.ones((1, k)), np.zeros((1, moves.shape[1]))]])
    right = np.append(np.zeros(s), 1.0)
    solution = minimize_change(
        np.vstack([equations, -equations]), np.append(right, -right), k, weights, norm
    )
    if solution is None:
        return None
    z, dual = solution
    return z[:k], dual[s + 1 : 2 * s + 1] - dual[:s]


def change_columns(s: int, dominating: bool) -> np.ndarray:
    """Return the signs (s, s or 2 s) with which rises, then falls make a change; no falls if so."""
    return np.eye(s) if dominating else np.hstack([np.eye(s), -np.eye(s)])


def minimize_change(
    rows: np.ndarray, right: np.ndarray, k: int, weights: np.ndarray, norm: str
) -> tuple[np.ndarray, np.ndarray] | None:
    """Minimise a norm of a change exactly, L1 or L∞, subject to rows·z ≥ right, z ≥ 0.

    z holds k other variables, then the rises (and falls). Returns z, with the largest change at its
    end for L∞, and the duals of the rows, then for L∞ those of the changes; None: there is no z.
    """
    s = len(weights)
    count = rows.shape[1] - k
    if norm == "l1":
        cost = np.append(np.zeros(k), np.tile(weights, count // s))
        return minimize_exactly(cost, rows, right)
    # L∞ minimises a bound that is at least the weighted change in each metric.
    change = np.hstack([np.zeros((s, k)), np.tile(-np.diag(weights), count // s), np.ones((s, 1))])
    rows = np.vstack([np.hstack([rows, np.zeros((len(rows), 1))]), change])
    cost = np.append(np.zeros(k + count), 1.0)
    return minimize_exactly(cost, rows, np.append(right, np.zeros(s)))


def _nearest_l2_exactly(
    gaps: np.ndarray, weights: np.ndarray, dominating: bool
) -> tuple[np.ndarray, np.ndarray] | None:
    """Do `nearest_exactly` for L2.

    As in `nearest_in_hull_l2`: min ‖W G'μ‖² + (Σμ - 1)², μ ≥ 0, where G are the gaps; G'μ ≥ 0 does
    not see the size of μ either. The optimality conditions are a linear complementarity problem
    with a positive semidefinite matrix. The slope is W² gap, less the multipliers ν of G'μ ≥ 0,
    over the distance.
    """
    G = [to_fractions(row) for row in gaps]
    squares = [w**2 for w in to_fractions(weights)]
    k = len(G)
    # [G W² G' + 1 1',  -G] [μ]   [-1]
    # [G',               0] [ν] + [ 0]  ≥ 0, complementary to (μ, ν) ≥ 0.
    bounded = len(squares) if dominating else 0
    table = []
    for row in G:
        products = [
            sum((a * b * w for a, b, w in zip(row, column, squares, strict=True)), Fraction(1))
            for column in G
        ]
        table.append(products + [-v for v in row[:bounded]])
    for r in range(bounded):
        table.append([row[r] for row in G] + [Fraction(0)] * bounded)
    solution = solve_complementarity(table, [Fraction(-1)] * k + [Fraction(0)] * bounded)
    size = sum(solution[:k], Fraction(0))
    if not size:
        return None
    lam = [v / size for v in solution[:k]]
    gap = [inner_product(lam, [row[r] for row in G]) for r in range(len(squares))]
    slope = [w * v for w, v in zip(squares, gap, strict=True)]
    square = inner_product(slope, gap)
    length = float(square) ** 0.5
    if dominating:
        slope = [v - nu / size for v, nu in zip(slope, solution[k:], strict=True)]
    return to_floats(lam), to_floats(slope) / (length or 1.0)
