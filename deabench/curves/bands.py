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
doi:10.1145/1102351.1102419"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from deabench.curves.roc import Roc
from deabench.errors import DataError, DataWarning
from deabench.utils.result import Result

Method = Literal["fixed-width", "simultaneous"]
Floats = NDArray[np.float64]

HAIR = 1e-12
"""Added where the curve is read beside a jump, so that rounding can only widen the band."""


@dataclass(frozen=True, eq=False, repr=False)
class Band(Result):
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

    roc: Roc
    points: pd.DataFrame
    up: float
    across: float
    method: Method
    alpha: float

    @property
    def area(self) -> float:
        """Share of the ROC square inside the band, in [0, 1]."""
        return float(np.trapezoid(self.points["upper"] - self.points["lower"], self.points["FPR"]))

    def at(self, fpr: ArrayLike) -> pd.DataFrame:
        """The limits of TPR at the given FPR."""
        f = np.atleast_1d(np.asarray(fpr, dtype=float))
        lower, upper = _limits(self.roc, f, self.up, self.across)
        return pd.DataFrame({"FPR": f, "lower": lower, "upper": upper})

    def to_frame(self) -> pd.DataFrame:
        """The limits, as a frame of its own."""
        return self.points.copy()

    @property
    def notes(self) -> tuple[str, ...]:
        return self.roc.notes

    def summary(self) -> str:
        """How wide the band is."""
        return (
            f"the {self.method} band of level {1 - self.alpha:.4g} takes {self.area:.4g} of the ROC square: the curve of area "
            f"{self.roc.auc:.4g} moved by {self.up:.4g} in TPR and {self.across:.4g} in FPR"
        )


def bands(
    curve: Roc,
    method: Method = "fixed-width",
    *,
    alpha: float = 0.05,
    slope: float | None = None,
    resamples: int = 2000,
    seed: int = 0,
) -> Band:
    """A simultaneous confidence band for the whole of one ROC curve.

    Parameters
    ----------
    curve : Roc
        From `deabench.curves.roc`; its counts are all that is needed.
    method : "fixed-width", "simultaneous"
    alpha : float, 0 < alpha < 1
    slope : float > 0, optional
        m, fixed-width only; √(N/P) where it is not given.
    resamples : int >= 1
        Stratified bootstrap curves, fixed-width only. O(resamples · points) time.
    seed : int
        Of the bootstrap.

    Raises
    ------
    DataError
        Where the method is unknown, alpha outside (0, 1), the slope not positive or resamples below
        1.

    Warns
    -----
    DataWarning
        Where the bootstrap has no spread.

    Notes
    -----
    Coverage of the true curve, by simulation (tests/benchmarks/bands.py): fixed-width is
    near-nominal and loses a few points with a dozen positives; simultaneous joint regions are
    always above nominal. A band of a perfect curve (AUC 1) has width 0 by the bootstrap, which
    cannot be right: use "simultaneous" there.

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
        up, across = _kolmogorov(curve, alpha)
    elif method == "fixed-width":
        m = np.sqrt(curve.n_negative / curve.n_positive) if slope is None else slope
        if not (np.isfinite(m) and m > 0):
            raise DataError(
                f"slope is {m:g}; give m > 0, the curve is moved along lines of slope -m"
            )
        if resamples < 1:
            raise DataError(f"resamples is {resamples}; give at least 1")
        up = fixed_width(curve, m, alpha, np.random.default_rng(seed), resamples)
        if up == 0:
            warnings.warn(
                "every bootstrap curve is the curve itself, as for a perfect score, so the fixed-width band "
                "has no width; use method='simultaneous'",
                DataWarning,
                stacklevel=2,
            )
        across = up / m
    else:
        raise DataError(f"method is {method!r}; it is 'fixed-width' or 'simultaneous'")
    f = _grid(curve, across)
    lower, upper = _limits(curve, f, up, across)
    return Band(
        curve, pd.DataFrame({"FPR": f, "lower": lower, "upper": upper}), up, across, method, alpha
    )


def fixed_width(
    curve: Roc, m: float, alpha: float, rng: np.random.Generator, resamples: int
) -> float:
    """d: the smallest displacement in TPR that holds a share 1 − alpha of the bootstrap curves
    whole.
    """
    x, y = curve.points["FPR"].to_numpy(), curve.points["TPR"].to_numpy()
    levels_p, levels_n = np.diff(y), np.diff(x)  # the share of each class at each score
    u = m * x + y
    gaps = np.empty(resamples)
    for k in range(resamples):
        y_ = _resampled(rng, curve.n_positive, levels_p)
        u_ = m * _resampled(rng, curve.n_negative, levels_n) + y_
        # both are piecewise linear in u: the largest gap is at a vertex of one of them
        gaps[k] = max(
            np.abs(np.interp(u, u_, y_) - y).max(), np.abs(np.interp(u_, u, y) - y_).max()
        )
    return float(np.quantile(gaps, 1 - alpha, method="inverted_cdf"))


def _resampled(rng: np.random.Generator, n: int, shares: Floats) -> Floats:
    """Cumulative shares of a sample of n, drawn with replacement from the score levels."""
    return np.concatenate([[0.0], np.cumsum(rng.multinomial(n, shares / shares.sum()))]) / n


def _kolmogorov(curve: Roc, alpha: float) -> tuple[float, float]:
    from scipy.stats import kstwo

    level = np.sqrt(1 - alpha)
    return float(kstwo.ppf(level, curve.n_positive)), float(kstwo.ppf(level, curve.n_negative))


def _grid(curve: Roc, across: float) -> Floats:
    """Every FPR where a limit can bend, on both sides of its jumps, and an even grid."""
    x = np.unique(curve.points["FPR"].to_numpy())
    bends = np.concatenate([x - across, x + across])
    around = np.concatenate([bends - 3 * HAIR, bends, bends + 3 * HAIR])
    return np.unique(
        np.concatenate([x, np.linspace(0, 1, 201), around[(around >= 0) & (around <= 1)]])
    )


def _limits(curve: Roc, f: Floats, up: float, across: float) -> tuple[Floats, Floats]:
    lower = read(curve, f - across - HAIR, top=False) - up
    upper = read(curve, f + across + HAIR, top=True) + up
    return np.clip(lower, 0, 1), np.clip(upper, 0, 1)


def read(curve: Roc, f: Floats, *, top: bool) -> Floats:
    """TPR of the curve at FPR f, straight between points; at a jump its top or its foot; flat
    outside [0, 1].
    """
    x, y = curve.points["FPR"].to_numpy(), curve.points["TPR"].to_numpy()
    if top:
        i = np.searchsorted(x, f, side="right") - 1
        j = np.minimum(i + 1, len(x) - 1)
    else:
        j = np.searchsorted(x, f, side="left")
        i = np.minimum(j - 1, len(x) - 1)
        j = np.minimum(j, len(x) - 1)
    i, j = np.maximum(i, 0), np.maximum(j, 0)
    run = x[j] - x[i]
    share = np.clip(np.divide(f - x[i], run, out=np.zeros_like(f), where=run > 0), 0, 1)
    return np.asarray((1 - share) * y[i] + share * y[j])
