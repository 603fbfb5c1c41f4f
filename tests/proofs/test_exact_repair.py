"""λ and weights repaired in fractions, and what weights allow: against loops and equations."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from deabench.proofs.bounds import GAMMA, excess_of_weights
from deabench.proofs.exact_repair import (
    Technology,
    exact_excess,
    exact_gains,
    polished_weights,
    settle_at_limits,
    solve,
)
from deabench.proofs.supporting_weights import (
    _constraint_rows,
    _near_constraints,
    _nearest_solution,
    tighten_weights,
)
from deabench.utils.arrays import Sparse
from deabench.utils.rational import to_fractions

SUMS = {"crs": (0.0, np.inf), "vrs": (1.0, 1.0), "nirs": (0.0, 1.0), "ndrs": (1.0, np.inf)}


def draw_points(rng: np.random.Generator, count: int, outputs: int, inputs: int) -> np.ndarray:
    return np.column_stack(
        [rng.uniform(0.2, 1, (count, outputs)), -rng.uniform(0.2, 1, (count, inputs))]
    )


def sparse(columns: list[int], values: list[float]) -> Sparse:
    return Sparse(np.array([columns], dtype=np.int32), np.array([values]))


def allow(points: np.ndarray, weights: list[Fraction], sums: tuple[float, float], outputs: int):
    """Return the most that weights give, the inputs' raised where that is needed, by loops."""
    exact = [to_fractions(row) for row in points]
    if np.isinf(sums[1]):
        factor = Fraction(1)
        for point in exact:
            gain = sum(w * z for w, z in zip(weights[:outputs], point[:outputs], strict=True))
            cost = -sum(w * z for w, z in zip(weights[outputs:], point[outputs:], strict=True))
            if gain > 0 and not cost:
                return None, None
            if gain > 0:
                factor = max(factor, gain / cost)
        weights = weights[:outputs] + [factor * w for w in weights[outputs:]]
    worth = [sum(w * z for w, z in zip(weights, point, strict=True)) for point in exact]
    best = max(worth)
    # Σ λ is as large as it may be for what is worth more than 0, and as small for what is not.
    value = Fraction(sums[0]) * best if best < 0 else 0
    if best > 0 and np.isfinite(sums[1]):
        value = Fraction(sums[1]) * best
    return value, weights


@pytest.mark.parametrize("returns", SUMS)
@pytest.mark.parametrize("size", [1.0, 2.0**30, 2.0**-30])
@pytest.mark.parametrize("lean", [0.2, 1.0, 5.0])
def test_what_weights_allow_is_the_maximum_by_loops(returns, lean, size) -> None:
    sums = SUMS[returns]
    for seed in range(12):
        rng = np.random.default_rng(seed)
        points = draw_points(rng, 6, 2, 2)
        weights = size * rng.uniform(0.1, 1, 4) * [1, 1, lean, lean]
        if seed == 3:
            weights[2:] = 0.0
        if seed == 4:
            weights[:2] = 0.0
        tested = draw_points(rng, 1, 2, 2)[0]
        listed = None if seed % 2 else np.array([0, 2, 3, 5])
        technology = Technology(points, 2, sums, listed)
        value, raised = allow(technology.bounding_points, to_fractions(weights), sums, 2)
        outcome = exact_excess(technology, tested, to_fractions(weights))
        floats, error, lifted = excess_of_weights(technology, tested[None], weights[None])
        if value is None:
            assert outcome is None
            assert np.isinf(floats[0])
            continue
        own = sum(w * z for w, z in zip(raised, to_fractions(tested), strict=True))
        assert outcome == (value - own, raised)
        # Floats compute it upwards, and by hardly more.
        assert value - own <= Fraction(floats[0] + error[0])
        assert floats[0] == pytest.approx(float(value - own), abs=1e-12 * size)
        terms = np.abs(np.array(raised, dtype=float) * tested).sum() + abs(float(value))
        assert error[0] == pytest.approx(GAMMA * terms, rel=1e-6)
        np.testing.assert_allclose(lifted[0], np.array(raised, dtype=float), rtol=1e-12)
        left_out = int(technology.bounding_points.shape[0] > 1)
        if listed is None:
            rest = replace(technology, listed=np.delete(np.arange(6), left_out))
            again = excess_of_weights(rest, tested[None], weights[None])
            alone = excess_of_weights(technology, tested[None], weights[None], np.array([left_out]))
            assert alone[0] == pytest.approx(again[0], abs=1e-12 * size)
    assert exact_excess(replace(technology, listed=np.zeros(0, dtype=int)), tested, raised) is None


