"""`deabench rank` gives the numbers of `deabench.rank`, for every model and its options."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from quick_cases import mark_most_slow

import deabench as db
from deabench.cli import main
from deabench.cli.rank import format_peers
from deabench.models import MODELS
from deabench.utils.arrays import Sparse

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
        ["--model", "ddf", "--option", "direction=TPR=0.01,ms=1"],
        db.models.DDF(direction={"TPR": 0.01, "ms": 1.0}),
    ),
    (["--model", "ddf", "--option", "direction=range"], db.models.DDF(direction="range")),
    (["--model", "additive", "--option", "weights=bam"], db.models.Additive(weights="bam")),
    (
        ["--model", "additive", "--option", "weights=TPR=2", "--option", "weights=ms=1"],
        db.models.Additive(weights={"TPR": 2.0, "ms": 1.0}),
    ),
    (["--model", "cross", "--option", "goal=benevolent"], db.models.Cross(goal="benevolent")),
    (["--model", "ccr", "--option", "sums=.8:1.2"], db.models.CCR(sums=(0.8, 1.2))),
    (
        ["--model", "ccr", "--option", "shares=TPR=.3:.7", "--option", "ratios=TPR/TNR=1:"],
        db.models.CCR(shares={"TPR": (0.3, 0.7)}, ratios={("TPR", "TNR"): (1.0, INF)}),
    ),
    (
        ["--model", "sbm", "--returns", "vrs", "--orientation", "input"],
        db.models.SBM(returns="vrs", orientation="input"),
    ),
    *[(["--model", name], name) for name in MODELS],
]


@pytest.fixture
def source(tmp_path) -> str:
    TABLE.to_csv(tmp_path / "table.csv")
    return str(tmp_path / "table.csv")


@pytest.mark.parametrize(
    ("arguments", "model"), mark_most_slow(CALLS, 14), ids=[" ".join(words) for words, _ in CALLS]
)
def test_command_equals_the_call(arguments, model, source, capsys) -> None:
    assert main(["rank", source, "--inputs", "ms", *arguments, "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    ranking = db.rank(TABLE, inputs=["ms"], model=model)
    # JSON has no NaN: a system without a score has null.
    scores = {row["classifier"]: float(row[ranking.measure] or "nan") for row in rows}
    expected = {name: score or float("nan") for name, score in ranking.scores.items()}
    assert scores == pytest.approx(expected, nan_ok=True)


REFUSED = [
    (["--model", "ccr", "--option", "sums=1"], "sums"),
    (["--model", "ccr", "--option", "shares=TPR"], "shares"),
    (["--model", "ccr", "--option", "ratios=TPR=2:"], "ratios"),
    (["--model", "ddf", "--option", "direction=TPR=x"], "direction"),
    (["--model", "cross", "--option", "goal=kind"], "'kind'"),
    (["--model", "cross", "--option", "norm=l1"], "no option 'norm'"),
    (["--option", "goal=benevolent"], "--model NAME"),
    (["--returns", "bcc"], "'vrs'"),
]


@pytest.mark.parametrize(
    ("arguments", "text"), REFUSED, ids=[" ".join(words) for words, _ in REFUSED]
)
def test_wrong_words_are_wrong_usage(arguments, text, source, capsys) -> None:
    assert main(["rank", source, "--inputs", "ms", *arguments]) == 2
    message = capsys.readouterr().err
    assert message.startswith("deabench: ")
    assert text in message


def test_a_report_shows_inefficiencies() -> None:
    page = db.report(db.rank(TABLE, inputs=["ms"], model="ram")).to_html()
    assert "inefficiency" in page


def format_cells(columns: list[int], values: list[float], labels: list[str]) -> str:
    pairs = {
        labels[j]: value
        for j, value in zip(columns, values, strict=True)
        if j >= 0 and value >= 0.005
    }
    return ", ".join(
        f"{label} {value:.2f}" for label, value in sorted(pairs.items(), key=lambda pair: -pair[1])
    )


def test_peers_are_listed_largest_first_and_rounded_as_python_rounds() -> None:
    rng = np.random.default_rng(0)
    columns = np.array([rng.permutation(9)[:4] for _ in range(500)])
    values = rng.dirichlet(np.ones(4), 500).round(
        3
    )  # thousandths: many lie half-way between two texts
    values[:, 1] = np.where(rng.uniform(size=500) < 0.3, 0.0, values[:, 1])
    columns[::7, 2] = -1
    values[::7, 2] = 0.0
    values[0] = [1.0000000000000027, 0.0, 0.0, 0.0]
    values[1] = [-1e-17, 1.0, 0.0, 0.0049999]
    labels = [f"c{k}" for k in range(9)]
    texts = format_peers(Sparse(columns.astype(np.int32), values), pd.Index(labels))
    assert texts == [
        format_cells(*row, labels) for row in zip(columns.tolist(), values.tolist(), strict=True)
    ]


def test_a_row_without_peers_has_an_empty_text() -> None:
    assert format_peers(
        Sparse(np.full((2, 3), -1, dtype=np.int32), np.zeros((2, 3))), pd.Index(["a"])
    ) == ["", ""]


def test_a_huge_lambda_is_written_as_python_writes_it() -> None:
    values = np.array([[123456789012345.67, 1e17], [3e22, 0.125], [0.375, 0.0]])
    columns = np.array([[0, 1], [1, 0], [1, -1]], dtype=np.int32)
    assert format_peers(Sparse(columns, values), pd.Index(["a", "b"])) == [
        format_cells(*row, ["a", "b"])
        for row in zip(columns.tolist(), values.tolist(), strict=True)
    ]
