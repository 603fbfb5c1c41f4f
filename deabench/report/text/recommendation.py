"""Say which system to take, when to take another one, what it costs and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deabench.report.recommendation import (
    Alternative,
    Recommendation,
    recommend,
    weighed_metrics,
)
from deabench.report.text.words import column_decimals, format_number, join_names
from deabench.results.ranking import order_by_merit

if TYPE_CHECKING:
    from deabench.report.report_results import ReportResults

EQUAL = 1e-9
"""A factor this close to 1 is 1 but for rounding."""
VERDICT_MEANINGS = {
    "efficient": "shown to be efficient",
    "undecided": "not settled",
    "dominated": "shown to be dominated",
}
MAX_VALUES = 4
"""The values of so many metrics are written out."""


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
    first = f"Take {name}{certainty}"
    if recommendation.tied:
        names = f"{name} or {join_names(recommendation.tied, 3)}"
        first = f"Take {names}, which are equally good where all metrics count the same{certainty}"
    if not recommendation.alternatives:
        return f"{first}, however much or little any single metric counts."
    conditions = [
        f"if {_describe_condition(other, metrics)}, take {other.name}"
        for other in recommendation.alternatives
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


def _describe_condition(other: Alternative, metrics: list[str]) -> str:
    """Say how much a metric has to count, compared with the others."""
    if len(metrics) == 2:
        compared = next(name for name in metrics if name != other.metric)
        times = f"times {compared}"
    else:
        compared = "each other metric"
        times = f"times as much as {compared}"
    if abs(other.factor - 1) < EQUAL:
        return f"{other.metric} counts more than {compared}"
    if other.factor < 1:
        return f"{other.metric} counts less than {other.factor:.2g} {times}"
    # Factors near 1 need more digits than larger ones.
    digits = 3 if other.factor < 2 else 2
    return f"{other.metric} counts more than {other.factor:.{digits}g} {times}"


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
