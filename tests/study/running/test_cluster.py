"""A study on a Dask cluster that is there already, and what is said where there is none."""

from __future__ import annotations

import inspect
import os
import signal
import subprocess
import sys
import time
from collections import deque
from types import SimpleNamespace

import numpy as np
import poison
import pytest
from distributed import KilledWorker, LocalCluster
from study_runs import HERE, ROOT, SLOW, run_here, with_data_from_code

from deabench.errors import DataError
from deabench.study import Study
from deabench.study.running import cluster
from deabench.study.spec.tasks import TaskLimits


@pytest.mark.slow
def test_an_existing_cluster_gives_the_same_digest(study_file, undisturbed):
    study = Study.from_toml(study_file(SLOW), allow_imports=True)
    with LocalCluster(
        n_workers=1, threads_per_worker=2, host="127.0.0.1", dashboard_address=None
    ) as local_cluster:
        done = study.run(scheduler=local_cluster.scheduler_address)
        assert (done.done, done.digest) == (50, undisturbed)
        assert study.run(scheduler=local_cluster.scheduler_address).digest == undisturbed


def test_no_scheduler_answers(study_file, monkeypatch):
    monkeypatch.setattr(cluster, "ANSWER_SECONDS", 0.3)
    with pytest.raises(DataError) as e:
        Study.from_toml(study_file(SLOW), allow_imports=True).run(scheduler="tcp://127.0.0.1:9")
    assert str(e.value).startswith("no Dask scheduler answers at 'tcp://127.0.0.1:9': ")


def test_without_distributed(study_file, monkeypatch):
    monkeypatch.setattr("deabench.utils.dask_client.find_spec", lambda name: None)
    with pytest.raises(DataError) as e:
        Study.from_toml(study_file(SLOW), allow_imports=True).run(scheduler="local")
    assert str(e.value) == "a cluster needs the package distributed: pip install 'deabench[dask]'"


CLUSTER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(
        n_workers=1, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    ) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.readline()
        for worker in list(cluster.workers.values()):
            cluster.sync(worker.close)
        print("closed", flush=True)
        sys.stdin.readline()
