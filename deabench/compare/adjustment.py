"""p values adjusted for the number of hypotheses: Holm, Shaffer, Bergmann-Hommel and others."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import comb
from typing import Literal, get_args

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike, NDArray
from scipy import special

from deabench.compare.friedman import EXACT_DATA_SETS, rank_sum_distribution
from deabench.compare.score_tables import Floats, check_count
from deabench.errors import DataError
from deabench.utils.checks import choice, share

Adjustment = Literal[
    "holm", "shaffer", "bergmann-hommel", "nemenyi", "finner", "bonferroni", "hochberg", "hommel"
]
ADJUSTMENTS: tuple[Adjustment, ...] = get_args(Adjustment)
DifferenceTest = Literal["nemenyi", "bonferroni-dunn"]
MAX_BERGMANN = 12
"""Bergmann and Hommel's sets are listed up to this many classifiers: 4.2 million partitions; 13
have 27.6 million.
"""


def adjust_p_values(p_values: ArrayLike, method: Adjustment, k: int) -> Floats:
    """Adjust p values for multiple testing, in the order given.

    `k`, the number of classifiers, matters to Shaffer and Bergmann only. A p value that is missing
    (a pair that could not be tested) stays missing and counts in the family as 1, so that the
    others are adjusted as if it had been tested.
    """
    p = np.asarray(p_values, dtype=float)
    if method == "nemenyi":
        raise DataError(
            "Nemenyi's p values come from the ranks, not from p values; use "
            "pairwise(adjust='nemenyi')"
        )
    # A missing p value counts as 1 in the family and is missing again in the end.
    missing = np.isnan(p)
    complete = np.where(missing, 1.0, p)
    m = len(p)
    if method == "shaffer":
        adjusted = shaffer(complete, k)
    elif method == "bergmann-hommel":
        adjusted = bergmann_hommel(complete, k)
    elif method == "finner":
        adjusted = finner(complete)
    elif method == "bonferroni":
        adjusted = np.minimum(1.0, m * complete)
    elif method == "holm":
        # Not statsmodels: `multipletests` collects garbage at every call, for 0.04 to 0.2 s.
        adjusted = _step_down(complete, lambda ordered: (m - np.arange(m)) * ordered)
    else:
        from statsmodels.stats.multitest import multipletests

        name = {"hochberg": "simes-hochberg"}.get(method, method)
        adjusted = np.asarray(multipletests(complete, method=name)[1], dtype=float)
    return np.where(missing, np.nan, adjusted)


def _step_down(p: Floats, enlarge: Callable[[Floats], Floats]) -> Floats:
    """Enlarge the p values in ascending order, and make them monotone and at most 1."""
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(enlarge(p[order])))
    return adjusted


def finner(p_values: ArrayLike) -> Floats:
    """Adjust by Finner's step-down method, for comparisons with a control.

    In ascending order the i-th of m becomes 1 - (1 - p)^(m/i), made monotone. A little sharper than
    Holm's; proved for p values that are independent or positively dependent, as those against one
    control are.

    Parameters
    ----------
    p_values : numbers between 0 and 1
        Of the comparisons with the control.

    Notes
    -----
    Finner (1993), JASA 88, 920-923, doi:10.1080/01621459.1993.10476358.

    Examples
    --------
    >>> from deabench import compare
    >>> compare.finner([.01, .02, .04]).round(4).tolist()
    [0.0297, 0.0298, 0.04]
    """
    p = np.asarray(p_values, dtype=float)
    powers = len(p) / np.arange(1, len(p) + 1)
    # 1 - (1 - p)^power by logarithms, exact for small p; the logarithm of 0 at p = 1 is right.
    with np.errstate(divide="ignore"):
        return _step_down(p, lambda ordered: -np.expm1(powers * np.log1p(-ordered)))


def shaffer(p_values: ArrayLike, k: int) -> Floats:
    """Adjust the p values of all k(k-1)/2 pairs by Shaffer's static method.

    In ascending order, the i-th p value is multiplied by t_i, the largest number of hypotheses that
    can be true together when i - 1 are false, t_i = max{s in S(k): s <= m - i + 1}, and made
    monotone; at most 1.

    Parameters
    ----------
    p_values : k(k-1)/2 numbers between 0 and 1
    k : int
        The number of classifiers.

    Raises
    ------
    DataError
        If the number of p values is not k(k-1)/2.

    Examples
    --------
    >>> from deabench import compare
    >>> compare.shaffer([.01, .02, .04], k=3).round(3).tolist()
    [0.03, 0.03, 0.04]
    """
    p = _check_all_pairs(p_values, k, "Shaffer")
    possible = np.array(sorted(true_hypothesis_counts(k)))
    # t_i: the largest possible number of true hypotheses that is at most m - i + 1.
    remaining = len(p) - np.arange(len(p))
    factors = possible[np.searchsorted(possible, remaining, side="right") - 1]
    return _step_down(p, lambda ordered: factors * ordered)


def true_hypothesis_counts(k: int) -> set[int]:
    """Return S(k): how many of the pairwise equalities of k classifiers can hold together.

    S(k) = ∪_j {C(j, 2) + s: s in S(k - j)}, S(0) = S(1) = {0}; S(4) = {0, 1, 2, 3, 6}.
    """
    # A set is stored as the bits of a whole number: adding C(j, 2) to all of it is one shift.
    sets = [1, 1]
    for n in range(2, k + 1):
        bits = 0
        for j in range(1, n + 1):
            bits |= sets[n - j] << comb(j, 2)
        sets.append(bits)
    digits = reversed(bin(sets[k])[2:])
    return {position for position, digit in enumerate(digits) if digit == "1"}


def bergmann_hommel(p_values: ArrayLike, k: int) -> Floats:
    """Adjust the p values of all k(k-1)/2 pairs by Bergmann and Hommel's method, sharp and slow.

    The adjusted p value of a pair is the largest |I| · min{p_j: j in I} over the exhaustive sets I
    it belongs to. A set is exhaustive if its equalities, and no others, can hold together: those
    within the classes of a partition of the classifiers.

    Parameters
    ----------
    p_values : k(k-1)/2 numbers between 0 and 1
        In the order of the pairs: first with second, first with third, ..., second with third, ...
    k : int
        The number of classifiers, up to 12.

    Raises
    ------
    DataError
        If the number of p values is not k(k-1)/2, or k is above 12.

    Notes
    -----
    Bergmann, Hommel (1988), in: Multiple Hypothesenprüfung, Springer, 100-115; García, Herrera
    (2008), JMLR 9, 2677-2694, section 2.2.

    Examples
    --------
    >>> from deabench import compare
    >>> compare.bergmann_hommel([.01, .02, .04], k=3).round(3).tolist()
    [0.03, 0.03, 0.04]
    """
    p = _check_all_pairs(p_values, k, "Bergmann and Hommel")
    if k > MAX_BERGMANN:
        raise DataError(
            f"Bergmann and Hommel's adjustment lists all partitions of {k} systems, too many "
            f"above {MAX_BERGMANN}; use 'shaffer'"
        )
    classes = list_partitions(k)
    pairs = list(combinations(range(k), 2))
    # |I| and the smallest p value of the exhaustive set of every partition, pair by pair.
    size = np.zeros(len(classes), dtype=np.int64)
    smallest = np.ones(len(classes))
    for p_value, (i, j) in zip(p, pairs, strict=True):
        contains = classes[:, i] == classes[:, j]
        size += contains
        smallest[contains] = np.minimum(smallest[contains], p_value)
    weight = np.minimum(size * smallest, 1.0)
    return np.array([weight[classes[:, i] == classes[:, j]].max() for i, j in pairs])


def list_partitions(k: int) -> NDArray[np.int8]:
    """List all partitions of k classifiers: Bell(k) rows with the class of each classifier."""
    classes = np.zeros((1, 1), dtype=np.int8)
    for _ in range(k - 1):
        # The next classifier joins one of a row's classes or opens a new one.
        choices = classes.max(axis=1).astype(np.int64) + 2
        rows = np.repeat(np.arange(len(classes)), choices)
        starts = np.repeat(np.cumsum(choices) - choices, choices)
        joined = (np.arange(len(rows)) - starts).astype(np.int8)
        classes = np.column_stack([classes[rows], joined])
    return classes


def _check_all_pairs(p_values: ArrayLike, k: int, author: str) -> Floats:
    p = np.asarray(p_values, dtype=float)
    if len(p) != comb(k, 2):
        raise DataError(
            f"there are {len(p)} p values; {author}'s adjustment needs all {comb(k, 2)} pairs of "
            f"{k} systems"
        )
    return p


def check_adjustment(adjust: str, control: str | None, *, by_ranks: bool) -> None:
    """Refuse an adjustment that is unknown, or is not for these pairs or this test."""
    choice(
        "adjust",
        adjust,
        ADJUSTMENTS,
        {"bergmann": "'bergmann-hommel'", "bonferroni-dunn": "'bonferroni'"},
    )
    if adjust in ("shaffer", "bergmann-hommel", "nemenyi") and control is not None:
        raise DataError(f"'{adjust}' is for all pairs; against a control use 'holm'")
    if adjust == "finner" and control is None:
        raise DataError("'finner' is for comparisons with a control; for all pairs use 'shaffer'")
    if adjust == "nemenyi" and not by_ranks:
        raise DataError("'nemenyi' is for mean ranks; with Wilcoxon's test use 'holm' or 'shaffer'")


def name_author(adjust: str) -> str:
    """Return whose adjustment it is: "Holm's", "Shaffer's static"."""
    authors = {
        "shaffer": "Shaffer's static",
        "bergmann-hommel": "Bergmann and Hommel's",
    }
    return authors.get(adjust, f"{adjust.capitalize()}'s")


def describe_family(control: str | None, adjust: str, count: int) -> str:
    """Return how many p values are adjusted how, as the end of a title."""
    if count == 1:
        return ""
    pairs = "of all pairs" if control is None else f"against '{control}'"
    return f" {pairs} with {name_author(adjust)} adjustment of {count} p values"


def adjust_pairs(pairs: pd.DataFrame, ranks: pd.DataFrame, adjust: Adjustment) -> Floats:
    """Return the adjusted p values of the pairs; Nemenyi's come from the ranks."""
    if adjust == "nemenyi":
        return nemenyi_p_values(ranks, pairs["difference"].to_numpy())
    return adjust_p_values(pairs["p_value"].to_numpy(), adjust, ranks.shape[1])


