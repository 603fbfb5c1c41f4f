"""Files of the tools that produce results are read as their formats say."""

import json
import re
import zipfile

import pandas as pd
import pytest

import deabench as db
from deabench.errors import DataError
from deabench.tables.read import open_source

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def write(path, data) -> str:
    path.write_text(json.dumps(data))
    return str(path)


def common_evaluation(model: str, accuracy: float, latency: float) -> dict:
    """Return one model's file in the common evaluation schema."""
    return {
        "schema_version": "0.2.1",
        "evaluation_id": f"board/{model}/1",
        "model_info": {"name": model, "id": f"org/{model}"},
        "eval_library": {"name": "inspect_ai", "version": "1"},
        "evaluation_results": [
            {
                "evaluation_name": "MMLU-Pro",
                "metric_config": {"lower_is_better": False, "min_score": 0, "max_score": 1},
                "score_details": {
                    "score": accuracy,
                    "uncertainty": {"standard_error": {"value": 0.01}, "num_samples": 900},
                },
            },
            {
                "evaluation_name": "seconds per answer",
                "metric_config": {"lower_is_better": True},
                "score_details": {
                    "score": latency,
                    "uncertainty": {
                        "confidence_interval": {
                            "lower": latency - 1,
                            "upper": latency + 1,
                            "confidence_level": 0.9,
                        }
                    },
                },
            },
            {
                "evaluation_name": "safety",
                "metric_config": {"lower_is_better": False, "has_unknown_level": True},
                "score_details": {"score": -1 if model == "c" else 3},
            },
        ],
    }


def test_the_common_evaluation_schema(tmp_path):
    files = [
        write(tmp_path / f"{name}.json", common_evaluation(name, accuracy, latency))
        for name, accuracy, latency in (("a", 0.8, 3.0), ("b", 0.7, 2.0), ("c", 0.6, 4.0))
    ]
    table = db.read(files)
    assert list(table.frame.index) == ["a", "b", "c"]
    assert table.outputs == ["MMLU-Pro", "safety"]
    assert table.inputs == ["seconds per answer"]
    # An unknown level is written as -1.
    assert table.missing == {"safety": 1}
    source = open_source(files[0])
    assert source.errors == {
        "MMLU-Pro": ("MMLU-Pro_stderr",),
        "seconds per answer": (
            "seconds per answer_ci90_lower",
            "seconds per answer_ci90_upper",
        ),
    }
    # All models in one list are one source, too.
    records = [json.loads((tmp_path / f"{name}.json").read_text()) for name in "abc"]
    whole = db.read(write(tmp_path / "all.json", records))
    assert whole.frame.equals(table.frame)


def test_instances_of_the_common_evaluation_schema(tmp_path):
    records = [
        {
            "schema_version": "instance_level_eval_0.2.1",
            "model_id": model,
            "evaluation_name": "gsm8k",
            "sample_id": f"s{k}",
            "evaluation": {"score": float(k % 3 != 0 or model == "a"), "is_correct": True},
            "performance": {"latency_ms": 10.0 + k},
            "token_usage": {"total_tokens": 100 + k},
        }
        for model in "ab"
        for k in range(12)
    ]
    path = tmp_path / "samples.jsonl"
    path.write_text("\n".join(map(json.dumps, records)))
    source = open_source(str(path))
    assert list(source.frame.columns) == [
        "model",
        "task",
        "instance",
        "score",
        "latency_ms",
        "total_tokens",
    ]
    table = db.read(str(path))
    assert table.frame["score"].to_dict() == {"a": 1.0, "b": pytest.approx(8 / 12)}
    assert table.outputs == ["score"]
    assert "latency_ms" in table.costs


def inspect_log(model: str, values: list[object], status: str = "success") -> dict:
    """Return a log of Inspect."""
    return {
        "version": 2,
        "status": status,
        "eval": {"task": "security", "model": model, "dataset": {}},
        "results": {
            "scores": [
                {
                    "name": "match",
                    "metrics": {
                        "accuracy": {"name": "accuracy", "value": 0.75},
                        "stderr": {"name": "stderr", "value": 0.05},
                    },
                }
            ]
        },
        "samples": [
            {
                "id": k,
                "epoch": 1,
                "scores": {"match": {"value": value, "answer": "x"}},
                "model_usage": {model: {"input_tokens": 5, "total_tokens": 10 + k}},
                "total_time": 1.5,
            }
            for k, value in enumerate(values)
        ],
    }


