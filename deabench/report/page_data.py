"""Build the JSON that the page reads: ranking, frontier, targets, intervals; nothing to be parsed.

`contract.ts` of the page has the same shape, field by field. Values are in the user's own units; a
metric's sign and shift say how the frontier transforms it (`deabench.tables.transforms`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.geometry.technology import attainable_outline
from deabench.report.recommendation import recommend
from deabench.report.report_results import (
    ReportResults,
    describe_difference,
    scores_are_radial,
)
from deabench.report.text.frontier import say_way_to_target
from deabench.report.text.ranking import explain_verdict
from deabench.report.text.words import as_sentence
from deabench.report.weightings_section import weightings_data
from deabench.results.norm_weights import has_mixed_units
from deabench.results.ranking import order_by_merit
from deabench.tables.naming.vocabulary import look_up_metric
from deabench.tables.transforms import AffineTransform
from deabench.utils.checks import did_you_mean

if TYPE_CHECKING:
    from deabench.inference.uncertainty import Uncertainty
    from deabench.results.frontier import Frontier
    from deabench.results.ranking import Ranking
    from deabench.results.targets import Targets

MAX_FACET_NUMBERS = 40_000
"""Facets of more numbers are not shipped: the page then gives no closest targets."""
MAX_STORY_CHARACTERS = 300_000
"""Longer explanations are not shipped: the page then explains from the numbers alone."""
MIN_STORY = 300
"""About the length of one explanation, in characters."""
SOLVER_DIGITS = 12
"""Significant digits of λ and weights, in which solvers agree; metrics and scores have all."""
SHARE_DIGITS = 6
GAP_DIGITS = 2
LEAST_PEER = 1e-12
"""A smaller λ is none."""
MAX_WHOLE = 1e15
"""Whole numbers below this are exact as floating-point numbers."""


def make_page_data(results: ReportResults) -> dict[str, Any] | None:
    """Return the `Data` of contract.ts, or None if there are fewer than two metrics."""
    names = [str(name) for name in results.metrics.columns]
    if len(names) < 2:
        return None
    # The names of the fields are those of `contract.ts`.
    front = results.any_frontier
    return {
        "rowName": results.row_name,
        "labels": [str(label) for label in results.metrics.index],
        "metrics": [_describe_metric(results, name) for name in names],
        "values": [_json_numbers(results.metrics[name]) for name in results.metrics],
        "first": _first_metrics(results, names),
        "start": _start_row(results),
        "winners": _winner_rows(results),
        "norm": results.norm,
        "on": results.on,
        "mixtures": True,
        "stories": _explanations(results.ranking),
        "ranking": _ranking_data(results.ranking, scores_are_radial(results)),
        "front": None if front is None else _frontier_data(results, front, names),
        "remark": _remark(results),
        "apart": describe_difference(results),
        "own": _targets_data(results, results.own_targets),
        "tested": _tested_data(results, names),
        "reached": _targets_data(results, results.tested_targets),
        "uncertainty": _uncertainty_data(results, names),
        "weightings": weightings_data(results),
    }


def json_number(value: Any) -> float | int | None:
    """Return a number as JSON has it; None for NaN and infinities."""
    if value is None or value is pd.NA:
        return None
    if isinstance(value, np.generic):
        value = value.item()
    is_finite = isinstance(value, int) or math.isfinite(value)
    return value if is_finite else None


def _json_numbers(values: Iterable[Any], digits: int | None = None) -> list[Any]:
    """Return numbers as JSON has them, with all digits or so many significant ones."""
    numbers = [json_number(value) for value in values]
    if digits is None:
        return numbers
    return [None if number is None else _round_digits(number, digits) for number in numbers]


def _round_digits(value: float, digits: int) -> float | int:
    """Round to significant digits; whole numbers become integers."""
    # Formatting rounds decimal digits; numpy's rounding would leave binary remainders.
    rounded = float(f"{value:.{digits - 1}e}")
    if rounded.is_integer() and abs(rounded) < MAX_WHOLE:
        return int(rounded)
    return rounded


def _describe_metric(results: ReportResults, name: str) -> dict[str, Any]:
    front = results.any_frontier
    is_low = name in results.lower_is_better
    # A metric that the frontier does not use is only reversed, never shifted.
    transform = AffineTransform(-1.0 if is_low else 1.0)
    if front is not None:
        transform = front.data.transforms.get(name, transform)
    lower_bound, upper_bound = _known_range(name, results.metrics[name])
    return {
        "name": name,
        "high": not is_low,
        "sign": transform.sign,
        "shift": transform.shift,
        "least": lower_bound,
        "most": upper_bound,
        "cost": name in results.ranking.data.inputs.columns,
    }


def _known_range(name: str, column: pd.Series) -> tuple[float | None, float | None]:
    """Return the range of a metric by its name, unless the table's values contradict it."""
    lowest = float(column.min())
    highest = float(column.max())
    lower_bound = 0.0
    upper_bound = math.inf
    metric = look_up_metric(name)
    if metric is not None:
        lower_bound = metric.low
        upper_bound = metric.high
        # A share may be written in percent.
        if metric.unit in ("share", "percent") and upper_bound <= 1.0 < highest:
            lower_bound *= 100
            upper_bound *= 100
    return (
        json_number(lower_bound) if lower_bound <= lowest else None,
        json_number(upper_bound) if highest <= upper_bound else None,
    )


