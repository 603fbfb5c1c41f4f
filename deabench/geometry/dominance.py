"""Which rows of a table no other row dominates: exact comparisons, no tolerance."""

from __future__ import annotations

import numpy as np

from deabench.utils.arrays import total

LEAF = 16
"""Points of a box that is not divided further."""
ROWS = 1 << 13
"""Points that are looked up at a time."""

FEW = 2000
"""Rows that are compared with each other one by one, however few of them fall out."""
ROUNDS = 32
"""Rows compared with all others before it is asked whether that removes enough."""
LEFT = 0.95
"""A row that leaves more than this share of the others is the last that is looked for without
sorting them.
"""
WORTH = 0.1
"""The share of the rows that `ROUNDS` must remove to be worth as many again."""


def find_dominators(values: np.ndarray) -> np.ndarray:
    """For each row of `values` (n, s), higher better, an undominated row that is nowhere below it:
    itself where it is one.

    A row dominates another that it nowhere falls below and somewhere exceeds. Rows are taken by
    falling sum, so whatever dominates a row comes before it. The first ones mostly remove nearly
    all; where they do not, a tree of boxes finds who dominates whom.

    Returns
    -------
    int32 array (n,)
        Of equal rows the first stands for all, and of several that dominate a row that with the
        largest sum.
    """
    sums, left = (
        total(values),
        np.ascontiguousarray(values.T),
    )  # a column per row: comparing metric by metric is faster
    order = np.arange(len(values), dtype=np.int32)
    best = order.copy()
    while (
        len(order) > FEW
        # the first by their sum, as long as they strike out so many that sorting these would be wasted
    ):
        first = int(sums[order].argmax())
        above = _above(left, left[:, first])
        above[first] = False
        stays = np.flatnonzero(above)
        before, best[order[~above]] = len(order), order[first]
        left, order = left.take(stays, axis=1), order.take(stays)
        if len(order) > LEFT * before:
            break
    by_sum = np.argsort(-sums[order], kind="stable")
    left, order = left.take(by_sum, axis=1), order.take(by_sum)
    rounds, enough = 0, len(order)
    while len(order):
        survives = _above(left[:, 1:], left[:, 0])
        first, left, order = order[0], left[:, 1:], order[1:]
        if not survives.all():
            best[order[~survives]] = first
            stays = np.flatnonzero(survives)
            left, order = left.take(stays, axis=1), order.take(stays)
        rounds += 1
        if rounds % ROUNDS == 0:
            if FEW < len(order) > (1 - WORTH) * enough:
                best[order] = order[DominanceTree(left).first()]
                break
            enough = len(order)
    return best


def _above(columns: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Which of the points (s, n), a column each, are somewhere above the point (s,)."""
    above = columns[0] > point[0]
    for metric, value in zip(columns[1:], point[1:], strict=True):
        above |= metric > value
    return np.asarray(above)


def undominated_rows(values: np.ndarray) -> np.ndarray:
    """Positions of the rows of `values` (n, s), higher better, that no other row dominates, each
    distinct row once: rising.
    """
    return np.flatnonzero(find_dominators(values) == np.arange(len(values)))


class DominanceTree:
    """Points (s, n), a column each, the earlier the better, in a tree of boxes: halved along each
    box's longest side.

    Attributes
    ----------
    high, low : list of arrays (s, 2^d)
        The corners of the boxes of each depth d.
    earliest : list of int arrays (2^d,)
        The first point of each box.
    points : array (s, 2^depth, LEAF)
        Those of the deepest boxes; what is missing to fill them is -inf.
    place : int array (2^depth, LEAF)
        Where they stand among all points.
    """

    def __init__(self, columns: np.ndarray) -> None:
        self.columns = columns
        s, n = columns.shape
        self.depth = max(int(np.ceil(np.log2(max(n / LEAF, 1)))), 0)
        size = LEAF << self.depth
        place = np.append(np.arange(n), np.full(size - n, n))[None]
        padded = np.column_stack([columns, np.full(s, -np.inf)])
        for _ in range(self.depth):
            place = _halved(padded, place)
        self.place, self.points = place, padded[:, place]
        self.high, self.earliest = [self.points.max(axis=2)], [place.min(axis=1)]
        self.low = [np.where(place < n, self.points, np.inf).min(axis=2)]
        for _ in range(self.depth):
            self.high.insert(0, np.maximum(self.high[0][:, ::2], self.high[0][:, 1::2]))
            self.low.insert(0, np.minimum(self.low[0][:, ::2], self.low[0][:, 1::2]))
            self.earliest.insert(0, np.minimum(self.earliest[0][::2], self.earliest[0][1::2]))

    def first(self) -> np.ndarray:
        """For each point the first that is nowhere below it, itself where no earlier one is."""
        n = self.columns.shape[1]
        best = np.arange(n)
        for start in range(0, n, ROWS):
            self._among(np.arange(start, min(start + ROWS, n)), best)
        return best

    def _among(self, rows: np.ndarray, best: np.ndarray) -> None:
        """Look the points `rows` up, box by box from the whole down, and keep the first that is
        found in `best`.
        """
        box = np.zeros(len(rows), dtype=np.intp)
        for depth in range(self.depth + 1):
            near = self.earliest[depth][box] < best[rows]
            rows, box = rows[near], box[near]
            for metric, high in zip(self.columns, self.high[depth], strict=True):
                near = high[box] >= metric[rows]
                rows, box = rows[near], box[near]
            whole = np.ones(len(rows), dtype=bool)
            for metric, low in zip(self.columns, self.low[depth], strict=True):
                whole &= low[box] >= metric[rows]
            np.minimum.at(best, rows[whole], self.earliest[depth][box[whole]])
            rows, box = rows[~whole], box[~whole]
            if depth < self.depth:
                rows, box = np.repeat(rows, 2), (2 * box[:, None] + np.arange(2)).ravel()
        above = self.points[0][box] >= self.columns[0][rows][:, None]
        for metric, points in zip(self.columns[1:], self.points[1:], strict=True):
            above &= points[box] >= metric[rows][:, None]
        none = self.columns.shape[1]
        np.minimum.at(best, rows, np.where(above, self.place[box], none).min(axis=1, initial=none))


def _halved(padded: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Boxes of points, given by their places (boxes, size), each in two of half the size, along its
    longest side.
    """
    points = padded[:, place]
    finite = np.isfinite(points)
    longest = (points.max(axis=2) - np.where(finite, points, np.inf).min(axis=2)).argmax(axis=0)
    key = np.take_along_axis(points, longest[None, :, None], axis=0)[0]
    half = place.shape[1] // 2
    order = np.argpartition(-key, half, axis=1)
    return np.asarray(np.take_along_axis(place, order, axis=1).reshape(-1, half))
