"""What the tools of the field really write: small public files, cut, with their source and licence
in DATA_LICENSES.md.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import deabench as db

REAL = Path(__file__).parent / "real"
pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def test_codecarbon() -> None:
    reading = db.read(REAL / "codecarbon_emissions.csv")
    assert reading.label == ("project_name",)
    assert reading.outputs == []
    assert {
        "duration",
        "emissions",
        "emissions_rate",
        "cpu_power",
        "ram_power",
        "cpu_energy",
        "ram_energy",
        "energy_consumed",
        "water_consumed",
    } <= set(reading.costs)
    assert {
        "run_id",
        "longitude",
        "latitude",
        "cpu_count",
        "ram_total_size",
        "cpu_utilization_percent",
        "pue",
    } <= {*reading.left_out}


def test_mlflow(refused) -> None:
    reading = db.read(REAL / "mlflow_runs.csv")
    assert reading.label == ("mlflow.runName",)
    assert reading.outputs == [
        "val_precision_fraud",
        "val_recall_fraud",
        "val_roc_auc",
        "val_f1_fraud",
        "val_f1_weighted",
    ]
    assert reading.costs == ["avg_inference_latency_ms", "train_duration_seconds"]
    assert {"learning_rate", "n_estimators", "max_depth", "random_state"} <= set(reading.left_out)
    empty = reading.frame["val_roc_auc"].isna()
    assert 0 < empty.sum() < len(empty)  # runs that failed, or were of another entry point
    with pytest.raises(
        db.DataError,
        match=r"missing; pass missing='drop-systems' \(\d+ of \d+\) or 'drop-metrics' ",
    ):
        db.rank(reading)
    ranking = db.rank(reading, missing="drop-systems")
    assert set(ranking.scores.index) == set(reading.frame.index[~empty])
    db.certify(ranking)


def test_lm_evaluation_harness_says_its_own_directions() -> None:
    reading = db.read(REAL / "lm_eval_0.4.json")
    assert reading.frame.index.tolist() == [
        "/scratch/hieu/nl2foam_sft_0/outputs/nl2foam_sft_0__8__1765350318"
    ]
    assert set(reading.outputs) == {
        "bleu",
        "rouge1",
        "rouge2",
        "rougeL",
        "bert_score",
        "llm_judge",
    }
    assert reading.column("llm_judge").reason == "declared by the evaluation"
    assert "rougeL_stderr" in reading.left_out


def test_runs_of_the_harness_in_files_of_their_own_are_one_table() -> None:
    files = [REAL / "pythia_160m_step23000.json", REAL / "pythia_160m_step123000.json"]
    reading = db.read(files)
    assert reading.frame.index.tolist() == ["pythia_160m_step23000", "pythia_160m_step123000"]
    assert (reading.layout, reading.dataset) == ("long", "task")
    assert (reading.outputs, reading.lower_rates) == (["acc", "acc_norm"], ["ppl"])
    original = json.loads(files[0].read_text())["results"]
    assert (
        reading.per_dataset.loc[("piqa", "pythia_160m_step23000"), "acc"] == original["piqa"]["acc"]
    )
    np.testing.assert_allclose(
        reading.frame.loc["pythia_160m_step23000", "acc"],
        np.mean([t["acc"] for t in original.values()]),
    )


def test_helm() -> None:
    reading = db.read(REAL / "helm_safety_scenarios.json")
    assert len(reading.frame) == 9
    assert len(reading.outputs) == 5
    assert all(name.endswith("↑") for name in reading.outputs)
    assert list(reading.left_out.values()) == ["every cell is empty"]
    ranking = db.rank(reading)
    assert ranking.efficient["GPT-4 Turbo (2024-04-09)"]


def test_runs_of_mlflow_that_hold_more_than_a_ranking_stay() -> None:
    """A run into which a ranking was written too is a system; one with nothing else is none."""
    runs = pd.DataFrame(
        {
            "run_id": ["1", "2", "3"],
            "status": "FINISHED",
            "tags.mlflow.runName": ["a", "b", "ranking"],
            "metrics.recall": [0.9, 0.8, np.nan],
            "params.deabench_model": ["wei", None, "wei"],
        }
    )
    assert db.read(runs).frame.index.tolist() == ["a", "b"]


def test_a_table_with_names_and_states_but_no_run_is_none_of_mlflow() -> None:
    table = pd.DataFrame(
        {"Name": ["a", "b"], "status": ["FAILED", "FINISHED"], "recall": [0.9, 0.8]}
    )
    assert db.read(table).frame.index.tolist() == ["a", "b"]
