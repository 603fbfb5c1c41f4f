"""Common weights: one weighting for all, the one that comes nearest to everybody's own best score
in sum.

Σ_j (e_j − w·y_j) is least where Σ_j w·y_j is largest under w·y_j ≤ 1: where the mean of the DMUs
has its performance score (6). So its dual, (5) of the mean DMU, finds and proves the weights. Goal
"largest" keeps the largest loss least instead of the sum (`deabench.models.minimax_weights`)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from deabench.errors import CertificateError
from deabench.models import minimax_weights, wei
from deabench.models.radial import RadialModel
from deabench.models.scaled_data import pareto_efficient
from deabench.proofs import structure
from deabench.proofs.radial import radial_frame, slack_errors
from deabench.results.answer import Answer, Task
from deabench.results.model import Advance, option
from deabench.results.proof import Proof
from deabench.tables.transforms import Data
from deabench.utils.arrays import Sparse


def solve(task: Task, advance: Advance) -> Answer:
    """Own scores, for slacks and peers, and those under the weights of the mean."""
    own = wei.solve(task, advance)
    if task.options.goal == "largest":
        found, tables = minimax_weights.weights(task, own)
    else:
        mean = wei.solve(replace(task, data=_mean(task.data), own_reference=False), lambda _: None)
        found, tables = (
            mean.weights.to_numpy()[0],
            {"mean": mean.intensities.frame(mean.scores.index, task.reference.labels)},
        )
    weights = pd.DataFrame(
        np.tile(found, (len(own.scores), 1)),
        index=own.scores.index,
        columns=task.data.outputs.columns,
    )
    lost = own.scores - (scores := _scores(task.data, weights))
    table = pd.DataFrame({"own": own.scores, "common": scores, "lost": lost})
    zero = [str(name) for name in weights if weights[name].iloc[0] == 0]
    notes = (f"the common weights leave out {', '.join(map(repr, zero))}",) if zero else ()
    how = "for the largest loss" if task.options.goal == "largest" else "for the mean"
    return replace(
        own,
        scores=scores,
        weights=weights,
        options=task.options,
        slack_weights=None,
        data=replace(own.data, notes=(*own.data.notes, *notes)),
        path=f"{own.path}, and once {how}",
        tables={"common": table, **tables},
    )


def _mean(data: Data) -> Data:
    outputs = data.outputs.mean().to_frame("the mean").T
    return Data(outputs, pd.DataFrame(index=outputs.index))


def _scores(data: Data, weights: pd.DataFrame) -> pd.Series:
    return (data.outputs * weights.to_numpy()).sum(axis=1).rename("efficiency")


def prove(answer: Answer) -> Proof:
    """That nobody exceeds 1 under the weights, that the mean cannot do better under any, and the
    scores again.
    """
    weights, data = answer.weights, _mean(answer.data)
    again = _scores(answer.data, weights)
    if answer.options.goal == "largest":
        return minimax_weights.prove(answer, again)
    peers, table = (
        structure.require_table(answer, "mean", rows=data.labels),
        structure.require_table(
            answer, "common", rows=again.index, columns=["own", "common", "lost"]
        ),
    )
    if (
        not peers.columns.isin(answer.reference.labels).all()
        or peers.columns.has_duplicates
        or not peers.shape[1]
    ):
        raise CertificateError(
            "the table 'mean' names a reference DMU that is not there; the result does not hold"
        )
    own = replace(answer, scores=table["own"].rename("efficiency"))
    mean = replace(
        answer,
        scores=pd.Series([again.mean()], index=data.labels),
        data=data,
        weights=weights.iloc[[0]].set_axis(data.labels),
        slacks=0 * answer.slacks.iloc[[0]].set_axis(data.labels),
        own_reference=False,
        intensities=Sparse(
            answer.reference.labels.get_indexer(peers.columns)[None], peers.to_numpy()
        ),
    )
    one = radial_frame(mean)
    frame = one.loc[one.index.repeat(len(again))].set_axis(again.index)
    return Proof(
        frame,
        {
            **{
                name: frame[name].to_numpy()
                for name in ("gap", "primal_infeasibility", "dual_infeasibility")
            },
            "distance_of_the_score_from_its_proof": np.abs(answer.scores - again).to_numpy(),
            "weights_that_are_not_common": np.abs(weights - weights.iloc[0]).max(axis=1).to_numpy()
            / weights.to_numpy().max(),
            "distance_of_the_slacks_from_their_proof": slack_errors(own),
            "distance_of_the_table_from_the_scores": np.maximum(
                np.abs(table["common"] - again), np.abs(table["lost"] - (table["own"] - again))
            ).to_numpy(),
            "efficient": (answer.efficient & ~pareto_efficient(own.scores, own.slacks, own.data))
            .to_numpy()
            .astype(float),
        },
        (
            "that these weights are the only ones with this sum",
            "the own efficiencies beside them, that slacks are the largest, and that those not called efficient are not",
        ),
    )


def meaning(score: float, _: Any) -> str:
    """What the score says."""
    return f"under one weighting for all it reaches {100 * score:.1f} % of the best"


@dataclass(frozen=True, kw_only=True)
class Common(RadialModel):
    """Common weights: one weighting for all, the nearest to everybody's own best."""

    name = "common"
    title = (
        "scores under one weighting for all, the nearest to everybody's own best (common weights)"
    )
    equation = "(6) of the mean"

    returns: Literal["crs"] = "crs"
    orientation: Literal["output"] = "output"
    goal: Literal["sum", "largest"] = option(
        "sum", "What the weights keep least: the sum of all losses, or the largest loss."
    )

    def prepare(self, data: Data) -> Data:
        return wei.quotients(data)

    def solve(self, task: Task, advance: Advance) -> Answer:
        return solve(task, advance)

    def prove(self, answer: Answer) -> Proof:
        return prove(answer)

    def meaning(self, score: float) -> str:
        return meaning(score, self)
