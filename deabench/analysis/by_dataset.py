"""Rank systems over many data sets: by means, data set by data set, and on one common frontier."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from deabench.analysis.ranking import rank_selected
from deabench.errors import DataError, DataWarning
from deabench.models import ModelName
from deabench.models.options import ModelRequest
from deabench.results.model import Model
from deabench.results.ranking import Ranking, tie_groups
from deabench.tables.answers import with_metrics
from deabench.tables.read import read
from deabench.tables.selected_table import Missing, SelectedTable, refuse_bounds
from deabench.tables.selection import select_table
from deabench.tables.table import TableLike
from deabench.utils.frames import with_classifier_index
from deabench.utils.result import Result
from deabench.utils.text import quote_names

NO_DATASETS = (
    "the table has no data sets: no column names them, or no system stands on several rows; name "
    "the column with --dataset, or roles={'task': 'dataset'} of deabench.read"
)


@dataclass(frozen=True, eq=False, repr=False)
class ByDataset(Result):
    """Efficiencies over many data sets, three ways.

    Attributes
    ----------
    frame : DataFrame, a row per system
        `means`: the efficiency of its mean metrics (mean, then DEA); `each`: the mean of its
        efficiencies, every data set with a frontier of its own; `pooled`: that of its efficiencies
        where all systems on all data sets span one frontier; a `_rank` beside each; `gap`: the mean
        of pooled / each, how near the data sets' own frontiers come to the common one (at most 1;
        NaN for models whose scores can rise where systems join the reference);
        `efficient_on`: on how many data sets it is efficient; `datasets`: on how many it has a
        score.
    each, pooled : DataFrame, data sets x systems
        The efficiencies; NaN where a system lacks a metric there, or its score is undefined.
    means : Ranking
        Of the mean metrics.
    notes : tuple of str

    Examples
    --------
    >>> import deabench as db
    >>> answer = db.by_dataset(db.read(db.datasets.board("amlb-small")))
    >>> answer.frame.columns.tolist()[:4]
    ['means', 'means_rank', 'each', 'each_rank']
    """

    _text = "contexts"

    frame: pd.DataFrame
    each: pd.DataFrame
    pooled: pd.DataFrame
    means: Ranking
    notes: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return `frame` by `each_rank`."""
        return self.frame.sort_values("each_rank", kind="stable")


def by_dataset(
    table: TableLike,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    model: ModelName | Model | None = None,
    missing: Missing = "refuse",
) -> ByDataset:
    """Rank systems over many data sets: by means, by each data set, and on one common frontier.

    Means hide on which data sets a system is good; a frontier for every data set takes its
    difficulty out; one frontier of all (system, data set) pairs leaves it in, and its gap says how
    much of a low score is the data set's.

    Parameters
    ----------
    table : a long table or a `deabench.read` reading of one
        A row per system and data set, or per fold, whose mean is taken first.
    outputs, inputs, model
        As for `deabench.rank`.
    missing : {"refuse", "drop-systems", "drop-metrics"}
        What happens to empty cells of the means. On a data set of its own a metric that no system
        has there and a system that lacks a metric are left out, with a note; means of efficiencies
        are over the data sets on which all systems have a score, where there is one.

    Returns
    -------
    ByDataset

    Raises
    ------
    DataError
        If the table has no data sets, a data set cannot be ranked (it is named), or the model gives
        no efficiencies.

    Examples
    --------
    >>> import deabench as db
    >>> iris = [("k-NN", "iris", .9), ("SVM", "iris", .6)]
    >>> wine = [("k-NN", "wine", .4), ("SVM", "wine", .5)]
    >>> table = pd.DataFrame(iris + wine, columns=["classifier", "dataset", "accuracy"])
    >>> db.by_dataset(table).each.round(3).loc["wine"].to_dict()
    {'k-NN': 0.8, 'SVM': 1.0}
    """
    reading = with_metrics(read(table), outputs)
    request = ModelRequest(model)
    missing = refuse_bounds(missing)
    if reading.per_dataset is None:
        raise DataError(NO_DATASETS)
    selected = select_table(reading, outputs=outputs, inputs=inputs, missing=missing)
    # The first way: the mean metrics of each system, one frontier.
    means = rank_selected(selected, request)
    if means.measure != "efficiency":
        raise DataError(
            f"model '{means.options.name}' gives inefficiencies, which have no common measure; use "
            "another model"
        )
    metrics = [name for name in reading.per_dataset if name in selected.metrics]
    # A row per (data set, system) of the systems that have means.
    cells = reading.per_dataset[metrics]
    cells = cells[cells.index.get_level_values(1).isin(selected.frame.index)]
    # Two further ways: a frontier for each data set, and one of all pairs.
    each_scores, efficient, each_notes = _rank_each_dataset(cells, selected, means)
    pooled_scores, pooled_notes = _rank_pooled(cells, selected, means)
    frame, mean_notes = _build_frame(means, each_scores, pooled_scores, efficient)
    notes = (*means.notes, *each_notes, *pooled_notes, *mean_notes)
    return ByDataset(frame, each_scores, pooled_scores, means, notes)


