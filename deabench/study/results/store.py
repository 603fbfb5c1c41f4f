"""The store of a study: one SQLite file, written by the parent process alone, one row per task.

A row is named by its task's key, a digest of everything that its result depends on: a changed
setting finds no row and runs again, and a setting changed back finds its old rows. Rows are
committed every half second; rows lost in a power cut are run again. Every row carries a checksum of
itself; a row with another checksum is no result and is run again.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from types import TracebackType

import pandas as pd

from deabench.errors import DataError
from deabench.study.learners import RecordedCode
from deabench.study.running.tasks import Outcome
from deabench.study.spec.tasks import Task

FORMAT = 3
"""Of the file; deabench 0.1.0 wrote 0."""
SCHEMA = """
CREATE TABLE IF NOT EXISTS results (
  key TEXT PRIMARY KEY, dataset TEXT NOT NULL, classifier TEXT NOT NULL,
  repeat INTEGER NOT NULL, fold INTEGER NOT NULL,
  status TEXT NOT NULL, tp INTEGER, fn INTEGER, fp INTEGER, tn INTEGER,
  fit_seconds REAL, score_seconds REAL,
  notes TEXT, error_type TEXT, error TEXT, traceback TEXT, bounds TEXT,
  confusion TEXT, scores INTEGER, rows_sha256 TEXT,
  kept INTEGER, checksum TEXT NOT NULL, rows BLOB);
CREATE TABLE IF NOT EXISTS outside (
  dataset TEXT, classifier TEXT, repeat INTEGER, fold INTEGER,
  tp INTEGER, fn INTEGER, fp INTEGER, tn INTEGER,
  source TEXT, checksum TEXT NOT NULL, PRIMARY KEY (dataset, classifier, repeat, fold));
CREATE TABLE IF NOT EXISTS runs (
  started TEXT, ended TEXT, engine TEXT, versions TEXT, plan TEXT, code TEXT);
"""
COLUMNS = (
    "key",
    "dataset",
    "classifier",
    "repeat",
    "fold",
    "status",
    "tp",
    "fn",
    "fp",
    "tn",
    "fit_seconds",
    "score_seconds",
    "notes",
    "error_type",
    "error",
    "traceback",
    "bounds",
    "confusion",
    "scores",
    "rows_sha256",
    "kept",
)
"""The columns of a row's checksum; the test rows have `rows_sha256`."""
RUN_COLUMNS = ("started", "ended", "engine", "versions", "plan", "code")
IMPORTED_COLUMNS = ("dataset", "classifier", "repeat", "fold", "tp", "fn", "fp", "tn", "source")
MOST_CELL_BYTES = 1 << 29
"""Bytes of one cell of a store, before and after it is unpacked."""
COMMIT_SECONDS = 0.5
"""Seconds between commits."""
VERIFY_HINT = "'deabench study verify' names what is lost, and saves the rest with --repair"


def checksum(row: Sequence[object]) -> str:
    """Return the checksum of a row's values as they are stored."""
    # a separator that occurs in no value keeps columns apart
    content = "\x1f".join(map(repr, row)).encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).hexdigest()[:32]


class StoreError(DataError):
    """The store cannot be written or read: its uncommitted rows must not be tried again."""


class CutStoreError(DataError):
    """The end of the file is missing; rows before it can be saved."""


class Store:
    """Write to a store; the context manager commits its rows on leaving, whatever the reason."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._committed = time.monotonic()
        with explain_sqlite_errors(path):
            if path.exists():
                check_store(path)
            else:
                _create_store(path)
            self._db = sqlite3.connect(path, timeout=10, isolation_level=None)
            # a store that cannot be written is refused before anything runs
            self._db.execute("BEGIN IMMEDIATE")

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        with closing(self._db):
            # after an error of the store its rows may be incomplete
            if kind is None or not issubclass(kind, StoreError):
                self.commit()

    def write_outcome(self, task: Task, outcome: Outcome) -> None:
        """Write a task's row, replacing the one it had."""
        row = (
            task.key,
            task.data.name,
            task.learner.name,
            task.repeat,
            task.fold,
            outcome.status,
            *outcome.counts,
            *map(float, outcome.seconds),
            json.dumps(outcome.notes, sort_keys=True),
            *outcome.error,
            task.limits.text,
            json.dumps(outcome.confusion),
            outcome.scores,
            outcome.rows_sha256,
            int(bool(outcome.rows)),
        )
        row = tuple(_storable_text(value) if isinstance(value, str) else value for value in row)
        with explain_sqlite_errors(self.path):
            self._db.execute(
                f"INSERT OR REPLACE INTO results ({','.join(COLUMNS)}, checksum, rows) VALUES "
                # the checksum covers all columns but the test rows, which have a digest
                f"({','.join('?' * (len(COLUMNS) + 2))})",
                (*row, checksum(row), outcome.rows or None),
            )
        # seldom, because every commit waits for the disk
        if time.monotonic() - self._committed > COMMIT_SECONDS:
            self.commit()
            with explain_sqlite_errors(self.path):
                self._db.execute("BEGIN IMMEDIATE")

    def write_imported(self, rows: pd.DataFrame) -> None:
        """Write results from elsewhere, replacing those of the same names and folds."""
        values = [
            tuple(_storable_text(cell) if isinstance(cell, str) else int(cell) for cell in row)
            for row in rows[list(IMPORTED_COLUMNS)]
            .astype(object)
            .itertuples(index=False, name=None)
        ]
        marks = ",".join("?" * (len(IMPORTED_COLUMNS) + 1))
        with explain_sqlite_errors(self.path):
            self._db.executemany(
                f"INSERT OR REPLACE INTO outside VALUES ({marks})",
                [(*row, checksum(row)) for row in values],
            )

    def commit(self) -> None:
        """Commit the rows written so far."""
        with explain_sqlite_errors(self.path):
            if self._db.in_transaction:
                self._db.execute("COMMIT")
        self._committed = time.monotonic()

    def begin_run(
        self,
        engine: str,
        versions: dict[str, str],
        plan: str,
        code: Mapping[str, RecordedCode] | None = None,
    ) -> int:
        """Record a run with its versions and code; return its number, for `end_run`."""
        with explain_sqlite_errors(self.path):
            row = (
                _now(),
                engine,
                json.dumps(versions),
                _storable_text(plan),
                json.dumps({name: asdict(entry) for name, entry in (code or {}).items()}),
            )
            cursor = self._db.execute("INSERT INTO runs VALUES (?, NULL, ?, ?, ?, ?)", row)
            self.commit()
            self._db.execute("BEGIN IMMEDIATE")
        return int(cursor.lastrowid or 0)

    def end_run(self, number: int) -> None:
        """Record the end of a run."""
        with explain_sqlite_errors(self.path):
            self._db.execute("UPDATE runs SET ended = ? WHERE rowid = ?", (_now(), number))


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _storable_text(value: str) -> str:
    """Return a text that SQLite can hold, whatever bytes a learner's error was made of."""
    return value.encode("utf-8", "backslashreplace").decode("utf-8")