def test_logs_of_inspect_sample_by_sample(tmp_path):
    logs = [
        write(tmp_path / "a.json", inspect_log("openai/a", ["C", "C", "I", "P"])),
        write(tmp_path / "b.json", inspect_log("openai/b", ["C", "I", "I", "N"])),
    ]
    source = open_source(logs)
    assert source.frame["match"].tolist() == [1, 1, 0, 0.5, 1, 0, 0, 0]
    assert source.frame["instance"].tolist() == ["0", "1", "2", "3"] * 2
    table = db.read(logs)
    assert table.frame["match"].to_dict() == {"openai/a": 0.625, "openai/b": 0.25}
    # The instances are the samples, and epochs repeat them.
    uncertainty = db.uncertainty(table, outputs=["match"], inputs=[])
    assert uncertainty.samples.sizes == {"instances": 4}
    assert table.outputs == ["match"]


def write_archive(path, log, method=zipfile.ZIP_DEFLATED, **header):
    """Write a log as Inspect writes `.eval`: a header, and a document per sample."""
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": log["eval"]}))
        for sample in log["samples"]:
            name = f"samples/{sample['id']}_epoch_{sample.get('epoch', 1)}.json"
            archive.writestr(name, json.dumps(sample))
        if header.get("finished", True):
            rest = {key: value for key, value in log.items() if key != "samples"}
            archive.writestr("header.json", json.dumps(rest))
    return path


def test_archives_of_inspect_are_their_logs(tmp_path):
    grades = {"openai/a": ["C", "C", "I", "P"], "openai/b": ["C", "I", "I", "N"]}
    documents, archives = [], []
    for name, model in zip("ab", grades, strict=True):
        log = inspect_log(model, grades[model])
        documents.append(write(tmp_path / f"{name}.json", log))
        archives.append(write_archive(tmp_path / f"{name}.eval", log))
    table = db.read(archives)
    pd.testing.assert_frame_equal(table.rows, db.read(documents).rows)
    assert table.frame["match"].to_dict() == {"openai/a": 0.625, "openai/b": 0.25}


def test_archives_of_inspect_are_refused_before_they_are_unpacked(tmp_path, monkeypatch):
    log = inspect_log("openai/a", ["C"] * 4)
    log["samples"][0]["input"] = "a" * 3_000_000
    path = write_archive(tmp_path / "a.eval", log)
    assert path.stat().st_size < 30_000
    assert db.read(path).outputs == ["match"]
    monkeypatch.setattr(zipfile.ZipFile, "read", None)
    with pytest.raises(DataError, match=r"bytes, more than 2,000,000; raise the limit"):
        db.read(path, limits={"bytes": 2_000_000})
    with pytest.raises(DataError, match=r"4 rows, more than 3"):
        db.read(path, limits={"rows": 3})


def test_unfinished_and_damaged_archives_of_inspect(tmp_path):
    log = inspect_log("openai/a", ["C", "I"])
    path = write_archive(tmp_path / "a.eval", log, finished=False)
    with pytest.raises(DataError, match="did not finish"):
        db.read(path)
    data = bytearray(write_archive(tmp_path / "b.eval", log, zipfile.ZIP_STORED).read_bytes())
    position = data.rindex(b"openai/a")
    data[position] ^= 1
    (tmp_path / "b.eval").write_bytes(bytes(data))
    with pytest.raises(DataError, match="is a damaged log of Inspect"):
        db.read(tmp_path / "b.eval")
    # Compression by a method that zipfile does not know.
    data = bytearray(write_archive(tmp_path / "c.eval", log).read_bytes())
    for start in find_all(data, b"PK\x01\x02"):
        data[start + 10] = 250
    (tmp_path / "c.eval").write_bytes(bytes(data))
    with pytest.raises(DataError, match="inspect log convert --to json"):
        db.read(tmp_path / "c.eval")