def nemenyi_p_values(ranks: pd.DataFrame, differences: ArrayLike) -> Floats:
    """Return Nemenyi's p values: how often the largest difference of mean ranks is as large.

    Up to 13 data sets they come from the distribution of the rank sums; above from the studentised
    range of k means with infinite degrees of freedom, at √2 |R_i - R_j| / √(k(k+1)/(6N)).
    """
    count, k = ranks.shape
    sizes = np.abs(np.asarray(differences, dtype=float))
    if count <= EXACT_DATA_SETS:
        return rank_sum_distribution(ranks.to_numpy()).reach_p_values(sizes * count)
    return normal_range_tail((12 * count / (k * (k + 1))) ** 0.5 * sizes, k)


def normal_range_tail(q: ArrayLike, k: int) -> Floats:
    """Return P(range of k independent standard normals >= q), as `studentized_range` of scipy.

    It is k∫φ(z)(Φ(z)^(k-1) - (Φ(z) - Φ(z - q))^(k-1))dz with z the maximum, for many q at once. The
    trapezoid rule is exact to 1e-14 on a smooth integrand that vanishes at both ends.
    """
    # Equal values, rounded, are computed once.
    values, position = np.unique(np.round(np.asarray(q, dtype=float), 12), return_inverse=True)
    # Beyond both ends of this grid the integrand vanishes in double precision.
    z, step = np.linspace(-9.0, 41.0, 1001, retstep=True)
    log_cdf = special.log_ndtr(z)
    # k φ(z) Φ(z)^(k-1) dz: the density of the maximum, in logarithms against underflow.
    weight = k * step * np.exp((k - 1) * log_cdf - z * z / 2) / (2 * np.pi) ** 0.5
    tail = np.empty(len(values))
    for start in range(0, len(values), 500):
        # Given the maximum z, each other value lies below z - q with probability Φ(z - q)/Φ(z);
        # the range exceeds q unless all of them lie above.
        log_share = special.log_ndtr(z[None, :] - values[start : start + 500, None]) - log_cdf
        below = np.exp(np.minimum(log_share, 0.0))
        with np.errstate(divide="ignore"):
            tail[start : start + 500] = -np.expm1((k - 1) * np.log1p(-below)) @ weight
    return np.clip(tail, 0.0, 1.0)[position]


