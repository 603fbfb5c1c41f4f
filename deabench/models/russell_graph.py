"""The Russell graph measure: the mean of what every input shrinks to, and of the inverse of what
every output grows to.

1/φ is convex and held from below by tangents (`deabench_models.russell_graph`). Each round solves
with tangents around the last φ, closer and closer, until the measure at λ and its bound agree.
Weights u, v ≥ 0 prove it: with h the largest u·y − v·x of any possible production, it is at least Σ
min(0, p − v x) + Σ min over φ ≥ 1 of (q/φ + u y φ) − h."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from deabench.geometry.dominance import undominated_rows
from deabench.models.sbm import OUTSIDE
from deabench.models.scaled_data import (
    Scaled,
    metrics,
    placed,
    prefer,
    slacks_of,
    support,
    total_lambda,
)
from deabench.results.answer import Answer, Task
from deabench.results.model import Advance
from deabench.results.proof import Proof
from deabench.solver.solve_all import Solutions, solve_each
from deabench.solver.template import Template, compile_template
from deabench.utils.arrays import TOLERANCE, Sparse

WIDE = np.geomspace(1.0, 256.0, 9)
"""Where the first tangents touch."""
MORE = 3
"""Tangents that each round adds to every output."""
CLOSE = 1e-10
"""The measure at λ and its bound differ by no more in the end."""
NARROW = 3e-5
"""Tangents that touch nearer to each other than this, as a share of φ, are the same to a solver."""
ROUNDS = 16


def solve(task: Task, advance: Advance) -> Answer:
    """The measure of every DMU."""
    given, labels = Scaled.of(task), task.data.labels
    kept = undominated_rows(np.column_stack([given.Y, -given.X]))
    p, q = _shares(task, given)
    open_, scores = np.arange(len(labels)), np.full(len(labels), np.nan)
    at = np.tile(WIDE, (len(labels), given.Y.shape[1], 1))
    near, width = np.ones(given.y.shape), np.full(given.y.shape, np.inf)
    lam = Sparse(np.full((len(labels), 1), -1, dtype=np.int32), np.zeros((len(labels), 1)))
    weights = np.full((len(labels), sum(given.x.shape[1:] + given.y.shape[1:])), np.nan)
    for _ in range(ROUNDS):
        solved = _round(task, given, kept, (p, q, at), open_)
        lam = prefer(open_, placed(solved.shared["lam"], kept), lam)
        weights[open_] = _duals(given, solved)
        value = _measure(given, lam, p, q)[0][open_]
        scores[open_] = np.where(np.isnan(solved.objective), np.nan, value)
        phi = np.column_stack([solved.values[f"phi[{r}]"] for r in range(given.Y.shape[1])])
        far = value - solved.objective > CLOSE
        near[open_], width[open_] = phi, _narrowed(phi, near[open_], width[open_])
        open_ = open_[far]
        if not len(open_):
            break
        steps = 1 + width[:, :, None] * np.linspace(-1.0, 1.0, MORE)
        at = np.concatenate(
            [at, np.maximum(near[:, :, None] * np.where(np.isinf(steps), 1.0, steps), 1.0)], axis=2
        )
    advance(len(labels))
    return _answer(task, given, kept, scores, lam, weights)


def _shares(task: Task | Answer, given: Scaled) -> tuple[np.ndarray, np.ndarray]:
    """One over the number of a DMU's metrics that are not 0, for each of them; the input that
    everybody has is none.
    """
    p = (given.x > 0) * float(task.data.inputs.shape[1] > 0)
    q = (given.y > 0) * 1.0
    number = np.maximum(p.sum(axis=1) + q.sum(axis=1), 1.0)[:, None]
    return p / number, q / number


def _narrowed(phi: np.ndarray, before: np.ndarray, width: np.ndarray) -> np.ndarray:
    """How far around φ the next tangents touch, as a share of it: closer, unless it moved to where
    they ended.
    """
    moved = np.abs(phi / before - 1.0)
    return np.where(
        np.isinf(width),
        0.5,
        np.where(moved > width, np.minimum(2 * width, 0.5), np.maximum(width / 4, NARROW)),
    )


def _round(
    task: Task, given: Scaled, kept: np.ndarray, at: tuple[np.ndarray, ...], who: np.ndarray
) -> Solutions:
    p, q, places = (part[who] for part in at)
    form = _form(given.X.shape[1], given.Y.shape[1], given.returns, places.shape[2])
    flat = places.reshape(len(who), -1)
    tested = np.column_stack([given.x[who], given.y[who], p, q, 1.0 / flat**2, 2.0 / flat])
    return solve_each(
        form,
        np.column_stack([given.X, given.Y])[kept],
        tested,
        name=lambda k: str(task.data.labels[who[k]]),
    )


def _duals(given: Scaled, solved: Solutions) -> np.ndarray:
    """u, then v, of scaled metrics."""
    return np.column_stack(
        [
            *(solved.duals[f"outputs[{r}]"] for r in range(given.Y.shape[1])),
            *(-solved.duals[f"inputs[{i}]"] for i in range(given.X.shape[1])),
        ]
    )


def _measure(
    given: Scaled, lam: Sparse, p: np.ndarray, q: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The measure that λ reaches, and by how much λ breaks a constraint."""
    used, made, total = lam.dot(given.X), lam.dot(given.Y), lam.values.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = (p * np.where(p > 0, used / given.x, 0.0)).sum(axis=1) + (
            q * np.where(q > 0, given.y / made, 0.0)
        ).sum(axis=1)
    low, high = total_lambda(given.returns)
    return value, np.maximum.reduce(
        [(used - given.x).max(axis=1), (given.y - made).max(axis=1), low - total, total - high]
    )


