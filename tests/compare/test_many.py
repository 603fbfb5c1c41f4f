"""Many classifiers over many data sets: Demšar's example, SciPy, scikit-posthocs, and invariances."""

from __future__ import annotations

from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from deabench import compare, datasets
from deabench.compare.adjustment import adjust_p_values, true_hypothesis_counts
from deabench.errors import DataError, DataWarning

ORACLE = pd.read_csv(Path(__file__).parents[1] / "oracles" / "comparison_oracles.csv").set_index(
    "quantity"
)["value"]
TABLE = datasets.load("demsar2006-auc")


def oracle(quantity: str) -> float:
    return float(ORACLE[quantity])


def pair_oracle(first: str, second: str) -> list[float]:
    row = next(q for q in ORACLE.index if q.startswith(f"{first} vs {second}:"))
    return [float(part) for part in ORACLE[row].split("|")]


def test_demsars_ranks_and_omnibus_tests() -> None:
    found = compare.friedman(TABLE)
    for name, value in found.mean_ranks.items():
        assert value == pytest.approx(oracle(f"avg rank {name}"), abs=5e-13)
    tests = found.tests
    plain, corrected = "Demšar's formula, no tie correction", "tie-corrected"
    assert tests.loc[f"Friedman ({plain})", "statistic"] == pytest.approx(
        oracle("Friedman chi2 (Demsar formula, no tie correction)"), abs=5e-13
    )
    assert tests.loc[f"Iman-Davenport ({plain})", "statistic"] == pytest.approx(
        oracle("Iman-Davenport FF"), abs=5e-13
    )
    assert tests.loc[f"Iman-Davenport ({plain})", "p_value"] == pytest.approx(
        oracle("FF p"), abs=5e-13
    )
    assert tests.loc[f"Iman-Davenport ({plain})", "distribution"] == "F(3, 39)"
    assert tests.loc[f"Friedman ({corrected})", "statistic"] == pytest.approx(
        oracle("scipy friedmanchisquare (tie corrected) stat"), abs=5e-13
    )
    assert tests.loc[f"Friedman ({corrected})", "p_value"] == pytest.approx(
        oracle("scipy friedmanchisquare p"), abs=5e-13
    )
    printed = [
        tests.loc[f"{test} ({plain})", "statistic"] for test in ("Friedman", "Iman-Davenport")
    ]
    assert [f"{value:.2f}" for value in printed] == ["9.28", "3.69"]


def test_the_two_friedman_statistics_differ_by_the_tie_factor() -> None:
    found = compare.friedman(TABLE)
    chi2 = found.tests["statistic"]
    assert chi2.iloc[2] / found.tie_factor == pytest.approx(chi2.iloc[0], rel=1e-12)


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

    mine = compare.pairwise(TABLE, adjust="nemenyi").matrix()
    theirs = sp.posthoc_nemenyi_friedman(TABLE.to_numpy())
    assert mine.to_numpy() == pytest.approx(theirs.to_numpy(), abs=1e-9)


def test_against_a_control_holm_looks_at_k_minus_1_pairs() -> None:
    from statsmodels.stats.multitest import multipletests

    found = compare.pairwise(TABLE, control="C4.5").pairs
    assert found["first"].tolist() == ["C4.5"] * 3
    raw = [pair_oracle("C4.5", other)[1] for other in found["second"]]
    assert found["adjusted"].to_numpy() == pytest.approx(
        multipletests(raw, method="holm")[1], abs=5e-9
    )
    assert found["different"].tolist() == [True, False, True]


def test_a_control_in_the_middle_keeps_its_sign() -> None:
    found = compare.pairwise(TABLE, control="C4.5+cf").pairs.set_index("second")
    assert found.loc["C4.5+m", "statistic"] == pytest.approx(1.829812637, abs=5e-10)


def test_pairwise_wilcoxon_is_the_test_of_the_two_alone() -> None:
    found = compare.pairwise(TABLE, test="wilcoxon").pairs
    one = found[found["second"] == "C4.5+m+cf"].iloc[0]
    assert one["p_value"] == pytest.approx(0.014329878, abs=5e-10)
    assert (one["wins"], one["ties"], one["losses"]) == (2, 1, 11)


def test_shaffers_sets() -> None:
    """S(4) and S(5) as Shaffer (1986) has them."""
    assert true_hypothesis_counts(4) == {0, 1, 2, 3, 6}
    assert true_hypothesis_counts(5) == {0, 1, 2, 3, 4, 6, 10}


