"""Answers that hang on the last digits of tables: found, right, and proved."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from quick_cases import mark_most_slow

import deabench as db
from benchmarks.exact.radial import exact_radial
from deabench.solver.rational_simplex import minimize_exactly

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
M = db.models


@pytest.mark.parametrize("model", ["wei", "score", M.Common(goal="largest")], ids=str)
@pytest.mark.parametrize(
    ("reference", "far", "best"),
    [
        (
            [(0.75000000002, 0.74999999997, 0.25), (0.24999999995, 0.25, 0.25000000003)],
            (0.25, 0.25, 1.0),
            1,
        ),
        (
            [(0.4999999997, 0.5000000003), (0.2499999994, 0.75), (0.4999999992, 0.7500000005)],
            (0.75, 1.0),
            0,
        ),
        (
            [(0.7499999991, 0.4999999996, 0.75), (0.2499999992, 0.5000000007, 0.5)],
            (0.25, 1.0, 0.75),
            1,
        ),
    ],
)
def test_alone_the_best_in_one_metric_is_efficient_beside_a_dmu_beyond_the_reference(
    model, reference, far, best
) -> None:
    """No mixture of the others reaches its best metric, so there is no slack."""
    columns = [f"m{k}" for k in range(len(far))]
    frame = pd.DataFrame(reference, list("ABC")[: len(reference)], columns)
    others = frame.drop(index=frame.index[best])
    assert (frame.iloc[best] > others.max()).any()
    table = pd.concat([frame, pd.DataFrame([far], ["Q"], columns)])
    ranking = db.rank(table, reference=frame, outputs=columns, model=model)
    assert ranking.efficient.iloc[best]
    assert not ranking.undecided.any()
    db.certify(ranking)


def test_beyond_a_steep_edge_each_dmu_on_its_rays_is_efficient() -> None:
    """Mixtures of two DMUs that trade 2e-6 of a metric for one of the other, and their multiples.

    Beside a DMU that lacks the last unit of a metric, which it has slack in.
    """
    first, second = np.array([4000000.0, 2000000.0]), np.array([4000001.0, 1500000.0])
    reference = pd.DataFrame([first, second, [3500000.0, 1500000.0]], list("ABC"), ["m0", "m1"])
    rows = [first * p + second * q for p, q in ((7, 11), (1, 14), (100, 3), (30, 30), (0, 6))]
    table = pd.DataFrame([*rows, 9 * second - [0.0, 1.0]], list("pqrstu"), ["m0", "m1"])
    ranking = db.rank(table, reference=reference, outputs=["m0", "m1"], model="wei")
    assert ranking.efficient.tolist() == [True] * 5 + [False]
    assert not ranking.undecided.any()
    db.certify(ranking)


@pytest.mark.parametrize("decades", mark_most_slow(range(2, 14), 4))
@pytest.mark.parametrize("inputs", [0, 1])
def test_super_efficiency_by_slacks_over_many_decades_is_the_quotient(decades, inputs) -> None:
    """With one output the other DMU has to shrink what is tested to its own."""
    table = pd.DataFrame({"y": [0.75, 0.25 * 10.0**decades]}, ["small", "large"])
    expected = table["y"] / table["y"].to_numpy()[::-1]
    options = {"outputs": ["y"], "model": M.SuperSBM(orientation="output")}
    if inputs:
        table["x"] = 0.5
        options["inputs"] = ["x"]
    ranking = db.rank(table, **options)
    np.testing.assert_allclose(ranking.scores, expected, rtol=1e-9)
    db.certify(ranking)


@pytest.mark.parametrize(
    ("rows", "tested", "ends"),
    [
        ([(0.75000000002, 0.50000000006), (0.24999999996, 0.75000000001),
          (0.25000000009, 0.75000000003)], 1, (0, 2)),
        ([(0.25000000009, 0.75000000004), (0.50000000005, 0.49999999995),
          (0.25000000007, 0.75000000001), (0.75000000003, 0.49999999994)], 2, (0, 3)),
        ([(0.75, 0.2499999993), (0.2499999993, 0.7499999998), (0.7500000004, 0.4999999998),
          (0.2500000006, 0.7499999991)], 3, (1, 2)),
    ],
)  # fmt: skip
def test_range_directions_are_proved_where_the_score_is_all_but_1(rows, tested, ends) -> None:
    """The way to the best values, 1e-11 long in one metric, meets the line of two others."""
    exact = np.array([[Fraction(value) for value in row] for row in rows])
    step = exact.max(axis=0) - exact[tested]
    first, second = exact[list(ends)]
    normal = np.array([first[1] - second[1], second[0] - first[0]])
    distance = normal @ (first - exact[tested]) / (normal @ step)
    assert 0 < distance < 1e-9
    table = pd.DataFrame(rows, list("ABCD")[: len(rows)], ["m0", "m1"])
    ranking = db.rank(table, outputs=["m0", "m1"], model=M.RDM(orientation="output"))
    assert ranking.scores.iloc[tested] == pytest.approx(1 - float(distance), abs=1e-9)
    db.certify(ranking)


@pytest.mark.parametrize(
    ("rows", "tested", "returns"),
    [
        ([(0.7499999998, 0.2499999991, 0.2499999993), (0.5000000001, 0.75, 0.5000000009),
          (0.7499999995, 0.2500000007, 0.4999999995), (0.4999999993, 0.4999999994, 0.4999999998)],
         2, "nirs"),
        ([(0.49999999997, 0.49999999998, 0.75000000008), (0.50000000004, 0.50000000005,
          0.50000000004), (0.49999999994, 0.50000000002, 0.25000000009),
          (0.24999999998, 0.75000000001, 0.75)], 0, "vrs"),
    ],
)  # fmt: skip
def test_steep_restricted_weights_are_proved(rows, tested, returns) -> None:
    """Weights of 1e9 that keep bounds of their ratio, by a dual simplex method in fractions."""
    table = pd.DataFrame(rows, list("ABCD"), ["y0", "y1", "x"])
    model = M.CCR(returns=returns, orientation="input", ratios={("y0", "y1"): (0.5, 2.0)})
    ranking = db.rank(table, outputs=["y0", "y1"], inputs=["x"], model=model)
    Y, x = table[["y0", "y1"]].to_numpy(), table["x"].to_numpy()
    # λ, how often the two trade-offs are made, and θ: they reach the DMU with θ of its input.
    trade_offs = np.array([[-1.0, 0.5], [1.0, -2.0]])
    outputs = np.hstack([Y.T, trade_offs.T, np.zeros((2, 1))])
    spared = np.concatenate([-x, [0.0, 0.0, x[tested]]])
    sums = np.array([[-1.0] * 4 + [0.0] * 3, [1.0] * 4 + [0.0] * 3])[: 1 + (returns == "vrs")]
    right = np.concatenate([Y[tested], [0.0], [-1.0, 1.0][: len(sums)]])
    solved = minimize_exactly(
        np.array([0.0] * 6 + [1.0]), np.vstack([outputs, spared, sums]), right
    )
    assert solved is not None
    assert ranking.scores.iloc[tested] == pytest.approx(solved[0][-1], abs=1e-9)
    db.certify(ranking)


@pytest.mark.parametrize("seed", [17, 20, 136, 240])
def test_floats_that_are_all_but_multiples_have_a_score(seed) -> None:
    """Of an input that is a multiple of the output but for the last digits, no digit is given away
    that no mixture could reach: the largest output over each input is the best there can be.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 5))
    output = rng.uniform(0.2, 1, n)
    factor = float(rng.integers(1, 9))
    multiple = output * factor * (1 + 10.0 ** -rng.integers(14, 17) * rng.integers(-9, 10, n))
    columns = {"y": output, "x": multiple, "z": rng.uniform(0.2, 1, n).round(2)}
    table = pd.DataFrame(columns, list("ABCD")[:n])
    model = M.Additive(returns="crs", weights="normalized")
    ranking = db.rank(table, outputs=["y"], inputs=["x", "z"], model=model)
    exact = table.map(Fraction)
    for name in ("x", "z"):
        quotients = exact["y"] / exact[name]
        best = quotients[quotients == quotients.max()].index
        assert len(best) > 1 or ranking.scores[best[0]] == 0
    assert ranking.scores.notna().all()
    db.certify(ranking)


