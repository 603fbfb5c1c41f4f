"""Which cases of a test run every time, and which with the slow tests alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def mark_most_slow(cases: Iterable[Any], quick: int) -> list[Any]:
    """Mark all cases slow but `quick` of them, the first and others as far apart as can be.

    A case that is a tuple has a value for each argument.
    """
    values = list(cases)
    quick_places = {place * len(values) // quick for place in range(quick)}
    return [
        case if place in quick_places else _mark_slow(case) for place, case in enumerate(values)
    ]


def _mark_slow(case: Any) -> Any:
    """Return a case with the mark `slow` beside those that it has."""
    if hasattr(case, "marks"):
        return pytest.param(*case.values, marks=[*case.marks, pytest.mark.slow], id=case.id)
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=pytest.mark.slow)
