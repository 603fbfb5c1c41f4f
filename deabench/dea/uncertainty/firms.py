"""Bootstraps of the frontier itself: classifiers as firms drawn from a population of firms.

This is another randomness than that of test instances: it asks how far the frontier of all firms that could have been drawn lies
beyond the drawn ones. For classifiers compared on test data, `uncertainty` is what is meant almost always.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

from deabench.checks import choice, share
from deabench.dea.uncertainty.games import play
from deabench.errors import DataError
from deabench.tables.gate import check

Array = np.ndarray
Bootstrap = Literal["smooth", "subsample"]


def simar_wilson(table: pd.DataFrame, *, outputs: Sequence[str] | None = None, inputs: Sequence[str] | None = None,
                 method: Bootstrap = "smooth", bandwidth: float | None = None, level: float = 0.95, draws: int = 2000,
                 seed: int = 0) -> pd.DataFrame:
    """Bias-corrected efficiencies and intervals where the classifiers themselves are a sample.

    Parameters
    ----------
    table : DataFrame, n x columns
    outputs, inputs : sequences of columns, optional
        With inputs the scores are input-oriented under variable returns to scale, as in [1]_; without, as `rank` gives them.
    method : {"smooth", "subsample"}
        "smooth": distances 1/score are redrawn from their kernel density, reflected at 1 [1]_. "subsample": n^0.7 firms are
        drawn without replacement and the error is scaled by the rate of convergence n^(2/(p + q + 1)) [2]_.
    bandwidth : number > 0, optional
        Of "smooth", in units of 1/score; 0.9 min(sd, IQR/1.34) n^(−1/5) without it.
    level : number between 0 and 1
    draws : int >= 100
    seed : int

    Returns
    -------
    DataFrame, n x (score, corrected, lower, upper)
        "smooth": the basic bootstrap of δ = 1/score, 2 δ − mean and 2 δ − quantiles, turned back. "subsample": an end is 0 where
        part of the subsamples reach no such output at all.

    References
    ----------
    .. [1] Simar, Wilson (1998), Management Science 44, 49-61, doi:10.1287/mnsc.44.1.49.
    .. [2] Kneip, Simar, Wilson (2008), Econometric Theory 24, 1663-1697, doi:10.1017/S0266466608080651.

    Examples
    --------
    >>> import deabench as db
    >>> branches = db.datasets.load("cooper-branches")
    >>> sure = db.simar_wilson(branches, outputs=list(branches.columns)[-2:], draws=100)
    >>> sure.columns.tolist()
    ['score', 'corrected', 'lower', 'upper']
    """
    choice("method", method, ("smooth", "subsample"))
    alpha = 1 - share("level", level)
    if draws < 100:
        raise DataError(f"draws is {draws}; an interval needs at least 100")
    data = check(table, outputs=outputs, inputs=inputs, warn=False)
    y, x = data.outputs.to_numpy(), data.inputs.to_numpy()
    _positive(data.outputs, data.inputs)
    score = firms(y, x, y, x)
    rng = np.random.default_rng(seed)
    if method == "smooth":
        ends = _smooth(y, x, score, _bandwidth(score, bandwidth), alpha, draws, rng)
    else:
        ends = _subsample(y, x, score, alpha, draws, rng)
    return pd.DataFrame({"score": score, "corrected": ends[0], "lower": ends[1], "upper": ends[2]}, data.labels)


def firms(y: Array, x: Array, reference_y: Array, reference_x: Array) -> Array:
    """Scores of firms (n,) against a reference (k,): above 1 outside it, inf where it reaches no firm's outputs."""
    if not x.shape[1]:
        return play(reference_y[None] / y[:, None]).value
    rows = np.concatenate([reference_x[None] / x[:, None], 1 - reference_y[None] / y[:, None]], axis=2).transpose(0, 2, 1)
    limit = np.append(np.ones(x.shape[1]), np.zeros(y.shape[1]))
    with np.errstate(divide="ignore"):
        return np.asarray(1 / play(rows, limit=limit).value)


def _smooth(y: Array, x: Array, score: Array, h: float, alpha: float, draws: int, rng: np.random.Generator) -> list[Array]:
    """In distances δ = 1/score >= 1: a draw from δ and its mirror image 2 − δ, noise, the variance put right, reflection at 1."""
    distance = 1 / score
    mirrored = np.concatenate([distance, 2 - distance])
    shrink = np.sqrt(1 + h**2 / mirrored.var(ddof=1))
    found = np.empty((draws, len(score)))
    for b in range(draws):
        noisy = rng.choice(mirrored, len(score)) + h * rng.standard_normal(len(score))
        factor = ((1 + np.abs((noisy - 1) / shrink)) / distance)[:, None]
        found[b] = 1 / (firms(y, x, y, x * factor) if x.shape[1] else firms(y, x, y / factor, x))
    low, high = np.quantile(found, [alpha / 2, 1 - alpha / 2], axis=0)
    return [1 / (2 * distance - found.mean(axis=0)), 1 / (2 * distance - low), 1 / (2 * distance - high)]


def _subsample(y: Array, x: Array, score: Array, alpha: float, draws: int, rng: np.random.Generator) -> list[Array]:
    n, m = len(score), max(int(np.ceil(len(score) ** 0.7)), 2)
    rate = 2 / (y.shape[1] + x.shape[1] + 1)
    errors = np.empty((draws, n))
    for b in range(draws):
        part = rng.choice(n, m, replace=False)
        errors[b] = np.maximum(firms(y, x, y[part], x[part]) / score - 1, 0.0) * (m / n) ** rate
    reached = np.where(np.isfinite(errors), errors, np.nan)
    low, high = np.quantile(errors, [alpha / 2, 1 - alpha / 2], axis=0, method="inverted_cdf")
    return [score / (1 + np.nanmean(reached, axis=0)), score / (1 + high), score / (1 + low)]


def _bandwidth(score: Array, given: float | None) -> float:
    if given is not None:
        if not (np.isfinite(given) and given > 0):
            raise DataError(f"bandwidth is {given:g}; give a number > 0")
        return given
    quartiles = np.quantile(1 / score, [0.25, 0.75])
    width = 0.9 * min((1 / score).std(ddof=1), float(quartiles[1] - quartiles[0]) / 1.34) * len(score) ** -0.2
    if not width > 0:
        raise DataError("the scores have no spread, so there is no bandwidth; give one, or more classifiers")
    return float(width)


def _positive(outputs: pd.DataFrame, inputs: pd.DataFrame) -> None:
    values = pd.concat([outputs, inputs], axis=1)
    if (values.to_numpy() == 0).any():
        i, r = np.argwhere(values.to_numpy() == 0)[0]
        raise DataError(f"metric '{values.columns[r]}' of '{values.index[i]}' is 0; a bootstrap of firms needs numbers > 0")
    if len(values) < 4:
        raise DataError(f"there are {len(values)} classifiers; a bootstrap of firms needs at least 4")
