"""The directional distance function (Chambers, Chung, Färe 1996) and the range directional model.

With the way to the ideal point as its direction the distance is the range directional model RDM
(Portela, Thanassoulis, Simpson 2004). Multipliers u, v ≥ 0 prove that o cannot move further:
β (u·g_y + v·g_x) ≤ h − u·y_o + v·x_o, where h is the largest u·y − v·x of any possible production.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import fsum
from typing import Literal

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.models.options import read_metric_numbers
from deabench.models.shared import infeasibility, single_peers
from deabench.models.shared.scaled_data import (
    ScaledData,
    compile_program,
    metric_index,
    multiplier_frame,
    own_unit_multipliers,
    replace_rows,
    slacks_beyond,
    to_reference_positions,
)
from deabench.models.shared.score_bounds import BoundedAnswer
from deabench.models.shared.slack_programs import (
    peers_with_largest_slacks,
    solve_slacks,
)
from deabench.proofs.bounds import LEAST_MARGIN, MARGIN
from deabench.proofs.reasons import reason_violations
from deabench.results.answer import Answer, Task
from deabench.results.model import ANY_VALUES, Advance, Model, Technology, option
from deabench.results.option_forms import NUMBERS
from deabench.results.proof import Proof
from deabench.solver.solve_all import Solutions, solve_all
from deabench.tables.transforms import Data
from deabench.tables.validation import Allowed
from deabench.utils.arrays import TOLERANCE, Sparse, scale
from deabench.utils.frames import column_positions

PRIMAL_CLAIMS = ("gap", "primal_infeasibility", "distance_of_the_score_from_its_bounds")
"""What is not proved where λ does not reach the distance."""
OUTSIDE = "no step in its direction, forwards or back, comes to what the reference can do"
STEP_NAMES = {
    "own": "its own values",
    "ones": "one unit",
    "mean": "the reference's means",
    "range": "the reference's ranges",
    "ideal": "its way to the best values",
}


def read_direction(direction: str | Mapping[str, float], data: Data) -> str | Mapping[str, float]:
    """Return a word as it is, and steps for all metrics."""
    if isinstance(direction, str):
        return direction
    return read_metric_numbers("direction", direction, data)


@dataclass(frozen=True, kw_only=True)
class DDF(Model):
    """The directional distance function: how far all metrics can improve along a direction."""

    name = "ddf"
    title = "how far all metrics can improve together along a direction (directional distance)"
    equation = "(directional)"
    formulations = ("directional", "slacks")
    measure = "inefficiency"

    returns: Literal["vrs", "crs", "nirs", "ndrs"] = "vrs"
    orientation: Literal["none", "output", "input"] = "none"
    direction: Literal["own", "ones", "mean", "range", "ideal"] | Mapping[str, float] = option(
        "own",
        "The step: shares of own values, units, shares of the reference's means or ranges, the way "
        "to the best values, or a number for each metric.",
        form=NUMBERS,
        reader=read_direction,
    )
    technology: Technology = "convex"

    @property
    def scales_outputs(self) -> bool:
        """Whether the score is by how much outputs could grow, as with own values as the step."""
        return self.orientation == "output" and self.direction == "own"

    def allows(self) -> tuple[Allowed, ...]:
        """Return the data that the model takes.

        With Σ λ = 1 it is translation-invariant, where its direction is.
        """
        is_invariant = self.returns == "vrs" and self.direction not in ("own", "mean")
        return ANY_VALUES if is_invariant else ()

    def solve(self, task: Task, advance: Advance) -> Answer:
        """Compute the distance of every DMU, and the largest slacks at its projection."""
        return _solve(task, advance)

    def prove(self, answer: Answer) -> Proof:
        """Recompute the distance that λ reaches and the one that the multipliers allow."""
        return _prove(answer)

    def meaning(self, score: float) -> str:
        """Say what the distance means."""
        return _distance_meaning(score, self.direction, self.orientation)


@dataclass(frozen=True, kw_only=True)
class RDM(Model):
    """The range directional model: the share of the way to the best values that is behind a DMU."""

    name = "rdm"
    title = (
        "the share of the way to the best value of each metric that is behind it; data may be "
        "negative (RDM)"
    )
    equation = "(directional)"
    formulations = ("directional", "slacks")

    returns: Literal["vrs"] = "vrs"
    orientation: Literal["none", "output", "input"] = "none"
    direction: Literal["ideal"] = option("ideal", "The step: the way to the best values.")
    technology: Technology = "convex"

    def allows(self) -> tuple[Allowed, ...]:
        """Return the data that the model takes: it is translation-invariant."""
        return ANY_VALUES

    def solve(self, task: Task, advance: Advance) -> Answer:
        """Compute 1 − the distance towards the best value of each metric."""
        answer = _solve(task, advance)
        return replace(answer, scores=(1.0 - answer.scores).rename("efficiency"))

    def prove(self, answer: Answer) -> Proof:
        """Prove the distance, and put its frame in terms of the score."""
        # Beside a distance of next to nothing the score is rounded by more than that.
        rounding = np.finfo(float).eps * np.maximum(np.abs(answer.scores.to_numpy()), 1.0)
        proof = _prove(replace(answer, scores=1.0 - answer.scores), rounding)
        values = proof.frame.to_numpy(copy=True)
        bounds = column_positions(proof.frame.columns, ["primal", "dual"])
        values[:, bounds] = 1.0 - values[:, bounds]
        frame = pd.DataFrame(values, proof.frame.index, proof.frame.columns, copy=False)
        return replace(proof, frame=frame)

    def largest_steps(self, answer: Answer) -> np.ndarray:
        """Return how many times its own value a metric moves at most per unit of score, (K,)."""
        scaled = ScaledData.of(answer)
        direction = scaled_directions(answer, scaled)[0]
        tested = np.column_stack([scaled.y, scaled.x])
        return np.asarray((direction / scaled.sizes_of_changes(tested, tested)).max(axis=1))

    def meaning(self, score: float) -> str:
        """Say what the score means."""
        return _distance_meaning(1.0 - score, self.direction, self.orientation)


def _distance_meaning(
    distance: float, direction: str | Mapping[str, float], orientation: str
) -> str:
    """Say what a distance means."""
    step = STEP_NAMES[direction] if isinstance(direction, str) else "the direction given"
    sides = {"output": "every output", "input": "every input", "none": "every metric"}
    return f"{sides[orientation]} could improve by {100 * distance:.1f} % of {step}, all together"


def scaled_directions(
    task: Task | Answer, scaled: ScaledData
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return how far a step of 1 goes in each scaled metric, (K, s + m), and notes on it.

    Outputs come first; inputs move downwards.
    """
    s = scaled.s
    choice = task.options.direction
    has_inputs = bool(task.data.inputs.shape[1])
    orientation = task.options.orientation
    values = np.column_stack([scaled.y, scaled.x])
    reference = np.column_stack([scaled.Y, scaled.X])
    if choice == "own":
        steps = values.copy()
    elif choice == "ideal":
        best = np.append(scaled.Y.max(axis=0), scaled.X.min(axis=0))
        signs = np.append(np.ones(s), -np.ones(scaled.m))
        steps = np.maximum((best - values) * signs, 0.0)
    else:
        if choice == "ones":
            step = 1.0 / scaled.units
        elif choice == "mean":
            # Summed without rounding: no order of the reference changes a digit.
            step = np.array([fsum(column) for column in reference.T]) / len(reference)
        elif choice == "range":
            step = np.ptp(reference, axis=0)
        else:
            step = np.array(list(choice.values()) + [0.0] * (not has_inputs)) / scaled.units
        steps = np.tile(step, (len(values), 1))

    # What may not change has a step of 0: the input that every DMU has, and the other side.
    if not has_inputs:
        steps[:, s:] = 0.0
    if orientation != "none":
        steps[:, :s] *= orientation == "output"
        steps[:, s:] *= orientation == "input"
    is_still = ~steps.any(axis=1)
    if not is_still.any():
        return steps, ()
    first = task.data.labels[np.argmax(is_still)]
    if choice != "ideal":
        raise DataError(
            f"the direction of '{first}' is 0 in every metric that is to change; give one that is "
            "above 0 in one of them"
        )
    # At the best value of every metric no way leads further, whatever the direction: a step is as
    # long as the powers of two next to the reference's maxima, or of a metric that is 0 throughout
    # next to the DMU's own value. Where that is 0, too, the metric has no unit and does not move,
    # unless no metric would.
    is_side = np.arange(values.shape[1]) < s
    if orientation == "input":
        is_side = ~is_side
    own_values = values[is_still]
    has_unit = reference.any(axis=0) | (own_values != 0)
    own_step = scale(own_values.reshape(1, -1)).reshape(own_values.shape)
    step = np.where(reference.any(axis=0), scale(reference), own_step)
    moves = has_unit | ~(has_unit & is_side).any(axis=1, keepdims=True)
    steps[is_still] = np.where(moves & is_side, step, 0.0)
    note = (
        f"'{first}' has the best value of every metric that is to change: its direction is the "
        "same step in each"
    )
    return steps, (note,)


