"""Tango's score interval and tests for the difference of two paired proportions, in closed form.

n pairs fall into four cells with probabilities q11, q12, q21, q22; b counts the cell q12 and c the
cell q21 (for a classifier: b = false negatives, c = false positives). The difference is δ = q12 −
q21, estimated by (b − c)/n. With q̃21 the likelihood's maximiser given δ, the score statistic is

    T(δ) = (b − c − nδ) / √( n (2 q̃21 + δ(1 − δ)) ),      q̃21 the larger root of 2n q² + Wq − cδ(1 − δ) = 0,
                                                            W = (2n − b + c)δ − b − c,

decreasing in δ, and the interval is {δ : |T(δ)| ≤ z}. T(0) = (b − c)/√(b + c) is McNemar's
statistic, uncorrected.

The limits are roots of a cubic, all of them real. With g = z², D = b − c, s = b + c, v = s − D²/n,
x = D − (n + g)δ:

    x³ − g(g + v)x + g²D(n − s)/n = 0,      lower = (D − x_max)/(n + g),      upper = (D − x_min)/(n + g)

(the quartic that is usually solved is this cubic times the spurious root δ = (b − c)/n, and loses
half the digits).

References
----------
Tango T (1998) Equivalence test and confidence interval for the difference in proportions for the
paired-sample design. Statistics in Medicine 17:891-908.
doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from deabench.errors import DataError
from deabench.utils.result import Result

Floats = NDArray[np.float64]
Kind = Literal["two-sided", "equivalence", "noninferiority"]


@dataclass(frozen=True, eq=False, repr=False)
class TangoTest(Result):
    """The outcome of one of Tango's tests.

    Attributes
    ----------
    kind : str
        "two-sided", "equivalence" or "noninferiority".
    hypothesis : str
        The null hypothesis, as a formula in δ = q12 − q21.
    difference : float
        (b − c)/n, in [−1, 1].
    statistic : float
        T at the boundary of the hypothesis; for equivalence the one of the two that decides.
    p_value : float
        In [0, 1].
    rejected : bool
        p_value ≤ alpha.
    lower, upper : float
        The interval that goes with the test: level 1 − alpha two-sided, 1 − 2 alpha for the
        one-sided kinds.
    """

    kind: Kind
    hypothesis: str
    difference: float
    statistic: float
    p_value: float
    rejected: bool
    lower: float
    upper: float

    def to_frame(self) -> pd.DataFrame:
        """The outcome as one row, a column per attribute."""
        return pd.DataFrame([vars(self)]).set_index("kind")

    def summary(self) -> str:
        """Whether the hypothesis is rejected, and by what."""
        return (
            f"{self.hypothesis} is {'rejected' if self.rejected else 'not rejected'} (p = {self.p_value:.4g}, "
            f"T = {self.statistic:.4g}): the difference is {self.difference:.4g}, between {self.lower:.4g} and "
            f"{self.upper:.4g}"
        )


def interval(
    b: ArrayLike, c: ArrayLike, n: ArrayLike, alpha: ArrayLike = 0.05
) -> tuple[Floats, Floats]:
    """Tango's score interval of (b − c)/n at level 1 − alpha, by the closed cubic form.

    Parameters
    ----------
    b, c : array_like of whole numbers >= 0
        The two discordant counts; b + c <= n.
    n : array_like of whole numbers >= 1
        The number of pairs. b, c and n are broadcast against each other.
    alpha : array_like, 0 < alpha < 1
        One minus the level; given so, and not as a level, because 1 − 0.999999 is not a float.
        Broadcast like the counts.

    Returns
    -------
    lower, upper : float arrays of the broadcast shape (a NumPy float for three plain numbers)
        −1 <= lower < upper <= 1, and (b − c)/n lies between them.

    Raises
    ------
    DataError
        Where a count is negative, fractional or missing, b + c exceeds n, or alpha is outside (0,
        1).

    Notes
    -----
    The coverage is near-nominal, not guaranteed: at 95 % it is, exactly and over a grid of (q12,
    q21), .956 on average for n = 20 and .950 for n = 100, and falls to .94 in places. b = n gives
    upper = 1 and c = n gives lower = −1; b = c = 0 gives ± z²/(n + z²): the interval never
    collapses. Where b = 0 or c = 0 two roots of the cubic can meet and its trigonometric solution
    loses digits; there one root is x = −z² or z², the other two solve a quadratic (Wilson's limits
    among them), and the cubic is solved as that.

    Examples
    --------
    >>> lower, upper = interval(9, 3, 32)
    >>> print(f"{lower:.4f} {upper:.4f}")
    -0.0271 0.3897
    """
    b_, c_, n_ = _counts(b, c, n)
    g = _z(alpha) ** 2
    try:
        b_, c_, n_, g = np.broadcast_arrays(b_, c_, n_, g)
    except ValueError:
        raise DataError(
            f"alpha has shape {np.shape(alpha)} and the counts {b_.shape}; give one alpha, or one for each"
        ) from None
    D, s, A = b_ - c_, b_ + c_, n_ + g
    v = (s * (n_ - s) + 4 * b_ * c_) / n_  # = s − D²/n, as a sum of terms that cannot cancel
    M = np.sqrt(g * (g + v) / 3)
    turn = np.arccos(np.clip(-(g**2) * D * (n_ - s) / (2 * n_ * M**3), -1, 1)) / 3
    lower, upper = (D - 2 * M * np.cos(turn)) / A, (D - 2 * M * np.cos(turn + 2 * np.pi / 3)) / A
    r = np.sqrt(g * g / 4 + g * v)
    lower = np.where(c_ == 0, np.minimum(b_ - g, b_ + g / 2 - r) / A, lower)
    upper = np.where(c_ == 0, (b_ + g / 2 + r) / A, upper)
    upper = np.where(b_ == 0, np.maximum(g - c_, r - c_ - g / 2) / A, upper)
    lower = np.where(b_ == 0, -(c_ + g / 2 + r) / A, lower)
    lower, upper = np.where(c_ == n_, -1.0, lower), np.where(b_ == n_, 1.0, upper)
    return np.clip(lower, -1.0, 1.0), np.clip(upper, -1.0, 1.0)


def contains_zero(b: ArrayLike, c: ArrayLike, alpha: float = 0.05) -> NDArray[np.bool_]:
    """Whether 0 lies in Tango's interval, without computing it: (b − c)² <= z²(b + c), whatever n
    is.

    This is McNemar's test not rejecting b = c; b = c = 0 counts as inside.

    Parameters
    ----------
    b, c : array_like of whole numbers >= 0
    alpha : float, 0 < alpha < 1

    Raises
    ------
    DataError
        As `interval` does.
    """
    b_, c_ = _whole({"b": (b, 0), "c": (c, 0)})
    return (b_ - c_) ** 2 <= _z(alpha) ** 2 * (b_ + c_)


def statistic(b: ArrayLike, c: ArrayLike, n: ArrayLike, delta: ArrayLike = 0.0) -> Floats:
    """Tango's score statistic T(δ), decreasing in δ, standard normal for large n where δ is true.

    Parameters
    ----------
    b, c, n : as for `interval`
    delta : array_like, −1 <= delta <= 1
        At delta = (b − c)/n it is 0; at ±1, where the likelihood of anything else is 0, it is −inf
        and +inf.

    Raises
    ------
    DataError
        As `interval` does, and where delta is outside [−1, 1].
    """
    b_, c_, n_ = _counts(b, c, n)
    delta_ = np.asarray(delta, dtype=float)
    if not np.all(np.abs(delta_) <= 1):
        value = delta_[~(np.abs(delta_) <= 1)].flat[0]
        raise DataError(f"delta is {value:g}; a difference of proportions lies in [-1, 1]")
    mirrored = delta_ < 0  # T(b, c, δ) = −T(c, b, −δ): with δ >= 0 no term below cancels
    b_, c_, d = np.where(mirrored, c_, b_), np.where(mirrored, b_, c_), np.abs(delta_)
    W = (2 * n_ - b_ + c_) * d - b_ - c_
    root = np.sqrt(W * W + 8 * n_ * c_ * d * (1 - d))
    with np.errstate(divide="ignore", invalid="ignore"):
        q21 = np.where(W > 0, 2 * c_ * d * (1 - d) / (root + W), (root - W) / (4 * n_))
        gap = b_ - c_ - n_ * d
        T = np.where(gap == 0, 0.0, gap / np.sqrt(n_ * (2 * q21 + d * (1 - d))))
    return np.where(mirrored, -T, T)[()]


def test(
    b: int,
    c: int,
    n: int,
    delta: float = 0.0,
    *,
    kind: Kind = "two-sided",
    alpha: float = 0.05,
) -> TangoTest:
    """Tango's test of one pair of discordant counts.

    Parameters
    ----------
    b, c, n : whole numbers
        As for `interval`, one of each.
    delta : float
        Two-sided: the difference to test, in [−1, 1] (0 is McNemar's test). The other kinds: the
        margin Δ, in (0, 1); 0 is allowed for non-inferiority, where it asks for superiority.
    kind : "two-sided", "equivalence", "noninferiority"
        Two-sided, H0: δ = delta. Non-inferiority, H0: δ <= −delta (Tango's one-sided test; note the
        sign: his Z for the margin 0.1 is T(−0.1)). Equivalence, H0: |δ| >= delta, by two one-sided
        tests.
    alpha : float, 0 < alpha < 1

    Raises
    ------
    DataError
        As `interval` and `statistic` do, and where the margin or the kind is unknown.

    Examples
    --------
    >>> print(f"{test(0, 1, 44, 0.1, kind='noninferiority').statistic:.3f}")   # Tango 1998 prints 1.709
    1.709
    """
    if kind != "two-sided" and not 0 < alpha < 0.5:
        raise DataError(f"alpha is {alpha:g}; a one-sided test needs one between 0 and 0.5")
    low, high = interval(b, c, n, alpha if kind == "two-sided" else 2 * alpha)
    if np.ndim(low):
        raise DataError(
            "test takes one table of counts; give three plain numbers, or use statistic for arrays"
        )
    T, p, hypothesis = _decide(b, c, n, delta, kind)
    return TangoTest(kind, hypothesis, (b - c) / n, T, p, p <= alpha, float(low), float(high))


def _decide(b: int, c: int, n: int, delta: float, kind: Kind) -> tuple[float, float, str]:
    """The statistic that decides, its p-value and the hypothesis in words."""
    from scipy.special import (
        ndtr,
    )  # here: Pyomo, where it finds scipy, loads scipy.stats too, which takes a second

    if kind == "two-sided":
        T = float(statistic(b, c, n, delta))
        return T, float(2 * ndtr(-abs(T))), f"δ = {delta:g}"
    if kind not in ("equivalence", "noninferiority"):
        raise DataError(f"kind is {kind!r}; it is 'two-sided', 'equivalence' or 'noninferiority'")
    if not (0 <= delta < 1) or (delta == 0 and kind == "equivalence"):
        raise DataError(f"the margin delta is {delta:g}; give a number between 0 and 1")
    above = float(statistic(b, c, n, -delta))
    if kind == "noninferiority":
        return above, float(ndtr(-above)), f"δ ≤ {0 - delta:g}"
    below = float(statistic(b, c, n, delta))
    T = above if above <= -below else below
    return T, float(ndtr(-min(above, -below))), f"|δ| ≥ {delta:g}"


def _z(alpha: ArrayLike) -> Floats:
    from scipy.special import ndtri

    try:
        levels = np.asarray(alpha, dtype=float)
    except (TypeError, ValueError):
        raise DataError(
            f"alpha is {alpha!r}; give a number between 0 and 1, as 0.05 for a 95 % interval"
        ) from None
    bad = ~((levels > 0) & (levels < 1))
    if bad.any():
        raise DataError(
            f"{_place('alpha', levels, bad, 'g')}; give a number between 0 and 1, as 0.05 for a 95 % interval"
        )
    return np.asarray(-ndtri(levels / 2))


def _counts(b: ArrayLike, c: ArrayLike, n: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """The three counts as float arrays of one shape; whatever is not a count is refused by name and
    place.
    """
    b_, c_, n_ = _whole({"b": (b, 0), "c": (c, 0), "n": (n, 1)})
    over = b_ + c_ > n_
    if over.any():
        raise DataError(
            f"{_place('b + c', b_ + c_, over)}, more than n = {n_[over].flat[0]:.17g}; "
            "the discordant pairs are among the n"
        )
    return b_, c_, n_


def _whole(counts: dict[str, tuple[ArrayLike, int]]) -> list[Floats]:
    """The named counts, each with its least value, broadcast against each other."""
    names = ", ".join(counts)
    try:
        arrays = np.broadcast_arrays(
            *(np.asarray(value, dtype=float) for value, _ in counts.values())
        )
    except (TypeError, ValueError):
        raise DataError(
            f"{names} are not numbers of shapes that go together; give counts, all of one length"
        ) from None
    for (name, (_, least)), values in zip(counts.items(), arrays, strict=True):
        bad = ~((values >= least) & (values == np.floor(values)) & np.isfinite(values))
        if bad.any():
            raise DataError(f"{_place(name, values, bad)}; a count is a whole number >= {least}")
    return list(arrays)


def _place(name: str, values: Floats, bad: NDArray[np.bool_], digits: str = ".17g") -> str:
    where = f" at position {', '.join(map(str, np.argwhere(bad)[0]))}" if values.ndim else ""
    return f"{name} is {values[bad].flat[0]:{digits}}{where}"
