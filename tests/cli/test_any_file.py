"""Every verb takes every kind of file, or names the command that gives an answer."""

import json
import shlex

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.cli import main

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


@pytest.fixture
def predictions(tmp_path) -> str:
    """Return a long file of labels and scores on two data sets."""
    rng = np.random.default_rng(0)
    parts = []
    for dataset in ("x", "y"):
        y = np.tile([1, 0, 0, 1, 0], 12)
        for model, share in (("LR", 0.7), ("RF", 0.9)):
            labels = np.where(rng.random(60) < share, y, 1 - y)
            columns = {"task": dataset, "model": model, "id": range(60), "label": y}
            scores = np.round(0.6 * labels + 0.4 * rng.random(60), 3)
            parts.append(pd.DataFrame(columns | {"prediction": labels, "score": scores}))
    path = tmp_path / "predictions.csv"
    pd.concat(parts).to_csv(path, index=False)
    return str(path)


@pytest.fixture
def seeds(tmp_path) -> str:
    """Return a long file of models, tasks and seeds."""
    rng = np.random.default_rng(1)
    rows = [
        (model, task, seed, base + 0.02 * rng.random(), cost)
        for model, base, cost in (("llama", 0.7, 1.0), ("qwen", 0.8, 2.0), ("phi", 0.6, 1.5))
        for task in ("math", "code")
        for seed in range(6)
    ]
    path = tmp_path / "seeds.csv"
    columns = ["model", "task", "seed", "accuracy", "cost_per_1k_tokens"]
    pd.DataFrame(rows, columns=columns).to_csv(path, index=False)
    return str(path)


@pytest.fixture
def board(tmp_path) -> str:
    """Return a board with standard errors."""
    path = tmp_path / "board.csv"
    path.write_text(
        "model,accuracy,accuracy_stderr,latency_ms\n"
        "a,0.92,0.01,20\nb,0.88,0.01,5\nc,0.80,0.02,30\nd,0.70,0.02,40\ne,0.91,0.01,12\n"
        "f,0.60,0.02,50\n"
    )
    return str(path)


@pytest.fixture
def counts(tmp_path) -> str:
    path = tmp_path / "counts.csv"
    path.write_text(
        "classifier,tp,fn,fp,tn\nold,90000,10000,10000,90000\nnew,88000,12000,12000,88000\n"
    )
    return str(path)


def run_json(capsys, *words: str) -> list[dict]:
    """Run a command that succeeds and return its records."""
    assert main([*words, "--format", "json"]) == 0, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("kind", ["predictions", "seeds", "board", "counts"])
def test_rank_prints_intervals_and_verdicts_without_options(kind, request, capsys):
    records = run_json(capsys, "rank", request.getfixturevalue(kind))
    assert all(record["lower"] <= record["efficiency"] <= record["upper"] for record in records)
    assert {record["verdict"] for record in records} <= {"dominated", "undecided", "efficient"}
    best = {"predictions": "RF", "seeds": "llama", "board": "b", "counts": "old"}[kind]
    assert best in [record["classifier"] for record in records if record["rank"] == 1]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["predictions", "seeds", "board", "counts"])
def test_uncertainty_report_and_gate_take_the_same_files(kind, request, capsys, tmp_path):
    file = request.getfixturevalue(kind)
    ranked = run_json(capsys, "rank", file)
    uncertain = run_json(capsys, "uncertainty", file)
    verdicts = {record["classifier"]: record["verdict"] for record in ranked}
    assert {record["classifier"]: record["verdict"] for record in uncertain} == verdicts
    candidate = ranked[-1]["classifier"]
    status = main(["gate", file, "--candidate", candidate])
    answer = json.loads(capsys.readouterr().out)
    assert status == {"passes": 0, "fails": 3, "open": 4}[answer["verdict"]]
    page = tmp_path / "page.md"
    assert main(["report", file, "-o", str(page)]) == 0
    assert candidate in page.read_text()


def test_a_count_of_errors_is_no_metric(counts, capsys):
    """More false alarms are no virtue: 'new' is dominated, and by too much for .99."""
    records = run_json(capsys, "rank", counts)
    assert records[0]["classifier"] == "old"
    assert records[1]["verdict"] == "dominated"
    assert main(["gate", counts, "--candidate", "new", "--at-least", "0.99"]) == 3


def test_predictions_are_compared_data_set_by_data_set(predictions, capsys):
    assert main(["compare", predictions]) == 1
    message = capsys.readouterr().err
    assert "holds predictions on 2 data sets ('x', 'y')" in message
    assert "type --on-dataset x" in message
    records = run_json(capsys, "compare", predictions, "--on-dataset", "y")
    assert records[0]["better"] == "RF"
    assert main(["compare", predictions, "--on-dataset", "z"]) == 1
    assert "there is no data set 'z'" in capsys.readouterr().err
    records = run_json(capsys, "metrics", predictions, "--metrics", "TPR,TNR")
    frame = pd.read_csv(predictions)
    for record in records:
        part = frame[
            (frame["task"] == record["dataset"]) & (frame["model"] == record["classifier"])
        ]
        expected = db.metrics.from_predictions(part["label"], {"m": part["prediction"]})
        assert record["TPR"] == pytest.approx(expected.loc["m", "TPR"])
    names = [
        record["classifier"]
        for record in run_json(capsys, "curve", predictions, "--kind", "summary")
    ]
    assert names == ["x: LR", "x: RF", "y: LR", "y: RF"]


