"""Limits of metrics at the edges of what a share of instances is."""

import numpy as np
import pytest
from scipy.stats import beta, norm

from deabench.inference import max_t
from deabench.inference.dominance_games import Technology
from deabench.inference.moments import ErrorSource, Moments
from deabench.inference.score_limits import Problem

C = np.array([2.5])
TAIL = norm.sf(2.5)


@pytest.mark.parametrize("sampling", [0.0, 1e-4])
def test_a_share_of_1_has_the_instances_that_a_flip_indicates(sampling):
    """Of 200 hits in 200: whatever its spread, Clopper and Pearson's limits, α^(1/200) and 1."""
    lower, upper = max_t.share_limits(
        np.array([[1.0]]), np.array([[sampling]]), np.array([[1 / 200]]), C
    )
    np.testing.assert_allclose(lower, [[TAIL ** (1 / 200)]])
    assert upper == 1


def test_a_share_without_spread_has_the_instances_that_a_flip_indicates():
    with np.errstate(all="raise"):
        lower, upper = max_t.share_limits(
            np.array([[0.9]]), np.array([[0.0]]), np.array([[1 / 180]]), C
        )
    np.testing.assert_allclose(lower, [[beta.ppf(TAIL, 180, 21)]])
    np.testing.assert_allclose(upper, [[beta.isf(TAIL, 181, 20)]])


def test_values_of_unknown_instances_have_symmetric_limits_of_the_logarithm():
    """Values up to 1 are shares of instances only where the change by one instance is known."""
    covariance = np.diag([0.01, 0.04])[:, None, :, None]
    source = ErrorSource(np.ones((2, 1, 1)), covariance, np.zeros((2, 1)))
    moments = Moments(np.log([[0.9], [0.5]]), (source,), np.array([np.inf]))
    problem = Problem(moments, Technology(0))
    lower, value, upper = max_t.metric_limits(problem, 0.05, draws=999, seed=0)
    np.testing.assert_allclose(value, [[0.9], [0.5]])
    np.testing.assert_allclose(lower * upper, value**2)
    # Of standard errors that are twice as large.
    assert np.log(upper / value)[1] == pytest.approx(2 * np.log(upper / value)[0])
