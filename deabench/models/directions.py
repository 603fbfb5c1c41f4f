"""Where a directional distance leads: a word or a step for each metric, and how far a step of 1
goes for every DMU.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from deabench.errors import DataError
from deabench.models.options import read_metric_numbers
from deabench.models.scaled_data import Scaled
from deabench.results.answer import Answer, Task
from deabench.tables.transforms import Data


def read(given: object, data: Data) -> str | Mapping[str, float]:
    """A word, or how far a step of 1 goes in each metric."""
    return given if isinstance(given, str) else read_metric_numbers("direction", given, data)


def ways(task: Task | Answer, given: Scaled) -> tuple[np.ndarray, tuple[str, ...]]:
    """How far a step of 1 goes in each scaled metric, (K, s + m), outputs first, inputs downwards;
    and what is to be said.
    """
    s, inputs, how = given.Y.shape[1], task.data.inputs.shape[1], task.options.direction
    values, spanning = np.column_stack([given.y, given.x]), np.column_stack([given.Y, given.X])
    unit = np.append(given.unit_y, given.unit_x)
    notes: tuple[str, ...] = ()
    best = np.append(given.Y.max(axis=0), given.X.min(axis=0))
    spread = np.ptp(spanning, axis=0)
    one = {"ones": 1.0 / unit, "mean": spanning.mean(axis=0), "range": spread}
    if how == "own":
        way = values.copy()
    elif how == "ideal":
        way = np.maximum((best - values) * np.append(np.ones(s), -np.ones(given.X.shape[1])), 0.0)
    else:
        far = (
            one[how]
            if isinstance(how, str)
            else np.array(list(how.values()) + [0.0] * (not inputs)) / unit
        )
        way = np.tile(far, (len(values), 1))
    if not inputs:
        way[:, s:] = 0.0
    if task.options.orientation != "none":
        way[:, :s] *= task.options.orientation == "output"
        way[:, s:] *= task.options.orientation == "input"
    none = ~way.any(axis=1)
    if none.any() and how != "ideal":
        raise DataError(
            f"the direction of '{task.data.labels[np.argmax(none)]}' is 0 in every metric that is to change; "
            "give one that is above 0 in one of them"
        )
    if none.any():  # at the best value of every metric: no way leads further, whatever it is
        way[none, :s] = 1.0
        if task.options.orientation == "input":
            way[none] = np.append(np.zeros(s), np.ones(given.X.shape[1]))
        notes = (
            f"'{task.data.labels[np.argmax(none)]}' has the best value of every metric that is to change: its direction is "
            "the same step in each",
        )
    return way, notes
