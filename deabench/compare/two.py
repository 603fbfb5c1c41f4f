"""Two classifiers on different test sets, on one test set, over many data sets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import special

from deabench.compare._gate import differences, level, one_of, pair, warn
from deabench.compare._result import Comparison
from deabench.errors import DataError

MCNEMAR_METHODS = ("exact", "mid-p", "asymptotic", "corrected")
ZEROS = {"zsplit": "ranks split between the signs", "wilcox": "dropped", "pratt": "ranked, then dropped"}
PERMUTED = 13
"""Up to so many pairs all 2^n signs are listed, which stays exact under ties and zeros."""


def two_error_rates(e1: float, n1: int, e2: float, n2: int, *, alpha: float = 0.05) -> Comparison:
    """z test of two error rates that were measured on different, independent test sets.

    d = e1 - e2, σ² = e1(1 - e1)/n1 + e2(1 - e2)/n2, z = d/σ, interval d ± z_{1-α/2} σ. `attained` of the result is the
    two-sided confidence at which the difference just becomes significant, 2Φ(|z|) - 1 (not Φ(|z|), which is one-sided).

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
    """
    level(alpha)
    for e, n in ((e1, n1), (e2, n2)):
        if not 0 <= e <= 1:
            raise DataError(f"the error rate is {e:g}; give a share between 0 and 1")
        if n < 1:
            raise DataError(f"the size of the test set is {n}; give at least 1")
        if 0 < min(e, 1 - e) * n < 5:
            warn(f"an error rate of {e:g} on {n} instances means {min(e, 1 - e) * n:.3g} expected errors or hits, "
                 "fewer than 5: the normal approximation is rough")
    variance = e1 * (1 - e1) / n1 + e2 * (1 - e2) / n2
    if variance == 0:
        raise DataError(f"the error rates {e1:g} and {e2:g} leave no variance to test with; use larger test sets")
    d, sigma = e1 - e2, variance**0.5
    margin = special.ndtri(1 - alpha / 2) * sigma
    return Comparison(
        "z test of two error rates on independent test sets", d / sigma, "normal",
        float(2 * special.ndtr(-abs(d) / sigma)), d, d - margin, d + margin, alpha,
        float(2 * np.arcsin(e1**0.5) - 2 * np.arcsin(e2**0.5)), "Cohen's h")


def discordant(y_true: Sequence[object], first: Sequence[object], second: Sequence[object]) -> tuple[int, int]:
    """b: instances that only the first classifier gets right; c: those that only the second does.

    Raises
    ------
    DataError
        Where the three lengths differ.
    """
    truth, x, y = (np.asarray(values, dtype=object) for values in (y_true, first, second))
    if not len(truth) == len(x) == len(y):
        raise DataError(f"there are {len(truth)} labels, {len(x)} and {len(y)} predictions; give as many of each")
    right_x, right_y = x == truth, y == truth
    return int((right_x & ~right_y).sum()), int((~right_x & right_y).sum())


def mcnemar(b: int, c: int, *, n: int, method: str = "mid-p", alpha: float = 0.05) -> Comparison:
    """McNemar's test on one test set, from the instances that only one of the two classifiers gets right.

    exact: 2 P(X ≤ min(b, c)), X ~ Bin(b + c, 1/2), at most 1; mid-p: exact - P(X = min(b, c));
    asymptotic: (b - c)²/(b + c) on χ²(1); corrected: (|b - c| - 1)²/(b + c) on χ²(1).

    Parameters
    ----------
    b, c : int
        Right by the first only, right by the second only (see `discordant`).
    n : int
        All instances of the test set.
    method : str
        One of "exact", "mid-p" (nearer to the level than exact, hardly ever above it), "asymptotic", "corrected".
    alpha : float
        Level of the test and of Tango's interval of the difference.

    Returns
    -------
    Comparison
        Difference: (b - c)/n, accuracy of the first minus accuracy of the second, with no interval (`deabench.tango`
        gives it); effect: (b - c)/(b + c).

    Raises
    ------
    DataError
        Counts that are negative or fractional, b + c above n, or an unknown method.

    Notes
    -----
    Fagerland, Lydersen, Laake (2013), BMC Medical Research Methodology 13:91, doi:10.1186/1471-2288-13-91 (mid-p).
    """
    level(alpha)
    one_of(method, MCNEMAR_METHODS, "McNemar method")
    for value, name in ((b, "b"), (c, "c"), (n, "n")):
        if value != int(value) or value < 0:
            raise DataError(f"the count {name} is {value:g}; give a whole number of instances, 0 or more")
    if b + c > n or n < 1:
        raise DataError(f"b + c is {b + c} of n = {n} instances; n counts the whole test set")
    statistic, distribution, p = _mcnemar(int(b), int(c), method)
    notes = ("the two classifiers are right on the same instances",) if b + c == 0 else ()
    return Comparison(f"McNemar's test ({method})", statistic, distribution, p, (b - c) / n, np.nan, np.nan, alpha,
                      (b - c) / (b + c) if b + c else 0.0, "(b - c)/(b + c)", notes)


def _mcnemar(b: int, c: int, method: str) -> tuple[float, str, float]:
    total, least = b + c, min(b, c)
    if total == 0:
        return 0.0, "exact" if method in ("exact", "mid-p") else "chi2(1)", 1.0
    if method in ("exact", "mid-p"):
        from scipy.stats import binom, binomtest

        p = float(binomtest(least, total, 0.5).pvalue)
        if method == "exact":
            return float(least), "exact", p
        twice = 2 * float(binom.cdf(least, total, 0.5))
        return float(least), "exact, mid-p", min(1.0, twice - float(binom.pmf(least, total, 0.5)))
    gap = abs(b - c) - (method == "corrected")
    statistic = max(gap, 0)**2 / total
    return statistic, "chi2(1)", float(special.chdtrc(1, statistic))


def wilcoxon(first: Sequence[float], second: Sequence[float], *, zeros: str = "zsplit", alpha: float = 0.05
             ) -> Comparison:
    """Wilcoxon's signed-rank test of two classifiers over independent data sets.

    Equal scores (zeros) are treated by a named rule, for it changes the answer: "zsplit" (Demšar: half of their ranks
    to each sign), "wilcox" (dropped, SciPy's default), "pratt" (ranked with the others, then dropped). Exact without
    ties and up to 50 data sets; up to 13 by listing all 2ⁿ signs, exact under ties and zeros; else the normal
    approximation.

    Parameters
    ----------
    first, second : sequences of N floats
        Scores on the same N data sets.
    zeros : str
        One of "zsplit", "wilcox", "pratt".
    alpha : float
        Level of the test; it gives no interval.

    Returns
    -------
    Comparison
        Statistic min(R+, R-); difference: the median of the differences; effect: the rank-biserial correlation
        (R+ - R-)/(R+ + R-).

    Raises
    ------
    DataError
        As `paired_t`, and an unknown rule for zeros.

    Notes
    -----
    Demšar (2006), JMLR 7, 1-30, section 3.1.3. The computation is `scipy.stats.wilcoxon`'s.
    """
    level(alpha)
    one_of(zeros, list(ZEROS), "rule for zeros")
    d = differences(*pair(first, second))
    none = int((d == 0).sum())
    if none == len(d):
        return Comparison("Wilcoxon signed-rank test (no difference at all)", 0.0, "exact", 1.0, 0.0, np.nan, np.nan,
                          alpha, 0.0, "rank-biserial correlation", ("the two are equal on every data set",))
    from scipy import stats

    ties = len(np.unique(np.abs(d))) < len(d)
    if len(d) <= PERMUTED and (ties or none):
        method, distribution = stats.PermutationMethod(n_resamples=2**PERMUTED + 1), "all signs listed"
    elif len(d) <= 50 and not ties and not none:
        method, distribution = "exact", "exact"
    else:
        method, distribution = "asymptotic", "normal"
    p = float(stats.wilcoxon(d, zero_method=zeros, method=method).pvalue)
    plus, minus = _signed_ranks(d, zeros)
    treated = f"{none} {'zero' if none == 1 else 'zeros'}: {ZEROS[zeros]}" if none else "no zeros"
    name = f"Wilcoxon signed-rank test ({treated})"
    return Comparison(name, min(plus, minus), distribution, p, float(np.median(d)), np.nan, np.nan, alpha,
                      (plus - minus) / (plus + minus), "rank-biserial correlation")


def _signed_ranks(d: np.ndarray, zeros: str) -> tuple[float, float]:
    from scipy.stats import rankdata

    kept = d[d != 0] if zeros == "wilcox" else d
    ranks = rankdata(np.abs(kept))
    split = ranks[kept == 0].sum() / 2 if zeros == "zsplit" else 0.0
    return float(ranks[kept > 0].sum() + split), float(ranks[kept < 0].sum() + split)
