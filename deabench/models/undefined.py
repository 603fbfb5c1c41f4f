"""DMUs whose score is undefined before anything is solved: every output 0, where outputs are to
grow.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.proofs.reasons import NO_OUTPUT
from deabench.results.answer import Answer, Task
from deabench.results.model import Advance, Model
from deabench.tables.transforms import Data
from deabench.utils.arrays import Sparse


def solve(task: Task, advance: Advance) -> Answer:
    """The model's answer; a DMU without any output gets NaN with its reason, and the others stand.

    Such a DMU stays in the reference: what it lives on may matter there. A model that takes each
    DMU out of a reference that is its own table finds it there by its label."""
    record: Model = task.options
    zero = ~task.data.outputs.to_numpy().any(axis=1)
    shifts = (
        "negative outputs" in record.allows()
    )  # then a row of zeros is where the origin was put
    if not zero.any() or shifts or task.options.orientation != "output":
        return record.solve(
            replace(task, data=record.prepare(task.data), reference=record.prepare(task.reference)),
            advance,
        )
    if zero.all():
        raise DataError(
            f"every output of '{task.data.labels[0]}' is 0, as of all others; their efficiencies are undefined"
        )
    some = _rows(task.data, ~zero)
    answer = record.solve(
        Task(
            record.prepare(some),
            record.prepare(task.reference),
            task.options,
            own_reference=task.own_reference,
        ),
        advance,
    )
    return _widened(answer, record.prepare(task.data), zero, task.own_reference)


def _rows(data: Data, which: np.ndarray) -> Data:
    return Data(data.outputs[which], data.inputs[which], data.notes, data.transforms)


def _widened(answer: Answer, data: Data, zero: np.ndarray, own: bool) -> Answer:
    """The answer for all DMUs, NaN where it is undefined."""
    labels = data.labels
    columns = np.full(
        (len(labels), answer.intensities.columns.shape[1]),
        -1,
        dtype=answer.intensities.columns.dtype,
    )
    values = np.zeros(columns.shape)
    columns[~zero], values[~zero] = answer.intensities.columns, answer.intensities.values
    efficient = pd.Series(False, index=labels, name=answer.efficient.name)
    efficient.loc[~zero] = answer.efficient.to_numpy()
    proof = answer.slack_weights
    if proof is not None:
        of = np.full(len(labels), -1, dtype=proof.of.dtype)
        of[~zero] = proof.of
        proof = replace(proof, of=of)
    return replace(
        answer,
        slack_weights=proof,
        scores=answer.scores.reindex(labels),
        slacks=answer.slacks.reindex(labels),
        weights=answer.weights.reindex(labels),
        intensities=Sparse(columns, values),
        efficient=efficient,
        data=data,
        own_reference=own,
        reasons={**dict.fromkeys(labels[zero], NO_OUTPUT), **answer.reasons},
    )
