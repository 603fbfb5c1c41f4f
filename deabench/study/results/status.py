"""Status of a study: its tasks counted from the store, a digest of its results, a forecast.

A million rows take a while to check. So a run, which checks them all at its end, leaves its count
beside the store, with the SHA-256 of the store's bytes: as long as the store has those bytes, the
count is true. A store that has changed since, by a run that goes on, an import, a repair or a
flipped bit, is checked and counted again.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from operator import itemgetter
from pathlib import Path
from typing import ClassVar

import pandas as pd

from deabench import __version__
from deabench.errors import DataError
from deabench.study.results.store import COLUMNS
from deabench.study.results.stored_rows import iterate_rows, read_rows
from deabench.study.spec.plan import Plan
from deabench.study.spec.tasks import Task, TaskList, TaskSelection
from deabench.utils.files import parse_state, read_state, write_whole
from deabench.utils.result import Result

CLASSIFIER = COLUMNS.index("classifier")
STATUS = COLUMNS.index("status")
NAMED = ("key", "dataset", "classifier", "repeat", "fold")
NAMES = itemgetter(*map(COLUMNS.index, NAMED))
"""What names a row's task (`TaskList.find`)."""
DIGESTED = slice(COLUMNS.index("dataset"), COLUMNS.index("tn") + 1)
"""Data set, classifier, repeat, fold, status and counts, which stand side by side."""
ROWS_SHA256 = COLUMNS.index("rows_sha256")
RETRIED_ERRORS = ("OtherDataError", "OtherCodeError")
"""Failures that say nothing of the classifier: they are always run again."""
DECISIVE = itemgetter(*map(COLUMNS.index, ("status", "kept", "error_type", "bounds")))


@dataclass(frozen=True, eq=False, repr=False)
class StudyStatus(Result):
    """How many tasks of a study are done.

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

    _text: ClassVar[str] = "study"

    total: int
    done: int
    failed: int
    missing: int
    failures: pd.Series
    digest: str
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """Return one row: the study's counts and digest."""
        names = ("total", "done", "failed", "missing", "digest")
        return pd.DataFrame({name: [getattr(self, name)] for name in names})


@dataclass(frozen=True)
class ResultCount:
    """The results of a study in a store.

    Attributes
    ----------
    results : int
        Tasks with a sound result, done or failed.
    failures : list of (classifier, status, tasks)
        Sorted.
    digest : str
        SHA-256 over data set, classifier, repeat, fold, status, counts and test rows of each
        result, sorted.
    damaged : int
        Rows with a wrong checksum, of this study or another.
    """

    results: int
    failures: list[tuple[str, str, int]]
    digest: str
    damaged: int


def count_results(store: Path, tasks: TaskList) -> ResultCount:
    """Check every row of a store, and count those of the study.

    A byte is held for each task; the digested lines are sorted on the disk.
    """
    is_counted = bytearray(len(tasks))
    failures: Counter[tuple[str, str]] = Counter()
    damaged = 0
    with sorted_lines() as lines:
        for rows, damaged_rows in iterate_rows(store):
            damaged += damaged_rows
            new_lines = []
            for row in rows:
                position = tasks.find(*NAMES(row))
                # a row that a run replaces meanwhile comes twice, and counts once
                if position is None or is_counted[position]:
                    continue
                is_counted[position] = True
                new_lines.append("\t".join(map(str, (*row[DIGESTED], row[ROWS_SHA256]))))
                if row[STATUS] != "done":
                    failures[row[CLASSIFIER], row[STATUS]] += 1
            lines.add(new_lines)
        digest = lines.digest()
    by_classifier = [(*pair, number) for pair, number in sorted(failures.items())]
    return ResultCount(is_counted.count(1), by_classifier, digest, damaged)


