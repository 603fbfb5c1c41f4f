"""The second stage: the largest slacks beyond the radial projection, their peers and their proof.

Most DMUs need no second solve. Where all multipliers are positive there is no slack (complementary
slackness). Where the first stage's λ is the only optimal one, its slacks are the largest, and its
own basis proves it: let y be the first stage's duals, whose reduced costs are above 0 outside the
basis, and y' those that the second stage's costs (-1/maximum for a slack, 0 for λ) give on the same
basis. Then y' + M y has reduced costs of 0 on the basis, and for M large enough none below 0
outside: it is an optimal dual of the second stage. The other DMUs are solved, each from the peers
that it has.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pandas as pd

from deabench.models.shared.scaled_data import compile_program, metric_index
from deabench.proofs.ranking import (
    NO_PROOF,
    OWN_WEIGHTS,
    all_weights_positive,
    metric_maxima,
    stack_outputs_inputs,
)
from deabench.results.proof import SlackWeights
from deabench.solver.engine import Solution, solve_family
from deabench.solver.family import Family
from deabench.tables.transforms import Data
from deabench.utils.arrays import TOLERANCE, Sparse, blocks, chunks, distinct_positions

INWARD = 1e-14
"""The radial projection is moved inwards by this share before the second stage: rounded, it may lie
just beyond the frontier.
"""
DISTINCT = 1e-8
"""A reduced cost above this, of duals of size 1, is not 0."""
LARGEST_M = 1e6
"""An M above this would lose too many digits."""
UNIQUE_UNPROVED = -3
"""Marks a DMU whose λ is the only one, but whose M is above `LARGEST_M`: nothing to solve again."""


class RadialProblem:
    """A table against its reference, as both stages of a radial model know it.

    Attributes
    ----------
    data, reference : Data
    returns, orientation : str
    frontier : int array
        Positions of the reference DMUs that stand for all.
    """

    data: Data
    reference: Data
    returns: str
    orientation: str
    frontier: np.ndarray

    @cached_property
    def metrics(self) -> pd.Index:
        """The names of the outputs, then of the inputs."""
        return metric_index(self.data)

    def intensities(self, family: Family, solution: Solution) -> Sparse:
        """Return λ of the solved DMUs, by the positions in the whole reference."""
        positions = np.append(self.frontier, -1).astype(np.int32)
        by_basis = positions[np.minimum(solution.bases.columns, family.n)]
        columns = by_basis.take(solution.basis_index, axis=0)
        columns[solution.basis_index < 0] = -1
        values = np.maximum(solution.x, 0.0)
        np.copyto(values, 0.0, where=columns < 0)
        return Sparse(columns, values)


def second_stage(
    problem: RadialProblem,
    scores: pd.Series,
    lam: Sparse,
    rows: np.ndarray,
    unique_weights: SlackWeights,
    without_slack: np.ndarray,
) -> tuple[pd.DataFrame, SlackWeights, np.ndarray]:
    """Find the largest slacks beyond the radial projection of the DMUs at some positions.

    The peers that give them replace those in `lam`, in place. Where the second stage cannot be
    solved to the certificate's tolerance (near-duplicates), the first stage's peers and slacks
    stay.

    Parameters
    ----------
    scores, lam
        Of the first stage.
    unique_weights : SlackWeights
        Of `unique_slack_weights`.
    without_slack : bool array (K,)
        Of `rows_without_slack`.

    Returns
    -------
    slacks : DataFrame (K, s + m)
    proof : SlackWeights
        What proves them the largest.
    reached : array (K, s + m)
        The outputs and inputs of the peers.
    """
    is_undefined = np.isnan(scores.to_numpy())

    # Whose own multipliers, or whose only λ, settle it; the second stage is solved for the rest.
    of = np.where(without_slack, OWN_WEIGHTS, unique_weights.of).astype(np.int32)
    proof = SlackWeights(unique_weights.rows, of)
    unsettled = np.flatnonzero((proof.of == NO_PROOF) & ~is_undefined)
    if len(unsettled):
        solved = _solve_second_stage(problem, scores, lam, rows, unsettled)
        proof = replace_slack_weights(proof, solved, unsettled)
    of = np.where(proof.of == UNIQUE_UNPROVED, NO_PROOF, proof.of).astype(np.int32)
    proof = SlackWeights(proof.rows, of)

    # Slacks are what the peers reach beyond the projection.
    reached = lam.dot(stack_outputs_inputs(problem.reference))
    slacks = slacks_at_projection(problem, scores.to_numpy(), rows, reached)
    for r in np.flatnonzero(problem.data.is_changeable).tolist():
        slacks[without_slack, r] = 0.0
    slacks[is_undefined] = np.nan
    slack_frame = pd.DataFrame(slacks, scores.index, problem.metrics, copy=False)
    return slack_frame, proof, reached


def rows_without_slack(problem: RadialProblem, weights: pd.DataFrame) -> np.ndarray:
    """Return which rows of multipliers (K, s + m, and u_0) are all positive: then there is none."""
    maxima = metric_maxima(problem.reference)
    counts = problem.data.is_changeable
    columns = slice(None) if counts.all() else counts
    own_weights = weights.to_numpy()[:, : len(maxima)]  # u_0 stands behind them
    return all_weights_positive(own_weights[:, columns], maxima[columns])


def slacks_at_projection(
    problem: RadialProblem, scores: np.ndarray, rows: np.ndarray, reached: np.ndarray
) -> np.ndarray:
    """Return what peers reach, (K, s + m), beyond the projections of the DMUs at some positions."""
    s = problem.data.outputs.shape[1]
    slacks = np.empty_like(reached)
    for block in chunks(len(scores)):
        x, y = _project(problem, scores[block], rows[block])
        np.subtract(reached[block, :s], y, out=slacks[block, :s])
        np.subtract(x, reached[block, s:], out=slacks[block, s:])
        np.maximum(slacks[block], 0.0, out=slacks[block])
    return slacks


def _solve_second_stage(
    problem: RadialProblem,
    scores: pd.Series,
    lam: Sparse,
    rows: np.ndarray,
    unsettled: np.ndarray,
) -> SlackWeights:
    """Solve the second stage for some DMUs; return the weights that prove its slacks.

    Where the solution is sound, its peers replace those of the first stage in `lam`.
    """
    X = problem.reference.inputs.to_numpy()
    Y = problem.reference.outputs.to_numpy()
    m = X.shape[1]
    table = np.column_stack([X, Y])
    # The maxima, and no power of two: a sum of slacks must have no unit.
    largest = np.abs(table).max(axis=0)
    maxima = np.where(largest > 0, largest, 1.0)
    scaled_table = table / maxima
    values = scores.to_numpy()[unsettled]
    x, y = _project(problem, values, rows[unsettled])
    moved_inputs = x + INWARD * np.abs(x)
    moved_outputs = y - INWARD * np.abs(y)
    points = np.column_stack([moved_inputs, moved_outputs]) / maxima
    s = Y.shape[1]
    counts = problem.data.is_changeable
    form = compile_program(
        "slacks",
        m,
        s,
        returns=problem.returns,
        given_outputs=tuple(np.flatnonzero(~counts[:s]).tolist()),
        given_inputs=tuple(np.flatnonzero(~counts[s:]).tolist()),
    )
    family = Family(form, scaled_table[problem.frontier])

    # The first stage's peers are feasible, so the simplex method starts from them.
    first = lam[unsettled]
    peers = np.where(first.values > 0, np.searchsorted(problem.frontier, first.columns), -1)
    labels = scores.index[unsettled]
    solution = solve_family(family, points, feasible=peers, name=lambda k: str(labels[k]))
    better = problem.intensities(family, solution)
    better.values[better.values < 1e4 * INWARD] = 0.0  # what moving inwards added

    # A solution is sound where it reaches the projection and does not change the score.
    reached = better.dot(scaled_table)
    overuse = np.maximum(reached[:, :m] - points[:, :m], 0).max(axis=1, initial=0.0)
    shortfall = np.maximum(points[:, m:] - reached[:, m:], 0).max(axis=1)
    miss = np.maximum.reduce([overuse, shortfall, -solution.x.min(axis=1)])
    level = _reached_efficiency(problem, better, *_metrics_of(problem.data, rows[unsettled]))
    is_sound = (
        (miss <= TOLERANCE / 10)
        & (solution.basis_index >= 0)
        & (np.abs(level - values) <= TOLERANCE / 10 * np.minimum(values, 1.0))
    )
    _adopt_intensities(lam, better, is_sound, unsettled)
    return _slack_weights_of_bases(family, solution, counts)


def _slack_weights_of_bases(family: Family, solution: Solution, counts: np.ndarray) -> SlackWeights:
    """Return weights of outputs and inputs from the bases' duals, at least 1 where they count."""
    output_rows, input_rows = _metric_rows(family)
    used, basis_rows = distinct_positions(solution.basis_index)
    duals = solution.bases.duals[used]
    weights = np.maximum(np.column_stack([duals[:, output_rows], -duals[:, input_rows]]), counts)
    of = np.where(solution.basis_index >= 0, basis_rows, NO_PROOF).astype(np.int32)
    return SlackWeights(weights, of)


