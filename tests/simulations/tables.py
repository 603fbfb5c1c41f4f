"""Tables to measure on: generated, seeded, with s metrics in (0, 1]."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd


def unif(n: int, s: int = 5) -> np.ndarray:
    """Independent metrics, uniform on [0.3, 1)."""
    return np.random.default_rng(0).uniform(0.3, 1, (n, s))


def metrics(n: int, s: int = 5) -> np.ndarray:
    """Metrics of classifiers: one skill behind all of them, plus what each measures besides
    (correlations about 0.7).
    """
    rng = np.random.default_rng(0)
    return 0.7 * rng.beta(5, 2, (n, 1)) + 0.3 * rng.beta(4, 2, (n, s))


def sphere(n: int, s: int = 5) -> np.ndarray:
    """Every DMU extreme efficient: points of a sphere."""
    direction = np.abs(np.random.default_rng(0).normal(size=(n, s)))
    return np.asarray(0.3 + 0.7 * direction / np.linalg.norm(direction, axis=1, keepdims=True))


KINDS: dict[str, Callable[..., np.ndarray]] = {"unif": unif, "metrics": metrics, "sphere": sphere}


def frame(values: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(values, columns=[f"m{r}" for r in range(values.shape[1])])
