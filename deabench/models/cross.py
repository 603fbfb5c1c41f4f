"""Cross-efficiency (Doyle, Green 1994): every DMU judged by the weights of all.

The score is the mean of a column of one matrix. The weights prove their DMU's own efficiency as any
multipliers do; the matrix and its means are recomputed from them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from deabench.errors import CertificateError, DataError
from deabench.models.ccr import CCR
from deabench.models.shared.radial_problems import CCRProblem, Problem, WEIProblem
from deabench.models.shared.scaled_data import (
    SMALL,
    ScaledData,
    compile_program,
    metric_names,
    pareto_efficient,
    proof_violations,
    scaled_multipliers,
)
from deabench.models.wei import WEI
from deabench.proofs import structure
from deabench.proofs.radial import radial_frame, slack_errors
from deabench.results.answer import Answer, Task
from deabench.results.model import Advance, Model, option
from deabench.results.proof import Proof
from deabench.solver.engine import solve_family
from deabench.solver.exact_programs import solve_exactly
from deabench.solver.solve_all import Solutions, solve_each
from deabench.utils.arrays import ROUND, TOLERANCE, scale

DISTINCT = 1e-7
"""Sums of outputs and inputs that differ by less, as a share of themselves, are told apart exactly.
"""
PRECISE = 1e-10
"""A goal that may be wrong by more than this is solved again in rational arithmetic."""

OWN_SHARE = 2.0**-36
"""What share the own best weights have where the goal's weights judge a DMU 0/0."""
NEGLIGIBLE = 1e-12
"""A slack, a weight or an intensity below this share may be rounding."""


@dataclass(frozen=True, kw_only=True)
class Cross(Model):
    """Cross-efficiency: the mean efficiency under the best weights of every DMU."""

    name = "cross"
    title = "the mean efficiency under the best weights of all (cross-efficiency)"
    equation = "(cross-efficiency)"
    formulations = ("multiplier_output", "aggressive", "benevolent")

    returns: Literal["crs"] = "crs"
    orientation: Literal["output"] = "output"
    solves_rows_alone = False
    goal: Literal["aggressive", "benevolent"] = option(
        "aggressive",
        "Of equally good weights, those that are worst (aggressive) or best (benevolent) for the "
        "mean of the others.",
    )

    def solve(self, task: Task, advance: Advance) -> Answer:
        """Compute own efficiencies, the weights of each with its goal, and the matrix."""
        if not task.own_reference:
            raise DataError(
                "model 'cross' lets the systems of one table judge each other; leave the "
                "reference out"
            )
        # Own efficiencies first: the goal chooses among the weights that reach them.
        radial_model = CCR() if task.data.inputs.shape[1] else WEI()
        own_answer = radial_model.solve(replace(task, options=radial_model), lambda _: None)
        if len(task.data.labels) == 1:  # no other DMU judges it or is judged
            return _cross_answer(task, own_answer, own_answer.weights)
        weights = _weights_with_goal(task, own_answer, self.goal, advance)
        return _cross_answer(task, own_answer, weights)

    def prove(self, answer: Answer) -> Proof:
        """Prove that the weights are each DMU's best, and recompute the matrix and its means."""
        return _prove(answer)

    def meaning(self, score: float) -> str:
        """Say what the mean means."""
        return (
            "under the weights that suit each of the systems best it reaches "
            f"{100 * score:.1f} % of the best on average"
        )


