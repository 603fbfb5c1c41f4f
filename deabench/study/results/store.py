"""The store of a study: one SQLite file, written by the parent process alone, one row per task.

A row is named by its task's key, a digest of everything that its result depends on, so a changed
setting finds no row and runs again, and a setting changed back finds its old rows. Rows are
committed every half second; what a power cut takes is run again. Every row carries a checksum of
itself, and one that does not hold is no result: it is run again."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.study.running.answers import unpack
from deabench.study.running.tasks import Job, Outcome

FORMAT = 2
"""Of the file; deabench 0.1.0 wrote 0."""
SCHEMA = """
CREATE TABLE IF NOT EXISTS results (
  key TEXT PRIMARY KEY, dataset TEXT NOT NULL, classifier TEXT NOT NULL, repeat INTEGER NOT NULL, fold INTEGER NOT NULL,
  status TEXT NOT NULL, tp INTEGER, fn INTEGER, fp INTEGER, tn INTEGER, fit_seconds REAL, score_seconds REAL,
  notes TEXT, error_type TEXT, error TEXT, traceback TEXT, bounds TEXT, confusion TEXT, scores INTEGER, rows_sha256 TEXT,
  kept INTEGER, checksum TEXT NOT NULL, rows BLOB);
CREATE TABLE IF NOT EXISTS outside (
  dataset TEXT, classifier TEXT, repeat INTEGER, fold INTEGER, tp INTEGER, fn INTEGER, fp INTEGER, tn INTEGER,
  source TEXT, checksum TEXT NOT NULL, PRIMARY KEY (dataset, classifier, repeat, fold));
CREATE TABLE IF NOT EXISTS runs (started TEXT, ended TEXT, engine TEXT, versions TEXT, plan TEXT);
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
"""What a row's checksum is over; the rows themselves have `rows_sha256`."""
OUTSIDE = ("dataset", "classifier", "repeat", "fold", "tp", "fn", "fp", "tn", "source")
EVERY = 0.5
"""Seconds between commits."""
PIECE = 10_000
"""Rows that are read at a time."""


def checksum(row: Sequence[object]) -> str:
    """Of a row's values as they are stored."""
    return hashlib.sha256("\x1f".join(map(repr, row)).encode("utf-8", "surrogatepass")).hexdigest()[
        :32
    ]


class StoreError(DataError):
    """The store itself cannot be written or read: what it holds uncommitted is not to be tried
    again.
    """


class Store:
    """An open store; a context manager that commits what it holds when it is left, whatever the
    reason.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._committed = time.monotonic()
        with clearly(path):
            if path.exists():
                sound(path)
            else:
                _new(path)
            self._db = sqlite3.connect(path, timeout=10, isolation_level=None)
            self._db.execute(
                "BEGIN IMMEDIATE"
            )  # a store that cannot be written is refused before anything runs

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        with closing(self._db):
            if kind is None or not issubclass(kind, StoreError):
                self.commit()

    def put(self, job: Job, outcome: Outcome) -> None:
        """Write a task's row, replacing the one it had."""
        scores = int(np.sqrt(len(outcome.confusion))) if outcome.confusion else 1
        row = (
            job.key,
            job.data.name,
            job.learner.name,
            job.repeat,
            job.fold,
            outcome.status,
            *outcome.counts,
            *map(float, outcome.seconds),
            json.dumps(outcome.notes, sort_keys=True),
            *outcome.error,
            job.bounds.text,
            json.dumps(outcome.confusion),
            scores,
            outcome.rows_sha256,
            int(bool(outcome.rows)),
        )
        row = tuple(_text(value) if isinstance(value, str) else value for value in row)
        with clearly(self.path):
            self._db.execute(
                f"INSERT OR REPLACE INTO results ({','.join(COLUMNS)}, checksum, rows) VALUES "
                f"({','.join('?' * (len(COLUMNS) + 2))})",
                (*row, checksum(row), outcome.rows or None),
            )
        if time.monotonic() - self._committed > EVERY:
            self.commit()
            with clearly(self.path):
                self._db.execute("BEGIN IMMEDIATE")

    def put_outside(self, rows: pd.DataFrame) -> None:
        """Write results from elsewhere (columns OUTSIDE), replacing those of the same names and
        folds.
        """
        plain = [
            tuple(_text(value) if isinstance(value, str) else int(value) for value in row)
            for row in rows[list(OUTSIDE)].astype(object).itertuples(index=False, name=None)
        ]
        with clearly(self.path):
            self._db.executemany(
                f"INSERT OR REPLACE INTO outside VALUES ({','.join('?' * (len(OUTSIDE) + 1))})",
                [(*row, checksum(row)) for row in plain],
            )

    def commit(self) -> None:
        with clearly(self.path):
            if self._db.in_transaction:
                self._db.execute("COMMIT")
        self._committed = time.monotonic()

    def begin_run(self, engine: str, versions: dict[str, str], plan: str) -> int:
        """Note the run with the versions that make it; returns its number, for `end_run`."""
        with clearly(self.path):
            at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            row = (at, engine, json.dumps(versions), _text(plan))
            cursor = self._db.execute("INSERT INTO runs VALUES (?, NULL, ?, ?, ?)", row)
            self.commit()
            self._db.execute("BEGIN IMMEDIATE")
        return int(cursor.lastrowid or 0)

    def end_run(self, number: int) -> None:
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        with clearly(self.path):
            self._db.execute("UPDATE runs SET ended = ? WHERE rowid = ?", (at, number))


