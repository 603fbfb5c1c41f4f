"""Tell whether a text speaks of amounts of which less may be better: sizes, times, errors, use."""

from __future__ import annotations

import re

from deabench.tables.naming.parsing import parse_name
from deabench.tables.naming.prose import direction_of_words
from deabench.tables.vocabulary import RULES
from deabench.utils.lazy import lazy_pattern

_SIZES = r"sizes?|bytes?|[kmgt]i?b|memory|ram|footprints?|storage|lengths?|lines|of the original"
_TIMES = r"times?|timings?|runtimes?|durations?|latenc(?:y|ies)|delays?|overheads?|wall.?clock"
_TIMES += r"|sec|secs|seconds?|min|mins|minutes?|hours?|days|ms|[µun]s|startup|slow\w*"
_COUNTS = r"numbers? of|counts?|steps? (?:until|to|needed|before)|steps|episodes?|iterations?"
_ERRORS = r"errors?|wrong|miss(?:es|ed)?|loss(?:es)?|lost|fail\w*|faults?|violations?|collisions?"
_ERRORS += r"|regrets?|[nr]*m[as]p?e|perplexity|drift|deviations?|std|stddev|varian(?:ce|t)"
_ERRORS += r"|variation|distances?|drops?|gaps?|degrad\w*|decreas\w*|reduc\w*|remain\w*|nois[ey]\w*"
_USE = r"usages?|utili[sz]ation|used|use|occupancy|load|consum\w*|drain|energy|power|[kmg]?wh"
_USE += r"|watts?|joules?|costs?|prices?|expens\w*|spen[dt]\w*|compress\w*|decompress\w*"
_AMOUNTS = lazy_pattern(
    rf"(?<![a-z])(?:{_SIZES}|{_TIMES}|{_COUNTS}|{_ERRORS}|{_USE})(?![a-z])", re.IGNORECASE
)


def speaks_of_amounts(text: str) -> bool:
    """Return whether a text, a heading or a file's name speaks of sizes, times, errors or use.

    Examples
    --------
    >>> speaks_of_amounts("Steps until solved"), speaks_of_amounts("Mean return")
    (True, False)
    """
    if _AMOUNTS.search(text.replace("_", " ")) or direction_of_words(text) in ("lower", "cost"):
        return True
    words = parse_name(text).all_words
    return any(meaning.role in ("cost", "lower_rate") for *_, meaning in RULES.find_matches(words))
