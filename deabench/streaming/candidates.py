"""Who can still be extreme: a stream of rows goes in, the few that no mixture of others reaches
stay.

A row goes where one of a few champions is nowhere below it, or where it lies inside what mixtures
of the candidates reach, which its own coordinates prove. The others wait; when enough do, the hull
of the candidates is listed anew with them. Whoever is extreme in the end is so among any of the
rows, so nothing depends on their order or on how they come."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deabench.geometry.dominance import undominated_rows
from deabench.geometry.facet_walk import FacetCones, cones_of_points

FIRST = 2048
"""Rows of the first chunk; the next ones double."""
WAITING = 256
"""So many wait before the hull is listed anew, at least."""
CLEARLY = 1e-11
"""Who is efficient up to this is not dropped."""
CHAMPIONS = 8
SAMPLE = 4096
"""Rows on which champions are chosen."""
GAIN = 0.02
"""The share of the sample that a champion must strike out to be one."""
MOST_FACETS = 500_000


class TooManyFacetsError(Exception):
    """The hull has more facets than are held; the number is the argument."""


@dataclass(frozen=True)
class Kept:
    """What is left of a part of the rows.

    Attributes
    ----------
    values : array (k, s)
        The candidates' metrics, all to be high, each distinct row once, in lexicographic order.
    places : int array (k,)
        Where each stands; of equal rows the first.
    low, high : arrays (s,)
        The least and greatest value of each metric over all rows.
    rows, left_out : int
        How many rows there were, and how many of them were left out for a missing cell.
    """

    values: np.ndarray
    places: np.ndarray
    low: np.ndarray
    high: np.ndarray
    rows: int
    left_out: int


class Candidates:
    """The candidates of a stream; `tolerance` is how far beyond their hull a row may lie and still
    be dropped.
    """

    def __init__(self, metrics: int, tolerance: float = 0.0) -> None:
        self.limit = 1.0 + tolerance if tolerance > 0 else 1.0 - CLEARLY
        self.values, self.places = np.empty((0, metrics)), np.empty(0, dtype=np.int64)
        self.waiting: list[tuple[np.ndarray, np.ndarray]] = []
        self.cone: FacetCones | None = None
        self.champions = np.empty((0, metrics))
        self.chunk = FIRST

    def feed(self, columns: np.ndarray, places: np.ndarray) -> None:
        """Take rows, given as columns (s, n), that stand at `places` (n,)."""
        low, n = 0, columns.shape[1]
        while low < n:
            part = slice(low, low + self.chunk)
            left = self._outside(columns[:, part])
            if len(left):
                self.waiting.append((columns[:, part][:, left].T, places[part][left]))
            if (
                sum(len(rows) for rows, _ in self.waiting) > max(WAITING, len(self.values) // 2)
                or self.cone is None
            ):
                self._list(columns[:, part])
            low, self.chunk = low + self.chunk, 2 * self.chunk

    def _outside(self, columns: np.ndarray) -> np.ndarray:
        """Which rows, as columns (s, n), cannot be dropped."""
        left = np.arange(columns.shape[1])
        for champion in self.champions:
            beyond = columns[0] > champion[0]
            for r in range(1, len(champion)):
                beyond |= columns[r] > champion[r]
            left, columns = left[beyond], columns[:, beyond]
        if self.cone is None or not len(left):
            return left
        return np.asarray(left[~self.cone.inside(np.ascontiguousarray(columns.T), self.limit)])

    def _list(self, sample: np.ndarray | None) -> None:
        """List the hull with those that wait; `sample` (s, n) is what champions are chosen on."""
        if not self.waiting:
            return
        values = np.vstack([self.values, *(rows for rows, _ in self.waiting)])
        places = np.concatenate([self.places, *(place for _, place in self.waiting)])
        self.waiting = []
        order = np.lexsort((places, *values.T[::-1]))
        values, places = values[order], places[order]
        new = np.ones(len(values), dtype=bool)
        new[1:] = (values[1:] != values[:-1]).any(axis=1)
        values, places = values[new], places[new]
        cone, facets = cones_of_points(
            values, MOST_FACETS, boxed=self.limit <= 1.0
        )  # a tolerance is of efficiencies, from 0
        if cone is None:
            raise TooManyFacetsError(facets)
        corners = _corners(values, cone)
        self.values, self.places, self.cone = values[corners], places[corners], cone
        if sample is not None:
            self.champions = _champions(
                self.values, sample[:, :: max(sample.shape[1] // SAMPLE, 1)]
            )

    def end(self) -> tuple[np.ndarray, np.ndarray]:
        """The candidates and where they stand."""
        self._list(None)
        return self.values, self.places


def _corners(values: np.ndarray, cone: FacetCones) -> np.ndarray:
    """The rows that are corners of facets, without those that others dominate, which lie on flat
    facets only.
    """
    k = len(values)
    used = np.unique(cone.members[cone.members < k])
    steep = np.unique(cone.members[(cone.members < k).all(axis=1)])
    flat = np.setdiff1d(used, steep)
    if not len(flat):
        return used
    dominated = np.array([bool(((values[steep] >= values[one]).all(axis=1)).any()) for one in flat])
    flat = flat[~dominated]
    return np.union1d(steep, flat[undominated_rows(values[flat])] if len(flat) else flat)


def _champions(values: np.ndarray, sample: np.ndarray) -> np.ndarray:
    """Up to `CHAMPIONS` of the candidates that strike out most of a sample (s, n), greedily."""
    high = np.maximum(values.max(axis=0), np.finfo(float).tiny)
    able = values[np.argsort(-(values / high).sum(axis=1), kind="stable")[:WAITING]]
    struck = np.ones((len(able), sample.shape[1]), dtype=bool)
    for r, column in enumerate(sample):
        struck &= column[None, :] <= able[:, r, None]
    chosen = list[int]()
    while len(chosen) < CHAMPIONS:
        gain = struck.sum(axis=1)
        best = int(gain.argmax())
        if gain[best] < GAIN * sample.shape[1]:
            break
        chosen.append(best)
        struck &= ~struck[best]
    return able[chosen]
