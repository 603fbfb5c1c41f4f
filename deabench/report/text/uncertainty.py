"""Describe uncertainties, release gates, rank sets and samples.

The findings come first, then what they rest on. A verdict is never worded as a probability of being
efficient.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference.dominance_games import Technology
from deabench.inference.rank_sets import ConformalRanks, RankSets
from deabench.inference.samples import Samples
from deabench.inference.score_limits import EDGE, CriticalValues, ridge_share
from deabench.inference.simar_wilson import FirmsBootstrap
from deabench.inference.uncertainty import Uncertainty
from deabench.report.text.words import as_sentence, join_names
from deabench.utils.checks import did_you_mean
from deabench.utils.text import two_digits

MAX_EXAMPLES = 3
"""Dominated classifiers, and lower limits, that a summary names."""
MIN_SHARE = 0.005
"""Shares of a mix below this are not written out: they would be rounded to 0.00."""


def summarize_uncertainty(result: Uncertainty) -> str:
    """Return the findings, then the data, the method and the assumptions, line by line."""
    return "\n".join(
        [
            count_verdicts(result),
            *_dominated_lines(result),
            *_leaders_lines(result),
            *_method_lines(result),
            *(as_sentence(note) for note in result.notes),
        ]
    )


def explain_uncertainty(result: Uncertainty, name: str) -> str:
    """Return score, interval, ranks and verdict of one classifier."""
    if name not in result.scores.index:
        raise DataError(
            f"there is no system '{name}'; {did_you_mean(name, list(result.scores.index))}"
        )
    scope = "all scores at once" if result.simultaneous else "this score alone"
    if np.isnan(result.scores[name]):
        return f"'{name}' has no score. {_verdict_sentence(result, name)}"
    limits = f"{round_down(result.lower[name])} and {round_up(result.upper[name])}"
    best, worst = result.ranks.loc[name]
    ranks = f"a rank from {best} to {worst}"
    if best == worst:
        ranks = f"rank {best}"
    return (
        f"'{name}' scores {result.scores[name]:.3f}, between {limits} at "
        f"{100 * result.level:g} % ({scope}); {ranks}. {_verdict_sentence(result, name)}"
    )


def summarize_samples(samples: Samples) -> str:
    """Return what was observed in one sentence, then the assumptions."""
    classifiers, metrics = samples.values.shape
    noun = "metric" if metrics == 1 else "metrics"
    names = ", ".join(map(str, samples.values.columns))
    return "\n".join(
        [
            f"{classifiers} systems, {metrics} {noun} ({names}); {_describe_sizes(samples)}; "
            f"{samples.pairing}.",
            *(as_sentence(note) for note in samples.notes),
        ]
    )


def summarize_rank_sets(result: RankSets) -> str:
    """Return which classifiers could be first under the weights."""
    first = result.table.index[result.table["best"] == 1]
    weights = ", ".join(f"{name} {share:.2g}" for name, share in result.weights.items())
    return (
        f"Under the weights {weights}: {join_names(first)} could be first of {len(result.table)}, "
        f"all ranks together at {100 * result.level:g} %."
    )


def summarize_conformal_ranks(result: ConformalRanks) -> str:
    """Return the best median rank and the range of that classifier's rank on a new data set."""
    name = result.table["median"].idxmin()
    median, best, worst = result.table.loc[name]
    scope = "all systems together" if result.simultaneous else "each system by itself"
    return (
        f"'{name}' has the best median rank, {median:g} of {len(result.table)} over "
        f"{result.datasets} data sets; on a new data set it would rank from {best:g} to {worst:g} "
        f"({100 * result.level:g} %, {scope})."
    )


def summarize_firms_bootstrap(result: FirmsBootstrap) -> str:
    """Return the leader after the correction and the size of the correction."""
    name = result.table["corrected"].idxmax()
    score, corrected, lower, upper = result.table.loc[name]
    correction = (result.table["score"] - result.table["corrected"]).mean()
    return (
        f"Corrected for the firms that were not drawn, '{name}' leads with {corrected:.3f} "
        f"(uncorrected {score:.3f}), between {lower:.3f} and {upper:.3f} at "
        f"{100 * result.level:g} %; the mean correction is {correction:.3f}."
    )


def count_verdicts(result: Uncertainty) -> str:
    """Return how many classifiers have which verdict."""
    counts = result.verdicts.value_counts()
    clauses = ", ".join(
        f"{counts.get(verdict, 0)} {verdict}" for verdict in ("dominated", "undecided", "efficient")
    )
    status = f" (a level that is {result.validity})" if has_measured_level(result) else ""
    return (
        f"Of {len(result.scores)} systems {clauses}, all verdicts together at "
        f"{100 * result.level:g} %{status}."
    )


