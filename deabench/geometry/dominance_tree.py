"""A tree of boxes over many points, to find which of them dominate a point without looking at all."""

from __future__ import annotations

import numpy as np

LEAF = 16
"""Points of a box that is not divided further."""
ROWS = 1 << 13
"""Points that are looked up at a time."""


class Boxes:
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
