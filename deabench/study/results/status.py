"""How far a study is: counts of its tasks by status, and a digest of its results."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import pandas as pd

from deabench.results import Result
from deabench.study.plans.plan import Plan
from deabench.study.results.store import read_rows
from deabench.study.running.tasks import Job

IDENTITY = ("dataset", "classifier", "repeat", "fold")


@dataclass(frozen=True, eq=False, repr=False)
class Status(Result):
    """How far a study is.

    Attributes
    ----------
    total, done, failed, missing : int
        Tasks of the study; failed counts those that raised, ran out of a limit or killed their worker.
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
        return pd.DataFrame({"total": [self.total], "done": [self.done], "failed": [self.failed],
                             "missing": [self.missing], "digest": [self.digest]})

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


def current_rows(plan: Plan, jobs: list[Job] | None = None) -> pd.DataFrame:
    """The store's sound rows that belong to the study as it stands now, in the study's order."""
    jobs = plan.jobs() if jobs is None else jobs
    order = {job.key: place for place, job in enumerate(jobs)}
    rows = read_rows(plan.store)
    damaged = rows.attrs["damaged"]
    rows["kept"] = rows["kept"].astype(bool)
    place = rows["key"].map(order)
    rows = rows[place.notna()].iloc[place.dropna().argsort(kind="stable")].reset_index(drop=True)
    rows.attrs["damaged"] = damaged
    return rows


def status(plan: Plan, jobs: list[Job] | None = None) -> Status:
    """Read the store and count; nothing is written, so it may be asked while a run goes on."""
    jobs = plan.jobs() if jobs is None else jobs
    rows = current_rows(plan, jobs)
    done = int((rows["status"] == "done").sum())
    failed = rows[rows["status"] != "done"]
    damaged = rows.attrs["damaged"]
    said = [f"{damaged} results of the store are damaged and count as missing; 'deabench study verify' names them"]
    return Status(len(jobs), done, len(failed), len(jobs) - len(rows),
                  failed.groupby(["classifier", "status"]).size().rename("tasks"), digest(rows),
                  (*plan.data_notes, *(said if damaged else [])))


def digest(rows: pd.DataFrame) -> str:
    """SHA-256 over data set, classifier, repeat, fold, status, counts and test rows of each result, sorted."""
    if rows.empty:
        return hashlib.sha256().hexdigest()
    columns = [rows[name].astype(str).tolist() for name in (*IDENTITY, "status", "tp", "fn", "fp", "tn", "rows_sha256")]
    lines = sorted("\t".join(row) for row in zip(*columns, strict=True))
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


AGAIN = ("OtherDataError", "OtherCodeError")
"""Failures that say nothing of the classifier: they are always run again."""


def missing(plan: Plan, jobs: list[Job] | None = None, *, retry_failed: bool = False) -> list[Job]:
    """Tasks without a sound result: never run, run by other code or data, out of a limit that has changed since, or failed
    where those are asked for again."""
    jobs = plan.jobs() if jobs is None else jobs
    rows = current_rows(plan, jobs)
    good = rows["status"] == "done"
    if plan.keep:
        good &= rows["kept"]
    if not retry_failed:
        again = (rows["status"] == "timeout") & (rows["bounds"] != plan.bounds.text)
        good |= (rows["status"] != "done") & ~again & ~rows["error_type"].isin(AGAIN)
    settled = set(rows.loc[good, "key"])
    return [job for job in jobs if job.key not in settled]
