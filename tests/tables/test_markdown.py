"""Tables of Markdown files, of READMEs, and of what a terminal prints."""

from __future__ import annotations

import io
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.errors import DataError
from deabench.tables.readers.files import read_file

ROWS = "| **Model** | Acc<br>(%) ↑ | [Latency](http://x) (ms) |\n|:--|--:|:-:|\n"
BOARD = ROWS + "| [a](http://a) | **91.0** | 12 |\n| b | 88.5 | 5 |\n"
README = f"""# A library

Some prose, with commas | and a bar.

## Sizes

| file | lines |
|---|---|
| one.py | 10 |

## Results

Higher is better.

{BOARD}
More prose.
"""


def write(folder, text: str, name: str = "table.md"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["table.md", "table.csv", "table"])
def test_a_table_is_recognised_by_its_rule_whatever_the_file_is_called(name, tmp_path) -> None:
    table = db.read(write(tmp_path, BOARD, name))
    assert list(table.frame.index) == ["a", "b"]
    assert table.outputs == ["Acc (%) ↑"]
    assert table.costs == ["Latency (ms)"]
    np.testing.assert_array_equal(table.frame, [[91.0, 12], [88.5, 5]])


def test_standard_input_may_be_markdown() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "deabench", "rank", "-", "--format", "csv"],
        input=BOARD,
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(pd.read_csv(io.StringIO(run.stdout)).iloc[:, 0]) == {"a", "b"}


def test_of_several_tables_the_one_with_the_most_numbers_is_read(tmp_path) -> None:
    source = read_file(write(tmp_path, README))
    assert source.frame["Model"].tolist() == ["a", "b"]
    assert source.sheet == "Results"
    assert "Higher is better." in source.prose
    assert "91.0" not in source.prose
    (note,) = source.notes
    assert "'Results' (2 rows), which has the most numbers, is read" in note
    assert note.endswith("pass sheet='Sizes' to read another: 'Sizes' (1 row)")


@pytest.mark.parametrize("sheet", ["Sizes", "sizes", "1"])
def test_another_table_is_chosen_by_name_or_number(sheet, tmp_path) -> None:
    assert read_file(write(tmp_path, README), sheet=sheet).frame["file"].tolist() == ["one.py"]


def test_an_unknown_table_is_refused_with_the_nearest_name(tmp_path) -> None:
    with pytest.raises(
        DataError, match=r"has no sheet or table 'Result'; did you mean 'Results'\?"
    ):
        read_file(write(tmp_path, README), sheet="Result")


@pytest.mark.parametrize(
    "text",
    [
        " model | acc | ms\n-------+-----+----\n a     | 0.9 | 12\n b     | 0.8 | 5\n(2 rows)\n",
        "+-------+-----+----+\n| model | acc | ms |\n+-------+-----+----+\n"
        "| a     | 0.9 | 12 |\n| b     | 0.8 | 5  |\n+-------+-----+----+\n",
        "┏━━━━━━━┳━━━━━┳━━━━┓\n┃ model ┃ acc ┃ ms ┃\n┡━━━━━━━╇━━━━━╇━━━━┩\n"
        "│ a     │ 0.9 │ 12 │\n│ b     │ 0.8 │ 5  │\n└───────┴─────┴────┘\n",
        "+-------+-----+----+\n| model | acc | ms |\n+=======+=====+====+\n"
        "| a     | 0.9 | 12 |\n+-------+-----+----+\n| b     | 0.8 | 5  |\n+-------+-----+----+\n",
        "Run:\n\n```\n| model | acc | ms |\n|---|---|---|\n| a | 0.9 | 12 |\n"
        "| b | 0.8 | 5 |\n```\n",
    ],
    ids=["psql", "mysql", "rich", "grid", "fence"],
)
def test_tables_of_a_terminal_are_read(text, tmp_path) -> None:
    frame = read_file(write(tmp_path, text)).frame
    assert frame.to_dict("list") == {"model": ["a", "b"], "acc": ["0.9", "0.8"], "ms": ["12", "5"]}