@pytest.mark.parametrize("returns", SUMS)
def test_points_on_one_hyperplane_but_for_rounding_are_all_compared(returns) -> None:
    """The one that is worth most by less than the rounding of its terms is found exactly."""
    rng = np.random.default_rng(5)
    for level in (0.0, 1.0, -1.0):
        weights = rng.uniform(1e3, 1e4, 4)
        points = draw_points(rng, 30, 2, 2)
        points[:, 3] = (level - points[:, :3] @ weights[:3]) / weights[3]
        technology = Technology(points, 2, SUMS[returns])
        exact = to_fractions(weights)
        value, raised = allow(points, exact, SUMS[returns], 2)
        own = sum(w * z for w, z in zip(raised, to_fractions(points[0]), strict=True))
        assert exact_excess(technology, points[0], exact) == (value - own, raised)
        # Floats round the terms upwards, however little is left of them.
        nothing = np.zeros((1, 4))
        floats, error, lifted = excess_of_weights(technology, nothing, weights[None])
        value, again = allow(points, to_fractions(lifted[0]), SUMS[returns], 2)
        # Where nothing may be worth more than 0, weights that were raised are raised enough.
        assert again == to_fractions(lifted[0])
        assert value <= Fraction(floats[0] + error[0])
        assert floats[0] + error[0] <= float(value) + 1e-12 * np.abs(weights).sum()


def solve_lambda(points, wanted, sums, total):
    """Return the λ of as many points as metrics are held, by linear equations."""
    if total is None:
        return np.linalg.solve(points.T, wanted)
    return np.linalg.solve(np.vstack([points.T, np.ones(len(points))]), np.append(wanted, total))


@pytest.mark.parametrize("miss", [1e-6, 1e-15])
@pytest.mark.parametrize("returns", SUMS)
@pytest.mark.parametrize("is_at_bound", [True, False])
def test_repaired_intensities_reach_what_the_only_ones_do(returns, is_at_bound, miss) -> None:
    """Two held metrics and as many peers as leave one way: what is short is met, and no more."""
    sums = SUMS[returns]
    if (returns == "vrs" and not is_at_bound) or (returns == "crs" and is_at_bound):
        return
    for seed in range(6):
        rng = np.random.default_rng(seed)
        points = draw_points(rng, 5, 2, 1)
        count = 3 if is_at_bound else 2
        total = 1.0 if is_at_bound else {"crs": 3.0, "nirs": 0.5, "ndrs": 2.0}[returns]
        lam = (1 + rng.multinomial(61, np.full(count, 1 / count))) / 64
        lam[0] += 1 - lam.sum()  # exactly 1, as 1/64 adds up without rounding
        lam *= total
        held = np.array([True, True, False])
        moved = np.array([0.01, -0.02, 0.03])
        tested = lam @ points[:count] - moved
        tested[:2] += miss * rng.uniform(0.5, 1, 2)
        tested[2] -= 0.1
        entries = sparse([*range(count), -1], [*lam, 0.0])
        found = list(exact_gains(Technology(points, 1, sums), tested, entries, 0, held, moved))
        assert found
        wanted = (tested + moved)[:2]
        expected = solve_lambda(points[:count, :2], wanted, sums, 1.0 if is_at_bound else None)
        for gains in found:
            assert gains[:2] == [0, 0] or (miss < 1e-12 and min(gains[:2]) >= 0)
            third = expected @ points[:count, 2] - tested[2] - moved[2]
            assert float(gains[2]) == pytest.approx(third, abs=1e-9)
        # Nothing is gained that is not there: with less than is held, gains are as they are.
        easier = tested - [0.25, 0.5, 0.0]
        gains = next(exact_gains(Technology(points, 1, sums), easier, entries, 0, held, moved))
        values = [Fraction(v) for v in lam.tolist()]
        scale = 1 / sum(values) if is_at_bound else 1
        for c in range(3):
            reached = sum(
                v * Fraction(z) for v, z in zip(values, points[:count, c].tolist(), strict=True)
            )
            assert float(
                gains[c] - (reached * scale - Fraction(easier[c]) - Fraction(moved[c]))
            ) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize(
    ("sums", "lam", "tested", "expected"),
    [
        # One peer at 2: its λ is taken to the nearest sum that is allowed.
        ((1.0, 1.0), 0.5, 1.0, 1.0),
        ((1.0, 1.0), 3.0, 1.0, 1.0),
        ((1.0, np.inf), 0.5, 1.0, 1.0),
        ((1.0, np.inf), 3.0, 1.0, 5.0),
        ((0.0, 1.0), 0.25, 0.25, 0.25),
        ((0.0, 1.0), 3.0, 1.0, 1.0),
        ((0.0, np.inf), 3.0, 1.0, 5.0),
        # Short, and no larger sum is allowed.
        ((0.0, 1.0), 0.75, 2.5, None),
        ((1.0, 1.0), 1.0, 2.5, None),
        ((0.0, 1.0), 0.75, 1.75, 0.0),
        ((0.0, np.inf), 0.75, 2.5, 0.0),
        ((1.0, np.inf), 1.5, 3.5, 0.0),
        # Nothing is not to be multiplied to 1.
        ((1.0, 1.0), 0.0, 1.0, None),
        ((1.0, np.inf), 0.0, 1.0, None),
    ],
)
def test_one_peer_s_intensity_goes_where_its_sum_may_be(sums, lam, tested, expected) -> None:
    technology = Technology(np.array([[2.0]]), 0, sums)
    held = np.array([True])
    found = list(
        exact_gains(technology, np.array([tested]), sparse([0], [lam]), 0, held, np.zeros(1))
    )
    assert [float(gains[0]) for gains in found] == ([] if expected is None else [expected])


