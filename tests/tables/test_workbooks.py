"""Sheets of workbooks by name, merged headers, and Parquet metadata."""

from __future__ import annotations

import re
import zipfile

import pandas as pd
import pytest

import deabench as db
from deabench.errors import DataError
from deabench.tables.readers.files import read_file
from deabench.tables.readers.limits import Limits

openpyxl = pytest.importorskip("openpyxl")
RESULTS = [["model", "acc", "ms"], ["a", 0.9, 12], ["b", 0.8, 5]]


def save(folder, sheets: dict[str, list[list[object]]], merged: dict[str, str] | None = None):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
        if merged and title in merged:
            sheet.merge_cells(merged[title])
    path = folder / "book.xlsx"
    book.save(path)
    return path


def test_the_first_sheet_with_results_is_read_and_the_others_are_named(tmp_path) -> None:
    people = [["First Name", "Team"], ["Ann", "x"], ["Bob", "y"]]
    path = save(tmp_path, {"People": people, "Scores": RESULTS, "Old": RESULTS})
    source = read_file(path)
    assert source.frame["model"].tolist() == ["a", "b"]
    assert source.sheet == "Scores"
    assert source.notes == (
        f"of the 3 sheets of '{path}', 'Scores', the first with results, is read; pass "
        "sheet='People' to read another: 'People', 'Old'",
    )
    assert read_file(path, sheet="people").frame["Team"].tolist() == ["x", "y"]
    assert read_file(path, sheet="1").sheet == "People"
    with pytest.raises(DataError, match=r"no sheet or table 'Score'; did you mean 'Scores'\?"):
        read_file(path, sheet="Score")


def test_a_sheet_may_be_called_by_a_number(tmp_path) -> None:
    path = save(tmp_path, {"2": RESULTS, "other": [["m", "x"], ["c", 1]]})
    assert read_file(path, sheet="2").frame.iloc[:, 0].tolist() == ["a", "b"]


def test_two_header_rows_with_merged_cells_and_a_title(tmp_path) -> None:
    rows = [
        ["Table 3"],
        ["Model", "COCO", None, "Time"],
        [None, "AP", "AP50", "ms"],
        ["a", 66.1, 70.2, 5],
        ["b", 65.1, 71.2, 4],
    ]
    path = save(tmp_path, {"Sheet": rows}, {"Sheet": "B2:C2"})
    assert read_file(path).frame.to_dict("list") == {
        "Model": ["a", "b"],
        "COCO AP": ["66.1", "65.1"],
        "COCO AP50": ["70.2", "71.2"],
        "Time ms": ["5", "4"],
    }


def test_seasons_as_pandas_writes_them_have_the_names_of_their_index(tmp_path) -> None:
    columns = pd.MultiIndex.from_product([["2021-22", "2022-23"], ["W", "L", "GF", "GA"]])
    goals = [
        [22, 13, 61, 48, 26, 6, 88, 43],
        [13, 19, 52, 54, 18, 13, 51, 46],
        [9, 9, 5, 4, 3, 2, 1, 8],
    ]
    teams = pd.Index(["Arsenal", "Aston Villa", "Everton"], name="Team")
    pd.DataFrame(goals, teams, columns).to_excel(tmp_path / "league.xlsx")
    table = db.read(tmp_path / "league.xlsx")
    assert table.label == ("Team",)
    assert table.outputs == ["2021-22 W", "2021-22 GF", "2022-23 W", "2022-23 GF"]
    assert table.lower_rates == ["2021-22 L", "2021-22 GA", "2022-23 L", "2022-23 GA"]


def test_numbers_below_merged_cells_alone_are_names(tmp_path) -> None:
    rows = [
        ["Project", "Model", "Top-k (%)", None, None, "MRR"],
        [None, None, "1", "5", "10", None],
        ["x", "a", 50.1, 60.2, 70.3, 0.5],
        [None, "b", 40.1, 50.2, 60.3, 0.4],
        ["y", "a", 30.1, 40.2, 50.3, 0.3],
    ]
    frame = read_file(save(tmp_path, {"Sheet": rows}, {"Sheet": "C1:E1"})).frame
    assert list(frame) == ["Project", "Model", "Top-k (%) 1", "Top-k (%) 5", "Top-k (%) 10", "MRR"]
    assert frame["Project"].tolist() == ["x", "x", "y"]


@pytest.mark.parametrize(
    "second",
    [
        ["b", 1, 5, 0.5],  # it has a name
        [None, 1, 5, 0.5],  # it has a number where no cells are merged
        [None, 50.5, 60.2, None],
        [None, 9, 7, None],
    ],
)
def test_results_below_merged_cells_are_no_names(second, tmp_path) -> None:
    top = ["Model", "Top-k", None, "MRR"]
    rows = [top, second, ["a", 1, 2, 0.3], ["c", 3, 4, 0.4], ["d", 3, 5, 0.4]]
    assert list(read_file(save(tmp_path, {"Sheet": rows})).frame)[1] == "Top-k"


