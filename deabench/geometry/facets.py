"""All facets at once, for few metrics: the vertices of the polytope of (6), by Qhull.

A facet of the frontier is a weight vector w ≥ 0 with max_j w·Y_j = 1, and s reference DMUs (or
axes, where w_r = 0) that reach it: a basis of (5). Qhull lists them all, and scoring every DMU is
one matrix product. Their number explodes with the metrics, so this is for s ≤ 6 or so.

The facets of what the DMUs span with free disposal do not depend on where the polar is taken. It is
taken from below the lowest value of every metric, in units of its spread
(`deabench.utils.arrays.box`): from 0, classifiers that lie within a few thousandths of each other
are all in one direction, and no determinant tells their facets from nothing."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from deabench.utils.arrays import blocks, box

TIGHT = 1e-10
"""A point is on a hyperplane within this, in metrics boxed to 1 ... 3."""
LOOSE = 5e-10
"""What a simplex of near-duplicates may miss its facet by; a certificate allows 1e-9."""
FLAT = 1e-12
"""A weight below this is 0: the weights of a facet add up to between 1/3 and 1."""
CUT = 1e-11
"""How far a facet that was solved in floating point may cut into a point."""
SINGULAR = 1e-12
"""A simplex whose volume is below this share of its edges' product has no facet of its own."""


@dataclass(frozen=True)
class TriangulatedFacets:
    """The facets of {y ≤ a convex combination of points (n, s)}, triangulated.

    Attributes
    ----------
    members : int array (B, s)
        Of each simplex: points 0..n-1, or n + r for the axis r (the facet is flat in metric r: w_r
        = 0).
    normals : array (f, s)
        w ≥ 0 with w·y ≤ 1 for all points and = 1 on the members; each facet once.
    facet : int array (B,)
        The facet of each simplex; -1 where none holds it to `LOOSE`.
    """

    members: np.ndarray
    normals: np.ndarray
    facet: np.ndarray


def list_facets(points: np.ndarray) -> TriangulatedFacets:
    """All facets of boxed, distinct points (n, s), s ≥ 2, with every simplex of their
    triangulation, flat ones included.

    A simplex that Qhull made by triangulating a facet takes the normal of the best-shaped simplex
    of that facet; one that no normal holds (near-duplicates) is solved in rational arithmetic."""
    members, equations = polar_simplices(points)
    _, group = np.unique(equations, axis=0, return_inverse=True)
    group = group.ravel()
    rows, right = _system(points, members)
    shape = _shape(rows, right)
    best = np.lexsort((-shape, group))
    best = best[
        np.unique(group[best], return_index=True)[1]
    ]  # of each of Qhull's facets the best-shaped simplex
    own = _solved(rows[best], right[best], shape[best])
    sound = _holds(points, own, CUT)
    normals, place = _distinct(points[np.unique(members[members < len(points)])], own[sound])
    at = np.full(len(best), -1)
    at[sound] = place
    facet = at[group]
    facet[_misses(points, members, normals, facet) > TIGHT] = -1
    for b in np.flatnonzero(facet < 0).tolist():
        normals, facet[b] = _placed(points, members[b], normals)
    return TriangulatedFacets(members, normals, facet)


