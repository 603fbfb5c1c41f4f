"""What a ranking proposes where many are efficient; each proposal runs and tells some apart."""

from __future__ import annotations

import json
import re
import shlex

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.cli import main
from deabench.cli.options.table import TableOptions

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")

BOARD = pd.DataFrame(
    {
        "top1": [76.9, 83.1, 85.6, 90.1, 80.0, 76.0],
        "latency_ms": [0.13, 0.22, 0.4, 9.8, 0.9, 12.0],
    },
    index=list("abcdef"),
)
RATES = pd.DataFrame(
    {"TPR": [0.9, 0.8, 0.7, 0.6, 0.2], "TNR": [0.2, 0.7, 0.8, 0.85, 0.3]}, index=list("abcde")
)
TASKS = pd.DataFrame(np.random.default_rng(1).uniform(20, 90, (12, 4)).round(1)).rename(
    columns=lambda k: f"mmlu_{k}"
)


def test_a_board_with_costs_gets_a_budget_and_super_efficiency() -> None:
    ranking = db.rank(BOARD)
    note = (
        "4 of 6 are efficient; to tell them apart: "
        "deabench.weightings(table) (their ranks over all weightings), "
        "deabench.best(table, within={'latency_ms': 0.22}) (within a budget), "
        "deabench.rank(table, model='super') (each against the others)"
    )
    assert ranking.notes[-1] == note
    assert f"{note[0].upper()}{note[1:]}." in ranking.summary()
    within = db.best(BOARD, within={"latency_ms": 0.22})
    assert within.efficient.sum() < ranking.efficient.sum()
    assert db.rank(BOARD, model="super").scores.nunique() > ranking.scores.nunique()
    assert db.weightings(BOARD).to_frame()["best"].eq(1).sum() < len(BOARD)


def test_rates_get_fewer_metrics_and_weightings() -> None:
    ranking = db.rank(RATES)
    assert ranking.notes[-1] == (
        "4 of 5 are efficient; to tell them apart: deabench.rank(table, outputs=['TPR']) (by fewer "
        "metrics), deabench.weightings(table) (their ranks over all weightings), "
        "deabench.rank(table, model='super') (each against the others)"
    )
    assert db.rank(RATES, model="super").scores.nunique() == 5
    assert db.rank(RATES, outputs=["TPR"]).efficient.sum() == 1


def test_a_mean_beside_its_parts_is_proposed() -> None:
    table = TASKS.assign(average=TASKS.mean(axis=1).round(2))
    table.index = [f"m{k}" for k in range(len(table))]
    ranking = db.rank(db.read(table.rename_axis("model").reset_index()))
    count = int(ranking.efficient.sum())
    assert ranking.notes[-1].startswith(
        f"{count} of 12 are efficient; to tell them apart: "
        "deabench.rank(table, outputs=['average']) (by their mean)"
    )


def test_few_efficient_and_models_without_ties_say_nothing() -> None:
    few = pd.DataFrame(
        {"TPR": [0.9, 0.8, 0.7, 0.6], "TNR": [0.9, 0.8, 0.7, 0.6]}, index=list("abcd")
    )
    for table, model in ((few, "wei"), (RATES.iloc[:3], "wei"), (RATES, "super"), (RATES, "cross")):
        assert "to tell them apart" not in " ".join(db.rank(table, model=model).notes)


@pytest.mark.parametrize(
    ("table", "options"),
    [
        (BOARD, []),
        (BOARD.rename(columns={"latency_ms": "Price ($/1M, tok)"}), ["--missing", "drop-systems"]),
        (RATES, []),
        (RATES.assign(note=1), ["--ignore", "note", "--outputs", "TPR,TNR"]),
        (BOARD, ["--returns", "vrs", "--orientation", "output", "--missing", "drop-systems"]),
    ],
    ids=["costs", "a name to be quoted", "rates", "options", "model words"],
)
def test_every_proposed_command_runs_and_tells_some_apart(table, options, tmp_path, capsys) -> None:
    path = str(tmp_path / "a board.csv")
    table.rename_axis("model").to_csv(path)
    assert main(["rank", path, *options, "--format", "json"]) == 0
    out, err = capsys.readouterr()
    tied = [row["efficiency"] for row in json.loads(out)].count(1.0)
    proposal = err.partition("to tell them apart:\n")[2]
    commands = re.findall(r"^  (deabench .*?) \((?:by|their|within|each)", proposal, re.M)
    assert len(commands) == 3
    for command in commands:
        words = shlex.split(command)
        # The model words are kept but for weightings, which has none.
        model_words = {"--returns", "--orientation"} if words[1] == "rank" else set()
        assert set(options) & {"--missing", *model_words} <= set(words)
        assert main([*words[1:], "--format", "json"]) == 0, capsys.readouterr().err
        rows = json.loads(capsys.readouterr().out)
        if words[1] == "weightings":
            intervals = {(row["best"], row["worst"]) for row in rows}
            assert len(intervals) > 1
        else:
            assert [row["efficiency"] for row in rows].count(1.0) < tied


def test_calls_keep_what_was_asked_for() -> None:
    gaps = BOARD.assign(accuracy=BOARD.iloc[:, 0].where(BOARD.index != BOARD.index[-1]))
    note = db.rank(gaps, missing="drop-systems", returns="vrs").notes[-1]
    assert "deabench.weightings(table, missing='drop-systems')" in note
    assert "deabench.rank(table, model='super', returns='vrs', missing='drop-systems')" in note


def test_names_with_quotes_and_brackets_stay_arguments_of_a_command() -> None:
    options = TableOptions(["a.csv"])
    name = "it's [a], b) (by their mean"
    command = options.with_commands(f"deabench.rank(table, outputs=[{name!r}]) (by fewer metrics)")
    words = shlex.split(command.removesuffix(" (by fewer metrics)"))
    assert words == ["deabench", "rank", "a.csv", "--outputs", name.replace(",", ",,")]
    # What is no literal is a name of the data that looks like a call.
    text = "deabench.rank(table, x=print(1)) (by x) is no column"
    assert options.with_commands(text) == text
    assert options.with_commands("deabench.rank(table, x=y) (by x)").endswith("x=y) (by x)")
