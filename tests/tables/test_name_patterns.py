"""A pattern is compiled only for names that hold how it begins; no match is lost."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deabench.tables.naming import name_patterns, reversals, vocabulary
from deabench.tables.naming.name_patterns import (
    find_in_name,
    match_name_start,
    match_whole_name,
    may_match,
    pattern_starts,
    search_name,
)
from deabench.tables.naming.vocabulary import column_pattern

VOCABULARY_PATTERNS = [
    *(pattern for pattern, _ in vocabulary.FIRST_RULES),
    *(rule.name for rule in vocabulary.PAIRED_WORDS),
    *(f"_(?:{words})(?=_)" for words, _ in (*reversals.NOUNS, *reversals.PREFIXES)),
    *(column_pattern(kind) for kind in vocabulary._WORDS["columns"]),
    *vocabulary.ERROR_WORDS.values(),
    vocabulary._THROUGHPUT,
    vocabulary._SPENT_PER_TIME,
    vocabulary._SPENDING,
]
# Lookarounds generate nothing; what they forbid is filtered by the search itself.
LOOKAROUNDS = re.compile(r"\(\?<?[=!](?:[^()]|\([^()]*\))*\)")


def names_near(pattern):
    """Return names that a pattern nearly or fully matches, beside other words."""
    words = st.from_regex(LOOKAROUNDS.sub("", pattern).strip("^$"), fullmatch=True)
    return st.tuples(words, st.sampled_from(["", "top_", "time_s_", "n_", "err_"])).map("".join)


@given(
    st.sampled_from(VOCABULARY_PATTERNS).flatmap(
        lambda pattern: st.tuples(st.just(pattern), names_near(pattern))
    ),
    st.sampled_from(["", "_the", "_mean"]),
)
def test_matches_are_those_of_re(pair, prefix):
    pattern, words = pair
    name = prefix + words
    assert (search_name(pattern, name) is None) == (re.search(pattern, name) is None)
    assert (match_name_start(pattern, name) is None) == (re.match(pattern, name) is None)
    assert (match_whole_name(pattern, name) is None) == (re.fullmatch(pattern, name) is None)
    spans = [match.span() for match in find_in_name(pattern, name)]
    assert spans == [match.span() for match in re.finditer(pattern, name)]


@pytest.mark.parametrize(
    ("pattern", "starts"),
    [
        ("_acc_", ("_acc_",)),
        # Every alternative, in groups of groups, too.
        ("_(top|(best|worst)_k)_", ("_top", "_best", "_worst")),
        # The last letter may be missing or repeated, the first one may be missing.
        ("_colou?r", ("_colo",)),
        ("_m?pve", ("_mpve", "_pve")),
        # A group that may be missing is followed by what begins without it.
        ("_(mean_)?time", ("_mean_", "_time")),
        # How often a group stands is not counted.
        ("_(ab){0,2}c", ("_",)),
        # Lookarounds hold no letters of their own.
        (r"(?<=\w)_(?!per_)(?<!x)rate", ("_rate",)),
        # Any word may stand before what a name has to hold.
        (r"_(\w+_)?livestock_", ("livestock_",)),
        (r"\w*sts\w*", ("sts",)),
        # A pattern that is bound to the beginning is looked for there alone.
        ("^_n_of_|_count_", ("^_n_of_", "_count_")),
    ],
)
def test_how_a_pattern_begins(pattern, starts) -> None:
    assert pattern_starts(pattern) == starts


def test_a_pattern_that_cannot_match_is_not_compiled(monkeypatch) -> None:
    compiled = []
    monkeypatch.setattr(name_patterns, "_compile", compiled.append)
    assert search_name("^_(top|best)_k", "_at_top_5_") is None
    assert match_whole_name("_(accuracy|recall)_", "_f1_recall_") is None
    assert list(find_in_name("_(drops?|losses)(?=_)", "_latency_ms_")) == []
    assert compiled == []
    assert may_match("^_(top|best)_k", "_top_5_")


def test_most_patterns_are_not_compiled_for_a_plain_name() -> None:
    waiting = [pattern for pattern in VOCABULARY_PATTERNS if not may_match(pattern, "_accuracy_")]
    assert len(waiting) > 0.9 * len(VOCABULARY_PATTERNS)
    assert not any(re.search(pattern, "_accuracy_") for pattern in waiting)
