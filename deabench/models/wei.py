"""DEA without explicit inputs: models (4) and (5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.models import ccr, radial_stages, restricted
from deabench.models.radial import RestrictableModel, Wei
from deabench.results.answer import Answer, Task
from deabench.results.model import Advance
from deabench.results.proof import Proof
from deabench.tables.transforms import Data


def solve(task: Task, advance: Advance, name: str = "wei") -> Answer:
    """(5) for every DMU."""
    if getattr(task.options, "is_restricted", False):
        return restricted.solve(task, advance)
    return radial_stages.solve(Wei(task), name, advance)


def quotients(data: Data) -> Data:
    """The index data of model (5): every output over every input; the outputs themselves where
    there is no input.
    """
    inputs = data.inputs
    if not inputs.shape[1]:
        return data
    zero = inputs.to_numpy() == 0
    if zero.any():
        row, column = np.argwhere(zero)[0]
        raise DataError(
            f"input '{inputs.columns[column]}' of '{inputs.index[row]}' is 0; a quotient over it is infinite, "
            "leave the row out or use model 'ccr'"
        )
    pairs = {f"{o}/{i}": data.outputs[o] / inputs[i] for o in data.outputs for i in inputs}
    frame = pd.DataFrame(pairs, index=data.labels)
    return Data(
        frame,
        frame.iloc[:, :0],
        (*data.notes, "outputs are quotients: " + ", ".join(frame.columns)),
    )


@dataclass(frozen=True, kw_only=True)
class WEI(RestrictableModel):
    """DEA without explicit inputs; with inputs, on every output divided by every input."""

    name = "wei"
    title = "DEA without explicit inputs; with inputs, on all quotients output/input"
    equation = "(5)"

    returns: Literal["crs"] = "crs"
    orientation: Literal["output"] = "output"

    def prepare(self, data: Data) -> Data:
        return quotients(data)

    def solve(self, task: Task, advance: Advance) -> Answer:
        return solve(task, advance, self.name)

    def prove(self, answer: Answer) -> Proof:
        return ccr.prove(answer)


@dataclass(frozen=True, kw_only=True)
class Score(WEI):
    """The performance score (6), the dual of (5): the same efficiencies from the weights' side.

    In the cost form a basis has a row for each DMU and drifts to 1e-9; the row duals of (5) are the
    same weights to 1e-14. So (5) is solved.
    """

    name = "score"
    title = "performance score: the weights under which a DMU does best, the dual of 'wei'"
    equation = "(6), the dual of (5)"
