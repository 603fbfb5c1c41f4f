"""The frontier's combinatorics: extreme points, facets, and which of their faces are
Pareto-efficient.

All in boxed metrics (`deabench.utils.arrays.box`), with integer positions; `deabench.frontier` puts
the labels on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import combinations
from operator import and_

import numpy as np

from deabench.geometry.facets import TIGHT, list_facets, polar_simplices
from deabench.geometry.nearest_points import is_reached
from deabench.utils.arrays import blocks
from deabench.utils.threads import one_thread

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
"""What a combination that reaches a point is made of lies within this of the point's own
hyperplane.
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
        Where the points stand among those that the hull was made of.
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
        """Facets that are Pareto-efficient as a whole: all weights positive."""
        return np.asarray((self.normals > RISES).all(axis=1))

    @cached_property
    def through(self) -> list[int]:
        """For each point, the facets that hold it, as the bits of a number."""
        return [flags_to_bits(column) for column in self.incidence.T]

    @cached_property
    def corners(self) -> list[frozenset[int]]:
        """For each facet, its points."""
        return [frozenset(np.flatnonzero(row).tolist()) for row in self.incidence]

    @cached_property
    def rising(self) -> list[int]:
        """For each metric, the facets that are not flat in it, as bits."""
        return [flags_to_bits(column) for column in (self.normals > RISES).T]

    def holding(self, face: frozenset[int]) -> int:
        """The facets that hold a face, given by its points, as bits."""
        return reduce(and_, (self.through[k] for k in face))

    def pareto(self, face: frozenset[int]) -> bool:
        """Whether a face is Pareto-efficient: some normal of its cone is positive throughout."""
        holding = self.holding(face)
        return all(holding & rising for rising in self.rising)

    def cone(self, face: frozenset[int]) -> np.ndarray:
        """The normals (k, s) of the facets that hold the face."""
        return self.normals[bit_positions(self.holding(face))]

    @cached_property
    def mean_normals(self) -> np.ndarray:
        """For each maximal Pareto-efficient face the mean (s,) of the normals of the facets that
        hold it: positive.
        """
        out = np.empty((len(self.maximal_faces), self.points.shape[1]))
        for k, face in enumerate(self.maximal_faces):
            held = self.holding(face)
            out[k] = (
                self.normals[held.bit_length() - 1]
                if held.bit_count() == 1
                else self.cone(face).mean(axis=0)
            )
        return out

    @cached_property
    def maximal_faces(self) -> list[frozenset[int]]:
        """The Pareto-efficient faces that lie in no larger one: the full facets, and below the flat
        ones what no full one holds.
        """
        full = flags_to_bits(self.efficient_facets)
        flat = flags_to_bits(~self.efficient_facets)
        seen: set[frozenset[int]] = set()
        lower: set[frozenset[int]] = set()
        stack = [self.corners[f] for f in np.flatnonzero(~self.efficient_facets).tolist()]
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
                stack.extend(self._below(face, flat))
        found, slivers = self._efficient_facets()
        lower |= {face for face in slivers if not any(face < other for other in found)}
        return sorted([*found, *(f for f in lower if not any(f < g for g in lower))], key=sorted)

    def _efficient_facets(self) -> tuple[list[frozenset[int]], set[frozenset[int]]]:
        """The corners of the full facets: of those whose corners no other facet has, which are in
        no larger face, and of the others, slivers between near-duplicates.
        """
        corners = [self.corners[f] for f in np.flatnonzero(self.efficient_facets).tolist()]
        alone = [face for face in corners if face and self.holding(face).bit_count() == 1]
        return alone, {face for face in corners if face} - set(alone)

    def _below(self, face: frozenset[int], among: int) -> set[frozenset[int]]:
        """The faces that a face shares with the facets `among` (bits) that touch it and do not hold
        it.
        """
        near = reduce(int.__or__, (self.through[k] for k in face)) & among & ~self.holding(face)
        return {face & self.corners[f] for f in bit_positions(near)}

    def list_faces(self) -> dict[frozenset[int], int]:
        """Every Pareto-efficient face of any dimension with its dimension: the intersections of
        facets below the maximal ones.

        All subsets of a simplex are its faces, which saves the intersections.
        """
        every = flags_to_bits(np.ones(len(self.normals), dtype=bool))
        found: dict[frozenset[int], int] = {}
        stack = list(self.maximal_faces)
        while stack:
            face = stack.pop()
            if not face or face in found:
                continue
            found[face] = self.dimension(face)
            if found[face] == len(face) - 1:
                for size in range(1, len(face)):
                    found.update(
                        dict.fromkeys(map(frozenset, combinations(sorted(face), size)), size - 1)
                    )
            else:
                stack.extend(self._below(face, every))
        return found

    def dimension(self, face: frozenset[int]) -> int:
        """The dimension of the affine hull of a face's points."""
        points = self.points[sorted(face)]
        return (
            int(np.linalg.matrix_rank(points[1:] - points[0], tol=1e-9)) if len(points) > 1 else 0
        )

    def ridges(self) -> list[tuple[int, int]]:
        """Pairs of facets that share a ridge: what is tight on both has rank s - 1."""
        s = self.points.shape[1]
        flat = self.normals == 0
        tight = np.hstack([self.incidence, flat]).astype(np.float32)
        common = tight @ tight.T
        rows = np.vstack([self.points, np.eye(s)])
        pairs = []
        for a, b in np.argwhere(np.triu(common >= s - 1, k=1)).tolist():
            both = np.flatnonzero((tight[a] > 0) & (tight[b] > 0))
            if np.linalg.matrix_rank(rows[both], tol=1e-9) == s - 1:
                pairs.append((a, b))
        return pairs


