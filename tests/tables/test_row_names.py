"""Which columns name the rows, where one name stands on several."""

from __future__ import annotations

import pandas as pd
import pytest

import deabench as db
from deabench.tables.recognition.layout import is_numbered

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def read_csv(tmp_path, text: str) -> db.Table:
    path = tmp_path / "board.csv"
    path.write_text(text, encoding="utf-8")
    return db.read(path)


def test_a_unique_column_beside_the_names_of_groups_names_the_rows() -> None:
    table = pd.DataFrame(
        {
            "Team": ["red", "red", "blue", "blue", "blue"],
            "Driver": list("abcde"),
            "accuracy": [0.9, 0.8, 0.7, 0.6, 0.5],
        }
    )
    assert db.read(table).label == ("Driver",)
    # Where most names are unique, they name the rows together.
    few = table.assign(Team=["red", "red", "blue", "green", "black"])
    assert db.read(few).label == ("Team", "Driver")


def test_a_text_does_not_tell_a_few_repeats_apart() -> None:
    names = [f"device {k}" for k in range(10)]
    table = pd.DataFrame(
        {
            "device": ["device 0", *names],
            "contributor": ["ann", "bob", *["ann"] * 9],
            "accuracy": [0.5 + k / 100 for k in range(11)],
        }
    )
    read = db.read(table)
    assert read.label == ("device",)
    assert list(read.frame.index)[:2] == ["device 0", "device 0 (2)"]
    # A setting does, and so does a text where many names repeat.
    assert db.read(table.assign(epochs=range(11))).label == ("device", "epochs")
    many = table.assign(
        device=[names[k // 2] for k in range(11)], contributor=["ann", "bob"] * 5 + ["x"]
    )
    assert db.read(many).label == ("device", "contributor")


def test_an_identifier_is_read_beside_a_name_that_repeats(tmp_path) -> None:
    rows = "".join(f"{10001 + 7 * k},clinic {k % 9},{k % 4},{0.5 + k / 40}\n" for k in range(10))
    table = read_csv(tmp_path, "facility_id,facility_name,count_of_visits,accuracy\n" + rows)
    assert table.label == ("facility_name", "facility_id")
    assert table.question is None


def test_what_is_called_by_a_metric_tells_no_rows_apart() -> None:
    table = pd.DataFrame(
        {
            "model": ["a", "a", "b", "b"],
            "Wattage": ["39 W", "45 W idle", "40 W", "44 W"],
            "accuracy": [0.9, 0.8, 0.7, 0.6],
        }
    )
    assert db.read(table).label == ("model",)


def test_numbers_that_are_joined_by_slashes_name_nothing(tmp_path) -> None:
    text = (
        ",SQuAD 1.1,MNLI,SST-2\nbase,90.2/83.2,84.6,92.9\nlarge,91.8/85.2,86.5,94.9\n"
        "base,89.3/82.3,81.6,90.3\n"
    )
    assert read_csv(tmp_path, text).label == ("Unnamed: 0",)


def test_row_numbers_name_nothing_beside_an_identifier(tmp_path) -> None:
    rows = "".join(f"{k},{k % 3 + 1},{2017 + k // 3},{0.5 + k / 40}\n" for k in range(6))
    table = read_csv(tmp_path, ",id,year,accuracy\n" + rows)
    assert table.question is not None
    assert table.question.answers["label"]["label"] == ("id", "year")


def test_a_column_of_the_label_is_asked_about_once(tmp_path) -> None:
    rows = "".join(f"{10040 + 60 * k},{39890 - 500 * k},{82461 + 900 * k}\n" for k in range(6))
    question = read_csv(tmp_path, "ident,xinput,yprod\n" + rows).question
    assert question is not None
    assert question.answers == {"label": {"label": ("ident",)}}
    assert "higher" not in question.text


def test_systems_that_have_nearly_all_data_sets_are_asked_about(tmp_path) -> None:
    pairs = [(name, size) for name in "abcd" for size in ("small", "medium", "large")]
    rows = "".join(f"{a},{size} file,{10 + k}\n" for k, (a, size) in enumerate(pairs[:-2]))
    question = read_csv(tmp_path, "lib,json size,MB/s\n" + rows).question
    assert question is not None
    assert question.answers["dataset"] == {"dataset": ("json size",)}


def test_names_with_bars_are_no_numbers() -> None:
    assert is_numbered(pd.Series(["4,893", "**12**", "/"]))
    assert not is_numbered(pd.Series(["1_2", "1_3"]))
    assert not is_numbered(pd.Series(["nan", "2"]))
    assert not is_numbered(pd.Series(["-", "/"]))


def test_a_text_below_the_name_of_a_count_names_the_rows(tmp_path) -> None:
    table = read_csv(tmp_path, ",Models,accuracy\n1,VGG16,95.1\n2,XNet,89.1\n3,ResNet18,89.3\n")
    assert table.label == ("Models",)


PANEL = "Hospital,Year,Beds,Staff,Cases\n" + "".join(
    f"{name},{year},{20 + k},{10 + k},{100 + 13 * k}\n"
    for k, (name, year) in enumerate((n, y) for n in "ABC" for y in (2019, 2020))
)


def test_years_tell_the_rows_of_a_panel_apart(tmp_path) -> None:
    table = read_csv(tmp_path, PANEL)
    assert table.label == ("Hospital", "Year")
    assert table.outputs == ["Cases"]
    assert "'Hospital' names several rows (3 repeats); 'Year' tells them apart" in " ".join(
        table.notes
    )
    # Years that repeat with a name tell nothing.
    repeated = read_csv(tmp_path, PANEL.replace("2020", "2019"))
    assert "Year" not in repeated.label
