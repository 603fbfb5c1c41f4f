"""DMUs that no mixture of the reference reaches: Farkas certificates, and their check.

A certificate is a row of weights u, v ≥ 0 of the metrics that may not change, under which no
possible production has as much u·y − v·x as the DMU.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from deabench.models.shared.scaled_data import (
    ScaledData,
    compile_program,
    lambda_sum_bounds,
    metric_names,
)
from deabench.models.shared.second_stage import scale_dual_ray
from deabench.proofs.bounds import excess_of_weights
from deabench.proofs.exact_repair import Technology, exact_excess
from deabench.results.answer import Answer, Task
from deabench.solver.exact_programs import solve_exactly
from deabench.solver.family import Family
from deabench.utils.arrays import row_minima
from deabench.utils.rational import to_fractions

FAR = 2.0**100
"""Where a metric that may change by any amount is put: it then holds nothing back."""


def farkas_certificates(
    task: Task,
    scaled: ScaledData,
    candidates: np.ndarray,
    rows: np.ndarray,
    *,
    may_change: np.ndarray | None = None,
    left_out: np.ndarray | None = None,
) -> pd.DataFrame | None:
    """Return the certificates of the DMUs at some positions, in rational arithmetic.

    Parameters
    ----------
    candidates : int array
        Reference DMUs that dominate all others.
    rows : int array
        The DMUs without a score.
    may_change : bool array (n, s + m), optional
        Which of a DMU's metrics may change, outputs first.
    left_out : int array (n,), optional
        The reference DMU that each is not compared with.

    Returns
    -------
    DataFrame, metrics as columns, or None
        One row for each DMU that is infeasible; None where there is none.
    """
    if not len(rows):
        return None
    s = scaled.s
    names = metric_names(task.data)
    form = compile_program("slacks", scaled.m, s, returns=scaled.returns)
    certificates = {}
    for k in rows.tolist():
        peers = candidates if left_out is None else candidates[candidates != left_out[k]]
        point = np.column_stack([scaled.y, scaled.x])[k]
        is_free = np.zeros(len(point), dtype=bool) if may_change is None else may_change[k]
        far_away = np.append(np.full(s, -FAR), np.full(len(point) - s, FAR))
        point = np.where(is_free, far_away, point)
        family = Family(form, scaled.reference_table[peers])
        solution = solve_exactly(family, np.append(point[s:], point[:s]), str(task.data.labels[k]))
        if solution.infeasible:
            # The dual ray of the infeasible program; what may change weighs nothing.
            ray = scale_dual_ray(family, solution.duals[0], np.ones(len(point)), point)
            certificates[k] = np.where(is_free, 0.0, ray[0])
    if not certificates:
        return None
    weights = np.array(list(certificates.values())) / scaled.units
    labels = task.data.labels[list(certificates)]
    return pd.DataFrame(weights[:, : len(names)], index=labels, columns=names)


def concat_certificates(*frames: pd.DataFrame | None) -> pd.DataFrame | None:
    """Return the rows of all frames of certificates; None where there is none."""
    present = [frame for frame in frames if frame is not None]
    return pd.concat(present) if present else None


def proved_infeasible(
    answer: Answer,
    scaled: ScaledData,
    *,
    may_change: np.ndarray | None = None,
    left_out: np.ndarray | None = None,
) -> np.ndarray:
    """Return for which DMUs the answer's certificates hold: bool (n,).

    The parameters are those of `farkas_certificates`.
    """
    proved = np.zeros(len(answer.scores), dtype=bool)
    frame = answer.infeasibility_certificates
    if frame is None:
        return proved
    rows = answer.scores.index.get_indexer(frame.index)
    # Weights of scaled metrics, the largest 1; the input that every DMU has weighs nothing.
    count = frame.shape[1]
    weights = np.zeros((len(frame), scaled.s + scaled.m))
    weights[:, :count] = frame.to_numpy() * scaled.units[:count]
    with np.errstate(invalid="ignore"):
        weights /= np.maximum(weights.max(axis=1, keepdims=True), 1e-300)
    is_sound = row_minima(weights) >= 0  # what is infinite is NaN now
    if may_change is not None:
        is_sound &= ~((weights != 0) & may_change[rows]).any(axis=1)
    weights = np.where(is_sound[:, None], weights, 0.0)
    points = np.column_stack([scaled.Y, -scaled.X])
    tested = np.column_stack([scaled.y, -scaled.x])[rows]
    technology = Technology(points, scaled.m, lambda_sum_bounds(scaled.returns))
    if left_out is not None:
        left_out = left_out[rows]
    if len(points) == int(left_out is not None):  # without the others nothing but 0 is possible
        is_beyond = (technology.sums[0] > 0) | ((weights * tested).sum(axis=1) > 0)
    else:
        is_beyond = _is_beyond(technology, tested, weights, left_out)
    proved[rows] = is_beyond
    return proved


def _is_beyond(
    technology: Technology,
    tested: np.ndarray,
    weights: np.ndarray,
    left_out: np.ndarray | None,
) -> np.ndarray:
    """Return which points (K, c) are worth more than all that is possible, bool (K,).

    Bounds of all rounding decide it, and fractions where these leave it open.
    """
    with np.errstate(all="ignore"):
        excess, error, _ = excess_of_weights(technology, tested, weights, left_out)
    is_beyond = excess + error < 0
    for k in np.flatnonzero(~is_beyond).tolist():
        compared = technology
        if left_out is not None:
            listed = np.delete(np.arange(len(technology.points)), left_out[k])
            compared = replace(technology, listed=listed)
        outcome = exact_excess(compared, tested[k], to_fractions(weights[k]))
        is_beyond[k] = outcome is not None and outcome[0] < 0
    return np.asarray(is_beyond)
