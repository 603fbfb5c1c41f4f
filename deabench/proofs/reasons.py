"""That a DMU without a score has none, for the reason that is given.

A radial factor: with weights u, v ≥ 0 that give at most u₀ to any mix of the reference, an
output-oriented factor φ needs φ u·y ≤ u₀ + v·x, which leaves none above 0 where that is 0 or below;
input-oriented, u·y ≤ u₀ + θ v·x holds for no θ where v·x = 0 and u·y > u₀."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from deabench.proofs.ranking import (
    LAMBDA_SUM_BOUNDS,
    reference_maxima,
    stack_outputs_inputs,
    weighted_maxima,
)
from deabench.utils.arrays import TOLERANCE

if TYPE_CHECKING:
    from deabench.results.proof import Scored

CLEAR = 1e-12
"""A difference above this is no rounding, of weights and metrics of at most about 1."""
NO_OUTPUT = "every output of it is 0, and no factor makes more of nothing"
NO_METRIC = "its factor is 0: no reference DMU has any of one of its metrics"
NO_INPUT_NEEDED = "its factor is 0: the reference reaches its outputs without any of its inputs"
NO_MIX = (
    "its factor is 0: no mix of the reference that its inputs allow has any of one of its outputs"
)
INFEASIBLE = "nfeasible"
"""What the reasons say that a solver gave."""
UNPROVED = "is not proved to"
"""What the reason of a score that was found and not proved says."""


def reason_violations(result: Scored, known: Mapping[str, np.ndarray]) -> np.ndarray:
    """1 where a DMU has a score and a reason for none, or no score and no reason that holds, and 0
    elsewhere.

    Parameters
    ----------
    known : mapping of words to bool array (n,)
        For whom the reasons hold that have these words in them.
    """
    none = np.isnan(result.scores.to_numpy())
    out = (none != np.asarray(result.scores.index.isin(list(result.reasons)))).astype(float)
    for k in np.flatnonzero(none & (out == 0)).tolist():
        words = result.reasons[result.scores.index[k]]
        out[k] = float(not any(part in words and bool(holds[k]) for part, holds in known.items()))
    out[np.flatnonzero(~none)[:1]] += len(set(result.reasons) - set(result.scores.index))
    return np.asarray(out)


def radial_reason_violations(result: Scored) -> tuple[np.ndarray, tuple[str, ...]]:
    """`misses` of a radial model, and in words whose reasons are not proved."""
    if not result.reasons and not np.isnan(result.scores.to_numpy()).any():
        return np.zeros(len(result.scores)), ()
    outward, y = result.orientation == "output", result.data.outputs.to_numpy()
    nowhere = result.reference.outputs.to_numpy().max(axis=0, initial=0.0) <= 0
    zero, impossible = proved_extreme_factors(result)
    unproved = np.array(
        [UNPROVED in result.reasons.get(label, "") for label in result.scores.index]
    )
    out = reason_violations(
        result,
        {
            NO_OUTPUT: outward & ~y.any(axis=1),
            NO_METRIC: ((y > 0) & nowhere).any(axis=1),
            NO_INPUT_NEEDED: proved_zero_factors(result),
            NO_MIX: zero,
            INFEASIBLE: impossible,
            UNPROVED: unproved,
        },
    )
    said = (
        (f"that {int(unproved.sum())} DMUs have no score: theirs was found and not proved",)
        if unproved.any()
        else ()
    )
    return out, said


def proved_extreme_factors(result: Scored) -> tuple[np.ndarray, np.ndarray]:
    """Of whom the rays prove that the factor is 0 (output-oriented), and of whom that there is
    none: bool (n,) each.
    """
    n, rays = len(result.scores), result.infeasibility_certificates
    zero, impossible = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    if rays is None or not len(rays):
        return zero, impossible
    who, s, unit = (
        result.scores.index.get_indexer(rays.index),
        result.data.outputs.shape[1],
        reference_maxima(result),
    )
    rays, who = rays[who >= 0], who[who >= 0]
    weights = rays.to_numpy() * unit
    sound = np.isfinite(weights).all(axis=1) & (weights >= 0).all(axis=1)
    at, top = stack_outputs_inputs(result.data)[who] / unit, weighted_maxima(result, weights)
    gained, spent = (
        (weights[:, :s] * at[:, :s]).sum(axis=1),
        (weights[:, s:] * at[:, s:]).sum(axis=1),
    )
    if result.orientation == "output":
        impossible[who] = sound & (top + spent < -CLEAR)
        zero[who] = sound & (gained > CLEAR) & (top + spent <= TOLERANCE * gained)
    else:
        impossible[who] = sound & (gained > top + CLEAR) & (spent <= CLEAR)
    return zero, impossible


def proved_zero_factors(result: Scored) -> np.ndarray:
    """Whose peers reach their outputs without any of their inputs, so that an input-oriented factor
    is 0: bool (n,).
    """
    if result.orientation != "input":
        return np.zeros(len(result.scores), dtype=bool)
    lam, s, unit = result.intensities, result.data.outputs.shape[1], reference_maxima(result)
    reached, at = (
        lam.dot(stack_outputs_inputs(result.reference)) / unit,
        stack_outputs_inputs(result.data) / unit,
    )
    low, high = LAMBDA_SUM_BOUNDS[result.returns]
    total = lam.values.sum(axis=1)
    held = (total >= low - TOLERANCE) & (total <= high + TOLERANCE) & (lam.values >= 0).all(axis=1)
    return np.asarray(
        held
        & (reached[:, :s] >= at[:, :s] - TOLERANCE).all(axis=1)
        & (reached[:, s:] <= CLEAR).all(axis=1)
    )
