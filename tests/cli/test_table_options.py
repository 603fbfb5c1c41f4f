"""Every verb takes the same options of a table, and asks what the table does not tell."""

from __future__ import annotations

import io
import json
import shlex
import sys

import pandas as pd
import pytest

from deabench.cli import main
from deabench.cli.options.table import TableOptions
from deabench.errors import DataError
from deabench.tables.read import as_table

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
TABLE_VERBS = ("read", "rank", "frontier", "targets", "weightings", "report", "uncertainty", "gate")
RESULT_VERBS = ("metrics", "compare", "curve")
"""Verbs that take single results; of metrics they know no direction, gap or budget."""
SOURCE_OPTIONS = ("ignore", "label", "dataset", "missing-code", "sheet", "limit", "quiet")
TABLE_OPTIONS = (
    *SOURCE_OPTIONS,
    *("outputs", "inputs", "lower-is-better", "missing", "within", "strict", "undesirable"),
    "non-discretionary",
)
ANSWER_OPTIONS = ("positive", "scores", "threshold")
BOARD = (
    "model,Accuracy (%),MMLU,Latency (ms),Price ($/1M tok),year\n"
    "alpha,88.1,70.2,120,10,2023\nbeta,80.3,60.5,40,1,2024\ngamma,85.0,,60,3,2024\n"
    "delta,70.5,50.1,30,0.5,2022\neps,86.2,69.0,200,-1,2024\nzeta,84.0,66.0,90,4,2023\n"
)
UNKNOWN = "system,zork,blip\n" + "".join(f"s{k},{k / 10},{1 - k / 12:.3f}\n" for k in range(8))


@pytest.fixture
def board(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "board.csv").write_text(BOARD)
    (tmp_path / "unknown.csv").write_text(UNKNOWN)
    return tmp_path


@pytest.mark.parametrize("verb", [*TABLE_VERBS, *RESULT_VERBS])
def test_every_verb_has_every_option(verb, capsys) -> None:
    options = SOURCE_OPTIONS
    if verb in TABLE_VERBS:
        options = TABLE_OPTIONS
    if verb != "read":
        options = (*options, *ANSWER_OPTIONS)
    assert main([verb, "--help"]) == 0
    shown = capsys.readouterr().out.replace(",", " ").split()
    assert [name for name in options if f"--{name}" not in shown] == []


@pytest.mark.parametrize("verb", [["rank"], ["frontier"], ["targets"], ["report", "-o", "p.html"]])
def test_options_of_gaps_codes_and_budgets_work_in_every_verb(verb, board, undrawn, capsys) -> None:
    words = [*verb, "board.csv", "--missing", "drop-systems", "--missing-code", "-1"]
    assert main([*words, "--within", "Latency (ms)=150"]) == 0, capsys.readouterr().err
    if verb != ["report", "-o", "p.html"]:
        assert "gamma" not in capsys.readouterr().out.split("Closest targets")[0]


def test_the_command_that_read_prints_ranks_alike(board, capsys) -> None:
    assert main(["read", "board.csv", "--missing-code", "-1", "--format", "json"]) == 0
    words = shlex.split(json.loads(capsys.readouterr().out)["command"])
    assert main([*words[1:], "--missing-code", "-1", "--format", "csv"]) == 0
    assert "alpha" in capsys.readouterr().out


@pytest.mark.parametrize("verb", ["rank", "frontier", "targets"])
def test_off_a_terminal_the_commands_to_choose_from_are_printed_and_run(
    verb, board, capsys
) -> None:
    assert main([verb, "unknown.csv"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    lines = [shlex.split(line) for line in err.splitlines() if line.startswith("  deabench")]
    assert len(lines) >= 2
    for words in lines:
        assert words[:3] == ["deabench", verb, "unknown.csv"]
        assert main(words[1:]) == 0
        capsys.readouterr()


def test_on_a_terminal_a_question_with_a_default_is_asked(board, capsys, monkeypatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    answers = {}
    for typed in ("\n", "higher\n", "l\n"):
        error = Terminal()
        monkeypatch.setattr(sys, "stdin", Terminal(typed))
        monkeypatch.setattr(sys, "stderr", error)
        assert main(["rank", "unknown.csv", "--format", "json"]) == 0
        assert "[higher/lower" in error.getvalue()
        rows = json.loads(capsys.readouterr().out)
        answers[typed] = [row["efficiency"] for row in rows]
    assert answers["higher\n"] != answers["l\n"]
    assert answers["\n"] in (answers["higher\n"], answers["l\n"])
    monkeypatch.setattr(sys, "stdin", Terminal("nonsense\n"))
    assert main(["rank", "unknown.csv"]) == 1


def test_a_budget_needs_a_limit_and_suggests_the_column(board, capsys) -> None:
    words = ["rank", "board.csv", "--missing", "drop-systems", "--missing-code", "-1"]
    assert main([*words, "--within", "Price"]) == 2
    assert "--within 'Price' has no limit; type --within 'Price=LIMIT'" in capsys.readouterr().err
    assert main([*words, "--within", "price=3"]) == 1
    assert "did you mean 'Price ($/1M tok)'?" in capsys.readouterr().err


def test_targets_without_a_reference_take_the_table(board, capsys) -> None:
    words = ["targets", "board.csv", "--outputs", "Accuracy (%)", "--inputs", "Latency (ms)"]
    assert main([*words, "--format", "csv"]) == 0
    alone = capsys.readouterr().out
    assert main([*words, "--reference", "board.csv", "--format", "csv"]) == 0
    assert capsys.readouterr().out == alone


def test_strict_refuses_what_is_guessed_of_a_frame() -> None:
    """Of a file is asked what a frame's columns are guessed to be."""
    columns = {"flux": [0.5, 0.7, 0.9, 0.2, 0.3, 0.4], "tune": [0.9, 0.7, 0.1, 0.3, 0.2, 0.6]}
    table = as_table(pd.DataFrame(columns, index=list("abcdef")))
    assert TableOptions(["a.csv"]).select(table).guessed == ("flux", "tune")
    with pytest.raises(DataError, match="strict refuses guesses"):
        TableOptions(["a.csv"], strict=True).select(table)


def test_a_question_begins_with_its_likeliest_command(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.csv").write_text("Class,off,on\nx,0.7,0.9\ny,0.8,0.85\n")
    assert main(["rank", "m.csv"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].endswith("higher or lower is better in 'score'. If higher is better, type")
    assert lines[1] == "  deabench rank m.csv --dataset Class --outputs score"
    assert lines[2:] == [
        "or, if lower is better,",
        "  deabench rank m.csv --dataset Class --lower-is-better score",
        "or, if the rows are to be compared,",
        "  deabench rank m.csv --label Class",
    ]
    words = shlex.split(lines[1])[2:]
    assert main(["rank", *words, "--format", "json"]) == 0
    ranked = json.loads(capsys.readouterr().out)
    assert [row["classifier"] for row in ranked] == ["on", "off"]
    # What `read` shows of the same command is what was ranked.
    assert main(["read", *words, "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["kind"], shown["outputs"]) == ("datasets", ["score"])
