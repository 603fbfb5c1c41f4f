"""Radial efficiency where weights are restricted, or Σ λ is bounded: solved DMU by DMU.

λ and the trade-offs π reach the score. Multipliers that keep every restriction prove that no more
can be had: φ u·y_o ≤ h + v·x_o (or θ v·x_o ≥ u·y_o − h), where h is the largest u·y − v·x of any
possible production.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from deabench.models.shared.restricted_bounds import RestrictedScores
from deabench.models.shared.scaled_data import (
    EXACT_INWARD,
    INWARD,
    ScaledData,
    lambda_sum_bounds,
    metric_names,
    pareto_efficient,
    proof_frame,
    replace_rows,
    scaled_multipliers,
    solved_multipliers,
    support,
    to_reference_positions,
)
from deabench.models.shared.slack_programs import (
    gains_by_moving,
    replace_solutions,
    solve_slacks,
)
from deabench.models.shared.weight_bounds import Bounds
from deabench.proofs import structure
from deabench.proofs.bounds import excess_of_weights
from deabench.proofs.exact_repair import Technology
from deabench.results.answer import Answer, Task
from deabench.results.model import Advance
from deabench.results.proof import Proof
from deabench.solver.solve_all import Solutions, solve_each
from deabench.solver.template import Template, compile_template
from deabench.utils.arrays import ROUND, TOLERANCE, Sparse, blocks, scale

OUTSIDE = "no mix of the reference reaches it, whatever the factor"
NO_WEIGHTS = "no weights keep the bounds given"


def restriction_rows(task: Task | Answer, scaled: ScaledData) -> np.ndarray:
    """Return the restrictions as rows R of R·(u, v) ≤ 0, (K, rows, s + m), in scaled metrics.

    In the envelopment form they are trade-offs: what each adds to the outputs, and takes from the
    inputs. Every row is scaled to a largest entry of about 1, in shares of the reference's maxima:
    how often a trade-off is made does not depend on the units of the scaled metrics.
    """
    values = np.column_stack([scaled.y, scaled.x])
    units = scaled.units
    column_of = {name: k for k, name in enumerate(metric_names(task.data))}
    rows = []
    for name, (least, most) in (task.options.shares or {}).items():
        # least · (weighted sum of the side) ≤ weighted metric ≤ most · (weighted sum of the side)
        metric = column_of[name]
        side = slice(0, scaled.s) if metric < scaled.s else slice(scaled.s, None)
        whole_side = np.zeros_like(values)
        whole_side[:, side] = values[:, side]
        metric_alone = np.zeros_like(values)
        metric_alone[:, metric] = values[:, metric]
        if least > 0:
            rows.append(least * whole_side - metric_alone)
        if most < 1:
            rows.append(metric_alone - most * whole_side)
    for (first, second), (least, most) in (task.options.ratios or {}).items():
        # least · weight of the second ≤ weight of the first ≤ most · weight of the second
        for bound, sign in ((least, 1.0), (most, -1.0)):
            if 0 < bound < np.inf or (bound == 0 and sign < 0):
                row = np.zeros_like(values)
                row[:, column_of[second]] = sign * bound / units[column_of[second]]
                row[:, column_of[first]] = -sign / units[column_of[first]]
                rows.append(row)
    # Without restrictions there are no rows.
    stacked = np.zeros((len(values), 0, values.shape[1]))
    if rows:
        stacked = np.stack(rows, axis=1)
    reference = np.column_stack([task.reference.outputs, task.reference.inputs])
    shares = np.ones(len(units))
    shares[: reference.shape[1]] = units[: reference.shape[1]] / scale(reference)
    # By a power of two: a trade-off that is rounded reaches no tie that the bounds given reach.
    largest = np.abs(stacked * shares).max(axis=2, initial=0.0)
    size = scale(largest.reshape(1, -1)).reshape(largest.shape)
    return np.asarray(stacked / size[:, :, None])


def _sum_bounds(task: Task | Answer, scaled: ScaledData) -> Bounds:
    """Return the bounds of Σ λ: those of the option, or of the returns to scale."""
    sums: Bounds | None = getattr(task.options, "sums", None)
    return lambda_sum_bounds(scaled.returns) if sums is None else sums


def solve(task: Task, advance: Advance) -> Answer:
    """Solve both stages for every DMU."""
    scaled = ScaledData.of(task)
    candidates = scaled.undominated()
    labels = task.data.labels
    restrictions = restriction_rows(task, scaled)
    is_output_oriented = task.options.orientation == "output"

    # First stage: the factor, its λ and its trade-offs.
    first = solve_each(
        _compile_stage(task, scaled, restrictions.shape[1], task.options.orientation),
        scaled.reference_table[candidates],
        np.column_stack([scaled.x, scaled.y, _program_data(scaled, restrictions)]),
        exact=task.exact,
        name=lambda k: str(labels[k]),
        advance=advance,
    )
    # The objective is φ, by which outputs grow, or θ, to which inputs shrink.
    level = first.objective
    with np.errstate(divide="ignore"):
        values = np.where(level > 0, 1.0 / level if is_output_oriented else level, np.nan)
    lam = to_reference_positions(first.shared["lam"], candidates)
    trade_offs = _trade_offs(first, restrictions.shape[1])

    # Second stage: the largest slacks at the projection, moved inwards a little. A DMU that is its
    # own projection is not rounded, and exact arithmetic finds its slacks where it is.
    inward = np.where(task.exact & (level == 1), 0.0, EXACT_INWARD if task.exact else INWARD)
    inward = inward[:, None]
    rows = np.flatnonzero(~np.isnan(values))
    has_endless_slack = np.zeros(len(values), dtype=bool)
    if len(rows):
        # What stays as it is is not rounded, and not moved.
        if is_output_oriented:
            moved = replace(scaled, y=scaled.y * level[:, None] * (1 - inward))
        else:
            moved = replace(scaled, x=scaled.x * level[:, None] * (1 + inward))
        program = _compile_stage(task, scaled, restrictions.shape[1], "slacks")
        data = _program_data(scaled, restrictions[rows])

        def largest_slack(task: Task, at: np.ndarray | slice) -> Solutions:
            # The last digits of floats could hide slack that trade-offs give.
            return solve_slacks(task, moved, program, candidates, rows[at], data[at], -1.0)

        second = largest_slack(task, slice(None))
        if not task.exact:
            # And a tolerance that of the multiples of small DMUs.
            unproved = _unproved_slack(task, moved, candidates, rows, restrictions[rows], second)
            exact = largest_slack(replace(task, exact=True), unproved)
            second = replace_solutions(unproved, exact, np.arange(len(unproved)), second)
            has_endless_slack[rows[unproved[list(exact.unbounded)]]] = True
        is_solved = ~np.isnan(second.objective)
        # Where restrictions leave a metric no weight, trade-offs give any amount of it.
        has_endless_slack[rows[list(second.unbounded)]] = True
        if task.exact:
            projected = replace(moved, x=moved.x[rows], y=moved.y[rows])
            is_moved = (np.arange(scaled.s + scaled.m) < scaled.s) == is_output_oriented
            distance = inward[rows] * is_moved * np.column_stack([projected.y, projected.x])
            is_solved &= ~gains_by_moving(projected, second, distance)
        better = to_reference_positions(second.shared["lam"], candidates)
        lam = replace_rows(rows[is_solved], better[is_solved], lam)
        trade_offs[rows[is_solved]] = _trade_offs(second, restrictions.shape[1])[is_solved]
    _drop_what_moving_added(scaled, lam, trade_offs, restrictions, 100 * inward)

    scores = pd.Series(values, index=labels, name="efficiency")
    names = metric_names(task.data)
    # Slacks beyond the projection, from λ and trade-offs together.
    gained, spared = _slacks(
        scaled, values, _reach(scaled, lam, trade_offs, restrictions), is_output_oriented
    )
    slacks = np.column_stack([gained * scaled.unit_y, spared * scaled.unit_x])[:, : len(names)]
    slacks = np.where(np.isnan(values)[:, None], np.nan, np.maximum(slacks, 0.0))
    slack_frame = pd.DataFrame(slacks, index=labels, columns=names)
    return Answer(
        scores=scores,
        slacks=slack_frame,
        weights=_multipliers(scaled, first, task, values),
        intensities=lam,
        efficient=pareto_efficient(scores, slack_frame, task.data) & ~has_endless_slack,
        data=task.data,
        reference=task.reference,
        options=task.options,
        own_reference=task.own_reference,
        frontier=candidates,
        reasons=_undefined_reasons(first, labels, values),
        path=task.describe_path(),
        tables={"trade_offs": pd.DataFrame(trade_offs, labels, _name_trade_offs(restrictions))},
    )


def _unproved_slack(
    task: Task,
    moved: ScaledData,
    candidates: np.ndarray,
    rows: np.ndarray,
    restrictions: np.ndarray,
    second: Solutions,
) -> np.ndarray:
    """Return the positions of slack programs whose multipliers leave more than the solved sum."""
    points = np.column_stack([moved.Y, -moved.X])[candidates]
    technology = Technology(points, moved.m, _sum_bounds(task, moved))
    weights = np.maximum(np.column_stack(solved_multipliers(moved, second, sign=-1.0)), 1.0)
    tested = np.column_stack([moved.y, -moved.x])[rows]
    excess, error, raised = excess_of_weights(technology, tested, weights)
    # Under the weights no trade-off is worth more than nothing.
    values = np.einsum("nkc,nc->nk", restrictions, raised)
    terms = np.einsum("nkc,nc->nk", np.abs(restrictions), raised)
    keeps_restrictions = (values <= ROUND * terms).all(axis=1)
    is_proved = (excess + error - second.objective <= TOLERANCE) & keeps_restrictions
    return np.flatnonzero(~is_proved & ~np.isnan(second.objective))


def _drop_what_moving_added(
    scaled: ScaledData,
    lam: Sparse,
    trade_offs: np.ndarray,
    restrictions: np.ndarray,
    share: np.ndarray,
) -> None:
    """Make λ and trade-offs 0, in place, that give less than a share (K, 1) of each own metric."""
    smallest = share[:, :, None] * np.column_stack([scaled.y, scaled.x])[:, None]
    points = np.column_stack([scaled.Y, scaled.X])[lam.columns]
    is_small = (np.abs(lam.values[..., None] * points) <= smallest).all(axis=2)
    lam.values[is_small & (lam.values < share)] = 0.0
    is_small = (np.abs(trade_offs[..., None] * restrictions) <= smallest).all(axis=2)
    trade_offs[is_small] = 0.0


def _undefined_reasons(first: Solutions, labels: pd.Index, values: np.ndarray) -> dict[Any, str]:
    """Return why DMUs have no score."""
    reasons = {}
    for k in np.flatnonzero(np.isnan(values)).tolist():
        if k in first.unbounded:
            # An unbounded envelopment form is an infeasible multiplier form.
            reasons[labels[k]] = NO_WEIGHTS
        elif k in first.infeasible:
            reasons[labels[k]] = OUTSIDE
        else:
            reasons[labels[k]] = "its factor is 0"
    return reasons


def _program_data(scaled: ScaledData, restrictions: np.ndarray) -> np.ndarray:
    """Return the restrictions as each program takes them, row by row: (K, rows · (s + m))."""
    count = len(restrictions)
    outputs = restrictions[:, :, : scaled.s].reshape(count, -1)
    inputs = -restrictions[:, :, scaled.s :].reshape(count, -1)
    return np.column_stack([outputs, inputs])


def _compile_stage(task: Task, scaled: ScaledData, rows: int, form: str) -> Template:
    """Compile the program of one stage, with so many restrictions."""
    bounds = _sum_bounds(task, scaled)
    return _compile_restricted(f"restricted_{form}", scaled.m, scaled.s, rows, bounds)


def _name_trade_offs(restrictions: np.ndarray) -> list[str]:
    """Return names of the trade-offs that no row of a table has, as numbers might be."""
    return [f"trade-off {k + 1}" for k in range(restrictions.shape[1])]


def _trade_offs(solutions: Solutions, rows: int) -> np.ndarray:
    """Return the intensities π of the trade-offs, (K, rows)."""
    columns = [np.maximum(solutions.values[f"pi[{k}]"], 0.0) for k in range(rows)]
    return np.column_stack([np.zeros((len(solutions.objective), 0)), *columns])


def _reach(
    scaled: ScaledData, lam: Sparse, trade_offs: np.ndarray, restrictions: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the outputs and inputs that λ and the trade-offs reach, in scaled metrics."""
    # A trade-off adds its row to the outputs and takes it from the inputs.
    moved = np.einsum("nk,nkc->nc", np.nan_to_num(trade_offs), restrictions)
    outputs = lam.dot(scaled.Y) + moved[:, : scaled.s]
    inputs = lam.dot(scaled.X) - moved[:, scaled.s :]
    return outputs, inputs


