"""Warnings point to the user's line, however deep inside the package they arise."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import deabench as db

FOLDS = pd.DataFrame(
    {
        "classifier": ["a"] * 4 + ["b"] * 4,
        "fold": [1, 2, 3, 4] * 2,
        "TPR": [0.9, 0.8, 0.9, 0.85, 0.7, 0.75, 0.8, 0.7],
        "TNR": [0.6, 0.7, 0.65, 0.7, 0.8, 0.85, 0.9, 0.8],
    }
)
CALLS = {
    "few rows": lambda: db.rank({"a": {"TPR": 0.9}, "b": {"TPR": 0.8}}, outputs=["TPR"]),
    "few folds": lambda: db.Samples.from_folds(FOLDS, metrics=["TPR", "TNR"]),
    "guessed class": lambda: db.metrics.from_predictions(["x", "y", "y"], {"a": ["x", "y", "x"]}),
    "constant statistic": lambda: db.metrics.bootstrap(
        np.array([0, 1, 0, 1]), {"a": [0.1, 0.9, 0.2, 0.8]}, lambda truth, scores: 1.0
    ),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_warning_points_to_the_line_that_called_deabench(call) -> None:
    with warnings.catch_warnings(record=True) as recorded:
        warnings.simplefilter("always")
        CALLS[call]()
    data_warnings = [each for each in recorded if each.category is db.DataWarning]
    assert data_warnings
    assert {each.filename for each in data_warnings} == {__file__}
