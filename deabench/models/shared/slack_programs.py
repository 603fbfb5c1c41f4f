"""Slack programs: the largest weighted sum of slacks of every DMU, and its proof.

What a unit of slack counts in each metric makes the model (`deabench_models.additive`): the
additive model with its weights, and Russell's measures. Multipliers u ≥ w⁺, v ≥ w⁻ prove that no
more can be gained:

    Σ w s ≤ u·(Yλ − y_o) + v·(x_o − Xλ) ≤ h − u·y_o + v·x_o,

where h is the largest u·y − v·x of any possible production.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from deabench.models.shared import infeasibility, single_peers
from deabench.models.shared.scaled_data import (
    EXACT_INWARD,
    INWARD,
    ScaledData,
    compile_program,
    lambda_sum_bounds,
    lambda_violation,
    metric_names,
    multiplier_frame,
    own_unit_multipliers,
    replace_rows,
    slacks_at_peers,
    solved_multipliers,
    to_reference_positions,
)
from deabench.models.shared.score_bounds import BoundedAnswer
from deabench.proofs.bounds import excess_of_weights
from deabench.proofs.exact_repair import Technology
from deabench.proofs.reasons import reason_violations
from deabench.results.answer import Answer, Task
from deabench.results.model import Advance, Model
from deabench.results.proof import Proof
from deabench.solver.solve_all import Solutions, solve_all, solve_each
from deabench.solver.template import Template
from deabench.utils.arrays import TOLERANCE, Sparse, scale

OUTSIDE = "no mix of the reference uses as little and gives as much"
LAST_DIGIT = 2.0**-50
"""Values that differ by this share may stand for the same decimal, or for the same quotient."""
ScoreOfTotal = Callable[[Any], Any]
"""From weighted sums of slacks to scores; arrays or series."""


def solve(
    task: Task,
    weights: np.ndarray,
    advance: Advance,
    score_of_total: ScoreOfTotal = lambda total: total,
    name: str = "inefficiency",
) -> Answer:
    """Compute the largest weighted sum of slacks of every DMU, and its score.

    Parameters
    ----------
    weights : array (K, s + m)
        What a unit of slack counts for each DMU, outputs first, in the metrics' own units.
    score_of_total : function of the sums to the scores
    name : str
        Of the scores.
    """
    scaled = ScaledData.of(task)
    labels = task.data.labels
    # Weights of about 1 keep the tolerances of the solver meaningful.
    program_weights, size = _scale_weights(weights, scaled)
    if getattr(task.options, "technology", "convex") == "fdh":
        answer = single_peers.solve(task, single_peers.weighted_sum(program_weights), size)
        return replace(answer, scores=score_of_total(answer.scores).rename(name))

    # Only undominated reference DMUs can be peers; the programs have no other columns.
    candidates = scaled.undominated()
    everyone = np.arange(len(labels))
    solutions = solve_programs(task, scaled, candidates, everyone, program_weights, advance)
    total = solutions.objective * size
    lam = to_reference_positions(solutions.shared["lam"], candidates)
    slacks = slacks_at_peers(task, lam, np.isnan(total))
    scores = pd.Series(score_of_total(total), index=labels, name=name)

    # A metric that counts nothing may still have slack: those without slack in the metrics that
    # count are solved again with every metric.
    units = scaled.units[: slacks.shape[1]]
    efficient = np.asarray((slacks / units).max(axis=1, initial=0.0) <= TOLERANCE)
    # Beside a metric that hardly varies a slack that is hardly visible may be a large share.
    efficient &= _may_be_best(task.options, scores)
    ignores_metric = (program_weights[:, : weights.shape[1]] == 0).any(axis=1)
    rows = np.flatnonzero(efficient & ignores_metric)
    if len(rows):
        ones = np.ones_like(program_weights[rows])
        all_metrics = solve_proved_programs(task, scaled, candidates, rows, ones)
        efficient[rows] = all_metrics.objective <= TOLERANCE

    undefined = np.flatnonzero(np.isnan(total))
    multipliers, u_0 = own_unit_multipliers(task, scaled, solutions, sign=-1.0, free_sign=1.0)
    return Answer(
        scores=scores,
        slacks=pd.DataFrame(slacks, index=labels, columns=metric_names(task.data)),
        weights=multiplier_frame(task, scaled, multipliers * size[:, None], u_0 * size),
        intensities=lam,
        efficient=pd.Series(efficient, index=labels, name="efficient"),
        data=task.data,
        reference=task.reference,
        options=task.options,
        own_reference=task.own_reference,
        frontier=candidates,
        reasons={labels[k]: OUTSIDE for k in undefined.tolist()},
        path=task.describe_path(),
        infeasibility_certificates=infeasibility.farkas_certificates(
            task, scaled, candidates, undefined
        ),
    )


def counts_shares(model: Model) -> bool:
    """Return whether a model's scores are shares: those of Russell, RAM and BAM."""
    return model.measure == "efficiency" or getattr(model, "weights", None) in ("ram", "bam")


