"""Reduce the rows of all files to the candidates for the frontier: one pass, a tree of merges.

    rows of a partition  --partition_candidates-->  its candidates
    candidates of 8 partitions  --merge_candidates-->  their candidates, and so on up to one set

A candidate is a row that no mixture of the rows filtered with it reaches (`candidates.py`); a row
of the frontier is a candidate wherever it appears. Partitions and tree depend on the files alone,
never on who runs the tasks: one process, a cluster of any size, and a run that continues after a
stop give the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from deabench.errors import DataError
from deabench.streaming.batches import read_batches
from deabench.streaming.candidates import (
    MAX_FACETS,
    CandidateFilter,
    CandidateSet,
    TooManyFacetsError,
    load_candidates,
    save_candidates,
)
from deabench.streaming.executors import open_executor
from deabench.streaming.files import ParquetFiles, count_rows

FAN_IN = 8
"""The number of candidate sets that one task merges."""


def reduce_candidates(
    files: ParquetFiles, *, tolerance: float, folder: Path | None, scheduler: str | None
) -> CandidateSet:
    """Return the rows of all files that can be on the frontier.

    Parameters
    ----------
    files : ParquetFiles
    tolerance : float
        A row whose efficiency is at most 1 + tolerance may be dropped.
    folder : Path or None
        Where the candidates of finished parts are stored.
    scheduler : str or None
        The address of a Dask cluster; this process reads the files without it.

    Raises
    ------
    DataError
        If a cell or a file cannot be used, or there are too many facets.
    """
    # Each level of the tree may drop a share of the tolerance.
    share = level_tolerance(tolerance, len(files.partitions))
    with open_executor(scheduler, "rows", files.rows) as executor:
        shared_files = executor.share_files(files)
        # One task per partition: its rows become its candidates.
        partition_sets = [
            executor.submit(
                partition_candidates, shared_files, k, share, folder, rows=count_rows(partition)
            )
            for k, partition in enumerate(files.partitions)
        ]
        # Merge eight sets at a time until one is left.
        level = partition_sets
        while len(level) > 1:
            level = [
                executor.submit(merge_candidates, level[k : k + FAN_IN], share)
                for k in range(0, len(level), FAN_IN)
            ]
        # The first partition that fails, in the order of the files, is the one that is reported.
        executor.gather(partition_sets)
        candidates: CandidateSet = executor.gather(level)[0]
    return candidates


def count_levels(partitions: int) -> int:
    """Return how often a row is filtered: in its partition, then at each level of the tree."""
    # Rounded up: a level merges each eight sets, and what is left, to one.
    levels = 1
    while partitions > 1:
        partitions = -(-partitions // FAN_IN)
        levels += 1
    return levels


def level_tolerance(tolerance: float, partitions: int) -> float:
    """Return the tolerance t of one level, so that (1 + t) ** levels is 1 + tolerance."""
    if not tolerance:
        return 0.0
    return float((1.0 + tolerance) ** (1.0 / count_levels(partitions)) - 1.0)


def partition_candidates(
    files: ParquetFiles, number: int, tolerance: float, folder: Path | None = None
) -> CandidateSet:
    """Return the candidates among the rows of one partition, stored ones if there are any.

    Raises
    ------
    DataError
        If a cell cannot be used, or there are too many facets.
    """
    partition = files.partitions[number]
    # A run that was stopped finds here what it had finished.
    path = None
    if folder is not None:
        path = folder / f"{files.partition_digest(partition, tolerance)}.npz"
        stored = load_candidates(path, partition)
        if stored is not None:
            return stored
    # Read the rows once; the filter keeps the candidates, the rest leaves its extremes and count.
    metrics = len(files.outputs)
    row_filter = CandidateFilter(metrics, tolerance)
    minima = np.full(metrics, np.inf)
    maxima = np.full(metrics, -np.inf)
    rows = 0
    left_out = 0
    try:
        for groups in partition:
            for batch in read_batches(files, groups):
                row_filter.add_rows(batch.columns, batch.positions)
                minima = np.minimum(minima, batch.minima)
                maxima = np.maximum(maxima, batch.maxima)
                rows += len(batch.positions) + batch.left_out
                left_out += batch.left_out
        values, positions = row_filter.finish()
    except TooManyFacetsError as error:
        progress = f"row {rows:,} of a part of {count_rows(partition):,}"
        raise _too_many_facets(error, progress) from None
    candidates = CandidateSet(values, positions, minima, maxima, rows, left_out)
    if path is not None:
        save_candidates(path, partition, candidates)
    return candidates


def merge_candidates(sets: Sequence[CandidateSet], tolerance: float) -> CandidateSet:
    """Return the candidates among those of several partitions.

    A row that is extreme among all rows is extreme among any of them, so that no row of the
    frontier is lost.

    Raises
    ------
    DataError
        If there are too many facets.
    """
    rows = sum(candidates.rows for candidates in sets)
    row_filter = CandidateFilter(len(sets[0].minima), tolerance)
    try:
        for candidates in sets:
            row_filter.add_rows(np.ascontiguousarray(candidates.values.T), candidates.positions)
        values, positions = row_filter.finish()
    except TooManyFacetsError as error:
        raise _too_many_facets(error, f"the candidates of {rows:,} rows") from None
    return CandidateSet(
        values=values,
        positions=positions,
        minima=np.min([candidates.minima for candidates in sets], axis=0),
        maxima=np.max([candidates.maxima for candidates in sets], axis=0),
        rows=rows,
        left_out=sum(candidates.left_out for candidates in sets),
    )


def _too_many_facets(error: TooManyFacetsError, progress: str) -> DataError:
    return DataError(
        f"the frontier has {error.args[0]:,} facets at {progress}, more than the {MAX_FACETS:,} "
        "that are held; give a tolerance, as tolerance=0.01: no row's efficiency is then above 1.01"
    )
