"""The 20 rows of "6 testing methods for binary classification", and scores drawn from a seed."""

from __future__ import annotations

import numpy as np
import pytest

TARGET = [1, 1, 1, 1, 0, 1, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
OUTPUT = [
    0.99,
    0.85,
    0.70,
    0.60,
    0.55,
    0.54,
    0.53,
    0.52,
    0.51,
    0.49,
    0.41,
    0.40,
    0.28,
    0.27,
    0.26,
    0.25,
    0.24,
    0.23,
    0.20,
    0.10,
]


@pytest.fixture(scope="session")
def six():
    return np.array(TARGET), np.array(OUTPUT)


@pytest.fixture(scope="session")
def normal():
    """60 positives one and a half standard deviations above 240 negatives."""
    rng = np.random.default_rng(7)
    y = np.repeat([1, 0], [60, 240])
    return y, rng.normal(size=300) + 1.5 * y
