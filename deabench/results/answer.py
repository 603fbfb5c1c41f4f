"""The task of a DEA model, and its answer for every tested DMU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from deabench.results.proof import SlackWeights
from deabench.tables.transforms import Data
from deabench.utils.arrays import Sparse

NOT_COMPUTED = "it was not computed: the time limit had passed"
"""The reason for no score of a DMU whose turn did not come."""


def count_solves(number: int) -> str:
    """Say how many linear programs were solved: "1 solve", "2 solves"."""
    return f"{number} solve" if number == 1 else f"{number} solves"


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
    exact : bool
        Whether its programs are to be solved in rational arithmetic.
    are_floats_exact : bool
        Whether slack that the last digit of a float could hide does not count: the floats are then
        taken for the numbers themselves, not for decimals that they round.
    """

    data: Data
    reference: Data
    options: Any
    own_reference: bool
    exact: bool = False
    are_floats_exact: bool = False

    def describe_path(self) -> str:
        """Say how the programs of the tested DMUs are solved."""
        solver = "in rational arithmetic" if self.exact else "by HiGHS"
        return f"{solver} ({count_solves(len(self.data.labels))})"


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


def order_reasons(reasons: Mapping[Any, str], labels: pd.Index) -> dict[Any, str]:
    """Return the reasons of some DMUs in the order of the table's rows."""
    if not reasons:
        return {}
    return {label: reasons[label] for label in labels if label in reasons}


def take_data_rows(data: Data, rows: np.ndarray) -> Data:
    """Return the DMUs at some positions."""
    return replace(data, outputs=data.outputs.take(rows), inputs=data.inputs.take(rows))


def take_task_rows(task: Task, rows: np.ndarray) -> Task:
    """Return the task of the tested DMUs at some positions."""
    return replace(task, data=take_data_rows(task.data, rows))


def take_rows(answer: Answer, rows: np.ndarray) -> Answer:
    """Return the answer of the DMUs at some positions."""
    scores = answer.scores.take(rows)
    certificates = answer.infeasibility_certificates
    if certificates is not None:
        # Certificates have rows for DMUs without a score only, so they are taken by label.
        certificates = certificates[certificates.index.isin(scores.index)]
    slack_weights = answer.slack_weights
    if slack_weights is not None:
        slack_weights = replace(slack_weights, of=slack_weights.of[rows])
    return replace(
        answer,
        scores=scores,
        slacks=answer.slacks.take(rows),
        weights=answer.weights.take(rows),
        intensities=answer.intensities[rows],
        efficient=answer.efficient.take(rows),
        data=take_data_rows(answer.data, rows),
        reasons={label: text for label, text in answer.reasons.items() if label in scores.index},
        tables={name: _take_table_rows(answer, name, rows) for name in answer.tables},
        slack_weights=slack_weights,
        infeasibility_certificates=certificates,
    )


def _take_table_rows(answer: Answer, name: str, rows: np.ndarray) -> pd.DataFrame:
    """Return a table with the rows of some DMUs, where it has a row for each."""
    table = answer.tables[name]
    has_all_rows = isinstance(table, pd.DataFrame) and table.index.equals(answer.scores.index)
    return table.iloc[rows] if has_all_rows else table


def join_answers(answers: Sequence[Answer]) -> Answer:
    """Return answers for different DMUs, against one reference, as one.

    Tables must have a row for each DMU.
    """
    first = answers[0]
    if len(answers) == 1:
        return first

    def join(field_name: str) -> Any:
        return pd.concat([getattr(answer, field_name) for answer in answers])

    # Intensities have as many slots as the DMU with most peers: pad all to one width, -1 is none.
    width = max(answer.intensities.columns.shape[1] for answer in answers)
    columns = [
        np.pad(lam.columns, ((0, 0), (0, width - lam.columns.shape[1])), constant_values=-1)
        for lam in (answer.intensities for answer in answers)
    ]
    values = [
        np.pad(lam.values, ((0, 0), (0, width - lam.values.shape[1])))
        for lam in (answer.intensities for answer in answers)
    ]
    certificates = [
        answer.infeasibility_certificates
        for answer in answers
        if answer.infeasibility_certificates is not None
    ]
    # Each note once, in the order in which they came.
    notes = dict.fromkeys(note for answer in answers for note in answer.data.notes)
    data = replace(
        first.data,
        outputs=pd.concat([answer.data.outputs for answer in answers]),
        inputs=pd.concat([answer.data.inputs for answer in answers]),
        notes=tuple(notes),
    )
    return replace(
        first,
        scores=join("scores"),
        slacks=join("slacks"),
        weights=join("weights"),
        intensities=Sparse(np.vstack(columns), np.vstack(values)),
        efficient=join("efficient"),
        data=data,
        frontier=np.unique(np.concatenate([answer.frontier for answer in answers])),
        reasons={label: text for answer in answers for label, text in answer.reasons.items()},
        path=", and ".join(dict.fromkeys(answer.path for answer in answers)),
        tables={
            name: pd.concat([answer.tables[name] for answer in answers]) for name in first.tables
        },
        slack_weights=_join_slack_weights([answer.slack_weights for answer in answers]),
        infeasibility_certificates=pd.concat(certificates) if certificates else None,
    )


def _join_slack_weights(slack_weights: Sequence[SlackWeights | None]) -> SlackWeights | None:
    """Return the weights of several answers as those of one; None where one has none."""
    present = [weights for weights in slack_weights if weights is not None]
    if len(present) < len(slack_weights):
        return None
    # Rows of later answers stand further down: their positions move by what comes before.
    starts = np.cumsum([0, *(len(weights.rows) for weights in present)])
    of = [
        np.where(weights.of >= 0, weights.of + start, weights.of)
        for weights, start in zip(present, starts.tolist(), strict=False)
    ]
    return SlackWeights(
        np.vstack([weights.rows for weights in present]), np.concatenate(of).astype(np.int32)
    )