def _text(value: str) -> str:
    """A text that SQLite can hold, whatever bytes a learner's error was made of."""
    return value.encode("utf-8", "backslashreplace").decode("utf-8")


def _new(path: Path) -> None:
    """An empty store, whole at once: a file of 0 bytes is never one."""
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


def sound(path: Path) -> None:
    """Refuse a file that is no store, was cut, or is of deabench 0.1.0.

    Raises
    ------
    DataError
    """
    if not path.is_file():
        raise DataError(f"the store '{path}' is no regular file; name another")
    if path.stat().st_size == 0:
        raise DataError(
            f"the store '{path}' has 0 bytes, which a store never has: it was cut; bring back a copy, or delete it "
            "to begin again"
        )
    try:
        with reading(path) as db:
            version = db.execute("PRAGMA user_version").fetchone()[0]
            tables = {
                row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            }
    except (sqlite3.Error, UnicodeError) as error:
        raise DataError(f"'{path}' cannot be read as the store of a study: {error}") from None
    if version == 0 and "results" in tables:
        raise DataError(
            f"the store '{path}' is of deabench 0.1.0, whose results name neither the code nor the versions that "
            "made them and carry no checksums; move it away, and run the study again"
        )
    if version != FORMAT or not {"results", "outside", "runs"} <= tables:
        raise DataError(
            f"'{path}' cannot be read as the store of a study: it is of format {version}, deabench reads {FORMAT}"
        )
    with path.open("rb") as stream:
        head = stream.read(32)
    size, pages = int.from_bytes(head[16:18], "big") or 1, int.from_bytes(head[28:32], "big")
    wanted = pages * (65536 if size == 1 else size)
    if path.stat().st_size < wanted:
        raise DataError(
            f"the store '{path}' has {path.stat().st_size} of its {wanted} bytes: it was cut; bring back a copy, or "
            "save what is left with 'deabench study verify --repair'"
        )


@contextmanager
def clearly(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into a sentence."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise StoreError(
            f"cannot write the store '{path}': {error}; the results committed before are safe "
            "(make room or permit writing, and run again)"
        ) from None
    except sqlite3.Error as error:
        raise StoreError(
            f"the store '{path}' is damaged: {error}; 'deabench study verify' names what is lost, and saves the "
            "rest with --repair"
        ) from None


@contextmanager
def only_one(path: Path) -> Iterator[None]:
    """Hold the store for one run: a lock of SQLite's on a file beside it, which the system drops
    with the process.

    Raises
    ------
    DataError
        Where another run holds it.
    """
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


def reading(path: Path, *, whole: bool = False) -> closing[sqlite3.Connection]:
    """The store opened for reading; a text that is no UTF-8 is read as what it is, so that its
    checksum tells.

    With `whole` such a text is an error: that reads millions of sound texts at three times the
    speed."""
    db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=30)
    if not whole:
        db.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    return closing(db)


def read_rows(path: Path) -> pd.DataFrame:
    """The sound rows of a store, without writing anything; empty where there is no store yet.

    Returns
    -------
    DataFrame
        COLUMNS, `confusion` as tuples; `attrs["damaged"]` counts the rows whose checksum does not
        hold: they are left out.
    """
    rows = _query(path, "results", (*COLUMNS, "checksum"))
    good = [row[:-1] for row in rows if checksum(row[:-1]) == row[-1]]
    frame = pd.DataFrame(good, columns=list(COLUMNS))
    frame["confusion"] = [
        tuple(json.loads(text)) if text != "[]" else () for text in frame["confusion"]
    ]
    frame.attrs["damaged"] = len(rows) - len(good)
    return frame


