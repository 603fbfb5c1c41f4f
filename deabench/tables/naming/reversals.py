"""Find the words of a name that turn the direction of its metric: "accuracy drop", "error-free".

The vocabulary tells what "accuracy" and "latency" mean. A noun of loss behind or before them, a
negation, or a duration until a failure reverses which way is better. What such a word means may be
open: "latency drop" may be good, or bad where it counts drops.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal

from deabench.tables.naming.meaning import WEAK_KINDS, Meaning
from deabench.tables.naming.name_patterns import find_in_name, search_name
from deabench.tables.naming.parsing import ParsedName
from deabench.utils.lazy import lazy_pattern

LookUp = Callable[[str], Meaning | None]
MatchStart = Callable[[str, str], Meaning | None]
"""Gives the metric that some words begin with, and what has to follow it (a pattern)."""
Better = Literal["higher", "lower", "open"]

NOUNS: tuple[tuple[str, dict[str, Better]], ...] = (
    # A change for the worse, whatever gets worse.
    (
        r"degradations?|deteriorations?|penalt(?:y|ies)|loss(?:es)?|lost|(?<!no_)(?<!minor_)(?<!major_)damage|impairment"
        r"|worsening|regressions?|overhead|deficit|shortfall|erosion|sacrificed?|wasted|forfeited",
        {"higher": "lower", "lower": "lower"},
    ),
    # Less of a quality is worse, less of what is spent or wrong is better.
    (r"reductions?|decreases?|lowering|shrinkage", {"higher": "lower", "lower": "higher"}),
    (
        r"drops?|declines?|fall|dips?|decay|drop_?off|fall_?off|collapse|slump",
        {"higher": "lower", "lower": "open"},
    ),
    # What is not spent, or does not go wrong.
    (
        r"savings?|saved|avoided|averted|prevented|removed|eliminated|fixed|corrected|repaired"
        r"|mitigated|discounts?|rebates?|attainment|compliance|avoidance|prevention|resistance"
        r"|resilience|immunity|effectiveness",
        {"lower": "higher"},
    ),
    (r"inverse|inverted|reciprocal|complement", {"higher": "lower", "lower": "higher"}),
    # Faults that a tool finds are its success, or those of what is tested.
    (r"detected|caught|found|flagged", {"lower": "open"}),
    (r"improvements?|gains?|boost|uplift", {"lower": "higher"}),
)
"""Nouns, and which way is better in the change of a metric that is better high or low."""
PREFIXES: tuple[tuple[str, dict[str, Better]], ...] = (
    (
        r"false|wrong|incorrect|erroneous|spurious|failed|unsuccessful|missed|lost|dropped|rejected"
        r"|wasted|impaired|late|delayed|overdue|cancell?ed|returned|defective",
        {"higher": "lower"},
    ),
    (r"non|not|anti|inverse|inverted|reciprocal", {"higher": "lower", "lower": "higher"}),
    (r"without|saved|avoided|averted|prevented|eliminated|fixed", {"lower": "higher"}),
    (r"reduced|decreased|lowered", {"higher": "open", "lower": "open"}),
)
"""Words before a metric, and which way is better in what both say together."""
_FAULTS = (
    r"failures?|faults?|breakdowns?|incidents?|outages?|accidents?|collisions?|disengagements?"
    r"|interventions?|relapses?|recurrences?|progression|deaths?|churn|violations?|conflicts?"
)
_CRASHES = r"crash(?:es)?|bugs?|errors?|defects?|hallucinations?|toxic(?:ity)?|complications?"
_ENDS_WITH_FAULT = lazy_pattern(rf"_(?:{_FAULTS}|{_CRASHES})_$")
_FREE = (
    rf"_(?:{_FAULTS}|{_CRASHES}|events?|disease|loss)_free_"
    r"|_non_(?:toxic|harmful|biased|defective|faulty|violating|abusive|hallucinat\w+)_"
)
_BETWEEN = (
    r"_(?:mean_|avg_|average_)?(?:times?|hours?|days?|minutes?|miles?|kms?|distance|steps?"
    r"|requests?|runs?|cycles?)_(?P<link>to|between|before|until|without|since|per)"
    rf"(?:_(?:the|a|first|next|last|any))*_(?P<fault>{_FAULTS}|{_CRASHES})"
    r"(?:_(?:s|h|hours?|days?|seconds?|ms|minutes?|km|miles?))?_$"
)
"""A duration or distance that passes until something goes wrong."""
_LIFETIME = (
    r"_(?:up_?time|mtbfs?|mttff?s?|mtbd|lifetime|(?:battery|shelf|service)_life|survival_time)"
    r"(?:_(?:s|h|hours?|days?|seconds?|minutes?|percent))?_$"
)
_STARTING = r"_(?:start|warm|set|spin|boot|ramp|wake|power|build|bring|catch)_up_time"
"""The time until something runs, which is no time for which it runs."""
_STATISTIC = lazy_pattern(
    r"^_(?:mean|avg|average|median|total|overall|test|val|validation|relative)(?=_)"
)
"""Words between a metric and what turns it: "inverse mean latency"."""
_ADJUSTED = (
    r"_(?:adjusted|normali[sz]ed|weighted|aware|sensitive|corrected|controlled|constrained"
    r"|penali[sz]ed|matched)(?=_)"
)
_OPPOSITE = lazy_pattern(r"(?<=_)(?:dis|mis|in|im|un|ir)(?!balance)(?=[a-z]{5,}_)")
_NOUN_IN_BRACKETS = lazy_pattern(
    rf"[\s\d%]*(?:{'|'.join(nouns for nouns, _ in NOUNS)})(?:\s+(?:rate|points?|pp))?[\s%]*"
)
_TAIL = lazy_pattern(
    r"_(?:on|at|vs|versus|from|after|under|for|with|per|to|over|between|relative|compared|when|by"
    r"|in|of)_.*"
)
"""What follows a noun behind a preposition, and says where it was measured."""


def reverse_direction(
    name: ParsedName, meaning: Meaning | None, look_up: LookUp, match_start: MatchStart
) -> Meaning | None:
    """Return what a name means in view of the words that turn its metric.

    Parameters
    ----------
    meaning : Meaning or None
        What its words say by themselves; it stays where nothing turns it, and where the turned
        direction is the same.
    look_up : callable
        Gives what the words of a part of the name mean.
    match_start : callable
        Gives the metric that some words begin with, and a pattern of what follows it.
    """
    if name.quotient is not None:
        return _compare_quotient(name.quotient, meaning, match_start)
    # A noun may stand in brackets: "accuracy (drop)".
    is_noun = bool(name.unit) and _NOUN_IN_BRACKETS.fullmatch(name.unit) is not None
    words = name.all_words if is_noun else name.words
    for better in _find_directions(words, look_up, match_start):
        if meaning is not None and meaning.better == better:
            return meaning
        return _describe(better)
    return meaning


def _describe(better: Better) -> Meaning:
    """Return the meaning of a metric that a word of its name turns."""
    if better == "higher":
        return Meaning("output", reason="its name turns a cost or a loss: higher is better")
    if better == "lower":
        reason = "its name speaks of a loss of quality: lower is better"
        return Meaning("lower_rate", reason=reason, kind="loss")
    reason = "its name does not say which way is better"
    return Meaning("conditional", reason=reason, kind="open")


def _find_directions(words: str, look_up: LookUp, match_start: MatchStart) -> Iterator[Better]:
    """Yield the directions that the words of a name turn its metric to, the surest first."""
    # "time to failure" is no cost of time.
    between = search_name(_BETWEEN, words)
    if between is not None:
        is_found = between["link"] == "to" and re.fullmatch(_CRASHES, between["fault"])
        yield "open" if is_found else "higher"
    is_lifetime = search_name(_LIFETIME, words) and not search_name(_STARTING, words)
    if is_lifetime or search_name(_FREE, words):
        yield "higher"
    yield from _by_nouns(words, look_up)
    for pattern, directions in PREFIXES:
        for match in find_in_name(rf"_(?:{pattern})(?=_)", words):
            # "false acceptance rate", but not "false claims detected with high precision".
            target = match_start(_STATISTIC.sub("", words[match.end() :]), "")
            if target is None or target.better not in directions:
                continue
            # "Non-interest income" is an income of its own, and fixed assets are assets.
            whole_meaning = match_start(words[match.start() :], "")
            is_product = bool(target.production) and len(directions) > 1
            if not is_product and not (whole_meaning is not None and whole_meaning.production):
                yield directions[target.better]
    # "inefficiency" is the opposite of a quality.
    for match in _OPPOSITE.finditer(words):
        word = words[match.end() :].split("_")[0]
        is_known = match_start(f"_{words[match.start() : match.end()]}{word}_", "_$") is not None
        quality = match_start(f"_{word}_", "_$")
        if not is_known and quality is not None and quality.kind == "quality":
            yield "lower"
    # In "cost-adjusted score" the cost is no noun.
    for match in find_in_name(_ADJUSTED, words):
        target = look_up(words[match.end() :])
        if target is not None and target.better == "higher":
            yield "higher"


def _by_nouns(words: str, look_up: LookUp) -> Iterator[Better]:
    """Yield the direction of "accuracy drop" and "drop in accuracy"."""
    for pattern, directions in NOUNS:
        for match in find_in_name(rf"_(?:{pattern})(?=_)", words):
            before = f"{words[: match.start()]}_"
            after = words[match.end() :]
            link = re.match(r"_(in|of|on|to|for)(_the)?(?=_)", after)
            target = None
            if link is not None and link[1] in ("in", "of"):
                target = look_up(after[link.end() :])
            if not _has_direction(target):
                # A word of its own behind the noun is what the name speaks of: "drop rate (ms)".
                behind = look_up(_TAIL.sub("_", after))
                if behind is not None and behind.kind not in WEAK_KINDS:
                    continue
                target = look_up(before) if len(before) > 2 else None
            if not _has_direction(target) and link is not None:
                target = look_up(after[link.end() :])
            metric = "neither" if target is None else target.better
            # Performance is better high, whatever measures it, and faults are a loss.
            if metric == "neither" and "_performance_" in before + after:
                metric = "higher"
            if metric == "neither" and _ENDS_WITH_FAULT.search(before):
                metric = "lower"
            if metric in directions:
                yield directions[metric]


def _has_direction(meaning: Meaning | None) -> bool:
    return meaning is not None and meaning.better != "neither"


def _compare_quotient(
    quotient: tuple[str, str], meaning: Meaning | None, match_start: MatchStart
) -> Meaning | None:
    """Return what "accuracy / cost" means: open where both sides are metrics that disagree.

    Such a name may also stand for the latency of a group that is called speed.
    """
    above, below = (match_start(words, "_$") for words in quotient)
    if above is not None and below is None and above.better == "higher":
        # "MCC / kParam" is no size, whatever it ends with.
        is_cost = meaning is not None and meaning.better == "lower"
        return _describe("open") if is_cost else meaning
    if above is None or below is None or below.kind == "throughput":
        return meaning
    if above.kind == "benchmark" or "neither" in (above.better, below.better):
        return meaning
    return meaning if above.better == below.better else _describe("open")
