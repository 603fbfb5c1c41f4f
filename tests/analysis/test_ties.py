"""What a ranking proposes where many are efficient; each proposal runs and tells some apart."""

from __future__ import annotations

import json
import re
import shlex

import numpy as np
import pandas as pd
import pytest
from quick_cases import mark_most_slow

import deabench as db
from deabench.analysis.ties import SUPER_MODELS
from deabench.cli import main
from deabench.cli.options.table import TableOptions
from deabench.models import MODELS
from deabench.models.options import ModelRequest, TableFacts, choices_of

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


HOSPITALS = pd.DataFrame(
    {
        "patients": [100.0, 150, 160, 180, 94, 230, 220, 152, 190, 250, 260, 250],
        "outpatients": [90.0, 50, 55, 72, 66, 90, 88, 80, 100, 100, 147, 120],
        "doctors": [20.0, 19, 25, 27, 22, 55, 33, 31, 30, 50, 53, 38],
        "nurses": [151.0, 131, 160, 168, 158, 255, 235, 206, 244, 268, 306, 284],
        "beds": [31.0, 20, 44, 12, 25, 43, 22, 31, 15, 27, 39, 41],
    },
    index=[f"h{k}" for k in range(12)],
)
"""The hospitals of Cooper, Seiford and Tone (2007), whose outputs have no greatest value."""
HOSPITAL_OPTIONS = [
    {},
    {"returns": "crs"},
    {"returns": "ndrs"},
    {"orientation": "input"},
    {"returns": "nirs", "orientation": "input"},
    {"model": "ccr"},
    {"model": "sbm", "returns": "vrs"},
    {"model": "ram"},
    {"model": "bam", "orientation": "input"},
    {"model": "ddf", "returns": "nirs"},
    {"model": "fdh"},
    {"missing": "drop-systems", "returns": "crs"},
]
COLUMNS = [
    (["patients", "outpatients"], ["doctors", "nurses"]),
    (["patients"], ["doctors", "nurses", "beds"]),
    (["patients", "outpatients"], None),
]


def read_calls(notes: tuple[str, ...]) -> list[str]:
    text = next(note for note in notes if "to tell them apart" in note)
    calls = re.findall(r"(deabench\.\w+\(table.*?\)) \((?:by|their|within|each) ", text)
    assert calls
    return calls


def has_form(options: dict[str, str], inputs: list[str] | None) -> bool:
    """Return whether the model has a form without inputs, where there are none."""
    needs_input = options.get("orientation") == "input" or options.get("model") == "ccr"
    # The model of a table without costs has one word for returns.
    is_wei = "returns" in options and "model" not in options
    return inputs is not None or not (needs_input or is_wei)


@pytest.mark.parametrize(
    "within", mark_most_slow([None, {"nurses": 290.0}], 1), ids=["all", "within"]
)
@pytest.mark.parametrize(
    ("options", "columns"),
    mark_most_slow(
        [
            (options, columns)
            for options in HOSPITAL_OPTIONS
            for columns in COLUMNS
            if has_form(options, columns[1])
        ],
        14,
    ),
    ids=str,
)
def test_every_call_asks_the_same_question(options, columns, within) -> None:
    """Each call runs under the same returns, orientation, columns and budget."""
    table = HOSPITALS
    outputs, inputs = columns
    words = {"outputs": outputs, **({} if inputs is None else {"inputs": inputs}), **options}
    # Most of the rows are efficient only where there are few.
    table = table.iloc[:8] if inputs is not None else table.iloc[[0, 4, 8, 10]]
    if within is not None:
        words["within"] = within
    ranking = (db.rank if within is None else db.best)(table, **words)
    if not any("to tell them apart" in note for note in ranking.notes):
        assert ranking.efficient.mean() <= 1 / 3 or len(ranking.scores) < 4
        return
    calls = read_calls(ranking.notes)
    assert calls
    for call in calls:
        result = eval(call, {"deabench": db, "table": table})
        if call.startswith("deabench.weightings"):
            assert set(result.metrics) == {*outputs, *(inputs or ())}
            assert len(result.ranks) == len(ranking.scores)
            continue
        data = result.data
        is_fewer = "by fewer" in " ".join(ranking.notes) and len(data.outputs.columns) == 1
        if not is_fewer:
            assert list(data.outputs) == outputs, call
        assert list(data.inputs) == (inputs or [])
        if inputs is not None:
            assert result.options.returns == ranking.options.returns, call
            assert result.options.orientation == ranking.options.orientation, call
        # Only a narrower budget leaves out rows.
        assert set(result.scores.index) <= set(ranking.scores.index)
        if within is None and "within" in call:
            assert len(result.scores) < len(ranking.scores)
        else:
            assert within is None or "within" in call