def test_merged_labels_are_filled(tmp_path) -> None:
    rows = [["Size", "Model", "F1"], ["small", "a", 0.5], [None, "b", 0.6], ["large", "c", 0.7]]
    path = save(tmp_path, {"Sheet": rows}, {"Sheet": "A2:A3"})
    assert read_file(path).frame["Size"].tolist() == ["small", "small", "large"]


def test_a_made_up_size_of_a_sheet_costs_nothing(tmp_path) -> None:
    path = save(tmp_path, {"Sheet": RESULTS})
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    text = re.sub(rb'<dimension ref="[^"]*"', b'<dimension ref="A1:XFD1048576"', parts[sheet])
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in (parts | {sheet: text}).items():
            archive.writestr(name, part)
    assert read_file(path).frame.shape == (2, 3)


def test_a_cell_far_below_is_one_more_row(tmp_path) -> None:
    book = openpyxl.Workbook()
    for row in RESULTS:
        book.active.append(row)
    book.active["A1048576"] = "c"
    book.active["B1048576"] = 0.7
    book.save(tmp_path / "book.xlsx")
    assert len(read_file(tmp_path / "book.xlsx").frame) == 3


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        (Limits(columns=2), "has 3 columns, more than 2; "),
        (Limits(rows=1), "has 2 rows, more than 1; "),
        (Limits(cells=4), "has 6 cells, more than 4; "),
        (Limits(bytes=6000), " bytes, more than 6,000; "),
    ],
)
def test_limits_of_workbooks(limits, text, tmp_path) -> None:
    with pytest.raises(DataError, match=text):
        read_file(save(tmp_path, {"Sheet": RESULTS}), limits=limits)


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        (Limits(columns=2), "has 3 columns, more than 2; "),
        (Limits(rows=3), "has 4 rows, more than 3; "),
        (Limits(cells=11), "has 12 cells, more than 11; "),
    ],
)
def test_parquet_is_refused_by_its_metadata(limits, text, tmp_path, monkeypatch) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "table.parquet"
    pd.DataFrame({"a": range(4), "b": range(4), "c": range(4)}).to_parquet(path)
    monkeypatch.setattr(pd, "read_parquet", lambda *_args, **_options: pytest.fail("was read"))
    with pytest.raises(DataError, match=text):
        read_file(path, limits=limits)


def test_titles_above_two_header_rows_are_left_out(tmp_path) -> None:
    rows = [
        ["Means of ten runs", "Corpora"],
        [None, "Red", None, "Green", None, "Blue", None],
        ["Method", *["Accuracy (%)", "Time (s)"] * 3],
        ["alpha", 76.7, 0.3, 81.1, 10, 66.1, 3],
        ["beta", 76.3, 0.5, 83.2, 12, 67.4, 4],
    ]
    source = read_file(save(tmp_path, {"Sheet1": rows}))
    names = [f"{corpus} {name}" for corpus in ("Red", "Green", "Blue") for name in rows[2][1:3]]
    assert list(source.frame.columns) == ["Method", *names]
    assert source.introduction == "Means of ten runs Corpora"
    # A row of numbers above the names is no title.
    rows[1] = ["start", 1, 2, 3, 4, 5, 6]
    assert "start" in read_file(save(tmp_path, {"Sheet1": rows})).frame.to_string()


def test_groups_of_groups_above_two_header_rows_are_no_titles(tmp_path) -> None:
    rows = [
        [None, "Error rate", None, "Accuracy", None],
        [None, "dev", "test", "dev", "test"],
        ["Method", "MNIST", "SVHN", "MNIST", "SVHN"],
        ["alpha", 3.1, 7.2, 96.9, 92.8],
        ["beta", 2.4, 8.3, 97.6, 91.7],
    ]
    text = read_file(save(tmp_path, {"Sheet1": rows})).frame.to_string()
    assert "Error rate" in text


@pytest.mark.parametrize(
    ("upper", "groups"),
    [
        # A metric above all columns.
        (["Table", "RMSE"], [None, "dev", None, "test", None]),
        # A level of groups, though both are called the same.
        ([None, "RMSE", None, "RMSE", None], [None, "dev", None, "test", None]),
        # What a report says about itself, in two rows.
        (["Report", "autumn"], ["Author", "Ann"]),
    ],
)
def test_what_may_be_a_level_of_the_header_is_no_title(upper, groups, tmp_path) -> None:
    rows = [
        upper,
        groups,
        ["Method", "red", "blue", "red", "blue"],
        ["alpha", 3.1, 7.2, 6.9, 2.8],
        ["beta", 2.4, 8.3, 7.6, 1.7],
    ]
    source = read_file(save(tmp_path, {"Sheet1": rows}))
    assert not source.introduction
    text = " ".join(map(str, source.frame.columns)) + source.frame.to_string()
    assert all(cell in text for cell in [*upper, *groups] if cell)
