"""Find the unit that a name states, in brackets or as a word."""

from __future__ import annotations

import re

from deabench.tables.naming.name_patterns import search_name
from deabench.tables.naming.parsing import ParsedName, parse_name
from deabench.utils.lazy import lazy_pattern

_UNITS = (
    (r"ms|msec|milliseconds?|millis", "ms"),
    (r"secs?|seconds?", "seconds"),
    (r"s", "seconds"),
    (r"us|µs|microseconds?|ns|nanoseconds?", "microseconds"),
    (r"minutes?|mins?", "minutes"),
    (r"hrs?|hours?", "hours"),
    (r"h", "hours"),
    (r"days?", "days"),
    (r"usd|dollars?|cents?", "usd"),
    (r"eur", "eur"),
    (r"kwh", "kWh"),
    (r"wh|joules?|j|kj|mj", "energy"),
    (r"kg", "kg"),
    (r"gb|gib|gi_b", "GB"),
    (r"mb|mib|mi_b", "MB"),
    (r"kb|kib|ki_b|bytes?", "KB"),
    (r"watts?|w", "W"),
    (r"k?cycles?", "cycles"),
)
BYTES = ("GB", "MB", "KB")
_UNIT_IN_BRACKETS = (
    r"_((avg|mean|median|total|wall|cpu|gpu|peak|max|in|approx|p\d+)_)*({})"
    r"(_(avg|mean|median|total|wall|cpu|gpu|peak|max|co2\w*|per_\w+))*_"
)
"""A unit, alone or with what it is per: "(J&F)" and "(h=512)" state none."""
LETTER_UNITS = (
    "s",
    "h",
    "wh|joules?|j|kj|mj",
    "watts?|w",
    "kg",
    "days?",
    "us|µs|microseconds?|ns|nanoseconds?",
    "minutes?|mins?",
)
"""Units that a word of a name states only where the name speaks of spending."""
DEVICE = lazy_pattern(r"(?<=\w)_(cpu|gpu|npu|tpu)_$")
"""Where something was measured, behind its name."""


def unit_of(name: ParsedName, *, is_spending: bool) -> str:
    """Return the unit that a name states, in brackets or as a word; empty without.

    Parameters
    ----------
    is_spending : bool
        Whether the name speaks of spending: a single letter is a unit only then.
    """
    # Brackets state a unit for certain: "time (s)".
    if name.unit:
        unit = unit_in_brackets(name.unit)
        if unit:
            return unit
    # A single letter is a unit where something is spent: "train_time_s", but not "RITA S".
    for pattern, unit in _UNITS:
        if (is_spending or pattern not in LETTER_UNITS) and search_name(
            rf"_({pattern})(?=_)(?!_(?:pct|percent|pctl)_)", name.words
        ):
            return unit
    return ""


def unit_in_brackets(text: str) -> str:
    """Return the unit that some brackets hold, "(ms; batch 1)"; empty without."""
    for part in re.split(r"[;,|]", text):
        # "MiB" is one word.
        words = parse_name(part.lower()).words
        for pattern, unit in _UNITS:
            if re.fullmatch(_UNIT_IN_BRACKETS.format(pattern), words):
                return unit
    return ""


def spell_unit(unit: str) -> str:
    """Return a unit of cells as the name of a column has it: B is for bytes there, not billions."""
    return "bytes" if unit == "B" else unit
