"""What a study adds to a report: groups, data sets, failures; read from plain frames."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pandas as pd

from deabench.errors import DataError, DataWarning
from deabench.report.document import Page, Picture, Section, Table
from deabench.report.page_data import number
from deabench.study.results.significance import samples_of_datasets, samples_of_folds

if TYPE_CHECKING:
    from deabench.analysis.ranking import Ranking
    from deabench.inference.samples import Samples

GROUPINGS = {
    "type": "by data type",
    "imbalance ratio": "by imbalance ratio",
    "type and ratio": "by data type and imbalance ratio",
}


def overall(summary: Any) -> pd.DataFrame:
    """Mean metrics over all data sets, a row per classifier.

    Raises
    ------
    DataError
        Where the summary has no mean over all data sets.
    """
    means = summary.frames().get("means")
    if means is None or "all" not in means.index.get_level_values("grouping"):
        raise DataError("the study has no means over all data sets; there is nothing to report")
    table = means.loc["all"].droplevel("group")
    return table.drop(columns="datasets", errors="ignore")


def sure(summary: Any, ranking: Ranking) -> tuple[Ranking, list[str]]:
    """The ranking of the means with how sure it is, by the study's data sets or the folds of its
    only one; and what is assumed, or why there are no intervals.
    """
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", DataWarning)
        try:
            samples = _samples(summary.frames(), ranking)
            judged = ranking.with_uncertainty(samples)
        except DataError as error:
            return ranking, [f"No intervals: {error}."]
    said = [*samples.notes, *(str(warning.message) for warning in heard)]
    return judged, [f"Intervals: {text}." for text in dict.fromkeys(said)]


def _samples(frames: dict[str, pd.DataFrame], ranking: Ranking) -> Samples:
    data = ranking.data
    names, metrics = (
        [*map(str, data.outputs.columns), *map(str, data.inputs.columns)],
        frames["metrics"],
    )
    known = list(dict.fromkeys(metrics.index.get_level_values("dataset")))
    if len(known) == 1 and "counts" in frames and not data.transforms:
        return samples_of_folds(frames["counts"], str(known[0]), names)
    mine = metrics[metrics.index.get_level_values("classifier").isin(ranking.scores.index)]
    return samples_of_datasets(
        mine, names, {name: turn.shift for name, turn in data.transforms.items() if turn.sign < 0}
    )


def remarks(summary: Any) -> list[str]:
    """What a reader must know before believing a number."""
    failures, left_out = summary.frames().get("failures"), getattr(summary, "left_out", ())
    said = []
    if failures is not None and len(failures):
        said.append(f"{_tasks(len(failures))} failed; listed under Failures.")
    if left_out:
        named = ", ".join(f"{classifier} on {dataset}" for dataset, classifier in left_out[:8])
        more = f" and {len(left_out) - 8} more" if len(left_out) > 8 else ""
        said.append(f"Left out, because some of their folds are missing: {named}{more}.")
    return said + [
        f"{str(note)[:1].upper()}{str(note)[1:]}." for note in getattr(summary, "notes", ())
    ]


def pages(summary: Any) -> list[Section]:
    """Groups, data sets, recommendation, targets and failures, those that there are."""
    frames = summary.frames()
    parts = [_groups(frames, name) for name in GROUPINGS]
    parts += [
        _families(frames),
        _datasets(frames),
        _more(frames, "targets", "study-targets", "Targets on every data set"),
        _more(frames, "pivot", "pivot", "With other DMUs"),
        _failures(frames),
    ]
    return [part for part in parts if part is not None]


def _groups(frames: dict[str, pd.DataFrame], grouping: str) -> Section | None:
    """A page per group of data sets."""
    from deabench.plot import GroupsDisplay

    efficiency = frames.get("efficiency")
    if efficiency is None or grouping not in efficiency.index.get_level_values("grouping"):
        return None
    key = "groups-" + grouping.replace(" ", "-")
    part = efficiency.loc[grouping]
    found = []
    for k, group in enumerate(dict.fromkeys(part.index.get_level_values("group"))):
        table = part.loc[group].sort_values("dea_then_average", ascending=False, kind="stable")
        found.append(Page(str(group), Table(f"{key}-{k}", f"Efficiencies: {group}", table)))
    display = GroupsDisplay.from_efficiency(efficiency, grouping=grouping)
    how = GROUPINGS[grouping]
    picture = Picture(
        key, display.plot, f"Efficiencies of the classifiers {how}.", f"Efficiency {how}."
    )
    whole = GroupsDisplay.from_efficiency(
        efficiency, grouping=grouping, max_classifiers=len(efficiency)
    ).table
    dots = {
        "groups": [str(name) for name in whole.index],
        "names": [str(name) for name in whole],
        "values": [[number(v) for v in row] for row in whole.to_numpy().tolist()],
    }
    said = [
        "average_then_dea ranks the mean metrics of the group, as the paper does; dea_then_average is the mean of the "
        "efficiencies on each data set."
    ]
    return Section(
        key, f"Efficiency {GROUPINGS[grouping]}", said, pictures=[picture], pages=found, dots=dots
    )


def _families(frames: dict[str, pd.DataFrame]) -> Section | None:
    tables = [
        Table(key, caption, frames[key])
        for key, caption in (
            ("recommendation", "Recommended families"),
            ("families", "Efficiencies of families"),
        )
        if key in frames
    ]
    pictures: list[Picture] = []
    if not tables:
        return None
    return Section(
        "families-of-approaches", "Families of approaches", tables=tables, pictures=pictures
    )


def _datasets(frames: dict[str, pd.DataFrame]) -> Section | None:
    """A page per data set, and what is known of each."""
    metrics, single = frames.get("metrics"), frames.get("per_dataset")
    if metrics is None or single is None:
        return None
    found = []
    scores = single["efficiency"].unstack("panel")
    scores.columns = (
        ["efficiency"]
        if scores.shape[1] == 1
        else [f"efficiency ({panel})" for panel in scores.columns]
    )
    for k, name in enumerate(dict.fromkeys(metrics.index.get_level_values("dataset"))):
        one = metrics.loc[name]
        if name in scores.index.get_level_values("dataset"):
            one = scores.loc[name].reindex(one.index).join(one)
        found.append(Page(str(name), Table(f"dataset-{k}", f"Data set {name}", one)))
    facts = [Table("facts", "Data sets", frames["facts"])] if "facts" in frames else []
    said = ["Metrics of the pooled folds; efficiency 1 is the data set's own frontier."]
    return Section("data-sets", "Data sets", said, facts, pages=found)


def _more(frames: dict[str, pd.DataFrame], name: str, key: str, title: str) -> Section | None:
    return (
        Section(key, title, tables=[Table(f"{key}-table", title, frames[name])])
        if name in frames
        else None
    )


def _failures(frames: dict[str, pd.DataFrame]) -> Section | None:
    failures = frames.get("failures")
    if failures is None:
        return None
    if failures.empty:
        return Section("failures", "Failures", ["No task failed."])
    return Section(
        "failures",
        "Failures",
        [f"{_tasks(len(failures))} failed; what failed is in no table above."],
        [Table("failures-table", "Failed tasks", failures)],
    )


def _tasks(count: int) -> str:
    return "1 task" if count == 1 else f"{count} tasks"
