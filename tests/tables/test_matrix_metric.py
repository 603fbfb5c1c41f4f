"""Tables with systems in columns: what says so, and which way their cells are better."""

from __future__ import annotations

import json

import pytest

import deabench as db
from deabench.cli import main

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")

TIMES = {"sort": (12.5, 7.25, 9.0), "parse": (3.5, 4.0, 3.75), "hash": (80.0, 61.5, 99.0)}
LANGUAGES = ("Daslang", "AngelScript", "Squirrel")


def read_text(tmp_path, text: str, name: str = "board.md") -> db.Table:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return db.read(path)


def board(winners: list[str], heading: str = "winner") -> str:
    """Return a table of three languages on three tasks, with a column of winners."""
    lines = [f"| item | {' | '.join(LANGUAGES)} | {heading} |", "|---|---|---|---|---|"]
    for (item, cells), winner in zip(TIMES.items(), winners, strict=True):
        lines.append(f"| {item} | {' | '.join(map(str, cells))} | {winner} |")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("winners", "better"),
    [
        (["AngelScript", "Daslang", "AngelScript"], "lower"),
        (["Daslang", "AngelScript", "Squirrel"], "higher"),
    ],
)
@pytest.mark.parametrize("heading", ["winner", "Fastest", "Winning model"])
def test_winners_of_rows_tell_the_systems_and_the_direction(
    tmp_path, winners, better, heading
) -> None:
    table = read_text(tmp_path, board(winners, heading))
    assert table.question is None
    assert sorted(table.frame.index) == sorted(LANGUAGES)
    assert (table.outputs if better == "higher" else table.lower_rates) == ["score"]
    note = f"the winners in '{heading}' say that {better} is better"
    assert table.column("score").reason == note


@pytest.mark.parametrize(
    "winners",
    [
        # The least cell in one row, the greatest in another.
        ["AngelScript", "AngelScript", "Squirrel"],
        # No column is called so.
        ["C", "Daslang", "AngelScript"],
        # Neither the least nor the greatest.
        ["Squirrel", "Squirrel", "Daslang"],
    ],
)
def test_winners_that_do_not_agree_tell_nothing(tmp_path, winners) -> None:
    assert read_text(tmp_path, board(winners)).question is not None


@pytest.mark.parametrize(
    ("label", "heading"),
    [
        # What is called so is a system.
        ("model", "winner"),
        # A best setting, epoch or part of the data.
        ("item", "best"),
        ("item", "lowest"),
    ],
)
def test_a_best_column_of_each_system_makes_no_system_of_it(tmp_path, label, heading) -> None:
    winners = ["AngelScript", "Daslang", "AngelScript"]
    table = read_text(tmp_path, board(winners, heading).replace("item", label))
    assert table.question is not None


@pytest.mark.parametrize(
    ("heading", "outputs", "inputs"),
    [
        ("Joint test success rate (%) - first run", ["score"], []),
        ("WER (%)", [], ["score"]),
        ("Test accuracy (%)", ["score"], []),
    ],
)
def test_a_heading_with_a_unit_names_the_metric(tmp_path, heading, outputs, inputs) -> None:
    matrix = "\n".join(line.rsplit("|", 2)[0] + "|" for line in board(["", "", ""]).split("\n"))
    matrix = matrix.replace("item", "Task")
    table = read_text(tmp_path, f"### {heading}\n\n{matrix}")
    assert table.question is None
    assert (table.outputs, table.lower_rates + table.costs) == (outputs, inputs)


def test_the_corner_of_a_table_says_what_its_cells_are(tmp_path) -> None:
    text = "number of queries/time,redis,memcached,dragonfly\n100,.019,.018,.040\n"
    text += "1000,.0917,.05998,.1237\n10000,1.0614,.66423,1.2277\n"
    table = read_text(tmp_path, text, "board.csv")
    assert (table.question, table.costs, table.dataset) == (
        None,
        ["time"],
        "number of queries/time",
    )


def test_a_winner_beside_further_metrics_is_no_comparison_of_columns(tmp_path) -> None:
    text = (
        "config,Foo,Bar,mean accuracy,fastest\nc1,10,20,.9,Foo\nc2,30,20,.8,Bar\nc3,10,40,.7,Foo\n"
    )
    assert "mean accuracy" in read_text(tmp_path, text, "board.csv").outputs


@pytest.mark.parametrize("corner", ["dataset/memory", "dataset/time", "dataset/precision"])
def test_a_corner_that_names_the_columns_says_nothing_of_the_cells(tmp_path, corner) -> None:
    columns = {"memory": "8GB,16GB,32GB", "time": "1h,4h,8h", "precision": "fp32,fp16,int8"}
    text = (
        f"{corner},{columns[corner.split('/')[1]]}\nd1,90.1,88,77.7\nd2,80.2,76,65\nd3,70,73,61\n"
    )
    assert read_text(tmp_path, text, "board.csv").question is not None


def test_data_sets_are_listed_where_systems_lack_some(tmp_path, capsys) -> None:
    path = tmp_path / "accuracy.csv"
    text = "dataset,ResNet,VGG,ViT,DeiT\niris,.9,.8,,.7\nwine,.8,,.7,.6\nglass,.5,.6,.7,.8\n"
    path.write_text(text)
    main(["read", str(path), "--format", "json"])
    assert json.loads(capsys.readouterr().out)["datasets"] == ["iris", "wine", "glass"]


@pytest.mark.parametrize(
    ("text", "better"),
    [
        ("## Results\n\nScoreUnit: ns/op\n\n### Raw data\n", "lower"),
        ("## Results\n\nunit: tok/s\n", "higher"),
        # Limits, budgets, units of networks and what is predicted have units, too; two units belong
        # to two things; the text decides against one.
        ("## Results\n\nTime to first token by rate (req/s).\n", ""),
        ("## Results\n\nScore after a budget (time unit: hours)\n", ""),
        ("## Results\n\nhidden unit: s\n", ""),
        ("## Forecasts\n\nunit: km/h\n", ""),
        ("## Results\n\nWithin a limit (s):\n", ""),
        ("## Results\n\nunit: MB, time unit: s\n", ""),
        ("## Results\n\nunit: ops/s\n\nLower is better.\n", "lower"),
    ],
)
def test_a_unit_that_the_text_states_is_that_of_the_cells(tmp_path, text, better) -> None:
    lines = ["| dataset | Daslang | Squirrel |", "|---|---|---|"]
    lines += [f"| {item} | {cells[0]} | {cells[2]} |" for item, cells in TIMES.items()]
    table = read_text(tmp_path, text + "\n" + "\n".join(lines) + "\n")
    directions = {"higher": table.outputs, "lower": table.lower_rates + table.costs}
    assert [name for name, metrics in directions.items() if metrics] == ([better] if better else [])
