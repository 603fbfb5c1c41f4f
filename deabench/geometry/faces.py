"""Describe the frontier's combinatorics: extreme points, facets, and the Pareto-efficient faces.

All in boxed metrics (`deabench.utils.arrays.box`), with integer positions; `deabench.frontier` puts
the labels on. Sets of facets are the bits of a Python integer: an intersection is one operation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import combinations
from operator import and_, or_

import numpy as np

from deabench.geometry.facets import TIGHT, check_listable, list_facets, polar_simplices
from deabench.geometry.nearest_points import is_reached
from deabench.utils.arrays import blocks, one_thread
from deabench.utils.progress import check_time

RISES = 1e-9
"""A facet with a weight below this is as good as flat in that metric: one is worth 1e9 times the
other.
"""
ALIKE = 1e-8
"""Points that are nearer than this in every metric are near-duplicates."""
CLEAR = 2e-12
"""An extreme point stands out by more than this from those that are no near-duplicates of it: a
certificate asks for it.
"""
MATES = 1e-6
"""The points of a combination that reaches a point lie within this of the point's own hyperplane.
"""


@dataclass(frozen=True)
class Hull:
    """The attainable set {Y ≤ Σ λ_k P_k, Σ λ = 1, λ ≥ 0} by its points and its facets.

    Attributes
    ----------
    points : array (e, s)
        The extreme points, each once.
    normals : array (f, s)
        w ≥ 0 with w·Y ≤ 1 for every attainable Y and = 1 on the facet; flat in the metrics where
        w_r = 0.
    incidence : bool array (f, e)
        Which points lie on which facet.
    rows : int array (e,)
        The positions of the points among those that the hull was made of.
    members : int array (B, s)
        Simplices that cover all facets: points that the hull was made of, or their number + r for
        the axis of metric r.
    facet : int array (B,)
        The facet of each simplex.
    """

    points: np.ndarray
    normals: np.ndarray
    incidence: np.ndarray
    rows: np.ndarray
    members: np.ndarray
    facet: np.ndarray

    @cached_property
    def efficient_facets(self) -> np.ndarray:
        """Return which facets are Pareto-efficient as a whole: all weights positive."""
        return np.asarray((self.normals > RISES).all(axis=1))

    @cached_property
    def facets_of_point(self) -> list[int]:
        """Return, for each point, the facets that hold it, as bits."""
        return [flags_to_bits(column) for column in self.incidence.T]

    @cached_property
    def corners(self) -> list[frozenset[int]]:
        """Return, for each facet, its points."""
        return [frozenset(np.flatnonzero(row).tolist()) for row in self.incidence]

    @cached_property
    def facets_rising(self) -> list[int]:
        """Return, for each metric, the facets that are not flat in it, as bits."""
        return [flags_to_bits(column) for column in (self.normals > RISES).T]

    def facets_holding(self, face: frozenset[int]) -> int:
        """Return the facets that hold a face, given by its points, as bits."""
        return reduce(and_, (self.facets_of_point[k] for k in face))

    def is_efficient(self, face: frozenset[int]) -> bool:
        """Return whether a face is Pareto-efficient: some normal of its cone is positive."""
        # If in each metric one of its facets rises, the mean of their normals is positive.
        facets = self.facets_holding(face)
        return all(facets & rising for rising in self.facets_rising)

    @cached_property
    def mean_normals(self) -> np.ndarray:
        """Return, for each maximal face, the positive mean (s,) of its facets' normals."""
        means = np.empty((len(self.maximal_faces), self.points.shape[1]))
        for k, face in enumerate(self.maximal_faces):
            facets = self.facets_holding(face)
            if facets.bit_count() == 1:
                means[k] = self.normals[facets.bit_length() - 1]
            else:
                means[k] = self.normals[bit_positions(facets)].mean(axis=0)
        return means

    @cached_property
    def maximal_faces(self) -> list[frozenset[int]]:
        """Return the Pareto-efficient faces that lie in no larger one.

        They are the facets that are efficient as a whole, and the faces of the flat ones that are
        efficient and in none of the former.
        """
        efficient = flags_to_bits(self.efficient_facets)
        flat = flags_to_bits(~self.efficient_facets)
        visited: set[frozenset[int]] = set()
        lower: set[frozenset[int]] = set()
        # Descend from each flat facet through its intersections with others to efficient faces.
        stack = [self.corners[f] for f in np.flatnonzero(~self.efficient_facets).tolist()]
        while stack:
            check_time()
            face = stack.pop()
            if not face or face in visited:
                continue
            visited.add(face)
            if self.facets_holding(face) & efficient:
                continue
            if self.is_efficient(face):
                lower.add(face)
            else:
                stack.extend(self._subfaces(face, flat))
        # A facet whose points no other facet holds is in no larger face. The others are slivers
        # between near-duplicates.
        corners = [self.corners[f] for f in np.flatnonzero(self.efficient_facets).tolist()]
        maximal = [face for face in corners if face and self.facets_holding(face).bit_count() == 1]
        slivers = {face for face in corners if face} - set(maximal)
        lower |= {face for face in slivers if not any(face < larger for larger in maximal)}
        largest_lower = [face for face in lower if not any(face < larger for larger in lower)]
        return sorted([*maximal, *largest_lower], key=sorted)

    def _subfaces(self, face: frozenset[int], facets: int) -> set[frozenset[int]]:
        """Return what a face shares with those of the facets (bits) that only touch it."""
        touching = reduce(or_, (self.facets_of_point[k] for k in face)) & facets
        touching &= ~self.facets_holding(face)
        return {face & self.corners[f] for f in bit_positions(touching)}

    def list_faces(self) -> dict[frozenset[int], int]:
        """Return every Pareto-efficient face of any dimension with its dimension.

        They are the intersections of facets below the maximal ones.
        """
        every_facet = flags_to_bits(np.ones(len(self.normals), dtype=bool))
        dimensions: dict[frozenset[int], int] = {}
        stack = list(self.maximal_faces)
        while stack:
            check_time()
            face = stack.pop()
            if not face or face in dimensions:
                continue
            dimensions[face] = self.dimension(face)
            if dimensions[face] == len(face) - 1:
                # A simplex: all its subsets are faces, which saves the intersections.
                for size in range(1, len(face)):
                    subsets = map(frozenset, combinations(sorted(face), size))
                    dimensions.update(dict.fromkeys(subsets, size - 1))
            else:
                stack.extend(self._subfaces(face, every_facet))
        return dimensions

    def dimension(self, face: frozenset[int]) -> int:
        """Return the dimension of the affine hull of a face's points."""
        points = self.points[sorted(face)]
        if len(points) == 1:
            return 0
        return int(np.linalg.matrix_rank(points[1:] - points[0], tol=1e-9))

    def ridges(self) -> list[tuple[int, int]]:
        """Return pairs of facets that share a ridge: what is tight on both has rank s - 1."""
        s = self.points.shape[1]
        is_flat = self.normals == 0
        tight = np.hstack([self.incidence, is_flat]).astype(np.float32)
        shared = tight @ tight.T
        rows = np.vstack([self.points, np.eye(s)])
        pairs = []
        for a, b in np.argwhere(np.triu(shared >= s - 1, k=1)).tolist():
            on_both = np.flatnonzero((tight[a] > 0) & (tight[b] > 0))
            if np.linalg.matrix_rank(rows[on_both], tol=1e-9) == s - 1:
                pairs.append((a, b))
        return pairs


