"""The frame and the claims that bounds of scores prove, for the models with λ and weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from deabench.models.shared.scaled_data import (
    ScaledData,
    lambda_sum_bounds,
    lambda_violation,
    scaled_multipliers,
)
from deabench.proofs.bounds import ExcessScore, GainScore, bound_scores
from deabench.proofs.exact_repair import Limits, Technology
from deabench.proofs.radial import COLUMNS
from deabench.proofs.supporting_weights import free_term_errors
from deabench.results.answer import Answer
from deabench.utils.arrays import ROUND, TOLERANCE
from deabench.utils.frames import column_positions

NEAR = 10 * TOLERANCE
"""Where the largest share of slack is above 0 and below this, both verdicts are within rounding."""


@dataclass(frozen=True, eq=False)
class BoundedAnswer:
    """An answer's points and weights in scaled metrics, and what λ gains.

    Attributes
    ----------
    tested : array (K, c)
        Outputs, then inputs with their sign turned.
    signed_weights : array (K, c)
        Of the answer, as they are.
    weights : array (K, c)
        Those, none below 0.
    u_0 : array (K,) or None
    gains : array (K, c)
        What λ, as it is, reaches beyond the tested points.
    size : array (K, c)
        How large the numbers are that a gain is the difference of: errors are shares of it.
    """

    answer: Answer
    scaled: ScaledData
    tested: np.ndarray
    signed_weights: np.ndarray
    weights: np.ndarray
    u_0: np.ndarray | None
    gains: np.ndarray
    size: np.ndarray

    @classmethod
    def of(cls, answer: Answer, scaled: ScaledData) -> BoundedAnswer:
        """Return the points, weights and gains of an answer."""
        lam = answer.intensities
        tested = np.column_stack([scaled.y, -scaled.x])
        reached = np.column_stack([lam.dot(scaled.Y), -lam.dot(scaled.X)])
        u, v = scaled_multipliers(answer, scaled)
        signed_weights = np.column_stack([u, v])
        size = scaled.sizes_of_changes(tested, reached)
        weights = np.maximum(signed_weights, 0.0)
        u_0 = None
        free_column = column_positions(answer.weights.columns, ["u_0"])[0]
        if free_column >= 0:
            u_0 = answer.weights.to_numpy()[:, free_column]
        return cls(answer, scaled, tested, signed_weights, weights, u_0, reached - tested, size)

    def divide_weights(self, size: np.ndarray) -> BoundedAnswer:
        """Return the same with the weights of each DMU, and its u_0, divided by a number (K,)."""
        u_0 = self.u_0
        if u_0 is not None:
            u_0 = u_0 / size
        return replace(
            self,
            signed_weights=self.signed_weights / size[:, None],
            weights=self.weights / size[:, None],
            u_0=u_0,
        )

    @cached_property
    def technology(self) -> Technology:
        """What combinations of the reference DMUs can do."""
        scaled = self.scaled
        points = np.column_stack([scaled.Y, -scaled.X])
        listed = np.asarray(self.answer.frontier)
        return Technology(points, scaled.m, lambda_sum_bounds(scaled.returns), listed)

    def shares(self, values: np.ndarray) -> np.ndarray:
        """Return differences (K, c) as shares of the numbers that they are differences of."""
        return np.asarray(values / np.where(self.size > 0, self.size, 1.0))

    def prove_scores(
        self,
        held: np.ndarray,
        score_of_gains: GainScore,
        score_of_excess: ExcessScore,
        unit: np.ndarray | float = 1.0,
        *,
        weights: np.ndarray | None = None,
        least_weights: np.ndarray | None = None,
        largest_weights: Callable[[int], Limits] | None = None,
        weight_unit: np.ndarray | None = None,
        moved: np.ndarray | None = None,
        moved_farther: np.ndarray | None = None,
        left_out: np.ndarray | None = None,
        free_sign: float = 1.0,
    ) -> tuple[pd.DataFrame, dict[str, np.ndarray]]:
        """Return the frame of a proof, and what its claims on scores and λ miss by.

        The parameters are those of `deabench.proofs.bounds.bound_scores`, and:

        Parameters
        ----------
        weights : array (K, c), optional
            In the place of the answer's.
        least_weights : array (K, c), optional
            What the weights must be at least; they are raised to it.
        weight_unit : array (K,), optional
            What the weights' worth is measured in, if not in the unit of the score.
        free_sign : float
            1 where u_0 is the most that the weights give to any combination, -1 where it is that
            with its sign turned.
        """
        answer = self.answer
        scores = answer.scores.to_numpy()
        count = len(scores)
        units = np.broadcast_to(np.asarray(unit, dtype=float), (count,))
        units = np.maximum(units, np.finfo(float).tiny)
        weights = self.weights if weights is None else weights
        weight_units = units if weight_unit is None else np.maximum(weight_unit, 1e-300)
        too_small = np.zeros(count)
        if least_weights is not None:
            too_small = ((least_weights - weights) * np.abs(self.tested)).max(axis=1)
            too_small /= weight_units
            weights = np.maximum(weights, np.nan_to_num(least_weights))
        bounds = bound_scores(
            self._compared_technology(left_out),
            self.tested,
            answer.intensities,
            weights,
            held,
            score_of_gains,
            score_of_excess,
            units,
            ~np.isnan(scores),
            moved=moved,
            moved_farther=moved_farther,
            least_weights=None if least_weights is None else np.nan_to_num(least_weights),
            largest_weights=largest_weights,
            left_out=left_out,
        )
        lower = np.minimum(bounds.primal, bounds.dual)
        upper = np.maximum(bounds.primal, bounds.dual)
        # What λ misses as it is: the metrics that are held, its sum, its signs.
        room = self.gains if moved is None else self.gains - moved
        shortfall = np.where(held, -self.shares(room), 0.0).max(axis=1)
        missed = np.maximum.reduce(
            [
                shortfall,
                lambda_violation(self.scaled.returns, answer.intensities),
                -answer.intensities.values.min(axis=1),
                np.zeros(count),
            ]
        )
        # What the weights miss as they are: what they must be at least, their signs, and u_0.
        wrong = np.maximum.reduce(
            [
                too_small,
                self._negative_weights(),
                self._free_term_errors(free_sign * bounds.support, weight_units, left_out),
                np.zeros(count),
            ]
        )
        gap = (upper - lower) / units
        values = np.column_stack([bounds.primal, bounds.dual, gap, missed, wrong])
        values[np.isnan(scores)] = np.nan
        frame = pd.DataFrame(values, answer.scores.index, COLUMNS, copy=False)
        # The true score lies between both bounds: the farther one says by how much it may differ.
        distance = np.maximum(upper - scores, scores - lower) / units
        return frame, {
            "gap": values[:, 2],
            "primal_infeasibility": values[:, 3],
            "dual_infeasibility": values[:, 4],
            "distance_of_the_score_from_its_bounds": distance,
        }

    def _compared_technology(self, left_out: np.ndarray | None) -> Technology:
        """Return the technology, with all points listed where each DMU is compared without one.

        The listed DMUs do not bound the others where one of them is left out.
        """
        if left_out is None:
            return self.technology
        return replace(self.technology, listed=None)

    def _negative_weights(self) -> np.ndarray:
        """Return by how much weights are below 0, as shares of the largest."""
        weights = self.signed_weights
        return np.asarray(-weights.min(axis=1) / np.maximum(weights.max(axis=1), 1e-300))

    def _free_term_errors(
        self, support: np.ndarray, units: np.ndarray, left_out: np.ndarray | None = None
    ) -> np.ndarray:
        """Return by how much u_0 is not what it must be; 0 where there is none."""
        if self.u_0 is None:
            return np.zeros(len(support))
        errors = free_term_errors(
            self._compared_technology(left_out),
            self.tested,
            self.answer.intensities,
            self.weights,
            support,
            np.abs(self.u_0 - support),
            left_out,
        )
        return np.asarray(errors / units)

    def slack_errors(
        self, moved: np.ndarray | float = 0.0, rounding_of_moved: np.ndarray | float = 0.0
    ) -> np.ndarray:
        """Return by how much the slacks are not what λ gains beyond `moved` (K, c), as shares.

        Where that is far, it is rounded by more than a small value: that much does not count, nor
        what `moved` was rounded by before (K, c).
        """
        count = self.answer.slacks.shape[1]
        slacks = self.answer.slacks.to_numpy() / self.scaled.units[:count]
        room = (self.gains - moved)[:, :count]
        rounding = ROUND * np.abs(moved) + rounding_of_moved
        rounding = np.broadcast_to(rounding, self.gains.shape)[:, :count]
        errors = np.maximum(np.abs(slacks - room) - rounding, 0.0)
        return np.asarray(self.shares_of(errors).max(axis=1))

    def shares_of(self, values: np.ndarray) -> np.ndarray:
        """Do `shares` for the metrics of the table, without the input that every DMU has."""
        size = self.size[:, : values.shape[1]]
        return np.asarray(values / np.where(size > 0, size, 1.0))

    def largest_share(self, moved: np.ndarray | float = 0.0) -> np.ndarray:
        """Return the largest share of a metric that λ gains beyond `moved` (K, c)."""
        count = self.answer.slacks.shape[1]
        return np.asarray(self.shares_of((self.gains - moved)[:, :count]).max(axis=1, initial=0.0))

    def wrong_verdicts(self, is_best: np.ndarray, share: np.ndarray) -> np.ndarray:
        """Return 1.0 where `efficient` is not so; `share` (K,) is the largest share of slack.

        `is_best` tells whose score is the best one.
        """
        claimed = self.answer.efficient.to_numpy(dtype=bool)
        has_score = ~np.isnan(self.answer.scores.to_numpy())
        is_wrong = claimed & ~(is_best & (share <= NEAR))
        is_wrong |= ~claimed & has_score & is_best & (share <= TOLERANCE / 10)
        return np.asarray(is_wrong.astype(float))
