"""Results as the paragraph of a paper."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import deabench as db

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    noise = np.random.default_rng(0).normal(0, 0.02, (20, 3))
    return pd.DataFrame(np.add(noise, [0.7, 0.8, 0.81]), columns=["a_1", "b", "c"])


def test_the_test_of_the_whole_and_the_adjustment():
    """Demšar's table: F(3, 39) = 4.185 with ties; W = 10.228 / (14 · 3)."""
    text = db.compare.compare(db.datasets.load("demsar2006-auc")).report()
    assert text == (
        "Friedman's test with Iman and Davenport's correction found differences among the 4 "
        "systems over 14 data sets (F(3, 39) = 4.185, p = .012, Kendall's W = .24 (small); "
        "mean ranks: C4.5+m+cf 1.96, C4.5+m 2.00, C4.5+cf 2.89, C4.5 3.14). For all 6 pairs p "
        "values of the mean ranks were adjusted by Shaffer's static procedure (family-wise level "
        ".05). No difference was significant (smallest adjusted p = .094)."
    )


def test_each_pair_has_an_effect_its_interval_and_a_word(scores):
    result = db.compare.compare(scores, test="wilcoxon")
    text = result.report()
    row = result.pairs.iloc[0]
    wins, losses = row["losses"], row["wins"]  # b against a_1
    assert f"b was better than a_1 (adjusted p < .001; better on {wins}, tied on 0" in text
    low, high = stats.binomtest(int(wins), 20).proportion_ci(method="wilson")
    limits = ", ".join(f"{x:.2f}".removeprefix("0") for x in (low, high))
    assert f"A = {wins / 20:.2f} (large), 95 % CI [{limits}]".replace("0.", ".") in text
    assert losses + wins == 20


def test_a_control_names_the_family(scores):
    text = db.compare.compare(scores, control="c").report()
    assert "For 2 comparisons with c p values of the mean ranks were adjusted by Holm's" in text


def test_folds_are_not_counted_as_data_sets(scores):
    result = db.compare.compare(scores, folds=10)
    text = result.report()
    assert "data sets" not in text
    row = result.pairs.iloc[0]
    # The interval of the corrected t test, computed from the differences.
    differences = scores["b"] - scores["a_1"]
    error = np.sqrt((1 / 20 + 1 / 9) * differences.var(ddof=1))
    reach = stats.t(19).ppf(0.975) * error
    mean = differences.mean()
    assert row["difference"] == pytest.approx(-mean)
    assert f"difference {mean:.3g}, 95 % CI [{mean - reach:.3g}, {mean + reach:.3g}]" in text


def test_differences_on_one_test_set_keep_their_interval_when_they_are_turned():
    y = np.repeat([1, 0], 200)
    wrong = {"weak": slice(0, 120), "strong": slice(0, 20)}
    predictions = {}
    for name, errors in wrong.items():
        labels = y.copy()
        labels[errors] = 1 - labels[errors]
        predictions[name] = labels
    result = db.compare.on_one_test_set(y, predictions)
    row = result.pairs.iloc[0]
    assert (row["first"], row["difference"]) == ("weak", -0.25)
    expected = (
        f"strong was better than weak (adjusted p < .001; difference 0.25, 95 % CI "
        f"[{-row['upper']:.3g}, {-row['lower']:.3g}])."
    )
    assert result.report() == (f"The two were compared by McNemar's test (mid-p). {expected}")


def test_names_are_escaped_and_letters_are_set_off(scores):
    result = db.compare.compare(scores)
    markdown, latex = result.report("md"), result.report("latex")
    assert "c was better than a\\_1 \\(adjusted *p* \\< .001;" in markdown
    assert "c was better than a\\_1 (adjusted $p$ \\textless{} .001;" in latex
    hostile = scores.rename(columns={"b": "\ue000x\ue001 $&<b>", "c": "\\input{x}"})
    text = db.compare.compare(hostile).report("latex")
    assert "\\input{" not in text
    assert "$x$" not in text
    with pytest.raises(db.DataError, match="form"):
        result.report("docx")


def test_two_classifiers_and_an_equivalence(scores):
    text = db.compare.wilcoxon(scores["a_1"], scores["b"]).report()
    assert text.startswith("By the Wilcoxon signed-rank test (no zeros) the two systems differ")
    assert "rank-biserial correlation = -" in text
    assert text.endswith("(large).")


def test_nothing_is_called_different_where_the_whole_is_not():
    table = pd.DataFrame({"a": [3, 1, 2, 3.0], "b": [2, 3, 1, 1.0], "c": [1, 2, 3, 2.0]})
    text = db.compare.compare(table).report()
    assert "did not find differences among the 3 systems over 4 data sets" in text
    assert "No difference was significant" in text