def _weights_with_goal(task: Task, own_answer: Answer, goal: str, advance: Advance) -> pd.DataFrame:
    """Return the weights of every DMU: its own score is kept, and the goal decides the rest."""
    scaled = ScaledData.of(task)
    candidates = scaled.undominated()
    reference = scaled.reference_table[candidates]
    reference = reference / _sizes_of_small_rows(reference)
    # The goal looks at the mean of the other DMUs.
    means = np.column_stack([means_of_others(scaled.X), means_of_others(scaled.Y)])
    goal_size = _sizes_of_small_rows(means)
    scaled_means = means / goal_size
    own_scores = own_answer.scores.to_numpy()[:, None]
    program = compile_program(
        goal,
        scaled.m,
        scaled.s,
        over_inputs=("z_o", "X_sum"),
        over_outputs=("y_o", "Y_sum"),
    )
    own_row = np.column_stack([scaled.y, own_scores * scaled.x])
    own_row /= _sizes_of_small_rows(own_row)
    solutions = solve_each(
        program,
        reference,
        np.column_stack([own_row, scaled_means]),
        name=lambda k: str(task.data.labels[k]),
        advance=advance,
    )
    weights = _multipliers(scaled, solutions) / goal_size
    # What rounding of the own score may have changed is solved once more, without that score.
    is_precise = _goal_errors(reference, own_row, scaled_means, solutions) <= PRECISE
    rows = np.flatnonzero(~is_precise | _breaks_complementarity(scaled, own_answer, weights))
    if len(rows):
        peers, is_worthless = _exact_optima(task, candidates, rows)
        exact = solve_each(
            program,
            reference,
            np.column_stack([is_worthless, scaled_means[rows]]),
            equations=peers,
            exact=True,
            name=lambda k: str(task.data.labels[rows[k]]),
        )
        weights[rows] = _multipliers(scaled, exact) / goal_size[rows]
    _lean_on_own_weights(scaled, own_answer, means[:, : scaled.m], weights)
    # In own units; without inputs over that of the input that all have.
    weights /= scaled.units
    if not task.data.inputs.shape[1]:
        weights = weights[:, :-1] / weights[:, -1:]
    return pd.DataFrame(weights, index=task.data.labels, columns=metric_names(task.data))


def _lean_on_own_weights(
    scaled: ScaledData, own_answer: Answer, mean_inputs: np.ndarray, weights: np.ndarray
) -> None:
    """Add a little of their own best weights to weights (K, s + m) that judge a DMU 0/0, in place.

    They give all weight to inputs and outputs that the DMU has nothing of. No best weights reach
    what these do for the goal; best weights come as near to it as one likes.
    """
    u, v = scaled_multipliers(own_answer, scaled)
    input_weights = weights[:, scaled.s :]
    counts = input_weights > NEGLIGIBLE * input_weights.max(axis=1, keepdims=True)
    rows = np.flatnonzero(~(counts & (scaled.x > 0)).any(axis=1))
    own_weights = np.column_stack([u, v])[rows]
    # The goal's weights give the mean of the others' inputs a worth of 1.
    own_weights /= (v * mean_inputs)[rows].sum(axis=1, keepdims=True)
    weights[rows] += OWN_SHARE * own_weights


def _sizes_of_small_rows(rows: np.ndarray) -> np.ndarray:
    """Return the power of two next to each row's largest value where that is small, else 1: (n, 1).

    What a DMU gives is at most, or exactly, what it takes, whatever its size: to a solver's
    tolerance a small one would be no constraint, and a small goal none at all.
    """
    size = scale(rows.T)
    return np.asarray(np.where(size * SMALL <= 1.0, size, 1.0)[:, None])


def means_of_others(values: np.ndarray) -> np.ndarray:
    """Return the mean of the other rows for each row of (n, c), without a difference of sums."""
    none = np.zeros((1, values.shape[1]))
    before = np.vstack([none, np.cumsum(values[:-1], axis=0)])
    after = np.vstack([np.cumsum(values[:0:-1], axis=0)[::-1], none])
    return np.asarray((before + after) / (len(values) - 1))


def _multipliers(scaled: ScaledData, solutions: Solutions) -> np.ndarray:
    """Return u and v of scaled metrics, (K, s + m)."""
    names = [f"u[{r}]" for r in range(scaled.s)] + [f"v[{i}]" for i in range(scaled.m)]
    return np.asarray(np.maximum(np.column_stack([solutions.values[name] for name in names]), 0.0))


