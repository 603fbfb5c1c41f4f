"""The slacks-based measure (Tone 2001): the slack of every metric counts, not one factor for all.

With the inverse values p_i = 1/(m x_io) and q_r = 1/(s y_ro), the measure of a DMU o is the least

    (1 − Σ p_i s_i⁻) / (1 + Σ q_r s_r⁺)    with  Xλ + s⁻ = x_o,  Yλ − s⁺ = y_o,  s⁻, s⁺, λ ≥ 0.

`deabench_models.slacks_based` solves it as a linear program (Charnes and Cooper 1962), in t and
Λ = tλ. The dual of that program proves the measure: with multipliers V_i ≥ p_i and U_r ≥ ξ q_r, a
free term w whose sign the returns to scale give, and V·X_j − U·Y_j − w ≥ 0 for all reference DMUs
j, no combination makes the measure smaller than ξ = 1 − V·x_o + U·y_o + w.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from deabench.models.shared import infeasibility, single_peers
from deabench.models.shared.own_slack import find_own_slack
from deabench.models.shared.scaled_data import (
    ScaledData,
    compile_program,
    metric_names,
    multiplier_frame,
    own_unit_multipliers,
    replace_rows,
    slacks_at_peers,
    zero_value_notes,
)
from deabench.models.shared.score_bounds import BoundedAnswer
from deabench.models.shared.slack_programs import solve_slacks
from deabench.proofs.reasons import reason_violations
from deabench.results.answer import Answer, Task
from deabench.results.model import Advance, Model, Monotone, Technology
from deabench.results.proof import Proof
from deabench.solver.solve_all import Solutions
from deabench.tables.transforms import Data
from deabench.tables.validation import Allowed
from deabench.utils.arrays import TOLERANCE, Sparse

OUTSIDE = "no mix of the reference uses as little and gives as much"
UNBOUNDED = "a reference DMU without inputs can be multiplied without end"


@dataclass(frozen=True, kw_only=True)
class SBM(Model):
    """The slacks-based measure (Tone 2001), also known as the enhanced Russell graph measure.

    Examples
    --------
    >>> import deabench as db
    >>> table = db.datasets.load("chao2022-wine1")
    >>> ranking = db.rank(table, outputs=["TPR", "TNR"], model=db.models.SBM(returns="vrs"))
    >>> ranking.scores.round(4).iloc[0]
    np.float64(0.6025)
    """

    name = "sbm"
    title = "slacks-based measure: the mean of what is left to gain in each metric (SBM, ERG)"
    equation = "(slacks-based)"
    formulations = ("slacks_based",)

    returns: Literal["crs", "vrs", "nirs", "ndrs"] = "crs"
    orientation: Literal["none", "input", "output"] = "none"
    technology: Technology = "convex"

    def allows(self) -> tuple[Allowed, ...]:
        """Return the data that the measure takes: an output of 0 leaves the mean."""
        return ("zero outputs",)

    @property
    def monotone(self) -> Monotone:
        """In what a better value never makes a score worse: a metric of 0 counts nothing."""
        return "reference"

    def solve(self, task: Task, advance: Advance) -> Answer:
        """Compute the measure of every DMU."""
        if self.technology == "fdh":
            return _solve_single_peers(task)
        return solve_convex(task, advance)

    def prove(self, answer: Answer) -> Proof:
        """Compute the measure that λ reaches and the one that the multipliers allow."""
        if self.technology == "fdh":
            measure = _single_peer_measure(answer)
            return single_peers.prove(answer, measure, np.ones(len(answer.scores)), np.negative)
        return prove_convex(answer)

    def meaning(self, score: float) -> str:
        """Say what the measure means."""
        return slacks_based_meaning(score, self.orientation)


def solve_convex(task: Task, advance: Advance) -> Answer:
    """Compute the measure of every DMU against mixtures of the reference."""
    scaled = ScaledData.of(task)
    # Only undominated reference DMUs can be peers; the programs have no other columns.
    candidates = scaled.undominated()
    everyone = np.arange(len(task.data.labels))
    solutions = _solve_programs(
        task, scaled, candidates, everyone, task.options.orientation, advance
    )

    # At t = 0 the program has no finite λ: a reference DMU gives something for nothing.
    values = np.where(solutions.values["t"] > 0, solutions.objective, np.nan)
    scores = pd.Series(values, index=task.data.labels, name="efficiency")
    undefined = np.flatnonzero(np.isnan(values))
    reasons = {
        scores.index[k]: OUTSIDE if k in solutions.infeasible else UNBOUNDED
        for k in undefined.tolist()
    }

    # Undo the transformation of Charnes and Cooper.
    lam = _intensities(solutions, candidates)
    weights, u_0 = own_unit_multipliers(task, scaled, solutions, sign=1.0, free_sign=-1.0)

    # One orientation ignores the slacks of the other side, and the mean those of metrics of 0: of
    # DMUs that reach 1 only those are efficient that have no slack at all.
    efficient = values >= 1 - TOLERANCE
    ignores_metric = has_metric_of_0(task) | (task.options.orientation != "none")
    rows = np.flatnonzero(efficient & ignores_metric)
    if len(rows):
        own = find_own_slack(task, candidates, rows, exact=task.exact)
        has_slack = own.total > TOLERANCE
        efficient[rows] = ~has_slack
        lam = replace_rows(rows[has_slack], own.intensities[has_slack], lam)
    slacks = slacks_at_peers(task, lam, np.isnan(values))

    return Answer(
        scores=scores,
        slacks=pd.DataFrame(slacks, index=scores.index, columns=metric_names(task.data)),
        weights=multiplier_frame(task, scaled, weights, u_0),
        intensities=lam,
        efficient=pd.Series(efficient, index=scores.index, name="efficient"),
        infeasibility_certificates=infeasibility.farkas_certificates(
            task, scaled, candidates, undefined
        ),
        data=_with_zero_notes(task.data),
        reference=task.reference,
        options=task.options,
        own_reference=task.own_reference,
        frontier=candidates,
        reasons=reasons,
        path=task.describe_path(),
    )


def has_metric_of_0(task: Task | Answer) -> np.ndarray:
    """Return which DMUs have a metric of 0, which no mean counts: bool (K,)."""
    values = np.column_stack([task.data.outputs.to_numpy(), task.data.inputs.to_numpy()])
    return np.asarray((values == 0).any(axis=1))


def _solve_programs(
    task: Task,
    scaled: ScaledData,
    candidates: np.ndarray,
    rows: np.ndarray,
    orientation: str,
    advance: Advance,
) -> Solutions:
    """Solve the linear programs of the DMUs at some positions against the candidates."""
    p, q = _slack_weights(scaled, orientation, has_inputs=bool(task.data.inputs.shape[1]))
    program = compile_program(
        "slacks_based",
        scaled.m,
        scaled.s,
        over_inputs=("x_o", "p"),
        over_outputs=("y_o", "q"),
        returns=scaled.returns,
    )
    shares = np.column_stack([p, q])[rows]
    return solve_slacks(task, scaled, program, candidates, rows, shares, 1.0, advance)


def _slack_weights(
    scaled: ScaledData, orientation: str, *, has_inputs: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return what a unit of slack counts: p (K, m) of inputs and q (K, s) of outputs.

    They are the inverse of the metric's own value over the number of values that are not 0; 0 where
    the value is 0, where only the other side may change, and for the input of 1 that every DMU of a
    table without inputs has.
    """
    p = _inverse_values(scaled.x)
    q = _inverse_values(scaled.y)
    if orientation == "output" or not has_inputs:
        p = np.zeros_like(p)
    if orientation == "input":
        q = np.zeros_like(q)
    return p, q