def _first_metrics(results: ReportResults, names: list[str]) -> list[int]:
    """Return the metrics across and up of the first chart, by position.

    With costs that is quality against cost; otherwise the first two metrics of the frontier.
    """
    front = results.any_frontier
    ordered = list(range(len(names)))
    if front is not None:
        ordered = [*(names.index(str(name)) for name in front.outputs), *ordered]
    costs = [k for k in ordered if names[k] in results.ranking.data.inputs.columns]
    outputs = [k for k in ordered if names[k] in results.ranking.data.outputs.columns]
    if costs and outputs:
        return [costs[0], outputs[0]]
    # Without repetition, in order.
    return list(dict.fromkeys(ordered))[:2]


def _start_row(results: ReportResults) -> int:
    """Return the row that is selected when the page opens: the first tested or recommended one."""
    if results.explained is not None:
        return _explained_row(results)
    # The tested algorithms come after the classifiers in the page.
    if results.tested_targets is not None:
        return len(results.metrics.index)
    winners = _winner_rows(results)
    if winners:
        return winners[0]
    return int(results.metrics.index.get_loc(order_by_merit(results.ranking)[0]))


def _explained_row(results: ReportResults) -> int:
    """Return the row of the classifier asked for; the tested ones come after the others."""
    labels = [str(label) for label in results.metrics.index]
    if results.tested_targets is not None:
        labels += [str(label) for label in results.tested_targets.targets.index]
    if str(results.explained) not in labels:
        hint = did_you_mean(str(results.explained), labels)
        raise DataError(f"there is no system '{results.explained}' in the table; {hint}")
    return labels.index(str(results.explained))


def _winner_rows(results: ReportResults) -> list[int]:
    """Return the rows of the recommended classifier and of those to take on other conditions."""
    recommendation = recommend(results)
    if recommendation is None:
        return []
    names = [
        recommendation.name,
        *recommendation.tied,
        *(other.name for other in recommendation.alternatives),
    ]
    labels = [str(label) for label in results.metrics.index]
    return [labels.index(name) for name in dict.fromkeys(names)]


def _explanations(ranking: Ranking) -> list[str] | None:
    """Explain each classifier in sentences, or return None if that takes too many characters."""
    if len(ranking.scores) > MAX_STORY_CHARACTERS // MIN_STORY:
        return None
    stories = [explain_verdict(ranking, label) for label in ranking.scores.index]
    if sum(map(len, stories)) > MAX_STORY_CHARACTERS:
        return None
    return stories


