"""The one place that knows metric names: which way is better, in which range and unit, and what is
no metric at all.

`meaning(name)` is what the gate, the readers, the study and the commands consult. The metrics that
deabench computes keep their range and direction beside their formula (`deabench.metrics.formulas`),
which is consulted first; the words below are those that the field writes. A rule is a regular
expression over a name's words (`deabench.tables.names`). Names decide: values are only held against
the range (`deabench.tables.roles`)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf
from typing import Literal

from deabench.tables import words as w
from deabench.tables.names import ParsedName, parse_name

Role = Literal["output", "lower_rate", "cost", "label", "dataset", "left_out", "conditional"]

ROLES: tuple[Role, ...] = (
    "output",
    "lower_rate",
    "cost",
    "label",
    "dataset",
    "left_out",
    "conditional",
)


@dataclass(frozen=True)
class Meaning:
    """What a column of that name measures.

    Attributes
    ----------
    role : str
        "output": higher is better; "lower_rate": a measure of quality that is better low; "cost":
        what is spent (time, price, size); "label": names the systems; "dataset": names the data
        sets; "left_out": no metric; "conditional": a metric whose direction another column or the
        study decides.
    unit : str
        "share" (0 to 1, or percent), "seconds", "ms", "count", ...; empty where it is not known.
    low, high : float
        The range; infinite where there is none.
    reason : str
        Why, in words for the user.
    negated : bool
        The name says that its sign is turned (`neg_log_loss`), so that high is good.
    """

    role: Role
    unit: str = ""
    low: float = -inf
    high: float = inf
    reason: str = ""
    negated: bool = False

    @property
    def better(self) -> Literal["higher", "lower", "neither"]:
        """Which way is better."""
        if self.role == "output":
            return "higher"
        return "lower" if self.role in ("lower_rate", "cost") else "neither"


Rule = tuple[tuple[str, ...], str, Meaning]


def beginnings(pattern: str) -> tuple[str, ...]:
    """What each word of a pattern begins with: a name without any of it need not wait until the
    pattern is compiled.
    """
    words = pattern.removeprefix("_(").removesuffix(")(?=_)").split("|")
    return (
        tuple("_" + re.sub(r"\w?[?*{].*|[^a-z0-9_].*", "", word) for word in words)
        if pattern.startswith("_(")
        else ("",)
    )


def _ruled(lines: tuple[w.Line, ...]) -> tuple[Rule, ...]:
    return tuple(
        (beginnings(pattern), pattern, Meaning(role, unit, low, high, reason))
        for pattern, role, unit, low, high, reason in lines
    )


_RULES, _WEAK = _ruled(w.RULES), _ruled(w.WEAK)


def look_up_metric(name: object) -> Meaning | None:
    """What a column of this name measures; None where no rule knows it.

    Examples
    --------
    >>> meaning("mean_test_neg_log_loss").role, meaning("top1_err").role, meaning("fit_time").role
    ('output', 'lower_rate', 'cost')
    >>> meaning("seed").role, meaning("flux")
    ('left_out', None)
    """
    return _meaning(str(name))


@lru_cache(maxsize=4096)
def _meaning(text: str) -> Meaning | None:
    found = _of_catalogue(text)
    if found is not None:
        return found
    name = parse_name(text)
    if name.negated:
        turned = _of_words(name)
        if turned is not None and turned.better == "lower":
            return Meaning(
                "output",
                turned.unit,
                -turned.high,
                -turned.low,
                "its sign is turned, so higher is better",
                True,
            )
        return _lower(turned, "its sign is turned, so lower is better")
    found = _of_words(name)
    if name.complement:
        return _lower(found, "it is what another metric lacks: lower is better")
    return _as_the_arrow_says(name, found) if name.says else found


def _lower(found: Meaning | None, reason: str) -> Meaning | None:
    """A metric that is better high, turned round."""
    if found is None or found.role != "output":
        return found
    low, high = (found.low, found.high) if "lacks" in reason else (-inf, inf)
    return replace(
        found,
        role="lower_rate",
        low=low,
        high=high,
        unit=found.unit if high < inf else "",
        reason=reason,
    )


def _of_catalogue(text: str) -> Meaning | None:
    """The metrics of deabench's own: formula, range and direction stand in their catalogue, and
    nowhere else.
    """
    from deabench.metrics.formulas import DIRECTION, METRICS

    name = "F1" if re.fullmatch(r"F\d+(\.\d+)?", text) else text
    if name not in METRICS:
        better = DIRECTION.get(name) or DIRECTION.get(re.sub(r"@.*$", "@t", name))
        if better not in ("higher", "lower"):
            return None
        share = name in ("roc_auc", "pr_auc", "KS")
        return Meaning(
            "output" if better == "higher" else "lower_rate",
            "share" if share else "",
            0.0 if share else -inf,
            1.0 if share else inf,
            f"{better} is better",
        )
    metric = METRICS[name]
    low, high = float(metric.low), float(metric.high)
    unit = "share" if (low, high) == (0.0, 1.0) else ""
    if metric.better == "neither":
        return Meaning("left_out", unit, low, high, "it describes the data, it does not judge")
    if metric.better == "higher":
        return Meaning("output", unit, low, high, "higher is better")
    return Meaning("cost" if "cost" in name else "lower_rate", unit, low, high, "lower is better")


def _as_the_arrow_says(name: ParsedName, found: Meaning | None) -> Meaning:
    """An arrow in the name beats every rule, but a spread or a rank stays what it is."""
    reason = f"its name says that {name.says} is better"
    if found is not None and found.role == "left_out" and re.search(w.ALWAYS, name.words):
        return found
    low, high, unit = (found.low, found.high, found.unit) if found is not None else (-inf, inf, "")
    if name.says == "higher":
        return Meaning("output", unit, low, high, reason)
    role: Role = "cost" if found is not None and found.role == "cost" else "lower_rate"
    return Meaning(role, unit, low, high, reason)


def _of_words(name: ParsedName) -> Meaning | None:
    """The rule that fits: what is never a metric first, then the last word that is known, for it is
    the noun.
    """
    words = name.words
    for pattern, reason in w.NEVER:
        if re.search(pattern, name.whole) or re.search(pattern, words):
            return Meaning("left_out", reason=reason)
    if re.search(w.THROUGHPUT, name.whole) and not re.search(w.SPENT_PER_TIME, name.whole):
        return Meaning("output", "per second", 0.0, inf, "a throughput: higher is better")
    head = re.sub(r"_(at|per)_.*$", "_", words)
    found = _rightmost(head, _RULES) or _rightmost(words, _RULES)
    spent = unit_of(name)
    if (
        spent in SPENDING and re.search(w.SPENT, words) and not re.search(w.LIMIT, name.whole)
    ):  # co2_year_mean_kg is no year
        return Meaning("cost", spent, 0.0, inf, f"what is spent, in {spent}: lower is better")
    stated = _of_unit(name.unit)
    if stated is not None and (
        found is None
        or found.role == "output"  # "speed (ms)"; "speed CPU (ms)" is no setting
        or (found.role == "left_out" and not re.search(w.LIMIT, name.whole))
    ):
        found = stated
    if (
        found is None and name.unit
    ):  # "2000 tokens (hallucination rate)": what stands in brackets is the noun
        inside = _rightmost(parse_name(name.unit).words, _RULES)
        found = inside if inside is not None and inside.role in ("output", "lower_rate") else None
    found = found or _rightmost(words, _WEAK)
    if found is None:
        return None
    if found.role in ("output", "lower_rate") and re.search(
        r"_(train|training|in_sample|resubstitution)_", words
    ):
        return Meaning("left_out", reason="it is measured on the training data")
    last = re.search(r"\w_(min|max|minimum|maximum|best|worst)_$", words)
    if found.role in ("output", "lower_rate") and last:
        return Meaning(
            "left_out",
            reason="it is the least or the greatest of several values, no metric of its own",
        )
    return replace(found, unit=unit_of(name) or found.unit)


def _rightmost(words: str, rules: tuple[Rule, ...]) -> Meaning | None:
    """The meaning whose word ends last; of several the longest."""
    best: tuple[int, int] = (0, 0)
    found = None
    for starts, pattern, rule in rules:
        for match in re.finditer(pattern, words) if any(start in words for start in starts) else ():
            place = (match.end(), match.end() - match.start())
            if place > best:
                best, found = place, rule
    return found


_UNITS = (
    (r"(^|_)(ms|msec|milliseconds?|millis)(_|$)", "ms"),
    (r"(^|_)(s|secs?|seconds?)(_|$)", "seconds"),
    (r"(^|_)(minutes?|mins)(_|$)", "minutes"),
    (r"(^|_)(h|hrs?|hours?)(_|$)", "hours"),
    (r"(^|_)(usd|dollars?)(_|$)", "usd"),
    (r"(^|_)eur(_|$)", "eur"),
    (r"(^|_)kwh(_|$)", "kWh"),
    (r"(^|_)(wh|joules?|j)(_|$)", "energy"),
    (r"(^|_)kg(_|$)", "kg"),
    (r"(^|_)gb(_|$)", "GB"),
    (r"(^|_)mb(_|$)", "MB"),
    (r"(^|_)kb(_|$)", "KB"),
    (r"(^|_)(watts?|w)(_|$)", "W"),
)
SPENDING = ("usd", "eur", "kWh", "energy", "kg")
"""Units in which a name that speaks of spending states an amount that was spent."""


def unit_of(name: ParsedName) -> str:
    """The unit that a name states, in brackets or as a word; empty without."""
    for text in (parse_name(name.unit).words if name.unit else "", name.words):
        for pattern, unit in _UNITS:
            if (
                text
                and re.search(pattern, text)
                and not (
                    text is name.words
                    and unit in ("kg", "energy", "W")
                    and not re.search(w.SPENT, text)
                )
            ):
                return unit
    return ""


def _of_unit(unit: str) -> Meaning | None:
    """An unknown name with a unit in brackets: seconds, dollars or kWh are spent, tokens per second
    are had.
    """
    if not unit:
        return None
    words = parse_name(unit).words
    if re.search(w.THROUGHPUT, words):
        return Meaning("output", "per second", 0.0, inf, f"a throughput ({unit}): higher is better")
    for pattern, known in _UNITS:
        if re.search(pattern, words.strip("_")):
            return Meaning(
                "cost", known, 0.0, inf, f"measured in {unit}: what is spent is better low"
            )
    return None


SAME = {"percent": "share"}


def has_mixed_units(names: list[str], inputs: list[str]) -> bool:
    """Whether metrics are counted in units that cannot be added: a cost beside a rate, seconds
    beside dollars.
    """
    units = {
        SAME.get(found.unit, found.unit)
        for found in map(look_up_metric, names)
        if found is not None and found.unit
    }
    return bool(inputs) or len(units) > 1
