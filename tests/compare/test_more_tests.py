"""Permutation, equivalence, Bayes, missing results, clusters, sample sizes: against independent
computations.
"""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from deabench import compare, datasets
from deabench.compare.sample_size import mcnemar_power, tango_power
from deabench.datasets import keel
from deabench.errors import DataError, DataWarning

TABLE = datasets.load("demsar2006-auc")
NAN = np.nan
ASSEMBLY = pd.DataFrame(
    [  # Skillings and Mack (1981), their example; its statistic is printed as 15.493
        [3.2, 4.1, 3.8, 4.2],
        [3.1, 3.9, 3.4, 4.0],
        [4.3, 3.5, 4.6, 4.8],
        [3.5, 3.6, 3.9, 4.0],
        [3.6, 4.2, 3.7, 3.9],
        [4.5, 4.7, 3.7, NAN],
        [NAN, 4.2, 3.4, NAN],
        [4.3, 4.6, 4.4, 4.9],
        [3.5, NAN, 3.7, 3.9],
    ],
    columns=list("abcd"),
)


@pytest.mark.parametrize("n", [4, 9])
def test_permutation_lists_all_signs(n: int) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.integers(0, 9, n) / 10, rng.integers(0, 9, n) / 10
    d = np.rint(10 * (x - y))
    sums = np.array([abs(np.dot(signs, d)) for signs in product((-1, 1), repeat=n)])
    found = compare.permutation(x, y)
    assert found.p_value == pytest.approx((sums >= abs(d.sum())).mean(), rel=1e-12)
    assert found.distribution == "all signs listed"


def test_permutation_draws_signs_above_seventeen_and_agrees_with_scipy() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.normal(0.4, 1, 30), rng.normal(0, 1, 30)
    found = compare.permutation(x, y)
    theirs = stats.permutation_test(
        (x - y,), np.mean, permutation_type="samples", n_resamples=20_000, rng=1
    ).pvalue
    assert abs(found.p_value - theirs) < 5 * (2 * theirs * (1 - theirs) / 20_000) ** 0.5
    assert found.notes == ("the p value comes from 20000 random signs (seed 0)",)
    table = pd.DataFrame({"x": x, "y": y, "z": rng.normal(size=30)})
    pairs = compare.pairwise(table, test="permutation").pairs
    assert pairs["p_value"].iloc[0] == found.p_value
    assert compare.permutation([1, 2, 3], [1, 2, 3]).p_value == 1


def test_wilcoxon_over_all_signs_is_scipys() -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        x, y = rng.integers(0, 5, 9).astype(float), rng.integers(0, 5, 9).astype(float)
        for zeros in ("zsplit", "wilcox", "pratt"):
            theirs = stats.wilcoxon(
                x, y, zero_method=zeros, method=stats.PermutationMethod(n_resamples=2**14)
            ).pvalue
            assert compare.wilcoxon(x, y, zeros=zeros).p_value == pytest.approx(theirs, rel=1e-10)  # type: ignore[arg-type]
        a, b = rng.normal(size=40), rng.normal(size=40)
        assert compare.wilcoxon(a, b).p_value == pytest.approx(
            stats.wilcoxon(a, b, method="exact").pvalue, rel=1e-9
        )


def test_tost_is_statsmodels() -> None:
    from statsmodels.stats.weightstats import ttost_paired

    rng = np.random.default_rng(0)
    x = rng.normal(0.8, 0.05, 15)
    y = x + rng.normal(0.002, 0.01, 15)
    found = compare.tost(x, y, margin=0.02)
    assert found.p_value == pytest.approx(ttost_paired(x, y, -0.02, 0.02)[0], rel=1e-9)
    assert found.equivalent
    assert not found.different
    assert -found.lower < 0.02
    assert found.upper < 0.02
    assert compare.tost(x, y, margin=0.001).equivalent is False
    corrected = compare.tost(x, y, margin=0.02, ratio=1 / 9)
    assert corrected.p_value > found.p_value
    assert "equivalent within 0.02 at 0.05" in found.summary().splitlines()[0]


def test_tost_at_the_level_where_the_interval_touches_the_margin() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=12), rng.normal(size=12)
    found = compare.tost(x, y, margin=0.9)
    touching = compare.tost(x, y, margin=0.9, alpha=found.p_value)
    assert max(abs(touching.lower), abs(touching.upper)) == pytest.approx(0.9, rel=1e-9)


