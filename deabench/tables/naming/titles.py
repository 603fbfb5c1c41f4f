"""Find the metric that the name of a file, or a heading, ends with."""

from __future__ import annotations

import re

from deabench.tables.naming.meaning import Meaning
from deabench.tables.naming.name_patterns import search_name
from deabench.tables.naming.parsing import parse_name
from deabench.tables.naming.prose import speaks_of_amounts, states_directions
from deabench.tables.naming.vocabulary import (
    BETTER_ROLES,
    RULES,
    THROUGHPUTS,
    WEAK_RULES,
    is_weak,
    look_up_computed,
    look_up_metric,
    look_up_unit,
)
from deabench.utils.lazy import lazy_pattern

_TITLE_WORDS = r"results?|scores?|table|summary|leaderboard|all|test|val|final|\d+"
_TITLE_WORDS += r"|fp\d+|bf16|tf32|int\d|cpu|gpu|train|training|inference"
"""Words behind the metric in the name of a file."""
NAMED_METRICS = {
    *("WER", "CER", "TER", "BLEU", "ROUGE", "METEOR", "RMSE", "NRMSE", "MAPE", "SMAPE", "MASE"),
    *("AUROC", "NDCG", "MRR"),
}
"""Acronyms of error rates and scores that stand for nothing else, and for no setting."""

MAX_HEADING_WORDS = 10
_FIRST_NOUN = lazy_pattern(
    r"\W*((?:[\w@.+-]+ ){0,3}?[\w@.+-]+) (?:across|at|of|on|over|for|by|per|under|when)\b",
    re.IGNORECASE,
)
"""What a caption begins with, before it says of what: "Accuracy across eight benchmarks"."""

_STATED_UNIT = lazy_pattern(
    r"^\W*(?:score ?)?units?\s*(?:is|[:=])\s*`?([A-Za-zµμ/]+)`?\W*$", re.IGNORECASE | re.MULTILINE
)
"""A line that states the unit of the numbers below it."""
_TRAVELLED = lazy_pattern(r"(?:k?m|mi|[kmg]?bits?|[kmg]b)(?:/|ps|ph)", re.IGNORECASE)
"""Units of speeds and streams that are as often predicted or needed as reached."""
_MEASURED = lazy_pattern(r"\W*((?:[\w@.+-]+ ){0,5}[\w@.+-]+) ?\((?:%|percent)\)(?: [-–—] .*)?")
"""A heading that ends with the unit of the rate that it names, but for a part of the data."""


def metric_of_title(title: str) -> str:
    """Return the metric that a file's name ends with, adbench_AUCROC: AUCROC; empty without one.

    Examples
    --------
    >>> metric_of_title("adbench_AUCROC"), metric_of_title("wer_results"), metric_of_title("scores")
    ('AUCROC', 'wer', '')
    >>> metric_of_title("time_series_benchmark"), metric_of_title("error_analysis")
    ('', '')
    """
    words = [word for word in re.split(r"[-_\s.]+", title) if word]
    while len(words) > 1 and re.fullmatch(_TITLE_WORDS, words[-1], re.IGNORECASE):
        words.pop()
    # The shortest ending that is the name of a metric from its first to its last word.
    for k in reversed(range(len(words))):
        tail = "_".join(words[k:])
        meaning = look_up_metric(tail)
        if meaning is None or meaning.better == "neither" or is_weak(meaning):
            continue
        # The metric is the last word: "error_analysis" is none.
        tail_words = parse_name(tail).words
        is_throughput = search_name(THROUGHPUTS + "_$", tail_words) is not None
        is_noun = is_throughput or any(RULES.find_matches(tail_words, "_$"))
        if not is_noun and look_up_computed(tail) is None:
            continue
        longer = "_".join(words[k - 1 :]) if k else ""
        # "balanced_accuracy" says more than "accuracy".
        if longer and RULES.match_start(parse_name(longer).words, "_$") is not None:
            continue
        return tail
    return ""


