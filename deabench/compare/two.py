"""Two classifiers on different test sets, on one test set, over many data sets."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from deabench.compare._result import Comparison
from deabench.compare._validation import differences, level, number, pair, warn, whole
from deabench.errors import DataError
from deabench.utils.checks import choice

Floats = NDArray[np.float64]
McNemarMethod = Literal["exact", "mid-p", "asymptotic", "corrected"]
Zeros = Literal["zsplit", "wilcox", "pratt"]
ZEROS: dict[Zeros, str] = {
    "zsplit": "ranks split between the signs",
    "wilcox": "dropped",
    "pratt": "ranked, then dropped",
}
PERMUTED = 13
"""Up to so many pairs with ties or zeros the distribution over all 2^n signs is taken; it stays
exact under both.
"""
LISTED = 50
"""And up to so many without ties and zeros."""


def two_error_rates(e1: float, n1: int, e2: float, n2: int, *, alpha: float = 0.05) -> Comparison:
    """z test of two error rates that were measured on different, independent test sets.

    d = e1 - e2, σ² = e1(1 - e1)/n1 + e2(1 - e2)/n2, z = d/σ, interval d ± z_{1-α/2} σ. `attained`
    of the result is the two-sided confidence at which the difference just becomes significant,
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
    >>> found = compare.two_error_rates(.15, 1000, .20, 1000)
    >>> round(found.p_value, 4)
    0.0032
    """
    level(alpha)
    for e, n in ((e1, n1), (e2, n2)):
        if not 0 <= number(e, "the error rate") <= 1:
            raise DataError(f"the error rate is {e:g}; give a share between 0 and 1")
        whole(n, "the size of the test set", 1)
        if 0 < min(e, 1 - e) * n < 5:
            warn(
                f"an error rate of {e:g} on {n} instances means {min(e, 1 - e) * n:.3g} expected errors or hits, "
                "fewer than 5: the normal approximation is rough"
            )
    variance = e1 * (1 - e1) / n1 + e2 * (1 - e2) / n2
    if variance == 0:
        raise DataError(
            f"the error rates {e1:g} and {e2:g} leave no variance to test with; use larger test sets"
        )
    d, sigma = e1 - e2, variance**0.5
    margin = special.ndtri(1 - alpha / 2) * sigma
    return Comparison(
        "z test of two error rates on independent test sets",
        d / sigma,
        "normal",
        float(2 * special.ndtr(-abs(d) / sigma)),
        d,
        d - margin,
        d + margin,
        alpha,
        float(2 * np.arcsin(e1**0.5) - 2 * np.arcsin(e2**0.5)),
        "Cohen's h",
    )


def mcnemar(
    b: int, c: int, *, n: int, method: McNemarMethod = "mid-p", alpha: float = 0.05
) -> Comparison:
    """McNemar's test on one test set, from the instances that only one of the two classifiers gets
    right.

    exact: 2 P(X ≤ min(b, c)), X ~ Bin(b + c, 1/2), at most 1; mid-p: exact - P(X = min(b, c)),
    where b = c 1 - P(X = b)/2; asymptotic: (b - c)²/(b + c) on χ²(1); corrected: (|b - c| - 1)²/(b
    + c) on χ²(1).

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
        Level of the test and of Tango's interval of the difference.

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
    level(alpha)
    choice("method", method, get_args(McNemarMethod))
    b, c, n = (whole(value, f"the count {name}") for value, name in ((b, "b"), (c, "c"), (n, "n")))
    if b + c > n or n < 1:
        raise DataError(f"b + c is {b + c} of n = {n} instances; n counts the whole test set")
    statistic, distribution, p = _mcnemar(b, c, method)
    notes = ("the two classifiers are right on the same instances",) if b + c == 0 else ()
    return Comparison(
        f"McNemar's test ({method})",
        statistic,
        distribution,
        p,
        (b - c) / n,
        np.nan,
        np.nan,
        alpha,
        (b - c) / (b + c) if b + c else 0.0,
        "(b - c)/(b + c)",
        notes,
    )


def _mcnemar(b: int, c: int, method: McNemarMethod) -> tuple[float, str, float]:
    total, least = b + c, min(b, c)
    if total == 0:
        return 0.0, "exact" if method in ("exact", "mid-p") else "chi2(1)", 1.0
    if method in ("exact", "mid-p"):
        from scipy.stats import binom, binomtest

        p = float(binomtest(least, total, 0.5).pvalue)
        if method == "exact":
            return float(least), "exact", p
        point = float(binom.pmf(least, total, 0.5))
        return float(least), "exact, mid-p", 1 - point / 2 if b == c else p - point
    gap = abs(b - c) - (method == "corrected")
    statistic = max(gap, 0) ** 2 / total
    return statistic, "chi2(1)", float(special.chdtrc(1, statistic))


