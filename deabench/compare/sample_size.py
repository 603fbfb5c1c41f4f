"""How many instances a test set needs: McNemar's test, Tango's test, AUCs."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Literal, get_args

import numpy as np
import pandas as pd
import scipy
from numpy.typing import NDArray
from scipy import special

from deabench import tango
from deabench.compare.score_tables import Floats, check_number
from deabench.compare.two_classifiers import McNemarMethod
from deabench.errors import DataError
from deabench.utils.checks import choice, share
from deabench.utils.result import Result

TangoKind = Literal["noninferiority", "equivalence"]
MAX_EXACT = 4000
"""Up to this many instances the power is computed exactly; above, by the normal approximation."""
STABLE_SIZES = 10
"""The power of a discrete test goes up and down with n; the size returned keeps it for this many
more.
"""


@dataclass(frozen=True, eq=False, repr=False)
class SampleSize(Result):
    """The size of a test set.

    Attributes
    ----------
    n : int
        Instances in all.
    power : float
        That the test has with n instances if the assumptions are true.
    test : str
    positives, negatives : int or None
        If the test is of an AUC.
    notes : tuple of str

    Examples
    --------
    >>> from deabench import compare
    >>> size = compare.sample_size_auc(.85, against=.80, correlation=.5)
    >>> size.n, size.positives, round(size.power, 3)
    (550, 275, 0.801)
    """

    _text = "compare"

    n: int
    power: float
    test: str
    positives: int | None = None
    negatives: int | None = None
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """Return one row: n, positives and negatives if the test is of an AUC, power."""
        row: dict[str, float] = {"n": self.n}
        if self.positives is not None and self.negatives is not None:
            row |= {"positives": self.positives, "negatives": self.negatives}
        row["power"] = self.power
        return pd.DataFrame([row], index=pd.Index([self.test], name="test"))


def sample_size_mcnemar(
    b: float, c: float, *, power: float = 0.8, alpha: float = 0.05, method: McNemarMethod = "mid-p"
) -> SampleSize:
    """Compute the test set on which McNemar's test finds a difference in accuracy of b - c.

    Parameters
    ----------
    b, c : float
        Expected shares of the instances that only the first, only the second classifier gets right;
        b + c <= 1.
    power : float
        Probability of finding the difference, in (0, 1).
    alpha : float
    method : str
        As for `mcnemar`.

    Returns
    -------
    SampleSize

    Raises
    ------
    DataError
        Shares outside [0, 1], b = c, or an unknown method.

    Notes
    -----
    Power by summing over all outcomes, so that method matters; above 4,000 instances by Connor's
    formula (1987), Biometrics 43, 207-211: n = ((z_{1-α/2} √ψ + z_power √(ψ - δ²))/δ)², ψ = b + c,
    δ = b - c.

    Examples
    --------
    >>> from deabench import compare
    >>> compare.sample_size_mcnemar(.06, .03).n
    769
    """
    choice("method", method, get_args(McNemarMethod))
    psi, delta = _check_shares(b, c, power, alpha)
    if delta == 0:
        raise DataError(
            f"b and c are both {b:g}: no number of instances shows a difference that is not there; "
            "give two shares that differ"
        )
    # Connor's formula; the exact search starts from it.
    z_alpha = special.ndtri(1 - alpha / 2)
    z_power = special.ndtri(power)
    z = (z_alpha * psi**0.5 + z_power * (psi - delta**2) ** 0.5) / abs(delta)
    name = f"McNemar's test ({method}), two-sided at {alpha:g}"
    return _search_size(ceil(z * z), lambda n: mcnemar_power(n, b, c, alpha, method), power, name)


def sample_size_tango(
    b: float,
    c: float,
    *,
    margin: float,
    kind: TangoKind = "noninferiority",
    power: float = 0.8,
    alpha: float = 0.05,
) -> SampleSize:
    """Compute the test set on which Tango's test shows noninferiority or equivalence.

    Noninferiority: the first is at most `margin` less accurate.

    Parameters
    ----------
    b, c : float
        As for `sample_size_mcnemar`; b = c if the two are as accurate.
    margin : float
        In (0, 1): a difference of accuracy of less does not matter.
    kind : "noninferiority" or "equivalence"
    power, alpha : float
        alpha is one-sided, as in `deabench.tango.test`.

    Raises
    ------
    DataError
        As `sample_size_mcnemar`; a difference b - c that is not within the margin.

    Examples
    --------
    >>> from deabench import compare
    >>> compare.sample_size_tango(.05, .05, margin=.05).n
    269
    """
    choice("kind", kind, get_args(TangoKind))
    share("margin", margin)
    share("alpha", alpha, below=0.5)
    psi, delta = _check_shares(b, c, power, alpha)
    distance = margin + delta if kind == "noninferiority" else margin - abs(delta)
    if distance <= 0:
        raise DataError(
            f"the expected difference {delta:g} is not within the margin {margin:g}; no test set "
            "can show that it is, give a larger margin"
        )
    # Equivalence of equals can fail on both sides, each with half of 1 - power.
    is_two_sided = kind == "equivalence" and delta == 0
    z_power = special.ndtri((1 + power) / 2 if is_two_sided else power)
    z_alpha = special.ndtri(1 - alpha)
    n = ceil((z_alpha + z_power) ** 2 * (psi - delta**2) / distance**2)
    name = f"Tango's test of {kind} within {margin:g}, at {alpha:g}"
    return _search_size(
        max(n, 2), lambda n: tango_power(n, (b, c), margin, kind, alpha), power, name
    )


def sample_size_auc(
    auc: float,
    *,
    against: float = 0.5,
    correlation: float | None = None,
    negatives_per_positive: float = 1.0,
    power: float = 0.8,
    alpha: float = 0.05,
) -> SampleSize:
    """Compute the test set that tells an AUC from a fixed value or from a second classifier's AUC.

    Parameters
    ----------
    auc, against : float
        Expected AUC, in (0, 1), and the value to compare it with.
    correlation : float, optional
        Between the two AUCs, in [0, 1): `against` is then a second classifier's on the same
        instances (0.3 to 0.7 is usual; 0 is on the safe side). Without it `against` is a fixed
        value, 0.5 for "better than guessing".
    negatives_per_positive : float
        Above 0.
    power, alpha : float
        alpha is two-sided.

    Raises
    ------
    DataError
        AUCs outside (0, 1) or equal, a correlation outside [0, 1), a ratio that is not positive.

    Notes
    -----
    Hanley, McNeil (1982), Radiology 143, 29-36, with Q1 = A/(2 - A), Q2 = 2A²/(1 + A); (1983),
    Radiology 148, 839-843.

    Examples
    --------
    >>> from deabench import compare
    >>> compare.sample_size_auc(.85, against=.80, correlation=.5).n
    550
    """
    share("the AUC", auc)
    share("the AUC to compare with", against)
    share("power", power)
    share("alpha", alpha)
    if auc == against:
        raise DataError(
            f"both AUCs are {auc:g}: no number of instances shows a difference that is not there; "
            "give two AUCs that differ"
        )
    if correlation is not None and not 0 <= check_number(correlation, "the correlation") < 1:
        raise DataError(f"the correlation is {correlation:g}; give a number from 0 to below 1")
    if not check_number(negatives_per_positive, "negatives_per_positive") > 0:
        raise DataError(
            f"negatives_per_positive is {negatives_per_positive:g}; give a number above 0"
        )
    z = special.ndtri(1 - alpha / 2)

    def auc_power(positives: int) -> float:
        negatives = ceil(positives * negatives_per_positive)
        variance = _auc_variance(auc, positives, negatives)
        null_variance = _auc_variance(against, positives, negatives)
        if correlation is not None:
            # Both AUCs are estimates: the variance of their difference, under either hypothesis.
            covariance = correlation * (variance * null_variance) ** 0.5
            variance = null_variance = variance + null_variance - 2 * covariance
        return float(special.ndtr((abs(auc - against) - z * null_variance**0.5) / variance**0.5))

    # Double the size until the power is reached, then bisect: the power grows with the size.
    limit = 2
    while auc_power(limit) < power:
        limit *= 2
    positives = bisect_left(range(limit), power, lo=max(limit // 2, 1) + 1, key=auc_power)
    negatives = ceil(positives * negatives_per_positive)
    note = (
        "the variance of an AUC is Hanley and McNeil's, a guess for scores of unknown distribution"
    )
    name = f"z test of an AUC of {auc:g} against {against:g}, two-sided at {alpha:g}"
    return SampleSize(
        positives + negatives, auc_power(positives), name, positives, negatives, (note,)
    )


def _auc_variance(auc: float, positives: int, negatives: int) -> float:
    q1 = auc / (2 - auc)
    q2 = 2 * auc * auc / (1 + auc)
    square = auc * auc
    total = auc * (1 - auc) + (positives - 1) * (q1 - square) + (negatives - 1) * (q2 - square)
    return total / (positives * negatives)


def _check_shares(b: float, c: float, power: float, alpha: float) -> tuple[float, float]:
    """Return b + c and b - c, checked."""
    share("power", power)
    share("alpha", alpha)
    for name, value in (("b", b), ("c", c)):
        if not 0 <= check_number(value, name) <= 1:
            raise DataError(
                f"{name} is {value:g}; give the share of instances that only this system gets "
                "right, 0 to 1"
            )
    if not 0 < b + c <= 1:
        raise DataError(
            f"b + c is {b + c:g}; the two shares are of all instances, so give a sum above 0 and "
            "at most 1"
        )
    return b + c, b - c


def _search_size(
    start: int, power_of: Callable[[int], float], power: float, name: str
) -> SampleSize:
    """Return the smallest n from about `start` that has the power and keeps it."""
    if start > MAX_EXACT:
        note = f"above {MAX_EXACT} instances by the normal approximation"
        return SampleSize(start, power, name, notes=(note,))
    # Start below the approximation, which may be far too high.
    n = max(2, int(0.6 * start))
    while power_of(n) >= power and n > 2:
        n = max(2, n // 2)
    # The first size after which the power is never too small for so many sizes.
    first = n
    while n - first <= STABLE_SIZES:
        if power_of(n) < power:
            first = n + 1
        n += 1
    return SampleSize(first, power_of(first), name)


def mcnemar_power(n: int, b: float, c: float, alpha: float, method: McNemarMethod) -> float:
    """Return P(McNemar's test rejects), over the discordant instances and which way they go."""
    # The number of discordant instances that has any probability worth counting.
    psi = b + c
    fewest = int(scipy.stats.binom.ppf(1e-12, n, psi))
    largest = int(scipy.stats.binom.ppf(1 - 1e-12, n, psi))
    total = np.arange(max(fewest, 1), largest + 1)[:, None]
    smaller = np.arange(largest // 2 + 1)[None, :]
    # The largest smaller count that is rejected, -1 for none; then the chance of one as small.
    p_values = _mcnemar_p_values(smaller, total, method)
    is_rejected = (p_values < alpha) & (2 * smaller < total)
    critical = np.where(is_rejected, smaller, -1).max(axis=1)
    # Given the total, each discordant instance is the first's with probability b/ψ.
    total = total[:, 0]
    rejections = scipy.stats.binom.cdf(critical, total, b / psi) + scipy.stats.binom.cdf(
        critical, total, c / psi
    )
    return float((scipy.stats.binom.pmf(total, n, psi) * rejections).sum())


def _mcnemar_p_values(
    smaller: NDArray[np.int64], total: NDArray[np.int64], method: McNemarMethod
) -> Floats:
    """Return `mcnemar`'s p values for smaller < total - smaller."""
    if method == "exact":
        return np.asarray(np.minimum(2 * scipy.stats.binom.cdf(smaller, total, 0.5), 1.0))
    if method == "mid-p":
        tail = 2 * scipy.stats.binom.cdf(smaller, total, 0.5)
        return np.asarray(tail - scipy.stats.binom.pmf(smaller, total, 0.5))
    gap = np.maximum(total - 2 * smaller - (method == "corrected"), 0)
    return np.asarray(special.chdtrc(1, gap**2 / total))


def tango_power(
    n: int, shares: tuple[float, float], margin: float, kind: TangoKind, alpha: float
) -> float:
    """Return P(Tango's test shows it), summed over all counts (b, c) that can occur."""
    b, c = shares
    z = special.ndtri(1 - alpha)
    # All pairs of counts that have any probability worth counting.
    counts = [
        np.arange(
            int(scipy.stats.binom.ppf(1e-9, n, p)), int(scipy.stats.binom.ppf(1 - 1e-9, n, p)) + 1
        )
        for p in shares
    ]
    x, y = (grid.ravel() for grid in np.meshgrid(*counts, indexing="ij"))
    is_possible = x + y <= n
    x = x[is_possible]
    y = y[is_possible]
    # Noninferiority is one one-sided test, equivalence two.
    is_shown = tango.statistic(x, y, n, -margin) >= z
    if kind == "equivalence":
        is_shown &= tango.statistic(x, y, n, margin) <= -z
    # The multinomial probability of (x, y), in logarithms.
    concordant = max(1 - b - c, 0.0)
    logs = (
        special.gammaln(n + 1)
        - special.gammaln(x + 1)
        - special.gammaln(y + 1)
        - special.gammaln(n - x - y + 1)
        + special.xlogy(x, b)
        + special.xlogy(y, c)
        + special.xlogy(n - x - y, concordant)
    )
    return float(np.exp(logs)[is_shown].sum())
