"""A command never writes over a file that it reads, whatever the file is called."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pandas as pd
import pytest

import deabench as db
from deabench.cli import main

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
BOARD = "model,accuracy,f1\na,.9,.7\nb,.8,.8\nc,.7,.9\nd,.6,.6\n"
PREDICTIONS = "y_true,a,b\n" + "1,1,0\n0,0,0\n1,0,1\n0,1,0\n" * 5


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    """A folder of tables, also under other names, which the commands work in."""
    monkeypatch.chdir(tmp_path)
    for name in ("lb.csv", "other.csv", "lb.json.csv"):
        (tmp_path / name).write_text(BOARD, encoding="utf-8")
    (tmp_path / "preds.csv").write_text(PREDICTIONS, encoding="utf-8")
    (tmp_path / "link.csv").symlink_to("lb.csv")
    os.link(tmp_path / "lb.csv", tmp_path / "twin.csv")
    (tmp_path / "nested").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("command", "option", "named"),
    [
        ("rank lb.csv -o lb.csv", "-o 'lb.csv'", "the file"),
        ("rank lb.csv -o nested/../lb.csv", "-o 'nested/../lb.csv'", "'lb.csv'"),
        ("rank link.csv -o lb.csv", "-o 'lb.csv'", "'link.csv'"),
        ("rank lb.csv -o link.csv", "-o 'link.csv'", "'lb.csv'"),
        ("rank lb.csv -o twin.csv", "-o 'twin.csv'", "'lb.csv'"),
        ("rank lb.csv other.csv -o other.csv", "-o 'other.csv'", "the file"),
        ("rank l*.csv -o lb.csv", "-o 'lb.csv'", "a file of 'l*.csv'"),
        ("rank lb.csv --plot lb.csv", "--plot 'lb.csv'", "the file"),
        ("rank lb.csv --reference other.csv -o other.csv", "-o 'other.csv'", "the file"),
        ("rank lb.csv --uncertainty preds.csv -o preds.csv", "-o 'preds.csv'", "the file"),
        ("frontier lb.csv --graphml lb.csv", "--graphml 'lb.csv'", "the file"),
        ("targets lb.csv -o lb.csv", "-o 'lb.csv'", "the file"),
        ("weightings lb.csv -o lb.csv", "-o 'lb.csv'", "the file"),
        ("metrics preds.csv -o preds.csv", "-o 'preds.csv'", "the file"),
        ("curve preds.csv --plot preds.csv", "--plot 'preds.csv'", "the file"),
        ("compare preds.csv -o preds.csv", "-o 'preds.csv'", "the file"),
        ("uncertainty preds.csv -o preds.csv", "-o 'preds.csv'", "the file"),
        ("uncertainty preds.csv --costs lb.csv -o lb.csv", "-o 'lb.csv'", "the file"),
        ("gate preds.csv --candidate a -o preds.csv", "-o 'preds.csv'", "the file"),
        ("gate preds.csv --candidate a --ledger lb.csv -o lb.csv", "-o 'lb.csv'", "the file"),
        ("report lb.csv -o lb.csv", "-o 'lb.csv'", "the file"),
        ("report lb.csv --tested other.csv -o other.csv", "-o 'other.csv'", "the file"),
        ("study status lb.csv -o lb.csv", "-o 'lb.csv'", "the file"),
        ("recommend preds.csv --study lb.csv -o preds.csv", "-o 'preds.csv'", "the file"),
    ],
)
def test_an_output_that_is_read_is_refused_before_anything_runs(
    command, option, named, folder, capsys
) -> None:
    contents = {path: path.read_bytes() for path in folder.glob("*.csv")}
    assert main(command.split()) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err == (
        f"deabench: {option} would overwrite {named}, which is read; name another file\n"
    )
    assert {path: path.read_bytes() for path in folder.glob("*.csv")} == contents


def test_standard_input_that_is_a_file_is_not_overwritten(folder, monkeypatch, capsys) -> None:
    with open("lb.csv", encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert main(["rank", "-", "-o", "lb.csv"]) == 2
    assert "would overwrite the file, which is read" in capsys.readouterr().err
    assert (folder / "lb.csv").read_text(encoding="utf-8") == BOARD


def test_a_stream_of_text_can_be_written_to_any_file(folder, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BOARD.encode())))
    assert main(["rank", "-", "-o", "lb.csv"]) == 0
    assert (folder / "lb.csv").read_text(encoding="utf-8") != BOARD


def test_another_file_of_the_folder_is_written_again_and_again(folder) -> None:
    for _ in range(2):
        assert main(["rank", "lb.csv", "-o", "scores.csv"]) == 0
        assert main(["rank", "lb.csv", "-o", "other.csv"]) == 0


@pytest.mark.slow
def test_a_report_is_not_saved_over_what_it_was_made_from(folder, refused) -> None:
    message = "the report was made from '{}'; write it to another file"
    for source in ("lb.csv", Path("lb.csv"), "l*b.csv", ["lb.csv"], "link.csv"):
        page = db.report(source)
        with refused(message.format("lb.csv")):
            page.save("lb.csv", "md")
    page = db.report("lb.csv", reference="other.csv")
    with refused(message.format("other.csv")):
        page.save("other.csv", "md")
    changes = db.report("lb.csv", "other.csv")
    for name in ("lb.csv", "other.csv"):
        with refused(message.format(name)):
            changes.save(name, "md")
    page.save("page.html")
    page.save("page.html")


def test_scores_of_many_files_are_not_written_over_one_of_them(folder, refused, capsys) -> None:
    frame = pd.DataFrame({"model": ["a", "b"], "accuracy": [0.9, 0.8], "f1": [0.7, 0.8]})
    frame.to_parquet(folder / "part.parquet")
    os.link(folder / "part.parquet", folder / "nested/twin.parquet")
    (folder / "nested/link.parquet").symlink_to(folder / "part.parquet")
    for name in ("twin", "link"):
        path = folder / f"nested/{name}.parquet"
        with refused(f"'{path}' is one of the files that are ranked; write the scores elsewhere"):
            db.rank_files(str(folder / "part.parquet"), path)
    assert main(["rank", str(folder), "-o", str(folder / "nested/link.parquet")]) == 2
    assert capsys.readouterr().err == (
        f"deabench: -o '{folder}/nested/link.parquet' would overwrite a file of '{folder}', which "
        "is read; name another file\n"
    )


def test_the_proposed_file_of_scores_is_none_of_the_ranked_ones(folder, capsys) -> None:
    assert main(["rank", "."]) == 1
    assert capsys.readouterr().err == (
        "deabench: no file is called '*.parquet'; give a pattern of Parquet files, as "
        "'sweep/*.parquet'\n"
    )
    frame = pd.DataFrame({"model": ["a", "b"], "accuracy": [0.9, 0.8], "f1": [0.7, 0.8]})
    frame.to_parquet(folder / "part.parquet")
    frame.to_parquet(folder / "nested/part.parquet")
    for source, proposal in ((".", "../scores.parquet"), ("nested", "scores.parquet")):
        assert main(["rank", source]) == 2
        assert capsys.readouterr().err == (
            f"deabench: the scores of many files are written as Parquet; type -o {proposal}\n"
        )
    # The proposal is taken.
    (folder / "nested/below").mkdir()
    assert main(["rank", "nested", "-o", "scores.parquet"]) == 0
    # Now that it exists it is one of the files of the folder.
    assert main(["rank", "*.parquet"]) == 2
    assert "type -o ../scores.parquet" in capsys.readouterr().err


def test_a_word_is_not_taken_twice(folder, capsys) -> None:
    words = ["rank", "lb.csv", "--inputs", "f1", "--model", "ccr"]
    assert main([*words, "--option", "returns=vrs", "--returns", "crs"]) == 2
    assert capsys.readouterr().err == (
        "deabench: --returns is named by --option, too; leave it out\n"
    )
    assert main([*words, "--option", "orientation=input", "--orientation", "output"]) == 2
    assert main([*words, "--option", "returns=vrs", "--orientation", "output"]) == 0


def test_instances_of_several_classifiers_are_counted_once(folder, capsys) -> None:
    rows = [
        {"classifier": name, "instance": k, "y_true": k % 3 == 0, "score": (k * step % 7) / 7}
        for name, step in (("a", 1), ("b", 2), ("c", 3), ("d", 4))
        for k in range(30)
    ]
    frame = pd.DataFrame(rows).astype({"y_true": int})
    for columns in (list(frame), ["classifier", "y_true", "score"]):
        frame[columns].to_csv(folder / "long.csv", index=False)
        assert main(["curve", "long.csv"]) == 0
        assert "convention, 10 of 30 instances" in capsys.readouterr().err