def _may_be_best(model: Model, scores: pd.Series) -> np.ndarray:
    """Return which scores are the best one, or in units in which any is near it: bool (K,)."""
    if not counts_shares(model):
        return np.asarray(scores.notna())
    best = 1.0 if model.measure == "efficiency" else 0.0
    return np.asarray(np.abs(scores.to_numpy() - best) <= TOLERANCE)


def _scale_weights(weights: np.ndarray, scaled: ScaledData) -> tuple[np.ndarray, np.ndarray]:
    """Return what a unit of scaled slack counts over a power of two, (K, s + m), and that power.

    The power makes the largest weight of a DMU about 1. The input that every DMU has counts 0.
    """
    count = weights.shape[1]
    scaled_weights = np.zeros((len(weights), len(scaled.units)))
    scaled_weights[:, :count] = weights * scaled.units[:count]
    size = scale(scaled_weights.T)
    return scaled_weights / size[:, None], size


def solve_programs(
    task: Task,
    scaled: ScaledData,
    candidates: np.ndarray,
    rows: np.ndarray,
    weights: np.ndarray,
    advance: Advance = lambda _: None,
) -> Solutions:
    """Solve the programs of the DMUs at some positions against the candidates.

    Parameters
    ----------
    weights : array (len(rows), s + m)
        What a unit of scaled slack counts, outputs first.
    """
    s = scaled.s
    program = compile_program(
        "additive",
        scaled.m,
        s,
        over_inputs=("x_o", "w_minus"),
        over_outputs=("y_o", "w_plus"),
        returns=scaled.returns,
    )
    counts = np.column_stack([weights[:, s:], weights[:, :s]])
    return solve_slacks(task, scaled, program, candidates, rows, counts, -1.0, advance)


def solve_proved_programs(
    task: Task,
    scaled: ScaledData,
    candidates: np.ndarray,
    rows: np.ndarray,
    weights: np.ndarray,
) -> Solutions:
    """Do `solve_programs`, in rational arithmetic where the multipliers do not prove the sum.

    In floating point the multiples of a DMU far smaller than others may be within a tolerance.
    """
    solutions = solve_programs(task, scaled, candidates, rows, weights)
    if task.exact:
        return solutions
    open_positions = _unproved_positions(scaled, candidates, rows, weights, solutions)
    if not len(open_positions):
        return solutions
    exact = solve_programs(
        replace(task, exact=True), scaled, candidates, rows[open_positions], weights[open_positions]
    )
    return replace_solutions(open_positions, exact, np.arange(len(open_positions)), solutions)


def _unproved_positions(
    scaled: ScaledData,
    candidates: np.ndarray,
    rows: np.ndarray,
    weights: np.ndarray,
    solutions: Solutions,
) -> np.ndarray:
    """Return the positions of solved programs whose multipliers leave more than the solved sum."""
    points = np.column_stack([scaled.Y, -scaled.X])[candidates]
    technology = Technology(points, scaled.m, lambda_sum_bounds(scaled.returns))
    multipliers = np.column_stack(solved_multipliers(scaled, solutions, sign=-1.0))
    tested = np.column_stack([scaled.y, -scaled.x])[rows]
    excess, error, _ = excess_of_weights(technology, tested, np.maximum(multipliers, weights))
    return np.flatnonzero(excess + error - solutions.objective > TOLERANCE)


