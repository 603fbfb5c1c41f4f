"""The directional distance function (Chambers, Chung, Färe 1996), and with the way to the ideal
point as its direction the range directional model RDM (Portela, Thanassoulis, Simpson 2004).

Weights u, v ≥ 0 prove that o cannot move further: β (u·g_y + v·g_x) ≤ h − u·y_o + v·x_o, where h is
the largest u·y − v·x of any possible production."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import pandas as pd

from deabench.geometry.dominance import undominated_rows
from deabench.models import directional_fdh, infeasibility, weighted_slacks
from deabench.models.directions import read, ways
from deabench.models.scaled_data import Scaled, metrics, placed, prefer, slacks_of, support
from deabench.proofs import reasons as why
from deabench.results.answer import Answer, Task
from deabench.results.model import (
    ANY_VALUES,
    NUMBERS,
    Advance,
    Model,
    Technology,
    option,
)
from deabench.results.proof import Proof
from deabench.solver.solve_all import Solutions, solve_all
from deabench.solver.template import Template, compile_template
from deabench.tables.validation import Allowed
from deabench.utils.arrays import ROUND, TOLERANCE, Sparse, scale

INWARD = 1e-13
"""Where the distance leads is drawn back by this, in scaled metrics, before slacks are looked for:
rounded, it may lie just beyond the frontier.
"""
OUTSIDE = "no step in its direction, forwards or back, comes to what the reference can do"


def solve(task: Task, advance: Advance) -> Answer:
    """The distance of every DMU, then the largest slacks that are left where it leads."""
    way, notes = ways(task, Scaled.of(task))
    if task.options.technology == "fdh":
        return directional_fdh.solve(task, way, notes)
    return along(task, way, notes, advance)


def along(task: Task, way: np.ndarray, notes: tuple[str, ...], advance: Advance) -> Answer:
    """As `solve`, with how far a step of 1 goes in each scaled metric for each DMU, (K, s + m),
    outputs first, inputs downwards.
    """
    given, labels, names = Scaled.of(task), task.data.labels, metrics(task.data)
    kept = undominated_rows(np.column_stack([given.Y, -given.X]))
    size, s = scale(way.T), given.Y.shape[1]
    solved = distances(task, given, kept, way / size[:, None], advance)
    beta = solved.objective / size
    moved = np.nan_to_num(beta)[:, None] * way
    lam = _with_slack(task, given, moved, placed(solved.shared["lam"], kept), kept)
    unit = np.append(given.unit_y, given.unit_x)[: len(names)]
    far = moved[:, : len(names)] * unit
    x, y = task.data.inputs.to_numpy() - far[:, s:], task.data.outputs.to_numpy() + far[:, :s]
    slacks = np.maximum(slacks_of(task, lam, x, y), 0.0)
    slacks[np.isnan(beta)] = np.nan
    gone = np.flatnonzero(np.isnan(beta))
    return Answer(
        scores=pd.Series(beta, index=labels, name="inefficiency"),
        slacks=pd.DataFrame(slacks, index=labels, columns=names),
        weights=_weights(given, solved, task),
        intensities=lam,
        efficient=pd.Series(_efficient(moved, slacks / unit), index=labels, name="efficient"),
        data=replace(task.data, notes=(*task.data.notes, *notes)),
        reference=task.reference,
        options=task.options,
        own_reference=task.own_reference,
        frontier=kept,
        reasons={labels[k]: OUTSIDE for k in gone.tolist()},
        infeasibility_certificates=infeasibility.rays(task, given, kept, gone, changes=way > 0)
        if len(gone)
        else None,
        path=f"by HiGHS ({len(beta)} solves, and their slacks)",
    )


def _efficient(moved: np.ndarray, slack: np.ndarray) -> np.ndarray:
    """Where neither a step forwards nor slack is left, in scaled metrics."""
    return np.asarray(
        (moved.max(axis=1) <= TOLERANCE) & (slack.max(axis=1, initial=0.0) <= TOLERANCE)
    )


def distances(
    task: Task, given: Scaled, kept: np.ndarray, way: np.ndarray, advance: Advance
) -> Solutions:
    """The distances alone, against the reference DMUs `kept`."""
    s = given.Y.shape[1]
    tested = np.column_stack([given.x, given.y, way[:, s:], way[:, :s]])
    return solve_all(
        _form(given.X.shape[1], s, given.returns),
        np.column_stack([given.X, given.Y])[kept],
        tested,
        name=lambda k: str(task.data.labels[k]),
        advance=advance,
    )


def _with_slack(
    task: Task, given: Scaled, moved: np.ndarray, lam: Sparse, kept: np.ndarray
) -> Sparse:
    """The peers with the largest slacks where the distance leads; the first ones where those would
    not be as far.
    """
    s = given.Y.shape[1]
    there = replace(given, x=given.x - moved[:, s:] + INWARD, y=given.y + moved[:, :s] - INWARD)
    second = solve_all(
        _slack_form(given.X.shape[1], s, given.returns),
        np.column_stack([given.X, given.Y])[kept],
        np.column_stack([there.x, there.y]),
        name=lambda k: str(task.data.labels[k]),
    )
    found = placed(second.shared["lam"], kept)
    found.values[found.values < 100 * INWARD] = 0.0  # what the drawing back left
    good = ~np.isnan(second.objective) & (
        weighted_slacks.reached(there, found)[1] <= TOLERANCE / 10
    )
    return prefer(np.flatnonzero(good), found[good], lam)


def _weights(given: Scaled, solved: Solutions, task: Task) -> pd.DataFrame:
    """Weights in the metrics' own units; only their proportions matter."""
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
        np.column_stack([u, v]), index=task.data.labels, columns=metrics(task.data)
    )
    return frame if given.returns == "crs" else frame.assign(u_0=u_0)


