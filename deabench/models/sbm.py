"""The slacks-based measure (Tone 2001): what is left to gain in every metric counts, not one factor
for all.

The dual of `deabench_models.slacks_based` proves it: with V_i ≥ p_i, U_r ≥ ξ q_r, w signed by the
returns to scale, and V·X_j − U·Y_j − w ≥ 0 for all reference DMUs, no combination makes the measure
smaller than ξ ≤ 1 − V·x_o + U·y_o + w."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import pandas as pd

from deabench.geometry.dominance import undominated_rows
from deabench.models import infeasibility, single_peers
from deabench.models.scaled_data import Scaled, metrics, slacks_of, total_lambda
from deabench.proofs import reasons as why
from deabench.results.answer import Answer, Task
from deabench.results.model import Advance, Model, Technology
from deabench.results.proof import Proof
from deabench.solver.solve_all import Solutions, solve_each
from deabench.solver.template import Template, compile_template
from deabench.tables.transforms import Data
from deabench.tables.validation import Allowed
from deabench.utils.arrays import TOLERANCE, Sparse

OUTSIDE = "no mix of the reference uses as little and gives as much"
UNBOUNDED = "a reference DMU without inputs can be multiplied without end"


def solve(task: Task, advance: Advance) -> Answer:
    """The measure of every DMU; those that reach 1 in one orientation are asked in both, for they
    may still have slack.
    """
    if getattr(task.options, "technology", "") == "fdh":
        answer = single_peers.solve(task, _measure(task), np.ones(len(task.data.labels)))
        return replace(
            answer, scores=(-answer.scores).rename("efficiency"), data=_said(answer.data)
        )
    given, who = Scaled.of(task), np.arange(len(task.data.labels))
    kept, names = undominated_rows(np.column_stack([given.Y, -given.X])), metrics(task.data)
    solved = _solved(task, kept, who, task.options.orientation, advance)
    scores, reasons = _scores(solved, task.data.labels)
    lam = _peers(solved, kept)
    slacks = pd.DataFrame(_slacks(task, lam, who), index=scores.index, columns=names)
    slacks[scores.isna()] = np.nan
    efficient = (scores >= 1 - TOLERANCE).rename("efficient")
    if task.options.orientation != "none" and efficient.any():
        who = np.flatnonzero(efficient)
        both = _solved(task, kept, who, "none", lambda _: None)
        efficient.iloc[who] = both.objective >= 1 - TOLERANCE
    gone = np.flatnonzero(scores.isna())
    return Answer(
        scores=scores,
        slacks=slacks,
        weights=_weights(given, solved, task),
        intensities=lam,
        efficient=efficient,
        infeasibility_certificates=infeasibility.rays(task, given, kept, gone)
        if len(gone)
        else None,
        data=_said(task.data),
        reference=task.reference,
        options=task.options,
        own_reference=task.own_reference,
        frontier=kept,
        reasons=reasons,
        path=f"by HiGHS ({len(scores)} solves)",
    )


def _measure(task: Task | Answer) -> single_peers.Measure:
    """−the measure of single peers, by the slacks that they leave."""
    given = Scaled.of(task)
    (p, q), s = _counts(task.data, given, task.options.orientation), given.Y.shape[1]

    def measure(left: np.ndarray, rows: slice) -> np.ndarray:
        spare, gain = (
            np.einsum("kjc,kc->kj", part, counts[rows])
            for part, counts in ((left[..., s:], p), (left[..., :s], q))
        )
        return np.asarray(-(1 - spare) / (1 + gain))

    return measure


def _solved(
    task: Task, kept: np.ndarray, who: np.ndarray, orientation: str, advance: Advance
) -> Solutions:
    given = Scaled.of(task)
    p, q = _counts(task.data, given, orientation)
    form = _form(given.X.shape[1], given.Y.shape[1], given.returns)
    tested = np.column_stack([given.x, given.y, p, q])[who]
    return solve_each(
        form,
        np.column_stack([given.X, given.Y])[kept],
        tested,
        name=lambda k: str(task.data.labels[who[k]]),
        advance=advance,
    )


def _counts(data: Data, given: Scaled, orientation: str) -> tuple[np.ndarray, np.ndarray]:
    """What a unit of slack counts, p (K, m) and q (K, s): the inverse of the metric's own value,
    over their number; 0 where the value is 0, where only the other side is to change, and for the
    input that everybody has.
    """
    p, q = _inverse(given.x), _inverse(given.y)
    if orientation == "output" or not data.inputs.shape[1]:
        p = np.zeros_like(p)
    return p, np.zeros_like(q) if orientation == "input" else q


def _inverse(values: np.ndarray) -> np.ndarray:
    positive = values > 0
    return np.asarray(
        np.where(positive, 1.0 / np.where(positive, values, 1.0), 0.0)
        / np.maximum(positive.sum(axis=1), 1)[:, None]
    )


def _scores(solved: Solutions, labels: pd.Index) -> tuple[pd.Series, dict[object, str]]:
    value = np.where(solved.values["t"] > 0, solved.objective, np.nan)
    reasons = {
        labels[k]: OUTSIDE if k in solved.infeasible else UNBOUNDED
        for k in np.flatnonzero(np.isnan(value)).tolist()
    }
    return pd.Series(value, index=labels, name="efficiency"), reasons


def _peers(solved: Solutions, kept: np.ndarray) -> Sparse:
    """λ = Λ/t, by the position in the whole reference."""
    lam, t = solved.shared["lam"], solved.values["t"][:, None]
    columns = np.where((lam.columns >= 0) & (t > 0), kept[np.maximum(lam.columns, 0)], -1).astype(
        np.int32
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        return Sparse(columns, np.where(columns >= 0, np.maximum(lam.values, 0.0) / t, 0.0))


def _slacks(task: Task | Answer, lam: Sparse, who: np.ndarray) -> np.ndarray:
    found = slacks_of(
        task, lam, task.data.inputs.to_numpy()[who], task.data.outputs.to_numpy()[who]
    )
    return np.asarray(np.maximum(found, 0.0))


def _weights(given: Scaled, solved: Solutions, task: Task) -> pd.DataFrame:
    """U and V, in the metrics' own units, and u_0 = w; the input that everybody has goes into u_0."""
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
    frame = pd.DataFrame(
        np.column_stack([u, v]), index=task.data.labels, columns=metrics(task.data)
    )
    return frame if given.returns == "crs" else frame.assign(u_0=w)


