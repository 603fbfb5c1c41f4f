"""Signed ranks, sign permutations and equivalence against SciPy and statsmodels."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from dea_cases import examples
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from deabench import compare, datasets
from deabench.compare.signed_rank import MAX_UNTIED_PAIRS, one_sided_signed_rank
from deabench.errors import DataError


@pytest.mark.parametrize("n", [4, 9])
def test_permutation_lists_all_signs(n: int) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.integers(0, 9, n) / 10, rng.integers(0, 9, n) / 10
    d = np.rint(10 * (x - y))
    sums = np.array([abs(np.dot(signs, d)) for signs in product((-1, 1), repeat=n)])
    result = compare.permutation(x, y)
    assert result.p_value == pytest.approx((sums >= abs(d.sum())).mean(), rel=1e-12)
    assert result.distribution == "all signs listed"


def test_permutation_draws_signs_above_seventeen_and_agrees_with_scipy() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.normal(0.4, 1, 30), rng.normal(0, 1, 30)
    result = compare.permutation(x, y)
    expected = stats.permutation_test(
        (x - y,), np.mean, permutation_type="samples", n_resamples=20_000, rng=1
    ).pvalue
    assert abs(result.p_value - expected) < 5 * (2 * expected * (1 - expected) / 20_000) ** 0.5
    assert result.notes == ("the p value comes from 20000 random signs (seed 0)",)
    table = pd.DataFrame({"x": x, "y": y, "z": rng.normal(size=30)})
    pairs = compare.pairwise(table, test="permutation").pairs
    assert pairs["p_value"].iloc[0] == result.p_value
    assert compare.permutation([1, 2, 3], [1, 2, 3]).p_value == 1


@pytest.mark.slow
def test_wilcoxon_over_all_signs_is_scipys() -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        x, y = rng.integers(0, 5, 9).astype(float), rng.integers(0, 5, 9).astype(float)
        for zeros in ("zsplit", "wilcox", "pratt"):
            expected = stats.wilcoxon(
                x, y, zero_method=zeros, method=stats.PermutationMethod(n_resamples=2**14)
            ).pvalue
            assert compare.wilcoxon(x, y, zeros=zeros).p_value == pytest.approx(expected, rel=1e-10)  # type: ignore[arg-type]
        a, b = rng.normal(size=40), rng.normal(size=40)
        assert compare.wilcoxon(a, b).p_value == pytest.approx(
            stats.wilcoxon(a, b, method="exact").pvalue, rel=1e-9
        )


def test_tost_is_statsmodels() -> None:
    from statsmodels.stats.weightstats import ttost_paired

    rng = np.random.default_rng(0)
    x = rng.normal(0.8, 0.05, 15)
    y = x + rng.normal(0.002, 0.01, 15)
    result = compare.tost(x, y, margin=0.02)
    assert result.p_value == pytest.approx(ttost_paired(x, y, -0.02, 0.02)[0], rel=1e-9)
    assert result.equivalent
    assert not result.different
    assert -result.lower < 0.02
    assert result.upper < 0.02
    assert compare.tost(x, y, margin=0.001).equivalent is False
    corrected = compare.tost(x, y, margin=0.02, ratio=1 / 9)
    assert corrected.p_value > result.p_value
    assert "equivalent within 0.02 at 0.05" in result.summary().splitlines()[0]


def test_tost_at_the_level_where_the_interval_touches_the_margin() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=12), rng.normal(size=12)
    result = compare.tost(x, y, margin=0.9)
    touching = compare.tost(x, y, margin=0.9, alpha=result.p_value)
    assert max(abs(touching.lower), abs(touching.upper)) == pytest.approx(0.9, rel=1e-9)


def test_tost_by_ranks_is_scipys_two_one_sided_tests() -> None:
    d = np.random.default_rng(5).normal(0.1, 1, 14)
    result = compare.tost(d, np.zeros(14), margin=1, test="wilcoxon")
    sides = (
        stats.wilcoxon(d + 1, alternative="greater").pvalue,
        stats.wilcoxon(d - 1, alternative="less").pvalue,
    )
    assert result.p_value == pytest.approx(max(sides), rel=1e-10)


@pytest.mark.parametrize("unit", [1.0, 0.01])
@pytest.mark.parametrize("seed", range(6))
def test_ties_of_whole_numbers_stay_ties_in_any_unit(unit, seed) -> None:
    """Scores of -3 to 3 differ by thirds of the largest one, which no decimal is."""
    rng = np.random.default_rng(seed)
    x, y = rng.integers(-3, 4, (2, 9))
    d = x - y
    signs = np.array(list(product((-1, 1), repeat=9)))
    expected = (np.abs(signs @ d) >= abs(d.sum())).mean()
    assert compare.permutation(x * unit, y * unit).p_value == expected
    sides = []
    for shifted in (d + 1, 1 - d):
        ranks = stats.rankdata(np.abs(shifted))
        moving = ranks[shifted != 0]
        sums = np.array([(moving * (row[: len(moving)] > 0)).sum() for row in signs])
        sides.append((sums >= ranks[shifted > 0].sum()).mean())
    result = compare.tost(x * unit, y * unit, margin=unit, test="wilcoxon")
    assert result.p_value == pytest.approx(max(sides), rel=1e-12)


def test_tost_by_ranks_lists_all_signs_under_ties() -> None:
    d = np.array([0.1, 0.1, -0.1, 0.0, 0.2, 0.5, -0.5, 0.1])
    result = compare.tost(d, np.zeros(8), margin=0.5, test="wilcoxon")
    sides = []
    for x in (np.round(d + 0.5, 12), np.round(0.5 - d, 12)):
        ranks = stats.rankdata(np.abs(x))
        moving = ranks[x != 0]
        sums = np.array(
            [moving[np.array(signs)].sum() for signs in product((False, True), repeat=len(moving))]
        )
        sides.append((sums >= ranks[x > 0].sum() - 1e-9).mean())
    assert result.p_value == pytest.approx(max(sides), rel=1e-12)
    assert (
        compare.tost([1, 2, 3, 4, 5], [1, 2, 3, 4, 5], margin=0.1, test="wilcoxon").p_value
        == 2.0**-5
    )


@pytest.mark.parametrize(
    ("second", "zeros", "statistic", "p"),
    [
        ("C4.5+m+cf", "wilcox", 11.0, 0.015874359),
        ("C4.5+m+cf", "zsplit", 13.5, 0.014329878),
        ("C4.5+m", "zsplit", 12.0, 0.010968497),
        ("C4.5+m", "wilcox", 6.5, 0.010757133),
    ],
)
def test_wilcoxon_on_demsars_table(second: str, zeros: str, statistic: float, p: float) -> None:
    """Values of comparison_oracles.csv; Demšar prints R+ = 93, R- = 12 for C4.5 against C4.5+m."""
    table = datasets.load("demsar2006-auc")
    result = compare.wilcoxon(table["C4.5"], table[second], zeros=zeros)
    assert result.statistic == statistic
    assert result.p_value == pytest.approx(p, abs=5e-10)
    oracle = stats.wilcoxon(table["C4.5"] - table[second], zero_method=zeros, method="asymptotic")
    assert result.p_value == pytest.approx(oracle.pvalue, rel=1e-10)


def test_wilcoxon_sees_ties_through_rounding_noise() -> None:
    """0.9 - 0.8 and 0.7 - 0.6 differ in floating point; as counts out of ten they are equal."""
    x, y = [9, 7, 5, 8, 3, 6], [8, 6, 7, 3, 3, 5]
    as_counts = compare.wilcoxon(x, y)
    as_shares = compare.wilcoxon(np.array(x) / 10, np.array(y) / 10)
    assert as_shares.p_value == as_counts.p_value
    assert (
        as_shares.test
        == as_counts.test
        == "Wilcoxon signed-rank test (1 zero: ranks split between the signs)"
    )


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=10), st.randoms()
)
@examples(40)
def test_wilcoxon_is_symmetric_and_blind_to_order_and_unit(
    pairs: list[tuple[int, int]], random: object
) -> None:
    x, y = np.array(pairs, dtype=float).T
    p = compare.wilcoxon(x, y).p_value
    assert 0 < p <= 1
    assert compare.wilcoxon(y, x).p_value == pytest.approx(p, rel=1e-12)
    assert compare.wilcoxon(x[::-1] / 8, y[::-1] / 8).p_value == pytest.approx(p, rel=1e-12)


def test_wilcoxon_exact_by_listing_all_signs() -> None:
    """With every difference of one sign, the two-sided exact p value is 2/2ⁿ, ties or none."""
    for n in (5, 8):
        assert compare.wilcoxon(np.arange(1, n + 1), np.zeros(n)).p_value == 2.0 ** (1 - n)
        assert compare.wilcoxon(np.ones(n), np.zeros(n)).p_value == pytest.approx(
            2.0 ** (1 - n), rel=1e-12
        )


def test_equal_scores_have_p_one() -> None:
    assert compare.wilcoxon([1, 2, 3], [1, 2, 3]).p_value == 1
    assert compare.paired_t([1, 2, 3], [1, 2, 3]).p_value == 1


REFUSED = [
    (
        lambda: compare.wilcoxon(pd.Series([1, 2], list("ab")), pd.Series([2, 1], list("ba"))),
        "the scores are Series with different indexes; bring them into one order "
        "(second.reindex(first.index)), or give plain "
        "arrays",
    ),
    (
        lambda: compare.tost([1, 2], [1, 2], margin=0.1),
        "the difference is 0 on every pair: without spread a t test cannot judge it; use test "
        "'wilcoxon'",
    ),
    (
        lambda: compare.tost([1, 2], [2, 1], margin=0),
        "the margin is 0; give a positive number, the smallest difference of interest",
    ),
    (
        lambda: compare.tost([1, 2], [2, 1], margin=1, alpha=0.6),
        "alpha is 0.6; give a number between 0 and 0.5, both excluded, as 0.025",
    ),
    (
        lambda: compare.wilcoxon([1, 2], [2, 1], zeros="split"),
        "zeros 'split' is not known; it is one of 'zsplit', 'wilcox', 'pratt'",
    ),
    (
        lambda: compare.wilcoxon([1, 2], [2, 1], alpha=5),
        "alpha is 5; give a number between 0 and 1, both excluded, as 0.05",
    ),
]


@pytest.mark.parametrize(("call", "text"), REFUSED)
def test_refusals(call: object, text: str) -> None:
    with pytest.raises(DataError) as e:
        call()  # type: ignore[operator]
    assert str(e.value) == text


def test_one_sided_p_values_of_many_pairs_are_half_the_two_sided() -> None:
    """The normal approximation is symmetric, and the mean lies on the side that is tested."""
    d = np.random.default_rng(0).normal(0.1, 1, MAX_UNTIED_PAIRS + 1)
    p_value, distribution = one_sided_signed_rank(d)
    ranks = stats.rankdata(np.abs(d))
    assert ranks[d > 0].sum() > ranks[d < 0].sum()
    assert distribution == "normal"
    assert p_value == pytest.approx(stats.wilcoxon(d, method="asymptotic").pvalue / 2, rel=1e-12)
