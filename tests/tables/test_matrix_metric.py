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
@pytest.mark.parametrize("heading", ["winner", "Fastest", "best model"])
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


def multiples(*rows: tuple[float, ...]) -> str:
    lines = ["| encode | json | msgspec | orjson |", "|---|---|---|---|"]
    for k, row in enumerate(rows):
        lines.append(f"| list {k} | {' | '.join(f'{cell:.2f}x' for cell in row)} |")
    return "\n".join(lines)


def test_multiples_of_the_best_cell_of_each_row_are_compared_by_row(tmp_path) -> None:
    slower = read_text(tmp_path, multiples((4.62, 1.06, 1), (14.09, 1, 1.66), (25.2, 1.33, 1)))
    assert (slower.question, slower.lower_rates) == (None, ["score"])
    assert slower.column("score").reason == "every row is in multiples of its best cell"
    shares = read_text(tmp_path, multiples((0.62, 1, 0.5), (1, 0.9, 0.66), (0.2, 1, 0.77)))
    assert (shares.question, shares.outputs) == (None, ["score"])
    # Multiples of a baseline may be speed-ups.
    baseline = read_text(tmp_path, multiples((4.62, 1.06, 1), (14.09, 2.5, 1), (25.2, 1.33, 1)))
    assert baseline.question is not None


@pytest.mark.parametrize(
    ("heading", "outputs", "inputs"),
    [
        ("Joint test success rate (%) - first run", ["score"], []),
        ("WER (%)", [], ["score"]),
        ("Average time per epoch (s)", [], ["score"]),
    ],
)
def test_a_heading_with_a_unit_names_the_metric(tmp_path, heading, outputs, inputs) -> None:
    table = read_text(tmp_path, f"### {heading}\n\n{board(['', '', ''], 'note')}")
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


def test_data_sets_are_listed_where_systems_lack_some(tmp_path, capsys) -> None:
    path = tmp_path / "accuracy.csv"
    text = "dataset,ResNet,VGG,ViT,DeiT\niris,.9,.8,,.7\nwine,.8,,.7,.6\nglass,.5,.6,.7,.8\n"
    path.write_text(text)
    main(["read", str(path), "--format", "json"])
    assert json.loads(capsys.readouterr().out)["datasets"] == ["iris", "wine", "glass"]
