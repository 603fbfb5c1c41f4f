"""Small forms of `python -m benchmarks decisions`: no statement is wrong more often than it may be.

Each bound is four standard errors above what is allowed, so that it fails about never by chance.
"""

import numpy as np
import pytest
from simulations.decision_batches import gate_decisions, highest_evidence, lower_statistic
from simulations.decisions import (
    DOMINATED,
    OPPOSED,
    TIED,
    draw_gate,
    evidence_over_time,
    false_at_any_time,
    gate_shares,
    outcomes,
    pull_requests,
    sequential_gate,
    stopping,
    units_of_outcomes,
)
from simulations.learned_batches import deal_default_folds

from deabench.inference.decisions.gate_limits import difference_sizes, learned_interval
from deabench.inference.decisions.learned_weights import lower_limit
from deabench.inference.learned_mix import Units


@pytest.mark.parametrize("name", ["k=5, s=2", "k=2, s=5", "k=2, s=2, leads at -.9"])
def test_gates_of_many_runs_are_those_of_each(name):
    """Gates that are computed together have the statistic and the limits of the package."""
    rng = np.random.default_rng(3)
    values = np.array([draw_gate(rng, name, 0.97, 120) for _ in range(4)])
    runs, k, s, n = values.shape
    shared = name in OPPOSED
    folds = deal_default_folds(s, n, shared=shared)
    together = lower_statistic(values, 0.95, 1.96, folds, shared=shared)
    decisions = gate_decisions(values, 0.95, 1.96, shared=shared)
    for run in range(runs):
        units = units_of_outcomes(values[run].transpose(2, 0, 1))
        if shared:
            ones = np.ones((s, n), dtype=bool)
            units = Units(values[run], ones, np.zeros(n, dtype=int), np.zeros(s, dtype=bool))
        lower, upper, _ = learned_interval(units, k - 1, 0.95, 1.96, 1.96, 0)
        assert (together[run] > 1.96) == (lower >= 0.95) == decisions[0][run]
        assert decisions[1][run] == (upper < 0.95)
        # The limit of 1.96 standard errors, had the critical value been the statistic.
        ridge = (1.96 * difference_sizes(units, k - 1)) ** 2
        limits = [
            lower_limit(units, k - 1, 0.95, together[run] + step, ridge, folds=10, seed=0)
            for step in (1e-4, -1e-4)
        ]
        assert limits[0] < 0.95 < limits[1]


def test_streams_of_many_runs_are_those_of_each():
    rng = np.random.default_rng(4)
    cell = TIED["chain, s=2, k=5"]
    rounds = np.array([outcomes(rng, cell.truth, 60, cell.rho) for _ in range(3)])
    for stream, highest in zip(rounds, highest_evidence(rounds), strict=True):
        np.testing.assert_allclose(evidence_over_time(stream)[-1], highest, rtol=1e-9, atol=1e-12)


def bound(share, runs):
    return share + 4 * np.sqrt(share * (1 - share) / runs)


@pytest.mark.slow
@pytest.mark.parametrize("name", TIED)
def test_verdicts_at_any_time(name):
    result = false_at_any_time(name, 60)
    assert result["false, all"] <= bound(0.05, 60)
    assert result["false, one"] <= bound(0.05, 60)


@pytest.mark.slow
def test_clear_gaps_stop_early():
    result = stopping(DOMINATED["s=1, .9 v .8, k=10"], 6)
    assert result["by 1000"] > 0.9
    assert result["median stop"] < 500
    assert result["used"] < 0.35


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["k=2, s=1", "k=2, s=5", "k=2, s=1, perfect rival", "k=2, s=2, leads at -.9"]
)
def test_gates_at_the_edge(name):
    result = gate_shares(name, 0.95, 300, 200)
    assert result["passes"] <= bound(0.025, 200)
    assert result["fails"] <= bound(0.025, 200)


@pytest.mark.slow
def test_gates_decide_with_more_instances():
    """A candidate at .97 is not rejected on the way to its pass at .95."""
    shares = [gate_shares("k=2, s=1", 0.97, n, 60) for n in (500, 4000)]
    assert shares[0]["passes"] < shares[1]["passes"]
    assert shares[1]["passes"] > 0.8
    assert max(share["fails"] for share in shares) <= bound(0.025, 60)


@pytest.mark.slow
def test_sequential_gates():
    edge = sequential_gate(0.95, 400, 20)
    assert edge["passes"] + edge["fails"] <= bound(0.05, 20)
    assert sequential_gate(0.85, 600, 8)["fails"] > 0.5


@pytest.mark.slow
def test_a_ledger_keeps_false_passes_rare():
    """60 pull requests at the edge on one test set; without a ledger some pass in most runs."""
    alone = pull_requests("none", 60, 1000, 30, None)["some false pass"]
    shared = pull_requests("none", 60, 1000, 30, "none")["some false pass"]
    status = pull_requests("status", 60, 1000, 30, "status")["some false pass"]
    assert alone > 0.2
    assert shared <= bound(0.05, 30)
    assert status <= bound(0.05, 30)