def _rank_each_dataset(
    cells: pd.DataFrame, selected: SelectedTable, means: Ranking
) -> tuple[pd.DataFrame, pd.DataFrame, tuple[str, ...]]:
    """Return efficiencies and who is efficient, data sets x systems, each with its own frontier."""
    scores = dict[object, pd.Series]()
    efficient = dict[object, pd.Series]()
    datasets_without = dict[str, list[str]]()
    left_out = list[str]()
    incomplete_pairs = 0
    for name, rows in cells.groupby(level=0, sort=False):
        # Leave out metrics that no system has here, then systems that lack another.
        table = rows.droplevel(0).dropna(axis="columns", how="all")
        complete = table.dropna()
        if not len(complete) or not _has_enough_metrics(list(complete), selected):
            left_out.append(str(name))
            continue
        incomplete_pairs += len(table) - len(complete)
        absent = [str(metric) for metric in cells if metric not in table]
        for metric in absent:
            datasets_without.setdefault(metric, []).append(str(name))
        ranking = _rank_rows(complete, absent, selected, means, f"on data set '{name}': ")
        scores[name] = ranking.scores
        efficient[name] = ranking.efficient
    if not scores:
        raise DataError("on no data set has a system all metrics; name fewer in outputs")
    notes = [
        f"no system has '{metric}' on {_quote_datasets(names)}; ranked without it there"
        for metric, names in datasets_without.items()
    ]
    if left_out:
        notes.append(f"no system has all metrics on {_quote_datasets(left_out)}; left out")
    if incomplete_pairs:
        notes.append(
            f"{incomplete_pairs} pairs of a system and a data set lack a metric and have no score"
        )
    systems = _ordered_systems(cells, selected)
    return (
        pd.DataFrame(scores).T.reindex(columns=systems),
        pd.DataFrame(efficient).T.reindex(columns=systems),
        tuple(notes),
    )


