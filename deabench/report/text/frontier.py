"""Summarize frontiers, their closest targets, and routers and mixtures of models in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from deabench.errors import DataError
from deabench.metrics.formulas import UNMIXED_METRICS, canonical_name
from deabench.report.text.words import as_sentence
from deabench.tables.transforms import AffineTransform
from deabench.utils.checks import did_you_mean
from deabench.utils.text import quote_names

if TYPE_CHECKING:
    from deabench.integrations.cost_stack import CostComparison
    from deabench.integrations.mixture import Routing
    from deabench.integrations.router import Router
    from deabench.results.frontier import Frontier
    from deabench.results.targets import Targets
    from deabench.streaming.rank_files import FilesRanking

MAX_NAMES = 5
"""The number of classifiers that a summary names."""
MAX_REASONS = 3
"""The number of classifiers without a target that a summary names."""


def summarize_frontier(front: Frontier) -> str:
    """Say which classifiers are on the frontier, how many facets it has, and what a trade costs."""
    kind = "extreme on the frontier"
    if front.technology == "fdh":
        kind = "on the frontier without mixtures (free disposal hull)"
    count = len(front.data.labels)
    # A frontier of files counts the rows that were read, not those that were kept.
    if front.source_summary is not None:
        count = front.source_summary.rows - front.source_summary.left_out
    names = ", ".join(repr(name) for name in front.extreme[:MAX_NAMES])
    text = f"{len(front.extreme)} of {count:,} systems are {kind} of {', '.join(front.outputs)}"
    text = f"{text}: {names}"
    if len(front.extreme) > MAX_NAMES:
        text += f" and {len(front.extreme) - MAX_NAMES} more"
    if front.technology == "fdh":
        return text
    if front.precomputed_hull is None:
        return f"{text}. Its facets are not listed yet"
    full = front.hull.efficient_facets
    text += f". It has {len(full)} facets, {int(full.sum())} of them efficient throughout"
    if full.any() and len(front.outputs) == 2:
        return f"{text}; {_describe_price_range(front)}"
    return text


def _describe_price_range(front: Frontier) -> str:
    """Say what the first of two metrics costs in the second, over all facets."""
    gain, pay = front.outputs
    rates = front.prices.loc[front.prices["gain"] == gain, "rate"]
    # A metric that is better low is gained by having less of it.
    transform = front.data.transforms.get(gain, AffineTransform())
    step = "one less" if transform.sign < 0 else "one more"
    price = f"{rates.min():.4g}"
    if len(rates) > 1:
        price += f" to {rates.max():.4g}"
    return f"{step} of '{gain}' costs {price} of '{pay}'"


def summarize_files_ranking(ranking: FilesRanking) -> str:
    """Say how many rows are efficient, where the scores are, and how well they are proved."""
    batches = ranking.batches
    rows = int(batches["rows"].sum())
    return (
        f"{int(batches['efficient'].sum()):,} of {rows:,} rows are efficient, mean efficiency "
        f"{batches['total'].sum() / rows:.4g}; the scores are in '{ranking.path}', proved to "
        f"{batches['gap'].max():.1e}. {ranking.frontier.summary()}"
    )


def summarize_targets(result: Targets) -> str:
    """Say how far the classifiers are from their targets, and what is not proved."""
    distances = result.distance.dropna()
    text = f"{len(distances)} of {len(result.distance)} systems have a target"
    if len(distances):
        text += (
            f"; the nearest is '{distances.idxmin()}' at {distances.min():.4g}, "
            f"the farthest '{distances.idxmax()}' at {distances.max():.4g}"
        )
    sentences = [f"{text} ({result.norm} distance on {result.on})"]
    for label, reason in list(result.reasons.items())[:MAX_REASONS]:
        sentences.append(f"'{label}' has none: {reason}")
    return ". ".join([*sentences, *result.unproved]) + "."


def explain_targets(result: Targets, name: Any) -> str:
    """Say what changes on the way to the target of a row, and the recipe that reaches it.

    Raises
    ------
    DataError
        If there is no such row.
    """
    labels = list(result.targets.index)
    if name not in labels:
        raise DataError(f"there is no row '{name}'; {did_you_mean(name, labels)}")
    if name in result.reasons:
        return f"'{name}' has no target: {result.reasons[name]}."
    changes = ", ".join(
        f"'{metric}' from {result.actual.loc[name, metric]:.4g} to {value:.4g}"
        for metric, value in result.targets.loc[name].items()
    )
    text = f"The target of '{name}' has {changes}"
    return f"{text}. {say_way_to_target(result, name)}"


def say_way_to_target(result: Targets, name: Any) -> str:
    """Say who answers how many of the instances at the target of a row that has one."""
    if result.on == "facets":
        return "It is on an extended facet, which mixtures need not reach."
    shares = result.intensities.loc[name]
    shares = shares[shares > 1e-9]
    text = f"To have that in rates and costs, {say_recipe(shares)}."
    if len(shares) == 1:
        return text
    remedy = "technology='fdh' gives targets that are single systems"
    return f"{text} {say_unmixed(result.targets.columns, remedy)}".rstrip()


def say_recipe(shares: Mapping[Any, float]) -> str:
    """Say who answers how many of the instances, as a clause with small beginning."""
    parts = sorted(shares.items(), key=lambda item: -item[1])
    if len(parts) == 1:
        return f"answer all instances with '{parts[0][0]}'"
    texts = [f"{100 * share:.3g} % with '{name}'" for name, share in parts]
    texts[0] = texts[0].replace(" %", " % of instances", 1)
    return f"answer {', '.join(texts[:-1])} and {texts[-1]}"


def say_unmixed(metrics: Iterable[Any], remedy: str) -> str:
    """Say which metrics a mixture has otherwise, and what to type; nothing where there are none."""
    unmixed = [metric for metric in metrics if canonical_name(str(metric)) in UNMIXED_METRICS]
    if not unmixed:
        return ""
    return f"A mixture has another {quote_names(unmixed)} than that; {remedy}."


def summarize_router(router: Router) -> str:
    """Say which models are worth asking, and the area below the curve."""
    names = ", ".join(f"'{name}'" for name in router.hull.index)
    area = router.aiq()
    return (
        f"{len(router.hull)} of {len(router.points)} models are on the hull of quality against "
        f"cost: {names}. Over the range of costs their mixtures have a mean quality (AIQ) of "
        f"{area['aiq']:.4g} ({router.level:.0%} interval {area['lower']:.4g} to "
        f"{area['upper']:.4g})."
    )


def summarize_routing(routing: Routing) -> str:
    """Say the recipe of a mixture, what it has, and whether it beats a single model."""
    quality, cost = routing.table.loc["quality"], routing.table.loc["cost"]
    recipe = say_recipe(routing.shares)
    text = (
        f"{recipe[0].upper()}{recipe[1:]}: quality {quality['value']:.4g} ({routing.level:.0%} "
        f"interval {quality['lower']:.4g} to {quality['upper']:.4g}), cost {cost['value']:.4g} per "
        f"instance ({cost['lower']:.4g} to {cost['upper']:.4g})"
    )
    if len(routing.shares) == 1 or routing.rival is None:
        return f"{text}."
    gain = routing.table.loc["gain"]
    shown = {"better": "is shown to be", "undecided": "is not shown to be"}
    return (
        f"{text}. Of single models that cost no more '{routing.rival}' is the best; the mixture "
        f"{shown.get(routing.verdict, 'is shown not to be')} better (by {gain['value']:.4g}, "
        f"{gain['lower']:.4g} to {gain['upper']:.4g})."
    )


def summarize_cost_comparison(comparison: CostComparison) -> str:
    """Say whether thresholding at the costs is shown to be cheaper than the mixture."""
    value, lower, upper = comparison.difference
    costs = comparison.table["cost"]
    shown = {"cheaper": "is shown to be cheaper", "dearer": "is shown to be dearer"}
    text = (
        f"At the costs of the face, in shares of the greatest, the stack costs "
        f"{costs['stack']:.4g} and the mixture {costs['mixture']:.4g}: the stack "
        f"{shown.get(comparison.verdict, 'is not shown to be cheaper or dearer')} (difference "
        f"{value:.4g}, {comparison.level:.0%} interval {lower:.4g} to {upper:.4g})."
    )
    return " ".join([text, *map(as_sentence, comparison.notes)])
