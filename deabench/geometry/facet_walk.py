"""Find the facet above each of many rows by a walk from facet to facet.

The simplices that cover the facets of {y ≤ Σ λ_k P_k, Σ λ ≤ 1} span cones that meet along shared
ridges and fill all y that are somewhere positive. In its own cone a row has coordinates λ ≥ 0, and
Σ λ is how far out it lies: seen from 0, its efficiency. Where a coordinate is negative, the row
lies beyond the ridge opposite that member, and the next cone is the one across it. Σ λ grows at
each step, as the set is convex, so no walk returns and each ends after O(f^(1/(s-1))) steps, a few
from a good start.

`walk_simplices` is the walk. It has two users, which differ in where walks begin and in what their
coordinates are: `FacetCones` here, for rows that stream by (cells of directions remember where
walks have ended), and `deabench.geometry.facet_bases`, for all programs of a family at once (those
that are near in direction follow each other). Both arrays' layouts are kept: each is the fast one
for its coordinates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from deabench.geometry.facets import normals_of_equations, polar_simplices
from deabench.utils.arrays import blocks, box, one_thread

INSIDE = 1e-12
"""A coordinate may be negative by this much."""
STEEP = 1e9
"""An inverse with larger entries is of a flat simplex: its coordinates are not trusted."""
ROUNDED = 64 * np.finfo(float).eps
"""What rounding makes of a coordinate, as a share of the inverse's size."""
STEPS = 40
"""Steps of a walk; rows that need more are compared with all facets."""
FEW = 256
"""Up to this many facets all are tried at once, and a walk begins in the best."""
CUTS = 24
"""Cells per coordinate, at most; cells remember where walks from them have ended."""
CELLS = 1 << 16
ROWS = 1 << 15
"""Rows that walk together: their numbers stay in cache."""
INVERTED = 1 << 15
"""Simplices whose matrices are inverted at a time."""


