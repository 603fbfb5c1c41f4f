"""From metrics to recommendations: groups of data sets, means, efficiencies two ways, targets.

Everything starts from a table of metrics (dataset, classifier) and one of facts (index dataset;
type, imbalance_ratio), so that results from elsewhere are summarised as a study's own. Positive =
minority throughout, and folds are pooled: one confusion matrix per data set and classifier.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from deabench.analysis.ranking import rank_completely
from deabench.analysis.targets import targets
from deabench.errors import DataError, DataWarning, SolveError
from deabench.models import ModelName
from deabench.models.options import resolve_options
from deabench.results.model import Model, Norm
from deabench.study.results.metrics import StudyMetrics
from deabench.tables.read import read

ALL_DATASETS = ("all", "all data sets")
"""The grouping and group that hold every data set."""
GROUPING_ORDER = {"all": 0, "type": 1, "imbalance ratio": 2, "type and ratio": 3}
GROUP = ["grouping", "group"]


@dataclass(frozen=True)
class SummarySettings:
    """The settings of a summary.

    Attributes
    ----------
    outputs, inputs
        As for `deabench.rank`; each a metric of the study.
    model : str or Model
        As for `deabench.rank`.
    panels : mapping of name to classifiers
        Which classifiers are ranked together: the paper ranks the C4.5 methods and the SVM methods
        apart.
    families : mapping of classifier to family
        For the tables by approach; a classifier without one is left out of them.
    mixed : {"each", "drop"}
        Whether a data set with several types counts in each of their groups or in none.
    ratio_edges : sequence of float
        Where one group of imbalance ratios ends and the next begins.
    complemented : mapping of metric to its greatest value
        Outputs that are better low.
    """

    outputs: Sequence[str]
    panels: Mapping[str, Sequence[str]]
    families: Mapping[str, str] = field(default_factory=dict)
    inputs: Sequence[str] = ()
    model: ModelName | Model = "wei"
    mixed: str = "each"
    ratio_edges: Sequence[float] = (10, 30)
    complemented: Mapping[str, float] = field(default_factory=dict)

    @property
    def lower_is_best(self) -> bool:
        """Whether 0 is best: the model gives inefficiencies."""
        return resolve_options(self.model).measure == "inefficiency"


def group_datasets(facts: pd.DataFrame, settings: SummarySettings) -> pd.DataFrame:
    """Return which data set is in which group.

    Returns
    -------
    DataFrame
        grouping ("all", "type", "imbalance ratio", "type and ratio"), group, dataset; one row per
        pair.
    """
    # every data set belongs to the group of all
    rows = [(*ALL_DATASETS, name) for name in facts.index]
    for name, fact in facts.iterrows():
        # a data set of mixed type has several labels
        labels = [label for label in str(fact["type"] or "").split(";") if label]
        if settings.mixed == "drop" and len(labels) > 1:
            labels = []
        ratio = ratio_group(float(fact["imbalance_ratio"]), settings.ratio_edges)
        rows += [("type", label, name) for label in labels]
        if ratio:
            rows.append(("imbalance ratio", ratio, name))
            rows += [("type and ratio", f"{label}, {ratio}", name) for label in labels]
    frame = pd.DataFrame(rows, columns=[*GROUP, "dataset"])
    # a stable sort keeps the data sets' order within a group
    order = frame["grouping"].map(GROUPING_ORDER).sort_values(kind="stable").index
    return frame.loc[order].reset_index(drop=True)


def ratio_group(ratio: float, edges: Sequence[float]) -> str:
    """Return `IR < 10`, `10 <= IR < 30` or `IR >= 30`; "" without a ratio or edges."""
    if not len(edges) or np.isnan(ratio):
        return ""
    # an edge belongs to the group above it
    position = int(np.searchsorted(edges, ratio, side="right"))
    if position == 0:
        return f"IR < {edges[0]:g}"
    if position == len(edges):
        return f"IR >= {edges[-1]:g}"
    return f"{edges[position - 1]:g} <= IR < {edges[position]:g}"


def group_means(metrics: pd.DataFrame, groups: pd.DataFrame) -> pd.DataFrame:
    """Return the mean of each metric over the data sets of a group.

    Returns
    -------
    DataFrame
        Index (grouping, group, classifier); the metrics, and `datasets`, how many were averaged. A
        data set on which a metric is undefined is left out of that metric's mean.
    """
    # a data set is repeated for each group that it is in
    by_classifier = groups.merge(metrics.reset_index(), on="dataset").groupby(
        [*GROUP, "classifier"], sort=False
    )
    means = by_classifier[list(metrics.columns)].mean()
    means["datasets"] = by_classifier.size()
    return means


def constant_classifiers(metrics: pd.DataFrame, counts: pd.DataFrame) -> tuple[str, ...]:
    """Return the classifiers that are no better than to answer with the same class always.

    Any constant answer has the balanced accuracy 1 / k with k classes. A classifier is no better
    where its own, less 1 / k, is 0 or less on average over the data sets.
    """
    classes = counts.groupby("dataset")["confusion"].agg(
        lambda cells: max(2, round(len(cells.iloc[0]) ** 0.5))
    )
    datasets = metrics.index.get_level_values("dataset")
    gain = metrics["balanced_accuracy"] - 1 / datasets.map(classes)
    means = gain.groupby(level="classifier", sort=False).mean()
    # rounding of thirds and tenths is no gain
    return tuple(means.index[means <= 1e-12])


def classifiers_below_floors(
    metrics: pd.DataFrame, floors: Mapping[str, float], study_metrics: StudyMetrics
) -> pd.DataFrame:
    """Return who misses a floor on average over the data sets; a metric that is NaN misses it.

    Returns
    -------
    DataFrame
        Index (classifier, metric): value, floor; the nearest to its floor first.
    """
    means = metrics.groupby(level="classifier", sort=False).mean()
    rows = []
    for name, floor in floors.items():
        sign = -1 if study_metrics.better(name) == "lower" else 1
        for classifier, value in means[name].items():
            if not sign * value >= sign * floor - 1e-12:
                rows.append((classifier, name, value, floor, sign * (floor - value)))
    columns = ["classifier", "metric", "value", "floor", "gap"]
    frame = pd.DataFrame(rows, columns=columns).sort_values("gap", kind="stable")
    return frame.set_index(["classifier", "metric"]).drop(columns="gap")


def efficiencies(table: pd.DataFrame, settings: SummarySettings, table_name: str = "") -> pd.Series:
    """Return the scores of `deabench.rank` with the study's settings.

    A table that cannot be ranked (an input of 0 makes a quotient infinite) is NaN throughout, with
    its reason in `attrs["notes"]`: one data set must not cost the study its summary. Warnings of
    weak data (correlated metrics, few classifiers) hold for every table of a study alike and are
    not repeated.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        try:
            return rank_completely(
                read(table, lower_is_better=dict(settings.complemented)),
                outputs=list(settings.outputs),
                inputs=list(settings.inputs) or None,
                model=settings.model,
            ).scores
        except (DataError, SolveError) as error:
            scores = pd.Series(np.nan, index=table.index)
            scores.attrs["notes"] = (f"{table_name or 'the table'} has no efficiencies: {error}",)
            return scores


