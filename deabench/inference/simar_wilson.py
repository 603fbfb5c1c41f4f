"""Bootstraps of the frontier itself: classifiers as firms drawn from a population of firms.

This is another randomness than that of test instances: it asks how far the frontier of all firms
that could have been drawn lies beyond the drawn ones. For classifiers compared on test data,
`uncertainty` is what is meant almost always."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference.dominance_games import solve_games
from deabench.tables.selection import Lower, Missing, refuse_bounds, select_table
from deabench.tables.validation import validate
from deabench.utils.checks import choice, share
from deabench.utils.result import Result

Array = np.ndarray
Bootstrap = Literal["smooth", "subsample"]

TOGETHER = 50
"""Draws solved at a time."""


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

    _text = "uncertainty"

    table: pd.DataFrame
    method: Bootstrap
    bandwidth: float
    level: float
    draws: int
    notes: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """score, corrected, lower, upper."""
        return self.table


def simar_wilson(
    table: object,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    lower_is_better: Lower = (),
    missing: Missing = "refuse",
    method: Bootstrap = "smooth",
    bandwidth: float | None = None,
    level: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
) -> FirmsBootstrap:
    """Bias-corrected efficiencies and intervals where the classifiers themselves are a sample.

    Parameters
    ----------
    table : DataFrame, a `deabench.read` reading, or anything that `deabench.read` takes
    outputs, inputs, lower_is_better, missing
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
    choice("method", method, ("smooth", "subsample"))
    alpha = 1 - share("level", level)
    if draws < 100:
        raise DataError(f"draws is {draws}; an interval needs at least 100")
    ready = select_table(
        table,
        outputs=outputs,
        inputs=inputs,
        lower_is_better=lower_is_better,
        missing=refuse_bounds(missing),
    )
    data = validate(ready.table, **ready.given, warn=False)
    y, x = data.outputs.to_numpy(), data.inputs.to_numpy()
    _positive(data.outputs, data.inputs)
    score = firm_scores(y, x, y, x)
    rng = np.random.default_rng(seed)
    smooth = method == "smooth"
    h = _bandwidth(score, bandwidth) if smooth else float("nan")
    ends = (
        _smooth(y, x, score, h, alpha, draws, rng)
        if smooth
        else _subsample(y, x, score, alpha, draws, rng)
    )
    frame = pd.DataFrame(
        {"score": score, "corrected": ends[0], "lower": ends[1], "upper": ends[2]}, data.labels
    )
    note = "the classifiers count as a sample of all firms that could have been drawn; nothing is said of test instances"
    return FirmsBootstrap(
        frame.rename_axis("classifier"), method, h, level, draws, (*ready.notes, *data.notes, note)
    )


def firm_scores(y: Array, x: Array, reference_y: Array, reference_x: Array) -> Array:
    """Scores of firms (n,) against a reference of k: above 1 outside it, inf where it reaches no
    firm's outputs.

    The reference is (k, p) and (k, q), or one for each firm, (n, k, p) and (n, k, q).
    """
    if not x.shape[1]:
        return solve_games(reference_y / y[:, None]).value
    rows = np.concatenate([reference_x / x[:, None], 1 - reference_y / y[:, None]], axis=2)
    limit = np.append(np.ones(x.shape[1]), np.zeros(y.shape[1]))
    with np.errstate(divide="ignore"):
        return np.asarray(1 / solve_games(rows.transpose(0, 2, 1), limit=limit).value)


def _smooth(
    y: Array, x: Array, score: Array, h: float, alpha: float, draws: int, rng: np.random.Generator
) -> list[Array]:
    """In distances δ = 1/score >= 1: a draw from δ and its mirror image 2 − δ, noise, the variance
    put right, reflection at 1.
    """
    distance, n = 1 / score, len(score)
    mirrored = np.concatenate([distance, 2 - distance])
    shrink = np.sqrt(1 + h**2 / mirrored.var(ddof=1))
    factors = np.empty((draws, 1, n, 1))
    for b in range(draws):
        noisy = rng.choice(mirrored, n) + h * rng.standard_normal(n)
        factors[b, 0, :, 0] = (1 + np.abs((noisy - 1) / shrink)) / distance
    found = np.concatenate(
        [1 / _against(y, x, part) for part in np.array_split(factors, -(-draws // TOGETHER))]
    )
    low, high = np.quantile(found, [alpha / 2, 1 - alpha / 2], axis=0)
    return [
        1 / (2 * distance - found.mean(axis=0)),
        1 / (2 * distance - low),
        1 / (2 * distance - high),
    ]


def _against(y: Array, x: Array, factors: Array) -> Array:
    """Scores of all firms (draws, n) against themselves with inputs (or outputs) moved by factors
    (draws, 1, n, 1).
    """
    draws, n = len(factors), len(y)
    moved = [
        np.broadcast_to(part, (draws, n, n, part.shape[-1])).reshape(draws * n, n, part.shape[-1])
        for part in ((y, x * factors) if x.shape[1] else (y / factors, x))
    ]
    return firm_scores(np.tile(y, (draws, 1)), np.tile(x, (draws, 1)), moved[0], moved[1]).reshape(
        draws, n
    )


def _subsample(
    y: Array, x: Array, score: Array, alpha: float, draws: int, rng: np.random.Generator
) -> list[Array]:
    n, m = len(score), max(int(np.ceil(len(score) ** 0.7)), 2)
    rate = 2 / (y.shape[1] + x.shape[1] + 1)
    errors = np.empty((draws, n))
    for b in range(draws):
        part = rng.choice(n, m, replace=False)
        errors[b] = (
            np.maximum(firm_scores(y, x, y[part], x[part]) / score - 1, 0.0) * (m / n) ** rate
        )
    reached = np.where(np.isfinite(errors), errors, np.nan)
    low, high = np.quantile(errors, [alpha / 2, 1 - alpha / 2], axis=0, method="inverted_cdf")
    return [score / (1 + np.nanmean(reached, axis=0)), score / (1 + high), score / (1 + low)]


def _bandwidth(score: Array, given: float | None) -> float:
    if given is not None:
        if not (np.isfinite(given) and given > 0):
            raise DataError(f"bandwidth is {given:g}; give a number > 0")
        return given
    quartiles = np.quantile(1 / score, [0.25, 0.75])
    width = (
        0.9
        * min((1 / score).std(ddof=1), float(quartiles[1] - quartiles[0]) / 1.34)
        * len(score) ** -0.2
    )
    if not width > 0:
        raise DataError(
            "the scores have no spread, so there is no bandwidth; give one, or more classifiers"
        )
    return float(width)


def _positive(outputs: pd.DataFrame, inputs: pd.DataFrame) -> None:
    values = pd.concat([outputs, inputs], axis=1)
    if (values.to_numpy() == 0).any():
        i, r = np.argwhere(values.to_numpy() == 0)[0]
        raise DataError(
            f"metric '{values.columns[r]}' of '{values.index[i]}' is 0; a bootstrap of firms needs numbers > 0"
        )
    if len(values) < 4:
        raise DataError(
            f"there are {len(values)} classifiers; a bootstrap of firms needs at least 4"
        )