def _ranking_data(ranking: Ranking, is_radial: bool) -> dict[str, Any]:
    labels = ranking.scores.index
    used, peers = _peer_data(ranking)
    reference = ranking.reference.labels[used]
    # -1: a row of another reference table.
    own_rows = np.full(len(used), -1)
    if ranking.own_reference:
        own_rows = labels.get_indexer(reference)
    gaps = None
    if ranking.options.has_certificate:
        gaps = _json_numbers(ranking.certificate["gap"], GAP_DIGITS)
    return {
        "measure": ranking.measure,
        "model": ranking.model,
        "radial": is_radial,
        "scores": _json_numbers(ranking.scores),
        "ranks": _json_numbers(ranking.ranks),
        "efficient": ranking.efficient.astype(bool).tolist(),
        "order": labels.get_indexer(order_by_merit(ranking)).tolist(),
        "reference": [str(label) for label in reference],
        "own": own_rows.tolist(),
        "peers": peers,
        "weights": _named_columns(ranking.weights, SOLVER_DIGITS),
        "shares": _named_columns(ranking.weight_shares, SHARE_DIGITS),
        "gap": gaps,
    }


def _named_columns(frame: pd.DataFrame, digits: int) -> list[dict[str, Any]]:
    return [
        {"name": str(name), "values": _json_numbers(frame[name], digits)} for name in frame.columns
    ]


def _peer_data(ranking: Ranking) -> tuple[np.ndarray, list[list[float]]]:
    """Return the reference rows that are peers, and for each classifier peer, λ, peer, λ, ...

    A peer is given by its position among those rows.
    """
    columns = ranking.intensities.columns
    values = ranking.intensities.values
    # Entries without a column are -1, and solvers leave shares of rounding size.
    is_peer = (columns >= 0) & (values > LEAST_PEER)
    used = np.unique(columns[is_peer])
    # `used` is sorted, so a search gives the position of each row among the peers.
    positions = np.searchsorted(used, columns)
    pairs: list[list[float]] = []
    for i in range(len(columns)):
        row: list[float] = []
        for k in np.flatnonzero(is_peer[i]):
            row += [int(positions[i, k]), _round_digits(float(values[i, k]), SOLVER_DIGITS)]
        pairs.append(row)
    return used, pairs


def _remark(results: ReportResults) -> str:
    """Say why there are no facets if there is no frontier at all."""
    if results.any_frontier is not None or not results.no_facets_reason:
        return ""
    return as_sentence(results.no_facets_reason)


def _frontier_data(results: ReportResults, front: Frontier, names: list[str]) -> dict[str, Any]:
    targets = results.own_targets or results.tested_targets
    weights = _metric_weights(results, front)
    if targets is not None:
        weights = dict(targets.weights)
    hull = None
    facet_count = -1
    if front.precomputed_hull is not None:
        hull = _hull_data(front)
        facet_count = len(front.hull.normals)
    return {
        "metrics": [names.index(str(name)) for name in front.outputs],
        "factor": [float(weights[name]) for name in front.outputs],
        "origin": front.origin.tolist(),
        "unit": front.unit.tolist(),
        "rows": results.metrics.index.get_indexer(front.vertices).tolist(),
        "count": facet_count,
        "hull": hull,
    }


def _metric_weights(results: ReportResults, front: Frontier) -> dict[str, float]:
    """Return what a unit of change counts in each metric, as `deabench.targets` chooses it."""
    inputs = [str(name) for name in results.ranking.data.inputs if name in front.outputs]
    weights = dict.fromkeys(front.outputs, 1.0)
    # One unit of a share is not comparable to one second: divide by the range of each metric.
    if has_mixed_units(front.outputs, inputs):
        ranges = front.data.outputs.max() - front.data.outputs.min()
        for name in front.outputs:
            if ranges[name] > 0:
                weights[name] = 1.0 / float(ranges[name])
    return weights


