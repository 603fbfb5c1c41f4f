"""Wealth of bets: exact expectations, and each pitfall of the proof with what goes wrong there."""

from copy import deepcopy
from itertools import product

import numpy as np
import pytest

from deabench.inference.decisions.betting import (
    FIXED_BETS,
    LimitWealth,
    MixWealth,
    RoundMoments,
    WeightDirections,
    climb,
)

EVERYONE = np.array([True, True])


def play(rounds, learn_after=1, ratio=1.0, present=None):
    """The wealth of bets on all rivals after rounds (t, k, s), learned after every few of them."""
    _, k, s = rounds.shape
    everybody = np.ones(k, dtype=bool) if present is None else present
    moments = RoundMoments.empty(k, s)
    wealth = MixWealth.start(np.arange(k), k, s, ratio)
    for start in range(0, len(rounds), learn_after):
        block = rounds[start : start + learn_after]
        wealth.add(block, everybody)
        moments.add(block, everybody)
        wealth.learn(moments)
    return wealth, moments


def wealth_after_games(p, rounds=5, stop_at=np.inf):
    """Yield the chance and the log wealth (2,) of each game of two tied classifiers, whose bets are
    learned after every round. A game ends early where the evidence against the second reaches the
    limit; games with the same first rounds play them once.
    """
    games = [(1.0, 0, MixWealth.start(np.arange(2), 2, 1), RoundMoments.empty(2, 1))]
    while games:
        chance, played, wealth, moments = games.pop()
        for pair in product([0.0, 1.0], repeat=2):
            block = np.array(pair)[None, :, None]
            next_chance = chance * np.prod([p if y else 1 - p for y in pair])
            next_wealth, next_moments = deepcopy((wealth, moments))
            next_wealth.add(block, EVERYONE)
            log_wealth = next_wealth.log_wealth[:, 0]
            if played + 1 == rounds or log_wealth[1] > stop_at:
                yield next_chance, log_wealth
                continue
            next_moments.add(block, EVERYONE)
            next_wealth.learn(next_moments)
            games.append((next_chance, played + 1, next_wealth, next_moments))


@pytest.mark.slow
def test_the_mean_wealth_of_tied_classifiers_is_exactly_one():
    """All 4^5 outcomes of two tied classifiers: a fair game has a mean wealth of 1, whatever was
    learned on the way.
    """
    games = list(wealth_after_games(0.7))
    assert len(games) == 4**5
    total = sum(chance * np.exp(log_wealth) for chance, log_wealth in games)
    np.testing.assert_allclose(total, 1.0, atol=1e-12)


@pytest.mark.slow
def test_the_mean_of_the_highest_wealth_that_one_stops_at_is_at_most_one():
    """Stopping at the first evidence above 1.02 does not make the game favourable."""
    games = list(wealth_after_games(0.5, stop_at=np.log(1.02)))
    assert len(games) < 4**5
    assert sum(chance for chance, _ in games) == pytest.approx(1, abs=1e-12)
    assert sum(chance * np.exp(log_wealth[1]) for chance, log_wealth in games) <= 1 + 1e-12


def test_the_poorest_metric_is_below_every_weighted_wealth():
    """Concave in the weights: the least wealth over the simplex is that of a metric."""
    rng = np.random.default_rng(0)
    rounds = rng.random((30, 4, 3))
    wealth = MixWealth.start(np.arange(4), 4, 3)
    bets = wealth.bets
    wealth.add(rounds, np.ones(4, dtype=bool))
    gains = np.einsum("ij,tjr->tir", bets, rounds) - bets.sum(axis=1)[None, :, None] * rounds
    np.testing.assert_allclose(wealth.log_wealth, np.log1p(gains).sum(axis=0))
    for weights in rng.dirichlet(np.ones(3), 50):
        mixed = np.log1p(gains @ weights).sum(axis=0)
        assert (mixed >= wealth.log_wealth.min(axis=1) - 1e-12).all()


def opposite_rivals(n=400):
    """The last of three is on a mix of two that win in one metric and lose in the other."""
    return np.tile([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]], (n, 1, 1))


