"""DEA without explicit inputs: models (4) and (5)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.models import ccr, radial_stages, restricted, weight_restrictions
from deabench.models.base import Advance, Answer, Model, Task, radial_allows, radial_meaning
from deabench.models.radial import Wei
from deabench.tables.transforms import Data


def solve(task: Task, advance: Advance) -> Answer:
    """(5) for every DMU."""
    if restricted.asked(task):
        return restricted.solve(task, advance)
    return radial_stages.solve(Wei(task), "wei", advance)


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


MODEL = Model(
    name="wei",
    title="DEA without explicit inputs; with inputs, on all quotients output/input",
    equation="(5)",
    options={"returns": ("crs",), "orientation": ("output",)},
    prepare=quotients,
    solve=solve,
    prove=ccr.prove,
    meaning=radial_meaning,
    allows=radial_allows,
    readers={"shares": weight_restrictions.read_shares, "ratios": weight_restrictions.read_ratios},
)
