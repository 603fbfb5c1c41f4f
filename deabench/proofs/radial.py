"""Prove that a radial efficiency lies between what its peers reach and what its weights allow.

Both are held to 1e-9 in metrics scaled to about 1, and in efficiency: what λ or the weights break a
constraint by costs as much efficiency as the weights say, and steep ones say more than 1.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pandas as pd

from deabench.proofs.bounds import MARGIN, bound_scores
from deabench.proofs.exact_repair import Technology, match_numbers
from deabench.proofs.ranking import (
    LAMBDA_SUM_BOUNDS,
    SlackProof,
    count_uncovered,
    efficiency_violations,
    reference_maxima,
    stack_outputs_inputs,
    unproved_slack_claims,
)
from deabench.proofs.reasons import radial_reason_violations
from deabench.proofs.supporting_weights import free_term_errors
from deabench.results.proof import Proof, Scored
from deabench.utils.arrays import (
    ROUND,
    chunks,
    elementwise_maxima,
    greatest_products,
    row_minima,
    row_sums,
    scale,
)
from deabench.utils.frames import column_positions

COLUMNS = pd.Index(["primal", "dual", "gap", "primal_infeasibility", "dual_infeasibility"])


def prove_radial(result: Scored) -> Proof:
    """Prove radial efficiencies, one row per DMU.

    Returns
    -------
    Proof
        Its frame: primal, the efficiency that λ proves attainable; dual, the efficiency that the
        weights prove not to be exceeded; gap, their distance beyond the rounding of the weights'
        terms; primal_infeasibility, dual_infeasibility, by how much λ or the weights break a
        constraint, in metrics scaled to a maximum of about 1, or, where that is more, what it is
        worth in efficiency by the weights. NaN where the DMU has no score.
    """
    recomputed = _RadialProof(result)
    unit = reference_maxima(result)
    n = len(result.scores)
    frame = np.empty((n, len(COLUMNS)))
    slack_error = np.empty(n)
    slack_left = np.zeros(n)
    slack_proof = None
    if result.slack_weights is not None:
        slack_proof = SlackProof(result, result.slack_weights)
    # One sparse product per chunk of rows serves all claims.
    for rows in chunks(n):
        reached = result.intensities[rows].dot(recomputed.table)
        frame[rows] = recomputed.certificate(rows, reached)
        slack_error[rows] = _slack_errors_of_rows(result, rows, reached, unit)
        if slack_proof is not None:
            slack_left[rows] = slack_proof.slack_left(rows, reached)
    scores = result.scores.to_numpy()
    frame[np.isnan(scores)] = np.nan
    size = np.maximum(scores, 1.0)
    reason_violations, unproved_reasons = radial_reason_violations(result)
    violations = {
        "gap": frame[:, 2] / size,
        "primal_infeasibility": frame[:, 3],
        "dual_infeasibility": frame[:, 4],
        "distance_of_the_score_from_its_proof": np.abs(frame[:, 0] - scores) / size,
        "distance_of_the_slacks_from_their_proof": slack_error,
        "reference_DMUs_that_no_listed_one_dominates": np.full(
            n, float(count_uncovered(result, mixtures=True))
        ),
        "reason": reason_violations,
    }
    if slack_proof is not None:
        violations["slack_that_is_left"] = slack_left
        violations["efficient"] = efficiency_violations(result, slack_proof)
    return Proof(
        pd.DataFrame(frame, index=result.scores.index, columns=COLUMNS, copy=False),
        violations,
        (*unproved_slack_claims(slack_proof), *unproved_reasons),
    )


def radial_frame(
    result: Scored, reached: np.ndarray | None = None, left_out: np.ndarray | None = None
) -> pd.DataFrame:
    """Return the frame of `prove_radial` alone.

    For the model, which checks its scores before it returns them.

    Parameters
    ----------
    reached : array (n, s + m), optional
        What the peers reach, where that is known.
    left_out : int array (n,), optional
        The reference DMU that each DMU is not compared with. All others count, listed or not.
    """
    values = radial_certificates(result, reached, left_out)
    return pd.DataFrame(values, index=result.scores.index, columns=COLUMNS, copy=False)


def radial_certificates(
    result: Scored, reached: np.ndarray | None = None, left_out: np.ndarray | None = None
) -> np.ndarray:
    """Return the values of `radial_frame`, (n, columns)."""
    recomputed = _RadialProof(result, left_out)
    values = np.empty((len(result.scores), len(COLUMNS)))
    for rows in chunks(len(values)):
        if reached is None:
            reached_rows = result.intensities[rows].dot(recomputed.table)
        else:
            reached_rows = reached[rows]
        values[rows] = recomputed.certificate(rows, reached_rows)
    values[np.isnan(result.scores.to_numpy())] = np.nan
    return values


def slack_errors(result: Scored, reached: np.ndarray | None = None) -> np.ndarray:
    """Return |projection - (radial projection + slack)|, the largest share of an own value.

    `reached` (n, s + m) is what the peers reach, where that is known.
    """
    if reached is None:
        reached = result.intensities.dot(stack_outputs_inputs(result.reference))
    unit = reference_maxima(result)
    errors = np.empty(len(reached))
    # The arrays of a chunk stay in the processor's cache.
    for rows in chunks(len(errors)):
        errors[rows] = _slack_errors_of_rows(result, rows, reached[rows], unit)
    return errors


def _slack_errors_of_rows(
    result: Scored, rows: slice, reached: np.ndarray, unit: np.ndarray
) -> np.ndarray:
    """Return `slack_errors` of some rows; `unit` (s + m,) are the metrics' maxima."""
    score = result.scores.to_numpy()[rows]
    # Metric by metric, with the values of each side by side.
    y = np.ascontiguousarray(result.data.outputs.to_numpy()[rows].T)
    x = np.ascontiguousarray(result.data.inputs.to_numpy()[rows].T)
    slack = np.ascontiguousarray(result.slacks.to_numpy()[rows].T)
    reached = np.ascontiguousarray(reached.T)
    s = len(y)
    is_output_oriented = result.orientation == "output"
    errors = np.zeros(len(score))
    for r in range(len(unit)):
        # The orientation's metrics are those that the score stretches or shrinks; more of an
        # output is slack, less of an input is.
        if r < s:
            projected = y[r]
            if is_output_oriented:
                projected = projected / score
            gained = reached[r] - projected
        else:
            projected = x[r - s]
            if not is_output_oriented:
                projected = projected * score
            gained = projected - reached[r]
        rounding = ROUND * (np.abs(reached[r]) + projected)
        error = np.abs(gained - slack[r]) - rounding
        # Most errors are rounding alone. Without a score there is no projection, and the error is
        # NaN.
        is_off = ~(error <= 0)
        if not is_off.any():
            continue
        # Slack counts in shares of the DMU's own value; one of 0 has the unit of its metric.
        own_unit = np.minimum(np.where(projected > 0, projected, unit[r]), unit[r])
        errors[is_off] = np.maximum(errors, error / own_unit)[is_off]
    return errors


