"""Friedman's test and the distribution of rank sums against brute force, SciPy and Demšar."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from compare_cases import oracle
from dea_cases import examples
from hypothesis import given
from hypothesis import strategies as st

from deabench import compare, datasets
from deabench.compare.friedman import (
    enumerate_rank_sums,
    rank_difference_p_values,
    simulate_rank_sums,
)
from deabench.errors import DataError


def every_order(ranks: np.ndarray) -> np.ndarray:
    """The rank sums of every combination of orders of the rows: (k!)^N of them."""
    rows = [list(permutations(row)) for row in ranks]
    return np.array([np.sum(choice, axis=0) for choice in product(*rows)])


TABLE = datasets.load("demsar2006-auc")


tables = st.integers(3, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 6), min_size=k, max_size=k), min_size=3, max_size=9)
)


def untied(rows: list[list[int]]) -> bool:
    return any(len(set(row)) > 1 for row in rows)


FRAME = pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0], "c": [3.0, 3.0]}, index=["x", "y"])


@pytest.mark.parametrize(
    "ranks",
    [
        [[1, 2, 3], [2, 1, 3]],
        [[1, 2, 3], [3, 1, 2], [1, 3, 2], [1, 2, 3]],
        [[1.5, 1.5, 3], [1, 2, 3], [2, 2, 2]],
        [[1, 2, 3, 4], [2, 1, 4, 3], [1, 2.5, 2.5, 4]],
        [[1, 3, 3, 3, 5], [5, 4, 3, 2, 1]],
    ],
)
def test_the_exact_distribution_is_that_of_all_orders(ranks: list[list[float]]) -> None:
    x = np.array(ranks, dtype=float)
    sums, rank_sums = every_order(x), x.sum(axis=0)
    null = enumerate_rank_sums(x)
    assert null is not None
    assert null.probability.sum() == pytest.approx(1, rel=1e-12)
    spread = ((sums - sums.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    assert null.spread_p_value(x) == pytest.approx(
        (spread >= ((rank_sums - rank_sums.mean()) ** 2).sum() - 1e-9).mean(), rel=1e-12
    )
    for gap in (0.5, 1.0, 2.0, 3.0):
        assert null.reach_p_values(np.array([gap]))[0] == pytest.approx(
            (np.ptp(sums, axis=1) >= gap).mean(), rel=1e-12
        )
        assert rank_difference_p_values(x, np.array([gap]))[0] == pytest.approx(
            (np.abs(sums[:, 0] - sums[:, 1]) >= gap).mean(), rel=1e-12
        )


def test_two_unanimous_data_sets_of_three_have_p_one_sixth() -> None:
    """Iman and Davenport's F is infinite there, and its p value was 0."""
    table = pd.DataFrame([[1, 2, 3], [1, 2, 3]], columns=list("abc"), dtype=float)
    assert compare.friedman(table).p_value == pytest.approx(1 / 6, rel=1e-12)
    result = compare.friedman(table, method="asymptotic")
    assert result.p_value == 0
    assert result.notes == (
        "the χ² and F distributions are rough for 2 data sets and reject too often; use method "
        "'auto'",
    )


def test_random_orders_agree_with_the_exact_distribution() -> None:
    ranks = np.array([np.random.default_rng(i).permutation(4) + 1.0 for i in range(6)])
    exact, random = enumerate_rank_sums(ranks), simulate_rank_sums(ranks)
    assert exact is not None
    p, q = exact.spread_p_value(ranks), random.spread_p_value(ranks)
    assert abs(p - q) < 4 * (p * (1 - p) / 20_000) ** 0.5
    unanimous = np.tile([1.0, 2.0, 3.0, 4.0], (9, 1))
    assert simulate_rank_sums(unanimous).spread_p_value(unanimous) == pytest.approx(1 / 20_001)


def test_too_many_classifiers_for_the_exact_distribution_are_drawn_and_say_so() -> None:
    table = pd.DataFrame(
        np.random.default_rng(1).normal(size=(5, 9)), columns=[f"c{j}" for j in range(9)]
    )
    result = compare.friedman(table)
    assert set(result.tests["distribution"]) == {"20000 random orders"}
    assert result.notes == ("the p value comes from 20000 random orders of the ranks (seed 0)",)
    assert compare.friedman(table).p_value == result.p_value


def test_demsars_ranks_and_omnibus_tests() -> None:
    result = compare.friedman(TABLE)
    for name, value in result.mean_ranks.items():
        assert value == pytest.approx(oracle(f"avg rank {name}"), abs=5e-13)
    tests = result.tests
    original, corrected = "Demšar's formula, no tie correction", "tie-corrected"
    assert tests.loc[f"Friedman ({original})", "statistic"] == pytest.approx(
        oracle("Friedman chi2 (Demsar formula, no tie correction)"), abs=5e-13
    )
    assert tests.loc[f"Iman-Davenport ({original})", "statistic"] == pytest.approx(
        oracle("Iman-Davenport FF"), abs=5e-13
    )
    assert tests.loc[f"Iman-Davenport ({original})", "p_value"] == pytest.approx(
        oracle("FF p"), abs=5e-13
    )
    assert tests.loc[f"Iman-Davenport ({original})", "distribution"] == "F(3, 39)"
    assert tests.loc[f"Friedman ({corrected})", "statistic"] == pytest.approx(
        oracle("scipy friedmanchisquare (tie corrected) stat"), abs=5e-13
    )
    assert tests.loc[f"Friedman ({corrected})", "p_value"] == pytest.approx(
        oracle("scipy friedmanchisquare p"), abs=5e-13
    )
    printed = [
        tests.loc[f"{test} ({original})", "statistic"] for test in ("Friedman", "Iman-Davenport")
    ]
    assert [f"{value:.2f}" for value in printed] == ["9.28", "3.69"]