def test_tost_by_ranks_is_scipys_two_one_sided_tests() -> None:
    d = np.random.default_rng(5).normal(0.1, 1, 14)
    found = compare.tost(d, np.zeros(14), margin=1, test="wilcoxon")
    sides = (
        stats.wilcoxon(d + 1, alternative="greater").pvalue,
        stats.wilcoxon(d - 1, alternative="less").pvalue,
    )
    assert found.p_value == pytest.approx(max(sides), rel=1e-10)


def test_tost_by_ranks_lists_all_signs_under_ties() -> None:
    d = np.array([0.1, 0.1, -0.1, 0.0, 0.2, 0.5, -0.5, 0.1])
    found = compare.tost(d, np.zeros(8), margin=0.5, test="wilcoxon")
    sides = []
    for x in (np.round(d + 0.5, 12), np.round(0.5 - d, 12)):
        ranks = stats.rankdata(np.abs(x))
        moving = ranks[x != 0]
        sums = np.array(
            [moving[np.array(signs)].sum() for signs in product((False, True), repeat=len(moving))]
        )
        sides.append((sums >= ranks[x > 0].sum() - 1e-9).mean())
    assert found.p_value == pytest.approx(max(sides), rel=1e-12)
    assert (
        compare.tost([1, 2, 3, 4, 5], [1, 2, 3, 4, 5], margin=0.1, test="wilcoxon").p_value
        == 2.0**-5
    )


def test_bayesian_correlated_t_is_baycomps() -> None:
    from baycomp import CorrelatedTTest

    rng = np.random.default_rng(3)
    x, y = rng.normal(0.80, 0.02, 20), rng.normal(0.79, 0.02, 20)
    found = compare.bayesian_correlated_t(x, y, rope=0.01, ratio=1 / 9)
    assert (found.first_better, found.equivalent, found.second_better) == pytest.approx(
        CorrelatedTTest.probs(x, y, rope=0.01, runs=2), rel=1e-9
    )
    turned = compare.bayesian_correlated_t(x, y, rope=0.01, ratio=1 / 9, higher_is_better=False)
    assert turned.first_better == pytest.approx(found.second_better)
    point = compare.bayesian_correlated_t([0.5, 0.6], [0.4, 0.5], rope=0.01, ratio=1)
    assert (point.first_better, point.notes) == (
        1.0,
        ("the difference is 0.1 on every fold: the posterior is that one point",),
    )


def test_two_classifiers_that_are_equal_everywhere_are_equivalent() -> None:
    found = compare.bayesian_signed_rank([0.5] * 20, [0.5] * 20, rope=0)
    assert (found.first_better, found.equivalent, found.second_better) == (0, 1, 0)
    assert found.notes == ("the two are equal on every data set",)


def test_bayesian_pairs_of_a_table() -> None:
    found = compare.bayesian(TABLE, rope=0.01, control="C4.5", threshold=0.6)
    one = compare.bayesian_signed_rank(TABLE["C4.5"], TABLE["C4.5+m"], rope=0.01)
    assert found.pairs["second_better"].iloc[0] == one.second_better
    assert (
        found.summary()
        .splitlines()[0]
        .startswith("3 of 3 pairs decided with probability 0.6 or more: 'C4.5+m' is better")
    )
    folds = compare.bayesian(TABLE.iloc[:10], rope=0.01, folds=10)
    assert folds.test == "Bayesian correlated t test"


def skillings_mack_by_hand(values: np.ndarray) -> float:
    """The statistic from the covariance of each data set's weighted ranks, summed, with an explicit
    generalised inverse.
    """
    k = values.shape[1]
    a, covariance = np.zeros(k), np.zeros((k, k))
    for row in values:
        there = np.flatnonzero(~np.isnan(row))
        size = len(there)
        a[there] += (12 / (size + 1)) ** 0.5 * (stats.rankdata(row[there]) - (size + 1) / 2)
        covariance[np.ix_(there, there)] += (
            size * np.eye(size) - 1
        )  # 12/(s + 1) times (s + 1)/12 (s I - 11')
    return float(a[:-1] @ np.linalg.solve(covariance[:-1, :-1], a[:-1]))


