"""Summarize studies in sentences: status, results, verification of the store."""

from __future__ import annotations

from deabench.study.results.aggregate import ALL_DATASETS
from deabench.study.results.maintenance import StoreVerification
from deabench.study.results.status import StudyStatus
from deabench.study.results.summary import StudySummary


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
    # A study may rank several panels; each has a leader.
    over_all = result.efficiency.xs(ALL_DATASETS, level=("grouping", "group"))
    for panel, table in over_all.groupby(level="panel", sort=False):
        rows = table.droplevel("panel")
        scores = rows["dea_then_average"].dropna()
        if not len(scores):
            continue
        scope = ""
        if panel != "all":
            scope = f" of panel '{panel}'"
        # An inefficiency is best where it is low.
        best = scores.idxmax()
        extreme = "highest"
        if result.measure == "inefficiency":
            best = scores.idxmin()
            extreme = "lowest"
        sentences.append(
            f"'{best}' has the {extreme} mean {result.measure}{scope}, {scores[best]:.3f} over "
            f"{int(rows['datasets'].max())} data sets"
        )
        sentences += _describe_verdicts(result, str(panel))
    return "; ".join(sentences)


def _describe_verdicts(result: StudySummary, panel: str) -> list[str]:
    """Return how many classifiers of a panel are dominated, and how many could be first."""
    verdicts = result.verdicts
    if verdicts is None or panel not in verdicts.index.get_level_values("panel"):
        return []
    rows = verdicts.loc[panel]
    dominated = int((rows["verdict"] == "dominated").sum())
    first = int((rows["best_rank"] == 1).sum())
    return [f"{dominated} of {len(rows)} are proved dominated, and {first} could be first"]


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