def _said(data: Data) -> Data:
    """The data with a note where a metric of 0 does not count."""
    notes = [
        f"'{name}' is 0 for {int(zero.sum())} of {len(zero)} classifiers and leaves the mean of their measure"
        for name in metrics(data)
        if (zero := data.outputs.join(data.inputs)[name] == 0).any()
    ]
    return replace(data, notes=(*data.notes, *notes))


def prove(answer: Answer) -> Proof:
    """The measure that λ reaches, and that which the weights allow, against all reference DMUs."""
    if getattr(answer.options, "technology", "") == "fdh":
        return single_peers.prove(
            answer, _measure(answer), np.ones(len(answer.scores)), np.negative
        )
    given, lam = Scaled.of(answer), answer.intensities
    p, q = _counts(answer.data, given, answer.orientation)
    spare, gain = given.x - lam.dot(given.X), lam.dot(given.Y) - given.y
    low, high = total_lambda(given.returns)
    total = lam.values.sum(axis=1)
    broken = np.maximum.reduce(
        [-spare.min(axis=1), -gain.min(axis=1), low - total, total - high, -lam.values.min(axis=1)]
    )
    primal = (1 - (p * np.maximum(spare, 0)).sum(axis=1)) / (
        1 + (q * np.maximum(gain, 0)).sum(axis=1)
    )
    dual, wrong = _dual(answer, given, p, q)
    scores, nan = answer.scores.to_numpy(), answer.scores.isna().to_numpy()
    frame = pd.DataFrame(
        {
            "primal": primal,
            "dual": dual,
            "gap": np.abs(primal - dual),
            "primal_infeasibility": np.maximum(broken, 0),
            "dual_infeasibility": wrong,
        },
        index=answer.scores.index,
    )
    frame[nan] = np.nan
    slack = np.column_stack([gain * given.unit_y, spare * given.unit_x])[
        :, : answer.slacks.shape[1]
    ]
    unit = np.append(given.unit_y, given.unit_x)[: answer.slacks.shape[1]]
    return Proof(
        frame,
        {
            **{
                name: frame[name].to_numpy()
                for name in ("gap", "primal_infeasibility", "dual_infeasibility")
            },
            "distance_of_the_score_from_its_proof": np.abs(frame["primal"].to_numpy() - scores),
            "distance_of_the_slacks_from_their_proof": np.abs(
                (answer.slacks.to_numpy() - slack) / unit
            ).max(axis=1),
            **_efficient(answer),
            "reason": why.reason_violations(
                answer,
                {OUTSIDE: infeasibility.proved(answer, given), UNBOUNDED: endless(answer, given)},
            ),
        },
        ()
        if answer.orientation == "none"
        else ("whether a DMU that reaches 1 in one orientation is efficient in both",),
    )


