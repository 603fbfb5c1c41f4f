"""Filter a stream of rows down to those that can still be extreme, and store them.

A row is dropped if one of a few champions is at least as good in every metric, or if its
coordinates prove that it lies inside what mixtures of the candidates reach. The other rows wait;
when enough do, the hull of the candidates is computed anew with them. A row that is extreme among
all rows is extreme among any of them, so that the result depends neither on the order of the rows
nor on how they are cut.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from deabench.geometry.dominance import undominated_rows
from deabench.geometry.facet_walk import FacetCones, cones_of_points
from deabench.streaming.batches import ROW_BITS
from deabench.streaming.files import Partition
from deabench.utils.files import write_whole

FIRST_CHUNK = 2048
"""Rows of the first chunk; each following one is twice as long."""
MIN_WAITING = 256
"""At least so many rows wait before the hull is computed anew."""
MARGIN = 1e-11
"""A row within this share of the hull's boundary is not dropped."""
CHAMPIONS = 8
SAMPLE_ROWS = 4096
"""Rows on which champions are chosen."""
MIN_GAIN = 0.02
"""The share of the sample that a champion must dominate to be one."""
MAX_FACETS = 500_000


class TooManyFacetsError(Exception):
    """The hull has more facets than `MAX_FACETS`; their number is the argument."""


@dataclass(frozen=True)
class CandidateSet:
    """The rows of some partitions that can still be extreme, and what is known of the others.

    Attributes
    ----------
    values : array (k, s)
        The candidates' metrics in the model's directions, each distinct row once, in
        lexicographic order.
    positions : int array (k,)
        File and row of each; of equal rows the first.
    minima, maxima : arrays (s,)
        The least and the greatest value of each metric over all rows.
    rows, left_out : int
        The number of rows, and how many of them were left out for a missing cell.
    """

    values: np.ndarray
    positions: np.ndarray
    minima: np.ndarray
    maxima: np.ndarray
    rows: int
    left_out: int


