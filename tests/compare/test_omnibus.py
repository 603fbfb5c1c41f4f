"""Skillings-Mack and analysis of variance against independent computations."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from compare_cases import ASSEMBLY
from scipy import stats

from deabench import compare
from deabench.compare.omnibus import LISTED_CLASSIFIERS, _draw_orders
from deabench.errors import DataError, DataWarning

NAN = np.nan


def skillings_mack_by_hand(values: np.ndarray) -> float:
    """The statistic from the covariance of each data set's weighted ranks, summed, with an explicit
    generalised inverse.
    """
    k = values.shape[1]
    a, covariance = np.zeros(k), np.zeros((k, k))
    for row in values:
        indices = np.flatnonzero(~np.isnan(row))
        size = len(indices)
        a[indices] += (12 / (size + 1)) ** 0.5 * (stats.rankdata(row[indices]) - (size + 1) / 2)
        covariance[np.ix_(indices, indices)] += (
            size * np.eye(size) - 1
        )  # 12/(s + 1) times (s + 1)/12 (s I - 11')
    return float(a[:-1] @ np.linalg.solve(covariance[:-1, :-1], a[:-1]))


def test_anova_is_statsmodels() -> None:
    import statsmodels.api as sm
    from statsmodels.formula.api import ols

    rng = np.random.default_rng(2)
    groups = {"a": rng.normal(0, 1, 8), "b": rng.normal(1, 1, 11), "c": rng.normal(0.5, 1, 6)}
    result = compare.anova(groups)
    long = pd.DataFrame(
        [(g, x) for g, values in groups.items() for x in values], columns=["g", "x"]
    )
    expected = sm.stats.anova_lm(ols("x ~ g", long).fit())
    assert result.table["sum_of_squares"].to_numpy() == pytest.approx(
        expected["sum_sq"].to_numpy(), rel=1e-10
    )
    assert result.table["df"].tolist() == expected["df"].tolist()
    assert result.table["mean_square"].to_numpy() == pytest.approx(
        expected["mean_sq"].to_numpy(), rel=1e-10
    )
    assert result.table.loc["between", ["F", "p_value"]].tolist() == pytest.approx(
        [expected["F"].iloc[0], expected["PR(>F)"].iloc[0]], rel=1e-10
    )
    assert result.eta_squared == pytest.approx(
        expected["sum_sq"].iloc[0] / expected["sum_sq"].sum(), rel=1e-10
    )
    assert result.means["a"] == pytest.approx(groups["a"].mean())


def test_anova_warns_where_its_assumptions_fail() -> None:
    rng = np.random.default_rng(0)
    groups = {"narrow": rng.normal(0, 0.01, 30), "wide": rng.exponential(5, 30)}
    with pytest.warns(DataWarning) as caught:
        result = compare.anova(groups)
    assert result.levene_p == pytest.approx(stats.levene(*groups.values()).pvalue)
    assert [str(w.message) for w in caught] == [
        f"Levene's test rejects equal variances of the groups (p = {result.levene_p:.4f}): "
        "the F test's p value is rough",
        f"Shapiro and Wilk's test rejects normal residuals (p = {result.shapiro_p:.4f}): the F "
        "test's p value is rough",
    ]


def test_skillings_macks_own_example() -> None:
    result = compare.skillings_mack(ASSEMBLY, method="asymptotic")
    assert result.statistic == pytest.approx(skillings_mack_by_hand(ASSEMBLY.to_numpy()), rel=1e-10)
    assert f"{result.statistic:.3f}" == "15.493"
    assert result.p_value == pytest.approx(stats.chi2.sf(result.statistic, 3), rel=1e-12)
    assert result.notes[0].startswith("4 of 36 scores are missing: the test assumes that")
    simulated = compare.skillings_mack(ASSEMBLY)
    assert simulated.p_value < 0.002
    assert simulated.distribution == "20000 random orders"


def test_skillings_mack_without_gaps_is_friedman_and_balanced_is_durbin() -> None:
    import scikit_posthocs as sp

    full = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 4)), columns=list("abcd"))
    assert compare.skillings_mack(full).statistic == pytest.approx(
        stats.friedmanchisquare(*full.to_numpy().T).statistic, rel=1e-10
    )
    table = pd.DataFrame(
        [[1, 2, 3, NAN], [2, 3, NAN, 1], [3, NAN, 1, 2], [NAN, 3, 2, 1.0]], columns=list("abcd")
    )
    assert compare.skillings_mack(table).statistic == pytest.approx(
        sp.test_durbin(table.to_numpy())[1], rel=1e-10
    )
    small_table = full.iloc[:5, :3]
    exact = compare.friedman(small_table).p_value
    assert compare.skillings_mack(small_table).p_value == pytest.approx(
        exact, abs=5 * (exact * (1 - exact) / 20_000) ** 0.5
    )


REFUSED = [
    (lambda: compare.anova({"a": [1, 2]}), "there are 1 groups; give at least 2"),
    (
        lambda: compare.anova({"a": [1], "b": [1, 2]}),
        "group 'a' has shape (1,); give at least 2 numbers in each group",
    ),
    (
        lambda: compare.anova({"a": [1, np.inf], "b": [1, 2]}),
        "group 'a' contains inf; give finite numbers",
    ),
    (
        lambda: compare.anova({"a": [1, 1], "b": [2, 2]}),
        "no group has any spread; the analysis of variance is undefined, give groups that vary",
    ),
    (
        lambda: compare.skillings_mack(ASSEMBLY.assign(d=NAN)),
        "'d' shares no data set with another system; leave it out",
    ),
    (
        lambda: compare.skillings_mack(
            pd.DataFrame([[1, 2, NAN, NAN], [NAN, NAN, 1, 2]] * 3, columns=list("abcd"))
        ),
        "no chain of common data sets connects 'a' and 'c'; compare them in separate tables",
    ),
]


@pytest.mark.parametrize(("call", "text"), REFUSED)
def test_refusals(call: object, text: str) -> None:
    with pytest.raises(DataError) as e:
        call()  # type: ignore[operator]
    assert str(e.value) == text


def test_the_worst_everywhere_has_mean_rank_k_whatever_is_missing() -> None:
    """Mean ranks are shares of the ranks that each data set has, stretched to 1 ... k."""
    table = pd.DataFrame(
        {
            "a": [0.9, 0.9, 0.8, NAN, 0.9],
            "b": [0.8, 0.8, 0.9, 0.8, 0.8],
            "c": [0.7, NAN, 0.7, 0.7, 0.7],
            "d": [NAN, 0.7, NAN, 0.9, 0.75],
        }
    )
    always_worst = table.assign(e=0.1)
    means = compare.skillings_mack(always_worst).mean_ranks
    assert means["e"] == 5
    always_best = table.assign(e=1.0)
    assert compare.skillings_mack(always_best).mean_ranks["e"] == 1


def test_a_data_set_with_one_score_is_ignored() -> None:
    values = [[1, 2, 3], [2, 1, np.nan], [np.nan, np.nan, 1], [1, 3, 2], [3, 1, 2]]
    table = pd.DataFrame(values, columns=list("abc"))
    result = compare.skillings_mack(table)
    assert result.notes == (
        "3 of 15 scores are missing: the test assumes that this does not depend on how good they "
        "would be",
        "1 of 5 data sets have fewer than 2 scores and are ignored",
    )
    without = compare.skillings_mack(table.drop(index=2))
    assert result.to_frame()["statistic"].tolist() == without.to_frame()["statistic"].tolist()


def test_orders_of_many_values_are_drawn_one_by_one() -> None:
    """Each draw holds every value once, and each value is first in a ninth of the draws."""
    values = np.arange(LISTED_CLASSIFIERS + 1.0)
    orders = _draw_orders(values, np.random.default_rng(0))
    assert (np.sort(orders, axis=1) == values).all()
    share = 1 / len(values)
    error = np.sqrt(share * (1 - share) / len(orders))
    first = np.bincount(orders[:, 0].astype(int)) / len(orders)
    np.testing.assert_allclose(first, share, atol=4 * error)