def wilcoxon(
    first: Sequence[float] | ArrayLike,
    second: Sequence[float] | ArrayLike,
    *,
    zeros: Zeros = "zsplit",
    alpha: float = 0.05,
) -> Comparison:
    """Wilcoxon's signed-rank test of two classifiers over independent data sets.

    Equal scores (zeros) are treated by a named rule, for it changes the answer: "zsplit" (Demšar:
    half of their ranks to each sign), "wilcox" (dropped, SciPy's default), "pratt" (ranked with the
    others, then dropped). Exact without ties and up to 50 data sets; up to 13 from the distribution
    over all 2ⁿ signs, exact under ties and zeros; else the normal approximation.

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
        Statistic min(R+, R-); difference: the median of the differences; effect: the rank-biserial
        correlation (R+ - R-)/(R+ + R-).

    Raises
    ------
    DataError
        As `paired_t`, and an unknown rule for zeros.

    Notes
    -----
    Demšar (2006), JMLR 7, 1-30, section 3.1.3. The computation is `scipy.stats.wilcoxon`'s.

    Examples
    --------
    >>> from deabench import compare
    >>> found = compare.wilcoxon([.81, .75, .92, .66, .88, .79], [.79, .74, .90, .68, .85, .71])
    >>> round(found.p_value, 4)
    0.1562
    """
    level(alpha)
    choice("zeros", zeros, get_args(Zeros))
    d = differences(*pair(first, second))
    if not d.any():
        return Comparison(
            "Wilcoxon signed-rank test (no difference at all)",
            0.0,
            "exact",
            1.0,
            0.0,
            np.nan,
            np.nan,
            alpha,
            0.0,
            "rank-biserial correlation",
            ("the two are equal on every data set",),
        )
    ranks, none = _ranks(d, zeros), int((d == 0).sum())
    plus, minus = float(ranks[d > 0].sum()), float(ranks[d < 0].sum())
    if zeros == "zsplit":
        plus, minus = (side + float(ranks[d == 0].sum()) / 2 for side in (plus, minus))
    ties = len(np.unique(np.abs(d))) < len(d)
    p, distribution = _signed_rank_p(d, ranks, zeros, crossed=ties or none > 0)
    treated = f"{none} {'zero' if none == 1 else 'zeros'}: {ZEROS[zeros]}" if none else "no zeros"
    name = f"Wilcoxon signed-rank test ({treated})"
    return Comparison(
        name,
        min(plus, minus),
        distribution,
        p,
        float(np.median(d)),
        np.nan,
        np.nan,
        alpha,
        (plus - minus) / (plus + minus),
        "rank-biserial correlation",
    )


def _ranks(d: Floats, zeros: Zeros) -> Floats:
    """Ranks of |d|; dropped zeros have rank 0."""
    from scipy.stats import rankdata

    ranks = np.zeros(len(d))
    kept = (d != 0) if zeros == "wilcox" else np.ones(len(d), dtype=bool)
    ranks[kept] = rankdata(np.abs(d[kept]))
    return ranks


def _signed_rank_p(d: Floats, ranks: Floats, zeros: Zeros, *, crossed: bool) -> tuple[float, str]:
    """The two-sided p value and what it is referred to; `crossed` by ties or zeros."""
    if len(d) <= (PERMUTED if crossed else LISTED):
        return _over_signs(ranks[d != 0], d[d != 0] > 0), "all signs listed" if crossed else "exact"
    from scipy.stats import wilcoxon as scipys

    return float(scipys(d, zero_method=zeros, method="asymptotic").pvalue), "normal"


@lru_cache(maxsize=256)
def _sums(twice: tuple[int, ...]) -> Floats:
    """How probable each R+ is over all signs, in half ranks."""
    shares = np.ones(1)
    for step in twice:
        shares = (
            np.concatenate([shares, np.zeros(step)]) + np.concatenate([np.zeros(step), shares])
        ) / 2
    return shares


def _over_signs(ranks: Floats, positive: NDArray[np.bool_]) -> float:
    """P(|R+ - R-| >= the observed) over all signs, from the distribution of R+ in half ranks."""
    twice = np.sort(np.rint(2 * ranks).astype(int))
    total, side = int(twice.sum()), int(np.rint(2 * ranks[positive].sum()))
    shares = _sums(tuple(twice.tolist()))
    far = np.abs(2 * np.arange(total + 1) - total) >= abs(2 * side - total)
    return min(1.0, float(shares[far].sum()))


def one_sided(d: Floats) -> tuple[float, str]:
    """P(R+ at least as large as seen) where the differences are symmetric about 0 (zeros split),
    and how it was found.
    """
    crossed = not d.all() or len(np.unique(np.abs(d))) < len(d)
    if len(d) > (PERMUTED if crossed else LISTED):
        from scipy.stats import wilcoxon as scipys

        return float(
            scipys(d, zero_method="zsplit", alternative="greater", method="asymptotic").pvalue
        ), "normal"
    twice = np.rint(2 * _ranks(d, "zsplit")).astype(int)
    shares = _sums(tuple(np.sort(twice[d != 0]).tolist()))
    return min(
        1.0, float(shares[int(twice[d > 0].sum()) :].sum())
    ), "all signs listed" if crossed else "exact"
