"""Say what all weightings of the metrics say about a table, and about one of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from deabench.report.text.words import as_sentence, count_noun, join_names
from deabench.utils.text import quote_names

if TYPE_CHECKING:
    from deabench.analysis.weightings.over_datasets import WeightingsByDataset
    from deabench.results.weightings import Weightings, WinningRegion

MAX_FIRST = 4
"""The number of first rows whose weights a summary states."""
FLAT = 1e-12
"""The radius of a region below which a row is first only on a tie."""
WHOLE = 0.0005
"""A weight within this of 0 or 1 is not bounded there: it would be printed so."""


def summarize_weightings(result: Weightings) -> str:
    """Say how many rows can be first and when, and how much is the same at every weighting."""
    ranks = result.ranks
    first = list_first_rows(result)
    n = len(ranks)
    metrics = quote_names(result.metrics)
    sentences = [f"{len(first)} of {n} can be first, by how {metrics} are weighted."]
    if len(first) == 1:
        sentences = [f"'{first[0]}' is first, however {metrics} are weighted."]
        if ranks.loc[first[0], "worst"] > 1:
            sentences = [f"'{first[0]}' alone can be first, by how {metrics} are weighted."]
    if len(first) > 1:
        sentences += [f"'{name}' {describe_first(result, name)}." for name in first[:MAX_FIRST]]
    if len(first) > MAX_FIRST:
        sentences.append(f"{len(first) - MAX_FIRST} more are first elsewhere.")
    # Of a settled pair one row is at least as good as the other at every weighting.
    dominance = result.dominance.to_numpy()
    settled_pairs = int(np.triu(dominance | dominance.T, k=1).sum())
    if n > 1:
        verb = "comes" if settled_pairs == 1 else "come"
        sentences.append(
            f"{settled_pairs} of {n * (n - 1) // 2} pairs {verb} out the same at every weighting."
        )
    open_ends = int((ranks["best"] != ranks["best_proved"]).sum())
    open_ends += int((ranks["worst"] != ranks["worst_proved"]).sum())
    if open_ends:
        sentences.append(f"{open_ends} of {2 * n} ends of rank intervals are not proved.")
    return " ".join(sentences)


def explain_weightings(result: Weightings, name: Any) -> str:
    """Say which ranks a row takes and when, what it always beats, and how far its score falls."""
    # The label is checked, and named, by the result.
    weights = result.extreme_weights(name, "best")
    ranks = result.ranks
    row = ranks.loc[name]
    n = len(ranks)
    interval = f"ranks {row['best']:.0f} to {row['worst']:.0f} of {n}"
    if row["best"] == row["worst"]:
        interval = f"ranks {row['best']:.0f} of {n}"
    sentences = [
        f"'{name}' {interval} at every weighting of {quote_names(result.metrics)}; "
        f"its mean rank is {row['mean_rank']:.2f}."
    ]
    # Under which weights it is at its best, and at its worst.
    if row["best"] == 1 and row["worst"] > 1:
        sentences.append(f"It {describe_first(result, name)}.")
    elif 1 < row["best"] < row["worst"]:
        sentences.append(
            f"It is never first; its best rank is {row['best']:.0f}, as where "
            f"{_list_weights(weights)}."
        )
    if row["worst"] > row["best"]:
        worst = result.extreme_weights(name, "worst")
        sentences.append(f"It falls to rank {row['worst']:.0f} where {_list_weights(worst)}.")
    # What holds at every weighting.
    sentences += _describe_pairs(result, name)
    sentences.append(_describe_score(result, row))
    if "best_limit" in ranks:
        sentences.append(
            f"As for the samples: no weighting puts it above rank {row['best_limit']:.0f} or below "
            f"rank {row['worst_limit']:.0f}."
        )
    return " ".join(sentences)


def _describe_pairs(result: Weightings, name: Any) -> list[str]:
    """Say which rows one row always beats, and which always beat it."""
    dominance = result.dominance
    beats = dominance.loc[name].drop(name)
    is_beaten = dominance[name].drop(name)
    sentences = []
    for labels, sentence in (
        (beats.index[beats & ~is_beaten], "It is at least as good as {} at every weighting."),
        (beats.index[is_beaten & ~beats], "{} is at least as good at every weighting."),
        (beats.index[beats & is_beaten], "It equals {} at every weighting."),
    ):
        if not len(labels):
            continue
        names = join_names([f"'{label}'" for label in labels])
        if sentence.startswith("{}") and len(labels) > 1:
            sentence = "Each of {} is at least as good at every weighting."
        sentences.append(sentence.format(names))
    return sentences


def _describe_score(result: Weightings, row: pd.Series) -> str:
    """Say between which shares of the best score, or distances to it, a row's lies."""
    if result.model == "value":
        return (
            f"It is behind the best row by {row['loss_min']:.3f} to {row['loss_max']:.3f} of the "
            "ranges."
        )
    return (
        f"Its score is {100 * row['score_min']:.1f} to {100 * row['score_max']:.1f} % of the best "
        "row's."
    )


