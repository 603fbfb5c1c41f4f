"""Radial efficiency where weights are restricted, or Σ λ is bounded: solved DMU by DMU, and proved
from both sides.

λ and the trade-offs π reach the score; weights that keep every restriction prove that no more is to
be had: φ u·y_o ≤ h + v·x_o (or θ v·x_o ≥ u·y_o − h), where h is the largest u·y − v·x of any
possible production."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from deabench.geometry.dominance import undominated_rows
from deabench.models.scaled_data import (
    Scaled,
    metrics,
    pareto_efficient,
    placed,
    prefer,
    support,
    total_lambda,
)
from deabench.models.weight_restrictions import Bounds, trade_offs
from deabench.proofs import structure
from deabench.results.answer import Answer, Task
from deabench.results.model import Advance
from deabench.results.proof import Proof
from deabench.solver.solve_all import Solutions, solve_each
from deabench.solver.template import Template, compile_template
from deabench.utils.arrays import TOLERANCE

INWARD = 1e-13
OUTSIDE = "no mix of the reference reaches it, whatever the factor"
NONE = "no weights keep the bounds given"


def asked(task: Task | Answer) -> bool:
    """Whether any restriction is."""
    return bool(task.options.is_restricted)


def solve(task: Task, advance: Advance) -> Answer:
    """Both stages for every DMU."""
    given, kept, labels = Scaled.of(task), _kept(task), task.data.labels
    traded, outward = _traded(task, given), task.options.orientation == "output"
    first = _solved(task, given, kept, traded, task.options.orientation, advance)
    with np.errstate(divide="ignore"):
        level = first.objective
        values = np.where(level > 0, 1.0 / level if outward else level, np.nan)
    lam, pi = placed(first.shared["lam"], kept), _pi(first, traded.shape[1])
    known = np.flatnonzero(~np.isnan(values))
    if len(known):
        there = replace(
            given,
            x=given.x * (1.0 if outward else level[:, None]) + INWARD,
            y=given.y * (level[:, None] if outward else 1.0) - INWARD,
        )
        second = _solved(task, _rows(there, known), kept, traded[known], "slacks", lambda _: None)
        found = ~np.isnan(second.objective)
        lam = prefer(known[found], placed(second.shared["lam"], kept)[found], lam)
        pi[known[found]] = _pi(second, traded.shape[1])[found]
    lam.values[lam.values < 100 * INWARD] = 0.0  # what the drawing back left
    scores = pd.Series(values, index=labels, name="efficiency")
    slacks = _slacks(given, scores.to_numpy(), _reach(given, lam, pi, traded), task, outward)
    words = {k: NONE if "nbounded" in text else OUTSIDE for k, text in first.infeasible.items()}
    reasons = {
        labels[k]: words.get(k, "its factor is 0")
        for k in np.flatnonzero(np.isnan(values)).tolist()
    }
    return Answer(
        scores=scores,
        slacks=slacks,
        weights=_weights(given, first, task, scores.to_numpy()),
        intensities=lam,
        efficient=pareto_efficient(scores, slacks, task.data),
        data=task.data,
        reference=task.reference,
        options=task.options,
        own_reference=task.own_reference,
        frontier=kept,
        reasons=reasons,
        path=f"by HiGHS ({len(values)} solves, and their slacks)",
        tables={"trade_offs": pd.DataFrame(pi, index=labels)},
    )


def _kept(task: Task) -> np.ndarray:
    """The undominated reference DMUs: who dominates another can take its place, whatever Σ λ has to
    be.
    """
    return undominated_rows(np.column_stack([task.reference.outputs, -task.reference.inputs]))


def _rows(given: Scaled, who: np.ndarray) -> Scaled:
    return replace(given, x=given.x[who], y=given.y[who])


def _sums(task: Task | Answer, given: Scaled) -> Bounds:
    sums: Bounds | None = getattr(task.options, "sums", None)
    return total_lambda(given.returns) if sums is None else sums


def _traded(task: Task | Answer, given: Scaled) -> np.ndarray:
    """The trade-offs of every DMU, (K, rows, s + m): what they add to u, and take from v."""
    values, unit = np.column_stack([given.y, given.x]), np.append(given.unit_y, given.unit_x)
    return trade_offs(
        task.options.shares or {},
        task.options.ratios or {},
        metrics(task.data),
        values,
        unit,
        given.Y.shape[1],
    )


def _solved(
    task: Task, given: Scaled, kept: np.ndarray, traded: np.ndarray, form: str, advance: Advance
) -> Solutions:
    s, (n, rows, width) = given.Y.shape[1], traded.shape
    tested = np.column_stack(
        [
            given.x,
            given.y,
            traded[:, :, :s].reshape(n, rows * s),
            -traded[:, :, s:].reshape(n, rows * (width - s)),
        ]
    )
    compiled = _form(f"restricted_{form}", given.X.shape[1], s, rows, _sums(task, given))
    return solve_each(
        compiled,
        np.column_stack([given.X, given.Y])[kept],
        tested,
        name=lambda k: str(task.data.labels[k]),
        advance=advance,
    )


def _pi(solved: Solutions, rows: int) -> np.ndarray:
    found = [np.maximum(solved.values[f"pi[{k}]"], 0.0) for k in range(rows)]
    return np.column_stack([np.zeros((len(solved.objective), 0)), *found])


def _reach(
    given: Scaled, lam: object, pi: np.ndarray, traded: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What λ and the trade-offs make, and use, in scaled metrics."""
    s = given.Y.shape[1]
    moved = np.einsum("nk,nkc->nc", np.nan_to_num(pi), traded)
    return lam.dot(given.Y) + moved[:, :s], lam.dot(given.X) - moved[:, s:]  # type: ignore[attr-defined]