def _solve(task: Task, advance: Advance) -> Answer:
    """Compute the distance of every DMU, and the largest slacks at its projection."""
    scaled = ScaledData.of(task)
    direction, notes = scaled_directions(task, scaled)
    if task.options.technology == "fdh":
        return single_peers.solve_along(task, direction, notes)
    return solve_along(task, scaled, direction, notes, advance)


def solve_along(
    task: Task,
    scaled: ScaledData,
    direction: np.ndarray,
    notes: tuple[str, ...],
    advance: Advance,
) -> Answer:
    """Compute the distances along given directions.

    Parameters
    ----------
    scaled : ScaledData
        The arrays of the task.
    direction : array (K, s + m)
        How far a step of 1 goes in each scaled metric for each DMU, outputs first, inputs
        downwards.
    notes : tuple of str
        On the directions.
    """
    labels = task.data.labels
    names = metric_index(task.data)
    candidates = scaled.undominated()

    # The distance, in steps whose largest entry is about 1.
    size = scale(direction.T)
    solutions = solve_distances(task, scaled, candidates, direction / size[:, None], advance)
    beta = solutions.objective / size
    moved = np.nan_to_num(beta)[:, None] * direction
    first = to_reference_positions(solutions.shared["lam"], candidates)
    second = peers_with_largest_slacks(task, scaled, moved, first, candidates)
    undefined = np.flatnonzero(np.isnan(beta))
    weights, u_0 = own_unit_multipliers(task, scaled, solutions, sign=-1.0, free_sign=1.0)
    answer = Answer(
        scores=pd.Series(beta, index=labels, name="inefficiency"),
        slacks=pd.DataFrame(np.full((len(labels), len(names)), np.nan), labels, names, copy=False),
        weights=multiplier_frame(task, scaled, weights, u_0),
        intensities=first,
        efficient=pd.Series(False, index=labels, name="efficient"),
        data=replace(task.data, notes=(*task.data.notes, *notes)),
        reference=task.reference,
        options=task.options,
        own_reference=task.own_reference,
        frontier=candidates,
        reasons={labels[k]: OUTSIDE for k in undefined.tolist()},
        infeasibility_certificates=infeasibility.farkas_certificates(
            task, scaled, candidates, undefined, may_change=direction > 0
        ),
        path=task.describe_path(),
    )
    with_slacks = _with_peers(answer, scaled, direction, second)
    if not task.exact:
        return with_slacks
    # The second stage starts from a rounded projection: where that does not prove the distance, the
    # first one's peers do.
    proof = prove_along(with_slacks, scaled, direction)
    misses = np.maximum.reduce([proof.violations[name] for name in PRIMAL_CLAIMS])
    rows = np.flatnonzero(~(misses <= TOLERANCE) & ~np.isnan(beta))
    return _with_peers(answer, scaled, direction, replace_rows(rows, first[rows], second))


