"""Compute the frontier of files in one pass and fixed memory; merge and update frontiers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.geometry import faces
from deabench.geometry.dominance import find_dominators
from deabench.geometry.facet_walk import cones_of_points
from deabench.results.frontier import Frontier, SourceSummary, representative_rows
from deabench.streaming.batches import label_rows
from deabench.streaming.candidates import MAX_FACETS
from deabench.streaming.executors import open_executor
from deabench.streaming.files import FilePaths, ParquetFiles, select_files
from deabench.streaming.reduce import reduce_candidates
from deabench.tables.read import check_shape
from deabench.tables.selection import read_values
from deabench.tables.table import TableLike
from deabench.tables.transforms import Data, to_user_values
from deabench.utils.arrays import box

MAX_LISTED = 1 << 25
"""Facets times points that are computed at once; more are computed when they are needed."""
FEW_CANDIDATES = 3_000
"""With more candidates, the number of facets is looked at first."""


@dataclass(frozen=True)
class StreamOptions:
    """How files are read.

    Attributes
    ----------
    tolerance : float
        A row whose efficiency is at most 1 + tolerance may be left off the frontier.
    folder : Path or None
        Where finished parts are stored.
    scheduler : str or None
        The address of a Dask cluster.
    """

    tolerance: float = 0.0
    folder: Path | None = None
    scheduler: str | None = None


def parse_options(
    tolerance: float, folder: str | Path | None, scheduler: str | None
) -> StreamOptions:
    """Check the options of a pass over files, and create the folder.

    Raises
    ------
    DataError
    """
    if not (isinstance(tolerance, int | float) and 0 <= tolerance < 1):
        raise DataError(
            f"tolerance is {tolerance}; give by how much an efficiency may exceed 1, as 0.01, or 0"
        )
    if folder is None:
        return StreamOptions(float(tolerance), None, scheduler)
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(
            f"cannot store finished parts in '{folder}': {error.strerror}; name a folder that is "
            "writable"
        ) from None
    return StreamOptions(float(tolerance), Path(folder).resolve(), scheduler)


def frontier_of_files(
    source: FilePaths,
    options: StreamOptions,
    *,
    outputs: Sequence[str] | None,
    lower_is_better: Mapping[str, object] | Sequence[str],
    label: str | Sequence[str] | None,
    missing: str,
) -> Frontier:
    """Compute the frontier of many files: see `deabench.frontier`."""
    files = select_files(
        source, outputs=outputs, lower_is_better=lower_is_better, label=label, missing=missing
    )
    return compute_frontier(files, options)


def compute_frontier(files: ParquetFiles, options: StreamOptions) -> Frontier:
    """Compute the frontier of files whose columns are known.

    Raises
    ------
    DataError
        If a cell or a file cannot be used, or the facets are too many for the tolerance.
    """
    # One pass over all rows; only the candidates stay in memory.
    candidates = reduce_candidates(
        files,
        tolerance=options.tolerance,
        folder=options.folder,
        scheduler=options.scheduler,
    )
    if not len(candidates.values):
        raise DataError(
            f"all {candidates.rows:,} rows lack some metric, so missing='drop-systems' leaves "
            "none; name fewer outputs"
        )
    # In the order of the files, so that of equal rows the first stands for all.
    order = np.argsort(candidates.positions)
    positions = candidates.positions[order]
    data = _to_data(candidates.values[order], files.outputs, [str(p) for p in positions.tolist()])
    summary = SourceSummary(
        rows=candidates.rows,
        left_out=candidates.left_out,
        minima=candidates.minima,
        maxima=candidates.maxima,
        tolerance=options.tolerance,
        files=files,
    )
    front = build_frontier(data, summary)
    # Only now are names read: those of the frontier's own rows.
    extreme = np.array([int(position) for position in front.extreme], dtype=np.int64)
    with open_executor(options.scheduler) as executor:
        labels, label_notes = label_rows(files, extreme, executor)
    data = replace(
        _to_data(front.data.outputs.to_numpy(), files.outputs, labels),
        notes=(*files.notes, *_summary_notes(summary), *label_notes),
        transforms=files.transforms,
    )
    return replace(front, extreme=labels, vertices=labels, data=data)


def _to_data(values: np.ndarray, outputs: tuple[str, ...], labels: list[str]) -> Data:
    """Return checked metrics (k, s) with their names and labels."""
    frame = pd.DataFrame(values, columns=list(outputs), index=pd.Index(labels, dtype=object))
    return Data(frame, frame.iloc[:, :0])


def _summary_notes(summary: SourceSummary) -> tuple[str, ...]:
    """Return what a reader of a frontier of files should know."""
    notes = list[str]()
    if summary.left_out:
        notes.append(f"left out for a missing cell: {summary.left_out:,} of {summary.rows:,} rows")
    notes.append("of rows that are alike the first, by file and row, stands for all")
    if summary.tolerance:
        notes.append(
            f"with tolerance {summary.tolerance:g}, rows are left off the frontier whose "
            f"efficiency is above 1, but not above {1 + summary.tolerance:g}; which, depends on "
            "the order of the rows"
        )
    return tuple(notes)


def build_frontier(
    data: Data, summary: SourceSummary, technology: Literal["convex", "fdh"] = "convex"
) -> Frontier:
    """Build the frontier from rows among which all extreme ones are; the others are left out.

    Parameters
    ----------
    data : Data without inputs
    summary : SourceSummary
        Of all rows; its least and greatest values give the box, whatever rows are left of them.
    technology : {"convex", "fdh"}
    """
    values = data.outputs.to_numpy()
    all_zero = (summary.maxima <= 0) & (summary.minima >= 0)
    if all_zero.any():
        name = data.outputs.columns[int(np.argmax(all_zero))]
        raise DataError(f"metric '{name}' is 0 in every row; leave it out")
    # The box of all rows, as if they were in memory: facets have the same bits then.
    origin, unit = box(np.vstack([summary.minima, summary.maxima]))
    hull = None
    if technology == "convex" and _has_many_facets(values):
        # All candidates are vertices of the hull that selected them.
        dominator = np.arange(len(values))
        vertices = dominator
    else:
        dominator = find_dominators(values)
        vertices = np.flatnonzero(dominator == np.arange(len(values)))
        if technology == "convex":
            boxed = (values[vertices] - origin) / unit
            hull, vertices = _keep_vertices(faces.build_hull(boxed), vertices)
    # Vertices and their duplicates are extreme; the other rows are left out of the data.
    rows = np.flatnonzero(np.isin(representative_rows(values, dominator), vertices))
    return Frontier(
        extreme=data.labels[rows].tolist(),
        vertices=data.labels[vertices].tolist(),
        data=replace(data, outputs=data.outputs.iloc[rows], inputs=data.inputs.iloc[rows]),
        origin=origin,
        unit=unit,
        dominator=np.searchsorted(rows, dominator[rows]),
        precomputed_hull=hull,
        technology=technology,
        source_summary=summary,
    )


def _keep_vertices(hull: faces.Hull, rows: np.ndarray) -> tuple[faces.Hull, np.ndarray]:
    """Return the hull of its vertices alone, and their positions among all `rows`."""
    # Of rows that are not extreme nothing is kept, so that positions move up.
    e, s = hull.points.shape
    # Simplices name points, or axes by the number of points + r.
    new_number = np.full(len(rows) + s, -1)
    new_number[hull.rows] = np.arange(e)
    new_number[len(rows) :] = e + np.arange(s)
    members = np.sort(new_number[hull.members], axis=1)
    return replace(hull, rows=np.arange(e), members=members), rows[hull.rows]


def _has_many_facets(values: np.ndarray) -> bool:
    """Return whether the facets of candidates are too many to be computed with all their points."""
    if len(values) <= FEW_CANDIDATES:
        return False
    _, facets = cones_of_points(values, MAX_FACETS)
    return len(values) * facets > MAX_LISTED


def merge_frontiers(front: Frontier, other: Frontier) -> Frontier:
    """Return the frontier of the rows of both: see `Frontier.merge`.

    The frontier of a union is that of the union of the frontiers.
    """
    for aspect, first, second in (
        ("metrics", ", ".join(front.outputs), ", ".join(other.outputs)),
        ("technology", front.technology, other.technology),
        ("directions", _directions(front), _directions(other)),
    ):
        if first != second:
            raise DataError(
                f"the frontiers differ in their {aspect}: {first} and {second}; compute both with "
                "the same options"
            )
    shared = set(front.extreme) & set(other.extreme)
    for label in front.extreme:
        if label in shared:
            raise DataError(f"'{label}' is on both frontiers; give every system a name of its own")
    # No row inside either frontier can be on that of both.
    rows = other.data.outputs.loc[other.extreme]
    return _add_rows(front, rows, _summarize_source(other), other.notes)


def _directions(front: Frontier) -> dict[str, tuple[float, float]]:
    transforms = sorted(front.data.transforms.items())
    return {name: (transform.sign, transform.shift) for name, transform in transforms}


def update_frontier(front: Frontier, rows: TableLike) -> Frontier:
    """Return the frontier with more rows: see `Frontier.update`."""
    table = read_values(rows)
    check_shape(table)
    extreme = set(front.extreme)
    for label in table.index:
        if label in extreme:
            raise DataError(
                f"'{label}' is on the frontier already; give every system a name of its own"
            )
    frame = pd.DataFrame(front.point_values(table), index=table.index, columns=front.outputs)
    user_values = to_user_values(frame, front.data.transforms)
    for name in frame:
        # A transformed metric may be negative: its origin was chosen for another table.
        negative = frame[name].to_numpy() < 0
        if name not in front.data.transforms and negative.any():
            label = frame.index[int(np.argmax(negative))]
            raise DataError(
                f"metric '{name}' of '{label}' is {user_values[name][label]:g}; DEA needs values "
                ">= 0"
            )
    return _add_rows(front, frame, _summarize_values(frame.to_numpy()), ())


def _summarize_source(front: Frontier) -> SourceSummary:
    """Return the summary of a frontier's rows; in memory they are all in its data."""
    if front.source_summary is not None:
        return front.source_summary
    return _summarize_values(front.data.outputs.to_numpy())


