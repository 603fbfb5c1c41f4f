"""Bound the extreme ranks of the true metrics, where the table's are means over samples.

At fixed weights w ≥ 0 the standard deviation of w·d is at most Σ w_r sd(d_r), so that a row is
proved above another where w·(d − c se) > 0: linear in w again. The true extremes are attained at
fixed weights, so that n − 1 comparisons count for each of them, and c pays for the n (n − 1)
comparisons of each end by Bonferroni's division.
"""

from __future__ import annotations

import time

import numpy as np
import pandas as pd

from deabench.analysis.weightings.bounds import MAX_NODES, RankSearch
from deabench.errors import DataError
from deabench.geometry.subdivision import Point, Subdivision
from deabench.inference.moments import critical_values
from deabench.inference.samples import Samples
from deabench.inference.samples.from_tables import check_same_table
from deabench.results.weightings import WeightedSide
from deabench.tables.transforms import Data


def bound_true_ranks(
    search: RankSearch,
    data: Data,
    samples: Samples,
    logarithmic: tuple[str, ...],
    *,
    level: float,
    end: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ranks beyond which no weighting puts the true metrics of each row, (n,) both.

    Parameters
    ----------
    search : RankSearch
        Of the table's values.
    data : Data
        The metrics as the model takes them.
    samples : Samples
        The test results behind them.
    logarithmic : tuple of str
        Metrics that count by their logarithm.
    level : float
        The probability that all limits hold together.
    end : float
        The time, of `time.monotonic`, after which limits are what is proved by then.

    Raises
    ------
    DataError
        If the samples are not those of the table, or the scores are ratios of two sides.
    """
    if search.is_ratio:
        raise DataError(
            "limits need one sum of all metrics; use model='value', or leave out uncertainty"
        )
    check_same_table(samples, pd.concat([data.outputs, data.inputs], axis=1))
    side = search.sides[0]
    spread = _difference_errors(samples, side, data.labels, logarithmic, level)
    corners = side.polytope.shares
    n = len(data.labels)
    best = np.empty(n, dtype=int)
    worst = np.empty(n, dtype=int)
    for k in range(n):
        # A row is never above itself.
        is_rival = np.arange(n) != k
        gaps = search.differences(k, 1)
        # An error of a difference counts by the weight of its metric, as the difference does.
        margin = spread[k][is_rival] @ corners.T
        for sign, ranks in ((1, best), (-1, worst)):
            # Proved above, or below, at the vertices; linear between them.
            values = sign * gaps - margin
            middle = np.full(len(corners), 1 / len(corners))
            start = Point(int((values @ middle > 0).sum()), middle, np.ones(1))
            proof = Subdivision(values, search.cells, search.shares, start)
            while not proof.is_exhausted and proof.nodes < MAX_NODES and time.monotonic() < end:
                proof.run(proof.nodes + 1)
            ranks[k] = 1 + proof.lower_bound if sign > 0 else n - proof.lower_bound
    return best, worst


def _difference_errors(
    samples: Samples,
    side: WeightedSide,
    labels: pd.Index,
    logarithmic: tuple[str, ...],
    level: float,
) -> np.ndarray:
    """Return c times the standard error of each difference of two rows, (n, n, s), over units."""
    names = [str(name) for name in samples.values.columns]
    sampled = [str(label) for label in samples.values.index]
    # The samples may hold more rows and metrics, in another order.
    rows = [sampled.index(str(label)) for label in labels]
    columns = [names.index(name) for name in side.names]
    moments = samples.moments.take(rows, columns)
    n, s = moments.logs.shape
    # Bonferroni over both sides of all ordered pairs.
    c = critical_values((1 - level) / (2 * n * (n - 1)), moments.degrees)
    values = np.exp(moments.logs)
    errors = np.zeros((n, n, s))
    for r, name in enumerate(side.names):
        # A change of log y moves y by y times as much; of logarithms by itself.
        size = np.ones(n) if name in logarithmic else values[:, r]
        covariance = moments.sampling[r] * np.outer(size, size)
        variance = np.diagonal(covariance)
        # Var(y_k - y_l) = Var y_k + Var y_l - 2 Cov(y_k, y_l).
        spread = variance[:, None] + variance[None, :] - 2 * covariance
        ridge = moments.ridge[:, r] * size**2
        # Agresti and Coull's small-sample rule: c²/4 times the change by one flipped instance.
        total = np.maximum(spread, 0.0) + c[r] ** 2 / 4 * (ridge[:, None] + ridge[None, :])
        errors[:, :, r] = c[r] * np.sqrt(total) / float(side.units[r])
    return errors
