"""Columns of plain numbers are read at once and written column by column: to the last bit as cell
by cell.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import random

import numpy as np
import pandas as pd
import pytest
from quick_cases import mark_most_slow

import deabench as db
from deabench.tables.interpretation import interpret_source
from deabench.tables.read import open_source
from deabench.tables.readers.files import read_file
from deabench.tables.readers.limits import Limits
from deabench.utils.text import csv_text, escape_formula

NASTY = (
    "90 %",
    "1,014",
    "007",
    " 0.5 ",
    "1e5",
    "nan",
    "NA",
    "",
    "inf",
    "1_000",
    "0x10",
    "½",
    "'=1",
    "+.5",
    "5.",
    "0.50",
    "-0",
    "-3",
    "9007199254740993",
    "18446744073709551616",
    "1.014,45",
    "0,5",
    "True",
    "False",
    "x y",
    "12 ms",
    '"q"',
    "a;b",
    "1e400",
    "'-3",
    "0.1234567890123456789",
    "1.7976931348623157e308",
    "0.5\t",
    "line\nbreak",
)
PLAIN = (
    "0.5",
    "0.25",
    "1",
    "0",
    "0.50",
    "1e-3",
    "5.",
    "+.5",
    "0.3333333333333333",
    " 0.75",
    "85.5",
)
NAMES = (
    "model",
    "accuracy",
    "recall",
    "error",
    "latency_ms",
    "seed",
    "fold",
    "C",
    "threshold",
    "dataset",
    "metric",
    "value",
    "m0",
    "m1",
    "id",
    "rank",
    "",
    "neg_log_loss",
    "params",
    " auc ",
    "efficient",
)


def written(rng: random.Random) -> tuple[bytes, list[str]]:
    """A table as a stranger may write it, and its header."""
    names = rng.sample(NAMES, rng.randint(1, 5))
    pools = [
        rng.choice((PLAIN, PLAIN, PLAIN + NASTY[:9], NASTY, ("u", "v"), ("0", "1", "2"), None))
        for _ in names
    ]
    rows = [
        [rng.choice(pool) if pool else f"s{k}" for pool in pools]
        for k in range(rng.choice((1, 2, 4, 9)))
    ]
    rows += [list(rows[0])] * rng.choice((0, 0, 1))
    if rng.random() < 0.1:
        rows[-1] = rows[-1] + ["1"] if rng.random() < 0.5 else rows[-1][:-1]
    separator, end = rng.choice(",,;\t|"), rng.choice(("\n", "\r\n"))

    def cell(text: str) -> str:
        return (
            '"' + text.replace('"', '""') + '"'
            if any(sign in text for sign in (separator, '"', "\n"))
            else text
        )

    text = end.join(separator.join(map(cell, row)) for row in [names, *rows])
    return text.encode(rng.choice(("utf-8", "utf-8", "utf-8-sig", "utf-16"))), names


def said(path, label, roles, *, text: bool) -> tuple[object, ...]:
    """All that a reading holds, or how it is refused."""
    try:
        source = read_file(path)
        reading = interpret_source(source.as_text() if text else source, label, roles)
    except db.DataError as error:
        return (str(error),)
    frames = [
        frame for frame in (reading.frame, reading.texts, reading.per_dataset) if frame is not None
    ]
    cells = [
        (
            frame.dtypes.tolist(),
            frame.columns.tolist(),
            frame.index.tolist(),
            frame.index.names,
            [
                column.to_numpy().tobytes() if column.dtype == float else column.tolist()
                for _, column in frame.items()
            ],
        )
        for frame in frames
    ]
    roles_ = (repr(reading.columns), reading.label, reading.dataset)
    return cells, reading.notes, dict(reading.missing), reading.layout, roles_, source.decimal_comma


@pytest.mark.parametrize("part", mark_most_slow(range(6), 1))
def test_numbers_read_at_once_are_those_read_cell_by_cell(part, tmp_path) -> None:
    quick = 0
    for seed in range(25):
        rng = random.Random(25 * part + seed)
        data, names = written(rng)
        path = tmp_path / rng.choice(("results_accuracy.csv", "x.csv"))
        path.write_bytes(data)
        label = rng.choice((None, None, names[0], names[-1]))
        roles = (
            {}
            if rng.random() < 0.8
            else {rng.choice(names): rng.choice(("output", "label", "dataset", "left_out"))}
        )
        fast_frame = said(path, label, roles, text=False)
        assert fast_frame == said(path, label, roles, text=True), (25 * part + seed, data)
        quick += len(fast_frame) > 1 and any(
            dtype.kind in "fi" for dtype in read_file(path).frame.dtypes
        )
    assert quick > 7


def test_a_late_cell_that_is_no_plain_number_is_read_as_it_is(tmp_path) -> None:
    cells = [repr(value) for value in np.random.default_rng(0).uniform(0, 1, 12_000).tolist()]
    values = pd.to_numeric(
        pd.Series(cells)
    ).to_numpy()  # as text is read; before pandas 3.1 not rounded to the last bit
    for late, value in (("90 %", np.nan), ("-0", -0.0), ("1,014", 1014.0)):
        (tmp_path / "x.csv").write_text(
            "model,accuracy,recall\n"
            + "\n".join(
                f'm{k},{cell},"{late if k == 11_500 else cell}"' for k, cell in enumerate(cells)
            )
        )
        table = db.read(tmp_path / "x.csv").frame
        wanted = values.copy()
        wanted[11_500] = value
        assert table["accuracy"].to_numpy().tobytes() == values.tobytes()
        assert table["recall"].isna().tolist() == np.isnan(wanted).tolist()
        assert (
            table["recall"].fillna(0.5).to_numpy().tobytes()
            == np.where(np.isnan(wanted), 0.5, wanted).tobytes()
        )


def test_a_number_that_names_is_read_as_text(tmp_path) -> None:
    (tmp_path / "x.csv").write_text("m0,accuracy\n007,0.5\n7,0.6\n1e1,0.7\n")
    assert list(db.read(tmp_path / "x.csv", label="m0").frame.index) == ["007", "7", "1e1"]


def test_rows_that_differ_in_their_text_are_no_repeats(tmp_path) -> None:
    (tmp_path / "x.csv").write_text("model,accuracy\na,0.5\na,0.50\na,0.5\nb,0.5\n")
    assert list(db.read(tmp_path / "x.csv").frame.index) == ["a", "a (2)", "b"]


def test_names_that_differ_in_blanks_only_are_numbered(tmp_path) -> None:
    (tmp_path / "x.csv").write_text('model,accuracy\na,0.5\n"a ",0.6\nb,0.7\nb,0.8\n')
    assert list(db.read(tmp_path / "x.csv").frame.index) == ["a", "a (2)", "b", "b (2)"]


@pytest.mark.parametrize("rows", [3, 1 << 14])
def test_csv_written_by_columns_is_that_of_pandas(rows, monkeypatch) -> None:
    monkeypatch.setattr("deabench.utils.text.ROWS", rows)
    texts = [
        "",
        "=1",
        "-",
        "\tz",
        "\rq",
        "a,b",
        'say "hi"',
        "line\nbreak",
        "é",
        "'=1",
        "nan",
        "x",
        "y",
        "z",
        "-0.5",
    ]
    floats = [
        0.1,
        1 / 3,
        1e-5,
        1e16,
        1e22,
        np.nan,
        np.inf,
        -np.inf,
        -0.0,
        5e-324,
        1e-4,
        9999999999999998.0,
        1.0,
        2.0**53,
        100.0,
    ]
    for index in (texts, [f"s{k}" for k in range(15)], list(range(15))):
        frame = pd.DataFrame(
            {
                "f": floats,
                "=i": np.arange(15),
                "b": np.arange(15) % 2 == 0,
                "t": texts[::-1],
                "u": ["p"] * 15,
                "I": pd.array(range(15), dtype="Int64"),
            },
            index=pd.Index(index, name="classifier"),
        )
        for subset in (
            frame,
            frame[["f", "I"]],
            frame[["t"]].iloc[:0],
            frame.assign(t=[None, *texts[1:]]),
            frame[[]],
        ):
            flat = subset.reset_index()
            safe = flat.map(lambda cell: escape_formula(cell) if isinstance(cell, str) else cell)
            wanted = safe.astype({"I": "Int64"} if "I" in subset else {}).set_axis(
                [escape_formula(str(c)) for c in flat], axis=1
            )
            assert csv_text(subset) == wanted.to_csv(index=False, lineterminator="\n")


def test_truths_and_whole_numbers_that_no_float_holds_are_read_again_as_text(tmp_path) -> None:
    (tmp_path / "x.csv").write_text(
        "model,accuracy,efficient,\nA,0.5,True,-0\nB,0.6,False,18446744073709551616\n"
    )
    assert read_file(tmp_path / "x.csv").frame["efficient"].tolist() == ["True", "False"]
    values = db.read(tmp_path / "x.csv").frame["Unnamed: 3"].to_numpy()
    assert values.tobytes() == np.array([-0.0, 2.0**64]).tobytes()


def test_two_header_rows_of_a_csv_are_joined(tmp_path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(
        "Model,COCO,,LVIS,\n,AP,AP50,AP,AP50\na,40.1,60.2,30,50\nb,41,61,31,51\nc,39,59,29,49\n"
    )
    source = read_file(path)
    assert list(source.frame) == ["Model", "COCO AP", "COCO AP50", "LVIS AP", "LVIS AP50"]
    assert source.frame["LVIS AP50"].tolist() == ["50", "51", "49"]


@pytest.mark.parametrize(
    "rows",
    [
        ",acc,\na,0.9,x\nb,0.8,y\nc,0.7,z\n",
        "model,acc,acc2\n,0.9,0.8\nb,0.8,0.7\nc,0.7,0.6\n",
        "m,,x\na,1,2\nb,3,4\nc,5,6\n",
    ],
)
def test_a_row_of_numbers_or_without_merged_cells_is_no_second_header(rows, tmp_path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(rows)
    assert len(read_file(path).frame) == 3


def test_prose_above_a_header_is_kept_apart(tmp_path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("Results of 2026\nLower is better.\n\nmodel,wer\na,5.1\nb,6.2\n")
    source = read_file(path)
    assert source.frame.to_dict("list") == {"model": ["a", "b"], "wer": [5.1, 6.2]}
    assert source.prose == "Results of 2026\nLower is better."


def test_titles_with_empty_cells_above_a_header_are_kept_apart(tmp_path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("Speed,,\nKey exchange,,\nscheme,variant,cycles\na,ref,5\na,opt,3\nb,ref,4\n")
    source = read_file(path)
    assert list(source.frame) == ["scheme", "variant", "cycles"]
    assert "Key exchange" in source.prose


def test_markup_is_stripped_from_names_and_labels_of_a_csv(tmp_path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(
        "**Model**,R<sup>2</sup>,IS $\\uparrow$,clf__C\n[a_b](http://x),**0.9**,1,2\n<b>c*</b>,0.8,3,4\n"
    )
    frame = read_file(path).frame
    assert list(frame) == ["Model", "R2", "IS ↑", "clf__C"]
    assert frame["Model"].tolist() == ["a_b", "c*"]
    assert frame["R2"].tolist() == ["0.9", "0.8"]


@pytest.mark.parametrize("compress", [bz2.compress, lzma.compress, gzip.compress])
def test_compressed_files_are_read_within_the_limit(compress, tmp_path, refused) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(compress(b"model,acc\na,0.9\nb,0.8\n"))
    assert read_file(path).frame["acc"].tolist() == [0.9, 0.8]
    path.write_bytes(compress(b"model,acc\n" + b"a,0.9\n" * 1000))
    text = (
        f"'{path}' holds 5001 bytes, more than 5,000; raise the limit with limits={{'bytes': 5001}}"
    )
    with refused(text.replace("holds 5001", "holds 5,001")):
        read_file(path, limits=Limits(bytes=5000))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("model,acc\na,0.9\nb,0.8\n\nmodel,f1\na,0.7\nb,0.6\n", ["1", "2"]),
        (
            "On A\nmodel,acc\na,0.9\nb,0.8\n\nOn B\nmodel,f1\na,0.7\nb,0.6\n",
            ["On A", "On B"],
        ),
        ("On A\nmodel;acc\na;0.9\nb;0.8\nOn B\nmodel;f1\na;0.7\nb;0.6\n", ["On A", "On B"]),
    ],
    ids=["empty line", "titles", "titles alone"],
)
def test_one_of_several_tables_in_a_file_is_to_be_chosen(text, names, tmp_path, refused) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    quoted = ", ".join(f"'{name}'" for name in names)
    with refused(
        f"'{path}' holds 2 tables below each other ({quoted}); pass sheet='{names[0]}' to read one "
        "of them"
    ):
        db.read(path)
    table = db.read(path, sheet=names[1])
    assert table.outputs == ["f1"]
    assert list(table.frame["f1"]) == [0.7, 0.6]


def test_tables_below_each_other_are_called_by_their_first_cells(tmp_path, refused) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Small;acc;\na;0.9;\nb;0.8;\n\nLarge;  acc;\na;0.7;\nb;0.6;\n")
    with refused(
        f"'{path}' holds 2 tables below each other ('Small', 'Large'); pass sheet='Small' to read "
        "one of them"
    ):
        db.read(path)
    table = db.read(path, sheet="Large")
    assert table.label == ("Large",)
    assert list(table.frame["acc"]) == [0.7, 0.6]


def test_a_table_that_dwarfs_another_below_it_is_read(tmp_path, refused) -> None:
    path = tmp_path / "t.csv"
    rows = "".join(f"m{k},0.{k},{k}\n" for k in range(1, 6))
    path.write_text(f"model,acc,latency_ms\n{rows}\nmetric,value\nseconds,3.49\n")
    table = db.read(path)
    assert table.outputs == ["acc"]
    assert len(table.frame) == 5
    assert table.notes[0] == (
        f"of the 2 tables of '{path}', table 1 (5 rows), which has the most numbers, is read; pass "
        "sheet='2' to read another: table 2 (1 row)"
    )
    # Two rows below them are no remnant any more.
    path.write_text(f"model,acc,latency_ms\n{rows}\nmetric,value\nseconds,3.49\nbytes,7\nx,9\n")
    with refused(
        f"'{path}' holds 2 tables below each other ('1', '2'); pass sheet='1' to read one of them"
    ):
        db.read(path)


def test_empty_lines_between_rows_separate_no_tables(tmp_path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("model,acc\na,0.9\n\nb,0.8\n\nc,0.7\n")
    assert list(db.read(path).frame.index) == ["a", "b", "c"]


def test_columns_of_one_name_are_numbered_with_a_note(tmp_path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("model,accuracy,accuracy,f1\na,0.9,0.7,0.8\nb,0.8,0.75,0.6\n")
    table = db.read(path)
    assert table.outputs == ["accuracy", "accuracy (2)", "f1"]
    assert table.frame["accuracy (2)"].tolist() == [0.7, 0.75]
    assert "names of columns appear more than once: 'accuracy (2)'" in table.notes


@pytest.mark.parametrize(
    ("heading", "names"),
    [
        ("AP / FPS", ["AP", "FPS"]),
        ("Flip AP / FPS", ["Flip AP", "Flip FPS"]),
        ("PSNR/SSIM", ["PSNR", "SSIM"]),
        ("RMSE (3 / 5 days) [m2/s2]", ["RMSE (3 days) [m2/s2]", "RMSE (5 days) [m2/s2]"]),
        ("Speed (GPU / CPU)", ["Speed (GPU)", "Speed (CPU)"]),
        ("Top-1 (300/450)", ["Top-1 (300)", "Top-1 (450)"]),
        ("OTB (AUC/Prec.)", ["OTB AUC", "OTB Prec."]),
        ("VOT18 (EAO/A)", ["VOT18 EAO", "VOT18 A"]),
        ("mIoU/ODX (ours)", ["mIoU (ours)", "ODX (ours)"]),
    ],
)
def test_numbers_that_heading_and_cells_join_are_columns(heading, names, tmp_path) -> None:
    path = tmp_path / "t.md"
    path.write_text(
        f"| Model | {heading} | F1 |\n|--|--|--|\n| a | 75.7 / 76 | 5 |\n| b | 79 / 70.5 | 6 |\n"
        "| c | 60 | 7 |\n| d | - | 8 |\n"
    )
    table = db.read(path)
    assert table.notes[0] == (
        f"the numbers in a cell of '{heading}' are columns: '{names[0]}', '{names[1]}'; "
        "left out: '60'"
    )
    frame = table.frame
    assert list(frame.columns) == [*names, "F1"]
    assert frame[names[0]].tolist()[:2] == [75.7, 79]
    assert frame[names[1]].tolist()[:2] == [76, 70.5]
    assert frame[names].isna().all(axis=1).tolist() == [False, False, True, True]
    # The same cells in CSV, whose text is read again for labels.
    path.write_text(f"Model,{heading}\na,75.7/76\nb,79/70.5\n")
    assert list(db.read(path, label="Model").frame.columns) == names


def test_bars_join_numbers_as_slashes_do(tmp_path) -> None:
    path = tmp_path / "t.md"
    path.write_text(
        "| Model | Lake (AUC/XDP) | F1\\|FPS |\n|--|--|--|\n"
        "| a | 0.41\\|0.52 | 0.7\\|31 |\n| b | 0.38\\|0.61 | 0.6\\|44 |\n"
    )
    frame = db.read(path).frame
    assert list(frame.columns) == ["Lake AUC", "Lake XDP", "F1", "FPS"]
    assert frame["Lake XDP"].tolist() == [0.52, 0.61]


@pytest.mark.parametrize(
    ("heading", "cells"),
    [
        ("tok/s", ["7 / 8", "9 / 8"]),
        ("Price ($ / 1M)", ["3 / 15", "1 / 5"]),
        ("Rate (right / all)", ["45 / 50", "39 / 40"]),
        ("Input / Output ($ / 1M)", ["3.5 / 15", "1 / 5"]),
        ("AP / FPS", ["40.3 / 14", "37.4 / 52 / 3"]),
        ("AP / FPS", ["40.3 / 14", "39"]),
        ("flux/aux", ["40.3 / 14", "39 / 14 / 3"]),
        ("Cost (EUR/h)", ["4.3 / 1.4", "3.9 / 2.1"]),
        ("AP / FPS", ["40.3 / 14", "fast / slow"]),
    ],
)
def test_other_cells_with_slashes_stay_as_they_are(heading, cells, tmp_path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"Model,F1,{heading}\na,0.5,{cells[0]}\nb,0.6,{cells[1]}\n")
    assert open_source(path).frame[heading].tolist() == cells


def test_joined_numbers_stay_where_a_column_has_the_name_of_one(tmp_path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Model,AP / FPS,AP\na,40.3 / 14,1\nb,37.4 / 52,2\n")
    assert list(open_source(path).frame.columns) == ["Model", "AP / FPS", "AP"]


def test_empty_cells_beside_joined_numbers_stay_empty() -> None:
    """In a frame an empty cell of text is NaN, and no text."""
    frame = pd.DataFrame({"model": list("abc"), "AP / FPS": ["40.3 / 14", None, "41.2 / 12"]})
    table = db.read(frame)
    assert table.frame["AP"].isna().tolist() == [False, True, False]
    assert table.frame["FPS"].tolist()[::2] == [14.0, 12.0]


def test_quoted_cells_may_hold_ends_of_lines_behind_any_separator(tmp_path) -> None:
    route = '"[ 0 20  5 25\n  6 23  2  3]"'
    lines = [f"{k}\tsolver{k}\t{route}\t{k}.5" for k in range(4)]
    file = tmp_path / "routes.tsv"
    file.write_text("\tsolver\troute\ttime (s)\n" + "\n".join(lines) + "\n")
    frame = read_file(file).frame
    assert list(frame.columns)[1:] == ["solver", "route", "time (s)"]
    assert len(frame) == 4