def test_headings_within_a_table_and_repeated_headers_are_no_systems(tmp_path) -> None:
    text = ROWS + "| *Open models* | | |\n| a | 91 | 12 |\n" + ROWS.split("\n")[0] + "\n"
    text += "| *Closed models* | | |\n| b | 88 | 5 |\n"
    source = read_file(write(tmp_path, text))
    assert source.frame["Model"].tolist() == ["a", "b"]
    assert source.notes == (
        "rows without values are headings and left out: 'Open models', 'Closed models'",
    )


def test_escaped_bars_and_short_rows(tmp_path) -> None:
    frame = read_file(write(tmp_path, "| m | a\\|b | c |\n|---|---|---|\n| x | 1 |\n")).frame
    assert frame.to_dict("list") == {"m": ["x"], "a|b": ["1"], "c": [""]}


def test_a_rule_of_another_length_than_the_header_is_one_all_the_same(tmp_path) -> None:
    frame = read_file(write(tmp_path, "| m | acc\n|---|---|---|\n| **a** | .9 |\n| b | .8\n")).frame
    assert frame.to_dict("list") == {"m": ["a", "b"], "acc": [".9", ".8"]}


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("     model    acc  ms\n0  a model   0.91  12\n1        b   0.88   5\n", ["", "model"]),
        ("     acc  ms\na model  0.91  12\nb   0.88   5\n", [""]),
        ("model acc ms\na 0.91 12\nb 0.88 5\n", ["model"]),
        (
            "=====  ====  ==\nmodel  acc   ms\n=====  ====  ==\na      0.91  12\nb      0.88  5\n"
            "=====  ====  ==\n",
            ["model"],
        ),
    ],
    ids=["pandas", "R", "single blanks", "reStructuredText"],
)
def test_tables_that_are_aligned_by_blanks_are_read(text, columns, tmp_path) -> None:
    frame = read_file(write(tmp_path, text)).frame
    names = [name if not name.startswith("Unnamed") else "" for name in frame]
    assert names == [*columns, "acc", "ms"]
    assert frame["acc"].tolist() == ["0.91", "0.88"]
    assert frame["ms"].tolist() == ["12", "5"]


@pytest.mark.parametrize("text", ["name of it\nfirst one\nsecond one\n", "x\n1\n2\n3\n"])
def test_words_with_blanks_are_one_column(text, tmp_path) -> None:
    assert read_file(write(tmp_path, text)).frame.shape[1] == 1


def test_windows_ends_of_lines_are_read(tmp_path) -> None:
    path = tmp_path / "t.md"
    text = "## Runs (few, 500)\n\n| Model | Time (s) |\n|---|---|\n| a | 1.5 |\n| b | 2 |\n"
    path.write_bytes(text.replace("\n", "\r\n").encode())
    table = db.read(path)
    assert table.label == ("Model",)
    assert table.frame["Time (s)"].to_dict() == {"a": 1.5, "b": 2.0}


def test_names_below_an_empty_header_and_three_header_rows(tmp_path) -> None:
    path = tmp_path / "t.md"
    path.write_text(
        "| | | | |\n|---|---|---|---|\n| **MQ** | | | **NDCG** |\n| | rate | depth | best_score |\n"
        "| cat | 0.03 | 6 | **0.83** |\n| xgb | 0.05 | 4 | 0.82 |\n| lgb | 0.15 | 4 | 0.81 |\n"
    )
    assert list(read_file(path).frame.columns) == ["MQ", "MQ rate", "MQ depth", "NDCG best_score"]
    path.write_text(
        "| net | Fast (ms) | Fast (ms) | Slow (ms) |\n|---|---|---|---|\n| model | T4 | T4 | K1 |\n"
        "| | fp32 | fp16 | fp32 |\n| A | 3.0 | 1.2 | 9 |\n| B | 4.0 | 1.4 | 8 |\n"
        "| C | 2.0 | 1.1 | 7 |\n"
    )
    assert list(read_file(path).frame.columns)[1:] == [
        "Fast (ms) T4 fp32",
        "Fast (ms) T4 fp16",
        "Slow (ms) K1 fp32",
    ]


