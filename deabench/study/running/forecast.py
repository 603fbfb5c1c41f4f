"""How long a study will take, from one fold of each data set; nothing is stored."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import dataclass

import pandas as pd

from deabench.errors import DataError
from deabench.study.plans.plan import Plan
from deabench.study.results.status import missing
from deabench.study.running.local import local, stopping


@dataclass(frozen=True)
class Forecast:
    """Attributes
    ----------
    per_classifier : DataFrame
        Index classifier; tasks to do, seconds per task (mean over the data sets, measured), seconds
        in all.
    seconds : float
        CPU seconds of all tasks to do.
    workers : int
    """

    per_classifier: pd.DataFrame
    seconds: float
    workers: int

    @property
    def sentence(self) -> str:
        tasks = int(self.per_classifier["tasks"].sum())
        return (
            f"{tasks} tasks to do, about {self.seconds:.0f} CPU seconds: {self.seconds / self.workers / 60:.1f} "
            f"minutes with {self.workers} workers"
        )


def forecast(plan: Plan, *, workers: int | None = None) -> Forecast:
    """Run the first missing fold of every data set and classifier, and multiply.

    Raises
    ------
    DataError
        Where nothing is left to do.
    """
    count = workers or os.cpu_count() or 1
    jobs = missing(plan)
    if not jobs:
        raise DataError("nothing is left to do; 'deabench study status' tells what there is")
    first = {(job.data.name, job.learner.name): job for job in reversed(jobs)}
    with stopping(), closing(local(list(first.values()), count)) as results:
        took = {(job.data.name, job.learner.name): sum(outcome.seconds) for job, outcome in results}
    names = pd.DataFrame(
        [(job.data.name, job.learner.name) for job in jobs], columns=["dataset", "classifier"]
    )
    frame = names.assign(
        tasks=1, seconds=[took[pair] for pair in names.itertuples(index=False, name=None)]
    )
    per = frame.groupby("classifier", sort=False)[["tasks", "seconds"]].sum()
    per.insert(1, "seconds_per_task", per["seconds"] / per["tasks"])
    return Forecast(per, float(per["seconds"].sum()), count)
