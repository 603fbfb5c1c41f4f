"""Which cases of a test run every time, and which with the slow tests alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def mark_most_slow(cases: Iterable[Any], quick: int) -> list[Any]:
    """Mark all cases slow but `quick` of them, the first and others as far apart as can be."""
    values = list(cases)
    quick_places = {place * len(values) // quick for place in range(quick)}
    return [
        value if place in quick_places else pytest.param(value, marks=pytest.mark.slow)
        for place, value in enumerate(values)
    ]
