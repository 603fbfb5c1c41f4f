"""The store of a study: one SQLite file, written by the parent process alone, one row per task.

A row is named by its task's key, a digest of everything that its result depends on, so a changed setting finds no row
and runs again, and a setting changed back finds its old rows. Rows are committed every half second; what a power cut
takes is run again.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import TracebackType

import pandas as pd

from deabench.errors import DataError
from deabench.study.running.tasks import Job, Outcome, unpack

SCHEMA = """
CREATE TABLE IF NOT EXISTS results (
  key TEXT PRIMARY KEY, dataset TEXT NOT NULL, classifier TEXT NOT NULL, repeat INTEGER NOT NULL, fold INTEGER NOT NULL,
  status TEXT NOT NULL, tp INTEGER, fn INTEGER, fp INTEGER, tn INTEGER, fit_seconds REAL, score_seconds REAL,
  notes TEXT, error_type TEXT, error TEXT, traceback TEXT, time_limit REAL, rows BLOB, rows_sha256 TEXT);
CREATE TABLE IF NOT EXISTS outside (
  dataset TEXT, classifier TEXT, repeat INTEGER, fold INTEGER, tp INTEGER, fn INTEGER, fp INTEGER, tn INTEGER,
  source TEXT, PRIMARY KEY (dataset, classifier, repeat, fold));
CREATE TABLE IF NOT EXISTS runs (started TEXT, ended TEXT, engine TEXT, versions TEXT, plan TEXT);
"""
COLUMNS = ("key", "dataset", "classifier", "repeat", "fold", "status", "tp", "fn", "fp", "tn", "fit_seconds",
           "score_seconds", "notes", "error_type", "error", "traceback", "time_limit", "rows", "rows_sha256")
OUTSIDE = ("dataset", "classifier", "repeat", "fold", "tp", "fn", "fp", "tn", "source")
EVERY = 0.5
"""Seconds between commits."""


class Store:
    """An open store; a context manager that commits what it holds when it is left, whatever the reason."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._committed = time.monotonic()
        with _clearly(path):
            self._db = sqlite3.connect(path, timeout=10, isolation_level=None)
            self._db.executescript(SCHEMA)
            self._db.execute("BEGIN IMMEDIATE")  # a store that cannot be written is refused before anything runs

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        with closing(self._db):
            if kind is None or not issubclass(kind, DataError):
                self.commit()

    def put(self, job: Job, outcome: Outcome) -> None:
        """Write a task's row, replacing the one it had."""
        row = (job.key, job.data.name, job.learner.name, job.repeat, job.fold, outcome.status, *outcome.counts,
               *outcome.seconds, json.dumps(outcome.notes, sort_keys=True), *outcome.error, job.time_limit,
               outcome.rows or None, outcome.rows_sha256)
        with _clearly(self.path):
            self._db.execute(f"INSERT OR REPLACE INTO results ({','.join(COLUMNS)}) VALUES "
                             f"({','.join('?' * len(COLUMNS))})", row)
        if time.monotonic() - self._committed > EVERY:
            self.commit()
            with _clearly(self.path):
                self._db.execute("BEGIN IMMEDIATE")

    def put_outside(self, rows: pd.DataFrame) -> None:
        """Write results from elsewhere (columns OUTSIDE), replacing those of the same names and folds."""
        with _clearly(self.path):
            self._db.executemany(f"INSERT OR REPLACE INTO outside VALUES ({','.join('?' * len(OUTSIDE))})",
                                 rows[list(OUTSIDE)].astype(object).itertuples(index=False, name=None))

    def commit(self) -> None:
        with _clearly(self.path):
            if self._db.in_transaction:
                self._db.execute("COMMIT")
        self._committed = time.monotonic()

    def begin_run(self, engine: str, versions: dict[str, str], plan: str) -> int:
        """Note the run with the versions that make it; returns its number, for `end_run`."""
        with _clearly(self.path):
            at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            row = (at, engine, json.dumps(versions), plan)
            cursor = self._db.execute("INSERT INTO runs VALUES (?, NULL, ?, ?, ?)", row)
            self.commit()
            self._db.execute("BEGIN IMMEDIATE")
        return int(cursor.lastrowid or 0)

    def end_run(self, number: int) -> None:
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        with _clearly(self.path):
            self._db.execute("UPDATE runs SET ended = ? WHERE rowid = ?", (at, number))


@contextmanager
def _clearly(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise DataError(f"cannot write the store '{path}': {error}; the results committed before are safe "
                        "(make room or permit writing, and run again)") from None


@contextmanager
def only_one(path: Path) -> Iterator[None]:
    """Hold the store for one run: a lock of SQLite's on a file beside it, which the system drops with the process.

    Raises
    ------
    DataError
        Where another run holds it.
    """
    lock = path.with_name(f".{path.name}.lock")
    try:
        db = sqlite3.connect(lock, timeout=0, isolation_level=None)
        db.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise DataError(f"another run is writing the store '{path}'; wait for it, or stop it first") from None
        raise DataError(f"cannot write the store '{path}': {error}; name a folder that is writable") from None
    with closing(db):
        yield


def read_rows(path: Path, columns: Iterable[str] = COLUMNS[:17]) -> pd.DataFrame:
    """The rows of a store as they are, without writing anything; empty where there is no store yet."""
    return _query(path, "results", list(columns))


def read_runs(path: Path) -> pd.DataFrame:
    """Every run that wrote to the store: started, ended, engine, versions (JSON), plan (the study file's text)."""
    return _query(path, "runs", ["started", "ended", "engine", "versions", "plan"])


def read_outside(path: Path) -> pd.DataFrame:
    """The results from elsewhere, in the order in which they came in."""
    return _query(path, "outside", list(OUTSIDE))


def read_predictions(path: Path, keys: Iterable[str]) -> dict[str, pd.DataFrame]:
    """The kept test rows of some tasks: for each key a frame of row, y_true, y_pred, score."""
    found = {}
    with _reading(path) as db:
        for key in keys:
            row = db.execute("SELECT rows FROM results WHERE key = ?", (key,)).fetchone()
            if row is not None and row[0] is not None:
                found[key] = pd.DataFrame(unpack(row[0]))
    return found


def _reading(path: Path) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=30))


def _query(path: Path, table: str, columns: list[str]) -> pd.DataFrame:
    names = [column.rsplit(" AS ", 1)[-1] for column in columns]
    if not path.exists():
        return pd.DataFrame(columns=names)
    try:
        with _reading(path) as db:
            rows = db.execute(f"SELECT {','.join(columns)} FROM {table} ORDER BY rowid").fetchall()
    except sqlite3.Error as error:
        raise DataError(f"'{path}' cannot be read as the store of a study: {error}") from None
    return pd.DataFrame(rows, columns=names)
