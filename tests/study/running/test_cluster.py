"""A study on a Dask cluster that is there already, and what is said where there is none."""

from __future__ import annotations

import pytest
from distributed import LocalCluster
from study_runs import SLOW

from deabench.errors import DataError
from deabench.study import Study
from deabench.study.running import cluster


def test_an_existing_cluster_gives_the_same_digest(study_file, undisturbed):
    study = Study.from_toml(study_file(SLOW))
    with LocalCluster(n_workers=1, threads_per_worker=2, host="127.0.0.1", dashboard_address=None) as there:
        done = study.run(scheduler=there.scheduler_address)
        assert (done.done, done.digest) == (50, undisturbed)
        assert study.run(scheduler=there.scheduler_address).digest == undisturbed


def test_no_scheduler_answers(study_file, monkeypatch):
    monkeypatch.setattr(cluster, "ANSWER", 0.3)
    with pytest.raises(DataError) as e:
        Study.from_toml(study_file(SLOW)).run(scheduler="tcp://127.0.0.1:9")
    assert str(e.value).startswith("no Dask scheduler answers at 'tcp://127.0.0.1:9': ")


def test_without_distributed(study_file, monkeypatch):
    monkeypatch.setattr(cluster, "find_spec", lambda name: None)
    with pytest.raises(DataError) as e:
        Study.from_toml(study_file(SLOW)).run(scheduler="local")
    assert str(e.value) == "a cluster needs the package distributed: pip install 'deabench[dask]'"
