"""What weights allow is computed upwards: never below what fractions say."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from deabench.proofs.bounds import excess_of_weights
from deabench.proofs.exact_repair import Technology, exact_excess
from deabench.utils.rational import to_fractions


@pytest.mark.parametrize("sums", [(1.0, 1.0), (0.0, 1.0)])
@pytest.mark.parametrize("size", [1.0, 1e6])
def test_weights_never_allow_less_than_fractions_say(sums, size) -> None:
    """Outputs and inputs nearly cancel, so that rounding is most of what is left."""
    rng = np.random.default_rng(1)
    tested = np.array([1e-3, 1e-3, -1e-3])
    for _ in range(60):
        inputs = size * rng.uniform(0.5, 1.0, 5)
        share = rng.uniform(0.2, 0.8, 5)
        extra = rng.uniform(0.0, 1e-3, 5)
        points = np.column_stack([share * inputs, (1 - share) * inputs + extra, -inputs])
        weights = 1 + rng.uniform(-1e-9, 1e-9, 3)
        technology = Technology(points, 1, sums)
        excess, error, _ = excess_of_weights(technology, tested[None], weights[None])
        outcome = exact_excess(technology, tested, to_fractions(weights))
        assert outcome is not None
        # The floats are as exact as rational numbers can say, and no nearer than rounding allows.
        above = Fraction(float(excess[0])) + Fraction(float(error[0])) - outcome[0]
        assert 0 <= above <= Fraction(256) * Fraction(2) ** -52 * Fraction(size)
