"""What reports refuse, sentence by sentence."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd

import deabench as db
from deabench.report.changes import compare_reports
from deabench.report.study_sections import overall_means

TABLE = pd.DataFrame(
    {"TPR": [0.9, 0.8, 0.7, 0.6], "TNR": [0.5, 0.6, 0.9, 0.95]},
    index=pd.Index(list("abcd"), name="model"),
)


def test_reports_without_a_ranking_are_neither_compared_nor_set(refused: Any) -> None:
    report = db.report(TABLE, outputs=["TPR", "TNR"])
    empty = dataclasses.replace(report, results=None)
    message = (
        "the {} report holds no ranking to compare; give a table, a ranking, or a report of one"
    )
    with refused(message.format("first")):
        compare_reports(empty, report)
    with refused(message.format("second")):
        compare_reports(report, empty)
    with refused("a saved ranking holds no metrics for a paper's table; give the table"):
        empty.to_latex(columns=1)


def test_a_table_is_tested_against_one_reference(refused: Any) -> None:
    with refused("with a reference the table itself is tested; leave out tested"):
        db.report(TABLE, outputs=["TPR", "TNR"], reference=TABLE, tested=TABLE)


def test_the_means_of_a_study_are_those_of_all_data_sets(refused: Any) -> None:
    index = pd.MultiIndex.from_tuples(
        [("type", "S1", "a"), ("all", "all", "a"), ("all", "all", "b")],
        names=["grouping", "group", "classifier"],
    )
    means = pd.DataFrame({"TPR": [0.1, 0.2, 0.3], "datasets": [1, 2, 2]}, index=index)
    summary = SimpleNamespace(frames=lambda: {"means": means})
    assert overall_means(summary).to_dict() == {"TPR": {"a": 0.2, "b": 0.3}}
    for frames in ({}, {"means": means.iloc[:1]}):
        with refused("the study has no means over all data sets; there is nothing to report"):
            overall_means(SimpleNamespace(frames=lambda frames=frames: frames))


def test_a_report_is_not_written_over_its_table(tmp_path: Path, refused: Any) -> None:
    path = tmp_path / "table.csv"
    TABLE.to_csv(path)
    report = db.report(path)
    with refused(f"the report was made from '{path}'; write it to another file"):
        report.save(path)


def test_a_target_is_of_a_row(refused: Any) -> None:
    result = db.targets(TABLE, TABLE, outputs=["TPR", "TNR"])
    with refused("there is no row 'z'; there are 'a', 'b', 'c', 'd'"):
        result.explain("z")