def find_all(data, piece):
    """Return the positions of a piece in some bytes."""
    return [match.start() for match in re.finditer(re.escape(piece), bytes(data))]


def test_logs_of_inspect_without_samples_and_without_success(tmp_path):
    logs = []
    for name, status in (("a", "success"), ("b", "success"), ("c", "error")):
        log = inspect_log(name, [], status)
        del log["samples"]
        logs.append(log)
    table = db.read(write(tmp_path / "logs.json", logs))
    assert list(table.frame.index) == ["a", "b"]
    assert table.outputs == ["accuracy"]
    assert "1 logs that did not finish are left out" in table.notes
    assert open_source(str(tmp_path / "logs.json")).errors == {"accuracy": ("stderr",)}


def test_samples_of_the_language_model_harness(tmp_path):
    for model, right in (("org__a", [1, 1, 0, 1]), ("org__b", [1, 0, 0, 1])):
        folder = tmp_path / model
        folder.mkdir()
        lines = [
            {
                "doc_id": k,
                "target": "B",
                "resps": [["-1.0"]],
                "filtered_resps": ["-1.0"],
                "filter": "none",
                "metrics": ["acc"],
                "doc_hash": "ff",
                "acc": float(value),
            }
            for k, value in enumerate(right)
        ]
        name = "samples_arc_easy_2025-11-02T10-00-00.jsonl"
        (folder / name).write_text("\n".join(map(json.dumps, lines)))
    files = [str(path) for path in sorted(tmp_path.rglob("*.jsonl"))]
    source = open_source(files)
    assert list(source.frame.columns) == ["model", "task", "instance", "acc"]
    assert source.frame["task"].unique().tolist() == ["arc_easy"]
    assert db.read(files).frame["acc"].to_dict() == {"org/a": 0.75, "org/b": 0.5}


def test_standard_errors_of_the_language_model_harness(tmp_path):
    run = {
        "results": {
            "arc": {
                "acc,none": 0.6,
                "acc_stderr,none": 0.01,
                "exact_match,strict": 0.5,
                "exact_match_stderr,strict": 0.02,
            }
        },
        "config": {"model_args": "pretrained=org/a"},
    }
    source = open_source(write(tmp_path / "a.json", run))
    assert source.errors == {
        "acc": ("acc_stderr",),
        "exact_match (strict)": ("exact_match_stderr (strict)",),
    }


def test_runs_of_mlflow_are_called_by_their_names_and_failed_ones_left_out(tmp_path):
    frame = pd.DataFrame(
        {
            "run_id": ["a" * 32, "b" * 32, "c" * 32, "d" * 32],
            "experiment_id": ["0"] * 4,
            "status": ["FINISHED", "FAILED", "FINISHED", "FINISHED"],
            "artifact_uri": ["s3://x"] * 4,
            "metrics.accuracy": [0.8, 0.99, 0.7, 0.6],
            "metrics.f1": [0.7, 0.99, 0.8, 0.6],
            "params.depth": ["3", "4", "5", "6"],
            "tags.mlflow.runName": ["eager-fox", "bad-cat", "shy-owl", None],
        }
    )
    table = db.read(frame)
    assert list(table.frame.index) == ["eager-fox", "shy-owl", "d" * 32]
    assert table.outputs == ["metrics.accuracy", "metrics.f1"]
    assert "1 of 4 runs did not finish and are left out" in table.notes
    path = tmp_path / "runs.csv"
    columns = {"run_id": "Run ID", "status": "Status", "tags.mlflow.runName": "Name"}
    columns |= {"metrics.accuracy": "accuracy", "metrics.f1": "f1", "params.depth": "depth"}
    frame[list(columns)].rename(columns=columns).to_csv(path, index=False)
    table = db.read(path)
    assert list(table.frame.index) == ["eager-fox", "shy-owl", "d" * 32]
    assert table.outputs == ["accuracy", "f1"]