def test_no_intensity_becomes_negative() -> None:
    """Between 1 and 3 lies 2; 4 needs -1/2 of the first."""
    technology = Technology(np.array([[1.0, 0.0], [3.0, 0.0]]), 0, (1.0, 1.0))
    held = np.array([True, False])
    for tested, expected in ((2.5, [[0.0, 0.0]]), (4.0, [])):
        found = list(
            exact_gains(
                technology,
                np.array([tested, 0.0]),
                sparse([0, 1], [0.5, 0.5]),
                0,
                held,
                np.zeros(2),
            )
        )
        assert [[float(gain) for gain in gains] for gains in found] == expected


@pytest.mark.parametrize("returns", SUMS)
def test_polished_and_tightened_weights_make_peers_worth_the_most(returns) -> None:
    sums = SUMS[returns]
    for seed in range(8):
        rng = np.random.default_rng(seed)
        is_free_sum = returns == "crs" or (returns != "vrs" and seed % 2 == 0)
        points = draw_points(rng, 3, 2, 2)
        exact_weights = rng.uniform(0.3, 1, 4)
        # The first two are worth 0 where the sum is free, and else the same; the third less.
        level = 0.0 if is_free_sum else 0.1 * {"nirs": 1, "ndrs": -1, "vrs": 1}[returns]
        for row, worth in zip(points, (level, level, level - 0.3), strict=True):
            row[3] = (worth - row[:3] @ exact_weights[:3]) / exact_weights[3]
        weights = exact_weights * (1 + 1e-9 * rng.uniform(-1, 1, 4))
        total = {"crs": 2.0, "nirs": 0.5, "ndrs": 2.0}[returns] if is_free_sum else 1.0
        lam = sparse([0, 1, 2, -1], [0.25 * total, 0.75 * total, 0.0, 0.0])
        technology = Technology(points, 2, sums)
        least = np.zeros(4)
        least[0] = weights[0]
        for moved in (
            polished_weights(technology, weights, lam, 0, least),
            tighten_weights(technology, technology, weights, lam, 0, least),
        ):
            assert moved is not None
            worths = [
                sum(w * z for w, z in zip(moved, to_fractions(row), strict=True)) for row in points
            ]
            # No reference DMU is worth more than the peers with λ do, or than 0.
            if is_free_sum:
                assert max(worths) <= 0
            assert max(worths[:2]) >= worths[2]
            np.testing.assert_allclose(np.array(moved, dtype=float), weights, rtol=1e-7)
            # What is at its least stays there.
            assert moved[0] == Fraction(weights[0])
        polished = polished_weights(technology, weights, lam, 0, least)
        worths = [
            sum(w * z for w, z in zip(polished, to_fractions(row), strict=True)) for row in points
        ]
        assert worths[0] == worths[1]
        assert not is_free_sum or worths[0] == 0
        for none in (sparse([-1], [0.0]), sparse([0, 1], [0.0, 0.0])):
            assert polished_weights(technology, weights, none, 0, least) is None
            assert tighten_weights(technology, technology, weights, none, 0, least) is None
        assert polished_weights(technology, weights, lam, 0, weights) is None
        # Beside a point that is worth more by far there are none.
        beyond = replace(technology, points=points + np.array([[0.0], [0.0], [1.0]]))
        assert tighten_weights(technology, beyond, weights, lam, 0, least) is None