def prove(answer: Answer) -> Proof:
    """That λ reaches the distance, and that the weights allow no more, against all reference DMUs."""
    way = ways(answer, Scaled.of(answer))[0]
    return (
        directional_fdh.prove(answer, way)
        if answer.options.technology == "fdh"
        else prove_along(answer, way)
    )


def prove_along(answer: Answer, way: np.ndarray) -> Proof:
    """As `prove`, in the directions `way` (K, s + m)."""
    given, beta, names = Scaled.of(answer), answer.scores.to_numpy(), metrics(answer.data)
    moved, s = beta[:, None] * way, given.Y.shape[1]
    there = replace(given, x=given.x - moved[:, s:], y=given.y + moved[:, :s])
    found, broken = weighted_slacks.reached(there, answer.intensities)
    u, v = weighted_slacks.scaled_weights(answer, given, np.ones(len(beta)))
    most, beyond = support(given, u, v)
    per_step = (np.column_stack([u, v]) * way).sum(axis=1)
    terms = np.abs(u * given.y).sum(axis=1) + np.abs(v * given.x).sum(axis=1) + np.abs(most)
    with np.errstate(
        divide="ignore", invalid="ignore"
    ):  # weights that are 0 along the way prove nothing: NaN
        dual = (most - (u * given.y).sum(axis=1) + (v * given.x).sum(axis=1)) / per_step
        gap = np.maximum(np.abs(beta - dual) - ROUND * terms / np.abs(per_step), 0.0) / np.maximum(
            1.0, np.abs(beta)
        )
    other = np.abs(weighted_slacks.free_term(answer, given, np.ones(len(beta))) - most)
    wrong = np.maximum.reduce(
        [-np.column_stack([u, v]).min(axis=1), beyond, other, np.zeros(len(beta))]
    )
    frame = pd.DataFrame(
        {
            "primal": beta,
            "dual": dual,
            "gap": gap,
            "primal_infeasibility": np.maximum(broken, 0.0),
            "dual_infeasibility": wrong,
        },
        index=answer.scores.index,
    )
    frame[np.isnan(beta)] = np.nan
    unit = np.append(given.unit_y, given.unit_x)[: len(names)]
    none = _efficient(moved, np.maximum(found[:, : len(names)], 0.0))
    return Proof(
        frame,
        {
            **{
                name: frame[name].to_numpy()
                for name in ("gap", "primal_infeasibility", "dual_infeasibility")
            },
            "distance_of_the_slacks_from_their_proof": np.abs(
                answer.slacks.to_numpy() / unit - found[:, : len(names)]
            ).max(axis=1),
            "efficient": np.where(
                np.isnan(beta), answer.efficient, answer.efficient != none
            ).astype(float),
            "reason": why.reason_violations(
                answer, {OUTSIDE: infeasibility.proved(answer, given, changes=way > 0)}
            ),
        },
        ("that no other peers have larger slacks",),
    )


