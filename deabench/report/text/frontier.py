"""Summarize frontiers, rankings of files and the closest targets on a frontier in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deabench.errors import DataError
from deabench.report.text.router import say_recipe, say_unmixed
from deabench.tables.transforms import AffineTransform
from deabench.utils.checks import did_you_mean

if TYPE_CHECKING:
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
