"""Tango's score interval and tests for the difference of two paired proportions, in closed form.

n pairs fall into four cells with probabilities q11, q12, q21, q22; b counts the cell q12 and c the
cell q21 (for a classifier: b = false negatives, c = false positives). The difference is δ = q12 −
q21, estimated by (b − c)/n. With q̃21 the likelihood's maximiser given δ, the score statistic is

    T(δ) = (b − c − nδ) / √( n (2 q̃21 + δ(1 − δ)) ),
    q̃21 the larger root of 2n q² + Wq − cδ(1 − δ) = 0,      W = (2n − b + c)δ − b − c,

decreasing in δ, and the interval is {δ : |T(δ)| ≤ z}. T(0) = (b − c)/√(b + c) is McNemar's
statistic, uncorrected.

The limits are roots of a cubic, all of them real. With g = z², D = b − c, s = b + c, v = s − D²/n,
x = D − (n + g)δ:

    x³ − g(g + v)x + g²D(n − s)/n = 0,
    lower = (D − x_max)/(n + g),      upper = (D − x_min)/(n + g)

(the quartic that is usually solved is this cubic times the spurious root δ = (b − c)/n, and loses
half the digits).

References
----------
Tango T (1998) Equivalence test and confidence interval for the difference in proportions for the
paired-sample design. Statistics in Medicine 17:891-908.
doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B
"""

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

    _text = "curves"

    kind: Kind
    hypothesis: str
    difference: float
    statistic: float
    p_value: float
    rejected: bool
    lower: float
    upper: float

    def to_frame(self) -> pd.DataFrame:
        """Return the outcome as one row, a column per attribute."""
        return pd.DataFrame([vars(self)]).set_index("kind")


