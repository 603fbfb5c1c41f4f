"""Super-efficiency: each DMU against the others. Andersen, Petersen (1993), Management Science
39:1261-1264.

Only a DMU that reaches 1 can be in its own way, so only those are solved again, without themselves
in the reference. A DMU that was dominated by one left out may be needed then: the reference of
these solves has the second layer, too."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from deabench.geometry.dominance import undominated_rows
from deabench.models import infeasibility, radial_stages
from deabench.models.radial import Ccr, RadialModel, Wei, ccr_form
from deabench.models.scaled_data import Scaled, metrics, placed, prefer, slacks_of
from deabench.models.unique_peers import ray
from deabench.proofs import reasons as why
from deabench.proofs.radial import radial_frame, slack_errors
from deabench.proofs.ranking import (
    SlackProof,
    count_uncovered,
    efficiency_violations,
    reference_maxima,
    unproved_slack_claims,
)
from deabench.results.answer import Answer, Task
from deabench.results.model import Advance
from deabench.results.proof import Proof, SlackWeights
from deabench.solver.engine import solve_exactly
from deabench.solver.family import Family
from deabench.solver.solve_all import Solutions, solve_each
from deabench.tables.validation import Allowed
from deabench.utils.arrays import TOLERANCE, least

ALONE = "the others do not reach it at any factor"
UNDEFINED = "its factor is 0: no other DMU has any of one of its metrics"


def solve(task: Task, advance: Advance) -> Answer:
    """Ordinary efficiencies, and those that reach 1 once more without themselves."""
    inputs = task.data.inputs.shape[1] > 0
    base = (
        radial_stages.solve(Ccr(task), "ccr", advance)
        if inputs
        else radial_stages.solve(Wei(task), "wei", advance)
    )
    base = replace(base, options=task.options, own_reference=task.own_reference)
    who = np.flatnonzero(base.scores.to_numpy() >= 1 - TOLERANCE)
    if not task.own_reference or not len(who):
        return base
    given, at = Scaled.of(task), places(task)[who]
    kept = two_layers(np.column_stack([given.Y, -given.X]), at)
    form = ccr_form(given.X.shape[1], given.Y.shape[1], given.returns, task.options.orientation)
    reference = np.column_stack([given.X, given.Y])
    solved = solve_each(
        form,
        reference[kept],
        reference[at],
        without=np.searchsorted(kept, at),
        name=lambda k: str(task.data.labels[who[k]]),
    )
    return _joined(base, task, given, solved, who, kept)


def places(task: Task | Answer) -> np.ndarray:
    """Where each DMU of a table that is its own reference stands there; those without any output
    are in the reference only.
    """
    if len(task.data.labels) == len(task.reference.labels):
        return np.arange(len(task.data.labels))
    return np.asarray(task.reference.labels.get_indexer(task.data.labels))


def two_layers(values: np.ndarray, who: np.ndarray) -> np.ndarray:
    """The undominated rows, those that only they dominate, and `who`: all that counts where one of
    `who` is left out.
    """
    first = undominated_rows(values)
    rest = np.setdiff1d(np.arange(len(values)), first)
    return (
        np.union1d(np.union1d(first, rest[undominated_rows(values[rest])]), who)
        if len(rest)
        else first
    )


def _joined(
    base: Answer, task: Task, given: Scaled, solved: Solutions, who: np.ndarray, kept: np.ndarray
) -> Answer:
    """The ordinary answer with the DMUs `who` solved again in their places."""
    outward, labels = task.options.orientation == "output", task.data.labels
    with np.errstate(divide="ignore"):
        found = 1.0 / solved.objective if outward else solved.objective.copy()
    found[~np.isfinite(found)] = np.nan
    scores, weights = base.scores.copy(), base.weights.copy()
    scores.iloc[who] = found
    gone = who[np.isnan(found)]
    zero = _not_elsewhere(task)
    reasons = base.reasons | {
        labels[k]: ALONE if p in solved.infeasible else UNDEFINED if zero[k] else why.NO_MIX
        for p, k in enumerate(who.tolist())
        if np.isnan(found[p])
    }
    weights.iloc[who] = _weights(given, solved, outward, list(weights.columns), task)
    weights.iloc[gone] = np.nan
    lam = prefer(who, placed(solved.shared["lam"], kept), base.intensities)
    x, y, level = (
        task.data.inputs.to_numpy()[who],
        task.data.outputs.to_numpy()[who],
        found[:, None],
    )
    slacks = base.slacks.copy()
    slacks.iloc[who] = np.maximum(
        slacks_of(task, lam[who], x if outward else x * level, y / level if outward else y), 0.0
    )
    rays = _rays(task, given, gone, kept) if len(gone) else None
    return replace(
        base,
        scores=scores,
        weights=weights,
        slacks=slacks,
        intensities=lam,
        reasons=reasons,
        slack_weights=_stored(base, who),
        infeasibility_certificates=infeasibility.together(base.infeasibility_certificates, rays),
        path=f"{base.path}, {len(who)} of them without themselves",
    )


def _not_elsewhere(task: Task | Answer) -> np.ndarray:
    """Who has a metric that no other has any of: bool (n,)."""
    if not task.own_reference:
        return np.zeros(len(task.data.labels), dtype=bool)
    y, Y = task.data.outputs.to_numpy() > 0, task.reference.outputs.to_numpy() > 0
    return np.asarray(
        (y & (Y.sum(axis=0) - y <= 0)).any(axis=1)
    )  # it is one of the reference itself


def _rays(task: Task, given: Scaled, gone: np.ndarray, kept: np.ndarray) -> pd.DataFrame:
    """The weights under which the others give nothing, or not enough, to those that they do not
    reach.
    """
    form = ccr_form(given.X.shape[1], given.Y.shape[1], given.returns, task.options.orientation)
    both, names = np.column_stack([given.X, given.Y]), metrics(task.data)
    rows, at = [], places(task)
    for k in gone.tolist():
        family = Family(form, both[kept[kept != at[k]]])
        solution = solve_exactly(family, both[at[k]], str(task.data.labels[k]))
        rows.append(ray(family, solution.duals[0], np.ones(both.shape[1]))[0])
    weights = np.array(rows) / np.append(given.unit_y, given.unit_x)
    return pd.DataFrame(weights[:, : len(names)], index=task.data.labels[gone], columns=names)


def _stored(base: Answer, who: np.ndarray) -> SlackWeights:
    """What proves the ordinary efficiencies; the weights of the DMUs `who`, which others replace,
    become rows of it.
    """
    known = base.slack_weights
    assert known is not None
    own = who[known.of[who] == -1]
    shares = base.weights[metrics(base.data)].to_numpy()[own] * reference_maxima(base)
    of = known.of.copy()
    of[own] = len(known.rows) + np.arange(len(own))
    return SlackWeights(np.vstack([known.rows, shares / least(shares)[:, None]]), of)


def _weights(
    given: Scaled, solved: Solutions, outward: bool, columns: list[str], task: Task
) -> np.ndarray:
    """Multipliers from the row duals."""
    sign = -1.0 if outward else 1.0
    u = (
        np.column_stack([sign * solved.duals[f"outputs[{r}]"] for r in range(given.Y.shape[1])])
        / given.unit_y
    )
    v = (
        np.column_stack([-sign * solved.duals[f"inputs[{i}]"] for i in range(given.X.shape[1])])
        / given.unit_x
    )
    u_0 = solved.duals.get("returns_to_scale", np.zeros(len(u)))
    if not task.data.inputs.shape[
        1
    ]:  # against the input that everybody has: normed, so that no other is worth more than 1
        with np.errstate(
            divide="ignore", invalid="ignore"
        ):  # no other has any of a metric: no score, and no weights
            return np.asarray(u / (v[:, 0] + u_0)[:, None])
    return np.column_stack([u, v, u_0])[:, : len(columns)]


def prove(answer: Answer) -> Proof:
    """As for radial efficiencies; a DMU that reaches 1, without itself in the reference."""
    frame, missing, weights = (
        radial_frame(answer),
        why.radial_reason_violations(answer)[0],
        answer.slack_weights,
    )
    assert weights is not None
    work, scores = SlackProof(answer, weights), answer.scores.to_numpy()
    own, lonely = np.zeros(len(scores)), why.proved_extreme_factors(answer)
    if answer.own_reference:
        at = places(answer)
        for k in np.flatnonzero((scores >= 1 - TOLERANCE) | np.isnan(scores)).tolist():
            one = _without(answer, k)
            frame.iloc[k] = radial_frame(one).iloc[0]
            own[k] = answer.intensities.values[k][answer.intensities.columns[k] == at[k]].sum()
            for proved, found in zip(lonely, why.proved_extreme_factors(one), strict=True):
                proved[k] = found[0]
        missing = why.reason_violations(
            answer,
            {
                UNDEFINED: _not_elsewhere(answer),
                why.NO_MIX: lonely[0],
                ALONE: lonely[1],
                why.NO_OUTPUT: ~answer.data.outputs.to_numpy().any(axis=1),
            },
        )
    size = np.maximum(np.abs(scores), 1.0)
    return Proof(
        frame,
        {
            "gap": frame["gap"].to_numpy() / size,
            "primal_infeasibility": frame["primal_infeasibility"].to_numpy(),
            "dual_infeasibility": frame["dual_infeasibility"].to_numpy(),
            "distance_of_the_score_from_its_proof": np.abs(frame["primal"].to_numpy() - scores)
            / size,
            "distance_of_the_slacks_from_their_proof": slack_errors(answer),
            "share_of_itself_among_its_peers": own,
            "reference_DMUs_that_no_listed_one_dominates": np.full(
                len(scores), float(count_uncovered(answer))
            ),
            "reason": missing,
            "slack_that_is_left": np.where(scores >= 1 - TOLERANCE, 0.0, work.all_slack_left()),
            "efficient": _wrong_verdict(answer, work),
        },
        (
            "the slacks of a DMU above 1 are those of one optimum, not the largest",
            *unproved_slack_claims(work),
        ),
    )


def _wrong_verdict(answer: Answer, work: SlackProof) -> np.ndarray:
    """1 where a DMU above 1 (or that nobody reaches) is called inefficient, and of others where it
    is not as proved.
    """
    scores, said = answer.scores.to_numpy(), answer.efficient.to_numpy(dtype=bool)
    unreached = np.array(
        [
            answer.reasons.get(label) in (ALONE, UNDEFINED, why.NO_MIX)
            for label in answer.scores.index
        ]
    )
    above = ((scores > 1 + TOLERANCE) | (np.isnan(scores) & unreached)) & answer.own_reference
    return np.asarray(np.where(above, ~said, efficiency_violations(answer, work)).astype(float))


def _without(answer: Answer, k: int) -> Answer:
    """The answer of DMU k alone, all others as reference."""
    part = slice(k, k + 1)
    data = replace(
        answer.data, outputs=answer.data.outputs.iloc[part], inputs=answer.data.inputs.iloc[part]
    )
    return replace(
        answer,
        scores=answer.scores.iloc[part],
        weights=answer.weights.iloc[part],
        slacks=answer.slacks.iloc[part],
        efficient=answer.efficient.iloc[part],
        intensities=answer.intensities[part],
        data=data,
        frontier=np.delete(np.arange(len(answer.reference.labels)), k),
    )


@dataclass(frozen=True, kw_only=True)
class Super(RadialModel):
    """Radial super-efficiency: each DMU against the others."""

    name = "super"
    title = "radial efficiency of each DMU against the others; breaks ties at 1 (super-efficiency)"
    equation = "(3) without the DMU itself"

    returns: Literal["crs", "vrs", "nirs", "ndrs"] = "crs"
    orientation: Literal["output", "input"] = "output"

    def allows(self) -> tuple[Allowed, ...]:
        return ("zero outputs",)

    def solve(self, task: Task, advance: Advance) -> Answer:
        return solve(task, advance)

    def prove(self, answer: Answer) -> Proof:
        return prove(answer)