def _slacks(
    scaled: ScaledData,
    scores: np.ndarray,
    reach: tuple[np.ndarray, np.ndarray],
    is_output_oriented: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """Return what is gained and spared beyond the projection, in scaled metrics."""
    outputs, inputs = reach
    with np.errstate(divide="ignore", invalid="ignore"):
        if is_output_oriented:
            return outputs - scaled.y / scores[:, None], scaled.x - inputs
        return outputs - scaled.y, scaled.x * scores[:, None] - inputs


def _multipliers(
    scaled: ScaledData, solutions: Solutions, task: Task, scores: np.ndarray
) -> pd.DataFrame:
    """Return multipliers in own units, normed as those of the model without restrictions.

    That is u·y_o = 1, or v·x_o = 1; without inputs u·y_o is the score.
    """
    # HiGHS signs the duals by the sense of the objective.
    sign = -1.0 if task.options.orientation == "output" else 1.0
    u, v = solved_multipliers(scaled, solutions, sign)
    labels = task.data.labels
    if not task.data.inputs.shape[1]:
        weights = u / scaled.unit_y * scores[:, None]
        return pd.DataFrame(weights, index=labels, columns=task.data.outputs.columns)
    weights = np.column_stack([u / scaled.unit_y, v / scaled.unit_x])
    frame = pd.DataFrame(weights, index=labels, columns=metric_names(task.data))
    sums = _sum_bounds(task, scaled)
    if sums == (0.0, np.inf):
        return frame
    return frame.assign(u_0=-sign * support(scaled, u, v, sums)[0])


def prove(answer: Answer) -> Proof:
    """Recompute the efficiency that λ and the trade-offs reach, and that the multipliers allow."""
    scaled = ScaledData.of(answer)
    scores = answer.scores.to_numpy()
    is_output_oriented = answer.orientation == "output"
    sums = _sum_bounds(answer, scaled)
    restrictions = restriction_rows(answer, scaled)
    table = structure.require_table(
        answer, "trade_offs", rows=answer.scores.index, columns=_name_trade_offs(restrictions)
    )

    # The primal side: the slacks at the projection must not be negative, nor λ or π.
    trade_offs = table.to_numpy(dtype=float).reshape(len(scores), -1)
    lam = answer.intensities
    reach = _reach(scaled, lam, trade_offs, restrictions)
    gains = np.column_stack(_slacks(scaled, scores, reach, is_output_oriented))
    # Slacks count in shares of the numbers that they are differences of.
    moved = np.einsum("nk,nkc->nc", np.abs(np.nan_to_num(trade_offs)), np.abs(restrictions))
    size = np.abs(np.column_stack(reach)) + moved + np.column_stack([scaled.y, scaled.x])
    size = np.where(size > 0, size, 1.0)
    shortfall = np.maximum(-gains, 0.0)
    missed = shortfall / size
    # What the projection misses is missed of the score. What stays as it is, and the bounds of Σ λ,
    # λ has to meet: what it reaches where it is moved to meet them, fractions tell.
    stays = slice(scaled.s, None) if is_output_oriented else slice(0, scaled.s)
    total = lam.values.sum(axis=1)
    sum_error = np.maximum(sums[0] - total, total - sums[1])
    restricted = RestrictedScores(
        Technology(np.column_stack([scaled.Y, -scaled.X]), scaled.m, sums),
        scores,
        scaled.y,
        scaled.x,
        is_output_oriented,
        lam,
        np.maximum(np.nan_to_num(trade_offs), 0.0),
        restrictions,
    )
    u, v = scaled_multipliers(answer, scaled)
    weighted_outputs = (u * scaled.y).sum(axis=1)
    cost = (v * scaled.x).sum(axis=1)
    norm = weighted_outputs if is_output_oriented else cost
    with np.errstate(divide="ignore", invalid="ignore"):
        # What is missing costs as much efficiency as the multipliers say.
        priced = (np.abs(np.column_stack([u, v])) * shortfall).sum(axis=1) / norm
        if is_output_oriented:  # that is a factor: d(1/φ) = -dφ / φ²
            priced *= scores**2 / np.maximum(scores, 1.0)
    # Steep multipliers make much of the last digits: there, too, fractions tell what λ reaches, and
    # that is no less.
    is_steep = (priced > TOLERANCE) & (missed.max(axis=1) <= ROUND)
    missed_by_lam = np.maximum(missed[:, stays].max(axis=1), sum_error)
    primal = restricted.reached(np.where(is_steep, np.inf, missed_by_lam))
    priced[is_steep] = 0.0
    primal_infeasibility = np.maximum.reduce(
        [
            missed.max(axis=1),
            priced,
            sum_error,
            -trade_offs.min(axis=1, initial=0.0),
            -lam.values.min(axis=1),
        ]
    )

    # The dual side: the efficiency that the multipliers allow, and the restrictions they break.
    # Where production can be multiplied nobody may be worth more than it costs.
    unbounded = np.zeros(len(u))
    if np.isinf(sums[1]):
        unbounded = _excess_shares(scaled, u, v)
    dual = restricted.allowed(np.column_stack([u, v]))
    primal_infeasibility = np.where(np.isnan(primal), np.inf, primal_infeasibility)
    # R·(u, v) ≤ 0 must hold by shares of its terms, u, v ≥ 0 by shares of the largest multiplier.
    multipliers = np.column_stack([u, v])
    broken = np.einsum("nkc,nc->nk", restrictions, multipliers)
    terms = np.einsum("nkc,nc->nk", np.abs(restrictions), np.abs(multipliers))
    broken_share = (broken / np.maximum(terms, 1e-300)).max(axis=1, initial=0.0)
    largest_multiplier = np.maximum(np.abs(multipliers).max(axis=1), 1e-300)
    dual_infeasibility = np.maximum.reduce(
        [
            broken_share,
            unbounded,
            -multipliers.min(axis=1) / largest_multiplier,
            np.zeros(len(u)),
        ]
    )

    frame = proof_frame(
        answer, primal, dual, np.abs(primal - dual), primal_infeasibility, dual_infeasibility
    )
    count = answer.slacks.shape[1]
    slacks = gains[:, :count]
    slack_errors = (
        np.abs(answer.slacks.to_numpy() / scaled.units[:count] - slacks) / size[:, :count]
    )
    # Efficient are those at 1 without slack; λ shows only one choice of slacks.
    without_slack = (slacks / size[:, :count]).max(axis=1) <= TOLERANCE
    is_efficient = (scores >= 1 - TOLERANCE) & without_slack
    return Proof(
        frame,
        {
            "primal_infeasibility": frame["primal_infeasibility"].to_numpy(),
            "gap": frame["gap"].to_numpy() / np.maximum(scores, 1.0),
            "dual_infeasibility": frame["dual_infeasibility"].to_numpy(),
            "distance_of_the_score_from_its_bounds": np.maximum(
                np.abs(primal - scores), np.abs(dual - scores)
            )
            / np.maximum(scores, 1.0),
            "distance_of_the_slacks_from_their_proof": slack_errors.max(axis=1),
            "efficient": (answer.efficient.to_numpy() & ~is_efficient).astype(float),
        },
        (
            "that no other peers have larger slacks, also where there are none",
            "that those not called efficient are not",
        ),
    )


def _excess_shares(scaled: ScaledData, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return by what share of both a reference DMU is worth more than it costs, at most, (K,)."""
    shares = np.zeros(len(u))
    for rows in blocks(len(u), len(scaled.Y)):
        gain = u[rows] @ scaled.Y.T
        cost = v[rows] @ scaled.X.T
        shares[rows] = ((gain - cost) / np.maximum(gain + cost, 1e-300)).max(axis=1, initial=0.0)
    return shares


@lru_cache(maxsize=64)
def _compile_restricted(name: str, m: int, s: int, rows: int, sums: Bounds) -> Template:
    """Compile a restricted formulation for m inputs, s outputs and some restrictions, once."""
    tested: dict[str, dict[Any, float]] = {
        "x_o": dict.fromkeys(range(m), 1.0),
        "y_o": dict.fromkeys(range(s), 1.0),
        "A": {(k, r): 1.0 for k in range(rows) for r in range(s)},
        "B": {(k, i): 1.0 for k in range(rows) for i in range(m)},
    }
    bounds = (sums[0] or None, sums[1] if np.isfinite(sums[1]) else None)
    return compile_template(name, {"X": range(m), "Y": range(s)}, tested, sums=bounds)
