"""Summarize studies in sentences: status, results, recommendations, verification of the store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from deabench.errors import DataError
from deabench.report.text.words import count_noun, is_or_are
from deabench.study.results.aggregate import ALL_DATASETS
from deabench.study.results.maintenance import StoreVerification
from deabench.study.results.status import StudyStatus
from deabench.study.results.summary import StudySummary
from deabench.utils.checks import did_you_mean
from deabench.utils.text import quote_names

if TYPE_CHECKING:
    from deabench.study.recommend import Recommendation

DATA_TYPES = {"SD": "disjunct", "OD": "overlapping", "ND": "noisy"}


def summarize_study_status(result: StudyStatus) -> str:
    """Name failures first, then how many tasks are done and missing."""
    sentence = f"{describe_failures(result)}; {result.done} of {result.total} tasks are done"
    if result.missing:
        sentence += f", {result.missing} are missing"
    return sentence


def describe_failures(result: StudyStatus) -> str:
    """Return failures by classifier, as `5 of 75 tasks failed: tree timeout 3, net failed 2`."""
    if not result.failed:
        return "no task failed"
    failures = ", ".join(
        f"{classifier} {status} {tasks}" for (classifier, status), tasks in result.failures.items()
    )
    return f"{result.failed} of {result.total} tasks failed: {failures}"


def summarize_study_summary(result: StudySummary) -> str:
    """Name failures first, then the classifier that leads each panel over all data sets."""
    sentences = []
    if len(result.failures):
        sentences.append(f"{len(result.failures)} tasks failed")
    if result.left_out:
        sentences.append(f"{len(result.left_out)} pairs of data set and classifier are left out")
    sentences += _describe_targets(result)
    if result.pivot is not None:
        sentences += _describe_pivot(result.pivot, result.measure)
    # A study may rank several panels; each has a leader.
    over_all = result.efficiency.xs(ALL_DATASETS, level=("grouping", "group"))
    for panel, table in over_all.groupby(level="panel", sort=False):
        rows = table.droplevel("panel")
        scope = ""
        if panel != "all":
            scope = f" of panel '{panel}'"
        over = count_noun(int(rows["datasets"].max()), "data set")
        sentences += _describe_leader(
            rows["dea_then_average"], result.measure, scope, over, result.constant
        )
        sentences += _describe_verdicts(result, str(panel))
    missed = list(dict.fromkeys(result.below_floors.index.get_level_values(0)))
    if missed:
        sentences.append(f"{quote_names(missed)} {is_or_are(len(missed))} below a floor")
    return "; ".join(sentences)


def _describe_leader(
    scores: pd.Series, measure: str, scope: str, over: str, constant: Sequence[str] = ()
) -> list[str]:
    """Name the best of those that are better than a constant answer, and those that are not."""
    scores = scores.dropna()
    if not len(scores):
        return []
    as_constant = [name for name in constant if name in scores.index]
    candidates = scores.drop(as_constant)
    if not len(candidates):
        return [f"no classifier{scope} is better than to answer with the same class always"]
    # An inefficiency is best where it is low.
    best = candidates.idxmax()
    extreme = "highest"
    if measure == "inefficiency":
        best = candidates.idxmin()
        extreme = "lowest"
    sentence = f"'{best}' has the {extreme} mean {measure}{scope}, {scores[best]:.3f} over {over}"
    if not as_constant:
        return [sentence]
    values = ", ".join(f"{scores[name]:.3f}" for name in as_constant)
    return [
        f"{sentence}, among those that are better than to answer with the same class always; "
        f"{quote_names(as_constant)} ({values}) {is_or_are(len(as_constant))} not"
    ]


def _describe_targets(result: StudySummary) -> list[str]:
    """Say where the tested classifiers lie beside the frontier of the reference."""
    if result.targets is None:
        return []
    sentences = []
    for name, table in result.targets.groupby(level="classifier", sort=False):
        inside = int((table["position"] == "inside").sum())
        over = count_noun(len(table), "data set")
        sentences.append(
            f"'{name}' lies inside the frontier of the reference on {inside} of {over}"
        )
    return sentences


def _describe_pivot(pivot: pd.DataFrame, measure: str) -> list[str]:
    """Name the leader where the DMUs are not the classifiers."""
    sources = pivot.index.names[0]
    source_noun = "data set" if sources == "dataset" else "classifier"
    over = count_noun(pivot.index.get_level_values(0).nunique(), source_noun)
    means = pivot["efficiency"].groupby(level="dmu", sort=False).mean()
    noun = "" if sources == "dataset" else " of the data sets"
    return _describe_leader(means, measure, noun, over)


def _describe_verdicts(result: StudySummary, panel: str) -> list[str]:
    """Return how many classifiers of a panel are dominated, and how many could be first."""
    verdicts = result.verdicts
    if verdicts is None or panel not in verdicts.index.get_level_values("panel"):
        return []
    rows = verdicts.loc[panel]
    dominated = int((rows["verdict"] == "dominated").sum())
    first = int((rows["best_rank"] == 1).sum())
    return [f"{dominated} of {len(rows)} are shown to be dominated, and {first} could be first"]


def summarize_store_verification(result: StoreVerification) -> str:
    """Say how many results are damaged, and whether the file itself is."""
    if result.sound:
        return f"{result.rows} results are as they were written"
    structure = ""
    if result.structure:
        structure = f"; the file itself is damaged: {result.structure}"
    return (
        f"{len(result.damaged)} results are damaged, {result.rows} are as they were written"
        f"{structure}"
    )


def summarize_recommendation(advice: Recommendation) -> str:
    """Say what kind of data these are, which classifiers to try, and what that rests on."""
    facts = advice.facts
    sentences = [
        f"The data are {DATA_TYPES[facts['type']]} ({facts['type']}): of the minority "
        f"{facts['safe']:.0%} of the rows are safe, {facts['borderline']:.0%} borderline, "
        f"{facts['rare']:.0%} rare and {facts['outlier']:.0%} outliers; the imbalance ratio is "
        f"{facts['imbalance_ratio']:.3g}"
    ]
    named = quote_names(advice.names)
    if advice.promised:
        subject = named if advice.needed == 1 else f"one of {named}"
        sentences.append(
            f"With a probability of {advice.level:.0%} {subject} is efficient in TPR and TNR "
            f"among the {len(advice.table)} classifiers of '{advice.study}'"
        )
        if advice.drawn:
            sentences.append(
                f"{advice.needed} names were drawn from a hash of the data, and the probability "
                "holds on average over the draws; without the draw it is "
                f"{advice.needed_conservative} (conservative)"
            )
    else:
        sentences.append(f"'{advice.study}' is too small to leave out any of its classifiers")
    sentences.append(f"Table 22 of Chao et al. (2022) recommends {advice.paper}")
    if advice.outside:
        sentences.append(
            "The data lie outside what the study knows, and the probability does not hold: "
            + "; ".join(advice.outside)
        )
    return ". ".join(sentences) + "."


def explain_recommendation(advice: Recommendation, name: Any) -> str:
    """Say what speaks for one classifier.

    Raises
    ------
    DataError
        If the study has no such classifier.
    """
    if name not in advice.table.index:
        hint = did_you_mean(name, list(advice.table.index))
        raise DataError(f"there is no classifier '{name}'; {hint}")
    row = advice.table.loc[name]
    near = quote_names(advice.similar.index[:3])
    return (
        f"'{name}' is {row['reason']}, most of all {near}. Expect a TPR of {row['TPR']:.2f}, a TNR "
        f"of {row['TNR']:.2f} and an efficiency of {row['efficiency']:.3f}; on a new file it is at "
        f"least {row['lower']:.3f} with a probability of {advice.level:.0%}."
    )
