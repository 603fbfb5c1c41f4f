"""What a proof is, and what a ranking's is made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd

from deabench.tables.transforms import Data
from deabench.utils.arrays import Sparse


@dataclass(frozen=True, eq=False)
class Proof:
    """What recomputing a result showed.

    Attributes
    ----------
    frame : DataFrame
        One row per DMU: the recomputed numbers.
    violations : dict of str to array (n,)
        Claim of the result to by how much each DMU's number misses it; 0 where it holds exactly.
    unclaimed : tuple of str
        What the result says and this does not prove, as sentences.
    """

    frame: pd.DataFrame
    violations: dict[str, np.ndarray]
    unclaimed: tuple[str, ...] = ()


def spread_proof(proof: Proof, labels: pd.Index) -> Proof:
    """Return the proof of some DMUs as one of all `labels`; the others claim nothing."""
    rows = labels.get_indexer(proof.frame.index)
    violations = {}
    for claim, misses in proof.violations.items():
        violations[claim] = np.zeros(len(labels))
        violations[claim][rows] = misses
    return Proof(proof.frame.reindex(labels), violations, proof.unclaimed)


@dataclass(frozen=True, eq=False)
class SlackWeights:
    """What proves slacks the largest.

    Attributes
    ----------
    rows : array (B, s + m)
        Weights of outputs, then inputs, at least 1 each, in metrics divided by their maxima in the
        reference; each once.
    of : int32 array (n,)
        Which row is whose; -1 where a DMU's own weights are all positive, -2 where there is no
        proof.
    """

    rows: np.ndarray
    of: np.ndarray


class Scored(Protocol):
    """What a ranking's proof is made from; see `deabench.results.answer.Answer`."""

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
    def own_reference(self) -> bool: ...
    @property
    def orientation(self) -> str: ...
    @property
    def options(self) -> Any: ...
    @property
    def efficient(self) -> pd.Series: ...
    @property
    def reasons(self) -> dict[Any, str]: ...
    @property
    def infeasibility_certificates(self) -> pd.DataFrame | None: ...
    @property
    def slack_weights(self) -> SlackWeights | None: ...
