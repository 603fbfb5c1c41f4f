"""Compare groups of classifiers: the frontier of each group and the meta-frontier of all."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from deabench.analysis.ranking import rank_completely
from deabench.errors import DataError, DataWarning
from deabench.models import ModelName
from deabench.results.model import Model
from deabench.tables.read import as_table
from deabench.tables.selected_table import Missing, refuse_bounds
from deabench.tables.selection import read_grouping, select_table
from deabench.tables.table import TableLike
from deabench.utils.checks import did_you_mean
from deabench.utils.frames import with_classifier_index
from deabench.utils.result import Result
from deabench.utils.text import name_type


@dataclass(frozen=True, eq=False, repr=False)
class Groups(Result):
    """Group frontiers and the meta-frontier.

    Attributes
    ----------
    frame : DataFrame
        `group`; `in_group` and `meta`: efficiency in its group, and among all; `gap` = meta /
        in_group, at most 1: how near the group's frontier comes to the common one there.
    notes : tuple of str

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> kinds = {name: "SVM" if "SVM" in name else "other" for name in wine.index}
    >>> answer = db.groups(wine, kinds, outputs=["TPR", "TNR"])
    >>> answer.frame.loc["RUS+SVM", ["in_group", "meta", "gap"]].round(3).tolist()
    [1.0, 1.0, 1.0]
    """

    _frame = "frame"
    _text = "contexts"

    frame: pd.DataFrame
    notes: tuple[str, ...]


def groups(
    table: TableLike,
    by: str | Mapping[object, object] | pd.Series,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    model: ModelName | None = None,
    missing: Missing = "refuse",
) -> Groups:
    """Compute each DMU's efficiency in its group and among all, and the technology gap ratio.

    Parameters
    ----------
    by : column name, or mapping of label to group
        The groups: family of the classifier, imbalance of the data, noise.
    table, outputs, inputs, model, missing
        As for `deabench.rank`.

    Returns
    -------
    Groups

    Raises
    ------
    DataError
        If a DMU has no group, or as for `deabench.rank`.

    References
    ----------
    O'Donnell, Rao, Battese (2008), Metafrontier frameworks for the study of firm-level efficiencies
    and technology ratios, Empirical Economics 34:231-255.

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> kinds = {name: "SVM" if "SVM" in name else "other" for name in wine.index}
    >>> db.groups(wine, kinds, outputs=["TPR", "TNR"]).frame["gap"].round(3).loc["OSS+SVM"]
    np.float64(0.975)
    """
    group, source = _split_groups(table, by)
    selected = select_table(
        source,
        outputs=outputs,
        inputs=inputs,
        missing=refuse_bounds(missing),
    )
    rows = selected.frame
    # Rows that were left out for missing cells need no group.
    group = group.reindex(rows.index)
    if group.isna().any():
        raise DataError(f"'{group.index[group.isna()][0]}' has no group; give every system one")
    options: dict[str, Any] = {"model": model}
    meta = rank_completely(selected.as_table(), **options)
    _check_ratios(meta.options)
    # Parts of the table repeat its warnings.
    with warnings.catch_warnings(action="ignore", category=DataWarning):
        # One frontier for each group, of its own DMUs.
        tables = [selected.as_table(rows.loc[group == name]) for name in group.unique()]
        scores = [rank_completely(table, **options).scores for table in tables]
    # Back in the order of the table.
    in_group = pd.concat(scores).reindex(rows.index)
    frame = pd.DataFrame({"group": group, "in_group": in_group, "meta": meta.scores})
    # The group's technology is part of the common one, so that the ratio is at most 1.
    frame["gap"] = frame["meta"] / frame["in_group"]
    frame = with_classifier_index(frame)
    # With fewer than three classifiers per metric nearly all of a group are efficient in it.
    min_size = 3 * meta.slacks.shape[1]
    notes = [
        f"group '{name}' has {count} systems: nearly all are on a frontier of so few"
        for name, count in group.value_counts().items()
        if count < min_size
    ]
    return Groups(frame, (*selected.notes, *meta.notes, *notes))


def _check_ratios(model: Model) -> None:
    """Refuse a model whose scores in a group and among all have no ratio of at most 1."""
    if model.measure != "efficiency":
        raise DataError(
            f"model '{model.name}' gives inefficiencies, which have no technology gap ratio; use "
            "model 'wei', 'ccr', 'fdh' or 'sbm'"
        )
    if model.monotone == "none":
        raise DataError(
            f"a score of model '{model.name}' can rise where systems join the reference, so that "
            "it has no technology gap ratio; use model 'wei', 'ccr', 'fdh' or 'sbm'"
        )


def _split_groups(
    table: TableLike, by: str | Mapping[object, object] | pd.Series
) -> tuple[pd.Series, TableLike]:
    """Return the group of every classifier, and the table without the column of groups."""
    if isinstance(by, pd.Series | Mapping):
        return pd.Series(dict(by)), table
    if not isinstance(by, str):
        raise DataError(
            f"by is {name_type(by)}; give the column of groups, or a mapping of each label to its "
            "group"
        )
    interpreted = as_table(table)
    group = read_grouping(interpreted, by)
    if group is None:
        columns = [column.name for column in interpreted.inferred]
        raise DataError(f"there is no column '{by}' in the table; {did_you_mean(by, columns)}")
    # The column of groups is no metric.
    return group, interpreted.drop_column(by)