def replace_slack_weights(
    current: SlackWeights, replacement: SlackWeights, rows: np.ndarray
) -> SlackWeights:
    """Return our weights with those of some DMUs replaced."""
    of = current.of.copy()
    of[rows] = np.where(replacement.of >= 0, replacement.of + len(current.rows), replacement.of)
    return SlackWeights(np.vstack([current.rows, replacement.rows]), of)


def _reached_efficiency(
    problem: RadialProblem, lam: Sparse, x: np.ndarray, y: np.ndarray
) -> np.ndarray:
    """Return the efficiency that λ reaches for DMUs at (x, y): the second stage must keep it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if problem.orientation == "output":
            shares = np.where(y > 0, y / lam.dot(problem.reference.outputs.to_numpy()), -np.inf)
        else:
            shares = np.where(x > 0, lam.dot(problem.reference.inputs.to_numpy()) / x, -np.inf)
    return np.asarray(shares.max(axis=1))


def _project(
    problem: RadialProblem, scores: np.ndarray, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return inputs and outputs of the radial projections."""
    x, y = _metrics_of(problem.data, rows)
    if problem.orientation == "output":
        return x, y / scores[:, None]
    return x * scores[:, None], y


def _metrics_of(data: Data, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return inputs and outputs of some DMUs, a metric's values side by side."""
    inputs = data.inputs.to_numpy().T.take(rows, axis=1)
    outputs = data.outputs.to_numpy().T.take(rows, axis=1)
    return inputs.T, outputs.T


def _adopt_intensities(lam: Sparse, better: Sparse, is_sound: np.ndarray, rows: np.ndarray) -> None:
    """Replace the first stage's intensities by the second's where these are sound.

    Both have at most s + m + 1 entries.
    """
    width = lam.columns.shape[1]
    order = np.argsort(better.columns < 0, axis=1, kind="stable")[:, :width]
    lam.columns[rows[is_sound]] = np.take_along_axis(better.columns, order, axis=1)[is_sound]
    lam.values[rows[is_sound]] = np.take_along_axis(better.values, order, axis=1)[is_sound]


def unique_slack_weights(
    family: Family,
    solution: Solution,
    maxima: np.ndarray,
    counts: np.ndarray,
    without_slack: np.ndarray,
) -> SlackWeights:
    """Return the weights that prove the slacks of the DMUs whose λ is the only optimal one.

    Parameters
    ----------
    maxima : array (s + m,)
        The metrics' maxima in the family's units, outputs first.
    counts : bool array (s + m,)
        Whether the slack of each metric counts.
    without_slack : bool array (K,)
        DMUs that need no proof: bases that only they have are not looked at.

    Returns
    -------
    SlackWeights
        `UNIQUE_UNPROVED` where M is too large, `NO_PROOF` for DMUs with more than one λ.
    """
    used, basis_rows = distinct_positions(solution.basis_index)
    codes = solution.bases.columns[used]
    inverse = solution.bases.inverse[used]
    duals = solution.bases.duals[used]
    duals = duals / np.maximum(np.abs(duals).max(axis=1, keepdims=True), 1e-300)

    # y' = costs of the basis · inverse.
    costs = slack_costs(family, maxima, counts)
    is_usable = (
        np.isfinite(inverse).all(axis=(1, 2))
        & (codes == family.n + family.theta).any(axis=1)
        & (used >= 0)
    )
    second = np.zeros_like(duals)
    second[is_usable] = np.einsum("bi,bij->bj", costs[codes[is_usable]], inverse[is_usable])

    # The least M for each basis, and the dual y' + M y where M is small enough.
    factor = np.full(len(used), np.inf)
    is_needed = np.zeros(len(used), dtype=bool)
    is_needed[basis_rows[~without_slack]] = True
    needed = np.flatnonzero(is_needed)
    for part in blocks(len(needed), len(family.table)):
        block = needed[part]
        factor[block] = _least_m(family, codes[block], duals[block], second[block], costs)
    is_unique = is_usable & np.isfinite(factor)
    is_proved = is_usable & (factor <= LARGEST_M)
    y = second + np.where(is_proved, factor, 0.0)[:, None] * duals
    weights = weights_of_duals(family, y, maxima)
    weight_rows = np.cumsum(is_proved) - 1
    of = np.where(is_proved, weight_rows, np.where(is_unique, UNIQUE_UNPROVED, NO_PROOF))
    return SlackWeights(np.maximum(weights, counts)[is_proved], of[basis_rows].astype(np.int32))


def slack_costs(family: Family, maxima: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the second stage's costs by column code: -1/maximum for each slack that counts."""
    costs = np.zeros(len(family.table))
    rows = np.append(*_metric_rows(family))
    costs[family.n + family.statics + rows] = -counts.astype(float) / maxima
    return costs


def weights_of_duals(family: Family, duals: np.ndarray, maxima: np.ndarray) -> np.ndarray:
    """Return the weights (B, s + m) of row duals (B, rows), in metrics over their maxima."""
    output_rows, input_rows = _metric_rows(family)
    return np.asarray(np.column_stack([duals[:, output_rows], -duals[:, input_rows]]) * maxima)


def _least_m(
    family: Family, codes: np.ndarray, duals: np.ndarray, second: np.ndarray, costs: np.ndarray
) -> np.ndarray:
    """Return the least M of each basis; infinite where λ may not be the only optimal one.

    That is so where a column outside the basis has a reduced cost of 0.
    """
    first_costs = -duals @ family.table.T
    second_costs = costs - second @ family.table.T
    outside = np.ones(first_costs.shape, dtype=bool)
    np.put_along_axis(outside, codes, False, axis=1)
    outside[:, family.n : family.n + family.statics] = False  # θ is no column of the second stage
    outside[:, family.zero] = False
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = np.where(outside & (second_costs < 0), -second_costs / first_costs, 0.0)
    is_tied = (outside & (first_costs <= DISTINCT)).any(axis=1)
    return np.where(is_tied, np.inf, needed.max(axis=1))


def scale_dual_ray(
    family: Family, duals: np.ndarray, maxima: np.ndarray, metrics: np.ndarray
) -> np.ndarray:
    """Return the weights (1, s + m) that row duals (rows,) give to outputs, then inputs.

    The largest is 1. Of an infeasible program they prove that a DMU with these `metrics` (s + m,)
    has no score.
    """
    output_rows, input_rows = _metric_rows(family)
    weights = np.maximum(np.append(duals[output_rows], -duals[input_rows]) * maxima, 0.0)
    # Inputs that the DMU has none of can weigh more, at no cost to it. Twice the weight proves the
    # same with room for rounding, which may be more than all that a small DMU has.
    weights[len(output_rows) :] *= np.where(metrics[len(output_rows) :] == 0, 2.0, 1.0)
    return np.asarray(weights / max(float(weights.max()), 1e-300))[None]


def _metric_rows(family: Family) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of the outputs and of the inputs in a family's programs."""
    names = family.template.row_names
    output_rows = [i for i, name in enumerate(names) if name.startswith("outputs")]
    input_rows = [i for i, name in enumerate(names) if name.startswith("inputs")]
    return np.array(output_rows, dtype=int), np.array(input_rows, dtype=int)
