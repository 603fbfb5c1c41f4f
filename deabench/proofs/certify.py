"""Re-prove a result from its own numbers, with numpy and pandas alone: no solver, no formulation.

An efficiency is proved by two numbers that anyone can recompute: what the peers λ reach (no DMU can
be less efficient than that combination shows) and what the weights give (no DMU can be more
efficient than weights under which no DMU exceeds 1 allow). Where both are feasible and agree, the
efficiency lies between them. A target is proved by λ ≥ 0 with Σ λ = 1 that gives it, and by a
normal u > 0 under which no reference DMU lies beyond it. The theorems are in docs/proofs.md, the
claims in `proofs`.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import pandas as pd

from deabench.errors import CertificateError, DataError
from deabench.results.proof import Proof
from deabench.utils.arrays import TOLERANCE
from deabench.utils.threads import one_thread


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
    try:
        with one_thread(1 << 20):
            proof = result.proof()
    except (CertificateError, DataError):
        raise
    except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError) as error:
        # A part that is missing, of another shape or of another kind is no part of this result.
        raise CertificateError(
            f"the result's parts do not belong together ({error}); compute the result again"
        ) from error
    has_reason = proof.frame.index.isin(list(result.reasons))
    for claim, violations in proof.violations.items():
        # A NaN proves nothing, and is right only where a reason for it is given.
        broken = np.flatnonzero(~(violations <= tolerance) & ~(np.isnan(violations) & has_reason))
        if len(broken):
            label = proof.frame.index[broken[0]]
            raise CertificateError(
                f"'{label}': {claim.replace('_', ' ')} is {violations[broken[0]]:.3g}, above "
                f"{tolerance:g}; compute the result again"
            )
    return proof.frame