def _hull_data(front: Frontier) -> dict[str, Any] | None:
    """Return normals, facets and faces, or None if they are too many numbers to ship."""
    hull = front.hull
    count = hull.normals.size
    if count > MAX_FACET_NUMBERS:
        return None
    faces = [sorted(map(int, face)) for face in hull.maximal_faces]
    vertices = [np.flatnonzero(row).tolist() for row in hull.incidence]
    # Incidence and faces are shipped too.
    if count + sum(map(len, faces)) + sum(map(len, vertices)) > MAX_FACET_NUMBERS:
        return None
    return {
        "normals": hull.normals.tolist(),
        "full": hull.efficient_facets.tolist(),
        "on": vertices,
        "faces": faces,
    }


def _targets_data(results: ReportResults, targets: Targets | None) -> dict[str, Any] | None:
    """Return the targets that the library found; tested algorithms have rows of their own."""
    if targets is None:
        return None
    labels = results.metrics.index
    # Tested algorithms are numbered by themselves; own targets belong to rows of the table.
    rows = list(range(len(targets.targets)))
    if targets is not results.tested_targets:
        rows = labels.get_indexer(targets.targets.index).tolist()
    order = list(targets.frontier.outputs)
    return {
        "rows": rows,
        "position": targets.position.tolist(),
        "distance": _json_numbers(targets.distance),
        "target": [_json_numbers(row) for row in targets.targets[order].to_numpy()],
        "members": [labels.get_indexer(list(face)).tolist() for face in targets.faces],
        "way": [
            "" if label in targets.reasons else say_way_to_target(targets, label)
            for label in targets.targets.index
        ],
    }


def _tested_data(results: ReportResults, names: list[str]) -> list[dict[str, Any]]:
    """Return the tested algorithms; metrics that the frontier does not use are unknown."""
    if results.tested_targets is None:
        return []
    scores = results.tested_scores
    return [
        {
            "label": str(label),
            "efficiency": None if scores is None else json_number(scores.loc[label]),
            "values": [json_number(row.get(name)) for name in names],
        }
        for label, row in results.tested_targets.actual.rename(columns=str).iterrows()
    ]


def _uncertainty_data(results: ReportResults, names: list[str]) -> dict[str, Any] | None:
    """Return intervals, verdicts, ranks and the band of the frontier."""
    labels = [str(label) for label in results.metrics.index]
    uncertainty = results.ranking.uncertainty
    if uncertainty is not None:
        frame = uncertainty.to_frame().loc[labels]
        return {
            "level": uncertainty.level,
            "scope": "all at once" if uncertainty.simultaneous else "each by itself",
            "lower": _json_numbers(frame["lower"]),
            "upper": _json_numbers(frame["upper"]),
            "verdict": frame["verdict"].tolist(),
            "bestRank": _json_numbers(frame["best_rank"]),
            "worstRank": _json_numbers(frame["worst_rank"]),
            "tier": _json_numbers(frame["tier"]),
            "band": _band_data(uncertainty, names),
        }
    if results.intervals is None:
        return None
    intervals = results.intervals.rename(index=str).reindex(labels)
    # Intervals from elsewhere come without verdicts, ranks and band.
    unknown = dict.fromkeys(("verdict", "bestRank", "worstRank", "tier", "band"))
    return {
        "level": None,
        "scope": "",
        "lower": _json_numbers(intervals["lower"]),
        "upper": _json_numbers(intervals["upper"]),
        **unknown,
    }


def _band_data(uncertainty: Uncertainty, names: list[str]) -> dict[str, Any] | None:
    """Return the corners of the frontier's lowest and highest course, for two metrics."""
    # A band is drawn in the plane of two outputs only.
    if len(uncertainty.metrics) != 2 or uncertainty.problem.inputs:
        return None
    first, second = uncertainty.metrics
    band: dict[str, Any] = {"x": names.index(first), "y": names.index(second)}
    for bound in ("lower", "upper"):
        points = uncertainty.band[[(first, bound), (second, bound)]].to_numpy()
        # The first and last corner of the staircase run to infinity.
        band[bound] = attainable_outline(points)[1:-1].tolist()
    return band
