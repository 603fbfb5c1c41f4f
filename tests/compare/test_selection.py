"""The test that `compare` selects, its reason, and its warnings."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from compare_cases import ASSEMBLY, untied

from deabench import compare, datasets
from deabench.errors import DataError, DataWarning

TIES = (
    "4 of 14 data sets have tied systems, which take 9.3 % of the rank variance: read the "
    "tie-corrected tests; "
    "the pairwise ones are conservative"
)


def messages(caught: object) -> list[str]:
    return [str(w.message) for w in caught]  # type: ignore[attr-defined]


TABLE = datasets.load("demsar2006-auc")


NAN = np.nan


def test_nemenyi_of_two_is_their_p_value() -> None:
    table = datasets.load("demsar2006-auc").iloc[:, :2]
    pair = compare.compare(table, test="ranks", adjust="nemenyi").pairs.iloc[0]
    assert pair["adjusted"] == pytest.approx(
        pair["p_value"], rel=1e-9
    )  # the range of two is their difference


def test_many_classifiers_over_data_sets_use_friedman_and_shaffer() -> None:
    with pytest.warns(DataWarning) as caught:
        comparison = compare.compare(TABLE)
    assert messages(caught) == [TIES]
    assert comparison.test == (
        "Friedman with Iman-Davenport, then mean ranks of all pairs with Shaffer's static "
        "adjustment of "
        "6 p values"
    )
    assert comparison.reason.startswith("4 systems over 14 data sets: ranks assume no common scale")
    assert not comparison.pairs["different"].any()
    assert comparison.pairs["better"].tolist() == [""] * 6


def test_many_classifiers_against_a_control_use_holm() -> None:
    with pytest.warns(DataWarning):
        comparison = compare.compare(TABLE, control="C4.5")
    assert comparison.pairs["better"].tolist() == ["C4.5+m", "", "C4.5+m+cf"]
    assert comparison.test.endswith(
        "mean ranks against 'C4.5' with Holm's adjustment of 3 p values"
    )
    assert "Iman-Davenport F(3, 39) = 4.185, p = 0.01162" in comparison.summary()


def test_no_pair_differs_where_the_whole_does_not() -> None:
    comparison = compare.compare(untied(20, 4, seed=1))
    assert comparison.omnibus is not None
    assert comparison.omnibus.tests["p_value"].iloc[1] > 0.05
    assert not comparison.pairs["different"].any()
    assert (
        comparison.notes[1]
        == "the systems as a whole do not differ at 0.05, so no pair is called different"
    )


def test_few_data_sets_warn() -> None:
    with pytest.warns(DataWarning) as caught:
        compare.compare(untied(6, 3, 1.0))
    assert messages(caught) == ["6 data sets are few: only large differences are found"]


def test_two_classifiers_over_data_sets_use_wilcoxon() -> None:
    table = untied(12, 2, 3.0)
    comparison = compare.compare(table)
    assert comparison.test == "Wilcoxon signed-rank test (no zeros)"
    assert (
        comparison.reason
        == "2 systems over 12 data sets: the signed-rank test assumes no distribution of "
        "the scores"
    )
    assert comparison.pairs["p_value"].iloc[0] == compare.wilcoxon(table["c0"], table["c1"]).p_value
    assert comparison.pairs["better"].tolist() == ["c1"]
    assert compare.compare(table, control="c1").pairs[["first", "second"]].iloc[0].tolist() == [
        "c1",
        "c0",
    ]


def test_five_data_sets_can_never_reject() -> None:
    with pytest.warns(DataWarning) as caught:
        comparison = compare.compare(untied(5, 2, 9.0))
    assert messages(caught) == [
        "with 5 data sets the signed-rank test can never reject: its smallest p value is "
        "0.0625, not below alpha = 0.05; add data sets"
    ]
    assert comparison.pairs["p_value"].iloc[0] == 0.0625


def test_folds_of_one_data_set_use_the_corrected_t_test() -> None:
    table = untied(10, 3, 1.0, seed=3) / 10
    comparison = compare.compare(table, folds=10)
    assert (
        comparison.test
        == "corrected resampled t test (Nadeau-Bengio) of all pairs with Holm's adjustment of 3 "
        "p values"
    )
    result = compare.corrected_t(table["c0"], table["c1"], ratio=1 / 9)
    assert comparison.pairs["p_value"].iloc[0] == result.p_value
    assert comparison.omnibus is None
    assert len(compare.compare(table, folds=10, control="c2").pairs) == 2


def test_folds_far_from_normal_warn() -> None:
    x = np.r_[np.linspace(0, 0.01, 9), 1.0]
    with pytest.warns(DataWarning) as caught:
        compare.compare(pd.DataFrame({"a": x, "b": 0.0}), folds=10)
    text = "the differences of 'a' and 'b' over the folds are far from normal (Shapiro-Wilk"
    assert messages(caught)[0].startswith(text)
    assert messages(caught)[0].endswith("): the t test's p value is rough")


def test_two_data_sets_can_never_reject() -> None:
    with pytest.warns(DataWarning) as caught:
        comparison = compare.compare(
            pd.DataFrame([[1, 2, 3], [1, 2, 3]], columns=list("abc"), dtype=float)
        )
    assert [str(w.message) for w in caught] == [
        "with 2 data sets the test of the whole can never reject: its smallest p value is 0.167, "
        "not below alpha = 0.05; "
        "add data sets"
    ]
    assert not comparison.pairs["different"].any()
    assert (
        "with 2 data sets the pairs' p values are exact if all are alike, not approximations"
        in comparison.notes
    )


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


def test_compare_takes_missing_results_where_asked() -> None:
    table = pd.DataFrame(
        np.random.default_rng(8).normal([0, 0, 1.5], size=(25, 3)), columns=list("abc")
    )
    table.iloc[0, 0] = table.iloc[1, 1] = NAN
    comparison = compare.compare(table, missing="skillings-mack")
    assert isinstance(comparison.omnibus, compare.SkillingsMack)
    complete = table[["a", "c"]].dropna()
    row = comparison.pairs.set_index(["first", "second"]).loc[("a", "c")]
    assert (
        row["p_value"]
        == compare.wilcoxon(complete["a"].to_numpy(), complete["c"].to_numpy()).p_value
    )
    assert comparison.pairs["better"].tolist() == ["", "c", "c"]
    assert (row["wins"] + row["ties"] + row["losses"]) == 24
    assert comparison.plot().caption().startswith("Mean rank")


@pytest.mark.parametrize(("empty", "test"), [(True, "Skillings-Mack"), (False, "Iman-Davenport")])
def test_the_summary_says_what_the_test_of_all_found(empty: bool, test: str) -> None:
    table = pd.DataFrame(
        np.random.default_rng(8).normal([0, 0, 1.5], size=(25, 3)), columns=list("abc")
    )
    if empty:
        table.iloc[0, 0] = NAN
    comparison = compare.compare(table, missing="skillings-mack" if empty else "refuse")
    (line,) = [x for x in comparison.summary().splitlines() if x.startswith("all alike? ")]
    assert test in line
    assert f"p = {comparison.omnibus.p_value:.4g}" in line


def test_one_bad_pair_does_not_stop_the_others() -> None:
    base = np.random.default_rng(0).normal(size=10)
    table = pd.DataFrame(
        {"a": base, "b": base - 0.1, "c": np.random.default_rng(1).normal(size=10) + 3}
    )
    comparison = compare.compare(table, folds=10)
    assert comparison.pairs["p_value"].isna().tolist() == [True, False, False]
    assert comparison.pairs["better"].tolist() == ["", "c", "c"]
    assert comparison.notes[0] == (
        "'a' and 'b' could not be tested (the difference is 0.1 on every pair: without spread a "
        "t test "
        "cannot judge it; use the signed-rank test); the other pairs are adjusted as if this had "
        "p = 1"
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


def test_every_result_has_a_frame_a_summary_and_a_short_repr() -> None:
    from deabench.utils.result import Result

    with pytest.warns(DataWarning):
        comparison = compare.compare(TABLE)
    x, y = TABLE["C4.5"], TABLE["C4.5+m"]
    results = [
        comparison,
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


def test_summaries_begin_with_the_finding() -> None:
    with pytest.warns(DataWarning):
        lines = compare.compare(TABLE, control="C4.5").summary().splitlines()
    assert lines[0] == (
        "2 of the 3 pairs differ at 0.05: 'C4.5+m' is better than 'C4.5' (p = 0.0472), "
        "'C4.5+m+cf' is better than "
        "'C4.5' (p = 0.0472)"
    )
    assert lines[1] == "all alike? Iman-Davenport F(3, 39) = 4.185, p = 0.01162"
    summary_lines = compare.mcnemar(3, 9, n=50).summary().splitlines()
    assert (
        summary_lines[0] == "first minus second is -0.12, p = 0.09229: not found different at 0.05"
    )


REFUSED = [
    (
        lambda: compare.compare(TABLE, folds=7, test="wilcoxon"),
        "folds of one data set are compared by the corrected t test, all scores present; leave "
        "test, clusters and missing out",
    ),
    (
        lambda: compare.compare(TABLE, folds="7"),
        "the number of folds is '7'; give a whole number of folds, 0 or more",
    ),
]


@pytest.mark.parametrize(("call", "text"), REFUSED)
def test_refusals(call: object, text: str) -> None:
    with pytest.raises(DataError) as e:
        call()  # type: ignore[operator]
    assert str(e.value) == text