def _goal_errors(
    reference: np.ndarray, own_row: np.ndarray, means: np.ndarray, solutions: Solutions
) -> np.ndarray:
    """Return by how much the goals may be wrong, (K,): what rows miss, at the prices of the rows.

    Parameters
    ----------
    reference : array (n, m + s)
    own_row : array (K, s + m)
        Outputs, and inputs times the own score.
    means : array (K, m + s)
        Of the other DMUs.
    """
    s = sum(name.startswith("u[") for name in solutions.values)
    m = reference.shape[1] - s
    u = np.column_stack([solutions.values[f"u[{r}]"] for r in range(s)])
    v = np.column_stack([solutions.values[f"v[{i}]"] for i in range(m)])
    own_price = solutions.duals["own_efficiency"]
    input_price = solutions.duals["inputs_of_the_others"]
    prices = solutions.shared["no_better"].dot(np.eye(len(reference)))
    # A row misses by its residual, and by the rounding of its terms.
    gain = u @ reference[:, m:].T
    cost = v @ reference[:, :m].T
    own_gain = (u * own_row[:, :s]).sum(axis=1)
    misses = np.maximum(gain - cost, 0.0) + ROUND * (gain + cost)
    errors = np.abs(own_price) * ROUND * own_gain + (np.abs(prices) * misses).sum(axis=1)
    # Where a DMU is all but as good as can be, other weights may be the ones of the true own score.
    distance = np.abs(gain - cost)
    is_near = (distance > ROUND * (gain + cost)) & (distance <= DISTINCT * (gain + cost))
    own_cost = (v * own_row[:, s:]).sum(axis=1)
    is_near |= (np.abs(own_gain - own_cost) > ROUND * (own_gain + own_cost))[:, None]
    errors[is_near.any(axis=1)] = np.inf
    # What a reduced cost of the wrong sign may be worth: no weight can be above its bound.
    largest_v = 1.0 / np.where(means[:, :m] > 0, means[:, :m], np.inf)
    worth = largest_v @ reference[:, :m].T
    with np.errstate(divide="ignore"):
        limits = worth[:, :, None] / np.where(reference[:, m:] > 0, reference[:, m:], 0.0)
    largest_u = limits.min(axis=1)
    own_y = own_row[:, :s]
    own_z = own_row[:, s:]
    reduced_u = means[:, m:] - own_price[:, None] * own_y - prices @ reference[:, m:]
    reduced_v = own_price[:, None] * own_z - input_price[:, None] * means[:, :m]
    reduced_v += prices @ reference[:, :m]
    wrong_u = np.where(u > 0, np.abs(reduced_u), 0.0)
    wrong_v = np.where(v > 0, np.abs(reduced_v), 0.0)
    return np.asarray(
        errors
        + (wrong_u * np.where(np.isfinite(largest_u), largest_u, 0.0)).sum(axis=1)
        + (wrong_v * largest_v).sum(axis=1)
    )


def _breaks_complementarity(
    scaled: ScaledData, own_answer: Answer, weights: np.ndarray
) -> np.ndarray:
    """Return whose weights and peers cannot both be optimal, bool (K,).

    A metric with slack has no weight, a peer is as good as can be, and no DMU is better than that.
    What breaks that may be far above rounding where the product, which the own score shows, is
    below it, and where a DMU is far smaller than the others.
    """
    lam = own_answer.intensities
    count = own_answer.slacks.shape[1]
    own_values = np.column_stack([scaled.y, scaled.x])[:, :count]
    # What λ itself reaches: it may fall short of a metric by less than a certificate allows.
    projected = scaled.y / own_answer.scores.to_numpy()[:, None]
    gains = np.column_stack([lam.dot(scaled.Y) - projected, scaled.x - lam.dot(scaled.X)])
    own_units = np.where(own_values > 0, own_values, 1.0)
    shares = gains[:, :count] / own_units
    # How much λ errs grows with how far the values of the table are apart.
    rounding = min(ROUND / own_units.min(), NEGLIGIBLE)
    is_short = (shares < -rounding).any(axis=1)
    has_slack = shares > rounding
    has_weight = weights > NEGLIGIBLE * weights.max(axis=1, keepdims=True)
    breaks = is_short | (has_slack & has_weight[:, :count]).any(axis=1)
    gain = weights[:, : scaled.s] @ scaled.Y.T
    cost = weights[:, scaled.s :] @ scaled.X.T
    distance = np.abs(gain - cost) / np.maximum(gain + cost, 1e-300)
    peers = np.maximum(lam.columns, 0)
    is_apart = np.take_along_axis(distance, peers, axis=1) > ROUND
    is_peer = lam.values > NEGLIGIBLE
    is_better = gain - cost > TOLERANCE * cost
    return np.asarray(breaks | (is_apart & is_peer).any(axis=1) | is_better.any(axis=1))