def triangulate_facets(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The simplices of the facets of points (n, s) in any units: members (B, s) as in `Surface`,
    and which are well-shaped.
    """
    origin, unit = box(points)
    boxed = (points - origin) / unit
    members, _ = polar_simplices(boxed)
    return members, _shape(*_system(boxed, members)) > SINGULAR


def polar_simplices(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Qhull's simplices (B, s) of the polar, points before axes, and the equations (B, s + 1) of
    the facets they were cut from.
    """
    from scipy.spatial import ConvexHull

    n, s = points.shape
    inner = np.full(s, 0.5 / points.sum(axis=1).max())
    planes = np.vstack([points / (1.0 - points @ inner)[:, None], -np.eye(s) / inner])
    found = ConvexHull(planes, qhull_options="Qt")
    facets = (found.simplices < n).any(axis=1)  # w = 0 is a vertex too, and no facet
    return np.sort(found.simplices[facets], axis=1), found.equations[facets]


def _system(points: np.ndarray, members: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The equations of a simplex' normal: rows (B, s, s) and right-hand sides (B, s)."""
    n, s = points.shape
    return np.vstack([points, np.eye(s)])[members], (members < n).astype(float)


def _shape(rows: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The volume of simplices (B, s, s) as a share of their edges' product: 0 where flat, whatever
    their size.
    """
    points = right[:, 1:, None] > 0
    edges = np.where(points, rows[:, 1:] - rows[:, :1], rows[:, 1:])
    lengths = np.linalg.norm(edges, axis=2).prod(axis=1) * np.linalg.norm(rows[:, 0], axis=1)
    return np.asarray(np.abs(np.linalg.det(rows)) / np.maximum(lengths, 1e-300))


def _solved(rows: np.ndarray, right: np.ndarray, shape: np.ndarray) -> np.ndarray:
    """The normals (B, s) of simplices, refined once; NaN where one is flat."""
    good = shape > SINGULAR
    out = np.full(right.shape, np.nan)
    w = np.linalg.solve(rows[good], right[good][:, :, None])
    w += np.linalg.solve(rows[good], right[good][:, :, None] - rows[good] @ w)
    out[good] = w[:, :, 0]
    out[np.abs(out) < FLAT] = 0.0
    return out


def _holds(points: np.ndarray, normals: np.ndarray, tolerance: float) -> np.ndarray:
    """Which hyperplanes have no negative weight and cut into no point."""
    holds = np.asarray((normals >= 0).all(axis=1))
    for part in blocks(len(normals), len(points)):
        holds[part] &= (normals[part] @ points.T).max(axis=1) <= 1.0 + tolerance
    return holds


def _distinct(points: np.ndarray, normals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The normals (f, s) with each hyperplane once, known by what lies on it, and the place of each
    of the given.
    """
    bits = np.empty((len(normals), (len(points) + normals.shape[1] + 7) // 8), dtype=np.uint8)
    for part in blocks(len(normals), len(points)):
        on = np.abs(normals[part] @ points.T - 1.0) <= TIGHT
        bits[part] = np.packbits(np.hstack([on, normals[part] == 0]), axis=1)
    _, first, place = np.unique(bits, axis=0, return_index=True, return_inverse=True)
    order = np.lexsort(
        normals[first].T[::-1]
    )  # by their weights, the first metric's first: Qhull's order is nobody's
    rank = np.empty(len(order), dtype=int)
    rank[order] = np.arange(len(order))
    return normals[first[order]], rank[place.ravel()]


def _misses(
    points: np.ndarray, members: np.ndarray, normals: np.ndarray, facet: np.ndarray
) -> np.ndarray:
    """How far the members of each simplex lie off the facet that it was given; infinite where it
    has none.
    """
    rows, right = _system(points, members)
    if not len(normals):
        return np.full(len(members), np.inf)
    off = np.abs(np.einsum("bij,bj->bi", rows, normals[facet]) - right)
    off[(right == 0) & (off > 0)] = np.inf  # flat is exact
    return np.where(facet >= 0, off.max(axis=1), np.inf)


def _placed(points: np.ndarray, simplex: np.ndarray, normals: np.ndarray) -> tuple[np.ndarray, int]:
    """The facet of a simplex that has none yet: one that is known, or its own in rational
    arithmetic; -1 where neither holds.
    """
    for limit in (TIGHT, LOOSE):
        off = _misses(
            points,
            np.broadcast_to(simplex, (len(normals), len(simplex))),
            normals,
            np.arange(len(normals)),
        )
        if len(off) and off.min() <= limit:
            return normals, int(np.argmin(off))
        if limit == TIGHT:
            own = _rational(points, simplex)
            if own is not None and _holds(points, own[None], LOOSE)[0]:
                return np.vstack([normals, own]), len(normals)
    return normals, -1


def _rational(points: np.ndarray, simplex: np.ndarray) -> np.ndarray | None:
    """The normal of one simplex, solved in fractions and rounded once; None where it is exactly
    flat.
    """
    rows, right = _system(points, simplex[None])
    table = [
        [Fraction(v) for v in row] + [Fraction(b)]
        for row, b in zip(rows[0].tolist(), right[0].tolist(), strict=True)
    ]
    s = len(table)
    for i in range(s):
        pivot = next((r for r in range(i, s) if table[r][i] != 0), None)
        if pivot is None:
            return None
        table[i], table[pivot] = table[pivot], table[i]
        table[i] = [v / table[i][i] for v in table[i]]
        for r in range(s):
            if r != i and table[r][i]:
                table[r] = [
                    a - table[r][i] * b if b else a for a, b in zip(table[r], table[i], strict=True)
                ]
    w = np.array([float(row[s]) for row in table])
    return np.where(np.abs(w) < FLAT, 0.0, w)
