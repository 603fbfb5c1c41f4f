"""How far a study is: counts of its tasks by status, and a digest of its results."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import pandas as pd

from deabench.study.plan import Plan
from deabench.study.results.store import read_rows
from deabench.study.running.tasks import Job

IDENTITY = ["dataset", "classifier", "repeat", "fold"]


@dataclass(frozen=True)
class Status:
    """Attributes
    ----------
    total, done, failed, missing : int
        Tasks of the study; failed counts those that raised, ran out of time or killed their worker.
    failures : Series
        Failed tasks by classifier and status.
    digest : str
        SHA-256 over the results alone: not over times, texts of errors, engines, restarts or order.
    """

    total: int
    done: int
    failed: int
    missing: int
    failures: pd.Series
    digest: str

    def to_frame(self) -> pd.DataFrame:
        """One row: study's counts and digest."""
        return pd.DataFrame({"total": [self.total], "done": [self.done], "failed": [self.failed],
                             "missing": [self.missing], "digest": [self.digest]})


def current_rows(plan: Plan, jobs: list[Job] | None = None) -> pd.DataFrame:
    """The store's rows that belong to the study as its file stands now, in the study's order."""
    jobs = plan.jobs() if jobs is None else jobs
    order = {job.key: place for place, job in enumerate(jobs)}
    rows = read_rows(plan.store, columns=(*IDENTITY, "key", "status", "tp", "fn", "fp", "tn", "fit_seconds",
                                          "score_seconds", "notes", "error_type", "error", "traceback", "time_limit",
                                          "rows IS NOT NULL AS kept", "rows_sha256"))
    rows = rows[rows["key"].isin(order.keys())]
    return rows.iloc[rows["key"].map(order).argsort(kind="stable")].reset_index(drop=True)


def status(plan: Plan, jobs: list[Job] | None = None) -> Status:
    """Read the store and count; nothing is written, so it may be asked while a run goes on."""
    jobs = plan.jobs() if jobs is None else jobs
    rows = current_rows(plan, jobs)
    done = int((rows["status"] == "done").sum())
    failed = rows[rows["status"] != "done"]
    return Status(len(jobs), done, len(failed), len(jobs) - len(rows),
                  failed.groupby(["classifier", "status"]).size().rename("tasks"), digest(rows))


def digest(rows: pd.DataFrame) -> str:
    """SHA-256 over data set, classifier, repeat, fold, status, counts and test rows of each result, sorted."""
    if rows.empty:
        return hashlib.sha256().hexdigest()
    lines = rows[[*IDENTITY, "status", "tp", "fn", "fp", "tn", "rows_sha256"]].astype(str).agg("\t".join, axis=1)
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()


def missing(plan: Plan, jobs: list[Job] | None = None, *, retry_failed: bool = False) -> list[Job]:
    """The tasks that a run would do.

    A task is done when the store holds its result (with its test rows, where those are to be kept); one that failed
    stays so unless `retry_failed`, or unless its time limit has been changed since.
    """
    jobs = plan.jobs() if jobs is None else jobs
    rows = current_rows(plan, jobs).set_index("key")[["status", "kept", "time_limit"]].to_dict("index")
    return [job for job in jobs if job.key not in rows or _again(rows[job.key], plan, retry_failed)]


def _again(row: dict[Any, Any], plan: Plan, retry_failed: bool) -> bool:
    if row["status"] == "done":
        return plan.keep and not row["kept"]
    return retry_failed or (row["status"] == "timeout" and row["time_limit"] != plan.time_limit)
