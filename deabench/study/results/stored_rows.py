"""Read the store of a study: sound rows, runs, kept predictions; nothing is written."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.study.learners import RecordedCode
from deabench.study.results.store import (
    COLUMNS,
    IMPORTED_COLUMNS,
    MOST_CELL_BYTES,
    VERIFY_HINT,
    check_store,
    checksum,
    open_for_reading,
)
from deabench.study.running.predictions import unpack_predictions

ROWS_AT_A_TIME = 1000


def read_rows(path: Path) -> pd.DataFrame:
    """Read the sound rows of a store, without writing anything; none where there is no store yet.

    Returns
    -------
    DataFrame
        COLUMNS, `confusion` as tuples; `attrs["damaged"]` counts the rows with a wrong checksum,
        which are left out.
    """
    frame = _read_sound(path, "results", COLUMNS)
    confusion = [parse_confusion(text) for text in frame["confusion"]]
    if None in confusion:
        raise DataError(
            f"the store '{path}' is damaged: it holds a confusion matrix that is none; "
            f"{VERIFY_HINT}"
        )
    frame["confusion"] = confusion
    return frame


def parse_confusion(text: object) -> tuple[int, ...] | None:
    """Return the cells of a confusion matrix, () where there are two classes, None for no cells."""
    if text == "[]":
        return ()
    try:
        cells = json.loads(text)  # type: ignore[arg-type]  # None raises TypeError
    except (ValueError, TypeError, RecursionError):
        return None
    if not isinstance(cells, list) or not all(type(cell) is int for cell in cells):
        return None
    return tuple(cells)


def iterate_rows(path: Path) -> Iterator[tuple[list[tuple[Any, ...]], int]]:
    """Yield the sound rows of a store (COLUMNS), 1,000 at a time, and the number of damaged ones.

    Between two times nothing is locked: a run can write, and a row that it replaces meanwhile may
    come again.
    """
    last = -1
    columns = ("rowid", *COLUMNS, "checksum")
    while True:
        clause = f"WHERE rowid > {last} ORDER BY rowid LIMIT {ROWS_AT_A_TIME}"
        rows = _query(path, "results", columns, clause)
        if not rows:
            return
        # the last column is the checksum
        sound = [row[1:-1] for row in rows if checksum(row[1:-1]) == row[-1]]
        yield sound, len(rows) - len(sound)
        # rows that do not rise would be read for ever
        if rows[-1][0] <= last:
            raise DataError(
                f"the store '{path}' is damaged: its rows are out of order; {VERIFY_HINT}"
            )
        last = rows[-1][0]


def read_code(path: Path) -> dict[str, RecordedCode]:
    """Read what the runs recorded of imported classifiers, by description; the last run counts."""
    recorded: dict[str, RecordedCode] = {}
    for (text,) in _query(path, "runs", ("code",)):
        try:
            for description, code in json.loads(text).items():
                fingerprint = tuple((str(name), str(value)) for name, value in code["fingerprint"])
                recorded[description] = RecordedCode(fingerprint, str(code["family"]))
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
            raise DataError(
                f"the store '{path}' is damaged: what a run recorded of its code cannot be read; "
                f"{VERIFY_HINT}"
            ) from None
    return recorded


def read_imported(path: Path) -> pd.DataFrame:
    """Read the results from elsewhere in the order of their import, without damaged ones."""
    return _read_sound(path, "outside", IMPORTED_COLUMNS)


def _read_sound(path: Path, table: str, columns: tuple[str, ...]) -> pd.DataFrame:
    rows = _query(path, table, (*columns, "checksum"))
    sound = [row[:-1] for row in rows if checksum(row[:-1]) == row[-1]]
    frame = pd.DataFrame(sound, columns=list(columns))
    frame.attrs["damaged"] = len(rows) - len(sound)
    return frame


def read_arrays(path: Path, keys: Iterable[str] | None = None) -> dict[str, dict[str, np.ndarray]]:
    """Read the kept test rows of some tasks, or of all, by key (`unpack_predictions`).

    Raises
    ------
    DataError
        Where the rows of a task have another digest.
    """
    selected = None if keys is None else set(keys)
    arrays = {}
    for key, rows, digest, scores in _query(
        path, "results", ("key", "rows", "rows_sha256", "scores")
    ):
        # rows are not kept for every task
        if rows is None or (selected is not None and key not in selected):
            continue
        unpacked = unpack_checked(rows, digest, scores)
        if unpacked is None:
            raise DataError(
                f"the store '{path}' is damaged: the test rows of task {key[:12]} are not those "
                "that were written; 'deabench study verify' names what is lost"
            )
        arrays[key] = unpacked
    return arrays


def read_predictions(path: Path, keys: Iterable[str]) -> dict[str, pd.DataFrame]:
    """Read the kept test rows of some tasks: row, y_true, y_pred, score, probability for each key.

    With more than two classes the columns score_0, score_1, ... take the place of the last two.
    """
    frames = {}
    for key, columns in read_arrays(path, keys).items():
        # two classes have one score, more have one per class
        if columns["score"].ndim > 1:
            for code, scores in enumerate(columns.pop("score").T):
                columns[f"score_{code}"] = scores
        frames[key] = pd.DataFrame(columns)
    return frames


def unpack_checked(rows: bytes, digest: str, scores: int) -> dict[str, np.ndarray] | None:
    """Return the arrays of a task's kept rows, None where they are damaged."""
    try:
        # a few bytes may unpack to more than the memory holds
        unpacker = zlib.decompressobj()
        content = unpacker.decompress(rows, MOST_CELL_BYTES)
        if not unpacker.eof or hashlib.sha256(content).hexdigest() != digest:
            return None
        return unpack_predictions(content, scores)
    except (zlib.error, ValueError, TypeError, MemoryError, OverflowError):
        return None


def _query(
    path: Path, table: str, columns: Sequence[str], clause: str = "ORDER BY rowid"
) -> list[tuple[Any, ...]]:
    if not path.exists():
        return []
    check_store(path)
    statement = f"SELECT {','.join(columns)} FROM {table} {clause}"
    try:
        try:
            with open_for_reading(path, strict=True) as db:
                return db.execute(statement).fetchall()
        # a damaged text: the checksum of its row will not match
        except (sqlite3.OperationalError, UnicodeError):
            with open_for_reading(path) as db:
                return db.execute(statement).fetchall()
    except (sqlite3.Error, UnicodeError, MemoryError, OverflowError) as error:
        raise DataError(f"the store '{path}' is damaged: {error}; {VERIFY_HINT}") from None
