"""Cross-efficiency (Doyle, Green 1994): every DMU judged by the weights of all.

The score is the mean of a column of one matrix. The weights prove their DMU's own efficiency as any
multipliers do; the matrix and its means are recomputed from them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.models.ccr import CCR
from deabench.models.shared.scaled_data import (
    ScaledData,
    compile_program,
    metric_names,
    pareto_efficient,
    proof_violations,
)
from deabench.models.wei import WEI
from deabench.proofs import structure
from deabench.proofs.radial import radial_frame, slack_errors
from deabench.results.answer import Answer, Task
from deabench.results.model import Advance, Model, option
from deabench.results.proof import Proof
from deabench.solver.solve_all import solve_each


@dataclass(frozen=True, kw_only=True)
class Cross(Model):
    """Cross-efficiency: the mean efficiency under the best weights of every DMU."""

    name = "cross"
    title = "the mean efficiency under the best weights of all (cross-efficiency)"
    equation = "(cross-efficiency)"
    formulations = ("multiplier_output", "aggressive", "benevolent")

    returns: Literal["crs"] = "crs"
    orientation: Literal["output"] = "output"
    solves_rows_alone = False
    goal: Literal["aggressive", "benevolent"] = option(
        "aggressive",
        "Of equally good weights, those that are worst (aggressive) or best (benevolent) for the "
        "mean of the others.",
    )

    def solve(self, task: Task, advance: Advance) -> Answer:
        """Compute own efficiencies, the weights of each with its goal, and the matrix."""
        if not task.own_reference:
            raise DataError(
                "model 'cross' lets the classifiers of one table judge each other; leave the "
                "reference out"
            )
        # Own efficiencies first: the goal chooses among the weights that reach them.
        radial_model = CCR() if task.data.inputs.shape[1] else WEI()
        own_answer = radial_model.solve(replace(task, options=radial_model), lambda _: None)
        if len(task.data.labels) == 1:  # no other DMU judges it or is judged
            return _cross_answer(task, own_answer, own_answer.weights)
        weights = _weights_with_goal(task, own_answer, self.goal, advance)
        return _cross_answer(task, own_answer, weights)

    def prove(self, answer: Answer) -> Proof:
        """Prove that the weights are each DMU's best, and recompute the matrix and its means."""
        return _prove(answer)

    def meaning(self, score: float) -> str:
        """Say what the mean means."""
        return (
            "under the weights that suit each of the classifiers best it reaches "
            f"{100 * score:.1f} % of the best on average"
        )


def _weights_with_goal(task: Task, own_answer: Answer, goal: str, advance: Advance) -> pd.DataFrame:
    """Return the weights of every DMU: its own score is kept, and the goal decides the rest."""
    scaled = ScaledData.of(task)
    candidates = scaled.undominated()
    # The goal looks at the mean of the other DMUs.
    other_count = len(scaled.X) - 1
    mean_x = (scaled.X.sum(axis=0) - scaled.X) / other_count
    mean_y = (scaled.Y.sum(axis=0) - scaled.Y) / other_count
    own_scores = own_answer.scores.to_numpy()[:, None]
    program = compile_program(
        goal,
        scaled.m,
        scaled.s,
        over_inputs=("z_o", "X_sum"),
        over_outputs=("y_o", "Y_sum"),
    )
    solutions = solve_each(
        program,
        scaled.reference_table[candidates],
        np.column_stack([scaled.y, own_scores * scaled.x, mean_x, mean_y]),
        name=lambda k: str(task.data.labels[k]),
        advance=advance,
    )
    # Weights back in own units; without inputs over that of the input that all have.
    u = np.column_stack([solutions.values[f"u[{r}]"] for r in range(scaled.s)]) / scaled.unit_y
    v = np.column_stack([solutions.values[f"v[{i}]"] for i in range(scaled.m)]) / scaled.unit_x
    weights = np.column_stack([u, v]) if task.data.inputs.shape[1] else u / v
    return pd.DataFrame(
        np.maximum(weights, 0.0), index=task.data.labels, columns=metric_names(task.data)
    )


def _cross_answer(task: Task, own_answer: Answer, weights: pd.DataFrame) -> Answer:
    """Return own efficiencies with the means of the matrix as scores."""
    # Row k judges: the weights of DMU k, applied to every column.
    matrix = _judge_all(task, weights)
    undefined = int(matrix.isna().to_numpy().sum())
    notes = own_answer.data.notes
    if undefined:
        notes = (*notes, f"{undefined} of {matrix.size} judgements are 0/0 and leave the mean")
    return replace(
        own_answer,
        scores=matrix.mean(axis=0).rename("efficiency"),
        weights=weights,
        options=task.options,
        data=replace(own_answer.data, notes=notes),
        tables={"cross": matrix},
        slack_weights=None,
        path=f"{own_answer.path}, then {len(matrix)} solves for the goal",
    )


def _judge_all(task: Task | Answer, weights: pd.DataFrame) -> pd.DataFrame:
    """Return the efficiency of each column's DMU under the weights of each row's."""
    data = task.data
    weighted_outputs = weights[data.outputs.columns].to_numpy() @ data.outputs.to_numpy().T
    weighted_inputs = np.ones_like(weighted_outputs)
    if data.inputs.shape[1]:
        weighted_inputs = weights[data.inputs.columns].to_numpy() @ data.inputs.to_numpy().T
    with np.errstate(divide="ignore", invalid="ignore"):
        matrix = np.where(weighted_inputs > 0, weighted_outputs / weighted_inputs, np.nan)
    return pd.DataFrame(matrix, index=data.labels.rename("by"), columns=data.labels)


def _prove(answer: Answer) -> Proof:
    """Prove own efficiencies from the weights, and recompute the matrix and its means."""
    labels = answer.scores.index
    matrix = structure.require_table(answer, "cross", rows=labels, columns=labels).to_numpy()
    # The diagonal holds the own efficiencies, proved as any radial ones.
    own_answer = replace(answer, scores=pd.Series(np.diag(matrix), index=labels))
    frame = radial_frame(own_answer)
    recomputed = _judge_all(answer, answer.weights)
    is_undefined = np.isnan(matrix) & np.isnan(recomputed.to_numpy())
    matrix_errors = np.nan_to_num(np.abs(matrix - recomputed.to_numpy()), nan=np.inf)
    means = recomputed.mean(axis=0).to_numpy()
    at_least_efficient = pareto_efficient(own_answer.scores, own_answer.slacks, own_answer.data)
    return Proof(
        frame,
        {
            **proof_violations(frame),
            "distance_of_the_matrix_from_its_weights": np.where(
                is_undefined, 0.0, matrix_errors
            ).max(axis=1),
            "distance_of_the_score_from_its_proof": np.abs(answer.scores.to_numpy() - means),
            "distance_of_the_slacks_from_their_proof": slack_errors(own_answer),
            "efficient": (answer.efficient & ~at_least_efficient).to_numpy().astype(float),
        },
        (
            f"that no other best weights are more {answer.options.goal}",
            "that slacks are the largest, and that those not called efficient are not",
        ),
    )
