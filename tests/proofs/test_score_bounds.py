"""Bounds of scores: between what linear programs say, and off by what loops give."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from model_options import rank_with
from quick_cases import mark_most_slow
from scipy.optimize import linprog

import deabench as db
import deabench.proofs.bounds as bounds_module
from deabench.errors import CertificateError
from deabench.models.shared.score_bounds import NEAR, BoundedAnswer
from deabench.proofs.bounds import bound_scores
from deabench.proofs.exact_repair import Technology
from deabench.utils.arrays import TOLERANCE, Sparse

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
SUMS = {"crs": (0.0, np.inf), "vrs": (1.0, 1.0), "nirs": (0.0, 1.0), "ndrs": (1.0, np.inf)}


def solve_total(points: np.ndarray, tested: np.ndarray, sums: tuple[float, float]):
    """Return the largest total gain, λ and weights of at least 1 that prove it, by SciPy."""
    least, most = sums
    rows = [-np.ones(len(points))]
    right = [-least]
    if np.isfinite(most):
        rows.append(np.ones(len(points)))
        right.append(most)
    program = linprog(
        -points.sum(axis=1),
        A_ub=np.vstack([-points.T, *rows]),
        b_ub=np.append(-tested, right),
        method="highs",
    )
    assert program.status == 0
    weights = 1 - program.ineqlin.marginals[: points.shape[1]]
    return -program.fun - tested.sum(), program.x, weights


def sum_of_gains(gains: np.ndarray, _: np.ndarray) -> np.ndarray:
    return np.asarray(gains.sum(axis=1))


def same_excess(excess: np.ndarray, _weights: np.ndarray, _rows: np.ndarray) -> np.ndarray:
    return np.asarray(excess)


def bound_total(points, tested, lam, weights, sums, **options):
    columns = np.arange(len(points), dtype=np.int32)[None]
    bounds = bound_scores(
        Technology(points, 1, sums),
        tested[None],
        Sparse(columns, lam[None]),
        weights[None],
        options.pop("held", np.ones((1, 3), dtype=bool)),
        sum_of_gains,
        same_excess,
        np.ones(1),
        options.pop("wanted", np.ones(1, dtype=bool)),
        **options,
    )
    return bounds.primal[0], bounds.dual[0], bounds.support[0]


@pytest.mark.parametrize("returns", SUMS)
def test_bounds_of_a_total_enclose_that_of_a_linear_program(returns) -> None:
    sums = SUMS[returns]
    for seed in range(10):
        rng = np.random.default_rng(seed)
        points = np.column_stack([rng.uniform(0.3, 1, (6, 2)), -rng.uniform(0.3, 1, 6)])
        tested = np.array([0.35, 0.3, -0.9])
        total, lam, weights = solve_total(points, tested, sums)
        primal, dual, support = bound_total(points, tested, lam, weights, sums)
        assert total - 1e-9 <= primal <= total + 1e-12
        assert total - 1e-12 <= dual <= total + 1e-9
        assert support == pytest.approx(dual + weights @ tested, abs=1e-9)
        # λ and weights with errors bound the total from farther away, from the same sides.
        for share in (1e-12, 1e-7, 1e-3):
            near = lam * (1 + share * rng.uniform(-1, 1, 6))
            heavy = weights * (1 + share * rng.uniform(0, 1, 3))
            primal, dual, _ = bound_total(points, tested, near, heavy, sums)
            assert np.isnan(primal) or total - 20 * share - 1e-9 <= primal <= total + 1e-12
            assert total - 1e-12 <= dual <= total + 20 * share + 1e-9
            if share < 1e-6 and returns == "vrs":
                assert not np.isnan(primal)
        # What is held no more may be lost, and what is moved is not gained.
        moved = np.array([0.0, 0.0, -0.01])
        primal = bound_total(points, tested, lam, weights, sums, moved=moved[None])[0]
        assert primal == pytest.approx(total + 0.01, abs=1e-9)
        aims = np.add(tested, [0.0, 0.0, -0.02])
        primal = bound_total(points, tested, lam, weights, sums, aims=aims[None])[0]
        assert primal == pytest.approx(total + 0.02, abs=1e-9)
        # A better point that is left out counts for nothing.
        more = np.vstack([points, [[2.0, 2.0, -0.1]]])
        primal, dual, support = bound_total(
            more, tested, np.append(lam, 0.0), weights, sums, left_out=np.array([6])
        )
        assert total - 1e-9 <= primal <= dual <= total + 1e-9
        dual = bound_total(more, tested, np.append(lam, 0.0), weights, sums)[1]
        assert dual > total + 0.5


def test_a_metric_that_is_held_and_missed_leaves_no_bound() -> None:
    points = np.array([[0.5, 0.5, -0.5]])
    lam = np.ones(1)
    weights = np.ones(3)
    for tested, held, expected in (
        ([0.4, 0.4, -0.6], [1, 1, 1], 0.3),
        ([0.6, 0.4, -0.6], [1, 1, 1], np.nan),
        ([0.6, 0.4, -0.6], [0, 1, 1], 0.1),
        ([0.4, 0.4, -0.4], [1, 1, 1], np.nan),
        ([0.4, 0.4, -0.4], [1, 1, 0], 0.1),
    ):
        primal, dual, support = bound_total(
            points, np.array(tested), lam, weights, (1.0, 1.0), held=np.array([held], dtype=bool)
        )
        assert primal == pytest.approx(expected, abs=1e-12, nan_ok=True)
        assert dual == pytest.approx(0.5 - sum(tested), abs=1e-12)
        assert support == pytest.approx(0.5, abs=1e-12)


PEERS = np.array([[0.75, 0.25, -0.5], [0.25, 0.75, -0.5], [0.5, 0.5, -1.0]])


@pytest.mark.parametrize(
    ("lam", "weights", "unit", "options", "expected"),
    [
        # λ and weights that agree need no fractions, whatever the unit of the score.
        ([0.5, 0.5], [1.0, 1.0, 1.0], 1.0, {}, (0, 0)),
        ([0.5, 0.5], [1.0, 1.0, 1.0], 1e-2, {}, (0, 0)),
        # Either side that is off asks for both, unless that is little in the unit.
        ([0.5, 0.5], [1.1, 1.0, 1.0], 1.0, {}, (1, 1)),
        ([0.5, 0.5], [1.0, 1.0, 1 + 1e-8], 1.0, {}, (1, 1)),
        ([0.5, 0.5], [1.0, 1.0, 1 + 1e-8], 100.0, {}, (0, 0)),
        ([0.5, 0.5], [1.0, 1.0, 1 + 1e-10], 1.0, {}, (0, 0)),
        ([0.5, 0.5], [1.0, 1.0, 1 + 1e-10], 1e-2, {}, (1, 1)),
        # λ that only fractions make feasible.
        ([0.0, 1.0], [1.0, 1.0, 1.0], 1.0, {}, (1, 0)),
        # Not wanted, or no numbers.
        ([0.0, 1.0], [1.1, 1.0, 1.0], 1.0, {"wanted": np.array([False])}, (0, 0)),
        ([np.nan, 1.0], [1.0, 1.0, 1.0], 1.0, {}, (0, 0)),
        ([np.inf, 1.0], [1.0, 1.0, 1.0], 1.0, {}, (0, 0)),
        ([0.0, 1.0], [np.nan, 1.0, 1.0], 1.0, {}, (0, 0)),
        ([0.0, 1.0], [1.0, 1.0, np.inf], 1.0, {}, (0, 0)),
        ([0.5, 0.5], [1.0, 1.0, 1.0], 1.0, {"aims": np.array([[np.nan, 0.5, -0.5]])}, (0, 0)),
        ([0.5, 0.5], [1.0, 1.0, 1.0], 1.0, {"moved": np.array([[np.inf, 0.0, 0.0]])}, (0, 0)),
    ],
)
def test_fractions_are_tried_where_floats_leave_more_than_their_limit(
    monkeypatch, lam, weights, unit, options, expected
) -> None:
    calls = {"exact_gains": 0, "exact_excess": 0}
    for name in calls:
        original = getattr(bounds_module, name)

        def count(*arguments, name=name, original=original):
            calls[name] += 1
            return original(*arguments)

        monkeypatch.setattr(bounds_module, name, count)
    bound_scores(
        Technology(PEERS, 1, (1.0, 1.0)),
        np.array([[0.45, 0.45, -0.55]]),
        Sparse(np.array([[0, 1]], dtype=np.int32), np.array([lam])),
        np.array([weights]),
        np.ones((1, 3), dtype=bool),
        sum_of_gains,
        same_excess,
        np.array([unit]),
        **{"wanted": np.ones(1, dtype=bool), **options},
    )
    assert (calls["exact_gains"], min(calls["exact_excess"], 1)) == expected


def test_intensities_are_tried_without_what_rounding_added(monkeypatch) -> None:
    """A DMU as its own peer, all but alone: no share of it moves outputs and inputs to its own."""
    monkeypatch.setattr(bounds_module, "exact_gains", lambda *_: [])
    for lam, expected in ((1 - 1e-13, 0.125), (1 + 1e-13, 0.125), (1 - 1e-9, np.nan)):
        primal = bound_total(
            PEERS[:1], PEERS[0] - [0.0, 0.125, 0.0], np.array([lam]), np.ones(3), (0.0, np.inf)
        )[0]
        assert primal == pytest.approx(expected, abs=1e-13, nan_ok=True)


@pytest.mark.parametrize("share", [-0.25, 0.25])
def test_rounded_intensities_reach_what_they_reach_themselves(monkeypatch, share) -> None:
    """In coarse multiples a quarter of one is rounding, and what it adds or takes is not told."""
    monkeypatch.setattr(bounds_module, "exact_gains", lambda *_: [])
    monkeypatch.setattr(bounds_module, "FINEST_LAMBDA", 2.0**-10)
    lam = np.array([1 + share * 2.0**-10])
    tested = PEERS[0] - [0.0, 0.125, 0.0]
    primal = bound_total(PEERS[:1], tested, lam, np.ones(3), (0.0, np.inf))[0]
    assert primal == pytest.approx(0.125, abs=1e-13)


def test_rounded_intensities_have_an_error_of_their_own(monkeypatch) -> None:
    """They are repaired with other moves than those that they replace."""
    outcomes = [
        (np.full((1, 3), 0.5), np.full((1, 3), 0.125), np.array([False]), np.array([False])),
        (np.full((1, 3), 0.75), np.full((1, 3), 0.25), np.array([True]), np.array([True])),
    ]
    monkeypatch.setattr(bounds_module, "exact_gains", lambda *_: [])
    monkeypatch.setattr(bounds_module, "repaired_gains", lambda *_: outcomes.pop(0))
    primal = bound_total(PEERS[:1], PEERS[0], np.ones(1), np.ones(3), (1.0, 1.0))[0]
    assert primal == 1.5


@pytest.mark.parametrize("more", [-1e-13, 0.0, 1e-13])
@pytest.mark.parametrize("heavy", [1.0, 1.1, 2.0])
def test_what_floats_reach_is_a_bound_beside_looser_fractions(monkeypatch, more, heavy) -> None:
    """The weights leave a gap, and fractions find no other λ, a worse one or a better one."""
    tested = PEERS[0] - [0.0, 0.125, 0.0]
    lam = np.array([1 + more])
    weights = np.array([1.0, heavy, 1.0])
    for repairs, expected in (
        # No share of the only peer moves outputs and inputs to its own.
        (None, 0.125),
        ([], 0.125),
        ([0.0625], 0.125),
        ([0.0625, 0.1], 0.125),
        # Closer to what the weights allow.
        ([0.0625, 0.1255], 0.1255 if heavy > 1 else 0.125),
    ):
        if repairs is not None:
            vectors = [[Fraction(gain), Fraction(0), Fraction(0)] for gain in repairs]
            monkeypatch.setattr(bounds_module, "exact_gains", lambda *_, v=vectors: v)
        primal = bound_total(PEERS[:1], tested, lam, weights, (0.0, np.inf))[0]
        assert primal == pytest.approx(expected, abs=1e-12)


def test_a_miss_by_rounding_is_met_without_moves_that_cost_another_metric() -> None:
    """To gain 4e-16 of the first metric all of λ would move, and half of the second with it."""
    peers = np.array([[0.5, 0.75, -0.5], [0.5, 0.25, -0.5]])
    tested = np.array([0.5 + 4e-16, 0.5, -0.5])
    held = np.array([[True, False, True]])
    primal = bound_total(peers, tested, np.full(2, 0.5), np.ones(3), (1.0, 1.0), held=held)[0]
    assert primal == pytest.approx(0.0, abs=1e-13)


def test_intensities_that_miss_by_their_own_rounding_alone_reach_what_they_reach() -> None:
    """A third of its only peer, rounded: there is no λ that reaches all three metrics exactly."""
    peer = np.array([0.7, 0.2, -0.8])
    for miss, expected in ((0.0, 0.0), (1e-12, np.nan)):
        primal = bound_total(
            peer[None], peer / 3 + miss, np.array([1 / 3]), np.ones(3), (0.0, np.inf)
        )[0]
        assert primal == pytest.approx(expected, abs=1e-13, nan_ok=True)


@pytest.mark.parametrize("returns", SUMS)
def test_what_weights_give_at_most_is_the_float_next_to_it(returns) -> None:
    """Where fractions are computed they say it, too, without what floats are widened by."""
    least, most = SUMS[returns]
    for seed in range(10):
        rng = np.random.default_rng(seed)
        points = np.column_stack([rng.uniform(0.3, 1, (6, 2)), -rng.uniform(0.3, 1, 6)])
        tested = np.array([0.35, 0.3, -0.9])
        _, lam, weights = solve_total(points, tested, SUMS[returns])
        heavy = weights * (1 + 1e-3 * rng.uniform(0, 1, 3))
        support = bound_total(points, tested, lam, heavy, SUMS[returns])[2]
        worth = [[Fraction(w) * Fraction(z) for w, z in zip(heavy, row, strict=True)]
                 for row in points.tolist()]  # fmt: skip
        if np.isinf(most):
            # The inputs' weights are raised until nothing is worth more than 0.
            factor = max(Fraction(1), *(-(a + b) / c for a, b, c in worth))
            worth = [[a, b, c * factor] for a, b, c in worth]
        best = max(sum(row) for row in worth)
        expected = Fraction(least) * min(best, Fraction(0))
        if np.isfinite(most):
            expected += Fraction(most) * max(best, Fraction(0))
        assert support == float(expected)


def bounded_answer(scores, efficient, **parts) -> BoundedAnswer:
    """Return the parts that are named, of two DMUs with two metrics."""
    labels = list("pq")
    answer = SimpleNamespace(
        scores=pd.Series(scores, labels),
        efficient=pd.Series(efficient, labels),
        slacks=parts.pop("slacks", pd.DataFrame(np.zeros((2, 2)), labels, ["a", "x"])),
        intensities=parts.pop("intensities", None),
        frontier=np.arange(2),
    )
    scaled = SimpleNamespace(units=np.array([4.0, 0.5]), Y=np.eye(2)[:, :1], X=np.ones((2, 1)))
    scaled.returns = "vrs"
    scaled.m = 1
    zeros = np.zeros((2, 2))
    names = ("tested", "signed_weights", "weights", "u_0", "gains", "size")
    values = {"u_0": None, **parts}
    return BoundedAnswer(answer, scaled, **{name: values.get(name, zeros) for name in names})


@pytest.mark.parametrize(
    ("claimed", "best", "share", "score", "wrong"),
    [
        (True, True, 0.0, 1.0, 0.0),
        (True, True, NEAR, 1.0, 0.0),
        (True, True, 1.1 * NEAR, 1.0, 1.0),
        (True, False, 0.0, 0.5, 1.0),
        (False, True, 0.0, 1.0, 1.0),
        (False, True, TOLERANCE / 10, 1.0, 1.0),
        (False, True, TOLERANCE / 9, 1.0, 0.0),
        (False, False, 0.0, 0.5, 0.0),
        (False, True, 0.0, np.nan, 0.0),
        (True, True, np.nan, np.nan, 1.0),
    ],
)
def test_a_flag_is_wrong_beyond_what_rounding_leaves_open(
    claimed, best, share, score, wrong
) -> None:
    bounded = bounded_answer([score, 0.5], [claimed, False])
    verdicts = bounded.wrong_verdicts(np.array([best, False]), np.array([share, 0.0]))
    assert verdicts.tolist() == [wrong, 0.0]


def test_shares_and_weights_are_those_of_the_largest() -> None:
    slacks = pd.DataFrame([[2.0, 0.25], [1.0, -0.5]], list("pq"), ["a", "x"])
    bounded = bounded_answer(
        [1.0, 1.0],
        [True, True],
        slacks=slacks,
        gains=np.array([[0.5, 0.75], [0.5, 0.25]]),
        size=np.array([[0.5, 2.0], [0.0, 0.125]]),
        signed_weights=np.array([[2.0, -0.5], [0.25, 4.0]]),
        weights=np.array([[2.0, 0.0], [0.25, 4.0]]),
        u_0=np.array([1.0, 2.0]),
    )
    # Slacks in scaled metrics: 1/2 and 1/2, 1/4 and -1.
    assert bounded.slack_errors().tolist() == [0.125, 10.0]
    assert bounded.slack_errors(np.full((2, 2), 0.25)) == pytest.approx([0.5, 8.0])
    # A move of 1e15 is rounded by more than these slacks.
    far = np.full((2, 2), 1e15)
    moved_far = replace(bounded, gains=bounded.gains + far)
    assert moved_far.slack_errors(far).tolist() == [0.0, 0.0]
    assert bounded.largest_share().tolist() == [1.0, 2.0]
    assert bounded.largest_share(0.25).tolist() == [0.5, 0.25]
    assert bounded.largest_share(9.0).tolist() == [0.0, 0.0]
    assert bounded.shares(np.ones((2, 2))).tolist() == [[2.0, 0.5], [1.0, 8.0]]
    assert bounded._negative_weights().tolist() == [0.25, -0.0625]
    halved = bounded.divide_weights(np.array([2.0, 4.0]))
    assert halved.weights.tolist() == [[1.0, 0.0], [0.0625, 1.0]]
    assert halved.signed_weights.tolist() == [[1.0, -0.25], [0.0625, 1.0]]
    assert halved.u_0.tolist() == [0.5, 0.5]
    assert bounded_answer([1, 1], [True] * 2).divide_weights(np.ones(2)).u_0 is None


def test_a_free_term_is_off_beyond_the_rounding_of_its_terms() -> None:
    lam = Sparse(np.array([[0, -1], [0, 1]], dtype=np.int32), np.array([[1.0, 0.0], [0.5, 0.5]]))
    bounded = bounded_answer(
        [1.0, 1.0],
        [True, True],
        intensities=lam,
        weights=np.array([[1.0, 1.0], [1e6, 1.0]]),
        tested=np.array([[1.0, -1.0], [1.0, -1.0]]),
        u_0=np.array([0.5, 0.5]),
    )
    for support, expected in (([0.25, 0.5], [0.125, 0.0]), ([0.5, 1.5], [0.0, 0.25])):
        errors = bounded._free_term_errors(np.array(support), np.array([2.0, 4.0]))
        assert errors.tolist() == pytest.approx(expected, rel=1e-6)
    # 1e-13 is rounding beside terms of a million, and is not beside those of 1.
    errors = bounded._free_term_errors(np.full(2, 0.5 + 1e-12), np.ones(2))
    assert errors[0] > 0
    assert errors[1] == 0
    assert not replace(bounded, u_0=None)._free_term_errors(np.ones(2), np.ones(2)).any()


@pytest.mark.parametrize("model", ["ccr", "super"])
@pytest.mark.parametrize("orientation", ["input", "output"])
def test_a_gap_is_a_distance_whichever_bound_is_above_the_other(model, orientation) -> None:
    """A mixture that misses by its last digits counts as met; weights count what it misses."""
    metrics = {"input": list("abx"), "output": list("xza")}[orientation]
    reference = pd.DataFrame([[0.75, 0.25, 0.5], [0.25, 0.75, 0.5]], list("pq"), metrics)
    factor = 2.0 if orientation == "input" else 0.5
    tested = pd.DataFrame([[0.5, 0.5, 0.5 * factor]], ["d"], metrics)
    outputs = [name for name in metrics if name in "ab"]
    inputs = [name for name in metrics if name in "xz"]
    honest = rank_with(
        tested, reference=reference, outputs=outputs, inputs=inputs, model=model, returns="vrs",
        orientation=orientation,
    )  # fmt: skip
    assert honest.scores["d"] == 0.5
    mixture = Sparse(np.array([[0, 1]], dtype=np.int32), np.array([[0.5, 0.5]]))
    # No combination has more of both of the first metrics, or needs less of both.
    weights = honest.weights.copy()
    weights[metrics[:2]] += 1e5
    weights["u_0"] -= 1e5
    side, sign, price = ("outputs", 1, 1.0) if orientation == "input" else ("inputs", -1, 0.25)
    for digits in (0, 1, 4):
        values = getattr(honest.data, side).copy()
        values.loc["d", metrics[0]] += sign * digits * 2.0**-53
        data = replace(honest.data, **{side: values})
        forged = replace(honest, data=data, weights=weights, intensities=mixture)
        frame = forged.options.prove(forged).frame.loc["d"]
        excess = frame["dual"] - frame["primal"]
        # Beyond what is missed a bound stands a little before the score, by 1e-13 at most.
        assert excess == pytest.approx(price * 1e5 * digits * 2.0**-53, rel=1e-3, abs=2e-13)
        assert frame["gap"] == abs(excess)


def allow_efficiency(w, own, sums, orientation) -> tuple[float, float, float]:
    """Return the efficiency that weights allow, the most that they give, and their norm."""
    u, v = np.maximum(w[:2], 0), np.maximum(w[2:], 0)
    norm = w[:2] @ own[:2] if orientation == "output" else w[2:] @ own[2:]
    pairs = [(u @ row[:2], v @ row[2:]) for row in TABLE.to_numpy()]
    least, most = sums
    if np.isinf(most):
        factor = max(1.0, *(gain / cost for gain, cost in pairs))
        v = v * factor
        pairs = [(gain, cost * factor) for gain, cost in pairs]
    best = max(gain - cost for gain, cost in pairs)
    support = least * min(best, 0.0)
    if np.isfinite(most):
        support += most * max(best, 0.0)
    if orientation == "output":
        return u @ own[:2] / (support + v @ own[2:]), support, norm
    return (u @ own[:2] - support) / (v @ own[2:]), support, norm


RNG = np.random.default_rng(8)
TABLE = pd.DataFrame(RNG.uniform(0.3, 1, (8, 4)).round(2), list("pqrstuvw"), list("abxz"))


@pytest.mark.parametrize("size", mark_most_slow([1e-2, 1e-5], 1))
@pytest.mark.parametrize("model", ["wei", "vrs", "nirs", "crs", "ndrs"])
@pytest.mark.parametrize("orientation", ["input", "output"])
def test_a_radial_frame_is_off_by_what_loops_give(model, orientation, size) -> None:
    if model == "wei":
        honest = db.rank(TABLE[["a", "b"]], outputs=["a", "b"])
        sums = (1.0, 1.0)
        orientation = "output"
    else:
        honest = rank_with(
            TABLE, outputs=["a", "b"], inputs=["x", "z"], model="ccr", returns=model,
            orientation=orientation,
        )  # fmt: skip
        sums = SUMS[model]
    rng = np.random.default_rng(1)
    lam = honest.intensities
    names = list(honest.slacks.columns)
    for part in ("intensities", "weights", "slacks", "signs"):
        forged = honest
        if part == "intensities":
            values = lam.values * (1 + size * rng.uniform(-1, 1, lam.values.shape))
            forged = replace(honest, intensities=Sparse(lam.columns, values))
        elif part == "slacks":
            noise = size * rng.uniform(-1, 1, honest.slacks.shape)
            forged = replace(honest, slacks=honest.slacks + noise)
        else:
            noise = size * rng.uniform(-1, 1, honest.weights.shape)
            if part == "weights":
                noise = honest.weights * noise
            forged = replace(honest, weights=honest.weights + noise)
        proof = forged.options.prove(forged)
        dense = forged.intensities.dot(np.eye(len(TABLE)))
        for k, label in enumerate(TABLE.index):
            own = TABLE.loc[label, names].to_numpy()
            reached = dense[k] @ TABLE[names].to_numpy()
            score = forged.scores.iloc[k]
            moves = np.array([name in "ab" for name in names]) == (orientation == "output")
            projected = np.where(
                moves, own / score if orientation == "output" else own * score, own
            )
            signs = np.where(np.isin(names, ["a", "b"]), 1, -1)
            gained = (reached - projected) * signs
            frame = proof.frame.loc[label]
            total = dense[k].sum()
            errors = [max(-dense[k]), sums[0] - total, total - sums[1], 0.0]
            w = forged.weights[names].to_numpy()[k]
            if model == "wei":
                assert frame["primal"] == pytest.approx(1 / (reached / own).min(), rel=1e-12)
                assert frame["dual"] == pytest.approx(w @ own, rel=1e-12)
                gap = abs(frame["primal"] - frame["dual"])
                assert frame["gap"] == pytest.approx(gap, abs=1e-12)
            else:
                errors += list(-gained / (np.abs(projected) + np.abs(reached)))
                # Both bounds stand on their sides of the score, and as near as the loops say.
                true_score = honest.scores.iloc[k]
                allowed, support, norm = allow_efficiency(w, own, sums, orientation)
                assert allowed - 1e-9 <= frame["dual"] <= true_score + 1e-9
                assert not frame["primal"] < true_score - 1e-9
                gap = abs(frame["primal"] - frame["dual"])
                assert frame["gap"] == pytest.approx(gap, abs=1e-15, nan_ok=True)
                if "u_0" in forged.weights and frame["dual"] == pytest.approx(allowed, abs=1e-11):
                    sign = 1 if orientation == "output" else -1
                    off = abs(forged.weights["u_0"].iloc[k] - sign * support) / norm
                    assert frame["dual_infeasibility"] == pytest.approx(
                        max(off, -min(w * own) / sum(abs(w * own))), rel=1e-5, abs=1e-9
                    )
            assert frame["primal_infeasibility"] == pytest.approx(max(errors), abs=1e-8)
            # A weight below 0 is refused by its share of what all are worth.
            share = -(w * own).min() / (np.abs(w * own)).sum()
            if share > 1e-9:
                assert frame["dual_infeasibility"] >= share * (1 - 1e-9) * (
                    1 if model != "wei" else 0.2
                )
            if part == "slacks":
                unit = np.minimum(projected, TABLE[names].max())
                expected = max(np.abs(gained - forged.slacks.to_numpy()[k]) / unit)
                misses = proof.violations["distance_of_the_slacks_from_their_proof"]
                assert misses[k] == pytest.approx(expected, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("orientation", ["input", "output"])
@pytest.mark.parametrize("returns", SUMS)
def test_weights_prove_the_same_in_any_unit(returns, orientation) -> None:
    honest = rank_with(
        TABLE, outputs=["a", "b"], inputs=["x", "z"], model="ccr", returns=returns,
        orientation=orientation,
    )  # fmt: skip
    for factor in (8.0, 1 / 8):
        frame = replace(honest, weights=honest.weights * factor).proof().frame
        for name, values in honest.proof().frame.items():
            assert frame[name].to_numpy() == pytest.approx(values.to_numpy(), abs=1e-12)


def test_weights_of_a_facet_miss_by_what_they_cost_in_efficiency() -> None:
    """Beside another reference: of a DMU far inside an error costs less, far outside more."""
    reference = TABLE[["a", "b"]]
    tested = reference.iloc[:4].mul([0.1, 1.0, 3.0, 30.0], axis=0).set_axis(list("1234"))
    honest = db.rank(tested, outputs=["a", "b"], reference=reference)
    db.certify(honest)
    # What is left between both sides is the rounding of their terms.
    assert (honest.proof().frame["gap"] == 0).all()
    unit = 2.0 ** np.floor(np.log2(reference.max().to_numpy()))
    for name, change in (("a", 1e-3), ("b", -0.5), ("a", -0.8), ("a", -3.0), ("b", 1e-7)):
        for k, label in enumerate(tested.index):
            weights = honest.weights.copy()
            weights.loc[label, name] += change
            frame = replace(honest, weights=weights).proof().frame.loc[label]
            u = weights.loc[label, ["a", "b"]].to_numpy()
            dual = u @ tested.iloc[k].to_numpy()
            assert frame["dual"] == pytest.approx(dual, rel=1e-9)
            # Some reference DMU is worth more than 1, or a weight is below 0.
            excess = max((reference.to_numpy() @ u).max() - 1, *(-u * unit), 0.0) / dual
            size = ((np.abs(u) * unit).sum() + 1) / dual
            price = dual**2 / max(dual, 1.0)
            expected = max(excess / max(size, 1.0), excess * price, 0.0)
            assert frame["dual_infeasibility"] == pytest.approx(expected, rel=1e-5, abs=1e-12)


@pytest.mark.parametrize("size", [1e-2, 1e-6])
@pytest.mark.parametrize(
    "options",
    [
        {"model": "sbm", "returns": "vrs"},
        {"model": "sbm", "returns": "crs", "orientation": "output"},
        {"model": "ram"},
        {"model": "russell", "orientation": "none"},
        {"model": "ddf", "direction": "own"},
    ],
)
def test_intensities_miss_by_the_metric_that_is_missed_most(options, size) -> None:
    honest = rank_with(TABLE, outputs=["a", "b"], inputs=["x", "z"], **options)
    least, most = SUMS[options.get("returns", "vrs")]
    rng = np.random.default_rng(2)
    lam = honest.intensities
    values = lam.values * (1 + size * rng.uniform(-1, 1, lam.values.shape))
    values[0, 0] = -size
    forged = replace(honest, intensities=Sparse(lam.columns, values))
    proof = forged.options.prove(forged)
    dense = forged.intensities.dot(np.eye(len(TABLE)))
    own = TABLE.to_numpy()
    reached = dense @ own
    signs = np.array([1, 1, -1, -1])
    moved = honest.scores.to_numpy()[:, None] * own if options["model"] == "ddf" else 0.0
    short = ((own - reached) * signs + moved) / (own + np.abs(reached))
    for k, label in enumerate(TABLE.index):
        total = dense[k].sum()
        expected = max(*short[k], least - total, total - most, *(-dense[k]), 0.0)
        missed = proof.frame.loc[label, "primal_infeasibility"]
        assert missed == pytest.approx(expected, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("returns", ["vrs", "nirs"])
@pytest.mark.parametrize("model", [db.models.CCR, db.models.Super])
def test_large_terms_of_a_tied_point_leave_a_score_its_proof(model, returns) -> None:
    """Only `b` uses as little as `d`; `a` is worth as much as `b` under the weights that prove it.

    a is worth 515,586 less 510,743, of which rounding hides more than of what b is worth.
    """
    table = pd.DataFrame(
        {"made": [515586, 12823, 1, 1], "used": [64, 1, 3, 1], "paid": [3, 2, 5, 6174]},
        list("abcd"),
    )
    ranking = db.rank(
        table,
        outputs=["made"],
        inputs=["used", "paid"],
        model=model(returns=returns, orientation="output"),
    )
    assert ranking.scores["d"] == pytest.approx(1 / 12823, rel=1e-12)
    db.certify(ranking)
    # u_0 is proved no looser for that.
    forged = ranking.weights.copy()
    forged.loc["d", "u_0"] += 1e-5
    with pytest.raises(CertificateError):
        db.certify(replace(ranking, weights=forged))


def test_weights_against_the_others_miss_by_the_others_alone() -> None:
    """Super-efficiencies of outputs: the DMU itself may be worth more than 1, and no other."""
    table = TABLE[["a", "b"]]
    honest = db.rank(table, model="super")
    unit = 2.0 ** np.floor(np.log2(table.max().to_numpy()))
    assert (honest.scores > 1).any()
    for change in ([1e-3, 0.0], [0.0, 1e-3], [0.3, -0.9], [-2.0, 0.0]):
        forged = replace(honest, weights=honest.weights + change)
        frame = forged.options.prove(forged).frame
        for k in range(len(table)):
            u = forged.weights[["a", "b"]].to_numpy()[k]
            dual = u @ table.to_numpy()[k]
            others = [j for j in range(len(table)) if j != k or honest.scores.iloc[k] < 1]
            worth = max(u @ table.to_numpy()[j] for j in others)
            excess = max(worth - 1, *(-u * unit)) / dual
            size = ((np.abs(u) * unit).sum() + 1) / dual
            expected = max(excess / max(size, 1.0), excess * dual**2 / max(dual, 1.0), 0.0)
            found = frame["dual_infeasibility"].iloc[k]
            assert found == pytest.approx(expected, rel=1e-5, abs=1e-12)
            assert frame["dual"].iloc[k] == pytest.approx(dual, rel=1e-12)


@pytest.mark.parametrize("orientation", ["input", "output"])
def test_a_radial_free_term_is_off_beyond_the_rounding_of_its_terms(orientation) -> None:
    honest = rank_with(
        TABLE, outputs=["a", "b"], inputs=["x", "z"], model="ccr", returns="vrs",
        orientation=orientation,
    )  # fmt: skip
    for size in (1.0, 2.0**20):
        for share, counts in ((1e-15, False), (1e-11, True), (-1e-11, True), (1e-3, True)):
            weights = honest.weights * size
            largest = (weights.drop(columns="u_0") * TABLE).max(axis=1)
            weights["u_0"] += share * largest
            frame = replace(honest, weights=weights).proof().frame
            norm = (weights * TABLE)[["a", "b"] if orientation == "output" else ["x", "z"]]
            expected = (abs(share) * largest / norm.sum(axis=1)).to_numpy()
            found = frame["dual_infeasibility"].to_numpy()
            if counts:
                assert found == pytest.approx(expected, rel=0.02, abs=2e-12)
            else:
                assert (found < 1e-13).all()


@pytest.mark.parametrize(("share", "is_settled"), [(0.0, True), (1e-8, True), (1e-5, False)])
def test_small_radial_scores_are_settled_in_shares_of_1(monkeypatch, share, is_settled) -> None:
    """A thousandth of the reference, and weights that are off by a share of themselves."""
    tested = TABLE * [1e-3, 1e-3, 1.0, 1.0]
    ranking = rank_with(
        tested, reference=TABLE, outputs=["a", "b"], inputs=["x", "z"], model="ccr", returns="crs"
    )
    noise = 1 + share * np.random.default_rng(0).uniform(-1, 1, ranking.weights.shape)
    asked = []
    monkeypatch.setattr(bounds_module, "exact_gains", lambda *_: asked.append(1) or [])
    replace(ranking, weights=ranking.weights * noise).proof()
    assert (not asked) == is_settled
