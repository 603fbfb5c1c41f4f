"""Cost curves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deabench import curves
from deabench.errors import DataError


@st.composite
def samples(draw):
    n = draw(st.integers(2, 40))
    y = draw(st.lists(st.booleans(), min_size=n, max_size=n).filter(lambda y: 0 < sum(y) < len(y)))
    return np.array(y), np.array(
        draw(st.lists(st.integers(0, 9), min_size=n, max_size=n)), dtype=float
    )


@given(samples(), st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_the_envelope_is_the_least_of_all_lines(sample, pc):
    y, s = sample
    curve = curves.cost_curve(y, s, positive=True)
    lowest = [
        min((p * np.mean(s[y] < t) + (1 - p) * np.mean(s[~y] >= t)) for t in [*s, np.inf])
        for p in pc
    ]
    np.testing.assert_allclose(curve.expected(pc), lowest, rtol=0, atol=1e-14)
    assert (curve.expected(pc).to_numpy() <= np.minimum(pc, 1 - np.array(pc)) + 1e-14).all()
    envelope = curve.envelope
    assert envelope["from_pc"].iloc[0] == 0
    assert envelope["to_pc"].iloc[-1] == 1
    assert (envelope["to_pc"].to_numpy()[:-1] == envelope["from_pc"].to_numpy()[1:]).all()
    for row in envelope.itertuples():  # on its own stretch the row is the cheapest
        middle = (row.from_pc + row.to_pc) / 2
        assert middle * row.FNR + (1 - middle) * row.FPR == pytest.approx(
            curve.expected(middle).iloc[0], abs=1e-14
        )
    np.testing.assert_allclose(
        envelope["to_nec"].to_numpy()[:-1], envelope["from_nec"].to_numpy()[1:], atol=1e-14
    )


@given(samples())
def test_the_area_is_the_integral_of_the_envelope(sample):
    curve = curves.cost_curve(*sample, positive=True)
    corners = np.unique(np.append(curve.envelope["from_pc"], 1.0))
    assert curve.area == pytest.approx(np.trapezoid(curve.expected(corners), corners), abs=1e-14)
    assert 0 <= curve.area <= 0.25 + 1e-15


def test_perfect_and_useless_scores():
    perfect = curves.cost_curve([1, 0, 0], [3, 2, 1])
    assert perfect.area == 0
    assert perfect.useful == (0, 1)
    useless = curves.cost_curve([1, 0, 0], [1, 1, 1])
    assert useless.area == 0.25
    assert np.isnan(useless.useful).all()


def test_cost_of_a_prevalence_and_costs_is_the_expected_cost(six):
    """NEC times the cost of erring always is the expected cost that the threshold of least cost
    has.
    """
    curve = curves.cost_curve(*six)
    prevalence, cost_fn, cost_fp = 0.1, 5.0, 2.0
    pc = curves.probability_cost(prevalence, cost_fn, cost_fp)
    assert pc == pytest.approx(0.5 / 2.3, abs=1e-15)
    best = curves.best_threshold(
        curve.roc, "cost", cost_fn=cost_fn, cost_fp=cost_fp, prevalence=prevalence
    )
    assert best.value == pytest.approx(curve.expected(pc).iloc[0] * (0.5 + 1.8), abs=1e-14)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: curves.probability_cost(1.5), "prevalence is 1.5; give a share in [0, 1]"),
        (
            lambda: curves.probability_cost(0.5, [1, -2]),
            "cost_fn is -2; give a finite number >= 0",
        ),
        (
            lambda: curves.probability_cost(0, 1, 0),
            "no error costs anything at this prevalence; give a cost above 0",
        ),
        (
            lambda: curves.cost_curve([1, 0, 0], [3, 2, 1]).expected(-0.1),
            "pc is -0.1; give a probability cost in [0, 1]",
        ),
    ],
)
def test_bad_costs_are_refused(call, message):
    with pytest.raises(DataError) as error:
        call()
    assert str(error.value) == message
