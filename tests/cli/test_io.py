"""The command line speaks its own words: options in refusals, where results go, bare names of what
is better low.
"""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from deabench.cli import main
from deabench.cli._io import UNSUPPORTED_SUFFIXES, json_records, with_option_names
from deabench.utils.text import unescape_formula

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
BOARD = pd.DataFrame(
    {
        "model": list("abcdef"),
        "accuracy": [0.9, 0.85, 0.8, 0.7, 0.6, 0.65],
        "err": [0.1, 0.05, 0.2, 0.02, 0.3, 0.25],
        "latency_ms": [500.0, 120, 60, 20, 30, 100],
    }
)


@pytest.fixture
def board(tmp_path) -> str:
    BOARD.to_csv(tmp_path / "board.csv", index=False)
    return str(tmp_path / "board.csv")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "pass missing='drop-systems', 'drop-metrics' or 'bounds'",
            "pass --missing drop-systems, 'drop-metrics' or 'bounds'",
        ),
        ("pass missing='drop-systems' (1 of 3)", "pass --missing drop-systems (1 of 3)"),
        ("use technology='convex' for what", "use --technology convex for what"),
        ("say which are, as outputs=['flux']", "say which are, as --outputs 'flux'"),
        ("say lower_is_better={'e': 'input'}", "say --lower-is-better 'e=input'"),
        ("say lower_is_better={'e': 1.0}", "say --lower-is-better 'e=1.0'"),
        ("(weights='range')", "(--weights range)"),
        ("pass scale={'a b': 'log'}", "pass --log 'a b'"),
        ("use model='ccr' with returns='vrs'", "use --model ccr with --returns vrs"),
        ("give orientation='input', on='faces'", "give --orientation input, --on faces"),
        ("name inputs=['a cost']", "name --inputs 'a cost'"),
        ("pass within={'ms': 3.5} of deabench.best", "pass --within 'ms=3.5'"),
        (
            "use model=deabench.models.WEI(ratios={('TPR', 'TNR'): (0.5, 2)}) here",
            "use --model wei --option 'ratios=TPR/TNR=0.5:2' here",
        ),
        ("pass limits={'columns': 5000}", "pass --limit columns=5000"),
        ("read sheet='2. Results'", "read --sheet '2. Results'"),
        ("pass missing_code=-1 if", "pass --missing-code -1 if"),
        ("pass missing_code=99.5 if", "pass --missing-code 99.5 if"),
        ("pass time_limit=60", "pass --time-limit 60"),
        ("docs/proofs.md has more", "'deabench docs proofs' has more"),
        ("metric 'x' of 'y' is missing", "metric 'x' of 'y' is missing"),
    ],
)
def test_a_sentence_of_the_library_in_the_words_of_the_command_line(text, words) -> None:
    assert with_option_names(text) == words


