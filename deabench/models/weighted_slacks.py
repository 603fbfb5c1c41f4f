"""Slack programs: the largest weighted sum of what is left to gain, for every DMU, and its proof.

What a unit of each metric counts makes the model (`deabench_models.additive`): the additive model
with its weights, and Russell's measures. Weights u ≥ w⁺, v ≥ w⁻ prove that no more can be gained: Σ
w s ≤ u·(Yλ − y_o) + v·(x_o − Xλ) ≤ h − u·y_o + v·x_o, where h is the largest u·y − v·x of any
possible production."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from deabench.geometry.dominance import undominated_rows
from deabench.models import infeasibility, single_peers
from deabench.models.scaled_data import Scaled, metrics, placed, slacks_of, support, total_lambda
from deabench.proofs import reasons as why
from deabench.results.answer import Answer, Task
from deabench.results.model import Advance
from deabench.results.proof import Proof
from deabench.solver.solve_all import Solutions, solve_each
from deabench.solver.template import Template, compile_template
from deabench.utils.arrays import TOLERANCE, Sparse, scale

OUTSIDE = "no mix of the reference uses as little and gives as much"
Read = Callable[[Any], Any]
"""From totals to scores, arrays or series."""


def solve(
    task: Task,
    counts: np.ndarray,
    advance: Advance,
    read: Read = lambda total: total,
    name: str = "inefficiency",
) -> Answer:
    """The weighted total of every DMU, as `read` puts it.

    Parameters
    ----------
    counts : array (K, s + m)
        What a unit of each metric counts for each DMU, outputs first, in the metrics' own units.
    read : function of the totals to the scores
    """
    given, who, labels = Scaled.of(task), np.arange(len(task.data.labels)), task.data.labels
    weights, size = _scaled(counts, given)
    if getattr(task.options, "technology", "") == "fdh":
        answer = single_peers.solve(task, single_peers.summed(weights), size)
        return replace(answer, scores=read(answer.scores).rename(name))
    kept = undominated_rows(np.column_stack([given.Y, -given.X]))
    solved = totals(task, given, kept, who, weights, advance)
    total = solved.objective * size
    lam = placed(solved.shared["lam"], kept)
    slacks = np.maximum(
        slacks_of(task, lam, task.data.inputs.to_numpy(), task.data.outputs.to_numpy()), 0.0
    )
    slacks[np.isnan(total)] = np.nan
    none = _none(slacks, given)
    again = np.flatnonzero(none & (weights[:, : counts.shape[1]] == 0).any(axis=1))
    if len(again):  # what counts nothing may still be left to gain
        same = totals(task, given, kept, again, np.ones_like(weights[again]), lambda _: None)
        none[again] = same.objective <= TOLERANCE
    gone = np.flatnonzero(np.isnan(total))
    return Answer(
        scores=pd.Series(read(total), index=labels, name=name),
        slacks=pd.DataFrame(slacks, index=labels, columns=metrics(task.data)),
        weights=_weights(given, solved, size, task),
        intensities=lam,
        efficient=pd.Series(none, index=labels, name="efficient"),
        data=task.data,
        reference=task.reference,
        options=task.options,
        own_reference=task.own_reference,
        frontier=kept,
        reasons={labels[k]: OUTSIDE for k in gone.tolist()},
        path=f"by HiGHS ({len(total)} solves)",
        infeasibility_certificates=infeasibility.rays(task, given, kept, gone)
        if len(gone)
        else None,
    )


def _scaled(counts: np.ndarray, given: Scaled) -> tuple[np.ndarray, np.ndarray]:
    """What a unit of each scaled metric counts, (K, s + m) with 0 for the input that everybody has,
    over a power of two that makes the largest about 1; and that power.
    """
    unit = np.append(given.unit_y, given.unit_x)
    weights = np.zeros((len(counts), len(unit)))
    weights[:, : counts.shape[1]] = counts * unit[: counts.shape[1]]
    size = scale(weights.T)
    return weights / size[:, None], size


def _none(slacks: np.ndarray, given: Scaled) -> np.ndarray:
    """Whether no slack is left, in scaled metrics."""
    unit = np.append(given.unit_y, given.unit_x)[: slacks.shape[1]]
    return np.asarray((slacks / unit).max(axis=1, initial=0.0) <= TOLERANCE)


def totals(
    task: Task,
    given: Scaled,
    kept: np.ndarray,
    who: np.ndarray,
    weights: np.ndarray,
    advance: Advance,
) -> Solutions:
    """The slack programs of the DMUs `who`, with `weights` (len(who), s + m) of scaled metrics."""
    s = given.Y.shape[1]
    tested = np.column_stack([given.x[who], given.y[who], weights[:, s:], weights[:, :s]])
    return solve_each(
        _form(given.X.shape[1], s, given.returns),
        np.column_stack([given.X, given.Y])[kept],
        tested,
        name=lambda k: str(task.data.labels[who[k]]),
        advance=advance,
    )


def _weights(given: Scaled, solved: Solutions, size: np.ndarray, task: Task) -> pd.DataFrame:
    """What a unit more of each metric would change, in the metrics' own units, and u_0 of the
    returns to scale.
    """
    u = (
        -np.column_stack([solved.duals[f"outputs[{r}]"] for r in range(given.Y.shape[1])])
        / given.unit_y
    )
    v = (
        np.column_stack([solved.duals[f"inputs[{i}]"] for i in range(given.X.shape[1])])
        / given.unit_x
    )
    u_0 = solved.duals.get("returns_to_scale", np.zeros(len(u)))
    if not task.data.inputs.shape[1]:
        v, u_0 = v[:, :0], u_0 + v[:, 0]
    frame = pd.DataFrame(
        np.column_stack([u, v]) * size[:, None], index=task.data.labels, columns=metrics(task.data)
    )
    return frame if given.returns == "crs" else frame.assign(u_0=u_0 * size)


def prove(answer: Answer, counts: np.ndarray, read: Read = lambda total: total) -> Proof:
    """The total that λ reaches, and that which the weights allow, against all reference DMUs."""
    given, lam = Scaled.of(answer), answer.intensities
    weights, size = _scaled(counts, given)
    if getattr(answer.options, "technology", "") == "fdh":
        return single_peers.prove(answer, single_peers.summed(weights), size, read)
    found, broken = reached(given, lam)
    primal = (weights * np.maximum(found, 0.0)).sum(axis=1)
    u, v = scaled_weights(answer, given, size)
    most, beyond = support(given, u, v)
    dual = most - (u * given.y).sum(axis=1) + (v * given.x).sum(axis=1)
    wrong = np.maximum.reduce(
        [
            (weights - np.column_stack([u, v])).max(axis=1),
            beyond,
            np.abs(free_term(answer, given, size) - most),
            np.zeros(len(most)),
        ]
    )
    scores, nan = answer.scores.to_numpy(), answer.scores.isna().to_numpy()
    frame = pd.DataFrame(
        {
            "primal": read(primal * size),
            "dual": read(dual * size),
            "gap": np.abs(primal - dual),
            "primal_infeasibility": np.maximum(broken, 0.0),
            "dual_infeasibility": wrong,
        },
        index=answer.scores.index,
    )
    frame[nan] = np.nan
    columns = answer.slacks.shape[1]
    unit = np.append(given.unit_y, given.unit_x)[:columns]
    slack, whole = found[:, :columns], not (weights[:, :columns] == 0).any()
    none = np.maximum(slack, 0.0).max(axis=1, initial=0.0) <= TOLERANCE
    said = answer.efficient.to_numpy()
    return Proof(
        frame,
        {
            **{
                name: frame[name].to_numpy()
                for name in ("gap", "primal_infeasibility", "dual_infeasibility")
            },
            "distance_of_the_score_from_its_proof": np.abs(read(primal * size) - scores)
            / np.maximum(np.abs(scores), size),
            "distance_of_the_slacks_from_their_proof": np.abs(
                answer.slacks.to_numpy() / unit - slack
            ).max(axis=1),
            "efficient": np.where(nan, said, said != none if whole else said & ~none).astype(float),
            "reason": why.reason_violations(answer, {OUTSIDE: infeasibility.proved(answer, given)}),
        },
        ()
        if whole
        else (
            "whether a DMU without slack in the metrics that count is efficient in those that do not",
        ),
    )


def reached(given: Scaled, lam: Sparse) -> tuple[np.ndarray, np.ndarray]:
    """What λ gains and spares, (K, s + m) in scaled metrics, and by how much it breaks a
    constraint.
    """
    found = np.column_stack([lam.dot(given.Y) - given.y, given.x - lam.dot(given.X)])
    total, (low, high) = lam.values.sum(axis=1), total_lambda(given.returns)
    return found, np.maximum.reduce(
        [-found.min(axis=1), low - total, total - high, -lam.values.min(axis=1)]
    )


def free_term(answer: Answer, given: Scaled, size: np.ndarray) -> np.ndarray:
    """What the weights say that any possible production is worth at most: u_0; what it is where
    they say nothing.
    """
    if "u_0" in answer.weights:
        return np.asarray(answer.weights["u_0"].to_numpy() / size)
    u, v = scaled_weights(answer, given, size)
    return support(given, u, v)[0]


def scaled_weights(
    answer: Answer, given: Scaled, size: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """u and v over `size`, for scaled metrics; the input that everybody has, whose weight u_0
    holds, has 0.
    """
    u = answer.weights[answer.data.outputs.columns].to_numpy() * given.unit_y / size[:, None]
    if not answer.data.inputs.shape[1]:
        return u, np.zeros((len(u), 1))
    return u, answer.weights[answer.data.inputs.columns].to_numpy() * given.unit_x / size[:, None]


@lru_cache(maxsize=64)
def _form(m: int, s: int, returns: str) -> Template:
    import deabench_models

    own = {"x_o": dict.fromkeys(range(m), 1.0), "y_o": dict.fromkeys(range(s), 1.0)}
    weights = {"w_minus": dict.fromkeys(range(m), 1.0), "w_plus": dict.fromkeys(range(s), 1.0)}
    return compile_template(
        deabench_models.additive, {"X": range(m), "Y": range(s)}, own | weights, returns=returns
    )
