"""Build the sections of a report from its results; None if there is nothing to show."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from deabench import __version__, plot
from deabench.errors import DataError
from deabench.models.options import describe_choices
from deabench.report.document import Picture, ReportTable, Section
from deabench.report.text.words import as_sentence, join_names
from deabench.results.ranking import count_followers, order_by_merit, peers_text
from deabench.tables.transforms import CONSTANT_OUTPUT
from deabench.utils.arrays import TOLERANCE
from deabench.utils.text import csv_text

if TYPE_CHECKING:
    from deabench.report.report_results import ReportResults
    from deabench.results.ranking import Ranking
    from deabench.results.targets import Targets

LIBRARIES = ("numpy", "pandas", "scipy", "pyomo", "highspy", "networkx", "matplotlib")
MAX_FACETS = 500
"""So many facets are listed, those that are efficient throughout first."""
MAX_PEERS = 6
MAX_FACE_NAMES = 4
RESULT_FRAMES = ("pairs", "tests", "table")
"""The attributes in which results of tests hold their main table."""


def notes_section(results: ReportResults) -> Section | None:
    """Show what was guessed, left out or transformed, and which data are weak."""
    notes = _as_sentences(dict.fromkeys([*results.ranking.notes, *results.warnings]))
    if not notes:
        return None
    return Section("notes", "What to know first", notes)


def ranking_section(results: ReportResults) -> Section:
    """Show efficiencies, best first, with metrics and peers."""
    ranking = results.ranking
    frame = ranking.to_frame().loc[order_by_merit(ranking)].rename_axis(results.row_name)
    if results.intervals is not None and "lower" not in frame:
        frame = frame.join(results.intervals[["lower", "upper"]])
    # A metric named as a column of the ranking (such as "efficiency") gets a longer title.
    titles = {}
    for name in results.metrics:
        arrow = "↓" if name in results.lower_is_better else "↑"
        titles[name] = f"{name} {arrow}"
        if name in frame:
            titles[name] = f"{name} (metric) {arrow}"
    frame = frame.join(results.metrics.rename(columns=titles))
    if results.weightings is not None:
        ranges = results.weightings.ranks.loc[frame.index]
        pairs = zip(ranges["best"], ranges["worst"], strict=True)
        texts = [str(best) if best == worst else f"{best}–{worst}" for best, worst in pairs]
        frame["ranks over all weightings"] = texts
    rows = ranking.scores.index.get_indexer(frame.index)
    frame["peers (λ)"] = [peers_text(ranking, row, max_peers=MAX_PEERS) for row in rows]
    if ranking.reasons:
        frame["why no score"] = [ranking.reasons.get(name) for name in frame.index]
    efficient = join_names(frame.index[frame["efficient"]])
    picture = Picture(
        "ranking",
        lambda: plot.RankingDisplay.from_result(ranking, intervals=results.intervals).plot(),
        f"Dot chart of the efficiencies, best first; efficient: {efficient}.",
        "Efficiencies; the same numbers are in the table.",
    )
    sentences = [
        "Efficiency 1 means that no mixture of the others is better in every metric. ↑ marks "
        "metrics that are better when higher, ↓ those that are better when lower. Systems of "
        "equal rank are ordered by how many others are measured against them."
    ]
    if ranking.uncertainty is not None:
        sentences.append(
            "A rule separates tiers: whoever is below it is shown to be worse than somebody above. "
            "The verdict speaks of the true metrics; 'efficient' of these numbers."
        )
    elif results.intervals is None:
        sentences.append(
            "The efficiencies have no intervals here: they are exact for these metrics, and do not "
            "tell how the metrics would vary on other data."
        )
    tables = [ReportTable("ranking-table", "Ranking", frame, "ranking")]
    return Section("ranking", "Ranking", sentences, tables, [picture])


def tested_section(results: ReportResults) -> Section | None:
    """Show position, target and gaps of the tested algorithms."""
    targets = results.tested_targets
    if targets is None:
        return None
    frame = _targets_frame(targets, results.row_name)
    if results.tested_scores is not None:
        frame.insert(0, "efficiency", results.tested_scores)
    caption = "Tested algorithms and their closest targets"
    return Section(
        "tested",
        "What was tested",
        [_explain_targets(targets), *_as_sentences(targets.notes)],
        [ReportTable("tested-table", caption, frame)],
        _tested_pictures(targets),
    )


def _tested_pictures(targets: Targets) -> list[Picture]:
    by_metric = Picture(
        "targets",
        lambda: plot.TargetsDisplay.from_result(targets).plot(),
        "Actual and target of each tested algorithm, by metric.",
        "Actual (triangle) and target (cross) by metric.",
    )
    if targets.targets.shape[1] == 2:
        plane = Picture(
            "tested",
            lambda: plot.FrontierDisplay.from_result(targets).plot(),
            "The frontier, with an arrow from each tested algorithm to its target.",
            "The frontier and the targets.",
        )
        return [plane, by_metric]
    parallel = Picture(
        "parallel",
        lambda: plot.ParallelDisplay.from_result(targets).plot(),
        "Parallel coordinates of actual and target.",
        "Actual and target over all metrics.",
    )
    return [by_metric, parallel]


def targets_section(results: ReportResults) -> Section | None:
    """Show the closest targets of the inefficient classifiers."""
    targets = results.own_targets
    if targets is None:
        if not results.no_facets_reason:
            return None
        return Section("targets", "Targets", [as_sentence(results.no_facets_reason)])
    sentences = [_explain_targets(targets)]
    count = len(targets.targets)
    if count < results.inefficient_count:
        sentences.append(
            f"Listed are the {count} best of {results.inefficient_count} inefficient systems; "
            "the plot gives any other."
        )
    frame = _targets_frame(targets, results.row_name)
    tables = [ReportTable("targets-table", "Closest targets", frame)]
    return Section("targets", "Targets", sentences, tables)


def peers_section(results: ReportResults) -> Section | None:
    """Show which classifiers are benchmarks, and for how many others."""
    ranking = results.ranking
    counts, lam_sums = count_followers(ranking)
    labels = ranking.reference.labels.rename("benchmark")
    frame = pd.DataFrame({"served": counts, "sum of λ": lam_sums}, index=labels)
    frame = frame[frame["served"] > 0]
    frame = frame.sort_values(["served", "sum of λ"], ascending=False, kind="stable")
    if frame.empty:
        return None
    picture = Picture(
        "peers",
        lambda: plot.PeerNetworkDisplay.from_result(ranking).plot(),
        "Network from inefficient systems to their peers; the most used is "
        f"{frame.index[0]}, for {frame['served'].iloc[0]} others.",
        "Peers of the inefficient systems.",
    )
    sentences = [
        "A peer is an efficient system that a less efficient one is measured against; λ is "
        "its share in the mixture."
    ]
    tables = [ReportTable("peers-table", "Benchmarks, most used first", frame)]
    return Section("peers", "Peers", sentences, tables, [picture])


def weights_section(results: ReportResults) -> Section:
    """Show which metrics carry each score."""
    ranking = results.ranking
    weights = ranking.weights.drop(columns=CONSTANT_OUTPUT, errors="ignore")
    frame = weights.loc[order_by_merit(ranking)].rename_axis(results.row_name)
    picture = Picture(
        "weights",
        lambda: plot.WeightsDisplay.from_result(ranking).plot(),
        "Stacked bars: the share of each metric in each score.",
        "Which metrics carry each score.",
    )
    sentences = [
        "The weights show each system in its best light. They are not unique: other weights "
        "may give the same score."
    ]
    caption = "Weights (multipliers), in each metric's own unit"
    tables = [ReportTable("weights-table", caption, frame, "weights")]
    pictures = []
    # A model without weights has an empty frame.
    if frame.shape[1]:
        pictures = [picture]
    return Section("weights", "Weights", sentences, tables, pictures)


def facets_section(results: ReportResults) -> Section | None:
    """Show the facets with their trade-off rates."""
    front = results.frontier
    if front is None:
        return None
    frame = front.facets.drop(columns="offset")
    frame = frame.rename(columns={"full_dimensional": "efficient throughout"})
    for a, b in combinations(front.outputs, 2):
        # A facet that is flat in B gives any amount of it; one that is flat in both has no rate.
        with np.errstate(divide="ignore", invalid="ignore"):
            frame[f"{b} per {a}"] = np.abs(frame[a].to_numpy() / frame[b].to_numpy())
    frame = frame.rename(columns={name: f"weight of {name}" for name in front.outputs})
    frame = frame.sort_values("efficient throughout", ascending=False, kind="stable")
    if len(front.outputs) == 2:
        picture = Picture(
            "frontier",
            lambda: plot.FrontierDisplay.from_result(front).plot(),
            "The frontier of the two metrics.",
            "The frontier.",
        )
    else:
        picture = Picture(
            "frontier",
            lambda: plot.FacetGraphDisplay.from_result(front).plot(),
            "Facets as nodes, joined if they share a ridge.",
            "The facet graph.",
        )
    count = len(front.extreme)
    subject = "1 system spans" if count == 1 else f"{count} systems span"
    sentences = [
        f"{subject} the frontier in {join_names(front.outputs)}: {join_names(front.extreme)}.",
        "A trade-off rate 'B per A' is how much of B one unit of A is worth on the facet; ∞ means "
        "that the facet is flat in B, no number that it is flat in both.",
    ]
    if len(frame) > MAX_FACETS:
        sentences.append(
            f"Listed are {MAX_FACETS} of {len(frame)} facets, those efficient throughout first."
        )
    tables = [ReportTable("facets-table", "Facets and trade-off rates", frame.iloc[:MAX_FACETS])]
    return Section("facets", "Facets", sentences, tables, [picture])


def costs_section(results: ReportResults) -> Section | None:
    """Show the best classifier for each cost ratio, if the frontier is in TPR and TNR."""
    front = results.frontier
    if front is None or set(front.outputs) != {"TPR", "TNR"}:
        return None
    picture = Picture(
        "costs",
        lambda: plot.CostRangeDisplay.from_result(front).plot(),
        "Ranges of cost ratios in which each classifier of the frontier has the least expected "
        "cost.",
        "Which classifier for which cost ratio.",
    )
    sentences = [
        "The ratio is the cost of a false negative over that of a false positive if half of the "
        "cases are positive; otherwise divide it by the odds of a positive."
    ]
    ranges = front.cost_ranges().rename_axis(results.row_name)
    tables = [ReportTable("costs-table", "Least expected cost", ranges)]
    return Section("costs", "Cost ranges", sentences, tables, [picture])


def tests_section(tests: Any) -> Section | None:
    """Show statistical tests between classifiers.

    Parameters
    ----------
    tests : result of `deabench.compare`, mapping of names to results, or None
    """
    if tests is None or (isinstance(tests, Mapping) and not tests):
        return None
    results = {"tests": tests}
    if isinstance(tests, Mapping):
        results = dict(tests)
    tables: list[ReportTable] = []
    sentences: list[str] = []
    pictures: list[Picture] = []
    for name, result in results.items():
        if hasattr(result, "summary"):
            sentences += result.summary().splitlines()
        pictures += _critical_difference_pictures(result)
        for caption, frame in _test_frames(name, result):
            tables.append(ReportTable(f"test-{len(tables)}", caption, frame))
    return Section("tests", "Tests", sentences, tables, pictures)


def _critical_difference_pictures(result: Any) -> list[Picture]:
    """Return the critical-difference diagram of a result that has one."""
    if not hasattr(result, "omnibus"):
        return []
    try:
        display = plot.CriticalDifferenceDisplay.from_result(result)
    except DataError:
        # There is no diagram of fewer than three classifiers.
        return []
    caption = display.caption()
    return [Picture("tests", display.plot, f"{caption}.", caption, live=False)]


def _test_frames(name: str, result: Any) -> list[tuple[str, pd.DataFrame]]:
    """Return captions and tables: of a mapping for each entry, of a result its main table."""
    if isinstance(result, Mapping):
        frames = []
        for key, entry in result.items():
            label = str(key)
            if isinstance(key, tuple):
                label = ", ".join(map(str, key))
            frames += _test_frames(f"{name}: {label}", entry)
        return frames
    # The first attribute that holds a frame is the main table.
    for attribute in RESULT_FRAMES:
        frame = getattr(result, attribute, None)
        if isinstance(frame, pd.DataFrame):
            if "first" in frame:
                frame = frame.set_index("first")
            return [(name, frame)]
    return [(name, result.to_frame())]


def method_section(results: ReportResults) -> Section:
    """Say how the efficiencies and targets were computed."""
    ranking = results.ranking
    options = "".join(f", {words}" for words in describe_choices(ranking.options))
    sentences = [
        f"Efficiencies: data envelopment analysis, model {ranking.model}{options}. A system's "
        "efficiency is the best score that any non-negative weights of the metrics give it while "
        "no system of the reference exceeds 1; it is efficient if that is 1 and no slack is "
        "left."
    ]
    if results.frontier is not None:
        metrics = join_names(results.frontier.outputs)
        sentences.append(
            f"Targets: the closest point of the Pareto-efficient frontier in {metrics}, distance "
            f"{results.norm}, {_describe_units(results)}; of its faces at which no metric gets "
            f"worse, for tested algorithms of its {results.on}. Of several closest points one "
            "is given."
        )
    return Section("method", "How it was computed", sentences)


def _describe_units(results: ReportResults) -> str:
    """Say in what the changes of metrics are counted."""
    targets = results.own_targets or results.tested_targets
    if targets is None or all(weight == 1 for weight in targets.weights.values()):
        return "each metric in its own unit"
    return "in shares of each metric's range"


def provenance_section(results: ReportResults, provenance: Mapping[str, Any]) -> Section:
    """Show versions, settings, digests and certificates."""
    metrics = results.metrics
    facts = {
        "deabench": __version__,
        "Python": platform.python_version(),
        **{name: _installed_version(name) for name in LIBRARIES},
        "model": results.ranking.model,
        "norm": results.norm,
        "targets on": results.on,
        "systems": str(len(results.ranking.scores)),
        "metrics": join_names(metrics.columns, metrics.shape[1]),
        "SHA-256 of the metrics as CSV": hashlib.sha256(csv_text(metrics).encode()).hexdigest(),
        **_certificate_facts(results.ranking),
        **{str(name): str(value) for name, value in provenance.items()},
    }
    # A proof's violations are 0 but for rounding; the largest one tells how good all proofs are.
    all_targets = {"targets": results.own_targets, "tested algorithms": results.tested_targets}
    for name, targets in all_targets.items():
        if targets is not None:
            violations = targets.proof().violations.values()
            largest = max(float(np.nanmax(row, initial=0.0)) for row in violations)
            facts[f"largest miss of a proof of the {name}"] = f"{largest:.3g}"
    frame = pd.DataFrame({"value": facts}).rename_axis("what")
    tables = [ReportTable("provenance-table", "What made this report", frame)]
    return Section("provenance", "Provenance", tables=tables)


def _certificate_facts(ranking: Ranking) -> dict[str, str]:
    """Count the scores that were proved again, and say how well."""
    if not ranking.options.has_certificate:
        return {"certificates": f"none: model '{ranking.options.name}' has none"}
    gaps = ranking.certificate["gap"]
    # A gap within the tolerance proves the score; scores without a value have no gap.
    proved_count = int((gaps <= TOLERANCE).sum())
    score_count = int(ranking.scores.notna().sum())
    return {
        "scores proved again from λ and weights": (
            f"{proved_count} of {score_count} within {TOLERANCE:g}"
        ),
        "largest gap of a certificate": f"{gaps.max():.3g}",
    }


def _targets_frame(targets: Targets, row_name: str) -> pd.DataFrame:
    """Return position, distance, and actual, target and gap of each metric."""
    columns: dict[str, Any] = {"position": targets.position, "distance": targets.distance}
    for name in targets.targets:
        columns[str(name)] = targets.actual[name]
        columns[f"target {name}"] = targets.targets[name]
        columns[f"gap {name}"] = targets.gaps[name]
    frame = pd.DataFrame(columns).rename_axis(row_name)
    return frame.assign(face=[join_names(face, MAX_FACE_NAMES) for face in targets.faces])


def _explain_targets(targets: Targets) -> str:
    condition = " at which no metric gets worse" if targets.dominating else ""
    return (
        f"A target is the closest point ({targets.norm}) of the Pareto-efficient frontier's "
        f"{targets.on}{condition}; a gap is target minus actual, in the metric's own unit."
    )


def _as_sentences(notes: Iterable[object]) -> list[str]:
    return [as_sentence(str(note)) for note in notes if note]


def _installed_version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