def test_a_single_empty_cell_is_refused_with_the_very_option(tmp_path, capsys) -> None:
    hole = tmp_path / "hole.csv"
    table = BOARD.drop(columns="latency_ms")
    table.loc[2, "accuracy"] = None
    table.to_csv(hole, index=False)
    assert main(["rank", str(hole)]) == 1
    assert capsys.readouterr().err == (
        "deabench: 'accuracy' of 'c' is missing; pass --missing drop-systems (1 of 6), "
        "'drop-metrics' ('accuracy') or 'bounds' "
        "('deabench docs tables' says what each does)\n"
        f"To do so, type\n  deabench rank {hole} --missing drop-systems\n"
    )
    assert main(["rank", str(hole), "--missing", "drop-systems", "--format", "csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 6
    assert (
        main(
            [
                "targets",
                str(hole),
                "--reference",
                str(hole),
                "--missing",
                "drop-systems",
                "--format",
                "csv",
            ]
        )
        == 0
    )
    assert "of the tested, left out for a missing cell: 'c'" in capsys.readouterr().err


def test_bare_names_that_are_better_low(board, capsys) -> None:
    assert (
        main(
            [
                "rank",
                board,
                "--outputs",
                "accuracy",
                "--lower-is-better",
                "err,latency_ms",
                "--format",
                "csv",
            ]
        )
        == 0
    )
    bare = capsys.readouterr()
    assert "--lower-is-better 'err=input'" in bare.err
    assert (
        main(
            [
                "rank",
                board,
                "--outputs",
                "accuracy,err",
                "--lower-is-better",
                "err=1,latency_ms=input",
                "--format",
                "csv",
            ]
        )
        == 0
    )
    assert bare.out == capsys.readouterr().out
    assert main(["rank", board, "--lower-is-better", "err,latency_ms=input"]) == 2
    assert "type err=input or err=MAXIMUM" in capsys.readouterr().err


@pytest.mark.parametrize("verb", [["rank"], ["frontier"], ["rank", "--by-dataset"]])
def test_a_name_that_promises_another_format_is_refused_before_anything_is_done(
    verb, board, tmp_path, capsys
) -> None:
    for end in UNSUPPORTED_SUFFIXES:
        assert main([*verb, board, "-o", str(tmp_path / f"x{end}")]) == 2
        err = capsys.readouterr().err
        assert err == (
            f"deabench: cannot write '{tmp_path / f'x{end}'}': tables are written as CSV, or as "
            "JSON or Markdown if "
            f"the name ends in .json or .md; type -o '{tmp_path / 'x.csv'}'\n"
        )
        assert not (tmp_path / f"x{end}").exists()


def test_a_dash_is_standard_output(board, tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for verb in (
        ["rank", board],
        ["frontier", board],
        ["targets", board, "--reference", board],
        ["reproduce", "table23"],
    ):
        assert main([*verb, "-o", "-"]) == 0
        dashed = capsys.readouterr().out
        assert main([*verb, "--format", "csv"]) == 0
        assert dashed == capsys.readouterr().out
        assert main([*verb, "-o", "x.csv"]) == 0
        capsys.readouterr()
        assert (tmp_path / "x.csv").read_text() == dashed
    assert main(["report", board, "-o", "-"]) == 0
    assert capsys.readouterr().out.startswith("<!doctype html>")
    assert not (tmp_path / "-").exists()


def test_a_name_with_a_line_break_stays_on_its_row(tmp_path, capsys) -> None:
    path = tmp_path / "board.csv"
    path.write_text('model,"accuracy\n(top 1)"\n"A\nlarge",.9\nB,.8\nC,.7\n')
    assert main(["rank", str(path)]) == 0
    shown = capsys.readouterr()
    assert "higher is better in 'accuracy (top 1)'" in shown.err
    rows = [line.split() for line in shown.out.splitlines() if line.strip()]
    assert ["A", "large", "1.0000", "1", "yes", "A", "large", "1.00"] in rows


def test_values_below_0_are_refused_with_a_command_that_takes_them(tmp_path, capsys) -> None:
    path = tmp_path / "returns.csv"
    path.write_text("agent,mean_reward,time\nppo,-120,10\nsac,50,20\ntd3,-3.5,12\n")
    assert main(["rank", str(path)]) == 1
    assert capsys.readouterr().err.endswith(f"To do so, type\n  deabench rank {path} --model rdm\n")
    assert main(["rank", str(path), "--model", "rdm"]) == 0
    # Who named a model gets no second one proposed.
    capsys.readouterr()
    assert main(["rank", str(path), "--model=sbm"]) == 1
    assert "To do so" not in capsys.readouterr().err


def test_records_hold_what_json_knows() -> None:
    """Numbers of numpy are Python's, and an infinite one is null."""
    mixed = pd.Series([np.float64(2.5), np.int64(3)], [4, 5], dtype=object)
    frame = pd.DataFrame({"mixed": mixed, "gap": [np.inf, 1.5]})
    assert json.loads(json_records(frame)) == [
        {"index": 4, "mixed": 2.5, "gap": None},
        {"index": 5, "mixed": 3, "gap": 1.5},
    ]


@pytest.mark.parametrize(
    ("cell", "text"), [("'=1+1", "=1+1"), ("'a", "'a"), ("=1", "=1"), ("", ""), ("'", "'")]
)
def test_only_what_would_be_a_formula_loses_its_apostrophe(cell, text) -> None:
    assert unescape_formula(cell) == text


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_the_labels_may_have_the_name_of_a_result(tmp_path, capsys):
    """A column of labels called as a column of the answer is printed beside it."""
    path = tmp_path / "table.csv"
    path.write_text("rank,TPR,TNR\na,.5,.6\nb,.7,.3\n")
    assert main(["rank", str(path), "--outputs", "TPR,TNR"]) == 0
    assert "rank_label" in capsys.readouterr().out
