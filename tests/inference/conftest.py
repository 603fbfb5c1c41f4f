"""Answers of classifiers of known truth."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtri


@pytest.fixture
def answers():
    """A function: outcomes of k classifiers, by metric, correlated at rho."""

    def draw(truth, n=400, rho=0.5, seed=0):
        rng = np.random.default_rng(seed)
        truth = np.atleast_2d(np.asarray(truth, dtype=float))
        out = {}
        for r in range(truth.shape[1]):
            common = rng.standard_normal((n, 1))
            latent = np.sqrt(rho) * common + np.sqrt(1 - rho) * rng.standard_normal((n, len(truth)))
            out[f"m{r}"] = pd.DataFrame(
                (latent < ndtri(truth[:, r])).astype(float),
                columns=[f"c{i}" for i in range(len(truth))],
            )
        return out

    return draw
