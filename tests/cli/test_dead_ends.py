"""Where a first-time user came to a dead end: each message now names the way on, which works."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench import curves
from deabench.cli import main
from deabench.errors import DataWarning

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


def test_results_in_memory_are_read_as_their_file_is(tmp_path) -> None:
    paths = []
    runs = []
    for model, accuracy in (("a", 0.7), ("b", 0.6)):
        run = {
            "results": {"arc": {"acc,none": accuracy, "acc_stderr,none": 0.01}},
            "config": {"model_args": f"pretrained={model}"},
        }
        path = tmp_path / f"{model}.json"
        path.write_text(json.dumps(run))
        paths.append(path)
        runs.append(json.loads(path.read_text()))
    for source, same in ((runs[0], paths[0]), (runs, paths)):
        pd.testing.assert_frame_equal(db.read(source).frame, db.read(same).frame)
        assert db.read(source).errors == db.read(same).errors
    plain = {"a": {"acc": 0.7, "f1": 0.6}, "b": {"acc": 0.6, "f1": 0.7}}
    assert db.read(plain).outputs == ["acc", "f1"]


def test_both_wrong_directions_are_named(board) -> None:
    """An output that is named as a cost, and a cost that is named as an output."""
    for outputs, inputs, name in (
        (["MMLU"], ["Accuracy (%)"], "Accuracy (%)"),
        (["Latency (ms)"], [], "Latency (ms)"),
    ):
        table = db.read("board.csv")
        notes = db.rank(table, outputs=outputs, inputs=inputs or None, missing="drop-systems").notes
        matches = [note for note in notes if "but the name says" in note and f"'{name}'" in note]
        assert len(matches) == 1


def test_a_gate_without_samples_says_what_to_give(board) -> None:
    frame = pd.read_csv("board.csv")
    table = db.read("board.csv")
    ranking = db.rank(table, missing="drop-systems")
    for source in ("board.csv", frame, table, ranking):
        with pytest.raises(db.DataError, match=r"samples|one number per system and metric"):
            db.gate(source, "alpha")


@pytest.mark.parametrize(
    "text",
    [
        "- {name: a, top1: 76.1, params: 25.6M}\n- {name: b, top1: 71.9, params: 3.5M}\n",
        "- {Team: a, dice: 0.91 ± 0.02, HD95: 3.1}\n- {Team: b, dice: 0.88 ± 0.03, HD95: 5.0}\n",
    ],
)
def test_a_test_of_one_number_per_system_says_what_is_missing(text, tmp_path, capsys) -> None:
    """Whatever the systems are called, metrics in columns are no systems to compare."""
    file = tmp_path / "zoo.yml"
    file.write_text(text)
    assert main(["compare", str(file)]) == 1
    error = capsys.readouterr().err
    assert "has one number per system, and a test needs several" in error
    assert "Traceback" not in error


def test_a_roc_curve_is_drawn_by_itself() -> None:
    y = np.tile([0, 0, 1, 1], 10)
    roc = curves.roc(y, np.linspace(0, 1, 40))
    display = roc.plot(name="net")
    np.testing.assert_array_equal(display.lines_[0].get_xdata(), roc.points["FPR"])
    np.testing.assert_array_equal(display.lines_[0].get_ydata(), roc.points["TPR"])
    assert isinstance(display, db.plot.RocDisplay)
    assert "net" in display.lines_[0].get_label()


def test_a_frontier_without_prices_says_why_and_fewer_metrics_have_some(board) -> None:
    selected = db.read(board / "board.csv", ignore=["MMLU"])
    # Three systems on three sides of a curve, none of whose facets is efficient throughout.
    flat = db.frontier(pd.DataFrame({"acc": [0.9, 0.8, 0.7], "f1": [0.9, 0.8, 0.7]}, list("abc")))
    with pytest.warns(DataWarning, match="facets is flat in some metric, so there are no prices"):
        assert flat.prices.empty
    assert len(db.frontier(selected).prices)


def test_compare_of_results_of_instances_names_the_verb(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    Path("answers.csv").write_text("model,item,correct\na,1,1\na,2,0\nb,1,1\nb,2,1\n")
    assert main(["compare", "answers.csv"]) == 1
    assert capsys.readouterr().err == (
        "deabench: 'answers.csv' holds 2 instances of each model, and a test of tables compares "
        "data sets, folds or seeds; type deabench uncertainty answers.csv, which pairs the "
        "instances, or name the column of data sets as 'dataset'\n"
    )


def test_read_counts_empty_cells(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gaps.csv").write_text("model,acc,price\na,0.9,1\nb,,\nc,0.7,\n")
    assert main(["read", "gaps.csv"]) == 0
    message = "empty cells: 'acc' 1, 'price' 2; --missing says what becomes of them\n"
    assert message in capsys.readouterr().err
    # A price has no greatest value that could bound it.
    assert main(["rank", "gaps.csv"]) == 1
    assert "'bounds'" not in capsys.readouterr().err


def test_a_p_value_is_no_zero(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"d{k},{0.9 - k / 1e4},{0.5 + k / 1e4}" for k in range(30)]
    Path("scores.csv").write_text("\n".join(["dataset,a,b", *rows, ""]))
    assert main(["compare", "scores.csv"]) == 0
    out = capsys.readouterr().out
    assert "< 0.0001" in out
    assert "0.0000" not in out
