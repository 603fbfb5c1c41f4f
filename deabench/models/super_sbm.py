"""Super-efficiency by slacks (Tone 2002): where the slacks-based measure is 1, how far the others
are from doing as well.

The dual of `deabench_models.super_slacks_based` proves it: with v_i x_i ≤ p_i and u_r y_r ≤ q_r ξ,
no mix of the others makes δ smaller than ξ = 1 − v·x_o + u·y_o − h, where h is the largest u·y −
v·x of what the others can do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import pandas as pd

from deabench.models import infeasibility, sbm
from deabench.models.scaled_data import Scaled, placed, prefer, support, total_lambda
from deabench.models.superefficiency import places, two_layers
from deabench.proofs import reasons as why
from deabench.results.answer import Answer, Task, take_rows
from deabench.results.model import Advance, Model
from deabench.results.proof import Proof
from deabench.solver.solve_all import Solutions, solve_each
from deabench.solver.template import Template, compile_template
from deabench.tables.validation import Allowed
from deabench.utils.arrays import TOLERANCE, Sparse

ALONE = "the others do not reach it by changes in its metrics"


def solve(task: Task, advance: Advance) -> Answer:
    """The slacks-based measure, and where it is 1 the distance to what the others can do."""
    base = sbm.solve(task, advance)
    who = np.flatnonzero(base.scores.to_numpy() >= 1 - TOLERANCE)
    if not task.own_reference or not len(who):
        return base
    given, at = Scaled.of(task), places(task)[who]
    kept = two_layers(np.column_stack([given.Y, -given.X]), at)
    p, q = _shares(given, base)
    form = _form(given.X.shape[1], given.Y.shape[1], given.returns, _change(base))
    solved = solve_each(
        form,
        np.column_stack([given.X, given.Y])[kept],
        np.column_stack([given.x, given.y, p, q])[who],
        without=np.searchsorted(kept, at),
        name=lambda k: str(task.data.labels[who[k]]),
    )
    scores, weights, slacks = base.scores.copy(), base.weights.copy(), base.slacks.copy()
    scores.iloc[who], slacks.iloc[who] = solved.objective, 0.0
    weights.iloc[who] = _weights(given, solved, weights, task)
    gone = who[np.isnan(solved.objective)]
    slacks.iloc[gone] = np.nan
    with np.errstate(divide="ignore", invalid="ignore"):
        lam = solved.shared["lam"].values / solved.values["t"][:, None]
    intensities = prefer(
        who,
        placed(Sparse(solved.shared["lam"].columns, np.nan_to_num(lam)), kept),
        base.intensities,
    )
    rays = (
        infeasibility.rays(
            task, given, kept, gone, changes=_changes(given, base), without=places(task)
        )
        if len(gone)
        else None
    )
    return replace(
        base,
        scores=scores,
        weights=weights,
        slacks=slacks,
        intensities=intensities,
        infeasibility_certificates=infeasibility.together(base.infeasibility_certificates, rays),
        reasons=base.reasons | {task.data.labels[k]: ALONE for k in gone.tolist()},
        path=f"{base.path}, {len(who)} of them without themselves",
    )


def _change(answer: Answer) -> str:
    """Which side may change; the input that everybody has may not."""
    return answer.orientation if answer.data.inputs.shape[1] else "output"


def _shares(given: Scaled, answer: Answer) -> tuple[np.ndarray, np.ndarray]:
    """1 over the number of a DMU's inputs, and of its outputs, that are not 0; 0 where they are,
    and on the side that stays.
    """
    p, q = (
        (side > 0) / np.maximum((side > 0).sum(axis=1), 1)[:, None] for side in (given.x, given.y)
    )
    change = _change(answer)
    return p * (change != "output"), q * (change != "input")


def _changes(given: Scaled, answer: Answer) -> np.ndarray:
    """Which metrics of each DMU may change, (K, s + m), outputs first: not those that are 0."""
    change = _change(answer)
    return np.column_stack(
        [(given.y > 0) & (change != "input"), (given.x > 0) & (change != "output")]
    )


def _alone(answer: Answer, given: Scaled) -> np.ndarray:
    """For whom it is proved that the others do not come to it: bool (n,)."""
    out = infeasibility.proved(
        answer, given, changes=_changes(given, answer), without=places(answer)
    )
    if (
        _change(answer) != "input"
    ):  # or the others have none of its outputs, and no share of them is left
        has = given.y > 0
        others = (given.Y > 0).sum(axis=0) - has
        out |= ~(has & (others > 0)).any(axis=1) if answer.own_reference else False
    return np.asarray(out & answer.own_reference)


def _weights(given: Scaled, solved: Solutions, frame: pd.DataFrame, task: Task) -> np.ndarray:
    """u, v and w in the metrics' own units, in the columns of the slacks-based measure's."""
    u = (
        np.column_stack([solved.duals[f"outputs[{r}]"] for r in range(given.Y.shape[1])])
        / given.unit_y
    )
    v = (
        np.column_stack([-solved.duals[f"inputs[{i}]"] for i in range(given.X.shape[1])])
        / given.unit_x
    )
    w = solved.duals.get("returns_to_scale", np.zeros(len(u)))
    if not task.data.inputs.shape[1]:
        v, w = v[:, :0], w - v[:, 0]
    return np.column_stack([u, v, w])[:, : frame.shape[1]]


def prove(answer: Answer) -> Proof:
    """As for the slacks-based measure; where a DMU reaches 1, without itself in the reference."""
    scores = answer.scores.to_numpy()
    above = answer.own_reference & (
        (scores >= 1 - TOLERANCE) | (np.isnan(scores) & answer.efficient.to_numpy())
    )
    rest, who = np.flatnonzero(~above), np.flatnonzero(above)
    proofs = [(rest, sbm.prove(take_rows(answer, rest)))] if len(rest) else []
    proofs += [(who, _others(answer, who))] if len(who) else []
    frame = pd.concat([proof.frame for _, proof in proofs]).reindex(answer.scores.index)
    misses: dict[str, np.ndarray] = {}
    for rows, proof in proofs:
        for name, values in proof.violations.items():
            misses.setdefault(name, np.zeros(len(scores)))[rows] = values
    given = Scaled.of(answer)
    misses["reason"] = why.reason_violations(
        answer,
        {
            ALONE: _alone(answer, given),
            sbm.OUTSIDE: infeasibility.proved(answer, given),
            sbm.UNBOUNDED: sbm.endless(answer, given),
        },
    )
    return Proof(frame, misses, proofs[0][1].unclaimed if len(rest) else ())


def _others(answer: Answer, who: np.ndarray) -> Proof:
    """The proof of the DMUs `who`, each against the others."""
    given, one = Scaled.of(answer), take_rows(answer, who)
    p, q = (side[who] for side in _shares(given, answer))
    x, y, change = given.x[who], given.y[who], _change(answer)
    primal, broken = _reached(given, one, (x, y, p, q))
    u = one.weights[one.data.outputs.columns].to_numpy() * given.unit_y
    v = (
        one.weights[one.data.inputs.columns].to_numpy() * given.unit_x
        if one.data.inputs.shape[1]
        else np.zeros((len(u), 1))
    )
    most, beyond = np.empty(len(who)), np.empty(len(who))
    for row, k in enumerate(who.tolist()):
        others = replace(given, X=np.delete(given.X, k, axis=0), Y=np.delete(given.Y, k, axis=0))
        (most[row],), (beyond[row],) = support(others, u[[row]], v[[row]])
    dual = 1 - (v * x).sum(axis=1) + (u * y).sum(axis=1) - most
    over = np.maximum(-np.column_stack([u, v]).min(axis=1), beyond)
    if change != "output":
        over = np.maximum(over, (v * x - p).max(axis=1))
    if change != "input":
        over = np.maximum(over, (u * y - q * dual[:, None]).max(axis=1))
    own = (one.intensities.values * (one.intensities.columns == who[:, None])).sum(axis=1)
    size = np.maximum(np.abs(primal), 1.0)
    frame = pd.DataFrame(
        {
            "primal": primal,
            "dual": dual,
            "gap": np.abs(primal - dual),
            "primal_infeasibility": np.maximum(broken, 0.0),
            "dual_infeasibility": np.maximum(over, 0.0),
        },
        index=one.scores.index,
    )
    frame[one.scores.isna()] = np.nan
    said, certain = (
        one.efficient.to_numpy(dtype=bool),
        (answer.orientation == "none") | ~(one.scores.to_numpy() <= 1 + TOLERANCE),
    )
    slack = np.abs(
        one.slacks.to_numpy() / np.append(given.unit_y, given.unit_x)[: one.slacks.shape[1]]
    ).max(axis=1, initial=0.0)
    return Proof(
        frame,
        {
            "gap": frame["gap"].to_numpy() / size,
            "distance_of_the_slacks_from_their_proof": slack,
            "efficient": (certain & ~said).astype(float),
            "primal_infeasibility": frame["primal_infeasibility"].to_numpy(),
            "dual_infeasibility": frame["dual_infeasibility"].to_numpy()
            / np.maximum(np.abs(np.column_stack([u, v])).max(axis=1), 1.0),
            "distance_of_the_score_from_its_proof": np.abs(
                frame["primal"].to_numpy() - one.scores.to_numpy()
            )
            / size,
            "share_of_itself_among_its_peers": own,
        },
    )


def _reached(
    given: Scaled, one: Answer, own: tuple[np.ndarray, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """The δ that λ needs, and by how much it breaks what may not change."""
    x, y, p, q = own
    used, made, total = (
        one.intensities.dot(given.X),
        one.intensities.dot(given.Y),
        one.intensities.values.sum(axis=1),
    )
    change = _change(one)
    with np.errstate(divide="ignore", invalid="ignore"):
        sigma = np.where(x > 0, np.maximum(used / x - 1, 0.0), 0.0)
        tau = np.where(y > 0, np.maximum(1 - made / y, 0.0), 0.0)
    fixed_x, fixed_y = (x == 0) | (change == "output"), np.full(y.shape, change == "input")
    broken = np.maximum(
        np.where(fixed_x, used - x, 0.0).max(axis=1), np.where(fixed_y, y - made, 0.0).max(axis=1)
    )
    low, high = total_lambda(given.returns)
    broken = np.maximum.reduce([broken, low - total, total - high])
    with np.errstate(divide="ignore"):
        return (1 + (p * sigma).sum(axis=1)) / (1 - (q * tau).sum(axis=1)), broken


@lru_cache(maxsize=64)
def _form(m: int, s: int, returns: str, change: str) -> Template:
    import deabench_models

    own = {"x_o": dict.fromkeys(range(m), 1.0), "y_o": dict.fromkeys(range(s), 1.0)}
    counts = {"p": dict.fromkeys(range(m), 1.0), "q": dict.fromkeys(range(s), 1.0)}
    return compile_template(
        deabench_models.super_slacks_based,
        {"X": range(m), "Y": range(s)},
        own | counts,
        returns=returns,
        change=change,
    )


def meaning(score: float, options: Any) -> str:
    """What the measure says."""
    if score <= 1 + TOLERANCE:
        return sbm.meaning(score, options)
    return f"the others would have to change by {100 * (score - 1):.1f} % of its metrics to stand where it is"


@dataclass(frozen=True, kw_only=True)
class SuperSBM(Model):
    """Super-efficiency by slacks (Tone 2002)."""

    name = "super-sbm"
    title = (
        "slacks-based measure, each efficient DMU against the others; breaks ties at 1 (super-SBM)"
    )
    equation = "(super slacks-based)"

    returns: Literal["crs", "vrs", "nirs", "ndrs"] = "crs"
    orientation: Literal["none", "input", "output"] = "none"

    def allows(self) -> tuple[Allowed, ...]:
        return ("zero outputs",)

    def solve(self, task: Task, advance: Advance) -> Answer:
        return solve(task, advance)

    def prove(self, answer: Answer) -> Proof:
        return prove(answer)

    def meaning(self, score: float) -> str:
        return meaning(score, self)
