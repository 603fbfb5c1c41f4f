"""Explain a key: what it is made of, and what has changed since the last run."""

from __future__ import annotations

import pandas as pd

from deabench.errors import DataError
from deabench.study.results.stored_rows import read_code
from deabench.study.spec.keys import key_parts
from deabench.study.spec.plan import Plan
from deabench.study.spec.tasks import Task
from deabench.utils.checks import did_you_mean


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