def walk_simplices(
    coordinates: Callable[[np.ndarray, np.ndarray], np.ndarray],
    neighbours: np.ndarray,
    points: np.ndarray,
    start: np.ndarray,
    *,
    axis: int,
    steps: int,
    doubt: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Walk from simplex to simplex until no coordinate of a point is negative.

    Parameters
    ----------
    coordinates : function of points and simplices (n,)
        The coordinates (s, n) of each point in its simplex; NaN in a flat one.
    neighbours : int array (F, s)
        The simplex across the ridge opposite each member, -1 where there is none.
    points : array
        Along `axis` one entry per point.
    start : int array (n,)
    steps : int
        Steps of the walk, at most.
    doubt : array (F,), optional
        How wrong coordinates in a simplex may be.

    Returns
    -------
    simplex : int array (n,)
        -1 where the walk found none.
    final : array (s, n)
        The coordinates there; NaN where there is no simplex.
    """
    s = neighbours.shape[1]
    simplex = np.full(len(start), -1)
    final = np.full((s, len(start)), np.nan)
    # The points that still walk: their numbers, their data and where they are.
    walking = np.arange(len(start))
    current = start
    for _ in range(steps):
        lam = coordinates(points, current)
        position, smallest = least_coordinates(lam)
        limit = -INSIDE if doubt is None else -INSIDE - doubt.take(current)
        arrived = smallest >= limit
        done = np.flatnonzero(arrived)
        if len(done):
            simplex[walking[done]] = current[done]
            final[:, walking[done]] = lam[:, done]
        # Cross the ridge opposite the smallest coordinate; a NaN leads nowhere.
        onward = np.flatnonzero(~arrived & (smallest < 0))
        across = neighbours.take(current.take(onward) * s + position.take(onward))
        has_neighbour = across >= 0
        if not has_neighbour.all():
            onward = onward[has_neighbour]
            across = across[has_neighbour]
        if not len(onward):
            break
        walking = walking.take(onward)
        points = points.take(onward, axis=axis)
        current = across
    return simplex, final


def least_coordinates(lam: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the position of the least of each column of coordinates (s, n), and its value.

    Coordinate by coordinate: reducing short columns is slow.
    """
    position = np.zeros(lam.shape[1], dtype=np.int8)
    smallest = lam[0].copy()
    for k in range(1, len(lam)):
        np.copyto(position, k, where=lam[k] < smallest)
        np.minimum(smallest, lam[k], out=smallest)
    return position, smallest


def ridge_neighbours(members: np.ndarray, codes: int) -> np.ndarray:
    """Return the simplex (B, s) across the ridge opposite each member; -1: none, or several.

    `members` (B, s) are numbers below `codes`. A ridge is known by the sum of random numbers of its
    members: two ridges with one sum are as good as impossible, and would only lead a walk astray.
    """
    s = members.shape[1]
    numbers = np.random.default_rng(0).integers(0, 1 << 63, codes, dtype=np.uint64)[members]
    keys = (numbers.sum(axis=1, dtype=np.uint64)[:, None] - numbers).ravel()
    order = np.argsort(keys, kind="stable")
    same = keys[order][1:] == keys[order][:-1]
    # Exactly two simplices share the ridge: equal to the next key, and not to those around.
    is_pair = same & ~np.append(False, same[:-1]) & ~np.append(same[1:], False)
    first = np.flatnonzero(is_pair)
    key = order[first]
    twin = order[first + 1]
    neighbours = np.full(len(keys), -1)
    neighbours[key] = twin // s
    neighbours[twin] = key // s
    return neighbours.reshape(members.shape)


def score_rows(rows: np.ndarray, normals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return max_f w_f·y of rows (n, s) over all facets (f, s), and the first facet to give it."""
    scores = np.empty(len(rows))
    facet = np.empty(len(rows), dtype=np.intp)
    with one_thread(len(rows)):
        for block in blocks(len(rows), len(normals)):
            products = rows[block] @ normals.T
            best = products.argmax(axis=1)
            facet[block] = best
            scores[block] = products[np.arange(len(best)), best]
    return scores, facet


@dataclass(frozen=True)
class FacetCones:
    """The facets of what points (k, s) and free disposal reach, as cones from an origin.

    Rows are in coordinates z = (y - origin) / unit.

    Attributes
    ----------
    origin, unit : arrays (s,)
    members : int array (F, s)
        Of each simplex: points 0..k-1, or k + r for the axis of metric r.
    normals : array (f, s)
        w ≥ 0 with w·z ≤ 1 for all that is reached; every facet is there.
    inverse : array (s, s, F)
        λ_j = Σ_r z_r inverse[r, j] of each simplex; NaN where it is flat.
    doubt : array (F,)
        What a coordinate may be wrong by.
    is_point : array (s, F)
        1 for members that are points, 0 for axes, whose λ is slack.
    neighbours : int32 array (F, s)
        The simplex across the ridge opposite each member; -1 where there is none.
    cuts : array (s - 1, c)
        Where directions z / Σ z, of the part above 0, are cut into cells.
    start : int32 array
        For each cell a simplex where walks from it begin; it learns.
    home : int array (f,)
        A simplex of each facet.
    """

    origin: np.ndarray
    unit: np.ndarray
    members: np.ndarray
    normals: np.ndarray
    inverse: np.ndarray
    doubt: np.ndarray
    is_point: np.ndarray
    neighbours: np.ndarray
    cuts: np.ndarray
    start: np.ndarray = field(repr=False)
    home: np.ndarray

    def cells(self, z: np.ndarray) -> np.ndarray:
        """Return the cell of each row (n, s) that is somewhere above 0."""
        above = np.maximum(z, 0.0)
        total = above.sum(axis=1)
        code = np.zeros(len(z), dtype=np.int64)
        for r, cuts in enumerate(self.cuts):
            code *= len(cuts) + 1
            code += np.searchsorted(cuts, above[:, r] / total)
        return code

    def to_coordinates(self, y: np.ndarray) -> np.ndarray:
        """Return rows (n, s) in the coordinates of the cones."""
        return np.asarray((y - self.origin) / self.unit)

    def locate(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Find the simplex of rows (n, s) in the cones' coordinates, each somewhere above 0.

        Returns
        -------
        simplex : int array (n,)
            -1 where the walk found none.
        total : array (n,)
            Σ λ over points; NaN where there is no simplex.
        margin : array (n,)
            The least λ, less what it may be wrong by: where it is above 0 the simplex is the only
            one.
        """
        simplex = np.empty(len(z), dtype=np.int64)
        total = np.empty(len(z))
        margin = np.empty(len(z))
        for low in range(0, len(z), ROWS):
            rows = slice(low, low + ROWS)
            simplex[rows], total[rows], margin[rows] = self._locate_block(z[rows])
        return simplex, total, margin

    def _locate_block(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        # Begin in the facet that a row lies furthest out by, or where a walk from its cell ended.
        has_few_facets = len(self.normals) <= FEW
        if has_few_facets:
            start = self.home[score_rows(z, self.normals)[1]]
        else:
            cells = self.cells(z)
            start = self.start[cells].astype(np.int64)
        columns = np.ascontiguousarray(z.T)
        simplex, lam = walk_simplices(
            self.coordinates,
            self.neighbours,
            columns,
            start,
            axis=1,
            steps=STEPS,
            doubt=self.doubt,
        )
        if not has_few_facets:  # the cells learn
            self.start[cells] = np.where(simplex >= 0, simplex, self.start[cells])
        total = np.zeros(len(z))
        for is_point, coordinate in zip(self.is_point, lam, strict=True):
            total += coordinate * is_point.take(simplex)
        margin = least_coordinates(lam)[1] - self.doubt.take(simplex)
        return simplex, total, np.where(simplex >= 0, margin, -np.inf)

    def coordinates(self, columns: np.ndarray, simplex: np.ndarray) -> np.ndarray:
        """Return λ (s, n) of rows, given as columns (s, n), in a simplex each."""
        lam = np.empty_like(columns)
        for j in range(len(lam)):
            lam[j] = columns[0] * self.inverse[0, j].take(simplex)
            for r in range(1, len(columns)):
                lam[j] += columns[r] * self.inverse[r, j].take(simplex)
        return lam

    def certainly_inside(self, y: np.ndarray, limit: float) -> np.ndarray:
        """Return which rows (n, s) certainly lie no further out than `limit`."""
        z = self.to_coordinates(y)
        inside = np.ones(len(y), dtype=bool)
        positive = np.flatnonzero((z > 0).any(axis=1))
        simplex, total, _ = self.locate(z[positive])
        # Where Σ λ leaves a doubt, or the walk found nothing, all facets are asked.
        proved = total <= limit - z.shape[1] * self.doubt[simplex]
        doubtful = positive[~proved]
        inside[doubtful] = score_rows(z[doubtful], self.normals)[0] <= limit
        return inside


def cones_of_points(
    points: np.ndarray, max_simplices: int, *, boxed: bool = True
) -> tuple[FacetCones | None, int]:
    """Build the cones of distinct points (k, s); also return how many simplices they have.

    None where these are more than `max_simplices`. From below all points (`boxed`), in units of
    their spread, coordinates are exact even where points lie nearly in one direction from 0; from
    0, for points ≥ 0, they are efficiencies.
    """
    if points.shape[1] == 1:
        best = points.argmax(axis=0)[:, None]
        normals = 1.0 / np.maximum(points[best[0]], np.finfo(float).tiny)
        return cones_of_simplices(points, best, normals, np.zeros(1, dtype=int)), 1
    origin, unit = box(points)
    z = (points - origin) / unit
    members, equations = polar_simplices(z)
    if len(members) > max_simplices:
        return None, len(members)
    equations, facet = np.unique(equations, axis=0, return_inverse=True)
    normals = normals_of_equations(z, equations)
    facet = facet.ravel()
    if boxed:
        return cones_of_simplices(z, members, normals, facet, (origin, unit)), len(members)
    # w·(y - origin)/unit ≤ 1 is (w/unit)·y ≤ 1 + (w/unit)·origin.
    unboxed = normals / unit
    unboxed /= np.maximum(1.0 + unboxed @ origin, np.finfo(float).tiny)[:, None]
    return cones_of_simplices(points, members, unboxed, facet), len(members)


def cones_of_simplices(
    points: np.ndarray,
    members: np.ndarray,
    normals: np.ndarray,
    facet: np.ndarray,
    box_of_points: tuple[np.ndarray, np.ndarray] | None = None,
) -> FacetCones:
    """Build the cones of known simplices.

    Parameters
    ----------
    points : array (k, s)
        In the coordinates of the cones already.
    members, normals : arrays
        As in `FacetCones`.
    facet : int array (F,)
        The facet of each simplex, or -1.
    box_of_points : pair of arrays (s,), optional
        The origin and unit of these coordinates.
    """
    k, s = points.shape
    # An axis member is the direction downwards in its metric, as long as the metric is high.
    maxima = np.where(points.max(axis=0) > 0, points.max(axis=0), 1.0)
    rows = np.vstack([points, -np.diag(maxima)])
    inverse = np.empty((s, s, len(members)))
    doubt = np.empty(len(members))
    for low in range(0, len(members), INVERTED):
        block = slice(low, low + INVERTED)
        inverted, doubt[block] = _invert_simplices(rows[members[block]])
        inverse[:, :, block] = inverted.transpose(1, 2, 0)
    is_point = members < k
    middle = np.maximum((rows[members] * is_point[:, :, None]).sum(axis=1), np.finfo(float).tiny)
    cuts = _cut_directions(middle / middle.sum(axis=1, keepdims=True))
    origin, unit = (np.zeros(s), np.ones(s)) if box_of_points is None else box_of_points
    home = np.zeros(len(normals), dtype=np.int64)
    home[facet[facet >= 0]] = np.flatnonzero(facet >= 0)
    cones = FacetCones(
        origin,
        unit,
        members,
        normals,
        inverse,
        doubt,
        np.ascontiguousarray(is_point.T.astype(float)),
        ridge_neighbours(members, k + s).astype(np.int32),
        cuts,
        np.zeros((cuts.shape[1] + 1) ** len(cuts), dtype=np.int32),
        home,
    )
    _set_starts(cones, cones.cells(middle))
    return cones


def _set_starts(cones: FacetCones, cells: np.ndarray) -> None:
    """Let walks begin in a simplex with its middle in their cell, or in that of the cell before."""
    cones.start[cells] = np.arange(len(cells))
    filled = np.zeros(len(cones.start), dtype=np.int64)
    filled[cells] = cells
    cones.start[:] = cones.start[np.maximum.accumulate(filled)]


def _invert_simplices(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the inverses (F, s, s), NaN if flat, and the error of coordinates."""
    flat = ~(np.abs(np.linalg.det(matrices)) > 0)
    invertible = matrices.copy()
    invertible[flat] = np.eye(matrices.shape[1])
    inverse = np.linalg.inv(invertible)
    # Rounding errors of a product grow with the condition of the matrix.
    size = np.abs(inverse * np.abs(invertible).max(axis=2)[:, None, :]).max(axis=(1, 2))
    inverse[flat | ~(size <= STEEP)] = np.nan
    return inverse, ROUNDED * size


def _cut_directions(directions: np.ndarray) -> np.ndarray:
    """Return where each coordinate of directions (F, s) is cut, at its quantiles."""
    free = directions[:, :-1]  # the last is 1 less the others
    count = 1
    while count < CUTS and (count + 2) ** free.shape[1] <= CELLS:
        count += 1
    quantiles = np.quantile(free, np.arange(1, count + 1) / (count + 1), axis=0)
    return np.asarray(quantiles.T.reshape(free.shape[1], count))