class SortedLines:
    """Lines in a temporary table, which holds two megabytes in memory and the rest on the disk."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        db.execute("CREATE TABLE lines (line BLOB)")

    def add(self, lines: list[str]) -> None:
        """Add lines, in any order."""
        # bytes are sorted as the texts are, by code points
        content = [(line.encode("utf-8", "surrogatepass"),) for line in lines]
        self._db.executemany("INSERT INTO lines VALUES (?)", content)

    def digest(self) -> str:
        """Return the SHA-256 of the sorted lines, joined by line feeds."""
        digest = hashlib.sha256()
        separator = b""
        for (line,) in self._db.execute("SELECT line FROM lines ORDER BY line"):
            digest.update(separator + line)
            separator = b"\n"
        return digest.hexdigest()


@contextmanager
def sorted_lines() -> Iterator[SortedLines]:
    """Open an empty table of lines, which is deleted with the block."""
    try:
        # a database without a name is a file that SQLite deletes
        with closing(sqlite3.connect("", isolation_level=None)) as db:
            db.execute("BEGIN")
            yield SortedLines(db)
    except sqlite3.Error as error:
        raise DataError(
            f"the results cannot be sorted on the disk: {error}; make room in "
            f"'{tempfile.gettempdir()}', or name another folder in the environment variable TMPDIR"
        ) from None


def save_count(store: Path, tasks: TaskList) -> ResultCount:
    """Count, and leave the count beside the store; no other run may write to it meanwhile."""
    # digested before it is read: damage from here on cannot pass for what was counted
    store_digest = _file_digest(store)
    count = count_results(store, tasks)
    content = {
        "store": store_digest,
        "study": tasks.identity(),
        "release": __version__,
        "counted": asdict(count),
    }
    text = json.dumps(content).encode()
    if store_digest:
        with suppress(DataError):  # a full disk: the next status counts
            write_whole(_count_file(store), _text_digest(text) + b"\n" + text)
    return count


def saved_count(store: Path, tasks: TaskList) -> ResultCount | None:
    """Return the count that a run of this very study left, if the store is unchanged since."""
    try:
        digest, _, text = read_state(_count_file(store)).partition(b"\n")
        if digest != _text_digest(text):
            return None
        content = parse_state(text)
        # another study, or another release, may have left the count
        if (content["study"], content["release"]) != (tasks.identity(), __version__):
            return None
        # digested last: it reads the whole file
        if content["store"] != _file_digest(store):
            return None
        # JSON has no tuples
        failures = [
            (str(name), str(status), int(tasks))
            for name, status, tasks in content["counted"]["failures"]
        ]
        count = ResultCount(**content["counted"] | {"failures": failures})
        # the file may be a stranger's: anything else than a count is none
        is_count = type(count.results) is type(count.damaged) is int
        is_count = is_count and isinstance(count.digest, str)
        return count if is_count else None
    except (OSError, ValueError, LookupError, TypeError, OverflowError):
        return None


def _text_digest(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest().encode()


def _count_file(store: Path) -> Path:
    return store.with_name(f".{store.name}.counted")


def _file_digest(store: Path) -> str:
    """Return the SHA-256 of the file; "" where it cannot be read or is not the whole store.

    SQLite keeps unfinished changes in files beside it.
    """
    if any(store.with_name(f"{store.name}-{suffix}").exists() for suffix in ("wal", "journal")):
        return ""
    try:
        with store.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return ""


def study_status(plan: Plan, tasks: TaskList | None = None, *, save: bool = False) -> StudyStatus:
    """Return the status of a study, from the store or from the count that the last run left.

    Parameters
    ----------
    save : bool
        Leave the count beside the store: for a run that has locked it. Otherwise nothing is
        written, so that the status may be read while a run goes on.
    """
    if tasks is None:
        tasks = plan.tasks()
    # The count of the last run saves reading all results again.
    count = saved_count(plan.store, tasks)
    if count is None and save:
        count = save_count(plan.store, tasks)
    elif count is None:
        count = count_results(plan.store, tasks)
    failed = sum(number for *_, number in count.failures)
    failures = pd.DataFrame(count.failures, columns=["classifier", "status", "tasks"])
    notes = list(plan.data_notes)
    if count.damaged:
        notes.append(
            f"{count.damaged} results of the store are damaged and count as missing; "
            "'deabench study verify' names them"
        )
    return StudyStatus(
        total=len(tasks),
        done=count.results - failed,
        failed=failed,
        missing=len(tasks) - count.results,
        failures=failures.astype({"tasks": "int64"}).set_index(["classifier", "status"])["tasks"],
        digest=count.digest,
        notes=tuple(notes),
    )


def current_rows(plan: Plan, tasks: TaskList | None = None) -> pd.DataFrame:
    """Return the store's sound rows that belong to the study as it is now, in its order."""
    if tasks is None:
        tasks = plan.tasks()
    rows = read_rows(plan.store)
    damaged = rows.attrs["damaged"]
    rows["kept"] = rows["kept"].astype(bool)
    # rows of other studies have no position
    positions = [tasks.find(*names) for names in zip(*(rows[name] for name in NAMED), strict=True)]
    order = pd.Series(positions, index=rows.index, dtype=float).dropna().sort_values().index
    rows = rows.loc[order].reset_index(drop=True)
    rows.attrs["damaged"] = damaged
    return rows