def test_a_ranking_names_model_metrics_and_who_is_efficient():
    text = db.rank(db.datasets.load("chao2022-wine1"), outputs=["TPR", "TNR"]).report()
    assert text == (
        "7 systems were compared by data envelopment analysis (model wei (5)) with the outputs "
        f"TPR, TNR, computed by deabench {db.__version__} with HiGHS. 1 of 7 was efficient (MLP). "
        "The efficiency of the others ranged from 0.7650 (RBF) to 0.9938 (Bagging)."
    )


def test_a_ranking_with_samples_says_how_sure_it_is():
    y = np.repeat([1, 0], 500)
    good, bad = y.copy(), y.copy()
    bad[::3] = 1 - bad[::3]
    good[::50] = 1 - good[::50]
    frame = pd.DataFrame({"y_true": y, "good": good, "bad": bad})
    ranking = db.rank(frame)
    text = ranking.report()
    assert "At 95 % for all verdicts together, good efficient and bad dominated was shown." in text
    limits = ranking.uncertainty.to_frame().loc["bad", ["lower", "upper"]]
    assert f"bad {limits['lower']:.3f} to {limits['upper']:.3f}" in text


def test_other_results_have_no_paragraph():
    with pytest.raises(TypeError, match="Table has no paragraph"):
        db.read(pd.DataFrame({"TPR": [0.1, 0.2]}, index=["a", "b"])).report()


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_latex_names_chi_squared() -> None:
    """pdflatex has no letter χ."""
    values = np.random.default_rng(0).normal([0, 1, 2], size=(8, 3))
    result = db.compare.compare(pd.DataFrame(values, columns=list("abc")))
    text = result.report("latex")
    assert r"$\chi^2$ = " in text
    assert "χ" not in text
    assert "χ² = " in result.report()
    assert "*χ²* = " in result.report("md")


@pytest.mark.parametrize(
    ("margin", "words"),
    [(0.5, "were equivalent within 0.5"), (0.01, "were not shown to be equivalent within 0.01")],
)
def test_a_test_of_equivalence_says_within_which_margin(scores, margin, words):
    result = db.compare.tost(scores["b"], scores["c"], margin=margin)
    text = result.report()
    assert f"the two systems {words} (" in text
    # Two one-sided tests at 5 % go with an interval at 90 %.
    error = stats.sem(scores["b"] - scores["c"])
    low, high = stats.t.interval(0.9, 19, (scores["b"] - scores["c"]).mean(), error)
    assert f"CI [{low:.3g}, {high:.3g}]" in text


def test_pairs_alone_lead_with_who_wins_more_often(scores):
    """c is above a_1 everywhere, as is b: .7 beside .8 and .81, with a spread of .02."""
    assert (scores[["b", "c"]].min(axis=1) > scores["a_1"]).all()
    text = db.compare.pairwise(scores).report()
    assert text.startswith(
        "For all 3 pairs p values of the mean ranks were adjusted by Holm's procedure (family-wise "
        "level .05). c was better than a_1 (adjusted p < .001; better on 20, tied on 0, worse on 0 "
        "of 20 data sets, A = 1.00 (large)"
    )
    assert text.endswith("1 of the 3 differences was not significant.")


def test_the_clearest_pairs_are_reported_and_the_others_counted():
    """Eight systems .11 apart with a spread of .01: all orders are alike."""
    noise = np.random.default_rng(1).normal(0, 0.01, (30, 8))
    result = db.compare.compare(
        pd.DataFrame(noise + np.linspace(0.1, 0.9, 8), columns=[*"abcdefgh"])
    )
    different = int(result.pairs["different"].sum())
    text = result.report()
    assert text.count(" was better than ") == 6
    assert text.endswith(
        f"{different - 6} further pairs differed. {28 - different} of the 28 differences were not "
        "significant."
    )
    assert f"and {different - 5} more\n" in result.summary()


def test_a_table_with_gaps_names_the_test_that_allows_for_them(scores):
    gaps = scores.copy()
    gaps.iloc[0, 0] = gaps.iloc[1, 1] = np.nan
    result = db.compare.compare(gaps, missing="skillings-mack")
    statistic = result.omnibus.statistic
    assert result.report().startswith(
        "The test of Skillings and Mack, which allows for missing scores, found differences among "
        f"the 3 systems ({result.omnibus.distribution}, statistic {statistic:.4g}, p < .001). For "
        "all 3 pairs p values of "
    )


ZEROS = pd.DataFrame({"TPR": [0.9, 0.5, 0], "TNR": [0.4, 0.9, 0]}, index=list("abc"))


def test_rows_of_zeros_are_counted_as_not_scored():
    text = db.rank(ZEROS).report()
    assert text.endswith("2 of 3 were efficient (a, b). 1 could not be scored.")


@pytest.mark.slow
def test_the_page_counts_rows_of_zeros():
    page = db.report(ZEROS)
    ranking = next(section for section in page.sections if section.key == "ranking")
    assert "why no score" in ranking.tables[0].frame
    assert page.answer[-2:] == [
        "2 of 3 systems are efficient: a, b.",
        "No system is inefficient. 1 could not be scored.",
    ]
