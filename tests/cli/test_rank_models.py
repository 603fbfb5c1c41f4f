"""`deabench rank` takes every model and its options, and says the same as the library."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from model_options import rank_with

import deabench as db
from deabench.cli import main
from deabench.models import MODELS

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
TABLE = pd.DataFrame(
    {
        "TPR": [0.62, 0.80, 0.86, 0.91, 0.70],
        "TNR": [0.95, 0.90, 0.82, 0.60, 0.85],
        "ms": [1.0, 2.0, 6.0, 20.0, 9.0],
    },
    index=["tree", "logit", "forest", "net", "knn"],
)
INF = float("inf")
CALLS = [
    (
        ["--model", "ddf", "--direction", "TPR=0.01,ms=1"],
        {"model": "ddf", "direction": {"TPR": 0.01, "ms": 1.0}},
    ),
    (["--model", "ddf", "--direction", "range"], {"model": "ddf", "direction": "range"}),
    (["--model", "additive", "--weights", "bam"], {"model": "additive", "weights": "bam"}),
    (
        ["--model", "additive", "--weights", "TPR=2", "--weights", "ms=1"],
        {"model": "additive", "weights": {"TPR": 2.0, "ms": 1.0}},
    ),
    (["--model", "cross", "--goal", "benevolent"], {"model": "cross", "goal": "benevolent"}),
    (["--sums", ".8:1.2"], {"sums": (0.8, 1.2)}),
    (
        ["--model", "ccr", "--shares", "TPR=.3:.7", "--ratios", "TPR/TNR=1:"],
        {"model": "ccr", "shares": {"TPR": (0.3, 0.7)}, "ratios": {("TPR", "TNR"): (1.0, INF)}},
    ),
    *[(["--model", name], {"model": name}) for name in MODELS],
]


@pytest.fixture
def source(tmp_path) -> str:
    TABLE.to_csv(tmp_path / "table.csv")
    return str(tmp_path / "table.csv")


@pytest.mark.parametrize(("words", "options"), CALLS, ids=[" ".join(words) for words, _ in CALLS])
def test_the_command_is_the_call(words, options, source, capsys) -> None:
    assert main(["rank", source, "--inputs", "ms", *words, "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    ranking = rank_with(TABLE, inputs=["ms"], **options)
    assert {row["classifier"]: row[ranking.measure] for row in rows} == pytest.approx(
        ranking.scores.to_dict(), nan_ok=True
    )


REFUSED = [
    (["--sums", "1"], "--sums '1' is no range; give LEAST:MOST, as .8:1.2"),
    (["--shares", "TPR"], "--shares 'TPR' is no range; give NAME=LEAST:MOST, as TPR=.2:.5"),
    (
        ["--ratios", "TPR=2:"],
        "--ratios 'TPR' is no pair; give FIRST/SECOND=LEAST:MOST, as TPR/TNR=2:",
    ),
    (["--direction", "TPR=x"], "--direction TPR is 'x'; give a number"),
    (["--goal", "kind"], "goal 'kind' is not known; it is one of 'aggressive', 'benevolent'"),
]


@pytest.mark.parametrize(("words", "text"), REFUSED, ids=[words[0] for words, _ in REFUSED])
def test_wrong_words_are_wrong_usage(words, text, source, capsys) -> None:
    assert main(["rank", source, "--inputs", "ms", *words]) == 2
    assert text in capsys.readouterr().err


def test_reports_take_inefficiencies() -> None:
    page = db.report(db.rank(TABLE, inputs=["ms"], model="ram")).to_html()
    assert "inefficiency" in page
