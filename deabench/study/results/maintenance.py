"""Maintain a store: verify it, repair it, and import results from elsewhere."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd

from deabench.errors import DataError
from deabench.study.results.metrics import CELLS
from deabench.study.results.store import (
    COLUMNS,
    FORMAT,
    IMPORTED_COLUMNS,
    RUN_COLUMNS,
    SCHEMA,
    CutStoreError,
    Store,
    check_store,
    checksum,
    lock_store,
    open_for_reading,
)
from deabench.study.results.stored_rows import parse_confusion, read_imported, unpack_checked
from deabench.study.running.predictions import count_confusion
from deabench.study.spec.plan import Plan
from deabench.utils.checks import did_you_mean
from deabench.utils.files import decompress, one_line
from deabench.utils.result import Result
from deabench.utils.text import printable

COUNT_COLUMNS = ("dataset", "classifier", *CELLS)
PREDICTION_COLUMNS = ("dataset", "classifier", "y_true", "y_pred")
FOLD = ["dataset", "classifier", "repeat", "fold"]
LABELS = {"1": 1, "1.0": 1, "positive": 1, "0": 0, "0.0": 0, "negative": 0}
MOST_FAILURES = 1000
"""After so many rows that SQLite cannot read, the rest is given up."""


@dataclass(frozen=True, eq=False, repr=False)
class StoreVerification(Result):
    """The result of checking every row of a store.

    Attributes
    ----------
    rows : int
        Results that are as they were written.
    damaged : DataFrame
        dataset, classifier, repeat, fold of those that are not, as far as they can be read, and
        what is wrong.
    structure : str
        SQLite's errors about the file itself; "" where it is sound.
    """

    _frame: ClassVar[str] = "damaged"
    _text: ClassVar[str] = "study"

    rows: int
    damaged: pd.DataFrame
    structure: str
    notes: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether nothing is damaged."""
        return not len(self.damaged) and not self.structure


def verify_store(path: Path) -> StoreVerification:
    """Check every row of a store; nothing is written.

    Raises
    ------
    DataError
        Where there is no store, or the file is none.
    """
    if not path.exists():
        raise DataError(f"there is no store '{path}' yet; 'deabench study run' makes it")
    # what remains of a cut file is still checked row by row
    structure = ""
    try:
        check_store(path)
    except CutStoreError:
        structure = "it was cut"
    # row by row, so that one damaged row costs no other
    sound_rows = 0
    damaged = []
    for row in _readable_rows(path, "results", (*COLUMNS, "checksum", "rows")):
        problem = _find_problem(row)
        if problem:
            damaged.append((*map(printable, row[1:5]), problem))
        else:
            sound_rows += 1
    imported_rows = 0
    for row in _readable_rows(path, "outside", (*IMPORTED_COLUMNS, "checksum")):
        # imported rows have no predictions to check
        if checksum(row[:-1]) == row[-1]:
            imported_rows += 1
        else:
            damaged.append((*map(printable, row[:4]), "its checksum does not hold"))
    frame = pd.DataFrame(damaged, columns=[*FOLD, "wrong"])
    structure = structure or _structure_errors(path)
    # a row that SQLite counts and cannot read is neither sound nor named
    if not structure:
        structure = _count_unread(path, sound_rows + imported_rows + len(damaged))
    return StoreVerification(sound_rows, frame, structure)


def _count_unread(path: Path, read: int) -> str:
    """Say how many rows SQLite counts beyond those that were read; "" where none."""
    count = 0
    with open_for_reading(path) as db:
        for table in ("results", "outside"):
            count += db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    unread = count - read
    return f"{unread} rows cannot be read" if unread > 0 else ""


def _find_problem(row: tuple[Any, ...]) -> str:
    """Return what is wrong with a row of results, "" where nothing is."""
    *values, written_checksum, rows = row
    if checksum(values) != written_checksum:
        return "its checksum does not hold"
    named = dict(zip(COLUMNS, values, strict=True))
    # without kept predictions the checksum is all there is to check
    if not named["kept"]:
        return "" if rows is None else "it has test rows that were not kept"
    arrays = None
    if rows is not None:
        arrays = unpack_checked(rows, named["rows_sha256"], named["scores"])
    if arrays is None:
        return "its test rows are not those that were written"
    # the counts must be those of the kept predictions
    confusion = parse_confusion(named["confusion"])
    if confusion is None:
        return "its confusion matrix is none"
    written_cells = confusion or tuple(named[cell] for cell in CELLS)
    classes = named["scores"] if confusion else 2
    if count_confusion(arrays["y_true"], arrays["y_pred"], classes) != written_cells:
        return "its counts are not those of its test rows"
    return ""