def has_measured_level(result: Uncertainty) -> bool:
    """Return whether the level of verdicts that were reached is known from simulations alone."""
    is_dominated = result.verdicts == "dominated"
    return result.validity == "measured, not proved" and bool(is_dominated.any())


def round_down(value: float) -> str:
    """Format a lower limit with three decimals, never rounded up."""
    # The addend keeps 0.300 from becoming 0.299 by a rounding error.
    return f"{np.floor(value * 1000 + 1e-6) / 1000:.3f}"


def round_up(value: float) -> str:
    """Format an upper limit with three decimals, never rounded down."""
    return f"{np.ceil(value * 1000 - 1e-6) / 1000:.3f}"


def format_percent(share: float) -> str:
    """Format a secure gap in per cent, never rounded up."""
    # A gap below 0.1 % would be rounded down to 0.0 %.
    digits = 1 if share >= 0.001 else 3
    return f"{np.floor(share * 100 * 10**digits + 1e-9) / 10**digits:.{digits}f} %"


def format_instances(number: float) -> str:
    """Round a number of instances up to two significant digits; the estimate supports no more."""
    # The power of ten of the second significant digit.
    unit = 10 ** max(int(np.floor(np.log10(number))) - 1, 0)
    return f"{np.ceil(number / unit) * unit:,.0f}"


def _dominated_lines(result: Uncertainty) -> list[str]:
    gaps = result.secure_gap.dropna().sort_values(ascending=False)
    if not len(gaps):
        return []
    examples = "; ".join(
        f"'{name}' by at least {format_percent(gap)}" for name, gap in gaps[:MAX_EXAMPLES].items()
    )
    if len(gaps) > MAX_EXAMPLES:
        examples += f"; and {len(gaps) - MAX_EXAMPLES} more"
    advantage = _describe_advantage(result.problem.technology)
    by = "a mix of others"
    if result.verdict_method == "exact":
        by = "another system"
        examples = join_names(list(gaps.index[:MAX_EXAMPLES]))
        if len(gaps) > MAX_EXAMPLES:
            examples += f" and {len(gaps) - MAX_EXAMPLES} more"
    lines = [f"Dominated, by {by} {advantage}: {examples}."]
    # The one-sided verdict may be decided while the two-sided interval still touches the frontier.
    touching = int((result.upper[gaps.index] >= 1 - EDGE).sum())
    if touching:
        verb = "has" if touching == 1 else "have"
        lines.append(
            f"{touching} of these {verb} an interval that still touches 1: intervals pay for two "
            "sides, the verdict for one."
        )
    # Verdicts pay for one side of one comparison each, tiers and ranks for both of all pairs.
    first = gaps.index[(result.tiers[gaps.index] == 1) | (result.ranks["best"][gaps.index] == 1)]
    if len(first):
        verb = "is" if len(first) == 1 else "are"
        lines.append(
            f"{join_names(list(first[:MAX_EXAMPLES]))} {verb} dominated and still in tier 1 or "
            "possibly first: tiers and ranks rest on intervals of two sides, verdicts on one."
        )
    return lines


def _leaders_lines(result: Uncertainty) -> list[str]:
    lines = []
    if result.lower.notna().any():
        count = int((result.ranks["best"] == 1).sum())
        noun = "system" if count == 1 else "systems"
        leaders = result.lower.sort_values(ascending=False, kind="stable")[:MAX_EXAMPLES]
        limits = ", ".join(
            f"'{name}' at least {round_down(value)}" for name, value in leaders.items()
        )
        lines.append(
            f"{count} {noun} could be first; tiers shown apart: {result.tiers.max()}. "
            f"Efficiency: {limits}."
        )
    # The undecided classifier that is nearest to a verdict.
    open_below = (result.verdicts == "undecided") & ~(result.scores >= 1 - EDGE)
    growth = result.times_the_instances(open_below.to_numpy()).dropna()
    if len(growth) and np.isfinite(growth.min()):
        factor = two_digits(max(growth.min(), 1))
        lines.append(
            f"Undecided: this test set is about {factor} times too small for "
            f"'{growth.idxmin()}', which is nearest to a verdict."
        )
    return lines