def _slacks(
    given: Scaled,
    scores: np.ndarray,
    reach: tuple[np.ndarray, np.ndarray],
    task: Task,
    outward: bool,
) -> pd.DataFrame:
    made, used = reach
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = made - (given.y / scores[:, None] if outward else given.y)
        spare = (given.x if outward else given.x * scores[:, None]) - used
    names = metrics(task.data)
    both = np.column_stack([gain * given.unit_y, spare * given.unit_x])[:, : len(names)]
    both = np.where(np.isnan(scores)[:, None], np.nan, np.maximum(both, 0.0))
    return pd.DataFrame(both, index=task.data.labels, columns=names)


def _weights(given: Scaled, solved: Solutions, task: Task, scores: np.ndarray) -> pd.DataFrame:
    """Multipliers in the metrics' own units, as those of the free model: u·y_o = 1, or v·x_o = 1;
    without inputs w·y_o is the score.
    """
    sign = -1.0 if task.options.orientation == "output" else 1.0
    u = np.column_stack([sign * solved.duals[f"outputs[{r}]"] for r in range(given.Y.shape[1])])
    v = np.column_stack([-sign * solved.duals[f"inputs[{i}]"] for i in range(given.X.shape[1])])
    if not task.data.inputs.shape[1]:
        return pd.DataFrame(
            u / given.unit_y * scores[:, None],
            index=task.data.labels,
            columns=task.data.outputs.columns,
        )
    frame = pd.DataFrame(
        np.column_stack([u / given.unit_y, v / given.unit_x]),
        index=task.data.labels,
        columns=metrics(task.data),
    )
    low, high = _sums(task, given)
    return (
        frame
        if (low, high) == (0.0, np.inf)
        else frame.assign(u_0=-sign * support(given, u, v, (low, high))[0])
    )


def prove(answer: Answer) -> Proof:
    """The efficiency that λ and the trade-offs reach, and that which the weights allow, against all
    reference DMUs.
    """
    given, scores = Scaled.of(answer), answer.scores.to_numpy()
    outward, sums, traded = (
        answer.orientation == "output",
        _sums(answer, given),
        _traded(answer, given),
    )
    known = structure.require_table(
        answer, "trade_offs", rows=answer.scores.index, columns=range(traded.shape[1])
    )
    pi, lam = known.to_numpy(dtype=float).reshape(len(scores), -1), answer.intensities
    made, used = _reach(given, lam, pi, traded)
    gain = made - (given.y / scores[:, None] if outward else given.y)
    spare = (given.x if outward else given.x * scores[:, None]) - used
    total = lam.values.sum(axis=1)
    broken = np.maximum.reduce(
        [
            -gain.min(axis=1),
            -spare.min(axis=1),
            sums[0] - total,
            total - sums[1],
            -pi.min(axis=1, initial=0.0),
            -lam.values.min(axis=1),
        ]
    )
    u = answer.weights[answer.data.outputs.columns].to_numpy() * given.unit_y
    inputs = answer.data.inputs.shape[1] > 0
    v = (
        answer.weights[answer.data.inputs.columns].to_numpy() * given.unit_x
        if inputs
        else np.zeros((len(u), 1))
    )
    most, beyond = support(given, u, v, sums)
    worth, cost = (u * given.y).sum(axis=1), (v * given.x).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        dual = worth / (most + cost) if outward else (worth - most) / cost
    both = np.column_stack([u, v])
    kept = np.einsum("nkc,nc->nk", traded, both).max(axis=1, initial=0.0)
    wrong = np.maximum.reduce([kept, beyond, -both.min(axis=1), np.zeros(len(u))]) / np.maximum(
        np.abs(both).max(axis=1), 1e-300
    )
    frame = pd.DataFrame(
        {
            "primal": scores,
            "dual": dual,
            "gap": np.abs(scores - dual),
            "primal_infeasibility": np.maximum(broken, 0.0),
            "dual_infeasibility": wrong,
        },
        index=answer.scores.index,
    )
    frame[answer.scores.isna()] = np.nan
    names = metrics(answer.data)
    unit = np.append(given.unit_y, given.unit_x)[: len(names)]
    slack = np.column_stack([gain, spare])[:, : len(names)]
    return Proof(
        frame,
        {
            "gap": frame["gap"].to_numpy() / np.maximum(np.abs(scores), 1.0),
            "primal_infeasibility": frame["primal_infeasibility"].to_numpy(),
            "dual_infeasibility": frame["dual_infeasibility"].to_numpy(),
            "distance_of_the_slacks_from_their_proof": np.abs(
                answer.slacks.to_numpy() / unit - slack
            ).max(axis=1),
            "efficient": (
                answer.efficient.to_numpy()
                & ~((scores >= 1 - TOLERANCE) & (slack.max(axis=1) <= TOLERANCE))
            ).astype(float),
        },
        ("that no other peers have larger slacks", "that those not called efficient are not"),
    )


@lru_cache(maxsize=64)
def _form(name: str, m: int, s: int, rows: int, sums: Bounds) -> Template:
    import deabench_models

    own: dict[str, dict[Any, float]] = {
        "x_o": dict.fromkeys(range(m), 1.0),
        "y_o": dict.fromkeys(range(s), 1.0),
    }
    trades: dict[str, dict[Any, float]] = {
        "A": {(k, r): 1.0 for k in range(rows) for r in range(s)},
        "B": {(k, i): 1.0 for k in range(rows) for i in range(m)},
    }
    bounds = (sums[0] or None, sums[1] if np.isfinite(sums[1]) else None)
    return compile_template(
        getattr(deabench_models, name), {"X": range(m), "Y": range(s)}, own | trades, sums=bounds
    )
