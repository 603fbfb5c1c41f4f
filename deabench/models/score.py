"""The performance score (6): the dual of (5), the same efficiencies from the weights' side.

In the cost form a basis has a row per DMU and drifts to 1e-9; the row duals of (5) are the same
weights to 1e-14. So (5) is solved."""

from __future__ import annotations

from dataclasses import replace

from deabench.models import radial_stages, restricted, wei
from deabench.models.base import Advance, Answer, Task
from deabench.models.radial import Wei


def solve(task: Task, advance: Advance) -> Answer:
    """(6) for every DMU, as the dual of (5)."""
    if restricted.asked(task):
        return restricted.solve(task, advance)
    return radial_stages.solve(Wei(task), "score", advance)


MODEL = replace(
    wei.MODEL,
    name="score",
    title="performance score: the weights under which a DMU does best, the dual of 'wei'",
    equation="(6), the dual of (5)",
    solve=solve,
)
