"""Every verb takes every kind of source, or names the command that gives an answer."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from source_kinds import make_sources, write_sources

import deabench as db
from deabench.cli import main

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
KINDS = tuple(make_sources())
VERBS = {
    "read": [],
    "rank": [],
    "frontier": [],
    "targets": [],
    "weightings": [],
    "report": ["-o", "page.html"],
    "uncertainty": [],
    "gate": ["--candidate", "strong"],
    "compare": [],
    "metrics": [],
    "curve": [],
}
RANK = r"deabench rank"
ASKS = r"deabench {verb} {file}.*--outputs score"
REFUSALS = {
    # One number per system and metric tells no uncertainty.
    **{
        (verb, kind): RANK
        for verb in ("uncertainty", "gate", "compare", "metrics", "curve")
        for kind in ("metrics", "metrics-in-rows")
    },
    **{(verb, "long"): RANK for verb in ("metrics", "curve")},
    # Nothing tells what a matrix of one metric measures, except to a test.
    **{
        (verb, kind): ASKS
        for verb in ("rank", "frontier", "targets", "weightings", "report", "uncertainty", "gate")
        for kind in ("folds", "datasets")
    },
    **{(verb, kind): RANK for verb in ("metrics", "curve") for kind in ("folds", "datasets")},
    ("compare", "long"): r"--metric accuracy",
    ("compare", "counts"): r"deabench uncertainty {file}",
    ("curve", "predictions"): r"deabench metrics",
    ("curve", "counts"): r"deabench metrics",
}
"""What the message of a refusal names; every other pair of verb and kind has an answer."""


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, Path]:
    return write_sources(tmp_path_factory.mktemp("sources"))


@pytest.mark.parametrize(
    "kind",
    # These two are read as "metrics" and "folds" are.
    [
        pytest.param(
            kind, marks=pytest.mark.slow if kind in ("metrics-in-rows", "datasets") else ()
        )
        for kind in KINDS
    ],
)
@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_answers_or_names_a_command(
    verb, kind, files, undrawn, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    file = str(files[kind])
    status = main([verb, file, *VERBS[verb]])
    out, err = capsys.readouterr()
    pattern = REFUSALS.get((verb, kind))
    if pattern is None:
        assert status in (0, 3, 4), err
        assert out or Path("page.html").exists()
    else:
        assert status == 1
        assert out == ""
        assert re.search(pattern.format(verb=verb, file=re.escape(file)), err), err


@pytest.mark.parametrize("verb", [verb for verb in VERBS if REFUSALS.get((verb, "folds")) == ASKS])
def test_the_metric_of_a_matrix_is_named_once_in_every_verb(
    verb, files, undrawn, tmp_path, monkeypatch, capsys
):
    """The commands that a refusal proposes run."""
    monkeypatch.chdir(tmp_path)
    assert main([verb, str(files["folds"]), *VERBS[verb]]) == 1
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("  deabench")]
    assert lines
    for line in lines:
        assert main(shlex.split(line)[1:]) in (0, 3, 4), capsys.readouterr().err


@pytest.mark.parametrize("kind", KINDS)
def test_read_names_the_kind_and_its_command_runs(kind, files, capsys):
    assert main(["read", str(files[kind]), "--format", "json"]) == 0
    proposal = json.loads(capsys.readouterr().out)
    assert proposal["kind"] == kind
    command = shlex.split(proposal["command"])
    assert main(command[1:]) == 0, capsys.readouterr().err
    out, _ = capsys.readouterr()
    assert "strong" in out


@pytest.mark.parametrize("kind", ["predictions", "scores", "counts"])
def test_targets_and_frontier_compute_the_metrics(kind, files, capsys):
    words = [str(files[kind]), "--outputs", "TPR,TNR", "--format", "json"]
    if kind == "scores":
        words += ["--threshold", "0.5"]
    assert main(["targets", *words]) == 0, capsys.readouterr().err
    records = json.loads(capsys.readouterr().out)
    assert main(["metrics", words[0], "--metrics", "TPR,TNR", *words[3:]]) == 0
    metrics = pd.DataFrame(json.loads(capsys.readouterr().out)).set_index("classifier")
    targets = db.targets(metrics, metrics)
    for record in records:
        expected = targets.targets.loc[record["classifier"]]
        assert [record["target_TPR"], record["target_TNR"]] == pytest.approx(
            expected.tolist(), abs=1e-9
        )


@pytest.mark.parametrize("verb", ["rank", "uncertainty", "metrics", "compare"])
def test_several_files_and_patterns_are_one_source(verb, tmp_path, capsys):
    frame = make_sources()["predictions"].sort_values(["model", "instance"])
    for name, rows in frame.groupby("model"):
        rows.to_csv(tmp_path / f"{name}.csv", index=False)
    listed = [str(path) for path in sorted(tmp_path.glob("*.csv"))]
    (tmp_path / "joined").mkdir()
    joined = tmp_path / "joined" / "all.csv"
    frame.to_csv(joined, index=False)
    answers = []
    for words in ([str(joined)], listed, [str(tmp_path / "*.csv")]):
        assert main([verb, *words, "--format", "json"]) == 0, capsys.readouterr().err
        answers.append(json.loads(capsys.readouterr().out))
    assert answers[0]
    assert answers[1] == answers[0]
    assert answers[2] == answers[0]


@pytest.mark.parametrize("verb", ["rank", "uncertainty", "metrics", "compare", "gate"])
def test_key_columns_of_predictions_may_have_any_name(verb, files, tmp_path, capsys):
    """Options name the column of systems and of data sets, and a column that is no system."""
    frame = make_sources()["predictions"].rename(columns={"model": "thing"})
    frame["field"] = np.where(frame["instance"] < 30, "left", "right")
    path = tmp_path / "answers.csv"
    frame.to_csv(path, index=False)
    words = [verb, str(path), "--label", "thing"]
    words += ["--candidate", "weak"] if verb == "gate" else ["--format", "json"]
    assert main(words) in (0, 3, 4), capsys.readouterr().err
    assert "weak" in capsys.readouterr().out
    if verb == "metrics":
        assert main([*words, "--dataset", "field"]) == 0
        records = json.loads(capsys.readouterr().out)
        assert {record["dataset"] for record in records} == {"left", "right"}
    assert main([verb, str(path), "--label", "thong", *words[4:]]) == 1
    assert "did you mean 'thing'?" in capsys.readouterr().err


def test_a_column_that_is_no_classifier_is_ignored(tmp_path, capsys):
    path = tmp_path / "wide.csv"
    y = np.tile([1, 0], 20)
    frame = pd.DataFrame({"y_true": y, "a": y, "b": 1 - y, "flag": np.tile([0, 0, 1, 1], 10)})
    frame.to_csv(path, index=False)
    for verb in ("metrics", "rank", "compare"):
        assert main([verb, str(path), "--ignore", "flag", "--format", "json"]) == 0
        assert "flag" not in capsys.readouterr().out


def test_codes_of_missing_predictions_are_empty_cells(tmp_path, capsys):
    path = tmp_path / "wide.csv"
    y = np.tile([1, 0, 1], 20)
    frame = pd.DataFrame({"y_true": y, "a": np.where(np.arange(60) == 7, -1, y), "b": 1 - y})
    frame.to_csv(path, index=False)
    for verb in ("metrics", "compare"):
        assert main([verb, str(path), "--missing-code", "-1"]) == 1
        assert "missing" in capsys.readouterr().err


def test_parquet_files_that_a_shell_lists_are_streamed(tmp_path, capsys):
    """`rank sweep/*.parquet` is the same with and without quotes."""
    rng = np.random.default_rng(3)
    for k in range(3):
        rows = pd.DataFrame(rng.uniform(0.5, 1, (20, 2)), columns=["TPR", "TNR"])
        rows.assign(model=[f"m{k}-{i}" for i in range(20)]).to_parquet(tmp_path / f"{k}.parquet")
    listed = [str(path) for path in sorted(tmp_path.glob("?.parquet"))]
    results = []
    for number, words in enumerate(([str(tmp_path / "?.parquet")], listed)):
        out = tmp_path / f"scores{number}.parquet"
        assert main(["rank", *words, "-o", str(out)]) == 0, capsys.readouterr().err
        results.append(pd.read_parquet(out))
        assert main(["frontier", *words, "--format", "csv"]) == 0
    pd.testing.assert_frame_equal(*results)
    assert len(results[0]) == 60


@pytest.mark.parametrize(
    "words",
    [
        ["rank"],
        ["rank", "--by-dataset"],
        ["targets"],
        ["frontier", "--technology", "fdh"],
        ["frontier", "--locate", "points.csv"],
        ["uncertainty"],
        ["weightings"],
    ],
    ids=" ".join,
)
def test_results_are_headed_by_the_word_of_the_table(words, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [
        f"{plant},{site},{value + k / 50},{60 - 9 * value + k}"
        for plant, value in (("north", 0.9), ("south", 0.8), ("west", 0.6))
        for k, site in enumerate(("x", "y", "z"))
    ]
    Path("plants.csv").write_text("\n".join(["plant,dataset,accuracy,precision", *rows]) + "\n")
    Path("points.csv").write_text("plant,accuracy,precision\nnew,0.7,50\n")
    verb, *options = words
    assert main([verb, "plants.csv", *options, "--format", "md"]) == 0
    heading = capsys.readouterr().out.splitlines()[0]
    assert heading.startswith("| plant |")
    assert "classifier" not in heading
    # Programs read one word for all tables.
    if verb in ("rank", "targets", "uncertainty"):
        assert main([verb, "plants.csv", *options, "--format", "csv"]) == 0
        assert capsys.readouterr().out.startswith("classifier,")


def test_the_data_sets_behind_a_mean_are_named(tmp_path, capsys) -> None:
    file = tmp_path / "wer.csv"
    file.write_text("dataset,wav2vec,whisper\ncalls,9.1,8.2\ntalks,7.5,6.1\nnews,5.5,4.1\n")
    assert main(["read", str(file), "--format", "json"]) == 0
    proposal = json.loads(capsys.readouterr().out)
    assert (proposal["kind"], proposal["lower_rates"]) == ("datasets", ["wer"])
    assert proposal["datasets"] == ["calls", "talks", "news"]
