"""Many data sets: the means ranked, every data set ranked by itself, and all of them on one
frontier, side by side.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from deabench.analysis.ranking import DECIMALS, Ranking, ranked
from deabench.errors import DataError, DataWarning
from deabench.models import ModelName
from deabench.models.base import Technology
from deabench.models.options import of_technology
from deabench.tables.read import read
from deabench.tables.roles import quote_names
from deabench.tables.selection import Missing, SelectedTable, refuse_bounds, select_table
from deabench.utils.result import Result

NO_SETS = (
    "the table has no data sets: no column names them, or no system stands on several rows; name the column with "
    "--dataset, or roles={'task': 'dataset'} of deabench.read"
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
        of pooled / each, how near the data sets' own frontiers come to the common one (at most 1);
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

    frame: pd.DataFrame
    each: pd.DataFrame
    pooled: pd.DataFrame
    means: Ranking
    notes: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """See `frame`, by `each_rank`."""
        return self.frame.sort_values("each_rank", kind="stable")

    def summary(self) -> str:
        """Who is first by which way, and what to mind."""
        said = [f"{len(self.each)} data sets, {len(self.frame)} systems."]
        for way, words in (
            ("means", "By their means"),
            ("each", "By every data set's own frontier"),
            ("pooled", "By one frontier of all data sets"),
        ):
            first = self.frame.index[(self.frame[f"{way}_rank"] == 1).fillna(False)]
            if not len(first):
                continue
            said.append(
                f"{words} {quote_names([str(name) for name in first], 3)} {'is' if len(first) == 1 else 'are'} first."
            )
        return " ".join([*said, *(f"{note[:1].upper()}{note[1:]}." for note in self.notes)])


def by_dataset(
    table: object,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    lower_is_better: Mapping[str, object] | Sequence[str] = (),
    model: ModelName | None = None,
    technology: Technology = "convex",
    missing: Missing = "refuse",
) -> ByDataset:
    """Rank systems over many data sets: by their means, on every data set by itself, and on one
    frontier of all.

    Means hide on which data sets a system is good; a frontier for every data set takes its
    difficulty out; one frontier of all (system, data set) pairs leaves it in, and its gap says how
    much of a low score is the data set's.

    Parameters
    ----------
    table : a long table or a `deabench.read` reading of one
        A row per system and data set, or per fold, whose mean is taken first.
    outputs, inputs, lower_is_better, model, technology
        As for `deabench.rank`.
    missing : {"refuse", "drop-systems", "drop-metrics"}
        What happens to empty cells of the means. On a data set of its own a metric that nobody has
        there and a system that lacks a metric are left out, which is said; means of efficiencies
        are over the data sets on which all systems have a score, where there is one.

    Returns
    -------
    ByDataset

    Raises
    ------
    DataError
        Where the table has no data sets, a data set cannot be ranked (it is named), or the model
        gives no efficiencies.

    Examples
    --------
    >>> import deabench as db
    >>> rows = [("k-NN", "iris", .9), ("SVM", "iris", .6), ("k-NN", "wine", .4), ("SVM", "wine", .5)]
    >>> table = [dict(zip(("classifier", "dataset", "accuracy"), row)) for row in rows]
    >>> db.by_dataset(table).each.round(3).loc["wine"].to_dict()
    {'k-NN': 0.8, 'SVM': 1.0}
    """
    reading, (chosen, singly), missing = (
        read(table),
        of_technology(model, technology),
        refuse_bounds(missing),
    )
    if reading.per_dataset is None:
        raise DataError(NO_SETS)
    ready = select_table(
        reading, outputs=outputs, inputs=inputs, lower_is_better=lower_is_better, missing=missing
    )
    means = ranked(ready, chosen, singly)
    if means.measure != "efficiency":
        raise DataError(
            f"model '{means.record.name}' gives inefficiencies, which have no common measure; use another model"
        )
    metrics = [
        name
        for name in reading.per_dataset
        if name
        in {*ready.given["outputs"], *ready.given["inputs"], *ready.given["lower_is_better"]}
    ]
    cells = reading.per_dataset[metrics]
    cells = cells[cells.index.get_level_values(1).isin(ready.table.index)]
    each, efficient, notes = _each(cells, ready, means)
    pooled, said = _pooled(cells, ready, means)
    frame, about = _framed(means, each, pooled, efficient)
    return ByDataset(frame, each, pooled, means, (*means.notes, *notes, *said, *about))


def _each(
    cells: pd.DataFrame, ready: SelectedTable, means: Ranking
) -> tuple[pd.DataFrame, pd.DataFrame, tuple[str, ...]]:
    """Efficiencies and who is efficient, data sets x systems, every data set with its own frontier."""
    scores, efficient = {}, {}
    without: dict[str, list[str]] = {}
    out, lacking = [], 0
    for name, part in cells.groupby(level=0, sort=False):
        table = part.droplevel(0).dropna(axis="columns", how="all")
        whole = table.dropna()
        if not len(whole) or not _enough(list(whole), means):
            out.append(str(name))
            continue
        lacking += len(table) - len(whole)
        gone = [metric for metric in cells if metric not in table]
        for metric in gone:
            without.setdefault(str(metric), []).append(str(name))
        ranking = _quietly(
            replace(ready, table=whole, given=_without(ready, gone)),
            means,
            f"on data set '{name}': ",
        )
        scores[name], efficient[name] = ranking.scores, ranking.efficient
    if not scores:
        raise DataError("on no data set has a system all metrics; name fewer in outputs")
    notes = [
        f"nobody has '{metric}' on {_sets(sets)}; ranked without there"
        for metric, sets in without.items()
    ]
    notes += [f"no system has all metrics on {_sets(out)}; left out"] if out else []
    notes += (
        [f"{lacking} pairs of a system and a data set lack a metric and have no score"]
        if lacking
        else []
    )
    return (
        _matrix(scores, _order(cells, ready)),
        _matrix(efficient, _order(cells, ready)),
        tuple(notes),
    )


def _pooled(
    cells: pd.DataFrame, ready: SelectedTable, means: Ranking
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Efficiencies, data sets x systems, all pairs on one frontier, in the metrics that every data
    set has.
    """
    empty = cells.isna().groupby(level=0).all()
    gone = [str(metric) for metric in cells if empty[metric].any()]
    kept = cells[[metric for metric in cells if metric not in gone]]
    whole, sets = kept.dropna(), list(dict.fromkeys(cells.index.get_level_values(0)))
    if not len(whole) or not _enough(list(kept), means):
        none = pd.DataFrame(np.nan, index=pd.Index(sets), columns=pd.Index(_order(cells, ready)))
        return none, (
            "no frontier is common to all data sets, for they have too few metrics in common",
        )
    numbered = whole.set_axis([f"{system} on {name}" for name, system in whole.index])
    some = replace(ready, table=numbered, given=_without(ready, gone))
    scores = _quietly(some, means, "on one frontier of all data sets: ").scores
    wide = scores.set_axis(whole.index).unstack(1).reindex(index=sets, columns=_order(cells, ready))
    notes = (
        (
            f"one frontier of all data sets is without {quote_names(gone)}, which some data sets lack",
        )
        if gone
        else ()
    )
    return wide.rename_axis(None).rename_axis(None, axis=1), notes