def sound_rows(path: Path) -> Iterator[tuple[list[tuple[Any, ...]], int]]:
    """The sound rows of a store (COLUMNS), 10,000 at a time, and of each time how many rows are
    damaged.

    Between two times nothing is locked: a run can write, and a row that it replaces meanwhile may
    come again."""
    last = -1
    while rows := _query(
        path,
        "results",
        ("rowid", *COLUMNS, "checksum"),
        f"WHERE rowid > {last} ORDER BY rowid LIMIT {PIECE}",
    ):
        good = [values for row in rows if checksum(values := row[1:-1]) == row[-1]]
        yield good, len(rows) - len(good)
        if rows[-1][0] <= last:
            raise DataError(
                f"the store '{path}' is damaged: its rows are out of order; 'deabench study verify' names what is "
                "lost, and saves the rest with --repair"
            )
        last = rows[-1][0]


def read_runs(path: Path) -> pd.DataFrame:
    """Every run that wrote to the store: started, ended, engine, versions (JSON), plan (the study
    file's text).
    """
    columns = ("started", "ended", "engine", "versions", "plan")
    return pd.DataFrame(_query(path, "runs", columns), columns=list(columns))


def read_outside(path: Path) -> pd.DataFrame:
    """The results from elsewhere, in the order in which they came in; damaged ones are left out."""
    rows = _query(path, "outside", (*OUTSIDE, "checksum"))
    good = [row[:-1] for row in rows if checksum(row[:-1]) == row[-1]]
    frame = pd.DataFrame(good, columns=list(OUTSIDE))
    frame.attrs["damaged"] = len(rows) - len(good)
    return frame


def read_arrays(path: Path, keys: Iterable[str] | None = None) -> dict[str, dict[str, np.ndarray]]:
    """The kept test rows of some tasks, or of all: for each key its row, y_true, y_pred, score.

    Raises
    ------
    DataError
        Where the rows of a task are not those that were written.
    """
    found, wanted = {}, None if keys is None else set(keys)
    for key, rows, digest, scores in _query(
        path, "results", ("key", "rows", "rows_sha256", "scores")
    ):
        if rows is None or (wanted is not None and key not in wanted):
            continue
        arrays = rows_checked(rows, digest, scores)
        if arrays is None:
            raise DataError(
                f"the store '{path}' is damaged: the test rows of task {key[:12]} are not those that were written; "
                "'deabench study verify' names what is lost"
            )
        found[key] = arrays
    return found


def read_predictions(path: Path, keys: Iterable[str]) -> dict[str, pd.DataFrame]:
    """The kept test rows of some tasks: for each key a frame of row, y_true, y_pred, score."""
    return {
        key: pd.DataFrame(
            arrays
            if arrays["score"].ndim == 1
            else {
                **{name: arrays[name] for name in ("row", "y_true", "y_pred")},
                **{f"score_{k}": arrays["score"][:, k] for k in range(arrays["score"].shape[1])},
            }
        )
        for key, arrays in read_arrays(path, keys).items()
    }


def rows_checked(rows: bytes, digest: str, scores: int) -> dict[str, np.ndarray] | None:
    """The arrays of a task's kept rows, None where they are damaged."""
    import zlib

    try:
        if hashlib.sha256(zlib.decompress(rows)).hexdigest() != digest:
            return None
        return unpack(rows, scores)
    except (zlib.error, ValueError, TypeError):
        return None


def _query(
    path: Path, table: str, columns: Sequence[str], which: str = "ORDER BY rowid"
) -> list[tuple[Any, ...]]:
    if not path.exists():
        return []
    sound(path)
    wanted = f"SELECT {','.join(columns)} FROM {table} {which}"
    try:
        try:
            with reading(path, whole=True) as db:
                return db.execute(wanted).fetchall()
        except (
            sqlite3.OperationalError,
            UnicodeError,
        ):  # a damaged text; its row's checksum will say so
            with reading(path) as db:
                return db.execute(wanted).fetchall()
    except (sqlite3.Error, UnicodeError, MemoryError, OverflowError) as error:
        raise DataError(
            f"the store '{path}' is damaged: {error}; 'deabench study verify' names what is lost, and saves the "
            "rest with --repair"
        ) from None
