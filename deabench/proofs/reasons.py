"""Prove that a DMU without a score has none, for the reason that the result gives.

A radial factor: with weights u, v ≥ 0 that give at most u₀ to any combination of the reference, an
output-oriented factor φ needs φ u·y ≤ u₀ + v·x, which leaves none above 0 where the right side is 0
or below; input-oriented, u·y ≤ u₀ + θ v·x holds for no θ where v·x = 0 and u·y > u₀.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from deabench.proofs.exact_repair import Technology, exact_excess
from deabench.proofs.ranking import (
    LAMBDA_SUM_BOUNDS,
    reference_maxima,
    stack_outputs_inputs,
    weighted_maxima,
)
from deabench.results.proof import Scored
from deabench.utils.arrays import TOLERANCE
from deabench.utils.rational import inner_product, to_fractions

CLEAR = 1e-12
"""A difference above this is no rounding, of weights and metrics of at most about 1."""
NO_OUTPUT = "every output of it is 0, and no factor makes more of nothing"
NO_METRIC = "its factor is 0: no reference DMU has any of one of its metrics"
NO_INPUT_NEEDED = "its factor is 0: the reference reaches its outputs without any of its inputs"
NO_MIX = (
    "its factor is 0: no mix of the reference that its inputs allow has any of one of its outputs"
)
INFEASIBLE = "nfeasible"
"""Part of the reasons that a solver gave."""
UNPROVED = "is not proved to"
"""Part of the reason of a score that was computed and not proved."""


def reason_violations(result: Scored, proved: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return 1 where a score and a reason for none do not go together, or the reason does not hold.

    Parameters
    ----------
    proved : mapping of a part of a reason to bool array (n,)
        For whom the reasons with these words hold.

    Returns
    -------
    array (n,)
    """
    has_no_score = np.isnan(result.scores.to_numpy())
    has_reason = np.asarray(result.scores.index.isin(list(result.reasons)))
    violations = (has_no_score != has_reason).astype(float)
    has_no_output = ~result.data.outputs.to_numpy().any(axis=1)
    proved = {NO_OUTPUT: has_no_output & (result.orientation == "output"), **proved}
    for k in np.flatnonzero(has_no_score & has_reason).tolist():
        reason = result.reasons[result.scores.index[k]]
        is_proved = any(text in reason and bool(holds[k]) for text, holds in proved.items())
        # That a score is not proved claims nothing that could be wrong.
        violations[k] = float(UNPROVED not in reason and not is_proved)
    # Reasons for labels that the table does not have count for the first DMU with a score.
    unknown = len(set(result.reasons) - set(result.scores.index))
    violations[np.flatnonzero(~has_no_score)[:1]] += unknown
    return np.asarray(violations)


