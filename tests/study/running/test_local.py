"""Small tasks travel together, none is lost on the way, and a failed run says so by its exit
status.
"""

from __future__ import annotations

import gc
import json
from concurrent.futures import Future
from contextlib import closing
from types import SimpleNamespace

import numpy as np
import pytest

from deabench.cli import main
from deabench.study import Study
from deabench.study.data.shared import SharedDatasets
from deabench.study.results.status import missing_tasks
from deabench.study.running import local
from deabench.study.running.local import BATCH_SECONDS, LARGEST_BATCH, TaskQueue, run_locally
from deabench.study.spec.tasks import Task


def test_every_task_goes_once_and_batches_follow_the_tasks():
    queue = TaskQueue([SimpleNamespace(key=k) for k in range(5000)], 2)
    sizes, went = [], []
    while queue:
        batch = queue.next_batch()
        sizes.append(len(batch))
        went += [job.key for job in batch]
        queue.record_time(len(batch), 0.002 * len(batch))
    assert sorted(went) == list(range(5000))
    assert sizes[0] == 1
    assert max(sizes) == int(BATCH_SECONDS / 0.002) <= LARGEST_BATCH
    assert sizes[-1] == 1  # all workers end together
    slow = TaskQueue([SimpleNamespace(key=k) for k in range(50)], 1)
    slow.record_time(1, 3.0)
    assert len(slow.next_batch()) == 1


def test_tasks_come_back_to_the_front():
    queue = TaskQueue([1, 2, 3, 4], 1)
    queue.put_back(queue.next_batch())
    assert len(queue) == 4
    assert [queue.next_batch() for _ in range(4)] == [[1], [2], [3], [4]]
    assert not queue


def count_tasks() -> int:
    """Tasks that this process holds, but for those that were frozen."""
    return sum(type(held) is Task for held in gc.get_objects())


@pytest.fixture
def many_tasks(tmp_path):
    """The tasks of 500 repeats of two folds, of data given from code."""
    y = np.arange(12) % 3 // 2
    study = Study(
        {"d": (np.arange(24.0).reshape(12, 2), y)},
        {"none": "majority"},
        split={"folds": 2, "repeats": 500},
        store=tmp_path / "study.sqlite",
    )
    datasets = dict(zip(study.plan.data, study.plan.datasets(), strict=True))
    tasks = missing_tasks(study.plan)
    # What is there already is not looked at each time that tasks are counted.
    gc.freeze()
    yield tasks, datasets
    gc.unfreeze()


def test_waiting_tasks_are_not_held(many_tasks, tmp_path):
    tasks, datasets = many_tasks
    before = count_tasks()
    queue = TaskQueue(tasks, 1, SharedDatasets(datasets, tmp_path))
    # tasks that come back are made once, and go first
    queue.put_back(queue.next_batch())
    keys = []
    while queue:
        batch = queue.next_batch()
        queue.record_time(len(batch), 1e-4 * len(batch))
        # the batch alone is held, however many wait
        assert count_tasks() == before + len(batch)
        keys += [task.key for task in batch]
    assert keys == [task.key for task in tasks]


@pytest.mark.slow
def test_a_run_holds_the_tasks_that_are_under_way(many_tasks):
    tasks, datasets = many_tasks
    before = count_tasks()
    with closing(run_locally(tasks, 1, datasets)) as results:
        task, outcome = next(results)
        # two batches of one task each, and what replaced the first
        assert (task.key, outcome.status) == (tasks[0].key, "done")
        assert 1 <= count_tasks() - before <= 8


@pytest.mark.slow
def test_a_run_with_failures_exits_1_and_counts_them(study_file, capsys):
    path = study_file(
        'allow_imports = true\n[data]\nnames = ["glass-0-4_vs_5"]\n[split]\nfolds = 3\n'
        "[classifiers]\n"
        'bad = {import = "poison.Raises"}\nminus = {import = "poison.Minus"}\nmajority = {}'
    )
    # The command starts a worker of its own here; elsewhere it runs in the test's process.
    command = ["study", "run", "--allow-imports", str(path), "--format", "json"]
    assert main([*command, "--workers", "1"]) == 1
    captured = capsys.readouterr()
    assert json.loads(captured.out)[0]["failed"] == 6
    assert captured.err.splitlines()[-1] == "6 of 9 tasks failed: bad failed 3, minus failed 3"
    assert main(["study", "status", "--allow-imports", str(path)]) == 0
    assert main(["study", "run", "--allow-imports", str(path)]) == 1
    capsys.readouterr()
    assert main(["study", "tables", str(path), "metrics", "--format", "csv"]) == 0
    captured = capsys.readouterr()
    assert (
        captured.err.splitlines()[-1]
        == "6 tasks failed; 2 pairs of data set and classifier are left out"
    )
    assert [line.split(",")[1] for line in captured.out.splitlines()] == ["classifier", "majority"]


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["prevalence"])
def test_testing_prevalence_moves_neither_rate_and_training_prevalence_both(preset, tmp_path):
    """The Bayes post's two tables: TPR rises with the training prevalence, TNR falls, the AUROC
    stays; testing moves none.
    """
    from deabench.study import Study
    from deabench.study.results.store import Store
    from deabench.study.running.tasks import run_task
    from deabench.study.spec.study_file import write_preset

    write_preset(tmp_path / "p.toml", preset)
    text = (
        (tmp_path / "p.toml")
        .read_text()
        .replace('"random forest" = {trees = 100, depth = 6}\n', "")
    )
    (tmp_path / "p.toml").write_text(text)
    study = Study.from_toml(tmp_path / "p.toml", allow_imports=True)
    with Store(study.plan.store) as store:
        for job in study.plan.tasks():
            store.write_outcome(job, run_task(job))
    metrics = study.summary().metrics.droplevel("classifier")
    trained = metrics[metrics.index.str.startswith("trained")]
    tested = metrics[metrics.index.str.startswith("tested")]
    assert trained["TPR"].is_monotonic_increasing
    assert trained["TNR"].is_monotonic_decreasing
    assert trained["TPR"].iloc[-1] - trained["TPR"].iloc[0] > 0.1
    assert trained["roc_auc"].max() - trained["roc_auc"].min() < 0.01
    assert tested["TPR"].max() - tested["TPR"].min() < 0.02
    assert tested["TNR"].max() - tested["TNR"].min() < 0.05
    assert tested["PPV"].is_monotonic_increasing


@pytest.mark.parametrize(
    ("running", "returned", "put_back"), [({"a"}, ["a"], ["b"]), (set(), ["a", "b"], [])]
)
def test_only_tasks_that_ran_when_a_worker_died_are_suspects(
    running, returned, put_back, tmp_path, monkeypatch
):
    """Where none had begun, all are: what cannot be read ends a worker, too."""

    def send_all(pool, queue, batches, *_):
        future = Future()
        future.set_exception(local.BrokenProcessPool("died"))
        batches[future] = [task for batch in iter(queue.next_batch, []) for task in batch]

    monkeypatch.setattr(local, "ProcessPoolExecutor", lambda *_, **__: None)
    monkeypatch.setattr(local, "_end_pool", lambda pool: None)
    monkeypatch.setattr(local, "_submit_batches", send_all)
    monkeypatch.setattr(local, "running_keys", lambda scratch: running)
    queue = TaskQueue([SimpleNamespace(key=key) for key in "ab"], 1)
    results = local._run_pool(queue, 1, tmp_path)
    with pytest.raises(StopIteration) as end:
        next(results)
    assert [task.key for task in end.value.value] == returned
    waiting = [task.key for batch in iter(queue.next_batch, []) for task in batch]
    assert waiting == put_back
