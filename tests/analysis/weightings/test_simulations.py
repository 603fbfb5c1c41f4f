"""Coverage of the limits under noise, and three ways to the same ranks."""

from __future__ import annotations

import pytest
from simulations.weightings import KINDS, compare_ways, coverage, settings

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def test_three_ways_and_the_certificate_agree_on_each_kind_of_table() -> None:
    agree = compare_ways(len(KINDS))
    assert (agree == 1).all(axis=None)


@pytest.mark.slow
def test_three_ways_agree_on_many_tables() -> None:
    # What is wrong in one of 30 tables or more is seen in one of 96 with probability .96.
    agree = compare_ways(12 * len(KINDS), seed=1)
    assert (agree == 12).all(axis=None)


@pytest.mark.slow
@pytest.mark.parametrize("name", settings())
def test_limits_cover_the_true_ranks_of_all_rows(name) -> None:
    measured = coverage(*settings()[name], runs=100, beside_sample=False)
    # Of 100 runs at least 90 hold where .95 do, with probability .99.
    assert measured["limits cover"] >= 0.9
    assert measured["width of the limits"] >= measured["true width"] * 0.9