def _answer(
    task: Task,
    given: Scaled,
    kept: np.ndarray,
    scores: np.ndarray,
    lam: Sparse,
    weights: np.ndarray,
) -> Answer:
    labels, names = task.data.labels, metrics(task.data)
    slacks = np.maximum(
        slacks_of(task, lam, task.data.inputs.to_numpy(), task.data.outputs.to_numpy()), 0.0
    )
    slacks[np.isnan(scores)] = np.nan
    unit = np.append(given.unit_y, given.unit_x)
    zero = [
        f"'{name}' is 0 for {int((values == 0).sum())} of {len(values)} classifiers and leaves the mean of their factors"
        for name, values in task.data.outputs.join(task.data.inputs).items()
        if (values == 0).any()
    ]
    own = pd.DataFrame((weights / unit)[:, : len(names)], index=labels, columns=names)
    if not task.data.inputs.shape[1]:
        own["u_0"] = -weights[:, -1]
    none = (slacks / unit[: len(names)]).max(axis=1, initial=0.0) <= TOLERANCE
    return Answer(
        scores=pd.Series(scores, index=labels, name="efficiency"),
        slacks=pd.DataFrame(slacks, index=labels, columns=names),
        weights=own,
        intensities=lam,
        efficient=pd.Series((scores >= 1 - TOLERANCE) & none, index=labels, name="efficient"),
        data=replace(task.data, notes=(*task.data.notes, *zero)),
        reference=task.reference,
        options=task.options,
        own_reference=task.own_reference,
        frontier=kept,
        reasons={labels[k]: OUTSIDE for k in np.flatnonzero(np.isnan(scores)).tolist()},
        path="by HiGHS, in rounds of tangents",
    )


def prove(answer: Answer) -> Proof:
    """The measure that λ reaches, and that which the weights allow, against all reference DMUs."""
    given, names = Scaled.of(answer), metrics(answer.data)
    p, q = _shares(answer, given)
    primal, broken = _measure(given, answer.intensities, p, q)
    u = answer.weights[answer.data.outputs.columns].to_numpy() * given.unit_y
    inputs = answer.data.inputs.shape[1] > 0
    v = (
        answer.weights[answer.data.inputs.columns].to_numpy() * given.unit_x
        if inputs
        else -answer.weights[["u_0"]].to_numpy()
    )
    most, beyond = support(given, u, v)
    dual = np.minimum(p - v * given.x, 0.0).sum(axis=1) + _least(q, u * given.y).sum(axis=1) - most
    scores, nan = answer.scores.to_numpy(), answer.scores.isna().to_numpy()
    wrong = np.maximum.reduce([beyond, -u.min(axis=1), -v.min(axis=1)])
    frame = pd.DataFrame(
        {
            "primal": primal,
            "dual": dual,
            "gap": np.abs(primal - dual),
            "primal_infeasibility": np.maximum(broken, 0.0),
            "dual_infeasibility": np.maximum(wrong, 0.0),
        },
        index=answer.scores.index,
    )
    frame[nan] = np.nan
    found = np.column_stack(
        [answer.intensities.dot(given.Y) - given.y, given.x - answer.intensities.dot(given.X)]
    )[:, : len(names)]
    unit = np.append(given.unit_y, given.unit_x)[: len(names)]
    none = (scores >= 1 - TOLERANCE) & (found.max(axis=1) <= TOLERANCE)
    return Proof(
        frame,
        {
            **{
                name: frame[name].to_numpy()
                for name in ("gap", "primal_infeasibility", "dual_infeasibility")
            },
            "distance_of_the_score_from_its_proof": np.abs(primal - scores),
            "distance_of_the_slacks_from_their_proof": np.abs(
                answer.slacks.to_numpy() / unit - found
            ).max(axis=1),
            "efficient": np.where(nan, 0.0, answer.efficient.to_numpy() != none).astype(float),
        },
    )


def _least(q: np.ndarray, worth: np.ndarray) -> np.ndarray:
    """The least of q/φ + worth φ over φ ≥ 1."""
    phi = np.maximum(np.sqrt(q / np.where(worth > 0, worth, 1.0)), 1.0)
    return np.asarray(np.where(worth > 0, q / phi + worth * phi, 0.0))


@lru_cache(maxsize=64)
def _form(m: int, s: int, returns: str, tangents: int) -> Template:
    import deabench_models

    own: dict[str, dict[Any, float]] = {
        "x_o": dict.fromkeys(range(m), 1.0),
        "y_o": dict.fromkeys(range(s), 1.0),
    }
    counts: dict[str, dict[Any, float]] = {
        "p": dict.fromkeys(range(m), 1.0),
        "q": dict.fromkeys(range(s), 1.0),
    }
    touch = {(r, k): 1.0 for r in range(s) for k in range(tangents)}
    return compile_template(
        deabench_models.russell_graph,
        {"X": range(m), "Y": range(s)},
        own | counts | {"slope": touch, "level": touch},
        returns=returns,
    )


def meaning(score: float, _: Any) -> str:
    """What the measure says."""
    return f"inputs could shrink, and outputs grow, each by its own factor, to {100 * score:.1f} % in the mean"
