"""One pass over the files: each part's candidates by themselves, then those of parts together,
eight at a time.

The tree of parts depends on the files alone, never on who works on it: one process, a cluster of
any size, and a run that goes on after a stop find the same bits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from deabench.errors import DataError
from deabench.streaming import checkpoints
from deabench.streaming.batches import batches
from deabench.streaming.candidates import MOST_FACETS, Candidates, Kept, TooManyFacetsError
from deabench.streaming.files import Files, Piece
from deabench.utils.progress import progress

TOGETHER = 8
"""Parts that are joined at a time."""


def levels(parts: int) -> int:
    """How often candidates are gone through: once as rows, then once for each level of the tree."""
    count = 1
    while parts > 1:
        parts, count = -(-parts // TOGETHER), count + 1
    return count


def share(tolerance: float, parts: int) -> float:
    """What each level may drop, so that all together keep the tolerance."""
    return float((1.0 + tolerance) ** (1.0 / levels(parts)) - 1.0) if tolerance else 0.0


def of_part(
    files: Files,
    part: tuple[Piece, ...],
    tolerance: float,
    kept: Path | None = None,
    advance: Callable[[int], None] = lambda _: None,
) -> Kept:
    """The candidates of a part's rows, or what was kept of them.

    Raises
    ------
    DataError
        Where a cell cannot be used, or the facets are too many.
    """
    digest = "" if kept is None else checkpoints.part_digest(files, part, tolerance)
    known = None if kept is None else checkpoints.stored(kept, digest, part)
    if known is not None:
        advance(known.rows)
        return known
    candidates, rows, left_out = Candidates(len(files.outputs), tolerance), 0, 0
    low, high = np.full(len(files.outputs), np.inf), np.full(len(files.outputs), -np.inf)
    try:
        for piece in part:
            for batch in batches(files, piece):
                candidates.feed(batch.columns, batch.places)
                low, high = np.minimum(low, batch.low), np.maximum(high, batch.high)
                rows, left_out = (
                    rows + len(batch.places) + batch.left_out,
                    left_out + batch.left_out,
                )
                advance(len(batch.places) + batch.left_out)
        values, places = candidates.end()
    except TooManyFacetsError as error:
        raise _too_many(
            int(error.args[0]), f"row {rows:,} of a part of {sum(piece.rows for piece in part):,}"
        ) from None
    found = Kept(values, places, low, high, rows, left_out)
    if kept is not None:
        checkpoints.store(kept, digest, part, found)
    return found


def joined(found: Sequence[Kept], tolerance: float) -> Kept:
    """The candidates of several parts together.

    Raises
    ------
    DataError
        Where the facets are too many.
    """
    candidates = Candidates(len(found[0].low), tolerance)
    try:
        for one in found:
            candidates.feed(np.ascontiguousarray(one.values.T), one.places)
        values, places = candidates.end()
    except TooManyFacetsError as error:
        raise _too_many(
            int(error.args[0]), f"the candidates of {sum(one.rows for one in found):,} rows"
        ) from None
    return Kept(
        values,
        places,
        np.min([one.low for one in found], axis=0),
        np.max([one.high for one in found], axis=0),
        sum(one.rows for one in found),
        sum(one.left_out for one in found),
    )


def _too_many(facets: int, where: str) -> DataError:
    return DataError(
        f"the frontier has {facets:,} facets at {where}, more than the {MOST_FACETS:,} that are held; give a "
        "tolerance, as tolerance=0.01: no row's efficiency is then above 1.01"
    )


def here(files: Files, tolerance: float, kept: Path | None) -> Kept:
    """The candidates of all parts, one after another in this process."""
    with progress("rows", files.rows) as advance:
        return tree(
            (of_part(files, part, tolerance, kept, advance) for part in files.parts), tolerance
        )


def tree(found: Iterable[Kept], tolerance: float) -> Kept:
    """Candidates of parts, joined level by level."""
    level = list(found)
    while len(level) > 1:
        level = [joined(level[k : k + TOGETHER], tolerance) for k in range(0, len(level), TOGETHER)]
    return level[0]
