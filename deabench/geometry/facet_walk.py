"""In which basis each of many DMUs lies: a walk from facet to facet, where all facets are listed.

A facet's basis and the ray of a DMU give coordinates; where one is negative, the facet across the
ridge opposite is nearer, and the convexity of the whole lets no walk go round. A DMU starts where
one of nearly its direction has ended, so that a few steps are enough; the signs where it ends
certify its basis as any other."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from deabench.utils.arrays import blocks, box
from deabench.utils.threads import one_thread

INSIDE = 1e-12
"""A coordinate may be negative by this much."""
STEEP = 1e9
"""An inverse with larger entries is of a flat simplex: its coordinates are not trusted."""
ROUNDED = 64 * np.finfo(float).eps
"""What rounding makes of a coordinate, as a share of the inverse's size."""
STEPS = 40
"""Steps of a walk; who needs more is told by all facets."""
FEW = 256
"""Of no more facets than this all are tried at once, and a walk begins in the best."""
CUTS = 24
"""Cells per coordinate, at most; cells remember where walks from them have ended."""
CELLS = 1 << 16
ROWS = 1 << 15
"""Rows that walk together: their numbers stay in cache."""


def ridge_neighbours(members: np.ndarray, names: int) -> np.ndarray:
    """The basis (B, s) across the ridge opposite each member, -1 where there is none or more than
    one: a ridge is known by the sum of random numbers of its members, and a wrong guess would only
    lead a walk astray.
    """
    numbers = np.random.default_rng(0).integers(0, 1 << 63, names, dtype=np.uint64)[members]
    keys = (numbers.sum(axis=1, dtype=np.uint64)[:, None] - numbers).ravel()
    order = np.argsort(keys, kind="stable")
    same = keys[order][1:] == keys[order][:-1]
    pair = same & ~np.append(False, same[:-1]) & ~np.append(same[1:], False)
    first = np.flatnonzero(pair)
    one, other = order[first], order[first + 1]
    out, s = np.full(len(keys), -1), members.shape[1]
    out[one], out[other] = other // s, one // s
    return out.reshape(members.shape)