class _RadialProof:
    """A ranking's data in units of about 1, and what is recomputed from them.

    Without inputs each DMU has one that is 1: (5) is then an output-oriented CCR.
    """

    def __init__(self, result: Scored, left_out: np.ndarray | None = None) -> None:
        self.result = result
        self.left_out = left_out
        self.data = result.data
        self.returns = result.returns
        self.is_output_oriented = result.orientation == "output"
        self.has_inputs = result.data.inputs.shape[1] > 0
        self.s = result.data.outputs.shape[1]
        Y = result.reference.outputs.to_numpy()
        X = result.reference.inputs.to_numpy()
        self.unit_x = scale(X)
        self.unit_y = scale(Y)
        self.weights = result.weights.to_numpy()
        # Where each metric's weight stands, and u_0 behind them, if there is one.
        metrics = [*self.data.outputs.columns, *self.data.inputs.columns]
        columns = column_positions(result.weights.columns, [*metrics, "u_0"])
        self.output_columns = columns[: self.s]
        self.input_columns = columns[self.s : -1]
        self.u_0 = np.zeros(len(self.weights))
        if columns[-1] >= 0:
            self.u_0 = self.weights[:, columns[-1]]
        frontier = np.asarray(result.frontier)
        if left_out is not None:
            # Without one of them the listed DMUs do not bound the others.
            frontier = np.arange(len(Y))
        if self.has_inputs:
            self.technology = Technology(
                np.column_stack([Y / self.unit_y, -X / self.unit_x]),
                X.shape[1],
                LAMBDA_SUM_BOUNDS[self.returns],
                frontier,
            )
        else:
            self.bounding_outputs = np.ascontiguousarray((Y[frontier] / self.unit_y).T)

    @cached_property
    def table(self) -> np.ndarray:
        """The reference, outputs first: (n, s + m)."""
        return stack_outputs_inputs(self.result.reference)

    def certificate(self, rows: slice, reached: np.ndarray) -> np.ndarray:
        """Return the columns `COLUMNS` for some rows, whose peers reach `reached` (k, s + m)."""
        y = self.data.outputs.to_numpy()[rows] / self.unit_y
        if self.has_inputs:
            x = self.data.inputs.to_numpy()[rows] / self.unit_x
            return self._bounded_certificate(rows, reached, x, y)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return self._facet_certificate(rows, reached / self.unit_y, y)

    def _facet_certificate(self, rows: slice, reached: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the columns `COLUMNS` of outputs alone: Σ λ = 1, and the weights are a facet's."""
        # The outputs grow together, so the metric that λ raises least decides.
        primal = 1.0 / row_minima(np.where(y > 0, reached / y, np.inf))
        lam = self.result.intensities.values[rows]
        primal_error = elementwise_maxima(-row_minima(lam), np.abs(row_sums(lam) - 1.0))
        # Weights under which no reference DMU is worth more than 1 allow what the DMU is worth.
        u = self.weights[rows].T[self.output_columns].T * self.unit_y
        dual = row_sums(u * y)
        # A unit of the weights' constraint in efficiency: d(1/z) = -dz / z².
        exchange_rate = dual**2 / np.maximum(dual, 1.0)
        # The gap beyond the rounding of the terms that the dual adds up.
        rounding = ROUND * (dual + 1.0) * dual
        gap = np.maximum(np.abs(primal - dual) - rounding, 0.0)
        # What the weights miss: their signs, that no reference DMU is worth more than 1, and u_0,
        # which there is none of.
        excess = elementwise_maxima(
            self._worth_of_reference(rows, u) - 1.0, -row_minima(u), np.abs(self.u_0[rows])
        )
        violation = excess / dual
        size = (row_sums(np.abs(u)) + 1.0) / dual
        dual_error = elementwise_maxima(
            violation / np.maximum(size, 1.0), (violation - ROUND * size) * exchange_rate, 0.0
        )
        return np.column_stack([primal, dual, gap, primal_error, dual_error])

    def _worth_of_reference(self, rows: slice, u: np.ndarray) -> np.ndarray:
        """Return what the outputs of a reference DMU are worth at most, under each row of u."""
        outputs = self.bounding_outputs
        if self.left_out is not None:
            return greatest_products(u, outputs, self.left_out[rows])
        # The weights are a facet's, which many DMUs share: each facet once.
        facets, facet = _distinct_rows(u)
        return np.asarray(greatest_products(facets, outputs)[facet])

    def _bounded_certificate(
        self, rows: slice, reached: np.ndarray, x: np.ndarray, y: np.ndarray
    ) -> np.ndarray:
        """Return the columns `COLUMNS` by bounds of the scores that hold exactly."""
        s = self.s
        scores = self.result.scores.to_numpy()[rows]
        left_out = None
        if self.left_out is not None:
            left_out = self.left_out[rows]
        unit = np.maximum(scores, 1.0)
        tested = np.column_stack([y, -x])
        weights = self.weights[rows]
        u = weights[:, self.output_columns] * self.unit_y
        v = weights[:, self.input_columns] * self.unit_x
        u_0 = self.u_0[rows]
        nonnegative_weights = np.maximum(np.column_stack([u, v]), 0.0)
        # λ is to reach a point a little before the projection.
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.is_output_oriented:
                before = 1.0 / (scores + unit * MARGIN)
                target = np.column_stack([before[:, None] * y, -x])
            else:
                before = scores + unit * MARGIN
                target = np.column_stack([y, -before[:, None] * x])

        def score_of_gains(gains: np.ndarray, positions: np.ndarray) -> np.ndarray:
            # What stretches or shrinks together gains by the least share of any of its metrics.
            base = x[positions]
            base_gains = gains[:, s:]
            if self.is_output_oriented:
                base = y[positions]
                base_gains = gains[:, :s]
            shares = base_gains / np.where(base > 0, base, 1.0)
            share = np.where(base > 0, shares, np.inf).min(axis=1)
            if self.is_output_oriented:
                return np.asarray(1.0 / (before[positions] + share))
            return np.asarray(before[positions] - share)

        def score_of_excess(
            excess: np.ndarray, raised: np.ndarray, positions: np.ndarray
        ) -> np.ndarray:
            # φ u·y ≤ h + v·x output-oriented, u·y ≤ h + θ v·x input-oriented.
            if self.is_output_oriented:
                gain = (raised[:, :s] * match_numbers(y[positions], raised)).sum(axis=1)
                return np.asarray(gain / (gain + excess))
            cost = (raised[:, s:] * match_numbers(x[positions], raised)).sum(axis=1)
            return np.asarray((cost - excess) / cost)

        bounds = bound_scores(
            self.technology,
            tested,
            self.result.intensities[rows],
            nonnegative_weights,
            np.ones(tested.shape, dtype=bool),
            score_of_gains,
            score_of_excess,
            unit,
            ~np.isnan(scores),
            aims=target,
            left_out=left_out,
        )
        # What λ misses as it is, in shares of the numbers themselves, and in its sum and signs.
        point = np.column_stack([reached[:, :s] / self.unit_y, -reached[:, s:] / self.unit_x])
        size = np.abs(target) + np.abs(point)
        shortfall = (target - point) / np.where(size > 0, size, 1.0)
        lower, upper = LAMBDA_SUM_BOUNDS[self.returns]
        lam = self.result.intensities.values[rows]
        sums = row_sums(lam)
        primal_error = elementwise_maxima(
            *shortfall.T, -row_minima(lam), lower - sums, sums - upper, 0.0
        )
        # What the weights miss as they are: their signs, and u_0, which is what they allow.
        # They are normed by u·y output-oriented, by v·x input-oriented.
        norm = row_sums(v * x)
        support = -bounds.support
        if self.is_output_oriented:
            norm = row_sums(u * y)
            support = bounds.support
        is_wrong = free_term_errors(
            self.technology,
            tested,
            self.result.intensities[rows],
            nonnegative_weights,
            support,
            np.abs(u_0 - support),
            left_out,
        )
        if self.returns == "crs":
            is_wrong = np.abs(u_0)
        # A weight below 0 counts by what it takes from the worth of all; a metric of 0 as one of 1.
        virtual_weights = np.column_stack([u, v]) * np.where(tested == 0, 1.0, np.abs(tested))
        total = np.maximum(row_sums(np.abs(virtual_weights)), 1e-300)
        negative = -row_minima(virtual_weights) / total
        with np.errstate(divide="ignore", invalid="ignore"):
            dual_error = elementwise_maxima(is_wrong / norm, negative)
        gap = np.abs(bounds.primal - bounds.dual)
        return np.column_stack([bounds.primal, bounds.dual, gap, primal_error, dual_error])


def _distinct_rows(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct rows (f, s), and which of them each row is."""
    all_rows = np.arange(len(weights))
    # One irrational combination of the columns tells rows apart much faster than sorting them; that
    # it did is checked.
    keys = weights @ np.sqrt(np.arange(2.0, 2.0 + weights.shape[1]))
    position, distinct_keys = pd.factorize(keys)
    if (position < 0).any():  # weights that are no numbers
        return weights, all_rows
    distinct = np.empty((len(distinct_keys), weights.shape[1]))
    distinct[position] = weights
    if (distinct[position] == weights).all():
        return distinct, position
    return weights, all_rows
