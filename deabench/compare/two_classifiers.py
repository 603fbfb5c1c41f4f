"""Tests between two classifiers: error rates, one test set, folds; `Comparison` is their result."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike
from scipy import special

from deabench.compare.score_tables import (
    check_count,
    check_number,
    check_pair,
    check_ratio,
    score_differences,
)
from deabench.errors import DataError, warn_data
from deabench.utils.checks import choice, share
from deabench.utils.result import Result

McNemarMethod = Literal["exact", "mid-p", "asymptotic", "corrected"]
MIN_EXPECTED = 5
"""Below so many errors or hits the normal approximation of an error rate is rough."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison(Result):
    """The result of one test between two classifiers; differences are always first minus second.

    Attributes
    ----------
    test : str
        The test by its full name, with its variant (how zeros are treated, exact or not).
    statistic : float
    distribution : str
        Of the statistic: "normal", "t(6)", "F(10, 5)", "exact"...
    p_value : float
        Two-sided, in [0, 1]; of an equivalence test the larger of the two one-sided ones.
    difference : float
        First minus second, in the unit of the scores; what is averaged is in the test's docstring.
    lower, upper : float
        Interval of the difference at level 1 - alpha; NaN if the test gives none.
    alpha : float
    effect, effect_name : float, str
        A size of the effect without a unit, and its name.
    notes : tuple of str
        What a reader must know before believing the p value.
    margin : float or None
        Of an equivalence test: differences of less count as none.

    Examples
    --------
    >>> from deabench import compare
    >>> compare.mcnemar(3, 12, n=100).test
    "McNemar's test (mid-p)"
    """

    _text = "compare"

    test: str
    statistic: float
    distribution: str
    p_value: float
    difference: float
    lower: float = np.nan
    upper: float = np.nan
    alpha: float
    effect: float
    effect_name: str
    notes: tuple[str, ...] = ()
    margin: float | None = None

    @property
    def attained(self) -> float:
        """The two-sided confidence at which the difference becomes significant, 1 - p."""
        return 1.0 - self.p_value

    @property
    def different(self) -> bool:
        """Whether "no difference" is rejected at `alpha`; always False for an equivalence test."""
        return self.margin is None and self.p_value < self.alpha

    @property
    def equivalent(self) -> bool:
        """Whether the difference is shown to be below `margin`; False for a test of difference."""
        return self.margin is not None and self.p_value < self.alpha

    def to_frame(self) -> pd.DataFrame:
        """Return one row per field of the result, without the notes."""
        fields = asdict(self)
        del fields["notes"]
        if self.margin is None:
            del fields["margin"]
        return pd.DataFrame({"value": pd.Series(fields, dtype=object)}).rename_axis("field")


def two_error_rates(e1: float, n1: int, e2: float, n2: int, *, alpha: float = 0.05) -> Comparison:
    """Compare two error rates of different, independent test sets by the z test.

    d = e1 - e2, σ² = e1(1 - e1)/n1 + e2(1 - e2)/n2, z = d/σ, interval d ± z_{1-α/2} σ. `attained`
    of the result is the two-sided confidence at which the difference becomes significant,
    2Φ(|z|) - 1 (not Φ(|z|), which is one-sided).

    Parameters
    ----------
    e1, e2 : float
        Error rates, in [0, 1].
    n1, n2 : int
        Sizes of the test sets.
    alpha : float
        Level of the test and of the interval.

    Returns
    -------
    Comparison
        Effect: Cohen's h, 2 asin √e1 - 2 asin √e2.

    Raises
    ------
    DataError
        A rate outside [0, 1], a size below 1, or no variance at all (both rates 0 or 1).

    Warns
    -----
    DataWarning
        Fewer than 5 expected errors or hits in a test set: the normal approximation is rough there.

    Notes
    -----
    Source: Tan, Steinbach, Kumar, Introduction to Data Mining, section 3.9 (comparing two models).

    Examples
    --------
    >>> from deabench import compare
    >>> round(compare.two_error_rates(.15, 1000, .20, 1000).p_value, 4)
    0.0032
    """
    share("alpha", alpha)
    for rate, size in ((e1, n1), (e2, n2)):
        if not 0 <= check_number(rate, "the error rate") <= 1:
            raise DataError(f"the error rate is {rate:g}; give a share between 0 and 1")
        check_count(size, "the size of the test set", 1)
        expected = min(rate, 1 - rate) * size
        if 0 < expected < MIN_EXPECTED:
            warn_data(
                f"an error rate of {rate:g} on {size} instances means {expected:.3g} expected "
                "errors or hits, fewer than 5: the normal approximation is rough"
            )
    # Independent test sets: the variances of the two rates add up.
    variance = e1 * (1 - e1) / n1 + e2 * (1 - e2) / n2
    if variance == 0:
        raise DataError(
            f"the error rates {e1:g} and {e2:g} leave no variance to test; use larger test sets"
        )
    difference = e1 - e2
    error = variance**0.5
    reach = special.ndtri(1 - alpha / 2) * error
    return Comparison(
        test="z test of two error rates on independent test sets",
        statistic=difference / error,
        distribution="normal",
        p_value=float(2 * special.ndtr(-abs(difference) / error)),
        difference=difference,
        lower=difference - reach,
        upper=difference + reach,
        alpha=alpha,
        effect=float(2 * np.arcsin(e1**0.5) - 2 * np.arcsin(e2**0.5)),
        effect_name="Cohen's h",
    )