@lru_cache(maxsize=64)
def _form(m: int, s: int, returns: str) -> Template:
    import deabench_models

    own = {"x_o": dict.fromkeys(range(m), 1.0), "y_o": dict.fromkeys(range(s), 1.0)}
    way = {"g_x": dict.fromkeys(range(m), 1.0), "g_y": dict.fromkeys(range(s), 1.0)}
    return compile_template(
        deabench_models.directional, {"X": range(m), "Y": range(s)}, own | way, returns=returns
    )


@lru_cache(maxsize=64)
def _slack_form(m: int, s: int, returns: str) -> Template:
    import deabench_models

    own = {"x_o": dict.fromkeys(range(m), 1.0), "y_o": dict.fromkeys(range(s), 1.0)}
    return compile_template(
        deabench_models.slacks, {"X": range(m), "Y": range(s)}, own, returns=returns
    )


STEPS = {
    "own": "its own values",
    "ones": "one unit",
    "mean": "the reference's means",
    "range": "the reference's ranges",
    "ideal": "its way to the best values",
}


def meaning(score: float, options: Any) -> str:
    """What the distance says."""
    step = (
        STEPS.get(options.direction)
        if isinstance(options.direction, str)
        else "the direction given"
    )
    side = {"output": "every output", "input": "every input", "none": "every metric"}[
        options.orientation
    ]
    return f"{side} could improve by {100 * score:.1f} % of {step}, all together"


def _allows(options: Any) -> tuple[Allowed, ...]:
    """With Σ λ = 1 the model is translation-invariant, where its direction is."""
    return (
        ANY_VALUES if options.returns == "vrs" and options.direction not in ("own", "mean") else ()
    )


def solve_rdm(task: Task, advance: Advance) -> Answer:
    """1 − the distance towards the best value of each metric."""
    answer = solve(task, advance)
    return replace(answer, scores=(1.0 - answer.scores).rename("efficiency"))


def prove_rdm(answer: Answer) -> Proof:
    """As for the distance."""
    proof = prove(replace(answer, scores=1.0 - answer.scores))
    return replace(
        proof,
        frame=proof.frame.assign(
            primal=1.0 - proof.frame["primal"], dual=1.0 - proof.frame["dual"]
        ),
    )


@dataclass(frozen=True, kw_only=True)
class DDF(Model):
    """The directional distance function: how far all metrics can improve along a direction."""

    name = "ddf"
    title = "how far all metrics can improve together along a direction (directional distance)"
    equation = "(directional)"
    measure = "inefficiency"

    returns: Literal["vrs", "crs", "nirs", "ndrs"] = "vrs"
    orientation: Literal["none", "output", "input"] = "none"
    direction: Literal["own", "ones", "mean", "range", "ideal"] | Mapping[str, float] = option(
        "own",
        "The step: shares of own values, units, shares of the reference's means or ranges, the way "
        "to the best values, or a number for each metric.",
        form=NUMBERS,
        reader=read,
    )
    technology: Technology = "convex"

    def allows(self) -> tuple[Allowed, ...]:
        return _allows(self)

    def solve(self, task: Task, advance: Advance) -> Answer:
        return solve(task, advance)

    def prove(self, answer: Answer) -> Proof:
        return prove(answer)

    def meaning(self, score: float) -> str:
        return meaning(score, self)


@dataclass(frozen=True, kw_only=True)
class RDM(Model):
    """The range directional model: the share of the way to the best values that is behind a DMU."""

    name = "rdm"
    title = (
        "the share of the way to the best value of each metric that is behind it; data may be "
        "negative (RDM)"
    )
    equation = "(directional)"

    returns: Literal["vrs"] = "vrs"
    orientation: Literal["none", "output", "input"] = "none"
    direction: Literal["ideal"] = "ideal"
    technology: Technology = "convex"

    def allows(self) -> tuple[Allowed, ...]:
        return _allows(self)

    def solve(self, task: Task, advance: Advance) -> Answer:
        return solve_rdm(task, advance)

    def prove(self, answer: Answer) -> Proof:
        return prove_rdm(answer)

    def meaning(self, score: float) -> str:
        return meaning(1.0 - score, self)
