"""Tango's interval and tests: the reference table, published values, theorems, bad input."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln, ndtri, xlogy
from scipy.stats import norm
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportion_confint

from deabench import tango
from deabench.errors import DataError

REFERENCE = pd.read_csv(
    Path(__file__).parent / "oracles" / "tango_reference.csv", dtype={"lower": str, "upper": str}
)
COMPUTED = REFERENCE[~REFERENCE["source"].str.startswith("PUBLISHED")]
PRINTED = REFERENCE[REFERENCE["source"].str.startswith("PUBLISHED")]


@st.composite
def triples(draw, most=10**6):
    n = draw(st.integers(1, most))
    b = draw(st.integers(0, n))
    return b, draw(st.integers(0, n - b)), n


@pytest.mark.parametrize("level", sorted(COMPUTED["level"].unique()))
def test_interval_equals_the_60_digit_inversion_to_1e_12(level):
    rows = COMPUTED[COMPUTED["level"] == level]
    lower, upper = tango.interval(rows["b"], rows["c"], rows["n"], 1 - level)
    np.testing.assert_allclose(lower, rows["lower"].astype(float), rtol=0, atol=1e-12)
    np.testing.assert_allclose(upper, rows["upper"].astype(float), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("b", "c", "n", "level", "lower", "upper"),
    PRINTED[["b", "c", "n", "level", "lower", "upper"]].to_numpy().tolist(),
)
def test_interval_rounds_to_the_published_digits(b, c, n, level, lower, upper):
    limits = tango.interval(b, c, n, 1 - level)
    for computed, printed in zip(limits, (lower, upper), strict=True):
        digits = len(printed.partition(".")[2])
        assert round(float(computed), digits) == float(printed)


@pytest.mark.parametrize(
    ("b", "c", "n", "lower", "upper"),
    [
        (1, 7, 21, -0.5172322764, -0.0260030325),  # Fagerland, Lydersen and Laake 2014
        (25, 2, 102, 0.1391825463, 0.3213297506),  # Chang 2024
        (
            40,
            20,
            160,
            0.0308645331,
            0.2180642442,
        ),  # the example of R's PropCIs, whose scoreci.mp is of (c - b)/n
        (3, 0, 3, -0.1229940635, 1.0),
    ],
)
def test_interval_equals_values_printed_elsewhere(b, c, n, lower, upper):
    np.testing.assert_allclose(tango.interval(b, c, n), (lower, upper), rtol=0, atol=5.1e-11)


def test_boundary_cases_have_their_closed_forms():
    n = np.array([1, 2, 3, 10, 1000, 10**6])
    g = ndtri(0.025) ** 2
    for (b, c), (lower, upper) in {
        (0, 0): (-g / (n + g), g / (n + g)),
        ("n", 0): ((n - g) / (n + g), np.ones_like(n)),
        (0, "n"): (-np.ones_like(n), (g - n) / (n + g)),
    }.items():
        interval = tango.interval(n if b == "n" else b, n if c == "n" else c, n)
        np.testing.assert_allclose(interval, (lower, upper), rtol=0, atol=1e-15)
        assert interval[0].shape == n.shape
    b = np.array([1, 2, 50])
    half_width = np.sqrt(g * (2 * b + g)) / (200 + g)
    np.testing.assert_allclose(
        tango.interval(b, b, 200), (-half_width, half_width), rtol=0, atol=1e-15
    )


@given(st.integers(0, 5000), st.integers(1, 5000))
def test_with_c_zero_the_upper_limit_is_wilsons(b, n):
    b = min(b, n)
    wilson = proportion_confint(b, n, alpha=0.05, method="wilson")[1]
    assert abs(tango.interval(b, 0, n)[1] - wilson) < 1e-12


@given(triples(), st.sampled_from([0.001, 0.01, 0.05, 0.2, 0.5]))
def test_limits_invert_the_score_statistic(counts, alpha):
    z = -ndtri(alpha / 2)
    for limit, sign in zip(tango.interval(*counts, alpha), (1, -1), strict=True):
        if abs(limit) < 1:  # a limit of -1 or 1 is the edge of the parameter space, not a root
            step = 1e-9 * (1 + abs(limit))
            around = tango.statistic(*counts, np.clip([limit - step, limit + step], -1, 1))
            assert around[0] >= sign * z - 1e-12 or around[0] == np.inf
            assert around[1] <= sign * z + 1e-12


@given(triples(), st.floats(1e-6, 0.999))
def test_interval_stays_inside_and_holds_the_estimate(counts, alpha):
    b, c, n = counts
    lower, upper = tango.interval(b, c, n, alpha)
    assert -1 <= lower < upper <= 1
    assert lower - 1e-15 <= (b - c) / n <= upper + 1e-15


@given(triples(), st.floats(0.001, 0.9))
def test_zero_is_inside_exactly_where_mcnemar_does_not_reject(counts, alpha):
    b, c, n = counts
    lower, upper = tango.interval(b, c, n, alpha)
    inside = (b - c) ** 2 <= ndtri(alpha / 2) ** 2 * (b + c)
    assert tango.contains_zero(b, c, alpha) == inside
    if min(abs(lower), abs(upper)) > 1e-15:
        assert (lower <= 0 <= upper) == inside


def test_zero_is_inside_exactly_where_mcnemar_does_not_reject_over_all_small_tables():
    n = 40
    b, c = np.array([(i, j) for i in range(n + 1) for j in range(n + 1 - i)]).T
    for alpha in (0.2, 0.1, 0.05, 0.01):
        lower, upper = tango.interval(b, c, n, alpha)
        assert (((lower <= 0) & (upper >= 0)) == tango.contains_zero(b, c, alpha)).all()


@given(triples(), st.floats(-1, 1))
def test_swapping_the_classes_mirrors_everything(counts, delta):
    b, c, n = counts
    lower, upper = tango.interval(b, c, n)
    np.testing.assert_allclose(tango.interval(c, b, n), (-upper, -lower), rtol=0, atol=1e-15)
    assert tango.statistic(b, c, n, delta) == -tango.statistic(c, b, n, -delta)


def test_the_coverage_is_near_nominal():
    n = 20
    b, c = np.array([(i, j) for i in range(n + 1) for j in range(n + 1 - i)]).T
    lower, upper = tango.interval(b, c, n)
    log_counts = gammaln(n + 1) - gammaln(b + 1) - gammaln(c + 1) - gammaln(n - b - c + 1)
    grid = np.linspace(0.02, 0.98, 21)
    covered = [
        np.exp(log_counts + xlogy(b, p) + xlogy(c, q) + xlogy(n - b - c, 1 - p - q))[
            (lower <= p - q) & (p - q <= upper)
        ].sum()
        for p in grid
        for q in grid
        if p + q < 1
    ]
    assert np.mean(covered) == pytest.approx(0.9565, abs=5e-4)
    assert min(covered) > 0.937


@given(triples(most=5000))
def test_the_statistic_falls_with_delta_and_is_mcnemars_at_zero(counts):
    b, c, n = counts
    T = tango.statistic(b, c, n, np.linspace(-1, 1, 401))
    assert (np.diff(T[np.isfinite(T)]) <= 1e-9).all()
    expected = (b - c) / np.sqrt(b + c) if b + c else 0.0
    assert tango.statistic(b, c, n) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_the_statistic_at_the_ends():
    assert tango.statistic(4, 2, 10, 1) == -np.inf
    assert tango.statistic(4, 2, 10, -1) == np.inf
    assert (
        tango.statistic(3, 0, 3, 1)
        == 0
        == tango.statistic(0, 3, 3, -1)
        == tango.statistic(0, 0, 5, 0)
    )


def test_two_sided_test_is_mcnemars_without_correction():
    result = tango.test(9, 3, 32)
    table = mcnemar([[0, 9], [3, 20]], exact=False, correction=False)
    assert result.p_value == pytest.approx(table.pvalue, abs=1e-14)
    assert result.statistic**2 == pytest.approx(table.statistic, abs=1e-12)
    assert not result.rejected
    assert result.hypothesis == "δ = 0"
    assert result.to_frame().loc["two-sided", "difference"] == 6 / 32


def test_noninferiority_is_tangos_printed_example():
    result = tango.test(0, 1, 44, 0.1, kind="noninferiority")  # Tango 1998, section 6.1: Z = 1.709
    assert result.statistic == pytest.approx(1.7085642859406607, abs=1e-12)
    assert result.p_value == pytest.approx(norm.sf(result.statistic), abs=1e-15)
    assert result.rejected
    assert (round(result.lower, 3), round(result.upper, 3)) == (
        -0.096,
        0.037,
    )  # his Table V, level 0.90
    assert result.hypothesis == "δ ≤ -0.1"
    assert tango.statistic(0, 1, 44, 0.1) == pytest.approx(-2.449, abs=5e-4)  # the sign trap


@given(triples(most=2000), st.floats(0.01, 0.6), st.floats(0.01, 0.4))
def test_one_sided_tests_agree_with_their_intervals(counts, margin, alpha):
    better = tango.test(*counts, margin, kind="noninferiority", alpha=alpha)
    result = tango.test(*counts, margin, kind="equivalence", alpha=alpha)
    if abs(better.p_value - alpha) > 1e-9:
        assert better.rejected == (better.lower > -margin)
    if abs(result.p_value - alpha) > 1e-9:
        assert result.rejected == (-margin < result.lower and result.upper < margin)
    assert result.p_value >= better.p_value
    assert result.p_value == pytest.approx(
        norm.sf(abs(result.statistic))
        if abs(result.difference) < margin
        else norm.cdf(abs(result.statistic)),
        abs=1e-12,
    )


def test_superiority_is_noninferiority_with_no_margin():
    result = tango.test(16, 8, 86, 0, kind="noninferiority")
    assert result.hypothesis == "δ ≤ 0"
    assert result.p_value == pytest.approx(tango.test(16, 8, 86).p_value / 2, abs=1e-15)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tango.interval(-1, 2, 10), "b is -1; a count is a whole number >= 0"),
        (
            lambda: tango.interval([1, 2.5], 2, 10),
            "b is 2.5 at position 1; a count is a whole number >= 0",
        ),
        (lambda: tango.interval(1, np.nan, 10), "c is nan; a count is a whole number >= 0"),
        (
            lambda: tango.interval(1, 2, [[4, 0]]),
            "n is 0 at position 0, 1; a count is a whole number >= 1",
        ),
        (lambda: tango.interval(1, 2, np.inf), "n is inf; a count is a whole number >= 1"),
        (
            lambda: tango.interval([1, 6], [2, 5], 10),
            "b + c is 11 at position 1, more than n = 10; the discordant pairs are among the n",
        ),
        (
            lambda: tango.interval("x", 2, 10),
            "b, c, n are not numbers of one shape; give counts, all of one length",
        ),
        (
            lambda: tango.interval([1, 2], [1, 2, 3], 10),
            "b, c, n are not numbers of one shape; give counts, all of one length",
        ),
        (
            lambda: tango.interval(1, 2, 10, 0),
            "alpha is 0; give a number between 0 and 1, as 0.05 for a 95 % interval",
        ),
        (
            lambda: tango.interval(1, 2, 10, [0.05, 2]),
            "alpha is 2 at position 1; give a number between 0 and 1, as 0.05 for a 95 % interval",
        ),
        (
            lambda: tango.interval([1, 2, 3], 2, 10, [0.05, 0.1]),
            "alpha has shape (2,) and the counts (3,); give one alpha, or one for each",
        ),
        (
            lambda: tango.interval(1, 2, 10, "x"),
            "alpha is 'x'; give a number between 0 and 1, as 0.05 for a 95 % interval",
        ),
        (
            lambda: tango.interval(1, 2, 10, 1),
            "alpha is 1; give a number between 0 and 1, as 0.05 for a 95 % interval",
        ),
        (
            lambda: tango.interval(1, 2, 10, 95),
            "alpha is 95; give a number between 0 and 1, as 0.05 for a 95 % interval",
        ),
        (lambda: tango.contains_zero(1, -2), "c is -2; a count is a whole number >= 0"),
        (
            lambda: tango.statistic(1, 2, 10, [0, 1.5]),
            "delta is 1.5; give a difference of proportions in [-1, 1]",
        ),
        (
            lambda: tango.test(1, 2, 10, np.nan),
            "delta is nan; give a difference of proportions in [-1, 1]",
        ),
        (
            lambda: tango.test([1, 2], 2, 10),
            "test takes one table of counts; give three plain numbers, or use statistic for arrays",
        ),
        (
            lambda: tango.test(1, 2, 10, 0, kind="equivalence"),
            "the margin delta is 0; give a number between 0 and 1",
        ),
        (
            lambda: tango.test(1, 2, 10, -0.1, kind="noninferiority"),
            "the margin delta is -0.1; give a number between 0 and 1",
        ),
        (
            lambda: tango.test(1, 2, 10, 0.1, kind="superiority"),
            "kind is 'superiority'; it is 'two-sided', 'equivalence' or 'noninferiority'",
        ),
        (
            lambda: tango.test(1, 2, 10, 0.1, kind="equivalence", alpha=0.5),
            "alpha is 0.5; give one between 0 and 0.5 to a one-sided test",
        ),
    ],
)
def test_bad_counts_are_refused(call, message):
    with pytest.raises(DataError) as error:
        call()
    assert str(error.value) == message


def test_alpha_is_broadcast():
    alphas = [0.2, 0.1, 0.05, 0.01]
    lower, upper = tango.interval([[9], [0]], 3, 32, alphas)
    for i, b in enumerate((9, 0)):
        for j, alpha in enumerate(alphas):
            assert (lower[i, j], upper[i, j]) == tango.interval(b, 3, 32, alpha)


def test_interval_refuses_counts_of_other_lengths_and_impossible_counts() -> None:
    with pytest.raises(DataError) as error:
        tango.interval([1, 2], [1, 2, 3], 10)
    assert "are not numbers of one shape; give counts, all of one length" in str(error.value)
    with pytest.raises(DataError, match=r"^b \+ c is 12, more than n = 10; "):
        tango.interval(7, 5, 10)
