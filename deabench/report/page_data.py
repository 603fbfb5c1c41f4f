"""What the page is made of, as one JSON: the numbers of a ranking, its frontier, targets and
intervals, nothing to be parsed.

`contract.ts` of the page has the same shape, field by field. Values are in the user's own units; a
metric's sign and shift say how the frontier takes them (`deabench.tables.transforms`)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from deabench.models.radial import RestrictableModel
from deabench.plot.ranking import order_by_merit
from deabench.plot.uncertainty import attainable_outline
from deabench.report.directions import lower
from deabench.results.frontier import classify_positions
from deabench.tables.transforms import AffineTransform
from deabench.tables.vocabulary import has_mixed_units, look_up_metric

if TYPE_CHECKING:
    from deabench.analysis.ranking import Ranking
    from deabench.report.report_results import Findings
    from deabench.results.frontier import Frontier
    from deabench.results.targets import Targets

NUMBERS = 40_000
"""More numbers of facets than these are not shipped: the page then gives positions and
efficiencies, and no closest targets.
"""
STORIES = 300_000
"""So many characters of `explain` are shipped; a page of more classifiers tells its stories from
the numbers alone.
"""
DIGITS = 12
"""Significant digits of λ and weights, which no two solvers share beyond that; metrics and scores
have all of theirs.
"""


def contract(found: Findings) -> dict[str, Any] | None:
    """The `Data` of contract.ts; None where there are fewer than two metrics."""
    names = [str(name) for name in found.metrics.columns]
    if len(names) < 2:
        return None
    labels = [str(label) for label in found.metrics.index]
    front = found.front if found.front is not None else found.wide
    low = lower(found)
    return {
        "labels": labels,
        "metrics": [_metric(found, name, name in low, front) for name in names],
        "values": [_column(found.metrics[name]) for name in found.metrics],
        "first": _first(names, front),
        "start": _start(found),
        "norm": found.norm,
        "on": found.on,
        "mixtures": True,
        "stories": _stories(found.ranking),
        "ranking": _ranking(found.ranking, _radial(found, front)),
        "front": None if front is None else _front(found, front, names),
        "remark": _sentence(found.remark) if front is None else "",
        "apart": _apart(found, front),
        "own": _reached(found.own, found),
        "tested": _tested(found, names),
        "reached": _reached(found.tested, found),
        "uncertainty": _uncertainty(found, names),
    }


def number(value: Any) -> float | int | None:
    """A number as JSON has it; None for NaN and infinities."""
    if value is None or value is pd.NA:
        return None
    value = value.item() if isinstance(value, np.generic) else value
    return value if isinstance(value, int) or math.isfinite(value) else None


def _column(values: Any, digits: int | None = None) -> list[Any]:
    plain = [number(v) for v in (values.tolist() if hasattr(values, "tolist") else values)]
    return plain if digits is None else [None if v is None else _rounded(v, digits) for v in plain]


def _rounded(value: float, digits: int) -> float | int:
    """Fewer digits; whole numbers as such."""
    cut = float(f"{value:.{digits - 1}e}")
    return int(cut) if cut.is_integer() and abs(cut) < 1e15 else cut


def _metric(found: Findings, name: str, low: bool, front: Frontier | None) -> dict[str, Any]:
    transforms = front.data.transforms if front is not None else {}
    turn = transforms.get(name, AffineTransform(-1.0 if low else 1.0))
    column = found.metrics[name]
    least, most = _range(name, column)
    return {
        "name": name,
        "high": not low,
        "sign": turn.sign,
        "shift": turn.shift,
        "least": least,
        "most": most,
        "cost": name in found.ranking.data.inputs.columns,
    }


def _range(name: str, column: pd.Series) -> tuple[float | None, float | None]:
    """Between which values a metric can lie: by its name where that is known, and never against the
    table's own values.
    """
    known, low, high = look_up_metric(name), float(column.min()), float(column.max())
    least, most = (known.low, known.high) if known is not None else (0.0, math.inf)
    if known is not None and known.unit in ("share", "percent") and most <= 1.0 < high:
        least, most = 100 * least, 100 * most
    return (number(least) if least <= low else None), (number(most) if high <= most else None)


def _first(names: list[str], front: Frontier | None) -> list[int]:
    chosen = [names.index(str(name)) for name in (front.outputs if front is not None else [])][:2]
    return [*chosen, *(k for k in range(len(names)) if k not in chosen)][:2]


def _start(found: Findings) -> int:
    """Who is chosen at first: the one that the answer tells of."""
    if found.tested is not None:
        return len(found.metrics)
    if found.own is not None and found.own.distance.notna().any():
        return int(found.metrics.index.get_loc(found.own.distance.idxmax()))
    return int(found.metrics.index.get_loc(order_by_merit(found.ranking)[0]))


def _stories(ranking: Ranking) -> list[str] | None:
    told: list[str] = []
    left = STORIES
    for label in ranking.scores.index if len(ranking.scores) <= STORIES // 300 else ():
        told.append(ranking.explain(label))
        left -= len(told[-1])
    return told if told and left >= 0 else None


def _ranking(ranking: Ranking, radial: bool) -> dict[str, Any]:
    labels = ranking.scores.index
    used, peers = _peers(ranking)
    reference = ranking.reference.labels[used]
    own = labels.get_indexer(reference) if ranking.own_reference else np.full(len(used), -1)
    gap = ranking.certificate["gap"] if ranking.options.has_certificate else None
    return {
        "measure": ranking.measure,
        "model": ranking.model,
        "radial": radial,
        "scores": _column(ranking.scores),
        "ranks": _column(ranking.ranks),
        "efficient": ranking.efficient.astype(bool).tolist(),
        "order": labels.get_indexer(order_by_merit(ranking)).tolist(),
        "reference": [str(label) for label in reference],
        "own": own.tolist(),
        "peers": peers,
        "weights": [
            {"name": str(name), "values": _column(ranking.weights[name], DIGITS)}
            for name in ranking.weights
        ],
        "shares": _shares(ranking),
        "gap": None if gap is None else _column(gap, 2),
    }


def _peers(ranking: Ranking) -> tuple[np.ndarray, list[list[float]]]:
    """The reference DMUs that are somebody's peer, and per DMU their places among those and λ, in
    turn.
    """
    columns, values = ranking.intensities.columns, ranking.intensities.values
    held = (columns >= 0) & (values > 1e-12)
    used = np.unique(columns[held])
    place = np.searchsorted(used, columns)
    flat = [
        [
            part
            for k in np.flatnonzero(held[i])
            for part in (int(place[i, k]), _rounded(float(values[i, k]), DIGITS))
        ]
        for i in range(len(columns))
    ]
    return used, flat


def _shares(ranking: Ranking) -> list[dict[str, Any]]:
    """Which metrics carry each score: weight times output, as a share of all."""
    outputs = [name for name in ranking.data.outputs.columns if name in ranking.weights.columns]
    if not outputs:
        return []
    worth = (ranking.weights[outputs] * ranking.data.outputs[outputs]).astype(float)
    shares = worth.div(worth.sum(axis=1), axis=0)
    return [{"name": str(name), "values": _column(shares[name], 6)} for name in outputs]


def _same_space(found: Findings, front: Frontier | None) -> bool:
    """Whether who is efficient in the ranking is who is on the frontier: by what the two say, not
    by the model's name.
    """
    data, efficient = found.ranking.data, found.ranking.efficient.astype(bool)
    if (
        front is None
        or not found.ranking.own_reference
        or {*map(str, data.outputs), *map(str, data.inputs)} != set(map(str, front.outputs))
    ):
        return False
    if not efficient.loc[front.extreme].all():
        return False
    if front.precomputed_hull is None:
        return (
            isinstance(found.ranking.options, RestrictableModel) and found.ranking.returns == "vrs"
        )
    points = front.to_boxed(front.data.outputs.loc[efficient.index[efficient]].to_numpy())
    return bool((classify_positions(front.hull.normals, points) == "on").all())


def _radial(found: Findings, front: Frontier | None) -> bool:
    """Whether the page can score a new point as the ranking would: 1/φ over mixtures with Σ λ = 1."""
    one = found.ranking
    if not isinstance(one.options, RestrictableModel) or one.options.is_restricted:
        return False
    is_output_oriented = one.returns == "vrs" and one.orientation == "output"
    return is_output_oriented and _same_space(found, front)


def _apart(found: Findings, front: Frontier | None) -> str:
    """What is to be said where efficient in the ranking is not the same as on the frontier drawn."""
    if front is None or _same_space(found, front):
        return ""
    ranked = ", ".join(map(str, found.ranking.actual.columns))
    return (
        f"The ranking is by model '{found.ranking.options.name}' in {ranked}; positions and targets are those of the frontier "
        f"of mixtures in {', '.join(front.outputs)}: who is efficient in the one need not be on the other."
    )


def _front(found: Findings, front: Frontier, names: list[str]) -> dict[str, Any]:
    counted = found.own or found.tested
    factor = counted.weights if counted is not None else _factor(found, front)
    hull, count = _hull(front) if front.precomputed_hull is not None else (None, -1)
    return {
        "metrics": [names.index(str(name)) for name in front.outputs],
        "factor": [float(factor[name]) for name in front.outputs],
        "origin": front.origin.tolist(),
        "unit": front.unit.tolist(),
        "rows": found.metrics.index.get_indexer(front.vertices).tolist(),
        "count": count,
        "hull": hull,
    }


def _factor(found: Findings, front: Frontier) -> dict[str, float]:
    """What a unit of change counts, as `deabench.targets` chooses it."""
    costs = [str(name) for name in found.ranking.data.inputs if name in front.outputs]
    if not has_mixed_units(front.outputs, costs):
        return dict.fromkeys(front.outputs, 1.0)
    spread = front.data.outputs.max() - front.data.outputs.min()
    return {name: 1.0 / float(spread[name]) if spread[name] > 0 else 1.0 for name in front.outputs}


def _hull(front: Frontier) -> tuple[dict[str, Any] | None, int]:
    hull, count = front.hull, len(front.hull.normals)
    if hull.normals.size > NUMBERS:
        return None, count
    faces = [sorted(map(int, face)) for face in hull.maximal_faces]
    on = [np.flatnonzero(row).tolist() for row in hull.incidence]
    if hull.normals.size + sum(map(len, faces)) + sum(map(len, on)) > NUMBERS:
        return None, count
    return {
        "normals": hull.normals.tolist(),
        "full": hull.efficient_facets.tolist(),
        "on": on,
        "faces": faces,
    }, count


def _reached(one: Targets | None, found: Findings) -> dict[str, Any] | None:
    if one is None:
        return None
    rows = (
        range(len(one.targets))
        if one is found.tested
        else found.metrics.index.get_indexer(one.targets.index).tolist()
    )
    order = list(one.frontier.outputs)
    return {
        "rows": list(rows),
        "position": one.position.tolist(),
        "distance": _column(one.distance),
        "target": [_column(row) for row in one.targets[order].to_numpy()],
        "members": [found.metrics.index.get_indexer(list(face)).tolist() for face in one.faces],
    }


def _tested(found: Findings, names: list[str]) -> list[dict[str, Any]]:
    """The tested algorithms; a metric that the frontier does not use is not known of them."""
    if found.tested is None:
        return []
    scores = found.tested_scores
    return [
        {
            "label": str(label),
            "efficiency": None if scores is None else number(scores.loc[label]),
            "values": [number(row[name]) if name in row.index else None for name in names],
        }
        for label, row in found.tested.actual.rename(columns=str).iterrows()
    ]


def _uncertainty(found: Findings, names: list[str]) -> dict[str, Any] | None:
    known = found.ranking.uncertainty
    if known is None and found.intervals is None:
        return None
    labels = [str(label) for label in found.metrics.index]
    if known is None:
        intervals = found.intervals
        assert intervals is not None
        frame = intervals.set_axis([str(label) for label in intervals.index]).reindex(labels)
        return {
            "level": None,
            "scope": "",
            "lower": _column(frame["lower"]),
            "upper": _column(frame["upper"]),
            "verdict": None,
            "bestRank": None,
            "worstRank": None,
            "tier": None,
            "band": None,
        }
    frame = known.to_frame().loc[labels]
    return {
        "level": known.level,
        "scope": "all at once" if known.simultaneous else "each by itself",
        "lower": _column(frame["lower"]),
        "upper": _column(frame["upper"]),
        "verdict": frame["verdict"].tolist(),
        "bestRank": _column(frame["best_rank"]),
        "worstRank": _column(frame["worst_rank"]),
        "tier": _column(frame["tier"]),
        "band": _band(known, names),
    }


def _band(known: Any, names: list[str]) -> dict[str, Any] | None:
    """The corners of the frontier's least and greatest possible course, for two metrics to be high."""
    if len(known.metrics) != 2 or known.problem.inputs:
        return None
    first, second = known.metrics
    ends = {
        end: attainable_outline(known.band[[(first, end), (second, end)]].to_numpy())[1:-1].tolist()
        for end in ("lower", "upper")
    }
    return {"x": names.index(first), "y": names.index(second), **ends}


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""
