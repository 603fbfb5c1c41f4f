"""The answer in three sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from deabench.reports.build import Findings

NAMED = 8


def listed(names: Sequence[object], most: int = NAMED) -> str:
    """`A, B and 3 more`."""
    shown = ", ".join(str(name) for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def answer(found: Findings) -> list[str]:
    """Who is efficient; who is not, and by how much; what the tested one lacks."""
    frame = found.ranking.to_frame()
    scored = frame[frame["efficiency"].notna()]
    best, rest = scored[scored["efficient"]], scored[~scored["efficient"]]
    is_ = "is" if len(best) == 1 else "are"
    first = f"{len(best)} of {len(frame)} classifiers {is_} efficient: {listed(best.index)}."
    second = "No classifier is inefficient." if rest.empty else _rest(rest, found.ranking.orientation)
    unscored = len(frame) - len(scored)
    if unscored:
        second += f" {unscored} could not be scored."
    return [first, second, _lacks(found)]


def _rest(rest: Any, orientation: str) -> str:
    low, high = rest["efficiency"].iloc[-1], rest["efficiency"].iloc[0]
    name = rest.index[-1]
    change = (f"gain {100 * (1 / low - 1):.1f} % in every output at once" if orientation == "output"
              else f"do with {100 * (1 - low):.1f} % less of every input")
    if low >= 1 - 5e-5:
        change = "gain in one metric alone"
    if len(rest) == 1:
        return f"The other one is not: {name} has efficiency {low:.3f} and would have to {change}."
    return (f"The other {len(rest)} are not: their efficiencies go from {low:.3f} to {high:.3f}, and the last, {name}, "
            f"would have to {change}.")


def _lacks(found: Findings) -> str:
    if found.tested is not None:
        said = [_one(found.tested, name) for name in found.tested.targets.index[:3]]
        more = len(found.tested.targets) - len(said)
        return " ".join(said) + (f" {more} more {'was' if more == 1 else 'were'} tested." if more else "")
    if found.own is not None:
        listed_all = len(found.own.targets) == int((~found.ranking.efficient & found.ranking.scores.notna()).sum())
        group = "of the inefficient ones, " if listed_all else f"of the {len(found.own.targets)} inefficient ones listed below, "
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
    return (f"{name} is {where} the frontier, {targets.distance[name]:.4g} from its closest target ({targets.norm}): "
            + ", ".join(moves) + ".")