def test_bets_common_to_all_metrics_do_not_beat_who_is_on_a_mix():
    """Pitfall: with bets of its own each metric wins against another rival."""
    wealth, _ = play(opposite_rivals(), learn_after=10)
    assert wealth.log_wealth.min(axis=1)[2] <= 1e-9
    assert wealth.highest[2] < np.log(3 / 0.05)
    # The broken variant: each metric bets on the rival that is better in it.
    gains = opposite_rivals()
    own = 0.9 * np.stack([gains[:, 0, 0] - gains[:, 2, 0], gains[:, 1, 1] - gains[:, 2, 1]], axis=1)
    assert np.log1p(own).sum(axis=0).min() > 100


def test_the_average_mix_is_not_bounded_metric_by_metric():
    """Pitfall: mixes that differ over time must not be averaged: rivals take turns in winning, so
    that each metric is won on average by a mix weighted by its own bets; the wealth stays small.
    """
    turns = opposite_rivals()
    wealth = MixWealth.start(np.arange(3), 3, 2)
    everybody = np.ones(3, dtype=bool)
    limit = LimitWealth.start("upper", np.arange(3), np.array([0.9, 1.0]), 2)
    for t in range(400):
        # A predictable mix that changes every round, the worst case for averages.
        wealth.shares[2] = [0.9, 0.0, 0.0, 0.1] if t % 2 else [0.0, 0.9, 0.0, 0.1]
        wealth.add(turns[t : t + 1], everybody)
        limit.add(turns[t : t + 1], everybody, wealth.mix)
    assert wealth.log_wealth[2].min() < 0
    assert (limit.limit(np.log(20))[2]) == 1.0


def test_limits_take_the_least_within_each_size_of_the_bets():
    """Pitfall: a mixture over sizes is not log-concave; its least is taken before the sum."""
    rng = np.random.default_rng(1)
    # Small, steady wins in one metric and rare large ones in the other: large bets gain in the
    # first, small bets in the second.
    steady = np.stack([np.full(200, 0.2), np.zeros(200)], axis=1)
    rare = np.stack([rng.random(200) < 0.56, np.zeros(200)], axis=1)
    rare[:, 1] = 1 - rare[:, 0]
    steady[:, 0] = 0.01
    rounds = np.stack([steady, rare], axis=2)
    limit = LimitWealth.start("upper", np.array([1]), np.array([1.0]), 2)
    limit.add(rounds, EVERYONE, np.array([[1.0, 0.0]]))
    gains = rounds[:, 0] - rounds[:, 1]
    by_size = np.array([np.log1p(b * gains).sum(axis=0) for b in FIXED_BETS])
    inside = np.exp(by_size.min(axis=1)).mean()
    after = np.exp(by_size).mean(axis=0).min()
    assert np.exp(limit._evidence(None))[0, 0] == pytest.approx(inside)
    assert inside < after


def test_limits_are_monotone_in_q_and_bounded_by_the_truth():
    """A rival that is right in 9 of 10 rounds and one in 6 of 10, in every metric: 2/3."""
    rng = np.random.default_rng(2)
    n = 4000
    rounds = (rng.random((n, 2, 2)) < np.array([[0.9], [0.6]])).astype(float)
    grid = np.linspace(0.5, 1.0, 51)
    upper = LimitWealth.start("upper", np.arange(2), grid, 2)
    lower = LimitWealth.start("lower", np.arange(2), grid, 2)
    upper.add(rounds, EVERYONE, np.array([[0.0, 1.0], [1.0, 0.0]]))
    lower.add(rounds, EVERYONE, np.full((2, 2), 0.5))
    assert (np.diff(upper.highest, axis=1) >= 0).all()
    assert (np.diff(lower.highest, axis=1) <= 0).all()
    threshold = np.log(40)
    assert 0.62 <= lower.limit(threshold)[1] <= 2 / 3 <= upper.limit(threshold)[1] <= 0.72
    assert lower.limit(threshold)[0] == 1.0
    assert upper.limit(threshold)[0] == 1.0


