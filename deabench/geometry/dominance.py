"""Find which rows of a table no other row dominates: exact comparisons, no tolerance.

A row dominates another that it nowhere falls below and somewhere exceeds; all metrics are higher
better. Comparing all pairs takes n² time. Two facts save most of it: whatever dominates a row has a
larger sum, so rows are taken by falling sum and only look back; and in most tables a few rows
strike out nearly all others. Where they do not, a tree of boxes finds who dominates whom.

Rounding keeps the order of sums but may make two equal, as where a metric is 1e16 times another:
undominated rows of the same sum are compared once more.
"""

from __future__ import annotations

import numpy as np

from deabench.utils.arrays import row_sums

FEW = 2000
"""Rows that are compared with each other one by one, however few of them are struck out."""
ROUNDS = 32
"""Rows compared with all others before checking whether that strikes out enough."""
LEFT = 0.95
"""A row that leaves more than this share of the others is the last that is looked for without
sorting them.
"""
WORTH = 0.1
"""The share of the rows that `ROUNDS` must strike out to be worth as many again."""
PAIRED = 200
"""Rows of which all pairs are compared at once, faster than one row after another."""
LEAF = 16
"""Points of a box of the tree that is not divided further."""
LOOKED_UP = 1 << 13
"""Points that are looked up in the tree at a time."""


def find_dominators(values: np.ndarray) -> np.ndarray:
    """Return for each row of `values` (n, s) an undominated row that is nowhere below it.

    Itself where it is undominated.

    Returns
    -------
    int32 array (n,)
        Of equal rows the first stands for all, and of several that dominate a row that with the
        largest sum.
    """
    sums = row_sums(values)
    # One contiguous column per metric: rows are compared metric by metric.
    columns = np.ascontiguousarray(values.T)
    # `order` are the rows still in `columns`: not struck out so far.
    order = np.arange(len(values), dtype=np.int32)
    dominator = order.copy()
    striking_rows: list[int] = []
    # While many rows are left, take the one with the largest sum (which nothing dominates) and
    # strike out all that it dominates. Sorting first would be wasted on rows that fall out.
    while len(order) > FEW:
        first = int(sums[order].argmax())
        stays = _exceeds_somewhere(columns, columns[:, first])
        stays[first] = False
        dominator[order[~stays]] = order[first]
        striking_rows.append(int(order[first]))
        survivors = np.flatnonzero(stays)
        before = len(order)
        columns = columns.take(survivors, axis=1)
        order = order.take(survivors)
        if len(order) > LEFT * before:
            break
    # Now by falling sum; of equal sums the first row first, so it stands for all equal ones.
    by_sum = np.argsort(-sums[order], kind="stable")
    columns = columns.take(by_sum, axis=1)
    order = order.take(by_sum)
    _strike_out_in_order(columns, order, dominator)
    sorted_sums = sums[np.append(np.array(striking_rows, dtype=np.int32), order)]
    if (sorted_sums[1:] == sorted_sums[:-1]).any():
        return _compare_equal_sums(values, sums, dominator)
    return dominator


def _strike_out_in_order(columns: np.ndarray, order: np.ndarray, dominator: np.ndarray) -> None:
    """Set the `dominator` of rows: the first in their `order` that is nowhere below, or itself.

    Parameters
    ----------
    columns : array (s, n)
        The metrics of the rows.
    order : int array (n,)
        Rows by falling sum.
    dominator : int array
        By row.
    """
    if 0 < len(order) <= PAIRED:
        # What dominates a dominator dominates the row, too: the first of all is undominated.
        exceeds = _exceeds_somewhere(columns[:, None, :], columns[:, :, None])
        dominator[order] = order[exceeds.argmin(axis=0)]
        return
    rounds = 0
    before = len(order)
    while len(order):
        # The first row is undominated: all with a larger sum have been compared with it.
        stays = _exceeds_somewhere(columns[:, 1:], columns[:, 0])
        first_row = order[0]
        columns = columns[:, 1:]
        order = order[1:]
        if not stays.all():
            dominator[order[~stays]] = first_row
            survivors = np.flatnonzero(stays)
            columns = columns.take(survivors, axis=1)
            order = order.take(survivors)
        rounds += 1
        if rounds % ROUNDS == 0:
            # Many rows left and few struck out: look the rest up in a tree.
            if FEW < len(order) > (1 - WORTH) * before:
                dominator[order] = order[DominanceTree(columns).first_dominators()]
                return
            before = len(order)


def _compare_equal_sums(values: np.ndarray, sums: np.ndarray, dominator: np.ndarray) -> np.ndarray:
    """Return the dominators (n,) with those that have no larger sum than the row.

    They are compared with the rows that no other sum shows to be dominated.
    """
    rows = np.flatnonzero(dominator == np.arange(len(values)))
    rows = rows[np.argsort(sums[rows])]
    is_tie = sums[rows[1:]] == sums[rows[:-1]]
    rows = rows[np.append(is_tie, False) | np.append(False, is_tie)]
    if not len(rows):
        return dominator
    # What dominates a row of the same sum has more of the first metric that tells them apart.
    rows = rows[np.lexsort(np.vstack([-values[rows].T[::-1], -sums[rows]]))]
    columns = values[rows].T
    # Equal sums of a row and its dominator differ by rounding alone, and so does each metric.
    s = len(columns)
    rounding = 4 * s * s * np.finfo(float).eps * np.abs(columns).max()
    adopted = dominator.copy()
    for shift in range(1, len(rows)):
        is_near = sums[rows[shift:]] == sums[rows[:-shift]]
        is_near &= columns[0, :-shift] - columns[0, shift:] <= rounding
        above = np.flatnonzero(is_near)
        if not len(above):
            break
        above = above[~_exceeds_somewhere(columns[:, above + shift], columns[:, above])]
        # The last that is found stands first, and nothing dominates it.
        adopted[rows[above + shift]] = rows[above]
    # What dominates a dominator dominates the row, too.
    return np.asarray(adopted[dominator])


