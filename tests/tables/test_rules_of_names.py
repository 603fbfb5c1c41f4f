"""Rules of names are compiled only for names that begin as their words do; no name is lost by it."""

import re

from hypothesis import given
from hypothesis import strategies as st

from deabench.tables import vocabulary, words

PATTERNS = [line[0] for line in (*words.RULES, *words.WEAK)]


@given(
    st.sampled_from(PATTERNS).flatmap(
        lambda pattern: st.tuples(st.just(pattern), st.from_regex(pattern))
    )
)
def test_what_a_rule_knows_begins_as_one_of_its_words(found):
    pattern, name = found
    assert any(start in name for start in vocabulary.beginnings(pattern))


def test_most_rules_wait_until_a_name_needs_them():
    waiting = [
        pattern
        for pattern in PATTERNS
        if not any(start in "_classifier_" for start in vocabulary.beginnings(pattern))
    ]
    assert len(waiting) > len(PATTERNS) / 2
    assert not any(re.search(pattern, "_classifier_") for pattern in waiting)
