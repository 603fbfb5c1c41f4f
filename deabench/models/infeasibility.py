"""DMUs that no mix of the reference comes to: weights that prove it (Farkas), and their check.

Weights u, v ≥ 0 of the metrics that may not change, under which no possible production has as much
u·y − v·x as the DMU."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from deabench.models.scaled_data import Scaled, metrics, support
from deabench.models.second_stage import slack_form
from deabench.models.unique_peers import ray
from deabench.proofs.reasons import CLEAR
from deabench.results.answer import Answer, Task
from deabench.utils.arrays import least

FAR = 2.0**100
"""A metric that may change by any amount is put so far off that it holds nothing back."""


def rays(
    task: Task,
    given: Scaled,
    kept: np.ndarray,
    who: np.ndarray,
    *,
    changes: np.ndarray | None = None,
    without: np.ndarray | None = None,
) -> pd.DataFrame | None:
    """The weights that prove it for the DMUs `who`, one row each, in rational arithmetic; without a
    row where there are none.

    Parameters
    ----------
    kept : int array
        Reference DMUs that dominate all others.
    changes : bool array (n, s + m), optional
        Which of a DMU's metrics may change, outputs first.
    without : int array (n,), optional
        The reference DMU that each is not held against.
    """
    from deabench.solver.engine import solve_exactly
    from deabench.solver.family import Family

    s, names, found = given.Y.shape[1], metrics(task.data), {}
    form = slack_form(given.X.shape[1], s, given.returns)
    for k in who.tolist():
        rows = kept if without is None else kept[kept != without[k]]
        at = np.column_stack([given.y, given.x])[k]
        free = np.zeros(len(at), dtype=bool) if changes is None else changes[k]
        at = np.where(free, np.append(np.full(s, -FAR), np.full(len(at) - s, FAR)), at)
        family = Family(form, np.column_stack([given.X, given.Y])[rows])
        solution = solve_exactly(family, np.append(at[s:], at[:s]), str(task.data.labels[k]))
        if solution.infeasible:
            found[k] = np.where(free, 0.0, ray(family, solution.duals[0], np.ones(len(at)))[0])
    if not found:
        return None
    weights = np.array(list(found.values())) / np.append(given.unit_y, given.unit_x)
    return pd.DataFrame(
        weights[:, : len(names)], index=task.data.labels[list(found)], columns=names
    )


def together(one: pd.DataFrame | None, other: pd.DataFrame | None) -> pd.DataFrame | None:
    """The rays of both."""
    given = [rays for rays in (one, other) if rays is not None]
    return pd.concat(given) if given else None


def proved(
    answer: Answer,
    given: Scaled,
    *,
    changes: np.ndarray | None = None,
    without: np.ndarray | None = None,
) -> np.ndarray:
    """For whom the answer's rays prove it: bool (n,); the parameters are those of `rays`."""
    n, s, frame = len(answer.scores), given.Y.shape[1], answer.infeasibility_certificates
    out = np.zeros(n, dtype=bool)
    if frame is None or not len(frame):
        return out
    who = answer.scores.index.get_indexer(frame.index)
    weights = frame.to_numpy() * np.append(given.unit_y, given.unit_x)[: frame.shape[1]]
    weights = np.column_stack(
        [weights, np.zeros((len(frame), s + given.X.shape[1] - frame.shape[1]))]
    )
    weights /= np.maximum(weights.max(axis=1, keepdims=True), 1e-300)
    sound = np.isfinite(weights).all(axis=1) & (least(weights) >= 0)
    if changes is not None:
        sound &= ~((weights != 0) & changes[who]).any(axis=1)
    u, v = weights[:, :s], weights[:, s:]
    worth = (u * given.y[who]).sum(axis=1) - (v * given.x[who]).sum(axis=1)
    for row, k in enumerate(who.tolist()):
        others = (
            given
            if without is None
            else replace(
                given,
                X=np.delete(given.X, without[k], axis=0),
                Y=np.delete(given.Y, without[k], axis=0),
            )
        )
        (most,), (endless,) = support(others, u[[row]], v[[row]])
        out[k] = sound[row] and worth[row] > most + CLEAR and endless <= CLEAR
    return out
