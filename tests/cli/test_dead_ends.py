"""Where a first-time user came to a dead end: each message now names the way on, which works."""

from __future__ import annotations

import re
import shlex

import numpy as np
import pytest

import deabench as db
from deabench import curves
from deabench.cli import main

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
BOARD = (
    "model,Accuracy (%),MMLU,Latency (ms)\n"
    "alpha,88.1,70.2,120\nbeta,80.3,60.5,40\ngamma,85.0,,60\ndelta,70.5,50.1,30\n"
)


@pytest.fixture
def board(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "board.csv").write_text(BOARD)
    return tmp_path


@pytest.mark.parametrize("verb", ["read", "rank", "report", "metrics", "compare", "uncertainty"])
def test_a_mistyped_file_name_gets_a_suggestion(verb, board, capsys) -> None:
    assert main([verb, "bord.csv"]) == 1
    assert capsys.readouterr().err.endswith("did you mean 'board.csv'?\n")
    assert main([verb, str(board / "elsewhere" / "bord.csv")]) == 1
    assert capsys.readouterr().err.endswith("; name a file with a table\n")


def test_a_row_that_was_left_out_is_explained_as_such(board, capsys) -> None:
    words = ["rank", "board.csv", "--missing", "drop-systems", "--explain"]
    assert main([*words, "gamma"]) == 1
    assert capsys.readouterr().err.endswith("left out for a missing cell: 'gamma'\n")
    assert main([*words, "alpa"]) == 1
    assert capsys.readouterr().err.endswith("did you mean 'alpha'?\n")


def test_a_note_is_said_once(board, capsys) -> None:
    for verb in ("rank", "frontier", "targets", "weightings"):
        assert main([verb, "board.csv", "--missing", "drop-systems"]) == 0
        lines = [line for line in capsys.readouterr().err.splitlines() if line.strip()]
        assert len(lines) == len(set(lines)), verb


@pytest.mark.parametrize("model", ["ccr", "cross"])
def test_the_way_to_projections_that_can_exist_is_one_that_the_model_has(
    model, board, capsys
) -> None:
    words = ["rank", "board.csv", "--missing", "drop-systems"]
    assert main([*words, "--model", model, "--returns", "crs"]) == 0
    note = next(line for line in capsys.readouterr().err.splitlines() if "keeps to what" in line)
    options = {"--model": model}
    options |= dict(re.findall(r"(--model|--returns) (\w+)", note.rpartition(";")[2]))
    assert options["--returns"] == "vrs"
    assert main([*words, *shlex.split(" ".join(f"{k} {v}" for k, v in options.items()))]) == 0
    assert "not reported" not in capsys.readouterr().err


def test_a_roc_curve_is_drawn_by_itself() -> None:
    y = np.tile([0, 0, 1, 1], 10)
    roc = curves.roc(y, np.linspace(0, 1, 40))
    display = roc.plot(name="net")
    np.testing.assert_array_equal(display.lines_[0].get_xdata(), roc.points["FPR"])
    np.testing.assert_array_equal(display.lines_[0].get_ydata(), roc.points["TPR"])
    assert isinstance(display, db.plot.RocDisplay)
    assert "net" in display.lines_[0].get_label()