def test_a_table_below_a_line_that_begins_with_a_bold_link_is_no_json(tmp_path) -> None:
    file = tmp_path / "README.md"
    file.write_text(
        "[**Segmentation**](https://example.org):\n| Model | mAP |\n|--|--|\n| a | 1 |\n"
    )
    assert list(db.read(file).frame.columns) == ["mAP"]


def test_a_table_below_a_line_that_begins_with_code_in_a_link_is_no_json(tmp_path) -> None:
    table = "| Model | mAP |\n|--|--|\n| a | 1 |\n"
    file = tmp_path / "README.md"
    for line in ("[`org/model-2`](https://example.org) (512x512)", "[1] 2024", "{{ title }}"):
        file.write_text(f"{line}\n\n{table}")
        assert list(db.read(file).frame.columns) == ["mAP"]
    file.write_text("[`org/model-2`](https://example.org)\n")
    with pytest.raises(DataError, match="is not JSON"):
        db.read(file)


def test_cells_of_a_merged_label_are_filled_with_it(tmp_path) -> None:
    rows = [
        "| Model | Params | Norm | EER (%) |",
        "|---|---|---|---|",
        "| red | 6.6M | no | 7.1 |",
        "| | | yes | 6.7 |",
        "| blue | 23.9M | no | 5.9 |",
        "| | | yes | 5.7 |",
    ]
    file = tmp_path / "speakers.md"
    file.write_text("\n".join(rows))
    frame = read_file(file).frame
    assert frame["Model"].tolist() == ["red", "red", "blue", "blue"]
    assert frame["Params"].tolist() == ["6.6M", "6.6M", "23.9M", "23.9M"]
    # Behind what tells the rows of a group apart, empty cells are results that are missing.
    lines = [
        f"{row} {cell} |" for row, cell in zip(rows, ["DCF", "---", 1, "", 2, ""], strict=True)
    ]
    file.write_text("\n".join(lines))
    assert read_file(file).frame["DCF"].tolist() == ["1", "", "2", ""]


def test_a_system_without_results_has_none_of_the_row_above(tmp_path) -> None:
    path = tmp_path / "README.md"
    header = "| {} | Time (s) | Team | Affiliation |\n|---|---|---|---|\n"
    rows = "| {} | 12 | Foo | MIT |\n| {} | 10 | Bar | ETH |\n| | | Baseline | Hosts |\n"
    for name, first, second in (("Accuracy", 91.2, 90.1), ("Model", "gpt", "llama")):
        path.write_text((header + rows).format(name, first, second))
        frame = db.read(path).frame
        assert frame["Time (s)"].isna().tolist() == [False, False, True]
    # Two rows or more of each model share what is written once.
    path.write_text(
        "| Model | Size (GB) | Set | Accuracy |\n|---|---|---|---|\n| gpt | 12 | dev | 90 |\n"
        "| | | test | 80 |\n| llama | 10 | dev | 91 |\n| | | test | 82 |\n"
    )
    assert not db.read(path).frame.isna().any(axis=None)


@pytest.mark.parametrize(
    "header",
    [
        # The figures of a company are not those of its products.
        "| Company | Price | Product | Rating |",
        # Nothing tells that these are systems.
        "| Corner | Price | Level | Rating |",
    ],
)
def test_numbers_of_groups_that_are_no_systems_are_not_repeated(header, tmp_path) -> None:
    path = tmp_path / "README.md"
    rows = ["| red | 100 | foo | 4.1 |", "| | | bar | 4.2 |", "| blue | 200 | baz | 3.9 |"]
    path.write_text("\n".join([header, "|---|---|---|---|", *rows, "| | | qux | 4 |"]) + "\n")
    assert read_file(path).frame["Price"].replace("", None).isna().sum() == 2