def test_a_holder_distance_of_nothing_is_exactly_0() -> None:
    """A DMU of zeros is on the frontier where no input is below 0, however wide the ranges are."""
    rows = [(200, 2e5), (0, 2e5), (0, 0), (100, 0), (200, 2e5)]
    table = pd.DataFrame(rows, list("ABCDE"), ["y", "x"])
    ranking = db.rank(
        table, outputs=["y"], inputs=["x"], model=M.Holder(norm="linf", weights="ram")
    )
    assert ranking.scores["C"] == 0
    assert not ranking.efficient["C"]
    db.certify(ranking)


@pytest.mark.parametrize(
    "output",
    [
        [0.65, 0.91, 0.55, 0.8, 0.86, 0.59, 0.53],
        [0.75, 0.76, 0.63, 0.56, 0.51, 0.7, 0.69],
        [0.76, 0.88, 0.91, 0.76, 0.89, 0.9, 0.8],
    ],
)
@pytest.mark.parametrize("norm", ["l1", "linf"])
def test_holder_distances_are_shares_of_what_a_dmu_itself_counts(norm, output) -> None:
    """The spare input over twice its range, also where it is 55 times below the largest."""
    cost = np.round(10.0 ** np.linspace(0, 12, len(output)), 3)
    table = pd.DataFrame({"y": output, "x": cost}, list("ABCDEFG"))
    model = M.Holder(norm=norm, weights="ram", returns="crs", orientation="input")
    ranking = db.rank(table, outputs=["y"], inputs=["x"], model=model)
    spare = cost - np.array(output) * (cost / output).min()
    own_count = cost / (2 * np.ptp(cost))
    errors = np.abs(ranking.scores - spare / (2 * np.ptp(cost))) / own_count
    assert errors.max() <= 1e-9
    db.certify(ranking)


