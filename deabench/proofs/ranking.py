"""Prove a ranking against all reference DMUs, its slacks the largest, and `efficient` both ways.

All in metrics divided by their maxima c in the reference: Z = (outputs, -inputs) / c. Any weights
u ≥ 1 bound the total slack Σ slack / c at a point z by u₀ - u·z, where u₀ is the most that u gives
to a combination: max_j u·Z_j, which must not be above 0 where combinations can be multiplied, and
is at least 0 where they can be shrunk.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from deabench.proofs.supporting_weights import has_supporting_weights
from deabench.results.proof import Scored, SlackWeights
from deabench.tables.transforms import Data
from deabench.utils.arrays import (
    ROUND,
    TOLERANCE,
    chunks,
    elementwise_maxima,
    greatest_products,
    largest_sizes,
    scale,
)
from deabench.utils.frames import column_positions

LAMBDA_SUM_BOUNDS: dict[str, tuple[float, float]] = {
    "crs": (0.0, np.inf),
    "vrs": (1.0, 1.0),
    "nirs": (0.0, 1.0),
    "ndrs": (1.0, np.inf),
}
"""The bounds of Σ λ by returns to scale: the only place that has them."""
LEAST_SHARE = 1e-5
"""Weights that are all above this share of the largest, in metrics scaled to 1, leave no slack, by
complementary slackness.
"""
OWN_WEIGHTS = -1
"""In `SlackWeights.of`: the DMU's own weights are all positive and prove its slacks."""
NO_PROOF = -2
"""In `SlackWeights.of`: there is no proof."""


def reference_maxima(result: Scored) -> np.ndarray:
    """Return `metric_maxima` of a result's reference."""
    return metric_maxima(result.reference)


def metric_maxima(data: Data) -> np.ndarray:
    """Return the largest value of every output, then input; 1 where it is 0.

    Of a metric with values below 0 it is the largest without their signs.
    """
    maxima = np.append(
        largest_sizes(data.outputs.to_numpy()), largest_sizes(data.inputs.to_numpy())
    )
    return np.where(maxima > 0, maxima, 1.0)


def all_weights_positive(weights: np.ndarray, maxima: np.ndarray) -> np.ndarray:
    """Return whether every weight of a row is positive, in metrics scaled to a maximum of 1."""
    is_positive = np.empty(len(weights), dtype=bool)
    # A chunk stays in the processor's cache, with each metric's weights side by side.
    for rows in chunks(len(weights)):
        shares = np.multiply(weights[rows].T, maxima[:, None], order="C")
        is_positive[rows] = shares.min(axis=0) > LEAST_SHARE * shares.max(axis=0)
    return is_positive


def stack_outputs_inputs(data: Data, rows: slice | np.ndarray = slice(None)) -> np.ndarray:
    """Return outputs, then inputs, of all DMUs or of some, as one array (n, s + m)."""
    return np.column_stack([data.outputs.to_numpy()[rows], data.inputs.to_numpy()[rows]])


