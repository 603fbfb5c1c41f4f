"""Tables of reStructuredText: directives, grids with merged cells, simple tables."""

from __future__ import annotations

import sys

import pytest

import deabench as db
from deabench.errors import DataError
from deabench.tables.readers.files import read_file

LIST = """Summary
-------

Measured on one core.

.. list-table:: Save and load
   :header-rows: 1

   * - Compression
     - Save Mem
     - ``F1`` [1]_
   * - none
     - 1.05GB
     - **0.8**
   * - zstd
     - 387MB
     - 0.7

.. [1] A footnote.
"""
GRID = """Forecasts
=========

    +----------+-----------------+
    | Library  |      Error      |
    +          +--------+--------+
    |          | Daily  | Weekly |
    +==========+========+========+
    | AutoTS   | 0.79   | 0.61   |
    +----------+--------+--------+
    | Fedot    | 0.58   | 0.52   |
    +----------+--------+--------+
    | Prophet  | 0.63   | 0.57   |
    +----------+--------+--------+
"""
SIMPLE = """
=======  ========  ====
Router   Accuracy  Time
=======  ========  ====
chi           0.9     4
echo          0.8     3
=======  ========  ====
"""


def read(folder, text: str):
    path = folder / "table.rst"
    path.write_text(text, encoding="utf-8")
    return read_file(path)


def test_a_list_of_rows_is_a_table_with_its_title(tmp_path) -> None:
    source = read(tmp_path, LIST)
    assert source.frame.to_dict("list") == {
        "Compression": ["none", "zstd"],
        "Save Mem": ["1.05GB", "387MB"],
        "F1": ["0.8", "0.7"],
    }
    assert source.sheet == "Save and load"
    assert source.introduction == "Measured on one core."
    assert "Measured on one core." in source.prose
    assert "list-table" not in source.prose


def test_names_that_begin_as_lists_do_stay_names(tmp_path) -> None:
    text = LIST.replace("none", "J. Smith").replace("- zstd", "- 1. *net")
    assert read(tmp_path, text).frame["Compression"].tolist() == ["J. Smith", "1. *net"]
    box = GRID.replace("AutoTS ", "K. Day ").replace("0.79", "- .7").replace("0.58", "--  ")
    frame = read(tmp_path, box).frame
    assert frame["Library"].tolist() == ["K. Day", "Fedot", "Prophet"]
    assert frame["Error Daily"].tolist() == ["- .7", "--", "0.63"]


def test_tables_of_other_formats_beside_one_are_read_with_it(tmp_path) -> None:
    markdown = "".join(f"| m{k} | 0.{9 - k} | {k} |\n" for k in range(6))
    markdown = f"# Models\n\n| Model | Accuracy | Time |\n|---|---|---|\n{markdown}\n"
    source = read(tmp_path, markdown + LIST)
    assert list(source.frame) == ["Model", "Accuracy", "Time"]
    assert "'Save and load'" in source.notes[0]
    # A plain box of a terminal is none of reStructuredText.
    box = "+---+---+\n| x | y |\n+===+===+\n| a | 1 |\n+---+---+\n"
    assert list(read(tmp_path, markdown + box).frame) == ["Model", "Accuracy", "Time"]


def test_merged_cells_of_a_grid_name_all_columns_below(tmp_path) -> None:
    source = read(tmp_path, GRID)
    assert list(source.frame) == ["Library", "Error Daily", "Error Weekly"]
    assert source.frame["Error Weekly"].tolist() == ["0.61", "0.52", "0.57"]
    assert source.sheet == "Forecasts"


def test_borders_that_only_blanks_replace_are_merged_cells(tmp_path) -> None:
    rule = "    +----------+--------+--------+\n"
    fedot = f"{rule}    | Fedot    | 0.58"
    assert fedot in GRID
    covered = fedot.replace("+----------", "+          ").replace("Fedot", "     ")
    frame = read(tmp_path, GRID.replace(fedot, covered)).frame
    assert frame["Library"].tolist() == ["AutoTS", "AutoTS", "Prophet"]


def test_a_simple_table_is_read_by_its_rules(tmp_path) -> None:
    path = tmp_path / "routers.rst"
    path.write_text(SIMPLE)
    table = db.read(path)
    assert (table.outputs, table.costs, table.label) == (["Accuracy"], ["Time"], ("Router",))


