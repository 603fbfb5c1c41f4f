"""DEA without explicit inputs: models (4) and (5), and the performance score (6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.models.shared import restricted_weights
from deabench.models.shared.radial import solve_both_stages
from deabench.models.shared.radial_model import RestrictableModel
from deabench.models.shared.radial_problems import WEIProblem
from deabench.proofs.radial import prove_radial
from deabench.results.answer import Answer, Task
from deabench.results.model import Advance
from deabench.results.proof import Proof
from deabench.tables.transforms import QUOTIENTS, Data


@dataclass(frozen=True, kw_only=True)
class WEI(RestrictableModel):
    """DEA without explicit inputs; with inputs, on every output divided by every input.

    Examples
    --------
    >>> import deabench as db
    >>> table = db.datasets.load("chao2022-wine1")
    >>> model = db.models.WEI(ratios={("TPR", "TNR"): (0.5, 2)})
    >>> db.rank(table, outputs=["TPR", "TNR"], model=model).efficient.sum()
    np.int64(1)
    """

    name = "wei"
    title = "DEA without explicit inputs; with inputs, on all quotients output/input"
    equation = "(5)"
    formulations = ("wei",)

    returns: Literal["crs"] = "crs"
    orientation: Literal["output"] = "output"

    @property
    def proves_its_scores(self) -> bool:
        """Whether `solve` returns no score that the certificate refuses, in any order of rows."""
        return not self.is_restricted

    def prepare(self, data: Data) -> Data:
        """Return the quotients of outputs and inputs."""
        return divide_outputs_by_inputs(data)

    def solve(self, task: Task, advance: Advance) -> Answer:
        """Solve (5) for every DMU, with the restrictions if there are some."""
        if self.is_restricted:
            return restricted_weights.solve(task, advance)
        return solve_both_stages(WEIProblem(task), self.name, advance)

    def prove(self, answer: Answer) -> Proof:
        """Recompute every score from both sides, with the restrictions if there are some."""
        return restricted_weights.prove(answer) if self.is_restricted else prove_radial(answer)


@dataclass(frozen=True, kw_only=True)
class Score(WEI):
    """The performance score (6), the dual of (5): the same efficiencies from the weights' side.

    In the cost form a basis has a row for each DMU and drifts to 1e-9; the row duals of (5) are the
    same weights to 1e-14. So (5) is solved.
    """

    name = "score"
    title = "performance score: the weights under which a DMU does best, the dual of 'wei'"
    equation = "(6), the dual of (5)"
    formulations = ("score",)


def divide_outputs_by_inputs(data: Data) -> Data:
    """Return the index data of model (5): every output divided by every input.

    Without inputs they are the outputs themselves.

    Raises
    ------
    DataError
        If an input is 0.
    """
    inputs = data.inputs
    if not inputs.shape[1]:
        return data
    is_zero = inputs.to_numpy() == 0
    if is_zero.any():
        row, column = np.argwhere(is_zero)[0]
        raise DataError(
            f"input '{inputs.columns[column]}' of '{inputs.index[row]}' is 0; a quotient over it "
            "is infinite, leave the row out or use model 'ccr'"
        )
    # s outputs and m inputs give s·m quotients, each to be high.
    quotients = {
        f"{output}/{cost}": y / x
        for output, y in zip(data.outputs, data.outputs.to_numpy().T, strict=True)
        for cost, x in zip(inputs, inputs.to_numpy().T, strict=True)
    }
    frame = pd.DataFrame(quotients, index=data.labels)
    note = QUOTIENTS + ", ".join(frame.columns)
    return Data(frame, frame.iloc[:, :0], (*data.notes, note))