def test_skillings_macks_own_example() -> None:
    found = compare.skillings_mack(ASSEMBLY, method="asymptotic")
    assert found.statistic == pytest.approx(skillings_mack_by_hand(ASSEMBLY.to_numpy()), rel=1e-10)
    assert f"{found.statistic:.3f}" == "15.493"
    assert found.p_value == pytest.approx(stats.chi2.sf(found.statistic, 3), rel=1e-12)
    assert found.notes[0].startswith("4 of 36 scores are missing: the test assumes that")
    drawn = compare.skillings_mack(ASSEMBLY)
    assert drawn.p_value < 0.002
    assert drawn.distribution == "20000 random orders"


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
    few = full.iloc[:5, :3]
    exact = compare.friedman(few).p_value
    assert compare.skillings_mack(few).p_value == pytest.approx(
        exact, abs=5 * (exact * (1 - exact) / 20_000) ** 0.5
    )


def test_compare_takes_missing_results_where_asked() -> None:
    table = pd.DataFrame(
        np.random.default_rng(8).normal([0, 0, 1.5], size=(25, 3)), columns=list("abc")
    )
    table.iloc[0, 0] = table.iloc[1, 1] = NAN
    found = compare.compare(table, missing="skillings-mack")
    assert isinstance(found.omnibus, compare.SkillingsMack)
    both = table[["a", "c"]].dropna()
    row = found.pairs.set_index(["first", "second"]).loc[("a", "c")]
    assert row["p_value"] == compare.wilcoxon(both["a"].to_numpy(), both["c"].to_numpy()).p_value
    assert found.pairs["better"].tolist() == ["", "c", "c"]
    assert (row["wins"] + row["ties"] + row["losses"]) == 24
    assert found.plot().caption().startswith("Mean rank")


def test_one_bad_pair_does_not_stop_the_others() -> None:
    base = np.random.default_rng(0).normal(size=10)
    table = pd.DataFrame(
        {"a": base, "b": base - 0.1, "c": np.random.default_rng(1).normal(size=10) + 3}
    )
    found = compare.compare(table, folds=10)
    assert found.pairs["p_value"].isna().tolist() == [True, False, False]
    assert found.pairs["better"].tolist() == ["", "c", "c"]
    assert found.notes[0] == (
        "'a' and 'b' could not be tested (the difference is 0.1 on every pair: without spread a t test "
        "cannot judge it; use the signed-rank test); the other pairs are adjusted as if this had p = 1"
    )