def _structure_errors(path: Path) -> str:
    try:
        with open_for_reading(path) as db:
            # three errors are enough to tell that the file is damaged
            lines = [row[0] for row in db.execute("PRAGMA integrity_check(3)")]
    except (sqlite3.Error, UnicodeError) as error:
        return str(error)
    if lines == ["ok"]:
        return ""
    return "; ".join(" ".join(str(line).split()) for line in lines[:3])


def _readable_rows(path: Path, table: str, columns: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
    """Yield every row that can be read, past those that cannot."""
    last = -1
    failures = 0
    statement = f"SELECT rowid, {','.join(columns)} FROM {table} WHERE rowid > ? ORDER BY rowid"
    with open_for_reading(path) as db:
        while failures < MOST_FAILURES:
            try:
                for row in db.execute(statement, (last,)):
                    last = row[0]
                    yield row[1:]
                return
            except (sqlite3.Error, UnicodeError, OverflowError, MemoryError):
                # larger and larger steps past a damaged part
                last += 1 + failures // 10
                failures += 1


def repair_store(path: Path) -> Path:
    """Write a new store of the sound rows beside the damaged one; lost rows are run again.

    Returns
    -------
    Path
        Where the damaged store is now.
    """
    repaired = path.with_name(f".{path.name}.repaired")
    damaged = path.with_name(f"{path.name}.damaged")
    # a new file takes the store's place only when it is complete
    repaired.unlink(missing_ok=True)
    columns = (*COLUMNS, "checksum", "rows")
    try:
        with closing(sqlite3.connect(repaired, isolation_level=None)) as db:
            db.executescript(f"{SCHEMA} PRAGMA user_version = {FORMAT}; BEGIN;")
            marks = ",".join("?" * len(columns))
            # a row that is found twice is written once
            insert = f"INSERT OR REPLACE INTO results ({','.join(columns)}) VALUES ({marks})"
            for row in _readable_rows(path, "results", columns):
                if not _find_problem(row):
                    db.execute(insert, row)
            for row in _readable_rows(path, "outside", (*IMPORTED_COLUMNS, "checksum")):
                if checksum(row[:-1]) == row[-1]:
                    marks = ",".join("?" * len(row))
                    db.execute(f"INSERT OR REPLACE INTO outside VALUES ({marks})", row)
            for row in _readable_rows(path, "runs", RUN_COLUMNS):
                db.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?)", row)
            db.execute("COMMIT")
        # the damaged store is kept beside the repaired one
        os.replace(path, damaged)
        os.replace(repaired, path)
    except (OSError, sqlite3.Error) as error:
        raise DataError(
            f"cannot write beside the store '{path}': {error}; name a folder that is writable"
        ) from None
    return damaged


@dataclass(frozen=True)
class ImportedResults:
    """How much was imported."""

    classifiers: int
    datasets: int
    rows: int


def import_results(plan: Plan, path: str | Path) -> ImportedResults:
    """Import a CSV of counts or predictions into a study, which ranks them with its own results.

    Rows of the same data set, classifier, repeat and fold are replaced. They are kept in a table of
    the study's store, apart from the results of its tasks, with the file's name.

    Raises
    ------
    DataError
        For a file without the columns, a data set that is not the study's, a classifier that the
        study runs itself, a count that is not a whole number >= 0, a confusion matrix whose classes
        are not the data set's.
    """
    if plan.classes == "all":
        raise DataError(
            "results from elsewhere are counts of two classes; this study keeps every class"
        )
    counts = read_results(path)
    file = Path(path).name
    _check_against_study(plan, counts, file)
    # the study must not run while results are added
    with lock_store(plan.store), Store(plan.store) as store:
        store.write_imported(counts.assign(source=file))
    return ImportedResults(counts["classifier"].nunique(), counts["dataset"].nunique(), len(counts))


