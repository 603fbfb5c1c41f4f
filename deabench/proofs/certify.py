"""Re-prove a result from its own numbers, with numpy and pandas alone: no solver, no formulation.

An efficiency is proved by two numbers that anyone can recompute: what the peers λ reach (no DMU can
be less efficient than that combination shows) and what the weights give (no DMU can be more
efficient than weights that let nobody exceed 1 allow). Where both are feasible and agree, the
efficiency lies between them. A target is proved by λ ≥ 0 with Σ λ = 1 that gives it, and by a
normal u > 0 under which no reference DMU lies beyond it. The theorems are in docs/proofs.md, the
claims in `proofs`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
import pandas as pd

from deabench.errors import CertificateError
from deabench.results.proof import Proof, Scored
from deabench.utils.arrays import TOLERANCE
from deabench.utils.threads import one_thread


def projections(result: Scored) -> pd.DataFrame:
    """Where λ puts each DMU: the combination of its peers, n x metrics; NaN where it has no score."""
    parts = [result.reference.outputs, result.reference.inputs]
    columns = [name for part in parts for name in part.columns]
    values = result.intensities.dot(np.column_stack([part.to_numpy() for part in parts]))
    values[result.scores.isna().to_numpy()] = np.nan
    return pd.DataFrame(values, index=result.scores.index, columns=columns)


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
        Where a number does not hold: the DMU, the number, what it misses by; or where parts do not
        belong together.

    Notes
    -----
    What is not proved of a result is in `result.proof().unclaimed`, in words, and where it matters
    in its `summary()`. Words are never claimed: the model's name, `path`, `notes`, and how metrics
    were turned on their way in.

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> proof = db.certify(db.rank(wine, outputs=["TPR", "TNR"]))
    >>> bool(proof["gap"].max() < 1e-9)
    True
    """
    with one_thread(1 << 20):
        proof = result.proof()
    unanswered = proof.frame.index.isin(list(result.reasons))
    for column, label, value in _broken(proof, unanswered, tolerance):
        raise CertificateError(
            f"'{label}': {column.replace('_', ' ')} is {value:.3g}, above {tolerance:g}; the result does not hold"
        )
    return proof.frame


def _broken(
    proof: Proof, unanswered: np.ndarray, tolerance: float
) -> Iterator[tuple[str, Any, float]]:
    """The first DMU that breaks each claim; a NaN proves nothing, and is right only where a reason
    says so.
    """
    for column, misses in proof.violations.items():
        bad = np.flatnonzero(~(misses <= tolerance) & ~(np.isnan(misses) & unanswered))
        if len(bad):
            yield column, proof.frame.index[bad[0]], float(misses[bad[0]])
