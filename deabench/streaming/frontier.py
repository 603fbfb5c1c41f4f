"""The frontier of a table of files, in one pass and in fixed memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from deabench.errors import DataError
from deabench.results.frontier import Frontier, SourceSummary
from deabench.streaming import checkpoints, reduce
from deabench.streaming.build import framed, spanned
from deabench.streaming.candidates import Kept
from deabench.streaming.files import Files
from deabench.streaming.labels import names_of
from deabench.streaming.options import files_of


@dataclass(frozen=True)
class StreamOptions:
    """How files are gone through.

    Attributes
    ----------
    tolerance : float
        A row whose efficiency is at most 1 + tolerance may be left off the frontier.
    kept : Path or None
        The folder where what is done is kept.
    scheduler : str or None
        The address of a Dask cluster.
    """

    tolerance: float = 0.0
    kept: Path | None = None
    scheduler: str | None = None


def parse_options(
    tolerance: float, kept: str | Path | None, scheduler: str | None
) -> StreamOptions:
    """The same, checked.

    Raises
    ------
    DataError
    """
    if not (isinstance(tolerance, int | float) and 0 <= tolerance < 1):
        raise DataError(
            f"tolerance is {tolerance}; give what an efficiency may be above 1, as 0.01, or 0 for nothing"
        )
    return StreamOptions(
        float(tolerance), None if kept is None else checkpoints.folder(kept), scheduler
    )


def frontier_of_files(
    source: str | Path,
    way: StreamOptions,
    *,
    outputs: Sequence[str] | None,
    lower_is_better: Mapping[str, object] | Sequence[str],
    label: str | Sequence[str] | None,
    missing: str,
) -> Frontier:
    """See `deabench.frontier`."""
    return found(
        files_of(
            source, outputs=outputs, lower_is_better=lower_is_better, label=label, missing=missing
        ),
        way,
    )


def found(files: Files, way: StreamOptions) -> Frontier:
    """The frontier of files whose columns are known.

    Raises
    ------
    DataError
        Where a cell or a file cannot be used, or the facets are too many for the tolerance.
    """
    step = reduce.share(way.tolerance, len(files.parts))
    if way.scheduler is None:
        left = reduce.here(files, step, way.kept)
    else:
        from deabench.streaming.dask import candidates

        left = candidates(files, step, way)
    if not len(left.values):
        raise DataError(
            f"all {left.rows:,} rows lack some metric, so missing='drop-systems' leaves none; name fewer outputs"
        )
    return _labelled(files, left, way)


def _labelled(files: Files, left: Kept, way: StreamOptions) -> Frontier:
    """The frontier with the names of its own rows, which only now are read."""
    order = np.argsort(left.places)
    values, places = left.values[order], left.places[order]
    seen = SourceSummary(left.rows, left.left_out, left.low, left.high, way.tolerance, files)
    front = spanned(framed(values, files.outputs, [str(place) for place in places.tolist()]), seen)
    read = None
    if way.scheduler is not None:
        from deabench.streaming.dask import names

        read = names(files, way)
    labels, said = names_of(
        files, np.array([int(place) for place in front.extreme], dtype=np.int64), read
    )
    notes = (*files.notes, *_said(seen), *said)
    data = replace(
        framed(front.data.outputs.to_numpy(), files.outputs, labels),
        notes=notes,
        transforms=files.transforms,
    )
    return replace(front, extreme=labels, vertices=labels, data=data)


def _said(seen: SourceSummary) -> tuple[str, ...]:
    """What a reader of such a frontier should know."""
    notes = ["of rows that are alike the first, by file and row, stands for all"]
    if seen.left_out:
        notes.insert(0, f"left out for a missing cell: {seen.left_out:,} of {seen.rows:,} rows")
    if seen.tolerance:
        notes.append(
            f"a tolerance of {seen.tolerance:g} was given: rows are left off the frontier whose efficiency is above 1, "
            f"but not above {1 + seen.tolerance:g}; which, depends on the order of the rows"
        )
    return tuple(notes)
