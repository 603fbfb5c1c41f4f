"""Group frontiers and the meta-frontier over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from deabench.analysis.quiet import quietly
from deabench.analysis.ranking import rank
from deabench.errors import DataError
from deabench.models import ModelName
from deabench.tables.read import read
from deabench.tables.selection import (
    Missing,
    drop_column,
    read_grouping,
    refuse_bounds,
    select_table,
)
from deabench.utils.checks import did_you_mean
from deabench.utils.result import Result


@dataclass(frozen=True, eq=False, repr=False)
class Groups(Result):
    """Group frontiers and the meta-frontier.

    Attributes
    ----------
    frame : DataFrame
        `group`; `in_group` and `meta`: efficiency in its group, and among all; `gap` = meta /
        in_group, at most 1: how near the group's frontier comes to everybody's there.
    notes : tuple of str

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> answer = db.groups(wine, {name: "SVM" if "SVM" in name else "other" for name in wine.index}, outputs=["TPR", "TNR"])
    >>> answer.frame.loc["RUS+SVM", ["in_group", "meta", "gap"]].round(3).tolist()
    [1.0, 1.0, 1.0]
    """

    frame: pd.DataFrame
    notes: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """See `frame`."""
        return self.frame

    def summary(self) -> str:
        """How near each group's frontier comes to the common one."""
        means = self.frame.groupby("group", sort=False)["gap"].mean().sort_values(ascending=False)
        said = ", ".join(f"{name} {value:.3f}" for name, value in means.items())
        return f"Mean gap to the common frontier (1 is none): {said}."


def groups(
    table: object,
    by: str | Mapping[object, object] | pd.Series,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    lower_is_better: Mapping[str, object] | Sequence[str] = (),
    model: ModelName | None = None,
    missing: Missing = "refuse",
) -> Groups:
    """Each DMU in its group and among all: technology gap ratios (O'Donnell, Rao, Battese 2008).

    Parameters
    ----------
    by : column name, or mapping of label to group
        What the groups are: family of the classifier, imbalance of the data, noise.
    table, outputs, inputs, lower_is_better, model, missing
        As for `deabench.rank`.

    Returns
    -------
    Groups

    Raises
    ------
    DataError
        Where a DMU has no group, or as `deabench.rank`.

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> answer = db.groups(wine, {name: "SVM" if "SVM" in name else "other" for name in wine.index}, outputs=["TPR", "TNR"])
    >>> answer.frame["gap"].round(3).to_dict()
    {'RBF': 1.0, 'OSS+SVM': 0.975, 'RUS+SVM': 1.0, 'AdaBoostM1': 1.0, 'CS-MCQP': 1.0, 'Bagging':
    1.0}"""
    given, source = _grouped(table, by)
    ready = select_table(
        source,
        outputs=outputs,
        inputs=inputs,
        lower_is_better=lower_is_better,
        missing=refuse_bounds(missing),
    )
    ready = drop_column(ready, by) if isinstance(by, str) else ready
    rows, given = ready.table, given.reindex(ready.table.index)
    if given.isna().any():
        raise DataError(f"'{given.index[given.isna()][0]}' has no group; give every classifier one")
    options: dict[str, Any] = {**ready.given, "model": model}
    meta = rank(rows, **options)
    own = pd.concat(
        [quietly(rows.loc[given == name], **options).scores for name in dict.fromkeys(given)]
    )
    frame = pd.DataFrame({"group": given, "in_group": own.reindex(rows.index), "meta": meta.scores})
    frame["gap"] = frame["meta"] / frame["in_group"]
    frame.index.name = "classifier"
    small = [
        f"group '{name}' has {count} classifiers: its own frontier says little"
        for name, count in given.value_counts().items()
        if count < 3 * meta.slacks.shape[1]
    ]
    return Groups(frame, (*ready.notes, *meta.notes, *small))


def _grouped(
    table: object, by: str | Mapping[object, object] | pd.Series
) -> tuple[pd.Series, object]:
    """The group of every classifier, and the table without it."""
    if not isinstance(by, str):
        return pd.Series(dict(by)), table
    found = read_grouping(table, by)
    if found is None:
        columns = (
            list(table.columns)
            if isinstance(table, pd.DataFrame)
            else [*read(table).to_frame().index]
        )
        raise DataError(f"there is no column '{by}' in the table; {did_you_mean(by, columns)}")
    return found, table.drop(columns=by) if isinstance(table, pd.DataFrame) else table
