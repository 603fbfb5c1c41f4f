"""Compare two reports: changes of ranks, of efficient classifiers, of metrics and of facets."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.report.document import Report, ReportTable, Section
from deabench.report.text.words import join_names

if TYPE_CHECKING:
    from deabench.report.report_results import ReportResults
    from deabench.results.frontier import Frontier

    FacetRates = dict[frozenset[Hashable], dict[str, float]]

SAME_RATE = 1e-9
"""Scores, rates and metrics that differ by no more are the same."""
MAX_CHANGED = 5
"""Longer lists of classifiers end in "and N more"."""
MAX_MOVES = 3
MAX_FACET_NAMES = 6
FACET_CHANGES = ("moved", "new", "gone", "stayed")


def compare_reports(first: Report, second: Report, title: str | None = None) -> Report:
    """Return the second report, with what changed since the first before everything else.

    Raises
    ------
    DataError
        If one of them holds no ranking, no classifier is in both, or their scores measure
        different things.
    """
    before = _require_results(first, "first")
    after = _require_results(second, "second")
    # Only what is in both, measured by the same model, can have changed.
    earlier_labels = before.ranking.scores.index
    common = [label for label in after.ranking.scores.index if label in earlier_labels]
    if not common:
        raise DataError("no system is in both; give two tables with some labels in common")
    if before.ranking.measure != after.ranking.measure:
        raise DataError(
            f"the first has {before.ranking.measure} and the second {after.ranking.measure}; "
            "rank both by one model"
        )
    # What moved: ranks and scores, then facets of the frontier.
    ranks = rank_changes(before, after, common)
    facets = facet_changes(before.frontier, after.frontier)
    tables = [ReportTable("changes-table", "Ranks and scores, before and after", ranks)]
    if len(facets):
        caption = "Efficient facets, before and after"
        tables.append(ReportTable("facets-moved-table", caption, facets))
    sentences = [*_describe_models(before, after), *_describe_metrics(before, after, common)]
    section = Section("changes", "What changed", sentences, tables)
    answer = [
        *_describe_ranks(ranks, before, after),
        _describe_frontiers(facets, before, after),
        second.answer[0],
    ]
    return replace(
        second,
        title=title or f"{second.title}: what changed",
        answer=answer,
        sections=[section, *second.sections],
    )


def _require_results(report: Report, ordinal: str) -> ReportResults:
    if report.results is None:
        raise DataError(
            f"the {ordinal} report holds no ranking to compare; give a table, a ranking, or a "
            "report of one"
        )
    return report.results


def rank_changes(
    before: ReportResults, after: ReportResults, common: Sequence[Hashable]
) -> pd.DataFrame:
    """Return ranks and scores of the classifiers in both, the largest changes of rank first.

    `rose by` is above 0 if the rank got better.
    """
    labels = list(common)
    old = before.ranking
    new = after.ranking
    old_ranks = old.ranks.loc[labels].astype("Int64")
    new_ranks = new.ranks.loc[labels].astype("Int64")
    old_scores = old.scores.loc[labels]
    new_scores = new.scores.loc[labels]
    frame = pd.DataFrame(
        {
            "rank before": old_ranks,
            "rank after": new_ranks,
            "rose by": old_ranks - new_ranks,
            f"{new.measure} before": old_scores,
            f"{new.measure} after": new_scores,
            "change": new_scores - old_scores,
            "efficient before": old.efficient.loc[labels].astype(bool),
            "efficient after": new.efficient.loc[labels].astype(bool),
        }
    )
    rank_change = frame["rose by"].abs().fillna(0).astype(float)
    score_change = frame["change"].abs().fillna(0)
    # The last key of `lexsort` counts first: changes of rank, then changes of score.
    order = np.lexsort((-score_change, -rank_change))
    return frame.iloc[order].rename_axis(after.row_name)


def _describe_ranks(ranks: pd.DataFrame, before: ReportResults, after: ReportResults) -> list[str]:
    change = ranks["rose by"].fillna(0)
    risen = ranks[change > 0]
    fallen = ranks[change < 0]
    unchanged_count = len(ranks) - len(risen) - len(fallen)
    sentence = (
        f"Of {len(ranks)} systems in both {len(risen)} rose, {len(fallen)} fell and "
        f"{unchanged_count} kept their rank."
    )
    if len(risen):
        sentence += f" Up the most: {_describe_moves(risen)}."
    if len(fallen):
        sentence += f" Down the most: {_describe_moves(fallen)}."
    old_labels = before.ranking.scores.index
    new_labels = after.ranking.scores.index
    return [
        sentence,
        *_describe_missing(old_labels, new_labels, "first"),
        *_describe_missing(new_labels, old_labels, "second"),
    ]


def _describe_moves(ranks: pd.DataFrame) -> str:
    return join_names(
        f"{name} from {row['rank before']} to {row['rank after']}"
        for name, row in ranks.iloc[:MAX_MOVES].iterrows()
    )


def _describe_missing(names: pd.Index, other_names: pd.Index, ordinal: str) -> list[str]:
    """Name what is in one of two reports only."""
    missing = [name for name in names if name not in other_names]
    if not missing:
        return []
    return [f"Only in the {ordinal}: {join_names(missing, MAX_CHANGED)}."]


def _describe_frontiers(facets: pd.DataFrame, before: ReportResults, after: ReportResults) -> str:
    """Say which classifiers became efficient or inefficient, and count the changed facets."""
    old = before.ranking.efficient
    new = after.ranking.efficient
    old_names = set(old.index[old])
    new_names = set(new.index[new])
    gained = [name for name in new.index if name in new_names - old_names]
    lost = [name for name in old.index if name in old_names - new_names]
    sentences = []
    if gained:
        sentences.append(f"Efficient now: {join_names(gained, MAX_CHANGED)}.")
    if lost:
        sentences.append(f"No longer: {join_names(lost, MAX_CHANGED)}.")
    if not sentences:
        sentences.append("The same systems are efficient.")
    if len(facets):
        counts = facets["what"].value_counts()
        parts = [f"{counts.get(what, 0)} {what}" for what in ("stayed", "moved", "new", "gone")]
        sentences.append(f"Of the efficient facets {', '.join(parts)}.")
    return " ".join(sentences)


def facet_changes(before: Frontier | None, after: Frontier | None) -> pd.DataFrame:
    """Return the facets that are efficient throughout: stayed, moved (other rates), new or gone.

    A facet is known by its classifiers.
    """
    # Rates of other metrics, or of the same in another order, cannot be compared.
    if before is None or after is None or before.outputs != after.outputs:
        return pd.DataFrame()
    old = _trade_off_rates(before)
    new = _trade_off_rates(after)
    rows = []
    # Facets of the second report keep their order; those that are gone follow.
    for classifiers in [*new, *(key for key in old if key not in new)]:
        old_rates = old.get(classifiers, {})
        new_rates = new.get(classifiers, {})
        if classifiers not in old:
            change = "new"
        elif classifiers not in new:
            change = "gone"
        elif _have_same_rates(old_rates, new_rates):
            change = "stayed"
        else:
            change = "moved"
        names = join_names(sorted(map(str, classifiers)), MAX_FACET_NAMES)
        row: dict[str, object] = {"facet": names, "what": change}
        pairs = list(new_rates or old_rates)
        row |= {f"{pair} before": old_rates.get(pair) for pair in pairs}
        row |= {f"{pair} after": new_rates.get(pair) for pair in pairs}
        rows.append(row)
    rows.sort(key=lambda row: FACET_CHANGES.index(str(row["what"])))
    if not rows:
        return pd.DataFrame()
    return pd.DataFrame(rows).set_index("facet")


def _have_same_rates(old_rates: dict[str, float], new_rates: dict[str, float]) -> bool:
    old = list(old_rates.values())
    new = list(new_rates.values())
    return bool(np.allclose(old, new, rtol=SAME_RATE, atol=0))


# Only facets that are efficient throughout have positive weights in all metrics.
def _trade_off_rates(front: Frontier) -> FacetRates:
    """Return for each facet, by its classifiers, how much of B one unit of A is worth."""
    facets = front.facets[front.facets["full_dimensional"]]
    return {
        frozenset(row["vertices"]): {
            f"{b} per {a}": abs(float(row[a] / row[b])) for a, b in combinations(front.outputs, 2)
        }
        for _, row in facets.iterrows()
    }


def _describe_metrics(
    before: ReportResults, after: ReportResults, common: Sequence[Hashable]
) -> list[str]:
    """Say which metrics changed, and by how much at most."""
    names = [name for name in after.metrics if name in before.metrics]
    labels = list(common)
    # Only classifiers and metrics that both reports have can be compared.
    gaps = (after.metrics.loc[labels, names] - before.metrics.loc[labels, names]).abs()
    changes = [
        f"{name} by up to {gaps[name].max():.4g} ({gaps[name].idxmax()})"
        for name in names
        if gaps[name].max() > SAME_RATE
    ]
    sentence = "No metric of theirs changed."
    if changes:
        sentence = f"Metrics that changed: {', '.join(changes)}."
    return [
        sentence,
        *_describe_missing(before.metrics.columns, after.metrics.columns, "first"),
        *_describe_missing(after.metrics.columns, before.metrics.columns, "second"),
    ]


def _describe_models(before: ReportResults, after: ReportResults) -> list[str]:
    old = before.ranking.options.name
    new = after.ranking.options.name
    if old == new:
        return []
    return [
        f"The first is by model '{old}', the second by '{new}': part of what changed is the model."
    ]
