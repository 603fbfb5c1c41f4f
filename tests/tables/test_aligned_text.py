"""Text that is aligned by blanks, as pandas and R print tables."""

from __future__ import annotations

import pandas as pd
import pytest

import deabench as db
from deabench.tables.aligned_text import find_aligned_tables, split_aligned

INDEX = pd.MultiIndex.from_product([["glue", "squad"], ["bert", "xlnet"]], names=["set", "model"])
TWO_LEVELS = pd.DataFrame({"acc": [0.9, 0.8, 0.7, 0.6], "time_s": [5.0, 4.0, 3.0, 2.0]}, INDEX)


@pytest.mark.parametrize("name", ["model", None])
def test_a_printed_frame_is_read_with_or_without_a_name_of_its_index(tmp_path, name) -> None:
    frame = pd.DataFrame({"acc": [0.9, 0.8], "f1": [0.6, 0.7]}, pd.Index(["a b", "c"], name=name))
    path = tmp_path / "printed.txt"
    path.write_text(str(frame))
    table = db.read(path)
    assert table.frame.index.tolist() == ["a b", "c"]
    assert table.frame["acc"].tolist() == [0.9, 0.8]


def test_outer_names_of_an_index_are_those_above_where_they_are_blank() -> None:
    assert split_aligned(str(TWO_LEVELS), ",") == [
        ["set", "model", "acc", "time_s"],
        ["glue", "bert", "0.9", "5.0"],
        ["glue", "xlnet", "0.8", "4.0"],
        ["squad", "bert", "0.7", "3.0"],
        ["squad", "xlnet", "0.6", "2.0"],
    ]


@pytest.mark.parametrize(
    "text",
    [
        "      acc  f1\n1.5\na   0.9  0.8\nb   0.7  0.6",  # a number names no index
        "      acc  f1\nmodel name\na   0.9  0.8\nb   0.7  0.6",  # longer than the blanks above it
        "acc  f1\nmodel\na   0.9  0.8\nb   0.7  0.6",  # the header has no blanks
        "      acc  f1\nmodel\na   0.9  0.8\nb   0.7",  # a cell is missing
        "      acc  f1\nmodel\na   0.9,0  0.8\nb   0.7  0.6",  # another separator
    ],
)
def test_other_text_is_no_table_with_a_named_index(text) -> None:
    assert split_aligned(text, ",") == []


ALIGNED = "engine    psnr_db  ms_per_op\nlibwebp   41.04    15.1\nours      41.02    22.3\n"
BARS = (
    "engine  | psnr_db | ms_per_op\n-----------------------------\n"
    "libwebp | 41.04   | 15.1\nours    | 41.02   | 22.3\n"
)
RULED = (
    "=======  =======  =========\nengine   psnr_db  ms_per_op\n=======  =======  =========\n"
    "libwebp  41.04    15.1\nours     41.02    22.3\n=======  =======  =========\n"
)


@pytest.mark.parametrize("table", [ALIGNED, BARS, RULED])
@pytest.mark.parametrize(
    "document",
    [
        "## Results\n\n```text\n{}```\n\nSmaller is faster.\n",
        "We compare, as before, encoders, on one core, and print it.\n\n{}\nThat is all.\n",
        "Encoders of one picture:\n{}",
    ],
)
def test_a_table_between_paragraphs_is_found(document, table, tmp_path) -> None:
    path = tmp_path / "README.md"
    path.write_text(document.format(table))
    read = db.read(path)
    assert read.frame.index.tolist() == ["libwebp", "ours"]
    assert (read.outputs, read.costs) == (["psnr_db"], ["ms_per_op"])


def test_of_several_tables_one_is_chosen_and_the_others_are_named(tmp_path) -> None:
    path = tmp_path / "README.md"
    path.write_text(f"First\n\n```\n{ALIGNED}```\n\n```\n{ALIGNED}other     40.1   9.5\n```\n")
    table = db.read(path)
    assert table.frame.index.tolist() == ["libwebp", "ours", "other"]
    assert any("2 tables" in note for note in table.notes)


@pytest.mark.parametrize(
    "text",
    [
        "epoch 1 loss 0.5\nepoch 2 loss 0.4\nepoch 3 loss 0.3\n",  # no header
        "We ran it in 2019\nand once again in 2020\nbut never in 2021\n",  # lines of other lengths
        "model, score\na, 0.9\nb, 0.8\n",  # CSV
    ],
)
def test_paragraphs_of_other_kinds_are_no_tables(text) -> None:
    assert find_aligned_tables(text) == ([], "\n".join(text.splitlines()))


SIMPLE = """We use pins, which, as ever, differ.

   ========= ======== ============ =================
   Net       Mean AP  CMC top 1    Script
   ========= ======== ============ =================
   Inception 51.8     75.8         train --epochs 70
                                   --log a
   ResNet-50 **67.9** 81.4         train --epochs 60
   ========= ======== ============ =================
"""
PRINTED = """Final test, on one machine, in March:

 #   Model            Type          Score    MAE
 ──  ──────────────── ─────────── ─────── ───────
 1.  Boosting         Black box    0.2927  0.5202
 2.  Additive model   Transparent  0.2718  0.5489
10.  Polynomial (G3)  Transparent -0.5082 13.0481
"""


