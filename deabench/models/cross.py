"""Cross-efficiency (Doyle, Green 1994): every DMU judged by the weights of all, the mean of a
column of one matrix.

The weights prove their DMU's own efficiency as any multipliers do; the matrix and its means are
recomputed from them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.geometry.dominance import undominated_rows
from deabench.models import ccr, wei
from deabench.models.scaled_data import Scaled, pareto_efficient
from deabench.proofs import structure
from deabench.proofs.radial import radial_frame, slack_errors
from deabench.results.answer import Answer, Task
from deabench.results.model import Advance, Model, option
from deabench.results.proof import Proof
from deabench.solver.solve_all import solve_each
from deabench.solver.template import Template, compile_template


def solve(task: Task, advance: Advance) -> Answer:
    """Own efficiencies, then the weights of each with its goal, and what they make of the others."""
    if not task.own_reference:
        raise DataError(
            "model 'cross' lets the classifiers of one table judge each other; leave the reference out"
        )
    inputs = task.data.inputs.shape[1] > 0
    base = ccr.CCR() if inputs else wei.WEI()
    own = base.solve(replace(task, options=base), lambda _: None)
    given, e = Scaled.of(task), own.scores.to_numpy()[:, None]
    if len(given.X) == 1:  # nobody to judge it, or to be judged
        return _answer(task, own, own.weights)
    kept = undominated_rows(np.column_stack([given.Y, -given.X]))
    mean_x, mean_y = ((side.sum(axis=0) - side) / (len(side) - 1) for side in (given.X, given.Y))
    solved = solve_each(
        _form(task.options.goal, given.X.shape[1], given.Y.shape[1]),
        np.column_stack([given.X, given.Y])[kept],
        np.column_stack([given.y, e * given.x, mean_x, mean_y]),
        name=lambda k: str(task.data.labels[k]),
        advance=advance,
    )
    u = np.column_stack([solved.values[f"u[{r}]"] for r in range(given.Y.shape[1])]) / given.unit_y
    v = np.column_stack([solved.values[f"v[{i}]"] for i in range(given.X.shape[1])]) / given.unit_x
    columns = [*task.data.outputs.columns, *task.data.inputs.columns]
    values = np.column_stack([u, v]) if inputs else u / v
    return _answer(
        task, own, pd.DataFrame(np.maximum(values, 0.0), index=task.data.labels, columns=columns)
    )


def _answer(task: Task, own: Answer, weights: pd.DataFrame) -> Answer:
    matrix = _matrix(task, weights)
    undefined = int(matrix.isna().to_numpy().sum())
    notes = (
        (f"{undefined} of {matrix.size} judgements are 0/0 and leave the mean",)
        if undefined
        else ()
    )
    return replace(
        own,
        scores=matrix.mean(axis=0).rename("efficiency"),
        weights=weights,
        options=task.options,
        data=replace(own.data, notes=(*own.data.notes, *notes)),
        tables={"cross": matrix},
        slack_weights=None,
        path=f"{own.path}, then {len(matrix)} solves for the goal",
    )


def _matrix(task: Task | Answer, weights: pd.DataFrame) -> pd.DataFrame:
    """What the weights of each row make of each column."""
    data = task.data
    made = weights[data.outputs.columns].to_numpy() @ data.outputs.to_numpy().T
    used = (
        weights[data.inputs.columns].to_numpy() @ data.inputs.to_numpy().T
        if data.inputs.shape[1]
        else np.ones_like(made)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        return pd.DataFrame(
            np.where(used > 0, made / used, np.nan),
            index=data.labels.rename("by"),
            columns=data.labels,
        )


def prove(answer: Answer) -> Proof:
    """That the weights are each DMU's best, and the matrix and its means what they make of the
    others.
    """
    labels = answer.scores.index
    matrix = structure.require_table(answer, "cross", rows=labels, columns=labels).to_numpy()
    own = replace(answer, scores=pd.Series(np.diag(matrix), index=labels))
    frame, least = radial_frame(own), pareto_efficient(own.scores, own.slacks, own.data)
    again = _matrix(answer, answer.weights)
    return Proof(
        frame,
        {
            **{
                name: frame[name].to_numpy()
                for name in ("gap", "primal_infeasibility", "dual_infeasibility")
            },
            "distance_of_the_matrix_from_its_weights": _apart(matrix, again.to_numpy()).max(axis=1),
            "distance_of_the_score_from_its_proof": np.abs(
                answer.scores.to_numpy() - again.mean(axis=0).to_numpy()
            ),
            "distance_of_the_slacks_from_their_proof": slack_errors(own),
            "efficient": (answer.efficient & ~least).to_numpy().astype(float),
        },
        (
            f"that no other best weights are more {answer.options.goal}",
            "that slacks are the largest, and that those not called efficient are not",
        ),
    )


def _apart(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """How far two matrices are apart; 0 where both are undefined."""
    return np.where(
        np.isnan(one) & np.isnan(other), 0.0, np.nan_to_num(np.abs(one - other), nan=np.inf)
    )


@lru_cache(maxsize=64)
def _form(goal: str, m: int, s: int) -> Template:
    import deabench_models

    rows = {"y_o": s, "z_o": m, "X_sum": m, "Y_sum": s}
    return compile_template(
        getattr(deabench_models, goal),
        {"X": range(m), "Y": range(s)},
        {name: dict.fromkeys(range(k), 1.0) for name, k in rows.items()},
    )


def meaning(score: float, _: Any) -> str:
    """What the mean says."""
    return f"under the weights that suit each of the classifiers best it reaches {100 * score:.1f} % of the best on average"


@dataclass(frozen=True, kw_only=True)
class Cross(Model):
    """Cross-efficiency: the mean efficiency under the best weights of every DMU."""

    name = "cross"
    title = "the mean efficiency under everybody's best weights (cross-efficiency)"
    equation = "(cross-efficiency)"

    returns: Literal["crs"] = "crs"
    orientation: Literal["output"] = "output"
    goal: Literal["aggressive", "benevolent"] = option(
        "aggressive",
        "Of equally good weights, those that are worst (aggressive) or best (benevolent) for the "
        "mean of the others.",
    )

    def solve(self, task: Task, advance: Advance) -> Answer:
        return solve(task, advance)

    def prove(self, answer: Answer) -> Proof:
        return prove(answer)

    def meaning(self, score: float) -> str:
        return meaning(score, self)
