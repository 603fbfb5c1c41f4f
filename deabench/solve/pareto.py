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
    left = values[order]
    kept: list[int] = []
    while len(left):
        first, rest = left[0], left[1:]
        kept.append(order[0])
        survives = (rest > first).any(axis=1)
        left, order = rest[survives], order[1:][survives]
    return np.sort(np.array(kept, dtype=np.int64))
