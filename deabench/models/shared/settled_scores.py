"""Efficiencies that floating point keeps from 1, set to it.

What is proved of slacks at a projection is proved for the score that is returned: on a steep facet
the last digits of a score decide what slack there is.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from deabench.results.answer import Answer
from deabench.utils.arrays import TOLERANCE, settle


def settle_efficiencies(answer: Answer) -> np.ndarray:
    """Return the scores, (K,), without what floating point leaves of a score of 1."""
    scores = answer.scores.to_numpy()
    return np.where(_moves_slacks(answer, scores), scores, settle(scores, 1.0))


def with_settled_efficiencies(answer: Answer) -> Answer:
    """Return the answer with its scores settled; itself where there is nothing to settle."""
    scores = settle_efficiencies(answer)
    if np.array_equal(scores, answer.scores, equal_nan=True):
        return answer
    return replace(answer, scores=pd.Series(scores, answer.scores.index, name=answer.scores.name))


def _moves_slacks(answer: Answer, scores: np.ndarray) -> np.ndarray:
    """Return which scores stay as they are, for their slacks not to miss the projection.

    A score that is set to 1 moves the projection, and slacks count in units of the reference, of
    which a DMU beside a separate one may have many: bool (K,).
    """
    steps = answer.options.largest_steps(answer)
    if steps is not None:
        return np.asarray(np.abs(scores - 1) * steps > TOLERANCE / 2)
    if answer.slack_weights is None or answer.own_reference:
        return np.zeros(len(scores), dtype=bool)
    metrics, reference = answer.data.inputs, answer.reference.inputs
    if answer.orientation == "output":
        metrics, reference = answer.data.outputs, answer.reference.outputs
    unit = reference.to_numpy().max(axis=0)
    units_of_own = (metrics.to_numpy() / np.where(unit > 0, unit, 1.0)).max(axis=1)
    return np.asarray(np.abs(scores - 1) * units_of_own > TOLERANCE / 2)
