"""Ordinary tables are settled in floating point: what heals rounding has nothing to heal there."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from quick_cases import mark_most_slow

import deabench as db
from deabench.models.shared import second_stage
from deabench.proofs import bounds
from deabench.solver import exact_programs, rational_simplex

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
M = db.models
WITHOUT_COSTS = [M.WEI(), M.Score()]
WITH_COSTS = [
    *(M.CCR(returns=r, orientation=o) for r in ("crs", "vrs") for o in ("input", "output")),
    M.CCR(returns="nirs"),
    M.CCR(returns="ndrs", orientation="input"),
    M.SBM(returns="vrs"),
    M.SBM(returns="crs", orientation="input"),
    M.SBM(returns="vrs", orientation="output"),
    M.Russell(),
    M.Russell(orientation="input"),
    M.Russell(orientation="none"),
    M.Additive(),
    M.RAM(),
    M.BAM(),
    M.DDF(),
    M.RDM(),
    M.Holder(),
    M.Holder(norm="linf", weights="mip"),
    M.Super(returns="vrs"),
    M.Super(returns="crs", orientation="input"),
    M.SuperSBM(returns="vrs"),
]


@pytest.fixture
def calls(monkeypatch) -> Counter[str]:
    """How often each way into fractions was taken."""
    counts: Counter[str] = Counter()

    def count(module, name: str, what: str) -> None:
        function = getattr(module, name)

        def counted(*values, **options):
            counts[what] += 1
            return function(*values, **options)

        monkeypatch.setattr(module, name, counted)

    count(exact_programs, "optimize", "programs")
    count(rational_simplex, "optimize", "programs")
    count(bounds, "exact_gains", "intensities")
    count(bounds, "exact_excess", "weights")
    return counts


@pytest.mark.parametrize("model", [*WITHOUT_COSTS, *WITH_COSTS], ids=str)
@pytest.mark.parametrize("decimals", mark_most_slow([15, 2], 1))
def test_no_score_of_an_ordinary_table_needs_fractions(model, decimals, calls) -> None:
    rng = np.random.default_rng(decimals)
    table = pd.DataFrame(rng.uniform(0.3, 1.0, (12, 4)).round(decimals), columns=list("abxz"))
    inputs = None if model in WITHOUT_COSTS else ["x", "z"]
    outputs = list("abxz") if inputs is None else ["a", "b"]
    ranking = db.rank(table, outputs=outputs, inputs=inputs, model=model)
    expected = Counter()
    # Who has no score needs a proof of that in fractions.
    if ranking.reasons:
        expected["programs"] = len(ranking.reasons)
    if model == M.Russell(orientation="none"):  # each of its cuts ends in fractions
        expected["programs"] = calls["programs"]
    assert calls == expected
    db.certify(ranking)
    assert calls == expected
    # Rounding leaves no slack below 0.
    assert not (ranking.slacks < 0).any(axis=None)


@pytest.mark.parametrize("orientation", ["input", "output"])
@pytest.mark.parametrize("returns", mark_most_slow(["vrs", "crs", "nirs", "ndrs"], 1))
def test_the_slacks_of_radial_scores_beside_ties_are_proved_the_largest(
    returns, orientation, monkeypatch
) -> None:
    """Where metrics have few values several peers serve alike: the first ones do not do."""
    changed = []
    solve = second_stage._solve_second_stage

    def solve_and_compare(problem, scores, lam, *rows):
        values = lam.values.copy()
        weights = solve(problem, scores, lam, *rows)
        changed.append((values != lam.values).any())
        return weights

    monkeypatch.setattr(second_stage, "_solve_second_stage", solve_and_compare)
    for seed in (1, 2):
        values = np.random.default_rng(seed).integers(1, 5, (14, 4)).astype(float)
        table = pd.DataFrame(values, columns=list("abxz"))
        model = M.CCR(returns=returns, orientation=orientation)
        ranking = db.rank(table, outputs=["a", "b"], inputs=["x", "z"], model=model)
        assert db.certify(ranking).unclaimed == ()
    assert changed == [True, True]
