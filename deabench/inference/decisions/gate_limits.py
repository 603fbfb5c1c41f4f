"""Find what the samples show of a candidate: a lower and an upper limit of its efficiency."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from deabench.errors import DataError
from deabench.inference.decisions.betting import (
    LEARNING_ROUNDS,
    LIMIT_GRID,
    LimitWealth,
    MixWealth,
    RoundMoments,
    WeightDirections,
    next_learning,
)
from deabench.inference.decisions.finished_samples import outcomes_of_samples
from deabench.inference.decisions.learned_weights import lower_limit
from deabench.inference.domination import (
    BLOCK_FOLDS,
    missing_ratios,
    problem_units,
    unsupported_reason,
)
from deabench.inference.learned_mix import FOLDS, Units, cross_fit
from deabench.inference.moments import RatioStatistics, critical_values, largest_ratio
from deabench.inference.samples import Samples
from deabench.inference.score_limits import (
    EDGE,
    Problem,
    growth_to_decide,
    solve_limits,
    tail_probabilities,
)

Array = np.ndarray
GateMethod = Literal["learned", "analytic", "anytime"]


@dataclass(frozen=True)
class GateLimits:
    """What the samples show of the candidate.

    Attributes
    ----------
    lower, upper : float
    passes, fails : bool
    growth : float
        Times today's instances that would decide it.
    mix : array (k,)
        In the order of the problem.
    method : {"learned", "analytic", "anytime"}
    decided_after : int or None
    """

    lower: float
    upper: float
    passes: bool
    fails: bool
    growth: float
    mix: Array
    method: GateMethod
    decided_after: int | None = None


@dataclass(frozen=True)
class GateCase:
    """The question that a gate answers, in the order of the problem.

    Attributes
    ----------
    samples : Samples
    problem : Problem
    metrics : tuple of str
    rows : tuple of int
        The table's row of each classifier of the problem.
    row : int
        Of the candidate in the problem.
    score, at_least : float
    """

    samples: Samples
    problem: Problem
    metrics: tuple[str, ...]
    rows: tuple[int, ...]
    row: int
    score: float
    at_least: float

    @property
    def units(self) -> Units | None:
        """Return the units in the order of the problem; None where only moments are enough."""
        data = self.samples.unit_data
        # Costs have limits by the analytic method alone.
        if data is None or self.problem.inputs or unsupported_reason(data, self.problem):
            return None
        return problem_units(self.samples, self.problem, self.metrics, self.rows)

    @property
    def folds(self) -> int:
        """Return the number of folds: blocks are few and left out nearly one by one."""
        if self.samples.unit_data is None or self.samples.design not in ("blocks", "clusters"):
            return FOLDS
        return min(BLOCK_FOLDS, len(self.samples.unit_data.strata))


def find_limits(
    case: GateCase, lower_tail: float, upper_tail: float, sequential: bool, seed: int | None
) -> GateLimits:
    """Return both limits by the method that the samples allow."""
    if sequential:
        return _sequential_limits(case, lower_tail, upper_tail, seed)
    units = case.units
    if units is None:
        return _analytic_limits(case, lower_tail, upper_tail)
    return _learned_limits(case, units, lower_tail, upper_tail, seed or 0)


def _analytic_limits(case: GateCase, lower_tail: float, upper_tail: float) -> GateLimits:
    """Return limits that need nothing but moments."""
    problem = case.problem
    rows = [case.row]
    reason = missing_ratios(case.samples, problem, case.metrics, case.rows)
    if reason:
        raise DataError(f"{reason}; leave that metric or system out")
    # Tails are shared among the metrics and the rivals that each limit speaks of.
    lower_share = tail_probabilities(problem.size[0], problem.noisy, 2 * lower_tail, every=False)[0]
    upper_share = tail_probabilities(problem.size[0], problem.noisy, 2 * upper_tail, every=False)[1]
    c_lower = critical_values(lower_share, problem.moments.degrees)
    c_upper = critical_values(upper_share, problem.moments.degrees)
    lower = float(solve_limits(problem, "lower", c_lower, c_lower**2 / 4, rows=rows).value[0])
    corner = solve_limits(problem, "upper", c_upper, c_upper**2 / 4, rows=rows)
    lower = min(lower, case.score)
    upper = min(max(float(corner.value[0]), case.score), 1.0)
    passes = lower >= case.at_least - EDGE
    fails = upper < case.at_least - EDGE
    growth = 1.0
    edge = case.at_least - EDGE
    # A score that is high enough waits for its lower limit, any other for its upper limit.
    if not passes and not fails and case.score >= case.at_least:
        growth = growth_to_decide(problem, "lower", c_lower, c_lower**2 / 4, rows, edge)[0]
    elif not passes and not fails:
        growth = growth_to_decide(problem, "upper", c_upper, c_upper**2 / 4, rows, edge)[0]
    return GateLimits(lower, upper, passes, fails, float(growth), corner.mix[0], "analytic")


def _learned_limits(
    case: GateCase, units: Units, lower_tail: float, upper_tail: float, seed: int
) -> GateLimits:
    """Return limits of weights and mixes learned on other folds."""
    degrees = case.problem.moments.degrees
    c_lower = float(critical_values(lower_tail, degrees).max())
    c_upper = float(critical_values(upper_tail, degrees).max())
    lower, upper, mix = learned_interval(
        units, case.row, case.at_least, c_lower, c_upper, seed, folds=case.folds
    )
    lower = min(lower, case.score)
    upper = max(upper, case.score)
    passes = lower >= case.at_least - EDGE
    fails = upper < case.at_least - EDGE
    growth = 1.0
    if not passes and not fails:
        growth = _growth_of_limits(case.score, lower, upper, case.at_least)
    return GateLimits(lower, upper, passes, fails, growth, mix, "learned")


def learned_interval(
    units: Units,
    row: int,
    at_least: float,
    c_lower: float,
    c_upper: float,
    seed: int,
    *,
    folds: int = FOLDS,
) -> tuple[float, float, Array]:
    """Return both limits of one classifier and the mix that the upper one rests on.

    Parameters
    ----------
    units : Units
    row : int
    at_least : float
        The efficiency for which the weights of the lower limit are learned.
    c_lower, c_upper : float
        Critical values of either side.
    seed, folds : int
    """
    # The ridge is c² differing units: where none was seen, about the limit of Poisson's law.
    ridge = (c_lower * difference_sizes(units, row)) ** 2
    lower = lower_limit(units, row, at_least, c_lower, ridge, folds=folds, seed=seed)
    fit = cross_fit(units, folds=folds, seed=seed)
    candidate = slice(row, row + 1)
    statistics = RatioStatistics(
        fit.ratios.first[:, candidate],
        fit.ratios.second[:, candidate],
        fit.ratios.squares[:, :, candidate],
        fit.ratios.extra[:, candidate],
    )
    # The mix beats q times the candidate: its efficiency is at most 1/q.
    q = float(largest_ratio(statistics, c_upper)[0])
    return lower, min(1 / max(q, 1.0), 1.0), fit.mixes[row]


def difference_sizes(units: Units, row: int) -> Array:
    """Return how large single differences of one classifier from its rivals are (s,).

    Σ|d|³ / Σd² of the centred differences: 1 for right and wrong answers, less for metrics of data
    sets; and 1, the whole range, where nobody differs anywhere.
    """
    k, s, n = units.shape
    rivals = np.delete(np.arange(k), row)
    sums = np.zeros((k - 1, s))
    for _, values in units.slabs(np.arange(n)):
        sums += (values[rivals] - values[row]).sum(axis=2, dtype=float)
    means = sums / units.sizes
    squares = np.zeros(s)
    cubes = np.zeros(s)
    for members, values in units.slabs(np.arange(n)):
        # Units on which a metric is not measured are 0 for everyone.
        differences = values[rivals].astype(float) - values[row]
        differences -= means[:, :, None] * units.counts[:, members]
        squares += (differences**2).sum(axis=(0, 2))
        cubes += (np.abs(differences) ** 3).sum(axis=(0, 2))
    return np.divide(cubes, squares, out=np.ones(s), where=squares > 0)


def _growth_of_limits(score: float, lower: float, upper: float, at_least: float) -> float:
    """Return how many times the instances would decide: log limits shrink like 1/√n."""
    distance = np.log(score / at_least) if score > 0 else 0.0
    limit = lower if distance >= 0 else upper
    if distance == 0 or limit <= 0:
        return np.inf
    width = np.log(limit / score)
    return float(max((width / distance) ** 2, 1.0))


def _sequential_limits(
    case: GateCase, lower_tail: float, upper_tail: float, seed: int | None
) -> GateLimits:
    """Return limits by bets, valid however often one looks."""
    if case.problem.inputs:
        raise DataError("a sequential gate has outputs only; leave the costs out, or sequential")
    outcomes = outcomes_of_samples(case.samples, case.metrics)
    rounds = outcomes.rounds(case.metrics, seed)[:, list(case.rows)]
    return play_gate(
        rounds, case.row, case.at_least, np.log(1 / lower_tail), np.log(1 / upper_tail)
    )


def play_gate(
    rounds: Array, row: int, at_least: float, pass_threshold: float, fail_threshold: float
) -> GateLimits:
    """Play all rounds (t, k, s) for one candidate, and stop at the first decision.

    The limits are numbers of a grid that holds `at_least`; `growth` is times today's rounds that
    would decide, if the evidence grows as it did.

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
    return GateLimits(
        float(lower.limit(pass_threshold)[0]),
        float(upper.limit(fail_threshold)[0]),
        passes,
        fails,
        1.0 if passes or fails else float(min(missing)),
        mixes.mix[0],
        "anytime",
        decided_after,
    )
