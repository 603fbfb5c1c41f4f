"""Rows that are statistics of the others are no systems; versions tell systems apart."""

import pandas as pd
import pytest

from deabench.analysis.ranking import rank
from deabench.tables.naming.questions import UndecidedError
from deabench.tables.read import read

pytestmark = pytest.mark.filterwarnings("ignore:.*fewer than 3 per metric")

SYSTEMS = "model,accuracy,latency_ms\nA,.9,10\nB,.8,5\nC,.7,6\nD,.65,2\n"


def read_text(path, text):
    file = path / "results.csv"
    file.write_text(text)
    return read(file)


@pytest.mark.parametrize(
    "rows",
    [
        "Average,.7625,5.75\nBest,.9,2\n",
        "mean,.7625,5.75\nstd,.111,3.30\n",
        "Median,.75,5.5\n",
        "Max,.9,10\n",
        "Worst,.65,10\nBest,.9,2\nAVG,.7625,5.75\nSD,.0960,2.86\n",
        "Total,3.05,23\n",
    ],
)
def test_rows_that_agree_with_a_statistic_of_the_others_are_left_out(tmp_path, rows) -> None:
    table = read_text(tmp_path, SYSTEMS + rows)
    assert list(table.frame.index) == ["A", "B", "C", "D"]
    names = [row.split(",")[0] for row in rows.split()]
    assert any(all(f"'{name}'" in note for name in names[:3]) for note in table.notes)
    assert table.question is None


@pytest.mark.parametrize("row", ["Best,.95,1\n", "median,.9,1\n", "Average,.9,9\n"])
def test_a_row_that_is_called_as_a_statistic_and_differs_from_it_is_asked_about(
    tmp_path, row
) -> None:
    table = read_text(tmp_path, SYSTEMS + row)
    name = row.split(",")[0]
    with pytest.raises(UndecidedError, match=f"the row '{name}' of 'results' is called as"):
        rank(table)
    # The label column is the answer: then the row is a system.
    assert name in rank(read(tmp_path / "results.csv", label="model")).scores


@pytest.mark.parametrize("name", ["Baseline", "Maxwell", "Stdlib", "Best-of-N"])
def test_systems_whose_names_hold_a_statistic_are_ranked(tmp_path, name) -> None:
    assert name in rank(read_text(tmp_path, f"{SYSTEMS}{name},.9,9\n")).scores


@pytest.mark.parametrize("versions", ["1.0 2.0 1.0", "1 2 1", "v1 v2 v1"])
def test_a_version_is_part_of_the_name_of_a_repeated_model(tmp_path, versions) -> None:
    first, second, third = versions.split()
    table = read_text(
        tmp_path,
        f"model,version,accuracy,latency_ms\nA,{first},.9,10\nA,{second},.8,5\nB,{third},.7,3\n",
    )
    assert table.label == ("model", "version")
    assert list(table.frame.index) == [f"A, {first}", f"A, {second}", f"B, {third}"]


def test_a_last_row_without_a_name_that_sums_up_the_others_is_no_system(tmp_path) -> None:
    path = tmp_path / "board.csv"
    text = "Model,Accuracy,F1\nA,0.91,0.80\nB,0.72,0.85\nC,0.53,0.65\n,{}\n"
    path.write_text(text.format("0.72,0.7667"))
    table = read(path)
    assert list(table.frame.index) == ["A", "B", "C"]
    note = "the last row, without a name in 'Model', sums up the others and is left out"
    assert note in table.notes
    # One metric may be near to the mean by chance, and another row is called by its number.
    path.write_text(text.format("0.72,0.70"))
    table = read(path)
    assert list(table.frame.index) == ["A", "B", "C", "row 4"]
    assert "1 row has no name in 'Model'; it is called 'row 4'" in table.notes
    path.write_text(text.format("0.60,0.70\n,0.50,0.60"))
    note = "2 rows have no name in 'Model'; they are called by their numbers, as 'row 4'"
    assert note in read(path).notes
    # Blanks are no name.
    frame = pd.DataFrame({"Model": ["A", "B", " "], "acc": [0.9, 0.7, 0.6], "f1": [0.8, 0.5, 0.6]})
    assert "1 row has no name in 'Model'; it is called 'row 3'" in read(frame, label="Model").notes
    # Whole numbers that differ little are near to their mean by chance.
    path.write_text("model,acc,f1\na,90,80\nb,91,81\nc,92,82\n,91,81\n")
    assert "row 4" in read(path).frame.index
    # The best of models that differ little is near to their mean, and no mean.
    path.write_text("model,acc,f1\na,90.1,80.4\nb,90.5,80.9\nc,90.2,80.8\n,90.9,81.3\n")
    assert "row 4" in read(path).frame.index
