"""What a study's store holds as frames: results, errors, predictions, and the parts of a key."""

from __future__ import annotations

import json

import pandas as pd

from deabench.errors import DataError
from deabench.study.results.maintenance import FOLD
from deabench.study.results.metrics import CELLS, TIMES
from deabench.study.results.status import current_rows
from deabench.study.results.stored_rows import read_code, read_predictions
from deabench.study.spec.plan import Plan
from deabench.study.spec.tasks import Task, key_parts
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


def explain_key(plan: Plan, key: str) -> pd.DataFrame:
    """Return the parts of a task's key as they are and as the last run recorded them.

    Parameters
    ----------
    plan : Plan
    key : str
        The beginning of a key, or the name of a classifier.

    Returns
    -------
    DataFrame
        Index (of, part); columns now, last_run ("" where no run recorded it), changed.

    Raises
    ------
    DataError
        For a key that no task of the study has.
    """
    recorded = read_code(plan.store)
    rows = []
    for source, fingerprint in key_parts(_find_task(plan, key)).items():
        now = dict(fingerprint)
        before = dict(recorded[source].fingerprint) if source in recorded else {}
        for name in sorted(now.keys() | before.keys()):
            values = (now.get(name, ""), before.get(name, ""))
            changed = source in recorded and values[0] != values[1]
            rows.append((source, name, *values, changed))
    frame = pd.DataFrame(rows, columns=["of", "part", "now", "last_run", "changed"])
    return frame.set_index(["of", "part"])


def _find_task(plan: Plan, key: str) -> Task:
    tasks = plan.tasks()
    for block in tasks.blocks:
        for task in block.first:
            if task.learner.name == key:
                return task
    for position, task_key in enumerate(tasks.keys()):
        if key and task_key.startswith(key):
            return tasks[position]
    names = [spec.name for spec in plan.learners]
    raise DataError(
        f"no task of the study has a key that begins with '{key}', and no classifier that name; "
        f"{did_you_mean(key, names)}"
    )
