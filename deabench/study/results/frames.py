"""The rows of a study's store as frames: results, errors, predictions."""

from __future__ import annotations

import json

import pandas as pd

from deabench.errors import DataError
from deabench.study.results.maintenance import FOLD
from deabench.study.results.metrics import CELLS, TIMES
from deabench.study.results.status import current_rows
from deabench.study.results.stored_rows import read_predictions
from deabench.study.spec.plan import Plan
from deabench.utils.checks import did_you_mean


def results_frame(plan: Plan) -> pd.DataFrame:
    """Return a row for each task with a result; see `Study.results`."""
    rows = current_rows(plan)
    counts = CELLS if plan.classes == "two" else ["confusion"]
    frame = rows[[*FOLD, "status", *counts, *TIMES]]
    return frame.assign(notes=rows["notes"].map(json.loads), key=rows["key"]).set_index(FOLD)


def errors_frame(plan: Plan) -> pd.DataFrame:
    """Return a row for each failed task; see `Study.errors`."""
    rows = current_rows(plan)
    failed = rows[rows["status"] != "done"].set_index(FOLD)
    return failed[["status", "error_type", "error", "traceback"]]


def predictions_frame(
    plan: Plan, dataset: str | None = None, classifier: str | None = None
) -> pd.DataFrame:
    """Return a row for each test row of each task that is done; see `Study.predictions`.

    Raises
    ------
    DataError
        For an unknown name, or where the store keeps no predictions.
    """
    rows = current_rows(plan)
    rows = rows[rows["status"] == "done"]
    for column, noun, name in (
        ("dataset", "data set", dataset),
        ("classifier", "classifier", classifier),
    ):
        if name is None:
            continue
        names = list(dict.fromkeys(rows[column]))
        if name not in names:
            raise DataError(f"no results of {noun} '{name}'; {did_you_mean(name, names)}")
        rows = rows[rows[column] == name]
    if len(rows) and not rows["kept"].all():
        raise DataError(
            f"the store '{plan.store}' keeps no predictions; give keep_predictions = true and run "
            "the study again"
        )
    frames = read_predictions(plan.store, rows["key"])
    columns = ["row", "y_true", "y_pred", "score", "probability"]
    if not frames:
        return pd.DataFrame(columns=[*FOLD, *columns])
    # in the order of the study's tasks
    tables = {tuple(row): frames[key] for key, *row in rows[["key", *FOLD]].itertuples(index=False)}
    return pd.concat(tables, names=FOLD).reset_index(FOLD).reset_index(drop=True)


def describe_errors(rows: pd.DataFrame) -> str:
    """Name the most frequent errors of failed tasks, as `ValueError: no (12 tasks, as of 'tree')`.

    Parameters
    ----------
    rows : DataFrame
        classifier, status, error_type and error of failed tasks.
    """
    kinds = rows.groupby(["status", "error_type", "error"], sort=False)["classifier"]
    sizes = kinds.size().sort_values(ascending=False, kind="stable")
    firsts = kinds.first()
    texts = [
        f"'{firsts[kind]}' {kind[0]}: {kind[1]}: {kind[2]} ({count} tasks)"
        for kind, count in sizes.head(3).items()
    ]
    further = "" if len(sizes) <= 3 else f"; and {len(sizes) - 3} other errors"
    return "; ".join(texts) + further
