"""The frontier's combinatorics: extreme points, facets, and which of their faces are Pareto-efficient.

All in metrics scaled to about 1, with integer positions; `deabench.frontier` puts the labels on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import and_

import numpy as np

from deabench.arrays import blocks

TIGHT = 1e-10
"""A point is on a hyperplane within this, in metrics scaled to about 1."""
CLEAR = 1e-6
"""A point that stands out from the others by this needs no linear program to show it."""


@dataclass(frozen=True)
class Hull:
    """The attainable set {Y ≤ Σ λ_k P_k, Σ λ = 1, λ ≥ 0} by its points and its facets.

    Attributes
    ----------
    points : array (e, s)
        The extreme points, each once.
    normals : array (f, s)
        w ≥ 0 with w·Y ≤ 1 for every attainable Y and = 1 on the facet; flat in the metrics where w_r = 0.
    on : bool array (f, e)
        Which points lie on which facet.
    """

    points: np.ndarray
    normals: np.ndarray
    on: np.ndarray

    @cached_property
    def full(self) -> np.ndarray:
        """Facets that are Pareto-efficient as a whole: all weights positive."""
        return np.asarray((self.normals > 0).all(axis=1))

    @cached_property
    def through(self) -> list[int]:
        """For each point, the facets that hold it, as the bits of a number."""
        return [_bits(column) for column in self.on.T]

    @cached_property
    def rising(self) -> list[int]:
        """For each metric, the facets that are not flat in it, as bits."""
        return [_bits(column) for column in (self.normals > 0).T]

    def holding(self, face: frozenset[int]) -> int:
        """The facets that hold a face, given by its points, as bits."""
        return reduce(and_, (self.through[k] for k in face))

    def pareto(self, face: frozenset[int]) -> bool:
        """Whether a face is Pareto-efficient: some normal of its cone is positive throughout."""
        holding = self.holding(face)
        return all(holding & rising for rising in self.rising)

    def cone(self, face: frozenset[int]) -> np.ndarray:
        """The normals (k, s) of the facets that hold the face."""
        return self.normals[_places(self.holding(face))]

    @cached_property
    def maximal(self) -> list[frozenset[int]]:
        """The Pareto-efficient faces that lie in no larger one: the full facets, and below the flat ones what no full one holds."""
        full = _bits(self.full)
        flat = [frozenset(np.flatnonzero(row).tolist()) for row in self.on[~self.full]]
        seen: set[frozenset[int]] = set()
        lower: set[frozenset[int]] = set()
        stack = list(flat)
        while stack:
            face = stack.pop()
            if not face or face in seen:
                continue
            seen.add(face)
            if self.holding(face) & full:
                continue
            if self.pareto(face):
                lower.add(face)
            else:
                stack.extend(face & facet for facet in flat if not face <= facet)
        found = [frozenset(np.flatnonzero(row).tolist()) for row in self.on[self.full]]
        return sorted(found + [f for f in lower if not any(f < g for g in lower)], key=sorted)

    def faces(self) -> Iterator[frozenset[int]]:
        """Every Pareto-efficient face of any dimension, each once: the intersections of facets below the maximal ones."""
        facets = [frozenset(np.flatnonzero(row).tolist()) for row in self.on]
        seen: set[frozenset[int]] = set()
        stack = list(self.maximal)
        while stack:
            face = stack.pop()
            if not face or face in seen:
                continue
            seen.add(face)
            yield face
            stack.extend(face & facet for facet in facets if not face <= facet)

    def dimension(self, face: frozenset[int]) -> int:
        """The dimension of the affine hull of a face's points."""
        points = self.points[sorted(face)]
        return int(np.linalg.matrix_rank(points[1:] - points[0], tol=1e-9)) if len(points) > 1 else 0

    def ridges(self) -> list[tuple[int, int]]:
        """Pairs of facets that share a ridge: what is tight on both has rank s - 1."""
        s = self.points.shape[1]
        flat = self.normals == 0
        tight = np.hstack([self.on, flat]).astype(np.float32)
        common = tight @ tight.T
        rows = np.vstack([self.points, np.eye(s)])
        pairs = []
        for a, b in np.argwhere(np.triu(common >= s - 1, k=1)).tolist():
            both = np.flatnonzero((tight[a] > 0) & (tight[b] > 0))
            if np.linalg.matrix_rank(rows[both], tol=1e-9) == s - 1:
                pairs.append((a, b))
        return pairs


