"""Tables with a row for each system and metric, and a column for each data set."""

from __future__ import annotations

import pytest

import deabench as db
from deabench.tables.readers.grids import has_second_header

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")

ERRORS = {
    ("Linear", "MSE"): (0.375, 0.418, 0.288),
    ("Linear", "MAE"): (0.397, 0.429, 0.352),
    ("Former", "MSE"): (0.865, 1.008, 3.755),
    ("Former", "MAE"): (0.713, 0.792, 1.525),
}


def write(tmp_path, header: str, rows=ERRORS) -> str:
    lines = [",".join([*names, *map(str, cells)]) for names, cells in rows.items()]
    path = tmp_path / "board.csv"
    path.write_text("\n".join([header, *lines]) + "\n")
    return str(path)


def test_metrics_are_averaged_over_the_data_sets_in_columns(tmp_path) -> None:
    table = db.read(write(tmp_path, "Method,Metric,ETTh1 96,ETTh1 192,weather"))
    assert (table.kind, table.label, table.dataset) == ("long", ("Method",), "data set")
    assert table.lower_rates == ["MSE", "MAE"]
    assert table.frame.loc["Linear", "MSE"] == pytest.approx((0.375 + 0.418 + 0.288) / 3)
    note = (
        "'Metric' names the metric of each row, and the columns are data sets: 'ETTh1 96', "
        "'ETTh1 192', 'weather'"
    )
    assert note in table.notes


@pytest.mark.parametrize(
    "header",
    [
        # The columns are metrics, or the rows data sets with their systems in columns.
        "Method,Metric,recall,precision,F1",
        "Dataset,Metric,ant,bee,cow",
        # One column holds the values, and others are no data sets.
        "Method,Metric,value,n,rank",
        "Method,Metric,score,std,samples",
        "Method,Metric,estimate,lower,upper",
        "Method,Metric,estimate,north,south",
        "Method,Metric,min,north,max",
        "Method,Metric,DE,FR,shots",
        "Method,Metric,north,south,mean",
    ],
)
def test_other_tables_with_names_of_metrics_are_not_stacked(tmp_path, header) -> None:
    assert db.read(write(tmp_path, header)).dataset != "data set"


def test_systems_that_do_not_repeat_are_not_stacked(tmp_path) -> None:
    rows = {("Linear", "MSE"): (0.4, 0.5), ("Former", "MAE"): (0.7, 0.8)}
    assert db.read(write(tmp_path, "Method,Metric,north,south", rows)).dataset != "data set"


def test_repeated_metrics_of_a_system_are_not_stacked(tmp_path) -> None:
    path = write(tmp_path, "Method,Metric,north,south,west")
    with open(path, "a") as file:
        file.write("Linear,MSE,0.5,0.6,0.7\n")
    assert db.read(path).dataset != "data set"


@pytest.mark.parametrize(
    ("second", "is_header"),
    [
        (["", "Metric", "96", "192", "96", "192"], True),
        # Numbers that differ between the groups, or fall, are results beside a word.
        (["", "Metric", "96", "192", "24", "48"], False),
        (["", "Metric", "192", "96", "192", "96"], False),
        # A row of results has a name of its own.
        (["Tree", "MSE", "96", "192", "96", "192"], False),
        (["", "0.5", "96", "192", "96", "192"], False),
    ],
)
def test_numbers_below_merged_cells_with_a_word_beside_them(second, is_header) -> None:
    top = ["Methods", "Dataset", "ETTh1", "", "ETTh2", ""]
    body = [["Linear", "MSE", "0.4", "0.5", "0.6", "0.7"]] * 3
    assert has_second_header([top, second, *body]) is is_header


def test_numbers_that_repeat_below_merged_cells_are_a_second_header(tmp_path) -> None:
    path = tmp_path / "board.md"
    lines = [
        "| Methods | Dataset | ETTh1 | | ETTh2 | |",
        "|---|---|---|---|---|---|",
        "| | Metric | 96 | 192 | 96 | 192 |",
        "| Linear | MSE | 0.375 | 0.418 | 0.288 | 0.377 |",
        "| | MAE | 0.397 | 0.429 | 0.352 | 0.413 |",
        "| Former | MSE | 0.865 | 1.008 | 3.755 | 5.602 |",
        "| | MAE | 0.713 | 0.792 | 1.525 | 1.931 |",
    ]
    path.write_text("\n".join(lines) + "\n")
    table = db.read(path)
    assert table.lower_rates == ["MSE", "MAE"]
    assert table.frame.index.tolist() == ["Linear", "Former"]
    assert sorted(table.rows["dataset"].unique()) == [
        "ETTh1 192", "ETTh1 96", "ETTh2 192", "ETTh2 96"
    ]  # fmt: skip
