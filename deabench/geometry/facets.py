"""List all facets of what the DMUs span, as the vertices of a polar polytope, by Qhull.

Let the points be the rows y_1 ... y_n > 0 (all metrics higher better). What is attainable by
mixtures and free disposal is {y : y ≤ Σ λ_k y_k, Σ λ_k = 1, λ ≥ 0}. A facet of it is a normal
w ≥ 0 with w·y_k ≤ 1 for all points and = 1 for enough of them: s points, or fewer points and as
many axes r with w_r = 0 (the facet is flat in metric r). These normals are the vertices of the
polytope

    {w : w·y_k ≤ 1 for all k, w ≥ 0},

the polar of the points. Qhull lists the vertices of a polytope as the facets of its dual: seen from
a point `inner` strictly inside the polytope, each of its halfspaces a·w ≤ b becomes the point
a / (b - a·inner), and each facet of the hull of these points is a vertex of the polytope. It is
simplicial where exactly s halfspaces meet; otherwise Qhull cuts it into simplices. Every simplex,
read back, is s points or axes that lie on one facet: a basis of model (5).

The number of facets explodes with the metrics, so this is for s ≤ 6 or so: `check_listable`
estimates it first, because nothing can stop Qhull once it runs.

What the points span does not depend on where the polar is taken. Callers take it from below the
lowest value of every metric, in units of its spread (`deabench.utils.arrays.box`): seen from 0,
classifiers within a few thousandths of each other lie all in one direction, and no determinant
tells their facets from nothing.

This is the only module that calls Qhull.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from deabench.errors import SolveError
from deabench.solver.exact_elimination import solve_linear_system
from deabench.utils.arrays import blocks, box
from deabench.utils.progress import seconds_left
from deabench.utils.rational import to_floats, to_fractions

TIGHT = 1e-10
"""A point is on a hyperplane within this, in metrics boxed to 1 ... 3."""
LOOSE = 5e-10
"""What a simplex of near-duplicates may miss its facet by; a certificate allows 1e-9."""
FLAT = 1e-12
"""A weight below this is 0: the weights of a facet add up to between 1/3 and 1."""
CUT = 1e-11
"""How far a facet that was solved in floating point may cut into a point."""
SINGULAR = 1e-12
"""A simplex whose volume is below this share of its edges' product has no normal of its own."""
FACETS_PER_POINT = {2: 1, 3: 2, 4: 7, 5: 26, 6: 150}
"""Facets per point by the number of metrics, where every point is extreme: about the most there
are.
"""
FEW_FACETS = 200_000
"""So many facets are listed in seconds, without an estimate before."""
MAX_FACETS = 5_000_000
"""More facets than these are not listed: they would take many gigabytes."""
GROWTH = 1.4
"""The estimate lists the facets of parts of the points, each larger than the last by this."""
SAMPLE_SECONDS = 0.2
"""The first part that takes longer than this is the last."""
LISTING = 8
"""Listing facets with their normals takes so many times as long as one call of Qhull."""


class TooManyFacets(SolveError):
    """The facets are too many to be listed in the memory, or in the time that is left."""


@dataclass(frozen=True)
class TriangulatedFacets:
    """The facets of {y ≤ a convex combination of points (n, s)}, cut into simplices.

    Attributes
    ----------
    members : int array (B, s)
        Of each simplex: points 0..n-1, or n + r for axis r (the facet is flat in metric r: w_r =
        0).
    normals : array (f, s)
        w ≥ 0 with w·y ≤ 1 for all points and = 1 on the members; each facet once.
    facet : int array (B,)
        The facet of each simplex; -1 where none holds it to `LOOSE`.
    """

    members: np.ndarray
    normals: np.ndarray
    facet: np.ndarray


def check_listable(points: np.ndarray) -> None:
    """Refuse to list the facets of boxed, distinct points (n, s) where they are too many.

    Raises
    ------
    TooManyFacets
        With the number that is expected.
    """
    n, s = points.shape
    if n * FACETS_PER_POINT.get(s, math.inf) <= FEW_FACETS:
        return
    facets, seconds = estimate_facets(points)
    limit = seconds_left()
    if facets > MAX_FACETS or (limit is not None and seconds > limit):
        raise TooManyFacets(
            f"{n:,} points in {s} metrics have about {facets:.0e} facets, too many to list in "
            f"{'memory' if facets > MAX_FACETS else f'the {limit:.0f} s that are left'}; name "
            "fewer metrics in outputs (up to 6 are listed in seconds)"
        )


