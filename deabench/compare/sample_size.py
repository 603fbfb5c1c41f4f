"""How many instances does a test set need?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from deabench import tango
from deabench.compare._validation import number
from deabench.compare.two import McNemarMethod
from deabench.errors import DataError
from deabench.utils.checks import choice, share
from deabench.utils.result import Result

Floats = NDArray[np.float64]
TangoKind = Literal["noninferiority", "equivalence"]
EXACT = 4000
"""Up to so many instances the power is computed exactly; above, by the normal approximation."""
RUN = 10
"""The power of a discrete test goes up and down with n; the size found keeps it for this many more.
"""


@dataclass(frozen=True, eq=False, repr=False)
class SampleSize(Result):
    """The size of a test set.

    Attributes
    ----------
    n : int
        Instances in all.
    power : float
        That the test has with n instances if what was assumed is true.
    test : str
    positives, negatives : int or None
        Where the test is of an AUC.
    notes : tuple of str

    Examples
    --------
    >>> from deabench import compare
    >>> print(compare.sample_size_auc(.85, against=.80, correlation=.5).summary())
    550 instances (275 positive, 275 negative) give a power of 0.801: z test of an AUC of 0.85
    against 0.8, two-sided at 0.05 the variance of an AUC is Hanley and McNeil's, for scores of no
    particular distribution a guess"""

    n: int
    power: float
    test: str
    positives: int | None = None
    negatives: int | None = None
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        row = {
            "n": self.n,
            "positives": self.positives,
            "negatives": self.negatives,
            "power": self.power,
        }
        return pd.DataFrame(
            [{name: value for name, value in row.items() if value is not None}],
            index=pd.Index([self.test], name="test"),
        )

    def summary(self) -> str:
        of = (
            f" ({self.positives} positive, {self.negatives} negative)"
            if self.positives is not None
            else ""
        )
        return "\n".join(
            [f"{self.n} instances{of} give a power of {self.power:.3f}: {self.test}", *self.notes]
        )


def sample_size_mcnemar(
    b: float, c: float, *, power: float = 0.8, alpha: float = 0.05, method: McNemarMethod = "mid-p"
) -> SampleSize:
    """The test set on which McNemar's test finds a difference in accuracy of b - c.

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
    psi, delta = _shares(b, c, power, alpha)
    if delta == 0:
        raise DataError(
            f"b and c are both {b:g}: no number of instances shows a difference that is not there"
        )
    z = (
        special.ndtri(1 - alpha / 2) * psi**0.5 + special.ndtri(power) * (psi - delta**2) ** 0.5
    ) / abs(delta)
    name = f"McNemar's test ({method}), two-sided at {alpha:g}"
    return _found(ceil(z * z), lambda n: _mcnemar_power(n, b, c, alpha, method), power, name)


