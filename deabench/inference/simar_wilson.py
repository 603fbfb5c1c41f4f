"""Bootstrap the frontier itself: the classifiers as firms drawn from a population of firms.

This randomness is not that of test instances: it asks how far the frontier of all firms that could
have been drawn lies beyond that of the drawn ones. To compare classifiers on test data, use
`uncertainty`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference.dominance_games import solve_games
from deabench.tables.selected_table import Missing, refuse_bounds
from deabench.tables.selection import select_table
from deabench.tables.table import TableLike
from deabench.tables.validation import validate
from deabench.utils.checks import choice, share
from deabench.utils.result import Result

Array = np.ndarray
Bootstrap = Literal["smooth", "subsample"]

BATCH = 50
"""Draws solved at a time."""
MIN_DRAWS = 100
MIN_FIRMS = 4
IQR_OF_NORMAL = 1.34
"""The interquartile range of a normal distribution, in standard deviations."""


@dataclass(frozen=True, eq=False, repr=False)
class FirmsBootstrap(Result):
    """Bias-corrected efficiencies where the classifiers themselves are a sample of all firms.

    Attributes
    ----------
    table : DataFrame, n x (score, corrected, lower, upper)
    method : {"smooth", "subsample"}
    bandwidth : float
        Of "smooth"; NaN otherwise.
    level : float
    draws : int
    notes : tuple of str

    Examples
    --------
    >>> import deabench as db
    >>> branches = db.datasets.load("cooper-branches")
    >>> answer = db.simar_wilson(branches, outputs=list(branches.columns)[-2:], draws=100)
    >>> answer.draws, answer.table.columns.tolist()
    (100, ['score', 'corrected', 'lower', 'upper'])
    """

    table: pd.DataFrame
    method: Bootstrap
    bandwidth: float
    level: float
    draws: int
    notes: tuple[str, ...]

    _frame = "table"
    _text = "uncertainty"


def simar_wilson(
    table: TableLike,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    missing: Missing = "refuse",
    method: Bootstrap = "smooth",
    bandwidth: float | None = None,
    level: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
) -> FirmsBootstrap:
    """Correct efficiencies for bias, with intervals, where the classifiers are a sample of firms.

    Parameters
    ----------
    table : DataFrame, a `deabench.read` reading, or anything that `deabench.read` takes
    outputs, inputs, missing
        As for `deabench.rank`. With inputs the scores are input-oriented under variable returns to
        scale, as in [1]_; without, as `rank` gives them.
    method : {"smooth", "subsample"}
        "smooth" [1]_: distances 1/score are redrawn from their kernel density, reflected at 1.
        "subsample", one of the two bootstraps that [2]_ prove consistent: n^0.7 firms are drawn
        without replacement and the error is scaled by the rate of convergence n^(2/(p + q + 1)).
        Their other one smooths the frontier too, with a second bandwidth, and is not here.
    bandwidth : number > 0, optional
        Of "smooth", in units of 1/score; 0.9 min(sd, IQR/1.34) n^(−1/5) without it.
    level : number between 0 and 1
    draws : int >= 100
    seed : int

    Returns
    -------
    FirmsBootstrap
        "smooth": the basic bootstrap of δ = 1/score, 2 δ − mean and 2 δ − quantiles, turned back.
        "subsample": an end is 0 where part of the subsamples reach no such output at all.

    References
    ----------
    .. [1] Simar, Wilson (1998), Management Science 44, 49-61, doi:10.1287/mnsc.44.1.49.
    .. [2] Kneip, Simar, Wilson (2008), Econometric Theory 24, 1663-1697,
       doi:10.1017/S0266466608080651.

    Examples
    --------
    >>> import deabench as db
    >>> branches = db.datasets.load("cooper-branches")
    >>> sure = db.simar_wilson(branches, outputs=list(branches.columns)[-2:], draws=100)
    >>> sure.table.columns.tolist()
    ['score', 'corrected', 'lower', 'upper']
    """
    choice("method", method, get_args(Bootstrap))
    alpha = 1 - share("level", level)
    if draws < MIN_DRAWS:
        raise DataError(f"draws is {draws}; an interval needs at least {MIN_DRAWS}")
    selected = select_table(
        table,
        outputs=outputs,
        inputs=inputs,
        missing=refuse_bounds(missing),
    )
    data = validate(selected, warn=False)
    _check_firms(data.outputs, data.inputs)
    y = data.outputs.to_numpy()
    x = data.inputs.to_numpy()
    # Every firm is scored against all of them, itself included.
    score = firm_scores(y, x, y, x)
    rng = np.random.default_rng(seed)
    h = float("nan")
    if method == "smooth":
        h = _choose_bandwidth(score, bandwidth)
        columns = _smooth_bootstrap(y, x, score, h, alpha, draws, rng)
    else:
        columns = _subsample_bootstrap(y, x, score, alpha, draws, rng)
    frame = pd.DataFrame({"score": score, **columns}, data.labels).rename_axis("classifier")
    note = (
        "the systems count as a sample of all firms that could have been drawn; nothing is "
        "said of test instances"
    )
    return FirmsBootstrap(frame, method, h, level, draws, (*selected.notes, *data.notes, note))


def firm_scores(y: Array, x: Array, reference_y: Array, reference_x: Array) -> Array:
    """Score firms against a reference of k firms.

    Parameters
    ----------
    y, x : arrays (n, p) and (n, q)
    reference_y, reference_x : arrays (k, p) and (k, q)
        Or one reference for each firm, (n, k, p) and (n, k, q).

    Returns
    -------
    array (n,)
        Above 1 outside the reference; inf where it reaches no such output.
    """
    if not x.shape[1]:
        return solve_games(reference_y / y[:, None]).value
    # The input-oriented program under variable returns, of `dominance_games`.
    rows = np.concatenate([reference_x / x[:, None], 1 - reference_y / y[:, None]], axis=2)
    limit = np.append(np.ones(x.shape[1]), np.zeros(y.shape[1]))
    with np.errstate(divide="ignore"):
        return np.asarray(1 / solve_games(rows.transpose(0, 2, 1), limit=limit).value)


def _smooth_bootstrap(
    y: Array, x: Array, score: Array, h: float, alpha: float, draws: int, rng: np.random.Generator
) -> dict[str, Array]:
    """Redraw the distances δ = 1/score >= 1 from their kernel density, reflected at 1."""
    n = len(score)
    distance = 1 / score
    # A density of distances >= 1 is estimated without bias at 1 by reflection.
    mirrored = np.concatenate([distance, 2 - distance])
    # Noise raises the variance of the draws; dividing by this factor restores it.
    inflation = np.sqrt(1 + h**2 / mirrored.var(ddof=1))
    factors = np.empty((draws, 1, n, 1))
    for b in range(draws):
        noisy = rng.choice(mirrored, n) + h * rng.standard_normal(n)
        # Reflected distances over the observed ones: by how much each firm is moved.
        factors[b, 0, :, 0] = (1 + np.abs((noisy - 1) / inflation)) / distance
    # All draws at once would hold draws · n² · (p + q) numbers.
    batches = np.array_split(factors, -(-draws // BATCH))
    redrawn = np.concatenate([1 / _moved_scores(y, x, batch) for batch in batches])
    # The basic bootstrap: the error δ* − δ stands for δ − δ of the population.
    low, high = np.quantile(redrawn, [alpha / 2, 1 - alpha / 2], axis=0)
    return {
        "corrected": 1 / (2 * distance - redrawn.mean(axis=0)),
        "lower": 1 / (2 * distance - low),
        "upper": 1 / (2 * distance - high),
    }


def _moved_scores(y: Array, x: Array, factors: Array) -> Array:
    """Score all firms against themselves with inputs, or outputs, moved by factors.

    Parameters
    ----------
    factors : array (draws, 1, n, 1)

    Returns
    -------
    array (draws, n)
    """
    draws = len(factors)
    n = len(y)
    # With inputs the inputs are moved, else the outputs.
    moved_y, moved_x = (y, x * factors) if x.shape[1] else (y / factors, x)

    def repeat_reference(values: Array) -> Array:
        columns = values.shape[-1]
        return np.broadcast_to(values, (draws, n, n, columns)).reshape(draws * n, n, columns)

    firms_y = np.tile(y, (draws, 1))
    firms_x = np.tile(x, (draws, 1))
    scores = firm_scores(firms_y, firms_x, repeat_reference(moved_y), repeat_reference(moved_x))
    return scores.reshape(draws, n)


def _subsample_bootstrap(
    y: Array, x: Array, score: Array, alpha: float, draws: int, rng: np.random.Generator
) -> dict[str, Array]:
    """Score against n^0.7 firms drawn without replacement; scale the errors by their rate."""
    n = len(score)
    # Subsamples must grow more slowly than n for the bootstrap to be consistent.
    m = max(int(np.ceil(n**0.7)), 2)
    rate = 2 / (y.shape[1] + x.shape[1] + 1)
    errors = np.empty((draws, n))
    for b in range(draws):
        members = rng.choice(n, m, replace=False)
        error = np.maximum(firm_scores(y, x, y[members], x[members]) / score - 1, 0.0)
        errors[b] = error * (m / n) ** rate
    # Where a subsample reaches no such output the error is infinite and left out of the mean.
    finite = np.where(np.isfinite(errors), errors, np.nan)
    low, high = np.quantile(errors, [alpha / 2, 1 - alpha / 2], axis=0, method="inverted_cdf")
    return {
        "corrected": score / (1 + np.nanmean(finite, axis=0)),
        "lower": score / (1 + high),
        "upper": score / (1 + low),
    }


def _choose_bandwidth(score: Array, bandwidth: float | None) -> float:
    """Return the user's bandwidth after checking it, or Silverman's rule for 1/score."""
    if bandwidth is not None:
        if not (np.isfinite(bandwidth) and bandwidth > 0):
            raise DataError(f"bandwidth is {bandwidth:g}; give a number > 0")
        return bandwidth
    # Silverman's rule takes the smaller of two estimates of the spread.
    low, high = np.quantile(1 / score, [0.25, 0.75])
    spread = min((1 / score).std(ddof=1), float(high - low) / IQR_OF_NORMAL)
    width = 0.9 * spread * len(score) ** -0.2
    if not width > 0:
        raise DataError(
            "the scores have no spread, so there is no bandwidth; give one, or more systems"
        )
    return float(width)


def _check_firms(outputs: pd.DataFrame, inputs: pd.DataFrame) -> None:
    values = pd.concat([outputs, inputs], axis=1)
    zeros = np.argwhere(values.to_numpy() == 0)
    if len(zeros):
        i, r = zeros[0]
        raise DataError(
            f"metric '{values.columns[r]}' of '{values.index[i]}' is 0; a bootstrap of firms needs "
            "numbers > 0"
        )
    if len(values) < MIN_FIRMS:
        raise DataError(
            f"there are {len(values)} systems; a bootstrap of firms needs at least {MIN_FIRMS}"
        )
