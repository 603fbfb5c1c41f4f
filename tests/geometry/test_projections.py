"""Projections onto the boundary of a region, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from deabench.geometry.projections import signed_distances


@pytest.mark.parametrize(("norm", "beyond_the_corner"), [("l1", 0.7), ("l2", 0.5), ("linf", 0.4)])
@pytest.mark.parametrize("unit", [1.0, 10.0])
def test_distances_to_a_corner_and_to_a_side(norm, beyond_the_corner, unit) -> None:
    """The region {z <= 1}: inside, the nearest side counts; beyond the corner, the corner does."""
    points = np.array([[0.8, 0.5], [1.3, 1.4], [1.2, 0.5]])
    distances = signed_distances(np.eye(2), points, np.full(2, unit), norm)
    expected = unit * np.array([-0.2, beyond_the_corner, 0.2])
    assert distances.tolist() == pytest.approx(expected.tolist(), rel=1e-9)
