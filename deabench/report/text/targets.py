"""Summarize closest targets in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deabench.errors import DataError
from deabench.report.text.router import say_recipe, say_unmixed
from deabench.utils.checks import did_you_mean

if TYPE_CHECKING:
    from deabench.results.targets import Targets

MAX_REASONS = 3
"""The number of classifiers without a target that a summary names."""


def summarize_targets(result: Targets) -> str:
    """Say how far the classifiers are from their targets, and what is not proved."""
    distances = result.distance.dropna()
    text = f"{len(distances)} of {len(result.distance)} classifiers have a target"
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
    remedy = "technology='fdh' gives targets that are single classifiers"
    return f"{text} {say_unmixed(result.targets.columns, remedy)}".rstrip()
