"""Every option of `deabench rank` works in `deabench report`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from source_kinds import write_sources

import deabench as db
from deabench.cli import main
from deabench.inference.samples.from_tables import samples_of_table

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
BOARD = (
    "model,accuracy,F1,latency_ms,params\n"
    "a,.9,.8,20,5\nb,.85,.86,9,3\nc,.8,.7,5,4\nd,.7,.69,25,9\ne,.6,.5,4,2\nf,.82,.8,8,\n"
)
ESTABLISHED = "model,accuracy,F1,latency_ms\ng,.88,.8,18\nh,.8,.75,5\ni,.6,.6,3\n"
OPTIONS = {
    "--missing": ["drop-systems"],
    "--within": ["latency_ms=21"],
    "--model": ["sbm"],
    "--returns": ["crs"],
    "--orientation": ["input"],
    "--option": ["direction=range", "--model", "ddf"],
    "--reference": ["established.csv"],
    "--explain": ["d"],
    "--plot": ["picture.png"],
    "--show": ["weights", "--plot", "picture.svg"],
    "--inputs": ["latency_ms"],
    "--outputs": ["accuracy,F1"],
    "--undesirable": ["latency_ms"],
    "--non-discretionary": ["latency_ms"],
    "--ignore": ["params"],
    "--label": ["model"],
    "--strict": [],
}


QUICK = ("--missing", "--reference", "--explain", "--outputs")


@pytest.fixture
def board(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "board.csv").write_text(BOARD)
    (tmp_path / "established.csv").write_text(ESTABLISHED)
    return tmp_path


def options_of(verb: str, capsys) -> set[str]:
    assert main([verb, "--help"]) == 0
    return set(re.findall(r"--[a-z][a-z-]+", capsys.readouterr().out))


def test_report_has_every_option_of_rank(capsys) -> None:
    missing = options_of("rank", capsys) - options_of("report", capsys)
    assert missing == set()


def page_data(file: Path) -> dict:
    text = file.read_text(encoding="utf-8")
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])["data"]


@pytest.mark.parametrize(
    "option",
    [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in OPTIONS],
)
def test_an_option_means_the_same_in_both(option, board, undrawn, capsys) -> None:
    words = ["board.csv", "--ignore", "params", option, *OPTIONS[option]]
    if option in ("--missing", "--ignore"):
        words = ["board.csv", "--missing", "drop-systems", option, *OPTIONS[option]]
    assert main(["report", *words, "-o", "page.html"]) == 0, capsys.readouterr().err
    capsys.readouterr()
    data = page_data(board / "page.html")
    if option in ("--explain", "--plot", "--show"):
        words = words[:3]
    assert main(["rank", *words, "--format", "json"]) == 0, capsys.readouterr().err
    rows = {row["classifier"]: row for row in json.loads(capsys.readouterr().out)}
    measure = data["ranking"]["measure"]
    scores = dict(zip(data["labels"], data["ranking"]["scores"], strict=True))
    if option == "--reference":
        # The page is about the reference; the table is what was tested against it.
        scores = {row["label"]: row["efficiency"] for row in data["tested"]}
    assert scores == pytest.approx({name: row[measure] for name, row in rows.items()}, abs=1e-12)
    if option == "--explain":
        assert data["labels"][data["start"]] == "d"
    if "--plot" in [option, *OPTIONS[option]]:
        assert list(board.glob("picture.*"))


def test_bounds_of_gaps_are_intervals_of_the_page(board) -> None:
    table = pd.DataFrame(
        {"TPR": [0.9, 0.8, 0.5, 0.6], "TNR": [0.5, None, 0.9, 0.6]}, index=list("abcd")
    )
    ranking = db.rank(table, missing="bounds")
    data = db.report(table, missing="bounds").data
    assert data["uncertainty"]["lower"] == ranking.bounds["lower"].tolist()
    assert data["uncertainty"]["upper"] == ranking.bounds["upper"].tolist()
    assert data["values"][1][1] is None
    assert data["ranking"]["scores"] == ranking.scores.tolist()


def test_the_options_of_single_results_work_in_a_report(board, undrawn, capsys) -> None:
    files = write_sources(board)
    words = ["--threshold", "0.5", "--positive", "1", "--scores"]
    assert main(["report", str(files["scores"]), *words, "-o", "s.html"]) == 0
    assert main(["report", str(files["long"]), "--by-dataset", "-o", "l.html"]) == 0
    assert "On the frontier of each data set" in (board / "l.html").read_text(encoding="utf-8")
    samples = ["--uncertainty", str(files["counts"])]
    assert main(["metrics", str(files["counts"]), "--metrics", "TPR,TNR", "-o", "m.csv"]) == 0
    assert main(["report", "m.csv", *samples, "-o", "u.html"]) == 0, capsys.readouterr().err
    data = page_data(board / "u.html")
    expected = db.rank("m.csv", uncertainty=samples_of_table(str(files["counts"])))
    frame = expected.uncertainty.to_frame()
    assert data["uncertainty"]["lower"] == frame["lower"].tolist()


@pytest.mark.slow
def test_many_files_are_reported_by_their_frontier(board, undrawn, capsys) -> None:
    sweep = Path(__file__).parents[2] / "examples" / "sweep"
    words = ["--tolerance", "0", "--kept", "parts", "-o", "page.html"]
    assert main(["report", str(sweep / "*.parquet"), *words]) == 0, capsys.readouterr().err
    data = page_data(board / "page.html")
    front = db.frontier(str(sweep / "*.parquet"))
    assert sorted(data["labels"]) == sorted(map(str, front.extreme))
    assert "480 systems" in (board / "page.html").read_text(encoding="utf-8")
    assert main(["report", "board.csv", "--tolerance", "0.1"]) == 2
    assert "is for many files" in capsys.readouterr().err
