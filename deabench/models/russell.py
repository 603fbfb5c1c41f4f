"""The Russell measures (Färe, Lovell 1978): the mean of a factor for every input, or for every
output.

They are one slack program: `deabench_models.russell_input` is 1 minus, `russell_output` 1 plus the
additive model whose weights are 1 over the DMU's own values and their number. For both sides at
once see `deabench.models.russell_graph`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from deabench.errors import DataError
from deabench.models import russell_graph, weighted_slacks
from deabench.results.answer import Answer, Task
from deabench.results.model import Advance, Model, Technology
from deabench.results.proof import Proof
from deabench.tables.transforms import Data


def solve(task: Task, advance: Advance) -> Answer:
    """The mean factor of every DMU."""
    if task.options.orientation == "none":
        if task.options.technology == "fdh":
            raise DataError(
                "model 'russell' has technology 'fdh' for one side only; give an orientation, or leave technology out"
            )
        return russell_graph.solve(task, advance)
    answer = weighted_slacks.solve(task, _counts(task), advance, _read(task.options), "efficiency")
    return replace(
        answer,
        data=replace(answer.data, notes=(*answer.data.notes, *_said(task.data, task.options))),
    )


def prove(answer: Answer) -> Proof:
    """The factors that λ reaches, and those that the weights allow."""
    if answer.options.orientation == "none":
        return russell_graph.prove(answer)
    return weighted_slacks.prove(answer, _counts(answer), _read(answer.options))


def _read(options: Any) -> weighted_slacks.Read:
    return (
        (lambda total: 1.0 / (1.0 + total))
        if options.orientation == "output"
        else (lambda total: 1.0 - total)
    )


def _counts(task: Task | Answer) -> np.ndarray:
    """1 over a metric's own value and the number of metrics that are not 0; 0 on the other side."""
    s, m = task.data.outputs.shape[1], task.data.inputs.shape[1]
    outward = task.options.orientation == "output"
    values = (task.data.outputs if outward else task.data.inputs).to_numpy()
    own = (
        np.where(values > 0, 1.0 / np.where(values > 0, values, 1.0), 0.0)
        / np.maximum((values > 0).sum(axis=1), 1)[:, None]
    )
    none = np.zeros((len(values), m if outward else s))
    return np.column_stack([own, none] if outward else [none, own])


def _said(data: Data, options: Any) -> tuple[str, ...]:
    side = data.outputs if options.orientation == "output" else data.inputs
    return tuple(
        f"'{name}' is 0 for {int((side[name] == 0).sum())} of {len(side)} classifiers and leaves the mean of their factors"
        for name in side
        if (side[name] == 0).any()
    )


def meaning(score: float, options: Any) -> str:
    """What the mean says."""
    if options.orientation == "none":
        return russell_graph.meaning(score, options)
    if options.orientation == "input":
        return f"on average every input could shrink by {100 * (1 - score):.1f} %, each by its own share"
    return f"on average every output could grow by {100 * (1 / score - 1):.1f} %, each by its own share"


@dataclass(frozen=True, kw_only=True)
class Russell(Model):
    """The Russell measures: the mean of a factor for every output, or input, or both."""

    name = "russell"
    title = "the mean of a factor of its own for every output, or input, or both (Russell, graph)"
    equation = "(Russell)"

    returns: Literal["vrs", "crs", "nirs", "ndrs"] = "vrs"
    orientation: Literal["output", "input", "none"] = "output"
    technology: Technology = "convex"

    def solve(self, task: Task, advance: Advance) -> Answer:
        return solve(task, advance)

    def prove(self, answer: Answer) -> Proof:
        return prove(answer)

    def meaning(self, score: float) -> str:
        return meaning(score, self)
