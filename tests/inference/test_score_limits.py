"""Scores with costs: their programs, their box and what is said of them, by returns to scale and
orientation.
"""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog
from scipy.stats import norm, t

import deabench as db

TRUTH = np.column_stack([np.linspace(0.7, 0.92, 7), [0.9, 0.8, 0.86, 0.7, 0.8, 0.6, 0.75]])
TECHNOLOGIES = [("vrs", "output"), ("crs", "output"), ("vrs", "input"), ("crs", "input")]


def radial(y, x, i, returns, orientation):
    """The score of i by an envelopment program of its own: λ, then θ (or φ)."""
    k = len(y)
    out = orientation == "output"
    rows = np.vstack(
        [
            np.hstack([-y.T, (y[[i]] if out else np.zeros((1, y.shape[1]))).T]),
            np.hstack([x.T, (np.zeros((1, x.shape[1])) if out else -x[[i]]).T]),
        ]
    )
    bound = np.r_[np.zeros(y.shape[1]) if out else -y[i], x[i] if out else np.zeros(x.shape[1])]
    equal = {} if returns == "crs" else {"A_eq": [[1.0] * k + [0]], "b_eq": [1]}
    solution = linprog(
        np.r_[np.zeros(k), -1 if out else 1], A_ub=rows, b_ub=bound, method="highs", **equal
    )
    return 1 / solution.x[-1] if out else solution.x[-1]


@pytest.mark.parametrize(("returns", "orientation"), TECHNOLOGIES)
def test_scores_with_costs_are_those_of_their_own_program(answers, returns, orientation):
    rng = np.random.default_rng(4)
    timings = pd.DataFrame(
        rng.uniform(5, 9, (6, 7)) * np.linspace(1, 3, 7), columns=[f"c{i}" for i in range(7)]
    )
    size = pd.Series(range(9, 2, -1), timings.columns)
    samples = db.Samples.from_outcomes(answers(TRUTH)).with_costs({"ms": timings, "MB": size})
    uncertainty = db.uncertainty(samples, returns=returns, orientation=orientation)
    y, x = samples.values[["m0", "m1"]].to_numpy(), samples.values[["ms", "MB"]].to_numpy()
    expected = [radial(y, x, i, returns, orientation) for i in range(7)]
    np.testing.assert_allclose(uncertainty.scores, expected, rtol=1e-9)
    assert (
        (uncertainty.lower <= uncertainty.scores) & (uncertainty.scores <= uncertainty.upper)
    ).all()


@pytest.mark.parametrize(("returns", "orientation"), TECHNOLOGIES)
def test_scores_fall_between_the_corners_for_every_point_of_the_box(answers, returns, orientation):
    """Raising ρ and lowering ξ lowers every score, and no point of the box leaves the limits."""
    rng = np.random.default_rng(4)
    timings = pd.DataFrame(rng.uniform(5, 9, (6, 7)), columns=[f"c{i}" for i in range(7)])
    samples = db.Samples.from_outcomes(answers(TRUTH)).with_costs({"ms": timings})
    uncertainty = db.uncertainty(samples, returns=returns, orientation=orientation)
    from deabench.inference.score_limits import corner_ratios

    k, s = uncertainty.problem.size
    ends = [
        corner_ratios(uncertainty.problem, np.arange(k), side, quantiles.c, quantiles.h, np.ones(k))
        for side, quantiles in (("lower", uncertainty.c_lower), ("upper", uncertainty.c_upper))
    ]
    for _ in range(30):
        shares = rng.random((k, k, s))
        inside = uncertainty.problem.technology.scores(
            np.ones((k, 2)), ends[0] * shares + ends[1] * (1 - shares)
        )[0]
        assert (inside >= uncertainty.lower.to_numpy()[list(uncertainty.rows)] - 1e-9).all()
        assert (inside <= uncertainty.upper.to_numpy()[list(uncertainty.rows)] + 1e-9).all()


@pytest.mark.parametrize(("returns", "orientation"), TECHNOLOGIES)
def test_a_mix_with_costs_beats_by_the_secure_gap(answers, returns, orientation):
    """Under "max-t" the mix itself: more of every output at no higher cost, or less of every cost
    at no lower output.
    """
    cost = pd.Series([1.0, 2, 3, 4, 5, 6, 7], [f"c{i}" for i in range(7)])
    truth = np.column_stack(
        [[0.8, 0.85, 0.9, 0.6, 0.92, 0.6, 0.5], [0.8, 0.82, 0.84, 0.6, 0.86, 0.7, 0.5]]
    )
    samples = db.Samples.from_outcomes(answers(truth, n=2000)).with_costs({"ms": cost})
    uncertainty = db.uncertainty(samples, method="max-t", returns=returns, orientation=orientation)
    assert (uncertainty.verdicts == "dominated").sum() >= 3
    for name, gap in uncertainty.secure_gap.dropna().items():
        mix = uncertainty.mixes.loc[name] @ samples.values / samples.values.loc[name] - 1
        gained, saved = mix[["m0", "m1"]].min(), -mix["ms"]
        assert (
            (gained > gap and saved > -1e-9)
            if orientation == "output"
            else (saved >= gap - 1e-9 and gained > -1e-9)
        )
    gap_phrase = {
        "output": "in every output, at no higher cost",
        "input": "less in every input, with no output lower",
    }[orientation]
    assert gap_phrase in uncertainty.explain(uncertainty.secure_gap.idxmax())


def test_returns_and_orientation_speak_of_inputs(answers, refused):
    samples = db.Samples.from_outcomes(answers(TRUTH))
    with refused(
        "returns 'crs' needs an input and none is given; add a cost with Samples.with_costs, or "
        "name one in inputs"
    ):
        db.uncertainty(samples, returns="crs")
    with refused(
        "orientation 'input' needs an input and none is given; add a cost with "
        "Samples.with_costs, or name one in inputs"
    ):
        db.uncertainty(samples, orientation="input")
    with refused("returns 'irs' is not known; it is one of 'vrs', 'crs'"):
        db.uncertainty(samples, returns="irs")


def test_an_exact_cost_is_no_statement(answers):
    samples = db.Samples.from_outcomes(answers(TRUTH))
    cost = pd.Series(range(1, 8), samples.values.index)
    assert (
        db.uncertainty(samples.with_costs({"ms": cost})).c_lower.c[0]
        == db.uncertainty(samples).c_lower.c[0]
    )
    noisy = pd.DataFrame(
        np.random.default_rng(0).uniform(1, 2, (5, 7)), columns=samples.values.index
    )
    uncertainty = db.uncertainty(samples.with_costs({"ms": noisy}))
    np.testing.assert_allclose(
        uncertainty.c_lower.c, [norm.isf(0.05 / 42), norm.isf(0.05 / 42), t.isf(0.05 / 42, 4)]
    )
