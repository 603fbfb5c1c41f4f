"""One proposed command carries all answers: it runs to a ranking wherever there is one."""

from __future__ import annotations

import io
import json
import shlex
import sys
import warnings

import pytest

import deabench as db
from deabench.cli import main
from deabench.cli._run import refusal_finder
from deabench.cli.options.table import TableOptions

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def propose(text: str, tmp_path, capsys, *words: str, verb: str = "rank") -> list[str]:
    """Return the first command that a refused table proposes."""
    path = tmp_path / "board.csv"
    path.write_text(text, encoding="utf-8")
    assert main([verb, str(path), *words]) == (1 if verb == "rank" else 0)
    lines = capsys.readouterr().err.splitlines()
    return shlex.split(next(line for line in lines if line.startswith("  deabench ")))[1:]


def option(command: list[str], name: str) -> str:
    return command[command.index(name) + 1]


QUESTION_AND_NEGATIVES = (
    "model,accuracy,reward,flux\n"
    "A,0.91,-1.5,0.51\nB,0.88,2.5,0.62\nC,0.79,3.25,0.73\nD,0.95,1.75,0.41\n"
)


@pytest.mark.parametrize("verb", ["rank", "read"])
def test_a_direction_and_values_below_0_are_answered_together(verb, tmp_path, capsys) -> None:
    command = propose(QUESTION_AND_NEGATIVES, tmp_path, capsys, verb=verb)
    assert option(command, "--model") == "rdm"
    assert main(command) == 0


def test_a_direction_empty_cells_and_values_below_0_are_answered_together(tmp_path, capsys) -> None:
    text = QUESTION_AND_NEGATIVES + "E,,1.25,0.35\n"
    command = propose(text, tmp_path, capsys)
    assert option(command, "--missing") == "drop-systems"
    assert option(command, "--model") == "rdm"
    assert main(command) == 0


def test_empty_cells_and_values_below_0_are_answered_together(tmp_path, capsys) -> None:
    text = "model,accuracy,reward\nA,0.91,-1.5\nB,0.88,2.5\nC,,3.25\n"
    command = propose(text, tmp_path, capsys)
    assert command[2:] == ["--missing", "drop-systems", "--model", "rdm"]
    assert main(command) == 0


def test_an_option_that_is_typed_is_not_proposed_otherwise(tmp_path, capsys) -> None:
    command = propose(QUESTION_AND_NEGATIVES, tmp_path, capsys, "--model", "wei")
    assert command.count("--model") == 1
    assert option(command, "--model") == "wei"


def test_losses_that_are_written_below_0_are_ranked_at_once(tmp_path, capsys) -> None:
    path = tmp_path / "board.csv"
    path.write_text("strategy,Sharpe Ratio,Max Drawdown\nA,0.9,-0.2\nB,0.7,-0.1\nC,0.6,-0.3\n")
    assert main(["rank", str(path)]) == 0
    assert "is a loss with its sign turned; inside it is an input" in capsys.readouterr().err
    scores = db.rank(db.read(path)).scores
    assert scores["C"] < 1
    assert scores["A"] == scores["B"] == 1


def test_returns_and_profits_may_be_below_0(tmp_path, capsys) -> None:
    text = "strategy,total_return,CAGR\nA,-0.5,0.1\nB,0.7,-0.1\nC,0.6,0.05\n"
    command = propose(text, tmp_path, capsys)
    assert command[2:] == ["--model", "rdm"]
    assert main(command) == 0


def test_a_metric_with_values_that_it_cannot_have_may_be_left_out(tmp_path, capsys) -> None:
    text = "model,accuracy,F1,AUC,ms\nA,0.9,0.8,0.9,-3.5\nB,0.8,0.9,0.7,2\nC,0.7,0.6,0.8,9\n"
    command = propose(text, tmp_path, capsys)
    assert command[2:] == ["--ignore", "ms"]
    assert main(command) == 0
    # Of two metrics none is left out lightly.
    path = tmp_path / "two.csv"
    path.write_text("model,accuracy,latency_ms\nA,0.9,-3.5\nB,0.8,2\n")
    assert main(["rank", str(path)]) == 1
    assert capsys.readouterr().err.endswith("'latency_ms' cannot be below 0, correct it\n")