def test_a_leaderboard_of_autogluon_has_one_score_and_whole_times():
    frame = pd.DataFrame(
        {
            "model": ["WeightedEnsemble_L2", "CatBoost", "KNeighbors"],
            "score_test": [0.9, 0.88, 0.77],
            "score_val": [0.91, 0.89, 0.75],
            "eval_metric": ["accuracy"] * 3,
            "pred_time_test": [0.5, 0.1, 0.02],
            "pred_time_val": [0.4, 0.1, 0.02],
            "fit_time": [30.0, 10.0, 0.1],
            "pred_time_test_marginal": [0.01, 0.1, 0.02],
            "pred_time_val_marginal": [0.01, 0.1, 0.02],
            "fit_time_marginal": [0.5, 10.0, 0.1],
            "stack_level": [2, 1, 1],
            "can_infer": [True] * 3,
            "fit_order": [3, 2, 1],
        }
    )
    table = db.read(frame)
    assert table.outputs == ["score_test"]
    assert table.costs == ["pred_time_test", "fit_time"]
    assert table.left_out["fit_time_marginal"] == "it is a part of 'fit_time'"


def test_prices_of_litellm(tmp_path):
    prices = {
        "sample_spec": {"input_cost_per_token": 0.0, "output_cost_per_token": 0.0, "mode": "chat"},
        "a": {
            "max_tokens": 4096,
            "input_cost_per_token": 1e-6,
            "output_cost_per_token": 3e-6,
            "litellm_provider": "x",
            "mode": "chat",
            "supports_vision": True,
        },
        "b": {
            "input_cost_per_token": 2e-6,
            "output_cost_per_token": 4e-6,
            "litellm_provider": "x",
        },
        "picture": {"input_cost_per_image": 0.01, "litellm_provider": "x"},
    }
    table = db.read(write(tmp_path / "prices.json", prices))
    assert list(table.frame.index) == ["a", "b"]
    assert table.costs == ["input_cost_per_token", "output_cost_per_token"]
    assert "2 entries without both prices per token are left out" in table.notes
    # Beside a board they are its costs.
    (tmp_path / "board.csv").write_text("model,accuracy\na,0.9\nb,0.8\nc,0.7\n")
    joined = db.read([tmp_path / "board.csv", tmp_path / "prices.json"])
    assert joined.outputs == ["accuracy"]
    assert joined.costs == ["input_cost_per_token", "output_cost_per_token"]
    assert list(joined.frame.index) == ["a", "b"]


def test_results_of_evalplus(tmp_path):
    results = {
        name: {
            "link": "https://example.org",
            "open-data": "NONE",
            "pass@1": {"humaneval": base, "humaneval+": base - 5, "mbpp": base + 2},
            "prompted": True,
            "size": size,
        }
        for name, base, size in (("a", 80.0, 7.0), ("b", 70.0, 34.0), ("c", 60.0, None))
    }
    table = db.read(write(tmp_path / "results.json", results))
    assert list(table.frame.index) == ["a", "b", "c"]
    assert table.outputs == ["pass@1.humaneval", "pass@1.humaneval+", "pass@1.mbpp"]


def test_long_evaluations_of_openml(tmp_path):
    rows = [
        {
            "run_id": 100 + 10 * k + d,
            "task_id": d,
            "setup_id": k,
            "flow_id": k,
            "flow_name": flow,
            "data_id": d,
            "data_name": data,
            "function": function,
            "upload_time": "2024-01-01 10:00:00",
            "uploader": 1,
            "uploader_name": "someone",
            "value": 0.7 + 0.05 * k + 0.02 * d,
            "values": None,
            "array_data": "[0.7, 0.8]",
        }
        for k, flow in enumerate(("sklearn.tree(1)", "weka.J48(2)"))
        for d, data in enumerate(("iris", "wine"))
        for function in ("predictive_accuracy", "area_under_roc_curve")
    ]
    path = tmp_path / "evaluations.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    table = db.read(path)
    assert table.outputs == ["predictive_accuracy", "area_under_roc_curve"]
    assert list(table.frame.index) == ["sklearn.tree(1)", "weka.J48(2)"]
    assert table.dataset == "data_name"
    assert table.frame["predictive_accuracy"].tolist() == pytest.approx([0.71, 0.76])


