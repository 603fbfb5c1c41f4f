"""How far a study is: counts of its tasks by status, and a digest of its results."""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter

import pandas as pd

from deabench.study.plans.jobs import Jobs
from deabench.study.plans.plan import Plan
from deabench.study.results.counted import KEY, count, leave, left_beside
from deabench.study.results.store import COLUMNS, read_rows, sound_rows
from deabench.study.running.tasks import Job
from deabench.utils.result import Result


@dataclass(frozen=True, eq=False, repr=False)
class Status(Result):
    """How far a study is.

    Attributes
    ----------
    total, done, failed, missing : int
        Tasks of the study; failed counts those that raised, ran out of a limit or killed their
        worker.
    failures : Series
        Failed tasks by classifier and status.
    digest : str
        SHA-256 over the results alone: not over times, texts of errors, engines, restarts or order.
    notes : tuple of str
        What was left out of the data, what of the store is damaged.
    """

    total: int
    done: int
    failed: int
    missing: int
    failures: pd.Series
    digest: str
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """One row: study's counts and digest."""
        return pd.DataFrame(
            {
                "total": [self.total],
                "done": [self.done],
                "failed": [self.failed],
                "missing": [self.missing],
                "digest": [self.digest],
            }
        )

    def summary(self) -> str:
        """Failures first, then what is done and missing."""
        left = f", {self.missing} are missing" if self.missing else ""
        return f"{failures_in_words(self)}; {self.done} of {self.total} tasks are done{left}"


def failures_in_words(status: Status) -> str:
    """`5 of 75 tasks failed: tree timeout 3, net failed 2`."""
    if not status.failed:
        return "no task failed"
    said = ", ".join(f"{name} {kind} {tasks}" for (name, kind), tasks in status.failures.items())
    return f"{status.failed} of {status.total} tasks failed: {said}"


def current_rows(plan: Plan, jobs: Jobs | None = None) -> pd.DataFrame:
    """The store's sound rows that belong to the study as it stands now, in the study's order."""
    jobs = plan.jobs() if jobs is None else jobs
    order = {key: place for place, key in enumerate(jobs.keys())}
    rows = read_rows(plan.store)
    damaged = rows.attrs["damaged"]
    rows["kept"] = rows["kept"].astype(bool)
    place = rows["key"].map(order)
    rows = rows[place.notna()].iloc[place.dropna().argsort(kind="stable")].reset_index(drop=True)
    rows.attrs["damaged"] = damaged
    return rows


def status(plan: Plan, jobs: Jobs | None = None, *, leaves: bool = False) -> Status:
    """Read the store and count, or take the counts that the last run left, where the store has not
    changed since.

    Parameters
    ----------
    leaves : bool
        Leave the counts beside the store: for a run that holds it. Otherwise nothing is written, so
        that the status may be asked for while a run goes on.
    """
    jobs = plan.jobs() if jobs is None else jobs
    found = left_beside(plan.store, jobs) or (leave if leaves else count)(plan.store, jobs)
    failed = sum(tasks for *_, tasks in found.failures)
    said = [
        f"{found.damaged} results of the store are damaged and count as missing; 'deabench study verify' names them"
    ]
    return Status(
        len(jobs),
        found.found - failed,
        failed,
        len(jobs) - found.found,
        _by_classifier(found.failures),
        found.digest,
        (*plan.data_notes, *(said if found.damaged else [])),
    )


def _by_classifier(failures: list[tuple[str, str, int]]) -> pd.Series:
    frame = pd.DataFrame(failures, columns=["classifier", "status", "tasks"]).astype(
        {"tasks": "int64"}
    )
    return frame.set_index(["classifier", "status"])["tasks"]


AGAIN = ("OtherDataError", "OtherCodeError")
"""Failures that say nothing of the classifier: they are always run again."""
NEEDED = itemgetter(*map(COLUMNS.index, ("status", "kept", "error_type", "bounds")))


def missing(plan: Plan, jobs: Jobs | None = None, *, retry_failed: bool = False) -> list[Job]:
    """Tasks without a sound result: never run, run by other code or data, out of a limit that has
    changed since, or failed where those are asked for again.
    """
    jobs = plan.jobs() if jobs is None else jobs
    left = set(jobs.keys())
    for rows, _ in sound_rows(plan.store):
        left.difference_update(
            row[KEY] for row in rows if _settled(plan, *NEEDED(row), retry_failed=retry_failed)
        )
    return jobs.of(left)


def _settled(
    plan: Plan, status: str, kept: int, error_type: str, bounds: str, *, retry_failed: bool
) -> bool:
    """Whether a task with such a row need not be run."""
    if status == "done":
        return bool(kept) or not plan.keep
    if retry_failed or error_type in AGAIN:
        return False
    return status != "timeout" or bounds == plan.bounds.text
