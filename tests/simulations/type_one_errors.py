"""How often the tests between classifiers reject where there is nothing to find: `python -m
benchmarks type-one`.

Three classifiers that are alike, N data sets; every test of `deabench.compare` over data sets at a
nominal 5 %. A family of pairs rejects where any of its pairs does. Tests of ranks without ties are
computed (`simulations.exact_levels`), the others drawn."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import chdtrc
from scipy.stats import rankdata

from deabench import compare
from deabench.compare.friedman import EXACT_DATA_SETS
from deabench.compare.omnibus import SkillingsMackDesign
from deabench.compare.signed_rank import sign_flip_p_values
from simulations.exact_levels import (
    ALPHA,
    MOST_SETS,
    NAMES,
    exact_levels,
    of_control,
    of_pairs,
    of_table,
    signed_rank_p,
    table_of,
)
from simulations.tally import tallied

SIZES = (2, 3, 4, 5, 6, 8, 11, 13, 14, 17, 20, 30, 40, 51, 60)
PIECE = 500
"""Tables drawn at once."""
PATTERNS, IGNORING = 10, 20
"""Patterns of missing scores among them, and tables whose clusters are ignored."""
ALIKE = 2.5
"""Below such a χ² (p about .11 of one degree of freedom) a table is not looked at: no test rejects
it.
"""
IGNORED = "friedman, clusters ignored"
"""What `clusters=` is for: cuts of one file taken as independent data sets."""
Floats = NDArray[np.float64]
Rates = Iterator[tuple[str, float]]
"""Tests and the shares of some tables that they reject."""


def exactly(sizes: tuple[int, ...] = (*range(2, 21), *range(25, MOST_SETS + 1, 5))) -> pd.DataFrame:
    """The levels of the tests of ranks without ties, a row per number of data sets, a column per
    test.
    """
    return pd.DataFrame({count: exact_levels(count) for count in sizes}).T.rename_axis("data sets")


def type_one(
    sizes: tuple[int, ...] = SIZES, *, runs: int = 10_000, seed: int = 0, kept: Path | None = None
) -> pd.DataFrame:
    """Shares of rejections of the other tests, a row per number of data sets, a column per test.

    The standard error of a share of .05 is .0022 at 10,000 runs. Runs are drawn 500 at a time;
    `kept` is a folder where a call that was stopped goes on."""

    def rates(count: int, number: int) -> tuple[dict[str, NDArray[np.float64]], float]:
        rng = np.random.default_rng(np.random.SeedSequence((seed, count), spawn_key=(number,)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # each table of few data sets says so
            return {
                name: np.asarray(value)
                for kind in PARTS
                for name, value in kind(rng, count, min(PIECE, runs))
            }, np.nan

    rows = {}
    for count in sizes:
        rejection_rates = tallied(
            partial(rates, count), f"type one {count}", runs=max(runs // PIECE, 1), kept=kept
        )
        rows[count] = rejection_rates.measures()
    return pd.DataFrame(rows).T.rename_axis("data sets")


def _drawn(rng: np.random.Generator, count: int, runs: int) -> Floats:
    """Scores (runs, data sets, classifiers) that share what is easy about a data set."""
    return rng.normal(size=(runs, count, 3)) + rng.normal(size=(runs, count, 1))


def _pairs(scores: Floats) -> list[tuple[Floats, Floats]]:
    return [(scores[..., i], scores[..., j]) for i, j in ((0, 1), (0, 2), (1, 2))]


def _families(name: str, p: Floats) -> Rates:
    """Adjust three p values, (runs, 3); the pairs of the first classifier come first."""
    rejections = [of_pairs(*row) | of_control(*row[:2]) for row in p.tolist()]
    for method, share in pd.DataFrame(rejections).mean().items():
        yield f"{name}, {method}", share


def _of_two(rng: np.random.Generator, count: int, runs: int) -> Rates:
    """Tests of two, and families of them."""
    scores = _drawn(rng, count, runs)
    for name, p in (
        ("wilcoxon", _untied(scores)),
        ("t", _each(scores, compare.paired_t)),
        ("permutation", _permuted(scores)),
    ):
        if name != "wilcoxon":
            yield {"t": "paired t"}.get(name, name), float((p[:, 0] < ALPHA).mean())
        yield from _families(name, p)
    x, y = scores[..., 0], scores[..., 1]
    yield (
        "TOST, t, at the margin",
        float(
            np.mean(
                [
                    compare.tost(a + 1, b, margin=1).p_value < ALPHA
                    for a, b in zip(x, y, strict=True)
                ]
            )
        ),
    )


def _untied(scores: Floats) -> Floats:
    """`wilcoxon`'s p values of every pair, from the sums of positive ranks."""
    sums = []
    for x, y in _pairs(scores):
        d = x - y
        sums.append(np.where(d > 0, rankdata(np.abs(d), axis=1), 0).sum(axis=1).astype(int))
    return np.asarray(signed_rank_p(scores.shape[1])[np.column_stack(sums)])


def _each(scores: Floats, test: compare.pairs.Test) -> Floats:
    return np.array([[test(x, y).p_value for x, y in _pairs(table)] for table in scores])


def _permuted(scores: Floats) -> Floats:
    """`permutation`'s p values of every pair: it takes the same random signs for every table of one
    size.
    """
    return np.column_stack([sign_flip_p_values(np.round(x - y, 12).T) for x, y in _pairs(scores)])


