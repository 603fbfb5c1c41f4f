"""Re-prove a result from its own numbers, with numpy and pandas alone: no solver, no formulation.

An efficiency is proved by two numbers that anyone can recompute: what the peers λ reach (no DMU can be less efficient than
that combination shows) and what the weights give (no DMU can be more efficient than weights that let nobody exceed 1 allow).
Where both are feasible and agree, the efficiency lies between them. A target is proved by λ ≥ 0 with Σ λ = 1 that gives it, and
by a normal u > 0 under which no reference DMU lies beyond it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import CertificateError
from deabench.threads import one_thread

TOLERANCE = 1e-9
"""What a certificate may miss by, in metrics scaled to a maximum of about 1; it also decides who is efficient."""

ENTRIES = 1 << 17
"""Entries of a matrix product at a time, about: they stay in cache."""
CHUNK = 1 << 16
"""Rows of a table at a time: a million DMUs are proved in little more memory than their numbers take."""


def chunks(n: int) -> Iterator[slice]:
    """The rows of a table of n, `CHUNK` at a time."""
    return (slice(low, low + CHUNK) for low in range(0, n, CHUNK))


def blocks(n: int, width: int) -> Iterator[slice]:
    """The rows of a matrix product of n rows and `width` columns, about `ENTRIES` entries at a time."""
    step = max(ENTRIES // max(width, 1), 64)
    return (slice(low, low + step) for low in range(0, n, step))


@dataclass(frozen=True)
class Sparse:
    """A matrix with at most k entries per row, as two arrays: what the intensities λ of many DMUs are.

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
        """The product with a dense matrix (columns, s): an array (n, s), without ever being dense itself."""
        out = np.zeros((len(self.values), matrix.shape[1]))
        for k in range(self.values.shape[1]):
            out += self.values[:, [k]] * matrix[np.maximum(self.columns[:, k], 0)]
        return out

    def frame(self, rows: pd.Index, labels: pd.Index) -> pd.DataFrame:
        """A labelled frame of sparse columns, one for each column that has an entry."""
        flat = np.flatnonzero((self.columns >= 0).ravel() & (self.values.ravel() > 0))
        column = self.columns.ravel()[flat]
        order = np.lexsort((flat, column))
        flat, column = flat[order], column[order]
        used, start = np.unique(column, return_index=True)
        ends = np.append(start[1:], len(column))
        value, row = self.values.ravel()[flat], (flat // self.columns.shape[1]).astype(np.int32)
        n = len(rows)
        data = {}
        for j, low, high in zip(used.tolist(), start.tolist(), ends.tolist(), strict=True):
            data[labels[j]] = pd.arrays.SparseArray.from_indices(value[low:high], row[low:high], n, fill_value=0.0)
        return pd.DataFrame(data, index=rows, columns=labels[used]) if data else pd.DataFrame(index=rows)


def scale(values: np.ndarray) -> np.ndarray:
    """The power of two next to each column's maximum: dividing by it rounds nothing, and units stop mattering."""
    top = np.maximum(values.max(axis=0, initial=0.0), -values.min(axis=0, initial=0.0))
    return np.where(top > 0, np.exp2(np.floor(np.log2(np.where(top > 0, top, 1.0)))), 1.0)


def radial(result: Any) -> pd.DataFrame:
    """The certificate of a ranking, recomputed: one row per DMU.

    Returns
    -------
    DataFrame
        primal : the efficiency that λ proves attainable; dual : the efficiency that the weights prove not to be exceeded;
        gap : their distance beyond what rounding the weights' terms makes; primal_infeasibility, dual_infeasibility : by how
        much λ or the weights break a constraint, in metrics scaled to a maximum of about 1. NaN where the DMU has no score.
    """
    given = _Scaled(result)
    proof = np.empty((len(result.scores), len(COLUMNS)))
    for rows in chunks(len(proof)):
        proof[rows] = given.proof(rows)
    proof[result.scores.isna().to_numpy()] = np.nan
    return pd.DataFrame(proof, index=result.scores.index, columns=COLUMNS, copy=False)


class _Scaled:
    """A ranking's data in units of about 1. Without inputs there is one that is 1 for everybody: (5) as an output-oriented CCR."""

    def __init__(self, result: Any) -> None:
        self.result, self.data, reference = result, result.data, result.reference
        self.returns, self.outward = result.returns, result.orientation == "output"
        self.inputs = result.data.inputs.shape[1] > 0
        self.Y, front = reference.outputs.to_numpy(), result.frontier
        self.X = reference.inputs.to_numpy() if self.inputs else np.ones((len(self.Y), 1))
        self.unit_x, self.unit_y = scale(self.X), scale(self.Y)
        self.frontier = np.column_stack([self.Y[front] / self.unit_y, self.X[front] / self.unit_x, np.ones(len(front))])

    def proof(self, rows: slice) -> np.ndarray:
        """The certificate's columns for some rows."""
        y = self.data.outputs.to_numpy()[rows] / self.unit_y
        x = self.data.inputs.to_numpy()[rows] / self.unit_x if self.inputs else np.ones((len(y), 1))
        primal, primal_miss = self.primal(self.result.intensities[rows], x, y)
        dual, dual_miss, rounding = self.dual(self.result.weights.iloc[rows], x, y)
        gap = np.maximum(np.abs(primal - dual) - rounding, 0.0)
        return np.column_stack([primal, dual, gap, np.maximum(primal_miss, 0.0), np.maximum(dual_miss, 0.0)])

    def primal(self, lam: Sparse, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The efficiency that λ reaches, and by how much λ breaks its constraints."""
        reached, used, total = lam.dot(self.Y) / self.unit_y, lam.dot(self.X) / self.unit_x, lam.values.sum(axis=1)
        low, high = SUM_LAMBDA[self.returns]
        broken = np.maximum.reduce([-lam.values.min(axis=1), low - total, total - high])
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.outward:
                grown = np.where(y > 0, reached / y, np.inf).min(axis=1)
                return 1.0 / grown, np.maximum(broken, (used - x).max(axis=1))
            shrunk = np.where(x > 0, used / x, -np.inf).max(axis=1)
            return shrunk, np.maximum(broken, (y - reached).max(axis=1))

    def dual(self, weights: pd.DataFrame, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The efficiency that the weights allow, by how much they break their constraints, and what rounding their terms makes."""
        u = weights[self.data.outputs.columns].to_numpy() * self.unit_y
        v = weights[self.data.inputs.columns].to_numpy() * self.unit_x if self.inputs else np.ones((len(u), 1))
        u_0 = weights["u_0"].to_numpy() if "u_0" in weights else np.zeros(len(u))
        norm = ((u * y) if self.outward else (v * x)).sum(axis=1)
        u, v, u_0 = u / norm[:, None], v / norm[:, None], u_0 / norm
        value = 1.0 / ((v * x).sum(axis=1) + u_0) if self.outward else (u * y).sum(axis=1) + u_0
        all_weights = np.column_stack([u, -v, -u_0 if self.outward else u_0])
        beyond = _beyond(all_weights, self.frontier)
        negative = np.maximum(-u.min(axis=1), -v.min(axis=1))
        size = np.maximum(np.abs(all_weights).max(axis=1), 1.0)
        terms = np.abs(np.column_stack([u * y, v * x, u_0])).sum(axis=1)
        rounding = 64 * np.finfo(float).eps * terms * (value**2 if self.outward else 1.0)
        miss = np.maximum.reduce([negative, _wrong_sign(u_0, self.returns, self.outward), beyond]) / size
        return value, miss, rounding


COLUMNS = ["primal", "dual", "gap", "primal_infeasibility", "dual_infeasibility"]
SUM_LAMBDA = {"crs": (0.0, np.inf), "vrs": (1.0, 1.0), "nirs": (0.0, 1.0), "ndrs": (1.0, np.inf)}


def _wrong_sign(u_0: np.ndarray, returns: str, outward: bool) -> np.ndarray:
    """By how much u_0 breaks the sign that the returns to scale give it."""
    if returns == "vrs":
        return np.zeros(len(u_0))
    if returns == "crs":
        return np.abs(u_0)
    allowed_above = (returns == "ndrs") != outward
    return np.maximum(-u_0 if allowed_above else u_0, 0.0)


def _beyond(weights: np.ndarray, table: np.ndarray) -> np.ndarray:
    """The largest product of each row of weights (K, c) with a row of the table (n, c)."""
    transposed = np.ascontiguousarray(table.T)
    out = np.empty(len(weights))
    with one_thread(max(len(weights), len(table))):
        for part in blocks(len(weights), len(table)):
            out[part] = (weights[part] @ transposed).max(axis=1)
    return out


def certify(result: Any, *, tolerance: float = TOLERANCE) -> pd.DataFrame:
    """Re-prove a Ranking or Targets from its own numbers; no solver is used.

    Parameters
    ----------
    result : Ranking or Targets
    tolerance : float
        What a number may miss by, in metrics scaled to a maximum of about 1.

    Returns
    -------
    DataFrame
        The recomputed certificate, one row per DMU.

    Raises
    ------
    CertificateError
        Where a number does not hold: the DMU, the number, what it misses by.
    """
    certificate = result.recompute()
    unanswered = certificate.index.isin(list(result.reasons))
    for column, label, value in _broken(certificate, result.claims(certificate), unanswered, tolerance):
        raise CertificateError(
            f"'{label}': {column.replace('_', ' ')} is {value:.3g}, above {tolerance:g}; the result does not hold"
        )
    return certificate


def _broken(
    certificate: pd.DataFrame, claims: dict[str, np.ndarray], unanswered: np.ndarray, tolerance: float
) -> Iterator[tuple[str, Any, float]]:
    """The first DMU that breaks each claim; a NaN proves nothing, and is right only where a reason says so."""
    for column, misses in claims.items():
        bad = np.flatnonzero(~(misses <= tolerance) & ~(np.isnan(misses) & unanswered))
        if len(bad):
            yield column, certificate.index[bad[0]], float(misses[bad[0]])