@dataclass(frozen=True)
class FacetCones:
    """The facets of what points (k, s) and free disposal reach, in coordinates z = (y - origin) /
    unit.

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
    counted : array (s, F)
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
    counted: np.ndarray
    neighbours: np.ndarray
    cuts: np.ndarray
    start: np.ndarray = field(repr=False)
    home: np.ndarray

    def cells(self, z: np.ndarray) -> np.ndarray:
        """The cell of each row (n, s) that is somewhere above 0."""
        above = np.maximum(z, 0.0)
        total = above.sum(axis=1)
        code = np.zeros(len(z), dtype=np.int64)
        for r, cuts in enumerate(self.cuts):
            code *= len(cuts) + 1
            code += np.searchsorted(cuts, above[:, r] / total)
        return code

    def placed(self, y: np.ndarray) -> np.ndarray:
        """Rows in the cone's coordinates."""
        return np.asarray((y - self.origin) / self.unit)

    def walk(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where rows (n, s) in the cone's coordinates lie, each somewhere above 0.

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
        at, total, margin = np.empty(len(z), dtype=np.int64), np.empty(len(z)), np.empty(len(z))
        for low in range(0, len(z), ROWS):
            part = slice(low, low + ROWS)
            at[part], total[part], margin[part] = self._walk(z[part])
        return at, total, margin

    def _walk(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        cells = self.cells(z) if len(self.normals) > FEW else None
        place = self._best(z) if cells is None else self.start[cells].astype(np.int64)
        at, total, margin = np.full(len(z), -1), np.full(len(z), np.nan), np.full(len(z), -np.inf)
        left, columns = np.arange(len(z)), np.ascontiguousarray(z.T)
        for _ in range(STEPS):
            lam = self.coordinates(columns, place)
            least = lam[0].copy()
            for other in lam[1:]:
                np.minimum(least, other, out=least)
            doubt = self.doubt.take(place)
            there = least >= -INSIDE - doubt
            done = np.flatnonzero(there)
            if len(done):
                of = place[done]
                at[left[done]], margin[left[done]] = of, least[done] - doubt[done]
                total[left[done]] = sum(
                    lam[j][done] * self.counted[j].take(of) for j in range(len(lam))
                )
            on = np.flatnonzero(~there & (least < 0))  # not where it is NaN
            onward = self.neighbours[place[on], (lam[:, on] == least[on]).argmax(axis=0)]
            on, place = on[onward >= 0], onward[onward >= 0]
            if not len(on):
                break
            left, columns = left[on], columns[:, on]
        if cells is not None:
            self.start[cells] = np.where(at >= 0, at, self.start[cells])
        return at, total, margin

    def _best(self, z: np.ndarray) -> np.ndarray:
        """A simplex of the facet that each row (n, s) lies furthest out by."""
        with one_thread(len(z)):
            return np.asarray(self.home[(z @ self.normals.T).argmax(axis=1)])

    def coordinates(self, columns: np.ndarray, place: np.ndarray) -> np.ndarray:
        """λ (s, n) of rows, given as columns (s, n), in a simplex each."""
        lam = np.empty_like(columns)
        for j in range(len(lam)):
            lam[j] = columns[0] * self.inverse[0, j].take(place)
            for r in range(1, len(columns)):
                lam[j] += columns[r] * self.inverse[r, j].take(place)
        return lam

    def inside(self, y: np.ndarray, limit: float) -> np.ndarray:
        """Which rows (n, s) certainly lie no further out than `limit`: by walks, or by all facets
        where they leave a doubt.
        """
        z = self.placed(y)
        some = np.flatnonzero((z > 0).any(axis=1))
        at, total, _ = self.walk(z[some])
        rest = some[~(total <= limit - z.shape[1] * self.doubt[at])]
        out = np.ones(len(y), dtype=bool)
        with one_thread(len(rest)):
            for part in blocks(len(rest), len(self.normals)):
                out[rest[part]] = (z[rest[part]] @ self.normals.T).max(axis=1) <= limit
        return out


def cones_of_points(
    points: np.ndarray, most: int, *, boxed: bool = True
) -> tuple[FacetCones | None, int]:
    """The cone of distinct points (k, s), and how many simplices it has; None where they are more
    than `most`.

    From below all points (`boxed`), in units of their spread, coordinates are exact even where
    points are nearly in one direction from 0; from 0, for points ≥ 0, they are efficiencies."""
    if points.shape[1] == 1:
        best = points.argmax(axis=0)[:, None]
        return cones_of_simplices(
            points,
            best,
            1.0 / np.maximum(points[best[0]], np.finfo(float).tiny),
            np.zeros(1, dtype=int),
        ), 1
    origin, unit = box(points)
    z = (points - origin) / unit
    members, normals, facet = _listed(z)
    if len(members) > most:
        return None, len(members)
    if boxed:
        return cones_of_simplices(z, members, normals, facet, (origin, unit)), len(members)
    own = normals / unit
    plain = own / np.maximum(1.0 + own @ origin, np.finfo(float).tiny)[:, None]
    return cones_of_simplices(points, members, plain, facet), len(members)


def _listed(points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Simplices (F, s) of the facets of boxed points (k, s), the facets' normals (f, s), and the
    facet of each simplex.
    """
    from scipy.spatial import ConvexHull

    k, s = points.shape
    inner = np.full(s, 0.5 / points.sum(axis=1).max())
    found = ConvexHull(
        np.vstack([points / (1.0 - points @ inner)[:, None], -np.eye(s) / inner]),
        qhull_options="Qt",
    )
    facets = (found.simplices < k).any(axis=1)
    equations, facet = np.unique(found.equations[facets], axis=0, return_inverse=True)
    normals = np.maximum(inner - equations[:, :-1] / equations[:, -1:], 0.0)
    return np.sort(found.simplices[facets], axis=1), normals, facet.ravel()


def cones_of_simplices(
    points: np.ndarray,
    members: np.ndarray,
    normals: np.ndarray,
    facet: np.ndarray,
    placed: tuple[np.ndarray, np.ndarray] | None = None,
) -> FacetCones:
    """The cone of simplices that are known: members (F, s) as in `Cone`, the facet of each or -1,
    in points (k, s) that are in its coordinates already; `placed` is the origin and unit of these.
    """
    k, s = points.shape
    high = np.where(points.max(axis=0) > 0, points.max(axis=0), 1.0)
    rows = np.vstack([points, -np.diag(high)])
    inverse, doubt, step = np.empty((s, s, len(members))), np.empty(len(members)), 1 << 15
    for low in range(0, len(members), step):
        part = slice(low, low + step)
        found, doubt[part] = _inverted(rows[members[part]])
        inverse[:, :, part] = found.transpose(1, 2, 0)
    middle = np.maximum(
        (rows[members] * (members < k)[:, :, None]).sum(axis=1), np.finfo(float).tiny
    )
    cuts = _cuts(middle / middle.sum(axis=1, keepdims=True))
    size = (cuts.shape[1] + 1) ** len(cuts)
    counted = np.ascontiguousarray((members < k).T.astype(float))
    origin, unit = (np.zeros(s), np.ones(s)) if placed is None else placed
    home = np.zeros(len(normals), dtype=np.int64)
    home[facet[facet >= 0]] = np.flatnonzero(facet >= 0)
    cone = FacetCones(
        origin,
        unit,
        members,
        normals,
        inverse,
        doubt,
        counted,
        ridge_neighbours(members, k + s).astype(np.int32),
        cuts,
        np.zeros(size, dtype=np.int32),
        home,
    )
    _begin(cone, cone.cells(middle))
    return cone


def _begin(cone: FacetCones, cells: np.ndarray) -> None:
    """Let walks begin in a simplex whose middle is in their cell; those of an empty cell where the
    one before it does.
    """
    cone.start[cells] = np.arange(len(cells))
    filled = np.zeros(len(cone.start), dtype=np.int64)
    filled[cells] = cells
    cone.start[:] = cone.start[np.maximum.accumulate(filled)]


def _inverted(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The inverses (F, s, s), NaN where one is flat, and what coordinates by them may be wrong by."""
    flat = ~(np.abs(np.linalg.det(matrices)) > 0)
    good = matrices.copy()
    good[flat] = np.eye(matrices.shape[1])
    inverse = np.linalg.inv(good)
    size = np.abs(inverse * np.abs(good).max(axis=2)[:, None, :]).max(axis=(1, 2))
    inverse[flat | ~(size <= STEEP)] = np.nan
    return inverse, ROUNDED * size


def _cuts(directions: np.ndarray) -> np.ndarray:
    """Where each coordinate of directions (F, s) is cut, at its quantiles."""
    free = directions[:, :-1]  # the last is what is left of 1
    most = 1
    while most < CUTS and (most + 2) ** free.shape[1] <= CELLS:
        most += 1
    return np.asarray(
        np.quantile(free, np.arange(1, most + 1) / (most + 1), axis=0).T.reshape(
            free.shape[1], most
        )
    )
