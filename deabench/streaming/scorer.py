"""Score rows by model (5) against a known frontier, each score with its proof.

The simplex a row lies in gives λ ≥ 0 that reach the row, whose sum no efficiency exceeds; its facet
gives weights w under which no DMU of the frontier exceeds 1, and w·y, which no efficiency falls
below. The score is w·y. A row near a ridge belongs to several simplices: its facet is the first of
those with the greatest w·y, so that a score does not depend on where a walk began.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from scipy.optimize import nnls

from deabench.geometry.facet_walk import ROWS, cones_of_simplices
from deabench.results.frontier import Frontier
from deabench.utils.arrays import TOLERANCE, blocks

INTERIOR = 1e-9
"""A row whose least λ is above this lies in one simplex alone."""
MAX_DOUBT = 1e-11
"""Coordinates that may be wrong by more than this are refined."""
NO_FACET = -1
"""In `Scores.facet`: a row of zeros, which no facet scores."""
POSITIVE = 1e-9
"""A facet with a weight below this is flat in that metric."""


@dataclass(frozen=True)
class Scores:
    """Rows with their efficiency and what proves it.

    Attributes
    ----------
    efficiency : array (n,)
    facet : int array (n,)
        The row of `Frontier.facets` whose weights give it.
    efficient : bool array (n,)
        Efficiency 1 and no slack, both within 1e-9.
    gap : array (n,)
        The distance of the proof from above to the score; NaN where there is none.
    shortfall : array (n,)
        By how much the proof's mixture falls short of the row, in metrics divided by their maxima.
    """

    efficiency: np.ndarray
    facet: np.ndarray
    efficient: np.ndarray
    gap: np.ndarray
    shortfall: np.ndarray


class Scorer:
    """Score rows against one frontier.

    Attributes
    ----------
    normals : array (f, s)
        The weights of each facet: normal·y ≤ 1 for all that is attainable.
    points : array (k, s)
        The vertices of the frontier.
    generators : array (k + s, s)
        The vertices, then the negative axes, whose λ is slack.
    """

    def __init__(self, front: Frontier) -> None:
        hull = front.hull
        self.normals = front.unscale_normals(hull.normals)
        self.facet_of_simplex = hull.facet
        self.on_facet = hull.incidence
        self.is_positive = hull.normals > POSITIVE
        self.points = front.vertex_outputs.to_numpy()
        greatest = self.points.max(axis=0)
        self.unit = np.where(greatest > 0, greatest, 1.0)
        self.generators = np.vstack([self.points, -np.diag(self.unit)])
        self.cone = cones_of_simplices(self.points, hull.members, self.normals, hull.facet)

    def score(self, columns: np.ndarray) -> Scores:
        """Score rows given as columns (s, n).

        A row of zeros has the efficiency NaN and no facet.
        """
        has_output = np.asarray(columns.any(axis=0))
        if not has_output.all():
            return self._score_defined(columns, has_output)
        # So many rows at a time that their numbers stay in the cache.
        scored = [
            self._score_block(columns[:, start : start + ROWS])
            for start in range(0, columns.shape[1], ROWS)
        ]
        arrays = {
            field.name: np.concatenate([getattr(block, field.name) for block in scored])
            for field in fields(Scores)
        }
        return Scores(**arrays)

    def _score_defined(self, columns: np.ndarray, has_output: np.ndarray) -> Scores:
        """Score the rows that are not all 0, bool (n,); the others are undefined."""
        n = len(has_output)
        scores = Scores(
            efficiency=np.full(n, np.nan),
            facet=np.full(n, NO_FACET),
            efficient=np.zeros(n, dtype=bool),
            gap=np.zeros(n),
            shortfall=np.zeros(n),
        )
        if has_output.any():
            defined = self.score(columns[:, has_output])
            for field in fields(Scores):
                getattr(scores, field.name)[has_output] = getattr(defined, field.name)
        return scores

    def _score_block(self, columns: np.ndarray) -> Scores:
        columns = np.ascontiguousarray(columns)
        y = np.ascontiguousarray(columns.T)
        # A walk from simplex to simplex finds the one each row lies in, and with it the facet.
        simplex, _, margin = self.cone.locate(y)
        facet = np.where(simplex >= 0, self.facet_of_simplex[simplex], -1)
        # Near a ridge, and where no walk ended, all facets are compared.
        ambiguous = np.flatnonzero((facet < 0) | ~(margin > INTERIOR))
        if len(ambiguous):
            facet[ambiguous] = self._best_facets(y[ambiguous])
        score = _ordered_dot(columns, self.normals[facet].T)
        above, shortfall = self._mixtures(columns, simplex)
        # A mixture of the facet's points settles the few rows that their simplex does not prove.
        is_unproved = (
            (simplex < 0) | ~(shortfall <= TOLERANCE) | ~(np.abs(above - score) <= TOLERANCE)
        )
        for row in np.flatnonzero(is_unproved).tolist():
            above[row], shortfall[row] = self._facet_mixture(y[row], int(facet[row]))
        return Scores(score, facet, self._is_efficient(y, score), np.abs(above - score), shortfall)

    def _best_facets(self, y: np.ndarray) -> np.ndarray:
        """Return the first facet with the greatest w·y for rows (n, s)."""
        facet = np.empty(len(y), dtype=np.int64)
        weights = self.normals.T[:, None, :]
        for block in blocks(len(y), len(self.normals)):
            facet[block] = _ordered_dot(y[block].T[:, :, None], weights).argmax(axis=1)
        return facet

    def _mixtures(self, columns: np.ndarray, simplex: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return Σ λ in each row's simplex, and by how much Σ λ Y falls short of the row.

        The numbers of rows without a simplex (-1) mean nothing.
        """
        index = np.maximum(simplex, 0)
        members = self.cone.members.T.take(index, axis=1)
        lam = self.cone.coordinates(columns, index)
        # In a steep simplex rounding counts: one step of iterative refinement.
        steep = np.flatnonzero(self.cone.doubt.take(index) > MAX_DOUBT)
        if len(steep):
            residual = np.empty((len(columns), len(steep)))
            for r, column in enumerate(columns):
                generators = self.generators[:, r].take(members[:, steep])
                residual[r] = column[steep] - _ordered_dot(lam[:, steep], generators)
            lam[:, steep] += self.cone.coordinates(residual, index[steep])
        # λ of axes is slack, which counts neither in the sum nor in the mixture.
        lam = np.maximum(lam, 0.0) * self.cone.is_point.take(index, axis=1)
        shortfall = np.zeros(len(simplex))
        for r, column in enumerate(columns):
            reached = _ordered_dot(lam, self.generators[:, r].take(members))
            np.maximum(shortfall, (column - reached) / self.unit[r], out=shortfall)
        return lam.sum(axis=0), shortfall

    def _facet_mixture(self, y: np.ndarray, facet: int) -> tuple[float, float]:
        """Return Σ λ of a mixture of a facet's points near a row (s,), and what it falls short by.

        Non-negative least squares; in the metrics that the facet is flat in, slack is free.
        """
        on_facet = np.flatnonzero(self.on_facet[facet])
        flat = np.flatnonzero(~self.is_positive[facet])
        generators = np.vstack([self.points[on_facet], -np.diag(self.unit)[flat]]) / self.unit
        lam, _ = nnls(generators.T, y / self.unit)
        lam = lam[: len(on_facet)]
        shortfall = np.maximum((y - lam @ self.points[on_facet]) / self.unit, 0.0).max()
        return float(lam.sum()), float(shortfall)

    def _is_efficient(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        """Return which rows some weights, positive in every metric, put on the frontier."""
        efficient = np.zeros(len(y), dtype=bool)
        candidates = np.flatnonzero(score >= 1.0 - TOLERANCE)
        for block in blocks(len(candidates), len(self.normals)):
            rows = candidates[block]
            # The mean of the facets a row lies on is positive where one of them is.
            is_tight = y[rows] @ self.normals.T >= 1.0 - TOLERANCE
            efficient[rows] = np.all(
                [(is_tight & positive).any(axis=1) for positive in self.is_positive.T], axis=0
            )
        return efficient


def _ordered_dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return Σ_r a[r] · b[r], always summed in the same order.

    The last bit of a library's product depends on the shape of its arguments.
    """
    total = a[0] * b[0]
    for r in range(1, len(a)):
        total += a[r] * b[r]
    return np.asarray(total)
