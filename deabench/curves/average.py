"""The mean of several ROC curves, as of folds or repeats: vertical and threshold averaging.

The intervals are pointwise.

References
----------
Provost F, Fawcett T, Kohavi R (1998) The case against accuracy estimation for comparing induction
algorithms. ICML. Fawcett T (2006) An introduction to ROC analysis. Pattern Recognition Letters
27:861-874. doi:10.1016/j.patrec.2005.10.010
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from deabench.curves.bands import Floats, interpolate_tpr
from deabench.curves.roc import Roc
from deabench.errors import DataError
from deabench.utils.result import Result


@dataclass(frozen=True, eq=False, repr=False)
class MeanRoc(Result):
    """The mean of R ROC curves with an interval at each point.

    Attributes
    ----------
    points : DataFrame
        FPR, TPR, FPR_lower, FPR_upper, TPR_lower, TPR_upper, in [0, 1]; indexed by fixed_FPR
        (vertical averaging, where the limits of FPR equal it) or by the threshold at_least
        (threshold averaging).
    curves : tuple of Roc
    alpha : float

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> mean = curves.average_vertical([curves.roc(y, score), curves.roc(y, score)])
    >>> len(mean.points) > 2
    True
    """

    _frame = "points"
    _text = "curves"
    _display = "MeanRocDisplay"

    points: pd.DataFrame
    curves: tuple[Roc, ...]
    alpha: float

    @property
    def notes(self) -> tuple[str, ...]:
        """What the intervals assume."""
        return (
            "the intervals are pointwise and treat the curves as independent; folds share training "
            "rows, so the intervals are too narrow",
        )


def average_vertical(curves: Sequence[Roc], *, alpha: float = 0.05, grid: int = 101) -> MeanRoc:
    """Average TPR at fixed FPR: mean ± t·sd/√R over the curves, at `grid` even values of FPR.

    Parameters
    ----------
    curves : sequence of at least two Roc
        One per fold or repeat.
    alpha : float, 0 < alpha < 1
    grid : int >= 2

    Raises
    ------
    DataError
        If there are fewer than two curves, their positive labels differ, or alpha or grid are out
        of range.

    Notes
    -----
    The intervals are pointwise and treat the curves as independent: folds share training rows, so
    the intervals are too narrow, and as a band for the whole curve they are narrower still.

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> mean = curves.average_vertical([curves.roc(y, score), curves.roc(y, score[::-1])])
    >>> mean.points.columns.tolist()
    ['FPR', 'TPR', 'FPR_lower', 'FPR_upper', 'TPR_lower', 'TPR_upper']
    """
    _check_curves(curves, alpha, grid)
    fpr = np.linspace(0, 1, grid)
    # Curves x grid: the TPR of each curve at the same values of FPR.
    tpr = np.array([interpolate_tpr(curve, fpr, top=True) for curve in curves])
    # FPR is fixed here: it has no interval.
    points = _mean_points((fpr, fpr, fpr), _t_interval(tpr, alpha))
    return MeanRoc(points.set_axis(pd.Index(fpr, name="fixed_FPR")), tuple(curves), alpha)


def average_threshold(curves: Sequence[Roc], *, alpha: float = 0.05, grid: int = 21) -> MeanRoc:
    """Average FPR and TPR at fixed thresholds, each with its interval: a box per threshold.

    The thresholds are `grid` scores, evenly spaced by rank in the pooled scores of all curves;
    "positive" is score >= threshold. The scores must mean the same in all curves, as calibrated
    probabilities do.

    Parameters
    ----------
    curves, alpha, grid : as for `average_vertical`

    Raises
    ------
    DataError
        As `average_vertical` does.

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> mean = curves.average_threshold([curves.roc(y, score), curves.roc(y, score)])
    >>> mean.points.columns.tolist()
    ['FPR', 'TPR', 'FPR_lower', 'FPR_upper', 'TPR_lower', 'TPR_upper']
    """
    _check_curves(curves, alpha, grid)
    # Thresholds at even ranks of all scores together.
    pooled = np.sort(np.concatenate([_list_scores(curve) for curve in curves]))[::-1]
    ranks = np.unique(np.linspace(0, len(pooled) - 1, grid).round().astype(int))
    # Above all scores nothing is positive: every curve starts at (0, 0).
    thresholds = np.concatenate([[np.inf], np.unique(pooled[ranks])[::-1]])
    # Curves x thresholds x 2.
    rates = np.array([_rates_at(curve, thresholds) for curve in curves])
    points = _mean_points(_t_interval(rates[:, :, 0], alpha), _t_interval(rates[:, :, 1], alpha))
    return MeanRoc(points.set_axis(pd.Index(thresholds, name="at_least")), tuple(curves), alpha)


def _check_curves(curves: Sequence[Roc], alpha: float, grid: int) -> None:
    if len(curves) < 2:
        raise DataError(
            f"the curves to average number {len(curves)}; give at least two, one per fold"
        )
    positives = {curve.positive for curve in curves}
    if len(positives) > 1:
        raise DataError(
            f"the curves take {' and '.join(sorted(map(repr, positives)))} as positive; "
            "give positive= where they are made"
        )
    if not 0 < alpha < 1:
        raise DataError(
            f"alpha is {alpha:g}; give a number between 0 and 1, as 0.05 for a 95 % interval"
        )
    if grid < 2:
        raise DataError(f"grid is {grid}; give at least 2 points")


def _t_interval(values: Floats, alpha: float) -> tuple[Floats, Floats, Floats]:
    """Return the mean over the first axis and mean ± t·sd/√R, cut to [0, 1]."""
    count = len(values)
    mean = values.mean(axis=0)
    # Student's t over the curves as if they were independent.
    reach = stdtrit(count - 1, 1 - alpha / 2) * values.std(axis=0, ddof=1) / np.sqrt(count)
    return mean, np.clip(mean - reach, 0, 1), np.clip(mean + reach, 0, 1)


def _mean_points(
    fpr: tuple[Floats, Floats, Floats], tpr: tuple[Floats, Floats, Floats]
) -> pd.DataFrame:
    """Return a frame of two triples of mean, lower and upper limit."""
    return pd.DataFrame(
        {
            "FPR": fpr[0],
            "TPR": tpr[0],
            "FPR_lower": fpr[1],
            "FPR_upper": fpr[2],
            "TPR_lower": tpr[1],
            "TPR_upper": tpr[2],
        }
    )


def _list_scores(curve: Roc) -> Floats:
    """List the scores of all instances of the curve, highest first."""
    # From point to point as many instances become positive as have its score.
    counts = np.diff((curve.points["tp"] + curve.points["fp"]).to_numpy())
    return np.repeat(curve.points["at_least"].to_numpy()[1:], counts)


def _rates_at(curve: Roc, thresholds: Floats) -> Floats:
    """Return FPR and TPR of the rule score >= threshold, thresholds x 2."""
    # Thresholds fall along the curve; the last point at or above the asked one has its rates.
    falling = -curve.points["at_least"].to_numpy()
    index = np.searchsorted(falling, -thresholds, side="right") - 1
    return np.asarray(curve.points[["FPR", "TPR"]].to_numpy()[index])
