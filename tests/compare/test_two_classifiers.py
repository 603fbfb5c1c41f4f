"""Two classifiers: the lecture's worked numbers, SciPy, statsmodels and mlxtend."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from dea_cases import examples
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from deabench import compare
from deabench.errors import DataError, DataWarning

NAN = np.nan


ORACLES = Path(__file__).parents[1] / "oracles"


WORKED = pd.read_csv(ORACLES / "lecture_comparisons.csv", keep_default_na=False)


DT1 = np.array([1200, 1219, 1103, 1213, 1258, 1325, 1295]) / 2000


DT2 = np.array([1247, 1098, 1185, 1087, 1377, 1363, 1121]) / 2000


def lecture() -> compare.Comparison:
    with pytest.warns(DataWarning) as caught:
        result = compare.two_error_rates(0.25, 5000, 0.15, 30)
    assert [str(w.message) for w in caught] == [
        "an error rate of 0.15 on 30 instances means 4.5 expected errors or hits, fewer than 5: "
        "the normal approximation is rough"
    ]
    return result


def worked(section: str, quantity: str) -> pd.Series:
    rows = WORKED[(WORKED["section"] == section) & WORKED["quantity"].str.startswith(quantity)]
    assert len(rows) == 1
    return rows.iloc[0]


def cells() -> pd.DataFrame:
    frame = pd.read_csv(ORACLES / "t_table_lecture.csv", dtype={"printed": str, "df": str})
    exact = [
        stats.norm.isf(p) if df == "inf" else stats.t.isf(p, int(df))
        for df, p in zip(frame["df"], frame["upper_tail_p"], strict=True)
    ]
    digits = frame["printed"].str.split(".").str[1].str.len()
    frame["right"] = [
        f"{value:.{n}f}" == printed
        for value, n, printed in zip(exact, digits, frame["printed"], strict=True)
    ]
    frame["exact"] = exact
    return frame


def test_the_lectures_two_models() -> None:
    result = lecture()
    assert result.difference == pytest.approx(0.1)
    sigma = result.difference / result.statistic
    assert 1.96 * sigma == pytest.approx(
        0.128339, abs=5e-7
    )  # the oracle rounds z to 1.96, as the lecture does
    assert (result.upper - result.lower) / 2 == pytest.approx(
        stats.norm.isf(0.025) * sigma, rel=1e-12
    )
    assert (
        f"{(result.upper - result.lower) / 2:.3f}"
        == worked("Illustrative example", "95% margin")["printed"]
    )
    assert (round(result.lower, 4), round(result.upper, 4)) == (-0.0283, 0.2283)
    assert f"{result.statistic:.3f}" == worked("Illustrative example (cont.)", "z limit")["printed"]
    assert result.statistic == pytest.approx(1.527207, abs=5e-7)


def test_the_attained_confidence_is_two_sided_and_the_lectures_is_not() -> None:
    row = worked("Illustrative example (cont.)", "confidence 1-alpha")
    assert row["verdict"] == "erratum"
    result = lecture()
    assert result.attained == pytest.approx(0.873290, abs=5e-7)
    assert round(1 - result.p_value / 2, 3) == float(
        row["printed"]
    )  # what is printed is Φ(z), one-sided


def test_two_error_rates_agree_with_statsmodels() -> None:
    from statsmodels.stats.proportion import confint_proportions_2indep, test_proportions_2indep

    result = compare.two_error_rates(37 / 200, 200, 61 / 220, 220, alpha=0.1)
    oracle = test_proportions_2indep(37, 200, 61, 220, method="wald")
    assert (result.statistic, result.p_value) == pytest.approx(
        (oracle.statistic, oracle.pvalue), rel=1e-12
    )
    interval = confint_proportions_2indep(37, 200, 61, 220, method="wald", alpha=0.1)
    assert (result.lower, result.upper) == pytest.approx(interval, rel=1e-12)


def test_at_the_attained_level_the_interval_ends_at_zero() -> None:
    result = compare.two_error_rates(0.3, 100, 0.2, 150)
    assert compare.two_error_rates(0.3, 100, 0.2, 150, alpha=result.p_value).lower == pytest.approx(
        0, abs=1e-14
    )


def test_the_lectures_seven_folds() -> None:
    result = compare.paired_t(DT1, DT2)
    assert result.difference == pytest.approx(0.009643, abs=5e-7)
    assert result.statistic == pytest.approx(0.434546, abs=5e-7)
    assert result.p_value == pytest.approx(0.679085, abs=5e-7)
    assert (result.lower, result.upper) == pytest.approx((-0.044656, 0.063941), abs=5e-7)
    assert result.difference / result.effect == pytest.approx(0.058711, abs=5e-7)  # s
    oracle = stats.ttest_rel(DT1, DT2)
    interval = oracle.confidence_interval(0.95)
    assert (result.statistic, result.p_value, result.lower, result.upper) == pytest.approx(
        (oracle.statistic, oracle.pvalue, interval.low, interval.high), rel=1e-10
    )


def test_the_lectures_multiplier_is_of_seven_degrees_of_freedom_where_six_are_right() -> None:
    row = worked("7-fold example", "t multiplier")
    assert row["verdict"] == "erratum"
    assert float(row["printed"]) == round(stats.t.isf(0.025, 7), 3)
    result = compare.paired_t(DT1, DT2)
    multiplier = (result.upper - result.difference) / (result.difference / result.effect / 7**0.5)
    assert multiplier == pytest.approx(2.446912, abs=5e-7)
    printed = worked("7-fold example", "interval with")
    assert (printed["verdict"], printed["printed"]) == ("erratum", "[-0.042,0.061]")
    assert (
        round(0.0095 - 2.365 * 0.0589 / 7**0.5, 3),
        round(0.0095 + 2.365 * 0.0589 / 7**0.5, 3),
    ) == (-0.043, 0.062)


def test_the_lectures_folds_corrected() -> None:
    result = compare.corrected_t(DT1, DT2, ratio=1 / 6)
    assert result.statistic == pytest.approx(0.295216, abs=5e-7)
    assert (result.upper - result.lower) / 2 == pytest.approx(0.079925, abs=5e-7)


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=3, max_size=20),
    st.floats(0.01, 2),
)
@examples(60)
def test_the_correction_shrinks_t_by_its_factor(
    pairs: list[tuple[float, float]], ratio: float
) -> None:
    x, y = np.array(pairs).T
    if np.ptp(x - y) < 1e-3:
        return
    original, corrected = compare.paired_t(x, y), compare.corrected_t(x, y, ratio=ratio)
    assert corrected.statistic * (1 + ratio * len(x)) ** 0.5 == pytest.approx(
        original.statistic, rel=1e-9, abs=1e-12
    )
    swapped = compare.corrected_t(y, x, ratio=ratio)
    assert (swapped.statistic, swapped.lower) == pytest.approx(
        (-corrected.statistic, -corrected.upper), abs=1e-12
    )


def test_corrected_t_agrees_with_baycomps_correlated_t() -> None:
    """The Bayesian correlated t test has the same distribution: its tail is the p value."""
    from baycomp import CorrelatedTTest

    p_left, right = CorrelatedTTest.probs(DT1, DT2, rope=0, runs=1)
    result = compare.corrected_t(DT1, DT2, ratio=1 / 6)
    assert min(p_left, right) == pytest.approx(result.p_value / 2, rel=1e-10)


def test_five_by_two_f_is_mlxtends() -> None:
    from mlxtend.evaluate import combined_ftest_5x2cv
    from sklearn.datasets import load_iris
    from sklearn.model_selection import train_test_split
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    x, y = load_iris(return_X_y=True)
    a, b = KNeighborsClassifier(1), DecisionTreeClassifier(max_depth=1, random_state=0)
    f, p = combined_ftest_5x2cv(a, b, x, y, random_seed=3)
    d, rng = [], np.random.RandomState(3)
    for _ in range(5):
        seed = rng.randint(low=0, high=32767)
        x1, x2, y1, y2 = train_test_split(x, y, test_size=0.5, random_state=seed)
        d.append(
            [
                a.fit(x1, y1).score(x2, y2) - b.fit(x1, y1).score(x2, y2),
                a.fit(x2, y2).score(x1, y1) - b.fit(x2, y2).score(x1, y1),
            ]
        )
    result = compare.five_by_two_f(d)
    assert (result.statistic, result.p_value) == pytest.approx((f, p), rel=1e-9)


@pytest.mark.parametrize(("b", "c"), [(0, 3), (1, 1), (5, 12), (30, 44), (7, 7), (0, 1)])
def test_mcnemar_against_statsmodels(b: int, c: int) -> None:
    from statsmodels.stats.contingency_tables import mcnemar

    table = [[10, b], [c, 10]]
    exact = compare.mcnemar(b, c, n=200, method="exact")
    assert exact.p_value == pytest.approx(mcnemar(table, exact=True).pvalue, rel=1e-10)
    original = mcnemar(table, exact=False, correction=False)
    result = compare.mcnemar(b, c, n=200, method="asymptotic")
    assert (result.statistic, result.p_value) == pytest.approx(
        (original.statistic, original.pvalue), rel=1e-10
    )
    if b != c:
        corrected = mcnemar(table, exact=False, correction=True)
        result = compare.mcnemar(b, c, n=200, method="corrected")
        assert (result.statistic, result.p_value) == pytest.approx(
            (corrected.statistic, corrected.pvalue), rel=1e-10
        )
    mid = compare.mcnemar(b, c, n=200).p_value
    point = stats.binom.pmf(min(b, c), b + c, 0.5)
    assert mid == pytest.approx(
        1 - point / 2 if b == c else 2 * stats.binom.cdf(min(b, c), b + c, 0.5) - point, rel=1e-10
    )
    assert mid <= exact.p_value


def test_the_mid_p_of_equal_counts_is_fagerlands() -> None:
    """Fagerland et al. (2013): where the two counts are equal, 1 - P/2; .75 for one and one."""
    assert compare.mcnemar(1, 1, n=10).p_value == pytest.approx(0.75, rel=1e-14)
    assert compare.mcnemar(0, 0, n=10).p_value == 1


def test_mcnemar_without_a_discordant_pair_says_so() -> None:
    result = compare.mcnemar(0, 0, n=10)
    assert (result.p_value, result.notes) == (
        1.0,
        ("the two classifiers are right on the same instances",),
    )


def test_the_lectures_t_table_cell_by_cell() -> None:
    """444 cells: 432 of t and 12 of z*; one of t and two of z* are wrong in print, and no other."""
    frame = cells()
    assert len(frame) == 444
    assert (frame["df"] != "inf").sum() == 432
    wrong = frame[~frame["right"]]
    assert [(r.df, r.upper_tail_p, r.printed) for r in wrong.itertuples()] == [
        ("18", 0.001, "3.611"),
        ("inf", 0.2, "0.841"),
        ("inf", 0.001, "3.091"),
    ]
    assert [round(value, 3) for value in wrong["exact"]] == [3.610, 0.842, 3.090]
    assert (wrong["verdict"] != "right").all()
    assert frame["recomputed"].to_numpy() == pytest.approx(frame["exact"].to_numpy(), abs=5.1e-7)


def test_the_intervals_use_the_tables_multipliers() -> None:
    """The t that `paired_t` multiplies by is the table's, for every df of it up to 100 and every
    tail.
    """
    frame = cells()
    rng = np.random.default_rng(0)
    for df, rows in frame[frame["df"] != "inf"].groupby("df"):
        if int(df) > 100:
            continue
        d = rng.normal(size=int(df) + 1)
        for p, exact in zip(rows["upper_tail_p"], rows["exact"], strict=True):
            result = compare.paired_t(d, np.zeros_like(d), alpha=2 * p)
            margin = (result.upper - result.lower) / 2
            assert margin / (d.std(ddof=1) / len(d) ** 0.5) == pytest.approx(exact, rel=1e-6)


REFUSED = [
    (
        lambda: compare.mcnemar(NAN, 0, n=10),
        "the count b is nan; give a whole number of instances, 0 or more",
    ),
    (
        lambda: compare.mcnemar("1", 0, n=10),
        "the count b is '1'; give a whole number of instances, 0 or more",
    ),
    (
        lambda: compare.mcnemar(1, None, n=10),
        "the count c is None; give a whole number of instances, 0 or more",
    ),
    (
        lambda: compare.mcnemar(1, 1, n=10, alpha=[0.05]),
        "alpha is [0.05]; give a number between 0 and 1, both excluded, as 0.05",
    ),
    (lambda: compare.two_error_rates("a", 5, 0.1, 5), "the error rate is 'a'; give a number"),
    (
        lambda: compare.paired_t(["x", "y"], [1, 2]),
        "the scores are not all numbers; give two sequences of finite numbers",
    ),
    (
        lambda: compare.two_error_rates(1.2, 10, 0.5, 10),
        "the error rate is 1.2; give a share between 0 and 1",
    ),
    (
        lambda: compare.two_error_rates(0, 10, 0, 10),
        "the error rates 0 and 0 leave no variance to test; use larger test sets",
    ),
    (
        lambda: compare.two_error_rates(0.5, 0, 0.5, 10),
        "the size of the test set is 0; give a whole number of instances, 1 or more",
    ),
    (
        lambda: compare.paired_t([1, 2], [1]),
        "the scores have shapes (2,) and (1,); give two sequences of the same length",
    ),
    (lambda: compare.paired_t([1], [1]), "there is 1 pair of scores; give at least 2"),
    (
        lambda: compare.paired_t([1, np.nan], [1, 2]),
        "pair 1 of the scores is (nan, 2); give finite numbers",
    ),
    (
        lambda: compare.paired_t([0.9, 0.7], [0.8, 0.6]),
        "the difference is 0.1 on every pair: without spread a t test cannot judge it; use the "
        "signed-rank test",
    ),
    (
        lambda: compare.paired_t([1, 2], [2, 1], alpha=5),
        "alpha is 5; give a number between 0 and 1, both excluded, as 0.05",
    ),
    (
        lambda: compare.corrected_t([1, 2], [2, 1], ratio=0),
        "the ratio of test to training size is 0; give a positive number, 1/9 for ten folds",
    ),
    (
        lambda: compare.five_by_two_f(np.zeros((2, 5))),
        "the differences have shape (2, 5); give five repeats of two folds, shape (5, 2)",
    ),
    (
        lambda: compare.five_by_two_f(np.full((5, 2), np.inf)),
        "a difference is missing or infinite; give ten finite numbers",
    ),
    (
        lambda: compare.five_by_two_f(np.ones((5, 2))),
        "the two folds agree in every repeat: without spread the 5x2cv F test is undefined; give "
        "repeats whose folds differ",
    ),
    (
        lambda: compare.mcnemar(-1, 2, n=9),
        "the count b is -1; give a whole number of instances, 0 or more",
    ),
    (
        lambda: compare.mcnemar(1, 2.5, n=9),
        "the count c is 2.5; give a whole number of instances, 0 or more",
    ),
    (
        lambda: compare.mcnemar(5, 5, n=9),
        "b + c is 10 of n = 9 instances; n counts the whole test set",
    ),
    (
        lambda: compare.mcnemar(1, 2, n=9, method="mid"),
        "method 'mid' is not known; it is one of 'exact', 'mid-p', 'asymptotic', 'corrected'",
    ),
]


@pytest.mark.parametrize(("call", "text"), REFUSED)
def test_refusals(call: object, text: str) -> None:
    with pytest.raises(DataError) as e:
        call()  # type: ignore[operator]
    assert str(e.value) == text