def _exceeds_somewhere(columns: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Return which of the points (s, n), a column each, exceed the point (s,) in some metric.

    Any two arrays of points, metrics first, that can be compared element by element.
    """
    exceeds = columns[0] > point[0]
    for metric, value in zip(columns[1:], point[1:], strict=True):
        exceeds |= metric > value
    return np.asarray(exceeds)


def undominated_rows(values: np.ndarray) -> np.ndarray:
    """Return the positions of the undominated rows of `values` (n, s), each distinct once."""
    return np.flatnonzero(find_dominators(values) == np.arange(len(values)))


class DominanceTree:
    """Points (s, n), a column each, the earlier the better, in a tree of boxes.

    Each box is halved along its longest side, until it holds `LEAF` points.

    Attributes
    ----------
    high, low : list of arrays (s, 2^d)
        The corners of the boxes of each depth d.
    earliest : list of int arrays (2^d,)
        The first point of each box.
    points : array (s, 2^depth, LEAF)
        Those of the deepest boxes; what is missing to fill them is -inf.
    position : int array (2^depth, LEAF)
        Their positions among all points.
    """

    def __init__(self, columns: np.ndarray) -> None:
        self.columns = columns
        s, n = columns.shape
        self.depth = max(int(np.ceil(np.log2(max(n / LEAF, 1)))), 0)
        size = LEAF << self.depth
        # Position n stands for a missing point, at -inf.
        position = np.append(np.arange(n), np.full(size - n, n))[None]
        padded = np.column_stack([columns, np.full(s, -np.inf)])
        for _ in range(self.depth):
            position = _halve_boxes(padded, position)
        self.position = position
        self.points = padded[:, position]
        # Corners of the deepest boxes, then of each two together, up to the whole.
        self.high = [self.points.max(axis=2)]
        self.low = [np.where(position < n, self.points, np.inf).min(axis=2)]
        self.earliest = [position.min(axis=1)]
        for _ in range(self.depth):
            self.high.insert(0, np.maximum(self.high[0][:, ::2], self.high[0][:, 1::2]))
            self.low.insert(0, np.minimum(self.low[0][:, ::2], self.low[0][:, 1::2]))
            self.earliest.insert(0, np.minimum(self.earliest[0][::2], self.earliest[0][1::2]))

    def first_dominators(self) -> np.ndarray:
        """Return for each point the first that is nowhere below it: itself if no earlier one is."""
        n = self.columns.shape[1]
        first = np.arange(n)
        for start in range(0, n, LOOKED_UP):
            self._look_up(np.arange(start, min(start + LOOKED_UP, n)), first)
        return first

    def _look_up(self, rows: np.ndarray, first: np.ndarray) -> None:
        """Look up the points `rows` in all boxes, from the whole down, and lower their `first`.

        At each depth, `rows` and `box` are pairs of a point and a box that may hold an earlier
        dominator of it.
        """
        box = np.zeros(len(rows), dtype=np.intp)
        for depth in range(self.depth + 1):
            # Drop boxes without an earlier point than the one known.
            open_pairs = self.earliest[depth][box] < first[rows]
            rows = rows[open_pairs]
            box = box[open_pairs]
            # Drop boxes that are below the point in some metric throughout.
            for metric, highest in zip(self.columns, self.high[depth], strict=True):
                open_pairs = highest[box] >= metric[rows]
                rows = rows[open_pairs]
                box = box[open_pairs]
            # Boxes nowhere below the point dominate it as a whole: their first point will do.
            dominates = np.ones(len(rows), dtype=bool)
            for metric, low in zip(self.columns, self.low[depth], strict=True):
                dominates &= low[box] >= metric[rows]
            np.minimum.at(first, rows[dominates], self.earliest[depth][box[dominates]])
            rows = rows[~dominates]
            box = box[~dominates]
            # Of the others both halves are looked at.
            if depth < self.depth:
                rows = np.repeat(rows, 2)
                box = (2 * box[:, None] + np.arange(2)).ravel()
        # The points of the deepest boxes, one by one.
        above = self.points[0][box] >= self.columns[0][rows][:, None]
        for metric, points in zip(self.columns[1:], self.points[1:], strict=True):
            above &= points[box] >= metric[rows][:, None]
        missing = self.columns.shape[1]
        earliest = np.where(above, self.position[box], missing).min(axis=1, initial=missing)
        np.minimum.at(first, rows, earliest)


def _halve_boxes(padded: np.ndarray, position: np.ndarray) -> np.ndarray:
    """Return boxes of points given by positions (boxes, size), halved along their longest side."""
    points = padded[:, position]
    lowest = np.where(np.isfinite(points), points, np.inf).min(axis=2)
    longest = (points.max(axis=2) - lowest).argmax(axis=0)
    key = np.take_along_axis(points, longest[None, :, None], axis=0)[0]
    middle = position.shape[1] // 2
    order = np.argpartition(-key, middle, axis=1)
    return np.asarray(np.take_along_axis(position, order, axis=1).reshape(-1, middle))
