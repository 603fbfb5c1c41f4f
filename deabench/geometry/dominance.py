"""Which rows of a table no other row dominates: exact comparisons, no tolerance."""

from __future__ import annotations

import numpy as np

from deabench.geometry.dominance_tree import Boxes
from deabench.utils.arrays import total

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


def dominators(values: np.ndarray) -> np.ndarray:
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
                best[order] = order[Boxes(left).first()]
                break
            enough = len(order)
    return best


def _above(columns: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Which of the points (s, n), a column each, are somewhere above the point (s,)."""
    above = columns[0] > point[0]
    for metric, value in zip(columns[1:], point[1:], strict=True):
        above |= metric > value
    return np.asarray(above)


def undominated(values: np.ndarray) -> np.ndarray:
    """Positions of the rows of `values` (n, s), higher better, that no other row dominates, each
    distinct row once: rising.
    """
    return np.flatnonzero(dominators(values) == np.arange(len(values)))