def test_a_rule_tells_columns_apart_whatever_blanks_and_commas_cells_hold(tmp_path) -> None:
    path = tmp_path / "zoo.rst"
    path.write_text(SIMPLE)
    table = db.read(path)
    assert table.outputs == ["Mean AP", "CMC top 1"]
    assert table.frame["Mean AP"].to_dict() == {"Inception": 51.8, "ResNet-50": 67.9}
    path = tmp_path / "final.txt"
    path.write_text(PRINTED)
    table = db.read(path)
    assert (table.outputs, table.lower_rates) == (["Score"], ["MAE"])
    assert table.frame["MAE"].tolist() == [0.5202, 0.5489, 13.0481]
    assert table.frame.index.tolist() == ["Boosting", "Additive model", "Polynomial (G3)"]


def test_a_line_goes_on_below_a_rule_above_the_names_only() -> None:
    (grid,), _ = find_aligned_tables(SIMPLE)
    assert grid.rows[1] == ["Inception", "51.8", "75.8", "train --epochs 70 --log a"]
    # Text across the columns of a rule is no row of a table.
    (ruled, _) = find_aligned_tables("name  score\n----  -----\nthe words go across\n")
    assert ruled == []


HEAD = "Model       Acc   F1\n"
RULE = "----------  ----  ----\n"
ROWS = "ResNet 50   91.2  90.0\nResNet 101  90.1  91.0\n"


@pytest.mark.parametrize(
    ("text", "systems", "outputs"),
    [
        # A rule parts the rows, or stands above a further one.
        (f"{HEAD}{RULE}{ROWS}{RULE}ViT B       95.0  94.1\n", 3, ["Acc", "F1"]),
        (f"{HEAD}{ROWS}{RULE}ViT B       95.0  94.1\n", 3, ["Acc", "F1"]),
        # It is shorter than the cells below it.
        (f"{HEAD}---         ---   --\n{ROWS}", 2, ["Acc", "F1"]),
        # A small table stands above one of another kind.
        (
            "Machine  Cores\n-------  -----\nlaptop   8\n\nmodel,acc\na,0.9\nb,0.8\nc,0.7\n",
            3,
            ["acc"],
        ),
    ],
)
def test_a_rule_takes_no_row_away(tmp_path, text, systems, outputs) -> None:
    path = tmp_path / "board.txt"
    path.write_text(text)
    table = db.read(path)
    assert (len(table.frame), table.outputs) == (systems, outputs)


def test_a_caption_that_touches_a_ruled_table_is_read(tmp_path) -> None:
    path = tmp_path / "board.txt"
    rows = "Alpha   92.1   75.0\nBeta    84.2   66.1\nGamma   70.3   58.8\n"
    path.write_text(
        f"Failures in percent (lower is better)\nMethod  north  south\n------  -----  -----\n{rows}"
    )
    assert db.read(path).lower_rates == ["north", "south"]


@pytest.mark.parametrize("rule", ["─" * 44, "=" * 44, ""])
def test_cells_that_fill_their_columns_begin_below_the_names(rule, tmp_path) -> None:
    path = tmp_path / "console.txt"
    lines = [
        "Planner         Cost (EUR)  CO2 (g)  Gap (%)",
        rule,
        "Greedy search   412.5±3.1   8.5±1.3  12.0   ",
        "Tabu            10381.7±9.4 77.3±4.5 3.5    ",
        "MILP in 60 s    398.0±2.0   9.1±1.0  0.0    ",
    ]
    path.write_text("\n".join(lines))
    table = db.read(path)
    assert {column.name for column in table.columns} == {"Cost (EUR)", "CO2 (g)", "Gap (%)"}
    assert table.frame.index.tolist() == ["Greedy search", "Tabu", "MILP in 60 s"]
    assert table.frame["CO2 (g)"].tolist() == [8.5, 77.3, 9.1]


@pytest.mark.parametrize(
    "line",
    [
        "Tabu          1 103.7   77.3",  # a cell begins before its name
        "Tabu            103.7     77.3",  # a cell begins behind its name
        "Tabu            103.71234 77.3",  # a cell runs into the next column
        "Tabu            ten     many",  # no number
    ],
)
def test_cells_that_do_not_begin_below_their_names_are_not_cut(line) -> None:
    table = ["Planner         Cost    CO2", "Greedy by cost  412.123 8.5", line]
    assert split_aligned("\n".join(table), ",") == []


def test_cells_one_blank_apart_below_a_shorter_header_are_no_damage() -> None:
    table = "planner  cost  gap\na b      10.5 7.5\nc d      1 2.5"
    assert split_aligned(table, ",")[0] == ["", "planner", "cost", "gap"]