def test_a_rival_that_was_dropped_undecided_still_has_to_be_beaten():
    """Pitfall: "at least" must not forget an undecided rival; a dominated one may be dropped."""
    rounds = np.tile([[0.9], [0.95], [0.4]], (300, 1, 1))
    directions = np.ones((3, 1))

    def evidence(present, excluded):
        limit = LimitWealth.start("lower", np.arange(3), np.array([1.0]), 3)
        limit.add(rounds, np.array(present), directions, np.array(excluded))
        return limit.highest[0, 0]

    nobody = [False, False, False]
    # The better rival is not run: what it could do is open, nothing is shown.
    assert evidence([True, False, True], nobody) == pytest.approx(0.0, abs=1e-12)
    assert evidence([True, True, True], nobody) == pytest.approx(0.0, abs=1e-12)
    # Where it is known to be dominated, beating the others is enough.
    assert evidence([True, False, True], [False, True, False]) > np.log(1000)


def test_dropping_a_rival_leaves_the_wealth_of_the_others_a_fair_game():
    """A rival that is not run is not bet on, and its own wealth stays as it is."""
    rounds = np.random.default_rng(3).random((20, 3, 2))
    wealth = MixWealth.start(np.arange(3), 3, 2)
    wealth.add(rounds, np.array([True, True, False]))
    assert (wealth.log_wealth[2] == 0).all()
    gains = wealth.bets[0, 1] * (rounds[:, 1] - rounds[:, 0])
    np.testing.assert_allclose(wealth.log_wealth[0], np.log1p(gains).sum(axis=0))


def test_learning_finds_the_growth_optimal_bet():
    """One rival, one metric: the best bet on a difference of mean m and mean square c is m/c."""
    rng = np.random.default_rng(4)
    rounds = (rng.random((5000, 2, 1)) < np.array([[0.7], [0.5]])).astype(float)
    wealth, moments = play(rounds, learn_after=500)
    difference = rounds[:, 0, 0] - rounds[:, 1, 0]
    best = difference.mean() / (difference**2).mean()
    assert wealth.bets[1, 0] == pytest.approx(best, rel=0.01)
    assert wealth.growth(moments)[1, 0] == pytest.approx(best * difference.mean() / 2, rel=0.01)


def test_learning_never_lowers_the_least_growth_and_is_close_to_the_best():
    """Against SLSQP, where two rivals have to be mixed."""
    from scipy.optimize import minimize

    rng = np.random.default_rng(5)
    truth = np.array([[0.9, 0.6], [0.6, 0.9], [0.65, 0.65]])
    rounds = (rng.random((3000, 3, 2)) < truth).astype(float)
    moments = RoundMoments.empty(3, 2)
    moments.add(rounds, np.ones(3, dtype=bool))
    wealth = MixWealth.start(np.arange(3), 3, 2)
    growths = []
    for _ in range(8):
        wealth.learn(moments)
        growths.append(wealth.growth(moments)[2].min())
    assert (np.diff(growths) >= -1e-15).all()

    def loss(x):
        return -wealth._growths(np.array([[0, 0, 0], [0, 0, 0], [*x, 0]], float), moments)[0][
            2
        ].min()

    best = minimize(loss, [0.3, 0.3], bounds=[(0, 0.95)] * 2, method="SLSQP")
    assert growths[-1] >= -0.98 * best.fun > 0


def test_weights_of_metrics_turn_to_the_metric_that_is_ahead():
    """The first is ahead in the second metric alone: equal weights would show nothing."""
    rng = np.random.default_rng(6)
    truth = np.array([[0.5, 0.9], [0.9, 0.6]])
    rounds = (rng.random((2000, 2, 2)) < truth).astype(float)
    moments = RoundMoments.empty(2, 2)
    moments.add(rounds, EVERYONE)
    directions = WeightDirections.start(np.arange(2), 2)
    for _ in range(8):
        directions.learn(moments)
    assert directions.weights[0, 1] > 0.9
    assert directions.weights[1, 0] > 0.9
    np.testing.assert_allclose(directions.weights.sum(axis=1), 1.0)


def test_shares_of_nothing_stay_nothing():
    shares = np.array([[0.0, 0.01, 0.99]])

    def objective(bets):
        return bets.sum(axis=1, keepdims=True), np.ones((1, 1, 2))

    grown = climb(shares, objective, np.array([1.0]), 100.0)
    assert grown[0, 0] == 0
    assert grown[0, 1] > 0.9
    assert grown.sum() == pytest.approx(1.0)