@pytest.mark.parametrize(
    ("returns", "factors", "positions"),
    [
        ("vrs", [1, 1], [0, 1]),
        ("crs", [0, 0, 1], [0, 1, -1]),
        ("nirs", [1, 1, 1], [0, 1, -1]),
        ("ndrs", [1, 1, 0, 0], [0, 1, 0, 1]),
    ],
)
def test_each_returns_to_scale_has_its_constraints(returns, factors, positions) -> None:
    found = _constraint_rows(2, returns)
    assert found[0].tolist() == factors
    assert found[1].tolist() == positions


def test_only_what_rounding_leaves_open_is_held_in_fractions() -> None:
    tested = np.array([1.0, 1.0])
    points = np.array([[1.0, 1.0], [2.0, 0.0], [0.5, 0.5], [1.5, 0.5 - 1e-7], [1.5, 0.5 - 1e-5]])
    weights = np.array([1.0, 1.0])
    rows = _near_constraints(points, tested, weights, "vrs")
    assert [[float(x) for x in row] for row in rows] == [
        [0.0, 0.0],
        [-1.0, 1.0],
        [-0.5, 1 - (0.5 - 1e-7)],
    ]
    # Worth more by 1e-7 of its terms may be rounding; by 1e-5 it is not.
    for more, is_open in ((1e-7, True), (1e-5, False)):
        beyond = np.array([[2.0 + more, 0.0], [0.5, 0.5]])
        assert (_near_constraints(beyond, tested, weights, "vrs") is not None) == is_open


@pytest.mark.parametrize(
    ("rows", "is_free", "expected"),
    [
        ([[1, -1]], [True, True], [1 - 5e-9, 1 - 5e-9]),
        ([[1, -1]], [False, True], [1.0, 1.0]),
        ([[1, -1]], [True, False], [1 - 1e-8, 1 - 1e-8]),
        ([[1, 1]], [True, True], None),
        ([[1, -1], [1, -2]], [True, True], None),
    ],
)
def test_weights_move_by_the_least_shares(rows, is_free, expected) -> None:
    """From 1 and 1 - 1e-8 to where both are the same."""
    weights = [Fraction(1), Fraction(1) - Fraction(1, 10**8)]
    exact = [[Fraction(x) for x in row] for row in rows]
    moved = _nearest_solution(exact, weights, np.array(is_free))
    if expected is None:
        assert moved is None
        return
    assert sum(x * w for x, w in zip(exact[0], moved, strict=True)) == 0
    assert [float(w) for w in moved] == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("matrix", "right", "expected"),
    [
        ([[2, 1], [1, 3]], [3, 5], [Fraction(4, 5), Fraction(7, 5)]),
        ([[0, 1], [1, 0]], [2, 3], [3, 2]),
        ([[1, 1], [2, 2]], [1, 2], [1, 0]),
        ([[1, 1], [2, 2]], [1, 3], None),
        ([[0, 0], [0, 2]], [0, 1], [0, Fraction(1, 2)]),
    ],
)
def test_equations_are_solved_in_fractions(matrix, right, expected) -> None:
    exact = [[Fraction(x) for x in row] for row in matrix]
    assert solve(exact, [Fraction(x) for x in right]) == expected


@pytest.mark.parametrize("sums", [(0.0, np.inf), (1.0, 1.0)])
@pytest.mark.parametrize("more", [2.0**-50, 2.0**-30])
def test_what_is_met_but_for_rounding_is_met_exactly_first(sums, more) -> None:
    """Both outputs of half of each are given back what was too much, if that may be rounding."""
    points = np.array([[0.75, 0.25, -0.5], [0.25, 0.75, -0.25], [0.5, 0.25, -0.75]])
    tested = np.array([0.5 - more, 0.5 - more, -1.0])
    held = np.array([True, True, True])
    lam = sparse([0, 1, 2], [0.5, 0.5, 2.0**-60])
    technology = Technology(points, 1, sums)
    gains = list(exact_gains(technology, tested, lam, 0, held, np.zeros(3)))
    if more > 1e-12:
        assert len(gains) == 1
    else:
        assert gains[0][:2] == [0, 0]
        assert len(gains) == 2
    assert min(gains[-1][:2]) > 0
    assert [float(gain) for gain in gains[-1][:2]] == pytest.approx([more, more], rel=0.01)


