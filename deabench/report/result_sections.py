"""The sections of a report, each from the findings alone; None where there is nothing to say."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from deabench import __version__
from deabench.models.options import describe_choices
from deabench.plot.ranking import count_followers, order_by_merit, peers_text
from deabench.report.directions import lower
from deabench.report.document import Picture, Section, Table
from deabench.report.text.words import join_names
from deabench.utils.arrays import TOLERANCE
from deabench.utils.text import csv_text

if TYPE_CHECKING:
    from deabench.analysis.ranking import Ranking
    from deabench.report.report_results import Findings

VERSIONED = ("numpy", "pandas", "scipy", "pyomo", "highspy", "networkx", "matplotlib")
FACETS = 500
"""So many facets are listed; the full-dimensional ones first."""


def notes(found: Findings) -> Section | None:
    """What a reader must know before believing a number: what was guessed, dropped, turned or is
    weak.
    """
    said = _sentences(dict.fromkeys([*found.ranking.notes, *found.heard]))
    return Section("notes", "What to know first", said) if said else None


def ranking(found: Findings) -> Section:
    """Efficiencies, best first, with metrics and peers."""
    from deabench.plot import RankingDisplay

    one = found.ranking
    frame = one.to_frame().loc[order_by_merit(one)].rename_axis("classifier")
    if found.intervals is not None:
        frame = frame.join(found.intervals[["lower", "upper"]])
    low = lower(found)
    metrics = found.metrics.rename(
        columns=lambda name: (
            f"{name}{'' if name not in frame else ' (metric)'} " + ("↓" if name in low else "↑")
        )
    )
    frame = frame.join(metrics)
    places = one.scores.index.get_indexer(frame.index)
    frame["peers (λ)"] = [peers_text(one, place, max_peers=6) for place in places]
    if one.reasons:
        frame["why no score"] = [one.reasons.get(name) for name in frame.index]
    picture = Picture(
        "ranking",
        lambda: RankingDisplay.from_result(one, found.intervals).plot(),
        f"Dot chart of the efficiencies, best first; efficient: {join_names(frame.index[frame['efficient']])}.",
        "Efficiencies; the same numbers are in the table.",
    )
    said = [
        "Efficiency 1 means that no mixture of the others is better in every metric. ↑ marks metrics that are better "
        "when higher, ↓ those that are better when lower; of equal ranks those come first that most others are measured "
        "against."
    ]
    if found.intervals is None:
        said.append(
            "The efficiencies have no intervals here: they are exact for these metrics, and say nothing about how "
            "the metrics would vary on other data."
        )
    return Section(
        "ranking", "Ranking", said, [Table("ranking-table", "Ranking", frame, "ranking")], [picture]
    )


def tested(found: Findings) -> Section | None:
    """The tested algorithms: position, target, gaps."""
    from deabench.plot import FrontierDisplay, ParallelDisplay, TargetsDisplay

    one = found.tested
    if one is None:
        return None
    pictures = [
        Picture(
            "targets",
            lambda: TargetsDisplay.from_result(one).plot(),
            "Actual and target of each tested algorithm, by metric.",
            "Actual (triangle) and target (cross) by metric.",
        )
    ]
    if one.targets.shape[1] == 2:
        pictures.insert(
            0,
            Picture(
                "tested",
                lambda: FrontierDisplay.from_result(one).plot(),
                "The frontier, with an arrow from each tested algorithm to its target.",
                "The frontier and the targets.",
            ),
        )
    else:
        pictures.append(
            Picture(
                "parallel",
                lambda: ParallelDisplay.from_result(one).plot(),
                "Parallel coordinates of actual and target.",
                "Actual and target over all metrics.",
            )
        )
    frame = _target_frame(one)
    if found.tested_scores is not None:
        frame.insert(0, "efficiency", found.tested_scores)
    return Section(
        "tested",
        "What was tested",
        [_kind(found), *_sentences(one.notes)],
        [Table("tested-table", "Tested algorithms and their closest targets", frame)],
        pictures,
    )


def targets(found: Findings) -> Section | None:
    """Closest targets of the inefficient classifiers."""
    if found.own is None:
        return Section("targets", "Targets", _sentences([found.remark])) if found.remark else None
    total = int((~found.ranking.efficient & found.ranking.scores.notna()).sum())
    count = len(found.own.targets)
    said = [_kind(found)] + (
        [
            f"Listed are the {count} best of {total} inefficient classifiers; the plot gives any other."
        ]
        if total > count
        else []
    )
    return Section(
        "targets",
        "Targets",
        said,
        [Table("targets-table", "Closest targets", _target_frame(found.own))],
    )


def peers(found: Findings) -> Section | None:
    """Who is benchmark for whom."""
    from deabench.plot import PeerNetworkDisplay

    one = found.ranking
    others, shares = count_followers(one)
    frame = pd.DataFrame(
        {"served": others, "sum of λ": shares}, index=one.reference.labels.rename("benchmark")
    )
    frame = frame[frame["served"] > 0].sort_values(
        ["served", "sum of λ"], ascending=False, kind="stable"
    )
    if frame.empty:
        return None
    picture = Picture(
        "peers",
        lambda: PeerNetworkDisplay.from_result(one).plot(),
        f"Network from inefficient classifiers to their peers; the most used is {frame.index[0]}, for "
        f"{frame['served'].iloc[0]} others.",
        "Who is benchmark for whom.",
    )
    return Section(
        "peers",
        "Peers",
        [
            "A peer is an efficient classifier that a less efficient one is measured against; λ is "
            "its share in the mixture."
        ],
        [Table("peers-table", "Benchmarks, most used first", frame)],
        [picture],
    )


def weights(found: Findings) -> Section:
    """Which metrics carry each score."""
    from deabench.plot import WeightsDisplay

    one = found.ranking
    frame = one.weights.loc[order_by_merit(one)].rename_axis("classifier")
    picture = Picture(
        "weights",
        lambda: WeightsDisplay.from_result(one).plot(),
        "Stacked bars: the share of each metric in each score.",
        "Which metrics carry each score.",
    )
    return Section(
        "weights",
        "Weights",
        [
            "The weights show each classifier in its best light. They are not unique: other "
            "weights may give the same score."
        ],
        [
            Table(
                "weights-table",
                "Weights (multipliers), in each metric's own unit",
                frame,
                "weights",
            )
        ],
        [picture] if frame.shape[1] else [],
    )


def facets(found: Findings) -> Section | None:
    """The facets with their trade-off rates."""
    from deabench.plot import FacetGraphDisplay, FrontierDisplay

    front = found.front
    if front is None:
        return None
    frame = front.facets.drop(columns="offset").rename(
        columns={"full_dimensional": "efficient throughout"}
    )
    for a, b in combinations(front.outputs, 2):
        frame[f"{b} per {a}"] = (frame[a] / frame[b].where(frame[b] > 0)).fillna(np.inf)
    frame = frame.rename(columns={name: f"weight of {name}" for name in front.outputs})
    frame = frame.sort_values("efficient throughout", ascending=False, kind="stable")
    flat = len(front.outputs) == 2
    display = FrontierDisplay if flat else FacetGraphDisplay
    picture = Picture(
        "frontier",
        lambda: display.from_result(front).plot(),
        "The frontier of the two metrics."
        if flat
        else "Facets as nodes, joined where they share a ridge.",
        "The frontier." if flat else "The facet graph.",
    )
    span = (
        "1 classifier spans"
        if len(front.extreme) == 1
        else f"{len(front.extreme)} classifiers span"
    )
    said = [
        f"{span} the frontier in {join_names(front.outputs)}: {join_names(front.extreme)}.",
        "A trade-off rate 'B per A' is how much of B one unit of A is worth on the facet; where it is ∞ the facet is flat.",
    ]
    if len(frame) > FACETS:
        said.append(
            f"Listed are {FACETS} of {len(frame)} facets, those efficient throughout first."
        )
    return Section(
        "facets",
        "Facets",
        said,
        [Table("facets-table", "Facets and trade-off rates", frame.iloc[:FACETS])],
        [picture],
    )


def costs(found: Findings) -> Section | None:
    """Which classifier for which cost ratio; for a frontier in TPR and TNR."""
    from deabench.plot import CostRangeDisplay

    if found.front is None or set(found.front.outputs) != {"TPR", "TNR"}:
        return None
    frame = found.front.cost_ranges()
    front = found.front
    picture = Picture(
        "costs",
        lambda: CostRangeDisplay.from_result(front).plot(),
        "Ranges of cost ratios in which each "
        "classifier of the frontier has the least expected cost.",
        "Which classifier for which cost ratio.",
    )
    said = [
        "The ratio is the cost of a false negative over that of a false positive, where half of the cases are positive; "
        "elsewhere divide it by the odds of a positive."
    ]
    return Section(
        "costs",
        "Cost ranges",
        said,
        [Table("costs-table", "Least expected cost", frame)],
        [picture],
    )


def tests(given: Any) -> Section | None:
    """Statistical tests between classifiers."""
    if given is None or (isinstance(given, Mapping) and not given):
        return None
    results = given if isinstance(given, Mapping) else {"tests": given}
    tables, said, pictures = list[Table](), list[str](), list[Picture]()
    for name, result in results.items():
        said += result.summary().splitlines() if hasattr(result, "summary") else []
        pictures += _diagram(result)
        tables += [
            Table(f"test-{len(tables) + k}", caption, frame)
            for k, (caption, frame) in enumerate(_frames(name, result))
        ]
    return Section("tests", "Tests", said, tables, pictures)


def _diagram(result: Any) -> list[Picture]:
    from deabench.errors import DataError
    from deabench.plot import CriticalDifferenceDisplay

    if not hasattr(result, "omnibus"):
        return []
    try:
        display = CriticalDifferenceDisplay.from_result(result)
    except DataError:  # fewer than three classifiers: there is nothing to draw
        return []
    return [
        Picture(
            "tests", lambda: display.plot(), display.caption() + ".", display.caption(), live=False
        )
    ]


def _frames(name: str, result: Any) -> list[tuple[str, pd.DataFrame]]:
    """The tables of a result: of a mapping one per entry, of a result its pairs, tests or fields."""
    if isinstance(result, Mapping):
        return [
            pair for key, one in result.items() for pair in _frames(f"{name}: {_key(key)}", one)
        ]
    for attribute in ("pairs", "tests", "table"):
        frame = getattr(result, attribute, None)
        if isinstance(frame, pd.DataFrame):
            return [(name, frame.set_index("first") if "first" in frame else frame)]
    return [(name, result.to_frame())]


def _key(key: Any) -> str:
    return ", ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def method(found: Findings) -> Section:
    """How it was computed, in words."""
    one = found.ranking
    kind = "".join(f", {words}" for words in describe_choices(one.options))
    said = [
        f"Efficiencies: data envelopment analysis, model {one.model}{kind}. A classifier's efficiency is the best score "
        "that any non-negative weights of the metrics give it while no classifier of the reference exceeds 1; it is "
        "efficient where that is 1 and no slack is left."
    ]
    if found.front is not None:
        said.append(
            f"Targets: the closest point of the Pareto-efficient {found.on} in {join_names(found.front.outputs)}, distance "
            f"{found.norm}, each metric in its own unit. Of several closest points one is given."
        )
    return Section("method", "How it was computed", said)


def provenance(found: Findings, given: Mapping[str, Any]) -> Section:
    """Versions, settings, digests and certificates."""
    facts = {
        "deabench": __version__,
        "Python": platform.python_version(),
        **{name: _version(name) for name in VERSIONED},
        "model": found.ranking.model,
        "norm": found.norm,
        "targets on": found.on,
        "classifiers": str(len(found.ranking.scores)),
        "metrics": ", ".join(map(str, found.metrics.columns)),
        "SHA-256 of the metrics as CSV": hashlib.sha256(
            csv_text(found.metrics).encode()
        ).hexdigest(),
        **_proved(found.ranking),
        **{str(name): str(value) for name, value in given.items()},
    }
    for what, one in (("targets", found.own), ("tested algorithms", found.tested)):
        if one is not None:
            worst = max(
                float(np.nanmax(miss, initial=0.0)) for miss in one.proof().violations.values()
            )
            facts[f"largest miss of a proof of the {what}"] = f"{worst:.3g}"
    frame = pd.DataFrame({"value": facts}).rename_axis("what")
    return Section(
        "provenance",
        "Provenance",
        tables=[Table("provenance-table", "What made this report", frame)],
    )


def _proved(ranking: Ranking) -> dict[str, str]:
    """How many scores were proved again, and how well."""
    if ranking.options.has_certificate is False:
        return {"certificates": f"none: model '{ranking.options.name}' has none"}
    gap = ranking.certificate["gap"]
    held = int((gap <= TOLERANCE).sum())
    return {
        "scores proved again from λ and weights": f"{held} of {int(ranking.scores.notna().sum())} within {TOLERANCE:g}",
        "largest gap of a certificate": f"{gap.max():.3g}",
    }


def _target_frame(one: Any) -> pd.DataFrame:
    frame = pd.DataFrame({"position": one.position, "distance": one.distance}).rename_axis(
        "classifier"
    )
    for name in one.targets:
        frame[f"{name}"] = one.actual[name]
        frame[f"target {name}"] = one.targets[name]
        frame[f"gap {name}"] = one.gaps[name]
    return frame.assign(face=[join_names(face, 4) for face in one.faces])


def _kind(found: Findings) -> str:
    return (
        f"A target is the closest point ({found.norm}) of the Pareto-efficient frontier's {found.on}; a gap is target "
        "minus actual, in the metric's own unit."
    )


def _sentences(notes: Any) -> list[str]:
    return [f"{str(note)[:1].upper()}{str(note)[1:]}." for note in notes if note]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
