"""From counts to what a study is for: metrics, group means, efficiencies two ways, tests,
recommendations.

Everything starts from a long table of counts (dataset, classifier, tp, fn, fp, tn; a row per fold
or pooled) and one of facts (index dataset; type, imbalance_ratio), so that results from elsewhere
are summarised as a study's own. Positive = minority throughout, and folds are pooled: one confusion
matrix per data set and classifier."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from deabench.errors import DataError, DataWarning, SolveError
from deabench.models import ModelName
from deabench.models.options import resolve_options
from deabench.results.model import Model

CELLS = ["tp", "fn", "fp", "tn"]
ALL = ("all", "all data sets")
"""The grouping and group that hold every data set."""


@dataclass(frozen=True)
class Settings:
    """What a summary is asked for.

    Attributes
    ----------
    outputs, inputs
        As for `deabench.rank`; each a metric of `deabench.metrics`.
    model : str or Model
        As for `deabench.rank`.
    panels : mapping of name to classifiers
        Who is ranked with whom, as the paper ranks the C4.5 methods and the SVM methods apart.
    families : mapping of classifier to family
        For the tables by approach; a classifier without one is left out of them.
    mixed : {"each", "drop"}
        Whether a data set with several types counts in each of their groups or in none.
    ratios : sequence of float
        Where one group of imbalance ratios ends and the next begins.
    lower : mapping of metric to its greatest value
        Outputs that are better low.
    """

    outputs: Sequence[str]
    panels: Mapping[str, Sequence[str]]
    families: Mapping[str, str] = field(default_factory=dict)
    inputs: Sequence[str] = ()
    model: ModelName | Model = "wei"
    mixed: str = "each"
    ratios: Sequence[float] = (10, 30)
    lower: Mapping[str, float] = field(default_factory=dict)

    @property
    def low(self) -> bool:
        """Whether 0 is best: the model gives inefficiencies."""
        return resolve_options(self.model).measure == "inefficiency"


def pooled_metrics(counts: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    """Metrics of the folds' pooled confusion matrix.

    Returns
    -------
    DataFrame
        Index (dataset, classifier), in order of first appearance; one column per metric, each in
        [0, 1] but for those of `deabench.metrics` that say otherwise.
    """
    from deabench.metrics import from_counts

    pooled = counts.groupby(["dataset", "classifier"], sort=False)[CELLS].sum()
    return from_counts(pooled, metrics=list(dict.fromkeys(metrics)))


def membership(facts: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """Which data set is in which group.

    Returns
    -------
    DataFrame
        grouping ("all", "type", "imbalance ratio", "type and ratio"), group, dataset; one row per
        pair.
    """
    rows = [(*ALL, name) for name in facts.index]
    for name, fact in facts.iterrows():
        labels = [label for label in str(fact["type"] or "").split(";") if label]
        labels = labels if settings.mixed == "each" or len(labels) == 1 else []
        ratio = ratio_group(float(fact["imbalance_ratio"]), settings.ratios)
        rows += [("type", label, name) for label in labels]
        rows += [("imbalance ratio", ratio, name)] if ratio else []
        rows += [("type and ratio", f"{label}, {ratio}", name) for label in labels if ratio]
    frame = pd.DataFrame(rows, columns=["grouping", "group", "dataset"])
    return frame.sort_values("grouping", kind="stable", key=lambda c: c.map(_ORDER)).reset_index(
        drop=True
    )


_ORDER = {"all": 0, "type": 1, "imbalance ratio": 2, "type and ratio": 3}


def ratio_group(ratio: float, edges: Sequence[float]) -> str:
    """`IR < 10`, `10 <= IR < 30`, `IR >= 30`; "" where there is no ratio or there are no edges."""
    if not len(edges) or np.isnan(ratio):
        return ""
    place = int(np.searchsorted(edges, ratio, side="right"))
    if place == 0:
        return f"IR < {edges[0]:g}"
    if place == len(edges):
        return f"IR >= {edges[-1]:g}"
    return f"{edges[place - 1]:g} <= IR < {edges[place]:g}"


def group_means(metrics: pd.DataFrame, groups: pd.DataFrame) -> pd.DataFrame:
    """The mean of each metric over the data sets of a group.

    Returns
    -------
    DataFrame
        Index (grouping, group, classifier); the metrics, and `datasets`, how many were averaged. A
        data set on which a metric is undefined is left out of that metric's mean.
    """
    long = groups.merge(metrics.reset_index(), on="dataset")
    keys = ["grouping", "group", "classifier"]
    means = long.groupby(keys, sort=False)[list(metrics.columns)].mean()
    means["datasets"] = long.groupby(keys, sort=False).size()
    return means


def efficiencies(table: pd.DataFrame, settings: Settings, where: str = "") -> pd.Series:
    """`deabench.rank` with the study's settings.

    A table that cannot be ranked (an input of 0 makes a quotient infinite) is NaN throughout, with
    its reason in `attrs["notes"]`: one data set must not cost the study its summary. Warnings of
    weak data (correlated metrics, few classifiers) hold for every table of a study alike and are
    not repeated."""
    from deabench.analysis.ranking import rank

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        try:
            scores = rank(
                table,
                outputs=list(settings.outputs),
                inputs=list(settings.inputs) or None,
                lower_is_better=dict(settings.lower),
                model=settings.model,
            ).scores
        except (DataError, SolveError) as error:
            scores = pd.Series(np.nan, index=table.index)
            scores.attrs["notes"] = (f"{where or 'the table'} has no efficiencies: {error}",)
    return scores


def per_dataset(metrics: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """Efficiency of every classifier within its panel on every data set.

    Returns
    -------
    DataFrame
        Index (panel, dataset, classifier), column efficiency: 1 on the data set's own frontier;
        `attrs["notes"]` tells of the data sets that could not be ranked (NaN).
    """
    parts, notes = {}, []
    for panel, members in settings.panels.items():
        for name, table in metrics.groupby(level="dataset", sort=False):
            one = table.droplevel("dataset")
            chosen = one.loc[[member for member in members if member in one.index]]
            if len(chosen):
                scores = efficiencies(chosen, settings, f"data set '{name}' (panel {panel})")
                notes += scores.attrs.pop("notes", ())
                parts[panel, name] = scores
    frame = (
        pd.concat(parts, names=["panel", "dataset", "classifier"]).rename("efficiency").to_frame()
    )
    frame.attrs["notes"] = tuple(notes)
    return frame


def two_ways(
    means: pd.DataFrame, single: pd.DataFrame, groups: pd.DataFrame, settings: Settings
) -> pd.DataFrame:
    """DEA of the averages (the paper's way) beside the average of the DEAs, with IBA where it is
    among the metrics.

    Returns
    -------
    DataFrame
        Index (grouping, group, panel, classifier); average_then_dea, dea_then_average, their ranks,
        IBA and its rank, datasets.
    """
    parts = {}
    joined = groups.merge(single.reset_index(), on="dataset")
    after = joined.groupby(["grouping", "group", "panel", "classifier"], sort=False)[
        "efficiency"
    ].mean()
    for (grouping, group), table in means.groupby(level=["grouping", "group"], sort=False):
        one = table.droplevel(["grouping", "group"])
        for panel, members in settings.panels.items():
            chosen = one.loc[[member for member in members if member in one.index]]
            if not len(chosen):
                continue
            frame = pd.DataFrame(
                {
                    "average_then_dea": efficiencies(chosen, settings),
                    "dea_then_average": after.loc[grouping, group, panel].reindex(chosen.index),
                }
            )
            if "IBA" in chosen:
                frame["IBA"] = chosen["IBA"]
            ranks = {
                f"rank_{name}": ranked(frame[name], low=settings.low and name != "IBA")
                for name in frame
            }
            parts[grouping, group, panel] = frame.assign(**ranks, datasets=chosen["datasets"])
    return pd.concat(parts, names=["grouping", "group", "panel", "classifier"])


def ranked(scores: pd.Series, *, low: bool = False) -> pd.Series:
    """1 is best, the lowest score where `low`; scores that agree to 9 decimals share the best of
    their ranks.
    """
    return scores.round(9).rank(ascending=low, method="min").astype("Int64")


def by_family(metrics: pd.DataFrame, groups: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """Families of approaches as DMUs, as in the paper's Table 13: metrics averaged over a family's
    classifiers.

    Returns
    -------
    DataFrame
        Index (grouping, group, panel="families", family); as `two_ways`.
    """
    named = metrics.reset_index()
    named["classifier"] = named["classifier"].map(settings.families)
    named = named.dropna(subset=["classifier"])
    if named.empty:
        raise DataError("no classifier has a family; name families in [groups.families]")
    averaged = named.groupby(["dataset", "classifier"], sort=False).mean()
    families = list(dict.fromkeys(settings.families.values()))
    alone = Settings(**{**vars(settings), "panels": {"families": families}})
    return two_ways(group_means(averaged, groups), per_dataset(averaged, alone), groups, alone)


def recommendation(
    families: pd.DataFrame, *, close: float = 0.005, low: bool = False
) -> pd.DataFrame:
    """The paper's Table 22 from the study's own results: for each type and ratio, the family to
    use.

    A family is recommended where the mean of its per-data-set efficiencies is the highest
    (inefficiencies, the lowest: `low`), or within `close` of it. (The efficiency of the averages,
    the paper's way, puts several of six families at 1; it is listed beside.)

    Returns
    -------
    DataFrame
        Index (imbalance_ratio, type); recommended, efficiency, efficient_on_average (families whose
        averages lie on the frontier), highest_iba, datasets.
    """
    rows = {}
    for group, table in families.loc[["type and ratio"]].groupby(level="group", sort=False):
        one = table.droplevel(["grouping", "group", "panel"])
        label, _, ratio = str(group).partition(", ")
        sign = -1.0 if low else 1.0
        means = sign * one["dea_then_average"]
        best = means.max()
        rows[ratio, label] = {
            "recommended": ", ".join(one.index[means >= best - close]),
            "efficiency": sign * best,
            "efficient_on_average": ", ".join(
                one.index[sign * one["average_then_dea"] >= (0.0 if low else 1.0) - 1e-9]
            ),
            "highest_iba": one["IBA"].idxmax() if "IBA" in one else "",
            "datasets": int(one["datasets"].max()),
        }
    frame = pd.DataFrame.from_dict(rows, orient="index").rename_axis(["imbalance_ratio", "type"])
    return frame.sort_index(level=0, sort_remaining=True, key=_by_size)


def _by_size(level: pd.Index) -> pd.Index:
    if level.name != "imbalance_ratio":
        return level
    places = {"IR <": -1.0, "IR >": np.inf}
    return level.map(
        lambda text: places[text[:4]] if text[:4] in places else float(text.split()[0])
    )