def test_a_code_is_an_empty_cell(tmp_path, capsys) -> None:
    text = "model,accuracy,F1\nA,0.9,-1\nB,0.8,0.7\nC,0.7,0.9\n"
    command = propose(text, tmp_path, capsys)
    assert command[2:] == ["--missing-code", "-1", "--missing", "drop-systems"]
    assert main(command) == 0


def test_where_no_row_and_no_metric_is_complete_the_emptiest_metric_goes(tmp_path, capsys) -> None:
    text = "model,accuracy,F1,AUC\nA,0.9,,0.8\nB,0.8,,0.7\nC,0.7,,\nD,,0.8,0.7\nE,0.6,,0.5\n"
    command = propose(text, tmp_path, capsys)
    assert command[2:] == ["--ignore", "F1", "--missing", "drop-systems"]
    assert main(command) == 0


def test_ranges_do_not_take_what_is_ignored(tmp_path) -> None:
    path = tmp_path / "board.csv"
    path.write_text("model,u,v,w\nA,1,2,3\nB,3,1,2\nC,2,3,1\n")
    table = db.read(path, label="model", ignore=["v"])
    assert list(db.rank(table, outputs=["u:w"]).data.outputs) == ["u", "w"]
    assert list(db.rank(table, outputs=["u", "v"]).data.outputs) == ["u", "v"]


def test_a_profit_of_minus_one_is_a_profit(tmp_path, capsys) -> None:
    text = "firm,cost_usd,total_return\na,1,0.5\nb,2,-1\nc,3,0.25\n"
    command = propose(text, tmp_path, capsys)
    assert command[2:] == ["--model", "rdm"]
    assert main(command) == 0


def test_what_is_typed_as_a_metric_is_not_proposed_to_be_ignored(tmp_path, capsys) -> None:
    path = tmp_path / "board.csv"
    rows = "A,0.9,0.8,0.9,-3.5\nB,0.8,0.9,0.7,2\nC,0.7,0.6,0.8,9\n"
    path.write_text(f"model,accuracy,F1,AUC,ms\n{rows}")
    assert main(["rank", str(path), "--outputs", "accuracy,F1,AUC", "--inputs", "ms"]) == 1
    err = capsys.readouterr().err
    assert "'ms' cannot be below 0" in err
    assert "To do so, type" not in err


def test_json_has_the_command_that_the_message_proposes(tmp_path, capsys) -> None:
    proposed = propose(QUESTION_AND_NEGATIVES, tmp_path, capsys, verb="read")
    assert main(["read", str(tmp_path / "board.csv"), "--format", "json"]) == 0
    command = shlex.split(json.loads(capsys.readouterr().out)["command"])[1:]
    assert option(command, "--model") == "rdm"
    assert sorted(command) == sorted(proposed)


def test_trying_a_command_prints_and_writes_nothing(tmp_path, capsys, monkeypatch) -> None:
    path = tmp_path / "board.csv"
    path.write_text(QUESTION_AND_NEGATIVES, encoding="utf-8")

    def read_loudly(*_: object, **__: object) -> None:
        sys.stdout.write("read")
        sys.stderr.write("read")
        warnings.warn("read", stacklevel=1)
        raise MemoryError

    monkeypatch.setattr(TableOptions, "read", read_loudly)
    find_refusal = refusal_finder("rank", [str(path), "-o", str(tmp_path / "out.csv")])
    assert find_refusal({"model": ("rdm",)}) is None
    assert capsys.readouterr() == ("", "")
    assert [file.name for file in tmp_path.iterdir()] == ["board.csv"]


def test_standard_input_is_not_read_twice(capsys, monkeypatch) -> None:
    source = io.TextIOWrapper(io.BytesIO(QUESTION_AND_NEGATIVES.encode()))
    monkeypatch.setattr("sys.stdin", source)
    reads = []
    read = TableOptions.read

    def count_and_read(table: TableOptions) -> object:
        reads.append(table.files)
        return read(table)

    monkeypatch.setattr(TableOptions, "read", count_and_read)
    assert main(["rank", "-"]) == 1
    assert len(reads) == 1
    assert "--outputs accuracy" in capsys.readouterr().err