def test_one_warning_for_all_pairs_far_from_normal() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(20, 12)), columns=[f"c{j}" for j in range(12)])
    table.iloc[0, :4] += [300, 90, 30, 900]
    with pytest.warns(DataWarning) as caught:
        compare.compare(table, folds=10)
    assert len(caught) == 1
    assert str(caught[0].message).startswith(
        "the differences of 'c0' and 'c1', 'c0' and 'c2', 'c0' and 'c3' and "
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare.compare(
            pd.DataFrame(rng.normal(size=(5, 30)), columns=[f"c{j}" for j in range(30)]), folds=5
        )


KEEL67 = [name for name in keel.table2().index if name != "echo"]


def test_the_keel_cuts_are_known_and_said() -> None:
    files = pd.Series(compare.keel_files(KEEL67))
    assert files[files.isin(["ecoli", "glass", "yeast"])].value_counts().to_dict() == {
        "ecoli": 18,
        "yeast": 14,
        "glass": 13,
    }
    table = pd.DataFrame(
        np.random.default_rng(0).normal(size=(67, 3)), index=KEEL67, columns=list("abc")
    )
    found = compare.compare(table)
    assert found.notes[-1] == (
        "59 of 67 data sets are cuts of 8 files (ecoli 18, yeast 14, glass 13 and 5 more) and not independent, so differences "
        "are found too often; clusters='keel' counts each file once"
    )
    clustered = compare.compare(table, clusters="keel")
    assert clustered.notes[-1] == "67 data sets count as 16 clusters, each with its mean scores"
    assert clustered.omnibus is not None
    assert len(clustered.omnibus.ranks) == 16


def test_cluster_means_by_hand() -> None:
    table = pd.DataFrame({"a": [1.0, 3.0, 5.0], "b": [0.0, 1.0, 2.0]}, index=["x1", "y", "x2"])
    found = compare.cluster_means(table, {"x1": "x", "x2": "x", "y": "y"})
    assert found.to_dict() == {"a": {"x": 3.0, "y": 3.0}, "b": {"x": 1.0, "y": 1.0}}


@pytest.mark.parametrize("method", ["mid-p", "exact", "asymptotic", "corrected"])
def test_power_of_mcnemar_by_listing_every_outcome(method: str) -> None:
    n, b, c = 14, 0.45, 0.1
    power = sum(
        stats.multinomial.pmf([x, y, n - x - y], n, [b, c, 1 - b - c])
        for x in range(n + 1)
        for y in range(n + 1 - x)
        if compare.mcnemar(x, y, n=n, method=method).p_value < 0.05
    )  # type: ignore[arg-type]
    assert mcnemar_power(n, b, c, 0.05, method) == pytest.approx(power, rel=1e-9)  # type: ignore[arg-type]


def test_power_of_mcnemar_in_the_literature() -> None:
    """G*Power's manual: odds ratio .25, 40 % discordant, 50 pairs, one-sided .05: .839343 (the
    other side adds 2e-5).
    """
    assert mcnemar_power(50, 0.08, 0.32, 0.1, "exact") == pytest.approx(0.839343, abs=3e-5)
    large = compare.sample_size_mcnemar(0.005, 0.007)
    psi, delta = 0.012, 0.002
    z = stats.norm.isf(0.025) * psi**0.5 + stats.norm.isf(0.2) * (psi - delta**2) ** 0.5
    assert large.n == int(np.ceil((z / delta) ** 2))
    assert large.notes == ("above 4000 instances by the normal approximation",)


@pytest.mark.parametrize("kind", ["noninferiority", "equivalence"])
def test_power_of_tango_by_listing_every_outcome(kind: str) -> None:
    from deabench import tango

    n, b, c = 25, 0.1, 0.06
    power = sum(
        stats.multinomial.pmf([x, y, n - x - y], n, [b, c, 1 - b - c])
        for x in range(n + 1)
        for y in range(n + 1 - x)
        if tango.test(x, y, n, 0.2, kind=kind, alpha=0.1).rejected
    )  # type: ignore[arg-type]
    assert tango_power(n, (b, c), 0.2, kind, 0.1) == pytest.approx(power, abs=1e-7)  # type: ignore[arg-type]


def test_the_sizes_found_have_the_power_and_the_next_smaller_has_not() -> None:
    found = compare.sample_size_mcnemar(0.15, 0.05)
    assert found.power >= 0.8 > mcnemar_power(found.n - 1, 0.15, 0.05, 0.05, "mid-p")
    shown = compare.sample_size_tango(0.05, 0.05, margin=0.08)
    assert shown.power >= 0.8 > tango_power(shown.n - 1, (0.05, 0.05), 0.08, "noninferiority", 0.05)


def test_the_size_for_an_auc_gives_delong_the_power() -> None:
    """Simulated: exponential scores, for which Hanley and McNeil's variance is exact; A = 0.75
    means a ratio of 3.
    """
    from deabench.metrics.roc_area import delong

    found = compare.sample_size_auc(0.75, power=0.8)
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [found.positives, found.negatives])
    hits = 0
    for _ in range(300):
        scores = rng.exponential(np.where(y == 1, 3.0, 1.0))
        one = delong(y, {"m": scores}, positive=1)
        hits += (one.auc["m"] - 0.5) / one.covariance.loc["m", "m"] ** 0.5 > stats.norm.isf(0.025)
    assert abs(hits / 300 - 0.8) < 0.1
    two = compare.sample_size_auc(0.75, against=0.8, correlation=0.5)
    assert two.n < compare.sample_size_auc(0.75, against=0.8, correlation=0).n


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
        lambda: compare.wilcoxon(pd.Series([1, 2], list("ab")), pd.Series([2, 1], list("ba"))),
        "the scores are Series with different indexes; bring them into one order (second.reindex(first.index)), or give plain "
        "arrays",
    ),
    (
        lambda: compare.friedman(TABLE.rename(columns={"C4.5": 1, "C4.5+m": "1"})),
        "the classifier '1' appears twice; give each a name of its own",
    ),
    (
        lambda: compare.compare(TABLE, folds=7, test="wilcoxon"),
        "folds of one data set are compared by the corrected t test, all scores present; leave test, clusters and missing out",
    ),
    (
        lambda: compare.skillings_mack(ASSEMBLY.assign(d=NAN)),
        "'d' shares no data set with another classifier; leave it out",
    ),
    (
        lambda: compare.skillings_mack(
            pd.DataFrame([[1, 2, NAN, NAN], [NAN, NAN, 1, 2]] * 3, columns=list("abcd"))
        ),
        "no chain of common data sets connects 'a' and 'c'; compare them in separate tables",
    ),
    (
        lambda: compare.cluster_means(TABLE, {}),
        "the data set 'adult (sample)' has no cluster; give every row of the table one",
    ),
    (
        lambda: compare.cluster_means(TABLE, dict.fromkeys(TABLE.index, "x")),
        "all data sets are in the cluster 'x'; give at least 2 clusters",
    ),
    (
        lambda: compare.cluster_means(TABLE, ["x"] * 14),
        "the clusters are a list; give a mapping of data set to cluster, or 'keel'",
    ),
    (
        lambda: compare.cluster_means(TABLE, "uci"),
        "the clusters are 'uci'; give a mapping of data set to cluster, or 'keel'",
    ),
    (
        lambda: compare.compare(TABLE, folds="7"),
        "the number of folds is '7'; give a whole number of folds, 0 or more",
    ),
    (
        lambda: compare.bayesian(TABLE, rope=0.1, folds=4),
        "14 rows are not whole repeats of 4-fold cross-validation; give every fold a row",
    ),
    (
        lambda: compare.critical_difference("4", 9),
        "k is '4'; give a whole number of classifiers, 0 or more",
    ),
    (lambda: compare.from_long([1]), "the long table is a list; give a DataFrame"),
    (
        lambda: compare.sample_size_tango(0.1, 0.1, margin=0.3, alpha=0.7),
        "alpha is 0.7; give a number between 0 and 0.5, both excluded, as 0.025",
    ),
    (
        lambda: compare.tost([1, 2], [1, 2], margin=0.1),
        "the difference is 0 on every pair: without spread a t test cannot judge it; use test 'wilcoxon'",
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
        lambda: compare.sample_size_mcnemar(0.1, 0.1),
        "b and c are both 0.1: no number of instances shows a difference that is not there; give two shares that differ",
    ),
    (
        lambda: compare.sample_size_tango(0.1, 0.2, margin=0.05),
        "the expected difference -0.1 is not within the margin 0.05; no test set can show that it is, give a larger margin",
    ),
    (
        lambda: compare.sample_size_auc(0.7, against=0.7),
        "both AUCs are 0.7: no number of instances shows a difference that is not there; give two AUCs that differ",
    ),
]