def estimate_facets(points: np.ndarray) -> tuple[float, float]:
    """Estimate how many facets points (n, s) have, and the seconds that listing them takes.

    The facets of growing parts of the points follow a power law, whose exponent is at most the
    dimension's half (McMullen's upper bound).
    """
    n, s = points.shape
    # Parts are taken at random, always the same ones: neighbouring rows may be alike.
    order = np.random.default_rng(0).permutation(n)
    # One point has a facet for each metric.
    size, facets, seconds = 1, s, 0.0
    exponent = 1.0
    while size < n and seconds <= SAMPLE_SECONDS:
        last_size, last_facets = size, facets
        size = min(max(size + 1, int(size * GROWTH)), n)
        start = time.perf_counter()
        facets = len(polar_simplices(points[np.sort(order[:size])])[0])
        seconds = time.perf_counter() - start
        # The slope of log(facets) over log(points), from the last two parts.
        exponent = math.log(facets / last_facets) / math.log(size / last_size)
    exponent = min(max(exponent, 1.0), max(s // 2, 1))
    # Continue the law from the largest part that was listed to all points.
    factor = (n / size) ** exponent
    return facets * factor, LISTING * seconds * factor


def list_facets(points: np.ndarray) -> TriangulatedFacets:
    """List the facets of boxed, distinct points (n, s), s ≥ 2, with all simplices, flat ones too.

    Qhull only says which points lie on a facet. The normals are solved again from these points, so
    that they depend on nothing else.
    """
    members, equations = polar_simplices(points)
    # Simplices with one equation were cut from one facet of Qhull's.
    _, group = np.unique(equations, axis=0, return_inverse=True)
    group = group.ravel()
    # Solve one normal per facet, from its best-shaped simplex: the others of it may be slivers.
    rows, right = normal_equations(points, members)
    quality = _shape_quality(rows, right)
    by_group = np.lexsort((-quality, group))
    best = by_group[np.unique(group[by_group], return_index=True)[1]]
    solved = _solve_normals(rows[best], right[best], quality[best])
    sound = _supports(points, solved, CUT)
    # Near-duplicate points make facets twice: one normal stays of those that hold the same points.
    corners = points[np.unique(members[members < len(points)])]
    normals, position = _distinct_normals(corners, solved[sound])
    facet_of_group = np.full(len(best), -1)
    facet_of_group[sound] = position
    facet = facet_of_group[group]
    # A simplex that its facet does not hold (again near-duplicates) gets another, or its own.
    facet[_simplex_errors(points, members, normals, facet) > TIGHT] = -1
    for b in np.flatnonzero(facet < 0).tolist():
        normals, facet[b] = _assign_facet(points, members[b], normals)
    return TriangulatedFacets(members, normals, facet)


def polar_simplices(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Call Qhull on the polar of points (n, s).

    Returns
    -------
    members : int array (B, s)
        The simplices, points before axes, rising.
    equations : array (B, s + 1)
        Of the facet of Qhull's that each was cut from: equal rows are of one facet.
    """
    n = len(points)
    inner = _inner_point(points)
    # The halfspaces y_k·w ≤ 1 and -w_r ≤ 0, seen from the inner point.
    halfspaces = np.vstack(
        [points / (1.0 - points @ inner)[:, None], -np.eye(points.shape[1]) / inner]
    )
    simplices, equations = convex_hull(halfspaces)
    # w = 0, where all axes meet and no point, is a vertex too, and no facet.
    is_facet = (simplices < n).any(axis=1)
    return np.sort(simplices[is_facet], axis=1), equations[is_facet]


def normals_of_equations(points: np.ndarray, equations: np.ndarray) -> np.ndarray:
    """Return the normals (B, s) that Qhull's equations of the polar of the points stand for."""
    # The hyperplane a·z + b = 0 of the dual is the vertex inner - a/b of the polytope.
    normals = _inner_point(points) - equations[:, :-1] / equations[:, -1:]
    return np.asarray(np.maximum(normals, 0.0))


def _inner_point(points: np.ndarray) -> np.ndarray:
    """Return a w > 0 with w·y ≤ 1/2 for all points."""
    return np.full(points.shape[1], 0.5 / points.sum(axis=1).max())


def convex_hull(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return Qhull's simplices (B, k) of the hull of points (n, k), and their equations (B, k + 1).

    The equations are a·z + b ≤ 0. Facets that are no simplices are triangulated ("Qt"), so that
    several simplices have one equation.
    """
    from scipy.spatial import ConvexHull

    hull = ConvexHull(points, qhull_options="Qt")
    return np.asarray(hull.simplices), np.asarray(hull.equations)


def triangulate_facets(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the simplices (B, s) of the facets of points in any units, and which are good."""
    boxed = _box_points(points)
    members, _ = polar_simplices(boxed)
    return members, _shape_quality(*normal_equations(boxed, members)) > SINGULAR


def count_simplices(points: np.ndarray) -> int:
    """Return how many simplices the facets of points in any units are cut into."""
    members, _ = polar_simplices(_box_points(points))
    return len(members)


def _box_points(points: np.ndarray) -> np.ndarray:
    """Return points in metrics boxed to 1 ... 3: determinants take differences of about 1."""
    origin, unit = box(points)
    return np.asarray((points - origin) / unit)


def normal_equations(points: np.ndarray, members: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the equations of the normals of simplices: rows (B, s, s), right-hand sides (B, s).

    A point asks for w·y = 1, axis r for w_r = 0.
    """
    n, s = points.shape
    return np.vstack([points, np.eye(s)])[members], (members < n).astype(float)


def _shape_quality(rows: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the volume of simplices (B, s, s) as a share of their edges' product, 0 where flat."""
    # Edges from the first row to the other points; an axis is a direction itself.
    is_point = right[:, 1:, None] > 0
    edges = np.where(is_point, rows[:, 1:] - rows[:, :1], rows[:, 1:])
    lengths = np.linalg.norm(edges, axis=2).prod(axis=1) * np.linalg.norm(rows[:, 0], axis=1)
    return np.asarray(np.abs(np.linalg.det(rows)) / np.maximum(lengths, 1e-300))


def _solve_normals(rows: np.ndarray, right: np.ndarray, quality: np.ndarray) -> np.ndarray:
    """Solve the normals (B, s) of simplices; NaN where one is flat."""
    solvable = quality > SINGULAR
    normals = np.full(right.shape, np.nan)
    matrices = rows[solvable]
    targets = right[solvable][:, :, None]
    w = np.linalg.solve(matrices, targets)
    # One step of iterative refinement.
    w += np.linalg.solve(matrices, targets - matrices @ w)
    normals[solvable] = w[:, :, 0]
    normals[np.abs(normals) < FLAT] = 0.0
    return normals


def _supports(points: np.ndarray, normals: np.ndarray, tolerance: float) -> np.ndarray:
    """Return which hyperplanes have no negative weight and cut into no point."""
    supports = np.asarray((normals >= 0).all(axis=1))
    for rows in blocks(len(normals), len(points)):
        supports[rows] &= (normals[rows] @ points.T).max(axis=1) <= 1.0 + tolerance
    return supports


def _distinct_normals(points: np.ndarray, normals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return each hyperplane once (f, s), known by what lies on it, and the position of each given.

    They are sorted by their weights: Qhull's order depends on the order of the points.
    """
    # One bit for each point and each axis: whether the hyperplane holds it.
    bits = np.empty((len(normals), (len(points) + normals.shape[1] + 7) // 8), dtype=np.uint8)
    for rows in blocks(len(normals), len(points)):
        on = np.abs(normals[rows] @ points.T - 1.0) <= TIGHT
        bits[rows] = np.packbits(np.hstack([on, normals[rows] == 0]), axis=1)
    # Hyperplanes that hold the same points and axes are one.
    _, first, position = np.unique(bits, axis=0, return_index=True, return_inverse=True)
    order = np.lexsort(normals[first].T[::-1])
    # rank[j] is the place of the j-th distinct hyperplane after sorting.
    rank = np.empty(len(order), dtype=int)
    rank[order] = np.arange(len(order))
    return normals[first[order]], rank[position.ravel()]


def _simplex_errors(
    points: np.ndarray, members: np.ndarray, normals: np.ndarray, facet: np.ndarray
) -> np.ndarray:
    """Return how far the members of each simplex lie off its facet; infinite where it has none."""
    if not len(normals):
        return np.full(len(members), np.inf)
    rows, right = normal_equations(points, members)
    # Row i of simplex b asks for rows[b, i]·w = right[b, i].
    off = np.abs(np.einsum("bij,bj->bi", rows, normals[facet]) - right)
    # The weight of an axis must be 0 exactly: certificates count on it.
    off[(right == 0) & (off > 0)] = np.inf
    return np.where(facet >= 0, off.max(axis=1), np.inf)


def _assign_facet(
    points: np.ndarray, simplex: np.ndarray, normals: np.ndarray
) -> tuple[np.ndarray, int]:
    """Return the normals, one more if needed, and the facet of a simplex that has none; -1: none.

    The best of the known facets, if it holds the simplex tightly; then its own normal, exactly;
    then the best known one, if it holds the simplex loosely.
    """
    # Hold the one simplex against every facet.
    repeated = np.broadcast_to(simplex, (len(normals), len(simplex)))
    errors = _simplex_errors(points, repeated, normals, np.arange(len(normals)))
    if len(errors) and errors.min() <= TIGHT:
        return normals, int(np.argmin(errors))
    exact = _exact_normal(points, simplex)
    if exact is not None and _supports(points, exact[None], LOOSE)[0]:
        return np.vstack([normals, exact]), len(normals)
    if len(errors) and errors.min() <= LOOSE:
        return normals, int(np.argmin(errors))
    return normals, -1


def _exact_normal(points: np.ndarray, simplex: np.ndarray) -> np.ndarray | None:
    """Return the normal of one simplex, solved in fractions; None where it is exactly flat."""
    rows, right = normal_equations(points, simplex[None])
    matrix = [to_fractions(row) for row in rows[0]]
    solution = solve_linear_system(matrix, [[b] for b in to_fractions(right[0])])
    if solution is None:
        return None
    w = to_floats([row[0] for row in solution])
    return np.where(np.abs(w) < FLAT, 0.0, w)