def missing_tasks(
    plan: Plan, tasks: TaskList | None = None, *, retry_failed: bool = False
) -> TaskSelection:
    """Return the tasks without a sound result.

    They never ran, ran with other code or data, ran out of a limit that has changed since, or
    failed where failed ones are to be retried.
    """
    if tasks is None:
        tasks = plan.tasks()
    # marks alone: a task is made when it is sent to a worker
    is_settled = bytearray(len(tasks))
    for rows, _ in iterate_rows(plan.store):
        for row in rows:
            position = tasks.find(*NAMES(row))
            if position is not None:
                is_settled[position] = _is_settled(plan, *DECISIVE(row), retry_failed=retry_failed)
    return tasks.without(is_settled)


def _is_settled(
    plan: Plan,
    status: str,
    has_predictions: int,
    error_type: str,
    limits: str,
    *,
    retry_failed: bool,
) -> bool:
    """Whether a task with such a row need not be run."""
    if status == "done":
        # counts alone are not enough where predictions are wanted
        return bool(has_predictions) or not plan.keep_predictions
    if retry_failed or error_type in RETRIED_ERRORS:
        return False
    # with another limit a task that ran out of time may end
    return status != "timeout" or limits == plan.limits.text


@dataclass(frozen=True)
class Forecast:
    """How long a study will take.

    Attributes
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
        """Return the forecast in one sentence."""
        tasks = int(self.per_classifier["tasks"].sum())
        minutes = self.seconds / self.workers / 60
        return (
            f"{tasks} tasks to do, about {self.seconds:.0f} CPU seconds: {minutes:.1f} minutes "
            f"with {self.workers} workers"
        )


def untimed_tasks(plan: Plan, missing: Sequence[Task]) -> list[Task]:
    """Return the first missing fold of every data set and classifier without any result.

    Raises
    ------
    DataError
        Where nothing is left to do.
    """
    if not missing:
        raise DataError("nothing is left to do; 'deabench study status' tells what there is")
    rows = current_rows(plan)
    timed = set(zip(rows["dataset"], rows["classifier"], strict=True))
    first = {(task.data.name, task.learner.name): task for task in reversed(missing)}
    return [task for pair, task in first.items() if pair not in timed]


def forecast_run(plan: Plan, workers: int) -> Forecast:
    """Return how long the missing tasks will take, by the mean time of the results there are."""
    rows = current_rows(plan)
    done = rows[rows["status"] == "done"]
    seconds = done["fit_seconds"] + done["score_seconds"]
    means = seconds.groupby([done["dataset"], done["classifier"]]).mean()
    frame = pd.DataFrame(
        [
            # a pair whose folds all fail has no time
            (task.learner.name, 1, means.get((task.data.name, task.learner.name), 0.0))
            for task in missing_tasks(plan)
        ],
        columns=["classifier", "tasks", "seconds"],
    )
    totals = frame.groupby("classifier", sort=False)[["tasks", "seconds"]].sum()
    totals.insert(1, "seconds_per_task", totals["seconds"] / totals["tasks"])
    return Forecast(totals, float(totals["seconds"].sum()), workers)