def _rank_pooled(
    cells: pd.DataFrame, selected: SelectedTable, means: Ranking
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return efficiencies, data sets x systems, of all pairs on one frontier.

    The frontier is in the metrics that every data set has.
    """
    # A metric is common to all if each data set has it for some system.
    is_absent = cells.isna().groupby(level=0).all().any()
    absent = [str(metric) for metric in cells if is_absent[metric]]
    common = cells[[metric for metric in cells if metric not in absent]]
    complete = common.dropna()
    datasets = pd.Index(cells.index.get_level_values(0).unique(), name=None)
    systems = _ordered_systems(cells, selected)
    if not len(complete) or not _has_enough_metrics(list(common), selected):
        return pd.DataFrame(np.nan, index=datasets, columns=pd.Index(systems)), (
            "no frontier is common to all data sets, because they have too few metrics in common",
        )
    # Each pair of a system and a data set is a DMU of its own.
    pairs = complete.set_axis([f"{system} on {name}" for name, system in complete.index])
    ranking = _rank_rows(pairs, absent, selected, means, "on one frontier of all data sets: ")
    scores = ranking.scores.set_axis(complete.index).unstack(1)
    scores = scores.reindex(index=datasets, columns=systems)
    scores = scores.rename_axis(None).rename_axis(None, axis=1)
    if not absent:
        return scores, ()
    names = quote_names(absent)
    return scores, (f"one frontier of all data sets is without {names}, which some data sets lack",)


def _has_enough_metrics(metrics: Sequence[str], selected: SelectedTable) -> bool:
    """Return whether outputs are among the metrics, and inputs, where the table has any."""
    # Costs alone are compared with a constant output.
    has_output = not selected.outputs or not set(metrics).isdisjoint(selected.outputs)
    has_input = not selected.inputs or not set(metrics).isdisjoint(selected.inputs)
    return has_output and has_input


def _ordered_systems(cells: pd.DataFrame, selected: SelectedTable) -> list[object]:
    """Return the systems that stand on some data set, in the order of the means."""
    # The means may rank a system that has no data set of its own.
    present = set(cells.index.get_level_values(1))
    return [label for label in selected.frame.index if label in present]


def _quote_datasets(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"data set '{names[0]}'"
    return f"{len(names)} data sets ({quote_names(names, 3)})"


def _rank_rows(
    table: pd.DataFrame,
    absent: Sequence[str],
    selected: SelectedTable,
    means: Ranking,
    context: str,
) -> Ranking:
    """Rank some rows without the `absent` metrics by the model of the means."""
    subset = selected.drop_columns(absent).with_frame(table)
    # The means were warned of; the parts repeat it.
    with warnings.catch_warnings(action="ignore", category=DataWarning):
        try:
            return rank_selected(subset, ModelRequest(means.options))
        except DataError as error:
            raise DataError(f"{context}{error}") from None


def _build_frame(
    means: Ranking,
    each_scores: pd.DataFrame,
    pooled_scores: pd.DataFrame,
    efficient: pd.DataFrame,
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return one row per system, and notes on the data sets that the means are over."""
    notes = list[str]()
    columns = {"means": means.scores}
    for name, scores in (("each", each_scores), ("pooled", pooled_scores)):
        # Means over the same data sets are comparable; others are a last resort.
        common = scores.dropna()
        if len(common) == 0 and scores.notna().any(axis=None):
            notes.append(
                f"'{name}' is the mean over the data sets that each system has a score on, which "
                "differ"
            )
        elif len(common) not in (0, len(scores)):
            notes.append(
                f"'{name}' is the mean over the {len(common)} of {len(scores)} data sets on which "
                "all have a score"
            )
        columns[name] = common.mean() if len(common) else scores.mean()
    frame = pd.DataFrame(columns).reindex(means.scores.index)
    frame.insert(1, "means_rank", means.ranks)
    for name in ("each", "pooled"):
        # Scores that differ by no more than their proofs have one rank.
        groups = pd.Series(tie_groups(-frame[name].to_numpy()), index=frame.index)
        ranks = groups.mask(frame[name].isna()).rank(method="min").astype("Int64")
        frame.insert(frame.columns.get_loc(name) + 1, f"{name}_rank", ranks)
    if means.options.monotone != "none":
        # The technology gap ratio of each pair, averaged over the data sets.
        frame["gap"] = (pooled_scores / each_scores.reindex(index=pooled_scores.index)).mean()
    else:
        frame["gap"] = np.nan
        notes.append(
            f"'gap' is left empty: a score of model '{means.options.name}' can rise where systems "
            "join the reference, so that it has no technology gap ratio"
        )
    frame["efficient_on"] = efficient.eq(True).sum().reindex(frame.index)
    frame["datasets"] = each_scores.notna().sum().reindex(frame.index)
    frame = with_classifier_index(frame)
    # An efficiency of infinity is undefined here: it would spoil every mean.
    return frame.replace([np.inf], np.nan), tuple(notes)