def test_a_summary_of_opencompass_has_its_data_sets_as_metrics(tmp_path):
    path = tmp_path / "summary.csv"
    path.write_text(
        "dataset,version,metric,mode,qwen,llama,phi\n"
        "mmlu,4d595a,accuracy,gen,61.2,58.0,55.1\n"
        "gsm8k,1d7fe4,accuracy,gen,70.0,50.5,60.2\n"
        "humaneval,8e312c,humaneval_pass@1,gen,40.2,33.3,45.0\n"
    )
    table = db.read(path)
    assert list(table.frame.index) == ["qwen", "llama", "phi"]
    assert len(table.outputs) == 3
    assert not table.costs


def test_a_report_of_skore_has_its_metrics_in_rows():
    frame = pd.DataFrame(
        {"RandomForestClassifier": [0.93, 0.91, 0.2], "LogisticRegression": [0.9, 0.92, 0.01]},
        index=pd.Index(["Accuracy", "ROC AUC", "Fit time (s)"], name="Metric"),
    )
    table = db.read(frame)
    assert list(table.frame.index) == ["RandomForestClassifier", "LogisticRegression"]
    assert table.outputs == ["Accuracy", "ROC AUC"]
    assert table.costs == ["Fit time (s)"]


def test_a_board_of_tabarena_has_intervals(tmp_path):
    path = tmp_path / "board.csv"
    path.write_text(
        "method,elo,elo+,elo-,winrate,median_time_train_s_per_1K\n"
        "A,1450,40,38,0.7,100\nB,1460,10,10,0.72,50\nC,1400,90,90,0.6,10\n"
    )
    table = db.read(path)
    assert table.outputs == ["elo", "winrate"]
    assert table.errors == {"elo": ("elo+", "elo-")}
    bars = table.error_bars["elo"]
    assert bars["low"].tolist() == [1412, 1450, 1310]
    assert bars["high"].tolist() == [1490, 1470, 1490]
    ranking = db.rank(table)
    assert ranking.uncertainty is not None


def test_a_frame_made_of_the_api_of_weights_and_biases():
    """As docs/trackers.md makes it of the summaries: numbers, beside pictures and its own names."""
    summaries = {
        "calm-sun-1": {"acc": 0.91, "latency_ms": 9, "_step": 7, "roc": {"_type": "image-file"}},
        "dark-sea-2": {"acc": 0.93, "latency_ms": 20, "_step": 9},
        "red-fox-4": {"acc": 0.90, "latency_ms": 12, "_step": 7},
    }
    frame = pd.DataFrame([{"Name": name, **summary} for name, summary in summaries.items()])
    reading = db.read(frame.loc[:, ~frame.columns.str.startswith("_")])
    assert (list(reading.outputs), list(reading.costs)) == (["acc"], ["latency_ms"])
    ranking = db.rank(reading)
    assert ranking.efficient.to_dict() == {name: name != "red-fox-4" for name in summaries}


def test_runs_of_weights_and_biases_are_those_that_finished(tmp_path):
    path = tmp_path / "wandb.csv"
    path.write_text(
        "Name,State,Notes,User,Tags,Created,Runtime,Sweep,lr,val_accuracy,_step\n"
        "calm-sun-1,finished,-,u,,2026-01-02T10:00:00.000Z,120,,0.1,0.91,100\n"
        "dark-sea-2,finished,-,u,,2026-01-02T11:00:00.000Z,260,,0.01,0.93,100\n"
        "odd-hat-3,crashed,-,u,,2026-01-02T12:00:00.000Z,10,,0.5,0.99,3\n"
        "red-fox-4,finished,-,u,,2026-01-02T13:00:00.000Z,300,,0.2,0.90,100\n"
    )
    reading = db.read(path)
    assert reading.label == ("Name",)
    assert (list(reading.outputs), list(reading.costs)) == (["val_accuracy"], ["Runtime"])
    assert "1 of 4 runs did not finish and are left out" in reading.notes
    assert list(reading.frame.index) == ["calm-sun-1", "dark-sea-2", "red-fox-4"]
