"""Decide in rational arithmetic who is Pareto-efficient, by slack in shares of own values.

A DMU is efficient where no mixture of the reference has more than a rounding error of slack, each
in a share of the DMU's own value of the metric. The largest sum of these shares is the additive
model with weights 1 / own value; its multipliers prove it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from deabench.models.shared.scaled_data import (
    ScaledData,
    solved_multipliers,
    to_reference_positions,
)
from deabench.models.shared.slack_programs import solve_proved_programs
from deabench.results.answer import Task, take_task_rows
from deabench.utils.arrays import Sparse


@dataclass(frozen=True, eq=False)
class OwnSlack:
    """The largest sums of slack of some DMUs, in shares of their own values.

    Attributes
    ----------
    total : array (K,)
    weights : array (K, s + m)
        Multipliers that prove it, in the metrics' own units, outputs first.
    intensities : Sparse (K, n)
        λ that reaches it.
    """

    total: np.ndarray
    weights: np.ndarray
    intensities: Sparse


def find_own_slack(
    task: Task, candidates: np.ndarray, rows: np.ndarray, *, exact: bool = True
) -> OwnSlack:
    """Find the largest sum of slack of the DMUs at some positions, in rational arithmetic.

    Parameters
    ----------
    candidates : int array
        Reference DMUs that dominate all others.
    exact : bool
        False: in floating point where that proves the sum.
    """
    own_task = replace(take_task_rows(task, rows), exact=exact)
    scaled = ScaledData.of(own_task)
    count = task.data.outputs.shape[1] + task.data.inputs.shape[1]
    values = np.abs(np.column_stack([scaled.y, scaled.x]))
    # A metric of 0 has no share: its unit is that of the metric.
    shares = 1.0 / np.where(values > 0, values, 1.0)
    shares[:, count:] = 0.0  # the input that every DMU has
    solutions = solve_proved_programs(own_task, scaled, candidates, np.arange(len(rows)), shares)
    multipliers = np.column_stack(solved_multipliers(scaled, solutions, sign=-1.0))
    lam = to_reference_positions(solutions.shared["lam"], candidates)
    return OwnSlack(solutions.objective, (multipliers / scaled.units)[:, :count], lam)
