"""Polytopes of shares {w ≥ 0, Σ w = 1, g·w ≤ 0}, with their vertices in whole numbers.

A vertex is kept as a ray: a vector of whole numbers whose shares are its entries over their sum.
Cutting a polytope by a half-space then needs products and differences of whole numbers alone (the
double description method of Motzkin, Raiffa, Thompson and Thrall 1953), so that no tolerance
decides which vertices there are. Which half-spaces a vertex lies on is a set of bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

Ray = tuple[int, ...]
Simplex = tuple[int, ...]
"""The numbers of its vertices in the list of a polytope's."""


@dataclass(frozen=True)
class SharePolytope:
    """A polytope of shares.

    Attributes
    ----------
    rays : tuple of tuples of int
        The vertices, s whole numbers ≥ 0 each. None: the polytope is empty.
    tight : tuple of int
        Bit i of a vertex's number tells that it lies on half-space i.
    halfspaces : tuple of tuples of int
        g of g·w ≤ 0; the first s say w ≥ 0.
    """

    rays: tuple[Ray, ...]
    tight: tuple[int, ...]
    halfspaces: tuple[Ray, ...]

    @property
    def dimension(self) -> int:
        """The number of shares, s."""
        return len(self.halfspaces[0])

    @cached_property
    def shares(self) -> np.ndarray:
        """The vertices (p, s) as shares."""
        # Python divides whole numbers of any length without overflow.
        return np.array([[entry / sum(ray) for entry in ray] for ray in self.rays]).reshape(
            -1, self.dimension
        )

    @property
    def middle(self) -> Ray:
        """The mean of the vertices: inside whatever they span."""
        sums = [sum(ray) for ray in self.rays]
        common = math.lcm(*sums)
        return _reduce(
            [
                sum(ray[r] * (common // total) for ray, total in zip(self.rays, sums, strict=True))
                for r in range(self.dimension)
            ]
        )

    @property
    def has_interior(self) -> bool:
        """Whether the polytope has as many dimensions as the shares allow."""
        # Of a flat polytope some inequality is an equation: all vertices lie on it.
        common = -1
        for bits in self.tight:
            common &= bits
        return bool(self.rays) and common == 0

    def cut(self, g: Sequence[int]) -> SharePolytope:
        """Return the part of the polytope with g·w ≤ 0."""
        bit = 1 << len(self.halfspaces)
        heights = [sum(a * b for a, b in zip(g, ray, strict=True)) for ray in self.rays]
        kept_rays = []
        kept_tight = []
        for ray, bits, height in zip(self.rays, self.tight, heights, strict=True):
            if height <= 0:
                kept_rays.append(ray)
                kept_tight.append(bits if height < 0 else bits | bit)
        below = [i for i, height in enumerate(heights) if height < 0]
        for i in (i for i, height in enumerate(heights) if height > 0):
            for j in below:
                if not self._is_edge(i, j):
                    continue
                # The point of the edge on the hyperplane; both factors are positive.
                ray = _reduce(
                    [
                        heights[i] * low - heights[j] * high
                        for high, low in zip(self.rays[i], self.rays[j], strict=True)
                    ]
                )
                kept_rays.append(ray)
                kept_tight.append(self.tight[i] & self.tight[j] | bit)
        return SharePolytope(
            tuple(kept_rays), tuple(kept_tight), (*self.halfspaces, tuple(map(int, g)))
        )

    def _is_edge(self, i: int, j: int) -> bool:
        """Return whether two vertices are the ends of an edge."""
        # They are, unless a third vertex lies on all half-spaces that both lie on.
        common = self.tight[i] & self.tight[j]
        if common.bit_count() < self.dimension - 2:
            return False
        return not any(
            bits & common == common for k, bits in enumerate(self.tight) if k not in (i, j)
        )

    @cached_property
    def facets(self) -> dict[int, frozenset[int]]:
        """The vertices of each facet, by the number of a half-space; of equal ones each."""
        everything = frozenset(range(len(self.rays)))
        faces = {
            i: frozenset(k for k, bits in enumerate(self.tight) if bits >> i & 1)
            for i in range(len(self.halfspaces))
        }
        proper = {i: face for i, face in faces.items() if face and face != everything}
        return {
            i: face
            for i, face in proper.items()
            if not any(face < larger for larger in proper.values())
        }

    @property
    def outline(self) -> list[int]:
        """The vertices in the order in which one walks around a polygon, of two or three shares."""
        edges = [sorted(edge) for edge in set(self.facets.values())]
        if self.dimension != 3 or not self.has_interior:
            return list(range(len(self.rays)))
        order = min(edges)
        while len(order) < len(self.rays):
            # Each vertex ends two edges: the next vertex is that of the other one.
            order.append(
                next(
                    vertex
                    for edge in edges
                    if order[-1] in edge and order[-2] not in edge
                    for vertex in edge
                    if vertex != order[-1]
                )
            )
        return order

    @cached_property
    def simplices(self) -> list[Simplex]:
        """Simplices of the vertices that fill the polytope and overlap in faces only."""
        facets = list(set(self.facets.values()))
        return _pull(frozenset(range(len(self.rays))), self.dimension - 1, facets)

    @cached_property
    def volumes(self) -> np.ndarray:
        """The volume of each of `simplices`, as a share of {w ≥ 0, Σ w = 1}."""
        corners = self.shares[np.array(self.simplices, dtype=int).reshape(-1, self.dimension)]
        return np.asarray(np.abs(np.linalg.det(corners)))


def unit_simplex(s: int) -> SharePolytope:
    """Return {w ≥ 0, Σ w = 1} of s shares."""
    rays = tuple(tuple(int(r == k) for r in range(s)) for k in range(s))
    # Vertex k has only share k: it lies on all half-spaces −w_r ≤ 0 but the k-th.
    tight = tuple(((1 << s) - 1) ^ (1 << k) for k in range(s))
    return SharePolytope(rays, tight, tuple(tuple(-entry for entry in ray) for ray in rays))


def _reduce(entries: Sequence[int]) -> Ray:
    divisor = math.gcd(*entries)
    return tuple(entry // divisor for entry in entries)


def _pull(face: frozenset[int], dimension: int, facets: Sequence[frozenset[int]]) -> list[Simplex]:
    """Return simplices that fill a face: its first vertex with those of the opposite facets."""
    if len(face) == dimension + 1:
        return [tuple(sorted(face))]
    apex = min(face)
    # A facet of a face is a largest part that a facet of the polytope cuts out of it.
    subfaces = {face & facet for facet in facets} - {face, frozenset()}
    largest = [subface for subface in subfaces if not any(subface < larger for larger in subfaces)]
    return [
        (apex, *simplex)
        for subface in sorted(largest, key=sorted)
        if apex not in subface
        for simplex in _pull(subface, dimension - 1, facets)
    ]
