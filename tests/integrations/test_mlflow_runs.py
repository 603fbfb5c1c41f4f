"""Rankings written into a local store of MLflow."""

from __future__ import annotations

import re

import pandas as pd
import pytest

import deabench as db
from deabench.errors import DataError

pytestmark = [
    pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]


@pytest.fixture
def mlflow():
    """MLflow, imported where it is tested: not by each process that collects tests."""
    return pytest.importorskip("mlflow")


@pytest.fixture
def runs(mlflow, tmp_path, monkeypatch):
    """Return the frame of three finished runs and a failed one, in a store of this test."""
    # A database takes eight seconds to be made; files are what MLflow had before.
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    # `set_tracking_uri` would hold for later tests, too.
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "runs").as_uri())
    mlflow.set_experiment("speed")
    for name, accuracy, latency in (("a", 0.92, 31.0), ("b", 0.85, 2.0), ("c", 0.80, 40.0)):
        with mlflow.start_run(run_name=name):
            mlflow.log_params({"depth": 3})
            mlflow.log_metrics({"accuracy": accuracy, "latency_ms": latency})
    mlflow.start_run(run_name="failed")
    mlflow.log_metrics({"accuracy": 0.99, "latency_ms": 1.0})
    mlflow.end_run("FAILED")
    return mlflow.search_runs()


def test_a_ranking_goes_into_its_own_run_and_each_score_into_its_system(mlflow, runs):
    ranking = db.rank(runs)
    assert sorted(ranking.scores.index) == ["a", "b", "c"]
    assert "1 of 4 runs did not finish and are left out" in ranking.notes
    ranking.log_to_mlflow(runs)
    after = mlflow.search_runs().set_index("tags.mlflow.runName")
    for name in "abc":
        assert after.loc[name, "metrics.deabench_efficiency"] == ranking.scores[name]
    assert after.loc[["a", "b", "c"], "tags.deabench_efficient"].tolist() == [
        "true",
        "true",
        "false",
    ]
    answer = after.loc["deabench ranking"]
    assert answer["metrics.deabench_efficient"] == 2
    assert "accuracy" in answer["params.deabench_outputs"]
    assert "latency_ms" in answer["params.deabench_inputs"]
    path = mlflow.artifacts.download_artifacts(f"{answer['artifact_uri']}/deabench_ranking.csv")
    written = pd.read_csv(path, index_col=0)
    pd.testing.assert_series_equal(written["efficiency"], ranking.to_frame()["efficiency"])
    # What deabench wrote is neither a system nor a metric of the next ranking.
    again = db.rank(mlflow.search_runs())
    assert again.scores.to_dict() == ranking.scores.to_dict()
    assert list(again.data.outputs) == list(ranking.data.outputs)
    assert again.notes == ranking.notes


def test_the_active_run_is_used(mlflow, runs):
    with mlflow.start_run(run_name="report"):
        db.rank(runs).log_to_mlflow()
    after = mlflow.search_runs().set_index("tags.mlflow.runName")
    assert "deabench ranking" not in after.index
    assert after.loc["report", "metrics.deabench_efficient"] == 2


def test_names_of_several_runs_are_refused_before_anything_is_written(mlflow, runs):
    table = pd.DataFrame({"accuracy": [0.9, 0.8]}, index=["a", "other"])
    with pytest.raises(DataError, match=re.escape("no single run is called 'other'")):
        db.rank(table).log_to_mlflow(runs)
    with pytest.raises(DataError, match="runs has no column run_id"):
        db.rank(table).log_to_mlflow(table)
    assert len(mlflow.search_runs()) == 4
