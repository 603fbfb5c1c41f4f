"""Small forms of `python -m benchmarks decisions`: no statement is wrong more often than it may be.

Each bound is four standard errors above what is allowed, so that it fails about never by chance.
"""

import numpy as np
import pytest
from simulations.decisions import (
    DOMINATED,
    TIED,
    false_at_any_time,
    gate_shares,
    pull_requests,
    sequential_gate,
    stopping,
)

pytestmark = pytest.mark.slow


def bound(share, runs):
    return share + 4 * np.sqrt(share * (1 - share) / runs)


@pytest.mark.parametrize("name", TIED)
def test_verdicts_at_any_time(name):
    result = false_at_any_time(name, 60)
    assert result["false, all"] <= bound(0.05, 60)
    assert result["false, one"] <= bound(0.05, 60)


def test_clear_gaps_stop_early():
    result = stopping(DOMINATED["s=1, .9 v .8, k=10"], 6)
    assert result["by 1000"] > 0.9
    assert result["median stop"] < 500
    assert result["used"] < 0.35


@pytest.mark.parametrize(
    "name", ["k=2, s=1", "k=2, s=5", "k=2, s=1, perfect rival", "k=2, s=2, leads at -.9"]
)
def test_gates_at_the_edge(name):
    result = gate_shares(name, 0.95, 300, 200)
    assert result["passes"] <= bound(0.025, 200)
    assert result["fails"] <= bound(0.025, 200)


def test_gates_decide_with_more_instances():
    """A candidate at .97 is not rejected on the way to its pass at .95."""
    shares = [gate_shares("k=2, s=1", 0.97, n, 60) for n in (500, 4000)]
    assert shares[0]["passes"] < shares[1]["passes"]
    assert shares[1]["passes"] > 0.8
    assert max(share["fails"] for share in shares) <= bound(0.025, 60)


def test_sequential_gates():
    edge = sequential_gate(0.95, 400, 20)
    assert edge["passes"] + edge["fails"] <= bound(0.05, 20)
    assert sequential_gate(0.85, 600, 8)["fails"] > 0.5


def test_a_ledger_keeps_false_passes_rare():
    """60 pull requests at the edge on one test set; without a ledger some pass in most runs."""
    alone = pull_requests("none", 60, 1000, 30, None)["some false pass"]
    shared = pull_requests("none", 60, 1000, 30, "none")["some false pass"]
    status = pull_requests("status", 60, 1000, 30, "status")["some false pass"]
    assert alone > 0.2
    assert shared <= bound(0.05, 30)
    assert status <= bound(0.05, 30)