@pytest.mark.parametrize(("call", "text"), REFUSED)
def test_refusals(call: object, text: str) -> None:
    with pytest.raises(DataError) as e:
        call()  # type: ignore[operator]
    assert str(e.value) == text


def test_every_result_has_one_face() -> None:
    from deabench.utils.result import Result

    with pytest.warns(DataWarning):
        found = compare.compare(TABLE)
    x, y = TABLE["C4.5"], TABLE["C4.5+m"]
    results = [
        found,
        compare.friedman(TABLE),
        compare.pairwise(TABLE),
        compare.wilcoxon(x, y),
        compare.permutation(x, y),
        compare.tost(x, y, margin=0.01),
        compare.bayesian_signed_rank(x, y, rope=0.01, samples=200),
        compare.bayesian_correlated_t(x, y, rope=0.01, ratio=1 / 9),
        compare.bayesian(TABLE.iloc[:10], rope=0.01, folds=10),
        compare.skillings_mack(ASSEMBLY),
        compare.anova({"a": [1, 2, 3], "b": [2, 4, 5]}),
        compare.sample_size_auc(0.8),
        compare.mcnemar(3, 9, n=50),
    ]
    for result in results:
        assert isinstance(result, Result)
        assert len(repr(result).splitlines()) <= 15
        assert result.to_frame().shape[0] > 0
        assert result.summary()
        assert isinstance(result.notes, tuple)
        assert result.to_csv().count("\n") > 1
        assert result == result
        assert "<table" in result._repr_html_()


def test_findings_come_first() -> None:
    with pytest.warns(DataWarning):
        lines = compare.compare(TABLE, control="C4.5").summary().splitlines()
    assert lines[0] == (
        "2 of the 3 pairs differ at 0.05: 'C4.5+m' is better than 'C4.5' (p = 0.0472), 'C4.5+m+cf' is better than "
        "'C4.5' (p = 0.0472)"
    )
    assert lines[1] == "all alike? Iman-Davenport F(3, 39) = 4.185, p = 0.01162"
    one = compare.mcnemar(3, 9, n=50).summary().splitlines()
    assert one[0] == "first minus second is -0.12, p = 0.09229: not found different at 0.05"