def flags_to_bits(flags: np.ndarray) -> int:
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def bit_positions(number: int) -> list[int]:
    """The positions of the bits that are set."""
    out = []
    while number:
        lowest = number & -number
        out.append(lowest.bit_length() - 1)
        number ^= lowest
    return out


def build_hull(points: np.ndarray, *, extreme: np.ndarray | None = None) -> Hull:
    """The hull of undominated, distinct, boxed points (n, s); `extreme`, where it is known, are the
    positions of its points.

    Points are taken in lexicographic order, and facets are made of extreme points alone: a facet
    has the same bits in whatever order the points come, and whichever of those that are not extreme
    come with them."""
    n, s = points.shape
    if s == 1:
        best = np.array([int(np.argmax(points[:, 0]))])
        return Hull(
            points[best], 1.0 / points[best], np.array([[True]]), best, best[None], np.array([0])
        )
    with one_thread(n):
        return _hull(points, extreme)


def _hull(points: np.ndarray, extreme: np.ndarray | None) -> Hull:
    n, s = points.shape
    order = np.lexsort(points.T[::-1])
    if extreme is not None:
        candidates = np.sort(_places(order)[extreme])
        found = list_facets(points[order][candidates])
    else:
        members, _ = polar_simplices(points[order])
        candidates = np.unique(members[members < n])
        chosen = points[order][candidates]
        found = list_facets(chosen)
        kept = _extreme(chosen, found.normals, _on(chosen, found.normals))
        if len(kept) < len(candidates):  # what lies in a facet would change how it is cut
            candidates, found = candidates[kept], list_facets(chosen[kept])
    found = replace(found, members=np.append(candidates, n + np.arange(s))[found.members])
    rows = np.sort(order[candidates])
    members = np.sort(np.append(order, n + np.arange(s))[found.members], axis=1)
    return Hull(
        points[rows], found.normals, _on(points[rows], found.normals).T, rows, members, found.facet
    )


def _places(order: np.ndarray) -> np.ndarray:
    """Where each position stands in an order of all."""
    places = np.empty(len(order), dtype=int)
    places[order] = np.arange(len(order))
    return places


def extreme_points(points: np.ndarray) -> np.ndarray:
    """Positions of the extreme ones of undominated, distinct, boxed points (n, s), without their
    facets: for many metrics.
    """
    everyone = np.ones((len(points), len(points)), dtype=bool)
    return _kept(points, np.arange(len(points)), everyone)


def _on(points: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Which points (e, s) lie on which hyperplanes normal·y = 1 (f, s): bool (e, f)."""
    out = np.empty((len(points), len(normals)), dtype=bool)
    for part in blocks(len(points), len(normals)):
        out[part] = np.abs(points[part] @ normals.T - 1.0) <= TIGHT
    return out


def _extreme(points: np.ndarray, normals: np.ndarray, on: np.ndarray) -> np.ndarray:
    """Positions of the points that no combination of the others reaches; of near-duplicates one
    stays.

    The mean of the normals at a point is greatest there; where it is so by a margin, no combination
    of the others comes near."""
    mean = (on @ normals) / np.maximum(on.sum(axis=1), 1)[:, None]
    reach = mean @ points.T
    room = np.diag(reach)[:, None] - reach
    np.fill_diagonal(room, np.inf)
    doubtful = np.flatnonzero(room.min(axis=1) <= TIGHT)
    kept = _kept(points, doubtful, room[doubtful] <= MATES)
    alike = np.array([(np.abs(points - points[k]) <= ALIKE).all(axis=1) for k in doubtful]).reshape(
        -1, len(points)
    )
    level = np.where(alike, np.inf, room[doubtful]).min(axis=1, initial=np.inf) <= CLEAR
    return np.setdiff1d(kept, doubtful[level])


def _kept(points: np.ndarray, doubtful: np.ndarray, mates: np.ndarray) -> np.ndarray:
    """All points but the doubtful ones that a combination of their mates, a row of flags each,
    reaches.
    """
    kept = np.ones(len(points), dtype=bool)
    for k, near in zip(doubtful[::-1].tolist(), mates[::-1], strict=True):
        kept[k] = False
        others = points[kept & near]
        kept[k] = not (len(others) and is_reached(others, points[k]))
    return np.flatnonzero(kept)
