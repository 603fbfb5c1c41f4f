"""Summarize closest targets in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