"""


def _cluster(folder):
    """A cluster in a process of its own, that can be killed; its address."""
    (folder / "there.py").write_text(CLUSTER)
    paths = os.pathsep.join([str(ROOT), str(ROOT / "models"), str(HERE)])
    process = subprocess.Popen(
        [sys.executable, str(folder / "there.py")],
        env={**os.environ, "PYTHONPATH": paths},
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    return process, process.stdout.readline().strip()


@pytest.mark.slow
def test_a_scheduler_that_dies_is_said_and_the_run_goes_on_after_it(
    study_file, undisturbed, tmp_path, monkeypatch
):
    """One of the two data sets comes from code, the other from a file."""
    monkeypatch.setattr(cluster, "ANSWER_SECONDS", 6.0)
    study = Study.from_toml(study_file(SLOW), allow_imports=True)
    study = with_data_from_code(study, ["new-thyroid1"])
    assert [spec.source for spec in study.plan.data].count("memory") == 1
    process, address = _cluster(tmp_path)

    def kill(job, outcome):
        if process.poll() is None and study_rows() >= 5:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    messages = []

    def study_rows() -> int:
        messages.append(1)
        return len(messages)

    with pytest.raises(DataError) as e:
        study.run(scheduler=address, watch=kill)
    assert str(e.value) == (
        f"the Dask scheduler at '{address}' is gone; start it again, and run again: what was "
        "done is in the "
        "store"
    )
    assert 5 <= study.status().done < 50
    assert run_here(study).digest == undisturbed


@pytest.mark.slow
def test_a_cluster_without_workers_is_said(study_file, tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "ANSWER_SECONDS", 3.0)
    study = Study.from_toml(study_file(SLOW), allow_imports=True)
    process, address = _cluster(tmp_path)
    try:
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.readline() == "closed\n"
        began = time.monotonic()
        with pytest.raises(DataError) as e:
            study.run(scheduler=address)
        assert time.monotonic() - began < cluster.RESTART_SECONDS
        assert str(e.value) == (
            f"the cluster at '{address}' has had no worker for 3 s; start workers, and run "
            "again: what was "
            "done is in the store"
        )
    finally:
        process.communicate("\n", timeout=30)


@pytest.mark.slow
def test_data_and_functions_from_code_reach_a_cluster(tmp_path):
    import numpy as np
    import poison

    rng = np.random.default_rng(0)
    data = {"d": (rng.normal(size=(60, 3)), np.arange(60) % 3 // 2)}
    learners = {"forest": poison.small_forest, "tree": "C4.5"}
    digests = set()
    for k, scheduler in enumerate((None, "local")):
        study = Study(data, learners, positive=1, split=3, store=tmp_path / f"{k}.sqlite")
        done = study.run(workers=1, scheduler=scheduler)
        assert (done.done, done.failed) == (6, 0), study.summary().failures
        digests.add(done.digest)
    assert len(digests) == 1


def test_a_local_cluster_starts_its_workers_again_however_often_they_die():
    """Dask looks 15 s after a death whether the worker is there, and gives it up if it has just
    died once more.
    """
    import dask
    from dask.utils import parse_timedelta
    from distributed.deploy import spec

    assert "distributed.deploy.lost-worker-timeout" in inspect.getsource(spec)
    with cluster._open_client("local", 0):
        assert (
            parse_timedelta(dask.config.get("distributed.deploy.lost-worker-timeout"))
            > 100 * cluster.RESTART_SECONDS
        )


def test_enough_batches_are_on_the_way_that_no_thread_waits_for_the_parent():
    from concurrent.futures import Future

    class Client:
        """A cluster of four threads that has answered nothing yet."""

        status, sent = "running", 0

        def nthreads(self):
            return {"tcp://w": 4}

        def submit(self, *_, key, **__):
            self.sent += 1
            future = Future()
            future.key = key
            return future

    def answer():
        raise TimeoutError("all have gone that may go before the first answer")

    client = Client()
    cluster_run = cluster._ClusterRun(client, "tcp://there", None, {})
    cluster_run._next_future = answer
    with pytest.raises(TimeoutError):
        next(
            cluster_run.run(
                [SimpleNamespace(key=k, data=SimpleNamespace(source="file")) for k in range(100)], 1
            )
        )
    assert client.sent == cluster.BATCHES_AHEAD * 4


def test_a_result_that_dies_with_its_worker_is_waited_for():
    """The scheduler lets another worker compute it: the future is lost for a while only."""
    client = SimpleNamespace(status="running", nthreads=lambda: {"tcp://w": 1})
    cluster_run = cluster._ClusterRun(client, "local", "a folder", {})
    future = SimpleNamespace(status="lost", key="a")
    cluster_run.finished.put(future)
    assert cluster_run._next_future() is None
    assert cluster_run._next_future() is None
    future.status = "finished"
    assert cluster_run._next_future() is future
    future.status = "cancelled"
    cluster_run.finished.put(future)
    with pytest.raises(DataError, match="did not come back"):
        cluster_run._next_future()


@pytest.mark.slow
def test_results_that_die_with_their_worker_are_computed_again(tmp_path, monkeypatch):
    """The parent is busy while its only worker ends a second batch and dies in the third."""
    death = tmp_path / "death"
    monkeypatch.setenv(poison.DEATH, str(death))
    rows = np.random.default_rng(0).normal(size=(40, 2))
    study = Study(
        {"d": (rows, np.arange(40) % 4 // 3)},
        {"first": poison.Good(), "second": poison.Good(1e-9), "third": poison.Dies()},
        split={"kind": "holdout", "folds": 1},
        positive=1,
        store=tmp_path / "study.sqlite",
    )
    names = []

    def look_away(task, outcome):
        names.append(task.learner.name)
        until = time.monotonic() + 60
        while len(names) == 1 and not death.exists() and time.monotonic() < until:
            time.sleep(0.05)
        # the scheduler hears of it soon after
        time.sleep(2 if len(names) == 1 else 0)

    done = study.run(workers=1, scheduler="local", watch=look_away)
    assert (done.done, done.failed) == (2, 1)
    assert names == ["first", "second", "third"]


def test_workers_of_a_local_cluster_that_stay_away_are_said():
    cluster_run = cluster._ClusterRun(SimpleNamespace(status="running"), "local", "a folder", {})
    assert str(cluster_run._lost_cluster()) == (
        "the workers of the local cluster did not come back within 120 s; make room for them, "
        "and run "
        "again: what was done is in the store"
    )


class _Lost:
    """A future that was settled when asked first, and whose worker or scheduler is gone when its
    result is fetched.
    """

    def __init__(self, error):
        self.error = error

    def exception(self):
        return None

    def result(self):
        raise self.error


def test_a_result_that_is_lost_after_it_was_announced_is_a_death_like_any_other():
    from distributed import KilledWorker
    from distributed.client import FutureCancelledError

    cluster_run = cluster._ClusterRun(SimpleNamespace(status="closed"), "tcp://there", None, {})
    suspects = deque()
    killed = _Lost(KilledWorker("a", SimpleNamespace(address="tcp://w"), 1))
    assert list(cluster_run._collect(killed, ["a task"], SimpleNamespace(), suspects)) == []
    assert list(suspects) == ["a task"]
    with pytest.raises(DataError) as e:
        list(
            cluster_run._collect(
                _Lost(FutureCancelledError("a", "scheduler-connection-lost")),
                ["a task"],
                SimpleNamespace(),
                suspects,
            )
        )
    assert str(e.value) == (
        "the Dask scheduler at 'tcp://there' is gone; start it again, and run again: "
        "what was done is in the store"
    )


class Ended:
    """A future that has ended, with a result or an error."""

    def __init__(self, result):
        self.ending = result

    def result(self):
        if isinstance(self.ending, BaseException):
            raise self.ending
        return self.ending


def test_what_becomes_of_a_batch_is_told_for_each_task(tmp_path):
    run = cluster._ClusterRun(SimpleNamespace(status="running"), "tcp://x", str(tmp_path), {})
    batch = [SimpleNamespace(key=key, limits=TaskLimits(wall=2, cpu=1)) for key in "ab"]
    queue = cluster.TaskQueue([], 1)

    def collect(ending, suspects=None):
        return list(run._collect(Ended(ending), batch, queue, suspects))

    assert collect((["x", "y"], 0.5)) == [(batch[0], "x"), (batch[1], "y")]
    with pytest.raises(cluster.Interrupted, match="stopped"):
        collect(cluster.Interrupted("stopped"))
    for _, outcome in collect(ValueError("no\nway")):
        assert (outcome.status, *outcome.error[:2]) == ("failed", "ValueError", "no way")
    # A task whose worker died is run once more by itself; then it has crashed.
    killed = KilledWorker("a", SimpleNamespace(address="tcp://y"), 0)
    suspects = deque()
    assert collect(killed, suspects) == []
    assert list(suspects) == batch
    (tmp_path / "a.trace").write_text("File x, line 1")
    first, second = (outcome for _, outcome in collect(killed))
    assert (first.status, first.error[:2]) == (
        "timeout",
        (
            "OutOfTime",
            "took longer than 2 s or 1 s of CPU time in code that cannot be interrupted; its "
            "worker was ended",
        ),
    )
    assert (second.status, second.error[:2]) == (
        "crashed",
        (
            "KilledWorker",
            "its worker process died each time it ran (of itself, or ended at a limit)",
        ),
    )