def describe_first(result: Weightings, name: Any) -> str:
    """Say when a row is first, as a clause: `is first when TPR counts 35 to 60 %`."""
    region = result.winning_regions.get(name)
    if region is None:
        share = result.ranks.loc[name, "first_share"]
        return f"is first under {format_share(share)} of the weightings"
    if region.radius < FLAT and len(region.centroid) > 1:
        return f"is first only on a tie{_describe_flat(region)}"
    clauses = describe_intervals(region)
    share = f"{format_share(region.share)} of the weightings"
    if not clauses:
        return f"is first under {share}"
    if len(region.centroid) == 2:
        # One weight tells the other: the interval says exactly when.
        return f"is first when {clauses[0]} ({share})"
    return f"is first under {share}, and only where {_join_clauses(clauses)}"


def _describe_flat(region: WinningRegion) -> str:
    """Say at which weights a row is first that is so only on a tie."""
    unweighted = [name for name in region.vertices if not region.vertices[name].any()]
    if unweighted:
        return f", with no weight on {quote_names(unweighted)}"
    return f", as where {_list_weights(region.centroid)}"


def describe_intervals(region: WinningRegion) -> list[str]:
    """Return what each bounded weight counts in a region, as `TPR counts 35 to 60 %`."""
    clauses = []
    for name, (lower, upper) in region.intervals.iterrows():
        has_lower = lower > WHOLE
        has_upper = upper < 1 - WHOLE
        if has_lower and has_upper:
            clauses.append(f"{name} counts {_percent(lower)} to {_percent(upper)} %")
        elif has_lower:
            clauses.append(f"{name} counts {_percent(lower)} % or more")
        elif has_upper:
            clauses.append(f"{name} counts {_percent(upper)} % or less")
    return clauses


def format_share(share: float) -> str:
    """Return a share of the weightings in percent."""
    if 0 < share < 0.001:
        return "less than 0.1 %"
    return f"{_percent(share)} %"


def _percent(share: float) -> str:
    """Return a share in percent with three digits at most."""
    text = f"{100 * share:.1f}" if share < 0.0995 or share > 0.9005 else f"{100 * share:.0f}"
    return text.removesuffix(".0")


def _list_weights(weights: pd.Series) -> str:
    return _join_clauses(
        [f"{name} counts {_percent(weight)} %" for name, weight in weights.items()]
    )


def _join_clauses(clauses: Sequence[str]) -> str:
    if len(clauses) < 2:
        return "".join(clauses)
    return f"{', '.join(clauses[:-1])} and {clauses[-1]}"


def describe_first_rows(result: Weightings) -> list[str]:
    """Return when each row can be first, most often first; rows of the same weights together."""
    names_by_clause: dict[str, list[str]] = {}
    for name in list_first_rows(result):
        names_by_clause.setdefault(describe_first(result, name), []).append(f"'{name}'")
    sentences = []
    for clause, names in names_by_clause.items():
        if len(names) > 1:
            clause = clause.replace("is first", "are first", 1)
        sentences.append(as_sentence(f"{join_names(names)} {clause}"))
    return sentences


def list_first_rows(result: Weightings) -> list[Any]:
    """Return the rows that can be first, most often first."""
    rows = result.ranks[result.ranks["best"] == 1]
    return list(rows.sort_values(["first_share", "mean_rank"], ascending=[False, True]).index)


def summarize_weightings_by_dataset(result: WeightingsByDataset) -> str:
    """Say who is first most often over data sets and weightings, and on how many it can be."""
    count = len(result.first_shares)
    sentences = [f"{count_noun(count, 'data set')}, {count_noun(len(result.frame), 'system')}."]
    for name, row in result.frame.head(MAX_FIRST).iterrows():
        if row["can_be_first"] == 0:
            continue
        sentences.append(
            f"'{name}' is first under {format_share(row['first_share'])} of the weightings, all "
            f"data sets together; it can be first on {row['can_be_first']:.0f} of "
            f"{row['datasets']:.0f}, and is so at every weighting on {row['always_first']:.0f}."
        )
    return " ".join(sentences)
