"""Results from elsewhere: a CSV of counts or of predictions joins a study and is ranked with its
own.

They are kept in a table of the study's store, apart from the results of its tasks, with the file's
name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from deabench.errors import DataError
from deabench.study.plans.plan import Plan
from deabench.study.results.store import Store, only_one, read_outside
from deabench.utils.checks import did_you_mean
from deabench.utils.files import inflated, one_line

COUNTS = ("dataset", "classifier", "tp", "fn", "fp", "tn")
PREDICTIONS = ("dataset", "classifier", "y_true", "y_pred")
CELLS = ["tp", "fn", "fp", "tn"]
KEYS = ["dataset", "classifier", "repeat", "fold"]


@dataclass(frozen=True)
class Added:
    """How much was brought in."""

    classifiers: int
    datasets: int
    rows: int


def import_results(plan: Plan, path: str | Path) -> Added:
    """Bring in a CSV of counts or predictions; rows of the same data set, classifier, repeat and
    fold are replaced.

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
    _belongs(plan, counts, Path(path).name)
    with only_one(plan.store), Store(plan.store) as store:
        store.put_outside(counts.assign(source=Path(path).name))
    return Added(counts["classifier"].nunique(), counts["dataset"].nunique(), len(counts))


def read_results(path: str | Path) -> pd.DataFrame:
    """Counts (dataset, classifier, repeat, fold, tp, fn, fp, tn) from a CSV of counts or of
    predictions.

    Labels of predictions are 1 or `positive` for the positive class, 0 or `negative` for the other.
    """
    try:
        frame = pd.read_csv(
            inflated(path), skipinitialspace=True, encoding="utf-8-sig", low_memory=False
        )
    except OSError as error:
        raise DataError(
            f"cannot read '{path}': {error.strerror}; name a CSV file of counts or predictions"
        ) from None
    except DataError:
        raise
    except (ValueError, pd.errors.ParserError, OverflowError) as error:
        raise DataError(f"'{path}' is not a CSV file: {one_line(error)}") from None
    name = Path(path).name
    for column in ("dataset", "classifier"):
        if column in frame.columns:
            frame[column] = frame[column].astype(str).str.strip()
    wanted = PREDICTIONS if {"y_true", "y_pred"} & set(frame.columns) else COUNTS
    for column in wanted:
        if column not in frame.columns:
            raise DataError(
                f"'{name}' has no column '{column}'; {did_you_mean(column, list(frame.columns))}"
            )
    for column in ("repeat", "fold"):
        frame[column] = _whole(name, frame, column) if column in frame.columns else 0
    if wanted is PREDICTIONS:
        return _counted(name, frame)
    for cell in CELLS:
        frame[cell] = _whole(name, frame, cell)
    twice = frame.duplicated(KEYS)
    if twice.any():
        row = frame[twice].iloc[0]
        raise DataError(
            f"'{name}' has '{row['classifier']}' on '{row['dataset']}' twice for repeat {row['repeat']}, "
            f"fold {row['fold']}; number its repeats and folds"
        )
    return frame[[*KEYS, *CELLS]]


def _whole(name: str, frame: pd.DataFrame, column: str) -> pd.Series:
    numbers = pd.to_numeric(frame[column], errors="coerce")
    bad = ~(numbers.ge(0) & numbers.le(2**53) & numbers.eq(numbers.round()))
    if bad.any():
        place = int(bad.to_numpy().argmax())
        raise DataError(
            f"'{name}', line {place + 2}: {column} is '{frame[column].iloc[place]}'; "
            "give a whole number >= 0"
        )
    return numbers.astype(int)


def _counted(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    for column in ("y_true", "y_pred"):
        said = frame[column].astype(str).str.strip().str.lower()
        values = said.map({"1": 1, "1.0": 1, "positive": 1, "0": 0, "0.0": 0, "negative": 0})
        if values.isna().any():
            place = int(values.isna().to_numpy().argmax())
            raise DataError(
                f"'{name}', line {place + 2}: {column} is '{frame[column].iloc[place]}'; "
                "give 1 or positive, 0 or negative"
            )
        frame[column] = values.astype(int)
    truth, answer = frame["y_true"] == 1, frame["y_pred"] == 1
    cells = frame.assign(
        tp=truth & answer, fn=truth & ~answer, fp=~truth & answer, tn=~truth & ~answer
    )
    return cells.groupby(KEYS, sort=False)[CELLS].sum().astype(int).reset_index()


def _belongs(plan: Plan, counts: pd.DataFrame, name: str) -> None:
    data = {each.name: each for each in plan.datasets()}
    for dataset in counts["dataset"].unique():
        if dataset not in data:
            raise DataError(
                f"'{name}': data set '{dataset}' is not in the study; {did_you_mean(dataset, list(data))}"
            )
    own = {spec.name for spec in plan.learners}
    for classifier in counts["classifier"].unique():
        if classifier in own:
            raise DataError(
                f"'{name}': the study runs '{classifier}' itself; give the outside result another name"
            )
    for (dataset, classifier, repeat), rows in counts.groupby(
        ["dataset", "classifier", "repeat"], sort=False
    ):
        positives = int(data[dataset].y.sum())
        found = int((rows["tp"] + rows["fn"]).sum()), int((rows["fp"] + rows["tn"]).sum())
        wanted = positives, len(data[dataset].y) - positives
        if data[dataset].partition is None and found != wanted:
            raise DataError(
                f"'{name}': '{classifier}' on '{dataset}', repeat {repeat}, counts {found[0]} positive and "
                f"{found[1]} negative rows; the data set has {wanted[0]} and {wanted[1]}"
            )


def imported_counts(plan: Plan) -> pd.DataFrame:
    """The outside results of a study that name its data sets, in the columns of the tidy table."""
    frame = read_outside(plan.store)
    frame = frame[frame["dataset"].isin([spec.name for spec in plan.data])].reset_index(drop=True)
    return frame.assign(
        fit_seconds=float("nan"), score_seconds=float("nan"), key="", confusion=[()] * len(frame)
    )[[*KEYS, *CELLS, "fit_seconds", "score_seconds", "source", "key", "confusion"]]
