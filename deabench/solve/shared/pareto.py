"""Which rows of a table no other row dominates: exact comparisons, no tolerance."""

from __future__ import annotations

import numpy as np


def undominated(values: np.ndarray) -> np.ndarray:
    """Positions of the rows of `values` (n, s), higher better, that no other row dominates, each distinct row once.

    A row dominates another that it nowhere falls below and somewhere exceeds. Rows are taken by falling sum, so whatever
    dominates a row comes before it: O(n · k) comparisons for k rows kept, and far fewer where the first ones remove most.

    Returns
    -------
    int array
        In rising order; of equal rows the first.
    """
    order = np.argsort(-values.sum(axis=1), kind="stable")
    left = np.ascontiguousarray(values[order].T)  # a column per row of the table: comparing metric by metric is faster
    kept: list[int] = []
    while len(order):
        kept.append(order[0])
        survives = left[0, 1:] > left[0, 0]
        for metric in left[1:]:
            survives |= metric[1:] > metric[0]
        left, order = left[:, 1:], order[1:]
        if not survives.all():
            left, order = left[:, survives], order[survives]
    return np.sort(np.array(kept, dtype=np.int64))
