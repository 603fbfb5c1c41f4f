"""Work on tables by blocks of rows, with sparse intensities, in units that round nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import ThreadpoolController

TOLERANCE = 1e-9
"""What a certificate may miss by, in metrics scaled to a maximum of about 1; it also decides who is
efficient.
"""

ROUND = 64 * np.finfo(float).eps
"""What rounding makes of a sum of products, as a share of their sizes."""

MIN_ROWS = 64
"""Products of fewer rows run on one thread anyway, and finding the library takes longer."""
ENTRIES = 1 << 17
"""Entries of a matrix product at a time, about: they stay in cache."""
CHUNK = 1 << 15
"""Rows of a table at a time: a million DMUs are proved in little more memory than their numbers
take.
"""


def settle(scores: np.ndarray, best: float) -> np.ndarray:
    """Return scores with those at the best one, within half of what is proved, set to it.

    NaN stays NaN, and -0.0 becomes 0.
    """
    is_best = np.abs(scores - best) <= TOLERANCE / 2
    return np.asarray(np.where(is_best, best, scores + 0.0))


def chunks(n: int) -> Iterator[slice]:
    """Iterate over the rows of a table of n, `CHUNK` at a time."""
    return (slice(low, low + CHUNK) for low in range(0, n, CHUNK))


def blocks(n: int, width: int) -> Iterator[slice]:
    """Iterate over the rows of a product (n, `width`), about `ENTRIES` entries at a time."""
    step = max(ENTRIES // max(width, 1), 8)
    return (slice(low, low + step) for low in range(0, n, step))


@dataclass(frozen=True)
class Sparse:
    """A matrix with at most k entries per row, such as the intensities λ of many DMUs.

    Attributes
    ----------
    columns : int array (n, k)
        Column of each entry; -1 where there is none.
    values : array (n, k)
    """

    columns: np.ndarray
    values: np.ndarray

    def __getitem__(self, rows: slice | np.ndarray) -> Sparse:
        """Return some of the rows."""
        if isinstance(rows, slice) or rows.dtype == bool:
            return Sparse(self.columns[rows], self.values[rows])
        return Sparse(self.columns.take(rows, axis=0), self.values.take(rows, axis=0))

    def dot(self, matrix: np.ndarray) -> np.ndarray:
        """Return the product (n, s) with a dense matrix (columns, s), itself never made dense.

        The numbers of each of the s columns stand side by side.
        """
        count, entries = self.values.shape
        columns = np.ascontiguousarray(matrix.T)
        product = np.empty((len(columns), count))
        for rows in blocks(count, len(columns) * entries):
            # Column -1 (no entry) is read as column 0; its value is 0 and adds nothing.
            positions = np.maximum(self.columns[rows].T, 0, order="C")
            terms = columns.take(positions, axis=1)
            terms *= np.ascontiguousarray(self.values[rows].T)
            terms.sum(axis=1, initial=0.0, out=product[:, rows])
        return product.T

    def frame(self, rows: pd.Index, labels: pd.Index) -> pd.DataFrame:
        """Return a labelled frame of sparse columns, one for each column that has an entry."""
        flat = np.flatnonzero((self.columns >= 0).ravel() & (self.values.ravel() > 0))
        column = self.columns.ravel()[flat]
        # Sort the entries by column, as the compressed column format wants them.
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
    """Return the power of two next to each column's maximum.

    Dividing by it rounds nothing, and makes results independent of the units.
    """
    top = largest_sizes(values)
    # Columns of zeros get the unit 1.
    return np.where(top > 0, np.exp2(np.floor(np.log2(np.where(top > 0, top, 1.0)))), 1.0)


def largest_sizes(values: np.ndarray) -> np.ndarray:
    """Return the largest absolute value of each column (n, k); 0 where there is no row.

    Columns whose numbers stand side by side are read several times faster, and where there are
    more columns than rows, row after row.
    """
    if len(values) < values.shape[1]:
        return reduce(np.maximum, map(np.abs, values), np.zeros(values.shape[1]))
    sizes = np.zeros(values.shape[1])
    for rows in blocks(*values.shape):
        columns = np.ascontiguousarray(values[rows].T)
        np.maximum(sizes, columns.max(axis=1), out=sizes)
        np.maximum(sizes, -columns.min(axis=1), out=sizes)
    return sizes


def distinct_positions(positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct positions from -1 on in order, and which of them each one is.

    As `np.unique` does, without sorting.
    """
    shifted = positions + 1
    is_used = np.bincount(shifted) > 0
    numbers = np.cumsum(is_used) - 1
    return np.flatnonzero(is_used) - 1, numbers[shifted]


