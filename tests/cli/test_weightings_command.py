"""`deabench weightings`: the library's answers, its options, and its refusals."""

from __future__ import annotations

import json
import re

import pytest

import deabench as db
from deabench.cli import main

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
BOARD = "examples/leaderboard.csv"


def test_the_table_is_that_of_the_library(capsys) -> None:
    assert main(["weightings", BOARD, "--draws", "64", "--format", "json"]) == 0
    shown = capsys.readouterr()
    records = {record["model"]: record for record in json.loads(shown.out)}
    ranks = db.weightings(BOARD, draws=64).ranks
    assert {name: (r["best"], r["worst"]) for name, r in records.items()} == {
        name: (row["best"], row["worst"]) for name, row in ranks.iterrows()
    }
    assert "5 of 9 can be first" in shown.err
    assert "weights add up to 1 after each metric is divided by its range" in shown.err


@pytest.mark.parametrize("of", ["shares", "regions", "pairs"])
def test_other_tables_are_printed(of, capsys) -> None:
    assert main(["weightings", BOARD, "--draws", "64", "--of", of, "--format", "csv"]) == 0
    header, *lines = capsys.readouterr().out.splitlines()
    assert len(lines) == (5 if of == "regions" else 9)
    assert {"shares": ",9", "regions": "neighbours", "pairs": "convnext_base"}[of] in header


def test_bounds_and_logarithms_are_options(capsys) -> None:
    words = ["weightings", BOARD, "--draws", "64", "--share", "top1=0.5:1", "--log", "latency_ms"]
    words += ["--ratio", "latency_ms/param_count=1:100", "--explain", "eva02_large_448"]
    assert main(words) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("'eva02_large_448' ranks ")
    assert "latency_ms/param_count from 1 to 100, top1 from 0.5 to 1" in shown.err


@pytest.mark.parametrize(
    ("show", "text"),
    [
        ("ranks", "ranks over all weightings"),
        ("regions", "first under which weights"),
        ("dominance", "who is at least as good at every weighting"),
    ],
)
def test_pictures_are_written(tmp_path, show, text) -> None:
    """matplotlib writes each text of an SVG as shapes, and as a comment before them."""
    file = tmp_path / "picture.svg"
    words = ["weightings", BOARD, "--draws", "64", "--plot", str(file), "--show", show]
    assert main(words) == 0
    comments = re.findall("<!-- (.*) -->", file.read_text(encoding="utf-8"))
    assert any(comment.startswith(text) for comment in comments)
    assert any("eva02_large_448" in comment for comment in comments)


def test_bounds_that_cannot_be_read_are_wrong_usage(capsys) -> None:
    assert main(["weightings", BOARD, "--ratio", "latency_ms=2"]) == 2
    assert "write it as METRIC/METRIC=LEAST:MOST" in capsys.readouterr().err
    assert main(["weightings", BOARD, "--share", "top1=0.9:0.2"]) == 1
    assert "the smaller first" in capsys.readouterr().err
