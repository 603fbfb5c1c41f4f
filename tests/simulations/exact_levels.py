"""How often tests of ranks and of signed ranks reject where there is nothing to find, exactly: no
table is drawn.

Where three classifiers are alike and no scores tie, every order of a data set's ranks is as likely
as any other, and so is every sign of a difference; the probability of every rank sum, and of every
sum of signed ranks, is known. The tests depend on these sums alone: one table is made for each, and
the p values are what the functions of `deabench.compare` answer."""

from __future__ import annotations

from functools import cache
from itertools import permutations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from deabench.compare.adjustment import ADJUSTMENTS, Adjustment, adjust_p_values, nemenyi_p_values
from deabench.compare.friedman import friedman_from_ranks
from deabench.compare.pairwise import compare_mean_ranks
from deabench.compare.signed_rank import tost, wilcoxon

ALPHA = 0.05
MOST_SETS = 60
NAMES = ["a", "b", "c"]
PAIRS = [("a", "b"), ("a", "c"), ("b", "c")]
ALL_PAIRS: tuple[Adjustment, ...] = tuple(
    how for how in ADJUSTMENTS if how not in ("nemenyi", "finner")
)
CONTROL: tuple[Adjustment, ...] = ("holm", "finner")
Floats = NDArray[np.float64]
Sums = tuple[int, int, int]
STEPS: list[Sums] = [(a, b, c) for a, b, c in permutations((-1, 0, 1))]
"""What one data set adds to the rank sums, counted from its middle rank."""


def exact_levels(count: int) -> dict[str, float]:
    """The probability that each test rejects at a nominal 5 %, for `count` data sets and three
    classifiers without ties.

    A family of pairs rejects where any of its pairs does. Friedman's test of cuts of one file,
    taken as clusters, is that of the clusters' means, and rejects as often as with so many data
    sets."""
    chances = _signed_sums(count)
    return _of_ranks(count) | {
        "wilcoxon": float(chances[signed_rank_p(count) < ALPHA].sum()),
        "TOST, wilcoxon, at the margin": float(chances[_tost_p(count) < ALPHA].sum()),
    }


def _of_ranks(count: int) -> dict[str, float]:
    """Test the whole and all pairs by the sorted sums, and pairs with a control by their gaps."""
    levels: dict[str, float] = {}
    rejections: dict[Sums, dict[str, bool]] = {}
    p_of_gap: dict[int, float] = {}
    chances = nulls()[count]
    for sums in {_ordered(sums): None for sums in chances}:
        ranks = table_of(count, sums)
        rejections[sums] = of_table(ranks)
        p_of_gap |= {round(abs(gap) * count): p for gap, _, p in compare_mean_ranks(ranks, PAIRS)}
    for sums, chance in chances.items():
        a, b, c = sums
        against = of_control(p_of_gap[abs(a - b)], p_of_gap[abs(a - c)])
        for name, rejected in (
            rejections[_ordered(sums)]
            | {f"ranks, {method}": yes for method, yes in against.items()}
        ).items():
            levels[name] = levels.get(name, 0.0) + chance * rejected
    return levels


def _ordered(sums: Sums) -> Sums:
    smallest, middle, largest = sorted(sums)
    return smallest, middle, largest


def of_table(ranks: pd.DataFrame) -> dict[str, bool]:
    """What Friedman's tests and those of all pairs say of one table's ranks."""
    omnibus, rows = friedman_from_ranks(ranks), compare_mean_ranks(ranks, PAIRS)
    rejections = {
        "friedman": omnibus.p_value < ALPHA,
        "friedman, χ²": float(omnibus.tests["p_value"].iloc[0]) < ALPHA,
        "ranks, nemenyi": float(nemenyi_p_values(ranks, [gap for gap, _, _ in rows]).min()) < ALPHA,
    }
    return rejections | {
        f"ranks, {method}": yes for method, yes in of_pairs(*(p for _, _, p in rows)).items()
    }


@cache
def of_pairs(first: float, second: float, third: float) -> dict[str, bool]:
    """Whether each adjustment finds a difference among the p values of the three pairs."""
    if min(first, second, third) >= ALPHA:  # adjusted p values are never smaller
        return dict.fromkeys(ALL_PAIRS, False)
    return {
        all_pair: bool(adjust_p_values([first, second, third], all_pair, 3).min() < ALPHA)
        for all_pair in ALL_PAIRS
    }


@cache
def of_control(first: float, second: float) -> dict[str, bool]:
    """The same of two classifiers against the third."""
    if min(first, second) >= ALPHA:
        return dict.fromkeys((f"{method} (control)" for method in CONTROL), False)
    return {
        f"{method} (control)": bool(adjust_p_values([first, second], method, 3).min() < ALPHA)
        for method in CONTROL
    }


@cache
def nulls() -> list[dict[Sums, float]]:
    """The probability of every rank sum, counted from the middle, of 0, 1, ... data sets."""
    out = [{(0, 0, 0): 1.0}]
    for _ in range(MOST_SETS):
        after: dict[Sums, float] = {}
        for (a, b, c), p in out[-1].items():
            for i, j, m in STEPS:
                key = (a + i, b + j, c + m)
                after[key] = after.get(key, 0.0) + p / len(STEPS)
        out.append(after)
    return out


def table_of(count: int, sums: Sums) -> pd.DataFrame:
    """Ranks of `count` data sets with these sums, counted from the middle."""
    rows = []
    for before in reversed(nulls()[:count]):
        a, b, c = sums
        step = next((i, j, m) for i, j, m in STEPS if (a - i, b - j, c - m) in before)
        sums = (a - step[0], b - step[1], c - step[2])
        rows.append(step)
    return pd.DataFrame(rows, columns=NAMES) + 2.0


def _signed_sums(count: int) -> Floats:
    """The probability of every sum of the ranks of positive differences, 0 to N(N + 1)/2."""
    out = np.ones(1)
    for rank in range(1, count + 1):
        out = (np.pad(out, (0, rank)) + np.pad(out, (rank, 0))) / 2
    return out


def _differences(count: int, positive: int) -> Floats:
    """Differences of sizes 1 to N, those above 0 summing to `positive`."""
    out, remainder = -np.arange(1.0, count + 1), positive
    for rank in range(count, 0, -1):
        if rank <= remainder:
            out[rank - 1], remainder = rank, remainder - rank
    return out


@cache
def signed_rank_p(count: int) -> Floats:
    """`wilcoxon`'s p value of every sum of the ranks of positive differences."""
    zeros = np.zeros(count)
    return np.array(
        [
            wilcoxon(_differences(count, rank_sum), zeros).p_value
            for rank_sum in range(count * (count + 1) // 2 + 1)
        ]
    )


def _tost_p(count: int) -> Floats:
    """The same of `tost`, where the differences lie about the margin of 1 and far from -1."""
    zeros = np.zeros(count)
    return np.array(
        [
            tost(
                1 - _differences(count, rank_sum) / (1000 * count), zeros, margin=1, test="wilcoxon"
            ).p_value
            for rank_sum in range(count * (count + 1) // 2 + 1)
        ]
    )