def _with_peers(answer: Answer, scaled: ScaledData, direction: np.ndarray, lam: Sparse) -> Answer:
    """Return an answer with its peers, their slacks, and who is efficient by these."""
    beta = answer.scores.to_numpy()
    count = answer.slacks.shape[1]
    s = scaled.s
    units = scaled.units[:count]
    # Slacks are what the peers reach beyond the projection.
    moved = np.nan_to_num(beta)[:, None] * direction
    moved_own = moved[:, :count] * units
    x = answer.data.inputs.to_numpy() - moved_own[:, s:]
    y = answer.data.outputs.to_numpy() + moved_own[:, :s]
    slacks = np.maximum(slacks_beyond(answer, lam, x, y), 0.0)
    slacks[np.isnan(beta)] = np.nan
    tested = np.column_stack([scaled.y, scaled.x])
    unit = single_peers.distance_unit(answer.options, tested, beta, direction)
    # Both are shares of the numbers that they are differences of, as the proof counts them.
    reached = np.column_stack([lam.dot(scaled.Y), lam.dot(scaled.X)])
    size = scaled.sizes_of_changes(tested, reached)
    efficient = single_peers.reaches_no_further(
        beta / unit, moved / size, slacks / units / size[:, :count]
    )
    return replace(
        answer,
        slacks=pd.DataFrame(slacks, answer.slacks.index, answer.slacks.columns),
        intensities=lam,
        efficient=pd.Series(efficient, index=answer.scores.index, name="efficient"),
    )