def test_hospitals_under_variable_returns_keep_them() -> None:
    """No output has a greatest value, so that "super" alone would take constant returns."""
    ranking = db.rank(HOSPITALS, outputs=["patients", "outpatients"], inputs=["doctors", "nurses"])
    assert ranking.options.returns == "vrs"
    assert (
        db.rank(HOSPITALS, outputs=["patients"], inputs=["doctors"], model="super").options.returns
        == "crs"
    )
    assert any("model='super', returns='vrs'" in call for call in read_calls(ranking.notes))


@pytest.mark.parametrize("given", [["doctors"], ["beds"], ["doctors", "beds"]])
def test_columns_that_are_given_stay_so(given, tmp_path, capsys) -> None:
    path = str(tmp_path / "hospitals.csv")
    HOSPITALS.rename_axis("hospital").to_csv(path)
    command = [
        "rank", path, "--outputs", "patients,outpatients", "--inputs", "doctors,nurses,beds",
        "--non-discretionary", ",".join(given), "--format", "json",
    ]  # fmt: skip
    assert main(command) == 0
    err = capsys.readouterr().err
    commands = re.findall(r"^  (deabench .*?) \((?:by|their|within|each)", err, re.M)
    assert commands
    for text in commands:
        words = shlex.split(text)[1:]
        assert words[words.index("--non-discretionary") + 1] == ",".join(given)
        assert main(words) == 0, capsys.readouterr().err


def test_identical_rows_are_not_to_be_told_apart() -> None:
    same = pd.DataFrame({"TPR": [0.8] * 5, "TNR": [0.7] * 5}, index=list("abcde"))
    assert db.rank(same).notes[-1] == (
        "5 of 5 are efficient; they are alike in every metric, and nothing tells them apart"
    )
    twins = RATES.copy()
    twins.loc["f"] = twins.loc["a"]
    notes = db.rank(twins).notes
    assert "5 of 6 are efficient; to tell them apart: " in notes[-2]
    assert notes[-1] == (
        "1 of the 5 efficient are alike in every metric with another, and nothing tells those apart"
    )


def test_the_page_of_a_budget_proposes_within_it(undrawn, tmp_path, capsys) -> None:
    path = tmp_path / "board.csv"
    BOARD.rename_axis("model").to_csv(path)
    page = tmp_path / "page.md"
    words = ["report", str(path), "--within", "latency_ms=9.9", "-o", str(page)]
    assert main(words) == 0, capsys.readouterr().err
    text = page.read_text(encoding="utf-8").replace("\\", "")
    assert "to tell them apart" in text
    calls = re.findall(r"deabench\.\w+\(table[^)]*\)", text)
    assert calls
    assert all("within=" in call for call in calls)


def test_ties_in_one_metric_propose_no_fewer_metrics() -> None:
    """Two floats that differ by one unit in the last place are efficient, and not alike."""
    table = pd.DataFrame({"accuracy": [0.9, np.nextafter(0.9, 1), 0.9, 0.5, 0.2]})
    (tie, repeated) = [note for note in db.rank(table).notes if "efficient" in note]
    assert tie.startswith("3 of 5 are efficient; to tell them apart: ")
    assert "fewer metrics" not in tie
    assert repeated.startswith("1 of the 3 efficient are alike in every metric with another")


def test_a_score_that_no_empty_cell_changes_is_noted() -> None:
    """b has the highest TPR whatever its TNR is; a, the reference, has all there is of both."""
    table = pd.DataFrame({"TPR": [1, 1, 0.5], "TNR": [1, np.nan, 0.5]}, index=list("abc"))
    ranking = db.rank(table, missing="bounds")
    assert ranking.notes[-1] == "no score depends on an empty cell"
    bounds = ranking.to_frame()[["lower", "upper"]]
    np.testing.assert_allclose(bounds, [[1, 1], [1, 1], [0.5, 0.5]])


def test_super_efficiency_has_the_words_of_every_model() -> None:
    """The last model of super-efficiency is proposed where the first lacks a word."""
    facts = TableFacts(has_inputs=True)
    last = ModelRequest(SUPER_MODELS[-1]).resolve(facts)
    for name in MODELS:
        options = ModelRequest(name).resolve(facts)
        for option in ("returns", "orientation"):
            assert set(choices_of(options, option)) <= set(choices_of(last, option))
