"""The mean of several ROC curves, as of folds or repeats: vertical and threshold averaging, with
pointwise intervals.

References
----------
Provost F, Fawcett T, Kohavi R (1998) The case against accuracy estimation for comparing induction
algorithms. ICML. Fawcett T (2006) An introduction to ROC analysis. Pattern Recognition Letters
27:861-874. doi:10.1016/j.patrec.2005.10.010"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from deabench.curves.bands import read
from deabench.curves.roc import Roc
from deabench.errors import DataError
from deabench.utils.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from deabench.plot import MeanRocDisplay

Floats = NDArray[np.float64]


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

    points: pd.DataFrame
    curves: tuple[Roc, ...]
    alpha: float

    def to_frame(self) -> pd.DataFrame:
        """The points, as a frame of its own."""
        return self.points.copy()

    @property
    def notes(self) -> tuple[str, ...]:
        return (
            "the intervals are pointwise and treat the curves as independent; folds share training rows, so they are too "
            "narrow",
        )

    def summary(self) -> str:
        """The mean area and its spread over the curves."""
        areas = np.array([curve.auc for curve in self.curves])
        return (
            f"the mean area under {len(areas)} ROC curves is {areas.mean():.4g}, from {areas.min():.4g} to {areas.max():.4g}; "
            f"their mean curve has {len(self.points)} points with {1 - self.alpha:.4g} intervals"
        )

    def plot(self, ax: Axes | None = None) -> MeanRocDisplay:  # type: ignore[override]
        """Draw the mean and its intervals; see `deabench.plot.MeanRocDisplay`."""
        from deabench.plot import MeanRocDisplay

        return MeanRocDisplay(self).plot(ax)


def average_vertical(curves: Sequence[Roc], *, alpha: float = 0.05, grid: int = 101) -> MeanRoc:
    """Mean TPR at fixed FPR: mean ± t·sd/√R over the curves, at `grid` values of FPR evenly from 0
    to 1.

    Parameters
    ----------
    curves : sequence of at least two Roc
        One per fold or repeat.
    alpha : float, 0 < alpha < 1
    grid : int >= 2

    Raises
    ------
    DataError
        Where there are fewer than two curves, their positive labels differ, or alpha or grid are
        out of range.

    Notes
    -----
    The intervals are pointwise and treat the curves as independent: folds share training rows, so
    they are too narrow, and as a band for the whole curve they are narrower still.

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> mean = curves.average_vertical([curves.roc(y, score), curves.roc(y, score[::-1])])
    >>> mean.points.columns.tolist()
    ['FPR', 'TPR', 'FPR_lower', 'FPR_upper', 'TPR_lower', 'TPR_upper']
    """
    _check(curves, alpha, grid)
    f = np.linspace(0, 1, grid)
    tpr = np.array([read(curve, f, top=True) for curve in curves])
    mean, lower, upper = _t_interval(tpr, alpha)
    points = pd.DataFrame(
        {
            "FPR": f,
            "TPR": mean,
            "FPR_lower": f,
            "FPR_upper": f,
            "TPR_lower": lower,
            "TPR_upper": upper,
        }
    )
    return MeanRoc(points.set_axis(pd.Index(f, name="fixed_FPR")), tuple(curves), alpha)


def average_threshold(curves: Sequence[Roc], *, alpha: float = 0.05, grid: int = 21) -> MeanRoc:
    """Mean FPR and mean TPR at fixed thresholds, each with its interval: a box per threshold.

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
    _check(curves, alpha, grid)
    pooled = np.sort(np.concatenate([_scores(curve) for curve in curves]))[::-1]
    at_least = pooled[np.unique(np.linspace(0, len(pooled) - 1, grid).round().astype(int))]
    at_least = np.concatenate([[np.inf], np.unique(at_least)[::-1]])
    rates = np.array([_at(curve, at_least) for curve in curves])  # R x thresholds x 2
    fpr, tpr = _t_interval(rates[:, :, 0], alpha), _t_interval(rates[:, :, 1], alpha)
    points = pd.DataFrame(
        {
            "FPR": fpr[0],
            "TPR": tpr[0],
            "FPR_lower": fpr[1],
            "FPR_upper": fpr[2],
            "TPR_lower": tpr[1],
            "TPR_upper": tpr[2],
        },
        index=pd.Index(at_least, name="at_least"),
    )
    return MeanRoc(points, tuple(curves), alpha)


def _check(curves: Sequence[Roc], alpha: float, grid: int) -> None:
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
    """Mean over the first axis and mean ± t·sd/√R, cut to [0, 1]."""
    from scipy.special import stdtrit

    r = len(values)
    mean = values.mean(axis=0)
    half = stdtrit(r - 1, 1 - alpha / 2) * values.std(axis=0, ddof=1) / np.sqrt(r)
    return mean, np.clip(mean - half, 0, 1), np.clip(mean + half, 0, 1)


def _scores(curve: Roc) -> Floats:
    """The scores the curve was made of, highest first."""
    rows = np.diff((curve.points["tp"] + curve.points["fp"]).to_numpy())
    return np.repeat(curve.points["at_least"].to_numpy()[1:], rows)


def _at(curve: Roc, at_least: Floats) -> Floats:
    """FPR and TPR of the rule score >= at_least, thresholds x 2."""
    index = np.searchsorted(-curve.points["at_least"].to_numpy(), -at_least, side="right") - 1
    return np.asarray(curve.points[["FPR", "TPR"]].to_numpy()[index])
