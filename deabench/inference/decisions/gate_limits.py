"""Find what the samples show of a candidate: a lower and an upper limit of its efficiency."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from deabench.errors import DataError
from deabench.inference.decisions.finished_samples import outcomes_of_samples
from deabench.inference.decisions.sequential_gate import play_gate
from deabench.inference.moments import critical_values
from deabench.inference.samples import Samples
from deabench.inference.score_limits import (
    EDGE,
    Problem,
    growth_to_decide,
    solve_limits,
    tail_probabilities,
)
from deabench.inference.verdicts.learned_mix import (
    RatioStatistics,
    Units,
    cross_fit,
    largest_ratio,
    learned_lower_limit,
)

Array = np.ndarray
GateMethod = Literal["learned", "analytic", "anytime"]

MIN_UNITS = 20
"""With fewer units of a metric the analytic limits decide: folds of them teach nothing."""


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
class Candidate:
    """The candidate in the order of the problem.

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
        if data is None or self.problem.inputs:
            return None
        columns = [list(self.samples.values.columns).index(name) for name in self.metrics]
        return Units(
            data.values[np.ix_(list(self.rows), columns)],
            data.counts[columns],
            data.strata,
            data.is_cost[columns],
        )


def find_limits(
    judged: Candidate, lower_tail: float, upper_tail: float, sequential: bool, seed: int | None
) -> GateLimits:
    """Return both limits by the method that the samples allow."""
    if sequential:
        return _sequential_limits(judged, lower_tail, upper_tail, seed)
    units = judged.units
    if units is None or units.sizes.min() < MIN_UNITS or units.is_cost.any():
        return _analytic_limits(judged, lower_tail, upper_tail)
    return _learned_limits(judged, units, lower_tail, upper_tail, seed or 0)


def _analytic_limits(judged: Candidate, lower_tail: float, upper_tail: float) -> GateLimits:
    """Return limits that need nothing but moments."""
    problem = judged.problem
    rows = [judged.row]
    # Tails are shared among the metrics and the rivals that each limit speaks of.
    lower_share = tail_probabilities(problem.size[0], problem.noisy, 2 * lower_tail, every=False)[0]
    upper_share = tail_probabilities(problem.size[0], problem.noisy, 2 * upper_tail, every=False)[1]
    c_lower = critical_values(lower_share, problem.moments.degrees)
    c_upper = critical_values(upper_share, problem.moments.degrees)
    lower = float(solve_limits(problem, "lower", c_lower, c_lower**2 / 4, rows=rows).value[0])
    corner = solve_limits(problem, "upper", c_upper, c_upper**2 / 4, rows=rows)
    lower = min(lower, judged.score)
    upper = min(max(float(corner.value[0]), judged.score), 1.0)
    passes = lower >= judged.at_least - EDGE
    fails = upper < judged.at_least - EDGE
    growth = 1.0
    edge = judged.at_least - EDGE
    # A score that is high enough waits for its lower limit, any other for its upper limit.
    if not passes and not fails and judged.score >= judged.at_least:
        growth = growth_to_decide(problem, "lower", c_lower, c_lower**2 / 4, rows, edge)[0]
    elif not passes and not fails:
        growth = growth_to_decide(problem, "upper", c_upper, c_upper**2 / 4, rows, edge)[0]
    return GateLimits(lower, upper, passes, fails, float(growth), corner.mix[0], "analytic")


def _learned_limits(
    judged: Candidate, units: Units, lower_tail: float, upper_tail: float, seed: int
) -> GateLimits:
    """Return limits of weights and mixes learned on other folds."""
    degrees = judged.problem.moments.degrees
    c_lower = float(critical_values(lower_tail, degrees).max())
    c_upper = float(critical_values(upper_tail, degrees).max())
    lower, upper, mix = learned_interval(units, judged.row, c_lower, c_upper, seed)
    lower = min(lower, judged.score)
    upper = max(upper, judged.score)
    passes = lower >= judged.at_least - EDGE
    fails = upper < judged.at_least - EDGE
    growth = 1.0
    if not passes and not fails:
        growth = _growth_of_limits(judged.score, lower, upper, judged.at_least)
    return GateLimits(lower, upper, passes, fails, growth, mix, "learned")


def learned_interval(
    units: Units, row: int, c_lower: float, c_upper: float, seed: int
) -> tuple[float, float, Array]:
    """Return both limits of one classifier and the mix that the upper one rests on.

    Parameters
    ----------
    units : Units
    row : int
    c_lower, c_upper : float
        Critical values of either side.
    seed : int
    """
    # The ridge is c² instances: without any difference seen, about the limit of Poisson's law.
    lower = learned_lower_limit(units, row, c_lower, seed=seed, ridge=c_lower**2)
    fit = cross_fit(units, seed=seed)
    own = slice(row, row + 1)
    statistics = RatioStatistics(
        fit.ratios.first[:, own],
        fit.ratios.second[:, own],
        fit.ratios.squares[:, :, own],
        fit.ratios.extra[:, own],
    )
    # The mix beats q times the candidate: its efficiency is at most 1/q.
    q = float(largest_ratio(statistics, c_upper)[0])
    return lower, min(1 / max(q, 1.0), 1.0), fit.mixes[row]


def _growth_of_limits(score: float, lower: float, upper: float, at_least: float) -> float:
    """Return how many times the instances would decide: log limits shrink like 1/√n."""
    distance = np.log(score / at_least) if score > 0 else 0.0
    limit = lower if distance >= 0 else upper
    if distance == 0 or limit <= 0:
        return np.inf
    width = np.log(limit / score)
    return float(max((width / distance) ** 2, 1.0))


def _sequential_limits(
    judged: Candidate, lower_tail: float, upper_tail: float, seed: int | None
) -> GateLimits:
    """Return limits by bets, valid however often one looks."""
    if judged.problem.inputs:
        raise DataError("a sequential gate has outputs only; leave the costs out, or sequential")
    outcomes = outcomes_of_samples(judged.samples, judged.metrics)
    rounds = outcomes.rounds(judged.metrics, seed)[:, list(judged.rows)]
    played = play_gate(
        rounds, judged.row, judged.at_least, np.log(1 / lower_tail), np.log(1 / upper_tail)
    )
    return GateLimits(
        played.lower,
        played.upper,
        played.passes,
        played.fails,
        played.growth,
        played.mix,
        "anytime",
        played.decided_after,
    )