def row_minima(values: np.ndarray) -> np.ndarray:
    """Return the minimum of each row (n, k), column by column: reducing short rows is slow."""
    return np.asarray(reduce(np.minimum, values.T))


def elementwise_maxima(first: np.ndarray, *others: np.ndarray | float) -> np.ndarray:
    """Return the greatest of several arrays (n,), element by element."""
    return np.asarray(reduce(np.maximum, others, first))


def row_sums(values: np.ndarray) -> np.ndarray:
    """Return the sum of each row (n, k), column by column."""
    return np.asarray(reduce(np.add, values.T))


def row_any(values: np.ndarray) -> np.ndarray:
    """Return whether each row (n, k) has a value that is not 0, column by column."""
    return np.asarray(reduce(np.logical_or, values.T, np.zeros(len(values), dtype=bool)))


FINEST = 2.0**-16
"""The finest unit of `box`, as a share of a metric's size: in a finer one, what float64 rounds
would count.
"""


def box(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return an origin and a unit per column, so that (values - origin) / unit lies in [1, 3].

    The unit is a power of two: dividing by it rounds nothing. Efficiency, faces and closest points
    do not change when metrics are shifted or scaled, and classifiers that lie within a few
    thousandths of each other are told apart as well as others. A metric that varies by less than
    `FINEST` of its size is not scaled further.
    """
    low = values.min(axis=0)
    spread = values.max(axis=0) - low
    size = scale(values)
    # In units below `finest` rounding errors would look like differences; `tiny` is above 0.
    finest = np.maximum(size * FINEST, np.finfo(float).tiny)
    unit = np.where(
        spread > 0,
        np.maximum(np.exp2(np.floor(np.log2(np.where(spread > 0, spread, 1.0)))), finest),
        size,
    )
    # Shift by one unit, so that the smallest value becomes 1 and never 0.
    return low - unit, unit


def one_thread(rows: int) -> AbstractContextManager[Any]:
    """Return a context in which numpy multiplies matrices of that many rows on one thread.

    Several threads wait for each other at products of tall, narrow matrices.
    """
    if rows < MIN_ROWS:
        return nullcontext()
    limit: AbstractContextManager[Any] = _load_controller().limit(limits=1, user_api="blas")
    return limit


@lru_cache(maxsize=1)
def _load_controller() -> Any:
    """Find the BLAS that numpy has loaded, once: it takes longer than a small table."""
    return ThreadpoolController()


def greatest_products(
    weights: np.ndarray, table: np.ndarray, left_out: np.ndarray | None = None
) -> np.ndarray:
    """Return the largest product of each row of weights (K, c) with a column of a table (c, n).

    `left_out` (K,) are columns that do not count.
    """
    largest = np.empty(len(weights))
    with one_thread(max(len(weights), table.shape[1])):
        for rows in blocks(len(weights), table.shape[1]):
            products = _products(weights, table, rows, left_out)
            largest[rows] = products.max(axis=1, initial=-np.inf)
    return largest


def positive_products(
    weights: np.ndarray, table: np.ndarray, left_out: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return `greatest_products`, and rows and columns of all products above 0, (p,) each."""
    largest = np.empty(len(weights))
    pairs = []
    with one_thread(max(len(weights), table.shape[1])):
        for rows in blocks(len(weights), table.shape[1]):
            products = _products(weights, table, rows, left_out)
            largest[rows] = products.max(axis=1, initial=-np.inf)
            row, column = np.nonzero(products > 0)
            pairs.append((row + rows.start, column))
    if not pairs:
        return largest, np.zeros(0, dtype=int), np.zeros(0, dtype=int)
    return largest, np.concatenate([p[0] for p in pairs]), np.concatenate([p[1] for p in pairs])


def _products(
    weights: np.ndarray, table: np.ndarray, rows: slice, left_out: np.ndarray | None
) -> np.ndarray:
    """Return the products of some rows of weights with a table, -inf in what is left out."""
    products = weights[rows] @ table
    if left_out is not None:
        products[np.arange(len(products)), left_out[rows]] = -np.inf
    return np.asarray(products)