@pytest.mark.parametrize("returns", SUMS)
@pytest.mark.parametrize("total", [0.5, 1.0, 2.0, 1 + 5e-8])
def test_polished_weights_are_the_nearest_by_shares_of_themselves(returns, total) -> None:
    """Those of least squares: peers are worth the same, or nothing where Σ λ is free."""
    least_sum, most = SUMS[returns]
    rng = np.random.default_rng(7)
    for case in range(20):
        points = draw_points(rng, 4, 3, 2)
        weights = rng.uniform(0.5, 1, 5)
        least = np.zeros(5)
        if case % 3 == 1:
            weights[1] = 0.0
        if case % 3 == 2:
            least[2] = weights[2] * (1 - 1e-8)
            least[3] = weights[3] * (1 - 1e-3)
        shares = [0.5, 0.5, 1e-9, 0.0] if case % 2 else [0.3, 0.3, 0.4, 0.0]
        if case == 4:
            shares = [1.0, 0.0, 0.0, 0.0]
        lam = sparse([2, 0, 3, -1], [share * total for share in shares])
        peers = points[[2, 0, 3]][[share > 1e-7 for share in shares[:3]]]
        is_between = least_sum * (1 + 1e-7) < total < most * (1 - 1e-7)
        rows = weights * (peers if is_between else peers[1:] - peers[0])
        polished = polished_weights(Technology(points, 2, SUMS[returns]), weights, lam, 0, least)
        if not len(rows):
            assert polished is None
            continue
        rows[:, least > weights * (1 - 1e-7)] = 0.0
        full = weights * (peers if is_between else peers[1:] - peers[0])
        eta = np.linalg.lstsq(rows, -full.sum(axis=1), rcond=None)[0]
        moved = weights * (1 + eta)
        if moved.min() < 0:
            assert polished is None
            continue
        moved = np.maximum(moved, least)
        np.testing.assert_allclose(np.array(polished, dtype=float), moved, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("returns", SUMS)
def test_what_weights_allow_beside_zeros_is_the_maximum_by_loops(returns) -> None:
    """Points and weights of a few numbers, 0 among them: no cost, no gain, and ties."""
    rng = np.random.default_rng(11)
    outcomes = set()
    for _ in range(60):
        points = rng.choice([0.0, 0.5, 1.0], (4, 4)) * [1, 1, -1, -1]
        weights = rng.choice([0.0, 0.25, 1.0], 4)
        tested = rng.choice([0.0, 0.5, 1.0], 4) * [1, 1, -1, -1]
        technology = Technology(points, 2, SUMS[returns])
        value, raised = allow(points, to_fractions(weights), SUMS[returns], 2)
        outcome = exact_excess(technology, tested, to_fractions(weights))
        floats, error, lifted = excess_of_weights(technology, tested[None], weights[None])
        outcomes.add(value is None)
        if value is None:
            assert outcome is None
            assert np.isinf(floats[0])
            assert not np.isnan(error[0])
            continue
        own = sum(w * z for w, z in zip(raised, to_fractions(tested), strict=True))
        assert outcome == (value - own, raised)
        assert value - own <= Fraction(floats[0] + error[0])
        assert floats[0] + error[0] == pytest.approx(float(value - own), abs=1e-12)
        np.testing.assert_allclose(lifted[0], np.array(raised, dtype=float), rtol=1e-12)
    assert outcomes == ({True, False} if np.isinf(SUMS[returns][1]) else {False})


def test_weights_at_a_limit_are_that_limit_and_not_free() -> None:
    """Six weights: at their least, just above it, and by shares of 1e-6 and 1e-9 below or above
    their largest; the last has none.
    """
    least = np.array([0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
    weights = np.array([0.5, 0.5 + 1e-6, 2.0 - 2e-6, 2.0 - 2e-9, 2.0 + 2e-9, 9.0])
    limits = [Fraction(2)] * 5 + [None]
    exact, is_free = settle_at_limits(weights, least, limits)
    assert is_free.tolist() == [False, True, True, False, False, True]
    assert exact == [*(Fraction(w) for w in weights[:3]), 2, 2, 9]
    # Without limits from above only the least holds a weight.
    assert settle_at_limits(weights, least, None)[1].tolist() == [False, *[True] * 5]
