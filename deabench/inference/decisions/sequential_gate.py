"""Bet for and against a candidate of a gate, round by round."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deabench.inference.decisions.betting import (
    LEARNING_ROUNDS,
    LIMIT_GRID,
    LimitWealth,
    MixWealth,
    RoundMoments,
    WeightDirections,
    next_learning,
)

Array = np.ndarray


@dataclass(frozen=True)
class PlayedGate:
    """What the bets show of one candidate.

    Attributes
    ----------
    lower, upper : float
        Numbers of a grid that holds `at_least`.
    passes, fails : bool
    growth : float
        Times today's rounds that would decide, if the evidence grows as it did.
    mix : array (k,)
    decided_after : int or None
    """

    lower: float
    upper: float
    passes: bool
    fails: bool
    growth: float
    mix: Array
    decided_after: int | None


def play_gate(
    rounds: Array, row: int, at_least: float, pass_threshold: float, fail_threshold: float
) -> PlayedGate:
    """Play all rounds (t, k, s) for one candidate, and stop at the first decision.

    Parameters
    ----------
    rounds : array (t, k, s)
        In an order that does not depend on outcomes.
    row : int
    at_least : float
    pass_threshold, fail_threshold : float
        Logarithms of the evidence that each side needs.
    """
    count, k, s = rounds.shape
    rows = np.array([row])
    grid = np.unique([*LIMIT_GRID, at_least])
    grid_row = int(np.searchsorted(grid, at_least))
    everyone = np.ones(k, dtype=bool)
    moments = RoundMoments.empty(k, s)
    # Mixes and weights are learned for the efficiency that is grid_row for.
    mixes = MixWealth.start(rows, k, s, at_least)
    weights = WeightDirections.start(rows, s, at_least)
    upper = LimitWealth.start("upper", rows, grid, s)
    lower = LimitWealth.start("lower", rows, grid, k)
    passes = False
    fails = False
    decided_after = None
    due = LEARNING_ROUNDS
    played = 0
    while played < count and decided_after is None:
        block = rounds[played : min(due, count)]
        for outcomes in block:
            upper.add(outcomes[None], everyone, mixes.mix)
            lower.add(outcomes[None], everyone, weights.weights)
            played += 1
            passes = bool(lower.highest[0, grid_row] >= pass_threshold)
            fails = bool(upper.highest[0, grid_row] >= fail_threshold)
            if passes or fails:
                decided_after = played
                break
        moments.add(block, everyone)
        if played == due:
            mixes.learn(moments)
            weights.learn(moments)
            due = next_learning(played)
    missing = [
        pass_threshold / max(lower.highest[0, grid_row], 1e-9),
        fail_threshold / max(upper.highest[0, grid_row], 1e-9),
    ]
    return PlayedGate(
        float(lower.limit(pass_threshold)[0]),
        float(upper.limit(fail_threshold)[0]),
        passes,
        fails,
        1.0 if passes or fails else float(min(missing)),
        mixes.mix[0],
        decided_after,
    )
