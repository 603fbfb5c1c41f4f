"""Compute the Pareto frontier of a table, or of many files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np

from deabench.errors import DataError
from deabench.geometry import faces
from deabench.geometry.dominance import find_dominators
from deabench.geometry.facets import TooManyFacets
from deabench.models.additive import BAM
from deabench.models.shared.own_slack import find_own_slack
from deabench.results.answer import Task
from deabench.results.frontier import Frontier, representative_rows
from deabench.results.model import ANY_VALUES, Technology
from deabench.streaming.files import is_multi_file
from deabench.streaming.frontier import frontier_of_files, parse_options
from deabench.tables.read import read
from deabench.tables.selected_table import Missing
from deabench.tables.selection import select_table
from deabench.tables.table import TableLike
from deabench.tables.transforms import Data, to_outputs_only
from deabench.tables.validation import validate
from deabench.utils.arrays import box
from deabench.utils.checks import choice
from deabench.utils.progress import progress

UNRESOLVED = 1e-9
"""A difference below this share of a metric's range is lost in the geometry of the frontier."""
MOST_CHECKED = 20
"""So many of such rows are decided in exact arithmetic."""


def frontier(
    table: TableLike,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    lower_is_better: Mapping[str, object] | Sequence[str] = (),
    missing: Missing = "refuse",
    technology: Technology = "convex",
    label: str | Sequence[str] | None = None,
    tolerance: float = 0.0,
    kept: str | Path | None = None,
    scheduler: str | None = None,
    time_limit: float | None = None,
) -> Frontier:
    """Compute the Pareto frontier: the best trade-offs that DMUs and their mixtures reach.

    Parameters
    ----------
    table : TableLike
    outputs, inputs : sequences of column names, optional
        Metrics for which higher is better, and costs. Together they span the frontier under
        variable returns to scale. Without them the columns are classified by name.
    lower_is_better : mapping, or sequence of column names
        For many files only, as `deabench.read` takes it for a table.
    missing : {"refuse", "drop-systems", "drop-metrics"}
        What happens to empty cells.
    technology : {"convex", "fdh"}
        Whether mixtures of DMUs count (two classifiers, or two endpoints, may share the work), or
        only the DMUs themselves, the free disposal hull (a mixture of two sizes of a model is no
        model): its frontier is the DMUs that no other dominates.
    label : column name, or sequence of them, optional
        The columns that name the rows; the first column of text without it.
    tolerance, kept, scheduler
        For many Parquet files only (a pattern such as "sweep/*.parquet", or a folder), which are
        read once, in fixed memory: rows whose efficiency is not above 1 + `tolerance` may be left
        off; `kept` is a folder that stores the finished parts, so that a stopped run goes on;
        `scheduler` is the address of a Dask cluster that reads them.
    time_limit : float, optional
        Seconds for this call; without it, those of a `deabench.time_limit` around the call.

    Raises
    ------
    DataError
        If the data cannot be used.
    TimeLimitError
        If the time is up.

    Notes
    -----
    Facets are too many to list for many metrics: their number is estimated first. Where they are,
    the frontier has its extreme DMUs, a note states the estimate, and `facets` raises
    `SolveError`.

    For many files the answer is that of one table of all their rows, in the order of the files'
    names, except that `data` and `extreme` hold the rows of the frontier alone, and of equal rows
    the first.

    Examples
    --------
    >>> import deabench as db
    >>> front = db.frontier(db.datasets.load("chao2022-wine1"), outputs=["TPR", "TNR"])
    >>> front.extreme
    ['MLP']
    """
    choice("technology", technology, get_args(Technology))
    if is_multi_file(table):
        if inputs or technology != "convex":
            raise DataError(
                "files are read for the frontier of outputs and their mixtures; leave out inputs "
                "and technology, or give one table that fits in memory"
            )
        return frontier_of_files(
            table,
            parse_options(tolerance, kept, scheduler),
            outputs=outputs,
            lower_is_better=lower_is_better,
            label=label,
            missing=missing,
        )
    if tolerance or kept is not None or scheduler is not None:
        raise DataError(
            "tolerance, kept and scheduler apply to many files only; give a pattern, as "
            "'sweep/*.parquet', or leave them out"
        )
    if lower_is_better:
        raise DataError(
            "lower_is_better of frontier applies to many files only; "
            "give frontier(read(table, lower_is_better=...))"
        )
    source = table if label is None else read(table, label=label)
    selected = select_table(source, outputs=outputs, inputs=inputs, missing=missing)
    # The faces of a hull do not depend on the origin, so that negative values are allowed.
    data = validate(selected, allow=ANY_VALUES)
    notes = tuple(dict.fromkeys((*selected.notes, *data.notes, *technology_notes(technology))))
    with progress("frontier", None, seconds=time_limit):
        return span_frontier(replace(to_outputs_only(data), notes=notes), technology=technology)