def _rows_of_panel(table: pd.DataFrame, members: Sequence[str]) -> pd.DataFrame:
    return table.loc[[member for member in members if member in table.index]]


def efficiencies_per_dataset(metrics: pd.DataFrame, settings: SummarySettings) -> pd.DataFrame:
    """Return the efficiency of every classifier within its panel on every data set.

    Returns
    -------
    DataFrame
        Index (panel, dataset, classifier), column efficiency: 1 on the data set's own frontier;
        `attrs["notes"]` names the data sets that could not be ranked (NaN).
    """
    tables = {}
    notes: list[str] = []
    for panel, members in settings.panels.items():
        for name, table in metrics.groupby(level="dataset", sort=False):
            rows = _rows_of_panel(table.droplevel("dataset"), members)
            if len(rows):
                scores = efficiencies(rows, settings, f"data set '{name}' (panel {panel})")
                notes += scores.attrs.pop("notes", ())
                tables[panel, name] = scores
    scores = pd.concat(tables, names=["panel", "dataset", "classifier"])
    frame = scores.rename("efficiency").to_frame()
    frame.attrs["notes"] = tuple(notes)
    return frame


def efficiencies_two_ways(
    means: pd.DataFrame,
    per_dataset: pd.DataFrame,
    groups: pd.DataFrame,
    settings: SummarySettings,
) -> pd.DataFrame:
    """Return the DEA of the averages (the paper's way) beside the average of the DEAs.

    Returns
    -------
    DataFrame
        Index (grouping, group, panel, classifier); average_then_dea, dea_then_average, IBA where it
        is among the metrics, their ranks, datasets.
    """
    # the average of the DEAs
    averages = (
        groups.merge(per_dataset.reset_index(), on="dataset")
        .groupby([*GROUP, "panel", "classifier"], sort=False)["efficiency"]
        .mean()
    )
    # the DEA of the averages, panel by panel
    tables = {}
    for (grouping, group), table in means.groupby(level=GROUP, sort=False):
        for panel, members in settings.panels.items():
            rows = _rows_of_panel(table.droplevel(GROUP), members)
            if not len(rows):
                continue
            average = averages.loc[grouping, group, panel].reindex(rows.index)
            scores = {
                "average_then_dea": efficiencies(rows, settings),
                # the IBA is no efficiency: it is listed to compare with
                "dea_then_average": average,
            }
            if "IBA" in rows:
                scores["IBA"] = rows["IBA"]
            frame = pd.DataFrame(scores)
            for name in scores:
                ascending = settings.lower_is_best and name != "IBA"
                frame[f"rank_{name}"] = rank_scores(frame[name], ascending=ascending)
            tables[grouping, group, panel] = frame.assign(datasets=rows["datasets"])
    return pd.concat(tables, names=[*GROUP, "panel", "classifier"])