def _summarize_values(values: np.ndarray) -> SourceSummary:
    return SourceSummary(len(values), 0, values.min(axis=0), values.max(axis=0))


def _add_rows(
    front: Frontier, rows: pd.DataFrame, added: SourceSummary, notes: Iterable[str]
) -> Frontier:
    """Return the frontier with more candidate rows, which stand for all that `added` summarizes."""
    # Rows that are inside the old frontier are inside the new one: its vertices stand for them.
    before = _summarize_source(front)
    outputs = pd.concat([front.data.outputs.loc[front.extreme], rows[front.outputs]])
    data = Data(
        outputs=outputs,
        inputs=outputs.iloc[:, :0],
        notes=tuple(dict.fromkeys((*front.notes, *notes))),
        transforms=front.data.transforms,
    )
    summary = SourceSummary(
        rows=before.rows + added.rows,
        left_out=before.left_out + added.left_out,
        minima=np.minimum(before.minima, added.minima),
        maxima=np.maximum(before.maxima, added.maxima),
        tolerance=max(before.tolerance, added.tolerance),
    )
    grown = build_frontier(data, summary, front.technology)
    # What the new rows changed.
    extreme_before = set(front.extreme)
    extreme_after = set(grown.extreme)
    summary = replace(
        summary,
        entered=tuple(label for label in grown.extreme if label not in extreme_before),
        removed=tuple(label for label in front.extreme if label not in extreme_after),
    )
    return replace(grown, source_summary=summary)