def technology_notes(technology: Technology) -> tuple[str, ...]:
    """Return the note of a frontier without mixtures."""
    if technology == "convex":
        return ()
    return (
        "mixtures do not count (technology='fdh'): the frontier is the systems that no other "
        "dominates",
    )


def span_frontier(
    data: Data, *, facets: bool = True, technology: Technology = "convex"
) -> Frontier:
    """Compute the frontier of validated data in outputs only.

    Parameters
    ----------
    data : Data without inputs
    facets : bool
        Whether the facets are computed now. Their number explodes with the metrics; the extreme
        DMUs are known without them.
    technology : {"convex", "fdh"}
    """
    values = data.outputs.to_numpy()
    all_zero = ~values.any(axis=0)
    if all_zero.any():
        name = data.outputs.columns[int(np.argmax(all_zero))]
        raise DataError(f"metric '{name}' is 0 in every row; leave it out")
    # Geometry works in boxed metrics, between 1 and 3, whatever their units.
    origin, unit = box(values)
    # A dominated row spans nothing, so that the hull is that of the undominated rows.
    dominator = find_dominators(values)
    undominated = np.flatnonzero(dominator == np.arange(len(values)))
    boxed = (values[undominated] - origin) / unit
    hull = None
    notes = data.notes
    # Without mixtures every undominated row is on the frontier.
    if technology == "fdh":
        vertices = undominated
    elif facets:
        try:
            hull = faces.build_hull(boxed)
        except TooManyFacets as error:
            notes = (*notes, f"the facets are not listed: {error}")
    if hull is not None:
        vertices = undominated[hull.rows]
    elif technology == "convex":
        vertices = undominated[faces.extreme_points(boxed)]
    if technology == "convex":
        notes = (*notes, *_describe_unresolved(data, undominated, vertices))
    # Duplicates of a vertex are extreme too.
    extreme = np.isin(representative_rows(values, dominator), vertices)
    return Frontier(
        extreme=data.labels[extreme].tolist(),
        vertices=data.labels[vertices].tolist(),
        data=replace(data, notes=notes),
        origin=origin,
        unit=unit,
        dominator=dominator,
        precomputed_hull=hull,
        technology=technology,
    )


def _describe_unresolved(
    data: Data, undominated: np.ndarray, vertices: np.ndarray
) -> tuple[str, ...]:
    """Return a note on rows that are extreme in exact arithmetic, and not within the tolerance.

    Only rows are looked at that differ from another by next to nothing of a metric's range.
    """
    values = data.outputs.to_numpy()
    is_lost = np.zeros(len(values), dtype=bool)
    for column in values.T:
        order = undominated[np.argsort(column[undominated])]
        steps = np.diff(column[order])
        is_small = (steps > 0) & (steps < UNRESOLVED * np.ptp(column))
        is_lost[order[1:][is_small]] = True
        is_lost[order[:-1][is_small]] = True
    is_lost[vertices] = False
    rows = np.flatnonzero(is_lost)[:MOST_CHECKED]
    task = Task(data, data, BAM(), own_reference=True)
    extreme = []
    for row in rows.tolist():
        other_rows = np.delete(np.arange(len(values)), row)
        # No mixture of the others is as good in every metric: the row is extreme.
        if np.isnan(find_own_slack(task, other_rows, np.array([row])).total[0]):
            extreme.append(f"'{data.labels[row]}'")
    if not extreme:
        return ()
    verb = "is" if len(extreme) == 1 else "are"
    return (
        f"{', '.join(extreme)} {verb} extreme, too, by less than 1e-9 of a metric's range, which "
        "the facets do not tell from 0; deabench.rank judges each row by its own values",
    )
