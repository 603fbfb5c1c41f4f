"""The efficiency (5) of rows against a frontier that is known, each with its proof.

A row's simplex gives λ ≥ 0 that reach it, whose sum no efficiency exceeds; its facet gives weights
under which nobody on the frontier exceeds 1, and w·y, which no efficiency falls below. The score is
w·y. A row that lies near a ridge belongs to several simplices: its facet is the first of those with
the greatest w·y, so that a score never depends on where a walk began."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from deabench.geometry.facet_walk import ROWS, cones_of_simplices
from deabench.results.frontier import Frontier
from deabench.utils.arrays import TOLERANCE, blocks

CLEAR = 1e-9
"""A row whose least λ is above this lies in one simplex alone."""
STEEP = 1e-11
"""Coordinates that may be wrong by more than this are refined."""
RISES = 1e-9
"""A facet with a weight below this is flat in that metric."""


@dataclass(frozen=True)
class Scores:
    """Rows with their efficiency.

    Attributes
    ----------
    efficiency : array (n,)
    facet : int array (n,)
        The row of `Frontier.facets` whose weights give it.
    efficient : bool array (n,)
        Efficiency 1 and no slack, both within 1e-9.
    gap : array (n,)
        How far the proof from above lies from the score; NaN where there is none.
    short : array (n,)
        What the proof's mixture falls short of the row by, in metrics divided by their maxima.
    """

    efficiency: np.ndarray
    facet: np.ndarray
    efficient: np.ndarray
    gap: np.ndarray
    short: np.ndarray


class Scorer:
    """Scores rows against one frontier."""

    def __init__(self, front: Frontier) -> None:
        hull = front.hull
        self.normals, self.facet, self.on = (
            front.unscale_normals(hull.normals),
            hull.facet,
            hull.incidence,
        )
        self.points = front.vertex_outputs.to_numpy()
        self.rising = hull.normals > RISES
        self.unit = np.where(self.points.max(axis=0) > 0, self.points.max(axis=0), 1.0)
        self.rows = np.vstack([self.points, -np.diag(self.unit)])  # axes' λ are slack
        self.cone = cones_of_simplices(self.points, hull.members, self.normals, hull.facet)

    def score(self, columns: np.ndarray) -> Scores:
        """The scores of rows, none all 0, given as columns (s, n)."""
        parts = [
            self._score(columns[:, low : low + ROWS]) for low in range(0, columns.shape[1], ROWS)
        ]
        return Scores(
            *(
                np.concatenate([getattr(part, field.name) for part in parts])
                for field in fields(Scores)
            )
        )

    def _score(self, columns: np.ndarray) -> Scores:
        columns = np.ascontiguousarray(columns)
        y = np.ascontiguousarray(columns.T)
        at, _, margin = self.cone.walk(y)
        facet = np.where(at >= 0, self.facet[at], -1)
        shared = np.flatnonzero((facet < 0) | ~(margin > CLEAR))
        if len(shared):
            facet[shared] = self._greatest(y[shared])
        score = _products(columns, self.normals[facet].T)
        above, short = self._above(columns, at)
        for k in np.flatnonzero(
            (at < 0) | ~(short <= TOLERANCE) | ~(np.abs(above - score) <= TOLERANCE)
        ).tolist():
            above[k], short[k] = self._reached(y[k], int(facet[k]))
        return Scores(score, facet, self._efficient(y, score), np.abs(above - score), short)

    def _greatest(self, y: np.ndarray) -> np.ndarray:
        """The first facet with the greatest w·y for rows (n, s), summed in one order."""
        out = np.empty(len(y), dtype=np.int64)
        for part in blocks(len(y), len(self.normals)):
            out[part] = _products(y[part].T[:, :, None], self.normals.T[:, None, :]).argmax(axis=1)
        return out

    def _above(self, columns: np.ndarray, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Σ λ in each row's simplex, and what Σ λ Y falls short by; meaningless where there is no
        simplex.
        """
        place = np.maximum(at, 0)
        member, lam = self.cone.members.T.take(place, axis=1), self.cone.coordinates(columns, place)
        steep = np.flatnonzero(self.cone.doubt.take(place) > STEEP)
        if len(steep):  # rounding counts there: they are refined once
            left = np.array(
                [
                    column[steep] - _products(lam[:, steep], self.rows[:, r].take(member[:, steep]))
                    for r, column in enumerate(columns)
                ]
            )
            lam[:, steep] += self.cone.coordinates(left, place[steep])
        lam = np.maximum(lam, 0.0) * self.cone.counted.take(place, axis=1)
        short = np.zeros(len(at))
        for r, column in enumerate(columns):
            np.maximum(
                short,
                (column - _products(lam, self.rows[:, r].take(member))) / self.unit[r],
                out=short,
            )
        return lam.sum(axis=0), short

    def _reached(self, y: np.ndarray, facet: int) -> tuple[float, float]:
        """Σ λ of a mixture of the points on a facet that reaches a row (s,), and what it falls
        short by.
        """
        from scipy.optimize import nnls

        on = np.flatnonzero(self.on[facet])
        flat = np.flatnonzero(~self.rising[facet])
        rows = np.vstack([self.points[on], -np.diag(self.unit)[flat]]) / self.unit
        lam, _ = nnls(rows.T, y / self.unit)
        lam = lam[: len(on)]
        return float(lam.sum()), float(
            np.maximum((y - lam @ self.points[on]) / self.unit, 0.0).max()
        )

    def _efficient(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        """Which rows are efficient: some weights, positive in every metric, put them on the
        frontier.
        """
        out = np.zeros(len(y), dtype=bool)
        near = np.flatnonzero(score >= 1.0 - TOLERANCE)
        for part in blocks(len(near), len(self.normals)):
            tight = y[near[part]] @ self.normals.T >= 1.0 - TOLERANCE
            out[near[part]] = np.all(
                [(tight & rises).any(axis=1) for rises in self.rising.T], axis=0
            )
        return out


def _products(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Σ_r one[r] · other[r], always summed in the same order: no library's, whose last bit depends
    on the shape.
    """
    out = one[0] * other[0]
    for a, b in zip(one[1:], other[1:], strict=True):
        out += a * b
    return np.asarray(out)