def flags_to_bits(flags: np.ndarray) -> int:
    """Return flags as the bits of a number, the first the lowest."""
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def bit_positions(bits: int) -> list[int]:
    """Return the positions of the bits that are set, rising."""
    positions = []
    while bits:
        lowest = bits & -bits
        positions.append(lowest.bit_length() - 1)
        bits ^= lowest
    return positions


def build_hull(points: np.ndarray, *, extreme: np.ndarray | None = None) -> Hull:
    """Build the hull of undominated, distinct, boxed points (n, s).

    Points are taken in lexicographic order, and facets are made of extreme points alone: a facet
    has the same bits in whatever order the points come, and whichever of those that are not extreme
    come with them. `extreme`, where it is known, are the positions of the extreme points.

    Raises
    ------
    TooManyFacets
        If there are too many to be listed.
    """
    n, s = points.shape
    if s == 1:
        best = np.array([int(np.argmax(points[:, 0]))])
        is_on = np.array([[True]])
        return Hull(points[best], 1.0 / points[best], is_on, best, best[None], np.array([0]))
    check_listable(points if extreme is None else points[extreme])
    with one_thread(n):
        return _build_hull_in_order(points, np.lexsort(points.T[::-1]), extreme)


def _build_hull_in_order(points: np.ndarray, order: np.ndarray, extreme: np.ndarray | None) -> Hull:
    """Build the hull from the points in this order."""
    n, s = points.shape
    ordered = points[order]
    if extreme is not None:
        position = np.empty(n, dtype=int)
        position[order] = np.arange(n)
        candidates = np.sort(position[extreme])
        facets = list_facets(ordered[candidates])
    else:
        members, _ = polar_simplices(ordered)
        candidates = np.unique(members[members < n])
        facets = list_facets(ordered[candidates])
        # A candidate that lies in a facet would change how the facet is cut: list anew without.
        corners = _extreme_candidates(ordered[candidates], facets.normals)
        if len(corners) < len(candidates):
            candidates = candidates[corners]
            facets = list_facets(ordered[candidates])
    # Members count the candidates; the hull's count the points as they came.
    axes = n + np.arange(s)
    facets = replace(facets, members=np.append(candidates, axes)[facets.members])
    rows = np.sort(order[candidates])
    members = np.sort(np.append(order, axes)[facets.members], axis=1)
    is_on = _incidence(points[rows], facets.normals).T
    return Hull(points[rows], facets.normals, is_on, rows, members, facets.facet)


