"""Plans of test sets: by hand, and refusals."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtri

import deabench as db
from deabench.errors import DataError


def test_a_plan_of_a_verdict_by_hand():
    """.9 against .8 independently: disagreement .9 × .2 + .1 × .8 = .26."""
    answer = db.plan(gap=0.1, value=0.9, k=10, rho=0.0)
    z = -ndtri(0.005) + ndtri(0.8)
    assert answer.verdict == np.ceil(1.2 * (0.26 - 0.01) * (z / 0.1) ** 2)
    growth = 0.1**2 / (2 * 0.26)
    assert answer.anytime == np.ceil(1.7 * np.log(200) / growth)
    assert np.isnan(answer.gate)
    assert list(answer.to_frame().index) == ["verdict, once", "verdict, at any time"]


def test_a_plan_of_a_gate_by_hand():
    """Two of .8, independent: the log ratio has 2 × .2 / .8 of variance per instance."""
    answer = db.plan(at_least=0.9, value=0.8, rho=0.0)
    z = -ndtri(0.025) + ndtri(0.8)
    assert answer.gate == np.ceil(1.2 * 0.5 * (z / np.log(0.9)) ** 2)
    # 36.9 blocks with nothing but equal results.
    assert answer.blocks == 37
    assert "passes a gate at 0.9" in answer.summary()


def test_what_needs_more():
    base = db.plan(gap=0.05, at_least=0.9, value=0.9, k=5, s=2, rho=0.3)
    for change in ({"gap": 0.04}, {"k": 20}, {"s": 5}, {"level": 0.99}, {"power": 0.9}):
        other = db.plan(
            **{"gap": 0.05, "at_least": 0.9, "value": 0.9, "k": 5, "s": 2, "rho": 0.3} | change
        )
        assert other.verdict > base.verdict, change
    assert db.plan(gap=0.05, rho=0.8).verdict < db.plan(gap=0.05, rho=0.3).verdict
    assert db.plan(at_least=0.95).gate > db.plan(at_least=0.9).gate
    assert db.plan(at_least=0.9, score=0.95).gate > db.plan(at_least=0.9).gate
    # A gate compares with each of the others; one metric is enough.
    assert db.plan(at_least=0.9, k=5).gate > db.plan(at_least=0.9).gate
    assert db.plan(at_least=0.9, s=5).gate == db.plan(at_least=0.9).gate


@pytest.mark.parametrize(("s", "words"), [(1, "in the metric is"), (2, "in each metric is")])
def test_a_plan_says_in_how_many_metrics_a_system_is_behind(s, words):
    assert words in db.plan(gap=0.1, s=s).summary()


def test_a_correlation_cannot_bring_disagreement_below_the_gap():
    answer = db.plan(gap=0.1, value=0.99, rho=0.99)
    assert answer.anytime >= np.log(2 / 0.05) / (0.1**2 / (2 * 0.1))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "nothing is asked"),
        ({"gap": 0.1, "k": 1}, "k is 1"),
        ({"gap": 0.1, "rho": 1}, "rho is 1"),
        ({"gap": 0.5, "value": 0.5}, "gap is 0.5 and value is 0.5"),
        ({"gap": 5}, "gap is 5"),
        ({"at_least": 0.9, "score": 0.9}, "score is 0.9 and at_least is 0.9"),
        ({"at_least": 1}, "at_least is 1"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(DataError, match=message):
        db.plan(**arguments)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_as_many_instances_as_planned_let_a_candidate_pass_as_often():
    """Beside nine others that are as good, of which the best by chance decides."""
    rho, value, k = 0.3, 0.85, 10
    count = int(db.plan(at_least=0.9, value=value, rho=rho, k=k).gate)
    rng = np.random.default_rng(0)
    passes = 0
    for run in range(150):
        # Right answers that are common to two of them with this chance have this correlation.
        shared = rng.random((count, 1)) < value
        is_shared = rng.random((count, k)) < np.sqrt(rho)
        right = np.where(is_shared, shared, rng.random((count, k)) < value)
        outcomes = pd.DataFrame(right.astype(float), columns=list("abcdefghij"))
        samples = db.Samples.from_outcomes({"accuracy": outcomes})
        passes += db.gate(samples, "j", at_least=0.9, seed=run).passed
    assert passes / 150 >= 0.8
