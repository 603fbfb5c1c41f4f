"""Re-prove a result from its own numbers, with numpy and pandas alone: no solver, no formulation.

An efficiency is proved by two numbers that anyone can recompute: what the peers λ reach (no DMU can be less efficient than
that combination shows) and what the weights give (no DMU can be more efficient than weights that let nobody exceed 1 allow).
Where both are feasible and agree, the efficiency lies between them. A target is proved by λ ≥ 0 with Σ λ = 1 that gives it, and
by a normal u > 0 under which no reference DMU lies beyond it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd

from deabench.arrays import TOLERANCE, Sparse, blocks, chunks, scale
from deabench.dea.proofs import ranking as beyond
from deabench.errors import CertificateError
from deabench.tables.gate import Data
from deabench.threads import one_thread


@dataclass(frozen=True, eq=False)
class Proof:
    """What recomputing a result showed.

    Attributes
    ----------
    frame : DataFrame
        One row per DMU: the recomputed numbers.
    misses : dict of str to array (n,)
        Claim of the result to by how much each DMU's number misses it; 0 where it holds exactly.
    unclaimed : tuple of str
        What the result says and this does not prove, as sentences.
    """

    frame: pd.DataFrame
    misses: dict[str, np.ndarray]
    unclaimed: tuple[str, ...] = ()


class Scored(Protocol):
    """What a ranking's proof is made from; see `deabench.dea.models.record.Answer`."""

    @property
    def scores(self) -> pd.Series: ...
    @property
    def slacks(self) -> pd.DataFrame: ...
    @property
    def weights(self) -> pd.DataFrame: ...
    @property
    def intensities(self) -> Sparse: ...
    @property
    def data(self) -> Data: ...
    @property
    def reference(self) -> Data: ...
    @property
    def frontier(self) -> np.ndarray: ...
    @property
    def returns(self) -> str: ...
    @property
    def orientation(self) -> str: ...
    @property
    def efficient(self) -> pd.Series: ...
    @property
    def slack_weights(self) -> beyond.SlackWeights | None: ...


def projections(result: Scored) -> pd.DataFrame:
    """Where λ puts each DMU: the combination of its peers, n x metrics; NaN where it has no score."""
    parts = [result.reference.outputs, result.reference.inputs]
    columns = [name for part in parts for name in part.columns]
    values = result.intensities.dot(np.column_stack([part.to_numpy() for part in parts]))
    values[result.scores.isna().to_numpy()] = np.nan
    return pd.DataFrame(values, index=result.scores.index, columns=columns)


def radial(result: Scored) -> Proof:
    """The proof of radial efficiencies, one row per DMU.

    Returns
    -------
    Proof
        Its frame: primal, the efficiency that λ proves attainable; dual, the efficiency that the weights prove not to be
        exceeded; gap, their distance beyond what rounding the weights' terms makes; primal_infeasibility,
        dual_infeasibility, by how much λ or the weights break a constraint, in metrics scaled to a maximum of about 1. NaN
        where the DMU has no score.
    """
    frame = radial_frame(result)
    size = np.maximum(result.scores.abs().to_numpy(), 1.0)
    more, unclaimed = beyond.further(result)
    return Proof(frame, {
        "gap": frame["gap"].to_numpy() / size,
        "primal_infeasibility": frame["primal_infeasibility"].to_numpy(),
        "dual_infeasibility": frame["dual_infeasibility"].to_numpy(),
        "distance_of_the_score_from_its_proof": (frame["primal"] - result.scores).abs().to_numpy() / size,
        "distance_of_the_slacks_from_their_proof": slack_error(result),
        **more,
    }, unclaimed)


def slack_error(result: Scored) -> np.ndarray:
    """|projection - (radial projection + slack)|, largest metric, in scaled metrics."""
    y, x = result.data.outputs.to_numpy(), result.data.inputs.to_numpy()
    reached, score = projections(result).to_numpy(), result.scores.to_numpy()[:, None]
    grown = np.column_stack([y / score, x] if result.orientation == "output" else [y, score * x])
    signs = np.append(np.ones(y.shape[1]), -np.ones(x.shape[1]))
    unit = beyond.maxima(result)
    return np.asarray(np.abs((reached - grown - signs * result.slacks.to_numpy()) / unit).max(axis=1))


def radial_frame(result: Scored) -> pd.DataFrame:
    """The frame of `radial`, for the solver that asks before it returns."""
    given = _Scaled(result)
    proof = np.empty((len(result.scores), len(COLUMNS)))
    for rows in chunks(len(proof)):
        proof[rows] = given.proof(rows)
    proof[result.scores.isna().to_numpy()] = np.nan
    return pd.DataFrame(proof, index=result.scores.index, columns=COLUMNS, copy=False)


class _Scaled:
    """A ranking's data in units of about 1. Without inputs there is one that is 1 for everybody: (5) as an output-oriented CCR."""

    def __init__(self, result: Scored) -> None:
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
        reached, total = lam.dot(self.Y) / self.unit_y, lam.values.sum(axis=1)
        used = lam.dot(self.X) / self.unit_x if self.inputs else total[:, None]
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
        return np.asarray(np.abs(u_0))
    allowed_above = (returns == "ndrs") != outward
    return np.asarray(np.maximum(-u_0 if allowed_above else u_0, 0.0))


def _beyond(weights: np.ndarray, table: np.ndarray) -> np.ndarray:
    """The largest product of each row of weights (K, c) with a row of the table (n, c)."""
    transposed = np.ascontiguousarray(table.T)
    out = np.empty(len(weights))
    with one_thread(max(len(weights), len(table))):
        for part in blocks(len(weights), len(table)):
            out[part] = (weights[part] @ transposed).max(axis=1)
    return out


class Provable(Protocol):
    """A result that carries what its numbers can be recomputed from."""

    def proof(self) -> Proof: ...

    @property
    def reasons(self) -> dict[Any, str]: ...


def certify(result: Provable, *, tolerance: float = TOLERANCE) -> pd.DataFrame:
    """Re-prove a Ranking, a Frontier or Targets from its own numbers; no solver is used.

    Parameters
    ----------
    result : Ranking, Frontier or Targets
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

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> proof = db.certify(db.rank(wine, outputs=["TPR", "TNR"]))
    >>> bool(proof["gap"].max() < 1e-9)
    True
    """
    proof = result.proof()
    unanswered = proof.frame.index.isin(list(result.reasons))
    for column, label, value in _broken(proof, unanswered, tolerance):
        raise CertificateError(
            f"'{label}': {column.replace('_', ' ')} is {value:.3g}, above {tolerance:g}; the result does not hold"
        )
    return proof.frame


def _broken(proof: Proof, unanswered: np.ndarray, tolerance: float) -> Iterator[tuple[str, Any, float]]:
    """The first DMU that breaks each claim; a NaN proves nothing, and is right only where a reason says so."""
    for column, misses in proof.misses.items():
        bad = np.flatnonzero(~(misses <= tolerance) & ~(np.isnan(misses) & unanswered))
        if len(bad):
            yield column, proof.frame.index[bad[0]], float(misses[bad[0]])