class CandidateFilter:
    """Filter rows that come in any number of pieces.

    Parameters
    ----------
    metrics : int
    tolerance : float
        How far beyond the hull of the candidates a row may lie and still be dropped.
    """

    def __init__(self, metrics: int, tolerance: float = 0.0) -> None:
        self.limit = 1.0 + tolerance if tolerance > 0 else 1.0 - MARGIN
        self.values = np.empty((0, metrics))
        self.positions = np.empty(0, dtype=np.int64)
        self.waiting: list[tuple[np.ndarray, np.ndarray]] = []
        self.cone: FacetCones | None = None
        self.champions = np.empty((0, metrics))
        self.chunk = FIRST_CHUNK

    def add_rows(self, columns: np.ndarray, positions: np.ndarray) -> None:
        """Add rows, given as columns (s, n), with their positions (n,).

        Raises
        ------
        TooManyFacetsError
        """
        start = 0
        while start < columns.shape[1]:
            # Chunks start small, so that a first hull drops most rows of the later, larger ones.
            chunk = slice(start, start + self.chunk)
            undecided = self._undecided_rows(columns[:, chunk])
            if len(undecided):
                rows = columns[:, chunk][:, undecided].T
                self.waiting.append((rows, positions[chunk][undecided]))
            waiting_rows = sum(len(rows) for rows, _ in self.waiting)
            # Qhull runs rarely: when as many rows wait as half the candidates.
            if self.cone is None or waiting_rows > max(MIN_WAITING, len(self.values) // 2):
                self._rebuild_hull(columns[:, chunk])
            start += self.chunk
            self.chunk *= 2

    def finish(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the values (k, s) and positions (k,) of the candidates among all rows added."""
        self._rebuild_hull(None)
        return self.values, self.positions

    def _undecided_rows(self, columns: np.ndarray) -> np.ndarray:
        """Return which rows, as columns (s, n), cannot be dropped."""
        rows = np.arange(columns.shape[1])
        # Comparing with a champion is far cheaper than coordinates, and drops most rows.
        for champion in self.champions:
            exceeds = columns[0] > champion[0]
            for r in range(1, len(champion)):
                exceeds |= columns[r] > champion[r]
            rows = rows[exceeds]
            columns = columns[:, exceeds]
        if self.cone is None or not len(rows):
            return rows
        # Rows that no champion dominates: a walk finds the facet in their direction.
        is_inside = self.cone.certainly_inside(np.ascontiguousarray(columns.T), self.limit)
        return np.asarray(rows[~is_inside])

    def _rebuild_hull(self, sample: np.ndarray | None) -> None:
        """Compute the hull of the candidates and the waiting rows; its vertices are candidates.

        `sample` (s, n) are the rows on which new champions are chosen, if any.
        """
        if not self.waiting:
            return
        values = np.vstack([self.values, *(rows for rows, _ in self.waiting)])
        positions = np.concatenate([self.positions, *(positions for _, positions in self.waiting)])
        self.waiting = []
        # Lexicographic order, equal rows by position: keep the first of each.
        order = np.lexsort((positions, *values.T[::-1]))
        values = values[order]
        positions = positions[order]
        is_first = np.ones(len(values), dtype=bool)
        is_first[1:] = (values[1:] != values[:-1]).any(axis=1)
        values = values[is_first]
        positions = positions[is_first]
        # One Qhull call gives the facets of all that mixtures of the candidates reach.
        # A tolerance is a share of efficiencies, which are measured from 0; without one, boxed
        # coordinates are exact even for rows that are nearly in one direction from 0.
        cone, facets = cones_of_points(values, MAX_FACETS, boxed=self.limit <= 1.0)
        if cone is None:
            raise TooManyFacetsError(facets)
        # What is no vertex is a mixture of vertices, or dominated by one: it is never extreme.
        vertices = _hull_vertices(values, cone)
        self.values = values[vertices]
        self.positions = positions[vertices]
        self.cone = cone
        # New candidates may be better champions; the current chunk shows whom they drop.
        if sample is not None:
            step = max(sample.shape[1] // SAMPLE_ROWS, 1)
            self.champions = _choose_champions(self.values, sample[:, ::step])


def _hull_vertices(values: np.ndarray, cone: FacetCones) -> np.ndarray:
    """Return the rows that are vertices of facets and not dominated."""
    k = len(values)
    is_row = cone.members < k
    vertices = np.unique(cone.members[is_row])
    # A row of a simplex without an axis spans a steep facet: nothing dominates it. Dominated rows
    # lie on flat facets only.
    steep = np.unique(cone.members[is_row.all(axis=1)])
    flat = np.setdiff1d(vertices, steep)
    if not len(flat):
        return vertices
    is_dominated = [bool((values[steep] >= values[row]).all(axis=1).any()) for row in flat]
    flat = flat[~np.array(is_dominated)]
    if len(flat):
        flat = flat[undominated_rows(values[flat])]
    return np.union1d(steep, flat)


def _choose_champions(values: np.ndarray, sample: np.ndarray) -> np.ndarray:
    """Return up to `CHAMPIONS` candidates that dominate most of a sample (s, n), greedily."""
    greatest = np.maximum(values.max(axis=0), np.finfo(float).tiny)
    # Rows with a large sum of shares dominate most others.
    by_sum = np.argsort(-(values / greatest).sum(axis=1), kind="stable")
    contenders = values[by_sum[:MIN_WAITING]]
    dominates = np.ones((len(contenders), sample.shape[1]), dtype=bool)
    for r, column in enumerate(sample):
        dominates &= column[None, :] <= contenders[:, r, None]
    champions = list[int]()
    while len(champions) < CHAMPIONS:
        gain = dominates.sum(axis=1)
        best = int(gain.argmax())
        # Comparing every row with one more champion must pay.
        if gain[best] < MIN_GAIN * sample.shape[1]:
            break
        champions.append(best)
        # What the new champion dominates counts for no other.
        dominates &= ~dominates[best]
    return contenders[champions]


def save_candidates(path: Path, partition: Partition, candidates: CandidateSet) -> None:
    """Store the candidates of a partition, the whole file or nothing.

    Files are numbered within the partition: the next run may number them otherwise.
    """
    stored = _renumber_files(
        candidates, [groups.file for groups in partition], range(len(partition))
    )
    stream = io.BytesIO()
    np.savez(stream, **vars(stored), checksum=_checksum(stored))
    write_whole(path, stream.getvalue())


def load_candidates(path: Path, partition: Partition) -> CandidateSet | None:
    """Return the stored candidates of a partition; None without a file, or if it is damaged."""
    try:
        with np.load(path, allow_pickle=False) as file:
            candidates = CandidateSet(
                values=file["values"],
                positions=file["positions"],
                minima=file["minima"],
                maxima=file["maxima"],
                rows=int(file["rows"]),
                left_out=int(file["left_out"]),
            )
            is_intact = str(file["checksum"]) == _checksum(candidates)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    # A damaged file is computed again, as if it were not there.
    if not is_intact:
        return None
    return _renumber_files(candidates, range(len(partition)), [groups.file for groups in partition])


def _renumber_files(
    candidates: CandidateSet, numbers: range | list[int], new_numbers: range | list[int]
) -> CandidateSet:
    """Return the candidates with new file numbers in their positions; `numbers` rise."""
    # The file number is in the upper bits of a position, the row in the lower ones.
    number = candidates.positions >> ROW_BITS
    new_number = np.array(new_numbers)[np.searchsorted(np.array(numbers), number)]
    positions = candidates.positions + ((new_number - number) << ROW_BITS)
    return replace(candidates, positions=positions)


def _checksum(candidates: CandidateSet) -> str:
    """Return 40 hexadecimal digits of all numbers of the candidates."""
    digest = hashlib.blake2b(digest_size=20)
    for array in vars(candidates).values():
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