def read_results(path: str | Path) -> pd.DataFrame:
    """Read counts (dataset, classifier, repeat, fold, tp, fn, fp, tn) from a CSV.

    The file has counts or predictions; labels of predictions are 1 or `positive` for the positive
    class, 0 or `negative` for the other.
    """
    try:
        frame = pd.read_csv(
            decompress(path), skipinitialspace=True, encoding="utf-8-sig", low_memory=False
        )
    except OSError as error:
        raise DataError(
            f"cannot read '{path}': {error.strerror}; name a CSV file of counts or predictions"
        ) from None
    except DataError:
        raise
    except (ValueError, pd.errors.ParserError, OverflowError) as error:
        raise DataError(f"'{path}' is not a CSV file: {one_line(error)}") from None
    file = Path(path).name
    # names are matched exactly, so spaces around them are removed
    for column in ("dataset", "classifier"):
        if column in frame.columns:
            frame[column] = frame[column].astype(str).str.strip()
    has_predictions = bool({"y_true", "y_pred"} & set(frame.columns))
    for column in PREDICTION_COLUMNS if has_predictions else COUNT_COLUMNS:
        if column not in frame.columns:
            raise DataError(
                f"'{file}' has no column '{column}'; {did_you_mean(column, list(frame.columns))}"
            )
    # without the columns all results are of one repeat and one fold
    for column in ("repeat", "fold"):
        frame[column] = _whole_numbers(file, frame, column) if column in frame.columns else 0
    # predictions are counted, counts are taken as they are
    if has_predictions:
        return _count_predictions(file, frame)
    for cell in CELLS:
        frame[cell] = _whole_numbers(file, frame, cell)
    repeated = frame.duplicated(FOLD)
    if repeated.any():
        row = frame[repeated].iloc[0]
        raise DataError(
            f"'{file}' has '{row['classifier']}' on '{row['dataset']}' twice for repeat "
            f"{row['repeat']}, fold {row['fold']}; number its repeats and folds"
        )
    return frame[[*FOLD, *CELLS]]


def _whole_numbers(file: str, frame: pd.DataFrame, column: str) -> pd.Series:
    numbers = pd.to_numeric(frame[column], errors="coerce")
    # 2^53 is the largest whole number that a float holds exactly
    valid = numbers.ge(0) & numbers.le(2**53) & numbers.eq(numbers.round())
    _refuse_cells(file, frame[column], ~valid, "give a whole number >= 0")
    return numbers.astype(int)


def _refuse_cells(file: str, column: pd.Series, wrong: pd.Series, remedy: str) -> None:
    if wrong.any():
        row = int(wrong.to_numpy().argmax())
        # the header is line 1
        raise DataError(
            f"'{file}', line {row + 2}: {column.name} is '{column.iloc[row]}'; {remedy}"
        )


def _count_predictions(file: str, frame: pd.DataFrame) -> pd.DataFrame:
    is_positive = {}
    for column in ("y_true", "y_pred"):
        # labels are compared in lower case
        codes = frame[column].astype(str).str.strip().str.lower().map(LABELS)
        remedy = "give 1 or positive, 0 or negative"
        _refuse_cells(file, frame[column], codes.isna(), remedy)
        is_positive[column] = codes == 1
    true = is_positive["y_true"]
    predicted = is_positive["y_pred"]
    cells = frame.assign(
        tp=true & predicted, fn=true & ~predicted, fp=~true & predicted, tn=~true & ~predicted
    )
    return cells.groupby(FOLD, sort=False)[CELLS].sum().astype(int).reset_index()


def _check_against_study(plan: Plan, counts: pd.DataFrame, file: str) -> None:
    """Refuse data sets, classifiers and numbers of rows that are not the study's."""
    datasets = {data.name: data for data in plan.datasets()}
    for name in counts["dataset"].unique():
        if name not in datasets:
            raise DataError(
                f"'{file}': data set '{name}' is not in the study; "
                f"{did_you_mean(name, list(datasets))}"
            )
    learners = {spec.name for spec in plan.learners}
    for classifier in counts["classifier"].unique():
        if classifier in learners:
            raise DataError(
                f"'{file}': the study runs '{classifier}' itself; give the outside result another "
                "name"
            )
    # every repeat must count each row of the data set once
    for (name, classifier, repeat), rows in counts.groupby(FOLD[:3], sort=False):
        data = datasets[name]
        # data sets with folds of their own are tested on a part of their rows
        if data.partition is not None:
            continue
        positives = int((rows["tp"] + rows["fn"]).sum())
        negatives = int((rows["fp"] + rows["tn"]).sum())
        data_positives = int(data.y.sum())
        data_negatives = len(data.y) - data_positives
        if (positives, negatives) != (data_positives, data_negatives):
            raise DataError(
                f"'{file}': '{classifier}' on '{name}', repeat {repeat}, counts {positives} "
                f"positive and {negatives} negative rows; the data set has {data_positives} and "
                f"{data_negatives}"
            )


def imported_counts(plan: Plan) -> pd.DataFrame:
    """Return the imported results of the study's data sets, in the columns of its counts."""
    frame = read_imported(plan.store)
    frame = frame[frame["dataset"].isin([spec.name for spec in plan.data])].reset_index(drop=True)
    # columns that only results of tasks have
    columns = {"fit_seconds": float("nan"), "score_seconds": float("nan"), "key": ""}
    frame = frame.assign(**columns, confusion=[()] * len(frame))
    return frame[[*FOLD, *CELLS, "fit_seconds", "score_seconds", "source", "key", "confusion"]]
