"""Few data sets: the null distributions against brute force, and how often tests reject where there
is nothing to find.
"""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from simulations.type_one_errors import type_one

from deabench import compare
from deabench.compare.adjustment import Adjustment, adjust_p_values
from deabench.compare.friedman import (
    EXACT_DATA_SETS,
    enumerate_rank_sums,
    iman_davenport,
    rank_difference_p_values,
    simulate_rank_sums,
)
from deabench.compare.pairwise import compare_mean_ranks, nemenyi_p_values, normal_range_tail
from deabench.errors import DataWarning


def every_order(ranks: np.ndarray) -> np.ndarray:
    """The rank sums of every combination of orders of the rows: (k!)^N of them."""
    rows = [list(permutations(row)) for row in ranks]
    return np.array([np.sum(choice, axis=0) for choice in product(*rows)])


@pytest.mark.parametrize(
    "ranks",
    [
        [[1, 2, 3], [2, 1, 3]],
        [[1, 2, 3], [3, 1, 2], [1, 3, 2], [1, 2, 3]],
        [[1.5, 1.5, 3], [1, 2, 3], [2, 2, 2]],
        [[1, 2, 3, 4], [2, 1, 4, 3], [1, 2.5, 2.5, 4]],
        [[1, 3, 3, 3, 5], [5, 4, 3, 2, 1]],
    ],
)
def test_the_exact_distribution_is_that_of_all_orders(ranks: list[list[float]]) -> None:
    x = np.array(ranks, dtype=float)
    sums, seen = every_order(x), x.sum(axis=0)
    null = enumerate_rank_sums(x)
    assert null is not None
    assert null.probability.sum() == pytest.approx(1, rel=1e-12)
    spread = ((sums - sums.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    assert null.spread_p_value(x) == pytest.approx(
        (spread >= ((seen - seen.mean()) ** 2).sum() - 1e-9).mean(), rel=1e-12
    )
    for gap in (0.5, 1.0, 2.0, 3.0):
        assert null.reach_p_values(np.array([gap]))[0] == pytest.approx(
            (np.ptp(sums, axis=1) >= gap).mean(), rel=1e-12
        )
        assert rank_difference_p_values(x, np.array([gap]))[0] == pytest.approx(
            (np.abs(sums[:, 0] - sums[:, 1]) >= gap).mean(), rel=1e-12
        )


def test_two_unanimous_data_sets_of_three_have_p_one_sixth() -> None:
    """Iman and Davenport's F is infinite there, and its p value was 0."""
    table = pd.DataFrame([[1, 2, 3], [1, 2, 3]], columns=list("abc"), dtype=float)
    assert compare.friedman(table).p_value == pytest.approx(1 / 6, rel=1e-12)
    asked = compare.friedman(table, method="asymptotic")
    assert asked.p_value == 0
    assert asked.notes == (
        "the χ² and F distributions are rough for 2 data sets and reject too often; use method 'auto'",
    )


def test_random_orders_agree_with_the_exact_distribution() -> None:
    ranks = np.array([np.random.default_rng(i).permutation(4) + 1.0 for i in range(6)])
    exact, random = enumerate_rank_sums(ranks), simulate_rank_sums(ranks)
    assert exact is not None
    p, q = exact.spread_p_value(ranks), random.spread_p_value(ranks)
    assert abs(p - q) < 4 * (p * (1 - p) / 20_000) ** 0.5
    unanimous = np.tile([1.0, 2.0, 3.0, 4.0], (9, 1))
    assert simulate_rank_sums(unanimous).spread_p_value(unanimous) == pytest.approx(1 / 20_001)


def test_too_many_classifiers_for_the_exact_distribution_are_drawn_and_say_so() -> None:
    table = pd.DataFrame(
        np.random.default_rng(1).normal(size=(5, 9)), columns=[f"c{j}" for j in range(9)]
    )
    found = compare.friedman(table)
    assert set(found.tests["distribution"]) == {"20000 random orders"}
    assert found.notes == ("the p value comes from 20000 random orders of the ranks (seed 0)",)
    assert compare.friedman(table).p_value == found.p_value


def null_of_three(most: int) -> dict[int, dict[tuple[int, int, int], float]]:
    """P of every rank sum (about its mean) of three classifiers that are alike, by N."""
    now = {(0, 0, 0): 1.0}
    out = {}
    for count in range(1, most + 1):
        after: dict[tuple[int, int, int], float] = {}
        for (a, b, c), p in now.items():
            for i, j, m in permutations((-1, 0, 1)):
                key = (a + i, b + j, c + m)
                after[key] = after.get(key, 0.0) + p / 6
        out[count] = now = after
    return out


NULL = null_of_three(60)
ADJUSTS: tuple[Adjustment, ...] = (
    "holm",
    "shaffer",
    "bergmann-hommel",
    "bonferroni",
    "hochberg",
    "hommel",
)


@pytest.mark.parametrize("count", [*range(2, 21), 25, 30, 36, 40, 50, 60])
def test_no_test_of_ranks_rejects_more_than_six_per_cent(count: int) -> None:
    """Exactly, at k = 3 and a nominal 5 %: the probability of the rank sums at which each test
    rejects.
    """
    sums, p = np.array(list(NULL[count])), np.array(list(NULL[count].values()))
    ordered, where = np.unique(np.sort(sums, axis=1), axis=0, return_inverse=True)
    weight = np.bincount(where, p)
    untied = np.tile([1.0, 2.0, 3.0], (count, 1))
    chi2 = (ordered**2).sum(axis=1) / count
    exact = enumerate_rank_sums(untied) if count <= EXACT_DATA_SETS else None
    if exact is not None:
        whole = np.array(
            [exact.tail(exact.spread, np.array([4.0 * (row**2).sum()]))[0] for row in ordered]
        )
    else:
        whole = np.array([iman_davenport(value, count, 3)[1] for value in chi2])
        assert weight[stats.chi2.sf(chi2, 2) < 0.05].sum() <= 0.06
    assert weight[whole < 0.05].sum() <= 0.06
    ranks = pd.DataFrame(untied, columns=list("abc"))
    size = np.array(
        [
            np.abs(ordered[:, 0] - ordered[:, 1]),
            ordered[:, 2] - ordered[:, 0],
            ordered[:, 2] - ordered[:, 1],
        ]
    ).T
    one = {gap: one_p(ranks, gap) for gap in np.unique(size)}
    raw = np.vectorize(one.get)(size)
    for how in ADJUSTS:
        least = np.array([adjust_p_values(row, how, 3).min() for row in raw])
        assert weight[least < 0.05].sum() <= 0.06, how
    assert weight[nemenyi_p_values(ranks, size / count).min(axis=1) < 0.05].sum() <= 0.06
    centred, each = sums - sums.mean(axis=1, keepdims=True), p
    pair = np.array(
        [np.abs(centred[:, 0] - centred[:, 1]), np.abs(centred[:, 0] - centred[:, 2])]
    ).T
    controlled = np.vectorize(one.get)(np.rint(pair).astype(int))
    for how in ("holm", "finner"):
        least = np.array(
            [adjust_p_values(row, how, 3).min() for row in np.unique(controlled, axis=0)]
        )
        place = np.unique(controlled, axis=0, return_inverse=True)[1]
        assert each[(least < 0.05)[place]].sum() <= 0.06, how


def one_p(ranks: pd.DataFrame, gap: int) -> float:
    """The p value that `pairwise` gives a difference of rank sums."""
    count = len(ranks)
    if count <= EXACT_DATA_SETS:
        return float(rank_difference_p_values(ranks.to_numpy(), np.array([float(gap)]))[0])
    return float(2 * stats.norm.sf(gap / count / (12 / (6 * count)) ** 0.5))


def test_the_pairs_of_ranks_are_those_p_values() -> None:
    for count in (7, 20):
        table = pd.DataFrame(
            np.random.default_rng(count).normal(size=(count, 3)), columns=list("abc")
        )
        ranks = compare.rank(table)
        for (gap, z, p), (a, b) in zip(
            compare_mean_ranks(ranks, [("a", "b"), ("a", "c")]),
            [("a", "b"), ("a", "c")],
            strict=True,
        ):
            assert gap == pytest.approx(ranks[a].mean() - ranks[b].mean())
            assert z == pytest.approx(gap / (12 / (6 * count)) ** 0.5)
            assert p == pytest.approx(one_p(ranks, round(abs(gap) * count)), rel=1e-10)


def test_the_range_of_normals_is_scipys() -> None:
    for k in (2, 3, 10, 60):
        q = np.linspace(0.01, 8, 12)
        assert normal_range_tail(q, k) == pytest.approx(
            stats.studentized_range.sf(q, k, np.inf), abs=2e-9
        )


def test_simulated_tests_keep_their_level() -> None:
    """The quick form of `python -m benchmarks type-one`: 4 standard errors above 6 % would be a
    wrong level.
    """
    found = type_one((3, 8, 20), runs=60)
    ignored = found.pop("friedman, clusters ignored")
    assert (found <= 0.06 + 4 * (0.06 * 0.94 / 60) ** 0.5).all(axis=None)
    assert (ignored > 0.25).all()  # cuts of one file taken as independent data sets


def test_too_few_to_reject_at_all() -> None:
    with pytest.warns(DataWarning) as caught:
        found = compare.compare(
            pd.DataFrame([[1, 2, 3], [1, 2, 3]], columns=list("abc"), dtype=float)
        )
    assert [str(w.message) for w in caught] == [
        "with 2 data sets the test of the whole can never reject: its smallest p value is 0.167, not below alpha = 0.05; "
        "add data sets"
    ]
    assert not found.pairs["different"].any()
    assert (
        "with 2 data sets the pairs' p values are exact if all are alike, not approximations"
        in found.notes
    )
