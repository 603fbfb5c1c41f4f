"""Resamples that a model can be trained on and tested beside."""

from __future__ import annotations

import numpy as np

from deabench.metrics.estimators import _draw_training_rows


def test_training_rows_have_two_classes_and_leave_a_row_out() -> None:
    """Of four rows with one of the second class three in ten draws lack it, and one in ten has
    all rows.
    """
    labels = np.array([0, 0, 0, 1])
    rng = np.random.default_rng(0)
    for _ in range(300):
        rows = _draw_training_rows(rng, labels)
        assert len(rows) == 4
        assert set(labels[rows]) == {0, 1}
        assert len(set(rows)) < 4
