"""Sentences of reports that say numbers: trade-off rates, units, single rows, saved rankings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.report.build import report_saved_ranking

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")

BOARD = pd.DataFrame(
    {
        "top1": [80.8, 76.9, 82.0, 83.1, 87.2, 90.1, 84.3],
        "param_count": [25.6, 5.3, 86.6, 38.9, 50.2, 305.1, 49.6],
        "latency_ms": [0.39, 0.13, 0.35, 0.22, 0.27, 9.8, 0.31],
    },
    index=list("abcdefg"),
)

LEADERBOARD = Path(__file__).parents[2] / "examples" / "leaderboard.csv"


def facets_table(report: db.Report) -> pd.DataFrame:
    section = next(section for section in report.sections if section.key == "facets")
    return section.tables[0].frame


def test_trade_off_rates_are_those_of_prices() -> None:
    board = db.read(LEADERBOARD)
    front = db.frontier(board)
    printed = facets_table(db.report(board))
    assert len(front.prices)
    for facet, row in front.prices.iterrows():
        name = f"{row['pay']} per {row['gain']}"
        if name in printed:
            assert printed.loc[facet, name] == pytest.approx(row["rate"], rel=1e-12)
    # Elsewhere the rate is that of the weights: infinite where the facet is flat in one of them,
    # and none where it is flat in both.
    for a, b in (("top1", "param_count"), ("top1", "latency_ms"), ("param_count", "latency_ms")):
        for facet, rate in printed[f"{b} per {a}"].items():
            u, v = front.facets.loc[facet, [a, b]].abs().astype(float)
            expected = u / v if v else np.nan if not u else np.inf
            assert rate == pytest.approx(expected, rel=1e-12, nan_ok=True)
    assert np.isfinite(printed["param_count per top1"]).any()


def test_the_method_names_the_unit_of_the_distance() -> None:
    text = db.report(BOARD).text("md").replace("\\", "")
    assert "distance l1, in shares of each metric's range; " in text
    rates = db.report(BOARD[["top1"]].assign(top5=BOARD["top1"] + 5)).text("md").replace("\\", "")
    assert "distance l1, each metric in its own unit; " in rates


def test_losses_alone_have_a_page_without_the_constant_output() -> None:
    losses = pd.DataFrame({"mae": [1, 2, 3, 2.5], "rmse": [2, 1.8, 3, 2.0]}, index=list("abcd"))
    report = db.report(losses)
    assert report.answer == [
        "Take a. If rmse counts more than 3 times mae, take b.",
        "a has mae 1.0 (the best), rmse 2.0 (best: 1.8, b). It is the best efficient one where all "
        "metrics count the same, each from its worst to its best value here. How sure that is "
        "cannot be said: there are neither samples nor intervals.",
        "2 of 4 systems are efficient: a, b.",
        "The other 2 are not: their efficiencies go from 0.611 to 0.900, and of the last, c, every "
        "input could shrink by 38.9 % together.",
    ]
    tables = [table.frame for section in report.sections for table in section.tables]
    assert not any("constant output" in table.columns for table in tables)
    assert "constant output" not in report.text("html").split("so every row has")[0]


def test_a_weakly_efficient_row_could_not_grow_by_nothing() -> None:
    table = pd.DataFrame({"acc": [0.9, 0.8, 0.9], "f1": [0.7, 0.9, 0.6]}, index=list("ABC"))
    ranking = db.rank(table)
    assert ranking.summary().split(". ")[1] == (
        "The last, C, has efficiency 1: nothing is left to gain in all metrics at once, but "
        "something in one of them."
    )
    assert "0.0 %" not in ranking.summary() + ranking.explain("C")


def test_one_row_and_one_layer_are_singular() -> None:
    frame = pd.DataFrame(
        {"efficiency": [1.0, 0.849], "rank": [1, 2], "efficient": [True, False]}, index=["a", "b"]
    )
    assert "The other one is not: its efficiency is 0.849." in report_saved_ranking(frame).answer
    alike = pd.DataFrame({"acc": [0.9, 0.8], "f1": [0.7, 0.9]}, index=list("AB"))
    assert db.layers(alike).summary() == "1 layer. Layer 1: A, B."
    assert db.report(alike).answer == [
        "Take A or B, which are equally good where all metrics count the same. If f1 counts more "
        "than acc, take B.",
        "A has acc 0.9 (the best), f1 0.7 (best: 0.9, B). It is the best efficient one where all "
        "metrics count the same, each from its worst to its best value here. How sure that is "
        "cannot be said: there are neither samples nor intervals.",
        "2 of 2 systems are efficient: A, B.",
        "No system is inefficient.",
    ]
    repeated = db.read(pd.DataFrame({"model": ["a", "b", "b"], "acc": [0.9, 0.8, 0.8]}))
    assert "1 row that repeats another one in every cell is left out" in repeated.notes


def test_an_efficient_row_of_a_directional_model_is_0_and_not_minus_0() -> None:
    text = db.rank(BOARD, model="ddf").to_csv()
    assert text is not None
    efficient = [line for line in text.splitlines() if line.endswith("True")]
    assert len(efficient) > 2
    assert all(line.split(",")[1] == "0.0" for line in efficient)


def test_the_sentences_on_targets_say_what_was_computed() -> None:
    board = db.read(LEADERBOARD).frame
    established, tested_one = board.drop(index="deit_base"), board.loc[["deit_base"]]
    for on in ("faces", "facets"):
        report = db.report(established, tested=tested_one, on=on, norm="linf")
        sections = {section.key: section for section in report.sections}
        own = sections["targets"].sentences[0]
        tested = sections["tested"].sentences[0]
        # As advice nothing gets worse, on mixtures that exist; a tested one has what was asked for.
        assert (
            "(linf) of the Pareto-efficient frontier's faces at which no metric gets worse" in own
        )
        assert f"(linf) of the Pareto-efficient frontier's {on}; a gap" in tested
        gaps = report.results.own_targets.gaps
        assert (gaps["top1"] >= -1e-9).all()
        assert (gaps[["param_count", "latency_ms"]] <= 1e-9).all(axis=None)


def test_a_ranking_of_two_levels_is_refused_and_its_table_is_not() -> None:
    index = pd.MultiIndex.from_product([["RF"], ["raw", "smote"]])
    table = pd.DataFrame({"TPR": [0.9, 0.8], "TNR": [0.7, 0.9]}, index=index)
    with pytest.raises(db.DataError, match="give the report the table that was ranked"):
        db.report(db.rank(table))
    assert db.report(table).data["labels"] == ["RF / raw", "RF / smote"]