@given(
    st.integers(3, 5).flatmap(
        lambda k: st.tuples(
            st.just(k), st.lists(st.floats(0, 1), min_size=comb(k, 2), max_size=comb(k, 2))
        )
    )
)
@settings(max_examples=60, deadline=None)
def test_shaffer_lies_between_raw_and_holm_and_keeps_the_order(
    given_: tuple[int, list[float]],
) -> None:
    k, p = given_
    values = np.array(p)
    mine, holm = (
        compare.shaffer(values, k),
        adjust_p_values(values, "holm", k),
    )  # held against statsmodels elsewhere
    assert (mine <= holm + 1e-15).all()
    assert (mine >= values).all()
    assert (np.diff(mine[np.argsort(values, kind="stable")]) >= 0).all()


def brute_force_true_together(k: int) -> set[int]:
    """Every partition of k classifiers into classes of equals, by assigning each a class."""
    found = set()
    for code in range(k**k):
        classes = [code // k**i % k for i in range(k)]
        found.add(sum(a == b for a, b in combinations(classes, 2)))
    return found


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_shaffers_sets_by_brute_force(k: int) -> None:
    assert true_hypothesis_counts(k) == brute_force_true_together(k)


tables = st.integers(3, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 6), min_size=k, max_size=k), min_size=3, max_size=9)
)


def untied(rows: list[list[int]]) -> bool:
    return any(len(set(row)) > 1 for row in rows)


@given(tables.filter(untied), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_friedman_is_blind_to_order_and_to_monotone_transforms(
    rows: list[list[int]], random: object
) -> None:
    table = pd.DataFrame(rows, columns=[f"c{j}" for j in range(len(rows[0]))], dtype=float)
    before = compare.friedman(table)
    columns, order = list(table.columns), list(table.index)
    random.shuffle(columns)  # type: ignore[attr-defined]
    random.shuffle(order)  # type: ignore[attr-defined]
    after = compare.friedman(np.exp(table.loc[order, columns] / 3))
    assert after.mean_ranks[table.columns].to_numpy() == pytest.approx(
        before.mean_ranks.to_numpy(), rel=1e-12
    )
    statistics = before.tests["statistic"].to_numpy()
    assert after.tests["statistic"].to_numpy() == pytest.approx(statistics, rel=1e-8, abs=1e-9)
    turned = compare.friedman(-table, higher_is_better=False)
    pd.testing.assert_frame_equal(turned.tests, before.tests)
    assert before.mean_ranks.sum() == pytest.approx(len(columns) * (len(columns) + 1) / 2)
    assert (before.ranks.nunique(axis=1) == len(columns)).all() == (before.tie_factor == 1)


def test_lower_is_better_turns_ranks_and_winners() -> None:
    rng = np.random.default_rng(5)
    errors = pd.DataFrame(
        rng.normal(size=(30, 3)) * 0.1 + [0, 0.2, 0.4], columns=["low", "mid", "high"]
    )
    assert compare.compare(errors, higher_is_better=False).pairs["better"].tolist() == [
        "low",
        "low",
        "mid",
    ]
    assert compare.compare(errors).pairs["better"].tolist() == ["mid", "high", "high"]
    assert compare.compare(errors[["low", "high"]], higher_is_better=False).pairs[
        "better"
    ].tolist() == ["low"]
    assert compare.compare(errors[["low", "high"]]).pairs["better"].tolist() == ["high"]


def test_unanimous_data_sets_give_an_infinite_f() -> None:
    table = pd.DataFrame([[1, 2, 3]] * 12, columns=list("abc"), dtype=float)
    found = compare.friedman(table, method="asymptotic").tests
    assert found.loc["Iman-Davenport (tie-corrected)", ["statistic", "p_value"]].tolist() == [
        np.inf,
        0.0,
    ]
    assert found.loc["Friedman (tie-corrected)", "statistic"] == pytest.approx(24)
    exact = compare.friedman(table)
    assert exact.p_value == pytest.approx(6.0**-11, rel=1e-9)


def test_anova_is_statsmodels() -> None:
    import statsmodels.api as sm
    from statsmodels.formula.api import ols

    rng = np.random.default_rng(2)
    groups = {"a": rng.normal(0, 1, 8), "b": rng.normal(1, 1, 11), "c": rng.normal(0.5, 1, 6)}
    found = compare.anova(groups)
    long = pd.DataFrame(
        [(g, x) for g, values in groups.items() for x in values], columns=["g", "x"]
    )
    theirs = sm.stats.anova_lm(ols("x ~ g", long).fit())
    assert found.table["sum_of_squares"].to_numpy() == pytest.approx(
        theirs["sum_sq"].to_numpy(), rel=1e-10
    )
    assert found.table["df"].tolist() == theirs["df"].tolist()
    assert found.table["mean_square"].to_numpy() == pytest.approx(
        theirs["mean_sq"].to_numpy(), rel=1e-10
    )
    assert found.table.loc["between", ["F", "p_value"]].tolist() == pytest.approx(
        [theirs["F"].iloc[0], theirs["PR(>F)"].iloc[0]], rel=1e-10
    )
    assert found.eta_squared == pytest.approx(
        theirs["sum_sq"].iloc[0] / theirs["sum_sq"].sum(), rel=1e-10
    )
    assert found.means["a"] == pytest.approx(groups["a"].mean())


def test_anova_warns_where_its_assumptions_fail() -> None:
    rng = np.random.default_rng(0)
    groups = {"narrow": rng.normal(0, 0.01, 30), "wide": rng.exponential(5, 30)}
    with pytest.warns(DataWarning) as caught:
        found = compare.anova(groups)
    assert found.levene_p == pytest.approx(stats.levene(*groups.values()).pvalue)
    assert [str(w.message) for w in caught] == [
        f"Levene's test rejects equal variances of the groups (p = {found.levene_p:.4f}): "
        "the F test's p value is rough",
        f"Shapiro and Wilk's test rejects normal residuals (p = {found.shapiro_p:.4f}): the F test's p value is rough",
    ]


def test_bayesian_signed_rank_is_baycomps_and_turns_with_the_direction() -> None:
    from baycomp import SignedRankTest

    x, y = TABLE["C4.5+m+cf"].to_numpy(), TABLE["C4.5"].to_numpy()
    found = compare.bayesian_signed_rank(x, y, rope=0.01, samples=2000, seed=7)
    assert (found.first_better, found.equivalent, found.second_better) == SignedRankTest.probs(
        x, y, rope=0.01, nsamples=2000, random_state=7
    )
    assert found.first_better + found.equivalent + found.second_better == pytest.approx(1)
    assert found.first_better > 0.5 > found.second_better
    turned = compare.bayesian_signed_rank(
        x, y, rope=0.01, samples=2000, seed=7, higher_is_better=False
    )
    assert turned.first_better == found.second_better
    without = compare.bayesian_signed_rank(x, y, rope=0, samples=500)
    assert without.equivalent == 0
    assert without.first_better + without.second_better == pytest.approx(1)
    assert compare.bayesian_signed_rank(x, x + 1e-6, rope=0.01, samples=500).equivalent > 0.99


def test_bayesian_tests_need_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "baycomp", None)
    assert (
        compare.bayesian_signed_rank([1, 2, 3], [2, 3, 4], rope=0.1, samples=500).second_better
        > 0.9
    )


