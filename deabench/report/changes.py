"""Two reports compared: who rose, who fell, who reached or left the frontier, which facets moved."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.report.document import Report, Section, Table
from deabench.report.text.words import join_names

if TYPE_CHECKING:
    from deabench.report.report_results import Findings
    from deabench.results.frontier import Frontier

SAME = 1e-9
"""Scores, rates and metrics that differ by no more are the same."""
NAMED = 5


def compared(first: Report, second: Report, title: str | None = None) -> Report:
    """The second report, with what changed since the first before everything else.

    Raises
    ------
    DataError
        Where one of them holds no ranking, no classifier is in both, or their scores measure
        different things.
    """
    before, after = _findings(first, "first"), _findings(second, "second")
    both = [label for label in after.ranking.scores.index if label in before.ranking.scores.index]
    if not both:
        raise DataError("no classifier is in both; give two tables with some labels in common")
    if before.ranking.measure != after.ranking.measure:
        raise DataError(
            f"the first has {before.ranking.measure} and the second {after.ranking.measure}; rank both by one model"
        )
    frame, facets = changes(before, after, both), moved(before.front, after.front)
    tables = [Table("changes-table", "Ranks and scores, before and after", frame)]
    tables += (
        [Table("facets-moved-table", "Efficient facets, before and after", facets)]
        if len(facets)
        else []
    )
    section = Section(
        "changes", "What changed", [*_models(before, after), *_metrics(before, after, both)], tables
    )
    said = [*_rose(frame, before, after), *_frontier(before, after, facets)]
    return replace(
        second,
        title=title or f"{second.title}: what changed",
        answer=[*said, second.answer[0]],
        sections=[section, *second.sections],
    )


def _findings(one: Report, which: str) -> Findings:
    if one.findings is None:
        raise DataError(
            f"the {which} report holds no ranking to compare; give a table, a ranking, or a report of one"
        )
    return one.findings


def changes(before: Findings, after: Findings, both: list[Any]) -> pd.DataFrame:
    """Rank and score of those in both; the largest changes of rank first, `rose` above 0 where the
    rank got better.
    """
    old, new = before.ranking, after.ranking
    rank = [one.ranks.loc[both].astype("Int64") for one in (old, new)]
    score = [one.scores.loc[both] for one in (old, new)]
    frame = pd.DataFrame(
        {
            "rank before": rank[0],
            "rank after": rank[1],
            "rose by": rank[0] - rank[1],
            f"{new.measure} before": score[0],
            f"{new.measure} after": score[1],
            "change": score[1] - score[0],
            "efficient before": old.efficient.loc[both].astype(bool),
            "efficient after": new.efficient.loc[both].astype(bool),
        }
    )
    size = frame["rose by"].abs().fillna(0)
    order = np.lexsort((-frame["change"].abs().fillna(0), -size.astype(float)))
    return frame.iloc[order].rename_axis("classifier")


def _rose(frame: pd.DataFrame, before: Findings, after: Findings) -> list[str]:
    rose, fell = frame[frame["rose by"].fillna(0) > 0], frame[frame["rose by"].fillna(0) < 0]
    kept = len(frame) - len(rose) - len(fell)
    first = f"Of {len(frame)} classifiers in both {len(rose)} rose, {len(fell)} fell and {kept} kept their rank."
    first += f" Up the most: {_moves(rose)}." if len(rose) else ""
    said = [first + (f" Down the most: {_moves(fell)}." if len(fell) else "")]
    for here, there, where in ((before, after, "first"), (after, before, "second")):
        alone = [
            name for name in here.ranking.scores.index if name not in there.ranking.scores.index
        ]
        if alone:
            said.append(f"Only in the {where}: {join_names(alone, NAMED)}.")
    return said


def _moves(part: pd.DataFrame) -> str:
    return join_names(
        [
            f"{name} from {row['rank before']} to {row['rank after']}"
            for name, row in part.iloc[:3].iterrows()
        ]
    )


def _frontier(before: Findings, after: Findings, facets: pd.DataFrame) -> list[str]:
    old, new = (set(one.ranking.efficient.index[one.ranking.efficient]) for one in (before, after))
    reached = [name for name in after.ranking.efficient.index if name in new - old]
    left = [name for name in before.ranking.efficient.index if name in old - new]
    said = [
        f"Efficient now: {join_names(reached, NAMED)}." if reached else "",
        f"No longer: {join_names(left, NAMED)}." if left else "",
    ]
    words = " ".join(part for part in said if part) or "The same classifiers are efficient."
    if len(facets):
        count = facets["what"].value_counts()
        counted = ", ".join(
            f"{count.get(what, 0)} {what}" for what in ("stayed", "moved", "new", "gone")
        )
        words += f" Of the efficient facets {counted}."
    return [words]


def moved(before: Frontier | None, after: Frontier | None) -> pd.DataFrame:
    """The facets that are efficient throughout by their classifiers: stayed, moved (other rates),
    new or gone.
    """
    if before is None or after is None or before.outputs != after.outputs:
        return pd.DataFrame()
    old, new = _rates(before), _rates(after)
    rows = []
    for key in [*new, *(key for key in old if key not in new)]:
        a, b = old.get(key), new.get(key)
        what = (
            "new"
            if a is None
            else "gone"
            if b is None
            else "stayed"
            if np.allclose(list(a.values()), list(b.values()), rtol=SAME, atol=0)
            else "moved"
        )
        pairs = list(b or a or {})
        rows.append(
            {
                "facet": join_names(sorted(map(str, key)), 6),
                "what": what,
                **{f"{name} before": (a or {}).get(name) for name in pairs},
                **{f"{name} after": (b or {}).get(name) for name in pairs},
            }
        )
    order = {"moved": 0, "new": 1, "gone": 2, "stayed": 3}
    frame = pd.DataFrame(sorted(rows, key=lambda row: order[str(row["what"])]))
    return frame.set_index("facet") if len(frame) else frame


def _rates(front: Frontier) -> dict[frozenset[Any], dict[str, float]]:
    """By its classifiers each facet's trade-off rates: how much of B one unit of A is worth."""
    frame = front.facets[front.facets["full_dimensional"]]
    return {
        frozenset(row["vertices"]): {
            f"{b} per {a}": abs(float(row[a] / row[b])) for a, b in combinations(front.outputs, 2)
        }
        for _, row in frame.iterrows()
    }


def _metrics(before: Findings, after: Findings, both: list[Any]) -> list[str]:
    """Which metrics are other numbers now, and by how much at most."""
    names = [name for name in after.metrics if name in before.metrics]
    gap = (after.metrics.loc[both, names] - before.metrics.loc[both, names]).abs()
    said = [
        f"{name} by up to {gap[name].max():.4g} ({gap[name].idxmax()})"
        for name in names
        if gap[name].max() > SAME
    ]
    words = [
        "Metrics that changed: " + ", ".join(said) + "." if said else "No metric of theirs changed."
    ]
    for here, there, where in ((before, after, "first"), (after, before, "second")):
        alone = [str(name) for name in here.metrics if name not in there.metrics]
        words += [f"Only in the {where}: {join_names(alone)}."] if alone else []
    return words


def _models(before: Findings, after: Findings) -> list[str]:
    old, new = before.ranking.options.name, after.ranking.options.name
    return (
        [
            f"The first is by model '{old}', the second by '{new}': part of what changed is the model."
        ]
        if old != new
        else []
    )
