"""What the solving and the proving of tables share: rows in blocks, sparse intensities, units that
round nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce

import numpy as np
import pandas as pd

TOLERANCE = 1e-9
"""What a certificate may miss by, in metrics scaled to a maximum of about 1; it also decides who is
efficient.
"""

ROUND = 64 * np.finfo(float).eps
"""What rounding makes of a sum of products, as a share of their sizes."""

ENTRIES = 1 << 17
"""Entries of a matrix product at a time, about: they stay in cache."""
ROWS = 1 << 13
"""Rows of a sparse product at a time."""
CHUNK = 1 << 15
"""Rows of a table at a time: a million DMUs are proved in little more memory than their numbers
take.
"""


def chunks(n: int) -> Iterator[slice]:
    """The rows of a table of n, `CHUNK` at a time."""
    return (slice(low, low + CHUNK) for low in range(0, n, CHUNK))


def blocks(n: int, width: int) -> Iterator[slice]:
    """The rows of a matrix product of n rows and `width` columns, about `ENTRIES` entries at a
    time.
    """
    step = max(ENTRIES // max(width, 1), 8)
    return (slice(low, low + step) for low in range(0, n, step))


@dataclass(frozen=True)
class Sparse:
    """A matrix with at most k entries per row, as two arrays: what the intensities λ of many DMUs
    are.

    Attributes
    ----------
    columns : int array (n, k)
        Column of each entry; -1 where there is none.
    values : array (n, k)
    """

    columns: np.ndarray
    values: np.ndarray

    def __getitem__(self, rows: slice | np.ndarray) -> Sparse:
        """Some of the rows."""
        return Sparse(self.columns[rows], self.values[rows])

    def dot(self, matrix: np.ndarray) -> np.ndarray:
        """The product with a dense matrix (columns, s): an array (n, s), without ever being dense
        itself.
        """
        out = np.zeros((len(self.values), matrix.shape[1]))
        for first in range(0, len(out), ROWS):
            part = slice(first, first + ROWS)
            for column, value in zip(
                np.maximum(self.columns[part], 0).T, self.values[part].T, strict=True
            ):
                out[part] += value[:, None] * matrix.take(column, axis=0)
        return out

    def frame(self, rows: pd.Index, labels: pd.Index) -> pd.DataFrame:
        """A labelled frame of sparse columns, one for each column that has an entry."""
        flat = np.flatnonzero((self.columns >= 0).ravel() & (self.values.ravel() > 0))
        column = self.columns.ravel()[flat]
        order = np.lexsort((flat, column))
        flat, column = flat[order], column[order]
        used, start = np.unique(column, return_index=True)
        if not len(used):
            return pd.DataFrame(index=rows)
        from scipy.sparse import csc_matrix  # here alone: proofs need numpy only

        row = (flat // self.columns.shape[1]).astype(np.int32)
        entries = csc_matrix(
            (self.values.ravel()[flat], row, np.append(start, len(flat))),
            shape=(len(rows), len(used)),
        )
        return pd.DataFrame.sparse.from_spmatrix(entries, index=rows, columns=labels[used])


def scale(values: np.ndarray) -> np.ndarray:
    """The power of two next to each column's maximum: dividing by it rounds nothing, and units stop
    mattering.
    """
    top = np.maximum(values.max(axis=0, initial=0.0), -values.min(axis=0, initial=0.0))
    return np.where(top > 0, np.exp2(np.floor(np.log2(np.where(top > 0, top, 1.0)))), 1.0)


def least(values: np.ndarray) -> np.ndarray:
    """The least of each row (n, k): column by column, as reducing short rows is slow."""
    return np.asarray(reduce(np.minimum, values.T))


def greatest(first: np.ndarray, *more: np.ndarray | float) -> np.ndarray:
    """The greatest of several arrays (n,), place by place."""
    return np.asarray(reduce(np.maximum, more, first))


def total(values: np.ndarray) -> np.ndarray:
    """The sum of each row (n, k), column by column."""
    return np.asarray(reduce(np.add, values.T))


FINEST = 2.0**-16
"""The finest unit of `box`, as a share of a metric's size: in a finer one, what float64 rounds
would count.
"""


def box(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """An origin and a power of two as unit per column, in which (values - origin) / unit lies
    between 1 and 3.

    Who is efficient, the faces and their closest points do not change when metrics are moved or
    stretched, and classifiers that lie within a few thousandths of each other are told apart as
    well as others. A metric that varies by less than `FINEST` of its size is not stretched further.
    """
    low, high = values.min(axis=0), values.max(axis=0)
    size, spread = scale(values), high - low
    finest = np.maximum(size * FINEST, np.finfo(float).tiny)
    unit = np.where(
        spread > 0,
        np.maximum(np.exp2(np.floor(np.log2(np.where(spread > 0, spread, 1.0)))), finest),
        size,
    )
    return low - unit, unit