class SlackProof:
    """What is claimed of slacks and of who is efficient, prepared once for all DMUs."""

    def __init__(self, result: Scored, weights: SlackWeights) -> None:
        self.result = result
        self.weights = weights
        self.unit = reference_maxima(result)
        s = result.data.outputs.shape[1]
        self.signed_unit = self.unit * np.append(np.ones(s), -np.ones(len(self.unit) - s))
        self.has_no_score = np.isnan(result.scores.to_numpy())
        self.slack = result.slacks.to_numpy()
        # The slack of a given metric does not count: its weight need only be 0 or more.
        counts = result.data.is_changeable
        self.counted: Any = slice(None) if counts.all() else counts
        self.total = total_slack(self.slack[:, self.counted], self.unit[self.counted])
        self.bound = weighted_maxima(result, weights.rows)
        self._supported: dict[int, bool] = {}
        self.is_at_least_1 = np.asarray((weights.rows >= counts - TOLERANCE).all(axis=1))
        # The DMUs' own weights in the order of the slacks; mostly they are, and need no copy.
        own_weights = result.weights.to_numpy()
        columns = column_positions(result.weights.columns, result.slacks.columns)
        if (columns == np.arange(len(columns))).all():
            self.own_weights = own_weights[:, : len(columns)]
        else:
            self.own_weights = own_weights[:, columns]

    def discard(self, is_discarded: np.ndarray) -> None:
        """Discard the proofs of the slacks of some DMUs, bool (n,)."""
        of = np.where(is_discarded, NO_PROOF, self.weights.of).astype(np.int32)
        self.weights = SlackWeights(self.weights.rows, of)

    def all_slack_left(self, reached: np.ndarray | None = None) -> np.ndarray:
        """Return `slack_left` of every DMU, whose peers reach `reached` (n, s + m)."""
        if reached is None:
            reached = self.result.intensities.dot(stack_outputs_inputs(self.result.reference))
        count = len(self.has_no_score)
        return np.concatenate([self.slack_left(rows, reached[rows]) for rows in chunks(count)])

    def slack_left(self, rows: slice, reached: np.ndarray) -> np.ndarray:
        """Return how much more slack there may be than the result has, for some DMUs.

        It is counted in the metrics' maxima, or in what the DMU itself has where that, or its
        slack, is larger. `reached` (k, s + m) is what their peers reach. Where their own weights
        leave no slack, the total slack itself; infinite where what is to prove it does not.
        """
        of = self.weights.of[rows]
        has_no_score = self.has_no_score[rows]
        claimed = self.total[rows]
        remaining = np.where(of == OWN_WEIGHTS, claimed, 0.0)
        # The point from which slacks are counted is what is reached, less the slacks.
        proved = np.flatnonzero(of >= 0)
        point = reached[proved] / self.signed_unit - self.slack[rows][proved] / self.unit
        size = elementwise_maxima(claimed[proved], 1.0, *np.abs(point).T)
        remaining[proved] = (self._slack_bounds(of[proved], point) - claimed[proved]) / size
        # Efficient DMUs have none left where that holds in fractions.
        scores = self.result.scores.to_numpy()[rows]
        is_open = (remaining[proved] > TOLERANCE) & (scores[proved] >= 1 - TOLERANCE)
        for k in proved[is_open].tolist():
            if self.is_supported(rows.start + k):
                remaining[k] = 0.0
        own_weights = self.own_weights[rows][:, self.counted]
        own_are_positive = all_weights_positive(own_weights, self.unit[self.counted])
        remaining[(of == OWN_WEIGHTS) & ~own_are_positive] = np.inf
        return np.where(has_no_score, np.nan, np.maximum(remaining, 0.0))

    def _slack_bounds(self, of: np.ndarray, points: np.ndarray) -> np.ndarray:
        """Return u₀ - u·z, the bound of the total slack at points (k, s + m) in units of c."""
        # Slack · 1 ≤ slack · u for u ≥ 1, and u·(z + slack) ≤ u₀ for anything attainable.
        bound = self.bound[of] - np.einsum("kr,kr->k", self.weights.rows[of], points)
        return np.asarray(np.where(self.is_at_least_1[of], bound, np.inf))

    def is_supported(self, k: int) -> bool:
        """Return whether the weights of DMU k's slacks prove, in fractions, that it has none."""
        if k not in self._supported:
            self._supported[k] = self._has_support(k)
        return self._supported[k]

    def _has_support(self, k: int) -> bool:
        """Do `is_supported`: the weights are to support the DMU, or beyond it its peers."""
        data = self.result.data
        signs = np.sign(self.signed_unit)
        weights = self.weights.rows[self.weights.of[k]] / self.unit
        if not (weights[self.counted] > 0).all():
            return False
        table = stack_outputs_inputs(self.result.reference) * signs
        points = table[self.result.frontier]
        if self.result.scores.iloc[k] <= 1 or self.result.own_reference:
            tested = np.append(data.outputs.to_numpy()[k], data.inputs.to_numpy()[k])
            return has_supporting_weights(points, tested * signs, weights, self.result.returns)
        # The mixture of the peers is the projection: without slack it is that within rounding.
        lam = self.result.intensities
        peers = table[lam.columns[k][lam.values[k] > 0]]
        # Of a metric that the projection has none of, what rounding leaves among its peers is no
        # unit.
        slack_shares = self.slack[k] / self._own_units(self._projections(np.array([k])))[0]
        if not len(peers) or (slack_shares[self.counted] > TOLERANCE).any():
            return False
        sum_of_lam = lam.values[k].sum()
        returns = self.result.returns
        if returns in ("nirs", "ndrs") and abs(sum_of_lam - 1) > TOLERANCE:
            returns = "crs"
        return has_supporting_weights(points, peers, weights, returns)

    @cached_property
    def proved(self) -> tuple[np.ndarray, np.ndarray]:
        """Return who is proved efficient, and who is neither that nor proved inefficient."""
        scores = self.result.scores.to_numpy()
        proved = np.zeros(len(scores), dtype=bool)
        # A score below 1 or a slack proves inefficiency.
        candidates = np.flatnonzero(scores >= 1 - TOLERANCE)
        data = self.result.data
        points = np.column_stack(
            [data.outputs.to_numpy()[candidates], data.inputs.to_numpy()[candidates]]
        )
        shares = (self.slack[candidates] / self._own_units(points))[:, self.counted]
        candidates = candidates[shares.max(axis=1, initial=0.0) <= TOLERANCE]
        # Positive weights that prove the score, or a bound of 0 on the slack, prove efficiency.
        of = self.weights.of[candidates]
        proved[candidates[of == OWN_WEIGHTS]] = True
        proved[candidates] |= self.has_no_own_slack(candidates)
        undecided = np.zeros(len(scores), dtype=bool)
        undecided[candidates] = ~proved[candidates]
        return proved, undecided

    def has_no_own_slack(self, rows: np.ndarray) -> np.ndarray:
        """Return which DMUs the weights of their slacks prove to have none, bool (len(rows),).

        Where rounding leaves it open, fractions decide.
        """
        # Of what is beyond the reference the projection is to have none.
        points = self._projections(rows)
        of = self.weights.of[rows]
        is_proved = np.zeros(len(rows), dtype=bool)
        is_bounded = of >= 0
        bounds = self._slack_bounds(of[is_bounded], points[is_bounded] / self.signed_unit)
        # The bound is one of Σ weight · slack; what it leaves of a share is the most of any metric.
        weights = self.weights.rows[of[is_bounded]][:, self.counted]
        shares = (self.unit / self._own_units(points[is_bounded]))[:, self.counted]
        # A weight of 0 bounds no slack.
        bounded_shares = shares / np.where(weights > 0, weights, 1.0)
        largest = np.where(weights > 0, bounded_shares, np.inf).max(axis=1, initial=0.0)
        is_proved[is_bounded] = bounds * largest <= TOLERANCE
        for k in np.flatnonzero(is_bounded & ~is_proved).tolist():
            is_proved[k] = self.is_supported(int(rows[k]))
        return is_proved

    def _projections(self, rows: np.ndarray) -> np.ndarray:
        """Return the projections (k, s + m) of some DMUs beyond the reference; others as they are.

        Slacks are not added.
        """
        outputs = self.result.data.outputs.to_numpy()[rows]
        inputs = self.result.data.inputs.to_numpy()[rows]
        factor = np.maximum(self.result.scores.to_numpy()[rows, None], 1.0)
        if self.result.orientation == "output":
            outputs = outputs / factor
        else:
            inputs = inputs * factor
        return np.column_stack([outputs, inputs])

    def _own_units(self, points: np.ndarray) -> np.ndarray:
        """Return what slacks at points (k, s + m) are shares of: own values; a metric's, of 0."""
        own_values = np.where(points != 0, np.abs(points), self.unit)
        return np.asarray(np.minimum(own_values, self.unit))


