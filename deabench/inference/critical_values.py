"""Choose the critical values of limits and verdicts, for all classifiers at once or for one."""

from __future__ import annotations

from typing import Literal

import numpy as np

from deabench.inference import max_t
from deabench.inference.max_t import Cluster
from deabench.inference.moments import critical_values
from deabench.inference.score_limits import (
    CriticalValues,
    Problem,
    ridge_share,
    solve_limits,
    tail_probabilities,
)

Array = np.ndarray
Method = Literal["analytic", "max-t", "anytime"]

RIDGE_NOTE = 0.20
"""From this share of the variances on a note says that the intervals rest on the ridge."""


def choose_critical_values(
    problem: Problem, alpha: float, method: Method, seed: int, client: Cluster | None
) -> tuple[CriticalValues, CriticalValues, CriticalValues, str]:
    """Return those of lower limits, upper limits and verdicts, and how they were determined."""
    k = problem.size[0]
    degrees = problem.moments.degrees
    one_sided = critical_values(alpha / (k * (k - 1)), degrees)
    if method == "analytic":
        # The ridge is Agresti and Coull's c²/4 at each critical value.
        tails = tail_probabilities(k, problem.noisy, alpha, every=True)
        lower, upper = (critical_values(tail, degrees) for tail in tails)
        critical = [CriticalValues(c, c**2 / 4) for c in (lower, upper, one_sided)]
        return critical[0], critical[1], critical[2], "Bonferroni over the statements made"
    ridge = np.full(len(degrees), max_t.RIDGE)
    if np.isfinite(degrees).any():
        c, source = max_t.ratio_critical_values(
            problem.moments, alpha, draws=max_t.DRAWS, seed=seed
        )
        limits = CriticalValues(c, ridge)
        return limits, limits, CriticalValues(one_sided, ridge), source
    maxima = max_t.draw_maxima(problem.moments, draws=max_t.DRAWS, seed=seed, client=client)
    # Intervals take the maximum over all metrics, verdicts that within the worst metric.
    overall = max_t.upper_quantile(maxima.metrics.max(axis=0), alpha)
    within_metric = max(max_t.upper_quantile(row, alpha) for row in maxima.metrics)
    limits = CriticalValues(np.full(len(degrees), overall), ridge)
    verdict = CriticalValues(np.full(len(degrees), within_metric), ridge)
    source = (
        f"the largest of all |t| in {max_t.DRAWS:,} draws; verdicts by the largest within a metric "
        "(measured, not proved)"
    )
    return limits, limits, verdict, source


def solve_individual_limits(
    problem: Problem, alpha: float, method: Method, draws: int, seed: int
) -> tuple[Array, Array]:
    """Solve both limits of each classifier by itself, in the order of the problem."""
    degrees = problem.moments.degrees
    if method == "analytic" or np.isfinite(degrees).any():
        tails = tail_probabilities(problem.size[0], problem.noisy, alpha, every=False)
        c_lower, c_upper = (critical_values(tail, degrees) for tail in tails)
        lower = solve_limits(problem, "lower", c_lower, c_lower**2 / 4).value
        upper = solve_limits(problem, "upper", c_upper, c_upper**2 / 4).value
        return lower, upper
    # Under max-t each classifier has the critical value of its own pairs.
    maxima = max_t.draw_maxima(problem.moments, draws=draws, seed=seed)
    ridge = np.ones(len(degrees))
    lower = np.empty(len(maxima.classifiers))
    upper = np.empty(len(maxima.classifiers))
    for i, row in enumerate(maxima.classifiers):
        c = np.full(len(degrees), max_t.upper_quantile(row, alpha))
        critical = CriticalValues(c, ridge)
        lower[i] = critical.limits(problem, "lower", [i]).value[0]
        upper[i] = critical.limits(problem, "upper", [i]).value[0]
    return lower, upper


def describe_assumptions(problem: Problem, c_upper: CriticalValues, source: str) -> tuple[str, ...]:
    """Return notes on the method."""
    notes = [f"critical values: {source}"]
    if problem.inputs:
        notes.append(f"with inputs the scores are {problem.technology.name}")
    ridge = ridge_share(problem, c_upper)
    if ridge > RIDGE_NOTE:
        notes.append(
            "few errors: the intervals rest on the small-sample rule, which makes up "
            f"{100 * ridge:.0f} % of the variances"
        )
    return tuple(notes)
