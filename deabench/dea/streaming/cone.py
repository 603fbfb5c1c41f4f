"""What mixtures of some points reach, as cones from 0: which one a row lies in, and how far out, by a walk from cone to cone.

The simplices that cover the facets of {y ≤ Σ λ_k P_k, Σ λ ≤ 1} span cones that meet along shared ridges and fill all y ≥ 0.
In its own cone a row has coordinates λ ≥ 0, and Σ λ is its efficiency. Where one is negative, the next cone lies across the
ridge opposite; the efficiency grows at each step, so that the walk ends (O(f^(1/(s-1))) steps; from a cell's own start a few).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from deabench.arrays import blocks, box
from deabench.threads import one_thread

INSIDE = 1e-12
"""A coordinate may be negative by this much."""
STEEP = 1e9
"""An inverse with larger entries is of a flat simplex: its coordinates are not trusted."""
STEPS = 40
"""Steps of a walk; who needs more is told by all facets."""
CUTS = 24
"""Cells per coordinate, at most; cells remember where walks from them have ended."""
CELLS = 1 << 16
ROWS = 1 << 15
"""Rows that walk together: their numbers stay in cache."""


@dataclass(frozen=True)
class Cone:
    """The facets of what points (k, s) ≥ 0 and free disposal reach.

    Attributes
    ----------
    members : int array (F, s)
        Of each simplex: points 0..k-1, or k + r for the axis of metric r.
    normals : array (f, s)
        w ≥ 0 with w·y ≤ 1 for all that is reached; every facet is there.
    inverse : array (s, s, F)
        λ_j = Σ_r y_r inverse[r, j] of each simplex; NaN where it is flat.
    counted : array (s, F)
        1 for members that are points, 0 for axes, whose λ is slack.
    neighbours : int32 array (F, s)
        The simplex across the ridge opposite each member; -1 where there is none.
    cuts : array (s - 1, c)
        Where directions y / Σ y are cut into cells.
    start : int32 array
        For each cell a simplex where walks from it begin; it learns.
    """

    members: np.ndarray
    normals: np.ndarray
    inverse: np.ndarray
    counted: np.ndarray
    neighbours: np.ndarray
    cuts: np.ndarray
    start: np.ndarray = field(repr=False)

    def cells(self, y: np.ndarray) -> np.ndarray:
        """The cell of each row (n, s) that is not all 0."""
        total = y.sum(axis=1)
        code = np.zeros(len(y), dtype=np.int64)
        for r, cuts in enumerate(self.cuts):
            code *= len(cuts) + 1
            code += np.searchsorted(cuts, y[:, r] / total)
        return code

    def walk(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where rows (n, s), none all 0, lie.

        Returns
        -------
        simplex : int array (n,)
            -1 where the walk found none.
        total : array (n,)
            Σ λ over points: the efficiency; NaN where there is no simplex.
        margin : array (n,)
            The least λ: above 0 by more than rounding, the simplex is the only one.
        """
        at, total, margin = np.empty(len(y), dtype=np.int64), np.empty(len(y)), np.empty(len(y))
        for low in range(0, len(y), ROWS):
            part = slice(low, low + ROWS)
            at[part], total[part], margin[part] = self._walk(y[part])
        return at, total, margin

    def _walk(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        cells = self.cells(y)
        place = self.start[cells].astype(np.int64)
        at, total, margin = np.full(len(y), -1), np.full(len(y), np.nan), np.full(len(y), -np.inf)
        left, columns = np.arange(len(y)), np.ascontiguousarray(y.T)
        for _ in range(STEPS):
            lam = self.coordinates(columns, place)
            least = lam[0].copy()
            for other in lam[1:]:
                np.minimum(least, other, out=least)
            there = least >= -INSIDE
            done = np.flatnonzero(there)
            if len(done):
                of = place[done]
                at[left[done]], margin[left[done]] = of, least[done]
                total[left[done]] = sum(lam[j][done] * self.counted[j].take(of) for j in range(len(lam)))
            on = np.flatnonzero(~there & (least < 0))  # not where it is NaN
            onward = self.neighbours[place[on], (lam[:, on] == least[on]).argmax(axis=0)]
            on, place = on[onward >= 0], onward[onward >= 0]
            if not len(on):
                break
            left, columns = left[on], columns[:, on]
        self.start[cells] = np.where(at >= 0, at, self.start[cells])
        return at, total, margin

    def coordinates(self, columns: np.ndarray, place: np.ndarray) -> np.ndarray:
        """λ (s, n) of rows, given as columns (s, n), in a simplex each."""
        lam = np.empty_like(columns)
        for j in range(len(lam)):
            lam[j] = columns[0] * self.inverse[0, j].take(place)
            for r in range(1, len(columns)):
                lam[j] += columns[r] * self.inverse[r, j].take(place)
        return lam

    def efficiency(self, y: np.ndarray) -> np.ndarray:
        """The efficiency of rows (n, s), by walks, and by all facets where a walk finds nothing."""
        out = np.zeros(len(y))
        some = np.flatnonzero(y.any(axis=1))
        out[some] = self.walk(y[some])[1]
        rest = np.flatnonzero(np.isnan(out))
        with one_thread(len(rest)):
            for part in blocks(len(rest), len(self.normals)):
                out[rest[part]] = (y[rest[part]] @ self.normals.T).max(axis=1)
        return out


def of_points(points: np.ndarray, most: int) -> tuple[Cone | None, int]:
    """The cone of distinct points (k, s), and how many simplices it has; None where they are more than `most`."""
    if points.shape[1] == 1:
        best = points.argmax(axis=0)[:, None]
        return of_simplices(points, best, 1.0 / np.maximum(points[best[0]], np.finfo(float).tiny)), 1
    members, normals = _listed(points)
    return (of_simplices(points, members, normals) if len(members) <= most else None), len(members)


def _listed(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Simplices (F, s) of the facets of points (k, s), and the facets' normals (f, s) in the points' own units."""
    from scipy.spatial import ConvexHull

    k, s = points.shape
    origin, unit = box(points)
    boxed = (points - origin) / unit
    inner = np.full(s, 0.5 / boxed.sum(axis=1).max())
    found = ConvexHull(np.vstack([boxed / (1.0 - boxed @ inner)[:, None], -np.eye(s) / inner]), qhull_options="Qt")
    facets = (found.simplices < k).any(axis=1)
    equations = np.unique(found.equations[facets], axis=0)
    own = np.maximum(inner - equations[:, :-1] / equations[:, -1:], 0.0) / unit
    return np.sort(found.simplices[facets], axis=1), own / np.maximum(1.0 + own @ origin, np.finfo(float).tiny)[:, None]


def of_simplices(points: np.ndarray, members: np.ndarray, normals: np.ndarray) -> Cone:
    """The cone of simplices that are known: members (F, s) as in `Cone`, in points (k, s)."""
    k, s = points.shape
    unit = np.where(points.max(axis=0) > 0, points.max(axis=0), 1.0)
    rows = np.vstack([points, -np.diag(unit)])
    inverse = np.empty((s, s, len(members)))
    step = 1 << 15
    for low in range(0, len(members), step):
        inverse[:, :, low:low + step] = _inverted(rows[members[low:low + step]]).transpose(1, 2, 0)
    middle = np.maximum((rows[members] * (members < k)[:, :, None]).sum(axis=1), np.finfo(float).tiny)
    cuts = _cuts(middle / middle.sum(axis=1, keepdims=True))
    size = (cuts.shape[1] + 1) ** len(cuts)
    cone = Cone(members, normals, inverse, np.ascontiguousarray((members < k).T.astype(float)),
                _neighbours(members, k + s), cuts, np.zeros(size, dtype=np.int32))
    cone.start[cone.cells(middle)] = np.arange(len(members))
    filled = np.zeros(size, dtype=np.int64)
    filled[cone.cells(middle)] = np.arange(size)[cone.cells(middle)]
    cone.start[:] = cone.start[np.maximum.accumulate(filled)]  # an empty cell begins where the one before it does
    return cone


def _inverted(matrices: np.ndarray) -> np.ndarray:
    """The inverses (F, s, s); NaN where one is flat."""
    flat = ~(np.abs(np.linalg.det(matrices)) > 0)
    good = matrices.copy()
    good[flat] = np.eye(matrices.shape[1])
    inverse = np.linalg.inv(good)
    size = np.abs(inverse * np.abs(good).max(axis=2)[:, None, :]).max(axis=(1, 2))
    inverse[flat | ~(size <= STEEP)] = np.nan
    return inverse


def _cuts(directions: np.ndarray) -> np.ndarray:
    """Where each coordinate of directions (F, s) is cut, at its quantiles."""
    free = directions[:, :-1]  # the last is what is left of 1
    most = 1
    while most < CUTS and (most + 2) ** free.shape[1] <= CELLS:
        most += 1
    return np.asarray(np.quantile(free, np.arange(1, most + 1) / (most + 1), axis=0).T.reshape(free.shape[1], most))


def _neighbours(members: np.ndarray, names: int) -> np.ndarray:
    """The simplex (F, s) across each ridge: a ridge is known by the sum of random numbers of its members."""
    numbers = np.random.default_rng(0).integers(0, 1 << 63, names, dtype=np.uint64)[members]
    keys = (numbers.sum(axis=1, dtype=np.uint64)[:, None] - numbers).ravel()
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    same = ordered[1:] == ordered[:-1]
    alone = same.copy()  # pairs, not three of a kind
    alone[1:] &= ~same[:-1]
    alone[:-1] &= ~same[1:]
    first = np.flatnonzero(alone)
    out = np.full(len(keys), -1, dtype=np.int32)
    s = members.shape[1]
    out[order[first]], out[order[first + 1]] = order[first + 1] // s, order[first] // s
    return out.reshape(members.shape)