def _enough(metrics: Sequence[str], means: Ranking) -> bool:
    """Whether outputs are left, and inputs where there are any."""
    return all(
        set(metrics) & set(names)
        for names in (means.data.outputs.columns, means.data.inputs.columns)
        if len(names)
    )


def _order(cells: pd.DataFrame, ready: SelectedTable) -> list[object]:
    there = set(cells.index.get_level_values(1))
    return [label for label in ready.table.index if label in there]


def _sets(names: Sequence[str]) -> str:
    return (
        f"data set '{names[0]}'"
        if len(names) == 1
        else f"{len(names)} data sets ({quote_names(names, 3)})"
    )


def _without(ready: SelectedTable, gone: Sequence[str]) -> Mapping[str, object]:
    """What is given, less some metrics."""
    given = ready.given
    return {
        "outputs": [name for name in given["outputs"] if name not in gone],
        "inputs": [name for name in given["inputs"] if name not in gone],
        "lower_is_better": {
            name: how for name, how in given["lower_is_better"].items() if name not in gone
        },
    }


def _quietly(ready: SelectedTable, means: Ranking, where: str) -> Ranking:
    """The ranking of a part by the model of the means, whose weaknesses are said once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        options = {
            name: value
            for name, value in means.options.items()
            if name in ("returns", "orientation", "goal", "technology")
        }
        try:
            return ranked(ready, means.record.name, options)  # type: ignore[arg-type]
        except DataError as error:
            raise DataError(f"{where}{error}") from None


def _matrix(rows: Mapping[object, pd.Series], order: Sequence[object]) -> pd.DataFrame:
    return pd.DataFrame(rows).T.reindex(columns=order)


def _framed(
    means: Ranking, each: pd.DataFrame, pooled: pd.DataFrame, efficient: pd.DataFrame
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """One row per system, and what the means of efficiencies are over."""
    notes, columns = [], {"means": means.scores}
    for name, scores in (("each", each), ("pooled", pooled)):
        common = scores.dropna()
        if len(common) not in (0, len(scores)):
            notes.append(
                f"'{name}' is the mean over the {len(common)} of {len(scores)} data sets on which all have a score"
            )
        elif len(common) == 0 and scores.notna().any(axis=None):
            notes.append(
                f"'{name}' is the mean over the data sets that each system has a score on, which differ"
            )
        columns[name] = common.mean() if len(common) else scores.mean()
    frame = pd.DataFrame(columns).reindex(means.scores.index)
    for name in ("means", "each", "pooled"):
        ranks = (
            means.ranks
            if name == "means"
            else frame[name].round(DECIMALS).rank(ascending=False, method="min").astype("Int64")
        )
        frame.insert(frame.columns.get_loc(name) + 1, f"{name}_rank", ranks)
    frame["gap"] = (pooled / each.reindex(index=pooled.index)).mean()
    frame["efficient_on"] = (efficient == True).sum().reindex(frame.index)  # noqa: E712
    frame["datasets"] = each.notna().sum().reindex(frame.index)
    frame.index.name = "classifier"
    return frame.replace([np.inf], np.nan), tuple(notes)