def test_the_two_friedman_statistics_differ_by_the_tie_factor() -> None:
    result = compare.friedman(TABLE)
    chi2 = result.tests["statistic"]
    assert chi2.iloc[2] / result.tie_factor == pytest.approx(chi2.iloc[0], rel=1e-12)


@given(tables.filter(untied), st.randoms(use_true_random=False))
@examples(60)
def test_friedman_is_blind_to_order_and_to_monotone_transforms(
    rows: list[list[int]], random: object
) -> None:
    table = pd.DataFrame(rows, columns=[f"c{j}" for j in range(len(rows[0]))], dtype=float)
    before = compare.friedman(table)
    columns, order = list(table.columns), list(table.index)
    random.shuffle(columns)  # type: ignore[attr-defined]
    random.shuffle(order)  # type: ignore[attr-defined]
    after = compare.friedman(np.exp(table.loc[order, columns] / 3))
    assert after.mean_ranks[table.columns].to_numpy() == pytest.approx(
        before.mean_ranks.to_numpy(), rel=1e-12
    )
    statistics = before.tests["statistic"].to_numpy()
    assert after.tests["statistic"].to_numpy() == pytest.approx(statistics, rel=1e-8, abs=1e-9)
    result = compare.friedman(-table, higher_is_better=False)
    pd.testing.assert_frame_equal(result.tests, before.tests)
    assert before.mean_ranks.sum() == pytest.approx(len(columns) * (len(columns) + 1) / 2)
    assert (before.ranks.nunique(axis=1) == len(columns)).all() == (before.tie_factor == 1)


def test_unanimous_data_sets_give_an_infinite_f() -> None:
    table = pd.DataFrame([[1, 2, 3]] * 12, columns=list("abc"), dtype=float)
    tests = compare.friedman(table, method="asymptotic").tests
    assert tests.loc["Iman-Davenport (tie-corrected)", ["statistic", "p_value"]].tolist() == [
        np.inf,
        0.0,
    ]
    assert tests.loc["Friedman (tie-corrected)", "statistic"] == pytest.approx(24)
    exact = compare.friedman(table)
    assert exact.p_value == pytest.approx(6.0**-11, rel=1e-9)


REFUSED = [
    (
        lambda: compare.friedman(FRAME[["a", "b"]]),
        "there are 2 systems (columns); give at least 3",
    ),
    (
        lambda: compare.friedman(FRAME.iloc[:1]),
        "the scores have 1 row; give at least 2 data sets or folds",
    ),
    (
        lambda: compare.friedman([[1, 2]]),
        "the scores are a list; give a DataFrame, data sets in rows, systems in columns",
    ),
    (
        lambda: compare.friedman(FRAME.mask(FRAME == 2)),
        "the score of 'b' on 'x' is 'nan'; give a finite number, or leave the row or the column "
        "out",
    ),
    (
        lambda: compare.friedman(FRAME.astype(object).replace(2.0, "high")),
        "the score of 'b' on 'x' is 'high'; give a finite number, or leave the row or the column "
        "out",
    ),
    (
        lambda: compare.friedman(FRAME.rename(index={"y": "x"})),
        "the row 'x' appears twice; give each a name of its own",
    ),
    (
        lambda: compare.friedman(FRAME.rename(columns={"b": "a"})),
        "the classifier 'a' appears twice; give each a name of its own",
    ),
    (
        lambda: compare.friedman(FRAME * 0),
        "all systems tie on every data set; there is nothing to test",
    ),
    (
        lambda: compare.friedman(TABLE.rename(columns={"C4.5": 1, "C4.5+m": "1"})),
        "the classifier '1' appears twice; give each a name of its own",
    ),
]


@pytest.mark.parametrize(("call", "text"), REFUSED)
def test_refusals(call: object, text: str) -> None:
    with pytest.raises(DataError) as e:
        call()  # type: ignore[operator]
    assert str(e.value) == text


def test_scores_that_differ_by_rounding_are_tied() -> None:
    table = pd.DataFrame({"a": [0.1 + 0.2] * 2, "b": [0.3, 0.25], "c": [0.2, 0.1]})
    assert table["a"][0] != table["b"][0]
    assert compare.rank(table).to_numpy().tolist() == [[1.5, 1.5, 3.0], [1.0, 2.0, 3.0]]


def test_each_method_refers_three_equal_orders_to_its_distribution(refused) -> None:
    """All three data sets rank alike: each of the other two does so with probability 1/3!."""
    table = pd.DataFrame([[1.0, 2.0, 3.0]] * 3, columns=list("abc"))
    exact = compare.friedman(table, method="exact")
    np.testing.assert_allclose(exact.tests["p_value"], 1 / 36, rtol=1e-12)
    assert exact.notes == ()
    drawn = compare.friedman(table, method="permutation")
    # Four standard errors of 20,000 draws.
    np.testing.assert_allclose(drawn.tests["p_value"], 1 / 36, atol=0.0047)
    assert drawn.notes == ("the p value comes from 20000 random orders of the ranks (seed 0)",)
    many = pd.DataFrame(np.random.default_rng(0).random((40, 12)))
    with refused(
        "the exact distribution of 12 systems over 40 data sets takes too long; use method "
        "'permutation'"
    ):
        compare.friedman(many, method="exact")
