"""Prove that a radial efficiency lies between what its peers reach and what its weights allow.

Both are held to 1e-9 in metrics scaled to about 1, and in efficiency: what λ or the weights break a
constraint by costs as much efficiency as the weights say, and steep ones say more than 1.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from deabench.proofs.bounds import MARGIN, bound_scores, greatest_products
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
from deabench.results.proof import Proof, Scored
from deabench.utils.arrays import (
    ROUND,
    Sparse,
    chunks,
    elementwise_maxima,
    row_minima,
    row_sums,
    scale,
)

COLUMNS = ["primal", "dual", "gap", "primal_infeasibility", "dual_infeasibility"]


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
        slack_error[rows] = recomputed.slack_errors(rows, reached)
        if slack_proof is not None:
            slack_left[rows] = slack_proof.slack_left(rows, reached)
    scores = result.scores.to_numpy()
    frame[np.isnan(scores)] = np.nan
    size = np.maximum(np.abs(scores), 1.0)
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
    recomputed = _RadialProof(result, left_out)
    frame = np.empty((len(result.scores), len(COLUMNS)))
    for rows in chunks(len(frame)):
        if reached is None:
            reached_rows = result.intensities[rows].dot(recomputed.table)
        else:
            reached_rows = reached[rows]
        frame[rows] = recomputed.certificate(rows, reached_rows)
    frame[np.isnan(result.scores.to_numpy())] = np.nan
    return pd.DataFrame(frame, index=result.scores.index, columns=COLUMNS, copy=False)


def slack_errors(result: Scored) -> np.ndarray:
    """Return |projection - (radial projection + slack)|, largest metric, over its maximum."""
    recomputed = _RadialProof(result)
    return recomputed.slack_errors(slice(None), result.intensities.dot(recomputed.table))


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
        self.table = stack_outputs_inputs(result.reference)
        self.unit = reference_maxima(result)
        Y = self.table[:, : self.s]
        X = self.table[:, self.s :]
        if not self.has_inputs:
            X = np.ones((len(Y), 1))
        self.unit_x = scale(X)
        self.unit_y = scale(Y)
        self.weights = result.weights.to_numpy()
        names = result.weights.columns
        self.u_0 = np.zeros(len(self.weights))
        if "u_0" in names:
            self.u_0 = result.weights["u_0"].to_numpy()
        self.output_columns = names.get_indexer(self.data.outputs.columns)
        self.input_columns = names.get_indexer(self.data.inputs.columns)
        frontier = np.asarray(result.frontier)
        if left_out is not None:
            # Without one of them the listed DMUs do not bound the others.
            frontier = np.arange(len(Y))
        self.technology = Technology(
            np.column_stack([Y / self.unit_y, -X / self.unit_x]),
            X.shape[1],
            LAMBDA_SUM_BOUNDS[self.returns],
            frontier,
        )
        # The DMUs that the weights must hold for: (Y, X, 1), a column each.
        rows = np.column_stack(
            [Y[frontier] / self.unit_y, X[frontier] / self.unit_x, np.ones(len(frontier))]
        )
        if self.returns == "crs":  # any multiple of a DMU is possible: each counts in its own size
            rows /= np.maximum(np.abs(rows[:, :-1]).max(axis=1, keepdims=True), 1e-300)
        self.frontier = np.ascontiguousarray(rows.T)

    def certificate(self, rows: slice, reached: np.ndarray) -> np.ndarray:
        """Return the columns `COLUMNS` for some rows, whose peers reach `reached` (k, s + m)."""
        y = self.data.outputs.to_numpy()[rows] / self.unit_y
        x = np.ones((len(y), 1))
        if self.has_inputs:
            x = self.data.inputs.to_numpy()[rows] / self.unit_x
        outward = self.is_output_oriented
        if self.has_inputs:
            return self._bounded_certificate(rows, reached, x, y)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            # λ gives an efficiency from one side, the weights one from the other.
            primal, shortfall, sum_error = self._primal(
                self.result.intensities[rows], reached, x, y
            )
            raw, norm, (u, v, u_0) = self._normed_weights(rows, x, y)
            gain = u * y
            spent = v * x
            # Weak duality: with u·y = 1 (or v·x = 1) the other side of the multiplier program is
            # the best that any combination of the reference can be worth.
            if outward:
                dual = 1.0 / (row_sums(spent) + u_0)
                squared = dual**2
                priced_metrics = v * shortfall
            else:
                dual = row_sums(gain) + u_0
                squared = 1.0
                priced_metrics = u * shortfall
            # A unit of the objective in efficiency: d(1/z) = -dz / z², so the square of the dual.
            exchange_rate = squared / np.maximum(dual, 1.0)
            # The gap beyond the rounding of the terms that the dual adds up.
            terms = row_sums(np.abs(gain)) + row_sums(np.abs(spent)) + np.abs(u_0)
            gap = np.maximum(np.abs(primal - dual) - ROUND * terms * squared, 0.0)
            # λ: each constraint, and all together at the prices of the weights.
            priced = row_sums(priced_metrics) + np.abs(u_0) * sum_error
            primal_error = elementwise_maxima(
                *shortfall.T, sum_error, priced * exchange_rate - ROUND * terms * exchange_rate, 0.0
            )
            # Weights: their signs, and that no reference DMU exceeds what they allow.
            sign_error = self._sign_errors(u, v, u_0)
            violation = np.maximum(sign_error, self._excess_of_reference(rows, raw, norm))
            size = row_sums(np.abs(u)) + row_sums(np.abs(v)) + np.abs(u_0)
            dual_error = elementwise_maxima(
                violation / np.maximum(size, 1.0), (violation - ROUND * size) * exchange_rate, 0.0
            )
        return np.column_stack([primal, dual, gap, primal_error, dual_error])

    def _bounded_certificate(
        self, rows: slice, reached: np.ndarray, x: np.ndarray, y: np.ndarray
    ) -> np.ndarray:
        """Return the columns `COLUMNS` by bounds of the scores that hold exactly."""
        s = self.s
        scores = self.result.scores.to_numpy()[rows]
        left_out = None
        if self.left_out is not None:
            left_out = self.left_out[rows]
        unit = np.maximum(np.abs(np.nan_to_num(scores)), 1.0)
        tested = np.column_stack([y, -x])
        weights = self.weights[rows]
        u = weights[:, self.output_columns] * self.unit_y
        v = weights[:, self.input_columns] * self.unit_x
        u_0 = self.u_0[rows]
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
            np.maximum(np.column_stack([u, v]), 0.0),
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
        norm = self._norm(u, v, x, y)
        support = -bounds.support
        if self.is_output_oriented:
            support = bounds.support
        terms = np.abs(support) + row_sums(u * y) + row_sums(v * x)
        is_wrong = np.maximum(np.abs(u_0 - support) - ROUND * terms, 0.0)
        if self.returns == "crs":
            is_wrong = np.abs(u_0)
        with np.errstate(divide="ignore", invalid="ignore"):
            dual_error = elementwise_maxima(
                is_wrong / norm,
                -row_minima(u) / np.maximum(elementwise_maxima(*u.T), 1e-300),
                -row_minima(v) / np.maximum(elementwise_maxima(*v.T), 1e-300),
                0.0,
            )
        gap = np.abs(bounds.primal - bounds.dual)
        return np.column_stack([bounds.primal, bounds.dual, gap, primal_error, dual_error])

    def _primal(
        self, lam: Sparse, reached: np.ndarray, x: np.ndarray, y: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the efficiency that λ reaches, its shortfall per metric, and its sum's error."""
        made = reached[:, : self.s] / self.unit_y
        sums = row_sums(lam.values)
        # Without inputs every DMU has one input of 1, of which λ uses Σ λ.
        used = sums[:, None]
        if self.has_inputs:
            used = reached[:, self.s :] / self.unit_x
        lower, upper = LAMBDA_SUM_BOUNDS[self.returns]
        sum_error = elementwise_maxima(-row_minima(lam.values), lower - sums, sums - upper, 0.0)
        if self.is_output_oriented:
            # The outputs grow together, so the metric that λ raises least decides.
            growth = row_minima(np.where(y > 0, made / y, np.inf))
            return 1.0 / growth, _excess(used, x), sum_error
        # The inputs shrink together, so the metric that λ uses most of decides.
        return np.where(x > 0, used / x, -np.inf).max(axis=1), _excess(y, made), sum_error

    def _normed_weights(
        self, rows: slice, x: np.ndarray, y: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Return the outputs' weights, their u·y (or v·x), and u, v, u_0 with a norm of 1.

        In scaled metrics.
        """
        weights = self.weights[rows]
        u = weights[:, self.output_columns] * self.unit_y
        v = np.ones((len(u), 1))
        if self.has_inputs:
            v = weights[:, self.input_columns] * self.unit_x
        u_0 = self.u_0[rows]
        # Divided by it, u·y = 1 output-oriented and v·x = 1 input-oriented.
        norm = self._norm(u, v, x, y)
        return u, norm, (u / norm[:, None], v / norm[:, None], u_0 / norm)

    def _norm(self, u: np.ndarray, v: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return what the weights are normed by: u·y output-oriented, v·x input-oriented."""
        if self.is_output_oriented:
            return row_sums(u * y)
        return row_sums(v * x)

    def _sign_errors(self, u: np.ndarray, v: np.ndarray, u_0: np.ndarray) -> np.ndarray:
        """Return by how much the weights have the wrong sign."""
        u_0_error = _sign_error_of_u_0(u_0, self.returns, self.is_output_oriented)
        return elementwise_maxima(-row_minima(u), -row_minima(v), u_0_error)

    def _excess_of_reference(self, rows: slice, raw: np.ndarray, norm: np.ndarray) -> np.ndarray:
        """Return by how much the outputs' weights let a reference DMU give more than it takes."""
        outputs = self.frontier[: self.s]
        if self.left_out is not None:
            return np.asarray((greatest_products(raw, outputs, self.left_out[rows]) - 1.0) / norm)
        # The weights are a facet's, which many DMUs share: each facet once.
        facets, facet = _distinct_rows(raw)
        return np.asarray((greatest_products(facets, outputs)[facet] - 1.0) / norm)

    def slack_errors(self, rows: slice, reached: np.ndarray) -> np.ndarray:
        """Return |reached - (radial projection + slack)|, largest metric, over its maximum."""
        score = self.result.scores.to_numpy()[rows]
        y = self.data.outputs.to_numpy()[rows]
        x = self.data.inputs.to_numpy()[rows]
        slack = self.result.slacks.to_numpy()[rows]
        errors = np.zeros(len(reached))
        for r in range(len(self.unit)):
            # The orientation's metrics are those that the score stretches or shrinks; more of an
            # output is slack, less of an input is.
            if r < self.s:
                projected = y[:, r]
                if self.is_output_oriented:
                    projected = projected / score
                gained = reached[:, r] - projected
            else:
                projected = x[:, r - self.s]
                if not self.is_output_oriented:
                    projected = projected * score
                gained = projected - reached[:, r]
            rounding = ROUND * (np.abs(reached[:, r]) + np.abs(projected))
            error = np.maximum(np.abs(gained - slack[:, r]) - rounding, 0.0)
            errors = np.maximum(errors, error / self.unit[r])
        return np.where(np.isnan(score), np.nan, errors)


def _excess(upper: np.ndarray, lower: np.ndarray) -> np.ndarray:
    """Return by how much one is above the other, beyond the rounding of numbers so large."""
    rounding = ROUND * (np.abs(upper) + np.abs(lower))
    return np.asarray(np.maximum(upper - lower - rounding, 0.0))


def _sign_error_of_u_0(u_0: np.ndarray, returns: str, is_output_oriented: bool) -> np.ndarray:
    """Return by how much u_0 breaks the sign that the returns to scale give it."""
    if returns == "vrs":
        return np.zeros(len(u_0))
    if returns == "crs":
        return np.asarray(np.abs(u_0))
    # u_0 is the dual of Σ λ ≥ 1 (ndrs) or Σ λ ≤ 1 (nirs), which fixes its sign; the orientation
    # turns the sign around.
    if (returns == "ndrs") != is_output_oriented:
        return np.asarray(np.maximum(-u_0, 0.0))
    return np.asarray(np.maximum(u_0, 0.0))


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
