"""Which rows of a table no other row dominates: exact comparisons, no tolerance."""

from __future__ import annotations

import numpy as np

from deabench.solve.shared.boxes import Boxes

FEW = 2000
"""Rows that are compared with each other one by one, however few of them fall out."""
ROUNDS = 32
"""Rows compared with all others before it is asked whether that removes enough."""
WORTH = 0.1
"""The share of the rows that `ROUNDS` must remove to be worth as many again."""


def dominators(values: np.ndarray) -> np.ndarray:
    """For each row of `values` (n, s), higher better, an undominated row that is nowhere below it: itself where it is one.

    A row dominates another that it nowhere falls below and somewhere exceeds. Rows are taken by falling sum, so whatever
    dominates a row comes before it. The first ones mostly remove nearly all; where they do not, a tree of boxes finds who dominates
    whom.

    Returns
    -------
    int32 array (n,)
        Of equal rows the first stands for all, and of several that dominate a row that with the largest sum.
    """
    order = np.argsort(-values.sum(axis=1), kind="stable").astype(np.int32)
    left = np.ascontiguousarray(values[order].T)  # a column per row of the table: comparing metric by metric is faster
    best = order.copy()
    best[order] = order
    rounds, enough = 0, len(order)
    while len(order):
        survives = left[0, 1:] > left[0, 0]
        for metric in left[1:]:
            survives |= metric[1:] > metric[0]
        first, left, order = order[0], left[:, 1:], order[1:]
        if not survives.all():
            best[order[~survives]] = first
            left, order = left[:, survives], order[survives]
        rounds += 1
        if rounds % ROUNDS == 0:
            if FEW < len(order) > (1 - WORTH) * enough:
                best[order] = order[Boxes(left).first()]
                break
            enough = len(order)
    return best


def undominated(values: np.ndarray) -> np.ndarray:
    """Positions of the rows of `values` (n, s), higher better, that no other row dominates, each distinct row once: rising."""
    return np.flatnonzero(dominators(values) == np.arange(len(values)))
