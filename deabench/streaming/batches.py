"""Read the rows of files batch by batch, checked; read the names of a few rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.streaming.executors import Executor
from deabench.streaming.files import ParquetFiles, RowGroups, open_parquet
from deabench.tables.rows import join_labels

if TYPE_CHECKING:
    from pyarrow import RecordBatch

BATCH_ROWS = 1 << 18
"""Rows at a time: a quarter of that is 1.7 times slower."""
ROW_BITS = 40
"""A row's position is its file's number, then its own in this many bits, the first being 0."""
ROW_MASK = (1 << ROW_BITS) - 1


@dataclass(frozen=True)
class Batch:
    """Some rows of one file.

    Attributes
    ----------
    columns : array (s, n)
        The metrics in the model's directions: higher is better.
    positions : int array (n,)
        file << 40 | row of each row.
    left_out : int
        The number of rows with a missing cell, which are not among them.
    minima, maxima : arrays (s,)
        The least and the greatest value of each metric; inf and -inf without rows.
    labels : RecordBatch
        The label columns of the same rows.
    """

    columns: np.ndarray
    positions: np.ndarray
    left_out: int
    minima: np.ndarray
    maxima: np.ndarray
    labels: RecordBatch


def read_batches(
    files: ParquetFiles, groups: RowGroups, *, labels: Sequence[str] = ()
) -> Iterator[Batch]:
    """Read row groups batch by batch, with the columns `labels` beside the metrics.

    Raises
    ------
    DataError
        If a cell cannot be used, or the file cannot be read.
    """
    row = groups.row
    names = list(dict.fromkeys([*files.outputs, *labels]))
    with open_parquet(files.path(groups.file)) as file:
        for batch in file.iter_batches(
            BATCH_ROWS,
            row_groups=range(groups.first, groups.last),
            columns=names,
            use_threads=False,
        ):
            yield _check_batch(files, batch, (groups.file << ROW_BITS) + row, labels)
            row += len(batch)


def _check_batch(
    files: ParquetFiles, batch: RecordBatch, position: int, labels: Sequence[str]
) -> Batch:
    """Convert a batch of Arrow, whose first row is at `position`; refuse cells by file and row."""
    import pyarrow as pa

    # One contiguous row per metric: the filter and the scorer work metric by metric.
    columns = np.empty((len(files.outputs), len(batch)))
    for r, name in enumerate(files.outputs):
        column = batch.column(batch.schema.names.index(name)).cast("float64", safe=False)
        columns[r] = column.to_numpy(zero_copy_only=False)  # empty cells become NaN
    positions = np.int64(position) + np.arange(len(batch))
    # What names the rows stays in Arrow: the scores are written with the same types.
    label_batch = batch.select(list(labels))
    # Minimum and maximum are NaN or infinite exactly where some cell is.
    minima = columns.min(axis=1)
    maxima = columns.max(axis=1)
    if not (np.isfinite(minima) & np.isfinite(maxima)).all():
        complete = _complete_rows(files, columns, positions)
        columns = np.ascontiguousarray(columns[:, complete])
        positions = positions[complete]
        label_batch = label_batch.filter(pa.array(complete))
        minima = columns.min(axis=1, initial=np.inf)
        maxima = columns.max(axis=1, initial=-np.inf)
    left_out = len(batch) - len(positions)
    if len(positions):
        for r, name in enumerate(files.outputs):
            minima[r], maxima[r] = _transform_metric(files, name, columns[r], positions)
    return Batch(columns, positions, left_out, minima, maxima, label_batch)


def _complete_rows(files: ParquetFiles, columns: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Return which rows have all their cells; refuse the first that has not, unless dropped."""
    # An infinite value is no measurement either.
    finite = np.isfinite(columns)
    complete = np.asarray(finite.all(axis=0))
    if not files.drop_incomplete:
        row = int(np.argmin(complete))
        r = int(np.argmin(finite[:, row]))
        value = float(columns[r, row])
        state = "missing" if np.isnan(value) else f"{value:g}"
        raise DataError(
            f"metric '{files.outputs[r]}' of {describe_row(files, int(positions[row]))} is "
            f"{state}; give a finite number, or pass missing='drop-systems'"
        )
    return complete


def _transform_metric(
    files: ParquetFiles, name: str, column: np.ndarray, positions: np.ndarray
) -> tuple[float, float]:
    """Complement a metric in place where lower is better; return its least and greatest value."""

    def refuse_where(bad: np.ndarray, problem: str) -> None:
        # The first bad row in the order of the file.
        k = int(np.argmax(bad))
        row = describe_row(files, int(positions[k]))
        raise DataError(f"metric '{name}' of {row} is {column[k]:g}{problem}")

    transform = files.transforms.get(name)
    if transform is not None:
        if column.max() > transform.shift:
            refuse_where(
                column > transform.shift,
                f", above its stated maximum {transform.shift:g}; state the true maximum in "
                "lower_is_better",
            )
        column[:] = transform.shift + transform.sign * column
    minimum = float(column.min())
    if minimum < 0:
        refuse_where(column < 0, "; DEA needs values >= 0")
    return minimum, float(column.max())


def describe_row(files: ParquetFiles, position: int) -> str:
    """Return a row by its number, the first being 1, and its file."""
    return f"row {(position & ROW_MASK) + 1:,} of '{files.paths[position >> ROW_BITS]}'"


def label_rows(
    files: ParquetFiles, positions: np.ndarray, executor: Executor
) -> tuple[list[str], tuple[str, ...]]:
    """Return the names of the rows at rising `positions` (k,), each once, and notes on them.

    Only the files and row groups that hold one of the rows are read.
    """
    numbers = positions >> ROW_BITS
    locations = [
        f"{files.paths[number]}, row {row + 1}"
        for number, row in zip(numbers.tolist(), (positions & ROW_MASK).tolist(), strict=True)
    ]
    if not files.labels:
        return locations, ()
    # One task per file that holds a row of the frontier; positions rise, so that files do.
    shared = executor.share_files(files)
    tasks = [
        executor.submit(read_labels, shared, number, positions[numbers == number] & ROW_MASK)
        for number in np.unique(numbers).tolist()
    ]
    labels = chain.from_iterable(executor.gather(tasks))
    names = [label or location for label, location in zip(labels, locations, strict=True)]
    # A name that stands on several rows gets the file and row of each.
    counts = pd.Series(names).value_counts()
    if counts.max() == 1:
        return names, ()
    columns = " and ".join(f"'{name}'" for name in files.labels)
    note = f"{columns} names several rows of the frontier; their file and row tell them apart"
    unique_names = [
        f"{name} ({location})" if counts[name] > 1 else name
        for name, location in zip(names, locations, strict=True)
    ]
    return unique_names, (note,)


def read_labels(files: ParquetFiles, number: int, rows: np.ndarray) -> list[str]:
    """Read the names of some rows of one file; "" where all label cells are empty."""
    names = list[str]()
    start = 0
    with open_parquet(files.path(number)) as file:
        for group in range(file.metadata.num_row_groups):
            count = file.metadata.row_group(group).num_rows
            # Rows are numbered through the file; `start` rows stand before this row group.
            rows_in_group = rows[(rows >= start) & (rows < start + count)] - start
            start += count
            if not len(rows_in_group):
                continue
            table = file.read_row_group(group, columns=list(files.labels), use_threads=False)
            frame = table.take(rows_in_group).to_pandas()
            is_empty = frame.isna().all(axis=1)
            joined = join_labels(frame, list(files.labels))
            names += ["" if empty else name for name, empty in zip(joined, is_empty, strict=True)]
    return names
