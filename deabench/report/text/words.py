"""Build the parts of sentences that all results share: lists of names, counts, numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

MAX_NAMES = 8
"""Longer lists of names end in "and N more"."""
ROUNDING_ERROR = 1e-9
"""A number closer to a rounded one than this share of itself counts as that rounded number."""
MAX_DECIMALS = 4


def join_names(names: Iterable[object], most: int = MAX_NAMES) -> str:
    """Join names by commas, as `A, B and 3 more`.

    Parameters
    ----------
    names : iterable of labels
    most : int
        The number of names that are written out.
    """
    labels = [str(name) for name in names]
    written = ", ".join(labels[:most])
    if len(labels) <= most:
        return written
    return f"{written} and {len(labels) - most} more"


def count_noun(count: int, singular: str, plural: str | None = None) -> str:
    """Return a count with its noun, as `1 task` or `3 tasks`."""
    if count == 1:
        return f"1 {singular}"
    return f"{count} {plural or singular + 's'}"


def is_or_are(count: int) -> str:
    """Return the verb that agrees with a count."""
    return "is" if count == 1 else "are"


def as_sentence(text: str) -> str:
    """Return a text with a capital first letter and a full stop."""
    return f"{text[:1].upper()}{text[1:]}."


def column_decimals(values: Sequence[Any]) -> int:
    """Return how many decimals the numbers of a column need, at most four."""
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    for decimals in range(MAX_DECIMALS):
        # A number with more digits than these only by rounding needs no further decimals.
        if all(abs(round(v, decimals) - v) <= ROUNDING_ERROR * max(1.0, abs(v)) for v in numbers):
            return decimals
    return MAX_DECIMALS


def format_number(value: float, decimals: int = MAX_DECIMALS) -> str:
    """Return a number with the decimals of its column; what is below 1e-9 is written as 0."""
    magnitude = abs(value)
    if decimals == MAX_DECIMALS and ROUNDING_ERROR <= magnitude < 1e-4:
        return f"{value:.2e}"
    # Adding 0.0 turns -0.0 into 0.0.
    rounded = value + 0.0 if magnitude >= ROUNDING_ERROR else 0.0
    return f"{rounded:z.{decimals}f}"