def metric_before_colon(heading: str, prose: str) -> str:
    """Return the acronym of a rate or loss that a heading begins with before a colon; else "".

    What stands there is a setting, as "Recall: 95 %", or one metric of several as soon as what
    follows, or the further text, has a number, a unit, a direction or another metric.

    Parameters
    ----------
    prose : str
        The text around the table, with the heading.

    Examples
    --------
    >>> metric_before_colon("WER: all plugins", ""), metric_before_colon("WER: 10 % (latency)", "")
    ('WER', '')
    """
    heading = heading.strip("# ")
    start, _, subject = heading.partition(":")
    if start not in NAMED_METRICS or not subject or re.search(r"[\d%(]", subject):
        return ""
    text = f"{subject}\n{prose.replace(heading, ' ')}"
    words = parse_name(text).all_words
    names_metric = any(
        meaning.role in ("cost", *BETTER_ROLES.values())
        for *_, meaning in RULES.find_matches(words)
    )
    if names_metric or speaks_of_amounts(text) or states_directions(text):
        return ""
    return start


def meaning_of_heading(heading: str) -> Meaning | None:
    """Return what all metrics in a heading mean; None where they disagree or there is none.

    Examples
    --------
    >>> meaning_of_heading("Timing on a laptop").role, meaning_of_heading("Score by split").role
    ('cost', 'output')
    >>> meaning_of_heading("Accuracy against latency"), meaning_of_heading("Results")
    (None, None)
    """
    # "Time series forecasting" speaks of no time.
    words = parse_name(heading).all_words.replace("_time_series_", "_")
    # A long caption speaks of more than what its table holds.
    if not heading or words.count("_") > MAX_HEADING_WORDS:
        return None
    for rules in (RULES, WEAK_RULES):
        meanings = [
            meaning
            for _, _, meaning in rules.find_matches(words)
            if meaning.role in ("cost", *BETTER_ROLES.values())
            and not (rules is RULES and is_weak(meaning))
            # "Ranking on Aircraft" speaks of a data set.
            and not meaning.production
        ]
        if meanings:
            roles = {meaning.role for meaning in meanings}
            # A mean alone does not tell of what it is one.
            is_mean = all(meaning.kind == "mean of scores" for meaning in meanings)
            return meanings[0] if len(roles) == 1 and not is_mean else None
    return None


def meaning_with_unit(heading: str) -> Meaning | None:
    """Return what the rate means that a heading names before "(%)"; None without that.

    Examples
    --------
    >>> meaning_with_unit("Joint success rate (%) - first run").better
    'higher'
    >>> meaning_with_unit("WER (%)").better, meaning_with_unit("Accuracy of models")
    ('lower', None)
    """
    match = _MEASURED.fullmatch(heading)
    meaning = look_up_metric(metric_of_title(match[1])) if match else None
    return meaning if meaning is not None and meaning.role in BETTER_ROLES.values() else None


def meaning_of_stated_unit(text: str) -> Meaning | None:
    """Return what the one unit means that a line of a text states; None without one.

    Examples
    --------
    >>> meaning_of_stated_unit("ScoreUnit: ns/op").better
    'lower'
    >>> meaning_of_stated_unit("unit: km/h"), meaning_of_stated_unit("Accuracy. Time unit: s")
    (None, None)
    """
    units = {match[1] for match in _STATED_UNIT.finditer(text)}
    # Several units belong to several things.
    if len(units) != 1 or _TRAVELLED.match(next(iter(units))):
        return None
    return look_up_unit(units.pop())


def meaning_of_caption(caption: str) -> Meaning | None:
    """Return what the metric means that a caption begins with; None without one.

    Examples
    --------
    >>> meaning_of_caption("Accuracy across eight benchmarks of memory. A margin is wide.").better
    'higher'
    >>> meaning_of_caption("Results on the accuracy of models")
    """
    noun = _FIRST_NOUN.match(caption)
    metric = metric_of_title(noun[1]) if noun else ""
    meaning = look_up_metric(metric) if metric else None
    return meaning if meaning is not None and meaning.role in BETTER_ROLES.values() else None
