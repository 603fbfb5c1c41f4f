"""What the benchmark of type I errors counts is what the tests answer: its short cuts against the
functions themselves.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from simulations import type_one_errors as type_one
from simulations.exact_levels import NAMES, exact_levels, nulls, signed_rank_p, table_of

from deabench import compare
from deabench.compare.friedman import DRAWS, EXACT_DATA_SETS
from deabench.compare.pairwise import PairTest

pytestmark = pytest.mark.filterwarnings("ignore::deabench.DataWarning")


@pytest.mark.parametrize("count", [3, 8, pytest.param(14, marks=pytest.mark.slow)])
def test_levels_of_tests_of_ranks_are_exact_and_at_most_six_per_cent(count: int) -> None:
    levels = exact_levels(count)
    assert max(levels.values()) <= 0.06
    assert (
        levels["ranks, holm"] <= levels["ranks, shaffer"] <= levels["ranks, bergmann-hommel"]
    )  # each is sharper than the one before


def test_a_level_by_hand() -> None:
    """With three data sets only unanimous ones have p below .05 (6 of 216 orders); with six, signs
    alike (2 of 64).
    """
    assert exact_levels(3)["friedman"] == pytest.approx(6 / 216, rel=1e-12)
    assert exact_levels(6)["wilcoxon"] == pytest.approx(2 * binom.pmf(0, 6, 0.5), rel=1e-12)


def test_every_sum_has_its_table() -> None:
    for sums in nulls()[5]:
        table = table_of(5, sums)
        assert (table.sum() - 10).tolist() == list(sums)
        assert (np.sort(table, axis=1) == [1, 2, 3]).all()


@pytest.mark.parametrize("count", [4, 15])
def test_short_cuts_answer_what_the_tests_answer(count: int) -> None:
    rng = np.random.default_rng(count)
    scores = type_one._drawn(rng, count, 12)
    tied = (2 * scores).round()
    for cut, test, tables in (
        (type_one._untied, "wilcoxon", scores),
        (type_one._permuted, "permutation", scores),
        (type_one._permuted, "permutation", tied),
    ):
        np.testing.assert_allclose(cut(tables), _pairwise(tables, test), rtol=1e-9)
    assert (
        (type_one._signed(tied) < 0.05) == (_pairwise(tied, "wilcoxon") < 0.05)
    ).all()  # clear ones are not looked at
    assert signed_rank_p(count)[0] == pytest.approx(
        compare.wilcoxon(np.arange(1, count + 1), np.zeros(count)).p_value
    )


@pytest.mark.parametrize("count", [5, 20])
def test_missing_scores_are_tested_by_their_pattern(count: int) -> None:
    scores = type_one._drawn(np.random.default_rng(count), count, 4)
    scores[:, 1:3, 0] = np.nan
    p = np.array(
        [compare.skillings_mack(pd.DataFrame(table, columns=NAMES)).p_value for table in scores]
    )
    error = (
        np.sqrt(2 * p * (1 - p) / DRAWS) if count <= EXACT_DATA_SETS else 1e-9
    )  # up to 13 both draw orders, from other starts
    assert (np.abs(type_one.skillings_mack_p(scores) - p) <= 4 * error).all()


def test_tables_that_are_not_looked_at_are_not_rejected() -> None:
    ranks = type_one.rankdata(
        -(2 * type_one._drawn(np.random.default_rng(0), 12, 150)).round(), axis=2
    )
    far = type_one._far_ranks(ranks)
    assert 20 < far.sum() < 100
    assert not any(any(type_one._of_ranks(table).values()) for table in ranks[~far])


def _pairwise(tables: np.ndarray, test: PairTest) -> np.ndarray:
    return np.array(
        [
            compare.pairwise(pd.DataFrame(table, columns=NAMES), test=test).pairs["p_value"]
            for table in tables
        ]
    )
