"""Which basis to try on which DMU: guesses that save solves. What they get wrong the signs of the
basic variables tell.
"""

from __future__ import annotations

import numpy as np

from deabench.solver.family import Family
from deabench.utils.arrays import blocks

ALIKE = 4
"""DMUs that are neighbours without being sorted further."""
STAGES = ((1 / 16, np.float32), (1 / 4, np.float32), (1, np.float32), (1, np.float64))
"""Which share of the bases is tried on what is left, and in which precision: single is twice as
fast, and what it guesses wrong is guessed again.
"""


def neighbours(points: np.ndarray) -> np.ndarray:
    """An order of points (K, q) in which near ones follow each other, by halves along the widest
    coordinate.

    The basis of the DMU before is then a few pivots away.
    """
    out, parts = [], [np.arange(len(points))]
    while parts:
        part = parts.pop()
        if len(part) <= ALIKE:
            out.append(part)
            continue
        widest = np.ptp(points[part], axis=0).argmax()
        part = part[np.argsort(points[part, widest], kind="stable")]
        parts += [part[len(part) // 2 :], part[: len(part) // 2]]
    return np.concatenate(out)


class Prices:
    """Dual solutions of a family, to find for each DMU the one with the highest dual objective, the
    tightest bound.
    """

    def __init__(self, family: Family, duals: np.ndarray, precision: type) -> None:
        self.family, self.precision = family, precision
        transposed = np.ascontiguousarray(duals.T)
        self.cost = family.static_cost[family.theta] if family.theta >= 0 else 0.0
        value = family.bound[0] @ transposed * self.cost
        one_sign = bool((value < 0).all() or (value > 0).all())
        self.ratio = family.theta >= 0 and not family.bound[1].any() and one_sign
        # the objective is value / scale with a fixed value: the best has the least scale / value
        if self.ratio:
            transposed /= value
        self.transposed: np.ndarray = transposed.astype(precision)
        if family.theta >= 0:  # the scale of data k is start + slope k
            self.start = (family.static[family.theta] @ transposed).astype(precision)
            self.slope = (family.varying[family.theta].T @ transposed).astype(precision)

    def best(self, tested: np.ndarray) -> np.ndarray:
        """The position of the best for each of the tested data (K, q)."""
        out = np.empty(len(tested), dtype=np.intp)
        for part in blocks(len(tested), self.transposed.shape[1]):
            out[part] = self._best(tested[part])
        return out

    def _best(self, tested: np.ndarray) -> np.ndarray:
        family = self.family
        if self.ratio:
            return np.asarray(self._scale(tested).argmin(axis=1))
        value = family.right_hand_side(tested).astype(self.precision) @ self.transposed
        if family.theta >= 0:
            scale = self._scale(tested)
            with np.errstate(divide="ignore", invalid="ignore"):
                value = np.where(scale * self.cost > 0, value * self.cost / scale, -np.inf)
        return np.asarray(value.argmax(axis=1))

    def _scale(self, tested: np.ndarray) -> np.ndarray:
        """What the column of θ of data (K, q) is worth by each dual solution: (K, B)."""
        scale = tested.astype(self.precision) @ self.slope
        return np.asarray(scale + self.start if self.start.any() else scale)


def popular(family: Family, duals: np.ndarray, sample: np.ndarray) -> np.ndarray:
    """The positions of the dual solutions (B, m) by how many of a sample of DMUs (K, q) have the
    best bound there, most first.
    """
    hits = np.bincount(Prices(family, duals, np.float32).best(sample), minlength=len(duals))
    return np.argsort(-hits, kind="stable")