def _tied(rng: np.random.Generator, count: int, runs: int) -> Rates:
    """Scores with many ties; a table without any difference is not tested, and counts as one where
    nothing is found.
    """
    scores = (2 * _drawn(rng, count, runs)).round()
    ranks = rankdata(-scores, axis=2)
    rejections = [
        _of_ranks(table) if far else _of_none()
        for table, far in zip(ranks, _far_ranks(ranks), strict=True)
    ]
    for name, share in pd.DataFrame(rejections).mean().items():
        yield f"{name}, ties", share
    for test, p in (("wilcoxon", _signed(scores)), ("permutation", _permuted(scores))):
        yield f"{test}, ties", float((p[:, 0] < ALPHA).mean())
        yield from ((f"{name}, ties", share) for name, share in _families(test, p))


def _signed(scores: Floats) -> Floats:
    """`wilcoxon`'s p values of every pair that is not clearly alike; there 1."""
    p = np.ones((len(scores), 3))
    for pair_index, (x, y) in enumerate(_pairs(scores)):
        ranks = np.where(x == y, 0, rankdata(np.abs(x - y), axis=1))
        z = np.abs((ranks * np.sign(x - y)).sum(axis=1)) / np.maximum(
            np.sqrt((ranks**2).sum(axis=1)), 1
        )
        for row in np.flatnonzero(z > ALIKE**0.5):
            p[row, pair_index] = compare.wilcoxon(x[row], y[row]).p_value
    return p


def _far_ranks(ranks: Floats) -> NDArray[np.bool_]:
    """Which tables are to be looked at: Friedman's χ², corrected for ties, is at least the square
    of any contrast's z.
    """
    between = ((ranks.sum(axis=1) - 2 * ranks.shape[1]) ** 2).sum(axis=1)
    chi_squared = ((ranks - 2) ** 2).sum(axis=(1, 2)) / 2
    return np.asarray(between > (ALIKE if ranks.shape[1] > 4 else 0) * chi_squared)


@cache
def _of_none() -> dict[str, bool]:
    return dict.fromkeys(_of_sums(6, (0, 0, 0)), False)


def _of_ranks(ranks: Floats) -> dict[str, bool]:
    """`levels.of_table`, once for all tables whose rows tie alike and whose sums are alike: nothing
    else counts.
    """
    rows = np.unique(np.sort(ranks, axis=1), axis=0, return_counts=True)
    key = (rows[0].tobytes(), rows[1].tobytes(), np.sort(ranks.sum(axis=0)).tobytes())
    if key not in SEEN:
        SEEN[key] = of_table(pd.DataFrame(ranks, columns=NAMES))
    return SEEN[key]


SEEN: dict[tuple[bytes, bytes, bytes], dict[str, bool]] = {}


def _incomplete(rng: np.random.Generator, count: int, runs: int) -> Rates:
    """A few patterns of missing scores, and many tables of each."""
    rejections = []
    for _ in range(min(PATTERNS, runs)):
        missing = rng.random((count, 3)) < 0.15
        missing[0] = False
        usable = ~missing[(~missing).sum(axis=1) >= 2]
        rejections.append(
            skillings_mack_p(
                np.where(usable, _drawn(rng, len(usable), max(runs // PATTERNS, 1)), np.nan)
            )
            < ALPHA
        )
    yield "skillings-mack, 15 % missing", float(np.mean(rejections))


def skillings_mack_p(scores: Floats) -> Floats:
    """`skillings_mack`'s p values of many tables without ties that lack the same scores."""
    designs = [
        SkillingsMackDesign(
            np.where(np.isnan(table), np.nan, rankdata(-table, axis=1, nan_policy="omit"))
        )
        for table in scores
    ]
    statistics = np.array(
        [design.statistics(design.deviations.sum(axis=0)[None])[0] for design in designs]
    )
    return (
        designs[0].permutation_p_values(statistics, 0)
        if scores.shape[1] <= EXACT_DATA_SETS
        else np.asarray(chdtrc(2, statistics))
    )


def _clusters(rng: np.random.Generator, count: int, runs: int) -> Rates:
    """Each of N files cut into one to eight data sets that share most of what a classifier gains
    there.
    """
    rejected, ignored = [], []
    for run in range(runs):
        sizes = rng.integers(1, 9, size=count)
        values = rng.normal(size=(count, 3)).repeat(sizes, axis=0) + 0.3 * rng.normal(
            size=(sizes.sum(), 3)
        )
        means = np.add.reduceat(values, np.cumsum(sizes) - sizes) / sizes[:, None]
        rejected.append(
            _of_sums(
                count, tuple(np.sort(rankdata(means, axis=1).sum(axis=0) - 2 * count).astype(int))
            )["friedman"]
        )
        if run < IGNORING:
            ignored.append(compare.friedman(pd.DataFrame(values, columns=NAMES)).p_value < ALPHA)
    yield from (
        ("friedman, clusters", float(np.mean(rejected))),
        (IGNORED, float(np.mean(ignored))),
    )


@cache
def _of_sums(count: int, sums: tuple[int, int, int]) -> dict[str, bool]:
    return of_table(table_of(count, sums))


PARTS = (_of_two, _tied, _incomplete, _clusters)