def solve_slacks(
    task: Task,
    scaled: ScaledData,
    program: Template,
    candidates: np.ndarray,
    rows: np.ndarray,
    shares: np.ndarray,
    sign: float,
    advance: Advance = lambda _: None,
) -> Solutions:
    """Solve programs of slacks, in rational arithmetic with the slack that rounding of data hides.

    The floats that stand for decimals and quotients are rounded: of .1, .3 and .2 the last is above
    the mean of the others by a digit that nobody gave. Slack is concave, so such a digit hides at
    most what it is worth under the multipliers. Where that could matter, the DMU is moved inwards
    by the digit: what is then left, less what its multipliers say that the move is worth, is slack.

    Parameters
    ----------
    program : Template
        Its data are x and y of the tested DMU, then `shares`.
    candidates, rows : int arrays
        The reference DMUs that can be peers, and the DMUs to solve.
    shares : array (len(rows), p)
        What a unit of slack counts.
    sign : float
        1 where slack makes the objective smaller, -1 where it makes it larger.
    """
    reference = scaled.reference_table[candidates]
    points = np.column_stack([scaled.x, scaled.y])[rows]
    solutions = solve_each(
        program,
        reference,
        np.column_stack([points, shares]),
        exact=task.exact,
        name=lambda k: str(task.data.labels[rows[k]]),
        advance=advance,
    )
    if not task.exact or task.are_floats_exact:
        return solutions
    digits = np.abs(points) * LAST_DIGIT
    hidden = (np.abs(_slack_prices(scaled, solutions)) * digits).sum(axis=1)
    steep = np.flatnonzero(~(hidden <= TOLERANCE))
    if not len(steep):
        return solutions
    # Inwards is up for inputs, which come first, and down for outputs.
    inward = np.where(np.arange(points.shape[1]) < scaled.m, digits, -digits)
    moved = points[steep] + inward[steep]
    second = solve_each(
        program,
        reference,
        np.column_stack([moved, shares[steep]]),
        exact=True,
        name=lambda k: str(task.data.labels[rows[steep[k]]]),
    )
    move = np.abs(moved - points[steep])
    gain_of_move = (np.abs(_slack_prices(scaled, second)) * move).sum(axis=1)
    second = replace(second, objective=second.objective + sign * gain_of_move)
    is_hidden = ~(sign * (solutions.objective[steep] - second.objective) <= TOLERANCE)
    return replace_solutions(steep[is_hidden], second, np.flatnonzero(is_hidden), solutions)


def _slack_prices(scaled: ScaledData, solutions: Solutions) -> np.ndarray:
    """Return the duals of inputs, then outputs, (K, m + s)."""
    rows = [f"inputs[{i}]" for i in range(scaled.m)] + [f"outputs[{r}]" for r in range(scaled.s)]
    return np.column_stack([solutions.duals[row] for row in rows])


def peers_with_largest_slacks(
    task: Task, scaled: ScaledData, moved: np.ndarray, lam: Sparse, candidates: np.ndarray
) -> Sparse:
    """Return the peers with the largest slacks at the projection.

    The first ones stay where those would not reach the projection.
    """
    s = scaled.s
    # A point that does not move is not rounded, and exact arithmetic needs the rounding alone.
    inward = np.where(moved != 0, EXACT_INWARD if task.exact else INWARD, 0.0)
    projected = replace(
        scaled,
        x=scaled.x - moved[:, s:] + inward[:, s:],
        y=scaled.y + moved[:, :s] - inward[:, :s],
    )
    program = compile_program("slacks", scaled.m, s, returns=scaled.returns)
    if task.exact:
        everyone = np.arange(len(moved))
        no_shares = np.empty((len(moved), 0))
        second = solve_slacks(task, projected, program, candidates, everyone, no_shares, -1.0)
    else:
        second = solve_all(
            program,
            scaled.reference_table[candidates],
            np.column_stack([projected.x, projected.y]),
            name=lambda k: str(task.data.labels[k]),
        )
    is_solved = ~np.isnan(second.objective)
    if task.exact:
        # Beside a steep facet moving inwards alone leaves slack: the first peers have less.
        is_solved &= ~gains_by_moving(projected, second, inward)
    better = to_reference_positions(second.shared["lam"], candidates)
    better.values[better.values < 100 * inward.max()] = 0.0  # what moving inwards added
    reaches = gains_and_violation(projected, better)[1] <= TOLERANCE / 10
    is_sound = is_solved & reaches
    return replace_rows(np.flatnonzero(is_sound), better[is_sound], lam)


def gains_by_moving(projected: ScaledData, second: Solutions, inward: np.ndarray) -> np.ndarray:
    """Return for whom nothing is left but what moving and rounding gained: bool (K,).

    Under the duals, what is left at the projection itself is at most the slack less what the move
    `inward` (K, s + m), outputs first, is worth.
    """
    values = np.column_stack([projected.y, projected.x])
    # What was moved is rounded, too.
    distance = np.where(inward > 0, inward + EXACT_INWARD * np.abs(values), 0.0)
    inputs_first = np.column_stack([distance[:, projected.s :], distance[:, : projected.s]])
    gain_of_move = (np.abs(_slack_prices(projected, second)) * inputs_first).sum(axis=1)
    least_value = np.where(values > 0, values, np.inf).min(axis=1)
    return np.asarray(second.objective - gain_of_move <= TOLERANCE * least_value)


