"""Summarize frontiers and rankings of files in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deabench.tables.transforms import AffineTransform

if TYPE_CHECKING:
    from deabench.results.frontier import Frontier
    from deabench.streaming.rank_files import FilesRanking

MAX_NAMES = 5
"""The number of classifiers that a summary names."""


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
    text = f"{len(front.extreme)} of {count:,} classifiers are {kind} of {', '.join(front.outputs)}"
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
