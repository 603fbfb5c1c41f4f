"""Re-prove a result from its own numbers, with numpy and pandas alone: no solver, no formulation.

An efficiency is proved by two numbers that anyone can recompute: what the peers λ reach (no DMU can
be less efficient than that combination shows) and what the weights give (no DMU can be more
efficient than weights under which no DMU exceeds 1 allow). Where both are feasible and agree, the
efficiency lies between them. A target is proved by λ ≥ 0 with Σ λ = 1 that gives it, and by a
normal u > 0 under which no reference DMU lies beyond it. The theorems are in docs/proofs.md, the
claims in `proofs`.
"""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

import numpy as np
import pandas as pd

from deabench.errors import CertificateError, DataError
from deabench.results.proof import Proof
from deabench.utils.arrays import TOLERANCE, one_thread

FAULTS = (
    DataError,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    ArithmeticError,
    AssertionError,
)
"""What reading parts raises that are missing, of another shape or kind, or of no use together."""


class Certificate(pd.DataFrame):  # type: ignore[misc]  # pandas has no types here
    """The recomputed numbers, one row per DMU, and in `unclaimed` what they do not prove.

    A part of it is a plain DataFrame.
    """

    _metadata: ClassVar[list[str]] = ["unclaimed"]
    unclaimed: tuple[str, ...] = ()

    @property
    def _constructor(self) -> Any:
        return pd.DataFrame

    def __repr__(self) -> str:
        """Show the numbers, then what is not proved, a line each."""
        lines = [f"Not proved: {text}" for text in self.unclaimed]
        return "\n".join([super().__repr__(), *lines])


class Provable(Protocol):
    """A result that carries what its numbers can be recomputed from."""

    def proof(self) -> Proof: ...

    @property
    def reasons(self) -> dict[Any, str]: ...


def certify(result: Provable, *, tolerance: float = TOLERANCE) -> Certificate:
    """Re-prove a Ranking, a Frontier or Targets from its own numbers; no solver is used.

    Parameters
    ----------
    result : Ranking, Frontier or Targets
    tolerance : float
        What a number may miss by, in metrics scaled to a maximum of about 1.

    Returns
    -------
    Certificate
        A DataFrame of the recomputed numbers, one row per DMU: of a ranking `primal` and `dual`,
        the two bounds between which its score lies, and `gap`, how far they are apart, in the
        score's own unit. Its `unclaimed` are sentences on what is not proved, which it prints.

    Raises
    ------
    CertificateError
        Where a number does not hold: the DMU, the number, what it misses by; or where parts do not
        belong together.

    Notes
    -----
    What is not proved of a result is in the answer's `unclaimed`, in words, and where it matters in
    the result's `summary()`. Words are never claimed: the model's name, `path`, `notes`, and how
    metrics were turned on their way in.

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
    except CertificateError:
        raise
    except FAULTS as error:
        options = getattr(result, "options", None)
        if isinstance(error, DataError) and not getattr(options, "has_certificate", True):
            raise
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
    certificate = Certificate(proof.frame)
    certificate.unclaimed = tuple(proof.unclaimed)
    return certificate
