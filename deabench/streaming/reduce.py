"""Reduce the rows of all files to the candidates for the frontier: one pass, a tree of merges.

    rows of a part  --part_candidates-->  its candidates
    candidates of 8 parts  --merge_candidates-->  their candidates, and so on up to one set

Parts and tree depend on the files alone, never on who runs the tasks: one process, a cluster of any
size, and a run that continues after a stop give the same bits."""

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
    share = level_tolerance(tolerance, len(files.parts))
    with open_executor(scheduler, "rows", files.rows) as executor:
        shared = executor.share_files(files)
        parts = [
            executor.submit(part_candidates, shared, k, share, folder, rows=count_rows(part))
            for k, part in enumerate(files.parts)
        ]
        level = parts
        while len(level) > 1:
            level = [
                executor.submit(merge_candidates, level[k : k + FAN_IN], share)
                for k in range(0, len(level), FAN_IN)
            ]
        # The first part that fails, in the order of the files, is the one that is reported.
        executor.gather(parts)
        candidates: CandidateSet = executor.gather(level)[0]
    return candidates


def count_levels(parts: int) -> int:
    """Return how often a row is filtered: in its part, then at each level of the tree."""
    levels = 1
    while parts > 1:
        parts = -(-parts // FAN_IN)
        levels += 1
    return levels


def level_tolerance(tolerance: float, parts: int) -> float:
    """Return the tolerance t of one level, so that (1 + t) ** levels is 1 + tolerance."""
    if not tolerance:
        return 0.0
    return float((1.0 + tolerance) ** (1.0 / count_levels(parts)) - 1.0)


def part_candidates(
    files: ParquetFiles, number: int, tolerance: float, folder: Path | None = None
) -> CandidateSet:
    """Return the candidates among the rows of one part, from the folder if they are stored there.

    Raises
    ------
    DataError
        If a cell cannot be used, or there are too many facets.
    """
    part = files.parts[number]
    path = None
    if folder is not None:
        path = folder / f"{files.part_digest(part, tolerance)}.npz"
        stored = load_candidates(path, part)
        if stored is not None:
            return stored
    metrics = len(files.outputs)
    row_filter = CandidateFilter(metrics, tolerance)
    low = np.full(metrics, np.inf)
    high = np.full(metrics, -np.inf)
    rows = 0
    left_out = 0
    try:
        for groups in part:
            for batch in read_batches(files, groups):
                row_filter.add_rows(batch.columns, batch.positions)
                low = np.minimum(low, batch.low)
                high = np.maximum(high, batch.high)
                rows += len(batch.positions) + batch.left_out
                left_out += batch.left_out
        values, positions = row_filter.finish()
    except TooManyFacetsError as error:
        place = f"row {rows:,} of a part of {count_rows(part):,}"
        raise _too_many_facets(error, place) from None
    candidates = CandidateSet(values, positions, low, high, rows, left_out)
    if path is not None:
        save_candidates(path, part, candidates)
    return candidates


def merge_candidates(sets: Sequence[CandidateSet], tolerance: float) -> CandidateSet:
    """Return the candidates among those of several parts.

    A row that is extreme among all rows is extreme among the candidates of any parts that hold it,
    so that no row of the frontier is lost.

    Raises
    ------
    DataError
        If there are too many facets.
    """
    rows = sum(candidates.rows for candidates in sets)
    row_filter = CandidateFilter(len(sets[0].low), tolerance)
    try:
        for candidates in sets:
            row_filter.add_rows(np.ascontiguousarray(candidates.values.T), candidates.positions)
        values, positions = row_filter.finish()
    except TooManyFacetsError as error:
        raise _too_many_facets(error, f"the candidates of {rows:,} rows") from None
    return CandidateSet(
        values=values,
        positions=positions,
        low=np.min([candidates.low for candidates in sets], axis=0),
        high=np.max([candidates.high for candidates in sets], axis=0),
        rows=rows,
        left_out=sum(candidates.left_out for candidates in sets),
    )


def _too_many_facets(error: TooManyFacetsError, place: str) -> DataError:
    return DataError(
        f"the frontier has {error.args[0]:,} facets at {place}, more than the {MAX_FACETS:,} that "
        "are held; give a tolerance, as tolerance=0.01: no row's efficiency is then above 1.01"
    )
