"""The Russell graph measure: how its tangents come to the optimum."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from quick_cases import mark_most_slow
from scipy.optimize import minimize

import deabench as db
from deabench.models import Russell, russell
from deabench.models.shared.scaled_data import ScaledData
from deabench.utils.arrays import Sparse

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def integers(seed: int, rows: int, metrics: int) -> pd.DataFrame:
    """Whole numbers up to a million."""
    values = np.floor(10 ** np.random.default_rng(seed).uniform(0, 6, (rows, metrics)))
    return pd.DataFrame(values, [f"d{k}" for k in range(rows)], [f"m{c}" for c in range(metrics)])


@pytest.mark.parametrize("returns", mark_most_slow(["vrs", "crs", "nirs", "ndrs"], 1))
def test_few_rounds_of_tangents_reach_the_measure_of_whole_numbers(returns, monkeypatch) -> None:
    rounds = []
    solve_round = russell._solve_round

    def count_rounds(task, scaled, candidates, p, q, touch, rows):
        rounds.append(touch.shape[2])
        return solve_round(task, scaled, candidates, p, q, touch, rows)

    monkeypatch.setattr(russell, "_solve_round", count_rounds)
    model = Russell(orientation="none", returns=returns)
    db.certify(db.rank(integers(3, 12, 4), inputs=["m3"], model=model))
    # Tangents are added in each round: the most that any DMU needed tells how many there were.
    first = len(russell.FIRST_TANGENTS)
    assert max(rounds) <= first + 4 * (1 + russell.TANGENTS_PER_ROUND)


def test_the_best_factors_of_two_peers_are_those_of_the_mean() -> None:
    """(1, 3) and (3, 1) beside (1, 1): 1/φ₁ + 1/φ₂ with φ₁ + φ₂ = 4 is least at (2, 2)."""
    scaled = ScaledData(
        np.ones((2, 1)),
        np.array([[1.0, 3.0], [3.0, 1.0]]),
        np.ones((1, 1)),
        np.ones((1, 2)),
        np.ones(1),
        np.ones(2),
        "vrs",
    )
    lam = Sparse(np.array([[0, 1]], dtype=np.int32), np.array([[0.9, 0.1]]))
    phi = russell._best_factors(scaled, 0, lam, np.zeros(1), np.full(2, 0.5), russell.MET)
    np.testing.assert_allclose(phi, [2.0, 2.0], rtol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_the_measure_is_that_of_a_general_convex_solver(seed) -> None:
    rng = np.random.default_rng(seed)
    Y = rng.uniform(0.2, 1.0, (15, 3))
    X = rng.uniform(0.2, 1.0, (15, 2))
    table = pd.DataFrame(np.column_stack([Y, X]), columns=list("abcxz"))
    scores = db.rank(
        table, inputs=["x", "z"], model=Russell(orientation="none", returns="vrs")
    ).scores
    for k in range(0, 15, 5):
        x, y = X[k], Y[k]
        best = minimize(
            lambda lam, x=x, y=y: ((lam @ X / x).sum() + (y / (lam @ Y)).sum()) / 5,
            np.eye(15)[k],
            jac=lambda lam, x=x, y=y: (
                (X / x).sum(axis=1) - (Y @ (y / (lam @ Y) ** 2))
            ) / 5,
            bounds=[(0, 1)] * 15,
            constraints=[
                {"type": "eq", "fun": lambda lam: lam.sum() - 1},
                {"type": "ineq", "fun": lambda lam, x=x: x - lam @ X},
                {"type": "ineq", "fun": lambda lam, y=y: lam @ Y - y},
            ],
            method="SLSQP",
            options={"ftol": 1e-13, "maxiter": 500},
        )  # fmt: skip
        assert best.success
        assert scores.iloc[k] == pytest.approx(best.fun, abs=1e-7)
