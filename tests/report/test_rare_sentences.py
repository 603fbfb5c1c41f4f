"""Sentences and cells of reports that few results have."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench import compare, curves
from deabench.report import latex, page_data, paper, result_sections, study_sections
from deabench.report.document import ReportTable, to_json_cell
from deabench.report.recommendation import Alternative
from deabench.report.text import compare as compare_text
from deabench.report.text import journal
from deabench.report.text.ranking import explain_verdict
from deabench.report.text.report import _describe_condition
from deabench.report.text.weightings import describe_first

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def test_pairs_that_the_whole_does_not_allow_are_not_called_different() -> None:
    noise = np.random.default_rng(0).normal(0, 0.02, (20, 3))
    table = pd.DataFrame(np.add(noise, [0.7, 0.8, 0.81]), columns=list("abc"))
    result = compare.compare(table)
    assert result.pairs["adjusted"].min() < result.alpha
    stopped = replace(result, pairs=result.pairs.assign(different=False))
    assert stopped.report().endswith(
        "(family-wise level .05). As the test of the whole did not reject, no pair is called "
        "different."
    )


def test_pairs_and_verdicts_name_the_better_where_there_is_one() -> None:
    pair = pd.Series({"first": "a", "second": "b", "adjusted": 0.0123})
    assert compare_text._describe_pair(pair) == "'a' and 'b' (p = 0.0123)"
    pair["better"] = "b"
    assert compare_text._describe_pair(pair) == "'b' is better than 'a' (p = 0.0123)"
    shares = {"first_better": 0.96, "second_better": 0.03, "equivalent": 0.01}
    verdicts = [
        compare_text._describe_verdict(
            pd.Series({**shares, "first": "a", "second": "b", "verdict": v})
        )
        for v in ("a", "b", "equivalent")
    ]
    assert verdicts == [
        "'a' is better than 'b' (0.96)",
        "'b' is better than 'a' (0.03)",
        "'a' and 'b' are equivalent (0.01)",
    ]


def test_sizes_without_conventions_have_no_word_and_blanks_stay() -> None:
    """Kendall's W of .3 is medium by Cohen's .1, .3 and .5."""
    assert journal._magnitude("Kendall's W", 0.3) == " (medium)"
    assert journal._magnitude("Kendall's W", float("nan")) == ""
    assert journal._magnitude("an effect", 0.3) == ""
    assert journal._escape_words("  ", str.upper) == "  "
    assert journal._escape_words(" a b ", str.upper) == " A B "


def test_curves_without_a_segment_or_an_error_are_named() -> None:
    y = [1, 0] * 10
    varied = np.array(y) * 0.5 + np.random.default_rng(0).random(20)
    result = curves.compare_segments(y, {"a": varied, "b": [0.5] * 20})
    assert result.summary().startswith(
        "1 of 2 classifiers have a segment; 'a' has the smallest AveD, "
    )
    assert result.summary().endswith("; without a segment: 'b'")
    # One positive has no variance among positives.
    areas = db.metrics.delong([1, 0, 0, 0], {"a": [0.9, 0.1, 0.2, 0.3], "b": [0.1, 0.2, 0.3, 0.4]})
    assert areas.summary().startswith(
        "the largest of 2 areas under the ROC curve is 1, of 'a' (its standard error is not known)"
    )


def test_facets_are_counted_once_they_are_listed() -> None:
    table = pd.DataFrame({"TPR": [0.9, 0.5, 0.4], "TNR": [0.4, 0.9, 0.3]}, index=list("abc"))
    front = replace(db.frontier(table), precomputed_hull=None)
    assert front.summary() == (
        "2 of 3 systems are extreme on the frontier of TPR, TNR: 'a', 'b'. Its facets are not "
        "listed yet"
    )


def test_a_row_without_a_score_has_its_reason_for_a_verdict() -> None:
    table = pd.DataFrame({"TPR": [0.9, 0.5, 0], "TNR": [0.4, 0.9, 0]}, index=list("abc"))
    ranking = db.rank(table)
    reason = "c has no efficiency: every output of it is 0, and no factor makes more of nothing."
    assert explain_verdict(ranking, "c") == ranking.explain("c") == reason
    # Beside a page of many systems there is no room for sentences on each.
    assert page_data._explanations(ranking)[2] == reason
    many = SimpleNamespace(scores=range(page_data.MAX_STORY_CHARACTERS))
    assert page_data._explanations(many) is None


def test_an_unknown_system_to_explain_is_refused(refused) -> None:
    results = SimpleNamespace(
        metrics=pd.DataFrame(index=list("abc")), tested_targets=None, explained="d"
    )
    with refused("there is no system 'd' in the table; there are 'a', 'b', 'c'"):
        page_data._explained_row(results)
    results.explained = "b"
    assert page_data._explained_row(results) == 1
    # Tested algorithms come after the systems.
    results.tested_targets = SimpleNamespace(targets=pd.DataFrame(index=["e", "d"]))
    results.explained = "d"
    assert page_data._explained_row(results) == 4


def test_a_row_without_a_region_is_first_under_its_share() -> None:
    result = SimpleNamespace(
        winning_regions={}, ranks=pd.DataFrame({"first_share": [0.25]}, index=["a"])
    )
    assert describe_first(result, "a") == "is first under 25 % of the weightings"


def test_interval_of_each_system_by_itself() -> None:
    counts = pd.DataFrame(
        {"tp": [95, 88], "fn": [5, 12], "fp": [10, 12], "tn": [290, 288]}, index=list("ab")
    )
    uncertainty = db.uncertainty(db.Samples.from_counts(counts))
    alone = replace(uncertainty, simultaneous=False)
    assert "Intervals at 95 % for each system by itself, not all at once; k = 2" in alone.summary()
    unknown = replace(
        uncertainty, scores=uncertainty.scores * np.nan, lower=uncertainty.lower * np.nan
    )
    assert unknown.explain("a").startswith("'a' has no score. Undecided: this test set is about ")


def test_cells_are_what_json_holds() -> None:
    cells = [np.int64(3), np.float64("nan"), np.float64("-inf"), ("a", "b"), pd.NA, True, "x"]
    assert [to_json_cell(cell) for cell in cells] == [3, None, "-∞", "a, b", None, True, "x"]
    # Rows without a name have a column without a title.
    table = ReportTable("key", "caption", pd.DataFrame({"x": [1, np.nan]}))
    assert table.columns == ["", "x"]
    assert table.rows == [[0, 1.0], [1, None]]


def test_figures_and_numbers_of_a_paper() -> None:
    assert latex.figure_lines("a b.pgf", "cap", True) == [
        r"\begin{figure*}[htbp]",
        r"\centering",
        r"\resizebox{\linewidth}{!}{\input{a-b.pgf}}",
        r"\caption{cap}",
        r"\end{figure*}",
    ]
    numbers = [paper._plain_number(value, 2) for value in (np.inf, -np.inf, 0.5)]
    assert numbers == [r"{$\infty$}", r"{$-\infty$}", "0.50"]
    # A rate that is better low is complemented as an output, and printed as it is in the table.
    table = pd.DataFrame({"TPR": [0.9, 0.5], "err": [0.2, 0.1], "seconds": [1.0, 2.0]}, list("ab"))
    ranking = db.rank(db.read(table, lower_is_better={"err": 1.0}))
    assert paper._better_directions(ranking) == {"TPR": "max", "err": "min", "seconds": "min"}
    assert paper._better_directions(object()) == {}


def test_sections_of_what_is_not_there() -> None:
    assert study_sections._datasets_section({}) is None
    assert study_sections._failures_section({}) is None
    assert result_sections._installed_version("no-such-distribution") == "not installed"


def test_the_main_table_of_a_result_is_its_first_frame() -> None:
    """Pairs come before tests, and tests before other tables; a result without them is a frame."""
    pairs = pd.DataFrame({"first": ["a"], "second": ["b"], "p": [0.1]})
    tests = pd.DataFrame({"p": [0.2]}, index=["x"])
    other = pd.DataFrame({"p": [0.3]})
    tables = {
        "pairs": SimpleNamespace(pairs=pairs, tests=tests, table=other),
        "tests": SimpleNamespace(pairs=None, tests=tests, table=other),
        "table": SimpleNamespace(pairs=["no frame"], table=other),
        "frame": SimpleNamespace(to_frame=lambda: tests),
    }
    captions, frames = zip(*result_sections._test_frames("t", tables), strict=True)
    assert captions == ("t: pairs", "t: tests", "t: table", "t: frame")
    assert frames[0].index.tolist() == ["a"]
    assert [frame["p"].tolist() for frame in frames] == [[0.1], [0.2], [0.3], [0.2]]
    ((caption, _),) = result_sections._test_frames("t", {("a", 1): tables["tests"]})
    assert caption == "t: a, 1"


def test_efficiencies_are_called_exact_where_they_have_no_intervals() -> None:
    table = pd.DataFrame(
        {"TPR": np.linspace(0.9, 0.4, 6), "TNR": np.linspace(0.5, 0.9, 6)}, index=list("abcdef")
    )
    results = db.report(table).results
    assert results is not None
    exact = "The efficiencies have no intervals here"
    section = result_sections.ranking_section(results)
    assert [sentence.startswith(exact) for sentence in section.sentences] == [False, True]
    scores = results.ranking.scores
    limits = pd.DataFrame({"lower": scores - 0.1, "upper": scores})
    section = result_sections.ranking_section(replace(results, intervals=limits))
    assert [sentence.startswith(exact) for sentence in section.sentences] == [False]
    assert {"lower", "upper"} <= set(section.tables[0].frame.columns)


@pytest.mark.parametrize(
    ("factor", "words"),
    [
        (1.234, "more than 1.23 times b"),
        (12.34, "more than 12 times b"),
        (0.1234, "less than 0.12 times b"),
        (1.0, "more than b"),
    ],
)
def test_factors_near_1_have_a_digit_more(factor: float, words: str) -> None:
    alternative = Alternative("x", "a", factor)
    assert _describe_condition(alternative, ["a", "b"]) == f"a counts {words}"


def test_a_report_of_a_study_shows_its_tests() -> None:
    names = ["grouping", "group", "classifier"]
    means = pd.DataFrame(
        {"TPR": [0.9, 0.8, 0.7], "TNR": [0.7, 0.8, 0.9]},
        index=pd.MultiIndex.from_product([["all"], ["all"], list("abc")], names=names),
    )
    by_dataset = pd.concat({"x": means, "y": means}, names=["dataset"]).droplevel(names[:2])
    scores = pd.DataFrame({"a": [0.9, 0.8, 0.7], "b": [0.8, 0.7, 0.6], "c": [0.7, 0.6, 0.65]})
    tests = {"friedman": compare.friedman(scores)}
    for own, extra in ((tests, {}), ({}, {"tests": tests})):
        study = SimpleNamespace(
            frames=lambda: {"means": means, "metrics": by_dataset},
            left_out=(),
            notes=(),
            tests=own,
        )
        page = db.report(study, outputs=["TPR", "TNR"], extra=extra)
        assert "tests" in {section.key for section in page.sections}