def rank_scores(scores: pd.Series, *, ascending: bool = False) -> pd.Series:
    """Return ranks, 1 is best; scores that agree to 9 decimals share the best of their ranks."""
    return scores.round(9).rank(ascending=ascending, method="min").astype("Int64")


def efficiencies_by_family(
    metrics: pd.DataFrame, groups: pd.DataFrame, settings: SummarySettings
) -> pd.DataFrame:
    """Return the efficiencies of families of approaches as DMUs, as in the paper's Table 13.

    Metrics are averaged over a family's classifiers.

    Returns
    -------
    DataFrame
        Index (grouping, group, panel="families", family); as `efficiencies_two_ways`.
    """
    rows = metrics.reset_index()
    rows["classifier"] = rows["classifier"].map(settings.families)
    # classifiers without a family take no part
    rows = rows.dropna(subset=["classifier"])
    if rows.empty:
        raise DataError("no classifier has a family; name families in [groups.families]")
    averaged = rows.groupby(["dataset", "classifier"], sort=False).mean()
    # families take the place of classifiers, in one panel
    families = list(dict.fromkeys(settings.families.values()))
    settings = replace(settings, panels={"families": families})
    per_dataset = efficiencies_per_dataset(averaged, settings)
    return efficiencies_two_ways(group_means(averaged, groups), per_dataset, groups, settings)


def recommend_families(
    families: pd.DataFrame, *, close: float = 0.005, lower_is_best: bool = False
) -> pd.DataFrame:
    """Return the paper's Table 22 from the study's results: the family to use by type and ratio.

    A family is recommended where the mean of its per-data-set efficiencies is the highest
    (inefficiencies, the lowest), or within `close` of it. (The efficiency of the averages, the
    paper's way, puts several of six families at 1; it is listed beside.)

    Returns
    -------
    DataFrame
        Index (imbalance_ratio, type); recommended, efficiency, efficient_on_average (families whose
        averages lie on the frontier), highest_iba, datasets.
    """
    sign = -1.0 if lower_is_best else 1.0
    frontier = 0.0 if lower_is_best else 1.0
    rows = {}
    for group, table in families.loc[["type and ratio"]].groupby(level="group", sort=False):
        scores = table.droplevel([*GROUP, "panel"])
        # the group's name is "type, ratio"
        label, _, ratio = str(group).partition(", ")
        # 1 is best after the change of sign, whatever the model
        means = sign * scores["dea_then_average"]
        efficient = sign * scores["average_then_dea"] >= frontier - 1e-9
        rows[ratio, label] = {
            "recommended": ", ".join(scores.index[means >= means.max() - close]),
            "efficiency": sign * means.max(),
            "efficient_on_average": ", ".join(scores.index[efficient]),
            "highest_iba": scores["IBA"].idxmax() if "IBA" in scores else "",
            "datasets": int(scores["datasets"].max()),
        }
    frame = pd.DataFrame.from_dict(rows, orient="index").rename_axis(["imbalance_ratio", "type"])
    return frame.sort_index(level=0, sort_remaining=True, key=_order_ratio_groups)