def test_metrics_of_data_sets_are_compared_from_a_pipe(predictions, capsys, monkeypatch, tmp_path):
    table = tmp_path / "metrics.csv"
    assert main(["metrics", predictions, "-o", str(table)]) == 0
    assert main(["compare", str(table)]) == 1
    assert "and a test compares one; type --metric TPR" in capsys.readouterr().err
    assert run_json(capsys, "compare", str(table), "--metric", "TPR")[0]["first"] == "LR"
    assert main(["compare", str(table), "--metric", "TPRR"]) == 1
    assert "did you mean 'TPR'?" in capsys.readouterr().err


def test_a_long_table_of_seeds_is_compared_by_one_metric(seeds, capsys):
    assert main(["compare", seeds]) == 1
    assert "type --metric accuracy" in capsys.readouterr().err
    records = run_json(capsys, "compare", seeds, "--metric", "accuracy")
    assert len(records) == 3


def test_what_has_one_number_each_is_sent_to_rank(tmp_path, capsys):
    path = tmp_path / "plain.csv"
    path.write_text("model,accuracy\na,0.9\nb,0.8\nc,0.7\n")
    for words in (["uncertainty"], ["gate", "--candidate", "a"], ["compare"]):
        assert main([words[0], str(path), *words[1:]]) == 1
        message = capsys.readouterr().err
        assert "deabench rank ranks" in message
        assert "Traceback" not in message


def test_a_class_and_a_threshold_may_be_named(predictions, capsys):
    first = run_json(capsys, "uncertainty", predictions, "--metrics", "TPR", "--positive", "0")
    second = run_json(capsys, "uncertainty", predictions, "--metrics", "TNR", "--positive", "1")
    for one, other in zip(first, second, strict=True):
        assert one == pytest.approx(other)
    assert main(["rank", predictions, "--scores", "--threshold", "0.5", "--format", "csv"]) == 0
    assert "'TPR', 'TNR', 'roc_auc': computed from" in capsys.readouterr().err


def test_a_pattern_of_files_is_one_source(tmp_path, capsys):
    for model, accuracy in (("a", 0.7), ("b", 0.6)):
        run = {
            "results": {"arc": {"acc,none": accuracy, "acc_stderr,none": 0.01}},
            "config": {"model_args": f"pretrained={model}"},
        }
        (tmp_path / f"{model}.json").write_text(json.dumps(run))
    records = run_json(capsys, "rank", str(tmp_path / "*.json"))
    assert [record["classifier"] for record in records] == ["a", "b"]
    assert records[1]["verdict"] == "dominated"


def test_each_verb_names_the_command_that_gives_an_answer(tmp_path, counts, board, capsys):
    rows = tmp_path / "rows.csv"
    rows.write_text("metric,rf,xgb\naccuracy,.93,.94\nf1,.91,.92\nlatency_ms,40,15\n")
    for words, text in (
        (["compare", str(rows)], "has its metrics in rows"),
        (["compare", counts], "type deabench uncertainty"),
        (["compare", board], "deabench rank ranks the file as it is"),
        (["metrics", board], "deabench rank ranks a table that has metrics already"),
        (["curve", board], "deabench rank ranks a table of metrics"),
    ):
        assert main(words) == 1
        assert text in capsys.readouterr().err


def test_the_command_that_read_prints_ranks_predictions_as_predictions(predictions, capsys):
    assert main(["read", predictions, "--format", "json"]) == 0
    command = json.loads(capsys.readouterr().out)["command"]
    words = shlex.split(command)[1:]
    records = run_json(capsys, *words)
    assert records == run_json(capsys, "rank", predictions)
    assert [record["classifier"] for record in records] == ["RF", "LR"]


def test_files_of_predictions_are_classifiers_or_data_sets(tmp_path, capsys):
    rng = np.random.default_rng(4)
    y = np.tile([1, 0], 40)
    for model, share in (("weak", 0.6), ("strong", 0.95)):
        labels = np.where(rng.random(80) < share, y, 1 - y)
        frame = pd.DataFrame({"instance": range(80), "y_true": y, "y_pred": labels})
        frame.to_csv(tmp_path / f"{model}.csv", index=False)
    records = run_json(capsys, "rank", str(tmp_path / "*.csv"))
    assert [record["classifier"] for record in records] == ["strong", "weak"]
    assert records[1]["verdict"] == "dominated"
    folder = tmp_path / "sets"
    folder.mkdir()
    for dataset in ("iris", "wine"):
        wide = {"y_true": y} | {
            name: np.where(rng.random(80) < share, y, 1 - y)
            for name, share in (("weak", 0.6), ("strong", 0.95))
        }
        pd.DataFrame(wide).to_csv(folder / f"{dataset}.csv", index=False)
    table = db.read(sorted(folder.iterdir()))
    assert table.rows["dataset"].unique().tolist() == ["iris", "wine"]
    assert db.by_dataset(table).each.index.tolist() == ["iris", "wine"]
    assert "each file is a data set" in " ".join(table.notes)


def test_a_score_equal_to_the_threshold_is_positive_in_every_answer(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    path.write_text("y_true,a\n1,0.5\n1,0.5\n0,0.1\n0,0.2\n0,0.3\n")
    words = ["metrics", str(path), "--scores", "--threshold", "0.5", "--positive", "1"]
    (rates,) = run_json(capsys, *words, "--metrics", "TPR,TNR")
    assert (rates["TPR"], rates["TNR"]) == (1.0, 1.0)
    (answers,) = run_json(capsys, *words, "--usefulness")
    assert all(answer for name, answer in answers.items() if name != "classifier"), answers


def test_a_guessed_class_hides_no_other_note(tmp_path, capsys):
    path = tmp_path / "labels.csv"
    path.write_text("y_true,a\nspam,spam\nspam,ham\nham,ham\nham,spam\nham,ham\n")
    assert main(["metrics", str(path), "--intervals", "--metrics", "TPR"]) == 0
    assert "instances are taken as drawn from one population" in capsys.readouterr().err