def sample_size_tango(
    b: float,
    c: float,
    *,
    margin: float,
    kind: TangoKind = "noninferiority",
    power: float = 0.8,
    alpha: float = 0.05,
) -> SampleSize:
    """The test set on which Tango's test shows that the first is at most `margin` less accurate, or
    the two equivalent.

    Parameters
    ----------
    b, c : float
        As for `sample_size_mcnemar`; b = c where the two are as accurate.
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
    psi, delta = _shares(b, c, power, alpha)
    room = margin + delta if kind == "noninferiority" else margin - abs(delta)
    if room <= 0:
        raise DataError(
            f"the expected difference {delta:g} is not within the margin {margin:g}; no test set can show that it is"
        )
    z_power = special.ndtri((1 + power) / 2 if kind == "equivalence" and delta == 0 else power)
    n = ceil((special.ndtri(1 - alpha) + z_power) ** 2 * (psi - delta**2) / room**2)
    name = f"Tango's test of {kind} within {margin:g}, at {alpha:g}"
    return _found(max(n, 2), lambda n: _tango_power(n, (b, c), margin, kind, alpha), power, name)


def sample_size_auc(
    auc: float,
    *,
    against: float = 0.5,
    correlation: float | None = None,
    negatives_per_positive: float = 1.0,
    power: float = 0.8,
    alpha: float = 0.05,
) -> SampleSize:
    """The test set that tells an AUC from a fixed one, or from a second classifier's on the same
    instances.

    Parameters
    ----------
    auc, against : float
        Expected AUC, in (0, 1), and the other one.
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
    for what, value in (
        ("the AUC", auc),
        ("the AUC to compare with", against),
        ("power", power),
        ("alpha", alpha),
    ):
        share(what, value)
    if auc == against:
        raise DataError(
            f"both AUCs are {auc:g}: no number of instances shows a difference that is not there"
        )
    if correlation is not None and not 0 <= number(correlation, "the correlation") < 1:
        raise DataError(f"the correlation is {correlation:g}; give a number from 0 to below 1")
    if not number(negatives_per_positive, "negatives_per_positive") > 0:
        raise DataError(
            f"negatives_per_positive is {negatives_per_positive:g}; give a number above 0"
        )
    z = special.ndtri(1 - alpha / 2)

    def reached(positives: int) -> float:
        sizes = positives, ceil(positives * negatives_per_positive)
        one, other = _auc_variance(auc, *sizes), _auc_variance(against, *sizes)
        both = one + other - 2 * (correlation or 0.0) * (one * other) ** 0.5
        null, true = (other, one) if correlation is None else (both, both)
        return float(special.ndtr((abs(auc - against) - z * null**0.5) / true**0.5))

    high = 2
    while reached(high) < power:
        high *= 2
    low = max(high // 2, 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) >= power else (middle, high)
    negatives = ceil(high * negatives_per_positive)
    name = f"z test of an AUC of {auc:g} against {against:g}, two-sided at {alpha:g}"
    return SampleSize(
        high + negatives,
        reached(high),
        name,
        high,
        negatives,
        (
            "the variance of an AUC is Hanley and McNeil's, for scores of no particular distribution a guess",
        ),
    )


def _auc_variance(a: float, positives: int, negatives: int) -> float:
    q1, q2 = a / (2 - a), 2 * a * a / (1 + a)
    return (a * (1 - a) + (positives - 1) * (q1 - a * a) + (negatives - 1) * (q2 - a * a)) / (
        positives * negatives
    )


def _shares(b: float, c: float, power: float, alpha: float) -> tuple[float, float]:
    """b + c and b - c, checked."""
    for what, value in (("power", power), ("alpha", alpha)):
        share(what, value)
    for name, value in (("b", b), ("c", c)):
        if not 0 <= number(value, name) <= 1:
            raise DataError(
                f"{name} is {value:g}; give the share of instances that only this classifier gets right, 0 to 1"
            )
    if not 0 < b + c <= 1:
        raise DataError(
            f"b + c is {b + c:g}; the two shares are of all instances, so give a sum above 0 and at most 1"
        )
    return b + c, b - c


def _found(start: int, reached: Callable[[int], float], power: float, name: str) -> SampleSize:
    """The smallest n from about `start` that has the power and keeps it for the next ones."""
    if start > EXACT:
        return SampleSize(
            start, power, name, notes=(f"above {EXACT} instances by the normal approximation",)
        )
    n = max(2, int(0.6 * start))
    while reached(n) >= power and n > 2:  # the approximation may be far too high
        n = max(2, n // 2)
    run, first = 0, n
    while run <= RUN:
        run, first = (run + 1, first) if reached(n) >= power else (0, n + 1)
        n += 1
    return SampleSize(first, reached(first), name)


def _mcnemar_power(n: int, b: float, c: float, alpha: float, method: McNemarMethod) -> float:
    """P(McNemar's test rejects), summed over how many instances are discordant and which way."""
    from scipy.stats import binom

    psi = b + c
    low, high = (int(binom.ppf(tail, n, psi)) for tail in (1e-12, 1 - 1e-12))
    total = np.arange(max(low, 1), high + 1)[:, None]
    least = np.arange(high // 2 + 1)[None, :]
    p = _mcnemar_p(least, total, method)
    critical = np.where((p < alpha) & (2 * least < total), least, -1).max(axis=1)
    total = total[:, 0]
    rejects = binom.cdf(critical, total, b / psi) + binom.cdf(critical, total, c / psi)
    return float((binom.pmf(total, n, psi) * rejects).sum())


def _mcnemar_p(least: NDArray[np.int64], total: NDArray[np.int64], method: McNemarMethod) -> Floats:
    """`mcnemar`'s p values for least < total - least."""
    from scipy.stats import binom

    if method in ("exact", "mid-p"):
        tail = 2 * binom.cdf(least, total, 0.5)
        return np.asarray(
            tail - binom.pmf(least, total, 0.5) if method == "mid-p" else np.minimum(tail, 1.0)
        )
    gap = np.maximum(total - 2 * least - (method == "corrected"), 0)
    return np.asarray(special.chdtrc(1, gap**2 / total))


def _tango_power(
    n: int, cells: tuple[float, float], margin: float, kind: TangoKind, alpha: float
) -> float:
    """P(Tango's test shows it), summed over all counts (b, c) that can occur."""
    from scipy.stats import binom

    (b, c), z = cells, special.ndtri(1 - alpha)
    counts = [
        np.arange(int(binom.ppf(1e-9, n, p)), int(binom.ppf(1 - 1e-9, n, p)) + 1) for p in cells
    ]
    x, y = (grid.ravel() for grid in np.meshgrid(*counts, indexing="ij"))
    x, y = x[x + y <= n], y[x + y <= n]
    shown = tango.statistic(x, y, n, -margin) >= z
    if kind == "equivalence":
        shown &= tango.statistic(x, y, n, margin) <= -z
    rest = max(1 - b - c, 0.0)
    logs = (
        special.gammaln(n + 1)
        - special.gammaln(x + 1)
        - special.gammaln(y + 1)
        - special.gammaln(n - x - y + 1)
        + special.xlogy(x, b)
        + special.xlogy(y, c)
        + special.xlogy(n - x - y, rest)
    )
    return float(np.exp(logs)[shown].sum())