def interval(
    b: ArrayLike, c: ArrayLike, n: ArrayLike, alpha: ArrayLike = 0.05
) -> tuple[Floats, Floats]:
    """Compute Tango's score interval of (b − c)/n at level 1 − alpha, by the closed cubic form.

    Parameters
    ----------
    b, c : array_like of whole numbers >= 0
        The two discordant counts; b + c <= n.
    n : array_like of whole numbers >= 1
        The number of pairs. b, c and n are broadcast against each other.
    alpha : array_like, 0 < alpha < 1
        One minus the level; not the level itself, because 1 − 0.999999 is not a float.
        Broadcast like the counts.

    Returns
    -------
    lower, upper : float arrays of the broadcast shape (a NumPy float for three plain numbers)
        −1 <= lower < upper <= 1, and (b − c)/n lies between them.

    Raises
    ------
    DataError
        If a count is negative, fractional or missing, b + c exceeds n, or alpha is outside (0, 1).

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
    b_, c_, n_ = _check_counts(b, c, n)
    g = _normal_quantile(alpha) ** 2
    try:
        b_, c_, n_, g = np.broadcast_arrays(b_, c_, n_, g)
    except ValueError:
        raise DataError(
            f"alpha has shape {np.shape(alpha)} and the counts {b_.shape}; give one alpha, or one "
            "for each"
        ) from None
    D = b_ - c_
    s = b_ + c_
    # v = s − D²/n, as a sum of terms that cannot cancel.
    v = (s * (n_ - s) + 4 * b_ * c_) / n_
    # All three roots are real: Viète's trigonometric solution of the cubic.
    M = np.sqrt(g * (g + v) / 3)
    turn = np.arccos(np.clip(-(g**2) * D * (n_ - s) / (2 * n_ * M**3), -1, 1)) / 3
    lower = (D - 2 * M * np.cos(turn)) / (n_ + g)
    upper = (D - 2 * M * np.cos(turn + 2 * np.pi / 3)) / (n_ + g)
    # With b = 0 or c = 0 two roots can meet; one is known, the other two solve a quadratic.
    r = np.sqrt(g * g / 4 + g * v)
    lower = np.where(c_ == 0, np.minimum(b_ - g, b_ + g / 2 - r) / (n_ + g), lower)
    upper = np.where(c_ == 0, (b_ + g / 2 + r) / (n_ + g), upper)
    upper = np.where(b_ == 0, np.maximum(g - c_, r - c_ - g / 2) / (n_ + g), upper)
    lower = np.where(b_ == 0, -(c_ + g / 2 + r) / (n_ + g), lower)
    # The ends of the scale are exact.
    lower = np.where(c_ == n_, -1.0, lower)
    upper = np.where(b_ == n_, 1.0, upper)
    return np.clip(lower, -1.0, 1.0), np.clip(upper, -1.0, 1.0)


def contains_zero(b: ArrayLike, c: ArrayLike, alpha: float = 0.05) -> NDArray[np.bool_]:
    """Return whether 0 lies in Tango's interval, (b − c)² <= z²(b + c), without computing it.

    It does not depend on n. This is McNemar's test not rejecting b = c; b = c = 0 counts as inside.

    Parameters
    ----------
    b, c : array_like of whole numbers >= 0
    alpha : float, 0 < alpha < 1

    Raises
    ------
    DataError
        As `interval` does.
    """
    b_, c_ = _check_whole({"b": (b, 0), "c": (c, 0)})
    return (b_ - c_) ** 2 <= _normal_quantile(alpha) ** 2 * (b_ + c_)


def statistic(b: ArrayLike, c: ArrayLike, n: ArrayLike, delta: ArrayLike = 0.0) -> Floats:
    """Compute Tango's score statistic T(δ), decreasing in δ.

    It is standard normal for large n if δ is the true difference.

    Parameters
    ----------
    b, c, n : as for `interval`
    delta : array_like, −1 <= delta <= 1
        At delta = (b − c)/n it is 0; at ±1, where the likelihood of anything else is 0, it is −inf
        and +inf.

    Raises
    ------
    DataError
        As `interval` does, and if delta is outside [−1, 1].
    """
    b_, c_, n_ = _check_counts(b, c, n)
    delta_ = np.asarray(delta, dtype=float)
    outside = ~(np.abs(delta_) <= 1)
    if outside.any():
        raise DataError(
            f"delta is {delta_[outside].flat[0]:g}; give a difference of proportions in [-1, 1]"
        )
    # T(b, c, δ) = −T(c, b, −δ): with δ >= 0 no term below cancels.
    is_mirrored = delta_ < 0
    d = np.abs(delta_)
    b_, c_ = np.where(is_mirrored, c_, b_), np.where(is_mirrored, b_, c_)
    W = (2 * n_ - b_ + c_) * d - b_ - c_
    root = np.sqrt(W * W + 8 * n_ * c_ * d * (1 - d))
    with np.errstate(divide="ignore", invalid="ignore"):
        # The larger root of the quadratic, in the form that does not subtract.
        q21 = np.where(W > 0, 2 * c_ * d * (1 - d) / (root + W), (root - W) / (4 * n_))
        gap = b_ - c_ - n_ * d
        T = np.where(gap == 0, 0.0, gap / np.sqrt(n_ * (2 * q21 + d * (1 - d))))
    return np.where(is_mirrored, -T, T)[()]


def test(
    b: int,
    c: int,
    n: int,
    delta: float = 0.0,
    *,
    kind: Kind = "two-sided",
    alpha: float = 0.05,
) -> TangoTest:
    """Compute Tango's test of one pair of discordant counts.

    Parameters
    ----------
    b, c, n : whole numbers
        As for `interval`, one of each.
    delta : float
        Two-sided: the difference to test, in [−1, 1] (0 is McNemar's test). The other kinds: the
        margin Δ, in (0, 1); 0 is allowed for non-inferiority, and tests superiority.
    kind : "two-sided", "equivalence", "noninferiority"
        Two-sided, H0: δ = delta. Non-inferiority, H0: δ <= −delta (Tango's one-sided test; note the
        sign: his Z for the margin 0.1 is T(−0.1)). Equivalence, H0: |δ| >= delta, by two one-sided
        tests.
    alpha : float, 0 < alpha < 1

    Raises
    ------
    DataError
        As `interval` and `statistic` do, and if the margin or the kind is unknown.

    Examples
    --------
    >>> result = test(0, 1, 44, 0.1, kind="noninferiority")
    >>> print(f"{result.statistic:.3f}")  # Tango 1998 prints 1.709
    1.709
    """
    # Imported here: Pyomo loads scipy.stats too if it finds scipy loaded, which takes a second.
    from scipy.special import ndtr

    is_two_sided = kind == "two-sided"
    if not is_two_sided and not 0 < alpha < 0.5:
        raise DataError(f"alpha is {alpha:g}; give one between 0 and 0.5 to a one-sided test")
    lower, upper = interval(b, c, n, alpha if is_two_sided else 2 * alpha)
    if np.ndim(lower):
        raise DataError(
            "test takes one table of counts; give three plain numbers, or use statistic for arrays"
        )
    if is_two_sided:
        T = float(statistic(b, c, n, delta))
        p_value = float(2 * ndtr(-abs(T)))
        hypothesis = f"δ = {delta:g}"
    elif kind not in ("equivalence", "noninferiority"):
        raise DataError(f"kind is {kind!r}; it is 'two-sided', 'equivalence' or 'noninferiority'")
    elif not (0 <= delta < 1) or (delta == 0 and kind == "equivalence"):
        raise DataError(f"the margin delta is {delta:g}; give a number between 0 and 1")
    elif kind == "noninferiority":
        T = float(statistic(b, c, n, -delta))
        p_value = float(ndtr(-T))
        hypothesis = f"δ ≤ {0 - delta:g}"
    else:
        # Two one-sided tests; the one nearer to 0 decides.
        above = float(statistic(b, c, n, -delta))
        below = float(statistic(b, c, n, delta))
        T = above if above <= -below else below
        p_value = float(ndtr(-min(above, -below)))
        hypothesis = f"|δ| ≥ {delta:g}"
    return TangoTest(
        kind=kind,
        hypothesis=hypothesis,
        difference=(b - c) / n,
        statistic=T,
        p_value=p_value,
        rejected=p_value <= alpha,
        lower=float(lower),
        upper=float(upper),
    )


def _normal_quantile(alpha: ArrayLike) -> Floats:
    """Return z of the two-sided level alpha."""
    from scipy.special import ndtri

    try:
        levels = np.asarray(alpha, dtype=float)
    except (TypeError, ValueError):
        raise DataError(
            f"alpha is {alpha!r}; give a number between 0 and 1, as 0.05 for a 95 % interval"
        ) from None
    invalid = ~((levels > 0) & (levels < 1))
    if invalid.any():
        raise DataError(
            f"{_describe_value('alpha', levels, invalid, 'g')}; give a number between 0 and 1, as "
            "0.05 for a 95 % interval"
        )
    return np.asarray(-ndtri(levels / 2))


def _check_counts(b: ArrayLike, c: ArrayLike, n: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Return the three counts as float arrays of one shape; refuse other values by position."""
    b_, c_, n_ = _check_whole({"b": (b, 0), "c": (c, 0), "n": (n, 1)})
    exceeds = b_ + c_ > n_
    if exceeds.any():
        raise DataError(
            f"{_describe_value('b + c', b_ + c_, exceeds)}, more than n = "
            f"{n_[exceeds].flat[0]:.17g}; the discordant pairs are among the n"
        )
    return b_, c_, n_


def _check_whole(counts: dict[str, tuple[ArrayLike, int]]) -> list[Floats]:
    """Return the named counts, each with its minimum, broadcast against each other."""
    try:
        arrays = np.broadcast_arrays(
            *(np.asarray(values, dtype=float) for values, _ in counts.values())
        )
    except (TypeError, ValueError):
        raise DataError(
            f"{', '.join(counts)} are not numbers of one shape; give counts, all of one length"
        ) from None
    for (name, (_, minimum)), values in zip(counts.items(), arrays, strict=True):
        is_count = (values >= minimum) & (values == np.floor(values)) & np.isfinite(values)
        if not is_count.all():
            raise DataError(
                f"{_describe_value(name, values, ~is_count)}; a count is a whole number >= "
                f"{minimum}"
            )
    return list(arrays)


def _describe_value(
    name: str, values: Floats, invalid: NDArray[np.bool_], digits: str = ".17g"
) -> str:
    """Name the first invalid value and, in an array, its position."""
    position = ""
    if values.ndim:
        position = f" at position {', '.join(map(str, np.argwhere(invalid)[0]))}"
    return f"{name} is {values[invalid].flat[0]:{digits}}{position}"