def _exact_optima(
    task: Task, candidates: np.ndarray, rows: np.ndarray
) -> tuple[list[np.ndarray], np.ndarray]:
    """Return what every optimal weighting of some DMUs has to meet, by complementary slackness.

    Returns
    -------
    peers : list of int arrays
        The candidates that have to be as good as can be under the weights.
    is_worthless : array (K, s + m)
        1 for an output, and -1 for an input, that has slack and therefore a weight of 0.
    """
    problem: Problem = WEIProblem(task)
    if task.data.inputs.shape[1]:
        problem = CCRProblem(replace(task, options=CCR()))
    family = problem.family
    s = task.data.outputs.shape[1]
    # From the basis that floating point ends with, few exact pivots are needed.
    rounded = solve_family(family, problem.tested[rows])
    # A peer's constraint holds with equality at every optimum; a metric with slack weighs nothing.
    peers = []
    is_worthless = np.zeros((len(rows), s + max(task.data.inputs.shape[1], 1)))
    names = family.template.row_names
    for position, k in enumerate(rows.tolist()):
        start = rounded.bases.columns[rounded.basis_index[position]]
        solution = solve_exactly(family, problem.tested[k], str(task.data.labels[k]), start=start)
        codes = solution.bases.columns[solution.basis_index[0]][solution.x[0] > 0]
        positions = problem.frontier[codes[codes < family.n]]
        peers.append(np.searchsorted(candidates, positions))
        for row in codes[codes >= family.n + family.statics] - family.n - family.statics:
            side, _, metric = names[row].rstrip("]").partition("[")
            if side == "outputs":
                is_worthless[position, int(metric)] = 1.0
            elif side == "inputs":
                is_worthless[position, s + int(metric)] = -1.0
    return peers, is_worthless


def _cross_answer(task: Task, own_answer: Answer, weights: pd.DataFrame) -> Answer:
    """Return own efficiencies with the means of the matrix as scores."""
    # Row k judges: the weights of DMU k, applied to every column.
    matrix = _judge_all(task, weights)
    undefined = int(matrix.isna().to_numpy().sum())
    notes = own_answer.data.notes
    if undefined:
        notes = (*notes, f"{undefined} of {matrix.size} judgements are 0/0 and leave the mean")
    return replace(
        own_answer,
        scores=matrix.mean(axis=0).rename("efficiency"),
        weights=weights,
        options=task.options,
        data=replace(own_answer.data, notes=notes),
        tables={"cross": matrix},
        slack_weights=None,
        path=f"{own_answer.path}, then {len(matrix)} solves for the goal",
    )


def _judge_all(task: Task | Answer, weights: pd.DataFrame) -> pd.DataFrame:
    """Return the efficiency of each column's DMU under the weights of each row's."""
    data = task.data
    weighted_outputs = weights[data.outputs.columns].to_numpy() @ data.outputs.to_numpy().T
    weighted_inputs = np.ones_like(weighted_outputs)
    if data.inputs.shape[1]:
        weighted_inputs = weights[data.inputs.columns].to_numpy() @ data.inputs.to_numpy().T
    with np.errstate(divide="ignore", invalid="ignore"):
        matrix = np.where(weighted_inputs > 0, weighted_outputs / weighted_inputs, np.nan)
    # Labels of several levels keep the names of these.
    judges = data.labels if data.labels.nlevels > 1 else data.labels.rename("by")
    return pd.DataFrame(matrix, index=judges, columns=data.labels)


def _prove(answer: Answer) -> Proof:
    """Prove own efficiencies from the weights, and recompute the matrix and its means."""
    if not answer.own_reference:
        raise CertificateError(
            "'own_reference' is not true, and all that are judged judge; compute the result again"
        )
    labels = answer.scores.index
    matrix = structure.require_table(answer, "cross", rows=labels, columns=labels).to_numpy()
    # The diagonal holds the own efficiencies, proved as any radial ones.
    own_answer = replace(answer, scores=pd.Series(np.diag(matrix), index=labels))
    frame = radial_frame(own_answer)
    recomputed = _judge_all(answer, answer.weights)
    is_undefined = np.isnan(matrix) & np.isnan(recomputed.to_numpy())
    matrix_errors = np.nan_to_num(np.abs(matrix - recomputed.to_numpy()), nan=np.inf)
    means = recomputed.mean(axis=0).to_numpy()
    at_least_efficient = pareto_efficient(
        own_answer.scores, own_answer.slacks, own_answer.data, own_answer.orientation
    )
    return Proof(
        frame,
        {
            **proof_violations(frame),
            "distance_of_the_matrix_from_its_weights": np.where(
                is_undefined, 0.0, matrix_errors
            ).max(axis=1),
            "distance_of_the_score_from_its_proof": np.abs(answer.scores.to_numpy() - means),
            "distance_of_the_slacks_from_their_proof": slack_errors(own_answer),
            "efficient": (answer.efficient & ~at_least_efficient).to_numpy().astype(float),
        },
        (
            f"that no other best weights are more {answer.options.goal}",
            "that slacks are the largest, and that those not called efficient are not",
        ),
    )
