"""Which faces of a cone's hull have nothing that dominates a DMU, each in its own rounding."""

from __future__ import annotations

import numpy as np
import pytest
from stand_in_targets import hull_of_a_line, stand_in_targets

from deabench.proofs.cone_multiples import faces_that_dominate_none
from deabench.proofs.targets import _FaceBounds


@pytest.mark.parametrize(
    ("slopes", "is_excluded"),
    [
        ([[-1.0, -1.0]], [True, False]),
        ([[-1.0, 2.0]], [False, False]),
        ([[-1.0, 2.0], [-1.0, -1.0]], [True, False]),
    ],
)
def test_a_slope_with_a_weight_above_0_excludes_no_face(slopes, is_excluded) -> None:
    """Between (0, 3) and (3, 0) nothing dominates (1.9, 1.9), which (2, 4) does."""
    corners = np.array([[[0.0, 3.0], [3.0, 0.0]], [[2.0, 4.0], [2.0, 4.0]]])
    point = np.array([1.9, 1.9])
    without_normals = np.zeros((2, 2)), np.zeros(2)
    excluded = faces_that_dominate_none(corners, *without_normals, point, 0.0, np.array(slopes))
    assert excluded.tolist() == is_excluded


@pytest.mark.parametrize("roundings", [[0.0, 0.1], [0.1, 0.0], [0.1, 0.1], [0.0, 0.0]])
def test_the_multiple_of_each_dmu_has_its_own_rounding(roundings) -> None:
    """(2, 2.1) lies beyond the line, by less than a rounding of 0.1."""
    bounds = _FaceBounds(
        stand_in_targets(
            hull=hull_of_a_line(), result={"dominating": True}, actual=[[0.0, 0.0]] * 2
        )
    )
    bounds.multiples = np.array([[2.0, 2.1]] * 2), np.array(roundings)
    is_dominated = [bool(np.isfinite(bounds.bounds(k, np.inf)).all()) for k in range(2)]
    assert is_dominated == [rounding > 0 for rounding in roundings]