def endless(answer: Answer, given: Scaled) -> np.ndarray:
    """Whether a reference DMU gives something for nothing, and may be multiplied: bool (n,), for
    all the same.
    """
    free = (~given.X.any(axis=1) & given.Y.any(axis=1)).any() and given.returns in ("crs", "ndrs")
    return np.full(len(answer.scores), bool(free) and answer.orientation != "input")


def _dual(
    answer: Answer, given: Scaled, p: np.ndarray, q: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The measure that the weights allow, and by how much they break a constraint, over the size of
    the weights.
    """
    weights = answer.weights
    u = weights[answer.data.outputs.columns].to_numpy() * given.unit_y
    inputs = answer.data.inputs.shape[1] > 0
    v = (
        weights[answer.data.inputs.columns].to_numpy() * given.unit_x
        if inputs
        else np.zeros((len(u), 1))
    )
    w = weights["u_0"].to_numpy() if "u_0" in weights else np.zeros(len(u))
    value = 1 - (v * given.x).sum(axis=1) + (u * given.y).sum(axis=1) + w
    beyond = (u @ given.Y.T - v @ given.X.T + w[:, None]).max(axis=1)
    low, high = total_lambda(given.returns)
    sign = np.maximum(
        np.where(low == 0, w, 0.0), np.where(high == np.inf, -w, 0.0)
    )  # nirs: w ≤ 0; ndrs: w ≥ 0; crs: w = 0
    short = np.maximum((p - v).max(axis=1), (value[:, None] * q - u).max(axis=1))
    size = np.maximum(np.abs(np.column_stack([u, v, w])).max(axis=1), 1.0)
    return value, np.maximum.reduce([beyond, sign, short, np.zeros(len(u))]) / size


def _efficient(answer: Answer) -> dict[str, np.ndarray]:
    """In both orientations at once a DMU is efficient exactly where the measure is 1; in one it is
    not, below 1.
    """
    one, said = answer.scores.to_numpy() >= 1 - TOLERANCE, answer.efficient.to_numpy()
    return {
        "efficient": (said != one if answer.orientation == "none" else said & ~one).astype(float)
    }


@lru_cache(maxsize=64)
def _form(m: int, s: int, returns: str) -> Template:
    import deabench_models

    own = {"x_o": dict.fromkeys(range(m), 1.0), "y_o": dict.fromkeys(range(s), 1.0)}
    counts = {"p": dict.fromkeys(range(m), 1.0), "q": dict.fromkeys(range(s), 1.0)}
    return compile_template(
        deabench_models.slacks_based, {"X": range(m), "Y": range(s)}, own | counts, returns=returns
    )


def meaning(score: float, options: Any) -> str:
    """What the measure says."""
    share = f"{100 * (1 - score):.1f} %"
    if options.orientation == "input":
        return f"on average {share} of every input is spare"
    if options.orientation == "output":
        return f"on average every output could grow by {100 * (1 / score - 1):.1f} %"
    return f"inputs to spare and outputs to gain take {share} off its measure, all metrics counted alike"


@dataclass(frozen=True, kw_only=True)
class SBM(Model):
    """The slacks-based measure (Tone 2001), or ERG."""

    name = "sbm"
    title = "slacks-based measure: the mean of what is left to gain in each metric (SBM, ERG)"
    equation = "(slacks-based)"

    returns: Literal["crs", "vrs", "nirs", "ndrs"] = "crs"
    orientation: Literal["none", "input", "output"] = "none"
    technology: Technology = "convex"

    def allows(self) -> tuple[Allowed, ...]:
        return ("zero outputs",)

    def solve(self, task: Task, advance: Advance) -> Answer:
        return solve(task, advance)

    def prove(self, answer: Answer) -> Proof:
        return prove(answer)

    def meaning(self, score: float) -> str:
        return meaning(score, self)
