"""That no forged ranking passes its certificate: every field, option and piece of evidence."""

from __future__ import annotations

import pytest
from forgeries import Verdict, judge_forgeries
from quick_cases import mark_most_slow

from benchmarks.exact_comparison import draw_case
from deabench.errors import DataError
from deabench.models import MODELS

QUICK_KINDS = ["uniform", "zeros", "duplicates", "integers"]
HARD_KINDS = ["grid", "ranges", "leaderboard", "integers", "close", "one row", "one metric"]


def judge_tables(model: str, kinds: list[str], seeds: range, every: int = 1) -> list[Verdict]:
    """Return what came of the forgeries of a model's rankings of some tables."""
    verdicts = []
    for seed in seeds:
        try:
            ranking = draw_case(seed, [model], kinds).rank()
        except DataError:  # a table that the model does not take
            continue
        verdicts.append(judge_forgeries(ranking, seed, every))
    return verdicts


def check_verdicts(verdicts: list[Verdict]) -> None:
    passed = [name for verdict in verdicts for name in verdict.passed]
    crashed = [name for verdict in verdicts for name in verdict.crashed]
    assert not passed, "\n".join(passed)
    assert not crashed, "\n".join(crashed)


@pytest.mark.parametrize("model", mark_most_slow(MODELS, 5))
def test_no_forgery_of_a_plain_table_passes(model) -> None:
    verdicts = judge_tables(model, QUICK_KINDS, range(40, 44), every=32)
    check_verdicts(verdicts)
    assert sum(verdict.refused for verdict in verdicts) > 25


@pytest.mark.slow
@pytest.mark.parametrize("model", list(MODELS))
def test_no_forgery_of_a_hard_table_passes(model) -> None:
    # Every sixth forgery of each of six tables, from another one on: together they are all tried.
    verdicts = judge_tables(model, HARD_KINDS, range(100, 106), every=6)
    check_verdicts(verdicts)
    assert sum(verdict.refused for verdict in verdicts) > 150
