"""The rows of files, some at a time, checked: a cell that DEA cannot use is named by its file and
row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from deabench.errors import DataError
from deabench.streaming.files import Files, Piece, opened

if TYPE_CHECKING:
    from pyarrow import RecordBatch

ROWS = 1 << 18
"""Rows at a time: a quarter of that is 1.7 times slower."""
SHIFT = 40
"""A row's place is its file's number, then its own in 40 bits."""


@dataclass(frozen=True)
class Batch:
    """Some rows of one file.

    Attributes
    ----------
    columns : array (s, n)
        The metrics, all to be high.
    places : int array (n,)
        Where the rows stand: file << 40 | row, the first of each 0.
    left_out : int
        Rows with a missing cell that are not among them.
    low, high : arrays (s,)
        The least and the greatest of each metric; only where there are rows.
    table : RecordBatch
        The columns that were asked for besides, of the same rows.
    """

    columns: np.ndarray
    places: np.ndarray
    left_out: int
    low: np.ndarray
    high: np.ndarray
    table: RecordBatch


def batches(files: Files, piece: Piece, *, beside: Sequence[str] = ()) -> Iterator[Batch]:
    """The rows of a piece, with the columns `beside` the metrics.

    Raises
    ------
    DataError
        Where a cell cannot be used, or the file not be read.
    """
    row = piece.row
    names = list(dict.fromkeys([*files.outputs, *beside]))
    with opened(files.path(piece.file)) as file:
        for batch in file.iter_batches(
            ROWS, row_groups=range(piece.first, piece.last), columns=names, use_threads=False
        ):
            yield _checked(files, batch, piece.file, row, beside)
            row += len(batch)


def _checked(
    files: Files, batch: RecordBatch, number: int, row: int, beside: Sequence[str]
) -> Batch:
    columns = np.empty((len(files.outputs), len(batch)))
    for r, name in enumerate(files.outputs):
        columns[r] = _floats(batch, name)
    places = (np.int64(number) << SHIFT) + np.arange(row, row + len(batch))
    table = batch.select(list(beside))
    low, high = columns.min(axis=1), columns.max(axis=1)  # NaN where there is one
    if not (np.isfinite(low) & np.isfinite(high)).all():
        kept = _complete(files, columns, places)
        columns, places = np.ascontiguousarray(columns[:, kept]), places[kept]
        table = table.filter(_mask(kept))
        if not len(places):
            return Batch(
                columns,
                places,
                len(kept),
                np.full(len(columns), np.inf),
                np.full(len(columns), -np.inf),
                table,
            )
        low, high = columns.min(axis=1), columns.max(axis=1)
    for r, name in enumerate(files.outputs):
        turn = files.transforms.get(name)
        if turn is not None:
            if high[r] > turn.shift:
                _refuse(
                    files,
                    places[columns[r] > turn.shift][0],
                    name,
                    float(columns[r][columns[r] > turn.shift][0]),
                    f", above its stated maximum {turn.shift:g}; state the true maximum in lower_is_better",
                )
            columns[r] = turn.shift + turn.sign * columns[r]
            low[r], high[r] = columns[r].min(), columns[r].max()
        if low[r] < 0:
            _refuse(
                files,
                places[columns[r] < 0][0],
                name,
                float(columns[r][columns[r] < 0][0]),
                "; DEA needs values >= 0",
            )
    return Batch(columns, places, len(batch) - len(places), low, high, table)


def _floats(batch: RecordBatch, name: str) -> np.ndarray:
    """A column as float64; NaN where it is empty."""
    column = batch.column(batch.schema.names.index(name))
    return np.asarray(column.cast("float64", safe=False).to_numpy(zero_copy_only=False))


def _mask(kept: np.ndarray) -> object:
    import pyarrow as pa

    return pa.array(kept)


def _complete(files: Files, columns: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Which rows have all their cells; where that is not asked for, the first that has not is
    refused.
    """
    finite = np.isfinite(columns)
    if not files.drop:
        row = int(np.argmin(finite.all(axis=0)))
        r = int(np.argmin(finite[:, row]))
        value = float(columns[r, row])
        said = "missing" if np.isnan(value) else f"{value:g}"
        raise DataError(
            f"metric '{files.outputs[r]}' of {where(files, int(places[row]))} is {said}; give a finite number, or say "
            "missing='drop-systems'"
        )
    return np.asarray(finite.all(axis=0))


def _refuse(files: Files, place: int, name: str, value: float, why: str) -> None:
    raise DataError(f"metric '{name}' of {where(files, int(place))} is {value:g}{why}")


def where(files: Files, place: int) -> str:
    """A row by its number, the first being 1, and its file."""
    return f"row {(place & ((1 << SHIFT) - 1)) + 1:,} of '{files.paths[place >> SHIFT]}'"
