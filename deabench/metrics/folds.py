"""Many rows to one: the folds of a cross-validation pooled, or averaged."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.metrics.counts import SENTENCES, first_of, from_counts, label, weighted, whole
from deabench.metrics.formulas import CELLS
from deabench.utils.checks import did_you_mean


def pooled(counts: pd.DataFrame, by: Hashable | list[Hashable]) -> pd.DataFrame:
    """Counts of the rows of each group added: the folds pooled, one 2x2 table per classifier.

    Parameters
    ----------
    counts : DataFrame with tp, fn, fp, tn
    by : a column or index level of `counts`, or a list of them
        What names the groups, as 'classifier' or ['classifier', 'data set'].

    Returns
    -------
    DataFrame, groups x (tp, fn, fp, tn)
        In order of first appearance; `attrs["folds"]` says that they are pooled, and `from_counts`
        hands that on.

    Examples
    --------
    >>> from deabench import metrics
    >>> import pandas as pd
    >>> folds = pd.DataFrame({"classifier": ["a", "a"], "tp": [1, 3], "fn": [1, 1], "fp": [0, 4], "tn": [10, 6]})
    >>> metrics.pooled(folds, "classifier").loc["a"].tolist()
    [4, 2, 4, 16]
    """
    checked = whole(counts)
    result = (
        (checked if weighted(counts) else checked.astype("int64"))
        .groupby(_keys(counts, by), sort=False, dropna=False)
        .sum()
    )
    if weighted(counts):
        result.attrs["weighted"] = counts.attrs["weighted"]
    result.attrs["folds"] = (
        "pooled: the counts of the folds are added, then each metric is computed once"
    )
    return result


def averaged(counts: pd.DataFrame, by: Hashable | list[Hashable], **options: Any) -> pd.DataFrame:
    """Each metric per row (fold), then its mean over the rows of each group.

    A fold where a metric is undefined leaves the mean undefined (NaN): a mean over the other folds
    would estimate something else. F, PPV and their like then call for `pooled` counts [1]_.

    Parameters
    ----------
    counts : DataFrame with tp, fn, fp, tn
        One row per group and fold.
    by : a column or index level of `counts`, or a list of them
    **options
        As for `from_counts`.

    Returns
    -------
    DataFrame, groups x metrics
        In order of first appearance; `attrs["folds"]` says that they are averaged.

    References
    ----------
    .. [1] Forman and Scholz (2010), Apples-to-apples in cross-validation studies, SIGKDD
    Explorations 12(1), 49-57,
       doi:10.1145/1882471.1882479.

    Examples
    --------
    >>> from deabench import metrics
    >>> import pandas as pd
    >>> folds = pd.DataFrame({"classifier": ["a", "a"], "tp": [1, 3], "fn": [1, 1], "fp": [0, 4], "tn": [10, 6]})
    >>> metrics.averaged(folds, "classifier", metrics=["TPR", "PPV"]).loc["a"].round(3).tolist()
    [0.625, 0.714]
    """
    return mean_of(from_counts(counts, **options), _keys(counts, by))


def mean_of(folds: pd.DataFrame, keys: list[pd.Series]) -> pd.DataFrame:
    """The mean over the rows of each group, NaN where one of them is, with the number of undefined
    folds.
    """
    groups = folds.groupby(keys, sort=False, dropna=False)
    table = groups.agg(lambda column: column.mean(skipna=False))
    lacking = folds.isna().groupby(keys, sort=False, dropna=False).sum()
    sizes = groups.size().to_numpy()
    said = [
        f"{table.columns[column]} of '{label(table.index[row])}' is undefined: "
        f"it is undefined in {lacking.iloc[row, column]} of {sizes[row]} folds"
        for row, column in np.argwhere(lacking.to_numpy() > 0)
    ]
    table.attrs["folds"] = "averaged: each metric is computed per fold, then its mean is taken"
    table.attrs["undefined"] = first_of(said[:SENTENCES], len(said))
    return table


def _keys(counts: pd.DataFrame, by: Hashable | list[Hashable]) -> list[pd.Series]:
    """The grouping columns or index levels as Series alongside the rows."""
    names = by if isinstance(by, list) else [by]
    known = [*counts.index.names, *counts.columns]
    keys = []
    for name in names:
        if name is None or name not in known:
            offered = [
                known_name
                for known_name in known
                if known_name is not None and known_name not in CELLS
            ]
            raise DataError(
                f"there is no column '{name}' to group by; {did_you_mean(name, offered)}"
            )
        values = (
            counts[name] if name in counts.columns else counts.index.get_level_values(str(name))
        )
        keys.append(pd.Series(np.asarray(values), index=counts.index, name=name))
    return keys