STACKED = """| Network | Width | Top-1 Err. | Weights |
|---|---|---|---|
| [Alder](https://a.org) v1 | 1.0<br>0.5<br>0.2 | 27.1<br>31.4<br>38.0 | [w](https://a.org/w) |
| Birch | 1.0<BR/>0.4 | **24.2**<br>30.3 | [w](https://b.org/w) |
| Cedar | 1.0 | 22.0 | [w](https://c.org/w) |
"""


def test_lines_of_numbers_within_the_cells_of_a_row_are_rows(tmp_path) -> None:
    path = tmp_path / "zoo.md"
    path.write_text(STACKED)
    source = read_file(path)
    assert source.frame.iloc[:, :3].to_numpy().tolist() == [
        ["Alder v1", "1.0", "27.1"],
        ["Alder v1", "0.5", "31.4"],
        ["Alder v1", "0.2", "38.0"],
        ["Birch", "1.0", "24.2"],
        ["Birch", "0.4", "30.3"],
        ["Cedar", "1.0", "22.0"],
    ]
    assert source.frame["Weights"].unique().tolist() == ["w"]
    assert source.notes == ("cells of 2 rows hold several lines of numbers: each line is a row",)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Top-1 Err.", "Top-1 / Top-5"),  # a metric for each line
        ("27.1<br>31.4<br>38.0", "27.1<br>31.4"),  # cells of a row differ
        ("27.1<br>31.4<br>38.0", "27.1<br>+1.4<br>-2.0"),  # changes
        ("Width |", "Width<br>(fast/slow/tiny) |"),  # names of lines in the heading
    ],
)
def test_other_lines_within_cells_stay_together(old, new, tmp_path) -> None:
    path = tmp_path / "zoo.md"
    path.write_text(STACKED.replace(old, new))
    assert len(read_file(path).frame) == 3


def test_an_empty_cell_keeps_no_other_row_together(tmp_path) -> None:
    path = tmp_path / "zoo.md"
    path.write_text(
        "| Network | Width | Acc | Time |\n|---|---|---|---|\n"
        "| Alder | 1.0<br>0.5 | 91<br>90 | 5<br>3 |\n| Birch | 1.0<br>0.5 | 89<br>87 | - |\n"
    )
    assert read_file(path).frame["Time"].tolist() == ["5", "3", "-", "-"]


def test_words_are_split_with_the_numbers_beside_them(tmp_path) -> None:
    path = tmp_path / "zoo.md"
    path.write_text(
        "| Network | Precision | Acc | Time |\n|---|---|---|---|\n"
        "| Alder<br>(ours) | fp32<br>int8 | 91<br>90 | 5<br>3 |\n"
        "| Birch | fp32<br>int8 | 89<br>87 | 4<br>2 |\n"
    )
    frame = read_file(path).frame
    assert frame["Network"].tolist() == ["Alder (ours)", "Alder (ours)", "Birch", "Birch"]
    assert frame["Precision"].tolist() == 2 * ["fp32", "int8"]


@pytest.mark.parametrize("newline", [" ", "\n"])
def test_tables_of_asciidoc_are_read(tmp_path, newline) -> None:
    path = tmp_path / "cores.txt"
    rows = [("**small**", "33.9", "**12**"), ("`large`", "62.5", "15")]
    lines = ["| CPU | CoreMark Score | Latency (ms)"]
    lines += [f"| {name}{newline}| {score}{newline}| {latency}" for name, score, latency in rows]
    table = (
        '.Results\n[cols="<6,^2,^2"]\n|=====\n' + "\n".join(lines) + "\n|=====\n\nMore text, too.\n"
    )
    path.write_text(table)
    board = db.read(path)
    assert list(board.frame.index) == ["small", "large"]
    assert (board.outputs, board.costs) == (["CoreMark Score"], ["Latency (ms)"])