def replace_solutions(
    rows: np.ndarray, replacement: Solutions, positions: np.ndarray, current: Solutions
) -> Solutions:
    """Return `current` with the optima at `rows` replaced by those at `positions` of another."""

    def mix(new: np.ndarray, old: np.ndarray) -> np.ndarray:
        values = old.copy()
        values[rows] = new[positions]
        return values

    return replace(
        current,
        objective=mix(replacement.objective, current.objective),
        values={name: mix(replacement.values[name], old) for name, old in current.values.items()},
        duals={name: mix(replacement.duals[name], old) for name, old in current.duals.items()},
        shared={
            name: replace_rows(rows, replacement.shared[name][positions], entries)
            for name, entries in current.shared.items()
        },
    )


def prove(
    answer: Answer, weights: np.ndarray, score_of_total: ScoreOfTotal = lambda total: total
) -> Proof:
    """Recompute the sum that λ reaches and the one that the multipliers allow."""
    scaled = ScaledData.of(answer)
    program_weights, size = _scale_weights(weights, scaled)
    if getattr(answer.options, "technology", "convex") == "fdh":
        weighted_sum = single_peers.weighted_sum(program_weights)
        return single_peers.prove(answer, weighted_sum, size, score_of_total)

    bounded = BoundedAnswer.of(answer, scaled)
    count = answer.slacks.shape[1]
    scores = answer.scores.to_numpy()
    # A total is measured in what the DMU's own metrics are worth, or in itself where it is more.
    own_value = (program_weights * np.abs(bounded.tested)).sum(axis=1)
    gained_value = (program_weights * np.maximum(bounded.gains, 0.0)).sum(axis=1)
    value = np.maximum(own_value, gained_value)
    unit = np.where(value > 0, value, program_weights.sum(axis=1)) * size
    if answer.options.measure == "efficiency":
        unit = np.ones(len(scores))
    elif counts_shares(answer.options):
        # Shares of ranges have the unit 1, but Σ λ > 1 can make them as large as it likes.
        unit = np.maximum(1.0, gained_value * size)

    def score_of_gains(gains: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return np.asarray(score_of_total((program_weights[rows] * gains).sum(axis=1) * size[rows]))

    def score_of_excess(excess: np.ndarray, _: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return np.asarray(score_of_total(excess * size[rows]))

    # Multipliers err as the total does, of which an efficiency may be the inverse.
    weight_unit = np.maximum(unit / size, gained_value)
    frame, violations = bounded.divide_weights(size).prove_scores(
        np.ones(bounded.tested.shape, dtype=bool),
        score_of_gains,
        score_of_excess,
        unit,
        least_weights=program_weights,
        weight_unit=weight_unit,
    )

    # Compare the claims of the answer with what was recomputed.
    is_best = _may_be_best(answer.options, answer.scores)
    wrongly_efficient = bounded.wrong_verdicts(is_best, bounded.largest_share())
    unclaimed: tuple[str, ...] = ()
    if (program_weights[:, :count] == 0).any():
        # A metric that counts nothing may hide slack, so only visible slack refutes a claim.
        wrongly_efficient *= answer.efficient.to_numpy()
        unclaimed = (
            "whether a DMU without slack in the metrics that count is efficient in those that do "
            "not",
        )
    return Proof(
        frame,
        {
            **violations,
            "distance_of_the_slacks_from_their_proof": bounded.slack_errors(),
            "efficient": wrongly_efficient,
            "reason": reason_violations(
                answer, {OUTSIDE: infeasibility.proved_infeasible(answer, scaled)}
            ),
        },
        unclaimed,
    )


def gains_and_violation(scaled: ScaledData, lam: Sparse) -> tuple[np.ndarray, np.ndarray]:
    """Return what λ gains, (K, s + m) in scaled metrics, and by how much it breaks a constraint."""
    gains = scaled.gains(lam)
    violation = np.maximum.reduce(
        [-gains.min(axis=1), lambda_violation(scaled.returns, lam), -lam.values.min(axis=1)]
    )
    return gains, violation
