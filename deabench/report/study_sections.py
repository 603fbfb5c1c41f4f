"""Build the sections of a study: groups, families, data sets, failures; read from plain frames."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pandas as pd

from deabench.errors import DataError, DataWarning
from deabench.report.document import Picture, ReportTable, Section, Subsection
from deabench.report.page_data import json_number
from deabench.report.text.words import as_sentence, count_noun, join_names
from deabench.study.results.significance import samples_of_datasets, samples_of_folds

if TYPE_CHECKING:
    from deabench.inference.samples import Samples
    from deabench.results.ranking import Ranking

GROUPINGS = {
    "type": "by data type",
    "imbalance ratio": "by imbalance ratio",
    "type and ratio": "by data type and imbalance ratio",
}
FRAME_SECTIONS = (
    ("targets", "study-targets", "Targets on every data set"),
    ("pivot", "pivot", "With other DMUs"),
)
"""Frames that are shown as they are: their name, the key of the section and its title."""


def overall_means(summary: Any) -> pd.DataFrame:
    """Return the mean metrics over all data sets, a row per classifier.

    Raises
    ------
    DataError
        If the summary has no mean over all data sets.
    """
    means = summary.frames().get("means")
    if means is None or "all" not in means.index.get_level_values("grouping"):
        raise DataError("the study has no means over all data sets; there is nothing to report")
    table = means.loc["all"].droplevel("group")
    return table.drop(columns="datasets", errors="ignore")


def with_study_uncertainty(summary: Any, ranking: Ranking) -> tuple[Ranking, list[str]]:
    """Add intervals to the ranking of the means, by the data sets or by the folds of the only one.

    Returns
    -------
    ranking : Ranking
    notes : list of str
        What the intervals assume, or why there are none.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        try:
            samples = _study_samples(summary.frames(), ranking)
            ranking = ranking.with_uncertainty(samples)
        except DataError as error:
            return ranking, [f"No intervals: {error}."]
    notes = [*samples.notes, *(str(warning.message) for warning in caught)]
    return ranking, [f"Intervals: {text}." for text in dict.fromkeys(notes)]


def _study_samples(frames: dict[str, pd.DataFrame], ranking: Ranking) -> Samples:
    data = ranking.data
    names = [*map(str, data.outputs.columns), *map(str, data.inputs.columns)]
    metrics = frames["metrics"]
    datasets = metrics.index.get_level_values("dataset").unique()
    # With one data set its folds are the samples; transformed metrics have no counts.
    if len(datasets) == 1 and "counts" in frames and not data.transforms:
        return samples_of_folds(frames["counts"], str(datasets[0]), names)
    is_ranked = metrics.index.get_level_values("classifier").isin(ranking.scores.index)
    # A metric that is better low enters the ranking as its maximum minus its value.
    complemented = {
        name: transform.shift for name, transform in data.transforms.items() if transform.sign < 0
    }
    return samples_of_datasets(metrics[is_ranked], names, complemented)


def study_notes(summary: Any) -> list[str]:
    """Say what a reader must know before believing a number: failures and missing folds."""
    notes = []
    failures = summary.frames().get("failures")
    if failures is not None and len(failures):
        notes.append(f"{count_noun(len(failures), 'task')} failed; listed under Failures.")
    left_out = getattr(summary, "left_out", ())
    if left_out:
        pairs = join_names([f"{classifier} on {dataset}" for dataset, classifier in left_out])
        notes.append(f"Left out, because some of their folds are missing: {pairs}.")
    return [*notes, *(as_sentence(str(note)) for note in getattr(summary, "notes", ()))]


def study_sections(summary: Any) -> list[Section]:
    """Build the sections for which the study has frames."""
    frames = summary.frames()
    sections = [_grouping_section(frames, grouping) for grouping in GROUPINGS]
    sections += [_families_section(frames), _datasets_section(frames)]
    for name, key, title in FRAME_SECTIONS:
        if name in frames:
            tables = [ReportTable(f"{key}-table", title, frames[name])]
            sections.append(Section(key, title, tables=tables))
    sections.append(_failures_section(frames))
    return [section for section in sections if section is not None]


