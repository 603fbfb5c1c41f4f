"""The frontier's combinatorics: extreme points, facets, and which of their faces are Pareto-efficient.

All in metrics scaled to about 1, with integer positions; `deabench.frontier` puts the labels on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

TIGHT = 1e-10
"""A point is on a hyperplane within this, in metrics scaled to about 1."""


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

    def pareto(self, face: frozenset[int]) -> bool:
        """Whether a face, given by its points, is Pareto-efficient: some normal of its cone is positive throughout."""
        return bool((self.cone(face).sum(axis=0) > 0).all())

    def cone(self, face: frozenset[int]) -> np.ndarray:
        """The normals (k, s) of the facets that hold the face."""
        return self.normals[self.on[:, sorted(face)].all(axis=1)]

    @cached_property
    def maximal(self) -> list[frozenset[int]]:
        """The Pareto-efficient faces that lie in no larger one."""
        facets = [frozenset(np.flatnonzero(row).tolist()) for row in self.on]
        seen: set[frozenset[int]] = set()
        found: set[frozenset[int]] = set()
        stack = list(dict.fromkeys(facets))
        while stack:
            face = stack.pop()
            if not face or face in seen:
                continue
            seen.add(face)
            if self.pareto(face):
                found.add(face)
            else:
                stack.extend(face & facet for facet in facets if not face <= facet)
        return sorted((f for f in found if not any(f < g for g in found)), key=sorted)

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


def hull(points: np.ndarray) -> Hull:
    """The hull of undominated, distinct points (n, s), non-negative, each metric positive somewhere, scaled to about 1."""
    from deabench.solve import polar

    if points.shape[1] == 1:
        best = points[[int(np.argmax(points[:, 0]))]]
        return Hull(best, 1.0 / best, np.array([[True]]))
    members, normals = polar.simplices(points)
    candidates = np.unique(members[members < len(points)])
    extreme = points[_extreme(points, candidates)]
    normals = _distinct(normals)
    return Hull(extreme, normals, np.abs(extreme @ normals.T - 1.0).T <= TIGHT)


def _distinct(normals: np.ndarray) -> np.ndarray:
    """The normals with those of one hyperplane, which Qhull triangulated, taken once."""
    size = np.abs(normals).max(axis=1, keepdims=True)
    _, first = np.unique(np.round(normals / size, 9), axis=0, return_index=True)
    return normals[np.sort(first)]


def _extreme(points: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """The candidates that no combination of the others reaches; of near-duplicates one stays."""
    import deabench_models
    from deabench.solve.engine import solve
    from deabench.solve.family import Family
    from deabench.solve.template import template

    s = points.shape[1]
    form = template(deabench_models.wei, {"Y": range(s)}, {"y_o": dict.fromkeys(range(s), 1.0)})
    kept = candidates.tolist()
    for k in candidates[::-1].tolist():
        others = [j for j in kept if j != k]
        if not others:
            continue
        theta = solve(Family(form, points[others]), points[[k]], name=str)
        level = theta.x[0][theta.bases.columns[theta.which[0]] == len(others)]
        if len(level) and level[0] >= 1.0 - TIGHT:
            kept = others
    return np.array(kept)
