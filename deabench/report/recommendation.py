"""Recommend one system, and say under which weights of the metrics another one is better.

Each metric counts from its worst (0) to its best value in the table (1), in its own direction, and
the value of a system is the weighted sum. The recommended system has the largest value where all
weights are equal. If one metric counts t times as much as each of the others, the value of a system
is linear in t: the least change of t at which another system leads is where two lines cross.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from deabench.results.ranking import order_by_merit
from deabench.tables.transforms import shares_of_range

if TYPE_CHECKING:
    from deabench.report.report_results import ReportResults

MAX_ALTERNATIVES = 2
TIED = 1e-12
"""Values of systems that differ by less are equal but for rounding."""
LARGEST_FACTOR = 1000.0
"""A metric that has to count more often than this changes nothing in practice."""


@dataclass(frozen=True)
class Alternative:
    """The system to take if one metric counts more, or less, than the others.

    Attributes
    ----------
    name : str
    metric : str
    factor : float
        How often the metric counts compared with each of the others where the two systems have the
        same value: above 1 if it counts more, below 1 if it counts less.
    """

    name: str
    metric: str
    factor: float


@dataclass(frozen=True)
class Recommendation:
    """The best system under equal weights, and when to take another one.

    Attributes
    ----------
    name : str
    tied : tuple of str
        Systems with the same value under equal weights.
    is_best_everywhere : bool
        Whether no other system is better in any metric.
    is_only_efficient : bool
        Whether no other system is efficient.
    alternatives : tuple of Alternative
        The smallest change of a weight first; each names another system.
    """

    name: str
    tied: tuple[str, ...]
    is_best_everywhere: bool
    is_only_efficient: bool
    alternatives: tuple[Alternative, ...]


def recommend(results: ReportResults) -> Recommendation | None:
    """Return the best efficient system under equal weights; None if there is none."""
    ranking = results.ranking
    metrics = results.metrics[weighed_metrics(results)]
    # Systems of equal value are taken in the order of the ranking.
    is_complete = metrics.notna().all(axis=1)
    names = [
        name for name in order_by_merit(ranking) if ranking.efficient[name] and is_complete[name]
    ]
    if not names or metrics.shape[1] < 2:
        return None
    all_shares = shares_of_range(metrics, results.lower_is_better)
    shares = all_shares.loc[names]
    values = shares.sum(axis=1).to_numpy().copy()
    winner = int(values.argmax())
    tied = np.flatnonzero(np.abs(values - values[winner]) <= TIED)
    # The first of the ranking leads those of equal value.
    winner = int(tied[0])
    # Rounding must not hide that two values are equal.
    values[tied] = values[winner]
    # Under constant returns a system may be inefficient and the best in one metric.
    gains = all_shares.to_numpy() - shares.to_numpy()[winner]
    return Recommendation(
        name=str(names[winner]),
        tied=tuple(str(names[row]) for row in tied[1:]),
        is_best_everywhere=not (gains > TIED).any(),
        is_only_efficient=len(names) == 1,
        alternatives=_find_alternatives(shares, values, winner),
    )


def weighed_metrics(results: ReportResults) -> list[str]:
    """Return the metrics of the ranking; those of the frontier where the ranking has quotients."""
    ranked = [name for name in map(str, results.ranking.actual.columns) if name in results.metrics]
    if len(ranked) < results.ranking.actual.shape[1]:
        return [str(name) for name in results.metrics.columns]
    return ranked


def _find_alternatives(
    shares: pd.DataFrame, values: np.ndarray, winner: int
) -> tuple[Alternative, ...]:
    """Return where another system takes the lead as one metric counts more or less."""
    candidates: list[Alternative] = []
    for name in shares.columns:
        column = shares[name].to_numpy()
        # With weight t on this metric and 1 on the others, system j leads the winner's value by
        # gain_j · t − lead_j.
        gain = column - column[winner]
        lead = values[winner] - values + gain
        with np.errstate(divide="ignore", invalid="ignore"):
            crossing = lead / gain
        # Two metrics: to count one more is to count the other less, so that is said once.
        rising = np.where((gain > TIED) & (crossing >= 1), crossing, np.inf)
        falling = np.where((gain < -TIED) & (crossing < 1), crossing, -np.inf)
        if np.isfinite(rising).any():
            row = int(rising.argmin())
            candidates.append(Alternative(str(shares.index[row]), name, float(rising[row])))
        if shares.shape[1] > 2 and falling.max() > 0:
            row = int(falling.argmax())
            candidates.append(Alternative(str(shares.index[row]), name, float(falling[row])))
    candidates.sort(key=lambda alternative: abs(np.log(alternative.factor)))
    by_name: dict[str, Alternative] = {}
    for alternative in candidates:
        if 1 / LARGEST_FACTOR < alternative.factor < LARGEST_FACTOR:
            by_name.setdefault(alternative.name, alternative)
    return tuple(by_name.values())[:MAX_ALTERNATIVES]