def _create_store(path: Path) -> None:
    """Create an empty store in one step: a file of 0 bytes is never one."""
    # renamed when it is complete
    temporary = path.with_name(f".{path.name}.new")
    try:
        temporary.unlink(missing_ok=True)
        with closing(sqlite3.connect(temporary, isolation_level=None)) as db:
            db.executescript(f"{SCHEMA} PRAGMA user_version = {FORMAT};")
        os.replace(temporary, path)
    except OSError as error:
        raise DataError(
            f"cannot write the store '{path}': {error.strerror}; name a folder that is writable"
        ) from None


def check_store(path: Path) -> None:
    """Refuse a file that is no store, was cut, or is of deabench 0.1.0.

    Raises
    ------
    DataError
    """
    if not path.is_file():
        raise DataError(f"the store '{path}' is no regular file; name another")
    if path.stat().st_size == 0:
        raise DataError(
            f"the store '{path}' has 0 bytes, which a store never has: it was cut; bring back a "
            "copy, or delete it to begin again"
        )
    try:
        with open_for_reading(path) as db:
            # stores of 0.1.0 have version 0
            version = db.execute("PRAGMA user_version").fetchone()[0]
            tables = _declarations(db)
    except (sqlite3.Error, UnicodeError) as error:
        raise DataError(f"'{path}' cannot be read as the store of a study: {error}") from None
    if version == 0 and "results" in tables:
        raise DataError(
            f"the store '{path}' is of deabench 0.1.0, whose results name neither the code nor the "
            "versions that made them and carry no checksums; move it away, and run the study again"
        )
    if version != FORMAT:
        raise DataError(
            f"'{path}' cannot be read as the store of a study: it is of format {version}, deabench "
            f"reads {FORMAT}"
        )
    # a generated column, a view or a trigger would compute what is read as a result
    if tables != _expected_declarations():
        raise DataError(
            f"'{path}' cannot be read as the store of a study: its tables are not declared as "
            "deabench declares them; bring back a copy"
        )
    # SQLite's header has the size of a page (1 stands for 65,536) and the number of pages
    with path.open("rb") as stream:
        header = stream.read(32)
    page_size = int.from_bytes(header[16:18], "big")
    if page_size == 1:
        page_size = 65536
    complete_size = int.from_bytes(header[28:32], "big") * page_size
    if path.stat().st_size < complete_size:
        raise CutStoreError(
            f"the store '{path}' has {path.stat().st_size} of its {complete_size} bytes: it was "
            "cut; bring back a copy, or save what is left with 'deabench study verify --repair'"
        )


def _declarations(db: sqlite3.Connection) -> dict[str, str]:
    """Return how tables, views, triggers and indexes are declared, by name."""
    declared = db.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {str(name): str(sql) for name, sql in declared}


@lru_cache(maxsize=1)
def _expected_declarations() -> dict[str, str]:
    """Return the declarations of an empty store."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(SCHEMA)
        return _declarations(db)


@contextmanager
def explain_sqlite_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite into sentences."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise StoreError(
            f"cannot write the store '{path}': {error}; the results committed before are safe "
            "(make room or permit writing, and run again)"
        ) from None
    except sqlite3.Error as error:
        raise StoreError(f"the store '{path}' is damaged: {error}; {VERIFY_HINT}") from None


@contextmanager
def lock_store(path: Path) -> Iterator[None]:
    """Lock the store for one run by a lock of SQLite, which ends with the process.

    Raises
    ------
    DataError
        Where another run holds it.
    """
    # on a file beside it, so that others may read the store meanwhile
    lock = path.with_name(f".{path.name}.lock")
    try:
        db = sqlite3.connect(lock, timeout=0, isolation_level=None)
        db.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        if "locked" in str(error):
            raise DataError(
                f"another run is writing the store '{path}'; wait for it, or stop it first"
            ) from None
        raise DataError(
            f"cannot write the store '{path}': {error}; name a folder that is writable"
        ) from None
    with closing(db):
        yield


def open_for_reading(path: Path, *, strict: bool = False) -> closing[sqlite3.Connection]:
    """Open the store for reading; text that is no UTF-8 is read so that its checksum fails.

    With `strict` such a text is an error: that reads millions of sound texts at three times the
    speed.
    """
    db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=30)
    # a store may be a stranger's: its declarations call no function, its cells have bounds
    db.execute("PRAGMA trusted_schema = OFF")
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_CELL_BYTES)
    if not strict:
        db.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    return closing(db)
