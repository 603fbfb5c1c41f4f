"""The second stage: the largest slacks beyond the radial projection, and the peers that give them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd

from deabench.arrays import TOLERANCE, Sparse, chunks
from deabench.dea.models.radial import Ccr, Wei, intensities
from deabench.solve.shared.engine import solve
from deabench.solve.shared.family import Family
from deabench.solve.template import Template, template
from deabench.tables.gate import Data

INWARD = 1e-14
"""The radial projection is drawn back by this share before the second stage: rounded, it may lie just beyond the frontier."""


def second_stage(
    problem: Wei | Ccr, scores: pd.Series, weights: pd.DataFrame, lam: Sparse, who: np.ndarray, open_: np.ndarray
) -> pd.DataFrame:
    """The largest slacks beyond the radial projection; the peers that give them replace the first stage's in `lam`.

    Where all weights are positive there is no slack (complementary slackness), and where λ is unique there is no other, so only
    the `open_` rest is solved, each from the peers it has. Where the second stage cannot be solved to the certificate's
    tolerance (near-duplicates), the first stage's peers and slacks stay.
    """
    X, Y = problem.reference.inputs.to_numpy(), problem.reference.outputs.to_numpy()
    names = [*problem.data.outputs.columns, *problem.data.inputs.columns]
    values = scores.to_numpy()
    positive = _positive(weights[names].to_numpy(), np.append(Y.max(axis=0), X.max(axis=0)))
    open_ = np.flatnonzero(open_ & ~positive & ~np.isnan(values))
    if len(open_):
        _take_slack(problem, scores, lam, who, open_)
    both = np.column_stack([Y, -X])
    slacks = np.empty((len(values), len(names)))
    for rows in chunks(len(values)):
        x, y = _projected(problem, values[rows], who[rows])
        slacks[rows] = np.maximum(lam[rows].dot(both) - np.column_stack([y, -x]), 0.0)
    slacks[positive] = 0.0
    slacks[np.isnan(values)] = np.nan
    return pd.DataFrame(slacks, index=scores.index, columns=names, copy=False)


def _positive(weights: np.ndarray, top: np.ndarray) -> np.ndarray:
    """Whether every weight is, in metrics scaled to a maximum of 1."""
    shares = weights * np.where(top > 0, top, 1.0)
    return shares.min(axis=1) > TOLERANCE * shares.max(axis=1)


def _take_slack(problem: Wei | Ccr, given: pd.Series, lam: Sparse, who: np.ndarray, open_: np.ndarray) -> None:
    """Solve the second stage for the DMUs at `open_`, and put its peers in the place of the first's where it is sound."""
    X, Y = problem.reference.inputs.to_numpy(), problem.reference.outputs.to_numpy()
    data, m, scores = np.column_stack([X, Y]), X.shape[1], given.to_numpy()[open_]
    top = np.where(data.max(axis=0) > 0, data.max(axis=0), 1.0)  # not a power of two: a sum of slacks must have no unit
    x, y = _projected(problem, scores, who[open_])
    points = np.column_stack([x * (1 + INWARD), y * (1 - INWARD)]) / top
    family = Family(_slack_form(m, Y.shape[1], problem.returns), (data / top)[problem.frontier])
    first = lam[open_]
    peers = np.where(first.values > 0, np.searchsorted(problem.frontier, first.columns), -1)
    solution = solve(family, points, feasible=peers, name=lambda k: str(given.index[open_[k]]))
    better = intensities(problem, family, solution)
    better.values[better.values < 1e4 * INWARD] = 0.0  # what the drawing back left
    reached = better.dot(data / top)
    miss = np.maximum(reached[:, :m] - points[:, :m], 0).max(axis=1, initial=0.0)
    miss = np.maximum(miss, np.maximum(points[:, m:] - reached[:, m:], 0).max(axis=1))
    miss = np.maximum(miss, -solution.x.min(axis=1))
    level = _level(problem, better, *_of(problem.data, who[open_]))
    good = (miss <= TOLERANCE / 10) & (solution.which >= 0) & (np.abs(level - scores) <= TOLERANCE / 10)
    _adopt(lam, better, good, open_)


def _level(problem: Wei | Ccr, lam: Sparse, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The efficiency that λ reaches for DMUs at (x, y): the second stage must not move it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if problem.orientation == "output":
            return np.where(y > 0, y / lam.dot(problem.reference.outputs.to_numpy()), -np.inf).max(axis=1)
        return np.where(x > 0, lam.dot(problem.reference.inputs.to_numpy()) / x, -np.inf).max(axis=1)


@lru_cache(maxsize=64)
def _slack_form(m: int, s: int, sum_lambda: str) -> Template:
    import deabench_models

    return template(
        deabench_models.slacks,
        {"X": range(m), "Y": range(s)},
        {"x_o": dict.fromkeys(range(m), 1.0), "y_o": dict.fromkeys(range(s), 1.0)},
        returns=sum_lambda,
    )


def _projected(problem: Wei | Ccr, scores: np.ndarray, who: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    x, y = _of(problem.data, who)
    return (x, y / scores[:, None]) if problem.orientation == "output" else (x * scores[:, None], y)


def _of(data: Data, who: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return data.inputs.to_numpy()[who], data.outputs.to_numpy()[who]


def _adopt(into: Sparse, better: Sparse, good: np.ndarray, rows: np.ndarray) -> None:
    """Put the intensities of the second stage in the place of the first's, where good; both have at most s + m + 1 entries."""
    width = into.columns.shape[1]
    order = np.argsort(better.columns < 0, axis=1, kind="stable")[:, :width]
    into.columns[rows[good]] = np.take_along_axis(better.columns, order, axis=1)[good]
    into.values[rows[good]] = np.take_along_axis(better.values, order, axis=1)[good]
