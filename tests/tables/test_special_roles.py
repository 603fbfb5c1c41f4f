"""Undesirable outputs are inputs; given columns are declared and are no metrics."""

from __future__ import annotations

import pandas as pd
import pytest

import deabench as db

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")

PLANTS = pd.DataFrame(
    {
        "plant": list("abcd"),
        "gdp": [9.0, 8.0, 7.0, 6.0],
        "staff": [3.0, 2.0, 3.0, 4.0],
        "co2": [10.0, 1.0, 30.0, 5.0],
    }
)
NOTE = "'co2' is an undesirable output, taken as an input: lower is better"


@pytest.mark.parametrize("outputs", [["gdp"], ["gdp", "co2"]], ids=["left out", "named"])
def test_an_undesirable_output_is_an_input_and_said(outputs) -> None:
    table = db.read(PLANTS, roles={"co2": "undesirable"})
    assert table.undesirable == ("co2",)
    ranking = db.rank(table, outputs=outputs, inputs=["staff"])
    by_hand = db.rank(PLANTS, outputs=["gdp"], inputs=["staff", "co2"])
    assert ranking.scores.tolist() == by_hand.scores.tolist()
    assert ranking.notes[0] == NOTE
    assert not any("if the name is right" in note for note in ranking.notes)
    db.certify(ranking)
    assert set(db.frontier(table, outputs=outputs, inputs=["staff"]).outputs) == {
        "gdp",
        "staff",
        "co2",
    }


def test_by_itself_it_is_the_only_input() -> None:
    table = db.read(PLANTS.drop(columns="staff"), roles={"co2": "undesirable", "gdp": "output"})
    ranking = db.rank(table)
    assert list(ranking.data.inputs) == ["co2"]
    assert NOTE in ranking.notes


def test_a_given_column_is_declared_and_no_metric() -> None:
    table = db.read(PLANTS, roles={"staff": "non_discretionary", "gdp": "output"})
    assert table.non_discretionary == ("staff",)
    column = table.column("staff")
    assert column is not None
    assert (column.role, column.metric) == ("non_discretionary", False)


def test_texts_cannot_have_such_a_role(refused) -> None:
    table = PLANTS.assign(kind=["x", "y", "x", "y"])
    with refused("'kind' is declared undesirable and holds no numbers"):
        db.read(table, roles={"kind": "undesirable"})


def test_one_system_that_is_called_like_a_metric_does_not_turn_a_table() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0], "y": [0.0, 1.0]}, index=["far", "fine"])
    assert list(db.read(frame).frame) == ["x", "y"]
