"""Pairs of classifiers: Demšar's example, scikit-posthocs, exact levels."""

from __future__ import annotations

from functools import cache
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
from compare_cases import ORACLE, oracle
from scipy import stats
from simulations.type_one_errors import type_one

from deabench import compare, datasets
from deabench.compare.adjustment import (
    Adjustment,
    adjust_p_values,
    nemenyi_p_values,
    normal_range_tail,
)
from deabench.compare.friedman import (
    EXACT_DATA_SETS,
    enumerate_rank_sums,
    iman_davenport,
    rank_difference_p_values,
)
from deabench.compare.pairwise import compare_mean_ranks
from deabench.errors import DataError


@cache
def null_of_three(max_count: int = 60) -> dict[int, dict[tuple[int, int, int], float]]:
    """P of every rank sum (about its mean) of three classifiers that are alike, by N."""
    current = {(0, 0, 0): 1.0}
    out = {}
    for count in range(1, max_count + 1):
        following: dict[tuple[int, int, int], float] = {}
        for (a, b, c), p in current.items():
            for i, j, m in permutations((-1, 0, 1)):
                key = (a + i, b + j, c + m)
                following[key] = following.get(key, 0.0) + p / 6
        out[count] = current = following
    return out


ADJUSTS: tuple[Adjustment, ...] = (
    "holm",
    "shaffer",
    "bergmann-hommel",
    "bonferroni",
    "hochberg",
    "hommel",
)


def one_p(ranks: pd.DataFrame, gap: int) -> float:
    """The p value that `pairwise` gives a difference of rank sums."""
    count = len(ranks)
    if count <= EXACT_DATA_SETS:
        return float(rank_difference_p_values(ranks.to_numpy(), np.array([float(gap)]))[0])
    return float(2 * stats.norm.sf(gap / count / (12 / (6 * count)) ** 0.5))


TABLE = datasets.load("demsar2006-auc")


def pair_oracle(first: str, second: str) -> list[float]:
    row = next(q for q in ORACLE.index if q.startswith(f"{first} vs {second}:"))
    return [float(field) for field in ORACLE[row].split("|")]


FRAME = pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0], "c": [3.0, 3.0]}, index=["x", "y"])


@pytest.mark.slow
@pytest.mark.parametrize("count", [*range(2, 21), 25, 30, 36, 40, 50, 60])
def test_no_test_of_ranks_rejects_more_than_six_per_cent(count: int) -> None:
    """Exactly, at k = 3 and a nominal 5 %: the probability of the rank sums at which each test
    rejects.
    """
    null = null_of_three()[count]
    sums = np.array(list(null))
    p = np.array(list(null.values()))
    ordered, order_index = np.unique(np.sort(sums, axis=1), axis=0, return_inverse=True)
    weight = np.bincount(order_index, p)
    untied = np.tile([1.0, 2.0, 3.0], (count, 1))
    chi2 = (ordered**2).sum(axis=1) / count
    exact = enumerate_rank_sums(untied) if count <= EXACT_DATA_SETS else None
    if exact is not None:
        omnibus_p = np.array(
            [exact.tail(exact.spread, np.array([4.0 * (row**2).sum()]))[0] for row in ordered]
        )
    else:
        omnibus_p = np.array([iman_davenport(value, count, 3)[1] for value in chi2])
        assert weight[stats.chi2.sf(chi2, 2) < 0.05].sum() <= 0.06
    assert weight[omnibus_p < 0.05].sum() <= 0.06
    ranks = pd.DataFrame(untied, columns=list("abc"))
    size = np.array(
        [
            np.abs(ordered[:, 0] - ordered[:, 1]),
            ordered[:, 2] - ordered[:, 0],
            ordered[:, 2] - ordered[:, 1],
        ]
    ).T
    p_of_gap = {gap: one_p(ranks, gap) for gap in np.unique(size)}
    raw = np.vectorize(p_of_gap.get)(size)
    for method in ADJUSTS:
        least_p = np.array([adjust_p_values(row, method, 3).min() for row in raw])
        assert weight[least_p < 0.05].sum() <= 0.06, method
    assert weight[nemenyi_p_values(ranks, size / count).min(axis=1) < 0.05].sum() <= 0.06
    centred, p_values = sums - sums.mean(axis=1, keepdims=True), p
    pair = np.array(
        [np.abs(centred[:, 0] - centred[:, 1]), np.abs(centred[:, 0] - centred[:, 2])]
    ).T
    controlled = np.vectorize(p_of_gap.get)(np.rint(pair).astype(int))
    for method in ("holm", "finner"):
        least_p = np.array(
            [adjust_p_values(row, method, 3).min() for row in np.unique(controlled, axis=0)]
        )
        row_index = np.unique(controlled, axis=0, return_inverse=True)[1]
        assert p_values[(least_p < 0.05)[row_index]].sum() <= 0.06, method


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


@pytest.mark.slow
def test_simulated_tests_keep_their_level() -> None:
    """The quick form of `python -m benchmarks type-one`: 4 standard errors above 6 % would be a
    wrong level.
    """
    levels = type_one((3, 8, 20), runs=60)
    ignored = levels.pop("friedman, clusters ignored")
    assert (levels <= 0.06 + 4 * (0.06 * 0.94 / 60) ** 0.5).all(axis=None)
    assert (ignored > 0.25).all()  # cuts of one file taken as independent data sets