FRAME = pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0], "c": [3.0, 3.0]}, index=["x", "y"])
REFUSED = [
    (
        lambda: compare.friedman(FRAME[["a", "b"]]),
        "there are 2 classifiers (columns); give at least 3",
    ),
    (
        lambda: compare.friedman(FRAME.iloc[:1]),
        "there are 1 rows of scores; give at least 2 data sets or folds",
    ),
    (
        lambda: compare.friedman([[1, 2]]),
        "the scores are a list; give a DataFrame, data sets in rows, classifiers in columns",
    ),
    (
        lambda: compare.friedman(FRAME.mask(FRAME == 2)),
        "the score of 'b' on 'x' is 'nan'; give a finite number, or leave the row or the column out",
    ),
    (
        lambda: compare.friedman(FRAME.astype(object).replace(2.0, "high")),
        "the score of 'b' on 'x' is 'high'; give a finite number, or leave the row or the column out",
    ),
    (
        lambda: compare.friedman(FRAME.rename(index={"y": "x"})),
        "the row 'x' appears twice; give each a name of its own",
    ),
    (
        lambda: compare.friedman(FRAME.rename(columns={"b": "a"})),
        "the classifier 'a' appears twice; give each a name of its own",
    ),
    (
        lambda: compare.friedman(FRAME * 0),
        "all classifiers tie on every data set; there is nothing to test",
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
        lambda: compare.shaffer([0.1, 0.2], 3),
        "there are 2 p values; Shaffer's adjustment needs all 3 pairs of 3 classifiers",
    ),
    (
        lambda: compare.critical_difference(1, 9),
        "there are 1 classifiers and 9 data sets; give at least 2 of each",
    ),
    (
        lambda: compare.critical_difference(4, 9, test="dunn"),
        "test 'dunn' is not known; it is one of 'nemenyi', 'bonferroni-dunn'",
    ),
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
        lambda: compare.bayesian_signed_rank([1, 2], [2, 1], rope=-1),
        "the region of practical equivalence is -1; give a half-width of 0 or more",
    ),
    (
        lambda: compare.bayesian_signed_rank([1, 2], [2, 1], rope=0, samples=0),
        "the number of samples is 0; give a whole number of samples, 1 or more",
    ),
]


@pytest.mark.parametrize(("call", "text"), REFUSED)
def test_refusals(call: object, text: str) -> None:
    with pytest.raises(DataError) as e:
        call()  # type: ignore[operator]
    assert str(e.value) == text