def critical_difference(
    k: int, n_datasets: int, *, alpha: float = 0.05, test: DifferenceTest = "nemenyi"
) -> float:
    """Return the difference of mean ranks from which on two classifiers differ.

    CD = q_α √(k(k+1)/(6N)).

    Parameters
    ----------
    k : int
        Classifiers.
    n_datasets : int
        Data sets N.
    alpha : float
        Level over the family.
    test : str
        "nemenyi" (all pairs; q_α the studentised range's over √2) or "bonferroni-dunn" (against a
        control; q_α = z_{1 - α/(2(k - 1))}).

    Raises
    ------
    DataError
        Fewer than 2 classifiers or data sets, or an unknown test.

    Notes
    -----
    Both are approximations. At k = 3 and α = .05 Nemenyi's rejects 6.2 % with 11 data sets and
    otherwise at most 6 %; `pairwise(adjust="nemenyi")` is exact up to 13 data sets.

    Examples
    --------
    >>> from deabench import compare
    >>> round(compare.critical_difference(4, 14), 3)
    1.254
    """
    share("alpha", alpha)
    choice("test", test, get_args(DifferenceTest))
    k = check_count(k, "k", unit="classifiers")
    n_datasets = check_count(n_datasets, "n_datasets", unit="data sets")
    if k < 2 or n_datasets < 2:
        raise DataError(
            f"there are {k} systems and {n_datasets} data sets; give at least 2 of each"
        )
    if test == "nemenyi":
        # The range is in standard errors of one mean; that of a difference is √2 as large.
        q = float(scipy.stats.studentized_range.ppf(1 - alpha, k, np.inf)) / 2**0.5
    else:
        q = float(-special.ndtri(alpha / (2 * (k - 1))))
    return float(q * (k * (k + 1) / (6 * n_datasets)) ** 0.5)