def _order_ratio_groups(level: pd.Index) -> pd.Index:
    """Return sort keys of groups of ratios: the lower edge of each."""
    # groups without a lower or an upper edge stand first and last
    outer = {"IR <": -1.0, "IR >": np.inf}
    return level.map(lambda text: outer[text[:4]] if text[:4] in outer else float(text.split()[0]))


def efficiencies_of_other_dmus(
    metrics: pd.DataFrame, settings: SummarySettings, dmus: str
) -> pd.DataFrame:
    """Return efficiencies where the DMUs are not the classifiers.

    Parameters
    ----------
    dmus : {"datasets", "after @"}
        "datasets": each data set is a DMU, for each classifier (the paper's Table 21). "after @":
        what stands after the @ of a classifier's name is the DMU, and each thing before it is an
        output (Table 17: `chi2@200`).

    Returns
    -------
    DataFrame
        Index (classifier or dataset, dmu): the outputs and `efficiency`.
    """
    tables = {}
    if dmus == "datasets":
        for classifier, table in metrics.groupby(level="classifier", sort=False):
            rows = table.droplevel("classifier")[[*settings.outputs, *settings.inputs]]
            tables[classifier] = rows.assign(efficiency=efficiencies(rows, settings))
        return pd.concat(tables, names=["classifier", "dmu"])
    for dataset, table in metrics.groupby(level="dataset", sort=False):
        rows = split_names_at(table.droplevel("dataset")[list(settings.outputs)])
        scores = efficiencies(rows, SummarySettings(list(rows.columns), {}))
        tables[dataset] = rows.assign(efficiency=scores)
    return pd.concat(tables, names=["dataset", "dmu"])


def split_names_at(table: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each name after the @ and a column for each name before it.

    `chi2@200` (classifier) x metric becomes 200 x chi2.
    """
    for name in table.index:
        if "@" not in str(name):
            raise DataError(
                f"classifier '{name}' has no @ in its name; dmus = \"after @\" needs names as "
                "'chi2@200'"
            )
    # only the first @ separates
    before, after = zip(*(str(name).split("@", 1) for name in table.index), strict=True)
    # in the order of first appearance, not sorted
    stacked = table.set_axis(pd.MultiIndex.from_arrays([after, before]))
    wide = stacked.unstack().loc[list(dict.fromkeys(after))]
    wide = wide[[(metric, name) for metric in table.columns for name in dict.fromkeys(before)]]
    single = len(table.columns) == 1
    wide.columns = [name if single else f"{metric} {name}" for metric, name in wide.columns]
    return wide


def targets_per_dataset(
    metrics: pd.DataFrame,
    tested: Sequence[str],
    reference: Sequence[str],
    *,
    outputs: Sequence[str],
    norm: Norm = "l1",
    complemented: Mapping[str, float] | None = None,
) -> pd.DataFrame:
    """Return targets of tested classifiers on every data set's frontier of the reference.

    These are the paper's Tables 14 and 15.

    Returns
    -------
    DataFrame
        Index (dataset, classifier); for each output its actual value, target_ and gap_ value;
        position (inside, on, outside) and distance in the norm.
    """
    tables = {}
    for dataset, table in metrics.groupby(level="dataset", sort=False):
        rows = table.droplevel("dataset")[list(outputs)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            result = targets(
                rows.loc[list(tested)],
                read(rows.loc[list(reference)], lower_is_better=dict(complemented or {})),
                outputs=list(outputs),
                norm=norm,
            )
        # the user's own values beside targets and gaps
        tables[dataset] = (
            rows.loc[list(tested)]
            .join(result.targets.add_prefix("target_"))
            .join(result.gaps.add_prefix("gap_"))
            .assign(position=result.position, distance=result.distance)
        )
    return pd.concat(tables, names=["dataset", "classifier"])
