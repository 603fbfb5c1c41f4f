"""Find where the fewest of many bilinear functions are positive, by halving simplices.

Each function is given by its values D (P,) at the P pairs of vertices of two polytopes; at the
mixtures α and β of their vertices it is D·(α ⊗ β). With one vertex in the second polytope it is
linear. A function is positive on a whole pair of simplices where it is positive at all pairs of
corners, and positive nowhere in it where it is at none: the number of the former bounds the count
from below, and the count at any point bounds the least one from above. Pairs that the bounds leave
open are halved at an edge. The search ends, because "positive" is open: near any point at least as
many functions are positive as there. On a segment (two vertices in all) each function changes its
sign once, and the order of these crossings tells the least number at once.

References: Salo, Punkka (2011), Management Science 57:200-214, for the question; Horst, Pardalos,
Thoai (2000), Introduction to Global Optimization, 3.6, for simplicial branch and bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deabench.utils.progress import check_time

LEAF = -1
"""Stands for a node without children in a proof."""
BATCH = 256
"""Nodes that are examined in one step of numpy."""
ROUNDING = 4e-15
"""What a mixture of values may be off by, as a share of the largest of them."""
MAX_LEVEL = 48
"""Simplices are halved no more often: their corners stay exact floats."""
MAX_STALLED = 64
"""So many nodes that remain open are remembered."""
CROSSING_ERROR = 1e-14
"""Rounding moves the crossing of a segment, whose length is 1, by less than this."""
CLEAR_GAP = 1e-12
"""Crossings that are further apart leave points between them whose counts are sure."""
LONGEST_EDGE_LEVELS = 4
"""At each such level the longest edge is halved, so that all simplices shrink."""


@dataclass(frozen=True)
class Cell:
    """A pair of simplices: mixtures of vertices as corners, alpha (a, p) and beta (b, q)."""

    alpha: np.ndarray
    beta: np.ndarray


@dataclass
class Point:
    """Mixtures alpha (p,) and beta (q,) of vertices, and how many functions are positive there."""

    count: int
    alpha: np.ndarray
    beta: np.ndarray


class Subdivision:
    """The search of one count; it can be continued with a better point.

    Parameters
    ----------
    values : array (n, p · q)
        Each function at the pairs of vertices, with the right sign.
    cells : sequence of Cell
        They fill both polytopes.
    shares : pair of arrays (p, ·) and (q, ·)
        The vertices, by which edges are measured.
    start : Point
        A point that was seen.

    Attributes
    ----------
    best : Point
        The best point so far.
    nodes : int
        How many pairs of simplices were examined.
    """

    def __init__(
        self,
        values: np.ndarray,
        cells: Sequence[Cell],
        shares: tuple[np.ndarray, np.ndarray],
        start: Point,
    ) -> None:
        self.is_always = np.asarray((values > 0).all(axis=1))
        is_undecided = (values > 0).any(axis=1) & ~self.is_always
        self.undecided = np.flatnonzero(is_undecided)
        self.always = int(self.is_always.sum())
        self.values = np.ascontiguousarray(values[is_undecided].T)
        self.tolerance = ROUNDING * np.abs(self.values).max(axis=0, initial=0.0)
        self.best = start
        self.nodes = 0
        # The least bound of nodes that were halved `MAX_LEVEL` times and remain open.
        self.stalled_bound = len(values)
        # Which functions are positive at all corners of such a node, with their number.
        self.stalled: dict[bytes, tuple[int, np.ndarray]] = {}
        # The first vertices are columns of the table of a step, so that single products do.
        self.alpha = np.stack([cell.alpha for cell in cells])
        self.beta = np.stack([cell.beta for cell in cells])
        self.level = np.zeros(len(cells), dtype=int)
        self.bound = np.full(len(cells), self.always)
        self.number = np.arange(len(cells))
        self.root_count = len(cells)
        # By node: the edge that was halved, or LEAF, and its first child; the second follows.
        self.edge = np.full(len(cells), LEAF)
        self.child = np.full(len(cells), LEAF)
        corners = self.alpha.shape[1]
        self.alpha_edges = np.array(list_edges(corners), dtype=int).reshape(-1, 2)
        self.beta_edges = np.array(list_edges(self.beta.shape[1]), dtype=int).reshape(-1, 2)
        self.shares = shares
        if self.alpha.shape[:2] == (1, 2) and self.beta.shape[1] == 1:
            self._sweep_segment()

    @property
    def lower_bound(self) -> int:
        """The number that is proved: no point has fewer positive functions."""
        open_bound = int(self.bound.min(initial=self.best.count))
        return min(self.best.count, open_bound, self.stalled_bound)

    @property
    def is_finished(self) -> bool:
        """Whether the best point is proved the best."""
        return self.lower_bound >= self.best.count

    @property
    def is_exhausted(self) -> bool:
        """Whether nothing is left to halve: the best point is proved, or all else is too small."""
        return self.is_finished or not len(self.number)

    def run(self, max_nodes: int) -> None:
        """Go on until the best point is proved, or so many nodes were examined in all."""
        while not self.is_exhausted and self.nodes < max_nodes:
            check_time()
            self._step()

    def _sweep_segment(self) -> None:
        """Walk along a segment and count at each crossing; nearly tied ones are left to halving."""
        first, second = self.values
        is_rising = second > 0
        # Where on the segment each function is 0, and whether it is positive before or after.
        crossings = first / (first - second)
        # Of crossings tied up to rounding the falling ones come first: no count is too high.
        crossings += np.where(is_rising, CROSSING_ERROR, -CROSSING_ERROR)
        order = crossings.argsort()
        counts = np.empty(len(order) + 1, dtype=int)
        counts[0] = len(order) - np.count_nonzero(is_rising)
        counts[1:] = counts[0] + np.where(is_rising[order], 1, -1).cumsum()
        fewest = counts.min()
        self.bound[0] = self.always + fewest
        # The first and the last count hold at a vertex, the others between two crossings.
        limits = np.concatenate([[-1.0], crossings[order], [2.0]])
        widths = np.where(counts == fewest, np.diff(limits), 0.0)
        k = int(widths.argmax())
        if widths[k] > CLEAR_GAP:
            share = min(max((limits[k] + limits[k + 1]) / 2, 0.0), 1.0)
            start, end = self.alpha[0]
            self.offer(
                self.always + int(fewest), (1 - share) * start + share * end, self.beta[0, 0]
            )

    def _step(self) -> None:
        """Examine the last nodes of the stack and halve those that remain open."""
        # Nodes that a better point has closed meanwhile are leaves.
        is_open = self.bound < self.best.count
        if not is_open.all():
            self._keep(is_open)
        last_nodes = slice(max(len(self.number) - BATCH, 0), len(self.number))
        alpha, beta = self.alpha[last_nodes], self.beta[last_nodes]
        level, number = self.level[last_nodes], self.number[last_nodes]
        self._keep(np.arange(len(self.number)) < last_nodes.start)
        self.nodes += len(number)
        is_positive = self._positive(alpha, beta)
        # What is positive at all corners is positive between them.
        bound = self.always + is_positive.all(axis=1).sum(axis=1)
        self._look_at_corners(is_positive, alpha, beta)
        self._look_at_centres(alpha, beta)
        is_open = bound < self.best.count
        is_stalled = is_open & (level >= MAX_LEVEL)
        for node in np.flatnonzero(is_stalled):
            self._remember_stalled(int(bound[node]), is_positive[node].all(axis=0))
        rows = np.flatnonzero(is_open & ~is_stalled)
        if not len(rows):
            return
        edge = self._choose_edges(is_positive[rows], alpha[rows], beta[rows], level[rows])
        self._split(edge, alpha[rows], beta[rows], level[rows], number[rows], bound[rows])

    def _remember_stalled(self, bound: int, is_positive: np.ndarray) -> None:
        """Keep which functions are positive on a node that is too small to be halved."""
        self.stalled_bound = min(self.stalled_bound, bound)
        if len(self.stalled) < MAX_STALLED:
            on_node = self.is_always.copy()
            on_node[self.undecided[is_positive]] = True
            self.stalled[on_node.tobytes()] = (bound, on_node)

    def _positive(self, alpha: np.ndarray, beta: np.ndarray) -> np.ndarray:
        """Return which functions are positive at each pair of corners, bool (m, a · b, n)."""
        m, a, p = alpha.shape
        b, q = beta.shape[1:]
        mixtures = (alpha[:, :, None, :, None] * beta[:, None, :, None, :]).reshape(-1, p * q)
        values = mixtures @ self.values
        # At a vertex the value is the given one; elsewhere rounding must not make it positive.
        is_mixed = mixtures.max(axis=1) < 1.0
        return np.asarray(values > is_mixed[:, None] * self.tolerance).reshape(m, a * b, -1)

    def _look_at_corners(
        self, is_positive: np.ndarray, alpha: np.ndarray, beta: np.ndarray
    ) -> None:
        counts = is_positive.sum(axis=2)
        k = int(counts.argmin())
        node, corner = divmod(k, counts.shape[1])
        i, j = divmod(corner, beta.shape[1])
        self.offer(self.always + int(counts.flat[k]), alpha[node, i], beta[node, j])

    def _look_at_centres(self, alpha: np.ndarray, beta: np.ndarray) -> None:
        alpha_centres = alpha.mean(axis=1, keepdims=True)
        beta_centres = beta.mean(axis=1, keepdims=True)
        counts = self._positive(alpha_centres, beta_centres).sum(axis=(1, 2))
        k = int(counts.argmin())
        self.offer(self.always + int(counts[k]), alpha_centres[k, 0], beta_centres[k, 0])

    def is_positive_at_best(self) -> np.ndarray:
        """Return which functions are positive at the best point, up to rounding, bool (n,)."""
        alpha = self.best.alpha[None, None]
        beta = self.best.beta[None, None]
        is_positive = self.is_always.copy()
        is_positive[self.undecided] = self._positive(alpha, beta)[0, 0]
        return is_positive

    def offer(self, count: int, alpha: np.ndarray, beta: np.ndarray) -> None:
        """Take a point as the best if it is better."""
        if count < self.best.count:
            self.best = Point(count, alpha.copy(), beta.copy())

    def _choose_edges(
        self, is_positive: np.ndarray, alpha: np.ndarray, beta: np.ndarray, level: np.ndarray
    ) -> np.ndarray:
        """Return the edge to halve: many functions change their sign on it, and it is long."""
        m = len(alpha)
        signs = is_positive.reshape(m, alpha.shape[1], beta.shape[1], -1)
        first, second = self.alpha_edges.T
        changes = [(signs[:, first] != signs[:, second]).sum(axis=(2, 3))]
        lengths = [_edge_lengths(alpha @ self.shares[0], self.alpha_edges)]
        if len(self.beta_edges):
            first, second = self.beta_edges.T
            changes.append((signs[:, :, first] != signs[:, :, second]).sum(axis=(1, 3)))
            lengths.append(_edge_lengths(beta @ self.shares[1], self.beta_edges))
        length = np.hstack(lengths)
        score = np.hstack(changes) * length
        is_longest = level % LONGEST_EDGE_LEVELS == LONGEST_EDGE_LEVELS - 1
        score[is_longest] = length[is_longest]
        return np.asarray(score.argmax(axis=1))

    def _split(
        self,
        edge: np.ndarray,
        alpha: np.ndarray,
        beta: np.ndarray,
        level: np.ndarray,
        number: np.ndarray,
        bound: np.ndarray,
    ) -> None:
        """Push both halves of each node on the stack."""
        first_child = len(self.edge) + 2 * np.arange(len(edge))
        self.edge = np.append(self.edge, np.full(2 * len(edge), LEAF))
        self.child = np.append(self.child, np.full(2 * len(edge), LEAF))
        self.edge[number] = edge
        self.child[number] = first_child
        new_alpha = np.repeat(alpha, 2, axis=0)
        new_beta = np.repeat(beta, 2, axis=0)
        for corners, edges, offset in (
            (new_alpha, self.alpha_edges, 0),
            (new_beta, self.beta_edges, len(self.alpha_edges)),
        ):
            rows = np.flatnonzero((edge >= offset) & (edge < offset + len(edges)))
            if not len(rows):
                continue
            i, j = edges[edge[rows] - offset].T
            middle = (corners[2 * rows, i] + corners[2 * rows, j]) / 2
            # The first child loses the first end of the edge, the second child the other end.
            corners[2 * rows, i] = middle
            corners[2 * rows + 1, j] = middle
        self.alpha = np.concatenate([self.alpha, new_alpha])
        self.beta = np.concatenate([self.beta, new_beta])
        self.level = np.append(self.level, np.repeat(level + 1, 2))
        self.bound = np.append(self.bound, np.repeat(bound, 2))
        self.number = np.append(self.number, np.repeat(first_child, 2) + np.tile([0, 1], len(edge)))

    def _keep(self, mask: np.ndarray) -> None:
        """Keep a part of the stack."""
        self.alpha = self.alpha[mask]
        self.beta = self.beta[mask]
        self.level = self.level[mask]
        self.bound = self.bound[mask]
        self.number = self.number[mask]

    def tree(self) -> np.ndarray:
        """Return the proof: edges that were halved, LEAF where none was, depth first, int16."""
        edge = self.edge.tolist()
        child = self.child.tolist()
        stack = list(range(self.root_count - 1, -1, -1))
        order = []
        while stack:
            node = stack.pop()
            order.append(edge[node])
            if edge[node] != LEAF:
                stack += [child[node] + 1, child[node]]
        return np.array(order, dtype=np.int16)


def list_edges(corners: int) -> list[tuple[int, int]]:
    """Return the pairs of corners in the order that a proof numbers them."""
    return [(i, j) for i in range(corners) for j in range(i + 1, corners)]


def _edge_lengths(points: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Return the length of each edge (m, edges) of simplices with corners (m, corners, ·)."""
    first, second = edges.T
    return np.asarray(np.linalg.norm(points[:, first] - points[:, second], axis=2))
