"""The checks of arguments that every room makes, with one wording each."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches


def did_you_mean(name: object, known: Sequence[object]) -> str:
    """`; did you mean 'TPR'?` where one of the known names is near, otherwise the list of them."""
    near = get_close_matches(str(name), [str(k) for k in known], n=1)
    return f"did you mean '{near[0]}'?" if near else "there are " + ", ".join(f"'{k}'" for k in known)