def extreme_points(points: np.ndarray) -> np.ndarray:
    """Return the positions of the extreme ones of undominated, distinct, boxed points (n, s).

    Without their facets: for many metrics.
    """
    n = len(points)
    return _drop_reached(points, np.arange(n), np.ones((n, n), dtype=bool))


def _incidence(points: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Return which points (e, s) lie on which hyperplanes normal·y = 1 (f, s): bool (e, f)."""
    is_on = np.empty((len(points), len(normals)), dtype=bool)
    for rows in blocks(len(points), len(normals)):
        is_on[rows] = np.abs(points[rows] @ normals.T - 1.0) <= TIGHT
    return is_on


def _extreme_candidates(points: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Return the positions of the points that no combination of the others reaches.

    Of near-duplicates one stays. The mean of the normals at a point is greatest there; where it is
    so by a margin, no combination of the others comes near.
    """
    is_on = _incidence(points, normals)
    mean = (is_on @ normals) / np.maximum(is_on.sum(axis=1), 1)[:, None]
    reach = mean @ points.T
    margin = np.diag(reach)[:, None] - reach
    np.fill_diagonal(margin, np.inf)
    # Only points without a margin have to be tested, against those near their hyperplane.
    doubtful = np.flatnonzero(margin.min(axis=1) <= TIGHT)
    extreme = _drop_reached(points, doubtful, margin[doubtful] <= MATES)
    # A point level with another one that stays, and is no near-duplicate, does not stand out. Of
    # two that are level the one that stands out less goes, and the other one may stand out then.
    stays = np.zeros(len(points), dtype=bool)
    stays[extreme] = True
    for k in doubtful[np.argsort(margin[doubtful].min(axis=1), kind="stable")].tolist():
        is_alike = (np.abs(points - points[k]) <= ALIKE).all(axis=1)
        stays[k] &= margin[k, stays & ~is_alike].min(initial=np.inf) > CLEAR
    return np.flatnonzero(stays)


def _drop_reached(points: np.ndarray, doubtful: np.ndarray, mates: np.ndarray) -> np.ndarray:
    """Return the positions of all points but the doubtful ones that combinations reach.

    `mates`, a row of flags for each doubtful point, are the points that combinations may use. The
    last is tested first and leaves if it is reached, so that of near-duplicates one stays.
    """
    stays = np.ones(len(points), dtype=bool)
    for k, mates_of_point in zip(doubtful[::-1].tolist(), mates[::-1], strict=True):
        check_time()
        stays[k] = False
        neighbours = points[stays & mates_of_point]
        stays[k] = not (len(neighbours) and is_reached(neighbours, points[k]))
    return np.flatnonzero(stays)