def mcnemar(
    b: int, c: int, *, n: int, method: McNemarMethod = "mid-p", alpha: float = 0.05
) -> Comparison:
    """Compute McNemar's test from the instances that only one of two classifiers gets right.

    exact: 2 P(X ≤ min(b, c)), X ~ Bin(b + c, 1/2), at most 1; mid-p: exact - P(X = min(b, c)), if
    b = c 1 - P(X = b)/2; asymptotic: (b - c)²/(b + c) on χ²(1); corrected: (|b - c| - 1)²/(b + c)
    on χ²(1), and p = 1 where b = c, which the formula would take for a difference of -1.

    Parameters
    ----------
    b, c : int
        Right by the first only, right by the second only (see `discordant`).
    n : int
        All instances of the test set.
    method : str
        One of "exact", "mid-p" (nearer to the level than exact, hardly ever above it),
        "asymptotic", "corrected".
    alpha : float
        Level of the test.

    Returns
    -------
    Comparison
        Difference: (b - c)/n, accuracy of the first minus accuracy of the second, with no interval
        (`deabench.tango` gives it); effect: (b - c)/(b + c).

    Raises
    ------
    DataError
        Counts that are negative or fractional, b + c above n, or an unknown method.

    Notes
    -----
    Fagerland, Lydersen, Laake (2013), BMC Medical Research Methodology 13:91,
    doi:10.1186/1471-2288-13-91 (mid-p).

    Examples
    --------
    >>> from deabench import compare
    >>> round(compare.mcnemar(3, 12, n=100).p_value, 4)
    0.0213
    """
    share("alpha", alpha)
    choice("method", method, get_args(McNemarMethod))
    b = check_count(b, "the count b")
    c = check_count(c, "the count c")
    n = check_count(n, "the count n")
    if b + c > n or n < 1:
        raise DataError(f"b + c is {b + c} of n = {n} instances; n counts the whole test set")
    statistic, distribution, p_value = _mcnemar_p_value(b, c, method)
    return Comparison(
        test=f"McNemar's test ({method})",
        statistic=statistic,
        distribution=distribution,
        p_value=p_value,
        difference=(b - c) / n,
        alpha=alpha,
        effect=(b - c) / (b + c) if b + c else 0.0,
        effect_name="(b - c)/(b + c)",
        notes=() if b + c else ("the two classifiers are right on the same instances",),
    )


def _mcnemar_p_value(b: int, c: int, method: McNemarMethod) -> tuple[float, str, float]:
    """Return the statistic, its distribution and the p value."""
    total = b + c
    smaller = min(b, c)
    is_exact = method in ("exact", "mid-p")
    if total == 0:
        return 0.0, "exact" if is_exact else "chi2(1)", 1.0
    if is_exact:
        # Without a difference each discordant instance falls to either side with chance 1/2.
        p_value = float(scipy.stats.binomtest(smaller, total, 0.5).pvalue)
        if method == "exact":
            return float(smaller), "exact", p_value
        point = float(scipy.stats.binom.pmf(smaller, total, 0.5))
        return float(smaller), "exact, mid-p", 1 - point / 2 if b == c else p_value - point
    # The continuity correction takes 1 off the difference.
    gap = abs(b - c) - (method == "corrected")
    statistic = max(gap, 0) ** 2 / total
    return statistic, "chi2(1)", float(special.chdtrc(1, statistic))


def paired_t(first: ArrayLike, second: ArrayLike, *, alpha: float = 0.05) -> Comparison:
    """Compute Student's paired t over J independent pairs: t = d̄ / (s/√J), df J - 1.

    On the folds of a cross-validation the pairs share training data, so the test finds differences
    too often; it is here because papers use it (as "k-fold t test"). For folds use `corrected_t`.

    Parameters
    ----------
    first, second : sequences of J floats
        Scores on the same folds or data sets.
    alpha : float
        Level of the test and of the interval d̄ ± t_{1-α/2, J-1} s/√J.

    Returns
    -------
    Comparison
        Difference: the mean; effect: Cohen's d_z = d̄/s.

    Raises
    ------
    DataError
        Lengths that differ, fewer than 2 pairs, a score that is not finite, the same nonzero
        difference on every pair.

    Examples
    --------
    >>> from deabench import compare
    >>> a, b = [.81, .75, .92, .66, .88], [.79, .74, .90, .68, .85]
    >>> round(compare.paired_t(a, b).p_value, 3)  # on folds too small: see corrected_t
    0.235
    """
    note = (
        "folds of a cross-validation share training data: on them this test rejects too often, "
        "use the corrected t test"
    )
    return _test_mean(first, second, alpha, 0.0, "paired t test", (note,))


