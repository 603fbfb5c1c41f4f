"""The task of a DEA model, and its answer for every tested DMU."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import pandas as pd

from deabench.results.proof import SlackWeights
from deabench.tables.transforms import Data
from deabench.utils.arrays import Sparse


class ModelOptions(Protocol):
    """What tasks and answers know of a model; see `deabench.results.model.Model`."""

    @property
    def returns(self) -> str: ...
    @property
    def orientation(self) -> str: ...
    @property
    def scale_assumption(self) -> str: ...


@dataclass(frozen=True)
class Task:
    """The task of a model: validated data, the reference, and the model with its options.

    Attributes
    ----------
    data, reference : Data
        Tested DMUs, and those that span the frontier.
    options : Model
        The model with its options, checked against the data.
    own_reference : bool
        Whether the tested DMUs are the reference: DMU k is then reference DMU k.
    """

    data: Data
    reference: Data
    options: Any
    own_reference: bool


@dataclass(frozen=True, eq=False, repr=False)
class Answer:
    """What a model finds for every tested DMU, and what proves it.

    Attributes
    ----------
    scores : Series (n,)
        As the model measures; raw, never rounded. NaN where undefined, with the reason in
        `reasons`.
    slacks : DataFrame, n x metrics
        What can be gained in each metric beyond what the score says, in the metric's own unit.
    weights : DataFrame, n x metrics
        Multipliers that prove the scores, with returns to scale also `u_0`; without columns where
        the model has none.
    intensities : Sparse (n, reference DMUs)
        λ, compactly.
    efficient : Series of bool (n,)
        Pareto-efficient in the reference.
    data, reference : Data
        What was scored and what spans the frontier (quotients, where inputs made them).
    options : Model
        The model with its options, as `deabench.models.SBM(orientation="input")`.
    own_reference : bool
        Whether the tested DMUs are the reference.
    frontier : int array
        Positions of the reference DMUs that were compared with; each of the others is dominated by
        one of these.
    reasons : dict of label to str
        Why a DMU has no score.
    path : str
        How the scores were computed.
    tables : dict of str to DataFrame
        What the model finds beyond one score for each DMU, by its name, as the matrix of a
        cross-efficiency.
    slack_weights : SlackWeights or None
        What proves that slacks are the largest and which DMUs are efficient; None where the model
        proves these in another way.
    infeasibility_certificates : DataFrame or None, metrics as columns
        Weights >= 0 under which no mixture of the reference reaches a DMU (Farkas): they prove
        that it has no score. One row for each DMU that needs one.
    """

    scores: pd.Series
    slacks: pd.DataFrame
    weights: pd.DataFrame
    intensities: Sparse
    efficient: pd.Series
    data: Data
    reference: Data
    options: Any
    own_reference: bool
    frontier: np.ndarray
    reasons: dict[Any, str]
    path: str
    tables: dict[str, pd.DataFrame] = field(default_factory=dict, kw_only=True)
    slack_weights: SlackWeights | None = field(default=None, kw_only=True)
    infeasibility_certificates: pd.DataFrame | None = field(default=None, kw_only=True)

    @property
    def returns(self) -> str:
        """The returns to scale; "vrs" without inputs, where every DMU has the same one."""
        if not self.data.inputs.shape[1]:
            return "vrs"
        return str(self.options.scale_assumption)

    @property
    def orientation(self) -> str:
        """What may change: outputs, inputs, or both ("none")."""
        return str(self.options.orientation)


def take_rows(answer: Answer, rows: np.ndarray) -> Answer:
    """Return the answer of the DMUs at some positions."""
    data = Data(answer.data.outputs.iloc[rows], answer.data.inputs.iloc[rows], answer.data.notes)
    return replace(
        answer,
        scores=answer.scores.iloc[rows],
        slacks=answer.slacks.iloc[rows],
        weights=answer.weights.iloc[rows],
        intensities=answer.intensities[rows],
        efficient=answer.efficient.iloc[rows],
        data=data,
    )
