"""The batched games against HiGHS, against `rank`, and against their own certificates."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

import deabench as db
from deabench.inference.dominance_games import _solve_by_highs, solve_games


def by_linprog(rows, gain):
    solution = linprog(-gain, A_ub=rows, b_ub=np.ones(len(rows)), method="highs")
    return -solution.fun if solution.status == 0 else np.inf


def ratios(y):
    return y[None] / y[:, None]


@pytest.mark.parametrize(("k", "s"), [(2, 1), (3, 2), (30, 1), (40, 3), (60, 5), (25, 9)])
def test_values_are_those_of_linprog(k, s):
    rows = ratios(np.random.default_rng(k + s).uniform(0.3, 1, (k, s)))
    games = solve_games(rows)
    np.testing.assert_allclose(games.value, [by_linprog(r, np.ones(s)) for r in rows], rtol=1e-12)
    assert (np.einsum("nks,ns->nk", rows, games.weights) <= 1 + 1e-12).all()
    np.testing.assert_allclose(
        1 / np.einsum("nk,nks->ns", games.mix, rows).min(axis=1), games.value, rtol=1e-11
    )


def test_scores_are_those_of_rank():
    table = pd.DataFrame(np.random.default_rng(3).uniform(0.3, 1, (50, 4)), columns=list("abcd"))
    np.testing.assert_allclose(
        solve_games(ratios(table.to_numpy())).value, db.rank(table).scores, rtol=1e-12
    )


def test_scores_with_inputs_are_those_of_variable_returns():
    """θ with columns 1 − ξ is the output-oriented efficiency under variable returns to scale."""
    rng = np.random.default_rng(5)
    y, x = rng.uniform(0.3, 1, (30, 2)), rng.uniform(1, 9, (30, 2))
    table = pd.DataFrame(np.hstack([y, x]), columns=["a", "b", "c", "d"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = db.rank(
            table, outputs=["a", "b"], inputs=["c", "d"], model="ccr", returns="vrs"
        ).scores
    games = solve_games(
        np.concatenate([ratios(y), 1 - ratios(x)], axis=2), np.array([1.0, 1, 0, 0])
    )
    np.testing.assert_allclose(games.value, expected, rtol=1e-11)


@given(st.integers(0, 10_000))
def test_ties_duplicates_and_zeros(seed):
    """Whole numbers make ties everywhere; every game still proves itself."""
    rng = np.random.default_rng(seed)
    y = rng.integers(1, 4, (8, 3)).astype(float)
    rows = ratios(np.vstack([y, y[:2]]))
    rows[:, 3] = 0.0
    games = solve_games(rows)
    np.testing.assert_allclose(games.value, [by_linprog(r, np.ones(3)) for r in rows], rtol=1e-11)


def test_far_apart_entries():
    """Half a success beside thousands: ratios of e±12 in one table."""
    rows = np.exp(np.random.default_rng(0).uniform(-12, 12, (40, 12, 4)))
    rows[:, 0] = 1.0
    np.testing.assert_allclose(
        solve_games(rows).value, [by_linprog(r, np.ones(4)) for r in rows], rtol=1e-9
    )


def test_what_the_pivots_leave_highs_solves():
    rows = ratios(np.random.default_rng(1).uniform(0.3, 1, (20, 3)))
    np.testing.assert_allclose(
        solve_games(rows, pivots=0).value, solve_games(rows).value, rtol=1e-9
    )


def test_blands_rule_alone_ends_too(monkeypatch):
    from deabench.inference import dominance_games

    choice = dominance_games._choose_pivots
    monkeypatch.setattr(
        dominance_games, "_choose_pivots", lambda *arguments, bland: choice(*arguments, bland=True)
    )
    monkeypatch.setattr(dominance_games, "_solve_by_highs", None)
    rows = ratios(np.random.default_rng(2).integers(1, 5, (15, 4)).astype(float))
    np.testing.assert_allclose(
        solve_games(rows).value, [by_linprog(r, np.ones(4)) for r in rows], rtol=1e-11
    )


def test_an_unbounded_game_is_infinite():
    games = solve_games(np.array([[[1.0, 0.0], [0.5, 0.0]], [[1.0, 1.0], [0.5, 0.2]]]))
    assert games.value[0] == np.inf
    assert games.value[1] == pytest.approx(1)
    assert not games.mix[0].any()
    # The second metric has no rival: HiGHS, the last resort, says so as well.
    value, weights, mix = _solve_by_highs(
        np.array([[1.0, 0.0], [0.5, 0.0]]), np.ones(2), np.ones(2)
    )
    assert value == np.inf
    assert weights.tolist() == mix.tolist() == [0, 0]


def test_ratios_beyond_what_highs_takes_decide_nothing():
    """A rival of 1e45 times the cost counts no more than one of 1e12 times: it has no say."""
    one = np.ones(2)
    rows = np.array([[1.0, -1e45], [0.5, 0.5]])
    # Without the dear rival the outputs may be twice as high.
    value, weights, mix = _solve_by_highs(rows, np.array([1.0, 0.0]), one)
    assert value == pytest.approx(2, rel=1e-9)
    assert mix == pytest.approx([0, 2], abs=1e-9)
    assert (rows @ weights <= 1 + 1e-9).all()
    # A rival of 1e45 times the output leaves no score.
    value, _, _ = _solve_by_highs(np.array([[1e45], [1.0]]), np.ones(1), one)
    assert value == pytest.approx(0, abs=1e-11)


def test_a_column_of_zeros_and_less_grows_for_ever():
    games = solve_games(np.array([[[0.0, 1.0], [-1.0, 1.0]], [[0.5, 1.0], [-1.0, 1.0]]]))
    assert games.value.tolist() == [np.inf, 2.0]
    assert not games.mix[0].any()
