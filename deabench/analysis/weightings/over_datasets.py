"""Tell how often each system is first, over weightings and over data sets."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from deabench.analysis.by_dataset import NO_DATASETS
from deabench.analysis.weightings.analysis import ModelWord, weightings
from deabench.analysis.weightings.weight_sets import Ratios, Scale, Shares
from deabench.errors import DataError, DataWarning
from deabench.tables.answers import with_metrics
from deabench.tables.read import read
from deabench.tables.selection import select_table
from deabench.tables.table import TableLike
from deabench.utils.frames import with_classifier_index
from deabench.utils.result import Result
from deabench.utils.text import quote_names

DATASET_DRAWS = 1024
"""Weightings that are drawn for each data set, where shares are not exact."""


@dataclass(frozen=True, eq=False, repr=False)
class WeightingsByDataset(Result):
    """How often each system is first, by weighting and by data set.

    Attributes
    ----------
    frame : DataFrame, a row per system
        first_share : the mean over data sets of the share of weightings under which it is first;
        can_be_first, always_first : on how many data sets some, or every, weighting has it first;
        mean_rank : the mean over data sets of its mean rank; best, worst : its extreme ranks on any
        data set; datasets : on how many it has all metrics.
    first_shares, mean_ranks, best, worst : DataFrames, data sets x systems
        NaN where a system lacks a metric.
    notes : tuple of str

    Examples
    --------
    >>> import deabench as db
    >>> iris = [("a", "iris", .9, .5), ("b", "iris", .6, .8)]
    >>> wine = [("a", "wine", .9, .9), ("b", "wine", .5, .8)]
    >>> table = pd.DataFrame(iris + wine, columns=["classifier", "dataset", "TPR", "TNR"])
    >>> db.weightings_by_dataset(table).frame["can_be_first"].to_dict()
    {'a': 2, 'b': 1}
    """

    _text = "weightings"
    _frame = "frame"

    frame: pd.DataFrame
    first_shares: pd.DataFrame
    mean_ranks: pd.DataFrame
    best: pd.DataFrame
    worst: pd.DataFrame
    notes: tuple[str, ...] = ()


def weightings_by_dataset(
    table: TableLike,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    model: ModelWord = "auto",
    ratios: Ratios | None = None,
    shares: Shares | None = None,
    scale: Scale | None = None,
    draws: int = DATASET_DRAWS,
    seed: int = 0,
) -> WeightingsByDataset:
    """Compute the ranks of all weightings on each data set, and how often each system is first.

    Every data set counts the same, and so does every weighting on it.

    Parameters
    ----------
    table : a long table or a `deabench.read` reading of one
        A row per system and data set, as the results of a study.
    outputs, inputs, model, ratios, shares, scale, draws, seed
        As for `deabench.weightings`, on each data set.

    Returns
    -------
    WeightingsByDataset

    Raises
    ------
    DataError
        If the table has no data sets, or one of them cannot be used (it is named).

    Examples
    --------
    >>> import deabench as db
    >>> rows = [("a", "iris", .9), ("b", "iris", .6), ("a", "wine", .4), ("b", "wine", .5)]
    >>> table = pd.DataFrame(rows, columns=["classifier", "dataset", "accuracy"])
    >>> db.weightings_by_dataset(table).first_shares.loc["wine"].to_dict()
    {'a': 0.0, 'b': 1.0}
    """
    reading = with_metrics(read(table), outputs)
    if reading.per_dataset is None:
        raise DataError(NO_DATASETS)
    selected = select_table(reading, outputs=outputs, inputs=inputs, missing="drop-systems")
    metrics = [name for name in reading.per_dataset if name in selected.metrics]
    # What the means hold of rows and error bars does not belong to single data sets.
    means_only = replace(selected, table=replace(selected.table, rows=None, error_bars={}))
    columns_by_name: dict[str, dict[Any, pd.Series]] = {
        name: {} for name in ("first_share", "mean_rank", "best", "worst")
    }
    left_out = []
    for dataset, rows in reading.per_dataset[metrics].groupby(level=0, sort=False):
        # Leave out metrics that no system has here, then systems that lack another.
        present = rows.droplevel(0).dropna(axis="columns", how="all")
        complete = present.dropna()
        if not len(complete) or not len(complete.columns):
            left_out.append(str(dataset))
            continue
        dataset_selection = means_only.drop_columns(
            [name for name in metrics if name not in present]
        )
        try:
            with warnings.catch_warnings(action="ignore", category=DataWarning):
                result = weightings(
                    dataset_selection.as_table(complete),
                    model=model,
                    ratios=ratios,
                    shares=shares,
                    scale=scale,
                    draws=draws,
                    seed=seed,
                )
        except DataError as error:
            raise DataError(f"on data set '{dataset}': {error}") from error
        for name, columns in columns_by_name.items():
            # One column a data set; they are turned to rows at the end.
            columns[dataset] = result.ranks[name]
    if not columns_by_name["best"]:
        raise DataError("on no data set has a system all metrics; name fewer in outputs")
    systems = [
        label for label in selected.frame.index if label in reading.per_dataset.index.levels[1]
    ]
    frames = {
        name: pd.DataFrame(columns).T.reindex(columns=systems)
        for name, columns in columns_by_name.items()
    }
    notes = list(selected.notes)
    if left_out:
        notes.append(f"no system has all metrics on {quote_names(left_out)}; left out")
    first_shares = frames["first_share"]
    frame = pd.DataFrame(
        {
            "first_share": first_shares.mean(),
            # Comparisons with NaN, where a system has no rank, are False.
            "can_be_first": (frames["best"] == 1).sum(),
            "always_first": ((frames["best"] == 1) & (frames["worst"] == 1)).sum(),
            "mean_rank": frames["mean_rank"].mean(),
            "best": frames["best"].min(),
            "worst": frames["worst"].max(),
            "datasets": frames["best"].notna().sum(),
        }
    )
    frame = frame.sort_values(["first_share", "mean_rank"], ascending=[False, True], kind="stable")
    frame = with_classifier_index(frame)
    return WeightingsByDataset(
        frame, first_shares, frames["mean_rank"], frames["best"], frames["worst"], tuple(notes)
    )
