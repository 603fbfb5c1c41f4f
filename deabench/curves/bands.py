"""Confidence bands for one ROC curve: fixed-width by the bootstrap, and simultaneous joint regions.

Both bands are the empirical curve R moved by (−e, +d) and by (+e, −d):

    upper(f) = R(f + e) + d,      lower(f) = R(f − e) − d,      cut to [0, 1]

with R read at its top where it is vertical for the upper limit and at its foot for the lower.

- fixed-width (FWB): the curve moves along lines of slope −m, so e = d/m. With u = m·FPR + TPR,
  constant along such a line, a curve is a function TPR(u), and d is the smallest number for which a
  share 1 − α of stratified bootstrap curves has sup_u |TPR*(u) − TPR(u)| <= d. m is by default the
  ratio of standard deviations sd(TPR)/sd(FPR) = √(N/P).
- simultaneous joint regions (SJR): d and e are Kolmogorov and Smirnov's exact quantiles at level
  √(1 − α) for P positives and N negatives, so every point of the true curve is inside together with
  probability >= 1 − α; wider, but a theorem.

References
----------
Campbell G (1994) Advances in statistical methodology for the evaluation of diagnostic and
laboratory tests. Statistics in Medicine 13:499-508. doi:10.1002/sim.4780130513 Macskassy S, Provost
F, Rosset S (2005) ROC confidence bands: an empirical evaluation. ICML 2005:537-544.
doi:10.1145/1102351.1102419
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike, NDArray

from deabench.curves.roc import Roc, ScoreCurve
from deabench.errors import DataError, warn_data

BandMethod = Literal["fixed-width", "simultaneous"]
Floats = NDArray[np.float64]

ROUNDING = 1e-12
"""Added where the curve is read beside a jump, so that rounding can only widen the band."""


@dataclass(frozen=True, eq=False, repr=False)
class Band(ScoreCurve):
    """A confidence band around a ROC curve.

    Attributes
    ----------
    roc : Roc
    points : DataFrame, FPR rising from 0 to 1
        FPR, lower, upper: limits of TPR, all in [0, 1].
    up, across : float
        d and e: how far the curve is moved in TPR and in FPR.
    method : "fixed-width" or "simultaneous"
    alpha : float

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> band = curves.bands(curves.roc(y, score), "simultaneous")
    >>> bool((band.points["lower"] <= band.points["upper"]).all())
    True
    """

    points: pd.DataFrame
    up: float
    across: float
    method: BandMethod
    alpha: float

    @property
    def area(self) -> float:
        """Share of the ROC square inside the band, in [0, 1]."""
        return float(np.trapezoid(self.points["upper"] - self.points["lower"], self.points["FPR"]))

    def at(self, fpr: ArrayLike) -> pd.DataFrame:
        """Return the limits of TPR at the given FPR."""
        values = np.atleast_1d(np.asarray(fpr, dtype=float))
        return _band_frame(self.roc, values, self.up, self.across)


def bands(
    curve: Roc,
    method: BandMethod = "fixed-width",
    *,
    alpha: float = 0.05,
    slope: float | None = None,
    resamples: int = 2000,
    seed: int = 0,
) -> Band:
    """Compute a simultaneous confidence band for the whole of one ROC curve.

    Parameters
    ----------
    curve : Roc
        From `deabench.curves.roc`; only its counts are used.
    method : "fixed-width", "simultaneous"
    alpha : float, 0 < alpha < 1
    slope : float > 0, optional
        m, fixed-width only; √(N/P) by default.
    resamples : int >= 1
        Stratified bootstrap curves, fixed-width only. O(resamples · points) time.
    seed : int
        Of the bootstrap.

    Raises
    ------
    DataError
        If the method is unknown, alpha outside (0, 1), the slope not positive or resamples below 1.

    Warns
    -----
    DataWarning
        If the bootstrap has no spread.

    Notes
    -----
    Coverage of the true curve, by simulation (tests/simulations): fixed-width is near-nominal and
    loses a few points with a dozen positives; simultaneous joint regions are always above nominal.
    A band of a perfect curve (AUC 1) has width 0 by the bootstrap, which cannot be right: use
    "simultaneous" there.

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> band = curves.bands(curves.roc(y, score), "simultaneous")
    >>> round(band.area, 3)  # of the unit square: six instances say little
    1.0
    """
    if not 0 < alpha < 1:
        raise DataError(
            f"alpha is {alpha:g}; give a number between 0 and 1, as 0.05 for a 95 % band"
        )
    if method == "simultaneous":
        # √(1 - α) for each class, so that both hold together with 1 - α.
        level = np.sqrt(1 - alpha)
        up = float(scipy.stats.kstwo.ppf(level, curve.n_positive))
        across = float(scipy.stats.kstwo.ppf(level, curve.n_negative))
    elif method == "fixed-width":
        # Along this slope the two rates have errors of about the same size.
        m = np.sqrt(curve.n_negative / curve.n_positive) if slope is None else slope
        if not (np.isfinite(m) and m > 0):
            raise DataError(
                f"slope is {m:g}; give m > 0, the curve is moved along lines of slope -m"
            )
        if resamples < 1:
            raise DataError(f"resamples is {resamples}; give at least 1")
        up = fixed_width_displacement(curve, m, alpha, np.random.default_rng(seed), resamples)
        if up == 0:
            warn_data(
                "every bootstrap curve is the curve itself, as for a perfect score, so the "
                "fixed-width band has no width; use method='simultaneous'"
            )
        # Along lines of slope -m.
        across = up / m
    else:
        raise DataError(f"method is {method!r}; it is 'fixed-width' or 'simultaneous'")
    points = _band_frame(curve, _band_grid(curve, across), up, across)
    return Band(curve, points, up, across, method, alpha)


def fixed_width_displacement(
    curve: Roc, m: float, alpha: float, rng: np.random.Generator, resamples: int
) -> float:
    """Return d: the smallest shift in TPR that contains 1 − alpha of the bootstrap curves."""
    fpr = curve.points["FPR"].to_numpy()
    tpr = curve.points["TPR"].to_numpy()
    # Where a line of slope -m through a point meets the vertical axis: u rises along the curve.
    u = m * fpr + tpr
    # The share of each class at each score.
    positive_shares = np.diff(tpr)
    negative_shares = np.diff(fpr)
    gaps = np.empty(resamples)
    for k in range(resamples):
        # Draw both classes anew, each with its own number of instances.
        new_tpr = _resample_rates(rng, curve.n_positive, positive_shares)
        new_u = m * _resample_rates(rng, curve.n_negative, negative_shares) + new_tpr
        # Both curves are piecewise linear in u: the largest gap is at a vertex of one of them.
        at_old = np.abs(np.interp(u, new_u, new_tpr) - tpr).max()
        at_new = np.abs(np.interp(new_u, u, tpr) - new_tpr).max()
        gaps[k] = max(at_old, at_new)
    # The smallest gap that at least 1 - α of the drawn curves do not exceed.
    return float(np.quantile(gaps, 1 - alpha, method="inverted_cdf"))


def _resample_rates(rng: np.random.Generator, n: int, shares: Floats) -> Floats:
    """Draw n instances with replacement from the score levels; return their cumulative shares."""
    return np.concatenate([[0.0], np.cumsum(rng.multinomial(n, shares / shares.sum()))]) / n


def _band_grid(curve: Roc, across: float) -> Floats:
    """Return every FPR where a limit can bend, on both sides of its jumps, and an even grid."""
    fpr = np.unique(curve.points["FPR"].to_numpy())
    # The limits are the curve moved sideways by `across`: they bend where the moved curve does.
    bends = np.concatenate([fpr - across, fpr + across])
    around = np.concatenate([bends - 3 * ROUNDING, bends, bends + 3 * ROUNDING])
    inside = around[(around >= 0) & (around <= 1)]
    return np.unique(np.concatenate([fpr, np.linspace(0, 1, 201), inside]))


def _band_frame(curve: Roc, fpr: Floats, up: float, across: float) -> pd.DataFrame:
    # The lower limit reads the curve further left, the upper limit further right.
    lower = interpolate_tpr(curve, fpr - across - ROUNDING, top=False) - up
    upper = interpolate_tpr(curve, fpr + across + ROUNDING, top=True) + up
    return pd.DataFrame({"FPR": fpr, "lower": np.clip(lower, 0, 1), "upper": np.clip(upper, 0, 1)})


def interpolate_tpr(curve: Roc, fpr: Floats, *, top: bool) -> Floats:
    """Interpolate the TPR of the curve at the given FPR; at a jump its top or its foot.

    The curve is flat outside [0, 1].
    """
    x = curve.points["FPR"].to_numpy()
    y = curve.points["TPR"].to_numpy()
    # The points i and j on both sides of each value; at a jump the last or the first one.
    if top:
        i = np.searchsorted(x, fpr, side="right") - 1
        j = np.minimum(i + 1, len(x) - 1)
    else:
        j = np.searchsorted(x, fpr, side="left")
        i = np.minimum(j - 1, len(x) - 1)
        j = np.minimum(j, len(x) - 1)
    i = np.maximum(i, 0)
    j = np.maximum(j, 0)
    run = x[j] - x[i]
    # Straight between the two points; at a jump they have one FPR, and the share is 0.
    share = np.divide(fpr - x[i], run, out=np.zeros_like(fpr), where=run > 0)
    share = np.clip(share, 0, 1)
    return np.asarray((1 - share) * y[i] + share * y[j])