def corrected_t(
    first: ArrayLike, second: ArrayLike, *, ratio: float, alpha: float = 0.05
) -> Comparison:
    """Compute Nadeau and Bengio's corrected resampled t test of the folds of one data set.

    t = d̄ / √((1/J + n_test/n_train) s²), df J - 1.

    Parameters
    ----------
    first, second : sequences of J floats
        Scores on the same J folds (all folds of all repeats).
    ratio : float
        n_test / n_train; 1/(k - 1) for k-fold cross-validation.
    alpha : float
        Level of the test and of the interval.

    Returns
    -------
    Comparison
        Difference: the mean; effect: Cohen's d_z = d̄/s.

    Raises
    ------
    DataError
        As `paired_t`, and a ratio that is not positive.

    Notes
    -----
    Nadeau, Bengio (2003), Machine Learning 52, 239-281, doi:10.1023/A:1024068626366.

    Examples
    --------
    >>> from deabench import compare
    >>> a, b = [.81, .75, .92, .66, .88], [.79, .74, .90, .68, .85]
    >>> round(compare.corrected_t(a, b, ratio=1 / 4).p_value, 3)
    0.405
    """
    check_ratio(ratio)
    name = "corrected resampled t test (Nadeau-Bengio)"
    return _test_mean(first, second, alpha, ratio, name, ())


def _test_mean(
    first: ArrayLike,
    second: ArrayLike,
    alpha: float,
    ratio: float,
    name: str,
    notes: tuple[str, ...],
) -> Comparison:
    """Test the mean difference by t, its variance s²(1/J + ratio)."""
    share("alpha", alpha)
    d = score_differences(*check_pair(first, second))
    count = len(d)
    mean = float(d.mean())
    deviation = float(d.std(ddof=1))
    if deviation <= 1e-12 * np.abs(d).max():
        if mean != 0:
            raise DataError(
                f"the difference is {mean:g} on every pair: without spread a t test cannot judge "
                "it; use the signed-rank test"
            )
        statistic, p_value, reach, effect = 0.0, 1.0, 0.0, 0.0
        notes = (*notes, "the two are equal on every pair")
    else:
        # Nadeau and Bengio's ratio enlarges the variance, because folds share training data.
        error = deviation * (1 / count + ratio) ** 0.5
        statistic = mean / error
        p_value = float(2 * special.stdtr(count - 1, -abs(mean) / error))
        reach = special.stdtrit(count - 1, 1 - alpha / 2) * error
        effect = mean / deviation
    return Comparison(
        test=name,
        statistic=statistic,
        distribution=f"t({count - 1})",
        p_value=p_value,
        difference=mean,
        lower=mean - reach,
        upper=mean + reach,
        alpha=alpha,
        effect=effect,
        effect_name="Cohen's d_z",
        notes=notes,
    )


def five_by_two_f(differences_5x2: ArrayLike, *, alpha: float = 0.05) -> Comparison:
    """Compute Alpaydın's combined 5x2cv F test.

    f = Σ_i Σ_j d_ij² / (2 Σ_i s_i²), s_i² = Σ_j (d_ij - d̄_i)², on F(10, 5).

    Parameters
    ----------
    differences_5x2 : array, 5 x 2
        Score of the first minus score of the second: five repeats of two-fold cross-validation in
        rows.
    alpha : float
        Level of the test; it gives no interval.

    Returns
    -------
    Comparison
        Difference: the mean of the ten; effect: Cohen's d_z over the ten.

    Raises
    ------
    DataError
        Another shape, a number that is not finite, or two folds that agree in every repeat.

    Notes
    -----
    Alpaydın (1999), Neural Computation 11, 1885-1892, doi:10.1162/089976699300016007.

    Examples
    --------
    >>> from deabench import compare
    >>> differences = [[.02, .01], [.03, .02], [.01, .02], [.02, .03], [.00, .01]]
    >>> round(compare.five_by_two_f(differences).p_value, 3)
    0.02
    """
    share("alpha", alpha)
    try:
        d = np.asarray(differences_5x2, dtype=float)
    except (TypeError, ValueError):
        raise DataError(
            "the differences are not all numbers; give five repeats of two folds, shape (5, 2)"
        ) from None
    if d.shape != (5, 2):
        raise DataError(
            f"the differences have shape {d.shape}; give five repeats of two folds, shape (5, 2)"
        )
    if not np.isfinite(d).all():
        raise DataError("a difference is missing or infinite; give ten finite numbers")
    # The variances within the five repeats are the denominator of f.
    within_ss = ((d - d.mean(axis=1, keepdims=True)) ** 2).sum()
    if within_ss <= 1e-24 * max((d**2).sum(), 1e-300):
        raise DataError(
            "the two folds agree in every repeat: without spread the 5x2cv F test is undefined; "
            "give repeats whose folds differ"
        )
    f = float((d**2).sum() / (2 * within_ss))
    return Comparison(
        test="combined 5x2cv F test (Alpaydın)",
        statistic=f,
        distribution="F(10, 5)",
        p_value=float(special.fdtrc(10, 5, f)),
        difference=float(d.mean()),
        alpha=alpha,
        effect=float(d.mean() / d.std(ddof=1)),
        effect_name="Cohen's d_z",
    )