def solve_distances(
    task: Task,
    scaled: ScaledData,
    candidates: np.ndarray,
    direction: np.ndarray,
    advance: Advance,
) -> Solutions:
    """Solve for the distances alone, against the candidates."""
    s = scaled.s
    program = compile_program(
        "directional",
        scaled.m,
        s,
        over_inputs=("x_o", "g_x"),
        over_outputs=("y_o", "g_y"),
        returns=scaled.returns,
    )
    steps = np.column_stack([direction[:, s:], direction[:, :s]])
    if task.exact:
        everyone = np.arange(len(steps))
        return solve_slacks(task, scaled, program, candidates, everyone, steps, -1.0, advance)
    return solve_all(
        program,
        scaled.reference_table[candidates],
        np.column_stack([scaled.x, scaled.y, steps]),
        name=lambda k: str(task.data.labels[k]),
        advance=advance,
    )


def _prove(answer: Answer, rounding: np.ndarray | float = 0.0) -> Proof:
    """Recompute the distance that λ reaches and the one that the multipliers allow."""
    scaled = ScaledData.of(answer)
    direction = scaled_directions(answer, scaled)[0]
    if answer.options.technology == "fdh":
        return single_peers.prove_along(answer, direction)
    return prove_along(answer, scaled, direction, rounding)


def prove_along(
    answer: Answer,
    scaled: ScaledData,
    direction: np.ndarray,
    rounding: np.ndarray | float = 0.0,
) -> Proof:
    """Recompute distances along given directions (K, s + m) from both sides.

    The distances may be rounded by `rounding` (K,).
    """
    bounded = BoundedAnswer.of(answer, scaled)
    beta = answer.scores.to_numpy()
    moves = direction > 0

    # The primal side: λ reaches a point a little before the projection, and perhaps more.
    unit = single_peers.distance_unit(answer.options, bounded.tested, beta, direction)
    before = beta - unit * MARGIN
    moved = before[:, None] * direction

    def distance_of_gains(gains: np.ndarray, rows: np.ndarray) -> np.ndarray:
        step = np.where(moves[rows], direction[rows], 1.0)
        return np.asarray(before[rows] + np.where(moves[rows], gains / step, np.inf).min(axis=1))

    # The dual side: multipliers that are 0 along the direction allow any distance.
    def distance_of_excess(excess: np.ndarray, weights: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return np.asarray(excess / (weights * direction[rows]).sum(axis=1))

    worth_of_step = (bounded.weights * direction).sum(axis=1)
    frame, violations = bounded.prove_scores(
        np.ones(moves.shape, dtype=bool),
        distance_of_gains,
        distance_of_excess,
        unit,
        weight_unit=unit * worth_of_step,
        moved=moved,
        moved_farther=(beta - unit * LEAST_MARGIN)[:, None] * direction,
    )

    # Efficient are those that can neither move nor have slack left at the projection.
    moved = beta[:, None] * direction
    share = np.maximum(bounded.shares(moved).max(axis=1), bounded.largest_share(moved))
    share = np.maximum(share, beta / unit)
    is_proved = infeasibility.proved_infeasible(answer, scaled, may_change=direction > 0)
    return Proof(
        frame,
        {
            **violations,
            "distance_of_the_slacks_from_their_proof": bounded.slack_errors(
                moved, np.reshape(rounding, (-1, 1)) * direction
            ),
            "efficient": bounded.wrong_verdicts(np.ones(len(beta), dtype=bool), share),
            "reason": reason_violations(answer, {OUTSIDE: is_proved}),
        },
        ("that no other peers have larger slacks, also where there are none",),
    )