def total_slack(slack: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """Return Σ slack / unit of each row, column by column: reducing short rows is slow."""
    total = np.zeros(len(slack))
    for column, size in zip(slack.T, unit, strict=True):
        total += column / size
    return total


def weighted_maxima(
    result: Scored, rows: np.ndarray, left_out: np.ndarray | None = None
) -> np.ndarray:
    """Return u₀ of weights (B, s + m): the most that they give to any combination, or infinity.

    `left_out` (B,) are reference DMUs that do not count; all others then do, listed or not.
    """
    bounding: slice | np.ndarray = slice(None)
    if left_out is None:
        bounding = np.asarray(result.frontier)
    values = stack_outputs_inputs(result.reference, bounding) / reference_maxima(result)
    values[:, result.data.outputs.shape[1] :] *= -1.0
    if result.returns in ("crs", "ndrs"):
        # However small a DMU is, its multiples are not: it is worth more than 0 or not in its own
        # size, by powers of two.
        directions = values.T / scale(values.T)
        largest = greatest_products(rows, np.ascontiguousarray(directions), left_out)
        # What can be multiplied has no bound above 0.
        is_unbounded = largest > TOLERANCE * rows.max(axis=1)
        if result.returns == "crs":
            # No multiple is worth more than 0, and 0 of it are worth that.
            return np.where(is_unbounded, np.inf, np.maximum(largest, 0.0))
    best = greatest_products(rows, np.ascontiguousarray(values.T), left_out)
    if result.returns == "ndrs":
        return np.where(is_unbounded, np.inf, best)
    # What can be shrunk reaches 0.
    return np.maximum(best, 0.0) if result.returns == "nirs" else best


def proved_efficient(result: Scored, weights: SlackWeights) -> tuple[np.ndarray, np.ndarray]:
    """Return who is proved efficient, and who is neither that nor proved inefficient, (n,) each."""
    return SlackProof(result, weights).proved


def efficiency_violations(result: Scored, slack_proof: SlackProof) -> np.ndarray:
    """Return 1 where `efficient` is not what is proved; undecided may be called inefficient."""
    proved, _ = slack_proof.proved
    claimed = result.efficient.to_numpy(dtype=bool)
    return np.where(claimed != proved, 1.0, 0.0)


def unproved_slack_claims(slack_proof: SlackProof | None) -> tuple[str, ...]:
    """Return what is not proved of slacks and of who is efficient, as sentences."""
    if slack_proof is None:
        return ("that slacks are the largest, and who is efficient",)
    sentences = []
    is_unproved = (slack_proof.weights.of == NO_PROOF) & ~slack_proof.has_no_score
    unproved = int(is_unproved.sum())
    undecided = int(slack_proof.proved[1].sum())
    if unproved:
        sentences.append(
            f"the slacks of {unproved} DMUs are those of one optimum, not proved the largest"
        )
    if undecided:
        sentences.append(
            f"whether {undecided} DMUs are efficient is undecided within {TOLERANCE:g}"
        )
    return tuple(sentences)


def unproved_claims(result: Scored) -> tuple[str, ...]:
    """Return `unproved_slack_claims` of a result whose slacks have weights; of another none."""
    if result.slack_weights is None:
        return ()
    return unproved_slack_claims(SlackProof(result, result.slack_weights))


def count_uncovered(result: Scored, *, mixtures: bool = False) -> int:
    """Count the reference DMUs that no listed one dominates or equals.

    Weights that bound the listed ones bound all that these dominate, too. With `mixtures` every DMU
    is compared with the same list, and they bound those that their own λ show below a combination.
    """
    values = stack_outputs_inputs(result.reference)
    values[:, result.reference.outputs.shape[1] :] *= -1.0
    listed = np.asarray(result.frontier)
    uncovered = np.delete(np.arange(len(values)), listed)
    # Each listed row strikes out all columns that it dominates or equals; what stays is uncovered.
    columns = np.ascontiguousarray(values[uncovered].T)
    # By falling sum: the first few cover nearly all.
    by_sum = listed[np.argsort(-values[listed].sum(axis=1), kind="stable")]
    for row in values[by_sum]:
        if not columns.shape[1]:
            break
        exceeds = columns[0] > row[0]
        for metric, value in zip(columns[1:], row[1:], strict=True):
            exceeds |= metric > value
        columns = columns[:, exceeds]
        uncovered = uncovered[exceeds]
    if mixtures:
        return int((~dominated_by_mixtures(result, uncovered)).sum())
    return len(uncovered)


def dominated_by_mixtures(result: Scored, rows: np.ndarray) -> np.ndarray:
    """Return which rows a mixture of listed ones dominates, as their own λ show.

    Only of a table that is its own reference, with variable returns to scale.
    """
    is_own = result.own_reference and len(result.reference.outputs) == len(result.scores)
    if not len(rows) or not is_own or result.returns != "vrs":
        return np.zeros(len(rows), dtype=bool)
    table = stack_outputs_inputs(result.reference)
    lam = result.intensities[rows]
    s = result.reference.outputs.shape[1]
    values = table[rows]
    reached = lam.dot(table)
    rounding = ROUND * (values + reached)
    shortfall = np.column_stack([values[:, :s] - reached[:, :s], reached[:, s:] - values[:, s:]])
    sum_error = np.abs(lam.values.sum(axis=1) - 1.0)
    are_listed = ((lam.columns < 0) | np.isin(lam.columns, result.frontier)).all(axis=1)
    return np.asarray(
        (shortfall <= rounding).all(axis=1)
        & (sum_error <= TOLERANCE)
        & (lam.values >= 0).all(axis=1)
        & are_listed
    )
