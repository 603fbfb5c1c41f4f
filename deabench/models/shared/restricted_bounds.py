"""Bounds of efficiencies with restricted weights that hold exactly, in fractions.

λ ≥ 0 with an allowed Σ λ and trade-offs π ≥ 0 reach a point that is possible: both are moved, by
shares of themselves, until they reach all that is asked. Weights w ≥ 0 with R w ≤ 0 bound what is
possible: these are moved until every restriction R holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from deabench.proofs.bounds import LAST_DIGITS, MARGIN, PRECISE, excess_of_weights
from deabench.proofs.exact_repair import (
    Technology,
    Vector,
    exact_excess,
    move_to_held,
    polished_weights,
)
from deabench.proofs.supporting_weights import tighten_weights
from deabench.utils.arrays import ROUND, Sparse
from deabench.utils.rational import inner_product, to_fractions

FARTHEST = Fraction(1, 10**6)
"""Weights move by no more than this share of themselves: those of another facet prove nothing."""

NUDGE = 8 * ROUND
"""Weights that rounding may keep from a restriction are moved by this share of themselves."""


@dataclass(frozen=True, eq=False)
class RestrictedScores:
    """What is to be proved of efficiencies with restricted weights, in scaled metrics.

    Attributes
    ----------
    technology : Technology
    scores : array (K,)
    y, x : arrays (K, s) and (K, m)
        Of the tested DMUs.
    is_output_oriented : bool
    lam : Sparse (K, n)
    trade_offs : array (K, rows)
        How often each trade-off is made.
    restrictions : array (K, rows, s + m)
        What each trade-off adds to outputs and takes from inputs.
    """

    technology: Technology
    scores: np.ndarray
    y: np.ndarray
    x: np.ndarray
    is_output_oriented: bool
    lam: Sparse
    trade_offs: np.ndarray
    restrictions: np.ndarray

    @property
    def unit(self) -> np.ndarray:
        """What scores are measured in, (K,)."""
        return np.asarray(np.maximum(self.scores, 1.0))

    def reached(self, missed: np.ndarray) -> np.ndarray:
        """Return the scores that λ and trade-offs reach, (K,); NaN where they cannot be repaired.

        `missed` (K,) is by what share they miss what stays as it is, or the bounds of Σ λ: where
        that is but the last digits, they reach the score.
        """
        reached = self.scores.copy()
        is_short = (missed > LAST_DIGITS) & ~np.isnan(reached)
        for k in np.flatnonzero(is_short).tolist():
            # λ is to reach a point a little before the projection.
            if self.is_output_oriented:
                before = 1.0 / (self.scores[k] + self.unit[k] * MARGIN)
                aim = np.append(before * self.y[k], -self.x[k])
            else:
                before = self.scores[k] + self.unit[k] * MARGIN
                aim = np.append(self.y[k], -before * self.x[k])
            gains = self._exact_gains(k, aim)
            bounds = (self._score_of_gains(k, before, vector) for vector in gains)
            reached[k] = self._first_close(k, bounds)
        return reached

    def _first_close(self, k: int, bounds: Iterator[float]) -> float:
        """Return the first bound that all but agrees with DMU k's score, or the closest one."""
        closest = np.nan
        for bound in bounds:
            if not abs(bound - self.scores[k]) >= abs(closest - self.scores[k]):
                closest = bound
            if abs(closest - self.scores[k]) <= PRECISE * self.unit[k]:
                break
        return closest

    def _exact_gains(self, k: int, aim: np.ndarray) -> Iterator[Vector]:
        """Yield what DMU k's λ and trade-offs gain beyond a point, in fractions."""
        return exact_gains_with_trade_offs(
            self.technology, aim, self.lam, k, self.trade_offs[k], self.restrictions[k]
        )

    def _score_of_gains(self, k: int, before: float, gains: Vector) -> float:
        """Return the score of DMU k that gains beyond `before` its projection reach."""
        # What stretches or shrinks together gains by the least share of any of its metrics.
        s = self.y.shape[1]
        base = self.y[k] if self.is_output_oriented else self.x[k]
        base_gains = gains[:s] if self.is_output_oriented else gains[s:]
        share = min(
            gain / value
            for gain, value in zip(base_gains, to_fractions(base), strict=True)
            if value > 0
        )
        if self.is_output_oriented:
            return float(1 / (Fraction(before) + share))
        return float(Fraction(before) - share)

    def allowed(self, weights: np.ndarray) -> np.ndarray:
        """Return the scores that weights (K, s + m) allow, (K,); NaN where they cannot be repaired.

        They are repaired where the restrictions, or the score, are not certain in floating point.
        """
        s = self.y.shape[1]
        tested = np.column_stack([self.y, -self.x])
        is_finite = np.isfinite(weights).all(axis=1)
        weights = np.where(is_finite[:, None], np.maximum(weights, 0.0), 0.0)
        with np.errstate(all="ignore"):
            # A restriction that rounding may break holds for weights moved by more than that.
            worth, terms = self._worth_of_trade_offs(weights)
            is_broken = worth + ROUND * terms > 0
            slope = np.einsum("nkc,nk->nc", np.sign(self.restrictions), is_broken)
            moved = weights * (1 - NUDGE * np.sign(slope))
            excess, error, raised = excess_of_weights(self.technology, tested, moved)
            # φ u·y ≤ h + v·x output-oriented, u·y ≤ h + θ v·x input-oriented.
            gain = (raised[:, :s] * self.y).sum(axis=1)
            cost = (raised[:, s:] * self.x).sum(axis=1)
            if self.is_output_oriented:
                allowed = gain / (gain + excess + error)
            else:
                allowed = (cost - excess - error) / cost
            worth, terms = self._worth_of_trade_offs(raised)
            is_kept = (worth + ROUND * terms <= 0).all(axis=1)
            is_close = np.abs(allowed - self.scores) <= PRECISE * self.unit
        is_open = is_finite & ~np.isnan(self.scores) & ~(is_kept & is_close)
        for k in np.flatnonzero(is_open).tolist():
            outcomes = exact_excesses_with_restrictions(
                self.technology,
                tested[k],
                weights[k],
                self.lam,
                k,
                self.trade_offs[k],
                self.restrictions[k],
            )
            bounds = (self._score_of_excess(k, *outcome) for outcome in outcomes)
            allowed[k] = self._first_close(k, bounds)
        return np.asarray(np.where(is_finite, allowed, np.nan))

    def _worth_of_trade_offs(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what trade-offs are worth under weights, and the sizes of its terms, (K, rows)."""
        worth = np.einsum("nkc,nc->nk", self.restrictions, weights)
        terms = np.einsum("nkc,nc->nk", np.abs(self.restrictions), weights)
        return worth, terms

    def _score_of_excess(self, k: int, excess: Fraction, weights: Vector) -> float:
        """Return the score of DMU k that weights with an excess allow."""
        s = self.y.shape[1]
        gain = inner_product(weights[:s], to_fractions(self.y[k]))
        cost = inner_product(weights[s:], to_fractions(self.x[k]))
        numerator, denominator = cost - excess, cost
        if self.is_output_oriented:
            numerator, denominator = gain, gain + excess
        return float(numerator / denominator) if denominator > 0 else np.nan


def exact_gains_with_trade_offs(
    technology: Technology,
    aim: np.ndarray,
    lam: Sparse,
    k: int,
    trade_offs: np.ndarray,
    restrictions: np.ndarray,
) -> Iterator[Vector]:
    """Yield what DMU k's λ and trade-offs, repaired in fractions, gain beyond a point.

    Parameters
    ----------
    aim : array (c,)
        The point that is to be reached, outputs first, inputs with their sign turned.
    trade_offs : array (rows,)
        How often each trade-off is made.
    restrictions : array (rows, c)
        What each trade-off adds to the point.
    """
    least_sum, greatest_sum = technology.sums
    is_peer = lam.columns[k] >= 0
    amounts = to_fractions(np.append(lam.values[k][is_peer], trade_offs))
    vectors = [to_fractions(point) for point in technology.points[lam.columns[k][is_peer]]]
    vectors += [to_fractions(row) for row in restrictions]
    target = to_fractions(aim)
    # The bounds of Σ λ are two metrics more: of the sum, and of what it is below 0.
    counts = np.append(np.ones(int(is_peer.sum())), np.zeros(len(restrictions)))
    if least_sum > 0:
        target.append(Fraction(least_sum))
        vectors = [[*vector, Fraction(n)] for vector, n in zip(vectors, counts, strict=True)]
    if np.isfinite(greatest_sum):
        target.append(Fraction(-greatest_sum))
        vectors = [[*vector, Fraction(-n)] for vector, n in zip(vectors, counts, strict=True)]
    held = list(range(len(target)))
    for is_polished in (True, False):
        for moves_zeros in (False, True):
            entries = [p for p, amount in enumerate(amounts) if amount > 0 or moves_zeros]
            # An entry moves by shares of itself; one of 0 by shares of 1.
            sizes = [amounts[p] or Fraction(1) for p in entries]
            moves = [
                [size * value for value in vectors[p]]
                for p, size in zip(entries, sizes, strict=True)
            ]
            unmoved = [
                sum((amounts[p] * vectors[p][c] for p in entries), Fraction(0)) - target[c]
                for c in held
            ]
            repaired = move_to_held(moves, unmoved, held, is_polished)
            if repaired is None:
                continue
            eta, gains = repaired
            moved = [amounts[p] + e * s for p, e, s in zip(entries, eta, sizes, strict=True)]
            if min(moved, default=Fraction(0)) >= 0:
                yield gains[: len(aim)]
                break


def exact_excesses_with_restrictions(
    technology: Technology,
    tested: np.ndarray,
    weights: np.ndarray,
    lam: Sparse,
    k: int,
    trade_offs: np.ndarray,
    restrictions: np.ndarray,
) -> Iterator[tuple[Fraction, Vector]]:
    """Yield the exact h - w·tested of weights that keep every restriction, and these weights.

    They are DMU k's own weights (c,), those under which its peers are worth exactly the most and
    its trade-offs nothing, and those under which nothing is worth more than its peers, all repaired
    in fractions.
    """
    rows = [to_fractions(row) for row in restrictions]
    own_weights = to_fractions(weights)
    used = [row for row, amount in zip(rows, trade_offs, strict=True) if amount > 0]
    zeros = np.zeros(len(weights))
    repairs: list[Callable[[], Vector | None]] = [
        lambda: own_weights,
        lambda: polished_weights(technology, weights, lam, k, zeros, used),
        lambda: tighten_weights(technology, technology, weights, lam, k, zeros, rows),
    ]
    for repair in repairs:
        candidate = repair()
        kept = None if candidate is None else _keep_restrictions(candidate, rows)
        if kept is None:
            continue
        if any(abs(a - b) > FARTHEST * b for a, b in zip(kept, own_weights, strict=True)):
            continue
        outcome = exact_excess(technology, tested, kept)
        # Inputs' weights that were raised may break a restriction.
        if outcome is not None and all(inner_product(row, outcome[1]) <= 0 for row in rows):
            yield outcome


def _keep_restrictions(weights: Vector, rows: list[Vector]) -> Vector | None:
    """Return weights moved by shares of themselves to where r·w ≤ 0; None if that fails."""
    moves = [[-row[c] * weight for row in rows] for c, weight in enumerate(weights)]
    unmoved = [-inner_product(row, weights) for row in rows]
    repaired = move_to_held(moves, unmoved, list(range(len(rows))), is_polished=False)
    if repaired is None:
        return None
    moved = [weight * (1 + eta) for weight, eta in zip(weights, repaired[0], strict=True)]
    return moved if min(moved) >= 0 else None
