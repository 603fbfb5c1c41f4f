"""The answer in three or four sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from deabench.plot.ranking import order_by_merit
from deabench.report.text.uncertainty import count_verdicts
from deabench.report.text.words import join_names

if TYPE_CHECKING:
    from deabench.analysis.ranking import Ranking
    from deabench.report.report_results import Findings

NAMED = 8
"""More names than these are not all written out."""
LEADERS = 5
"""Of more efficient classifiers so many are named: those that most others are measured against."""


def answer(found: Findings) -> list[str]:
    """Who is efficient; who is not, and by how much; how sure that is, where it is known; what the
    tested one lacks.
    """
    frame = found.ranking.to_frame()
    scored = frame[frame[found.ranking.measure].notna()]
    best, rest = scored[scored["efficient"]], scored[~scored["efficient"]]
    is_ = "is" if len(best) == 1 else "are"
    names = [name for name in order_by_merit(found.ranking) if found.ranking.efficient.loc[name]]
    first = f"{len(best)} of {len(frame)} classifiers {is_} efficient" + (
        f"; most others are measured against {join_names(names, LEADERS)}."
        if len(names) > NAMED
        else f": {join_names(best.index)}."
        if len(names)
        else "."
    )
    second = "No classifier is inefficient." if rest.empty else _rest(rest, found.ranking)
    unscored = len(frame) - len(scored)
    if unscored:
        second += f" {unscored} could not be scored."
    known = found.ranking.uncertainty
    sure = (
        []
        if known is None
        else [f"How sure that is: {count_verdicts(known)[0].lower()}{count_verdicts(known)[1:]}"]
    )
    return [first, second, *sure, _lacks(found)]


def _rest(rest: Any, ranking: Ranking) -> str:
    measure = ranking.measure
    low, high = rest[measure].iloc[-1], rest[measure].iloc[0]
    name, best = rest.index[-1], 1.0 if measure == "efficiency" else 0.0
    change = ranking.options.meaning(float(low))
    if abs(low - best) < 5e-5:
        change = "something is left to gain in one metric alone"
    if len(rest) == 1:
        return f"The other one is not: {name} has {measure} {low:.3f}: {change}."
    return f"The other {len(rest)} are not: {_from_to(measure, low, high, best)}, and of the last, {name}, {change}."


def _from_to(measure: str, low: float, high: float, best: float) -> str:
    """The range, with as many decimals as keep the better end apart from the best there is."""
    decimals = next((d for d in range(3, 9) if round(high, d) != best), 9)
    noun = "efficiencies" if measure == "efficiency" else "inefficiencies"
    return f"their {noun} go from {low:.3f} to {high:.{decimals}f}"


def _lacks(found: Findings) -> str:
    if found.tested is not None:
        said = [_one(found.tested, name) for name in found.tested.targets.index[:3]]
        more = len(found.tested.targets) - len(said)
        return " ".join(said) + (
            f" {more} more {'was' if more == 1 else 'were'} tested." if more else ""
        )
    if found.own is not None:
        listed_all = len(found.own.targets) == int(
            (~found.ranking.efficient & found.ranking.scores.notna()).sum()
        )
        group = (
            "of the inefficient ones, "
            if listed_all
            else f"of the {len(found.own.targets)} inefficient ones listed below, "
        )
        return "No algorithm was tested; " + group + _one(found.own, found.own.distance.idxmax())
    return "No algorithm was tested."


def _one(targets: Any, name: object) -> str:
    where = {"on": "on", "inside": "inside", "outside": "outside"}[targets.position[name]]
    if np.isnan(targets.distance[name]):
        return f"{name} is {where} the frontier and no target was found for it."
    gaps = targets.gaps.loc[name]
    moves = [f"{metric} {gap:+.4g}" for metric, gap in gaps.items() if abs(gap) > 1e-9]
    if not moves:
        return f"{name} lies {where} the frontier and lacks nothing."
    counted_ = (
        ""
        if all(weight == 1 for weight in targets.weights.values())
        else ", in shares of each metric's range"
    )
    return (
        f"{name} is {where} the frontier, {targets.distance[name]:.4g} from its closest target ({targets.norm}{counted_}): "
        + ", ".join(moves)
        + "."
    )
