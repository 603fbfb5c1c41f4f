"""Is the store what was written? Every row against its checksum, every kept prediction against its
digest and counts.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from deabench.errors import DataError
from deabench.study.results.store import (
    COLUMNS,
    FORMAT,
    OUTSIDE,
    SCHEMA,
    checksum,
    reading,
    rows_checked,
    sound,
)
from deabench.study.running.answers import count
from deabench.utils.result import Result


@dataclass(frozen=True, eq=False, repr=False)
class Verified(Result):
    """What was found in a store.

    Attributes
    ----------
    rows : int
        Results that are as they were written.
    damaged : DataFrame
        dataset, classifier, repeat, fold of those that are not, as far as they can be read, and
        what is wrong.
    structure : str
        What SQLite says of the file itself; "" where it is sound.
    """

    rows: int
    damaged: pd.DataFrame
    structure: str
    notes: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        return not len(self.damaged) and not self.structure

    def to_frame(self) -> pd.DataFrame:
        """The damaged rows."""
        return self.damaged

    def summary(self) -> str:
        if self.sound:
            return f"{self.rows} results are as they were written"
        said = f"; the file itself is damaged: {self.structure}" if self.structure else ""
        return (
            f"{len(self.damaged)} results are damaged, {self.rows} are as they were written{said}"
        )


def verify(path: Path) -> Verified:
    """Check every row of a store; nothing is written.

    Raises
    ------
    DataError
        Where there is no store, or the file is none.
    """
    if not path.exists():
        raise DataError(f"there is no store '{path}' yet; 'deabench study run' makes it")
    try:
        sound(path)
        cut = ""
    except DataError as error:
        if "it was cut; bring back a copy, or save" not in str(error):
            raise
        cut = "it was cut"
    good, bad = 0, []
    for row in _rows(path, "results", (*COLUMNS, "checksum", "rows")):
        wrong = _wrong(row)
        good += not wrong
        if wrong:
            bad.append((*[str(cell) for cell in row[1:5]], wrong))
    for row in _rows(path, "outside", (*OUTSIDE, "checksum")):
        if checksum(row[:-1]) != row[-1]:
            bad.append((*[str(cell) for cell in row[:4]], "its checksum does not hold"))
    columns = ["dataset", "classifier", "repeat", "fold", "wrong"]
    return Verified(good, pd.DataFrame(bad, columns=columns), cut or _structure(path))


def _wrong(row: tuple[Any, ...]) -> str:
    *values, written, rows = row
    if checksum(values) != written:
        return "its checksum does not hold"
    named = dict(zip(COLUMNS, values, strict=True))
    if not named["kept"]:
        return "" if rows is None else "it has test rows that were not kept"
    arrays = rows_checked(rows, named["rows_sha256"], named["scores"]) if rows is not None else None
    if arrays is None:
        return "its test rows are not those that were written"
    confusion = tuple(json.loads(named["confusion"]))
    told = confusion or tuple(named[cell] for cell in ("tp", "fn", "fp", "tn"))
    again = count(arrays["y_true"], arrays["y_pred"], named["scores"] if confusion else 2)
    return "" if again == told else "its counts are not those of its test rows"


def _structure(path: Path) -> str:
    try:
        with reading(path) as db:
            said = [row[0] for row in db.execute("PRAGMA integrity_check(3)")]
    except (sqlite3.Error, UnicodeError) as error:
        return str(error)
    return "" if said == ["ok"] else "; ".join(" ".join(str(line).split()) for line in said[:3])


def _rows(path: Path, table: str, columns: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
    """Every row that can be read, past those that cannot."""
    last, stumbles = -1, 0
    while stumbles < 1000:
        try:
            with reading(path) as db:
                for row in db.execute(
                    f"SELECT rowid, {','.join(columns)} FROM {table} WHERE rowid > ? ORDER BY rowid",
                    (last,),
                ):
                    last = row[0]
                    yield row[1:]
                return
        except (sqlite3.Error, UnicodeError, OverflowError, MemoryError):
            last, stumbles = last + 1 + stumbles // 10, stumbles + 1


def repair(path: Path) -> Path:
    """Write a new store of what is sound, beside it the damaged one; what is lost is run again.

    Returns
    -------
    Path
        Where the damaged store is now.
    """
    fresh, aside = path.with_name(f".{path.name}.repaired"), path.with_name(f"{path.name}.damaged")
    fresh.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(fresh, isolation_level=None)) as db:
            db.executescript(f"{SCHEMA} PRAGMA user_version = {FORMAT}; BEGIN;")
            marks = ",".join("?" * (len(COLUMNS) + 2))
            for row in _rows(path, "results", (*COLUMNS, "checksum", "rows")):
                if not _wrong(row):
                    db.execute(
                        f"INSERT OR REPLACE INTO results ({','.join(COLUMNS)}, checksum, rows) VALUES ({marks})",
                        row,
                    )
            for row in _rows(path, "outside", (*OUTSIDE, "checksum")):
                if checksum(row[:-1]) == row[-1]:
                    db.execute(
                        f"INSERT OR REPLACE INTO outside VALUES ({','.join('?' * len(row))})", row
                    )
            db.execute("COMMIT")
        os.replace(path, aside)
        os.replace(fresh, path)
    except (OSError, sqlite3.Error) as error:
        raise DataError(
            f"cannot write beside the store '{path}': {error}; name a folder that is writable"
        ) from None
    return aside