def _inverse_values(values: np.ndarray) -> np.ndarray:
    """Return 1 / (value · number of positive values in the row); 0 where the value is 0."""
    # A value of 0 has no share: it leaves the mean, and the others count more.
    is_positive = values > 0
    inverse = np.where(is_positive, 1.0 / np.where(is_positive, values, 1.0), 0.0)
    return np.asarray(inverse / np.maximum(is_positive.sum(axis=1), 1)[:, None])


def _intensities(solutions: Solutions, candidates: np.ndarray) -> Sparse:
    """Return λ = Λ/t by the positions in the whole reference; nothing where t is 0."""
    # The program knows Λ = tλ over the candidates only.
    scaled_lam = solutions.shared["lam"]
    t = solutions.values["t"][:, None]
    is_entry = (scaled_lam.columns >= 0) & (t > 0)
    columns = np.where(is_entry, candidates[np.maximum(scaled_lam.columns, 0)], -1)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.where(is_entry, np.maximum(scaled_lam.values, 0.0) / t, 0.0)
    return Sparse(columns.astype(np.int32), values)


def _with_zero_notes(data: Data) -> Data:
    """Return the data with a note on each metric that has zeros."""
    notes = zero_value_notes(data.outputs.join(data.inputs), "measure")
    return replace(data, notes=(*data.notes, *notes))


