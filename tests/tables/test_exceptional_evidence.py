"""Evidence of directions that has exceptions: one arrow, coordinates, codes and infinite cells."""

from __future__ import annotations

import warnings

import pandas as pd
import pytest

import deabench as db

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def test_the_one_arrow_of_a_table_may_mark_the_exception() -> None:
    scores = {"model": ["a", "b", "c"], "BLEU": [36.0, 41.6, 42.6], "MetricX ↓": [4.1, 3.2, 2.4]}
    scores["chrF++"] = [36.5, 41.5, 44.5]
    table = db.read(pd.DataFrame({**scores, "XYZ": [94.1, 95.8, 94.3]}))
    assert table.guessed == ["XYZ"]
    # One other direction is no rule that the arrow makes an exception of.
    table = db.read(pd.DataFrame({**scores, "XYZ": [4.1, 5.8, 4.3]}).drop(columns="BLEU"))
    errors = {"model": ["a", "b", "c"], "TER ↓": [36.0, 41.6, 42.6]}
    table = db.read(pd.DataFrame({**errors, "XYZ": [44.1, 35.8, 34.3]}))
    assert table.lower_rates == ["TER ↓", "XYZ"]


def test_coordinates_are_no_qualities() -> None:
    places = pd.DataFrame(
        {
            "model": ["a", "b", "c"],
            "insight": [52.25, 61.5, 58.75],
            "x": [45.5, 44.25, 61.75],
            "y": [51.5, 66.25, 62.75],
        }
    )
    assert db.read(places).guessed == ["insight", "x", "y"]


def test_a_code_between_codes_is_no_statistic() -> None:
    teams = pd.DataFrame({"team": ["BOS", "MIN", "NYY"], "accuracy": [0.5, 0.7, 0.6]})
    assert db.read(teams).question is None
    methods = pd.DataFrame({"method": ["SVM", "MIN", "KNN"], "accuracy": [0.5, 0.7, 0.6]})
    for systems in (teams.assign(team=["Boston", "Min", "New York"]), methods):
        assert "statistic" in db.read(systems).question.text


def test_an_infinite_cell_is_named_once_without_a_warning_of_numpy() -> None:
    frame = pd.DataFrame(
        {
            "model": list("abcd"),
            "accuracy": [0.5, 0.7, 0.6, 0.9],
            "average": [0.5, 0.7, float("inf"), 0.6],
            "recall": [0.4, 0.2, float("inf"), 0.3],
        }
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        db.read(frame)


def test_metrics_that_a_heading_joins_share_its_first_words() -> None:
    frame = pd.DataFrame(
        {
            "model": ["a", "b"],
            "Market mAP/rank-1": ["87.6/94.8", "84.9/94.3"],
            "Duke mAP/rank-1": ["77.2/88.3", "77.5/87.8"],
        }
    )
    names = ["Market mAP", "Market rank-1", "Duke mAP", "Duke rank-1"]
    assert db.read(frame).outputs == names


@pytest.mark.parametrize(
    "heading", ["False positives/recall", "Training loss/accuracy", "Disk read/write"]
)
def test_words_before_one_of_two_metrics_are_its_own(heading) -> None:
    frame = pd.DataFrame({"model": list("abc"), heading: ["10/95", "12/90", "8/97"]})
    second = heading.split("/")[1]
    table = db.read(frame)
    assert second in [*table.outputs, *table.lower_rates, *table.costs, *table.left_out]


@pytest.mark.parametrize("text", ["Runtime in seconds (lower is better)", "Lower is better."])
def test_parts_of_the_data_are_no_qualities_where_lower_is_better(tmp_path, text) -> None:
    path = tmp_path / "board.md"
    rows = "| a | 12.1 | 20.1 |\n| b | 14.2 | 25.0 |\n| c | 3.3 | 7.0 |\n"
    path.write_text(f"## Results\n\n{text}\n\n| Model | easy | hard |\n|---|---|---|\n{rows}")
    assert db.read(path).lower_rates + db.read(path).costs == ["easy", "hard"]
    path.write_text(path.read_text().replace("| hard |", "| latency |"))
    assert db.read(path).outputs == ["easy"]
