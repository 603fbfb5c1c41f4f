"""Rules of names are compiled only for names that begin with their words; none is lost."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deabench.tables.vocabulary import RULES, WEAK_RULES, look_up_beside, look_up_metric

ALL_RULES = (*RULES, *WEAK_RULES)


@given(
    st.sampled_from(ALL_RULES).flatmap(
        lambda rule: st.tuples(st.just(rule), st.from_regex(rule.pattern))
    )
)
def test_what_a_rule_matches_begins_as_one_of_its_words(pair):
    rule, name = pair
    assert any(start in name for start in rule.starts)


def test_most_rules_are_not_compiled_until_a_name_needs_them():
    waiting = [
        rule for rule in ALL_RULES if not any(start in "_classifier_" for start in rule.starts)
    ]
    assert len(waiting) > len(ALL_RULES) / 2
    assert not any(re.search(rule.pattern, "_classifier_") for rule in waiting)


def test_sat_beside_solved_counts_instances() -> None:
    names = ["Total Sat", "Total Unsat", "Total Solved"]
    for name in names[:2]:
        meaning = look_up_beside(name, names)
        assert meaning is not None
        assert meaning.role == "output"
    assert look_up_beside("Sat", ["Sat", "Time"]) is None


@pytest.mark.parametrize("name", ["input_throughput", "input_tokens_per_second"])
def test_throughputs_of_inputs_are_no_inputs(name) -> None:
    meaning = look_up_metric(name)
    assert meaning is not None
    assert meaning.role == "output"
