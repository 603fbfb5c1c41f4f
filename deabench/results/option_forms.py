"""How options are written that take more than a word: on the command line, in Python, in files."""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from deabench.utils.checks import is_number


@dataclass(frozen=True)
class ValueForm:
    """How an option that takes more than a word is written.

    Attributes
    ----------
    syntax : str
        On the command line, as `NAME=NUMBER,...`.
    example : str
        In Python, as `{'TPR': 2.0}`.
    description : str
        The same in words, as "a mapping of metric to number".
    read : function of str to object
        Reads the text of the command line.
    is_valid : function of object to bool
        Tells whether a Python value has the form.
    convert : function of object to object
        Makes the Python value of a study file's: tuples of lists, pairs of "A/B".
    """

    syntax: str
    example: str
    description: str
    read: Callable[[str], object]
    is_valid: Callable[[Any], bool]
    convert: Callable[[Any], object] = field(default=lambda value: value)


def _split_pairs(text: str) -> list[tuple[str, str]]:
    """Split `A=1,B=2` at the commas, and each part at its last equals sign."""
    pairs = []
    for text_of_pair in text.split(","):
        name, equals, value = text_of_pair.strip().rpartition("=")
        if not equals or not name:
            raise ValueError(text_of_pair)
        pairs.append((name, value))
    return pairs


def _read_bounds(text: str) -> tuple[float, float]:
    """Read `LEAST:MOST`; without a number they are 0 and infinity."""
    lower, colon, upper = text.partition(":")
    if not colon:
        raise ValueError(text)
    return float(lower or "0"), float(upper or "inf")


def _read_pair(name: str) -> tuple[str, str]:
    """Read `FIRST/SECOND` as two metrics."""
    first, slash, second = name.partition("/")
    if not slash or "/" in second:
        raise ValueError(name)
    return first, second


def _convert_ratios(value: Mapping[Any, Sequence[float]]) -> object:
    """Make pairs of the keys "A/B", and tuples of the lists."""
    return {
        _read_pair(key) if isinstance(key, str) else tuple(key): tuple(bounds)
        for key, bounds in value.items()
    }


def _are_bounds(value: object) -> bool:
    """Return whether a value is (least, most) with 0 <= least <= most and a finite least."""
    if not isinstance(value, tuple | list) or len(value) != 2 or not all(map(is_number, value)):
        return False
    return bool(0 <= value[0] <= value[1] and value[0] < float("inf"))


def _are_bounds_by_metric(value: object) -> bool:
    """Return whether a value is a mapping of something to bounds."""
    return isinstance(value, Mapping) and bool(value) and all(map(_are_bounds, value.values()))


def _are_bounds_by_pair(value: object) -> bool:
    """Return whether a value is a mapping of pairs to bounds."""
    return _are_bounds_by_metric(value) and all(
        isinstance(pair, tuple) and len(pair) == 2 for pair in typing.cast(Mapping[Any, Any], value)
    )


NUMBERS = ValueForm(
    syntax="METRIC=NUMBER,...",
    example="{'TPR': 2.0, 'TNR': 1.0}",
    description="a mapping of metric to number",
    read=lambda text: {name: float(value) for name, value in _split_pairs(text)},
    is_valid=lambda value: isinstance(value, Mapping),
)
"""A number for each metric."""
BOUNDS = ValueForm(
    syntax="LEAST:MOST",
    example="(0.8, 1.2)",
    description="(least, most) with 0 <= least <= most",
    read=_read_bounds,
    is_valid=_are_bounds,
    convert=tuple,
)
"""Two numbers between which something lies."""
BOUNDS_BY_METRIC = ValueForm(
    syntax="METRIC=LEAST:MOST,...",
    example="{'TPR': (0.2, 0.5)}",
    description="a mapping of metric to (least, most) with 0 <= least <= most",
    read=lambda text: {name: _read_bounds(value) for name, value in _split_pairs(text)},
    is_valid=_are_bounds_by_metric,
    convert=lambda value: {name: tuple(bounds) for name, bounds in value.items()},
)
"""Bounds for each metric."""
BOUNDS_BY_PAIR = ValueForm(
    syntax="METRIC/METRIC=LEAST:MOST,...",
    example="{('TPR', 'TNR'): (2.0, float('inf'))}",
    description="a mapping of two metrics to (least, most) with 0 <= least <= most",
    read=lambda text: {_read_pair(name): _read_bounds(value) for name, value in _split_pairs(text)},
    is_valid=_are_bounds_by_pair,
    convert=_convert_ratios,
)
"""Bounds for the ratio of two metrics' weights."""
NORM_ORDER = ValueForm(
    syntax="1 | 2 | inf",
    example="2",
    description="a norm or its order",
    read=float,
    is_valid=lambda value: value in (1, 2, float("inf")),
)
"""The order of a norm."""