def _method_lines(result: Uncertainty) -> list[str]:
    k, s = result.problem.size
    if result.simultaneous:
        scope = "all systems at once"
    else:
        scope = "each system by itself, not all at once"
    if result.method == "anytime":
        return [
            f"Verdicts and intervals at {100 * result.level:g} % for {scope}; k = {k}, s = {s}; "
            f"{_describe_sizes(result.samples)}; {result.samples.pairing}.",
            "Exact, by bets: you may look as often as you like.",
        ]
    ridge = ridge_share(result.problem, result.c_upper)
    return [
        f"Intervals at {100 * result.level:g} % for {scope}; k = {k}, s = {s}; "
        f"{_describe_sizes(result.samples)}; {result.samples.pairing}.",
        f"Method {result.method}: lower limits at {_describe_critical(result.c_lower)} and upper "
        f"limits at {_describe_critical(result.c_upper)} standard errors, of whose squares the "
        f"small-sample rule makes up {100 * ridge:.0f} %.",
    ]


def _describe_critical(constants: CriticalValues) -> str:
    """Return the distinct critical values, smallest to largest."""
    return " to ".join(dict.fromkeys(f"{value:.2f}" for value in sorted(set(constants.c))))


def _describe_sizes(samples: Samples) -> str:
    return ", ".join(f"{count:,} {noun}" for noun, count in samples.sizes.items())


def _describe_advantage(technology: Technology) -> str:
    """Return in which way a dominating mix is better."""
    if not technology.inputs:
        return "better in every metric"
    if technology.orientation == "input":
        return "that costs less in every input with no output lower"
    return "better in every output at no higher cost"


def describe_dominance(technology: Technology, gap: str) -> str:
    """Return what a dominating mix does, as the predicate of "some mix of the others"."""
    if not technology.inputs:
        return f"beats it by at least {gap} in every metric"
    if technology.orientation == "input":
        return f"costs at least {gap} less in every input, with no output lower"
    return f"beats it by at least {gap} in every output, at no higher cost"


def _verdict_sentence(result: Uncertainty, name: str) -> str:
    technology = result.problem.technology
    verdict = result.verdicts[name]
    if verdict == "efficient":
        advantage = _describe_advantage(technology).removeprefix("that ")
        return f"Efficient: no mix of the others is {advantage}."
    if verdict == "undecided" and np.isnan(result.lower[name]):
        return f"Undecided: {_describe_needed_instances(result, name)}."
    if verdict == "undecided":
        return (
            f"Undecided: efficient to at least {round_down(result.lower[name])}; "
            f"{_describe_needed_instances(result, name)}."
        )
    mix = _format_mix(result.mixes.loc[name])
    shown = f"Shown at {100 * result.level:g} %"
    if result.verdict_method == "exact":
        return f"Dominated. {shown}, with no approximation: {mix} beats it in every metric."
    dominance = describe_dominance(technology, format_percent(result.secure_gap[name]))
    if result.verdict_method == "learned":
        status = ""
        if result.validity == "measured, not proved":
            status = f" With several metrics the level of such verdicts is {result.validity}."
        return (
            f"Dominated. {shown}: some mix of the others {dominance} on new instances like these; "
            f"the one learned is {mix}.{status}"
        )
    # Max-t shows the gap for the mix that was found; the analytic method for some mix.
    if result.method == "max-t":
        return (
            f"Dominated. {shown}: this mix {dominance}: {mix}. The level of such verdicts is "
            f"{result.validity}."
        )
    return f"Dominated. {shown}: some mix of the others {dominance}; the one found is {mix}."


def _describe_needed_instances(result: Uncertainty, name: str) -> str:
    growth = result.times_the_instances(result.scores.index == name)[name]
    if np.isfinite(growth):
        growth = max(growth, 1.0)
    if not np.isfinite(growth):
        return "no number of instances would decide it if the figures stay as they are"
    sizes = result.samples.sizes
    noun = "test instances" if len(sizes) > 1 else next(iter(sizes), "instances")
    return (
        f"this test set is about {two_digits(growth)} times too small for this question (about "
        f"{format_instances(growth * _count_units(sizes))} {noun} would decide it, if the figures "
        "stay as they are)"
    )


def _count_units(sizes: Mapping[str, int]) -> int:
    """Return the number of instances or blocks; clusters are made of them."""
    return sum(count for noun, count in sizes.items() if noun != "clusters")


def _format_mix(mix: pd.Series) -> str:
    """Return the shares of a mix, largest first."""
    shares = mix[mix >= MIN_SHARE].sort_values(ascending=False, kind="stable")
    return ", ".join(f"'{peer}' {share:.2f}" for peer, share in shares.items())
