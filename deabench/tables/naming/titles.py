"""Find the metric that the name of a file, or a heading, ends with."""

from __future__ import annotations

import re

from deabench.tables.naming.parsing import parse_name
from deabench.tables.vocabulary import (
    RULES,
    THROUGHPUTS,
    is_weak,
    look_up_computed,
    look_up_metric,
)

_TITLE_WORDS = r"results?|scores?|table|summary|leaderboard|all|test|val|final|\d+"
"""Words behind the metric in the name of a file."""


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
        nouns = (THROUGHPUTS, *(rule.pattern for rule in RULES))
        is_noun = any(re.search(noun + "_$", tail_words) for noun in nouns)
        if not is_noun and look_up_computed(tail) is None:
            continue
        longer = "_".join(words[k - 1 :]) if k else ""
        # "balanced_accuracy" says more than "accuracy".
        if longer and any(
            re.match(rule.pattern + "_$", parse_name(longer).words) for rule in RULES
        ):
            continue
        return tail
    return ""
