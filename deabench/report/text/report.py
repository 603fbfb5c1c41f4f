"""Write the answer of a report: which system to take, who is efficient, how far the others are."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

import numpy as np

from deabench.report.recommendation import Alternative, Recommendation, recommend, weighed_metrics
from deabench.report.text.uncertainty import count_verdicts
from deabench.report.text.words import (
    MAX_NAMES,
    column_decimals,
    format_number,
    is_or_are,
    join_names,
)
from deabench.results.ranking import order_by_merit

if TYPE_CHECKING:
    import pandas as pd

    from deabench.report.document import Report
    from deabench.report.report_results import ReportResults
    from deabench.results.ranking import Ranking
    from deabench.results.targets import Targets

MAX_LEADERS = 5
"""Of many efficient classifiers only so many are named: the peers of most others."""
MAX_TESTED = 3
"""Of many tested algorithms only so many are described."""
PROVED = 1e-9
"""Scores are proved to this precision: a score this close to the best one equals it."""
LEAST_GAP = 1e-9
EQUAL = 1e-9
"""A factor this close to 1 is 1 but for rounding."""
VERDICT_MEANINGS = {
    "efficient": "shown to be efficient",
    "undecided": "not settled",
    "dominated": "shown to be dominated",
}
MAX_VALUES = 4
"""The values of so many metrics are written out."""


def summarize_report(report: Report) -> str:
    """Return the answer of a report, one sentence per line."""
    return "\n".join(report.answer)


def answer_sentences(results: ReportResults) -> list[str]:
    """Recommend a classifier; then say which are efficient, and how far the others are.

    The last sentence says what the tested algorithms lack.
    """
    ranking = results.ranking
    frame = ranking.to_frame()
    scored = frame[frame[ranking.measure].notna()]
    best = scored[scored["efficient"]]
    inefficient = scored[~scored["efficient"]]
    first = f"{len(best)} of {len(frame)} systems {is_or_are(len(best))} efficient"
    # Verdicts speak of the true metrics, scores of the numbers in the table.
    if ranking.uncertainty is not None:
        first += " in these numbers"
    # Many efficient classifiers are better told by those that most others are measured against.
    if len(best) > MAX_NAMES:
        leaders = [name for name in order_by_merit(ranking) if ranking.efficient.loc[name]]
        first += f"; most others are measured against {join_names(leaders, MAX_LEADERS)}."
    elif len(best):
        first += f": {join_names(best.index)}."
    else:
        first += "."
    second = _describe_inefficient(inefficient, ranking)
    if len(scored) < len(frame):
        second += f" {len(frame) - len(scored)} could not be scored."
    sentences = [*recommendation_sentences(results), first, second]
    if ranking.uncertainty is not None:
        verdicts = count_verdicts(ranking.uncertainty)
        sentences.append(f"How sure that is: {verdicts[0].lower()}{verdicts[1:]}")
    return list(filter(None, [*sentences, _describe_tested(results)]))


def _describe_inefficient(inefficient: pd.DataFrame, ranking: Ranking) -> str:
    """Say between which scores the inefficient classifiers lie, and what the last one lacks.

    Those with the best score are told apart: only a slack is left to them.
    """
    measure = ranking.measure
    best_score = 1.0 if measure == "efficiency" else 0.0
    is_weak = (inefficient[measure] - best_score).abs() <= PROVED
    weak_names = inefficient.index[is_weak]
    inefficient = inefficient[~is_weak]
    sentences = []
    if len(weak_names):
        verb = "has" if len(weak_names) == 1 else "have"
        copula = is_or_are(len(weak_names))
        sentences.append(
            f"{join_names(weak_names)} {verb} the best score, too, and {copula} not "
            "efficient: others are as good in every metric and better in one."
        )
    if inefficient.empty:
        return " ".join(sentences) or "No system is inefficient."
    # The frame is sorted, so the last row is the least efficient.
    lowest = inefficient[measure].iloc[-1]
    highest = inefficient[measure].iloc[0]
    name = inefficient.index[-1]
    meaning = ranking.meaning(name)
    if len(inefficient) == 1:
        sentences.append(f"The other one is not: {name} has {measure} {lowest:.3f}: {meaning}.")
        return " ".join(sentences)
    noun = "efficiencies" if measure == "efficiency" else "inefficiencies"
    # So many decimals that the better end of the range differs from the best possible score.
    decimals = 3
    while round(highest, decimals) == best_score:
        decimals += 1
    sentences.append(
        f"The other {len(inefficient)} are not: their {noun} go from {lowest:.3f} to "
        f"{highest:.{decimals}f}, and of the last, {name}, {meaning}."
    )
    return " ".join(sentences)


def _describe_tested(results: ReportResults) -> str:
    """Say what the tested algorithms lack; an empty text if there are none."""
    tested = results.tested_targets
    if tested is None:
        return ""
    names = list(tested.targets.index)
    sentences = [_describe_target(tested, name) for name in names[:MAX_TESTED]]
    remaining = len(names) - len(sentences)
    if remaining:
        verb = "was" if remaining == 1 else "were"
        sentences.append(f"{remaining} more {verb} tested.")
    return " ".join(sentences)


def _describe_target(targets: Targets, name: Hashable) -> str:
    """Say where a classifier lies, and how its metrics differ from those of its closest target."""
    position = targets.position[name]
    if position == "outside":
        # What no mixture reaches has nothing to aim at; its gap is an advance.
        return f"{name} is beyond the frontier of the others: no mixture of them reaches it."
    if np.isnan(targets.distance[name]):
        return f"{name} is {position} the frontier and no target was found for it."
    gaps = targets.gaps.loc[name]
    changes = [f"{metric} {gap:+.4g}" for metric, gap in gaps.items() if abs(gap) > LEAST_GAP]
    if not changes:
        return f"{name} lies {position} the frontier and lacks nothing."
    has_equal_weights = all(weight == 1 for weight in targets.weights.values())
    unit = "" if has_equal_weights else ", in shares of each metric's range"
    return (
        f"{name} is {position} the frontier, {targets.distance[name]:.4g} from its closest target "
        f"({targets.norm}{unit}): {', '.join(changes)}."
    )


def recommendation_sentences(results: ReportResults) -> list[str]:
    """Say which system to take, when to take another one, what it costs and how sure that is."""
    recommendation = recommend(results)
    if recommendation is None:
        return []
    metrics = weighed_metrics(results)
    return [
        _say_what_to_take(results, recommendation, metrics),
        _say_its_values(results, recommendation, metrics),
    ]


def _say_what_to_take(
    results: ReportResults, recommendation: Recommendation, metrics: list[str]
) -> str:
    """Return the recommendation with its conditions, and how sure it is, in one sentence."""
    name = recommendation.name
    certainty = _say_how_sure(results, name)
    if recommendation.is_best_everywhere:
        return f"Take {name}: no other is better in any metric{certainty}."
    if recommendation.is_only_efficient:
        return f"Take {name}: no other is efficient{certainty}."
    first = f"Take {name}{certainty}"
    if recommendation.tied:
        names = f"{name} or {join_names(recommendation.tied, 3)}"
        first = f"Take {names}, which are equally good where all metrics count the same{certainty}"
    if not recommendation.alternatives:
        return f"{first}, however much or little any single metric counts."
    conditions = [
        f"if {_describe_condition(alternative, metrics)}, take {alternative.name}"
        for alternative in recommendation.alternatives
    ]
    return f"{first}. I{'; '.join(conditions)[1:]}."


def _say_how_sure(results: ReportResults, name: str) -> str:
    """Return a clause with the verdict and the ranks of the recommended system, or nothing."""
    uncertainty = results.ranking.uncertainty
    if uncertainty is None:
        return ""
    row = uncertainty.to_frame().rename(index=str).loc[name]
    meaning = VERDICT_MEANINGS[str(row["verdict"])]
    ranks = f"rank {row['best_rank']} to {row['worst_rank']} of {len(results.metrics)}"
    if row["best_rank"] == row["worst_rank"]:
        ranks = f"rank {row['best_rank']} of {len(results.metrics)}"
    return f" ({meaning} at {100 * uncertainty.level:g} %: {ranks} by efficiency)"


def _describe_condition(alternative: Alternative, metrics: list[str]) -> str:
    """Say how much a metric has to count, compared with the others."""
    if len(metrics) == 2:
        compared = next(name for name in metrics if name != alternative.metric)
        times = f"times {compared}"
    else:
        compared = "each other metric"
        times = f"times as much as {compared}"
    if abs(alternative.factor - 1) < EQUAL:
        return f"{alternative.metric} counts more than {compared}"
    if alternative.factor < 1:
        return f"{alternative.metric} counts less than {alternative.factor:.2g} {times}"
    # Factors near 1 need more digits than larger ones.
    digits = 3 if alternative.factor < 2 else 2
    return f"{alternative.metric} counts more than {alternative.factor:.{digits}g} {times}"


def _say_its_values(
    results: ReportResults, recommendation: Recommendation, metrics: list[str]
) -> str:
    """Say what the recommended system has in each metric, what the best has, and how sure it is."""
    name = recommendation.name
    values = [_compare_value(results, name, metric) for metric in metrics]
    sentences = [f"{name} has {join_names(values, MAX_VALUES)}."]
    if not recommendation.is_best_everywhere:
        sentences.append(
            "It is the best efficient one where all metrics count the same, each from its worst to "
            "its best value here."
        )
    if results.ranking.uncertainty is None:
        sentences.append(
            "How sure that is cannot be said: there are neither samples nor intervals."
        )
    return " ".join(sentences)


def _compare_value(results: ReportResults, name: str, metric: str) -> str:
    """Write a metric of the recommended system, and what the best one has where that is better."""
    column = results.metrics.loc[order_by_merit(results.ranking), metric].rename(index=str)
    best = str(column.idxmin() if metric in results.lower_is_better else column.idxmax())
    decimals = column_decimals(list(results.metrics[metric]))
    value = f"{metric} {format_number(float(column[name]), decimals)}"
    if column[best] == column[name]:
        return f"{value} (the best)"
    return f"{value} (best: {format_number(float(column[best]), decimals)}, {best})"
