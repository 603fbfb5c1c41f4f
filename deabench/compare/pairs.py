"""The pairs of a table's classifiers: which, who wins how often, and one test of two applied to
each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from deabench.compare._result import Comparison
from deabench.compare._validation import NOISE_DIGITS
from deabench.compare.permutation import permutation, sign_flips
from deabench.errors import DataError

Floats = NDArray[np.float64]
Pair: TypeAlias = tuple[str, str]
Test: TypeAlias = Callable[[Floats, Floats], Comparison]
AT_ONCE = 2_000_000
"""Differences held at a time."""
NAMED = 3
"""Names of pairs that a sentence holds; the rest are counted."""


def chosen(columns: pd.Index | Sequence[str], control: str | None) -> list[Pair]:
    """All pairs in the table's order, or every other classifier against the control."""
    if control is None:
        return list(combinations(columns, 2))
    return [(control, name) for name in columns if name != control]


def frame(
    values: pd.DataFrame,
    pairs: Sequence[Pair],
    rows: Sequence[tuple[float, float, float]],
    higher_is_better: bool,
) -> pd.DataFrame:
    """first, second, wins, ties, losses, and the (difference, statistic, p value) of every pair."""
    out = pd.DataFrame({"first": [a for a, _ in pairs], "second": [b for _, b in pairs]})
    for name, counts in zip(
        ("wins", "ties", "losses"), signs(values, pairs, higher_is_better), strict=True
    ):
        out[name] = counts
    out[["difference", "statistic", "p_value"]] = np.asarray(rows, dtype=float).reshape(
        len(pairs), 3
    )
    return out


def signs(
    values: pd.DataFrame, pairs: Sequence[Pair], higher_is_better: bool = True
) -> tuple[NDArray[np.int64], ...]:
    """On how many data sets the first of each pair wins, the two tie, the second wins.

    Differences that are rounding noise, beyond 12 digits of the larger of the two classifiers'
    scores, are ties. A data set that lacks a score of either counts nowhere."""
    x = values.to_numpy() * (1 if higher_is_better else -1)
    largest = np.nanmax(np.abs(x), axis=0)
    first = values.columns.get_indexer([a for a, _ in pairs])
    second = values.columns.get_indexer([b for _, b in pairs])
    counts = np.zeros((3, len(pairs)), dtype=np.int64)
    step = max(1, AT_ONCE // len(x))
    for start in range(0, len(pairs), step):
        i, j = first[start : start + step], second[start : start + step]
        scale = np.maximum(largest[i], largest[j])
        d = np.round((x[:, i] - x[:, j]) / np.where(scale > 0, scale, 1), NOISE_DIGITS)
        counts[:, start : start + step] = (
            (d > 0).sum(axis=0),
            (d == 0).sum(axis=0),
            (d < 0).sum(axis=0),
        )
    return tuple(counts)


def each(
    values: pd.DataFrame, pairs: Sequence[Pair], test: Test
) -> tuple[list[tuple[float, float, float]], tuple[str, ...]]:
    """The test of two for every pair; one that cannot be tested has no p value and is named in a
    note.

    Only the rows on which both have a score take part.
    """
    complete = not values.isna().to_numpy().any()
    if complete and test is permutation:
        return permuted(values, pairs), ()
    rows, failed, reason = list[tuple[float, float, float]](), list[Pair](), ""
    columns = {name: values[name].to_numpy() for name in values.columns}
    for a, b in pairs:
        x, y = columns[a], columns[b]
        if not complete:
            both = np.isfinite(x) & np.isfinite(y)
            x, y = x[both], y[both]
        try:
            found = test(x, y)
            rows.append((found.difference, found.statistic, found.p_value))
        except DataError as error:
            rows.append((float((x - y).mean()) if len(x) else np.nan, np.nan, np.nan))
            failed.append((a, b))
            reason = reason or str(error)
    return rows, (untested(failed, reason),) if failed else ()


def permuted(values: pd.DataFrame, pairs: Sequence[Pair]) -> list[tuple[float, float, float]]:
    """The permutation test for every pair of a complete table, all with the same random signs."""
    x = values.to_numpy()
    first = values.columns.get_indexer([a for a, _ in pairs])
    second = values.columns.get_indexer([b for _, b in pairs])
    largest, rows = np.abs(x).max(axis=0), list[tuple[float, float, float]]()
    step = max(1, AT_ONCE // (100 * len(x)))
    for start in range(0, len(pairs), step):
        i, j = first[start : start + step], second[start : start + step]
        scale = np.maximum(largest[i], largest[j])
        scale = np.where(scale > 0, scale, 1)
        d = np.round((x[:, i] - x[:, j]) / scale, NOISE_DIGITS) * scale
        means, p = d.mean(axis=0).tolist(), sign_flips(d).tolist()
        rows += list(zip(means, means, p, strict=True))
    return rows


def untested(failed: Sequence[Pair], reason: str) -> str:
    """The note on pairs that have no p value."""
    return f"{listed(failed)} could not be tested ({reason}); the other pairs are adjusted as if this had p = 1"


def listed(which: Sequence[Pair]) -> str:
    """Pairs by name, the first few of many."""
    named = ", ".join(f"'{a}' and '{b}'" for a, b in which[:NAMED])
    more = len(which) - NAMED
    return f"{named} and {more} more {'pair' if more == 1 else 'pairs'}" if more > 0 else named


def better(pairs: pd.DataFrame, *, low_wins: bool) -> list[str]:
    """Who is better where the pair is different, else empty; a difference of ranks or errors is won
    by the low one.
    """
    first_wins = (pairs["difference"] < 0) == low_wins
    names = np.where(first_wins, pairs["first"].astype(object), pairs["second"].astype(object))
    return [
        str(name) if different else ""
        for name, different in zip(names, pairs["different"], strict=True)
    ]


def matrix(
    pairs: pd.DataFrame, names: pd.Index, values: Sequence[float] | pd.Series
) -> pd.DataFrame:
    """One value per pair as a symmetric frame, 1 on the diagonal, NaN for pairs not compared."""
    square = np.where(np.eye(len(names), dtype=bool), 1.0, np.nan)
    i, j = names.get_indexer(pairs["first"]), names.get_indexer(pairs["second"])
    square[i, j] = square[j, i] = np.asarray(values, dtype=float)
    return pd.DataFrame(square, index=names, columns=names)
