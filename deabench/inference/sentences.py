"""What an uncertainty says to a person: findings first, then what they rest on. Never a probability
of being efficient.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deabench.errors import DataError
from deabench.inference.analytic import Problem
from deabench.utils.checks import did_you_mean

if TYPE_CHECKING:
    from deabench.inference.result import Constants, Uncertainty

SHOWN = 3
RIDGE_SAID = 0.20
"""From this share on the ridge is said to carry the intervals."""


def summary(result: Uncertainty) -> str:
    """Findings, then k, s, instances, pairing, method, critical values and the ridge's share."""
    found = [counted(result), *_dominated(result), *_best(result)]
    return "\n".join(
        [*found, *_settings(result), *(f"{note[:1].upper()}{note[1:]}." for note in result.notes)]
    )


def counted(result: Uncertainty) -> str:
    """How many classifiers have which verdict."""
    counts = result.verdicts.value_counts()
    parts = [
        f"{counts.get(verdict, 0)} {verdict}" for verdict in ("dominated", "undecided", "efficient")
    ]
    return f"Of {len(result.scores)} classifiers {', '.join(parts)}, all verdicts together at {100 * result.level:g} %."


def _dominated(result: Uncertainty) -> list[str]:
    sure = result.secure_gap.dropna().sort_values(ascending=False)
    said = "; ".join(
        f"'{name}' by at least {percent(gap)}" for name, gap in sure.iloc[:SHOWN].items()
    )
    more = f"; and {len(sure) - SHOWN} more" if len(sure) > SHOWN else ""
    found = [f"Dominated, by a mix of others {_better(result)}: {said}{more}."] if len(sure) else []
    touching = int((result.upper[sure.index] >= 1 - 1e-9).sum())
    if touching:
        have = "has" if touching == 1 else "have"
        found.append(
            f"{touching} of these {have} an interval that still touches 1: intervals pay for two sides, "
            "the verdict for one."
        )
    return found


def _better(result: Uncertainty) -> str:
    if not result.problem.inputs:
        return "better in every metric"
    if result.problem.technology.orientation == "input":
        return "that costs less in every input with no output lower"
    return "better in every output at no higher cost"


def _best(result: Uncertainty) -> list[str]:
    first = int((result.ranks["best"] == 1).sum())
    secure = result.lower.sort_values(ascending=False, kind="stable").iloc[:SHOWN]
    said = ", ".join(f"'{name}' at least {floor(value)}" for name, value in secure.items())
    one = "1 classifier could be first" if first == 1 else f"{first} classifiers could be first"
    return [f"{one}; tiers proved apart: {result.tiers.max()}. Efficiency: {said}."]


def _settings(result: Uncertainty) -> list[str]:
    k, s = result.problem.size
    seen = ", ".join(f"{count:,} {what}" for what, count in result.samples.sizes.items())
    scope = (
        "all classifiers at once"
        if result.simultaneous
        else "each classifier by itself, not all at once"
    )
    c = [
        " to ".join(dict.fromkeys(f"{v:.2f}" for v in sorted(set(part.c))))
        for part in (result.c_lower, result.c_upper)
    ]
    return [
        f"Intervals at {100 * result.level:g} % for {scope}; k = {k}, s = {s}; {seen}; {result.samples.pairing}.",
        f"Method {result.method}, c_L {c[0]}, c_U {c[1]}; the small-sample rule makes up "
        f"{100 * ridge_share(result.problem, result.c_upper):.0f} % of the variances.",
    ]


def explain(result: Uncertainty, name: str) -> str:
    """Score, interval, ranks and verdict of one classifier."""
    if name not in result.scores.index:
        raise DataError(
            f"there is no classifier '{name}'; {did_you_mean(name, list(result.scores.index))}"
        )
    scope = "all scores at once" if result.simultaneous else "this score alone"
    low, up = result.lower[name], result.upper[name]
    best, worst = result.ranks.loc[name]
    rank = f"rank {best}" if best == worst else f"a rank from {best} to {worst}"
    interval = f"between {floor(low)} and {ceiling(up)} at {100 * result.level:g} % ({scope})"
    return (
        f"'{name}' scores {result.scores[name]:.3f}, {interval}; {rank}. {_verdict(result, name)}"
    )


def _verdict(result: Uncertainty, name: str) -> str:
    verdict = result.verdicts[name]
    if verdict == "dominated":
        mix = listed(result, name)
        gap = percent(result.secure_gap[name])
        if result.method == "max-t":
            return f"Dominated: this mix {result.problem.technology.said(gap)}: {mix}."
        return f"Dominated: some mix of the others {result.problem.technology.said(gap)}; the one found is {mix}."
    if verdict == "efficient":
        return f"Efficient: no mix of the others is {_better(result).removeprefix('that ')}."
    return f"Undecided: efficient to at least {floor(result.lower[name])}; {needed(result, name)}."


def needed(result: Uncertainty, name: str) -> str:
    """About how many instances would decide an undecided classifier."""
    growth = result.times_the_instances(result.scores.index == name)[name]
    total = sum(result.samples.sizes.values())
    if not np.isfinite(growth):
        return "no number of instances would decide it if the figures stay as they are"
    what = (
        "test instances"
        if len(result.samples.sizes) > 1
        else next(iter(result.samples.sizes), "instances")
    )
    return f"about {rounded(growth * total)} {what} would decide it, {growth:.2g} times today's, if the figures stay as they are"


def listed(result: Uncertainty, name: str) -> str:
    """A mix in words, largest shares first."""
    mix = result.mixes.loc[name]
    mix = mix[mix >= 0.005].sort_values(ascending=False, kind="stable")
    return ", ".join(f"'{peer}' {share:.2f}" for peer, share in mix.items())


def assumed(problem: Problem, upper: Constants, how: str) -> tuple[str, ...]:
    """Notes on the method."""
    said = [f"critical values: {how}"]
    if problem.inputs:
        said.append(f"with inputs the scores are {problem.technology.name}")
    part = ridge_share(problem, upper)
    if part > RIDGE_SAID:
        said.append(
            f"few errors: the intervals rest on the small-sample rule, which makes up {100 * part:.0f} % of the variances"
        )
    return tuple(said)


def ridge_share(problem: Problem, constants: Constants) -> float:
    """The mean share of the ridge in the variances of all log ratios that have one."""
    _, spread, ridge = problem.moments.pairs(np.arange(problem.size[0]))
    ridge = constants.h * ridge
    whole = spread + ridge
    share = np.divide(ridge, whole, out=np.zeros_like(whole), where=whole > 0)
    return float(share.sum() / max(np.count_nonzero(whole), 1))


def floor(value: float) -> str:
    """A lower limit in three digits, never rounded up."""
    return f"{np.floor(value * 1000 + 1e-6) / 1000:.3f}"


def ceiling(value: float) -> str:
    """An upper limit in three digits, never rounded down."""
    return f"{np.ceil(value * 1000 - 1e-6) / 1000:.3f}"


def percent(share: float) -> str:
    """A secure gap, never rounded up."""
    digits = 1 if share >= 0.001 else 3
    return f"{np.floor(share * 100 * 10**digits + 1e-9) / 10**digits:.{digits}f} %"


def rounded(number: float) -> str:
    """Two digits: more would promise what nobody knows."""
    size = 10 ** max(int(np.floor(np.log10(number))) - 1, 0)
    return f"{np.ceil(number / size) * size:,.0f}"