def _solve_single_peers(task: Task) -> Answer:
    """Compute the measure of every DMU against single reference DMUs."""
    sizes = np.ones(len(task.data.labels))
    answer = single_peers.solve(task, _single_peer_measure(task), sizes)
    scores = (-answer.scores).rename("efficiency")
    return replace(answer, scores=scores, data=_with_zero_notes(answer.data))


def _single_peer_measure(task: Task | Answer) -> single_peers.SlackMeasure:
    """Return the negative measure as a function of the slacks that single peers leave."""
    scaled = ScaledData.of(task)
    p, q = _slack_weights(
        scaled, task.options.orientation, has_inputs=bool(task.data.inputs.shape[1])
    )

    def negative_measure(slacks: np.ndarray, rows: slice) -> np.ndarray:
        # slacks: (k, J, s + m), of the DMUs of `rows` against each of J reference DMUs
        spared = np.einsum("kjc,kc->kj", slacks[..., scaled.s :], p[rows])
        gained = np.einsum("kjc,kc->kj", slacks[..., : scaled.s], q[rows])
        # A peer that lacks all of the only output that counts dominates nothing.
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(-(1 - spared) / (1 + gained))

    return negative_measure


def prove_convex(answer: Answer) -> Proof:
    """Bound the measure from both sides, against all reference DMUs."""
    scaled = ScaledData.of(answer)
    bounded = BoundedAnswer.of(answer, scaled)
    has_inputs = bool(answer.data.inputs.shape[1])
    p, q = _slack_weights(scaled, answer.orientation, has_inputs=has_inputs)
    scores = answer.scores.to_numpy()

    def measure_of_gains(gains: np.ndarray, rows: np.ndarray) -> np.ndarray:
        spared = (p[rows] * gains[:, scaled.s :]).sum(axis=1)
        gained = (q[rows] * gains[:, : scaled.s]).sum(axis=1)
        return np.asarray((1 - spared) / (1 + gained))

    # V ≥ p and U ≥ ξ q for ξ up to the score: raised to that, the multipliers bound it.
    least_weights = np.column_stack([scores[:, None] * q, p])

    def measure_of_excess(excess: np.ndarray, _: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return np.asarray(np.minimum(1 - excess, scores[rows]))

    # No metric may become worse at the peers: each counts as held.
    held = np.ones(bounded.tested.shape, dtype=bool)
    frame, violations = bounded.prove_scores(
        held,
        measure_of_gains,
        measure_of_excess,
        least_weights=least_weights,
        free_sign=-1.0,
    )

    # Compare the claims of the answer with what was recomputed.
    # A DMU that reaches 1 without slack is efficient, and no other.
    reaches_one = scores >= 1 - TOLERANCE
    unclaimed: tuple[str, ...] = ()
    wrongly_efficient = bounded.wrong_verdicts(reaches_one, bounded.largest_share())
    if answer.orientation != "none":
        # In one orientation a DMU below 1 is inefficient; at 1 it may have slack on the other side.
        wrongly_efficient *= answer.efficient.to_numpy()
        unclaimed = ("whether a DMU that reaches 1 in one orientation is efficient in both",)
    return Proof(
        frame,
        {
            **violations,
            "distance_of_the_slacks_from_their_proof": bounded.slack_errors(),
            "efficient": wrongly_efficient,
            "reason": reason_violations(
                answer,
                {
                    OUTSIDE: infeasibility.proved_infeasible(answer, scaled),
                    UNBOUNDED: proved_unbounded(answer, scaled),
                },
            ),
        },
        unclaimed,
    )


def proved_unbounded(answer: Answer, scaled: ScaledData) -> np.ndarray:
    """Return whether a reference DMU gives something for nothing and can be multiplied: bool (n,).

    It holds for all tested DMUs or for none.
    """
    # Outputs without any input, times any number, make the outputs grow without end.
    is_free = ~scaled.X.any(axis=1) & scaled.Y.any(axis=1)
    can_be_multiplied = scaled.returns in ("crs", "ndrs") and answer.orientation != "input"
    return np.full(len(answer.scores), bool(is_free.any()) and can_be_multiplied)


def slacks_based_meaning(score: float, orientation: str) -> str:
    """Say what a slacks-based measure means."""
    percent = f"{100 * (1 - score):.1f} %"
    if orientation == "input":
        return f"on average {percent} of every input is spare"
    if orientation == "output":
        return f"on average every output could grow by {100 * (1 / score - 1):.1f} %"
    return (
        f"inputs to spare and outputs to gain take {percent} off its measure, all metrics counted "
        "alike"
    )
