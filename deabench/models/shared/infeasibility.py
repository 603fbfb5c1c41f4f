"""DMUs that no mixture of the reference reaches: Farkas certificates, and their check.

A certificate is a row of weights u, v ≥ 0 of the metrics that may not change, under which no
possible production has as much u·y − v·x as the DMU.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from deabench.models.shared.scaled_data import ScaledData, compile_program, metric_names, support
from deabench.models.shared.second_stage import scale_dual_ray
from deabench.proofs.reasons import CLEAR
from deabench.results.answer import Answer, Task
from deabench.solver.engine import solve_exactly
from deabench.solver.family import Family
from deabench.utils.arrays import row_minima

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
            ray = scale_dual_ray(family, solution.duals[0], np.ones(len(point)))
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
    if frame is None or not len(frame):
        return proved
    rows = answer.scores.index.get_indexer(frame.index)
    # Weights of scaled metrics, the largest 1; the input that every DMU has weighs nothing.
    count = frame.shape[1]
    weights = np.zeros((len(frame), scaled.s + scaled.m))
    weights[:, :count] = frame.to_numpy() * scaled.units[:count]
    weights /= np.maximum(weights.max(axis=1, keepdims=True), 1e-300)
    is_sound = np.isfinite(weights).all(axis=1) & (row_minima(weights) >= 0)
    if may_change is not None:
        is_sound &= ~((weights != 0) & may_change[rows]).any(axis=1)
    u = weights[:, : scaled.s]
    v = weights[:, scaled.s :]
    value = (u * scaled.y[rows]).sum(axis=1) - (v * scaled.x[rows]).sum(axis=1)
    for position, k in enumerate(rows.tolist()):
        compared = scaled
        if left_out is not None:
            compared = replace(
                scaled,
                X=np.delete(scaled.X, left_out[k], axis=0),
                Y=np.delete(scaled.Y, left_out[k], axis=0),
            )
        # Nothing possible is worth as much as the DMU, by a clear margin.
        (largest,), (unbounded,) = support(compared, u[[position]], v[[position]])
        proved[k] = is_sound[position] and value[position] > largest + CLEAR and unbounded <= CLEAR
    return proved