def test_csv_in_a_directive_is_a_table_and_no_file_is_included(tmp_path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("model,accuracy\nstolen,0.1\nagain,0.2\n")
    included = f".. csv-table::\n   :file: {secret}\n   :header-rows: 1\n\n"
    own = ".. csv-table::\n   :header: model, accuracy\n\n   a, 0.9\n   b, 0.8\n"
    source = read(tmp_path, included + own)
    assert source.frame.to_dict("list") == {"model": ["a", "b"], "accuracy": ["0.9", "0.8"]}


def test_without_docutils_a_directive_is_refused_and_a_simple_table_is_read(
    tmp_path, monkeypatch
) -> None:
    monkeypatch.setitem(sys.modules, "docutils", None)
    with pytest.raises(DataError, match=r"is reStructuredText; install docutils to read it"):
        read(tmp_path, LIST)
    assert list(read(tmp_path, SIMPLE).frame) == ["Router", "Accuracy", "Time"]


def test_data_sets_with_several_metrics_below_one_another(tmp_path) -> None:
    rule = "+--------+------------------+-------+-------+\n"
    part = "|        +------------------+-------+-------+\n"
    rows = [
        rule + "| Data   | Metric           | xgb   | lgbm  |\n" + rule.replace("-", "="),
        "| Yahoo  | NDCG\\ :sub:`1`   | 0.719 | 0.732 |\n" + rule,
        "| MS LTR | NDCG\\ :sub:`1`   | 0.483 | 0.517 |\n" + part,
        "|        | NDCG\\ :sub:`10`  | 0.492 | 0.524 |\n" + rule,
    ]
    path = tmp_path / "boosting.rst"
    path.write_text("".join(rows))
    table = db.read(path)
    # MS is the name of a data set, and no time.
    assert table.outputs == ["Yahoo (NDCG1)", "MS LTR (NDCG1)", "MS LTR (NDCG10)"]
    assert table.costs == []
    assert table.frame.index.tolist() == ["xgb", "lgbm"]


def test_a_box_with_wide_signs_is_read_as_that_of_a_terminal(tmp_path) -> None:
    rule = "+--------+----------+\n"
    header = "| 模型   | Accuracy |\n" + rule.replace("-", "=")
    path = tmp_path / "box.txt"
    path.write_text(
        rule + header + rule.join(f"| 残差{k}  | 0.{k}      |\n" for k in (7, 8, 9)) + rule
    )
    assert db.read(path).outputs == ["Accuracy"]


CUT_LIST = """==========
 Segments
==========

.. list-table::
   :header-rows: 2

   * -
     - :py:mod:`alder <woods.models.alder>`
     - :py:mod:`birch <woods.models.birch>`
   * - Dataset
     - 12M
     - 3M
   * - :py:mod:`lake <woods.data.lake>`
     - `0.71 (0.02) <alder_lake_>`_
     - 0.68
   * - :py:mod:`pond <woods.data.pond>`
     - `0.64 (0.01) <alder_pond_>`_
     - 0.61
   * - :py:mod:`moor <woods.data.moor>`
     - `0.59 (0.03) <alder_moor_>`_
"""


def test_a_list_whose_last_row_was_cut_off_is_read_with_empty_cells(tmp_path) -> None:
    path = tmp_path / "table.rst"
    path.write_text(CUT_LIST)
    frame = read_file(path).frame
    assert list(frame.columns) == ["Dataset", "alder 12M", "birch 3M"]
    assert frame["Dataset"].tolist() == ["lake", "pond", "moor"]
    assert frame["alder 12M"].tolist() == ["0.71 (0.02)", "0.64 (0.01)", "0.59 (0.03)"]
    assert frame["birch 3M"].tolist() == ["0.68", "0.61", ""]


def test_tabs_indent_the_rows_of_a_list(tmp_path) -> None:
    path = tmp_path / "parsers.rst"
    rows = [("Model", "Accuracy"), ("A", "0.99"), ("B", "0.97")]
    text = "".join(f"\t\t*\t- {a}\n\t\t\t- {b}\n" for a, b in rows)
    path.write_text(f".. list-table::\n\t\t:header-rows: 1\n\n{text}")
    table = db.read(path)
    assert (list(table.frame.index), table.outputs) == (["A", "B"], ["Accuracy"])
