"""Rows of chance and of humans tell which way rates are better."""

from __future__ import annotations

import pytest

import deabench as db

SYSTEMS = "A,61,52\nB,55,41\nC,72,66\nD,48,47\nE,66,59\n"


def read_board(tmp_path, rows, names="foo,bar"):
    path = tmp_path / "board.csv"
    path.write_text(f"model,{names}\n{rows}", encoding="utf-8")
    return db.read(path)


@pytest.mark.parametrize(
    ("row", "role"),
    [
        ("Random Chance,25,24\n", "output"),
        ("Random guessing,75,76\n", "lower_rate"),
        ("Human Expert (High),90,91\n", "output"),
    ],
)
def test_reference_row_tells_direction(tmp_path, row, role):
    table = read_board(tmp_path, row + SYSTEMS)
    assert [c.role for c in table.columns if c.name in ("foo", "bar")] == [role, role]
    assert table.question is None


@pytest.mark.parametrize(
    "rows",
    [
        SYSTEMS,
        # Systems may be better than humans, so that humans at the bottom tell nothing.
        "Human,10,12\n" + SYSTEMS,
        # Chance and humans on the same side contradict each other.
        "Chance,20,22\nHuman,95,11\n" + SYSTEMS.replace("61", "3"),
        # A random forest is a system, and so is a vote of the majority.
        "Random Forest,25,24\nMajority vote,26,23\n" + SYSTEMS,
        # Chance between the systems tells nothing.
        "Random Chance,56,50\n" + SYSTEMS,
    ],
)
def test_other_rows_leave_direction_open(tmp_path, rows):
    assert read_board(tmp_path, rows).question is not None


def test_human_level_keeps_overall_score(tmp_path):
    rows = "Human,90,91\n" + SYSTEMS
    table = read_board(tmp_path, rows, "overall,bar")
    assert table.outputs == ["overall", "bar"]