def _grouping_section(frames: dict[str, pd.DataFrame], grouping: str) -> Section | None:
    """Show the efficiencies of each group of data sets."""
    from deabench.plot import GroupsDisplay

    efficiency = frames.get("efficiency")
    if efficiency is None or grouping not in efficiency.index.get_level_values("grouping"):
        return None
    key = "groups-" + grouping.replace(" ", "-")
    by_group = efficiency.loc[grouping]
    subsections = []
    for k, group in enumerate(by_group.index.get_level_values("group").unique()):
        # A stable sort keeps the order of the study between equal scores.
        table = by_group.loc[group].sort_values("dea_then_average", ascending=False, kind="stable")
        caption = f"Efficiencies: {group}"
        subsections.append(Subsection(str(group), ReportTable(f"{key}-{k}", caption, table)))
    display = GroupsDisplay.from_efficiency(efficiency, grouping=grouping)
    description = GROUPINGS[grouping]
    picture = Picture(
        key,
        display.plot,
        f"Efficiencies of the classifiers {description}.",
        f"Efficiency {description}.",
    )
    # The page can show every classifier, the picture only the best.
    all_groups = GroupsDisplay.from_efficiency(
        efficiency, grouping=grouping, max_classifiers=len(efficiency)
    )
    dots = {
        "groups": [str(name) for name in all_groups.table.index],
        "names": [str(name) for name in all_groups.table],
        "values": [list(map(json_number, row)) for row in all_groups.table.to_numpy().tolist()],
    }
    sentences = [
        "average_then_dea ranks the mean metrics of the group, as the paper does; dea_then_average "
        "is the mean of the efficiencies on each data set."
    ]
    return Section(
        key,
        f"Efficiency {description}",
        sentences,
        pictures=[picture],
        subsections=subsections,
        dots=dots,
    )


def _families_section(frames: dict[str, pd.DataFrame]) -> Section | None:
    captions = {
        "recommendation": "Recommended families",
        "families": "Efficiencies of families",
    }
    tables = [
        ReportTable(key, caption, frames[key]) for key, caption in captions.items() if key in frames
    ]
    if not tables:
        return None
    return Section("families-of-approaches", "Families of approaches", tables=tables)


def _datasets_section(frames: dict[str, pd.DataFrame]) -> Section | None:
    """Show the metrics and efficiencies on each data set, and what is known of it."""
    if "metrics" not in frames or "per_dataset" not in frames:
        return None
    metrics = frames["metrics"]
    # Without panels the only one needs no name.
    scores = frames["per_dataset"]["efficiency"].unstack("panel")
    if scores.shape[1] == 1:
        scores.columns = ["efficiency"]
    else:
        scores.columns = [f"efficiency ({panel})" for panel in scores.columns]
    scored_datasets = scores.index.get_level_values("dataset")
    subsections = []
    for k, name in enumerate(metrics.index.get_level_values("dataset").unique()):
        table = metrics.loc[name]
        if name in scored_datasets:
            table = scores.loc[name].reindex(table.index).join(table)
        subsections.append(
            Subsection(str(name), ReportTable(f"dataset-{k}", f"Data set {name}", table))
        )
    tables = []
    if "facts" in frames:
        tables = [ReportTable("facts", "Data sets", frames["facts"])]
    sentences = ["Metrics of the pooled folds; efficiency 1 is the data set's own frontier."]
    return Section("data-sets", "Data sets", sentences, tables, subsections=subsections)


def _failures_section(frames: dict[str, pd.DataFrame]) -> Section | None:
    failures = frames.get("failures")
    if failures is None:
        return None
    if failures.empty:
        return Section("failures", "Failures", ["No task failed."])
    sentences = [f"{count_noun(len(failures), 'task')} failed. The tables above leave them out."]
    tables = [ReportTable("failures-table", "Failed tasks", failures)]
    return Section("failures", "Failures", sentences, tables)