def _bits(flags: np.ndarray) -> int:
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def _places(bits: int) -> list[int]:
    """The positions of the bits that are set."""
    out = []
    while bits:
        lowest = bits & -bits
        out.append(lowest.bit_length() - 1)
        bits ^= lowest
    return out


def hull(points: np.ndarray) -> Hull:
    """The hull of undominated, distinct points (n, s), non-negative, each metric positive somewhere, scaled to about 1."""
    from deabench.solve.shared import polar

    if points.shape[1] == 1:
        best = points[[int(np.argmax(points[:, 0]))]]
        return Hull(best, 1.0 / best, np.array([[True]]))
    members, normals = polar.simplices(points)
    normals = _distinct(normals)
    candidates = points[np.unique(members[members < len(points)])]
    on = _on(candidates, normals)
    extreme = _extreme(candidates, normals, on)
    return Hull(candidates[extreme], normals, on[extreme].T)


def _on(points: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Which points (e, s) lie on which hyperplanes normal·y = 1 (f, s): bool (e, f)."""
    out = np.empty((len(points), len(normals)), dtype=bool)
    for part in blocks(len(points), len(normals)):
        out[part] = np.abs(points[part] @ normals.T - 1.0) <= TIGHT
    return out


def _distinct(normals: np.ndarray) -> np.ndarray:
    """The normals with those of one hyperplane, which Qhull triangulated, taken once."""
    size = np.abs(normals).max(axis=1, keepdims=True)
    _, first = np.unique(np.round(normals / size, 9), axis=0, return_index=True)
    return normals[np.sort(first)]


def _extreme(points: np.ndarray, normals: np.ndarray, on: np.ndarray) -> np.ndarray:
    """Positions of the points that no combination of the others reaches; of near-duplicates one stays."""
    kept = list(range(len(points)))
    for k in np.flatnonzero(_margins(points, normals, on) <= CLEAR)[::-1].tolist():
        others = [j for j in kept if j != k]
        if others and _reached(points[others], points[k]):
            kept = others
    return np.array(kept)


def _margins(points: np.ndarray, normals: np.ndarray, on: np.ndarray) -> np.ndarray:
    """How far at least each point stands out from the combinations of the others, (e,); `on` (e, f) is where they lie.

    Let W be the k normals at a point v, and σ the least singular value of W. For any other attainable y, W(v - y) ≥ 0, so the
    mean of the normals falls by mean |W(v - y)| ≥ ‖W(v - y)‖/k ≥ σ‖v - y‖/k on the way: by no less than that to the nearest of
    the other points, and so to all of their combinations and to what those dominate.
    """
    from scipy.spatial import cKDTree

    s = points.shape[1]
    squares = (normals[:, :, None] * normals[:, None, :]).reshape(len(normals), s * s)
    least = np.empty(len(points))
    for part in blocks(len(points), len(normals)):
        least[part] = np.sqrt(np.maximum(np.linalg.eigvalsh((on[part] @ squares).reshape(-1, s, s))[:, 0], 0.0))
    apart = cKDTree(points).query(points, k=2)[0][:, 1]  # of one point alone, infinite
    return np.asarray(least * apart / np.maximum(on.sum(axis=1), 1))


def _reached(others: np.ndarray, point: np.ndarray) -> bool:
    """Whether a combination of the others dominates the point, or is as good."""
    import deabench_models
    from deabench.solve.shared.engine import solve
    from deabench.solve.shared.family import Family
    from deabench.solve.template import template

    s = len(point)
    form = template(deabench_models.wei, {"Y": range(s)}, {"y_o": dict.fromkeys(range(s), 1.0)})
    found = solve(Family(form, others), point[None], name=str)
    level = found.x[0][found.bases.columns[found.which[0]] == len(others)]
    return bool(len(level) and level[0] >= 1.0 - TIGHT)