@pytest.mark.parametrize("share", [1e-12, 1e-10, 2e-9, 1e-6])
@pytest.mark.parametrize("model", [M.Additive, M.SBM], ids=["additive", "sbm"])
def test_single_peers_leave_slack_in_shares_of_what_a_dmu_has(model, share) -> None:
    """One that gives a share more dominates, however much larger the largest DMU is."""
    table = pd.DataFrame(
        {"y": [1e6, 1e-3 * (1 + share), 1e-3], "z": [1e6, 2e-3, 2e-3]}, ["huge", "more", "less"]
    )
    table["x"] = [1e7, 1.0, 1.0]
    ranking = db.rank(table, outputs=["y", "z"], inputs=["x"], model=model(technology="fdh"))
    assert ranking.efficient["less"] == (share <= 1e-9)
    db.certify(ranking)


def test_slack_that_trade_offs_give_is_not_hidden_by_the_last_digits() -> None:
    """B, C and D with a trade-off of the outputs use as little as A, and 1.3e-3 less of one input.

    As floats A is a digit that nobody gave beyond them.
    """
    rows = [
        [0.9002, 0.9001, 0.9005, 0.8994, 0.9012],
        [0.8999, 0.9001, 0.8999, 0.9003, 0.9],
        [0.8995, 0.9003, 0.9006, 0.8989, 0.8984],
        [0.9002, 0.8984, 0.8995, 0.898, 0.9009],
    ]
    table = pd.DataFrame(rows, list("ABCD"), ["y1", "y2", "x1", "x2", "x3"])
    model = M.CCR(orientation="input", shares={"y1": (0.1, 0.5)})
    ranking = db.rank(table, outputs=["y1", "y2"], inputs=["x1", "x2", "x3"], model=model)
    exact = exact_radial(ranking)[0]
    assert exact.score == 1
    assert exact.slack > 1e-3
    assert ranking.scores["A"] == 1
    assert not ranking.efficient["A"]
    assert ranking.slacks.loc["A"].max() > 1e-3
    db.certify(ranking)