@pytest.mark.parametrize(
    ("test", "alpha", "printed"),
    [
        ("nemenyi", 0.05, "1.25"),
        ("nemenyi", 0.1, "1.12"),
        ("bonferroni-dunn", 0.05, "1.17"),
        ("bonferroni-dunn", 0.1, "1.04"),
    ],
)
def test_critical_differences(test: str, alpha: float, printed: str) -> None:
    """Demšar prints 1.25 and 1.12; for Bonferroni-Dunn 1.16, which is 1.168 cut off and not
    rounded, and 1.04.
    """
    name = {"nemenyi": "Nemenyi", "bonferroni-dunn": "Bonferroni-Dunn"}[test]
    cd = compare.critical_difference(4, 14, alpha=alpha, test=test)
    assert cd == pytest.approx(oracle(f"{name} CD_{alpha:g}"), abs=5e-10)
    assert f"{cd:.2f}" == printed


@pytest.mark.parametrize(("first", "second"), list(combinations(TABLE.columns, 2)))
def test_pairs_of_demsars_table(first: str, second: str) -> None:
    z, p, holm, shaffer, bonferroni, nemenyi = pair_oracle(first, second)
    for adjust, value in (
        ("holm", holm),
        ("shaffer", shaffer),
        ("bonferroni", bonferroni),
        ("nemenyi", nemenyi),
    ):
        frame = compare.pairwise(TABLE, adjust=adjust).pairs.set_index(["first", "second"])
        row = frame.loc[(first, second)]
        assert row["statistic"] == pytest.approx(z, abs=5e-10)
        assert row["p_value"] == pytest.approx(p, abs=5e-10)
        assert row["adjusted"] == pytest.approx(value, abs=5e-9)


def test_nemenyi_is_scikit_posthocs() -> None:
    import scikit_posthocs as sp

    computed = compare.pairwise(TABLE, adjust="nemenyi").matrix()
    expected = sp.posthoc_nemenyi_friedman(TABLE.to_numpy())
    assert computed.to_numpy() == pytest.approx(expected.to_numpy(), abs=1e-9)


def test_against_a_control_holm_looks_at_k_minus_1_pairs() -> None:
    from statsmodels.stats.multitest import multipletests

    pairs = compare.pairwise(TABLE, control="C4.5").pairs
    assert pairs["first"].tolist() == ["C4.5"] * 3
    raw = [pair_oracle("C4.5", rival)[1] for rival in pairs["second"]]
    assert pairs["adjusted"].to_numpy() == pytest.approx(
        multipletests(raw, method="holm")[1], abs=5e-9
    )
    assert pairs["different"].tolist() == [True, False, True]


def test_a_control_in_the_middle_keeps_its_sign() -> None:
    pairs = compare.pairwise(TABLE, control="C4.5+cf").pairs.set_index("second")
    assert pairs.loc["C4.5+m", "statistic"] == pytest.approx(1.829812637, abs=5e-10)


def test_pairwise_wilcoxon_is_the_test_of_the_two_alone() -> None:
    pairs = compare.pairwise(TABLE, test="wilcoxon").pairs
    row = pairs[pairs["second"] == "C4.5+m+cf"].iloc[0]
    assert row["p_value"] == pytest.approx(0.014329878, abs=5e-10)
    assert (row["wins"], row["ties"], row["losses"]) == (2, 1, 11)


REFUSED = [
    (
        lambda: compare.pairwise(datasets.load("demsar2006-auc"), adjust="finner"),
        "'finner' is for comparisons with a control; for all pairs use 'shaffer'",
    ),
    (
        lambda: compare.pairwise(datasets.load("demsar2006-auc"), adjust="bergmann"),
        "adjust 'bergmann' is not known; write 'bergmann-hommel'",
    ),
    (
        lambda: compare.pairwise(FRAME, control="d"),
        "the control 'd' is not a column of the table; there are 'a', 'b', 'c'",
    ),
    (
        lambda: compare.pairwise(FRAME, adjust="hulm"),
        "adjust 'hulm' is not known; it is one of 'holm', 'shaffer', "
        "'bergmann-hommel', 'nemenyi', 'finner', 'bonferroni', 'hochberg', 'hommel'",
    ),
    (
        lambda: compare.pairwise(FRAME, test="rank"),
        "test 'rank' is not known; it is one of 'ranks', 'wilcoxon', 'permutation', 't'",
    ),
    (
        lambda: compare.pairwise(FRAME, control="a", adjust="shaffer"),
        "'shaffer' is for all pairs; against a control use 'holm'",
    ),
    (
        lambda: compare.pairwise(FRAME, test="wilcoxon", adjust="nemenyi"),
        "'nemenyi' is for mean ranks; with Wilcoxon's test use 'holm' or 'shaffer'",
    ),
    (
        lambda: compare.critical_difference(1, 9),
        "there are 1 systems and 9 data sets; give at least 2 of each",
    ),
    (
        lambda: compare.critical_difference(4, 9, test="dunn"),
        "test 'dunn' is not known; it is one of 'nemenyi', 'bonferroni-dunn'",
    ),
    (
        lambda: compare.critical_difference("4", 9),
        "k is '4'; give a whole number of classifiers, 0 or more",
    ),
]


@pytest.mark.parametrize(("call", "text"), REFUSED)
def test_refusals(call: object, text: str) -> None:
    with pytest.raises(DataError) as e:
        call()  # type: ignore[operator]
    assert str(e.value) == text


@pytest.mark.parametrize("alpha", [0.0, 1.0, 2, -0.05])
def test_critical_difference_refuses_an_alpha_outside_0_and_1(refused, alpha) -> None:
    with refused(f"alpha is {alpha}; give a number between 0 and 1, both excluded, as 0.05"):
        compare.critical_difference(4, 14, alpha=alpha)