def radial_reason_violations(result: Scored) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return `reason_violations` of a radial model, and in words whose reasons are not proved."""
    if not result.reasons and not np.isnan(result.scores.to_numpy()).any():
        return np.zeros(len(result.scores)), ()
    y = result.data.outputs.to_numpy()
    is_zero_metric = result.reference.outputs.to_numpy().max(axis=0, initial=0.0) <= 0
    # Each reason holds only where its cause is proved.
    zero, impossible = proved_extreme_factors(result)
    unproved = np.array(
        [UNPROVED in result.reasons.get(label, "") for label in result.scores.index]
    )
    violations = reason_violations(
        result,
        {
            NO_METRIC: ((y > 0) & is_zero_metric).any(axis=1),
            NO_INPUT_NEEDED: proved_zero_factors(result),
            NO_MIX: zero,
            INFEASIBLE: impossible,
        },
    )
    if not unproved.any():
        return violations, ()
    count = int(unproved.sum())
    return violations, (f"that {count} DMUs have no score: theirs was found and not proved",)


def proved_extreme_factors(
    result: Scored, left_out: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return for whom the certificates prove a factor of 0, and for whom that there is none.

    A factor of 0 is output-oriented; bool (n,) each. `left_out` (n,) are the reference DMUs that
    each is not compared with.
    """
    n = len(result.scores)
    certificates = result.infeasibility_certificates
    zero = np.zeros(n, dtype=bool)
    impossible = np.zeros(n, dtype=bool)
    if certificates is None:
        return zero, impossible
    rows = result.scores.index.get_indexer(certificates.index)
    s = result.data.outputs.shape[1]
    unit = reference_maxima(result)
    certificates = certificates[rows >= 0]
    rows = rows[rows >= 0]
    # In metrics divided by their maxima: u·y, v·x and the most that u, v give to a combination.
    weights = certificates.to_numpy() * unit
    is_valid = np.isfinite(weights).all(axis=1) & (weights >= 0).all(axis=1)
    metrics = stack_outputs_inputs(result.data, rows) / unit
    if left_out is not None:
        left_out = left_out[rows]
    best_value = weighted_maxima(result, weights, left_out)
    gained = (weights[:, :s] * metrics[:, :s]).sum(axis=1)
    spent = (weights[:, s:] * metrics[:, s:]).sum(axis=1)
    if result.orientation == "output":
        # φ u·y ≤ u₀ + v·x: a right side below 0 excludes every φ ≥ 0, one of 0 every φ > 0.
        impossible[rows] = is_valid & (best_value + spent < -CLEAR)
        zero[rows] = is_valid & (gained > CLEAR) & (best_value + spent <= TOLERANCE * gained)
        decided = zero
    else:
        # u·y > u₀ cannot be made up by θ v·x where v·x is 0.
        impossible[rows] = is_valid & (gained > best_value + CLEAR) & (spent <= CLEAR)
        decided = impossible
    if left_out is not None:
        return zero, impossible
    if result.orientation == "output":
        # What is out of reach by less than rounding is so in fractions, too.
        labels = result.scores.index[rows]
        is_called_so = [INFEASIBLE in result.reasons.get(label, "") for label in labels]
        is_close = is_valid & np.array(is_called_so, dtype=bool) & ~impossible[rows]
        is_close &= best_value + spent <= CLEAR
        for k, row in zip(rows[is_close], certificates.to_numpy()[is_close], strict=True):
            bounds = _exact_bounds(result, k, row)
            impossible[k] = bounds is not None and bounds[0] + bounds[2] < 0
    # All that a small DMU has may be less than rounding: fractions decide there.
    is_open = is_valid & (gained > 0) & (spent == 0) & ~decided[rows]
    for k, row in zip(rows[is_open], certificates.to_numpy()[is_open], strict=True):
        decided[k] = _excludes_exactly(result, k, row)
    return zero, impossible


def _excludes_exactly(result: Scored, k: int, weights: np.ndarray) -> bool:
    """Return whether weights, under which DMU k spends nothing, exclude factors, in fractions.

    All factors above 0 if output-oriented, and all of them if input-oriented.
    """
    bounds = _exact_bounds(result, k, weights)
    if bounds is None:
        return False
    limit, gained, _ = bounds
    return limit <= 0 if result.orientation == "output" else limit < gained


def _exact_bounds(
    result: Scored, k: int, weights: np.ndarray
) -> tuple[Fraction, Fraction, Fraction] | None:
    """Return u₀, and the u·y and v·x of DMU k, in fractions; None where there is no u₀."""
    reference = result.reference
    points = np.column_stack([reference.outputs, -reference.inputs.to_numpy()])
    outputs = result.data.outputs.to_numpy()[k]
    tested = np.append(outputs, -result.data.inputs.to_numpy()[k])
    sums = LAMBDA_SUM_BOUNDS[result.returns]
    technology = Technology(points, reference.inputs.shape[1], sums)
    outcome = exact_excess(technology, tested, to_fractions(weights))
    if outcome is None:
        return None
    # The inputs' weights may have been raised for it.
    excess, exact = outcome
    gained = inner_product(exact[: len(outputs)], to_fractions(outputs))
    spent = -inner_product(exact[len(outputs) :], to_fractions(tested[len(outputs) :]))
    # The excess is u₀ - u·y + v·x.
    return excess + gained - spent, gained, spent


def proved_zero_factors(result: Scored) -> np.ndarray:
    """Return whose peers reach their outputs without any of their inputs: bool (n,).

    An input-oriented factor is then 0.
    """
    if result.orientation != "input":
        return np.zeros(len(result.scores), dtype=bool)
    lam = result.intensities
    s = result.data.outputs.shape[1]
    unit = reference_maxima(result)
    reached = lam.dot(stack_outputs_inputs(result.reference)) / unit
    metrics = stack_outputs_inputs(result.data) / unit
    lower, upper = LAMBDA_SUM_BOUNDS[result.returns]
    sums = lam.values.sum(axis=1)
    is_allowed = (sums >= lower - TOLERANCE) & (sums <= upper + TOLERANCE)
    is_allowed &= (lam.values >= 0).all(axis=1)
    return np.asarray(
        is_allowed
        & (reached[:, :s] >= metrics[:, :s] - TOLERANCE).all(axis=1)
        & (reached[:, s:] <= CLEAR).all(axis=1)
    )
