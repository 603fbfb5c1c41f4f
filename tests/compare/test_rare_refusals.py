"""What comparisons refuse, sentence by sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from deabench import compare
from deabench.compare.friedman import friedman
from deabench.compare.row_units import RowUnit
from deabench.compare.score_tables import count_repeats
from deabench.compare.table_warnings import warn_omnibus
from deabench.errors import DataWarning

GAPS = pd.DataFrame(
    {"a": [0.9, 0.8, 0.7, np.nan], "b": [0.8, 0.7, 0.6, 0.5], "c": [0.7, 0.6, 0.5, 0.4]}
)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: compare.anova({"a": [1.0, "x"], "b": [1.0, 2.0]}),
            "group 'a' contains a value that is no number; give finite numbers",
        ),
        (
            lambda: compare.sample_size_auc(0.8, against=0.9, correlation=1.0),
            "the correlation is 1; give a number from 0 to below 1",
        ),
        (
            lambda: compare.sample_size_auc(0.8, against=0.9, correlation=-0.1),
            "the correlation is -0.1; give a number from 0 to below 1",
        ),
        (
            lambda: compare.sample_size_mcnemar(0.1, 1.2),
            "c is 1.2; give the share of instances that only this system gets right, 0 to 1",
        ),
        (
            lambda: compare.sample_size_mcnemar(0.7, 0.6),
            "b + c is 1.3; the two shares are of all instances, so give a sum above 0 and at most "
            "1",
        ),
        (
            lambda: compare.sample_size_mcnemar(0.0, 0.0),
            "b + c is 0; the two shares are of all instances, so give a sum above 0 and at most 1",
        ),
        (
            lambda: compare.compare(GAPS, test="ranks", missing="skillings-mack"),
            "mean ranks need every score; with scores missing use test 'wilcoxon', 'permutation' "
            "or "
            "'t'",
        ),
        (
            lambda: compare.five_by_two_f([["x", 1.0]] * 5),
            "the differences are not all numbers; give five repeats of two folds, shape (5, 2)",
        ),
    ],
)
def test_numbers_that_cannot_be_compared(
    call: Callable[[], object], message: str, refused: Any
) -> None:
    with refused(message):
        call()


def test_shares_may_be_all_instances() -> None:
    """Mid-p of 1 against n - 1 is 10/256 at n = 8 and 9/128 at 7: from 8 on one miss is allowed."""
    size = compare.sample_size_mcnemar(0.95, 0.05)
    assert size.n == 8
    assert size.power == pytest.approx(0.95**8 + 8 * 0.05 * 0.95**7, abs=1e-7)


def test_the_fewest_that_can_be_compared(refused: Any) -> None:
    """One instance has a mid-p of 1/2 either way; two folds are a cross-validation."""
    assert compare.mcnemar(0, 1, n=1).p_value == pytest.approx(0.5)
    assert compare.mcnemar(1, 0, n=1).p_value == pytest.approx(0.5)
    with refused("b + c is 2 of n = 1 instances; n counts the whole test set"):
        compare.mcnemar(1, 1, n=1)
    assert count_repeats(6, 2) == 3
    assert count_repeats(2, 2) == 1
    for rows, folds in ((5, 2), (4, 1)):
        with refused(
            f"{rows} rows are not whole repeats of {folds}-fold cross-validation; give every fold "
            "a row"
        ):
            count_repeats(rows, folds)


@pytest.mark.parametrize(("alpha", "can_reject"), [(1 / 6, False), (0.17, True)])
def test_a_p_value_of_alpha_does_not_reject(alpha: float, can_reject: bool) -> None:
    """Two rows that rank three systems alike: one of six equally likely tables."""
    omnibus = friedman(pd.DataFrame([[1.0, 2.0, 3.0]] * 2, columns=list("abc")))
    with pytest.warns(DataWarning) as caught:
        warn_omnibus(omnibus, alpha, RowUnit("data set"))
    assert ("can never reject" in str(caught[0].message)) != can_reject


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: compare.anova({1: [1.0, 2.0], "1": [2.0, 3.0]}),
            "the group '1' appears twice; give each a name of its own",
        ),
        (
            lambda: compare.skillings_mack(pd.DataFrame(1.0, range(3), list("abc"))),
            "all systems tie on every data set; there is nothing to test",
        ),
        (
            lambda: compare.sample_size_auc(0.8, against=0.9, negatives_per_positive=0),
            "negatives_per_positive is 0; give a number above 0",
        ),
        (
            lambda: compare.tost(
                [0.9, 0.8, 0.7], [0.8, 0.7, 0.6], margin=0.1, ratio=1 / 9, test="wilcoxon"
            ),
            "the ratio of test to training size is 0.111111; give 0 for data sets, for ten folds "
            "(test 't') 1/9",
        ),
        (
            lambda: compare.tost([0.9, 0.8, 0.7], [0.8, 0.7, 0.6], margin=float("inf")),
            "the margin is inf; give a finite number",
        ),
        (
            lambda: compare.discordant([], [], []),
            "y_true is empty; give at least one instance",
        ),
    ],
)
def test_what_leaves_nothing_to_compare(refused: Any, call: Callable[[], Any], message: str):
    with refused(message):
        call()
